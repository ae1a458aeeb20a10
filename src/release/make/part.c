/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - some steps of a chain over a part of the rows, for engines that spread the rows of a log
 * over machines.  What comes out is rows, or the lines that a release would have of them: others
 * put all parts together, and written.c makes a release of what they have written. */
#include "release/make/pipeline.h"
#include "io/arrow/collector.h"
#include "release/release.h"

static const lethe_collected_column row_columns[] = {
    {"owner", LETHE_BUILT_TEXT}, {"user", LETHE_BUILT_TEXT}, {"query", LETHE_BUILT_TEXT},
    {"time", LETHE_BUILT_INT},   {"rank", LETHE_BUILT_INT},  {"url", LETHE_BUILT_TEXT}};
static const lethe_collected_column line_columns[] = {{"line", LETHE_BUILT_TEXT}};

typedef struct part {
    lethe_collector *collector;
    bool lines;
    lethe_buf *line; /* one per worker */
    uint64_t *rows;  /* the same */
} part;

static lethe_err number_put(lethe_built_column *c, bool is_there, int64_t v)
{
    return is_there ? lethe_built_int(c, v) : lethe_built_null(c);
}

static lethe_err columns_put(lethe_built_column *c, const lethe_row *row)
{
    LETHE_TRY(lethe_built_text(&c[0], row->owner));
    LETHE_TRY(lethe_built_text(&c[1], row->user));
    LETHE_TRY(lethe_built_text(&c[2], row->query));
    LETHE_TRY(number_put(&c[3], row->time != LETHE_NO_TIME, row->time));
    LETHE_TRY(number_put(&c[4], row->rank != LETHE_NO_RANK, row->rank));
    return row->url.n > 0 ? lethe_built_text(&c[5], row->url) : lethe_built_null(&c[5]);
}

static lethe_err row_put(lethe_pipeline *p, unsigned w, const lethe_row *row)
{
    part *to = p->emitted;
    size_t bytes = row->owner.n + row->user.n + row->query.n + row->url.n;
    if (columns_put(lethe_collector_columns(to->collector, w), row) != LETHE_OK)
        return lethe_no_memory(p->ctx);
    return lethe_collector_end_row(to->collector, w, bytes);
}

/* Without its LF. */
static lethe_err line_put(lethe_pipeline *p, unsigned w, const lethe_row *row)
{
    part *to = p->emitted;
    lethe_buf *line = &to->line[w];
    line->n = 0;
    if (lethe_log_publisher_line(p->publisher, w, row, line) != LETHE_OK)
        return lethe_no_memory(p->ctx);
    const lethe_str text = {(const char *)line->at, line->n - 1};
    if (lethe_built_text(lethe_collector_columns(to->collector, w), text) != LETHE_OK)
        return lethe_no_memory(p->ctx);
    return lethe_collector_end_row(to->collector, w, text.n);
}

static lethe_err emit(lethe_result *out, unsigned w, const lethe_row *row)
{
    lethe_pipeline *p = out->pipeline;
    part *to = p->emitted;
    to->rows[w]++;
    return to->lines ? line_put(p, w, row) : row_put(p, w, row);
}

static lethe_err emit_read(void *arg, unsigned w, const lethe_row *row)
{
    lethe_result out = lethe_pipeline_result(arg);
    return emit(&out, w, row);
}

/* Rows as they are read. */
static lethe_err read_only(lethe_pipeline *p)
{
    lethe_log *in;
    const lethe_release_job *job = p->job;
    LETHE_TRY(lethe_log_files(p->ctx, job->inputs, job->n_inputs, &job->reading, &in));
    lethe_err e = lethe_log_walk(p->ctx, in, &(lethe_row_visitor){.row = emit_read, .arg = p});
    lethe_pipeline_count_in(p, in);
    lethe_log_free(in);
    return e;
}

