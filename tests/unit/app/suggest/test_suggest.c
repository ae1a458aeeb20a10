/* SPDX-License-Identifier: Apache-2.0 */
/* lethe_suggest: what fits an input and a goal, from its counts. */
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
    q->s = (lethe_suggest_options){.inputs = &q->path, .n_inputs = 1, .values = &q->values};
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

static const lethe_json *find(const lethe_json *list, const char *method)
{
    for (size_t i = 0; i < lethe_json_count(list); i++)
        if (strcmp(text(lethe_json_at(list, i), "method"), method) == 0)
            return lethe_json_at(list, i);
    return NULL;
}

static const char *command(const asking *q, const char *method)
{
    return text(find(lethe_json_get(goal_at(q, 0), "fits"), method), "command");
}

static const char *why(const asking *q, const char *method)
{
    return text(find(lethe_json_get(goal_at(q, 0), "others"), method), "why");
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

/* --- what is chosen --- */

static void every_method_fits_or_says_why(void **state)
{
    (void)state;
    size_t n = 0;
    asking q;
    while (lethe_methods()[n])
        n++;
    begin_log(&q, 40, 12, true);
    assert_int_equal(lethe_suggest(q.ctx, &q.s, q.doc, &q.report), LETHE_OK);
    assert_int_equal(lethe_json_count(lethe_json_get(metrics(&q), "goals")), LETHE_N_GOALS);
    for (size_t i = 0; i < LETHE_N_GOALS; i++) {
        const lethe_json *fits = lethe_json_get(goal_at(&q, i), "fits"),
                         *others = lethe_json_get(goal_at(&q, i), "others");
        assert_int_equal(lethe_json_count(fits) + lethe_json_count(others), n);
        for (size_t j = 0; j < lethe_json_count(others); j++)
            assert_true(*text(lethe_json_at(others, j), "why"));
        for (size_t j = 0; j < lethe_json_count(fits); j++) {
            const lethe_json *fit = lethe_json_at(fits, j);
            assert_true(lethe_json_count(lethe_json_get(fit, "reasons")) > 0);
            assert_true(*text(fit, "promise") && *text(fit, "keeps") && *text(fit, "caveat"));
            assert_has(text(fit, "command"), "-o release-");
        }
    }
    end(&q);
}

static void every_method_says_what_it_keeps(void **state)
{
    (void)state;
    for (const lethe_method *const *m = lethe_methods(); *m; m++) {
        assert_non_null((*m)->keeps);
        for (size_t i = 0; i < LETHE_N_GOALS; i++)
            assert_in_range((*m)->good_for[i], 0, 3);
    }
}

static void t_leaves_half_of_what_two_leaves(void **state)
{
    (void)state;
    static const struct {
        unsigned common;
        const char *want;
    } cases[] = {{2, "-t 2 "}, {3, "-t 3 "},   {4, "-t 3 "},
                 {9, "-t 5 "}, {10, "-t 10 "}, {30, "-t 10 "}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        asking q;
        begin_log(&q, 40, cases[i].common, false);
        assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
        assert_has(command(&q, "threshold"), cases[i].want);
        end(&q);
    }
}

static void k_follows_the_number_of_persons(void **state)
{
    (void)state;
    static const struct {
        unsigned users;
        const char *want;
    } cases[] = {{2, "-k 2 "}, {3, "-k 2 "},  {6, "-k 3 "},
                 {9, "-k 4 "}, {40, "-k 5 "}, {10000, "-k 10 "}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        asking q;
        begin_log(&q, cases[i].users, 2, false);
        give(&q, "taxonomy", "t.tsv");
        assert_int_equal(ask(&q, LETHE_GOAL_PATTERNS), LETHE_OK);
        assert_has(command(&q, "clump"), cases[i].want);
        end(&q);
    }
}

static void a_set_method_has_persons_enough_behind_its_threshold(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 12, false); // t_of_k is 5: as many persons as k have what is left
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(command(&q, "mm"), " -t 5 --then mm -k 5 -p 2 ");
    end(&q);
    begin_log(&q, 40, 4, false); // no text has 5
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_lacks(command(&q, "mm"), "threshold");
    end(&q);
}

