/* SPDX-License-Identifier: Apache-2.0 */
/* Times: every form, every impossible date, and back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/log/time.h"
#include <stdio.h>

typedef struct sample {
    const char *in;
    int64_t want; /* LETHE_NO_TIME: refused */
} sample;

static void check(const sample *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t t = 4711;
        // a copy without a NUL after it, so that reading past the end is found
        char exact[64];
        size_t len = strlen(table[i].in);
        char *at = exact + sizeof exact - len;
        memcpy(at, table[i].in, len);
        bool ok = lethe_time_parse((lethe_str){at, len}, &t);
        bool want_ok = table[i].want != LETHE_NO_TIME;
        if (ok != want_ok || (ok && t != table[i].want) || (!ok && t != 4711))
            fail_msg("'%s': %s %lld, want %lld", table[i].in, ok ? "gives" : "refused",
                     (long long)t, (long long)table[i].want);
    }
}

#define T0 INT64_C(1141228880) /* 2006-03-01 16:01:20 */
#define NO LETHE_NO_TIME

static void every_form_is_read(void **state)
{
    (void)state;
    static const sample table[] = {
        {"2006-03-01 16:01:20", T0},
        {"2006-03-01T16:01:20", T0},
        {"2006-03-01t16:01:20", T0},
        {"2006-03-01T16:01:20Z", T0},
        {"2006-03-01 16:01:20z", T0},
        {"2006-03-01T16:01:20.123Z", T0},
        {"2006-03-01T16:01:20,999999999", T0},
        {"2006-03-01T16:01:20.123+02:00", T0 - 7200},
        {"2006-03-01T16:01:20+0200", T0 - 7200},
        {"2006-03-01T16:01:20+02", T0 - 7200},
        {"2006-03-01T16:01:20-05:30", T0 + 5 * 3600 + 1800},
        {"2006-03-01T16:01:20-00:00", T0},
        {"2006-03-01 23:59:59-23:59", T0 - 57680 + 86399 + 86340},
        {"2006-03-01", T0 - 57680},
        {"2006-03-01 16", T0 - 80},
        {"2006-03-01T16Z", T0 - 80},
        {"2006-03-01 16+01", T0 - 80 - 3600},
        {"2006-03-01 16:01", T0 - 20},
        {"2006-03-01T16:01+00:01", T0 - 20 - 60},
        {"20060301T160120Z", T0},
        {"20060301T160120", T0},
        {"20060301T160120.5-0100", T0 + 3600},
        {"20060301T1601", T0 - 20},
        {"20060301T16", T0 - 80},
        {"1141228880", T0},
        {"1141228880000", T0},
        {"1141228880999", T0},
        {"0", 0},
        {"5", 5},
        {"-1", -1},
        {"-86400", -86400},
        {"-1000000000001", -1000000001}, // milliseconds, rounded down
        {"99999999999", INT64_C(99999999999)},
        {"060301160120", T0},
        {"970916105432", INT64_C(874407272)},
        {"700101000000", 0},
        {"691231235959", INT64_C(3155759999)}, // 2069
        {"000229000000", INT64_C(951782400)},
        {"253402300799999", INT64_C(253402300799)},
        {"0001-01-01 00:00:00", INT64_C(-62135596800)},
        {"9999-12-31 23:59:59", INT64_C(253402300799)},
        {"1969-12-31 23:59:59", -1},
        {"2000-02-29 00:00:00", INT64_C(951782400)},
        {"2004-02-29 12:00:00", INT64_C(1078056000)},
        {"2005-12-31 23:59:60", INT64_C(1136073599)},
        {"2005-12-31T23:59:60Z", INT64_C(1136073599)},
        {"051231235960", INT64_C(1136073599)},
        {"20060301", T0 - 57680},
        {"20060301160120", T0},
        {"19991231235959", INT64_C(946684799)},
        {"1141228880.5", T0},
        {"2006/03/01 16:01:20", T0},
        {"2006.03.01", T0 - 57680},
        {"2006-03-01T16:01:20 +02:00", T0 - 7200},
        {"2006-03-01 16:01:20 UTC", T0},
        {"2006-03-01 04:01:20 PM", T0},
        {"2006-03-01 04:01:20\xE2\x80\xAFpm", T0},
        {"2006-03-01 04:01:20.75 p.m. +0200", T0 - 7200},
        {"2006-03-01 12:00am", T0 - 57680},
        {"2006-03-01 12 PM", T0 - 57680 + 43200},
        {"01.03.2006", T0 - 57680},
        {"1.3.2006 16:01", T0 - 20},
        {"01.03.2006, 4:01:20 PM", T0},
        {"13.03.2006 16:01:20,5Z", T0 + 12 * 86400},
        {"99999999", NO},
        {"12345678", NO},
        {"18991231", NO},
        {"20060231", NO},
        {"-20060301", -20060301},
        {"20060301250000", INT64_C(20060301250)}, // no date: milliseconds
    };
    check(table, LETHE_COUNT(table));
}

