/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of assignments, edge by edge. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include "algo/match/assignment.h"
#include "core/mem.h"

static const lethe_assign_omega over = {.kind = LETHE_ASSIGN_OMEGA_OVER},
                                none = {.kind = LETHE_ASSIGN_OMEGA_NONE};
static lethe_assign_omega is(uint64_t value)
{
    return (lethe_assign_omega){LETHE_ASSIGN_OMEGA_IS, value};
}

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
    lethe_assigner_free(NULL);
    return 0;
}

/* "1 - 0" : the right term of each left one. */
static const char *solved(const lethe_assign_pairs *p, lethe_assign_omega omega,
                          lethe_assign_matching *m)
{
    static char text[256];
    uint32_t to[32];
    size_t at = 0;
    assert_true(p->n_left <= 32);
    assert_int_equal(lethe_assign(work, p, omega, to, m), LETHE_OK);
    text[0] = '\0';
    for (uint32_t l = 0; l < p->n_left; l++)
        at += (size_t)(to[l] == LETHE_NONE
                           ? snprintf(text + at, sizeof text - at, l ? " -" : "-")
                           : snprintf(text + at, sizeof text - at, l ? " %u" : "%u", to[l]));
    return text;
}

static lethe_assign_cost priced(const lethe_assign_pairs *p, lethe_assign_omega omega)
{
    lethe_assign_cost price;
    bool within;
    assert_int_equal(lethe_assign_price(work, p, omega, LETHE_ASSIGN_COST_ANY, &price, &within),
                     LETHE_OK);
    assert_true(within);
    return price;
}

static void expect_price(lethe_assign_cost got, uint64_t unmatched, uint64_t weight)
{
    assert_int_equal(got.unmatched, unmatched);
    assert_int_equal(got.weight, weight);
}

