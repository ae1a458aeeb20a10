/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_internal.h - what the files of the search for cuts share.
 *
 * A cut is described by the inner live nodes that it *splits* (specializes): a node can be split if
 * its parent is; the others *stay*.  An item is at or above the cut if its parent is split.  So a
 * threat is a *bar*: of the parents of its items one at least must stay.  If a parent is below
 * another, it stays whenever that does, and is all that counts; a bar of one node locks it.
 *
 * What a cut costs is the sum of w over the nodes that stay: a node's w is its cost less that of
 * its live children.  So the problem is a cheapest set of nodes that has, with a node, all below
 * it, and one at least of each bar. */
#ifndef LETHE_METHOD_ITEMSET_CUTS_CUTS_INTERNAL_H
#define LETHE_METHOD_ITEMSET_CUTS_CUTS_INTERNAL_H
#include "method/itemset/cuts/cuts.h"
#include "core/mem.h"
#include <stdatomic.h>

/* --- the problem in short (cuts_net.c) --- */

/* Nodes are inner live ones, numbered from 0 in preorder; of a part: several trees side by side. */
typedef struct lethe_cuts_net {
    uint32_t n;
    const uint32_t *parent; /* LETHE_NONE: it can be split at once */
    const uint32_t *end;
    const uint64_t *w;
    const uint64_t *all;   /* w of the whole subtree */
    const uint8_t *locked; /* at or below a node that no valid cut splits; NULL: none is */
    uint32_t n_bars;
    const uint64_t *start; /* n_bars + 1: bar b is member[start[b]] .., ascending, two at least */
    const uint32_t *member;
    const uint64_t *on_start; /* n + 1: the bars of node v are on[on_start[v]] .. */
    const uint32_t *on;
} lethe_cuts_net;

#define LETHE_CUTS_EACH_BAR(net, v, i)                                                             \
    for (uint64_t i = (net)->on_start[(v)]; (i) < (net)->on_start[(v) + 1]; (i)++)
#define LETHE_CUTS_EACH_MEMBER(net, b, i)                                                          \
    for (uint64_t i = (net)->start[(b)]; (i) < (net)->start[(b) + 1]; (i)++)

typedef struct lethe_cuts_instance {
    lethe_cuts_net net;
    const uint32_t *inner; /* by node of the taxonomy: its number in the net; LETHE_NONE */
    uint64_t base;         /* cost of the lowest live nodes */
    bool infeasible;       /* not even the root is valid */
} lethe_cuts_instance;

/* All of it lives in `a`. */
LETHE_MUST_CHECK lethe_err lethe_cuts_instance_new(lethe_arena *a, const lethe_cuts_problem *p,
                                                   lethe_cuts_instance *out);
/* `all`, and the bars of each node, from the other fields. */
LETHE_MUST_CHECK lethe_err lethe_cuts_net_finish(lethe_arena *a, lethe_cuts_net *net);

/* --- limits, and the best so far (cuts_best.c) --- */

typedef struct lethe_cuts_limits {
    lethe_ctx *ctx;
    double alpha;
    uint64_t max_cuts; /* 0: any number */
    double deadline;   /* of the monotonic clock, in seconds; 0: none */
    _Atomic uint64_t examined;
    _Atomic bool met; /* a limit was met: the best may not be the cheapest */
} lethe_cuts_limits;

/* Counts one more cut as examined.  LETHE_OK; LETHE_ANSWER_NO: a limit is met; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_cuts_examine(lethe_cuts_limits *l);

/* The cheapest cuts found, in order. */
typedef struct lethe_cuts_best {
    const lethe_cuts_net *net;
    uint32_t top, n;
    double alpha;
    uint64_t *cost;
    uint8_t **split; /* of each cut: by node, 0 or 1 */
    size_t cap;
    uint64_t least; /* the least bound of what alpha cut off */
} lethe_cuts_best;

void lethe_cuts_best_begin(lethe_cuts_best *b, const lethe_cuts_net *net, uint32_t top,
                           double alpha);
void lethe_cuts_best_free(lethe_cuts_best *b);
/* Keeps a copy if it is among the `top` best; one that is there already is not added again. */
LETHE_MUST_CHECK lethe_err lethe_cuts_best_offer(lethe_cuts_best *b, uint64_t cost,
                                                 const uint8_t *split);
/* Is anything that costs at least `bound` useless?  What costs as much as the last one is not. */
bool lethe_cuts_best_excludes(lethe_cuts_best *b, uint64_t bound);
/* The order of cuts' lists of nodes: where they part, one stays at a node that the other splits,
 * and that number is less than any below it. */
int lethe_cuts_cmp(const lethe_cuts_net *net, const uint8_t *x, const uint8_t *y);
static inline bool lethe_cuts_best_full(const lethe_cuts_best *b) { return b->n == b->top; }

/* lethe_cuts_find() by another search of the whole net: for tests and benchmarks, which compare
 * ours with the thesis'. */
