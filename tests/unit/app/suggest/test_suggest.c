/* SPDX-License-Identifier: Apache-2.0 */
/* lethe_suggest: what is shown of candidates, and how their commands are written.  Which are fit,
 * and in which order: ../publish/test_publish_try.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "release_harness.h"

static const lethe_option given_options[] = {
    {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "FILE", .help = ""},
    {.name = "qi", .type = LETHE_OPT_TEXT, .arg = "C", .help = ""},
    {.name = "sa", .type = LETHE_OPT_TEXT, .arg = "C", .help = ""},
    {.name = "hierarchies", .type = LETHE_OPT_PATH, .arg = "DIR", .help = ""},
    {.name = "ranges", .type = LETHE_OPT_TEXT, .arg = "R", .help = ""},
    {0},
};

/* One question, and the answer. */
typedef struct asking {
    ground g;
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_value at[8];
    lethe_values values;
    lethe_suggest_options s;
    const char *path;
} asking;

static void begin(asking *q, const char *text)
{
    *q = (asking){0};
    g_begin(&q->g);
    g_write(q->g.log, text);
    q->ctx = g_ctx(&q->g, 2);
    q->doc = lethe_json_doc_new();
    lethe_values_init(&q->values, given_options, q->at);
    q->path = q->g.log;
    q->s = (lethe_suggest_options){.inputs = &q->path,
                                   .n_inputs = 1,
                                   .risk = 1, // so few people cannot hide
                                   .least = 0.02,
                                   .has_seed = true,
                                   .values = &q->values};
}

static void end(asking *q)
{
    lethe_json_doc_free(q->doc);
    lethe_ctx_free(q->ctx);
    g_end(&q->g);
}

static void give(asking *q, const char *name, const char *text)
{
    for (size_t i = 0; i < q->values.n; i++)
        if (strcmp(given_options[i].name, name) == 0)
            assert_int_equal(lethe_values_set(&q->values, i, text, NULL), LETHE_OK);
}

static lethe_err ask(asking *q, lethe_goal goal)
{
    q->s.has_goal = true;
    q->s.goal = goal;
    return lethe_suggest(q->ctx, &q->s, q->doc, &q->report);
}

static const lethe_json *metrics(const asking *q) { return lethe_json_get(q->report, "metrics"); }

static const lethe_json *goal_at(const asking *q, size_t i)
{
    return lethe_json_at(lethe_json_get(metrics(q), "goals"), i);
}

static const char *text(const lethe_json *o, const char *name)
{
    lethe_str s = lethe_json_text(lethe_json_get(o, name)); // ended by NUL, as all texts are
    return s.at ? s.at : "";
}

/* The command of the best candidate of a method. */
static const char *command(const asking *q, const char *method)
{
    const lethe_json *fits = lethe_json_get(goal_at(q, 0), "fits");
    for (size_t i = 0; i < lethe_json_count(fits); i++)
        if (strcmp(text(lethe_json_at(fits, i), "method"), method) == 0)
            return text(lethe_json_at(fits, i), "command");
    return "";
}

static void assert_has(const char *text_, const char *part)
{
    if (!strstr(text_, part)) fail_msg("'%s' is not in '%s'", part, text_);
}

static void assert_lacks(const char *text_, const char *part)
{
    if (strstr(text_, part)) fail_msg("'%s' is in '%s'", part, text_);
}

/* `common` users with a text in common, each of all `users` with one more of their own. */
static char *log_of(unsigned users, unsigned common, bool clicks)
{
    size_t cap = 200 * (users + common) + 1, n = 0;
    char *out = malloc(cap);
    assert_non_null(out);
    for (unsigned i = 0; i < users; i++) {
        n += (size_t)snprintf(out + n, cap - n, "u%u\town matter %u\t2006-03-01 10:%02u:00\t\t\n",
                              i, i, i % 60);
        if (i < common)
            n += (size_t)snprintf(out + n, cap - n, "u%u\tweather\t2006-03-02 10:%02u:00\t%s\n", i,
                                  i % 60, clicks ? "1\thttp://a.example/" : "\t");
    }
    return out;
}

static void begin_log(asking *q, unsigned users, unsigned common, bool clicks)
{
    char *log = log_of(users, common, clicks);
    begin(q, log);
    free(log);
}

/* --- what is shown --- */

