/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of search/table_search.h, edge by edge. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "table_search_harness.h"

static uint32_t n_heard;

static void hear(void *user, const lethe_message *m)
{
    (void)user;
    (void)m;
    n_heard++;
}

static lethe_ctx *open_ctx(unsigned threads)
{
    lethe_settings set = {.n_threads = threads, .on_message = hear};
    lethe_ctx *ctx = NULL;
    n_heard = 0;
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    return ctx;
}

/* A binary tree of 8 leaves: 15 nodes in preorder. */
static lethe_tree *binary_tree(void)
{
    static const uint32_t parent[] = {LETHE_NONE, 0, 1, 2, 2, 1, 5, 5, 0, 8, 9, 9, 8, 12, 12};
    return h_tree(15, parent);
}

static void set_thetas(h_world *w, uint64_t num, uint64_t den)
{
    for (uint32_t s = 0; s < H_SA; s++)
        w->theta[s] = (lethe_theta){num, den};
}

/* Sixty rows over two such trees, four sensitive values, three classes. */
static void make_world(h_world *w)
{
    static const uint32_t leaf[] = {3, 4, 6, 7, 10, 11, 13, 14};
    uint64_t seed = 5;
    *w = (h_world){.table = {.n_qi = 2, .n = 60}, .n_sa = 4, .n_class = 3};
    for (size_t q = 0; q < 2; q++)
        w->qi[q].tree = binary_tree();
    for (size_t i = 0; i < w->table.n; i++) {
        for (size_t q = 0; q < 2; q++)
            w->leaf[q][i] = leaf[o_below(&seed, 8)];
        w->sa_of[i] = (uint32_t)o_below(&seed, 4);
        w->class_of[i] = (uint32_t)o_below(&seed, 3);
    }
    set_thetas(w, 1, 2);
}

static void expect_cut(const lethe_table_cut *c, size_t q, const uint32_t *node, size_t n)
{
    assert_int_equal(c->start[q + 1] - c->start[q], n);
    assert_memory_equal(c->node + c->start[q], node, n * sizeof *node);
}

/* --- small tables --- */

static void one_row_is_its_own_group(void **state)
{
    static const uint32_t finest[] = {3, 5, 8}, root[] = {0};
    (void)state;
    lethe_ctx *ctx = open_ctx(1);
    h_world w = {.table = {.n_qi = 1, .n = 1}, .n_sa = 1, .n_class = 1};
    lethe_table_limits limits = {.top = 1};
    lethe_table_found got;
    w.qi[0].tree = binary_tree();
    w.leaf[0][0] = 3;
    set_thetas(&w, 1, 1);
    h_close(ctx, &w, LETHE_SUPPRESS_NONE, LETHE_COST_LM);
    assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
    assert_true(got.optimal && got.n == 1 && got.cost[0] == 0);
    // the row's leaf, and beside it what costs nothing as it is
    assert_int_equal(got.cut[0].node[0], finest[0]);
    assert_int_equal(got.cut[0].start[1], 4);
    w.d.theta = (const lethe_theta[]){{1, 2}};
    assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
    assert_true(got.optimal && got.n == 0);
    w.d.suppress = LETHE_SUPPRESS_ALL_REC; // deleted however it is published: the roots
    assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
    assert_true(got.optimal && got.n == 1 && got.cost[0] == 2 * w.d.scale);
    expect_cut(&got.cut[0], 0, root, 1);
    h_free(&w);
    lethe_ctx_free(ctx);
}

static void a_tree_of_one_leaf_has_one_cut(void **state)
{
    static const uint32_t none[] = {LETHE_NONE};
    static const uint32_t root[] = {0};
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_ctx *ctx = open_ctx(threads);
        h_world w = {.table = {.n_qi = 2, .n = 3}, .n_sa = 3, .n_class = 1};
        lethe_table_limits limits = {.top = 4};
        lethe_table_found got;
        for (size_t q = 0; q < 2; q++)
            w.qi[q].tree = h_tree(1, none);
        for (uint32_t i = 0; i < 3; i++)
            w.sa_of[i] = i;
        set_thetas(&w, 1, 3);
        h_close(ctx, &w, LETHE_SUPPRESS_NONE, LETHE_COST_DM);
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n == 1 && got.cost[0] == 9 && got.examined == 1);
        expect_cut(&got.cut[0], 0, root, 1);
        expect_cut(&got.cut[0], 1, root, 1);
        h_free(&w);
        lethe_ctx_free(ctx);
    }
}

