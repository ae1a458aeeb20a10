/* SPDX-License-Identifier: Apache-2.0 */
/* threats_sets.h - the sets that are searched for threats, made small: items numbered in preorder,
 * each set with what is above its items, equal sets merged. */
#ifndef LETHE_METHOD_ITEMSET_THREATS_THREATS_SETS_H
#define LETHE_METHOD_ITEMSET_THREATS_THREATS_SETS_H
#include "method/itemset/threats/threats.h"
#include "core/mem.h"

typedef struct threats_count {
    uint32_t mark, n; /* so many of these sets have this sensitive item */
} threats_count;

/* Sets of items, each so many times, with counts of sensitive items. */
typedef struct threats_rows {
    uint32_t n;
    uint64_t *start; /* n + 1 */
    uint32_t *item;  /* ascending */
    uint32_t *weight;
    uint64_t *mark_start; /* n + 1 */
    threats_count *mark;
} threats_rows;

/* Several children of one node, of which one is there (strict), or a single item. */
typedef struct threats_part {
    uint32_t n, item[3]; /* 1: the item itself */
    uint32_t pair[3];    /* of three: without the i-th; LETHE_NONE: no set has both */
} threats_part;

/* Items are nodes of a taxonomy in preorder, so that what is below item j is j + 1 .. end[j] - 1.
 * Clauses, where there are any, are items too, behind their node and before its children: whatever
 * implies one has a higher number.  A set holds its items, all above them, and the clauses that it
 * satisfies; equal sets are one. */
typedef struct threats_base {
    uint32_t n;          /* items */
    uint32_t *node;      /* the taxonomy's; LETHE_NONE: a clause */
    uint32_t *up;        /* the item above; LETHE_NONE: none */
    uint32_t *end;       /* one past the last item below */
    uint32_t *level;     /* items above */
    uint64_t *leaves;    /* what it costs to know it absent; of a clause UINT64_MAX */
    uint8_t *lowest;     /* is nothing below it? */
    threats_part *parts; /* NULL: there are no clauses */
    threats_rows sets;
    uint32_t total; /* sets, each as often as it is there */
    uint32_t n_marks;
} threats_base;

/* The items of `b` from nodes `node`, ascending, each with its lowest ancestor among them above it;
 * no sets.  All of these live in `a` and say nothing of lack of memory. */
LETHE_MUST_CHECK lethe_err lethe_threats_items(lethe_arena *a, const lethe_tree *t,
                                               const uint32_t *node, uint32_t n, threats_base *b);
/* Equal rows become one. */
LETHE_MUST_CHECK lethe_err lethe_threats_merge(lethe_arena *a, const threats_rows *in,
                                               uint32_t n_marks, threats_rows *out);
/* b->sets: of `rows` with the items above theirs added; and b->total. */
LETHE_MUST_CHECK lethe_err lethe_threats_expand(lethe_arena *a, const threats_rows *rows,
                                                threats_base *b);
/* Items of b are joined by clauses, those that can matter: of two children of a node with more, of
 * three of one with more, that go together in some set.  (Else one of them is a threat where the
 * clause is: what is satisfied is parted.)  LETHE_ENOMEM also where there are too many for the
 * memory that the context allows; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_threats_clauses(lethe_ctx *ctx, lethe_arena *a, threats_base *b);

static inline bool threats_covers(const threats_base *b, uint32_t a, uint32_t j)
{
    return a <= j && j < b->end[a];
}

#endif
