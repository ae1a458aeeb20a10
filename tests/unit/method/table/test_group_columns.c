/* SPDX-License-Identifier: Apache-2.0 */
/* Diversity and closeness of a group: the papers' examples, bounds that are met to the last digit,
 * and numbers of billions of rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "method/table/group_columns.h"

enum { MOST = 9 };

/* --- entropy --- */

static bool entropic(uint64_t num, uint64_t den, uint32_t n_values, const uint32_t *with)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < n_values; i++)
        n += with[i];
    return lethe_entropy_keeps((lethe_theta){num, den}, with, n_values, n);
}
#define ENTROPIC(num, den, ...)                                                                    \
    entropic(num, den, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                       \
             (uint32_t[]){__VA_ARGS__})

static void equal_shares_meet_their_number(void **state)
{
    (void)state;
    static const uint32_t each[] = {1, 2, 3, 7, 1000, 65537, 1000000, 1073741823};
    for (size_t i = 0; i < LETHE_COUNT(each); i++) {
        uint32_t x = each[i];
        assert_true(ENTROPIC(1, 1, x));
        assert_true(ENTROPIC(2, 1, x, x));
        assert_true(ENTROPIC(3, 1, x, x, x));
        assert_false(ENTROPIC(1000000001, 500000000, x, x));
        assert_false(ENTROPIC(4, 1, x, x, x));
        assert_true(ENTROPIC(2999999999, 1000000000, x, x, x));
    }
}

/* 1/2, 1/4, 1/4: 3/2 log 2, the logarithm of the root of 8. */
static void what_is_near_is_told_apart(void **state)
{
    (void)state;
    assert_true(ENTROPIC(2828427124, 1000000000, 2, 1, 1));
    assert_false(ENTROPIC(2828427125, 1000000000, 2, 1, 1));
    assert_true(ENTROPIC(2828427124, 1000000000, 2000000000, 1000000000, 1000000000));
    assert_false(ENTROPIC(2828427125, 1000000000, 2000000000, 1000000000, 1000000000));
    // one row more of one value is less than equal shares
    assert_false(ENTROPIC(2, 1, 1000000, 1000001));
    assert_false(ENTROPIC(2, 1, 500000001, 500000000));
    // 16 of 1, 16 of 1/16 ...: shares that are powers give a whole number
    assert_true(ENTROPIC(4, 1, 8, 8, 4, 4, 4, 2, 2) == ENTROPIC(4, 1, 80, 80, 40, 40, 40, 20, 20));
    assert_true(ENTROPIC(1, 1, 5));
    assert_true(entropic(5, 1, 0, NULL)); // nobody is in it
}

/* --- recursive --- */

static bool recursive(uint64_t num, uint64_t den, uint32_t l, uint32_t n_values, uint32_t *with)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < n_values; i++)
        n += with[i];
    return lethe_recursive_keeps((lethe_theta){num, den}, l, with, n_values, n);
}
#define RECURSIVE(num, den, l, ...)                                                                \
    recursive(num, den, l, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                   \
              (uint32_t[]){__VA_ARGS__})

static void the_most_frequent_is_below_c_times_the_rest(void **state)
{
    (void)state;
    assert_true(RECURSIVE(3, 1, 2, 1, 5, 1));  // 5 < 3 * 2
    assert_false(RECURSIVE(5, 2, 2, 1, 5, 1)); // 5 < 5 is not so
    assert_true(RECURSIVE(5000000001, 2000000000, 2, 1, 5, 1));
    assert_true(RECURSIVE(2, 1, 1, 7)); // 7 < 2 * 7
    assert_false(RECURSIVE(1, 1, 1, 7));
    assert_false(RECURSIVE(1000000, 1, 2, 7)); // there is no second
    assert_false(RECURSIVE(1000000, 1, 4, 7, 7, 7));
    assert_true(RECURSIVE(2, 1, 3, 7, 7, 7));
    assert_true(RECURSIVE(1000000, 1, 2, 4000000000, 4001));
    assert_false(RECURSIVE(1000000, 1, 2, 4000000000, 4000));
}

/* --- closeness --- */

typedef struct table {
    lethe_value_distance distance;
    lethe_theta t;
    uint32_t n, with[MOST], parent[MOST], climb[MOST], height;
    uint64_t rows;
} table;

static bool close(const table *t, uint32_t n_values, const uint32_t *value, uint32_t *with)
{
    uint32_t zeros[MOST] = {0};
    lethe_group_closeness c = {.t = t->t,
                               .distance = t->distance,
                               .rows = t->rows,
                               .n = t->n,
                               .with = t->with,
                               .parent = t->parent,
                               .climb = t->climb,
                               .height = t->height};
    lethe_column_counts g = {n_values, 0, value, with, zeros};
    for (uint32_t i = 0; i < n_values; i++)
        g.n += with[i];
    bool keeps = lethe_closeness_keeps(&c, &g);
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(zeros[i], 0);
    return keeps;
}

