/* SPDX-License-Identifier: Apache-2.0 */
/* published_records.h - the records of a release, data.txt.
 *
 * One record per line, without ID; items separated by one space, in the order of their bytes, a
 * copy for each; an empty line is a record with no items.  Lines stand in the order of their bytes,
 * LF aside. The file is UTF-8, plain, without NUL, CR and TAB, and ends in LF.  Anything else is
 * LETHE_EINPUT with line and column (the byte, from 1; 0: the whole line). */
#ifndef LETHE_MODEL_PUBLISHED_PUBLISHED_RECORDS_H
#define LETHE_MODEL_PUBLISHED_PUBLISHED_RECORDS_H
#include "core/dict.h"
#include "model/published/published_lines.h"

#define LETHE_RECORDS_NAME "data.txt"

/* --- line by line, in memory for two lines --- */

typedef struct lethe_record_lines {
    lethe_published_lines lines;
    lethe_buf before; /* the line before, for the order */
    bool same;        /* is the line last handed out equal to the one before? */
    size_t shared;    /* bytes from its start that the one before has too */
} lethe_record_lines;

/* Opens data.txt in the folder; lethe_record_lines_close() in any case. */
LETHE_MUST_CHECK lethe_err lethe_record_lines_open(lethe_record_lines *l, lethe_ctx *ctx,
                                                   int dirfd);
/* From memory, for tests and fuzzing; the bytes are borrowed. */
void lethe_record_lines_memory(lethe_record_lines *l, lethe_ctx *ctx, lethe_str bytes);
void lethe_record_lines_close(lethe_record_lines *l);
/* The next record: a view that lives until the next call.  false at the end or on failure. */
bool lethe_record_lines_next(lethe_record_lines *l, lethe_str *record);
static inline lethe_err lethe_record_lines_err(const lethe_record_lines *l) { return l->lines.err; }

/* Takes the first item off `record`; false: there is none left. */
static inline bool lethe_record_item(lethe_str *record, lethe_str *item)
{
    if (record->n == 0) return false;
    const char *space = memchr(record->at, ' ', record->n);
    item->at = record->at;
    item->n = space ? (size_t)(space - record->at) : record->n;
    size_t taken = item->n + (space != NULL);
    *record = (lethe_str){record->at + taken, record->n - taken};
    return true;
}

/* --- all of them, equal ones once --- */

typedef struct lethe_published_records {
    uint64_t n_records;    /* lines */
    size_t n;              /* distinct records, in order */
    const uint64_t *first; /* n + 1: lines first[i] .. first[i + 1] - 1, from 0, are record i */
    const uint64_t *start; /* n + 1: record i is item[start[i]] .. item[start[i + 1] - 1] */
    const uint32_t *item;  /* numbers in `items`, in the order of the names' bytes */
    lethe_dict *items;     /* in order of first appearance */
    lethe_arena *arena;    /* this and all of the above lives there, or is freed with it */
} lethe_published_records;

LETHE_MUST_CHECK lethe_err lethe_published_records_read(lethe_ctx *ctx, int dirfd,
                                                        lethe_published_records **out);
LETHE_MUST_CHECK lethe_err lethe_published_records_memory(lethe_ctx *ctx, lethe_str bytes,
                                                          lethe_published_records **out);
void lethe_published_records_free(lethe_published_records *r); /* NULL is fine */

/* The distinct record in a line, counted from 0. */
size_t lethe_published_record_of(const lethe_published_records *r, uint64_t line);

#endif
