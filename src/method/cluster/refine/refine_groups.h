/* SPDX-License-Identifier: Apache-2.0 */
/* refine_groups.h - the members of a group that changes, their persons, and its best cut in two. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_GROUPS_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_GROUPS_H
#include "method/cluster/refine/refine.h"

/* Zero: no members. */
typedef struct lethe_refine_members {
    uint32_t *record; /* ascending */
    uint32_t n, room;
    uint32_t *person; /* of each member, ascending, as of the last count; only with owners */
    uint32_t room_person;
    uint32_t n_persons; /* different ones, as of the last count */
} lethe_refine_members;

LETHE_MUST_CHECK lethe_err lethe_refine_members_reserve(lethe_refine_members *m, size_t n);
LETHE_MUST_CHECK lethe_err lethe_refine_members_put(lethe_refine_members *m,
                                                    uint32_t r);     /* a new one */
void lethe_refine_members_take(lethe_refine_members *m, uint32_t r); /* is in it */
void lethe_refine_members_free(lethe_refine_members *m);

/* Counts persons anew; alone[r], for each member: no other member is of its person.  owner NULL:
 * each record is a person.  O(n log n). */
LETHE_MUST_CHECK lethe_err lethe_refine_members_count(lethe_refine_members *m,
                                                      const uint32_t *owner, uint8_t *alone);
/* Does a member belong to that person, as of the last count?  Only with owners.  O(log n). */
bool lethe_refine_members_have(const lethe_refine_members *m, uint32_t person);

/* Sorts records by key, then by number. */
typedef struct lethe_refine_ranked {
    int64_t key;
    uint32_t record;
} lethe_refine_ranked;
void lethe_refine_rank(lethe_refine_ranked *at, size_t n);

/* A group cut in two. */
typedef struct lethe_refine_cut {
    uint32_t *record; /* all members: first one part, then the other, each ascending */
    uint32_t n, n_one;
} lethe_refine_cut;

/* The best cut of a line between two members that are far apart: of all cuts 1 .. n - 1 that leave
 * k persons on either side if there are up to 64 members, else of 64 evenly spaced ones; above
 * 1,024 members fewer, down to 8.  n_one is 0 if none costs less than `cost`, that of the group.
 * The caller frees out->record.  Time: 4 n costs of pairs, and those of the parts. */
LETHE_MUST_CHECK lethe_err lethe_refine_cut_find(lethe_ctx *ctx, const lethe_refine_model *model,
                                                 const lethe_refine_grouping *g,
                                                 const lethe_refine_members *m, uint64_t cost,
                                                 lethe_refine_cut *out);

#endif
