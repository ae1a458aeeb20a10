/* SPDX-License-Identifier: Apache-2.0 */
/* Heaviest independent sets of thousands of random click graphs: against all sets of queries where
 * there are few, against branching without bounds where there are some more, and against a weight
 * that is known by construction where there are many; independent, no lighter than any start, the
 * same for any number of threads. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/independent/independent.h"
#include "core/mem.h"
#include "seeds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 14, MIDDLE = 60, LARGE = 3000, STARTS = 4 };

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

/* --- random logs --- */

typedef struct log {
    uint32_t n, n_urls;
    lethe_click *click;
    size_t n_clicks;
    uint64_t weight[LARGE];
    uint8_t start[STARTS][LARGE];
} log_of;

static log_of random_log;
static lethe_click room[LARGE * 8];

static void click(log_of *l, uint32_t q, uint32_t u)
{
    assert_true(l->n_clicks < LETHE_COUNT(room));
    l->click[l->n_clicks++] = (lethe_click){q, u};
}

static uint64_t weight_drawn(uint64_t *seed, uint32_t kind)
{
    switch (kind) {
    case 0:
        return 1;
    case 1:
        return below(seed, 4); // often 0, often the same
    case 2:
        return 1 + below(seed, 100);
    default: // a few queries are most of a log
        return 1 + ((uint64_t)1 << below(seed, 56)) / (1 + below(seed, 50));
    }
}

/* `n` queries; URLs by a chance that falls, so that there are hubs and rare ones. */
static log_of *make(uint64_t *seed, uint32_t n, uint32_t n_urls, uint32_t most)
{
    log_of *l = &random_log;
    uint32_t kind = below(seed, 4), skew = below(seed, 3);
    *l = (log_of){.n = n, .n_urls = n_urls, .click = room};
    for (uint32_t q = 0; q < n; q++) {
        uint32_t k = below(seed, 12) == 0 ? 0 : 1 + below(seed, most);
        l->weight[q] = weight_drawn(seed, kind);
        for (uint32_t i = 0; i < k; i++) {
            uint32_t u = below(seed, n_urls);
            for (uint32_t s = 0; s < skew; s++)
                u = below(seed, u + 1);
            click(l, q, u);
        }
    }
    return l;
}

static lethe_click_graph *graph_of(const log_of *l)
{
    lethe_click copy[LETHE_COUNT(room)];
    lethe_click_graph *g = NULL;
    memcpy(copy, l->click, l->n_clicks * sizeof *copy);
    assert_int_equal(lethe_click_graph_new(copy, l->n_clicks, l->n, l->n_urls, &g), LETHE_OK);
    return g;
}

/* --- the definition --- */

static bool joined(const log_of *l, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->n_clicks; i++)
        for (size_t k = 0; k < l->n_clicks && l->click[i].query == a; k++)
            if (l->click[k].query == b && l->click[k].url == l->click[i].url) return true;
    return false;
}

static void neighbours(const log_of *l, uint64_t *near)
{
    for (uint32_t a = 0; a < l->n; a++) {
        near[a] = 0;
        for (uint32_t b = 0; b < l->n; b++)
            if (a != b && joined(l, a, b)) near[a] |= (uint64_t)1 << b;
    }
}

static uint64_t all_sets(const log_of *l, const uint64_t *near)
{
    uint64_t best = 0;
    for (uint64_t set = 0; set < (uint64_t)1 << l->n; set++) {
        uint64_t sum = 0;
        bool good = true;
        for (uint32_t q = 0; q < l->n && good; q++) {
            if (!(set >> q & 1)) continue;
            sum += l->weight[q];
            good = (set & near[q]) == 0;
        }
        if (good && sum > best) best = sum;
    }
    return best;
}

