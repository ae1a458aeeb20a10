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
#define BEFORE                                                                                     \
    "{\"lethe\":\"0.1.0\",\"steps\":[{\"command\":\"threshold\",\"parameters\":{\"t\":3}}],"       \
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
        BEFORE "\"files\":[{\"name\":\"report.html\",\"bytes\":1,\"blake2b\":"
               "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]" AFTER,
    };
    assert_int_equal(read_manifest(g, BEFORE FILES AFTER), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        if (read_manifest(g, bad[i]) != LETHE_EINPUT) fail_msg("read: %s", bad[i]);
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

static void claims_follow_from_steps(void **state)
{
    (void)state;
    static const struct {
        const char *steps_text, *claims;
    } good[] = {
        {"[]", "[]"},
        {"[{\"command\":\"threshold\",\"parameters\":{}}]",
         "[{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\"}]"},
        {"[{\"command\":\"threshold\",\"parameters\":{\"t\":3,\"by\":\"rows\",\"rare\":\"hash\","
         "\"users-with\":[1,2],"
         "\"keep-users\":false,\"time\":\"day\",\"urls\":\"host\"}}]",
         "[{\"notion\":\"query-threshold\",\"t\":3,\"by\":\"rows\",\"rare\":\"hash\"}]"},
        {"[{\"command\":\"threshold\",\"parameters\":{\"t\":2}},{\"command\":\"threshold\","
         "\"parameters\":{\"t\":3}}]",
         "[{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\"},{\"notion\":\"query-"
         "threshold\",\"t\":3,\"by\":\"users\"}]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char *claims;
        assert_int_equal(promised(good[i].steps_text, &claims), LETHE_OK);
        assert_string_equal(claims, good[i].claims);
        lethe_json_text_free(claims);
    }
}

static void forged_steps_promise_nothing(void **state)
{
    (void)state;
    static const char *const forged[] = {
        "[7]",
        "[null]",
        "[{}]",
        "[{\"command\":\"threshold\"}]",
        "[{\"command\":\"threshold\",\"parameters\":[]}]",
        "[{\"command\":\"threshold\",\"parameters\":{},\"note\":\"x\"}]",
        "[{\"command\":\"thresholds\",\"parameters\":{}}]",
        "[{\"command\":\"threshold\\u0000\",\"parameters\":{}}]",
        "[{\"command\":7,\"parameters\":{}}]",
        "[{\"command\":\"verify\",\"parameters\":{}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"t\":0}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"t\":\"many\"}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"by\":\"persons\"}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"seed\":7}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"keep-users\":\"no\"}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"time\":7}}]",
        "[{\"command\":\"threshold\",\"parameters\":{\"users-with\":\"1-2\"}}]",
    };
    for (size_t i = 0; i < LETHE_COUNT(forged); i++) {
        char *claims;
        if (promised(forged[i], &claims) != LETHE_EINPUT) fail_msg("taken: %s", forged[i]);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(only_a_manifest_is_read_as_one),
        T(claims_follow_from_steps),
        T(forged_steps_promise_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
