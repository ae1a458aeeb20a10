/* SPDX-License-Identifier: Apache-2.0 */
/* hyper.h - vocabularies matched one after the other: what a group of them has in common.
 *
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * section 5.4.2.  A *hyper-term* is a bag of matched terms, one of each vocabulary of the group; a
 * hyper vocabulary is a list of them, in the order of the terms of the first vocabulary.  A term is
 * relevant to a hyper-term if it is relevant to all its members, at the sum of their distances.  A
 * vocabulary that joins is matched with the hyper-terms: matched terms go into the bags; every
 * other hyper-term and every other term is published no more.
 *
 * The *centre* is elected: the member of each hyper-term that is nearest to all (the least sum of
 * distances, copies counted; ties to the one that came first). */
#ifndef LETHE_METHOD_CLUSTER_SSG_HYPER_H
#define LETHE_METHOD_CLUSTER_SSG_HYPER_H
#include "algo/match/assignment.h"
#include "method/cluster/ssg/meaning.h"

/* How vocabularies are matched. */
typedef struct lethe_hyper_matcher {
    const lethe_meaning *meaning;
    lethe_assign_omega omega;
    bool greedy; /* lethe_assign_greedy in place of the cheapest matching */
} lethe_hyper_matcher;

/* Memory for matching, one per worker. */
typedef struct lethe_hyper_work {
    const lethe_hyper_matcher *how;
    lethe_meaning_asker *asker;
    lethe_assigner *assigner;
    struct lethe_hyper_cached *kept; /* 200 KB */
    lethe_meaning_quick quick;       /* if it has places, the cache is not used */
    lethe_assign_pair *pair;
    uint32_t *to;
    size_t room_pairs, room_to;
    uint64_t *sorted; /* of bags with many pairs: the terms on the right, each with its place */
    uint32_t *place;  /* the places of a neighbourhood */
    lethe_meaning_fan fan; /* of the terms on the right; distances of one term to them, and sums */
    uint32_t *distance;
    uint64_t *sum;
    size_t room_sorted;
} lethe_hyper_work;
LETHE_MUST_CHECK lethe_err lethe_hyper_work_begin(lethe_hyper_work *w,
                                                  const lethe_hyper_matcher *how);
void lethe_hyper_work_end(lethe_hyper_work *w); /* a zeroed one is fine */

/* lethe_meaning_distance of terms of the data, with a cache where that is quicker. */
uint32_t lethe_hyper_term_distance(lethe_hyper_work *w, uint32_t x, uint32_t y);

/* The most relevant pairs of two bags of terms: more is LETHE_EINPUT.  Where there could be many,
 * relevant ones are found by neighbourhoods (meaning.h), and others cost nothing. */
#define LETHE_HYPER_PAIRS_MAX ((size_t)1 << 25)

/* The price of two bags of terms: Definition 5.4.  *within as in lethe_assign_price.  LETHE_ENOMEM,
 * LETHE_EINPUT (too large to match); without a message. */
LETHE_MUST_CHECK lethe_err lethe_hyper_bag_price(lethe_hyper_work *w, const uint32_t *left,
                                                 size_t n_left, const uint32_t *right,
                                                 size_t n_right, lethe_assign_cost bound,
                                                 lethe_assign_cost *out, bool *within);

/* The same where the caller knows the relevant pairs: puts the n-th (from 0), in the order of
 * lethe_assign_pairs; then the price of n of them. */
LETHE_MUST_CHECK lethe_err lethe_hyper_pair_put(lethe_hyper_work *w, size_t n, uint32_t left,
                                                uint32_t right, uint64_t weight);
LETHE_MUST_CHECK lethe_err lethe_hyper_pairs_price(lethe_hyper_work *w, size_t n_left,
                                                   size_t n_right, size_t n,
                                                   lethe_assign_cost bound, lethe_assign_cost *out,
                                                   bool *within);

/* A distinct member of a hyper-term. */
typedef struct lethe_hyper_voter {
    uint32_t term;
    uint32_t count; /* copies */
    uint64_t sum;   /* of the distances to all members, copies counted */
} lethe_hyper_voter;

typedef struct lethe_hyper {
    uint32_t n_records; /* of the group: each hyper-term has as many members, copies counted */
    uint32_t n;         /* hyper-terms */
    uint32_t *start;    /* n + 1: hyper-term i is voter[start[i]] .. voter[start[i + 1] - 1], */
    lethe_hyper_voter *voter; /* in the order in which terms came */
    uint64_t items;           /* of all vocabularies that joined */
    size_t room, room_voters;
} lethe_hyper;

void lethe_hyper_free(lethe_hyper *h); /* zeroed then, and may be used again */
/* Adds a vocabulary; the first one if `h` is zeroed or cleared.  On failure `h` is unchanged.
 * LETHE_ENOMEM, LETHE_EINPUT (too large to match); without a message. */
LETHE_MUST_CHECK lethe_err lethe_hyper_join(lethe_hyper *h, lethe_hyper_work *w,
                                            const uint32_t *term, size_t n);
/* Makes `to` equal to `from`; on failure (LETHE_ENOMEM) it is unchanged. */
LETHE_MUST_CHECK lethe_err lethe_hyper_copy(lethe_hyper *to, const lethe_hyper *from);
void lethe_hyper_clear(lethe_hyper *h); /* removes all vocabularies, keeps the memory */

/* Puts all relevant pairs of the hyper-terms and these terms; *n_pairs: how many. */
LETHE_MUST_CHECK lethe_err lethe_hyper_put(const lethe_hyper *h, lethe_hyper_work *w,
                                           const uint32_t *term, size_t n, size_t *n_pairs);
/* The distance of a term to hyper-term i; false: it is not relevant to all its members. */
bool lethe_hyper_distance(const lethe_hyper *h, lethe_hyper_work *w, uint32_t i, uint32_t term,
                          uint64_t *out);
uint32_t lethe_hyper_elect(const lethe_hyper *h, uint32_t i); /* the term of hyper-term i */
/* bLM of the group, as a share of scale x items: for each hyper-term its members times its distinct
 * terms less one, and `scale` for every item that is in none. */
uint64_t lethe_hyper_loss(const lethe_hyper *h, uint64_t scale);
/* The same as if one more had joined: one matching, and nothing is built.  Errors as of
 * lethe_hyper_join. */
LETHE_MUST_CHECK lethe_err lethe_hyper_loss_with(const lethe_hyper *h, lethe_hyper_work *w,
                                                 const uint32_t *term, size_t n, uint64_t scale,
                                                 uint64_t *out);

/* How many hyper-terms there would be. */
LETHE_MUST_CHECK lethe_err lethe_hyper_matched(const lethe_hyper *h, lethe_hyper_work *w,
                                               const uint32_t *term, size_t n, uint32_t *out);

#endif
