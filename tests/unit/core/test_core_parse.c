/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/base.h"
#include "core/parse.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A view with no NUL behind it, so that reading on is seen by the sanitizers. */
static lethe_str bare(const char *s)
{
    static char *last;
    free(last);
    size_t n = strlen(s);
    last = malloc(n + 1);
    assert_non_null(last);
    last = realloc(last, n ? n : 1);
    memcpy(last, s, n);
    return (lethe_str){last, n};
}

static void whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        uint64_t want;
    } cases[] = {
        {"0", true, 0},
        {"7", true, 7},
        {"007", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"99999999999999999999", false, 0},
        {"00000000000000000000000000001", true, 1},
        {"", false, 0},
        {"-1", false, 0},
        {"-0", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1\n", false, 0},
        {"1a", false, 0},
        {"0x10", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"\xd9\xa3", false, 0}, // ARABIC-INDIC DIGIT THREE
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        uint64_t v = 12345;
        if (lethe_parse_u64(bare(cases[i].text), &v) != cases[i].ok) fail_msg("%s", cases[i].text);
        assert_int_equal(v, cases[i].ok ? cases[i].want : 12345);
    }
    uint64_t v = 5;
    assert_false(lethe_parse_u64((lethe_str){"1\0002", 3}, &v));
    assert_false(lethe_parse_u64((lethe_str){NULL, 0}, &v));
    assert_int_equal(v, 5);
}

static void signed_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t want;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"-5", true, -5},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"18446744073709551616", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"+1", false, 0},
        {"- 1", false, 0},
        {"1-", false, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        int64_t v = 12345;
        if (lethe_parse_i64(bare(cases[i].text), &v) != cases[i].ok) fail_msg("%s", cases[i].text);
        assert_int_equal(v, cases[i].ok ? cases[i].want : 12345);
    }
}

static void reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double want;
    } good[] = {
        {"0", 0},
        {"-0.5", -0.5},
        {".5", 0.5},
        {"5.", 5},
        {"0.1", 0x1.999999999999ap-4},
        {"1e3", 1000},
        {"1E+3", 1000},
        {"25e-1", 2.5},
        {"1e308", 1e308},
        {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
        {"4.9e-324", 0x1p-1074},
        {"1e-400", 0},
        {"9007199254740993", 0x1p53}, // half way: to even
        {"9007199254740993.00000000000000000000000001", 0x1.0000000000001p53},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
    };
    static const char *const bad[] = {
        "",      "-",     ".",     "-.",   "e5",   "1e",       "1e+",   "+1",    " 1",
        "1 ",    "1,5",   "1.2.3", "nan",  "-nan", "inf",      "-inf",  "INF",   "0x10",
        "0x1p3", "1e309", "1f",    "1.0d", "--1",  "infinity", "1e5.5", "1_000",
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        double v = -1;
        if (!lethe_parse_real(bare(good[i].text), &v) || v != good[i].want)
            fail_msg("%s gives %a", good[i].text, v);
    }
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        double v = -77;
        if (lethe_parse_real(bare(bad[i]), &v) || v != -77) fail_msg("%s gives %a", bad[i], v);
    }
    double v = 3;
    assert_false(lethe_parse_real((lethe_str){"1\0", 2}, &v));
    static char digits[5000];
    memset(digits, '1', sizeof digits);
    assert_false(lethe_parse_real((lethe_str){digits, sizeof digits}, &v));
    assert_true(lethe_parse_real((lethe_str){digits, 300}, &v));
}

/* Every double written with 17 digits comes back. */
static void reals_round_trip(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double d, back;
        memcpy(&d, &x, sizeof d);
        if (d != d || d - d != 0) continue;
        char text[64];
        int n = snprintf(text, sizeof text, "%.17g", d);
        assert_true(lethe_parse_real((lethe_str){text, (size_t)n}, &back));
        assert_memory_equal(&d, &back, sizeof d);
    }
}

