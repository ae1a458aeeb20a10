/* SPDX-License-Identifier: Apache-2.0 */
/* Bank accounts, national identifiers, dates of birth and number plates: examples, and numbers made
 * at random, whose check digits are worked out here in other ways than the detectors do it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/pii/pii.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    CODES =
        1u << LETHE_PII_IBAN | 1u << LETHE_PII_ID | 1u << LETHE_PII_BIRTH | 1u << LETHE_PII_PLATE
};

static void expect(const char *text, const char *want)
{
    lethe_detector d = {CODES, NULL};
    lethe_buf buf = {0};
    lethe_str masked;
    uint64_t found[LETHE_N_PII] = {0};
    assert_int_equal(lethe_pii_mask(&d, lethe_str_of(text), &buf, &masked, found), LETHE_OK);
    if (!lethe_str_eq(masked, lethe_str_of(want)))
        fail_msg("'%s' becomes '%.*s', not '%s'", text, (int)masked.n, masked.at, want);
    lethe_buf_free(&buf);
}

typedef struct pair {
    const char *text, *masked; /* NULL: it stays */
} pair;

static void expect_all(const pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect(pairs[i].text, pairs[i].masked ? pairs[i].masked : pairs[i].text);
}

static void bank_accounts(void **unused)
{
    (void)unused;
    static const pair pairs[] = {
        {"gb82west12345698765432", "[iban]"},
        {"pay gb82 west 1234 5698 7654 32 now", "pay [iban] now"},
        {"de89-3704-0044-0532-0130-00", "[iban]"},
        {"iban:no9386011117947.", "iban:[iban]."},
        {"mt84malt011000012345mtlcast001s", "[iban]"},
        {"gb82west12345698765433", NULL},  // check digits
        {"gb82west1234569876543", NULL},   // too short
        {"gb82west123456987654321", NULL}, // too long
        {"xx82west12345698765432", NULL},  // no such country
        {"agb82west12345698765432", NULL}, // inside a word
        {"gb82  west12345698765432", NULL},
    };
    expect_all(pairs, LETHE_COUNT(pairs));
}

static void identifiers(void **unused)
{
    (void)unused;
    static const pair pairs[] = {
        {"ni ab 12 34 56 c", "ni [id]"},
        {"ab123456d tax", "[id] tax"},
        {"jg 12 34 56 c", "[id]"},
        {"on 12-25-04 a", NULL}, // a word, a date and an article
        {"my ni on 12 25 04 a", "my ni [id]"},
        {"ab123456e", NULL},
        {"gb123456a", NULL}, // never given
        {"qa123456a", NULL},
        {"xab123456d", NULL},
        {"ab12345d", NULL},
        {"dni 12345678z", "dni [id]"},
        {"12.345.678-z", "[id]"},
        {"12345678a", NULL},
        {"12345678zz", NULL},
        {"x1234567l", "[id]"},
        {"y-1234567-x", "[id]"},
        {"x1234567k", NULL},
        {"rssmra85t10a562s", "[id]"},
        {"rssmra85t10a562t", NULL},
        {"rssmra85t10a56s", NULL},
        {"1 85 05 78 006 084 91", "[id]"},
        {"185057800608491", "[id]"},
        {"185057800608492", NULL},
        {"185137800608484", NULL}, // month 13
        {"86095742719", "[id]"},
        {"86 095 742 719", "[id]"},
        {"86095742718", NULL},
        {"12345678903", NULL}, // no digit twice
        {"44051401359", "[id]"},
        {"44051401358", NULL},
        {"44133101354", NULL}, // month 13
        {"811218-9876", "[id]"},
        {"19811218-9876", "[id]"},
        {"811218-9875", NULL},
        {"811318-9875", NULL},
        {"nhs number 943 476 5919", "nhs number [id]"},
        {"943 476 5919", NULL},
        {"nhs number 943 476 5918", NULL},
        {"bsn 111222333", "bsn [id]"},
        {"111222333", NULL},
        {"bsn 111222334", NULL},
        {"bsn a b c d 111222333", NULL}, // too far away
        {"bsn [ssn] 111222333", NULL},   // behind a mask
        {"86095742719-3", NULL},
    };
    expect_all(pairs, LETHE_COUNT(pairs));
}

static void dates_of_birth(void **unused)
{
    (void)unused;
    static const pair pairs[] = {
        {"born 3/12/1970", "born [birth]"},
        {"born on the 12th of march 1970 in leeds", "born on the [birth] in leeds"},
        {"born march 12th, 1970", "born [birth]"},
        {"born sept 3 1970", "born [birth]"},
        {"dob: 12.3.70", "dob: [birth]"},
        {"d.o.b. 1970-03-12", "d.o.b. [birth]"},
        {"d.o.b: 12/3/70", "d.o.b: [birth]"},
        {"my date of birth is 1970/03/12", "my date of birth is [birth]"},
        {"12/03/1970 birthday", "[birth] birthday"},
        {"geboren am 12.03.1970", "geboren am [birth]"},
        {"nato il 12/3/1970", "nato il [birth]"},
        {"n\xC3\xA9 le 12/3/1970", "n\xC3\xA9 le [birth]"},
        {"nato bombing march 24 1999", NULL},
        {"omaha ne 6/5/2006", NULL}, // Nebraska
        {"3/12/1970", NULL},
        {"march 12th, 1970", NULL},
        {"born 31/31/1970", NULL},
        {"born 30 february 1970", NULL},
        {"born 3/12-1970", NULL},
        {"born 12 march 19701", NULL},
        {"born in 1970", NULL},
        {"born to run 12 songs", NULL},
        {"born 1.2.3.4", NULL},
        {"stubborn 3/12/1970", NULL},
    };
    expect_all(pairs, LETHE_COUNT(pairs));
}