static void what_is_no_time_is_refused(void **state)
{
    (void)state;
    static const char *const table[] = {
        "",
        " ",
        "-",
        "--",
        "+1",
        "QueryTime",
        "x",
        "1e9",
        "11412288.5",
        "1141228880.",
        "1141228880.5x",
        "-1141228880.5",
        "2006-03-01 13:00 PM",
        "2006-03-01 00:00 AM",
        "2006-03-01 10:00 XM",
        "2006-03-01 10:00 a.m",
        "2006-03-01 10:00 AM ",
        "2006-03-01 16:01:20 CET",
        "2006/03-01",
        "2006.03/01",
        "13/03/2006",
        "03/13/2006",
        "03.13.2006",
        "1.3.06",
        "001.03.2006",
        "1.3.2006 ",
        "1.3.200616:01",
        "1.3.2006 16:1",
        "12345678901a",
        "2006-13-01 00:00:00",
        "2006-00-01 00:00:00",
        "2006-01-00 00:00:00",
        "2006-01-32 00:00:00",
        "2006-04-31 00:00:00",
        "2005-02-29 00:00:00",
        "2006-02-29 00:00:00",
        "1900-02-29 00:00:00",
        "2006-02-30 00:00:00",
        "2006-03-01 24:00:00",
        "2006-03-01 23:60:00",
        "2006-03-01 23:59:61",
        "0000-01-01 00:00:00",
        "2006-03-01 16:01:2",
        "2006-03-01 16:01:200",
        "2006-03-01 1:01:20",
        "2006-3-1 16:01:20",
        "2006-03-01_16:01:20",
        "2006-03-01 16.01.20",
        "2006-03-01 16:01:20 ",
        " 2006-03-01 16:01:20",
        "2006-03-01  16:01:20",
        "2006-03-01 ",
        "2006-03-01T",
        "2006-03-01Z",
        "2006/03",
        "2006.03",
        "2006-3",
        "2006-13",
        "2006-00",
        "2006-03Z",
        "2006-03 16",
        "2006-03-",
        "2006-03-1",
        "2006-03-01 16:",
        "2006-03-01 16:01:",
        "2006-03-01 16:01.5",
        "2006-03-01 16:01:20.",
        "2006-03-01 16:01:20.Z",
        "2006-03-01T16:01:20+",
        "2006-03-01T16:01:20+1",
        "2006-03-01T16:01:20+02:",
        "2006-03-01T16:01:20+02:0",
        "2006-03-01T16:01:20+02:000",
        "2006-03-01T16:01:20+24:00",
        "2006-03-01T16:01:20+02:60",
        "2006-03-01T16:01:20ZZ",
        "20060301 160120",
        "20060301T160120:00",
        "20060301T16:01",
        "2006-0301",
        "200603-01",
        "2006-03-01\t16:01:20",
        "2006-03-01 16:01:2\xb0",
        "2006-03-01 16:01:2/",
        "2006-03-01 16:01:2:",
        "2oo6-03-01 16:01:20",
        // twelve digits that are no date: seconds or milliseconds cannot be told
        "971301000000",
        "970230000000",
        "970101240000",
        "970101006000",
        "-970101000000",
        // out of range
        "253402300800000",
        "99999999999999999999",
        "-62135596800001",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "9223372036854775807",
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++)
        check(&(sample){table[i], NO}, 1);
    check(&(sample){"-62135596800", INT64_C(-62135596800)}, 1);
    check(&(sample){"-62135596801", NO}, 1);
}

static void every_byte_of_the_common_form_counts(void **state)
{
    (void)state;
    const char *good = "2006-03-01 16:01:20";
    for (size_t i = 0; i < 19; i++) {
        for (int c = 0; c < 256; c++) {
            char s[20];
            int64_t t;
            memcpy(s, good, 20);
            s[i] = (char)c;
            bool ok = lethe_time_parse((lethe_str){s, 19}, &t);
            bool digit = c >= '0' && c <= '9';
            bool was_digit = good[i] >= '0' && good[i] <= '9';
            bool other_form = (i == 10 && (c == 'T' || c == 't')) ||
                              ((i == 13 || i == 16) && (c == '+' || c == '-')); // an offset
            if (!was_digit && ok != (c == good[i] || other_form)) fail_msg("byte %zu = %d", i, c);
            if (was_digit && ok && !digit) fail_msg("byte %zu = %d is no digit", i, c);
        }
    }
}

