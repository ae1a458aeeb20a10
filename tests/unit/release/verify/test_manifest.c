/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest, byte by byte: what is read as one, and what its steps promise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/json/json.h"
#include "release/release.h"
#include "release_harness.h"

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

#define FILES                                                                                      \
    "\"files\":[{\"name\":\"data.tsv\",\"bytes\":1,\"blake2b\":"                                   \
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]"
#define BEFORE VERSION("0.1.0")
#define VERSION(version)                                                                           \
    "{\"lethe\":\"" version "\",\"steps\":[{\"command\":\"threshold\",\"parameters\":{\"t\":3}}]," \
    "\"claims\":[],"
#define AFTER ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[]}"

static lethe_err read_manifest(ground *g, const char *text)
{
    char path[300];
    lethe_json_doc *doc = NULL;
    lethe_json *m = NULL;
    snprintf(path, sizeof path, "%s/manifest.json", g->dir);
    g_write(path, text);
    int fd = open(g->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    lethe_err e = lethe_manifest_read(NULL, fd, &doc, &m);
    if (e == LETHE_OK) assert_int_equal(lethe_manifest_shape(m), LETHE_SHAPE_LOG);
    if (e != LETHE_OK) assert_true(!doc && !m);
    lethe_json_doc_free(doc);
    close(fd);
    return e;
}

static void only_a_manifest_is_read_as_one(void **state)
{
    ground *g = *state;
    static const char *const bad[] = {
        "",
        "[]",
        "null",
        "{}",
        "not JSON",
        BEFORE FILES,
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{}}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":{}}",
        BEFORE FILES ",\"counts\":[],\"metrics\":{},\"verdict\":{},\"caveats\":[]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[],\"seed\":7}",
        BEFORE FILES ",\"counts\":{},\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[]}",
        BEFORE FILES AFTER "x",
        BEFORE "\"files\":[]" AFTER,
        BEFORE "\"files\":[{}]" AFTER,
        BEFORE "\"files\":[7]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\",\"bytes\":1,\"blake2b\":\"01\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\",\"bytes\":\"1\",\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"../"
               "data.tsv\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"/etc/"
               "passwd\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"manifest.json\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\\u0000\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\",\"bytes\":-1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\",\"bytes\":1,\"blake2b\":"
               "\"0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdeg0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
        BEFORE "\"files\":[{\"name\":\"data.tsv\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0\"}]" AFTER,
        BEFORE FILES
        ",\"counts\":{\"read\\u0000\":1},\"metrics\":{},\"verdict\":{},\"caveats\":[]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{\"a\":[{\"b\":\"c\\u0000\"}]},\"verdict\":{},"
                     "\"caveats\":[]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[7]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[\"\"]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[\"a\\u001b\"]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[\"a\\u007f\"]}",
        BEFORE FILES ",\"counts\":{},\"metrics\":{},\"verdict\":{},\"caveats\":[\"a\\u009b\"]}",
        VERSION("") FILES AFTER,
        VERSION("0.2.0 ") FILES AFTER,
        VERSION("0.2.0\\u0000") FILES AFTER,
        VERSION("012345678901234567890123456789012") FILES AFTER,
        BEFORE "\"files\":[{\"name\":\"report.html\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
    };
    assert_int_equal(read_manifest(g, BEFORE FILES AFTER), LETHE_OK);
    assert_int_equal(read_manifest(g, VERSION("1.0.0-rc1+deb") FILES AFTER), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        if (read_manifest(g, bad[i]) != LETHE_EINPUT) fail_msg("read: %s", bad[i]);
}

#define ENTRY(name, bytes)                                                                         \
    "{\"name\":\"" name "\",\"bytes\":" bytes ",\"blake2b\":"                                      \
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}"
#define PART(i) ENTRY("part-0000" i ".tsv", "7")
#define LISTED(entries) BEFORE "\"files\":[" entries "]" AFTER

