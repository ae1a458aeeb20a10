/* SPDX-License-Identifier: Apache-2.0 */
/* AA on small sets, drawn by a seed, against the algorithm word by word: all combinations, all sets
 * of nodes.  And what it is for: k^i-anonymity after each round, by the definition. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/itemset/apriori_cut.h"
#include "seeds.h"
#include "threats_harness.h"

static const unsigned THREADS[] = {1, 2, 7};
static lethe_ctx *ctx[LETHE_COUNT(THREADS)];

static int begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++)
        if (lethe_ctx_new(&(lethe_settings){.n_threads = THREADS[i]}, &ctx[i]) != LETHE_OK)
            return 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++)
        lethe_ctx_free(ctx[i]);
    return 0;
}

/* --- by the description --- */

typedef struct literal {
    const h_case *c;
    uint32_t cut;
    uint32_t up[H_SETS]; /* extended sets of the round */
    uint32_t nodes;      /* at or above the cut as the round began */
    uint32_t size;
    size_t fixed;
} literal;

static bool above(const lethe_tree *t, uint32_t a, uint32_t v)
{
    while (v != a && v != LETHE_NONE)
        v = t->parent[v];
    return v == a;
}

/* The node of the cut at or above v; v itself where there is none. */
static uint32_t place(const lethe_tree *t, uint32_t cut, uint32_t v)
{
    for (uint32_t u = v; u != LETHE_NONE; u = t->parent[u])
        if (cut >> u & 1) return u;
    return v;
}

static uint64_t cost_of(const h_case *c, uint32_t cut)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t v = 0; v < c->t->n; v++)
            if (c->items[i] >> v & 1) cost += c->t->leaves[place(c->t, cut, v)] - 1;
    return cost;
}

static uint32_t merged(const lethe_tree *t, uint32_t cut, uint32_t with)
{
    uint32_t all = cut | with, out = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        bool below = false;
        for (uint32_t u = 0; u < t->n; u++)
            below = below || (u != v && all >> u & 1 && above(t, u, v));
        if (all >> v & 1 && !below) out |= 1u << v;
    }
    return out;
}

static uint64_t support(const literal *l, uint32_t set)
{
    uint64_t n = 0;
    for (size_t i = 0; i < l->c->n; i++)
        n += (l->up[i] & set) == set;
    return n;
}

/* Each item has exactly one of the nodes at or above it, and each node an item. */
static bool generalizes(const lethe_tree *t, uint32_t nodes, uint32_t items)
{
    uint32_t used = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        if (!(items >> v & 1)) continue;
        uint32_t n = 0;
        for (uint32_t u = 0; u < t->n; u++)
            if (nodes >> u & 1 && above(t, u, v)) {
                used |= 1u << u;
                n++;
            }
        if (n != 1) return false;
    }
    return used == nodes && h_antichain(t, nodes);
}

/* Does a come before b, as lists of ascending numbers? */
static bool comes_before(uint32_t a, uint32_t b)
{
    for (; a && b; a &= a - 1, b &= b - 1) {
        int x = __builtin_ctz(a), y = __builtin_ctz(b);
        if (x != y) return x < y;
    }
    return !a && b;
}

static void fix(literal *l, uint32_t set)
{
    const lethe_tree *t = l->c->t;
    uint32_t best = 0;
    uint64_t best_cost = 0;
    for (uint32_t s = 1; s < 1u << t->n; s++) {
        if (!generalizes(t, s, set) || support(l, s) < l->c->kl.k) continue;
        uint64_t cost = cost_of(l->c, merged(t, l->cut, s & ~set));
        if (best == 0 || cost < best_cost || (cost == best_cost && comes_before(s, best))) {
            best = s;
            best_cost = cost;
        }
    }
    assert_true(best != 0);
    l->cut = merged(t, l->cut, best & ~set);
    l->fixed++;
}

/* Combinations that begin with `set`, which ends before node v. */
static void go_through(literal *l, uint32_t set, uint32_t n, uint32_t v)
{
    const lethe_tree *t = l->c->t;
    if (n == l->size) {
        uint64_t sup = support(l, set);
        bool generalized = false;
        for (uint32_t u = 0; u < t->n; u++)
            if (set >> u & 1) {
                uint32_t to = place(t, l->cut, u);
                generalized = generalized || to != u;
            }
        if (sup > 0 && sup < l->c->kl.k && !generalized) fix(l, set);
        return;
    }
    for (; v < t->n; v++)
        if (l->nodes >> v & 1 && h_antichain(t, set | 1u << v))
            go_through(l, set | 1u << v, n + 1, v + 1);
}

