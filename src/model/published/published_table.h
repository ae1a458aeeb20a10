/* SPDX-License-Identifier: Apache-2.0 */
/* published_table.h - the table of a release, data.csv, and its hierarchies, taxonomy.tsv.
 *
 * data.csv: a header, then one row per line, `,` between fields, quoted only where a field holds a
 * comma, a quote or nothing at all in a table of one column; lines stand in the order of their
 * bytes, LF aside, the header first.  UTF-8, plain, LF, no NUL, CR or TAB, no field over several
 * lines, the number of fields of the header, at least one row; the header's names are not empty and
 * differ.  Anything else is LETHE_EINPUT with line and column (the byte, from 1; 0: the whole
 * line).
 *
 * taxonomy.tsv of a table: `COLUMN=child TAB COLUMN=parent TAB leaves`, the published values of
 * quasi-identifiers and all above them; a column's root has an empty parent and comes first of its
 * column, a parent before its children; columns in the order of --qi.
 *
 * sensitive.tsv, where a claim measures sensitive values by their hierarchy: the same for the
 * published values of these sensitive columns, in the order of the claims. */
#ifndef LETHE_MODEL_PUBLISHED_PUBLISHED_TABLE_H
#define LETHE_MODEL_PUBLISHED_PUBLISHED_TABLE_H
#include "core/ctx.h"
#include "core/dict.h"

#define LETHE_TABLE_NAME "data.csv"
#define LETHE_SENSITIVE_TREES_NAME "sensitive.tsv"
#define LETHE_TABLE_LINE_MAX ((size_t)64 << 20)
enum { LETHE_TABLE_COLUMNS_MAX = 1 << 16 };

typedef struct lethe_published_column {
    lethe_str name;
    lethe_dict *values;   /* in order of first appearance */
    const uint32_t *code; /* by row */
} lethe_published_column;

typedef struct lethe_published_table {
    size_t n; /* rows */
    size_t n_columns;
    lethe_published_column *column; /* in the order of the header */
    lethe_arena *arena;
} lethe_published_table;

/* From an open release folder, links not followed.  More than 2^32 - 2 rows: LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_published_table_read(lethe_ctx *ctx, int dirfd,
                                                      lethe_published_table **out);
LETHE_MUST_CHECK lethe_err lethe_published_table_memory(lethe_ctx *ctx, lethe_str bytes,
                                                        lethe_published_table **out);
void lethe_published_table_free(lethe_published_table *t); /* NULL is fine */
/* LETHE_NONE: there is no such column. */
uint32_t lethe_published_column_find(const lethe_published_table *t, lethe_str name);

/* A column's published hierarchy: nodes in the order of the file, a parent before its children. */
typedef struct lethe_published_hierarchy {
    lethe_str column;
    uint32_t n;             /* nodes; 0 is the root */
    const uint32_t *parent; /* LETHE_NONE for the root */
    const uint64_t *leaves; /* as the publisher says */
    /* May these be ranges of values?  Then the root is the range of all numbers (`age=17-90`) and
     * every other node a range inside it (`34-37`) or a number. */
    bool spans;
    bool crossing;     /* they are, since some have numbers in common */
    lethe_dict *names; /* node i has name number i */
} lethe_published_hierarchy;
typedef struct lethe_published_hierarchies {
    size_t n;
    lethe_published_hierarchy *at;
    lethe_arena *arena;
} lethe_published_hierarchies;
/* `column`: the quasi-identifiers, at least one, in their order: the file has just these.
 * LETHE_EIO: there is no such file.  LETHE_EINPUT with line and column (the byte, from 1; 0: the
 * whole line): what a published file may not hold (model/published_lines.h), other than three
 * columns, a line of another quasi-identifier than its turn is, an empty name, a name with two
 * lines, a parent without an earlier line, leaves that are not a whole number from 1 on in its
 * shortest form, or fewer than those of the listed children together.  (Ranges of values may have
 * more together, but each at most the root's; one number has one leaf, several numbers two or
 * more.)
 */
LETHE_MUST_CHECK lethe_err lethe_published_hierarchies_read(lethe_ctx *ctx, int dirfd,
                                                            const lethe_str *column, size_t n,
                                                            lethe_published_hierarchies **out);
LETHE_MUST_CHECK lethe_err lethe_published_hierarchies_memory(lethe_ctx *ctx, lethe_str bytes,
                                                              const lethe_str *column, size_t n,
                                                              lethe_published_hierarchies **out);
/* The same of sensitive.tsv and the sensitive columns in it. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_trees_read(lethe_ctx *ctx, int dirfd,
                                                      const lethe_str *column, size_t n,
                                                      lethe_published_hierarchies **out);
void lethe_published_hierarchies_free(lethe_published_hierarchies *h); /* NULL is fine */

#endif
