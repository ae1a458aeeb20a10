/* SPDX-License-Identifier: Apache-2.0 */
/* Each worker fills columns of its own; a batch of them is full at a number of rows or bytes, and
 * waits in that worker's list until all are handed out. */
#include "io/arrow/collector.h"
#include <errno.h>

enum { ROWS_MAX = 65536, BATCH_BYTES = 64 << 20 };

typedef struct worker {
    lethe_built_column *columns;
    int64_t n_rows; /* in them */
    size_t bytes;
    struct ArrowArray *batches;
    size_t n_batches;
} worker;

struct lethe_collector {
    lethe_ctx *ctx; /* until there is a stream, which outlives it */
    const lethe_collected_column *columns;
    lethe_str *names;
    size_t n;
    worker *workers;
    unsigned n_workers;
    unsigned w; /* while streaming: whose batches come next, */
    size_t i;   /* and which of them */
};

void lethe_collector_free(lethe_collector *c)
{
    if (!c) return;
    for (unsigned w = 0; c->workers && w < c->n_workers; w++) {
        worker *me = &c->workers[w];
        for (size_t i = 0; i < me->n_batches; i++)
            if (me->batches[i].release) me->batches[i].release(&me->batches[i]);
        for (size_t i = 0; me->columns && i < c->n; i++)
            lethe_built_free(&me->columns[i]);
        lethe_free_all(me->columns, me->batches);
    }
    lethe_free_all(c->workers, c->names, c);
}

static lethe_err columns_new(lethe_collector *c)
{
    c->names = lethe_alloc(c->n, sizeof *c->names);
    c->workers = lethe_alloc_zero(c->n_workers, sizeof *c->workers);
    if (!c->names || !c->workers) return LETHE_ENOMEM;
    for (size_t i = 0; i < c->n; i++)
        c->names[i] = lethe_str_of(c->columns[i].name);
    for (unsigned w = 0; w < c->n_workers; w++) {
        worker *me = &c->workers[w];
        me->columns = lethe_alloc_zero(c->n, sizeof *me->columns);
        if (!me->columns) return LETHE_ENOMEM;
        for (size_t i = 0; i < c->n; i++)
            me->columns[i].kind = c->columns[i].kind;
    }
    return LETHE_OK;
}

lethe_err lethe_collector_new(lethe_ctx *ctx, const lethe_collected_column *columns, size_t n,
                              lethe_collector **out)
{
    lethe_collector *c = lethe_alloc(1, sizeof *c);
    if (!c) return lethe_no_memory(ctx);
    *c = (lethe_collector){
        .ctx = ctx, .columns = columns, .n = n, .n_workers = lethe_ctx_threads(ctx)};
    if (columns_new(c) == LETHE_OK) {
        *out = c;
        return LETHE_OK;
    }
    lethe_collector_free(c);
    return lethe_no_memory(ctx);
}

lethe_built_column *lethe_collector_columns(lethe_collector *c, unsigned w)
{
    return c->workers[w].columns;
}

/* The columns of a worker become a batch. */
static lethe_err batch_end(lethe_collector *c, worker *me)
{
    if (me->n_rows == 0) return LETHE_OK;
    struct ArrowArray *all = lethe_realloc(me->batches, me->n_batches + 1, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    me->batches = all;
    LETHE_TRY(lethe_built_batch(me->columns, c->n, me->n_rows, &all[me->n_batches]));
    me->n_batches++;
    me->n_rows = 0;
    me->bytes = 0;
    return LETHE_OK;
}

lethe_err lethe_collector_end_row(lethe_collector *c, unsigned w, size_t bytes)
{
    worker *me = &c->workers[w];
    me->n_rows++;
    me->bytes += bytes;
    if (me->n_rows < ROWS_MAX && me->bytes < BATCH_BYTES) return LETHE_OK;
    return batch_end(c, me) == LETHE_OK ? LETHE_OK : lethe_no_memory(c->ctx);
}

/* --- the stream --- */

static int stream_schema(struct ArrowArrayStream *in, struct ArrowSchema *out)
{
    const lethe_collector *c = in->private_data;
    return lethe_built_schema(c->workers[0].columns, c->names, c->n, out) == LETHE_OK ? 0 : ENOMEM;
}

static int stream_next(struct ArrowArrayStream *in, struct ArrowArray *out)
{
    lethe_collector *c = in->private_data;
    *out = (struct ArrowArray){0};
    while (c->w < c->n_workers && c->i == c->workers[c->w].n_batches) {
        c->w++;
        c->i = 0;
    }
    if (c->w == c->n_workers) return 0; // the end
    struct ArrowArray *batch = &c->workers[c->w].batches[c->i++];
    *out = *batch;
    batch->release = NULL; // it has moved
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *in)
{
    (void)in;
    return NULL;
}

static void stream_release(struct ArrowArrayStream *in)
{
    lethe_collector_free(in->private_data);
    in->release = NULL;
}

lethe_err lethe_collector_stream(lethe_collector *c, struct ArrowArrayStream *out)
{
    for (unsigned w = 0; w < c->n_workers; w++)
        if (batch_end(c, &c->workers[w]) != LETHE_OK) return lethe_no_memory(c->ctx);
    c->ctx = NULL;
    *out = (struct ArrowArrayStream){.get_schema = stream_schema,
                                     .get_next = stream_next,
                                     .get_last_error = stream_error,
                                     .release = stream_release,
                                     .private_data = c};
    return LETHE_OK;
}