/* The cut, or 0: there is none, or no item. */
static uint32_t anonymize(const h_case *c, uint32_t m, size_t *fixed)
{
    literal l = {.c = c};
    size_t with = 0;
    for (size_t i = 0; i < c->n; i++) {
        l.cut |= c->items[i];
        with += c->items[i] != 0;
    }
    if (with < c->kl.k) return 0;
    for (l.size = 1; l.size <= m; l.size++) {
        l.nodes = h_up(c->t, l.cut);
        for (size_t i = 0; i < c->n; i++) {
            uint32_t recoded = 0;
            for (uint32_t v = 0; v < c->t->n; v++)
                if (c->items[i] >> v & 1) recoded |= 1u << place(c->t, l.cut, v);
            l.up[i] = h_up(c->t, recoded);
        }
        go_through(&l, 0, 0, 0);
    }
    *fixed = l.fixed;
    return l.cut;
}

/* No combination of up to m nodes at or above the cut is in some but fewer than k sets. */
static bool is_anonymous(const h_case *c, uint32_t cut, uint32_t m)
{
    uint32_t nodes = h_up(c->t, cut);
    for (uint32_t s = 1; s < 1u << c->t->n; s++) {
        if ((s & ~nodes) != 0 || (uint32_t)__builtin_popcount(s) > m) continue;
        uint64_t sup = 0;
        for (size_t i = 0; i < c->n; i++)
            sup += (h_up(c->t, c->items[i]) & s) == s;
        if (sup > 0 && sup < c->kl.k) return false;
    }
    return true;
}

/* --- cases --- */

static void draw(uint64_t *seed, uint32_t nodes, h_case *c)
{
    *c = (h_case){.t = h_tree(seed, nodes),
                  .n = H_SETS - h_draw(seed, h_draw(seed, 2) ? 4 : H_SETS + 1)};
    while (c->t->n < nodes / 2 + 1) {
        lethe_tree_free(c->t);
        c->t = h_tree(seed, nodes);
    }
    uint32_t dense = 1 + h_draw(seed, 3), equal = h_draw(seed, 3) == 0;
    for (size_t i = 0; i < c->n; i++) {
        for (uint32_t v = 0; v < c->t->n; v++)
            if (lethe_tree_is_leaf(c->t, v) && h_draw(seed, dense + 1) == 0) c->items[i] |= 1u << v;
        if (equal && i > 0 && h_draw(seed, 2)) c->items[i] = c->items[i - 1];
    }
    c->kl = (lethe_kl){.k = 1 + h_draw(seed, 4), .l = 1, .m = 1 + h_draw(seed, 4)};
}

static struct {
    size_t none, fixed, many, unlike;
} met;

static void expect(const h_case *c, uint32_t m, uint64_t seed, uint32_t *out)
{
    h_records h;
    h_records_make(c, &h);
    size_t fixed = 0, with = 0;
    uint32_t want = anonymize(c, m, &fixed);
    for (size_t i = 0; i < c->n; i++)
        with += c->items[i] != 0;
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++) {
        lethe_arena *a = lethe_arena_new();
        lethe_cuts_costs costs;
        lethe_apriori_cut got;
        uint32_t cut = 0;
        assert_int_equal(lethe_cuts_costs_find(&h.r, c->t, a, &costs), LETHE_OK);
        assert_int_equal(lethe_apriori_cut_find(ctx[i], &h.r, c->t, &costs, c->kl.k, m, a, &got),
                         LETHE_OK);
        for (size_t k = 0; k < got.n; k++) {
            assert_true(k == 0 || got.node[k] > got.node[k - 1]);
            cut |= 1u << got.node[k];
        }
        if (cut != want || got.fixed != fixed || got.none != (with > 0 && with < c->kl.k))
            fail_msg("seed %llu, m = %u, %u threads: cut %x, not %x", (unsigned long long)seed, m,
                     THREADS[i], cut, want);
        assert_int_equal(got.cost, cut ? cost_of(c, cut) : 0);
        lethe_arena_free(a);
    }
    if (want && !is_anonymous(c, want, m))
        fail_msg("seed %llu: not k^%u-anonymous", (unsigned long long)seed, m);
    met.none += with > 0 && with < c->kl.k;
    met.fixed += fixed > 0;
    met.many += fixed > 1;
    *out = want;
    h_records_free(&h);
}

