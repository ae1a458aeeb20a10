/* SPDX-License-Identifier: Apache-2.0 */
/* test_io_sorter.c - the sorter's contract, clause by clause.  Random inputs: prop/test_sorter.c.
 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "io/sort/sorter.h"
#include "io/sort/sorter_internal.h"
#include "core/mem.h"
#include "sanitized.h"

static const lethe_order both[] = {LETHE_ORDER_GROUP, LETHE_ORDER_BYTES};
static const uint64_t CAP_MIN = 1 << 20, CAP_LARGE = (uint64_t)512 << 20;

static lethe_ctx *ctx_of(unsigned n_threads)
{
    lethe_ctx *ctx;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = n_threads}, &ctx), LETHE_OK);
    return ctx;
}

static lethe_sorter *sorter_of(lethe_ctx *ctx, lethe_order order, uint64_t cap)
{
    lethe_sorter *s;
    assert_int_equal(lethe_sorter_new(ctx, order, cap, &s), LETHE_OK);
    return s;
}

static void put_text(lethe_sorter *s, const char *text)
{
    assert_int_equal(lethe_sorter_put(s, 0, text, strlen(text)), LETHE_OK);
}

/* Record i of a family: one key, `n` of them, the numbers scattered. */
static size_t one_key(char *to, size_t i, size_t n)
{
    memcpy(to, "the key", 8);
    return 8 + (size_t)sprintf(to + 8, "%08zu and so on, for some fifty bytes", i * 7919 % n);
}

static void put_one_key(lethe_sorter *s, size_t n)
{
    char buf[100];
    for (size_t i = 0; i < n; i++)
        assert_int_equal(lethe_sorter_put(s, 0, buf, one_key(buf, i, n)), LETHE_OK);
}

static lethe_err count(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    lethe_str r;
    while (lethe_sorted_next(it, &r))
        __atomic_add_fetch((size_t *)arg, 1, __ATOMIC_RELAXED);
    return LETHE_OK; // does not ask for the error: each must find it itself
}

/* --- small --- */

static lethe_err expect_empty(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    lethe_str r;
    if (lethe_sorted_next(it, &r) || lethe_sorted_err(it) != LETHE_OK) return LETHE_EINPUT;
    lethe_sorted_mark(it);
    LETHE_TRY(lethe_sorted_rewind(it));
    if (lethe_sorted_next(it, &r)) return LETHE_EINPUT;
    __atomic_add_fetch((size_t *)arg, 1, __ATOMIC_RELAXED);
    return LETHE_OK;
}

static void nothing_put_gives_parts_with_nothing(void **state)
{
    (void)state;
    for (size_t o = 0; o < 2; o++) {
        lethe_ctx *ctx = ctx_of(2);
        lethe_sorter *s = sorter_of(ctx, both[o], CAP_MIN);
        size_t calls = 0;
        uint64_t records = 1, bytes = 1;
        assert_int_equal(lethe_sorter_count(s), 0);
        assert_int_equal(lethe_sorter_bytes(s), 0);
        assert_true(lethe_sorter_parts(s) >= 1);
        lethe_sorter_part_size(s, 0, &records, &bytes);
        assert_int_equal(records + bytes, 0);
        assert_int_equal(lethe_sorter_each(s, expect_empty, &calls), LETHE_OK);
        assert_int_equal(calls, lethe_sorter_parts(s));
        assert_int_equal(lethe_sorter_spilled(s), 0);
        lethe_sorter_free(s);
        lethe_ctx_free(ctx);
    }
    lethe_sorter_free(NULL);
}

static lethe_err join(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    lethe_str r;
    while (lethe_sorted_next(it, &r)) {
        size_t n = strlen(arg);
        snprintf((char *)arg + n, 200 - n, "%.*s|", (int)r.n, r.at);
    }
    return LETHE_OK;
}

