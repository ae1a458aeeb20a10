/* SPDX-License-Identifier: Apache-2.0 */
/* table_search.c - the search as a whole: a good cut first, then all, by subtrees in parallel. */
#include "method/table/search/table_search_internal.h"

enum {
    TASKS = 128,  /* per thread, at least, where there are so many */
    ROUGH = 2000, /* cuts of a rough walk */
};

/* Cuts of the enumeration tree of one depth, each as the ranks that lead to it. */
typedef struct level {
    uint32_t depth;
    size_t n;
    lethe_buf ranks;
} level;

typedef struct search {
    lethe_ctx *ctx;
    lethe_table_cells cells;
    lethe_table_best best;
    uint8_t *closed;
    bool frozen;
    unsigned n_walks;
    lethe_table_walk *walk; /* by worker; made when it is first needed */
    lethe_arena *arena;
    const level *tasks;
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
    e = lethe_table_walk_new(s->arena, s, &x->best, &x->walk[w]);
    if (e == LETHE_OK) return e;
    lethe_table_parts_free(s);
    x->walk[w].s = NULL;
    return e;
}

/* --- tasks --- */

typedef struct child_list {
    const uint32_t *path;
    level *into;
} child_list;

static lethe_err append_child(void *arg, uint32_t rank)
{
    child_list *g = arg;
    size_t n = (g->into->depth - 1) * sizeof rank;
    LETHE_TRY(lethe_buf_put(&g->into->ranks, g->path, n));
    LETHE_TRY(lethe_buf_put(&g->into->ranks, &rank, sizeof rank));
    g->into->n++;
    return LETHE_OK;
}

static const uint32_t *path_at(const level *l, size_t i)
{
    return (const uint32_t *)(const void *)l->ranks.at + i * l->depth;
}

static lethe_err do_task(void *arg, size_t i, unsigned worker)
{
    search *x = arg;
    lethe_table_walk *w;
    lethe_err e = walk_of(x, worker, &w);
    if (e == LETHE_OK) e = lethe_table_best_poll(&x->best);
    if (e == LETHE_OK) e = lethe_table_walk_to(w, path_at(x->tasks, i), x->tasks->depth);
    if (e == LETHE_OK) e = lethe_table_walk_all(w);
    if (e == LETHE_OK) lethe_table_walk_home(w);
    if (e != LETHE_OK && e != LETHE_ANSWER_NO) x->failure = (int)e;
    if (e != LETHE_OK) x->best.stop = true;
    return e;
}

/* The levels of the enumeration tree in turn until one has enough for all. */
static lethe_err search_parallel(search *x, lethe_table_walk *w)
{
    level now = {.n = 1};
    lethe_err e = lethe_buf_reserve(&now.ranks, sizeof(uint32_t));
    while (e == LETHE_OK && now.n > 0 && now.n < (size_t)TASKS * x->n_walks) {
        level below = {.depth = now.depth + 1};
        for (size_t i = 0; e == LETHE_OK && i < now.n; i++) {
            child_list g = {path_at(&now, i), &below};
            e = lethe_table_walk_to(w, g.path, now.depth);
            if (e == LETHE_OK) e = lethe_table_walk_children(w, append_child, &g);
            if (e == LETHE_OK) lethe_table_walk_home(w);
        }
        lethe_buf_free(&now.ranks);
        now = below;
    }
    x->tasks = &now;
    if (e == LETHE_OK) e = lethe_pool_for(x->ctx, now.n, do_task, x);
    lethe_buf_free(&now.ranks);
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
        LETHE_TRY(lethe_table_walk_rough(w, slack[i], ROUGH));
    return x->n_walks == 1 ? lethe_table_walk_all(w) : search_parallel(x, w);
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
    LETHE_TRY(lethe_table_best_begin(&x->best, x->ctx, &x->cells, limits));
    lethe_ctx_phase(x->ctx, "search", 0);
    lethe_err e = search_all(x);
    lethe_ctx_phase(x->ctx, NULL, 0);
    if (e == LETHE_ANSWER_NO && x->best.met) e = LETHE_OK; // a limit
    if (e == LETHE_OK) e = lethe_table_best_give(&x->best, a, out);
    for (unsigned w = 0; w < x->n_walks; w++)
        lethe_table_parts_free(x->walk[w].s);
    lethe_table_best_end(&x->best);
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
