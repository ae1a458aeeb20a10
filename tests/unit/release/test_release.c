/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline with methods that lie, lose rows, rename users, fail or are stopped: nothing of it
 * may get out. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/json/json.h"
#include "release/release.h"
#include "release_fakes.h"
#include "small_wordnet.h"
#include "release_harness.h"

/* --- a log, and running one step or several over it --- */

/* "maps" has 3 users, "news" 2, "ann lee" one who asked three times. */
static const char log_text[] = "1\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                               "2\tmaps\t2006-03-01 11:00:00\t\t\n"
                               "3\tmaps\t2006-03-02 10:00:00\t\t\n"
                               "1\tnews\t2006-03-01 10:00:00\t\t\n"
                               "2\tNEWS\t2006-03-01 10:00:00\t2\thttp://news.com\n"
                               "1\tann lee\t2006-03-01 10:00:00\t\t\n"
                               "1\tann lee\t2006-03-01 10:00:01\t\t\n"
                               "1\tann lee\t2006-03-03 10:00:00\t\t\n";
enum { N_ROWS = 8 };

typedef struct ran {
    lethe_err e;
    lethe_json_doc *doc;
    lethe_json *report;
} ran;

static ran run_job(lethe_ctx *ctx, const lethe_release_job *job)
{
    ran r = {.doc = lethe_json_doc_new()};
    r.e = lethe_release_make(ctx, job, r.doc, &r.report);
    return r;
}

static ran run_steps(ground *g, const steps *s, unsigned n_threads)
{
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, n_threads);
    lethe_release_job job = g_job(g, s, inputs);
    ran r = run_job(ctx, &job);
    lethe_ctx_free(ctx);
    return r;
}

static int64_t counted(const ran *r, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(r->report, "counts"), name));
}

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    g_write(g.log, log_text);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

/* Runs one method and wants it refused, with nothing left behind. */
static void refused(ground *g, const lethe_method *m, const char *how, lethe_err want,
                    const char *said)
{
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        steps s = {0};
        s_add(&s, m, how);
        g->said[0] = '\0';
        ran r = run_steps(g, &s, threads[i]);
        if (r.e != want) fail_msg("%s %s: %s", m->name, how, lethe_err_name(r.e));
        if (said && !strstr(g->said, said)) fail_msg("%s %s: said '%s'", m->name, how, g->said);
        assert_string_equal(g_names(g), "log.tsv");
        lethe_json_doc_free(r.doc);
    }
}

static void an_honest_method_is_released(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &passer, "t=1");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    char *data = g_data(g);
    assert_string_equal(data, "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
                              "1\tann lee\t2006-03-01 10:00:00\t\t\n"
                              "1\tann lee\t2006-03-01 10:00:01\t\t\n"
                              "1\tann lee\t2006-03-03 10:00:00\t\t\n"
                              "1\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                              "1\tnews\t2006-03-01 10:00:00\t\t\n"
                              "2\tmaps\t2006-03-01 11:00:00\t\t\n"
                              "2\tnews\t2006-03-01 10:00:00\t2\thttp://news.com\n"
                              "3\tmaps\t2006-03-02 10:00:00\t\t\n");
    free(data);
    assert_int_equal(counted(&r, "read"), N_ROWS);
    assert_int_equal(counted(&r, "published"), N_ROWS);
    assert_int_equal(counted(&r, "suppressed"), 0);
    assert_true(lethe_json_bool(lethe_json_get(lethe_json_get(r.report, "verdict"), "holds")));
    const lethe_json *caveats = lethe_json_get(r.report, "caveats"); // those of options come first
    lethe_str last = lethe_json_text(lethe_json_at(caveats, lethe_json_count(caveats) - 1));
    assert_true(lethe_str_eq(last, LETHE_LIT("This method is a test.")));
    assert_string_equal(g_names(g), "log.tsv release");
    lethe_json_doc_free(r.doc);
}

