/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of personas: what it refuses, and what it cannot know. */
/* suite: threads */
#include "split_harness.h"
#include "check/text_clicks.h"
#include "core/mem.h"
#include "model/knowledge/results.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static const char *because; /* of the last check; NULL: it says nothing */

typedef struct situation {
    const char *manifest, *claims, *results; /* NULL: none */
    bool gone;                               /* the results came from a pipe */
    const lethe_log_form *form;
    uint64_t fail_at; /* 0: no allocation fails */
    bool figures;     /* are asked for */
    int64_t counted;  /* `undecided` before the check; 0: it is not there */
} situation;

typedef struct outcome {
    lethe_err err;
    bool holds;
    char why[512];
    int64_t undecided; /* -1: it is not said */
    int64_t timeless;  /* rows_without_time; -1: it is not said */
} outcome;

/* `claim` is claims[0] where claims are given. */
static outcome check_as(const char *claim_text, const char *rows, situation s)
{
    outcome o = {.err = LETHE_OK};
    char path[64], *text = malloc(strlen(HEADER) + strlen(rows) + 1);
    int dirfd = o_folder(path);
    lethe_settings settings = {.n_threads = 2};
    lethe_ctx *ctx;
    lethe_json_doc *docs[3] = {0}, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *manifest = NULL, *claims = NULL, *why = NULL;
    lethe_json *figures = s.figures ? lethe_json_object(doc) : NULL;
    if (s.counted) lethe_set_count(doc, figures, "undecided", (uint64_t)s.counted);
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    strcat(strcpy(text, HEADER), rows);
    o_write_published(dirfd, text, strlen(text));
    assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(claim_text), &docs[0], &claim),
                     LETHE_OK);
    if (s.manifest)
        assert_int_equal(lethe_json_parse(NULL, "m", lethe_str_of(s.manifest), &docs[1], &manifest),
                         LETHE_OK);
    if (s.claims)
        assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(s.claims), &docs[2], &claims),
                         LETHE_OK);
    lethe_results *results = NULL;
    if (s.results) assert_int_equal(lethe_results_read(ctx, s.results, &results), LETHE_OK);
    lethe_published p = {.ctx = ctx,
                         .dirfd = dirfd,
                         .shape = LETHE_SHAPE_LOG,
                         .form = s.form,
                         .manifest = manifest,
                         .claims = claims,
                         .results = results,
                         .results_gone = s.gone,
                         .figures = figures};
    lethe_alloc_fail_at(s.fail_at);
    o.err = lethe_notion_personas.check(&p, claims ? lethe_json_at(claims, 0) : claim, doc,
                                        &o.holds, &why);
    lethe_alloc_fail_at(0);
    because = p.because;
    if (why) {
        char *written = lethe_json_write(why, 0, NULL);
        snprintf(o.why, sizeof o.why, "%s", written);
        lethe_json_text_free(written);
    }
    const lethe_json *undecided = lethe_json_get(figures, "undecided");
    o.undecided = undecided ? lethe_json_int(undecided) : -1;
    const lethe_json *timeless = lethe_json_get(figures, "rows_without_time");
    o.timeless = timeless ? lethe_json_int(timeless) : -1;
    for (size_t i = 0; i < LETHE_COUNT(docs); i++)
        lethe_json_doc_free(docs[i]);
    lethe_json_doc_free(doc);
    lethe_results_free(results);
    lethe_ctx_free(ctx);
    free(text);
    o_folder_gone(dirfd, path);
    return o;
}

static void holds_as(const char *claim, const char *rows, situation s)
{
    outcome o = check_as(claim, rows, s);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.why, "");
    assert_true(o.holds);
}

static void broken_as(const char *claim, const char *rows, situation s, const char *why)
{
    outcome o = check_as(claim, rows, s);
    assert_int_equal(o.err, LETHE_OK);
    assert_false(o.holds);
    assert_string_equal(o.why, why);
}

static void holds(const char *claim, const char *rows) { holds_as(claim, rows, (situation){0}); }
static void broken(const char *claim, const char *rows, const char *why)
{
    broken_as(claim, rows, (situation){0}, why);
}

#define DAY "{\"notion\":\"personas\",\"by\":\"day\"}"
#define GAP "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":3600}"
#define QUERY "{\"notion\":\"personas\",\"by\":\"query\"}"
#define INTEREST                                                                                   \
    "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":50,"        \
    "\"results\":\"file\"}"
