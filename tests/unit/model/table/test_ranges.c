/* SPDX-License-Identifier: Apache-2.0 */
/* --ranges: what it says, numbers, and the hierarchies that are made of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include "log_oracle.h"
#include "table_text.h"
#include "model/table/table_internal.h"

/* --- numbers --- */

static void a_number_has_one_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
        int64_t whole;
        uint32_t nano;
    } good[] = {
        {"0", "0", 0, 0},
        {"-0", "0", 0, 0},
        {"-0.0", "0", 0, 0},
        {"007", "7", 7, 0},
        {"7.000", "7", 7, 0},
        {"7.50", "7.5", 7, 500000000},
        {".5", "0.5", 0, 500000000},
        {"-.5", "-0.5", -1, 500000000},
        {"-1.25", "-1.25", -2, 750000000},
        {"-3", "-3", -3, 0},
        {"0.000000001", "0.000000001", 0, 1},
        {"-0.000000001", "-0.000000001", -1, 999999999},
        {"1000000000000000", "1000000000000000", 1000000000000000, 0},
        {"-1000000000000000", "-1000000000000000", -1000000000000000, 0},
        {"999999999999999.999999999", "999999999999999.999999999", 999999999999999, 999999999},
        {"-999999999999999.999999999", "-999999999999999.999999999", -1000000000000000, 1},
        {"00000000000000000000000000000001", "1", 1, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        lethe_number x = {9, 9};
        char printed[LETHE_NUMBER_TEXT];
        if (!lethe_number_parse(lethe_str_of(good[i].text), &x)) fail_msg("%s", good[i].text);
        assert_int_equal(x.whole, good[i].whole);
        assert_int_equal(x.nano, good[i].nano);
        assert_int_equal(lethe_number_print(x, printed), strlen(good[i].printed));
        assert_string_equal(printed, good[i].printed);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      ".",
                                      "5.",
                                      "+5",
                                      "--5",
                                      "1e5",
                                      "1,5",
                                      " 5",
                                      "5 ",
                                      "0x10",
                                      "five",
                                      "1.2.3",
                                      "1.1234567890",
                                      "1000000000000001",
                                      "1000000000000000.1",
                                      "-1000000000000001",
                                      "-1000000000000000.1",
                                      "99999999999999999999999999"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_number x = {9, 9};
        if (lethe_number_parse(lethe_str_of(bad[i]), &x)) fail_msg("'%s' was taken", bad[i]);
        assert_true(x.whole == 9 && x.nano == 9);
    }
}

/* --- the option --- */

static void ranges_text(text *t, const lethe_ranges *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        str_text(t, r[i].column);
        if (r[i].has_domain) text_add(t, " %" PRId64 "..%" PRId64, r[i].least, r[i].greatest);
        for (size_t k = 0; k < r[i].n; k++)
            text_add(t, " %" PRIu64, r[i].width[k]);
        if (r[i].values) text_add(t, " values");
        text_put(t, ";", 1);
    }
}

static void ranges_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } good[] = {
        {"age=5,10,20,40", "age 5 10 20 40;"},
        {"age=17-90:5,10", "age 17..90 5 10;"},
        {" age = 17 - 90 : 5 , 10 ; hours per week =1", "age 17..90 5 10;hours per week 1;"},
        {"t=-20--5:5;u=-20-5:3,6", "t -20..-5 5;u -20..5 3 6;"},
        {"x=0-999999:10", "x 0..999999 10;"},
        {"x=7-7:1", "x 7..7 1;"},
        {"x=1000000000000000", "x 1000000000000000;"},
        {"age=values; zip = values ;x=5", "age values;zip values;x 5;"},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        lethe_arena *a = lethe_arena_new();
        lethe_ranges *r = NULL;
        size_t n = 0;
        text t = {0};
        assert_int_equal(lethe_ranges_parse(NULL, a, good[i].text, &r, &n), LETHE_OK);
        ranges_text(&t, r, n);
        assert_string_equal(t.at, good[i].want);
        free(t.at);
        lethe_arena_free(a);
    }
    lethe_arena *a = lethe_arena_new();
    lethe_ranges *r = NULL;
    size_t n = 7;
    assert_int_equal(lethe_ranges_parse(NULL, a, NULL, &r, &n), LETHE_OK);
    assert_int_equal(n, 0);
    lethe_arena_free(a);
}

