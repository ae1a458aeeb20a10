/* SPDX-License-Identifier: Apache-2.0 */
/* study_plan.c - which methods a study runs, over which settings. */
#include "app/study/study.h"
#include "model/table/theta.h"
#include "release/shape_ops.h"
#include "core/parse.h"
#include <stdio.h>

#define LETHE_KS "5,10"             /* where nobody says which */
#define LETHE_THETAS "1/2,1/5,1/10" /* of named methods */
enum { LIST_MAX = 1000 };

typedef struct words {
    const char **at;
    size_t n;
} words;

typedef struct plan_builder {
    lethe_diag *d;
    lethe_arena *a;
    const lethe_compare_options *asked;
    lethe_shape shape;
    words ks, ts, thetas;
    bool *chosen; /* by method of the table */
    lethe_plan *plan;
} plan_builder;

/* --- lists --- */

/* What stands between commas, in `a`; LETHE_EUSAGE: nothing stands there, or the same twice. */
static lethe_err list_parse(const plan_builder *p, const char *option, const char *text, words *out)
{
    *out = (words){.at = lethe_new(p->a, const char *, LIST_MAX)};
    if (!out->at) return lethe_no_memory(p->d);
    for (const char *from = text;; from++) {
        size_t n = strcspn(from, ",");
        if (n == 0)
            return lethe_fail(p->d, LETHE_EUSAGE, "%s: an empty entry between commas", option);
        if (out->n == LIST_MAX)
            return lethe_fail(p->d, LETHE_EUSAGE, "%s: more than %d", option, LIST_MAX);
        if (!(out->at[out->n++] = lethe_arena_dup(p->a, (lethe_str){from, n})))
            return lethe_no_memory(p->d);
        from += n;
        if (!*from) return LETHE_OK;
    }
}

static lethe_err twice_check(const plan_builder *p, const char *option, const words *w)
{
    for (size_t i = 0; i < w->n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(w->at[i], w->at[j]) == 0)
                return lethe_fail(p->d, LETHE_EUSAGE, "%s: '%s' is given twice", option, w->at[i]);
    return LETHE_OK;
}

/* Numbers get one form each, so that 5 and 05 are one. */
static lethe_err numbers_parse(const plan_builder *p, const char *option, const char *text,
                               words *out)
{
    LETHE_TRY(list_parse(p, option, text, out));
    for (size_t i = 0; i < out->n; i++) {
        uint64_t v;
        if (!lethe_parse_u64(lethe_str_of(out->at[i]), &v) || v == 0)
            return lethe_fail(p->d, LETHE_EUSAGE, "%s: '%s' is not a whole number from 1", option,
                              out->at[i]);
        out->at[i] = lethe_arena_printf(p->a, "%llu", (unsigned long long)v);
        if (!out->at[i]) return lethe_no_memory(p->d);
    }
    return twice_check(p, option, out);
}

static lethe_err thetas_parse(const plan_builder *p, const char *text, words *out)
{
    LETHE_TRY(list_parse(p, "--theta", text, out));
    for (size_t i = 0; i < out->n; i++) {
        lethe_theta theta;
        char form[LETHE_THETA_MAX];
        if (!lethe_theta_parse(lethe_str_of(out->at[i]), &theta))
            return lethe_fail(p->d, LETHE_EUSAGE, "--theta: '%s' %s", out->at[i],
                              lethe_theta_fault(lethe_str_of(out->at[i])));
        lethe_theta_print(theta, form);
        out->at[i] = lethe_arena_dup(p->a, lethe_str_of(form));
        if (!out->at[i]) return lethe_no_memory(p->d);
    }
    return twice_check(p, "--theta", out);
}

/* --- methods --- */

