/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - a small text file line by line: lists, maps, taxonomies.  Logs go through blocks.h. */
#ifndef LETHE_IO_READ_LINES_H
#define LETHE_IO_READ_LINES_H
#include "io/read/blocks.h"

typedef struct lethe_lines {
    lethe_blocks *blocks;
    lethe_block block;
    lethe_diag *diag;
    const char *name; /* of the file, for messages; lives until it is closed */
    size_t at;        /* bytes of the block that were handed out */
    uint64_t number;  /* of the last line handed out, from 1 */
    lethe_err err;
} lethe_lines;

/* `path` as lethe_source_open() takes it; lethe_lines_close() in any case. */
LETHE_MUST_CHECK lethe_err lethe_lines_open(lethe_lines *l, lethe_diag *d, const char *path);
/* From memory, for tests and fuzzing; the bytes are borrowed. */
LETHE_MUST_CHECK lethe_err lethe_lines_memory(lethe_lines *l, lethe_diag *d, lethe_str bytes);
void lethe_lines_close(lethe_lines *l);

/* The next line, without its LF or CRLF: a view that lives until the next call.  false at the end
 * or on failure: then lethe_lines_err().  A line over LETHE_LINE_MAX is LETHE_EINPUT, with file and
 * line. */
bool lethe_lines_next(lethe_lines *l, lethe_str *line);
static inline lethe_err lethe_lines_err(const lethe_lines *l) { return l->err; }

/* Splits a line at its tabs: the first `max` fields into f; returns how many there are. */
size_t lethe_tabs_split(lethe_str line, lethe_str *f, size_t max);

/* LETHE_EINPUT at the last line handed out; column from 1, 0: the whole line. */
LETHE_PRINTF(3, 4)
lethe_err lethe_lines_fault(const lethe_lines *l, uint32_t column, const char *fmt, ...);

#endif