#define THRESHOLD "{\"notion\":\"query-threshold\",\"t\":1,\"by\":\"users\"}"
#define LONG "the persona spans 24 hours or more"
#define PAUSE "a longer pause comes before this query"

static void a_day_is_judged_as_finely_as_times_are(void **state)
{
    (void)state;
    holds(DAY, "1\ta\t2006-03-01 10:00:01\t\t\n1\tb\t2006-03-02 10:00:00\t\t\n");
    broken(DAY, "1\ta\t2006-03-01 10:00:01\t\t\n1\tb\t2006-03-02 10:00:01\t\t\n",
           "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" LONG "\"}");
    holds(DAY, "1\ta\t2006-03-01 10\t\t\n1\tb\t2006-03-02 10\t\t\n"); /* 10:59:59, 10:00:00 */
    broken(DAY, "1\ta\t2006-03-01 10\t\t\n1\tb\t2006-03-02 11\t\t\n",
           "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" LONG "\"}");
    holds(DAY, "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-02\t\t\n");
    broken(DAY, "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-02\t\t\n1\tc\t2006-03-03\t\t\n",
           "{\"user\":\"1\",\"query\":\"c\",\"reason\":\"" LONG "\"}");
    // of several rows the one that ends first counts, not the first one
    broken(DAY,
           "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-01 01:30:00\t\t\n"
           "1\tc\t2006-03-02 12:00:00\t\t\n",
           "{\"user\":\"1\",\"query\":\"c\",\"reason\":\"" LONG "\"}");
    holds(DAY, "1\ta\t2006-03-01\t\t\n2\tb\t2006-03-09\t\t\n");
    holds(DAY, "1\ta\t\t\t\n1\tb\t\t\t\n1\tc\t2006-03-01\t\t\n");
}

/* A midnight is a day where times are cut to days, and a midnight where they are not. */
static void the_release_says_what_times_are(void **state)
{
    (void)state;
    static const char rows[] = "1\ta\t2006-03-01 00:00:00\t\t\n1\tb\t2006-03-02 00:00:00\t\t\n";
    static const char exact[] = "{\"steps\":[{\"parameters\":{}},{\"parameters\":{\"time\":"
                                "\"exact\"}}]}";
    static const char days[] = "{\"steps\":[{\"parameters\":{\"time\":\"day\"}}]}";
    const lethe_log_form form = {
        .any_user = true, .times = LETHE_TIME_EXACT, .urls = LETHE_URL_ANY};
    static const char why[] = "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" LONG "\"}";
    holds(DAY, rows);
    holds_as(DAY, rows, (situation){.manifest = days});
    broken_as(DAY, rows, (situation){.manifest = exact}, why);
    broken_as(DAY, rows, (situation){.form = &form}, why);
}

static void a_pause_is_judged_as_finely_as_times_are(void **state)
{
    (void)state;
    holds(GAP, "1\ta\t2006-03-01 10:00:01\t\t\n1\tb\t2006-03-01 11:00:01\t\t\n");
    broken(GAP, "1\ta\t2006-03-01 10:00:01\t\t\n1\tb\t2006-03-01 11:00:02\t\t\n",
           "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" PAUSE "\"}");
    holds(GAP, "1\ta\t2006-03-01 10\t\t\n1\tb\t2006-03-01 11\t\t\n");
    broken(GAP, "1\ta\t2006-03-01 10\t\t\n1\tb\t2006-03-01 13\t\t\n",
           "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" PAUSE "\"}");
    holds(GAP, "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-02\t\t\n");
    broken(GAP, "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-03\t\t\n",
           "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" PAUSE "\"}");
    /* near both its neighbours it cannot be */
    broken(GAP, "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-02\t\t\n1\tc\t2006-03-03\t\t\n",
           "{\"user\":\"1\",\"query\":\"c\",\"reason\":\"" PAUSE "\"}");
    holds(GAP, "1\ta\t\t\t\n1\tb\t2006-03-01\t\t\n");
}

/* What a later step left out may have stood in the pause. */
static void a_pause_says_nothing_after_a_later_step(void **state)
{
    (void)state;
    static const char rows[] = "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-09\t\t\n";
    broken_as(GAP, rows, (situation){.claims = "[" GAP "]"},
              "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" PAUSE "\"}");
    holds_as(GAP, rows, (situation){.claims = "[" GAP "," THRESHOLD "]"});
    broken_as(DAY, rows, (situation){.claims = "[" DAY "," THRESHOLD "]"},
              "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"" LONG "\"}");
}

