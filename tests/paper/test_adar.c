/* SPDX-License-Identifier: Apache-2.0 */
/* Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007: what section 5 says of leaving rare queries
 * out, on a log of the same shape and a ten-thousandth of the size. */
#include "threshold_harness.h"
#include "measure/measure.h"

/* Section 5: 90 % of the distinct texts appear once and 97 % at most three times; without the
 * former 46 % of the queries are left.  So, for 1000 texts: 900 once, 70 two or three times, 30
 * more often, 1667 queries in all.  (The paper's 31 % left without texts of three or fewer does not
 * go with its 97 %: 7 % of the texts, three times each, are 210 of 1667 queries, or 12.6 %, where
 * 46 - 31 = 15 % would be needed.  With all 70 at three, 33.4 % are left.) */
#define N_ONCE 900
#define N_THRICE 70
#define N_OFTEN 30
#define N_QUERIES 1667

static void add(olog *log, size_t user, const char *query)
{
    orow *r = &log->at[log->n];
    snprintf(r->user, sizeof r->user, "%zu", user);
    snprintf(r->owner, sizeof r->owner, "%zu", user);
    snprintf(r->query, sizeof r->query, "%s", query);
    r->time = 1141171200 + (int64_t)log->n * 60; /* every query has a time of its own */
    r->rank = LETHE_NO_RANK;
    log->n++;
}

static olog shaped_like_aol(void)
{
    olog log = {calloc(N_QUERIES, sizeof(orow)), 0};
    char text[64];
    for (size_t i = 0; i < N_ONCE; i++) {
        snprintf(text, sizeof text, "once %zu", i);
        add(&log, i % 50, text);
    }
    for (size_t i = 0; i < 3 * N_THRICE; i++) {
        snprintf(text, sizeof text, "thrice %zu", i % N_THRICE);
        add(&log, i % 50, text);
    }
    for (size_t i = 0; log.n < N_QUERIES; i++) {
        snprintf(text, sizeof text, "often %zu", i % N_OFTEN);
        add(&log, i / N_OFTEN, text);
    }
    return log;
}

static void figure_3_and_what_is_left(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    olog rows = shaped_like_aol();
    lethe_log *log = h_store(ctx, &rows);
    assert_int_equal(lethe_profile_measure(ctx, log, doc, out), LETHE_OK);
    assert_int_equal(lethe_json_int(lethe_json_get(out, "distinct_queries")), 1000);
    assert_int_equal(lethe_json_int(lethe_json_get(out, "queries")), N_QUERIES);
    assert_true(lethe_json_real(lethe_json_get(out, "once_share")) == 0.90);
    assert_true(lethe_json_real(lethe_json_get(out, "le3_share")) == 0.97);
    double left_q2 = lethe_json_real(lethe_json_get(out, "left_q2"));
    assert_true(left_q2 > 0.455 && left_q2 < 0.465);
    assert_true(lethe_json_real(lethe_json_get(out, "left_q4")) ==
                (N_QUERIES - 900 - 210) / (double)N_QUERIES);
    const lethe_json *figure3 =
        lethe_json_get(lethe_json_get(out, "histograms"), "texts_by_queries");
    assert_int_equal(lethe_json_int(lethe_json_get(lethe_json_at(figure3, 0), "count")), N_ONCE);
    assert_int_equal(lethe_json_int(lethe_json_get(lethe_json_at(figure3, 2), "count")), N_THRICE);
    lethe_log_free(log);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    o_free(&rows);
}

/* "Eliminating single instance queries leaves us with 46% of the logs": what profile foretells is
 * what threshold leaves. */
static void thresholds_leave_what_the_profile_says(void **state)
{
    (void)state;
    static const struct {
        const char *t;
        size_t left, texts;
    } want[] = {{"1", N_QUERIES, 1000}, {"2", N_QUERIES - 900, 100}, {"4", N_QUERIES - 1110, 30}};
    olog rows = shaped_like_aol();
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        harness h;
        h_begin(&h, o_ctx(2, 0));
        assert_int_equal(
            h_run_rows(&h, &rows,
                       &(setting){.t = want[i].t, .by = "queries", .times = LETHE_TIME_EXACT}),
            LETHE_OK);
        assert_int_equal(h_figure(&h, "rows_kept"), want[i].left);
        assert_int_equal(h_figure(&h, "queries_kept"), want[i].texts);
        assert_int_equal(h.dropped, N_QUERIES - want[i].left);
        lethe_ctx_free(h.ctx);
        h_end(&h);
    }
    o_free(&rows);
}

/* --- section 5.1 --- */

#define ARNOLD 4417749

