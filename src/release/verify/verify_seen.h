/* SPDX-License-Identifier: Apache-2.0 */
/* verify_seen.h - what the published files show, counted by the definitions of figures and apart
 * from the methods that set them. */
#ifndef LETHE_RELEASE_VERIFY_VERIFY_SEEN_H
#define LETHE_RELEASE_VERIFY_VERIFY_SEEN_H
#include "release/verify/verify_internal.h"

/* A log, open.  What is counted is decided by `wants` (LETHE_SEES_TEXTS and others): it takes time.
 */
LETHE_MUST_CHECK lethe_err lethe_log_see(lethe_verification *v, unsigned wants, bool hashes,
                                         lethe_log_seen *out);

/* Records.  Items of sensitive.txt count as items alone: they are outside the taxonomy. */
typedef struct lethe_records_seen {
    uint64_t records, distinct, empty;
    uint64_t fewest;       /* copies of a record that is not empty; UINT64_MAX: there is none */
    uint64_t items, exact; /* all; of these, sensitive */
    uint64_t generalized;  /* with several leaves of the taxonomy below them */
    uint64_t levels;       /* summed; the root's is 1 */
    double lm;             /* (leaves - 1) / (all leaves - 1), summed over items */
    double lm_min, lm_max; /* of an item */
    lethe_json *names;     /* of the items that are not sensitive, in order of bytes */
} lethe_records_seen;
LETHE_MUST_CHECK lethe_err lethe_records_see(lethe_verification *v, lethe_records_seen *out);

/* A table. */
typedef struct lethe_table_seen {
    uint64_t rows, groups, starred;
    uint64_t smallest; /* rows of a group */
    size_t n_qi;
    double lm;         /* (leaves - 1) / (all leaves - 1), summed over quasi-identifiers and rows;
                          of ranges of values, width / width of the root */
    double weighted;   /* the same, times the weights of the columns */
    double weights;    /* of all columns */
    double alike;      /* pairs of rows that look alike, each row with itself too */
    lethe_json *names; /* by quasi-identifier: its values, in order of bytes */
} lethe_table_seen;
LETHE_MUST_CHECK lethe_err lethe_table_see(lethe_verification *v, lethe_table_seen *out);

/* A copy of an array of texts, in order of bytes. */
LETHE_MUST_CHECK lethe_err lethe_texts_sorted(lethe_diag *d, lethe_json_doc *doc,
                                              const lethe_json *array, lethe_json **out);

#endif
