/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 of OG on the thesis' example: golden/kl.json.  Threats are found here from Definitions
 * 4.1 to 4.4, all of them, decorated item by decorated item, so that nothing of phase 1 is leant
 * on.  Figure 4.1 has 26 cuts, of which 10 have Liquor. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "cuts_plain.h"
#include "core/mem.h"
#include "golden.h"

enum { NODES = 32, SETS = 16, MARKS = 8, THREATS = 4096, ITEMS = 4, CUTS = 64, ALL = 15 };

typedef struct world {
    lethe_tree *t;
    uint32_t n_sets, n_marks;
    bool has[SETS][NODES]; /* at or below the node */
    bool marked[SETS][MARKS];
    lethe_str mark[MARKS];
    uint64_t k, l, m, n;
    uint8_t live[NODES];
    uint64_t cost[NODES];
    uint64_t start[THREATS + 1];
    uint32_t item[THREATS * ITEMS];
    lethe_threats threats;
} world;

static uint32_t mark_number(world *w, lethe_str name)
{
    for (uint32_t i = 0; i < w->n_marks; i++)
        if (lethe_str_eq(w->mark[i], name)) return i;
    w->mark[w->n_marks] = name;
    return w->n_marks++;
}

static void read_sets(world *w, const lethe_json *v)
{
    const lethe_json *all = golden_object(v, "input.transactions");
    w->n_sets = (uint32_t)lethe_json_count(all);
    for (uint32_t i = 0; i < w->n_sets; i++) {
        const lethe_json *set = lethe_json_at(all, i), *marks = lethe_json_get(set, "sensitive");
        size_t n;
        uint32_t *item = golden_bag(v, w->t, lethe_json_get(set, "items"), &n);
        for (size_t k = 0; k < n; k++)
            for (uint32_t u = item[k]; u != LETHE_NONE; u = w->t->parent[u]) {
                w->has[i][u] = true;
                w->live[u] = 1;
                w->cost[u] += lethe_tree_lm(w->t, u); // each occurrence is charged
            }
        for (size_t k = 0; k < lethe_json_count(marks); k++)
            w->marked[i][mark_number(w, lethe_json_text(lethe_json_at(marks, k)))] = true;
        free(item);
    }
}

/* --- threats --- */

typedef struct known {
    uint32_t node[ITEMS];
    bool positive[ITEMS];
    uint32_t n, n_positive;
    uint64_t leaves;
} known;

static bool satisfies(const world *w, uint32_t set, const known *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (w->has[set][x->node[i]] != x->positive[i]) return false;
    return true;
}

static bool is_threat(const world *w, const known *x)
{
    uint64_t sup = 0, with[MARKS] = {0};
    for (uint32_t s = 0; s < w->n_sets; s++) {
        if (!satisfies(w, s, x)) continue;
        sup++;
        for (uint32_t i = 0; i < w->n_marks; i++)
            with[i] += w->marked[s][i];
    }
    for (uint32_t i = 0; i < w->n_marks; i++)
        if (with[i] * w->l > sup) return true;
    return sup > 0 && sup < w->k;
}

/* Nodes from v on are added with + or -, none above another. */
static void enumerate(world *w, uint32_t v, known *x)
{
    if (is_threat(w, x)) {
        assert_true(w->threats.n < THREATS);
        uint64_t at = w->start[w->threats.n];
        memcpy(w->item + at, x->node, x->n * sizeof *x->node);
        w->start[++w->threats.n] = at + x->n;
    }
    for (; v < w->t->n && x->n < ITEMS; v++) {
        bool below = false;
        for (uint32_t i = 0; i < x->n; i++)
            below = below || lethe_tree_covers(w->t, x->node[i], v);
        for (int positive = 0; !below && positive < 2; positive++) {
            known y = *x;
            y.node[y.n] = v;
            y.positive[y.n++] = positive;
            y.n_positive += (uint32_t)positive;
            y.leaves += positive ? 0 : w->t->leaves[v];
            if (y.n_positive <= w->m && y.leaves <= w->n) enumerate(w, v + 1, &y);
        }
    }
}

static void open_world(world *w, const lethe_json *v)
{
    *w = (world){.t = golden_tree(v)};
    w->threats.start = w->start;
    w->threats.item = w->item;
    read_sets(w, v);
    w->k = (uint64_t)golden_int(v, "parameters.k");
    w->l = (uint64_t)golden_int(v, "parameters.l");
    w->m = (uint64_t)golden_int(v, "parameters.m");
    w->n = (uint64_t)golden_int(v, "parameters.n");
    enumerate(w, 0, &(known){0});
}

/* --- cuts --- */

