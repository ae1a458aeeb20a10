/* SPDX-License-Identifier: Apache-2.0 */
/* study_row.c - one run of a study: its release, what that is worth, what it gives away, what it
 * took; or why there is none. */
#include "app/study/study.h"
#include "app/judge.h"
#include "attack/risk.h"
#include "core/clock.h"
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void lethe_study_on_message(void *messages, const lethe_message *m)
{
    lethe_study_messages *t = messages;
    char text[2048], key[2048];
    lethe_message labelled = *m;
    int n = 0;
    if (m->severity == LETHE_ERROR) {
        if (t->failed) return; // what follows the first error comes of it
        t->failed = true;
        if (m->file)
            n = m->line ? snprintf(t->error, sizeof t->error, "%s:%llu: ", m->file,
                                   (unsigned long long)m->line)
                        : snprintf(t->error, sizeof t->error, "%s: ", m->file);
        if (n >= 0 && (size_t)n < sizeof t->error)
            snprintf(t->error + n, sizeof t->error - (size_t)n, "%s", m->text);
        return;
    }
    if (!t->to.fn) return;
    n = snprintf(key, sizeof key, "%d %s:%llu:%u %s", (int)m->severity, m->file ? m->file : "",
                 (unsigned long long)m->line, m->column, m->text);
    if (t->said && n >= 0) { // without memory to know what was said before, it is said again
        uint32_t before = lethe_dict_count(t->said), number;
        lethe_str said = {key, LETHE_MIN((size_t)n, sizeof key - 1)};
        if (lethe_dict_add(t->said, said, &number) == LETHE_OK && number < before) return;
    }
    snprintf(text, sizeof text, "%s: %s", t->label, m->text);
    if (!m->file) labelled.text = text; // else it is about a file that all runs have
    t->to.fn(t->to.ctx, &labelled);
}

/* --- time and memory --- */

/* The greatest memory of the process counts anew from here: proc(5), clear_refs.  Where that cannot
 * be, it is that of all runs so far. */
static void peak_reset(void)
{
    malloc_trim(0); // what the last run has freed is not this one's
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = write(fd, "5", 1);
    (void)n;
    close(fd);
}

