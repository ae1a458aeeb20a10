/* SPDX-License-Identifier: Apache-2.0 */
/* time.h - times of queries: seconds since 1970 in UTC, from the forms logs use. */
#ifndef LETHE_MODEL_LOG_TIME_H
#define LETHE_MODEL_LOG_TIME_H
#include "core/base.h"

#define LETHE_NO_TIME INT64_MIN /* the log says none */

/* `YYYY-MM-DD HH:MM:SS`, ISO 8601 (T or space; fractions, cut off; Z or an offset; date alone, with
 * hour, or with hour and minute), seconds or milliseconds since 1970, yymmddHHMMSS (yy 70-99: 19yy,
 * else 20yy).  ISO's basic form only with its T (20060301T160120Z); offsets as +02, +0200, +02:00.
 * Of numbers, up to 11 digits are seconds, 13 and more milliseconds (rounded down), both with a '-'
 * before 1970; exactly 12 must be a valid yymmddHHMMSS, or cannot be told and are refused, and so
 * are 14 that look like yyyymmddHHMMSS.  Years
 * 0001 to 9999; impossible dates are refused; second 60 is read as 59.  No space at either end.
 * false: no such form, or out of range, and *out is untouched. */
bool lethe_time_parse(lethe_str s, int64_t *out);

typedef enum lethe_time_unit {
    LETHE_TIME_DAY,
    LETHE_TIME_HOUR,
    LETHE_TIME_EXACT,
    LETHE_TIME_DROP
} lethe_time_unit;
int64_t lethe_time_cut(int64_t t, lethe_time_unit unit); /* rounded down; LETHE_NO_TIME for DROP */
/* `YYYY-MM-DD HH:MM:SS`, `YYYY-MM-DD HH`, `YYYY-MM-DD` or nothing, NUL-ended; returns the length
 * (at most 19).  Nothing too for LETHE_NO_TIME and for what lies outside the years 0001 to 9999. */
size_t lethe_time_format(int64_t t, lethe_time_unit unit, char out[20]);

/* Is `s` a time as lethe_time_format writes it, in whatever unit, or empty (*out: LETHE_NO_TIME)?
 */
bool lethe_time_as_written(lethe_str s, int64_t *out);
int64_t lethe_time_day(int64_t t); /* days since 1970, rounded down */

/* How fine the times of a log are.  Rows without a time do not count. */
typedef struct lethe_time_grain {
    uint64_t n;                 /* times */
    bool under_day, under_hour; /* is one no whole day, no whole hour? */
} lethe_time_grain;
static inline void lethe_time_grain_add(lethe_time_grain *g, int64_t t)
{
    if (t == LETHE_NO_TIME) return;
    g->n++;
    g->under_day = g->under_day || t % 86400 != 0;
    g->under_hour = g->under_hour || t % 3600 != 0;
}
void lethe_time_grain_join(lethe_time_grain *to, const lethe_time_grain *from);
/* Are the times too coarse for pauses of gap_s to be seen in them?  "days" or "hours", which all
 * of them are, or NULL.  One time has no pause. */
const char *lethe_time_grain_coarse(const lethe_time_grain *g, int64_t gap_s);

#endif
