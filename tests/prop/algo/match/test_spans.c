/* SPDX-License-Identifier: Apache-2.0 */
/* Published items that may stand for what is in several spans: how many can be matched, which set
 * has the most bits, and which item is left over?  Against trying everything. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/match/spans.h"
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 20000, ITEMS = 7, KNOWN = 7, SPANS = 4 };

static uint64_t mix(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)(mix(s) % n); }

typedef struct world {
    uint32_t n_known, n_items;
    lethe_item_span span[ITEMS][SPANS]; /* first and end alone */
    uint32_t n_spans[ITEMS], copies[ITEMS];
    double bits[ITEMS];
} world;

/* Spans of an item do not overlap, as those of subtrees side by side do not; they may be empty. */
static world draw(uint64_t *s)
{
    world w = {.n_known = below(s, KNOWN + 1), .n_items = below(s, ITEMS + 1)};
    uint32_t wide = 1 + below(s, 4);
    for (uint32_t i = 0; i < w.n_items; i++) {
        uint32_t at = 0;
        w.copies[i] = 1 + (below(s, 4) == 0 ? below(s, 3) : 0);
        w.bits[i] = below(s, 4);
        w.n_spans[i] = below(s, SPANS + 1);
        for (uint32_t k = 0; k < w.n_spans[i]; k++) {
            uint32_t from = at + below(s, w.n_known - at + 1);
            at = from + below(s, wide + 1);
            if (at > w.n_known) at = w.n_known;
            w.span[i][k] = (lethe_item_span){.first = from, .end = at};
        }
    }
    return w;
}

static bool may(const world *w, uint32_t item, uint32_t known)
{
    bool any = false;
    for (uint32_t k = 0; k < w->n_spans[item]; k++)
        any = any || (w->span[item][k].first <= known && known < w->span[item][k].end);
    return any;
}

typedef struct best {
    uint32_t n;
    double bits;
} best;

/* Every known item is stood for by nothing or by any that may; best by bits, and by number. */
static void try_all(const world *w, uint32_t known, uint32_t *left, best now, best *most,
                    best *most_bits)
{
    if (known == w->n_known) {
        if (now.n > most->n) *most = now;
        if (now.bits > most_bits->bits) *most_bits = now;
        return;
    }
    try_all(w, known + 1, left, now, most, most_bits);
    for (uint32_t i = 0; i < w->n_items; i++) {
        if (left[i] == 0 || !may(w, i, known)) continue;
        left[i]--;
        try_all(w, known + 1, left, (best){now.n + 1, now.bits + w->bits[i]}, most, most_bits);
        left[i]++;
    }
}

/* Every copy an item of its own, of no bits: which one is left over, or LETHE_NONE. */
static uint32_t left_over(lethe_spans *spans, const world *w, uint32_t *n_all)
{
    uint64_t n = 0;
    double bits = 0;
    *n_all = 0;
    lethe_spans_begin(spans);
    for (uint32_t i = 0; i < w->n_items; i++) {
        for (uint32_t c = 0; c < w->copies[i]; c++, ++*n_all) {
            for (uint32_t k = 0; k < w->n_spans[i]; k++) {
                lethe_item_span r = {*n_all, 1, w->span[i][k].first, w->span[i][k].end, 0};
                assert_int_equal(lethe_spans_put(spans, &r), LETHE_OK);
            }
        }
    }
    assert_int_equal(lethe_spans_match(spans, w->n_known, &n, &bits), LETHE_OK);
    uint32_t unmatched = lethe_spans_unmatched(spans, *n_all);
    assert_int_equal(unmatched == LETHE_NONE, n == *n_all);
    return unmatched;
}

static void as_trying_all(void **state)
{
    (void)state;
    lethe_spans spans = {0};
    unsigned all_matched = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t s = round * 0x2545f4914f6cdd1du, n = 0;
        world w = draw(&s);
        best most = {0}, most_bits = {0};
        double bits = 0;
        uint32_t left[ITEMS], n_all = 0;
        memcpy(left, w.copies, sizeof left);
        try_all(&w, 0, left, (best){0}, &most, &most_bits);
        lethe_spans_begin(&spans);
        for (uint32_t i = 0; i < w.n_items; i++) {
            for (uint32_t k = 0; k < w.n_spans[i]; k++) {
                lethe_item_span r = {i, w.copies[i], w.span[i][k].first, w.span[i][k].end,
                                     w.bits[i]};
                assert_int_equal(lethe_spans_put(&spans, &r), LETHE_OK);
            }
        }
        assert_int_equal(lethe_spans_match(&spans, w.n_known, &n, &bits), LETHE_OK);
        // the most items and the most bits are had at once
        if (n != most.n || fabs(bits - most_bits.bits) > 1e-9)
            fail_msg("seed %llu: %llu with %g bits, not %u with %g", (unsigned long long)round,
                     (unsigned long long)n, bits, most.n, most_bits.bits);
        uint32_t unmatched = left_over(&spans, &w, &n_all);
        if ((unmatched == LETHE_NONE) != (most.n == n_all) ||
            (unmatched != LETHE_NONE && unmatched >= n_all))
            fail_msg("seed %llu: %u is left, of %u", (unsigned long long)round, unmatched, n_all);
        all_matched += unmatched == LETHE_NONE && n_all > 1;
    }
    assert_in_range(all_matched, ROUNDS / 50, ROUNDS / 2);
    lethe_spans_free(&spans);
}

