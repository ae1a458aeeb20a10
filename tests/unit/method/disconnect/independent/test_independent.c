/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of independent.h, edge by edge. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/independent/independent.h"
#include "core/mem.h"
#include <stdlib.h>
#include <string.h>

static unsigned n_heard;
static char heard[256];

static void hear(void *user, const lethe_message *m)
{
    (void)user;
    n_heard++;
    strncpy(heard, m->text, sizeof heard - 1);
}

static lethe_ctx *context(unsigned threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = threads, .on_message = hear};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    n_heard = 0;
    return ctx;
}

/* --- logs that grow --- */

typedef struct log {
    lethe_click *click;
    size_t n_clicks, cap;
    uint32_t n, n_urls, n_cap;
    uint64_t *weight;
} log_of;

static uint32_t query(log_of *l, uint64_t weight)
{
    if (l->n == l->n_cap) {
        l->n_cap = 2 * l->n_cap + 64;
        l->weight = realloc(l->weight, l->n_cap * sizeof *l->weight);
        assert_non_null(l->weight);
    }
    l->weight[l->n] = weight;
    return l->n++;
}

static void click(log_of *l, uint32_t q, uint32_t url)
{
    if (l->n_clicks == l->cap) {
        l->cap = 2 * l->cap + 64;
        l->click = realloc(l->click, l->cap * sizeof *l->click);
        assert_non_null(l->click);
    }
    l->click[l->n_clicks++] = (lethe_click){q, url};
    if (url >= l->n_urls) l->n_urls = url + 1;
}

static void log_end(log_of *l)
{
    free(l->click);
    free(l->weight);
    *l = (log_of){0};
}

static lethe_click_graph *graph_of(const log_of *l)
{
    lethe_click *copy = malloc((l->n_clicks + 1) * sizeof *copy);
    lethe_click_graph *g = NULL;
    assert_non_null(copy);
    if (l->n_clicks > 0) memcpy(copy, l->click, l->n_clicks * sizeof *copy);
    assert_int_equal(lethe_click_graph_new(copy, l->n_clicks, l->n, l->n_urls, &g), LETHE_OK);
    free(copy);
    return g;
}

static lethe_independent find(const log_of *l, unsigned threads)
{
    lethe_independent s;
    lethe_ctx *ctx = context(threads);
    lethe_click_graph *g = graph_of(l);
    assert_int_equal(lethe_independent_find(ctx, g, l->weight, NULL, 0, &s), LETHE_OK);
    assert_int_equal(n_heard, 0);
    lethe_click_graph_free(g);
    lethe_ctx_free(ctx);
    return s;
}

/* `kept`: a letter a query, "x" if it is kept; the log is over then. */
static void expect(log_of *l, const char *kept, uint64_t components)
{
    lethe_independent s = find(l, 1);
    uint64_t sum = 0;
    assert_int_equal(strlen(kept), l->n);
    for (uint32_t q = 0; q < l->n; q++) {
        if (s.kept[q] != (kept[q] == 'x')) fail_msg("query %u of '%s'", q, kept);
        sum += s.kept[q] ? l->weight[q] : 0;
    }
    assert_int_equal(s.weight, sum);
    assert_int_equal(s.components, components);
    assert_int_equal(s.exact, components);
    lethe_independent_free(&s);
    assert_null(s.kept);
    log_end(l);
}

static void nothing_at_all(void **state)
{
    (void)state;
    log_of l = {0};
    expect(&l, "", 0);
    l.n_urls = 3; // URLs that nobody clicked
    expect(&l, "", 0);
}

static void without_clicks_all_are_kept(void **state)
{
    (void)state;
    log_of l = {0};
    query(&l, 5);
    query(&l, 0);
    query(&l, 5);
    expect(&l, "xxx", 0);
}

static void alone_on_its_urls_is_no_component(void **state)
{
    (void)state;
    log_of l = {0};
    click(&l, query(&l, 1), 1);
    click(&l, query(&l, 0), 0);
    click(&l, 0, 3);
    query(&l, 9);
    expect(&l, "xxx", 0);
}

static void one_url_has_its_heaviest(void **state)
{
    (void)state;
    log_of l = {0};
    for (uint64_t i = 0; i < 6; i++)
        click(&l, query(&l, i == 3 || i == 4 ? 7 : i), 0);
    query(&l, 1);
    expect(&l, "...x..x", 1);
}

static void one_url_one_class_has_its_first(void **state)
{
    (void)state;
    log_of l = {0};
    for (uint64_t i = 0; i < 3; i++) {
        uint32_t q = query(&l, 4);
        click(&l, q, 0);
        click(&l, q, 1);
    }
    expect(&l, "x..", 1);
}

/* The middle one is outweighed by both ends together, though by none alone. */
static void two_for_one(void **state)
{
    (void)state;
    log_of l = {0};
    for (uint32_t q = 0; q < 3; q++)
        query(&l, q == 1 ? 5 : 3);
    click(&l, 0, 0);
    click(&l, 1, 0);
    click(&l, 1, 1);
    click(&l, 2, 1);
    expect(&l, "x.x", 1);
}

