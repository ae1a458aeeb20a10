/* SPDX-License-Identifier: Apache-2.0 */
/* group_columns.c - diversity and closeness of a group's sensitive values, decided in whole
 * numbers; entropy in floating point where it is far enough from the bound. */
#include "method/table/group_columns.h"
#include "core/sort.h"
#include <float.h>
#include <math.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 wide_signed;

/* --- whole numbers --- */

/* a * x > b * y, of up to 192 bits. */
static bool is_product_over(wide a, uint64_t x, wide b, uint64_t y)
{
    wide a_low = (wide)(uint64_t)a * x, b_low = (wide)(uint64_t)b * y;
    wide a_high = (a >> 64) * x + (a_low >> 64), b_high = (b >> 64) * y + (b_low >> 64);
    return a_high != b_high ? a_high > b_high : (uint64_t)a_low > (uint64_t)b_low;
}

/* --- entropy --- */

/* How often p divides what is left of *x, which it is divided by. */
static uint64_t exponent_of(uint64_t p, uint64_t *x)
{
    uint64_t times = 0;
    for (; *x % p == 0; *x /= p)
        times++;
    return times;
}

static uint64_t least_factor(uint64_t x)
{
    for (uint64_t p = 2; p <= x / p; p += p == 2 ? 1 : 2)
        if (x % p == 0) return p;
    return x;
}

/* Is p as often in both sides of n^n den^n = num^n prod with^with? */
static bool is_balanced(uint64_t p, lethe_theta l, const uint32_t *with, uint32_t n_values,
                        uint64_t n)
{
    uint64_t rest = n, den = l.den, num = l.num;
    wide left = (wide)n * (exponent_of(p, &rest) + exponent_of(p, &den));
    wide right = (wide)n * exponent_of(p, &num);
    for (uint32_t i = 0; i < n_values; i++) {
        uint64_t x = with[i];
        right += (wide)with[i] * exponent_of(p, &x);
    }
    return left == right;
}

/* Is p as often in both sides, for all p in x? */
static bool is_balanced_in(uint64_t x, lethe_theta l, const uint32_t *with, uint32_t n_values,
                           uint64_t n)
{
    while (x > 1) {
        uint64_t p = least_factor(x);
        if (!is_balanced(p, l, with, n_values, n)) return false;
        exponent_of(p, &x);
    }
    return true;
}

/* Is the entropy the logarithm of l to the last digit?  Then both sides have the same primes. */
static bool is_equal_entropy(lethe_theta l, const uint32_t *with, uint32_t n_values, uint64_t n)
{
    if (!is_balanced_in(n, l, with, n_values, n) || !is_balanced_in(l.den, l, with, n_values, n) ||
        !is_balanced_in(l.num, l, with, n_values, n))
        return false;
    for (uint32_t i = 0; i < n_values; i++) {
        if (i > 0 && with[i] == with[i - 1]) continue;
        if (!is_balanced_in(with[i], l, with, n_values, n)) return false;
    }
    return true;
}

/* n ln n - sum with ln with - n ln l >= 0.  No term is off by more than a few units in its last
 * place, and the sums by one each of what they have come to, which is at most n (ln n + ln l): the
 * margin is several times that. */
bool lethe_entropy_keeps(lethe_theta l, const uint32_t *with, uint32_t n_values, uint64_t n)
{
    if (n == 0 || l.num <= l.den) return true;
    if (n_values * (wide)l.den < l.num) return false; // it is at most that of equal shares
    long double rows = (long double)n, of_l = logl((long double)l.num / (long double)l.den);
    long double sum = 0, most = rows * (logl(rows) + of_l + 1);
    for (uint32_t i = 0; i < n_values; i++)
        sum += (long double)with[i] * logl((long double)with[i]);
    long double over = rows * logl(rows) - sum - rows * of_l;
    long double margin = most * LDBL_EPSILON * (8 + 2 * (long double)n_values);
    if (over > margin) return true;
    if (over < -margin) return false;
    return is_equal_entropy(l, with, n_values, n);
}

/* --- recursive diversity --- */

bool lethe_recursive_keeps(lethe_theta c, uint32_t l, uint32_t *with, uint32_t n_values, uint64_t n)
{
    uint64_t rest = n;
    if (n == 0) return true;
    lethe_sort_u32(with, n_values);
    for (uint32_t i = 0; i < n_values && i + 1 < l; i++)
        rest -= with[n_values - 1 - i];
    return (wide)with[n_values - 1] * c.den < (wide)c.num * rest;
}

/* --- closeness --- */

