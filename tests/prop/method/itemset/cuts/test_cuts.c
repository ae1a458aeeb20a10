/* SPDX-License-Identifier: Apache-2.0 */
/* Cheapest cuts of thousands of random taxonomies, costs, threats and locked nodes, against all
 * cuts listed one by one and judged by the definition: the cheapest few in their order, for every
 * combination of methods and any number of threads; within alpha; valid under any limit. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "cuts_plain.h"
#include "core/mem.h"
#include "seeds.h"
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 30, THREATS = 60, ITEMS = 4, CUTS = 3000, ALL_OFF = 32 };

static lethe_ctx *ctx[3]; /* of 1, 2 and 7 threads */

static int begin(void **state)
{
    static const unsigned threads[] = {1, 2, 7};
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(ctx); i++) {
        lethe_settings set = {.n_threads = threads[i]};
        if (lethe_ctx_new(&set, &ctx[i]) != LETHE_OK) return -1;
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(ctx); i++)
        lethe_ctx_free(ctx[i]);
    return 0;
}

static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint32_t below(uint64_t *state, uint32_t n) { return (uint32_t)(draw(state) % n); }

/* --- random problems --- */

typedef struct world {
    lethe_tree *t;
    uint8_t live[NODES], locked[NODES];
    uint64_t cost[NODES];
    uint64_t start[THREATS + 1];
    uint32_t item[THREATS * ITEMS];
    lethe_threats threats;
    uint64_t seed;
} world;

static lethe_tree *random_tree(uint64_t *seed)
{
    uint32_t n = 1 + LETHE_MAX(below(seed, NODES), below(seed, NODES)), parent[NODES],
             reach = 1 + below(seed, 6);
    char text[NODES][4];
    lethe_str name[NODES];
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) { // a small reach makes long chains, a great one flat trees
        uint32_t back = 1 + below(seed, reach * 3);
        parent[i] = i == 0                ? LETHE_NONE
                    : below(seed, 3) == 0 ? below(seed, i)
                                          : i - LETHE_MIN(back, i);
        snprintf(text[i], sizeof text[i], "%u", i);
        name[i] = lethe_str_of(text[i]);
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &t), LETHE_OK);
    return t;
}

/* Some leaves are live, and all above them; sometimes nodes that are no leaves are the lowest. */
static void random_live(world *w)
{
    const lethe_tree *t = w->t;
    memset(w->live, 0, sizeof w->live);
    w->live[0] = 1;
    for (uint32_t v = 0; v < t->n; v++)
        if (lethe_tree_is_leaf(t, v) ? below(&w->seed, 5) > 0 : below(&w->seed, 12) == 0)
            for (uint32_t u = v; u != LETHE_NONE; u = t->parent[u])
                w->live[u] = 1;
}

static bool is_lowest(const world *w, uint32_t v)
{
    for (uint32_t u = v + 1; u < w->t->end[v]; u++)
        if (w->live[u]) return false;
    return w->live[v];
}

