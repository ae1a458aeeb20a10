/* SPDX-License-Identifier: Apache-2.0 */
/* Single values as text. */
#include "core/parse.h"
#include "io/arrow/array.h"
#include "io/json/json_events.h" /* lethe_utf8_take */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static const char out_of_range[] = "a time outside the years 1 to 9999";

/* --- whole numbers --- */

static int64_t load_signed(const void *buffer, unsigned width, int64_t i)
{
    int8_t v8;
    int16_t v16;
    const uint8_t *p = (const uint8_t *)buffer + i * (int64_t)width;
    switch (width) {
    case 1:
        memcpy(&v8, p, 1);
        return v8;
    case 2:
        memcpy(&v16, p, 2);
        return v16;
    case 4:
        return lethe_arrow_i32(p, 0);
    default:
        return lethe_arrow_i64(p, 0);
    }
}

/* Of one that has no sign its bits alone. */
static uint64_t load_bits(const lethe_arrow_type *t, const void *buffer, int64_t i)
{
    uint64_t v = (uint64_t)load_signed(buffer, t->width, i);
    return t->is_signed || t->width == 8 ? v : v & (((uint64_t)1 << 8 * t->width) - 1);
}

bool lethe_arrow_int(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i, int64_t *out)
{
    uint64_t v = load_bits(t, a->buffers[1], a->offset + i);
    *out = (int64_t)v;
    return t->is_signed || v <= INT64_MAX;
}

static size_t put_digits(char *out, unsigned_wide v)
{
    char digits[40];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + (int)(v % 10));
    while (v /= 10);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    return n;
}

static size_t put_int(char *out, const lethe_arrow_type *t, const void *buffer, int64_t i)
{
    uint64_t v = load_bits(t, buffer, i);
    bool negative = t->is_signed && (int64_t)v < 0;
    out[0] = '-';
    return (size_t)negative + put_digits(out + negative, (unsigned_wide)(negative ? 0 - v : v));
}

/* --- digits with a point --- */

/* Writes 0.DIGITS times 10^`point`, without zeros at the end: as a number with a point where it has
 * at most 21 digits before it and seven zeros after it, otherwise as 1.5e+30. */
static size_t put_decimal(char *out, const char *digits, int n, int point)
{
    size_t at = 0;
    while (n > 0 && digits[n - 1] == '0')
        n--;
    if (n == 0) {
        out[0] = '0';
        return 1;
    }
    if (point < -6 || point > 21) {
        out[at++] = digits[0];
        if (n > 1) out[at++] = '.';
        memcpy(out + at, digits + 1, (size_t)n - 1);
        at += (size_t)n - 1;
        return at + (size_t)snprintf(out + at, 8, "e%+d", point - 1);
    }
    if (point <= 0) {
        out[at++] = '0';
        out[at++] = '.';
        for (int i = point; i < 0; i++)
            out[at++] = '0';
    }
    for (int i = 0; i < LETHE_MAX(n, point); i++) {
        if (i == point && point > 0) out[at++] = '.';
        out[at++] = i < n ? digits[i] : '0';
    }
    return at;
}

/* The fewest digits that read back, of as many as are tried; *point as above. */
static int digits_shortest(double x, bool is_float, char digits[24], int *point)
{
    enum { DOUBLE_LEAST = 15, DOUBLE_MOST = 17, FLOAT_LEAST = 6, FLOAT_MOST = 9 };
    int most = is_float ? FLOAT_MOST : DOUBLE_MOST, n = 0;
    // below the least normal number fewer digits tell one from the next
    bool tiny = x < (is_float ? (double)1.17549435e-38F : 2.2250738585072014e-308);
    for (int try = tiny ? 1 : is_float ? FLOAT_LEAST : DOUBLE_LEAST; try <= most; try++) {
        char text[40];
        double back;
        snprintf(text, sizeof text, "%.*e", try - 1, x);
        const char *e = strchr(text, 'e');
        n = 0;
        for (const char *p = text; p < e; p++) // a locale may have another point
            if (*p >= '0' && *p <= '9') digits[n++] = *p;
        *point = (int)strtol(e + 1, NULL, 10) + 1;
        char plain[40];
        snprintf(plain, sizeof plain, "%.*se%d", n, digits, *point - n);
        if (lethe_parse_real(lethe_str_of(plain), &back) &&
            (is_float ? (float)back == (float)x : back == x))
            break;
    }
    return n;
}

/* --- floats --- */

static double load_half(const void *buffer, int64_t i)
{
    uint16_t bits;
    memcpy(&bits, (const uint8_t *)buffer + i * 2, 2);
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -v : v;
}

static double load_float(const lethe_arrow_type *t, const void *buffer, int64_t i)
{
    float f;
    double d;
    if (t->width == 2) return load_half(buffer, i);
    if (t->width == 8) {
        memcpy(&d, (const uint8_t *)buffer + i * 8, 8);
        return d;
    }
    memcpy(&f, (const uint8_t *)buffer + i * 4, 4);
    return (double)f;
}

