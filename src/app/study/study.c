/* SPDX-License-Identifier: Apache-2.0 */
/* study.c - every run of a study, one after the other, and the files about all of them. */
#include "app/study/study.h"
#include "app/judge.h"
#include "core/clock.h"
#include "release/page/report.h"
#include "release/make/table_options.h"
#include <math.h>
#include <stdio.h>

typedef struct study {
    lethe_ctx *ctx;
    const lethe_compare_options *asked;
    lethe_arena *arena;
    lethe_json_doc *doc; /* of the report */
    lethe_shape shape;
    lethe_input_facts facts; /* without names of methods */
    lethe_plan plan;
    lethe_json_doc *settings_doc;
    lethe_json *settings;
    lethe_study_folder folder;
    lethe_json **rows; /* by run; NULL: still to be made */
    size_t n_pending;
    lethe_input input;
    bool is_read;
    lethe_study_messages messages;
    char *spill_dir; /* the context's own, while spill files go beside the study */
} study;

static lethe_diag *diag(const study *s) { return lethe_ctx_diag(s->ctx); }

/* Is the release of a row what it was?  It lay there for anybody who can write to it. */
static lethe_err release_stands(study *s, const lethe_planned_run *run, const lethe_json *row,
                                bool *stands)
{
    lethe_diag *d = diag(s);
    lethe_json *report = NULL;
    *stands = lethe_json_int(lethe_json_get(row, "status")) != 0; // there is none
    if (*stands) return LETHE_OK;
    const char *path = lethe_study_release(s->arena, &s->folder, run);
    lethe_json_doc *doc = path ? lethe_json_doc_new() : NULL;
    if (!doc) return lethe_no_memory(d);
    lethe_listener before = lethe_diag_divert(d, (lethe_listener){0});
    lethe_err e = lethe_release_verify(s->ctx, path, NULL, doc, &report);
    (void)lethe_diag_divert(d, before);
    lethe_json_doc_free(doc);
    *stands = e == LETHE_OK;
    if (e != LETHE_ANSWER_NO && e != LETHE_EINPUT && e != LETHE_EIO) return e;
    lethe_warn(d, "the release '%s' was changed since, and is made again", run->label);
    return LETHE_OK;
}

/* What a study that was stopped has done already. */
static lethe_err rows_resume(study *s)
{
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < s->plan.n; i++) {
        lethe_json_doc *doc = NULL;
        lethe_json *row = NULL;
        if (s->folder.begun)
            LETHE_TRY(lethe_study_resume(diag(s), &s->folder, &s->plan.at[i], &doc, &row));
        bool stands = false;
        if (row) e = release_stands(s, &s->plan.at[i], row, &stands);
        if (e == LETHE_OK && row && !stands)
            e = lethe_study_forget(diag(s), &s->folder, &s->plan.at[i]);
        if (stands) s->rows[i] = lethe_json_copy(s->doc, row);
        lethe_json_doc_free(doc);
        LETHE_TRY(e);
        if (!stands) s->n_pending++;
    }
    return lethe_json_failed(s->doc) ? lethe_no_memory(diag(s)) : LETHE_OK;
}

/* Named methods read a table with their own options. */
static lethe_err table_values(study *s, lethe_values *out)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    if (s->shape != LETHE_SHAPE_TABLE || s->plan.n == 0) return LETHE_OK;
    LETHE_TRY(lethe_run_steps(diag(s), s->arena, &s->plan.at[0], s->asked->values, steps));
    *out = steps[0].values;
    return lethe_table_options_check(diag(s), out);
}

