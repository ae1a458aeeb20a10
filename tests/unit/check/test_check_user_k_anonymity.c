/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "check/check.h"
#include "core/ctx.h"
#include "core/mem.h"
#include "io/json/json.h"
#include <sys/stat.h>

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

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
    o.err = lethe_notion_user_k_anonymity.check(&p, claim, doc, &o.holds, &why);
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
static outcome check_with(unsigned threads, const char *claim, const char *rows)
{
    char path[64], *text;
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(threads, 0);
    text = malloc(strlen(HEADER) + strlen(rows) + 1);
    strcat(strcpy(text, HEADER), rows);
    o_write_published(dirfd, text, strlen(text));
    outcome o = check_in(ctx, dirfd, claim);
    free(text);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
    return o;
}

static const char two[] = "{\"notion\":\"user-k-anonymity\",\"k\":2}";
static const char three[] = "{\"notion\":\"user-k-anonymity\",\"k\":3}";

static void holds(const char *claim, const char *rows)
{
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        outcome o = check_with(threads[i], claim, rows);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.why, "");
        assert_true(o.holds);
    }
}

static void broken(const char *claim, const char *rows, const char *why)
{
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        outcome o = check_with(threads[i], claim, rows);
        assert_int_equal(o.err, LETHE_OK);
        assert_false(o.holds);
        assert_string_equal(o.why, why);
    }
}

#define ROW(user, query) user "\t" query "\t\t\t\n"
#define LIST(user) ROW(user, "maps") ROW(user, "maps") ROW(user, "news")

static void equal_lists_hold(void **state)
{
    (void)state;
    holds(two, LIST("a") LIST("b"));
    holds(three, LIST("a") LIST("b") LIST("c"));
    holds(two, LIST("a") LIST("b") LIST("c")); /* more than k */
    holds(two, LIST("a") LIST("b") ROW("c", "x") ROW("d", "x"));
    holds(two, LIST("a") ROW("b", "x") LIST("c") ROW("d", "x")); /* in any order */
    holds("{\"notion\":\"user-k-anonymity\",\"k\":1}", ROW("a", "x") ROW("b", "y"));
}

static void one_user_fewer_is_found(void **state)
{
    (void)state;
    broken(three, LIST("a") LIST("b"), "{\"user\":\"a\",\"equal\":2,\"needed\":3}");
    broken(two, LIST("a"), "{\"user\":\"a\",\"equal\":1,\"needed\":2}");
    broken(two, LIST("a") LIST("b") ROW("c", "x"), "{\"user\":\"c\",\"equal\":1,\"needed\":2}");
}

static void one_row_more_is_found(void **state)
{
    (void)state;
    static const char why[] = "{\"user\":\"a\",\"equal\":1,\"needed\":2}";
    broken(two, LIST("a") LIST("b") ROW("b", "zoo"), why);
    broken(two, LIST("a") LIST("b") ROW("b", "maps"), why); /* a third copy */
    broken(two, LIST("a") LIST("b") ROW("a", "news"), why);
    broken(two, ROW("a", "x") ROW("b", "x") ROW("b", "x"), why);
    /* as many rows and the same texts, but not as many of each */
    broken(two, LIST("a") ROW("b", "maps") ROW("b", "news") ROW("b", "news"), why);
}

static void one_changed_text_is_found(void **state)
{
    (void)state;
    static const char why[] = "{\"user\":\"a\",\"equal\":1,\"needed\":2}";
    broken(two, ROW("a", "maps") ROW("a", "news") ROW("b", "maps") ROW("b", "new"), why);
    broken(two, ROW("a", "ab") ROW("a", "c") ROW("b", "a") ROW("b", "bc"), why);
    broken(two, ROW("a", "a b") ROW("b", "a") ROW("b", "b"), why);
}

