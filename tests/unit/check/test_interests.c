/* SPDX-License-Identifier: Apache-2.0 */
/* The checker's own eye for interests: which texts of a persona are like none before them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/interests.h"
#include "core/mem.h"

static lethe_ctx *ctx;

static int begin(void **state)
{
    (void)state;
    return lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

typedef struct row {
    const char *text;
    int64_t time;
} row;

static const lethe_likeness usual = {.edit = 0.2, .overlap = 0.5, .top = 50};

/* How many are loose; `first` is one of them, "" where none is. */
static void loose_are(lethe_likeness how, const row *rows, size_t n, uint64_t want,
                      const char *want_first)
{
    lethe_interests *x = lethe_interests_new(&how);
    assert_non_null(x);
    for (int round = 0; round < 2; round++) { /* cleared, it is as new */
        uint64_t loose = 99;
        lethe_str first = {"", 0};
        for (size_t i = 0; i < n; i++)
            assert_int_equal(
                lethe_interests_add(x, lethe_str_of(rows[i].text), rows[i].time, NULL, 0),
                LETHE_OK);
        for (int again = 0; again < 2; again++) { /* asked twice, the answer is the same */
            assert_int_equal(lethe_interests_loose(x, ctx, true, &loose, &first), LETHE_OK);
            assert_int_equal(loose, want);
            assert_int_equal(first.n, strlen(want_first));
            assert_memory_equal(first.at, want_first, first.n);
        }
        assert_int_equal(lethe_interests_clear(x), LETHE_OK);
    }
    lethe_interests_free(x);
}
#define LOOSE_ARE(how, want, first, ...)                                                           \
    loose_are(how, (const row[]){__VA_ARGS__}, LETHE_COUNT(((const row[]){__VA_ARGS__})), want,    \
              first)

static void the_first_needs_no_other(void **state)
{
    (void)state;
    loose_are(usual, NULL, 0, 0, "");
    LOOSE_ARE(usual, 0, "", {"football", 1});
    LOOSE_ARE(usual, 0, "", {"football", 1}, {"football", 1}, {"football", 7});
    LOOSE_ARE(usual, 1, "yams", {"football", 1}, {"yams", 2});
    LOOSE_ARE(usual, 2, "yams", {"football", 1}, {"yams", 2}, {"zebra", 3}, {"footbal", 4});
}

static void each_likeness_counts_at_its_edge(void **state)
{
    (void)state;
    lethe_likeness how = {.edit = 0.2, .overlap = 1, .top = 1};
    LOOSE_ARE(how, 0, "", {"hello", 1}, {"helo", 2});
    LOOSE_ARE(how, 1, "abce", {"abcd", 1}, {"abce", 2});
    how = (lethe_likeness){.edit = 0, .overlap = 0.6, .top = 1};
    LOOSE_ARE(how, 0, "", {"walk me to the moon", 1}, {"walk to moon", 2});
    how.overlap = 0.600001;
    LOOSE_ARE(how, 1, "walk to moon", {"walk me to the moon", 1}, {"walk to moon", 2});
    how.overlap = 0; /* a word between them will do; none of none will not */
    LOOSE_ARE(how, 0, "", {"football", 1}, {"yams", 2}, {"???", 3});
    LOOSE_ARE(how, 1, "!!", {"?", 1}, {"!!", 2});
    how = (lethe_likeness){.edit = 1, .overlap = 1, .top = 1};
    LOOSE_ARE(how, 0, "", {"abc", 1}, {"\xc3\xa9tude", 2});
}

static void at_one_time_any_order_will_do(void **state)
{
    (void)state;
    /* only by way of football are the others alike */
    LOOSE_ARE(usual, 0, "", {"espn football", 1}, {"football", 1}, {"football scores", 1});
    LOOSE_ARE(usual, 1, "football scores", {"espn football", 1}, {"football scores", 1},
              {"football", 2});
    LOOSE_ARE(usual, 0, "", {"football", 1}, {"espn football", 2}, {"football scores", 2});
    /* what is alike is loose once, and not at all where one of them has a text before */
    LOOSE_ARE(usual, 1, "red cars", {"x", 1}, {"red cars", 2}, {"red cats", 2}, {"red cabs", 2});
    LOOSE_ARE(usual, 0, "", {"football", 1}, {"espn football", 2}, {"espn news football", 2});
}

static void first_times_decide(void **state)
{
    (void)state;
    /* football comes back later, but was there before */
    LOOSE_ARE(usual, 0, "", {"football", INT64_MIN}, {"espn football", 5}, {"football", 6});
    LOOSE_ARE(usual, 1, "yams", {"football", 1}, {"yams", 2}, {"yams", 3}, {"yams yams", 4});
}