static void a_user_has_one_query(void **state)
{
    (void)state;
    holds(QUERY, "1\ta\t2006-03-01\t1\ta.com\n1\ta\t2006-03-01\t2\tb.com\n2\ta\t2006-03-01\t\t\n");
    holds(QUERY, "1\ta\t\t\t\n1\ta\t\t\t\n");
    broken(QUERY, "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-01\t\t\n",
           "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"the user has another query\"}");
    broken(
        QUERY, "1\ta\t2006-03-01\t\t\n1\ta\t2006-03-02\t\t\n",
        "{\"user\":\"1\",\"query\":\"a\",\"reason\":\"the user has this query at another time\"}");
    broken(
        QUERY, "1\ta\t\t\t\n1\ta\t2006-03-02\t\t\n",
        "{\"user\":\"1\",\"query\":\"a\",\"reason\":\"the user has this query at another time\"}");
}

static void the_least_user_is_named(void **state)
{
    (void)state;
    broken(QUERY,
           "z\ta\t\t\t\nz\tb\t\t\t\nb\tx\t\t\t\nb\ty\t\t\t\na\tx\t\t\t\nc\tx\t\t\t\nc\ty\t\t\t\n",
           "{\"user\":\"b\",\"query\":\"y\",\"reason\":\"the user has another query\"}");
}

static const lethe_log_form days = {.any_user = true,
                                    .times = LETHE_TIME_DAY,
                                    .urls = LETHE_URL_ANY},
                            dropped = {
                                .any_user = true, .times = LETHE_TIME_DROP, .urls = LETHE_URL_ANY};

static void counted_are(const char *claim, const char *rows, situation s, int64_t undecided,
                        int64_t timeless)
{
    outcome o = check_as(claim, rows, s);
    assert_int_equal(o.err, LETHE_OK);
    assert_true(o.holds);
    assert_int_equal(o.undecided, undecided);
    assert_int_equal(o.timeless, timeless);
}

/* Where times are published, what has none is joined with nothing. */
static void a_row_without_time_is_alone(void **state)
{
    (void)state;
    static const char *const claims[] = {DAY, GAP, QUERY};
    static const char joined[] = "1\ta\t\t\t\n1\ta\t\t\t\n2\tb\t2006-03-01\t\t\n",
                      alone[] = "1\ta\t\t\t\n2\ta\t\t\t\n3\tb\t2006-03-01\t\t\n",
                      mixed[] = "1\ta\t\t\t\n1\tb\t2006-03-01\t\t\n";
    static const char why[] = "{\"user\":\"1\",\"query\":\"a\",\"reason\":\"a row without a time "
                              "shares its user with another\"}";
    situation said = {.form = &days, .figures = true},
              read = {.manifest = "{\"steps\":[{\"parameters\":{\"time\":\"day\"}}]}",
                      .figures = true};
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        broken_as(claims[i], joined, said, why);
        broken_as(claims[i], joined, read, why);
        assert_false(check_as(claims[i], mixed, said).holds);
        assert_int_equal(check_as(claims[i], joined, said).timeless, 2);
        counted_are(claims[i], alone, said, 0, 2);
        counted_are(claims[i], alone, read, 0, 2);
        assert_null(because);
    }
}

/* Where they are not, nobody can tell: it is counted and said, and nothing is refused. */
static void without_times_rows_are_undecided(void **state)
{
    (void)state;
    static const char *const claims[] = {DAY, GAP, QUERY};
    static const char rows[] =
        "1\ta\t\t\t\n1\ta\t\t\t\n2\ta\t\t\t\n3\tb\t\t\t\n3\tb\t\t\t\n3\tb\t\t\t\n";
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        counted_are(claims[i], rows, (situation){.form = &dropped, .figures = true}, 5, 6);
        counted_are(claims[i], rows,
                    (situation){.manifest = "{\"steps\":[{\"parameters\":{\"time\":\"drop\"}}]}",
                                .figures = true,
                                .counted = 3}, /* of another promise */
                    8, 6);
        assert_string_equal(because, "no time is published");
    }
    /* two texts are two queries, whenever they were asked */
    broken_as(QUERY, "1\ta\t\t\t\n1\tb\t\t\t\n", (situation){.form = &dropped},
              "{\"user\":\"1\",\"query\":\"b\",\"reason\":\"the user has another query\"}");
}