static void cuts_are_those_of_the_algorithm(void **state)
{
    (void)state;
    size_t n = seeds(12000);
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        uint64_t s = seed;
        uint32_t cut = 0, before = 0;
        draw(&s, 3 + (uint32_t)(seed % 9), &c);
        for (uint32_t m = 1; m <= c.kl.m; m++, before = cut) {
            expect(&c, m, seed, &cut); // what it is after round m
            met.unlike += m > 1 && cut != before;
        }
        lethe_tree_free(c.t);
    }
    assert_true(met.none > n / 100 && met.fixed > n / 4 && met.many > n / 20);
    assert_true(met.unlike > n / 20);
}

/* Two or three kinds of two kinds each, so that a combination has general items that stay. */
static void deep_cuts_are_those_of_the_algorithm(void **state)
{
    (void)state;
    static const uint32_t up[] = {LETHE_NONE, 0, 1, 2, 2, 1, 5, 5, 0, 8, 9, 9, 8, 12};
    lethe_str names[LETHE_COUNT(up)];
    size_t n = seeds(500);
    for (uint32_t v = 0; v < LETHE_COUNT(up); v++)
        names[v] = (lethe_str){&"abcdefghijklmn"[v], 1};
    for (uint64_t seed = 1; seed <= n; seed++) {
        uint64_t s = seed + 3000000;
        uint32_t cut, dense = 2 + h_draw(&s, 4);
        h_case c = {.n = H_SETS, .kl = {.k = 2 + h_draw(&s, 2), .l = 1}};
        assert_int_equal(lethe_tree_from(NULL, LETHE_COUNT(up), up, names, &c.t), LETHE_OK);
        for (size_t i = 0; i < c.n; i++)
            for (uint32_t v = 0; v < c.t->n; v++)
                if (lethe_tree_is_leaf(c.t, v) && h_draw(&s, dense) == 0) c.items[i] |= 1u << v;
        expect(&c, 2, seed, &cut);
        if (seed % 8 == 0) expect(&c, 3, seed, &cut);
        lethe_tree_free(c.t);
    }
}

/* Larger ones: by the definition alone. */
static void larger_cuts_are_anonymous(void **state)
{
    (void)state;
    size_t n = seeds(600);
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        h_records h;
        lethe_cuts_costs costs;
        lethe_apriori_cut got;
        uint64_t s = seed + 1000000;
        uint32_t cut = 0;
        draw(&s, 16, &c);
        h_records_make(&c, &h);
        lethe_arena *a = lethe_arena_new();
        assert_int_equal(lethe_cuts_costs_find(&h.r, c.t, a, &costs), LETHE_OK);
        assert_int_equal(lethe_apriori_cut_find(ctx[0], &h.r, c.t, &costs, c.kl.k, c.kl.m, a, &got),
                         LETHE_OK);
        for (size_t k = 0; k < got.n; k++)
            cut |= 1u << got.node[k];
        if (!got.none && !is_anonymous(&c, cut, c.kl.m))
            fail_msg("seed %llu: not anonymous", (unsigned long long)seed);
        lethe_arena_free(a);
        h_records_free(&h);
        lethe_tree_free(c.t);
    }
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    h_case c;
    h_records h;
    lethe_cuts_costs costs;
    uint64_t s = 11, n = 0;
    do {
        if (s != 11) lethe_tree_free(c.t);
        draw(&s, 14, &c);
        c.kl = (lethe_kl){.k = 3, .m = 3};
    } while (c.n < 12 || c.t->n < 10);
    h_records_make(&c, &h);
    lethe_arena *a = lethe_arena_new();
    assert_int_equal(lethe_cuts_costs_find(&h.r, c.t, a, &costs), LETHE_OK);
    for (lethe_err e = LETHE_ENOMEM; e != LETHE_OK;) {
        lethe_apriori_cut got;
        lethe_arena *own = lethe_arena_new();
        lethe_alloc_fail_at(++n);
        e = lethe_apriori_cut_find(ctx[0], &h.r, c.t, &costs, 3, 3, own, &got);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        lethe_arena_free(own);
    }
    assert_true(n > 10);
    lethe_arena_free(a);
    h_records_free(&h);
    lethe_tree_free(c.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_those_of_the_algorithm),
        cmocka_unit_test(deep_cuts_are_those_of_the_algorithm),
        cmocka_unit_test(larger_cuts_are_anonymous),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
