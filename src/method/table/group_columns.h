/* SPDX-License-Identifier: Apache-2.0 */
/* group_columns.h - what is asked of the sensitive values of a group beyond a threshold and a
 * number of different ones: entropy l-diversity and recursive (c,l)-diversity (A. Machanavajjhala,
 * D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", TKDD
 * 2007), t-closeness (N. Li, T. Li and S. Venkatasubramanian, "t-Closeness: Privacy Beyond
 * k-Anonymity and l-Diversity", ICDE 2007), and all of it for several sensitive columns.
 *
 * Every one of these is kept by mixtures: where the parts of a group keep it, so does the group.
 * Entropy is concave and the distances are convex; the largest count is subadditive, and the sum of
 * all but the l - 1 largest is superadditive.  So a group that does not keep it has a part that
 * does not, however it is split: the search relies on that. */
#ifndef LETHE_METHOD_TABLE_GROUP_COLUMNS_H
#define LETHE_METHOD_TABLE_GROUP_COLUMNS_H
#include "model/table/distances.h"
#include "model/table/theta.h"

/* t-closeness: how far a group may be from the table.  A value has a place: with `ordered` in the
 * order of numbers, with `hierarchical` a node of a tree whose nodes stand behind their parents. */
typedef struct lethe_group_closeness {
    lethe_theta t;
    lethe_value_distance distance;
    uint64_t rows;          /* of the table */
    uint32_t n;             /* places */
    const uint32_t *place;  /* by value of the column; NULL: itself */
    const uint32_t *with;   /* by place: rows of the table, at inner nodes those below */
    const uint32_t *parent; /* hierarchical: by node but the first */
    const uint32_t *climb;  /* hierarchical: by node, the parent's height less its own */
    uint32_t height;        /* hierarchical: of the first node */
} lethe_group_closeness;

/* What is asked of one sensitive column; zeros ask nothing.  `of`: its value by the value that rows
 * are counted by, which is a combination of several columns' values; NULL: there is but one column,
 * and its theta and `distinct` are those of the demand. */
typedef struct lethe_group_column {
    const uint32_t *of;
    uint32_t n; /* values */
    lethe_theta theta;
    uint32_t distinct;
    lethe_theta entropy; /* entropy is at least the logarithm of it */
    lethe_theta c;       /* the most frequent value has fewer rows than c times those .. */
    uint32_t l;          /* .. of the l-th most frequent and all after it */
    const lethe_group_closeness *close;
} lethe_group_column;

/* The values of a column in a group, each with its rows, at least 1 each. */
typedef struct lethe_column_counts {
    uint32_t n_values;
    uint64_t n; /* rows */
    const uint32_t *value;
    uint32_t *with;  /* its order is lost */
    uint32_t *zeros; /* room: a number for each value and place of the column, all 0 between uses */
} lethe_column_counts;

/* Do the counts keep all that is asked of the column?  Exact, but for entropy: there what differs
 * from the bound by less than rounding errors do, and is not equal to it, does not keep it. */
bool lethe_group_column_keeps(const lethe_group_column *c, lethe_column_counts *counts);
/* So many different values at least has whatever keeps it. */
uint32_t lethe_group_column_values(const lethe_group_column *c);

/* Each by itself. */
bool lethe_entropy_keeps(lethe_theta l, const uint32_t *with, uint32_t n_values, uint64_t n);
bool lethe_recursive_keeps(lethe_theta c, uint32_t l, uint32_t *with, uint32_t n_values,
                           uint64_t n);
bool lethe_closeness_keeps(const lethe_group_closeness *c, const lethe_column_counts *counts);

#endif
