/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking_internal.h - what the parts of click_ranking.c share.
 *
 * The degree of a query is that of its class: the live queries that share a URL with it, minus one.
 * URLs of many classes are *hubs*.  The hubs of a class (at most six, those of most classes) are
 * its *set*; the set of a class without hubs is the one URL that most queries have.  So
 *
 *     degree = hub degree(set) + other degree(class) - 1
 *
 * where the hub degree counts the live queries that have a URL of the set, and the other degree
 * those that share another URL and none of the set.  Both only fall as queries go.  Classes with
 * the same set are a *group*: the removal of a query of a hub lowers all of them alike, and a tree
 * that knows at which hub degree its order changes ranks the classes of the group
 * (click_ranking_tree.c).
 *
 * A removal updates nothing at the query's neighbours, only the counts of its URLs and of hubs that
 * occur together, and each URL's list of removals.  The hub degree is computed from the counts when
 * a class comes up and not before.  Then the other degree is brought up to date: it falls by one
 * for each removal since on a URL outside the set and on none of the set.  So a pair of queries
 * costs at most one step for each URL that they share, and all steps are along lists
 * (click_ranking_degrees.c). */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_RANKING_INTERNAL_H
#define LETHE_METHOD_DISCONNECT_CLICK_RANKING_INTERNAL_H
#include "method/disconnect/click_ranking.h"
#include "core/dict.h"

__extension__ typedef unsigned __int128 lethe_ranking_u128;

/* degree / weight of a query. */
typedef struct lethe_ranking_score {
    uint64_t weight;
    uint32_t degree, query;
} lethe_ranking_score;

/* Does `a` go before `b`? */
static inline bool lethe_ranking_above(lethe_ranking_score a, lethe_ranking_score b)
{
    lethe_ranking_u128 x = (lethe_ranking_u128)a.degree * b.weight,
                       y = (lethe_ranking_u128)b.degree * a.weight;
    return x > y || (x == y && a.query < b.query);
}

/* A class as its neighbours see it. */
typedef struct lethe_ranking_class_live {
    uint32_t live;  /* queries left */
    uint32_t group; /* LETHE_NONE: it has no URLs */
    uint32_t other; /* the other degree before removal `since` of its batch */
    uint32_t since;
} lethe_ranking_class_live;

enum { LETHE_RANKING_HUBS_MAX = 6 }; /* of a set */

/* A class as its group's tree sees it.  Of its queries the one of lowest weight goes first, ties by
 * number. */
typedef struct lethe_ranking_class {
    uint64_t weight;      /* of that query */
    uint32_t query;       /* that query; LETHE_NONE: all are gone */
    uint32_t other_bound; /* at least the other degree: what it was when the tree was told */
    uint32_t next;        /* place of the query in `member` */
    uint32_t leaf;        /* of the group's tree */
} lethe_ranking_class;

typedef struct lethe_ranking_url {
    uint64_t gone;   /* its removals: a place in `gone` */
    uint32_t n_gone; /* how many they are */
    uint32_t live;   /* queries left */
    uint32_t hub;    /* its number; LETHE_NONE: it is not a hub */
} lethe_ranking_url;

/* Hubs that occur together in two sets or more; the first is the one whose list this is in. */
typedef struct lethe_ranking_joint {
    uint32_t other[LETHE_RANKING_HUBS_MAX - 1]; /* ascending; LETHE_NONE: no more */
    uint32_t live;                              /* queries left that have all of them */
} lethe_ranking_joint;

typedef struct lethe_ranking_node {
    uint32_t best; /* class */
    uint32_t from; /* the lowest hub degree for which this node, and all below it, holds */
} lethe_ranking_node;

/* A group or, when removals are merged, a batch; in a heap. */
typedef struct lethe_ranking_entry {
    lethe_ranking_score key; /* never below the best of the group */
    uint32_t of, done;       /* `done`: removals of the batch that are merged */
} lethe_ranking_entry;

/* Components that are disconnected as one piece of work. */
typedef struct lethe_ranking_batch {
    uint32_t heap, n_groups; /* its part of `heap` */
    uint32_t out, n_queries; /* its part of `removed` and `degree` */
    uint32_t n_removed;
} lethe_ranking_batch;

