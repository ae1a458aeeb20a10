/* SPDX-License-Identifier: Apache-2.0 */
/* split: each way of splitting at its edges, names, results, threads, lack of memory. */
/* suite: threads */
#include "split_harness.h"
#include "core/mem.h"

/* A row of user "1" unless said otherwise, `second` after 2006-03-01. */
typedef struct short_row {
    const char *query;
    int64_t second; /* -1: no time */
    const char *url;
    uint32_t rank; /* 0: none */
    const char *user;
} short_row;

static olog rows_of(const short_row *s, size_t n)
{
    olog log = {calloc(n, sizeof(orow)), n};
    for (size_t i = 0; i < n; i++) {
        orow *r = &log.at[i];
        const char *user = s[i].user ? s[i].user : "1";
        snprintf(r->user, sizeof r->user, "%s", user);
        snprintf(r->owner, sizeof r->owner, "%s", strchr(user, '/') ? strchr(user, '/') + 1 : user);
        snprintf(r->query, sizeof r->query, "%s", s[i].query);
        snprintf(r->url, sizeof r->url, "%s", s[i].url ? s[i].url : "");
        r->rank = s[i].rank ? s[i].rank : LETHE_NO_RANK;
        r->time = s[i].second < 0 ? LETHE_NO_TIME : 1141171200 + s[i].second;
    }
    return log;
}

/* The personas of the rows as letters: the first row's is A, the next new one B, ... */
static void letters(const split_run *h, char *out)
{
    size_t next = 0;
    for (size_t i = 0; i < h->in->n; i++) {
        size_t j = 0;
        while (strcmp(h->names[j], h->names[i]) != 0)
            j++;
        out[i] = j < i ? out[j] : (char)('A' + next++);
    }
    out[h->in->n] = '\0';
}

static void split_is(const short_row *s, size_t n, split_setting how, const char *want)
{
    char got[64];
    olog log = rows_of(s, n);
    split_run h;
    assert_int_equal(s_run(&h, &log, &how), LETHE_OK);
    assert_int_equal(h.n_emitted, n);
    assert_false(h.changed);
    letters(&h, got);
    assert_string_equal(got, want);
    s_end_all(&h);
    o_free(&log);
}
#define SPLIT_IS(rows, want, ...)                                                                  \
    split_is(rows, LETHE_COUNT(rows), (split_setting){__VA_ARGS__}, want)

static void a_day_lasts_24_hours_from_the_first_query(void **state)
{
    (void)state;
    static const short_row rows[] = {{.query = "a", .second = 80000},
                                     {.query = "b", .second = 80000 + 86399},
                                     {.query = "c", .second = 80000 + 86400},
                                     {.query = "d", .second = 80000 + 86400 + 86399},
                                     {.query = "a", .second = 80000 + 2 * 86400}};
    SPLIT_IS(rows, "AABBC", .by = "day");
}

static void a_pause_longer_than_the_gap_begins_anew(void **state)
{
    (void)state;
    static const short_row rows[] = {{.query = "c", .second = 7201},
                                     {.query = "a", .second = 0},
                                     {.query = "b", .second = 3600},
                                     {.query = "d", .second = 7202}};
    SPLIT_IS(rows, "ABBA", .by = "gap");
    SPLIT_IS(rows, "AAAA", .by = "gap", .gap = "3601s");
    SPLIT_IS(rows, "ABCA", .by = "gap", .gap = "1s");
}

/* It could be of any day: it is joined with nothing, not even with a row of the same text. */
static void a_row_without_time_is_a_persona_of_its_own(void **state)
{
    (void)state;
    static const short_row rows[] = {
        {.query = "a", .second = 0},  {.query = "b", .second = -1},
        {.query = "c", .second = -1}, {.query = "c", .second = -1},
        {.query = "d", .second = 1},  {.query = "b", .second = -1, .user = "2"}};
    SPLIT_IS(rows, "ABCDAE", .by = "day");
    SPLIT_IS(rows, "ABCDAE", .by = "gap");
    SPLIT_IS(rows, "ABCDEF", .by = "query");
    static const short_row alike[] = {{.query = "espn", .second = -1},
                                      {.query = "espn", .second = -1},
                                      {.query = "zebra", .second = 5}};
    SPLIT_IS(alike, "AAB", .by = "interest"); /* where times decide nothing */
}

