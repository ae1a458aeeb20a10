/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "small_wordnet.h"
#include "core/ctx.h"
#include "measure/measure.h"

static const lethe_read_options as_read = {.format = LETHE_FORMAT_AOL};

typedef struct run {
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *out;
    lethe_err err;
} run;

static lethe_err profile_text(run *r, const char *text, size_t n)
{
    lethe_log *log = NULL;
    r->err = lethe_log_memory(r->ctx, (lethe_str){text, n}, &as_read, &log);
    if (r->err == LETHE_OK) r->err = lethe_profile_measure(r->ctx, log, r->doc, r->out);
    lethe_log_free(log);
    return r->err;
}

static run run_begin(unsigned threads, uint64_t memory)
{
    run r = {.ctx = o_ctx(threads, memory), .doc = lethe_json_doc_new()};
    r.out = lethe_json_object(r.doc);
    return r;
}

static void run_end(run *r)
{
    lethe_json_doc_free(r->doc);
    lethe_ctx_free(r->ctx);
}

static run profile(const char *text)
{
    run r = run_begin(2, 0);
    assert_int_equal(profile_text(&r, text, strlen(text)), LETHE_OK);
    return r;
}

static int64_t count(const run *r, const char *name)
{
    const lethe_json *v = lethe_json_get(r->out, name);
    assert_int_equal(lethe_json_kind(v), LETHE_JSON_INT);
    return lethe_json_int(v);
}

static double real(const run *r, const char *name)
{
    const lethe_json *v = lethe_json_get(r->out, name);
    assert_int_equal(lethe_json_kind(v), LETHE_JSON_REAL);
    return lethe_json_real(v);
}

static void assert_per_user(const run *r, const char *name, double mean, double median, int64_t min,
                            int64_t max)
{
    const lethe_json *o = lethe_json_get(lethe_json_get(r->out, "per_user"), name);
    assert_int_equal(lethe_json_kind(o), LETHE_JSON_OBJECT);
    assert_true(lethe_json_real(lethe_json_get(o, "mean")) == mean);
    assert_true(lethe_json_real(lethe_json_get(o, "median")) == median);
    assert_int_equal(lethe_json_int(lethe_json_get(o, "min")), min);
    assert_int_equal(lethe_json_int(lethe_json_get(o, "max")), max);
}

static void assert_bucket(const run *r, const char *name, size_t i, int64_t from, int64_t to,
                          int64_t n)
{
    const lethe_json *list = lethe_json_get(lethe_json_get(r->out, "histograms"), name);
    const lethe_json *b = lethe_json_at(list, i);
    assert_int_equal(lethe_json_int(lethe_json_get(b, "from")), from);
    assert_int_equal(lethe_json_int(lethe_json_get(b, "to")), to);
    assert_int_equal(lethe_json_int(lethe_json_get(b, "count")), n);
}

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

/* Three users.  "maps" has all three; "new york" two; the others one each. */
static const char sample[] =
    HEADER "1\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com\n" /* one query, two clicks */
           "1\tmaps\t2006-03-01 10:00:00\t2\thttp://b.com\n"
           "1\tmaps\t2006-03-01 10:00:01\t\t\n" /* another query */
           "1\tnew york\t2006-03-02 00:00:00\t1\thttp://a.com\n"
           "2\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com\n"
           "2\tnew york\t2006-03-01 23:59:59\t\t\n"
           "2\tjarrett t arnold\t2006-05-31 12:00:00\t\t\n"
           "3\tmaps\t2006-03-04 10:00:00\t\t\n"
           "2\tjarrett t arnold\t2006-05-31 12:00:00\t\t\n"; /* again, same second: no new query */

static void counts_are_exact(void **state)
{
    (void)state;
    run r = profile(sample);
    assert_int_equal(count(&r, "rows"), 9);
    assert_int_equal(count(&r, "users"), 3);
    assert_int_equal(count(&r, "queries"), 7);
    assert_int_equal(count(&r, "distinct_queries"), 3);
    assert_int_equal(count(&r, "rejected"), 0);
    assert_int_equal(count(&r, "empty"), 0);
    assert_int_equal(count(&r, "invalid_utf8"), 0);
    assert_int_equal(count(&r, "clicks"), 4);
    assert_int_equal(count(&r, "urls"), 2);
    run_end(&r);
}

