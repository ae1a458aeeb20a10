/* SPDX-License-Identifier: Apache-2.0 */
/* csv_rows.h - the rows of CSV files that have one header: what the readers of tables
 * (table_read.c, any_table.c) have in common.  A reader gets the fields of the header, and then of
 * each row that is well formed; what is not is rejected and counted here. */
#ifndef LETHE_MODEL_TABLE_CSV_ROWS_H
#define LETHE_MODEL_TABLE_CSV_ROWS_H
#include "core/need.h"
#include "model/log/rejects.h"
#include "model/reading.h"

typedef struct lethe_csv_rows {
    /* set by the reader */
    lethe_ctx *ctx;
    lethe_diag *diag;
    char
        wanted; /* the separator; 0: guessed from the header of each file, a comma if it has none */
    bool strict;            /* the first rejected row is an error */
    const char *encoding;   /* as iconv names it; NULL: guessed.  What it does not have becomes
                               U+FFFD; with `strict` that is an error too */
    const char *null_texts; /* as lethe_read_options has them; NULL: none */
    void *reader;
    /* The first row of each file, `n` names in `fields`. */
    lethe_err (*header)(void *reader, uint32_t n);
    /* A row, as many fields as the header has.  Either it is taken, and then counted in `read` by
     * the reader, or rejected. */
    lethe_err (*row)(void *reader, lethe_str record);
    lethe_sizes (*so_far)(const void *reader); /* what it holds now; NULL: rows are not kept */
    lethe_err (*file_end)(void *reader); /* after the last row of a file; NULL: nothing to do */
    /* for the reader */
    lethe_str *fields;
    const char *name;        /* of the file at hand */
    char delimiter;          /* likewise */
    uint64_t line;           /* of the row at hand */
    uint64_t read, rejected; /* rows, the header aside; one whose quotes are wrong, or that is too
                                long, counts for all of its lines: it may have taken others in */
    uint64_t invalid_utf8;   /* rows of the file at hand with bytes that are not UTF-8; the reader
                                counts them */
    /* private */
    uint64_t taken, bytes; /* of all files, as they are stored; 0: not known */
    uint32_t n_fields, n_columns;
    lethe_buf scratch;
    bool has_header;
    lethe_rejects rejects;
    bool row_failed; /* strict: the failure is a rejected row */
} lethe_csv_rows;

/* "-": standard input, once.  LETHE_EINPUT, reported: a header over 1 MiB or with wrong quotes, no
 * header at all, a rejected row if `strict`; LETHE_EUSAGE: a separator that is a quote or a
 * line end, standard input twice. */
LETHE_MUST_CHECK lethe_err lethe_csv_rows_read(lethe_csv_rows *r, const char *const *paths,
                                               size_t n);
LETHE_MUST_CHECK lethe_err lethe_csv_rows_memory(lethe_csv_rows *r, lethe_str bytes);
void lethe_csv_rows_free(lethe_csv_rows *r);

/* Rejects the row at hand; `cause` lives as long as the rows, and NULL is LETHE_ENOMEM.  With
 * `value`, messages name it, which they do of no other content. */
LETHE_MUST_CHECK lethe_err lethe_csv_rows_reject(lethe_csv_rows *r, uint32_t column,
                                                 const char *cause, lethe_str content,
                                                 const lethe_str *value);
/* LETHE_EINPUT with file and line: the header is at fault. */
LETHE_MUST_CHECK lethe_err lethe_csv_rows_fault(const lethe_csv_rows *r, uint32_t column,
                                                const char *text);
LETHE_MUST_CHECK lethe_err lethe_csv_rows_twice(const lethe_csv_rows *r, uint32_t column,
                                                lethe_str name);

#endif
