/* The search of the thesis: Algorithm 4.1 (OptimalSearch) over the cut enumeration tree of section
 * 3.2.1.
 *
 * Open items have a fixed order (Method II: cost descending, ties preorder; without it: preorder)
 * in which a node comes before those below it.  So the items locked in a cut are those passed over,
 * and the open items that come after the last one specialized are all that are left: one set of
 * bits, by rank, will do for the whole way down. */
#include "method/itemset/cuts/cuts_internal.h"
#include <stdlib.h>

typedef struct frame {
    uint32_t rank;
    uint64_t bound;
} frame;

typedef struct plain {
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
    frame *stack;
    uint32_t n_stack;
} plain;

typedef struct ranked {
    uint64_t all;
    uint32_t node;
} ranked;

static int by_cost(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->all != y->all) return x->all > y->all ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Cost is that of a cut's nodes in full; what the lowest have is the same for all. */
static lethe_err rank_nodes(plain *k, lethe_arena *a, bool ordered)
{
    ranked *all = lethe_new(a, ranked, (size_t)k->net->n + 1);
    if (!all) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < k->net->n; v++)
        all[v] = (ranked){k->net->all[v], v};
    if (ordered && k->net->n > 0) qsort(all, k->net->n, sizeof *all, by_cost);
    for (uint32_t i = 0; i < k->net->n; i++) {
        k->at[i] = all[i].node;
        k->rank[all[i].node] = i;
    }
    return LETHE_OK;
}

static bool can_open(const plain *k, uint32_t v) { return !k->reduce || !k->net->locked[v]; }

static void set_open(plain *k, uint32_t v, bool on)
{
    uint64_t bit = (uint64_t)1 << (k->rank[v] & 63);
    if (!can_open(k, v)) return;
    if (on)
        k->open[k->rank[v] >> 6] |= bit;
    else
        k->open[k->rank[v] >> 6] &= ~bit;
}

/* The first open rank from `from` on; LETHE_NONE. */
static uint32_t next_open(const plain *k, uint32_t from)
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

static void open_children(plain *k, uint32_t v, bool on)
{
    if (k->first[v] == LETHE_NONE) return;
    for (uint32_t c = k->first[v]; c < k->net->end[v]; c = k->net->end[c])
        set_open(k, c, on);
}

static void generalize(plain *k, uint32_t v)
{
    LETHE_CUTS_EACH_BAR(k->net, v, i) k->n_split[k->net->on[i]]--;
    k->split[v] = 0;
    k->cost += k->net->w[v];
    open_children(k, v, false);
}

/* False: the cut is invalid, and nothing has changed. */
static bool specialize(plain *k, uint32_t v)
{
    bool valid = !k->net->locked[v];
    LETHE_CUTS_EACH_BAR(k->net, v, i)
    {
        uint32_t b = k->net->on[i];
        if (++k->n_split[b] == k->net->start[b + 1] - k->net->start[b]) valid = false;
    }
    k->split[v] = 1;
    k->cost -= k->net->w[v];
    open_children(k, v, true);
    if (!valid) generalize(k, v);
    return valid;
}

/* What the bound gains when v is specialized: its children that are locked for good. */
static uint64_t locked_below(const plain *k, uint32_t v)
{
    uint64_t sum = 0;
    if (k->first[v] == LETHE_NONE) return 0;
    for (uint32_t c = k->first[v]; c < k->net->end[v]; c = k->net->end[c])
        sum += can_open(k, c) ? k->known[c] : k->net->all[c];
    return sum;
}

static bool over(const plain *k, uint64_t bound)
{
    return k->by_cost && lethe_cuts_best_excludes(k->best, bound);
}

/* --- the search --- */

static void lock(plain *k, uint32_t v) { k->bound += k->net->all[v] - k->known[v]; }

