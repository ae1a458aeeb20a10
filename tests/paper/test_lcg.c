/* SPDX-License-Identifier: Apache-2.0 */
/* What the figures of Milani Fard & Wang 2010 rest on: LM of Section II.B, and with it the
 * distortion GGD of every vector, by its definition and by its closed form; and the tree distances
 * of Liu's thesis (Examples 5.4 and 5.12, Figure 5.2(a)).  All in whole numbers, scaled by leaves
 * - 1. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "tree_oracle.h"

/* Section II.B: LM(v) = (leaves under v - 1) / (all leaves - 1). */
static void lm_is_as_printed(void **state)
{
    (void)state;
    golden g = golden_open("lcg");
    const lethe_json *v = golden_vector(&g, "lcg-51"), *all = golden_object(v, "expected");
    lethe_tree *t = golden_tree(v);
    assert_int_equal(lethe_json_count(all), 5);
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        lethe_str name = lethe_json_name(all, i);
        fraction want = {0};
        assert_true(fraction_parse(lethe_json_text(lethe_json_at(all, i)), &want));
        uint32_t node = golden_node(v, t, name);
        golden_expect(v, "LM", want, fraction_of(lethe_tree_lm(t, node), lethe_tree_scale(t)));
    }
    lethe_tree_free(t);
    golden_close(&g);
}

/* --- GGD of every vector --- */

/* Records of a vector: for every node the least number of items below it, which is the M(v) of the
 * closed form, and sums. */
typedef struct counted {
    size_t n;       /* records */
    uint64_t items; /* of all */
    uint32_t *least;
} counted;

static counted count_records(const lethe_json *v, const lethe_tree *t)
{
    const lethe_json *records = golden_array(v, "input.transactions");
    counted c = {lethe_json_count(records), 0, malloc(t->n * sizeof(uint32_t))};
    memset(c.least, 0xff, t->n * sizeof *c.least);
    for (size_t i = 0; i < c.n; i++) {
        size_t n;
        uint32_t *item = golden_bag(v, t, lethe_json_at(records, i), &n);
        for (uint32_t w = 0; w < t->n; w++) {
            uint32_t below = 0;
            for (size_t k = 0; k < n; k++)
                below += lethe_tree_covers(t, w, item[k]);
            c.least[w] = LETHE_MIN(c.least[w], below);
        }
        c.items += n;
        free(item);
    }
    return c;
}

/* The LCG has M(v) - (sum of M over its children) copies of v. */
static void check_lcg(const lethe_json *v, const lethe_tree *t, const counted *c,
                      const uint32_t *lcg, size_t n_lcg)
{
    size_t k = 0;
    for (uint32_t w = 0; w < t->n; w++) {
        uint32_t copies = c->least[w];
        for (uint32_t x = lethe_tree_first(t, w); x < t->end[w]; x = t->end[x])
            copies -= c->least[x];
        for (; copies > 0; copies--, k++)
            if (k >= n_lcg || lcg[k] != w) fail_msg("%.*s: another LCG", GOLDEN_ID(v));
    }
    if (k != n_lcg) fail_msg("%.*s: a shorter LCG", GOLDEN_ID(v));
}

/* GGD(S, S') is the LM of the item that each item of a record becomes, summed, and 1 for each that
 * becomes none. */
static int64_t ggd_by_definition(const lethe_tree *t, const counted *c, const uint32_t *lcg,
                                 size_t n_lcg)
{
    int64_t suppressed = (int64_t)c->items - (int64_t)(c->n * n_lcg), sum = 0;
    for (size_t i = 0; i < n_lcg; i++)
        sum += lethe_tree_lm(t, lcg[i]);
    return (int64_t)c->n * sum + suppressed * lethe_tree_scale(t);
}

