/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_internal.h - the search for the nearest vocabulary: candidates by size, by class and
 * by term (vocabulary_index.c), a query (vocabulary_query.c), bounds (vocabulary_marks.c) and the
 * scan (vocabulary_search.c). */
#ifndef LETHE_METHOD_CLUSTER_SSG_VOCABULARY_INTERNAL_H
#define LETHE_METHOD_CLUSTER_SSG_VOCABULARY_INTERNAL_H
#include "method/cluster/ssg/vocabulary_search.h"

/* Slots are divided into cells, in their order: of a tree, neighbours share a few.  64 of them are
 * beside each posting, so that most classes are refused without a look at them; each is divided
 * into LETHE_SSG_FINE, of which a class has the rest of the story. */
enum { LETHE_SSG_CELLS = 64, LETHE_SSG_FINE = 4 };
enum {
    LETHE_SSG_BATCH_FIRST = 8, /* pairs evaluated between two looks at bounds; doubles up to */
    LETHE_SSG_BATCH = 256,
    LETHE_SSG_MARKED = 64, /* terms of a query that a mark tells apart; likewise of a class */
    LETHE_SSG_WIDEN = 4,   /* what computing a term of a neighbourhood costs, in looks at terms */
};

/* --- the candidates --- */

/* Equal vocabularies. */
struct lethe_ssg_class {
    uint64_t at;    /* its terms, ascending; with `ordered` as they came */
    uint32_t size;  /* how many */
    uint32_t first; /* its candidates: member[first] .. member[end - 1], ascending */
    uint32_t end;
    uint32_t left;  /* candidates that are left */
    uint64_t cells; /* where its terms are: LETHE_SSG_CELLS */
    uint64_t fine[LETHE_SSG_FINE];
};

/* In place of the last query that considered a class: no candidate of it is left. */
#define LETHE_SSG_GONE UINT32_MAX

/* Classes of one size that have a term. */
struct lethe_ssg_segment {
    uint64_t start;
    uint32_t size; /* its place in `sizes` */
    uint32_t n;
};

/* The terms near a place of the query's list, by distance.  Copies of a term share the first's. */
struct lethe_ssg_walk {
    const lethe_meaning_neighbour *around;
    size_t n;
    bool whole;                   /* there are no more */
    lethe_meaning_neighbour *own; /* a copy of those that the cache does not keep */
    size_t room;
};

/* How far the classes of one size were looked for at a place of the list: the terms of around[0 ..
 * at - 1] are done; those up to `end` are at one distance. */
struct lethe_ssg_ring {
    size_t at, end;
    uint64_t cost;   /* about so many looks at terms */
    uint64_t weight; /* no term from here on weighs less with the query's term at this place */
};

/* Classes of one size, in the current query. */
struct lethe_ssg_visit {
    uint64_t first; /* its rings, one for each place */
    uint64_t spent; /* looks at terms so far */
    bool done;      /* all were considered */
};

/* Candidates in some order, some of which are gone: next[i] is i, or a later one. */
struct lethe_ssg_line {
    uint32_t *next;
    uint32_t *jump; /* the first after i that is another person's; NULL: no persons */
};

/* A class and its first candidate. */
struct lethe_ssg_found {
    uint32_t class, candidate;
    lethe_assign_cost price; /* a bound from below until it is evaluated */
    bool within;
    bool rough; /* the bound is by cells alone, and its candidate is not looked for yet */
};

#define LETHE_SSG_PENDING (LETHE_NONE - 1)

/* The relation of a slot to the current query. */
struct lethe_ssg_mark {
    uint32_t number;   /* of the query; otherwise nothing is known, or the slot is not relevant */
    uint32_t row;      /* where its weights are, in units of the query's size; LETHE_NONE: none; */
                       /* LETHE_SSG_PENDING: not computed yet, nor is `distance` of a group */
    uint64_t distance; /* to the nearest of the query's terms; UINT64_MAX: not relevant */
    uint64_t terms;    /* a bit for each of the query's first 64 terms that it is relevant to */
};

