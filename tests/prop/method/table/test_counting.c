/* SPDX-License-Identifier: Apache-2.0 */
/* Who knows how many persons a group has, and the scheme, and to whom no value is likelier than
 * another: all groups that he thinks possible are gone through.  What evenSA and allSA publish of a
 * group that is given makes nobody surer than theta; what vioSA and vioRec publish does.  Where the
 * groups are chosen by the values it does not hold: tests/cli/lplus_fixed_cut.sh. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tuples_harness.h"

enum { VALUES = 4, ROWS = 9, OBSERVED = 4096 };

/* What is published of a group: how often each value is shown; all else is hidden. */
typedef struct observed {
    uint32_t shown[VALUES];
    uint64_t likely, has[VALUES]; /* of all groups with that: weight, and weight times rows */
} observed;

typedef struct prior {
    uint64_t of[ROWS + 1]; /* the weight of a group is the product over its values' counts: so all
                              values are alike */
} prior;

static observed *find(observed *all, size_t *n, const uint32_t *shown)
{
    for (size_t i = 0; i < *n; i++)
        if (memcmp(all[i].shown, shown, sizeof all[i].shown) == 0) return &all[i];
    assert_true(*n < OBSERVED);
    memset(&all[*n], 0, sizeof *all);
    memcpy(all[*n].shown, shown, sizeof all[*n].shown);
    return &all[(*n)++];
}

static void group_add(const lethe_group_demand *d, const prior *p, const uint32_t *count,
                      observed *all, size_t *n)
{
    uint32_t value[VALUES], with[VALUES], cut[VALUES], shown[VALUES] = {0};
    lethe_group_counts g = {.value = value, .with = with};
    uint64_t likely = 1;
    for (uint32_t v = 0; v < d->n_sa; v++) {
        likely *= p->of[count[v]];
        if (count[v] == 0) continue;
        value[g.n_values] = v;
        with[g.n_values++] = count[v];
        g.n += count[v];
    }
    lethe_group_price price = lethe_group_price_of(d, &g, cut);
    if (!price.valid) return;
    for (uint32_t i = 0; i < g.n_values; i++)
        shown[value[i]] = with[i] - cut[i];
    observed *o = find(all, n, shown);
    o->likely += likely;
    for (uint32_t v = 0; v < d->n_sa; v++)
        o->has[v] += likely * count[v];
}

/* All groups of `left` rows more, from value v on. */
static void groups_add(const lethe_group_demand *d, const prior *p, uint32_t v, uint32_t left,
                       uint32_t *count, observed *all, size_t *n)
{
    if (v + 1 == d->n_sa) {
        count[v] = left;
        group_add(d, p, count, all, n);
        return;
    }
    for (count[v] = 0; count[v] <= left; count[v]++)
        groups_add(d, p, v + 1, left - count[v], count, all, n);
}

/* In how many of the things that may be published some value is likelier than theta. */
static size_t too_sure(lethe_group_suppress scheme, lethe_theta theta, uint32_t values,
                       uint32_t rows, uint32_t distinct, const prior *p)
{
    static observed all[OBSERVED];
    lethe_theta of[VALUES] = {theta, theta, theta, theta};
    lethe_group_demand d = {.suppress = scheme,
                            .theta = of,
                            .n_sa = values,
                            .k = 1,
                            .distinct = distinct,
                            .n_class = 1,
                            .rows = rows,
                            .n_qi = 1,
                            .scale = 1};
    uint32_t count[VALUES] = {0};
    size_t n = 0, bad = 0;
    groups_add(&d, p, 0, rows, count, all, &n);
    for (size_t i = 0; i < n; i++) {
        bool over = false;
        for (uint32_t v = 0; v < values; v++)
            over = over || all[i].has[v] * theta.den > theta.num * rows * all[i].likely;
        bad += over;
    }
    return bad;
}

static void counting_makes_nobody_surer_than_theta_in_a_given_group(void **state)
{
    static const lethe_theta thetas[] = {{1, 2}, {1, 3}, {2, 5}, {1, 4}, {2, 3}, {3, 7}};
    size_t vio_sa = 0, vio_rec = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t s = seed;
        prior p;
        lethe_theta theta = thetas[o_below(&s, LETHE_COUNT(thetas))];
        uint32_t values = 2 + (uint32_t)o_below(&s, VALUES - 1),
                 rows = 1 + (uint32_t)o_below(&s, ROWS), distinct = 1 + (uint32_t)o_below(&s, 2);
        for (size_t i = 0; i <= ROWS; i++) // any opinion of what groups are like
            p.of[i] = 1 + o_below(&s, 20);
        assert_int_equal(too_sure(LETHE_SUPPRESS_EVEN_SA, theta, values, rows, distinct, &p), 0);
        if (values * theta.num >= theta.den)
            assert_int_equal(too_sure(LETHE_SUPPRESS_ALL_SA, theta, values, rows, distinct, &p), 0);
        vio_rec += too_sure(LETHE_SUPPRESS_VIO_REC, theta, values, rows, distinct, &p);
        vio_sa += too_sure(LETHE_SUPPRESS_VIO_SA, theta, values, rows, distinct, &p);
    }
    assert_true(vio_sa > 0 && vio_rec > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_makes_nobody_surer_than_theta_in_a_given_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
