/* SPDX-License-Identifier: Apache-2.0 */
/* class_tree.h - a small learner of decision trees, after C4.5.
 * J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapters 2 to 4.
 *
 * A node asks for one feature: an unordered one has a branch for each value, an ordered one two, at
 * a threshold.  Of the features whose gain is at least the average one, that with the greatest gain
 * ratio is asked for; at least two branches get two rows or more (of a threshold: a tenth of the
 * rows over the number of classes, from 2 to 25, as C4.5 has it), and a threshold's gain is less by
 * log2(thresholds) / rows (Quinlan 1996).  Then a subtree becomes a leaf where that is expected to
 * err no more, by the upper bound of each leaf's rate of errors at a confidence of 0.25.  A value
 * that is missing is a value; branches are not grafted; there are no weights.
 *
 * Which tree is grown depends on the rows as a set alone: not on their order, nor on threads. */
#ifndef LETHE_MEASURE_CLASS_TREE_H
#define LETHE_MEASURE_CLASS_TREE_H
#include "core/ctx.h"
#include "core/dict.h"

typedef struct lethe_feature {
    const uint32_t *value; /* by row: a number below n_values */
    uint32_t n_values;
    bool ordered; /* numbers stand in the order of what they stand for, and apart as that does */
} lethe_feature;

typedef struct lethe_class_rows {
    size_t n; /* rows, fewer than 2^32 - 1 */
    size_t n_features;
    const lethe_feature *feature;
    const uint32_t *class; /* by row: a number below n_classes; NULL: not known, to classify only */
    uint32_t n_classes;    /* at least 1 */
} lethe_class_rows;

typedef struct lethe_class_tree lethe_class_tree;

/* Learns from the `n` rows listed, at least one; the list is not changed.  LETHE_ENOMEM,
 * LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_class_tree_grow(lethe_ctx *ctx, const lethe_class_rows *e,
                                                 const uint32_t *row, size_t n,
                                                 lethe_class_tree **out);
void lethe_class_tree_free(lethe_class_tree *t); /* NULL is fine */

/* The class of a row of data with the same features; what the tree has never seen gets the
 * commonest class of the rows that came so far; of equals, the smallest number. */
uint32_t lethe_class_tree_of(const lethe_class_tree *t, const lethe_class_rows *e, size_t row);
size_t lethe_class_tree_leaves(const lethe_class_tree *t); /* after pruning */

/* Errors to expect of a leaf with n rows, e of them wrong: n times the upper bound. */
double lethe_class_tree_errors(double n, double e);

#endif
