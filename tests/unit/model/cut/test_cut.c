/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts: what they have for a value, and files that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arrow_harness.h"
#include "model/cut/cut.h"
#include "release_harness.h"

#define TABLE "#lethe-cut 1 table\n"
#define SETS "#lethe-cut 1 sets\n"

static lethe_cut *read_cut(arrow_place *p, const char *text)
{
    lethe_cut *cut = NULL;
    if (lethe_cut_memory(p->ctx, lethe_str_of(text), &cut) != LETHE_OK) fail_msg("%s", p->said);
    return cut;
}

static void finds(const lethe_cut *cut, size_t column, const char *value, const char *want)
{
    lethe_str got = lethe_cut_find(cut, column, lethe_str_of(value));
    bool same = want ? got.at && lethe_str_eq(got, lethe_str_of(want)) : !got.at;
    if (!same) fail_msg("'%s' became '%.*s'", value, (int)got.n, got.at ? got.at : "");
}

static void values_have_what_is_published(void **state)
{
    lethe_cut *cut = read_cut(*state, TABLE "age\trange\t-5\t-5\n"
                                            "age\trange\t17-19\t17-39\n"
                                            "age\trange\t20-24\t17-39\n"
                                            "age\trange\t[30,35)\t[30,35)\n"
                                            "age\trange\t35\t35\n"
                                            "age\trange\t35.5\t35.5\n"
                                            "age\tvalue\t?\t?\n"
                                            "sex\tany\t\t*\n"
                                            "sex\tvalue\tX\tother\n"
                                            "town\tvalue\ta\tnorth\n"
                                            "town\tvalue\tb b\tnorth\n");
    assert_false(lethe_cut_is_of_sets(cut));
    assert_int_equal(lethe_cut_columns(cut), 3);
    assert_true(lethe_str_eq(lethe_cut_column(cut, 1), LETHE_LIT("sex")));
    assert_int_equal(lethe_cut_column(cut, 3).n, 0);
    static const struct {
        size_t column;
        const char *value, *want;
    } cases[] = {{0, "17", "17-39"},
                 {0, "019", "17-39"},
                 {0, "19.0", "17-39"},
                 {0, "19.5", NULL},
                 {0, "22.5", NULL}, // of whole numbers
                 {0, "24", "17-39"},
                 {0, "25", NULL},
                 {0, "16", NULL},
                 {0, "-5", "-5"},
                 {0, "-6", NULL},
                 {0, "30", "[30,35)"},
                 {0, "34.999", "[30,35)"},
                 {0, "35", "35"},
                 {0, "35.5", "35.5"},
                 {0, "35.4", NULL},
                 {0, "36", NULL},
                 {0, "?", "?"},
                 {0, "x", NULL},
                 {0, "", NULL},
                 {0, "17-19", NULL},
                 {1, "M", "*"},
                 {1, "?", "*"},
                 {1, "X", "other"},
                 {2, "a", "north"},
                 {2, "b b", "north"},
                 {2, "b", NULL},
                 {2, "north", NULL},
                 {2, "?", NULL}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        finds(cut, cases[i].column, cases[i].value, cases[i].want);
    lethe_cut_free(cut);
    cut = read_cut(*state, SETS "items\tvalue\tapple\tfruit\nitems\tvalue\tpear\tfruit\n");
    assert_true(lethe_cut_is_of_sets(cut));
    finds(cut, 0, "pear", "fruit");
    finds(cut, 0, "fruit", NULL);
    lethe_cut_free(cut);
    cut = read_cut(*state, SETS); // of sets that are all empty
    finds(cut, 0, "pear", NULL);
    lethe_cut_free(cut);
    lethe_cut_free(NULL);
}

static void what_is_not_written_so_is_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "cut:"},
        {"#lethe-cut 2 table\na\tany\t\t*\n", "cut:1:0: this is no cut of this version of lethe"},
        {TABLE, "cut:1:0: there is no column"},
        {TABLE "a\tany\t*\n", "cut:2:0: expected column, kind, value and what is published"},
        {TABLE "a\tany\t\t*\tx\n", "cut:2:0: expected column, kind, value and what is published"},
        {TABLE "\n", "cut:2:0: expected column, kind, value and what is published"},
        {TABLE "a\tsome\tx\ty\n", "cut:2:3: the kind is not any, range or value"},
        {TABLE "a\tany\tx\ty\n", "cut:2:0: any value is not one value"},
        {TABLE "a\tvalue\t\ty\n", "cut:2:0: the value is empty"},
        {TABLE "a\tvalue\tx\t\n", "cut:2:0: nothing is published"},
        {TABLE "\tvalue\tx\ty\n", "cut:2:0: a column without a name"},
        {TABLE "a\trange\tx\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\trange\t5-3\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\trange\t05\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\trange\t1.5-2\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\trange\t[2,2)\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\trange\t[2,3.5)\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\trange\t[02,3)\ty\n", "cut:2:0: a range is not one of numbers"},
        {TABLE "a\tvalue\ty\tz\na\tvalue\tx\tz\n", "cut:3:0: lines are out of order"},
        {TABLE "a\tvalue\tx\tz\na\tany\t\tz\n", "cut:3:0: lines are out of order"},
        {TABLE "a\tany\t\tz\nb\tany\t\tz\na\tvalue\tx\tz\n", "cut:4:0: lines are out of order"},
        {TABLE "a\tvalue\tx\tz\na\tvalue\tx\ty\n", "cut:3:0: a value has two lines"},
        {TABLE "a\tany\t\tz\na\tany\t\ty\n", "cut:3:0: a value has two lines"},
        {TABLE "a\trange\t1-5\tz\na\trange\t5-7\ty\n",
         "cut:3:0: two ranges have a number in common"},
        {TABLE "a\trange\t1-5\tz\na\trange\t3\ty\n", "cut:3:0: two ranges have a number in common"},
        {TABLE "a\trange\t[1,5)\tz\na\trange\t4.5\ty\n",
         "cut:3:0: two ranges have a number in common"},
        {TABLE "a\tany\t\tz", "cut:2:0: the last line does not end in LF"},
        {SETS "goods\tvalue\tx\ty\n", "cut:2:0: the column of sets is 'items'"},
        {SETS "items\tany\t\ty\n", "cut:2:0: sets have values alone"},
        {SETS "items\tvalue\tx y\tz\n", "cut:2:0: a space in an item"},
        {TABLE "a\tvalue\tx\xff\tz\n", "cut:2:"},
        {TABLE "a\tvalue\tx\tz\r\n", "cut:2:"},
    };
    arrow_place *p = *state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_cut *cut = NULL;
        p->said[0] = '\0';
        assert_int_equal(lethe_cut_memory(p->ctx, lethe_str_of(cases[i].text), &cut), LETHE_EINPUT);
        assert_null(cut);
        if (strncmp(p->said, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("case %zu: %s", i, p->said);
    }
}

