/* SPDX-License-Identifier: Apache-2.0 */
/* make_log.c - a log, open or sealed, is made: rows walk from step to step, and those of the last
 * one become sorted lines. */
#include "release/make/pipeline.h"

static lethe_err emit_published(lethe_result *out, unsigned w, const lethe_row *row)
{
    lethe_pipeline *p = out->pipeline;
    LETHE_TRY(lethe_pipeline_persons_put(p, w, row->query, row->owner));
    return lethe_log_publisher_row(p->publisher, w, row);
}

static lethe_err emit_stored(lethe_result *out, unsigned w, const lethe_row *row)
{
    return lethe_log_append(((lethe_pipeline *)out->pipeline)->store, w, row);
}

/* --- the steps --- */

/* A method that works row by row, at work. */
typedef struct row_step {
    const lethe_row_method *rows;
    void *state;
    lethe_result *out;
} row_step;

static lethe_err row_step_take(void *arg, unsigned w, const lethe_row *in)
{
    row_step *s = arg;
    lethe_row row = *in;
    const char *dropped = NULL;
    LETHE_TRY(s->rows->row(s->state, w, &row, &dropped));
    if (!dropped) return s->out->emit(s->out, w, &row);
    s->out->drop(s->out, w, dropped, 1);
    return LETHE_OK;
}

static lethe_err log_step_run(lethe_pipeline *p, size_t i, lethe_log *in)
{
    const lethe_method *method = p->job->steps[i].method;
    bool last = i + 1 == p->job->n_steps;
    lethe_run run = lethe_pipeline_run_of(p, i);
    lethe_result out = lethe_pipeline_result(p);
    out.emit = last ? emit_published : emit_stored;
    if (!last) LETHE_TRY(lethe_log_store(p->ctx, lethe_ctx_memory(p->ctx) / 8, &p->store));
    if (!method->rows) {
        const lethe_step_need need = {.step = &p->job->steps[i]};
        const lethe_work before = lethe_pipeline_begin_work(p, &need);
        lethe_err e = method->run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = in}, &out);
        lethe_ctx_begin_work(p->ctx, &before);
        return e;
    }
    row_step step = {.rows = method->rows, .state = p->states[i], .out = &out};
    LETHE_TRY(lethe_log_walk(p->ctx, in, &(lethe_row_visitor){.row = row_step_take, .arg = &step}));
    return step.rows->end(step.state, &out);
}

lethe_err lethe_log_steps_run(lethe_pipeline *p, lethe_log_step_fn last)
{
    lethe_log *in;
    lethe_err e = LETHE_OK;
    const lethe_job *job = p->job;
    if (p->input)
        in = p->input->log;
    else
        LETHE_TRY(lethe_log_files(p->ctx, job->inputs, job->n_inputs, &job->reading, &in));
    for (size_t i = 0; i < job->n_steps && e == LETHE_OK; i++) {
        e = i + 1 == job->n_steps ? last(p, i, in) : log_step_run(p, i, in);
        if (i == 0) lethe_pipeline_count_in(p, in);
        if (i > 0 || !p->input) lethe_log_free(in); // a step's input is freed once it was read
        in = p->store;
        p->store = NULL;
    }
    lethe_log_free(in);
    return e;
}

/* --- operations of the shape --- */

static size_t log_caveats(const lethe_chain *c, const lethe_publish_options *how,
                          const char *out[LETHE_MAX_CAVEATS])
{
    size_t n = 0;
    if (how->keep_users && !c->renames)
        out[n++] = "Users are published under the names they have in the log.";
    if (how->times == LETHE_TIMES_EXACT)
        out[n++] = "Times are published to the second: anyone who saw a query being typed can find "
                   "its user.";
    if (c->times && how->times == LETHE_TIMES_DROP)
        out[n++] = "Times are not published, and what is promised of personas depends on them: it "
                   "cannot be checked from this release.";
    if (how->urls == LETHE_URLS_KEEP)
        out[n++] = "Clicked URLs are published whole; paths and query strings can name a person.";
    if (c->ids && (how->urls == LETHE_URLS_HOST || how->urls == LETHE_URLS_KEEP))
        out[n++] = "--urls host or keep: the release shows which sites were clicked for which "
                   "queries.";
    if (how->urls == LETHE_URLS_ID)
        out[n++] = "Clicked URLs are keyed identifiers, but anyone who replays the queries can "
                   "often tell which URL is meant.";
    return n;
}

static lethe_err log_begin(lethe_pipeline *p)
{
    return lethe_log_publisher_new(p->ctx, &p->job->publishing, &p->layout, p->key,
                                   lethe_ctx_memory(p->ctx) / 4, &p->publisher);
}

static lethe_err log_run(lethe_pipeline *p)
{
    bool records;
    if (p->streams) return lethe_stream_run(p);
    LETHE_TRY(lethe_pipeline_reads_records(p, &records)); // refuses them
    return lethe_log_steps_run(p, log_step_run);
}

static void log_count(lethe_pipeline *p)
{
    p->counts.published = 0;
    if (!lethe_pipeline_last(p)->method->samples)
        p->counts.published = lethe_log_publisher_rows(p->publisher);
    else
        for (unsigned w = 0; w < lethe_ctx_threads(p->ctx); w++)
            p->counts.published += p->drops[w].kept;
}

static lethe_err log_check(lethe_pipeline *p)
{
    if (lethe_log_publisher_rows(p->publisher) > 0) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_ANSWER_NO, "nothing is left to publish");
}

static const lethe_figure log_adds[] = {
    {"urls_uncut", "clicked addresses left out because their host could not be determined", -1,
     .optional = true},
    {0},
};

static void log_figures(lethe_pipeline *p)
{
    uint64_t uncut = lethe_log_publisher_uncut(p->publisher);
    if (uncut) lethe_set_count(p->doc, p->metrics, "urls_uncut", uncut);
}

static const lethe_release_file log_files[] = {
    {.name = "data.tsv", .write = lethe_log_publisher_data}, {0}};

const lethe_shape_ops lethe_log_ops = {.shape = LETHE_SHAPE_LOG,
                                       .noun = "a log",
                                       .title = "A published search log",
                                       .shows_users = true,
                                       .person_of = "query",
                                       .files = log_files,
                                       .adds = log_adds,
                                       .caveats = log_caveats,
                                       .begin = log_begin,
                                       .run = log_run,
                                       .finish = lethe_log_publisher_finish,
                                       .count = log_count,
                                       .check = log_check,
                                       .figures = log_figures,
                                       .map = lethe_log_publisher_map,
                                       .free = lethe_log_publisher_free,
                                       .verify = lethe_verify_log,
                                       .verify_figures = lethe_verify_log_figures};

const lethe_shape_ops lethe_sealed_ops = {.shape = LETHE_SHAPE_SEALED,
                                          .noun = "a sealed log",
                                          .title = "A sealed search log",
                                          .shows_users = true,
                                          .person_of = "query",
                                          .files = log_files,
                                          .adds = log_adds,
                                          .caveats = log_caveats,
                                          .begin = log_begin,
                                          .run = log_run,
                                          .finish = lethe_log_publisher_finish,
                                          .count = log_count,
                                          .check = log_check,
                                          .figures = log_figures,
                                          .map = lethe_log_publisher_map,
                                          .free = lethe_log_publisher_free,
                                          .verify = lethe_verify_sealed,
                                          .verify_figures = lethe_verify_sealed_figures};
