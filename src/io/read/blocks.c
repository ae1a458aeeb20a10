/* SPDX-License-Identifier: Apache-2.0 */
/* Each call reads a block's worth straight into the caller's buffer, behind what the call before
 * left over, cuts after the last complete line, and keeps the rest for the next call.  Only that
 * rest is ever copied.  All of it happens under one lock: a number of lines must be known before
 * the next block's first line has one. */
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include <pthread.h>

enum { BLOCK_LEAST = 64 << 10, BLOCK_MOST = 4 << 20, ALIGN = 64 };

struct lethe_blocks {
    pthread_mutex_t lock;
    lethe_diag *diag;
    lethe_source *source;
    lethe_block_cut cut;
    char delimiter;
    size_t block_bytes;
    size_t line_max;
    bool begun; /* the byte order mark is behind us */
    bool end;   /* the source has no more */
    lethe_err failed;
    lethe_buf rest;       /* read, but not yet handed out; starts at the start of a line */
    size_t skip;          /* bytes of it that are a byte order mark */
    uint64_t index, line; /* of the next block */
};

lethe_source *lethe_blocks_source(lethe_blocks *b) { return b->source; }

lethe_err lethe_blocks_new(lethe_diag *d, lethe_source *s, lethe_block_cut cut, char delimiter,
                           size_t block_bytes, lethe_blocks **out)
{
    lethe_blocks *b = lethe_alloc(1, sizeof *b);
    if (b)
        *b = (lethe_blocks){.diag = d, .source = s, .cut = cut, .delimiter = delimiter, .line = 1};
    if (!b || pthread_mutex_init(&b->lock, NULL) != 0) {
        lethe_free(b);
        lethe_source_close(s);
        return lethe_no_memory(d);
    }
    b->block_bytes = LETHE_MAX(LETHE_MIN(block_bytes, (size_t)BLOCK_MOST), (size_t)BLOCK_LEAST);
    b->line_max = LETHE_LINE_MAX;
    *out = b;
    return LETHE_OK;
}

void lethe_blocks_free(lethe_blocks *b)
{
    if (!b) return;
    lethe_source_close(b->source);
    lethe_buf_free(&b->rest);
    pthread_mutex_destroy(&b->lock);
    lethe_free(b);
}

void lethe_blocks_set_cut(lethe_blocks *b, lethe_block_cut cut, char delimiter)
{
    assert(b->index == 0);
    b->cut = cut;
    b->delimiter = delimiter;
}

void lethe_blocks_set_line_max(lethe_blocks *b, size_t bytes)
{
    assert(b->index == 0 && bytes <= SIZE_MAX / 4);
    b->line_max = bytes;
}

void lethe_block_free(lethe_block *block)
{
    lethe_buf_free(&block->buf);
    *block = (lethe_block){0};
}

/* --- reading --- */

/* Puts `more` bytes behind what `buf` holds, fewer only at the end. */
static lethe_err fill(lethe_blocks *b, lethe_buf *buf, size_t more)
{
    if (lethe_buf_reserve(buf, more) != LETHE_OK) return lethe_no_memory(b->diag);
    while (more > 0 && !b->end) {
        size_t n;
        LETHE_TRY(lethe_source_read(b->source, buf->at + buf->n, more, &n));
        b->end = n == 0;
        buf->n += n;
        more -= n;
    }
    return LETHE_OK;
}

/* At least `n` bytes after the byte order mark in `rest`, fewer only at the end. */
static lethe_err read_ahead(lethe_blocks *b, size_t n)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    // Rounded up, so that later reads of a file start at a page.
    size_t want = ((n + sizeof mark) / BLOCK_LEAST + 1) * BLOCK_LEAST;
    if (b->rest.n < want) LETHE_TRY(fill(b, &b->rest, want - b->rest.n));
    if (!b->begun && b->rest.n >= sizeof mark && memcmp(b->rest.at, mark, sizeof mark) == 0)
        b->skip = sizeof mark;
    b->begun = true;
    return LETHE_OK;
}

lethe_err lethe_blocks_peek(lethe_blocks *b, size_t cap, lethe_str *out)
{
    assert(b->index == 0);
    pthread_mutex_lock(&b->lock);
    if (b->failed == LETHE_OK) b->failed = read_ahead(b, cap);
    if (b->failed == LETHE_OK) {
        size_t n = b->rest.n - b->skip;
        *out = (lethe_str){n ? (char *)b->rest.at + b->skip : "", LETHE_MIN(n, cap)};
    }
    lethe_err e = b->failed;
    pthread_mutex_unlock(&b->lock);
    return e;
}

/* --- where lines and records end --- */

/* Cuts lines: the start of the first line in text[0..n-1] that is not complete or too long; n if
 * every line is complete.  Looking back from where a line of full length would end, an LF is nearly
 * always at hand, and all lines before it are short enough. */
static size_t cut_lines(const char *text, size_t n, size_t line_max)
{
    size_t start = 0;
    while (start < n) {
        const char *p = text + start;
        size_t left = n - start;
        const char *lf = memrchr(p, '\n', LETHE_MIN(left, line_max + 1));
        if (lf)
            start += (size_t)(lf - p) + 1;
        else if (left >= line_max + 2 && memcmp(p + line_max, "\r\n", 2) == 0)
            start += line_max + 2;
        else
            break;
    }
    return start;
}

