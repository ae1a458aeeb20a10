/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_search.c - our search: nodes of the front are split or stay, one after the other, the most
 * expensive first, and what follows is concluded at once.  A state stands for the cut in which its
 * front stays.
 *
 * As in the thesis, cuts are told apart from the top down and splitting is tried first, which soon
 * gives good cuts, and where threats are many leaves little to choose. */
#include "method/itemset/cuts/cuts_internal.h"

/* After so many states better bounds are worth what they cost, as long as one in USEFUL is of use;
 * else one state in SELDOM is tried. */
enum { EASY = 32, USEFUL = 3, SELDOM = 32 };

typedef struct choice {
    uint32_t node, n_trail;
    bool splits, last; /* what is tried now; and is it the second of the two? */
} choice;

typedef struct search {
    lethe_cuts_limits *l;
    const lethe_cuts_net *net;
    lethe_cuts_best *best;
    lethe_cuts_state s;
    lethe_cuts_bound b;
    lethe_cuts_relaxation r;
    uint64_t n_states, n_relaxed, n_useful; /* of those, relaxed, and not in vain */
    uint8_t *split;                         /* scratch: a cut */
    choice *stack;
    uint32_t n_stack;
} search;

/* All cuts that follow cost as much as the last of the best, at least: does each come after it in
 * order?  Both are walked from the top as long as they agree.  An open node that can only stay at a
 * higher cost counts as split; one that was split though staying is free may be joined again. */
static bool comes_after(const search *k, uint64_t bound)
{
    const uint8_t *last = k->best->split[k->best->n - 1];
    uint64_t cost = k->best->cost[k->best->n - 1];
    for (uint32_t v = 0; v < k->net->n;) {
        bool splits = k->s.is[v] == LETHE_CUTS_SPLIT;
        bool must = splits || (k->s.is[v] == LETHE_CUTS_OPEN && k->b.slack[v] > cost - bound);
        bool joins = k->best->top == 1 && k->net->w[v] == 0;
        if (last[v] && (!must || joins)) return false;
        if (!last[v] && splits && !joins) return true;
        v = last[v] ? v + 1 : k->net->end[v];
    }
    return true; // none but the last itself
}

/* Splits nodes of the front that can only stay at too high a cost. */
static bool split_too_costly(search *k, uint64_t bound)
{
    bool any = false;
    for (uint32_t v = lethe_cuts_front(&k->s, 0); v != LETHE_NONE;) {
        uint32_t next = k->net->end[v];
        if (lethe_cuts_best_excludes(k->best, bound + k->b.slack[v])) {
            lethe_cuts_split(&k->s, v);
            any = true;
        }
        v = lethe_cuts_front(&k->s, next);
    }
    return any;
}

/* As the better bound has it.  A node may have been decided since, by what followed from others. */
static bool apply_relaxation(search *k)
{
    bool any = false;
    for (uint32_t v = 0; v < k->net->n; v++) {
        if (k->r.forced[v] == LETHE_CUTS_OPEN || k->s.is[v] != LETHE_CUTS_OPEN) continue;
        if (k->r.forced[v] == LETHE_CUTS_SPLIT)
            lethe_cuts_split(&k->s, v);
        else
            lethe_cuts_stay(&k->s, v);
        any = true;
    }
    return any;
}

static bool is_tie(const search *k, uint64_t bound)
{
    return lethe_cuts_best_full(k->best) && bound == k->best->cost[k->best->n - 1];
}

/* The better bound, where it has been of use: if not, seldom.  False: nothing of use follows. */
static bool bound_by_relaxation(search *k, uint64_t bound, bool *again)
{
    if (k->n_states < EASY) return true;
    if (USEFUL * k->n_useful < k->n_relaxed && k->n_states % SELDOM != 0) return true;
    uint64_t more = lethe_cuts_relaxation_bound(&k->r, &k->s, k->best);
    bool over =
        lethe_cuts_best_excludes(k->best, more) || (is_tie(k, more) && comes_after(k, bound));
    *again = !over && apply_relaxation(k);
    k->n_relaxed++;
    k->n_useful += over || *again;
    return !over;
}