static void nothing_valid_is_nothing_found(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_ctx *ctx = open_ctx(threads);
        h_world w;
        lethe_table_limits limits = {.top = 3};
        lethe_table_found got;
        make_world(&w);
        set_thetas(&w, 0, 1);
        h_close(ctx, &w, LETHE_SUPPRESS_NONE, LETHE_COST_LM);
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n == 0 && got.examined == 1);
        w.d.theta = NULL;
        w.d.k = 61;
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n == 0);
        w.d.k = 60; // the roots alone
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n == 1 && got.cost[0] == 120 * w.d.scale);
        w.d.distinct = 5;
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n == 0);
        assert_int_equal(n_heard, 0);
        h_free(&w);
        lethe_ctx_free(ctx);
    }
}

/* Without any demand each leaf is published. */
static void without_a_demand_all_is_told(void **state)
{
    (void)state;
    lethe_ctx *ctx = open_ctx(1);
    h_world w;
    lethe_table_limits limits = {.top = 1};
    lethe_table_found got;
    make_world(&w);
    h_close(ctx, &w, LETHE_SUPPRESS_VIO_REC, LETHE_COST_LM);
    w.d.theta = NULL;
    assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
    assert_true(got.optimal && got.n == 1 && got.cost[0] == 0);
    assert_int_equal(got.cut[0].start[2], 16);
    h_free(&w);
    lethe_ctx_free(ctx);
}

/* More than 64 bits of leaves, so that keys have several words. */
static void many_quasi_identifiers_are_told_apart(void **state)
{
    enum { MANY = 40 };
    (void)state;
    lethe_ctx *ctx = open_ctx(1);
    lethe_tree *tree = binary_tree();
    static lethe_qi qi[MANY];
    static uint32_t leaf[MANY][2];
    lethe_table table = {.n = 2, .n_qi = MANY, .qi = qi};
    lethe_tuples *t = NULL;
    lethe_arena *a = lethe_arena_new();
    const uint64_t **weight;
    lethe_group_demand d = {.suppress = LETHE_SUPPRESS_NONE,
                            .k = 2,
                            .distinct = 1,
                            .rows = 2,
                            .n_qi = MANY,
                            .n_class = 1};
    lethe_table_limits limits = {.top = 1};
    lethe_table_found got;
    for (size_t q = 0; q < MANY; q++) {
        leaf[q][0] = 3;
        leaf[q][1] = q == MANY - 1 ? 4 : 3; // they differ in the last one alone
        qi[q] = (lethe_qi){.tree = tree, .leaf = leaf[q]};
    }
    assert_int_equal(lethe_tuples_of(ctx, &table, false, &t), LETHE_OK);
    assert_int_equal(lethe_tuples_weights(t, a, &weight, &d.scale), LETHE_OK);
    for (int cost = LETHE_COST_LM; cost <= LETHE_COST_DM; cost++) {
        d.cost = (lethe_group_cost)cost;
        assert_int_equal(
            lethe_table_search(ctx, t, &d, (const uint64_t *const *)weight, &limits, a, &got),
            LETHE_OK);
        assert_true(got.optimal && got.n == 1);
        assert_int_equal(got.cost[0], cost == LETHE_COST_LM ? 2 * weight[MANY - 1][2] : 4);
    }
    d.k = 1;
    assert_int_equal(
        lethe_table_search(ctx, t, &d, (const uint64_t *const *)weight, &limits, a, &got),
        LETHE_OK);
    assert_int_equal(got.cost[0], 2);
    lethe_tuples_free(t);
    lethe_arena_free(a);
    lethe_tree_free(tree);
    lethe_ctx_free(ctx);
}

/* Columns of one value each change no cost of a cut but make keys of several words; nor does the
 * number of threads.  Groups are large enough to be made tidy in all ways. */