/* sum |t| - |S| * (sum over v but the root of M(v) w(v)), w(v) = LM(parent of v) - LM(v). */
static int64_t ggd_by_closed_form(const lethe_tree *t, const counted *c)
{
    int64_t sum = 0;
    for (uint32_t w = 1; w < t->n; w++) {
        int64_t weight = (int64_t)lethe_tree_lm(t, t->parent[w]) - lethe_tree_lm(t, w);
        assert_true(weight >= 0);
        sum += c->least[w] * weight;
    }
    return (int64_t)c->items * lethe_tree_scale(t) - (int64_t)c->n * sum;
}

static void check_vector(const lethe_json *v)
{
    lethe_tree *t = golden_tree(v);
    if (tree_fault(t)) fail_msg("%.*s: %s", GOLDEN_ID(v), tree_fault(t));
    size_t n_lcg;
    uint32_t *lcg = golden_bag(v, t, golden_array(v, "expected.lcg"), &n_lcg);
    counted c = count_records(v, t);
    fraction want = golden_fraction(v, "expected.ggd");
    int64_t scale = lethe_tree_scale(t);
    check_lcg(v, t, &c, lcg, n_lcg);
    assert_int_equal(golden_int(v, "expected.suppressed"), c.items - c.n * n_lcg);
    golden_expect(v, "GGD by definition", want,
                  fraction_of(ggd_by_definition(t, &c, lcg, n_lcg), scale));
    golden_expect(v, "GGD by closed form", want, fraction_of(ggd_by_closed_form(t, &c), scale));
    free(c.least);
    free(lcg);
    lethe_tree_free(t);
}

static void ggd_of_every_vector_follows_from_lm(void **state)
{
    (void)state;
    golden g = golden_open("lcg");
    size_t n = 0;
    assert_int_equal(g.n, 51);
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        if (!golden_find(v, "expected.ggd")) continue;
        check_vector(v);
        n++;
    }
    assert_int_equal(n, 49); /* the other two: lcg-50 and lcg-51, each with a test of its own */
    golden_close(&g);
}

/* --- Example 1: all generalizations of a record --- */

/* Nodes above an item, itself among them, and LETHE_NONE for "suppressed". */
static size_t choices(const lethe_tree *t, uint32_t item, uint32_t *out)
{
    size_t n = 0;
    for (; item != LETHE_NONE; item = t->parent[item])
        out[n++] = item;
    out[n++] = LETHE_NONE;
    return n;
}

static void generalizations_of_example_1(void **state)
{
    (void)state;
    golden g = golden_open("lcg");
    const lethe_json *v = golden_vector(&g, "lcg-50"), *want = golden_array(v, "expected.set");
    lethe_tree *t = golden_tree(v);
    uint32_t a[16], b[16], seen[64][2];
    size_t n_seen = 0, n_items, found = 0;
    uint32_t *item = golden_bag(v, t, golden_array(v, "input.transaction"), &n_items);
    assert_int_equal(n_items, 2);
    size_t n_a = choices(t, item[0], a), n_b = choices(t, item[1], b);
    for (size_t i = 0; i < n_a * n_b; i++) { // pairs in order, LETHE_NONE last
        uint32_t x = a[i / n_b], y = b[i % n_b], lo = LETHE_MIN(x, y), hi = LETHE_MAX(x, y);
        bool known = false;
        for (size_t k = 0; k < n_seen; k++)
            known = known || (seen[k][0] == lo && seen[k][1] == hi);
        if (!known) seen[n_seen][0] = lo, seen[n_seen++][1] = hi;
    }
    assert_int_equal(n_seen, golden_int(v, "expected.count"));
    assert_int_equal(n_seen, lethe_json_count(want));
    for (size_t i = 0; i < lethe_json_count(want); i++) {
        size_t n;
        uint32_t *bag = golden_bag(v, t, lethe_json_at(want, i), &n);
        uint32_t lo = n > 0 ? bag[0] : LETHE_NONE, hi = n > 1 ? bag[1] : LETHE_NONE;
        for (size_t k = 0; k < n_seen; k++)
            found += seen[k][0] == lo && seen[k][1] == hi;
        free(bag);
    }
    assert_int_equal(found, n_seen);
    free(item);
    lethe_tree_free(t);
    golden_close(&g);
}