static void parts_come_first_and_in_order(void **state)
{
    ground *g = *state;
    static const char *const good[] = {
        LISTED(PART("0")),
        LISTED(PART("0") "," PART("1") "," PART("2")),
        LISTED(PART("0") "," PART("1") "," ENTRY("report.html", "0")),
    };
    static const char *const bad[] = {
        LISTED(PART("1")),
        LISTED(PART("0") "," PART("2")),
        LISTED(PART("1") "," PART("0")),
        LISTED(PART("0") "," PART("0")),
        LISTED(PART("0") "," ENTRY("part-00001.csv", "7")),
        LISTED(PART("0") "," ENTRY("part-00000.csv", "7")),
        LISTED(PART("0") "," ENTRY("part-000001.tsv", "7")),
        LISTED(ENTRY("part-00000.gz", "7")),
        LISTED(ENTRY("part-0000.tsv", "7")),
        LISTED(PART("0") "," ENTRY("data.tsv", "7")),
        LISTED(ENTRY("data.tsv", "7") "," PART("0")),
        LISTED(PART("0") "," ENTRY("data.txt", "7")),
        LISTED(PART("0") "," ENTRY("counts.tsv", "7")),
        LISTED(PART("0") "," ENTRY("ubi.ndjson", "7")),
        LISTED(ENTRY("report.html", "7") "," PART("0")),
        LISTED(PART("0") "," ENTRY("report.html", "7") "," PART("1")),
        LISTED(PART("0") "," ENTRY("report.html", "7") "," ENTRY("report.html", "7")),
        LISTED(ENTRY("part-00000.tsv", "0")),
        LISTED(ENTRY("part-00000.tsv", "-1")),
        LISTED(ENTRY("part-00000.tsv", "\"7\"")),
        LISTED(PART("0") "," ENTRY("part-00001.tsv", "0")),
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++)
        if (read_manifest(g, good[i]) != LETHE_OK) fail_msg("not read: %s", good[i]);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        if (read_manifest(g, bad[i]) != LETHE_EINPUT) fail_msg("read: %s", bad[i]);
}

static void names_of_release_files(void **state)
{
    (void)state;
    static const char *const good[] = {"manifest.json",  "data.tsv",       "data.csv",
                                       "part-00000.tsv", "part-99999.txt", "part-00001.csv"};
    static const char *const bad[] = {"part-100000.tsv", "part-0.tsv", "part-00000.parquet",
                                      "part-00000",      "data.gz",    ".part-00000.tsv.crc"};
    for (size_t i = 0; i < LETHE_COUNT(good); i++)
        assert_true(lethe_is_release_file(good[i]));
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_false(lethe_is_release_file(bad[i]));
}

/* What a manifest's steps promise. */
static lethe_err promised(const char *steps_text, char **out)
{
    char text[1024];
    lethe_json_doc *in, *doc = lethe_json_doc_new();
    lethe_json *m, *claims = NULL;
    snprintf(text, sizeof text, "{\"steps\":%s}", steps_text);
    assert_int_equal(lethe_json_parse(NULL, NULL, lethe_str_of(text), &in, &m), LETHE_OK);
    lethe_err e = lethe_manifest_claims(NULL, m, doc, &claims);
    *out = e == LETHE_OK ? lethe_json_write(claims, 0, NULL) : NULL;
    lethe_json_doc_free(in);
    lethe_json_doc_free(doc);
    return e;
}

/* Parameters of threshold as lethe writes them: those of one step, of the first and of the last. */
#define THRESHOLD(t, by, rare, more)                                                               \
    "{\"command\":\"threshold\",\"parameters\":{\"t\":" t ",\"by\":\"" by "\",\"rare\":\"" rare    \
    "\",\"same\":\"words\",\"as\":\"log\",\"clicks\":\"all\"" more "}}"
#define PUBLISHED ",\"keep-users\":false,\"time\":\"day\",\"urls\":\"host\""

