/* SPDX-License-Identifier: Apache-2.0 */
/* group_search.h - groups of k users with common interests.  A. Erola and others, "Semantic
 * microaggregation for the anonymization of query logs using the Open Directory Project", 2011,
 * Algorithms 2 to 4, with their misprints corrected: docs/microagg.md.
 *
 * What two users have in common is the sum, over the categories of all levels, of the smaller of
 * their counts.  While k users are left, a group consists of the two that have most in common
 * (ties: the lowest pair) and, k - 2 times, of the user that has most in common with all members so
 * far (ties: the lowest user).  The users left over, fewer than k, join in order the group with the
 * highest mean over its members (ties: the first group), and count as members from then on.
 *
 * There is no matrix: memory is about 1.5 KB per user, besides the input.  Most pairs are only
 * bounded from above, by sketches of the users' counts, and only if both are still there when it
 * matters (group_search_internal.h); for the cost, see bench/bench_group_search.c. */
#ifndef LETHE_METHOD_MICROAGG_GROUP_SEARCH_H
#define LETHE_METHOD_MICROAGG_GROUP_SEARCH_H
#include "core/ctx.h"

/* The count of each category of each user: ascending, distinct categories, counts above 0. */
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
    uint64_t pairs;   /* pairs of users that were compared exactly */
    uint64_t bounded; /* bounds by sketches that were computed instead */
} lethe_microagg_groups;

uint64_t lethe_microagg_common(const lethe_microagg_interests *of, uint32_t u, uint32_t v);
/* k >= 2, users >= k (else LETHE_EUSAGE).  The result, its counts too, is the same for any number
 * of threads.  Advances the context's phase by k with each group.  Does not report LETHE_ENOMEM and
 * LETHE_ECANCEL; on failure *out is untouched. */
LETHE_MUST_CHECK lethe_err lethe_microagg_groups_find(lethe_ctx *ctx,
                                                      const lethe_microagg_interests *of,
                                                      uint32_t k, lethe_microagg_groups *out);
void lethe_microagg_groups_free(lethe_microagg_groups *c);

#endif
