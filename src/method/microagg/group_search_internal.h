/* SPDX-License-Identifier: Apache-2.0 */
/* group_search_internal.h - the parts of group_search.c.
 *
 * Sketches: the sums of the categories in some hundred bins.  What two users have in common by bins
 * is never less than by categories: min(a + b, c + d) >= min(a, c) + min(b, d).  A bin is one byte,
 * in units that fit nearly all users; what does not fit, the surplus, is summed separately.  Coarse
 * ones are compared by tiles of 64 users, fine ones by pairs.
 *
 * The candidate pool: the users that are left, in order of mass (the sum of their counts; the
 * heaviest first, ties by number), each with two sketches.
 *
 * The closest pair: for each user, the most that it has in common with a heavier one, exactly or
 * bounded from above (by sketches; by its mass until it is first compared).  Bounds stay valid as
 * users leave, so only users whose bound is on top are examined, several at once (a lazy queue).
 *
 * The partial group: the members of the group that is being built, and the candidate that joins
 * next. */
#ifndef LETHE_METHOD_MICROAGG_GROUP_SEARCH_INTERNAL_H
#define LETHE_METHOD_MICROAGG_GROUP_SEARCH_INTERNAL_H
#include "method/microagg/group_search.h"
#include "core/dict.h"
#include "core/mem.h"

/* --- sketches --- */

enum { LETHE_MICROAGG_COARSE = 256, LETHE_MICROAGG_FINE = 1024 }; /* bins; multiples of 64 */
enum { LETHE_MICROAGG_SUM_END = UINT32_MAX / 2 };                 /* of units: so many, or more */
enum { LETHE_MICROAGG_TILE = 64 };                                /* slots of a tile */
_Static_assert(LETHE_MICROAGG_COARSE *UINT8_MAX < UINT16_MAX, "units of all bins fit two bytes");

/* The coarse sketch of a user that is compared with many: its bins that are not empty, in runs
 * whose units sum up to one byte at most. */
typedef struct lethe_microagg_probe {
    uint32_t n, n_runs;
    uint16_t end[LETHE_MICROAGG_COARSE];   /* of each run */
    uint32_t after[LETHE_MICROAGG_COARSE]; /* of each run: the units of those that follow */
    uint16_t row[LETHE_MICROAGG_COARSE];   /* of a tile: where the bin begins */
    uint32_t units[LETHE_MICROAGG_COARSE]; /* in each of the four bytes */
    uint64_t surplus;                      /* of all bins */
} lethe_microagg_probe;

/* How bytes are compared: all ways give the same. */
typedef enum lethe_microagg_simd {
    LETHE_MICROAGG_PLAIN,
    LETHE_MICROAGG_AVX2,
    LETHE_MICROAGG_AVX512
} lethe_microagg_simd;
lethe_microagg_simd lethe_microagg_simd_best(void);
/* The units that the probe has in common with each slot of a tile, which has a row of
 * LETHE_MICROAGG_TILE bytes for each bin.  May end early, with false, if no slot has `least`. */
bool lethe_microagg_tile_common(lethe_microagg_simd simd, const lethe_microagg_probe *x,
                                const uint8_t *tile, uint16_t least, uint16_t *out);
/* Bits, by slot: those with `least` units or more. */
uint64_t lethe_microagg_tile_at_least(lethe_microagg_simd simd, const uint16_t *units,
                                      uint16_t least);
/* Adds the units, at most `cap` each, to the sums, which end at LETHE_MICROAGG_SUM_END. */
void lethe_microagg_tile_add(lethe_microagg_simd simd, const uint16_t *units, uint16_t cap,
                             uint32_t *sum);
uint64_t lethe_microagg_tile_sums_at_least(lethe_microagg_simd simd, const uint32_t *sum,
                                           uint32_t least);
/* What two rows of LETHE_MICROAGG_FINE bytes have in common. */
uint32_t lethe_microagg_fine_common(lethe_microagg_simd simd, const uint8_t *a, const uint8_t *b);

/* --- the candidate pool --- */

