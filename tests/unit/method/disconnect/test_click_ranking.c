/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/click_ranking.h"
#include "core/mem.h"
#include <stdlib.h>

static lethe_ctx *new_ctx(unsigned n_threads)
{
    lethe_settings set = {.n_threads = n_threads};
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    return ctx;
}

static lethe_click_graph *new_graph(const lethe_click *click, size_t n, uint32_t queries,
                                    uint32_t urls)
{
    lethe_click_graph *g = NULL;
    assert_int_equal(lethe_click_graph_new(click, n, queries, urls, &g), LETHE_OK);
    return g;
}

static lethe_click_ranking run(unsigned n_threads, const lethe_click_ranking_options *how)
{
    lethe_ctx *ctx = new_ctx(n_threads);
    lethe_click_ranking got;
    assert_int_equal(lethe_click_rank(ctx, how, &got), LETHE_OK);
    lethe_ctx_free(ctx);
    return got;
}

/* Queries in the order in which they go, and the edges before and after each. */
static void expect(const lethe_click_ranking_options *how, const uint32_t *removed,
                   const uint64_t *edges, uint32_t n)
{
    for (uint32_t hub = 0; hub < 4; hub++) {
        lethe_click_ranking_options with = *how;
        with.hub = hub;
        with.batch = hub * hub;
        lethe_click_ranking got = run(1 + hub, &with);
        assert_int_equal(got.n_removed, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(got.removed[i], removed[i]);
        for (uint32_t i = 0; i <= n; i++)
            assert_int_equal(got.edges[i], edges[i]);
        uint64_t before = UINT64_MAX;
        lethe_ctx *ctx = new_ctx(1 + hub);
        assert_int_equal(lethe_click_edges(ctx, how->graph, &before), LETHE_OK);
        assert_int_equal(before, edges[0]);
        lethe_ctx_free(ctx);
        lethe_click_ranking_free(&got);
    }
}
#define REMOVED(...)                                                                               \
    (const uint32_t[]) { __VA_ARGS__ }
#define EDGES(...)                                                                                 \
    (const uint64_t[]) { __VA_ARGS__ }

static void what_is_not_joined_stays(void **state)
{
    (void)state;
    lethe_click_graph *g = new_graph(NULL, 0, 0, 0);
    expect(&(lethe_click_ranking_options){.graph = g}, NULL, EDGES(0), 0);
    lethe_click_graph_free(g);
    g = new_graph(NULL, 0, 5, 3); // no clicks: not joined with each other
    expect(&(lethe_click_ranking_options){.graph = g}, NULL, EDGES(0), 0);
    expect(&(lethe_click_ranking_options){.graph = g, .weight = (const uint64_t[]){0, 0, 0, 0, 0}},
           NULL, EDGES(0), 0);
    lethe_click_graph_free(g);
    g = new_graph((const lethe_click[]){{0, 0}, {1, 1}, {2, 2}, {2, 3}}, 4, 3, 4);
    expect(&(lethe_click_ranking_options){.graph = g}, NULL, EDGES(0), 0);
    lethe_click_graph_free(g);
}

/* A class of its own: all but the heaviest go, the lightest first, then the first seen. */
static void every_query_on_one_url(void **state)
{
    static const uint64_t weight[] = {3, 1, 5, 5, 1};
    static const lethe_click click[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}};
    (void)state;
    lethe_click_graph *g = new_graph(click, 5, 5, 1);
    expect(&(lethe_click_ranking_options){.graph = g}, REMOVED(0, 1, 2, 3), EDGES(10, 6, 3, 1, 0),
           4);
    expect(&(lethe_click_ranking_options){.graph = g, .weight = weight}, REMOVED(1, 4, 0, 2),
           EDGES(10, 6, 3, 1, 0), 4);
    lethe_click_graph_free(g);
}

/* A path a - b - c - d and a pair e - f, of one degree: components take turns by score and by who
 * was seen first. */