static void random_costs(world *w)
{
    uint32_t kind = below(&w->seed, 4);
    for (uint32_t v = w->t->n; v-- > 0;) {
        w->cost[v] = 0;
        if (!w->live[v] || is_lowest(w, v)) continue;
        for (uint32_t c = v + 1; c < w->t->end[v]; c = w->t->end[c])
            w->cost[v] += w->live[c] ? w->cost[c] : 0;
        w->cost[v] += kind == 0   ? below(&w->seed, 2) // many that cost the same, many for nothing
                      : kind == 1 ? 1
                      : kind == 2 ? below(&w->seed, 10)
                                  : below(&w->seed, 1000000);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void random_threats(world *w)
{
    static const uint32_t most[] = {4, 8, 16, THREATS};
    uint32_t n = below(&w->seed, most[below(&w->seed, LETHE_COUNT(most))]), at = 0;
    bool leaves = below(&w->seed, 2), with_root = below(&w->seed, 20) == 0;
    if (w->t->n == 1) n = with_root;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t size = 1 + (uint32_t)(below(&w->seed, 16) > 0) * (1 + below(&w->seed, ITEMS - 1));
        uint32_t first = at;
        w->start[i] = at;
        if (i == 0 && with_root && below(&w->seed, 2) == 0) { // then no cut is valid
            w->item[at++] = 0;
            continue;
        }
        while (at < first + size) {
            uint32_t v = below(&w->seed, w->t->n);
            if (v == 0 && !with_root) continue;
            if (leaves && below(&w->seed, 3) > 0 && !lethe_tree_is_leaf(w->t, v)) continue;
            bool is_new = true;
            for (uint32_t k = first; k < at; k++)
                is_new = is_new && w->item[k] != v;
            if (is_new) w->item[at++] = v;
            if (!is_new && below(&w->seed, 4) == 0) break;
        }
        qsort(w->item + first, at - first, sizeof *w->item, by_number);
    }
    w->start[n] = at;
    w->threats = (lethe_threats){.n = n, .start = w->start, .item = w->item, .locked = w->locked};
    for (uint32_t v = 0; v < w->t->n; v++)
        w->locked[v] = below(&w->seed, 12) == 0;
    if (below(&w->seed, 4) > 0) memset(w->locked, 0, sizeof w->locked);
}

static void make(world *w, uint64_t seed)
{
    *w = (world){.seed = seed};
    w->t = random_tree(&w->seed);
    random_live(w);
    random_costs(w);
    random_threats(w);
}

/* --- all cuts, by the definition --- */

typedef struct listed {
    uint64_t cost;
    uint32_t node[NODES];
    size_t n;
} listed;

static listed all[CUTS];
static size_t n_all, n_valid;

static bool above_some(const world *w, uint32_t v, const listed *c)
{
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t u = c->node[i]; u != LETHE_NONE; u = w->t->parent[u])
            if (u == v) return true;
    return false;
}

static bool is_valid(const world *w, const listed *c)
{
    for (size_t i = 0; i < w->threats.n; i++) {
        bool shown = true;
        for (uint64_t k = w->start[i]; k < w->start[i + 1]; k++)
            shown = shown && above_some(w, w->item[k], c);
        if (shown) return false;
    }
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t u = w->t->parent[c->node[i]]; u != LETHE_NONE; u = w->t->parent[u])
            if (w->locked[u]) return false;
    return true;
}

/* Nodes from v on that are not yet covered: each live one is taken, or gone below. */
static void list_from(const world *w, uint32_t v, listed *c)
{
    while (v < w->t->n && !w->live[v])
        v = w->t->end[v];
    if (n_all == CUTS) return; // too many: the problem is not tried
    if (v >= w->t->n) {
        n_all++;
        if (is_valid(w, c)) all[n_valid++] = *c;
        return;
    }
    c->node[c->n++] = v;
    c->cost += w->cost[v];
    list_from(w, w->t->end[v], c);
    c->n--;
    c->cost -= w->cost[v];
    if (!is_lowest(w, v)) list_from(w, v + 1, c);
}

static int by_cost(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? 1 : -1;
    for (size_t i = 0; i < x->n && i < y->n; i++)
        if (x->node[i] != y->node[i]) return x->node[i] > y->node[i] ? 1 : -1;
    return (x->n > y->n) - (x->n < y->n);
}

static void list_all(const world *w)
{
    listed c = {0};
    n_all = n_valid = 0;
    list_from(w, 0, &c);
    if (n_valid > 0) qsort(all, n_valid, sizeof *all, by_cost);
}

/* --- comparing --- */

static lethe_cuts find(const world *w, size_t threads, lethe_cuts_problem p, unsigned without)
{
    lethe_cuts got = {0};
    p.t = w->t;
    p.live = w->live;
    p.cost = w->cost;
    p.threats = &w->threats;
    assert_int_equal(plain_find(ctx[threads], &p, without, &got), LETHE_OK);
    return got;
}

static bool same(const lethe_cuts_cut *c, const listed *l)
{
    return c->cost == l->cost && c->n == l->n &&
           memcmp(c->node, l->node, l->n * sizeof *l->node) == 0;
}

static void expect(uint64_t seed, const lethe_cuts *got, uint32_t top, unsigned without)
{
    size_t want = LETHE_MIN((size_t)top, n_valid);
    if (got->n != want || !got->optimal)
        fail_msg("seed %llu, top %u, without %u: %zu cuts, optimal %d, not %zu",
                 (unsigned long long)seed, top, without, got->n, got->optimal, want);
    for (size_t i = 0; i < want; i++)
        if (!same(&got->cut[i], &all[i]))
            fail_msg("seed %llu, top %u, without %u: cut %zu costs %llu, not %llu, or is another",
                     (unsigned long long)seed, top, without, i,
                     (unsigned long long)got->cut[i].cost, (unsigned long long)all[i].cost);
}

