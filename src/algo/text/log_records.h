/* SPDX-License-Identifier: Apache-2.0 */
/* log_records.h - a log becomes records: the terms of one user's queries between pauses.
 * Liu, "Enhancing Utility in Privacy Preserving Data Publishing", 2010, Definition 5.1. */
#ifndef LETHE_ALGO_TEXT_LOG_RECORDS_H
#define LETHE_ALGO_TEXT_LOG_RECORDS_H
#include "lexicon/wordnet/wordnet.h"
#include "model/log/log.h"
#include "model/records/records.h"

#define LETHE_GAP_ALL INT64_MAX

typedef struct lethe_log_records_options {
    int64_t gap_s; /* a pause longer than this (>= 0) begins a new record; LETHE_GAP_ALL: one record
                      a user, whatever the times */
    bool coarse;   /* times may be coarser than that: days are then told apart, and hours */
    bool clicked;  /* queries without a click are left out, before pauses are looked at */
    bool distinct; /* one copy of each item in a record: the first */
    /* NULL: the words of queries as they stand (words.h; masks are no terms).
     * Else only nouns, reduced; and with `merge` replaced by lethe_wordnet_merged().  Function
     * words (text/function_words.h) are no nouns. */
    const lethe_wordnet *nouns;
    bool merge;
    /* With `nouns`: words that are terms though they are none; of function words, what they are
     * reduced to.  NULL: none. */
    const lethe_dict *also;
    bool no_hashes; /* a query that is a hash (lethe_is_text_hash) has no term */
    /* Wanted: which record each row went into.  Records without a term are then kept. */
    bool places;
} lethe_log_records_options;

/* Lines with the same user, query and time are one query; it is clicked if one of them has a URL.
 * A pause is the time from one (kept) query of a user to the next, also where one of them has no
 * term.  Queries without a time follow each other without a pause and make records of their own,
 * but with LETHE_GAP_ALL.  A record without any term is left out and counted.  Records stand in the
 * order in which a row of theirs is first seen in the input; the person is the row's owner.  Should
 * rows of one user have several owners, each owner's are taken as a user's of their own.  Items of
 * a record: in order of time, then of the queries' text, then as they stand there.  The same for
 * any number of threads and any memory: sorting goes through the sorter; the records are held in
 * memory.
 *
 * The records' counts: `read` and `rejected` are the log's lines.  LETHE_EINPUT: the times of all
 * rows are whole days or hours, and the gap is shorter. */
typedef struct lethe_log_records_result {
    uint64_t queries;        /* after merging clicks, before `clicked` */
    uint64_t unclicked;      /* queries left out by `clicked` */
    uint64_t terms;          /* kept, before `distinct` */
    uint64_t other_words;    /* words that are no terms */
    uint64_t empty;          /* records without a term: left out */
    lethe_row_places places; /* where wanted; to be freed (lethe_free) */
} lethe_log_records_result;
LETHE_MUST_CHECK lethe_err lethe_log_to_records(lethe_ctx *ctx, lethe_log *log,
                                                const lethe_log_records_options *how,
                                                lethe_log_records_result *counts,
                                                lethe_records **out);

#endif
