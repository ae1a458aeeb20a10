/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/dict.h"
#include "core/rng.h"
#include <stdio.h>
#include <stdlib.h>

/* --- the oracle: a list, searched from the front --- */

typedef struct naive {
    struct {
        char *at;
        size_t n;
    } * list;
    size_t n, cap;
} naive;

static uint32_t naive_find(const naive *l, lethe_str s)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].n == s.n && (s.n == 0 || memcmp(l->list[i].at, s.at, s.n) == 0))
            return (uint32_t)i;
    return LETHE_NONE;
}

static uint32_t naive_add(naive *l, lethe_str s)
{
    uint32_t id = naive_find(l, s);
    if (id != LETHE_NONE) return id;
    if (l->n == l->cap) {
        l->cap = 2 * l->cap + 16;
        l->list = realloc(l->list, l->cap * sizeof *l->list);
    }
    l->list[l->n].at = malloc(s.n + 1);
    l->list[l->n].n = s.n;
    if (s.n) memcpy(l->list[l->n].at, s.at, s.n);
    return (uint32_t)l->n++;
}

static void naive_free(naive *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->list[i].at);
    free(l->list);
    *l = (naive){0};
}

/* --- random strings: short ones, so that they repeat; any byte; lengths about 0x7f and 0x80, where
 * the stored length takes another byte; now and then a long one --- */

static lethe_rng rng_of(uint64_t seed)
{
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_seed(seed, &s), LETHE_OK);
    lethe_rng r = lethe_rng_stream(s, "dict", 0);
    lethe_secret_free(s);
    return r;
}

static lethe_str random_string(lethe_rng *r, char *buf, size_t cap)
{
    size_t n;
    switch (lethe_rng_below(r, 50)) {
    case 0:
        n = 126 + lethe_rng_below(r, 4);
        break;
    case 1:
        n = lethe_rng_below(r, cap);
        break;
    case 2:
        n = 0;
        break;
    default:
        n = 1 + lethe_rng_below(r, 3);
    }
    uint64_t letters = lethe_rng_below(r, 2) ? 4 : 256;
    bool repeats = n > 3 && lethe_rng_below(r, 2);
    for (size_t i = 0; i < n; i++)
        buf[i] = (char)(repeats && i + 1 < n ? 'x' : lethe_rng_below(r, letters));
    return (lethe_str){buf, n};
}

static void assert_agree(const lethe_dict *d, const naive *l)
{
    assert_int_equal(lethe_dict_count(d), l->n);
    for (uint32_t i = 0; i < l->n; i++) {
        lethe_str s = lethe_dict_at(d, i);
        assert_int_equal(s.n, l->list[i].n);
        if (s.n) assert_memory_equal(s.at, l->list[i].at, s.n);
        assert_int_equal(lethe_dict_find(d, s), i);
    }
}

static void random_round(lethe_dict *d, uint64_t seed, size_t steps)
{
    static char buf[70000];
    naive l = {0};
    lethe_rng r = rng_of(seed);
    size_t cap = seed % 20 == 0 ? sizeof buf : 3000;
    for (size_t i = 0; i < steps; i++) {
        lethe_str s = random_string(&r, buf, cap);
        uint32_t got = 12345, want;
        if (lethe_rng_below(&r, 3) == 0) {
            got = lethe_dict_find(d, s);
            want = naive_find(&l, s);
        } else {
            assert_int_equal(lethe_dict_add(d, s, &got), LETHE_OK);
            want = naive_add(&l, s);
        }
        if (got != want) fail_msg("seed %llu, step %zu", (unsigned long long)seed, i);
    }
    assert_agree(d, &l);
    naive_free(&l);
}

static void agrees_with_a_list(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        lethe_dict *d = lethe_dict_new();
        random_round(d, seed, seed % 100 == 0 ? 2000 : 10 + seed % 97);
        assert_false(lethe_dict_is_keyed(d));
        lethe_dict_free(d);
    }
    lethe_dict_free(NULL);
}

/* --- hashes that fail --- */

static uint64_t constant(const void *p, size_t n, uint64_t seed)
{
    (void)p, (void)n, (void)seed;
    return 0x123456789abcdef0;
}

