/* SPDX-License-Identifier: Apache-2.0 */
/* log_internal.h - the parts of the log that its own files share: which column is where, how a
 * block becomes rows, what was rejected, the store. */
#ifndef LETHE_MODEL_LOG_LOG_INTERNAL_H
#define LETHE_MODEL_LOG_LOG_INTERNAL_H
#include <pthread.h>
#include "io/read/blocks.h"
#include "io/json/json.h"
#include "model/log/log.h"
#include "model/log/rejects.h"

/* --- layout: log_layout.c --- */

typedef enum lethe_log_column {
    LETHE_COL_USER,
    LETHE_COL_QUERY,
    LETHE_COL_TIME,
    LETHE_COL_RANK,
    LETHE_COL_URL,
    LETHE_COLS
} lethe_log_column;

#define LETHE_ABSENT UINT32_MAX
#define LETHE_POSITION_MAX 4096
#define LETHE_NAMES_MAX 64

/* What --columns says of one column: a position from 1, or a name; neither: not mentioned. */
typedef struct lethe_choice {
    uint32_t position;
    const char *name;
} lethe_choice;
typedef struct lethe_log_columns {
    bool given;
    lethe_choice at[LETHE_COLS];
} lethe_log_columns;

/* "user=1,time=2,query=q".  `text` NULL: not given.  Names live in `a`.  LETHE_EUSAGE: an unknown
 * or repeated key, a position of 0 or past 4096, one column for two keys. */
LETHE_MUST_CHECK lethe_err lethe_log_columns_parse(lethe_diag *d, lethe_arena *a, const char *text,
                                                   lethe_log_columns *out);

typedef enum lethe_layout_kind {
    LETHE_LAYOUT_TSV,
    LETHE_LAYOUT_CSV,
    LETHE_LAYOUT_JSONL,
    LETHE_LAYOUT_UBI,       /* JSON Lines too, but of documents that are still to be joined */
    LETHE_LAYOUT_PUBLISHED, /* what lethe itself writes, byte for byte */
} lethe_layout_kind;

/* How one file is read. */
typedef struct lethe_layout {
    lethe_layout_kind kind;
    char delimiter;
    bool headed; /* the first line is a header, whatever is in it */
    bool has_time;
    lethe_time_style times;   /* how they are written */
    bool time_may_lack;       /* an empty one is no time: what lethe writes with --time drop */
    uint32_t at[LETHE_COLS];  /* TSV, CSV: the field's index, or LETHE_ABSENT */
    uint32_t n_least, n_most; /* fields that a line must have, and may */
    bool answer;              /* UBI: it is an answer to a search, not lines */
    uint64_t header_lines;    /* physical lines of the header; 0: none */
    uint32_t n_keep;          /* further columns that are read */
    uint32_t
        keep_at[LETHE_KEEP_MAX]; /* TSV, CSV: the field's index; JSON Lines: that of its name */
    const char *const *names; /* JSON: what to pick; for JSON Lines a column's alternatives side by
                               * side */
    size_t n_names;
    size_t first_name[LETHE_COLS + 1]; /* column c has the names first_name[c]..first_name[c+1]-1 */
} lethe_layout;

/* Settles the layout from the first bytes (as lethe_blocks_peek gives them, without a byte order
 * mark) of a file called `name`; `whole`: they are all there is. With `quiet` nothing is noted.
 * `headed`: it is CSV, with commas unless `reading` says otherwise, and its first line is a header
 * whatever is in it.
 * LETHE_EINPUT: a column named by --columns is not in the header; LETHE_EUSAGE: positions for JSON
 * Lines. */
LETHE_MUST_CHECK lethe_err lethe_layout_settle(lethe_diag *d, lethe_arena *a, const char *name,
                                               const lethe_read_options *reading,
                                               const lethe_log_columns *columns, lethe_str first,
                                               bool whole, bool headed, bool quiet,
                                               lethe_layout *out);

/* --- further columns: log_keep.c --- */