struct lethe_ssg_search {
    lethe_ctx *ctx;
    lethe_hyper_work *work;
    lethe_ssg_neighbourhoods *neighbours;
    size_t n;
    const uint32_t *person;
    lethe_assign_omega omega;
    bool ordered; /* greedy matching: the order of terms matters, also for classes */

    uint32_t *by_size; /* candidates by size, then number */
    uint32_t *rank;    /* the place of a candidate there, */
    uint32_t *place;   /* and in `member` */
    uint32_t *class_of;
    uint32_t *member;                           /* candidates by class */
    struct lethe_ssg_line sized, alike, listed; /* of by_size; of member; of all by number */

    struct lethe_ssg_class *class;
    uint32_t *seen; /* of each class: the last query that considered it, or LETHE_SSG_GONE */
    uint32_t n_classes;
    uint32_t *term;  /* of classes, end to end */
    uint32_t *slot;  /* of these terms */
    uint32_t *table; /* classes by hash: open addressing; LETHE_NONE: free */
    uint64_t mask;

    uint64_t *first_segment; /* of each slot, and one more */
    struct lethe_ssg_segment *segment;
    uint32_t *posting;    /* classes, ascending in a segment */
    uint64_t *posted;     /* their cells */
    uint32_t *n_postings; /* of each slot, of all sizes */
    uint64_t *cells_near; /* of each slot whose reach is known: the cells of its neighbourhood, */
    uint64_t *fine_near;  /* and the fine ones */
    uint64_t **near;      /* and a bit for each slot in it; NULL: unknown, or no room */
    size_t n_words;       /* of such a row */
    size_t room_near;     /* for so many rows more */
    uint64_t *reach;      /* of each slot: 1 + postings in its neighbourhood; 0: unknown */
    uint32_t *sizes;      /* distinct, ascending */
    uint32_t n_sizes;
    uint32_t *of_size; /* classes by size, those with no candidate left dropped on the way */
    uint32_t *first_of_size, *n_of_size, *n_left_of_size;
    uint32_t *n_segments; /* of each size */
    uint32_t **by_slot;   /* of each size: the segment of each slot, or LETHE_NONE; NULL: too few */

    /* the current query */
    uint32_t number;
    const lethe_ssg_query *q;
    uint32_t *sorted, *list; /* its terms, ascending; by how many are relevant */
    uint32_t *at;            /* where in the query the terms of `list` are */
    uint32_t *same;          /* the first place of the list with the same term */
    uint64_t *cells;         /* of each place: cells_near of its term */
    uint64_t *fine;          /* and fine_near */
    const uint64_t **row_at; /* and `near` */
    uint64_t *relevant;      /* the union of these */
    bool has_rows;           /* they are all known */
    uint64_t *least;         /* room for a weight of each place */
    uint32_t *middle;        /* of each place: the median of its `spread` */
    uint32_t *spread;        /* of each voter of the group: its distance to the query's term */
    uint64_t *spread_sorted;
    size_t room_spread;
    struct lethe_ssg_walk *walk; /* of each place of the list that is the first of its term */
    size_t room;
    struct lethe_ssg_visit *visit; /* of each size */
    struct lethe_ssg_ring *ring;
    size_t n_rings, room_rings;
    struct lethe_ssg_found batch[LETHE_SSG_BATCH];
    size_t n_batch, cap_batch;
    struct lethe_ssg_deferred {
        struct lethe_ssg_found found;
        size_t next; /* of the same level; SIZE_MAX: none */
    } * later;       /* deferred to later levels */
    size_t n_later, room_later;
    size_t *deferred; /* the last of each level */
    size_t room_deferred;
    uint64_t level;              /* current number of unmatched terms with OMEGA_OVER; else 0 */
    lethe_assign_cost floor;     /* the least cost of this level */
    struct lethe_ssg_mark *mark; /* of each slot */
    bool marked;                 /* are there marks for this query? */
    bool lazy;                   /* each is made when it is needed, unless */
    bool complete;               /* every relevant slot is marked */
    lethe_meaning_fan fan;       /* the terms of the query, of a group all members */
    uint32_t *fan_term, *fan_distance;
    size_t room_fan;
    uint64_t *row;          /* weights of a slot with each term of the query; UINT64_MAX: not */
    size_t n_row, room_row; /* relevant */
    uint64_t spent;         /* pairs of terms compared for it, */
    uint64_t tried;         /* distances computed for marks, */
    uint64_t dear;          /* and how many marks it takes */
    struct lethe_ssg_found best; /* class LETHE_NONE: only a bound */
    lethe_assign_cost bound;     /* at the start of the batch */
    uint64_t pairs;
};

