/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary.h - vocabularies of similar meaning in groups of k.
 *
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * section 5.4, Algorithm 5.1 (SSG), with what it leaves open settled:
 *
 *   1. Vocabularies are sorted by size, those of one size in input order.
 *   2. The first that is left begins a group; the nearest to the group's centre joins it, ties to
 * the first in order, until the group has k; the centre is elected anew each time (hyper.h).  So on
 *      while k are left.
 *   3. Each that is left, in order, joins the group with the nearest centre, ties to the one made
 *      first; its centre is elected anew at once.
 *
 * k counts persons.  Where a person has several vocabularies: a group is full at k persons, and the
 * next nearest of another person joins it; no more groups are made than possible
 * (lethe_clump_most_groups); one that cannot be filled is dissolved, and its members are left for
 * step 3.  (Nothing after it can be filled either: all that is left then belongs to its own
 * persons.)
 *
 * The nearest is found by vocabulary_search.h: the result is that of a full scan. */
#ifndef LETHE_METHOD_CLUSTER_SSG_VOCABULARY_H
#define LETHE_METHOD_CLUSTER_SSG_VOCABULARY_H
#include "method/cluster/ssg/hyper.h"
#include "model/records/records.h"

typedef struct lethe_ssg_options {
    const lethe_records *records; /* items are terms that the meaning knows; fewer than 2^32 - 1 */
    lethe_hyper_matcher matcher;
    bool each;       /* every record is a person */
    bool by_members; /* step 2 measures distances to all members, not to the centre: the thesis'
                        second way to have a centre, section 5.4.2 */
    uint64_t k;      /* at least 1, at most the persons there are */
} lethe_ssg_options;

typedef struct lethe_ssg_groups {
    uint32_t n;
    uint32_t *group;    /* of each record */
    uint32_t *first;    /* of each group, and one more: where its records begin in `member` */
    uint32_t *member;   /* records by group, in the order in which they joined */
    lethe_hyper *hyper; /* of each group */
    uint64_t pairs;     /* of a vocabulary and a centre that were matched to find the nearest */
    uint64_t pairs_all; /* that a full scan would have matched */
} lethe_ssg_groups;

/* The terms of the records: ascending, distinct.  To be freed (lethe_free).  LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ssg_terms(const lethe_records *r, uint32_t **out, size_t *n);

/* The same for any number of threads, pairs too.  LETHE_ENOMEM; LETHE_EINPUT where two vocabularies
 * are too large to be matched (LETHE_HYPER_PAIRS_MAX); both with a message.  LETHE_ECANCEL.
 * Progress: phase "clusters", one unit per record. */
LETHE_MUST_CHECK lethe_err lethe_ssg_run(lethe_ctx *ctx, const lethe_ssg_options *how,
                                         lethe_ssg_groups *out);
void lethe_ssg_groups_free(lethe_ssg_groups *g); /* a zeroed one is fine */

#endif
