/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_state.c - a state of the search for cuts: what is split, what stays, and what follows. */
#include "method/itemset/cuts/cuts_internal.h"

lethe_err lethe_cuts_state_new(lethe_arena *a, const lethe_cuts_net *net, lethe_cuts_state *out)
{
    lethe_cuts_state s = {.net = net};
    size_t n = (size_t)net->n + 1, n_bars = (size_t)net->n_bars + 1;
    s.is = lethe_new(a, uint8_t, n);
    s.rest = lethe_new(a, uint64_t, n);
    s.n_left = lethe_new(a, uint32_t, n);
    s.trail = lethe_new(a, uint32_t, n);
    s.met = lethe_new(a, uint32_t, n);
    s.n_free = lethe_new(a, uint32_t, n_bars);
    s.n_stay = lethe_new(a, uint32_t, n_bars);
    if (!s.is || !s.rest || !s.n_left || !s.trail || !s.met || !s.n_free || !s.n_stay)
        return LETHE_ENOMEM;
    for (uint32_t v = 0; v < net->n; v++) {
        s.rest[v] = net->all[v];
        s.n_left[v] = (uint32_t)(net->on_start[v + 1] - net->on_start[v]);
    }
    for (uint32_t b = 0; b < net->n_bars; b++)
        s.n_free[b] = (uint32_t)(net->start[b + 1] - net->start[b]);
    *out = s;
    return LETHE_OK;
}

/* --- one node --- */

static void add_above(lethe_cuts_state *s, uint32_t v, uint64_t more)
{
    for (uint32_t u = s->net->parent[v]; u != LETHE_NONE; u = s->net->parent[u])
        s->rest[u] += more;
}

static void stay_one(lethe_cuts_state *s, uint32_t v)
{
    const lethe_cuts_net *net = s->net;
    s->is[v] = LETHE_CUTS_STAYS;
    s->trail[s->n_trail++] = v;
    s->paid += net->w[v];
    s->rest[v] = 0;
    LETHE_CUTS_EACH_BAR(net, v, i)
    {
        uint32_t b = net->on[i];
        if (s->n_stay[b]++ > 0) continue;
        LETHE_CUTS_EACH_MEMBER(net, b, k) s->n_left[net->member[k]]--;
    }
}

/* What was below it is undone, and is in its `rest` by now; if its parent stays still, that came
 * with it, and is the next but for others below it. */
static void undo_stay(lethe_cuts_state *s, uint32_t v)
{
    const lethe_cuts_net *net = s->net;
    uint32_t up = net->parent[v];
    s->paid -= net->w[v];
    s->rest[v] += net->w[v];
    if (up != LETHE_NONE && s->is[up] == LETHE_CUTS_STAYS)
        s->rest[up] += s->rest[v];
    else
        add_above(s, v, s->rest[v]);
    LETHE_CUTS_EACH_BAR(net, v, i)
    {
        uint32_t b = net->on[i];
        if (--s->n_stay[b] > 0) continue;
        LETHE_CUTS_EACH_MEMBER(net, b, k) s->n_left[net->member[k]]++;
    }
}

void lethe_cuts_undo(lethe_cuts_state *s, uint32_t n_trail)
{
    while (s->n_trail > n_trail) {
        uint32_t v = s->trail[--s->n_trail];
        bool stays = s->is[v] == LETHE_CUTS_STAYS;
        s->is[v] = LETHE_CUTS_OPEN;
        if (stays)
            undo_stay(s, v);
        else
            LETHE_CUTS_EACH_BAR(s->net, v, i) s->n_free[s->net->on[i]]++;
    }
}

/* --- with what follows --- */

void lethe_cuts_stay(lethe_cuts_state *s, uint32_t v)
{
    assert(s->is[v] == LETHE_CUTS_OPEN);
    add_above(s, v, -s->rest[v]);
    for (uint32_t u = v; u < s->net->end[v];) {
        if (s->is[u] == LETHE_CUTS_OPEN) {
            stay_one(s, u);
            u++;
        } else {
            u = s->net->end[u]; // stays with all below it
        }
    }
}