static void a_log_without_times_is_refused(void **state)
{
    (void)state;
    static const short_row rows[] = {{.query = "a", .second = -1},
                                     {.query = "b", .second = -1, .user = "2"}};
    static const char *const bys[] = {"day", "gap"};
    olog log = rows_of(rows, LETHE_COUNT(rows)), none = {log.at, 0};
    for (size_t i = 0; i < LETHE_COUNT(bys); i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            split_run h;
            split_setting how = {.by = bys[i], .threads = threads};
            assert_int_equal(s_run(&h, &log, &how), LETHE_EINPUT);
            assert_int_equal(h.n_emitted, 0);
            s_end_all(&h);
            assert_int_equal(s_run(&h, &none, &how), LETHE_OK); /* nothing is promised of nobody */
            s_end_all(&h);
        }
    }
    o_free(&log);
    SPLIT_IS(rows, "AB", .by = "query");
    SPLIT_IS(rows, "AB", .by = "interest");
}

static void each_query_is_somebody_by_query(void **state)
{
    (void)state;
    static const short_row rows[] = {{"a", 0, "http://x.com", 1, NULL},
                                     {"a", 0, "http://y.com", 2, NULL},
                                     {"a", 1, NULL, 0, NULL},
                                     {"b", 1, NULL, 0, NULL},
                                     {"a", 0, NULL, 0, "2"}};
    SPLIT_IS(rows, "AABCD", .by = "query");
}

static void interests_follow_the_first_similar_query(void **state)
{
    (void)state;
    static const short_row rows[] = {{.query = "football", .second = 0},
                                     {.query = "espn football", .second = 10},
                                     {.query = "farmers market seattle", .second = 20},
                                     {.query = "football", .second = 30},
                                     {.query = "recipe guide", .second = 40},
                                     {.query = "seattle seahawks", .second = 50},
                                     {.query = "recipe guides", .second = 60},
                                     {.query = "recipes with yams", .second = 70},
                                     {.query = "football", .second = 0, .user = "2"}};
    SPLIT_IS(rows, "AABACDCEF", .by = NULL);
    SPLIT_IS(rows, "AABACDCEF", .by = "interest", .threads = 1);
}

/* What anybody clicked for a text counts, in any of its rows. */
static void clicks_of_the_whole_log_are_results(void **state)
{
    (void)state;
    static const short_row rows[] = {{"football", 0, NULL, 0, NULL},
                                     {"seattle seahawks", 50, NULL, 0, NULL},
                                     {"yams", 60, NULL, 0, NULL},
                                     {"football", 5, "a.com", 2, "2"},
                                     {"seattle seahawks", 9, "a.com", 7, "3"}};
    SPLIT_IS(rows, "AABCD", .by = NULL);
}

static void the_best_ranks_are_the_top(void **state)
{
    (void)state;
    static const short_row rows[] = {
        {"football", 0, "z.com", 5, NULL}, {"football", 0, "a.com", 9, NULL},
        {"yams", 60, "a.com", 1, NULL},    {"football", 0, "a.com", 6, "2"},
        {"football", 7, "b.com", 0, "2"},  {"cucumber", 70, "b.com", 1, NULL}};
    SPLIT_IS(rows, "AABCCD", .top = "1"); /* z.com alone */
    SPLIT_IS(rows, "AAABBC", .top = "2"); /* and a.com, at best sixth */
    SPLIT_IS(rows, "AAABBA", .top = "3"); /* and what has no rank */
}

static void results_come_from_the_file_where_there_is_one(void **state)
{
    (void)state;
    static const short_row rows[] = {{"football", 0, "a.com", 1, NULL},
                                     {"seattle seahawks", 50, "a.com", 1, NULL},
                                     {"yams", 60, "b.com", 1, NULL}};
    char path[] = "/tmp/lethe-split-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fputs("Football\tx.com\nfootball\ty.com\nYAMS\ty.com\nyams\tz.com\n", f);
    fclose(f);
    SPLIT_IS(rows, "AAB", .by = NULL);
    SPLIT_IS(rows, "ABA", .results = path);
    SPLIT_IS(rows, "ABC", .results = path, .top = "1");
    olog log = rows_of(rows, LETHE_COUNT(rows));
    split_run h;
    unlink(path);
    assert_int_equal(s_run(&h, &log, &(split_setting){.results = path}), LETHE_EIO);
    assert_int_equal(h.n_emitted, 0);
    s_end_all(&h);
    o_free(&log);
}

