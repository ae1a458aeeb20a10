/* SPDX-License-Identifier: Apache-2.0 */
/* srp.h - the semantic remain percentage: the share of users' interests that is left in what they
 * are published with.  A. Erola and others, "Semantic microaggregation for the anonymization of
 * query logs using the Open Directory Project", 2011, section 4.1, equation (4):
 *
 *   SRP_l(u) = sum over categories c of level l of min(orig(c), published(c)) / sum of orig(c)
 *
 * A user with nothing at a level does not count there. */
#ifndef LETHE_METHOD_MICROAGG_SRP_H
#define LETHE_METHOD_MICROAGG_SRP_H
#include "method/microagg/classify.h"

/* By level, from 0 on: the sum of the users' shares and the number of users; for that level alone,
 * and for all levels up to it together. */
typedef struct lethe_srp {
    uint32_t levels;
    double *level, *so_far;
    uint64_t *users, *users_so_far;
    uint64_t *common, *original;         /* of the current user */
    uint64_t *all_common, *all_original; /* of all users: their quotient is SRP by volume */
} lethe_srp;

/* Does not report LETHE_ENOMEM; then there is nothing to free. */
LETHE_MUST_CHECK lethe_err lethe_srp_new(uint32_t levels, lethe_srp *out);
void lethe_srp_free(lethe_srp *r); /* all zero is fine */
/* Adds a user whose interests are those in `of`, none below the last level, and who is published
 * with the categories that `published` counts. */
void lethe_srp_add(lethe_srp *r, const lethe_microagg_interests *of, uint32_t user,
                   const lethe_microagg_tally *published);
/* Adds another sum.  In floating point: the order matters. */
void lethe_srp_join(lethe_srp *r, const lethe_srp *other);

#endif
