/* SPDX-License-Identifier: Apache-2.0 */
/* publish.c - tries the candidates, and makes the release of the best one.
 *
 * A choice among many is partly luck: the candidate that seemed best is also the one whose figures
 * flatter it most.  So the release is made anew with fresh secrets, and attacked with fresh draws,
 * before it appears; where it is above the bound then, the next candidate follows. */
#include "app/publish/publish.h"
#include "app/suggest/suggest.h"
#include "core/clock.h"
#include "core/rng.h"
#include "io/read/lines.h"
#include "release/make/table_options.h"
#include "release/page/report.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WHOLE_PERSONS = 3000,  /* a log of more users is tried on a sample first */
    SAMPLE_PERSONS = 2000, /* of so many */
    EXAMPLES = 10,
};

/* A candidate that was tried. */
typedef struct attempt {
    const lethe_planned_run *run;
    lethe_json *row; /* of the study; NULL: not tried */
    double kept, risk;
    bool made; /* there is a release, with figures */
} attempt;

/* What is known of a release before it appears. */
typedef struct judgement {
    double kept;
    lethe_exposure exposure;
    lethe_json *shares, *risks, *examples;
} judgement;

typedef struct publication {
    lethe_ctx *ctx;
    const lethe_publish_request *asked;
    double bound, least;
    lethe_arena *arena;
    lethe_json_doc *doc; /* of the report */
    lethe_shape shape;   /* of the input */
    lethe_input_facts facts;
    lethe_plan plan;
    attempt *attempts; /* by run of the plan; then the best first */
    lethe_compare_options study;
    lethe_study_folder folder; /* temporary */
    lethe_input input, sample;
    bool sampled;
    uint64_t sample_persons;
    lethe_study_messages messages;
    char *spill_dir;
    const char *out, *map;
    uint64_t fresh; /* seed of the last attack's draws */
    const attempt *judged;
    judgement judgement;
    bool too_risky; /* one was refused because of that, though it seemed to be below the bound */
    lethe_json *report;
} publication;

static lethe_diag *diag(const publication *p) { return lethe_ctx_diag(p->ctx); }

/* --- the input --- */

/* Facts of records and tables are those that `suggest` goes by. */
static lethe_err facts_gather(publication *p)
{
    const lethe_publish_request *q = p->asked;
    lethe_suggest_options s = {
        .inputs = q->inputs, .n_inputs = q->n_inputs, .reading = q->reading, .values = q->values};
    lethe_text_arena t = {.a = p->arena};
    lethe_suggest_facts f;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return lethe_no_memory(p->ctx);
    lethe_err e = lethe_suggest_facts_gather(p->ctx, &s, &t, doc, lethe_json_object(doc),
                                             lethe_json_object(doc), &f);
    lethe_json_doc_free(doc);
    LETHE_TRY(e);
    p->facts = (lethe_input_facts){.persons = f.persons,
                                   .rows = f.rows,
                                   .taxonomy = f.known >= 0.5 ? "wordnet" : NULL,
                                   .theta = f.theta,
                                   .ranges = f.ranges};
    return t.failed ? lethe_no_memory(p->ctx) : LETHE_OK;
}

static lethe_err sample_draw(publication *p)
{
    uint64_t wanted = p->asked->sample ? p->asked->sample : SAMPLE_PERSONS;
    lethe_input_facts f;
    if (!p->asked->sample && p->facts.persons <= WHOLE_PERSONS) return LETHE_OK;
    if (wanted >= p->facts.persons) return LETHE_OK;
    double share = (double)wanted / (double)p->facts.persons;
    p->sample.shape = LETHE_SHAPE_LOG;
    LETHE_TRY(lethe_log_sample(p->ctx, p->input.log, share, p->fresh, &p->sample.log));
    LETHE_TRY(lethe_log_facts(p->ctx, p->sample.log, &f));
    p->sample.counts = (lethe_read_counts){.lines = f.rows, .rows = f.rows};
    p->sample_persons = f.persons;
    p->sampled = true;
    return LETHE_OK;
}

static lethe_err table_values(publication *p, lethe_values *v)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    if (p->plan.n == 0) return LETHE_OK;
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, &p->plan.at[0], p->asked->values, steps));
    *v = steps[0].values;
    return lethe_table_options_check(diag(p), v);
}

