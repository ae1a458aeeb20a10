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

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

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

/* One or two digits. */
static bool take_small(cursor *c, uint32_t *out)
{
    *out = 0;
    if (!digit_ahead(c)) return false;
    for (int i = 0; i < 2 && digit_ahead(c); i++, c->p++)
        *out = *out * 10 + (uint32_t)(*c->p - '0');
    return true;
}

/* Letters, whatever their case; `word` is in lower case. */
static bool take_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n) return false;
    for (size_t i = 0; i < n; i++)
        if ((char)(c->p[i] | 0x20) != word[i]) return false;
    c->p += n;
    return true;
}

/* Spaces, the narrow one among them that newer systems write before AM and PM. */
static bool take_spaces(cursor *c)
{
    const char *from = c->p;
    for (bool more = true; more;) {
        more = take(c, ' ');
        if (!more && c->end - c->p >= 3 && memcmp(c->p, "\xE2\x80\xAF", 3) == 0) {
            c->p += 3;
            more = true;
        }
    }
    return c->p > from;
}

static bool take_digits(cursor *c)
{
    const char *from = c->p;
    while (digit_ahead(c))
        c->p++;
    return c->p > from;
}

/* Z, UTC, GMT, +HH, +HHMM, +HH:MM.  *offset is what local time is ahead by, in seconds. */
static bool take_zone(cursor *c, int64_t *offset)
{
    uint32_t hours = 0, minutes = 0;
    *offset = 0;
    if (take_word(c, "utc") || take_word(c, "gmt") || take_either(c, 'Z', 'z')) return true;
    bool west = c->p < c->end && *c->p == '-';
    if (!take_either(c, '+', '-') || !take_number(c, 2, &hours)) return false;
    if (take(c, ':') || digit_ahead(c)) {
        if (!take_number(c, 2, &minutes)) return false;
    }
    if (hours > 23 || minutes > 59) return false;
    *offset = (int64_t)(hours * HOUR_S + minutes * 60);
    if (west) *offset = -*offset;
    return true;
}

/* AM, PM, a.m., p.m.: which half of the day? */
static bool take_half(cursor *c, bool *pm)
{
    cursor from = *c;
    *pm = c->p < c->end && (*c->p | 0x20) == 'p';
    if (take_word(c, "am") || take_word(c, "pm")) return true;
    if (take_either(c, *pm ? 'p' : 'a', *pm ? 'P' : 'A') && take(c, '.') &&
        take_either(c, 'm', 'M') && take(c, '.'))
        return true;
    *c = from;
    return false;
}

/* The hour of a clock of twelve. */
static bool hour_of_half(uint32_t *hour, bool pm)
{
    if (*hour < 1 || *hour > 12) return false;
    *hour = *hour % 12 + (pm ? 12 : 0);
    return true;
}

/* HH[:MM[:SS[.fraction]]]; the basic form has no colons. */
static bool take_clock(cursor *c, bool basic, civil *t)
{
    if (!(basic ? digit_ahead(c) : take(c, ':'))) return true;
    if (!take_number(c, 2, &t->minute)) return false;
    if (!(basic ? digit_ahead(c) : take(c, ':'))) return true;
    if (!take_number(c, 2, &t->second)) return false;
    return !take_either(c, '.', ',') || take_digits(c); // a fraction is cut off
}

/* The rest of a clock whose hour has been read: minutes and on, which half of the day, the zone. */
static bool take_clock_end(cursor *c, bool basic, civil *t, int64_t *offset)
{
    bool pm;
    if (!take_clock(c, basic, t)) return false;
    *offset = 0; // UTC, unless something else is said
    bool spaced = take_spaces(c);
    if (take_half(c, &pm)) {
        if (!hour_of_half(&t->hour, pm)) return false;
        spaced = take_spaces(c);
    }
    return at_end(c) ? !spaced : take_zone(c, offset);
}

/* ISO 8601, also with slashes or dots in the place of its dashes.  A basic date goes on with 'T'.
 */
