/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a query. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/pii/pii.h"
#include "text/words.h"
#include <stdio.h>
#include <stdlib.h>

/* A copy at the very end of its allocation, so that sanitizers see a read past it. */
static lethe_str exact(lethe_str s)
{
    char *p = malloc(s.n ? s.n : 1);
    assert_non_null(p);
    if (s.n) memcpy(p, s.at, s.n);
    return (lethe_str){p, s.n};
}

/* The words with | between them, a mask with * before it. */
static void joined(lethe_str text, char *out, size_t cap)
{
    lethe_str copy = exact(text);
    lethe_words w = lethe_words_of(copy);
    lethe_word word;
    size_t n = 0;
    uint32_t count = 0;
    out[0] = '\0';
    while (lethe_words_next(&w, &word)) {
        assert_true(word.text.n > 0);
        assert_true(word.text.at >= copy.at && word.text.at + word.text.n <= copy.at + copy.n);
        n += (size_t)snprintf(out + n, cap - n, "%s%s%.*s", count ? "|" : "", word.mask ? "*" : "",
                              (int)word.text.n, word.text.at);
        count++;
    }
    assert_false(lethe_words_next(&w, &word)); /* the end stays the end */
    assert_int_equal(lethe_words_count(copy), count);
    free((char *)copy.at);
}

static void words_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } table[] = {
        {"", ""},
        {" ", ""},
        {"maps", "maps"},
        {"new york  city", "new|york|city"},
        {" a ", "a"},
        {"at&t", "at&t"},
        {"o'brien", "o'brien"},
        {"o\xE2\x80\x99"
         "brien",
         "o\xE2\x80\x99"
         "brien"},
        {"www.lilburn.ga.us", "www.lilburn.ga.us"},
        {"555-12-1234", "555-12-1234"},
        {"snake_case", "snake_case"},
        {"3.5%", "3.5"},
        {"c++", "c"},
        {"c#", "c"},
        {"a--b", "a|b"},
        {"a.-b", "a|b"},
        {"-a-", "a"},
        {"'tis", "tis"},
        {"dogs'", "dogs"},
        {"dogs' toys", "dogs|toys"},
        {"a. b", "a|b"},
        {"u.s.a.", "u.s.a"},
        {"...", ""},
        {"- . & _ '", ""},
        {"\xE2\x80\x99", ""},
        {"a\xE2\x80\x99", "a"},
        {"\xE2\x80\x99"
         "a",
         "a"},
        {"a\xE2\x80\x99\xE2\x80\x99"
         "b",
         "a|b"},
        {"a\xE2\x80\x98"
         "b",
         "a|b"}, /* the other quotation mark joins nothing */
        {"http://www.a.com/b?c=d", "http|www.a.com|b|c|d"},
        {"me@example.com", "me|example.com"},
        {"(555) 123-4567", "555|123-4567"},
        {"\"to be\" or", "to|be|or"},
        {"a+b=c", "a|b|c"},
        {"a/b\\c", "a|b|c"},
        {"a,b;c:d", "a|b|c|d"},
        {"Upper CASE", "Upper|CASE"},
        {"\xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9"},
        {"caf\xC3\xA9-bar", "caf\xC3\xA9-bar"},
        {"bar-\xC3\xA9t\xC3\xA9", "bar-\xC3\xA9t\xC3\xA9"},
        {"\xC3\xA9.\xC3\xA9", "\xC3\xA9.\xC3\xA9"},
        {"stra\xC3\x9F"
         "e",
         "stra\xC3\x9F"
         "e"},
        {"\xE6\x9D\xB1\xE4\xBA\xAC \xE5\xA4\xA7\xE5\xAD\xA6",
         "\xE6\x9D\xB1\xE4\xBA\xAC|\xE5\xA4\xA7\xE5\xAD\xA6"}, /* ideographs: Lo */
        {"\xD9\xA3\xD9\xA4", "\xD9\xA3\xD9\xA4"},              /* Arabic digits: Nd */
        {"\xE3\x80\x87", "\xE3\x80\x87"},                      /* ideographic zero: Nl */
        {"\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80",
         "\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80"}, /* marks */
        {"\xCC\x81", "\xCC\x81"},                       /* a mark by itself */
        {"\xF0\x9D\x90\x80", "\xF0\x9D\x90\x80"},       /* four bytes, a letter */
        {"i \xE2\x9D\xA4 cats", "i|\xE2\x9D\xA4|cats"}, /* a symbol: So */
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"\xF0\x9F\x85\xB9\xF0\x9F\x85\xBE", "\xF0\x9F\x85\xB9\xF0\x9F\x85\xBE"}, /* squared */
        {"\xEE\x80\x80", "\xEE\x80\x80"},                                         /* private use */
        {"\xF0\xB2\x8E\xB0", "\xF0\xB2\x8E\xB0"}, /* U+323B0: not known everywhere */
        {"a\xE2\x80\x94"
         "b",
         "a|b"}, /* a dash */
        {"a\xEF\xBF\xBD"
         "b",
         "a|b"}, /* U+FFFD */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char got[256];
        joined(lethe_str_of(table[i].text), got, sizeof got);
        assert_string_equal(got, table[i].want);
    }
}

