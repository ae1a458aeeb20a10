/* SPDX-License-Identifier: Apache-2.0 */
/* threats_internal.h - what the parts of the search for threats share: the sets made small
 * (threats_sets.h), the threats that are known (threats_store.c), and the walk
 * of the enumeration tree: what is present (threats_walk.c), then what is absent
 * (threats_absent.c). */
#ifndef LETHE_METHOD_ITEMSET_THREATS_THREATS_INTERNAL_H
#define LETHE_METHOD_ITEMSET_THREATS_THREATS_INTERNAL_H
#include "method/itemset/threats/threats_sets.h"

/* --- threats that are known --- */

typedef struct threats_slot {
    uint64_t key;  /* node and label */
    uint32_t node; /* 0: the slot is free */
    uint32_t ends; /* 1: a threat ends there */
} threats_slot;

/* A trie of threats, their items in descending order.  All zero: empty.  Node 0 is the top. */
typedef struct threats_store {
    threats_slot *slot; /* 2^bits */
    uint32_t *at;       /* by node, from 1 on: its slot, so that all can be forgotten */
    uint32_t n, cap;    /* nodes, without the top */
    unsigned bits;
} threats_store;

typedef struct threats_numbers {
    uint32_t *at;
    size_t n, cap;
} threats_numbers;

LETHE_MUST_CHECK lethe_err lethe_threats_numbers_reserve(threats_numbers *v, size_t more);

static inline const threats_slot *lethe_threats_store_find(const threats_store *s, uint32_t node,
                                                           uint32_t item)
{
    uint64_t key = (uint64_t)node << 32 | item;
    if (s->n == 0) return NULL;
    size_t mask = ((size_t)1 << s->bits) - 1;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15ull >> (64 - s->bits));
    for (; s->slot[i].node != 0; i = (i + 1) & mask)
        if (s->slot[i].key == key) return &s->slot[i];
    return NULL;
}

/* The node below `node`, made if it was not there. */
LETHE_MUST_CHECK lethe_err lethe_threats_store_child(threats_store *s, uint32_t node, uint32_t item,
                                                     uint32_t *out);
LETHE_MUST_CHECK lethe_err lethe_threats_store_insert(threats_store *s, const uint32_t *item,
                                                      size_t n);
/* Is a threat in `s` a generalization of these items, ascending?  `tmp` is scratch. */
LETHE_MUST_CHECK lethe_err lethe_threats_store_covers(const threats_store *s, const threats_base *b,
                                                      const uint32_t *item, size_t n,
                                                      threats_numbers *tmp, bool *out);
void lethe_threats_store_clear(threats_store *s); /* in time of what is there */
void lethe_threats_store_free(threats_store *s);

/* --- the walk --- */

/* A set, and how many of its items come before the one it was found by. */
typedef struct threats_place {
    uint32_t set, n;
} threats_place;

/* By item: in the sets of the itemset that is looked at. */
typedef struct threats_cell {
    uint32_t sum;    /* sets that have it */
    uint32_t marked; /* of these: with any sensitive item */
    uint32_t places; /* distinct ones */
    uint32_t slot;   /* where the next of them goes; LETHE_NONE: they are not wanted */
} threats_cell;

/* What an itemset can be extended by. */
typedef struct threats_child {
    uint32_t item, sum, marked;
    uint32_t n; /* places */
    size_t at;  /* of the first */
    bool enter;
} threats_child;

/* An itemset on the way. */
typedef struct threats_frame {
    uint32_t item;           /* the last that was added; base->n: none */
    uint32_t sum, n;         /* its sets, and places, */
    size_t at;               /* which begin there */
    size_t child, n_child;   /* what it is extended by */
    size_t next;             /* of which that one is next */
    size_t active, n_active; /* nodes of the stores' tries that are covered; 0: not asked for */
    uint32_t exact;          /* the node of the own store for just this itemset */
    size_t top;              /* places, with those of its children */
    uint64_t leaves;         /* of what is absent */
} threats_frame;

/* A worker's own. */
typedef struct threats_walk {
    lethe_ctx *ctx;
    const threats_base *base;
    const lethe_kl *kl;
    unsigned without;
    const threats_store *store; /* what is known to all; NULL: nobody asks */
    const uint32_t *single;     /* by item: its sets; NULL: the first frame's children have them */
    threats_store own;          /* what this walk found */
    uint32_t from, to;          /* sizes that are looked at: items present and one more */
    bool one;                   /* a single threat is wanted */
    bool hold;                  /* what could be entered is not */
    threats_cell *cell;
    uint64_t *bit;        /* by item, while they are brought in order */
    threats_numbers seen; /* items whose cells are not zero */
    uint32_t *marks;      /* by sensitive item: 0 in between */
    threats_numbers seen_marks;
    uint32_t *all; /* as `marks`, of the whole itemset */
    threats_numbers seen_all;
    uint32_t most_all; /* the greatest of them */
    threats_place *place;
    size_t n_places, cap_places;
    threats_child *child;
    size_t n_children, cap_children;
    threats_frame *frame;
    size_t n_frames, cap_frames;
    size_t n_present; /* frames of items that are present, the first being that of none */
    threats_numbers active, tmp, set, top;
    threats_numbers found; /* threats: size, items ascending */
    uint64_t nodes, stored;
} threats_walk;

LETHE_MUST_CHECK lethe_err lethe_threats_walk_new(threats_walk *w, lethe_ctx *ctx,
                                                  const threats_base *b, const lethe_kl *kl,
                                                  unsigned without);
void lethe_threats_walk_free(threats_walk *w);
/* From the set of no item, by sizes w->from to w->to.  With w->hold: its children stay in w->child.
 */
LETHE_MUST_CHECK lethe_err lethe_threats_walk_all(threats_walk *w);
/* The same from one item, which the n places have. */
LETHE_MUST_CHECK lethe_err lethe_threats_walk_from(threats_walk *w, uint32_t item, uint32_t sum,
                                                   const threats_place *at, uint32_t n);

/* For the parts of the walk. */

/* What is absent, beside what the last frame has present. */
LETHE_MUST_CHECK lethe_err lethe_threats_absent(threats_walk *w);
/* Counts items of a frame's sets: those before its own, or all. */
LETHE_MUST_CHECK lethe_err lethe_threats_tally(threats_walk *w, const threats_frame *f, bool all);
/* Items that were counted, below `before`, ascending, are the children of frame f. */
LETHE_MUST_CHECK lethe_err lethe_threats_list(threats_walk *w, threats_frame *f, uint32_t before);
/* Places of the children that have `enter`, behind all others. */
LETHE_MUST_CHECK lethe_err lethe_threats_deliver(threats_walk *w, const threats_frame *f, bool all);
void lethe_threats_untally(threats_walk *w);
/* Sensitive items of these places are added up in `sum`, and noted in `seen`. */
void lethe_threats_marks(const threats_walk *w, const threats_place *p, uint32_t n, uint32_t *sum,
                         threats_numbers *seen);
/* w->set is the itemset of all frames and `item`, stripped: its lowest items, ascending. */
LETHE_MUST_CHECK lethe_err lethe_threats_strip(threats_walk *w, uint32_t item);
LETHE_MUST_CHECK lethe_err lethe_threats_keep(threats_walk *w); /* w->set is a threat */
LETHE_MUST_CHECK lethe_err lethe_threats_places(threats_walk *w, size_t more); /* room for them */
LETHE_MUST_CHECK lethe_err lethe_threats_push(threats_walk *w, threats_frame f);

static inline bool threats_uses(const threats_walk *w, unsigned pruning)
{
    return (w->without & pruning) == 0;
}

#endif
