/* SPDX-License-Identifier: Apache-2.0 */
/* best_cuts.c - the cheapest valid cuts: a cut for the threats known, threats in that cut, and so
 * on.  Knowledge grows by one item at a time, as in the rounds of mog, but no round binds the next:
 * so the first cuts, which are fine, are searched for small threats alone, and large ones are
 * sought when the cuts are coarse. */
#include "method/itemset/best_cuts.h"
#include "core/clock.h"
#include "core/mem.h"
#include "method/itemset/cuts/cut_sets.h"

struct cut_generation {
    lethe_ctx *ctx;
    const lethe_records *sets;
    lethe_cuts_problem p;
    uint64_t on_the_way; /* cuts of each search before the last */
    lethe_threats known;
    size_t cap, cap_items;
    uint8_t *above;    /* by node: at or above the cuts found last, */
    uint8_t *searched; /* and those that were searched for threats last */
    uint32_t *lowest;  /* the lowest of `above`, ascending */
    size_t n_lowest;
    lethe_best_cuts *out;
};

static lethe_err add_threats(struct cut_generation *g, const lethe_threats *found)
{
    lethe_threats *k = &g->known;
    size_t n = k->n + found->n, n_items = k->start[k->n] + found->start[found->n];
    if (n > g->cap) {
        size_t cap = n + n / 2;
        uint64_t *start = lethe_realloc(k->start, cap + 1, sizeof *start);
        if (!start) return LETHE_ENOMEM;
        k->start = start;
        g->cap = cap;
    }
    if (n_items > g->cap_items) {
        size_t cap = n_items + n_items / 2;
        uint32_t *item = lethe_realloc(k->item, cap, sizeof *item);
        if (!item) return LETHE_ENOMEM;
        k->item = item;
        g->cap_items = cap;
    }
    memcpy(k->item + k->start[k->n], found->item, found->start[found->n] * sizeof *k->item);
    for (size_t i = 0; i < found->n; i++)
        k->start[k->n + i + 1] = k->start[k->n + i] + found->start[i + 1] - found->start[i];
    k->n = n;
    for (uint32_t v = 0; v < g->p.t->n; v++)
        k->locked[v] |= found->locked[v];
    return LETHE_OK;
}

/* What is at or above any of the cuts: all of them are valid if nothing there is a threat. */
static void mark_above(struct cut_generation *g)
{
    const lethe_tree *t = g->p.t;
    const lethe_cuts *c = &g->out->cuts;
    memset(g->above, 0, t->n);
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->cut[i].n; j++)
            for (uint32_t v = c->cut[i].node[j]; v != LETHE_NONE && !g->above[v]; v = t->parent[v])
                g->above[v] = 1;
    g->n_lowest = 0;
    for (uint32_t v = t->n; v-- > 0;) { // from the last: what is below stands behind
        uint32_t last = g->n_lowest > 0 ? g->lowest[t->n - g->n_lowest] : t->n;
        if (g->above[v] && last >= t->end[v]) g->lowest[t->n - ++g->n_lowest] = v;
    }
    memmove(g->lowest, g->lowest + t->n - g->n_lowest, g->n_lowest * sizeof *g->lowest);
}

static lethe_err find_cuts(struct cut_generation *g)
{
    lethe_cuts *cuts = &g->out->cuts;
    uint64_t examined = cuts->examined;
    double began = lethe_clock_s();
    lethe_cuts_free(cuts);
    lethe_ctx_phase(g->ctx, "cuts", 0);
    lethe_err e = lethe_cuts_find(g->ctx, &g->p, cuts);
    cuts->examined += examined;
    g->out->phase2_s += lethe_clock_s() - began;
    if (e == LETHE_OK) mark_above(g);
    return e;
}

/* The threats of these sets, all of which have `known` sensitive items, the last being `mark`.
 * *any: there are some. */
static lethe_err find_in_sets(struct cut_generation *g, const lethe_records *sets,
                              const lethe_kl *kl, uint32_t mark, uint32_t known, bool *any)
{
    lethe_best_cuts *out = g->out;
    lethe_threats found = {0};
    LETHE_TRY(lethe_threats_find(g->ctx, sets, g->p.t, kl, 0, &found));
    lethe_err e = add_threats(g, &found) == LETHE_OK ? LETHE_OK : lethe_no_memory(g->ctx);
    out->threats += found.stored;
    out->nodes += found.nodes;
    if (found.empty) {
        g->known.empty = true;
        out->common = found.common;
        out->common_n = found.common_n;
        out->known = mark;
        out->n_known = known;
        out->known_n = sets->n;
    }
    *any = *any || found.empty || found.n > 0 || memchr(found.locked, 1, g->p.t->n);
    lethe_threats_free(&found);
    return e;
}

