/* companions.h - users with common interests, in groups of k.  A. Erola and others, "Semantic
 * microaggregation for the anonymization of query logs using the Open Directory Project", 2011,
 * Algorithms 2 to 4, with what is misprinted there put right: docs/microagg.md.
 *
 * What two users have in common is the sum, over the categories of all levels, of the lesser of
 * their counts.  While k users are left: the two that have most in common (ties: the least pair),
 * then k - 2 times the user that has most in common with the members together (ties: the least
 * user).  What is left in the end, fewer than k, in order: to the group with the greatest mean over
 * its members (ties: the first group), of which each then is one.
 *
 * No matrix is made: some 1.4 KB a user, besides the input.  Most pairs are only bounded from
 * above, by outlines of the users' counts, and only where both are left when it comes to it
 * (companions_internal.h); what it costs: bench/bench_group_search.c. */
#ifndef LETHE_METHOD_MICROAGG_GROUP_SEARCH_H
#define LETHE_METHOD_MICROAGG_GROUP_SEARCH_H
#include "core/ctx.h"

/* Of each user, how often each category: ascending, no category twice, counts above 0. */
typedef struct lethe_microagg_interests {
    uint32_t n;            /* users */
    uint32_t n_categories; /* categories are below it */
    const uint64_t *start; /* n + 1: user u has category[start[u]] .. category[start[u + 1] - 1] */
    const uint32_t *category;
    const uint32_t *count;
} lethe_microagg_interests;

typedef struct lethe_microagg_groups {
    uint32_t n;       /* groups: users / k, rounded down */
    uint32_t *group;  /* of each user */
    uint64_t pairs;   /* pairs of users whose common sum was worked out; and */
    uint64_t bounded; /* how often one was bounded by outlines instead */
} lethe_microagg_groups;

uint64_t lethe_microagg_common(const lethe_microagg_interests *of, uint32_t u, uint32_t v);
/* k >= 2, users >= k (else LETHE_EUSAGE).  The same for any number of threads, all counts too.  The
 * context's phase is moved on by k with each group.  LETHE_ENOMEM and LETHE_ECANCEL are not said;
 * on failure *out is untouched. */
LETHE_MUST_CHECK lethe_err lethe_microagg_groups_find(lethe_ctx *ctx,
                                                      const lethe_microagg_interests *of,
                                                      uint32_t k, lethe_microagg_groups *out);
void lethe_microagg_groups_free(lethe_microagg_groups *c);

#endif
