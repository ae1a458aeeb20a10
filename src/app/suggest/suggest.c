/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - which candidates are worth publishing: those of `publish`, tried on a sample, the
 * best first for each goal. */
#include "app/publish/publish.h"

typedef struct suggestion {
    lethe_publication *p;
    lethe_json_doc *doc;
    lethe_attempt *sorted;                     /* all of them, for the goal at hand */
    bool *fits;                                /* any goal; by run of the plan */
    size_t dropped[LETHE_N_FITNESSES], n_fits; /* dropped: those that fit none, by the reason */
    double best;                               /* the most that is kept for a goal */
    lethe_goal best_goal;
} suggestion;

/* --- one goal --- */

static lethe_json *fit_json(suggestion *s, const lethe_attempt *a)
{
    lethe_json *o = lethe_json_object(s->doc);
    lethe_set_text(s->doc, o, "label", a->run->label);
    lethe_set_text(s->doc, o, "method", a->run->method->name);
    lethe_set_text(s->doc, o, "summary", a->run->method->summary);
    lethe_set_real(s->doc, o, "kept_for_goal", a->kept);
    if (lethe_json_get(a->row, "exposure")) lethe_set_real(s->doc, o, "risk", a->risk);
    lethe_json_set(s->doc, o, "command",
                   lethe_json_copy(s->doc, lethe_json_get(a->row, "command")));
    return o;
}

/* Why a candidate is dropped, in a word or as its row says. */
static lethe_json *drop_json(suggestion *s, const lethe_attempt *a, lethe_fitness why)
{
    static const char *const words[LETHE_N_FITNESSES] = {[LETHE_FIT_RISKY] = "risk",
                                                         [LETHE_FIT_LITTLE] = "keeps little",
                                                         [LETHE_FIT_NOTHING] = "no release",
                                                         [LETHE_FIT_LATE] = "not tried"};
    lethe_json *o = lethe_json_object(s->doc);
    const lethe_json *error = lethe_json_get(a->row, "error");
    lethe_set_text(s->doc, o, "label", a->run->label);
    lethe_set_text(s->doc, o, "why", words[why]);
    if (a->made) lethe_set_real(s->doc, o, "kept_for_goal", a->kept);
    if (a->made && lethe_json_get(a->row, "exposure")) lethe_set_real(s->doc, o, "risk", a->risk);
    if (!a->made) lethe_json_set(s->doc, o, "error", lethe_json_copy(s->doc, error));
    return o;
}

/* The candidates for the goal, in s->sorted; returns how many. */
static size_t attempts_for(suggestion *s, lethe_goal goal)
{
    size_t n = 0;
    for (size_t i = 0; i < s->p->plan.n; i++) {
        lethe_attempt a = s->p->attempts[i];
        if (!(a.run->goals & 1U << goal)) continue;
        a.kept = lethe_attempt_kept(&a, goal);
        s->sorted[n++] = a;
    }
    lethe_attempts_sort(s->p, s->sorted, n);
    return n;
}

static lethe_json *goal_json(suggestion *s, lethe_goal goal)
{
    lethe_json_doc *doc = s->doc;
    lethe_json *o = lethe_json_object(doc), *fits = lethe_json_array(doc),
               *dropped = lethe_json_array(doc);
    const char *lacks = lethe_goal_lacks(s->p, goal);
    size_t n = lacks ? 0 : attempts_for(s, goal);
    for (size_t i = 0; i < n; i++) {
        const lethe_attempt *a = &s->sorted[i];
        lethe_fitness fitness = lethe_attempt_fitness(s->p, a);
        if (fitness != LETHE_FIT) {
            lethe_json_push(doc, dropped, drop_json(s, a, fitness));
            continue;
        }
        lethe_json_push(doc, fits, fit_json(s, a));
        s->fits[a->run - s->p->plan.at] = true;
        if (s->n_fits++ == 0 || a->kept > s->best) {
            s->best = a->kept;
            s->best_goal = goal;
        }
    }
    lethe_set_text(doc, o, "goal", lethe_goal_name(goal));
    lethe_set_text(doc, o, "meaning", lethe_goal_meaning(goal));
    if (lacks) lethe_set_text(doc, o, "lacks", lacks);
    lethe_json_set(doc, o, "fits", fits);
    lethe_json_set(doc, o, "dropped", dropped);
    return o;
}

/* --- all of them --- */

/* Of a table every goal needs the same: the detail of its columns. */
static lethe_json *goals_json(suggestion *s)
{
    lethe_publication *p = s->p;
    lethe_json *list = lethe_json_array(s->doc);
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++) {
        bool again = p->shape == LETHE_SHAPE_TABLE && g != p->asked->goal;
        if (p->goals & 1U << g && !again) lethe_json_push(s->doc, list, goal_json(s, g));
    }
    return list;
}

/* How many fit no goal, by the reason: what keeps little for one goal may keep more for another,
 * and the risk is the same for all. */