static void one_for_two(void **state)
{
    (void)state;
    log_of l = {0};
    for (uint32_t q = 0; q < 3; q++)
        query(&l, q == 1 ? 7 : 3);
    click(&l, 0, 0);
    click(&l, 1, 0);
    click(&l, 1, 1);
    click(&l, 2, 1);
    expect(&l, ".x.", 1);
}

/* A ring of five whose weights leave one answer, beside a pair of its own. */
static void a_ring(void **state)
{
    (void)state;
    static const uint64_t weight[] = {10, 9, 10, 9, 12};
    log_of l = {0};
    for (uint32_t q = 0; q < 5; q++) {
        query(&l, weight[q]);
        click(&l, q, q);
        click(&l, q, (q + 1) % 5);
    }
    click(&l, query(&l, 1), 7);
    click(&l, query(&l, 2), 7);
    expect(&l, "..x.x.x", 2);
}

/* Nothing is gained by them, and nothing is wrong with them. */
static void what_weighs_nothing_is_kept_where_it_fits(void **state)
{
    (void)state;
    log_of l = {0};
    for (uint32_t q = 0; q < 4; q++) // two on each of two URLs
        click(&l, query(&l, q == 2 ? 1 : 0), q / 2);
    expect(&l, "x.x.", 2);
    for (uint32_t q = 0; q < 3; q++)
        click(&l, query(&l, 0), 0);
    expect(&l, "x..", 1);
}

static void weights_up_to_what_can_be_summed(void **state)
{
    (void)state;
    log_of l = {0};
    click(&l, query(&l, (uint64_t)INT64_MAX - 1), 0);
    click(&l, query(&l, 1), 0);
    expect(&l, "x.", 1);
    static const uint64_t over[][2] = {
        {INT64_MAX, 1}, {UINT64_MAX, 0}, {UINT64_MAX, UINT64_MAX}, {(uint64_t)1 << 63, 0}};
    for (size_t i = 0; i < LETHE_COUNT(over); i++) {
        lethe_independent s = {.weight = 77};
        lethe_ctx *ctx = context(1);
        query(&l, over[i][0]);
        click(&l, query(&l, over[i][1]), 0);
        lethe_click_graph *g = graph_of(&l);
        assert_int_equal(lethe_independent_find(ctx, g, l.weight, NULL, 0, &s), LETHE_EINPUT);
        assert_int_equal(n_heard, 1);
        assert_non_null(strstr(heard, "2^63"));
        assert_int_equal(s.weight, 77);
        lethe_click_graph_free(g);
        lethe_ctx_free(ctx);
        log_end(&l);
    }
}

/* 100,000 queries on one URL, each with a URL that it shares with one other: 5,000,000,000 edges.
 * Of those on the hub one stays, the others' partners all do. */
static void a_hub(void **state)
{
    (void)state;
    enum { HUB = 100000 };
    log_of l = {0};
    for (uint32_t q = 0; q < HUB; q++) {
        query(&l, 2);
        click(&l, q, 0);
        click(&l, q, q + 1);
    }
    for (uint32_t q = 0; q < HUB; q++)
        click(&l, query(&l, 1), q + 1);
    lethe_independent s = find(&l, 2);
    assert_int_equal(s.weight, HUB + 1);
    assert_int_equal(s.components, 1);
    assert_int_equal(s.exact, 1);
    lethe_independent_free(&s);
    log_end(&l);
}

/* A path: by the two sums, with and without the last one. */
static void a_long_path(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    log_of l = {0};
    uint64_t with = 0, without = 0;
    for (uint32_t q = 0; q < LONG; q++) {
        uint64_t w = 1 + (q * 2654435761u >> 24), best = LETHE_MAX(with, without);
        with = without + w;
        without = best;
        query(&l, w);
        click(&l, q, q);
        click(&l, q, q + 1);
    }
    lethe_independent s = find(&l, 1);
    assert_int_equal(s.weight, LETHE_MAX(with, without));
    assert_int_equal(s.components, 1);
    assert_int_equal(s.exact, 1);
    lethe_independent_free(&s);
    log_end(&l);
}

/* --- where search is all that is left --- */

/* Queries of three URLs of n_urls, at random: even weights, so that little is certain. */
static void tangle(log_of *l, uint32_t first_url, uint32_t n_urls, uint32_t n)
{
    uint64_t x = first_url + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = query(l, 100 + i % 17);
        for (uint32_t k = 0; k < 3; k++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            click(l, q, first_url + (uint32_t)(x >> 33) % n_urls);
        }
    }
}

static void tangles(log_of *l)
{
    tangle(l, 0, 300, 500);
    tangle(l, 300, 60, 100);
    for (uint32_t i = 0; i < 20; i++)
        tangle(l, 400 + 20 * i, 20, 30);
}