static lethe_err methods_choose(plan_builder *p)
{
    const lethe_method *const *all = lethe_methods();
    size_t n = 0;
    words named = {0};
    while (all[n])
        n++;
    p->chosen = lethe_new(p->a, bool, n);
    if (!p->chosen) return lethe_no_memory(p->d);
    LETHE_TRY(list_parse(p, "--methods", p->asked->methods, &named));
    LETHE_TRY(twice_check(p, "--methods", &named));
    for (size_t i = 0; i < n; i++)
        p->chosen[i] = false;
    for (size_t w = 0; w < named.n; w++) {
        size_t i = 0;
        while (i < n && strcmp(all[i]->name, named.at[w]) != 0)
            i++;
        if (i == n)
            return lethe_fail(p->d, LETHE_EUSAGE, "--methods: unknown method '%s'", named.at[w]);
        if (!(all[i]->in & p->shape))
            return lethe_fail(p->d, LETHE_EUSAGE, "--methods: %s does not take %s", named.at[w],
                              lethe_shape_noun(p->shape));
        p->chosen[i] = true;
    }
    return LETHE_OK;
}

static const lethe_option *option_find(const lethe_option *table, const char *name)
{
    for (; table && table->name; table++)
        if (strcmp(table->name, name) == 0) return table;
    return NULL;
}

static lethe_err run_add(plan_builder *p, const lethe_method *m, const lethe_setting *setting,
                         size_t n)
{
    lethe_planned_run run = {
        .n_steps = 1, .method = m, .goals = lethe_method_goals(m), .n_varied = n};
    const char *label = m->name;
    run.step[0] = (lethe_planned_step){.method = m, .n_settings = n};
    for (size_t i = 0; label && i < n; i++) {
        run.step[0].setting[i] = run.varied[i] = setting[i];
        label = lethe_arena_printf(p->a, "%s %s=%s", label, setting[i].option, setting[i].value);
    }
    if (!label) return lethe_no_memory(p->d);
    run.label = label;
    return lethe_plan_add(p->d, p->a, p->plan, run);
}

static lethe_err choices_add(plan_builder *p, const lethe_method *m, const lethe_option *o)
{
    for (const char *from = o->arg;;) {
        size_t n = strcspn(from, "|");
        const char *choice = lethe_arena_dup(p->a, (lethe_str){from, n});
        if (!choice) return lethe_no_memory(p->d);
        LETHE_TRY(run_add(p, m, &(lethe_setting){o->name, choice}, 1));
        if (!from[n]) return LETHE_OK;
        from += n + 1;
    }
}

/* Of a method that has both k and theta, what was asked for is varied; where both were, each k with
 * each theta.  Where neither was: the shares, if a column is sensitive. */
static lethe_err k_and_theta_add(plan_builder *p, const lethe_method *m)
{
    const lethe_compare_options *c = p->asked;
    bool of_theta = c->theta || (!c->k && lethe_is_given(c->values, "sa")),
         of_k = c->k || !of_theta;
    for (size_t i = 0; i < (of_k ? p->ks.n : 1); i++)
        for (size_t j = 0; j < (of_theta ? p->thetas.n : 1); j++) {
            lethe_setting setting[2];
            size_t n = 0;
            if (of_k) setting[n++] = (lethe_setting){"k", p->ks.at[i]};
            if (of_theta) setting[n++] = (lethe_setting){"theta", p->thetas.at[j]};
            LETHE_TRY(run_add(p, m, setting, n));
        }
    return LETHE_OK;
}

static lethe_err method_add(plan_builder *p, const lethe_method *m)
{
    const lethe_option *o = m->sweep ? option_find(m->options, m->sweep) : NULL;
    if (o && (strcmp(o->name, "k") == 0 || strcmp(o->name, "theta") == 0) &&
        option_find(m->options, "k") && option_find(m->options, "theta"))
        return k_and_theta_add(p, m);
    if (!o) return run_add(p, m, NULL, 0);
    if (o->type == LETHE_OPT_CHOICE) return choices_add(p, m, o);
    const words *values = strcmp(o->name, "k") == 0       ? &p->ks
                          : strcmp(o->name, "t") == 0     ? &p->ts
                          : strcmp(o->name, "theta") == 0 ? &p->thetas
                                                          : NULL;
    if (!values) return run_add(p, m, NULL, 0);
    for (size_t i = 0; i < values->n; i++)
        LETHE_TRY(run_add(p, m, &(lethe_setting){o->name, values->at[i]}, 1));
    return LETHE_OK;
}

