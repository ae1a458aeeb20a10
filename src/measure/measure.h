/* measure.h - what is in a log, and what a release is still worth. */
#ifndef LETHE_MEASURE_MEASURE_H
#define LETHE_MEASURE_MEASURE_H
#include "measure/spread.h"
#include "model/data.h"

/* The figures of `lethe profile`, as members of `out`: DESIGN's names, and `histograms` for the
 * page in the terminal. */
LETHE_MUST_CHECK lethe_err lethe_profile_measure(lethe_ctx *ctx, lethe_log *log,
                                                 lethe_json_doc *doc, lethe_json *out);

/* How many of something that has a query text: texts themselves, queries (lines of one user with
 * the same text and time are one), rows. */
typedef struct lethe_text_counts {
    uint64_t texts, queries, rows;
} lethe_text_counts;

#define LETHE_N_SURVIVAL 8
extern const uint64_t lethe_survival_t[LETHE_N_SURVIVAL]; /* 1, 2, 3, 5, 10, 20, 50, 100 */

/* A log in numbers.  Sums only, each a uint64_t: what two workers counted is added up. */
typedef struct lethe_profile {
    uint64_t clicks; /* rows with a URL */
    uint64_t urls;   /* distinct */
    uint64_t terms;  /* distinct words of queries; 0 unless asked for */
    uint64_t words;  /* words of all queries */
    uint64_t users;
    uint64_t users_alone;  /* users with a text that nobody else issued */
    uint64_t texts_once;   /* texts of one query */
    uint64_t texts_le3;    /* texts of at most three queries */
    uint64_t queries_of_2; /* queries whose text has at least two queries */
    uint64_t queries_of_4; /* queries whose text has at least four */
    lethe_text_counts
        with[LETHE_N_SURVIVAL]; /* by users of the text: at least lethe_survival_t[i] */
    uint64_t texts_by_users[LETHE_N_BUCKETS];
    uint64_t texts_by_queries[LETHE_N_BUCKETS];
    uint64_t users_by_queries[LETHE_N_BUCKETS]; /* distinct texts of a user */
    uint64_t users_by_clicks[LETHE_N_BUCKETS];  /* distinct URLs of a user */
} lethe_profile;

/* Over users. */
typedef struct lethe_profile_users {
    lethe_spread_summary rows, texts, clicks, days;
} lethe_profile_users;

/* Walks `log` once and counts, within the context's memory whatever the log's size.  `terms`: the
 * distinct words too.  `per_user` may be NULL. */
LETHE_MUST_CHECK lethe_err lethe_profile_count(lethe_ctx *ctx, lethe_log *log, bool terms,
                                               lethe_profile *out, lethe_profile_users *per_user);

extern const lethe_measure lethe_measure_log_sizes;

#endif