static size_t left(const harness *h, const char *query)
{
    size_t n = 0;
    for (size_t i = 0; i < h->rows.n; i++)
        n += strcmp(h->rows.at[i].query, query) == 0;
    return n;
}

static olog arnold(void)
{
    olog log = {calloc(16, sizeof(orow)), 0};
    add(&log, ARNOLD, "jarrett arnold");
    add(&log, ARNOLD, "landscapers in lilburn ga");
    add(&log, ARNOLD, "gwinnett humane society");
    add(&log, 7, "gwinnett humane society");
    for (size_t user = 1; user <= 5; user++)
        add(&log, user, "numb fingers");
    add(&log, ARNOLD, "numb fingers");
    add(&log, 8, "social security 078 05 1120");
    add(&log, 9, "4111 1111 1111 1111");
    return log;
}

/* "Eliminating single-instance queries masks all credit card and social security numbers"; "we no
 * longer see her queries for other Arnolds", nor for her home town; "the best we can probably do is
 * to see her searches for the Gwinnett Humane Society", and "after eliminating 2-instance queries
 * even this clue is gone". */
static void ms_arnold_is_not_found(void **state)
{
    (void)state;
    static const char *const rare[] = {"jarrett arnold", "landscapers in lilburn ga",
                                       "social security 078 05 1120", "4111 1111 1111 1111"};
    olog rows = arnold();
    for (int t = 2; t <= 3; t++) {
        harness h;
        h_begin(&h, o_ctx(2, 0));
        assert_int_equal(
            h_run_rows(
                &h, &rows,
                &(setting){.t = t == 2 ? "2" : "3", .by = "queries", .times = LETHE_TIME_EXACT}),
            LETHE_OK);
        for (size_t i = 0; i < LETHE_COUNT(rare); i++)
            assert_int_equal(left(&h, rare[i]), 0);
        assert_int_equal(left(&h, "gwinnett humane society"), t == 2 ? 2 : 0);
        assert_int_equal(left(&h, "numb fingers"), 6);
        lethe_ctx_free(h.ctx);
        h_end(&h);
    }
    o_free(&rows);
}

/* The introduction asks for queries "used by at least t other individuals": persons count, since
 * one who asks for her own name every day would pass any threshold by queries. */
static void who_repeats_herself_is_one_person(void **state)
{
    (void)state;
    olog rows = {calloc(16, sizeof(orow)), 0};
    for (size_t i = 0; i < 10; i++)
        add(&rows, ARNOLD, "thelma arnold");
    for (size_t user = 0; user < 5; user++)
        add(&rows, user, "maps");
    harness h;
    h_begin(&h, o_ctx(2, 0));
    assert_int_equal(h_run_rows(&h, &rows, &(setting){.by = "queries", .times = LETHE_TIME_EXACT}),
                     LETHE_OK);
    assert_int_equal(left(&h, "thelma arnold"), 10);
    lethe_ctx_free(h.ctx);
    h_end(&h);
    h_begin(&h, o_ctx(2, 0));
    assert_int_equal(h_run_rows(&h, &rows, &(setting){0}), LETHE_OK); /* five users */
    assert_int_equal(left(&h, "thelma arnold"), 0);
    assert_int_equal(left(&h, "maps"), 5);
    lethe_ctx_free(h.ctx);
    h_end(&h);
    o_free(&rows);
}

/* "Eliminated queries could simply be discarded or hashed with an appropriate salt", and "we can
 * also correlate queries" without knowing them: equal texts keep equal hashes, different ones
 * differ. */
static void hashed_queries_can_still_be_correlated(void **state)
{
    (void)state;
    olog rows = arnold();
    harness h;
    char humane[64] = "";
    size_t hashes = 0;
    h_begin(&h, o_ctx(2, 0));
    assert_int_equal(h_run_rows(&h, &rows, &(setting){.t = "3", .rare = "hash"}), LETHE_OK);
    assert_int_equal(h.rows.n, rows.n);
    for (size_t i = 0; i < h.rows.n; i++) {
        if (strcmp(h.rows.at[i].user, "7") == 0) strcpy(humane, h.rows.at[i].query);
        hashes += h_is_hash(h.rows.at[i].query) && o_first_text(&h.rows, i);
    }
    assert_int_equal(left(&h, humane), 2);
    assert_int_equal(hashes, 5);
    lethe_ctx_free(h.ctx);
    h_end(&h);
    o_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_3_and_what_is_left),
        cmocka_unit_test(thresholds_leave_what_the_profile_says),
        cmocka_unit_test(ms_arnold_is_not_found),
        cmocka_unit_test(who_repeats_herself_is_one_person),
        cmocka_unit_test(hashed_queries_can_still_be_correlated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