static lethe_err part_begin(lethe_pipeline *p, part *to)
{
    unsigned n = lethe_ctx_threads(p->ctx);
    p->emitted = to;
    p->emit = emit;
    to->line = lethe_alloc_zero(n, sizeof *to->line);
    to->rows = lethe_alloc_zero(n, sizeof *to->rows);
    if (!to->line || !to->rows) return lethe_no_memory(p->ctx);
    LETHE_TRY(
        to->lines
            ? lethe_collector_new(p->ctx, line_columns, LETHE_COUNT(line_columns), &to->collector)
            : lethe_collector_new(p->ctx, row_columns, LETHE_COUNT(row_columns), &to->collector));
    return lethe_pipeline_begin(p);
}

static void part_end(lethe_pipeline *p, part *to)
{
    for (unsigned w = 0; to->line && w < lethe_ctx_threads(p->ctx); w++)
        lethe_buf_free(&to->line[w]);
    lethe_free_all(to->line, to->rows);
    lethe_collector_free(to->collector);
}

/* What the whole adds up.  What is read here has only been read of the input where the steps begin:
 * later it is what another part gave. */
static lethe_json *part_report(lethe_pipeline *p, const part *of)
{
    lethe_json *r = lethe_json_object(p->doc), *counts = lethe_json_object(p->doc);
    uint64_t rows = 0;
    for (unsigned w = 0; w < lethe_ctx_threads(p->ctx); w++) {
        rows += of->rows[w];
        p->counts.suppressed += p->drops[w].other;
        for (size_t i = 0; i < p->drops[w].n; i++)
            p->counts.suppressed += p->drops[w].rows[i];
    }
    lethe_set_count(p->doc, counts, "read", p->counts.read);
    lethe_set_count(p->doc, counts, "rows", rows);
    lethe_set_count(p->doc, counts, "suppressed", p->counts.suppressed);
    lethe_set_count(p->doc, counts, "rejected", p->counts.rejected);
    lethe_set_count(p->doc, counts, "invalid_utf8", p->invalid_utf8);
    if (of->lines) {
        lethe_set_count(p->doc, counts, "urls_uncut", lethe_log_publisher_uncut(p->publisher));
        lethe_set_text(p->doc, r, "head", p->layout.head);
    }
    lethe_set_text(p->doc, r, "command", "part");
    lethe_json_set(p->doc, r, "counts", counts);
    lethe_json_set(p->doc, r, "metrics", p->metrics);
    lethe_json_set(p->doc, r, "caveats", p->caveats);
    return r;
}

static lethe_err part_run(lethe_pipeline *p, part *to, lethe_json **report,
                          struct ArrowArrayStream *out)
{
    LETHE_TRY(part_begin(p, to));
    LETHE_TRY(p->first == p->end ? read_only(p) : lethe_log_steps_run(p, lethe_log_step_run));
    if (to->lines && p->publishing->urls == LETHE_URLS_HOST &&
        lethe_log_publisher_columns(p->publisher).object_ids >
            0) // the manifest would have to say so
        return lethe_fail(p->ctx, LETHE_EUSAGE,
                          "clicked objects that are no URLs are not for parts: use --urls id");
    *report = part_report(p, to);
    if (lethe_json_failed(p->doc)) return lethe_no_memory(p->ctx);
    LETHE_TRY(lethe_collector_stream(to->collector, out));
    to->collector = NULL;
    return LETHE_OK;
}

lethe_err lethe_step_for_parts(lethe_ctx *ctx, const lethe_step *step)
{
    bool rows = lethe_step_shape(step) & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED);
    if (rows && !step->method->samples) return LETHE_OK;
    return lethe_fail(ctx, LETHE_EUSAGE,
                      "%s does not give rows of its input, so it is not for parts",
                      step->method->name);
}

