/* SPDX-License-Identifier: Apache-2.0 */
/* spans.h - published items matched with known ones, where an item may stand for whatever is in any
 * of several spans: how many can be matched, each with another one, and which set has the most
 * bits.
 *
 * The sets of items that can be matched at once are the independent sets of a matroid (a
 * transversal one), so the best is found greedily: items with more bits first.  Those of equal bits
 * are matched together, in phases of shortest augmenting paths: Hopcroft & Karp, "An n^(5/2)
 * Algorithm for Maximum Matchings in Bipartite Graphs", SIAM J. Comput. 2(4), 1973.  The graph is
 * never written down: what is left of a span is found by skipping what is gone, so that a phase
 * takes about as long as there are items and spans, however many pairs those make, times a
 * logarithm.  Of phases there are at most about twice the root of the known items for each class of
 * equal bits; and what a phase that found nothing has met is never looked at again. */
#ifndef LETHE_ALGO_MATCH_SPANS_H
#define LETHE_ALGO_MATCH_SPANS_H
#include "core/dict.h"

/* An item may stand for known items first .. end - 1. */
typedef struct lethe_item_span {
    uint32_t item, count; /* copies of the item */
    uint32_t first, end;
    double bits; /* of one copy, at least 0; count and bits are the same in all spans of an item */
} lethe_item_span;

/* Memory for one problem after the other; begins zeroed. */
typedef struct lethe_spans {
    lethe_buf span;         /* lethe_item_span each: by bits and item, once sorted */
    lethe_buf state;        /* of the item whose spans begin at that place */
    uint32_t phase;         /* the number of the last phase */
    uint32_t n_known, room; /* known items, and room for them: */
    uint32_t *taker;        /* the place in `span` of the item that is matched; LETHE_NONE: none */
    uint32_t *free;         /* itself, or one further on: those between are matched */
    uint32_t *skip;         /* likewise: met in vain, or in this phase */
    uint32_t *met;          /* those met in this phase, by level; */
    uint32_t *place;        /* by place there: itself, or one further on: those between are used */
    uint32_t *start;        /* by level: where it begins there */
    uint32_t *path, *via;   /* items on the path at hand, and the known ones between them */
} lethe_spans;

void lethe_spans_begin(lethe_spans *s); /* removes all spans */
LETHE_MUST_CHECK lethe_err lethe_spans_put(lethe_spans *s, const lethe_item_span *span);
/* *n: how many copies can be matched; *bits: the most they can have together.  LETHE_ENOMEM without
 * a message. */
LETHE_MUST_CHECK lethe_err lethe_spans_match(lethe_spans *s, uint32_t n_known, uint64_t *n,
                                             double *bits);
/* After that, once: the lowest of items 0 .. n_items - 1 that is not matched, or LETHE_NONE. */
uint32_t lethe_spans_unmatched(lethe_spans *s, uint32_t n_items);
void lethe_spans_free(lethe_spans *s);

#endif