static size_t put_float(char *out, double x, bool is_float)
{
    static const double exact = 9007199254740992.0; // 2^53: below it each whole number is a double
    char digits[24];
    int point;
    size_t negative = x < 0;
    if (isnan(x)) return 0;
    out[0] = '-';
    if (negative) x = -x;
    out += negative;
    if (isinf(x)) {
        memcpy(out, "inf", 3);
        return negative + 3;
    }
    if (x < exact && x == floor(x)) return negative + put_digits(out, (uint64_t)x);
    int n = digits_shortest(x, is_float, digits, &point);
    return negative + put_decimal(out, digits, n, point);
}

/* --- decimals --- */

static wide load_decimal(const lethe_arrow_type *t, const void *buffer, int64_t i)
{
    wide v;
    if (t->width < sizeof v) return load_signed(buffer, t->width, i);
    memcpy(&v, (const uint8_t *)buffer + i * (int64_t)sizeof v, sizeof v);
    return v;
}

/* All its digits, never an exponent: who asked for decimals wants them so. */
static size_t put_fixed_point(char *out, wide v, int scale)
{
    char digits[160];
    unsigned_wide bits = (unsigned_wide)v;
    size_t negative = v < 0, at = negative;
    size_t n = put_digits(digits, negative ? -bits : bits);
    if (v == 0) {
        out[0] = '0';
        return 1;
    }
    for (; scale < 0; scale++)
        digits[n++] = '0';
    while (scale > 0 && n > 1 && digits[n - 1] == '0') {
        n--;
        scale--;
    }
    out[0] = '-';
    size_t whole = n > (size_t)scale ? n - (size_t)scale : 0;
    if (whole == 0) out[at++] = '0';
    memcpy(out + at, digits, whole);
    at += whole;
    if (scale == 0) return at;
    out[at++] = '.';
    for (size_t zeros = (size_t)scale - (n - whole); zeros > 0; zeros--)
        out[at++] = '0';
    memcpy(out + at, digits + whole, n - whole);
    return at + n - whole;
}

/* --- dates and times --- */

enum { DAY_S = 86400 };

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static void put_two(char *out, int64_t v)
{
    out[0] = (char)('0' + (int)(v / 10));
    out[1] = (char)('0' + (int)(v % 10));
}

/* The date of a day since 1970 in the Gregorian calendar.  Years begin in March here, so that the
 * day that some years lack is their last. */
static bool put_date(char *out, int64_t day)
{
    enum { DAYS_400 = 146097, DAYS_TO_1970 = 719468 };
    static const int64_t first = -719162, last = 2932896; // 0001-01-01 and 9999-12-31
    if (day < first || day > last) return false;
    int64_t since = day + DAYS_TO_1970, era = floor_div(since, DAYS_400),
            of_era = since - era * DAYS_400;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153; // from March on
    int64_t of_month = of_year - (153 * month + 2) / 5 + 1;
    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    put_two(out, year / 100);
    put_two(out + 2, year % 100);
    out[4] = out[7] = '-';
    put_two(out + 5, month);
    put_two(out + 8, of_month);
    return true;
}

/* HH:MM:SS, and a fraction where there is one, without zeros at its end. */
static size_t put_time(char *out, int64_t second, int64_t fraction, int64_t per_second)
{
    size_t n = 8;
    put_two(out, second / 3600);
    put_two(out + 3, second / 60 % 60);
    put_two(out + 6, second % 60);
    out[2] = out[5] = ':';
    if (fraction == 0) return n;
    out[n++] = '.';
    while (fraction > 0) {
        per_second /= 10;
        out[n++] = (char)('0' + (int)(fraction / per_second));
        fraction %= per_second;
    }
    return n;
}

static const char *put_timestamp(char *out, const lethe_arrow_type *t, int64_t v, size_t *n)
{
    enum { DATE_CHARS = 10 };
    int64_t second = floor_div(v, t->per_second), fraction = v % t->per_second;
    if (fraction < 0) fraction += t->per_second;
    if (second > INT64_MAX / 2 || second < INT64_MIN / 2) return out_of_range;
    second += t->zone_s;
    int64_t day = floor_div(second, DAY_S);
    if (!put_date(out, day)) return out_of_range;
    out[DATE_CHARS] = ' ';
    *n = DATE_CHARS + 1 +
         put_time(out + DATE_CHARS + 1, second - day * DAY_S, fraction, t->per_second);
    return NULL;
}

static const char *put_day_time(char *out, const lethe_arrow_type *t, int64_t v, size_t *n)
{
    if (v < 0 || v >= DAY_S * t->per_second) return "a time of day that no day has";
    *n = put_time(out, v / t->per_second, v % t->per_second, t->per_second);
    return NULL;
}

