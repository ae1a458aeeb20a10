/* SPDX-License-Identifier: Apache-2.0 */
/* group_price.c - violations, suppression and costs of one group.  J. Liu, 2010, sections 3.1.3,
 * 3.3.3 and 3.5; docs/lplus.md for the least fixpoint and the class that CM keeps. */
#include "method/table/group_price.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- thresholds --- */

static bool has_thetas(const lethe_group_demand *d) { return d->theta && d->n_sa > 0; }

static bool is_violated(const lethe_group_demand *d, const lethe_group_counts *g, uint32_t i,
                        uint64_t n)
{
    return has_thetas(d) && lethe_theta_violated(d->theta[g->value[i]], g->with[i], n);
}

static bool any_violated(const lethe_group_demand *d, const lethe_group_counts *g)
{
    for (uint32_t i = 0; i < g->n_values; i++)
        if (is_violated(d, g, i, g->n)) return true;
    return false;
}

/* How many rows of a violated value may stay where `n` rows stay in all. */
static uint64_t may_stay(lethe_theta t, uint64_t n)
{
    // rows are up to 2^32; the division of 128 bits is many times slower
    if (t.num <= UINT32_MAX && n <= UINT32_MAX) return t.num * n / t.den;
    return (uint64_t)((lethe_theta_product)t.num * n / t.den);
}

/* Where values of a share of `c` in all are cut to their thresholds and `free` rows are of others,
 * what stays is at most free / (1 - c), since it is at most free + c times itself.  Rounded up by
 * more than the doubles can be wrong. */
static uint64_t stays_at_most(uint64_t n, uint64_t free, double c, uint32_t n_cut)
{
    if (n_cut > 1000 || c > 0.999) return n;
    double most = (double)free / (1 - c) * (1 + 1e-9) + 1;
    return most < (double)n ? (uint64_t)most : n;
}

/* How many rows stay when as few as may be are deleted.  The numbers of rows that may stay, by
 * value, are closed under their greatest, so there is a greatest of all: what stays of value s is
 * min(n_s, theta_s N) where N is what stays in all, and N is the greatest fixpoint of
 * N = sum_s min(n_s, floor(theta_s N)); from n downwards that is met first.  It is the least
 * fixpoint of Lemma 3.3 in other words. */
static uint64_t least_fixpoint(const lethe_group_demand *d, const lethe_group_counts *g)
{
    uint64_t n = g->n;
    if (!has_thetas(d)) return n;
    for (;;) {
        uint64_t stays = 0, free = 0;
        uint32_t n_cut = 0;
        double c = 0;
        for (uint32_t i = 0; i < g->n_values; i++) {
            lethe_theta t = d->theta[g->value[i]];
            if (!lethe_theta_violated(t, g->with[i], n)) {
                free += g->with[i];
                continue;
            }
            stays += may_stay(t, n);
            c += (double)t.num / (double)t.den;
            n_cut++;
        }
        stays += free;
        if (stays == n) return n;
        n = stays_at_most(stays, free, c, n_cut);
    }
}

/* Lemma 3.3 for one value that is violated. */
static uint64_t least_of(const lethe_group_demand *d, const lethe_group_counts *g, uint32_t i)
{
    lethe_theta t = d->theta[g->value[i]]; // below 1, or it were not violated
    lethe_theta_product over = (lethe_theta_product)g->with[i] * t.den -
                               (lethe_theta_product)t.num * g->n,
                        share = t.den - t.num;
    return (uint64_t)((over + share - 1) / share);
}

uint64_t lethe_group_least_starred(const lethe_group_demand *d, const lethe_group_counts *g,
                                   uint32_t *cut)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n_values; i++) {
        cut[i] = 0;
        if (!is_violated(d, g, i, g->n)) continue;
        cut[i] = d->suppress == LETHE_SUPPRESS_EVEN_SA
                     ? g->with[i] - (uint32_t)may_stay(d->theta[g->value[i]], g->n)
                     : (uint32_t)least_of(d, g, i);
        sum += cut[i];
    }
    return sum;
}

uint64_t lethe_group_suppressed_cost(const lethe_group_demand *d, const lethe_group_counts *g,
                                     const uint32_t *cut)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n_values; i++)
        if (cut[i] > 0) sum += cut[i] * lethe_suppression_price(d, g->value[i]);
    return sum;
}

/* --- columns --- */

static uint32_t places_of(const lethe_group_column *c)
{
    return c->close ? LETHE_MAX(c->n, c->close->n) : c->n;
}

static size_t places_most(const lethe_group_demand *d)
{
    size_t most = 0;
    for (uint32_t i = 0; i < d->n_columns; i++)
        most = LETHE_MAX(most, places_of(&d->column[i]));
    return most;
}

