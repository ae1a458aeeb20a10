/* SPDX-License-Identifier: Apache-2.0 */
/* fitting.h - who can be in which of several overlapping groups, for an adversary who knows
 * everybody and counts.
 *
 * If no more persons fit a group than it has rows, they are all in it, and in no other; and where
 * no row was deleted, a group that is full of those who fit no other has room for nobody else. This
 * is applied again and again until nothing changes.  Counting several groups together could rule
 * out more. */
#ifndef LETHE_ATTACK_FITTING_H
#define LETHE_ATTACK_FITTING_H
#include "core/dict.h"

/* Persons with the same values are one tuple. */
typedef struct lethe_fitting {
    uint32_t n_tuples, n_groups;
    const uint64_t *persons; /* by tuple */
    const uint64_t *first;   /* by tuple: the groups that it fits begin here in `fit`; */
    const uint32_t *n_fits;  /* so many */
    const uint32_t *fit;
    size_t n_fit;
    const uint32_t *size; /* by group: rows */
    bool all_are_in;      /* no row was deleted */
} lethe_fitting;

/* By place in `fit`, in `a`: is the group ruled out?  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_fitting_rule_out(const lethe_fitting *f, lethe_arena *a,
                                                  bool **out);

#endif
