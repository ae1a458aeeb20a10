/* remains.h - how much of what users were interested in is in what they are published with: the
 * semantic remain percentage.  A. Erola and others, "Semantic microaggregation for the
 * anonymization of query logs using the Open Directory Project", 2011, section 4.1, equation (4):
 *
 *   SRP_l(u) = sum over categories c of level l of min(orig(c), published(c)) / sum of orig(c)
 *
 * and a user with nothing at a level is none there. */
#ifndef LETHE_METHOD_MICROAGG_SRP_H
#define LETHE_METHOD_MICROAGG_SRP_H
#include "method/microagg/classify.h"

/* By level, from 0 on: the sum over users of their shares, and over how many; at that level alone,
 * and with all levels up to it added up. */
typedef struct lethe_srp {
    uint32_t levels;
    double *level, *so_far;
    uint64_t *users, *users_so_far;
    uint64_t *common, *original; /* of the user at hand */
} lethe_srp;

/* LETHE_ENOMEM is not said; then there is nothing to free. */
LETHE_MUST_CHECK lethe_err lethe_srp_new(uint32_t levels, lethe_srp *out);
void lethe_srp_free(lethe_srp *r); /* all zero is fine */
/* A user whose interests, none below the last level, are the user's in `of`, and who is published
 * with what `published` counts. */
void lethe_srp_add(lethe_srp *r, const lethe_microagg_interests *of, uint32_t user,
                   const lethe_microagg_tally *published);
/* Adds what was summed up elsewhere: floating point, so that the order counts. */
void lethe_srp_join(lethe_srp *r, const lethe_srp *other);

#endif
