/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include <stdio.h>
#include <stdlib.h>

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

/* --- the allocator --- */

/* Is every page of p[0..n-1] left out of core dumps?  By the flag dd of proc(5), smaps. */
static bool is_undumped(const void *p, size_t n)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    uintptr_t at = (uintptr_t)p, end = at + n, from = 0, to = 0;
    char line[512];
    bool undumped = true;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long a, b;
        char perm[8];
        if (sscanf(line, "%lx-%lx %7s", &a, &b, perm) == 3) {
            from = a;
            to = b;
        } else if (strncmp(line, "VmFlags:", 8) == 0 && from < end && to > at) {
            undumped = undumped && strstr(line, " dd");
        }
    }
    fclose(f);
    return undumped;
}

static void what_is_large_is_not_in_core_dumps(void **state)
{
    (void)state;
    static const size_t sizes[] = {LETHE_UNDUMPED, 65536,   (128 << 10) - 16, 128 << 10,
                                   300001,         1 << 20, 5000001};
    for (size_t i = 0; i < LETHE_COUNT(sizes); i++) {
        size_t n = sizes[i];
        uint8_t *p = lethe_alloc(n, 1), *q = lethe_alloc_zero(n, 1), *r = lethe_alloc(100, 1);
        assert_true(p && q && r);
        assert_true(is_undumped(p, n) && is_undumped(q, n));
        memset(p, 1, n);
        p = lethe_realloc(p, 3, n); // moved, or grown in place
        r = lethe_realloc(r, n, 1);
        assert_true(p && r && p[n - 1] == 1);
        assert_true(is_undumped(p, 3 * n) && is_undumped(r, n));
        lethe_free_all(p, q, r);
    }
    lethe_buf b = {0};
    lethe_arena *a = lethe_arena_new();
    while (b.n < 300000)
        assert_int_equal(lethe_buf_put(&b, "a line of the log\n", 18), LETHE_OK);
    assert_true(is_undumped(b.at, b.n));
    assert_true(is_undumped(lethe_new(a, uint8_t, 200000), 200000));
    lethe_buf_free(&b);
    lethe_arena_free(a);
}

static void nothing_can_be_allocated_and_freed(void **state)
{
    (void)state;
    void *p = lethe_alloc(0, 8), *q = lethe_alloc(8, 0), *r = lethe_alloc_zero(0, 0);
    assert_true(p && q && r && p != q);
    p = lethe_realloc(p, 0, 1);
    assert_non_null(p);
    lethe_free(p);
    lethe_free(q);
    lethe_free(r);
    lethe_free(NULL);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    size_t half = (SIZE_MAX >> 1) + 1;
    assert_null(lethe_alloc(half, 2));
    assert_null(lethe_alloc(SIZE_MAX, 1)); // no overflow, yet no such object
    assert_null(lethe_alloc_zero(half, 3));
    uint8_t *p = lethe_alloc(1, 1);
    assert_non_null(p);
    *p = 7;
    assert_null(lethe_realloc(p, half, 2));
    assert_int_equal(*p, 7);
    lethe_free(p);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++) {
        uint8_t *p = lethe_alloc_zero(100, 3);
        assert_true(p && all_zero(p, 300));
        memset(p, 0xff, 300); // what comes next from the same place must be zero again
        lethe_free(p);
    }
}

static void hook_fails_the_nth_and_all_after(void **state)
{
    (void)state;
    uint64_t before = lethe_alloc_count();
    lethe_alloc_fail_at(3);
    void *p = lethe_alloc(1, 8);
    void *q = lethe_alloc_zero(1, 8);
    assert_true(p && q);
    assert_null(lethe_alloc(1, 8));
    assert_null(lethe_realloc(p, 2, 8));
    assert_false(lethe_alloc_allowed());
    assert_int_equal(lethe_alloc_count() - before, 5);
    lethe_alloc_fail_at(1);
    assert_null(lethe_alloc_zero(1, 1));
    lethe_alloc_fail_at(0);
    p = lethe_realloc(p, 2, 8);
    assert_non_null(p);
    lethe_free(p);
    lethe_free(q);
}

static void hook_fails_the_nth_alone(void **state)
{
    (void)state;
    lethe_alloc_fail_once(2);
    void *p = lethe_alloc(1, 8);
    assert_non_null(p);
    assert_null(lethe_alloc(1, 8));
    p = lethe_realloc(p, 2, 8);
    assert_non_null(p);
    lethe_alloc_fail_at(1);
    assert_null(lethe_alloc(1, 8));
    assert_null(lethe_alloc(1, 8));
    lethe_alloc_fail_once(0);
    assert_true(lethe_alloc_allowed());
    lethe_free(p);
}

/* --- arenas --- */

