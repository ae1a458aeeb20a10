/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of closed.h, edge by edge. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/mine/closed.h"
#include "algo/mine/closed_internal.h"
#include "core/mem.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static lethe_ctx *context(unsigned threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = threads};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    return ctx;
}

enum { MOST = 64 };

/* "ab,b,," as transactions of letters. */
typedef struct letters {
    uint64_t start[MOST];
    uint32_t item[MOST];
    lethe_transactions t;
} letters;

static const lethe_transactions *letters_take(letters *l, const char *text)
{
    size_t n = 0, k = 0;
    l->start[0] = 0;
    for (const char *p = text; *p; p++) {
        assert_true(n + 2 < MOST && k < MOST);
        if (*p == ',')
            l->start[++n] = k;
        else
            l->item[k++] = (uint32_t)(*p - 'a');
    }
    l->t = (lethe_transactions){.n = n, .start = l->start, .item = l->item, .n_items = 26};
    return &l->t;
}

/* "a:3 ab:2", and what was needed. */
static void write(const lethe_itemsets *s, char *out, size_t cap)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0) used += (size_t)snprintf(out + used, cap - used, " ");
        for (uint64_t k = s->start[i]; k < s->start[i + 1]; k++)
            used += (size_t)snprintf(out + used, cap - used, "%c", (char)('a' + s->item[k]));
        used +=
            (size_t)snprintf(out + used, cap - used, ":%llu", (unsigned long long)s->support[i]);
    }
    snprintf(out + used, cap - used, " >=%llu%s", (unsigned long long)s->least,
             s->tied_out ? " cut" : "");
}

typedef struct expectation {
    const char *name, *transactions;
    lethe_closed_asked asked;
    const char *want;
} expectation;

static const expectation table[] = {
    {"none", "", {.n = 5}, " >=1"},
    {"empty ones", ",,,", {.n = 5}, " >=1"},
    {"one", "a,", {.n = 5}, "a:1 >=1"},
    {"the closure alone", "ba,ab,", {0}, "ab:2 >=1"},
    {"an empty one is not in it", "ab,ab,,", {0}, "ab:2 >=1"},
    {"order: support, size, items", "abc,abc,cd,d,b,", {0}, "b:3 c:3 d:2 abc:2 cd:1 >=1"},
    {"in all", "ab,a,ac,", {0}, "a:3 ab:1 ac:1 >=1"},
    {"ties of the n-th", "a,a,b,b,c,d,", {.n = 1}, "a:2 b:2 >=2"},
    {"ties further on", "a,a,b,b,c,d,", {.n = 3}, "a:2 b:2 c:1 d:1 >=1"},
    {"all asked for", "a,a,b,", {.n = 2}, "a:2 b:1 >=1"},
    {"fewer than asked", "a,a,b,", {.n = 99}, "a:2 b:1 >=1"},
    {"support", "a,a,b,", {.n = 99, .support = 2}, "a:2 >=2"},
    {"support of all", "a,a,b,", {.support = 3}, " >=3"},
    {"no such support", "a,a,b,", {.support = UINT64_MAX}, " >=4"},
    {"longest", "abc,abd,e,", {.longest = 2}, "ab:2 e:1 >=1"},
    {"longest, the closure of all is longer", "abc,abc,", {.longest = 2}, " >=1"},
    {"longest counts before n", "abc,abc,d,", {.n = 1, .longest = 2}, "d:1 >=1"},
    {"most", "a,a,b,c,d,", {.n = 2, .most = 3}, "a:2 >=2 cut"},
    {"most that is enough", "a,a,b,c,d,", {.n = 2, .most = 4}, "a:2 b:1 c:1 d:1 >=1"},
    {"most without n", "a,a,b,c,d,", {.most = 3}, "a:2 >=2 cut"},
    {"most leaves nothing", "a,b,c,d,", {.n = 1, .most = 3}, " >=2 cut"},
    {"copies count once", "aab,a,", {0}, "a:2 ab:1 >=1"},
    {"copies", "aab,a,", {.copies = true}, "a:2 aab:1 >=1"},
    {"copies of one", "aaa,aa,a,,", {.copies = true}, "a:3 aa:2 aaa:1 >=1"},
    {"copies are apart", "aba,aba,ab,", {.copies = true}, "ab:3 aab:2 >=1"},
};

static void as_the_table_says(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    for (size_t k = 0; k < 3; k++) {
        lethe_ctx *ctx = context(threads[k]);
        for (size_t i = 0; i < LETHE_COUNT(table); i++) {
            letters l;
            char got[256];
            lethe_itemsets *s = NULL;
            assert_int_equal(lethe_closed_find(ctx, letters_take(&l, table[i].transactions),
                                               &table[i].asked, &s),
                             LETHE_OK);
            write(s, got, sizeof got);
            if (strcmp(got, table[i].want) != 0) fail_msg("%s: %s", table[i].name, got);
            lethe_itemsets_free(s);
        }
        lethe_ctx_free(ctx);
    }
    lethe_itemsets_free(NULL);
}

