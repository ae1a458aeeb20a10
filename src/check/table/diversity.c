/* SPDX-License-Identifier: Apache-2.0 */
/* diversity.c - entropy and recursive diversity of counts, exactly.
 *
 * With counts c1, c2, ... that add up to n, the entropy is at least log(num/den) just if
 *     (n den)^n >= num^n c1^c1 c2^c2 ...
 * Logarithms decide it unless the two sides are so near that their error matters.  Then prime
 * factors tell whether the sides are equal, and if they are not, both are computed as long floating
 * point numbers, once rounded down and once up. */
#include "check/table/diversity.h"
#include "core/mem.h"
#include <math.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

static int largest_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

static void counts_sort(uint64_t *count, size_t n)
{
    qsort(count, n, sizeof *count, largest_first);
}

static uint64_t sum_of(const uint64_t *count, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += count[i];
    return sum;
}

/* --- recursive diversity --- */

bool lethe_is_recursive_diverse(uint64_t *count, size_t n, lethe_theta c, uint64_t l)
{
    assert(n > 0 && l > 0);
    counts_sort(count, n);
    if (l > n) return false;
    uint64_t rest = sum_of(count + (l - 1), n - (size_t)(l - 1));
    return (wide)count[0] * c.den < (wide)c.num * rest;
}

/* --- entropy: the two sides --- */

/* A factor base^power of a side. */
struct factor {
    uint64_t base, power; /* at most 2^62, below 2^32 */
};

/* The factor at *at of the sorted counts, and behind those that are equal to it. */
static struct factor count_factor(const uint64_t *count, size_t n, size_t *at)
{
    size_t from = *at;
    while (*at < n && count[*at] == count[from])
        ++*at;
    return (struct factor){count[from], count[from] * (*at - from)};
}

/* --- by logarithms --- */

enum sign { LESS, MORE, UNKNOWN };

/* A term power * log(base) has a relative error below 2^-49, if log() is good to 4 units of the
 * last place (its argument and the power are exact), and each of the additions one of 2^-53 of all
 * terms together: so the margin is several times what can go wrong. */
static enum sign sign_by_logarithms(const uint64_t *count, size_t n, uint64_t sum, lethe_theta l)
{
    double rows = (double)sum;
    double left = rows * log(rows) + rows * log((double)l.den), right = rows * log((double)l.num);
    size_t terms = 3;
    for (size_t i = 0; i < n; terms++) {
        struct factor f = count_factor(count, n, &i);
        right += (double)f.power * log((double)f.base);
    }
    double margin = (double)(terms + 16) * 0x1p-48 * (left + right);
    if (left - right > margin) return MORE;
    return right - left > margin ? LESS : UNKNOWN;
}

/* --- by prime factors --- */

struct exponent {
    uint64_t prime;
    int64_t power;
};

static lethe_err exponent_put(lethe_buf *to, uint64_t prime, int64_t power)
{
    const struct exponent e = {prime, power};
    return lethe_buf_put(to, &e, sizeof e);
}

/* Those of base^power, for a base below 2^32. */
static lethe_err exponents_put(lethe_buf *to, uint64_t base, int64_t power)
{
    for (uint64_t p = 2; p * p <= base; p += p > 2 ? 2 : 1) {
        int64_t times = 0;
        for (; base % p == 0; base /= p)
            times++;
        if (times > 0) LETHE_TRY(exponent_put(to, p, times * power));
    }
    return base > 1 ? exponent_put(to, base, power) : LETHE_OK;
}

static int by_prime(const void *a, const void *b)
{
    uint64_t x = ((const struct exponent *)a)->prime, y = ((const struct exponent *)b)->prime;
    return (x > y) - (x < y);
}

static bool exponents_cancel(lethe_buf *of)
{
    struct exponent *e = (struct exponent *)(void *)of->at;
    size_t n = of->n / sizeof *e;
    if (n > 0) qsort(e, n, sizeof *e, by_prime);
    for (size_t i = 0, next; i < n; i = next) {
        int64_t power = 0; // a number below 2^32 has at most 31 factors, so all are below 2^38
        for (next = i; next < n && e[next].prime == e[i].prime; next++)
            power += e[next].power;
        if (power != 0) return false;
    }
    return true;
}

static lethe_err are_sides_equal(const uint64_t *count, size_t n, uint64_t sum, lethe_theta l,
                                 bool *equal)
{
    lethe_buf all = {0};
    lethe_err e = exponents_put(&all, sum, (int64_t)sum);
    if (e == LETHE_OK) e = exponents_put(&all, l.den, (int64_t)sum);
    if (e == LETHE_OK) e = exponents_put(&all, l.num, -(int64_t)sum);
    for (size_t i = 0; e == LETHE_OK && i < n;) {
        struct factor f = count_factor(count, n, &i);
        e = exponents_put(&all, f.base, -(int64_t)f.power);
    }
    *equal = e == LETHE_OK && exponents_cancel(&all);
    lethe_buf_free(&all);
    return e;
}

