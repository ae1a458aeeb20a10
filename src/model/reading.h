/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - options for reading an input. */
#ifndef LETHE_MODEL_READING_H
#define LETHE_MODEL_READING_H
#include "lethe/base.h"

/* Input formats; lethe-log(5), lethe-records(5) and lethe-table(5) describe them. */
typedef enum lethe_format {
    LETHE_FORMAT_GUESS,   /* detect the format from the content */
    LETHE_FORMAT_AOL,     /* log: tab-separated, as AOL published it */
    LETHE_FORMAT_CSV,     /* log: CSV */
    LETHE_FORMAT_JSONL,   /* log: one JSON object per line */
    LETHE_FORMAT_UBI,     /* log: OpenSearch User Behavior Insights, queries joined with clicks */
    LETHE_FORMAT_RECORDS, /* records of items, for methods that accept them */
    LETHE_FORMAT_TABLE    /* a table with a header, for methods that accept one */
} lethe_format;

/* Further columns of a log, which are read and published beside the five (--keep): names, or
 * numbers from 1, in the order in which they are published.  Views. */
enum { LETHE_KEEP_MAX = 16, LETHE_KEEP_NAME_MAX = 100 };
typedef struct lethe_keep {
    size_t n;
    lethe_str at[LETHE_KEEP_MAX];
} lethe_keep;

/* The options --from, --delimiter, --columns, --time-format, --encoding, --actions, --users-with,
 * --null, --strict-input and --header.  All zero:
 * everything is detected, all users are kept, and lines that cannot be parsed are skipped and
 * counted. */
typedef struct lethe_read_options {
    lethe_format format;
    char delimiter; /* column separator; 0: detect */
    /* Which column holds which field, by number or name: "user=1,time=2,query=3,rank=4,url=5".
     * What is not named, and all of NULL: as the format or the header says.  Not used for UBI. */
    const char *columns;
    bool has_users_with; /* keep only users with this number of clicked queries: */
    uint64_t users_with_min, users_with_max;
    /* How times are written, with strptime's conversions ("%d.%m.%y %H:%M"); names are English.
     * NULL: detect.  Not used for UBI. */
    const char *time_format;
    /* The input's encoding, as iconv names it ("latin1", "utf-16"); NULL: UTF-8, or what the first
     * bytes suggest.  For logs, records and tables. */
    const char *encoding;
    /* Of User Behavior Insights: which actions of events count as clicks, separated by commas.
     * NULL: all but impressions. */
    const char *actions;
    /* Texts separated by commas, such as "NULL,\N": a field that is one of them, and nothing else,
     * is empty.  NULL: none.  For logs and tables. */
    const char *null_texts;
    bool strict; /* a line that cannot be parsed is an error */
    /* The lines are a part of an input that others read the rest of: what only all lines tell is
     * not asked of them.  Dates of which day and month cannot be told are refused, since another
     * part might tell otherwise, and without `encoding` they are UTF-8. */
    bool part;
    bool header; /* CSV whose first line names the columns, whatever is in it; else it is guessed */
    /* Of a log: lethe_row.kept holds the values of these columns.  NULL: none.  Borrowed.  Not for
     * UBI. */
    const lethe_keep *keep;
} lethe_read_options;

/* Parses a range of --users-with: "100-300", "100-" (no upper limit) or "5" (exactly).  Returns
 * false, and leaves *r unchanged, if it is malformed. */
bool lethe_users_with_parse(const char *s, lethe_read_options *r);
/* Is the field, but for spaces around it, one of these texts? */
bool lethe_null_text_is(const char *null_texts, lethe_str field);

#endif
