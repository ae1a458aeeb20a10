/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of groups: each scheme, each cost, and the edges of both. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/table/group_price.h"
#include "least_removed.h"

enum { VALUES = 4 };

typedef struct small {
    uint32_t value[VALUES], with[VALUES], of_class[VALUES * 2];
    lethe_group_counts g;
} small;

/* A group with so many rows of values 0, 1, ..; LM of a row 3. */
static small group_of(const uint32_t *with, uint32_t n)
{
    small s = {.g = {.general = 3}};
    for (uint32_t i = 0; i < n; i++) {
        if (with[i] == 0) continue;
        s.value[s.g.n_values] = i;
        s.with[s.g.n_values++] = with[i];
        s.g.n += with[i];
    }
    return s;
}
#define GROUP(...) group_of((uint32_t[]){__VA_ARGS__}, LETHE_COUNT(((uint32_t[]){__VA_ARGS__})))

static const lethe_theta HALF[] = {{1, 2}, {1, 2}, {1, 2}, {1, 2}};

/* Two quasi-identifiers of scale 10 in a table of 100 rows. */
static lethe_group_demand demand_of(lethe_group_suppress suppress, lethe_group_cost cost)
{
    return (lethe_group_demand){.suppress = suppress,
                                .cost = cost,
                                .theta = HALF,
                                .n_sa = VALUES,
                                .k = 1,
                                .distinct = 1,
                                .n_class = 1,
                                .rows = 100,
                                .n_qi = 2,
                                .scale = 10};
}

static lethe_group_price price_of(const lethe_group_demand *d, small *s, uint32_t *cut)
{
    s->g.value = s->value;
    s->g.with = s->with;
    s->g.of_class = s->of_class;
    memset(cut, 0xff, VALUES * sizeof *cut);
    return lethe_group_price_of(d, &s->g, cut);
}

static void each_scheme_has_its_price(void **state)
{
    static const struct {
        lethe_group_suppress suppress;
        lethe_group_cost cost;
        bool valid;
        uint64_t price, deleted, starred;
        uint32_t cut[2];
    } want[] = {
        // three of one value, one of another
        {LETHE_SUPPRESS_NONE, LETHE_COST_LM, false, 0, 0, 0, {0, 0}},
        {LETHE_SUPPRESS_VIO_SA, LETHE_COST_LM, true, 4 * 3 + 3 * 20, 0, 3, {3, 0}},
        {LETHE_SUPPRESS_ALL_SA, LETHE_COST_LM, true, 4 * 3 + 4 * 20, 0, 4, {3, 1}},
        {LETHE_SUPPRESS_VIO_REC, LETHE_COST_LM, true, 2 * 3 + 2 * 40, 2, 0, {2, 0}},
        {LETHE_SUPPRESS_ALL_REC, LETHE_COST_LM, true, 4 * 40, 4, 0, {3, 1}},
        {LETHE_SUPPRESS_VIO_REC, LETHE_COST_DM, true, 2 * 2 + 2 * 100, 2, 0, {2, 0}},
        {LETHE_SUPPRESS_ALL_REC, LETHE_COST_DM, true, 4 * 100, 4, 0, {3, 1}},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        small s = GROUP(3, 1);
        uint32_t cut[VALUES];
        lethe_group_demand d = demand_of(want[i].suppress, want[i].cost);
        lethe_group_price p = price_of(&d, &s, cut);
        assert_int_equal(p.valid, want[i].valid);
        if (!p.valid) continue;
        assert_int_equal(p.cost, want[i].price);
        assert_int_equal(p.deleted, want[i].deleted);
        assert_int_equal(p.starred, want[i].starred);
        assert_memory_equal(cut, want[i].cut, sizeof want[i].cut);
    }
}

static void a_group_without_fault_is_only_generalized(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < 6; scheme++)
        for (int cost = 0; cost < 2; cost++) {
            small s = GROUP(2, 0, 2);
            uint32_t cut[VALUES];
            lethe_group_demand d = demand_of((lethe_group_suppress)scheme, (lethe_group_cost)cost);
            lethe_group_price p = price_of(&d, &s, cut);
            assert_true(p.valid && p.deleted == 0 && p.starred == 0 && cut[0] + cut[1] == 0);
            assert_int_equal(p.cost, cost == LETHE_COST_LM ? 4 * 3 : 4 * 4);
        }
}