static void bytes_put_a_prefix_first(void **state)
{
    (void)state;
    char got[200] = "";
    lethe_ctx *ctx = ctx_of(1);
    lethe_sorter *s = sorter_of(ctx, LETHE_ORDER_BYTES, CAP_MIN);
    static const char *const in[] = {"b", "abcdefghij", "", "abcdefgh", "\xff", "abcdefg", "a", ""};
    for (size_t i = 0; i < LETHE_COUNT(in); i++)
        put_text(s, in[i]);
    assert_int_equal(lethe_sorter_count(s), 8);
    assert_int_equal(lethe_sorter_bytes(s), 28);
    assert_int_equal(lethe_sorter_each(s, join, got), LETHE_OK);
    assert_string_equal(got, "||a|abcdefg|abcdefgh|abcdefghij|b|\xff|");
    lethe_sorter_free(s);
    lethe_ctx_free(ctx);
}

/* Entries whose hashes are all equal: keys must stay together even then. */
static void equal_hashes_do_not_mix_groups(void **state)
{
    (void)state;
    const lethe_str in[] = {LETHE_LIT("ab\0z"), LETHE_LIT("a\0b"), LETHE_LIT("ab"),
                            LETHE_LIT("a"),     LETHE_LIT("ab\1"), LETHE_LIT("ab\0a"),
                            LETHE_LIT("a\0a"),  LETHE_LIT("")};
    static const size_t want[] = {7, 3, 6, 1, 2, 5, 0, 4};
    uint8_t store[8][16 + LETHE_REC_SLACK] = {{0}};
    lethe_entry e[8], tmp[8];
    for (size_t i = 0; i < 8; i++) {
        lethe_rec_put(store[i], in[i].at, in[i].n);
        e[i] = (lethe_entry){42, store[i]};
    }
    lethe_entries_sort(e, 8, tmp, LETHE_ORDER_GROUP);
    for (size_t i = 0; i < 8; i++)
        assert_ptr_equal(e[i].rec, store[want[i]]);
}

/* Splitters that agree in many bytes, in eight after those, or wholly. */
static void router_agrees_with_comparison(void **state)
{
    (void)state;
    const char *texts[] = {"a",
                           "common",
                           "commonAAAAAAAA",
                           "commonAAAAAAAAb",
                           "commonAAAAAAAAc",
                           "commonAAAAAAAAcc",
                           "commonB",
                           "d",
                           "common\xff",
                           "comm",
                           ""};
    uint64_t keys[4];
    lethe_str rest[4] = {LETHE_LIT(""), LETHE_LIT("AAAAAAAAb"), LETHE_LIT("AAAAAAAAc"),
                         LETHE_LIT("B")};
    for (size_t i = 0; i < 4; i++) {
        uint8_t padded[8] = {0};
        memcpy(padded, rest[i].at, LETHE_MIN(rest[i].n, (size_t)8));
        keys[i] = lethe_be64_get(padded);
    }
    lethe_router r = {
        .n = 4, .n_common = 6, .common = (uint8_t *)"common", .keys = keys, .rest = rest};
    for (size_t t = 0; t < LETHE_COUNT(texts); t++) {
        size_t want = 0;
        for (size_t i = 0; i < 4; i++) {
            char whole[32];
            snprintf(whole, sizeof whole, "common%.*s", (int)rest[i].n, rest[i].at);
            want += lethe_str_cmp(lethe_str_of(whole), lethe_str_of(texts[t])) <= 0;
        }
        size_t got = lethe_router_find(&r, (const uint8_t *)texts[t], strlen(texts[t]));
        assert_int_equal(got, want);
    }
}

/* --- mark and rewind --- */

typedef struct expected {
    size_t n;
    bool seen, on_disk;
} expected;

static bool is_number(lethe_str r, size_t i)
{
    char want[100];
    size_t n = 8 + (size_t)sprintf(want + 8, "%08zu and so on, for some fifty bytes", i);
    memcpy(want, "the key", 8);
    return r.n == n && memcmp(r.at, want, n) == 0;
}

static bool next_is(lethe_sorted *it, size_t i)
{
    lethe_str r;
    return lethe_sorted_next(it, &r) && is_number(r, i);
}