/* Weeks and months hide days, and pauses that are shorter; what they show is refused as ever. */
static void coarse_times_leave_rows_undecided(void **state)
{
    (void)state;
    static const char rows[] = "1\ta\t2006-03\t\t\n1\tb\t2006-03\t\t\n2\tc\t2006-03\t\t\n",
                      apart[] = "1\ta\t2006-01\t\t\n1\tb\t2006-03\t\t\n",
                      weeks[] = "1\ta\t2006-03-06\t\t\n1\tb\t2006-03-06\t\t\n";
    static const char long_gap[] = "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":3456000}",
                      week_gap[] = "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":604800}";
    situation month = {.manifest = "{\"steps\":[{\"parameters\":{\"time\":\"month\"}}]}",
                       .figures = true},
              week = {.manifest = "{\"steps\":[{\"parameters\":{\"time\":\"week\"}}]}",
                      .figures = true};
    counted_are(DAY, rows, month, 2, 0);
    assert_string_equal(because, "published times are too coarse to show days or pauses");
    counted_are(GAP, rows, month, 2, 0);
    counted_are(long_gap, rows, month, 0, 0);
    counted_are(DAY, weeks, week, 2, 0);
    counted_are(GAP, weeks, week, 2, 0);
    counted_are(week_gap, weeks, week, 0, 0);
    counted_are(QUERY, "1\ta\t2006-03\t\t\n1\ta\t2006-03\t\t\n", month, 0, 0);
    assert_false(check_as(DAY, apart, month).holds);
    month.claims = "[" GAP "," THRESHOLD "]"; /* each row once, pauses or not */
    counted_are(GAP, apart, month, 2, 0);
    counted_are(DAY, weeks, (situation){.form = &days, .figures = true}, 0, 0);
}

static void a_pause_before_a_later_step_is_undecided(void **state)
{
    (void)state;
    static const char rows[] = "1\ta\t2006-03-01\t\t\n1\tb\t2006-03-09\t\t\n2\tc\t2006-03-01\t\t\n"
                               "1\tb\t2006-03-10\t\t\n";
    situation s = {.claims = "[" GAP "," THRESHOLD "]",
                   .manifest = "{\"steps\":[{\"parameters\":{\"time\":\"day\"}}]}",
                   .figures = true};
    counted_are(GAP, rows, s, 1, 0);
    assert_string_equal(
        because,
        "a longer pause comes before, and a later step may have removed what stood between");
    s.manifest = NULL;
    s.form = &days;
    counted_are(GAP, rows, s, 1, 0);
}

static void interests_are_undecided_without_results(void **state)
{
    (void)state;
    static const char loose[] = "1\tfootball\t2006-03-01\t\t\n1\tyams\t2006-03-02\t\t\n"
                                "1\tseahawks\t2006-03-02\t\t\n2\tyams\t\t\t\n";
    static const char alike[] = "1\tfootball\t2006-03-01\t\t\n1\tespn football\t2006-03-02\t\t\n"
                                "1\tfootbal\t2006-03-02\t\t\n";
    holds(INTEREST, loose);
    assert_null(because); /* being made: nobody asks */
    holds_as(INTEREST, loose, (situation){.manifest = "{}"});
    assert_non_null(strstr(because, "use --results to check"));
    holds_as(INTEREST, alike, (situation){.manifest = "{}"});
    assert_null(because);
}

static void interests_are_decided_with_results(void **state)
{
    (void)state;
    static const char rows[] = "1\tfootball\t2006-03-01\t\t\n1\tyams\t2006-03-02\t\t\n"
                               "1\tyam\t2006-03-02\t\t\n2\tcucumber\t\t\t\n";
    static const char why[] =
        "{\"user\":\"1\",\"query\":\"yam\",\"reason\":\"no earlier query of the persona is "
        "similar\"}";
    char path[] = "/tmp/lethe-personas-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("football\ta.com\nyams\tb.com\nyams\ta.com\n", f);
    fclose(f);
    situation s = {.results = path};
    broken_as(INTEREST, rows, s, why); /* yam and yams: one of four */
    s.claims = "[" INTEREST "," THRESHOLD "]";
    s.manifest = "{}";
    holds_as(INTEREST, rows, s);
    assert_non_null(strstr(because, "a later step may have removed it"));
    s.claims = "[" INTEREST "]";
    broken_as(INTEREST, rows, s, why);
    f = fopen(path, "a");
    fputs("yam\tb.com\n", f);
    fclose(f);
    holds_as(INTEREST, rows, s);
    /* only the first result counts */
    broken_as("{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":1,"
              "\"results\":\"file\"}",
              rows, (situation){.results = path},
              "{\"user\":\"1\",\"query\":\"yam\",\"reason\":\"no earlier query of the persona is "
              "similar\"}");
    unlink(path);
}

