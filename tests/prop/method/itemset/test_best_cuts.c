/* SPDX-License-Identifier: Apache-2.0 */
/* The best cuts by threats as they are needed: of small sets drawn by a seed against all cuts by
 * the definitions; of larger ones against one search for all threats and one for the cuts. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "seeds.h"
#include "threats_harness.h"
#include "method/itemset/best_cuts.h"
#include "method/itemset/cuts/cut_sets.h"

enum { TOP = 4 };

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

/* --- small sets, by the definitions --- */

typedef struct priced {
    uint64_t cost;
    uint32_t cut;
} priced;

/* In order of cost, then of the nodes: where two cuts part, the lower number comes first. */
static int by_cost(const void *a, const void *b)
{
    const priced *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    uint32_t part = x->cut ^ y->cut;
    return part == 0 ? 0 : x->cut & part & -part ? -1 : 1;
}

static uint32_t mask_of(const lethe_cuts_cut *c)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < c->n; i++)
        mask |= 1u << c->node[i];
    return mask;
}

static bool is_valid(const h_oracle *o, uint32_t cut)
{
    for (size_t i = 0; i < o->n_cuts; i++)
        if (o->cut[i] == cut) return true;
    return false;
}

/* Under alpha and limits: valid, and within alpha where the search was completed. */
static void expect_approximate(const h_case *c, const h_oracle *o, const lethe_records *r,
                               lethe_cuts_problem p, uint64_t least, uint64_t seed)
{
    lethe_best_cuts got;
    p.alpha = seed % 3 == 0 ? 0 : 0.25 * (double)(seed % 5);
    p.max_cuts = seed % 3;
    assert_int_equal(lethe_best_cuts_find(ctx[seed % 3], r, &c->kl, 0, &p, 1 + seed % 4, &got),
                     LETHE_OK);
    assert_int_equal(got.cuts.n > 0, o->n_cuts > 0);
    for (size_t i = 0; i < got.cuts.n; i++)
        if (!is_valid(o, mask_of(&got.cuts.cut[i])))
            fail_msg("seed %llu: not valid under a limit", (unsigned long long)seed);
    if (got.cuts.n > 0 && p.max_cuts == 0)
        assert_true((double)got.cuts.cut[0].cost <= (1 + p.alpha) * (double)least);
    lethe_cuts_free(&got.cuts);
}

static void expect(const h_case *c, const h_oracle *o, uint64_t seed)
{
    static priced all[H_CUTS];
    lethe_cuts_costs costs;
    h_records h;
    lethe_arena *a = lethe_arena_new();
    h_records_make(c, &h);
    assert_int_equal(lethe_cuts_costs_find(&h.r, c->t, a, &costs), LETHE_OK);
    for (size_t i = 0; i < o->n_cuts; i++) {
        all[i] = (priced){0, o->cut[i]};
        for (uint32_t v = 0; v < c->t->n; v++)
            all[i].cost += o->cut[i] >> v & 1 ? costs.cost[v] : 0;
    }
    qsort(all, o->n_cuts, sizeof *all, by_cost);
    lethe_cuts_problem p = {.t = c->t, .live = costs.live, .cost = costs.cost};
    for (uint32_t top = 1; top <= TOP; top += TOP - 1) {
        for (size_t i = 0; i < LETHE_COUNT(THREADS); i++) {
            lethe_best_cuts got;
            p.top = top;
            assert_int_equal(lethe_best_cuts_find(ctx[i], &h.r, &c->kl, 0, &p, 1 + seed % 4, &got),
                             LETHE_OK);
            assert_true(got.cuts.optimal);
            assert_int_equal(got.cuts.n, LETHE_MIN(o->n_cuts, top));
            for (size_t k = 0; k < got.cuts.n; k++)
                if (got.cuts.cut[k].cost != all[k].cost || mask_of(&got.cuts.cut[k]) != all[k].cut)
                    fail_msg("seed %llu: cut %zu of %u differs", (unsigned long long)seed, k, top);
            lethe_cuts_free(&got.cuts);
        }
    }
    p.top = 1 + (uint32_t)(seed % 2);
    expect_approximate(c, o, &h.r, p, o->n_cuts > 0 ? all[0].cost : 0, seed);
    h_records_free(&h);
    lethe_arena_free(a);
}

