/* SPDX-License-Identifier: Apache-2.0 */
/* publish_refuse.c - why nothing is published, and what could be instead. */
#include "app/publish/publish.h"
#include "core/clock.h"
#include "lexicon/wordnet/wordnet.h"
#include <math.h>
#include <stdio.h>

/* --- why --- */

const char *lethe_goal_lacks(const lethe_publication *p, lethe_goal goal)
{
    bool is_log = p->shape == LETHE_SHAPE_LOG;
    if (goal == LETHE_GOAL_CLICKS && !is_log) return "only a log has clicks";
    if (goal == LETHE_GOAL_CLICKS && !p->facts.has_clicks) return "the log has no clicks";
    if (goal == LETHE_GOAL_SESSIONS && p->shape == LETHE_SHAPE_TABLE)
        return "a table has no sessions";
    if (goal == LETHE_GOAL_SESSIONS && is_log && !p->facts.has_times)
        return "the log has no times: sessions cannot be recognized";
    if (is_log && !lethe_wordnet_installed(p->facts.wordnet_dir))
        return "WordNet is not installed (Debian: wordnet-base)";
    return NULL;
}

static bool is_one(const lethe_publication *p) { return p->goals == 1U << p->asked->goal; }

/* The most that it keeps for any goal that was asked for. */
static double kept_most(const lethe_publication *p, const lethe_attempt *a)
{
    double most = 0;
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
        if (p->goals & a->run->goals & 1U << g) most = fmax(most, lethe_attempt_kept(a, g));
    return most;
}

/* An adversary with few attempts that never succeeded: then nothing could be shown to be safer. */
static const lethe_json *untold_risk(const lethe_attempt *a)
{
    const lethe_json *risks = lethe_json_get(a->row, "risks");
    for (size_t i = 0; i < lethe_json_count(risks); i++) {
        const lethe_json *r = lethe_json_at(risks, i);
        if (lethe_json_bool(lethe_json_get(r, "counts")) &&
            lethe_json_real(lethe_json_get(r, "risk")) == a->risk &&
            lethe_json_real(lethe_json_get(r, "success")) == 0)
            return r;
    }
    return NULL;
}

/* "; identity has 14 attempts, too few to show less": of the least risk. */
static void few_attempts(const lethe_publication *p, double risk, char out[120])
{
    out[0] = '\0';
    for (size_t i = 0; i < p->plan.n; i++) {
        const lethe_attempt *a = &p->attempts[i];
        const lethe_json *r = a->made && a->risk == risk ? untold_risk(a) : NULL;
        if (!r) continue;
        lethe_str name = lethe_json_text(lethe_json_get(r, "adversary"));
        snprintf(out, 120, "; %.*s failed in all of %lld attempts, too few to show less",
                 (int)name.n, name.at, (long long)lethe_json_int(lethe_json_get(r, "trials")));
        return;
    }
}

lethe_err lethe_publication_refuse(lethe_publication *p)
{
    const char *goal = is_one(p) ? lethe_goal_name(p->asked->goal) : "any goal",
               *lacks = is_one(p) ? lethe_goal_lacks(p, p->asked->goal) : NULL;
    size_t made = 0, safe = 0;
    double kept = 0, risk = 1;
    char late[96] = "", few[120];
    if (p->n_late > 0)
        snprintf(late, sizeof late, "; %zu not tried for lack of time (--within) or memory",
                 p->n_late);
    for (size_t i = 0; i < p->plan.n; i++) {
        const lethe_attempt *a = &p->attempts[i];
        if (!a->made) continue;
        made++;
        risk = fmin(risk, a->risk);
        if (a->risk > p->bound) continue;
        safe++;
        kept = fmax(kept, kept_most(p, a));
    }
    if (lacks)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO, "nothing can be published for %s: %s", goal,
                          lacks);
    if (made == 0)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing can be published: no candidate for %s gives a release%s", goal,
                          late);
    if (safe > 0 && !p->too_risky)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing is published: of what matters for %s at most %.1f %% would be "
                          "kept, less than %.1f %% (--least; --anyway publishes it)%s",
                          goal, 100 * kept, 100 * p->least, late);
    few_attempts(p, risk, few);
    return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                      "nothing is published: no candidate for %s has a risk of %.1f %% or less; "
                      "the least was %.1f %%%s%s",
                      goal, 100 * p->bound, 100 * risk, few, late);
}

/* --- what instead --- */