/* A third of three rows is not more than a third. */
static void a_share_that_is_met_exactly_is_no_violation(void **state)
{
    static const lethe_theta third[] = {{1, 3}, {1, 3}, {1, 3}, {1, 3}};
    lethe_group_demand d = demand_of(LETHE_SUPPRESS_NONE, LETHE_COST_DM);
    uint32_t cut[VALUES];
    (void)state;
    d.theta = third;
    small s = GROUP(1, 1, 1), more = GROUP(2, 1, 1);
    assert_true(price_of(&d, &s, cut).valid);
    assert_false(price_of(&d, &more, cut).valid);
}

static void nought_lets_no_row_stay_and_one_lets_all(void **state)
{
    static const lethe_theta edges[] = {{0, 1}, {1, 1}, {1, 1}, {1, 1}};
    lethe_group_demand d = demand_of(LETHE_SUPPRESS_VIO_REC, LETHE_COST_DM);
    uint32_t cut[VALUES];
    (void)state;
    d.theta = edges;
    small s = GROUP(3, 5), only = GROUP(4);
    lethe_group_price p = price_of(&d, &s, cut);
    assert_true(p.deleted == 3 && cut[0] == 3 && cut[1] == 0);
    assert_int_equal(least_removed(&d, &s.g, false), 3);
    assert_int_equal(least_removed(&d, &s.g, true), 3);
    p = price_of(&d, &only, cut);
    assert_true(p.valid && p.deleted == 4 && p.cost == 400);
}

/* The class that CM keeps: x has 6 of class 0 and 3 of class 1, y and z one of class 1 each. */
static void cm_keeps_the_class_of_which_most_rows_stay(void **state)
{
    lethe_group_demand d = demand_of(LETHE_SUPPRESS_VIO_REC, LETHE_COST_CM);
    uint32_t cut[VALUES];
    (void)state;
    d.n_class = 2;
    small s = GROUP(9, 1, 1);
    memcpy(s.of_class, (uint32_t[]){6, 3, 0, 1, 0, 1}, 6 * sizeof *s.of_class);
    lethe_group_price p = price_of(&d, &s, cut);
    assert_true(p.valid && p.deleted == 7 && cut[0] == 7);
    assert_int_equal(p.class, 1);
    assert_int_equal(p.cost, 7);
    memcpy(s.of_class, (uint32_t[]){5, 4, 1, 0, 0, 1}, 6 * sizeof *s.of_class);
    p = price_of(&d, &s, cut); // 3 of either: the smaller
    assert_int_equal(p.class, 0);
    assert_int_equal(p.cost, 11 - 3);
}

