/* SPDX-License-Identifier: Apache-2.0 */
/* The most frequent closed itemsets, against all that the definition gives: bags and sets,
 * duplicates, ties, empty transactions, weights. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/mine/closed.h"
#include <stdlib.h>
#include <stdio.h>

enum { CASES = 10000, MOST_ITEMS = 8, MOST_COPIES = 3, MOST_BAGS = 12, MOST_SETS = 4096 };

static uint64_t mix(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)(mix(s) % n); }

/* Transactions, also as a table of how many copies there are. */
typedef struct database {
    uint32_t n, n_items;
    uint64_t start[MOST_BAGS + 1];
    uint32_t item[MOST_BAGS * MOST_ITEMS * MOST_COPIES];
    uint32_t weight[MOST_BAGS];
    uint32_t copies[MOST_BAGS][MOST_ITEMS];
    bool weighted;
} database;

static void put(database *d, uint32_t item)
{
    d->item[d->start[d->n + 1]++] = item;
    d->copies[d->n][item]++;
}

static database draw(uint64_t *s)
{
    database d = {.n_items = 1 + below(s, MOST_ITEMS), .weighted = below(s, 2) == 0};
    uint32_t n = below(s, MOST_BAGS + 1), density = 1 + below(s, 9), repeat = below(s, 3);
    for (; d.n < n; d.n++) {
        d.start[d.n + 1] = d.start[d.n];
        d.weight[d.n] = d.weighted ? below(s, 4) : 1;
        if (d.n > 0 && below(s, 4) == 0) { // one that was there before
            uint32_t k = below(s, d.n);
            for (uint64_t i = d.start[k]; i < d.start[k + 1]; i++)
                put(&d, d.item[i]);
            continue;
        }
        for (uint32_t round = 0; round <= repeat; round++)
            for (uint32_t x = 0; x < d.n_items; x++)
                if (below(s, 10) < density) put(&d, x);
    }
    return d;
}

/* --- from the definition --- */

typedef struct bag {
    uint32_t copies[MOST_ITEMS], size;
    uint64_t support;
} bag;

static uint64_t support_of(const database *d, const bag *b, bool copies)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        bool has = true;
        for (uint32_t x = 0; x < d->n_items; x++)
            has &= b->copies[x] <= (copies ? d->copies[i][x] : d->copies[i][x] > 0);
        if (has) sum += d->weight[i];
    }
    return sum;
}

static bool is_closed(const database *d, const bag *b, bool copies)
{
    for (uint32_t x = 0; x < d->n_items; x++) {
        bag more = *b;
        more.copies[x]++;
        if (support_of(d, &more, copies) == b->support) return false;
    }
    return true;
}

/* Items in order, one by one: the first that differs decides. */
static int by_rule(const void *a, const void *b)
{
    const bag *x = a, *y = b;
    if (x->support != y->support) return x->support > y->support ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    for (uint32_t i = 0; i < MOST_ITEMS; i++) // more of an early item comes first
        if (x->copies[i] != y->copies[i]) return x->copies[i] > y->copies[i] ? -1 : 1;
    return 0;
}

static size_t enumerate(const database *d, const lethe_closed_asked *asked, bag *out)
{
    uint32_t most = asked->copies ? MOST_COPIES : 1, all = 1;
    size_t n = 0;
    for (uint32_t x = 0; x < d->n_items; x++)
        all *= most + 1;
    for (uint32_t code = 1; code < all; code++) {
        bag b = {0};
        for (uint32_t x = 0, rest = code; x < d->n_items; x++, rest /= most + 1)
            b.size += b.copies[x] = rest % (most + 1);
        b.support = support_of(d, &b, asked->copies);
        if (b.support == 0 || b.support < asked->support) continue;
        if (asked->longest > 0 && b.size > asked->longest) continue;
        if (is_closed(d, &b, asked->copies)) out[n++] = b;
    }
    qsort(out, n, sizeof *out, by_rule);
    return n;
}

static size_t up_to(const bag *b, size_t n, uint64_t least)
{
    size_t k = 0;
    while (k < n && b[k].support >= least)
        k++;
    return k;
}

