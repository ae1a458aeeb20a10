/* SPDX-License-Identifier: Apache-2.0 */
/* streams_internal.h - what taking streams over, reading their types and rendering their rows
 * share. */
#ifndef LETHE_IO_ARROW_STREAMS_INTERNAL_H
#define LETHE_IO_ARROW_STREAMS_INTERNAL_H
#include "io/arrow/streams.h"
#include "io/arrow/type.h"
#include <pthread.h>

enum { LETHE_STREAM_NAME_BYTES = 32, LETHE_STREAM_WHY_BYTES = 640 };
#define LETHE_STREAM_NO_COLUMN SIZE_MAX

typedef struct lethe_stream_column {
    lethe_str name;
    const lethe_arrow_type *type;
} lethe_stream_column;

/* Rows of so many lines each, from one row on. */
typedef struct lethe_stream_run {
    uint64_t line, row, n_lines;
} lethe_stream_run;

/* Where rows are in the text, as far as it has been made. */
typedef struct lethe_stream_places {
    pthread_mutex_t lock;
    uint64_t header_lines;
    lethe_stream_run *runs; /* lines and rows from 1 */
    size_t n, cap;
    bool lost; /* too many runs: what follows the last is not known */
} lethe_stream_places;

typedef struct lethe_stream {
    char name[LETHE_STREAM_NAME_BYTES];
    struct ArrowArrayStream in;
    const char *weight_name; /* NULL: a row is there once */
    /* Under the lock, which is held while the producer is called: */
    pthread_mutex_t lock;
    lethe_err failed; /* for good */
    char why[LETHE_STREAM_WHY_BYTES];
    bool typed, ended;
    struct ArrowArray **batches; /* kept until the end: a command may read its input again */
    size_t n_batches, cap_batches;
    /* Once it is typed nothing of these changes: */
    lethe_arena *a;
    lethe_stream_column *columns;
    size_t n_columns, weight, list,
        n_fields; /* NO_COLUMN: there is none; fields: columns of the text */
    lethe_stream_places places;
} lethe_stream;

struct lethe_streams {
    lethe_ctx *ctx;
    size_t n, n_memory;
    lethe_stream *at;
    lethe_str *memory;
};

/* Reads the types, once.  On failure the stream has failed, and `why` says why; nothing is said. */
LETHE_MUST_CHECK lethe_err lethe_stream_type(lethe_streams *all, lethe_stream *s);
/* Batch i, where all before it have been asked for; NULL at the end.  It lives as long as the
 * stream. */
LETHE_MUST_CHECK lethe_err lethe_stream_batch(lethe_streams *all, lethe_stream *s, size_t i,
                                              const struct ArrowArray **out);
/* Says why the stream has failed, and returns that. */
LETHE_MUST_CHECK lethe_err lethe_stream_say(lethe_streams *all, const lethe_stream *s);

/* --- stream_schema.c --- */

/* Settles columns, weight and list from the schema of a batch.  LETHE_EINPUT and LETHE_ENOMEM, with
 * the cause in `why`. */
LETHE_MUST_CHECK lethe_err lethe_stream_columns(lethe_stream *s, const struct ArrowSchema *schema);
/* The same for a batch. */
LETHE_MUST_CHECK lethe_err lethe_stream_batch_check(lethe_stream *s, const struct ArrowArray *a);
LETHE_PRINTF(3, 4)
lethe_err lethe_stream_fail(lethe_stream *s, lethe_err e, const char *fmt, ...);

/* --- stream_places.c --- */

lethe_err lethe_stream_places_init(lethe_stream_places *p);
void lethe_stream_places_free(lethe_stream_places *p);
void lethe_stream_places_header(lethe_stream_places *p, uint64_t n_lines);
/* From this row and line on each row takes `n_lines`.  What was said before is not said again. */
void lethe_stream_places_put(lethe_stream_places *p, lethe_stream_run run);
/* The row of a line, from 1; 0: of none, or not known. */
uint64_t lethe_stream_places_row(lethe_stream_places *p, uint64_t line);

#endif