static void k_is_of_what_is_left(void **state)
{
    static const struct {
        lethe_group_suppress suppress;
        uint64_t k;
        bool valid;
        uint64_t deleted, starred;
    } want[] = {
        // of 3 and 1, two may stay
        {LETHE_SUPPRESS_VIO_REC, 2, true, 2, 0}, {LETHE_SUPPRESS_VIO_REC, 3, true, 4, 0},
        {LETHE_SUPPRESS_ALL_REC, 5, true, 4, 0}, {LETHE_SUPPRESS_VIO_SA, 4, true, 0, 3},
        {LETHE_SUPPRESS_VIO_SA, 5, false, 0, 0}, {LETHE_SUPPRESS_ALL_SA, 4, true, 0, 4},
        {LETHE_SUPPRESS_ALL_SA, 5, false, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        small s = GROUP(3, 1);
        uint32_t cut[VALUES];
        lethe_group_demand d = demand_of(want[i].suppress, LETHE_COST_LM);
        d.k = want[i].k;
        lethe_group_price p = price_of(&d, &s, cut);
        assert_int_equal(p.valid, want[i].valid);
        if (p.valid) assert_true(p.deleted == want[i].deleted && p.starred == want[i].starred);
    }
}

static void a_group_shows_enough_values_or_none(void **state)
{
    static const struct {
        lethe_group_suppress suppress;
        uint32_t with[3];
        bool valid;
        uint64_t deleted, starred;
    } want[] = {
        // two at least
        {LETHE_SUPPRESS_NONE, {2, 2, 0}, true, 0, 0},
        {LETHE_SUPPRESS_VIO_SA, {3, 1, 1}, true, 0, 3},  // shows two
        {LETHE_SUPPRESS_VIO_SA, {3, 2, 0}, false, 0, 0}, // shows one
        {LETHE_SUPPRESS_VIO_SA, {3, 0, 0}, true, 0, 3},  // shows none
        {LETHE_SUPPRESS_ALL_SA, {3, 0, 0}, true, 0, 3},
        {LETHE_SUPPRESS_ALL_REC, {3, 0, 0}, true, 3, 0},
        {LETHE_SUPPRESS_VIO_REC, {3, 1, 0}, true, 2, 0},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        small s = group_of(want[i].with, 3);
        uint32_t cut[VALUES];
        lethe_group_demand d = demand_of(want[i].suppress, LETHE_COST_LM);
        d.distinct = 2;
        lethe_group_price p = price_of(&d, &s, cut);
        assert_int_equal(p.valid, want[i].valid);
        if (p.valid) assert_true(p.deleted == want[i].deleted && p.starred == want[i].starred);
    }
    for (int scheme = 0; scheme < 5; scheme++) { // without thresholds `distinct` alone counts
        small s = GROUP(3);
        uint32_t cut[VALUES];
        lethe_group_demand d = demand_of((lethe_group_suppress)scheme, LETHE_COST_LM);
        d.theta = NULL;
        d.distinct = 2;
        lethe_group_price p = price_of(&d, &s, cut);
        assert_int_equal(p.valid, scheme > LETHE_SUPPRESS_VIO_SA);
        if (p.valid) assert_int_equal(p.deleted + p.starred, 3);
    }
}

static void without_a_sensitive_column_only_k_is_asked(void **state)
{
    lethe_group_demand d = demand_of(LETHE_SUPPRESS_NONE, LETHE_COST_DM);
    uint32_t cut[VALUES];
    (void)state;
    d.n_sa = 0;
    d.distinct = 3;
    d.k = 4;
    small s = GROUP(4), few = GROUP(3);
    assert_true(price_of(&d, &s, cut).valid);
    assert_false(price_of(&d, &few, cut).valid);
    assert_int_equal(least_removed(&d, &s.g, true), 0);
    assert_int_equal(least_removed(&d, &s.g, false), 0);
    d.suppress = LETHE_SUPPRESS_ALL_REC;
    assert_int_equal(price_of(&d, &few, cut).deleted, 3);
}

/* The most rows a table can have, thresholds of the largest denominators. */
static void large_numbers_do_not_wrap(void **state)
{
    static const lethe_theta odd[] = {
        {333333333, 1000000000}, {999999999, 1000000000}, {1, 1}, {0, 1}};
    lethe_group_demand d = demand_of(LETHE_SUPPRESS_VIO_REC, LETHE_COST_DM);
    uint32_t cut[VALUES], n = UINT32_MAX - 2;
    (void)state;
    d.theta = odd;
    d.rows = n;
    small s = GROUP(n / 2, n - n / 2);
    lethe_group_price p = price_of(&d, &s, cut);
    uint64_t left = s.with[0] - cut[0], all = n - p.deleted;
    assert_true(p.valid && cut[1] == 0 && cut[0] > 0);
    assert_true(left * 1000000000 <= all * 333333333); // and one more would be too many
    assert_true((left + 1) * 1000000000 > (all + 1) * 333333333);
    assert_true(p.cost == all * all + p.deleted * n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scheme_has_its_price),
        cmocka_unit_test(a_group_without_fault_is_only_generalized),
        cmocka_unit_test(a_share_that_is_met_exactly_is_no_violation),
        cmocka_unit_test(nought_lets_no_row_stay_and_one_lets_all),
        cmocka_unit_test(cm_keeps_the_class_of_which_most_rows_stay),
        cmocka_unit_test(k_is_of_what_is_left),
        cmocka_unit_test(a_group_shows_enough_values_or_none),
        cmocka_unit_test(without_a_sensitive_column_only_k_is_asked),
        cmocka_unit_test(large_numbers_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