static lethe_json *dropped_json(suggestion *s)
{
    static const char *const names[LETHE_N_FITNESSES] = {[LETHE_FIT_RISKY] = "risk",
                                                         [LETHE_FIT_LITTLE] = "little",
                                                         [LETHE_FIT_NOTHING] = "no_release",
                                                         [LETHE_FIT_LATE] = "not_tried"};
    lethe_json *o = lethe_json_object(s->doc);
    for (size_t i = 0; i < s->p->plan.n; i++) {
        lethe_attempt a = s->p->attempts[i];
        a.kept = 0;
        if (!s->fits[i]) s->dropped[lethe_attempt_fitness(s->p, &a)]++;
    }
    for (int f = LETHE_FIT_RISKY; f < LETHE_N_FITNESSES; f++)
        lethe_set_count(s->doc, o, names[f], s->dropped[f]);
    return o;
}

static lethe_err metrics_fill(suggestion *s, lethe_json *m)
{
    static const char *const shapes[] = {[LETHE_SHAPE_LOG] = "log",
                                         [LETHE_SHAPE_RECORDS] = "records",
                                         [LETHE_SHAPE_TABLE] = "table"};
    lethe_publication *p = s->p;
    lethe_json_doc *doc = s->doc;
    lethe_json *rows = lethe_json_array(doc);
    lethe_set_text(doc, m, "shape", shapes[p->shape]);
    lethe_set_count(doc, m, "persons", p->facts.persons);
    lethe_set_count(doc, m, "rows", p->facts.rows);
    if (p->sampled) lethe_set_count(doc, m, "sample_persons", p->sample_persons);
    if (p->facts.top > 0) lethe_set_real(doc, m, "top_share", p->facts.top);
    if (p->facts.ranges) lethe_set_text(doc, m, "ranges", p->facts.ranges);
    if (p->facts.bare) lethe_set_text(doc, m, "no_hierarchy", p->facts.bare);
    lethe_set_real(doc, m, "bound", p->bound);
    lethe_set_real(doc, m, "least", p->least);
    for (size_t i = 0; i < p->plan.n; i++)
        lethe_json_push(doc, rows, p->attempts[i].row);
    lethe_json_set(doc, m, "candidates", rows);
    lethe_json_set(doc, m, "goals", goals_json(s));
    lethe_json_set(doc, m, "dropped", dropped_json(s));
    if (s->n_fits > 0) {
        const char *next;
        LETHE_TRY(lethe_publication_command(p, s->best_goal, &next));
        lethe_set_text(doc, m, "next", next);
        return LETHE_OK;
    }
    LETHE_TRY(lethe_publication_instead(p));
    if (p->n_late > 0) lethe_set_count(doc, m, "not_tried", p->n_late);
    if (p->instead) lethe_json_set(doc, m, "instead", p->instead);
    return LETHE_OK;
}

static lethe_err suggest(lethe_publication *p, lethe_json *report)
{
    suggestion s = {.p = p, .doc = p->doc};
    lethe_json *metrics = lethe_json_object(p->doc);
    LETHE_TRY(lethe_publication_open(p));
    LETHE_TRY(lethe_publication_try(p));
    s.sorted = lethe_new(p->arena, lethe_attempt, p->plan.n + 1);
    s.fits = lethe_new(p->arena, bool, p->plan.n + 1);
    if (!s.sorted || !s.fits) return lethe_no_memory(p->ctx);
    memset(s.fits, 0, p->plan.n * sizeof *s.fits);
    lethe_err e = metrics_fill(&s, metrics);
    lethe_ctx_part(p->ctx, NULL, 0, 0);
    LETHE_TRY(e);
    lethe_json_set(p->doc, report, "metrics", metrics);
    return s.n_fits > 0 ? LETHE_OK : lethe_publication_refuse(p);
}

lethe_err lethe_suggest(lethe_ctx *ctx, const lethe_suggest_options *s, lethe_json_doc *doc,
                        lethe_json **report)
{
    lethe_json *r = lethe_json_object(doc),
               *parameters = s->values ? lethe_values_json(doc, s->values) : lethe_json_object(doc);
    const lethe_publish_request q = {.inputs = s->inputs,
                                     .n_inputs = s->n_inputs,
                                     .reading = s->reading,
                                     .goal = s->has_goal ? s->goal : LETHE_GOAL_PATTERNS,
                                     .sample = s->sample,
                                     .within_s = s->within_s > 0 ? s->within_s : LETHE_SUGGEST_S,
                                     .values = s->values,
                                     .publishing = {.has_seed = s->has_seed, .seed = s->seed},
                                     .on_candidate = s->on_candidate,
                                     .user = s->user};
    lethe_publication p = {.ctx = ctx,
                           .asked = &q,
                           .goals = s->has_goal ? 1U << s->goal : (1U << LETHE_N_GOALS) - 1,
                           .bound = s->risk > 0 ? s->risk : LETHE_PUBLISH_RISK,
                           .least = s->least >= 0 ? s->least : LETHE_PUBLISH_LEAST,
                           .doc = doc,
                           .folder = {.fd = -1}};
    lethe_set_text(doc, r, "command", "suggest");
    lethe_reading_json(doc, parameters, &s->reading);
    lethe_json_set(doc, r, "parameters", parameters);
    *report = r;
    lethe_err e = suggest(&p, r);
    lethe_publication_close(&p);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