/* The giant group holds the numbers 0..n-1 in order: places can be foretold. */
static lethe_err jump_about(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    expected *x = arg;
    lethe_str r, before;
    LETHE_TRY(lethe_sorted_rewind(it));                   // no mark yet: the start
    if (!lethe_sorted_next(it, &before)) return LETHE_OK; // a part without the group
    x->seen = true;
    x->on_disk = it->on_disk;
    if (!is_number(before, 0)) return LETHE_EINPUT;
    lethe_sorted_mark(it);
    for (size_t i = 1; i < x->n; i++) {
        if (!lethe_sorted_next(it, &r) || !is_number(r, i)) return LETHE_EINPUT;
        if (!is_number(before, i - 1)) return LETHE_EINPUT; // still valid
        before = r;
    }
    if (lethe_sorted_next(it, &r)) return LETHE_EINPUT;
    uint64_t dice = 1;
    size_t marked = 0, at = x->n, last = x->n - 1; // `at` comes next
    for (int k = 0; k < 300; k++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        LETHE_TRY(lethe_sorted_rewind(it));
        LETHE_TRY(lethe_sorted_rewind(it)); // twice is once
        last = at = marked;
        size_t steps = (dice >> 40) % 4 == 0 ? 0 : (dice >> 33) % 200; // a mark right after too
        for (; steps > 0 && at < x->n; steps--, at++) {
            if (!next_is(it, at)) return LETHE_EINPUT;
            last = at;
        }
        if (dice >> 63) {
            lethe_sorted_mark(it);
            marked = last;
        }
    }
    return LETHE_OK;
}

static void check_jumps(size_t n, uint64_t cap, bool on_disk)
{
    for (size_t o = 0; o < 2; o++) {
        lethe_ctx *ctx = ctx_of(2);
        lethe_sorter *s = sorter_of(ctx, both[o], cap);
        expected x = {.n = n};
        put_one_key(s, n);
        // In BYTES the group is cut into parts, and numbers do not begin at 0 in each.
        if (both[o] == LETHE_ORDER_GROUP) {
            assert_int_equal(lethe_sorter_each(s, jump_about, &x), LETHE_OK);
            assert_true(x.seen);
            assert_int_equal(x.on_disk, on_disk);
        } else {
            size_t got = 0;
            assert_int_equal(lethe_sorter_each(s, count, &got), LETHE_OK);
            assert_int_equal(got, n);
        }
        assert_int_equal(lethe_sorter_spilled(s) > 0, on_disk);
        lethe_sorter_free(s);
        lethe_ctx_free(ctx);
    }
}

static void rewind_returns_to_the_mark_in_memory(void **state)
{
    (void)state;
    check_jumps(1, CAP_MIN, false);
    check_jumps(5000, CAP_LARGE, false);
}

static void a_group_larger_than_memory_can_be_read_twice(void **state)
{
    (void)state;
    check_jumps(300000, CAP_MIN, true);
}

/* --- sizes --- */

/* Long records: around one byte of length, around a chunk, far more than the budget. */
static void records_of_any_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {0,     1,     253,   254,     255,     256,    900,
                                     65470, 65490, 65536, 1 << 20, 3 << 20, 5 << 20};
    char *buf = malloc(5 << 20);
    assert_non_null(buf);
    memset(buf, 'x', 5 << 20);
    for (size_t o = 0; o < 2; o++) {
        for (uint64_t cap = CAP_MIN; cap <= CAP_LARGE; cap *= 512) {
            lethe_ctx *ctx = ctx_of(2);
            lethe_sorter *s = sorter_of(ctx, both[o], cap);
            uint64_t bytes = 0;
            for (size_t k = 0; k < 3; k++) {
                for (size_t i = 0; i < LETHE_COUNT(lengths); i++) {
                    assert_int_equal(lethe_sorter_put(s, (unsigned)(k % 2), buf, lengths[i]), 0);
                    bytes += lengths[i];
                }
            }
            size_t n = 0;
            assert_int_equal(lethe_sorter_bytes(s), bytes);
            assert_int_equal(lethe_sorter_each(s, count, &n), LETHE_OK);
            assert_int_equal(n, 3 * LETHE_COUNT(lengths));
            assert_int_equal(lethe_sorter_spilled(s) > 0, cap == CAP_MIN);
            lethe_sorter_free(s);
            lethe_ctx_free(ctx);
        }
    }
    free(buf);
}

