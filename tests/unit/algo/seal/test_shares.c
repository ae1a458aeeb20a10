/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a secret: the field against its definition, every subset that must recover, and fewer
 * shares that must say nothing: exactly, by going through all polynomials. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "algo/seal/shares.h"
#include "core/mem.h"
#include "core/rng.h"
#include "golden.h"
#include "core/parse.h"

enum { N = LETHE_SECRET_BYTES };

/* --- the field --- */

/* The product of polynomials over GF(2), and then its rest after division by 0x11b. */
static uint8_t slow_mul(unsigned a, unsigned b)
{
    unsigned product = 0;
    for (unsigned i = 0; i < 8; i++)
        if (b >> i & 1) product ^= a << i;
    for (int bit = 15; bit >= 8; bit--)
        if (product >> bit & 1) product ^= 0x11bu << (bit - 8);
    return (uint8_t)product;
}

static void products_are_those_of_polynomials(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            assert_int_equal(lethe_gf256_mul((uint8_t)a, (uint8_t)b), slow_mul(a, b));
    assert_int_equal(lethe_gf256_mul(0x57, 0x83), 0xc1); // FIPS 197, section 4.2
    assert_int_equal(lethe_gf256_inv(0x53), 0xca);
}

static void every_element_but_0_has_its_inverse(void **state)
{
    (void)state;
    for (unsigned a = 1; a < 256; a++)
        assert_int_equal(slow_mul(a, lethe_gf256_inv((uint8_t)a)), 1);
    assert_int_equal(lethe_gf256_inv(0), 0);
}

/* Every byte of a step, for every value and every place, whatever stands in the other 31. */
static void steps_are_exact(void **state)
{
    (void)state;
    for (unsigned x = 0; x < 256; x++)
        for (unsigned first = 0; first < 256; first++) {
            static const uint8_t terms[] = {0x00, 0xff, 0x5a};
            for (size_t k = 0; k < LETHE_COUNT(terms); k++) {
                uint8_t acc[N], want[N], term[N];
                for (unsigned i = 0; i < N; i++) {
                    acc[i] = (uint8_t)(first + 37 * i);
                    term[i] = (uint8_t)(terms[k] + i);
                    want[i] = slow_mul(acc[i], x) ^ term[i];
                }
                lethe_shamir_step(acc, (uint8_t)x, term);
                assert_memory_equal(acc, want, N);
            }
        }
}

/* --- all subsets --- */

/* The next set of t indices of 1..n, in lexicographic order; false: there is none. */
static bool next_subset(uint8_t *set, uint32_t t, uint32_t n)
{
    for (uint32_t i = t; i-- > 0;) {
        if (set[i] < n - (t - 1 - i)) {
            set[i]++;
            for (uint32_t k = i + 1; k < t; k++)
                set[k] = (uint8_t)(set[k - 1] + 1);
            return true;
        }
    }
    return false;
}

static void fill(lethe_rng *r, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)lethe_rng_below(r, 256);
}

static lethe_rng stream(uint64_t index)
{
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_seed(4, &s), LETHE_OK);
    lethe_rng r = lethe_rng_stream(s, "shares", index);
    lethe_secret_free(s);
    return r;
}

static void every_subset_recovers(void **state)
{
    (void)state;
    lethe_weights *w = lethe_weights_new();
    for (uint32_t n = 1; n <= 9; n++)
        for (uint32_t t = 1; t <= n; t++) {
            lethe_rng r = stream(100 * n + t);
            uint8_t secret[N], a[9 * N], shares[9][N], set[9], some[9 * N], got[N];
            fill(&r, secret, N);
            fill(&r, a, sizeof a);
            for (uint32_t i = 0; i < n; i++)
                lethe_shamir_share(secret, a, t, (uint8_t)(i + 1), shares[i]);
            for (uint32_t i = 0; i < t; i++)
                set[i] = (uint8_t)(i + 1);
            do {
                for (uint32_t i = 0; i < t; i++)
                    memcpy(some + i * N, shares[set[i] - 1], N);
                lethe_shamir_value(some, lethe_weights_at(w, set, t, 0), t, got);
                assert_memory_equal(got, secret, N);
                for (uint32_t x = 1; x <= n; x++) { // and every other share
                    lethe_shamir_value(some, lethe_weights_at(w, set, t, (uint8_t)x), t, got);
                    assert_memory_equal(got, shares[x - 1], N);
                }
            } while (next_subset(set, t, n));
        }
    lethe_weights_free(w);
}