/* Reads the input, and gathers its facts if the plan is that of the candidates. */
static lethe_err input_open(study *s)
{
    const lethe_compare_options *c = s->asked;
    const lethe_candidate_input of = {.paths = c->inputs,
                                      .n_paths = c->n_inputs,
                                      .reading = &c->reading,
                                      .given = c->values,
                                      .shape = s->shape};
    const lethe_work work = {.name = "compare"};
    lethe_values v = {0};
    if (s->is_read) return LETHE_OK;
    if (c->methods) LETHE_TRY(table_values(s, &v));
    const lethe_work before = lethe_ctx_begin_work(s->ctx, &work);
    lethe_err e = c->methods ? lethe_input_read(s->ctx, c->inputs, c->n_inputs, &c->reading,
                                                s->shape, &v, &s->input)
                             : lethe_facts_read(s->ctx, s->arena, &of, &s->input, &s->facts);
    lethe_ctx_begin_work(s->ctx, &before);
    s->is_read = e == LETHE_OK;
    return e;
}

/* The input is read before anything is written or cleared: what cannot be read costs nothing. */
static lethe_err study_begin(study *s)
{
    const lethe_compare_options *c = s->asked;
    lethe_diag *d = diag(s);
    bool again;
    if (c->n_inputs == 0) return lethe_fail(d, LETHE_EUSAGE, "no input given");
    LETHE_TRY(lethe_input_shape_of(s->ctx, c->inputs, c->n_inputs, &c->reading,
                                   lethe_is_given(c->values, "qi"), &s->shape));
    // what a log has decides about single runs only, which have a row in any case
    if (!c->methods && s->shape != LETHE_SHAPE_LOG) LETHE_TRY(input_open(s));
    LETHE_TRY(lethe_plan_make(d, s->arena, c, s->shape, &s->facts, &s->plan));
    s->settings_doc = lethe_json_doc_new();
    s->rows = lethe_new(s->arena, lethe_json *, s->plan.n + 1);
    if (!s->settings_doc || !s->rows) return lethe_no_memory(d);
    LETHE_TRY(lethe_study_settings(d, s->settings_doc, c, &s->plan, &s->settings, &again));
    LETHE_TRY(lethe_study_open(s->ctx, s->arena, c, s->settings, again, &s->folder));
    LETHE_TRY(rows_resume(s));
    if (s->n_pending > 0) {
        // what does not fit in memory goes into the study's folder, which is closed to others
        LETHE_TRY(lethe_spill_begin(s->ctx, s->folder.path, &s->spill_dir));
        LETHE_TRY(input_open(s));
    }
    return lethe_study_begin(d, &s->folder, c->publishing.force, s->settings);
}

/* What the run needs and a log does not have; NULL: nothing. */
static const char *log_lacks(const study *s, const lethe_planned_run *run)
{
    if (s->shape != LETHE_SHAPE_LOG) return NULL;
    if (run->needs & LETHE_NEEDS_CLICKS && !s->facts.has_clicks) return "the log has no clicks";
    if (run->needs & LETHE_NEEDS_TIMES && !s->facts.has_times) return "the log has no times";
    return NULL;
}

/* A run of the same methods that was stopped, or left out: this one would be, too. */
static const lethe_planned_run *late_before(const study *s, const lethe_planned_run *run)
{
    for (size_t i = 0; i < s->plan.n; i++) {
        const lethe_planned_run *other = &s->plan.at[i];
        if (other != run && other->method == run->method && other->n_steps == run->n_steps &&
            lethe_json_bool(lethe_json_get(s->rows[i], "left_out")))
            return other;
    }
    return NULL;
}

/* Why a run is not begun, in the arena; NULL: it is. */
static const char *too_slow(const study *s, const lethe_run_cost *c, double left)
{
    const lethe_planned_run *run = &s->plan.at[c->run], *late = late_before(s, run);
    if (!isfinite(left)) return NULL;
    if (c->seconds > left && isfinite(c->seconds))
        return lethe_arena_printf(s->arena,
                                  "left out: it takes %.0f s or more, and %.0f s are left "
                                  "(--within)",
                                  c->seconds, fmax(left, 0));
    if (!late) return NULL;
    return lethe_arena_printf(s->arena, "left out, as %s was (--within)", late->label);
}

