/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include "threshold_harness.h"
#include "core/ctx.h"
#include "io/json/json.h"
#include <sys/stat.h>

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
#define HASH "#0123456789abcdef0123456789abcdef"

typedef struct outcome {
    lethe_err err;
    bool holds;
    char why[512]; /* as JSON; empty: none */
} outcome;

static const lethe_log_form *form; /* what is said of the rows; NULL: nothing */

static outcome check_in(lethe_ctx *ctx, int dirfd, const char *claim_text)
{
    outcome o = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .form = form};
    o.err = lethe_notion_query_threshold.check(&p, claim, doc, &o.holds, &why);
    if (why) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(o.why, sizeof o.why, "%s", text);
        lethe_json_text_free(text);
    }
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    return o;
}

/* Decides over a data file with these rows below the header. */
static outcome check(const char *claim, const char *rows)
{
    char path[64], *text;
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    text = malloc(strlen(HEADER) + strlen(rows) + 1);
    strcat(strcpy(text, HEADER), rows);
    o_write_published(dirfd, text, strlen(text));
    outcome o = check_in(ctx, dirfd, claim);
    free(text);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
    return o;
}

static const char users2[] = "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\"}";
static const char users2_hash[] =
    "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"users\",\"rare\":\"hash\"}";

static void holds(const char *claim, const char *rows)
{
    outcome o = check(claim, rows);
    assert_int_equal(o.err, LETHE_OK);
    assert_true(o.holds);
    assert_string_equal(o.why, "");
}

static void broken(const char *claim, const char *rows, const char *why)
{
    outcome o = check(claim, rows);
    assert_int_equal(o.err, LETHE_OK);
    assert_false(o.holds);
    assert_string_equal(o.why, why);
}

static void users_are_distinct_users(void **state)
{
    (void)state;
    holds(users2, "1\tmaps\t2006-03-01\t\t\n2\tmaps\t2006-03-01\t\t\n");
    broken(
        users2,
        "1\tmaps\t2006-03-01\t\t\n1\tmaps\t2006-03-02\t1\ta.com\n1\tmaps\t2006-03-02\t2\tb.com\n",
        "{\"query\":\"maps\",\"users\":1,\"needed\":2}");
}

static void queries_are_distinct_users_and_times(void **state)
{
    (void)state;
    static const char claim[] = "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"queries\"}";
    holds(claim, "1\tq\t2006-03-01\t\t\n1\tq\t2006-03-02\t\t\n");
    holds(claim, "1\tq\t2006-03-01\t\t\n2\tq\t2006-03-01\t\t\n");
    broken(claim, "1\tq\t2006-03-01\t1\ta.com\n1\tq\t2006-03-01\t2\tb.com\n",
           "{\"query\":\"q\",\"queries\":1,\"needed\":2}");
    broken(claim, "1\tq\t\t\t\n1\tq\t\t\t\n", "{\"query\":\"q\",\"queries\":1,\"needed\":2}");
    holds(claim, "1\tq\t\t\t\n2\tq\t\t\t\n");
    holds(claim, "1\tq\t2006-03-01 10\t\t\n1\tq\t2006-03-01 11\t\t\n");
    holds(claim, "1\tq\t2006-03-01 10:00:00\t\t\n1\tq\t2006-03-01 10:00:01\t\t\n");
}

static void rows_are_lines(void **state)
{
    (void)state;
    static const char claim[] = "{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"rows\"}";
    holds(claim, "1\tq\t2006-03-01\t\t\n1\tq\t2006-03-01\t\t\n");
    broken(claim, "1\tq\t2006-03-01\t\t\n", "{\"query\":\"q\",\"rows\":1,\"needed\":2}");
}

static void the_least_text_is_named(void **state)
{
    (void)state;
    broken(users2, "1\tz\t\t\t\n1\tb\t\t\t\n1\ta\t\t\t\n2\ta\t\t\t\n1\tbb\t\t\t\n1\tc\t\t\t\n",
           "{\"query\":\"b\",\"users\":1,\"needed\":2}");
}

static void likeness_is_not_identity(void **state)
{
    (void)state;
    broken(users2, "1\tmaps\t\t\t\n2\tmap\t\t\t\n", "{\"query\":\"map\",\"users\":1,\"needed\":2}");
    broken(users2, "1\ta b\t\t\t\n2\tab\t\t\t\n", "{\"query\":\"a b\",\"users\":1,\"needed\":2}");
    broken(users2, "12\tq\t\t\t\n12\tq\t\t\t\n", "{\"query\":\"q\",\"users\":1,\"needed\":2}");
    holds(users2, "1\tq\t\t\t\n12\tq\t\t\t\n");
}