static lethe_cuts find(world *w, uint32_t top, unsigned without)
{
    lethe_settings set = {.n_threads = 2};
    lethe_ctx *ctx = NULL;
    lethe_cuts got;
    lethe_cuts_problem p = {
        .t = w->t, .live = w->live, .cost = w->cost, .threats = &w->threats, .top = top};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    assert_int_equal(plain_find(ctx, &p, without, &got), LETHE_OK);
    lethe_ctx_free(ctx);
    return got;
}

static bool is_listed(const lethe_json *v, const world *w, const char *list,
                      const lethe_cuts_cut *c)
{
    const lethe_json *cuts = golden_array(v, list);
    bool any = false;
    for (size_t i = 0; i < lethe_json_count(cuts); i++) {
        size_t n;
        uint32_t *node = golden_bag(v, w->t, lethe_json_at(cuts, i), &n);
        any = any || (n == c->n && memcmp(node, c->node, n * sizeof *node) == 0);
        free(node);
    }
    return any;
}

static void compare(const lethe_json *v, world *w, unsigned without)
{
    bool feasible = lethe_json_bool(golden_get(v, "expected.feasible"));
    size_t n_valid = lethe_json_count(golden_array(v, "expected.valid_cuts"));
    lethe_cuts best = find(w, 1, without), all = find(w, CUTS, without);
    assert_int_equal(best.n, feasible);
    assert_int_equal(all.n, n_valid);
    for (size_t i = 0; i < all.n; i++)
        if (!is_listed(v, w, "expected.valid_cuts", &all.cut[i]))
            fail_msg("%.*s: cut %zu is not valid", GOLDEN_ID(v), i);
    if (feasible) {
        golden_expect(v, "cost", golden_fraction(v, "expected.optimal_cost"),
                      fraction_of((int64_t)best.cut[0].cost, lethe_tree_scale(w->t)));
        assert_true(is_listed(v, w, "expected.optimal_cuts", &best.cut[0]));
        assert_int_equal(best.cut[0].n, all.cut[0].n);
    }
    lethe_cuts_free(&best);
    lethe_cuts_free(&all);
}

static void optima_are_those_of_the_vectors(void **state)
{
    golden g = golden_open("kl");
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        static world w;
        if (!golden_find(v, "expected.valid_cuts")) continue;
        open_world(&w, v);
        for (unsigned without = 0; without < 32; without++)
            compare(v, &w, without);
        lethe_tree_free(w.t);
        n++;
    }
    assert_int_equal(n, 8);
    golden_close(&g);
}

/* Without threats every cut is valid, and each is reached once. */
static void figure_4_1_has_26_cuts(void **state)
{
    (void)state;
    golden g = golden_open("kl");
    const lethe_json *v = golden_vector(&g, "kl-01");
    static world w;
    w = (world){.t = golden_tree(v), .threats = {.start = w.start, .item = w.item}};
    for (uint32_t u = 0; u < w.t->n; u++) {
        w.live[u] = 1;
        w.cost[u] = lethe_tree_lm(w.t, u);
    }
    int64_t total = golden_int(v, "expected.total_cuts"), with = 0;
    uint32_t liquor = golden_node(v, w.t, LETHE_LIT("Liquor"));
    lethe_cuts all = find(&w, CUTS, 0), one = find(&w, 1, ALL);
    assert_int_equal(all.n, total);
    assert_int_equal(one.examined, total);
    for (size_t i = 0; i < all.n; i++)
        for (size_t k = 0; k < all.cut[i].n; k++)
            with += all.cut[i].node[k] == liquor;
    assert_int_equal(with, golden_int(v, "expected.cuts_containing_Liquor"));
    lethe_cuts_free(&all);
    lethe_cuts_free(&one);
    lethe_tree_free(w.t);
    golden_close(&g);
}

/* Examples 4.13 and 4.15: what the search begins with for (2,2,2,0) is the optimum itself, and no
 * other cut is come to. */
static void example_4_15_begins_at_the_optimum(void **state)
{
    (void)state;
    golden g = golden_open("kl");
    const lethe_json *v = golden_vector(&g, "kl-21");
    static world w;
    open_world(&w, v);
    lethe_cuts got = find(&w, 1, PLAIN_OURS), plain = find(&w, 1, ALL);
    size_t n;
    uint32_t *want = golden_bag(v, w.t, golden_get(v, "expected.initial_cut"), &n);
    assert_int_equal(got.cut[0].n, n);
    assert_memory_equal(got.cut[0].node, want, n * sizeof *want);
    assert_int_equal(plain.examined, 4); // the valid cuts
    assert_true(got.examined <= plain.examined);
    free(want);
    lethe_cuts_free(&got);
    lethe_cuts_free(&plain);
    lethe_tree_free(w.t);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optima_are_those_of_the_vectors),
        cmocka_unit_test(figure_4_1_has_26_cuts),
        cmocka_unit_test(example_4_15_begins_at_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
