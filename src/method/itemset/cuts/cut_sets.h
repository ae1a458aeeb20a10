/* SPDX-License-Identifier: Apache-2.0 */
/* cut_sets.h - what a cut of the taxonomy costs, and what it makes of sets of items. */
#ifndef LETHE_METHOD_ITEMSET_CUTS_CUT_SETS_H
#define LETHE_METHOD_ITEMSET_CUTS_CUT_SETS_H
#include "model/records/records.h"

/* The cost of generalization, in whole numbers: an occurrence of an item at node v costs LM(v)
 * times lethe_tree_scale(), whichever items were merged there (J. Liu, 2010, section 4.2.3). */
typedef struct lethe_cuts_costs {
    uint8_t *live;  /* by node: is it an item of a set, or above one?  The root always is. */
    uint64_t *cost; /* by node: of all occurrences at or below it */
    uint64_t items; /* occurrences */
} lethe_cuts_costs;

/* Of sets (lethe_records_sets); in the arena.  LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_cuts_costs_find(const lethe_records *sets, const lethe_tree *t,
                                                 lethe_arena *a, lethe_cuts_costs *out);
/* The cost of a cut: the sum over its nodes. */
uint64_t lethe_cuts_cost(const lethe_cuts_costs *c, const uint32_t *node, size_t n);
/* NCP: the mean cost of an occurrence, between 0 and 1. */
double lethe_cuts_ncp(const lethe_cuts_costs *c, const lethe_tree *t, uint64_t cost);

/* The sets with each item replaced by the node of the cut at or above it: distinct and ascending;
 * an item below no node of the cut is left out.  Everything but `start` and `item`, which are in
 * the arena, is shared with `sets`: *out must not be freed.  LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_cuts_apply(const lethe_records *sets, const lethe_tree *t,
                                            const uint32_t *node, size_t n, lethe_arena *a,
                                            lethe_records *out);

#endif