/* A table is read with the options of its methods; which these are, its facts decide. */
static lethe_err input_open(publication *p)
{
    const lethe_publish_request *q = p->asked;
    lethe_values v = {0};
    if (p->shape != LETHE_SHAPE_LOG) {
        LETHE_TRY(facts_gather(p));
        LETHE_TRY(lethe_publish_plan(diag(p), p->arena, q, p->shape, &p->facts, &p->plan));
        if (p->shape == LETHE_SHAPE_TABLE) LETHE_TRY(table_values(p, &v));
    }
    LETHE_TRY(
        lethe_input_read(p->ctx, q->inputs, q->n_inputs, &q->reading, p->shape, &v, &p->input));
    if (p->shape != LETHE_SHAPE_LOG) return LETHE_OK;
    LETHE_TRY(lethe_log_facts(p->ctx, p->input.log, &p->facts));
    LETHE_TRY(lethe_publish_plan(diag(p), p->arena, q, p->shape, &p->facts, &p->plan));
    return sample_draw(p);
}

/* --- before anything is tried --- */

/* The map stands beside the release, never in it. */
static lethe_err targets_choose(publication *p)
{
    const lethe_publish_request *q = p->asked;
    size_t n = q->out ? strlen(q->out) : 0;
    while (n > 1 && q->out[n - 1] == '/')
        n--;
    if (n == 0 || strcmp(q->out, "-") == 0)
        return lethe_fail(p->ctx, LETHE_EUSAGE,
                          "publish needs a folder for the release: -o FOLDER");
    p->out = lethe_arena_dup(p->arena, (lethe_str){q->out, n});
    p->map = q->publishing.map;
    if (!p->map) p->map = lethe_arena_printf(p->arena, "%.*s.map.tsv", (int)n, q->out);
    return p->out && p->map ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* A run of minutes must not end because the folder is there. */
static lethe_err targets_check(publication *p)
{
    lethe_folder *folder = NULL;
    lethe_sink *map = NULL;
    const lethe_publish_options *how = &p->asked->publishing;
    if (p->asked->dry_run) return LETHE_OK;
    LETHE_TRY(lethe_folder_begin(diag(p), p->out, how->force, lethe_manifest_may_replace, &folder));
    lethe_folder_abort(folder);
    LETHE_TRY(lethe_sink_open(diag(p), p->map, how->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW,
                              0600, &map));
    lethe_sink_abort(map);
    return LETHE_OK;
}

static lethe_err begin(publication *p)
{
    const lethe_publish_request *q = p->asked;
    lethe_json_doc *doc = p->doc;
    lethe_json *settings;
    bool again;
    if (q->n_inputs == 0) return lethe_fail(p->ctx, LETHE_EUSAGE, "no input given");
    LETHE_TRY(targets_choose(p));
    LETHE_TRY(targets_check(p));
    LETHE_TRY(lethe_input_shape_of(p->ctx, q->inputs, q->n_inputs, &q->reading,
                                   lethe_is_given(q->values, "qi"), &p->shape));
    p->study = (lethe_compare_options){.inputs = q->inputs,
                                       .n_inputs = q->n_inputs,
                                       .reading = q->reading,
                                       .values = q->values,
                                       .publishing = q->publishing,
                                       .has_urls = q->has_urls};
    if (q->publishing.has_seed)
        p->fresh = q->publishing.seed + 1;
    else
        LETHE_TRY(lethe_random_get(diag(p), &p->fresh, sizeof p->fresh));
    LETHE_TRY(lethe_study_settings(diag(p), doc, &p->study, &p->plan, &settings, &again));
    LETHE_TRY(lethe_study_open(p->ctx, p->arena, &p->study, settings, again, &p->folder));
    LETHE_TRY(lethe_spill_begin(p->ctx, p->folder.path, &p->spill_dir));
    const lethe_work work = {.name = "publish"}, before = lethe_ctx_begin_work(p->ctx, &work);
    lethe_err e = input_open(p);
    lethe_ctx_begin_work(p->ctx, &before);
    LETHE_TRY(e);
    p->attempts = lethe_new(p->arena, attempt, p->plan.n + 1);
    if (!p->attempts) return lethe_no_memory(p->ctx);
    return lethe_study_begin(diag(p), &p->folder, false, settings);
}

/* --- trying --- */

static double number_of(const lethe_json *o, const char *name, double otherwise)
{
    const lethe_json *v = lethe_json_get(o, name);
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL ? lethe_json_real(v) : otherwise;
}

/* A row for what took too long. */
static lethe_json *late_row(publication *p, const lethe_planned_run *run)
{
    lethe_json *row = lethe_json_object(p->doc);
    lethe_set_text(p->doc, row, "method", run->method->name);
    lethe_set_text(p->doc, row, "label", run->label);
    lethe_set_text(p->doc, row, "error", "left out: no time was left for it (--within)");
    return row;
}

static lethe_err attempt_make(publication *p, attempt *a, double seconds)
{
    lethe_study_work w = {.ctx = p->ctx,
                          .asked = &p->study,
                          .input = p->sampled ? &p->sample : &p->input,
                          .folder = &p->folder,
                          .messages = &p->messages};
    lethe_err e = LETHE_ECANCEL;
    lethe_ctx_limit_time(p->ctx, seconds);
    if (seconds > 0) e = lethe_study_run(&w, a->run, p->doc, &a->row);
    bool late =
        e == LETHE_ECANCEL && (seconds <= 0 || lethe_ctx_bound_met(p->ctx) == LETHE_BOUND_TIME);
    lethe_ctx_limit_time(p->ctx, 0);
    if (late) a->row = late_row(p, a->run);
    if (late) e = lethe_json_failed(p->doc) ? lethe_no_memory(p->ctx) : LETHE_OK;
    LETHE_TRY(e);
    a->made = !late && lethe_json_kind(lethe_json_get(a->row, "error")) != LETHE_JSON_TEXT;
    if (a->made) {
        lethe_shape out = (lethe_shape)a->run->method->out;
        a->kept = lethe_kept_for(p->asked->goal, out, lethe_json_get(a->row, "measures"));
        a->risk = number_of(a->row, "risk", 0);
        lethe_set_real(p->doc, a->row, "kept_for_goal", a->kept);
    }
    return lethe_study_drop(diag(p), &p->folder, a->run);
}

static lethe_err candidates_try(publication *p)
{
    double within = p->asked->within_s > 0 ? p->asked->within_s : LETHE_PUBLISH_S,
           end = lethe_clock_s() + within;
    char part[256];
    for (size_t i = 0; i < p->plan.n; i++) {
        attempt *a = &p->attempts[i];
        a->run = &p->plan.at[i];
        snprintf(part, sizeof part, "%zu of %zu: %s", i + 1, p->plan.n, a->run->label);
        lethe_ctx_part(p->ctx, part, i, p->plan.n);
        // a slow one does not take the time of all others
        double left = end - lethe_clock_s(), own = i + 1 < p->plan.n ? left / 2 : left;
        LETHE_TRY(attempt_make(p, a, own));
        if (p->asked->on_candidate) p->asked->on_candidate(p->asked->user, a->row, i, p->plan.n);
    }
    return LETHE_OK;
}

/* --- choosing --- */

/* Is it worth making?  A sample has fewer persons to hide among, so that one which is a little
 * above the bound there may be below it on the whole. */
static bool is_worth(const publication *p, const attempt *a)
{
    double bound = p->sampled ? 2 * p->bound : p->bound;
    return a->made && a->risk <= bound && (p->asked->anyway || a->kept >= p->least);
}

/* What keeps most for the goal; of equals what gives away less, then as in the table. */
static int best_first(const void *x, const void *y, void *arg)
{
    const attempt *a = x, *b = y;
    bool worth = is_worth(arg, a), other = is_worth(arg, b);
    if (worth != other) return worth ? -1 : 1;
    if (a->kept != b->kept) return a->kept > b->kept ? -1 : 1;
    if (a->risk != b->risk) return a->risk < b->risk ? -1 : 1;
    return a->run < b->run ? -1 : 1;
}

/* --- the release --- */

/* A few lines of the data, in the order of the file; each as likely as any other. */
static lethe_err examples_read(publication *p, const char *folder, lethe_shape shape,
                               lethe_json **out)
{
    const char *path = lethe_arena_printf(p->arena, "%s/%s", folder, lethe_data_name(shape));
    lethe_str line;
    lethe_lines lines;
    const char *kept[EXAMPLES] = {NULL};
    uint64_t order[EXAMPLES] = {0}, n = 0, headers = shape == LETHE_SHAPE_RECORDS ? 0 : 1;
    lethe_secret *secret;
    if (!path) return lethe_no_memory(p->ctx);
    if (lethe_secret_from_seed(p->fresh, &secret) != LETHE_OK) return lethe_no_memory(p->ctx);
    lethe_rng rng = lethe_rng_stream(secret, "publish examples", 0);
    lethe_err e = lethe_lines_open(&lines, diag(p), path);
    for (; e == LETHE_OK && lethe_lines_next(&lines, &line);) {
        if (headers > 0 && headers--) continue;
        uint64_t at = n < EXAMPLES ? n : lethe_rng_below(&rng, n + 1);
        n++;
        if (at >= EXAMPLES) continue;
        for (; n > EXAMPLES && at + 1 < EXAMPLES; at++) { // the newest comes last
            kept[at] = kept[at + 1];
            order[at] = order[at + 1];
        }
        kept[at] = lethe_arena_dup(p->arena, line);
        order[at] = n;
        if (!kept[at]) e = lethe_no_memory(p->ctx);
    }
    if (e == LETHE_OK) e = lethe_lines_err(&lines);
    lethe_lines_close(&lines);
    lethe_secret_free(secret);
    *out = lethe_json_array(p->doc);
    for (size_t i = 0; i < EXAMPLES && kept[i]; i++)
        lethe_json_push(p->doc, *out, lethe_json_new_text(p->doc, lethe_str_of(kept[i])));
    return e;
}

static lethe_err judge(void *user, const char *folder, const char *map)
{
    publication *p = user;
    const lethe_publish_request *q = p->asked;
    const attempt *a = p->judged;
    judgement *j = &p->judgement;
    lethe_json *measures = lethe_json_object(p->doc), *attacks = lethe_json_object(p->doc);
    lethe_shape out = (lethe_shape)a->run->method->out;
    lethe_values values;
    LETHE_TRY(lethe_plan_evaluate_values(diag(p), p->arena, &p->study, map, &values));
    lethe_evaluate_options against = {.folder = folder,
                                      .originals = q->inputs,
                                      .n_originals = q->n_inputs,
                                      .reading = q->reading,
                                      .map = map,
                                      .values = &values,
                                      .has_seed = true,
                                      .seed = p->fresh};
    LETHE_TRY(lethe_release_evaluate(p->ctx, &against, &p->input, p->doc, measures, attacks));
    *j = (judgement){.kept = lethe_kept_for(q->goal, out, measures),
                     .exposure = lethe_exposure_of(attacks),
                     .shares = lethe_kept_json(p->doc, measures),
                     .risks = lethe_risks_json(p->doc, attacks)};
    LETHE_TRY(examples_read(p, folder, out, &j->examples));
    p->too_risky = p->too_risky || j->exposure.risk > p->bound;
    if (j->exposure.risk > p->bound)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO, "the risk is %.1f %%, above the bound",
                          100 * j->exposure.risk);
    if (j->kept < p->least && !q->anyway)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO, "%.1f %% is kept, less than --least",
                          100 * j->kept);
    return LETHE_OK;
}

