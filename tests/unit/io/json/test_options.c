/* SPDX-License-Identifier: Apache-2.0 */
/* Options as tables: what each type takes, what it refuses, and the way through a manifest. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/json/json.h"
#include "io/json/option.h"
#include "method/method.h"

enum {
    FLAG,
    COUNT,
    REAL,
    CHOICE,
    TEXT,
    PATH,
    DURATION,
    SIZE,
    OPEN_SIZE,
    LONG,
    SECRET,
    NEEDED,
    LETTER,
    SET,
    FULL_SET,
    TOLD,
    HIDDEN,
    N_OPTIONS
};

static const lethe_option table[] = {
    [FLAG] = {.name = "flag", .type = LETHE_OPT_FLAG, .help = "a flag"},
    [COUNT] = {.name = "count",
               .type = LETHE_OPT_COUNT,
               .arg = "N",
               .fallback = "5",
               .min = 1,
               .max = 1e9,
               .help = "a count"},
    [REAL] = {.name = "real",
              .type = LETHE_OPT_REAL,
              .arg = "X",
              .fallback = "0.25",
              .min = 0,
              .max = 1,
              .help = "a share"},
    [CHOICE] = {.name = "choice",
                .type = LETHE_OPT_CHOICE,
                .arg = "users|queries|rows",
                .fallback = "queries",
                .help = "one of three"},
    [TEXT] = {.name = "text", .type = LETHE_OPT_TEXT, .arg = "T", .help = "any text"},
    [PATH] = {.name = "path", .type = LETHE_OPT_PATH, .arg = "FILE", .help = "a file"},
    [DURATION] = {.name = "duration",
                  .type = LETHE_OPT_DURATION,
                  .arg = "D",
                  .fallback = "60m",
                  .help = "a time"},
    [SIZE] = {.name = "size",
              .type = LETHE_OPT_SIZE,
              .arg = "S",
              .min = 16,
              .max = 1024.0 * (1 << 30),
              .help = "a size"},
    [OPEN_SIZE] = {.name = "open-size",
                   .type = LETHE_OPT_SIZE,
                   .arg = "S",
                   .min = 16 << 20,
                   .max = 9e18,
                   .help = "a size without an end"},
    [LONG] = {.name = "long",
              .type = LETHE_OPT_DURATION,
              .arg = "D",
              .min = 60,
              .max = 86400,
              .help = "a time within bounds"},
    [SECRET] =
        {.name = "secret", .type = LETHE_OPT_COUNT, .arg = "N", .help = "a seed", .secret = true},
    [NEEDED] = {.name = "needed",
                .type = LETHE_OPT_TEXT,
                .arg = "T",
                .help = "must be there",
                .required = true},
    [LETTER] =
        {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .help = "any number"},
    [SET] = {.name = "set",
             .type = LETHE_OPT_SET,
             .arg = "ssn|card|ip|ipx",
             .help = "some of four"},
    [FULL_SET] = {.name = "full-set",
                  .type = LETHE_OPT_SET,
                  .arg = "one|two",
                  .fallback = "one,two",
                  .help = "some of two"},
    [TOLD] = {.name = "told",
              .type = LETHE_OPT_PATH,
              .arg = "FILE|none",
              .word = "none",
              .told = true,
              .help = "a file that is told of"},
    [HIDDEN] = {.name = "hidden",
                .type = LETHE_OPT_PATH,
                .arg = "FILE",
                .told = true,
                .secret = true,
                .help = "a file that is told of and secret"},
    [N_OPTIONS] = {0},
};

typedef struct heard {
    int n;
    char last[512];
} heard;

static void hear(void *ctx, const lethe_message *m)
{
    heard *h = ctx;
    h->n++;
    snprintf(h->last, sizeof h->last, "%s", m->text);
}

typedef struct fixture {
    lethe_values v;
    lethe_value at[N_OPTIONS];
    heard heard;
    lethe_diag *d;
    lethe_json_doc *doc;
    lethe_arena *a;
} fixture;

static int begin(void **state)
{
    static fixture f;
    f = (fixture){0};
    lethe_values_init(&f.v, table, f.at);
    f.d = lethe_diag_new(hear, &f.heard);
    f.doc = lethe_json_doc_new();
    f.a = lethe_arena_new();
    *state = &f;
    return f.d && f.doc && f.a ? 0 : -1;
}

static int end(void **state)
{
    fixture *f = *state;
    lethe_diag_free(f->d);
    lethe_json_doc_free(f->doc);
    lethe_arena_free(f->a);
    return 0;
}

static lethe_err set(fixture *f, size_t i, const char *text)
{
    return lethe_values_set(&f->v, i, text, f->d);
}

static void count_ends_at_the_nameless_row(void **state)
{
    (void)state;
    static const lethe_option none[] = {{0}};
    assert_int_equal(lethe_option_count(table), N_OPTIONS);
    assert_int_equal(lethe_option_count(none), 0);
    assert_int_equal(lethe_option_count(NULL), 0);
}

static void fallbacks_are_present_but_not_given(void **state)
{
    fixture *f = *state;
    static const size_t with[] = {COUNT, REAL, CHOICE, DURATION, FULL_SET};
    for (size_t i = 0; i < LETHE_COUNT(with); i++) {
        assert_true(f->at[with[i]].present);
        assert_false(f->at[with[i]].given);
        assert_string_equal(f->at[with[i]].text, table[with[i]].fallback);
    }
    assert_int_equal(f->at[COUNT].count, 5);
    assert_true(f->at[REAL].real == 0.25);
    assert_int_equal(f->at[CHOICE].count, 1);
    assert_int_equal(f->at[DURATION].count, 3600);
    assert_int_equal(f->at[FULL_SET].count, 3);
    static const size_t without[] = {FLAG, TEXT, PATH, SIZE, SECRET, NEEDED, LETTER, SET};
    for (size_t i = 0; i < LETHE_COUNT(without); i++) {
        assert_false(f->at[without[i]].present);
        assert_false(f->at[without[i]].given);
        assert_null(f->at[without[i]].text);
        assert_int_equal(f->at[without[i]].count, 0);
    }
}

static void good_texts_are_taken(void **state)
{
    fixture *f = *state;
    static const struct {
        size_t option;
        const char *text;
        int64_t count;
        double real;
    } good[] = {
        {FLAG, "", 1, 0},
        {COUNT, "1", 1, 1},
        {COUNT, "1000000000", 1000000000, 1e9},
        {REAL, "0", 0, 0},
        {REAL, "1", 0, 1},
        {REAL, "0.5", 0, 0.5},
        {REAL, "1e-3", 0, 1e-3},
        {REAL, "1/3", 0, 1.0 / 3},
        {REAL, "29/100", 0, 0.29},
        {CHOICE, "users", 0, 0},
        {CHOICE, "queries", 1, 0},
        {CHOICE, "rows", 2, 0},
        {TEXT, "", 0, 0},
        {TEXT, "--anything goes", 0, 0},
        {PATH, "-", 0, 0},
        {DURATION, "90s", 90, 90},
        {DURATION, "2d", 172800, 172800},
        {SIZE, "16", 16, 16},
        {SIZE, "200M", 209715200, 209715200},
        {SECRET, "0", 0, 0},
        {SECRET, "-7", -7, -7},
        {LETTER, "9223372036854775807", INT64_MAX, 9223372036854775807.0},
        {LETTER, "-9223372036854775808", INT64_MIN, -9223372036854775808.0},
        {SET, "ssn", 1, 0},
        {SET, "card", 2, 0},
        {SET, "ip", 4, 0},
        {SET, "ipx", 8, 0},
        {SET, "ipx,ssn", 9, 0},
        {SET, "ssn,ipx", 9, 0},
        {SET, "ip,card,ipx,ssn", 15, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        assert_int_equal(set(f, good[i].option, good[i].text), LETHE_OK);
        const lethe_value *v = &f->at[good[i].option];
        assert_true(v->given && v->present);
        assert_string_equal(v->text, good[i].text);
        assert_int_equal(v->count, good[i].count);
        assert_true(v->real == good[i].real);
    }
    assert_int_equal(f->heard.n, 0);
}

static void bad_texts_are_refused_and_change_nothing(void **state)
{
    fixture *f = *state;
    static const struct {
        size_t option;
        const char *text, *message;
    } bad[] = {
        {COUNT, "", "--count: '' is not a whole number"},
        {COUNT, "x", "--count: 'x' is not a whole number"},
        {COUNT, "5x", "--count: '5x' is not a whole number"},
        {COUNT, " 5", "--count: ' 5' is not a whole number"},
        {COUNT, "+5", "--count: '+5' is not a whole number"},
        {COUNT, "5.0", "--count: '5.0' is not a whole number"},
        {COUNT, "99999999999999999999", "--count: '99999999999999999999' is not a whole number"},
        {COUNT, "0", "--count: 0 is out of range (1 to 1000000000)"},
        {COUNT, "-1", "--count: -1 is out of range (1 to 1000000000)"},
        {COUNT, "1000000001", "--count: 1000000001 is out of range (1 to 1000000000)"},
        {REAL, "nan", "--real: 'nan' is not a number"},
        {REAL, "inf", "--real: 'inf' is not a number"},
        {REAL, "0,5", "--real: '0,5' is not a number"},
        {REAL, "1/0", "--real: '1/0' is not a number"},
        {REAL, "1/", "--real: '1/' is not a number"},
        {REAL, "/3", "--real: '/3' is not a number"},
        {REAL, "-1/3", "--real: '-1/3' is not a number"},
        {REAL, "1/3/3", "--real: '1/3/3' is not a number"},
        {REAL, "0.5/3", "--real: '0.5/3' is not a number"},
        {REAL, "1/9007199254740993", "--real: '1/9007199254740993' is not a number"},
        {REAL, "3/2", "--real: 3/2 is out of range (0 to 1)"},
        {REAL, "1.0001", "--real: 1.0001 is out of range (0 to 1)"},
        {REAL, "-1e-9", "--real: -1e-9 is out of range (0 to 1)"},
        {CHOICE, "", "--choice: '' is not one of users|queries|rows"},
        {CHOICE, "user", "--choice: 'user' is not one of users|queries|rows"},
        {CHOICE, "users|queries", "--choice: 'users|queries' is not one of users|queries|rows"},
        {CHOICE, "Users", "--choice: 'Users' is not one of users|queries|rows"},
        {PATH, "", "--path: '' is not a file name"},
        {DURATION, "90x", "--duration: '90x' is not a duration such as 90s, 60m, 1h or 2d"},
        {DURATION, "", "--duration: '' is not a duration such as 90s, 60m, 1h or 2d"},
        {SIZE, "M", "--size: 'M' is not a size such as 200M or 4G"},
        {SIZE, "-1", "--size: '-1' is not a size such as 200M or 4G"},
        {SIZE, "15", "--size: 15 is out of range (16 to 1024G)"},
        {OPEN_SIZE, "1M", "--open-size: 1M is out of range (16M or more)"},
        {LONG, "30s", "--long: 30s is out of range (60s to 86400s)"},
        {SIZE, "18446744073709551615",
         "--size: '18446744073709551615' is not a size such as 200M or 4G"},
        {LETTER, "k", "-k: 'k' is not a whole number"},
        {SET, "", "--set: '' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, ",", "--set: ',' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "ssn,", "--set: 'ssn,' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, ",ssn", "--set: ',ssn' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "i", "--set: 'i' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "SSN", "--set: 'SSN' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "ssn,ssn",
         "--set: 'ssn,ssn' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "ssn|card",
         "--set: 'ssn|card' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "ssn, card",
         "--set: 'ssn, card' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "ssn card",
         "--set: 'ssn card' is not a list of ssn|card|ip|ipx, each once, with commas"},
        {SET, "ssn,name",
         "--set: 'ssn,name' is not a list of ssn|card|ip|ipx, each once, with commas"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_value before = f->at[bad[i].option];
        assert_int_equal(set(f, bad[i].option, bad[i].text), LETHE_EUSAGE);
        assert_string_equal(f->heard.last, bad[i].message);
        assert_int_equal(f->heard.n, (int)i + 1);
        assert_memory_equal(&before, &f->at[bad[i].option], sizeof before);
    }
}

static void the_last_of_several_counts(void **state)
{
    fixture *f = *state;
    assert_int_equal(set(f, COUNT, "7"), LETHE_OK);
    assert_int_equal(set(f, COUNT, "8"), LETHE_OK);
    assert_int_equal(lethe_count_of(&f->v, "count"), 8);
}

static void required_ones_are_asked_for(void **state)
{
    fixture *f = *state;
    assert_int_equal(lethe_values_check(&f->v, "cook", f->d), LETHE_EUSAGE);
    assert_string_equal(f->heard.last, "cook needs --needed");
    assert_int_equal(set(f, NEEDED, ""), LETHE_OK);
    assert_int_equal(lethe_values_check(&f->v, "cook", f->d), LETHE_OK);
}

static void values_are_found_by_name(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < N_OPTIONS; i++)
        assert_ptr_equal(lethe_value_of(&f->v, table[i].name), &f->at[i]);
}

/* --- into a manifest and back --- */

