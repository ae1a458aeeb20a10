/* SPDX-License-Identifier: Apache-2.0 */
/* time.h - times of queries: seconds since 1970 in UTC, from the forms logs use. */
#ifndef LETHE_MODEL_LOG_TIME_H
#define LETHE_MODEL_LOG_TIME_H
#include "core/base.h"

#define LETHE_NO_TIME INT64_MIN /* the log says none */

/* The forms that tell themselves: `YYYY-MM-DD HH:MM:SS`, ISO 8601 (T or space; fractions, cut off;
 * Z, UTC, GMT or an offset as +02, +0200, +02:00; date alone, with hour, or with hour and minute;
 * YYYY-MM, the first of the month),
 * the same with / or . for the dashes, DD.MM.YYYY with or without a time, AM or PM after any time;
 * YYYYMMDD, YYYYMMDDHHMMSS, seconds or milliseconds since 1970, yymmddHHMMSS (yy 70-99: 19yy, else
 * 20yy).  ISO's basic form has its T (20060301T160120Z).  Of numbers, up to 11 digits are seconds,
 * 13 and more milliseconds (rounded down), both with a '-' before 1970; exactly 8 must be a date of
 * 1900 to 2099, exactly 12 a valid yymmddHHMMSS, or cannot be told and are refused.  Years 0001 to
 * 9999; impossible dates are refused; second 60 is read as 59.  No space at either end.
 * false: no such form, or out of range, and *out is untouched. */
bool lethe_time_parse(lethe_str s, int64_t *out);

/* DD/MM/YYYY or MM/DD/YYYY, also with dashes: one value alone may not tell. */
typedef enum lethe_date_order {
    LETHE_DATE_UNKNOWN, /* such dates are refused */
    LETHE_DATE_DAY_FIRST,
    LETHE_DATE_MONTH_FIRST
} lethe_date_order;

/* How the times of a column are written. */
typedef struct lethe_time_style {
    const char *format; /* conversions of strptime, and nothing else is read; NULL: the forms above,
                         * and what `order` says */
    lethe_date_order order;
} lethe_time_style;
bool lethe_time_read(const lethe_time_style *how, lethe_str s, int64_t *out);
/* A date, but in the other order than the column's? */
bool lethe_time_contradicts(const lethe_time_style *how, lethe_str s);
/* Is it a time, in the one order or the other where that is not known? */
bool lethe_time_possible(const lethe_time_style *how, lethe_str s);

/* What is wrong with a format, as a message; NULL: nothing.  A space stands for one and more;
 * numbers have one or two digits, %Y four; names are English, whatever the locale. */
const char *lethe_time_format_fault(const char *format);

/* What the dates of a column say of their order. */
typedef struct lethe_date_evidence {
    uint64_t n;                  /* dates that need it */
    bool day_first, month_first; /* the first that can be read in one way only is read so */
    bool dotted;                 /* there are dates as DD.MM.YYYY */
} lethe_date_evidence;
static inline bool lethe_date_untold(const lethe_date_evidence *e)
{
    return !e->day_first && !e->month_first;
}
void lethe_date_look(lethe_date_evidence *e, lethe_str s);

/* The form of a value, without its content: digits as 9, letters as x.  Cut off at the end. */
enum { LETHE_TIME_SHAPE = 40 };
size_t lethe_time_shape(lethe_str s, char out[LETHE_TIME_SHAPE]);
extern const char lethe_time_forms[]; /* which forms are read, for messages */

typedef enum lethe_time_unit {
    LETHE_TIME_DAY,
    LETHE_TIME_HOUR,
    LETHE_TIME_EXACT,
    LETHE_TIME_DROP,
    LETHE_TIME_WEEK, /* of ISO 8601, which begins on Monday */
    LETHE_TIME_MONTH
} lethe_time_unit;
int64_t lethe_time_cut(int64_t t, lethe_time_unit unit); /* rounded down; LETHE_NO_TIME for DROP */
/* `YYYY-MM-DD HH:MM:SS`, `YYYY-MM-DD HH`, `YYYY-MM-DD` (of a week the Monday), `YYYY-MM` or
 * nothing, NUL-ended; returns the length (at most 19).  Nothing too for LETHE_NO_TIME and for what
 * lies outside the years 0001 to 9999. */
size_t lethe_time_format(int64_t t, lethe_time_unit unit, char out[20]);

/* Is `s` a time as lethe_time_format writes it, in whatever unit, or empty (*out: LETHE_NO_TIME)?
 */
bool lethe_time_as_written(lethe_str s, int64_t *out);
int64_t lethe_time_day(int64_t t); /* days since 1970, rounded down */

/* How fine the times of a log are.  Rows without a time do not count. */
typedef struct lethe_time_grain {
    uint64_t n;                                          /* times */
    bool under_month, under_week, under_day, under_hour; /* is one no whole month, week ..? */
} lethe_time_grain;
void lethe_time_grain_day(lethe_time_grain *g, int64_t t); /* months and weeks of a whole day */
static inline void lethe_time_grain_add(lethe_time_grain *g, int64_t t)
{
    if (t == LETHE_NO_TIME) return;
    g->n++;
    g->under_day = g->under_day || t % 86400 != 0;
    g->under_hour = g->under_hour || t % 3600 != 0;
    if (!g->under_day) lethe_time_grain_day(g, t);
}
void lethe_time_grain_join(lethe_time_grain *to, const lethe_time_grain *from);
/* Are the times too coarse for pauses of gap_s to be seen in them?  "months", "weeks", "days" or
 * "hours", which all of them are, or NULL.  One time has no pause. */
const char *lethe_time_grain_coarse(const lethe_time_grain *g, int64_t gap_s);

#endif