static void wide_keys_change_nothing(void **state)
{
    enum { NARROW = 4, WIDE = 26, MANY_ROWS = 600, SENSITIVE = 5 };
    static const uint32_t parent[] = {LETHE_NONE, 0, 1, 1, 0, 4, 4}, leaves[] = {2, 3, 5, 6};
    static uint32_t leaf[WIDE][MANY_ROWS], sa_of[MANY_ROWS], class_of[MANY_ROWS];
    static lethe_qi qi[WIDE];
    lethe_tree *tree = h_tree(7, parent);
    lethe_theta theta[SENSITIVE];
    uint64_t seed = 7;
    (void)state;
    for (size_t q = 0; q < WIDE; q++) { // the last ones differ
        qi[q] = (lethe_qi){.tree = tree, .leaf = leaf[q]};
        for (size_t i = 0; i < MANY_ROWS; i++)
            leaf[q][i] = q < WIDE - NARROW ? 3 : leaves[o_below(&seed, 1 + o_below(&seed, 4))];
    }
    for (size_t i = 0; i < MANY_ROWS; i++) {
        sa_of[i] = (uint32_t)o_below(&seed, 1 + o_below(&seed, SENSITIVE));
        class_of[i] = (uint32_t)o_below(&seed, 2);
    }
    for (size_t i = 0; i < SENSITIVE; i++)
        theta[i] = (lethe_theta){1, 2};
    lethe_column sa = {.values = h_names(SENSITIVE), .code = sa_of};
    lethe_column class = {.values = h_names(2), .code = class_of};
    static const lethe_group_suppress scheme[] = {LETHE_SUPPRESS_NONE, LETHE_SUPPRESS_VIO_REC,
                                                  LETHE_SUPPRESS_ALL_REC};
    for (int run = 0; run < 7; run++) {
        lethe_group_cost cost = run == 6 ? LETHE_COST_LM : run < 3 ? LETHE_COST_DM : LETHE_COST_CM;
        uint64_t found = 0;
        for (unsigned way = 0; way < 4; way++) {
            bool wide = way & 1;
            if (run == 6 && way == 1) continue; // nearly all of the time, as way 3 is
            size_t n_qi = wide ? WIDE : NARROW;
            lethe_ctx *ctx = open_ctx(way & 2 ? 4 : 1);
            lethe_table table = {
                .n = MANY_ROWS, .n_qi = n_qi, .qi = qi + WIDE - n_qi, .sa = &sa, .class = &class};
            lethe_arena *a = lethe_arena_new();
            lethe_tuples *t = NULL;
            const uint64_t **weight;
            lethe_table_limits limits = {.top = 1};
            lethe_table_found got;
            lethe_group_demand d = {.suppress = run == 6 ? LETHE_SUPPRESS_NONE : scheme[run % 3],
                                    .cost = cost,
                                    .theta = theta,
                                    .n_sa = SENSITIVE,
                                    .k = 4,
                                    .distinct = 1,
                                    .n_class = 2,
                                    .rows = MANY_ROWS,
                                    .n_qi = (uint32_t)n_qi};
            assert_int_equal(lethe_tuples_of(ctx, &table, cost == LETHE_COST_CM, &t), LETHE_OK);
            assert_int_equal(lethe_tuples_weights(t, a, &weight, &d.scale), LETHE_OK);
            assert_int_equal(
                lethe_table_search(ctx, t, &d, (const uint64_t *const *)weight, &limits, a, &got),
                LETHE_OK);
            assert_true(got.optimal && got.n == 1);
            if (way == 0) found = got.cost[0];
            assert_int_equal(got.cost[0], found);
            lethe_table_cut_price price; // from scratch
            assert_int_equal(lethe_table_cut_evaluate(ctx, t, &d, (const uint64_t *const *)weight,
                                                      &got.cut[0], &price),
                             LETHE_OK);
            assert_true(price.valid && price.cost == got.cost[0]);
            lethe_tuples_free(t);
            lethe_arena_free(a);
            lethe_ctx_free(ctx);
        }
    }
    lethe_dict_free(sa.values);
    lethe_dict_free(class.values);
    lethe_tree_free(tree);
}

/* --- limits --- */

static void cuts_are_limited_alike_for_any_threads(void **state)
{
    (void)state;
    for (uint64_t cuts = 1; cuts < 200; cuts += 13) {
        uint64_t cost[2], examined[2], to_best[2];
        for (unsigned threads = 1; threads <= 2; threads++) {
            lethe_ctx *ctx = open_ctx(threads);
            h_world w;
            lethe_table_limits limits = {.top = 1, .cuts = cuts};
            lethe_table_found got;
            make_world(&w);
            h_close(ctx, &w, LETHE_SUPPRESS_VIO_SA, LETHE_COST_LM);
            assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
            assert_true(got.n == 1 && got.examined <= cuts);
            if (cuts == 1) assert_false(got.optimal);
            cost[threads - 1] = got.cost[0];
            examined[threads - 1] = got.examined;
            to_best[threads - 1] = got.to_best;
            h_free(&w);
            lethe_ctx_free(ctx);
        }
        assert_true(cost[0] == cost[1] && examined[0] == examined[1] && to_best[0] == to_best[1]);
    }
}

