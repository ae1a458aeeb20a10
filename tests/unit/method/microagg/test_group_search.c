/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "method/microagg/group_search_internal.h"
#include "erola_literal.h"

enum { CATEGORIES = 4 };

static char said[256];

static void hear(void *user, const lethe_message *m)
{
    (void)user;
    snprintf(said, sizeof said, "%s", m->text);
}

static lethe_ctx *new_ctx(unsigned threads)
{
    lethe_settings set = {.n_threads = threads, .on_message = hear};
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    said[0] = '\0';
    return ctx;
}

/* The groups of users with the counts in `rows`, CATEGORIES each. */
static void expect_groups(const uint32_t rows[][CATEGORIES], uint32_t n, uint32_t k,
                          const uint32_t *want)
{
    c_table t = c_table_new(n, CATEGORIES);
    memcpy(t.count, rows, n * sizeof rows[0]);
    lethe_microagg_interests of = c_interests(&t);
    lethe_ctx *ctx = new_ctx(2);
    lethe_microagg_groups got = {0};
    assert_int_equal(lethe_microagg_groups_find(ctx, &of, k, &got), LETHE_OK);
    assert_int_equal(got.n, n / k);
    assert_memory_equal(got.group, want, n * sizeof *want);
    lethe_microagg_groups_free(&got);
    lethe_microagg_groups_free(&got); // twice is fine
    lethe_ctx_free(ctx);
    c_interests_free(&of);
    free(t.count);
}

static void the_lesser_counts_are_summed(void **state)
{
    static const uint32_t category[] = {1, 3, 7, 0, 3, 7, 9};
    static const uint32_t count[] = {5, 2, UINT32_MAX, 9, 4, UINT32_MAX, 1};
    static const uint64_t start[] = {0, 3, 7, 7};
    lethe_microagg_interests of = {3, 10, start, category, count};
    (void)state;
    assert_true(lethe_microagg_common(&of, 0, 1) == UINT64_C(2) + UINT32_MAX);
    assert_true(lethe_microagg_common(&of, 1, 0) == UINT64_C(2) + UINT32_MAX);
    assert_true(lethe_microagg_common(&of, 0, 0) == UINT64_C(7) + UINT32_MAX);
    assert_int_equal(lethe_microagg_common(&of, 0, 2), 0);
    assert_int_equal(lethe_microagg_common(&of, 2, 2), 0);
}

static void of_equal_pairs_the_least_is_taken(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{1}, {0, 5}, {0, 0, 5}, {0, 5}, {0, 0, 5}, {1}};
    static const uint32_t want[] = {2, 0, 1, 0, 1, 2};
    (void)state;
    expect_groups(rows, 6, 2, want);
}

static void users_all_alike_are_taken_in_order(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{3, 1}, {3, 1}, {3, 1}, {3, 1},
                                                {3, 1}, {3, 1}, {3, 1}};
    static const uint32_t want[] = {0, 0, 0, 1, 1, 1, 0};
    (void)state;
    expect_groups(rows, 7, 3, want);
}

static void users_of_nothing_are_taken_in_order_at_the_end(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{0}, {0}, {0, 2}, {0}, {0, 3}, {0}};
    static const uint32_t want[] = {1, 1, 0, 2, 0, 2};
    (void)state;
    expect_groups(rows, 6, 2, want);
}

/* 0 and 1 have 10 in common.  With one of them 3 has more than 2 has (7 against 5), with both less
 * (1 + 7 against 5 + 5). */
static void who_joins_has_most_with_the_members_together(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{10, 0, 0, 1}, {10, 7, 0, 0}, {5, 0, 0, 0},
                                                {0, 7, 0, 1},  {0, 0, 1, 0},  {0, 0, 1, 0}};
    static const uint32_t want[] = {0, 0, 0, 1, 1, 1};
    (void)state;
    expect_groups(rows, 6, 3, want);
}

/* Users 6 and 7 are left.  6 has 3 on average with the first group and 2 with the second.  7 has 2
 * with both, but 6, with which it has nothing in common, is one of the first by then: 6/4 and 2. */
static void who_is_left_goes_where_the_mean_is_greatest(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{40, 9, 2, 0}, {40, 9, 2, 0}, {40, 9, 2, 0},
                                                {0, 2, 0, 30}, {0, 2, 0, 30}, {0, 2, 0, 30},
                                                {0, 3, 0, 0},  {0, 0, 2, 2}};
    static const uint32_t want[] = {0, 0, 0, 1, 1, 1, 0, 1};
    (void)state;
    expect_groups(rows, 8, 3, want);
}