/* Han et al.: with fewer than n of more support; and where that is more than `most`, without the
 * last support, and so on. */
static size_t cut(const lethe_closed_asked *asked, const bag *b, size_t n, uint64_t *least)
{
    *least = asked->support ? asked->support : 1;
    if (asked->n > 0 && n >= asked->n) *least = b[asked->n - 1].support;
    while (asked->most > 0 && up_to(b, n, *least) > asked->most)
        ++*least;
    return up_to(b, n, *least);
}

/* --- comparison --- */

static bool same(const lethe_itemsets *s, size_t i, const bag *b)
{
    uint64_t at = s->start[i];
    if (s->support[i] != b->support || s->start[i + 1] - at != b->size) return false;
    for (uint32_t x = 0; x < MOST_ITEMS; x++)
        for (uint32_t c = 0; c < b->copies[x]; c++)
            if (s->item[at++] != x) return false;
    return true;
}

static void compare(lethe_ctx *ctx, const database *d, const lethe_closed_asked *asked,
                    uint64_t seed)
{
    static bag want[MOST_SETS];
    uint64_t least;
    size_t all = enumerate(d, asked, want), n = cut(asked, want, all, &least);
    lethe_transactions t = {.n = d->n,
                            .start = d->start,
                            .item = d->item,
                            .weight = d->weighted ? d->weight : NULL,
                            .n_items = d->n_items};
    lethe_itemsets *s = NULL;
    assert_int_equal(lethe_closed_find(ctx, &t, asked, &s), LETHE_OK);
    if (s->n != n) fail_msg("seed %llu: %zu sets, not %zu", (unsigned long long)seed, s->n, n);
    for (size_t i = 0; i < n; i++)
        if (!same(s, i, &want[i])) fail_msg("seed %llu: set %zu", (unsigned long long)seed, i);
    // what nobody has is the same whatever it is called
    if (n > 0 && s->least != least && asked->support <= s->support[0])
        fail_msg("seed %llu: least %llu", (unsigned long long)seed, (unsigned long long)s->least);
    bool out = n < all && (asked->n == 0 || n < asked->n);
    if (s->tied_out != out) fail_msg("seed %llu: ties", (unsigned long long)seed);
    lethe_itemsets_free(s);
}

