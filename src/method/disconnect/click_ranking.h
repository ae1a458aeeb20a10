/* disconnect.h - queries are taken out, the highest-ranked first, until none are joined.
 * B. Poblete and others, 2007, section 7.4: the heuristic, on the click graph
 * (model/click_graph.h).
 *
 * Score: the degree, or the degree over a weight (how often a query was asked; how often it was
 * clicked).  Of the highest the query first seen goes.  It ends when density is at most what is
 * asked for; that is tested at every step, for by degree over weight density can rise.  Scores are
 * compared as fractions of whole numbers. */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_RANKING_H
#define LETHE_METHOD_DISCONNECT_CLICK_RANKING_H
#include "model/knowledge/click_graph.h"

typedef struct lethe_click_ranking_options {
    const lethe_click_graph *graph;
    const uint64_t *weight; /* of each query, above 0 where it has a URL; NULL: rank by degree */
    double density;         /* at most this (lethe_click_density), in [0, 1]; 0: none are joined */
    // these change time alone; 0: as is best
    uint32_t hub;   /* classes that make a URL a hub */
    uint32_t batch; /* queries and URLs of components that are one piece of work */
} lethe_click_ranking_options;

typedef struct lethe_click_ranking {
    uint32_t n_removed;
    uint32_t *removed; /* queries, in the order in which they went */
    uint64_t *edges;   /* n_removed + 1: edges before the first went, and after each */
} lethe_click_ranking;

/* Exactly what the algorithm gives as it is printed, ties as above, for any number of threads.
 * Degrees are counted on all threads.  Components of the graph are disconnected by themselves, side
 * by side, and their removals merged, the highest-ranked first: in each component no removal ranks
 * above the one before.  A graph of one component is disconnected on one thread.
 *
 * Memory: linear in clicks, and four bytes a class and thread.  Time: no edge is made.  A query
 * that goes costs its URLs, and a few groups (disconnect_internal.h) that are looked at again; a
 * class of many hubs costs more.  Stopping early saves time where one component has nearly all
 * edges, else components are disconnected further than it needs. LETHE_ENOMEM (said),
 * LETHE_ECANCEL: *out is untouched. */
LETHE_MUST_CHECK lethe_err lethe_click_rank(lethe_ctx *ctx, const lethe_click_ranking_options *how,
                                            lethe_click_ranking *out);
void lethe_click_ranking_free(lethe_click_ranking *d);

/* Pairs of queries that are joined, exactly, without lethe_ranking anything; on all threads, the
 * same for any number of them.  Memory: linear in clicks, times threads.  LETHE_ENOMEM (said),
 * LETHE_ECANCEL: *edges is untouched. */
LETHE_MUST_CHECK lethe_err lethe_click_edges(lethe_ctx *ctx, const lethe_click_graph *g,
                                             uint64_t *edges);

#endif
