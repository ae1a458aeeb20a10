/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of small groups, drawn by a seed, against every set of rows that could be deleted; bounds
 * against every way to split a group; large groups against Lemma 3.3 step by step. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "seeds.h"
#include "tuples_harness.h"
#include "least_removed.h"

#define SEEDS seeds(30000)
enum { ROWS = 9 };

typedef struct drawn {
    th_row row[ROWS];
    size_t n;
    lethe_theta theta[TH_SA];
    lethe_group_demand d;
    uint32_t value[TH_SA], with[TH_SA], of_class[TH_SA * TH_CLASSES];
    lethe_group_counts g;
} drawn;

/* The rows as a group: values that occur, ascending. */
static void collect(drawn *x)
{
    memset(x->of_class, 0, sizeof x->of_class);
    x->g = (lethe_group_counts){
        .n = x->n, .value = x->value, .with = x->with, .general = x->g.general};
    for (uint32_t s = 0; s < TH_SA; s++) {
        uint32_t with = 0, *of = x->of_class + (size_t)x->g.n_values * x->d.n_class;
        for (size_t i = 0; i < x->n; i++) {
            if (x->row[i].sa != s) continue;
            with++;
            of[x->row[i].class]++;
        }
        if (with == 0) continue;
        x->value[x->g.n_values] = s;
        x->with[x->g.n_values++] = with;
    }
    x->g.of_class = x->d.cost == LETHE_COST_CM ? x->of_class : NULL;
}

static void draw(uint64_t *seed, size_t most, drawn *x)
{
    bool with_sa = o_below(seed, 10) > 0;
    uint32_t n_class = 1 + (uint32_t)o_below(seed, TH_CLASSES);
    uint32_t n_sa = 1 + (uint32_t)o_below(seed, TH_SA);
    memset(x, 0, sizeof *x);
    x->d = th_demand(seed, with_sa ? n_sa : 0, n_class, x->theta);
    x->n = 1 + o_below(seed, most);
    for (size_t i = 0; i < x->n; i++)
        x->row[i] = (th_row){.sa = with_sa ? (uint32_t)o_below(seed, 1 + o_below(seed, n_sa)) : 0,
                             .class = (uint32_t)o_below(seed, n_class)};
    x->d.rows = x->n + o_below(seed, 20);
    x->d.n_qi = 1 + (uint32_t)o_below(seed, 3);
    x->d.scale = 1 + o_below(seed, 12);
    x->g.general = o_below(seed, x->d.n_qi * x->d.scale + 1);
    collect(x);
}

static void mark(drawn *x, uint32_t mask)
{
    for (size_t i = 0; i < x->n; i++)
        x->row[i].deleted = mask >> i & 1;
}

static uint32_t gone(const drawn *x, uint32_t sa)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += x->row[i].deleted && x->row[i].sa == sa;
    return sum;
}

/* Of all sets of rows whose deletion leaves no value violated, the numbers by value are at least
 * those that are deleted; among the sets with just these numbers the cheapest costs the price. */
static void against_all_deletions(uint64_t seed, drawn *x, const lethe_group_price *p,
                                  const uint32_t *cut)
{
    uint64_t best = UINT64_MAX;
    bool given_up = p->deleted == x->n;
    for (uint32_t mask = 0; mask < 1u << x->n; mask++) {
        mark(x, mask);
        if (th_any_violated(&x->d, x->row, x->n)) continue;
        bool same = true;
        for (uint32_t i = 0; i < x->g.n_values; i++) {
            uint32_t n = gone(x, x->value[i]);
            if (!given_up && n < cut[i]) fail_msg("seed %" PRIu64 ": fewer would do", seed);
            same = same && n == cut[i];
        }
        if (same) best = LETHE_MIN(best, th_cost(&x->d, x->row, x->n, x->g.general));
    }
    if (best != p->cost) fail_msg("seed %" PRIu64 ": not the cheapest deletion", seed);
    mark(x, 0);
}