static void components_go_in_one_order(void **state)
{
    static const lethe_click click[] = {{0, 0}, {2, 0}, {2, 1}, {3, 1},
                                        {3, 2}, {5, 2}, {1, 3}, {4, 3}};
    (void)state;
    lethe_click_graph *g = new_graph(click, LETHE_COUNT(click), 6, 4);
    // 2 and 3 have two, and 2 comes first; then all have one: 1 before 3
    expect(&(lethe_click_ranking_options){.graph = g}, REMOVED(2, 1, 3), EDGES(4, 2, 1, 0), 3);
    // 4 has 1/2, then 2 has 2/5, 5 has 1/2...
    expect(
        &(lethe_click_ranking_options){.graph = g, .weight = (const uint64_t[]){9, 9, 5, 9, 2, 2}},
        REMOVED(4, 5, 2), EDGES(4, 3, 2, 0), 3);
    lethe_click_graph_free(g);
}

/* Doubles would call these the same: the one of less weight goes first though it was seen last. */
static void huge_weights_are_told_apart(void **state)
{
    static const lethe_click click[] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}};
    (void)state;
    lethe_click_graph *g = new_graph(click, 4, 4, 2);
    uint64_t weight[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX - 3};
    expect(&(lethe_click_ranking_options){.graph = g, .weight = weight}, REMOVED(3, 1),
           EDGES(2, 1, 0), 2);
    weight[3] = UINT64_MAX - 1; // 2 alone is lighter
    expect(&(lethe_click_ranking_options){.graph = g, .weight = weight}, REMOVED(2, 1),
           EDGES(2, 1, 0), 2);
    lethe_click_graph_free(g);
}

/* As a hub's queries go, the heavier fall more slowly: 10/1 and 12/2 become 2/1 and 4/2, a tie. */
static void order_in_a_hub_changes_as_it_shrinks(void **state)
{
    enum { N = 12 };
    lethe_click click[N + 4];
    uint64_t weight[N + 2];
    size_t n = 0;
    (void)state;
    for (uint32_t q = 0; q < N; q++) { // 0 and 1 are heavier, the others go before them
        click[n++] = (lethe_click){q, 0};
        weight[q] = q < 2 ? 1000 + q : 1;
    }
    click[n++] = (lethe_click){1, 1}; // 1 has two more
    click[n++] = (lethe_click){N, 1};
    click[n++] = (lethe_click){N + 1, 1};
    weight[N] = weight[N + 1] = 2000;
    lethe_click_graph *g = new_graph(click, n, N + 2, 2);
    lethe_click_ranking got =
        run(1, &(lethe_click_ranking_options){.graph = g, .weight = weight, .hub = 2});
    assert_int_equal(got.edges[0], N * (N - 1) / 2 + 3);
    for (uint32_t i = 0; i < N - 2; i++)
        assert_int_equal(got.removed[i], i + 2);
    assert_int_equal(got.removed[N - 2], 1); // 3/1001 over 1/1000
    assert_int_equal(got.removed[N - 1], N); // then 1/2000 each
    assert_int_equal(got.n_removed, N);
    lethe_click_ranking_free(&got);
    lethe_click_graph_free(g);
}

static void stops_when_density_is_low_enough(void **state)
{
    static const lethe_click click[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 1}};
    (void)state;
    lethe_click_graph *g = new_graph(click, 5, 5, 2); // 6 of 10, 3 of 6, 1 of 3, 0
    lethe_click_ranking_options how = {.graph = g, .density = 1};
    expect(&how, NULL, EDGES(6), 0);
    how.density = 0.6;
    expect(&how, NULL, EDGES(6), 0);
    how.density = 0.59;
    expect(&how, REMOVED(0), EDGES(6, 3), 1);
    how.density = 0.5;
    expect(&how, REMOVED(0), EDGES(6, 3), 1);
    how.density = 1.0 / 3;
    expect(&how, REMOVED(0, 1), EDGES(6, 3, 1), 2);
    how.density = 0.01;
    expect(&how, REMOVED(0, 1, 2), EDGES(6, 3, 1, 0), 3);
    lethe_click_graph_free(g);
}