/* Specializes the open item of rank r, and either goes down there or comes back with it locked. */
static lethe_err visit(plain *k, uint32_t r)
{
    uint32_t v = k->at[r];
    if (!specialize(k, v)) {
        lock(k, v);
        return LETHE_OK;
    }
    LETHE_TRY(lethe_cuts_examine(k->l));
    uint64_t bound = k->bound - k->known[v] + locked_below(k, v);
    if (over(k, bound)) {
        generalize(k, v);
        lock(k, v);
        return LETHE_OK;
    }
    k->stack[k->n_stack++] = (frame){r, k->bound};
    k->bound = bound;
    return lethe_cuts_best_offer(k->best, k->cost, k->split);
}

static lethe_err walk(plain *k)
{
    for (uint32_t r = next_open(k, 0);;) {
        if (r == LETHE_NONE || (k->tighten && over(k, k->bound))) {
            if (k->n_stack == 0) return LETHE_OK;
            frame f = k->stack[--k->n_stack];
            generalize(k, k->at[f.rank]);
            k->bound = f.bound;
            lock(k, k->at[f.rank]);
            r = f.rank;
        } else {
            LETHE_TRY(visit(k, r));
        }
        r = next_open(k, r + 1);
    }
}

/* Where the search begins (section 4.4.1.2, made precise): a node that is not locked, whose
 * children are in no threat, can be specialized in every cut that it is in.  Only if that is
 * cheaper: of cuts that cost the same another might come first, and of several none may be lost. */
static void push_down(plain *k)
{
    const lethe_cuts_net *net = k->net;
    for (uint32_t v = 0; v < net->n; v++) {
        bool reached = net->parent[v] == LETHE_NONE || k->split[net->parent[v]];
        bool free = !net->locked[v] && net->on_start[v] == net->on_start[v + 1] && net->w[v] > 0;
        if (!reached || !k->reduce || k->best->top > 1 || !free) continue;
        k->bound += locked_below(k, v) - k->known[v];
        (void)specialize(k, v);
        set_open(k, v, false);
    }
}

static lethe_err make(plain *k, lethe_arena *a, bool ordered)
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
    k->stack = lethe_new(a, frame, n);
    if (!k->at || !k->rank || !k->open || !k->known || !k->first || !k->split || !k->n_split ||
        !k->stack)
        return LETHE_ENOMEM;
    for (uint32_t v = net->n; v-- > 0;) {
        uint32_t up = net->parent[v];
        k->first[v] = net->end[v] > v + 1 ? v + 1 : LETHE_NONE;
        if (k->tighten && k->reduce && net->locked[v]) k->known[v] = net->all[v];
        if (up != LETHE_NONE) k->known[up] += k->known[v];
    }
    return rank_nodes(k, a, ordered);
}

static lethe_err search(plain *k)
{
    if (k->net->n > 0) {
        k->cost = k->net->all[0];
        k->bound = can_open(k, 0) ? k->known[0] : k->net->all[0];
        set_open(k, 0, true);
    }
    push_down(k);
    LETHE_TRY(lethe_cuts_best_offer(k->best, k->cost, k->split)); // valid, whatever the limits
    LETHE_TRY(lethe_cuts_examine(k->l));
    return walk(k);
}

lethe_err lethe_cuts_plain(lethe_cuts_limits *l, const lethe_cuts_net *net, unsigned without,
                           lethe_cuts_best *best)
{
    lethe_arena *a = lethe_arena_new();
    plain k = {.l = l, .net = net, .best = best};
    k.by_cost = !(without & LETHE_CUTS_COST);
    k.tighten = k.by_cost && !(without & LETHE_CUTS_BOUND);
    k.reduce = !(without & LETHE_CUTS_REDUCE);
    lethe_err e = a ? make(&k, a, !(without & LETHE_CUTS_ORDER)) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = search(&k);
    lethe_arena_free(a);
    return e == LETHE_ANSWER_NO ? LETHE_OK : e;
}
