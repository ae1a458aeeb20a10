/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "core/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Expected values: BLAKE2b by Python's hashlib, ChaCha20 by RFC 8439 and an implementation of it
 * that has nothing in common with libsodium. */

static lethe_secret *counting_key(void)
{
    uint8_t key[32];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_bytes(key, &s), LETHE_OK);
    return s;
}

static void assert_mac(const lethe_secret *s, const char *msg, size_t n_out, const char *want)
{
    uint8_t out[64];
    char hex[129];
    lethe_secret_mac(s, lethe_str_of(msg), out, n_out);
    for (size_t i = 0; i < n_out; i++)
        snprintf(hex + 2 * i, 3, "%02x", out[i]);
    assert_string_equal(hex, want);
}

static void macs_are_keyed_blake2b(void **state)
{
    (void)state;
    lethe_secret *s = counting_key();
    assert_mac(s, "abc", 16, "1a64be47e4729d951c302ee543f97cf3");
    assert_mac(s, "pseudonyms", 32,
               "de1abc8fc1c54446dd839473333717bc37dcbff3f10a58c90d1a066f111711eb");
    assert_mac(s, "", 64,
               "84bfa69f0d90df7db2a3ee026042988b5bd9caa2320af1f371823dd28351202f"
               "8e6277c40c050711c8dd4e2c1ac30c34c9aed0bddd468b031287fe872675e0cc");
    uint8_t a[16], b[16];
    lethe_secret_mac(s, (lethe_str){NULL, 0}, a, 16);
    lethe_secret_mac(s, LETHE_LIT(""), b, 16);
    assert_memory_equal(a, b, 16);
    lethe_secret_free(s);
    lethe_secret_free(NULL);
}

static void derived_and_seeded_secrets_are_as_documented(void **state)
{
    (void)state;
    lethe_secret *s = counting_key(), *d = NULL, *e = NULL;
    assert_int_equal(lethe_secret_derive(s, "pseudonyms", &d), LETHE_OK);
    assert_mac(d, "abc", 32, "e933ef540adba4ea2750de52e61580d1f44c41274ea06c1ed41a07c7127a84a0");
    assert_int_equal(lethe_secret_from_seed(42, &e), LETHE_OK);
    assert_mac(e, "abc", 32, "35c3dc83c53976b8ceb2aad90133c2262cda701c95c3a3a057de3d9f8da8d98e");
    lethe_secret_free(s);
    lethe_secret_free(d);
    lethe_secret_free(e);
}

/* Who may choose a text and see its mac must not learn a secret or a stream's key by it. */
static void no_mac_is_a_derived_secret(void **state)
{
    (void)state;
    lethe_secret *s = counting_key(), *d = NULL, *forged = NULL;
    uint8_t mac[32], a[32], b[32];
    assert_int_equal(lethe_secret_derive(s, "x", &d), LETHE_OK);
    lethe_secret_mac(s, LETHE_LIT("x"), mac, 32);
    assert_int_equal(lethe_secret_from_bytes(mac, &forged), LETHE_OK);
    lethe_secret_mac(d, LETHE_LIT("m"), a, 32);
    lethe_secret_mac(forged, LETHE_LIT("m"), b, 32);
    assert_memory_not_equal(a, b, 32);
    lethe_rng r = lethe_rng_stream(s, "x", 0);
    lethe_secret_mac(s, (lethe_str){"streamx\0\0\0\0\0\0\0\0\0", 16}, mac, 32);
    assert_memory_not_equal(r.key, mac, 32);
    lethe_secret_free(s);
    lethe_secret_free(d);
    lethe_secret_free(forged);
}

static void random_secrets_differ(void **state)
{
    (void)state;
    lethe_secret *s = NULL, *t = NULL;
    uint8_t a[16], b[16];
    assert_int_equal(lethe_secret_random(&s), LETHE_OK);
    assert_int_equal(lethe_secret_random(&t), LETHE_OK);
    lethe_secret_mac(s, LETHE_LIT("x"), a, 16);
    lethe_secret_mac(t, LETHE_LIT("x"), b, 16);
    assert_memory_not_equal(a, b, 16);
    lethe_secret_free(s);
    lethe_secret_free(t);
}

