/* SPDX-License-Identifier: Apache-2.0 */
/* decimals.c - numbers with a decimal comma, as far as it is clear that it is one. */
#include "model/table/decimals.h"
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits and at most one minus, with points or commas among them: meant as a number. */
static bool is_numeric(lethe_str s)
{
    size_t digits = 0, at = s.n > 0 && s.at[0] == '-';
    for (; at < s.n; at++) {
        if (!is_digit(s.at[at]) && s.at[at] != '.' && s.at[at] != ',') return false;
        digits += is_digit(s.at[at]);
    }
    return digits > 0;
}

/* `1,234`: up to three digits, no zero first, and three after the comma. */
static bool is_like_thousands(lethe_str s, size_t comma)
{
    size_t first = s.at[0] == '-';
    return comma > first && comma - first <= 3 && s.at[first] != '0' && s.n - comma - 1 == 3;
}

lethe_decimals_seen lethe_decimals_take(lethe_decimals *d, uint64_t line, lethe_str value,
                                        char text[LETHE_NUMBER_TEXT], lethe_str *out)
{
    lethe_number x;
    const char *comma = value.n ? memchr(value.at, ',', value.n) : NULL,
               *point = value.n ? memchr(value.at, '.', value.n) : NULL;
    *out = value;
    if ((!comma && !point) || !is_numeric(value)) return LETHE_DECIMALS_OK;
    if (comma && point) return LETHE_DECIMALS_MIXED;
    if (point) {
        if (d->comma_line) return LETHE_DECIMALS_MIXED;
        if (!d->point_line && lethe_number_parse(value, &x)) d->point_line = line;
        return LETHE_DECIMALS_OK;
    }
    if (value.n >= LETHE_NUMBER_TEXT) return LETHE_DECIMALS_OK; // too long for a number
    memcpy(text, value.at, value.n);
    text[comma - value.at] = '.';
    lethe_str number = {text, value.n};
    if (!lethe_number_parse(number, &x)) return LETHE_DECIMALS_OK;
    if (d->point_line) return LETHE_DECIMALS_MIXED;
    if (!d->comma_line) {
        d->comma_line = line;
        memcpy(d->comma, value.at, value.n);
        d->comma[value.n] = '\0';
    }
    d->sure = d->sure || !is_like_thousands(value, (size_t)(comma - value.at));
    *out = number;
    return LETHE_DECIMALS_OK;
}

bool lethe_decimals_unclear(const lethe_decimals *d) { return d->comma_line && !d->sure; }