/* A bare method would be run on whole histories, with all that is rare and personal in them: nobody
 * would publish that.  So every method comes at the end of a chain, as in `publish`.  What a log
 * has is known when it is read, after the plan. */
static lethe_err candidates_add(plan_builder *p, const lethe_input_facts *facts)
{
    const lethe_candidate_choice choice = {.shape = p->shape,
                                           .given = p->asked->values,
                                           .facts = facts,
                                           .any_goal = true,
                                           .assumed = p->shape == LETHE_SHAPE_LOG
                                                          ? LETHE_NEEDS_CLICKS | LETHE_NEEDS_TIMES |
                                                                LETHE_NEEDS_WORDNET
                                                          : 0,
                                           .k = {p->ks.at, p->ks.n},
                                           .t = {p->ts.at, p->ts.n},
                                           .theta = {p->thetas.at, p->thetas.n}};
    if (p->asked->theta && !lethe_is_given(p->asked->values, "sa"))
        return lethe_fail(p->d, LETHE_EUSAGE,
                          "--theta is the highest share of a value of a sensitive column: name one "
                          "with --sa");
    return lethe_candidates_plan(p->d, p->a, &choice, p->plan);
}

static lethe_err methods_add(plan_builder *p)
{
    LETHE_TRY(methods_choose(p));
    for (size_t i = 0; lethe_methods()[i]; i++)
        if (p->chosen[i]) LETHE_TRY(method_add(p, lethe_methods()[i]));
    return LETHE_OK;
}

/* --- what is varied, in words --- */

/* Does one of the runs before `end` have the method, or the setting (value NULL: the option)? */
static bool was_before(const lethe_plan *plan, size_t end, const lethe_method *m,
                       const lethe_setting *s)
{
    for (size_t i = 0; i < end; i++) {
        const lethe_planned_run *run = &plan->at[i];
        if (m && run->method != m) continue;
        for (size_t k = 0; k < run->n_varied; k++)
            if (strcmp(run->varied[k].option, s->option) == 0 &&
                (!s->value || strcmp(run->varied[k].value, s->value) == 0))
                return true;
    }
    return false;
}

/* "k = 2, 5 (lplus, anneal)"; NULL: no memory. */
static char *option_varied(lethe_arena *a, const lethe_plan *plan, const char *option)
{
    char *values = lethe_arena_printf(a, "%s = ", option), *methods = lethe_arena_printf(a, "(");
    bool first_value = true, first_method = true;
    for (size_t i = 0; values && methods && i < plan->n; i++) {
        const lethe_planned_run *run = &plan->at[i];
        for (size_t k = 0; values && methods && k < run->n_varied; k++) {
            lethe_setting s = run->varied[k];
            if (strcmp(s.option, option) != 0) continue;
            if (!was_before(plan, i, NULL, &s)) {
                values = lethe_arena_printf(a, "%s%s%s", values, first_value ? "" : ", ", s.value);
                first_value = false;
            }
            s.value = NULL;
            if (!was_before(plan, i, run->method, &s)) {
                methods = lethe_arena_printf(a, "%s%s%s", methods, first_method ? "" : ", ",
                                             run->method->name);
                first_method = false;
            }
        }
    }
    return values && methods ? lethe_arena_printf(a, "%s %s)", values, methods) : NULL;
}

