/* refine_ggd.h - refinement of groups by generalized group distortion, for Clump.
 *
 * The cost of a group is its GGD by the closed form of ancestors.h, scaled.  Its M without one
 * member differs from its M only where that member alone has the least count, and each node is so
 * for one member at most; so what it costs to put a record in the place of any member of a group
 * follows from the record's overlap with M, computed once, and these few differences.
 *
 * Bounds come before counts: by masses, by sketches (mass_sketch.h), and by what is known of the
 * overlap with the whole M.  They discard only what is worse for certain.
 *
 * Which groups a record might go to: of the 192 whose M's mass is nearest to its own, and of up to
 * 192 that share its rarest nodes, the ones that it would join at the least cost.  They are
 * remembered with that cost: later only groups that changed are looked at, all again only if more
 * than half of them changed.  So a settled result is locally optimal among these groups, not among
 * all, if there are more than LETHE_REFINE_NEAR others. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_GGD_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_GGD_H
#include "method/cluster/clump/ancestors.h"
#include "method/cluster/refine/refine.h"

/* Refines `g` (see lethe_refine); vector[i] is record i's.  A round costs, for each record, at most
 * 384 sketches and a few overlaps; a group that changed, the counts of its members.  Memory: about
 * 490 bytes a record, 400 for each group (and as much for each of k records that there might be), 8
 * for each count of a group's M and 16 for each difference; 40 a node of the tree for each worker.
 * All items times the leaves of the tree must be below 2^62. */
LETHE_MUST_CHECK lethe_err lethe_refine_ggd(lethe_ctx *ctx, const lethe_tree *t,
                                            const lethe_ancestors *vector, uint64_t rounds,
                                            lethe_refine_grouping *g, lethe_refine_result *out);

#endif
