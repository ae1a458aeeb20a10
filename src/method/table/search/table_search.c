/* SPDX-License-Identifier: Apache-2.0 */
/* table_search.c - the search as a whole: a good cut first, then all, by all workers. */
#include "method/table/search/table_search_internal.h"

enum { ROUGH = 2000 /* cuts of a rough walk */ };

typedef struct search {
    lethe_ctx *ctx;
    lethe_table_cells cells;
    lethe_table_best best;
    lethe_table_share share;
    uint8_t *closed;
    bool frozen;
    unsigned n_walks;
    lethe_table_walk *walk; /* by worker; made when it is first needed */
    lethe_arena *arena;
    double slack;        /* of the walk at hand, */
    uint64_t cuts;       /* and its end */
    _Atomic int failure; /* of a worker; not a limit, which stops the others alike */
} search;

/* --- walks by worker --- */

static lethe_err walk_of(search *x, unsigned w, lethe_table_walk **out)
{
    lethe_err e = LETHE_OK;
    *out = &x->walk[w];
    if (x->walk[w].s) return e;
    lethe_table_parts *s = NULL;
    LETHE_TRY(lethe_table_parts_new(&x->cells, x->closed, x->frozen, &s));
    e = lethe_table_walk_new(s->arena, s, &x->best, &x->share, &x->walk[w]);
    if (e == LETHE_OK) return e;
    lethe_table_parts_free(s);
    x->walk[w].s = NULL;
    return e;
}

static lethe_err work(void *arg, size_t i, unsigned worker)
{
    search *x = arg;
    lethe_table_walk *w;
    (void)i;
    lethe_err e = walk_of(x, worker, &w);
    if (e == LETHE_OK) e = lethe_table_best_poll(&x->best);
    if (e == LETHE_OK) e = lethe_table_walk_tasks(w, x->slack, x->cuts);
    if (e != LETHE_OK && e != LETHE_ANSWER_NO) x->failure = (int)e;
    if (e != LETHE_OK) x->best.stop = true;
    return e;
}

/* Through all cuts, by all workers: what cannot be better by more than `slack` is left, and all
 * that is left after so many cuts (0: nothing). */
static lethe_err walk_all(search *x, double slack, uint64_t cuts)
{
    x->slack = slack;
    x->cuts = cuts > 0 ? x->best.examined + cuts : 0;
    lethe_table_share_whole(&x->share);
    lethe_err e = lethe_pool_for(x->ctx, x->n_walks, work, x);
    return x->failure ? (lethe_err)x->failure : e;
}

/* --- all of it --- */

static lethe_err search_all(search *x)
{
    static const double slack[] = {4, 2, 1, 0.5, 0.25, 0.12};
    lethe_table_walk *w;
    LETHE_TRY(walk_of(x, 0, &w));
    LETHE_TRY(lethe_table_best_offer(&x->best, w->s)); // however little time there is
    LETHE_TRY(lethe_table_best_poll(&x->best));
    if (w->s->sum.n_lost > 0) return LETHE_OK;
    // A good cut to begin with, so that much is pruned from the first: walks that leave out what is
    // not much better take little time, and each finds a better bar for the next.
    LETHE_TRY(lethe_table_walk_down(w));
    for (size_t i = 0; i < LETHE_COUNT(slack); i++)
        LETHE_TRY(walk_all(x, slack[i], ROUGH));
    return walk_all(x, 0, 0);
}

/* Where one cut is wanted, a value is never specialized if that changes no cost: a cut that does
 * comes later in order than the one that does not.  So it is with values that no row has, and but
 * for LM with those of which all rows have one leaf: no group is split by it. */
static void close_values(search *x)
{
    const lethe_table_cells *c = &x->cells;
    uint8_t enough = c->d->cost == LETHE_COST_LM ? 1 : 2, *leaves = x->closed;
    for (size_t q = 0; q < c->n_qi; q++) {
        const lethe_tree *t = c->t->tree[q];
        uint8_t *of = leaves + c->base[q]; // leaves below that rows have, 2 at most
        for (uint32_t v = t->n; v-- > 0;) {
            if (lethe_tree_is_leaf(t, v)) of[v] = c->occurs[c->base[q] + v] > 0;
            if (v > 0) of[t->parent[v]] = (uint8_t)LETHE_MIN(of[t->parent[v]] + of[v], 2);
        }
    }
    for (uint32_t v = 0; v < c->n_values; v++)
        x->closed[v] = leaves[v] < enough;
}

static lethe_err search_table(search *x, const lethe_tuples *t, const lethe_group_demand *d,
                              const uint64_t *const *weight, const lethe_table_limits *limits,
                              lethe_arena *a, lethe_table_found *out)
{
    bool alone = limits->cuts > 0 || limits->alpha > 0;
    LETHE_TRY(lethe_table_cells_of(x->arena, t, d, weight, limits->without_order, &x->cells));
    x->frozen = limits->without_update;
    x->n_walks = alone ? 1 : lethe_ctx_threads(x->ctx);
    x->walk = lethe_new(x->arena, lethe_table_walk, x->n_walks);
    x->closed = lethe_new(x->arena, uint8_t, x->cells.n_values);
    if (!x->walk || !x->closed) return LETHE_ENOMEM;
    if (limits->top == 1) close_values(x);
    LETHE_TRY(lethe_table_share_begin(&x->share, x->arena, x->cells.n_inner));
    if (lethe_table_best_begin(&x->best, x->ctx, &x->cells, limits) != LETHE_OK) {
        lethe_table_share_end(&x->share);
        return LETHE_ENOMEM;
    }
    lethe_ctx_phase(x->ctx, "search", 0);
    lethe_err e = search_all(x);
    lethe_ctx_phase(x->ctx, NULL, 0);
    if (e == LETHE_ANSWER_NO && x->best.met) e = LETHE_OK; // a limit
    if (e == LETHE_OK) e = lethe_table_best_give(&x->best, a, out);
    for (unsigned w = 0; w < x->n_walks; w++)
        lethe_table_parts_free(x->walk[w].s);
    lethe_table_best_end(&x->best);
    lethe_table_share_end(&x->share);
    return e;
}

lethe_err lethe_table_search(lethe_ctx *ctx, const lethe_tuples *t, const lethe_group_demand *d,
                             const uint64_t *const *weight, const lethe_table_limits *limits,
                             lethe_arena *a, lethe_table_found *out)
{
    assert(limits->top > 0 && t->n > 0);
    search x = {.ctx = ctx, .arena = lethe_arena_new()};
    lethe_err e = x.arena ? search_table(&x, t, d, weight, limits, a, out) : LETHE_ENOMEM;
    lethe_arena_free(x.arena);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
