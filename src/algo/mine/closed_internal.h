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

/* Ranks as two words: each has a bit in both, which it shares with others, but hardly both with the
 * same. */
typedef struct closed_bits {
    uint64_t word[2];
} closed_bits;

static inline closed_bits closed_bits_of(uint32_t rank)
{
    return (closed_bits){{UINT64_C(1) << (rank % 64), UINT64_C(1) << (rank * 0x9e3779b1u >> 26)}};
}
static inline closed_bits closed_bits_or(closed_bits a, closed_bits b)
{
    return (closed_bits){{a.word[0] | b.word[0], a.word[1] | b.word[1]}};
}
static inline closed_bits closed_bits_and(closed_bits a, closed_bits b)
{
    return (closed_bits){{a.word[0] & b.word[0], a.word[1] & b.word[1]}};
}
/* Has `a` both bits of the rank? */
static inline bool closed_bits_hold(closed_bits a, uint32_t rank)
{
    return (a.word[0] >> (rank % 64) & 1) && (a.word[1] >> (rank * 0x9e3779b1u >> 26) & 1);
}

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

/* A rank in the transactions that hold the set. */
typedef struct closed_cell {
    closed_bits
        common; /* bits that `before` has in all of them: no other rank comes before in all */
    uint32_t n_places; /* of its bucket; 0 outside of open candidates */
    uint32_t sum;      /* its support */
} closed_cell;

/* The transactions of one rank, without ranks that are too rare beside it, and none of which can
 * matter: neither in a set that is frequent enough, nor as what all transactions of one have. */
typedef struct closed_rows {
    uint32_t n;
    size_t cap, cap_items;
    closed_place *place; /* of the rank, in each */
    uint64_t *start;     /* n + 1 */
    uint32_t *weight;
    uint32_t *rank;
    closed_bits *before; /* as `rank`: bits of all before it in its transaction */
} closed_rows;

/* Why a set could not be extended by a rank: `by` comes before it in all transactions that hold the
 * set and it, and is not in the set.  So it is with every larger set that lacks `by`, which is what
 * comes of that set while it is open. */
typedef struct closed_refusal {
    uint32_t by; /* LETHE_NONE: no set was refused */
    uint32_t n_frames;
    uint64_t serial; /* of the last of these frames */
} closed_refusal;

/* A worker's own. */
typedef struct closed_miner {
    const closed_base *base;
    closed_bar *bar;
    uint32_t longest;
    closed_place *bucket;    /* by rank, from base->first on: where it is in what holds the set */
    closed_rows rows;        /* of the rank that is searched from */
    uint32_t *beside;        /* by rank: transactions that it shares with that; 0 in between */
    uint32_t *met;           /* ranks where it is not 0 */
    closed_cell *cell;       /* by rank */
    closed_refusal *refusal; /* by rank: the last */
    uint64_t serial;         /* frames so far */
    bool *in;                /* by rank: is it in the set? */
    uint32_t *set;           /* ranks, as they came */
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
