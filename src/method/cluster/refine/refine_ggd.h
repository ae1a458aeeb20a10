/* SPDX-License-Identifier: Apache-2.0 */
/* refine_ggd.h - refinement of groups by generalized group distortion, for Clump.
 *
 * The cost of a group is its GGD by the closed form of ancestors.h, scaled.  Its M without one
 * member differs from its M only where that member alone has the least count, and each node is so
 * for at most one member; so the price of replacing any member of a group by a record follows from
 * the record's overlap with M, computed once, and these few differences.
 *
 * Bounds come before counts: by masses, by sketches (mass_sketch.h), and by the known overlap with
 * the whole M.  They discard only what is certainly worse.
 *
 * Candidates of a record: of the 192 groups whose M is nearest in mass, and of up to 192 that share
 * its rarest nodes, those that it would join at the least cost.  They are remembered with that
 * cost: later only groups that changed are examined, and all again only if more than half of them
 * changed. So a settled result is locally optimal among these groups, but not among all, if there
 * are more than LETHE_REFINE_NEAR others. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_GGD_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_GGD_H
#include "method/cluster/clump/ancestors.h"
#include "method/cluster/refine/refine.h"

/* Refines `g` (see lethe_refine); vector[i] is that of record i.  A round takes, for each record,
 * at most 384 sketches and a few overlaps, and for each group that changed the counts of its
 * members. Memory: about 490 bytes per record, 400 per group (and for each k records as much), 8
 * per count of a group's M and 16 per difference; 40 per node of the tree for each worker.  All
 * items times the leaves of the tree must be below 2^62. */
LETHE_MUST_CHECK lethe_err lethe_refine_ggd(lethe_ctx *ctx, const lethe_tree *t,
                                            const lethe_ancestors *vector, uint64_t rounds,
                                            lethe_refine_grouping *g, lethe_refine_result *out);

#endif
