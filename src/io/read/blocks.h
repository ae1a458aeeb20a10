/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.h - a source cut into blocks of whole lines, so that workers can parse them side by side.
 */
#ifndef LETHE_IO_READ_BLOCKS_H
#define LETHE_IO_READ_BLOCKS_H
#include "io/read/source.h"
#include "core/mem.h"

/* A longer line is rejected, unread, unless lethe_blocks_set_line_max() says otherwise. */
#define LETHE_LINE_MAX ((size_t)1 << 20)

/* Where lines end: LINES at every LF; CSV at an LF outside quotes (RFC 4180; a quote opens only at
 * the start of a field); ANYWHERE: what has been read is a block, lines are not looked for. */
typedef enum lethe_block_cut { LETHE_CUT_LINES, LETHE_CUT_CSV, LETHE_CUT_ANYWHERE } lethe_block_cut;

/* One block.  `text` ends with LF, except the last line of a file without one.  It never holds a
 * line over LETHE_LINE_MAX: such a line is left out, and a block with `too_long` set and empty
 * `text` represents it, so that it is counted and reported. */
typedef struct lethe_block {
    lethe_str text;
    uint64_t index;      /* 0, 1, 2, ... */
    uint64_t first_line; /* number of its first line in the file, from 1 */
    uint64_t n_lines;    /* lines (for CSV: physical lines) in it */
    bool too_long;
    lethe_buf buf; /* owns the bytes; reused from call to call */
} lethe_block;

typedef struct lethe_blocks lethe_blocks;

/* Takes the source over, on failure too; the caller frees the blocks object, which closes it.
 * `block_bytes` is a target (64 KiB to 4 MiB; 1 MiB is fast); one line of LETHE_LINE_MAX always
 * fits. `delimiter` matters for CSV. */
LETHE_MUST_CHECK lethe_err lethe_blocks_new(lethe_diag *d, lethe_source *s, lethe_block_cut cut,
                                            char delimiter, size_t block_bytes, lethe_blocks **out);
void lethe_blocks_free(lethe_blocks *b);

/* Up to `cap` first bytes of the source, after a byte order mark, without consuming them (so that
 * the format can be guessed), before the first call of next.  The view lives until the next call.
 */
LETHE_MUST_CHECK lethe_err lethe_blocks_peek(lethe_blocks *b, size_t cap, lethe_str *out);
/* The cut may be changed until the first call of next. */
void lethe_blocks_set_cut(lethe_blocks *b, lethe_block_cut cut, char delimiter);
/* So may the length of the longest line, in place of LETHE_LINE_MAX everywhere here. */
void lethe_blocks_set_line_max(lethe_blocks *b, size_t bytes);

/* The next block, into `block` (zeroed before the first call); *more = false at the end.  Safe from
 * several threads, each with a block of its own; blocks come in rising order.  A UTF-8 byte order
 * mark at the start of the file is skipped.  After a failure every later call fails in the same
 * way. A line counts without its LF or CRLF: LETHE_LINE_MAX bytes pass, one more is too long.  With
 * CSV a record counts as a whole, and one that is too long stands for all its physical lines; a
 * quote that is never closed makes the rest of the file one record. */
LETHE_MUST_CHECK lethe_err lethe_blocks_next(lethe_blocks *b, lethe_block *block, bool *more);
void lethe_block_free(lethe_block *block);

lethe_source *lethe_blocks_source(lethe_blocks *b);

#endif