/* --- by long numbers --- */

enum { WORDS_MAX = 64 };

/* mantissa * 2^exponent; the first bit of the mantissa, which has its last word first, is 1. */
struct big {
    uint64_t word[WORDS_MAX];
    int64_t exponent;
};

static struct big big_of(uint64_t x, unsigned words)
{
    struct big b = {.exponent = -(int64_t)64 * (words - 1)};
    int shift = __builtin_clzll(x);
    b.word[words - 1] = x << shift;
    b.exponent -= shift;
    return b;
}

static void big_increment(struct big *b, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        if (++b->word[i] != 0) return;
    b->word[words - 1] = UINT64_C(1) << 63; // all were ones
    b->exponent++;
}

static struct big big_times(const struct big *a, const struct big *b, unsigned words, bool up)
{
    uint64_t product[2 * WORDS_MAX] = {0};
    for (unsigned i = 0; i < words; i++) {
        uint64_t carry = 0;
        for (unsigned k = 0; k < words; k++) {
            wide x = (wide)a->word[i] * b->word[k] + product[i + k] + carry;
            product[i + k] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        product[i + words] = carry;
    }
    struct big to = {.exponent = a->exponent + b->exponent + (int64_t)64 * words};
    bool shift = product[2 * words - 1] >> 63 == 0, lost = false;
    to.exponent -= shift;
    for (unsigned i = 0; i < words; i++) {
        uint64_t word = product[words + i], below = product[words + i - 1];
        to.word[i] = shift ? word << 1 | below >> 63 : word;
    }
    for (unsigned i = 0; i < words; i++)
        lost |= (i + 1 == words && shift ? product[i] << 1 : product[i]) != 0;
    if (up && lost) big_increment(&to, words);
    return to;
}

static void big_times_power(struct big *to, struct factor f, unsigned words, bool up)
{
    struct big square = big_of(f.base, words);
    for (uint64_t power = f.power; power > 0; power >>= 1) {
        if (power & 1) *to = big_times(to, &square, words, up);
        if (power > 1) square = big_times(&square, &square, words, up);
    }
}

static int big_compare(const struct big *a, const struct big *b, unsigned words)
{
    if (a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
    for (unsigned i = words; i-- > 0;)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* The sides, both rounded down or up. */
static void sides_compute(const uint64_t *count, size_t n, uint64_t sum, lethe_theta l,
                          unsigned words, bool up, struct big side[2])
{
    side[0] = side[1] = big_of(1, words);
    big_times_power(&side[0], (struct factor){sum * l.den, sum}, words, up);
    big_times_power(&side[1], (struct factor){l.num, sum}, words, up);
    for (size_t i = 0; i < n;)
        big_times_power(&side[1], count_factor(count, n, &i), words, up);
}

static enum sign sign_by_long_numbers(const uint64_t *count, size_t n, uint64_t sum, lethe_theta l,
                                      unsigned words)
{
    struct big down[2], up[2];
    sides_compute(count, n, sum, l, words, false, down);
    sides_compute(count, n, sum, l, words, true, up);
    if (big_compare(&down[0], &up[1], words) >= 0) return MORE;
    return big_compare(&up[0], &down[1], words) < 0 ? LESS : UNKNOWN;
}

/* --- entropy --- */

lethe_err lethe_is_entropy_diverse(uint64_t *count, size_t n, lethe_theta l, bool *is)
{
    assert(n > 0 && l.num > 0 && l.den <= LETHE_DECIMAL_DEN);
    counts_sort(count, n);
    /* No n values have more entropy than log n; where all counts are equal they have just that. */
    *is = (wide)n * l.den >= l.num;
    if (!*is || count[0] == count[n - 1]) return LETHE_OK;
    uint64_t sum = sum_of(count, n);
    assert(sum <= UINT32_MAX);
    enum sign sign = sign_by_logarithms(count, n, sum, l);
    *is = sign == MORE;
    if (sign != UNKNOWN) return LETHE_OK;
    LETHE_TRY(are_sides_equal(count, n, sum, l, is));
    if (*is) return LETHE_OK;
    for (unsigned words = 4; words <= WORDS_MAX && sign == UNKNOWN; words *= 2)
        sign = sign_by_long_numbers(count, n, sum, l, words);
    *is = sign == MORE; // never met: nearer to each other than 2^-4000, and not equal; then no
    return LETHE_OK;
}

double lethe_entropy_values(const uint64_t *count, size_t n)
{
    double sum = (double)sum_of(count, n), entropy = 0;
    for (size_t i = 0; i < n; i++)
        entropy -= (double)count[i] / sum * log((double)count[i] / sum);
    const double places = 1e6; // more would be noise
    return round(exp(entropy) * places) / places;
}
