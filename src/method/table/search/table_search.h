/* SPDX-License-Identifier: Apache-2.0 */
/* table_search.h - the cheapest cuts of a table: l+-Optimize.  J. Liu, "Enhancing Utility in
 * Privacy Preserving Data Publishing", Simon Fraser University, 2010, sections 3.2 to 3.4.
 *
 * Bounds: none: an invalid group stays so however it is split, else the cost at Cut_spec; vioSA and
 * allSA: Theorem 3.5; vioRec and allRec with LM, allRec with DM: Corollary 3.7, iterated; CM:
 * Theorem 3.4; DM with vioRec: not the published one, which is unsound, but one of our own; exact
 * costs of groups that are never split.  All stay sound with k and `distinct`: these only forbid
 * more groups, and what mends a group then (all of it deleted or starred) costs no less than what
 * mended it before.  Proofs and what k and `distinct` add: table_search_bound.c.
 *
 * Memory is linear in tuples (times quasi-identifiers and the trees' heights), for each thread. */
#ifndef LETHE_METHOD_TABLE_SEARCH_TABLE_SEARCH_H
#define LETHE_METHOD_TABLE_SEARCH_TABLE_SEARCH_H
#include "method/table/tuples.h"

typedef struct lethe_table_limits {
    size_t top;     /* how many cuts are wanted, the cheapest; at least 1 */
    double alpha;   /* 0: the cheapest; else a cut at most 1 + alpha times as costly */
    double seconds; /* 0: no limit */
    uint64_t cuts;  /* to examine; 0: no limit */
    /* For tests and benchmarks; the result is the same: */
    bool without_order;  /* values in the reverse of the proposed order (section 3.4.1) */
    bool without_update; /* bounds are not updated on backtracking (section 3.4.2) */
    /* Called when a better cut is found: seconds since the start, cuts examined, its cost.  Never
     * twice at once.  NULL: not wanted. */
    void (*on_better)(void *user, double seconds, uint64_t cuts, uint64_t cost);
    void *user;
} lethe_table_limits;

typedef struct lethe_table_found {
    size_t n; /* cuts found, the cheapest first, of equals the one that compares least; 0:
                 no cut is valid (or none was met within the limits) */
    lethe_table_cut *cut; /* all lives in the arena that was given */
    uint64_t *cost;
    bool optimal;      /* are they proven to be the cheapest? */
    uint64_t examined; /* cuts whose cost was computed */
    uint64_t to_best;  /* of these, until the cheapest was met */
} lethe_table_found;

/* The same for any number of threads and either switch, unless a limit or alpha ends it early:
 * with `cuts` or alpha it runs on one thread, so that it is the same then too. */
LETHE_MUST_CHECK lethe_err lethe_table_search(lethe_ctx *ctx, const lethe_tuples *t,
                                              const lethe_group_demand *d,
                                              const uint64_t *const *weight,
                                              const lethe_table_limits *limits, lethe_arena *a,
                                              lethe_table_found *out);

#endif
