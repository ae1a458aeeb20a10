/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_recall.h - how much of the most frequent closed patterns of some transactions is found
 * again among those of others.  J. Liu, "Enhancing Utility in Privacy Preserving Data
 * Publishing", 2010, section 5.5.2. */
#ifndef LETHE_ALGO_MINE_PATTERN_RECALL_H
#define LETHE_ALGO_MINE_PATTERN_RECALL_H
#include "algo/mine/closed.h"

/* recall = shared / items, of nothing where items is 0: over the patterns o of the first, the sum
 * of the most items that o has in common with one pattern of the second, and the sum of |o|. */
typedef struct lethe_pattern_recall {
    uint64_t shared, items;
    size_t n_before, n_after;           /* patterns of each */
    uint64_t least_before, least_after; /* the support that theirs have at least */
    bool tied_out; /* of one, patterns of the last support were left out: there were too many */
} lethe_pattern_recall;

/* The `n` most frequent of each, with ties as lethe_closed_find() has them, `most` at most.  Items
 * of both are the same numbers.  The same for any number of threads.  Failures as those of
 * lethe_closed_find(). */
LETHE_MUST_CHECK lethe_err lethe_pattern_recall_find(lethe_ctx *ctx,
                                                     const lethe_transactions *before,
                                                     const lethe_transactions *after, uint64_t n,
                                                     uint64_t most, lethe_pattern_recall *out);

#endif