static bool parse_iso(lethe_str s, int64_t *out)
{
    cursor c = {s.at, s.at + s.n};
    civil t = {0};
    int64_t offset = 0;
    if (!take_number(&c, 4, &t.year)) return false;
    char part = at_end(&c) || digit_ahead(&c) ? '\0' : *c.p;
    if (part && !strchr("-/.", part)) return false;
    bool basic = !part;
    if ((part && !take(&c, part)) || !take_number(&c, 2, &t.month)) return false;
    t.day = 1;
    if (part == '-' && at_end(&c)) return civil_time(&t, 0, out);
    if ((part && !take(&c, part)) || !take_number(&c, 2, &t.day)) return false;
    if (basic || !at_end(&c)) {
        if (!take_either(&c, 'T', 't') && (basic || !take(&c, ' '))) return false;
        if (!take_number(&c, 2, &t.hour) || !take_clock_end(&c, basic, &t, &offset)) return false;
    }
    return at_end(&c) && civil_time(&t, offset, out);
}

/* Two numbers of at most two digits and a year, with `part` between them, then perhaps a clock.
 * *first: what stands first; the caller says whether it is the day. */
static bool take_year_last(cursor *c, char part, uint32_t *first, uint32_t *second, civil *t,
                           int64_t *offset)
{
    if (!take_small(c, first) || !take(c, part) || !take_small(c, second) || !take(c, part) ||
        !take_number(c, 4, &t->year))
        return false;
    *offset = 0;
    if (at_end(c)) return true;
    (void)take(c, ',');
    if (!take_spaces(c) && !take_either(c, 'T', 't')) return false;
    return take_small(c, &t->hour) && take_clock_end(c, false, t, offset) && at_end(c);
}

static bool parse_year_last(lethe_str s, char part, bool day_first, int64_t *out)
{
    cursor c = {s.at, s.at + s.n};
    civil t = {0};
    int64_t offset;
    uint32_t first, second;
    if (!take_year_last(&c, part, &first, &second, &t, &offset)) return false;
    t.day = day_first ? first : second;
    t.month = day_first ? second : first;
    return civil_time(&t, offset, out);
}

/* Seconds since 1970 with a fraction, as programs print them; fewer digits could be anything. */
static bool parse_fraction(lethe_str s, int64_t *out)
{
    const char *dot = memchr(s.at, '.', s.n);
    size_t n = dot ? (size_t)(dot - s.at) : 0;
    cursor c = {dot ? dot + 1 : s.at + s.n, s.at + s.n};
    if (n < 9 || n > 11 || !take_digits(&c) || !at_end(&c)) return false;
    return s.at[0] != '-' && lethe_parse_i64((lethe_str){s.at, n}, out);
}

/* yyyymmdd, of years in which somebody could have searched. */
static bool parse_basic_date(lethe_str s, int64_t *out)
{
    cursor c = {s.at, s.at + s.n};
    civil t = {0};
    return take_number(&c, 4, &t.year) && take_number(&c, 2, &t.month) &&
           take_number(&c, 2, &t.day) && t.year >= 1900 && t.year <= 2099 && civil_time(&t, 0, out);
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

/* yyyymmddHHMMSS. */
static bool parse_basic_time(lethe_str s, int64_t *out)
{
    int64_t date, clock;
    lethe_str rest = {s.at + 2, s.n - 2};
    if (!parse_basic_date((lethe_str){s.at, 8}, &date) || !parse_short_year(rest, &clock))
        return false;
    *out = date + clock - floor_div(clock, DAY_S) * DAY_S;
    return true;
}

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
        if (s.at[i] < '0' || s.at[i] > '9')
            return parse_iso(s, out) || parse_year_last(s, '.', true, out) ||
                   parse_fraction(s, out);
    // Digits alone.  Eight that are no yyyymmdd could be seconds, but of 1973 at the latest; twelve
    // that are no yymmddHHMMSS could be seconds far ahead or milliseconds long ago: not to be told,
    // so refused.
    int64_t v;
    bool negative = s.at[0] == '-';
    size_t digits = s.n - negative;
    if (!lethe_parse_i64(s, &v)) return false;
    if (digits == 8 && !negative) return parse_basic_date(s, out);
    if (digits == 12) return !negative && parse_short_year(s, out);
    // yyyymmddHHMMSS would pass for milliseconds six centuries ahead.
    bool century = s.n == 14 && (memcmp(s.at, "19", 2) == 0 || memcmp(s.at, "20", 2) == 0);
    if (century && parse_basic_time(s, out)) return true;
    if (digits > 12) v = floor_div(v, 1000);
    if (v < TIME_MIN || v > TIME_MAX) return false;
    *out = v;
    return true;
}

