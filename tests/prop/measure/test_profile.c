/* SPDX-License-Identifier: Apache-2.0 */
/* The profile against counting every pair of rows, for any number of threads and little memory. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "small_wordnet.h"
#include "io/json/json.h"
#include "measure/measure.h"

#define N_LOGS 1000

typedef struct expected {
    size_t rows, users, alone, queries, texts, once, le3, clicks, urls, words;
    size_t texts_with[101], queries_with[101], rows_with[101]; /* by at least t users */
    size_t queries_of[5];                                      /* by at least that many queries */
    size_t per_user[4][64]; /* rows, texts, clicks, days of user i */
} expected;

static size_t words_of(const char *s)
{
    size_t n = 0;
    for (size_t i = 0; s[i]; i++)
        n += s[i] != ' ' && (i == 0 || s[i - 1] == ' ');
    return n;
}

static void expect_texts(const olog *log, expected *x)
{
    for (size_t i = 0; i < log->n; i++) {
        if (!o_first_text(log, i)) continue;
        ocount c = o_count(log, log->at[i].query, false);
        x->texts++;
        x->queries += c.queries;
        x->once += c.queries == 1;
        x->le3 += c.queries <= 3;
        x->words += words_of(log->at[i].query) * c.queries;
        for (size_t t = 1; t <= 100 && t <= c.users; t++) {
            x->texts_with[t]++;
            x->queries_with[t] += c.queries;
            x->rows_with[t] += c.rows;
        }
        for (size_t t = 1; t <= 4 && t <= c.queries; t++)
            x->queries_of[t] += c.queries;
    }
}

/* The rows of one user, looked at each by each. */
static void expect_user(const olog *log, const char *user, expected *x)
{
    size_t *rows = &x->per_user[0][x->users], *texts = &x->per_user[1][x->users];
    size_t *clicks = &x->per_user[2][x->users], *days = &x->per_user[3][x->users];
    bool alone = false;
    for (size_t i = 0; i < log->n; i++) {
        const orow *r = &log->at[i];
        if (strcmp(r->user, user) != 0) continue;
        bool new_text = true, new_click = r->url[0] != '\0', new_day = true;
        for (size_t j = 0; j < i; j++) {
            const orow *q = &log->at[j];
            if (strcmp(q->user, user) != 0) continue;
            if (strcmp(q->query, r->query) == 0) new_text = false;
            if (strcmp(q->url, r->url) == 0) new_click = false;
            if (q->time / 86400 == r->time / 86400) new_day = false;
        }
        ++*rows;
        *texts += new_text;
        *clicks += new_click;
        *days += new_day;
        alone = alone || o_count(log, r->query, false).users == 1;
    }
    x->alone += alone;
    x->users++;
}