/* `verify` knows the caveats of a run by the methods' tables: there may be no other. */
static void only_declared_caveats_are_added(void **state)
{
    ground *g = *state;
    steps s = {0};
    refused(g, &surprise, "t=1", LETHE_EINTERNAL, "a caveat that it does not declare");
    s_add(&s, &warner, "t=1");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    assert_true(lethe_json_has_text(lethe_json_get(r.report, "caveats"), one_found[0]));
    lethe_json_doc_free(r.doc);
}

/* A library's user who sets nothing gets the coarse release. */
static void what_is_not_asked_for_is_coarse(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    steps s = {0};
    s_add(&s, &passer, "t=1");
    lethe_ctx *ctx = g_ctx(g, 1);
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing = (lethe_publish_options){0};
    ran r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_OK);
    char *data = g_data(g);
    assert_null(strstr(data, "\n1\t")); // users
    assert_null(strstr(data, "10:00")); // times
    assert_non_null(strstr(data, "\tmaps\t2006-03-01\t1\tmaps.com\n"));
    free(data);
    lethe_json_doc_free(r.doc);
    lethe_ctx_free(ctx);
}

static lethe_err unreadable(void *user, const lethe_json *report)
{
    *(int64_t *)user = lethe_json_int(lethe_json_get(lethe_json_get(report, "counts"), "read"));
    return LETHE_EIO;
}

static void a_report_that_cannot_be_read_holds_the_release_back(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    int64_t n_read = 0;
    steps s = {0};
    s_add(&s, &passer, "t=1");
    lethe_ctx *ctx = g_ctx(g, 1);
    lethe_release_job job = g_job(g, &s, inputs);
    job.on_report = unreadable;
    job.user = &n_read;
    ran r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_EIO);
    assert_int_equal(n_read, N_ROWS);
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(r.doc);
    lethe_ctx_free(ctx);
}

static void a_lie_is_found_in_the_written_bytes(void **state)
{
    ground *g = *state;
    refused(g, &passer, "t=2", LETHE_ANSWER_NO,
            "the written data does not keep the promise query-threshold");
    refused(g, &passer, "t=5", LETHE_ANSWER_NO,
            "the written data does not keep the promise query-threshold");
    assert_null(strstr(g->said, "ann")); // raw data stays out of messages
}

static void what_claims_nothing_is_no_release(void **state)
{
    refused(*state, &silent, "", LETHE_ANSWER_NO, NULL);
}

static void a_notion_that_nobody_can_check_is_not_kept(void **state)
{
    refused(*state, &boaster, "", LETHE_ANSWER_NO, "perfect-safety");
}

static void rows_that_vanish_are_noticed(void **state)
{
    ground *g = *state;
    refused(g, &loser, "at=0", LETHE_EINTERNAL, "8 lines were read but 7 are accounted for");
    refused(g, &loser, "at=7", LETHE_EINTERNAL, "8 lines were read but 7 are accounted for");
    refused(g, &doubler, "at=3", LETHE_EINTERNAL, "8 lines were read but 9 are accounted for");
    refused(g, &nothing_left, "", LETHE_ANSWER_NO, "nothing is left to publish");
}

static void rows_that_are_dropped_are_counted(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &dropper, "at=2");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    assert_int_equal(counted(&r, "published"), N_ROWS - 1);
    assert_int_equal(counted(&r, "suppressed"), 1);
    lethe_json_doc_free(r.doc);
}

/* --- rows that are drawn --- */

/* Published in the counts' sense are lines of the log; how many rows there are is another thing. */
static void lines_behind_drawn_rows_are_counted(void **state)
{
    ground *g = *state;
    static const struct {
        const char *how;
        int kept;
    } cases[] = {{"at=0", 8}, {"at=3", 5}, {"at=7", 1}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        steps s = {0};
        s_add(&s, &sampler, cases[i].how);
        ran r = run_steps(g, &s, 1 + 3 * (unsigned)i);
        assert_int_equal(r.e, LETHE_OK);
        assert_int_equal(counted(&r, "read"), N_ROWS);
        assert_int_equal(counted(&r, "published"), cases[i].kept);
        assert_int_equal(counted(&r, "suppressed"), N_ROWS - cases[i].kept);
        char *data = g_data(g);
        int lines = 0;
        for (const char *p = data; *p; p++)
            lines += *p == '\n';
        assert_int_equal(lines, 1 + 2 * cases[i].kept);
        free(data);
        lethe_json_doc_free(r.doc);
        g_remove(g->out);
    }
}