/* |with / n - all / rows|, times n and rows. */
static wide distance_at(uint64_t with, uint64_t n, uint64_t all, uint64_t rows)
{
    wide x = (wide)with * rows, y = (wide)all * n;
    return x > y ? x - y : y - x;
}

/* Half of the distance summed over all values. */
static bool equal_keeps(const lethe_group_closeness *c, const lethe_column_counts *g)
{
    uint64_t elsewhere = c->rows; // rows of the table with values that the group lacks
    wide sum = 0;
    for (uint32_t i = 0; i < g->n_values; i++) {
        uint32_t at = c->place ? c->place[g->value[i]] : g->value[i];
        sum += distance_at(g->with[i], g->n, c->with[at], c->rows);
        elsewhere -= c->with[at];
    }
    sum += (wide)elsewhere * g->n;
    return !is_product_over(sum, c->t.den, 2 * (wide)g->n * c->rows, c->t.num);
}

static void spread_out(const lethe_group_closeness *c, const lethe_column_counts *g)
{
    for (uint32_t i = 0; i < g->n_values; i++)
        g->zeros[c->place ? c->place[g->value[i]] : g->value[i]] += g->with[i];
}

/* What is too much up to a place must be carried on to the next. */
static bool ordered_keeps(const lethe_group_closeness *c, const lethe_column_counts *g)
{
    wide sum = 0;
    wide_signed carried = 0;
    spread_out(c, g);
    for (uint32_t at = 0; at < c->n; at++) {
        carried += (wide_signed)((wide)g->zeros[at] * c->rows);
        carried -= (wide_signed)((wide)c->with[at] * g->n);
        sum += (wide)(carried < 0 ? -carried : carried);
        g->zeros[at] = 0;
    }
    return c->n <= 1 ||
           !is_product_over(sum, c->t.den, (wide)g->n * c->rows * (c->n - 1), c->t.num);
}

/* Half of what goes through each edge, times how much higher its upper end is.  That is what Li and
 * others' sum of height(N) min(extra+(N), extra-(N)) comes to: of what the children of N have too
 * much or too little, |extra(N)| goes on upwards, and the rest is matched at N in pairs. */
static bool hierarchical_keeps(const lethe_group_closeness *c, const lethe_column_counts *g)
{
    wide sum = 0;
    spread_out(c, g);
    for (uint32_t v = c->n; v-- > 1;) {
        sum += distance_at(g->zeros[v], g->n, c->with[v], c->rows) * c->climb[v];
        g->zeros[c->parent[v]] += g->zeros[v];
        g->zeros[v] = 0;
    }
    g->zeros[0] = 0;
    return !is_product_over(sum, c->t.den, 2 * (wide)g->n * c->rows * c->height, c->t.num);
}

bool lethe_closeness_keeps(const lethe_group_closeness *c, const lethe_column_counts *counts)
{
    if (counts->n == 0) return true;
    switch (c->distance) {
    case LETHE_DISTANCE_EQUAL:
        break;
    case LETHE_DISTANCE_ORDERED:
        return ordered_keeps(c, counts);
    case LETHE_DISTANCE_HIERARCHICAL:
        return hierarchical_keeps(c, counts);
    }
    return equal_keeps(c, counts);
}

/* --- a column --- */

static bool thetas_keep(lethe_theta t, const lethe_column_counts *g)
{
    for (uint32_t i = 0; i < g->n_values; i++)
        if ((wide)g->with[i] * t.den > (wide)t.num * g->n) return false;
    return true;
}

bool lethe_group_column_keeps(const lethe_group_column *c, lethe_column_counts *counts)
{
    if (counts->n == 0) return true;
    if (counts->n_values < lethe_group_column_values(c)) return false;
    if (c->theta.den > 0 && !thetas_keep(c->theta, counts)) return false;
    if (c->close && !lethe_closeness_keeps(c->close, counts)) return false;
    if (c->entropy.den > 0 &&
        !lethe_entropy_keeps(c->entropy, counts->with, counts->n_values, counts->n))
        return false;
    return c->l == 0 ||
           lethe_recursive_keeps(c->c, c->l, counts->with, counts->n_values, counts->n);
}

/* Entropy is at most the logarithm of the number of values; and there must be an l-th. */
uint32_t lethe_group_column_values(const lethe_group_column *c)
{
    uint64_t l = c->entropy.den > 0 ? (c->entropy.num + c->entropy.den - 1) / c->entropy.den : 0;
    l = LETHE_MAX(l, c->l);
    return (uint32_t)LETHE_MAX(l, c->distinct);
}