/* --- what does not fit --- */

static void what_nobody_shares_cannot_be_published_as_it_is(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 0, false);
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(why(&q, "threshold"), "no text was issued by two users");
    assert_has(why(&q, "split"), "no text was issued by two users");
    assert_has(why(&q, "seal"), "no text was issued by two users");
    assert_has(command(&q, "mm"), "-k 5");
    end(&q);
}

static void one_person_has_nobody_to_hide_among(void **state)
{
    (void)state;
    asking q;
    begin(&q, "u\tone\t2006-03-01 10:00:00\nu\ttwo\t2006-03-01 10:01:00\n");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_ANSWER_NO);
    assert_has(why(&q, "threshold"), "one person");
    assert_has(q.g.said, "no method fits");
    end(&q);
}

static void clicks_must_be_there(void **state)
{
    (void)state;
    asking q;
    begin_log(&q, 40, 12, false);
    assert_int_equal(ask(&q, LETHE_GOAL_CLICKS), LETHE_ANSWER_NO);
    assert_string_equal(text(goal_at(&q, 0), "lacks"), "the log has no clicks");
    end(&q);
}

static void sessions_need_users_with_two_queries(void **state)
{
    (void)state;
    asking q;
    begin(&q, "a\tmaps\t2006-03-01 10:00:00\nb\tmaps\t2006-03-01 10:00:00\n"
              "c\tmaps\t2006-03-01 10:00:00\n");
    assert_int_equal(ask(&q, LETHE_GOAL_SESSIONS), LETHE_ANSWER_NO);
    assert_string_equal(text(goal_at(&q, 0), "lacks"), "no user has two different queries");
    end(&q);
}

static void without_wordnet_a_taxonomy_must_be_given(void **state)
{
    (void)state;
    asking q;
    setenv("WNSEARCHDIR", "/nowhere", 1);
    begin_log(&q, 40, 12, false);
    assert_int_equal(ask(&q, LETHE_GOAL_PATTERNS), LETHE_OK);
    assert_has(why(&q, "clump"), "WordNet is not installed");
    assert_has(why(&q, "microagg"), "WordNet is not installed");
    give(&q, "taxonomy", "t.tsv");
    assert_int_equal(ask(&q, LETHE_GOAL_PATTERNS), LETHE_OK);
    assert_has(command(&q, "clump"), " --taxonomy t.tsv ");
    unsetenv("WNSEARCHDIR");
    end(&q);
}

/* --- records and tables --- */

static void codes_of_items_need_a_taxonomy(void **state)
{
    (void)state;
    asking q;
    begin(&q, "x1 x2\nx2 x3\nx1\nx3\n");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_string_equal(text(metrics(&q), "shape"), "records");
    assert_has(why(&q, "og"), "taxonomy");
    assert_has(why(&q, "threshold"), "takes a log");
    assert_has(command(&q, "mm"), "-k 2 -p 2");
    end(&q);
}

#define PEOPLE                                                                                     \
    "age,sex,ill\n20,f,a\n25,m,b\n31,f,a\n37,m,c\n42,f,a\n44,m,b\n58,f,a\n63,m,c\n71,f,a\n80,m,"   \
    "b\n"

static void a_table_gets_a_threshold_that_all_rows_together_keep(void **state)
{
    (void)state;
    asking q;
    begin(&q, PEOPLE);
    give(&q, "qi", "age,sex");
    give(&q, "sa", "ill");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(command(&q, "lplus"), " -k 5 --theta 1/2 --qi age,sex --sa ill "
                                     "--ranges age=5,10,20,40 -o release-lplus");
    assert_true(lethe_json_real(lethe_json_get(metrics(&q), "top_share")) == 0.5);
    assert_has(why(&q, "og"), "takes a log, but the input is a table");
    end(&q);
}