/* Those of the sets that have a sensitive item, which[0] .. which[n - 1], without it. */
static lethe_err sets_with_mark(const lethe_records *r, const uint32_t *which, size_t n,
                                uint32_t mark, lethe_arena *a, lethe_records *out)
{
    uint64_t items = 0, marks = 0;
    for (size_t i = 0; i < n; i++) {
        items += lethe_record_size(r, which[i]);
        marks += r->mark_start[which[i] + 1] - r->mark_start[which[i]];
    }
    uint64_t *start = lethe_new(a, uint64_t, n + 1), *mark_start = lethe_new(a, uint64_t, n + 1);
    uint32_t *item = lethe_new(a, uint32_t, items + 1), *left = lethe_new(a, uint32_t, marks + 1);
    if (!start || !mark_start || !item || !left) return LETHE_ENOMEM;
    items = marks = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t set = which[i];
        memcpy(item + items, r->item + r->start[set], lethe_record_size(r, set) * sizeof *item);
        start[i + 1] = items += lethe_record_size(r, set);
        for (uint64_t k = r->mark_start[set]; k < r->mark_start[set + 1]; k++)
            if (r->mark[k] != mark) left[marks++] = r->mark[k];
        mark_start[i + 1] = marks;
    }
    *out = *r;
    out->n = n;
    out->start = start;
    out->item = item;
    out->mark_start = mark_start;
    out->mark = left;
    return LETHE_OK;
}

/* By sensitive item s: the sets that have it are set[begin[s]] .. set[begin[s + 1] - 1]. */
static lethe_err index_marks(const lethe_records *r, uint32_t n_marks, lethe_arena *a,
                             uint64_t **begin_out, uint32_t **set_out)
{
    uint64_t *begin = lethe_new(a, uint64_t, (size_t)n_marks + 2);
    uint32_t *set = lethe_new(a, uint32_t, r->mark_start[r->n] + 1);
    if (!begin || !set) return LETHE_ENOMEM;
    for (uint64_t i = 0; i < r->mark_start[r->n]; i++)
        begin[r->mark[i] + 2]++;
    for (uint32_t s = 0; s < n_marks; s++) // one further on, until all have come in
        begin[s + 1] += begin[s];
    begin[n_marks + 1] += begin[n_marks];
    for (size_t i = 0; i < r->n; i++)
        for (uint64_t k = r->mark_start[i]; k < r->mark_start[i + 1]; k++)
            set[begin[r->mark[k] + 1]++] = (uint32_t)i;
    *begin_out = begin;
    *set_out = set;
    return LETHE_OK;
}

/* The threats for someone who knows one more sensitive item, from `first` on: what is known besides
 * is judged by the sets that have it, and by their other sensitive items.  Then two more, and so
 * on. */
static lethe_err find_by_marks(struct cut_generation *g, const lethe_records *r, const lethe_kl *kl,
                               uint32_t first, uint32_t known, bool *any)
{
    uint32_t n_marks = r->marks ? lethe_dict_count(r->marks) : 0, *set = NULL;
    uint64_t *begin = NULL;
    if (known == kl->sensitive_known || n_marks == 0) return LETHE_OK;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a && index_marks(r, n_marks, a, &begin, &set) == LETHE_OK
                      ? LETHE_OK
                      : lethe_no_memory(g->ctx);
    for (uint32_t s = first; e == LETHE_OK && s < n_marks && !g->known.empty; s++) {
        size_t n = (size_t)(begin[s + 1] - begin[s]);
        lethe_records with;
        if (n == 0) continue;
        lethe_arena *own = lethe_arena_new();
        e = own && sets_with_mark(r, set + begin[s], n, s, own, &with) == LETHE_OK
                ? find_in_sets(g, &with, kl, s, known + 1, any)
                : lethe_no_memory(g->ctx);
        if (e == LETHE_OK && !g->known.empty)
            e = find_by_marks(g, &with, kl, s + 1, known + 1, any);
        lethe_arena_free(own);
    }
    lethe_arena_free(a);
    return e;
}