static lethe_err run_make(study *s, const lethe_study_work *w, const lethe_run_cost *c,
                          double seconds)
{
    const lethe_planned_run *run = &s->plan.at[c->run];
    lethe_json **row = &s->rows[c->run];
    const char *why = log_lacks(s, run);
    if (why) return lethe_study_not_made(w, run, why, s->doc, row);
    why = too_slow(s, c, seconds);
    if (why) return lethe_study_leave_out(w, run, why, s->doc, row);
    LETHE_TRY(lethe_study_run(w, run, seconds, s->doc, row));
    int64_t status = lethe_json_int(lethe_json_get(*row, "status"));
    bool left_out = lethe_json_bool(lethe_json_get(*row, "left_out"));
    if (s->folder.temporary || left_out) return lethe_study_drop(diag(s), &s->folder, run);
    if (status == lethe_exit_status(LETHE_EIO)) return LETHE_OK; // the next time it is tried again
    return lethe_study_row_write(diag(s), &s->folder, run, *row);
}

/* Where time is short what is slow comes last, and begins only if it is likely to come to an end.
 */
static lethe_err runs_make(study *s)
{
    lethe_study_work w = {.ctx = s->ctx,
                          .asked = s->asked,
                          .input = &s->input,
                          .folder = &s->folder,
                          .messages = &s->messages};
    lethe_run_cost *costs = lethe_new(s->arena, lethe_run_cost, s->plan.n + 1);
    double began = lethe_clock_s(),
           end = s->asked->within_s > 0 ? began + s->asked->within_s : INFINITY;
    size_t n = 0;
    if (!costs) return lethe_no_memory(diag(s));
    for (size_t i = 0; i < s->plan.n; i++)
        if (!s->rows[i]) costs[n++] = (lethe_run_cost){.run = i};
    if (n > 0 && isfinite(end)) LETHE_TRY(lethe_study_costs(&w, &s->plan, end, costs, n));
    for (size_t i = 0; i < n; i++) {
        lethe_study_part(s->ctx, s->plan.at[costs[i].run].label, i, n, began, end);
        double left = end - lethe_clock_s();
        // what is not known to be fast does not take the time of all others
        if (i + 1 < n && isfinite(end) && costs[i].seconds == 0) left /= 2;
        LETHE_TRY(run_make(s, &w, &costs[i], left));
        if (s->asked->on_row) s->asked->on_row(s->asked->user, s->rows[costs[i].run], i, n);
    }
    return LETHE_OK;
}

/* NULL: no memory. */
static lethe_json *report_make(study *s, size_t *n_made)
{
    const lethe_compare_options *c = s->asked;
    lethe_json_doc *doc = s->doc;
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *rows = lethe_json_array(doc), *counts = lethe_json_object(doc),
               *parameters = c->values ? lethe_values_json(doc, c->values) : lethe_json_object(doc);
    static const char *const shapes[] = {[LETHE_SHAPE_LOG] = "log",
                                         [LETHE_SHAPE_RECORDS] = "records",
                                         [LETHE_SHAPE_TABLE] = "table"};
    bool table = s->shape == LETHE_SHAPE_TABLE;
    const char *slash = strrchr(c->inputs[0], '/');
    int64_t peak = 0;
    *n_made = 0;
    lethe_study_sort((const lethe_json **)s->rows, s->plan.n, LETHE_PUBLISH_RISK);
    for (size_t i = 0; i < s->plan.n; i++) {
        int64_t own = lethe_json_int(lethe_json_get(s->rows[i], "peak_bytes"));
        lethe_json_push(doc, rows, s->rows[i]);
        *n_made += lethe_json_bool(lethe_json_get(s->rows[i], "holds"));
        peak = LETHE_MAX(peak, own);
    }
    const char *varied = lethe_plan_varied(s->arena, &s->plan);
    lethe_set_text(doc, metrics, "shape", shapes[s->shape]);
    lethe_set_real(doc, metrics, "bound", LETHE_PUBLISH_RISK);
    lethe_json_set(doc, metrics, "rows", rows);
    if (!varied) return NULL;
    lethe_set_text(doc, metrics, "varied", varied);
    lethe_set_text(doc, metrics, "utility_meaning",
                   table ? "share of the detail in the quasi-identifiers that is kept (1 - NCP); a "
                           "deleted row keeps nothing"
                         : "share of the original's term occurrences that are still published as "
                           "they are");
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++)
        if (strcmp((*a)->name, table ? "linking" : "known-terms") == 0)
            lethe_set_text(doc, metrics, "success_meaning", (*a)->meaning);
    lethe_set_text(doc, metrics, "input", slash && slash[1] ? slash + 1 : c->inputs[0]);
    lethe_reading_json(doc, parameters, &c->reading);
    lethe_set_text(doc, r, "command", "compare");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_set_count(doc, counts, "runs", s->plan.n);
    lethe_set_count(doc, counts, "releases", *n_made);
    lethe_json_set(doc, r, "counts", counts);
    lethe_report_close(s->ctx, doc, r);
    // the mark was set back before each run
    peak = LETHE_MAX(peak, lethe_json_int(lethe_json_get(r, "peak_bytes")));
    lethe_json_set(doc, r, "peak_bytes", lethe_json_new_int(doc, peak));
    return r;
}

