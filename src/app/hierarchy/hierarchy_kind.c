/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_kind.c - what a column looks like: dates, codes, numbers, or neither. */
#include "app/hierarchy/hierarchy.h"
#include "model/table/decimals.h"

/* Are all values numbers, however their decimals are written? */
static bool are_numbers(const lethe_column_values *c)
{
    for (size_t i = 0; i < c->n; i++) {
        // one at a time: whether they mix points and commas, the ranges will say
        lethe_decimals decimals = {0};
        char text[LETHE_NUMBER_TEXT];
        lethe_str plain;
        lethe_number x;
        bool both = lethe_decimals_take(&decimals, 1, c->at[i], text, &plain) != LETHE_DECIMALS_OK;
        if (!both && !lethe_number_parse(plain, &x)) return false;
    }
    return c->n > 0;
}

/* Numbers of one length are codes if one begins with a zero, which no number needs. */
static bool has_leading_zero(const lethe_column_values *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].n > 1 && c->at[i].at[0] == '0' && c->at[i].at[1] != '.') return true;
    return false;
}

/* Does the column's name say that it holds codes?  Letters without regard to case. */
static bool is_named_code(lethe_str name)
{
    static const char *const words[] = {"zip", "postal", "postcode", "plz", "code"};
    for (size_t w = 0; w < LETHE_COUNT(words); w++) {
        size_t n = strlen(words[w]);
        for (size_t at = 0; at + n <= name.n; at++) {
            size_t k = 0;
            while (k < n && (name.at[at + k] | 0x20) == words[w][k])
                k++;
            if (k == n) return true;
        }
    }
    return false;
}

lethe_hierarchy_kind lethe_kind_guess(const lethe_column_values *c)
{
    bool numbers = are_numbers(c);
    if (lethe_values_are_dates(c)) return LETHE_HIERARCHY_DATES;
    if (lethe_values_are_codes(c) && (!numbers || has_leading_zero(c) || is_named_code(c->name)))
        return LETHE_HIERARCHY_CODES;
    return numbers ? LETHE_HIERARCHY_NUMBERS : LETHE_HIERARCHY_FLAT;
}
