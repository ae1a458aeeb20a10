/* SPDX-License-Identifier: Apache-2.0 */
/* publish.c - tries the candidates, and makes the release of the best one.
 *
 * A choice among many is partly luck: the candidate that seemed best is also the one whose figures
 * flatter it most.  So the release is made anew with fresh secrets, and attacked with fresh draws,
 * before it appears; where it is above the bound then, the next candidate follows. */
#include "app/publish/publish.h"
#include "app/suggest/suggest.h"
#include "core/clock.h"
#include "release/make/table_options.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WHOLE_PERSONS = 3000,  /* a log of more users is tried on a sample first */
    SAMPLE_PERSONS = 2000, /* of so many */
};

static lethe_diag *diag(const lethe_publication *p) { return lethe_ctx_diag(p->ctx); }

/* --- the input --- */

/* Facts of records and tables are those that `suggest` goes by. */
static lethe_err facts_gather(lethe_publication *p)
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

static lethe_err sample_draw(lethe_publication *p)
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

static lethe_err table_values(lethe_publication *p, lethe_values *v)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    if (p->plan.n == 0) return LETHE_OK;
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, &p->plan.at[0], p->asked->values, steps));
    *v = steps[0].values;
    return lethe_table_options_check(diag(p), v);
}

/* A table is read with the options of its methods; which these are, its facts decide. */
static lethe_err input_open(lethe_publication *p)
{
    const lethe_publish_request *q = p->asked;
    lethe_values v = {0};
    if (p->shape != LETHE_SHAPE_LOG) {
        LETHE_TRY(facts_gather(p));
        LETHE_TRY(lethe_publish_plan(diag(p), p->arena, p, &p->plan));
        if (p->shape == LETHE_SHAPE_TABLE) LETHE_TRY(table_values(p, &v));
    }
    LETHE_TRY(
        lethe_input_read(p->ctx, q->inputs, q->n_inputs, &q->reading, p->shape, &v, &p->input));
    if (p->shape != LETHE_SHAPE_LOG) return LETHE_OK;
    LETHE_TRY(lethe_log_facts(p->ctx, p->input.log, &p->facts));
    LETHE_TRY(lethe_publish_plan(diag(p), p->arena, p, &p->plan));
    return sample_draw(p);
}

static lethe_err begin(lethe_publication *p)
{
    const lethe_publish_request *q = p->asked;
    LETHE_TRY(lethe_input_shape_of(p->ctx, q->inputs, q->n_inputs, &q->reading,
                                   lethe_is_given(q->values, "qi"), &p->shape));
    LETHE_TRY(lethe_publication_begin(p));
    const lethe_work work = {.name = "publish"}, before = lethe_ctx_begin_work(p->ctx, &work);
    lethe_err e = input_open(p);
    lethe_ctx_begin_work(p->ctx, &before);
    LETHE_TRY(e);
    p->attempts = lethe_new(p->arena, lethe_attempt, p->plan.n + 1);
    return p->attempts ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* --- trying --- */

static double number_of(const lethe_json *o, const char *name, double otherwise)
{
    const lethe_json *v = lethe_json_get(o, name);
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL ? lethe_json_real(v) : otherwise;
}

/* A row for what took too long. */
static lethe_json *late_row(lethe_publication *p, const lethe_planned_run *run)
{
    lethe_json *row = lethe_json_object(p->doc);
    lethe_set_text(p->doc, row, "method", run->method->name);
    lethe_set_text(p->doc, row, "label", run->label);
    lethe_set_text(p->doc, row, "error", "left out: no time was left for it (--within)");
    return row;
}

static lethe_err attempt_make(lethe_publication *p, lethe_attempt *a, double seconds)
{
    lethe_study_work w = {.ctx = p->ctx,
                          .asked = &p->study,
                          .input = p->sampled ? &p->sample : &p->input,
                          .folder = &p->folder,
                          .messages = &p->messages};
    lethe_err e = LETHE_ECANCEL;
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    const lethe_step *last = &steps[a->run->n_steps - 1];
    a->out = lethe_method_shape(last->method, &last->values);
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
        a->kept = lethe_kept_for(p->asked->goal, a->out, lethe_json_get(a->row, "measures"));
        a->risk = number_of(a->row, "exposure", 0);
        lethe_set_real(p->doc, a->row, "kept_for_goal", a->kept);
    }
    return lethe_study_drop(diag(p), &p->folder, a->run);
}