static inline uint32_t lethe_ssg_line_from(struct lethe_ssg_line *l, uint32_t i)
{
    while (l->next[i] != i) {
        l->next[i] = l->next[l->next[i]];
        i = l->next[i];
    }
    return i;
}

/* The place in the table of the class of these n terms (ascending, or with `ordered` as they come),
 * or where it would be. */
uint64_t lethe_ssg_class_slot(const lethe_ssg_search *s, const uint32_t *term, size_t n);
/* The place of the first size that is not less than this one. */
uint32_t lethe_ssg_size_at(const lethe_ssg_search *s, uint64_t size);

static inline uint64_t lethe_ssg_cell(const lethe_ssg_search *s, uint32_t slot)
{
    return UINT64_C(1) << (uint64_t)slot * LETHE_SSG_CELLS / s->neighbours->n_slots;
}

static inline void lethe_ssg_put_fine(const lethe_ssg_search *s, uint64_t *fine, uint32_t slot)
{
    uint64_t i = (uint64_t)slot * LETHE_SSG_CELLS * LETHE_SSG_FINE / s->neighbours->n_slots;
    fine[i / 64] |= UINT64_C(1) << i % 64;
}

/* The least price with so many unmatched terms and that sum of distances. */
static inline lethe_assign_cost lethe_ssg_least_price(const lethe_ssg_search *s, uint64_t unmatched,
                                                      uint64_t distance)
{
    if (s->omega.kind == LETHE_ASSIGN_OMEGA_OVER) return (lethe_assign_cost){unmatched, distance};
    uint64_t each = s->omega.kind == LETHE_ASSIGN_OMEGA_IS ? s->omega.value : 0;
    return (lethe_assign_cost){0, unmatched * each + distance};
}

/* --- a query --- */

LETHE_MUST_CHECK lethe_err lethe_ssg_set_query(lethe_ssg_search *s, const lethe_ssg_query *q);
/* What scanning needs to know about the query, once there is a first best. */
LETHE_MUST_CHECK lethe_err lethe_ssg_prepare(lethe_ssg_search *s);
/* Makes a walk whole. */
LETHE_MUST_CHECK lethe_err lethe_ssg_widen(lethe_ssg_search *s, uint32_t place);

/* --- the least cost of a class --- */

/* Marks all that is relevant, and can win. */
LETHE_MUST_CHECK lethe_err lethe_ssg_mark_query(lethe_ssg_search *s);
LETHE_MUST_CHECK lethe_err lethe_ssg_set_fan(lethe_ssg_search *s); /* for marks on demand */
/* The sum of the n least of at[0 .. all - 1], which may be reordered. */
uint64_t lethe_ssg_sum_least(uint64_t *at, size_t all, size_t n);
lethe_assign_cost lethe_ssg_least_by_cells(const lethe_ssg_search *s, uint64_t cells,
                                           uint32_t size);
lethe_assign_cost lethe_ssg_least_by_fine(const lethe_ssg_search *s,
                                          const struct lethe_ssg_class *c);
lethe_assign_cost lethe_ssg_least_by_rows(const lethe_ssg_search *s,
                                          const struct lethe_ssg_class *c);
lethe_assign_cost lethe_ssg_least_by_marks(lethe_ssg_search *s, const struct lethe_ssg_class *c);

#endif