static char *json_of(fixture *f)
{
    lethe_json *o = lethe_values_json(f->doc, &f->v);
    assert_non_null(o);
    return lethe_json_write(o, 0, NULL);
}

static void secrets_and_paths_are_never_written(void **state)
{
    fixture *f = *state;
    assert_int_equal(set(f, SECRET, "4711"), LETHE_OK);
    assert_int_equal(set(f, PATH, "/home/me/key"), LETHE_OK);
    char *text = json_of(f);
    assert_string_equal(
        text,
        "{\"flag\":false,\"count\":5,\"real\":0.25,\"choice\":\"queries\",\"duration\":\"60m\","
        "\"full-set\":\"one,two\"}");
    lethe_json_text_free(text);
}

static void all_others_are_written(void **state)
{
    fixture *f = *state;
    static const struct {
        size_t option;
        const char *text;
    } given[] = {{FLAG, ""},        {COUNT, "12"},    {REAL, "1"},      {CHOICE, "rows"},
                 {TEXT, "a \"b\""}, {DURATION, "2d"}, {SIZE, "4G"},     {NEEDED, "x"},
                 {LETTER, "-3"},    {SET, "ipx,ssn"}, {FULL_SET, "two"}};
    for (size_t i = 0; i < LETHE_COUNT(given); i++)
        assert_int_equal(set(f, given[i].option, given[i].text), LETHE_OK);
    char *text = json_of(f);
    assert_string_equal(
        text,
        "{\"flag\":true,\"count\":12,\"real\":1.0,\"choice\":\"rows\",\"text\":\"a \\\"b\\\"\","
        "\"duration\":\"2d\",\"size\":\"4G\",\"needed\":\"x\",\"k\":-3,\"set\":\"ipx,ssn\","
        "\"full-set\":\"two\"}");
    lethe_json_text_free(text);
}

