/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_plain.h - the cheapest cuts by the search of the thesis, which tests and benchmarks compare
 * ours with. J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser
 * University, 2010, section 4.4: Algorithm 4.1 (OptimalSearch) over the cut enumeration tree of
 * section 3.2.1, whose four methods can be turned off one by one, as Table 4.5 counts them.  Where
 * threats are many it needs a limit.
 *
 * Open items have a fixed order (Method II: cost descending, ties preorder; without it: preorder)
 * in which a node comes before those below it.  So the items locked in a cut are those passed over,
 * and the open items that come after the last one specialized are all that are left: one set of
 * bits, by rank, is enough for the whole way down. */
#ifndef TESTS_SUPPORT_CUTS_PLAIN_H
#define TESTS_SUPPORT_CUTS_PLAIN_H
#include "method/itemset/cuts/cuts_internal.h"
#include <stdlib.h>

/* What can be turned off.  Only the cuts examined and the time change. */
enum {
    PLAIN_COST = 1,   /* I: pruning by cost */
    PLAIN_ORDER = 2,  /* II: open items in descending order of cost */
    PLAIN_BOUND = 4,  /* III: bounds are tightened on the way back */
    PLAIN_REDUCE = 8, /* IV: the taxonomy is reduced: below locked nodes, and above where the search
                         begins */
    PLAIN_OURS = 16,  /* our search; without any of these it is the thesis' that runs */
};

typedef struct plain_frame {
    uint32_t rank;
    uint64_t bound;
} plain_frame;

typedef struct plain_state {
    lethe_cuts_limits *l;
    const lethe_cuts_net *net;
    lethe_cuts_best *best;
    bool by_cost, tighten, reduce;
    uint32_t *at, *rank; /* the node of a rank; the rank of a node */
    uint64_t *open;      /* bits, by rank */
    uint64_t *known;     /* by node: what is below an open one costs so much at least */
    uint32_t *first;     /* by node: its first child; LETHE_NONE */
    uint8_t *split;
    uint32_t *n_split; /* by bar: Theorem 4.3's counters */
    uint64_t cost, bound;
    plain_frame *stack;
    uint32_t n_stack;
} plain_state;

typedef struct plain_ranked {
    uint64_t all;
    uint32_t node;
} plain_ranked;

static int plain_by_cost(const void *a, const void *b)
{
    const plain_ranked *x = a, *y = b;
    if (x->all != y->all) return x->all > y->all ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Cost is that of a cut's nodes in full; what the lowest have is the same for all. */
static lethe_err plain_rank_nodes(plain_state *k, lethe_arena *a, bool ordered)
{
    plain_ranked *all = lethe_new(a, plain_ranked, (size_t)k->net->n + 1);
    if (!all) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < k->net->n; v++)
        all[v] = (plain_ranked){k->net->all[v], v};
    if (ordered && k->net->n > 0) qsort(all, k->net->n, sizeof *all, plain_by_cost);
    for (uint32_t i = 0; i < k->net->n; i++) {
        k->at[i] = all[i].node;
        k->rank[all[i].node] = i;
    }
    return LETHE_OK;
}

static bool plain_can_open(const plain_state *k, uint32_t v)
{
    return !k->reduce || !k->net->locked[v];
}

static void plain_set_open(plain_state *k, uint32_t v, bool on)
{
    uint64_t bit = (uint64_t)1 << (k->rank[v] & 63);
    if (!plain_can_open(k, v)) return;
    if (on)
        k->open[k->rank[v] >> 6] |= bit;
    else
        k->open[k->rank[v] >> 6] &= ~bit;
}

/* The first open rank from `from` on; LETHE_NONE. */
static uint32_t plain_next_open(const plain_state *k, uint32_t from)
{
    uint32_t words = (k->net->n + 63) / 64, i = from / 64;
    if (from >= k->net->n) return LETHE_NONE;
    uint64_t left = k->open[i] & (~(uint64_t)0 << (from & 63));
    while (left == 0) {
        if (++i == words) return LETHE_NONE;
        left = k->open[i];
    }
    return 64 * i + (uint32_t)__builtin_ctzll(left);
}

/* --- specializing --- */

static void plain_open_children(plain_state *k, uint32_t v, bool on)
{
    if (k->first[v] == LETHE_NONE) return;
    for (uint32_t c = k->first[v]; c < k->net->end[v]; c = k->net->end[c])
        plain_set_open(k, c, on);
}

static void plain_generalize(plain_state *k, uint32_t v)
{
    LETHE_CUTS_EACH_BAR(k->net, v, i) k->n_split[k->net->on[i]]--;
    k->split[v] = 0;
    k->cost += k->net->w[v];
    plain_open_children(k, v, false);
}

/* False: the cut is invalid, and nothing has changed. */
static bool plain_specialize(plain_state *k, uint32_t v)
{
    bool valid = !k->net->locked[v];
    LETHE_CUTS_EACH_BAR(k->net, v, i)
    {
        uint32_t b = k->net->on[i];
        if (++k->n_split[b] == k->net->start[b + 1] - k->net->start[b]) valid = false;
    }
    k->split[v] = 1;
    k->cost -= k->net->w[v];
    plain_open_children(k, v, true);
    if (!valid) plain_generalize(k, v);
    return valid;
}

/* What the bound gains when v is specialized: its children that are locked for good. */
static uint64_t plain_locked_below(const plain_state *k, uint32_t v)
{
    uint64_t sum = 0;
    if (k->first[v] == LETHE_NONE) return 0;
    for (uint32_t c = k->first[v]; c < k->net->end[v]; c = k->net->end[c])
        sum += plain_can_open(k, c) ? k->known[c] : k->net->all[c];
    return sum;
}

