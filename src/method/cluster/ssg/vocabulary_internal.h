/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_internal.h - the search for the nearest vocabulary: candidates by size, by class and
 * by term (vocabulary_index.c), and a query (vocabulary_search.c). */
#ifndef LETHE_METHOD_CLUSTER_SSG_VOCABULARY_INTERNAL_H
#define LETHE_METHOD_CLUSTER_SSG_VOCABULARY_INTERNAL_H
#include "method/cluster/ssg/vocabulary_search.h"

enum { LETHE_SSG_BATCH = 256 }; /* most pairs evaluated between two looks at bounds */

/* --- the candidates --- */

/* Equal vocabularies. */
struct lethe_ssg_class {
    uint64_t at;    /* its terms, ascending; with `ordered` as they came */
    uint32_t size;  /* how many */
    uint32_t first; /* its candidates: member[first] .. member[end - 1], ascending */
    uint32_t end;
    uint32_t seen; /* the last query that considered it */
};

/* Classes of one size that have a term. */
struct lethe_ssg_segment {
    uint64_t start;
    uint32_t size; /* its place in `sizes` */
    uint32_t n;
};

/* A segment of a term near one of the query's terms. */
struct lethe_ssg_near_segment {
    uint64_t segment;
    uint32_t size, distance;
};

/* The segments near a term of the query, by size, then distance. */
struct lethe_ssg_walk {
    uint64_t first, end; /* in `near` */
    uint32_t walks;      /* so far; WALKS: the segments are sorted */
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
};

/* The relation of a slot to the current query. */
struct lethe_ssg_mark {
    uint32_t number;   /* of the query; otherwise the slot is not relevant */
    uint32_t distance; /* to the nearest of its terms */
    uint64_t terms;    /* a bit for each place in `list` whose term it is relevant to */
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
    uint32_t n_classes;
    uint32_t *term;  /* of classes, end to end */
    uint32_t *slot;  /* of these terms */
    uint32_t *table; /* classes by hash: open addressing; LETHE_NONE: free */
    uint64_t mask;

    uint64_t *first_segment; /* of each slot, and one more */
    struct lethe_ssg_segment *segment;
    uint32_t *posting; /* classes, ascending in a segment */
    uint64_t *reach;   /* of each slot: 1 + postings in its neighbourhood; 0: unknown */
    uint32_t *sizes;   /* distinct, ascending */
    uint32_t n_sizes;

    /* the current query */
    uint32_t number;
    uint32_t first; /* the smallest candidate that is left: its place in by_size */
    const lethe_ssg_query *q;
    uint32_t *sorted, *list;     /* its terms, ascending; by how many are relevant */
    uint32_t *at;                /* where in the query the terms of `list` are */
    struct lethe_ssg_walk *walk; /* of each place in `list`, where a term is first */
    size_t room;
    struct lethe_ssg_near_segment *near, *put; /* of all walks; room for sorting */
    size_t n_near, room_near, room_put;
    uint32_t *count; /* of each size */
    struct lethe_ssg_found batch[LETHE_SSG_BATCH];
    size_t n_batch, cap_batch;
    struct lethe_ssg_found *later; /* deferred to later levels */
    size_t n_later, room_later;
    uint64_t level;              /* current number of unmatched terms with OMEGA_OVER; else 0 */
    lethe_assign_cost floor;     /* the least cost of this level */
    struct lethe_ssg_mark *mark; /* of each slot */
    bool marked;                 /* were marks made for this query? */
    uint64_t spent;              /* pairs of terms compared for it, */
    uint64_t dear;               /* and how many marks it takes */
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

#endif