size_t lethe_group_room(const lethe_group_demand *d) { return 3 * places_most(d); }

/* How many rows have which value of the column, those that go aside; cut NULL: none. */
static lethe_column_counts project(const lethe_group_demand *d, const lethe_group_column *c,
                                   const lethe_group_counts *g, const uint32_t *cut)
{
    size_t places = places_most(d);
    uint32_t *zeros = g->room, *with = zeros + places, *value = with + places;
    lethe_column_counts out = {.value = value, .with = with, .zeros = zeros};
    for (uint32_t i = 0; i < g->n_values; i++) {
        uint32_t left = g->with[i] - (cut ? cut[i] : 0);
        uint32_t v = c->of ? c->of[g->value[i]] : g->value[i];
        if (left == 0) continue;
        if (zeros[v] == 0) value[out.n_values++] = v;
        zeros[v] += left;
        out.n += left;
    }
    for (uint32_t i = 0; i < out.n_values; i++) {
        with[i] = zeros[value[i]];
        zeros[value[i]] = 0;
    }
    return out;
}

static bool columns_keep(const lethe_group_demand *d, const lethe_group_counts *g,
                         const uint32_t *cut)
{
    assert(d->n_columns == 0 || g->room);
    for (uint32_t i = 0; i < d->n_columns; i++) {
        lethe_column_counts counts = project(d, &d->column[i], g, cut);
        if (!lethe_group_column_keeps(&d->column[i], &counts)) return false;
    }
    return true;
}

/* As least_fixpoint, for one threshold of all values. */
static uint64_t column_fixpoint(lethe_theta t, const lethe_column_counts *g)
{
    for (uint64_t n = g->n;;) {
        uint64_t stays = 0;
        for (uint32_t i = 0; i < g->n_values; i++)
            stays += LETHE_MIN(g->with[i], may_stay(t, n));
        if (stays == n) return n;
        n = stays;
    }
}

/* What is kept of all parts of a group together keeps theta and shows as many values as each part
 * must: so it is at most what vioRec keeps of the group, were there no other demands.  Which
 * subsets of it keep those too is not asked. */
uint64_t lethe_group_least_deleted(const lethe_group_demand *d, const lethe_group_counts *g,
                                   uint32_t *cut)
{
    lethe_group_demand other = *d;
    other.suppress = LETHE_SUPPRESS_VIO_REC;
    other.cost = LETHE_COST_LM;
    other.n_columns = 0;
    for (uint32_t i = 0; i < d->n_columns; i++)
        if (!d->column[i].of)
            other.distinct = LETHE_MAX(other.distinct, lethe_group_column_values(&d->column[i]));
    uint64_t least = lethe_group_price_of(&other, g, cut).deleted;
    for (uint32_t i = 0; i < d->n_columns && least < g->n; i++) {
        const lethe_group_column *c = &d->column[i];
        if (!c->of) continue;
        lethe_column_counts counts = project(d, c, g, NULL);
        if (counts.n_values < lethe_group_column_values(c)) return g->n;
        if (c->theta.den > 0) least = LETHE_MAX(least, g->n - column_fixpoint(c->theta, &counts));
    }
    return least;
}

/* --- costs --- */

/* CM: the class of which most rows stay, if rows of the others are deleted first. */
static uint64_t kept_of_class(const lethe_group_demand *d, const lethe_group_counts *g,
                              const uint32_t *cut, uint32_t *class)
{
    uint64_t best = 0;
    *class = 0;
    for (uint32_t c = 0; c < d->n_class; c++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < g->n_values; i++) {
            uint32_t with = g->of_class[(size_t)i * d->n_class + c], stays = g->with[i] - cut[i];
            sum += LETHE_MIN(with, stays);
        }
        if (sum > best) {
            best = sum;
            *class = c;
        }
    }
    return best;
}

/* Section 3.5, with equality where it says "at least". */
static lethe_group_price priced(const lethe_group_demand *d, const lethe_group_counts *g,
                                const uint32_t *cut, uint64_t deleted, uint64_t starred)
{
    lethe_group_price p = {.valid = true, .deleted = deleted, .starred = starred};
    uint64_t kept = g->n - deleted;
    switch (d->cost) {
    case LETHE_COST_LM:
        p.cost = kept * g->general + lethe_group_suppressed_cost(d, g, cut);
        break;
    case LETHE_COST_DM:
        p.cost = kept * kept + deleted * d->rows;
        break;
    case LETHE_COST_CM:
        p.cost = g->n - kept_of_class(d, g, cut, &p.class);
        break;
    }
    return p;
}

/* --- schemes --- */

