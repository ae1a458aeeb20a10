/* apriori_cut.h - a cut of the taxonomy for k^m-anonymity, found level by level: AA.
 * M. Terrovitis, N. Mamoulis and P. Kalnis, "Privacy-preserving Anonymization of Set-valued Data",
 * VLDB 2008: Apriori-based anonymization, which uses direct anonymization in each round.
 *
 * For i = 1 .. m: of the sets as the cut so far generalizes them, with all that is above their
 * items, those combinations of i items are gone through in the order of the taxonomy (preorder, a
 * prefix first) of which none is above another.  One that is in some but fewer than k sets, and of
 * whose items none is below the cut by now, is generalized: of all sets of nodes that have exactly
 * one at or above each of its items, and nothing else, the one is taken that is in at least k sets
 * and makes the cut least dearer; of equally dear ones the first in order.  Its nodes are put into
 * the cut, but for those that are items of the combination, which stay as they are.  A node in the
 * cut takes what is below it.
 *
 * What is left open there, and how it is here: docs/kl.md#aa. */
#ifndef LETHE_METHOD_ITEMSET_APRIORI_CUT_H
#define LETHE_METHOD_ITEMSET_APRIORI_CUT_H
#include "method/itemset/cuts/cut_sets.h"

typedef struct lethe_apriori_cut {
    bool none;      /* there is no valid cut: some sets have an item at all, but fewer than k */
    uint32_t *node; /* of the cut, ascending; none where no set has an item */
    size_t n;
    uint64_t cost;  /* lethe_cuts_cost() of them */
    uint64_t fixed; /* combinations that were generalized */
} lethe_apriori_cut;

/* The sets: records bound to `t`, with distinct items that are leaves, ascending
 * (lethe_records_sets); sensitive items do not matter.  `costs` are theirs.  k and m from 1 on.
 *
 * What is counted is what the paper's count tree counts, by lists of occurrences instead.  One
 * thread: what is generalized decides what is looked at next.  The cut lives in `a`.  Memory: for
 * each distinct set its items and all above them, 12 bytes each, and up to 8 more for each item of
 * a combination.  LETHE_EUSAGE is said: 2^32 - 1 sets or more; LETHE_ENOMEM is said; LETHE_ECANCEL.
 */
LETHE_MUST_CHECK lethe_err lethe_apriori_cut_find(lethe_ctx *ctx, const lethe_records *sets,
                                                  const lethe_tree *t,
                                                  const lethe_cuts_costs *costs, uint64_t k,
                                                  uint32_t m, lethe_arena *a,
                                                  lethe_apriori_cut *out);

#endif
