/* SPDX-License-Identifier: Apache-2.0 */
/* apriori_cut.h - a cut of the taxonomy for k^m-anonymity, found level by level: AA.
 * M. Terrovitis, N. Mamoulis and P. Kalnis, "Privacy-preserving Anonymization of Set-valued Data",
 * VLDB 2008: Apriori-based anonymization, which uses direct anonymization in each round.
 *
 * For i = 1 .. m, the method goes through the combinations of i items of the sets, as generalized
 * by the cut so far and with everything above their items, in the order of the taxonomy (preorder,
 * a prefix first); no item of a combination is above another.  A combination that is in some but
 * fewer than k sets, and has no item below the current cut, is generalized: of all sets of nodes
 * with exactly one node at or above each of its items, and no others, the method takes the one that
 * is in at least k sets and raises the cost of the cut least; of equal ones the first in order. Its
 * nodes are put into the cut, except those that are items of the combination, which stay.  A node
 * in the cut takes the place of everything below it.
 *
 * What the paper leaves open, and how it is done here: docs/kl.md#aa. */
#ifndef LETHE_METHOD_ITEMSET_APRIORI_CUT_H
#define LETHE_METHOD_ITEMSET_APRIORI_CUT_H
#include "method/itemset/cuts/cut_sets.h"

typedef struct lethe_apriori_cut {
    bool none;      /* no cut is valid: some sets, but fewer than k, have any item */
    uint32_t *node; /* the cut, ascending; empty where no set has an item */
    size_t n;
    uint64_t cost;  /* lethe_cuts_cost() of them */
    uint64_t fixed; /* combinations that were generalized */
} lethe_apriori_cut;

/* The sets: records bound to `t`, with distinct items that are leaves, ascending
 * (lethe_records_sets); sensitive items do not matter.  `costs` are theirs.  k and m are at
 * least 1.
 *
 * Counts what the paper's count tree counts, by lists of occurrences.  One thread, since every
 * generalization decides what is examined next.  The cut lives in `a`.  Memory: 12 bytes for each
 * item of a distinct set and everything above it, and up to 8 more for each item of a combination.
 * Reports LETHE_EUSAGE for 2^32 - 1 sets or more, and LETHE_ENOMEM; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_apriori_cut_find(lethe_ctx *ctx, const lethe_records *sets,
                                                  const lethe_tree *t,
                                                  const lethe_cuts_costs *costs, uint64_t k,
                                                  uint32_t m, lethe_arena *a,
                                                  lethe_apriori_cut *out);

#endif