/* The threats of this power above the cuts become known.  *any: there are some. */
static lethe_err find_threats(struct cut_generation *g, const lethe_kl *kl, bool *any)
{
    lethe_records sets;
    double began = lethe_clock_s();
    lethe_arena *a = lethe_arena_new();
    *any = false;
    lethe_err e =
        a && lethe_cuts_apply(g->sets, g->p.t, g->lowest, g->n_lowest, a, &sets) == LETHE_OK
            ? find_in_sets(g, &sets, kl, LETHE_NONE, 0, any)
            : lethe_no_memory(g->ctx);
    if (e == LETHE_OK && !g->known.empty) e = find_by_marks(g, &sets, kl, 0, 0, any);
    memcpy(g->searched, g->above, g->p.t->n);
    lethe_arena_free(a);
    g->out->phase1_s += lethe_clock_s() - began;
    return e;
}

static bool is_searched(const struct cut_generation *g)
{
    size_t i = 0;
    while (i < g->n_lowest && g->searched[g->lowest[i]])
        i++;
    return i == g->n_lowest;
}

/* Cuts that are valid for this power.  None: there is none. */
static lethe_err find_valid(struct cut_generation *g, const lethe_kl *kl)
{
    memset(g->searched, 0, g->p.t->n);
    for (bool any = true; any && g->out->cuts.n > 0 && !is_searched(g);) {
        LETHE_TRY(find_threats(g, kl, &any));
        if (any) LETHE_TRY(find_cuts(g));
    }
    return LETHE_OK;
}

/* On the way, any cut near the best shows where threats are: few threats of small powers can make
 * the very best hard to find, where all of them do not.  It and the few best are wanted at the end
 * alone. */
static lethe_err find_by_power(struct cut_generation *g, const lethe_kl *kl, uint32_t valid_m)
{
    lethe_kl power = *kl;
    uint32_t top = g->p.top;
    uint64_t max_cuts = g->p.max_cuts;
    g->p.top = 1;
    g->p.max_cuts = max_cuts ? LETHE_MIN(max_cuts, g->on_the_way) : g->on_the_way;
    power.n = 0;
    LETHE_TRY(find_cuts(g));
    for (power.m = LETHE_MIN(valid_m + 1, kl->m); power.m < kl->m; power.m++)
        LETHE_TRY(find_valid(g, &power));
    if (kl->n > 0 && valid_m < kl->m) LETHE_TRY(find_valid(g, &power));
    LETHE_TRY(find_valid(g, kl));
    if ((top == 1 && g->out->cuts.optimal) || g->out->cuts.n == 0) return LETHE_OK;
    g->p.top = top;
    g->p.max_cuts = max_cuts;
    LETHE_TRY(find_cuts(g));
    return find_valid(g, kl);
}

lethe_err lethe_best_cuts_find(lethe_ctx *ctx, const lethe_records *sets, const lethe_kl *kl,
                               uint32_t valid_m, const lethe_cuts_problem *p, uint64_t on_the_way,
                               lethe_best_cuts *out)
{
    struct cut_generation g = {
        .ctx = ctx, .sets = sets, .p = *p, .on_the_way = on_the_way, .out = out};
    lethe_arena *a = lethe_arena_new();
    *out = (lethe_best_cuts){.common = LETHE_NONE, .known = LETHE_NONE};
    g.p.threats = &g.known;
    g.above = a ? lethe_new(a, uint8_t, p->t->n) : NULL;
    g.searched = a ? lethe_new(a, uint8_t, p->t->n) : NULL;
    g.lowest = a ? lethe_new(a, uint32_t, p->t->n) : NULL;
    g.known.locked = lethe_alloc_zero(p->t->n, sizeof *g.known.locked);
    g.known.start = lethe_alloc_zero(1, sizeof *g.known.start);
    g.known.item = lethe_alloc(1, sizeof *g.known.item);
    bool ok = g.above && g.searched && g.lowest && g.known.locked && g.known.start && g.known.item;
    lethe_err e = ok ? find_by_power(&g, kl, valid_m) : lethe_no_memory(ctx);
    lethe_threats_free(&g.known);
    lethe_arena_free(a);
    if (e != LETHE_OK) lethe_cuts_free(&out->cuts);
    return e;
}
