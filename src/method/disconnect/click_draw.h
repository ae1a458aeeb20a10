/* SPDX-License-Identifier: Apache-2.0 */
/* click_draw.h - draws one click of each URL of a query, so that no count tells a rank.
 *
 * People click the first result most, so the counts of a query's identifiers tell which results
 * they are.  With one row each no count tells them apart: whoever knows which m results were
 * clicked, and how often, names an identifier rightly with a chance of 1/m, unless it matters whose
 * rows they are: who clicks once clicks the first result mostly.  (As many rows each
 * would not do: three clicks of one person are all that a URL has, three of three persons are some
 * of many.)  Any click of a URL is as likely as another: the first one would tell which URL was
 * clicked early, hence often. */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_DRAW_H
#define LETHE_METHOD_DISCONNECT_CLICK_DRAW_H
#include "core/mem.h"
#include "core/rng.h"

/* All zero at first; one query after the other. */
typedef struct lethe_click_draw {
    lethe_rng rng;  /* of this query alone; needed if a URL has two clicks */
    lethe_buf left; /* uint64_t by URL: the clicks to come; 0: one was drawn */
} lethe_click_draw;

/* `clicks`: of each URL, above 0.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_click_draw_begin(lethe_click_draw *d, const uint64_t *clicks,
                                                  size_t n);
/* Is the next click on the URL the one? */
bool lethe_click_draw_takes(lethe_click_draw *d, uint32_t url);
void lethe_click_draw_free(lethe_click_draw *d);

#endif
