/* independent.h - of a click graph the queries of greatest weight together of which no two are
 * joined: a heaviest independent set.  Finding it is NP-hard; here by reductions that lose nothing,
 * exactly where what is left of a component is small, and by local search elsewhere.
 *
 * Of a class at most one query stays, and of a URL at most one class: what is sought are classes
 * with no URL in common, each at the weight of its heaviest query (set packing).
 *
 * Reductions: a class that is alone on its URLs stays.  Of classes that have only this URL left the
 * heaviest is set aside, its weight taken off all others on the URL; it stays if none of these
 * does.  A class as heavy as the heaviest others on each of its URLs together stays.  A class goes
 * if all URLs of another that is no lighter are among its own.  Trees are solved by these alone. */
#ifndef LETHE_METHOD_DISCONNECT_INDEPENDENT_INDEPENDENT_H
#define LETHE_METHOD_DISCONNECT_INDEPENDENT_INDEPENDENT_H
#include "model/knowledge/click_graph.h"

typedef struct lethe_independent {
    uint8_t *kept;              /* of each query: 0 or 1 */
    uint64_t weight;            /* of those kept */
    uint64_t components, exact; /* with an edge; of these, solved to the optimum for certain */
} lethe_independent;

/* Pieces of a component that are connected after the reductions are solved exactly up to so many
 * classes, and up to LETHE_INDEPENDENT_TRIED if that takes few steps; others by local search. */
enum { LETHE_INDEPENDENT_EXACT = 64, LETHE_INDEPENDENT_TRIED = 256 };

/* `weight` of each query (0 is fine), all of them together below 2^63: LETHE_EINPUT, said, if they
 * are not.  `start`: n_starts sets (kept[] of each query, not 0 if it is kept), each with no two
 * queries joined, to begin from: the answer is never lighter than any of them.
 *
 * Queries without a URL are all kept, and no query that is not kept could be kept besides.  Of a
 * class the heaviest is kept, if any (ties: first seen).  Other ties: any, but the same each time,
 * for any number of threads.  Memory: linear in queries, URLs and clicks, edges are never made.
 * LETHE_ENOMEM is not said; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_independent_find(lethe_ctx *ctx, const lethe_click_graph *g,
                                                  const uint64_t *weight,
                                                  const uint8_t *const *start, size_t n_starts,
                                                  lethe_independent *out);
void lethe_independent_free(lethe_independent *s);

#endif