static void masks_are_words_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } table[] = {
        {"[email] login", "*[email]|login"},
        {"email login", "email|login"},
        {"a[ssn]b", "a|*[ssn]|b"},
        {"a-[ssn]-b", "a|*[ssn]|b"},
        {"[ssn][card]", "*[ssn]|*[card]"},
        {"[ssn", "ssn"},
        {"[ssn ]", "ssn"},
        {"[ [ssn]", "*[ssn]"},
        {"[[ssn]]", "*[ssn]"},
        {"[nothing]", "nothing"},
        {"[]", ""},
        {"[", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char got[256];
        joined(lethe_str_of(table[i].text), got, sizeof got);
        assert_string_equal(got, table[i].want);
    }
    for (int kind = 0; kind < LETHE_N_PII; kind++) {
        char text[64], want[64], got[64];
        snprintf(text, sizeof text, "x [%s] y", lethe_pii_names[kind]);
        snprintf(want, sizeof want, "x|*[%s]|y", lethe_pii_names[kind]);
        joined(lethe_str_of(text), got, sizeof got);
        assert_string_equal(got, want);
    }
}

/* Texts are valid when they come here; if they were not, nothing would break. */
static void broken_bytes_are_no_words(void **state)
{
    (void)state;
    static const struct {
        lethe_str text;
        const char *want;
    } table[] = {
        {{"a\xFF"
          "b",
          3},
         "a|b"},
        {{"\xC3", 1}, ""},
        {{"a\xC3", 2}, "a"},
        {{"a\xE2\x80", 3}, "a"}, /* half an apostrophe */
        {{"a-\xE2\x80", 4}, "a"},
        {{"\xED\xA0\x80x", 4}, "x"},
        {{"a\0b", 3}, "a|b"},
        {{"\0", 1}, ""},
        {{NULL, 0}, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char got[64];
        joined(table[i].text, got, sizeof got);
        assert_string_equal(got, table[i].want);
    }
    assert_int_equal(lethe_words_count((lethe_str){NULL, 0}), 0);
}

/* A megabyte of anything takes one look at each byte. */
static void long_texts_are_read_once(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        uint32_t n_words; /* of the whole */
    } table[] = {{"a", 1},        {"a ", 1 << 19},  {"[", 0}, {"a-", 1}, {"a--", 349525 + 1},
                 {"\xC3\xA9", 1}, {"[ssn]", 209715}};
    size_t n = 1 << 20;
    char *text = malloc(n);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len = strlen(table[i].piece);
        for (size_t k = 0; k < n; k++)
            text[k] = table[i].piece[k % len];
        uint32_t got = lethe_words_count((lethe_str){text, n});
        /* what is cut at the end of [ssn] may be a word */
        assert_in_range(got, table[i].n_words, table[i].n_words + (table[i].piece[0] == '['));
    }
    free(text);
}

static void words_are_sorted_by_bytes(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (size_t n = 0; n < 60; n++) {
        static char bytes[60][3];
        lethe_str at[60];
        for (size_t i = 0; i < n; i++) {
            size_t len = 0;
            for (; len < 3; len++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                uint64_t c = seed >> 60;
                if (c == 15) break;
                bytes[i][len] = (char)(c < 8 ? 'a' + (int)(c % 2) : 0xC0 + (int)c);
            }
            at[i] = (lethe_str){bytes[i], len};
        }
        size_t total = 0, sorted = 0;
        for (size_t i = 0; i < n; i++)
            total += at[i].n + (size_t)(at[i].at - bytes[0]);
        lethe_words_sort(at, n);
        for (size_t i = 0; i < n; i++) {
            sorted += at[i].n + (size_t)(at[i].at - bytes[0]);
            if (i > 0) assert_true(lethe_str_cmp(at[i - 1], at[i]) <= 0);
        }
        assert_int_equal(sorted, total); /* the same ones */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found),           cmocka_unit_test(masks_are_words_of_their_own),
        cmocka_unit_test(broken_bytes_are_no_words), cmocka_unit_test(long_texts_are_read_once),
        cmocka_unit_test(words_are_sorted_by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
