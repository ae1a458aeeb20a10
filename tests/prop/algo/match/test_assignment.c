/* SPDX-License-Identifier: Apache-2.0 */
/* Matchings against all that there are, ties by the rule; greedy by its word; large ones against
 * their own optimality conditions and a table over all sets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "matching_oracle.h"
#include "seeds.h"

static lethe_assigner *work;

static int begin(void **state)
{
    (void)state;
    work = lethe_assigner_new();
    return work ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_assigner_free(work);
    return 0;
}

static lethe_assign_omega omega_drawn(uint64_t *seed, uint32_t most, int64_t scale)
{
    switch (mo_below(seed, 4)) {
    case 0:
        return (lethe_assign_omega){.kind = LETHE_ASSIGN_OMEGA_OVER};
    case 1:
        return (lethe_assign_omega){.kind = LETHE_ASSIGN_OMEGA_NONE};
    default: // often so small that pairs are not worth it, or just worth it
        return (lethe_assign_omega){LETHE_ASSIGN_OMEGA_IS,
                                    mo_below(seed, most + 2) * (uint64_t)scale};
    }
}

/* The price, with bounds at, just below and far from it. */
static void check_price(uint64_t seed, const mo_problem *p, lethe_assign_omega omega,
                        lethe_assign_cost want)
{
    lethe_assign_cost bounds[] = {LETHE_ASSIGN_COST_ANY, want, want, {0, 0}};
    if (want.weight > 0)
        bounds[2].weight--;
    else if (want.unmatched > 0)
        bounds[2] = (lethe_assign_cost){want.unmatched - 1, UINT64_MAX};
    for (size_t i = 0; i < LETHE_COUNT(bounds); i++) {
        lethe_assign_cost got = {77, 77};
        bool within = false, should = lethe_assign_cost_cmp(want, bounds[i]) <= 0;
        assert_int_equal(lethe_assign_price(work, &p->pairs, omega, bounds[i], &got, &within),
                         LETHE_OK);
        if (within != should) fail_msg("seed %llu: bound %zu", (unsigned long long)seed, i);
        if (!within) want = (lethe_assign_cost){77, 77};
        if (lethe_assign_cost_cmp(got, want) != 0)
            fail_msg("seed %llu: price", (unsigned long long)seed);
        want = bounds[1];
    }
}

static void check(uint64_t seed, const mo_problem *p, lethe_assign_omega omega,
                  const uint32_t *want, lethe_assign_cost price)
{
    uint32_t to[MO_SIDE];
    lethe_assign_matching m;
    assert_int_equal(lethe_assign(work, &p->pairs, omega, to, &m), LETHE_OK);
    uint32_t matched = 0;
    for (uint32_t l = 0; l < p->n_left; l++) {
        matched += to[l] != LETHE_NONE;
        if (to[l] != want[l]) {
            mo_print(p);
            fail_msg("seed %llu: left %u goes to %d, not %d (omega %d %llu)",
                     (unsigned long long)seed, l, (int)to[l], (int)want[l], (int)omega.kind,
                     (unsigned long long)omega.value);
        }
    }
    if (m.matched != matched) fail_msg("seed %llu: matched", (unsigned long long)seed);
    if (lethe_assign_cost_cmp(lethe_assign_cost_of(omega, p->n_left, p->n_right, m), price) != 0)
        fail_msg("seed %llu: the matching's price", (unsigned long long)seed);
    check_price(seed, p, omega, price);
}

/* Sizes from nothing to 7 on 7; most of the larger ones go by paths, the smaller by tables. */
static void matchings_are_the_least_of_all(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= seeds(12000); round++) {
        uint64_t seed = round;
        mo_problem p;
        uint32_t most = 1 + mo_below(&seed, 6), side = round % 3 ? 6 : 8;
        uint32_t density = 1 + mo_below(&seed, 8);
        uint32_t n_left = mo_below(&seed, side), n_right = mo_below(&seed, side);
        int64_t scale = mo_below(&seed, 4) ? 1 : (int64_t)1 << 40;
        mo_draw(&seed, &p, n_left, n_right, density, most, scale);
        mo_best b = mo_solve(&p, omega_drawn(&seed, most, scale));
        check(round, &p, b.omega, b.to, mo_price(&b));
    }
}

/* Few pairs, many terms: components of all shapes, large sparse ones among them. */
static void sparse_matchings_are_the_least_of_all(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= seeds(3000); round++) {
        uint64_t seed = round << 20;
        mo_problem p;
        uint32_t most = 1 + mo_below(&seed, 4);
        uint32_t n_left = 4 + mo_below(&seed, 6), n_right = 4 + mo_below(&seed, 9);
        mo_draw(&seed, &p, n_left, n_right, 2, most, 1);
        mo_best b = mo_solve(&p, omega_drawn(&seed, most, 1));
        check(round, &p, b.omega, b.to, mo_price(&b));
    }
}