typedef struct lethe_ranking {
    const lethe_click_graph *graph;
    const uint64_t *weight;
    lethe_ranking_class_live *seen; /* of each class */
    uint8_t *first_live;            /* of each class before the first removal, at most 255 */
    lethe_ranking_class *at;        /* of each class */
    lethe_ranking_url *url;         /* of each URL */
    uint32_t *gone; /* of each URL: numbers of removals in its batch, ascending; room for all */
    uint32_t *read; /* of each URL of each class: how many of its removals are in `other` */
    const uint32_t *member;  /* the graph's, in the order in which they go */
    uint32_t *sorted_member; /* the same, if it is ours */

    uint32_t n_hubs;
    uint32_t *hub;            /* their URLs, those of fewer classes first */
    lethe_click_graph *sets;  /* its queries are our classes, its URLs the hubs, its classes the
                               * sets; one may be empty */
    uint32_t *set_live;       /* queries left */
    uint64_t *together_start; /* n_hubs + 1 */
    lethe_ranking_joint *together; /* of a hub and others after it: sorted */
    uint64_t *term_start;          /* n_sets + 1 */
    uint32_t
        *term; /* of a set: twice the index into `together`, + 1 if the hubs are odd in number */
    uint8_t *hub_met; /* of each hub: 1 if the current class has it, 2 if its set does */

    uint32_t n_groups;        /* one for each set, then those of one URL that is no hub */
    uint32_t *group_url;      /* of the latter: the URL */
    uint32_t *group_start;    /* n_groups + 1: into `leaf` and `node` */
    uint32_t *leaf;           /* classes, group by group */
    lethe_ranking_node *node; /* of a group of m: 1 to m - 1, the root is 1 */

    uint32_t n_batches;
    lethe_ranking_batch *batch;
    lethe_ranking_entry *heap;  /* groups, of each batch */
    uint32_t *removed, *degree; /* queries as they go, and their degrees then */

    uint64_t **bits; /* of each worker: n of the graph, zeros between two counts */
    unsigned n_workers;
} lethe_ranking;

static inline uint32_t lethe_ranking_n_sets(const lethe_ranking *d) { return d->sets->n_classes; }

static inline uint64_t lethe_ranking_n_classes_of(const lethe_click_graph *g, uint32_t u)
{
    return g->class_start[u + 1] - g->class_start[u];
}

/* --- click_ranking_layout.c --- */

/* Everything but the hub degrees.  URLs of `hub` classes are hubs.  Clear after a failure too. */
LETHE_MUST_CHECK lethe_err lethe_ranking_init(lethe_ranking *d, uint32_t hub);
/* Everything but the batches and their removals. */
void lethe_ranking_clear(lethe_ranking *d);

/* --- click_ranking_degrees.c --- */

LETHE_MUST_CHECK lethe_err lethe_ranking_hubs_init(lethe_ranking *d);
uint32_t lethe_ranking_hub_degree(const lethe_ranking *d, uint32_t group);
/* The other degree of a class before the first removal. */
uint32_t lethe_ranking_count_others(const lethe_ranking *d, uint32_t c, uint64_t *bits);
/* The same now, in class[].other; `b` is its batch. */
uint32_t lethe_ranking_other_degree(lethe_ranking *d, const lethe_ranking_batch *b, uint32_t c,
                                    uint64_t *bits);
/* Removes a query of the class from all counts; `removal`: its number in the batch. */
void lethe_ranking_remove_query(lethe_ranking *d, uint32_t c, uint32_t removal);

/* --- click_ranking_batches.c --- */

/* Batches of about `size` queries and URLs of classes; their heaps have groups, and no keys yet. */
LETHE_MUST_CHECK lethe_err lethe_ranking_batches(lethe_ranking *d, uint32_t size);

/* --- click_ranking_tree.c --- */

void lethe_ranking_tree_build(lethe_ranking *d, uint32_t group, uint32_t hub_degree);
/* A class's first query or other_bound has changed. */
void lethe_ranking_tree_update(lethe_ranking *d, uint32_t c, uint32_t hub_degree);
/* The class whose first query ranks highest, if all other_bounds are exact; one without queries:
 * all of the group are gone. */
uint32_t lethe_ranking_tree_best(lethe_ranking *d, uint32_t group, uint32_t hub_degree);

#endif
