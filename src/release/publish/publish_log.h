/* SPDX-License-Identifier: Apache-2.0 */
/* publish_log.h - rows of a log become coarse lines with pseudonyms, sorted by their bytes. */
#ifndef LETHE_RELEASE_PUBLISH_PUBLISH_LOG_H
#define LETHE_RELEASE_PUBLISH_PUBLISH_LOG_H
#include "release/release.h"

/* The public enumeration and the model's are the same one under two names: they are cast. */
_Static_assert((int)LETHE_TIMES_EXACT == (int)LETHE_TIME_EXACT &&
                   (int)LETHE_TIMES_HOUR == (int)LETHE_TIME_HOUR &&
                   (int)LETHE_TIMES_DAY == (int)LETHE_TIME_DAY &&
                   (int)LETHE_TIMES_DROP == (int)LETHE_TIME_DROP &&
                   (int)LETHE_TIMES_WEEK == (int)LETHE_TIME_WEEK &&
                   (int)LETHE_TIMES_MONTH == (int)LETHE_TIME_MONTH,
               "one order of units");

typedef struct lethe_log_publisher lethe_log_publisher;

/* How lines begin, and which columns they have. */
typedef struct lethe_line_layout {
    /* The first lines of the file, ended by NUL. */
    char head[LETHE_HEAD_MAX + LETHE_KEEP_MAX * (LETHE_KEEP_NAME_MAX + 1)];
    bool clicks; /* are there ranks and URLs? */
    bool piped;  /* lines go to standard output, not into a file */
} lethe_line_layout;
/* As the last step's method wants it. */
lethe_line_layout lethe_line_layout_of(const lethe_step *last);
/* Adds the names of kept columns to the header. */
void lethe_line_layout_keep(lethe_line_layout *layout, const lethe_keep *keep);

/* Pseudonyms of users and URLs, each under a key that is derived for it from that of the release.
 */
#define LETHE_USER_KEY "user"
#define LETHE_URL_KEY "url"
void lethe_pseudonym_make(const lethe_secret *key, lethe_str s, char out[LETHE_PSEUDONYM_CHARS]);

/* `key` keys pseudonyms; `cap_bytes` is for the sorter of lines.  *out: a lethe_log_publisher. */
LETHE_MUST_CHECK lethe_err lethe_log_publisher_new(lethe_ctx *ctx, const lethe_publish_options *how,
                                                   const lethe_line_layout *layout,
                                                   const lethe_secret *key, uint64_t cap_bytes,
                                                   void **out);
void lethe_log_publisher_free(void *publisher); /* NULL is fine */
/* The folder into which data.tsv is written, from which ubi.ndjson is made. */
void lethe_log_publisher_folder(void *publisher, int dirfd);
LETHE_MUST_CHECK lethe_err lethe_log_publisher_row(lethe_log_publisher *p, unsigned w,
                                                   const lethe_row *row);
/* Appends the line, with its LF, to `line`, instead of putting it among those to be sorted. */
LETHE_MUST_CHECK lethe_err lethe_log_publisher_line(lethe_log_publisher *p, unsigned w,
                                                    const lethe_row *row, lethe_buf *line);
/* Once, when all rows are in and before anything below is asked. */
LETHE_MUST_CHECK lethe_err lethe_log_publisher_finish(void *publisher);
/* What a reader may expect of rows that are published so.  `how` is borrowed. */
lethe_log_form lethe_form_of(const lethe_publish_options *how);
/* Rows, and how many of them have a click, a rank, a time, and an identifier of an object. */
typedef struct lethe_published_columns {
    uint64_t rows, clicks, ranks, times, object_ids;
} lethe_published_columns;
lethe_published_columns lethe_log_publisher_columns(const lethe_log_publisher *p);
uint64_t lethe_log_publisher_rows(const lethe_log_publisher *p); /* published so far */
/* URLs left out because their host could not be told. */
uint64_t lethe_log_publisher_uncut(const lethe_log_publisher *p);
/* Header and sorted lines, into a new file or, with layout.piped, onto any sink. */
LETHE_MUST_CHECK lethe_err lethe_log_publisher_data(void *publisher, lethe_sink *to);
/* What data.tsv holds, once it is in the folder, as documents of User Behavior Insights. */
LETHE_MUST_CHECK lethe_err lethe_log_publisher_ubi(void *publisher, lethe_sink *to);
/* `original TAB published` lines, sorted, each once; needs how->map. */
LETHE_MUST_CHECK lethe_err lethe_log_publisher_map(void *publisher, lethe_sink *to);

#endif
