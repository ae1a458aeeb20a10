/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h - a taxonomy: items, and what they can be generalized to.
 *
 * Nodes are numbered in preorder, the root being 0, children in the order of their source.  So the
 * subtree of v is v .. end[v] - 1, an ancestor test is two comparisons, and items sorted by number
 * are sorted by subtree.  A tree does not change once it is built. */
#ifndef LETHE_MODEL_TREE_TREE_H
#define LETHE_MODEL_TREE_TREE_H
#include "core/ctx.h"
#include "core/dict.h"

typedef struct lethe_tree {
    uint32_t n;             /* nodes, at least 1 */
    uint32_t height;        /* the greatest level */
    const uint32_t *parent; /* LETHE_NONE for the root */
    const uint32_t *end;    /* one past the last node of the subtree */
    const uint32_t *leaves; /* leaves in the subtree; a leaf's own is 1 */
    const uint32_t *level;  /* edges to the root */
    const uint32_t *path;   /* for lethe_tree_lca: the paths from the root to a node, as bits; */
    const uint32_t *heads;  /* and where each path begins, n + 1 of them: see tree.c */
    const uint32_t *name;   /* number of the node's name in `names` */
    lethe_dict *names;      /* every name in it is a node's */
    const uint32_t *node;   /* the node of a name's number */
} lethe_tree;

/* All below that take a const tree: safe from several threads, no allocation. */

void lethe_tree_free(lethe_tree *t); /* NULL is fine */

static inline bool lethe_tree_is_leaf(const lethe_tree *t, uint32_t v)
{
    return t->end[v] == v + 1;
}
/* Is `a` an ancestor of `v`, or v itself? */
static inline bool lethe_tree_covers(const lethe_tree *t, uint32_t a, uint32_t v)
{
    return a <= v && v < t->end[a];
}
/* for (c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c]) visits the children of v. */
static inline uint32_t lethe_tree_first(const lethe_tree *t, uint32_t v)
{
    (void)t;
    return v + 1;
}
/* LM of v is lm / scale: (leaves under v - 1) / (all leaves - 1). Milani Fard and Wang 2010,
 * section II.B.  Kept apart as whole numbers, so that nothing is decided in floating point.  A tree
 * of one leaf has scale 0, and nothing in it can be generalized. */
static inline uint32_t lethe_tree_lm(const lethe_tree *t, uint32_t v) { return t->leaves[v] - 1; }
static inline uint32_t lethe_tree_scale(const lethe_tree *t) { return t->leaves[0] - 1; }

/* All that it holds, in bytes: some 36 a node, and its names. */
size_t lethe_tree_bytes(const lethe_tree *t);

/* The lowest common ancestor, in constant time and linear memory. */
uint32_t lethe_tree_lca(const lethe_tree *t, uint32_t u, uint32_t v);
uint32_t lethe_tree_distance(const lethe_tree *t, uint32_t u, uint32_t v); /* edges between them */

lethe_str lethe_tree_name(const lethe_tree *t, uint32_t v);    /* lives as long as the tree */
uint32_t lethe_tree_find(const lethe_tree *t, lethe_str name); /* LETHE_NONE: no such node */

/* The BLAKE2b of the whole tree, in hexadecimal digits: of a line `child TAB parent TAB leaves LF`
 * for each node, the parent of the root being empty, in the order of the names' bytes.  So it does
 * not depend on the order of siblings.  Reports LETHE_ENOMEM. */
enum { LETHE_TREE_DIGEST = 65 };
LETHE_MUST_CHECK lethe_err lethe_tree_digest(lethe_diag *d, const lethe_tree *t,
                                             char hex[LETHE_TREE_DIGEST]);

/* --- building --- */

typedef struct lethe_tree_builder lethe_tree_builder;

/* `file` is for messages (NULL: none is named); copied. */
LETHE_MUST_CHECK lethe_err lethe_tree_builder_new(lethe_diag *d, const char *file,
                                                  lethe_tree_builder **out);