static size_t cut_records(const char *text, size_t n, char delimiter, size_t line_max)
{
    size_t start = 0;
    while (start < n) {
        lethe_csv_state st = {0};
        const char *p = text + start;
        size_t left = n - start, at = lethe_csv_scan(&st, delimiter, p, left);
        if (at == left) break;
        if (at - (at > 0 && p[at - 1] == '\r') > line_max) break;
        start += at + 1;
    }
    return start;
}

static size_t cut(const lethe_blocks *b, const char *text, size_t n)
{
    if (b->cut == LETHE_CUT_ANYWHERE) return n;
    return b->cut == LETHE_CUT_CSV ? cut_records(text, n, b->delimiter, b->line_max)
                                   : cut_lines(text, n, b->line_max);
}

/* `n` bytes from the start of a line on, in which cut() found no end for it: is it too long for
 * certain?  A last CR may yet turn out to belong to the line's end. */
static bool too_long(const lethe_blocks *b, const char *text, size_t n)
{
    if (n > b->line_max + 1) return true;
    return n == b->line_max + 1 && (b->end || text[n - 1] != '\r');
}

/* --- handing out --- */

static void hand_out(lethe_blocks *b, lethe_block *block, lethe_str text, uint64_t n_lines)
{
    block->text = text;
    block->index = b->index++;
    block->first_line = b->line;
    block->n_lines = n_lines;
    block->too_long = text.n == 0;
    b->line += n_lines;
}

static lethe_err keep(lethe_blocks *b, const char *p, size_t n)
{
    b->rest.n = 0;
    if (n > 0 && lethe_buf_put(&b->rest, p, n) != LETHE_OK) return lethe_no_memory(b->diag);
    return LETHE_OK;
}

/* Leaves out the line that begins at `from` in the block's buffer, reading on in that buffer over
 * what is already known to belong to it. */
static lethe_err leave_out(lethe_blocks *b, lethe_block *block, size_t from)
{
    lethe_buf *buf = &block->buf;
    lethe_csv_state st = {0};
    uint64_t n_lines = 0;
    bool open = false; // is the line that was last counted one without an LF so far?
    for (;;) {
        const char *p = (const char *)buf->at + from;
        size_t n = buf->n - from, at;
        if (b->cut == LETHE_CUT_CSV) {
            at = lethe_csv_scan(&st, b->delimiter, p, n);
        } else {
            const char *lf = memchr(p, '\n', n);
            at = lf ? (size_t)(lf - p) : n;
        }
        size_t taken = at + (at < n);
        n_lines += lethe_count_lines((lethe_str){p, taken});
        if (taken > 0) open = p[taken - 1] != '\n';
        if (at < n || b->end) {
            hand_out(b, block, (lethe_str){"", 0}, n_lines + open);
            return keep(b, p + taken, n - taken);
        }
        buf->n = from = 0;
        LETHE_TRY(fill(b, buf, b->block_bytes));
    }
}

static lethe_err next_block(lethe_blocks *b, lethe_block *block, bool *more)
{
    lethe_buf *buf = &block->buf;
    size_t from = 0;
    if (!b->begun) LETHE_TRY(read_ahead(b, 0));
    // What was left over goes right before a place that is aligned, and the new bytes from there
    // on. That is a block's worth, unless much was left over (around lines that are too long): what
    // is held must not grow from call to call.
    size_t left = b->rest.n - b->skip, fresh = b->block_bytes;
    if (left >= BLOCK_LEAST) fresh -= LETHE_MIN(left, fresh);
    buf->n = 0;
    if (lethe_buf_reserve(buf, left + ALIGN + fresh) != LETHE_OK) return lethe_no_memory(b->diag);
    from = (size_t)(-((uintptr_t)buf->at + left)) % ALIGN;
    if (left > 0) memcpy(buf->at + from, b->rest.at + b->skip, left);
    buf->n = from + left;
    b->rest.n = b->skip = 0;
    LETHE_TRY(fill(b, buf, fresh));
    for (;;) {
        const char *text = (const char *)buf->at + from;
        size_t n = buf->n - from, start = cut(b, text, n);
        bool over = too_long(b, text + start, n - start);
        if (b->end && !over) start = n;
        *more = start > 0 || over;
        if (start > 0) {
            lethe_str whole = {text, start};
            hand_out(b, block, whole, lethe_count_lines(whole) + (text[start - 1] != '\n'));
            return keep(b, text + start, n - start);
        }
        if (over) return leave_out(b, block, from);
        if (b->end) return LETHE_OK;
        // Twice as much, so that a long line is looked at few times, up to what decides.
        LETHE_TRY(fill(b, buf, LETHE_MIN(b->line_max + 2 - n, LETHE_MAX(n, b->block_bytes))));
    }
}

lethe_err lethe_blocks_next(lethe_blocks *b, lethe_block *block, bool *more)
{
    *more = false;
    block->text = (lethe_str){"", 0};
    pthread_mutex_lock(&b->lock);
    if (b->failed == LETHE_OK) b->failed = next_block(b, block, more);
    lethe_err e = b->failed;
    pthread_mutex_unlock(&b->lock);
    if (e != LETHE_OK) *more = false;
    return e;
}