static void of_equal_means_the_first_group_is_taken(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{0, 9}, {0, 9}, {5}, {5}, {1, 1}};
    static const uint32_t want[] = {0, 0, 1, 1, 0};
    (void)state;
    expect_groups(rows, 5, 2, want);
}

static void one_group_holds_all(void **state)
{
    static const uint32_t rows[][CATEGORIES] = {{1}, {0, 9}, {0}, {7}, {7}};
    static const uint32_t want[] = {0, 0, 0, 0, 0};
    (void)state;
    for (uint32_t k = 3; k <= 5; k++)
        expect_groups(rows, 5, k, want);
}

static void too_few_users_or_k_below_two_are_refused(void **state)
{
    static const uint64_t start[] = {0, 0, 0, 0};
    static const uint32_t k[] = {0, 1, 4, UINT32_MAX};
    lethe_microagg_interests of = {3, 0, start, NULL, NULL};
    lethe_ctx *ctx = new_ctx(1);
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(k); i++) {
        lethe_microagg_groups got = {.n = 77};
        said[0] = '\0';
        assert_int_equal(lethe_microagg_groups_find(ctx, &of, k[i], &got), LETHE_EUSAGE);
        assert_int_equal(got.n, 77);
        assert_non_null(strstr(said, "out of 3 users"));
    }
    lethe_microagg_groups got;
    of.n = 0;
    assert_int_equal(lethe_microagg_groups_find(ctx, &of, 2, &got), LETHE_EUSAGE);
    lethe_ctx_free(ctx);
}

/* --- larger ones --- */

static c_table draw(uint32_t n, uint32_t n_categories)
{
    c_table t = c_table_new(n, n_categories);
    uint64_t x = 12345;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t i = 0; i < 5 + u % 30; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            ++*c_at(&t, u, (uint32_t)(x >> 33) % (1 + (uint32_t)(x >> 50) % n_categories));
        }
    return t;
}

/* Far more than are compared at once: the search for a pair that is none ends. */
static void users_without_anything_in_common_are_taken_in_order(void **state)
{
    enum { USERS = 5 * LETHE_MICROAGG_TILE };
    c_table t = c_table_new(USERS, USERS);
    (void)state;
    for (uint32_t u = 0; u < USERS; u++)
        *c_at(&t, u, u) = 1 + u % 50 * 40;
    lethe_microagg_interests of = c_interests(&t);
    lethe_ctx *ctx = new_ctx(2);
    lethe_microagg_groups got = {0};
    assert_int_equal(lethe_microagg_groups_find(ctx, &of, 4, &got), LETHE_OK);
    for (uint32_t u = 0; u < USERS; u++)
        assert_int_equal(got.group[u], u / 4);
    lethe_microagg_groups_free(&got);
    lethe_ctx_free(ctx);
    c_interests_free(&of);
    free(t.count);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    static const unsigned threads[] = {1, 2, 7};
    c_table t = draw(1500, 400);
    lethe_microagg_interests of = c_interests(&t);
    lethe_microagg_groups first = {0};
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        lethe_ctx *ctx = new_ctx(threads[i]);
        lethe_microagg_groups got = {0};
        assert_int_equal(lethe_microagg_groups_find(ctx, &of, 4, &got), LETHE_OK);
        if (i > 0) {
            assert_memory_equal(got.group, first.group, of.n * sizeof *got.group);
            assert_true(got.pairs == first.pairs && got.bounded == first.bounded);
            lethe_microagg_groups_free(&got);
        } else {
            first = got;
        }
        lethe_ctx_free(ctx);
    }
    assert_true(first.pairs < 1500 * 1499 / 8);
    lethe_microagg_groups_free(&first);
    c_interests_free(&of);
    free(t.count);
}