/* With a query and without it: of the one that is joined to most, until none is joined to any. */
static uint64_t branching(const log_of *l, const uint64_t *near, uint64_t left)
{
    uint32_t top = 0;
    int degree = 0;
    uint64_t sum = 0;
    for (uint32_t q = 0; q < l->n; q++) {
        if (!(left >> q & 1)) continue;
        int d = __builtin_popcountll(near[q] & left);
        sum += l->weight[q];
        if (d <= degree) continue;
        degree = d;
        top = q;
    }
    if (degree == 0) return sum;
    left &= ~((uint64_t)1 << top);
    uint64_t without = branching(l, near, left);
    uint64_t with = l->weight[top] + branching(l, near, left & ~near[top]);
    return LETHE_MAX(with, without);
}

/* Components with an edge, by colouring. */
static uint64_t components_of(const log_of *l, const uint64_t *near)
{
    uint64_t seen = 0, n = 0;
    for (uint32_t q = 0; q < l->n; q++) {
        if (seen >> q & 1 || near[q] == 0) continue;
        uint64_t part = (uint64_t)1 << q, was = 0;
        while (part != was) {
            was = part;
            for (uint32_t x = 0; x < l->n; x++)
                if (was >> x & 1) part |= near[x];
        }
        seen |= part;
        n++;
    }
    return n;
}

/* Clicks of kept queries, each URL once for each query: none twice; nothing could be added. */
static void expect_independent(uint64_t seed, const log_of *l, const lethe_independent *s)
{
    static uint32_t holder[LARGE * 8];
    static uint8_t blocked[LARGE];
    uint64_t sum = 0;
    memset(holder, 0, l->n_urls * sizeof *holder);
    memset(blocked, 0, l->n);
    for (size_t i = 0; i < l->n_clicks; i++) {
        uint32_t q = l->click[i].query, *h = &holder[l->click[i].url];
        if (!s->kept[q]) continue;
        if (*h && *h != q + 1)
            fail_msg("seed %llu: %u and %u are joined", (unsigned long long)seed, *h - 1, q);
        *h = q + 1;
    }
    for (size_t i = 0; i < l->n_clicks; i++)
        if (holder[l->click[i].url]) blocked[l->click[i].query] = 1;
    for (uint32_t q = 0; q < l->n; q++) {
        if (!s->kept[q] && !blocked[q])
            fail_msg("seed %llu: %u could be kept", (unsigned long long)seed, q);
        if (s->kept[q] > 1) fail_msg("seed %llu: kept is %u", (unsigned long long)seed, s->kept[q]);
        sum += s->kept[q] ? l->weight[q] : 0;
    }
    if (sum != s->weight) fail_msg("seed %llu: the weight is another", (unsigned long long)seed);
}

/* --- starts: queries as they come in some order, as long as they fit --- */

static uint64_t greedy(const log_of *l, uint64_t *seed, uint32_t way, uint8_t *kept)
{
    static uint32_t order[LARGE];
    static uint8_t taken[LARGE * 8];
    uint64_t sum = 0;
    memset(taken, 0, l->n_urls);
    memset(kept, 0, l->n);
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t k = way == 0 ? below(seed, i + 1) : i;
        while (way == 1 && k > 0 && l->weight[order[k - 1]] < l->weight[i])
            k--;
        memmove(order + k + 1, order + k, (i - k) * sizeof *order);
        order[k] = i;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t q = order[i];
        bool free = way != 3 || below(seed, 3) == 0; // now and then one that is not full
        for (size_t k = 0; k < l->n_clicks && free; k++)
            free = l->click[k].query != q || !taken[l->click[k].url];
        if (!free) continue;
        kept[q] = 1;
        sum += l->weight[q];
        for (size_t k = 0; k < l->n_clicks; k++)
            if (l->click[k].query == q) taken[l->click[k].url] = 1;
    }
    return sum;
}

/* --- all ways --- */

/* By 1, 2 and 7 threads, with starts (n of them): the same each time. */
static lethe_independent find(uint64_t seed, const log_of *l, const lethe_click_graph *g, size_t n)
{
    const uint8_t *start[STARTS];
    lethe_independent first = {0};
    for (size_t i = 0; i < n; i++)
        start[i] = l->start[n - 1 - i]; // the best of them is not always the last
    for (size_t i = 0; i < LETHE_COUNT(ctx); i++) {
        lethe_independent s;
        assert_int_equal(lethe_independent_find(ctx[i], g, l->weight, start, n, &s), LETHE_OK);
        expect_independent(seed, l, &s);
        if (i == 0) {
            first = s;
            continue;
        }
        if ((l->n > 0 && memcmp(first.kept, s.kept, l->n) != 0) || first.exact != s.exact ||
            first.components != s.components)
            fail_msg("seed %llu: threads make a difference", (unsigned long long)seed);
        lethe_independent_free(&s);
    }
    return first;
}