#define PAIRS(n_left, n_right, ...)                                                                \
    (lethe_assign_pairs)                                                                           \
    {                                                                                              \
        n_left, n_right, sizeof((lethe_assign_pair[]){__VA_ARGS__}) / sizeof(lethe_assign_pair),   \
            (lethe_assign_pair[])                                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void empty_lists_cost_their_other_side(void **state)
{
    (void)state;
    lethe_assign_matching m;
    lethe_assign_pairs nothing = {0, 0, 0, NULL}, left = {3, 0, 0, NULL}, right = {0, 2, 0, NULL};
    lethe_assign_pairs apart = {2, 3, 0, NULL};
    assert_string_equal(solved(&nothing, over, &m), "");
    assert_true(m.matched == 0 && m.weight == 0);
    expect_price(priced(&nothing, over), 0, 0);
    assert_string_equal(solved(&left, over, &m), "- - -");
    expect_price(priced(&left, over), 3, 0);
    expect_price(priced(&left, is(7)), 0, 21);
    expect_price(priced(&left, none), 0, 0);
    assert_string_equal(solved(&right, is(7), &m), "");
    expect_price(priced(&right, is(7)), 0, 14);
    assert_string_equal(solved(&apart, none, &m), "- -");
    expect_price(priced(&apart, over), 5, 0);
    expect_price(priced(&apart, is(1)), 0, 5);
    assert_int_equal(lethe_assign_greedy(work, &nothing, NULL, &m), LETHE_OK);
    assert_true(m.matched == 0 && m.weight == 0);
}

/* Two lefts, two rights: to match both costs 1 + 9, to match one 0. */
static void omega_says_what_unmatched_terms_cost(void **state)
{
    (void)state;
    lethe_assign_matching m;
    lethe_assign_pairs p = PAIRS(2, 2, {0, 0, 0}, {0, 1, 1}, {1, 0, 9});
    assert_string_equal(solved(&p, over, &m), "1 0");
    assert_true(m.matched == 2 && m.weight == 10);
    expect_price(priced(&p, over), 0, 10);
    assert_string_equal(solved(&p, none, &m), "1 0");
    expect_price(priced(&p, none), 0, 10);
    assert_string_equal(solved(&p, is(4), &m), "0 -");
    assert_true(m.matched == 1 && m.weight == 0);
    expect_price(priced(&p, is(4)), 0, 8);
    assert_string_equal(solved(&p, is(6), &m), "1 0");
    expect_price(priced(&p, is(6)), 0, 10);
    assert_string_equal(solved(&p, is(0), &m), "0 -"); // nothing unmatched costs anything
    // as dear either way: the first takes the earliest
    assert_string_equal(solved(&p, is(5), &m), "0 -");
    expect_price(priced(&p, is(5)), 0, 10);
}

static void matched_comes_before_unmatched(void **state)
{
    (void)state;
    lethe_assign_matching m;
    lethe_assign_pairs one = PAIRS(1, 1, {0, 0, 8}), two = PAIRS(2, 1, {0, 0, 8}, {1, 0, 8});
    assert_string_equal(solved(&one, is(4), &m), "0");
    assert_true(m.matched == 1 && m.weight == 8);
    assert_string_equal(solved(&one, is(3), &m), "-");
    assert_true(m.matched == 0 && m.weight == 0);
    expect_price(priced(&one, is(3)), 0, 6);
    assert_string_equal(solved(&two, is(4), &m), "0 -");
    assert_string_equal(solved(&two, over, &m), "0 -");
}

/* All weights equal, more right terms than a table holds: the identity. */
static void ties_go_to_the_earliest(void **state)
{
    (void)state;
    enum { N = 12 };
    lethe_assign_pair all[N * N];
    lethe_assign_matching m;
    for (uint32_t i = 0; i < N * N; i++)
        all[i] = (lethe_assign_pair){i / N, i % N, 3};
    lethe_assign_pairs p = {N, N, N * N, all};
    assert_string_equal(solved(&p, over, &m), "0 1 2 3 4 5 6 7 8 9 10 11");
    assert_true(m.matched == N && m.weight == 3 * N);
    assert_string_equal(solved(&p, is(2), &m), "0 1 2 3 4 5 6 7 8 9 10 11");
    assert_string_equal(solved(&p, is(1), &m), "- - - - - - - - - - - -");
    // with a pair that is lighter, still the earliest for all others
    all[N * N - N].weight = 0;
    assert_string_equal(solved(&p, over, &m), "1 2 3 4 5 6 7 8 9 10 11 0");
}

/* {a,a,c} against {d,c,d} on an uneven tree: to match c with c first is not exact. */
static void equal_terms_are_not_matched_first(void **state)
{
    (void)state;
    lethe_assign_matching m;
    // a-c 3, c-d 3, a-d 6 (over epsilon)
    lethe_assign_pairs p = PAIRS(3, 3, {0, 1, 3}, {1, 1, 3}, {2, 0, 3}, {2, 1, 0}, {2, 2, 3});
    assert_string_equal(solved(&p, over, &m), "1 - 0");
    expect_price(priced(&p, over), 2, 6);
    uint32_t to[3];
    assert_int_equal(lethe_assign_greedy(work, &p, to, &m), LETHE_OK);
    assert_true(to[0] == LETHE_NONE && to[1] == LETHE_NONE && to[2] == 1);
    assert_true(m.matched == 1 && m.weight == 0);
}

static void components_do_not_meet(void **state)
{
    (void)state;
    lethe_assign_matching m;
    lethe_assign_pairs p =
        PAIRS(5, 6, {0, 5, 1}, {1, 0, 2}, {1, 3, 2}, {3, 0, 2}, {3, 3, 1}, {4, 5, 1});
    assert_string_equal(solved(&p, over, &m), "5 0 - 3 -");
    assert_true(m.matched == 3 && m.weight == 4);
    expect_price(priced(&p, over), 5, 4);
}

static void greedy_takes_by_weight_left_right(void **state)
{
    (void)state;
    uint32_t to[3];
    lethe_assign_matching m;
    lethe_assign_pairs p =
        PAIRS(3, 3, {0, 1, 2}, {0, 2, 2}, {1, 0, 5}, {1, 1, 2}, {2, 1, 2}, {2, 2, 1});
    assert_int_equal(lethe_assign_greedy(work, &p, to, &m), LETHE_OK);
    assert_true(to[0] == 1 && to[1] == 0 && to[2] == 2);
    assert_true(m.matched == 3 && m.weight == 8);
    lethe_assign_pairs q = PAIRS(2, 1, {0, 0, 2}, {1, 0, 1});
    assert_int_equal(lethe_assign_greedy(work, &q, to, &m), LETHE_OK);
    assert_true(to[0] == LETHE_NONE && to[1] == 0);
}

static void bounds_end_the_search(void **state)
{
    (void)state;
    lethe_assign_pairs p = PAIRS(2, 3, {0, 0, 4}, {1, 2, 5});
    lethe_assign_cost price = {1, 2};
    bool within = true;
    assert_int_equal(lethe_assign_price(work, &p, over, (lethe_assign_cost){1, 8}, &price, &within),
                     LETHE_OK);
    assert_false(within);
    expect_price(price, 1, 2); // untouched
    assert_int_equal(lethe_assign_price(work, &p, over, (lethe_assign_cost){1, 9}, &price, &within),
                     LETHE_OK);
    assert_true(within);
    expect_price(price, 1, 9);
    assert_int_equal(
        lethe_assign_price(work, &p, over, (lethe_assign_cost){0, 99}, &price, &within), LETHE_OK);
    assert_false(within);
}

static void sums_that_could_overflow_are_refused(void **state)
{
    (void)state;
    const uint64_t limit = UINT64_C(1) << 58;
    uint32_t to[2] = {77, 77};
    lethe_assign_matching m = {77, 77};
    lethe_assign_cost price;
    bool within;
    lethe_assign_pairs p = PAIRS(2, 2, {0, 0, limit / 2}, {1, 1, limit / 2});
    assert_int_equal(lethe_assign(work, &p, over, to, &m), LETHE_EUSAGE);
    assert_int_equal(lethe_assign_greedy(work, &p, to, &m), LETHE_EUSAGE);
    assert_int_equal(lethe_assign_price(work, &p, over, LETHE_ASSIGN_COST_ANY, &price, &within),
                     LETHE_EUSAGE);
    assert_true(to[0] == 77 && m.matched == 77);
    lethe_assign_pairs q = PAIRS(2, 2, {0, 0, limit / 2}, {1, 1, limit / 2 - 1});
    assert_int_equal(lethe_assign(work, &q, over, to, &m), LETHE_OK);
    assert_true(to[0] == 0 && to[1] == 1 && m.weight == limit - 1);
    assert_int_equal(lethe_assign(work, &q, is(1), to, &m), LETHE_EUSAGE);
    lethe_assign_pairs r = PAIRS(2, 2, {0, 0, 1}, {1, 1, UINT64_MAX});
    assert_int_equal(lethe_assign(work, &r, over, to, &m), LETHE_EUSAGE);
    lethe_assign_pairs s = PAIRS(2, 2, {0, 0, 1}, {1, 1, 0});
    assert_int_equal(lethe_assign(work, &s, is(UINT64_MAX), to, &m), LETHE_EUSAGE);
    assert_int_equal(lethe_assign(work, &s, is(limit / 4), to, &m), LETHE_EUSAGE);
    assert_int_equal(lethe_assign(work, &s, is(limit / 4 - 1), to, &m), LETHE_OK);
    assert_true(to[0] == 0 && to[1] == 1 && m.weight == 1);
}

/* --- large ones --- */

enum { LARGE = 100000 };

/* One vocabulary of a hundred thousand terms beside one of three: one component, three matched. */
static void one_side_may_be_huge(void **state)
{
    (void)state;
    lethe_assign_pair *pairs = malloc(3 * LARGE * sizeof *pairs);
    uint32_t *to = malloc(LARGE * sizeof *to);
    lethe_assign_matching m;
    assert_true(pairs && to);
    for (uint32_t i = 0; i < 3 * LARGE; i++)
        pairs[i] = (lethe_assign_pair){i / 3, i % 3, 1 + (i / 3 + i % 3) % 2};
    assert_int_equal(
        lethe_assign(work, &(lethe_assign_pairs){LARGE, 3, 3 * LARGE, pairs}, over, to, &m),
        LETHE_OK);
    // even left terms are near to 0 and 2, odd ones to 1
    assert_true(m.matched == 3 && m.weight == 3 && to[0] == 0 && to[1] == 1 && to[2] == 2);
    for (uint32_t l = 3; l < LARGE; l++)
        assert_int_equal(to[l], LETHE_NONE);
    for (uint32_t i = 0; i < 3 * LARGE; i++)
        pairs[i] = (lethe_assign_pair){i / LARGE, i % LARGE, 1 + (i % LARGE < 99990)};
    assert_int_equal(
        lethe_assign(work, &(lethe_assign_pairs){3, LARGE, 3 * LARGE, pairs}, is(9), to, &m),
        LETHE_OK);
    assert_true(m.matched == 3 && m.weight == 3);
    assert_true(to[0] == 99990 && to[1] == 99991 && to[2] == 99992);
    free(pairs);
    free(to);
}

/* A chain l0 - r0 - l1 - r1 - ...: one component, and the last pair moves all others. */
static void a_chain_may_be_long(void **state)
{
    (void)state;
    lethe_assign_pair *pairs = malloc(2 * LARGE * sizeof *pairs);
    uint32_t *to = malloc(LARGE * sizeof *to);
    lethe_assign_matching m;
    lethe_assign_cost price;
    bool within;
    size_t n = 0;
    assert_true(pairs && to);
    for (uint32_t l = 0; l < LARGE; l++) {
        if (l > 0) pairs[n++] = (lethe_assign_pair){l, l - 1, 1};
        if (l + 1 < LARGE) pairs[n++] = (lethe_assign_pair){l, l, 1};
    }
    lethe_assign_pairs p = {LARGE, LARGE - 1, n, pairs};
    assert_int_equal(lethe_assign(work, &p, over, to, &m), LETHE_OK);
    assert_true(m.matched == LARGE - 1 && m.weight == LARGE - 1);
    for (uint32_t l = 0; l < LARGE; l++)
        assert_int_equal(to[l], l + 1 < LARGE ? l : LETHE_NONE);
    assert_int_equal(lethe_assign_price(work, &p, over, LETHE_ASSIGN_COST_ANY, &price, &within),
                     LETHE_OK);
    assert_true(within);
    expect_price(price, 1, LARGE - 1);
    free(pairs);
    free(to);
}

/* A band of equal weights from corner to corner, one component in which every term could go to
 * several places: settled in no more than a few looks for each.  A look at all for each takes half
 * a minute. */
static void ties_of_a_huge_band_are_settled_soon(void **state)
{
    (void)state;
    lethe_assign_pair *pairs = malloc(3 * LARGE * sizeof *pairs);
    uint32_t *to = malloc(LARGE * sizeof *to);
    lethe_assign_matching m;
    size_t n = 0;
    assert_true(pairs && to);
    for (uint32_t l = 0; l < LARGE; l++) {
        uint32_t r = LARGE - 1 - l;
        if (r > 0) pairs[n++] = (lethe_assign_pair){l, r - 1, 4};
        pairs[n++] = (lethe_assign_pair){l, r, 4};
        if (r + 1 < LARGE) pairs[n++] = (lethe_assign_pair){l, r + 1, 4};
    }
    clock_t begun = clock();
    assert_int_equal(
        lethe_assign(work, &(lethe_assign_pairs){LARGE, LARGE, n, pairs}, over, to, &m), LETHE_OK);
    assert_true(clock() - begun < 8 * CLOCKS_PER_SEC);
    assert_true(m.matched == LARGE && m.weight == 4 * LARGE);
    for (uint32_t l = 0; l < LARGE; l += 2) { // each two neighbours change places
        assert_int_equal(to[l], LARGE - 2 - l);
        assert_int_equal(to[l + 1], LARGE - 1 - l);
    }
    free(pairs);
    free(to);
}

/* --- memory --- */

/* Twenty left terms, six right ones, all pairs: paths begin at the right. */
static const lethe_assign_pairs *wide(void)
{
    static lethe_assign_pair all[20 * 6];
    static lethe_assign_pairs p = {20, 6, 20 * 6, all};
    for (uint32_t i = 0; i < 20 * 6; i++)
        all[i] = (lethe_assign_pair){i / 6, i % 6, (i / 6 * 7 + i % 6 * 5) % 4};
    return &p;
}

static lethe_err all_ways(lethe_assigner *a, uint32_t *to, lethe_assign_matching *m)
{
    lethe_assign_cost price;
    bool within;
    LETHE_TRY(lethe_assign(a, wide(), over, to, m));
    LETHE_TRY(lethe_assign_price(a, wide(), is(3), LETHE_ASSIGN_COST_ANY, &price, &within));
    return lethe_assign_greedy(a, wide(), to, m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        uint32_t to[20] = {77, 77};
        lethe_assign_matching m = {77, 77};
        lethe_alloc_fail_at(n);
        lethe_assigner *a = lethe_assigner_new();
        lethe_err e = a ? all_ways(a, to, &m) : LETHE_ENOMEM;
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) {
            lethe_assigner_free(a);
            // itself, left, order, right, heap; the same again for it turned, its pairs; sorted
            assert_int_equal(n, 13);
            return;
        }
        assert_int_equal(e, LETHE_ENOMEM);
        if (n < 12) assert_true(to[0] == 77 && m.matched == 77);
        if (a) assert_int_equal(all_ways(a, to, &m), LETHE_OK); // and it can go on
        lethe_assigner_free(a);
    }
}

static void nothing_is_allocated_twice(void **state)
{
    (void)state;
    uint32_t to[20];
    lethe_assign_matching m;
    assert_int_equal(all_ways(work, to, &m), LETHE_OK);
    uint64_t before = lethe_alloc_count();
    assert_int_equal(all_ways(work, to, &m), LETHE_OK);
    assert_int_equal(lethe_alloc_count(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_lists_cost_their_other_side),
        cmocka_unit_test(omega_says_what_unmatched_terms_cost),
        cmocka_unit_test(matched_comes_before_unmatched),
        cmocka_unit_test(ties_go_to_the_earliest),
        cmocka_unit_test(equal_terms_are_not_matched_first),
        cmocka_unit_test(components_do_not_meet),
        cmocka_unit_test(greedy_takes_by_weight_left_right),
        cmocka_unit_test(bounds_end_the_search),
        cmocka_unit_test(sums_that_could_overflow_are_refused),
        cmocka_unit_test(one_side_may_be_huge),
        cmocka_unit_test(a_chain_may_be_long),
        cmocka_unit_test(ties_of_a_huge_band_are_settled_soon),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_is_allocated_twice),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
