/* SPDX-License-Identifier: Apache-2.0 */
/* cuts.c - the cheapest valid cuts: from the problem to the nets that are searched, and back to
 * nodes of the taxonomy.
 *
 * Where one cut is wanted, everything that can be decided at once is (lethe_cuts_settle), and the
 * rest falls into parts that no bar joins.  Their cheapest cuts are found separately; of cuts of
 * equal cost, the first in order of each part make up the first in order of the whole. */
#include "method/itemset/cuts/cuts.h"
#include "method/itemset/cuts/cuts_internal.h"
#include "core/clock.h"

/* --- parts --- */

typedef struct part {
    lethe_cuts_net net;
    uint32_t *node; /* of each node of its net: that of the whole */
    lethe_cuts_best best;
} part;

typedef struct partition {
    lethe_arena *a;
    const lethe_cuts_net *net;
    lethe_cuts_state s;
    uint32_t *joined; /* a forest of open nodes: those of a part have one root */
    uint32_t *number; /* of each open node: in its part */
    part *part;
    uint32_t n;
    lethe_cuts_limits *limits;
} partition;

static uint32_t root_of(uint32_t *joined, uint32_t v)
{
    while (joined[v] != v)
        v = joined[v] = joined[joined[v]];
    return v;
}

static void join(uint32_t *joined, uint32_t u, uint32_t v)
{
    u = root_of(joined, u);
    v = root_of(joined, v);
    joined[LETHE_MAX(u, v)] = LETHE_MIN(u, v);
}

static bool is_open(const partition *k, uint32_t v) { return k->s.is[v] == LETHE_CUTS_OPEN; }

static void join_all(partition *k)
{
    for (uint32_t v = 0; v < k->net->n; v++) {
        k->joined[v] = v;
        uint32_t up = k->net->parent[v];
        if (is_open(k, v) && up != LETHE_NONE && is_open(k, up)) join(k->joined, v, up);
    }
    for (uint32_t b = 0; b < k->net->n_bars; b++) {
        uint32_t first = LETHE_NONE;
        if (k->s.n_stay[b] > 0) continue;
        LETHE_CUTS_EACH_MEMBER(k->net, b, i)
        {
            uint32_t v = k->net->member[i];
            if (!is_open(k, v)) continue;
            if (first == LETHE_NONE) first = v;
            join(k->joined, first, v);
        }
    }
}

/* What each part needs room for. */
typedef struct room {
    uint32_t n, n_bars;
    uint64_t n_members;
    uint32_t *parent, *end, *member;
    uint64_t *w, *start;
} room;

/* The part of each root goes to `number` of the root first; parts by their first node. */
static lethe_err count_parts(partition *k, uint32_t *part_of, room **out)
{
    for (uint32_t v = 0; v < k->net->n; v++) {
        if (!is_open(k, v)) continue;
        uint32_t r = root_of(k->joined, v); // the least of its part
        part_of[v] = r == v ? k->n++ : part_of[r];
    }
    room *m = lethe_new(k->a, room, (size_t)k->n + 1);
    if (!m) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < k->net->n; v++)
        if (is_open(k, v)) k->number[v] = m[part_of[v]].n++;
    for (uint32_t b = 0; b < k->net->n_bars; b++) {
        uint32_t in = LETHE_NONE;
        if (k->s.n_stay[b] > 0) continue;
        LETHE_CUTS_EACH_MEMBER(k->net, b, i)
        {
            uint32_t v = k->net->member[i];
            if (!is_open(k, v)) continue;
            in = part_of[v];
            m[in].n_members++;
        }
        m[in].n_bars++;
    }
    *out = m;
    return LETHE_OK;
}

static void fill_nodes(partition *k, const uint32_t *part_of, room *m)
{
    const lethe_cuts_net *net = k->net;
    for (uint32_t v = net->n; v-- > 0;) {
        if (!is_open(k, v)) continue;
        room *r = &m[part_of[v]];
        uint32_t i = k->number[v], up = net->parent[v];
        bool below = up != LETHE_NONE && is_open(k, up);
        k->part[part_of[v]].node[i] = v;
        r->parent[i] = below ? k->number[up] : LETHE_NONE;
        r->w[i] = net->w[v];
        r->end[i] = LETHE_MAX(r->end[i], i + 1); // its last one below it came first
        if (below) r->end[k->number[up]] = LETHE_MAX(r->end[k->number[up]], r->end[i]);
    }
}