void lethe_tree_builder_free(lethe_tree_builder *b); /* NULL is fine */
/* `child` is below `parent`, as line `line` says.  Siblings stand in the order of their edges.  A
 * repeated edge is ignored.  LETHE_EINPUT, with the line: the child has another parent already, or
 * is its own.  Empty names: LETHE_EINPUT.  After a failure every later call fails in the same way.
 */
LETHE_MUST_CHECK lethe_err lethe_tree_edge(lethe_tree_builder *b, lethe_str child, lethe_str parent,
                                           uint64_t line);
/* A name that may stay without an edge: a tree of one node. */
LETHE_MUST_CHECK lethe_err lethe_tree_node(lethe_tree_builder *b, lethe_str name, uint64_t line);
/* The tree; the builder is used up (freed), in any case.  LETHE_EINPUT: no node at all; and with a
 * line, a cycle (the line of its edge that came last; of several cycles the one that was closed
 * first), else two roots (the line where the second in order of appearance is first named; a line's
 * child appears before its parent).  No recursion: depth is bounded by memory only.  O(n). */
LETHE_MUST_CHECK lethe_err lethe_tree_build(lethe_tree_builder *b, lethe_tree **out);
/* As above but from numbers, for large trees that are known to be good: parent[i] < n or LETHE_NONE
 * for the one root, names[i] distinct and not empty; children in order of their numbers.  The name
 * of node `tree->node[i]` is names[i].  What is not so is an LETHE_EINPUT all the same. */
LETHE_MUST_CHECK lethe_err lethe_tree_from(lethe_diag *d, uint32_t n, const uint32_t *parent,
                                           const lethe_str *names, lethe_tree **out);

/* The same tree with a leaf `=NAME` below each of the `n` inner nodes, ascending, before its other
 * children: for items that name an inner node.  A name that is taken gets one more `=`.  So node v
 * becomes v + the number of `inner` before it, and the new leaf of inner[i] is inner[i] + i + 1. No
 * `inner`: a copy. */
LETHE_MUST_CHECK lethe_err lethe_tree_grow(lethe_diag *d, const lethe_tree *t,
                                           const uint32_t *inner, size_t n, lethe_tree **out);

/* --- reading --- */

/* How names are taken: as they are; with spaces written _, as items of records are; or normalised
 * before that, as the terms of a log are.  Names that become equal are one. */
typedef enum lethe_naming { LETHE_NAMES_RAW, LETHE_NAMES_ITEMS, LETHE_NAMES_TERMS } lethe_naming;
/* The name of a valid field: a view of it, or of one of the two buffers until the next call.  Does
 * not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_naming_apply(lethe_naming naming, lethe_str field,
                                              lethe_buf both[2], lethe_str *out);

/* A file of `child TAB parent` lines, or an ARX hierarchy (`leaf;parent;...;root` lines, the same
 * label in a row being one node; a label in quotes as in CSV; rows of any length, but one root);
 * which of them, its first line tells: with a TAB, the former.  CRLF, a missing last LF, a byte
 * order mark, compression: all fine.  A third column (`leaves`, as taxonomy.tsv has it) is ignored
 * and not believed; where there is one, the first line may have an empty parent, and is then the
 * root's.  Empty lines are skipped.  Everything else is LETHE_EINPUT with file, line,
 * column (the field's number) and cause: a line over LETHE_LINE_MAX, bytes that are not UTF-8 (to
 * repair them could make two names one), a TAB, CR, LF or NUL in a name, an empty name, another
 * number of columns, and what lethe_tree_edge and lethe_tree_build refuse. */
LETHE_MUST_CHECK lethe_err lethe_tree_read(lethe_ctx *ctx, const char *path, lethe_naming naming,
                                           lethe_tree **out);
LETHE_MUST_CHECK lethe_err lethe_tree_memory(lethe_ctx *ctx, lethe_str bytes, lethe_naming naming,
                                             lethe_tree **out);

#endif
