/* SPDX-License-Identifier: Apache-2.0 */
/* refine_start.h - initial groups, made one after the other, each of records that are near.
 *
 * The heaviest record left begins a group; then, until it has k persons, the record of another
 * person that raises GGD least joins.  So a group can choose among all records left, whereas Clump
 * (clumps.h) must place each record in turn.  Records are ordered by falling mass, then by the
 * counts themselves, so that similar ones are adjacent: of the records left, the first `window` of
 * other persons are examined, and no further than one could be better, because the overlap of two
 * bags is at most the lesser mass.  Few of these are compared count by count: sketches
 * (mass_sketch.h) bound the overlap, and the overlap of a record with a group bounds that with the
 * grown group.
 *
 * Each choice is the best of its window, ties to the first in order; the grouping as a whole is not
 * optimal: groups that begin late get what others left. */
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
 * fewer than k persons each join the group that loses least by it, among some of similar mass. With
 * fewer than k persons in all there is one group, without records none.  `window` is at least 1.  A
 * person that the group has is passed over at little cost, however many records it owns; where
 * 4,096 runs of such records come before any other, the first record of another person is taken.
 *
 * Serial except for the sketches.  For each group about `window` bounds by sketches, 64 steps each,
 * and few overlaps; less where many records are equal, because these end the search.  Memory: about
 * 350 bytes per record, 8 per count of a group's M, 8 per node of the tree.  The same for any
 * number of threads.
 *
 * LETHE_ENOMEM (without a message), LETHE_ECANCEL: then g->group[] and n_groups are undefined.
 * Progress: phase "clusters", one unit per record. */
LETHE_MUST_CHECK lethe_err lethe_refine_start(lethe_ctx *ctx, const lethe_tree *t,
                                              const lethe_ancestors *vector, uint64_t window,
                                              lethe_refine_grouping *g);

#endif