/* At the end of the table, so that runs go round. */
static uint64_t all_ones(const void *p, size_t n, uint64_t seed)
{
    (void)p, (void)n, (void)seed;
    return UINT64_MAX;
}

/* Differs in bits that say nothing about the home. */
static uint64_t weak_low(const void *p, size_t n, uint64_t seed)
{
    (void)seed;
    return n ? (uint64_t) * (const uint8_t *)p << 32 : 0;
}

static uint64_t by_length(const void *p, size_t n, uint64_t seed)
{
    (void)p, (void)seed;
    return (uint64_t)n << 56;
}

static const lethe_hash_fn bad_hashes[] = {constant, all_ones, weak_low, by_length};

static void bad_hashes_give_right_answers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        lethe_dict *d = lethe_dict_new_with(bad_hashes[seed % LETHE_COUNT(bad_hashes)]);
        random_round(d, seed, seed % 40 < 4 ? 2500 : 100);
        lethe_dict_free(d);
    }
}

static void hostile_strings_turn_the_key_and_numbers_stay(void **state)
{
    (void)state;
    for (size_t h = 0; h < LETHE_COUNT(bad_hashes); h++) {
        lethe_dict *d = lethe_dict_new_with(bad_hashes[h]);
        char text[16];
        const char *first = NULL;
        uint32_t turned = 0;
        for (uint32_t i = 0; i < 50000; i++) {
            uint32_t id;
            int n = snprintf(text, sizeof text, "%u", i + 100000); // of one length
            assert_int_equal(lethe_dict_add(d, (lethe_str){text, (size_t)n}, &id), LETHE_OK);
            assert_int_equal(id, i);
            if (!first) first = lethe_dict_at(d, 0).at;
            if (!turned && lethe_dict_is_keyed(d)) turned = i;
        }
        assert_in_range(turned, 100, 2000);
        assert_ptr_equal(first, lethe_dict_at(d, 0).at); // views outlive the rebuilding
        for (uint32_t i = 0; i < 50000; i++) {
            int n = snprintf(text, sizeof text, "%u", i + 100000);
            lethe_str s = {text, (size_t)n};
            assert_int_equal(lethe_dict_find(d, s), i);
            assert_true(lethe_str_eq(lethe_dict_at(d, i), s));
        }
        assert_int_equal(lethe_dict_find(d, LETHE_LIT("99999")), LETHE_NONE);
        lethe_dict_free(d);
    }
}

/* --- large, and what it costs --- */

static void many_strings_keep_their_numbers_views_and_memory(void **state)
{
    (void)state;
    enum { N = 400000 };
    lethe_dict *d = lethe_dict_new();
    char text[32];
    lethe_str early[100];
    size_t bytes = 0;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t id;
        lethe_str s = {text, (size_t)snprintf(text, sizeof text, "query number %u", i)};
        bytes += s.n;
        assert_int_equal(lethe_dict_add(d, s, &id), LETHE_OK);
        assert_int_equal(id, i);
        if (i < LETHE_COUNT(early)) early[i] = lethe_dict_at(d, i);
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t id;
        lethe_str s = {text, (size_t)snprintf(text, sizeof text, "query number %u", i)};
        assert_int_equal(lethe_dict_add(d, s, &id), LETHE_OK);
        assert_int_equal(id, i);
        if (i < LETHE_COUNT(early)) {
            assert_ptr_equal(early[i].at, lethe_dict_at(d, i).at);
            assert_true(lethe_str_eq(early[i], s));
        }
    }
    assert_int_equal(lethe_dict_count(d), N);
    assert_false(lethe_dict_is_keyed(d));
    // A string costs its bytes, one for the length, 8 for its beginning, at most 8 / 0.35 of slots.
    size_t most = bytes + (size_t)N * (1 + 8 + 23) + (2 << 20);
    assert_in_range(lethe_dict_bytes(d), bytes + (size_t)N * 20, most);
    lethe_dict_free(d);
}

