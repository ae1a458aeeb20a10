/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that come out of order wait here until all before them are written. */
#include "io/write/ordered.h"
#include <pthread.h>
#include <time.h>

enum { HOLD_MS = 100 };

typedef struct held {
    uint64_t index;
    lethe_buf bytes;
} held;

struct lethe_ordered {
    lethe_ctx *ctx;
    lethe_sink *sink;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next; /* the number of the piece that is due */
    held *at;      /* in no order: there are never many */
    size_t n, cap, many;
    lethe_err failed;
};

lethe_err lethe_ordered_new(lethe_ctx *ctx, lethe_sink *sink, lethe_ordered **out)
{
    lethe_ordered *o = lethe_alloc(1, sizeof *o);
    if (!o) return lethe_no_memory(ctx);
    *o = (lethe_ordered){.ctx = ctx, .sink = sink, .many = 2 * (size_t)lethe_ctx_threads(ctx)};
    pthread_mutex_init(&o->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&o->moved, &attr);
    pthread_condattr_destroy(&attr);
    *out = o;
    return LETHE_OK;
}

void lethe_ordered_free(lethe_ordered *o)
{
    if (!o) return;
    for (size_t i = 0; i < o->n; i++)
        lethe_buf_free(&o->at[i].bytes);
    lethe_free(o->at);
    pthread_cond_destroy(&o->moved);
    pthread_mutex_destroy(&o->lock);
    lethe_free(o);
}

static lethe_err keep(lethe_ordered *o, uint64_t index, lethe_buf *piece)
{
    if (o->n == o->cap) {
        size_t cap = o->cap + o->cap / 4 + 8;
        held *at = lethe_realloc(o->at, cap, sizeof *at);
        if (!at) return lethe_no_memory(o->ctx);
        o->at = at;
        o->cap = cap;
    }
    o->at[o->n++] = (held){index, *piece};
    *piece = (lethe_buf){0};
    return LETHE_OK;
}

/* Writes whatever is due. */
static lethe_err write_due(lethe_ordered *o)
{
    for (size_t i = 0; i < o->n;) {
        if (o->at[i].index != o->next) {
            i++;
            continue;
        }
        held due = o->at[i];
        o->at[i] = o->at[--o->n];
        o->next++;
        lethe_err e = due.bytes.n ? lethe_sink_write(o->sink, due.bytes.at, due.bytes.n) : LETHE_OK;
        lethe_buf_free(&due.bytes);
        LETHE_TRY(e);
        i = 0;
    }
    return LETHE_OK;
}

static void wait_while_many(lethe_ordered *o)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += HOLD_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (o->n > o->many && o->failed == LETHE_OK)
        if (pthread_cond_timedwait(&o->moved, &o->lock, &until) != 0) return;
}

lethe_err lethe_ordered_put(lethe_ordered *o, uint64_t index, lethe_buf *piece)
{
    pthread_mutex_lock(&o->lock);
    if (o->failed == LETHE_OK) o->failed = keep(o, index, piece);
    if (o->failed == LETHE_OK) o->failed = write_due(o);
    pthread_cond_broadcast(&o->moved);
    wait_while_many(o);
    lethe_err e = o->failed;
    pthread_mutex_unlock(&o->lock);
    return e;
}

lethe_err lethe_ordered_finish(lethe_ordered *o)
{
    if (o->failed != LETHE_OK) return o->failed;
    if (o->n > 0)
        return lethe_fail(o->ctx, LETHE_EINTERNAL, LETHE_FAULT "a piece of the output is missing");
    return LETHE_OK;
}
