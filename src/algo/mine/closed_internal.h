/* SPDX-License-Identifier: Apache-2.0 */
/* closed_internal.h - what the parts of the miner share: the transactions made small
 * (closed_base.c), the support that is needed, and the search (closed_search.c). */
#ifndef LETHE_ALGO_MINE_CLOSED_INTERNAL_H
#define LETHE_ALGO_MINE_CLOSED_INTERNAL_H
#include "algo/mine/closed.h"
#include "core/mem.h"
#include <pthread.h>
#include <stdatomic.h>

/* --- the transactions --- */

/* A transaction that holds an item, and where in it the items after that one begin. */
typedef struct closed_place {
    uint32_t transaction, after;
} closed_place;

/* Items that can matter are ranked by support, the rarest first, so that few items come after most;
 * transactions hold ranks, ascending; equal ones are one, with their weights added up. */
typedef struct closed_base {
    uint32_t total; /* all weights, of empty transactions too */
    uint32_t n_ranks;
    const uint32_t *item;    /* by rank: the caller's */
    const uint32_t *support; /* by rank, ascending */
    uint32_t n;              /* distinct transactions that hold anything */
    const uint64_t *start;   /* n + 1 */
    const uint32_t *rank;
    const uint32_t *weight;
    const uint64_t *first;     /* n_ranks + 1: rank r is at place[first[r]] .. */
    const closed_place *place; /* in order of transactions */
    uint32_t least;            /* the support below which ranks were left out */
} closed_base;

/* Lives in `a`.  LETHE_ENOMEM comes without a message. */
LETHE_MUST_CHECK lethe_err lethe_closed_base(lethe_arena *a, const lethe_transactions *t,
                                             const lethe_closed_asked *asked, closed_base *out);

/* --- the support that is needed --- */

/* Rises while sets are found; never above what it is in the end, so that nothing is missed. */
typedef struct closed_bar {
    atomic_uint least;
    pthread_mutex_t lock; /* of what follows */
    uint32_t *found;      /* by support: how many, where it is `least` or more */
    uint64_t n_found;     /* of all these supports */
    uint64_t n, most;     /* as asked; UINT64_MAX: no limit */
} closed_bar;

static inline uint32_t closed_least(closed_bar *bar)
{
    return atomic_load_explicit(&bar->least, memory_order_relaxed);
}
void lethe_closed_found(closed_bar *bar, uint32_t support);

/* --- the search --- */

typedef struct closed_numbers {
    uint32_t *at;
    size_t n, cap;
} closed_numbers;

typedef struct closed_frame closed_frame;

/* A worker's own. */
typedef struct closed_miner {
    const closed_base *base;
    closed_bar *bar;
    uint32_t longest;
    closed_place *bucket; /* by rank, from base->first on: where it is in what holds the set */
    uint32_t *n_places;   /* by rank: of its bucket; 0 outside of open candidates */
    uint32_t *sum;        /* by rank: its support there */
    bool *in;             /* by rank: is it in the set? */
    uint32_t *set;        /* ranks, as they came */
    uint32_t n_set;
    closed_numbers waiting; /* candidates of all open frames */
    closed_frame *frame;    /* of the sets from the first rank to this one */
    size_t n_frames, cap_frames;
    closed_numbers store; /* sets found: support, size, ranks */
    size_t tidy_at;       /* at that size, those that are no longer needed leave */
} closed_miner;

LETHE_MUST_CHECK lethe_err lethe_closed_miner(const closed_base *b, closed_bar *bar,
                                              uint32_t longest, closed_miner *m);
void lethe_closed_miner_free(closed_miner *m);
/* The closure of nothing, if it has an item. */
LETHE_MUST_CHECK lethe_err lethe_closed_root(closed_miner *m);
/* All closed sets that come, by any number of extensions, from the closure of nothing extended by
 * this rank, and are frequent enough. */
LETHE_MUST_CHECK lethe_err lethe_closed_from(lethe_ctx *ctx, closed_miner *m, uint32_t rank);

#endif
