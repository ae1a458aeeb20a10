/* SPDX-License-Identifier: Apache-2.0 */
/* arrow_harness.h - reads a stream as its readers do, and keeps what is said.  After cmocka.h. */
#ifndef LETHE_TESTS_ARROW_HARNESS_H
#define LETHE_TESTS_ARROW_HARNESS_H
#include "core/mem.h"
#include "io/arrow/streams.h"
#include "io/read/source.h"
#include "arrow_feed.h"
#include <stdio.h>

typedef struct arrow_place {
    lethe_ctx *ctx;
    char said[512]; /* the last message: SEVERITY FILE:LINE:COLUMN: TEXT */
    int n_errors, n_notes;
} arrow_place;

static inline void arrow_hear(void *arg, const lethe_message *m)
{
    arrow_place *p = arg;
    snprintf(p->said, sizeof p->said, "%s:%llu:%u: %s", m->file ? m->file : "",
             (unsigned long long)m->line, (unsigned)m->column, m->text);
    p->n_errors += m->severity == LETHE_ERROR;
    p->n_notes += m->severity == LETHE_NOTE;
}

static inline int arrow_set_up(void **state)
{
    arrow_place *p = calloc(1, sizeof *p);
    lethe_settings settings = {
        .size = sizeof settings, .n_threads = 2, .on_message = arrow_hear, .user = p};
    if (!p || lethe_ctx_new(&settings, &p->ctx) != LETHE_OK) return -1;
    *state = p;
    return 0;
}

static inline int arrow_tear_down(void **state)
{
    arrow_place *p = *state;
    lethe_alloc_fail_at(0);
    lethe_ctx_free(p->ctx);
    free(p);
    return 0;
}

/* All that a source has, read `cap` bytes at a time, or about the first SOURCE_MOST bytes: a weight
 * may make a row a billion; to be freed. */
enum { SOURCE_MOST = 1 << 20 };
static inline lethe_err source_bytes(lethe_ctx *ctx, const char *name, size_t cap, lethe_buf *out)
{
    lethe_source *source = NULL;
    size_t n = 1;
    lethe_err e = lethe_source_open(lethe_ctx_diag(ctx), name, &source);
    while (e == LETHE_OK && n > 0 && out->n < SOURCE_MOST) {
        e = lethe_buf_reserve(out, cap);
        if (e == LETHE_OK) e = lethe_source_read(source, out->at + out->n, cap, &n);
        if (e == LETHE_OK) out->n += n;
    }
    lethe_source_close(source);
    return e;
}

/* The same of the one stream of a feed; all of it has been released afterwards. */
static inline lethe_err feed_bytes(arrow_place *p, arrow_feed *feed, const char *weight, size_t cap,
                                   lethe_buf *out)
{
    struct ArrowArrayStream in = feed_stream(feed), *const ins[] = {&in};
    lethe_streams *streams = NULL;
    p->said[0] = '\0';
    lethe_err e = lethe_streams_new(p->ctx, ins, 1, &streams);
    if (e == LETHE_OK && weight) e = lethe_streams_set_weight(streams, 0, weight);
    lethe_streams_set(p->ctx, streams);
    if (e == LETHE_OK) e = source_bytes(p->ctx, "stream:0", cap, out);
    lethe_streams_set(p->ctx, NULL);
    lethe_streams_free(streams);
    if (in.release) in.release(&in); // it was not taken over
    return e;
}

/* As text without NUL; NULL where it could not be read. */
static inline lethe_err bytes_as_text(lethe_err e, lethe_buf *all, char **out)
{
    *out = e == LETHE_OK ? calloc(all->n + 1, 1) : NULL;
    if (*out && all->n > 0) memcpy(*out, all->at, all->n);
    lethe_buf_free(all);
    return e;
}

static inline lethe_err source_text(lethe_ctx *ctx, const char *name, size_t cap, char **out)
{
    lethe_buf all = {0};
    return bytes_as_text(source_bytes(ctx, name, cap, &all), &all, out);
}

static inline lethe_err feed_text_weighted(arrow_place *p, arrow_feed *feed, const char *weight,
                                           size_t cap, char **out)
{
    lethe_buf all = {0};
    return bytes_as_text(feed_bytes(p, feed, weight, cap, &all), &all, out);
}

static inline lethe_err feed_text(arrow_place *p, arrow_feed *feed, size_t cap, char **out)
{
    return feed_text_weighted(p, feed, NULL, cap, out);
}

#endif
