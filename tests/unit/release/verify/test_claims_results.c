/* SPDX-License-Identifier: Apache-2.0 */
/* The results that a step was given are read again for its check: a fault in them is an error of
 * the caller's file, with its place, and no verdict about the release. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include "log_oracle.h"
#include "io/json/json.h"
#include "release/release.h"

#define INTEREST                                                                                   \
    "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":50,"        \
    "\"results\":\"file\"}"
#define ROWS                                                                                       \
    "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"                                               \
    "1\tfootball\t2006-03-01\t\t\n1\tyams\t2006-03-02\t\t\n"

static char folder[64], path[96], said[256], in_file[256];
static int dirfd;
static uint64_t line;
static lethe_ctx *ctx;

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    snprintf(said, sizeof said, "%s", m->text);
    snprintf(in_file, sizeof in_file, "%s", m->file ? m->file : "");
    line = m->line;
}

static int begin(void **state)
{
    (void)state;
    dirfd = o_folder(folder);
    snprintf(path, sizeof path, "%s/results", folder);
    o_write(dirfd, "data.tsv", ROWS, sizeof ROWS - 1);
    lethe_settings s = {.n_threads = 2, .on_message = keep_message};
    return lethe_ctx_new(&s, &ctx) == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    unlink(path);
    o_folder_gone(dirfd, folder);
    return 0;
}

typedef struct outcome {
    lethe_err err;
    bool judged; /* there is a verdict */
    int64_t undecided;
} outcome;

static outcome judge(const char *const *results)
{
    lethe_json_doc *read = NULL, *doc = lethe_json_doc_new();
    lethe_json *claims = NULL, *verdict = NULL, *figures = lethe_json_object(doc);
    assert_int_equal(
        lethe_json_parse(NULL, "c", LETHE_LIT("[" INTEREST "," INTEREST "]"), &read, &claims),
        LETHE_OK);
    lethe_published p = {.ctx = ctx,
                         .dirfd = dirfd,
                         .shape = LETHE_SHAPE_LOG,
                         .undecided = lethe_json_array(doc),
                         .figures = figures};
    said[0] = in_file[0] = '\0';
    outcome o = {.err = lethe_claims_check(&p, claims, results, doc, &verdict)};
    o.judged = verdict != NULL;
    o.undecided = lethe_json_int(lethe_json_get(figures, "undecided"));
    if (o.judged) { /* of each claim, and in all */
        int64_t sum = 0;
        assert_int_equal(lethe_json_count(p.undecided), 2);
        for (size_t i = 0; i < 2; i++)
            sum += lethe_json_int(lethe_json_get(lethe_json_at(p.undecided, i), "undecided"));
        assert_int_equal(sum, o.undecided);
        const lethe_json *told = lethe_verdict_told(doc, verdict, p.undecided);
        const lethe_json *checks = lethe_json_get(told, "checks");
        for (size_t i = 0; i < 2; i++) {
            const lethe_json *left = lethe_json_at(p.undecided, i),
                             *check = lethe_json_at(checks, i);
            int64_t n = lethe_json_int(lethe_json_get(left, "undecided"));
            const lethe_json *shown = lethe_json_get(check, "undecided");
            assert_true(n > 0 ? lethe_json_int(shown) == n : shown == NULL);
            lethe_str why = lethe_json_text(lethe_json_get(check, "because"));
            assert_int_equal(why.n > 0, n > 0);
            if (n > 0) snprintf(said, sizeof said, "%.*s", (int)why.n, why.at);
        }
    }
    lethe_json_doc_free(read);
    lethe_json_doc_free(doc);
    return o;
}

static void a_fault_in_results_is_no_verdict(void **state)
{
    (void)state;
    const char *const results[] = {NULL, path};
    static const struct {
        const char *text;
        size_t n;
        uint64_t at;
        const char *cause;
    } bad[] = {{"football\tx.com\nyams\n", 20, 2, "no tab: expected a query and a url"},
               {"football\tx.com\xFF\n", 16, 1, "invalid UTF-8 in the url"},
               {"foot\0ball\tx.com\n", 16, 1, "a NUL or CR in the query"},
               {"", 0, 1, "empty: no results in it"}};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        o_write(dirfd, "results", bad[i].text, bad[i].n);
        outcome o = judge(results);
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_false(o.judged);
        assert_string_equal(said, bad[i].cause);
        assert_string_equal(in_file, path);
        assert_int_equal(line, bad[i].at);
    }
    unlink(path);
    outcome o = judge(results);
    assert_int_equal(o.err, LETHE_EIO);
    assert_false(o.judged);
}

static void each_claim_has_its_own_results(void **state)
{
    (void)state;
    static const char alike[] = "football\tx.com\nyams\tx.com\n", other[] = "football\tx.com\n";
    const char *const one[] = {NULL, path}, *const both[] = {path, path},
                      *const none[] = {NULL, NULL};
    o_write(dirfd, "results", alike, sizeof alike - 1);
    outcome o = judge(one); /* the first claim comes before a later one: nothing decides it */
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.undecided, 1);
    o = judge(both);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.undecided, 0);
    o_write(dirfd, "results", other, sizeof other - 1);
    o = judge(one);
    assert_int_equal(o.err, LETHE_ANSWER_NO);
    assert_true(o.judged);
    o = judge(none);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.undecided, 2);
    unlink(path);
}

/* What came out of a pipe does not come again, and is not waited for. */
static void results_of_a_pipe_are_gone(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    const char *const once[] = {path, "-", "/dev/null"};
    for (size_t i = 0; i < LETHE_COUNT(once); i++) {
        outcome o = judge((const char *const[]){NULL, once[i]});
        assert_int_equal(o.err, LETHE_OK);
        assert_int_equal(o.undecided, 2);
        assert_non_null(strstr(said, "cannot be read again"));
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_in_results_is_no_verdict),
        cmocka_unit_test(each_claim_has_its_own_results),
        cmocka_unit_test(results_of_a_pipe_are_gone),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