/* --- a table over the sets of right terms: up to 12 of them, all pairs --- */

typedef struct row {
    int64_t unmatched, weight; /* with omega in the weight, the former is 0 */
} row;

static row best_of(const mo_problem *p, lethe_assign_omega omega, const row *below, uint32_t l,
                   uint32_t set, uint32_t *to)
{
    bool is = omega.kind == LETHE_ASSIGN_OMEGA_IS, any = false;
    row best = {0};
    for (uint32_t r = 0; r <= p->n_right; r++) {
        bool nobody = r == p->n_right;
        if (!nobody && (!(set >> r & 1) || p->weight[l][r] == MO_NO)) continue;
        row x = below[nobody ? set : set ^ 1u << r];
        if (nobody && is) x.weight += 2 * (int64_t)omega.value;
        if (nobody && !is) x.unmatched++;
        if (!nobody) x.weight += p->weight[l][r];
        if (any && (x.unmatched > best.unmatched ||
                    (x.unmatched == best.unmatched && x.weight >= best.weight)))
            continue;
        best = x;
        *to = nobody ? LETHE_NONE : r;
        any = true;
    }
    return best;
}

static lethe_assign_cost table_solve(const mo_problem *p, lethe_assign_omega omega, uint32_t *to)
{
    static row rows[MO_SIDE + 1][1 << MO_SIDE];
    uint32_t sets = 1u << p->n_right, set = sets - 1, matched = 0;
    memset(rows[p->n_left], 0, sizeof rows[0]);
    for (uint32_t l = p->n_left; l-- > 0;)
        for (uint32_t s = 0; s < sets; s++)
            rows[l][s] = best_of(p, omega, rows[l + 1], l, s, &to[l]);
    lethe_assign_matching m = {0};
    for (uint32_t l = 0; l < p->n_left; l++) {
        best_of(p, omega, rows[l + 1], l, set, &to[l]);
        if (to[l] == LETHE_NONE) continue;
        set ^= 1u << to[l];
        matched++;
        m.weight += (uint64_t)p->weight[l][to[l]];
    }
    m.matched = matched;
    return lethe_assign_cost_of(omega, p->n_left, p->n_right, m);
}

static void larger_matchings_are_as_a_full_table_has_them(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 400; round++) {
        uint64_t seed = round << 30;
        mo_problem p;
        uint32_t to[MO_SIDE], most = 1 + mo_below(&seed, 5), density = 1 + mo_below(&seed, 8);
        uint32_t n_left = 4 + mo_below(&seed, 9), n_right = 6 + mo_below(&seed, 5);
        mo_draw(&seed, &p, n_left, n_right, density, most, 1);
        lethe_assign_omega omega = omega_drawn(&seed, most, 1);
        lethe_assign_cost price = table_solve(&p, omega, to);
        check(round, &p, omega, to, price);
    }
}

/* --- ties of components too large for a table --- */

enum { WIDE = 300 };

/* The price with the first `n_fixed` left terms at places given; LETHE_NONE: at nobody. */
static lethe_assign_cost price_with(const lethe_assign_pairs *p, lethe_assign_omega omega,
                                    const uint32_t *fixed, uint32_t n_fixed)
{
    static lethe_assign_pair rest[WIDE * WIDE];
    bool taken[WIDE] = {false}, within = false;
    uint32_t matched = 0;
    lethe_assign_matching m = {0};
    lethe_assign_pairs q = {p->n_left - n_fixed, p->n_right, 0, rest};
    for (uint32_t l = 0; l < n_fixed; l++)
        if (fixed[l] != LETHE_NONE) taken[fixed[l]] = true;
    for (size_t i = 0; i < p->n; i++) {
        const lethe_assign_pair *x = &p->at[i];
        if (x->left >= n_fixed && !taken[x->right])
            rest[q.n++] = (lethe_assign_pair){x->left - n_fixed, x->right, x->weight};
        if (x->left >= n_fixed || fixed[x->left] != x->right) continue;
        matched++;
        m.weight += x->weight;
    }
    lethe_assign_cost price = {0};
    assert_int_equal(lethe_assign_price(work, &q, omega, LETHE_ASSIGN_COST_ANY, &price, &within),
                     LETHE_OK);
    assert_true(within);
    // The right terms taken were counted as unmatched there, the fixed left ones not at all.
    if (omega.kind == LETHE_ASSIGN_OMEGA_OVER) price.unmatched += n_fixed - 2 * (uint64_t)matched;
    if (omega.kind == LETHE_ASSIGN_OMEGA_IS) price.weight += omega.value * n_fixed;
    if (omega.kind == LETHE_ASSIGN_OMEGA_IS) price.weight -= 2 * omega.value * matched;
    price.weight += m.weight;
    return price;
}