static uint64_t draw_starts(log_of *l, uint64_t *seed, size_t n)
{
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t w = greedy(l, seed, (uint32_t)i, l->start[i]);
        most = LETHE_MAX(most, w);
    }
    return most;
}

static void check(uint64_t seed, log_of *l, uint64_t *more, bool few)
{
    uint64_t near[MIDDLE];
    neighbours(l, near);
    uint64_t want = few ? all_sets(l, near)
                        : branching(l, near, l->n == 64 ? UINT64_MAX : ((uint64_t)1 << l->n) - 1);
    size_t n = below(more, STARTS + 1);
    uint64_t least = draw_starts(l, more, n);
    lethe_click_graph *g = graph_of(l);
    lethe_independent s = find(seed, l, g, n);
    assert_true(least <= want);
    if (s.weight != want)
        fail_msg("seed %llu: weight %llu, not %llu", (unsigned long long)seed,
                 (unsigned long long)s.weight, (unsigned long long)want);
    if (s.components != components_of(l, near) || s.exact != s.components)
        fail_msg("seed %llu: %llu components, %llu exact, not %llu", (unsigned long long)seed,
                 (unsigned long long)s.components, (unsigned long long)s.exact,
                 (unsigned long long)components_of(l, near));
    lethe_independent_free(&s);
    lethe_click_graph_free(g);
}

static void few_queries_against_all_sets(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(4000); seed++) {
        uint64_t more = seed;
        uint32_t n = below(&more, seed % 20 ? 11 : SMALL + 1);
        log_of *l = make(&more, n, 1 + below(&more, 12), 1 + below(&more, 4));
        check(seed, l, &more, true);
    }
}

/* Enough that reductions alone do not do it. */
static void some_queries_against_branching(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(1500); seed++) {
        uint64_t more = seed ^ 0x5a5a5a5a;
        uint32_t n = 12 + below(&more, 36);
        log_of *l = make(&more, n, n / 2 + below(&more, n), 2 + below(&more, 3));
        check(seed, l, &more, false);
    }
}

/* Every query of two or three URLs, all of about the same weight: the hard kind. */
static void even_weights_against_branching(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(150); seed++) {
        uint64_t more = seed ^ 0x77777777;
        log_of *l = make(&more, 0, 1, 1);
        l->n = 30 + below(&more, 21);
        l->n_urls = l->n / 2 + below(&more, l->n / 2);
        for (uint32_t q = 0; q < l->n; q++) {
            l->weight[q] = 100 + below(&more, 40);
            for (uint32_t i = 0, k = 2 + below(&more, 2); i < k; i++)
                click(l, q, below(&more, l->n_urls));
        }
        check(seed, l, &more, false);
    }
}

/* Queries in a tree, an edge a URL: by sums from the leaves up.  Reductions alone must do it. */
static void trees_against_sums(void **state)
{
    (void)state;
    static uint64_t with[LARGE], without[LARGE];
    static uint32_t up[LARGE];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t more = seed ^ 0x3333;
        uint32_t n = 2 + below(&more, LARGE - 2), deep = 1 + below(&more, 50);
        log_of *l = make(&more, n, n, 1);
        l->n_clicks = 0;
        for (uint32_t q = 1; q < n; q++) { // stars, and long paths
            up[q] = below(&more, 2) ? q - 1 - below(&more, LETHE_MIN(q, deep)) : below(&more, q);
            click(l, q, q);
            click(l, up[q], q);
        }
        memcpy(with, l->weight, n * sizeof *with);
        memset(without, 0, n * sizeof *without);
        for (uint32_t q = n - 1; q > 0; q--) {
            with[up[q]] += without[q];
            without[up[q]] += LETHE_MAX(with[q], without[q]);
        }
        lethe_click_graph *g = graph_of(l);
        lethe_independent s = find(seed, l, g, 0);
        if (s.weight != LETHE_MAX(with[0], without[0]) || s.components != 1 || s.exact != 1)
            fail_msg("seed %llu: tree of %u", (unsigned long long)seed, n);
        lethe_independent_free(&s);
        lethe_click_graph_free(g);
    }
}

