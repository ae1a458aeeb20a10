/* vocabulary_search.h - of many vocabularies the nearest to one, exactly.
 *
 * J. Liu, thesis, Algorithm 5.1, lines 4 and 9.  What the thesis does by "a limited search" is done
 * here by bounds, so that the answer is that of a full scan:
 *
 *   - Equal vocabularies are one, looked for first: nothing is nearer than distance 0.
 *   - Of sizes a and b, m terms matched leave a + b - 2 m unmatched.  So sizes are looked at from
 *     that of the query outward, and for each size first those that would match the most.
 *   - With m of its a terms matched, a vocabulary holds a term relevant to one of any a - m + 1 of
 *     the query's terms.  So for each m only one list more is gone through than for m + 1: those of
 *     the terms that the fewest are relevant to come first.
 *   - A list is gone through by distance, up to what could still win.
 *   - Once that is worth it, all terms relevant to the query are marked with which of its terms
 * they are near to, and how near: by one look at each of its terms, what a vocabulary costs at
 * least is known, and it is left out, or put off till nothing better can be left.
 *
 * What passes all that is matched (lethe_assign_cost), a batch at a time, the most promising
 * first, large ones side by side.  Batches do not depend on threads, nor does the number of pairs
 * evaluated.  With LETHE_ASSIGN_OMEGA_NONE (or 0), where nothing is charged for what is unmatched,
 * no such bound holds: candidates are gone through in their order until one is at distance 0, as
 * what has nothing in common with the query is. */
#ifndef LETHE_METHOD_CLUSTER_SSG_VOCABULARY_SEARCH_H
#define LETHE_METHOD_CLUSTER_SSG_VOCABULARY_SEARCH_H
#include "method/cluster/ssg/neighbourhoods.h"
#include "method/cluster/ssg/hyper.h"

/* Candidates, in the order that decides between equally near ones. */
typedef struct lethe_ssg_candidates {
    size_t n; /* below 2^32 - 1 */
    const uint32_t *const *term;
    const uint32_t *size;
    const uint32_t *person; /* of each; NULL: nobody is asked about */
} lethe_ssg_candidates;

typedef struct lethe_ssg_search lethe_ssg_search;
/* `work`: one for each of the context's threads, borrowed, as the balls are and `person`; terms are
 * copied.  Memory: 12 bytes a term of a candidate, about 60 a
 * candidate and 24 a term of the data.  LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ssg_search_new(lethe_ctx *ctx, lethe_hyper_work *work,
                                                lethe_ssg_neighbourhoods *balls,
                                                const lethe_ssg_candidates *c,
                                                lethe_ssg_search **out);
void lethe_ssg_search_free(lethe_ssg_search *s); /* NULL is fine */

void lethe_ssg_search_remove(lethe_ssg_search *s, uint32_t candidate); /* which is there */

uint32_t
lethe_ssg_search_first(lethe_ssg_search *s); /* the first that is there; LETHE_NONE: none is */

typedef struct lethe_ssg_query {
    const uint32_t *term;
    size_t n;
    /* Candidates whose person p has met[p] == now are passed over; NULL: none is. */
    const uint32_t *met;
    uint32_t now;
    bool is_record; /* the candidates are groups' centres: left, as a group is in a matching */
    /* Not NULL: the query is a group, its terms being one member each of these, and what a
     * candidate would cost is told by all members.  All bounds hold: who is relevant to all is
     * relevant to that one, and no nearer to all together than to it alone. */
    const lethe_hyper *hyper;
} lethe_ssg_query;

/* The nearest candidate and its price; LETHE_NONE where there is none.  `pairs` grows by how many
 * were evaluated.  LETHE_ENOMEM, LETHE_EINPUT (too large to match), LETHE_ECANCEL; not said. */
LETHE_MUST_CHECK lethe_err lethe_ssg_search_nearest(lethe_ssg_search *s, const lethe_ssg_query *q,
                                                    uint32_t *out, lethe_assign_cost *price,
                                                    uint64_t *pairs);

#endif
