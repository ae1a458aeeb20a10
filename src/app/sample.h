/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - what a log has, and a part of its users: what `publish` and `suggest` try first, and
 * what `compare` measures the cost of its runs on. */
#ifndef LETHE_APP_SAMPLE_H
#define LETHE_APP_SAMPLE_H
#include "release/make/input.h"

typedef struct lethe_log_facts {
    uint64_t persons, rows;
    bool has_clicks, has_times;
} lethe_log_facts;
LETHE_MUST_CHECK lethe_err lethe_log_look(lethe_ctx *ctx, lethe_log *log, lethe_log_facts *out);
/* The rows of a share of the users, drawn by a keyed hash of their names: a store. */
LETHE_MUST_CHECK lethe_err lethe_log_sample(lethe_ctx *ctx, lethe_log *log, double share,
                                            uint64_t seed, lethe_log **out);
/* The same as an input, with what it has; lethe_input_free(). */
LETHE_MUST_CHECK lethe_err lethe_input_sample(lethe_ctx *ctx, const lethe_input *whole,
                                              double share, uint64_t seed, lethe_input *out,
                                              lethe_log_facts *facts);

#endif
