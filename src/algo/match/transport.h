/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h - how much can be sent from places that have something to places that take it, along
 * given pairs: the greatest flow between two sides.
 *
 * First each place on the left sends what it can to its partners in order; then the rest goes along
 * shortest augmenting paths, all of one length at a time (Dinic 1970).  Exact.  O(pairs * places)
 * for each length at worst, and close to linear where most is settled at first. */
#ifndef LETHE_ALGO_MATCH_TRANSPORT_H
#define LETHE_ALGO_MATCH_TRANSPORT_H
#include "core/ctx.h"
#include "core/mem.h"

typedef struct lethe_transport {
    uint32_t n_left, n_right;
    const uint32_t *has;   /* by place on the left */
    const uint32_t *takes; /* by place on the right */
    const uint32_t *first; /* n_left + 1: its pairs */
    const uint32_t *right; /* by pair */
} lethe_transport;

/* LETHE_ECANCEL; LETHE_ENOMEM, which is not reported. */
LETHE_MUST_CHECK lethe_err lethe_transport_most(lethe_ctx *ctx, const lethe_transport *t,
                                                uint64_t *out);

#endif
