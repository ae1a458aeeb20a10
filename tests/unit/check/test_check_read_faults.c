/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that fail while a release is checked: neither the published file nor what was sorted on
 * disk may be taken for whole.  read and pread are this program's own, and fail when they are told
 * to. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include "log_oracle.h"
#include "check/check.h"
#include "io/json/json.h"
#include "release/release.h"
#include "release_fakes.h"

enum { USERS = 400, QUERIES = 40, MOST_TRIES = 8 };

static atomic_long n_reads, fail_from, fail_to; /* by number, from 1; fail_from 0: none */
static atomic_bool failed;

static bool fails(void)
{
    long number = ++n_reads;
    if (fail_from == 0 || number < fail_from || number > fail_to) return false;
    failed = true;
    errno = EIO;
    return true;
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    return fails() ? -1 : syscall(SYS_pread64, fd, to, n, at);
}

ssize_t read(int fd, void *to, size_t n) { return fails() ? -1 : syscall(SYS_read, fd, to, n); }

static void reads_fail(long from, long to)
{
    n_reads = 0;
    failed = false;
    fail_from = from;
    fail_to = to;
}

/* Two users of each list: more than the memory of the check holds. */
static int folder_fill(char path[64])
{
    char *text = NULL;
    size_t n = 0;
    int dirfd = o_folder(path);
    FILE *f = open_memstream(&text, &n);
    fputs(LETHE_LOG_HEADER, f);
    for (int u = 0; u < USERS; u++)
        for (int q = 0; q < QUERIES; q++)
            fprintf(f, "u%04d\tthe %04d query of the long list with number %d\t2006-03-01\t\t\n", u,
                    q, u / 2);
    fclose(f);
    o_write_published(dirfd, text, n);
    free(text);
    return dirfd;
}

static lethe_err check_with(const lethe_notion *notion, const char *claim_text, int dirfd,
                            bool *holds)
{
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    lethe_ctx *ctx = o_ctx(2, 1 << 20);
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    lethe_err e = notion->check(&p, claim, doc, holds, &why);
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static void a_failing_read_is_no_answer(void **state)
{
    (void)state;
    static const struct {
        const lethe_notion *notion;
        const char *claim;
    } table[] = {
        {&lethe_notion_user_k_anonymity, "{\"notion\":\"user-k-anonymity\",\"k\":2}"},
        {&lethe_notion_query_threshold,
         "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\"}"},
        {&lethe_notion_personas, "{\"notion\":\"personas\",\"by\":\"day\"}"},
        {&lethe_notion_disconnected, "{\"notion\":\"disconnected\",\"density\":0.5}"},
    };
    char path[64];
    int dirfd = folder_fill(path);
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        bool holds = false;
        reads_fail(0, 0);
        assert_int_equal(check_with(table[i].notion, table[i].claim, dirfd, &holds), LETHE_OK);
        assert_true(holds);
        long all = n_reads, step = LETHE_MAX(all / MOST_TRIES, 1);
        assert_true(all > 3); // else nothing was sorted on disk
        // the last ones each: these are the reads of what was sorted
        for (long at = 1; at <= all; at += at + step < all - 4 ? step : 1) {
            holds = false;
            reads_fail(at, LONG_MAX);
            lethe_err e = check_with(table[i].notion, table[i].claim, dirfd, &holds);
            bool any = failed; // with two threads there may be fewer reads than before
            reads_fail(0, 0);
            if (any && (e != LETHE_EIO || holds))
                fail_msg("%s: read %ld of %ld: %s, %d", table[i].notion->name, at, all,
                         lethe_err_name(e), holds);
        }
    }
    o_folder_gone(dirfd, path);
}

/* The file is read for its check and for its digest: without either there is no release. */
static void a_release_that_cannot_be_read_back_does_not_appear(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    g_write(g.log, "1\tmaps\t2006-03-01 10:00:00\t\t\n2\tmaps\t2006-03-01 11:00:00\t\t\n");
    long all = 0;
    for (long at = 0; at <= all; at++) {
        const char *inputs[] = {g.log};
        steps s = {0};
        s_add(&s, &passer, "t=1");
        lethe_ctx *ctx = g_ctx(&g, 1);
        lethe_release_job job = g_job(&g, &s, inputs);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        reads_fail(at, at);
        lethe_err e = lethe_release_make(ctx, &job, doc, &report);
        bool any = failed;
        if (at == 0) all = n_reads;
        reads_fail(0, 0);
        assert_int_equal(any, at > 0);
        assert_int_equal(e == LETHE_OK, at == 0);
        assert_string_equal(g_names(&g), at == 0 ? "log.tsv release" : "log.tsv");
        if (at == 0) g_remove(g.out);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    assert_true(all > 0);
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_read_is_no_answer),
        cmocka_unit_test(a_release_that_cannot_be_read_back_does_not_appear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