static void lines_that_are_neither_kept_nor_dropped_are_noticed(void **state)
{
    ground *g = *state;
    refused(g, &forgetter, "at=0", LETHE_EINTERNAL, "8 lines were read but 7 are accounted for");
    refused(g, &forgetter, "at=7", LETHE_EINTERNAL, "8 lines were read but 7 are accounted for");
    refused(g, &recounter, "at=4", LETHE_EINTERNAL, "8 lines were read but 9 are accounted for");
    refused(g, &pretender, "", LETHE_ANSWER_NO, "nothing is left to publish");
    refused(g, &sampler, "at=8", LETHE_ANSWER_NO, "nothing is left to publish");
    refused(g, &sampler, "t=4", LETHE_ANSWER_NO, NULL); // and what is promised is checked
}

/* Nothing follows, for its rows are no lines any more; but it may follow others. */
static void what_draws_is_the_last_step(void **state)
{
    ground *g = *state;
    for (int last = 0; last < 2; last++) {
        steps s = {0};
        s_add(&s, last ? &passer : &sampler, "at=0");
        s_add(&s, last ? &sampler : &passer, "at=0");
        g->said[0] = '\0';
        ran r = run_steps(g, &s, 2);
        assert_int_equal(r.e, last ? LETHE_OK : LETHE_EUSAGE);
        if (!last)
            assert_non_null(
                strstr(g->said, "passer cannot follow sampler: sampler must be the last step"));
        assert_string_equal(g_names(g), last ? "log.tsv release" : "log.tsv");
        lethe_json_doc_free(r.doc);
    }
}

/* What is refused by verify, where the manifest has `text` in place of `rows_out`. */
static void verify_says(ground *g, const char *text, lethe_err want)
{
    char path[400];
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    snprintf(path, sizeof path, "%s/manifest.json", g->out);
    char *manifest = g_read(path), *at = strstr(manifest, "\"rows_out\":"), *end;
    assert_non_null(at);
    end = at + strcspn(at, "\n");
    char *changed = malloc(strlen(manifest) + 64);
    sprintf(changed, "%.*s%s%s", (int)(at - manifest), manifest, text, end);
    if (*text) g_write(path, changed);
    lethe_ctx *ctx = g_ctx(g, 2);
    g->said[0] = '\0';
    lethe_err e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
    if (e != want) fail_msg("'%s': %s: %s", text, lethe_err_name(e), g->said);
    g_write(path, manifest);
    free(manifest);
    free(changed);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void verify_compares_the_rows_that_were_drawn(void **state)
{
    ground *g = *state;
    char directory[300], how[400];
    steps s = {0};
    snprintf(directory, sizeof directory, "%s/directory.tsv", g->dir);
    g_write(directory, "maps\tReference/Maps\nnews\tNews\n");
    snprintf(how, sizeof how, "k=2 list=paper min-users=2 directory=%s", directory);
    s_add(&s, &lethe_method_microagg, how);
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.has_seed = true; // what is drawn without one may be nothing, or as many rows as
    job.publishing.seed = 1;        // there are lines
    ran r = run_job(ctx, &job);
    lethe_ctx_free(ctx);
    assert_int_equal(r.e, LETHE_OK);
    const lethe_json *out = lethe_json_get(lethe_json_get(r.report, "metrics"), "rows_out");
    int64_t rows = lethe_json_int(out);
    assert_true(rows > 0 && rows != counted(&r, "published")); // else this would test nothing
    char text[64];
    verify_says(g, "", LETHE_OK);
    snprintf(text, sizeof text, "\"rows_out\": %d", (int)rows);
    verify_says(g, text, LETHE_OK);
    snprintf(text, sizeof text, "\"rows_out\": %d", (int)rows + 1);
    verify_says(g, text, LETHE_ANSWER_NO);
    snprintf(text, sizeof text, "\"rows_out\": %d", (int)counted(&r, "published"));
    verify_says(g, text, LETHE_ANSWER_NO);
    snprintf(text, sizeof text, "\"rows_out\": %d.0", (int)rows);
    verify_says(g, text, LETHE_ANSWER_NO);
    verify_says(g, "\"rows_there\": 3", LETHE_ANSWER_NO);
    verify_says(g, "\"rows_out\": null", LETHE_ANSWER_NO);
    lethe_json_doc_free(r.doc);
}

/* Every query has as many users as rows in the published bytes, and the checker of the bytes is
 * content; the owners tell. */
static void personas_do_not_count_as_persons(void **state)
{
    ground *g = *state;
    refused(g, &renamer, "t=2", LETHE_ANSWER_NO,
            "query-threshold: a published query has 1 persons, not 2");
    steps s = {0};
    s_add(&s, &renamer, "t=1");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    char *data = g_data(g);
    assert_non_null(strstr(data, "p5\tann lee"));
    free(data);
    lethe_json_doc_free(r.doc);
}

/* The step that renames need not be the one that claims. */
static void a_claim_after_renaming_counts_persons_too(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &secret_renamer, "");
    s_add(&s, &passer, "t=3");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_ANSWER_NO);
    assert_non_null(strstr(g->said, "persons"));
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(r.doc);
}

