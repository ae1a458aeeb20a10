/* SPDX-License-Identifier: Apache-2.0 */
/* A log as users and their texts: order, what is one query, and what a change of texts does. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/microagg/user_texts.h"
#include "log_oracle.h"
#include "core/mem.h"
#include "sanitized.h"
#include <sys/resource.h>

static lethe_log *store(lethe_ctx *ctx, const olog *log)
{
    lethe_log *out = NULL;
    assert_int_equal(lethe_log_store(ctx, (uint64_t)1 << 20, &out), LETHE_OK);
    for (size_t i = 0; i < log->n; i++) {
        const orow *r = &log->at[i];
        lethe_row row = {.origin = i,
                         .owner = {r->owner, strlen(r->owner)},
                         .user = {r->user, strlen(r->user)},
                         .query = {r->query, strlen(r->query)},
                         .url = {r->url, strlen(r->url)},
                         .time = r->time,
                         .rank = r->rank};
        assert_int_equal(lethe_log_append(out, (unsigned)(i % lethe_ctx_threads(ctx)), &row),
                         LETHE_OK);
    }
    return out;
}

static const struct {
    const char *user, *query;
    int64_t time;
} lines[] = {
    {"b", "zoo", 9},  {"a", "news", 5}, {"b", "maps", 2}, {"a", "news", 5}, /* a click more */
    {"a", "maps", 5}, {"a", "news", 7}, {"c", "drop", 1}, {"b", "maps", LETHE_NO_TIME},
    {"b", "maps", 2}, {"a", "drop", 1},
};

static olog small_log(void)
{
    olog log = {calloc(LETHE_COUNT(lines), sizeof(orow)), LETHE_COUNT(lines)};
    for (size_t i = 0; i < log.n; i++) {
        orow *r = &log.at[i];
        strcpy(r->user, lines[i].user);
        strcpy(r->owner, lines[i].user);
        strcpy(r->query, lines[i].query);
        r->time = lines[i].time;
        r->rank = LETHE_NO_RANK;
    }
    return log;
}

static lethe_err drop_some(void *arg, unsigned w, lethe_row *row, bool *dropped)
{
    (void)arg, (void)w;
    *dropped = lethe_str_eq(row->query, LETHE_LIT("drop"));
    if (lethe_str_eq(row->query, LETHE_LIT("zoo"))) row->query = LETHE_LIT("maps");
    return LETHE_OK;
}

/* "a: news 2/3, maps 1/1": texts with queries and lines, in order. */
static void written(const lethe_user_texts *t, char *out)
{
    out[0] = '\0';
    for (uint32_t u = 0; u < t->n; u++) {
        sprintf(out + strlen(out), "%.*s:", (int)t->name[u].n, t->name[u].at);
        for (uint64_t i = t->start[u]; i < t->start[u + 1]; i++) {
            lethe_str text = lethe_dict_at(t->texts, t->text[i]);
            sprintf(out + strlen(out), " %.*s %d/%d", (int)text.n, text.at, (int)t->queries[i],
                    (int)t->rows[i]);
        }
        strcat(out, ";");
    }
}

static void users_and_texts_stand_in_order_of_first_sight(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    static const struct {
        lethe_user_texts_fn change;
        const char *want;
    } cases[] = {
        {NULL, "b: maps 2/3 zoo 1/1;a: drop 1/1 maps 1/1 news 2/3;c: drop 1/1;"},
        {drop_some, "b: maps 3/4;a: maps 1/1 news 2/3;c:;"},
    };
    olog log = small_log();
    for (size_t i = 0; i < LETHE_COUNT(threads) * LETHE_COUNT(cases); i++) {
        lethe_ctx *ctx = o_ctx(threads[i / 2], 0);
        lethe_log *in = store(ctx, &log);
        lethe_user_texts *t = NULL;
        char got[512];
        assert_int_equal(lethe_user_texts_read(ctx, in, cases[i % 2].change, NULL, 1 << 20, &t),
                         LETHE_OK);
        written(t, got);
        assert_string_equal(got, cases[i % 2].want);
        lethe_user_texts_free(t);
        lethe_log_free(in);
        lethe_ctx_free(ctx);
    }
    o_free(&log);
}

static lethe_err refuse(void *arg, unsigned w, lethe_row *row, bool *dropped)
{
    (void)arg, (void)w, (void)dropped;
    return row->origin == 4 ? LETHE_EINPUT : LETHE_OK;
}

static void failures_are_handed_on(void **state)
{
    (void)state;
    olog log = small_log();
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_user_texts *untouched = (lethe_user_texts *)(uintptr_t)1, *t = untouched;
    lethe_log *in = store(ctx, &log);
    assert_int_equal(lethe_user_texts_read(ctx, in, refuse, NULL, 1 << 20, &t), LETHE_EINPUT);
    assert_ptr_equal(t, untouched);
    lethe_log_free(in);
    lethe_ctx_free(ctx);
    lethe_err err = LETHE_ENOMEM;
    for (uint64_t n = 1; err != LETHE_OK; n++) {
        ctx = o_ctx(1, 0);
        in = store(ctx, &log);
        lethe_alloc_fail_at(n);
        err = lethe_user_texts_read(ctx, in, drop_some, NULL, 1 << 20, &t);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        if (err != LETHE_OK) assert_ptr_equal(t, untouched);
        lethe_log_free(in);
        lethe_ctx_free(ctx);
        assert_true(n < 1000);
    }
    lethe_user_texts_free(t);
    lethe_user_texts_free(NULL);
    o_free(&log);
}