static void the_largest_recovers_too(void **state)
{
    (void)state;
    static const uint32_t of[][2] = {{255, 255}, {254, 255}, {2, 255}, {128, 200}};
    static uint8_t a[255 * N], shares[255 * N];
    uint8_t secret[N], indices[255], weights[255], got[N];
    for (size_t c = 0; c < LETHE_COUNT(of); c++) {
        uint32_t t = of[c][0], n = of[c][1];
        lethe_rng r = stream(c);
        fill(&r, secret, N);
        fill(&r, a, sizeof a);
        for (uint32_t i = 0; i < t; i++) { // the last t, downwards
            indices[i] = (uint8_t)(n - i);
            lethe_shamir_share(secret, a, t, indices[i], shares + i * N);
        }
        lethe_shamir_weights(indices, t, 0, weights);
        lethe_shamir_value(shares, weights, t, got);
        assert_memory_equal(got, secret, N);
        shares[0] ^= 1; // one bit of one share
        lethe_shamir_value(shares, weights, t, got);
        assert_memory_not_equal(got, secret, N);
    }
}

/* --- fewer shares than t: exactly nothing --- */

/* Secrets from..from+31 side by side, all under the same coefficients. */
static void secrets_from(unsigned from, uint8_t out[N])
{
    for (unsigned i = 0; i < N; i++)
        out[i] = (uint8_t)(from + i);
}

static void make_share(bool additive, const uint8_t *secret, const uint8_t *a, uint32_t t,
                       uint8_t index, uint8_t out[N])
{
    if (additive)
        lethe_additive_share(secret, a, t, index, out);
    else
        lethe_shamir_share(secret, a, t, index, out);
}

/* t = 2: whichever share is seen, and whatever its value, each of the 256 secrets fits exactly one
 * of the 256 coefficients, so that none is likelier than before. */
static void expect_nothing_of_one(bool additive, uint8_t index)
{
    static uint16_t fits[256][256]; // value of the share, secret
    memset(fits, 0, sizeof fits);
    for (unsigned from = 0; from < 256; from += N)
        for (unsigned a = 0; a < 256; a++) {
            uint8_t secret[N], coefficient[N], out[N];
            secrets_from(from, secret);
            memset(coefficient, (int)a, N);
            make_share(additive, secret, coefficient, 2, index, out);
            for (unsigned i = 0; i < N; i++)
                fits[out[i]][from + i]++;
        }
    unsigned others = 0;
    for (unsigned v = 0; v < 256; v++)
        for (unsigned s = 0; s < 256; s++)
            others += fits[v][s] != 1;
    assert_int_equal(others, 0);
}

static void one_share_of_two_says_nothing(void **state)
{
    (void)state;
    for (unsigned index = 1; index < 256; index++)
        expect_nothing_of_one(false, (uint8_t)index);
    expect_nothing_of_one(true, 1);
    expect_nothing_of_one(true, 2);
}

/* t = 3: of two shares, whatever their values, each of the 256 secrets fits exactly one of the 2^16
 * pairs of coefficients. */
static void expect_nothing_of_two(bool additive, uint8_t index, uint8_t other)
{
    static uint8_t seen[N][256][256]; // secret, values of the two
    for (unsigned from = 0; from < 256; from += N) {
        uint8_t secret[N], a[2 * N], x[N], y[N];
        secrets_from(from, secret);
        memset(seen, 0, sizeof seen);
        for (unsigned pair = 0; pair < 1 << 16; pair++) {
            memset(a, (int)(pair & 255), N);
            memset(a + N, (int)(pair >> 8), N);
            make_share(additive, secret, a, 3, index, x);
            make_share(additive, secret, a, 3, other, y);
            for (unsigned i = 0; i < N; i++)
                seen[i][x[i]][y[i]]++;
        }
        unsigned others = 0;
        for (unsigned i = 0; i < N; i++)
            for (unsigned v = 0; v < 1 << 16; v++)
                others += seen[i][v >> 8][v & 255] != 1;
        assert_int_equal(others, 0);
    }
}

static void two_shares_of_three_say_nothing(void **state)
{
    (void)state;
    expect_nothing_of_two(false, 1, 2);
    expect_nothing_of_two(false, 200, 255);
    expect_nothing_of_two(true, 1, 2);
    expect_nothing_of_two(true, 1, 3);
    expect_nothing_of_two(true, 2, 3);
}

