/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - the search log: rows, where they come from, and how they are walked.
 *
 * A log is not an array: it may be larger than memory.  It is walked, in parallel, and what must be
 * brought together (a query's users, a user's queries) goes through the sorter as packed rows. */
#ifndef LETHE_MODEL_LOG_LOG_H
#define LETHE_MODEL_LOG_LOG_H
#include "model/reading.h"
#include "core/ctx.h"
#include "core/mem.h"
#include "model/log/time.h"

#define LETHE_NO_RANK UINT32_MAX

/* One line of a log.  Views; valid during the callback.  None holds a tab, CR, LF or NUL, but for a
 * tab before the id of an object and those between kept values; the query is normalised and not
 * empty; all are valid UTF-8. */
typedef struct lethe_row {
    uint64_t origin; /* which input line: counted from 0 over all inputs, the header not counted */
    lethe_str owner; /* the person: the user as read, even where `user` was changed since */
    lethe_str user;
    lethe_str query;
    lethe_str url;  /* empty: no click */
    int64_t time;   /* LETHE_NO_TIME: none */
    uint32_t rank;  /* LETHE_NO_RANK: none */
    lethe_str kept; /* values of the kept columns, a tab between two; empty: there are none */
} lethe_row;

/* Takes the first of the kept values, with the tab behind it, off `rest`: what is left. */
static inline lethe_str lethe_kept_next(lethe_str *rest)
{
    const char *tab = rest->n ? memchr(rest->at, '\t', rest->n) : NULL;
    lethe_str value = {rest->at, tab ? (size_t)(tab - rest->at) : rest->n};
    size_t taken = value.n + (tab != NULL);
    *rest = (lethe_str){tab ? tab + 1 : rest->at, rest->n - taken};
    return value;
}

/* --- further columns: log_keep.c --- */

/* "device,country,7"; NULL: none.  Names are views of `text`.  LETHE_EUSAGE: what
 * lethe_keep_check() refuses. */
LETHE_MUST_CHECK lethe_err lethe_keep_parse(lethe_diag *d, const char *text, lethe_keep *out);
/* May data.tsv have such columns?  LETHE_EUSAGE with a message: more than LETHE_KEEP_MAX, a name
 * that is empty, over LETHE_KEEP_NAME_MAX bytes, no UTF-8, has spaces at its ends, a comma or a
 * control character, or is one of the five, and two columns with one name. */
LETHE_MUST_CHECK lethe_err lethe_keep_check(lethe_diag *d, const lethe_keep *k);
/* The number of a column that is asked for so; 0: it is a name. */
uint32_t lethe_keep_number(lethe_str asked);
/* The name under which column i is published: `column7` for number 7.  In `buf`, or a view. */
lethe_str lethe_keep_name(const lethe_keep *k, size_t i, char buf[LETHE_KEEP_NAME_MAX]);
/* Are these the columns under which `asked` is published?  `asked` may be NULL: none. */
bool lethe_keep_is(const lethe_keep *asked, const lethe_keep *published);

/* A clicked object need not be a URL (User Behavior Insights): `url` is then its id behind a tab,
 * which no field of an input can hold, and in which no host is found. */
#define LETHE_OBJECT_SIGN "\t"
static inline bool lethe_is_object(lethe_str url) { return url.n > 0 && url.at[0] == '\t'; }
static inline lethe_str lethe_object_id(lethe_str object)
{
    return (lethe_str){object.at + 1, object.n - 1};
}

/* What became of the lines.  lines = rows + empty + rejected. */
typedef struct lethe_read_counts {
    uint64_t lines;                /* without headers */
    uint64_t rows;                 /* handed on, or left out by users-with */
    uint64_t empty;                /* without a query */
    uint64_t rejected;             /* did not parse */
    uint64_t filtered;             /* of rows: left out by users-with */
    uint64_t clicks, ranks, times; /* of rows: those that have one */
    uint64_t invalid_utf8;         /* lines with bytes replaced by U+FFFD */
    uint64_t bytes;                /* decompressed */
    /* In the first rows of each file, whatever the number of threads: words, and English ones. */
    uint64_t sampled_words, english_words;
} lethe_read_counts;

