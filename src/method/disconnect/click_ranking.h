/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking.h - removes queries, the highest-ranked first, until no two share a clicked URL.
 * B. Poblete, M. Spiliopoulou and R. Baeza-Yates, "Website Privacy Preservation for Query Log
 * Publishing", 2007, and section 7.4 of Poblete's doctoral thesis: the heuristic, on the click
 * graph (model/knowledge/click_graph.h).
 *
 * A query's score is its degree, or its degree over a weight (how often it was asked, or clicked).
 * Among equal scores the query seen first goes.  The removal ends when the density is at most what
 * is asked for; this is tested at every step, because by degree over weight density can rise.
 * Scores are compared as fractions of whole numbers. */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_RANKING_H
#define LETHE_METHOD_DISCONNECT_CLICK_RANKING_H
#include "model/knowledge/click_graph.h"

/* Of Definition 1: the share of pairs of queries that are joined; 0 for fewer than two.  As the
 * nearest double (below 94,000,000 queries exactly that): 3 of 10 is what is read from "0.3".  The
 * checker has a function of its own (check/bounds.h). */
static inline double lethe_click_density(uint64_t edges, uint64_t queries)
{
    return queries < 2 ? 0 : (double)(2 * edges) / (double)(queries * (queries - 1));
}

typedef struct lethe_click_ranking_options {
    const lethe_click_graph *graph;
    const uint64_t *weight; /* of each query, above 0 if it has a URL; NULL: rank by degree */
    double density; /* at most this (lethe_click_density), in [0, 1]; 0: no edges are left */
    // these affect time alone; 0: default
    uint32_t hub;   /* classes that make a URL a hub */
    uint32_t batch; /* queries and URLs of components that are one piece of work */
} lethe_click_ranking_options;

typedef struct lethe_click_ranking {
    uint32_t n_removed;
    uint32_t *removed; /* queries, in the order of their removal */
    uint64_t *edges;   /* n_removed + 1: edges before the first removal, and after each */
} lethe_click_ranking;

/* Exactly the result of the published algorithm, ties as above, for any number of threads.  Degrees
 * are counted on all threads.  Components of the graph are disconnected independently, in parallel,
 * and their removals merged, the highest-ranked first: within a component no removal ranks above
 * the one before.  A graph of one component is disconnected on one thread.
 *
 * Memory: linear in clicks, plus a bit per query and thread.  Time: a removal costs the query's
 * URLs and a few groups (click_ranking_internal.h) that are examined again; two queries cost at
 * most a few steps along lists for each URL that they share, and none on a hub; a class of many
 * hubs costs more.  Stopping early saves time if one component has nearly all edges; otherwise
 * components are disconnected further than necessary.  LETHE_ENOMEM (reported), LETHE_ECANCEL: *out
 * is untouched. */
LETHE_MUST_CHECK lethe_err lethe_click_rank(lethe_ctx *ctx, const lethe_click_ranking_options *how,
                                            lethe_click_ranking *out);
void lethe_click_ranking_free(lethe_click_ranking *d);

/* The exact number of pairs of queries that share a URL; on all threads, the same for any number of
 * them.  Memory: linear in clicks, times threads.  LETHE_ENOMEM (reported), LETHE_ECANCEL: *edges
 * is untouched. */
LETHE_MUST_CHECK lethe_err lethe_click_edges(lethe_ctx *ctx, const lethe_click_graph *g,
                                             uint64_t *edges);

#endif