lethe_err lethe_publication_command(lethe_publication *p, lethe_goal goal, const char **out)
{
    static const char *const own[] = {"goal", "all", "dry-run", "within"};
    const lethe_publish_request *q = p->asked;
    const lethe_values *v = q->values;
    const char *line =
        lethe_command_begin(p->arena, "publish", q->inputs, q->n_inputs, &q->reading);
    for (size_t i = 0; v && i < v->n; i++) {
        bool is_own = false;
        for (size_t k = 0; k < LETHE_COUNT(own); k++)
            is_own = is_own || strcmp(v->table[i].name, own[k]) == 0;
        if (v->at[i].given && !is_own)
            line = lethe_command_option(p->arena, line, v->table[i].name, v->at[i].text);
    }
    if (p->shape == LETHE_SHAPE_LOG)
        line = lethe_publishing_append(p, &q->publishing, q->has_urls, line);
    if (q->title) line = lethe_command_option(p->arena, line, "title", q->title);
    if (q->date) line = lethe_command_option(p->arena, line, "date", q->date);
    if (p->shape != LETHE_SHAPE_TABLE) // of which all goals need the same
        line = lethe_command_option(p->arena, line, "goal", lethe_goal_name(goal));
    *out = lethe_command_option(p->arena, line, "o", p->out ? p->out : "release");
    return *out ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* Sets p->instead if the attempt serves one of the goals better than what is there. */
static lethe_err instead_offer(lethe_publication *p, const lethe_attempt *a, unsigned goals)
{
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++) {
        const char *command;
        double kept = lethe_attempt_kept(a, g);
        const lethe_json *before = lethe_json_get(p->instead, "kept_for_goal");
        if (!a->made || !(goals & a->run->goals & 1U << g) || lethe_goal_lacks(p, g)) continue;
        if (a->risk > p->bound || kept < p->least) continue;
        if (before && lethe_json_real(before) >= kept) continue;
        LETHE_TRY(lethe_publication_command(p, g, &command));
        p->instead = lethe_json_object(p->doc);
        lethe_set_text(p->doc, p->instead, "goal", lethe_goal_name(g));
        lethe_set_text(p->doc, p->instead, "label", a->run->label);
        lethe_set_real(p->doc, p->instead, "kept_for_goal", kept);
        lethe_set_real(p->doc, p->instead, "risk", a->risk);
        lethe_set_text(p->doc, p->instead, "command", command);
    }
    return lethe_json_failed(p->doc) ? lethe_no_memory(p->ctx) : LETHE_OK;
}

static bool was_tried(const lethe_publication *p, const lethe_planned_run *run)
{
    for (size_t i = 0; i < p->plan.n; i++)
        if (strcmp(p->plan.at[i].label, run->label) == 0) return true;
    return false;
}

/* Of a log the lists of counts alone: they are fast, and have no user who could be found. */
static lethe_err others_try(lethe_publication *p, unsigned goals)
{
    double within = p->asked->within_s > 0 ? p->asked->within_s : LETHE_PUBLISH_S,
           end = lethe_clock_s() + within / 4;
    lethe_publication other = *p;
    lethe_plan plan;
    other.goals = goals;
    LETHE_TRY(lethe_publish_plan(lethe_ctx_diag(p->ctx), p->arena, &other, &plan));
    for (size_t i = 0; i < plan.n && !p->instead; i++) {
        lethe_attempt a = {.run = &plan.at[i]};
        lethe_shape out;
        LETHE_TRY(lethe_attempt_shape(p, &a, &out));
        if (was_tried(p, a.run) || (p->shape == LETHE_SHAPE_LOG && out != LETHE_SHAPE_COUNTS))
            continue;
        lethe_ctx_part(p->ctx, a.run->label, p->plan.n, p->plan.n + 1);
        LETHE_TRY(lethe_attempt_make(p, &a, end - lethe_clock_s()));
        LETHE_TRY(instead_offer(p, &a, goals));
    }
    return LETHE_OK;
}

lethe_err lethe_publication_instead(lethe_publication *p)
{
    unsigned goals = ((1U << LETHE_N_GOALS) - 1) & ~p->goals;
    // what was refused on the whole would be again
    for (size_t i = 0; i < p->plan.n && !p->too_risky; i++)
        LETHE_TRY(instead_offer(p, &p->attempts[i], goals));
    return p->instead || !goals ? LETHE_OK : others_try(p, goals);
}
