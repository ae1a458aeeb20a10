/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart two texts are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/distance.h"
#include <stdio.h>
#include <stdlib.h>

static uint32_t lev(const char *a, const char *b, uint32_t bound)
{
    lethe_distance_scratch tmp = {0};
    uint32_t d = 12345;
    assert_int_equal(lethe_levenshtein(lethe_str_of(a), lethe_str_of(b), bound, &tmp, &d),
                     LETHE_OK);
    lethe_distance_scratch_free(&tmp);
    return d;
}

static bool within(const char *a, const char *b, double share)
{
    lethe_distance_scratch tmp = {0};
    bool out, back;
    assert_int_equal(lethe_edit_within(lethe_str_of(a), lethe_str_of(b), share, &tmp, &out),
                     LETHE_OK);
    assert_int_equal(lethe_edit_within(lethe_str_of(b), lethe_str_of(a), share, &tmp, &back),
                     LETHE_OK);
    assert_int_equal(out, back);
    lethe_distance_scratch_free(&tmp);
    return out;
}

static void levenshtein_of_known_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        uint32_t d;
    } table[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "abc", 0},
        {"kitten", "sitting", 3},
        {"saturday", "sunday", 3},
        {"helo", "hello", 1},
        {"abcdef", "azced", 3},
        {"a", "b", 1},
        {"ab", "ba", 2},
        {"aaaa", "aa", 2},
        {"\xC3\xA9t\xC3\xA9", "ete", 2}, /* code points, not bytes */
        {"\xC3\xA9", "\xC3\xA8", 1},     /* that share their first byte */
        {"\xC2\xA9", "\xC3\xA9", 1},     /* and that share their last */
        {"\xE6\x9D\xB1\xE4\xBA\xAC", "\xE4\xBA\xAC", 1},
        {"\xF0\x9F\x98\x80", "", 1},
        {"\xFF", "\xFE", 1}, /* broken bytes are one each */
        {"\xFF", "\xFF", 0},
        {"\xE6\x9D", "", 2},
        {"\xE6\x9D", "\xE6", 1},
        {"\xFF", "\xEF\xBF\xBD", 1}, /* and not U+FFFD */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(lev(table[i].a, table[i].b, UINT32_MAX), table[i].d);
        assert_int_equal(lev(table[i].b, table[i].a, UINT32_MAX), table[i].d);
        for (uint32_t bound = 0; bound < 10; bound++) {
            uint32_t d = lev(table[i].a, table[i].b, bound);
            if (table[i].d <= bound)
                assert_int_equal(d, table[i].d);
            else
                assert_true(d > bound);
        }
    }
}

static void no_text_at_all_is_an_empty_one(void **state)
{
    (void)state;
    lethe_distance_scratch tmp = {0};
    lethe_str none = {NULL, 0};
    uint32_t d, common, all;
    bool in;
    assert_int_equal(lethe_levenshtein(none, none, 0, &tmp, &d), LETHE_OK);
    assert_int_equal(d, 0);
    assert_int_equal(lethe_levenshtein(none, LETHE_LIT("ab"), 5, &tmp, &d), LETHE_OK);
    assert_int_equal(d, 2);
    assert_int_equal(lethe_edit_within(none, none, 0, &tmp, &in), LETHE_OK);
    assert_true(in);
    assert_int_equal(lethe_jaccard(none, none, &tmp, &common, &all), LETHE_OK);
    assert_int_equal(common, 0);
    assert_int_equal(all, 0);
    lethe_distance_scratch_free(&tmp);
    lethe_distance_scratch_free(&tmp); /* twice is fine */
}

/* Lengths about the ends of machine words. */
static void lengths_about_a_block_are_exact(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 63, 64, 65, 127, 128, 129, 191, 192, 193, 300};
    size_t n = sizeof lengths / sizeof *lengths;
    char a[400], b[400];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t m = lengths[i], k = lengths[j];
            memset(a, 'a', m);
            memset(b, 'b', k);
            a[m] = b[k] = '\0';
            uint32_t longer = (uint32_t)(m > k ? m : k);
            assert_int_equal(lev(a, b, UINT32_MAX), longer);
            assert_int_equal(lev(a, b, longer), longer);
            assert_true(lev(a, b, longer - 1) > longer - 1);
            memset(b, 'a', k);
            a[m / 2] = 'x'; /* one differs, the rest is a matter of length */
            uint32_t want = (uint32_t)(m > k ? m - k : k - m);
            want += m <= k;
            assert_int_equal(lev(a, b, UINT32_MAX), want);
            assert_int_equal(lev(a, b, want), want);
            assert_true(want == 0 || lev(a, b, want - 1) > want - 1);
        }
    }
}

