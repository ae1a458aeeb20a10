/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - lines into a sink; sorted ones in parallel, as each part knows its place before it is
 * sorted. */
#include "release/publish/lines.h"
#include "core/mem.h"
#include <unistd.h>

enum { WRITE_BYTES = 1 << 18 };

typedef struct lines_writer {
    lethe_ctx *ctx;
    lethe_sink *sink; /* or NULL, and then: */
    int fd;
    lethe_line_fn form; /* NULL: records are lines */
    uint64_t *offsets;
} lines_writer;

static lethe_err write_at(const lines_writer *wr, uint64_t offset, const void *bytes, size_t n)
{
    if (wr->sink) return lethe_sink_write_at(wr->sink, offset, bytes, n);
    return lethe_pwrite_all(lethe_ctx_diag(wr->ctx), wr->fd, bytes, n, offset, "temporary file");
}

/* The line of a record, and its LF. */
static lethe_err line_put(const lines_writer *wr, lethe_str record, lethe_buf *buf)
{
    LETHE_TRY(lethe_buf_str(buf, record));
    if (wr->form) wr->form(record, (char *)buf->at + buf->n - record.n);
    return lethe_buf_put(buf, "\n", 1);
}

static lethe_err write_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    const lines_writer *wr = arg;
    uint64_t offset = wr->offsets[part];
    lethe_buf buf = {0};
    lethe_str line;
    lethe_err e = LETHE_OK;
    (void)w;
    while (e == LETHE_OK && lethe_sorted_next(it, &line)) {
        e = line_put(wr, line, &buf);
        if (e != LETHE_OK || buf.n < WRITE_BYTES) continue;
        e = lethe_ctx_cancelled(wr->ctx) ? LETHE_ECANCEL : write_at(wr, offset, buf.at, buf.n);
        offset += buf.n;
        buf.n = 0;
    }
    if (e == LETHE_OK) e = lethe_sorted_err(it);
    if (e == LETHE_OK && buf.n > 0) e = write_at(wr, offset, buf.at, buf.n);
    lethe_buf_free(&buf);
    return e;
}

/* *end = where the lines end. */
static lethe_err write_all(lines_writer *wr, lethe_sorter *s, lethe_str head, uint64_t *end)
{
    size_t n = lethe_sorter_parts(s);
    uint64_t offset = head.n;
    wr->offsets = lethe_alloc(n, sizeof *wr->offsets);
    if (!wr->offsets) return lethe_no_memory(wr->ctx);
    for (size_t i = 0; i < n; i++) {
        uint64_t records, bytes;
        lethe_sorter_part_size(s, i, &records, &bytes);
        wr->offsets[i] = offset;
        offset += bytes + records;
    }
    lethe_err e = head.n ? write_at(wr, 0, head.at, head.n) : LETHE_OK;
    if (e == LETHE_OK) e = lethe_sorter_each(s, write_part, wr);
    lethe_free(wr->offsets);
    *end = offset;
    return e;
}

lethe_err lethe_formed_lines_write(lethe_ctx *ctx, lethe_sorter *s, lethe_str head,
                                   lethe_line_fn form, lethe_sink *to)
{
    lines_writer wr = {.ctx = ctx, .sink = to, .fd = -1, .form = form};
    uint64_t end;
    return write_all(&wr, s, head, &end);
}

lethe_err lethe_sorted_lines_write(lethe_ctx *ctx, lethe_sorter *s, lethe_str head, lethe_sink *to)
{
    return lethe_formed_lines_write(ctx, s, head, NULL, to);
}

lethe_err lethe_formed_lines_print(lethe_ctx *ctx, lethe_sorter *s, lethe_str head,
                                   lethe_line_fn form, lethe_sink *to)
{
    lines_writer wr = {.ctx = ctx, .fd = -1, .form = form};
    uint64_t end = 0;
    LETHE_TRY(lethe_spill_open(lethe_ctx_diag(ctx), lethe_ctx_spill_dir(ctx), &wr.fd));
    uint8_t *buf = lethe_alloc(WRITE_BYTES, 1);
    lethe_err e = buf ? write_all(&wr, s, head, &end) : lethe_no_memory(ctx);
    for (uint64_t at = 0; e == LETHE_OK && at < end;) {
        size_t piece = (size_t)LETHE_MIN((uint64_t)WRITE_BYTES, end - at);
        e = lethe_ctx_cancelled(ctx)
                ? LETHE_ECANCEL
                : lethe_pread_all(lethe_ctx_diag(ctx), wr.fd, buf, piece, at, "temporary file");
        if (e == LETHE_OK) e = lethe_sink_write(to, buf, piece);
        at += piece;
    }
    lethe_free(buf);
    close(wr.fd);
    return e;
}

lethe_err lethe_sorted_lines_print(lethe_ctx *ctx, lethe_sorter *s, lethe_str head, lethe_sink *to)
{
    return lethe_formed_lines_print(ctx, s, head, NULL, to);
}

lethe_err lethe_lines_flush(lethe_sink *to, lethe_buf *buf, size_t least)
{
    if (buf->n == 0 || buf->n < least) return LETHE_OK;
    lethe_err e = lethe_sink_write(to, buf->at, buf->n);
    buf->n = 0;
    return e;
}

lethe_err lethe_lines_end(lethe_ctx *ctx, lethe_err put, lethe_sink *to, lethe_buf *buf)
{
    lethe_err e = put == LETHE_ENOMEM ? lethe_no_memory(ctx) : put;
    if (e == LETHE_OK) e = lethe_lines_flush(to, buf, 0);
    lethe_buf_free(buf);
    return e;
}
