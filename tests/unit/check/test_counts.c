/* SPDX-License-Identifier: Apache-2.0 */
/* Counts: the claim counted-threshold on files, and counts beside the rows behind them. */
/* suite: threads */
#include "threshold_harness.h"
#include "check/recount.h"
#include "core/ctx.h"
#include "io/json/json.h"
#include "model/published/published_counts.h"
#include <fcntl.h>
#include <unistd.h>

/* --- the claim --- */

static void expect(const char *claim_text, const char *lines, lethe_err err, const char *why_text)
{
    char path[64], text[512];
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    bool holds = false;
    lethe_ctx *ctx = o_ctx(2, 0);
    int dirfd = o_folder(path), fd = openat(dirfd, LETHE_COUNTS_NAME, O_WRONLY | O_CREAT, 0600);
    int n = snprintf(text, sizeof text, "%s%s", LETHE_COUNTS_HEADER, lines);
    assert_true(write(fd, text, (size_t)n) == n && close(fd) == 0);
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_COUNTS};
    assert_int_equal(lethe_notion_counted_threshold.check(&p, claim, doc, &holds, &why), err);
    if (err == LETHE_OK) {
        char *got = why ? lethe_json_write(why, 0, NULL) : NULL;
        assert_int_equal(holds, !why_text);
        assert_int_equal(!why_text, !got);
        if (got) assert_string_equal(got, why_text);
        lethe_json_text_free(got);
    }
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    assert_int_equal(unlinkat(dirfd, LETHE_COUNTS_NAME, 0), 0);
    o_folder_gone(dirfd, path);
}

#define CLAIM(t, by) "{\"notion\":\"counted-threshold\",\"t\":" #t ",\"by\":\"" by "\"}"

static void every_count_is_at_least_t(void **state)
{
    (void)state;
    expect(CLAIM(2, "users"), "maps\t3\nweather\t2\n", LETHE_OK, NULL);
    expect(CLAIM(3, "users"), "maps\t3\nweather\t2\nzoo\t1\n", LETHE_OK,
           "{\"item\":\"weather\",\"users\":2,\"needed\":3}");
    expect(CLAIM(4, "rows"), "maps\t3\n", LETHE_OK, "{\"item\":\"maps\",\"rows\":3,\"needed\":4}");
    expect(CLAIM(3, "queries"), "maps\t3\n", LETHE_OK, NULL);
}

static void other_files_and_claims_are_refused(void **state)
{
    (void)state;
    expect(CLAIM(1, "users"), "maps\t1\nmaps\t1\n", LETHE_EINPUT, NULL);
    expect(CLAIM(1, "users"), "maps\t1\nzoo\t2\n", LETHE_EINPUT, NULL);
    expect(CLAIM(0, "users"), "maps\t1\n", LETHE_EINPUT, NULL);
    expect(CLAIM(1, "people"), "maps\t1\n", LETHE_EINPUT, NULL);
    expect("{\"notion\":\"counted-threshold\",\"t\":1}", "maps\t1\n", LETHE_EINPUT, NULL);
    expect("{\"notion\":\"counted-threshold\",\"t\":1,\"by\":\"users\",\"rare\":\"hash\"}",
           "maps\t1\n", LETHE_EINPUT, NULL);
    expect("{\"notion\":\"query-threshold\",\"t\":1,\"by\":\"users\"}", "maps\t1\n", LETHE_EINPUT,
           NULL);
}

/* --- counting again --- */

typedef struct trial {
    const olog *log;
    lethe_recount *recount;
} trial;

static lethe_err put_row(void *arg, size_t i, unsigned w)
{
    const trial *t = arg;
    const orow *r = &t->log->at[i];
    return lethe_recount_row(t->recount, w,
                             &(lethe_row){.origin = i,
                                          .owner = lethe_str_of(r->owner),
                                          .user = lethe_str_of(r->user),
                                          .query = lethe_str_of(r->query),
                                          .time = r->time});
}

enum fault { NONE, MORE, LESS, MISSING, TWICE, STRANGER, N_FAULTS };

static bool recounted(lethe_ctx *ctx, const olog *log, lethe_counted unit, enum fault fault,
                      size_t at)
{
    trial t = {.log = log};
    bool same = false;
    size_t n_texts = 0;
    assert_int_equal(lethe_recount_new(ctx, unit, 1 << 20, &t.recount), LETHE_OK);
    assert_int_equal(lethe_pool_for(ctx, log->n, put_row, &t), LETHE_OK);
    for (size_t i = 0; i < log->n; i++) {
        ocount c = o_count(log, log->at[i].query, true);
        size_t n = unit == LETHE_COUNTED_USERS     ? c.users
                   : unit == LETHE_COUNTED_QUERIES ? c.queries
                                                   : c.rows;
        lethe_str item = lethe_str_of(log->at[i].query);
        if (!o_first_text(log, i)) continue;
        bool here = n_texts++ == at;
        if (here && fault == MISSING) continue;
        if (here && fault == MORE) n++;
        if (here && fault == LESS) n--;
        assert_int_equal(lethe_recount_item(t.recount, 0, item, n), LETHE_OK);
        if (here && fault == TWICE)
            assert_int_equal(lethe_recount_item(t.recount, 0, item, n), LETHE_OK);
    }
    if (fault == STRANGER)
        assert_int_equal(lethe_recount_item(t.recount, 0, LETHE_LIT("nobody asked"), 1), LETHE_OK);
    assert_int_equal(lethe_recount_check(t.recount, &same), LETHE_OK);
    lethe_recount_free(t.recount);
    return same;
}

static void only_true_counts_pass(void **state)
{
    (void)state;
    lethe_ctx *ctx[2] = {o_ctx(1, 0), o_ctx(5, 0)};
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t seed = i * 31 + 7;
        olog log = o_log(&seed, o_small_shape(&seed));
        size_t n_texts = 0;
        for (size_t k = 0; k < log.n; k++)
            n_texts += o_first_text(&log, k);
        for (size_t k = 0; k < log.n; k += 3) // personas: what counts as a user is the owner
            strcat(log.at[k].user, "x");
        lethe_counted unit = (lethe_counted)(i % LETHE_N_COUNTED);
        for (enum fault f = NONE; log.n > 0 && f < N_FAULTS; f++)
            if (recounted(ctx[i % 2], &log, unit, f, o_below(&seed, n_texts)) != (f == NONE))
                fail_msg("trial %d, unit %d, fault %d", (int)i, (int)unit, (int)f);
        o_free(&log);
    }
    for (size_t i = 0; i < 2; i++)
        lethe_ctx_free(ctx[i]);
}

static void the_same_row_twice_counts_once(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    for (lethe_counted unit = 0; unit < LETHE_N_COUNTED; unit++) {
        lethe_recount *r = NULL;
        bool same = true;
        const lethe_row row = {
            .origin = 7, .owner = LETHE_LIT("1"), .user = LETHE_LIT("1"), .query = LETHE_LIT("q")};
        assert_int_equal(lethe_recount_new(ctx, unit, 1 << 20, &r), LETHE_OK);
        for (int i = 0; i < 2; i++)
            assert_int_equal(lethe_recount_row(r, 0, &row), LETHE_OK);
        assert_int_equal(lethe_recount_item(r, 0, LETHE_LIT("q"), 2), LETHE_OK);
        assert_int_equal(lethe_recount_check(r, &same), LETHE_OK);
        assert_false(same);
        lethe_recount_free(r);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_is_at_least_t),
        cmocka_unit_test(other_files_and_claims_are_refused),
        cmocka_unit_test(only_true_counts_pass),
        cmocka_unit_test(the_same_row_twice_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
