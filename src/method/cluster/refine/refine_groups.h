/* refine_groups.h - the members of a group that changes, and their persons; and how such a group is
 * best cut in two.  For refine.c. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_GROUPS_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_GROUPS_H
#include "method/cluster/refine/refine.h"

/* Zero: no members. */
typedef struct lethe_refine_members {
    uint32_t *record; /* ascending */
    uint32_t n, room;
    uint32_t
        *person; /* of each member, ascending; as of the last count, and where there are owners */
    uint32_t room_person;
    uint32_t n_persons; /* different ones, as of the last count */
} lethe_refine_members;

LETHE_MUST_CHECK lethe_err lethe_refine_members_reserve(lethe_refine_members *m, size_t n);
LETHE_MUST_CHECK lethe_err lethe_refine_members_put(lethe_refine_members *m,
                                                    uint32_t r);     /* is not in it */
void lethe_refine_members_take(lethe_refine_members *m, uint32_t r); /* is in it */
void lethe_refine_members_free(lethe_refine_members *m);

/* Counts persons anew; alone[r], for each member: no other is of its person.  owner NULL: each is
 * one.  O(n log n). */
LETHE_MUST_CHECK lethe_err lethe_refine_members_count(lethe_refine_members *m,
                                                      const uint32_t *owner, uint8_t *alone);
/* Is a member of that person?  By the last count, with owners.  O(log n). */
bool lethe_refine_members_have(const lethe_refine_members *m, uint32_t person);

/* Records by a number, then by their own. */
typedef struct lethe_refine_ranked {
    int64_t key;
    uint32_t record;
} lethe_refine_ranked;
void lethe_refine_rank(lethe_refine_ranked *at, size_t n);

/* A group that is better cut in two. */
typedef struct lethe_refine_cut {
    uint32_t *record; /* all members: those of one part, then those of the other, each ascending */
    uint32_t n, n_one;
} lethe_refine_cut;

/* The best of some cuts of the line between two members that are far from each other: of all 1 ..
 * n - 1 that leave k persons on either side if there are up to 64 members, else of so many evenly
 * spaced, for over 1,024 fewer, down to 8.  n_one is 0 where none costs less than `cost`, which is
 * the group's.  *out is the caller's to free.  4 n costs of pairs, and those of the parts. */
LETHE_MUST_CHECK lethe_err lethe_refine_cut_find(lethe_ctx *ctx, const lethe_refine_model *model,
                                                 const lethe_refine_grouping *g,
                                                 const lethe_refine_members *m, uint64_t cost,
                                                 lethe_refine_cut *out);

#endif
