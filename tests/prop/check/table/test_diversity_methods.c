/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of checkers on closeness and diversity (check/table/closeness.h,
 * check/table/diversity.h) beside those of methods (method/table/group_columns.h), which are
 * written apart from them: random counts of any size, at a bound and next to it.  What a method
 * takes for kept, a checker must not refuse. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "check/table/closeness.h"
#include "check/table/diversity.h"
#include "log_oracle.h"
#include "method/table/group_columns.h"
#include "seeds.h"

enum { VALUES = 9, NODES = 18 };

static uint64_t at_seed;

#define AGREE(what)                                                                                \
    do {                                                                                           \
        if (!(what)) fail_msg("seed %llu: not so: %s", (unsigned long long)at_seed, #what);        \
    } while (0)

/* Of any size below 2^bits. */
static uint64_t any(uint64_t *seed, unsigned bits)
{
    return o_next(seed) % (UINT64_C(1) << (1 + o_below(seed, bits)));
}

static lethe_theta lowest(uint64_t num, uint64_t den)
{
    uint64_t a = num, b = den;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (lethe_theta){num / a, den / a};
}

/* --- closeness --- */

struct tree {
    uint32_t n, parent[NODES], climb[NODES], height[NODES];
    size_t n_leaves;
    uint32_t leaf[NODES];
};

static void tree_draw(struct tree *t, uint64_t *seed)
{
    do {
        bool inner[NODES] = {false};
        memset(t, 0, sizeof *t);
        t->n = 2 + (uint32_t)o_below(seed, NODES - 1);
        for (uint32_t v = 1; v < t->n; v++) {
            t->parent[v] = (uint32_t)o_below(seed, v);
            inner[t->parent[v]] = true;
        }
        for (uint32_t v = 0; v < t->n; v++)
            if (!inner[v]) t->leaf[t->n_leaves++] = v;
        for (uint32_t v = t->n; v-- > 1;)
            if (t->height[t->parent[v]] <= t->height[v]) t->height[t->parent[v]] = t->height[v] + 1;
        for (uint32_t v = 1; v < t->n; v++)
            t->climb[v] = t->height[t->parent[v]] - t->height[v];
    } while (t->n_leaves > VALUES);
}

static void closeness_is_decided_alike(void **state)
{
    (void)state;
    static const lethe_value_distance kinds[] = {LETHE_DISTANCE_EQUAL, LETHE_DISTANCE_ORDERED,
                                                 LETHE_DISTANCE_HIERARCHICAL};
    size_t met[2] = {0};
    for (uint64_t s = 1; s <= seeds(120000); s++) {
        uint64_t seed = at_seed = s, rows[NODES] = {0}, of_group = 0, total = 0;
        lethe_ground ground = (lethe_ground)(s % 3);
        struct tree t;
        tree_draw(&t, &seed);
        bool tree = ground == LETHE_GROUND_HIERARCHICAL;
        uint32_t n = tree ? (uint32_t)t.n_leaves : 1 + (uint32_t)o_below(&seed, VALUES), n_at = 0;
        uint32_t places = tree ? t.n : n, place[VALUES], all[NODES] = {0}, value[VALUES],
                 with[VALUES], zeros[NODES] = {0};
        unsigned bits = 1 + (unsigned)o_below(&seed, 28);
        lethe_rows_at at[VALUES];
        for (uint32_t i = 0; i < n; i++) {
            uint64_t mine = o_below(&seed, 3) == 0 ? 0 : any(&seed, bits);
            place[i] = tree ? t.leaf[i] : i;
            all[place[i]] = (uint32_t)(mine + any(&seed, bits) + (mine == 0));
            rows[place[i]] = all[place[i]];
            total += rows[place[i]];
            of_group += mine;
            if (mine == 0) continue;
            at[n_at] = (lethe_rows_at){place[i], mine};
            value[n_at] = i;
            with[n_at++] = (uint32_t)mine;
        }
        if (n_at == 0) continue;
        if (tree)
            for (uint32_t v = t.n; v-- > 1;)
                all[t.parent[v]] += all[v];
        lethe_arena *a = lethe_arena_new();
        lethe_closeness c;
        assert_int_equal(lethe_closeness_init(&c, a, ground, places, rows, t.parent), LETHE_OK);
        lethe_distance d = lethe_closeness_of(&c, at, n_at);
        lethe_group_closeness m = {.distance = kinds[ground],
                                   .rows = total,
                                   .n = places,
                                   .place = place,
                                   .with = all,
                                   .parent = t.parent,
                                   .climb = t.climb,
                                   .height = t.height[0]};
        const lethe_column_counts counts = {n_at, of_group, value, with, zeros};
        uint64_t den = 1 + any(&seed, 29), near = (uint64_t)(lethe_distance_value(d) * (double)den);
        lethe_theta bounds[] = {lowest(near, den),
                                lowest(LETHE_MIN(near + 1, den), den),
                                lowest(o_next(&seed) % (den + 1), den),
                                {1, 1}};
        // exactly at the distance, where it is short enough
        if (d.den <= 1000000000) bounds[3] = lowest((uint64_t)d.num, (uint64_t)d.den);
        for (size_t i = 0; i < LETHE_COUNT(bounds); i++) {
            m.t = bounds[i];
            bool kept = lethe_closeness_keeps(&m, &counts);
            AGREE(kept == !lethe_is_further(d, bounds[i]));
            met[kept]++;
        }
        lethe_arena_free(a);
    }
    assert_true(met[0] > seeds(120000) / 4 && met[1] > seeds(120000) / 4);
}

/* --- diversity --- */

static size_t counts_draw(uint64_t *seed, uint64_t *count, uint32_t *with, uint64_t *rows)
{
    size_t n = 1 + o_below(seed, VALUES);
    unsigned bits = 1 + (unsigned)o_below(seed, 28);
    uint64_t same = 1 + any(seed, bits);
    *rows = 0;
    for (size_t i = 0; i < n; i++) {
        count[i] =
            o_below(seed, 2) ? same << o_below(seed, 3) >> o_below(seed, 2) : 1 + any(seed, bits);
        if (count[i] == 0) count[i] = 1;
        count[i] = LETHE_MIN(count[i], UINT64_C(400000000));
        with[i] = (uint32_t)count[i];
        *rows += count[i];
    }
    return n;
}

static void entropy_is_decided_alike(void **state)
{
    (void)state;
    size_t met[2] = {0}, apart = 0;
    for (uint64_t s = 1; s <= seeds(60000); s++) {
        uint64_t seed = at_seed = s, count[VALUES], rows, den = 1 + any(&seed, 29);
        uint32_t with[VALUES];
        size_t n = counts_draw(&seed, count, with, &rows);
        if (rows > UINT32_MAX) continue;
        double values = lethe_entropy_values(count, n);
        uint64_t near = (uint64_t)(values * (double)den);
        const lethe_theta ls[] = {lowest(LETHE_MAX(near, den), den),
                                  lowest(LETHE_MAX(near + 1, den), den),
                                  lowest((uint64_t)round(values) ? (uint64_t)round(values) : 1, 1),
                                  lowest(den + o_next(&seed) % (8 * den), den)};
        for (size_t i = 0; i < LETHE_COUNT(ls); i++) {
            uint64_t copy[VALUES];
            bool kept = false, by_method = lethe_entropy_keeps(ls[i], with, (uint32_t)n, rows);
            memcpy(copy, count, sizeof copy);
            assert_int_equal(lethe_is_entropy_diverse(copy, n, ls[i], &kept), LETHE_OK);
            AGREE(kept || !by_method);
            apart += kept != by_method;
            met[kept]++;
        }
    }
    assert_true(apart * 1000 <= met[0] + met[1]); // what no rounding decides is rare
    assert_true(met[0] > seeds(60000) / 4 && met[1] > seeds(60000) / 4);
}

static void recursive_diversity_is_decided_alike(void **state)
{
    (void)state;
    size_t met[2] = {0};
    for (uint64_t s = 1; s <= seeds(200000); s++) {
        uint64_t seed = at_seed = s, count[VALUES], rows, den = 1 + any(&seed, 29), rest = 0;
        uint32_t with[VALUES], l;
        size_t n = counts_draw(&seed, count, with, &rows);
        l = 1 + (uint32_t)o_below(&seed, n + 2);
        lethe_theta c = lowest(1 + any(&seed, 33), den);
        for (int at_bound = 0; at_bound < 2; at_bound++) {
            bool kept = lethe_is_recursive_diverse(count, n, c, l); // sorts
            AGREE(kept == lethe_recursive_keeps(c, l, with, (uint32_t)n, rows));
            met[kept]++;
            for (size_t i = l - 1; i < n; i++)
                rest += count[i];
            if (rest == 0 || rest > 1000000000) break;
            c = lowest(count[0], rest);
        }
    }
    assert_true(met[0] > seeds(200000) / 8 && met[1] > seeds(200000) / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closeness_is_decided_alike),
        cmocka_unit_test(entropy_is_decided_alike),
        cmocka_unit_test(recursive_diversity_is_decided_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
