/* SPDX-License-Identifier: Apache-2.0 */
/* time_limit.h - the option `time-limit` of commands that check a release. */
#ifndef LETHE_APP_CALL_TIME_LIMIT_H
#define LETHE_APP_CALL_TIME_LIMIT_H
#include "lethe/option.h"

/* clang-format off */
#define TIME_LIMIT_OPTION                                                                          \
    {.name = "time-limit", .type = LETHE_OPT_DURATION, .arg = "DURATION|none", .word = "none",     \
     .fallback = "10m", .min = 1, .max = 3.2e9,                                                    \
     .help = "time limit for checking the promise; if it is met, the answer is 'not decided'"}
/* clang-format on */

/* Its value, as lethe_verify_options has it. */
static inline double lethe_time_limit_of(const lethe_values *v)
{
    const lethe_value *limit = lethe_value_of(v, "time-limit");
    return limit->word ? -1 : (double)limit->count;
}

#endif
