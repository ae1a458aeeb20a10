/* SPDX-License-Identifier: Apache-2.0 */
/* people.h - sums per user, collected from all over a log.
 *
 * Rows, texts and clicks come in three passes with three different orders.  Each worker adds them
 * up in a table of fixed size; users evicted from it go to a sorter keyed by user, where their
 * parts are merged.  So memory stays bounded for any number of users, and few records are sorted if
 * the log is in order of users, or if all users fit in the table. */
#ifndef LETHE_MEASURE_PEOPLE_H
#define LETHE_MEASURE_PEOPLE_H
#include "core/ctx.h"

/* Sums over what was added. */
typedef struct lethe_user_sums {
    uint64_t rows, texts, clicks, days;
    bool alone;
} lethe_user_sums;

#define LETHE_NO_DAY INT64_MIN

typedef struct lethe_people lethe_people;

LETHE_MUST_CHECK lethe_err lethe_people_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_people **out);
void lethe_people_free(lethe_people *p); /* NULL is fine */

/* Each may be called from several threads as long as each uses its own w.
 * A row, on that day (since 1970; years 1 to 9999; or LETHE_NO_DAY): days are counted once. */
LETHE_MUST_CHECK lethe_err lethe_people_row(lethe_people *p, unsigned w, lethe_str user,
                                            int64_t day);
/* One more distinct text; `alone`: nobody else issued it. */
LETHE_MUST_CHECK lethe_err lethe_people_text(lethe_people *p, unsigned w, lethe_str user,
                                             bool alone);
/* One more distinct URL. */
LETHE_MUST_CHECK lethe_err lethe_people_click(lethe_people *p, unsigned w, lethe_str user);

/* Hands out every user once, on all workers and in no order, after everything was added. */
typedef lethe_err (*lethe_user_sums_fn)(void *arg, unsigned w, const lethe_user_sums *person);
LETHE_MUST_CHECK lethe_err lethe_people_each(lethe_people *p, lethe_user_sums_fn fn, void *arg);

#endif