static void wrong_ranges_are_bad_usage(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", "E ranges of '': no '=' after the column's name\n"},
        {"age", "E ranges of 'age': no '=' after the column's name\n"},
        {"age=5;", "E ranges of '': no '=' after the column's name\n"},
        {" =5", "E ranges of ' =5': a column's name is empty\n"},
        {"age=", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=0", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=5,", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=-5", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=2.5", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=5,5", "E ranges of 'age': a width is not a multiple of the one before\n"},
        {"age=5,12", "E ranges of 'age': a width is not a multiple of the one before\n"},
        {"age=10,5", "E ranges of 'age': a width is not a multiple of the one before\n"},
        {"age=1000000000000001", "E ranges of 'age': a width is over 10^15\n"},
        {"age=17-90:", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=:5", "E ranges of 'age': the domain is not two whole numbers with a '-' between\n"},
        {"age=17:5", "E ranges of 'age': the domain is not two whole numbers with a '-' between\n"},
        {"age=17-:5",
         "E ranges of 'age': the domain is not two whole numbers with a '-' between\n"},
        {"age=1.5-9:5",
         "E ranges of 'age': the domain is not two whole numbers with a '-' between\n"},
        {"age=90-17:5", "E ranges of 'age': the domain ends before it begins\n"},
        {"age=0-1000000:5", "E ranges of 'age': the domain has over a million numbers\n"},
        {"age=Values", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=values,5", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=17-90:values", "E ranges of 'age': a width is not a whole number above 0\n"},
        {"age=values;age=10", "E ranges of 'age': they are there twice\n"},
        {"age=5;age=10", "E ranges of 'age': they are there twice\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_arena *a = lethe_arena_new();
        lethe_ranges *r = NULL;
        size_t n = 7;
        assert_int_equal(lethe_ranges_parse(lethe_ctx_diag(ctx), a, bad[i].text, &r, &n),
                         LETHE_EUSAGE);
        assert_string_equal(o.messages.at, bad[i].said);
        assert_true(!r && n == 7);
        lethe_arena_free(a);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

/* --- trees --- */

/* The values, parted by spaces, as a dictionary. */
static lethe_dict *values_of(const char *list)
{
    lethe_dict *d = lethe_dict_new();
    while (*list) {
        size_t n = strcspn(list, " ");
        uint32_t id;
        assert_int_equal(lethe_dict_add(d, (lethe_str){list, n}, &id), LETHE_OK);
        list += n + (list[n] != '\0');
    }
    return d;
}

static lethe_tree *tree_of(const char *option, const char *list)
{
    lethe_arena *a = lethe_arena_new();
    lethe_dict *values = values_of(list);
    lethe_ranges *r = NULL;
    lethe_tree *t = NULL;
    size_t n = 0;
    assert_int_equal(lethe_ranges_parse(NULL, a, option, &r, &n), LETHE_OK);
    assert_int_equal(lethe_ranges_tree(NULL, r, values, &t), LETHE_OK);
    lethe_dict_free(values);
    lethe_arena_free(a);
    return t;
}

static void numbers_get_a_hierarchy(void **state)
{
    (void)state;
    static const struct {
        const char *option, *values, *want;
    } good[] = {
        // present: all whole numbers between the least and the greatest
        {"a=5", "23 ? 19", "*[19 20-23[20 21 22 23]]"},
        {"a=5,10", "8 21",
         "*[8-9[8 9] 10-19[10-14[10 11 12 13 14] 15-19[15 16 17 18 19]] "
         "20-21[20 21]]"},
        // a domain says them all
        {"a=8-12:5", "9", "*[8-9[8 9] 10-12[10 11 12]]"},
        {"a=8-12:5", "?", "*[8-9[8 9] 10-12[10 11 12]]"},
        {"a=8-12:5,100", "9", "*[8-12[8-9[8 9] 10-12[10 11 12]]]"},
        {"a=4-4:5", "4", "*[4]"},
        // an interval that has one child is that child, at every width
        {"a=8-12:2,4", "9", "*[8-11[8-9[8 9] 10-11[10 11]] 12]"},
        {"a=0-4:2,4,8", "1", "*[0-4[0-3[0-1[0 1] 2-3[2 3]] 4]]"},
        {"a=1", "3 5", "*[3 4 5]"},
        // below zero intervals begin at multiples too
        {"a=-6-1:5", "0", "*[-6 -5--1[-5 -4 -3 -2 -1] 0-1[0 1]]"},
        // decimals: what is present
        {"a=5", "1.5 2 7.25 0.5 7.250", "*[[0,5)[0.5 1.5 2] 7.25]"},
        {"a=5,10", "1.5 2 7.25 19.5 -0.5", "*[-0.5 [0,10)[[0,5)[1.5 2] 7.25] 19.5]"},
        {"a=1", "1.5 1.25 2", "*[[1,2)[1.25 1.5] 2]"},
        // over a million: what is present
        {"a=10,1000000", "0 5 12 1000000 1000001 2000003",
         "*[0-999999[0-9[0 5] 12] 1000000-1000009[1000000 1000001] 2000003]"},
        {"a=1000000000000000", "-1000000000000000 1000000000000000 999999999999999 -1",
         "*[-1000000000000000--1[-1000000000000000 -1] 999999999999999 1000000000000000]"},
        // written in several ways
        {"a=5", "007 7 7.0 -0 0", "*[0-4[0 1 2 3 4] 5-7[5 6 7]]"},
        // the values themselves, below the range of all
        {"a=values", "34 17 90 017 35", "17-90[17 34 35 90]"},
        {"a=values", "1.5 -2 0.25", "-2-1.5[-2 0.25 1.5]"},
        {"a=values", "-3 -7", "-7--3[-7 -3]"},
        {"a=values", "5 5.0", "5"},
        // nothing at all
        {"a=5", "?", "*"},
        {"a=5", "", "*"},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        text t = {0};
        lethe_tree *tree = tree_of(good[i].option, good[i].values);
        subtree_text(&t, tree, 0);
        assert_string_equal(t.at, good[i].want);
        free(t.at);
        lethe_tree_free(tree);
    }
}

static void a_million_leaves_fit_and_one_more_does_not(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("a=1000", "0 999999");
    assert_int_equal(t->leaves[0], 1000000);
    assert_int_equal(t->n, 1000000 + 1000 + 1);
    lethe_tree_free(t);
    t = tree_of("a=1000", "0 1000000");
    assert_int_equal(t->leaves[0], 2);
    assert_int_equal(t->n, 3);
    lethe_tree_free(t);
}

static int64_t slow_floor(int64_t x, int64_t w)
{
    int64_t f = x / w * w;
    while (f > x)
        f -= w;
    return f;
}

/* Which leaves has the interval of that width around x? */
static void slow_interval(int64_t least, int64_t greatest, int64_t x, int64_t w, int64_t *from,
                          int64_t *to)
{
    *from = slow_floor(x, w);
    *to = LETHE_MIN(*from + w - 1, greatest);
    *from = LETHE_MAX(*from, least);
}

/* From each leaf upwards: the intervals around it, those left out that have just what the one
 * before has; then the root. */
static void random_domains_have_the_intervals_of_their_numbers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        uint64_t s = seed;
        int64_t least = (int64_t)o_below(&s, 100) - 50;
        int64_t greatest = least + (int64_t)o_below(&s, 80), w[3];
        w[0] = 1 + (int64_t)o_below(&s, 7);
        w[1] = w[0] * (2 + (int64_t)o_below(&s, 3));
        w[2] = w[1] * (2 + (int64_t)o_below(&s, 3));
        char option[128], name[64];
        snprintf(option, sizeof option,
                 "a=%" PRId64 "-%" PRId64 ":%" PRId64 ",%" PRId64 ",%" PRId64, least, greatest,
                 w[0], w[1], w[2]);
        lethe_tree *t = tree_of(option, "?");
        if (t->leaves[0] != (uint64_t)(greatest - least) + 1) fail_msg("seed %" PRIu64, seed);
        for (int64_t x = least; x <= greatest; x++) {
            snprintf(name, sizeof name, "%" PRId64, x);
            uint32_t v = lethe_tree_find(t, lethe_str_of(name));
            int64_t below = 1;
            for (size_t k = 0; k < 3; k++) {
                int64_t from, to;
                slow_interval(least, greatest, x, w[k], &from, &to);
                if (to - from + 1 == below) continue;
                below = to - from + 1;
                snprintf(name, sizeof name, "%" PRId64 "-%" PRId64, from, to);
                v = v == LETHE_NONE ? v : t->parent[v];
                if (v == LETHE_NONE || !lethe_str_eq(lethe_tree_name(t, v), lethe_str_of(name)))
                    fail_msg("seed %" PRIu64 ": %s: %s is not above %" PRId64, seed, option, name,
                             x);
            }
            if (t->parent[v] != 0) fail_msg("seed %" PRIu64 ": not below the root", seed);
        }
        lethe_tree_free(t);
    }
}

static void spans_have_one_text(void **state)
{
    (void)state;
    static const char *const good[] = {"34-37", "34", "-5--3", "-5-3", "0.5-1.25", "-0.5-0", "0"};
    static const char *const bad[] = {"",       "-",      "34-",  "-34-",   "37-34",    "34-34",
                                      "034-37", "34-037", "34.0", "34 -37", "34-37-40", "*",
                                      "34--",   "a-b",    "-0",   "--3",    "34-37 ",   "+1-2"};
    char again[LETHE_SPAN_TEXT];
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        lethe_span s;
        assert_true(lethe_span_parse(lethe_str_of(good[i]), &s));
        assert_true(
            lethe_str_eq((lethe_str){again, lethe_span_print(s, again)}, lethe_str_of(good[i])));
    }
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_span s = {{9, 9}, {9, 9}};
        if (lethe_span_parse(lethe_str_of(bad[i]), &s)) fail_msg("'%s' was taken", bad[i]);
        assert_true(s.low.whole == 9);
    }
}