/* A user that an earlier step made of two persons gives no persona of both. */
static void a_persona_is_of_one_person(void **state)
{
    (void)state;
    static const short_row rows[] = {{.query = "a", .second = 0, .user = "x/1"},
                                     {.query = "a", .second = 0, .user = "x/2"},
                                     {.query = "a", .second = 1, .user = "y/1"},
                                     {.query = "a", .second = 2, .user = "x/1"}};
    SPLIT_IS(rows, "ABCA", .by = "day");
    SPLIT_IS(rows, "ABCA", .by = "interest");
}

static void names_of(split_setting how, char names[3][17])
{
    static const short_row rows[] = {{.query = "a", .second = 0},
                                     {.query = "zebra", .second = 90000},
                                     {.query = "a", .second = 0, .user = "2"}};
    olog log = rows_of(rows, LETHE_COUNT(rows));
    split_run h;
    assert_int_equal(s_run(&h, &log, &how), LETHE_OK);
    memcpy(names, h.names, 3 * sizeof *names);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(strspn(names[i], LETHE_PSEUDONYM_DIGITS), 16);
    s_end_all(&h);
    o_free(&log);
}

static void names_are_keyed(void **state)
{
    (void)state;
    char a[3][17], b[3][17], c[3][17];
    names_of((split_setting){.by = "day", .seed = 1}, a);
    names_of((split_setting){.by = "day", .seed = 1, .threads = 7}, b);
    names_of((split_setting){.by = "day", .seed = 2}, c);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(a[i], b[i]);
        for (size_t j = 0; j < 3; j++) {
            assert_string_not_equal(a[i], c[j]);
            if (i != j) assert_string_not_equal(a[i], a[j]);
        }
    }
}

/* Under one key, the first persona of a user in another log is another name. */
static void names_do_not_count_personas(void **state)
{
    (void)state;
    static const short_row march[] = {{.query = "a", .second = 0}};
    static const short_row april[] = {{.query = "a", .second = 2678400}};
    olog log[] = {rows_of(march, 1), rows_of(april, 1)};
    split_run h[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(s_run(&h[i], &log[i], &(split_setting){.by = "day"}), LETHE_OK);
    assert_string_not_equal(h[0].names[0], h[1].names[0]);
    for (int i = 0; i < 2; i++) {
        s_end_all(&h[i]);
        o_free(&log[i]);
    }
}

static void figures_count_queries(void **state)
{
    (void)state;
    static const short_row rows[] = {{"a", 0, "http://x.com", 1, NULL},
                                     {"a", 0, "http://y.com", 2, NULL},
                                     {"a", 1, NULL, 0, NULL},
                                     {"b", 1, NULL, 0, NULL},
                                     {"a", 0, NULL, 0, "2"}};
    olog log = rows_of(rows, LETHE_COUNT(rows));
    split_run h;
    assert_int_equal(s_run(&h, &log, &(split_setting){.by = "interest"}), LETHE_OK);
    assert_int_equal(s_figure(&h, "users"), 2);
    assert_int_equal(s_figure(&h, "personas"), 3);
    assert_true(lethe_json_real(lethe_json_get(h.metrics, "personas_per_user")) == 1.5);
    assert_true(lethe_json_real(lethe_json_get(h.metrics, "queries_per_persona")) == 4.0 / 3);
    s_end_all(&h);
    o_free(&log);
}

static void claim_is(split_setting how, const char *want)
{
    lethe_value at[8];
    lethe_values v;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *claims = lethe_json_array(doc);
    s_values(&v, at, &how);
    lethe_method_split.claims(&v, doc, claims);
    char *text = lethe_json_write(claims, 0, NULL);
    assert_string_equal(text, want);
    lethe_json_text_free(text);
    lethe_json_doc_free(doc);
}

static void claims_follow_from_the_options(void **state)
{
    (void)state;
    claim_is((split_setting){.by = NULL},
             "[{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,"
             "\"overlap\":0.5,\"top\":50,\"results\":\"clicks\"}]");
    claim_is((split_setting){.results = "/nowhere", .top = "7"},
             "[{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,"
             "\"top\":7,\"results\":\"file\"}]");
    claim_is((split_setting){.by = "gap", .gap = "2h"},
             "[{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":7200}]");
    claim_is((split_setting){.by = "day"}, "[{\"notion\":\"personas\",\"by\":\"day\"}]");
    claim_is((split_setting){.by = "query"}, "[{\"notion\":\"personas\",\"by\":\"query\"}]");
    assert_true(lethe_method_split.renames);
}

