/* SPDX-License-Identifier: Apache-2.0 */
/* Outlines of random bags: they never say less than there is in common, nor more than the lesser
 * mass by more than the rounding. */
#include "refine_harness.h"
#include "method/cluster/refine/mass_sketch.h"

enum { CASES = 3000 };

static void random_bags(f_case *c, uint64_t *s, size_t n)
{
    *c = (f_case){.t = f_random_tree(s), .arena = lethe_arena_new()};
    f_random_records(c, s, n);
}

static uint64_t whole(const lethe_mass_sketch *o)
{
    uint64_t sum = 0;
    for (int i = 0; i < LETHE_MASS_SKETCH_PARTS; i++)
        sum += (uint64_t)o->part[i];
    return sum;
}

static void bounds_hold(void **state)
{
    (void)state;
    uint64_t exact = 0, pairs = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed * UINT64_C(0x9E3779B97F4A7C15);
        f_case c;
        lethe_mass_sketcher *parts = NULL;
        lethe_mass_sketch o[F_RECORDS];
        size_t n = 1 + f_below(&s, 12);
        random_bags(&c, &s, n);
        assert_int_equal(lethe_mass_sketcher_new(c.t, c.vector, n, &parts), LETHE_OK);
        for (size_t i = 0; i < n; i++) {
            lethe_mass_sketch_of(parts, c.vector[i].at, c.vector[i].n, &o[i]);
            if (whole(&o[i]) != lethe_ancestors_mass(c.t, &c.vector[i]))
                fail_msg("seed %llu", (unsigned long long)seed);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                uint64_t both = lethe_ancestors_overlap(c.t, &c.vector[i], &c.vector[j]);
                uint64_t most = lethe_mass_sketch_overlap_bound(parts, &o[i], &o[j]);
                if (most < both || most > lethe_ancestors_mass(c.t, &c.vector[i]))
                    fail_msg("seed %llu", (unsigned long long)seed);
                exact += most == both;
                pairs++;
            }
        lethe_mass_sketcher_free(parts);
        f_free(&c);
    }
    assert_true(exact > pairs / 2); // in small trees most nodes are parts of their own
}

/* Masses that do not fit are rounded, and up. */
static void heavy_bags_are_rounded_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed * UINT64_C(0xD1B54A32D192ED03);
        f_case c;
        lethe_mass_sketcher *parts = NULL;
        lethe_mass_sketch o[2];
        lethe_ancestors_entry at[2][F_NODES];
        lethe_ancestors bag[2];
        random_bags(&c, &s, 1);
        for (size_t i = 0; i < 2; i++) {
            bag[i] = (lethe_ancestors){at[i], 0, 0};
            for (uint32_t v = 1; v < c.t->n; v++)
                if (f_below(&s, 2))
                    at[i][bag[i].n++] =
                        (lethe_ancestors_entry){v, UINT32_MAX - f_below(&s, 1u << 31)};
        }
        assert_int_equal(lethe_mass_sketcher_new(c.t, bag, 2, &parts), LETHE_OK);
        for (size_t i = 0; i < 2; i++) {
            lethe_mass_sketch_of(parts, at[i], bag[i].n, &o[i]);
            if (whole(&o[i]) > INT32_MAX) fail_msg("seed %llu", (unsigned long long)seed);
        }
        if (lethe_mass_sketch_overlap_bound(parts, &o[0], &o[1]) <
            lethe_ancestors_overlap(c.t, &bag[0], &bag[1]))
            fail_msg("seed %llu", (unsigned long long)seed);
        lethe_mass_sketcher_free(parts);
        f_free(&c);
    }
}

static void no_memory(void **state)
{
    (void)state;
    uint64_t s = 5;
    f_case c;
    lethe_mass_sketcher *parts = NULL;
    random_bags(&c, &s, 4);
    for (uint64_t n = 1; n <= 2; n++) {
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_mass_sketcher_new(c.t, c.vector, 4, &parts);
        lethe_alloc_fail_at(0);
        assert_int_equal(e, LETHE_ENOMEM);
        assert_null(parts);
    }
    assert_int_equal(lethe_mass_sketcher_new(c.t, c.vector, 0, &parts),
                     LETHE_OK); // of nothing, too
    lethe_mass_sketcher_free(parts);
    lethe_mass_sketcher_free(NULL);
    f_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(heavy_bags_are_rounded_up),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