/* Published texts are normal; one that is not would hide behind the one that is. */
static void texts_that_only_fold_alike_are_refused(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "MAPS", "Maps", "maps ", " maps", "ma  ps", "\xef\xbd\x8d\x61ps", "ma\xc2\xadps"};
    for (size_t i = 0; i < LETHE_COUNT(odd); i++) {
        char rows[256];
        snprintf(rows, sizeof rows,
                 "1\tmaps\t\t\t\n2\tmaps\t\t\t\n1\tma ps\t\t\t\n2\tma ps\t\t\t\n3\t%s\t\t\t\n",
                 odd[i]);
        outcome o = check(users2, rows);
        assert_false(o.err == LETHE_OK && o.holds);
    }
}

static void hashes_are_exempt_where_the_claim_says_so(void **state)
{
    (void)state;
    holds(users2_hash, "1\t" HASH "\t\t\t\n1\tq\t\t\t\n2\tq\t\t\t\n");
    holds(users2_hash, "1\t" HASH "\t\t\t\n"); /* nothing else is published */
    broken(users2, "1\t" HASH "\t\t\t\n", "{\"query\":\"" HASH "\",\"users\":1,\"needed\":2}");
}

/* A click tells what was asked; only a text that enough users have may have one. */
static void a_hash_with_a_click_is_a_text(void **state)
{
    (void)state;
    static const char why[] = "{\"query\":\"" HASH "\",\"users\":1,\"needed\":2}";
    broken(users2_hash, "1\t" HASH "\t\t\ta.com\n", why);
    broken(users2_hash, "1\t" HASH "\t\t3\t\n", why);
    broken(users2_hash, "1\t" HASH "\t\t\t\n1\t" HASH "\t\t1\ta.com\n", why);
    holds(users2_hash, "1\t" HASH "\t\t\t\n2\t" HASH "\t\t1\ta.com\n"); // was typed by two
    // whichever of its users clicked
    static const char users3_hash[] =
        "{\"notion\":\"query-threshold\",\"t\":3,\"by\":\"users\",\"rare\":\"hash\"}";
    static const char of_two[] = "{\"query\":\"" HASH "\",\"users\":2,\"needed\":3}";
    broken(users3_hash, "1\t" HASH "\t\t1\ta.com\n2\t" HASH "\t\t\t\n", of_two);
    broken(users3_hash, "1\t" HASH "\t\t\t\n2\t" HASH "\t\t1\ta.com\n", of_two);
}

static void what_only_looks_like_a_hash_is_not_exempt(void **state)
{
    (void)state;
    static const char *const fake[] = {
        "#0123456789abcdef0123456789abcde",   /* 31 */
        "#0123456789abcdef0123456789abcdef0", /* 33 */
        "#0123456789abcdef0123456789abcdeg",
        "0123456789abcdef0123456789abcdef#",
        "##123456789abcdef0123456789abcdef",
        "#0123456789abcdef 123456789abcdef",
        "#",
    };
    for (size_t i = 0; i < LETHE_COUNT(fake); i++) {
        char rows[256], why[256];
        snprintf(rows, sizeof rows, "1\t%s\t\t\t\n", fake[i]);
        snprintf(why, sizeof why, "{\"query\":\"%s\",\"users\":1,\"needed\":2}", fake[i]);
        broken(users2_hash, rows, why);
    }
    outcome o = check(users2_hash, "1\t#0123456789ABCDEF0123456789ABCDEF\t\t\t\n");
    assert_false(o.err == LETHE_OK && o.holds);
}

static void malformed_claims_are_bad_input(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"notion\":\"query-threshold\",\"by\":\"users\"}",
        "{\"notion\":\"query-threshold\",\"t\":0,\"by\":\"users\"}",
        "{\"notion\":\"query-threshold\",\"t\":-3,\"by\":\"users\"}",
        "{\"notion\":\"query-threshold\",\"t\":1.5,\"by\":\"users\"}",
        "{\"notion\":\"query-threshold\",\"t\":\"5\",\"by\":\"users\"}",
        "{\"notion\":\"query-threshold\",\"t\":null,\"by\":\"users\"}",
        "{\"notion\":\"query-threshold\",\"t\":5}",
        "{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"person\"}",
        "{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"user\"}",
        "{\"notion\":\"query-threshold\",\"t\":5,\"by\":0}",
        "{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\",\"rare\":\"keep\"}",
        "{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\",\"rare\":true}",
        "{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\",\"same\":\"words\"}",
        "[5]",
        "{}",
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o = check(bad[i], "1\tq\t\t\t\n");
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_false(o.holds);
    }
}