/* threshold asks for persons itself, so that with it the chain is sound. */
static void threshold_after_renaming_counts_persons(void **state)
{
    ground *g = *state;
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        steps s = {0};
        s_add(&s, &secret_renamer, "");
        s_add(&s, &lethe_method_threshold, "t=2 clicks=all");
        ran r = run_steps(g, &s, threads[i]);
        assert_int_equal(r.e, LETHE_OK);
        char *data = g_data(g);
        assert_string_equal(data, "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
                                  "p0\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                                  "p1\tmaps\t2006-03-01 11:00:00\t\t\n"
                                  "p2\tmaps\t2006-03-02 10:00:00\t\t\n"
                                  "p3\tnews\t2006-03-01 10:00:00\t\t\n"
                                  "p4\tnews\t2006-03-01 10:00:00\t2\thttp://news.com\n");
        free(data);
        assert_int_equal(counted(&r, "suppressed"), 3);
        g_remove(g->out);
        lethe_json_doc_free(r.doc);
    }
}

static void a_chain_carries_all_claims(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &lethe_method_threshold, "t=2 clicks=all");
    s_add(&s, &dropper, "t=1 at=0");
    s_add(&s, &lethe_method_threshold, "t=2 by=rows clicks=all");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    char *claims = lethe_json_write(lethe_json_get(r.report, "claims"), 0, NULL);
    assert_string_equal(claims, "[{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\"},"
                                "{\"notion\":\"query-threshold\",\"t\":1,\"by\":\"users\"},"
                                "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"rows\"}]");
    lethe_json_text_free(claims);
    assert_int_equal(lethe_json_count(lethe_json_get(r.report, "steps")), 3);
    assert_int_equal(counted(&r, "published"), 4);
    assert_int_equal(counted(&r, "suppressed"), 4);
    lethe_json_doc_free(r.doc);
}

/* A later step that takes a text's users away breaks what an earlier one promised. */
static void a_later_step_can_break_an_earlier_claim(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &lethe_method_threshold, "t=2 clicks=all");
    s_add(&s, &dropper, "t=1 at=3"); // one of the two users of "news"
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_ANSWER_NO);
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(r.doc);
}

static void broken_columns_do_not_get_out(void **state)
{
    refused(*state, &spoiler, "t=1", LETHE_ANSWER_NO, NULL);
}

static void a_failing_method_leaves_nothing(void **state)
{
    refused(*state, &failer, "at=4", LETHE_EIO, NULL);
}

