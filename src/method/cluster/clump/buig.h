/* SPDX-License-Identifier: Apache-2.0 */
/* buig.h - bottom-up item generalization as printed: a common generalization of bags, but not
 * always the least.
 *
 * Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization", section
 * IV.A, Algorithm 2.  Where a node has more items in one bag than in another, the surplus is
 * dropped and its parent does not see it: <milk,milk> and <milk,butter> give <milk,food>, though
 * <milk,dairy> would do.  Kept to reproduce the paper; ancestors.h has the least one. */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_BUIG_H
#define LETHE_METHOD_CLUSTER_CLUMP_BUIG_H
#include "method/cluster/clump/ancestors.h"

/* The counts of the result for m >= 1 bags, given by theirs; lethe_ancestors_items makes a bag of
 * them.  Line 4 counts copies (it says 1 where there are some; but results that hold an item twice
 * are fed back to it).  A tree of one node is padded like any other.
 *
 * Costs the entries of the bag that has the fewest, times m and a logarithm.  Everything, scratch
 * too, is taken from the arena: 8 m + 20 bytes for each of these.  LETHE_ENOMEM only. */
LETHE_MUST_CHECK lethe_err lethe_clump_buig(const lethe_tree *t, const lethe_ancestors *bag,
                                            size_t m, lethe_arena *a, lethe_ancestors *out);

#endif
