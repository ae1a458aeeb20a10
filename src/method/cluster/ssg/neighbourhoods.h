/* SPDX-License-Identifier: Apache-2.0 */
/* neighbourhoods.h - the terms near each term (meaning.h), kept once they were computed. */
#ifndef LETHE_METHOD_CLUSTER_SSG_NEIGHBOURHOODS_H
#define LETHE_METHOD_CLUSTER_SSG_NEIGHBOURHOODS_H
#include "method/cluster/ssg/meaning.h"
#include "core/mem.h"

/* A slot is the place of a term among all terms. */
typedef struct lethe_ssg_neighbourhoods {
    lethe_meaning_asker *asker;
    uint32_t n_slots; /* terms */
    uint32_t *slot;   /* of a term, below `end` */
    uint32_t end;
    const lethe_meaning_neighbour **around; /* of a slot; NULL: not kept */
    uint32_t *n;             /* the terms of its neighbourhood; 0: not computed yet */
    uint32_t *n_kept;        /* those that are kept, the nearest */
    size_t kept;             /* entries in all */
    size_t room, room_whole; /* most entries; most entries of whole neighbourhoods, */
    size_t nearest;          /* beyond which only so many of each are kept */
    lethe_arena *arena;
} lethe_ssg_neighbourhoods;

/* `terms` are those of the meaning, ascending, distinct; copied.  LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ssg_neighbourhoods_new(const lethe_meaning *m,
                                                        const uint32_t *terms, size_t n,
                                                        lethe_ssg_neighbourhoods **out);
void lethe_ssg_neighbourhoods_free(lethe_ssg_neighbourhoods *b); /* NULL is fine */

/* The result of lethe_meaning_neighbourhood: a view until the next call.  Up to 12 million entries
 * of whole neighbourhoods are kept, then the nearest of each, up to 16 million in all.  One thread.
 */
const lethe_meaning_neighbour *lethe_ssg_neighbourhoods_of(lethe_ssg_neighbourhoods *b,
                                                           uint32_t term, size_t *n);
/* Its nearest entries, those that are kept.  *whole: there are no more. */
const lethe_meaning_neighbour *lethe_ssg_neighbourhoods_nearest(lethe_ssg_neighbourhoods *b,
                                                                uint32_t term, size_t *n,
                                                                bool *whole);

#endif
