/* SPDX-License-Identifier: Apache-2.0 */
/* A published file line by line, refusing whatever lethe would not have written. */
#include "model/published/published_lines.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

enum { READ_BYTES = 64 << 10 };

bool lethe_published_has(int dirfd, const char *name)
{
    struct stat st;
    return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

lethe_err lethe_published_open(lethe_published_lines *l, lethe_ctx *ctx, int dirfd,
                               const char *name, size_t line_max)
{
    *l = (lethe_published_lines){.ctx = ctx, .name = name, .line_max = line_max};
    l->err = lethe_stored_open(lethe_ctx_diag(ctx), dirfd, name, &l->file);
    return l->err;
}

void lethe_published_memory(lethe_published_lines *l, lethe_ctx *ctx, lethe_str bytes,
                            const char *name, size_t line_max)
{
    *l = (lethe_published_lines){.ctx = ctx, .name = name, .memory = bytes, .line_max = line_max};
}

void lethe_published_close(lethe_published_lines *l)
{
    lethe_stored_close(l->file);
    l->file = NULL;
    lethe_buf_free(&l->bytes);
}

lethe_err lethe_published_fault(lethe_published_lines *l, size_t column, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    l->err = lethe_fail_at(l->ctx, LETHE_EINPUT, l->name, l->number,
                           (uint32_t)LETHE_MIN(column, UINT32_MAX), "%s", text);
    return l->err;
}

bool lethe_published_writable(lethe_str name)
{
    static const char forbidden[] = {'\0', '\t', '\n', '\r', ' '};
    for (size_t i = 0; i < sizeof forbidden; i++)
        if (memchr(name.at, forbidden[i], name.n)) return false;
    return lethe_utf8_valid(name);
}

static lethe_err read_bytes(lethe_published_lines *l, uint8_t *to, size_t cap, size_t *n)
{
    if (l->file) return lethe_stored_read(lethe_ctx_diag(l->ctx), l->file, to, cap, l->offset, n);
    *n = LETHE_MIN(cap, l->memory.n - (size_t)l->offset);
    if (*n > 0) memcpy(to, l->memory.at + l->offset, *n);
    return LETHE_OK;
}

/* More bytes behind those that are not yet handed out, which move to the front. */
static lethe_err fill(lethe_published_lines *l)
{
    lethe_buf *b = &l->bytes;
    size_t n = 0;
    if (lethe_ctx_cancelled(l->ctx)) return LETHE_ECANCEL;
    if (l->at > 0) memmove(b->at, b->at + l->at, b->n - l->at);
    b->n -= l->at;
    l->at = 0;
    if (lethe_buf_reserve(b, READ_BYTES) != LETHE_OK) return lethe_no_memory(l->ctx);
    LETHE_TRY(read_bytes(l, b->at + b->n, b->cap - b->n, &n));
    b->n += n;
    l->offset += n;
    l->ended = n == 0;
    return LETHE_OK;
}

static bool line_is_good(lethe_published_lines *l, lethe_str line)
{
    if (line.n > l->line_max) {
        l->err = lethe_published_fault(l, 0, "a line over %zu bytes", l->line_max);
        return false;
    }
    if (lethe_ascii_plain(line)) return true;
    const uint8_t *p = (const uint8_t *)line.at, *end = p + line.n;
    while (p < end) {
        uint32_t cp;
        bool ok;
        size_t column = (size_t)(p - (const uint8_t *)line.at) + 1;
        p += lethe_utf8_step(p, end, &cp, &ok);
        const char *cause = !ok ? "not valid utf-8" : cp == 0 ? "a NUL" : cp == '\r' ? "a CR" : "";
        if (!*cause) continue;
        l->err = lethe_published_fault(l, column, "%s", cause);
        return false;
    }
    return true;
}

bool lethe_published_next(lethe_published_lines *l, lethe_str *line)
{
    const char *lf = NULL;
    size_t seen = 0; // bytes known to hold no LF
    if (l->err != LETHE_OK) return false;
    for (;;) {
        size_t left = l->bytes.n - l->at;
        const char *from = left > 0 ? (const char *)l->bytes.at + l->at : "";
        lf = left > seen ? memchr(from + seen, '\n', left - seen) : NULL;
        if (lf || left > l->line_max) {
            *line = (lethe_str){from, lf ? (size_t)(lf - from) : left};
            break;
        }
        if (l->ended) {
            // The file is over: there must be something, and nothing after the last LF.
            if (l->bytes.n > l->at) {
                l->number++;
                l->err = lethe_published_fault(l, 0, "the last line does not end in LF");
            } else if (l->number == 0 && !l->may_be_empty) {
                l->number = 1;
                l->err = lethe_published_fault(l, 0, "the file is empty");
            }
            return false;
        }
        seen = left;
        l->err = fill(l);
        if (l->err != LETHE_OK) return false;
    }
    l->number++;
    l->at += line->n + 1;
    return line_is_good(l, *line);
}