static void weights_are_copies_of_a_transaction(void **state)
{
    (void)state;
    static const uint32_t weight[] = {3, 0, 2, 1};
    letters l;
    char got[256];
    lethe_ctx *ctx = context(1);
    lethe_itemsets *s = NULL;
    lethe_transactions t = *letters_take(&l, "ab,c,b,,");
    t.weight = weight;
    assert_int_equal(lethe_closed_find(ctx, &t, &(lethe_closed_asked){0}, &s), LETHE_OK);
    write(s, got, sizeof got);
    assert_string_equal(got, "b:5 ab:3 >=1"); // nothing holds c
    lethe_itemsets_free(s);
    lethe_ctx_free(ctx);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    static const uint32_t weight[] = {UINT32_MAX - 1, 1};
    letters l;
    lethe_ctx *ctx = context(1);
    lethe_itemsets *s = NULL;
    lethe_transactions t = *letters_take(&l, "a,b,");
    t.weight = weight;
    assert_int_equal(lethe_closed_find(ctx, &t, &(lethe_closed_asked){0}, &s), LETHE_EUSAGE);
    assert_null(s);
    lethe_ctx_free(ctx);
}

static void records_are_transactions(void **state)
{
    (void)state;
    lethe_ctx *ctx = context(2);
    lethe_records *r = NULL;
    lethe_itemsets *s = NULL;
    char got[64];
    assert_int_equal(lethe_records_memory(ctx, LETHE_LIT("x y\n\ny\n"), true, &r), LETHE_OK);
    lethe_transactions t = lethe_transactions_of(r, lethe_dict_count(r->items));
    assert_int_equal(lethe_closed_find(ctx, &t, &(lethe_closed_asked){.n = 10}, &s), LETHE_OK);
    write(s, got, sizeof got);
    assert_string_equal(got, "b:2 ab:1 >=1");
    lethe_itemsets_free(s);
    lethe_records_free(r);
    lethe_ctx_free(ctx);
}

/* z and e are in the same two transactions, and 40 others that are as frequent come between them in
 * each: more than are looked at in one go.  That z is in both is seen nevertheless, or <z, e> would
 * be found twice. */
static void what_comes_before_is_looked_for_to_the_end(void **state)
{
    (void)state;
    enum { BETWEEN = 40, E = 2 * BETWEEN + 1 };
    uint64_t start[2 * BETWEEN + 3] = {0}, k = 0;
    uint32_t item[4 * BETWEEN + 8];
    size_t n = 0;
    for (uint32_t t = 0; t < 2; t++) {
        item[k++] = 0; // z
        for (uint32_t y = 1; y <= BETWEEN; y++)
            item[k++] = t * BETWEEN + y;
        item[k++] = E;
        start[++n] = k;
    }
    for (uint32_t y = 1; y < E; y++) {
        item[k++] = y;
        start[++n] = k;
    }
    lethe_transactions t = {.n = n, .start = start, .item = item, .n_items = E + 1};
    lethe_ctx *ctx = context(1);
    lethe_itemsets *s = NULL;
    assert_int_equal(lethe_closed_find(ctx, &t, &(lethe_closed_asked){0}, &s), LETHE_OK);
    assert_int_equal(s->n, 2 * BETWEEN + 1 + 2);
    assert_int_equal(s->start[2 * BETWEEN + 1] - s->start[2 * BETWEEN], 2);
    lethe_itemsets_free(s);
    lethe_ctx_free(ctx);
}

/* Nested: 1, 2, ..., n items.  As deep as it gets, and no recursion. */
static void depth_is_no_danger(void **state)
{
    (void)state;
    enum { DEEP = 600 };
    uint64_t *start = calloc(DEEP + 1, sizeof *start), k = 0;
    uint32_t *item = malloc((size_t)DEEP * (DEEP + 1) / 2 * sizeof *item);
    assert_true(start && item);
    for (uint32_t i = 0; i < DEEP; i++) {
        for (uint32_t x = 0; x <= i; x++)
            item[k++] = x;
        start[i + 1] = k;
    }
    lethe_transactions t = {.n = DEEP, .start = start, .item = item, .n_items = DEEP};
    lethe_ctx *ctx = context(2);
    lethe_itemsets *s = NULL;
    assert_int_equal(lethe_closed_find(ctx, &t, &(lethe_closed_asked){0}, &s), LETHE_OK);
    assert_int_equal(s->n, DEEP);
    for (size_t i = 0; i < s->n; i++) {
        assert_int_equal(s->support[i], DEEP - i);
        assert_int_equal(s->start[i + 1] - s->start[i], i + 1);
    }
    lethe_itemsets_free(s);
    lethe_ctx_free(ctx);
    free(start);
    free(item);
}

