/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes: what is taken for a time is one, and is written back so that it reads the same. */
#include "model/log/time.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static void check_unit(int64_t t, lethe_time_unit unit, size_t length)
{
    char text[20];
    int64_t back, cut = lethe_time_cut(t, unit);
    size_t n = lethe_time_format(t, unit, text);
    expect(n == length && text[n] == '\0');
    expect(lethe_time_parse((lethe_str){text, n}, &back) && back == cut && cut <= t);
    expect(lethe_time_cut(cut, unit) == cut);
    expect(unit >= LETHE_TIME_WEEK || lethe_time_day(cut) == lethe_time_day(t));
}

/* The first line is a format, the second a value. */
static void check_format(const char *text, size_t n)
{
    const char *lf = n ? memchr(text, '\n', n) : NULL;
    char format[64];
    size_t length = lf ? (size_t)(lf - text) : sizeof format;
    if (length >= sizeof format || memchr(text, '\0', length)) return;
    memcpy(format, text, length);
    format[length] = '\0';
    lethe_time_style how = {.format = format};
    lethe_str value = {lf + 1, n - length - 1};
    int64_t t = 77;
    if (lethe_time_format_fault(format)) return;
    if (lethe_time_read(&how, value, &t))
        check_unit(t, LETHE_TIME_EXACT, 19);
    else
        expect(t == 77);
}

/* A date is read in one order, in both, or in none; and only where it says so itself is the order
 * learned from it. */
static void check_orders(lethe_str s)
{
    lethe_time_style day = {.order = LETHE_DATE_DAY_FIRST},
                     month = {.order = LETHE_DATE_MONTH_FIRST}, unknown = {0};
    lethe_date_evidence seen = {0};
    char shape[LETHE_TIME_SHAPE];
    int64_t a, b, t;
    bool by_day = lethe_time_read(&day, s, &a), by_month = lethe_time_read(&month, s, &b),
         itself = lethe_time_read(&unknown, s, &t);
    lethe_date_look(&seen, s);
    expect(!itself || (by_day && by_month && a == b && a == t));
    expect((seen.n > 0) == (!itself && (by_day || by_month)));
    expect(seen.day_first == (by_day && !by_month) && seen.month_first == (by_month && !by_day));
    expect(lethe_time_possible(&unknown, s) == (by_day || by_month));
    expect(lethe_time_contradicts(&day, s) == (by_month && !by_day));
    expect(lethe_time_shape(s, shape) == LETHE_MIN(s.n, (size_t)LETHE_TIME_SHAPE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int64_t t = 77;
    check_format((const char *)data, n);
    check_orders((lethe_str){n ? (const char *)data : "", n});
    bool ok = lethe_time_parse((lethe_str){n ? (const char *)data : "", n}, &t);
    if (!ok) {
        expect(t == 77);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        bool narrow_space = n - i >= 3 && memcmp(data + i, "\xE2\x80\xAF", 3) == 0;
        expect((data[i] >= ' ' && data[i] < 0x7F) || narrow_space);
        i += narrow_space ? 2 : 0;
    }
    expect(t >= INT64_C(-62135596800) && t <= INT64_C(253402300799));
    check_unit(t, LETHE_TIME_EXACT, 19);
    check_unit(t, LETHE_TIME_HOUR, 13);
    check_unit(t, LETHE_TIME_DAY, 10);
    check_unit(t, LETHE_TIME_WEEK, 10);
    check_unit(t, LETHE_TIME_MONTH, 7);
    return 0;
}
