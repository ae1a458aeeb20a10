/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h - the profile of a log, and the measures of what a release is still worth. */
#ifndef LETHE_MEASURE_MEASURE_H
#define LETHE_MEASURE_MEASURE_H
#include "lexicon/wordnet/wordnet.h"
#include "measure/spread.h"
#include "model/data.h"
#include "text/pii/pii.h"

/* The figures of `lethe profile`, as members of `out`, with `histograms` for the terminal. */
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
    uint64_t clicks;    /* rows with a URL */
    uint64_t urls;      /* distinct */
    uint64_t terms;     /* distinct terms of queries: what spaces part; 0 unless asked for */
    uint64_t all_terms; /* terms of all queries */
    uint64_t words; /* words of all queries (words.h), masks aside; 0 unless nouns are asked for */
    uint64_t nouns; /* of these, WordNet's nouns, plurals too; function words are none */
    uint64_t pii[LETHE_PII_LIST]; /* queries in whose text a detector finds this kind */
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

/* What findings of a kind look like, with letters and digits hidden: the shortest forms, then the
 * least in order of bytes. */
#define LETHE_N_EXAMPLES 3
#define LETHE_EXAMPLE_MAX 192
typedef struct lethe_examples {
    size_t n;
    struct {
        size_t n;
        char text[LETHE_EXAMPLE_MAX];
    } at[LETHE_N_EXAMPLES];
} lethe_examples;

/* Over users. */
typedef struct lethe_profile_users {
    lethe_spread_summary rows, texts, clicks, days;
} lethe_profile_users;

/* What is wanted beyond counts of rows, texts and users. */
typedef struct lethe_profile_asked {
    bool terms;                    /* distinct ones */
    bool pii;                      /* personal data in texts */
    const lethe_wordnet *nouns;    /* NULL: nouns are not counted */
    lethe_profile_users *per_user; /* NULL: not wanted */
    lethe_examples *examples;      /* LETHE_PII_LIST of them, one per kind; NULL: not wanted */
} lethe_profile_asked;

/* The figures of `lethe profile` of records that are not bound to a taxonomy.  Of those whom no
 * item alone singles out, as many as take `most` steps are drawn at random, the same in each run.
 */
LETHE_MUST_CHECK lethe_err lethe_profile_records(lethe_ctx *ctx, const lethe_records *in,
                                                 uint64_t most, lethe_json_doc *doc,
                                                 lethe_json *out);
#define LETHE_PROFILE_WORK (UINT64_C(1) << 29) /* a second or two */
enum {
    LETHE_SINGLED_MAX = 3,        /* items that single a person out */
    LETHE_PROFILE_MASKS = 1 << 22 /* words of memory for the person at hand; more: not decided */
};

/* Walks `log` once and counts, within the context's memory whatever the log's size. */
LETHE_MUST_CHECK lethe_err lethe_profile_count(lethe_ctx *ctx, lethe_log *log,
                                               const lethe_profile_asked *asked,
                                               lethe_profile *out);

/* Figures that several measures have, as members of `out`: two counts and their share, 0 of
 * nothing; a ratio, null of nothing; mean, median, minimum and maximum. */
void lethe_measure_set_size(lethe_json_doc *doc, lethe_json *out, const char *name,
                            uint64_t original, uint64_t published);
void lethe_measure_set_ratio(lethe_json_doc *doc, lethe_json *out, const char *name, double part,
                             uint64_t all);
void lethe_measure_set_spread(lethe_json_doc *doc, lethe_json *out, const char *name,
                              lethe_spread_summary s);
/* Buckets up to the last that holds something; the one for 0 only if it does. */
void lethe_measure_set_histogram(lethe_json_doc *doc, lethe_json *out, const char *name,
                                 const uint64_t counts[LETHE_N_BUCKETS]);
/* One more text of the array `left_out`: a figure that could not be computed, and why. */
LETHE_PRINTF(3, 4)
void lethe_measure_left_out(lethe_json_doc *doc, lethe_json *out, const char *fmt, ...);

extern const lethe_measure lethe_measure_class;
extern const lethe_measure lethe_measure_columns;
extern const lethe_measure lethe_measure_log_sizes;
extern const lethe_measure lethe_measure_sessions;
extern const lethe_measure lethe_measure_counts;
extern const lethe_measure lethe_measure_patterns;
extern const lethe_measure lethe_measure_records;
extern const lethe_measure lethe_measure_scale;
extern const lethe_measure lethe_measure_table;

#endif