static uint64_t peak_bytes(void)
{
    char text[4096];
    struct rusage usage;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *line = strstr(text, "VmHWM:");
    if (line) return strtoull(line + strlen("VmHWM:"), NULL, 10) * 1024; // in kB
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

/* --- the run --- */

typedef struct study_run_state {
    const lethe_study_work *work;
    const lethe_planned_run *run;
    lethe_arena *arena;
    lethe_json_doc *doc; /* of all that is made on the way */
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    bool has_steps; /* they are complete */
    char *release, *map;
    lethe_json *report, *measures, *attacks;
} study_run_state;

/* Makes the release, measures and attacks it. */
static lethe_err release_evaluate(study_run_state *r, bool *made)
{
    const lethe_study_work *w = r->work;
    const lethe_compare_options *c = w->asked;
    lethe_diag *d = lethe_ctx_diag(w->ctx);
    lethe_values values;
    LETHE_TRY(lethe_run_steps(d, r->arena, r->run, c->values, r->steps));
    r->has_steps = true;
    r->release = lethe_study_release(r->arena, w->folder, r->run);
    r->map = lethe_study_map(r->arena, w->folder, r->run);
    r->measures = lethe_json_object(r->doc);
    r->attacks = lethe_json_object(r->doc);
    if (!r->release || !r->map || !r->measures || !r->attacks) return lethe_no_memory(d);
    lethe_release_job job = {.inputs = c->inputs,
                             .n_inputs = c->n_inputs,
                             .reading = c->reading,
                             .steps = r->steps,
                             .n_steps = r->run->n_steps,
                             .out = r->release,
                             .publishing = c->publishing};
    job.publishing.as_ubi = false; // it would be measured and attacked alike
    if (!c->has_urls) job.publishing.urls = r->run->method->ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
    const lethe_step *last = &r->steps[r->run->n_steps - 1];
    // counts have no users, and so no map
    if (lethe_method_shape(last->method, &last->values) == LETHE_SHAPE_COUNTS) r->map = NULL;
    job.publishing.map = r->map;
    job.publishing.key_file = NULL;
    job.publishing.force = false;
    LETHE_TRY(lethe_release_make_from(w->ctx, &job, w->input, NULL, r->doc, &r->report));
    *made = true;
    malloc_trim(0); // another program would measure it, with memory of its own
    LETHE_TRY(lethe_plan_evaluate_values(d, r->arena, c, r->map, &values));
    lethe_evaluate_options against = {.folder = r->release,
                                      .originals = c->inputs,
                                      .n_originals = c->n_inputs,
                                      .reading = c->reading,
                                      .map = r->map,
                                      .values = &values,
                                      .has_seed = c->publishing.has_seed,
                                      .seed = c->publishing.seed};
    return lethe_release_evaluate(w->ctx, &against, w->input, r->doc, r->measures, r->attacks);
}

/* --- the row --- */

/* A figure by its name, at the top or in a measure's own object. */
static const lethe_json *figure_find(const lethe_json *measures, const char *name)
{
    const lethe_json *v = lethe_json_get(measures, name);
    if (!v) v = lethe_json_get(lethe_json_get(measures, "scale"), name);
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL ? v : NULL;
}

/* What lies on the scale that all methods have in common. */
static void scale_set(lethe_json_doc *doc, lethe_json *row, const study_run_state *r)
{
    bool table = r->run->method->out & LETHE_SHAPE_TABLE;
    const lethe_json *kept = figure_find(r->measures, "terms_kept"),
                     *loss =
                         figure_find(r->measures, "loss"), // of all rows: a deleted one loses all
                         *recall = figure_find(r->measures, "pattern_recall"),
                     *common = lethe_json_get(r->attacks, table ? "linking" : "known-terms");
    if (table && loss)
        lethe_set_real(doc, row, "utility", 1 - lethe_json_real(loss));
    else if (kept)
        lethe_json_set(doc, row, "utility", lethe_json_copy(doc, kept));
    if (recall) lethe_json_set(doc, row, "recall", lethe_json_copy(doc, recall));
    static const char *const names[] = {"success", "baseline"};
    for (size_t i = 0; common && i < LETHE_COUNT(names); i++)
        lethe_json_set(doc, row, names[i], lethe_json_copy(doc, lethe_json_get(common, names[i])));
}

static lethe_json *attacks_json(lethe_json_doc *doc, const lethe_json *attacks)
{
    lethe_json *all = lethe_json_object(doc);
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        const lethe_json *found = lethe_json_get(attacks, (*a)->name);
        lethe_json *one = lethe_json_object(doc);
        if (!found) continue;
        static const char *const kept[] = {"success", "before", "baseline", "strategy"};
        for (size_t i = 0; i < LETHE_COUNT(kept); i++) {
            const lethe_json *value = lethe_json_get(found, kept[i]);
            if (value) lethe_json_set(doc, one, kept[i], lethe_json_copy(doc, value));
        }
        lethe_json_set(doc, all, (*a)->name, one);
    }
    return all;
}

/* The greatest risk of each kind of adversary that had something to try. */
static lethe_json *risk_json(lethe_json_doc *doc, const lethe_json *attacks)
{
    bool seen[LETHE_N_THREATS];
    lethe_risk worst[LETHE_N_THREATS];
    lethe_json *risk = lethe_json_object(doc);
    lethe_risk_worst(attacks, seen, worst);
    for (lethe_threat t = 0; t < LETHE_N_THREATS; t++)
        if (seen[t]) lethe_set_real(doc, risk, lethe_threat_name(t), worst[t].risk);
    return risk;
}

/* What is said of the first claim, if all of them promise nothing; NULL: one promises something. */
static const lethe_json *nothing_of(const lethe_json *verdict)
{
    const lethe_json *checks = lethe_json_get(verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(checks); i++)
        if (!lethe_json_get(lethe_json_at(checks, i), "nothing")) return NULL;
    return lethe_json_get(lethe_json_at(checks, 0), "nothing");
}

/* Without options of publishing, which are those of the study; NULL: no memory. */
static const char *command_of(const study_run_state *r)
{
    const lethe_compare_options *c = r->work->asked;
    return lethe_run_command(r->arena, r->steps, r->run->n_steps, c->inputs, c->n_inputs,
                             &c->reading, "release");
}

