/* SPDX-License-Identifier: Apache-2.0 */
/* How far a group is from its table, and how diverse it is (check/table/closeness.h,
 * check/table/diversity.h), beside the definitions by brute force: random counts, counts at a
 * bound, and next to it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include "check/table/closeness.h"
#include "check/table/diversity.h"
#include "diversity_oracle.h"
#include "log_oracle.h"
#include "seeds.h"

static uint64_t at_seed;

#define AGREE(what)                                                                                \
    do {                                                                                           \
        if (!(what)) fail_msg("seed %llu: not so: %s", (unsigned long long)at_seed, #what);        \
    } while (0)

static uint64_t divisor(uint64_t a, uint64_t b) { return b ? divisor(b, a % b) : a; }

/* --- closeness --- */

enum { NODES = 16 };

/* A random tree with `n` leaves; nodes are numbered so that parents come first. */
struct tree {
    uint32_t n, parent[NODES], leaf[DO_VALUES];
    size_t n_leaves;
};

static struct tree tree_draw(uint64_t *seed)
{
    struct tree t = {.n = 1 + (uint32_t)o_below(seed, NODES)};
    do {
        bool inner[NODES] = {false};
        t.parent[0] = LETHE_NONE;
        t.n_leaves = 0;
        for (uint32_t v = 1; v < t.n; v++) {
            t.parent[v] = (uint32_t)o_below(seed, v);
            inner[t.parent[v]] = true;
        }
        for (uint32_t v = 0; v < t.n; v++) {
            if (inner[v]) continue;
            if (t.n_leaves < DO_VALUES) t.leaf[t.n_leaves] = v;
            t.n_leaves++;
        }
    } while (t.n_leaves > DO_VALUES);
    return t;
}

/* The longest way down. */
static uint64_t height_of(const struct tree *t, uint32_t v)
{
    uint64_t most = 0;
    for (uint32_t c = 1; c < t->n; c++)
        if (t->parent[c] == v && 1 + height_of(t, c) > most) most = 1 + height_of(t, c);
    return most;
}

static uint32_t meet(const struct tree *t, uint32_t a, uint32_t b)
{
    for (; a != LETHE_NONE; a = t->parent[a])
        for (uint32_t x = b; x != LETHE_NONE; x = t->parent[x])
            if (x == a) return a;
    abort();
}

/* Compares with t at the distance itself and just below it. */
static void bound_is_exact(lethe_distance d, uint64_t num, uint64_t den)
{
    uint64_t by = divisor(num, den);
    num /= by;
    den /= by;
    AGREE(!lethe_is_further(d, (lethe_theta){num, den}));
    AGREE(!lethe_is_further(d, (lethe_theta){1, 1}));
    if (num == 0) return;
    AGREE(lethe_is_further(d, (lethe_theta){0, 1}));
    AGREE(lethe_is_further(d, (lethe_theta){num * 1000 - 1, den * 1000}));
    AGREE(!lethe_is_further(d, (lethe_theta){num * 1000 + (num < den), den * 1000}));
}

static void distances_are_flows_of_least_cost(void **state)
{
    (void)state;
    for (uint64_t s = 1; s <= seeds(24000); s++) {
        uint64_t seed = at_seed = s, mine[DO_VALUES] = {0}, all[DO_VALUES] = {0}, rows[NODES] = {0},
                 of, far[DO_VALUES][DO_VALUES] = {{0}};
        lethe_ground ground = (lethe_ground)(s % 3);
        struct tree t = tree_draw(&seed);
        size_t n = ground == LETHE_GROUND_HIERARCHICAL ? t.n_leaves : 1 + o_below(&seed, DO_VALUES);
        uint64_t scale = ground == LETHE_GROUND_EQUAL     ? 1
                         : ground == LETHE_GROUND_ORDERED ? n - 1
                                                          : height_of(&t, 0);
        lethe_rows_at at[DO_VALUES];
        size_t n_at = 0, most = 1 + o_below(&seed, 6);
        for (size_t i = 0; i < n; i++) {
            mine[i] = o_below(&seed, 3) == 0 ? 0 : o_below(&seed, most + 1);
            all[i] = mine[i] + o_below(&seed, 2 * most) + (mine[i] == 0);
            for (size_t k = 0; k < n; k++)
                far[i][k] = ground == LETHE_GROUND_EQUAL     ? i != k
                            : ground == LETHE_GROUND_ORDERED ? (i > k ? i - k : k - i)
                            : i == k                         ? 0
                                     : height_of(&t, meet(&t, t.leaf[i], t.leaf[k]));
        }
        if (s % 7 == 0) memcpy(mine, all, sizeof all); // a group that is the whole table
        for (size_t i = n; i-- > 0;) {                 // in any order
            uint32_t place = ground == LETHE_GROUND_HIERARCHICAL ? t.leaf[i] : (uint32_t)i;
            rows[place] = all[i];
            if (mine[i] > 0) at[n_at++] = (lethe_rows_at){place, mine[i]};
        }
        if (n_at == 0) continue;
        lethe_arena *a = lethe_arena_new();
        lethe_closeness c;
        assert_int_equal(lethe_closeness_init(
                             &c, a, ground, ground == LETHE_GROUND_HIERARCHICAL ? t.n : (uint32_t)n,
                             rows, t.parent),
                         LETHE_OK);
        uint64_t num = do_distance(n, mine, all, far, scale, &of);
        for (int again = 0; again < 2; again++) { // the scratch is clean afterwards
            lethe_distance d = lethe_closeness_of(&c, at, n_at);
            AGREE(d.num * of == num * d.den);
            bound_is_exact(d, num, of);
        }
        lethe_arena_free(a);
    }
}