static void shares_are_of_queries_and_texts(void **state)
{
    (void)state;
    run r = profile(sample);
    assert_true(real(&r, "once_share") == 1.0 / 3); /* jarrett t arnold */
    assert_true(real(&r, "le3_share") == 2.0 / 3);  /* and new york */
    assert_true(real(&r, "unique_user_share") == 1.0 / 3);
    assert_true(real(&r, "left_t2") == 6.0 / 7);
    assert_true(real(&r, "left_t3") == 4.0 / 7);
    assert_true(real(&r, "left_t5") == 0);
    assert_true(real(&r, "left_q2") == 6.0 / 7);
    assert_true(real(&r, "left_q4") == 4.0 / 7);
    assert_true(real(&r, "terms_per_query") == (4 * 1 + 2 * 2 + 3) / 7.0);
    run_end(&r);
}

static void users_are_spread(void **state)
{
    (void)state;
    run r = profile(sample);
    assert_per_user(&r, "rows", 3, 4, 1, 4);
    assert_per_user(&r, "distinct_queries", 2, 2, 1, 3);
    assert_per_user(&r, "distinct_clicks", 1, 1, 0, 2);
    assert_per_user(&r, "days", 5.0 / 3, 2, 1, 2);
    run_end(&r);
}

static void survival_goes_by_users(void **state)
{
    (void)state;
    static const struct {
        int64_t t, texts;
        double queries, rows;
    } want[] = {{1, 3, 1, 1},
                {2, 2, 6.0 / 7, 7.0 / 9},
                {3, 1, 4.0 / 7, 5.0 / 9},
                {5, 0, 0, 0},
                {10, 0, 0, 0},
                {20, 0, 0, 0},
                {50, 0, 0, 0},
                {100, 0, 0, 0}};
    run r = profile(sample);
    const lethe_json *list = lethe_json_get(r.out, "survival");
    assert_int_equal(lethe_json_count(list), LETHE_COUNT(want));
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        const lethe_json *o = lethe_json_at(list, i);
        assert_int_equal(lethe_json_int(lethe_json_get(o, "t")), want[i].t);
        assert_int_equal(lethe_json_int(lethe_json_get(o, "texts")), want[i].texts);
        assert_true(lethe_json_real(lethe_json_get(o, "queries")) == want[i].queries);
        assert_true(lethe_json_real(lethe_json_get(o, "rows")) == want[i].rows);
    }
    run_end(&r);
}

static void histograms_have_their_buckets(void **state)
{
    (void)state;
    run r = profile(sample);
    const lethe_json *h = lethe_json_get(r.out, "histograms");
    assert_int_equal(lethe_json_count(lethe_json_get(h, "texts_by_users")), 3);
    assert_bucket(&r, "texts_by_users", 0, 1, 1, 1);
    assert_bucket(&r, "texts_by_users", 1, 2, 2, 1);
    assert_bucket(&r, "texts_by_users", 2, 3, 5, 1);
    assert_bucket(&r, "texts_by_queries", 0, 1, 1, 1);
    assert_bucket(&r, "texts_by_queries", 2, 3, 5, 1);
    assert_bucket(&r, "users_by_queries", 0, 1, 1, 1);
    assert_bucket(&r, "users_by_queries", 2, 3, 5, 1);
    assert_bucket(&r, "users_by_clicks", 0, 0, 0, 1); /* who clicked on nothing */
    assert_bucket(&r, "users_by_clicks", 2, 2, 2, 1);
    run_end(&r);
}

static void one_row_is_a_log(void **state)
{
    (void)state;
    run r = profile("7\tx\t2006-03-01 10:00:00\n");
    assert_int_equal(count(&r, "rows"), 1);
    assert_true(real(&r, "unique_user_share") == 1 && real(&r, "once_share") == 1);
    assert_true(real(&r, "left_t2") == 0 && real(&r, "left_q2") == 0);
    assert_int_equal(count(&r, "clicks"), 0);
    assert_int_equal(count(&r, "urls"), 0);
    assert_per_user(&r, "distinct_clicks", 0, 0, 0, 0);
    run_end(&r);
}