/* Notes that most words of the log are not English, as far as its first rows tell, where English
 * words decide something (lethe_ctx_english). */
void lethe_log_note_language(lethe_ctx *ctx, const lethe_read_counts *c);

/* Is this a list of names as lethe_read_options.actions takes it? */
bool lethe_log_actions_fit(const char *text);

/* An option among these that only makes sense for logs; NULL: there is none. */
const char *lethe_option_of_logs(const lethe_read_options *r);

typedef struct lethe_log lethe_log;

/* A log in files ("-": standard input), read one after the other as one log.  The files are opened
 * and their formats settled when walked.  The strings are copied. */
LETHE_MUST_CHECK lethe_err lethe_log_files(lethe_ctx *ctx, const char *const *paths, size_t n,
                                           const lethe_read_options *reading, lethe_log **out);
/* Do the first bytes of a file (`whole`: they are all there is) look like a log?  Not so where they
 * are lines of at least two fields whose header names no user and no query, and no time of day
 * stands where AOL has it: such a file is a table.  What `reading` says of a log makes it one.
 * `headed`: it is CSV with commas and a header.
 * LETHE_ENOMEM, without a message. */
LETHE_MUST_CHECK lethe_err lethe_log_recognise(const lethe_read_options *reading, lethe_str text,
                                               bool whole, bool headed, bool *is_log);
/* A published log (data.tsv of a release): header and five tab-separated columns, or further ones
 * behind them, times of any unit or none, lines in order of their bytes.  Strict: any line that
 * does not parse, or stands out of order, is LETHE_EINPUT.  `name` in folder `dirfd`, links not
 * followed. */
LETHE_MUST_CHECK lethe_err lethe_log_published(lethe_ctx *ctx, int dirfd, const char *name,
                                               lethe_log **out);
/* How coarse the rows of a published log are, as its manifest states. */
typedef enum lethe_url_form {
    LETHE_URL_HOST,
    LETHE_URL_ID,
    LETHE_URL_ANY,
    LETHE_URL_NONE
} lethe_url_form;
typedef struct lethe_log_form {
    bool any_user; /* else pseudonyms */
    lethe_time_unit times;
    lethe_url_form urls;
    bool object_ids; /* beside hosts, which then have a dot, identifiers of objects that are no URLs
                      */
    const lethe_keep *keep; /* the further columns, as they were asked for; NULL: none.  Borrowed */
} lethe_log_form;
/* What of a clicked URL will tell it from others where URLs are published in this form; empty:
 * nothing is published.  In `buf`, or a view of `url`.  LETHE_ENOMEM is not said. */
LETHE_MUST_CHECK lethe_err lethe_click_shown(lethe_str url, lethe_url_form form, lethe_buf *buf,
                                             lethe_str *out);
/* From now on a published row that is finer than that is refused like one that does not parse, and
 * so are other further columns.  NULL: no check. The form is borrowed. */
void lethe_log_expect(lethe_log *log, const lethe_log_form *form);
/* The further columns that a published log has.  Borrowed from the log. */
const lethe_keep *lethe_log_keeps(const lethe_log *log);

/* Which column of a published row, open or sealed, is finer than a form says. */
typedef enum lethe_finer {
    LETHE_FINER_NONE,
    LETHE_FINER_USER, /* no pseudonym */
    LETHE_FINER_TIME,
    LETHE_FINER_URL,
    LETHE_FINER_RANK, /* of a click that is left out */
} lethe_finer;
/* Of several the first in that order.  `time` as it is written. */
lethe_finer lethe_log_form_finer(const lethe_log_form *form, lethe_str user, lethe_str time,
                                 lethe_str url, bool has_rank);
extern const char *const lethe_finer_causes[]; /* NULL for LETHE_FINER_NONE */

/* A pseudonym of a user or URL: this many of these digits. */
#define LETHE_PSEUDONYM_CHARS 16
#define LETHE_PSEUDONYM_DIGITS "abcdefghijklmnopqrstuvwxyz234567"
bool lethe_is_pseudonym(lethe_str s); /* has it that form? */
/* A host that is published beside identifiers: with a dot or a bracket, which they do not have. */
bool lethe_is_dotted_host(lethe_str host);