/* No input makes the sort quadratic: each of these would take minutes. */
static void hard_inputs_stay_linear(void **state)
{
    (void)state;
    enum { MANY = 400000, DEEP = 3000 };
    char *buf = malloc(DEEP + 100);
    assert_non_null(buf);
    memset(buf, 'x', DEEP + 100);
    for (size_t o = 0; o < 2; o++) {
        lethe_ctx *ctx = ctx_of(1);
        lethe_sorter *s = sorter_of(ctx, both[o], CAP_LARGE);
        for (size_t i = 0; i < MANY; i++) // equal ones
            assert_int_equal(lethe_sorter_put(s, 0, buf, 60), LETHE_OK);
        for (size_t i = 0; i < DEEP; i++) // each is the beginning of the next
            assert_int_equal(lethe_sorter_put(s, 0, buf, DEEP - i), LETHE_OK);
        for (size_t i = 0; i < 20000; i++) { // a long common beginning
            sprintf(buf + 1000, "%zu", i * 7919 % 20000);
            assert_int_equal(lethe_sorter_put(s, 0, buf, 1006), LETHE_OK);
        }
        size_t n = 0;
        assert_int_equal(lethe_sorter_each(s, count, &n), LETHE_OK);
        assert_int_equal(n, MANY + DEEP + 20000);
        lethe_sorter_free(s);
        lethe_ctx_free(ctx);
    }
    free(buf);
}

static size_t held_now(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

typedef struct watch {
    size_t before, peak, n;
} watch;

static void look(watch *x)
{
    size_t now = held_now();
    if (now > x->before) x->peak = LETHE_MAX(x->peak, now - x->before);
}

static lethe_err count_and_look(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    watch *x = arg;
    lethe_str r;
    for (; lethe_sorted_next(it, &r); x->n++)
        if (x->n % 64 == 0) look(x);
    return lethe_sorted_err(it);
}

/* Thirty times the budget goes through it, spread over keys or all under one. */
static void memory_stays_within_the_cap(void **state)
{
    (void)state;
    if (SANITIZED) skip(); // their allocators do not tell
    const size_t cap = 4 << 20, n = 2000000;
    for (size_t o = 0; o < 4; o++) {
        lethe_ctx *ctx = ctx_of(1);
        watch x = {.before = held_now()};
        lethe_sorter *s = sorter_of(ctx, both[o % 2], cap);
        char buf[100];
        for (size_t i = 0; i < n; i++) {
            int k = o < 2 ? sprintf(buf, "key %zu", i * 7919 % 1000003) : sprintf(buf, "the key");
            k += 1 + sprintf(buf + k + 1, "%010zu and so on, for fifty bytes", i * 7919 % n);
            assert_int_equal(lethe_sorter_put(s, 0, buf, (size_t)k), LETHE_OK);
            if (i % 512 == 0) look(&x);
        }
        assert_int_equal(lethe_sorter_each(s, count_and_look, &x), LETHE_OK);
        assert_int_equal(x.n, n);
        assert_true(x.peak > cap / 4); // the watch sees something
        assert_true(x.peak <= cap + (256 << 10));
        lethe_sorter_free(s);
        assert_true(held_now() <= x.before + 4096);
        lethe_ctx_free(ctx);
    }
}

static lethe_err compare_size(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)w;
    const lethe_sorter *s = arg;
    uint64_t records, bytes, n = 0, sum = 0;
    lethe_sorter_part_size(s, part, &records, &bytes);
    for (lethe_str r; lethe_sorted_next(it, &r); n++)
        sum += r.n;
    return n == records && sum == bytes ? LETHE_OK : LETHE_EINPUT;
}