typedef struct lethe_microagg_pool {
    const lethe_microagg_interests *of;
    uint32_t first, n;  /* slots first .. n - 1; those before are empty */
    uint32_t n_left;    /* users */
    uint32_t n_open;    /* slots below it: of users that have been compared */
    uint32_t n_counted; /* among the slots below it, n_gone are empty */
    uint32_t n_gone;
    uint32_t *user;  /* of a slot; LETHE_NONE: empty */
    uint32_t *slot;  /* of a user; LETHE_NONE: it has left */
    uint32_t *least; /* of a slot: no user at or after it is lower */
    uint64_t *mass;  /* of a slot, as all below */
    uint64_t *most;  /* bound of what it has in common with any user before it */
    uint64_t *rest;  /* the same, but for those users that are among its partners */
    uint64_t *coarse_surplus, *fine_surplus;
    uint8_t *coarse;        /* tiles */
    uint8_t *fine;          /* rows */
    uint64_t *taken;        /* of a tile: bits of its slots that are not empty */
    uint64_t *most_surplus; /* of a tile: the highest coarse one */
    uint64_t *most_rest;    /* of a tile */
    uint8_t shift;          /* the unit is 1 << shift */
    float *share;           /* of a coarse bin in the mass of all users */
    uint32_t least_left;    /* user */
    uint32_t least_open;    /* no user below it has been compared */
    uint64_t *open;         /* bits, by user: compared, and still there */
    lethe_microagg_simd simd;
} lethe_microagg_pool;

LETHE_MUST_CHECK lethe_err lethe_microagg_pool_new(lethe_ctx *ctx,
                                                   const lethe_microagg_interests *of,
                                                   lethe_microagg_pool *out);
void lethe_microagg_pool_free(lethe_microagg_pool *c);
void lethe_microagg_pool_remove(lethe_microagg_pool *c, uint32_t user);
/* Marks the user of the next slot, if it is still there, as compared. */
void lethe_microagg_pool_open(lethe_microagg_pool *c);
/* The lowest user of those; LETHE_NONE: there is none. */
uint32_t lethe_microagg_pool_least_open(lethe_microagg_pool *c);
/* Closes the gaps among the compared users once there are many: slots change. */
LETHE_MUST_CHECK lethe_err lethe_microagg_pool_compact(lethe_microagg_pool *c);
/* Sets the rest of a slot. */
void lethe_microagg_pool_set_rest(lethe_microagg_pool *c, uint32_t slot, uint64_t rest);
void lethe_microagg_pool_probe(const lethe_microagg_pool *c, uint32_t slot,
                               lethe_microagg_probe *out);
/* The units that the probe has in common with each slot of a tile; false: none has `least`. */
bool lethe_microagg_pool_coarse(const lethe_microagg_pool *c, const lethe_microagg_probe *x,
                                uint32_t tile, uint16_t least, uint16_t *units);
/* Bounds what the user of `x` has in common with that of a slot, by those units. */
uint64_t lethe_microagg_pool_bound(const lethe_microagg_pool *c, const lethe_microagg_probe *x,
                                   uint32_t slot, uint16_t units);
/* The units without which a slot of the tile has less than `value`. */
uint64_t lethe_microagg_pool_units(const lethe_microagg_pool *c, uint64_t surplus, uint64_t value);
/* Bounds what the users of two rows have in common; the first is the fine sketch of some slot. */
uint64_t lethe_microagg_pool_fine(const lethe_microagg_pool *c, const uint8_t *row,
                                  uint64_t surplus, uint32_t slot);
/* Bits of the slots from .. end - 1 that are in the tile and not empty. */
uint64_t lethe_microagg_pool_taken(const lethe_microagg_pool *c, uint32_t tile, uint32_t from,
                                   uint32_t end);

/* --- one user against many --- */

typedef struct lethe_microagg_row {
    uint32_t *count; /* by category */
    uint32_t user;   /* whose counts these are; LETHE_NONE: all are 0 */
} lethe_microagg_row;

uint64_t lethe_microagg_row_common(const lethe_microagg_interests *of, lethe_microagg_row *row,
                                   uint32_t u, uint32_t v);

/* --- the closest pair --- */

typedef struct lethe_microagg_partner {
    uint64_t value; /* in common, or a bound of it */
    uint32_t user;
    uint32_t exact; /* bool */
} lethe_microagg_partner;

typedef struct lethe_microagg_partners { /* the best of one user, as a heap */
    lethe_microagg_partner *at;
    uint32_t n, cap, asked;
    uint32_t found;              /* by the last comparison; not among the n yet */
    lethe_microagg_partner last; /* those after it are missing; value 0: none are */
} lethe_microagg_partners;