static void as_defined(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    lethe_ctx *ctx[3] = {0};
    for (int i = 0; i < 3; i++) {
        lethe_settings set = {.n_threads = threads[i]};
        assert_int_equal(lethe_ctx_new(&set, &ctx[i]), LETHE_OK);
    }
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed * 0x2545f4914f6cdd1du;
        database d = draw(&s);
        lethe_closed_asked asked = {.copies = below(&s, 3) == 0 && d.n_items <= 5};
        if (below(&s, 4) > 0) asked.n = 1 + below(&s, 12);
        if (below(&s, 3) == 0) asked.support = below(&s, 6);
        if (below(&s, 3) == 0) asked.longest = 1 + below(&s, 4);
        if (below(&s, 3) == 0) asked.most = 1 + below(&s, 20);
        compare(ctx[0], &d, &asked, seed);
        if (seed % 4 == 0) compare(ctx[1 + seed / 4 % 2], &d, &asked, seed);
    }
    for (int i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

/* --- larger ones: the same for any number of threads, and closed --- */

static bool subset(const uint32_t *a, uint64_t n, const uint32_t *b, uint64_t n_b)
{
    uint64_t k = 0;
    for (uint64_t i = 0; i < n; i++, k++) {
        while (k < n_b && b[k] < a[i])
            k++;
        if (k == n_b || b[k] != a[i]) return false;
    }
    return true;
}

enum { ROWS = 1500, COLUMNS = 40 };

/* Of two of the sets, where one is part of the other it has more support; and supports are true. */
static void assert_closed(const lethe_itemsets *s, const lethe_transactions *t, uint64_t seed)
{
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t *a = s->item + s->start[i];
        uint64_t n = s->start[i + 1] - s->start[i], support = 0;
        for (size_t k = 0; k < t->n; k++)
            support += subset(a, n, t->item + t->start[k], t->start[k + 1] - t->start[k]);
        if (support != s->support[i]) fail_msg("seed %llu: support", (unsigned long long)seed);
        for (size_t j = 0; j < s->n; j++)
            if (j != i && s->support[j] == support &&
                subset(a, n, s->item + s->start[j], s->start[j + 1] - s->start[j]))
                fail_msg("seed %llu: not closed", (unsigned long long)seed);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static uint64_t start[ROWS + 1];
    static uint32_t item[ROWS * COLUMNS];
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t s = seed;
        for (uint32_t i = 0; i < ROWS; i++) {
            start[i + 1] = start[i];
            for (uint32_t x = 0; x < COLUMNS; x++) // the later, the rarer; ascending
                if (below(&s, 12 + 2 * x) < 5) item[start[i + 1]++] = x;
        }
        lethe_transactions t = {.n = ROWS, .start = start, .item = item, .n_items = COLUMNS};
        lethe_closed_asked asked = {.n = 200 * seed};
        lethe_itemsets *one = NULL;
        for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            lethe_settings set = {.n_threads = threads};
            lethe_ctx *ctx = NULL;
            lethe_itemsets *got = NULL;
            assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
            assert_int_equal(lethe_closed_find(ctx, &t, &asked, &got), LETHE_OK);
            lethe_ctx_free(ctx);
            if (threads == 1) {
                one = got;
                continue;
            }
            assert_int_equal(got->n, one->n);
            assert_int_equal(got->least, one->least);
            assert_memory_equal(got->start, one->start, (one->n + 1) * sizeof *one->start);
            assert_memory_equal(got->support, one->support, one->n * sizeof *one->support);
            assert_memory_equal(got->item, one->item, one->start[one->n] * sizeof *one->item);
            lethe_itemsets_free(got);
        }
        assert_true(one->n >= asked.n && one->support[one->n - 1] == one->least);
        if (seed == 1) assert_closed(one, &t, seed);
        lethe_itemsets_free(one);
    }
}

/* --- many items --- */

enum { WIDE_ITEMS = 300, WIDE_ROWS = 9, WIDE_WORDS = (WIDE_ITEMS + 63) / 64 };

typedef struct wide_set {
    uint64_t word[WIDE_WORDS];
} wide_set;

static bool wide_has(const wide_set *s, uint32_t x) { return s->word[x / 64] >> x % 64 & 1; }

/* What all of some transactions hold; false: nothing. */
static bool wide_meet(const wide_set *row, uint32_t n, uint32_t which, wide_set *out)
{
    uint64_t any = 0;
    memset(out, 0xff, sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < WIDE_WORDS && which >> i & 1; k++)
            out->word[k] &= row[i].word[k];
    for (uint32_t k = 0; k < WIDE_WORDS; k++)
        any |= out->word[k];
    return any;
}

/* Closed sets are what some transactions have in common.  Transactions of many items, among which
 * ranks share the bits by which they are told apart, and which mostly begin with the same. */
