/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "method/disconnect/click_ranking.h"
#include "model/knowledge/click_graph.h"

static lethe_click_graph *make(const lethe_click *click, size_t n, uint32_t queries, uint32_t urls)
{
    lethe_click_graph *g = NULL;
    assert_int_equal(lethe_click_graph_new(click, n, queries, urls, &g), LETHE_OK);
    assert_int_equal(g->n, queries);
    assert_int_equal(g->n_urls, urls);
    return g;
}

static void expect_list(const uint32_t *at, const uint64_t *start, uint32_t i, const uint32_t *want,
                        size_t n)
{
    assert_int_equal(start[i + 1] - start[i], n);
    for (size_t k = 0; k < n; k++)
        assert_int_equal(at[start[i] + k], want[k]);
}
#define LIST(...) (const uint32_t[]){__VA_ARGS__}, LETHE_COUNT(((const uint32_t[]){__VA_ARGS__}))

/* Clicks in any order, some twice. */
static const lethe_click some[] = {{4, 2}, {0, 1}, {3, 0}, {4, 0}, {0, 1}, {2, 2},
                                   {1, 1}, {2, 0}, {4, 2}, {3, 3}, {3, 0}, {0, 1}};

static void queries_with_the_same_urls_are_a_class(void **state)
{
    static const uint64_t all[] = {0, 7};
    (void)state;
    lethe_click_graph *g = make(some, LETHE_COUNT(some), 7, 5);
    assert_int_equal(g->n_classes, 4); // in the order in which they come: 1; 0 2; 0 3; none
    expect_list(g->class_of, all, 0, LIST(0, 0, 1, 2, 1, 3, 3));
    expect_list(g->member, g->member_start, 0, LIST(0, 1));
    expect_list(g->member, g->member_start, 1, LIST(2, 4));
    expect_list(g->member, g->member_start, 2, LIST(3));
    expect_list(g->member, g->member_start, 3, LIST(5, 6));
    lethe_click_graph_free(g);
}

static void urls_of_a_class_and_classes_of_a_url_ascend(void **state)
{
    (void)state;
    lethe_click_graph *g = make(some, LETHE_COUNT(some), 7, 5);
    expect_list(g->url, g->url_start, 0, LIST(1));
    expect_list(g->url, g->url_start, 1, LIST(0, 2));
    expect_list(g->url, g->url_start, 2, LIST(0, 3));
    expect_list(g->url, g->url_start, 3, NULL, 0);
    expect_list(g->class_of_url, g->class_start, 0, LIST(1, 2));
    expect_list(g->class_of_url, g->class_start, 1, LIST(0));
    expect_list(g->class_of_url, g->class_start, 2, LIST(1));
    expect_list(g->class_of_url, g->class_start, 3, LIST(2));
    expect_list(g->class_of_url, g->class_start, 4, NULL, 0); // that nobody clicked
    lethe_click_graph_free(g);
}

static void nothing_is_a_graph_too(void **state)
{
    (void)state;
    lethe_click_graph *g = make(NULL, 0, 0, 0);
    assert_int_equal(g->n_classes, 0);
    assert_int_equal(g->url_start[0] + g->class_start[0] + g->member_start[0], 0);
    lethe_click_graph_free(g);
    g = make(NULL, 0, 3, 2); // no clicks
    assert_int_equal(g->n_classes, 1);
    expect_list(g->member, g->member_start, 0, LIST(0, 1, 2));
    expect_list(g->url, g->url_start, 0, NULL, 0);
    lethe_click_graph_free(g);
    lethe_click_graph_free(NULL);
}

static void one_url_for_all_is_one_class(void **state)
{
    enum { N = 1000 };
    lethe_click click[N];
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        click[i] = (lethe_click){N - 1 - i, 0};
    lethe_click_graph *g = make(click, N, N, 1);
    assert_int_equal(g->n_classes, 1);
    assert_int_equal(g->member_start[1], N);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(g->member[i], i);
    lethe_click_graph_free(g);
}

/* Every query has other URLs than the others: parts run out unless emptied ones are used again. */
static void every_query_may_be_a_class_of_its_own(void **state)
{
    enum { BITS = 8, N = 1 << BITS };
    lethe_click click[N * BITS];
    size_t n = 0;
    (void)state;
    for (uint32_t q = 0; q < N; q++)
        for (uint32_t u = 0; u < BITS; u++)
            if (q >> u & 1) click[n++] = (lethe_click){q, u};
    lethe_click_graph *g = make(click, n, N, BITS);
    assert_int_equal(g->n_classes, N);
    assert_int_equal(g->url_start[N], n);
    for (uint32_t q = 0; q < N; q++) {
        uint32_t has = 0;
        for (uint64_t i = g->url_start[q]; i < g->url_start[q + 1]; i++)
            has |= 1u << g->url[i];
        assert_int_equal(g->class_of[q], q);
        assert_int_equal(has, q);
    }
    lethe_click_graph_free(g);
}

/* Random clicks against the sets they make. */
static void classes_are_those_of_the_sets(void **state)
{
    enum { N = 40, URLS = 6, CASES = 500 };
    uint32_t seed = 1;
    (void)state;
    for (int n_case = 0; n_case < CASES; n_case++) {
        lethe_click click[90];
        uint32_t has[N] = {0};
        for (size_t i = 0; i < LETHE_COUNT(click); i++) {
            seed = seed * 1664525u + 1013904223u;
            click[i] = (lethe_click){(seed >> 16) % N, (seed >> 8) % URLS};
            has[click[i].query] |= 1u << click[i].url;
        }
        lethe_click_graph *g = make(click, LETHE_COUNT(click), N, URLS);
        uint32_t n_classes = 0;
        for (uint32_t q = 0; q < N; q++) {
            uint32_t c = g->class_of[q], urls = 0, first = 0;
            while (has[first] != has[q])
                first++;
            for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
                urls |= 1u << g->url[i];
            if (urls != has[q]) fail_msg("case %d: query %u has other URLs", n_case, q);
            if (first == q)
                assert_int_equal(c, n_classes++);
            else
                assert_int_equal(c, g->class_of[first]);
        }
        assert_int_equal(n_classes, g->n_classes);
        lethe_click_graph_free(g);
    }
}

static void density_is_the_share_of_pairs(void **state)
{
    (void)state;
    assert_true(lethe_click_density(0, 0) == 0 && lethe_click_density(0, 1) == 0);
    assert_true(lethe_click_density(15, 8) == 15.0 / 28);
    assert_true(lethe_click_density(3, 5) == 0.3); // what is read from "0.3"
    assert_true(lethe_click_density(1, 2) == 1);
    uint64_t n = UINT32_MAX;
    assert_true(lethe_click_density(n * (n - 1) / 2, n) == 1);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    (void)state;
    while (e != LETHE_OK) {
        lethe_click_graph *g = NULL;
        lethe_alloc_fail_at(++n);
        e = lethe_click_graph_new(some, LETHE_COUNT(some), 7, 5, &g);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_true((e == LETHE_OK) == (g != NULL));
        lethe_click_graph_free(g);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_with_the_same_urls_are_a_class),
        cmocka_unit_test(urls_of_a_class_and_classes_of_a_url_ascend),
        cmocka_unit_test(nothing_is_a_graph_too),
        cmocka_unit_test(one_url_for_all_is_one_class),
        cmocka_unit_test(every_query_may_be_a_class_of_its_own),
        cmocka_unit_test(classes_are_those_of_the_sets),
        cmocka_unit_test(density_is_the_share_of_pairs),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