/* Methods that look at each row, or at all rows of a user, may see a part of the rows. */
static lethe_err steps_check(lethe_ctx *ctx, const lethe_part_job *j)
{
    for (size_t i = j->first; i < j->end; i++) {
        const lethe_step *step = &j->job.steps[i];
        LETHE_TRY(lethe_step_for_parts(ctx, step));
        if (!j->whole && !step->method->rows && !step->method->renames)
            return lethe_fail(ctx, LETHE_EUSAGE, "%s needs all rows at once, not a part of them",
                              step->method->name);
        if (!j->lines && lethe_step_shape(step) == LETHE_SHAPE_SEALED)
            return lethe_fail(ctx, LETHE_EUSAGE, "%s gives lines, not rows", step->method->name);
    }
    return LETHE_OK;
}

/* Lines of a sealed log are made by the step that seals. */
static lethe_err lines_check(lethe_ctx *ctx, const lethe_part_job *j)
{
    const lethe_step *last = &j->job.steps[j->job.n_steps - 1];
    if (j->end != j->job.n_steps)
        return lethe_fail(ctx, LETHE_EUSAGE, "only the last step gives lines");
    LETHE_TRY(lethe_step_for_parts(ctx, last));
    if (lethe_step_shape(last) == LETHE_SHAPE_SEALED && j->first == j->end)
        return lethe_fail(ctx, LETHE_EUSAGE, "%s gives lines, so rows cannot have it behind them",
                          last->method->name);
    return LETHE_OK;
}

/* Do names follow from the key?  Without a key file, each part would draw a key of its own: a user
 * would have as many pseudonyms as there are parts, and count as so many persons.  Methods that
 * look at each row of a log alone, as scrub does, make no names. */
static bool uses_key(const lethe_part_job *j)
{
    bool names = j->lines;
    for (size_t i = j->first; i < j->end; i++)
        names = names || !j->job.steps[i].method->rows;
    return names;
}

static lethe_err part_check(lethe_ctx *ctx, const lethe_part_job *j)
{
    const lethe_release_job *job = &j->job;
    if (j->first > j->end || j->end > job->n_steps)
        return lethe_fail(ctx, LETHE_EUSAGE, "the chain has no steps %zu to %zu", j->first, j->end);
    if (job->publishing.keep.n > 0)
        return lethe_fail(ctx, LETHE_EUSAGE, "--keep: further columns are not for parts");
    if (job->reading.has_users_with)
        return lethe_fail(ctx, LETHE_EUSAGE, "--users-with is not for parts");
    if (job->publishing.has_seed)
        return lethe_fail(ctx, LETHE_EUSAGE, "--seed is not for parts: use --key-file");
    if (!job->publishing.key_file && uses_key(j))
        return lethe_fail(ctx, LETHE_EUSAGE, "parts need --key-file, the same for all of them");
    if (j->lines) LETHE_TRY(lines_check(ctx, j));
    return steps_check(ctx, j);
}

lethe_err lethe_part_run(lethe_ctx *ctx, const lethe_part_job *j, lethe_json_doc *doc,
                         lethe_json **report, struct ArrowArrayStream *out)
{
    lethe_release_job own = j->job;
    own.out = "-";
    own.reading.part = !j->whole;
    LETHE_TRY(lethe_job_check(ctx, &own));
    LETHE_TRY(part_check(ctx, j));
    const lethe_step *last = &own.steps[own.n_steps - 1];
    lethe_publishing_settle(last, &own.publishing);
    lethe_pipeline p = {.ctx = ctx,
                        .job = &own,
                        .publishing = &own.publishing,
                        .doc = doc,
                        .to_stdout = true,
                        .ops = lethe_shape_ops_of(lethe_step_shape(last)),
                        .layout = lethe_line_layout_of(last),
                        .first = j->first,
                        .end = j->end,
                        .part = !j->whole};
    part to = {.lines = j->lines};
    lethe_ctx_set_english(ctx, false);
    lethe_err e = part_run(&p, &to, report, out);
    part_end(&p, &to);
    lethe_pipeline_end(&p);
    return e;
}
