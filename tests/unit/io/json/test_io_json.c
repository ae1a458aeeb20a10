/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: trees, documents, texts, and fields out of a line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "io/json/json.h"
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define assert_ok(call) assert_int_equal((call), LETHE_OK)
#define S LETHE_LIT
#define ROW(s)                                                                                     \
    {                                                                                              \
        (s), sizeof(s) - 1                                                                         \
    } /* S for a static table */

typedef struct heard {
    char text[1024];
    char file[64];
    uint64_t line;
    uint32_t column;
} heard;

static void hear(void *ctx, const lethe_message *m)
{
    heard *h = ctx;
    snprintf(h->text, sizeof h->text, "%s", m->text);
    snprintf(h->file, sizeof h->file, "%s", m->file ? m->file : "");
    h->line = m->line;
    h->column = m->column;
}

/* --- trees --- */

static void values_are_what_they_were_made_of(void **state)
{
    (void)state;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(doc), *a = lethe_json_array(doc);
    lethe_json_set(doc, o, "yes", lethe_json_new_bool(doc, true));
    lethe_json_set(doc, o, "int", lethe_json_new_int(doc, INT64_MIN));
    lethe_json_set(doc, o, "real", lethe_json_new_real(doc, -2.75));
    lethe_json_set(doc, o, "text", lethe_json_new_text(doc, S("a\0b")));
    lethe_json_set(doc, o, "list", a);
    lethe_json_push(doc, a, lethe_json_new_real(doc, NAN));
    lethe_json_push(doc, a, lethe_json_new_real(doc, -INFINITY));
    assert_false(lethe_json_failed(doc));
    assert_int_equal(lethe_json_kind(o), LETHE_JSON_OBJECT);
    assert_int_equal(lethe_json_count(o), 5);
    assert_true(lethe_json_bool(lethe_json_get(o, "yes")));
    assert_true(lethe_json_int(lethe_json_get(o, "int")) == INT64_MIN);
    assert_true(lethe_json_real(lethe_json_get(o, "int")) == -0x1p63);
    assert_true(lethe_json_real(lethe_json_get(o, "real")) == -2.75);
    assert_int_equal(lethe_json_int(lethe_json_get(o, "real")), -2);
    lethe_str text = lethe_json_text(lethe_json_get(o, "text"));
    assert_int_equal(text.n, 3);
    assert_memory_equal(text.at, "a\0b", 4);
    assert_true(lethe_str_eq(lethe_json_name(o, 4), S("list")));
    assert_ptr_equal(lethe_json_at(o, 4), a);
    assert_int_equal(lethe_json_count(a), 2);
    assert_int_equal(lethe_json_kind(lethe_json_at(a, 0)), LETHE_JSON_NULL);
    assert_int_equal(lethe_json_kind(lethe_json_at(a, 1)), LETHE_JSON_NULL);
    assert_null(lethe_json_get(o, "none"));
    assert_null(lethe_json_get(a, "yes"));
    assert_null(lethe_json_at(o, 5));
    assert_int_equal(lethe_json_name(o, 5).n, 0);
    assert_int_equal(lethe_json_name(a, 0).n, 0);
    lethe_json_doc_free(doc);
}