/* --- distances --- */

/* "Wine-Raw-milk": at which hyphen the two names part, the taxonomy tells. */
static void two_names(const lethe_json *v, const lethe_tree *t, lethe_str both, uint32_t node[2])
{
    for (size_t i = 1; i + 1 < both.n; i++) {
        if (both.at[i] != '-') continue;
        node[0] = lethe_tree_find(t, (lethe_str){both.at, i});
        node[1] = lethe_tree_find(t, (lethe_str){both.at + i + 1, both.n - i - 1});
        if (node[0] != LETHE_NONE && node[1] != LETHE_NONE) return;
    }
    fail_msg("%.*s: no two names in '%.*s'", GOLDEN_ID(v), (int)both.n, both.at);
}

static void distances_are_as_in_the_thesis(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-01"), *all = golden_object(v, "expected");
    lethe_tree *t = golden_tree(v);
    assert_null(tree_fault(t));
    assert_int_equal(lethe_json_count(all), 6);
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        uint32_t node[2] = {0};
        two_names(v, t, lethe_json_name(all, i), node);
        int64_t want = lethe_json_int(lethe_json_at(all, i));
        assert_int_equal(lethe_tree_distance(t, node[0], node[1]), want);
        assert_int_equal(lethe_tree_distance(t, node[1], node[0]), want);
    }
    lethe_tree_free(t);
    golden_close(&g);
}

/* --- the harness itself --- */

static void fractions_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t num, den;
    } cases[] = {
        {"11/7", true, 11, 7}, {"22/14", true, 11, 7}, {"2", true, 2, 1},   {"0", true, 0, 1},
        {"-6/4", true, -3, 2}, {"0/5", true, 0, 1},    {"", false, 0, 0},   {"/7", false, 0, 0},
        {"11/", false, 0, 0},  {"1/0", false, 0, 0},   {"a", false, 0, 0},  {"1/-2", false, 0, 0},
        {"1.5", false, 0, 0},  {"1/2/3", false, 0, 0}, {" 1", false, 0, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        fraction f = {77, 77};
        assert_int_equal(fraction_parse(lethe_str_of(cases[i].text), &f), cases[i].ok);
        assert_int_equal(f.num, cases[i].ok ? cases[i].num : 77);
        assert_int_equal(f.den, cases[i].ok ? cases[i].den : 77);
    }
    assert_true(fraction_eq(fraction_of(4, -6), (fraction){-2, 3}));
    assert_false(fraction_eq((fraction){1, 2}, (fraction){1, 3}));
}

static void paths_lead_to_values(void **state)
{
    (void)state;
    golden g = golden_open("lcg");
    const lethe_json *v = golden_vector(&g, "lcg-01");
    assert_ptr_equal(golden_at(&g, 0), v);
    assert_true(lethe_str_eq(golden_text(v, "input.transactions.1.2"), LETHE_LIT("beef")));
    assert_null(golden_find(v, "input.transactions.2"));
    assert_null(golden_find(v, "input.transactions.x"));
    assert_null(golden_find(v, "nothing.at.all"));
    assert_true(fraction_eq(golden_fraction(v, "expected.suppressed"), (fraction){1, 1}));
    assert_int_equal(lethe_json_count(golden_array(v, "expected.lcg")), 2);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_are_exact),
        cmocka_unit_test(paths_lead_to_values),
        cmocka_unit_test(lm_is_as_printed),
        cmocka_unit_test(ggd_of_every_vector_follows_from_lm),
        cmocka_unit_test(generalizations_of_example_1),
        cmocka_unit_test(distances_are_as_in_the_thesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