/* One of 100,000 items, and one with half of them. */
static void one_may_be_long(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    uint64_t start[3] = {0, LONG, LONG + LONG / 2};
    uint32_t *item = malloc((LONG + LONG / 2) * sizeof *item);
    assert_non_null(item);
    for (uint32_t i = 0; i < LONG + LONG / 2; i++)
        item[i] = i < LONG ? LONG - 1 - i : 2 * (i - LONG);
    lethe_transactions t = {.n = 2, .start = start, .item = item, .n_items = LONG};
    lethe_ctx *ctx = context(1);
    lethe_itemsets *s = NULL;
    assert_int_equal(lethe_closed_find(ctx, &t, &(lethe_closed_asked){.n = 1000}, &s), LETHE_OK);
    assert_int_equal(s->n, 2);
    assert_int_equal(s->start[1], LONG / 2);
    assert_int_equal(s->start[2], LONG + LONG / 2);
    lethe_itemsets_free(s);
    lethe_ctx_free(ctx);
    free(item);
}

/* --- the bar rises meanwhile --- */

enum { RISE_BITS = 14, RISE_ROWS = 1 << RISE_BITS };

typedef struct riser {
    closed_bar *bar;
    uint32_t to;
    unsigned wait;
    atomic_bool there, go;
} riser;

static void *rise(void *arg)
{
    riser *r = arg;
    atomic_store(&r->there, true);
    while (!atomic_load(&r->go))
        continue;
    for (volatile unsigned i = 0; i < r->wait; i++)
        continue;
    atomic_store(&r->bar->least, r->to);
    return NULL;
}

/* Another worker may raise the bar above the very rank that is searched from, after it was found
 * frequent enough: where the rank is in its transactions must be known all the same. */
static void the_bar_may_rise_at_any_time(void **state)
{
    (void)state;
    uint64_t *start = calloc(RISE_ROWS + 1, sizeof *start), k = 0;
    uint32_t *item = malloc((size_t)RISE_ROWS * (RISE_BITS + 1) * sizeof *item);
    assert_true(start && item);
    for (uint32_t i = 0; i < RISE_ROWS; i++) { // all different; the last item is in most of them
        for (uint32_t x = 0; x < RISE_BITS; x++)
            if (i >> x & 1) item[k++] = x;
        if (i % 8 > 0) item[k++] = RISE_BITS;
        start[i + 1] = k;
    }
    lethe_transactions t = {.n = RISE_ROWS, .start = start, .item = item, .n_items = RISE_BITS + 1};
    lethe_arena *a = lethe_arena_new();
    closed_base base;
    assert_non_null(a);
    assert_int_equal(lethe_closed_base(a, &t, &(lethe_closed_asked){0}, &base), LETHE_OK);
    lethe_ctx *ctx = context(1);
    uint32_t rank = base.n_ranks - 1;
    for (unsigned wait = 0; wait < 100; wait++) {
        closed_bar bar = {.n = UINT64_MAX, .most = UINT64_MAX};
        closed_miner m;
        pthread_t thread;
        riser r = {.bar = &bar, .to = base.support[rank] + 1, .wait = 150 * wait};
        atomic_init(&bar.least, base.support[rank]);
        atomic_init(&r.there, false);
        atomic_init(&r.go, false);
        assert_int_equal(lethe_closed_miner(&base, &bar, 0, &m), LETHE_OK);
        assert_int_equal(pthread_create(&thread, NULL, rise, &r), 0);
        while (!atomic_load(&r.there))
            sched_yield();
        atomic_store(&r.go, true);
        assert_int_equal(lethe_closed_from(ctx, &m, rank), LETHE_OK);
        pthread_join(thread, NULL);
        for (uint32_t i = 0; i < m.rows.n; i++) {
            closed_place p = m.rows.place[i];
            assert_int_equal(p.transaction, i);
            assert_true(p.after > 0 && p.after <= m.rows.start[i + 1] - m.rows.start[i]);
            assert_int_equal(m.rows.rank[m.rows.start[i] + p.after - 1], rank);
        }
        lethe_closed_miner_free(&m);
    }
    lethe_ctx_free(ctx);
    lethe_arena_free(a);
    free(start);
    free(item);
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    letters l;
    lethe_ctx *ctx = context(2);
    lethe_itemsets *s = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(
        lethe_closed_find(ctx, letters_take(&l, "ab,b,"), &(lethe_closed_asked){0}, &s),
        LETHE_ECANCEL);
    assert_null(s);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    letters l;
    lethe_ctx *ctx = context(1);
    lethe_itemsets *s = NULL;
    const lethe_transactions *t = letters_take(&l, "abcd,abc,bcd,cd,ad,aab,");
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_alloc_fail_at(++n);
        e = lethe_closed_find(ctx, t, &(lethe_closed_asked){.n = 5, .copies = true}, &s);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || !s);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 20);
    lethe_itemsets_free(s);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_table_says),
        cmocka_unit_test(weights_are_copies_of_a_transaction),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(records_are_transactions),
        cmocka_unit_test(what_comes_before_is_looked_for_to_the_end),
        cmocka_unit_test(depth_is_no_danger),
        cmocka_unit_test(one_may_be_long),
        cmocka_unit_test(the_bar_may_rise_at_any_time),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