/* No left term could have an earlier place at the same price, those before it being where they
 * are: the rule, word for word.  (Prices are checked above, and no tie is settled for them.) */
static void check_ties(uint64_t seed, const lethe_assign_pairs *p, lethe_assign_omega omega)
{
    uint32_t to[WIDE], fixed[WIDE];
    lethe_assign_matching m;
    assert_int_equal(lethe_assign(work, p, omega, to, &m), LETHE_OK);
    lethe_assign_cost least = lethe_assign_cost_of(omega, p->n_left, p->n_right, m);
    if (lethe_assign_cost_cmp(price_with(p, omega, to, 0), least) != 0 ||
        lethe_assign_cost_cmp(price_with(p, omega, to, p->n_left), least) != 0)
        fail_msg("seed %llu: the price", (unsigned long long)seed);
    memcpy(fixed, to, sizeof fixed);
    for (size_t i = 0; i < p->n; i++) {
        uint32_t l = p->at[i].left;
        bool is_had = false;
        for (uint32_t k = 0; k < l; k++)
            is_had = is_had || to[k] == p->at[i].right;
        if (is_had || p->at[i].right >= to[l]) continue; // LETHE_NONE is after all
        fixed[l] = p->at[i].right;
        if (lethe_assign_cost_cmp(price_with(p, omega, fixed, l + 1), least) <= 0)
            fail_msg("seed %llu: left %u could go to %u", (unsigned long long)seed, l, fixed[l]);
        fixed[l] = to[l];
    }
}

/* Model 1 is OVER's matching at another price, which says nothing of the number matched. */
static void ties_of_large_components_go_to_the_earliest(void **state)
{
    (void)state;
    static lethe_assign_pair all[WIDE * WIDE];
    for (uint64_t round = 1; round <= 400; round++) {
        uint64_t seed = round << 40;
        bool is_wide = round % 200 == 0;
        uint32_t n_left = is_wide ? WIDE : 6 + mo_below(&seed, 35);
        uint32_t n_right = is_wide || round % 3 ? n_left : 6 + mo_below(&seed, 35);
        uint32_t most = 1 + mo_below(&seed, 4), degree = 2 + mo_below(&seed, is_wide ? 2 : 5);
        lethe_assign_pairs p = {n_left, n_right, 0, all};
        for (uint32_t i = 0; i < n_left * n_right; i++)
            if (mo_below(&seed, n_right) < degree)
                all[p.n++] = (lethe_assign_pair){i / n_right, i % n_right, mo_below(&seed, most)};
        lethe_assign_omega omega = {.kind = LETHE_ASSIGN_OMEGA_OVER};
        if (round % 2)
            omega = (lethe_assign_omega){LETHE_ASSIGN_OMEGA_IS, mo_below(&seed, most + 1)};
        check_ties(round, &p, omega);
    }
}

/* --- greedy --- */

/* The lightest pair of free terms, again and again; of several the first. */
static void greedy_does_what_it_says(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= seeds(5000); round++) {
        uint64_t seed = round;
        mo_problem p;
        uint32_t to[MO_SIDE], want[MO_SIDE];
        bool taken[MO_SIDE] = {0};
        lethe_assign_matching m, sum = {0};
        mo_draw(&seed, &p, mo_below(&seed, MO_SIDE), mo_below(&seed, MO_SIDE),
                1 + mo_below(&seed, 8), 1 + mo_below(&seed, 6), round % 2 ? 1 : 1234567);
        memset(want, 0xff, sizeof want);
        for (;;) {
            const lethe_assign_pair *best = NULL;
            for (size_t i = 0; i < p.pairs.n; i++) {
                const lethe_assign_pair *x = &p.list[i];
                if (want[x->left] != LETHE_NONE || taken[x->right]) continue;
                if (!best || x->weight < best->weight) best = x;
            }
            if (!best) break;
            want[best->left] = best->right;
            taken[best->right] = true;
            sum.matched++;
            sum.weight += best->weight;
        }
        assert_int_equal(lethe_assign_greedy(work, &p.pairs, to, &m), LETHE_OK);
        if (memcmp(to, want, p.n_left * sizeof *to) != 0 || m.matched != sum.matched ||
            m.weight != sum.weight)
            fail_msg("seed %llu: greedy", (unsigned long long)round);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matchings_are_the_least_of_all),
        cmocka_unit_test(sparse_matchings_are_the_least_of_all),
        cmocka_unit_test(larger_matchings_are_as_a_full_table_has_them),
        cmocka_unit_test(ties_of_large_components_go_to_the_earliest),
        cmocka_unit_test(greedy_does_what_it_says),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
