/* companions_internal.h - what the parts of companions.c have of each other.
 *
 * The crowd: the users that are left, in order of mass (all their counts together; the heaviest
 * first, of several the least), each with two outlines.  An outline is what the categories come to
 * in some hundred bins, in which what two users have in common is no less than category by
 * category: min(a + b, c + d) >= min(a, c) + min(b, d).  A bin is one byte, in units that fit
 * nearly all users; what does not fit, its surplus, is summed up aside.
 *
 * The pairs: of each user what it has most in common with one that is heavier, exactly or bounded
 * from above (outlines; its mass, until it is first looked at).  As users go, bounds stay true.  So
 * only those whose bound comes to the top, some at once, are looked at closer (a lazy queue).
 *
 * The team: the members of a group that is being made, and who joins it next. */
#ifndef LETHE_METHOD_MICROAGG_GROUP_SEARCH_INTERNAL_H
#define LETHE_METHOD_MICROAGG_GROUP_SEARCH_INTERNAL_H
#include "method/microagg/group_search.h"
#include "core/dict.h"
#include "core/mem.h"

/* --- the crowd --- */

enum { LETHE_MICROAGG_COARSE = 256, LETHE_MICROAGG_FINE = 1024 }; /* bins; multiples of 64 */
enum { LETHE_MICROAGG_TILE = 64 };                                /* slots at a time, at most */

typedef struct lethe_microagg_sketch {
    const uint8_t *coarse, *fine;
    uint64_t coarse_over, fine_over; /* the surplus of all bins */
} lethe_microagg_sketch;

typedef struct lethe_microagg_pool {
    const lethe_microagg_interests *of;
    uint32_t first, n;  /* slots first .. n - 1; before them there is nobody */
    uint32_t n_left;    /* users */
    uint32_t n_open;    /* slots below it: of users that have been looked at */
    uint32_t n_counted; /* slots below it that are empty are counted: */
    uint32_t n_gone;
    uint32_t *user;  /* of a slot: LETHE_NONE if gone */
    uint32_t *slot;  /* of a user: LETHE_NONE if gone */
    uint32_t *least; /* of a slot: no user at or after it is less */
    uint64_t *mass;  /* of a slot, as all below */
    uint64_t *most;  /* bound of what it has in common with any that comes before it */
    uint64_t *coarse_over, *fine_over;
    uint8_t *coarse, *fine;
    uint8_t shift;       /* the unit is 1 << shift */
    uint32_t least_left; /* user */
    uint32_t least_open; /* no user below it is open */
    uint64_t *open;      /* bits, by user: looked at, and not gone */
    bool wide;           /* AVX2 */
} lethe_microagg_pool;

LETHE_MUST_CHECK lethe_err lethe_microagg_pool_new(lethe_ctx *ctx,
                                                   const lethe_microagg_interests *of,
                                                   lethe_microagg_pool *out);
void lethe_microagg_pool_free(lethe_microagg_pool *c);
void lethe_microagg_pool_remove(lethe_microagg_pool *c, uint32_t user);
/* The user of the next slot has been looked at, if there still is one. */
void lethe_microagg_pool_open(lethe_microagg_pool *c);
/* The least user that is left of those; LETHE_NONE: none is. */
uint32_t lethe_microagg_pool_least_open(lethe_microagg_pool *c);
/* Closes the gaps among those that have been looked at once there are many: slots change. */
void lethe_microagg_pool_compact(lethe_microagg_pool *c);
lethe_microagg_sketch lethe_microagg_pool_sketch(const lethe_microagg_pool *c, uint32_t slot);
/* Bounds of what the user of `x` has in common with those of slots from .. from + n - 1. */
void lethe_microagg_pool_coarse(const lethe_microagg_pool *c, const lethe_microagg_sketch *x,
                                uint32_t from, uint32_t n, uint64_t *out);