static void what_cannot_be_run_is_bad_usage(void **state)
{
    ground *g = *state;
    refused(g, &records_only, "", LETHE_EUSAGE,
            "records_only cannot be the first step: it needs records");
    refused(g, &validated, "", LETHE_EUSAGE, "do not go together");
    lethe_ctx *ctx = g_ctx(g, 1);
    const char *inputs[] = {g->log};
    steps s = {0};
    lethe_release_job none = g_job(g, &s, inputs);
    ran r = run_job(ctx, &none);
    assert_int_equal(r.e, LETHE_EUSAGE);
    lethe_json_doc_free(r.doc);
    lethe_ctx_free(ctx);
}

static void stopping_at_any_row_leaves_nothing(void **state)
{
    ground *g = *state;
    for (int at = 0; at < N_ROWS; at++) {
        char how[32];
        snprintf(how, sizeof how, "at=%d", at);
        refused(g, &canceller, how, LETHE_ECANCEL, NULL);
    }
}

static void stopping_before_it_begins_leaves_nothing(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    steps s = {0};
    s_add(&s, &passer, "");
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.map = g->map;
    lethe_ctx_cancel(ctx);
    ran r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_ECANCEL);
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(r.doc);
    lethe_ctx_free(ctx);
}

/* Stopped while an old release and its map are there: both stay as they were. */
static void stopping_keeps_the_old_release_and_map(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    steps s = {0}, stop = {0};
    s_add(&s, &passer, "");
    s_add(&stop, &canceller, "at=2");
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.map = g->map;
    job.publishing.force = true;
    ran r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_OK);
    lethe_json_doc_free(r.doc);
    char *data = g_data(g), *map = g_read(g->map);
    job.steps = stop.at;
    r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_ECANCEL);
    lethe_json_doc_free(r.doc);
    char *data_now = g_data(g), *map_now = g_read(g->map);
    assert_string_equal(data_now, data);
    assert_string_equal(map_now, map);
    assert_string_equal(g_names(g), "log.tsv map.tsv release");
    free(data), free(data_now), free(map), free(map_now);
    lethe_ctx_free(ctx);
}

static void the_context_can_be_used_again(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    steps good = {0}, bad = {0};
    s_add(&good, &passer, "");
    s_add(&bad, &passer, "t=5");
    for (int i = 0; i < 3; i++) {
        lethe_release_job job = g_job(g, i == 1 ? &bad : &good, inputs);
        job.publishing.force = true;
        ran r = run_job(ctx, &job);
        assert_int_equal(r.e, i == 1 ? LETHE_ANSWER_NO : LETHE_OK);
        assert_string_equal(lethe_ctx_spill_dir(ctx), g->dir); // back from beside the target
        assert_string_equal(g_names(g), "log.tsv release");
        lethe_json_doc_free(r.doc);
    }
    lethe_ctx_free(ctx);
}

/* --- maps and pseudonyms --- */

