/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - which published value each value has: by column of a table, or of the items of sets.
 * The public part is lethe/batch.h; the file is that of lethe-cut(5).
 *
 *   #lethe-cut 1 table             or: sets
 *   COLUMN TAB KIND TAB VALUE TAB PUBLISHED
 *
 * KIND: `any`, with an empty value: every value of the column; `range`: numbers, a value as the
 * cells of a table with --ranges are called, `20-24` (whole numbers), `[20,25)` or `17`; `value`:
 * that text.  The lines of a column stand together, and in it in this order of kinds, ranges by
 * their numbers, which do not overlap, values by their bytes.  Sets have one column, `items`, and
 * values alone, none with a space. */
#ifndef LETHE_MODEL_CUT_CUT_H
#define LETHE_MODEL_CUT_CUT_H
#include "core/ctx.h"
#include "core/mem.h"
#include "lethe/batch.h"
#include "model/table/numbers.h"

#define LETHE_CUT_ITEMS "items" /* the column of sets */

typedef enum lethe_cut_kind { LETHE_CUT_ANY, LETHE_CUT_RANGE, LETHE_CUT_VALUE } lethe_cut_kind;

/* Makes a cut.  Columns are in the order of their first lines, lines in any order. */
typedef struct lethe_cut_builder lethe_cut_builder;
lethe_cut_builder *lethe_cut_builder_new(bool of_sets); /* NULL: no memory */
void lethe_cut_builder_free(lethe_cut_builder *b);      /* NULL is fine */
/* Texts are copied.  *fault = NULL, or what cannot be (static), and nothing is added. */
LETHE_MUST_CHECK lethe_err lethe_cut_add(lethe_cut_builder *b, lethe_str column,
                                         lethe_cut_kind kind, lethe_str value, lethe_str published,
                                         const char **fault);
/* The cut; the builder is used up, in any case.  *fault as above: two lines are for one value. */
LETHE_MUST_CHECK lethe_err lethe_cut_build(lethe_cut_builder *b, lethe_cut **out,
                                           const char **fault);

/* From memory, for tests and fuzzing. */
LETHE_MUST_CHECK lethe_err lethe_cut_memory(lethe_ctx *ctx, lethe_str bytes, lethe_cut **out);
/* The bytes of the file, at the end of `to`. */
LETHE_MUST_CHECK lethe_err lethe_cut_print(const lethe_cut *cut, lethe_buf *to);

/* What is published for a value of a column, a view that lives as long as the cut; `at` NULL: it is
 * suppressed.  The value is as a reader takes it: without spaces at its ends, `?` where missing. */
lethe_str lethe_cut_find(const lethe_cut *cut, size_t column, lethe_str value);

#endif