static void what_was_written_reads_back_the_same(void **state)
{
    fixture *f = *state;
    static const char *const texts[][N_OPTIONS] = {
        {0},
        {[FLAG] = "",
         [COUNT] = "1",
         [REAL] = "0.1",
         [CHOICE] = "users",
         [TEXT] = "",
         [DURATION] = "1w",
         [SIZE] = "1G",
         [NEEDED] = "n",
         [LETTER] = "9223372036854775807",
         [SET] = "card,ip",
         [FULL_SET] = "two",
         [TOLD] = "results.tsv"},
        {[COUNT] = "1000000000",
         [REAL] = "0.30000000000000004",
         [CHOICE] = "rows",
         [TEXT] = "\xc3\xa9",
         [LETTER] = "-9223372036854775808"},
        {[REAL] = "5e-324"},
    };
    for (size_t k = 0; k < LETHE_COUNT(texts); k++) {
        lethe_values again;
        lethe_value at[N_OPTIONS];
        lethe_values_init(&f->v, table, f->at);
        for (size_t i = 0; i < N_OPTIONS; i++)
            if (texts[k][i]) assert_int_equal(set(f, i, texts[k][i]), LETHE_OK);
        lethe_json *o = lethe_values_json(f->doc, &f->v);
        lethe_values_init(&again, table, at);
        assert_int_equal(lethe_values_read(f->a, &again, o, f->d), LETHE_OK);
        for (size_t i = 0; i < N_OPTIONS; i++) {
            assert_int_equal(at[i].present, f->at[i].present);
            assert_int_equal(at[i].count, f->at[i].count);
            assert_true(at[i].real == f->at[i].real);
        }
        char *one = lethe_json_write(o, 0, NULL),
             *two = lethe_json_write(lethe_values_json(f->doc, &again), 0, NULL);
        assert_string_equal(one, two);
        lethe_json_text_free(one);
        lethe_json_text_free(two);
    }
}