char *lethe_plan_varied(lethe_arena *a, const lethe_plan *plan)
{
    char *all = lethe_arena_printf(a, "%s", "");
    for (size_t i = 0; all && i < plan->n; i++)
        for (size_t k = 0; all && k < plan->at[i].n_varied; k++) {
            lethe_setting s = {plan->at[i].varied[k].option, NULL};
            if (was_before(plan, i, NULL, &s)) continue;
            char *one = option_varied(a, plan, s.option);
            all = one ? lethe_arena_printf(a, "%s%s%s", all, all[0] ? "; " : "", one) : NULL;
        }
    return all;
}

/* --- what the user gave besides --- */

/* An option that nothing takes would be believed to have been at work. */
static lethe_err options_check(const plan_builder *p)
{
    const lethe_values *v = p->asked->values;
    const lethe_plan *plan = p->plan;
    for (size_t i = 0; v && i < v->n; i++) {
        const char *name = v->table[i].name;
        unsigned shapes = 0;
        bool taken = false;
        if (!v->at[i].given || !lethe_is_for_steps(name)) continue;
        for (size_t k = 0; k < plan->n; k++) {
            shapes |= plan->at[k].method->out;
            for (size_t j = 0; j < plan->at[k].n_steps; j++)
                taken = taken || option_find(plan->at[k].step[j].method->options, name);
        }
        for (const lethe_measure *const *m = lethe_measures(); *m; m++)
            taken = taken || ((*m)->shapes & shapes && option_find((*m)->options, name));
        for (const lethe_adversary *const *m = lethe_adversaries(); *m; m++)
            taken = taken || ((*m)->shapes & shapes && option_find((*m)->options, name));
        if (!taken)
            return lethe_fail(p->d, LETHE_EUSAGE,
                              "--%s: no method that applies to this input has this option", name);
        if (p->shape == LETHE_SHAPE_RECORDS && lethe_is_log_option(name))
            return lethe_fail(p->d, LETHE_EUSAGE, "--%s applies to logs, and the input is records",
                              name);
    }
    return LETHE_OK;
}

lethe_err lethe_plan_make(lethe_diag *d, lethe_arena *a, const lethe_compare_options *c,
                          lethe_shape shape, const lethe_input_facts *facts, lethe_plan *out)
{
    plan_builder p = {.d = d, .a = a, .asked = c, .shape = shape, .plan = out};
    *out = (lethe_plan){0};
    LETHE_TRY(numbers_parse(&p, "-k", c->k ? c->k : LETHE_KS, &p.ks));
    p.ts = p.ks;
    if (c->t) LETHE_TRY(numbers_parse(&p, "-t", c->t, &p.ts));
    const char *thetas = c->theta ? c->theta : c->methods ? LETHE_THETAS : NULL;
    if (thetas) LETHE_TRY(thetas_parse(&p, thetas, &p.thetas));
    LETHE_TRY(c->methods ? methods_add(&p) : candidates_add(&p, facts));
    return options_check(&p);
}

lethe_err lethe_plan_evaluate_values(lethe_diag *d, lethe_arena *a, const lethe_compare_options *c,
                                     const char *map, lethe_values *out)
{
    static const lethe_option of_map = {.name = "map", .type = LETHE_OPT_PATH};
    const lethe_values *given = c->values;
    size_t n = given ? given->n : 0, kept = 0;
    lethe_option *table = lethe_new(a, lethe_option, n + 2);
    lethe_value *at = lethe_new(a, lethe_value, n + 2);
    if (!table || !at) return lethe_no_memory(d);
    for (size_t i = 0; i < n; i++) {
        if (!lethe_is_for_steps(given->table[i].name) || strcmp(given->table[i].name, "map") == 0)
            continue;
        table[kept] = given->table[i];
        at[kept++] = given->at[i];
    }
    table[kept] = of_map;
    at[kept++] = (lethe_value){.given = map, .present = map, .text = map};
    *out = (lethe_values){.table = table, .at = at, .n = kept};
    return LETHE_OK;
}
