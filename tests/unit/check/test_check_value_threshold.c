/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of value-threshold on files written by hand: what holds, what is broken, and what is
 * no claim about them. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "check/check.h"
#include "io/json/json.h"

#define HEAD "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"

typedef struct outcome {
    lethe_err err;
    bool holds;
    uint64_t values;
    char why[256]; /* as JSON; empty: none */
} outcome;

static const lethe_log_form *form; /* what is said of the rows; NULL: nothing */

static outcome check(const char *claim_text, const char *text, unsigned threads)
{
    char path[64];
    outcome o = {.err = LETHE_OK};
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(threads, 0);
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL;
    o_write_published(dirfd, text, strlen(text));
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .form = form};
    o.err = lethe_notion_value_threshold.check(&p, claim, doc, &o.holds, &why);
    o.values = p.seen.values;
    if (o.err == LETHE_OK) assert_true(p.seen.what & LETHE_SEES_VALUES);
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

#define CLAIM(columns, t) "{\"notion\":\"value-threshold\",\"columns\":[" columns "],\"t\":" t "}"
static const char one[] = CLAIM("\"d\"", "2"), two[] = CLAIM("\"d\",\"c\"", "2");

/* why NULL: it holds. */
static void decides(const char *claim, const char *text, uint64_t values, const char *why)
{
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o = check(claim, text, threads);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.why, why ? why : "");
        assert_int_equal(o.holds, !why);
        assert_int_equal(o.values, values);
    }
}

static void values_need_distinct_users(void **state)
{
    (void)state;
    decides(one, HEAD "\td\n1\tq\t\t\t\tx\n2\tq\t\t\t\tx\n", 1, NULL);
    decides(one, HEAD "\td\n1\tq\t\t\t\t\n2\tq\t\t\t\t\n", 0, NULL);
    decides(one, HEAD "\td\n1\tq\t\t\t\tx\n2\tr\t\t\t\tx\n3\tq\t\t\t\t\n", 1, NULL);
    decides(one, HEAD "\td\n1\tq\t\t\t\tx\n1\tq\t\t\t\tx\n1\tr\t\t\t\tx\n2\tq\t\t\t\t\n", 1,
            "{\"column\":\"d\",\"value\":\"x\",\"users\":1,\"needed\":2}");
    // the least value is named, and of several columns the first one's
    decides(one, HEAD "\td\n1\tq\t\t\t\ty\n2\tq\t\t\t\tx\n3\tq\t\t\t\tx\xc3\xa9\n", 3,
            "{\"column\":\"d\",\"value\":\"x\",\"users\":1,\"needed\":2}");
    decides(two, HEAD "\td\tc\n1\tq\t\t\t\tz\ta\n2\tq\t\t\t\tx\ta\n3\tq\t\t\t\tx\tb\n", 4,
            "{\"column\":\"d\",\"value\":\"z\",\"users\":1,\"needed\":2}");
    decides(CLAIM("\"d\"", "3"), HEAD "\td\n1\tq\t\t\t\tx\n2\tq\t\t\t\tx\n", 1,
            "{\"column\":\"d\",\"value\":\"x\",\"users\":2,\"needed\":3}");
}

static void columns_are_counted_apart(void **state)
{
    (void)state;
    decides(two, HEAD "\td\tc\n1\tq\t\t\t\tx\tx\n2\tq\t\t\t\tx\tx\n", 2, NULL);
    decides(two, HEAD "\td\tc\n1\tq\t\t\t\tx\t\n2\tq\t\t\t\t\tx\n", 2,
            "{\"column\":\"d\",\"value\":\"x\",\"users\":1,\"needed\":2}");
    decides(two, HEAD "\td\tc\n1\tq\t\t\t\tx\tx\n2\tq\t\t\t\tx\t\n", 2,
            "{\"column\":\"c\",\"value\":\"x\",\"users\":1,\"needed\":2}");
    decides(CLAIM("\"a=b\",\"c\"", "1"), HEAD "\ta=b\tc\n1\tq\t\t\t\tx\ty\n", 2, NULL);
}