static void what_is_not_certain_is_not_said_to_be(void **state)
{
    (void)state;
    log_of l = {0};
    tangles(&l);
    lethe_independent s = find(&l, 1);
    assert_int_equal(s.components, 22);
    assert_true(s.exact >= 20 && s.exact < 22);
    lethe_independent_free(&s);
    log_end(&l);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    log_of l = {0};
    tangles(&l);
    lethe_independent one = find(&l, 1);
    for (unsigned threads = 2; threads <= 7; threads += 5) {
        lethe_independent s = find(&l, threads);
        assert_memory_equal(one.kept, s.kept, l.n);
        assert_int_equal(one.weight, s.weight);
        assert_int_equal(one.exact, s.exact);
        lethe_independent_free(&s);
    }
    lethe_independent_free(&one);
    log_end(&l);
}

/* A tangle, and besides a set that weighs 100 a URL, as no other query does: it is the heaviest,
 * and found if it is given.  The last of its queries has a lighter twin, which is given for it. */
static void a_start_is_never_lost(void **state)
{
    (void)state;
    enum { URLS = 600 };
    log_of l = {0};
    tangle(&l, 0, URLS, 1000);
    for (uint32_t q = 0; q < l.n; q++)
        l.weight[q] = 90 + q % 10; // at least one URL each
    uint32_t first = l.n;
    for (uint32_t u = 0; u < URLS; u += 3) {
        uint32_t q = query(&l, 300);
        for (uint32_t k = 0; k < 3; k++)
            click(&l, q, u + k);
    }
    uint32_t twin = query(&l, 299);
    for (uint32_t k = 0; k < 3; k++)
        click(&l, twin, URLS - 3 + k);
    uint8_t *kept[2] = {calloc(l.n, 1), calloc(l.n, 1)};
    assert_true(kept[0] && kept[1]);
    kept[0][0] = 1;
    for (uint32_t q = first; q < l.n; q++)
        kept[1][q] = q != twin - 1 ? 255 : 0; // anything but 0
    lethe_ctx *ctx = context(2);
    lethe_click_graph *g = graph_of(&l);
    lethe_independent s;
    const uint8_t *start[] = {kept[0], kept[1]};
    assert_int_equal(lethe_independent_find(ctx, g, l.weight, start, 2, &s), LETHE_OK);
    assert_int_equal(s.weight, 100 * URLS);
    assert_int_equal(s.kept[first], 1);
    assert_int_equal(s.kept[twin], 0);
    assert_int_equal(s.kept[twin - 1], 1);
    assert_int_equal(kept[1][first], 255);
    lethe_independent_free(&s);
    lethe_click_graph_free(g);
    lethe_ctx_free(ctx);
    free(kept[0]);
    free(kept[1]);
    log_end(&l);
}

/* --- what goes wrong --- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    log_of l = {0};
    tangle(&l, 0, 60, 90);
    tangle(&l, 60, 20, 30);
    uint8_t *kept = calloc(l.n, 1);
    assert_non_null(kept);
    kept[2] = 1;
    const uint8_t *start[] = {kept};
    lethe_ctx *ctx = context(1);
    lethe_click_graph *g = graph_of(&l);
    lethe_independent s = {.weight = 77};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_alloc_fail_at(++n);
        e = lethe_independent_find(ctx, g, l.weight, start, 1, &s);
        lethe_alloc_fail_at(0);
        assert_int_equal(n_heard, 0);
        if (e != LETHE_OK) assert_int_equal(s.weight, 77);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 40);
    assert_int_equal(s.components, 2);
    lethe_independent_free(&s);
    lethe_click_graph_free(g);
    lethe_ctx_free(ctx);
    free(kept);
    log_end(&l);
}

static void cancelled_gives_nothing(void **state)
{
    (void)state;
    log_of l = {0};
    tangles(&l);
    lethe_ctx *ctx = context(2);
    lethe_click_graph *g = graph_of(&l);
    lethe_independent s = {.weight = 77};
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_independent_find(ctx, g, l.weight, NULL, 0, &s), LETHE_ECANCEL);
    assert_int_equal(s.weight, 77);
    lethe_click_graph_free(g);
    lethe_ctx_free(ctx);
    log_end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(without_clicks_all_are_kept),
        cmocka_unit_test(alone_on_its_urls_is_no_component),
        cmocka_unit_test(one_url_has_its_heaviest),
        cmocka_unit_test(one_url_one_class_has_its_first),
        cmocka_unit_test(two_for_one),
        cmocka_unit_test(one_for_two),
        cmocka_unit_test(a_ring),
        cmocka_unit_test(what_weighs_nothing_is_kept_where_it_fits),
        cmocka_unit_test(weights_up_to_what_can_be_summed),
        cmocka_unit_test(a_hub),
        cmocka_unit_test(a_long_path),
        cmocka_unit_test(what_is_not_certain_is_not_said_to_be),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(a_start_is_never_lost),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cancelled_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
