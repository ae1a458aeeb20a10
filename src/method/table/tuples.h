/* SPDX-License-Identifier: Apache-2.0 */
/* tuples.h - a table as its distinct rows: quasi-identifiers' leaves, sensitive value, class, and
 * how often.  Costs see counts only, so nothing else is kept.  Where there are several sensitive
 * columns, the sensitive value is the combination of theirs. */
#ifndef LETHE_METHOD_TABLE_TUPLES_H
#define LETHE_METHOD_TABLE_TUPLES_H
#include "method/table/group_price.h"
#include "model/table/table.h"

typedef struct lethe_tuples {
    size_t n;
    size_t n_qi;
    const lethe_tree *const *tree; /* by quasi-identifier; the table's */
    const uint32_t *const *leaf;   /* leaf[a][i]: of tuple i */
    const uint32_t *sa;            /* 0 where there is no sensitive column */
    const uint32_t *const *part;   /* part[column][value]: of several columns, what a combination
                                      has in each; NULL: there is one at most */
    const uint32_t *class;         /* 0 unless asked for */
    const uint32_t *count;         /* 0: of the population alone */
    const uint32_t *population;    /* by tuple; NULL: there is none */
    const uint32_t *of_row;        /* by row of the table: its tuple */
    uint64_t rows;
    uint32_t n_sa, n_class; /* at least 1 each */
    lethe_arena *arena;
} lethe_tuples;

/* The population that the table's persons are of: leaves of the table's trees. */
typedef struct lethe_population {
    size_t n;                    /* rows */
    const uint32_t *const *leaf; /* by quasi-identifier */
} lethe_population;

/* In order of leaves, sensitive value, class.  Classes are renumbered in the order of their names'
 * bytes, since the smallest of equals is chosen.  Rows of the population are counted with the first
 * sensitive value and class, in tuples of their own where no row of the table has these. */
LETHE_MUST_CHECK lethe_err lethe_tuples_of(lethe_ctx *ctx, const lethe_table *t, bool classes,
                                           lethe_tuples **out);
LETHE_MUST_CHECK lethe_err lethe_tuples_beside(lethe_ctx *ctx, const lethe_table *t,
                                               const lethe_population *beside, bool classes,
                                               lethe_tuples **out);
void lethe_tuples_free(lethe_tuples *t); /* NULL is fine */

/* A cut: for each quasi-identifier nodes that cover every leaf once, ascending. */
typedef struct lethe_table_cut {
    uint32_t *node;
    size_t *start; /* n_qi + 1 */
} lethe_table_cut;
/* -1, 0, 1: by quasi-identifiers in turn, the nodes as a list in lexicographic order; so of two
 * cuts the more general one comes first. */
int lethe_table_cut_compare(const lethe_table_cut *a, const lethe_table_cut *b, size_t n_qi);
/* How many cuts a tree has (a leaf has one), and all trees together; infinite where too many
 * for a double. */
double lethe_tuples_tree_cuts(const lethe_tree *t);
double lethe_tuples_cuts(const lethe_tuples *t);

/* LM as whole numbers: the least scale by which all are, or where that would be too large for sums
 * over `rows`, a scale at which they are rounded, ancestors never under descendants.
 * weight[a][node], in `a`; a tree of one leaf weighs nothing.  LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_tuples_weights(const lethe_tuples *t, lethe_arena *a,
                                                const uint64_t ***weight, uint64_t *scale);

/* What a deleted row costs, in rows at the roots: num / den, at least 1 and at most 100, where den
 * divides 1000. */
typedef struct lethe_deletion_weight {
    uint64_t num, den;
} lethe_deletion_weight;
/* In lowest terms.  false: it is no such number. */
bool lethe_deletion_weight_of(double rows, lethe_deletion_weight *out);
/* As lethe_tuples_weights, with a scale at which a deleted row costs a whole number: *deletion. */
LETHE_MUST_CHECK lethe_err lethe_tuples_weights_with(const lethe_tuples *t, lethe_arena *a,
                                                     lethe_deletion_weight w,
                                                     const uint64_t ***weight, uint64_t *scale,
                                                     uint64_t *deletion);

/* A cut, evaluated from scratch: the cost of a table published by it.  The search computes the same
 * step by step; this is for callers who look at few cuts.  `weight` may be NULL unless the cost is
 * LM.  Linear in tuples, sensitive values and nodes; several threads may do so at once. */
typedef struct lethe_table_cut_price {
    bool valid;
    uint64_t cost, deleted, starred; /* 0 where it is not valid */
    uint64_t groups;                 /* before anything is deleted */
} lethe_table_cut_price;
LETHE_MUST_CHECK lethe_err lethe_table_cut_evaluate(lethe_ctx *ctx, const lethe_tuples *t,
                                                    const lethe_group_demand *d,
                                                    const uint64_t *const *weight,
                                                    const lethe_table_cut *cut,
                                                    lethe_table_cut_price *out);
/* The same, group by group: `take` gets the tuples of a group, ascending, its price and how many
 * rows of each of its sensitive values go.  Groups come in the order of their first tuple, those
 * that are not valid too.  What `take` gets is gone when it returns; any return but LETHE_OK ends
 * the walk and is handed on. */
typedef lethe_err (*lethe_group_fn)(void *arg, const uint32_t *tuple, size_t n,
                                    const lethe_group_counts *group, const lethe_group_price *price,
                                    const uint32_t *cut);
LETHE_MUST_CHECK lethe_err lethe_table_cut_groups(lethe_ctx *ctx, const lethe_tuples *t,
                                                  const lethe_group_demand *d,
                                                  const uint64_t *const *weight,
                                                  const lethe_table_cut *cut, lethe_group_fn take,
                                                  void *arg);

#endif