/* Makes a locale with a decimal comma, if the system can; nothing to see otherwise. */
static void reals_do_not_heed_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < LETHE_COUNT(names) && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set && access("/usr/share/i18n/locales/de_DE", R_OK) == 0) {
        char dir[] = "/tmp/lethe-locale-XXXXXX", command[256];
        assert_non_null(mkdtemp(dir));
        snprintf(command, sizeof command,
                 "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", dir);
        int made = system(command);
        setenv("LOCPATH", dir, 1);
        set = made == 0 ? setlocale(LC_ALL, "de_DE.UTF-8") : NULL;
        snprintf(command, sizeof command, "rm -r %s", dir);
        if (system(command) != 0) set = NULL;
    }
    if (!set) skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    double v = 0;
    assert_true(lethe_parse_real(LETHE_LIT("0.25"), &v));
    assert_true(v == 0.25);
    assert_false(lethe_parse_real(LETHE_LIT("0,25"), &v));
    setlocale(LC_ALL, "C");
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        uint64_t want;
    } cases[] = {
        {"1000", true, 1000},
        {"0", true, 0},
        {"512K", true, 512 << 10},
        {"512k", true, 512 << 10},
        {"200M", true, UINT64_C(200) << 20},
        {"4g", true, UINT64_C(4) << 30},
        {"2T", true, UINT64_C(2) << 40},
        {"16MiB", true, 16 << 20},
        {"16MB", true, 16 << 20},
        {"16mb", true, 16 << 20},
        {"7B", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551615K", false, 0},
        {"16777215T", true, UINT64_C(16777215) << 40},
        {"16777216T", false, 0},
        {"18014398509481983K", true, UINT64_C(18014398509481983) << 10},
        {"18014398509481984K", false, 0},
        {"", false, 0},
        {"K", false, 0},
        {"-1K", false, 0},
        {"+1K", false, 0},
        {"1.5G", false, 0},
        {"1 G", false, 0},
        {"1P", false, 0},
        {"1KK", false, 0},
        {"1Ki", false, 0},
        {"1iB", false, 0},
        {"1KBB", false, 0},
        {"1KiBx", false, 0},
        {" 1K", false, 0},
        {"1K ", false, 0},
        {"0x1K", false, 0},
        {"1\x4b\xcb", false, 0},
        {"1\xeb", false, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        uint64_t v = 12345;
        if (lethe_parse_size(bare(cases[i].text), &v) != cases[i].ok) fail_msg("%s", cases[i].text);
        assert_int_equal(v, cases[i].ok ? cases[i].want : 12345);
    }
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t want;
    } cases[] = {
        {"90s", true, 90},
        {"90", true, 90},
        {"0", true, 0},
        {"60m", true, 3600},
        {"1h", true, 3600},
        {"2d", true, 172800},
        {"1w", true, 604800},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"153722867280912930m", true, INT64_C(153722867280912930) * 60},
        {"153722867280912931m", false, 0},
        {"18446744073709551615w", false, 0},
        {"", false, 0},
        {"h", false, 0},
        {"-1h", false, 0},
        {"+1h", false, 0},
        {"1.5h", false, 0},
        {"1 h", false, 0},
        {"1H", false, 0},
        {"1hh", false, 0},
        {"1h30m", false, 0},
        {"1y", false, 0},
        {"1ms", false, 0},
        {"all", false, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        int64_t v = 12345;
        if (lethe_parse_duration(bare(cases[i].text), &v) != cases[i].ok)
            fail_msg("%s", cases[i].text);
        assert_int_equal(v, cases[i].ok ? cases[i].want : 12345);
    }
}

/* --- the small words of base.h --- */

static int sign(int c) { return (c > 0) - (c < 0); }

static void order_of_bytes(void **state)
{
    (void)state;
    static const char *const rising[] = {"", "a", "a\x01", "ab", "b", "\x7f", "\x80", "\xff\xff"};
    for (size_t i = 0; i < LETHE_COUNT(rising); i++)
        for (size_t j = 0; j < LETHE_COUNT(rising); j++) {
            lethe_str a = lethe_str_of(rising[i]), b = lethe_str_of(rising[j]);
            assert_int_equal(sign(lethe_str_cmp(a, b)), (i > j) - (i < j));
            assert_int_equal(lethe_str_eq(a, b), i == j);
        }
    assert_true(lethe_str_eq((lethe_str){NULL, 0}, LETHE_LIT("")));
    assert_int_equal(lethe_str_cmp((lethe_str){NULL, 0}, LETHE_LIT("")), 0);
    assert_false(lethe_str_eq((lethe_str){"a\0b", 3}, (lethe_str){"a\0c", 3}));
}

static void numbers_in_order_of_bytes(void **state)
{
    (void)state;
    static const uint64_t rising[] = {0, 1, 255, 256, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    uint8_t last[8] = {0}, now[8];
    for (size_t i = 0; i < LETHE_COUNT(rising); i++) {
        lethe_be64_put(now, rising[i]);
        assert_int_equal(lethe_be64_get(now), rising[i]);
        assert_int_equal(memcmp(last, now, 8) < 0, i > 0);
        memcpy(last, now, 8);
    }
    lethe_be32_put(now, 0x01020304);
    assert_memory_equal(now, "\1\2\3\4", 4);
    assert_int_equal(lethe_be32_get(now), 0x01020304);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(reals),
        cmocka_unit_test(reals_round_trip),
        cmocka_unit_test(reals_do_not_heed_the_locale),
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
        cmocka_unit_test(order_of_bytes),
        cmocka_unit_test(numbers_in_order_of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