static void a_value_of_most_rows_gets_a_threshold_above_it(void **state)
{
    (void)state;
    asking q;
    begin(&q, "age,ill\n20,a\n25,a\n31,a\n37,b\n");
    give(&q, "qi", "age");
    give(&q, "sa", "ill");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(command(&q, "incognito"), " --theta 0.88 ");
    assert_lacks(command(&q, "incognito"), "--ranges"); // of so few values all can be kept
    end(&q);
    begin(&q, "age,ill\n20,a\n25,a\n31,a\n37,a\n");
    give(&q, "qi", "age");
    give(&q, "sa", "ill");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_lacks(command(&q, "lplus"), "--theta");
    assert_string_equal(text(find(lethe_json_get(goal_at(&q, 0), "fits"), "lplus"), "notion"),
                        "k-anonymity");
    end(&q);
}

static void ranges_are_for_numbers_that_have_none(void **state)
{
    (void)state;
    asking q;
    begin(&q, PEOPLE);
    give(&q, "qi", "age");
    give(&q, "ranges", "age=7,14");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(command(&q, "lplus"), " --ranges age=7,14 -o");
    end(&q);
    begin(&q, "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1e1\n11\n");
    give(&q, "qi", "a");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_lacks(command(&q, "lplus"), "--ranges"); // 1e1 is no number to --ranges
    end(&q);
    begin(&q, "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n?\n500\n");
    give(&q, "qi", "a");
    assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
    assert_has(command(&q, "lplus"), " --ranges a=50,100,200,400 ");
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
        char want[128];
        begin_log(&q, 40, 12, false);
        assert_int_equal(chdir(q.g.dir), 0);
        assert_int_equal(rename("log.tsv", cases[i][0]), 0);
        q.path = cases[i][0];
        assert_int_equal(ask(&q, LETHE_GOAL_COUNTS), LETHE_OK);
        snprintf(want, sizeof want, "lethe scrub %s --then ", cases[i][1]);
        assert_has(command(&q, "threshold"), want);
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

static void every_allocation_may_fail(const char *input, const char *qi)
{
    bool done = false;
    setenv("WNSEARCHDIR", "/nowhere", 1); // a dictionary has a hundred thousand of them
    for (uint64_t n = 1; !done; n++) {
        asking q;
        begin(&q, input);
        if (qi) give(&q, "qi", qi);
        lethe_alloc_fail_at(n);
        lethe_err e = ask(&q, LETHE_GOAL_COUNTS);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done) assert_int_equal(e, LETHE_ENOMEM);
        end(&q);
    }
    unsetenv("WNSEARCHDIR");
}

static void no_memory_is_said(void **state)
{
    (void)state;
    every_allocation_may_fail("a\tmaps\t2006-03-01 10:00:00\nb\tmaps\t2006-03-01 10:00:00\n", NULL);
    every_allocation_may_fail("x1 x2\nx2 x3\n", NULL);
    every_allocation_may_fail(PEOPLE, "age,sex");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_fits_or_says_why),
        cmocka_unit_test(every_method_says_what_it_keeps),
        cmocka_unit_test(t_leaves_half_of_what_two_leaves),
        cmocka_unit_test(k_follows_the_number_of_persons),
        cmocka_unit_test(a_set_method_has_persons_enough_behind_its_threshold),
        cmocka_unit_test(what_nobody_shares_cannot_be_published_as_it_is),
        cmocka_unit_test(one_person_has_nobody_to_hide_among),
        cmocka_unit_test(clicks_must_be_there),
        cmocka_unit_test(sessions_need_users_with_two_queries),
        cmocka_unit_test(without_wordnet_a_taxonomy_must_be_given),
        cmocka_unit_test(codes_of_items_need_a_taxonomy),
        cmocka_unit_test(a_table_gets_a_threshold_that_all_rows_together_keep),
        cmocka_unit_test(a_value_of_most_rows_gets_a_threshold_above_it),
        cmocka_unit_test(ranges_are_for_numbers_that_have_none),
        cmocka_unit_test(names_are_quoted_for_a_shell),
        cmocka_unit_test(reading_options_are_said_again),
        cmocka_unit_test(what_cannot_be_read_is_said),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
