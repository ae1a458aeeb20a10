/* SPDX-License-Identifier: Apache-2.0 */
/* make_table.c - a table is made: it is read, worked on and published whole. */
#include "release/make/pipeline.h"
#include "model/published/published_table.h"
#include "model/published/published_tree.h"

static lethe_err emit_cells(lethe_result *out, size_t from, const uint32_t *node, bool starred)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_table_publisher_put(p->publisher, from, node, starred);
}

static lethe_err emit_range(lethe_result *out, size_t qi, uint32_t low, uint32_t high,
                            uint32_t *node)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_table_publisher_range(p->publisher, qi, low, high, node);
}

static lethe_err emit_thetas(lethe_result *out, const lethe_theta *theta)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_table_publisher_thetas(p->publisher, theta);
}

/* What the publisher holds: its lines, and a place and a mark for each (lethe_table_publisher). */
static uint64_t publisher_need(const lethe_sizes *s) { return 17 * s->n + s->text; }

static lethe_err table_run(lethe_pipeline *p)
{
    const lethe_release_job *job = p->job;
    lethe_step_need need = {.step = lethe_pipeline_last(p), .adds = publisher_need};
    (void)lethe_pipeline_begin_work(p, &need);
    lethe_run run = lethe_pipeline_run_of(p, 0);
    lethe_result out = lethe_pipeline_result(p);
    out.cells = emit_cells;
    out.range = emit_range;
    out.thetas = emit_thetas;
    if (p->input)
        p->table = p->input->table;
    else
        LETHE_TRY(lethe_table_from_files(p->ctx, job->inputs, job->n_inputs, &job->reading,
                                         run.values, &p->table));
    p->counts.read = p->table->counts.read;
    p->counts.rejected = p->table->counts.rejected;
    p->counts.suppressed = p->table->counts.missing;
    p->invalid_utf8 = p->table->counts.invalid_utf8;
    lethe_sizes sizes = lethe_table_sizes(p->table);
    const lethe_data data = {.shape = LETHE_SHAPE_TABLE, .table = p->table};
    need.data = &data;
    LETHE_TRY(lethe_ctx_need(p->ctx, &sizes));
    LETHE_TRY(lethe_table_publisher_new(p->ctx, p->table, &p->publisher));
    return job->steps[0].method->run(&run, &data, &out);
}

static void table_count(lethe_pipeline *p)
{
    if (!p->publisher) return;
    p->counts.published = lethe_table_publisher_count(p->publisher);
    p->counts.suppressed += p->table->n - p->counts.published;
}

static lethe_err table_check(lethe_pipeline *p)
{
    if (lethe_table_publisher_count(p->publisher) > 0) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_ANSWER_NO, "nothing is left to publish");
}

static bool has_thetas(const lethe_pipeline *p)
{
    return lethe_table_publisher_has_thetas(p->publisher);
}

static bool has_sensitive_trees(const lethe_pipeline *p)
{
    return lethe_table_publisher_has_sensitive(p->publisher);
}

static const lethe_release_file table_files[] = {
    {.name = LETHE_TABLE_NAME, .write = lethe_table_publisher_data},
    {.name = LETHE_TAXONOMY_NAME, .write = lethe_table_publisher_tree},
    {.name = LETHE_THETA_NAME, .write = lethe_table_publisher_theta, .applies = has_thetas},
    {.name = LETHE_SENSITIVE_TREES_NAME,
     .write = lethe_table_publisher_sensitive,
     .applies = has_sensitive_trees},
    {0}};

const lethe_shape_ops lethe_table_ops = {.shape = LETHE_SHAPE_TABLE,
                                         .noun = "a table",
                                         .title = "A published table",
                                         .files = table_files,
                                         .caveats = lethe_table_caveats,
                                         .run = table_run,
                                         .finish = lethe_table_publisher_finish,
                                         .count = table_count,
                                         .check = table_check,
                                         .map = lethe_table_publisher_map,
                                         .free = lethe_table_publisher_free,
                                         .verify = lethe_verify_table};