/* --- larger ones --- */

/* Item i may stand for i and i + 1, the last for itself alone: who begins in the wrong way has to
 * move everybody.  Or every item for all: as many pairs as there are items, squared. */
static uint32_t large(uint32_t n, bool chain, bool one_less, lethe_spans *s)
{
    uint64_t n_matched;
    double bits;
    lethe_spans_begin(s);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last = n - one_less;
        lethe_item_span span[2] = {{i, 1, chain ? i : 0, chain ? i + 1 : last / 2, 0},
                                   {i, 1, chain ? i + 1 : last / 2, chain ? i + 2 : last, 0}};
        for (uint32_t k = 0; k < 2; k++) {
            if (span[k].end > last) span[k].end = last;
            if (span[k].first > last) span[k].first = last;
            assert_int_equal(lethe_spans_put(s, &span[k]), LETHE_OK);
        }
    }
    assert_int_equal(lethe_spans_match(s, n - one_less, &n_matched, &bits), LETHE_OK);
    return lethe_spans_unmatched(s, n);
}

static void large_ones_take_no_longer_than_they_are(void **state)
{
    (void)state;
    lethe_spans s = {0};
    enum { N = 200000 };
    for (int chain = 0; chain < 2; chain++) {
        assert_int_equal(large(N, chain, false, &s), LETHE_NONE);
        assert_int_not_equal(large(N, chain, true, &s), LETHE_NONE);
        assert_int_equal(large(3, chain, false, &s), LETHE_NONE); // memory is used again
    }
    lethe_spans_free(&s);
}

/* Random spans that a hidden order fulfils: all can stand. */
static void what_can_be_is_found(void **state)
{
    (void)state;
    lethe_spans s = {0};
    for (uint64_t round = 1; round <= 60; round++) {
        uint64_t seed = round * 77, n_matched;
        uint32_t n = 1 + below(&seed, 3000);
        uint32_t *hidden = malloc(n * sizeof *hidden);
        double bits;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = below(&seed, i + 1);
            hidden[i] = hidden[k];
            hidden[k] = i;
        }
        lethe_spans_begin(&s);
        for (uint32_t i = 0; i < n; i++) { // its own, and some more on either side
            uint32_t mine = hidden[i], n_spans = 0;
            lethe_item_span span[3] = {{i, 1, mine, mine + 1, 0}};
            if (mine > 0 && below(&seed, 2)) {
                uint32_t from = below(&seed, mine);
                uint32_t end = from + below(&seed, mine - from + 1);
                span[++n_spans] = (lethe_item_span){i, 1, from, end, 0};
            }
            if (below(&seed, 4) == 0) {
                uint32_t from = mine + 1 + below(&seed, n - mine);
                uint32_t end = from + below(&seed, n - from + 1);
                span[++n_spans] = (lethe_item_span){i, 1, from, end, 0};
            }
            for (uint32_t k = 0; k <= n_spans; k++)
                assert_int_equal(lethe_spans_put(&s, &span[k]), LETHE_OK);
        }
        assert_int_equal(lethe_spans_match(&s, n, &n_matched, &bits), LETHE_OK);
        if (n_matched != n || lethe_spans_unmatched(&s, n) != LETHE_NONE)
            fail_msg("seed %llu: %llu of %u", (unsigned long long)round,
                     (unsigned long long)n_matched, n);
        free(hidden);
    }
    lethe_spans_free(&s);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n_failed = 0;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_spans s = {0};
        uint64_t found = 0;
        double bits;
        e = LETHE_OK;
        lethe_alloc_fail_at(n);
        for (uint32_t i = 0; i < 2 && e == LETHE_OK; i++)
            e = lethe_spans_put(&s, &(lethe_item_span){i, 1, 0, 2 - i, 1});
        if (e == LETHE_OK) e = lethe_spans_match(&s, 2, &found, &bits);
        lethe_alloc_fail_at(0);
        n_failed += e == LETHE_ENOMEM;
        assert_true(e == LETHE_ENOMEM ||
                    (found == 2 && lethe_spans_unmatched(&s, 2) == LETHE_NONE));
        lethe_spans_free(&s);
    }
    assert_int_equal(n_failed, 2 + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_trying_all),
        cmocka_unit_test(large_ones_take_no_longer_than_they_are),
        cmocka_unit_test(what_can_be_is_found),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
