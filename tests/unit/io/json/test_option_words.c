/* SPDX-License-Identifier: Apache-2.0 */
/* Options that take a word besides a number, a duration or a file. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/json/json.h"
#include "io/json/option.h"

enum { R, GAP, TREE, N };
static const lethe_option table[] = {
    [R] = {.name = "r",
           .letter = 'r',
           .type = LETHE_OPT_COUNT,
           .arg = "N|all",
           .word = "all",
           .fallback = "10",
           .min = 1,
           .max = 1000,
           .help = "a count"},
    [GAP] = {.name = "gap",
             .type = LETHE_OPT_DURATION,
             .arg = "D|all|none",
             .word = "all|none",
             .fallback = "all",
             .help = "a time"},
    [TREE] = {.name = "tree",
              .type = LETHE_OPT_PATH,
              .arg = "wordnet|FILE",
              .word = "wordnet|wordnet:present",
              .fallback = "wordnet",
              .help = "a tree"},
    [N] = {0},
};

typedef struct fixture {
    lethe_json_doc *doc;
    lethe_arena *a;
    lethe_values v;
    lethe_value at[N];
} fixture;

static int begin(void **state)
{
    static fixture f;
    f = (fixture){.doc = lethe_json_doc_new(), .a = lethe_arena_new()};
    lethe_values_init(&f.v, table, f.at);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    lethe_json_doc_free(f->doc);
    lethe_arena_free(f->a);
    return 0;
}

static void expect_json(fixture *f, const char *want)
{
    char *text = lethe_json_write(lethe_values_json(f->doc, &f->v), 0, NULL);
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

static void a_fallback_may_be_a_word(void **state)
{
    fixture *f = *state;
    assert_false(f->at[R].word);
    assert_int_equal(f->at[R].count, 10);
    assert_true(f->at[GAP].word && f->at[GAP].present && !f->at[GAP].given);
    assert_true(f->at[TREE].word);
    expect_json(f, "{\"r\":10,\"gap\":\"all\",\"tree\":\"wordnet\"}");
}

static void words_have_their_number_and_no_range(void **state)
{
    fixture *f = *state;
    assert_int_equal(lethe_values_set(&f->v, R, "all", NULL), LETHE_OK);
    assert_int_equal(lethe_values_set(&f->v, GAP, "none", NULL), LETHE_OK);
    assert_int_equal(lethe_values_set(&f->v, TREE, "wordnet:present", NULL), LETHE_OK);
    assert_true(f->at[R].word && f->at[GAP].word && f->at[TREE].word);
    assert_int_equal(f->at[R].count, 0);
    assert_int_equal(f->at[GAP].count, 1);
    assert_int_equal(f->at[TREE].count, 1);
    expect_json(f, "{\"r\":\"all\",\"gap\":\"none\",\"tree\":\"wordnet:present\"}");
}

static void what_is_no_word_is_what_it_was(void **state)
{
    fixture *f = *state;
    assert_int_equal(lethe_values_set(&f->v, R, "7", NULL), LETHE_OK);
    assert_int_equal(lethe_values_set(&f->v, GAP, "2m", NULL), LETHE_OK);
    assert_int_equal(lethe_values_set(&f->v, TREE, "wordnet.tsv", NULL), LETHE_OK);
    assert_false(f->at[R].word || f->at[GAP].word || f->at[TREE].word);
    assert_int_equal(f->at[GAP].count, 120);
    expect_json(f, "{\"r\":7,\"gap\":\"2m\"}"); // a path is nobody's business
    static const char *const bad[] = {"", "al", "all ", "ALL", "all|none", "0", "1001", "|"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_int_equal(lethe_values_set(&f->v, R, bad[i], NULL), LETHE_EUSAGE);
}

/* A manifest may hold the word in place of a file, but never a file. */
static void a_manifest_names_words_not_files(void **state)
{
    fixture *f = *state;
    lethe_json *o = lethe_json_object(f->doc);
    lethe_set_text(f->doc, o, "tree", "wordnet:present");
    lethe_set_text(f->doc, o, "r", "all");
    assert_int_equal(lethe_values_read(f->a, &f->v, o, NULL), LETHE_OK);
    assert_true(f->at[TREE].word && f->at[R].word);
    lethe_set_text(f->doc, o, "tree", "/etc/passwd");
    assert_int_equal(lethe_values_read(f->a, &f->v, o, NULL), LETHE_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fallback_may_be_a_word, begin, end),
        cmocka_unit_test_setup_teardown(words_have_their_number_and_no_range, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_word_is_what_it_was, begin, end),
        cmocka_unit_test_setup_teardown(a_manifest_names_words_not_files, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
