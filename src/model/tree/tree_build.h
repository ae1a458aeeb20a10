/* SPDX-License-Identifier: Apache-2.0 */
/* tree_internal.h - what the parts of a tree's making share. */
#ifndef LETHE_MODEL_TREE_TREE_BUILD_H
#define LETHE_MODEL_TREE_TREE_BUILD_H
#include "model/tree/tree.h"

/* A tree's arrays while they are written. */
typedef struct lethe_tree_rows {
    uint32_t *parent, *end, *leaves, *level, *path, *heads, *name, *node;
    uint32_t *pairs; /* room for two numbers a node, until lethe_tree_finish: over other arrays */
} lethe_tree_rows;

/* A tree of `n` nodes, its arrays not yet written, without names; NULL: no memory. */
lethe_tree *lethe_tree_new(uint32_t n, lethe_tree_rows *rows);
/* Writes everything else, once `parent` (by preorder numbers) and `name` are.  O(n). */
void lethe_tree_finish(lethe_tree *t, const lethe_tree_rows *rows);

/* Readers say which column they are at, for the messages of lethe_tree_edge. */
void lethe_tree_builder_column(lethe_tree_builder *b, uint32_t column);
/* The number of a name, by which edges can be given without looking it up again. */
LETHE_MUST_CHECK lethe_err lethe_tree_builder_name(lethe_tree_builder *b, lethe_str name,
                                                   uint64_t line, uint32_t *out);
LETHE_MUST_CHECK lethe_err lethe_tree_builder_edge(lethe_tree_builder *b, uint32_t child,
                                                   uint32_t parent, uint64_t line);
/* Says what is wrong with `line`, and makes the builder fail from now on. */
lethe_err lethe_tree_builder_fail(lethe_tree_builder *b, uint64_t line, uint32_t column,
                                  lethe_str content, const char *text);

#endif
