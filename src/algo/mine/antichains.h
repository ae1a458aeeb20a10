/* SPDX-License-Identifier: Apache-2.0 */
/* antichains.h - generalized frequent patterns, in two sets of transactions at once.
 *
 * R. Srikant, R. Agrawal, "Mining Generalized Association Rules", VLDB 1995, section 2: a pattern
 * is a set of nodes of a taxonomy, none above another; a transaction has it if for each node it
 * holds an item at or below.  J. Liu, "Enhancing Utility in Privacy Preserving Data
 * Publishing", 2010, section 4.5.1.2, counts those of a release and asks
 * how far their support is from what it was.
 *
 * Nodes are numbered in preorder: patterns in ascending order are just those in which each node is
 * past the subtree of the one before it, so that each is met once.  What holds a node is a row of
 * bits, or where it is rare a list; a pattern's is the intersection of its nodes' (Eclat).  Both
 * sets of transactions are walked together, so that no pattern need be kept: memory is that of the
 * nodes' rows, at most 4 bytes for each node that a transaction has, those above its items among
 * them, and a row for each node of the longest pattern and worker. */
#ifndef LETHE_ALGO_MINE_ANTICHAINS_H
#define LETHE_ALGO_MINE_ANTICHAINS_H
#include "algo/mine/closed.h"

/* The root is a node like any other.  Items that are no node of the tree (n_items may be more than
 * it has) count nothing. */
typedef struct lethe_antichains_asked {
    const lethe_tree *tree;
    const lethe_transactions *original, *published;
    uint64_t support; /* the least that is frequent, in either; 0 is as 1 */
    uint64_t most;    /* at more patterns it gives up; at most LETHE_ANTICHAINS_MOST */
} lethe_antichains_asked;

#define LETHE_ANTICHAINS_MOST 10000000

typedef struct lethe_antichains {
    bool all;            /* false: there are more than `most`, and the rest is unset */
    uint64_t published;  /* frequent in what was published */
    uint64_t both;       /* and in the original; of these */
    uint64_t support;    /* in the original, all added up, */
    uint64_t difference; /* and how far from it that in what was published is */
} lethe_antichains;

/* The same for any number of threads.  LETHE_ENOMEM, said; LETHE_EUSAGE where weights add up to
 * UINT32_MAX or more; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_antichains_count(lethe_ctx *ctx,
                                                  const lethe_antichains_asked *asked,
                                                  lethe_antichains *out);

#endif