/* --- by a format --- */

/* What has been read by a format so far. */
typedef struct formatted {
    cursor in;
    civil t;
    int64_t offset, epoch;
    bool has_epoch, has_half, pm;
} formatted;

/* An English name, or its first three letters; *number from 1. */
static bool take_name(cursor *c, const char *const names[], size_t n, uint32_t *number)
{
    for (size_t i = 0; i < n; i++) {
        char three[] = {names[i][0], names[i][1], names[i][2], '\0'};
        *number = (uint32_t)i + 1;
        if (take_word(c, names[i]) || take_word(c, three)) return true;
    }
    return false;
}

static bool take_epoch(formatted *f)
{
    enum { MOST = 12 };
    const char *from = f->in.p;
    (void)take(&f->in, '-');
    if (!take_digits(&f->in) || f->in.p - from > MOST) return false;
    f->has_epoch = true;
    return lethe_parse_i64((lethe_str){from, (size_t)(f->in.p - from)}, &f->epoch);
}

/* What stands for several conversions; NULL: nothing. */
static const char *conversions_of(char letter)
{
    return letter == 'F'   ? "%Y-%m-%d"
           : letter == 'T' ? "%H:%M:%S"
           : letter == 'R' ? "%H:%M"
           : letter == 'D' ? "%m/%d/%y"
                           : NULL;
}

static bool take_conversion(formatted *f, char letter)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    static const char *const days[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday"};
    cursor *c = &f->in;
    switch (letter) {
    case 'Y':
        return take_number(c, 4, &f->t.year);
    case 'y':
        if (!take_number(c, 2, &f->t.year)) return false;
        f->t.year += f->t.year >= 70 ? 1900 : 2000;
        return true;
    case 'm':
        return take_small(c, &f->t.month);
    case 'b':
    case 'B':
    case 'h':
        return take_name(c, months, LETHE_COUNT(months), &f->t.month);
    case 'e':
        (void)take_spaces(c);
        return take_small(c, &f->t.day);
    case 'd':
        return take_small(c, &f->t.day);
    case 'H':
    case 'I':
        return take_small(c, &f->t.hour);
    case 'M':
        return take_small(c, &f->t.minute);
    case 'S':
        return take_small(c, &f->t.second);
    case 'f':
        return take_digits(c);
    case 'p':
        f->has_half = true;
        return take_half(c, &f->pm);
    case 'z':
        return take_zone(c, &f->offset);
    case 's':
        return take_epoch(f);
    case 'a':
    case 'A':
        return take_name(c, days, LETHE_COUNT(days), &(uint32_t){0});
    default:
        return take(c, '%');
    }
}

static bool take_format(formatted *f, const char *format)
{
    for (const char *p = format; *p; p++) {
        bool spaces = strchr(" \t", *p) || (*p == '%' && (p[1] == 'n' || p[1] == 't'));
        const char *several = *p == '%' ? conversions_of(p[1]) : NULL;
        bool good = spaces      ? take_spaces(&f->in)
                    : several   ? take_format(f, several)
                    : *p == '%' ? take_conversion(f, p[1])
                                : take(&f->in, *p);
        if (!good) return false;
        p += *p == '%';
    }
    return true;
}

static bool parse_format(const char *format, lethe_str s, int64_t *out)
{
    formatted f = {.in = {s.at, s.at + s.n}};
    if (!take_format(&f, format) || !at_end(&f.in)) return false;
    if (f.has_half && !hour_of_half(&f.t.hour, f.pm)) return false;
    if (!f.has_epoch) return civil_time(&f.t, f.offset, out);
    if (f.epoch < TIME_MIN || f.epoch > TIME_MAX) return false;
    *out = f.epoch;
    return true;
}

/* The part of a time that a conversion gives, as the letter that is commonest for it; '\0': none
 * that counts; '?': no such conversion. */