/* Reads what follows the five names in the header of a published log, each name behind a tab;
 * false: there cannot be such columns.  Names are views. */
bool lethe_keep_header(lethe_str tail, lethe_keep *out);
bool lethe_same_letters(lethe_str a, lethe_str b); /* but for the case of ASCII letters */

/* --- blocks to rows: log_read.c --- */

/* A time as published, and what it says: cut times are few and come again and again. */
typedef struct lethe_known_time {
    int64_t time;
    uint8_t n; /* 0: none */
    char text[19];
} lethe_known_time;
enum { LETHE_KNOWN_TIMES = 64 };

/* --- the order of published lines --- */

/* What a worker has seen of the block at hand. */
typedef struct lethe_order_seen {
    bool has_last;
    lethe_str first, last;
} lethe_order_seen;

/* The next line of the block at hand; does it come after the one before it? */
bool lethe_order_line(lethe_order_seen *o, lethe_str line);

/* The first or last line of a block, waiting for its neighbour. */
typedef struct lethe_block_edge {
    uint64_t block;
    bool is_first;
    lethe_buf line;
} lethe_block_edge;

typedef struct lethe_block_edges {
    pthread_mutex_t lock;
    lethe_block_edge *at; /* in no order: there are never many */
    size_t n, cap;
    bool in_order; /* as far as has been seen */
} lethe_block_edges;
void lethe_block_edges_begin(lethe_block_edges *e);
void lethe_block_edges_end(lethe_block_edges *e);
/* The block at hand ends; its lines are held against those of its neighbours.  From any thread. */
LETHE_MUST_CHECK lethe_err lethe_block_edges_add(lethe_block_edges *e, lethe_order_seen *o,
                                                 uint64_t block);

/* --- actions of User Behavior Insights: log_ubi_actions.c --- */

enum {
    LETHE_UBI_ACTIONS_MAX = 16, /* that may be asked for */
    LETHE_UBI_NAMES = 24,       /* that are counted one by one */
    LETHE_UBI_NAME_BYTES = 40,  /* of a name that is shown */
    LETHE_UBI_SHOWN = 640,      /* of a message that lists them */
};

/* Those that count as clicks; none: all but impressions. */
typedef struct lethe_ubi_actions {
    lethe_str at[LETHE_UBI_ACTIONS_MAX];
    size_t n;
} lethe_ubi_actions;

/* How often an action occurs, and how many of its events are no clicks. */
typedef struct lethe_ubi_action {
    uint64_t n, left;
    uint8_t n_name;
    char name[LETHE_UBI_NAME_BYTES];
} lethe_ubi_action;

/* What has been seen of a file of User Behavior Insights, by one worker or by all. */
typedef struct lethe_ubi_seen {
    uint64_t documents;                      /* queries and events */
    uint64_t events;                         /* of these */
    uint64_t others;                         /* of these: no clicks */
    uint64_t unranked;                       /* clicks whose position is no rank */
    uint64_t last_action;                    /* its last line that is a bulk action; 0: none */
    uint64_t asked[LETHE_UBI_ACTIONS_MAX];   /* events of each action that is asked for */
    lethe_ubi_action names[LETHE_UBI_NAMES]; /* the least by bytes of those that may be shown */
    size_t n_names;
} lethe_ubi_seen;

/* "click,purchase"; NULL: none are asked for.  Names are views.  LETHE_EUSAGE: an empty or repeated
 * name, or too many. */
LETHE_MUST_CHECK lethe_err lethe_ubi_actions_parse(lethe_diag *d, const char *text,
                                                   lethe_ubi_actions *out);
/* Which of those asked for it is; `n`: none. */
size_t lethe_ubi_action_asked(const lethe_ubi_actions *asked, lethe_str name);
bool lethe_ubi_action_counts(const lethe_ubi_actions *asked, lethe_str name);
/* There is an event of that name; left: it is no click. */
void lethe_ubi_action_note(lethe_ubi_seen *s, const lethe_ubi_actions *asked, lethe_str name,
                           bool left);