static void every_column_counts(void **state)
{
    (void)state;
    static const char why[] = "{\"user\":\"a\",\"equal\":1,\"needed\":2}";
    static const char *const same[] = {"x\t2006-03-01\t1\ta.com\n", "x\t2006-03-01 10\t\t\n",
                                       "x\t2006-03-01 10:00:00\t\t\n"};
    static const char *const pairs[][2] = {
        {"x\t2006-03-01\t\t\n", "x\t2006-03-02\t\t\n"},
        {"x\t2006-03-01\t\t\n", "x\t\t\t\n"},
        {"x\t2006-03-01 10:00:00\t\t\n", "x\t2006-03-01 10:00:01\t\t\n"},
        {"x\t\t1\ta.com\n", "x\t\t2\ta.com\n"},
        {"x\t\t1\ta.com\n", "x\t\t1\tb.com\n"},
        {"x\t\t1\ta.com\n", "x\t\t\t\n"},
    };
    char rows[256], other[256];
    for (size_t i = 0; i < LETHE_COUNT(same); i++) {
        snprintf(rows, sizeof rows, "a\t%sb\t%s", same[i], same[i]);
        holds(two, rows);
    }
    for (size_t i = 0; i < LETHE_COUNT(pairs); i++) {
        snprintf(rows, sizeof rows, "a\t%sb\t%s", pairs[i][0], pairs[i][1]);
        broken(two, rows, why);
        /* the columns of one row must not be made up by those of another */
        snprintf(other, sizeof other, "a\t%sa\t%sb\t%sb\t%s", pairs[i][0], pairs[i][1], pairs[i][0],
                 pairs[i][0]);
        broken(two, other, why);
    }
}

/* The bytes of a's two rows, one after the other, are those of b's: only where a row ends differs.
 */
static void where_a_row_ends_counts(void **state)
{
    (void)state;
    broken(two, "a\tm\t\t\tz.com\n" ROW("a", "no") "b\tm\t\t\tz.comn\n" ROW("b", "o"),
           "{\"user\":\"a\",\"equal\":1,\"needed\":2}");
    broken(two, "a\tm\t\t1\tz.com\n" ROW("a", "no") "b\tm\t\t1\tz.comn\n" ROW("b", "o"),
           "{\"user\":\"a\",\"equal\":1,\"needed\":2}");
}

static void rows_finer_than_said_are_refused(void **state)
{
    (void)state;
    static const char day[] = "a\tq\t2006-03-01\t\t\nb\tq\t2006-03-01\t\t\n",
                      hour[] = "a\tq\t2006-03-01 10\t\t\nb\tq\t2006-03-01 10\t\t\n";
    static const lethe_log_form coarse = {
        .any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_HOST};
    form = &coarse;
    holds(two, day);
    assert_int_equal(check_with(1, two, hour).err, LETHE_EINPUT);
    form = NULL;
    holds(two, hour);
}

static void the_least_user_is_named(void **state)
{
    (void)state;
    broken(two, ROW("z", "1") ROW("b", "2") LIST("c") LIST("d") ROW("bb", "3"),
           "{\"user\":\"b\",\"equal\":1,\"needed\":2}");
    broken(three, ROW("z", "1") ROW("y", "1") ROW("b", "2") ROW("a", "2"),
           "{\"user\":\"a\",\"equal\":2,\"needed\":3}");
}

static void names_that_begin_alike_are_two(void **state)
{
    (void)state;
    holds(two, ROW("1", "x") ROW("12", "x"));
    broken(three, ROW("1", "x") ROW("12", "x") ROW("1", "x") ROW("12", "x"),
           "{\"user\":\"1\",\"equal\":2,\"needed\":3}");
}

