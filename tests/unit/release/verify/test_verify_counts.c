/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of a log, a sealed log and a table whose manifest counts other rows than there are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/json/json.h"
#include "release/release.h"
#include "release_harness.h"

/* Two users of each text, one of "ann lee": 4 rows are published by threshold, 5 sealed. */
static const char log_text[] = "1\tmaps\t2006-03-01 10:00:00\t\t\n"
                               "2\tmaps\t2006-03-01 11:00:00\t\t\n"
                               "1\tnews\t2006-03-01 10:00:00\t\t\n"
                               "2\tnews\t2006-03-01 10:00:00\t\t\n"
                               "1\tann lee\t2006-03-01 10:00:00\t\t\n";

static const char add_up[] = "the manifest's counts do not add up";
static const char other_rows[] = "the data does not have as many rows as the manifest says";

static const char table_text[] = "zip,ill\n1050,flu\n1050,cold\n1060,flu\n1060,hiv\n";

static void release_make(ground *g, const char *text, const lethe_method *method, const char *how)
{
    const char *inputs[] = {g->log};
    steps s = {0};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_ctx *ctx = g_ctx(g, 2);
    g_write(g->log, text);
    s_add(&s, method, how);
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.has_seed =
        true; // no page either: it shows the counts, and would be refused first
    assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_OK);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void verify_says(ground *g, const char *changed, lethe_err want, const char *said)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_ctx *ctx = g_ctx(g, 2);
    g->said[0] = '\0';
    lethe_err e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
    if (e != want || (said && !strstr(g->said, said)))
        fail_msg("%s: %s, '%s'", changed, lethe_err_name(e), g->said);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* Verifies the release with the manifest's text from `begin` to `end` replaced. */
static void replaced_says(ground *g, char *manifest, const char *begin, const char *end,
                          const char *text, lethe_err want, const char *said)
{
    char path[400];
    snprintf(path, sizeof path, "%s/manifest.json", g->out);
    char *changed = malloc(strlen(manifest) + strlen(text) + 1);
    sprintf(changed, "%.*s%s%s", (int)(begin - manifest), manifest, text, end);
    g_write(path, changed);
    verify_says(g, text, want, said);
    g_write(path, manifest);
    free(changed);
    free(manifest);
}

static char *manifest_of(const ground *g)
{
    char path[400];
    snprintf(path, sizeof path, "%s/manifest.json", g->out);
    return g_read(path);
}

/* With this text inside the braces of the manifest's counts. */
static void counts_say(ground *g, const char *text, lethe_err want, const char *said)
{
    char *manifest = manifest_of(g), *begin = strstr(manifest, "\"counts\": {");
    assert_non_null(begin);
    begin += strlen("\"counts\": {");
    replaced_says(g, manifest, begin, strchr(begin, '}'), text, want, said);
}

static void manifest_say(ground *g, const char *old, const char *text, lethe_err want,
                         const char *said)
{
    char *manifest = manifest_of(g), *begin = strstr(manifest, old);
    assert_non_null(begin);
    replaced_says(g, manifest, begin, begin + strlen(old), text, want, said);
}

#define COUNTS(read, published, suppressed, rejected)                                              \
    "\"read\": " read ", \"published\": " published ", \"suppressed\": " suppressed                \
    ", \"rejected\": " rejected

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

static void counts_of_a_log_must_add_up(void **state)
{
    ground *g = *state;
    release_make(g, log_text, &lethe_method_threshold, "t=2");
    counts_say(g, COUNTS("5", "4", "1", "0"), LETHE_OK, NULL);
    counts_say(g, COUNTS("6", "4", "1", "1"), LETHE_OK, NULL); // nobody can know what was rejected
    static const char *const wrong[] = {
        COUNTS("6", "4", "1", "0"),
        COUNTS("4", "4", "1", "0"),
        COUNTS("5", "4", "0", "0"),
        COUNTS("5", "4", "1", "1"),
        COUNTS("3", "4", "0", "0"),
        COUNTS("3", "4", "1", "-2"),
        COUNTS("5", "4", "2", "-1"),
        COUNTS("5", "4", "1", "0.0"),
        COUNTS("5", "4", "1", "null"),
        COUNTS("\"5\"", "4", "1", "0"),
        COUNTS("9223372036854775807", "4", "9223372036854775807", "4"),
        "\"read\": 5, \"published\": 4, \"suppressed\": 1",
        COUNTS("5", "4", "1", "0") ", \"hidden\": 7",
        "",
    };
    for (size_t i = 0; i < LETHE_COUNT(wrong); i++)
        counts_say(g, wrong[i], LETHE_ANSWER_NO, add_up);
}

static void counts_of_a_log_must_be_its_rows(void **state)
{
    ground *g = *state;
    release_make(g, log_text, &lethe_method_threshold, "t=2");
    counts_say(g, COUNTS("5", "3", "2", "0"), LETHE_ANSWER_NO, other_rows);
    counts_say(g, COUNTS("5", "5", "0", "0"), LETHE_ANSWER_NO, other_rows);
}

/* Its check counts the rows; the count must be that of the manifest, not only that of its figures.
 */
static void counts_of_a_sealed_log_must_be_its_rows(void **state)
{
    ground *g = *state;
    release_make(g, log_text, &lethe_method_seal, "t=2");
    counts_say(g, COUNTS("5", "5", "0", "0"), LETHE_OK, NULL);
    counts_say(g, COUNTS("5", "4", "1", "0"), LETHE_ANSWER_NO, other_rows);
    counts_say(g, COUNTS("6", "6", "0", "0"), LETHE_ANSWER_NO, other_rows);
    counts_say(g, COUNTS("6", "5", "0", "0"), LETHE_ANSWER_NO, add_up);
}

static void counts_of_a_table_must_be_its_rows(void **state)
{
    ground *g = *state;
    release_make(g, table_text, &lethe_method_incognito, "qi=zip k=2");
    counts_say(g, COUNTS("4", "4", "0", "0"), LETHE_OK, NULL);
    counts_say(g, COUNTS("4", "3", "1", "0"), LETHE_ANSWER_NO, other_rows);
    counts_say(g, COUNTS("5", "5", "0", "0"), LETHE_ANSWER_NO, other_rows);
}

/* A column that no parameter of the step names was never looked at. */
static void columns_of_a_table_must_be_those_of_its_step(void **state)
{
    ground *g = *state;
    static const char keep[] = "\"keep\": \"ill\",",
                      said[] = "the data does not have the columns that the manifest's step names";
    release_make(g, table_text, &lethe_method_incognito, "qi=zip k=2 keep=ill");
    manifest_say(g, keep, keep, LETHE_OK, NULL);
    manifest_say(g, keep, "", LETHE_ANSWER_NO, NULL); // by its caveat, already
    manifest_say(g, keep, "\"keep\": \"sick\",", LETHE_ANSWER_NO, said);
    manifest_say(g, keep, "\"keep\": \"ill,sick\",", LETHE_ANSWER_NO, said);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(counts_of_a_log_must_add_up),
        T(counts_of_a_log_must_be_its_rows),
        T(counts_of_a_sealed_log_must_be_its_rows),
        T(counts_of_a_table_must_be_its_rows),
        T(columns_of_a_table_must_be_those_of_its_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
