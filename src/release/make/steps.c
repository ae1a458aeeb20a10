/* steps.c - the steps of a release: what is read walks from one to the next, and what the last one
 * gives goes to the publisher. */
#include "release/make/pipeline.h"
#include <stdio.h>

/* --- what steps give back --- */

static lethe_err emit_published(lethe_result *out, unsigned w, const lethe_row *row)
{
    lethe_pipeline *p = out->pipeline;
    for (size_t i = 0; i < p->n_persons; i++)
        if (p->persons[i]) LETHE_TRY(lethe_persons_put(p->persons[i], w, row->query, row->owner));
    return lethe_publisher_row(p->publisher, w, row);
}

static lethe_err emit_stored(lethe_result *out, unsigned w, const lethe_row *row)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_log_append(p->store, w, row);
}

/* Persons are told apart by number; with `--persons record` each record is one. */
static lethe_err emit_record(lethe_result *out, size_t from, uint32_t group, const uint32_t *node,
                             size_t n)
{
    lethe_pipeline *p = out->pipeline;
    char key[16], owner[24];
    int n_key = snprintf(key, sizeof key, "%lu", (unsigned long)group);
    const lethe_records *r = p->shaped.records;
    LETHE_TRY(lethe_record_publisher_put(p->record_publisher, from, group, node, n));
    uint64_t person = p->records_are_persons ? from : r->owner[from];
    int n_owner = snprintf(owner, sizeof owner, "%llu", (unsigned long long)person);
    for (size_t i = 0; i < p->n_persons; i++)
        if (p->persons[i])
            LETHE_TRY(lethe_persons_put(p->persons[i], 0, (lethe_str){key, (size_t)n_key},
                                        (lethe_str){owner, (size_t)n_owner}));
    return LETHE_OK;
}

static lethe_err emit_bag(lethe_result *out, const uint32_t *node, size_t n, uint32_t *item)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_record_publisher_bag(p->record_publisher, node, n, item);
}

static lethe_err emit_cells(lethe_result *out, size_t from, const uint32_t *node, bool starred)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_table_publisher_put(p->table_publisher, from, node, starred);
}

static lethe_err emit_thetas(lethe_result *out, const lethe_theta *theta)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_table_publisher_thetas(p->table_publisher, theta);
}

static void drop_rows(lethe_result *out, unsigned w, const char *reason, uint64_t n_rows)
{
    lethe_pipeline *p = out->pipeline;
    lethe_drops *mine = &p->drops[w];
    for (size_t i = 0; i < mine->n; i++)
        if (mine->reason[i] == reason) {
            mine->rows[i] += n_rows;
            return;
        }
    if (mine->n == LETHE_MAX_REASONS) {
        mine->other += n_rows;
        return;
    }
    mine->reason[mine->n] = reason;
    mine->rows[mine->n++] = n_rows;
}

static void keep_rows(lethe_result *out, unsigned w, uint64_t n_rows)
{
    lethe_pipeline *p = out->pipeline;
    p->drops[w].kept += n_rows;
}

static bool last_samples(const lethe_pipeline *p)
{
    return p->job->steps[p->job->n_steps - 1].method->samples;
}

