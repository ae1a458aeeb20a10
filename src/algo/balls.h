/* balls.h - the terms near to each term (meaning.h), kept once they were asked for. */
#ifndef LETHE_ALGO_BALLS_H
#define LETHE_ALGO_BALLS_H
#include "algo/meaning.h"
#include "core/mem.h"

/* Terms are numbered anew: a slot is a term's place among all. */
typedef struct lethe_balls {
    lethe_asker *asker;
    uint32_t n_slots; /* terms */
    uint32_t *slot;   /* of a term, below `end` */
    uint32_t end;
    const lethe_near **ball; /* of a slot; NULL: not asked for yet */
    uint32_t *n;
    size_t kept;
    lethe_arena *arena;
} lethe_balls;

/* `terms` ascending, distinct: those that the meaning knows; copied.  LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_balls_new(const lethe_meaning *m, const uint32_t *terms, size_t n,
                                           lethe_balls **out);
void lethe_balls_free(lethe_balls *b); /* NULL is fine */

/* The ball of a term, as lethe_asker_ball gives it: a view until the next call.  Up to 16 million
 * entries are kept, and cost nothing the next time.  One thread. */
const lethe_near *lethe_balls_of(lethe_balls *b, uint32_t term, size_t *n);

#endif