/* However short the time, the roots are looked at. */
static void time_is_limited(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_ctx *ctx = open_ctx(threads);
        h_world w;
        lethe_table_limits limits = {.top = 1, .seconds = 1e-9};
        lethe_table_found got;
        make_world(&w);
        h_close(ctx, &w, LETHE_SUPPRESS_ALL_REC, LETHE_COST_CM);
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(!got.optimal && got.n == 1 && got.examined == 1);
        h_free(&w);
        lethe_ctx_free(ctx);
    }
}

static void a_cancelled_search_ends(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_ctx *ctx = open_ctx(threads);
        h_world w;
        lethe_table_limits limits = {.top = 1};
        lethe_table_found got = {.n = 77};
        make_world(&w);
        h_close(ctx, &w, LETHE_SUPPRESS_ALL_REC, LETHE_COST_DM);
        lethe_ctx_cancel(ctx);
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_ECANCEL);
        assert_int_equal(got.n, 77); // untouched
        h_free(&w);
        lethe_ctx_free(ctx);
    }
}

typedef struct trace {
    uint64_t n, cuts, cost;
    double seconds;
    bool in_order;
} trace;

static void note(void *user, double seconds, uint64_t cuts, uint64_t cost)
{
    trace *t = user;
    if (t->n++ > 0 && (seconds < t->seconds || cost >= t->cost || cuts < t->cuts))
        t->in_order = false;
    t->seconds = seconds;
    t->cuts = cuts;
    t->cost = cost;
}

static void better_cuts_are_told_as_they_come(void **state)
{
    (void)state;
    lethe_ctx *ctx = open_ctx(1);
    h_world w;
    trace t = {.in_order = true};
    lethe_table_limits limits = {.top = 1, .on_better = note, .user = &t};
    lethe_table_found got;
    make_world(&w);
    h_close(ctx, &w, LETHE_SUPPRESS_VIO_SA, LETHE_COST_LM);
    assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
    assert_true(t.n > 1 && t.in_order && t.cost == got.cost[0] && t.cuts <= got.to_best);
    assert_true(got.to_best <= got.examined);
    h_free(&w);
    lethe_ctx_free(ctx);
}

/* Cuts differ, none is left out, and there are not more than there are. */
static void as_many_cuts_as_there_are(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_ctx *ctx = open_ctx(threads);
        h_world w;
        lethe_table_limits limits = {.top = 1000};
        lethe_table_found got;
        make_world(&w);
        h_close(ctx, &w, LETHE_SUPPRESS_VIO_REC, LETHE_COST_CM);
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n == 26 * 26);
        for (size_t i = 1; i < got.n; i++) {
            assert_true(got.cost[i - 1] <= got.cost[i]);
            if (got.cost[i - 1] == got.cost[i])
                assert_true(lethe_table_cut_compare(&got.cut[i - 1], &got.cut[i], 2) < 0);
        }
        h_free(&w);
        lethe_ctx_free(ctx);
    }
}

/* --- no memory --- */

static void no_memory_is_said_and_nothing_is_kept(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_ctx *ctx = open_ctx(threads);
        h_world w;
        lethe_table_limits limits = {.top = 5};
        lethe_table_found got;
        lethe_err e = LETHE_ENOMEM;
        uint32_t n = 0;
        make_world(&w);
        h_close(ctx, &w, LETHE_SUPPRESS_VIO_REC, LETHE_COST_CM);
        while (e == LETHE_ENOMEM) {
            got.n = 77;
            lethe_alloc_fail_at(++n);
            e = h_search(ctx, &w, &limits, &got);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || (e == LETHE_ENOMEM && got.n == 77 && n_heard == n));
        }
        assert_int_equal(e, LETHE_OK);
        assert_true(n > 10 && got.n == 5 && got.optimal);
        h_free(&w);
        lethe_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_is_its_own_group),
        cmocka_unit_test(a_tree_of_one_leaf_has_one_cut),
        cmocka_unit_test(nothing_valid_is_nothing_found),
        cmocka_unit_test(without_a_demand_all_is_told),
        cmocka_unit_test(many_quasi_identifiers_are_told_apart),
        cmocka_unit_test(wide_keys_change_nothing),
        cmocka_unit_test(cuts_are_limited_alike_for_any_threads),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(a_cancelled_search_ends),
        cmocka_unit_test(better_cuts_are_told_as_they_come),
        cmocka_unit_test(as_many_cuts_as_there_are),
        cmocka_unit_test(no_memory_is_said_and_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
