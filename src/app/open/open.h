/* SPDX-License-Identifier: Apache-2.0 */
/* open.h - a sealed log being opened: what the files of it share; nobody else includes it.
 *
 *   open.c        files in, the log out, the report
 *   open_group.c  the rows of one QueryID: their key, their box, their damage
 *   open_log.c    the same for evaluations: a log in memory, not a file */
#ifndef LETHE_APP_OPEN_OPEN_H
#define LETHE_APP_OPEN_OPEN_H
#include "algo/seal/boxes.h"
#include "io/sort/sorter.h"
#include "release/release.h"
#include <pthread.h>

/* Values of one index that are kept, those of most rows: more than one is damage. */
#define LETHE_OPEN_VALUES 4

/* A share of the group at hand: rows that have the same come together. */
typedef struct lethe_open_share {
    uint64_t rows;
    uint8_t index;
    bool skipped;
    uint8_t bytes[LETHE_SECRET_BYTES];
} lethe_open_share;

typedef struct lethe_open_totals {
    uint64_t rows_opened, rows_closed, rows_damaged, queries_opened, queries_closed;
} lethe_open_totals;

typedef struct lethe_open_worker {
    lethe_buf record, line, box, tried, plain;
    lethe_weights *weights;
    /* the group at hand */
    char id_hex[LETHE_SEALED_ID_CHARS];
    uint64_t n_rows;
    lethe_open_share at[LETHE_SHARES_MAX * LETHE_OPEN_VALUES]; /* rising by index and bytes */
    uint32_t n, n_indices;
    uint32_t order[LETHE_SHARES_MAX * LETHE_OPEN_VALUES]; /* in which they are tried */
    bool boxes_differ;
    uint32_t tries_left;
    lethe_shares shares;   /* t of them that make the key */
    lethe_open_totals sum; /* what came of all groups */
    uint8_t apart[64];
} lethe_open_worker;

typedef struct lethe_open_run {
    lethe_ctx *ctx;
    const lethe_open_options *o;
    lethe_sealed_form form;
    lethe_sealed_counts read;
    uint32_t file; /* at hand */
    lethe_sorter *groups, *lines;
    lethe_open_worker *workers;
    unsigned n_workers;
    char **paths;
    pthread_mutex_t lock;
    lethe_rejects *rejects; /* one per file */
    lethe_sink *sink;
    char *spill_dir; /* the context's own, while spill files go beside the target */
} lethe_open_run;

/* Makes room for the workers and sorters, for rows of n files; and gives all of it back. */
LETHE_MUST_CHECK lethe_err lethe_open_begin(lethe_open_run *run, size_t n_files);
void lethe_open_end(lethe_open_run *run, size_t n_files);
/* A row that was read, on its way to its group. */
lethe_err lethe_open_row(void *run, unsigned w, const lethe_sealed_row *row);
/* Opens the groups of one part; lines go to run->lines, damage to run->rejects. */
lethe_err lethe_open_part(void *run, size_t part, unsigned w, lethe_sorted *it);

#endif
