/* taking.h - how many published items can stand for known ones, each for another, where an item may
 * stand for what is in any of several spans; and of all such sets, the one with the most bits.
 *
 * Which items can stand at once are the independent sets of a matroid (a transversal one).  So the
 * best set is found greedily, what has more bits first, each by a path on which others make room.
 */
#ifndef LETHE_ATTACK_TAKING_H
#define LETHE_ATTACK_TAKING_H
#include "core/dict.h"

/* An item may stand for known items first .. end - 1. */
typedef struct lethe_reach {
    uint32_t item, count; /* copies of the item */
    uint32_t first, end;
    double bits; /* of one copy, no less than 0; the same wherever the item is named */
} lethe_reach;

/* Memory for one record after the other; begins zeroed. */
typedef struct lethe_taking {
    lethe_buf reach;  /* lethe_reach each: by bits and item, when sorted */
    lethe_buf marked; /* uint32_t by place there: the search that the item was last met in */
    uint32_t search;
    size_t room; /* for known items: */
    uint32_t
        *taker;     /* where in `reach` the item begins that stands for it; LETHE_NONE: none does */
    uint32_t *skip; /* itself, or one further on: those between were met in vain, or just now */
    uint32_t *came; /* the known item from whose taker it was met; LETHE_NONE: from none */
    uint32_t *met;  /* those met just now, in this order */
} lethe_taking;

void lethe_taking_begin(lethe_taking *g); /* nothing was put */
LETHE_MUST_CHECK lethe_err lethe_taking_put(lethe_taking *g, const lethe_reach *r);
/* *n: how many copies can stand; *bits: the most they can have, all together.  For m known items it
 * takes m times as many steps as were put, at most.  LETHE_ENOMEM: nothing is said. */
LETHE_MUST_CHECK lethe_err lethe_taking_find(lethe_taking *g, uint32_t n_known, uint64_t *n,
                                             double *bits);
void lethe_taking_free(lethe_taking *g);

#endif