static void stay_last(lethe_cuts_state *s, uint32_t b)
{
    LETHE_CUTS_EACH_MEMBER(s->net, b, i)
    {
        if (s->is[s->net->member[i]] != LETHE_CUTS_OPEN) continue;
        lethe_cuts_stay(s, s->net->member[i]);
        return;
    }
    assert(false); // then all would be split: the state was not what it should be
}

void lethe_cuts_split(lethe_cuts_state *s, uint32_t v)
{
    assert(s->is[v] == LETHE_CUTS_OPEN);
    s->is[v] = LETHE_CUTS_SPLIT;
    s->trail[s->n_trail++] = v;
    LETHE_CUTS_EACH_BAR(s->net, v, i) s->n_free[s->net->on[i]]--;
    LETHE_CUTS_EACH_BAR(s->net, v, i)
    {
        uint32_t b = s->net->on[i];
        if (s->n_free[b] == 1 && s->n_stay[b] == 0) stay_last(s, b);
    }
}

uint32_t lethe_cuts_front(const lethe_cuts_state *s, uint32_t v)
{
    while (v < s->net->n && s->is[v] != LETHE_CUTS_OPEN)
        v = s->is[v] == LETHE_CUTS_SPLIT ? v + 1 : s->net->end[v];
    return v < s->net->n ? v : LETHE_NONE;
}

/* Is there a node v on every bar left for u, at which to stay costs less than u's own w, or as much
 * and comes first?  Then u need not stay: where it does, v may instead, and u's children. */
static bool is_replaced(lethe_cuts_state *s, uint32_t u)
{
    enum { FEW = 8 }; // bars: with many it is seldom so
    const lethe_cuts_net *net = s->net;
    uint32_t n = s->n_left[u], seen = 0;
    bool found = false;
    if (n > FEW || net->w[u] == 0) return false;
    LETHE_CUTS_EACH_BAR(net, u, i)
    {
        if (s->n_stay[net->on[i]] > 0) continue;
        seen++;
        LETHE_CUTS_EACH_MEMBER(net, net->on[i], k)
        {
            uint32_t v = net->member[k];
            if (s->is[v] != LETHE_CUTS_OPEN || v == u) continue;
            bool less = s->rest[v] < net->w[u] || (s->rest[v] == net->w[u] && v < u);
            s->met[v] = seen == 1 ? 1 : s->met[v] + (s->met[v] == seen - 1);
            found = found || (seen == n && less && s->met[v] == n);
        }
    }
    LETHE_CUTS_EACH_BAR(net, u, i)
    LETHE_CUTS_EACH_MEMBER(net, net->on[i], k) s->met[net->member[k]] = 0;
    return found;
}

/* To stay where that costs nothing is never worse: any cut below it can be joined to the node, at
 * the same cost, and comes later in order.  A node that no bar is left for can be split in every
 * cut, and costs no more then. */
void lethe_cuts_settle(lethe_cuts_state *s)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t v = lethe_cuts_front(s, 0); v != LETHE_NONE;) {
            bool stays = s->rest[v] == 0,
                 splits = !stays && (s->n_left[v] == 0 || is_replaced(s, v));
            again = again || stays || (splits && s->n_left[v] > 0);
            if (stays) lethe_cuts_stay(s, v);
            if (splits) lethe_cuts_split(s, v);
            v = lethe_cuts_front(s, stays || splits ? v : s->net->end[v]);
        }
    }
}

void lethe_cuts_join_free(const lethe_cuts_net *net, uint8_t *split)
{
    for (uint32_t v = net->n; v-- > 0;) {
        bool joins = split[v] && net->w[v] == 0;
        for (uint32_t c = v + 1; joins && c < net->end[v]; c = net->end[c])
            joins = !split[c];
        if (joins) split[v] = 0;
    }
}