/* Of each two that are left; the same in any way of comparing. */
static void expect_bounds(lethe_microagg_pool *c)
{
    uint32_t n = 0, least = UINT32_MAX;
    for (uint32_t a = c->first; a < c->n; a++) {
        lethe_microagg_probe x;
        uint16_t units[LETHE_MICROAGG_TILE], plain[LETHE_MICROAGG_TILE];
        if (c->user[a] == UINT32_MAX) continue;
        lethe_microagg_pool_probe(c, a, &x);
        n++;
        least = LETHE_MIN(least, c->user[a]);
        assert_int_equal(c->slot[c->user[a]], a);
        assert_true(c->least[a] <= c->user[a]);
        assert_true(c->mass[a] == lethe_microagg_common(c->of, c->user[a], c->user[a]));
        for (uint32_t b = c->first; b < c->n; b++) {
            if (c->user[b] == UINT32_MAX) continue;
            const uint8_t *row = c->fine + (size_t)a * LETHE_MICROAGG_FINE;
            uint64_t fine = lethe_microagg_pool_fine(c, row, c->fine_surplus[a], b);
            uint64_t common = lethe_microagg_common(c->of, c->user[a], c->user[b]);
            uint32_t tile = b / LETHE_MICROAGG_TILE, i = b % LETHE_MICROAGG_TILE;
            lethe_microagg_simd simd = c->simd;
            assert_true(lethe_microagg_pool_coarse(c, &x, tile, 0, units));
            c->simd = LETHE_MICROAGG_PLAIN;
            assert_true(lethe_microagg_pool_coarse(c, &x, tile, 0, plain));
            assert_true(lethe_microagg_pool_fine(c, row, c->fine_surplus[a], b) == fine);
            c->simd = simd;
            assert_memory_equal(units, plain, sizeof units);
            assert_true(c->taken[tile] >> i & 1);
            assert_true(c->most_surplus[tile] >= c->coarse_surplus[b]);
            uint64_t coarse = lethe_microagg_pool_bound(c, &x, b, units[i]);
            assert_true(units[i] >= lethe_microagg_pool_units(
                                        c, LETHE_MIN(x.surplus, c->most_surplus[tile]), common));
            assert_true(common <= coarse && common <= fine);
        }
    }
    assert_int_equal(n, c->n_left);
    assert_int_equal(least, c->least_left);
}

static void sketches_bound_what_is_in_common(void **state)
{
    c_table t = draw(300, 3000);
    for (uint32_t u = 0; u < 30; u++) // some have more than a byte holds
        *c_at(&t, u * 10, u % 4) = 1000 + 977 * u % 5000;
    lethe_microagg_interests of = c_interests(&t);
    lethe_ctx *ctx = new_ctx(2);
    lethe_microagg_pool c;
    (void)state;
    assert_int_equal(lethe_microagg_pool_new(ctx, &of, &c), LETHE_OK);
    expect_bounds(&c);
    c.n_open = 250;
    assert_int_equal(lethe_microagg_pool_compact(&c), LETHE_OK); // nothing to do
    assert_int_equal(c.first, 0);
    for (uint32_t u = 0; u < of.n; u += 3) {
        lethe_microagg_pool_remove(&c, u);
        assert_int_equal(lethe_microagg_pool_compact(&c), LETHE_OK);
    }
    assert_true(c.first > 30);
    expect_bounds(&c);
    lethe_microagg_pool_free(&c);
    lethe_ctx_free(ctx);
    c_interests_free(&of);
    free(t.count);
}

static void expect_alike(lethe_microagg_simd simd, const lethe_microagg_probe *x,
                         const uint8_t *tile)
{
    enum { TILE = LETHE_MICROAGG_TILE, FINE = LETHE_MICROAGG_FINE };
    const lethe_microagg_simd plain = LETHE_MICROAGG_PLAIN;
    uint16_t one[TILE], two[TILE];
    uint32_t sum_one[TILE] = {0}, sum_two[TILE] = {0};
    assert_true(lethe_microagg_tile_common(plain, x, tile, 0, one));
    assert_true(lethe_microagg_tile_common(simd, x, tile, 0, two));
    assert_memory_equal(one, two, sizeof one);
    uint16_t most = 0;
    for (uint32_t t = 0; t < TILE; t++)
        most = LETHE_MAX(most, one[t]);
    assert_true(lethe_microagg_tile_common(simd, x, tile, most, two));
    assert_memory_equal(one, two, sizeof one);
    assert_false(lethe_microagg_tile_common(simd, x, tile, (uint16_t)(most + 1), two));
    assert_int_equal(lethe_microagg_fine_common(plain, tile, tile + FINE),
                     lethe_microagg_fine_common(simd, tile, tile + FINE));
    for (uint32_t t = 0; t < TILE; t++) {
        uint16_t cap = (uint16_t)(t == 0 ? UINT16_MAX : one[t]);
        uint64_t bits = lethe_microagg_tile_at_least(plain, one, cap);
        assert_true(lethe_microagg_tile_at_least(simd, one, cap) == bits);
        assert_true(t == 0 || (bits >> t & 1));
        if (t == 10) sum_one[5] = sum_two[5] = LETHE_MICROAGG_SUM_END - 1;
        lethe_microagg_tile_add(plain, one, cap, sum_one);
        lethe_microagg_tile_add(simd, one, cap, sum_two);
        assert_memory_equal(sum_one, sum_two, sizeof sum_one);
        assert_true(sum_one[5] <= LETHE_MICROAGG_SUM_END);
        bits = lethe_microagg_tile_sums_at_least(plain, sum_one, sum_one[t]);
        assert_true(lethe_microagg_tile_sums_at_least(simd, sum_one, sum_one[t]) == bits);
        assert_true(bits >> t & 1);
    }
}