static void a_map_leads_back_from_every_persona(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    steps s = {0};
    struct stat st;
    s_add(&s, &renamer, "");
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.map = g->map;
    ran r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_OK);
    char *map = g_read_map(g);
    assert_string_equal(map, "1\tp0\n1\tp3\n1\tp5\n1\tp6\n1\tp7\n2\tp1\n2\tp4\n3\tp2\n");
    assert_int_equal(stat(g->map, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    free(map);
    lethe_json_doc_free(r.doc);
    lethe_ctx_free(ctx);
}

static void a_map_does_not_outlive_a_failed_run(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    steps s = {0};
    s_add(&s, &passer, "t=5");
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.map = g->map;
    ran r = run_job(ctx, &job);
    assert_int_equal(r.e, LETHE_ANSWER_NO);
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(r.doc);
    lethe_ctx_free(ctx);
}

/* Found at the very end, when the map is already there: it goes again, and what appeared stays. */
static void a_target_that_appears_meanwhile_is_not_touched(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    char inside[320];
    struct stat st;
    for (int is_map = 0; is_map < 2; is_map++) {
        lethe_ctx *ctx = g_ctx(g, 2);
        steps s = {0};
        s_add(&s, &apparition, "at=1");
        lethe_release_job job = g_job(g, &s, inputs);
        job.publishing.map = g->map;
        appearing = is_map ? g->map : g->out;
        ran r = run_job(ctx, &job);
        assert_int_equal(r.e, LETHE_EUSAGE);
        assert_string_equal(g_names(g), is_map ? "log.tsv map.tsv" : "log.tsv release");
        snprintf(inside, sizeof inside, "%s/data.tsv", appearing);
        assert_int_equal(stat(inside, &st), -1);
        assert_int_equal(rmdir(appearing), 0);
        lethe_json_doc_free(r.doc);
        lethe_ctx_free(ctx);
    }
}

static void a_map_inside_the_release_is_refused(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    static const char *const places[] = {
        "release/map.tsv",      "release",         "release/", "./release/map.tsv",
        "release/deep/map.tsv", "release//map.tsv"};
    for (int exists = 0; exists < 2; exists++) {
        for (size_t i = 0; i < LETHE_COUNT(places); i++) {
            char map[400];
            lethe_ctx *ctx = g_ctx(g, 1);
            steps s = {0};
            s_add(&s, &passer, "");
            lethe_release_job job = g_job(g, &s, inputs);
            snprintf(map, sizeof map, "%s/%s", g->dir, places[i]);
            job.publishing.map = map;
            job.publishing.force = true;
            ran r = run_job(ctx, &job);
            if (r.e != LETHE_EUSAGE) fail_msg("%s, %d: %s", places[i], exists, lethe_err_name(r.e));
            assert_string_equal(g_names(g), exists ? "log.tsv release" : "log.tsv");
            lethe_json_doc_free(r.doc);
            lethe_ctx_free(ctx);
        }
        if (!exists) assert_int_equal(mkdir(g->out, 0700), 0);
    }
}

static char *first_field(const char *data, int line)
{
    while (line-- > 0)
        data = strchr(data, '\n') + 1;
    return strndup(data, strcspn(data, "\t"));
}

static void pseudonyms_follow_the_key(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    char *names[4];
    lethe_ctx *ctx = g_ctx(g, 2);
    assert_int_equal(lethe_key_new(ctx, g->key, false), LETHE_OK);
    for (int i = 0; i < 4; i++) { // twice with the key, twice without
        steps s = {0};
        s_add(&s, &passer, "");
        lethe_release_job job = g_job(g, &s, inputs);
        job.publishing.keep_users = false;
        job.publishing.key_file = i < 2 ? g->key : NULL;
        job.publishing.force = true;
        ran r = run_job(ctx, &job);
        assert_int_equal(r.e, LETHE_OK);
        char *data = g_data(g);
        names[i] = first_field(data, 1);
        assert_int_equal(strlen(names[i]), 16);
        assert_int_equal(strspn(names[i], "abcdefghijklmnopqrstuvwxyz234567"), 16);
        free(data);
        lethe_json_doc_free(r.doc);
    }
    assert_true(strcmp(names[2], names[3]) != 0);
    for (int i = 0; i < 4; i++)
        free(names[i]);
    lethe_ctx_free(ctx);
}

/* --- row by row, onto standard output --- */

/* Runs with standard output in a file; its bytes, malloc'd. */
static char *printed(ground *g, lethe_ctx *ctx, lethe_release_job *job, ran *r)
{
    char path[300];
    snprintf(path, sizeof path, "%s/printed", g->dir);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
    job->out = "-";
    *r = run_job(ctx, job);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
    close(fd);
    char *text = g_read(path);
    unlink(path);
    return text;
}

/* A log of several blocks, and what the row method above makes of it. */
static void long_log(ground *g, char **want, size_t n)
{
    size_t size;
    FILE *log = fopen(g->log, "w"), *f = open_memstream(want, &size);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (size_t i = 0; i < n; i++) {
        size_t user = i * 7919 % 1000, text = i * 104729 % 5000;
        fprintf(log, "%zu\ttext number %zu of a long log\t2006-03-01 10:00:%02zu\t\t\n", user, text,
                i % 60);
        if (i != 5)
            fprintf(f, "xx%zu\ttext number %zu of a long log\t2006-03-01 10:00:%02zu\t\t\n", user,
                    text, i % 60);
    }
    fclose(log);
    fclose(f);
}

static void row_methods_stream_in_the_order_of_the_input(void **state)
{
    ground *g = *state;
    static const unsigned threads[] = {1, 2, 7};
    const char *inputs[] = {g->log};
    char *want;
    long_log(g, &want, 60000);
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        lethe_ctx *ctx = g_ctx(g, threads[i]);
        steps s = {0};
        s_add(&s, &rower, "at=5");
        s_add(&s, &rower, "");
        lethe_release_job job = g_job(g, &s, inputs);
        ran r;
        char *got = printed(g, ctx, &job, &r);
        assert_int_equal(r.e, LETHE_OK);
        assert_true(strcmp(got, want) == 0);
        assert_int_equal(counted(&r, "read"), 60000);
        assert_int_equal(counted(&r, "published"), 59999);
        assert_int_equal(counted(&r, "suppressed"), 1);
        assert_true(lethe_json_bool(lethe_json_get(lethe_json_get(r.report, "metrics"), "ended")));
        assert_int_equal(rows_alive, 0);
        free(got);
        lethe_json_doc_free(r.doc);
        lethe_ctx_free(ctx);
    }
    free(want);
}