static const char *put_day(char *out, const lethe_arrow_type *t, int64_t v, size_t *n)
{
    int64_t day = t->per_second ? floor_div(v, DAY_S * t->per_second) : v;
    if (!put_date(out, day)) return out_of_range;
    *n = 10;
    return NULL;
}

/* --- text --- */

static bool is_utf8(lethe_str s)
{
    bool good = true;
    for (size_t i = 0; i < s.n && good;)
        i += lethe_utf8_take((const uint8_t *)s.at + i, s.n - i, &good);
    return good;
}

/* The first 4 bytes of a view are its length; a short text follows, of a long one its first 4
 * bytes, the number of its buffer, and where it begins there. */
static const char *view_text(const struct ArrowArray *a, int64_t at, lethe_str *out)
{
    static const char beyond[] = "a text reaches beyond its buffer";
    const uint8_t *view = (const uint8_t *)a->buffers[1] + at * LETHE_ARROW_VIEW_BYTES;
    int32_t n = lethe_arrow_i32(view, 0), buffer = lethe_arrow_i32(view, 2),
            from = lethe_arrow_i32(view, 3);
    if (n < 0) return beyond;
    if (n <= LETHE_ARROW_INLINE_MAX) {
        *out = (lethe_str){(const char *)view + 4, (size_t)n};
        return NULL;
    }
    if (buffer < 0 || buffer >= a->n_buffers - 3 || from < 0) return beyond;
    int64_t size = lethe_arrow_i64(a->buffers[a->n_buffers - 1], buffer);
    const char *bytes = a->buffers[2 + buffer];
    if (!bytes || (int64_t)from + n > size) return beyond;
    *out = (lethe_str){bytes + from, (size_t)n};
    return NULL;
}

static const char *bytes_of(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t at,
                            lethe_str *out)
{
    const char *fault = NULL;
    if (t->kind == LETHE_ARROW_VIEW) {
        fault = view_text(a, at, out);
    } else if (t->kind == LETHE_ARROW_FIXED) {
        if (t->fixed > 0)
            *out = (lethe_str){(const char *)a->buffers[1] + at * t->fixed, (size_t)t->fixed};
    } else {
        int64_t from = lethe_arrow_offset(t, a->buffers[1], at),
                to = lethe_arrow_offset(t, a->buffers[1], at + 1);
        if (to > from) // else there may be no buffer
            *out = (lethe_str){(const char *)a->buffers[2] + from, (size_t)(to - from)};
    }
    return fault ? fault : t->is_binary && !is_utf8(*out) ? "binary data that is no UTF-8" : NULL;
}

/* --- all --- */

static const char *dictionary_text(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i,
                                   char *scratch, lethe_str *out)
{
    int64_t k;
    if (!lethe_arrow_int(t, a, i, &k) || k < 0 || k >= a->dictionary->length)
        return "an index that its dictionary does not have";
    return lethe_arrow_text(t->values, a->dictionary, k, scratch, out);
}

const char *lethe_arrow_text(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i,
                             char scratch[LETHE_ARROW_SCRATCH], lethe_str *out)
{
    *out = (lethe_str){"", 0};
    if (lethe_arrow_is_null(t, a, i)) return NULL;
    const void *buffer = a->buffers[1];
    int64_t at = a->offset + i;
    const char *fault = NULL;
    size_t n = 0;
    switch (t->kind) {
    case LETHE_ARROW_TEXT:
    case LETHE_ARROW_VIEW:
    case LETHE_ARROW_FIXED:
        return bytes_of(t, a, at, out);
    case LETHE_ARROW_DICTIONARY:
        return dictionary_text(t, a, i, scratch, out);
    case LETHE_ARROW_BOOL:
        *out = lethe_arrow_bit(buffer, at) ? LETHE_LIT("true") : LETHE_LIT("false");
        return NULL;
    case LETHE_ARROW_INT:
        n = put_int(scratch, t, buffer, at);
        break;
    case LETHE_ARROW_FLOAT:
        n = put_float(scratch, load_float(t, buffer, at), t->width < 8);
        break;
    case LETHE_ARROW_DECIMAL:
        n = put_fixed_point(scratch, load_decimal(t, buffer, at), t->scale);
        break;
    case LETHE_ARROW_DATE:
        fault = put_day(scratch, t, load_signed(buffer, t->width, at), &n);
        break;
    case LETHE_ARROW_TIME:
        fault = put_day_time(scratch, t, load_signed(buffer, t->width, at), &n);
        break;
    case LETHE_ARROW_TIMESTAMP:
        fault = put_timestamp(scratch, t, load_signed(buffer, t->width, at), &n);
        break;
    case LETHE_ARROW_NULL:
    case LETHE_ARROW_LIST:
    case LETHE_ARROW_LIST_VIEW:
    case LETHE_ARROW_LIST_FIXED:
        break;
    }
    *out = (lethe_str){scratch, n};
    return fault;
}