/* Each URL has a price, and no query weighs more than its URLs: so no set weighs more than all
 * URLs. One does, of queries that the URLs are dealt out to; all others are a little lighter.  They
 * are numbered last, so that order does not give them away.  The third start is as heavy, of
 * queries that others make needless. */
static uint64_t plant(log_of *l, uint64_t *seed, uint32_t n_urls, uint32_t n_others)
{
    uint64_t price[LARGE], sum = 0;
    l->n_urls = n_urls;
    l->n = n_others;
    for (uint32_t u = 0; u < n_urls; u++)
        sum += price[u] = 5 + below(seed, 30);
    for (uint32_t q = 0; q < n_others; q++) {
        uint32_t k = 2 + below(seed, 3), u = below(seed, n_urls);
        l->weight[q] = 0;
        for (uint32_t i = 0; i < k; i++, u = (u + 1 + below(seed, n_urls / 8)) % n_urls) {
            l->weight[q] += price[u];
            click(l, q, u);
        }
        l->weight[q] -= 1 + below(seed, 4);
    }
    for (uint32_t u = 0; u < n_urls;) {
        uint32_t k = 2 + below(seed, 3), first = l->n, more = l->n_urls++;
        k = LETHE_MIN(k, n_urls - u);
        l->weight[first] = 0;
        for (uint32_t i = 0; i < k; i++, u++) {
            l->weight[first] += price[u];
            click(l, first, u);
            click(l, first + 1, u);
        }
        l->weight[first + 1] = l->weight[first]; // as good, but for one more URL,
        l->weight[first + 2] = 5;                // which is a third one's too
        click(l, first + 1, more);
        click(l, first + 2, more);
        click(l, first + 2, below(seed, n_urls));
        l->start[2][first + 1] = 1;
        l->n += 3;
    }
    return sum;
}

static void planted(uint64_t seed, uint32_t n_urls, uint32_t n_others, uint64_t *exact)
{
    uint64_t more = seed ^ 0x99;
    log_of *l = make(&more, 0, 1, 1);
    uint64_t want = plant(l, &more, n_urls, n_others), least = draw_starts(l, &more, 2);
    lethe_click_graph *g = graph_of(l);
    lethe_independent s = find(seed, l, g, 2), t = find(seed, l, g, 3);
    if (t.weight != want) fail_msg("seed %llu: a start is lost", (unsigned long long)seed);
    lethe_independent_free(&t);
    if (s.weight > want || s.weight < least || (s.exact == s.components && s.weight != want))
        fail_msg("seed %llu: weight %llu, start %llu, known %llu", (unsigned long long)seed,
                 (unsigned long long)s.weight, (unsigned long long)least, (unsigned long long)want);
    if (s.weight * 10 < want * 8) fail_msg("seed %llu: far from it", (unsigned long long)seed);
    *exact += s.exact == s.components;
    lethe_independent_free(&s);
    lethe_click_graph_free(g);
}

static void many_queries_against_what_is_known(void **state)
{
    (void)state;
    uint64_t exact = 0;
    for (uint64_t seed = 1; seed <= 30; seed++)
        planted(seed, 50, 60, &exact);
    assert_true(exact > 0);
    for (uint64_t seed = 1; seed <= 6; seed++)
        planted(seed, 700, 1400, &exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_queries_against_all_sets),
        cmocka_unit_test(some_queries_against_branching),
        cmocka_unit_test(even_weights_against_branching),
        cmocka_unit_test(trees_against_sums),
        cmocka_unit_test(many_queries_against_what_is_known),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