/* Many sets that are much alike, for else most have no valid cut but the root. */
static void draw_dense(uint64_t *seed, h_case *c)
{
    uint32_t dense = 1 + h_draw(seed, 2);
    c->n = H_SETS;
    for (size_t i = 0; i < c->n; i++) {
        c->items[i] = 0;
        for (uint32_t v = 0; v < c->t->n; v++)
            if (lethe_tree_is_leaf(c->t, v) && h_draw(seed, dense + 1) == 0) c->items[i] |= 1u << v;
        c->marks[i] = h_draw(seed, 3) == 0 ? 1u << h_draw(seed, H_MARKS) : 0;
        if (h_draw(seed, 4) == 0) c->marks[i] |= 1u << h_draw(seed, H_MARKS);
    }
    c->kl.k = 1 + h_draw(seed, 3);
}

/* A case and its valid cuts; of most seeds one in which threats leave something to choose. */
static void draw_case(uint64_t seed, h_case *c, h_oracle *o)
{
    enum { TRIES = 30 };
    uint64_t drawn = 7000000 + seed;
    for (int i = 0; i < TRIES; i++) {
        h_case_draw(&drawn, 6 + (uint32_t)(seed % 6), c);
        if (seed % 4 > 0) draw_dense(&drawn, c);
        c->kl.strict = seed % 7 == 0;
        if (c->kl.strict) c->kl.m = LETHE_MIN(c->kl.m, 2);
        c->kl.sensitive_known = (uint32_t)(seed / 2 % 3);
        h_oracle_make(c, o);
        if (seed % 4 == 0 || i + 1 == TRIES || (o->n > 0 && o->n_cuts > 1)) return;
        lethe_tree_free(c->t);
    }
}

/* Are there fewer valid cuts, but some, since sensitive items may be known? */
static bool differs_by_marks(const h_case *c, const h_oracle *o)
{
    static h_oracle without;
    h_case other = *c;
    if (c->kl.sensitive_known == 0 || o->n_cuts == 0) return false;
    other.kl.sensitive_known = 0;
    h_oracle_make(&other, &without);
    return without.n_cuts > o->n_cuts;
}

static void small_sets_have_the_cheapest_valid_cuts(void **state)
{
    (void)state;
    static h_oracle o;
    uint64_t n = seeds(1600), none = 0, many = 0, absent = 0, knowing = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        draw_case(seed, &c, &o);
        none += o.n_cuts == 0;
        many += o.n > 0 && o.n_cuts > 1;
        absent += o.n > 0 && o.n_cuts > 1 && c.kl.n > 0;
        knowing += differs_by_marks(&c, &o);
        expect(&c, &o, seed);
        lethe_tree_free(c.t);
    }
    assert_true(none > n / 50 && many > n / 10 && absent > n / 20 && knowing > n / 50);
}

/* --- larger sets, by one search for all threats --- */

enum { LEAVES = 60, NODES = 2 * LEAVES, SETS = 150, SIZE = 8, MARKS = 3 };

typedef struct world {
    lethe_tree *t;
    lethe_records r;
    uint64_t start[SETS + 1], mark_start[SETS + 1];
    uint32_t item[SETS * SIZE], mark[SETS * MARKS];
    lethe_kl kl;
} world;

