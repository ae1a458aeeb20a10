/* SPDX-License-Identifier: Apache-2.0 */
/* Logs with more texts and users than the sorter has parts, so that many share one, and with rows
 * of one text that several workers read: each is judged by itself all the same. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "check/check.h"
#include "io/json/json.h"

typedef struct outcome {
    lethe_err err;
    bool holds;
    char why[256]; /* as JSON; empty: none */
} outcome;

/* The text of a data file is made by `write`, below the header. */
static outcome check_over(const lethe_notion *notion, const char *claim_text,
                          const lethe_log_form *form, unsigned threads, void (*write)(FILE *f))
{
    char path[64], *text = NULL;
    size_t n = 0;
    int dirfd = o_folder(path);
    FILE *f = open_memstream(&text, &n);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    write(f);
    fclose(f);
    o_write(dirfd, "data.tsv", text, n);
    free(text);
    outcome o = {0};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    lethe_ctx *ctx = o_ctx(threads, 4 << 20);
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .form = form};
    o.err = notion->check(&p, claim, doc, &o.holds, &why);
    if (why) {
        char *written = lethe_json_write(why, 0, NULL);
        snprintf(o.why, sizeof o.why, "%s", written);
        lethe_json_text_free(written);
    }
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
    return o;
}

static void expect_as(const lethe_notion *notion, const char *claim, const lethe_log_form *form,
                      void (*write)(FILE *f), const char *why)
{
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        outcome o = check_over(notion, claim, form, threads[i], write);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.why, why);
        assert_int_equal(o.holds, *why == '\0');
    }
}

static void expect(const lethe_notion *notion, const char *claim, void (*write)(FILE *f),
                   const char *why)
{
    expect_as(notion, claim, NULL, write, why);
}

/* --- texts --- */

#define USERS_2 "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\"}"
#define QUERIES_2 "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"queries\"}"

static void one_user_each(FILE *f)
{
    for (int i = 0; i < 4000; i++)
        fprintf(f, "u%04d\ttext %04d\t\t\t\n", i, i);
}

static void two_users_each(FILE *f)
{
    for (int u = 0; u < 2; u++)
        for (int i = 0; i < 4000; i++)
            fprintf(f, "u%d\ttext %04d\t\t\t\n", u, i);
}

static void texts_of_one_part_do_not_lend_each_other_users(void **state)
{
    (void)state;
    expect(&lethe_notion_query_threshold, USERS_2, one_user_each,
           "{\"query\":\"text 0000\",\"users\":1,\"needed\":2}");
    expect(&lethe_notion_query_threshold, USERS_2, two_users_each, "");
}

/* One user, one text, one time: blocks of it go to different workers. */
static void one_query_with_many_clicks(FILE *f)
{
    for (int i = 0; i < 20000; i++)
        fprintf(f, "u\tone text\t2006-03-01\t\thost-number-%05d.example.org\n", i);
}

static void rows_that_several_workers_read_count_once(void **state)
{
    (void)state;
    expect(&lethe_notion_query_threshold, USERS_2, one_query_with_many_clicks,
           "{\"query\":\"one text\",\"users\":1,\"needed\":2}");
    expect(&lethe_notion_query_threshold, QUERIES_2, one_query_with_many_clicks,
           "{\"query\":\"one text\",\"queries\":1,\"needed\":2}");
}

/* --- users --- */

static void a_day_each(FILE *f)
{
    for (int i = 0; i < 4000; i++)
        fprintf(f, "u%04d\ta\t2006-03-%02d\t\t\n", i, i % 28 + 1);
}

/* Every other user has one row, without a time. */
static void a_time_or_none(FILE *f)
{
    for (int i = 0; i < 4000; i++)
        fprintf(f, i % 2 ? "u%04d\ta\t\t\t\n" : "u%04d\ta\t2006-03-01\t\t\n", i);
}

static void personas_of_one_part_do_not_share_times(void **state)
{
    static const lethe_log_form days = {.any_user = true, .times = LETHE_TIME_DAY};
    (void)state;
    expect(&lethe_notion_personas, "{\"notion\":\"personas\",\"by\":\"day\"}", a_day_each, "");
    expect(&lethe_notion_personas, "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":1800}",
           a_day_each, "");
    expect_as(&lethe_notion_personas, "{\"notion\":\"personas\",\"by\":\"day\"}", &days,
              a_time_or_none, "");
}

static void lists_of_one_part_are_compared_each(void **state)
{
    (void)state;
    expect(&lethe_notion_user_k_anonymity, "{\"notion\":\"user-k-anonymity\",\"k\":2}",
           one_user_each, "{\"user\":\"u0000\",\"equal\":1,\"needed\":2}");
    expect(&lethe_notion_user_k_anonymity, "{\"notion\":\"user-k-anonymity\",\"k\":2}",
           two_users_each, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_one_part_do_not_lend_each_other_users),
        cmocka_unit_test(rows_that_several_workers_read_count_once),
        cmocka_unit_test(personas_of_one_part_do_not_share_times),
        cmocka_unit_test(lists_of_one_part_are_compared_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