static char part_of(char letter)
{
    static const char known[] = "YymbBhdeHIMSfpzsaAnt%", part[] = "YYmmmmddHHMSfpzsaa\0\0";
    const char *at = letter ? strchr(known, letter) : NULL;
    return !at ? '?' : *at == '%' ? '\0' : part[at - known];
}

/* Adds the parts that the format gives to `seen`, one bit per letter. */
static const char *format_parts(const char *format, uint64_t *seen)
{
    for (const char *p = format; *p; p++) {
        if (*p != '%') continue;
        p++;
        const char *several = conversions_of(*p);
        const char *fault = several ? format_parts(several, seen) : NULL;
        char part = several ? '\0' : part_of(*p);
        if (fault) return fault;
        if (part == '?')
            return "conversions are %Y %y %m %b %d %e %H %I %M %S %f %p %z %s %a, and %F %T %R %D "
                   "for several";
        uint64_t bit = part ? UINT64_C(1) << (part - 'A') : 0;
        if (*seen & bit) return "a part of the time occurs twice";
        *seen |= bit;
        if (*p == 'I') *seen |= UINT64_C(1) << ('I' - 'A');
    }
    return NULL;
}

const char *lethe_time_format_fault(const char *format)
{
    uint64_t seen = 0;
    const char *fault = format_parts(format, &seen);
    if (fault) return fault;
#define SEEN(part) ((seen & UINT64_C(1) << ((part) - 'A')) != 0)
    bool date = SEEN('Y') && SEEN('m') && SEEN('d');
    bool some = SEEN('Y') || SEEN('m') || SEEN('d') || SEEN('H') || SEEN('z');
    if (SEEN('s') ? some : !date) return "it takes a year, a month and a day, or %s alone";
    if (SEEN('I') != SEEN('p')) return "%I and %p go together";
    if ((SEEN('M') && !SEEN('H')) || (SEEN('S') && !SEEN('M')))
        return "minutes need the hour, and seconds the minutes";
#undef SEEN
    return NULL;
}

/* --- how a column writes its times --- */

static const char either_order[] = "/-"; /* dates whose year is last, in one order or the other */

bool lethe_time_read(const lethe_time_style *how, lethe_str s, int64_t *out)
{
    if (how->format) return parse_format(how->format, s, out);
    if (lethe_time_parse(s, out)) return true;
    for (const char *part = either_order; *part && how->order != LETHE_DATE_UNKNOWN; part++)
        if (parse_year_last(s, *part, how->order == LETHE_DATE_DAY_FIRST, out)) return true;
    return false;
}

bool lethe_time_contradicts(const lethe_time_style *how, lethe_str s)
{
    lethe_date_order other =
        how->order == LETHE_DATE_DAY_FIRST ? LETHE_DATE_MONTH_FIRST : LETHE_DATE_DAY_FIRST;
    int64_t t;
    return !how->format && how->order != LETHE_DATE_UNKNOWN && !lethe_time_read(how, s, &t) &&
           lethe_time_read(&(lethe_time_style){.order = other}, s, &t);
}

bool lethe_time_possible(const lethe_time_style *how, lethe_str s)
{
    lethe_date_evidence dates = {0};
    int64_t t;
    if (lethe_time_read(how, s, &t)) return true;
    if (how->format || how->order != LETHE_DATE_UNKNOWN) return false;
    lethe_date_look(&dates, s);
    return dates.n > 0;
}

void lethe_date_look(lethe_date_evidence *e, lethe_str s)
{
    int64_t t;
    e->dotted |= parse_year_last(s, '.', true, &t);
    for (const char *part = either_order; *part && lethe_date_untold(e); part++) {
        bool day_first = parse_year_last(s, *part, true, &t),
             month_first = parse_year_last(s, *part, false, &t);
        e->n += day_first || month_first;
        e->day_first |= day_first && !month_first;
        e->month_first |= month_first && !day_first;
    }
}

size_t lethe_time_shape(lethe_str s, char out[LETHE_TIME_SHAPE])
{
    size_t n = LETHE_MIN(s.n, (size_t)LETHE_TIME_SHAPE);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s.at[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        out[i] = c >= '0' && c <= '9' ? '9' : letter || c >= 0x80 ? 'x' : c < ' ' ? '?' : (char)c;
    }
    return n;
}

