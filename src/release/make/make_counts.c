/* SPDX-License-Identifier: Apache-2.0 */
/* make_counts.c - counts are made: rows walk from step to step, and the last one gives items with
 * their counts.  Where these are exact, the rows behind them are counted again. */
#include "release/make/pipeline.h"
#include "check/check.h"
#include "model/published/published_counts.h"
#include "release/publish/publish_counts.h"

static lethe_err emit_counted(lethe_result *out, unsigned w, const lethe_row *row)
{
    return lethe_counts_publisher_row(((lethe_pipeline *)out->pipeline)->publisher, w, row);
}

static lethe_err count_published(lethe_result *out, unsigned w, lethe_str item, uint64_t count)
{
    return lethe_counts_publisher_item(((lethe_pipeline *)out->pipeline)->publisher, w, item,
                                       count);
}

static lethe_err counts_step_run(lethe_pipeline *p, size_t i, lethe_log *in)
{
    const lethe_step_need need = {.step = &p->job->steps[i]};
    lethe_run run = lethe_pipeline_run_of(p, i);
    lethe_result out = lethe_pipeline_result(p);
    out.emit = emit_counted;
    out.count = count_published;
    const lethe_work before = lethe_pipeline_begin_work(p, &need);
    lethe_err e =
        need.step->method->run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = in}, &out);
    lethe_ctx_begin_work(p->ctx, &before);
    return e;
}

/* --- operations of the shape --- */

static size_t counts_caveats(const lethe_chain *c, const lethe_publish_options *how,
                             const char *out[LETHE_MAX_CAVEATS])
{
    size_t n = 0;
    (void)c, (void)how;
    out[n++] = "Counts of two releases can be subtracted: where their inputs differ by one person, "
               "the difference shows what that person asked.";
    return n;
}

static lethe_err counts_begin(lethe_pipeline *p)
{
    return lethe_counts_publisher_new(p->ctx, lethe_claims_counted(p->claims), p->to_stdout,
                                      lethe_ctx_memory(p->ctx) / 4, &p->publisher);
}

static lethe_err counts_run(lethe_pipeline *p)
{
    bool records;
    LETHE_TRY(lethe_pipeline_reads_records(p, &records)); // refuses them
    return lethe_log_steps_run(p, counts_step_run);
}

static lethe_err counts_finish(void *publisher)
{
    (void)publisher;
    return LETHE_OK;
}

static void counts_count(lethe_pipeline *p)
{
    p->counts.published = lethe_counts_publisher_rows(p->publisher);
}

static lethe_err counts_check(lethe_pipeline *p)
{
    bool same;
    if (lethe_counts_publisher_items(p->publisher) == 0)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO, "nothing is left to publish");
    LETHE_TRY(lethe_counts_publisher_check(p->publisher, &same));
    if (same) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_EINTERNAL,
                      LETHE_FAULT "a count is not that of the rows behind it");
}

static const lethe_release_file counts_files[] = {
    {.name = LETHE_COUNTS_NAME, .write = lethe_counts_publisher_data}, {0}};

const lethe_shape_ops lethe_counts_ops = {.shape = LETHE_SHAPE_COUNTS,
                                          .noun = "counts",
                                          .title = "Published counts",
                                          .files = counts_files,
                                          .caveats = counts_caveats,
                                          .begin = counts_begin,
                                          .run = counts_run,
                                          .finish = counts_finish,
                                          .count = counts_count,
                                          .check = counts_check,
                                          .free = lethe_counts_publisher_free,
                                          .verify = lethe_verify_counts};
