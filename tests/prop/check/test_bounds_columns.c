/* SPDX-License-Identifier: Apache-2.0 */
/* Methods and checkers decide diversity and closeness by functions of their own: both must answer
 * the same, for small and large groups, near the bounds and on them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "check/closeness.h"
#include "check/diversity.h"
#include "log_oracle.h"
#include "method/table/group_columns.h"
#include "seeds.h"

#define CASES seeds(200000)
enum { MOST = 8, NODES = 20 };

/* Counts that are often equal, and together up to two billion. */
static uint32_t draw_counts(uint64_t *seed, uint32_t *with, uint64_t *rows)
{
    uint32_t n = 1 + (uint32_t)o_below(seed, MOST), up_to = 1u << o_below(seed, 28);
    bool alike = o_below(seed, 3) == 0;
    for (uint32_t i = 0; i < n; i++) {
        with[i] = 1 + (uint32_t)o_below(seed, up_to);
        if (alike && i > 0)
            with[i] = LETHE_MIN(with[o_below(seed, i)] << o_below(seed, 2), 1u << 28);
        rows[i] = with[i];
    }
    return n;
}

/* A number near `about`: a simple fraction, or of nine digits. */
static lethe_theta draw_near(uint64_t *seed, double about)
{
    uint64_t den = o_below(seed, 3) ? 1 + o_below(seed, 12) : 1 + o_below(seed, 1000000000);
    int64_t off = (int64_t)o_below(seed, 5) - 2;
    int64_t num = (int64_t)(about * (double)den + 0.5) + off;
    char text[64];
    lethe_theta out;
    snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)LETHE_MAX(num, (int64_t)den),
             (unsigned long long)den);
    assert_true(lethe_decimal_parse(lethe_str_of(text), &out));
    return out;
}

static void entropy_is_decided_alike(void **state)
{
    size_t kept = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES / 4; seed++) {
        uint64_t s = seed, rows[MOST], n = 0;
        uint32_t with[MOST], n_values = draw_counts(&s, with, rows);
        for (uint32_t i = 0; i < n_values; i++)
            n += with[i];
        lethe_theta l = draw_near(&s, lethe_entropy_values(rows, n_values));
        bool is;
        assert_int_equal(lethe_is_entropy_diverse(rows, n_values, l, &is), LETHE_OK);
        bool mine = lethe_entropy_keeps(l, with, n_values, n);
        if (mine != is) fail_msg("seed %llu: %d, not %d", (unsigned long long)seed, mine, is);
        kept += is;
    }
    assert_true(kept > CASES / 20 && kept < CASES / 5);
}

static void recursive_diversity_is_decided_alike(void **state)
{
    size_t kept = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed, rows[MOST], n = 0;
        uint32_t with[MOST], n_values = draw_counts(&s, with, rows);
        uint32_t l = 1 + (uint32_t)o_below(&s, n_values + 1);
        lethe_theta c = draw_near(&s, 1 + (double)o_below(&s, 8) / 2);
        for (uint32_t i = 0; i < n_values; i++)
            n += with[i];
        bool mine = lethe_recursive_keeps(c, l, with, n_values, n);
        bool is = lethe_is_recursive_diverse(rows, n_values, c, l);
        if (mine != is) fail_msg("seed %llu: %d, not %d", (unsigned long long)seed, mine, is);
        kept += is;
    }
    assert_true(kept > CASES / 10);
}

/* A table's places, and a part of its rows; in a tree whose leaves are behind all inner nodes. */
static void closeness_is_decided_alike(void **state)
{
    size_t kept = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES / 2; seed++) {
        uint64_t s = seed, all[MOST], rows[NODES] = {0};
        uint32_t in_table[MOST], n = draw_counts(&s, in_table, all), inner = 1, nodes = n;
        uint32_t parent[NODES] = {LETHE_NONE}, climb[NODES] = {0}, height[NODES] = {0};
        uint32_t place[MOST], with[MOST], value[MOST], table[NODES] = {0}, zeros[NODES] = {0};
        lethe_value_distance distance = (lethe_value_distance)o_below(&s, 3);
        bool tree = distance == LETHE_DISTANCE_HIERARCHICAL;
        if (tree) {
            inner = 1 + (uint32_t)o_below(&s, 4);
            nodes = inner + n;
            for (uint32_t v = 1; v < nodes; v++)
                parent[v] = (uint32_t)o_below(&s, LETHE_MIN(v, inner));
            // an inner node without a value below it is not published
            for (uint32_t v = 1; v < inner; v++)
                parent[inner + o_below(&s, n)] = v;
        }
        lethe_group_closeness mine = {.distance = distance,
                                      .n = nodes,
                                      .place = place,
                                      .with = table,
                                      .parent = parent,
                                      .climb = climb};
        lethe_column_counts g = {.value = value, .with = with, .zeros = zeros};
        lethe_place at[MOST];
        for (uint32_t i = 0; i < n; i++) {
            place[i] = tree ? inner + i : i;
            rows[place[i]] = all[i];
            table[place[i]] = in_table[i];
            mine.rows += all[i];
            uint32_t some = (uint32_t)o_below(&s, (uint64_t)in_table[i] + 1);
            if (some == 0 && (i + 1 < n || g.n_values > 0)) continue;
            value[g.n_values] = i;
            with[g.n_values] = LETHE_MAX(some, 1);
            at[g.n_values] = (lethe_place){place[i], LETHE_MAX(some, 1)};
            g.n += with[g.n_values++];
        }
        bool empty = false; // an inner node that lost its leaves to another
        for (uint32_t v = nodes; v-- > 1 && tree;) {
            table[parent[v]] += table[v];
            empty = empty || table[v] == 0;
            height[parent[v]] = LETHE_MAX(height[parent[v]], height[v] + 1);
        }
        for (uint32_t v = 1; v < nodes && tree; v++)
            climb[v] = height[parent[v]] - height[v];
        mine.height = height[0];
        if (empty) continue;
        lethe_closeness c;
        lethe_arena *a = lethe_arena_new();
        assert_non_null(a);
        assert_int_equal(lethe_closeness_init(&c, a, (lethe_ground)distance, nodes, rows, parent),
                         LETHE_OK);
        lethe_distance far = lethe_closeness_of(&c, at, g.n_values);
        uint64_t den = o_below(&s, 2) ? 1 + o_below(&s, 12) : 1 + o_below(&s, 1000000000);
        uint64_t num = (uint64_t)(lethe_distance_value(far) * (double)den + 0.5) + o_below(&s, 2);
        mine.t = (lethe_theta){LETHE_MIN(num, den), den};
        bool is = !lethe_is_further(far, mine.t), keeps = lethe_closeness_keeps(&mine, &g);
        if (is != keeps) fail_msg("seed %llu: %d, not %d", (unsigned long long)seed, keeps, is);
        kept += is;
        lethe_arena_free(a);
    }
    assert_true(kept > CASES / 10 && kept < CASES / 2 - CASES / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entropy_is_decided_alike),
        cmocka_unit_test(recursive_diversity_is_decided_alike),
        cmocka_unit_test(closeness_is_decided_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
