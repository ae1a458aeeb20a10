/* SPDX-License-Identifier: Apache-2.0 */
/* local_groups.h - local recoding of a table: groups of rows, each published with the lowest common
 * ancestor of its values in every column, so that little is lost in all.
 *
 * Finding the best groups is NP-hard (Meyerson and Williams, PODS 2004): these are good ones.  A
 * start from the hierarchies downwards is improved by exchanging rows between near groups.  Nothing
 * is drawn at random and nothing depends on time or threads: the same input gives the same groups.
 */
#ifndef LETHE_METHOD_TABLE_LOCAL_LOCAL_GROUPS_H
#define LETHE_METHOD_TABLE_LOCAL_LOCAL_GROUPS_H
#include "method/table/tuples.h"

/* How a quasi-identifier is generalized and what that costs. */
typedef struct lethe_local_column {
    const lethe_tree *tree;
    const uint64_t *weight; /* by node: its loss, scaled, times the weight of the column; no
                               ancestor's is less than its descendant's, a leaf's is 0 */
    const uint64_t *at;     /* not NULL: the column is published as ranges of values; by node: the
                               place of a leaf, not falling with the node's number.  A range from
                               leaf a to leaf b costs at[b] - at[a], scaled likewise; `weight` is
                               not read then */
} lethe_local_column;

typedef struct lethe_local_demand {
    const lethe_group_demand *group; /* each group is valid by lethe_group_price_of with it; the
                                        suppression is NONE, the union of valid groups is valid */
    bool rows_only;          /* only `k` of it is asked: sensitive values are not looked at */
    uint64_t max_deleted;    /* so many rows may be deleted */
    uint64_t deletion_price; /* what a deleted row costs, scaled: the sum of the roots' weights */
    /* k-map, by tuple: rows of the population with its quasi-identifiers, which count once for a
     * group however many of its tuples have them.  More may fall under what a group publishes: it
     * is valid all the more.  NULL: none is asked for. */
    const uint32_t *population;
    uint64_t population_all; /* rows that fall under what all rows publish as one group */
    size_t block_items;      /* rows, or bundles of equal ones, that are searched together at most;
                                0: tens of thousands */
} lethe_local_demand;

/* So many of the rows of a tuple. */
typedef struct lethe_local_member {
    uint32_t tuple, rows; /* rows >= 1 */
} lethe_local_member;

/* Every row of the table is in one group or deleted.  Equal rows may be in several groups.  No two
 * groups are published alike, and they stand in the order of what they publish (low, then high, by
 * columns); members in the order of their tuples, none twice. */
typedef struct lethe_local_groups {
    size_t n;
    size_t *start; /* n + 1: where a group's members begin */
    lethe_local_member *member;
    uint32_t *low;  /* [group * n_qi + column]: the published node; of ranges the lowest leaf */
    uint32_t *high; /* the same node; of ranges the highest leaf */
    lethe_local_member *deleted;
    size_t n_deleted;
    uint64_t deleted_rows;
    uint64_t loss; /* of all rows, scaled: groups, and deleted rows at their price */
} lethe_local_groups;

/* Forms groups of the tuples; `column` by quasi-identifier.  The result lives in `a`.
 * LETHE_ANSWER_NO, without a message: not even all rows as one group are valid.  At most about
 * 400 bytes of memory per distinct row meanwhile.  Work is bounded by the numbers of rows and
 * columns and by k, and grows almost linearly with the distinct rows. */
LETHE_MUST_CHECK lethe_err lethe_local_group(lethe_ctx *ctx, const lethe_tuples *t,
                                             const lethe_local_column *column,
                                             const lethe_local_demand *d, lethe_arena *a,
                                             lethe_local_groups *out);
/* Besides that: for each thread that searches a part, the rows under each node or range of the
 * columns, which have so many values together; about so many bytes at most. */
uint64_t lethe_local_sets_bytes(uint64_t n_values, uint64_t n_rows, unsigned n_threads);

#endif