static void results_are_known_or_not(void **state)
{
    (void)state;
    static const char text[] = "a\tu1\na\tu2\nb\tu2\nc\tu3\nd\tu3\nd\tu1\ne\tu3\n";
    lethe_likeness how = {.edit = 0, .overlap = 1, .top = 50};
    lethe_results *r;
    LOOSE_ARE(how, 1, "b", {"a", 1}, {"b", 2});
    assert_int_equal(lethe_results_memory(ctx, (lethe_str){text, sizeof text - 1}, &r), LETHE_OK);
    how.results = r;
    LOOSE_ARE(how, 0, "", {"a", 1}, {"b", 2});
    LOOSE_ARE(how, 1, "c", {"a", 1}, {"c", 2}, {"d", 3});
    LOOSE_ARE(how, 0, "", {"a", 1}, {"c", 2}, {"d", 2}, {"e", 2}); /* by way of d */
    LOOSE_ARE(how, 1, "c", {"a", 1}, {"c", 2}, {"e", 2}, {"d", 3});
    LOOSE_ARE(how, 1, "unknown", {"a", 1}, {"unknown", 2});
    how.top = 1;
    LOOSE_ARE(how, 1, "b", {"a", 1}, {"b", 2});
    LOOSE_ARE(how, 1, "c", {"a", 1}, {"c", 2}, {"d", 2}, {"e", 2});
    lethe_results_free(r);
}

/* More letters, words and pieces than a sketch tells apart. */
static void long_texts_are_compared_too(void **state)
{
    (void)state;
    enum { N = 1000 };
    lethe_likeness how = {.edit = 0.2, .overlap = 1, .top = 1};
    static const size_t lengths[] = {60, 64, 100, 500, N};
    char a[N + 1], b[N + 1];
    for (size_t k = 0; k < LETHE_COUNT(lengths); k++) {
        size_t n = lengths[k];
        for (size_t i = 0; i < n; i++)
            a[i] = (char)('a' + i * i % 23);
        a[n] = '\0';
        memcpy(b, a, n + 1);
        for (size_t i = 0; i < n / 5; i++)
            b[5 * i + 2] = '7'; /* in as many places as may be, all over it */
        LOOSE_ARE(how, 0, "", {a, 1}, {b, 2});
        LOOSE_ARE(how, 0, "", {b, 1}, {a, 1});
        b[0] = '7';
        LOOSE_ARE(how, 1, b, {a, 1}, {b, 2});
        LOOSE_ARE(how, 0, "", {a, 1}, {a + n / 5, 2});
        LOOSE_ARE(how, 1, a + n / 5 + 1, {a, 1}, {a + n / 5 + 1, 2});
    }
}

static void whoever_asks_can_be_stopped(void **state)
{
    (void)state;
    lethe_ctx *stopped;
    uint64_t loose;
    lethe_str first;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &stopped), LETHE_OK);
    lethe_ctx_cancel(stopped);
    lethe_interests *x = lethe_interests_new(&usual);
    assert_int_equal(lethe_interests_add(x, LETHE_LIT("football"), 1, NULL, 0), LETHE_OK);
    assert_int_equal(lethe_interests_add(x, LETHE_LIT("yams"), 2, NULL, 0), LETHE_OK);
    assert_int_equal(lethe_interests_loose(x, stopped, true, &loose, &first), LETHE_ECANCEL);
    lethe_interests_free(x);
    lethe_ctx_free(stopped);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char *const texts[] = {"football", "yams", "espn football", "footbal",
                                        "\xc3\xa9t\xc3\xa9 football"};
    static const char file[] = "football\tu1\nyams\tu1\nfootbal\tu9\n";
    lethe_likeness how = usual;
    lethe_results *r;
    assert_int_equal(lethe_results_memory(ctx, (lethe_str){file, sizeof file - 1}, &r), LETHE_OK);
    how.results = r;
    uint64_t n = 0, loose;
    lethe_err e = LETHE_ENOMEM;
    while (e != LETHE_OK) {
        lethe_str first;
        lethe_alloc_fail_at(++n);
        lethe_interests *x = lethe_interests_new(&how);
        e = x ? LETHE_OK : LETHE_ENOMEM;
        for (size_t i = 0; i < LETHE_COUNT(texts) && e == LETHE_OK; i++)
            e = lethe_interests_add(x, lethe_str_of(texts[i]), (int64_t)i, NULL, 0);
        if (e == LETHE_OK) e = lethe_interests_loose(x, ctx, true, &loose, &first);
        if (e == LETHE_OK) e = lethe_interests_clear(x);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        lethe_interests_free(x);
    }
    assert_true(n > 8);
    lethe_interests_free(NULL);
    lethe_results_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_needs_no_other),
        cmocka_unit_test(each_likeness_counts_at_its_edge),
        cmocka_unit_test(at_one_time_any_order_will_do),
        cmocka_unit_test(first_times_decide),
        cmocka_unit_test(results_are_known_or_not),
        cmocka_unit_test(long_texts_are_compared_too),
        cmocka_unit_test(whoever_asks_can_be_stopped),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