static lethe_err read_text(fixture *f, const char *json)
{
    lethe_json_doc *doc;
    lethe_json *o;
    assert_int_equal(lethe_json_parse(NULL, NULL, lethe_str_of(json), &doc, &o), LETHE_OK);
    lethe_err e = lethe_values_read(f->a, &f->v, o, f->d);
    lethe_json_doc_free(doc);
    return e;
}

static void values_outlive_the_document_they_came_from(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, "{\"text\":\"kept\",\"count\":7,\"flag\":true}"), LETHE_OK);
    assert_string_equal(f->at[TEXT].text, "kept");
    assert_int_equal(f->at[COUNT].count, 7);
    assert_true(f->at[FLAG].present);
    assert_int_equal(read_text(f, "{\"flag\":false}"), LETHE_OK);
    assert_false(f->at[FLAG].present);
}

static void forged_parameters_are_refused(void **state)
{
    fixture *f = *state;
    static const char *const forged[] = {
        "{\"unknown\":1}",
        "{\"count\":0}",
        "{\"count\":-5}",
        "{\"count\":5.5}",
        "{\"count\":1e300}",
        "{\"count\":null}",
        "{\"count\":true}",
        "{\"count\":[5]}",
        "{\"count\":{}}",
        "{\"count\":\"five\"}",
        "{\"choice\":\"all\"}",
        "{\"choice\":1}",
        "{\"flag\":\"false\"}",
        "{\"flag\":0}",
        "{\"flag\":1}",
        "{\"flag\":null}",
        "{\"real\":1.5}",
        "{\"duration\":\"x\"}",
        "{\"size\":1}",
        "{\"\":1}",
        "{\"coun\":5}",
        "{\"count\\u0000\":5}",
        "{\"counts\":5}",
        "{\"set\":\"\"}",
        "{\"set\":3}",
        "{\"set\":[\"ssn\"]}",
        "{\"set\":\"list\"}",
        "{\"set\":true}",
        "{\"path\":\"/etc/passwd\"}",
        "{\"secret\":1}",
        "{\"told\":false}",
        "{\"told\":1}",
        "{\"told\":\"true\"}",
        "{\"told\":\"/etc/passwd\"}",
        "{\"told\":\"\"}",
        "{\"told\":null}",
        "{\"told\":[true]}",
        "{\"path\":true}",
        "{\"hidden\":true}",
    };
    for (size_t i = 0; i < LETHE_COUNT(forged); i++) {
        int before = f->heard.n;
        lethe_values_init(&f->v, table, f->at);
        if (read_text(f, forged[i]) != LETHE_EINPUT) fail_msg("taken: %s", forged[i]);
        assert_int_equal(f->heard.n, before + 1);
        assert_false(f->at[FLAG].present);
        assert_int_equal(f->at[COUNT].count, 5);
    }
}