static void part_sizes_are_known_before_and_while_reading(void **state)
{
    (void)state;
    for (uint64_t cap = CAP_MIN; cap <= CAP_LARGE; cap *= 512) {
        lethe_ctx *ctx = ctx_of(2);
        lethe_sorter *s = sorter_of(ctx, LETHE_ORDER_BYTES, cap);
        put_one_key(s, 60000);
        assert_true(lethe_sorter_parts(s) > 4);
        uint64_t sum = 0, most = 0;
        for (size_t p = 0; p < lethe_sorter_parts(s); p++) {
            uint64_t records, bytes;
            lethe_sorter_part_size(s, p, &records, &bytes);
            assert_int_equal(bytes, records * 48);
            sum += records;
            most = LETHE_MAX(most, records);
        }
        assert_int_equal(sum, 60000);
        assert_true(most < 4 * 60000 / lethe_sorter_parts(s)); // the sample was a good one
        assert_int_equal(lethe_sorter_each(s, compare_size, s), LETHE_OK);
        lethe_sorter_free(s);
        lethe_ctx_free(ctx);
    }
}

/* --- several workers --- */

typedef struct chain {
    lethe_sorter *from, *to;
} chain;

static lethe_err put_numbers(void *arg, size_t i, unsigned w)
{
    char buf[64];
    for (size_t k = 0; k < 1000; k++) {
        size_t x = i * 1000 + k;
        int n = sprintf(buf, "%zu", x % 997);
        n += 1 + sprintf(buf + n + 1, "%zu", x);
        LETHE_TRY(lethe_sorter_put(((chain *)arg)->from, w, buf, (size_t)n));
    }
    return LETHE_OK;
}

static lethe_err put_on(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part;
    lethe_str r;
    while (lethe_sorted_next(it, &r))
        LETHE_TRY(lethe_sorter_put(((chain *)arg)->to, w, r.at, r.n));
    return lethe_sorted_err(it);
}

static void one_sorter_feeds_another(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        lethe_ctx *ctx = ctx_of(threads);
        chain c = {sorter_of(ctx, LETHE_ORDER_GROUP, CAP_MIN),
                   sorter_of(ctx, LETHE_ORDER_BYTES, CAP_MIN)};
        assert_int_equal(lethe_pool_for(ctx, 100, put_numbers, &c), LETHE_OK);
        assert_int_equal(lethe_sorter_each(c.from, put_on, &c), LETHE_OK);
        assert_int_equal(lethe_sorter_count(c.to), 100000);
        assert_int_equal(lethe_sorter_bytes(c.to), lethe_sorter_bytes(c.from));
        size_t n = 0;
        assert_int_equal(lethe_sorter_each(c.to, count, &n), LETHE_OK);
        assert_int_equal(n, 100000);
        lethe_sorter_free(c.from);
        lethe_sorter_free(c.to);
        lethe_ctx_free(ctx);
    }
}

/* --- failures --- */

static lethe_err refuse_third(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)w, (void)it;
    __atomic_add_fetch((size_t *)arg, 1, __ATOMIC_RELAXED);
    return part == 3 ? LETHE_ANSWER_NO : LETHE_OK;
}

static void an_error_of_fn_stops_and_is_handed_on(void **state)
{
    (void)state;
    for (uint64_t cap = CAP_MIN; cap <= CAP_LARGE; cap *= 512) {
        lethe_ctx *ctx = ctx_of(1);
        lethe_sorter *s = sorter_of(ctx, LETHE_ORDER_BYTES, cap);
        put_one_key(s, 60000);
        size_t calls = 0;
        assert_int_equal(lethe_sorter_each(s, refuse_third, &calls), LETHE_ANSWER_NO);
        assert_int_equal(calls, 4);
        lethe_sorter_free(s);
        lethe_ctx_free(ctx);
    }
}

static void keep_message(void *arg, const lethe_message *m) { snprintf(arg, 200, "%s", m->text); }