void lethe_ubi_seen_add(lethe_ubi_seen *to, const lethe_ubi_seen *from);
/* "add_to_cart 3, click 17, others 2": all events, or those that are `left` out. */
void lethe_ubi_actions_show(const lethe_ubi_seen *s, bool left, char out[LETHE_UBI_SHOWN]);
/* Warns of an action that is asked for and does not occur, with those that do.  LETHE_EINPUT: none
 * of them occurs, so that all clicks would be lost. */
LETHE_MUST_CHECK lethe_err lethe_ubi_actions_check(lethe_diag *d, const lethe_ubi_actions *asked,
                                                   const lethe_ubi_seen *s, bool quiet);

/* One worker's place to work. */
typedef struct lethe_reader {
    lethe_read_counts counts;
    lethe_ubi_seen ubi;
    lethe_block block;
    lethe_buf query, user, url, scratch;
    lethe_buf kept, value; /* kept values of the row, and one of them */
    lethe_str *fields;
    uint32_t n_fields;
    lethe_json_picker *picker;
    lethe_rejects rejects;
    lethe_known_time known[LETHE_KNOWN_TIMES];
    lethe_order_seen order;
    uint64_t last_line;    /* of the file, physical, as far as this worker saw */
    uint64_t n_blocks;     /* one more than the highest block it saw */
    lethe_err err;         /* what ended its work */
    uint64_t err_block;    /* and where: the lowest block decides */
    bool err_is_rejection; /* strict: a rejected line did */
    uint8_t apart[64];     /* so that no two workers count in one cache line */
} lethe_reader;

/* Readies a reader for a file of this layout. */
LETHE_MUST_CHECK lethe_err lethe_reader_begin(lethe_reader *r, const lethe_layout *layout);
void lethe_reader_free(lethe_reader *r);

typedef struct lethe_ubi lethe_ubi;
typedef struct lethe_log_read_job {
    const lethe_layout *layout;
    const lethe_row_visitor *visitor;
    const lethe_log_form *form;       /* PUBLISHED; NULL: any */
    lethe_block_edges *edges;         /* PUBLISHED; NULL: lines may stand in any order */
    lethe_ubi *ubi;                   /* UBI: takes the documents in */
    const lethe_ubi_actions *actions; /* UBI */
    const char *null_texts;           /* as lethe_read_options has them; NULL: none */
    lethe_date_evidence *dates; /* only looks at the times, and hands no row on; NULL: reads */
    uint64_t origin_base;       /* origin of the file's first line */
    bool strict;                /* a rejected line ends the work */
} lethe_log_read_job;

/* Hands the rows of r->block to the visitor.  Strict: LETHE_EINPUT at a rejected line, which is
 * then in r->rejects, and r->err_is_rejection set.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_reader_block(lethe_reader *r, const lethe_log_read_job *job,
                                              unsigned w);

/* What is being read: a line, or a CSV record of several. */
typedef struct lethe_log_place {
    lethe_reader *r;
    const lethe_log_read_job *job;
    unsigned w;
    uint64_t line;
    uint64_t n_lines; /* what it counts for if it is rejected */
    lethe_str raw;
    lethe_str kept;      /* values of the row */
    bool kept_broken;    /* not all of them were UTF-8 */
    lethe_str pseudonym; /* the last user found to be one: sorted rows have it again and again */
} lethe_log_place;

/* A line that is counted already is rejected.  Strict: LETHE_EINPUT. */
LETHE_MUST_CHECK lethe_err lethe_log_place_reject(lethe_log_place *p, uint32_t column,
                                                  const char *cause);
/* The same for a time that was not understood: the message shows its form. */
LETHE_MUST_CHECK lethe_err lethe_log_place_reject_time(lethe_log_place *p, uint32_t column,
                                                       lethe_str time);

/* A published line holds a pseudonym and a full time where the line read may have had less; with
 * this much to spare it can still be read back. */