void lethe_pipeline_count_out(lethe_pipeline *p)
{
    uint64_t kept = 0;
    p->counts.suppressed += p->shaped.rows_unused;
    if (p->record_publisher)
        lethe_record_publisher_lines(p->record_publisher, &p->counts.published,
                                     &p->counts.suppressed);
    if (p->table_publisher) {
        p->counts.published = lethe_table_publisher_count(p->table_publisher);
        p->counts.suppressed += p->table->n - p->counts.published;
    }
    for (unsigned w = 0; w < lethe_ctx_threads(p->ctx); w++) {
        kept += p->drops[w].kept;
        p->counts.suppressed += p->drops[w].other;
        for (size_t i = 0; i < p->drops[w].n; i++)
            p->counts.suppressed += p->drops[w].rows[i];
    }
    if (p->publisher)
        p->counts.published = last_samples(p) ? kept : lethe_publisher_rows(p->publisher);
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

static lethe_err row_step_run(lethe_ctx *ctx, row_step *s, lethe_log *in)
{
    LETHE_TRY(lethe_log_walk(ctx, in, &(lethe_row_visitor){.row = row_step_take, .arg = s}));
    return s->rows->end(s->state, s->out);
}

lethe_run lethe_pipeline_run_of(lethe_pipeline *p, size_t i)
{
    return (lethe_run){.ctx = p->ctx,
                       .values = &p->job->steps[i].values,
                       .random = p->random,
                       .key = p->key,
                       .times = (lethe_time_unit)p->job->publishing.times,
                       .urls = lethe_form_of(&p->job->publishing).urls,
                       .claims = lethe_steps_claims(p->doc, p->job->steps, i),
                       .memory_bytes = lethe_ctx_memory(p->ctx) / 2,
                       .trace = p->trace};
}

lethe_result lethe_pipeline_result(lethe_pipeline *p, bool last)
{
    return (lethe_result){.pipeline = p,
                          .emit = last ? emit_published : emit_stored,
                          .drop = drop_rows,
                          .keep = keep_rows,
                          .record = emit_record,
                          .bag = emit_bag,
                          .cells = emit_cells,
                          .thetas = emit_thetas,
                          .doc = p->doc,
                          .metrics = p->metrics,
                          .caveats = p->caveats};
}

static lethe_err log_step_run(lethe_pipeline *p, size_t i, lethe_log *in)
{
    const lethe_method *method = p->job->steps[i].method;
    bool last = i + 1 == p->job->n_steps;
    lethe_run run = lethe_pipeline_run_of(p, i);
    lethe_result out = lethe_pipeline_result(p, last);
    if (!last) LETHE_TRY(lethe_log_store(p->ctx, lethe_ctx_memory(p->ctx) / 8, &p->store));
    if (method->rows)
        return row_step_run(
            p->ctx, &(row_step){.rows = method->rows, .state = p->states[i], .out = &out}, in);
    return method->run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = in}, &out);
}

/* The method works on p->shaped, and is the last step. */
static lethe_err record_step_run(lethe_pipeline *p, size_t i)
{
    lethe_run run = lethe_pipeline_run_of(p, i);
    lethe_result out = lethe_pipeline_result(p, true);
    LETHE_TRY(lethe_bound_to_sets(p->ctx, p->job->steps[i].method, run.values, &p->shaped));
    const lethe_data data = {
        .shape = LETHE_SHAPE_RECORDS, .records = p->shaped.records, .tree = p->shaped.tree};
    p->records_are_persons = lethe_count_of(run.values, "persons") == 1;
    LETHE_TRY(lethe_record_publisher_new(p->ctx, data.records, data.tree, &p->record_publisher));
    return p->job->steps[i].method->run(&run, &data, &out);
}

static bool takes_records(const lethe_pipeline *p, size_t i)
{
    return p->job->steps[i].method->in & LETHE_SHAPE_RECORDS;
}

void lethe_pipeline_count_in(lethe_pipeline *p, const lethe_log *in)
{
    // what is held was read before, and knows of lines that were no rows
    const lethe_read_counts *c = p->held ? &p->held->counts : lethe_log_counts(in);
    p->counts.read = c->lines;
    p->counts.rejected = c->rejected;
    p->counts.suppressed = c->empty + c->filtered;
    p->invalid_utf8 = c->invalid_utf8;
}

