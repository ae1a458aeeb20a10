/* SPDX-License-Identifier: Apache-2.0 */
/* fitting.c - rules out groups by counting who fits them. */
#include "attack/fitting.h"

/* What is still possible, as counts. */
struct counting {
    const lethe_fitting *f;
    uint64_t *may;   /* by group: persons who may be in it */
    uint64_t *must;  /* by group: of these, who may be in no other */
    uint32_t *left;  /* by tuple: groups that are possible */
    bool *out;       /* by place in `fit`: ruled out */
    uint64_t *begin; /* by group, its tuples in: */
    uint32_t *tuple;
    bool *is_done;   /* by group: nothing more follows from it */
    uint32_t *queue; /* groups to look at, each once until it is taken out */
    bool *is_queued;
    uint32_t n_queue;
};

static void group_queue(struct counting *c, uint32_t g)
{
    if (c->is_queued[g] || c->is_done[g]) return;
    c->is_queued[g] = true;
    c->queue[c->n_queue++] = g;
}

/* The tuple's groups change: rules out all but `only`, or `never` alone; LETHE_NONE: none. */
static void tuple_narrow(struct counting *c, uint32_t t, uint32_t only, uint32_t never)
{
    const lethe_fitting *f = c->f;
    uint64_t end = f->first[t] + f->n_fits[t];
    for (uint64_t e = f->first[t]; e < end; e++) {
        uint32_t g = f->fit[e];
        if (c->out[e] || g == only || (only == LETHE_NONE && g != never)) continue;
        c->out[e] = true;
        c->left[t]--;
        c->may[g] -= f->persons[t];
        group_queue(c, g);
    }
    if (c->left[t] != 1) return;
    for (uint64_t e = f->first[t]; e < end; e++)
        if (!c->out[e]) {
            c->must[f->fit[e]] += f->persons[t];
            group_queue(c, f->fit[e]);
        }
}

static bool may_be_in(const struct counting *c, uint32_t t, uint32_t g)
{
    const lethe_fitting *f = c->f;
    for (uint64_t e = f->first[t]; e < f->first[t] + f->n_fits[t]; e++)
        if (f->fit[e] == g) return !c->out[e];
    return false;
}

static void group_look(struct counting *c, uint32_t g)
{
    uint64_t size = c->f->size[g];
    bool all_in = c->may[g] == size, full = c->f->all_are_in && c->must[g] == size;
    if (c->is_done[g] || (!all_in && !full)) return;
    c->is_done[g] = true;
    for (uint64_t i = c->begin[g]; i < c->begin[g + 1]; i++) {
        uint32_t t = c->tuple[i];
        if (c->left[t] < 2 || !may_be_in(c, t, g)) continue;
        if (all_in)
            tuple_narrow(c, t, g, LETHE_NONE);
        else
            tuple_narrow(c, t, LETHE_NONE, g);
    }
}

static lethe_err counting_open(struct counting *c, lethe_arena *a)
{
    const lethe_fitting *f = c->f;
    size_t n_groups = f->n_groups;
    c->may = lethe_new(a, uint64_t, n_groups + 1);
    c->must = lethe_new(a, uint64_t, n_groups + 1);
    c->left = lethe_new(a, uint32_t, (size_t)f->n_tuples + 1);
    c->out = lethe_new(a, bool, f->n_fit + 1);
    c->begin = lethe_new(a, uint64_t, n_groups + 2);
    c->tuple = lethe_new(a, uint32_t, f->n_fit + 1);
    c->is_done = lethe_new(a, bool, n_groups + 1);
    c->queue = lethe_new(a, uint32_t, n_groups + 1);
    c->is_queued = lethe_new(a, bool, n_groups + 1);
    if (!c->may || !c->must || !c->left || !c->out || !c->begin || !c->tuple || !c->is_done ||
        !c->queue || !c->is_queued)
        return LETHE_ENOMEM;
    for (uint32_t t = 0; t < f->n_tuples; t++) {
        c->left[t] = f->n_fits[t];
        for (uint64_t e = f->first[t]; e < f->first[t] + f->n_fits[t]; e++) {
            uint32_t g = f->fit[e];
            c->may[g] += f->persons[t];
            c->must[g] += f->n_fits[t] == 1 ? f->persons[t] : 0;
            c->begin[g + 1]++;
        }
    }
    for (size_t g = 0; g < n_groups; g++)
        c->begin[g + 1] += c->begin[g];
    for (uint32_t t = 0; t < f->n_tuples; t++)
        for (uint64_t e = f->first[t]; e < f->first[t] + f->n_fits[t]; e++)
            c->tuple[c->begin[f->fit[e]]++] = t;
    for (size_t g = n_groups; g > 0; g--)
        c->begin[g] = c->begin[g - 1];
    c->begin[0] = 0;
    return LETHE_OK;
}

lethe_err lethe_fitting_rule_out(const lethe_fitting *f, lethe_arena *a, bool **out)
{
    struct counting c = {.f = f};
    LETHE_TRY(counting_open(&c, a));
    for (uint32_t g = 0; g < f->n_groups; g++)
        group_queue(&c, g);
    while (c.n_queue > 0) {
        uint32_t g = c.queue[--c.n_queue];
        c.is_queued[g] = false;
        group_look(&c, g);
    }
    *out = c.out;
    return LETHE_OK;
}
