/* SPDX-License-Identifier: Apache-2.0 */
/* MM on small sets, drawn by a seed, against the definitions: all combinations of items. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/itemset/moles.h"
#include "seeds.h"

enum { ITEMS = 10, SETS = 24, MARKS = 3 };

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

/* Items and sensitive items of a set are bits. */
typedef struct example {
    uint32_t n_items, items[SETS], marks[SETS];
    size_t n;
    lethe_moles_coherence c;
    lethe_records r;
    uint64_t start[SETS + 1], mark_start[SETS + 1];
    uint32_t item[SETS * ITEMS], mark[SETS * MARKS];
} example;

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

static void records_make(example *x)
{
    lethe_dict *marks = lethe_dict_new();
    for (uint32_t s = 0, id; s < MARKS; s++)
        assert_int_equal(lethe_dict_add(marks, (lethe_str){&"xyz"[s], 1}, &id), LETHE_OK);
    for (size_t i = 0; i < x->n; i++) {
        x->start[i + 1] = x->start[i];
        x->mark_start[i + 1] = x->mark_start[i];
        for (uint32_t v = 0; v < x->n_items; v++)
            if (x->items[i] >> v & 1) x->item[x->start[i + 1]++] = v;
        for (uint32_t s = 0; s < MARKS; s++)
            if (x->marks[i] >> s & 1) x->mark[x->mark_start[i + 1]++] = s;
    }
    x->r = (lethe_records){.n = x->n,
                           .start = x->start,
                           .item = x->item,
                           .marks = marks,
                           .mark_start = x->mark_start,
                           .mark = x->mark};
}

static void example_draw(uint64_t seed, example *x)
{
    static const double h[] = {1, 1, 0.9, 0.75, 2.0 / 3, 0.5, 0.4, 0.29};
    *x = (example){.n_items = 1 + draw(&seed, ITEMS), .n = draw(&seed, SETS + 1)};
    uint32_t dense = 1 + draw(&seed, 4), marked = 1 + draw(&seed, 6), equal = draw(&seed, 3) == 0;
    for (size_t i = 0; i < x->n; i++) {
        for (uint32_t v = 0; v < x->n_items; v++)
            if (draw(&seed, dense + 1) == 0) x->items[i] |= 1u << v;
        for (uint32_t s = 0; s < MARKS; s++)
            if (draw(&seed, marked + 1) == 0) x->marks[i] |= 1u << s;
        if (equal && i > 0 && draw(&seed, 2)) x->items[i] = x->items[i - 1];
    }
    x->c = (lethe_moles_coherence){h[draw(&seed, LETHE_COUNT(h))], 1 + draw(&seed, 5),
                                   1 + draw(&seed, 5)};
    records_make(x);
}

static void example_free(example *x) { lethe_dict_free(x->r.marks); }

/* --- by the definitions --- */

static uint64_t support(const example *x, uint32_t set, uint64_t *most)
{
    uint64_t n = 0, with[MARKS] = {0};
    for (size_t i = 0; i < x->n; i++) {
        if ((x->items[i] & set) != set) continue;
        n++;
        for (uint32_t s = 0; s < MARKS; s++)
            with[s] += x->marks[i] >> s & 1;
    }
    *most = LETHE_MAX(with[0], LETHE_MAX(with[1], with[2]));
    return n;
}

static bool is_mole(const example *x, uint32_t set)
{
    uint64_t most, n = support(x, set, &most);
    if ((uint32_t)__builtin_popcount(set) > x->c.p || n == 0) return false;
    return n < x->c.k || (double)most / (double)n > x->c.h;
}

/* Suppressed items; `minimal` is their list. */
static uint32_t suppress(const example *x, uint32_t *minimal, size_t *n_minimal)
{
    uint32_t out = 0;
    size_t n = 0;
    for (uint32_t set = 1; set < 1u << x->n_items; set++) {
        bool is = is_mole(x, set);
        for (uint32_t part = (set - 1) & set; part && is; part = (part - 1) & set)
            is = !is_mole(x, part);
        if (is) minimal[n++] = set;
        if (is && __builtin_popcount(set) == 1) out |= set;
    }
    *n_minimal = n;
    for (;;) {
        uint64_t best_count = 0, best_support = 1;
        uint32_t best = 0;
        for (uint32_t v = 0; v < x->n_items; v++) {
            uint64_t count = 0, most, sets = support(x, 1u << v, &most);
            for (size_t i = 0; i < n; i++)
                count += (minimal[i] >> v & 1) && (minimal[i] & out) == 0;
            if (count * best_support > best_count * sets) {
                best = v;
                best_count = count;
                best_support = sets;
            }
        }
        if (best_count == 0) return out;
        out |= 1u << best;
    }
}

static struct {
    size_t few, common, none, alone, larger, told;
} met;