static void results_belong_to_interest(void **state)
{
    (void)state;
    lethe_value at[8];
    lethe_values v;
    s_values(&v, at, &(split_setting){.by = "gap", .results = "x"});
    assert_int_equal(lethe_method_split.validate(&v, NULL), LETHE_EUSAGE);
    s_values(&v, at, &(split_setting){.by = "interest", .results = "x"});
    assert_int_equal(lethe_method_split.validate(&v, NULL), LETHE_OK);
    s_values(&v, at, &(split_setting){.by = "gap", .edit = "0.3"});
    assert_int_equal(lethe_method_split.validate(&v, NULL), LETHE_OK);
}

/* More than fits into the memory there is, on 1, 2 and 7 threads. */
static void threads_and_memory_change_nothing(void **state)
{
    (void)state;
    static const char *const bys[] = {"day", "gap", "interest", "query"};
    static const unsigned threads[] = {1, 2, 7};
    uint64_t seed = 5;
    olog log = o_log(&seed, (oshape){20000, 900, 4000, 3000, 9, 40});
    for (size_t b = 0; b < LETHE_COUNT(bys); b++) {
        char(*first)[17] = NULL;
        for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
            split_run h;
            split_setting how = {
                .by = bys[b], .threads = threads[t], .memory_bytes = t == 1 ? 1 << 20 : 0};
            assert_int_equal(s_run(&h, &log, &how), LETHE_OK);
            assert_int_equal(h.n_emitted, log.n);
            assert_false(h.changed);
            if (first) assert_memory_equal(first, h.names, log.n * sizeof *first);
            if (!first) {
                first = calloc(log.n, sizeof *first);
                memcpy(first, h.names, log.n * sizeof *first);
            }
            s_end_all(&h);
        }
        free(first);
    }
    o_free(&log);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const split_setting how[] = {{.by = "gap"}, {.by = "interest"}};
    uint64_t seed = 3;
    olog log = o_log(&seed, (oshape){30, 3, 12, 5, 2, 3});
    lethe_ctx *ctx = o_ctx(1, 0);
    for (size_t i = 0; i < LETHE_COUNT(how); i++) {
        lethe_err err = LETHE_ENOMEM;
        uint64_t n = 0;
        while (err != LETHE_OK) {
            split_run h;
            s_begin(&h, ctx, &log);
            lethe_log *in = s_store(ctx, &log);
            lethe_alloc_fail_at(++n);
            err = s_run_log(&h, in, &how[i]);
            lethe_alloc_fail_at(0);
            if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
            lethe_log_free(in);
            s_end(&h);
        }
        assert_true(n > 5);
    }
    lethe_ctx_free(ctx);
    o_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_day_lasts_24_hours_from_the_first_query),
        cmocka_unit_test(a_pause_longer_than_the_gap_begins_anew),
        cmocka_unit_test(a_row_without_time_is_a_persona_of_its_own),
        cmocka_unit_test(a_log_without_times_is_refused),
        cmocka_unit_test(each_query_is_somebody_by_query),
        cmocka_unit_test(interests_follow_the_first_similar_query),
        cmocka_unit_test(clicks_of_the_whole_log_are_results),
        cmocka_unit_test(the_best_ranks_are_the_top),
        cmocka_unit_test(results_come_from_the_file_where_there_is_one),
        cmocka_unit_test(a_persona_is_of_one_person),
        cmocka_unit_test(names_are_keyed),
        cmocka_unit_test(names_do_not_count_personas),
        cmocka_unit_test(figures_count_queries),
        cmocka_unit_test(claims_follow_from_the_options),
        cmocka_unit_test(results_belong_to_interest),
        cmocka_unit_test(threads_and_memory_change_nothing),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
