/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_dates.c - dates: days, months, years and decades.  Written 2006-03-04, 2006/03/04,
 * 4.3.2006 or, where the values show which is the day, 3/4/2006; perhaps with a time behind. */
#include "app/hierarchy/hierarchy.h"
#include <stdlib.h>

/* `3/4/2006` is March or April, by where it comes from. */
typedef enum slash_order { DAY_FIRST, MONTH_FIRST, UNKNOWN_ORDER } slash_order;

typedef struct date {
    unsigned year, month, day; /* day 0: a month */
    bool has_time;
    lethe_str text;
} date;

/* Digits from `*at` on, at most `most` of them; how many there are. */
static size_t digits_take(lethe_str s, size_t *at, size_t most, unsigned *out)
{
    size_t from = *at;
    for (*out = 0; *at < s.n && *at - from < most && s.at[*at] >= '0' && s.at[*at] <= '9'; ++*at)
        *out = 10 * *out + (unsigned)(s.at[*at] - '0');
    return *at - from;
}

/* "T10:11", " 10:11:12.5Z": digits, colons and what else a time has. */
static bool is_time(lethe_str s)
{
    static const char fine[] = "0123456789:.,+-Z ";
    if (s.n < 4 || (s.at[0] != ' ' && s.at[0] != 'T')) return false;
    if (!memchr(s.at, ':', s.n)) return false;
    for (size_t i = 1; i < s.n; i++)
        if (!memchr(fine, s.at[i], sizeof fine - 1)) return false;
    return true;
}

static bool is_valid(const date *d)
{
    static const unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = d->year % 4 == 0 && (d->year % 100 != 0 || d->year % 400 == 0);
    if (d->month < 1 || d->month > 12 || d->day > days[d->month - 1]) return false;
    return d->month != 2 || d->day < 29 || leap;
}

/* What stands first: a year of four digits, or a day or month. */
static bool date_parse(lethe_str s, slash_order order, date *out)
{
    date d = {.text = s};
    unsigned first, second = 0, third = 0;
    size_t at = 0, n_first = digits_take(s, &at, 4, &first);
    char mark = at < s.n ? s.at[at] : '\0';
    if (n_first == 0 || !mark || !strchr("-/.", mark)) return false;
    at++;
    size_t n_second = digits_take(s, &at, 2, &second);
    if (n_second == 0) return false;
    bool has_third = at < s.n && s.at[at] == mark;
    if (has_third) at++;
    size_t n_third = has_third ? digits_take(s, &at, 4, &third) : 0;
    lethe_str rest = {s.at + at, s.n - at};
    d.has_time = rest.n > 0;
    if (rest.n > 0 && !is_time(rest)) return false;
    if (n_first == 4 && mark != '.') { // 2006-03-04, or 2006-03
        if (has_third ? n_third == 0 || n_third > 2 || third == 0 : d.has_time) return false;
        d.year = first, d.month = second, d.day = third;
    } else { // 4.3.2006, 3/4/2006
        bool month_first = mark == '/' && order == MONTH_FIRST;
        if (n_first > 2 || n_third != 4 || mark == '-') return false;
        if (mark == '/' && order == UNKNOWN_ORDER) return false;
        d.year = third;
        d.month = month_first ? first : second;
        d.day = month_first ? second : first;
        if (d.day == 0) return false;
    }
    if (!is_valid(&d)) return false;
    *out = d;
    return true;
}

/* The only order in which all values are dates; where both would do, neither is known. */
static slash_order order_of(const lethe_column_values *c)
{
    bool fits[2] = {true, true};
    date d;
    for (size_t i = 0; i < c->n && (fits[DAY_FIRST] || fits[MONTH_FIRST]); i++)
        for (int order = DAY_FIRST; order <= MONTH_FIRST; order++)
            fits[order] = fits[order] && date_parse(c->at[i], (slash_order)order, &d);
    if (fits[DAY_FIRST] == fits[MONTH_FIRST]) return UNKNOWN_ORDER;
    return fits[DAY_FIRST] ? DAY_FIRST : MONTH_FIRST;
}

bool lethe_values_are_dates(const lethe_column_values *c)
{
    slash_order order = order_of(c);
    date d;
    for (size_t i = 0; i < c->n; i++)
        if (!date_parse(c->at[i], order, &d)) return false;
    return c->n > 0;
}

static int by_date(const void *a, const void *b)
{
    const date *x = a, *y = b;
    if (x->year != y->year) return x->year < y->year ? -1 : 1;
    if (x->month != y->month) return x->month < y->month ? -1 : 1;
    if (x->day != y->day) return x->day < y->day ? -1 : 1;
    return lethe_str_cmp(x->text, y->text);
}

/* Is the value a date in either order, but the column does not show in which? */
static bool is_unclear(lethe_str value)
{
    date d;
    return date_parse(value, DAY_FIRST, &d) && date_parse(value, MONTH_FIRST, &d);
}

static lethe_err dates_take(const lethe_column_values *c, date *at, bool *times)
{
    slash_order order = order_of(c);
    *times = false;
    for (size_t i = 0; i < c->n; i++) {
        if (!date_parse(c->at[i], order, &at[i]))
            return lethe_value_fail(c, i,
                                    is_unclear(c->at[i])
                                        ? "may begin with the day or with the month: write "
                                          "YEAR-MONTH-DAY"
                                        : "is not a date such as 2006-03-04");
        *times = *times || at[i].has_time;
    }
    qsort(at, c->n, sizeof *at, by_date);
    return LETHE_OK;
}

lethe_err lethe_ladders_dates(const lethe_column_values *c, lethe_ladders *out)
{
    bool times;
    date *at = lethe_new(c->arena, date, c->n);
    if (!at) return lethe_no_memory(c->ctx);
    LETHE_TRY(dates_take(c, at, &times));
    LETHE_TRY(lethe_ladders_new(c, c->n, times ? 4 : 3, out));
    for (size_t i = 0; i < c->n; i++) {
        const date *d = &at[i];
        lethe_str *label = &out->label[i * out->n_levels];
        out->leaf[i] = d->text;
        if (times && d->day)
            *label++ = lethe_ladders_text(c, "%04u-%02u-%02u", d->year, d->month, d->day);
        else if (times)
            *label++ = lethe_ladders_text(c, "%04u-%02u", d->year, d->month);
        label[0] = lethe_ladders_text(c, "%04u-%02u", d->year, d->month);
        label[1] = lethe_ladders_text(c, "%04u", d->year);
        label[2] = lethe_ladders_text(c, "%04u-%04u", d->year / 10 * 10, d->year / 10 * 10 + 9);
        for (size_t k = 0; k < out->n_levels; k++)
            if (!out->label[i * out->n_levels + k].at) return lethe_no_memory(c->ctx);
    }
    out->told = times ? "dates with times; days, months, years and decades"
                      : "dates; months, years and decades";
    return LETHE_OK;
}