/* Of a file that is told of, a manifest says that it was given, and nothing else. */
static void a_file_may_be_told_of(void **state)
{
    fixture *f = *state;
    static const char *const texts[][2] = {
        {"/home/ann/results.tsv", "true"}, {"true", "true"}, {"none", "\"none\""}};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        assert_int_equal(set(f, TOLD, texts[i][0]), LETHE_OK);
        assert_int_equal(set(f, HIDDEN, texts[i][0]), LETHE_OK);
        lethe_json *o = lethe_values_json(f->doc, &f->v);
        char *text = lethe_json_write(lethe_json_get(o, "told"), 0, NULL);
        assert_string_equal(text, texts[i][1]);
        assert_null(lethe_json_get(o, "hidden"));
        lethe_json_text_free(text);
    }
    lethe_values_init(&f->v, table, f->at);
    assert_null(lethe_json_get(lethe_values_json(f->doc, &f->v), "told"));
    assert_int_equal(read_text(f, "{\"told\":true}"), LETHE_OK);
    assert_true(f->at[TOLD].given && f->at[TOLD].present && !f->at[TOLD].word);
    assert_null(f->at[TOLD].text);
    assert_int_equal(read_text(f, "{\"told\":\"none\"}"), LETHE_OK);
    assert_true(f->at[TOLD].word);
}