static bool plain_over(const plain_state *k, uint64_t bound)
{
    return k->by_cost && lethe_cuts_best_excludes(k->best, bound);
}

/* --- the search --- */

static void plain_lock(plain_state *k, uint32_t v) { k->bound += k->net->all[v] - k->known[v]; }

/* Specializes the open item of rank r, and either goes down there or comes back with it locked. */
static lethe_err plain_visit(plain_state *k, uint32_t r)
{
    uint32_t v = k->at[r];
    if (!plain_specialize(k, v)) {
        plain_lock(k, v);
        return LETHE_OK;
    }
    LETHE_TRY(lethe_cuts_examine(k->l));
    uint64_t bound = k->bound - k->known[v] + plain_locked_below(k, v);
    if (plain_over(k, bound)) {
        plain_generalize(k, v);
        plain_lock(k, v);
        return LETHE_OK;
    }
    k->stack[k->n_stack++] = (plain_frame){r, k->bound};
    k->bound = bound;
    return lethe_cuts_best_offer(k->best, k->cost, k->split);
}

static lethe_err plain_walk(plain_state *k)
{
    for (uint32_t r = plain_next_open(k, 0);;) {
        if (r == LETHE_NONE || (k->tighten && plain_over(k, k->bound))) {
            if (k->n_stack == 0) return LETHE_OK;
            plain_frame f = k->stack[--k->n_stack];
            plain_generalize(k, k->at[f.rank]);
            k->bound = f.bound;
            plain_lock(k, k->at[f.rank]);
            r = f.rank;
        } else {
            LETHE_TRY(plain_visit(k, r));
        }
        r = plain_next_open(k, r + 1);
    }
}

/* Where the search begins (section 4.4.1.2, made precise): a node that is not locked, whose
 * children are in no threat, can be specialized in every cut that it is in.  Only if that is
 * cheaper: of cuts that cost the same another might come first, and of several none may be lost. */
static void plain_push_down(plain_state *k)
{
    const lethe_cuts_net *net = k->net;
    for (uint32_t v = 0; v < net->n; v++) {
        bool reached = net->parent[v] == LETHE_NONE || k->split[net->parent[v]];
        bool free = !net->locked[v] && net->on_start[v] == net->on_start[v + 1] && net->w[v] > 0;
        if (!reached || !k->reduce || k->best->top > 1 || !free) continue;
        k->bound += plain_locked_below(k, v) - k->known[v];
        (void)plain_specialize(k, v);
        plain_set_open(k, v, false);
    }
}

static lethe_err plain_make(plain_state *k, lethe_arena *a, bool ordered)
{
    const lethe_cuts_net *net = k->net;
    size_t n = (size_t)net->n + 1;
    k->at = lethe_new(a, uint32_t, n);
    k->rank = lethe_new(a, uint32_t, n);
    k->open = lethe_new(a, uint64_t, n / 64 + 1);
    k->known = lethe_new(a, uint64_t, n);
    k->first = lethe_new(a, uint32_t, n);
    k->split = lethe_new(a, uint8_t, n);
    k->n_split = lethe_new(a, uint32_t, (size_t)net->n_bars + 1);
    k->stack = lethe_new(a, plain_frame, n);
    if (!k->at || !k->rank || !k->open || !k->known || !k->first || !k->split || !k->n_split ||
        !k->stack)
        return LETHE_ENOMEM;
    for (uint32_t v = net->n; v-- > 0;) {
        uint32_t up = net->parent[v];
        k->first[v] = net->end[v] > v + 1 ? v + 1 : LETHE_NONE;
        if (k->tighten && k->reduce && net->locked[v]) k->known[v] = net->all[v];
        if (up != LETHE_NONE) k->known[up] += k->known[v];
    }
    return plain_rank_nodes(k, a, ordered);
}

static lethe_err plain_search(plain_state *k)
{
    if (k->net->n > 0) {
        k->cost = k->net->all[0];
        k->bound = plain_can_open(k, 0) ? k->known[0] : k->net->all[0];
        plain_set_open(k, 0, true);
    }
    plain_push_down(k);
    LETHE_TRY(lethe_cuts_best_offer(k->best, k->cost, k->split)); // valid, whatever the limits
    LETHE_TRY(lethe_cuts_examine(k->l));
    return plain_walk(k);
}

static lethe_err cuts_plain_search(lethe_cuts_limits *l, const lethe_cuts_net *net,
                                   lethe_cuts_best *best, const void *arg)
{
    unsigned without = *(const unsigned *)arg;
    lethe_arena *a = lethe_arena_new();
    plain_state k = {.l = l, .net = net, .best = best};
    k.by_cost = !(without & PLAIN_COST);
    k.tighten = k.by_cost && !(without & PLAIN_BOUND);
    k.reduce = !(without & PLAIN_REDUCE);
    lethe_err e = a ? plain_make(&k, a, !(without & PLAIN_ORDER)) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = plain_search(&k);
    lethe_arena_free(a);
    return e == LETHE_ANSWER_NO ? LETHE_OK : e;
}

/* lethe_cuts_find() without the methods whose bits are set in `without`; 0: our search. */
static inline lethe_err plain_find(lethe_ctx *ctx, const lethe_cuts_problem *p, unsigned without,
                                   lethe_cuts *out)
{
    if (without == 0) return lethe_cuts_find(ctx, p, out);
    return lethe_cuts_find_by(ctx, p, cuts_plain_search, &without, out);
}

#endif
