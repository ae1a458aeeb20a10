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
#ifndef LETHE_METHOD_MICROAGG_COMPANIONS_INTERNAL_H
#define LETHE_METHOD_MICROAGG_COMPANIONS_INTERNAL_H
#include "method/microagg/companions.h"
#include "core/dict.h"
#include "core/mem.h"

/* --- the crowd --- */

enum { LETHE_COARSE = 256, LETHE_FINE = 1024 }; /* bins; multiples of 64 */
enum { LETHE_TILE = 64 };                       /* slots at a time, at most */

typedef struct lethe_outline {
    const uint8_t *coarse, *fine;
    uint64_t coarse_over, fine_over; /* the surplus of all bins */
} lethe_outline;

typedef struct lethe_crowd {
    const lethe_interests_of *of;
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
} lethe_crowd;

LETHE_MUST_CHECK lethe_err lethe_crowd_new(lethe_ctx *ctx, const lethe_interests_of *of,
                                           lethe_crowd *out);
void lethe_crowd_free(lethe_crowd *c);
void lethe_crowd_remove(lethe_crowd *c, uint32_t user);
/* The user of the next slot has been looked at, if there still is one. */
void lethe_crowd_open(lethe_crowd *c);
/* The least user that is left of those; LETHE_NONE: none is. */
uint32_t lethe_crowd_least_open(lethe_crowd *c);
/* Closes the gaps among those that have been looked at once there are many: slots change. */
void lethe_crowd_tidy(lethe_crowd *c);
lethe_outline lethe_crowd_outline(const lethe_crowd *c, uint32_t slot);
/* Bounds of what the user of `x` has in common with those of slots from .. from + n - 1. */
void lethe_crowd_coarse(const lethe_crowd *c, const lethe_outline *x, uint32_t from, uint32_t n,
                        uint64_t *out);
uint64_t lethe_crowd_fine(const lethe_crowd *c, const lethe_outline *x, uint32_t slot);

/* --- one user against many --- */

typedef struct lethe_row_of {
    uint32_t *count; /* by category */
    uint32_t user;   /* whose; LETHE_NONE: all are 0 */
} lethe_row_of;

uint64_t lethe_row_common(const lethe_interests_of *of, lethe_row_of *row, uint32_t u, uint32_t v);

/* --- the pairs --- */

typedef struct lethe_mate {
    uint64_t value; /* in common, at most */
    uint32_t user;
    uint32_t exact; /* bool */
} lethe_mate;

typedef struct lethe_mates { /* of one user: a heap */
    lethe_mate *at;
    uint32_t n, cap, asked;
    lethe_mate last; /* those that come after it are not among them; value 0: all are */
} lethe_mates;

typedef struct lethe_offer { /* a user's best, or (j LETHE_NONE) the bound of its others */
    uint64_t value;
    uint32_t i, j; /* i < j */
    uint32_t user;
    uint32_t exact;
} lethe_offer;

typedef struct lethe_offers { /* a heap */
    lethe_offer *at;
    size_t n, cap;
} lethe_offers;

typedef struct lethe_pairing {
    lethe_ctx *ctx;
    lethe_crowd *crowd;
    lethe_mates *mates;        /* by user */
    lethe_offers best, others; /* what users have; what they may have besides */
    lethe_row_of row;
    uint64_t pairs, bounded;
} lethe_pairing;

LETHE_MUST_CHECK lethe_err lethe_pairing_new(lethe_ctx *ctx, lethe_crowd *crowd,
                                             lethe_pairing *out);
void lethe_pairing_free(lethe_pairing *p);
/* The two of the crowd that have most in common; *value 0: no two have anything. */
LETHE_MUST_CHECK lethe_err lethe_pairing_next(lethe_pairing *p, uint32_t *i, uint32_t *j,
                                              uint64_t *value);
/* Frees what is kept of a user that has gone. */
void lethe_pairing_forget(lethe_pairing *p, uint32_t user);

/* --- the team --- */

typedef struct lethe_known { /* a user and what it has in common with all members, at most */
    uint64_t sum;
    uint32_t user;
} lethe_known;

typedef struct lethe_member {
    uint32_t user, slot;
    uint64_t most; /* as in the crowd when it left that */
    lethe_outline outline;
} lethe_member;

typedef struct lethe_team {
    lethe_crowd *crowd;
    lethe_member *member; /* in order of slots */
    uint32_t n, k;
    uint8_t *coarse, *fine; /* outlines of members */
    lethe_known *known;     /* users for which the sum was worked out */
    lethe_known *maybe;     /* others that might have more, with bounds */
    uint32_t n_known, n_maybe;
    uint64_t promised; /* the greatest bound of those that were tried */
    uint32_t *asked;   /* by user: the last group it was worked out for */
    uint32_t group;
    lethe_row_of row;
    uint64_t pairs, bounded;
} lethe_team;

LETHE_MUST_CHECK lethe_err lethe_team_new(lethe_crowd *crowd, uint32_t k, lethe_team *out);
void lethe_team_free(lethe_team *t);
void lethe_team_begin(lethe_team *t, uint32_t group); /* groups count from 0 */
void lethe_team_join(lethe_team *t, uint32_t user);   /* and leaves the crowd */
/* A guess at who might be next; it is never wrong to have guessed. */
void lethe_team_try(lethe_team *t, uint32_t user);
/* Who of the crowd, where somebody is left, has most in common with the members. */
uint32_t lethe_team_next(lethe_team *t);

#endif
