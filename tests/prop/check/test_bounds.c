/* SPDX-License-Identifier: Apache-2.0 */
/* The comparisons by which checkers decide (check/bounds.h) beside those by which methods do, and
 * beside the decimals as they were written: random values, and values at a bound and next to it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "check/bounds.h"
#include "core/rng.h"
#include "method/disconnect/click_ranking.h"
#include "method/itemset/power.h"
#include "method/table/group_price.h"
#include "seeds.h"

#define CASES seeds(1200000)

__extension__ typedef unsigned __int128 wide;

static lethe_rng rng;

static int begin(void **state)
{
    (void)state;
    lethe_secret *secret;
    if (lethe_secret_from_seed(19, &secret) != LETHE_OK) return -1;
    rng = lethe_rng_stream(secret, "bounds", 0);
    lethe_secret_free(secret);
    return 0;
}

/* Of any size below 2^bits, small ones as often as large ones. */
static uint64_t any(unsigned bits)
{
    uint64_t size = lethe_rng_below(&rng, bits) + 1;
    return lethe_rng_below(&rng, UINT64_C(1) << size);
}

/* A decimal num/den with up to `places` places, as a double reads it. */
struct decimal {
    uint64_t num, den;
    double x;
};

static struct decimal decimal_of(uint64_t whole_bits, unsigned places)
{
    char text[64];
    struct decimal d = {.den = 1};
    unsigned n = (unsigned)lethe_rng_below(&rng, places + 1);
    for (unsigned i = 0; i < n; i++)
        d.den *= 10;
    uint64_t whole = whole_bits ? any((unsigned)whole_bits) : 0,
             part = lethe_rng_below(&rng, d.den);
    d.num = whole * d.den + part;
    snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64, whole, (int)n, part);
    d.x = strtod(text, NULL);
    return d;
}

/* What is a share num/den of `of`, rounded; or one more or less, or anything. */
static uint64_t near(uint64_t of, uint64_t num, uint64_t den)
{
    uint64_t at = (uint64_t)((wide)of * num / den);
    switch (lethe_rng_below(&rng, 4)) {
    case 0:
        return at;
    case 1:
        return at + 1;
    case 2:
        return at > 0 ? at - 1 : 0;
    default:
        return lethe_rng_below(&rng, of + 1);
    }
}

static bool is_more(uint64_t a, uint64_t b, uint64_t num, uint64_t den)
{
    return (wide)a * den > (wide)num * b;
}

static void of_fractions(void **state)
{
    (void)state;
    for (uint64_t i = 0, n = CASES; i < n; i++) {
        // also with the largest denominators, that is: products beyond 64 bits
        lethe_theta t = {.den = LETHE_MIN(any(60) + 1, LETHE_THETA_DEN)};
        if (i % 16 == 0) t.den = LETHE_THETA_DEN - lethe_rng_below(&rng, 3);
        t.num = lethe_rng_below(&rng, t.den + 1);
        uint64_t of = any(32) + 1, with = near(of, t.num, t.den);
        bool got = lethe_is_over_fraction(with, of, t.num, t.den);
        if (got != lethe_theta_violated(t, with, of))
            fail_msg("%" PRIu64 " of %" PRIu64 ", theta %" PRIu64 "/%" PRIu64, with, of, t.num,
                     t.den);
    }
    assert_true(lethe_is_over_fraction(UINT64_MAX, UINT64_MAX, 999999999, 1000000000));
    assert_false(lethe_is_over_fraction(UINT64_MAX / 3, UINT64_MAX, 1, 3));
    assert_true(lethe_is_over_fraction(UINT64_MAX / 3 + 1, UINT64_MAX, 1, 3));
}

static void of_shares(void **state)
{
    (void)state;
    for (uint64_t i = 0, n = CASES; i < n; i++) {
        struct decimal d = decimal_of(0, 6);
        uint64_t of = any(32) + 1, with = near(of, d.num, d.den);
        bool got = lethe_is_over_share(with, of, d.x);
        if (got != is_more(with, of, d.num, d.den) || got != ((double)with / (double)of > d.x))
            fail_msg("%" PRIu64 " of %" PRIu64 ", share %.17g", with, of, d.x);
    }
    assert_false(lethe_is_over_share(1, 3, 1.0 / 3)); // the double is less than a third
    assert_true(lethe_is_over_share(1, 3, nextafter(1.0 / 3, 0)));
    assert_false(lethe_is_over_share(0, 1, 0));
    assert_true(lethe_is_over_share(1, UINT64_MAX, 0));
    assert_true(lethe_is_over_share(1, UINT64_MAX, 5e-324));
    assert_false(lethe_is_over_share(UINT64_MAX, UINT64_MAX, 1));
    // up to half a unit of the mantissa above is read as a half
    const uint64_t half = UINT64_C(1) << 59;
    assert_false(lethe_is_over_share(half + 64, 2 * half, 0.5));
    assert_true(lethe_is_over_share(half + 65, 2 * half, 0.5));
}