static void other_claims_are_refused(void **state)
{
    (void)state;
    static const char text[] = HEAD "\td\tc\n1\tq\t\t\t\tx\tx\n2\tq\t\t\t\tx\tx\n";
    static const char *const claims[] = {
        CLAIM("\"d\"", "2"),
        CLAIM("\"c\",\"d\"", "2"),
        CLAIM("\"d\",\"c\",\"e\"", "2"),
        CLAIM("\"d\",\"d\"", "2"),
        CLAIM("\"d\",\"C\"", "2"),
        CLAIM("", "2"),
        CLAIM("\"d\",7", "2"),
        CLAIM("\"d\",\"c\"", "0"),
        CLAIM("\"d\",\"c\"", "-2"),
        CLAIM("\"d\",\"c\"", "2.5"),
        CLAIM("\"d\",\"c\"", "\"2\""),
        "{\"notion\":\"value-threshold\",\"columns\":\"d,c\",\"t\":2}",
        "{\"notion\":\"value-threshold\",\"columns\":[\"d\",\"c\"]}",
        "{\"notion\":\"value-threshold\",\"t\":2}",
        "{\"notion\":\"value-threshold\",\"columns\":[\"d\",\"c\"],\"t\":2,\"by\":\"rows\"}",
        "{\"notion\":\"query-threshold\",\"columns\":[\"d\",\"c\"],\"t\":2}",
    };
    for (size_t i = 0; i < LETHE_COUNT(claims); i++)
        if (check(claims[i], text, 2).err != LETHE_EINPUT) fail_msg("%s", claims[i]);
    assert_int_equal(check(two, HEAD "\n1\tq\t\t\t\n", 2).err, LETHE_EINPUT);
    assert_int_equal(check(two, HEAD "\td\tc\n1\tq\t\t\t\tx\n", 2).err, LETHE_EINPUT);
}

static void rows_must_be_as_the_release_says(void **state)
{
    (void)state;
    static const char text[] = HEAD "\td\n1\tq\t2006-03-01\t\t\tx\n2\tq\t\t\t\tx\n";
    const lethe_keep d = {1, {LETHE_LIT("d")}}, e = {1, {LETHE_LIT("e")}};
    const lethe_log_form as_said = {.any_user = true, .keep = &d},
                         columns = {.any_user = true, .keep = &e}, users = {.keep = &d};
    form = &as_said;
    assert_int_equal(check(one, text, 1).err, LETHE_OK);
    form = &columns;
    assert_int_equal(check(one, text, 1).err, LETHE_EINPUT);
    form = &users;
    assert_int_equal(check(one, text, 1).err, LETHE_EINPUT);
    form = NULL;
}

static void persons_are_those_of_the_claim(void **state)
{
    (void)state;
    static const struct {
        const char *claim;
        uint64_t persons;
        bool nothing;
    } cases[] = {{CLAIM("\"d\"", "7"), 7, false},
                 {CLAIM("\"d\"", "1"), 1, true},
                 {CLAIM("\"d\"", "0"), UINT64_MAX, true}, // malformed: nothing keeps it
                 {"{\"notion\":\"value-threshold\",\"t\":3}", UINT64_MAX, false}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_json_doc *doc = NULL;
        lethe_json *claim = NULL;
        assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(cases[i].claim), &doc, &claim),
                         LETHE_OK);
        assert_int_equal(lethe_notion_value_threshold.persons(claim, LETHE_LIT("x")),
                         cases[i].persons);
        assert_int_equal(lethe_claim_nothing(claim) != NULL, cases[i].nothing);
        lethe_json_doc_free(doc);
    }
    assert_true(lethe_notion_value_threshold.of_values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_need_distinct_users),
        cmocka_unit_test(columns_are_counted_apart),
        cmocka_unit_test(other_claims_are_refused),
        cmocka_unit_test(rows_must_be_as_the_release_says),
        cmocka_unit_test(persons_are_those_of_the_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