/* What is undecided: the whole number, the same however often it is asked. */
static void undecided_are(const char *claim, const char *rows, situation s, int64_t want)
{
    outcome o = check_as(claim, rows, s);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.undecided, want);
}

#define LOOSE_ROWS                                                                                 \
    "1\tfootball\t2006-03-01\t\t\n1\tyams\t2006-03-02\t\t\n1\tzebra\t2006-03-03\t\t\n"             \
    "2\tcucumber\t\t\t\n2\tfootball\t2006-03-02\t\t\n"

static void what_is_undecided_is_a_figure(void **state)
{
    (void)state;
    static const char alike[] = "1\tfootball\t2006-03-01\t\t\n1\tespn football\t2006-03-02\t\t\n";
    situation making = {.figures = true}, there = {.figures = true, .manifest = "{}"};
    undecided_are(INTEREST, LOOSE_ROWS, making, 3);
    undecided_are(INTEREST, LOOSE_ROWS, there, 3);
    assert_non_null(strstr(because, "use --results to check"));
    undecided_are(INTEREST, alike, making, 0);
    undecided_are(INTEREST, alike, there, 0);
    making.counted = 4; /* another promise of the chain */
    undecided_are(INTEREST, LOOSE_ROWS, making, 7);
    making.counted = 0;
    assert_int_equal(check_as(INTEREST, alike, making).timeless, -1);
    undecided_are(DAY, alike, making, 0);
    undecided_are(GAP, alike, making, 0);
    undecided_are(QUERY, "1\ta\t\t\t\n", making, 0);
    undecided_are(INTEREST, LOOSE_ROWS, (situation){.manifest = "{}"}, -1); /* nobody asks */
}

/* With the results that split was given the release is judged before it is let out. */
static void results_decide_while_the_release_is_made(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-personas-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("football\ta.com\nyams\ta.com\nyams\tb.com\nzebra\tb.com\n", f);
    fclose(f);
    situation s = {.results = path, .figures = true, .claims = "[" INTEREST "]"};
    outcome o = check_as(INTEREST, LOOSE_ROWS, s);
    assert_int_equal(o.err, LETHE_OK);
    assert_false(o.holds); /* football and cucumber have nothing in common */
    assert_string_equal(o.why, "{\"user\":\"2\",\"query\":\"football\",\"reason\":\"no earlier "
                               "query of the persona is similar\"}");
    assert_int_equal(o.undecided, 0);          /* it is decided */
    s.claims = "[" INTEREST "," THRESHOLD "]"; /* a later step may have taken some away */
    holds_as(INTEREST, LOOSE_ROWS, s);
    undecided_are(INTEREST, LOOSE_ROWS, s, 1);
    s.claims = "[" INTEREST "]";
    f = fopen(path, "a");
    fputs("cucumber\tc.com\nfootball\tc.com\n", f);
    fclose(f);
    holds_as(INTEREST, LOOSE_ROWS, s);
    undecided_are(INTEREST, LOOSE_ROWS, s, 0);
    unlink(path);
}

/* What came out of a pipe does not come again: a release is not lost for it. */
static void results_of_a_pipe_are_gone(void **state)
{
    (void)state;
    situation s = {.figures = true, .claims = "[" INTEREST "]", .gone = true};
    outcome o = check_as(INTEREST, LOOSE_ROWS, s);
    assert_int_equal(o.err, LETHE_OK);
    assert_true(o.holds);
    assert_int_equal(o.undecided, 3);
    assert_non_null(strstr(because, "cannot be read again"));
    holds_as(DAY, "1\ta\t2006-03-01\t\t\n", (situation){.gone = true, .claims = "[" DAY "]"});
    assert_null(because); /* of no use by day */
}