typedef lethe_err (*lethe_cuts_search_fn)(lethe_cuts_limits *l, const lethe_cuts_net *net,
                                          lethe_cuts_best *best, const void *arg);
LETHE_MUST_CHECK lethe_err lethe_cuts_find_by(lethe_ctx *ctx, const lethe_cuts_problem *p,
                                              lethe_cuts_search_fn search, const void *arg,
                                              lethe_cuts *out);

/* --- a state of our search (cuts_state.c) --- */

enum { LETHE_CUTS_OPEN, LETHE_CUTS_SPLIT, LETHE_CUTS_STAYS };

/* Open nodes are below split ones, and above nodes that stay; the highest are the *front*.  Of each
 * bar one node stays or two at least are open: so any open node may stay, and any of the front may
 * be split. */
typedef struct lethe_cuts_state {
    const lethe_cuts_net *net;
    uint8_t *is;
    uint64_t *rest;   /* by node: w of what does not stay yet in its subtree */
    uint32_t *n_free; /* by bar: nodes that are not split */
    uint32_t *n_stay; /* by bar: nodes that stay */
    uint32_t *n_left; /* by node: bars that have it, and no node that stays */
    uint64_t paid;    /* w of all nodes that stay */
    uint32_t *trail;  /* nodes in the order in which they were decided */
    uint32_t n_trail;
    uint32_t *met; /* scratch, by node: 0 */
} lethe_cuts_state;

LETHE_MUST_CHECK lethe_err lethe_cuts_state_new(lethe_arena *a, const lethe_cuts_net *net,
                                                lethe_cuts_state *out);
void lethe_cuts_stay(lethe_cuts_state *s, uint32_t v); /* and all below it */
/* A node of the front; what is left alone in a bar stays. */
void lethe_cuts_split(lethe_cuts_state *s, uint32_t v);
void lethe_cuts_undo(lethe_cuts_state *s, uint32_t n_trail);
/* Where one cut is wanted: nodes of the front whose staying costs nothing stay; those that no bar
 * is left for, or for which another can stay, are split.  (A node without a bar may cost as much
 * unsplit: lethe_cuts_join_free.) */
void lethe_cuts_settle(lethe_cuts_state *s);
/* The next of the front from `v` on; LETHE_NONE. */
uint32_t lethe_cuts_front(const lethe_cuts_state *s, uint32_t v);
/* Nodes that were split for nothing stay: it costs the same, and comes first in order. */
void lethe_cuts_join_free(const lethe_cuts_net *net, uint8_t *split);

/* --- bounds (cuts_bound.c) --- */

typedef struct lethe_cuts_bound {
    const lethe_cuts_net *net;
    uint64_t *slack; /* by open node: what it costs to stay there beyond what is in the bound */
    const uint32_t *rank; /* nodes in bars of two, or below one, in descending order of `all` */
    uint32_t n_rank;
    uint64_t *excludes; /* n_rank rows of `words`: which nodes (by rank) cannot be split too */
    size_t words;
    uint64_t *left; /* scratch: a row */
    uint32_t *clique;
    uint64_t *room;
} lethe_cuts_bound;

LETHE_MUST_CHECK lethe_err lethe_cuts_bound_new(lethe_arena *a, const lethe_cuts_net *net,
                                                lethe_cuts_bound *out);
/* A lower bound on every cut that follows from the state.  Leaves `slack`: cuts in which a node
 * of the front stays cost its slack more at least. */
uint64_t lethe_cuts_bound_of(lethe_cuts_bound *b, const lethe_cuts_state *s);

/* --- better bounds, at more cost (cuts_relax.c) --- */

typedef struct lethe_cuts_relaxation {
    const lethe_cuts_net *net;
    uint32_t n;      /* rows: the bars, then cliques */
    uint64_t *start; /* n + 1 */
    uint32_t *member;
    int64_t *y; /* by row: kept from call to call, for states are much alike */
    bool begun;
    int shift;        /* costs times 2 to this */
    uint32_t *active; /* rows that ask for something */
    uint32_t n_active;
    int32_t *lacks; /* by active row */
    int64_t *w, *load, *stay, *split;
    uint8_t *in;
    uint8_t *forced; /* by node of the front: what it must be, or LETHE_CUTS_OPEN */
} lethe_cuts_relaxation;

LETHE_MUST_CHECK lethe_err lethe_cuts_relaxation_new(lethe_arena *a, const lethe_cuts_net *net,
                                                     const lethe_cuts_bound *b,
                                                     lethe_cuts_relaxation *out);
/* As lethe_cuts_bound_of; leaves `forced`. */
uint64_t lethe_cuts_relaxation_bound(lethe_cuts_relaxation *r, const lethe_cuts_state *s,
                                     lethe_cuts_best *best);

/* --- our search (cuts_search.c) --- */

LETHE_MUST_CHECK lethe_err lethe_cuts_search(lethe_cuts_limits *l, const lethe_cuts_net *net,
                                             lethe_cuts_best *best);

#endif