static void arena_things_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint8_t *at[N];
    static size_t size[N];
    lethe_arena *a = lethe_arena_new();
    for (size_t i = 0; i < N; i++) {
        size[i] = i % 500 == 499 ? 200000 + i : i % 97;
        at[i] = lethe_arena_get(a, size[i], 1);
        assert_non_null(at[i]);
        assert_int_equal((uintptr_t)at[i] % 16, 0);
        assert_true(all_zero(at[i], size[i]));
        memset(at[i], (int)(i % 255) + 1, size[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < size[i]; j++)
            assert_int_equal(at[i][j], i % 255 + 1);
    lethe_arena_free(a);
    lethe_arena_free(NULL);
}

static void arena_of_nothing_gives_distinct_pointers(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    void *p = lethe_arena_get(a, 0, 8), *q = lethe_arena_get(a, 8, 0);
    assert_true(p && q && p != q);
    lethe_arena_free(a);
}

static void arena_refuses_overflow(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    assert_null(lethe_arena_get(a, SIZE_MAX / 2, 4));
    assert_null(lethe_arena_get(a, SIZE_MAX, 1));
    assert_null(lethe_arena_get(a, SIZE_MAX - 20, 1));
    assert_null(lethe_arena_get(a, PTRDIFF_MAX, 1));
    void *p = lethe_arena_get(a, 1, 16);
    assert_false(lethe_arena_extend(a, p, 16, SIZE_MAX));
    assert_null(lethe_arena_grow(a, p, 16, SIZE_MAX - 8));
    assert_null(lethe_arena_dup(a, (lethe_str){"", SIZE_MAX}));
    lethe_arena_free(a);
}

static void arena_blocks_grow_and_are_counted(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    assert_int_equal(lethe_arena_bytes(a), 0);
    uint64_t before = lethe_alloc_count();
    for (size_t i = 0; i < 8 << 10; i++)
        assert_non_null(lethe_arena_get(a, 1, 1024)); // 8 MiB
    uint64_t blocks = lethe_alloc_count() - before;
    assert_in_range(blocks, 9, 20); // 4K .. 1M, then 7 or 8 more
    assert_in_range(lethe_arena_bytes(a), 8 << 20, 10 << 20);
    lethe_arena_free(a);
}

static void large_thing_leaves_the_shared_block_in_use(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    uint8_t *p = lethe_arena_get(a, 1, 16);
    uint8_t *big = lethe_arena_get(a, 1, 4 << 20);
    uint8_t *q = lethe_arena_get(a, 1, 16);
    assert_true(p && big && q == p + 16);
    lethe_arena_free(a);
}

static void reset_keeps_the_largest_block_and_zeroes_it_again(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    lethe_arena_reset(a); // nothing there
    assert_int_equal(lethe_arena_bytes(a), 0);
    for (int i = 0; i < 100; i++)
        memset(lethe_arena_get(a, 1, 1000), 0xaa, 1000);
    uint8_t *big = lethe_arena_get(a, 1, 1 << 20);
    memset(big, 0xbb, 1 << 20);
    lethe_arena_reset(a);
    size_t kept = lethe_arena_bytes(a);
    assert_in_range(kept, 1 << 20, (1 << 20) + 4096);
    uint64_t before = lethe_alloc_count();
    for (int i = 0; i < 1000; i++) {
        uint8_t *p = lethe_arena_get(a, 1, 1000);
        assert_true(p && all_zero(p, 1000));
        memset(p, 0xcc, 1000);
    }
    assert_int_equal(lethe_alloc_count(), before);
    assert_int_equal(lethe_arena_bytes(a), kept);
    lethe_arena_free(a);
}

static void only_the_last_thing_is_extended(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    uint8_t *p = lethe_arena_get(a, 1, 20), *q = lethe_arena_get(a, 1, 20);
    memset(q, 1, 20);
    assert_false(lethe_arena_extend(a, p, 20, 64));
    assert_true(lethe_arena_extend(a, p, 20, 32)); // the room it was rounded up to
    assert_true(lethe_arena_extend(a, q, 20, 100));
    assert_true(all_zero(q + 20, 80));
    memset(q, 2, 100);
    uint8_t *r = lethe_arena_get(a, 1, 8);
    assert_true(r >= q + 100);
    assert_false(lethe_arena_extend(a, r, 8, 1 << 20));
    lethe_arena_free(a);
}

/* Leaves bytes in the heap that are not zero.  (glibc: after the first free such a size comes from
 * the heap, no longer from pages of its own.) */
static void soil_the_heap(void)
{
    enum { BYTES = 8 << 20 };
    for (int round = 0; round < 2; round++) {
        void *volatile p = lethe_alloc(1, BYTES);
        assert_non_null(p);
        memset(p, 0xee, BYTES);
        lethe_free(p);
    }
}

static void grow_keeps_bytes_and_zeroes_the_rest(void **state)
{
    (void)state;
    soil_the_heap();
    lethe_arena *a = lethe_arena_new();
    uint8_t *p = NULL;
    size_t n = 0;
    for (size_t next = 3; next < 3 << 20; next = next * 3 / 2) {
        if (next % 2) assert_non_null(lethe_arena_get(a, 1, 40)); // somebody stands in the way
        p = lethe_arena_grow(a, p, n, next);
        assert_non_null(p);
        assert_true(all_zero(p + n, next - n));
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0x5a);
        memset(p, 0x5a, next);
        n = next;
    }
    assert_true(lethe_arena_bytes(a) < 2 * n); // a large thing leaves no copies behind
    lethe_arena_free(a);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#define FORBIDDEN(p) __asan_address_is_poisoned(p)
#endif

static void sanitizer_knows_what_an_arena_has_not_handed_out(void **state)
{
    (void)state;
#ifndef ASAN
    skip();
#else
    lethe_arena *a = lethe_arena_new();
    uint8_t *p = lethe_arena_get(a, 1, 20);
    assert_true(!FORBIDDEN(p + 19) && FORBIDDEN(p + 20) && FORBIDDEN(p + 40));
    assert_true(lethe_arena_extend(a, p, 20, 30));
    assert_true(!FORBIDDEN(p + 29) && FORBIDDEN(p + 30));
    assert_true(lethe_arena_extend(a, p, 30, 50));
    assert_true(!FORBIDDEN(p + 49) && FORBIDDEN(p + 50));
    uint8_t *big = lethe_arena_get(a, 1, 200001);
    assert_true(!FORBIDDEN(big + 200000) && FORBIDDEN(big + 200001));
    big = lethe_arena_grow(a, big, 200001, 300003);
    assert_true(!FORBIDDEN(big + 200001) && !FORBIDDEN(big + 300002) && FORBIDDEN(big + 300003));
    lethe_arena_reset(a);
    assert_true(FORBIDDEN(big) && FORBIDDEN(big + 100000));
    lethe_arena_free(a);
#endif
}

static void copies_end_with_nul(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    assert_string_equal(lethe_arena_dup(a, (lethe_str){"abcdef", 3}), "abc");
    assert_string_equal(lethe_arena_dup(a, (lethe_str){NULL, 0}), "");
    char *p = lethe_arena_dup(a, (lethe_str){"a\0b", 3});
    assert_memory_equal(p, "a\0b", 4);
    assert_string_equal(lethe_arena_printf(a, "%d %s", 42, "x"), "42 x");
    char *wide = lethe_arena_printf(a, "%*d", 300000, 1);
    assert_int_equal(strlen(wide), 300000);
    lethe_arena_free(a);
}

static void arena_without_memory_says_so_and_goes_on(void **state)
{
    (void)state;
    lethe_alloc_fail_at(1);
    assert_null(lethe_arena_new());
    lethe_alloc_fail_at(0);
    lethe_arena *a = lethe_arena_new();
    uint8_t *p = lethe_arena_get(a, 1, 200000);
    memset(p, 9, 200000);
    lethe_alloc_fail_at(1);
    assert_null(lethe_arena_get(a, 1, 1));
    assert_null(lethe_arena_get(a, 1, 1 << 20));
    assert_null(lethe_arena_grow(a, p, 200000, 400000));
    assert_null(lethe_arena_dup(a, LETHE_LIT("x")));
    assert_null(lethe_arena_printf(a, "x"));
    lethe_alloc_fail_at(0);
    assert_int_equal(p[199999], 9);
    p = lethe_arena_grow(a, p, 200000, 400000);
    assert_true(p && p[199999] == 9 && p[200000] == 0);
    lethe_arena_free(a);
}

/* --- buffers and vectors --- */

static void buffer_holds_what_was_put(void **state)
{
    (void)state;
    lethe_buf b = {0};
    uint64_t before = lethe_alloc_count();
    for (unsigned i = 0; i < 100000; i++) {
        uint8_t pair[2] = {(uint8_t)i, (uint8_t)(i >> 8)};
        assert_int_equal(lethe_buf_put(&b, pair, 2), LETHE_OK);
        assert_true(b.cap <= LETHE_MAX(b.n + b.n / 4 + 2, 64)); // a quarter more, not twice
    }
    assert_true(lethe_alloc_count() - before < 60);
    assert_int_equal(b.n, 200000);
    for (unsigned i = 0; i < 100000; i++)
        assert_true(b.at[2 * i] == (uint8_t)i && b.at[2 * i + 1] == (uint8_t)(i >> 8));
    lethe_buf_free(&b);
    assert_true(!b.at && !b.n && !b.cap);
    lethe_buf_free(&b);
}

static void buffer_takes_nothing_and_refuses_too_much(void **state)
{
    (void)state;
    lethe_buf b = {0};
    assert_int_equal(lethe_buf_put(&b, NULL, 0), LETHE_OK);
    assert_int_equal(lethe_buf_str(&b, LETHE_LIT("abc")), LETHE_OK);
    assert_int_equal(lethe_buf_reserve(&b, SIZE_MAX), LETHE_ENOMEM);
    assert_int_equal(lethe_buf_reserve(&b, SIZE_MAX - 2), LETHE_ENOMEM);
    assert_int_equal(lethe_buf_reserve(&b, SIZE_MAX / 2), LETHE_ENOMEM);
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_buf_reserve(&b, 1000), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_true(b.n == 3 && memcmp(b.at, "abc", 3) == 0);
    assert_int_equal(lethe_buf_reserve(&b, 1000), LETHE_OK);
    assert_true(b.n == 3 && b.cap >= 1003);
    lethe_buf_free(&b);
}

static void rows_of_numbers_grow_without_waste(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    lethe_u32s v = {0};
    lethe_u64s w = {0};
    enum { N = 1 << 20 };
    for (uint32_t i = 0; i < N; i++) { // two rows that stand in each other's way
        uint64_t wide = (uint64_t)i << 33;
        assert_int_equal(lethe_u32s_append(a, &v, &i, 1), LETHE_OK);
        assert_int_equal(lethe_u64s_append(a, &w, &wide, 1), LETHE_OK);
    }
    assert_true(v.n == N && w.n == N);
    for (uint32_t i = 0; i < N; i++)
        assert_true(v.at[i] == i && w.at[i] == (uint64_t)i << 33);
    assert_true(lethe_arena_bytes(a) < 12 * (size_t)N * 13 / 10 + (2 << 20));
    lethe_arena_free(a);
}

static void rows_of_numbers_fail_cleanly(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    lethe_u32s v = {0};
    lethe_u64s w = {0};
    uint32_t x[3] = {1, 2, 3};
    uint64_t y[3] = {4, 5, 6};
    assert_int_equal(lethe_u32s_append(a, &v, NULL, 0), LETHE_OK);
    assert_int_equal(lethe_u64s_append(a, &w, NULL, 0), LETHE_OK);
    assert_int_equal(lethe_u32s_append(a, &v, x, 3), LETHE_OK);
    assert_int_equal(lethe_u64s_append(a, &w, y, 3), LETHE_OK);
    assert_int_equal(lethe_u32s_append(a, &v, x, SIZE_MAX), LETHE_ENOMEM);
    assert_int_equal(lethe_u64s_append(a, &w, y, SIZE_MAX / 4), LETHE_ENOMEM);
    lethe_alloc_fail_at(1);
    lethe_err e = LETHE_OK;
    size_t n = v.n;
    while (e == LETHE_OK) {
        n = v.n;
        e = lethe_u32s_append(a, &v, x, 3);
    }
    lethe_alloc_fail_at(0);
    assert_int_equal(e, LETHE_ENOMEM);
    assert_int_equal(v.n, n);
    assert_true(v.at[n - 3] == 1 && v.at[n - 1] == 3 && w.n == 3 && w.at[2] == 6);
    assert_int_equal(lethe_u32s_append(a, &v, x, 3), LETHE_OK);
    lethe_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_can_be_allocated_and_freed),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(zeroed_memory_is_zero),
        cmocka_unit_test(what_is_large_is_not_in_core_dumps),
        cmocka_unit_test(hook_fails_the_nth_and_all_after),
        cmocka_unit_test(hook_fails_the_nth_alone),
        cmocka_unit_test(arena_things_are_aligned_zeroed_and_apart),
        cmocka_unit_test(arena_of_nothing_gives_distinct_pointers),
        cmocka_unit_test(arena_refuses_overflow),
        cmocka_unit_test(arena_blocks_grow_and_are_counted),
        cmocka_unit_test(large_thing_leaves_the_shared_block_in_use),
        cmocka_unit_test(reset_keeps_the_largest_block_and_zeroes_it_again),
        cmocka_unit_test(only_the_last_thing_is_extended),
        cmocka_unit_test(grow_keeps_bytes_and_zeroes_the_rest),
        cmocka_unit_test(sanitizer_knows_what_an_arena_has_not_handed_out),
        cmocka_unit_test(copies_end_with_nul),
        cmocka_unit_test(arena_without_memory_says_so_and_goes_on),
        cmocka_unit_test(buffer_holds_what_was_put),
        cmocka_unit_test(buffer_takes_nothing_and_refuses_too_much),
        cmocka_unit_test(rows_of_numbers_grow_without_waste),
        cmocka_unit_test(rows_of_numbers_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