static void claims_follow_from_steps(void **state)
{
    (void)state;
    static const struct {
        const char *steps_text, *claims;
    } good[] = {
        {"[" THRESHOLD("5", "users", "drop", PUBLISHED) "]",
         "[{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\"}]"},
        {"[" THRESHOLD("3", "rows", "hash", ",\"users-with\":[1,2]" PUBLISHED) "]",
         "[{\"notion\":\"query-threshold\",\"t\":3,\"by\":\"rows\",\"rare\":\"hash\"}]"},
        {"[" THRESHOLD("2", "users", "drop",
                       ",\"users-with\":[0]") "," THRESHOLD("3", "users", "drop", PUBLISHED) "]",
         "[{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\"},{\"notion\":\"query-"
         "threshold\",\"t\":3,\"by\":\"users\"}]"},
        {"[{\"command\":\"threshold\",\"parameters\":{\"t\":4,\"by\":\"queries\",\"rare\":"
         "\"drop\",\"same\":\"exact\",\"as\":\"counts\",\"clicks\":\"threshold\"}}]",
         "[{\"notion\":\"counted-threshold\",\"t\":4,\"by\":\"queries\"}]"},
        // of records, and with the owner's taxonomy: neither is told
        {"[{\"command\":\"og\",\"parameters\":{\"synonyms\":\"keep\",\"persons\":\"person\",\"k\":"
         "2,"
         "\"l\":1.0,\"m\":2,\"n\":0,\"sensitive-known\":0,\"strict\":false,\"alpha\":0.0,\"top-h\":"
         "1}}]",
         "[{\"notion\":\"kl-privacy\",\"k\":2,\"m\":2,\"n\":0,\"l\":1.0}]"},
        // a default is not an option that was given: -n 10 would not go with --scheme additive
        {"[{\"command\":\"seal\",\"parameters\":{\"t\":5,\"n\":10,\"scheme\":\"additive\","
         "\"keep-clicks\":false,\"keep-users\":false,\"time\":\"day\",\"urls\":\"drop\"}}]",
         "[{\"notion\":\"sealed\",\"t\":5,\"n\":5,\"scheme\":\"additive\",\"clicks\":false}]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char *claims;
        if (promised(good[i].steps_text, &claims) != LETHE_OK)
            fail_msg("refused: %s", good[i].steps_text);
        assert_string_equal(claims, good[i].claims);
        lethe_json_text_free(claims);
    }
}

static void forged_steps_promise_nothing(void **state)
{
    (void)state;
    static const char *const forged[] = {
        "[]",
        "[7]",
        "[null]",
        "[{}]",
        "[{\"command\":\"threshold\"}]",
        "[{\"command\":\"threshold\",\"parameters\":[]}]",
        "[{\"command\":\"threshold\",\"parameters\":{}}]",
        "[{\"command\":\"threshold\",\"parameters\":{},\"note\":\"x\"}]",
        "[{\"command\":\"thresholds\",\"parameters\":{}}]",
        "[{\"command\":\"threshold\\u0000\",\"parameters\":{}}]",
        "[{\"command\":7,\"parameters\":{}}]",
        "[{\"command\":\"verify\",\"parameters\":{}}]",
        "[" THRESHOLD("0", "users", "drop", PUBLISHED) "]",
        "[" THRESHOLD("\"3\"", "users", "drop", PUBLISHED) "]",
        "[" THRESHOLD("3.0", "users", "drop", PUBLISHED) "]",
        "[" THRESHOLD("\"many\"", "users", "drop", PUBLISHED) "]",
        "[" THRESHOLD("3", "persons", "drop", PUBLISHED) "]",
        "[" THRESHOLD("3", "users\\u0000x", "drop", PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", "") "]",
        "[" THRESHOLD("3", "users", "drop", ",\"seed\":7" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", PUBLISHED ",\"users-with\":[1,2]") "]",
        "[" THRESHOLD("3", "users", "drop", ",\"users-with\":\"1-2\"" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", ",\"users-with\":[]" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", ",\"users-with\":[1,2,3]" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", ",\"users-with\":[-1]" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", ",\"users-with\":[2,1]" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop", ",\"users-with\":[1.0]" PUBLISHED) "]",
        "[" THRESHOLD("3", "users", "drop",
                      ",\"keep-users\":\"no\",\"time\":\"day\",\"urls\":\"id\"") "]",
        "[" THRESHOLD("3", "users", "drop", ",\"keep-users\":true,\"time\":7,\"urls\":\"id\"") "]",
        "[" THRESHOLD("3", "users", "drop",
                      ",\"keep-users\":true,\"time\":\"year\",\"urls\":\"id\"") "]",
        // at the wrong step
        "[" THRESHOLD("2", "users", "drop", PUBLISHED) "," THRESHOLD("3", "users", "drop",
                                                                     PUBLISHED) "]",
        "[" THRESHOLD("2", "users", "drop", "") "," THRESHOLD("3", "users", "drop",
                                                              ",\"users-with\":[1]" PUBLISHED) "]",
        // what the program does not run
        "[{\"command\":\"og\",\"parameters\":{\"synonyms\":\"keep\",\"persons\":\"person\",\"k\":1,"
        "\"l\":1.0,\"m\":2,\"n\":0,\"sensitive-known\":0,\"strict\":false,\"alpha\":0.0,\"top-h\":"
        "1}}]",
        "[{\"command\":\"og\",\"parameters\":{\"synonyms\":\"keep\",\"persons\":\"person\",\"k\":2,"
        "\"l\":2.0,\"m\":2,\"n\":0,\"sensitive-known\":0,\"strict\":false,\"alpha\":0.0,\"top-h\":"
        "1}}]",
        "[{\"command\":\"og\",\"parameters\":{\"synonyms\":\"keep\",\"persons\":\"person\","
        "\"l\":1.0,\"m\":2,\"n\":0,\"sensitive-known\":0,\"strict\":false,\"alpha\":0.0,\"top-h\":"
        "1}}]",
        "[{\"command\":\"seal\",\"parameters\":{\"t\":5,\"n\":7,\"scheme\":\"additive\","
        "\"keep-clicks\":false,\"keep-users\":false,\"time\":\"day\",\"urls\":\"drop\"}}]",
        "[{\"command\":\"seal\",\"parameters\":{\"t\":5,\"n\":10,\"scheme\":\"additive\","
        "\"keep-clicks\":false,\"keep-users\":false,\"time\":\"day\",\"urls\":\"host\"}}]",
        "[{\"command\":\"seal\",\"parameters\":{\"t\":5,\"n\":10,\"scheme\":\"additive\","
        "\"keep-clicks\":false}}," THRESHOLD("3", "users", "drop", PUBLISHED) "]",
        "[" THRESHOLD("2", "users", "drop",
                      "") ",{\"command\":\"mm\",\"parameters\":{\"gap\":\"all\","
                          "\"clicked\":false,\"synonyms\":\"keep\",\"persons\":\"person\",\"k\":2,"
                          "\"h\":1.0,\"p\":1}}]",
    };
    for (size_t i = 0; i < LETHE_COUNT(forged); i++) {
        char *claims;
        if (promised(forged[i], &claims) != LETHE_EINPUT) fail_msg("taken: %s", forged[i]);
    }
}

/* By itself, as for a comparison with the original, a step is checked as in a manifest. */
static void a_step_that_cannot_run_is_not_read(void **state)
{
    (void)state;
    static const char *const numbers[] = {"2", "1"};
    for (size_t i = 0; i < LETHE_COUNT(numbers); i++) {
        char text[256];
        lethe_json_doc *in, *doc = lethe_json_doc_new();
        lethe_json *step;
        lethe_step out;
        lethe_arena *a = lethe_arena_new();
        snprintf(text, sizeof text,
                 "{\"command\":\"og\",\"parameters\":{\"synonyms\":\"keep\",\"persons\":\"person\","
                 "\"k\":%s,\"l\":1.0,\"m\":2,\"n\":0,\"sensitive-known\":0,\"strict\":false,"
                 "\"alpha\":0.0,\"top-h\":1}}",
                 numbers[i]);
        assert_int_equal(lethe_json_parse(NULL, NULL, lethe_str_of(text), &in, &step), LETHE_OK);
        assert_int_equal(lethe_step_read(NULL, a, step, doc, &out), i ? LETHE_EINPUT : LETHE_OK);
        lethe_arena_free(a);
        lethe_json_doc_free(in);
        lethe_json_doc_free(doc);
    }
}

/* --- caveats --- */

/* Whether the manifest of a scrub with these caveats warns enough, and how many are unknown. */
static bool warns_with(const char *caveats, size_t *n_unknown)
{
    char text[4096];
    bool warns = false;
    lethe_json_doc *in, *doc = lethe_json_doc_new();
    lethe_json *m, *unknown = NULL;
    snprintf(text, sizeof text,
             "{\"lethe\":\"9.9.9\",\"steps\":[{\"command\":\"scrub\",\"parameters\":{\"kinds\":"
             "\"ssn\",\"action\":\"drop\"" PUBLISHED "}}],\"caveats\":[%s]}",
             caveats);
    assert_int_equal(lethe_json_parse(NULL, NULL, lethe_str_of(text), &in, &m), LETHE_OK);
    assert_int_equal(lethe_manifest_warns(NULL, m, doc, &warns, &unknown), LETHE_OK);
    *n_unknown = lethe_json_count(unknown);
    lethe_json_doc_free(in);
    lethe_json_doc_free(doc);
    return warns;
}

/* What the steps demand is demanded of every version; what a run may add may be there; the rest is
 * unknown. */
static void caveats_are_demanded_possible_or_unknown(void **state)
{
    (void)state;
    char demanded[3000] = "", more[4000];
    size_t unknown = 0, n = 0;
    const lethe_method *scrub = NULL;
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        if (strcmp((*m)->name, "scrub") == 0) scrub = *m;
    assert_non_null(scrub);
    lethe_value at[8];
    lethe_values v;
    const char *texts[LETHE_WARNS_MAX];
    lethe_values_init(&v, scrub->options, at);
    assert_int_equal(lethe_values_set(&v, 0, "ssn", NULL), LETHE_OK);
    for (const lethe_option *o = scrub->options; o->name; o++)
        if (strcmp(o->name, "action") == 0)
            assert_int_equal(lethe_values_set(&v, (size_t)(o - scrub->options), "drop", NULL),
                             LETHE_OK);
    for (const char *const *c = scrub->caveats; *c; c++, n++)
        snprintf(demanded + strlen(demanded), sizeof demanded - strlen(demanded), "%s\"%s\"",
                 n ? "," : "", *c);
    for (size_t i = 0, n_texts = scrub->warns(&v, texts); i < n_texts; i++, n++)
        snprintf(demanded + strlen(demanded), sizeof demanded - strlen(demanded), ",\"%s\"",
                 texts[i]);
    assert_true(n > 1 && warns_with(demanded, &unknown));
    assert_int_equal(unknown, 0);
    assert_false(warns_with("", &unknown));
    assert_int_equal(unknown, 0);
    assert_false(warns_with(strstr(demanded, "\",\"") + 2, &unknown)); // all but the first
    assert_int_equal(unknown, 0);

    static const struct {
        lethe_run_caveat which;
        size_t unknown;
    } run[] = {{LETHE_CAVEAT_SEED, 0},
               {LETHE_CAVEAT_KEY_FILE, 0},
               {LETHE_CAVEAT_OWN_LEAVES, 1},         // of records alone
               {LETHE_CAVEAT_NOTHING_SENSITIVE, 1}}; // the same
    for (size_t i = 0; i < LETHE_COUNT(run); i++) {
        snprintf(more, sizeof more, "\"%s\",%s", lethe_run_caveats[run[i].which], demanded);
        assert_true(warns_with(more, &unknown));
        assert_int_equal(unknown, run[i].unknown);
    }
    // that there was a list, which a manifest does not show
    assert_int_equal(lethe_values_set(&v, 1, "list", NULL), LETHE_OK);
    size_t n_texts = scrub->warns(&v, texts);
    snprintf(more, sizeof more, "%s,\"%s\"", demanded, texts[n_texts - 1]);
    assert_true(strncmp(texts[n_texts - 1], "--list", 6) == 0 && warns_with(more, &unknown));
    assert_int_equal(unknown, 0);
    snprintf(more, sizeof more, "\"Differentially private.\",%s,\"%s\"", demanded,
             scrub->caveats[0]); // made up, and twice
    assert_true(warns_with(more, &unknown));
    assert_int_equal(unknown, 2);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(only_a_manifest_is_read_as_one),
        T(parts_come_first_and_in_order),
        T(names_of_release_files),
        T(claims_follow_from_steps),
        T(forged_steps_promise_nothing),
        T(a_step_that_cannot_run_is_not_read),
        T(caveats_are_demanded_possible_or_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
