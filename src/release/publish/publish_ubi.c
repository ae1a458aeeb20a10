/* SPDX-License-Identifier: Apache-2.0 */
/* publish_ubi.c - data.tsv as documents of User Behavior Insights.
 *
 * Each row is a query of its own: which rows were one query nobody can tell from data.tsv, and this
 * file must not tell it either.  Ids are positions in data.tsv, which is sorted by its bytes. */
#include "release/publish/publish_ubi.h"
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include "io/syserr.h"
#include "model/log/log.h"
#include "text/normalize.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { USER, QUERY, TIME, RANK, URL, FIELDS };

/* Takes bytes in their order; LETHE_ANSWER_NO ends the work. */
typedef lethe_err (*take_fn)(void *arg, lethe_str bytes);

/* --- one row --- */

/* A failure is remembered in *e. */
static void put_bytes(lethe_err *e, lethe_buf *b, lethe_str s)
{
    if (*e == LETHE_OK) *e = lethe_buf_str(b, s);
}

static void put(lethe_err *e, lethe_buf *b, const char *text)
{
    put_bytes(e, b, lethe_str_of(text));
}

/* In quotes.  Published texts are UTF-8; only what JSON demands is escaped. */
static void put_text(lethe_err *e, lethe_buf *b, lethe_str s)
{
    size_t begin = 0;
    put(e, b, "\"");
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = (uint8_t)s.at[i];
        char escape[8];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        snprintf(escape, sizeof escape, c < 0x20 ? "\\u%04x" : "\\%c", c);
        put_bytes(e, b, (lethe_str){s.at + begin, i - begin});
        put(e, b, escape);
        begin = i + 1;
    }
    put_bytes(e, b, (lethe_str){s.at + begin, s.n - begin});
    put(e, b, "\"");
}

static void put_member(lethe_err *e, lethe_buf *b, const char *name, lethe_str value)
{
    put(e, b, name);
    put_text(e, b, value);
}

/* As published, in a form that OpenSearch takes for a date: `2006-03-01 10` becomes
 * `2006-03-01T10`, a whole time ends with Z. */
static void put_time(lethe_err *e, lethe_buf *b, lethe_str time)
{
    enum { DATE = 10, WHOLE = 19 };
    if (time.n == 0) return;
    put(e, b, ",\"timestamp\":\"");
    put_bytes(e, b, (lethe_str){time.at, LETHE_MIN(time.n, (size_t)DATE)});
    if (time.n > DATE) {
        put(e, b, "T");
        put_bytes(e, b, (lethe_str){time.at + DATE + 1, time.n - DATE - 1});
    }
    put(e, b, time.n == WHOLE ? "Z\"" : "\"");
}

/* A host or URL is one to every reader of these documents, anything else an id. */
static bool is_url(lethe_err *e, lethe_buf *scratch, lethe_str shown)
{
    lethe_str host = {"", 0};
    if (*e == LETHE_OK) *e = lethe_url_host(shown, scratch, &host);
    return lethe_is_dotted_host(host);
}

static lethe_err put_row(lethe_buf *b, lethe_buf *scratch, uint64_t number, const lethe_str *f)
{
    lethe_err e = LETHE_OK;
    char id[24];
    snprintf(id, sizeof id, "%llu", (unsigned long long)number);
    put(&e, b, "{\"index\":{\"_index\":\"ubi_queries\"}}\n");
    put_member(&e, b, "{\"query_id\":", lethe_str_of(id));
    put_member(&e, b, ",\"client_id\":", f[USER]);
    put_member(&e, b, ",\"user_query\":", f[QUERY]);
    put_time(&e, b, f[TIME]);
    put(&e, b, "}\n");
    if (f[URL].n == 0) return e;
    put(&e, b, "{\"index\":{\"_index\":\"ubi_events\"}}\n");
    put_member(&e, b, "{\"action_name\":\"click\",\"query_id\":", lethe_str_of(id));
    put_member(&e, b, ",\"client_id\":", f[USER]);
    put_time(&e, b, f[TIME]);
    put(&e, b, ",\"event_attributes\":{\"object\":{");
    put_member(&e, b, is_url(&e, scratch, f[URL]) ? "\"url\":" : "\"object_id\":", f[URL]);
    put(&e, b, f[RANK].n > 0 ? "},\"position\":{\"ordinal\":" : "}");
    put_bytes(&e, b, f[RANK]);
    put(&e, b, f[RANK].n > 0 ? "}}}\n" : "}}\n");
    return e;
}

