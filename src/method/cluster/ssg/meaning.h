/* SPDX-License-Identifier: Apache-2.0 */
/* meaning.h - semantic distance of terms.  J. Liu, "Enhancing Utility in Privacy Preserving Data
 * Publishing", Simon Fraser University, 2010, section 5.2.1, Definition 5.3.
 *
 * Two terms are relevant to each other if their distance is at most epsilon; only then is it told.
 * Three metrics:
 *
 *   tree      edges between two nodes of a taxonomy; an item that names an inner node is the leaf
 *             grown for it (lethe_tree_grow), and so one edge further from all others than that
 *             node, as a word of the network is from its synset
 *   network   links between two nouns of WordNet: between a word and the synset of each of its
 *             senses, and between a synset and its hypernyms (Figure 5.3): synonyms are at distance
 * 2 edges     the shortest path along the edges of a file (model/tree/edges.h), in millionths
 *
 * A term is a number: a node of the tree, or for the other metrics the number of a name of the
 * caller (an item of records, or a node of the tree that they are bound to).  A term that WordNet
 * or the file lacks is at distance 0 from itself and relevant to nothing else; two terms may stand
 * for one noun (a plural), and are then at distance 0.
 *
 * The object never changes and holds what all workers share; each worker has its own asker.  So
 * results do not depend on threads. */
#ifndef LETHE_METHOD_CLUSTER_SSG_MEANING_H
#define LETHE_METHOD_CLUSTER_SSG_MEANING_H
#include "core/ctx.h"
#include "lexicon/wordnet/wordnet.h"
#include "model/tree/edges.h"
#include "model/tree/tree.h"

typedef struct lethe_meaning lethe_meaning;

/* The terms that occur in the data: ascending, distinct.  Copied. */
typedef struct lethe_meaning_terms {
    const uint32_t *at;
    size_t n;
    lethe_str (*name)(const void *arg, uint32_t term); /* not called by the tree metric */
    const void *arg;
} lethe_meaning_terms;

/* Name functions whose `arg` is a lethe_dict (items) or a lethe_tree; a leaf that was grown for an
 * inner node (`=NAME`, lethe_tree_grow) has the name of that node. */
lethe_str lethe_meaning_dict_name(const void *dict, uint32_t term);
lethe_str lethe_meaning_tree_name(const void *tree, uint32_t term);

/* `epsilon` is in edges, links or millionths; UINT32_MAX - 1 means no limit.  The tree is borrowed;
 * the dictionary and the edges are not needed later.  O(nodes), for a tree O(terms log terms)
 * besides.  LETHE_ENOMEM with a message. */
LETHE_MUST_CHECK lethe_err lethe_meaning_tree(lethe_ctx *ctx, const lethe_tree *t,
                                              const lethe_meaning_terms *terms, uint32_t epsilon,
                                              lethe_meaning **out);
/* A name is looked up as it is, then reduced (lethe_wordnet_reduce).  `wn` must have senses. */
LETHE_MUST_CHECK lethe_err lethe_meaning_network(lethe_ctx *ctx, const lethe_wordnet *wn,
                                                 const lethe_meaning_terms *terms, uint32_t epsilon,
                                                 lethe_meaning **out);
LETHE_MUST_CHECK lethe_err lethe_meaning_edges(lethe_ctx *ctx, const lethe_edges *edges,
                                               const lethe_meaning_terms *terms, uint32_t epsilon,
                                               lethe_meaning **out);
void lethe_meaning_free(lethe_meaning *m); /* NULL is fine */

bool lethe_meaning_is_quick(const lethe_meaning *m); /* do distances take a few reads? */
uint32_t lethe_meaning_unit(const lethe_meaning *m); /* of distances: 1 or LETHE_EDGE_UNIT */
uint32_t lethe_meaning_epsilon(const lethe_meaning *m);
size_t lethe_meaning_unknown(const lethe_meaning *m); /* terms that WordNet or the file lacks */

/* A term and its distance. */
typedef struct lethe_meaning_neighbour {
    uint32_t distance, term;
} lethe_meaning_neighbour;

typedef struct lethe_meaning_asker lethe_meaning_asker;
LETHE_MUST_CHECK lethe_err lethe_meaning_asker_new(const lethe_meaning *m,
                                                   lethe_meaning_asker **out); /* no message */
