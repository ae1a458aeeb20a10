/* SPDX-License-Identifier: Apache-2.0 */
/* The first similar text: each kind of likeness by itself, at its edges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "method/log/similar.h"
#include "core/mem.h"

static uint32_t add(lethe_similar *s, const char *text)
{
    uint32_t index, first;
    assert_int_equal(lethe_similar_add(s, lethe_str_of(text), NULL, 0, &index, &first), LETHE_OK);
    return first;
}

/* Are two texts similar, whichever comes first? */
static bool alike(const char *a, const char *b, double edit, double overlap)
{
    bool answers[2];
    for (int turn = 0; turn < 2; turn++) {
        lethe_similar *s = lethe_similar_new(edit, overlap);
        assert_int_equal(add(s, turn ? b : a), LETHE_NONE);
        answers[turn] = add(s, turn ? a : b) == 0;
        lethe_similar_free(s);
    }
    assert_true(answers[0] == answers[1]);
    return answers[0];
}

static void edits_are_counted_by_the_longer_text(void **state)
{
    (void)state;
    assert_true(alike("helo", "hello", 0.2, 1));
    assert_false(alike("helo", "hello", 0.199999, 1));
    assert_false(alike("hell", "hells", 0, 1));
    assert_false(alike("abcd", "abce", 0.2, 1)); /* one of four */
    assert_true(alike("abcd", "abce", 0.25, 1));
    assert_true(alike("abc", "xyzuv", 1, 1)); /* all of it */
    assert_true(alike("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9o", 0.2, 1)); /* characters, not bytes */
    assert_false(alike("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9\xc3\xa9o", 0.2, 1));
}

static void long_texts_are_compared_too(void **state)
{
    (void)state;
    static const size_t lengths[] = {63, 64, 65, 79, 80, 127, 128, 300, 1000};
    char a[1300], b[1300];
    for (size_t i = 0; i < LETHE_COUNT(lengths); i++) {
        size_t n = lengths[i], k = n / 5;
        for (size_t j = 0; j < n; j++)
            a[j] = (char)('a' + j * j % 23);
        a[n] = '\0';
        memcpy(b, a, n + 1);
        memset(b, '7', k); /* as many substitutions as may be */
        assert_true(alike(a, b, 0.2, 1));
        b[k] = '7';
        assert_false(alike(a, b, 0.2, 1));
        /* n - k of n, and one less */
        assert_true(alike(a, a + k, 0.2, 1));
        assert_false(alike(a, a + k + 1, 0.2, 1));
    }
}

static void many_equal_letters_do_not_mislead(void **state)
{
    (void)state;
    char a[1001], b[1001]; /* more of a letter than is counted */
    memset(a, 'a', 1000);
    memset(b, 'a', 1000);
    a[1000] = b[1000] = '\0';
    memset(b, 'b', 200);
    assert_true(alike(a, b, 0.2, 1));
    memset(b, 'b', 201);
    assert_false(alike(a, b, 0.2, 1));
}

static void words_are_counted_as_sets(void **state)
{
    (void)state;
    assert_true(alike("walk me to the moon", "walk to moon", 0, 0.6));
    assert_false(alike("walk me to the moon", "walk to moon", 0, 0.600001));
    assert_true(alike("a b", "b a", 0, 1));
    assert_true(alike("a a a b", "b b a", 0, 1));
    assert_false(alike("a b c", "a b", 0, 0.7));
    assert_true(alike("a b c", "a b", 0, 0.666666));
    assert_true(alike("at&t phone", "phone at&t!", 0, 1));
    assert_false(alike("at&t", "at t", 0, 0.5));
    assert_true(alike("a x1 x2 x3 x4 x5 x6 x7 x8 x9", "a", 0, 0.1));
    assert_false(alike("a x1 x2 x3 x4 x5 x6 x7 x8 x9", "a", 0, 0.100001));
}

static void without_a_word_nothing_is_in_common(void **state)
{
    (void)state;
    assert_false(alike("???", "!!", 0, 0.5));
    assert_false(alike("???", "!!", 0, 0)); /* none of none */
    assert_true(alike("???", "word", 0, 0));
    assert_true(alike("word", "other", 0, 0));
    lethe_similar *s = lethe_similar_new(0, 0);
    assert_int_equal(add(s, "?"), LETHE_NONE);
    assert_int_equal(add(s, "!!"), LETHE_NONE);
    assert_int_equal(add(s, "a"), 0);
    assert_int_equal(add(s, "+++"), 2);
    assert_int_equal(add(s, "b"), 0);
    lethe_similar_free(s);
}

