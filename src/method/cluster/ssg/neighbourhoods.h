/* neighbourhoods.h - the terms near to each term (meaning.h), kept once they were asked for. */
#ifndef LETHE_METHOD_CLUSTER_SSG_NEIGHBOURHOODS_H
#define LETHE_METHOD_CLUSTER_SSG_NEIGHBOURHOODS_H
#include "method/cluster/ssg/meaning.h"
#include "core/mem.h"

/* Terms are numbered anew: a slot is a term's place among all. */
typedef struct lethe_ssg_neighbourhoods {
    lethe_meaning_asker *asker;
    uint32_t n_slots; /* terms */
    uint32_t *slot;   /* of a term, below `end` */
    uint32_t end;
    const lethe_meaning_neighbour **ball; /* of a slot; NULL: not asked for yet */
    uint32_t *n;                          /* its terms, once it was asked for; 0: it never was */
    uint32_t *n_kept;                     /* those that are kept: the nearest */
    size_t kept;                          /* entries */
    size_t room, room_whole;              /* so many at most; so many of whole balls, */
    size_t nearest; /* and then of each the nearest so many: for speed alone */
    lethe_arena *arena;
} lethe_ssg_neighbourhoods;

/* `terms` ascending, distinct: those that the meaning knows; copied.  LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ssg_neighbourhoods_new(const lethe_meaning *m,
                                                        const uint32_t *terms, size_t n,
                                                        lethe_ssg_neighbourhoods **out);
void lethe_ssg_neighbourhoods_free(lethe_ssg_neighbourhoods *b); /* NULL is fine */

/* The ball of a term, as lethe_meaning_neighbourhood gives it: a view until the next call.  Up to
 * 12 million entries of whole balls are kept, and cost nothing the next time; beyond them what is
 * nearest, up to 16 million in all.  One thread. */
const lethe_meaning_neighbour *lethe_ssg_neighbourhoods_of(lethe_ssg_neighbourhoods *b,
                                                           uint32_t term, size_t *n);
/* How it begins: what is kept of it.  *whole: there is no more. */
const lethe_meaning_neighbour *lethe_ssg_neighbourhoods_nearest(lethe_ssg_neighbourhoods *b,
                                                                uint32_t term, size_t *n,
                                                                bool *whole);

#endif
