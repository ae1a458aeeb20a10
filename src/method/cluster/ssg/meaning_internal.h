/* SPDX-License-Identifier: Apache-2.0 */
/* meaning_internal.h - the metrics, for the files meaning*.c alone. */
#ifndef LETHE_METHOD_CLUSTER_SSG_MEANING_INTERNAL_H
#define LETHE_METHOD_CLUSTER_SSG_MEANING_INTERNAL_H
#include "method/cluster/ssg/meaning.h"
#include "core/mem.h"

/* Undirected: each edge is listed with both its nodes. */
typedef struct lethe_meaning_graph {
    uint32_t n;       /* nodes */
    size_t *start;    /* n + 1: the edges of v are start[v] .. start[v + 1] - 1 */
    uint32_t *to;     /* where they lead */
    uint32_t *weight; /* NULL: all are 1 */
    bool has_zero;    /* is some weight 0? */
    uint32_t *first;  /* for each node the first term (by position) it stands for, or LETHE_NONE; */
    uint32_t *next;   /* for each term the next one of its node */
    uint32_t *node;   /* for each term its node, or LETHE_NONE */
} lethe_meaning_graph;

struct lethe_meaning {
    uint32_t unit, epsilon;
    size_t unknown;
    uint32_t *term; /* those of the data, ascending; the i-th is "term i" in graph */
    size_t n;
    const lethe_tree *tree; /* NULL: by the graph */
    uint32_t *level; /* tree: least levels of terms, as a full binary tree whose n_level leaves */
    size_t n_level;  /* are the terms' own levels */
    lethe_meaning_place *place; /* tree: of each node; NULL: there is no table */
    uint16_t *shared;           /* the table: meaning_table.c */
    lethe_meaning_graph graph;
};

/* A search in the graph from one node: labels, and a queue (a heap where there are weights). */
typedef struct lethe_meaning_search {
    struct lethe_meaning_label {
        uint64_t round; /* valid if it is of this round */
        uint32_t distance, heap_at;
    } * label;
    uint32_t *queue;
    uint32_t head, n; /* the queue is queue[head .. n - 1]; a heap's head is 0 */
} lethe_meaning_search;

struct lethe_meaning_asker {
    const lethe_meaning *m;
    lethe_meaning_neighbour *around; /* room for all terms */
    size_t n_around;
    /* Tree: */
    lethe_meaning_neighbour
        *gathered;     /* room for all terms: n_gathered after the term in question, */
    size_t n_gathered; /* from the front; those before it from */
    size_t before;     /* here to the end */
    size_t *count;     /* of each possible distance, and one more */
    uint64_t round;
    lethe_meaning_search side[2];
    struct lethe_meaning_cached {
        uint32_t x, y, distance; /* positions, x < y; x = y: empty */
    } * kept;
};

enum { LETHE_MEANING_CACHED = 1 << 14 };

/* A meaning with its terms only; NULL: no memory. */
lethe_meaning *lethe_meaning_begin(const lethe_meaning_terms *terms, uint32_t unit,
                                   uint32_t epsilon);

/* The position of a term among the terms of the data; LETHE_NONE: it is none of them. */
uint32_t lethe_meaning_at(const lethe_meaning *m, uint32_t term);

/* meaning_table.c: the table is made where it is not too large; false: no memory. */
LETHE_MUST_CHECK bool lethe_meaning_table_new(lethe_meaning *m);
/* Of any two nodes. */
uint32_t lethe_meaning_tree_distance(const lethe_meaning *m, uint32_t x, uint32_t y);

/* meaning_reach.c: reach of terms, if there are a table and levels. */
void lethe_meaning_reach_find(lethe_meaning *m);

/* meaning_graph.c */
void lethe_meaning_graph_free(lethe_meaning_graph *g);
LETHE_MUST_CHECK lethe_err lethe_meaning_search_new(const lethe_meaning_graph *g,
                                                    lethe_meaning_search *out);
void lethe_meaning_search_free(lethe_meaning_search *s);
/* By positions. */
uint32_t lethe_meaning_graph_distance(lethe_meaning_asker *a, uint32_t x, uint32_t y);
void lethe_meaning_graph_neighbourhood(lethe_meaning_asker *a,
                                       uint32_t at); /* in order of distance alone */

#endif
