/* disconnect_internal.h - what the parts of disconnect.h share.
 *
 * The degree of a query is that of its class: the live queries that share a URL with it, but one.
 * URLs of many classes are *hubs*.  The hubs of a class, the six of most classes if it has more,
 * are its *set*; a class without hubs has the one URL that most queries have.  So
 *
 *     degree = hub_degree(set) + other_degree(class) - 1
 *
 * where `hub_degree` counts the live queries that have a URL of the set, and `other_degree` those
 * that share another URL and none of the set.  Both only fall as queries go.  Classes with the same
 * set are a *group*: a query of a hub takes the same from all of them, and the order inside the
 * group is kept by a tree that knows at which `hub_degree` it changes (disconnect_tree.c).
 *
 * Nothing is told to the neighbours of a query that goes, but counts of its URLs and of hubs that
 * come together: `hub_degree` is worked out from these, and `other_degree` by a walk over
 * neighbours, when a class comes up and not before (disconnect_united.c). */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_RANKING_INTERNAL_H
#define LETHE_METHOD_DISCONNECT_CLICK_RANKING_INTERNAL_H
#include "method/disconnect/click_ranking.h"
#include "core/dict.h"

__extension__ typedef unsigned __int128 lethe_ranking_u128;
__extension__ typedef __int128 lethe_ranking_i128;

/* degree / weight, and who has it. */
typedef struct lethe_ranking_score {
    uint64_t weight;
    uint32_t degree, query;
} lethe_ranking_score;

static inline bool lethe_ranking_score_eq(lethe_ranking_score a, lethe_ranking_score b)
{
    return a.degree == b.degree && a.weight == b.weight && a.query == b.query;
}

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
} lethe_ranking_class_live;

/* A class as its group's tree sees it.  Of its queries the one of least weight goes first, of these
 * the first seen. */
typedef struct lethe_ranking_class {
    uint64_t weight;      /* of that one */
    uint32_t query;       /* that one; LETHE_NONE: all are gone */
    uint32_t other_bound; /* never less than the other_degree */
    uint32_t next;        /* where the query stands among `member` */
    uint32_t leaf;        /* of the group's tree */
} lethe_ranking_class;

typedef struct lethe_ranking_url {
    uint32_t live; /* queries left */
    uint32_t near; /* classes left, or nearly so */
    uint32_t hub;  /* its number; LETHE_NONE: not one */
} lethe_ranking_url;

enum { LETHE_RANKING_HUBS_MAX = 6 }; /* of a set */

/* Hubs that come together in two sets or more; the first is the one whose list this is in. */
typedef struct lethe_ranking_joint {
    uint32_t other[LETHE_RANKING_HUBS_MAX - 1]; /* ascending; LETHE_NONE: no more */
    uint32_t live;                              /* queries left that have all of them */
} lethe_ranking_joint;

typedef struct lethe_ranking_node {
    uint32_t best; /* class */
    uint32_t from; /* the least `hub_degree` for which that, and all below it, holds */
} lethe_ranking_node;

typedef struct lethe_ranking_group {
    lethe_ranking_score key; /* never below the group's best */
    uint32_t group;
} lethe_ranking_group;

/* Components whose removals are one piece of work. */
typedef struct lethe_ranking_batch {
    uint32_t heap, n_groups; /* its part of `heap` */
    uint32_t out, n_queries; /* its part of `removed` and `degree` */
    uint32_t n_removed;
} lethe_ranking_batch;

/* What a thread has met while it counts. */
typedef struct lethe_ranking_stamps {
    uint32_t *class_met; /* stamps */
    uint32_t stamp;
} lethe_ranking_stamps;

typedef struct lethe_ranking {
    const lethe_click_graph *graph;
    const uint64_t *weight;
    lethe_ranking_class_live *seen; /* of each class */
    lethe_ranking_class *at;        /* of each class */
    lethe_ranking_url *url;         /* of each URL */
    uint32_t *near;                 /* as the graph's class_of_url; those that are left in front */
    const uint32_t *member;         /* as the graph's, but in the order in which they go */
    uint32_t *sorted_member;        /* the same, where it is ours */

    uint32_t n_hubs;
    uint32_t *hub;            /* their URLs, those of fewer classes first */
    lethe_click_graph *sets;  /* its queries are our classes, its URLs the hubs, its classes the
                               * sets; one may be empty */
    uint32_t *set_live;       /* queries left */
    uint64_t *together_start; /* n_hubs + 1 */
    lethe_ranking_joint *together; /* of a hub and others after it: sorted */
    uint64_t *term_start;          /* lethe_ranking_n_sets + 1 */
    uint32_t *term; /* of a set: twice the place of hubs that come together, + 1 if odd in number */
    uint8_t *hub_met; /* of each hub: 1 if the class at hand has it, 2 if its set does */

    uint32_t n_groups;        /* one for each set, then those of one URL that is no hub */
    uint32_t *group_url;      /* of these: the URL */
    uint32_t *group_start;    /* n_groups + 1: into `leaf` and `node` */
    uint32_t *leaf;           /* classes, group by group */
    lethe_ranking_node *node; /* of a group of m: 1 to m - 1, the root being 1 */

    uint32_t n_batches;
    lethe_ranking_batch *batch;
    lethe_ranking_group *heap;  /* of each lethe_ranking_batch */
    uint32_t *removed, *degree; /* queries as they go, and with how many each was joined then */

    lethe_ranking_stamps *met; /* of each worker */
    unsigned n_workers;
} lethe_ranking;

static inline uint32_t lethe_ranking_n_sets(const lethe_ranking *d) { return d->sets->n_classes; }

/* --- disconnect_layout.c --- */

/* All but `hub_degree`.  URLs of `hub` classes are hubs.  What is there is to be cleared also after
 * a failure. */
LETHE_MUST_CHECK lethe_err lethe_ranking_init(lethe_ranking *d, uint32_t hub);
/* All but the batches and their removals. */
void lethe_ranking_clear(lethe_ranking *d);

/* --- disconnect_united.c --- */

LETHE_MUST_CHECK lethe_err lethe_ranking_hubs_init(lethe_ranking *d);
uint32_t lethe_ranking_hub_degree(const lethe_ranking *d, uint32_t group);
uint32_t lethe_ranking_other_degree(lethe_ranking *d, uint32_t c, lethe_ranking_stamps *met);
/* A query of the class is gone. */
void lethe_ranking_remove_query(lethe_ranking *d, uint32_t c);

/* --- disconnect_parts.c --- */

/* Batches of about `size` queries and URLs of classes; their heaps have groups, and no keys yet. */
LETHE_MUST_CHECK lethe_err lethe_ranking_batches(lethe_ranking *d, uint32_t size);

/* --- disconnect_tree.c --- */

void lethe_ranking_tree_build(lethe_ranking *d, uint32_t group, uint32_t hub_degree);
/* A class's first query or other_bound has changed. */
void lethe_ranking_tree_update(lethe_ranking *d, uint32_t c, uint32_t hub_degree);
/* The class whose first query ranks highest, if all key_rests hold; one without queries: all of the
 * group are gone. */
uint32_t lethe_ranking_tree_best(lethe_ranking *d, uint32_t group, uint32_t hub_degree);

#endif
