/* SPDX-License-Identifier: Apache-2.0 */
/* Local recoding: edge cases, failing allocations, and the same groups for any number of threads.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "local_harness.h"

static lethe_ctx *ctx_of(unsigned threads)
{
    lethe_ctx *ctx = NULL;
    if (lethe_ctx_new(&(lethe_settings){.n_threads = threads}, &ctx) != LETHE_OK)
        fail_msg("no context");
    return ctx;
}

static lethe_local_groups group(lethe_ctx *ctx, const lh_table *h, lethe_arena *a)
{
    lethe_local_groups g = {0};
    assert_int_equal(lethe_local_group(ctx, h->u, h->column, &h->d, a, &g), LETHE_OK);
    lh_check(h, 0, &g);
    return g;
}

static void k_larger_than_the_table(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_arena *a = lethe_arena_new();
    lethe_local_groups g = {.n = 77};
    lh_table h;
    lh_draw(ctx, 1, 9, 2, 5, false, &h);
    h.group.k = 10;
    assert_int_equal(lethe_local_group(ctx, h.u, h.column, &h.d, a, &g), LETHE_ANSWER_NO);
    assert_int_equal(g.n, 77); // and nothing else is touched
    h.group.k = 9;
    g = group(ctx, &h, a);
    assert_int_equal(g.n, 1);
    h.group.k = 5; // no two groups of 5 in 9 rows
    g = group(ctx, &h, a);
    assert_int_equal(g.n, 1);
    lh_free(&h);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

/* Trees of one node under the root: all rows are equal. */
static void equal_rows_lose_nothing(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_arena *a = lethe_arena_new();
    for (uint64_t k = 1; k < 200; k = 3 * k) {
        lh_table h;
        lh_draw(ctx, k, 200, 1, 1, false, &h);
        h.group.k = k;
        lethe_local_groups g = group(ctx, &h, a);
        assert_int_equal(g.n, 1);
        assert_int_equal(g.loss, 0);
        lh_free(&h);
    }
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

/* k = 1 asks for nothing, so nothing is generalized. */
static void k_of_one_publishes_the_table(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_arena *a = lethe_arena_new();
    lh_table h;
    lh_draw(ctx, 3, 60, 3, 20, true, &h);
    assert_int_equal(group(ctx, &h, a).loss, 0);
    lh_free(&h);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

/* Far more rows than distinct ones, and k so large that items have several rows. */
static void many_equal_rows(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_arena *a = lethe_arena_new();
    for (uint64_t k = 2; k <= 700; k = 5 * k) {
        lh_table h;
        lh_draw(ctx, k, 3000, 3, 12, false, &h);
        h.group.k = k;
        group(ctx, &h, a);
        h.d.rows_only = false;
        h.group.distinct = 3;
        group(ctx, &h, a);
        lh_free(&h);
    }
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

static bool same_groups(const lethe_local_groups *a, const lethe_local_groups *b, size_t n_qi)
{
    return a->n == b->n && a->loss == b->loss && a->n_deleted == b->n_deleted &&
           memcmp(a->start, b->start, (a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->member, b->member, a->start[a->n] * sizeof *a->member) == 0 &&
           memcmp(a->deleted, b->deleted, a->n_deleted * sizeof *a->deleted) == 0 &&
           memcmp(a->low, b->low, a->n * n_qi * sizeof *a->low) == 0 &&
           memcmp(a->high, b->high, a->n * n_qi * sizeof *a->high) == 0;
}

static void any_number_of_threads(void **state)
{
    (void)state;
    const unsigned threads[] = {1, 2, 7};
    lethe_arena *a = lethe_arena_new();
    lethe_local_groups first = {0};
    for (size_t i = 0; i < 3; i++) {
        lethe_ctx *ctx = ctx_of(threads[i]);
        lh_table h;
        lh_draw(ctx, 5, 900, 4, 20, true, &h);
        h.group.k = 3;
        h.d.max_deleted = 20;
        h.d.block_items = 100;
        lethe_local_groups g = group(ctx, &h, a);
        if (i == 0)
            first = g;
        else
            assert_true(same_groups(&first, &g, h.u->n_qi));
        lh_free(&h);
        lethe_ctx_free(ctx);
    }
    lethe_arena_free(a);
}

/* Where deleting costs next to nothing, blocks use up their share, and together no more than there
 * is (lh_check). */
static void blocks_share_the_limit_of_deletions(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_arena *a = lethe_arena_new();
    uint64_t deleted = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        lh_table h;
        lh_draw(ctx, seed, 300, 3, 30, false, &h);
        h.group.k = 4;
        h.d.max_deleted = 40;
        h.d.deletion_price = 1;
        h.d.block_items = 30;
        deleted += group(ctx, &h, a).deleted_rows;
        lh_free(&h);
    }
    assert_in_range(deleted, 300, 800);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

static void failing_allocations(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lh_table h;
    lh_draw(ctx, 7, 60, 3, 9, true, &h);
    h.group.k = 3;
    h.d.max_deleted = 2;
    h.d.block_items = 30;
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_arena *a = lethe_arena_new();
        lethe_local_groups g = {0};
        lethe_alloc_fail_at(n);
        e = lethe_local_group(ctx, h.u, h.column, &h.d, a, &g);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        lethe_arena_free(a);
    }
    lh_free(&h);
    lethe_ctx_free(ctx);
}

static void cancelling(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(1);
    lethe_arena *a = lethe_arena_new();
    lethe_local_groups g = {0};
    lh_table h;
    lh_draw(ctx, 7, 60, 3, 9, false, &h);
    h.group.k = 3;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_local_group(ctx, h.u, h.column, &h.d, a, &g), LETHE_ECANCEL);
    lh_free(&h);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_larger_than_the_table),
        cmocka_unit_test(equal_rows_lose_nothing),
        cmocka_unit_test(k_of_one_publishes_the_table),
        cmocka_unit_test(many_equal_rows),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(blocks_share_the_limit_of_deletions),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(cancelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