static void a_log_without_rows_has_no_users(void **state)
{
    (void)state;
    olog none = {calloc(1, sizeof(orow)), 0};
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_log *in = store(ctx, &none);
    lethe_user_texts *t = NULL;
    assert_int_equal(lethe_user_texts_read(ctx, in, NULL, NULL, 1 << 20, &t), LETHE_OK);
    assert_true(t->n == 0 && t->start[0] == 0 && lethe_dict_count(t->texts) == 0);
    lethe_user_texts_free(t);
    lethe_log_free(in);
    lethe_ctx_free(ctx);
    o_free(&none);
}

/* Against looking at every pair of rows. */
static void random_logs_agree_with_counting(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 1500; number++) {
        uint64_t seed = number;
        olog log = o_log(&seed, o_small_shape(&seed));
        lethe_ctx *ctx = o_ctx(1 + (unsigned)(number % 3), 0);
        lethe_log *in = store(ctx, &log);
        lethe_user_texts *t = NULL;
        assert_int_equal(lethe_user_texts_read(ctx, in, NULL, NULL, 1 << 20, &t), LETHE_OK);
        uint32_t user = 0;
        uint64_t rows = 0;
        for (size_t i = 0; i < log.n; i++) { /* users in the order of their first lines */
            if (!o_first_user(&log, i)) continue;
            assert_true(lethe_str_eq(t->name[user], lethe_str_of(log.at[i].user)));
            olog own = {calloc(log.n, sizeof(orow)), 0};
            for (size_t j = 0; j < log.n; j++)
                if (strcmp(log.at[j].user, log.at[i].user) == 0) own.at[own.n++] = log.at[j];
            for (uint64_t e = t->start[user]; e < t->start[user + 1]; e++) {
                char text[64];
                lethe_str s = lethe_dict_at(t->texts, t->text[e]);
                snprintf(text, sizeof text, "%.*s", (int)s.n, s.at);
                ocount c = o_count(&own, text, false);
                if (c.queries != t->queries[e] || c.rows != t->rows[e])
                    fail_msg("log %d, user %s, '%s'", (int)number, log.at[i].user, text);
                rows += t->rows[e];
            }
            o_free(&own);
            user++;
        }
        assert_int_equal(user, t->n);
        assert_int_equal(rows, log.n);
        lethe_user_texts_free(t);
        lethe_log_free(in);
        lethe_ctx_free(ctx);
        o_free(&log);
    }
}

static long peak_kib(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_maxrss;
}

/* Of a robot's million queries no more is held than of its seven texts. */
static void many_queries_of_few_texts_take_little_room(void **state)
{
    (void)state;
    enum { N_QUERIES = 1000000, N_TEXTS = 7, KIB_MOST = 12 << 10 };
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_log *in = NULL;
    lethe_user_texts *t = NULL;
    assert_int_equal(lethe_log_store(ctx, (uint64_t)1 << 20, &in), LETHE_OK);
    for (uint64_t i = 0; i < 2 * N_QUERIES; i++) { /* every query is two lines */
        char query[2] = {(char)('a' + i / 2 % N_TEXTS), 0};
        lethe_row row = {.origin = i,
                         .owner = LETHE_LIT("robot"),
                         .user = LETHE_LIT("robot"),
                         .query = lethe_str_of(query),
                         .url = {"", 0},
                         .time = (int64_t)(i / 2),
                         .rank = (uint32_t)(i % 2)};
        assert_int_equal(lethe_log_append(in, 0, &row), LETHE_OK);
    }
    long before = peak_kib();
    assert_int_equal(lethe_user_texts_read(ctx, in, NULL, NULL, 1 << 20, &t), LETHE_OK);
    if (!SANITIZED) assert_in_range(peak_kib() - before, 0, KIB_MOST);
    assert_int_equal(t->start[t->n], N_TEXTS);
    for (uint32_t i = 0; i < N_TEXTS; i++) {
        uint64_t queries = N_QUERIES / N_TEXTS + (i < N_QUERIES % N_TEXTS);
        assert_int_equal(*lethe_dict_at(t->texts, t->text[i]).at, 'a' + (int)i);
        assert_int_equal(t->queries[i], queries);
        assert_int_equal(t->rows[i], 2 * queries);
    }
    lethe_user_texts_free(t);
    lethe_log_free(in);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_and_texts_stand_in_order_of_first_sight),
        cmocka_unit_test(failures_are_handed_on),
        cmocka_unit_test(a_log_without_rows_has_no_users),
        cmocka_unit_test(random_logs_agree_with_counting),
        cmocka_unit_test(many_queries_of_few_texts_take_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