/* Counted without making them: 50,000 queries, each with URLs of its own, on one. */
static void a_hub_of_many_classes(void **state)
{
    enum { N = 50000 };
    lethe_click *click = malloc(2 * N * sizeof *click);
    uint64_t *weight = malloc(N * sizeof *weight);
    (void)state;
    assert_true(click && weight);
    for (uint32_t q = 0; q < N; q++) {
        click[2 * q] = (lethe_click){q, 0};
        click[2 * q + 1] = (lethe_click){q, 1 + q};
        weight[q] = 1 + (q * 7919u) % N; // each once
    }
    lethe_click_graph *g = new_graph(click, 2 * N, N, N + 1);
    lethe_click_ranking by_degree = run(1, &(lethe_click_ranking_options){.graph = g});
    lethe_click_ranking by_weight =
        run(2, &(lethe_click_ranking_options){.graph = g, .weight = weight});
    assert_int_equal(g->n_classes, N);
    assert_int_equal(by_degree.n_removed, N - 1);
    assert_int_equal(by_weight.n_removed, N - 1);
    assert_int_equal(by_degree.edges[0], (uint64_t)N * (N - 1) / 2);
    for (uint32_t i = 0; i + 1 < N; i++) {
        assert_int_equal(by_degree.removed[i], i);
        assert_int_equal(weight[by_weight.removed[i]], i + 1);
        assert_int_equal(by_weight.edges[i + 1], (uint64_t)(N - i - 1) * (N - i - 2) / 2);
    }
    lethe_click_ranking_free(&by_degree);
    lethe_click_ranking_free(&by_weight);
    lethe_click_graph_free(g);
    free(click);
    free(weight);
}

static void expect_same(const lethe_click_ranking *got, const lethe_click_ranking *want)
{
    assert_int_equal(got->n_removed, want->n_removed);
    assert_memory_equal(got->removed, want->removed, want->n_removed * sizeof *want->removed);
    assert_memory_equal(got->edges, want->edges, (want->n_removed + 1) * sizeof *want->edges);
}

/* One batch, or as many as there are components; any number of threads.  Returns how many go. */
static uint32_t expect_batches_do_not_matter(const lethe_click_ranking_options *how)
{
    static const unsigned n_threads[] = {1, 2, 7};
    static const uint32_t batches[] = {0, 1, 50, 3000};
    lethe_click_ranking_options with = *how;
    with.batch = UINT32_MAX;
    lethe_click_ranking want = run(1, &with);
    for (size_t i = 0; i < LETHE_COUNT(n_threads) * LETHE_COUNT(batches); i++) {
        with.batch = batches[i / LETHE_COUNT(n_threads)];
        lethe_click_ranking got = run(n_threads[i % LETHE_COUNT(n_threads)], &with);
        expect_same(&got, &want);
        lethe_click_ranking_free(&got);
    }
    uint32_t n = want.n_removed;
    lethe_click_ranking_free(&want);
    return n;
}

/* Many components, so that threads have something to share; of one size, so that ties are
 * everywhere, but for the first, which is ten times as large. */
