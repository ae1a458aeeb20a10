/* SPDX-License-Identifier: Apache-2.0 */
/* publish.h - from an input to a decision: what the files of publish/ share; nobody else includes
 * it.
 *
 *   publish_plan.c    which candidates fit the input and the goal
 *   publish_sample.c  a sample of the persons, where the whole takes long
 *   publish.c         tries the candidates, and makes the release of the best one */
#ifndef LETHE_APP_PUBLISH_PUBLISH_H
#define LETHE_APP_PUBLISH_PUBLISH_H
#include "app/judge.h"
#include "app/study/study.h"

/* --- the plan --- */

/* What the input has. */
typedef struct lethe_input_facts {
    uint64_t persons, rows;
    bool has_clicks, has_times;
    const char *taxonomy;       /* for records: "wordnet" where it knows most items; NULL: not so */
    const char *theta, *ranges; /* of a table, as suggest.h has them; NULL: none */
} lethe_input_facts;

/* All runs, in `a`: candidates for the shape and the goal, of which the input has what they need.
 */
LETHE_MUST_CHECK lethe_err lethe_publish_plan(lethe_diag *d, lethe_arena *a,
                                              const lethe_publish_request *q, lethe_shape shape,
                                              const lethe_input_facts *facts, lethe_plan *out);

/* --- the sample --- */

/* Persons, rows, clicks and times of a log. */
LETHE_MUST_CHECK lethe_err lethe_log_facts(lethe_ctx *ctx, lethe_log *log, lethe_input_facts *out);
/* The rows of a share of the users, drawn by a keyed hash of their names. */
LETHE_MUST_CHECK lethe_err lethe_log_sample(lethe_ctx *ctx, lethe_log *log, double share,
                                            uint64_t seed, lethe_log **out);

#endif