/* Tiles of any bytes, the highest too: sums end where their type does. */
static void tiles_are_compared_alike_in_any_way(void **state)
{
    enum { TILE = LETHE_MICROAGG_TILE, BINS = LETHE_MICROAGG_COARSE };
    static uint8_t tile[TILE * BINS];
    static lethe_microagg_probe x;
    uint64_t r = 99;
    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t most = round % 3 == 0 ? 256 : round % 3 == 1 ? 3 : 40, run = 0;
        x.n = x.n_runs = 0;
        for (uint32_t b = 0; b < BINS; b++) {
            for (uint32_t s = 0; s < TILE; s++) {
                r = r * 6364136223846793005u + 1442695040888963407u;
                tile[b * TILE + s] = round == 0 ? 255 : (uint8_t)((r >> 33) % most);
            }
            uint32_t units = round == 0 ? 255 : (uint32_t)(r >> 50) % most;
            if (units == 0) continue;
            if (run + units > 255) {
                x.end[x.n_runs++] = (uint16_t)x.n;
                run = 0;
            }
            run += units;
            x.row[x.n] = (uint16_t)(b * TILE);
            x.units[x.n++] = units * 0x01010101u;
        }
        x.end[x.n_runs++] = (uint16_t)x.n;
        for (uint32_t q = x.n_runs, i = x.n, after = 0; q-- > 0;) {
            x.after[q] = after;
            for (; i > (q > 0 ? x.end[q - 1] : 0); i--)
                after += (uint8_t)x.units[i - 1];
        }
        for (int simd = LETHE_MICROAGG_AVX2; simd <= (int)lethe_microagg_simd_best(); simd++)
            expect_alike((lethe_microagg_simd)simd, &x, tile);
    }
}

static void lack_of_memory_is_an_error_by(void (*fail_at)(uint64_t n))
{
    c_table t = draw(90, 40);
    lethe_microagg_interests of = c_interests(&t);
    lethe_ctx *ctx = new_ctx(1);
    lethe_microagg_groups got = {.n = 77};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        fail_at(++n);
        e = lethe_microagg_groups_find(ctx, &of, 4, &got);
        lethe_alloc_fail_at(0);
        if (e == LETHE_ENOMEM) assert_int_equal(got.n, 77);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 30);
    assert_string_equal(said, "");
    lethe_microagg_groups_free(&got);
    lethe_ctx_free(ctx);
    c_interests_free(&of);
    free(t.count);
}

static void lack_of_memory_is_an_error(void **state)
{
    (void)state;
    lack_of_memory_is_an_error_by(lethe_alloc_fail_at);
    lack_of_memory_is_an_error_by(lethe_alloc_fail_once);
}

static void it_can_be_stopped(void **state)
{
    c_table t = draw(200, 40);
    lethe_microagg_interests of = c_interests(&t);
    lethe_ctx *ctx = new_ctx(2);
    lethe_microagg_groups got = {.n = 77};
    (void)state;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_microagg_groups_find(ctx, &of, 4, &got), LETHE_ECANCEL);
    assert_int_equal(got.n, 77);
    assert_string_equal(said, "");
    lethe_ctx_free(ctx);
    c_interests_free(&of);
    free(t.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lesser_counts_are_summed),
        cmocka_unit_test(of_equal_pairs_the_least_is_taken),
        cmocka_unit_test(users_all_alike_are_taken_in_order),
        cmocka_unit_test(users_of_nothing_are_taken_in_order_at_the_end),
        cmocka_unit_test(who_joins_has_most_with_the_members_together),
        cmocka_unit_test(who_is_left_goes_where_the_mean_is_greatest),
        cmocka_unit_test(of_equal_means_the_first_group_is_taken),
        cmocka_unit_test(one_group_holds_all),
        cmocka_unit_test(too_few_users_or_k_below_two_are_refused),
        cmocka_unit_test(users_without_anything_in_common_are_taken_in_order),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(sketches_bound_what_is_in_common),
        cmocka_unit_test(tiles_are_compared_alike_in_any_way),
        cmocka_unit_test(lack_of_memory_is_an_error),
        cmocka_unit_test(it_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
