/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - persons drawn from records, and what the adversary knows of each: items that they
 * have, and items that others have and they lack. */
#ifndef LETHE_ATTACK_SAMPLE_H
#define LETHE_ATTACK_SAMPLE_H
#include "core/mem.h"
#include "model/records/records.h"

typedef struct lethe_sampled_person {
    uint32_t owner;
    size_t first, n;                  /* their records: `record` of the sample, from `first` on */
    const uint32_t *present, *absent; /* nodes, ascending and distinct */
    size_t n_present, n_absent;
} lethe_sampled_person;

typedef struct lethe_person_sample {
    lethe_sampled_person *person;
    size_t n;
    uint64_t n_eligible; /* of so many who can be drawn */
    size_t *record;
} lethe_person_sample;

typedef struct lethe_person_sample_options {
    uint64_t seed;
    uint32_t n_nodes;    /* of the tree that the records are bound to */
    uint32_t n_public;   /* nodes below it are public, the others sensitive */
    const bool *unknown; /* by node: counts as not public either; NULL: none */
    size_t persons;      /* the most to draw */
    uint64_t present, absent;
    uint64_t sensitive; /* sensitive items that are known, too */
} lethe_person_sample_options;

/* Draws up to `persons` persons, uniformly from those who have a public item.  For each, draws up
 * to `present` different public items of one of their records, and up to `absent` public items that
 * some record has and none of theirs has, uniformly whatever their frequency.  With `sensitive`
 * only records count that have a sensitive item as well, and up to so many of these are drawn, too;
 * they come last in `present`.  Depends on the seed and the records alone.  The result lives in
 * `a`.  LETHE_ENOMEM comes without a message. */
LETHE_MUST_CHECK lethe_err lethe_person_sample_draw(const lethe_records *r,
                                                    const lethe_person_sample_options *by,
                                                    lethe_arena *a, lethe_person_sample *out);

#endif
