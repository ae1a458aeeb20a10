/* SPDX-License-Identifier: Apache-2.0 */
/* Values of kept columns by themselves: who counts, what is blanked, and what is done where memory
 * is short. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "log_oracle.h"
#include "core/mem.h"
#include "release/publish/kept_values.h"

/* Rows as they come back, in any order. */
typedef struct rows {
    pthread_mutex_t lock;
    char line[64][64];
    size_t n;
    uint64_t all; /* of them, also past the last line */
    lethe_err fail;
} rows;

static lethe_err take(void *arg, unsigned w, const lethe_row *row)
{
    rows *r = arg;
    (void)w;
    pthread_mutex_lock(&r->lock);
    r->all++;
    if (r->n < LETHE_COUNT(r->line))
        snprintf(r->line[r->n++], sizeof r->line[0], "%.*s/%.*s:%.*s", (int)row->owner.n,
                 row->owner.at, (int)row->user.n, row->user.at, (int)row->kept.n, row->kept.at);
    pthread_mutex_unlock(&r->lock);
    return r->fail;
}

static int by_bytes(const void *a, const void *b) { return strcmp(a, b); }

/* Puts `owner/user:kept` lines, and hands out; *counts and sorted lines. */
static lethe_err run(lethe_ctx *ctx, size_t n_columns, uint64_t min, const char *const *in,
                     rows *out, lethe_kept_counts *counts)
{
    lethe_kept_values *k = NULL;
    pthread_mutex_init(&out->lock, NULL);
    lethe_err e = lethe_kept_values_new(ctx, n_columns, min, 1 << 20, &k);
    for (size_t i = 0; in[i] && e == LETHE_OK; i++) {
        const char *slash = strchr(in[i], '/'), *colon = strchr(slash, ':');
        const lethe_row row = {.origin = i,
                               .owner = {in[i], (size_t)(slash - in[i])},
                               .user = {slash + 1, (size_t)(colon - slash) - 1},
                               .query = LETHE_LIT("q"),
                               .kept = lethe_str_of(colon + 1),
                               .time = LETHE_NO_TIME,
                               .rank = LETHE_NO_RANK};
        e = lethe_kept_values_put(k, (unsigned)(i % lethe_ctx_threads(ctx)), &row);
    }
    if (e == LETHE_OK) e = lethe_kept_values_each(k, take, out);
    if (e == LETHE_OK) *counts = lethe_kept_values_counts(k);
    lethe_kept_values_free(k);
    qsort(out->line, out->n, sizeof out->line[0], by_bytes);
    pthread_mutex_destroy(&out->lock);
    return e;
}

static const char *const some[] = {"a/a:x\tx", "a/b:x\tx",  "b/b:x\ty", "b/b:\t",
                                   "c/c:y\t",  "c/d:y\tx ", "d/a:\ty",  NULL};

static void values_count_with_their_owners(void **state)
{
    (void)state;
    static const char *const wanted[] = {"a/a:x\t", "a/b:x\t", "b/b:\t", "b/b:x\ty",
                                         "c/c:\t",  "c/d:\t",  "d/a:\ty"};
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        lethe_ctx *ctx = o_ctx(threads, 0);
        rows r = {.fail = LETHE_OK};
        lethe_kept_counts counts;
        assert_int_equal(run(ctx, 2, 2, some, &r, &counts), LETHE_OK);
        assert_int_equal(r.n, LETHE_COUNT(wanted));
        for (size_t i = 0; i < r.n; i++)
            assert_string_equal(r.line[i], wanted[i]);
        // x, and y of the second column; y of the first, x and "x " of the second
        assert_int_equal(counts.values, 2);
        assert_int_equal(counts.dropped, 3);
        assert_int_equal(counts.rows, 4);
        assert_false(counts.lost[0] || counts.lost[1] || counts.lost[2]);
        lethe_ctx_free(ctx);
    }
}

static void columns_can_be_lost(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    rows r = {.fail = LETHE_OK};
    lethe_kept_counts counts;
    assert_int_equal(run(ctx, 2, 4, some, &r, &counts), LETHE_OK);
    assert_int_equal(counts.values, 0);
    assert_true(counts.lost[0] && counts.lost[1]);
    static const char *const empty[] = {"a/a:x\t", "b/b:x\t", NULL};
    r = (rows){.fail = LETHE_OK};
    assert_int_equal(run(ctx, 2, 2, empty, &r, &counts), LETHE_OK);
    assert_false(counts.lost[0] || counts.lost[1]); // nothing was there
    r = (rows){.fail = LETHE_ANSWER_NO};
    assert_int_equal(run(ctx, 2, 2, some, &r, &counts), LETHE_ANSWER_NO);
    lethe_ctx_free(ctx);
}

static void every_lack_of_memory_is_told(void **state)
{
    (void)state;
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK && n < 1000) {
        lethe_ctx *ctx = o_ctx(1, 0);
        rows r = {.fail = LETHE_OK};
        lethe_kept_counts counts;
        lethe_alloc_fail_at(++n);
        e = run(ctx, 2, 2, some, &r, &counts);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        lethe_ctx_free(ctx);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 10);
}

/* Values that have enough persons are held in memory; too many end the run instead. */
static void too_many_values_end_the_run(void **state)
{
    (void)state;
    enum { VALUES = 60000 };
    for (uint64_t min = 1; min <= 2; min++) {
        lethe_ctx *ctx = o_ctx(2, 4 << 20);
        lethe_kept_values *k = NULL;
        rows r = {.fail = LETHE_OK};
        pthread_mutex_init(&r.lock, NULL);
        assert_int_equal(lethe_kept_values_new(ctx, 1, min, 1 << 20, &k), LETHE_OK);
        for (unsigned i = 0; i < VALUES; i++) {
            char value[64];
            snprintf(value, sizeof value, "a value that is not short, number %u", i);
            const lethe_row row = {.origin = i,
                                   .owner = LETHE_LIT("a"),
                                   .user = LETHE_LIT("a"),
                                   .query = LETHE_LIT("q"),
                                   .kept = lethe_str_of(value),
                                   .time = LETHE_NO_TIME,
                                   .rank = LETHE_NO_RANK};
            assert_int_equal(lethe_kept_values_put(k, i % 2, &row), LETHE_OK);
        }
        lethe_err e = lethe_kept_values_each(k, take, &r);
        assert_int_equal(e, min == 1 ? LETHE_ENOMEM : LETHE_OK);
        assert_int_equal(r.all, min == 1 ? 0 : VALUES);
        if (e == LETHE_OK) assert_int_equal(lethe_kept_values_counts(k).dropped, VALUES);
        lethe_kept_values_free(k);
        pthread_mutex_destroy(&r.lock);
        lethe_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_count_with_their_owners),
        cmocka_unit_test(columns_can_be_lost),
        cmocka_unit_test(every_lack_of_memory_is_told),
        cmocka_unit_test(too_many_values_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
