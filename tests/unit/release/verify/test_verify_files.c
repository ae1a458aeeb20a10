/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a manifest may name, which a folder may hold, and which claims fit them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/json/json.h"
#include "release/release.h"
#include "release_harness.h"

static const char log_text[] = "1\tmaps\t2006-03-01 10:00:00\t\t\n"
                               "2\tmaps\t2006-03-01 11:00:00\t\t\n";

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

static void release_make(ground *g)
{
    const char *inputs[] = {g->log};
    steps s = {0};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_ctx *ctx = g_ctx(g, 2);
    s_add(&s, &lethe_method_threshold, "t=2");
    lethe_release_job job = g_job(g, &s, inputs);
    assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_OK);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static lethe_err verify(ground *g)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_ctx *ctx = g_ctx(g, 2);
    g->said[0] = '\0';
    lethe_err e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static const char *in_release(const ground *g, const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", g->out, name);
    return path;
}

/* Puts `text` before the first occurrence of `place` in the manifest; the old text, malloc'd. */
static char *manifest_insert(ground *g, const char *place, const char *text)
{
    char *manifest = g_read(in_release(g, "manifest.json")), *at = strstr(manifest, place);
    assert_non_null(at);
    char *changed = malloc(strlen(manifest) + strlen(text) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - manifest), manifest, text, at);
    g_write(in_release(g, "manifest.json"), changed);
    free(changed);
    return manifest;
}

#define FILE_OF(name, more)                                                                        \
    "{\"name\": \"" name "\", \"bytes\": 1, \"blake2b\": "                                         \
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"" more "}, "

/* Beside its data file, which is named as it should be. */
static void a_manifest_names_files_of_a_release_alone(void **state)
{
    ground *g = *state;
    static const struct {
        const char *file, *said;
    } bad[] = {
        {FILE_OF("../log.tsv", ""), "it names a file that no release holds"},
        {FILE_OF("/etc/passwd", ""), "it names a file that no release holds"},
        {FILE_OF("manifest.json", ""), "it names a file that no release holds"},
        {FILE_OF("a name that is far longer than that of any file of a release", ""),
         "it names a file that no release holds"},
        {FILE_OF("data.tsv", ""), "it names a file twice"},
        {FILE_OF("report.html", ", \"mode\": 7"), "a file has unknown members"},
    };
    release_make(g);
    assert_int_equal(verify(g), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        char *manifest = manifest_insert(g, "{\n      \"name\": \"data.tsv\"", bad[i].file);
        assert_int_equal(verify(g), LETHE_EINPUT);
        if (!strstr(g->said, bad[i].said)) fail_msg("%s: '%s'", bad[i].file, g->said);
        g_write(in_release(g, "manifest.json"), manifest);
        free(manifest);
    }
    assert_int_equal(verify(g), LETHE_OK);
}

static void a_folder_holds_no_other_file(void **state)
{
    ground *g = *state;
    static const char *const strangers[] = {"manifest.json~", "manifest",    "notes.txt",
                                            "data.tsv.bak",   "report.html", ".hidden"};
    release_make(g);
    for (size_t i = 0; i < LETHE_COUNT(strangers); i++) {
        g_write(in_release(g, strangers[i]), "x\n");
        assert_int_equal(verify(g), LETHE_ANSWER_NO);
        if (!strstr(g->said, strangers[i])) fail_msg("%s: '%s'", strangers[i], g->said);
        assert_int_equal(unlink(in_release(g, strangers[i])), 0);
    }
    assert_int_equal(verify(g), LETHE_OK);
}

/* A claim about records says nothing of a log, even where a file of records lies beside it. */
static void a_notion_must_fit_the_data(void **state)
{
    ground *g = *state;
    lethe_json_doc *in = NULL, *doc = lethe_json_doc_new();
    lethe_json *claims = NULL, *verdict = NULL;
    lethe_ctx *ctx = g_ctx(g, 1);
    assert_int_equal(mkdir(g->out, 0700), 0);
    g_write(in_release(g, "data.txt"), "milk\nmilk\n");
    int dirfd = open(g->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(lethe_json_parse(NULL, "claims",
                                      LETHE_LIT("[{\"notion\":\"record-k-anonymity\",\"k\":2}]"),
                                      &in, &claims),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
    assert_int_equal(lethe_claims_check(&p, claims, NULL, doc, &verdict), LETHE_OK);
    p = (lethe_published){.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    assert_int_equal(lethe_claims_check(&p, claims, NULL, doc, &verdict), LETHE_ANSWER_NO);
    char *text = lethe_json_write(verdict, 0, NULL);
    assert_non_null(strstr(text, "the notion does not fit the data"));
    lethe_json_text_free(text);
    close(dirfd);
    lethe_json_doc_free(in);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_manifest_names_files_of_a_release_alone),
        T(a_folder_holds_no_other_file),
        T(a_notion_must_fit_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