static void times_are_cut_downwards(void **state)
{
    (void)state;
    assert_true(lethe_time_cut(T0, LETHE_TIME_EXACT) == T0);
    assert_true(lethe_time_cut(T0, LETHE_TIME_HOUR) == T0 - 80);
    assert_true(lethe_time_cut(T0, LETHE_TIME_DAY) == T0 - 57680);
    assert_true(lethe_time_cut(T0, LETHE_TIME_DROP) == LETHE_NO_TIME);
    assert_true(lethe_time_cut(-1, LETHE_TIME_HOUR) == -3600);
    assert_true(lethe_time_cut(-1, LETHE_TIME_DAY) == -86400);
    assert_true(lethe_time_cut(-86400, LETHE_TIME_DAY) == -86400);
    for (int u = LETHE_TIME_DAY; u <= LETHE_TIME_DROP; u++)
        assert_true(lethe_time_cut(LETHE_NO_TIME, (lethe_time_unit)u) == LETHE_NO_TIME);
    assert_int_equal(lethe_time_day(0), 0);
    assert_int_equal(lethe_time_day(86399), 0);
    assert_int_equal(lethe_time_day(86400), 1);
    assert_int_equal(lethe_time_day(-1), -1);
    assert_int_equal(lethe_time_day(-86401), -2);
}

static void check_format(int64_t t, lethe_time_unit unit, const char *want)
{
    char out[20];
    size_t n = lethe_time_format(t, unit, out);
    assert_int_equal(n, strlen(want));
    assert_string_equal(out, want);
}

static void times_are_written_in_their_unit(void **state)
{
    (void)state;
    check_format(T0, LETHE_TIME_EXACT, "2006-03-01 16:01:20");
    check_format(T0, LETHE_TIME_HOUR, "2006-03-01 16");
    check_format(T0, LETHE_TIME_DAY, "2006-03-01");
    check_format(T0, LETHE_TIME_WEEK, "2006-02-27");
    check_format(T0, LETHE_TIME_MONTH, "2006-03");
    check_format(INT64_C(-62135596800), LETHE_TIME_WEEK, "0001-01-01");
    check_format(INT64_C(-62135596800), LETHE_TIME_MONTH, "0001-01");
    check_format(INT64_C(253402300799), LETHE_TIME_WEEK, "9999-12-27");
    check_format(-1, LETHE_TIME_WEEK, "1969-12-29");
    check_format(-1, LETHE_TIME_MONTH, "1969-12");
    check_format(T0, LETHE_TIME_DROP, "");
    check_format(-1, LETHE_TIME_EXACT, "1969-12-31 23:59:59");
    check_format(INT64_C(-62135596800), LETHE_TIME_EXACT, "0001-01-01 00:00:00");
    check_format(INT64_C(253402300799), LETHE_TIME_EXACT, "9999-12-31 23:59:59");
    check_format(LETHE_NO_TIME, LETHE_TIME_EXACT, "");
    check_format(INT64_C(-62135596801), LETHE_TIME_EXACT, "");
    check_format(INT64_C(253402300800), LETHE_TIME_DAY, "");
    check_format(INT64_MAX, LETHE_TIME_EXACT, "");
}

static void times_of_whole_days_hide_shorter_pauses(void **state)
{
    (void)state;
    static const struct {
        int64_t times[3], gap_s;
        const char *coarse;
    } cases[] = {
        {{0, 86400, LETHE_NO_TIME}, 86399, "days"},
        {{0, 86400, 172800}, 86400, NULL},
        {{-86400, 0, 0}, 3600, "days"},
        {{345600, 345600 + 604800, 345600}, 86400, "weeks"}, // Mondays
        {{345600, 345600 + 604800, 345600}, 604800, NULL},
        {{345600, 0, 345600}, 86400, NULL},
        {{0, 31 * 86400, 0}, 604800, "months"},
        {{0, 31 * 86400, 0}, 31 * 86400, NULL},
        {{0, 32 * 86400, 0}, 3600, "days"},
        {{0, 86400, 3600}, 3600, NULL},
        {{0, 86400, 3600}, 3599, "hours"},
        {{0, 86400, 3601}, 0, NULL},
        {{0, LETHE_NO_TIME, LETHE_NO_TIME}, 0, NULL}, // a single time has no pause
        {{LETHE_NO_TIME, LETHE_NO_TIME, LETHE_NO_TIME}, 0, NULL},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_time_grain all = {0}, one = {0};
        lethe_time_grain_add(&all, cases[i].times[0]);
        lethe_time_grain_add(&one, cases[i].times[1]);
        lethe_time_grain_add(&one, cases[i].times[2]);
        lethe_time_grain_join(&all, &one);
        const char *coarse = lethe_time_grain_coarse(&all, cases[i].gap_s);
        if (cases[i].coarse)
            assert_string_equal(coarse, cases[i].coarse);
        else
            assert_null(coarse);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(every_byte_of_the_common_form_counts),
        cmocka_unit_test(times_are_cut_downwards),
        cmocka_unit_test(times_are_written_in_their_unit),
        cmocka_unit_test(times_of_whole_days_hide_shorter_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