static void number_plates(void **unused)
{
    (void)unused;
    static const pair pairs[] = {
        {"ab12cdf", "[plate]"},
        {"ab12 cdf", NULL}, // as sw19 kfc and rj45 utp, which are none
        {"reg ab12 cdf", "reg [plate]"},
        {"ab12 cdf dvla", "[plate] dvla"},
        {"sr20det", NULL}, // an engine
        {"who owns lx61kfj", "who owns [plate]"},
        {"reg ab12 cdfg", NULL},
        {"reg ab1 cdf", NULL},
        {"reg ab00 cdf", NULL},
        {"reg ab50 cdf", NULL},
        {"reg ib12 cdf", NULL},
        {"reg ab12 qdf", NULL},
        {"se16 pub", NULL}, // a district of london
        {"reg se16 pub", "reg [plate]"},
        {"kennzeichen b-mw 1234", "kennzeichen [plate]"},
        {"license plate m xy 77", "license plate [plate]"},
        {"kennzeichen hh-ab 12e", "kennzeichen [plate]"},
        {"b-mw 1234", NULL},
        {"kia rio s 2004 vehicle", NULL},
        {"wi-fi 6", NULL},
        {"kennzeichen b-mw 01234", NULL},
        {"kennzeichen b-mwx 1234", NULL},
    };
    expect_all(pairs, LETHE_COUNT(pairs));
}

/* --- at random --- */

static uint64_t state = 1;
static uint32_t draw(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}
static void draw_digits(char *out, size_t n)
{
    for (size_t k = 0; k < n; k++)
        out[k] = (char)('0' + draw(10));
    out[n] = '\0';
}

/* The rest of a decimal number of any length, digit by digit. */
static unsigned rest_of(const char *decimal, unsigned by)
{
    unsigned r = 0;
    for (; *decimal; decimal++)
        r = (r * 10 + (unsigned)(*decimal - '0')) % by;
    return r;
}

/* Of 97 pairs of check digits one holds: 98 - (number with 00) mod 97. */
static void random_accounts(void **unused)
{
    (void)unused;
    for (int run = 0; run < 300; run++) {
        char bban[19], decimal[64], text[32];
        draw_digits(bban, 18);
        snprintf(decimal, sizeof decimal, "%s131400", bban); // d is 13, e 14
        unsigned check = 98 - rest_of(decimal, 97), other = 2 + draw(97);
        snprintf(text, sizeof text, "de%02u%s", check, bban);
        expect(text, "[iban]");
        snprintf(text, sizeof text, "de%02u%s", other, bban);
        expect(text, other == check ? "[iban]" : text);
    }
}

static bool is_steuer_id(const char *d)
{
    int twice = 0, thrice = 0;
    for (char c = '0'; c <= '9'; c++) {
        int n = 0;
        for (int k = 0; k < 10; k++)
            n += d[k] == c;
        if (n > 3) return false;
        twice += n == 2;
        thrice += n == 3;
    }
    int p = 10;
    for (int k = 0; k < 10; k++) {
        int m = (d[k] - '0' + p) % 10;
        if (m == 0) m = 10;
        p = 2 * m % 11;
    }
    int check = 11 - p;
    return d[0] != '0' && twice + thrice == 1 && d[10] - '0' == (check == 10 ? 0 : check);
}
static bool is_pesel(const char *d)
{
    static const int w[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
    static const int days[] = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int sum = 0, month = ((d[2] - '0') * 10 + d[3] - '0') % 20,
        day = (d[4] - '0') * 10 + d[5] - '0';
    for (int k = 0; k < 10; k++)
        sum += w[k] * (d[k] - '0');
    if (month < 1 || month > 12 || day < 1 || day > days[month]) return false;
    return (10 - sum % 10) % 10 == d[10] - '0';
}

static void random_identifiers(void **unused)
{
    (void)unused;
    int found = 0;
    for (int run = 0; run < 20000; run++) {
        char d[20];
        draw_digits(d, 11);
        if (draw(2)) { // something like a date
            d[2] = (char)('0' + draw(2) + 2 * draw(2));
            d[4] = (char)('0' + draw(4));
        }
        if (draw(2)) d[3] = d[2];
        bool is = is_steuer_id(d) || is_pesel(d);
        found += is;
        expect(d, is ? "[id]" : d);
    }
    assert_true(found > 200);
    for (int run = 0; run < 500; run++) {
        char d[20], text[32];
        draw_digits(d, 8);
        char letter = "TRWAGMYFPDXBNJZSQVHLCKE"[strtoul(d, NULL, 10) % 23] | 0x20,
             other = (char)('a' + draw(26));
        snprintf(text, sizeof text, "%s%c", d, other);
        expect(text, other == letter ? "[id]" : text);
        snprintf(text, sizeof text, "%s%c", d, letter);
        expect(text, "[id]");
    }
    for (int run = 0; run < 500; run++) { // 13 digits, and 97 less their rest
        char d[20], text[32];
        draw_digits(d, 13);
        d[0] = draw(2) ? '1' : '2';
        d[3] = '0';
        d[4] = (char)('1' + draw(9));
        unsigned key = 97 - rest_of(d, 97), other = 1 + draw(97);
        snprintf(text, sizeof text, "%s%02u", d, key);
        expect(text, "[id]");
        snprintf(text, sizeof text, "%s%02u", d, other);
        expect(text, other == key ? "[id]" : text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bank_accounts),   cmocka_unit_test(identifiers),
        cmocka_unit_test(dates_of_birth),  cmocka_unit_test(number_plates),
        cmocka_unit_test(random_accounts), cmocka_unit_test(random_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