static void try_all_ways(const world *w, uint64_t seed)
{
    for (uint32_t top = 1; top <= 5; top++)
        for (unsigned without = 0; without < ALL_OFF; without++) {
            if (without > 0 && below(&(uint64_t){seed * 131 + top * 37 + without}, 4) > 0) continue;
            lethe_cuts got = find(w, 0, (lethe_cuts_problem){.top = top}, without);
            expect(seed, &got, top, without);
            unsigned plain = PLAIN_COST | PLAIN_REDUCE;
            if ((without & plain) == plain && n_valid > 0)
                assert_int_equal(got.examined, n_valid); // line 1 of Table 4.5
            lethe_cuts_free(&got);
        }
    for (size_t threads = 1; threads < LETHE_COUNT(ctx); threads++)
        for (uint32_t top = 1; top <= 3; top += 2) {
            lethe_cuts got = find(w, threads, (lethe_cuts_problem){.top = top}, 0);
            expect(seed, &got, top, 0);
            lethe_cuts_free(&got);
        }
}

/* The i-th costs at most (1 + alpha) times what the i-th cheapest does; and is valid. */
static void try_alpha(const world *w, uint64_t seed)
{
    static const double alpha[] = {0.05, 0.5, 3};
    for (size_t a = 0; a < LETHE_COUNT(alpha); a++)
        for (uint32_t top = 1; top <= 3; top++)
            for (unsigned without = 0; without < ALL_OFF; without += 16) {
                lethe_cuts_problem p = {.top = top, .alpha = alpha[a]};
                lethe_cuts got = find(w, a, p, without);
                assert_int_equal(got.n, LETHE_MIN((size_t)top, n_valid));
                for (size_t i = 0; i < got.n; i++) {
                    bool close = (double)got.cut[i].cost <= (1 + alpha[a]) * (double)all[i].cost;
                    size_t at = 0;
                    while (at < n_valid && !same(&got.cut[i], &all[at]))
                        at++;
                    if (!close || at == n_valid || (got.optimal && at != i))
                        fail_msg("seed %llu: alpha %g, top %u, cut %zu is number %zu",
                                 (unsigned long long)seed, alpha[a], top, i, at);
                }
                lethe_cuts_free(&got);
            }
}

/* Under a limit what comes out is valid, in order, and no worse with more; and is said to be the
 * cheapest only if it is. */
static void try_limits(const world *w, uint64_t seed)
{
    for (uint32_t top = 1; top <= 3; top += 2)
        for (unsigned without = 0; without < ALL_OFF; without += 8) {
            uint64_t before = UINT64_MAX;
            for (uint64_t max = 1; max <= 40; max = 2 * max + 1) {
                lethe_cuts_problem p = {.top = top, .max_cuts = max};
                lethe_cuts got = find(w, max % 3, p, without);
                assert_true((n_valid > 0) == (got.n > 0) && got.n <= LETHE_MIN(top, n_valid));
                assert_true(got.examined <= max);
                for (size_t i = 0, at = 0; i < got.n; i++, at++) {
                    while (at < n_valid && !same(&got.cut[i], &all[at]))
                        at++;
                    if (at >= n_valid || (got.optimal && at != i))
                        fail_msg("seed %llu: %llu cuts at most, top %u, cut %zu is number %zu",
                                 (unsigned long long)seed, (unsigned long long)max, top, i, at);
                }
                if (got.n > 0) assert_true(got.cut[0].cost <= before);
                if (got.n > 0) before = got.cut[0].cost;
                lethe_cuts_free(&got);
            }
        }
}

static void cuts_are_those_of_the_definition(void **state)
{
    (void)state;
    uint64_t n = seeds(4000), infeasible = 0, ties = 0, many = 0, tried = 0;
    const char *only = getenv("LETHE_SEED");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t seed = only ? strtoull(only, NULL, 10) : i * 7919 + 1;
        world w;
        make(&w, seed);
        list_all(&w);
        if (n_all == CUTS) {
            lethe_tree_free(w.t);
            continue;
        }
        tried++;
        try_all_ways(&w, seed);
        try_alpha(&w, seed);
        try_limits(&w, seed);
        infeasible += n_valid == 0;
        ties += n_valid > 1 && all[0].cost == all[1].cost;
        many += n_valid > 50;
        lethe_tree_free(w.t);
    }
    if (only) return;
    assert_true(tried > n / 2 && infeasible > n / 200 && ties > n / 50 &&
                many > n / 20); // it was worth trying
}

