/* SPDX-License-Identifier: Apache-2.0 */
/* any_table.h - a CSV file that somebody else made: all of its columns, values as they stand.
 *
 * Unlike a table that a method reads (table.h), it has no roles and no hierarchies; unlike the
 * table of a release (model/published/published_table.h), its rows are in any order.  Its columns
 * have the form of a release's, so that the same checkers can judge it. */
#ifndef LETHE_MODEL_TABLE_ANY_TABLE_H
#define LETHE_MODEL_TABLE_ANY_TABLE_H
#include "core/need.h"
#include "model/reading.h"
#include "model/published/published_table.h"

typedef struct lethe_any_table {
    lethe_published_table table; /* values in order of first appearance */
    lethe_dict *header;          /* names of the columns, in their order */
    const uint64_t *line;        /* by row: the line of its file where it begins, from 1 */
    char delimiter;              /* of the first file */
    uint64_t read;               /* rows, header aside; a row whose quotes are wrong counts for all
                                    of its lines */
    uint64_t rejected;           /* of these */
    uint64_t invalid_utf8;       /* rows, not rejected, with bytes that are not UTF-8 */
} lethe_any_table;

/* Files of CSV with a header, read one after the other (the headers must be the same); "-":
 * standard input, once.  Separator: reading->delimiter, or (0) guessed from the header; quotes as
 * in RFC 4180; spaces around a field are not part of it; an empty field is LETHE_MISSING; a column
 * without a name is called "column 3" after its place.  Anything else is a value as it stands: line
 * ends and tabs in quotes, bytes that are not UTF-8, `*`, `30-39`.  CRLF, a missing last LF, a byte
 * order mark and compression are fine; blank lines are skipped.
 *
 * Rejected, counted and named: another number of fields than the header, an open quote or text
 * after a closing one, a quote behind a space at the beginning of a field, a NUL byte, a row over 1
 * MiB. LETHE_EINPUT: the first of them with `strict`; more than a tenth of all rows; no header; a
 * header with a name twice, one that is not UTF-8 or holds a control character, or over
 * LETHE_TABLE_COLUMNS_MAX columns; another header than the first file's; no row.
 * LETHE_EUSAGE: a delimiter that is a quote or a line end; standard input twice.  More than 2^32 -
 * 2 rows: LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_any_table_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                                                const lethe_read_options *reading,
                                                lethe_any_table **out);
LETHE_MUST_CHECK lethe_err lethe_any_table_memory(lethe_ctx *ctx, lethe_str bytes, char delimiter,
                                                  bool strict, lethe_any_table **out);
void lethe_any_table_free(lethe_any_table *t);               /* NULL is fine */
lethe_sizes lethe_any_table_sizes(const lethe_any_table *t); /* how much there is of it */

/* The columns of a list, as lethe_names_parse reads it, by number; in `a`.  `option` names the list
 * in messages.  LETHE_EUSAGE: what that refuses; LETHE_EINPUT: a column that is not there. */
LETHE_MUST_CHECK lethe_err lethe_any_table_columns(lethe_diag *d, lethe_arena *a,
                                                   const lethe_any_table *t, const char *option,
                                                   const char *names, uint32_t **out, size_t *n);
/* One column by its name.  LETHE_EINPUT: `file`, whose table it is, has no such column. */
LETHE_MUST_CHECK lethe_err lethe_any_table_column(lethe_diag *d, lethe_arena *a,
                                                  const lethe_any_table *t, const char *file,
                                                  lethe_str name, uint32_t *out);

#endif
