/* SPDX-License-Identifier: Apache-2.0 */
/* builder.h - columns of text, whole numbers and lists of text as Arrow arrays. */
#ifndef LETHE_IO_ARROW_BUILDER_H
#define LETHE_IO_ARROW_BUILDER_H
#include "core/mem.h"
#include "lethe/arrow.h"

typedef enum lethe_built_kind {
    LETHE_BUILT_TEXT,
    LETHE_BUILT_INT,
    LETHE_BUILT_LIST
} lethe_built_kind;

/* A column that grows, value by value; zeroed but for `kind` at first.  Of a list the texts are its
 * items, and `ends` says how many of them there are after each list. */
typedef struct lethe_built_column {
    lethe_built_kind kind;
    int64_t n, n_null;
    lethe_buf valid; /* a bit for each value, set where it is not null */
    lethe_buf bytes; /* of the texts, or the numbers */
    lethe_buf offsets;
    lethe_buf ends;
    int64_t n_items;
} lethe_built_column;

/* Each adds a value; LETHE_ENOMEM where there is no room: the column is then of no use any more. */
LETHE_MUST_CHECK lethe_err lethe_built_null(lethe_built_column *c);
LETHE_MUST_CHECK lethe_err lethe_built_text(lethe_built_column *c, lethe_str text);
LETHE_MUST_CHECK lethe_err lethe_built_int(lethe_built_column *c, int64_t v);
/* Items first, then the list that they are. */
LETHE_MUST_CHECK lethe_err lethe_built_item(lethe_built_column *c, lethe_str text);
LETHE_MUST_CHECK lethe_err lethe_built_list(lethe_built_column *c);
LETHE_MUST_CHECK lethe_err lethe_built_null_list(lethe_built_column *c); /* no items before it */
void lethe_built_free(lethe_built_column *c);

/* A struct array of `n_rows` whose children take over what the columns hold; these are then as new.
 * LETHE_ENOMEM: they still hold it. */
LETHE_MUST_CHECK lethe_err lethe_built_batch(lethe_built_column *columns, size_t n, int64_t n_rows,
                                             struct ArrowArray *out);
/* The schema of such arrays. */
LETHE_MUST_CHECK lethe_err lethe_built_schema(const lethe_built_column *columns,
                                              const lethe_str *names, size_t n,
                                              struct ArrowSchema *out);

#endif