void lethe_meaning_asker_free(lethe_meaning_asker *a);                         /* NULL is fine */

/* The distance of two terms if it is at most epsilon, else LETHE_NONE.  No allocation.  Tree:
 * constant time, for any two nodes; otherwise both must be terms of the data (assert), and a search
 * from both sides costs what lies within half of epsilon of them, unless the pair is in the cache.
 */
uint32_t lethe_meaning_distance(lethe_meaning_asker *a, uint32_t x, uint32_t y);

/* All terms within epsilon of a term have numbers from .. from + n - 1: `number - from < n`. */
typedef struct lethe_meaning_reach {
    uint32_t from, n;
} lethe_meaning_reach;
#define LETHE_MEANING_REACH_ALL ((lethe_meaning_reach){0, UINT32_MAX})
/* For a tree with a table of distances the least such range; else all numbers.  Constant time. */
lethe_meaning_reach lethe_meaning_reach_of(const lethe_meaning *m, uint32_t term);

/* Where distances are quick, what they are computed from, for loops that ask for many. */
typedef struct lethe_meaning_place {
    uint32_t at, level; /* a term's position among all, and its level; LETHE_NONE: not a term */
    lethe_meaning_reach reach;
} lethe_meaning_place;
typedef struct lethe_meaning_quick {
    const lethe_meaning_place *place; /* of each node; NULL: distances are not quick */
    const uint16_t *shared;           /* meaning_table.c */
    size_t n;                         /* terms */
    uint32_t epsilon;
} lethe_meaning_quick;
lethe_meaning_quick lethe_meaning_quick_of(const lethe_meaning *m); /* borrows from it */

static inline lethe_meaning_reach lethe_meaning_quick_reach(const lethe_meaning_quick *q,
                                                            uint32_t term)
{
    return q->place ? q->place[term].reach : LETHE_MEANING_REACH_ALL;
}
/* The level of the lowest common ancestor of terms at positions from < to. */
static inline uint32_t lethe_meaning_level_shared(const uint16_t *shared, size_t n, uint32_t from,
                                                  uint32_t to)
{
    unsigned p = 63u - (unsigned)__builtin_clzll(to - from);
    const uint16_t *row = shared + p * n;
    return LETHE_MIN(row[from], row[to - ((size_t)1 << p)]);
}
/* The distance of two terms of the data, as of lethe_meaning_distance. */
static inline uint32_t lethe_meaning_quick_distance(const lethe_meaning_quick *q,
                                                    const lethe_meaning_place *a,
                                                    const lethe_meaning_place *b)
{
    if (a->at == b->at) return 0;
    uint32_t top = lethe_meaning_level_shared(q->shared, q->n, LETHE_MIN(a->at, b->at),
                                              LETHE_MAX(a->at, b->at));
    uint32_t d = a->level - top + (b->level - top);
    return d <= q->epsilon ? d : LETHE_NONE;
}

/* The distances of one term to some others, quicker than one by one; only where distances are quick
 * (lethe_meaning_is_quick).  All are terms of the data (assert). */
typedef struct lethe_meaning_fan {
    size_t n, room;
    struct lethe_meaning_rib {
        uint32_t at, level; /* of a term of the fan: its position, and its level in the tree, */
        uint32_t shared;    /* that of its lowest common ancestor with the next one, */
        uint32_t place;     /* and its place in the caller's list */
    } * rib;                /* by position */
} lethe_meaning_fan;
LETHE_MUST_CHECK lethe_err lethe_meaning_fan_set(const lethe_meaning *m, lethe_meaning_fan *f,
                                                 const uint32_t *term, size_t n); /* no message */
void lethe_meaning_fan_free(lethe_meaning_fan *f); /* a zeroed one is fine */
/* out[i]: the distance of `term` and the i-th term of the fan, as of lethe_meaning_distance.
 * Constant time for each. */
void lethe_meaning_fan_distances(const lethe_meaning *m, const lethe_meaning_fan *f, uint32_t term,
                                 uint32_t *out);

/* All terms of the data within epsilon of `term`, one of them, itself included, by distance, then
 * number: a view until the next call with this asker.  No allocation.  Time: for a tree, the result
 * times log n, and epsilon; otherwise what lies within epsilon, sorted. */
const lethe_meaning_neighbour *lethe_meaning_neighbourhood(lethe_meaning_asker *a, uint32_t term,
                                                           size_t *n);

#endif