#define CLICKS                                                                                     \
    "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":2,"         \
    "\"results\":\"clicks\"}"

/* Another user's clicks on the same text count, and those that were made at another time. */
static void clicks_decide_where_they_are_published(void **state)
{
    (void)state;
    static const lethe_log_form
        hosts = {.any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_HOST},
        pages = {.any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_ANY},
        none = {.any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_NONE};
    static const char apart[] =
        "1\tfootball\t2006-03-01\t1\ta.com\n1\tyams\t2006-03-02\t1\tb.com\n";
    static const char joined[] = "1\tfootball\t2006-03-01\t1\ta.com\n1\tyams\t2006-03-02\t\t\n"
                                 "2\tyams\t2006-03-03\t1\ta.com\n2\tyams\t2006-03-03\t2\tb.com\n";
    static const char why[] = "{\"user\":\"1\",\"query\":\"yams\",\"reason\":\"no earlier query of "
                              "the persona is similar, by text or clicks\"}";
    situation s = {.form = &hosts, .claims = "[" CLICKS "]", .figures = true};
    broken_as(CLICKS, apart, s, why);
    undecided_are(CLICKS, joined, s, 1); /* a host is not a page */
    assert_string_equal(because,
                        "only a clicked host links a query to an earlier one of its persona");
    holds_as(CLICKS, joined, s);
    s.form = &pages;
    broken_as(CLICKS, apart, s, why);
    undecided_are(CLICKS, joined, s, 0);
    assert_null(because);
    s.claims = "[" CLICKS "," THRESHOLD "]"; /* which may have removed a click */
    undecided_are(CLICKS, apart, s, 1);
    s.claims = "[" CLICKS "]";
    s.form = &none;
    undecided_are(CLICKS, "1\tfootball\t2006-03-01\t\t\n1\tyams\t2006-03-02\t\t\n", s, 1);
    assert_non_null(strstr(because, "not all clicks are published"));
    s.form = &hosts;
    s.manifest = "{\"metrics\":{\"urls_uncut\":1}}";
    undecided_are(CLICKS, apart, s, 1);
    s.manifest = "{\"metrics\":{\"urls_uncut\":0}}";
    broken_as(CLICKS, apart, s, why);
}

/* A third address may be one of the two that count, or not. */
static void more_addresses_than_results_leave_it_open(void **state)
{
    (void)state;
    static const lethe_log_form pages = {
        .any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_ANY};
    situation s = {.form = &pages, .claims = "[" CLICKS "]", .figures = true};
    lethe_buf rows = {0};
    char row[64];
    static const char other[] = "1\tyams\t2006-03-02\t\t\n";
    undecided_are(CLICKS,
                  "1\tfootball\t2006-03-01\t1\ta.com\n1\tyams\t2006-03-02\t1\ta.com\n"
                  "1\tyams\t2006-03-02\t2\tb.com\n1\tyams\t2006-03-02\t3\tc.com\n",
                  s, 1);
    assert_string_equal(because,
                        "a query of the persona has more clicked URLs than count as results");
    undecided_are(CLICKS, /* one address, however often */
                  "1\tfootball\t2006-03-01\t1\ta.com\n1\tyams\t2006-03-02\t1\ta.com\n"
                  "1\tyams\t2006-03-02\t2\ta.com\n1\tyams\t2006-03-02\t3\ta.com\n",
                  s, 0);
    /* too many to be carried along: the persona is not judged */
    for (int i = 0; i <= LETHE_TEXT_CLICKS_MAX + 1; i++) {
        int n = snprintf(row, sizeof row, "1\tfootball\t2006-03-01\t1\t%04d.com\n", i);
        assert_int_equal(lethe_buf_put(&rows, row, (size_t)n), LETHE_OK);
        if (i < LETHE_TEXT_CLICKS_MAX - 1 || i == LETHE_TEXT_CLICKS_MAX) continue;
        size_t before = rows.n;
        assert_int_equal(lethe_buf_put(&rows, other, sizeof other), LETHE_OK);
        outcome o = check_as(CLICKS, (const char *)rows.at, s);
        assert_int_equal(o.holds, i > LETHE_TEXT_CLICKS_MAX);
        rows.n = before;
    }
    lethe_buf_free(&rows);
}

