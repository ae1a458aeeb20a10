/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - what is the same for the steps of a release of any shape: what a step is given, what it
 * leaves out, and the accounts. */
#include "release/make/pipeline.h"

const lethe_step *lethe_pipeline_last(const lethe_pipeline *p)
{
    return &p->job->steps[p->job->n_steps - 1];
}

lethe_err lethe_pipeline_persons_put(lethe_pipeline *p, unsigned w, lethe_str key, lethe_str owner)
{
    for (size_t i = 0; i < p->n_persons; i++)
        if (p->persons[i] && p->persons[i] != p->value_persons)
            LETHE_TRY(lethe_persons_put(p->persons[i], w, key, owner));
    return LETHE_OK;
}

static uint64_t step_need(const lethe_work *w, const lethe_sizes *s)
{
    const lethe_step_need *of = w->arg;
    const lethe_method *m = of->step->method;
    return lethe_need_program + s->held + (of->adds ? of->adds(s) : 0) +
           (m->need ? m->need(&of->step->values, of->data, s) : 0);
}

lethe_work lethe_pipeline_begin_work(lethe_pipeline *p, const lethe_step_need *need)
{
    return lethe_ctx_begin_work(
        p->ctx, &(lethe_work){.name = need->step->method->name, .need = step_need, .arg = need});
}

static void drop_rows(lethe_result *out, unsigned w, const char *reason, uint64_t n_rows)
{
    lethe_drops *mine = &((lethe_pipeline *)out->pipeline)->drops[w];
    size_t i = 0;
    while (i < mine->n && mine->reason[i] != reason)
        i++;
    if (i == LETHE_MAX_REASONS) {
        mine->other += n_rows;
        return;
    }
    if (i == mine->n) {
        mine->reason[mine->n++] = reason;
        mine->rows[i] = 0;
    }
    mine->rows[i] += n_rows;
}

static void keep_rows(lethe_result *out, unsigned w, uint64_t n_rows)
{
    ((lethe_pipeline *)out->pipeline)->drops[w].kept += n_rows;
}

lethe_run lethe_pipeline_run_of(lethe_pipeline *p, size_t i)
{
    // no row is published where the last step gives records: rows are passed on as they are
    const lethe_publish_options as_read = {.times = LETHE_TIMES_EXACT, .urls = LETHE_URLS_KEEP};
    const lethe_log_form form = lethe_form_of(p->ops->shows_users ? &p->job->publishing : &as_read);
    return (lethe_run){.ctx = p->ctx,
                       .values = &p->job->steps[i].values,
                       .random = p->random,
                       .key = p->key,
                       .times = form.times,
                       .urls = form.urls,
                       .part = p->part,
                       .n_kept = p->job->publishing.keep.n,
                       .claims = lethe_steps_claims(p->doc, p->job->steps, i),
                       .memory_bytes = lethe_ctx_memory(p->ctx) / 2,
                       .trace = p->beside[LETHE_BESIDE_TRACE]};
}

lethe_result lethe_pipeline_result(lethe_pipeline *p)
{
    return (lethe_result){.pipeline = p,
                          .drop = drop_rows,
                          .keep = keep_rows,
                          .doc = p->doc,
                          .metrics = p->metrics,
                          .caveats = p->caveats};
}

lethe_err lethe_pipeline_reads_records(lethe_pipeline *p, bool *records)
{
    const lethe_release_job *job = p->job;
    const lethe_method *first = job->steps[0].method;
    bool takes_records = first->in & LETHE_SHAPE_RECORDS;
    *records = p->input && p->input->shape == LETHE_SHAPE_RECORDS;
    if (!p->input && (takes_records || job->reading.format == LETHE_FORMAT_RECORDS))
        LETHE_TRY(
            lethe_inputs_are_records(p->ctx, job->inputs, job->n_inputs, &job->reading, records));
    if (*records && !takes_records)
        return lethe_fail(p->ctx, LETHE_EUSAGE, "%s takes a log, not records", first->name);
    return LETHE_OK;
}

void lethe_pipeline_count_in(lethe_pipeline *p, const lethe_log *in)
{
    // an input that was read before knows of lines that were no rows
    const lethe_read_counts *c = p->input ? &p->input->counts : lethe_log_counts(in);
    p->counts.read = c->lines;
    p->counts.rejected = c->rejected;
    p->counts.suppressed = c->empty + c->filtered;
    p->invalid_utf8 = c->invalid_utf8;
    p->read = *c;
}

void lethe_pipeline_count_out(lethe_pipeline *p)
{
    p->ops->count(p);
    for (unsigned w = 0; w < lethe_ctx_threads(p->ctx); w++) {
        p->counts.suppressed += p->drops[w].other;
        for (size_t i = 0; i < p->drops[w].n; i++)
            p->counts.suppressed += p->drops[w].rows[i];
    }
}
