/* SPDX-License-Identifier: Apache-2.0 */
/* edges.h - terms and how far apart they are: the file that --metric names.
 *
 * A text file: `term TAB term TAB weight` a line, in either direction; the distance of two terms is
 * the length of the shortest path between them.  Weights are decimals from 0 to 4294.967294 with at
 * most six digits after the point, and kept as whole millionths. */
#ifndef LETHE_MODEL_TREE_EDGES_H
#define LETHE_MODEL_TREE_EDGES_H
#include "core/ctx.h"
#include "core/dict.h"
#include "model/tree/tree.h"

enum { LETHE_EDGE_UNIT = 1000000 }; /* a weight of 1 */

typedef struct lethe_edge {
    uint32_t a, b;   /* terms, a < b */
    uint32_t weight; /* in millionths */
} lethe_edge;

typedef struct lethe_edges {
    lethe_dict *names; /* of terms, numbered in order of first appearance */
    lethe_edge *at;    /* ascending by a, then b; no two alike */
    size_t n;
} lethe_edges;

/* `path` as lethe_source_open() takes it.  Names are taken as those of a taxonomy are (tree.h).
 * Lines may end in CRLF, and the last one without; a byte order mark and empty lines are skipped.
 * A pair that comes again with the same weight, and a term at distance 0 from itself, are ignored.
 * Everything else is LETHE_EINPUT with file, line, column (the field's number; 0: the whole line)
 * and cause: another number of columns, an empty name, bytes that are not UTF-8, a NUL or CR in a
 * name; a weight that is missing, negative, not a number, too large or too fine; a term at a
 * distance from itself; a pair again with another weight; no edge at all. */
LETHE_MUST_CHECK lethe_err lethe_edges_read(lethe_ctx *ctx, const char *path, lethe_naming naming,
                                            lethe_edges **out);
/* From memory, for tests and fuzzing. */
LETHE_MUST_CHECK lethe_err lethe_edges_memory(lethe_ctx *ctx, lethe_str bytes, lethe_naming naming,
                                              lethe_edges **out);
void lethe_edges_free(lethe_edges *e); /* NULL is fine */

/* A decimal as whole millionths, by the rules above: for --epsilon and --omega beside such a file.
 * NULL: done; else what is wrong with it, and *out is untouched. */
const char *lethe_edge_weight(lethe_str text, uint32_t *out);

#endif
