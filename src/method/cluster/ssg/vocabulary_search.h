/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_search.h - the nearest of many vocabularies, exactly.
 *
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * Algorithm 5.1, lines 4 and 9.  In place of the thesis' "limited search" this one uses bounds, so
 * that the result is that of a full scan:
 *
 *   - Equal vocabularies are one class, looked up first: nothing is nearer than distance 0.
 *   - With sizes a and b, m matched terms leave a + b - 2 m unmatched.  So sizes are examined from
 * that of the query outward, and for each size first the vocabularies that would match the most.
 *   - With m of its a terms matched, a vocabulary holds a term relevant to one of any a - m + 1 of
 *     the query's terms.  So each m needs only one more list than m + 1; the lists of terms that
 * the fewest are relevant to come first.
 *   - Lists are examined by distance, in rings.  With m terms matched, what is in none of the rings
 *     examined so far weighs at least the sum of the m least weights that begin the next rings
 *     (R. Fagin, A. Lotem, M. Naor, "Optimal Aggregation Algorithms for Middleware", PODS 2001). So
 *     once something is found at a level, the cheapest ring comes next, until that exceeds the
 * best.
 *   - Once rings have cost as much as all vocabularies of that size would, these are examined
 *     instead: so never more than twice the cheaper of both.
 *   - Terms are divided into 64 cells, which are beside each entry of a list.  No more terms of the
 *     query can be matched than have a cell of their neighbourhood in common with a vocabulary. The
 *     same by 256 cells; then by a bit for each term near a term of the query, as long as there is
 *     memory for these.
 *   - A term of a vocabulary is marked with its weights with all terms of the query, once for each
 *     query: one look at each term of a vocabulary then gives its least cost, and it is excluded or
 *     deferred until nothing better can be left.  Where distances are expensive (in a graph), all
 *     terms relevant to the query are marked at once, when that is worth the cost.
 *
 * What passes all this is matched (lethe_assign_cost), a batch at a time, the most promising first,
 * large batches in parallel.  Batches do not depend on threads, nor does the number of pairs
 * evaluated.  With LETHE_ASSIGN_OMEGA_NONE (or 0), where unmatched terms cost nothing, no such
 * bound holds: candidates are examined in their order until one is at distance 0, as is any that
 * has nothing in common with the query. */
#ifndef LETHE_METHOD_CLUSTER_SSG_VOCABULARY_SEARCH_H
#define LETHE_METHOD_CLUSTER_SSG_VOCABULARY_SEARCH_H
#include "method/cluster/ssg/neighbourhoods.h"
#include "method/cluster/ssg/hyper.h"

/* Candidates, in the order that breaks ties. */
typedef struct lethe_ssg_candidates {
    size_t n; /* below 2^32 - 1 */
    const uint32_t *const *term;
    const uint32_t *size;
    const uint32_t *person; /* of each; NULL: persons do not matter */
} lethe_ssg_candidates;

typedef struct lethe_ssg_search lethe_ssg_search;
/* `work`: one for each thread of the context, borrowed like the neighbourhoods and `person`; terms
 * are copied.  Memory: 12 bytes per term of a candidate, about 80 per candidate, 64 per term of the
 * data, 4 per term of the data for each size with many candidates, and up to 32 MB of weights.
 * LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ssg_search_new(lethe_ctx *ctx, lethe_hyper_work *work,
                                                lethe_ssg_neighbourhoods *neighbours,
                                                const lethe_ssg_candidates *c,
                                                lethe_ssg_search **out);
void lethe_ssg_search_free(lethe_ssg_search *s); /* NULL is fine */

void lethe_ssg_search_remove(lethe_ssg_search *s, uint32_t candidate); /* which is left */

uint32_t
lethe_ssg_search_first(lethe_ssg_search *s); /* the first that is left; LETHE_NONE: none is */

typedef struct lethe_ssg_query {
    const uint32_t *term;
    size_t n;
    /* Candidates whose person p has met[p] == now are skipped; NULL: none is. */
    const uint32_t *met;
    uint32_t now;
    bool is_record; /* the candidates are centres of groups: the left side of a matching */
    /* Not NULL: the query is a group, its terms are one member of each of these hyper-terms, and
     * the cost of a candidate is computed from all members.  All bounds hold: a term relevant to
     * all members is relevant to that one, and no nearer to all together than to it alone. */
    const lethe_hyper *hyper;
} lethe_ssg_query;

/* The nearest candidate and its price; LETHE_NONE if there is none.  `pairs` grows by the number
 * evaluated.  LETHE_ENOMEM, LETHE_EINPUT (too large to match), LETHE_ECANCEL; without a message. */
LETHE_MUST_CHECK lethe_err lethe_ssg_search_nearest(lethe_ssg_search *s, const lethe_ssg_query *q,
                                                    uint32_t *out, lethe_assign_cost *price,
                                                    uint64_t *pairs);

#endif
