/* nearest.h - of many groups, the one that a record is best added to, exactly, with few of them
 * looked at closely.
 *
 * What adding record t to a group S costs is
 *     a(S) + |t| - (|S| + 1) * overlap(M, t)       (ancestors.h; scaled)
 * with a(S) the items of S for the GGD of the whole, or |S| * mass(M) for its increase.  The
 * overlap in a coarser tree bounds that in the tree from above: keep some nodes, those near the
 * root that the data's items weigh most on, and let every item below a kept node v, but below no
 * kept child of it, have all that v's subtree can give, LM(v).  For each kept node there is a list
 * of what every open group counts there (an inverted index; dense, as nearly all groups are in the
 * list of a node so near to the root); a search adds up those of t's nodes, and looks at groups in
 * the order of the bounds until none can win. */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_NEAREST_H
#define LETHE_METHOD_CLUSTER_CLUMP_NEAREST_H
#include "method/cluster/clump/ancestors.h"

typedef struct lethe_clump_nearest lethe_clump_nearest;

/* Room for groups 0 .. n_groups - 1; none is in it yet.  `record`: which nodes to keep is chosen
 * by them; not used later.  `increase`: costs are increases.  About 180 bytes a group. */
LETHE_MUST_CHECK lethe_err lethe_clump_nearest_new(const lethe_tree *t,
                                                   const lethe_ancestors *record, size_t n_records,
                                                   uint32_t n_groups, bool increase,
                                                   lethe_clump_nearest **out);
void lethe_clump_nearest_free(lethe_clump_nearest *x); /* NULL is fine */

/* The group is (or stays) in it and has changed: `n` records with `items` items, and their M. */
void lethe_clump_nearest_put(lethe_clump_nearest *x, uint32_t group, uint64_t items, uint64_t n,
                             const lethe_ancestors *m);
void lethe_clump_nearest_remove(lethe_clump_nearest *x, uint32_t group); /* it need not be in it */
uint32_t lethe_clump_nearest_count(const lethe_clump_nearest *x);

/* Which groups count, and what they cost exactly; the latter is never below the cost above. */
typedef struct lethe_clump_nearest_query {
    void *arg;
    bool (*may)(void *arg, uint32_t group); /* NULL: all */
    lethe_err (*cost)(void *arg, uint32_t group, uint64_t *out);
} lethe_clump_nearest_query;

/* The group of least cost, of several the lowest; LETHE_NONE: no group in it may.  *n_looked_at is
 * raised by the number of costs asked for.  Fails only as `cost` does. */
LETHE_MUST_CHECK lethe_err lethe_clump_nearest_find(lethe_clump_nearest *x,
                                                    const lethe_ancestors *record,
                                                    const lethe_clump_nearest_query *ask,
                                                    uint32_t *group, uint64_t *n_looked_at);

#endif