/* Labels of the goal's candidates that fit, or of those that were dropped. */
static const char *labels(const asking *q, const char *list)
{
    static char all[4096];
    const lethe_json *of = lethe_json_get(goal_at(q, 0), list);
    all[0] = '\0';
    for (size_t i = 0; i < lethe_json_count(of); i++) {
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "",
                 text(lethe_json_at(of, i), "label"));
    }
    return all;
}

static void every_candidate_fits_or_is_dropped_with_a_reason(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 12, true);
    assert_int_equal(lethe_suggest(q.ctx, &q.s, q.doc, &q.report), LETHE_OK);
    assert_int_equal(lethe_json_count(lethe_json_get(metrics(&q), "goals")), LETHE_N_GOALS);
    size_t n = lethe_json_count(lethe_json_get(metrics(&q), "candidates")), in_all = 0;
    for (size_t i = 0; i < LETHE_N_GOALS; i++) {
        const lethe_json *fits = lethe_json_get(goal_at(&q, i), "fits"),
                         *dropped = lethe_json_get(goal_at(&q, i), "dropped");
        in_all += lethe_json_count(fits) + lethe_json_count(dropped);
        for (size_t j = 0; j < lethe_json_count(dropped); j++)
            assert_true(*text(lethe_json_at(dropped, j), "why"));
        double before = 1;
        for (size_t j = 0; j < lethe_json_count(fits); j++) {
            const lethe_json *fit = lethe_json_at(fits, j);
            double kept = lethe_json_real(lethe_json_get(fit, "kept_for_goal"));
            assert_true(kept >= 0.02 && kept <= before); // --least; the best first
            before = kept;
            assert_has(text(fit, "command"), "-o release");
        }
    }
    assert_true(in_all >= n && n > 0);
    end(&q);
}

/* What is above the bound does not fit, whatever it keeps. */
static void the_bound_is_kept(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 30, true);
    q.s.risk = 0.001;
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_string_equal(labels(&q, "fits"), "counts t=5, counts t=11, counts t=20");
    assert_has(labels(&q, "dropped"), "threshold t=5");
    assert_true(lethe_json_int(lethe_json_get(lethe_json_get(metrics(&q), "dropped"), "risk")) > 0);
    end(&q);
}

/* --- where nothing fits --- */

static void counts_are_named_where_they_are_possible(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 12, true);
    q.s.risk = 0.001;
    assert_int_equal(ask(&q, LETHE_GOAL_CLICKS), LETHE_ANSWER_NO);
    const lethe_json *instead = lethe_json_get(metrics(&q), "instead");
    assert_string_equal(text(instead, "goal"), "counts");
    assert_string_equal(text(instead, "label"), "counts t=5");
    assert_has(text(instead, "command"), " --goal counts -o release");
    end(&q);
    begin_log(&q, 40, 4, true); // no text has 5 users
    assert_int_equal(ask(&q, LETHE_GOAL_CLICKS), LETHE_ANSWER_NO);
    assert_null(lethe_json_get(metrics(&q), "instead"));
    end(&q);
}

static void clicks_must_be_there(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 12, false);
    assert_int_equal(ask(&q, LETHE_GOAL_CLICKS), LETHE_ANSWER_NO);
    assert_string_equal(text(goal_at(&q, 0), "lacks"), "the log has no clicks");
    assert_has(q.g.said, "the log has no clicks");
    end(&q);
}

/* --- tables --- */

#define PEOPLE                                                                                     \
    "age,sex,ill\n20,f,a\n25,m,b\n31,f,a\n37,m,c\n42,f,a\n44,m,b\n58,f,a\n63,m,c\n71,f,a\n80,m,"   \
    "b\n"

static void ask_table(asking *q, const char *table, const char *qi, const char *sa)
{
    begin(q, table);
    give(q, "qi", qi);
    if (sa) give(q, "sa", sa);
    q->s.least = 0;
    lethe_err e = ask(q, LETHE_GOAL_COUNTS); // of so few rows perhaps nothing
    assert_true(e == LETHE_OK || e == LETHE_ANSWER_NO);
}

static void a_table_gets_a_threshold_that_all_rows_together_keep(void **state)
{
    (void)state;
    asking q;
    ask_table(&q, PEOPLE, "age,sex", "ill");
    assert_has(command(&q, "lplus"), " --qi age,sex --sa ill --ranges age=5,10,20,40 --theta 1/2 "
                                     "-k 5 -o release");
    assert_true(lethe_json_real(lethe_json_get(metrics(&q), "top_share")) == 0.5);
    assert_has(text(metrics(&q), "next"), " --qi age,sex --sa ill -o release");
    end(&q);
}