static void what_cannot_be_read_is_not_kept(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "1\tq\n",
                                      "1\tq\tyesterday\t\t\n",
                                      "1\tq\t\t\t\t\n",
                                      "1\tq\t\t\t\n\n",
                                      "1\t\t2006-03-01\t\t\n"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o = check(users2, bad[i]);
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_false(o.holds);
    }
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(1, 0);
    outcome o = check_in(ctx, dirfd, users2); /* no such file */
    assert_int_equal(o.err, LETHE_EIO);
    assert_int_equal(symlinkat("/etc/passwd", dirfd, "data.tsv"), 0);
    o = check_in(ctx, dirfd, users2);
    assert_true(o.err != LETHE_OK && !o.holds);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

/* The check itself demands that the rows are as coarse as is said of them: the pipeline reads the
 * written file by it alone. */
static void rows_finer_than_said_are_refused(void **state)
{
    (void)state;
    static const char day[] = "1\tq\t2006-03-01\t1\ta.com\n2\tq\t2006-03-01\t\t\n",
                      exact[] = "1\tq\t2006-03-01 10:00:00\t\t\n2\tq\t2006-03-01\t\t\n",
                      url[] = "1\tq\t2006-03-01\t1\thttp://a.com/x\n2\tq\t2006-03-01\t\t\n";
    static const lethe_log_form coarse = {
        .any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_HOST};
    form = &coarse;
    holds(users2, day);
    assert_int_equal(check(users2, exact).err, LETHE_EINPUT);
    assert_int_equal(check(users2, url).err, LETHE_EINPUT);
    form = NULL;
    holds(users2, exact);
    holds(users2, url);
}

static void persons_needed_are_those_of_the_claim(void **state)
{
    (void)state;
    static const struct {
        const char *claim, *query;
        uint64_t want;
    } table[] = {
        {users2, "q", 2},
        {users2, HASH, 2},
        {users2_hash, "q", 2},
        {users2_hash, HASH, 0},
        {"{\"notion\":\"query-threshold\",\"t\":9,\"by\":\"queries\"}", "q", 0},
        {"{\"notion\":\"query-threshold\",\"t\":9,\"by\":\"rows\"}", "q", 0},
        {"{\"notion\":\"query-threshold\",\"t\":0,\"by\":\"rows\"}", "q", UINT64_MAX},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        lethe_json_doc *doc = NULL;
        lethe_json *claim = NULL;
        assert_int_equal(
            lethe_json_parse(NULL, "claim", lethe_str_of(table[i].claim), &doc, &claim), LETHE_OK);
        assert_true(lethe_notion_query_threshold.persons(claim, lethe_str_of(table[i].query)) ==
                    table[i].want);
        lethe_json_doc_free(doc);
    }
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    o_write(dirfd, "data.tsv", HEADER "1\tq\t\t\t\n", strlen(HEADER "1\tq\t\t\t\n"));
    lethe_ctx_cancel(ctx);
    outcome o = check_in(ctx, dirfd, users2);
    assert_int_equal(o.err, LETHE_ECANCEL);
    assert_false(o.holds);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    static const char text[] =
        HEADER "1\tq\t2006-03-01\t1\ta.com\n2\tq\t2006-03-01\t\t\n1\trare\t\t\t\n";
    o_write_published(dirfd, text, strlen(text));
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(users2), &claim_doc, &claim),
                     LETHE_OK);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        bool yes = false;
        lethe_json *why = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
        lethe_alloc_fail_at(n);
        err = lethe_notion_query_threshold.check(&p, claim, doc, &yes, &why);
        lethe_alloc_fail_at(0);
        assert_false(yes); /* the promise is broken: at no failure may it seem kept */
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 5);
    lethe_json_doc_free(claim_doc);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_are_distinct_users),
        cmocka_unit_test(queries_are_distinct_users_and_times),
        cmocka_unit_test(rows_are_lines),
        cmocka_unit_test(the_least_text_is_named),
        cmocka_unit_test(likeness_is_not_identity),
        cmocka_unit_test(texts_that_only_fold_alike_are_refused),
        cmocka_unit_test(hashes_are_exempt_where_the_claim_says_so),
        cmocka_unit_test(a_hash_with_a_click_is_a_text),
        cmocka_unit_test(what_only_looks_like_a_hash_is_not_exempt),
        cmocka_unit_test(malformed_claims_are_bad_input),
        cmocka_unit_test(what_cannot_be_read_is_not_kept),
        cmocka_unit_test(rows_finer_than_said_are_refused),
        cmocka_unit_test(persons_needed_are_those_of_the_claim),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