/* Football comes after what is only like football: no order keeps the promise. */
static void earlier_means_earlier(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-personas-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("x\ty\n", f);
    fclose(f);
    situation s = {.results = path};
    static const char *const rows[] = {
        "1\tespn football\t2006-03-01\t\t\n1\tfootball\t2006-03-02\t\t\n"
        "1\tfootball scores\t2006-03-01\t\t\n",
        "1\tespn football\t2006-03-01\t\t\n1\tfootball\t2006-03-01\t\t\n"
        "1\tfootball scores\t2006-03-01\t\t\n"};
    assert_false(check_as(INTEREST, rows[0], s).holds);
    assert_true(check_as(INTEREST, rows[1], s).holds);
    /* nothing of nothing is not a half */
    assert_false(check_as(INTEREST, "1\t???\t\t\t\n1\t+++++\t\t\t\n", s).holds);
    unlink(path);
}

static void claims_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[]",
        "{\"notion\":\"personas\"}",
        "{\"notion\":\"personas\",\"by\":\"week\"}",
        "{\"notion\":\"personas\",\"by\":2}",
        "{\"notion\":\"personas\",\"by\":\"day\",\"gap\":3600}",
        "{\"notion\":\"personas\",\"by\":\"gap\"}",
        "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":0}",
        "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":-5}",
        "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":9223372036854775807}",
        "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":\"1h\"}",
        "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":3600,\"results\":true}",
        "{\"notion\":\"personas\",\"by\":\"interest\"}",
        "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":1.5,\"overlap\":0.5,\"top\":50,"
        "\"results\":\"file\"}",
        "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":-1,\"top\":50,"
        "\"results\":\"file\"}",
        "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":0,"
        "\"results\":\"file\"}",
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_int_equal(check_as(bad[i], "1\ta\t\t\t\n", (situation){0}).err, LETHE_EINPUT);
}

static void data_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    static const char *const claims[] = {DAY, GAP, QUERY, INTEREST};
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        assert_int_equal(check_as(claims[i], "1\ta\n", (situation){0}).err, LETHE_EINPUT);
        assert_int_equal(check_as(claims[i], "1\tA B\t\t\t\n", (situation){0}).err, LETHE_EINPUT);
    }
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char rows[] = "1\tfootball\t2006-03-01\t\t\n1\tyams\t2006-03-09\t\t\n"
                               "1\tseahawks game\t2006-03-02\t\t\n2\tyams\t\t\t\n";
    static const char *const claims[] = {DAY, INTEREST, INTEREST};
    char path[] = "/tmp/lethe-personas-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("football\ta.com\nyams\ta.com\n", f);
    fclose(f);
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        lethe_err err = LETHE_ENOMEM;
        situation s = {.manifest = i == 1 ? "{}" : NULL, .results = i == 2 ? path : NULL};
        s.figures = i > 0;
        while (err != LETHE_OK) {
            s.fail_at++;
            err = check_as(claims[i], rows, s).err;
            assert_true(err == LETHE_OK || err == LETHE_ENOMEM);
        }
        assert_true(s.fail_at > 10);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_day_is_judged_as_finely_as_times_are),
        cmocka_unit_test(the_release_says_what_times_are),
        cmocka_unit_test(a_pause_is_judged_as_finely_as_times_are),
        cmocka_unit_test(a_pause_says_nothing_after_a_later_step),
        cmocka_unit_test(a_user_has_one_query),
        cmocka_unit_test(the_least_user_is_named),
        cmocka_unit_test(a_row_without_time_is_alone),
        cmocka_unit_test(without_times_rows_are_undecided),
        cmocka_unit_test(coarse_times_leave_rows_undecided),
        cmocka_unit_test(a_pause_before_a_later_step_is_undecided),
        cmocka_unit_test(interests_are_undecided_without_results),
        cmocka_unit_test(interests_are_decided_with_results),
        cmocka_unit_test(what_is_undecided_is_a_figure),
        cmocka_unit_test(results_decide_while_the_release_is_made),
        cmocka_unit_test(results_of_a_pipe_are_gone),
        cmocka_unit_test(clicks_decide_where_they_are_published),
        cmocka_unit_test(more_addresses_than_results_leave_it_open),
        cmocka_unit_test(earlier_means_earlier),
        cmocka_unit_test(claims_that_are_none_are_refused),
        cmocka_unit_test(data_that_cannot_be_read_is_an_error),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