static void batches_and_threads_do_not_matter(void **state)
{
    enum { PARTS = 700, EACH = 5, MORE = 50, N = PARTS * EACH + MORE };
    static lethe_click click[2 * N];
    static uint64_t weight[N];
    static const double densities[] = {1e-9, 1e-5, 1e-4, 5e-4, 1e-3};
    (void)state;
    for (uint32_t q = 0; q < N; q++) {
        uint32_t part = q < N - MORE ? q % PARTS : 0;
        click[2 * q] = (lethe_click){q, part};
        click[2 * q + 1] = (lethe_click){q, PARTS + part + (q % 3 == 0 ? PARTS : 0)};
        weight[q] = 1 + q % 11;
    }
    lethe_click_graph *g = new_graph(click, LETHE_COUNT(click), N, 3 * PARTS);
    lethe_click_ranking_options how = {.graph = g, .weight = weight, .hub = 2};
    assert_int_equal(expect_batches_do_not_matter(&how), N - PARTS);
    how.weight = NULL;
    assert_int_equal(expect_batches_do_not_matter(&how), N - PARTS);
    for (size_t i = 0; i < LETHE_COUNT(densities); i++) { // stopping ever earlier
        how.density = densities[i];
        how.weight = i % 2 ? NULL : weight;
        uint32_t n = expect_batches_do_not_matter(&how);
        assert_true(i == 0 ? n == N - PARTS : n < N - PARTS && n > 0);
    }
    lethe_click_graph_free(g);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    static const lethe_click click[] = {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {3, 0}, {3, 1}, {5, 2}};
    static const uint64_t weight[] = {3, 2, 2, 9, 0, 1};
    lethe_ctx *ctx = new_ctx(2);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    (void)state;
    lethe_click_graph *g = new_graph(click, LETHE_COUNT(click), 6, 3);
    lethe_click_ranking_options how = {.graph = g, .weight = weight, .hub = 2, .batch = 1};
    while (e != LETHE_OK) {
        lethe_click_ranking got = {.n_removed = 77};
        lethe_alloc_fail_at(++n);
        e = lethe_click_rank(ctx, &how, &got);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        if (e == LETHE_OK)
            lethe_click_ranking_free(&got);
        else
            assert_int_equal(got.n_removed, 77);
    }
    assert_true(n > 15);
    for (n = 0, e = LETHE_ENOMEM; e != LETHE_OK;) {
        uint64_t edges = 77;
        lethe_alloc_fail_at(++n);
        e = lethe_click_edges(ctx, g, &edges);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_int_equal(edges, e == LETHE_OK ? 5 : 77);
    }
    assert_true(n > 5);
    lethe_click_graph_free(g);
    lethe_ctx_free(ctx);
}

static void can_be_stopped(void **state)
{
    static const lethe_click click[] = {{0, 0}, {1, 0}};
    lethe_ctx *ctx = new_ctx(1);
    lethe_click_ranking got = {.n_removed = 77};
    (void)state;
    lethe_click_graph *g = new_graph(click, 2, 2, 1);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_click_rank(ctx, &(lethe_click_ranking_options){.graph = g}, &got),
                     LETHE_ECANCEL);
    assert_int_equal(got.n_removed, 77);
    uint64_t edges = 77;
    assert_int_equal(lethe_click_edges(ctx, g, &edges), LETHE_ECANCEL);
    assert_int_equal(edges, 77);
    lethe_click_graph_free(g);
    lethe_ctx_free(ctx);
}

/* Query 300 shares URL 0 with 300 queries that are one class, and its hub, URL 2, with 5 others. */
static void a_class_of_many_queries(void **state)
{
    lethe_click click[612];
    size_t n = 0;
    (void)state;
    for (uint32_t q = 0; q < 300; q++) {
        click[n++] = (lethe_click){q, 0};
        click[n++] = (lethe_click){q, 1};
    }
    click[n++] = (lethe_click){300, 0};
    click[n++] = (lethe_click){300, 2};
    for (uint32_t q = 301; q < 306; q++) {
        click[n++] = (lethe_click){q, 2};
        click[n++] = (lethe_click){q, q - 298};
    }
    assert_int_equal(n, LETHE_COUNT(click));
    lethe_click_graph *g = new_graph(click, n, 306, 8);
    expect(&(lethe_click_ranking_options){.graph = g, .density = 1}, NULL,
           (const uint64_t[]){300 * 299 / 2 + 300 + 6 * 5 / 2}, 0);
    lethe_click_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_of_many_queries),
        cmocka_unit_test(what_is_not_joined_stays),
        cmocka_unit_test(every_query_on_one_url),
        cmocka_unit_test(components_go_in_one_order),
        cmocka_unit_test(huge_weights_are_told_apart),
        cmocka_unit_test(order_in_a_hub_changes_as_it_shrinks),
        cmocka_unit_test(stops_when_density_is_low_enough),
        cmocka_unit_test(a_hub_of_many_classes),
        cmocka_unit_test(batches_and_threads_do_not_matter),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
