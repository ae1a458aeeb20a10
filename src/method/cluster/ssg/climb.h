/* SPDX-License-Identifier: Apache-2.0 */
/* climb.h - what the members of a group have in common beyond its hyper-terms.
 *
 * The thesis drops a term as soon as one member has nothing near it (hyper.h).  Here terms that are
 * in no hyper-term climb the taxonomy: from the lowest node up, a node below which every member
 * still has such a term is published, once for each term that the member with the fewest has there,
 * and takes as many of each member, in the order of the taxonomy.  The root fits all, so in the end
 * a group publishes as many items as its shortest member has.
 *
 * Without any hyper-terms that is at least what LG(bag) publishes for the same group, at no more
 * than its loss: below each node of LG(bag)'s as many copies stand at or below it. */
#ifndef LETHE_METHOD_CLUSTER_SSG_CLIMB_H
#define LETHE_METHOD_CLUSTER_SSG_CLIMB_H
#include "core/mem.h"
#include "method/cluster/ssg/vocabulary.h"

/* A published copy of a node: it stands for one term of each member. */
typedef struct lethe_ssg_climbed {
    uint32_t node;
    uint32_t distinct;    /* terms that climbed to the node or past it, different ones */
    const uint32_t *term; /* one of each member, in their order */
} lethe_ssg_climbed;

typedef struct lethe_ssg_climbs {
    lethe_ssg_climbed *at;
    uint32_t n;
} lethe_ssg_climbs;

/* For each group what climbs, in `a`; the hyper-terms of a group must be those of its members in
 * their order, or none at all.  *lost: bLM of all groups, as a share of scale x items.  One
 * matching per record.  LETHE_ENOMEM and LETHE_EINPUT (too large to match) without a message;
 * LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_ssg_climb(lethe_ctx *ctx, const lethe_ssg_options *how,
                                           const lethe_tree *t, const lethe_ssg_groups *g,
                                           uint64_t scale, lethe_arena *a, lethe_ssg_climbs **out,
                                           uint64_t *lost);

/* The groups of LG(bag) (partition/topdown.h), without hyper-terms, and its bLM as above.  No
 * record may be empty.  LETHE_ENOMEM without a message; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_ssg_lg_bag(lethe_ctx *ctx, const lethe_ssg_options *how,
                                            const lethe_tree *t, uint64_t scale,
                                            lethe_ssg_groups *out, uint64_t *lost);

#endif