static void small_ones_are_small(void **state)
{
    (void)state;
    lethe_dict *d = lethe_dict_new();
    uint32_t id;
    assert_int_equal(lethe_dict_find(d, LETHE_LIT("")), LETHE_NONE);
    assert_int_equal(lethe_dict_add(d, (lethe_str){NULL, 0}, &id), LETHE_OK);
    assert_int_equal(lethe_dict_add(d, LETHE_LIT("a"), &id), LETHE_OK);
    assert_int_equal(id, 1);
    assert_int_equal(lethe_dict_find(d, LETHE_LIT("")), 0);
    assert_int_equal(lethe_dict_at(d, 0).n, 0);
    assert_true(lethe_dict_bytes(d) < 8192);
    lethe_dict_free(d);
}

/* --- no memory --- */

/* Adds strings until one fails at the n-th allocation; then everything must be as before, and the
 * dictionary go on once there is memory again. */
static bool round_without_memory(lethe_hash_fn hash, uint64_t n, uint32_t strings)
{
    naive l = {0};
    char text[2000];
    bool failed = false;
    lethe_alloc_fail_at(n);
    lethe_dict *d = lethe_dict_new_with(hash);
    if (!d) {
        lethe_alloc_fail_at(0);
        return true;
    }
    for (uint32_t i = 0; i < strings; i++) {
        size_t len = i % 37 == 0 ? 1500 : 8;
        memset(text, 'x', len);
        snprintf(text, 9, "%08u", i);
        lethe_str s = {text, len};
        uint32_t id = 777;
        lethe_err e = lethe_dict_add(d, s, &id);
        if (e != LETHE_OK) {
            failed = true;
            assert_int_equal(e, LETHE_ENOMEM);
            assert_int_equal(id, 777);
            assert_int_equal(lethe_dict_find(d, s), LETHE_NONE);
            if (i) assert_int_equal(lethe_dict_add(d, lethe_dict_at(d, i / 2), &id), LETHE_OK);
            assert_agree(d, &l);
            lethe_alloc_fail_at(0);
            assert_int_equal(lethe_dict_add(d, s, &id), LETHE_OK);
        }
        assert_int_equal(id, i);
        assert_int_equal(naive_add(&l, s), i);
    }
    lethe_alloc_fail_at(0);
    assert_agree(d, &l);
    lethe_dict_free(d);
    naive_free(&l);
    return failed;
}

static void every_failing_allocation_leaves_it_whole(void **state)
{
    (void)state;
    static const lethe_hash_fn hashes[] = {NULL, constant};
    for (size_t h = 0; h < LETHE_COUNT(hashes); h++) {
        uint64_t n = 1;
        while (round_without_memory(hashes[h], n, 700))
            n++;
        assert_in_range(n, 15, 200); // growing, rebuilding, chunks and segments all had their turn
    }
}

/* Beyond the first segment, without the slow oracle. */
static void failing_segments_leave_it_whole(void **state)
{
    (void)state;
    char text[16];
    lethe_dict *d = lethe_dict_new();
    uint32_t failures = 0;
    for (uint32_t i = 0; i < 70000; i++) {
        lethe_str s = {text, (size_t)snprintf(text, sizeof text, "%u", i)};
        uint32_t id;
        lethe_err e;
        uint64_t n = 1; // the first allocation of this call fails, then the second, ...
        do {
            lethe_alloc_fail_at(n++);
            e = lethe_dict_add(d, s, &id);
            lethe_alloc_fail_at(0);
            failures += e != LETHE_OK;
        } while (e == LETHE_ENOMEM);
        assert_int_equal(e, LETHE_OK);
        assert_int_equal(id, i);
    }
    assert_true(failures > 20);
    for (uint32_t i = 0; i < 70000; i++) {
        lethe_str s = {text, (size_t)snprintf(text, sizeof text, "%u", i)};
        assert_int_equal(lethe_dict_find(d, s), i);
        assert_true(lethe_str_eq(lethe_dict_at(d, i), s));
    }
    lethe_dict_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_list),
        cmocka_unit_test(bad_hashes_give_right_answers),
        cmocka_unit_test(hostile_strings_turn_the_key_and_numbers_stay),
        cmocka_unit_test(many_strings_keep_their_numbers_views_and_memory),
        cmocka_unit_test(small_ones_are_small),
        cmocka_unit_test(every_failing_allocation_leaves_it_whole),
        cmocka_unit_test(failing_segments_leave_it_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
