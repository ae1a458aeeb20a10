/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - the input of a method, in one of the shapes of data. */
#ifndef LETHE_MODEL_DATA_H
#define LETHE_MODEL_DATA_H
#include "core/rng.h"
#include "model/tables.h"
#include "model/log/log.h"
#include "model/records/records.h"
#include "model/table/table.h"

struct lethe_data {
    lethe_shape shape;
    lethe_log *log;               /* LETHE_SHAPE_LOG */
    const lethe_records *records; /* LETHE_SHAPE_RECORDS: items are leaves of `tree` */
    const lethe_tree *tree;
    const lethe_table *table; /* LETHE_SHAPE_TABLE */
};

/* What the rows of a published log show. */
enum { LETHE_SEES_TEXTS = 1, LETHE_SEES_USERS = 2, LETHE_SEES_DENSITY = 4, LETHE_SEES_VALUES = 8 };
typedef struct lethe_log_seen {
    unsigned what;         /* was counted: LETHE_SEES_...; and always the rows */
    uint64_t rows, clicks; /* rows; of these, with a URL */
    uint64_t hashed;       /* with a hash in place of the text, where the last step makes such */
    uint64_t texts;        /* distinct, without hashes */
    uint64_t users;        /* distinct */
    uint64_t queries;      /* distinct users, texts and times */
    uint64_t values;       /* distinct ones of each kept column: by `value-threshold` */
    double density;        /* share of the pairs of texts that have a URL in common */
} lethe_log_seen;

/* A release folder, open for reading: fixed names in `dirfd`, links not followed. */
struct lethe_published {
    lethe_ctx *ctx;
    int dirfd;
    lethe_shape shape;
    const struct lethe_published_table *table; /* a table that is no release, already read: it is
                                                  judged in place of data.csv, and has no
                                                  taxonomy.  NULL: the folder's */
    const lethe_log_form *form; /* how coarse a log, open or sealed, is said to be; NULL: nothing
                                   is said */
    const lethe_json *manifest; /* NULL while the release is being made */
    const lethe_json *claims;   /* all of them, whichever is checked; NULL: not known */
    const struct lethe_results *results; /* of --results; NULL: not given, or gone */
    bool results_gone;     /* the step read them from a pipe, which cannot be read again */
    lethe_json *undecided; /* an array: of each claim, how much of it could not be decided
                              ("undecided"), and why ("because"); NULL: not wanted */
    const char *because;   /* set by a checker that leaves something undecided: why, in words */
    lethe_json *figures;   /* an object: what a checker counted besides its answer, for
                              `metrics`; NULL: not wanted.  In the document of the check */
    lethe_log_seen seen;   /* of a log, what checkers counted on their way: it need not be read
                              once more for that.  Clicks: by `disconnected` */
    const struct lethe_population_table *population; /* of --population; NULL: not given */
    const char *needs;   /* set by a checker that says no only because it cannot decide without a
                            file that was not given: what is needed, in a sentence */
    const char *nothing; /* set by a checker where the files show that the claim promises nothing,
                            as lethe_notion.nothing says it of a claim alone */
    const uint32_t *leaves; /* by node of taxonomy.tsv of records, to be taken for what it says;
                               NULL: it is believed */
};

/* A release beside what it was made from. */
struct lethe_comparison {
    lethe_ctx *ctx;
    lethe_published *published;
    /* Sensitive items of records count as items that are published exactly: they are leaves of
     * `original.tree`, beside the taxonomy (lethe_records_unmark). */
    lethe_data original;
    const lethe_tree *taxonomy; /* it alone: its node v is v + 1 there; NULL: there are no such
                                   items, and `original.tree` is the taxonomy */
    lethe_log *log;             /* what `original.records` were made of; NULL: a file of records */
    lethe_records *terms;   /* the original's persons and their terms, as algo/person_terms.h has
                               them; NULL: not made yet, where there is a log.  The holder's */
    lethe_log *opened;      /* a sealed log's rows that can be opened; NULL: it is none */
    uint64_t n_sealed;      /* its users, with those of whom nothing can be opened */
    const char *map;        /* NULL: none */
    const char *map_digest; /* of the release's manifest.json, for the map's first line; NULL: it is
                               not compared */
    /* Of records behind a chain, whose map tells it (lethe_row_map_put); else NULL. */
    uint64_t *line; /* by original record: the published line, from 0; UINT64_MAX: none */
    bool *again;    /* by original record: does it stand there already? */
    bool own_names; /* a log's users are published under the names they have in the original */
    bool renamed;   /* a step gave a log's rows other users: a person may have several of them */
    const lethe_values *values;
    bool has_seed; /* else an adversary that draws a sample draws always the same */
    uint64_t seed;
};

/* Keyed hashes stand for some texts of a log where one of its claims says so ("rare": "hash"): #
 * and 32 hexadecimal digits. */
bool lethe_claims_allow_hashes(const lethe_json *claims);
bool lethe_is_text_hash(lethe_str text);
/* The hash of a class of texts, by what its texts have in common: their words under a key derived
 * for "words-hash", or, where each text is a class of its own, the text under one for "query-hash".
 * Without the key texts cannot be tried. */
#define LETHE_WORDS_HASH "words-hash"
#define LETHE_QUERY_HASH "query-hash"
enum { LETHE_TEXT_HASH_BYTES = 16, LETHE_TEXT_HASH_CHARS = 1 + 2 * LETHE_TEXT_HASH_BYTES };
void lethe_text_hash_make(const lethe_secret *key, lethe_str common,
                          char out[LETHE_TEXT_HASH_CHARS]);
/* Is one of the claims about the times of a user's rows (personas by day, gap or query)? */
bool lethe_claims_need_times(const lethe_json *claims);

#endif