/* Of a row of the table that is for no goal it is shown, too, what its method is good for. */
static unsigned shown_goals(const lethe_planned_run *run)
{
    return run->goals ? run->goals : lethe_method_goals(run->method);
}

/* The goals that it may be named for. */
static lethe_json *goals_json(lethe_json_doc *doc, const lethe_planned_run *run)
{
    lethe_json *list = lethe_json_array(doc);
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
        if (run->goals & 1U << g)
            lethe_json_push(doc, list, lethe_json_new_text(doc, lethe_str_of(lethe_goal_name(g))));
    return list;
}

static lethe_json *row_make(lethe_json_doc *doc, const study_run_state *r, bool made, lethe_err e)
{
    lethe_json *row = lethe_json_object(doc), *claims = lethe_json_array(r->doc);
    const lethe_method *m = r->run->method;
    const lethe_values *v = &r->steps[r->run->n_steps - 1].values;
    if (r->has_steps) m->claims(v, r->doc, claims);
    const lethe_json *steps = lethe_json_get(r->report, "steps"), // of a chain
        *last = steps ? lethe_json_at(steps, lethe_json_count(steps) - 1) : r->report,
                     *told = lethe_json_get(last, "parameters"),
                     *notion = lethe_json_get(lethe_json_at(claims, 0), "notion"),
                     *counts = lethe_json_get(r->report, "counts"),
                     *holds = lethe_json_get(lethe_json_get(r->report, "verdict"), "holds");
    lethe_set_text(doc, row, "method", m->name);
    lethe_json_set(doc, row, "parameters",
                   told           ? lethe_json_copy(doc, told)
                   : r->has_steps ? lethe_values_json(doc, v)
                                  : lethe_json_object(doc));
    if (steps) lethe_json_set(doc, row, "steps", lethe_json_copy(doc, steps));
    const char *command = r->has_steps ? command_of(r) : NULL;
    if (command) lethe_set_text(doc, row, "command", command);
    lethe_set_text(doc, row, "label", r->run->label);
    lethe_set_text(doc, row, "name", r->run->name);
    lethe_json_set(doc, row, "goals", goals_json(doc, r->run));
    // what is promised first with these options; the method's own notion where that is unknown
    lethe_json_set(doc, row, "notion",
                   notion ? lethe_json_copy(doc, notion)
                          : lethe_json_new_text(doc, lethe_str_of(m->notion)));
    lethe_json_set(doc, row, "holds", lethe_json_new_bool(doc, made && lethe_json_bool(holds)));
    const lethe_json *nothing = made ? nothing_of(lethe_json_get(r->report, "verdict")) : NULL;
    if (nothing) lethe_json_set(doc, row, "nothing", lethe_json_copy(doc, nothing));
    if (made && e == LETHE_OK) {
        scale_set(doc, row, r);
        lethe_exposure exposure = lethe_exposure_of(r->attacks);
        if (exposure.by) {
            lethe_set_real(doc, row, "exposure", exposure.risk);
            lethe_set_real(doc, row, "exposure_found", exposure.success);
            if (!isnan(exposure.before))
                lethe_set_real(doc, row, "exposure_before", exposure.before);
            lethe_set_text(doc, row, "exposure_by", exposure.by->name);
        }
        lethe_json_set(
            doc, row, "kept_for",
            lethe_kept_for_json(doc, shown_goals(r->run), lethe_method_shape(m, v), r->measures));
        lethe_json_set(doc, row, "kept", lethe_kept_json(doc, r->measures));
        lethe_json_set(doc, row, "risks", lethe_risks_json(doc, r->attacks));
        lethe_json_set(doc, row, "risk", risk_json(doc, r->attacks));
        lethe_json_set(doc, row, "attacks", attacks_json(doc, r->attacks));
        lethe_json_set(doc, row, "measures", lethe_json_copy(doc, r->measures));
    }
    static const char *const names[] = {"published", "suppressed"};
    for (size_t i = 0; made && i < LETHE_COUNT(names); i++)
        lethe_json_set(doc, row, names[i], lethe_json_copy(doc, lethe_json_get(counts, names[i])));
    return row;
}

