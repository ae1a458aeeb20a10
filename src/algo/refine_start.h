/* refine_start.h - groups to begin with, one after the other, each of records that are near.
 *
 * The heaviest record left begins a group; then, until it has k persons, the one of another person
 * joins that raises GGD least; so all that a group is made of is there to choose from, where Clump
 * (clumps.h) must place each record as it comes.  The order is that of mass, falling, then of the
 * counts themselves, so that like stands by like: of the records left, the first `window` are
 * looked at, and no further than one could be better, for the overlap of two bags is at most the
 * lesser mass. */
#ifndef LETHE_ALGO_REFINE_START_H
#define LETHE_ALGO_REFINE_START_H
#include "algo/ancestors.h"
#include "algo/refine.h"

enum { LETHE_START_WINDOW = 1000 };

/* Sets g->group[] and g->n_groups; the rest of `g` is given.  Records that are left when there are
 * fewer than k persons go each to the group that loses least by it, among some of like mass.  With
 * fewer than k persons in all: one group.  No records: none.  Serial.  `window` at least 1.
 * LETHE_ENOMEM (not said), LETHE_ECANCEL.  Progress: phase "clusters", a unit a record. */
LETHE_MUST_CHECK lethe_err lethe_start_nearest(lethe_ctx *ctx, const lethe_tree *t,
                                               const lethe_ancestors *vector, uint64_t window,
                                               lethe_grouping *g);

#endif
