/* SPDX-License-Identifier: Apache-2.0 */
/* join_figures.c - the figures and counts of a joined release, from those of its parts by the rules
 * of the methods' tables (lethe_joint). */
#include "release/make/join_internal.h"
#include "core/mem.h"
#include <stdio.h>

enum { NAME_BYTES = 64, MEMBERS_MAX = 32 };

/* A count of a figure that is an object. */
typedef struct member {
    char name[NAME_BYTES];
    uint64_t n;
} member;

typedef struct joined_figure {
    char name[NAME_BYTES];
    const lethe_joint *rule;
    lethe_figure_kind kind;
    bool lacking;       /* in a part */
    uint64_t n;         /* of a count: the sum */
    double sum, weight; /* of any other number; a mean is sum / weight */
    double greatest;
    member *members; /* of an object of counts */
    size_t n_members;
} joined_figure;

struct lethe_joined_figures {
    lethe_ctx *ctx;
    lethe_arena *arena;
    joined_figure *at;
    size_t n;
    lethe_counts counts;
};

lethe_err lethe_joined_figures_new(lethe_ctx *ctx, const lethe_json *steps,
                                   const lethe_json *metrics, lethe_joined_figures **out)
{
    lethe_joined_figures *j = lethe_alloc_zero(1, sizeof *j);
    if (!j) return lethe_no_memory(ctx);
    *j = (lethe_joined_figures){.ctx = ctx, .arena = lethe_arena_new()};
    if (j->arena) j->at = lethe_new(j->arena, joined_figure, lethe_json_count(metrics) + 1);
    if (!j->at) {
        lethe_joined_figures_free(j);
        return lethe_no_memory(ctx);
    }
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        lethe_str name = lethe_json_name(metrics, i);
        const lethe_figure *f = lethe_steps_figure(steps, name, NULL);
        const lethe_joint *rule = lethe_steps_joint(steps, name);
        if (!f || !rule) continue;
        joined_figure *own = &j->at[j->n++];
        own->rule = rule;
        own->kind = (lethe_figure_kind)f->kind;
        snprintf(own->name, sizeof own->name, "%s", f->name);
    }
    *out = j;
    return LETHE_OK;
}

void lethe_joined_figures_free(lethe_joined_figures *j)
{
    if (!j) return;
    lethe_arena_free(j->arena);
    lethe_free(j);
}

/* --- adding --- */

/* JSON's whole numbers end at INT64_MAX, and what a part says is anybody's. */
static lethe_err count_add(const lethe_joined_figures *j, uint64_t *sum, const lethe_json *v)
{
    int64_t n = lethe_json_int(v);
    if (n >= 0 && *sum <= (uint64_t)INT64_MAX - (uint64_t)n) {
        *sum += (uint64_t)n;
        return LETHE_OK;
    }
    return lethe_fail(j->ctx, LETHE_EINPUT, "a count of the parts is too large to be added up");
}

static lethe_err members_add(const lethe_joined_figures *j, joined_figure *f, const lethe_json *v)
{
    if (!f->members) f->members = lethe_new(j->arena, member, MEMBERS_MAX);
    if (!f->members) return lethe_no_memory(j->ctx);
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        lethe_str name = lethe_json_name(v, i);
        size_t k = 0;
        while (k < f->n_members && !lethe_str_eq(name, lethe_str_of(f->members[k].name)))
            k++;
        if (k == MEMBERS_MAX || name.n >= NAME_BYTES) // more than any method has
            return lethe_fail(j->ctx, LETHE_EINPUT, "the figure '%s' has too many members",
                              f->name);
        if (k == f->n_members) {
            memcpy(f->members[k].name, name.at, name.n); // the rest is zero
            f->n_members++;
        }
        LETHE_TRY(count_add(j, &f->members[k].n, lethe_json_at(v, i)));
    }
    return LETHE_OK;
}

static double real_of(const lethe_json *metrics, const char *name)
{
    return lethe_json_real(lethe_json_get(metrics, name));
}

/* How many things a mean of a part is about. */
static double weight_of(const lethe_json *metrics, lethe_joint_rule rule)
{
    double records = real_of(metrics, "records");
    switch (rule) {
    case LETHE_JOINT_PER_RECORD:
        return records;
    case LETHE_JOINT_PER_ITEM:
        return real_of(metrics, "avg_length") * records;
    case LETHE_JOINT_PER_INPUT_ITEM:
        return real_of(metrics, "density") * records;
    case LETHE_JOINT_SUM:
    case LETHE_JOINT_GREATEST:
        break;
    }
    return 1;
}

static lethe_err figure_add(const lethe_joined_figures *j, joined_figure *f,
                            const lethe_json *metrics)
{
    const lethe_json *v = lethe_json_get(metrics, f->name);
    double x = lethe_json_real(v), weight = weight_of(metrics, f->rule->rule);
    if (!v) f->lacking = true;
    if (!v) return LETHE_OK;
    if (f->kind == LETHE_FIGURE_COUNTS) return members_add(j, f, v);
    if (f->kind == LETHE_FIGURE_COUNT) LETHE_TRY(count_add(j, &f->n, v));
    f->sum += x * weight;
    f->weight += weight;
    f->greatest = LETHE_MAX(f->greatest, x);
    return LETHE_OK;
}

lethe_err lethe_joined_figures_add(lethe_joined_figures *j, const lethe_json *metrics,
                                   const lethe_json *counts)
{
    lethe_counts *c = &j->counts;
    LETHE_TRY(count_add(j, &c->read, lethe_json_get(counts, "read")));
    LETHE_TRY(count_add(j, &c->published, lethe_json_get(counts, "published")));
    LETHE_TRY(count_add(j, &c->suppressed, lethe_json_get(counts, "suppressed")));
    LETHE_TRY(count_add(j, &c->rejected, lethe_json_get(counts, "rejected")));
    for (size_t i = 0; i < j->n; i++)
        LETHE_TRY(figure_add(j, &j->at[i], metrics));
    return LETHE_OK;
}

/* --- the whole --- */

static void members_set(lethe_json_doc *doc, lethe_json *out, const joined_figure *f)
{
    lethe_json *object = lethe_json_object(doc);
    for (size_t i = 0; i < f->n_members; i++)
        lethe_set_count(doc, object, f->members[i].name, f->members[i].n);
    lethe_json_set(doc, out, f->name, object);
}

static double number_of(const joined_figure *f)
{
    switch (f->rule->rule) {
    case LETHE_JOINT_SUM:
        return f->sum;
    case LETHE_JOINT_GREATEST:
        return f->greatest;
    case LETHE_JOINT_PER_RECORD:
    case LETHE_JOINT_PER_ITEM:
    case LETHE_JOINT_PER_INPUT_ITEM:
        break;
    }
    return f->weight > 0 ? f->sum / f->weight : 0;
}

lethe_json *lethe_joined_figures_metrics(const lethe_joined_figures *j, lethe_json_doc *doc)
{
    lethe_json *out = lethe_json_object(doc);
    for (size_t i = 0; i < j->n; i++) {
        const joined_figure *f = &j->at[i];
        if (f->lacking) continue;
        if (f->kind == LETHE_FIGURE_COUNTS)
            members_set(doc, out, f);
        else if (f->kind == LETHE_FIGURE_COUNT)
            lethe_set_count(doc, out, f->name, f->n);
        else
            lethe_set_real(doc, out, f->name, number_of(f));
    }
    return out;
}

lethe_counts lethe_joined_figures_counts(const lethe_joined_figures *j) { return j->counts; }