/* From memory, for tests and fuzzing. */
LETHE_MUST_CHECK lethe_err lethe_log_memory(lethe_ctx *ctx, lethe_str bytes,
                                            const lethe_read_options *reading, lethe_log **out);

/* A log that is filled by a step and then walked by the next; in memory up to `cap_bytes`, then on
 * disk. */
LETHE_MUST_CHECK lethe_err lethe_log_store(lethe_ctx *ctx, uint64_t cap_bytes, lethe_log **out);
LETHE_MUST_CHECK lethe_err lethe_log_append(lethe_log *log, unsigned w, const lethe_row *row);

void lethe_log_free(lethe_log *log); /* NULL is fine */

/* Called on worker w.  Rows of one block come in order; blocks go to any worker.  `block`: rising
 * numbers from 0. */
typedef struct lethe_row_visitor {
    lethe_err (*row)(void *arg, unsigned w, const lethe_row *row);
    lethe_err (*end_of_block)(void *arg, unsigned w,
                              uint64_t block); /* NULL: not wanted.  Called for every block number,
                                                  so that output can be put in order */
    void *arg;
} lethe_row_visitor;

/* Walks all rows once.  A log from standard input can be walked once only (LETHE_EUSAGE).  Messages
 * about rejected lines go to the context's diag: file, line, column (from 1; 0: the whole line),
 * cause; the first three of a kind in a file, then how many more; at the end of each file, and in
 * the first walk only.  After the walk: LETHE_EINPUT if more than a tenth of all lines were
 * rejected, or in one file all, or a file had no line (or none but a header), or with `strict` at
 * the first rejected line (the lowest one).  Where the visitor fails, the failure in the lowest
 * block is returned, for any number of threads. A line whose fields, normalised, come to more than
 * 1 MiB less 128 bytes is rejected too: published, it could not be read back. With users-with the
 * rows come once all has been read, sorted by origin; blocks are then the sorter's.
 *
 * So they do for User Behavior Insights, whose queries and clicks are joined over all files.  There
 * a line, as counted, is a row or a rejected document; bulk actions, events that are no clicks, and
 * documents that repeat a query or its click are none (a note gives their number).  A row's origin
 * is the line of its first click, or of its query where that has none.  Rejected lines are
 * reported when all files are joined, and `strict` refers to the lowest line of all of them. */
LETHE_MUST_CHECK lethe_err lethe_log_walk(lethe_ctx *ctx, lethe_log *log,
                                          const lethe_row_visitor *visitor);

/* Of the last walk. */
const lethe_read_counts *lethe_log_counts(const lethe_log *log);

/* --- packed rows, for the sorter --- */

/* The first part is the key in LETHE_ORDER_GROUP, the rest orders inside the group:
 *   BY_QUERY  query NUL owner NUL user' time origin rank [kept NUL] url
 *   BY_USER   user  NUL owner' time query NUL origin rank [kept NUL] url
 * (a prime: written only where it differs from owner or user; kept: where there is any). */
typedef enum lethe_packing { LETHE_BY_QUERY, LETHE_BY_USER } lethe_packing;
LETHE_MUST_CHECK lethe_err lethe_row_pack(const lethe_row *row, lethe_packing packing,
                                          lethe_buf *buf); /* replaces buf */
void lethe_row_unpack(lethe_str record, lethe_packing packing,
                      lethe_row *row); /* views of record */

/* Under a key of the caller's own, without NUL; rows of one key stand together by query, those of
 * one query as BY_QUERY has them:
 *   key NUL query' owner NUL user' time origin rank [kept NUL] url
 * (a prime: written only where it differs from key or owner).  Two records have key and query in
 * common where all before the owner is the same. */
LETHE_MUST_CHECK lethe_err lethe_row_pack_keyed(const lethe_row *row, lethe_str key,
                                                lethe_buf *buf);               /* replaces buf */
void lethe_row_unpack_keyed(lethe_str record, lethe_str *key, lethe_row *row); /* views of record */

#endif