#define LETHE_SPARE_BYTES 128
extern const char lethe_cause_empty[], lethe_cause_too_long[], lethe_cause_long[],
    lethe_cause_no_time[], lethe_cause_bad_time[], lethe_cause_other_order[];
/* User, query, URL and kept values, as they would be published, are too much for one line. */
bool lethe_row_too_long(const lethe_row *row);

lethe_str lethe_field_trim(lethe_str s);           /* without the spaces at its ends */
const char *lethe_field_forbidden(lethe_str s);    /* what no field may hold; NULL: nothing */
bool lethe_field_rank(lethe_str s, uint32_t *out); /* an empty one is none */

/* --- User Behavior Insights: log_ubi_read.c, log_ubi.c --- */

/* Are the first bytes those of a file of User Behavior Insights: of a bulk file or elasticdump's,
 * by the index that its first line names, or (*answer) of the answer to a search, whatever was
 * searched, since it is nothing else that could be read? */
LETHE_MUST_CHECK lethe_err lethe_ubi_recognise(lethe_str first, bool *is, bool *answer);
void lethe_ubi_layout(lethe_layout *l, bool answer);

/* The line at hand: a document goes to job->ubi, anything else is left out or rejected. */
LETHE_MUST_CHECK lethe_err lethe_ubi_take(lethe_log_place *p);
/* It is rejected, and counted. */
LETHE_MUST_CHECK lethe_err lethe_ubi_refuse(lethe_log_place *p, uint32_t column, const char *cause);

/* --- answers to searches: log_ubi_hits.c --- */

/* Finds the hits in answers to searches, whose bytes come in pieces of any size. */
typedef struct lethe_ubi_hits lethe_ubi_hits;
typedef struct lethe_ubi_hit {
    lethe_str text; /* a JSON object; lives until the next call */
    uint64_t line;  /* of the file; of several on one line each counts as one more */
    bool too_long;  /* over LETHE_LINE_MAX; `text` is its beginning */
} lethe_ubi_hit;
typedef struct lethe_ubi_fault {
    const char *cause; /* static; NULL: none */
    uint64_t line;
} lethe_ubi_fault;
typedef struct lethe_ubi_answer {
    uint64_t hits, total; /* total: as many has the search found, as the answer says */
    bool partial;         /* it ran out of time, or some shards failed */
    uint64_t last_line;
} lethe_ubi_answer;
lethe_ubi_hits *lethe_ubi_hits_new(void); /* NULL: no memory */
void lethe_ubi_hits_free(lethe_ubi_hits *h);
/* Takes bytes from the front of `text` until there is a hit, or none are left.  fault->cause: that
 * is no such answer, and no more can be read.  Fails for lack of memory alone. */
LETHE_MUST_CHECK lethe_err lethe_ubi_hits_next(lethe_ubi_hits *h, lethe_str *text,
                                               lethe_ubi_hit *hit, bool *found,
                                               lethe_ubi_fault *fault);
bool lethe_ubi_hits_reached(const lethe_ubi_hits *h); /* the array of hits, in the last answer */
/* There are no more bytes. */
lethe_ubi_answer lethe_ubi_hits_end(const lethe_ubi_hits *h, lethe_ubi_fault *fault);

/* Takes documents in, in any order and from several files, joins clicks with their queries, and
 * hands the rows to the visitor.  With `any_order` that happens while they are joined, and no end
 * of a block is called. */
LETHE_MUST_CHECK lethe_err lethe_ubi_new(lethe_ctx *ctx, const lethe_row_visitor *visitor,
                                         bool any_order, lethe_ubi **out);
void lethe_ubi_free(lethe_ubi *u);

/* A query, or a click on what a query found.  All are views. */
typedef struct lethe_ubi_document {
    bool is_click;
    bool broken; /* it had bytes that are not UTF-8 */
    bool other;  /* no click by its name: it need not belong to a query */
    uint64_t origin;
    lethe_str id;    /* of the query */
    lethe_str user;  /* of a click: may be empty, nobody says then */
    lethe_str query; /* normalised; may be empty */
    int64_t time;    /* of a query */
    lethe_str url;   /* of a click */
    uint32_t rank;
} lethe_ubi_document;
LETHE_MUST_CHECK lethe_err lethe_ubi_put(lethe_ubi *u, unsigned w, const lethe_ubi_document *doc);