/* --- the report --- */

static lethe_err command_of(publication *p, const attempt *a, const char **out)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    *out = lethe_run_command(p->arena, steps, a->run->n_steps, p->asked->inputs, p->asked->n_inputs,
                             &p->asked->reading, p->out);
    *out = lethe_command_option(p->arena, *out, "map", p->map);
    *out = lethe_command_option(p->arena, *out, "report", NULL);
    return *out ? LETHE_OK : lethe_no_memory(p->ctx);
}

static lethe_err attempt_json(publication *p, const attempt *a, lethe_json **out)
{
    const char *command;
    lethe_json *o = lethe_json_object(p->doc);
    LETHE_TRY(command_of(p, a, &command));
    lethe_set_text(p->doc, o, "label", a->run->label);
    lethe_set_text(p->doc, o, "method", a->run->method->name);
    lethe_set_text(p->doc, o, "summary", a->run->method->summary);
    lethe_set_text(p->doc, o, "command", command);
    lethe_set_real(p->doc, o, "kept_for_goal", a->kept);
    lethe_set_real(p->doc, o, "risk", a->risk);
    *out = o;
    return LETHE_OK;
}

static lethe_err chosen_json(publication *p, const attempt *a, lethe_json *metrics)
{
    const judgement *j = &p->judgement;
    lethe_json *o;
    LETHE_TRY(attempt_json(p, a, &o));
    lethe_set_real(p->doc, o, "kept_for_goal", j->kept);
    lethe_set_real(p->doc, o, "risk", j->exposure.risk);
    if (j->exposure.by) lethe_set_text(p->doc, o, "risk_by", j->exposure.by->name);
    if (j->exposure.by && !isnan(j->exposure.chance))
        lethe_set_real(p->doc, o, "chance", j->exposure.chance);
    lethe_json_set(p->doc, o, "kept", j->shares);
    lethe_json_set(p->doc, o, "risks", j->risks);
    lethe_json_set(
        p->doc, o, "not_tried",
        lethe_not_tried_json(p->doc, (lethe_shape)a->run->method->out, p->asked->values));
    lethe_json_set(p->doc, o, "examples", j->examples);
    lethe_json_set(p->doc, metrics, "chosen", o);
    if (a + 1 == p->attempts + p->plan.n || !is_worth(p, a + 1)) return LETHE_OK;
    LETHE_TRY(attempt_json(p, a + 1, &o));
    lethe_json_set(p->doc, metrics, "runner_up", o);
    return LETHE_OK;
}

