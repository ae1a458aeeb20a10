/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - a chain of row methods onto standard output: nothing is kept, the input's order stays.
 */
#include "release/make/pipeline.h"
#include "io/write/ordered.h"

typedef struct stream {
    lethe_pipeline *p;
    lethe_buf *lines; /* one per worker: the block at hand */
    lethe_ordered *ordered;
    lethe_result out;
} stream;

static lethe_err stream_row(void *arg, unsigned w, const lethe_row *in)
{
    stream *s = arg;
    lethe_row row = *in;
    const char *dropped = NULL;
    for (size_t i = 0; i < s->p->job->n_steps && !dropped; i++)
        LETHE_TRY(s->p->job->steps[i].method->rows->row(s->p->states[i], w, &row, &dropped));
    if (dropped) {
        s->out.drop(&s->out, w, dropped, 1);
        return LETHE_OK;
    }
    return lethe_log_publisher_line(s->p->publisher, w, &row, &s->lines[w]);
}

static lethe_err stream_block(void *arg, unsigned w, uint64_t block)
{
    stream *s = arg;
    size_t usual = s->lines[w].n;
    LETHE_TRY(lethe_ordered_put(s->ordered, block, &s->lines[w]));
    // blocks are alike: what the last one came to need not be grown into again
    return lethe_buf_reserve(&s->lines[w], usual + usual / 8);
}

static lethe_err stream_walk(stream *s, lethe_sink *to)
{
    lethe_pipeline *p = s->p;
    lethe_log *in;
    lethe_row_visitor visitor = {.row = stream_row, .end_of_block = stream_block, .arg = s};
    LETHE_TRY(lethe_ordered_new(p->ctx, to, &s->ordered));
    LETHE_TRY(lethe_sink_write(to, p->layout.head, strlen(p->layout.head)));
    LETHE_TRY(lethe_log_files(p->ctx, p->job->inputs, p->job->n_inputs, &p->job->reading, &in));
    lethe_err e = lethe_log_walk(p->ctx, in, &visitor);
    lethe_pipeline_count_in(p, in);
    lethe_log_free(in);
    if (e == LETHE_OK) e = lethe_ordered_finish(s->ordered);
    for (size_t i = 0; i < p->job->n_steps && e == LETHE_OK; i++)
        e = p->job->steps[i].method->rows->end(p->states[i], &s->out);
    return e;
}

static void stream_end(stream *s)
{
    for (unsigned w = 0; s->lines && w < lethe_ctx_threads(s->p->ctx); w++)
        lethe_buf_free(&s->lines[w]);
    lethe_free(s->lines);
    lethe_ordered_free(s->ordered);
}

lethe_err lethe_stream_run(lethe_pipeline *p)
{
    stream s = {.p = p, .out = lethe_pipeline_result(p)};
    lethe_sink *to;
    LETHE_TRY(lethe_sink_stdout(lethe_ctx_diag(p->ctx), &to));
    s.lines = lethe_alloc_zero(lethe_ctx_threads(p->ctx), sizeof *s.lines);
    lethe_err e = s.lines ? stream_walk(&s, to) : lethe_no_memory(p->ctx);
    stream_end(&s);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}