static void fill_bars(partition *k, const uint32_t *part_of, room *m)
{
    for (uint32_t b = 0; b < k->net->n_bars; b++) {
        room *r = NULL;
        if (k->s.n_stay[b] > 0) continue;
        LETHE_CUTS_EACH_MEMBER(k->net, b, i)
        {
            uint32_t v = k->net->member[i];
            if (!is_open(k, v)) continue;
            r = &m[part_of[v]];
            r->member[r->n_members++] = k->number[v];
        }
        r->start[++r->n_bars] = r->n_members;
    }
}

static lethe_err make_parts(partition *k)
{
    uint32_t *part_of = lethe_new(k->a, uint32_t, (size_t)k->net->n + 1);
    room *m = NULL;
    k->joined = lethe_new(k->a, uint32_t, (size_t)k->net->n + 1);
    k->number = lethe_new(k->a, uint32_t, (size_t)k->net->n + 1);
    if (!part_of || !k->joined || !k->number) return LETHE_ENOMEM;
    join_all(k);
    LETHE_TRY(count_parts(k, part_of, &m));
    k->part = lethe_new(k->a, part, (size_t)k->n + 1);
    if (!k->part) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < k->n; i++) {
        room *r = &m[i];
        size_t n = (size_t)r->n + 1;
        r->parent = lethe_new(k->a, uint32_t, n);
        r->end = lethe_new(k->a, uint32_t, n);
        r->w = lethe_new(k->a, uint64_t, n);
        r->start = lethe_new(k->a, uint64_t, (size_t)r->n_bars + 1);
        r->member = lethe_new(k->a, uint32_t, r->n_members + 1);
        k->part[i].node = lethe_new(k->a, uint32_t, n);
        if (!r->parent || !r->end || !r->w || !r->start || !r->member || !k->part[i].node)
            return LETHE_ENOMEM;
        k->part[i].net = (lethe_cuts_net){.n = r->n,
                                          .parent = r->parent,
                                          .end = r->end,
                                          .w = r->w,
                                          .n_bars = r->n_bars,
                                          .start = r->start,
                                          .member = r->member};
        r->n_bars = 0;
        r->n_members = 0;
    }
    fill_nodes(k, part_of, m);
    fill_bars(k, part_of, m);
    for (uint32_t i = 0; i < k->n; i++) {
        LETHE_TRY(lethe_cuts_net_finish(k->a, &k->part[i].net));
        lethe_cuts_best_begin(&k->part[i].best, &k->part[i].net, 1, k->limits->alpha);
    }
    return LETHE_OK;
}

static lethe_err search_part(void *arg, size_t i, unsigned w)
{
    partition *k = arg;
    (void)w;
    return lethe_cuts_search(k->limits, &k->part[i].net, &k->part[i].best);
}

/* The cheapest cut of all from those of the parts. */
static lethe_err put_together(partition *k, lethe_cuts_best *best)
{
    uint8_t *split = lethe_new(k->a, uint8_t, (size_t)k->net->n + 1);
    uint64_t cost = k->s.paid;
    if (!split) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < k->net->n; v++)
        split[v] = k->s.is[v] == LETHE_CUTS_SPLIT;
    for (uint32_t i = 0; i < k->n; i++) {
        const part *p = &k->part[i];
        cost += p->best.cost[0];
        if (p->best.least <= p->best.cost[0]) best->least = 0; // alpha may have lost something
        for (uint32_t v = 0; v < p->net.n; v++)
            split[p->node[v]] = p->best.split[0][v];
    }
    lethe_cuts_join_free(k->net, split);
    return lethe_cuts_best_offer(best, cost, split);
}