/* --- all rows --- */

typedef struct ubi_lines {
    lethe_blocks *blocks;
    lethe_block block;
    lethe_buf out, scratch;
} ubi_lines;

static lethe_err each_block(lethe_ctx *ctx, ubi_lines *u, take_fn take, void *arg)
{
    lethe_str f[FIELDS] = {{"", 0}}, raw;
    uint64_t line = 0;
    uint32_t n;
    for (bool more = true; more;) {
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_blocks_next(u->blocks, &u->block, &more));
        lethe_tsv tsv = lethe_tsv_begin(u->block.text, '\t');
        u->out.n = 0;
        for (; lethe_tsv_next(&tsv, f, FIELDS, &n, &raw); line++) {
            if (line == 0) continue; // the header
            if (n != FIELDS) return LETHE_ANSWER_NO;
            if (put_row(&u->out, &u->scratch, line, f) != LETHE_OK) return lethe_no_memory(ctx);
        }
        LETHE_TRY(take(arg, (lethe_str){(const char *)u->out.at, u->out.n}));
    }
    return LETHE_OK;
}

static lethe_err source_open(lethe_ctx *ctx, int dirfd, const char *name, int *fd,
                             lethe_source **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    *fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) return lethe_fail_sys(d, "open", name, errno);
    return lethe_source_fd(d, *fd, name, out);
}

static lethe_err each_row(lethe_ctx *ctx, int dirfd, take_fn take, void *arg)
{
    enum { BLOCK_BYTES = 1 << 18 };
    ubi_lines u = {.blocks = NULL};
    lethe_source *source = NULL;
    int fd;
    lethe_err e = source_open(ctx, dirfd, "data.tsv", &fd, &source);
    if (e == LETHE_OK)
        e = lethe_blocks_new(lethe_ctx_diag(ctx), source, LETHE_CUT_LINES, '\t', BLOCK_BYTES,
                             &u.blocks);
    if (e == LETHE_OK) e = each_block(ctx, &u, take, arg);
    lethe_blocks_free(u.blocks);
    lethe_block_free(&u.block);
    lethe_buf_free(&u.out);
    lethe_buf_free(&u.scratch);
    if (fd >= 0) close(fd);
    return e;
}

static lethe_err take_written(void *arg, lethe_str bytes)
{
    return lethe_sink_write(arg, bytes.at, bytes.n);
}

lethe_err lethe_ubi_write(lethe_ctx *ctx, int dirfd, lethe_sink *to)
{
    lethe_err e = each_row(ctx, dirfd, take_written, to);
    if (e != LETHE_ANSWER_NO) return e;
    return lethe_fail(ctx, LETHE_EINTERNAL, LETHE_FAULT "data.tsv was not written as it should be");
}

/* --- comparing --- */

typedef struct comparison {
    lethe_diag *diag;
    int fd;
    uint64_t at;
    lethe_buf read;
} comparison;

static lethe_err take_compared(void *arg, lethe_str bytes)
{
    comparison *c = arg;
    c->read.n = 0;
    if (lethe_buf_reserve(&c->read, bytes.n + 1) != LETHE_OK) return lethe_no_memory(c->diag);
    for (size_t n = 0; n < bytes.n;) {
        ssize_t got = pread(c->fd, c->read.at + n, bytes.n - n, (off_t)(c->at + n));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return lethe_fail_sys(c->diag, "read", LETHE_UBI_NAME, errno);
        if (got == 0) return LETHE_ANSWER_NO;
        n += (size_t)got;
    }
    c->at += bytes.n;
    return bytes.n == 0 || memcmp(c->read.at, bytes.at, bytes.n) == 0 ? LETHE_OK : LETHE_ANSWER_NO;
}

lethe_err lethe_ubi_compare(lethe_ctx *ctx, int dirfd, bool *same)
{
    comparison c = {.diag = lethe_ctx_diag(ctx)};
    c.fd = openat(dirfd, LETHE_UBI_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (c.fd < 0) return lethe_fail_sys(c.diag, "open", LETHE_UBI_NAME, errno);
    lethe_err e = each_row(ctx, dirfd, take_compared, &c);
    char more;
    *same = e == LETHE_OK && pread(c.fd, &more, 1, (off_t)c.at) == 0;
    lethe_buf_free(&c.read);
    close(c.fd);
    return e == LETHE_ANSWER_NO ? LETHE_OK : e;
}