lethe_err lethe_study_not_made(const lethe_study_work *w, const lethe_planned_run *run,
                               const char *why, lethe_json_doc *doc, lethe_json **row)
{
    study_run_state none = {.run = run, .doc = doc};
    *row = row_make(doc, &none, false, LETHE_ECANCEL);
    lethe_set_text(doc, *row, "error", why);
    lethe_json_set(doc, *row, "status",
                   lethe_json_new_int(doc, lethe_exit_status(LETHE_ANSWER_NO)));
    return lethe_json_failed(doc) ? lethe_no_memory(w->ctx) : LETHE_OK;
}

lethe_err lethe_study_leave_out(const lethe_study_work *w, const lethe_planned_run *run,
                                const char *why, lethe_json_doc *doc, lethe_json **row)
{
    LETHE_TRY(lethe_study_not_made(w, run, why, doc, row));
    lethe_json_set(doc, *row, "left_out", lethe_json_new_bool(doc, true));
    return lethe_json_failed(doc) ? lethe_no_memory(w->ctx) : LETHE_OK;
}

/* Makes, measures and attacks; *row: NULL if it was cancelled, by the user or by a limit. */
static lethe_err row_run(const lethe_study_work *w, study_run_state *r, lethe_json_doc *doc,
                         lethe_json **row)
{
    lethe_diag *d = lethe_ctx_diag(w->ctx);
    bool made = false;
    peak_reset();
    double began = lethe_clock_s();
    w->messages->failed = false;
    w->messages->label = r->run->label;
    lethe_listener before =
        lethe_diag_divert(d, (lethe_listener){lethe_study_on_message, w->messages});
    lethe_err e = r->arena && r->doc ? release_evaluate(r, &made) : lethe_no_memory(d);
    (void)lethe_diag_divert(d, before);
    if (e == LETHE_ECANCEL) return e;
    *row = row_make(doc, r, made, e);
    lethe_set_real(doc, *row, "seconds", lethe_clock_s() - began);
    lethe_set_count(doc, *row, "peak_bytes", peak_bytes());
    if (e == LETHE_OK)
        lethe_json_set(doc, *row, "error", lethe_json_copy(doc, NULL));
    else
        lethe_set_text(doc, *row, "error",
                       w->messages->failed ? w->messages->error : lethe_err_name(e));
    lethe_json_set(doc, *row, "status", lethe_json_new_int(doc, lethe_exit_status(e)));
    return LETHE_OK;
}

lethe_err lethe_study_run(const lethe_study_work *w, const lethe_planned_run *run, double seconds,
                          lethe_json_doc *doc, lethe_json **row)
{
    if (seconds <= 0)
        return lethe_study_leave_out(w, run, "left out: no time was left for it (--within)", doc,
                                     row);
    study_run_state r = {
        .work = w, .run = run, .arena = lethe_arena_new(), .doc = lethe_json_doc_new()};
    lethe_ctx_limit_time(w->ctx, seconds);
    lethe_err e = row_run(w, &r, doc, row);
    lethe_bound bound = lethe_ctx_bound_met(w->ctx);
    lethe_ctx_limit_time(w->ctx, 0);
    lethe_json_doc_free(r.doc);
    lethe_arena_free(r.arena);
    if (lethe_ctx_cancelled(w->ctx) || (e != LETHE_OK && bound == LETHE_BOUND_NONE))
        return LETHE_ECANCEL;
    if (e == LETHE_OK) return lethe_json_failed(doc) ? lethe_no_memory(w->ctx) : LETHE_OK;
    return lethe_study_leave_out(w, run,
                                 bound == LETHE_BOUND_MEMORY
                                     ? "left out: it needs more memory than the limit"
                                     : "left out: it was stopped, no time was left (--within)",
                                 doc, row);
}

/* --- progress --- */

void lethe_study_part(lethe_ctx *ctx, const char *label, size_t i, size_t n, double began,
                      double end)
{
    char part[256], time[32] = "";
    double now = lethe_clock_s(), left = end - now;
    if (i > 0) left = fmin(left, (now - began) / (double)i * (double)(n - i));
    if (left >= 90)
        snprintf(time, sizeof time, ", %.0f min left", left / 60);
    else if (left >= 1)
        snprintf(time, sizeof time, ", %.0f s left", left);
    snprintf(part, sizeof part, "%zu of %zu%s: %s", i + 1, n, isfinite(left) ? time : "", label);
    lethe_ctx_part(ctx, part, i, n);
}
