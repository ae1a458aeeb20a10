/* SPDX-License-Identifier: Apache-2.0 */
/* streams.h - Arrow streams, and bytes in memory, as inputs: while they are set in the messages'
 * lethe_diag, lethe_source_open() takes their names, "stream:0" and "memory:0", for paths.
 *
 * A stream reads as text that is made from its batches piece by piece as it is asked for.  What the
 * text is like depends on the types of its columns:
 *
 * - CSV, for readers of logs and tables: RFC 4180 with commas and LF; a header with the names of
 * the columns, then a line for each row.  A field is in quotes where it has a comma, a quote or a
 * line end; so is one that leaves a line blank.
 * - SETS where a column is a list, for readers of records: a line for each row, which is a record:
 *   its items with commas between them, and in quotes as above; before the first of them the value
 * of the one other column there may be, an ID, and a tab.  No header.  A tab inside an item or ID
 * is LETHE_EINPUT.
 *
 * Values: null and NaN are empty fields.  Text stands as it is, whatever bytes it has; binary data
 * must be valid UTF-8.  Whole numbers, decimals and floats are written in as few digits as read
 * back, a float that is a whole number without ".0" (a column of whole numbers with gaps often
 * comes as floats).  Times are YYYY-MM-DD HH:MM:SS, with a fraction only where it is not 0: those
 * without a zone as they are, those of a fixed offset in it, others as UTC, which a note says.
 * Dates are YYYY-MM-DD, times of day HH:MM:SS, booleans true and false.  What lies outside the
 * years 1 to 9999 is LETHE_EINPUT.
 *
 * Rows: messages about lines of a stream are turned into messages about its rows and columns, where
 * row 1 is the first; of the names of columns there is no row.  Where a million times a row took
 * another number of lines than the one before it, later messages name no row.
 *
 * Types: see type.h.  Arrays are not trusted: what is malformed is LETHE_EINPUT, as far as it can
 * be told, since nothing tells how long a buffer is. */
#ifndef LETHE_IO_ARROW_STREAMS_H
#define LETHE_IO_ARROW_STREAMS_H
#include "lethe/arrow.h"
#include "core/ctx.h"
typedef struct lethe_streams lethe_streams;

/* Makes them from `n` streams, which it takes over: they are moved from in[i], whose `release` is
 * then NULL, and released in lethe_streams_free() at the latest.  Nothing is read yet.  On failure
 * nothing is taken over.  LETHE_EUSAGE: a stream that is NULL or released. */
LETHE_MUST_CHECK lethe_err lethe_streams_new(lethe_ctx *ctx, struct ArrowArrayStream *const *in,
                                             size_t n, lethe_streams **out);
void lethe_streams_free(lethe_streams *s); /* NULL is fine; not while they are set */

/* "memory:i" is now these bytes, which are borrowed and read as if they were a file. */
LETHE_MUST_CHECK lethe_err lethe_streams_add_memory(lethe_streams *s, const void *bytes, size_t n,
                                                    size_t *index);

/* Before stream i is opened.  Its column of this name, of whole numbers from 1, says how often a
 * row is there, and is no column of the text.  LETHE_EINPUT when it is read: no such column, other
 * values, or more than 2^40 rows in all. */
LETHE_MUST_CHECK lethe_err lethe_streams_set_weight(lethe_streams *s, size_t i, const char *column);

typedef enum lethe_stream_form { LETHE_STREAM_CSV, LETHE_STREAM_SETS } lethe_stream_form;
/* SETS where a column is a list, otherwise CSV.  Reads the types of the columns: LETHE_EINPUT or
 * LETHE_EIO as in reading. */
LETHE_MUST_CHECK lethe_err lethe_streams_form(lethe_streams *s, size_t i, lethe_stream_form *out);

/* Their names mean these inputs from now on; NULL: do not any more.  Not while workers run. */
void lethe_streams_set(lethe_ctx *ctx, lethe_streams *s);

/* --- for lethe_source --- */

typedef struct lethe_stream_name {
    bool is_memory;
    size_t i;
    lethe_str memory;
} lethe_stream_name;
/* Is it the name of one of them?  `s` may be NULL. */
bool lethe_streams_find(const lethe_streams *s, const char *name, lethe_stream_name *out);
/* The row of stream i that a line of its text belongs to; 0: not known. */
uint64_t lethe_streams_row(const lethe_streams *s, size_t i, uint64_t line);

/* A stream being read; several may read the same one. */
typedef struct lethe_stream_reader lethe_stream_reader;
LETHE_MUST_CHECK lethe_err lethe_stream_open(lethe_streams *s, size_t i, lethe_stream_reader **out);
void lethe_stream_close(lethe_stream_reader *r); /* NULL is fine */
/* As lethe_source_read().  LETHE_EINPUT with file, row and column, or the name of the column: it
 * cannot be rendered, or is malformed; LETHE_EIO: the producer failed; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_stream_read(lethe_stream_reader *r, void *buf, size_t cap,
                                             size_t *n);

#endif
