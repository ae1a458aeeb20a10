/* SPDX-License-Identifier: Apache-2.0 */
/* Local recoding of small tables, drawn by a seed: groups are valid, publish what they must, hold
 * every row once, and are close to the best groups that there are, found by trying all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "local_harness.h"
#include "seeds.h"

#define SEEDS seeds(8000)

static lethe_ctx *ctx;

static int begin(void **state)
{
    (void)state;
    return lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) != LETHE_OK;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

/* How far losses are from the least: sums and the worst ratio. */
typedef struct distance {
    uint64_t cases, optimal;
    double sum, worst;
} distance;

static void note(distance *x, uint64_t seed, uint64_t loss, uint64_t best)
{
    if (loss < best) fail_msg("seed %" PRIu64 ": better than the best", seed);
    double over = best == 0 ? (loss > 0 ? 1 : 0) : (double)loss / (double)best - 1;
    x->cases++;
    x->optimal += loss == best;
    x->sum += over;
    x->worst = LETHE_MAX(x->worst, over);
}

/* Groups the table, checks them, and compares with the best. */
static void run(uint64_t seed, const lh_table *h, distance *far)
{
    lethe_arena *a = lethe_arena_new();
    lethe_local_groups g = {0};
    uint32_t all[64] = {0};
    if (!a) fail_msg("no memory");
    for (size_t i = 0; i < h->u->n; i++)
        all[i] = h->u->count[i];
    lethe_err e = lethe_local_group(ctx, h->u, h->column, &h->d, a, &g);
    if (!lh_valid(h, all)) {
        if (e != LETHE_ANSWER_NO) fail_msg("seed %" PRIu64 ": all rows are not valid", seed);
    } else {
        if (e != LETHE_OK) fail_msg("seed %" PRIu64 ": an error", seed);
        lh_check(h, seed, &g);
        if (far) note(far, seed, g.loss, lh_best(h));
    }
    lethe_arena_free(a);
}

static void close_to_the_best(void **state)
{
    (void)state;
    distance far = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed * 77;
        lh_table h;
        lh_draw(ctx, seed, 1 + o_below(&s, LH_BEST), 1 + o_below(&s, LH_QI), 7, seed % 3 == 0, &h);
        lh_demand(&s, &h);
        run(seed, &h, &far);
        lh_free(&h);
    }
    print_message("%" PRIu64 " tables, %.1f %% at the least loss; above it by %.2f %% on average, "
                  "%.0f %% at worst\n",
                  far.cases, 100.0 * (double)far.optimal / (double)far.cases,
                  100 * far.sum / (double)far.cases, 100 * far.worst);
    assert_true(far.sum <= 0.02 * (double)far.cases);
    assert_true(far.optimal * 20 >= far.cases * 19);
}

static void deletions_are_bounded(void **state)
{
    (void)state;
    distance far = {0};
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        uint64_t s = seed * 99;
        lh_table h;
        lh_draw(ctx, seed, 2 + o_below(&s, LH_BEST - 1), 1 + o_below(&s, LH_QI), 7, false, &h);
        lh_demand(&s, &h);
        h.d.max_deleted = o_below(&s, 4);
        run(seed, &h, &far);
        lh_free(&h);
    }
    print_message("with deletions: above the least loss by %.2f %% on average, %.0f %% at worst\n",
                  100 * far.sum / (double)far.cases, 100 * far.worst);
    assert_true(far.sum <= 0.03 * (double)far.cases);
}

/* Larger ones have no best that could be computed, but are checked all the same; in small blocks
 * too. */
static void larger_tables(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 40; seed++) {
        uint64_t s = seed * 55;
        lh_table h;
        lh_draw(ctx, seed, 20 + o_below(&s, 40), 1 + o_below(&s, LH_QI), 20, seed % 2 == 0, &h);
        lh_demand(&s, &h);
        h.d.max_deleted = o_below(&s, 2) * o_below(&s, 5);
        h.d.block_items = o_below(&s, 2) * (1 + o_below(&s, 30));
        run(seed, &h, NULL);
        lh_free(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_to_the_best),
        cmocka_unit_test(deletions_are_bounded),
        cmocka_unit_test(larger_tables),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