static void as_defined_of_many_items(void **state)
{
    (void)state;
    lethe_settings set = {.n_threads = 1};
    lethe_ctx *ctx = NULL;
    size_t large = 0;
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    for (uint64_t seed = 1; seed <= CASES / 25; seed++) {
        static wide_set row[WIDE_ROWS];
        uint64_t s = seed * 65537, start[WIDE_ROWS + 1] = {0};
        static uint32_t item[WIDE_ROWS * WIDE_ITEMS];
        uint32_t n = 2 + below(&s, WIDE_ROWS - 1), n_items = 60 + below(&s, WIDE_ITEMS - 59),
                 kinds = 1 + below(&s, 3);
        memset(row, 0, sizeof row);
        for (uint32_t i = 0; i < n; i++) {
            start[i + 1] = start[i];
            for (uint32_t x = 0; x < n_items; x++) {
                // items of one kind go together, more or less
                bool in = below(&s, 10) < (x % kinds == i % kinds ? 8u : 3u);
                if (!in) continue;
                row[i].word[x / 64] |= UINT64_C(1) << x % 64;
                item[start[i + 1]++] = x;
            }
        }
        lethe_transactions t = {.n = n, .start = start, .item = item, .n_items = n_items};
        lethe_closed_asked asked = {.support = 1 + below(&s, 4)};
        lethe_itemsets *got = NULL;
        assert_int_equal(lethe_closed_find(ctx, &t, &asked, &got), LETHE_OK);
        size_t want = 0;
        for (uint32_t which = 1; which < 1u << n; which++) {
            wide_set common;
            uint32_t all = 0;
            if (!wide_meet(row, n, which, &common)) continue;
            for (uint32_t i = 0; i < n; i++) {
                wide_set both;
                wide_meet(row, n, which | 1u << i, &both);
                all |= (uint32_t)(memcmp(&both, &common, sizeof both) == 0) << i;
            }
            // each once: for all that hold it
            want += all == which && (uint32_t)__builtin_popcount(which) >= asked.support;
        }
        if (got->n != want)
            fail_msg("seed %llu: %zu, not %zu", (unsigned long long)seed, got->n, want);
        for (size_t i = 0; i < got->n; i++) {
            uint32_t which = 0, size = (uint32_t)(got->start[i + 1] - got->start[i]);
            wide_set common;
            for (uint32_t r = 0; r < n; r++) {
                bool holds = true;
                for (uint64_t k = got->start[i]; k < got->start[i + 1]; k++)
                    holds = holds && wide_has(&row[r], got->item[k]);
                which |= (uint32_t)holds << r;
            }
            assert_int_equal(got->support[i], __builtin_popcount(which));
            assert_true(wide_meet(row, n, which, &common));
            for (uint32_t k = 0, x = 0; x < n_items; x++)
                if (wide_has(&common, x)) {
                    assert_true(k < size);
                    assert_int_equal(got->item[got->start[i] + k++], x);
                }
            if (i == 0 || got->support[i] < got->support[i - 1]) continue;
            uint64_t before = got->start[i] - got->start[i - 1];
            assert_true(before <= size);
            int order = 0;
            for (uint32_t k = 0; k < size && before == size && order == 0; k++) {
                uint32_t x = got->item[got->start[i - 1] + k], y = got->item[got->start[i] + k];
                order = (x > y) - (x < y);
            }
            assert_true(before < size || order < 0);
        }
        large += got->n > 64;
        lethe_itemsets_free(got);
    }
    assert_true(large > CASES / 250);
    lethe_ctx_free(ctx);
}

/* Few transactions, so that thousands of sets have the support of the n-th, and so many of them
 * that what is no longer needed is thrown away on the way: what is left is what that support gives.
 */
static void ties_outlive_the_tidying(void **state)
{
    (void)state;
    enum { FEW = 60, MANY = 50 };
    static uint64_t start[FEW + 1];
    static uint32_t item[FEW * MANY];
    lethe_settings set = {.n_threads = 2};
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t s = seed;
        for (uint32_t i = 0; i < FEW; i++) {
            start[i + 1] = start[i];
            for (uint32_t x = 0; x < MANY; x++)
                if (below(&s, 10) < 5) item[start[i + 1]++] = x;
        }
        lethe_transactions t = {.n = FEW, .start = start, .item = item, .n_items = MANY};
        lethe_itemsets *top = NULL, *told = NULL;
        lethe_closed_asked asked = {.n = 500 * seed};
        assert_int_equal(lethe_closed_find(ctx, &t, &asked, &top), LETHE_OK);
        asked = (lethe_closed_asked){.support = top->least};
        assert_int_equal(lethe_closed_find(ctx, &t, &asked, &told), LETHE_OK);
        if (top->n != told->n) fail_msg("seed %llu", (unsigned long long)seed);
        assert_true(top->n >= 500 * seed && top->n > 0);
        assert_memory_equal(top->start, told->start, (top->n + 1) * sizeof *top->start);
        assert_memory_equal(top->item, told->item, top->start[top->n] * sizeof *top->item);
        lethe_itemsets_free(top);
        lethe_itemsets_free(told);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_defined),
        cmocka_unit_test(as_defined_of_many_items),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(ties_outlive_the_tidying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