static void reading_without_memory_says_so(void **state)
{
    fixture *f = *state;
    lethe_json_doc *doc;
    lethe_json *o;
    lethe_err e = LETHE_OK;
    assert_int_equal(
        lethe_json_parse(NULL, NULL, LETHE_LIT("{\"count\":7,\"text\":\"a\"}"), &doc, &o),
        LETHE_OK);
    lethe_arena *a = lethe_arena_new();
    lethe_arena_reset(a);
    lethe_alloc_fail_at(1);
    while (e == LETHE_OK && lethe_arena_bytes(a) < (1 << 20)) // until the arena has to ask for more
        e = lethe_values_read(a, &f->v, o, NULL);
    lethe_alloc_fail_at(0);
    assert_int_equal(e, LETHE_ENOMEM);
    lethe_arena_free(a);
    lethe_json_doc_free(doc);
}

/* The tables that there are: what a user may type as a fallback must fit its own row, and its
 * range. */
static void tables_of_methods_are_sound(void **state)
{
    fixture *f = *state;
    for (const lethe_method *const *m = lethe_methods(); *m; m++) {
        size_t n = lethe_option_count((*m)->options);
        lethe_value at[64];
        lethe_values v;
        assert_true(n <= LETHE_COUNT(at));
        lethe_values_init(&v, (*m)->options, at);
        for (size_t i = 0; i < n; i++) {
            const lethe_option *o = &(*m)->options[i];
            assert_non_null(o->help);
            if (o->fallback) assert_int_equal(lethe_values_set(&v, i, o->fallback, f->d), LETHE_OK);
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(o->name, (*m)->options[j].name);
                assert_true(!o->letter || o->letter != (*m)->options[j].letter);
            }
        }
        if ((*m)->sweep) assert_non_null(lethe_value_of(&v, (*m)->sweep));
        assert_ptr_equal(lethe_method_find((*m)->name), *m);
    }
    assert_null(lethe_method_find("no such method"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(count_ends_at_the_nameless_row),
        T(fallbacks_are_present_but_not_given),
        T(good_texts_are_taken),
        T(bad_texts_are_refused_and_change_nothing),
        T(the_last_of_several_counts),
        T(required_ones_are_asked_for),
        T(values_are_found_by_name),
        T(secrets_and_paths_are_never_written),
        T(all_others_are_written),
        T(what_was_written_reads_back_the_same),
        T(values_outlive_the_document_they_came_from),
        T(forged_parameters_are_refused),
        T(a_file_may_be_told_of),
        T(reading_without_memory_says_so),
        T(tables_of_methods_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
