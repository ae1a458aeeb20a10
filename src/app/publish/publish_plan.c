/* SPDX-License-Identifier: Apache-2.0 */
/* publish_plan.c - which candidates fit an input and a goal. */
#include "app/publish/publish.h"
#include "lexicon/wordnet/wordnet.h"
#include "release/shape_ops.h"

/* k and t: among five an adversary is right once in five at most; eleven is what the risk bound of
 * 9 % comes to, and twenty what is left of it where groups differ in what they hide. */
static const char *const sizes[] = {"5", "11", "20"};

typedef struct publish_plan {
    lethe_diag *d;
    lethe_arena *a;
    const lethe_publish_request *request;
    const lethe_input_facts *facts;
    unsigned has; /* LETHE_NEEDS_... that are met */
    lethe_plan *to;
} publish_plan;

static unsigned needs_met(const lethe_publish_request *q, const lethe_input_facts *f)
{
    unsigned has = lethe_is_given(q->values, "sa") && f->theta ? LETHE_NEEDS_SENSITIVE
                                                               : LETHE_NEEDS_INSENSITIVE;
    if (f->has_clicks) has |= LETHE_NEEDS_CLICKS;
    if (f->has_times) has |= LETHE_NEEDS_TIMES;
    if (lethe_wordnet_installed(NULL)) has |= LETHE_NEEDS_WORDNET;
    if (f->taxonomy || lethe_is_given(q->values, "taxonomy")) has |= LETHE_NEEDS_TAXONOMY;
    return has;
}

static bool has_option(const lethe_method *m, const char *name)
{
    for (const lethe_option *o = m->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

/* What the input wants besides: WordNet for items that it knows, ranges for columns of numbers. */
static void setting_add(const publish_plan *p, lethe_planned_run *run, const char *option,
                        const char *value)
{
    lethe_planned_step *last = &run->step[run->n_steps - 1];
    if (!value || lethe_is_given(p->request->values, option) || !has_option(last->method, option))
        return;
    assert(last->n_settings < LETHE_CANDIDATE_SETTINGS);
    last->setting[last->n_settings++] = (lethe_setting){option, value};
}

static lethe_err candidate_add(const publish_plan *p, const lethe_candidate *c, const char *size)
{
    lethe_planned_run run;
    lethe_letters letters = {.k = size, .t = size, .theta = p->facts->theta};
    LETHE_TRY(lethe_candidate_run(p->d, p->a, c, letters, &run));
    if (c->shape == LETHE_SHAPE_RECORDS) setting_add(p, &run, "taxonomy", p->facts->taxonomy);
    if (c->shape == LETHE_SHAPE_TABLE) setting_add(p, &run, "ranges", p->facts->ranges);
    return lethe_plan_add(p->d, p->a, p->to, run);
}

lethe_err lethe_publish_plan(lethe_diag *d, lethe_arena *a, const lethe_publication *of,
                             lethe_plan *out)
{
    *out = (lethe_plan){0};
    publish_plan p = {.d = d, .a = a, .request = of->asked, .facts = &of->facts, .to = out};
    p.has = needs_met(of->asked, &of->facts);
    for (const lethe_candidate *c = lethe_candidates(); c->steps; c++) {
        if (!(c->shape & of->shape) || !(c->goals & of->goals) || (c->needs & ~p.has)) continue;
        bool varied = lethe_candidate_has(c, 'K') || lethe_candidate_has(c, 'T');
        for (size_t i = 0; i < (varied ? LETHE_COUNT(sizes) : 1); i++)
            LETHE_TRY(candidate_add(&p, c, sizes[i]));
    }
    return LETHE_OK;
}
