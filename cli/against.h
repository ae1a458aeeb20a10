/* SPDX-License-Identifier: Apache-2.0 */
/* against.h - what measure and attack share: comparing a release with its original. */
#ifndef LETHE_CLI_AGAINST_H
#define LETHE_CLI_AGAINST_H
#include "cli.h"

typedef lethe_err (*against_fn)(lethe_ctx *ctx, const lethe_evaluate_options *against,
                                lethe_json_doc *doc, lethe_json **report);
/* Takes the release and its original from the arguments, calls `fn`, and prints its report with
 * `show` or as JSON. */
lethe_err run_against(const arguments *a, const char *adversary, against_fn fn,
                      void (*show)(const lethe_json *metrics));

#endif
