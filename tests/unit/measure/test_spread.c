/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "measure/spread.h"

static lethe_spread_summary of(const uint64_t *values, size_t n)
{
    static lethe_spread s;
    s = (lethe_spread){0};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(lethe_spread_add(&s, values[i]), LETHE_OK);
    lethe_spread_summary out = lethe_spread_summarize(&s);
    lethe_spread_free(&s);
    return out;
}

static void nothing_is_all_zero(void **state)
{
    (void)state;
    lethe_spread_summary s = of(NULL, 0);
    assert_true(s.mean == 0 && s.median == 0 && s.min == 0 && s.max == 0);
}

static void an_odd_count_has_a_middle(void **state)
{
    (void)state;
    lethe_spread_summary s = of((uint64_t[]){9, 0, 4}, 3);
    assert_true(s.median == 4 && s.min == 0 && s.max == 9);
    assert_true(s.mean == 13.0 / 3);
}

static void an_even_count_takes_the_mean_of_two(void **state)
{
    (void)state;
    lethe_spread_summary s = of((uint64_t[]){4, 1, 1, 7}, 4);
    assert_true(s.median == 2.5 && s.mean == 3.25);
    s = of((uint64_t[]){5, 5}, 2);
    assert_true(s.median == 5);
}

static void large_numbers_are_sorted_among_themselves(void **state)
{
    (void)state;
    lethe_spread_summary s = of((uint64_t[]){900000, 4095, 4096, 5000, 1}, 5);
    assert_true(s.median == 4096 && s.max == 900000 && s.min == 1);
    s = of((uint64_t[]){4095, 70000}, 2);
    assert_true(s.median == (4095 + 70000) / 2.0);
    s = of((uint64_t[]){70000, 60000, 50000}, 3);
    assert_true(s.median == 60000 && s.min == 50000 && s.max == 70000);
}

static void merging_is_adding(void **state)
{
    (void)state;
    static lethe_spread a, b;
    a = b = (lethe_spread){0};
    assert_int_equal(lethe_spread_add(&a, 1), LETHE_OK);
    assert_int_equal(lethe_spread_add(&a, 50000), LETHE_OK);
    assert_int_equal(lethe_spread_add(&b, 40000), LETHE_OK);
    assert_int_equal(lethe_spread_add(&b, 3), LETHE_OK);
    assert_int_equal(lethe_spread_merge(&a, &b), LETHE_OK);
    lethe_spread_summary s = lethe_spread_summarize(&a);
    assert_true(s.median == (3 + 40000) / 2.0 && s.min == 1 && s.max == 50000);
    assert_true(s.mean == 90004 / 4.0);
    lethe_spread_free(&a);
    lethe_spread_free(&b);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    static lethe_spread s, t;
    s = t = (lethe_spread){0};
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_spread_add(&s, 1 << 20), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_true(s.n == 0);
    assert_int_equal(lethe_spread_add(&s, 1 << 20), LETHE_OK);
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_spread_merge(&t, &s), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_true(t.n == 0);
    lethe_spread_free(&s);
    lethe_spread_free(&t);
}

static void buckets_end_at_1_2_5(void **state)
{
    (void)state;
    static const struct {
        uint64_t value, from, to;
    } want[] = {{0, 0, 0},
                {1, 1, 1},
                {2, 2, 2},
                {3, 3, 5},
                {5, 3, 5},
                {6, 6, 10},
                {11, 11, 20},
                {20, 11, 20},
                {21, 21, 50},
                {50, 21, 50},
                {51, 51, 100},
                {100, 51, 100},
                {101, 101, 200},
                {1000000, 500001, 1000000},
                {1000001, 1000001, 2000000}};
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        uint64_t from, to;
        lethe_bucket_range(lethe_bucket_of(want[i].value), &from, &to);
        assert_int_equal(from, want[i].from);
        assert_int_equal(to, want[i].to);
    }
}

static void buckets_leave_no_gap(void **state)
{
    (void)state;
    uint64_t next = 0;
    for (size_t i = 0; i < LETHE_N_BUCKETS; i++) {
        uint64_t from, to;
        lethe_bucket_range(i, &from, &to);
        assert_true(from == next && to >= from);
        assert_int_equal(lethe_bucket_of(from), i);
        assert_int_equal(lethe_bucket_of(to), i);
        next = to + 1;
    }
    assert_true(next == 0); /* the last one ended at UINT64_MAX */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_all_zero),
        cmocka_unit_test(an_odd_count_has_a_middle),
        cmocka_unit_test(an_even_count_takes_the_mean_of_two),
        cmocka_unit_test(large_numbers_are_sorted_among_themselves),
        cmocka_unit_test(merging_is_adding),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(buckets_end_at_1_2_5),
        cmocka_unit_test(buckets_leave_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