/* Salaries 3k to 11k, one row each: {3k,4k,5k} is 0.375 away, {6k,8k,11k} 0.167 (example 3). */
static void the_papers_salaries(void **state)
{
    (void)state;
    table t = {.distance = LETHE_DISTANCE_ORDERED, .n = 9, .rows = 9};
    for (size_t i = 0; i < 9; i++)
        t.with[i] = 1;
    uint32_t low[] = {0, 1, 2}, mixed[] = {3, 5, 8}, one[] = {1, 1, 1};
    t.t = (lethe_theta){3, 8};
    assert_true(close(&t, 3, low, one));
    t.t = (lethe_theta){374999999, 1000000000};
    assert_false(close(&t, 3, low, one));
    t.t = (lethe_theta){1, 6};
    assert_true(close(&t, 3, mixed, one));
    t.t = (lethe_theta){166666666, 1000000000};
    assert_false(close(&t, 3, mixed, one));
    t.distance = LETHE_DISTANCE_EQUAL; // two thirds of the table are not in either
    t.t = (lethe_theta){2, 3};
    assert_true(close(&t, 3, low, one) && close(&t, 3, mixed, one));
    t.t = (lethe_theta){666666666, 1000000000};
    assert_false(close(&t, 3, low, one) || close(&t, 3, mixed, one));
}

/* Root, two inner nodes, two leaves each: from one leaf of four equal ones 1/4 goes to its sibling
 * at half the height, and 1/2 over the root. */
static void heights_weigh_what_is_moved(void **state)
{
    (void)state;
    table t = {.distance = LETHE_DISTANCE_HIERARCHICAL,
               .n = 7,
               .rows = 4,
               .with = {4, 2, 1, 1, 2, 1, 1},
               .parent = {LETHE_NONE, 0, 1, 1, 0, 4, 4},
               .climb = {0, 1, 1, 1, 1, 1, 1},
               .height = 2};
    uint32_t leaf[] = {2}, with[] = {5};
    t.t = (lethe_theta){5, 8};
    assert_true(close(&t, 1, leaf, with));
    t.t = (lethe_theta){624999999, 1000000000};
    assert_false(close(&t, 1, leaf, with));
}

static void billions_of_rows_do_not_overflow(void **state)
{
    (void)state;
    table t = {.n = 2, .rows = 4294967294, .with = {4294967293, 1}};
    uint32_t second[] = {1}, both[] = {0, 1}, one[] = {4294967290}, all[] = {4294967293, 1};
    t.t = (lethe_theta){999999999, 1000000000};
    for (int i = 0; i < 2; i++) {
        t.distance = i ? LETHE_DISTANCE_ORDERED : LETHE_DISTANCE_EQUAL;
        assert_false(close(&t, 1, second, one));
        assert_true(close(&t, 2, both, all));
    }
    t.t = (lethe_theta){1, 1};
    assert_true(close(&t, 1, second, one));
}

/* --- all of a column --- */

static void a_column_asks_for_all_at_once(void **state)
{
    (void)state;
    lethe_group_column c = {.n = 3};
    uint32_t value[] = {0, 1}, with[] = {1, 3}, zeros[3] = {0};
    lethe_column_counts g = {2, 4, value, with, zeros};
    assert_true(lethe_group_column_keeps(&c, &g));
    c.theta = (lethe_theta){3, 4};
    assert_true(lethe_group_column_keeps(&c, &g));
    c.theta = (lethe_theta){2, 3};
    assert_false(lethe_group_column_keeps(&c, &g));
    c = (lethe_group_column){.n = 3, .distinct = 3};
    assert_false(lethe_group_column_keeps(&c, &g));
    c = (lethe_group_column){.n = 3, .entropy = {5, 2}};
    assert_int_equal(lethe_group_column_values(&c), 3);
    assert_false(lethe_group_column_keeps(&c, &g));
    c = (lethe_group_column){.n = 3, .c = {3, 1}, .l = 2};
    assert_false(lethe_group_column_keeps(&c, &g));
    c.c.num = 4;
    assert_true(lethe_group_column_keeps(&c, &g));
}

/* --- distances --- */

static const char *parsed(const char *text)
{
    static const lethe_str sa[] = {{"a", 1}, {"b=c", 3}, {"d,e", 3}};
    static char out[8];
    lethe_arena *a = lethe_arena_new();
    lethe_value_distance *of = NULL;
    assert_non_null(a);
    strcpy(out, "refused");
    if (lethe_distances_parse(NULL, a, text, sa, LETHE_COUNT(sa), &of) == LETHE_OK)
        for (size_t i = 0; i < 4; i++)
            out[i] = i < 3 ? lethe_distance_name(of[i])[0] : '\0';
    lethe_arena_free(a);
    return out;
}

static void distances_are_for_all_or_by_column(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {NULL, "eee"},
        {"equal", "eee"},
        {" ordered ", "ooo"},
        {"hierarchical", "hhh"},
        {"a=ordered", "oee"},
        {"b=c=hierarchical, a = ordered", "ohe"},
        {"\"d,e=ordered\"", "eeo"},
        {"Ordered", "refused"},
        {"a=", "refused"},
        {"=ordered", "refused"},
        {"c=ordered", "refused"},
        {"a=ordered,a=equal", "refused"},
        {"a=ordered,", "refused"},
        {"", "refused"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        assert_string_equal(parsed(cases[i][0]), cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_shares_meet_their_number),
        cmocka_unit_test(what_is_near_is_told_apart),
        cmocka_unit_test(the_most_frequent_is_below_c_times_the_rest),
        cmocka_unit_test(the_papers_salaries),
        cmocka_unit_test(heights_weigh_what_is_moved),
        cmocka_unit_test(billions_of_rows_do_not_overflow),
        cmocka_unit_test(a_column_asks_for_all_at_once),
        cmocka_unit_test(distances_are_for_all_or_by_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