static lethe_err search_apart(partition *k, lethe_cuts_best *best)
{
    LETHE_TRY(lethe_cuts_state_new(k->a, k->net, &k->s));
    for (uint32_t v = 0; v < k->net->n; v++)
        if (k->net->locked[v] && is_open(k, v)) lethe_cuts_stay(&k->s, v);
    lethe_cuts_settle(&k->s);
    LETHE_TRY(make_parts(k));
    lethe_err e = LETHE_OK;
    if (k->limits->max_cuts == 0)
        e = lethe_pool_for(k->limits->ctx, k->n, search_part, k);
    else // in order, so that a limit of cuts is met at the same cut each time
        for (uint32_t i = 0; e == LETHE_OK && i < k->n; i++)
            e = search_part(k, i, 0);
    if (e == LETHE_OK && k->n == 0) e = lethe_cuts_examine(k->limits); // the one cut there is
    if (e == LETHE_OK || e == LETHE_ANSWER_NO) e = put_together(k, best);
    for (uint32_t i = 0; i < k->n; i++)
        lethe_cuts_best_free(&k->part[i].best);
    return e;
}

/* --- results --- */

void lethe_cuts_free(lethe_cuts *c)
{
    for (size_t i = 0; i < c->n; i++)
        lethe_free(c->cut[i].node);
    lethe_free(c->cut);
    *c = (lethe_cuts){0};
}

/* The cuts found, as nodes of the taxonomy. */
static lethe_err list_cuts(const lethe_cuts_problem *p, const lethe_cuts_instance *w,
                           const lethe_cuts_best *best, lethe_cuts *out)
{
    const lethe_tree *t = p->t;
    uint32_t *node = lethe_alloc(t->n, sizeof *node);
    out->cut = lethe_alloc_zero(best->n, sizeof *out->cut);
    bool ok = node && out->cut;
    for (uint32_t i = 0; ok && i < best->n; i++) {
        lethe_cuts_cut *cut = &out->cut[i];
        for (uint32_t v = 0; v < t->n;) {
            bool splits = w->inner[v] != LETHE_NONE && best->split[i][w->inner[v]];
            if (p->live[v] && !splits) node[cut->n++] = v;
            v = splits ? v + 1 : t->end[v];
        }
        cut->cost = w->base + best->cost[i];
        cut->node = lethe_alloc(cut->n, sizeof *cut->node);
        ok = cut->node != NULL;
        if (ok) memcpy(cut->node, node, cut->n * sizeof *node);
        out->n++;
    }
    lethe_free(node);
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

/* --- all of it --- */

static lethe_err find_cuts(lethe_cuts_limits *l, lethe_arena *a, const lethe_cuts_problem *p,
                           lethe_cuts_search_fn search, const void *arg, lethe_cuts *out)
{
    lethe_cuts_instance whole;
    lethe_cuts_best best;
    LETHE_TRY(lethe_cuts_instance_new(a, p, &whole));
    out->optimal = true;
    if (whole.infeasible) return LETHE_OK;
    lethe_cuts_best_begin(&best, &whole.net, p->top, p->alpha);
    partition k = {.a = a, .net = &whole.net, .limits = l};
    lethe_err e;
    if (search)
        e = search(l, &whole.net, &best, arg);
    else if (p->top > 1)
        e = lethe_cuts_search(l, &whole.net, &best);
    else
        e = search_apart(&k, &best);
    if (e == LETHE_OK) e = list_cuts(p, &whole, &best, out);
    if (e == LETHE_OK) out->optimal = !l->met && best.least > best.cost[best.n - 1];
    lethe_cuts_best_free(&best);
    return e;
}

lethe_err lethe_cuts_find_by(lethe_ctx *ctx, const lethe_cuts_problem *p,
                             lethe_cuts_search_fn search, const void *arg, lethe_cuts *out)
{
    lethe_cuts_limits l = {.ctx = ctx,
                           .alpha = p->alpha,
                           .max_cuts = p->max_cuts,
                           .deadline = p->seconds > 0 ? lethe_clock_s() + p->seconds : 0};
    lethe_cuts got = {0};
    assert(p->top > 0 && p->alpha >= 0);
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? find_cuts(&l, a, p, search, arg, &got) : LETHE_ENOMEM;
    lethe_arena_free(a);
    if (e != LETHE_OK) {
        lethe_cuts_free(&got);
        return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
    }
    got.examined = l.examined;
    *out = got;
    return LETHE_OK;
}

lethe_err lethe_cuts_find(lethe_ctx *ctx, const lethe_cuts_problem *p, lethe_cuts *out)
{
    return lethe_cuts_find_by(ctx, p, NULL, NULL, out);
}
