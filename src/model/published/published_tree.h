/* SPDX-License-Identifier: Apache-2.0 */
/* published_tree.h - the taxonomy of a release, taxonomy.tsv: the published items and all above
 * them, so that readers can see what generalizes what, and how much was lost.
 *
 * Lines `child TAB parent TAB leaves`.  `leaves` counts the leaves of the whole taxonomy at or
 * below the child: it cannot be seen from the file, which lists published items only.  The root's
 * line is the first, with an empty parent; the others stand in the order of their bytes.  A name
 * holds no space, as no item does.  lethe_tree_read() takes such a file for a taxonomy too. */
#ifndef LETHE_MODEL_PUBLISHED_PUBLISHED_TREE_H
#define LETHE_MODEL_PUBLISHED_PUBLISHED_TREE_H
#include "core/mem.h"
#include "model/tree/tree.h"

#define LETHE_TAXONOMY_NAME "taxonomy.tsv"

typedef struct lethe_published_tree {
    lethe_tree *tree;       /* of the listed nodes; its own `leaves` are those that are listed */
    const uint32_t *leaves; /* by node: leaves of the whole taxonomy */
} lethe_published_tree;

/* Reads taxonomy.tsv in the folder, links not followed; *out is NULL where there is none.
 * LETHE_EINPUT, with line and column (the field, from 1; 0: the whole line): what a published file
 * may not hold (model/published_lines.h), other than three columns, an empty name or one with a
 * space, a name with two lines, lines out of order, a first line with a parent or a later one
 * without, what is no tree, leaves that are not a whole number from 1 on in its shortest form, or
 * fewer than those of the listed children together. */
LETHE_MUST_CHECK lethe_err lethe_published_tree_read(lethe_ctx *ctx, int dirfd,
                                                     lethe_published_tree **out);
LETHE_MUST_CHECK lethe_err lethe_published_tree_memory(lethe_ctx *ctx, lethe_str bytes,
                                                       lethe_published_tree **out);
/* LETHE_EINPUT where taxonomy.tsv in the folder lists a name that `t` lacks, or below one that is
 * not above it in `t`: then that is not the taxonomy that the release was made with, and by it its
 * items would mean something else.  With `exact` also where a parent is not the next above, the
 * root another, or leaves are not as many: for a `t` bound to the very records that were published,
 * since an item of theirs that is an inner node adds a leaf.  No such file: LETHE_OK. */
LETHE_MUST_CHECK lethe_err lethe_published_tree_match(lethe_ctx *ctx, int dirfd,
                                                      const lethe_tree *t, bool exact);
void lethe_published_tree_free(lethe_published_tree *t); /* NULL is fine */

/* The file for these published nodes, in any order and as often as they come, at the end of `to`;
 * with no node it holds the root alone.  LETHE_EINPUT: a name could not be read back. */
LETHE_MUST_CHECK lethe_err lethe_taxonomy_write(lethe_diag *d, const lethe_tree *t,
                                                const uint32_t *node, size_t n, lethe_buf *to);

#endif