static void a_price_is_that_of_the_rows(void **state)
{
    size_t seen[6][3] = {{0}}, invalid = 0, part = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed;
        drawn x;
        uint32_t cut[TH_SA];
        draw(&s, ROWS, &x);
        lethe_group_price p = lethe_group_price_of(&x.d, &x.g, cut);
        if (x.d.suppress == LETHE_SUPPRESS_VIO_REC || x.d.suppress == LETHE_SUPPRESS_ALL_REC)
            against_all_deletions(seed, &x, &p, cut);
        th_price want = th_group(&x.d, x.row, x.n, x.g.general);
        seen[x.d.suppress][x.d.cost]++;
        invalid += !want.valid;
        if (p.valid != want.valid) fail_msg("seed %" PRIu64 ": valid is wrong", seed);
        if (!p.valid) continue;
        part += p.deleted > 0 && p.deleted < x.n;
        if (p.cost != want.cost || p.deleted != want.deleted || p.starred != want.starred)
            fail_msg("seed %" PRIu64 ": %" PRIu64 "/%" PRIu64 "/%" PRIu64 ", not %" PRIu64
                     "/%" PRIu64 "/%" PRIu64,
                     seed, p.cost, p.deleted, p.starred, want.cost, want.deleted, want.starred);
        for (uint32_t i = 0; i < x.g.n_values; i++) {
            uint32_t stars = 0;
            for (size_t r = 0; r < x.n; r++)
                stars += x.row[r].starred && x.row[r].sa == x.value[i];
            if (p.starred > 0 && cut[i] != stars) fail_msg("seed %" PRIu64 ": cut", seed);
        }
    }
    for (int scheme = 0; scheme < 6; scheme++)
        for (int cost = 0; cost < 3; cost++)
            if (cost == LETHE_COST_LM || !lethe_suppress_stars((lethe_group_suppress)scheme))
                assert_true(seen[scheme][cost] > SEEDS / 40);
    assert_true(invalid > SEEDS / 20 && part > SEEDS / 100);
}

/* The class that is kept has most rows left where its own rows are deleted last, and of equals it
 * is the smallest. */
static void the_class_kept_is_the_first_of_the_largest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 3; seed++) {
        uint64_t s = seed, best = 0;
        uint32_t cut[TH_SA], class = 0;
        drawn x;
        draw(&s, ROWS, &x);
        x.d.cost = LETHE_COST_CM;
        x.d.suppress = LETHE_SUPPRESS_VIO_REC;
        collect(&x);
        lethe_group_price p = lethe_group_price_of(&x.d, &x.g, cut);
        for (uint32_t c = 0; c < x.d.n_class; c++) {
            uint64_t sum = 0;
            for (uint32_t i = 0; i < x.g.n_values; i++) {
                uint32_t of = 0, left = x.with[i] - cut[i];
                for (size_t r = 0; r < x.n; r++)
                    of += x.row[r].sa == x.value[i] && x.row[r].class == c;
                sum += LETHE_MIN(of, left);
            }
            if (sum > best) class = c;
            best = LETHE_MAX(best, sum);
        }
        if (p.class != class) fail_msg("seed %" PRIu64 ": class", seed);
        assert_int_equal(p.cost, x.n - best);
    }
}

/* --- bounds --- */

/* What goes of the rows in all, split into parts as `part` says. */
static uint64_t goes(const drawn *x, const uint32_t *part)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < x->n; k++) {
        th_row row[ROWS];
        size_t n = 0;
        for (size_t i = 0; i < x->n; i++)
            if (part[i] == k) row[n++] = (th_row){.sa = x->row[i].sa};
        if (n == 0) continue;
        th_price p = th_group(&x->d, row, n, 0);
        sum += p.deleted + p.starred;
    }
    return sum;
}

/* Least over all ways to split. */
static uint64_t goes_at_least(const drawn *x, uint32_t *part, size_t at, uint32_t parts)
{
    uint64_t best = UINT64_MAX;
    if (at == x->n) return goes(x, part);
    for (part[at] = 0; part[at] <= parts; part[at]++) {
        uint32_t more = parts + (part[at] == parts);
        best = LETHE_MIN(best, goes_at_least(x, part, at + 1, more));
    }
    return best;
}

static void bounds_hold_for_every_split(void **state)
{
    size_t tight = 0, positive = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 30; seed++) {
        static const lethe_group_suppress all[] = {LETHE_SUPPRESS_VIO_SA, LETHE_SUPPRESS_ALL_SA,
                                                   LETHE_SUPPRESS_VIO_REC, LETHE_SUPPRESS_ALL_REC};
        uint64_t s = seed;
        drawn x;
        draw(&s, 6, &x);
        x.d.k = x.d.distinct = 1;
        x.d.cost = LETHE_COST_LM;
        uint64_t once = least_removed(&x.d, &x.g, false);
        uint64_t iterated = least_removed(&x.d, &x.g, true);
        if (iterated < once) fail_msg("seed %" PRIu64 ": iterated is less", seed);
        for (size_t i = 0; i < LETHE_COUNT(all); i++) {
            uint32_t part[ROWS];
            x.d.suppress = all[i];
            uint64_t least = goes_at_least(&x, part, 0, 0), bound = i < 2 ? once : iterated;
            if (bound > least) fail_msg("seed %" PRIu64 ": scheme %zu", seed, i);
            tight += bound == least;
            positive += bound > 0;
        }
    }
    assert_true(tight > SEEDS / 30 && positive > SEEDS / 30);
}