/* Leaves with two to four to a node, and so on up: items of low numbers are frequent. */
static void draw_world(uint64_t *seed, world *w)
{
    uint32_t parent[NODES], n = LEAVES, leaf[LEAVES], n_leaves = 0;
    char text[NODES][8];
    lethe_str name[NODES];
    for (uint32_t v = 0, level; v + 1 < (level = n);) // from the leaves up
        while (v < level) {
            for (uint32_t k = 2 + h_draw(seed, 3); k > 0 && v < level; k--)
                parent[v++] = n;
            n++;
        }
    for (uint32_t v = 0; v < n; v++) {
        if (v == n - 1) parent[v] = LETHE_NONE;
        name[v] = (lethe_str){text[v], (size_t)snprintf(text[v], sizeof text[v], "%03u", v)};
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &w->t), LETHE_OK);
    for (uint32_t v = 0; v < w->t->n; v++)
        if (lethe_tree_is_leaf(w->t, v)) leaf[n_leaves++] = v;
    w->start[0] = w->mark_start[0] = 0;
    for (size_t i = 0; i < SETS; i++) {
        uint64_t at = w->start[i], first = at;
        uint8_t in[NODES] = {0};
        for (uint32_t k = 1 + h_draw(seed, SIZE); k > 0; k--)
            in[leaf[LETHE_MIN(h_draw(seed, n_leaves), h_draw(seed, n_leaves))]] = 1;
        for (uint32_t v = 0; v < w->t->n && at < first + SIZE; v++)
            if (in[v]) w->item[at++] = v;
        w->start[i + 1] = at;
        w->mark_start[i + 1] = w->mark_start[i];
        for (uint32_t s = 0; s < MARKS; s++)
            if (h_draw(seed, 25) == 0) w->mark[w->mark_start[i + 1]++] = s;
    }
    w->kl = (lethe_kl){.k = 2 + h_draw(seed, 3),
                       .l = h_draw(seed, 2) ? 1 : 1.5 + h_draw(seed, 2),
                       .m = 1 + h_draw(seed, 4),
                       .n = h_draw(seed, 3) == 0 ? 1 + h_draw(seed, 2) : 0};
}

static bool same_cuts(const lethe_cuts *a, const lethe_cuts *b)
{
    bool same = a->n == b->n && a->optimal == b->optimal;
    for (size_t i = 0; same && i < a->n; i++)
        same = a->cut[i].cost == b->cut[i].cost && a->cut[i].n == b->cut[i].n &&
               memcmp(a->cut[i].node, b->cut[i].node, a->cut[i].n * sizeof *a->cut[i].node) == 0;
    return same;
}

static void larger_sets_have_the_cuts_of_all_threats(void **state)
{
    (void)state;
    static world w;
    uint64_t n = seeds(1200), fewer = 0, coarse = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        uint64_t drawn = 9000000 + seed;
        lethe_threats threats;
        lethe_cuts_costs costs;
        lethe_cuts cuts;
        lethe_best_cuts best;
        lethe_arena *a = lethe_arena_new();
        draw_world(&drawn, &w);
        lethe_dict *marks = lethe_dict_new();
        for (uint32_t s = 0, id; s < MARKS; s++)
            assert_int_equal(lethe_dict_add(marks, (lethe_str){&"abc"[s], 1}, &id), LETHE_OK);
        w.r = (lethe_records){.n = SETS,
                              .start = w.start,
                              .item = w.item,
                              .marks = marks,
                              .mark_start = w.mark_start,
                              .mark = w.mark};
        assert_int_equal(lethe_cuts_costs_find(&w.r, w.t, a, &costs), LETHE_OK);
        assert_int_equal(lethe_threats_find(ctx[0], &w.r, w.t, &w.kl, 0, &threats), LETHE_OK);
        lethe_cuts_problem p = {.t = w.t,
                                .live = costs.live,
                                .cost = costs.cost,
                                .threats = &threats,
                                .top = seed % 5 == 0 ? 3 : 1};
        assert_int_equal(lethe_cuts_find(ctx[0], &p, &cuts), LETHE_OK);
        p.threats = NULL;
        assert_int_equal(
            lethe_best_cuts_find(ctx[seed % 3], &w.r, &w.kl, 0, &p, 1 + seed % 20, &best),
            LETHE_OK);
        if (!same_cuts(&cuts, &best.cuts))
            fail_msg("seed %llu: the cuts differ", (unsigned long long)seed);
        fewer += best.nodes < threats.nodes;
        coarse += cuts.n > 0 && cuts.cut[0].n > 1 && cuts.cut[0].n < LEAVES / 2;
        lethe_cuts_free(&best.cuts);
        lethe_cuts_free(&cuts);
        lethe_threats_free(&threats);
        lethe_dict_free(marks);
        lethe_tree_free(w.t);
        lethe_arena_free(a);
    }
    assert_true(fewer > n / 20 && coarse > n / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets_have_the_cheapest_valid_cuts),
        cmocka_unit_test(larger_sets_have_the_cuts_of_all_threats),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
