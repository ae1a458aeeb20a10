/* SPDX-License-Identifier: Apache-2.0 */
/* induced_tree.h - records over the subtree that they induce: the nodes at or above one of their
 * items.
 *
 * Nodes are numbered anew, still in preorder with the root as 0; so subtrees are still ranges, and
 * the sorted items of a record that are below a node are adjacent.  Work on it costs as much as
 * what is present, whatever the size of the taxonomy. */
#ifndef LETHE_METHOD_CLUSTER_PARTITION_INDUCED_TREE_H
#define LETHE_METHOD_CLUSTER_PARTITION_INDUCED_TREE_H
#include "core/sort.h"
#include "model/records/records.h"

typedef struct lethe_induced_tree {
    uint32_t n;               /* nodes; the root is always among them */
    uint32_t most_children;   /* of a node */
    const uint32_t *node;     /* its number in the tree */
    const uint32_t *end;      /* one past the last of the subtree */
    const uint32_t *lm;       /* LM in the whole tree, scaled: lethe_tree_lm */
    const uint32_t *child_at; /* n + 1: children of v are child[child_at[v]] .., ascending */
    const uint32_t *child;
    const uint64_t *start; /* the records' own: borrowed */
    const uint32_t *item;  /* of each record, ascending */
} lethe_induced_tree;

/* `r` is bound to `t`; `r` is borrowed until the end, `t` during the call.  Time: the items, and
 * one bit per node of the tree.  Memory: 4 bytes per item, 16 per node that is present.
 * LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_induced_tree_new(lethe_ctx *ctx, const lethe_tree *t,
                                                  const lethe_records *r, lethe_induced_tree **out);
void lethe_induced_tree_free(lethe_induced_tree *p); /* NULL is fine */

/* The items of record i at or below v: *n of them. */
static inline const uint32_t *lethe_induced_tree_below(const lethe_induced_tree *p, size_t i,
                                                       uint32_t v, uint64_t *n)
{
    const uint32_t *at = p->item + p->start[i];
    uint64_t size = p->start[i + 1] - p->start[i], from = lethe_gallop(at, size, v);
    *n = lethe_gallop(at + from, size - from, p->end[v]);
    return at + from;
}

static inline uint32_t lethe_induced_tree_children(const lethe_induced_tree *p, uint32_t v)
{
    return p->child_at[v + 1] - p->child_at[v];
}

#endif