static void a_sorter_is_read_once(void **state)
{
    (void)state;
    for (size_t o = 0; o < 2; o++) {
        char said[200] = "";
        lethe_settings set = {.n_threads = 1, .on_message = keep_message, .user = said};
        lethe_ctx *ctx;
        assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
        lethe_sorter *s = sorter_of(ctx, both[o], CAP_MIN);
        put_text(s, "once");
        size_t n = 0;
        assert_int_equal(lethe_sorter_each(s, count, &n), LETHE_OK);
        assert_int_equal(n, 1);
        assert_int_equal(lethe_sorter_each(s, count, &n), LETHE_EINTERNAL);
        assert_string_equal(said, LETHE_FAULT "the sorter was read already");
        assert_int_equal(lethe_sorter_put(s, 0, "late", 4), LETHE_EINTERNAL);
        lethe_sorter_free(s);
        lethe_ctx_free(ctx);
    }
}

/* Puts until it fails or 60000 are in, then reads: the first error, if any. */
static lethe_err try_all(lethe_ctx *ctx, lethe_order order, bool one_group, size_t *n_read)
{
    lethe_sorter *s = NULL;
    char buf[100];
    lethe_err e = lethe_sorter_new(ctx, order, CAP_MIN, &s);
    for (size_t i = 0; e == LETHE_OK && i < 60000; i++) {
        size_t n = one_key(buf, i, 60000);
        if (!one_group) memcpy(buf, buf + 8, 7);
        e = lethe_sorter_put(s, 0, buf, n);
    }
    *n_read = 0;
    if (s) { // even after a failed put: it must say no
        lethe_err read = lethe_sorter_each(s, count, n_read);
        if (e != LETHE_OK) assert_int_equal(read, e);
        e = read;
    }
    lethe_sorter_free(s);
    return e;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    for (size_t o = 0; o < 4; o++) {
        size_t n = 0;
        lethe_err e = LETHE_ENOMEM;
        // All of the first ones, which make the sorter, then ever fewer of those that fill it.
        for (uint64_t k = 1; e != LETHE_OK; k += 1 + k / 24) {
            lethe_alloc_fail_at(k);
            e = try_all(ctx, both[o % 2], o < 2, &n);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        }
        assert_int_equal(n, 60000);
    }
    lethe_ctx_free(ctx);
}

/* Those of reading come last: count back from the end. */
static void every_late_allocation_may_fail(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    for (size_t o = 0; o < 4; o++) {
        size_t n;
        uint64_t start = lethe_alloc_count();
        assert_int_equal(try_all(ctx, both[o % 2], o < 2, &n), LETHE_OK);
        uint64_t total = lethe_alloc_count() - start;
        for (uint64_t back = 0; back < 24 && back < total; back++) {
            lethe_alloc_fail_at(total - back);
            lethe_err e = try_all(ctx, both[o % 2], o < 2, &n);
            lethe_alloc_fail_at(0);
            // Where the hash scatters differently, one or two more may be needed than before.
            assert_true(e == LETHE_ENOMEM || (e == LETHE_OK && n == 60000));
        }
    }
    lethe_ctx_free(ctx);
}

static void no_place_to_spill_is_eio(void **state)
{
    (void)state;
    char said[200] = "";
    lethe_ctx *ctx;
    size_t n;
    lethe_settings set = {
        .n_threads = 1, .spill_dir = "/nonexistent", .on_message = keep_message, .user = said};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    for (size_t o = 0; o < 2; o++) {
        assert_int_equal(try_all(ctx, both[o], true, &n), LETHE_EIO);
        assert_int_equal(n, 0);
        assert_non_null(strstr(said, "cannot create a file in '/nonexistent'"));
    }
    lethe_ctx_free(ctx);
}

