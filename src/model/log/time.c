/* SPDX-License-Identifier: Apache-2.0 */
/* Times of queries.  Nearly every log writes `YYYY-MM-DD HH:MM:SS`; that form has a path of its own
 * which checks all 19 bytes at once.  Everything else goes through a small recursive reader. */
#include "model/log/time.h"
#include "core/parse.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define DAY_S 86400
#define HOUR_S 3600
#define TIME_MIN INT64_C(-62135596800) /* 0001-01-01 00:00:00 */
#define TIME_MAX INT64_C(253402300799) /* 9999-12-31 23:59:59 */

typedef struct civil {
    uint32_t year, month, day, hour, minute, second;
} civil;

/* --- the calendar --- */

static bool is_leap(uint32_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

static inline bool civil_is_possible(const civil *c)
{
    static const uint8_t days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (c->year < 1 || c->year > 9999 || c->month < 1 || c->month > 12 || c->day < 1) return false;
    if (c->hour > 23 || c->minute > 59 || c->second > 60) return false;
    if (c->day <= 28) return true; // as most are: no need to know the month
    return c->day <= days[c->month] + (c->month == 2 && is_leap(c->year) ? 1u : 0u);
}

/* Days since 1970 of a possible date.  Years begin in March here, so that the leap day is their
 * last and the days before a month follow from (153 m + 2) / 5; 719468 lies between 0000-03-01 and
 * 1970. */
static inline int64_t civil_days(uint32_t year, uint32_t month, uint32_t day)
{
    uint32_t y = year - (month <= 2), m = month > 2 ? month - 3 : month + 9;
    uint32_t of_year = (153 * m + 2) / 5 + day - 1;
    return (int64_t)(y * 365 + y / 4 - y / 100 + y / 400 + of_year) - 719468;
}

static inline int64_t civil_seconds(const civil *c)
{
    uint32_t second = c->second == 60 ? 59 : c->second; // a leap second has no place of its own
    return civil_days(c->year, c->month, c->day) * DAY_S +
           (int64_t)(c->hour * HOUR_S + c->minute * 60 + second);
}

/* For all forms but the common one, which has the two above inlined. */
static bool civil_time(const civil *c, int64_t offset, int64_t *out)
{
    if (!civil_is_possible(c)) return false;
    int64_t v = civil_seconds(c) - offset;
    if (v < TIME_MIN || v > TIME_MAX) return false;
    *out = v;
    return true;
}

/* --- reading --- */

/* What is left to read. */
typedef struct cursor {
    const char *p, *end;
} cursor;

static bool at_end(const cursor *c) { return c->p == c->end; }
static bool digit_ahead(const cursor *c) { return c->p < c->end && *c->p >= '0' && *c->p <= '9'; }

static bool take(cursor *c, char wanted)
{
    if (c->p == c->end || *c->p != wanted) return false;
    c->p++;
    return true;
}

static bool take_either(cursor *c, char a, char b) { return take(c, a) || take(c, b); }

/* Exactly n digits. */
static bool take_number(cursor *c, int n, uint32_t *out)
{
    uint32_t v = 0;
    for (int i = 0; i < n; i++, c->p++) {
        if (!digit_ahead(c)) return false;
        v = v * 10 + (uint32_t)(*c->p - '0');
    }
    *out = v;
    return true;
}

/* Z, +HH, +HHMM, +HH:MM, or nothing: UTC.  *offset is what local time is ahead by, in seconds. */
static bool take_zone(cursor *c, int64_t *offset)
{
    uint32_t hours = 0, minutes = 0;
    *offset = 0;
    if (at_end(c) || take_either(c, 'Z', 'z')) return true;
    bool west = *c->p == '-';
    if (!take_either(c, '+', '-') || !take_number(c, 2, &hours)) return false;
    if (take(c, ':') || digit_ahead(c)) {
        if (!take_number(c, 2, &minutes)) return false;
    }
    if (hours > 23 || minutes > 59) return false;
    *offset = (int64_t)(hours * HOUR_S + minutes * 60);
    if (west) *offset = -*offset;
    return true;
}

/* HH[:MM[:SS[.fraction]]]; the basic form has no colons. */
static bool take_clock(cursor *c, bool basic, civil *t)
{
    if (!take_number(c, 2, &t->hour)) return false;
    if (!(basic ? digit_ahead(c) : take(c, ':'))) return true;
    if (!take_number(c, 2, &t->minute)) return false;
    if (!(basic ? digit_ahead(c) : take(c, ':'))) return true;
    if (!take_number(c, 2, &t->second)) return false;
    if (!take_either(c, '.', ',')) return true;
    if (!digit_ahead(c)) return false;
    while (digit_ahead(c)) // cut off
        c->p++;
    return true;
}

/* ISO 8601.  A basic date must go on with 'T': eight digits alone are seconds since 1970. */
static bool parse_iso(lethe_str s, int64_t *out)
{
    cursor c = {s.at, s.at + s.n};
    civil t = {0};
    int64_t offset = 0;
    if (!take_number(&c, 4, &t.year)) return false;
    bool basic = !take(&c, '-');
    if (!take_number(&c, 2, &t.month) || (!basic && !take(&c, '-'))) return false;
    if (!take_number(&c, 2, &t.day)) return false;
    if (basic || !at_end(&c)) {
        if (!take_either(&c, 'T', 't') && (basic || !take(&c, ' '))) return false;
        if (!take_clock(&c, basic, &t) || !take_zone(&c, &offset)) return false;
    }
    return at_end(&c) && civil_time(&t, offset, out);
}

/* yymmddHHMMSS. */
static bool parse_short_year(lethe_str s, int64_t *out)
{
    cursor c = {s.at, s.at + s.n};
    civil t = {0};
    uint32_t *const parts[] = {&t.year, &t.month, &t.day, &t.hour, &t.minute, &t.second};
    for (size_t i = 0; i < LETHE_COUNT(parts); i++)
        if (!take_number(&c, 2, parts[i])) return false;
    t.year += t.year >= 70 ? 1900 : 2000;
    return civil_time(&t, 0, out);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

#ifdef __SSE2__
#define DIGIT2(p) ((uint32_t)((uint8_t)(p)[0] * 10 + (uint8_t)(p)[1]) - '0' * 11u)

/* `YYYY-MM-DD HH:MM:SS`: the form of the 16 bytes from each end is compared at once, digits against
 * 0..9 and the rest against what must stand there. */
static bool parse_common(const char *p, int64_t *out)
{
    const __m128i head = _mm_setr_epi8(0, 0, 0, 0, '-', 0, 0, '-', 0, 0, ' ', 0, 0, ':', 0, 0);
    const __m128i tail = _mm_setr_epi8(0, '-', 0, 0, '-', 0, 0, ' ', 0, 0, ':', 0, 0, ':', 0, 0);
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + 3));
    __m128i da = _mm_sub_epi8(a, zero), db = _mm_sub_epi8(b, zero);
    // a byte is good if it is a digit where `head` has 0, or equals `head` where that is not 0
    __m128i digits_a = _mm_cmpeq_epi8(_mm_min_epu8(da, nine), da);
    __m128i digits_b = _mm_cmpeq_epi8(_mm_min_epu8(db, nine), db);
    __m128i none = _mm_setzero_si128();
    __m128i ok_a =
        _mm_or_si128(_mm_and_si128(_mm_cmpeq_epi8(head, none), digits_a),
                     _mm_andnot_si128(_mm_cmpeq_epi8(head, none), _mm_cmpeq_epi8(a, head)));
    __m128i ok_b =
        _mm_or_si128(_mm_and_si128(_mm_cmpeq_epi8(tail, none), digits_b),
                     _mm_andnot_si128(_mm_cmpeq_epi8(tail, none), _mm_cmpeq_epi8(b, tail)));
    if (_mm_movemask_epi8(_mm_and_si128(ok_a, ok_b)) != 0xFFFF) return false;
    civil t = {.year = DIGIT2(p) * 100 + DIGIT2(p + 2),
               .month = DIGIT2(p + 5),
               .day = DIGIT2(p + 8),
               .hour = DIGIT2(p + 11),
               .minute = DIGIT2(p + 14),
               .second = DIGIT2(p + 17)};
    if (!civil_is_possible(&t)) return false;
    *out = civil_seconds(&t);
    return true;
}
#endif

