/* SPDX-License-Identifier: Apache-2.0 */
/* independent.h - a heaviest independent set of a click graph: queries of greatest total weight of
 * which no two are connected.  Finding it is NP-hard; here by reductions that lose nothing, exactly
 * if what is left of a component is small, and by local search otherwise.
 *
 * At most one query of a class stays, and at most one class of a URL: the search is for classes
 * with no URL in common, each with the weight of its heaviest query (set packing).
 *
 * Reductions: a class that is alone on its URLs stays.  Among classes that have only one URL left,
 * the heaviest is set aside, and its weight subtracted from all others on the URL; it stays if none
 * of these does.  A class at least as heavy as the heaviest others on each of its URLs together
 * stays.  A class goes if its URLs include all URLs of another that is at least as heavy.  Trees
 * are solved by these alone. */
#ifndef LETHE_METHOD_DISCONNECT_INDEPENDENT_INDEPENDENT_H
#define LETHE_METHOD_DISCONNECT_INDEPENDENT_INDEPENDENT_H
#include "model/knowledge/click_graph.h"

typedef struct lethe_independent {
    uint8_t *kept;              /* of each query: 0 or 1 */
    uint64_t weight;            /* of those kept */
    uint64_t components, exact; /* with an edge; of these, certainly solved to the optimum */
} lethe_independent;

/* Pieces that are connected after the reductions are solved exactly up to LETHE_INDEPENDENT_EXACT
 * classes, and up to LETHE_INDEPENDENT_TRIED if that takes few steps; others by local search. */
enum { LETHE_INDEPENDENT_EXACT = 64, LETHE_INDEPENDENT_TRIED = 256 };

/* `weight` of each query (0 is allowed), all together below 2^63, or LETHE_EINPUT (reported).
 * `start`: n_starts sets (kept[] of each query, not 0 if it is kept) without connected queries, to
 * begin from: the answer is never lighter than any of them.
 *
 * Queries without a URL are all kept, and no query that is not kept could be added.  Of a class at
 * most the heaviest query is kept (ties: first seen).  Other ties are arbitrary, but the same each
 * time, for any number of threads.  Memory: linear in queries, URLs and clicks; edges are never
 * enumerated.  Does not report LETHE_ENOMEM; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_independent_find(lethe_ctx *ctx, const lethe_click_graph *g,
                                                  const uint64_t *weight,
                                                  const uint8_t *const *start, size_t n_starts,
                                                  lethe_independent *out);
void lethe_independent_free(lethe_independent *s);

#endif