static void what_was_not_read_is_counted(void **state)
{
    (void)state;
    char text[4096] = HEADER;
    for (int i = 0; i < 20; i++)
        strcat(text, "1\tx\t2006-03-01 10:00:00\t\t\n");
    strcat(text, "1\t \t2006-03-01 10:00:00\t\t\n");      /* no query */
    strcat(text, "1\tx\t2006-13-01 10:00:00\t\t\n");      /* no such month */
    strcat(text, "1\t\xff x\t2006-03-01 10:00:00\t\t\n"); /* not UTF-8 */
    run r = profile(text);
    assert_int_equal(count(&r, "rows"), 21);
    assert_int_equal(count(&r, "queries"), 2);
    assert_int_equal(count(&r, "empty"), 1);
    assert_int_equal(count(&r, "rejected"), 1);
    assert_int_equal(count(&r, "invalid_utf8"), 1);
    run_end(&r);
}

static void nothing_to_read_is_bad_input(void **state)
{
    (void)state;
    run r = run_begin(1, 0);
    assert_int_equal(profile_text(&r, "", 0), LETHE_EINPUT);
    assert_int_equal(profile_text(&r, HEADER, strlen(HEADER)), LETHE_EINPUT);
    assert_int_equal(lethe_json_count(r.out), 0);
    run_end(&r);
}

static void no_row_left_divides_nothing(void **state)
{
    (void)state;
    run r = profile(HEADER "1\t\t2006-03-01 10:00:00\t\t\n");
    assert_int_equal(count(&r, "rows"), 0);
    assert_int_equal(count(&r, "empty"), 1);
    assert_true(real(&r, "once_share") == 0 && real(&r, "left_t2") == 0);
    assert_true(real(&r, "unique_user_share") == 0 && real(&r, "terms_per_query") == 0);
    assert_per_user(&r, "rows", 0, 0, 0, 0);
    run_end(&r);
}

/* One more byte in a name, a text or a time makes another user, text or query. */
static void neighbours_are_not_taken_for_each_other(void **state)
{
    (void)state;
    run r = profile("a\tb\t2006-03-01 10:00:00\t\t\n"
                    "ab\tb\t2006-03-01 10:00:00\t\t\n"
                    "a\tbb\t2006-03-01 10:00:00\t\t\n"
                    "a\tb b\t2006-03-01 10:00:01\t1\ta\n"
                    "b\ta\t2006-03-01 10:00:00\t1\tab\n"
                    "ba\ta\t2006-03-01 10:00:00\t1\ta\n"
                    "b\taa\t2006-03-01 10:00:00\t1\ta\n");
    assert_int_equal(count(&r, "users"), 4);
    assert_int_equal(count(&r, "queries"), 7);
    assert_int_equal(count(&r, "distinct_queries"), 5);
    assert_int_equal(count(&r, "urls"), 2);
    assert_per_user(&r, "distinct_clicks", 1, 1, 0, 2);
    run_end(&r);
}

/* Names longer than a slot of the users' table go another way, and must meet all the same. */
static void long_names_meet(void **state)
{
    (void)state;
    char name[120], text[4096] = "";
    for (size_t n = 38; n <= 43; n++) {
        memset(name, 'u', n);
        name[n] = '\0';
        for (int i = 0; i < 2; i++) {
            strcat(text, name);
            strcat(text,
                   i ? "\tb\t2006-05-01 10:00:00\t1\tu\n" : "\ta\t2006-03-01 10:00:00\t1\tv\n");
        }
    }
    run r = profile(text);
    assert_int_equal(count(&r, "users"), 6);
    assert_per_user(&r, "rows", 2, 2, 2, 2);
    assert_per_user(&r, "distinct_queries", 2, 2, 2, 2);
    assert_per_user(&r, "distinct_clicks", 2, 2, 2, 2);
    assert_per_user(&r, "days", 2, 2, 2, 2);
    run_end(&r);
}

