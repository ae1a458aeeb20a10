/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers sorted and found, against the plainest way. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include "core/sort.h"

enum { MOST = 200 };

static uint32_t below(uint64_t *s, uint32_t n)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*s >> 33) % n);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sorting_is_that_of_the_library(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        uint64_t s = seed;
        uint32_t n = below(&s, MOST), range = 1 + below(&s, MOST), at[MOST], want[MOST];
        for (uint32_t i = 0; i < n; i++)
            at[i] = want[i] = UINT32_MAX - below(&s, range);
        lethe_sort_u32(at, n);
        qsort(want, n, sizeof *want, by_number);
        for (uint32_t i = 0; i < n; i++)
            if (at[i] != want[i]) fail_msg("seed %llu", (unsigned long long)seed);
    }
    lethe_sort_u32(NULL, 0);
}

static void the_first_that_is_not_below(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        uint64_t s = seed;
        uint32_t n = below(&s, MOST), range = 1 + below(&s, MOST), at[MOST];
        for (uint32_t i = 0; i < n; i++)
            at[i] = below(&s, range);
        qsort(at, n, sizeof *at, by_number);
        uint32_t x = below(&s, range + 1);
        size_t want = 0;
        while (want < n && at[want] < x)
            want++;
        if (lethe_gallop(at, n, x) != want) fail_msg("seed %llu", (unsigned long long)seed);
    }
    assert_int_equal(lethe_gallop(NULL, 0, 7), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_is_that_of_the_library),
        cmocka_unit_test(the_first_that_is_not_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