/* Densities, with numbers of queries as logs have them. */
static void of_pairs(void **state)
{
    (void)state;
    for (uint64_t i = 0, n = CASES; i < n; i++) {
        struct decimal d = decimal_of(0, 6);
        uint64_t queries = any(16) + 2, pairs = queries * (queries - 1) / 2,
                 edges = near(pairs, d.num, d.den);
        bool got = lethe_is_over_share(edges, pairs, d.x);
        if (got != (lethe_click_density(edges, queries) > d.x))
            fail_msg("%" PRIu64 " edges, %" PRIu64 " queries, density %.17g", edges, queries, d.x);
    }
}

static void of_parts(void **state)
{
    (void)state;
    for (uint64_t i = 0, n = CASES; i < n; i++) {
        struct decimal d = decimal_of(10, 4);
        if (d.num < d.den) d = (struct decimal){1, 1, 1};
        uint64_t of = any(32) + 1, with = near(of, d.den, d.num);
        lethe_kl kl = {.l = d.x};
        bool got = lethe_is_over_part(with, of, d.x);
        if (got != is_more(with, of, d.den, d.num) || got != lethe_kl_tells(&kl, with, of))
            fail_msg("%" PRIu64 " of %" PRIu64 ", l %.17g", with, of, d.x);
    }
    assert_false(lethe_is_over_part(10, 11, 1.1)); // the double is more than 1.1
    assert_false(lethe_is_over_part(1, 1, 1));
    assert_false(lethe_is_over_part(0, 1, HUGE_VAL));
    assert_true(lethe_is_over_part(1, UINT64_MAX, HUGE_VAL));
    assert_true(lethe_is_over_part(1, (UINT64_C(1) << 63) - 1, 0x1p63));
    assert_false(lethe_is_over_part(1, UINT64_C(1) << 63, 0x1p63));
    const uint64_t large = UINT64_C(1) << 51;
    assert_false(lethe_is_over_part(large, 2 * large, 2));
    assert_true(lethe_is_over_part(large + 1, 2 * large + 1, 2));
    // a quarter of a unit below a power of two is read as it, and half a unit below another number
    const uint64_t larger = UINT64_C(1) << 60;
    assert_false(lethe_is_over_part(larger, 2 * larger - 128, 2));
    assert_true(lethe_is_over_part(larger, 2 * larger - 129, 2));
    assert_false(lethe_is_over_part(larger, 3 * larger - 256, 3));
    assert_true(lethe_is_over_part(larger, 3 * larger - 257, 3));
    assert_false(lethe_is_over_part(1, larger - 64, 0x1p60));
    assert_true(lethe_is_over_part(1, larger - 65, 0x1p60));
}

static void of_powers(void **state)
{
    (void)state;
    for (uint64_t i = 0, n = CASES; i < n; i++) {
        lethe_kl kl = {.k = any(6) + 1, .m = (uint32_t)any(6), .n = any(40)};
        uint64_t positive = near(kl.m + UINT64_C(1), 1, 1), leaves = near(kl.n + 1, 1, 1),
                 sets = near(kl.k, 1, 1);
        if (lethe_is_within_power(&kl, positive, leaves) !=
                lethe_kl_within(&kl, (uint32_t)positive, leaves) ||
            lethe_is_naming(&kl, sets) != lethe_kl_names(&kl, sets))
            fail_msg("m %u, n %" PRIu64 ", k %" PRIu64 ": %" PRIu64 " %" PRIu64 " %" PRIu64, kl.m,
                     kl.n, kl.k, positive, leaves, sets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_fractions), cmocka_unit_test(of_shares), cmocka_unit_test(of_pairs),
        cmocka_unit_test(of_parts),     cmocka_unit_test(of_powers),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