bool lethe_time_parse(lethe_str s, int64_t *out)
{
    if (s.n == 0) return false;
#ifdef __SSE2__
    if (s.n == 19 && parse_common(s.at, out)) return true;
#endif
    for (size_t i = s.at[0] == '-'; i < s.n; i++)
        if (s.at[i] < '0' || s.at[i] > '9') return parse_iso(s, out);
    // Digits alone.  Twelve that are no yymmddHHMMSS could be seconds far ahead or milliseconds
    // long ago: not to be told, so refused.
    int64_t v;
    size_t digits = s.n - (s.at[0] == '-');
    if (!lethe_parse_i64(s, &v)) return false;
    if (digits == 12) return s.at[0] != '-' && parse_short_year(s, out);
    // yyyymmddHHMMSS, which is no form that is read, would pass for milliseconds six centuries
    // ahead.
    bool century = s.n == 14 && (memcmp(s.at, "19", 2) == 0 || memcmp(s.at, "20", 2) == 0);
    if (century && parse_short_year((lethe_str){s.at + 2, s.n - 2}, &(int64_t){0})) return false;
    if (digits > 12) v = floor_div(v, 1000);
    if (v < TIME_MIN || v > TIME_MAX) return false;
    *out = v;
    return true;
}

/* --- cutting and writing --- */

