/* SPDX-License-Identifier: Apache-2.0 */
/* refine_blm.h - groups of vocabularies, refined while their bLM falls (refine.h; hyper.h). */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_BLM_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_BLM_H
#include "method/cluster/refine/refine.h"
#include "method/cluster/ssg/vocabulary.h"

/* At most `rounds` rounds on the groups `g` that `how` made, in place; in the first 8 (4 where
 * terms are crowded: see below), at most half of them, only swaps that publish more; then others
 * too, for each record in every eighth round (where terms are crowded or the record is long, in
 * every round).  A group costs lethe_hyper_loss(scale) with its members in the order in which they
 * joined; a new one is the last, so that its price is one matching.  (In a group that is split,
 * the parts begin in ascending order.)  bLM never grows.  A record may swap with the members of up
 * to LETHE_REFINE_NEAR groups whose centres have the most terms in common with it, or near its
 * own; of the groups with a common term only a few are looked at, others in other rounds.  The
 * half of its candidates that it would join most cheaply, as far as that is known, stays, the
 * others are drawn anew, every second round (for long records, every round).  A swap is priced
 * only where bounds, and the hyper-terms that the record would leave in the other group as it is,
 * let it gain; the last is no strict bound, and where terms are crowded (near to more than a
 * sixteenth of all, on average) it counts the terms near a hyper-term instead.  What passes is
 * bounded strictly, by the most hyper-terms that can be matched at all (refine_blm_most.c; records
 * of up to 1,024 terms, and as many different terms as a table of bits of 96 MB has room for).
 * Nobody leaves a group of more than 256 members, nor swaps with one of them: pricing it without
 * each of its members takes their square. The same for any number of threads.  Memory: for each
 * member of a group of up to 32 the hyper vocabulary of the others; a bit for each pair of terms,
 * up to 96 MB.  On failure `g` is unchanged.  LETHE_ENOMEM and LETHE_EINPUT (too large to match)
 * without a message; LETHE_ECANCEL.
 */
LETHE_MUST_CHECK lethe_err lethe_refine_blm(lethe_ctx *ctx, const lethe_ssg_options *how,
                                            uint64_t scale, uint64_t rounds, lethe_ssg_groups *g);

#endif
