/* SPDX-License-Identifier: Apache-2.0 */
/* published_lines.h - a published text file line by line, as strictly as it is written: every line
 * ends in LF, is UTF-8, and holds no NUL and no CR.  Nothing is repaired, skipped or decompressed:
 * the file is checked as it is. */
#ifndef LETHE_MODEL_PUBLISHED_PUBLISHED_LINES_H
#define LETHE_MODEL_PUBLISHED_PUBLISHED_LINES_H
#include "core/ctx.h"
#include "core/mem.h"
#include "io/read/stored.h"

typedef struct lethe_published_lines {
    lethe_ctx *ctx;
    const char *name;   /* for messages; borrowed */
    lethe_stored *file; /* NULL: `memory` is read */
    lethe_str memory;
    uint64_t offset; /* bytes taken from the file so far */
    size_t line_max;
    bool may_be_empty; /* a file without any line is one; false unless the caller sets it */
    lethe_buf bytes;
    size_t at; /* bytes of the buffer that were handed out */
    bool ended;
    uint64_t number; /* of the last line handed out, from 1 */
    lethe_err err;
} lethe_published_lines;

/* Is there an entry of that name in the folder? A broken link is one. */
bool lethe_published_has(int dirfd, const char *name);

/* The file `name` in the folder, or its parts, as lethe_stored_open().  lethe_published_close() in
 * any case. */
LETHE_MUST_CHECK lethe_err lethe_published_open(lethe_published_lines *l, lethe_ctx *ctx, int dirfd,
                                                const char *name, size_t line_max);
/* From memory, for tests and fuzzing; the bytes are borrowed. */
void lethe_published_memory(lethe_published_lines *l, lethe_ctx *ctx, lethe_str bytes,
                            const char *name, size_t line_max);
void lethe_published_close(lethe_published_lines *l);

/* The next line without its LF: a view that lives until the next call.  false at the end or on
 * failure: then l->err.  LETHE_EINPUT, with file, line and column (the byte, from 1; 0: the whole
 * line): what the head of this file forbids, a line over line_max bytes, or a file without any
 * line, unless it may be empty. */
bool lethe_published_next(lethe_published_lines *l, lethe_str *line);

/* May the name stand in a line: UTF-8 without NUL, tab, line end and space? */
bool lethe_published_writable(lethe_str name);

/* LETHE_EINPUT at the last line handed out, now, and from then on in l->err. */
LETHE_PRINTF(3, 4)
lethe_err lethe_published_fault(lethe_published_lines *l, size_t column, const char *fmt, ...);

#endif