int64_t lethe_time_day(int64_t t) { return floor_div(t, DAY_S); }

int64_t lethe_time_cut(int64_t t, lethe_time_unit unit)
{
    if (t == LETHE_NO_TIME || unit == LETHE_TIME_DROP) return LETHE_NO_TIME;
    if (unit == LETHE_TIME_HOUR) return floor_div(t, HOUR_S) * HOUR_S;
    if (unit == LETHE_TIME_DAY) return floor_div(t, DAY_S) * DAY_S;
    return t;
}

static char *put2(char *w, uint32_t v)
{
    w[0] = (char)('0' + v / 10);
    w[1] = (char)('0' + v % 10);
    return w + 2;
}

size_t lethe_time_format(int64_t t, lethe_time_unit unit, char out[20])
{
    char *w = out;
    out[0] = '\0';
    if (unit == LETHE_TIME_DROP || t < TIME_MIN || t > TIME_MAX)
        return 0; // LETHE_NO_TIME among them
    civil c;
    int64_t days = lethe_time_day(t);
    uint32_t second = (uint32_t)(t - days * DAY_S);
    // The inverse of civil_days, by eras of 400 years = 146097 days.
    uint32_t z = (uint32_t)(days + 719468); // not negative from year 1 on
    uint32_t era = z / 146097, of_era = z % 146097;
    uint32_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * y + y / 4 - y / 100);
    uint32_t m = (5 * of_year + 2) / 153;
    c.day = of_year - (153 * m + 2) / 5 + 1;
    c.month = m < 10 ? m + 3 : m - 9;
    c.year = y + era * 400 + (c.month <= 2);
    w = put2(put2(w, c.year / 100), c.year % 100);
    *w++ = '-';
    w = put2(w, c.month);
    *w++ = '-';
    w = put2(w, c.day);
    if (unit != LETHE_TIME_DAY) {
        *w++ = ' ';
        w = put2(w, second / HOUR_S);
    }
    if (unit == LETHE_TIME_EXACT) {
        *w++ = ':';
        w = put2(w, second / 60 % 60);
        *w++ = ':';
        w = put2(w, second % 60);
    }
    *w = '\0';
    return (size_t)(w - out);
}

bool lethe_time_as_written(lethe_str s, int64_t *out)
{
    char text[20];
    *out = LETHE_NO_TIME;
    if (s.n == 0) return true;
    lethe_time_unit unit = s.n == 19   ? LETHE_TIME_EXACT
                           : s.n == 13 ? LETHE_TIME_HOUR
                                       : LETHE_TIME_DAY;
    if (!lethe_time_parse(s, out)) return false;
    size_t n = lethe_time_format(*out, unit, text);
    return lethe_str_eq(s, (lethe_str){text, n});
}

void lethe_time_grain_join(lethe_time_grain *to, const lethe_time_grain *from)
{
    to->n += from->n;
    to->under_day = to->under_day || from->under_day;
    to->under_hour = to->under_hour || from->under_hour;
}

const char *lethe_time_grain_coarse(const lethe_time_grain *g, int64_t gap_s)
{
    if (g->n < 2) return NULL;
    if (!g->under_day && gap_s < 86400) return "days";
    return !g->under_hour && gap_s < 3600 ? "hours" : NULL;
}
