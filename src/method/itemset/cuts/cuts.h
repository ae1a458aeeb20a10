/* SPDX-License-Identifier: Apache-2.0 */
/* cuts.h - the cheapest valid cuts of a taxonomy: phase 2 of OG.  J. Liu, "Enhancing Utility in
 * Privacy Preserving Data Publishing", Simon Fraser University, 2010, section 4.4: depth-first
 * search of the cut enumeration tree (section 3.2), pruned by cost and by validity.
 *
 * Open items of a cut are specialized one after the other; one that was is locked in the cuts that
 * follow.  What is locked costs what it costs, the rest at least nothing, or what was learnt of it.
 * A cut is invalid if all items of a threat are at or above it; so are its specializations. */
#ifndef LETHE_METHOD_ITEMSET_CUTS_CUTS_H
#define LETHE_METHOD_ITEMSET_CUTS_CUTS_H
#include "method/itemset/threats/threats.h"

typedef struct lethe_cuts_problem {
    const lethe_tree *t;
    const uint8_t *live;  /* by node: is it present, or above what is?  The root is. */
    const uint64_t *cost; /* by node: of all its occurrences; never less than those of the live
                             children together */
    /* `locked` may be NULL: no node is.  A threat with an item that is not live never counts; one
     * without items, or `empty`, and no cut is valid. */
    const lethe_threats *threats;
    double alpha;      /* 0: the optimum; else one of at most (1 + alpha) times its cost */
    uint32_t top;      /* how many of the cheapest are wanted, at least 1 */
    uint64_t max_cuts; /* 0: any number */
    double seconds;    /* 0: no limit */
} lethe_cuts_problem;

/* A valid cut: nodes ascending, exactly one live one on each path from the root to a lowest live
 * node. */
typedef struct lethe_cuts_cut {
    uint64_t cost;
    uint32_t *node;
    size_t n;
} lethe_cuts_cut;

typedef struct lethe_cuts {
    lethe_cuts_cut *cut; /* the cheapest first; of equal cost in order of their nodes */
    size_t n;            /* as many as there are, up to `top`; 0: not even the root is valid */
    bool optimal;        /* are they the cheapest, for certain? */
    uint64_t examined;   /* valid cuts that were reached, even if pruned by cost there */
} lethe_cuts;

/* The same for any number of threads, except under `seconds`.  Under that and `max_cuts` the best
 * cuts found are returned, at least the root.  With `top` cuts the i-th costs at most
 * (1 + alpha) times what the i-th cheapest does.
 *
 * Memory: some 250 bytes per live node that has a live child, 30 for each item of a threat, `top`
 * bytes per such node, and up to 0.5 MiB per thread for which nodes exclude each other.  Finding
 * the cheapest is NP-hard: without a limit it may take long.  Reports LETHE_ENOMEM; LETHE_ECANCEL.
 */
LETHE_MUST_CHECK lethe_err lethe_cuts_find(lethe_ctx *ctx, const lethe_cuts_problem *p,
                                           lethe_cuts *out);
void lethe_cuts_free(lethe_cuts *c);

#endif