static lethe_err text_write(const study *s, const char *name, const void *text, size_t n)
{
    lethe_sink *to;
    LETHE_TRY(lethe_study_file(diag(s), &s->folder, name, &to));
    lethe_err e = lethe_sink_write(to, text, n);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

static lethe_err files_write(const study *s, const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    lethe_report_input in = {.dirfd = s->folder.fd, .shape = s->shape, .study = metrics};
    lethe_buf text = {0};
    size_t n;
    if (s->folder.temporary) return LETHE_OK;
    lethe_err e = lethe_study_csv(lethe_json_get(metrics, "rows"), &text) == LETHE_OK
                      ? text_write(s, LETHE_STUDY_CSV, text.at, text.n)
                      : lethe_no_memory(diag(s));
    text.n = 0;
    if (e == LETHE_OK) e = lethe_report_write(s->ctx, &in, &text, &n);
    if (e == LETHE_OK) e = text_write(s, LETHE_REPORT_NAME, text.at, text.n);
    lethe_buf_free(&text);
    return e == LETHE_OK ? lethe_study_json(diag(s), &s->folder, LETHE_STUDY_NAME, report) : e;
}

static lethe_err study_run(study *s, lethe_json **report)
{
    size_t n_made;
    s->arena = lethe_arena_new();
    s->messages.said = lethe_dict_new();
    if (!s->arena || !s->messages.said) return lethe_no_memory(diag(s));
    LETHE_TRY(study_begin(s));
    lethe_err e = runs_make(s);
    lethe_ctx_part(s->ctx, NULL, 0, 0);
    LETHE_TRY(e);
    lethe_json *r = report_make(s, &n_made);
    if (!r || lethe_json_failed(s->doc)) return lethe_no_memory(diag(s));
    *report = r;
    if (s->asked->on_report) LETHE_TRY(s->asked->on_report(s->asked->user, r));
    LETHE_TRY(files_write(s, r));
    if (n_made > 0) return LETHE_OK;
    return lethe_fail(diag(s), LETHE_ANSWER_NO,
                      "no method produces a release with any of the settings");
}

lethe_err lethe_compare_make(lethe_ctx *ctx, const lethe_compare_options *c, lethe_json_doc *doc,
                             lethe_json **report)
{
    study s = {.ctx = ctx, .asked = c, .doc = doc, .folder = {.fd = -1}};
    lethe_diag *d = lethe_ctx_diag(ctx);
    s.messages.to = lethe_diag_divert(d, (lethe_listener){0});
    (void)lethe_diag_divert(d, s.messages.to);
    lethe_err e = study_run(&s, report);
    lethe_input_free(&s.input); // its file is in the folder
    lethe_spill_end(ctx, s.spill_dir);
    lethe_study_close(d, &s.folder);
    lethe_json_doc_free(s.settings_doc);
    lethe_dict_free(s.messages.said);
    lethe_arena_free(s.arena);
    return e;
}
