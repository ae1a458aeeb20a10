/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include "linkage_harness.h"
#include <math.h>
#include "core/mem.h"

typedef struct expectation {
    const char *what;
    linkage attack;
    double share, share_baseline;
    int64_t sessions, persons;
    double m, k;
} expectation;

static const expectation cases[] = {
    {"two users of one person who ask for the same are found",
     {.published = "a\tred car\nb\tcar\nc\tblue\n", .map = "1\ta\n1\tb\n2\tc\n"},
     1,
     0.5,
     3,
     2,
     1,
     1.5},
    {"who ask for different things are not",
     {.published = "a\tred car\nb\tdog\nc\tcar\n", .map = "1\ta\n1\tb\n2\tc\n"},
     0,
     0.25, // a and c have results; a has one other of two, c none
     3,
     2,
     1.5,
     1.5},
    {"a stranger among the results halves them",
     {.published = "a\tcar\nb\tcar\nc\tcar\n", .map = "1\ta\n1\tb\n2\tc\n"},
     1.0 / 3,
     1.0 / 3,
     3,
     2,
     1,
     1.5},
    {"edges make components, not only pairs",
     {.published = "a\tv\nb\tv w\nc\tw\nd\tz\n", .map = "1\ta\n1\tb\n1\tc\n1\td\n"},
     1,
     1,
     4,
     1,
     2,
     4},
    {"words count, in any order and query; masks are none",
     {.published = "a\t[ssn] red\nb\tblue [ssn]\nc\tblue\n", .map = "1\ta\n1\tb\n2\tc\n"},
     0,
     0.25,
     3,
     2,
     1.5,
     1.5},
    {"a text counts once, however often it comes",
     {.published = "a\tx\na\tx\na\tx\nb\tx\nc\ty\nc\ty\n", .map = "1\ta\n1\tb\n1\tc\n"},
     1,
     1,
     3,
     1,
     2,
     3},
    {"a map may know more, and say a thing twice",
     {.published = "a\tcar\nb\tcar\n", .map = "0\tz\n1\ta\n1\tb\n1\ta\n9\ty\n"},
     1,
     1,
     2,
     1,
     1,
     2},
    {"one published user may be several persons",
     {.published = "a\tcar\nb\tcar\nc\tcar\n", .map = "1\ta\n2\ta\n2\tb\n1\tc\n3\tc\n"},
     2.0 / 3,
     2.0 / 3,
     3,
     3,
     1,
     5.0 / 3},
};