static void days_are_counted_over_ages(void **state)
{
    (void)state;
    run r =
        profile("1\ta\t0001-01-01 00:00:00\n1\tb\t9999-12-31 23:59:59\n1\tc\t1969-12-31 23:59:59\n"
                "1\td\t1970-01-01 00:00:00\n1\te\t0001-01-01 23:59:59\n1\tf\t1970-01-01 00:00:01\n"
                "1\ta\t0001-01-01 00:00:00\n");
    assert_per_user(&r, "days", 4, 4, 4, 4);
    assert_int_equal(count(&r, "queries"), 6);
    run_end(&r);
}

/* Days are kept as bits of blocks of 64: these have the same bit in three blocks. */
static void days_of_different_blocks_are_different(void **state)
{
    (void)state;
    run r =
        profile("1\ta\t1970-01-01 00:00:00\n1\tb\t1970-03-06 00:00:00\n1\tc\t1970-05-09 00:00:00\n"
                "1\td\t1970-03-06 12:00:00\n");
    assert_per_user(&r, "days", 3, 3, 3, 3);
    run_end(&r);
}

static void rows_without_time_have_no_day(void **state)
{
    (void)state;
    run r = run_begin(2, 0);
    lethe_log *log = NULL;
    assert_int_equal(lethe_log_store(r.ctx, 1 << 20, &log), LETHE_OK);
    lethe_row row = {.owner = LETHE_LIT("1"),
                     .user = LETHE_LIT("1"),
                     .query = LETHE_LIT("q"),
                     .url = {"", 0},
                     .time = LETHE_NO_TIME,
                     .rank = LETHE_NO_RANK};
    for (int i = 0; i < 3; i++)
        assert_int_equal(lethe_log_append(log, 0, &row), LETHE_OK);
    row.time = 0;
    assert_int_equal(lethe_log_append(log, 0, &row), LETHE_OK);
    assert_int_equal(lethe_profile_measure(r.ctx, log, r.doc, r.out), LETHE_OK);
    assert_int_equal(count(&r, "rows"), 4);
    assert_int_equal(count(&r, "queries"), 2);
    assert_per_user(&r, "days", 1, 1, 1, 1);
    lethe_log_free(log);
    run_end(&r);
}

static void distinct_terms_are_counted_on_request(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_log *log = NULL;
    lethe_profile p;
    assert_int_equal(lethe_log_memory(ctx, lethe_str_of(sample), &as_read, &log), LETHE_OK);
    assert_int_equal(lethe_profile_count(ctx, log, &(lethe_profile_asked){.terms = true}, &p),
                     LETHE_OK);
    assert_int_equal(p.terms, 6); /* maps new york jarrett t arnold */
    lethe_log_free(log);
    lethe_ctx_free(ctx);
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    run r = run_begin(2, 0);
    lethe_ctx_cancel(r.ctx);
    assert_int_equal(profile_text(&r, sample, strlen(sample)), LETHE_ECANCEL);
    run_end(&r);
}

/* Allocation n fails, for every n that there is. */
static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    run r = run_begin(2, 0);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_json_doc_free(r.doc);
        r.doc = lethe_json_doc_new();
        r.out = lethe_json_object(r.doc);
        lethe_alloc_fail_at(n);
        err = profile_text(&r, sample, strlen(sample));
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
    }
    assert_true(n > 10);
    run_end(&r);
}

/* Of the small dictionary: geese, boxes and men reduce to nouns; red and [ssn] are none, nor are in
 * and does, though the dictionary has in and doe. */
static void nouns_are_counted_by_query(void **state)
{
    (void)state;
    run r = profile("1\tred geese\t2006-03-01 10:00:00\n"
                    "1\tred geese\t2006-03-01 10:00:00\t1\thttp://a.com\n"
                    "2\tred geese\t2006-03-01 10:00:00\n"
                    "2\tboxes men [ssn] fro in does\t2006-03-01 10:00:00\n");
    assert_true(real(&r, "noun_share") == 4.0 / 9); /* masks are left aside */
    assert_true(real(&r, "terms_per_query") == 10.0 / 3);
    run_end(&r);
}