/* A file has been read: its lines began at origin `base`; what of them was rejected is taken over.
 * Files end in order of their bases. */
LETHE_MUST_CHECK lethe_err lethe_ubi_file_end(lethe_ubi *u, const char *name, uint64_t base,
                                              const lethe_ubi_seen *seen, lethe_rejects *rejects);
/* All files have been read: joins, adds what came of it to `counts`, and says what was rejected and
 * left out, unless `quiet`.  Strict: LETHE_EINPUT at the lowest rejected line.  LETHE_EINPUT: no
 * event has one of the `actions` that are asked for. */
LETHE_MUST_CHECK lethe_err lethe_ubi_join(lethe_ubi *u, const lethe_ubi_actions *actions,
                                          bool strict, bool quiet, lethe_read_counts *counts);
/* Then: the rows, by origin, unless `any_order`. */
LETHE_MUST_CHECK lethe_err lethe_ubi_walk(lethe_ubi *u);

/* --- files of a release: log.c --- */

/* Do the stored bytes begin so?  By these and not by a source, which would decompress them and take
 * a byte order mark off.  LETHE_EINPUT with `fault` at line 1: they do not. */
LETHE_MUST_CHECK lethe_err lethe_stored_begins(lethe_diag *d, lethe_stored *stored,
                                               lethe_str begins, const char *fault);

/* --- rows by origin: log_origin.c --- */

/* Takes rows in, in any order, and hands them to a visitor in the order of their origin: parts take
 * the place of blocks. */
typedef struct lethe_by_origin lethe_by_origin;
LETHE_MUST_CHECK lethe_err lethe_by_origin_new(lethe_ctx *ctx, uint64_t cap_bytes,
                                               lethe_by_origin **out);
void lethe_by_origin_free(lethe_by_origin *b); /* NULL is fine */
/* `packed`: the row, as LETHE_BY_USER. */
LETHE_MUST_CHECK lethe_err lethe_by_origin_put(lethe_by_origin *b, unsigned w, uint64_t origin,
                                               lethe_str packed);
LETHE_MUST_CHECK lethe_err lethe_by_origin_walk(lethe_by_origin *b,
                                                const lethe_row_visitor *visitor);

/* --- the store: log_store.c --- */

typedef struct lethe_store lethe_store;
LETHE_MUST_CHECK lethe_err lethe_store_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_store **out);
void lethe_store_free(lethe_store *s);
LETHE_MUST_CHECK lethe_err lethe_store_append(lethe_store *s, unsigned w, const lethe_row *row);
LETHE_MUST_CHECK lethe_err lethe_store_walk(lethe_store *s, const lethe_row_visitor *visitor);
uint64_t lethe_store_rows(const lethe_store *s);
uint64_t lethe_store_bytes(const lethe_store *s);
uint64_t lethe_store_spilled(const lethe_store *s); /* bytes on disk */

/* --- users by their clicked queries: log_users.c --- */

/* Takes rows in, in any order, and hands those of the users asked for to the visitor, in the order
 * of their origin: parts take the place of blocks. */
typedef struct lethe_users_filter lethe_users_filter;
LETHE_MUST_CHECK lethe_err lethe_users_filter_new(lethe_ctx *ctx, uint64_t min, uint64_t max,
                                                  lethe_users_filter **out);
void lethe_users_filter_free(lethe_users_filter *f);
LETHE_MUST_CHECK lethe_err lethe_users_filter_put(lethe_users_filter *f, unsigned w,
                                                  const lethe_row *row);
LETHE_MUST_CHECK lethe_err lethe_users_filter_walk(lethe_users_filter *f,
                                                   const lethe_row_visitor *visitor,
                                                   uint64_t *filtered);

#endif