static void fill(const lethe_group_counts *g, bool all, uint32_t *cut)
{
    for (uint32_t i = 0; i < g->n_values; i++)
        cut[i] = all ? g->with[i] : 0;
}

lethe_group_price lethe_group_price_whole(const lethe_group_demand *d, const lethe_group_counts *g,
                                          uint32_t *cut)
{
    bool stars = lethe_suppress_stars(d->suppress);
    fill(g, true, cut);
    return priced(d, g, cut, stars ? 0 : g->n, stars ? g->n : 0);
}

/* May so many different values be shown? */
static bool shows_few(const lethe_group_demand *d, uint64_t shown)
{
    return d->n_sa > 0 && shown > 0 && shown < d->distinct;
}

/* Does the group as it is break any demand? */
static bool violates(const lethe_group_demand *d, const lethe_group_counts *g, bool small)
{
    return small || shows_few(d, g->n_values) || any_violated(d, g) || !columns_keep(d, g, NULL);
}

/* How many rows of each value evenSA may show.  Let t be the least number of values so that the t
 * commonest have at most t theta of the rows together: as many as the t-th of them has.  0: there
 * is no such t, or too few values would be shown.  `counts` has room for n_values numbers. */
static uint32_t even_count(const lethe_group_demand *d, const lethe_group_counts *g,
                           uint32_t *counts)
{
    uint32_t n = g->n_values;
    uint64_t sum = 0;
    memcpy(counts, g->with, n * sizeof *counts);
    qsort(counts, n, sizeof *counts, lethe_u32_cmp);
    for (uint32_t t = 1; t <= n && n >= d->distinct; t++) {
        sum += counts[n - t];
        if (!lethe_theta_violated(d->theta[0], sum, t * g->n)) return counts[n - t];
    }
    return 0;
}

/* Where all of a group is starred, there are at least 1/theta values that its rows may have. */
static lethe_group_price priced_even(const lethe_group_demand *d, const lethe_group_counts *g,
                                     uint32_t *cut)
{
    uint32_t even = even_count(d, g, cut);
    uint64_t starred = 0;
    if (even == 0 && lethe_theta_violated(d->theta[0], 1, d->n_sa)) return (lethe_group_price){0};
    for (uint32_t i = 0; i < g->n_values; i++) {
        cut[i] = g->with[i] > even ? g->with[i] - even : 0;
        starred += cut[i];
    }
    return priced(d, g, cut, 0, starred);
}

lethe_group_price lethe_group_price_of(const lethe_group_demand *d, const lethe_group_counts *g,
                                       uint32_t *cut)
{
    const lethe_group_price invalid = {0};
    uint64_t starred = 0, shown = 0, kept;
    bool few = g->population < d->k_map, small = g->n < d->k || few, all;
    if (g->n == 0) return (lethe_group_price){.valid = true}; // of the population alone
    assert(g->n_values > 0);
    switch (d->suppress) {
    case LETHE_SUPPRESS_VIO_SA: // stars stay in the denominator, so one pass is enough
        for (uint32_t i = 0; i < g->n_values; i++) {
            cut[i] = is_violated(d, g, i, g->n) ? g->with[i] : 0;
            starred += cut[i];
            shown += cut[i] == 0;
        }
        return small || shows_few(d, shown) ? invalid : priced(d, g, cut, 0, starred);
    case LETHE_SUPPRESS_ALL_SA:
        all = shows_few(d, g->n_values) || any_violated(d, g);
        fill(g, all, cut);
        return small ? invalid : priced(d, g, cut, 0, all ? g->n : 0);
    case LETHE_SUPPRESS_VIO_REC:
        kept = least_fixpoint(d, g);
        for (uint32_t i = 0; i < g->n_values; i++) {
            cut[i] = 0;
            if (is_violated(d, g, i, kept))
                cut[i] = g->with[i] - (uint32_t)may_stay(d->theta[g->value[i]], kept);
            shown += cut[i] < g->with[i];
        }
        if (kept < d->k || few || shows_few(d, shown) || !columns_keep(d, g, cut)) {
            fill(g, true, cut);
            kept = 0;
        }
        return priced(d, g, cut, g->n - kept, 0);
    case LETHE_SUPPRESS_ALL_REC:
        all = violates(d, g, small);
        fill(g, all, cut);
        return priced(d, g, cut, all ? g->n : 0, 0);
    case LETHE_SUPPRESS_EVEN_SA:
        return small ? invalid : priced_even(d, g, cut);
    case LETHE_SUPPRESS_NONE:
        break;
    }
    fill(g, false, cut);
    return violates(d, g, small) ? invalid : priced(d, g, cut, 0, 0);
}
