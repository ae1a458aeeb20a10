/* SPDX-License-Identifier: Apache-2.0 */
/* ancestors.h - bags of items as sparse counts over a taxonomy: for each node at or above an item,
 * how many items are at or below it.  Generalizing then is arithmetic on counts.
 *
 * Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization", sections
 * II and IV; the closed forms are derived in docs/clump.md:
 *
 *   t' generalizes t    iff  cnt(t', v) <= cnt(t, v) for every node v
 *   M(v)                =    min over t in S of cnt(t, v)
 *   LCG(S)              has  M(v) - (sum of M over the children of v) copies of v
 *   GGD(S, LCG(S))      =    sum of |t| - |S| * (sum over v but the root of M(v) w(v)),
 *   w(v)                =    LM(parent of v) - LM(v)
 *
 * All numbers are whole, scaled by lethe_tree_scale(). */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_ANCESTORS_H
#define LETHE_METHOD_CLUSTER_CLUMP_ANCESTORS_H
#include "core/mem.h"
#include "model/records/records.h"

/* A node and the number of items at or below it. */
typedef struct lethe_ancestors_entry {
    uint32_t node, count;
} lethe_ancestors_entry;

/* Nodes except the root, ascending (in preorder), with counts above 0; and the number of items. */
typedef struct lethe_ancestors {
    const lethe_ancestors_entry *at;
    size_t n;
    uint64_t size; /* items: the count of the root */
} lethe_ancestors;

/* Counts of a bag of nodes in any order, into the arena: 8 bytes per entry, at most as many entries
 * as the levels of the items together, each node once.  Items that are the root count in `size`
 * only.  Time: n log n for sorting, and constant per entry.  LETHE_ENOMEM only. */
LETHE_MUST_CHECK lethe_err lethe_ancestors_of(const lethe_tree *t, const uint32_t *item, size_t n,
                                              lethe_arena *a, lethe_ancestors *out);
/* One for each record, in record order; parallel, the same for any number of threads.  Memory: 8
 * bytes per entry and 24 per record in the arena, and 4 per item while it runs. */
LETHE_MUST_CHECK lethe_err lethe_ancestors_all(lethe_ctx *ctx, const lethe_tree *t,
                                               const lethe_records *r, lethe_arena *a,
                                               lethe_ancestors **out);

/* w(v), scaled. */
static inline uint32_t lethe_ancestors_weight(const lethe_tree *t, uint32_t v)
{
    return t->leaves[t->parent[v]] - t->leaves[v];
}
/* The first of at[0..n-1] whose node is not less than `node`; n: none.  Time: the logarithm of its
 * place. */
size_t lethe_ancestors_seek(const lethe_ancestors_entry *at, size_t n, uint32_t node);
/* Sum over v of min(a(v), b(v)) w(v), scaled: what two bags have in common.  Time: the entries of
 * the one that has fewer, times a logarithm. */
uint64_t lethe_ancestors_overlap(const lethe_tree *t, const lethe_ancestors *a,
                                 const lethe_ancestors *b);
/* Sum over v of a(v) w(v), scaled. */
uint64_t lethe_ancestors_mass(const lethe_tree *t, const lethe_ancestors *a);

/* One bag as an array over all nodes, 8 bytes per node of the tree, to be compared with many: an
 * overlap then costs one look-up per entry of the other bag.  The bag's entries are borrowed until
 * another one is set (NULL: none); setting costs the entries of both. */
typedef struct lethe_ancestors_dense lethe_ancestors_dense;
lethe_ancestors_dense *lethe_ancestors_dense_new(const lethe_tree *t); /* NULL: no memory */
void lethe_ancestors_dense_free(lethe_ancestors_dense *l);             /* NULL is fine */
void lethe_ancestors_dense_set(lethe_ancestors_dense *l, const lethe_ancestors *a);
uint64_t lethe_ancestors_dense_overlap(const lethe_ancestors_dense *l, const lethe_ancestors *b);

/* GGD of a group, scaled: its `n` records have `items` items together, and `mass` is that of its M.
 */
static inline uint64_t lethe_ancestors_ggd(const lethe_tree *t, uint64_t items, uint64_t n,
                                           uint64_t mass)
{
    return items * lethe_tree_scale(t) - n * mass;
}

/* Counts that change: M of a group that grows. */
typedef struct lethe_ancestors_min {
    lethe_ancestors_entry *at;
    size_t n, room;
    uint64_t size;
} lethe_ancestors_min;
LETHE_MUST_CHECK lethe_err lethe_ancestors_min_set(lethe_ancestors_min *m,
                                                   const lethe_ancestors *a); /* a copy */
void lethe_ancestors_min_meet(lethe_ancestors_min *m,
                              const lethe_ancestors *a); /* m = min(m, a): never grows */
void lethe_ancestors_min_free(lethe_ancestors_min *m);
static inline lethe_ancestors lethe_ancestors_min_view(const lethe_ancestors_min *m)
{
    return (lethe_ancestors){m->at, m->n, m->size};
}

/* The bag with these counts: nodes ascending, the root among them, one entry per copy.  This is
 * LCG(S) if `m` is M of S. */
LETHE_MUST_CHECK lethe_err lethe_ancestors_items(const lethe_tree *t, const lethe_ancestors *m,
                                                 lethe_arena *a, uint32_t **item, size_t *n);

/* The greatest possible number of groups of at least k persons, where a person counts once per
 * group: the largest n such that n k <= sum over persons of min(their records, n).  k > 0. */
uint64_t lethe_clump_most_groups(const uint64_t *records_of, size_t n_owners, uint64_t k);

#endif