static void results_in_common_are_enough(void **state)
{
    (void)state;
    static const uint64_t r[] = {5, 7, 5, 9, UINT64_MAX, 0};
    uint32_t index, first;
    lethe_similar *s = lethe_similar_new(0.2, 0.5);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("one"), r, 3, &index, &first), LETHE_OK);
    assert_int_equal(first, LETHE_NONE);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("second"), r + 3, 2, &index, &first), LETHE_OK);
    assert_int_equal(first, LETHE_NONE); /* 9 and the greatest */
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("third party"), r + 4, 2, &index, &first),
                     LETHE_OK);
    assert_int_equal(first, 1);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("fourth of july"), r, 6, &index, &first),
                     LETHE_OK);
    assert_int_equal(first, 0); /* the first of all */
    assert_int_equal(index, 3);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("without any"), r, 0, &index, &first),
                     LETHE_OK);
    assert_int_equal(first, LETHE_NONE);
    lethe_similar_free(s);
}

static void the_first_wins_whatever_the_kind(void **state)
{
    (void)state;
    uint32_t index, first;
    const uint64_t url = 3;
    lethe_similar *s = lethe_similar_new(0.2, 0.5);
    assert_int_equal(add(s, "completely else"), LETHE_NONE);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("some results"), &url, 1, &index, &first),
                     LETHE_OK);
    assert_int_equal(add(s, "recipe guide"), LETHE_NONE); /* 2 */
    assert_int_equal(add(s, "yams"), LETHE_NONE);         /* 3 */
    assert_int_equal(add(s, "recipe gside"), 2);
    assert_int_equal(add(s, "yams recipe"), 3); /* half its words; of three with 2 one */
    lethe_similar_free(s);
}

static void a_repeated_text_is_its_own(void **state)
{
    (void)state;
    uint32_t index, first;
    const uint64_t url = 1;
    lethe_similar *s = lethe_similar_new(0.2, 0.5);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("a"), NULL, 0, &index, &first), LETHE_OK);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("b"), &url, 1, &index, &first), LETHE_OK);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("a"), &url, 1, &index, &first), LETHE_OK);
    assert_int_equal(index, 0);
    assert_int_equal(first, 0);
    assert_int_equal(lethe_similar_clear(s), LETHE_OK);
    assert_int_equal(lethe_similar_clear(s), LETHE_OK);
    assert_int_equal(lethe_similar_add(s, LETHE_LIT("b"), NULL, 0, &index, &first), LETHE_OK);
    assert_int_equal(index, 0);
    assert_int_equal(first, LETHE_NONE);
    lethe_similar_free(s);
    lethe_similar_free(NULL);
}

static void broken_and_empty_texts_do_no_harm(void **state)
{
    (void)state;
    lethe_similar *s = lethe_similar_new(0.2, 0.5);
    assert_int_equal(add(s, ""), LETHE_NONE);
    assert_int_equal(add(s, "\xff\xfe\xc3"), LETHE_NONE);
    assert_int_equal(add(s, "aaaa\xff"), LETHE_NONE);
    assert_int_equal(add(s, "aaaa\xfe"), 2);
    assert_int_equal(add(s, ""), 0);
    lethe_similar_free(s);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char *const texts[] = {"football", "espn football",          "seattle seahawks",
                                        "football", "\xc3\xa9t\xc3\xa9 foot", "footbal",
                                        "a b c d"};
    uint64_t results[70], n = 0;
    bool done = false;
    for (size_t i = 0; i < LETHE_COUNT(results); i++)
        results[i] = i * 7;
    while (!done) {
        lethe_alloc_fail_at(++n);
        lethe_similar *s = lethe_similar_new(0.2, 0.5);
        done = s != NULL;
        for (size_t i = 0; done && i < LETHE_COUNT(texts); i++) {
            uint32_t index, first;
            lethe_err e =
                lethe_similar_add(s, lethe_str_of(texts[i]), results + i, 60, &index, &first);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
            done = e == LETHE_OK;
        }
        if (done) done = lethe_similar_clear(s) == LETHE_OK;
        lethe_alloc_fail_at(0);
        lethe_similar_free(s);
    }
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted_by_the_longer_text),
        cmocka_unit_test(long_texts_are_compared_too),
        cmocka_unit_test(many_equal_letters_do_not_mislead),
        cmocka_unit_test(words_are_counted_as_sets),
        cmocka_unit_test(without_a_word_nothing_is_in_common),
        cmocka_unit_test(results_in_common_are_enough),
        cmocka_unit_test(the_first_wins_whatever_the_kind),
        cmocka_unit_test(a_repeated_text_is_its_own),
        cmocka_unit_test(broken_and_empty_texts_do_no_harm),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
