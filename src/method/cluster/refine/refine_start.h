/* refine_start.h - groups to begin with, one after the other, each of records that are near.
 *
 * The heaviest record left begins a group; then, until it has k persons, the one of another person
 * joins that raises GGD least; so all that a group is made of is there to choose from, where Clump
 * (clumps.h) must place each record as it comes.  The order is that of mass, falling, then of the
 * counts themselves, so that like stands by like: of the records left, the first `window` of other
 * persons are looked at, and no further than one could be better, for the overlap of two bags is at
 * most the lesser mass.  Few of these are compared count by count: sketches (mass_sketch.h) bound
 * what can be in common, and what a record had in common with a group bounds what it will have when
 * the group has grown.
 *
 * Each choice is the best of its window, of equals the first in order; the grouping as a whole is
 * not: what begins late has what others left. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_START_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_START_H
#include "method/cluster/clump/ancestors.h"
#include "method/cluster/refine/refine.h"

/* Measured (bench_refine -20 5): GGD of the groups as they begin and refined in 20 rounds, and
 * processor seconds of start and refinement.  Groceries has 9,835 records, the synthetic log 52,643
 * users; smaller data differ only below 1000.
 *
 *   window   Groceries                     synthetic log
 *      100   13927  10479   0.01  1.05 s   777064  719008  0.5  24.7 s
 *      200   12926  10236   0.02  1.10     736740  700310  0.7  24.7
 *     1000   10447   9693   0.05  0.54     676993  668670  2.4  16.7
 *     2000    9987   9608   0.07  0.52     671541  665971  4.2  14.0
 *     4000    9964   9646   0.07  0.36     670726  665274  7.3  14.4
 *      all    9965   9646   0.08  0.42     670551  665289  9.7  13.8 */
enum { LETHE_REFINE_START_WINDOW = 2000 };

/* Sets g->group[] and g->n_groups; the rest of `g` is given.  Records that are left when there are
 * fewer than k persons go each to the group that loses least by it, among some of like mass.  With
 * fewer than k persons in all: one group.  No records: none.  `window` at least 1.  A person that
 * the group has is passed over at little cost, however many records it owns; where 4,096 runs of
 * such persons' records stand before any other, the first record of another is taken.
 *
 * Serial but for the sketches.  For each group about `window` bounds by sketches, 64 steps each,
 * and few overlaps; less where equal records are many, for these end the search.  Memory: about 350
 * bytes a record, 8 for each count of a group's M, 8 a node of the tree.  The same for any number
 * of threads.
 *
 * LETHE_ENOMEM (not said), LETHE_ECANCEL: then g->group[] and n_groups mean nothing.  Progress:
 * phase "clusters", a unit a record. */
LETHE_MUST_CHECK lethe_err lethe_refine_start(lethe_ctx *ctx, const lethe_tree *t,
                                              const lethe_ancestors *vector, uint64_t window,
                                              lethe_refine_grouping *g);

#endif
