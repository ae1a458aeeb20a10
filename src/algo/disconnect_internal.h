/* disconnect_internal.h - what the parts of disconnect.h share.
 *
 * The degree of a query is that of its class: the live queries that share a URL with it, but one.
 * URLs stand on levels.  On level 0 are the classes and all URLs.  URLs of many classes, hubs, go
 * up to level 1, and classes with the same hubs are one *set* there; and so on, sets with the same
 * URLs of the next level being one set there, until no URL has too many sets.  With the sets of a
 * class, one on each level,
 *
 *     degree = rest(level 0) + rest(level 1) + ... + rest(the top) - 1
 *
 * where rest, one number for a set, counts the live queries that share a URL of that level that
 * goes no further up, and none that does.  So a query that goes changes few numbers, however many
 * classes its URLs have.
 *
 * Classes with the same set at the top, and of one component, are a *group*: a query of a hub takes
 * the same from all of them, and the order inside the group is kept by a tree that knows at which
 * rest of the top it changes (disconnect_tree.c). */
#ifndef LETHE_ALGO_DISCONNECT_INTERNAL_H
#define LETHE_ALGO_DISCONNECT_INTERNAL_H
#include "algo/disconnect.h"

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

/* A class at work.  Of its queries the one of least weight goes first, of these the first seen. */
typedef struct class_state {
    uint64_t weight;      /* of that one */
    uint32_t query;       /* that one */
    uint32_t next;        /* where it stands among `member` */
    uint32_t live;        /* queries left */
    uint32_t key_rest;    /* of all levels but the top, as the group's tree knows it: never less */
    uint32_t group, leaf; /* of the group's tree */
} class_state;

typedef struct set_state {
    uint32_t live; /* queries left */
    uint32_t rest; /* exact */
    uint32_t stamp;
    uint32_t up; /* the set on the next level; NO_SET: one without URLs, or this is the top */
} set_state;

/* Whether a set has a URL in common with the one that is asked for. */
typedef struct meeting {
    uint32_t stamp; /* that was answered last */
    bool yes;
} meeting;

#define NOT_COUNTED UINT32_MAX /* a rest, at first */
#define NO_SET UINT32_MAX

enum { MOST_LEVELS = 16 };

typedef struct level {
    const lethe_click_graph *graph; /* level 0: the graph; else its queries are the sets below */
    lethe_click_graph *made;        /* the same, where it is ours */
    set_state *at;                  /* of each set: the graph's classes */
    meeting *met;                   /* of each set; level 0: NULL */
    uint32_t *near, *n_near;        /* sets of each URL, from class_start on: those that are left */
    uint64_t limit;                 /* URLs of so many sets go up */
} level;

typedef struct tree_node {
    uint32_t best; /* class */
    uint32_t from; /* the least rest of the top for which that, and all below it, holds */
} tree_node;

typedef struct ranked_group {
    score key; /* never below the group's best */
    uint32_t group;
} ranked_group;

typedef struct disconnecting {
    const lethe_click_graph *graph;
    const uint64_t *weight;
    level level[MOST_LEVELS];
    unsigned top;            /* the last level */
    class_state *at;         /* of each class */
    const uint32_t *member;  /* as the graph's, but in the order in which they go */
    uint32_t *sorted_member; /* the same, where it is ours */

    uint32_t n_groups, n_parts; /* parts: components */
    uint32_t *part_group;       /* n_parts + 1: groups of a part are neighbours */
    uint64_t *part_start;       /* n_parts + 1: queries of the parts before */
    uint32_t *group_start;      /* n_groups + 1: into `leaf` and `node` */
    uint32_t *group_set;        /* at the top; NO_SET: none there */
    uint32_t *leaf;             /* classes, group by group */
    tree_node *node;            /* of a group of m: 1 to m - 1, the root being 1 */
    ranked_group *heap;         /* of each group; of a part: its first in front */

    uint32_t *n_removed; /* of each part */
    uint64_t *edges;     /* of each part, before any query went */
    uint32_t *removed;   /* from part_start on: queries, in the order in which they went */
    uint32_t *degree;    /* of each at that time */
} disconnecting;

/* Does a URL of this level go up? */
static inline bool goes_up(const level *l, uint32_t url)
{
    return l->graph->class_start[url + 1] - l->graph->class_start[url] >= l->limit;
}

static inline bool has_urls(const level *l, uint32_t set)
{
    return l->graph->url_start[set] < l->graph->url_start[set + 1];
}

static inline uint32_t top_rest(const disconnecting *d, uint32_t group)
{
    return d->group_set[group] == NO_SET ? 0 : d->level[d->top].at[d->group_set[group]].rest;
}

/* Of a class, on all levels but the top. */
static inline uint32_t lower_rest(const disconnecting *d, uint32_t c)
{
    uint32_t sum = 0;
    for (const level *l = d->level; l < d->level + d->top && c != NO_SET; c = l++->at[c].up)
        sum += l->at[c].rest;
    return sum;
}

/* --- disconnect_layout.c --- */

/* Levels, components, groups; all arrays.  URLs of `hub` classes go up to level 1.  What is there
 * is to be cleared also after a failure. */
LETHE_MUST_CHECK lethe_err lethe_disconnect_lay_out(disconnecting *d, uint32_t hub);
void lethe_disconnect_clear(disconnecting *d);

/* --- disconnect_tree.c --- */

void lethe_group_build(disconnecting *d, uint32_t group);
/* A class's first query or key_rest has changed. */
void lethe_group_update(disconnecting *d, uint32_t c);
/* The class whose first query ranks highest; its key_rest is exact.  One without live queries: all
 * of the group are gone. */
uint32_t lethe_group_best(disconnecting *d, uint32_t group);

/* --- disconnect_part.c --- */

/* Takes queries out of a component until none are joined. */
LETHE_MUST_CHECK lethe_err lethe_disconnect_part(lethe_ctx *ctx, disconnecting *d, uint32_t part);

#endif
