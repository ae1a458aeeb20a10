/* SPDX-License-Identifier: Apache-2.0 */
/* Random interests of many kinds, against a matrix of all pairs searched as the paper tells. */
/* suite: threads */
#include "seeds.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <string.h>
#include "erola_literal.h"

static uint64_t state_of;

static uint64_t mix(void)
{
    uint64_t x = state_of += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
static uint32_t below(uint32_t n) { return (uint32_t)(mix() % n); }

/* Few large numbers, many small ones, so that all sizes occur. */
static uint32_t any_count(uint32_t most)
{
    uint32_t x = 1 + below(most);
    while (x > 1 && below(3) > 0)
        x = 1 + x / 3;
    return x;
}

enum kind { SPARSE, ALL_EQUAL, BINARY, ENORMOUS, LARGE, TREE, WIDE, COPIES, NESTED, ODD, KINDS };

static void fill_sparse(c_table *t, uint32_t each, uint32_t most)
{
    for (uint32_t u = 0; u < t->n; u++)
        for (uint32_t i = below(each + 1); i > 0; i--)
            *c_at(t, u, below(t->n_categories)) = any_count(most);
}

/* Category c's parent is (c - 1) / 3: who has a category has those above it. */
static void fill_tree(c_table *t)
{
    for (uint32_t u = 0; u < t->n; u++)
        for (uint32_t i = below(40); i > 0; i--) {
            uint32_t c = below(t->n_categories), times = any_count(9);
            for (; c > 0; c = (c - 1) / 3)
                *c_at(t, u, c) += times;
            *c_at(t, u, 0) += times;
        }
}

static void copy_users(c_table *t, uint32_t originals)
{
    for (uint32_t u = originals; u < t->n; u++)
        memcpy(c_at(t, u, 0), c_at(t, below(originals), 0), t->n_categories * sizeof(uint32_t));
}

/* The first of them have one and the same, in rising amounts. */
static void fill_nested(c_table *t)
{
    for (uint32_t u = 0; u < t->n; u++)
        for (uint32_t c = 0; c < t->n_categories; c++)
            *c_at(t, u, c) = below(8) == 0 ? below(4) : (u * 7 + c) % 5 + u % 11;
}

static c_table draw(enum kind kind, uint32_t n)
{
    static const uint32_t categories[KINDS] = {30, 12, 6, 20, 25, 121, 3000, 40, 9, 300};
    c_table t = c_table_new(n, 1 + below(categories[kind]));
    uint32_t u = below(n);
    switch (kind) {
    case SPARSE:
        fill_sparse(&t, 1 + below(12), 1 + below(20));
        break;
    case ALL_EQUAL:
    case COPIES:
        fill_sparse(&t, 20, 9);
        copy_users(&t, kind == ALL_EQUAL ? 1 : 1 + below(n));
        break;
    case BINARY:
        fill_sparse(&t, 4, 1);
        break;
    case ENORMOUS:
        fill_sparse(&t, 9, 6);
        for (uint32_t c = 0; c < t.n_categories; c++)
            *c_at(&t, u, c) = UINT32_MAX - below(3);
        break;
    case LARGE:
        fill_sparse(&t, 20, UINT32_MAX);
        break;
    case TREE:
        fill_tree(&t);
        break;
    case WIDE:
        fill_sparse(&t, 60, 300);
        break;
    case NESTED:
        fill_nested(&t);
        break;
    default:
        fill_sparse(&t, 120, 1 + below(2000));
    }
    return t;
}

static lethe_ctx *contexts[3];

static void expect(uint64_t seed, const c_table *t, uint32_t k)
{
    lethe_microagg_interests of = c_interests(t);
    uint64_t *matrix = c_matrix(t), pairs = 0, bounded = 0;
    uint32_t *want = malloc(t->n * sizeof *want);
    assert_non_null(want);
    c_groups(t->n, matrix, k, want);
    for (int i = 0; i < 100; i++) {
        uint32_t u = below(t->n), v = below(t->n);
        if (lethe_microagg_common(&of, u, v) != matrix[(size_t)u * t->n + v])
            fail_msg("seed %" PRIu64 ": users %u and %u", seed, u, v);
    }
    for (size_t i = 0; i < 3; i++) {
        lethe_microagg_groups got = {0};
        assert_int_equal(lethe_microagg_groups_find(contexts[i], &of, k, &got), LETHE_OK);
        if (got.n != t->n / k) fail_msg("seed %" PRIu64 ": %u groups", seed, got.n);
        for (uint32_t u = 0; u < t->n; u++)
            if (got.group[u] != want[u])
                fail_msg("seed %" PRIu64 " (%u users, k %u): user %u is in group %u, not %u", seed,
                         t->n, k, u, got.group[u], want[u]);
        if (i > 0 && (got.pairs != pairs || got.bounded != bounded))
            fail_msg("seed %" PRIu64 ": other counts", seed);
        pairs = got.pairs;
        bounded = got.bounded;
        lethe_microagg_groups_free(&got);
    }
    free(want);
    free(matrix);
    c_interests_free(&of);
}

static void run_cases(uint64_t from, uint64_t n, uint32_t least, uint32_t most)
{
    for (uint64_t seed = from; seed < from + n; seed++) {
        state_of = seed * 0x2545f4914f6cdd1du;
        uint32_t users = least + below(most - least + 1), k = 2 + below(6);
        if (below(20) == 0) k = 2 + below(users - 1);
        if (k > users) k = users;
        c_table t = draw((enum kind)(seed % KINDS), users);
        expect(seed, &t, k);
        free(t.count);
    }
}

static void few_users(void **state)
{
    (void)state;
    run_cases(1, seeds(6000), 2, 14);
}

static void some_users(void **state)
{
    (void)state;
    run_cases(100000, seeds(400), 20, 60);
}

/* So many that gaps are closed and users are looked at again. */
static void many_users(void **state)
{
    (void)state;
    run_cases(200000, 20, 200, 260);
}

/* Categories with near numbers occur together, and each user has a few that it has much of: as in a
 * log.  `few`: of so many, users have the same. */
static void fill_topics(c_table *t, uint32_t few)
{
    for (uint32_t u = 0; u < t->n; u++) {
        uint32_t words = 1 + any_count(120), topic = below(few) * (t->n_categories / few);
        for (uint32_t i = 0; i < words; i++) {
            uint32_t c = below(3) == 0 ? below(t->n_categories) : topic + below(30);
            for (c %= t->n_categories; c > 0; c = (c - 1) / 3)
                ++*c_at(t, u, c);
        }
    }
}

/* Several tiles of users: some are given up early, some have too little left for any bound. */
static void crowds(void **state)
{
    (void)state;
    for (uint64_t seed = 300000; seed < 300000 + seeds(8); seed++) {
        state_of = seed * 0x2545f4914f6cdd1du;
        uint32_t users = 300 + below(400), k = 2 + below(7);
        c_table t = c_table_new(users, 60 + below(1500));
        fill_topics(&t, 1 + below(12));
        if (seed % 4 == 1) copy_users(&t, 1 + users / 3);
        for (uint32_t i = 0; seed % 4 == 2 && i < users / 10; i++) // more than a byte holds
            *c_at(&t, below(users), below(3)) += 200 + below(3000) + (i < 3 ? 1u << below(30) : 0);
        expect(seed, &t, k);
        free(t.count);
    }
}

/* Several tiles of users, some of whom have a category that nobody, or only one other, has: in all
 * tiles but their own there is nothing to find for them. */
static void loners(void **state)
{
    (void)state;
    for (uint64_t seed = 400000; seed < 400000 + seeds(120); seed++) {
        state_of = seed * 0x2545f4914f6cdd1du;
        uint32_t users = 66 + below(200), k = 2 + below(7), shared = 1 + below(60);
        c_table t = c_table_new(users, shared + users);
        for (uint32_t u = 0; u < users; u++) {
            bool alone = below(4) == 0;
            *c_at(&t, u, alone ? shared + u : below(shared)) = any_count(1 + below(300));
            if (alone && below(3) == 0) *c_at(&t, below(users), shared + u) = any_count(9);
        }
        expect(seed, &t, k);
        free(t.count);
    }
}

static int make_contexts(void **state)
{
    static const unsigned threads[3] = {1, 2, 7};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        lethe_settings set = {.n_threads = threads[i]};
        if (lethe_ctx_new(&set, &contexts[i]) != LETHE_OK) return -1;
    }
    return 0;
}

static int free_contexts(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(contexts[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_users), cmocka_unit_test(some_users), cmocka_unit_test(many_users),
        cmocka_unit_test(crowds),    cmocka_unit_test(loners),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