static void expect(const example *x, uint64_t seed)
{
    static uint32_t minimal[1 << ITEMS];
    size_t n_minimal = 0;
    uint64_t most, n = support(x, 0, &most);
    bool few = n<x->c.k, common = n> 0 && (double)most / (double)n > x->c.h;
    uint32_t want = few || common ? 0 : suppress(x, minimal, &n_minimal);
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++) {
        lethe_arena *a = lethe_arena_new();
        lethe_moles got;
        uint32_t out = 0;
        uint64_t places = 0, ignored;
        assert_int_equal(lethe_moles_suppress(ctx[i], &x->r, x->n_items, &x->c, a, &got), LETHE_OK);
        for (uint32_t v = 0; v < x->n_items; v++)
            if (got.suppressed[v]) {
                out |= 1u << v;
                places += support(x, 1u << v, &ignored);
            }
        if (out != want || got.few != few || (got.common != LETHE_NONE) != common ||
            got.minimal != n_minimal)
            fail_msg("seed %llu: %x is left out, not %x; %zu minimal moles, not %zu",
                     (unsigned long long)seed, out, want, (size_t)got.minimal, n_minimal);
        assert_int_equal(got.n_suppressed, __builtin_popcount(want));
        assert_int_equal(got.occurrences, places);
        if (common) assert_int_equal(got.common_n, most);
        lethe_arena_free(a);
    }
    for (uint32_t set = 1; !few && !common && set < 1u << x->n_items; set++)
        if ((set & want) == 0 && is_mole(x, set))
            fail_msg("seed %llu: %x is a mole still", (unsigned long long)seed, set);
    met.few += few;
    met.common += common;
    met.none += !few && !common && n_minimal == 0;
    for (size_t i = 0; i < n_minimal; i++) {
        int size = __builtin_popcount(minimal[i]);
        met.alone += size == 1;
        met.larger += size > 2;
        met.told += support(x, minimal[i], &most) >= x->c.k;
    }
}

static void what_is_left_out_is_by_the_definitions(void **state)
{
    (void)state;
    size_t n = seeds(10000);
    for (uint64_t seed = 1; seed <= n; seed++) {
        static example x;
        example_draw(seed, &x);
        expect(&x, seed);
        example_free(&x);
    }
    assert_true(met.few > n / 50 && met.common > n / 50 && met.none > n / 100);
    assert_true(met.alone > n / 20 && met.larger > n / 20 && met.told > n / 20);
}

/* The greatest ratio; of equal ones the lowest. */
static void order_is_by_ratio_and_number(void **state)
{
    (void)state;
    static example x;
    lethe_moles got;
    lethe_arena *a = lethe_arena_new();
    /* k = 2: {0,1} and {2,3} are in one set each, all items in three but 3, which is in two */
    static const uint32_t sets[] = {3, 12, 1, 1, 2, 2, 4, 4, 8};
    x = (example){.n_items = 4, .n = LETHE_COUNT(sets), .c = {1, 2, 2}};
    memcpy(x.items, sets, sizeof sets);
    records_make(&x);
    assert_int_equal(lethe_moles_suppress(ctx[0], &x.r, 4, &x.c, a, &got), LETHE_OK);
    assert_memory_equal(got.suppressed, ((uint8_t[]){1, 0, 0, 1}), 4);
    assert_int_equal(got.minimal, 2);
    assert_int_equal(got.occurrences, 5);
    example_free(&x);
    lethe_arena_free(a);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static example x;
    uint64_t seed = 1, n = 0;
    do {
        if (seed > 1) example_free(&x);
        example_draw(seed++, &x);
    } while (x.n < 16 || x.n_items < 8);
    x.c = (lethe_moles_coherence){0.9, 2, 4};
    for (size_t i = 0; i < x.n; i++)
        x.mark_start[i + 1] = 0; // no sensitive item is too common
    for (lethe_err e = LETHE_ENOMEM; e != LETHE_OK;) {
        lethe_moles got;
        lethe_arena *a = lethe_arena_new();
        lethe_alloc_fail_at(++n);
        e = lethe_moles_suppress(ctx[0], &x.r, x.n_items, &x.c, a, &got);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        if (e == LETHE_OK) assert_true(got.minimal > 1);
        lethe_arena_free(a);
    }
    assert_true(n > 8);
    example_free(&x);
}

/* Few places of pairs are all looked at: what is estimated is the number of rare pairs then. */
static void need_counts_rare_pairs(void **state)
{
    (void)state;
    size_t n = seeds(2000), met_some = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        static example x;
        example_draw(seed, &x);
        x.c.p = 2;
        const lethe_sizes s = {.n = x.n, .parts = x.start[x.n]};
        uint64_t places = 0, rare = 0, most, both;
        for (uint32_t b = 0; b < x.n_items; b++)
            for (uint32_t a = 0; a < b && support(&x, 1u << b, &most) >= x.c.k; a++) {
                if (support(&x, 1u << a, &most) < x.c.k) continue;
                both = support(&x, 1u << a | 1u << b, &most);
                places += both;
                rare += both > 0 && both < x.c.k;
            }
        uint64_t got = lethe_moles_need(&x.r, x.n_items, &x.c, &s);
        x.c.k = 1; // no pair is rare
        uint64_t moles = got - lethe_moles_need(&x.r, x.n_items, &x.c, &s);
        assert_int_equal(moles % 60, 0);
        if (places < 96) assert_int_equal(moles / 60, rare);
        met_some += places < 96 && rare > 0;
        assert_true(moles / 60 <= places + places / 8);
        example_free(&x);
    }
    assert_true(met_some > n / 20);
}

static void nothing_is_left_out_of_nothing(void **state)
{
    (void)state;
    static example x;
    lethe_moles got;
    lethe_arena *a = lethe_arena_new();
    x = (example){.n_items = 1, .n = 3, .c = {1, 2, 3}};
    records_make(&x);
    assert_int_equal(lethe_moles_suppress(ctx[0], &x.r, 1, &x.c, a, &got), LETHE_OK);
    assert_true(!got.few && got.common == LETHE_NONE && got.n_suppressed == 0);
    example_free(&x);
    x = (example){.n_items = 1, .n = 0, .c = {1, 1, 1}};
    records_make(&x);
    assert_int_equal(lethe_moles_suppress(ctx[0], &x.r, 1, &x.c, a, &got), LETHE_OK);
    assert_true(got.few);
    example_free(&x);
    lethe_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_by_the_definitions),
        cmocka_unit_test(order_is_by_ratio_and_number),
        cmocka_unit_test(lack_of_memory_is_said),
        cmocka_unit_test(need_counts_rare_pairs),
        cmocka_unit_test(nothing_is_left_out_of_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
