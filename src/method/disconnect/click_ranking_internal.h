/* disconnect_internal.h - what the parts of disconnect.h share.
 *
 * The degree of a query is that of its class: the live queries that share a URL with it, but one.
 * URLs of many classes are *hubs*.  The hubs of a class, the six of most classes if it has more,
 * are its *set*; a class without hubs has the one URL that most queries have.  So
 *
 *     degree = united(set) + rest(class) - 1
 *
 * where `united` counts the live queries that have a URL of the set, and `rest` those that share
 * another URL and none of the set.  Both only fall as queries go.  Classes with the same set are a
 * *group*: a query of a hub takes the same from all of them, and the order inside the group is kept
 * by a tree that knows at which `united` it changes (disconnect_tree.c).
 *
 * Nothing is told to the neighbours of a query that goes, but counts of its URLs and of hubs that
 * come together: `united` is worked out from these, and `rest` by a walk over neighbours, when a
 * class comes up and not before (disconnect_united.c). */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_RANKING_INTERNAL_H
#define LETHE_METHOD_DISCONNECT_CLICK_RANKING_INTERNAL_H
#include "method/disconnect/click_ranking.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* degree / weight, and who has it. */
typedef struct score {
    uint64_t weight;
    uint32_t degree, query;
} score;

static inline bool score_eq(score a, score b)
{
    return a.degree == b.degree && a.weight == b.weight && a.query == b.query;
}

/* Does `a` go before `b`? */
static inline bool score_above(score a, score b)
{
    u128 x = (u128)a.degree * b.weight, y = (u128)b.degree * a.weight;
    return x > y || (x == y && a.query < b.query);
}

#define NONE UINT32_MAX /* no hub, no group */

/* A class as its neighbours see it. */
typedef struct class_seen {
    uint32_t live;  /* queries left */
    uint32_t group; /* NONE: it has no URLs */
} class_seen;

/* A class as its group's tree sees it.  Of its queries the one of least weight goes first, of these
 * the first seen. */
typedef struct class_state {
    uint64_t weight;   /* of that one */
    uint32_t query;    /* that one; NONE: all are gone */
    uint32_t key_rest; /* never less than the rest */
    uint32_t next;     /* where the query stands among `member` */
    uint32_t leaf;     /* of the group's tree */
} class_state;

typedef struct url_state {
    uint32_t live; /* queries left */
    uint32_t near; /* classes left, or nearly so */
    uint32_t hub;  /* its number; NONE: not one */
} url_state;

enum { MOST_HUBS = 6 }; /* of a set */

/* Hubs that come together in two sets or more; the first is the one whose list this is in. */
typedef struct together {
    uint32_t other[MOST_HUBS - 1]; /* ascending; NONE: no more */
    uint32_t live;                 /* queries left that have all of them */
} together;

typedef struct tree_node {
    uint32_t best; /* class */
    uint32_t from; /* the least `united` for which that, and all below it, holds */
} tree_node;

typedef struct ranked_group {
    score key; /* never below the group's best */
    uint32_t group;
} ranked_group;

/* Components whose removals are one piece of work. */
typedef struct batch {
    uint32_t heap, n_groups; /* its part of `heap` */
    uint32_t out, n_queries; /* its part of `removed` and `degree` */
    uint32_t n_removed;
} batch;

/* What a thread has met while it counts. */
typedef struct meeting {
    uint32_t *class_met; /* stamps */
    uint32_t stamp;
} meeting;

typedef struct disconnecting {
    const lethe_click_graph *graph;
    const uint64_t *weight;
    class_seen *seen;        /* of each class */
    class_state *at;         /* of each class */
    url_state *url;          /* of each URL */
    uint32_t *near;          /* as the graph's class_of_url; those that are left in front */
    const uint32_t *member;  /* as the graph's, but in the order in which they go */
    uint32_t *sorted_member; /* the same, where it is ours */

    uint32_t n_hubs;
    uint32_t *hub;            /* their URLs, those of fewer classes first */
    lethe_click_graph *sets;  /* its queries are our classes, its URLs the hubs, its classes the
                               * sets; one may be empty */
    uint32_t *set_live;       /* queries left */
    uint64_t *together_start; /* n_hubs + 1 */
    together *together;       /* of a hub and others after it: sorted */
    uint64_t *term_start;     /* n_sets + 1 */
    uint32_t *term; /* of a set: twice the place of hubs that come together, + 1 if odd in number */
    uint8_t *hub_met; /* of each hub: 1 if the class at hand has it, 2 if its set does */

    uint32_t n_groups;     /* one for each set, then those of one URL that is no hub */
    uint32_t *group_url;   /* of these: the URL */
    uint32_t *group_start; /* n_groups + 1: into `leaf` and `node` */
    uint32_t *leaf;        /* classes, group by group */
    tree_node *node;       /* of a group of m: 1 to m - 1, the root being 1 */

    uint32_t n_batches;
    batch *batch;
    ranked_group *heap;         /* of each batch */
    uint32_t *removed, *degree; /* queries as they go, and with how many each was joined then */

    meeting *met; /* of each worker */
    unsigned n_workers;
} disconnecting;

static inline uint32_t n_sets(const disconnecting *d) { return d->sets->n_classes; }

/* --- disconnect_layout.c --- */

/* All but `united`.  URLs of `hub` classes are hubs.  What is there is to be cleared also after a
 * failure. */
LETHE_MUST_CHECK lethe_err lethe_disconnect_lay_out(disconnecting *d, uint32_t hub);
/* All but the batches and their removals. */
void lethe_disconnect_clear(disconnecting *d);

/* --- disconnect_united.c --- */

LETHE_MUST_CHECK lethe_err lethe_united_new(disconnecting *d);
uint32_t lethe_united(const disconnecting *d, uint32_t group);
uint32_t lethe_rest(disconnecting *d, uint32_t c, meeting *met);
/* A query of the class is gone. */
void lethe_take_out(disconnecting *d, uint32_t c);

/* --- disconnect_parts.c --- */

/* Batches of about `size` queries and URLs of classes; their heaps have groups, and no keys yet. */
LETHE_MUST_CHECK lethe_err lethe_disconnect_batches(disconnecting *d, uint32_t size);

/* --- disconnect_tree.c --- */

void lethe_group_build(disconnecting *d, uint32_t group, uint32_t united);
/* A class's first query or key_rest has changed. */
void lethe_group_update(disconnecting *d, uint32_t c, uint32_t united);
/* The class whose first query ranks highest, if all key_rests hold; one without queries: all of the
 * group are gone. */
uint32_t lethe_group_best(disconnecting *d, uint32_t group, uint32_t united);

#endif
