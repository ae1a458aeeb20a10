/* SPDX-License-Identifier: Apache-2.0 */
/* Random times against the C library's calendar. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/log/time.h"
#include <stdio.h>
#include <time.h>

static uint64_t next(uint64_t *s)
{
    *s += 0x9E3779B97F4A7C15u; // splitmix64
    uint64_t z = *s;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#define FIRST INT64_C(-62135596800)
#define LAST INT64_C(253402300799)

static void any_time_round_trips_and_agrees_with_timegm(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200000; seed++) {
        uint64_t s = seed;
        int64_t t = FIRST + (int64_t)(next(&s) % (uint64_t)(LAST - FIRST + 1));
        if (seed % 3 == 0) t = (int64_t)(next(&s) % 4000000000u) - 1000000000; // nearer to today
        time_t tt = (time_t)t;
        struct tm tm;
        char want[64], got[20];
        assert_non_null(gmtime_r(&tt, &tm));
        snprintf(want, sizeof want, "%04d-%02d-%02d %02d:%02d:%02d", tm.tm_year + 1900,
                 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        size_t n = lethe_time_format(t, LETHE_TIME_EXACT, got);
        int64_t back = 0;
        bool ok = lethe_time_parse((lethe_str){got, n}, &back);
        if (n != 19 || memcmp(want, got, 19) != 0 || !ok || back != t)
            fail_msg("seed %llu: %s, want %s", (unsigned long long)seed, got, want);
        for (int u = LETHE_TIME_HOUR; u <= LETHE_TIME_DAY; u++) {
            int64_t cut = lethe_time_cut(t, (lethe_time_unit)u);
            n = lethe_time_format(t, (lethe_time_unit)u, got);
            ok = lethe_time_parse((lethe_str){got, n}, &back);
            if (!ok || back != cut || cut > t) fail_msg("seed %llu: cut", (unsigned long long)seed);
        }
    }
}

/* Week and month of any time, by counting days of the C library's calendar. */
static void weeks_and_months_begin_where_the_calendar_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200000; seed++) {
        uint64_t s = seed * 31;
        int64_t t = FIRST + (int64_t)(next(&s) % (uint64_t)(LAST - FIRST + 1));
        time_t tt = (time_t)t;
        struct tm tm;
        char want[64], got[20];
        int64_t back = 0;
        assert_non_null(gmtime_r(&tt, &tm));
        snprintf(want, sizeof want, "%04d-%02d", tm.tm_year + 1900, tm.tm_mon + 1);
        size_t n = lethe_time_format(t, LETHE_TIME_MONTH, got);
        tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
        int64_t month =
                    timegm(&(struct tm){.tm_year = tm.tm_year, .tm_mon = tm.tm_mon, .tm_mday = 1}),
                week = timegm(&tm) - (tm.tm_wday + 6) % 7 * 86400;
        if (n != 7 || strcmp(got, want) != 0 ||
            !lethe_time_as_written((lethe_str){got, n}, &back) || back != month ||
            lethe_time_cut(t, LETHE_TIME_MONTH) != month)
            fail_msg("seed %llu: %s, want %s", (unsigned long long)seed, got, want);
        n = lethe_time_format(t, LETHE_TIME_WEEK, got);
        if (n != 10 || !lethe_time_as_written((lethe_str){got, n}, &back) || back != week ||
            lethe_time_cut(t, LETHE_TIME_WEEK) != week)
            fail_msg("seed %llu: %s", (unsigned long long)seed, got);
    }
}

/* Any six numbers: read if and only if timegm leaves them as they are. */
static void any_date_is_judged_as_timegm_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200000; seed++) {
        uint64_t s = seed * 77;
        int y = (int)(next(&s) % 10000), mo = (int)(next(&s) % 14), d = (int)(next(&s) % 33);
        int h = (int)(next(&s) % 25), mi = (int)(next(&s) % 61), se = (int)(next(&s) % 60);
        struct tm tm = {.tm_year = y - 1900,
                        .tm_mon = mo - 1,
                        .tm_mday = d,
                        .tm_hour = h,
                        .tm_min = mi,
                        .tm_sec = se};
        time_t want = timegm(&tm);
        bool possible = y > 0 && tm.tm_year == y - 1900 && tm.tm_mon == mo - 1 && tm.tm_mday == d &&
                        tm.tm_hour == h && tm.tm_min == mi && tm.tm_sec == se;
        char text[64];
        static const char *const forms[] = {"%04d-%02d-%02d %02d:%02d:%02d",
                                            "%04d-%02d-%02dT%02d:%02d:%02dZ",
                                            "%04d%02d%02dT%02d%02d%02d"};
        for (size_t f = 0; f < LETHE_COUNT(forms); f++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, forms[f], y, mo, d, h, mi, se);
#pragma GCC diagnostic pop
            int64_t got = 0;
            bool ok = lethe_time_parse(lethe_str_of(text), &got);
            if (ok != possible || (ok && got != (int64_t)want))
                fail_msg("seed %llu: '%s' %d", (unsigned long long)seed, text, ok);
        }
    }
}

