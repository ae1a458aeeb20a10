/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - the group that a record is best added to: exact, though few groups are examined.
 *
 * Adding record t to a group S costs
 *     a(S) + |t| - (|S| + 1) * overlap(M, t)       (ancestors.h; scaled)
 * where a(S) is the number of items of S, for the GGD of the whole, or |S| * mass(M), for its
 * increase.  The overlap in a coarser tree bounds that in the tree from above: keep some nodes near
 * the root, those with the greatest weight in the data, and give every item below a kept node v,
 * but below no kept child of it, all that the subtree of v can give, LM(v).  Each kept node has a
 * list with the count of every open group there (an inverted index; dense, because nearly all
 * groups are in the list of a node near the root).  A search adds up the lists of t's nodes and
 * examines groups in the order of their bounds until none can win. */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_NEAREST_H
#define LETHE_METHOD_CLUSTER_CLUMP_NEAREST_H
#include "method/cluster/clump/ancestors.h"

typedef struct lethe_clump_nearest lethe_clump_nearest;

/* Room for groups 0 .. n_groups - 1, without any group yet.  The nodes to keep are chosen by
 * `record`, which is not used later.  `increase`: costs are increases.  About 180 bytes per group.
 */
LETHE_MUST_CHECK lethe_err lethe_clump_nearest_new(const lethe_tree *t,
                                                   const lethe_ancestors *record, size_t n_records,
                                                   uint32_t n_groups, bool increase,
                                                   lethe_clump_nearest **out);
void lethe_clump_nearest_free(lethe_clump_nearest *x); /* NULL is fine */

/* Adds or updates a group: it has `n` records with `items` items together, and M is `m`. */
void lethe_clump_nearest_put(lethe_clump_nearest *x, uint32_t group, uint64_t items, uint64_t n,
                             const lethe_ancestors *m);
void lethe_clump_nearest_remove(lethe_clump_nearest *x, uint32_t group); /* if it is in it */
uint32_t lethe_clump_nearest_count(const lethe_clump_nearest *x);

/* Which groups may win, and their exact costs, which are never below the cost above. */
typedef struct lethe_clump_nearest_query {
    void *arg;
    bool (*may)(void *arg, uint32_t group); /* NULL: all */
    lethe_err (*cost)(void *arg, uint32_t group, uint64_t *out);
} lethe_clump_nearest_query;

/* The group of least cost, ties to the lowest; LETHE_NONE: no group may win.  *n_looked_at grows by
 * the number of calls of `cost`.  Fails only if `cost` fails. */
LETHE_MUST_CHECK lethe_err lethe_clump_nearest_find(lethe_clump_nearest *x,
                                                    const lethe_ancestors *record,
                                                    const lethe_clump_nearest_query *ask,
                                                    uint32_t *group, uint64_t *n_looked_at);

#endif
