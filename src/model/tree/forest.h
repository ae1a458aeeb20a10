/* forest.h - categories as they are met: each a name below another one, or at the top.  For who
 * builds a directory. */
#ifndef LETHE_MODEL_TREE_FOREST_H
#define LETHE_MODEL_TREE_FOREST_H
#include "core/dict.h"

/* More levels than this a path may not have. */
#define LETHE_PATH_LEVELS_MAX 10000

typedef struct lethe_forest lethe_forest;

lethe_forest *lethe_forest_new(void); /* NULL: no memory */
void lethe_forest_free(lethe_forest *f);

/* The category called `name` below `parent` (LETHE_NONE: at the top), a new one if it was not
 * there.  Numbers rise in the order of first calls, so that parents come before their children.
 * Memory is linear in the names, however deep the paths. */
LETHE_MUST_CHECK lethe_err lethe_forest_add(lethe_forest *f, uint32_t parent, lethe_str name,
                                            uint32_t *out);
uint32_t lethe_forest_count(const lethe_forest *f);
uint32_t lethe_forest_parent(const lethe_forest *f, uint32_t category); /* or LETHE_NONE */
lethe_str lethe_forest_name(const lethe_forest *f, uint32_t category);  /* lives as long as f */

/* The place of each category in order of paths, compared part by part in order of bytes: a category
 * comes before those below it, which come before its next sibling.  `out`: room for count numbers.
 */
LETHE_MUST_CHECK lethe_err lethe_forest_order(const lethe_forest *f, uint32_t *out);

#endif