static void malformed_claims_are_bad_input(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"notion\":\"user-k-anonymity\"}",
        "{\"notion\":\"user-k-anonymity\",\"k\":0}",
        "{\"notion\":\"user-k-anonymity\",\"k\":-2}",
        "{\"notion\":\"user-k-anonymity\",\"k\":2.5}",
        "{\"notion\":\"user-k-anonymity\",\"k\":\"2\"}",
        "{\"notion\":\"user-k-anonymity\",\"k\":null}",
        "{\"notion\":\"user-k-anonymity\",\"k\":[2]}",
        "{\"notion\":\"user-k-anonymity\",\"k\":2,\"persons\":\"record\"}",
        "{\"notion\":\"user-k-anonymity\",\"k\":2,\"by\":\"users\"}",
        "[2]",
        "{}",
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o = check_with(1, bad[i], LIST("a") LIST("b"));
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_false(o.holds);
    }
}

static void what_cannot_be_read_is_not_kept(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "a\tq\n",
                                      "a\tq\tyesterday\t\t\n",
                                      "a\tq\t\t\t\t\n",
                                      "a\tq\t\t\t\n\n",
                                      "a\t\t\t\t\n",
                                      "a\tQ\t\t\t\nb\tq\t\t\t\n",
                                      "a\tq\xff\t\t\t\nb\tq\xff\t\t\t\n"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o = check_with(2, two, bad[i]);
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_false(o.holds);
    }
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(1, 0);
    outcome o = check_in(ctx, dirfd, two); /* no such file */
    assert_int_equal(o.err, LETHE_EIO);
    assert_int_equal(symlinkat("/etc/passwd", dirfd, "data.tsv"), 0);
    o = check_in(ctx, dirfd, two);
    assert_true(o.err != LETHE_OK && !o.holds);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

/* Thousands of small releases, judged by comparing every two users. */
static size_t alike(const olog *log, const char *a, const char *b)
{
    for (size_t i = 0; i < log->n; i++) {
        const orow *r = &log->at[i];
        size_t of_a = 0, of_b = 0;
        if (strcmp(r->user, a) != 0 && strcmp(r->user, b) != 0) continue;
        for (size_t j = 0; j < log->n; j++) {
            const orow *q = &log->at[j];
            if (strcmp(q->query, r->query) || strcmp(q->url, r->url) || q->time != r->time ||
                q->rank != r->rank)
                continue;
            of_a += strcmp(q->user, a) == 0;
            of_b += strcmp(q->user, b) == 0;
        }
        if (of_a != of_b) return 0;
    }
    return 1;
}

static void random_releases_are_judged_as_every_pair_of_users_says(void **state)
{
    (void)state;
    size_t kept = 0, refused = 0;
    for (uint64_t number = 0; number < 2000; number++) {
        uint64_t seed = number;
        char path[64], claim[80];
        size_t n, k = 1 + o_below(&seed, 3), n_users = 1 + o_below(&seed, 6);
        olog log = {calloc(64, sizeof(orow)), 0};
        for (size_t u = 0; u < n_users; u++) {
            uint64_t list = number + 3000 * o_below(&seed, 2); /* one of two, now and then longer */
            size_t rows = 1 + o_below(&list, 3) + (o_below(&seed, 12) == 0);
            for (size_t i = 0; i < rows; i++) {
                orow *r = &log.at[log.n++];
                snprintf(r->user, sizeof r->user, "%zu", u);
                snprintf(r->query, sizeof r->query, "q%zu", o_below(&list, 2));
                r->time = o_below(&list, 5) ? LETHE_NO_TIME : 1141171200;
                r->rank = LETHE_NO_RANK;
            }
        }
        bool want = true;
        for (size_t i = 0; i < log.n; i++) {
            size_t equal = 0;
            for (size_t j = 0; j < log.n; j++)
                equal += o_first_user(&log, j) && alike(&log, log.at[i].user, log.at[j].user);
            want &= equal >= k;
        }
        snprintf(claim, sizeof claim, "{\"notion\":\"user-k-anonymity\",\"k\":%zu}", k);
        int dirfd = o_folder(path);
        char *text = o_tsv(&log, "%Y-%m-%d", &n);
        o_write_published(dirfd, text, n);
        lethe_ctx *ctx = o_ctx((unsigned)(number % 3) + 1, 0);
        outcome o = check_in(ctx, dirfd, claim);
        if (o.err != LETHE_OK || o.holds != want) fail_msg("release %d", (int)number);
        kept += want && k > 1;
        refused += !want;
        lethe_ctx_free(ctx);
        free(text);
        o_free(&log);
        o_folder_gone(dirfd, path);
    }
    if (kept < 200 || refused < 200) fail_msg("%zu kept, %zu refused", kept, refused);
}