static void secrets_without_memory_fail_cleanly(void **state)
{
    (void)state;
    lethe_secret *s = counting_key(), *out = NULL;
    uint8_t key[32] = {0};
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_secret_random(&out), LETHE_ENOMEM);
    assert_int_equal(lethe_secret_from_seed(1, &out), LETHE_ENOMEM);
    assert_int_equal(lethe_secret_from_bytes(key, &out), LETHE_ENOMEM);
    assert_int_equal(lethe_secret_derive(s, "x", &out), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_null(out);
    lethe_secret_free(s);
}

/* RFC 8439, appendix A.1, test vectors 1 and 2: the keystream under a key of zeros. */
static void stream_is_the_chacha20_keystream(void **state)
{
    (void)state;
    static const uint8_t want[128] = {
        0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd,
        0x28, 0xbd, 0xd2, 0x19, 0xb8, 0xa0, 0x8d, 0xed, 0x1a, 0xa8, 0x36, 0xef, 0xcc, 0x8b, 0x77,
        0x0d, 0xc7, 0xda, 0x41, 0x59, 0x7c, 0x51, 0x57, 0x48, 0x8d, 0x77, 0x24, 0xe0, 0x3f, 0xb8,
        0xd8, 0x4a, 0x37, 0x6a, 0x43, 0xb8, 0xf4, 0x15, 0x18, 0xa1, 0x1c, 0xc3, 0x87, 0xb6, 0x69,
        0xb2, 0xee, 0x65, 0x86, 0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a, 0x98, 0xba, 0x97,
        0x7c, 0x73, 0x2d, 0x08, 0x0d, 0xcb, 0x0f, 0x29, 0xa0, 0x48, 0xe3, 0x65, 0x69, 0x12, 0xc6,
        0x53, 0x3e, 0x32, 0xee, 0x7a, 0xed, 0x29, 0xb7, 0x21, 0x76, 0x9c, 0xe6, 0x4e, 0x43, 0xd5,
        0x71, 0x33, 0xb0, 0x74, 0xd8, 0x39, 0xd5, 0x31, 0xed, 0x1f, 0x28, 0x51, 0x0a, 0xfb, 0x45,
        0xac, 0xe1, 0x0a, 0x1f, 0x4b, 0x79, 0x4d, 0x6f,
    };
    lethe_rng r = {.used = sizeof r.bytes};
    for (size_t i = 0; i < sizeof want; i += 8) {
        uint64_t v = 0;
        for (size_t j = 0; j < 8; j++)
            v |= (uint64_t)want[i + j] << (8 * j);
        assert_int_equal(lethe_rng_u64(&r), v);
    }
}

static void streams_are_as_documented(void **state)
{
    (void)state;
    static const struct {
        size_t i;
        uint64_t want;
    } cases[] = {{0, 0x33703c065052f1fc},  {1, 0x25fa9c764389a7f9},  {31, 0x18769b07e41464e5},
                 {32, 0x4385c17478e9b5e3}, {33, 0xc19715f4d2eeb41c}, {64, 0xf4a59311296aa72e},
                 {100, 0xc1f3945758fcf827}};
    lethe_secret *s = counting_key();
    lethe_rng r = lethe_rng_stream(s, "choice", 7);
    size_t next = 0;
    for (size_t i = 0; next < LETHE_COUNT(cases); i++) {
        uint64_t v = lethe_rng_u64(&r);
        if (i == cases[next].i) assert_int_equal(v, cases[next++].want);
    }
    lethe_secret_free(s);
    assert_int_equal(lethe_secret_from_seed(42, &s), LETHE_OK);
    r = lethe_rng_stream(s, "", 0);
    assert_int_equal(lethe_rng_u64(&r), 0x88478d899bb62383);
    assert_int_equal(lethe_rng_u64(&r), 0xd455acfbdf01fa67);
    lethe_secret_free(s);
}