static void an_offset_moves_a_time_by_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        uint64_t s = seed * 13;
        int64_t t = (int64_t)(next(&s) % 4000000000u);
        int hours = (int)(next(&s) % 24), minutes = (int)(next(&s) % 60);
        bool west = next(&s) & 1;
        char time[20], text[64];
        lethe_time_format(t, LETHE_TIME_EXACT, time);
        snprintf(text, sizeof text, "%s.%u%c%02d:%02d", time, (unsigned)(next(&s) % 1000),
                 west ? '-' : '+', hours, minutes);
        int64_t got = 0, offset = hours * 3600 + minutes * 60;
        if (!lethe_time_parse(lethe_str_of(text), &got) || got != t + (west ? offset : -offset))
            fail_msg("seed %llu: '%s'", (unsigned long long)seed, text);
    }
}

/* Any time, written by the C library in any of these forms, is read back by the same format. */
static void a_format_reads_what_strftime_writes(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "%Y-%m-%d %H:%M:%S",
        "%d/%b/%Y:%H:%M:%S %z",
        "%a, %d %b %Y %T %z",
        "%A %e %B %Y %I:%M:%S %p",
        "%D %T",
        "%F %T",
        "%y%m%d%H%M%S",
        "%s",
        "%B %e, %Y %I:%M:%S%p",
        "%d.%m.%Y um %H.%M.%S Uhr",
        "%%%H%%%M%%%S %F",
        "%h %d %H:%M:%S %Y",
    };
    for (uint64_t seed = 1; seed <= 50000; seed++) {
        uint64_t s = seed * 5;
        // %y reaches from 1970 to 2069
        time_t t = (time_t)(next(&s) % 3155760000u);
        const char *format = formats[next(&s) % LETHE_COUNT(formats)];
        struct tm tm;
        char text[128];
        int64_t got = 0;
        assert_non_null(gmtime_r(&t, &tm));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        assert_true(strftime(text, sizeof text, format, &tm) > 0);
#pragma GCC diagnostic pop
        assert_null(lethe_time_format_fault(format));
        // strftime counts by the local zone, which need not be UTC
        if (strcmp(format, "%s") == 0) snprintf(text, sizeof text, "%lld", (long long)t);
        lethe_time_style how = {.format = format};
        if (!lethe_time_read(&how, lethe_str_of(text), &got) || got != (int64_t)t)
            fail_msg("seed %llu: '%s' by '%s': %lld", (unsigned long long)seed, text, format,
                     (long long)got);
        strcat(text, "x");
        assert_false(lethe_time_read(&how, lethe_str_of(text), &got));
    }
}

/* Two numbers, a year and a clock of twelve, in either order, against timegm. */
static void an_order_reads_days_and_months_as_timegm_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50000; seed++) {
        uint64_t s = seed * 3;
        int a = (int)(next(&s) % 34), b = (int)(next(&s) % 34), y = 1990 + (int)(next(&s) % 50);
        int h = (int)(next(&s) % 14), mi = (int)(next(&s) % 60);
        bool pm = next(&s) & 1, half = next(&s) & 1;
        char part = next(&s) & 1 ? '/' : '-', text[64];
        snprintf(text, sizeof text, "%d%c%02d%c%d %d:%02d%s", a, part, b, part, y, h, mi,
                 !half ? ""
                 : pm  ? " PM"
                       : "AM");
        for (int day_first = 0; day_first < 2; day_first++) {
            lethe_time_style how = {.order =
                                        day_first ? LETHE_DATE_DAY_FIRST : LETHE_DATE_MONTH_FIRST};
            int d = day_first ? a : b, mo = day_first ? b : a;
            int hour = half ? h % 12 + 12 * pm : h;
            struct tm tm = {
                .tm_year = y - 1900, .tm_mon = mo - 1, .tm_mday = d, .tm_hour = hour, .tm_min = mi};
            time_t want = timegm(&tm);
            bool possible =
                tm.tm_mon == mo - 1 && tm.tm_mday == d && (!half || (h >= 1 && h <= 12));
            int64_t got = 0;
            bool ok = lethe_time_read(&how, lethe_str_of(text), &got);
            if (ok != possible || (ok && got != (int64_t)want))
                fail_msg("seed %llu: '%s' %d", (unsigned long long)seed, text, ok);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_reads_what_strftime_writes),
        cmocka_unit_test(an_order_reads_days_and_months_as_timegm_does),
        cmocka_unit_test(any_time_round_trips_and_agrees_with_timegm),
        cmocka_unit_test(weeks_and_months_begin_where_the_calendar_says),
        cmocka_unit_test(any_date_is_judged_as_timegm_does),
        cmocka_unit_test(an_offset_moves_a_time_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