static void without_a_dictionary_the_rest_is_there(void **state)
{
    (void)state;
    assert_int_equal(setenv("WNSEARCHDIR", "/nowhere", 1), 0);
    run r = profile("1\tgeese\t2006-03-01 10:00:00\n");
    assert_int_equal(setenv("WNSEARCHDIR", small_folder, 1), 0);
    assert_null(lethe_json_get(r.out, "noun_share"));
    assert_true(real(&r, "terms_per_query") == 1);
    run_end(&r);
}

static int64_t pii(const run *r, const char *kind)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(r->out, "pii"), kind));
}

/* A query counts once for a kind however often it is in it, and as often as it was made. */
static void personal_data_is_counted_by_query(void **state)
{
    (void)state;
    run r = profile("1\tann@lee.org bob@lee.org\t2006-03-01 10:00:00\n"
                    "1\tann@lee.org bob@lee.org\t2006-03-01 11:00:00\n"
                    "2\tann@lee.org bob@lee.org\t2006-03-01 10:00:00\n"
                    "2\tann@lee.org bob@lee.org\t2006-03-01 10:00:00\t1\thttp://a.com\n"
                    "3\tssn 219-09-9999 mail ann@lee.org\t2006-03-01 10:00:00\n"
                    "3\tgeese\t2006-03-01 10:00:00\n");
    assert_int_equal(pii(&r, "email"), 4);
    assert_int_equal(pii(&r, "ssn"), 1);
    assert_int_equal(pii(&r, "card"), 0);
    assert_int_equal(lethe_json_count(lethe_json_get(r.out, "pii")), LETHE_PII_LIST);
    run_end(&r);
}

/* The shortest three, each once, whatever the order in which they are met; and never what was
 * typed. */
static void examples_show_forms_only(void **state)
{
    (void)state;
    static const char *const want[] = {"x@x.xx", "x@xx.xx", "xx@x.xx"};
    const char *text = "1\tlonger@address.org\t2006-03-01 10:00:00\n"
                       "1\tqq@b.de\t2006-03-01 10:00:00\n"
                       "2\ta@b.de\t2006-03-01 10:00:00\n"
                       "2\tc@d.fr\t2006-03-01 10:00:00\n"
                       "3\tvery.long@address.org\t2006-03-01 10:00:00\n"
                       "3\ta@zz.de\t2006-03-01 10:00:00\n";
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        run r = run_begin(threads, 0);
        assert_int_equal(profile_text(&r, text, strlen(text)), LETHE_OK);
        const lethe_json *all = lethe_json_get(r.out, "pii_examples");
        const lethe_json *list = lethe_json_get(all, "email");
        assert_int_equal(lethe_json_count(all), 1);
        assert_int_equal(lethe_json_count(list), LETHE_COUNT(want));
        for (size_t i = 0; i < LETHE_COUNT(want); i++)
            assert_true(
                lethe_str_eq(lethe_json_text(lethe_json_at(list, i)), lethe_str_of(want[i])));
        run_end(&r);
    }
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(shares_are_of_queries_and_texts),
        cmocka_unit_test(users_are_spread),
        cmocka_unit_test(survival_goes_by_users),
        cmocka_unit_test(histograms_have_their_buckets),
        cmocka_unit_test(one_row_is_a_log),
        cmocka_unit_test(what_was_not_read_is_counted),
        cmocka_unit_test(nothing_to_read_is_bad_input),
        cmocka_unit_test(no_row_left_divides_nothing),
        cmocka_unit_test(neighbours_are_not_taken_for_each_other),
        cmocka_unit_test(long_names_meet),
        cmocka_unit_test(days_are_counted_over_ages),
        cmocka_unit_test(days_of_different_blocks_are_different),
        cmocka_unit_test(rows_without_time_have_no_day),
        cmocka_unit_test(distinct_terms_are_counted_on_request),
        cmocka_unit_test(nouns_are_counted_by_query),
        cmocka_unit_test(without_a_dictionary_the_rest_is_there),
        cmocka_unit_test(personal_data_is_counted_by_query),
        cmocka_unit_test(examples_show_forms_only),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
