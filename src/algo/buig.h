/* buig.h - bottom-up item generalization as it is printed: a common generalization of bags, but not
 * always the least.
 *
 * Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization", section
 * IV.A, Algorithm 2.  Where a node has more items in one bag than in another, what is left over is
 * dropped and not looked at by its parent: <milk,milk> and <milk,butter> give <milk,food>, though
 * <milk,dairy> would do.  Kept to reproduce the paper; ancestors.h has the least one. */
#ifndef LETHE_ALGO_BUIG_H
#define LETHE_ALGO_BUIG_H
#include "core/mem.h"
#include "model/tree.h"

/* Nodes of a tree, a copy for each. */
typedef struct lethe_bag {
    const uint32_t *item;
    size_t n;
} lethe_bag;

/* The result for m >= 1 bags, in any order, of any nodes of the tree; ascending.  Line 4 counts
 * copies (it says 1 where there are some; but results that hold an item twice are fed back to it).
 * A tree of one node is padded like any other.  Everything, scratch too, is taken from the arena:
 * 4 (m + 1) + 8 bytes for each node above an item.  LETHE_ENOMEM only. */
LETHE_MUST_CHECK lethe_err lethe_buig(const lethe_tree *t, const lethe_bag *bag, size_t m,
                                      lethe_arena *a, lethe_bag *out);

#endif