/* `chosen`: NULL where nothing is published. */
static lethe_err report_make(publication *p, const attempt *chosen)
{
    const lethe_publish_request *q = p->asked;
    lethe_json_doc *doc = p->doc;
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *rows = lethe_json_array(doc),
               *parameters = q->values ? lethe_values_json(doc, q->values) : lethe_json_object(doc);
    static const char *const shapes[] = {[LETHE_SHAPE_LOG] = "log",
                                         [LETHE_SHAPE_RECORDS] = "records",
                                         [LETHE_SHAPE_TABLE] = "table"};
    lethe_reading_json(doc, parameters, &q->reading);
    lethe_set_text(doc, r, "command", "publish");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_set_text(doc, metrics, "goal", lethe_goal_name(q->goal));
    lethe_set_text(doc, metrics, "shape", shapes[p->shape]);
    lethe_set_count(doc, metrics, "persons", p->facts.persons);
    lethe_set_count(doc, metrics, "rows", p->facts.rows);
    if (p->sampled) lethe_set_count(doc, metrics, "sample_persons", p->sample_persons);
    lethe_set_real(doc, metrics, "bound", p->bound);
    lethe_set_real(doc, metrics, "least", p->least);
    for (size_t i = 0; i < p->plan.n; i++)
        lethe_json_push(doc, rows, p->attempts[i].row);
    lethe_json_set(doc, metrics, "candidates", rows);
    if (chosen) LETHE_TRY(chosen_json(p, chosen, metrics));
    if (chosen && !q->dry_run) {
        lethe_set_text(doc, metrics, "release", p->out);
        lethe_set_text(doc, metrics, "map", p->map);
    }
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_report_close(p->ctx, doc, r);
    if (lethe_json_failed(doc)) return lethe_no_memory(p->ctx);
    p->report = r;
    return LETHE_OK;
}

