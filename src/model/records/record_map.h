/* SPDX-License-Identifier: Apache-2.0 */
/* record_map.h - which line of data.txt a record of the input became: what --map writes for
 * records, and for the rows of a table.
 *
 * A line that names the release (model/map.h), then lines `original TAB published`, one for each
 * record of the input, in the input's order. `original` is the ID of the record's person, or where
 * it has none the number of its line (from 1, over all inputs); `published` the number of its line
 * in data.txt, from 1, or empty where it was suppressed. A person's records are told apart by their
 * order alone; where they were made one set (lethe_records_sets), that is the record of the input,
 * and has one line. */
#ifndef LETHE_MODEL_RECORDS_RECORD_MAP_H
#define LETHE_MODEL_RECORDS_RECORD_MAP_H
#include "core/mem.h"
#include "model/records/records.h"
#include "model/table/table.h"

#define LETHE_NOT_PUBLISHED UINT64_MAX

/* The line of record i, which became line `line` (from 0), or LETHE_NOT_PUBLISHED; with its LF, at
 * the end of `to`. */
LETHE_MUST_CHECK lethe_err lethe_record_map_put(const lethe_records *r, size_t i, uint64_t line,
                                                lethe_buf *to);

/* Reads a map of `original`, of which `n_published` records were published: (*line)[i] is the line
 * of record i, from 0, or LETHE_NOT_PUBLISHED; in `a`.  Lines of different originals may stand in
 * any order; an original that has none at all was suppressed.  LETHE_EINPUT, with file, line and
 * column (the field, from 1; 0: the whole line): other than two fields, an original that is not
 * there or has more or fewer records than lines, a line number that is none, or past the last, or
 * said twice, or a line without an owner: the map is that of another original or of another
 * release.  `digest`: of the release's manifest, as for lethe_map_next(). */
LETHE_MUST_CHECK lethe_err lethe_record_map_read(lethe_ctx *ctx, const char *path,
                                                 const char *digest, const lethe_records *original,
                                                 uint64_t n_published, lethe_arena *a,
                                                 uint64_t **line);
LETHE_MUST_CHECK lethe_err lethe_record_map_memory(lethe_ctx *ctx, lethe_str bytes,
                                                   const lethe_records *original,
                                                   uint64_t n_published, lethe_arena *a,
                                                   uint64_t **line);

/* Where steps before the last have left out rows of a log, or given them other users, a person's
 * records are not those that the log has by itself.  Lines then have a third field, the number of
 * the first of a record's lines in the input, from 1: `original TAB published TAB line`. */
LETHE_MUST_CHECK lethe_err lethe_row_map_put(const lethe_records *r, size_t i, uint64_t line,
                                             lethe_buf *to);
/* Such a line: the record of the original that the row is in, and the published line. */
typedef struct lethe_mapped_record {
    uint32_t record;
    uint64_t line; /* from 0, or LETHE_NOT_PUBLISHED */
} lethe_mapped_record;
typedef struct lethe_row_map {
    lethe_mapped_record *at; /* on the heap */
    size_t n, cap;
} lethe_row_map;
/* Reads one; LETHE_EINPUT as above.  A record of the original may have no line, or several. */
LETHE_MUST_CHECK lethe_err lethe_row_map_read(lethe_ctx *ctx, const char *path, const char *digest,
                                              const lethe_records *original,
                                              const lethe_row_places *places, uint64_t n_published,
                                              lethe_row_map *out);

/* As lethe_record_map_put() and -read(), for the rows of a table: lines of the input and of
 * data.csv, each with its header as line
 * 1.  (A row over several lines counts as one; of several inputs, the headers after the first do
 * not count.) */
LETHE_MUST_CHECK lethe_err lethe_table_map_put(const lethe_table *t, size_t i, uint64_t row,
                                               lethe_buf *to);
LETHE_MUST_CHECK lethe_err lethe_table_map_read(lethe_ctx *ctx, const char *path,
                                                const char *digest, const lethe_table *original,
                                                uint64_t n_published, lethe_arena *a,
                                                uint64_t **row);

#endif
