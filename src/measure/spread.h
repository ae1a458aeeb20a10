/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h - the distribution of whole numbers: mean, median, minimum, maximum, and buckets for
 * charts. */
#ifndef LETHE_MEASURE_SPREAD_H
#define LETHE_MEASURE_SPREAD_H
#include "core/mem.h"

#define LETHE_SPREAD_DENSE 4096

/* Counted numbers: small ones by value, large ones one by one.  Large ones are few, since the
 * numbers add up to the rows of a log (at most rows / LETHE_SPREAD_DENSE of them). */
typedef struct lethe_spread {
    uint64_t n, sum;
    uint64_t dense[LETHE_SPREAD_DENSE];
    lethe_buf large; /* uint64_t each */
} lethe_spread;

typedef struct lethe_spread_summary {
    double mean, median; /* 0 where there is no number */
    uint64_t min, max;
} lethe_spread_summary;

LETHE_MUST_CHECK lethe_err lethe_spread_add(lethe_spread *s, uint64_t value);
LETHE_MUST_CHECK lethe_err lethe_spread_merge(lethe_spread *into, const lethe_spread *from);
/* The median of an even count is the mean of the two in the middle.  Sorts `large`. */
lethe_spread_summary lethe_spread_summarize(lethe_spread *s);
void lethe_spread_free(lethe_spread *s); /* what it holds, not `s` */

/* Buckets 0, 1, 2, 3-5, 6-10, 11-20, 21-50, ...: the last one ends at UINT64_MAX. */
#define LETHE_N_BUCKETS 60
size_t lethe_bucket_of(uint64_t value);
void lethe_bucket_range(size_t bucket, uint64_t *from, uint64_t *to);

#endif
