/* SPDX-License-Identifier: Apache-2.0 */
/* forest.h - the categories of a directory while it is read: each is a name below another category,
 * or at the top. */
#ifndef LETHE_MODEL_TREE_FOREST_H
#define LETHE_MODEL_TREE_FOREST_H
#include "core/dict.h"

/* The most levels of a path. */
#define LETHE_PATH_LEVELS_MAX 10000

typedef struct lethe_forest lethe_forest;

lethe_forest *lethe_forest_new(void); /* NULL: no memory */
void lethe_forest_free(lethe_forest *f);

/* The category called `name` below `parent` (LETHE_NONE: at the top), added if it is new.
 * Categories are numbered in the order of first calls, so parents come before their children.
 * Memory is linear in the names, however deep the paths. */
LETHE_MUST_CHECK lethe_err lethe_forest_add(lethe_forest *f, uint32_t parent, lethe_str name,
                                            uint32_t *out);
uint32_t lethe_forest_count(const lethe_forest *f);
uint32_t lethe_forest_parent(const lethe_forest *f, uint32_t category); /* or LETHE_NONE */
lethe_str lethe_forest_name(const lethe_forest *f, uint32_t category);  /* lives as long as f */

#endif
