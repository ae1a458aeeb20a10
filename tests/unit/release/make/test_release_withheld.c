/* SPDX-License-Identifier: Apache-2.0 */
/* A run that fails or is stopped after the data was written: nothing appears, and what it tells has
 * no raw data in it. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/json/json.h"
#include "release/release.h"
#include "release_fakes.h"
#include "release_harness.h"

/* "ann lee" has one user. */
static const char log_text[] = "1\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                               "2\tmaps\t2006-03-01 11:00:00\t\t\n"
                               "1\tann lee\t2006-03-01 10:00:00\t\t\n";

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

/* The report as `--json` prints it; malloc'd. */
static char *report_text(const lethe_json *report)
{
    char *text = lethe_json_write(report, 2, NULL), *copy;
    assert_non_null(text);
    copy = strdup(text);
    lethe_json_text_free(text);
    return copy;
}

static void a_broken_promise_shows_no_raw_query(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    for (unsigned threads = 1; threads <= 2; threads++) {
        steps s = {0};
        s_add(&s, &passer, "t=1"); // kept
        s_add(&s, &passer, "t=2"); // broken, by "ann lee"
        lethe_ctx *ctx = g_ctx(g, threads);
        lethe_release_job job = g_job(g, &s, inputs);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_ANSWER_NO);
        char *text = report_text(report);
        assert_null(strstr(text, "ann"));
        assert_null(strstr(text, "counterexample"));
        assert_null(strstr(g->said, "ann"));
        free(text);
        const lethe_json *verdict = lethe_json_get(report, "verdict"),
                         *checks = lethe_json_get(verdict, "checks");
        assert_false(lethe_json_bool(lethe_json_get(verdict, "holds")));
        assert_int_equal(lethe_json_count(checks), 2);
        for (size_t i = 0; i < 2; i++) {
            const lethe_json *check = lethe_json_at(checks, i);
            assert_int_equal(lethe_json_int(lethe_json_get(check, "t")), (int)i + 1);
            assert_int_equal(lethe_json_bool(lethe_json_get(check, "holds")), i == 0);
        }
        assert_string_equal(g_names(g), "log.tsv");
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
}

/* What a signal handler does, at the last moment at which a caller can. */
static lethe_err stop(void *user, const lethe_json *report)
{
    (void)report;
    lethe_ctx_cancel(user);
    return LETHE_OK;
}

static void a_signal_after_the_checks_holds_the_release_back(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    for (int i = 0; i < 4; i++) { // with and without a map, and an older release in the same place
        bool old = i & 1, with_map = i & 2;
        steps s = {0};
        s_add(&s, &passer, "t=1");
        lethe_ctx *ctx = g_ctx(g, 2);
        lethe_release_job job = g_job(g, &s, inputs);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        if (with_map) job.publishing.map = g->map;
        job.publishing.force = true;
        if (old) assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_OK);
        char *data = g_data(g), *map = g_read(g->map);
        g_write(g->log, "9\tother\t2006-03-01 10:00:00\t\t\n");
        job.on_report = stop;
        job.user = ctx;
        assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_ECANCEL);
        assert_string_equal(g_names(g), !old       ? "log.tsv"
                                        : with_map ? "log.tsv map.tsv release"
                                                   : "log.tsv release");
        char *data_now = g_data(g), *map_now = g_read(g->map);
        if (old) assert_string_equal(data_now, data);
        if (old && with_map) assert_string_equal(map_now, map);
        free(data), free(map), free(data_now), free(map_now);
        g_write(g->log, log_text);
        g_remove(g->out);
        unlink(g->map);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
}

/* Draws rows, and says that no line of the log stands behind them. */
static lethe_err draw_row(faker *f, unsigned w, const lethe_row *row)
{
    f->out->drop(f->out, w, "not drawn", 1);
    return f->out->emit(f->out, w, row);
}
RUN(draw)
METHOD(drawer, run_draw, claim_threshold, .samples = true, .caveats = NULL);

static void rows_without_a_line_behind_them_are_no_release(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    steps s = {0};
    s_add(&s, &drawer, "t=1");
    lethe_ctx *ctx = g_ctx(g, 2);
    lethe_release_job job = g_job(g, &s, inputs);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_ANSWER_NO);
    assert_non_null(strstr(g->said, "nothing is left to publish"));
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_broken_promise_shows_no_raw_query),
        T(a_signal_after_the_checks_holds_the_release_back),
        T(rows_without_a_line_behind_them_are_no_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
