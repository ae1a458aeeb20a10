/* standing.h - can every item of a published record stand for another item of the record?
 *
 * A published item may stand for any that is in one of its spans of the record's items, sorted.
 * That is a matching in a bipartite graph, by Hopcroft & Karp, "An n^(5/2) Algorithm for Maximum
 * Matchings in Bipartite Graphs", SIAM J. Comput. 2(4), 1973.  The graph is never written down:
 * what is left of a span is found by skipping what is gone, so that a round takes about as long as
 * there are items and spans, however many pairs those make; and of rounds there are at most about
 * twice the root of the items. */
#ifndef LETHE_MEASURE_STANDING_H
#define LETHE_MEASURE_STANDING_H
#include "core/dict.h"

typedef struct lethe_span {
    uint32_t from, end; /* the record's items from .. end - 1 */
} lethe_span;

typedef struct lethe_standing_asked {
    uint32_t n;           /* items of the record */
    uint32_t n_published; /* of what it is published as */
    const uint32_t
        *first; /* n_published + 1: item i has span[first[i]] .. span[first[i + 1] - 1] */
    const lethe_span *span;
} lethe_standing_asked;

/* Memory for one record after the other; begins zeroed. */
typedef struct lethe_standing {
    size_t room, room_published;
    uint32_t *mate;                  /* by item of the record: who stands for it; */
    uint32_t *level;                 /* in which step it was reached; */
    uint32_t *skip;                  /* itself, or one further on: those between are gone */
    uint32_t *order, *place, *start; /* those that were reached, by step */
    uint32_t *stands;                /* by published item: what it stands for, */
    uint32_t *depth, *queue;         /* the step it was reached in; whom in this order */
    uint32_t *at, *taken;            /* a path: published items, and what each takes */
} lethe_standing;

/* *out: a published item for which none is left when as many as can have one, LETHE_NONE where all
 * do.  LETHE_ENOMEM: nothing is said. */
LETHE_MUST_CHECK lethe_err lethe_standing_find(lethe_standing *s, const lethe_standing_asked *a,
                                               uint32_t *out);
void lethe_standing_free(lethe_standing *s);

#endif
