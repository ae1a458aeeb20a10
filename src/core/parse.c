/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sizes and durations from text, without locale and without strto*. */
#include "core/parse.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits up to the first other byte; how many were taken, 0 if none or too large a number. */
static size_t take_digits(lethe_str s, uint64_t *out)
{
    uint64_t v = 0;
    size_t i = 0;
    for (; i < s.n && is_digit(s.at[i]); i++)
        if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
            __builtin_add_overflow(v, (uint64_t)(s.at[i] - '0'), &v))
            return 0;
    *out = v;
    return i;
}

static lethe_str skip(lethe_str s, size_t n) { return (lethe_str){s.at + n, s.n - n}; }

bool lethe_parse_u64(lethe_str s, uint64_t *out)
{
    uint64_t v = 0;
    if (s.n == 0 || take_digits(s, &v) != s.n) return false;
    *out = v;
    return true;
}

bool lethe_parse_i64(lethe_str s, int64_t *out)
{
    bool minus = s.n > 0 && s.at[0] == '-';
    uint64_t v;
    if (!lethe_parse_u64(minus ? skip(s, 1) : s, &v)) return false;
    if (v > (uint64_t)INT64_MAX + minus) return false;
    *out = (int64_t)(minus ? 0 - v : v);
    return true;
}

/* [-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(lethe_str s)
{
    size_t i = 0, n_digits = 0;
    if (i < s.n && s.at[i] == '-') i++;
    for (; i < s.n && is_digit(s.at[i]); i++)
        n_digits++;
    if (i < s.n && s.at[i] == '.')
        for (i++; i < s.n && is_digit(s.at[i]); i++)
            n_digits++;
    if (n_digits == 0) return false;
    if (i == s.n) return true;
    if (s.at[i] != 'e' && s.at[i] != 'E') return false;
    i++;
    if (i < s.n && (s.at[i] == '+' || s.at[i] == '-')) i++;
    size_t exponent = i;
    while (i < s.n && is_digit(s.at[i]))
        i++;
    return i == s.n && i > exponent;
}

bool lethe_parse_real(lethe_str s, double *out)
{
    char text[1024]; // strtod wants an end; no honest number is longer
    if (s.n >= sizeof text || !is_decimal(s)) return false;
    memcpy(text, s.at, s.n);
    text[s.n] = 0;
    // The process may have set another locale, where the point is a comma.
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return false;
    double v = strtod_l(text, NULL, c);
    freelocale(c);
    if (!isfinite(v)) return false;
    *out = v;
    return true;
}

bool lethe_parse_size(lethe_str s, uint64_t *out)
{
    static const char units[] = {'k', 'm', 'g', 't'};
    uint64_t v;
    size_t n = take_digits(s, &v);
    if (n == 0) return false;
    s = skip(s, n);
    const char *unit = s.n ? memchr(units, s.at[0] | 0x20, sizeof units) : NULL;
    if (unit) {
        unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (v > UINT64_MAX >> shift) return false;
        v <<= shift;
        s = skip(s, 1);
        if (s.n == 2 && s.at[0] == 'i') s = skip(s, 1); // KiB; "Ki" alone is not a unit of ours
    }
    if (s.n > 1 || (s.n == 1 && (s.at[0] | 0x20) != 'b')) return false;
    *out = v;
    return true;
}

bool lethe_parse_duration(lethe_str s, int64_t *out_s)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    uint64_t v;
    size_t n = take_digits(s, &v);
    if (n == 0 || s.n > n + 1) return false;
    char unit = s.n > n ? s.at[n] : 's';
    for (size_t i = 0; i < LETHE_COUNT(units); i++) {
        int64_t seconds;
        if (units[i].unit != unit) continue;
        if (__builtin_mul_overflow(v, units[i].seconds, &seconds)) return false;
        *out_s = seconds;
        return true;
    }
    return false;
}
