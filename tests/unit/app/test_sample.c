/* SPDX-License-Identifier: Apache-2.0 */
/* The sample that candidates are tried on: whole persons, about as many as asked for, and the same
 * for any number of threads. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "app/sample.h"

enum { USERS = 400, ROWS = 5 };

typedef struct seen {
    unsigned rows[USERS]; /* by user; one thread counts */
} seen;

static lethe_err row_count(void *arg, unsigned w, const lethe_row *row)
{
    char text[16] = "";
    (void)w;
    memcpy(text, row->owner.at + 1, row->owner.n - 1); // "u17"
    ((seen *)arg)->rows[atoi(text)]++;
    return LETHE_OK;
}

static void log_write(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < ROWS; i++)
        for (int u = 0; u < USERS; u++)
            fprintf(f, "u%d\tquery %d\t2024-03-0%d 10:00:00\t%s\n", u, u % 7, i + 1,
                    u == 3 ? "1\thttp://example.org/" : "\t");
    assert_int_equal(fclose(f), 0);
}

/* Rows of each user in a sample of the share, drawn with `n_threads`. */
static seen sampled(ground *g, unsigned n_threads, double share, uint64_t seed)
{
    lethe_ctx *ctx = g_ctx(g, n_threads), *one = g_ctx(g, 1);
    const char *paths[] = {g->log};
    lethe_read_options reading = {0};
    lethe_log *log, *part;
    seen out = {{0}};
    assert_int_equal(lethe_log_files(ctx, paths, 1, &reading, &log), LETHE_OK);
    assert_int_equal(lethe_log_sample(ctx, log, share, seed, &part), LETHE_OK);
    assert_int_equal(lethe_log_walk(one, part, &(lethe_row_visitor){.row = row_count, .arg = &out}),
                     LETHE_OK);
    lethe_log_free(part);
    lethe_log_free(log);
    lethe_ctx_free(one);
    lethe_ctx_free(ctx);
    return out;
}

static void persons_are_whole_and_the_same_for_any_threads(void **state)
{
    ground g;
    (void)state;
    g_begin(&g);
    log_write(g.log);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double share = (double)seed / 20;
        seen a = sampled(&g, 1, share, seed), b = sampled(&g, 4, share, seed);
        unsigned n = 0;
        for (int u = 0; u < USERS; u++) {
            assert_true(a.rows[u] == 0 || a.rows[u] == ROWS);
            assert_int_equal(a.rows[u], b.rows[u]);
            n += a.rows[u] > 0;
        }
        // five standard deviations of a binomial
        double mean = share * USERS, away = 5 * 0.5 * 20;
        assert_true(n >= mean - away && n <= mean + away);
        if (seed == 20) assert_int_equal(n, USERS);
    }
    g_end(&g);
}

static void facts_are_counted(void **state)
{
    ground g;
    (void)state;
    g_begin(&g);
    log_write(g.log);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        lethe_ctx *ctx = g_ctx(&g, threads);
        const char *paths[] = {g.log};
        lethe_read_options reading = {0};
        lethe_log *log;
        lethe_log_facts f;
        assert_int_equal(lethe_log_files(ctx, paths, 1, &reading, &log), LETHE_OK);
        assert_int_equal(lethe_log_look(ctx, log, &f), LETHE_OK);
        assert_int_equal(f.persons, USERS);
        assert_int_equal(f.rows, USERS * ROWS);
        assert_true(f.has_clicks && f.has_times);
        lethe_log_free(log);
        lethe_ctx_free(ctx);
    }
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(persons_are_whole_and_the_same_for_any_threads),
        cmocka_unit_test(facts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
