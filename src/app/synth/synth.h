/* SPDX-License-Identifier: Apache-2.0 */
/* synth.h - a search log of people who do not exist, shaped like AOL's of 2006.
 *
 * Users have a few interests (parts of WordNet), repeat themselves, misspell, click on hosts that
 * belong to topics, issue head queries that everybody issues, and come back in sessions over three
 * months.  Some carry a planted identity (model/truth.h).  What user u does follows from the seed
 * and u alone, so that users are made on all cores and written in their order, in constant memory
 * however many they are.  There are two versions: texts of the first are random nouns, those of
 * the second could have been typed by somebody. */
#ifndef LETHE_APP_SYNTH_SYNTH_H
#define LETHE_APP_SYNTH_SYNTH_H
#include "core/rng.h"
#include "io/write/sink.h"
#include "lexicon/wordnet/wordnet.h"
#include "model/knowledge/truth.h"

typedef struct lethe_synth {
    unsigned version; /* of the generator: 1 or 2 */
    uint64_t n_users;
    double queries_per_user;    /* mean, over users, 1 to 10,000; who is planted has room for all
                                   clues, so that a log of very few queries a user has some more */
    const lethe_secret *random; /* all choices: lethe_rng_stream(random, "synth-...", index) */
} lethe_synth;

typedef struct lethe_synth_counts {
    uint64_t rows, queries;
    uint64_t planted[LETHE_N_PLANTS];
} lethe_synth_counts;

/* Where it goes; NULL: not wanted. */
typedef struct lethe_synth_sinks {
    lethe_sink *log;     /* header and five columns, grouped by user, a user's rows by time */
    lethe_sink *truth;   /* the planted */
    lethe_sink *results; /* what the search engine answers to each text, by text; version 2 alone */
} lethe_synth_sinks;

/* Writes the log, which must be wanted, and the rest.  Nothing is committed.  The same bytes for
 * any number of threads; constant memory but for the results, which need all texts.  LETHE_EINPUT:
 * the dictionary is too small to have topics.  The generator is frozen:
 * tests/unit/app/synth/test_synth.c; what it models and what not: docs/synthetic.md. */
LETHE_MUST_CHECK lethe_err lethe_synth_write(lethe_ctx *ctx, const lethe_wordnet *wn,
                                             const lethe_synth *how, const lethe_synth_sinks *to,
                                             lethe_synth_counts *counts);

#endif