const char lethe_time_forms[] =
    "times are read as YYYY-MM-DD HH:MM:SS, ISO 8601, YYYY/MM/DD, DD.MM.YYYY, DD/MM/YYYY or "
    "MM/DD/YYYY (the column tells which), all with or without the time of day, fractions and AM or "
    "PM; YYYYMMDD, YYYYMMDDHHMMSS, yymmddHHMMSS, and seconds or milliseconds since 1970; other "
    "forms are named with --time-format";

/* --- cutting and writing --- */

int64_t lethe_time_day(int64_t t) { return floor_div(t, DAY_S); }

/* The inverse of civil_days from year 1 on, by eras of 400 years = 146097 days. */
static civil date_of(int64_t days)
{
    uint32_t z = (uint32_t)(days + 719468); // not negative
    uint32_t era = z / 146097, of_era = z % 146097;
    uint32_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * y + y / 4 - y / 100);
    uint32_t m = (5 * of_year + 2) / 153, month = m < 10 ? m + 3 : m - 9;
    return (civil){.year = y + era * 400 + (month <= 2),
                   .month = month,
                   .day = of_year - (153 * m + 2) / 5 + 1};
}

int64_t lethe_time_cut(int64_t t, lethe_time_unit unit)
{
    if (t == LETHE_NO_TIME || unit == LETHE_TIME_DROP) return LETHE_NO_TIME;
    if (unit == LETHE_TIME_HOUR) return floor_div(t, HOUR_S) * HOUR_S;
    if (unit == LETHE_TIME_DAY) return floor_div(t, DAY_S) * DAY_S;
    // 1970 began on a Thursday, and year 1 on a Monday: no Monday lies before it
    if (unit == LETHE_TIME_WEEK) return (floor_div(floor_div(t, DAY_S) + 3, 7) * 7 - 3) * DAY_S;
    if (unit == LETHE_TIME_MONTH) {
        civil c = date_of(floor_div(t, DAY_S));
        return civil_days(c.year, c.month, 1) * DAY_S;
    }
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
    if (unit == LETHE_TIME_WEEK) t = lethe_time_cut(t, unit);
    int64_t days = lethe_time_day(t);
    uint32_t second = (uint32_t)(t - days * DAY_S);
    civil c = date_of(days);
    w = put2(put2(w, c.year / 100), c.year % 100);
    *w++ = '-';
    w = put2(w, c.month);
    if (unit != LETHE_TIME_MONTH) {
        *w++ = '-';
        w = put2(w, c.day);
    }
    if (unit == LETHE_TIME_HOUR || unit == LETHE_TIME_EXACT) {
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
                           : s.n == 7  ? LETHE_TIME_MONTH
                                       : LETHE_TIME_DAY;
    if (!lethe_time_parse(s, out)) return false;
    size_t n = lethe_time_format(*out, unit, text);
    return lethe_str_eq(s, (lethe_str){text, n});
}

void lethe_time_grain_day(lethe_time_grain *g, int64_t t)
{
    g->under_week = g->under_week || lethe_time_cut(t, LETHE_TIME_WEEK) != t;
    g->under_month = g->under_month || lethe_time_cut(t, LETHE_TIME_MONTH) != t;
}

void lethe_time_grain_join(lethe_time_grain *to, const lethe_time_grain *from)
{
    to->n += from->n;
    to->under_month = to->under_month || from->under_month;
    to->under_week = to->under_week || from->under_week;
    to->under_day = to->under_day || from->under_day;
    to->under_hour = to->under_hour || from->under_hour;
}

const char *lethe_time_grain_coarse(const lethe_time_grain *g, int64_t gap_s)
{
    if (g->n < 2) return NULL;
    if (!g->under_day && !g->under_month && gap_s < 31 * DAY_S) return "months";
    if (!g->under_day && !g->under_week && gap_s < 7 * DAY_S) return "weeks";
    if (!g->under_day && gap_s < DAY_S) return "days";
    return !g->under_hour && gap_s < 3600 ? "hours" : NULL;
}