/* --- larger ones, against the thesis' search --- */

enum { LARGE = 160, MANY = 120 };

typedef struct large {
    lethe_tree *t;
    uint8_t live[LARGE];
    uint64_t cost[LARGE], start[MANY + 1];
    uint32_t item[3 * MANY];
    lethe_threats threats;
} large;

/* Below the root, and some of its children, are nodes with two leaves each; a threat has leaves of
 * two or three of these.  With `even` nearly all cost the same. */
static void make_large(large *w, uint64_t seed, bool even)
{
    uint32_t groups = 12 + below(&seed, 24), n = 1, at = 0, parent[LARGE], first[64];
    static char text[LARGE][8];
    lethe_str name[LARGE];
    *w = (large){0};
    parent[0] = LETHE_NONE;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t up = below(&seed, 4) == 0 && g > 0 ? first[below(&seed, g)] - 1 : 0;
        parent[n] = up;
        first[g] = n + 1;
        parent[n + 1] = parent[n + 2] = n;
        n += 3;
    }
    for (uint32_t i = 0; i < n; i++)
        name[i] = (lethe_str){text[i], (size_t)snprintf(text[i], sizeof text[i], "%u", i)};
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &w->t), LETHE_OK);
    for (uint32_t v = n; v-- > 0;) {
        w->live[v] = 1;
        if (!lethe_tree_is_leaf(w->t, v)) w->cost[v] += even ? 1 : 1 + below(&seed, 1000);
        if (v > 0) w->cost[w->t->parent[v]] += w->cost[v];
    }
    uint32_t n_threats = groups / 2 + below(&seed, 2 * groups);
    for (uint32_t i = 0; i < n_threats; i++) {
        uint32_t size = 2 + below(&seed, 2), from = at;
        for (uint32_t k = 0; k < size; k++)
            w->item[at++] = w->t->node[first[below(&seed, groups)] + below(&seed, 2)];
        qsort(w->item + from, size, sizeof *w->item, by_number);
        w->start[i + 1] = at;
    }
    w->threats = (lethe_threats){.n = n_threats, .start = w->start, .item = w->item};
}

static void the_thesis_search_agrees(void **state)
{
    (void)state;
    uint64_t hard = 0, compared = 0, n = seeds(200);
    for (uint64_t seed = 1; seed <= n; seed++) {
        large w;
        make_large(&w, seed * 104729, seed % 3 == 0);
        lethe_cuts_problem p = {.t = w.t, .live = w.live, .cost = w.cost, .threats = &w.threats};
        for (p.top = 1; p.top <= 5; p.top += 4) {
            lethe_cuts ours, again, plain;
            p.max_cuts = 0;
            assert_int_equal(lethe_cuts_find(ctx[0], &p, &ours), LETHE_OK);
            assert_int_equal(lethe_cuts_find(ctx[2], &p, &again), LETHE_OK);
            p.max_cuts = 100000;
            assert_int_equal(plain_find(ctx[0], &p, PLAIN_OURS, &plain), LETHE_OK);
            assert_int_equal(ours.n, again.n);
            hard += ours.examined > 64;
            compared += plain.optimal;
            for (size_t i = 0; i < ours.n; i++) {
                const lethe_cuts_cut *x = &ours.cut[i], *y = &again.cut[i], *z = &plain.cut[i];
                size_t bytes = x->n * sizeof *x->node;
                bool as_again = x->n == y->n && memcmp(x->node, y->node, bytes) == 0;
                bool as_plain = x->n == z->n && memcmp(x->node, z->node, bytes) == 0;
                if (!as_again || x->cost > z->cost || (plain.optimal && !as_plain))
                    fail_msg("seed %llu, top %u: cut %zu costs %llu, and %llu",
                             (unsigned long long)seed, p.top, i, (unsigned long long)x->cost,
                             (unsigned long long)z->cost);
            }
            lethe_cuts_free(&ours);
            lethe_cuts_free(&again);
            lethe_cuts_free(&plain);
        }
        lethe_tree_free(w.t);
    }
    assert_true(hard > n / 10 && compared > n / 4); // the better bounds were at work
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_are_those_of_the_definition),
                                       cmocka_unit_test(the_thesis_search_agrees)};
    return cmocka_run_group_tests(tests, begin, end);
}