/* As many rows and values as there can be: sums must not wrap around. */
static void largest_tables_do_not_overflow(void **state)
{
    (void)state;
    enum { PLACES = 60000 };
    uint64_t *rows = calloc(PLACES, sizeof *rows);
    lethe_rows_at at[] = {{0, 0}};
    for (int end = 0; end < 2; end++) {
        lethe_arena *a = lethe_arena_new();
        lethe_closeness c;
        uint64_t total = 0;
        for (uint32_t i = 0; i < PLACES; i++)
            total += rows[i] = 1;
        rows[end ? 0 : PLACES - 1] += UINT32_MAX - total;
        assert_int_equal(lethe_closeness_init(&c, a, LETHE_GROUND_ORDERED, PLACES, rows, NULL),
                         LETHE_OK);
        at[0] = (lethe_rows_at){end ? PLACES - 1 : 0, 1};
        lethe_distance d = lethe_closeness_of(&c, at, 1);
        lethe_wide sum = 0; // by the definition
        uint64_t up_to = 0;
        for (uint32_t i = 0; i + 1 < PLACES; i++) {
            up_to += rows[i];
            sum += end ? up_to : UINT32_MAX - up_to;
        }
        assert_true(d.num == sum && d.den == (lethe_wide)UINT32_MAX * (PLACES - 1));
        // all rows but one of each value, against the whole: large on both sides
        at[0] = (lethe_rows_at){end ? 0 : PLACES - 1, UINT32_MAX - PLACES};
        d = lethe_closeness_of(&c, at, 1);
        assert_true(lethe_distance_value(d) > 0 && lethe_distance_value(d) < 1e-4);
        assert_false(lethe_is_further(d, (lethe_theta){1, 1000}));
        assert_true(lethe_is_further(d, (lethe_theta){0, 1}));
        lethe_arena_free(a);
    }
    // products of 2^96 and 2^60
    lethe_distance d = {((lethe_wide)1 << 96) - 1, (lethe_wide)1 << 96};
    const uint64_t den = UINT64_C(1000000000000000000);
    assert_true(lethe_is_further(d, (lethe_theta){den - 1, den}));
    assert_false(lethe_is_further(d, (lethe_theta){den, den}));
    free(rows);
}

/* --- entropy --- */

static bool is_diverse(const uint64_t *count, size_t n, uint64_t num, uint64_t den)
{
    uint64_t copy[64];
    bool is = false;
    memcpy(copy, count, n * sizeof *count);
    assert_int_equal(lethe_is_entropy_diverse(copy, n, (lethe_theta){num, den}, &is), LETHE_OK);
    return is;
}

static size_t counts_draw(uint64_t *seed, uint64_t *count)
{
    size_t n = 1 + o_below(seed, 6), kind = o_below(seed, 3);
    for (size_t i = 0; i < n; i++)
        count[i] = kind == 0   ? 1 + o_below(seed, 3)
                   : kind == 1 ? 1 + o_below(seed, 9)
                               : UINT64_C(1) << o_below(seed, 4);
    return n;
}