/* The same for every pair of indices.  A share is the secret plus a part that is linear in the
 * coefficients; so the 2^16 pairs of coefficients give two shares every pair of values, each once,
 * unless some pair other than 0, 0 gives 0 and 0 at both indices.  Each index has, for each a_1,
 * exactly one a_2 that gives 0 there; no two indices have the same, but for a_1 = 0. */
static void no_two_shares_of_three_say_anything(void **state)
{
    (void)state;
    static uint8_t root[256][256]; // index, a_1: which a_2 gives 0
    static const uint8_t zero[N];
    for (unsigned index = 1; index < 256; index++)
        for (unsigned a1 = 0; a1 < 256; a1++) {
            unsigned n = 0;
            for (unsigned from = 0; from < 256; from += N) {
                uint8_t a[2 * N], out[N];
                memset(a, (int)a1, N);
                secrets_from(from, a + N);
                lethe_shamir_share(zero, a, 3, (uint8_t)index, out);
                for (unsigned i = 0; i < N; i++)
                    if (out[i] == 0) {
                        root[index][a1] = (uint8_t)(from + i);
                        n++;
                    }
            }
            assert_int_equal(n, 1);
        }
    unsigned alike = 0;
    for (unsigned x = 1; x < 256; x++) {
        alike += root[x][0] != 0;
        for (unsigned y = 1; y < x; y++)
            for (unsigned a1 = 1; a1 < 256; a1++)
                alike += root[x][a1] == root[y][a1];
    }
    assert_int_equal(alike, 0);
}

/* --- weights --- */

static void weights_kept_are_those_computed(void **state)
{
    (void)state;
    lethe_weights *w = lethe_weights_new();
    lethe_rng r = stream(7);
    for (int round = 0; round < 20000; round++) {
        uint8_t set[5] = {0}, want[5];
        uint32_t t = 1 + (uint32_t)lethe_rng_below(&r, 5), n = 0;
        while (n < t) { // in any order
            uint8_t i = (uint8_t)(1 + lethe_rng_below(&r, 12));
            if (!memchr(set, i, n)) set[n++] = i;
        }
        uint8_t x = (uint8_t)lethe_rng_below(&r, 4);
        lethe_shamir_weights(set, t, x, want);
        assert_memory_equal(lethe_weights_at(w, set, t, x), want, t);
    }
    lethe_weights_free(w);
    lethe_weights_free(NULL);
    lethe_alloc_fail_at(1);
    assert_null(lethe_weights_new());
    lethe_alloc_fail_at(0);
}

/* --- additive --- */

static void all_shares_add_up(void **state)
{
    (void)state;
    static uint8_t random[254 * N], shares[255 * N];
    for (uint32_t t = 1; t <= 255; t += t < 6 ? 1 : 83) {
        uint8_t secret[N], got[N];
        lethe_rng r = stream(t);
        fill(&r, secret, N);
        fill(&r, random, sizeof random);
        for (uint32_t i = 0; i < t; i++) // turned round: the order does not matter
            lethe_additive_share(secret, random, t, (uint8_t)(t - i), shares + i * N);
        lethe_additive_secret(shares, t, got);
        assert_memory_equal(got, secret, N);
        shares[3]++;
        lethe_additive_secret(shares, t, got);
        assert_memory_not_equal(got, secret, N);
    }
}

/* --- golden/adar.json --- */

/* adar-01 counts mod 100, we mod 256: the same numbers, with the last share as its rest. */
static void golden_additive(void **state)
{
    (void)state;
    golden g = golden_open("adar");
    const lethe_json *v = golden_vector(&g, "adar-01");
    uint8_t secret[N] = {(uint8_t)golden_int(v, "input.secret")}, random[2 * N] = {0}, out[N];
    random[0] = (uint8_t)golden_int(v, "input.random_shares.0");
    random[N] = (uint8_t)golden_int(v, "input.random_shares.1");
    int64_t m = golden_int(v, "parameters.m"), sum = 0;
    for (uint8_t i = 1; i <= 3; i++) {
        char path[32];
        snprintf(path, sizeof path, "expected.shares.%d", i - 1);
        int64_t want = golden_int(v, path);
        lethe_additive_share(secret, random, 3, i, out);
        if (i < 3)
            assert_int_equal(out[0], want);
        else // 42 - 17 - 88 = -63: 193 mod 256, 37 mod 100
            assert_int_equal((out[0] - 256 + m) % m, want);
        sum += want;
    }
    assert_int_equal(sum % m, golden_int(v, "expected.recovered"));
    golden_close(&g);
}