/* The share is of the longer text, because the paper's own example is similar at 0.2. */
static void edit_share_is_of_the_longer(void **state)
{
    (void)state;
    assert_true(within("helo", "hello", 0.2));
    assert_false(within("helo", "hello", 0.199999));
    assert_false(within("helo", "hallo", 0.2)); /* 2 of 5 */
    assert_true(within("helo", "hallo", 0.4));
    assert_false(within("hell", "hello!", 0.33)); /* 2 of 6 */
    assert_true(within("hell", "hello!", 0.333334));
    assert_false(within("hell", "hello!", 0.333333)); /* a third is more than that */
    assert_true(within("", "", 0));
    assert_true(within("abc", "abc", 0));
    assert_false(within("abc", "abd", 0));
    assert_true(within("abc", "xyz", 1));
    assert_true(within("", "xyz", 1));
    assert_false(within("", "xyz", 0.999999));
    assert_true(within("\xC3\xA9t\xC3\xA9s", "\xC3\xA9t\xC3\xA9", 0.25)); /* 1 of 4 code points */
    assert_false(within("\xC3\xA9t\xC3\xA9s", "\xC3\xA9t\xC3\xA9", 0.2));
    /* tenths are not exact in binary, and must not be off by one for it */
    char a[101], b[101];
    for (int part = 1; part <= 10; part++) {
        memset(a, 'a', 100);
        memset(b, 'a', 100);
        for (int i = 0; i < part * 10; i++)
            b[i * 100 / (part * 10)] = 'b';
        a[100] = b[100] = '\0';
        assert_true(within(a, b, part / 10.0));
        assert_false(within(a, b, part / 10.0 - 0.01));
    }
}

static void jaccard_of_known_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        uint32_t common, all;
    } table[] = {
        {"walk me to the moon", "walk to moon", 3, 5},
        {"retirement in new zealand", "new zealand", 2, 4},
        {"retirement in australia", "retirement in new zealand", 2, 5},
        {"", "", 0, 0},
        {"a", "", 0, 1},
        {"a a a", "a", 1, 1},
        {"a b", "b a", 2, 2},
        {"a b c", "d e f", 0, 6},
        {"[email] login", "email login", 1, 3},
        {"[email] login", "[email] login", 2, 2},
        {"red-car", "red car", 0, 3},
        {"...", "!!!", 0, 0},
        {"cars", "car", 0, 2}, /* as they stand */
    };
    lethe_distance_scratch tmp = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t common = 99, all = 99;
        lethe_str a = lethe_str_of(table[i].a), b = lethe_str_of(table[i].b);
        assert_int_equal(lethe_jaccard(a, b, &tmp, &common, &all), LETHE_OK);
        assert_int_equal(common, table[i].common);
        assert_int_equal(all, table[i].all);
        assert_int_equal(lethe_jaccard(b, a, &tmp, &common, &all), LETHE_OK);
        assert_int_equal(common, table[i].common);
        assert_int_equal(all, table[i].all);
    }
    lethe_distance_scratch_free(&tmp);
}

/* Texts of the greatest length a line may have: the bound keeps it quick, whatever the alphabet. */
static void long_texts_with_a_bound_are_quick(void **state)
{
    (void)state;
    size_t n = (size_t)1 << 20, n_a = 0, n_b = 0;
    char *a = malloc(n + 4), *b = malloc(n + 4);
    uint32_t d;
    lethe_distance_scratch tmp = {0};
    for (uint32_t cp = 0x4E00; n_a + 3 <= n; cp = cp < 0x9FFF ? cp + 1 : 0x4E00) {
        char bytes[3] = {(char)(0xE0 | cp >> 12), (char)(0x80 | (cp >> 6 & 63)),
                         (char)(0x80 | (cp & 63))};
        memcpy(a + n_a, bytes, 3);
        n_a += 3;
    }
    memcpy(b, a + 3, n_b = n_a - 3); /* one from the beginning, and one in the middle */
    memcpy(b + n_b / 6 * 3, "\xE3\x81\x82", 3);
    assert_int_equal(lethe_levenshtein((lethe_str){a, n_a}, (lethe_str){b, n_b}, 300, &tmp, &d),
                     LETHE_OK);
    assert_int_equal(d, 2);
    memset(a, 'a', n);
    memset(b, 'b', n);
    assert_int_equal(lethe_levenshtein((lethe_str){a, n}, (lethe_str){b, n}, 300, &tmp, &d),
                     LETHE_OK);
    assert_true(d > 300);
    lethe_distance_scratch_free(&tmp);
    free(a);
    free(b);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    char a[300], b[300];
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    b[100] = 'a';
    lethe_str x = {a, sizeof a}, y = {b, sizeof b};
    for (int what = 0; what < 3; what++) {
        uint64_t n = 1;
        for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
            lethe_distance_scratch tmp = {0};
            uint32_t d = 7, e = 7;
            bool in = true;
            lethe_alloc_fail_at(n);
            err = what == 0   ? lethe_levenshtein(x, y, 500, &tmp, &d)
                  : what == 1 ? lethe_edit_within(x, y, 0.5, &tmp, &in)
                              : lethe_jaccard(x, y, &tmp, &d, &e);
            lethe_alloc_fail_at(0);
            if (err != LETHE_OK) {
                assert_int_equal(err, LETHE_ENOMEM);
                assert_true(d == 7 && e == 7 && in); /* untouched */
            }
            lethe_distance_scratch_free(&tmp);
        }
        assert_true(n > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levenshtein_of_known_pairs),
        cmocka_unit_test(no_text_at_all_is_an_empty_one),
        cmocka_unit_test(lengths_about_a_block_are_exact),
        cmocka_unit_test(edit_share_is_of_the_longer),
        cmocka_unit_test(jaccard_of_known_pairs),
        cmocka_unit_test(long_texts_with_a_bound_are_quick),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
