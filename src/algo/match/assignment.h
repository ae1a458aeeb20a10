/* SPDX-License-Identifier: Apache-2.0 */
/* assignment.h - the cheapest way to pair two lists: minimum-weight bipartite matching.
 *
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * section 5.2.2.  There are n_left terms on the left (of a group: hyper-terms) and n_right on the
 * right (of a record), in order; some pairs may be matched, each at its weight.  An unmatched term
 * costs omega:
 *
 *   LETHE_ASSIGN_OMEGA_OVER   more than any pair: fewest unmatched first, then least weight (the
 *                             default)
 *   LETHE_ASSIGN_OMEGA_IS     `value`, on either side: model 2.  A pair heavier than twice that is
 *                             never matched, a pair of exactly that weight is (ties go to matched)
 *   LETHE_ASSIGN_OMEGA_NONE   nothing: model 1, most matched first, then least weight.  So the
 *                             matching is that of OVER, and only its price differs
 *
 * Of several matchings of least cost the result is the lexicographically least: left terms in
 * order, each to the earliest position on the right, unmatched last.  All numbers are whole.
 *
 * Connected components of pairs are solved separately.  One with a single term on a side takes one
 * look at its pairs; one of few terms a table over the sets of its right terms; any other shortest
 * augmenting paths with potentials and a heap, one for each term of the smaller side (Tomizawa
 * 1971, Edmonds and Karp 1972), and the tie rule by exchanges along pairs of reduced cost zero.
 * With s and t terms on its smaller and larger side and p pairs, at worst: O(s (p + t log t)) for
 * the paths, O(s (p + t)) for the ties, far less where most exchanges are short or one of their
 * ends is; memory O(s + t + p).  Pairs are a list: two bags of 100,000 copies of one term would
 * have 10^10. */
#ifndef LETHE_ALGO_MATCH_ASSIGNMENT_H
#define LETHE_ALGO_MATCH_ASSIGNMENT_H
#include "core/dict.h"

typedef struct lethe_assign_pair {
    uint32_t left, right;
    uint64_t weight;
} lethe_assign_pair;

/* Pairs ascend by left, then right, without duplicates; all numbers are below the sizes (assert).
 */
typedef struct lethe_assign_pairs {
    uint32_t n_left, n_right;
    size_t n;
    const lethe_assign_pair *at;
} lethe_assign_pairs;

typedef enum lethe_assign_omega_kind {
    LETHE_ASSIGN_OMEGA_OVER,
    LETHE_ASSIGN_OMEGA_IS,
    LETHE_ASSIGN_OMEGA_NONE
} lethe_assign_omega_kind;
typedef struct lethe_assign_omega {
    lethe_assign_omega_kind kind;
    uint64_t value; /* LETHE_ASSIGN_OMEGA_IS */
} lethe_assign_omega;

typedef struct lethe_assign_matching {
    uint32_t matched; /* pairs */
    uint64_t weight;  /* their sum */
} lethe_assign_matching;

/* The cost of a matching, compared by `unmatched` first, then `weight`.  OVER: terms unmatched on
 * both sides, and the sum of weights.  IS: 0, and the sum with omega for each unmatched term. NONE:
 * 0, and the sum. */
typedef struct lethe_assign_cost {
    uint64_t unmatched, weight;
} lethe_assign_cost;
#define LETHE_ASSIGN_COST_ANY ((lethe_assign_cost){UINT64_MAX, UINT64_MAX})

static inline int lethe_assign_cost_cmp(lethe_assign_cost a, lethe_assign_cost b)
{
    if (a.unmatched != b.unmatched) return a.unmatched < b.unmatched ? -1 : 1;
    return (a.weight > b.weight) - (a.weight < b.weight);
}
lethe_assign_cost lethe_assign_cost_of(lethe_assign_omega omega, uint32_t n_left, uint32_t n_right,
                                       lethe_assign_matching m);

/* Working memory, one per worker: grows to the largest problem, and then allocates no more. */
typedef struct lethe_assigner lethe_assigner;
lethe_assigner *lethe_assigner_new(void);    /* NULL: no memory */
void lethe_assigner_free(lethe_assigner *a); /* NULL is fine */

/* The matching: to[l] is the right term of left term l, or LETHE_NONE; `to` (n_left) and *out are
 * untouched on failure.  LETHE_ENOMEM; LETHE_EUSAGE where sums could overflow: the heaviest pairs
 * of all left terms, and omega for every term, must add up to less than 2^58. */
LETHE_MUST_CHECK lethe_err lethe_assign(lethe_assigner *a, const lethe_assign_pairs *p,
                                        lethe_assign_omega omega, uint32_t *to,
                                        lethe_assign_matching *out);

/* The price only, with less work: no ties are settled, and it ends early once the price certainly
 * exceeds `bound`: then *within is false and *out is untouched.  *within is true if and only if the
 * price is at most `bound`. */
LETHE_MUST_CHECK lethe_err lethe_assign_price(lethe_assigner *a, const lethe_assign_pairs *p,
                                              lethe_assign_omega omega, lethe_assign_cost bound,
                                              lethe_assign_cost *out, bool *within);

/* The implementation of the thesis, section 5.4.3: takes pairs by weight, then left, then right, if
 * both their terms are free.  All pairs count, however heavy, so omega does not matter.  O(n log
 * n). */
LETHE_MUST_CHECK lethe_err lethe_assign_greedy(lethe_assigner *a, const lethe_assign_pairs *p,
                                               uint32_t *to, lethe_assign_matching *out);

#endif
