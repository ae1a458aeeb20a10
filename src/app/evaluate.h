/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - what every command does that reads a release: figures and pages of files that are
 * not those of the release would be believed to be its own. */
#ifndef LETHE_APP_EVALUATE_H
#define LETHE_APP_EVALUATE_H
#include "release/commands.h"

/* Verifies a release.  LETHE_ANSWER_NO if it does not keep its promise or that was not decided
 * within the limits, with a message that ends in `consequence` ("it is not measured"); what only
 * search results could decide counts as kept. *verified (NULL is allowed) is the report of verify,
 * in `doc`. */
LETHE_MUST_CHECK lethe_err lethe_release_must_hold(lethe_ctx *ctx, const char *folder,
                                                   const lethe_verify_options *how,
                                                   const char *consequence, lethe_json_doc *doc,
                                                   lethe_json **verified);

/* As lethe_release_measure() and lethe_release_attack(), of a release that was verified already. */
LETHE_MUST_CHECK lethe_err lethe_verified_measure(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                  lethe_json_doc *doc, lethe_json **report);
LETHE_MUST_CHECK lethe_err lethe_verified_attack(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                 lethe_json_doc *doc, lethe_json **report);

#endif