/* E18: with t - 1 buckets a t-of-t secret never comes together; with t it does. */
static void golden_buckets(void **state)
{
    (void)state;
    golden g = golden_open("adar");
    const lethe_json *v = golden_vector(&g, "adar-04"), *users = golden_array(v, "input.users");
    int64_t t = golden_int(v, "parameters.t"), distinct[2] = {0};
    bool seen[2][256] = {{0}};
    for (size_t i = 0; i < lethe_json_count(users); i++) {
        int64_t user = lethe_json_int(lethe_json_at(users, i));
        seen[0][user % (t - 1)] = seen[1][user % t] = true;
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 256; i++)
            distinct[k] += seen[k][i];
    assert_int_equal(distinct[0], golden_int(v, "expected.distinct_buckets_mod_t_minus_1"));
    assert_int_equal(distinct[1], golden_int(v, "expected.distinct_buckets_mod_t"));
    assert_true(distinct[0] < golden_int(v, "expected.needed"));
    // what the missing share costs: the others fit every secret, so none can be told
    uint8_t secret[N] = {42}, random[2 * N] = {17}, shares[3 * N], got[N];
    for (uint8_t i = 1; i <= 3; i++)
        lethe_additive_share(secret, random, 3, i, shares + (i - 1) * N);
    lethe_additive_secret(shares, 2, got);
    assert_int_not_equal(got[0], 42);
    golden_close(&g);
}

/* How many of the n^u ways in which u users fall into n buckets show t or more of them. */
__extension__ typedef unsigned __int128 wide;

static wide ways(int64_t u, int64_t n, int64_t t)
{
    wide at[64] = {1}; // ways to have seen k buckets
    for (int64_t i = 0; i < u; i++)
        for (int64_t k = LETHE_MIN(i + 1, n); k >= 0; k--)
            at[k] =
                at[k] * (wide)(uint64_t)k + (k > 0 ? at[k - 1] * (wide)(uint64_t)(n - k + 1) : 0);
    wide sum = 0;
    for (int64_t k = t; k <= n; k++)
        sum += at[k];
    return sum;
}

static wide power(int64_t n, int64_t u) { return u ? (wide)(uint64_t)n * power(n, u - 1) : 1; }

/* Is a/b that fraction? */
static void expect_share(const lethe_json *v, fraction want, wide a, wide b)
{
    if (a * (wide)(uint64_t)want.den != b * (wide)(uint64_t)want.num)
        fail_msg("%.*s: another p", GOLDEN_ID(v));
}

static void golden_probabilities(void **state)
{
    (void)state;
    golden g = golden_open("adar");
    const lethe_json *v = golden_vector(&g, "adar-05"), *rows = golden_array(v, "expected");
    assert_true(lethe_json_count(rows) > 10);
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        int64_t u = golden_int(row, "users"), n = golden_int(row, "n"), t = golden_int(row, "t");
        expect_share(v, golden_fraction(row, "p"), ways(u, n, t), power(n, u));
    }
    // E19: all u in one of two buckets
    v = golden_vector(&g, "adar-06");
    const lethe_json *all = golden_object(v, "expected");
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        fraction want = {0};
        uint64_t u = 0;
        assert_true(lethe_parse_u64(lethe_json_name(all, i), &u));
        assert_true(fraction_parse(lethe_json_text(lethe_json_at(all, i)), &want));
        wide whole = power(2, (int64_t)u);
        expect_share(v, want, whole - ways((int64_t)u, 2, 2), whole);
    }
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_polynomials),
        cmocka_unit_test(every_element_but_0_has_its_inverse),
        cmocka_unit_test(steps_are_exact),
        cmocka_unit_test(every_subset_recovers),
        cmocka_unit_test(the_largest_recovers_too),
        cmocka_unit_test(one_share_of_two_says_nothing),
        cmocka_unit_test(two_shares_of_three_say_nothing),
        cmocka_unit_test(no_two_shares_of_three_say_anything),
        cmocka_unit_test(weights_kept_are_those_computed),
        cmocka_unit_test(all_shares_add_up),
        cmocka_unit_test(golden_additive),
        cmocka_unit_test(golden_buckets),
        cmocka_unit_test(golden_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
