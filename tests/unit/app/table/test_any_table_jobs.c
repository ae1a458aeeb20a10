/* SPDX-License-Identifier: Apache-2.0 */
/* lethe_profile_input and lethe_table_check on files: what a column is taken for, which input is a
 * table, where a counterexample stands, and every n-th allocation failing. */
#include "published_harness.h"
#include "release/commands.h"
#include <unistd.h>

static char folder[64], file[96], people[96];

static int files_begin(void **state)
{
    (void)state;
    int dirfd = o_folder(folder);
    close(dirfd);
    snprintf(file, sizeof file, "%s/table.csv", folder);
    snprintf(people, sizeof people, "%s/people.csv", folder);
    return 0;
}

static int files_end(void **state)
{
    (void)state;
    unlink(file);
    unlink(people);
    rmdir(folder);
    return 0;
}

static void file_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static const lethe_json *metrics_of(const lethe_json *report)
{
    return lethe_json_get(report, "metrics");
}

/* --- what a column is taken for --- */

static void type_is(const char *values, size_t repeat, const char *want)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    const char *input = file;
    char text[8192] = "x,y\n";
    size_t row = 0;
    for (size_t i = 0; i < repeat; i++)
        for (const char *at = values; *at; row++) {
            size_t n = strcspn(at, ";");
            snprintf(text + strlen(text), sizeof text - strlen(text), "\"%.*s\",%s\n", (int)n, at,
                     row % 2 ? "m" : "f");
            at += n + (at[n] == ';');
        }
    file_write(file, text);
    lethe_profile_options p = {.inputs = &input, .n_inputs = 1};
    assert_int_equal(lethe_profile_input(ctx, &p, doc, &report), LETHE_OK);
    const lethe_json *column = lethe_json_at(lethe_json_get(metrics_of(report), "columns"), 0);
    lethe_str got = lethe_json_text(lethe_json_get(column, "type"));
    if (!lethe_str_eq(got, lethe_str_of(want)))
        fail_msg("'%s' is taken for %.*s, not %s", values, (int)got.n, got.at, want);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void columns_have_types(void **state)
{
    (void)state;
    type_is("34;-5;+7;100", 2, "number");
    type_is("3.5;2,25;?", 2, "number");
    type_is("1.2.3;4", 2, "code");
    type_is("2024-03-09;2023-1-2", 2, "date");
    type_is("9.3.2024;10.12.1999", 2, "date");
    type_is("2024-03-09 10:11:12;2024-03-09T10:11Z", 2, "date");
    type_is("02139;10115", 2, "code");
    type_is("012;7", 2, "code");
    type_is("A12;B7.1", 2, "code");
    type_is("30-39;40-49", 2, "category");
    type_is("30;*;40", 2, "number");
    type_is("m;f", 2, "category");
    type_is("Bern;New York", 2, "category");
}

static void identifiers_are_told(void **state)
{
    (void)state;
    type_is("1;2;3;4;5", 1, "identifier");   // counts the rows
    type_is("34;12;90;17", 1, "number");     // ages of a small table
    type_is("1978-1-2;1980-3-4", 1, "date"); // so are days of birth
    type_is("100034;100012;1000900", 1, "identifier");
    type_is("Ann;Bob;Cem", 1, "identifier");
    type_is("Ann;Bob;Cem", 2, "category");
    type_is("came in with pain in the back;has had a cold since May;is well again and at home", 1,
            "free text");
}

/* --- a log or a table? --- */

static bool has_shape(const char *text, const lethe_read_options *reading, const char *shape)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    const char *input = file;
    lethe_profile_options p = {.inputs = &input, .n_inputs = 1};
    if (reading) p.reading = *reading;
    file_write(file, text);
    lethe_err e = lethe_profile_input(ctx, &p, doc, &report);
    bool has = lethe_str_eq(lethe_json_text(lethe_json_get(metrics_of(report), "shape")),
                            lethe_str_of(shape));
    assert_true(e == LETHE_OK || e == LETHE_EINPUT);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return has;
}

static bool is_table(const char *text, const lethe_read_options *reading)
{
    return has_shape(text, reading, "table");
}

static void tables_are_recognised(void **state)
{
    static const char aol[] =
        "1\tmaps\t2006-03-01 10:00:00\t\t\n2\tnews\t2006-03-01 10:00:00\t\t\n";
    (void)state;
    assert_true(is_table("age,sex\n1,m\n", NULL));
    assert_true(is_table("id,name,age\n1,a,30\n2,b,40\n", NULL));
    assert_true(is_table("id,name,birth\n1,a,1980-01-02\n", NULL));
    assert_true(is_table("user,age\n1,30\n", NULL));
    assert_true(is_table("a\tb\tc\n1\t2\t3\n", NULL));
    assert_false(is_table(aol, NULL));
    assert_false(is_table("user,query,time\n1,maps,2006-03-01 10:00:00\n", NULL));
    assert_false(is_table("who\twhat\twhen\n1\tmaps\t2006-03-01 10:00:00\n", NULL));
    assert_false(is_table("{\"user\":\"1\",\"query\":\"maps\"}\n", NULL));
    assert_true(has_shape("maps\nnews\n", NULL, "records"));
    assert_true(has_shape("milk tea\nmilk\n\ntea milk\n", NULL, "records"));
    assert_true(has_shape("order,item\n1,tea\n1,milk\n",
                          &(lethe_read_options){.columns = "person=order,item=item"}, "records"));
    assert_true(has_shape("milk,tea,beer\ntea\n",
                          &(lethe_read_options){.format = LETHE_FORMAT_RECORDS, .delimiter = ','},
                          "records"));
    assert_true(is_table(aol, &(lethe_read_options){.format = LETHE_FORMAT_TABLE}));
    assert_false(is_table("age,sex,x\n1,m,2\n", &(lethe_read_options){.format = LETHE_FORMAT_CSV}));
    assert_false(
        is_table("a,b,c\n1,m,2006-03-01\n", &(lethe_read_options){.columns = "user=1,query=2"}));
}