static void each_case_is_decided(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        const expectation *x = &cases[i];
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(l_run(ctx, &x->attack, doc, out), LETHE_OK);
        double share = l_real(out, "share100"), baseline = l_real(out, "share100_baseline");
        if (fabs(share - x->share) > 1e-12 || fabs(baseline - x->share_baseline) > 1e-12)
            fail_msg("%s: %g against %g", x->what, share, baseline);
        assert_int_equal(l_count(out, "sessions"), x->sessions);
        assert_int_equal(l_count(out, "persons"), x->persons);
        assert_true(l_real(out, "selectivity.all.share") == share);
        if (fabs(l_real(out, "components.mean") - x->m) > 1e-12 ||
            fabs(l_real(out, "components.sessions") - x->k) > 1e-12)
            fail_msg("%s: m %g, k %g", x->what, l_real(out, "components.mean"),
                     l_real(out, "components.sessions"));
        assert_int_equal(l_count(out, "components.optimal"), 1);
        assert_true(lethe_json_text(lethe_json_get(out, "meaning")).n > 20);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* Nobody to be linked is not the same as nobody found, and is said. */
static void nobody_was_split(void **state)
{
    (void)state;
    static const linkage attacks[] = {
        {.published = "a\tcar\nb\tcar\n", .map = "1\ta\n2\tb\n"},
        {.published = "a\tcar\nb\tcar\n", .own_names = true},
    };
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(attacks); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(l_run(ctx, &attacks[i], doc, out), LETHE_OK);
        assert_true(l_real(out, "success") == 0 && l_real(out, "baseline") == 0);
        assert_int_equal(l_count(out, "persons"), 2);
        assert_true(l_real(out, "components.mean") == 1);
        assert_null(lethe_json_get(out, "selectivity"));
        assert_true(lethe_json_text(lethe_json_get(out, "note")).n > 10);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* 12 sessions share "x", two of them "y" too, two others only "z". */
static void few_matches_are_counted_apart(void **state)
{
    (void)state;
    char published[512] = "", map[512] = "";
    for (int i = 0; i < 12; i++)
        sprintf(published + strlen(published), "s%02d\tx%s\n", i, i < 2 ? " y" : "");
    strcat(published, "t0\tz\nt1\tz\n");
    for (int i = 0; i < 12; i++)
        sprintf(map + strlen(map), "%d\ts%02d\n", i / 2, i);
    strcat(map, "8\tt0\n8\tt1\n");
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    linkage a = {.published = published, .map = map};
    assert_int_equal(l_run(ctx, &a, doc, out), LETHE_OK);
    assert_int_equal(l_count(out, "selectivity.all.sessions"), 14);
    assert_int_equal(l_count(out, "selectivity.le1000.sessions"), 14);
    assert_int_equal(l_count(out, "selectivity.le100.sessions"), 14);
    assert_int_equal(l_count(out, "selectivity.le10.sessions"), 2);
    assert_true(l_real(out, "selectivity.le10.share") == 1);
    assert_true(fabs(l_real(out, "share100") - (12.0 / 11 + 2) / 14) < 1e-12);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* 150 sessions share a word, so that no more than 100 results count; a person's two stand first
 * because they alone share another. */
static void a_hundred_results_are_looked_at(void **state)
{
    (void)state;
    char *published = NULL, *map = NULL;
    size_t n;
    FILE *f = open_memstream(&published, &n);
    for (int i = 0; i < 150; i++)
        fprintf(f, "s%03d\tx w%d\n", i, i / 2);
    fclose(f);
    f = open_memstream(&map, &n);
    for (int i = 0; i < 150; i++)
        fprintf(f, "p%d\ts%03d\n", i / 2, i);
    fclose(f);
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    linkage a = {.published = published, .map = map};
    assert_int_equal(l_run(ctx, &a, doc, out), LETHE_OK);
    assert_true(fabs(l_real(out, "share100") - 0.01) < 1e-12);
    assert_true(fabs(l_real(out, "share100_baseline") - 1.0 / 149) < 1e-12);
    assert_true(l_real(out, "success") == 1);
    assert_int_equal(l_count(out, "linkable"), 150);
    assert_int_equal(l_count(out, "selectivity.le1000.sessions"), 150);
    assert_int_equal(l_count(out, "selectivity.le100.sessions"), 0);
    assert_true(l_real(out, "selectivity.le100.share") == 0);
    assert_true(l_real(out, "components.mean") == 1);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    free(published);
    free(map);
}

typedef struct first_result {
    const char *what, *strategy, *published, *map;
    double success[4]; /* bm25, texts, clicks, times */
    int64_t linkable;
} first_result;

#define AT(time) "\t" time "\t\t\n"
#define ON(time, host) "\t" time "\t1\t" host "\n"

static const first_result firsts[] = {
    {"the best result counts, of those who have another to find",
     "bm25",
     "a\tred car" AT("") "b\tcar" AT("") "c\tblue" AT(""),
     "1\ta\n1\tb\n2\tc\n",
     {1, 1, 1, 1},
     2},
    {"a session without results has failed",
     "bm25",
     "a\tred car" AT("") "b\tcar" AT("") "c\tblue" AT("") "d\tgreen" AT(""),
     "1\ta\n1\tb\n2\tc\n2\td\n",
     {0.5, 0.5, 0.5, 0.5},
     4},
    {"who asked for the same text is nearer than who has its words",
     "texts",
     "a\tred car" AT("") "b\tcar red" AT("") "c\tred car" AT("") "d\tcar red" AT(""),
     "1\ta\n1\tc\n2\tb\n2\td\n",
     {0.25, 1, 1, 1}, // by words all are the same, and the first name wins
     4},
    {"a mask parts its neighbours: a has no pair of words, as c has",
     "bm25",
     "a\tred [ssn] car" AT("") "b\tcar [ssn] red" AT("") "c\tred car" AT(""),
     "1\ta\n1\tb\n2\tc\n",
     {1, 1, 1, 1},
     2},
    {"clicks link what words do not",
     "clicks",
     "a\tone" ON("", "x.com") "b\ttwo" ON("", "x.com") "c\tthree" ON("", "y.com"),
     "1\ta\n1\tb\n2\tc\n",
     {0, 0, 1, 1},
     2},
    {"a page links by its host too",
     "clicks",
     "a\tone" ON("", "http://x.com/1") "b\ttwo" ON("", "http://x.com/2") "c\tthree" AT(""),
     "1\ta\n1\tb\n2\tc\n",
     {0, 0, 1, 1},
     2},
    {"so does the day",
     "times",
     "a\tone" AT("2006-03-01") "b\ttwo" AT("2006-03-01") "c\tthree" AT("2006-03-02"),
     "1\ta\n1\tb\n2\tc\n",
     {0, 0, 0, 1},
     2},
    {"and the hour of the day, where times are so fine",
     "times",
     "a\tone" AT("2006-03-01 10") "b\ttwo" AT("2006-03-02 10") "c\tthree" AT("2006-03-03 11"),
     "1\ta\n1\tb\n2\tc\n",
     {0, 0, 0, 1},
     2},
};

static void the_best_result_of_the_best_strategy_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"bm25", "texts", "clicks", "times"};
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(firsts); i++) {
        const first_result *x = &firsts[i];
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        linkage a = {.published = x->published, .map = x->map, .whole = true};
        assert_int_equal(l_run(ctx, &a, doc, out), LETHE_OK);
        double most = 0;
        for (size_t s = 0; s < LETHE_COUNT(names); s++) {
            const lethe_json *one = lethe_json_get(lethe_json_get(out, "strategies"), names[s]);
            if (l_real(one, "success") != x->success[s])
                fail_msg("%s: %s %g", x->what, names[s], l_real(one, "success"));
            most = fmax(most, x->success[s]);
        }
        assert_true(l_real(out, "success") == most);
        assert_int_equal(l_count(out, "linkable"), x->linkable);
        lethe_str strategy = lethe_json_text(lethe_json_get(out, "strategy"));
        if (!lethe_str_eq(strategy, lethe_str_of(x->strategy))) fail_msg("%s", x->what);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* As the paper counts: the session is a result of its own, takes a place, and is no success. */
static void a_session_may_be_counted_among_its_results(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    // a and b find each other and themselves, c itself alone, d has no word
    linkage a = {.published = "a\tcar\nb\tcar\nc\tblue\nd\t[ssn]\n",
                 .map = "1\ta\n1\tb\n1\tc\n1\td\n",
                 .count_self = true};
    assert_int_equal(l_run(ctx, &a, doc, out), LETHE_OK);
    assert_int_equal(l_count(out, "selectivity.all.sessions"), 3);
    assert_true(fabs(l_real(out, "share100") - (0.5 + 0.5 + 0) / 3) < 1e-12);
    assert_true(fabs(l_real(out, "share100_baseline") - (0.5 + 0.5 + 0) / 3) < 1e-12);
    assert_true(l_real(out, "strategies.bm25.success") == 0.5); // this is not changed
    assert_true(lethe_json_bool(lethe_json_get(out, "count_self")));
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void a_map_of_something_else_is_refused(void **state)
{
    (void)state;
    static const char *const maps[] = {"no tab\n",
                                       "",
                                       "1\tq\n",
                                       "a\t1\n",
                                       "1\taa\n2\tq\n",
                                       "1\ta\n",
                                       "\ta\n\tb\n",
                                       "1\ta\n1\tb\n\tc\n",
                                       "1\ta\n1\tb\n2\t\n",
                                       "1\ta\n1\tb\n2\tc\td\n",
                                       "1\ta\n1\tb\n\n"};
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(maps); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        linkage a = {.published = "a\tcar\nb\tcar\n", .map = maps[i]};
        assert_int_equal(l_run(ctx, &a, doc, out), LETHE_EINPUT);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

static void without_a_map_nobody_can_tell(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    linkage a = {.published = "a\tcar\nb\tcar\n", .map = NULL};
    assert_int_equal(l_run(ctx, &a, doc, lethe_json_object(doc)), LETHE_EUSAGE);
    assert_string_equal(lethe_adversary_linkage.needs, "map");
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(n);
        err = l_run(ctx, &cases[7].attack, doc, out);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 30);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_is_decided),
        cmocka_unit_test(nobody_was_split),
        cmocka_unit_test(few_matches_are_counted_apart),
        cmocka_unit_test(a_hundred_results_are_looked_at),
        cmocka_unit_test(the_best_result_of_the_best_strategy_counts),
        cmocka_unit_test(a_session_may_be_counted_among_its_results),
        cmocka_unit_test(a_map_of_something_else_is_refused),
        cmocka_unit_test(without_a_map_nobody_can_tell),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