static void row_methods_go_into_folders_too(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &rower, "at=2");
    s_add(&s, &lethe_method_threshold, "t=2 clicks=all");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    char *data = g_data(g);
    assert_string_equal(data, "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
                              "x1\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                              "x1\tnews\t2006-03-01 10:00:00\t\t\n"
                              "x2\tmaps\t2006-03-01 11:00:00\t\t\n"
                              "x2\tnews\t2006-03-01 10:00:00\t2\thttp://news.com\n");
    free(data);
    assert_int_equal(rows_alive, 0);
    lethe_json_doc_free(r.doc);
    g_remove(g->out);
    refused(g, &rower, "t=2", LETHE_ANSWER_NO, NULL); // nobody else asks for "ann lee"
    assert_int_equal(rows_alive, 0);
}

static void streaming_that_fails_says_so(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    char *want;
    long_log(g, &want, 2000);
    free(want);
    for (int full = 0; full < 2; full++) {
        lethe_ctx *ctx = g_ctx(g, 2);
        steps s = {0};
        s_add(&s, &rower, "");
        lethe_release_job job = g_job(g, &s, inputs);
        job.out = "-";
        job.publishing.map = g->map;
        int kept = dup(STDOUT_FILENO), fd = open("/dev/full", O_WRONLY);
        assert_true(kept >= 0);
        if (fd < 0) skip();
        fflush(stdout);
        assert_true(dup2(fd, STDOUT_FILENO) >= 0);
        if (!full) lethe_ctx_cancel(ctx);
        ran r = run_job(ctx, &job);
        assert_true(dup2(kept, STDOUT_FILENO) >= 0);
        close(kept);
        close(fd);
        assert_int_equal(r.e, full ? LETHE_EIO : LETHE_ECANCEL);
        assert_string_equal(g_names(g), "log.tsv"); // and no map
        assert_int_equal(rows_alive, 0);
        lethe_json_doc_free(r.doc);
        lethe_ctx_free(ctx);
    }
}

/* What threshold prints is sorted and whole, or nothing. */
static void printing_is_all_or_nothing(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 2);
    for (int t = 3; t <= 4; t++) {
        steps s = {0};
        s_add(&s, &lethe_method_threshold, t == 3 ? "t=3 clicks=all" : "t=4 clicks=all");
        lethe_release_job job = g_job(g, &s, inputs);
        ran r;
        char *got = printed(g, ctx, &job, &r);
        assert_int_equal(r.e, t == 3 ? LETHE_OK : LETHE_ANSWER_NO);
        assert_string_equal(got, t == 3 ? "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
                                          "1\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                                          "2\tmaps\t2006-03-01 11:00:00\t\t\n"
                                          "3\tmaps\t2006-03-02 10:00:00\t\t\n"
                                        : "");
        free(got);
        lethe_json_doc_free(r.doc);
    }
    lethe_ctx_free(ctx);
}

/* --- lack of memory --- */