/* At every size the file may reach, writing fails once, while putting, writing runs, or merging. */
static void a_full_disk_is_eio(void **state)
{
    (void)state;
    char said[200] = "";
    lethe_ctx *ctx;
    size_t n;
    lethe_settings set = {.n_threads = 1, .on_message = keep_message, .user = said};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    struct rlimit old, now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (size_t o = 0; o < 2; o++) {
        lethe_err e = LETHE_EIO;
        size_t n_failed = 0;
        for (rlim_t size = 100000; e != LETHE_OK; size += 700000, n_failed++) {
            now = (struct rlimit){size, old.rlim_max};
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
            e = try_all(ctx, both[o], true, &n);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
            assert_true(e == LETHE_OK || e == LETHE_EIO);
            if (e == LETHE_EIO) assert_non_null(strstr(said, "cannot write 'temporary file'"));
        }
        assert_int_equal(n, 60000);
        assert_true(n_failed > 3);
    }
    signal(SIGXFSZ, handler);
    lethe_ctx_free(ctx);
}

/* The file shrinks under the reader, and fn takes the failure for the end. */
static lethe_err lose_file(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    lethe_sorter *s = arg;
    lethe_str r;
    if (!lethe_sorted_next(it, &r)) return LETHE_OK;
    if (ftruncate(s->files[0].fd, 0) != 0) return LETHE_EUSAGE;
    while (lethe_sorted_next(it, &r))
        continue;
    if (lethe_sorted_err(it) != LETHE_EIO || lethe_sorted_next(it, &r)) return LETHE_EUSAGE;
    return LETHE_OK;
}

static void a_failed_read_is_not_taken_for_the_end(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_sorter *s = sorter_of(ctx, LETHE_ORDER_GROUP, CAP_MIN);
    put_one_key(s, 100000);
    assert_int_equal(lethe_sorter_each(s, lose_file, s), LETHE_EIO);
    lethe_sorter_free(s);
    lethe_ctx_free(ctx);
}

static lethe_err cancel_then_read(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part, (void)w;
    lethe_str r;
    lethe_ctx_cancel(arg);
    while (lethe_sorted_next(it, &r))
        continue;
    return lethe_sorted_err(it);
}

static void cancelling_ends_putting_and_reading(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(2);
    lethe_sorter *s = sorter_of(ctx, LETHE_ORDER_GROUP, CAP_MIN), *t;
    t = sorter_of(ctx, LETHE_ORDER_BYTES, CAP_MIN);
    put_one_key(s, 100000);
    put_one_key(t, 100000);
    assert_int_equal(lethe_sorter_each(s, cancel_then_read, ctx), LETHE_ECANCEL);
    assert_int_equal(lethe_sorter_each(t, cancel_then_read, ctx), LETHE_ECANCEL);
    lethe_sorter_free(s);
    lethe_sorter_free(t);
    for (size_t o = 0; o < 2; o++) {
        size_t i = 0;
        s = sorter_of(ctx, both[o], CAP_MIN);
        while (i < 100000 && lethe_sorter_put(s, 0, "some record or other", 20) == LETHE_OK)
            i++;
        assert_true(i < 100000);
        assert_int_equal(lethe_sorter_put(s, 0, "some record or other", 20), LETHE_ECANCEL);
        lethe_sorter_free(s);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_put_gives_parts_with_nothing),
        cmocka_unit_test(bytes_put_a_prefix_first),
        cmocka_unit_test(equal_hashes_do_not_mix_groups),
        cmocka_unit_test(router_agrees_with_comparison),
        cmocka_unit_test(rewind_returns_to_the_mark_in_memory),
        cmocka_unit_test(a_group_larger_than_memory_can_be_read_twice),
        cmocka_unit_test(records_of_any_length),
        cmocka_unit_test(hard_inputs_stay_linear),
        cmocka_unit_test(memory_stays_within_the_cap),
        cmocka_unit_test(part_sizes_are_known_before_and_while_reading),
        cmocka_unit_test(one_sorter_feeds_another),
        cmocka_unit_test(an_error_of_fn_stops_and_is_handed_on),
        cmocka_unit_test(a_sorter_is_read_once),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_late_allocation_may_fail),
        cmocka_unit_test(no_place_to_spill_is_eio),
        cmocka_unit_test(a_full_disk_is_eio),
        cmocka_unit_test(a_failed_read_is_not_taken_for_the_end),
        cmocka_unit_test(cancelling_ends_putting_and_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