/* What follows from the state.  False: nothing of use does. */
static bool propagate(search *k)
{
    bool again = true;
    while (again) {
        if (k->best->top == 1) lethe_cuts_settle(&k->s);
        if (lethe_cuts_best_excludes(k->best, k->s.paid)) return false;
        uint64_t bound = lethe_cuts_bound_of(&k->b, &k->s);
        if (lethe_cuts_best_excludes(k->best, bound)) return false;
        if (is_tie(k, bound) && comes_after(k, bound)) return false;
        again = split_too_costly(k, bound);
        if (!again && !bound_by_relaxation(k, bound, &again)) return false;
    }
    return true;
}

/* The dearest of the front; LETHE_NONE: all is decided. */
static uint32_t dearest_of_front(const search *k)
{
    uint32_t best = LETHE_NONE;
    for (uint32_t v = lethe_cuts_front(&k->s, 0); v != LETHE_NONE;
         v = lethe_cuts_front(&k->s, k->net->end[v]))
        if (best == LETHE_NONE || k->s.rest[v] > k->s.rest[best]) best = v;
    return best;
}

static void apply_choice(search *k, const choice *c)
{
    if (c->splits)
        lethe_cuts_split(&k->s, c->node);
    else
        lethe_cuts_stay(&k->s, c->node);
}

/* Back to the last choice of which the other half is still to be tried.  False: there is none. */
static bool backtrack(search *k)
{
    while (k->n_stack > 0) {
        choice *c = &k->stack[k->n_stack - 1];
        lethe_cuts_undo(&k->s, c->n_trail);
        if (!c->last) {
            c->last = true;
            c->splits = !c->splits;
            apply_choice(k, c);
            return true;
        }
        k->n_stack--;
    }
    return false;
}

/* Where staying is free it is tried first: such cuts come first in order. */
static lethe_err branch_and_bound(search *k)
{
    uint32_t begin = k->s.n_trail;
    do {
        for (;;) {
            LETHE_TRY(lethe_cuts_examine(k->l));
            if (++k->n_states == EASY) { // from the top, where most follows from them
                lethe_cuts_undo(&k->s, begin);
                k->n_stack = 0;
            }
            if (!propagate(k)) break;
            uint32_t v = dearest_of_front(k);
            if (v == LETHE_NONE) {
                for (uint32_t u = 0; u < k->net->n; u++)
                    k->split[u] = k->s.is[u] == LETHE_CUTS_SPLIT;
                if (k->best->top == 1) lethe_cuts_join_free(k->net, k->split);
                LETHE_TRY(lethe_cuts_best_offer(k->best, k->s.paid, k->split));
                break;
            }
            choice *c = &k->stack[k->n_stack++];
            *c = (choice){v, k->s.n_trail, k->s.rest[v] > 0, false};
            apply_choice(k, c);
        }
    } while (backtrack(k));
    return LETHE_OK;
}

static lethe_err search_net(search *k, lethe_arena *a)
{
    size_t n = (size_t)k->net->n + 1;
    k->split = lethe_new(a, uint8_t, n);
    k->stack = lethe_new(a, choice, n);
    if (!k->split || !k->stack) return LETHE_ENOMEM;
    LETHE_TRY(lethe_cuts_state_new(a, k->net, &k->s));
    LETHE_TRY(lethe_cuts_bound_new(a, k->net, &k->b));
    LETHE_TRY(lethe_cuts_relaxation_new(a, k->net, &k->b, &k->r));
    for (uint32_t v = 0; v < k->net->n; v++)
        if (k->net->locked && k->net->locked[v] && k->s.is[v] == LETHE_CUTS_OPEN)
            lethe_cuts_stay(&k->s, v);
    uint64_t all = 0; // a cut to begin with, whatever the limits: all stays
    for (uint32_t v = 0; v < k->net->n; v = k->net->end[v])
        all += k->net->all[v];
    LETHE_TRY(lethe_cuts_best_offer(k->best, all, k->split));
    return branch_and_bound(k);
}

lethe_err lethe_cuts_search(lethe_cuts_limits *l, const lethe_cuts_net *net, lethe_cuts_best *best)
{
    lethe_arena *a = lethe_arena_new();
    search k = {.l = l, .net = net, .best = best};
    lethe_err e = a ? search_net(&k, a) : LETHE_ENOMEM;
    lethe_arena_free(a);
    return e == LETHE_ANSWER_NO ? LETHE_OK : e;
}