/* The log walks from step to step; what a step has read is let go. */
static lethe_err log_steps_run(lethe_pipeline *p)
{
    lethe_log *in;
    lethe_err e = LETHE_OK;
    const lethe_job *job = p->job;
    if (p->held)
        in = p->held->log;
    else
        LETHE_TRY(lethe_log_files(p->ctx, job->inputs, job->n_inputs, &job->reading, &in));
    for (size_t i = 0; i < job->n_steps && e == LETHE_OK; i++) {
        bool shapes = takes_records(p, i);
        e = shapes ? lethe_bind_log(p->ctx, in, &job->steps[i].values, NULL, job->reading.strict,
                                    &p->shaped)
                   : log_step_run(p, i, in);
        if (i == 0) lethe_pipeline_count_in(p, in);
        if (i > 0 || !p->held) lethe_log_free(in);
        in = p->store;
        p->store = NULL;
        if (shapes && e == LETHE_OK) e = record_step_run(p, i);
    }
    lethe_log_free(in);
    return e;
}

static lethe_err record_steps_run(lethe_pipeline *p)
{
    const lethe_job *job = p->job;
    p->steps = lethe_steps_json(p->doc, job, true);
    const lethe_values *v = &job->steps[0].values;
    if (p->held)
        LETHE_TRY(
            lethe_input_to_records(p->ctx, p->held, v, NULL, job->reading.strict, &p->shaped));
    else
        LETHE_TRY(lethe_bind_files(p->ctx, job->inputs, job->n_inputs, v, NULL, job->reading.strict,
                                   &p->shaped));
    const lethe_record_counts *c = &p->shaped.records->counts;
    p->counts.read = c->read;
    p->counts.rejected = c->rejected;
    p->invalid_utf8 = c->invalid_utf8;
    return record_step_run(p, 0);
}

/* A table is read, worked on and published whole. */
static lethe_err table_step_run(lethe_pipeline *p)
{
    const lethe_job *job = p->job;
    lethe_run run = lethe_pipeline_run_of(p, 0);
    lethe_result out = lethe_pipeline_result(p, true);
    if (p->held)
        p->table = p->held->table;
    else
        LETHE_TRY(lethe_table_from_files(p->ctx, job->inputs, job->n_inputs, &job->reading,
                                         run.values, &p->table));
    p->counts.read = p->table->counts.read;
    p->counts.rejected = p->table->counts.rejected;
    p->counts.suppressed = p->table->counts.missing;
    p->invalid_utf8 = p->table->counts.invalid_utf8;
    LETHE_TRY(lethe_table_publisher_new(p->ctx, p->table, &p->table_publisher));
    const lethe_data data = {.shape = LETHE_SHAPE_TABLE, .table = p->table};
    return job->steps[0].method->run(&run, &data, &out);
}

static lethe_err publisher_finish(lethe_pipeline *p)
{
    if (p->publisher) return lethe_publisher_finish(p->publisher);
    return p->table_publisher ? lethe_table_publisher_finish(p->table_publisher)
                              : lethe_record_publisher_finish(p->record_publisher);
}

lethe_err lethe_steps_run(lethe_pipeline *p)
{
    bool records = false;
    const lethe_job *job = p->job;
    if (p->shape == LETHE_SHAPE_TABLE) {
        lethe_err e = table_step_run(p);
        if (e == LETHE_OK) e = publisher_finish(p);
        lethe_pipeline_count_out(p);
        return e;
    }
    if (p->held)
        records = p->held->shape == LETHE_SHAPE_RECORDS;
    else if (takes_records(p, 0) || job->reading.format == LETHE_FORMAT_RECORDS)
        LETHE_TRY(
            lethe_inputs_are_records(p->ctx, job->inputs, job->n_inputs, &job->reading, &records));
    if (records && !takes_records(p, 0))
        return lethe_fail(p->ctx, LETHE_EUSAGE, "%s takes a log, not records",
                          job->steps[0].method->name);
    lethe_err e = records ? record_steps_run(p) : log_steps_run(p);
    if (e == LETHE_OK) e = publisher_finish(p);
    lethe_pipeline_count_out(p); // a report of what was refused accounts for all of it, too
    return e;
}
