/* SPDX-License-Identifier: Apache-2.0 */
/* refine_blm_internal.h - the model of bLM: groups and prices (refine_blm.c), and the groups near a
 * record (refine_blm_near.c). */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_BLM_INTERNAL_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_BLM_INTERNAL_H
#include "algo/match/most_pairs.h"
#include "method/cluster/refine/refine_blm.h"

enum {
    LETHE_BLM_SHORT = 24, /* terms near each of its own by which candidates of a record are found */
    LETHE_BLM_PARTS = 64, /* of the taxonomy: bits of a number */
    LETHE_BLM_TURN = 8,   /* the turn of a record comes every so many rounds, */
    LETHE_BLM_LONG = 32,  /* that of one with so many terms in each */
};

struct lethe_blm_group {
    lethe_hyper hyper;
    uint32_t *member; /* in the order in which they joined */
    uint32_t n, room;
    uint64_t cost;
    uint64_t parts;   /* where the first members of its hyper-terms are: a bit for each part */
    uint64_t changed; /* the round in which it last did */
    uint32_t most;    /* hyper-terms without one of its members: the most there are */
};

/* What a swap is judged by first, in one place: most are discarded at once. */
struct lethe_blm_record {
    uint32_t of, size;   /* its group, and its terms */
    uint64_t reach;      /* the parts in which terms near one of its own are */
    uint64_t without;    /* the cost of its group without it, */
    uint64_t rest_parts; /* where the hyper-terms are then, */
    uint32_t rest_n;     /* and how many */
};

/* Lists of groups by the terms of their centres. */
struct lethe_blm_lists {
    uint32_t *start; /* of each slot, and one more */
    uint32_t *group;
    size_t room;
};

/* Sets of terms, for bounds (refine_blm_most.c). */
struct lethe_blm_most {
    uint32_t longest; /* most terms of a record, and most hyper-terms */
    uint32_t record;  /* the one whose terms are in `near`; `stamp` 0: none */
    uint32_t stamp;
    uint32_t *known;  /* of each slot: the stamp of its set in `near`, */
    uint64_t *near;   /* the record's terms near it */
    uint32_t rest_of; /* 1 + the record whose group without it is in `rest`; 0: none */
    uint64_t *rest;   /* of each hyper-term: the slots relevant to it */
    uint64_t *row;    /* of each hyper-term: the terms of a record relevant to it */
    uint64_t *has;    /* slots of a record's terms; empty between calls */
    uint32_t *sizes;
    lethe_most_pairs *pairs;
};

struct lethe_blm_worker {
    lethe_hyper_work match;
    lethe_hyper hyper, before;
    struct lethe_blm_rest {
        lethe_hyper hyper;
        uint32_t record; /* the record whose group it is without it; LETHE_NONE: none */
    } rest[2];           /* for groups that are too large to store them */
    uint32_t *score;     /* of each group; 0 except during a search */
    uint32_t *found;
    struct lethe_blm_asked {
        uint32_t record, group, matched;
    } asked;         /* the last result of matched_with */
    uint64_t n_near; /* pairs of terms near each other */
    struct lethe_blm_most most;
};

struct lethe_blm {
    lethe_ctx *ctx;
    const lethe_ssg_options *how;
    const lethe_records *r;
    uint64_t scale;
    struct lethe_blm_worker *worker;
    unsigned n_workers;
    struct lethe_blm_group *group;
    uint32_t room; /* most groups */
    struct lethe_blm_record *record;
    lethe_hyper *rest;              /* of each record: its group without it, if stored */
    uint32_t part[LETHE_BLM_PARTS]; /* the first term of each part: all have about as many items */
    uint32_t *term;                 /* all terms, ascending; their places are slots */
    size_t n_terms;
    bool crowded;      /* a term has many others near it */
    uint32_t *slot;    /* of each item of the records */
    uint32_t *slot_at; /* of each term, by its number */
    uint64_t *is_near; /* of each slot a set: the slots near it; NULL: too many */
    size_t words;      /* of such a set */
    uint32_t *near; /* of each slot: up to LETHE_BLM_SHORT slots, the nearest first; LETHE_NONE ends
                       them */
    struct lethe_blm_lists lists;
    uint64_t round; /* of all: counted by lethe_blm_ready */
    uint64_t first; /* the last of the first rounds */
    uint64_t all;   /* a round in which it is everybody's turn */
};

static inline const uint32_t *lethe_blm_terms_of(const struct lethe_blm *x, uint32_t r)
{
    return x->r->item + x->r->start[r];
}
static inline uint32_t lethe_blm_size_of(const struct lethe_blm *x, uint32_t r)
{
    return x->record[r].size;
}
/* Is it the turn of a record to look for swaps that publish no more? */
static inline bool lethe_blm_is_turn(const struct lethe_blm *x, uint32_t r)
{
    return (r + x->round) % LETHE_BLM_TURN == 0 || x->record[r].size >= LETHE_BLM_LONG ||
           x->round == x->all;
}

/* For a pool: the terms near the i-th one. */
LETHE_MUST_CHECK lethe_err lethe_blm_near_terms(void *arg, size_t i, unsigned w);
/* `ready` and `renew` of lethe_refine_model. */
LETHE_MUST_CHECK lethe_err lethe_blm_ready(void *arg, uint32_t n_groups, const uint32_t *changed,
                                           size_t n_changed);
LETHE_MUST_CHECK lethe_err lethe_blm_renew(void *arg, unsigned w, uint32_t record, bool changed,
                                           lethe_refine_candidate *at, size_t *n);

/* Begins before lethe_blm_near_terms, which puts the terms around each. */
LETHE_MUST_CHECK lethe_err lethe_blm_most_begin(struct lethe_blm *x);
void lethe_blm_most_end(struct lethe_blm *x);
void lethe_blm_most_put(struct lethe_blm *x, uint32_t slot, const lethe_meaning_neighbour *around,
                        size_t n);
/* Bounds from below of lethe_hyper_loss_with, of a group with other members: quick if r is the same
 * in many calls; or if h, that of the group of `of` without it, is.  0 if there is no table. */
int64_t lethe_blm_least_joined(const struct lethe_blm *x, struct lethe_blm_worker *w,
                               const lethe_hyper *h, uint32_t r);
int64_t lethe_blm_least_in_rest(const struct lethe_blm *x, struct lethe_blm_worker *w,
                                const lethe_hyper *h, uint32_t of, uint32_t r);

#endif