static void a_value_of_most_rows_gets_a_threshold_above_it(void **state)
{
    (void)state;
    asking q;
    ask_table(&q, "age,ill\n20,a\n25,a\n31,a\n37,b\n", "age", "ill");
    assert_has(labels(&q, "dropped"), "lplus k=5 theta=0.88");
    assert_null(lethe_json_get(metrics(&q), "ranges")); // of so few values all can be kept
    end(&q);
    ask_table(&q, "age,ill\n20,a\n25,a\n31,a\n37,a\n", "age", "ill");
    assert_lacks(labels(&q, "dropped"), "theta");
    end(&q);
}

static void ranges_are_for_numbers_that_have_none(void **state)
{
    (void)state;
    asking q;
    begin(&q, PEOPLE);
    give(&q, "qi", "age");
    give(&q, "ranges", "age=7,14");
    q.s.least = 0;
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_null(lethe_json_get(metrics(&q), "ranges"));
    assert_has(command(&q, "lplus"), " --ranges age=7,14 ");
    end(&q);
    // 1e1 is no number to --ranges
    ask_table(&q, "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1e1\n11\n", "a", NULL);
    assert_null(lethe_json_get(metrics(&q), "ranges"));
    assert_string_equal(text(metrics(&q), "no_hierarchy"), "a");
    end(&q);
    ask_table(&q, "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n?\n500\n", "a", NULL);
    assert_string_equal(text(metrics(&q), "ranges"), "a=50,100,200,400");
    end(&q);
}

/* --- command lines --- */

static void names_are_quoted_for_a_shell(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain-1.tsv", "plain-1.tsv"}, {"two words", "'two words'"},     {"it's", "'it'\\''s'"},
        {"''", "''\\'''\\'''"},         {"$(rm x);`y`", "'$(rm x);`y`'"}, {"-dash", "./-dash"},
    };
    char was[1024];
    assert_non_null(getcwd(was, sizeof was));
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        asking q;
        char want[160];
        begin_log(&q, 40, 12, false);
        assert_int_equal(chdir(q.g.dir), 0);
        assert_int_equal(rename("log.tsv", cases[i][0]), 0);
        q.path = cases[i][0];
        assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
        snprintf(want, sizeof want, "lethe scrub %s --then threshold -t ", cases[i][1]);
        assert_has(command(&q, "threshold"), want);
        snprintf(want, sizeof want, "lethe publish %s --goal counts -o release", cases[i][1]);
        assert_string_equal(text(metrics(&q), "next"), want);
        assert_int_equal(chdir(was), 0);
        end(&q);
    }
}

static void reading_options_are_said_again(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 12, true);
    q.s.reading = (lethe_read_options){.format = LETHE_FORMAT_AOL,
                                       .delimiter = '\t',
                                       .columns = "user=1,query=2,time=3",
                                       .strict = true,
                                       .has_users_with = true,
                                       .users_with_max = UINT64_MAX};
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(command(&q, "threshold"),
               " --from aol --delimiter tab --columns user=1,query=2,time=3 "
               "--users-with 0- --strict-input --then");
    end(&q);
}

/* --- failures --- */

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    asking q;
    begin(&q, "");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_EINPUT);
    q.path = "/nowhere/log";
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_EIO);
    end(&q);
    begin(&q, PEOPLE);
    give(&q, "qi", "nosuch");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_EINPUT);
    q.s.reading.format = LETHE_FORMAT_TABLE;
    q.s.values = NULL;
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_EUSAGE);
    end(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_fits_or_is_dropped_with_a_reason),
        cmocka_unit_test(the_bound_is_kept),
        cmocka_unit_test(counts_are_named_where_they_are_possible),
        cmocka_unit_test(clicks_must_be_there),
        cmocka_unit_test(a_table_gets_a_threshold_that_all_rows_together_keep),
        cmocka_unit_test(a_value_of_most_rows_gets_a_threshold_above_it),
        cmocka_unit_test(ranges_are_for_numbers_that_have_none),
        cmocka_unit_test(names_are_quoted_for_a_shell),
        cmocka_unit_test(reading_options_are_said_again),
        cmocka_unit_test(what_cannot_be_read_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