static expected expect(const olog *log)
{
    expected x = {.rows = log->n};
    expect_texts(log, &x);
    for (size_t i = 0; i < log->n; i++) {
        bool first_url = log->at[i].url[0] != '\0';
        x.clicks += first_url;
        for (size_t j = 0; j < i; j++)
            if (strcmp(log->at[j].url, log->at[i].url) == 0) first_url = false;
        x.urls += first_url;
        if (o_first_user(log, i)) expect_user(log, log->at[i].user, &x);
    }
    return x;
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* --- comparing --- */

static bool is_count(const lethe_json *o, const char *name, size_t want)
{
    const lethe_json *v = lethe_json_get(o, name);
    return lethe_json_kind(v) == LETHE_JSON_INT && lethe_json_int(v) == (int64_t)want;
}

static bool is_real(const lethe_json *o, const char *name, double want)
{
    const lethe_json *v = lethe_json_get(o, name);
    return lethe_json_kind(v) == LETHE_JSON_REAL && fabs(lethe_json_real(v) - want) < 1e-12;
}

static bool is_share(const lethe_json *o, const char *name, size_t part, size_t whole)
{
    return is_real(o, name, (double)part / (double)whole);
}

static bool is_spread(const lethe_json *per_user, const char *name, size_t *values, size_t n)
{
    const lethe_json *o = lethe_json_get(per_user, name);
    size_t sum = 0;
    qsort(values, n, sizeof *values, by_size);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    double median = n % 2 ? (double)values[n / 2] : (double)(values[n / 2 - 1] + values[n / 2]) / 2;
    return is_share(o, "mean", sum, n) && is_real(o, "median", median) &&
           is_count(o, "min", values[0]) && is_count(o, "max", values[n - 1]);
}

/* Buckets leave no gap, and together hold `n`. */
static bool is_histogram(const lethe_json *histograms, const char *name, size_t n)
{
    const lethe_json *list = lethe_json_get(histograms, name);
    int64_t next = lethe_json_int(lethe_json_get(lethe_json_at(list, 0), "from")), sum = 0;
    if (next > 1) return false;
    for (size_t i = 0; i < lethe_json_count(list); i++) {
        const lethe_json *b = lethe_json_at(list, i);
        if (lethe_json_int(lethe_json_get(b, "from")) != next) return false;
        next = lethe_json_int(lethe_json_get(b, "to")) + 1;
        sum += lethe_json_int(lethe_json_get(b, "count"));
    }
    return sum == (int64_t)n;
}

static bool bucket_is(const lethe_json *histograms, const char *name, int64_t from, size_t want)
{
    const lethe_json *list = lethe_json_get(histograms, name);
    for (size_t i = 0; i < lethe_json_count(list); i++) {
        const lethe_json *b = lethe_json_at(list, i);
        if (lethe_json_int(lethe_json_get(b, "from")) == from) return is_count(b, "count", want);
    }
    return want == 0;
}

static bool survival_is(const lethe_json *out, const expected *x)
{
    static const size_t ts[] = {1, 2, 3, 5, 10, 20, 50, 100};
    const lethe_json *list = lethe_json_get(out, "survival");
    if (lethe_json_count(list) != 8) return false;
    for (size_t i = 0; i < 8; i++) {
        const lethe_json *o = lethe_json_at(list, i);
        if (!is_count(o, "t", ts[i]) || !is_count(o, "texts", x->texts_with[ts[i]]) ||
            !is_share(o, "queries", x->queries_with[ts[i]], x->queries) ||
            !is_share(o, "rows", x->rows_with[ts[i]], x->rows))
            return false;
    }
    return true;
}

static bool agrees(const lethe_json *out, expected *x)
{
    const lethe_json *per_user = lethe_json_get(out, "per_user"),
                     *h = lethe_json_get(out, "histograms");
    size_t no_clicks = 0;
    for (size_t i = 0; i < x->users; i++)
        no_clicks += x->per_user[2][i] == 0;
    return is_count(out, "rows", x->rows) && is_count(out, "users", x->users) &&
           is_count(out, "queries", x->queries) && is_count(out, "distinct_queries", x->texts) &&
           is_count(out, "clicks", x->clicks) && is_count(out, "urls", x->urls) &&
           is_count(out, "rejected", 0) && is_count(out, "empty", 0) &&
           is_share(out, "once_share", x->once, x->texts) &&
           is_share(out, "le3_share", x->le3, x->texts) &&
           is_share(out, "unique_user_share", x->alone, x->users) &&
           is_share(out, "left_t2", x->queries_with[2], x->queries) &&
           is_share(out, "left_t3", x->queries_with[3], x->queries) &&
           is_share(out, "left_t5", x->queries_with[5], x->queries) &&
           is_share(out, "left_q2", x->queries_of[2], x->queries) &&
           is_share(out, "left_q4", x->queries_of[4], x->queries) &&
           is_share(out, "terms_per_query", x->words, x->queries) && survival_is(out, x) &&
           is_spread(per_user, "rows", x->per_user[0], x->users) &&
           is_spread(per_user, "distinct_queries", x->per_user[1], x->users) &&
           is_spread(per_user, "distinct_clicks", x->per_user[2], x->users) &&
           is_spread(per_user, "days", x->per_user[3], x->users) &&
           is_histogram(h, "texts_by_users", x->texts) &&
           is_histogram(h, "texts_by_queries", x->texts) &&
           is_histogram(h, "users_by_queries", x->users) &&
           is_histogram(h, "users_by_clicks", x->users) &&
           bucket_is(h, "texts_by_queries", 1, x->once) &&
           bucket_is(h, "users_by_clicks", 0, no_clicks) &&
           bucket_is(h, "texts_by_users", 1, x->texts - x->texts_with[2]);
}

static lethe_json *profile(lethe_ctx *ctx, const char *text, size_t n, lethe_json_doc *doc)
{
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log *log = NULL;
    lethe_json *out = lethe_json_object(doc);
    assert_int_equal(lethe_log_memory(ctx, (lethe_str){text, n}, &reading, &log), LETHE_OK);
    assert_int_equal(lethe_profile_measure(ctx, log, doc, out), LETHE_OK);
    lethe_log_free(log);
    return out;
}

static void agrees_with_counting_pairs(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 1 << 20), o_ctx(7, 16 << 20)};
    for (uint64_t trial = 0; trial < N_LOGS; trial++) {
        uint64_t seed = trial;
        olog log = o_log(&seed, o_small_shape(&seed));
        size_t n;
        char *text = o_tsv(&log, "%Y-%m-%d %H:%M:%S", &n);
        expected x = expect(&log);
        lethe_json_doc *doc = lethe_json_doc_new();
        if (!agrees(profile(ctx[trial % 3], text, n, doc), &x))
            fail_msg("seed %d:\n%s", (int)trial, text);
        lethe_json_doc_free(doc);
        free(text);
        o_free(&log);
    }
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

/* A log that does not fit: the same bytes of JSON for any number of threads and any memory. */
static void nothing_depends_on_threads_or_memory(void **state)
{
    (void)state;
    static const struct {
        unsigned threads;
        uint64_t memory;
    } how[] = {{1, 0}, {2, 0}, {7, 0}, {1, 1 << 20}, {2, 2 << 20}, {7, 1 << 20}};
    uint64_t seed = 42;
    olog log = o_log(&seed, (oshape){60000, 12000, 16000, 8000, 30, 40});
    size_t n, n_first = 0;
    char *text = o_tsv(&log, "%Y-%m-%d %H:%M:%S", &n), *first = NULL;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        lethe_ctx *ctx = o_ctx(how[i].threads, how[i].memory);
        lethe_json_doc *doc = lethe_json_doc_new();
        size_t n_this;
        char *this = lethe_json_write(profile(ctx, text, n, doc), 0, &n_this);
        assert_non_null(this);
        if (first) {
            assert_int_equal(n_this, n_first);
            assert_memory_equal(this, first, n_first);
            lethe_json_text_free(this);
        } else {
            first = this;
            n_first = n_this;
        }
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    lethe_json_text_free(first);
    free(text);
    o_free(&log);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_counting_pairs),
        cmocka_unit_test(nothing_depends_on_threads_or_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