/* Fractions that are ever nearer to x. */
static size_t convergents(long double x, uint64_t num[40], uint64_t den[40])
{
    uint64_t p0 = 1, q0 = 0, p1 = (uint64_t)x, q1 = 1;
    size_t n = 0;
    while (n < 40 && q1 <= 1000000000) {
        num[n] = p1;
        den[n++] = q1;
        long double rest = x - floorl(x);
        if (rest < 1e-17L) break;
        x = 1 / rest;
        if (x > 1e9L) break;
        uint64_t a = (uint64_t)x, p = a * p1 + p0, q = a * q1 + q0;
        p0 = p1;
        q0 = q1;
        p1 = p;
        q1 = q;
    }
    return n;
}

static void entropies_are_compared_exactly(void **state)
{
    (void)state;
    size_t met[3] = {0};
    for (uint64_t s = 1; s <= seeds(2400); s++) {
        uint64_t seed = at_seed = s, count[8], rows = 0, num[40], den[40];
        size_t n = counts_draw(&seed, count);
        for (size_t i = 0; i < n; i++)
            rows += count[i];
        long double entropy = 0;
        for (size_t i = 0; i < n; i++)
            entropy -= (long double)count[i] / (long double)rows *
                       logl((long double)count[i] / (long double)rows);
        AGREE(fabs(lethe_entropy_values(count, n) - (double)expl(entropy)) < 1e-6);
        size_t k = convergents(expl(entropy), num, den);
        for (size_t i = 0; i < k; i++) {
            if (num[i] < den[i] || num[i] > UINT64_C(1000000000000)) continue;
            int sign = do_entropy(count, n, num[i], den[i]);
            met[sign + 1]++;
            AGREE(is_diverse(count, n, num[i], den[i]) == (sign >= 0));
        }
        uint64_t any = 1000 + o_below(&seed, 6000);
        AGREE(is_diverse(count, n, any, 1000) == (do_entropy(count, n, any, 1000) >= 0));
    }
    for (size_t i = 0; i < 3; i++)
        assert_true(met[i] > seeds(2400) / 12);
}

/* At the bound, from groups of a few rows to groups of 2^32. */
static void bounds_of_entropy_belong_to_it(void **state)
{
    (void)state;
    for (uint64_t by = 1; by < UINT64_C(1) << 29; by *= 7) {
        uint64_t equal[64], uneven[] = {4 * by, by, by, by, by};
        for (size_t l = 1; l <= 6; l++) {
            for (size_t i = 0; i < l; i++)
                equal[i] = by;
            assert_true(is_diverse(equal, l, l, 1));
            assert_false(is_diverse(equal, l, l * 1000000000 + 1, 1000000000));
        }
        assert_true(is_diverse(uneven, 5, 4, 1)); // 8^8 = 4^8 4^4
        assert_true(is_diverse(uneven, 5, 3999999999, 1000000000));
        assert_false(is_diverse(uneven, 5, 4000000001, 1000000000));
        if (by < 2) continue;
        uneven[0]++; // one row more, which hardly matters where there are many
        assert_false(is_diverse(uneven, 5, 4, 1));
        uneven[0] -= 2;
        assert_true(is_diverse(uneven, 5, 4, 1));
    }
}

/* --- recursive diversity --- */

static void recursive_diversity_is_as_defined(void **state)
{
    (void)state;
    size_t met[2] = {0};
    for (uint64_t s = 1; s <= seeds(80000); s++) {
        uint64_t seed = at_seed = s, count[8], copy[8];
        size_t n = counts_draw(&seed, count);
        uint64_t l = 1 + o_below(&seed, n + 2), den = 1 + o_below(&seed, 4),
                 num = 1 + o_below(&seed, 5 * den), rest = 0;
        bool is = do_recursive(count, n, num, den, l);
        met[is]++;
        memcpy(copy, count, sizeof copy);
        AGREE(lethe_is_recursive_diverse(copy, n, (lethe_theta){num, den}, l) == is);
        // at the bound, where r1 = c (r_l + ...), it does not hold
        for (size_t i = (size_t)l - 1; i < n; i++)
            rest += copy[i]; // sorted
        if (rest == 0) continue;
        AGREE(!lethe_is_recursive_diverse(copy, n, (lethe_theta){copy[0], rest}, l));
        AGREE(
            lethe_is_recursive_diverse(copy, n, (lethe_theta){copy[0] * 1000 + 1, rest * 1000}, l));
    }
    assert_true(met[0] > seeds(80000) / 20 && met[1] > seeds(80000) / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_flows_of_least_cost),
        cmocka_unit_test(largest_tables_do_not_overflow),
        cmocka_unit_test(entropies_are_compared_exactly),
        cmocka_unit_test(bounds_of_entropy_belong_to_it),
        cmocka_unit_test(recursive_diversity_is_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
