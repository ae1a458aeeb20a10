/* SPDX-License-Identifier: Apache-2.0 */
/* candidate_plan.c - which rows of the table fit an input and a goal, over which settings. */
#include "app/candidates/candidates.h"
#include "lexicon/wordnet/wordnet.h"

typedef struct candidate_planner {
    lethe_diag *d;
    lethe_arena *a;
    const lethe_candidate_choice *of;
    lethe_setting_values theta;
    lethe_plan *to;
} candidate_planner;

unsigned lethe_needs_met(const lethe_values *given, const lethe_input_facts *f, bool has_theta)
{
    unsigned has =
        lethe_is_given(given, "sa") && has_theta ? LETHE_NEEDS_SENSITIVE : LETHE_NEEDS_INSENSITIVE;
    if (f->has_clicks) has |= LETHE_NEEDS_CLICKS;
    if (f->has_times) has |= LETHE_NEEDS_TIMES;
    if (lethe_wordnet_installed(f->wordnet_dir)) has |= LETHE_NEEDS_WORDNET;
    if (f->taxonomy || lethe_is_given(given, "taxonomy")) has |= LETHE_NEEDS_TAXONOMY;
    return has;
}

static bool has_option(const lethe_method *m, const char *name)
{
    for (const lethe_option *o = m->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

/* What the input wants besides: WordNet for items that it knows, ranges for columns of numbers. */
static void setting_add(const candidate_planner *p, lethe_planned_run *run, const char *option,
                        const char *value)
{
    lethe_planned_step *last = &run->step[run->n_steps - 1];
    if (!value || lethe_is_given(p->of->given, option) || !has_option(last->method, option)) return;
    assert(last->n_settings < LETHE_CANDIDATE_SETTINGS);
    last->setting[last->n_settings++] = (lethe_setting){option, value};
}

static lethe_err run_add(const candidate_planner *p, const lethe_candidate *c,
                         lethe_letters letters)
{
    lethe_planned_run run;
    const lethe_input_facts *f = p->of->facts;
    LETHE_TRY(lethe_candidate_run(p->d, p->a, c, letters, &run));
    if (c->shape == LETHE_SHAPE_RECORDS) setting_add(p, &run, "taxonomy", f->taxonomy);
    if (c->shape == LETHE_SHAPE_TABLE) setting_add(p, &run, "ranges", f->ranges);
    // of `local` the option means something else
    if (c->shape == LETHE_SHAPE_TABLE && strcmp(run.method->sweep, "theta") == 0)
        setting_add(p, &run, "suppress", f->suppress);
    return lethe_plan_add(p->d, p->a, p->to, run);
}

static lethe_err candidate_add(const candidate_planner *p, const lethe_candidate *c)
{
    static const char *const nothing = NULL;
    const lethe_setting_values once = {&nothing, 1};
    bool of_k = lethe_candidate_has(c, 'K'), of_t = lethe_candidate_has(c, 'T');
    assert(!(of_k && of_t)); // one of them is varied
    const lethe_setting_values size = of_k   ? p->of->k
                                      : of_t ? p->of->t
                                             : once,
                               theta = lethe_candidate_has(c, 'F') ? p->theta : once;
    for (size_t i = 0; i < size.n; i++)
        for (size_t j = 0; j < theta.n; j++)
            LETHE_TRY(run_add(
                p, c, (lethe_letters){.k = size.at[i], .t = size.at[i], .theta = theta.at[j]}));
    return LETHE_OK;
}

lethe_err lethe_candidates_plan(lethe_diag *d, lethe_arena *a, const lethe_candidate_choice *of,
                                lethe_plan *out)
{
    *out = (lethe_plan){0};
    candidate_planner p = {.d = d, .a = a, .of = of, .theta = of->theta, .to = out};
    if (p.theta.n == 0 && of->facts->theta) p.theta = (lethe_setting_values){&of->facts->theta, 1};
    unsigned has = lethe_needs_met(of->given, of->facts, p.theta.n > 0) | of->assumed;
    for (const lethe_candidate *c = lethe_candidates(); c->steps; c++) {
        bool wanted = of->any_goal || c->goals & of->goals;
        if (c->shape & of->shape && wanted && !(c->needs & ~has)) LETHE_TRY(candidate_add(&p, c));
    }
    return LETHE_OK;
}