/* Just before the release appears. */
static lethe_err report_tell(void *user, const lethe_json *of_release)
{
    publication *p = user;
    (void)of_release;
    LETHE_TRY(report_make(p, p->judged));
    return p->asked->on_report ? p->asked->on_report(p->asked->user, p->report) : LETHE_OK;
}

/* --- making it --- */

static lethe_err release_make(publication *p, const attempt *a)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    lethe_json *report = NULL;
    lethe_trial trial = {.judge = judge, .user = p};
    lethe_job job = {.inputs = p->asked->inputs,
                     .n_inputs = p->asked->n_inputs,
                     .reading = p->asked->reading,
                     .steps = steps,
                     .n_steps = a->run->n_steps,
                     .out = p->out,
                     .publishing = p->asked->publishing,
                     .page = true,
                     .on_report = report_tell,
                     .user = p};
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    if (!p->asked->has_urls)
        job.publishing.urls = a->run->method->ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
    job.publishing.map = p->map;
    if (p->asked->dry_run) {
        job.out = lethe_study_release(p->arena, &p->folder, a->run);
        job.publishing.map = lethe_study_map(p->arena, &p->folder, a->run);
        if (!job.out || !job.publishing.map) return lethe_no_memory(p->ctx);
    }
    p->judged = a;
    p->messages.failed = false;
    p->messages.label = a->run->label;
    lethe_listener before =
        lethe_diag_divert(diag(p), (lethe_listener){lethe_study_on_message, &p->messages});
    lethe_err e = lethe_release_make_from(p->ctx, &job, &p->input, &trial, p->doc, &report);
    (void)lethe_diag_divert(diag(p), before);
    return e;
}