/* Where a leaf of ranges of values stands between the least and the greatest. */
static void leaves_of_values_have_positions(void **state)
{
    (void)state;
    lethe_arena *a = lethe_arena_new();
    lethe_tree *t = tree_of("a=values", "10 20 12.5 -30");
    const double *at = lethe_ranges_positions(a, t);
    assert_true(at[1] == 0 && at[2] == 0.8 && at[3] == 0.85 && at[4] == 1);
    lethe_tree_free(t);
    t = tree_of("a=values", "7");
    assert_int_equal(t->n, 1);
    assert_true(lethe_ranges_positions(a, t)[0] == 0);
    lethe_tree_free(t);
    lethe_arena_free(a);
}

static void options_with_values_are_told(void **state)
{
    (void)state;
    assert_true(lethe_ranges_have_values("age=values"));
    assert_true(lethe_ranges_have_values("zip=5,10;age=values"));
    assert_false(lethe_ranges_have_values("age=5"));
    assert_false(lethe_ranges_have_values("values=5"));
    assert_false(lethe_ranges_have_values("age=values;age=5")); // cannot be parsed
    assert_false(lethe_ranges_have_values(NULL));
}

static void weights_are_read(void **state)
{
    (void)state;
    const lethe_str column[] = {LETHE_LIT("age"), LETHE_LIT("a,b"), LETHE_LIT("zip")};
    static const struct {
        const char *text;
        uint32_t want[3];
    } good[] = {
        {NULL, {1000, 1000, 1000}},
        {"age=2", {2000, 1000, 1000}},
        {" zip = 0.5 ,age=0.001", {1, 1000, 500}},
        {"\"a,b=1000\",zip=1.250", {1000, 1000000, 1250}},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        uint32_t weight[3];
        assert_int_equal(lethe_weights_parse(NULL, good[i].text, column, 3, weight), LETHE_OK);
        assert_memory_equal(weight, good[i].want, sizeof weight);
    }
#define NO_WEIGHT ": a weight is a number from 0.001 to 1000 with at most three decimals\n"
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", "E a column's name is empty\n"},
        {"age", "E --weights: no '=' in 'age': give COLUMN=W,...\n"},
        {"age=2,Zip=1", "E --weights: 'Zip' is not one of the columns of --qi\n"},
        {"age=2,age=3", "E --weights: 'age' is given twice\n"},
        {"age=0", "E --weights: 'age=0'" NO_WEIGHT},
        {"age=", "E --weights: 'age='" NO_WEIGHT},
        {"age=-1", "E --weights: 'age=-1'" NO_WEIGHT},
        {"age=0.0005", "E --weights: 'age=0.0005'" NO_WEIGHT},
        {"age=1000.001", "E --weights: 'age=1000.001'" NO_WEIGHT},
        {"age=1001", "E --weights: 'age=1001'" NO_WEIGHT},
        {"age=1e3", "E --weights: 'age=1e3'" NO_WEIGHT},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        uint32_t weight[3];
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        assert_int_equal(lethe_weights_parse(lethe_ctx_diag(ctx), bad[i].text, column, 3, weight),
                         LETHE_EUSAGE);
        assert_string_equal(o.messages.at, bad[i].said);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

static void ranges_survive_lack_of_memory(void **state)
{
    (void)state;
    lethe_dict *values = values_of("3 8 ? 5 22");
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_tree *t = NULL;
        lethe_ranges *r = NULL;
        size_t k = 0;
        lethe_alloc_fail_at(n);
        lethe_arena *a = lethe_arena_new();
        lethe_err e = a ? lethe_ranges_parse(lethe_ctx_diag(ctx), a, "a=5,10;b=1-3:2", &r, &k)
                        : lethe_no_memory(lethe_ctx_diag(ctx));
        if (e == LETHE_OK) e = lethe_ranges_tree(lethe_ctx_diag(ctx), &r[0], values, &t);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done) assert_int_equal(e, LETHE_ENOMEM);
        if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        assert_true(done == (t != NULL) && (!done || n > 5));
        lethe_tree_free(t);
        lethe_arena_free(a);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
    lethe_dict_free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_has_one_text),
        cmocka_unit_test(ranges_are_read),
        cmocka_unit_test(wrong_ranges_are_bad_usage),
        cmocka_unit_test(numbers_get_a_hierarchy),
        cmocka_unit_test(a_million_leaves_fit_and_one_more_does_not),
        cmocka_unit_test(random_domains_have_the_intervals_of_their_numbers),
        cmocka_unit_test(spans_have_one_text),
        cmocka_unit_test(leaves_of_values_have_positions),
        cmocka_unit_test(options_with_values_are_told),
        cmocka_unit_test(weights_are_read),
        cmocka_unit_test(ranges_survive_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