static void null_answers_for_what_is_not_there(void **state)
{
    (void)state;
    assert_int_equal(lethe_json_kind(NULL), LETHE_JSON_NULL);
    assert_null(lethe_json_get(NULL, "x"));
    assert_int_equal(lethe_json_count(NULL), 0);
    assert_null(lethe_json_at(NULL, 0));
    assert_int_equal(lethe_json_name(NULL, 0).n, 0);
    assert_false(lethe_json_bool(NULL));
    assert_int_equal(lethe_json_int(NULL), 0);
    assert_true(lethe_json_real(NULL) == 0);
    assert_int_equal(lethe_json_text(NULL).n, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *one = lethe_json_new_int(doc, 1), *o = lethe_json_object(doc);
    lethe_json *a = lethe_json_array(doc);
    lethe_json_set(doc, NULL, "x", one);
    lethe_json_set(doc, o, "x", NULL);
    lethe_json_set(doc, a, "x", one);
    lethe_json_set(doc, one, "x", one);
    lethe_json_push(doc, NULL, one);
    lethe_json_push(doc, a, NULL);
    lethe_json_push(doc, o, one);
    assert_int_equal(lethe_json_count(o) + lethe_json_count(a), 0);
    assert_int_equal(lethe_json_text(one).n, 0);
    assert_false(lethe_json_bool(one));
    assert_false(lethe_json_failed(doc));
    const lethe_json *copy = lethe_json_copy(doc, NULL);
    assert_non_null(copy);
    assert_int_equal(lethe_json_kind(copy), LETHE_JSON_NULL);
    lethe_json_doc_free(doc);
    lethe_json_doc_free(NULL);
    assert_null(lethe_json_object(NULL));
    assert_null(lethe_json_new_text(NULL, S("x")));
    assert_null(lethe_json_copy(NULL, NULL));
    assert_true(lethe_json_failed(NULL));
}

static void reals_are_cut_off_within_the_range(void **state)
{
    (void)state;
    static const struct {
        double x;
        int64_t want;
    } rows[] = {{1e300, INT64_MAX},
                {-1e300, INT64_MIN},
                {0x1p63, INT64_MAX},
                {-0x1p63, INT64_MIN},
                {0x1p62, INT64_C(1) << 62},
                {2.999, 2},
                {0x1.fffffffffffffp62, INT64_C(0x7ffffffffffffc00)},
                {-0.9, 0}};
    lethe_json_doc *doc = lethe_json_doc_new();
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        assert_true(lethe_json_int(lethe_json_new_real(doc, rows[i].x)) == rows[i].want);
    lethe_json_doc_free(doc);
}

static void text_is(const lethe_json *v, int indent, const char *want)
{
    size_t n;
    char *text = lethe_json_write(v, indent, &n);
    assert_non_null(text);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

static void set_replaces_and_keeps_the_order(void **state)
{
    (void)state;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(doc);
    lethe_json_set(doc, o, "b", lethe_json_new_int(doc, 1));
    lethe_json_set(doc, o, "a", lethe_json_new_int(doc, 2));
    lethe_json_set(doc, o, "", lethe_json_new_int(doc, 3));
    lethe_json_set(doc, o, "b", lethe_json_new_text(doc, S("new")));
    text_is(o, 0, "{\"b\":\"new\",\"a\":2,\"\":3}");
    lethe_json_doc_free(doc);
}

static void copies_owe_nothing_to_the_original(void **state)
{
    (void)state;
    lethe_json_doc *one = lethe_json_doc_new(), *two = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(one), *a = lethe_json_array(one);
    lethe_json_set(one, o, "list", a);
    lethe_json_set(one, o, "b", lethe_json_new_bool(one, false));
    for (int i = 0; i < 200; i++)
        lethe_json_push(one, a,
                        i % 3 ? lethe_json_new_int(one, i) : lethe_json_new_text(one, S("t")));
    char *want = lethe_json_write(o, 1, NULL);
    lethe_json *copy = lethe_json_copy(two, o);
    lethe_json_push(one, a, lethe_json_copy(one, a)); // into itself: it ends
    assert_int_equal(lethe_json_count(lethe_json_at(a, 200)), 200);
    lethe_json_doc_free(one);
    text_is(copy, 1, want);
    lethe_json_text_free(want);
    lethe_json_doc_free(two);
}

/* --- texts --- */

static void lists_are_indented(void **state)
{
    (void)state;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(doc), *a = lethe_json_array(doc), *deep = o;
    lethe_json_set(doc, o, "a", a);
    lethe_json_push(doc, a, lethe_json_new_int(doc, 1));
    lethe_json_push(doc, a, lethe_json_object(doc));
    lethe_json_push(doc, a, lethe_json_array(doc));
    lethe_json_set(doc, o, "n", lethe_json_copy(doc, NULL));
    text_is(o, 0, "{\"a\":[1,{},[]],\"n\":null}");
    text_is(o, 2, "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"n\": null\n}");
    text_is(NULL, 2, "null");
    text_is(lethe_json_new_bool(doc, true), -3, "true");
    for (int i = 0; i < 20; i++) { // past the spaces kept ready
        lethe_json *next = lethe_json_object(doc);
        lethe_json_set(doc, deep, "d", next);
        deep = next;
    }
    char *text = lethe_json_write(o, 4, NULL), want[128];
    snprintf(want, sizeof want, "\n%80s\"d\": {}\n", "");
    assert_non_null(strstr(text, want));
    lethe_json_text_free(text);
    lethe_json_doc_free(doc);
}

static void texts_are_escaped(void **state)
{
    (void)state;
    static const struct {
        lethe_str in;
        const char *want;
    } rows[] = {
        {{"", 0}, "\"\""},
        {{"\"\\/\b\f\n\r\t", 8}, "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {{"a\0b\x1f\x7f", 5}, "\"a\\u0000b\\u001f\\u007f\""},
        {{"\xC2\x80\xC2\x9B\xC2\xA0", 6}, "\"\\u0080\\u009b\xC2\xA0\""},
        {{"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA", 12},
         "\"\xE2\x80\xA7\\u2028\\u2029\xE2\x80\xAA\""},
        {{"\xC3\xA4\xF0\x9F\x98\x80", 6}, "\"\xC3\xA4\xF0\x9F\x98\x80\""},
        {{"\xFFx\x80", 3}, "\"\xEF\xBF\xBDx\xEF\xBF\xBD\""},
        {{"\xC0\xAF", 2}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""}, // overlong
        {{"\xE0\x80\xAF", 3}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {{"\xED\xA0\x80", 3}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, // a surrogate
        {{"\xF4\x90\x80\x80", 4}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {{"\xF0\x9F\x98", 3}, "\"\xEF\xBF\xBD\""}, // the beginning of one
        {{"\xF0\x9F\x98\"", 4}, "\"\xEF\xBF\xBD\\\"\""},
        {{"\xF4\x8F\xBF\xBF", 4}, "\"\xF4\x8F\xBF\xBF\""},
    };
    lethe_json_doc *doc = lethe_json_doc_new();
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        text_is(lethe_json_new_text(doc, rows[i].in), 0, rows[i].want);
    lethe_json *o = lethe_json_object(doc);
    lethe_json_set(doc, o, "\n\xFF", lethe_json_new_int(doc, -7));
    text_is(o, 0, "{\"\\n\xEF\xBF\xBD\":-7}");
    lethe_json_doc_free(doc);
}

static const struct {
    double x;
    const char *want;
} reals[] = {
    {0, "0.0"},
    {-0.0, "-0.0"},
    {5, "5.0"},
    {-1, "-1.0"},
    {0.1, "0.1"},
    {0.3, "0.3"},
    {1e15, "1e+15"},
    {123456789, "123456789.0"},
    {1e22, "1e+22"},
    {1e-7, "1e-07"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1.0 / 3, "0.3333333333333333"},
    {2.0 / 3, "0.6666666666666666"},
    {5e-324, "5e-324"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {9007199254740993.0, "9007199254740992.0"},
};

static void reals_are_short_and_read_back(void **state)
{
    (void)state;
    lethe_json_doc *doc = lethe_json_doc_new();
    for (size_t i = 0; i < LETHE_COUNT(reals); i++)
        text_is(lethe_json_new_real(doc, reals[i].x), 0, reals[i].want);
    text_is(lethe_json_new_int(doc, INT64_MIN), 0, "-9223372036854775808");
    text_is(lethe_json_new_int(doc, INT64_MAX), 0, "9223372036854775807");
    lethe_json_doc_free(doc);
}

/* A locale with a decimal comma: one that is installed, or one made here. */
static bool set_comma_locale(const char *dir)
{
    char line[256];
    if (setlocale(LC_ALL, "de_DE.UTF-8")) return true;
    snprintf(line, sizeof line,
             "localedef -c -i de_DE -f UTF-8 --no-archive %s/de_DE.UTF-8 >%s/log 2>&1", dir, dir);
    if (system(line) != 0) return false;
    setenv("LOCPATH", dir, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void another_locale_changes_no_number(void **state)
{
    (void)state;
    char dir[] = "/tmp/lethe-locale-XXXXXX", line[128];
    assert_non_null(mkdtemp(dir));
    bool set = set_comma_locale(dir);
    snprintf(line, sizeof line, "rm -rf %s", dir);
    assert_int_equal(system(line), 0);
    if (!set) skip();
    char comma[16];
    snprintf(comma, sizeof comma, "%.1f", 1.5);
    assert_string_equal(comma, "1,5");
    lethe_json_doc *doc = lethe_json_doc_new(), *again;
    lethe_json *v;
    text_is(lethe_json_new_real(doc, -1.5), 0, "-1.5");
    text_is(lethe_json_new_real(doc, 1.5e300), 0, "1.5e+300");
    text_is(lethe_json_new_real(doc, 1e300), 0, "1e+300");
    text_is(lethe_json_new_real(doc, 7), 0, "7.0");
    lethe_json_doc_free(doc);
    assert_ok(lethe_json_parse(NULL, "f", S("[1.5,2]"), &again, &v));
    assert_true(lethe_json_real(lethe_json_at(v, 0)) == 1.5);
    lethe_json_doc_free(again);
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

/* --- documents --- */

static void good_documents_are_read(void **state)
{
    (void)state;
    static const struct {
        lethe_str in;
        const char *want;
    } rows[] = {
        {ROW("null"), "null"},
        {ROW(" \t\r\n true \n"), "true"},
        {ROW("-12"), "-12"},
        {ROW("{}"), "{}"},
        {ROW("[ ]"), "[]"},
        {ROW("\"\""), "\"\""},
        {ROW("{\"b\":[1,2.50,-0],\"a\":{\"\":null}}"), "{\"b\":[1,2.5,-0.0],\"a\":{\"\":null}}"},
        {ROW("[9223372036854775807,-9223372036854775808]"),
         "[9223372036854775807,-9223372036854775808]"},
        {ROW("[9223372036854775808,-9223372036854775809]"),
         "[9.223372036854776e+18,-9.223372036854776e+18]"},
        {ROW("[1e2,1E+2,1e-2,-0.0,1e-400]"), "[100.0,100.0,0.01,-0.0,0.0]"},
        {ROW("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e4\""),
         "\"\\\"\\\\/\\b\\f\\n\\r\\tA\xC3\xA4\""},
        {ROW("\"x\\u0000y\""), "\"x\\u0000y\""},
        {ROW("\"\\ud83d\\uDE00\""), "\"\xF0\x9F\x98\x80\""},
        {ROW("\"\x7F\""), "\"\\u007f\""},
        {ROW("\"\\\\ud800\""), "\"\\\\ud800\""}, // a backslash, and letters
        {ROW("{\"a\":1,\"A\":2,\"a \":3}"), "{\"a\":1,\"A\":2,\"a \":3}"},
        {ROW("{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}}}"),
         "{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}}}"},
        {ROW("\"[[[[[{{{{\""), "\"[[[[[{{{{\""},
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        lethe_json_doc *doc;
        lethe_json *v;
        assert_ok(lethe_json_parse(NULL, "f", rows[i].in, &doc, &v));
        text_is(v, 0, rows[i].want);
        lethe_json_doc_free(doc);
    }
}

static const struct {
    lethe_str in;
    uint64_t line;
    uint32_t column;
    const char *cause;
} bad_documents[] = {
    {{"", 0}, 1, 1, "no value"},
    {{" \n ", 3}, 2, 2, "no value"},
    {{"\0", 1}, 1, 1, "invalid char"},
    {{"{", 1}, 1, 2, "cut off in the middle"},
    {{"{\"a\"", 4}, 1, 5, "cut off"},
    {{"{\"a\":\n", 6}, 2, 1, "cut off"},
    {{"\"abc", 4}, 1, 5, "cut off"},
    {{"\"abc\\", 5}, 1, 6, "cut off"},
    {{"\"\\u00", 5}, 1, 6, "cut off"},
    {{"tru", 3}, 1, 4, "cut off"},
    {{"-", 1}, 1, 2, "cut off"},
    {{"1.", 2}, 1, 3, "cut off"},
    {{"1e", 2}, 1, 3, "cut off"},
    {{"[1.]", 4}, 1, 4, "malformed number"},
    {{"[1,\n 2 x]", 9}, 2, 4, "invalid char"},
    {{"{\"a\":1,}", 8}, 1, 8, "invalid object key"},
    {{"{1:2}", 5}, 1, 2, "invalid object key"},
    {{"{\"a\" 1}", 7}, 1, 6, "colon"},
    {{"[1 2]", 5}, 1, 4, "after array element"},
    {{"[1}", 3}, 1, 3, "after array element"},
    {{"[,]", 3}, 1, 2, "unallowed token"},
    {{"[1,]", 4}, 1, 4, "unallowed token"},
    {{"{\"x\":\n\n [1,\n  2,,3]}", 20}, 4, 5, "unallowed token"},
    {{"[true:\"a\\\"b\"]", 13}, 1, 6, "after array element"},
    {{"[1 \"a\\\"b\"]", 10}, 1, 4, "after array element"},
    {{"+1", 2}, 1, 1, "invalid char"},
    {{".5", 2}, 1, 1, "invalid char"},
    {{"NaN", 3}, 1, 1, "invalid char"},
    {{"'a'", 3}, 1, 1, "invalid char"},
    {{"/**/1", 5}, 1, 1, "comment"},
    {{"\xEF\xBB\xBF{}", 5}, 1, 1, "invalid char"},
    {{"\v1", 2}, 1, 1, "invalid char"},
    {{"[1,\f2]", 6}, 1, 4, "invalid char"},
    {{"{} {}", 5}, 1, 4, "text after its end"},
    {{"01", 2}, 1, 1, "text after its end"},
    {{"{}\0", 3}, 1, 3, "text after its end"},
    {{"null,", 5}, 1, 5, "text after its end"},
    {{"\"a\nb\"", 5}, 1, 3, "invalid character inside string"},
    {{"\"a\0b\"", 5}, 1, 3, "invalid character inside string"},
    {{"\"\\x\"", 4}, 1, 3, "may not"},
    {{"\"\\u12g4\"", 8}, 1, 6, "non-hex"},
    {{"\"\xFF\"", 3}, 1, 2, "not UTF-8"},
    {{"\"a\xC0\xAF\"", 5}, 1, 3, "not UTF-8"},
    {{"\"\xE0\x80\xAF\"", 5}, 1, 2, "not UTF-8"},
    {{"\"\xED\xA0\x80\"", 5}, 1, 2, "not UTF-8"},
    {{"\"\xF4\x90\x80\x80\"", 6}, 1, 2, "not UTF-8"},
    {{"\"\xC3\"", 3}, 1, 2, "not UTF-8"},
    {{"{\"\xFF\":1}", 7}, 1, 3, "not UTF-8"},
    {{"\"\\ud800\"", 8}, 1, 2, "half of a surrogate pair"},
    {{"\"\\ud800x\"", 9}, 1, 2, "half of a surrogate pair"},
    {{"\"\\ud800\\u0041\"", 14}, 1, 2, "half of a surrogate pair"},
    {{"\"\\ud800\\ud800\"", 14}, 1, 2, "half of a surrogate pair"},
    {{"\"a\\uDFFF\"", 9}, 1, 3, "half of a surrogate pair"},
    {{"[x,\"\\ud800\"]", 12}, 1, 2, "invalid char"}, // what comes first is told
    {{"1e400", 5}, 1, 1, "a number too large"},
    {{"[1,-1e999]", 10}, 1, 4, "a number too large"},
    {{"{\"a\":1,\n\"b\":2,\"a\":3}", 20}, 2, 7, "the same name twice"},
    {{"{\"a\":1,\"\\u0061\":3,\"a\":4}", 24}, 1, 8, "the same name twice"},
    {{"{\"b\":1,\"x\":2,\"x\":3,\"b\":4}", 25}, 1, 14, "the same name twice"},
    {{"[{\"\":1,\"\":3}]", 13}, 1, 8, "the same name twice"},
};

static void bad_documents_are_refused_with_their_place(void **state)
{
    (void)state;
    heard h;
    lethe_diag *d = lethe_diag_new(hear, &h);
    for (size_t i = 0; i < LETHE_COUNT(bad_documents); i++) {
        lethe_json_doc *doc = NULL;
        lethe_json *v = NULL;
        // A block of its own size, so that a step past the end is seen.
        char *in = malloc(bad_documents[i].in.n + 1);
        memcpy(in, bad_documents[i].in.at, bad_documents[i].in.n);
        lethe_str text = {in, bad_documents[i].in.n};
        h = (heard){0};
        lethe_err e = lethe_json_parse(d, "f.json", text, &doc, &v);
        if (e != LETHE_EINPUT || h.line != bad_documents[i].line ||
            h.column != bad_documents[i].column || !strstr(h.text, bad_documents[i].cause))
            fail_msg("row %zu: error %d, %lu:%u: %s", i, (int)e, (unsigned long)h.line, h.column,
                     h.text);
        assert_string_equal(h.file, "f.json");
        assert_memory_equal(h.text, "not valid JSON: ", 16);
        assert_null(doc);
        assert_null(v);
        free(in);
    }
    lethe_diag_free(d);
}

static void nesting_ends_at_64_levels(void **state)
{
    (void)state;
    heard h = {0};
    lethe_diag *d = lethe_diag_new(hear, &h);
    for (int depth = 63; depth <= 66; depth++) {
        char text[256] = {0};
        for (int i = 0; i < depth; i++)
            text[i] = '[', text[depth + i] = ']';
        lethe_json_doc *doc = NULL;
        lethe_json *v = NULL;
        lethe_err e = lethe_json_parse(d, "f", lethe_str_of(text), &doc, &v);
        assert_int_equal(e, depth <= 64 ? LETHE_OK : LETHE_EINPUT);
        if (e == LETHE_OK) {
            text_is(v, 0, text);
        } else {
            assert_string_equal(h.text, "not valid JSON: nested deeper than 64 levels");
            assert_int_equal(h.column, 65);
        }
        lethe_json_doc_free(doc);
    }
    size_t n = 10 << 20; // no stack is used up
    char *many = malloc(n);
    memset(many, '[', n);
    lethe_json_doc *doc;
    lethe_json *v;
    assert_int_equal(lethe_json_parse(d, "f", (lethe_str){many, n}, &doc, &v), LETHE_EINPUT);
    free(many);
    lethe_diag_free(d);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* An object with n members, the last a second copy of the first where `twice`. */
static lethe_str wide_object(lethe_buf *b, int n, bool twice)
{
    b->n = 0;
    for (int i = 0; i < n; i++) {
        char member[64];
        int name = twice && i == n - 1 ? 0 : i;
        int len = snprintf(member, sizeof member, "%c\"name-%d\":%d", i ? ',' : '{', name, i);
        assert_ok(lethe_buf_put(b, member, (size_t)len));
    }
    assert_ok(lethe_buf_put(b, "}", 1));
    return (lethe_str){(char *)b->at, b->n};
}

static void wide_objects_are_not_slow(void **state)
{
    (void)state;
    lethe_buf b = {0};
    lethe_json_doc *doc;
    lethe_json *v;
    double t = seconds();
    assert_ok(lethe_json_parse(NULL, "f", wide_object(&b, 100000, false), &doc, &v));
    assert_int_equal(lethe_json_count(v), 100000);
    assert_int_equal(lethe_json_int(lethe_json_get(v, "name-99999")), 99999);
    assert_int_equal(lethe_json_int(lethe_json_at(v, 77777)), 77777);
    lethe_json_doc_free(doc);
    lethe_str twice = wide_object(&b, 100000, true);
    assert_int_equal(lethe_json_parse(NULL, "f", twice, &doc, &v), LETHE_EINPUT);
    assert_true(seconds() - t < 5); // by pairs it would be minutes
    lethe_buf_free(&b);
}

static void parsed_trees_can_be_added_to(void **state)
{
    (void)state;
    lethe_json_doc *doc;
    lethe_json *v;
    assert_ok(lethe_json_parse(NULL, "f", S("{\"a\":[1],\"b\":{}}"), &doc, &v));
    lethe_json_set(doc, v, "c", lethe_json_new_int(doc, 3));
    lethe_json_set(doc, v, "b", lethe_json_new_int(doc, 2));
    assert_false(lethe_json_failed(doc));
    text_is(v, 0, "{\"a\":[1],\"b\":2,\"c\":3}");
    lethe_json_doc_free(doc);
}

static void documents_are_read_from_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/lethe-json-XXXXXX";
    heard h = {0};
    lethe_diag *d = lethe_diag_new(hear, &h);
    lethe_json_doc *doc;
    lethe_json *v;
    assert_non_null(mkdtemp(dir));
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = openat(fd, "a.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(file, "{\"a\":\n1}", 8), 8);
    close(file);
    assert_int_equal(symlinkat("a.json", fd, "link") | mkdirat(fd, "dir", 0700), 0);
    assert_int_equal(mkfifoat(fd, "fifo", 0600), 0);
    assert_ok(lethe_json_read_at(d, fd, "a.json", 8, &doc, &v));
    text_is(v, 0, "{\"a\":1}");
    lethe_json_doc_free(doc);
    assert_int_equal(lethe_json_read_at(d, fd, "a.json", 7, &doc, &v), LETHE_EINPUT);
    assert_string_equal(h.text, "larger than 7 bytes");
    assert_string_equal(h.file, "a.json");
    assert_int_equal(lethe_json_read_at(d, fd, "a.json", 0, &doc, &v), LETHE_EINPUT);
    static const char *const bad[] = {"link", "dir", "fifo", "none"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_int_equal(lethe_json_read_at(d, fd, bad[i], 100, &doc, &v), LETHE_EIO);
    assert_string_equal(h.text, "cannot open 'none': no such file or directory");
    file = openat(fd, "a.json", O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_int_equal(write(file, "{\"a\":\nx}", 8), 8);
    close(file);
    assert_int_equal(lethe_json_read_at(d, fd, "a.json", SIZE_MAX, &doc, &v), LETHE_EINPUT);
    assert_int_equal(h.line, 2);
    assert_int_equal(unlinkat(fd, "a.json", 0) | unlinkat(fd, "link", 0), 0);
    assert_int_equal(unlinkat(fd, "fifo", 0) | unlinkat(fd, "dir", AT_REMOVEDIR), 0);
    close(fd);
    assert_int_equal(rmdir(dir), 0);
    lethe_diag_free(d);
}

/* --- no memory --- */

static const char sample[] = "{\"one\":{\"two\":[1,2.5,true,null,\"\\u00e4\\n "
                             "plain\",\"\\ud83d\\ude00\"]},\"three\":[[[[]]]]}";

static void every_failing_allocation_is_told(void **state)
{
    (void)state;
    lethe_err e = LETHE_ENOMEM;
    lethe_buf wide = {0};
    assert_ok(lethe_buf_str(&wide, S("[")));
    for (int i = 0; i < 300; i++)
        assert_ok(lethe_buf_put(&wide, sample, sizeof sample - 1)),
            assert_ok(lethe_buf_str(&wide, S(",")));
    wide.at[wide.n - 1] = ']';
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = NULL;
        lethe_json *v = NULL;
        lethe_alloc_fail_at(++n);
        e = lethe_json_parse(NULL, "f", (lethe_str){(char *)wide.at, wide.n}, &doc, &v);
        lethe_alloc_fail_at(0);
        if (e == LETHE_ENOMEM) assert_true(!doc && !v);
        if (e == LETHE_OK) assert_int_equal(lethe_json_count(v), 300);
        lethe_json_doc_free(doc);
        assert_true(n < 5000);
    }
    assert_ok(e);
    assert_true(n > 300); // each object's check for names is one
    lethe_buf_free(&wide);
}

static void document_remembers_that_memory_failed(void **state)
{
    (void)state;
    bool failed = true;
    for (uint64_t n = 1; failed; n++) {
        lethe_alloc_fail_at(n);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *o = lethe_json_object(doc);
        lethe_json *a = lethe_json_array(doc);
        lethe_json_set(doc, o, "list", a);
        for (int i = 0; i < 1000; i++)
            lethe_json_push(doc, a, lethe_json_new_text(doc, S("some text of some length")));
        lethe_json_set(doc, o, "copy", lethe_json_copy(doc, a));
        lethe_json_set(doc, lethe_json_copy(doc, o), "more", lethe_json_new_int(doc, 1));
        failed = lethe_json_failed(doc);
        lethe_alloc_fail_at(0);
        if (!failed) {
            assert_int_equal(lethe_json_count(lethe_json_get(o, "copy")), 1000);
            assert_int_equal(lethe_json_count(a), 1000);
            assert_true(n > 8);
        }
        lethe_json_doc_free(doc);
        assert_true(n < 1000);
    }
}

static void writing_without_memory_gives_null(void **state)
{
    (void)state;
    lethe_json_doc *doc;
    lethe_json *v;
    char *text = NULL;
    assert_ok(lethe_json_parse(NULL, "f", S(sample), &doc, &v));
    int n = 0;
    while (!text) {
        lethe_alloc_fail_at((uint64_t)++n);
        text = lethe_json_write(v, 2, NULL);
        lethe_alloc_fail_at(0);
    }
    assert_in_range(n, 2, 50);
    lethe_json_text_free(text);
    lethe_json_doc_free(doc);
}

/* --- the picker --- */

/* Picks one name out of one line: "-" where it is absent, or the cause. */
static void picked_is(const char *name, lethe_str line, const char *want)
{
    lethe_json_picker *p = lethe_json_picker_new(&name, 1);
    lethe_str f = S("left over");
    const char *cause = "left over";
    assert_non_null(p);
    assert_ok(lethe_json_pick(p, line, &f, &cause));
    const char *got = cause ? cause : f.at ? f.at : "-";
    if (cause) assert_null(f.at);
    if (strcmp(got, want) != 0 || (!cause && f.at && f.n != strlen(want)))
        fail_msg("'%s' of %.*s: '%s', not '%s'", name, (int)line.n, line.at, got, want);
    lethe_json_picker_free(p);
}

static void fields_are_found_by_dotted_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *line, *want;
    } rows[] = {
        {"a", "{\"a\":\"x\"}", "x"},
        {"a", "{\"b\":\"x\"}", "-"},
        {"a", "{}", "-"},
        {"a", " \t{ \"a\" : \"x\" } \r", "x"},
        {"a", "{\"a\":\"\"}", ""},
        {"a", "{\"a\":-1.50e+7}", "-1.50e+7"},
        {"a", "{\"a\":12345678901234567890123}", "12345678901234567890123"},
        {"a", "{\"a\":1e999}", "1e999"},
        {"a", "{\"a\":true}", "true"},
        {"a", "{\"a\":false}", "false"},
        {"a", "{\"a\":null}", "-"},
        {"a", "{\"a\":{}}", "-"},
        {"a", "{\"a\":[1]}", "-"},
        {"a", "{\"b\":{\"a\":1}}", "-"},
        {"a", "{\"b\":[\"a\",{\"a\":1}],\"a\":2}", "2"},
        {"a.b", "{\"a\":{\"b\":\"x\"}}", "x"},
        {"a.b", "{\"a\":{\"c\":1,\"b\":\"x\"},\"b\":2}", "x"},
        {"a.b", "{\"a.b\":\"x\"}", "x"},
        {"a.b", "{\"a.b\":\"x\",\"a\":{\"b\":\"y\"}}", "x"},
        {"a.b", "{\"a\":{\"b\":\"y\"},\"a.b\":\"x\"}", "y"},
        {"a.b", "{\"a.b\":null,\"a\":{\"b\":\"y\"}}", "y"}, // the first that is there
        {"a.b", "{\"a\":1,\"a\":{\"b\":2}}", "2"},
        {"a.b.c", "{\"a.b\":{\"c\":1}}", "1"},
        {"a.b.c", "{\"a\":{\"b.c\":1}}", "1"},
        {"a.b.c", "{\"a\":{\"b\":{\"c\":1}}}", "1"},
        {"a.b.c", "{\"a\":{\"b\":{\"cc\":1},\"c\":2}}", "-"},
        {"ab", "{\"a\":{\"b\":1}}", "-"},
        {"a.", "{\"a\":{\"\":1}}", "1"},
        {".a", "{\"\":{\"a\":1}}", "1"},
        {"", "{\"\":7}", "7"},
        {"", "{\"a\":7}", "-"},
        {"a.1", "{\"a\":[5,6,7]}", "6"},
        {"a.10", "{\"a\":[0,1,2,3,4,5,6,7,8,9,\"ten\"]}", "ten"},
        {"a.01", "{\"a\":[5,6,7]}", "-"},
        {"a.3", "{\"a\":[5,6,7]}", "-"},
        {"a.1", "{\"a\":{\"1\":\"x\"}}", "x"},
        {"a.1.b", "{\"a\":[{\"b\":1},{\"b\":2}]}", "2"},
        {"a.1.1", "{\"a\":[[0,1],[2,3]]}", "3"},
        {"a.2", "{\"a\":[null,{\"x\":[1]},\"c\"]}", "c"},
        {"a.0", "{\"a\":[],\"b\":[1],\"a.0\":9}", "9"},
        {"0", "{\"a\":[1],\"0\":2}", "2"},
        {"a", "{\"a\":1,\"a\":2}", "1"},
        {"a", "{\"\\u0061\":\"esc\"}", "esc"},
        {"\xC3\xA4", "{\"\\u00e4\":\"\\u00c4\\n\\\"\"}", "\xC3\x84\n\""},
        {"a", "{\"a\":\"\\ud83d\\ude00!\"}", "\xF0\x9F\x98\x80!"},
        {"a", "{\"a\":\"\\ud800x\"}", "\xEF\xBF\xBDx"}, // half a pair, and nothing else lost
        {"a", "{\"a\":\"\\ud800\\u0041\\udc00\"}",
         "\xEF\xBF\xBD"
         "A\xEF\xBF\xBD"},
        {"a", "{\"a\":\"\\ud800\\ud83d\\ude00\"}", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {"a", "{\"a\":\"\\\\ud800\"}", "\\ud800"},
        {"a", "{\"a\":\"x\xFFy\xED\xA0\x80\"}", "x\xFFy\xED\xA0\x80"}, // left to the log's reader
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        picked_is(rows[i].name, lethe_str_of(rows[i].line), rows[i].want);
}

static void lines_that_are_no_object_have_a_cause(void **state)
{
    (void)state;
    static const struct {
        lethe_str line;
        const char *cause;
    } rows[] = {
        {ROW(""), "not a JSON object"},
        {ROW("  "), "not a JSON object"},
        {ROW("[1]"), "not a JSON object"},
        {ROW("\"a\""), "not a JSON object"},
        {ROW("null"), "not a JSON object"},
        {ROW("a\tb\tc"), "not a JSON object"},
        {ROW("\xEF\xBB\xBF{}"), "not a JSON object"},
        {ROW("\0{}"), "not a JSON object"},
        {ROW("{"), "cut off in the middle"},
        {ROW("{\"a\":\"x"), "cut off in the middle"},
        {ROW("{\"a\":1"), "cut off in the middle"},
        {ROW("{\"a\":1}}"), "text after the object"},
        {ROW("{\"a\":1} {\"a\":2}"), "text after the object"},
        {ROW("{\"a\":1},"), "text after the object"},
        {ROW("{\"a\":1}\0"), "text after the object"},
        {ROW("{a:1}"), "not valid JSON"},
        {ROW("{\"a\":01}"), "not valid JSON"},
        {ROW("{\"a\":1,}"), "not valid JSON"},
        {ROW("{\"a\":\"x\ty\"}"), "not valid JSON"},
        {ROW("{\"a\":\"\\q\"}"), "not valid JSON"},
        {ROW("{\"a\":\v1}"), "not valid JSON"},
        {ROW("{'a':1}"), "not valid JSON"},
        {ROW("{\"a\":1]"), "not valid JSON"},
    };
    for (size_t i = 0; i < LETHE_COUNT(rows); i++)
        picked_is("a", rows[i].line, rows[i].cause);
    char deep[256] = "{\"a\":";
    memset(deep + 5, '[', 64);
    picked_is("a", lethe_str_of(deep), "nested deeper than 64 levels");
    deep[5 + 63] = '\0';
    picked_is("a", lethe_str_of(deep), "cut off in the middle");
}

static void several_fields_and_lines_with_one_picker(void **state)
{
    (void)state;
    char name[] = "event.user";
    const char *names[] = {name, "q", "event.user", "tags.0", "none"};
    lethe_json_picker *p = lethe_json_picker_new(names, 5);
    strcpy(name, "changed"); // it was copied
    lethe_str f[5];
    const char *cause;
    for (int i = 0; i < 1000; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "{\"event\":{\"user\":%d,\"x\":1},\"q\":\"a\\tb %d\",\"tags\":[true,2]}", i, i);
        assert_ok(lethe_json_pick(p, lethe_str_of(line), f, &cause));
        assert_null(cause);
        memset(line, 0, sizeof line); // the views do not live in it
        char want[32];
        snprintf(want, sizeof want, "%d", i);
        assert_string_equal(f[0].at, want);
        assert_string_equal(f[2].at, want);
        snprintf(want, sizeof want, "a\tb %d", i);
        assert_string_equal(f[1].at, want);
        assert_string_equal(f[3].at, "true");
        assert_null(f[4].at);
        if (i % 7 == 0) {
            assert_ok(lethe_json_pick(p, S("{\"q\":\"x\",\"event\":{\"user\":1},"), f, &cause));
            assert_string_equal(cause, "cut off in the middle");
            for (int k = 0; k < 5; k++)
                assert_null(f[k].at); // what was found before the fault does not count
        }
    }
    lethe_json_picker_free(p);
    lethe_json_picker_free(NULL);
    p = lethe_json_picker_new(NULL, 0);
    assert_ok(lethe_json_pick(p, S("{\"a\":{\"b\":[1,2]}}"), NULL, &cause));
    assert_null(cause);
    lethe_json_picker_free(p);
}

static void picker_without_memory_says_so(void **state)
{
    (void)state;
    const char *names[] = {"a", "b.c"};
    lethe_str line = S("{\"a\":\"\\u00e4\\ud800\",\"b\":{\"c\":1}}"), f[2];
    const char *cause = NULL;
    lethe_json_picker *p = NULL;
    for (uint64_t n = 1; !p; n++) {
        lethe_alloc_fail_at(n);
        p = lethe_json_picker_new(names, 2);
        lethe_alloc_fail_at(0);
        assert_in_range(n, 1, 10);
    }
    lethe_json_picker_free(p);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e == LETHE_ENOMEM; n++) {
        p = lethe_json_picker_new(names, 2); // a new one: an old one has its memory already
        lethe_alloc_fail_at(n);
        e = lethe_json_pick(p, line, f, &cause);
        lethe_alloc_fail_at(0);
        if (e == LETHE_ENOMEM) assert_true(!f[0].at && !f[1].at);
        if (n == 1) assert_int_equal(e, LETHE_ENOMEM);
        assert_ok(lethe_json_pick(p, line, f, &cause)); // and goes on where there is some again
        assert_null(cause);
        assert_string_equal(f[0].at, "\xC3\xA4\xEF\xBF\xBD");
        assert_string_equal(f[1].at, "1");
        lethe_json_picker_free(p);
        assert_in_range(n, 1, 100);
    }
    assert_ok(e);
}

/* Long texts with escapes make the parser's own buffers grow, and fail to. */
static void long_escaped_texts_are_read(void **state)
{
    (void)state;
    enum { N = 50000 };
    char *line = malloc(3 * N + 16), *want = malloc(2 * N + 1);
    const char *name = "a", *cause;
    lethe_str f;
    strcpy(line, "{\"a\":\"");
    for (size_t i = 0; i < N; i++) {
        memcpy(line + 6 + 3 * i, "\\nx", 3);
        memcpy(want + 2 * i, "\nx", 2);
    }
    strcpy(line + 6 + 3 * N, "\"}");
    want[2 * N] = '\0';
    lethe_err e = LETHE_ENOMEM, picked = LETHE_ENOMEM;
    for (uint64_t n = 1; e == LETHE_ENOMEM || picked == LETHE_ENOMEM; n++) {
        lethe_json_doc *doc = NULL;
        lethe_json *v;
        lethe_json_picker *p = lethe_json_picker_new(&name, 1);
        lethe_alloc_fail_at(n);
        e = lethe_json_parse(NULL, "f", lethe_str_of(line), &doc, &v);
        lethe_alloc_fail_at(n);
        picked = lethe_json_pick(p, lethe_str_of(line), &f, &cause);
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) assert_string_equal(lethe_json_text(lethe_json_get(v, "a")).at, want);
        if (picked == LETHE_OK) assert_string_equal(f.at, want);
        lethe_json_doc_free(doc);
        lethe_json_picker_free(p);
        assert_in_range(n, 1, 100);
    }
    assert_ok(e);
    assert_ok(picked);
    free(line);
    free(want);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_what_they_were_made_of),
        cmocka_unit_test(null_answers_for_what_is_not_there),
        cmocka_unit_test(reals_are_cut_off_within_the_range),
        cmocka_unit_test(set_replaces_and_keeps_the_order),
        cmocka_unit_test(copies_owe_nothing_to_the_original),
        cmocka_unit_test(lists_are_indented),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(reals_are_short_and_read_back),
        cmocka_unit_test(another_locale_changes_no_number),
        cmocka_unit_test(good_documents_are_read),
        cmocka_unit_test(bad_documents_are_refused_with_their_place),
        cmocka_unit_test(nesting_ends_at_64_levels),
        cmocka_unit_test(wide_objects_are_not_slow),
        cmocka_unit_test(parsed_trees_can_be_added_to),
        cmocka_unit_test(documents_are_read_from_files),
        cmocka_unit_test(every_failing_allocation_is_told),
        cmocka_unit_test(document_remembers_that_memory_failed),
        cmocka_unit_test(writing_without_memory_gives_null),
        cmocka_unit_test(fields_are_found_by_dotted_names),
        cmocka_unit_test(lines_that_are_no_object_have_a_cause),
        cmocka_unit_test(several_fields_and_lines_with_one_picker),
        cmocka_unit_test(picker_without_memory_says_so),
        cmocka_unit_test(long_escaped_texts_are_read),
    };
    return cmocka_run_group_tests_name("io_json", tests, NULL, NULL);
}