/* By the lemma's text: the least r with n_i - r <= theta (n - r). */
static uint64_t lemma(lethe_theta t, uint64_t with, uint64_t n)
{
    uint64_t r = 0;
    while (with > r && (with - r) * t.den > t.num * (n - r))
        r++;
    return r;
}

static void once_is_the_lemma_for_each_value(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed, want = 0;
        drawn x;
        draw(&s, ROWS, &x);
        for (uint32_t i = 0; i < x.g.n_values && x.d.theta && x.d.n_sa > 0; i++)
            want += lemma(x.d.theta[x.value[i]], x.with[i], x.n);
        if (least_removed(&x.d, &x.g, false) != want) fail_msg("seed %" PRIu64, seed);
    }
}

/* --- large groups --- */

enum { MANY = 60 };
__extension__ typedef unsigned __int128 wide;

/* Lemma 3.3 for one value after the other, until nothing is violated. */
static void step_by_step(const lethe_theta *theta, const uint32_t *with, uint32_t n_values,
                         uint64_t *left)
{
    uint64_t n = 0;
    bool again = true;
    for (uint32_t i = 0; i < n_values; i++)
        n += left[i] = with[i];
    while (again) {
        again = false;
        for (uint32_t i = 0; i < n_values; i++) {
            lethe_theta t = theta[i];
            if ((wide)left[i] * t.den <= (wide)t.num * n) continue;
            wide over = (wide)left[i] * t.den - (wide)t.num * n, by = t.den - t.num;
            uint64_t r = (uint64_t)LETHE_MIN((over + by - 1) / by, (wide)left[i]);
            left[i] -= r;
            n -= r;
            again = true;
        }
    }
}

static void large_groups_reach_the_same_fixpoint(void **state)
{
    size_t part = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 15; seed++) {
        uint64_t s = seed, left[MANY], kept = 0;
        uint32_t n_values = 1 + (uint32_t)o_below(&s, MANY), value[MANY], with[MANY], cut[MANY];
        uint64_t den = o_below(&s, 2)   ? n_values + o_below(&s, 3)
                       : o_below(&s, 2) ? 1 + o_below(&s, 1000000000)
                                        : LETHE_THETA_DEN - o_below(&s, 1000);
        bool alike = o_below(&s, 2);
        lethe_theta theta[MANY];
        lethe_group_counts g = {.n_values = n_values, .value = value, .with = with};
        for (uint32_t i = 0; i < n_values; i++) {
            uint64_t num = LETHE_MAX(den / n_values, 1) + o_below(&s, 1 + den / n_values);
            theta[i] = alike ? (lethe_theta){1, n_values} : (lethe_theta){LETHE_MIN(num, den), den};
            value[i] = i;
            with[i] = 1 + (uint32_t)o_below(&s, o_below(&s, 3) ? 200 : 100000);
            g.n += with[i];
        }
        lethe_group_demand d = {.theta = theta,
                                .n_sa = n_values,
                                .k = 1,
                                .distinct = 1,
                                .n_class = 1,
                                .rows = g.n,
                                .suppress = LETHE_SUPPRESS_VIO_REC,
                                .cost = LETHE_COST_DM};
        step_by_step(theta, with, n_values, left);
        lethe_group_price p = lethe_group_price_of(&d, &g, cut);
        for (uint32_t i = 0; i < n_values; i++) {
            if (with[i] - cut[i] != left[i]) fail_msg("seed %" PRIu64 ": value %u", seed, i);
            kept += left[i];
        }
        assert_int_equal(p.deleted, g.n - kept);
        assert_int_equal(least_removed(&d, &g, true), g.n - kept);
        part += kept > 0 && kept < g.n;
    }
    assert_true(part > SEEDS / 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_is_that_of_the_rows),
        cmocka_unit_test(the_class_kept_is_the_first_of_the_largest),
        cmocka_unit_test(bounds_hold_for_every_split),
        cmocka_unit_test(once_is_the_lemma_for_each_value),
        cmocka_unit_test(large_groups_reach_the_same_fixpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
