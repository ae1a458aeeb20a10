/* SPDX-License-Identifier: Apache-2.0 */
/* published_items.h - what the items of data.txt stand for.
 *
 * An item is the name of a node of the taxonomy, and stands for that node; or it is a *bag*, the
 * names of several nodes joined by `|`, and stands for any one of them.  A bag has two members at
 * least, each with a name that is a node's, strictly ascending by their bytes: so the same members
 * make the same item.  What is a node's own name is that node, and no bag. */
#ifndef LETHE_MODEL_PUBLISHED_PUBLISHED_ITEMS_H
#define LETHE_MODEL_PUBLISHED_PUBLISHED_ITEMS_H
#include "core/mem.h"
#include "model/tree/tree.h"

#define LETHE_BAG_JOINT '|'

/* Appends the nodes that `item` stands for, in the order in which it names them; none where it is
 * neither a node nor a bag.  LETHE_ENOMEM, which is not reported: nothing is appended.  Linear in
 * the item's bytes. */
LETHE_MUST_CHECK lethe_err lethe_item_read(const lethe_tree *t, lethe_str item, lethe_arena *a,
                                           lethe_u32s *to);

/* The items of a release, each with its nodes: ascending, and without those below another, which
 * say nothing more. */
typedef struct lethe_published_items {
    const lethe_tree *tree;
    uint32_t n;
    const uint64_t *first; /* n + 1: item i is node[first[i]] .. node[first[i + 1] - 1]; none: it is
                              unknown */
    const uint32_t *node;
} lethe_published_items;

/* Of all names of `items`; in `a`, `t` borrowed.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_published_items_read(const lethe_tree *t, const lethe_dict *items,
                                                      lethe_arena *a, lethe_published_items *out);

static inline uint64_t lethe_item_size(const lethe_published_items *p, uint32_t i)
{
    return p->first[i + 1] - p->first[i];
}
/* The lowest node at or above all that item i may be; LETHE_NONE: it is unknown. */
uint32_t lethe_item_above(const lethe_published_items *p, uint32_t i);
/* How many leaves item i may be. */
uint32_t lethe_item_leaves(const lethe_published_items *p, uint32_t i);

#endif