static void numbers_below_and_units_are_as_documented(void **state)
{
    (void)state;
    static const uint64_t digits[] = {4, 1, 3, 9, 9, 0, 6, 5};
    lethe_secret *s = counting_key();
    lethe_rng r = lethe_rng_stream(s, "choice", 7);
    for (size_t i = 0; i < LETHE_COUNT(digits); i++)
        assert_int_equal(lethe_rng_below(&r, 10), digits[i]);
    r = lethe_rng_stream(s, "choice", 7);
    assert_true(lethe_rng_unit(&r) == 0x1.9b81e03282978p-3);
    assert_true(lethe_rng_unit(&r) == 0x1.2fd4e3b21c4d0p-3);
    // Of 2^63 + 1 numbers nearly half the draws must be thrown away: of the first eight, six.
    r = lethe_rng_stream(s, "choice", 7);
    uint64_t n = (UINT64_C(1) << 63) + 1;
    assert_int_equal(lethe_rng_below(&r, n), 0x483e32f38f102b07);
    assert_int_equal(lethe_rng_below(&r, n), 0x03d1b7ae7d6fda94);
    assert_int_equal(lethe_rng_below(&r, 1), 0);
    lethe_secret_free(s);
}

static void streams_of_other_labels_and_indexes_differ(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        uint64_t index;
    } streams[] = {{"a", 0}, {"a", 1},  {"b", 0},  {"", 0},           {"ab", 0},
                   {"A", 0}, {"a0", 0}, {"", 'a'}, {"a", UINT64_MAX}, {"a", UINT64_C(1) << 32}};
    lethe_secret *s = counting_key();
    for (size_t i = 0; i < LETHE_COUNT(streams); i++)
        for (size_t j = 0; j <= i; j++) {
            lethe_rng a = lethe_rng_stream(s, streams[i].label, streams[i].index);
            lethe_rng b = lethe_rng_stream(s, streams[j].label, streams[j].index);
            assert_int_equal(lethe_rng_u64(&a) == lethe_rng_u64(&b), i == j);
        }
    lethe_secret_free(s);
}

/* Chi-square over 7 and 1000 cells; the seed is fixed, so the outcome is too. */
static void numbers_below_are_uniform(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double least, most; /* the 0.1 % quantiles at both ends */
    } cases[] = {{7, 0.38, 22.46}, {1000, 865, 1143}};
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_seed(1, &s), LETHE_OK);
    lethe_rng r = lethe_rng_stream(s, "uniform", 0);
    for (size_t c = 0; c < LETHE_COUNT(cases); c++) {
        static double seen[1000];
        const int draws = 200000;
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < draws; i++)
            seen[lethe_rng_below(&r, cases[c].n)]++;
        double expected = draws / (double)cases[c].n, chi2 = 0;
        for (size_t i = 0; i < cases[c].n; i++)
            chi2 += (seen[i] - expected) * (seen[i] - expected) / expected;
        assert_true(chi2 > cases[c].least && chi2 < cases[c].most);
    }
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double u = lethe_rng_unit(&r);
        assert_true(u >= 0 && u < 1);
        sum += u;
    }
    assert_true(sum / 100000 > 0.495 && sum / 100000 < 0.505);
    lethe_secret_free(s);
}

static void wiped_stream_holds_nothing_and_draws_nothing(void **state)
{
    (void)state;
    lethe_secret *s = counting_key();
    lethe_rng r = lethe_rng_stream(s, "x", 1), zero;
    lethe_rng_u64(&r);
    lethe_rng_wipe(&r);
    memset(&zero, 0, sizeof zero);
    assert_memory_equal(&r, &zero, sizeof r);
    lethe_secret_free(s);
    pid_t child = fork(); // drawing from it is a bug of ours, and must not give zeros
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        lethe_rng_u64(&r);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macs_are_keyed_blake2b),
        cmocka_unit_test(derived_and_seeded_secrets_are_as_documented),
        cmocka_unit_test(no_mac_is_a_derived_secret),
        cmocka_unit_test(random_secrets_differ),
        cmocka_unit_test(secrets_without_memory_fail_cleanly),
        cmocka_unit_test(stream_is_the_chacha20_keystream),
        cmocka_unit_test(streams_are_as_documented),
        cmocka_unit_test(numbers_below_and_units_are_as_documented),
        cmocka_unit_test(streams_of_other_labels_and_indexes_differ),
        cmocka_unit_test(numbers_below_are_uniform),
        cmocka_unit_test(wiped_stream_holds_nothing_and_draws_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