/* Rows larger than memory go through files, and the verdict is the same. */
static void little_memory_will_do(void **state)
{
    (void)state;
    for (int broken_one = 0; broken_one < 2; broken_one++) {
        char path[64], *text = NULL;
        size_t n = 0;
        int dirfd = o_folder(path);
        FILE *f = open_memstream(&text, &n);
        fputs(HEADER, f);
        for (int u = 0; u < 600; u++)
            for (int q = 0; q < 60; q++)
                fprintf(f, "u%04d\tthe %04d query of list %d\t\t\t\n", u,
                        broken_one && u == 333 && q == 59 ? 61 : q, u / 2);
        fclose(f);
        o_write_published(dirfd, text, n);
        lethe_ctx *ctx = o_ctx(2, (uint64_t)4 << 20);
        outcome o = check_in(ctx, dirfd, two);
        assert_int_equal(o.err, LETHE_OK);
        assert_int_equal(o.holds, !broken_one);
        if (broken_one) assert_string_equal(o.why, "{\"user\":\"u0332\",\"equal\":1,\"needed\":2}");
        lethe_ctx_free(ctx);
        free(text);
        o_folder_gone(dirfd, path);
    }
}

static void every_failing_allocation_is_said(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    static const char text[] = HEADER LIST("a") LIST("b") ROW("c", "x");
    o_write_published(dirfd, text, strlen(text));
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(two), &claim_doc, &claim),
                     LETHE_OK);
    lethe_err err = LETHE_ENOMEM;
    for (uint64_t n = 1; err != LETHE_OK; n++) {
        lethe_ctx *ctx = o_ctx(1, 0);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *why = NULL;
        bool it_holds = false;
        lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
        lethe_alloc_fail_at(n);
        err = lethe_notion_user_k_anonymity.check(&p, claim, doc, &it_holds, &why);
        lethe_alloc_fail_at(0);
        assert_false(it_holds);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        assert_true(n < 1000);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    lethe_json_doc_free(claim_doc);
    o_folder_gone(dirfd, path);
}

static void it_is_in_the_table(void **state)
{
    (void)state;
    assert_ptr_equal(lethe_notion_find(LETHE_LIT("user-k-anonymity")),
                     &lethe_notion_user_k_anonymity);
    assert_null(lethe_notion_user_k_anonymity.persons); /* users are persons here */
    assert_int_equal(lethe_notion_user_k_anonymity.shapes, LETHE_SHAPE_LOG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_lists_hold),
        cmocka_unit_test(one_user_fewer_is_found),
        cmocka_unit_test(one_row_more_is_found),
        cmocka_unit_test(one_changed_text_is_found),
        cmocka_unit_test(every_column_counts),
        cmocka_unit_test(where_a_row_ends_counts),
        cmocka_unit_test(rows_finer_than_said_are_refused),
        cmocka_unit_test(the_least_user_is_named),
        cmocka_unit_test(names_that_begin_alike_are_two),
        cmocka_unit_test(malformed_claims_are_bad_input),
        cmocka_unit_test(what_cannot_be_read_is_not_kept),
        cmocka_unit_test(random_releases_are_judged_as_every_pair_of_users_says),
        cmocka_unit_test(little_memory_will_do),
        cmocka_unit_test(every_failing_allocation_is_said),
        cmocka_unit_test(it_is_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
