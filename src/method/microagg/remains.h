/* remains.h - how much of what users were interested in is in what they are published with: the
 * semantic remain percentage.  A. Erola and others, "Semantic microaggregation for the
 * anonymization of query logs using the Open Directory Project", 2011, section 4.1, equation (4):
 *
 *   SRP_l(u) = sum over categories c of level l of min(orig(c), published(c)) / sum of orig(c)
 *
 * and a user with nothing at a level is none there. */
#ifndef LETHE_METHOD_MICROAGG_REMAINS_H
#define LETHE_METHOD_MICROAGG_REMAINS_H
#include "method/microagg/classify.h"

/* By level, from 0 on: the sum over users of their shares, and over how many; at that level alone,
 * and with all levels up to it added up. */
typedef struct lethe_remains {
    uint32_t levels;
    double *level, *so_far;
    uint64_t *users, *users_so_far;
    uint64_t *common, *original; /* of the user at hand */
} lethe_remains;

/* LETHE_ENOMEM is not said; then there is nothing to free. */
LETHE_MUST_CHECK lethe_err lethe_remains_new(uint32_t levels, lethe_remains *out);
void lethe_remains_free(lethe_remains *r); /* all zero is fine */
/* A user whose interests, none below the last level, are the user's in `of`, and who is published
 * with what `published` counts. */
void lethe_remains_add(lethe_remains *r, const lethe_interests_of *of, uint32_t user,
                       const lethe_tally *published);
/* Adds what was summed up elsewhere: floating point, so that the order counts. */
void lethe_remains_join(lethe_remains *r, const lethe_remains *other);

#endif