static lethe_err run_failing(ground *g, const lethe_method *second, uint64_t fail_at,
                             uint64_t *used)
{
    const char *inputs[] = {g->log};
    lethe_ctx *ctx = g_ctx(g, 1);
    steps s = {0};
    s_add(&s, &renamer, "t=1");
    s_add(&s, second, "t=2");
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.keep_users = false;
    job.publishing.urls = LETHE_URLS_HOST;
    job.publishing.map = g->map;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    uint64_t before = lethe_alloc_count();
    lethe_alloc_fail_at(fail_at);
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    lethe_alloc_fail_at(0);
    *used = lethe_alloc_count() - before;
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static void every_failing_allocation_leaves_nothing(void **state)
{
    ground *g = *state;
    uint64_t all, used;
    assert_int_equal(run_failing(g, &lethe_method_threshold, 0, &all), LETHE_OK);
    g_remove(g->out);
    unlink(g->map);
    for (uint64_t n = 1; n <= all; n++) {
        g->said[0] = '\0';
        lethe_err e = run_failing(g, &lethe_method_threshold, n, &used);
        if (e == LETHE_OK && n + 4 > all) { // what came after the release was out
            assert_string_equal(g_names(g), "log.tsv map.tsv release");
            g_remove(g->out);
            unlink(g->map);
            continue;
        }
        if (e != LETHE_ENOMEM)
            fail_msg("allocation %llu of %llu: %s: %s", (unsigned long long)n,
                     (unsigned long long)all, lethe_err_name(e), g->said);
        if (strcmp(g_names(g), "log.tsv") != 0)
            fail_msg("allocation %llu: left '%s'", (unsigned long long)n, g_names(g));
    }
    assert_true(all > 50);
}

static void verifying_without_memory_is_an_error(void **state)
{
    ground *g = *state;
    steps s = {0};
    s_add(&s, &lethe_method_threshold, "t=2");
    ran r = run_steps(g, &s, 2);
    assert_int_equal(r.e, LETHE_OK);
    lethe_json_doc_free(r.doc);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_ctx *ctx = g_ctx(g, 1);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        lethe_alloc_fail_at(n);
        e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK && e != LETHE_ENOMEM)
            fail_msg("allocation %llu: %s", (unsigned long long)n, lethe_err_name(e));
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
        assert_true(n < 10000);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        T(an_honest_method_is_released),
        T(only_declared_caveats_are_added),
        T(what_is_not_asked_for_is_coarse),
        T(a_report_that_cannot_be_read_holds_the_release_back),
        T(a_lie_is_found_in_the_written_bytes),
        T(what_claims_nothing_is_no_release),
        T(a_notion_that_nobody_can_check_is_not_kept),
        T(rows_that_vanish_are_noticed),
        T(rows_that_are_dropped_are_counted),
        T(lines_behind_drawn_rows_are_counted),
        T(lines_that_are_neither_kept_nor_dropped_are_noticed),
        T(what_draws_is_the_last_step),
        T(verify_compares_the_rows_that_were_drawn),
        T(personas_do_not_count_as_persons),
        T(a_claim_after_renaming_counts_persons_too),
        T(threshold_after_renaming_counts_persons),
        T(a_chain_carries_all_claims),
        T(a_later_step_can_break_an_earlier_claim),
        T(broken_columns_do_not_get_out),
        T(a_failing_method_leaves_nothing),
        T(what_cannot_be_run_is_bad_usage),
        T(stopping_at_any_row_leaves_nothing),
        T(stopping_before_it_begins_leaves_nothing),
        T(stopping_keeps_the_old_release_and_map),
        T(the_context_can_be_used_again),
        T(a_map_leads_back_from_every_persona),
        T(a_map_does_not_outlive_a_failed_run),
        T(a_target_that_appears_meanwhile_is_not_touched),
        T(a_map_inside_the_release_is_refused),
        T(pseudonyms_follow_the_key),
        T(row_methods_stream_in_the_order_of_the_input),
        T(row_methods_go_into_folders_too),
        T(streaming_that_fails_says_so),
        T(printing_is_all_or_nothing),
        T(every_failing_allocation_leaves_nothing),
        T(verifying_without_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
