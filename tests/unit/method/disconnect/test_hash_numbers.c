/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for hashes: as a dictionary gives them, also where hashes meet in a slot, and after all
 * was forgotten. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "method/disconnect/hash_numbers.h"

static void hashes_are_keyed(void **state)
{
    (void)state;
    lethe_secret *one = NULL, *two = NULL;
    assert_int_equal(lethe_secret_from_seed(1, &one), LETHE_OK);
    assert_int_equal(lethe_secret_from_seed(2, &two), LETHE_OK);
    lethe_hash_key a = lethe_hash_key_draw(one, "x"), b = lethe_hash_key_draw(one, "x"),
                   c = lethe_hash_key_draw(two, "x"), d = lethe_hash_key_draw(one, "y");
    char text[400];
    memset(text, 'q', sizeof text);
    for (size_t n = 0; n < sizeof text; n++) {
        lethe_hash h = lethe_hash_of(&a, (lethe_str){text, n});
        assert_true(lethe_hash_eq(h, lethe_hash_of(&b, (lethe_str){text, n})));
        assert_false(lethe_hash_eq(h, lethe_hash_of(&c, (lethe_str){text, n})));
        assert_false(lethe_hash_eq(h, lethe_hash_of(&d, (lethe_str){text, n})));
        assert_false(lethe_hash_eq(h, lethe_hash_of(&a, (lethe_str){text, n + 1})));
    }
    lethe_hash_key_wipe(&a);
    for (size_t i = 0; i < sizeof a.secret; i++)
        assert_int_equal(a.secret[i], 0);
    lethe_secret_free(one);
    lethe_secret_free(two);
}

/* All in one slot, all the same in half their bits, or spread. */
static lethe_hash made_up(int kind, uint64_t i)
{
    lethe_hash h = {i * 0x9e3779b97f4a7c15u, i};
    if (kind == 0) h.low = 0;
    if (kind == 1) h.low &= UINT64_C(3) << 62;
    return h;
}

static void numbers_come_in_the_order_first_seen(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        lethe_hash_numbers t = {0};
        uint32_t n = kind == 2 ? 50000 : 700, got;
        assert_int_equal(lethe_hash_numbers_find(&t, made_up(kind, 1)), LETHE_NONE);
        lethe_hash_numbers_clear(&t);
        for (int round = 0; round < 3; round++) {
            uint32_t most = round == 1 ? 5 : n; /* few after many, and many again */
            for (uint32_t i = 0; i < most; i++) {
                assert_int_equal(lethe_hash_numbers_find(&t, made_up(kind, i)), LETHE_NONE);
                assert_int_equal(lethe_hash_numbers_add(&t, made_up(kind, i), &got), LETHE_OK);
                assert_int_equal(got, i);
                assert_int_equal(lethe_hash_numbers_add(&t, made_up(kind, i / 2), &got), LETHE_OK);
                assert_int_equal(got, i / 2);
            }
            assert_int_equal(t.n, most);
            for (uint32_t i = 0; i < most; i++)
                assert_int_equal(lethe_hash_numbers_find(&t, made_up(kind, i)), i);
            lethe_hash_numbers_clear(&t);
            assert_int_equal(t.n, 0);
            for (size_t i = 0; i >> t.bits == 0; i++)
                assert_int_equal(t.slots[i], 0);
        }
        lethe_hash_numbers_free(&t);
        assert_null(t.at);
    }
}

static void lack_of_memory_changes_nothing(void **state)
{
    (void)state;
    lethe_hash_numbers t = {0};
    uint32_t got;
    for (uint32_t i = 0; i < 1000; i++) {
        lethe_alloc_fail_at(1);
        lethe_err e = lethe_hash_numbers_add(&t, made_up(2, i), &got);
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) continue;
        assert_int_equal(e, LETHE_ENOMEM);
        assert_int_equal(t.n, i);
        assert_int_equal(lethe_hash_numbers_find(&t, made_up(2, i)), LETHE_NONE);
        if (i > 0) assert_int_equal(lethe_hash_numbers_find(&t, made_up(2, i - 1)), i - 1);
        assert_int_equal(lethe_hash_numbers_add(&t, made_up(2, i), &got), LETHE_OK);
        assert_int_equal(got, i);
    }
    lethe_hash_numbers_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_keyed),
        cmocka_unit_test(numbers_come_in_the_order_first_seen),
        cmocka_unit_test(lack_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
