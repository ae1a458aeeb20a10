/* SPDX-License-Identifier: Apache-2.0 */
/* homogeneity_internal.h - what a group tells of who is in it: the parts of homogeneity.c, one for
 * each kind of group. */
#ifndef LETHE_ATTACK_HOMOGENEITY_INTERNAL_H
#define LETHE_ATTACK_HOMOGENEITY_INTERNAL_H
#include "attack/attack.h"

/* Which of the items that all candidates show is named: the one that the release shows most often,
 * or least often.  Of equal ones each is as likely. */
enum { LETHE_NAMES_COMMON, LETHE_NAMES_RARE, LETHE_NAMES };

/* What is learned of a person, or the sum over several. */
typedef struct lethe_learned {
    double right[LETHE_NAMES]; /* the chance that the item named is the person's */
    double prior[LETHE_NAMES]; /* the share of all who have it */
    double certain; /* all candidates show an item, or all members of a group have it, and it is the
                       person's */
    double wrong;   /* all candidates show an item, and it is not */
} lethe_learned;

typedef struct lethe_homogeneity {
    uint64_t persons;
    bool by_items; /* the adversary knows items; else the group */
    lethe_learned before, after;
    double blind; /* the sum over persons of the chance of the commonest item of the release */
} lethe_homogeneity;

/* Adds `from`, of which there are so many, to `to`. */
static inline void lethe_learned_add(lethe_learned *to, const lethe_learned *from, double times)
{
    for (int i = 0; i < LETHE_NAMES; i++) {
        to->right[i] += from->right[i] * times;
        to->prior[i] += from->prior[i] * times;
    }
    to->certain += from->certain * times;
    to->wrong += from->wrong * times;
}

/* Records, of up to 1000 persons: records.c. */
LETHE_MUST_CHECK lethe_err lethe_homogeneity_records(lethe_comparison *c, lethe_homogeneity *out);
/* Published users who have the same texts: lists.c. */
LETHE_MUST_CHECK lethe_err lethe_homogeneity_lists(lethe_comparison *c, lethe_homogeneity *out);

#endif