typedef struct lethe_microagg_users {
    uint32_t *at;
    uint32_t n, cap;
} lethe_microagg_users;

typedef struct lethe_microagg_offer { /* a user's best pair, or (j LETHE_NONE) the bound of its
                                         missing ones */
    uint64_t value;
    uint32_t i, j; /* i < j */
    uint32_t user;
    uint32_t exact;
} lethe_microagg_offer;

typedef struct lethe_microagg_offers { /* a heap */
    lethe_microagg_offer *at;
    size_t n, cap;
} lethe_microagg_offers;

typedef struct lethe_microagg_pairs {
    lethe_ctx *ctx;
    lethe_microagg_pool *pool;
    lethe_microagg_partners *partners;  /* by user */
    lethe_microagg_users *of;           /* by user: those whose partner it is, or was */
    lethe_microagg_offers best, others; /* best pairs; bounds of missing ones */
    lethe_microagg_row row;
    uint64_t pairs, bounded;
} lethe_microagg_pairs;

LETHE_MUST_CHECK lethe_err lethe_microagg_pairs_new(lethe_ctx *ctx, lethe_microagg_pool *pool,
                                                    lethe_microagg_pairs *out);
void lethe_microagg_pairs_free(lethe_microagg_pairs *p);
/* The two users of the pool that have most in common; *value 0: no two have anything. */
LETHE_MUST_CHECK lethe_err lethe_microagg_pairs_next(lethe_microagg_pairs *p, uint32_t *i,
                                                     uint32_t *j, uint64_t *value);
/* Frees what is kept of a user that has left. */
void lethe_microagg_pairs_forget(lethe_microagg_pairs *p, uint32_t user);

/* --- the partial group --- */

typedef struct lethe_microagg_candidate { /* a user, and what it has in common with all members or a
                                             bound */
    uint64_t sum;
    uint32_t user;
} lethe_microagg_candidate;

typedef struct lethe_microagg_member {
    uint32_t user, slot;
    uint64_t most, rest; /* as in the pool when it left it */
    uint64_t fine_surplus;
    uint32_t number; /* in order of joining */
} lethe_microagg_member;

typedef struct lethe_microagg_partial {
    lethe_microagg_pool *pool;
    lethe_microagg_member *member; /* in order of slots */
    uint32_t n, k;
    lethe_microagg_probe *probe; /* of members, in order of joining, as below */
    uint8_t *fine;
    uint64_t most;     /* what any two users of the pool have in common, at most */
    uint32_t *sum;     /* of a slot: units in common with the members that are counted */
    uint32_t *counted; /* of a tile: the number of those members */
    uint64_t *surplus; /* of a tile: what they may have in common besides */
    lethe_microagg_candidate *known; /* users with their exact sums */
    lethe_microagg_candidate *maybe; /* users that might have more, with bounds */
    uint32_t *near; /* users that are partners of a member, or have one for a partner */
    uint32_t n_known, n_maybe, n_near;
    uint64_t promised; /* the highest bound of those that were tried */
    uint32_t *asked;   /* by user: the last group for which its sum was computed */
    uint32_t *named;   /* by user: the last group for which it was near */
    uint32_t group;
    lethe_microagg_row row;
    uint64_t pairs, bounded;
} lethe_microagg_partial;

LETHE_MUST_CHECK lethe_err lethe_microagg_partial_new(lethe_microagg_pool *pool, uint32_t k,
                                                      lethe_microagg_partial *out);
void lethe_microagg_partial_free(lethe_microagg_partial *t);
/* Groups count from 0.  No two users of the pool have more than `most` in common. */
void lethe_microagg_partial_begin(lethe_microagg_partial *t, uint32_t group, uint64_t most);
void lethe_microagg_partial_join(lethe_microagg_partial *t,
                                 uint32_t user); /* removes it from the pool */
/* Computes the sum of a user that is likely to be next; any user is allowed. */
void lethe_microagg_partial_try(lethe_microagg_partial *t, uint32_t user);
/* Says that a user is a partner of a member, or has it for a partner. */
void lethe_microagg_partial_near(lethe_microagg_partial *t, uint32_t user);
/* The user of the pool, which is not empty, that has most in common with the members, of whom all
 * partners have been said. */
uint32_t lethe_microagg_partial_next(lethe_microagg_partial *t);

#endif