static void files_are_read_and_written(void **state)
{
    static const char text[] = TABLE "age\trange\t20-24\t20-24\nage\tvalue\t?\t?\n";
    arrow_place *p = *state;
    ground g;
    lethe_cut *cut = NULL;
    char link[320];
    g_begin(&g);
    g_write(g.log, text);
    snprintf(link, sizeof link, "%s/link", g.dir);
    assert_int_equal(symlink(g.log, link), 0);
    assert_int_equal(lethe_cut_read(p->ctx, g.out, &cut), LETHE_EIO);
    assert_int_equal(lethe_cut_read(p->ctx, g.dir, &cut), LETHE_EIO);
    assert_non_null(lethe_ctx_error(p->ctx));
    assert_int_equal(lethe_cut_read(p->ctx, link, &cut), LETHE_OK);
    assert_int_equal(lethe_cut_write(p->ctx, cut, g.log, false), LETHE_EUSAGE);
    assert_int_equal(lethe_cut_write(p->ctx, cut, g.log, true), LETHE_OK);
    assert_int_equal(lethe_cut_write(p->ctx, cut, g.map, false), LETHE_OK);
    char *x = g_read(g.log), *y = g_read(g.map);
    assert_string_equal(x, text);
    assert_string_equal(y, text);
    free(x);
    free(y);
    lethe_cut_free(cut);
    g_write(g.log, TABLE "a\n");
    assert_int_equal(lethe_cut_read(p->ctx, g.log, &cut), LETHE_EINPUT);
    assert_int_equal(lethe_ctx_error(p->ctx)->line, 2);
    assert_string_equal(lethe_ctx_error(p->ctx)->file, g.log);
    g_end(&g);
}

static void memory_may_run_out_anywhere(void **state)
{
    arrow_place *p = *state;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_cut *cut = NULL;
        lethe_buf text = {0};
        lethe_alloc_fail_at(++n);
        e = lethe_cut_memory(p->ctx, LETHE_LIT(TABLE "a\tany\t\tz\nb\tvalue\tx\tz\n"), &cut);
        if (e == LETHE_OK) e = lethe_cut_print(cut, &text);
        lethe_alloc_fail_at(0);
        lethe_buf_free(&text);
        lethe_cut_free(cut);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_what_is_published),
        cmocka_unit_test(what_is_not_written_so_is_refused),
        cmocka_unit_test(files_are_read_and_written),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, arrow_set_up, arrow_tear_down);
}