static lethe_err candidates_try(lethe_publication *p)
{
    double within = p->asked->within_s > 0 ? p->asked->within_s : LETHE_PUBLISH_S,
           end = lethe_clock_s() + within;
    char part[256];
    for (size_t i = 0; i < p->plan.n; i++) {
        lethe_attempt *a = &p->attempts[i];
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
bool lethe_publication_worth(const lethe_publication *p, const lethe_attempt *a)
{
    double bound = p->sampled ? 2 * p->bound : p->bound;
    return a->made && a->risk <= bound && (p->asked->anyway || a->kept >= p->least);
}

/* What keeps most for the goal; of equals what gives away less, then as in the table. */
static int best_first(const void *x, const void *y, void *arg)
{
    const lethe_attempt *a = x, *b = y;
    bool worth = lethe_publication_worth(arg, a), other = lethe_publication_worth(arg, b);
    if (worth != other) return worth ? -1 : 1;
    if (a->kept != b->kept) return a->kept > b->kept ? -1 : 1;
    if (a->risk != b->risk) return a->risk < b->risk ? -1 : 1;
    return a->run < b->run ? -1 : 1;
}

/* Why nothing is published, in a sentence. */
static lethe_err refuse(lethe_publication *p)
{
    const char *goal = lethe_goal_name(p->asked->goal);
    // what may be left of a log that cannot be published as one
    bool counts = p->shape == LETHE_SHAPE_LOG && p->asked->goal != LETHE_GOAL_COUNTS;
    const char *instead = counts ? "; --goal counts may still publish a list of queries" : "";
    size_t made = 0, safe = 0;
    double kept = 0, risk = 1;
    for (size_t i = 0; i < p->plan.n; i++) {
        const lethe_attempt *a = &p->attempts[i];
        if (!a->made) continue;
        made++;
        risk = fmin(risk, a->risk);
        if (a->risk > p->bound) continue;
        safe++;
        kept = fmax(kept, a->kept);
    }
    if (made == 0)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing can be published: no candidate for %s gives a release%s", goal,
                          instead);
    if (safe > 0 && !p->too_risky)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing is published: of what matters for %s at most %.1f %% would be "
                          "kept, less than %.1f %% (--least; --anyway publishes it)%s",
                          goal, 100 * kept, 100 * p->least, instead);
    return lethe_fail(
        p->ctx, LETHE_ANSWER_NO,
        "nothing is published: no candidate for %s has a risk of %.1f %% or less; the "
        "least was %.1f %%%s",
        goal, 100 * p->bound, 100 * risk, instead);
}

static lethe_err release_make(lethe_publication *p, const lethe_attempt *a)
{
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    lethe_publish_options how = p->asked->publishing;
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    if (!p->asked->has_urls) how.urls = a->run->method->ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
    p->judged = a;
    p->steps = steps;
    p->n_steps = a->run->n_steps;
    lethe_err e = lethe_publication_release(p, &how);
    p->steps = NULL;
    return e;
}

/* The best one that is below the bound on the whole input. */
static lethe_err choose(lethe_publication *p)
{
    char part[256];
    qsort_r(p->attempts, p->plan.n, sizeof *p->attempts, best_first, p);
    for (size_t i = 0; i < p->plan.n && lethe_publication_worth(p, &p->attempts[i]); i++) {
        snprintf(part, sizeof part, "the whole: %s", p->attempts[i].run->label);
        lethe_ctx_part(p->ctx, part, p->plan.n - 1, p->plan.n);
        lethe_err e = release_make(p, &p->attempts[i]);
        if (e == LETHE_OK || e == LETHE_ECANCEL) return e;
        if (e != LETHE_ANSWER_NO) // what stands in the way of this one need not be in another's
            lethe_warn(p->ctx, "%s: %s", p->attempts[i].run->label, p->messages.error);
        if (e == LETHE_EIO) return e;
    }
    LETHE_TRY(lethe_publication_report(p, NULL));
    return refuse(p);
}

lethe_err lethe_publication_try(lethe_publication *p)
{
    LETHE_TRY(begin(p));
    lethe_err e = candidates_try(p);
    lethe_ctx_part(p->ctx, NULL, 0, 0);
    return e;
}

static lethe_err publish(lethe_publication *p)
{
    LETHE_TRY(lethe_publication_open(p));
    LETHE_TRY(lethe_publication_targets(p));
    if (p->asked->like) return lethe_publication_redo(p);
    LETHE_TRY(lethe_publication_try(p));
    lethe_err e = choose(p);
    lethe_ctx_part(p->ctx, NULL, 0, 0);
    return e;
}

lethe_err lethe_publish(lethe_ctx *ctx, const lethe_publish_request *q, lethe_json_doc *doc,
                        lethe_json **report)
{
    lethe_publication p = {.ctx = ctx,
                           .asked = q,
                           .goals = 1U << q->goal,
                           .bound = q->risk > 0 ? q->risk : LETHE_PUBLISH_RISK,
                           .least = q->least >= 0 ? q->least : LETHE_PUBLISH_LEAST,
                           .doc = doc,
                           .folder = {.fd = -1},
                           .caveat = q->like ? LETHE_CAVEAT_SERIES : LETHE_CAVEAT_CHOSEN};
    lethe_err e = publish(&p);
    *report = p.report;
    lethe_publication_close(&p);
    return e;
}
