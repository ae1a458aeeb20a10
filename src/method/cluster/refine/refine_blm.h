/* refine_blm.h - groups of vocabularies, refined while their bLM falls (refine.h; hyper.h). */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_BLM_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_BLM_H
#include "method/cluster/refine/refine.h"
#include "method/cluster/ssg/vocabulary.h"

/* At most `rounds` rounds on the groups `g` that `how` made, in place; in the first few only swaps
 * by which more is published.  A group costs lethe_hyper_loss(scale) with its members in the order
 * in which they joined: one that comes is the last, so that what it costs there is one matching.
 * (Of a group that is split, the parts begin in ascending order.)  bLM never grows.  What a record
 * may change places with: the members of up to LETHE_REFINE_NEAR groups whose centres have the most
 * terms in common with it, or near to its own.  Nobody leaves a group of more than 256 members, nor
 * changes places with one of them: to price each without one of its members takes the square of
 * them.  The same for any number of threads.  Memory: for each member of a group of up to 32 what
 * the others have in common.  On failure `g` is as it was.  LETHE_ENOMEM, LETHE_EINPUT (too large
 * to match): not said; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_refine_blm(lethe_ctx *ctx, const lethe_ssg_options *how,
                                            uint64_t scale, uint64_t rounds, lethe_ssg_groups *g);

#endif