uint64_t lethe_microagg_pool_fine(const lethe_microagg_pool *c, const lethe_microagg_sketch *x,
                                  uint32_t slot);

/* --- one user against many --- */

typedef struct lethe_microagg_row {
    uint32_t *count; /* by category */
    uint32_t user;   /* whose; LETHE_NONE: all are 0 */
} lethe_microagg_row;

uint64_t lethe_microagg_row_common(const lethe_microagg_interests *of, lethe_microagg_row *row,
                                   uint32_t u, uint32_t v);

/* --- the pairs --- */

typedef struct lethe_microagg_partner {
    uint64_t value; /* in common, at most */
    uint32_t user;
    uint32_t exact; /* bool */
} lethe_microagg_partner;

typedef struct lethe_microagg_partners { /* of one user: a heap */
    lethe_microagg_partner *at;
    uint32_t n, cap, asked;
    lethe_microagg_partner last; /* those that come after it are not among them; value 0: all are */
} lethe_microagg_partners;

typedef struct lethe_microagg_offer { /* a user's best, or (j LETHE_NONE) the bound of its others */
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
    lethe_microagg_pool *crowd;
    lethe_microagg_partners *mates;     /* by user */
    lethe_microagg_offers best, others; /* what users have; what they may have besides */
    lethe_microagg_row row;
    uint64_t pairs, bounded;
} lethe_microagg_pairs;

LETHE_MUST_CHECK lethe_err lethe_microagg_pairs_new(lethe_ctx *ctx, lethe_microagg_pool *crowd,
                                                    lethe_microagg_pairs *out);
void lethe_microagg_pairs_free(lethe_microagg_pairs *p);
/* The two of the crowd that have most in common; *value 0: no two have anything. */
LETHE_MUST_CHECK lethe_err lethe_microagg_pairs_next(lethe_microagg_pairs *p, uint32_t *i,
                                                     uint32_t *j, uint64_t *value);
/* Frees what is kept of a user that has gone. */
void lethe_microagg_pairs_forget(lethe_microagg_pairs *p, uint32_t user);

/* --- the team --- */

typedef struct lethe_microagg_candidate { /* a user and what it has in common with all members, at
                                             most */
    uint64_t sum;
    uint32_t user;
} lethe_microagg_candidate;

typedef struct lethe_microagg_member {
    uint32_t user, slot;
    uint64_t most; /* as in the crowd when it left that */
    lethe_microagg_sketch outline;
} lethe_microagg_member;

typedef struct lethe_microagg_partial {
    lethe_microagg_pool *crowd;
    lethe_microagg_member *member; /* in order of slots */
    uint32_t n, k;
    uint8_t *coarse, *fine;          /* outlines of members */
    lethe_microagg_candidate *known; /* users for which the sum was worked out */
    lethe_microagg_candidate *maybe; /* others that might have more, with bounds */
    uint32_t n_known, n_maybe;
    uint64_t promised; /* the greatest bound of those that were tried */
    uint32_t *asked;   /* by user: the last group it was worked out for */
    uint32_t group;
    lethe_microagg_row row;
    uint64_t pairs, bounded;
} lethe_microagg_partial;

LETHE_MUST_CHECK lethe_err lethe_microagg_partial_new(lethe_microagg_pool *crowd, uint32_t k,
                                                      lethe_microagg_partial *out);
void lethe_microagg_partial_free(lethe_microagg_partial *t);
void lethe_microagg_partial_begin(lethe_microagg_partial *t,
                                  uint32_t group); /* groups count from 0 */
void lethe_microagg_partial_join(lethe_microagg_partial *t,
                                 uint32_t user); /* and leaves the crowd */
/* A guess at who might be next; it is never wrong to have guessed. */
void lethe_microagg_partial_try(lethe_microagg_partial *t, uint32_t user);
/* Who of the crowd, where somebody is left, has most in common with the members. */
uint32_t lethe_microagg_partial_next(lethe_microagg_partial *t);

#endif