/* Why nothing is published, in a sentence. */
static lethe_err refuse(publication *p)
{
    const char *goal = lethe_goal_name(p->asked->goal);
    size_t made = 0, safe = 0;
    double kept = 0, risk = 1;
    for (size_t i = 0; i < p->plan.n; i++) {
        const attempt *a = &p->attempts[i];
        if (!a->made) continue;
        made++;
        risk = fmin(risk, a->risk);
        if (a->risk > p->bound) continue;
        safe++;
        kept = fmax(kept, a->kept);
    }
    if (made == 0)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing can be published: no candidate for %s gives a release", goal);
    if (safe > 0 && !p->too_risky)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing is published: of what matters for %s at most %.1f %% would be "
                          "kept, less than %.1f %% (--least; --anyway publishes it)",
                          goal, 100 * kept, 100 * p->least);
    return lethe_fail(
        p->ctx, LETHE_ANSWER_NO,
        "nothing is published: no candidate for %s has a risk of %.1f %% or less; the "
        "least was %.1f %%",
        goal, 100 * p->bound, 100 * risk);
}

/* The best one that is below the bound on the whole input. */
static lethe_err choose(publication *p)
{
    char part[256];
    qsort_r(p->attempts, p->plan.n, sizeof *p->attempts, best_first, p);
    for (size_t i = 0; i < p->plan.n && is_worth(p, &p->attempts[i]); i++) {
        snprintf(part, sizeof part, "the whole: %s", p->attempts[i].run->label);
        lethe_ctx_part(p->ctx, part, p->plan.n - 1, p->plan.n);
        lethe_err e = release_make(p, &p->attempts[i]);
        if (e == LETHE_OK || e == LETHE_ECANCEL) return e;
        if (e != LETHE_ANSWER_NO) // what stands in the way of this one need not be in another's
            lethe_warn(p->ctx, "%s: %s", p->attempts[i].run->label, p->messages.error);
        if (e == LETHE_EIO) return e;
    }
    LETHE_TRY(report_make(p, NULL));
    return refuse(p);
}

static lethe_err publish(publication *p)
{
    p->arena = lethe_arena_new();
    p->messages.said = lethe_dict_new();
    if (!p->arena || !p->messages.said) return lethe_no_memory(p->ctx);
    LETHE_TRY(begin(p));
    lethe_err e = candidates_try(p);
    if (e == LETHE_OK) e = choose(p);
    lethe_ctx_part(p->ctx, NULL, 0, 0);
    return e;
}

lethe_err lethe_publish(lethe_ctx *ctx, const lethe_publish_request *q, lethe_json_doc *doc,
                        lethe_json **report)
{
    publication p = {.ctx = ctx,
                     .asked = q,
                     .bound = q->risk > 0 ? q->risk : LETHE_PUBLISH_RISK,
                     .least = q->least >= 0 ? q->least : LETHE_PUBLISH_LEAST,
                     .doc = doc,
                     .folder = {.fd = -1}};
    lethe_diag *d = lethe_ctx_diag(ctx);
    p.messages.to = lethe_diag_divert(d, (lethe_listener){0});
    (void)lethe_diag_divert(d, p.messages.to);
    lethe_err e = publish(&p);
    *report = p.report;
    lethe_input_free(&p.sample);
    lethe_input_free(&p.input);
    lethe_spill_end(ctx, p.spill_dir);
    lethe_study_close(d, &p.folder);
    lethe_dict_free(p.messages.said);
    lethe_arena_free(p.arena);
    return e;
}
