/* ancestors.h - bags of items as sparse counts over a taxonomy: for each node above an item, how
 * many items are below it.  Generalizing is then arithmetic on counts.
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
 * All in whole numbers, scaled by lethe_tree_scale(). */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_ANCESTORS_H
#define LETHE_METHOD_CLUSTER_CLUMP_ANCESTORS_H
#include "core/mem.h"
#include "model/records/records.h"

/* A node and how many items are at or below it. */
typedef struct lethe_ancestors_entry {
    uint32_t node, count;
} lethe_ancestors_entry;

/* Nodes but the root, ascending (so in preorder), each count over 0; and all items. */
typedef struct lethe_ancestors {
    const lethe_ancestors_entry *at;
    size_t n;
    uint64_t size; /* items: the root's own count */
} lethe_ancestors;

/* Counts of a bag of nodes, which need not be sorted, into the arena: 8 bytes an entry, at most as
 * many as the levels of the items together, each node once.  Items that are the root count in
 * `size` alone.  About n log n for sorting and constant work an entry.  LETHE_ENOMEM only. */
LETHE_MUST_CHECK lethe_err lethe_ancestors_of(const lethe_tree *t, const uint32_t *item, size_t n,
                                              lethe_arena *a, lethe_ancestors *out);
/* One for each record, in record order; parallel, the same for any number of threads.  8 bytes an
 * entry and 24 a record in the arena; while it runs, 4 more an item. */
LETHE_MUST_CHECK lethe_err lethe_ancestors_all(lethe_ctx *ctx, const lethe_tree *t,
                                               const lethe_records *r, lethe_arena *a,
                                               lethe_ancestors **out);

/* w(v), scaled. */
static inline uint32_t lethe_ancestors_weight(const lethe_tree *t, uint32_t v)
{
    return t->leaves[t->parent[v]] - t->leaves[v];
}
/* The first of at[0..n-1] that is not below `node` in number; n: none.  Costs the logarithm of how
 * far it is. */
size_t lethe_ancestors_seek(const lethe_ancestors_entry *at, size_t n, uint32_t node);
/* Sum over v of min(a(v), b(v)) w(v), scaled: what two bags have in common.  Costs the entries of
 * the one that has fewer, times a logarithm. */
uint64_t lethe_ancestors_overlap(const lethe_tree *t, const lethe_ancestors *a,
                                 const lethe_ancestors *b);
/* Sum over v of a(v) w(v), scaled. */
uint64_t lethe_ancestors_mass(const lethe_tree *t, const lethe_ancestors *a);

/* One bag laid out by node, 8 bytes a node of the tree, to be compared with many: an overlap then
 * costs a look-up for each entry of the other alone.  The bag's entries are borrowed until another
 * is set (NULL: none); setting costs the entries of both. */
typedef struct lethe_ancestors_dense lethe_ancestors_dense;
lethe_ancestors_dense *lethe_ancestors_dense_new(const lethe_tree *t); /* NULL: no memory */
void lethe_ancestors_dense_free(lethe_ancestors_dense *l);             /* NULL is fine */
void lethe_ancestors_dense_set(lethe_ancestors_dense *l, const lethe_ancestors *a);
uint64_t lethe_ancestors_dense_overlap(const lethe_ancestors_dense *l, const lethe_ancestors *b);

/* GGD of a group, scaled: `items` of its `n` records in all, and the mass of its M. */
static inline uint64_t lethe_ancestors_ggd(const lethe_tree *t, uint64_t items, uint64_t n,
                                           uint64_t mass)
{
    return items * lethe_tree_scale(t) - n * mass;
}

/* Counts that change: the M of a group that grows. */
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

/* The bag that has these counts: nodes ascending, a copy for each; the root among them.  LCG(S),
 * where `m` is S's M. */
LETHE_MUST_CHECK lethe_err lethe_ancestors_items(const lethe_tree *t, const lethe_ancestors *m,
                                                 lethe_arena *a, uint32_t **item, size_t *n);

/* How many groups of at least k persons there can be: the largest n with (sum over persons of
 * min(their records, n)) >= n k.  DESIGN: "Persons".  k > 0. */
uint64_t lethe_clump_most_groups(const uint64_t *records_of, size_t n_owners, uint64_t k);

#endif