/* --- check --- */

static const lethe_option options[] = {
    {.name = "k", .type = LETHE_OPT_COUNT},
    {.name = "theta", .type = LETHE_OPT_TEXT},
    {.name = "distinct-l", .type = LETHE_OPT_COUNT},
    {0},
};

static lethe_err table_decide(lethe_ctx *ctx, const char *k, const char *theta, lethe_json_doc *doc,
                              lethe_json **report)
{
    lethe_value at[3];
    lethe_values v;
    lethe_values_init(&v, options, at);
    if (k) assert_int_equal(lethe_values_set(&v, 0, k, NULL), LETHE_OK);
    if (theta) assert_int_equal(lethe_values_set(&v, 1, theta, NULL), LETHE_OK);
    lethe_check_options c = {.input = file, .qi = "a", .sa = "s", .values = &v};
    return lethe_table_check(ctx, &c, doc, report);
}

static void counterexamples_have_lines(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    (void)state;
    file_write(file, "a,n,s\n\n1,\"two\nlines\",x\n\n1,,x\n2,,y\n");
    assert_int_equal(table_decide(ctx, "2", "1/2", doc, &report), LETHE_ANSWER_NO);
    const lethe_json *checks = lethe_json_get(lethe_json_get(report, "verdict"), "checks");
    static const char *const want[] = {
        "{\"line\":7,\"reason\":\"the group has too few rows\",\"equal\":1,\"needed\":2,\"group\":{"
        "\"a\":\"2\"}}",
        "{\"line\":3,\"reason\":\"the value is too frequent in its "
        "group\",\"value\":\"x\",\"with\":2,"
        "\"of\":2,\"theta\":\"0.5\",\"group\":{\"a\":\"1\"}}"};
    for (size_t i = 0; i < 2; i++) {
        char *text =
            lethe_json_write(lethe_json_get(lethe_json_at(checks, i), "counterexample"), 0, NULL);
        assert_string_equal(text, want[i]);
        lethe_json_text_free(text);
    }
    assert_int_equal(table_decide(ctx, "1", NULL, doc, &report), LETHE_OK);
    assert_int_equal(table_decide(ctx, NULL, NULL, doc, &report), LETHE_OK);
    assert_null(lethe_json_get(report, "verdict"));
    assert_int_equal(h.n, 0);
    assert_int_equal(table_decide(ctx, NULL, "2", doc, &report), LETHE_EUSAGE);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* --- lack of memory --- */

static lethe_err profile_all(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json **report)
{
    const char *input = file;
    lethe_profile_options p = {.inputs = &input, .n_inputs = 1, .sa = "s", .population = people};
    return lethe_profile_input(ctx, &p, doc, report);
}

static lethe_err profile_guess(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json **report)
{
    const char *input = file;
    lethe_profile_options p = {.inputs = &input, .n_inputs = 1};
    return lethe_profile_input(ctx, &p, doc, report);
}

static lethe_err check_all(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json **report)
{
    return table_decide(ctx, "2", "1/3", doc, report);
}

static void memory_may_lack(void **state)
{
    lethe_err (*const jobs[])(lethe_ctx *, lethe_json_doc *,
                              lethe_json **) = {profile_all, profile_guess, check_all};
    static const lethe_err ends[] = {LETHE_OK, LETHE_OK, LETHE_ANSWER_NO};
    (void)state;
    file_write(file, "a,b,s\n1,x,p\n1,y,q\n2,x,p\n2,x,*\n");
    file_write(people, "a,b,c\n1,x,p\n1,y,q\n2,x,p\n2,x,*\n");
    for (size_t i = 0; i < 3; i++) {
        heard h;
        lethe_ctx *ctx = heard_ctx(&h, 1);
        lethe_err e = LETHE_ENOMEM;
        uint64_t n = 0;
        while (e == LETHE_ENOMEM) {
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *report = NULL;
            h.n = 0;
            lethe_alloc_fail_at(++n);
            e = jobs[i](ctx, doc, &report);
            lethe_alloc_fail_at(0);
            assert_int_equal(h.n, e == LETHE_ENOMEM);
            lethe_json_doc_free(doc);
        }
        assert_int_equal(e, ends[i]);
        assert_true(n > 30);
        lethe_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_types),    cmocka_unit_test(identifiers_are_told),
        cmocka_unit_test(tables_are_recognised), cmocka_unit_test(counterexamples_have_lines),
        cmocka_unit_test(memory_may_lack),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
