/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_net.c - from the taxonomy and the threats to nodes and bars. */
#include "method/itemset/cuts/cuts_internal.h"

typedef struct net_builder {
    lethe_arena *a;
    const lethe_cuts_problem *p;
    uint32_t n;
    uint32_t *inner, *parent, *end;
    uint64_t *w;
    uint8_t *locked;
    uint32_t *bar; /* scratch: the nodes of one bar */
    uint32_t n_bar;
    lethe_dict *bars; /* each once, as its nodes' bytes */
} net_builder;

/* --- nodes --- */

/* Numbers the live nodes that have a live child.  A node's parent comes before it. */
static void number_nodes(net_builder *m)
{
    const lethe_tree *t = m->p->t;
    for (uint32_t v = 0; v < t->n; v++)
        m->inner[v] = LETHE_NONE;
    for (uint32_t v = t->n - 1; v > 0; v--)
        if (m->p->live[v]) m->inner[t->parent[v]] = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        if (m->inner[v] == LETHE_NONE) continue;
        assert(m->p->live[v]);
        m->parent[m->n] = v == 0 ? LETHE_NONE : m->inner[t->parent[v]];
        m->end[m->n] = t->end[v];
        m->inner[v] = m->n++;
    }
    for (uint32_t i = 0, v = 0; v < t->n; v++) { // ends are nodes of the taxonomy until here
        if (m->inner[v] == LETHE_NONE) continue;
        uint32_t end = m->end[i];
        while (end < t->n && m->inner[end] == LETHE_NONE)
            end++;
        m->end[i++] = end < t->n ? m->inner[end] : m->n;
    }
}

/* w of each node, and what the lowest live ones cost. */
static uint64_t weigh_nodes(net_builder *m)
{
    const lethe_tree *t = m->p->t;
    uint64_t base = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        if (!m->p->live[v]) continue;
        uint32_t i = m->inner[v], up = v == 0 ? LETHE_NONE : m->inner[t->parent[v]];
        if (i != LETHE_NONE)
            m->w[i] = m->p->cost[v];
        else
            base += m->p->cost[v];
        if (up == LETHE_NONE) continue;
        assert(m->w[up] >= m->p->cost[v]); // the children together cost no more
        m->w[up] -= m->p->cost[v];
    }
    return base;
}

/* --- bars --- */

/* The parents of threat i's items, ascending, those above another left out.  False: it never
 * counts, for an item that is not live. */
static bool bar_of(net_builder *m, size_t i)
{
    const lethe_threats *ts = m->p->threats;
    m->n_bar = 0;
    for (uint64_t k = ts->start[i]; k < ts->start[i + 1]; k++) {
        uint32_t v = ts->item[k], at = 0;
        if (!m->p->live[v]) return false;
        if (v == 0) continue; // the root is above every cut
        uint32_t q = m->inner[m->p->t->parent[v]];
        while (at < m->n_bar && m->bar[at] < q)
            at++;
        if (at < m->n_bar && m->bar[at] < m->end[q]) continue; // it, or one below it
        if (at > 0 && q < m->end[m->bar[at - 1]]) {            // it is below that one
            m->bar[at - 1] = q;
            continue;
        }
        memmove(m->bar + at + 1, m->bar + at, (m->n_bar - at) * sizeof *m->bar);
        m->bar[at] = q;
        m->n_bar++;
    }
    return true;
}

/* Which nodes are locked, those below them too.  False: not even the root is valid. */
static bool lock_nodes(net_builder *m)
{
    const lethe_threats *ts = m->p->threats;
    for (uint32_t v = 0; ts->locked && v < m->p->t->n; v++)
        if (m->inner[v] != LETHE_NONE && ts->locked[v]) m->locked[m->inner[v]] = 1;
    for (size_t i = 0; i < ts->n; i++) {
        if (!bar_of(m, i)) continue;
        if (m->n_bar == 0) return false;
        if (m->n_bar == 1) m->locked[m->bar[0]] = 1;
    }
    for (uint32_t v = 0; v < m->n; v++)
        if (m->parent[v] != LETHE_NONE && m->locked[m->parent[v]]) m->locked[v] = 1;
    return true;
}

/* Is there a stronger bar: of some of these nodes, or ones above them?  From node k on each is left
 * out or raised; gives up after `tries` steps, since this only saves time later. */
static bool is_implied(net_builder *m, const uint32_t *bar, uint32_t n, uint32_t k, uint32_t kept,
                       uint32_t *tries)
{
    if (*tries == 0) return false;
    --*tries;
    if (k == n) {
        lethe_str key = {(const char *)m->bar, kept * sizeof *m->bar};
        if (kept < 2) return false;
        if (kept == n && memcmp(m->bar, bar, key.n) == 0) return false;
        return lethe_dict_find(m->bars, key) != LETHE_NONE;
    }
    if (is_implied(m, bar, n, k + 1, kept, tries)) return true;
    for (uint32_t v = bar[k]; v != LETHE_NONE; v = m->parent[v]) {
        if (k + 1 < n && bar[k + 1] < m->end[v]) break; // above another: no bar has both
        if (kept > 0 && (v <= m->bar[kept - 1] || v < m->end[m->bar[kept - 1]])) break;
        m->bar[kept] = v;
        if (is_implied(m, bar, n, k + 1, kept + 1, tries)) return true;
    }
    return false;
}

/* The bars that no other implies. */
static lethe_err list_bars(net_builder *m, lethe_cuts_net *net)
{
    enum { TRIES = 400, LONG = 8 }; // enough for three nodes of a tree of five levels
    uint32_t n = lethe_dict_count(m->bars), kept = 0;
    uint64_t *start = lethe_new(m->a, uint64_t, (size_t)n + 1), at = 0;
    for (uint32_t i = 0; i < n; i++)
        at += lethe_dict_at(m->bars, i).n / sizeof(uint32_t);
    uint32_t *member = lethe_new(m->a, uint32_t, at + 1);
    if (!start || !member) return LETHE_ENOMEM;
    at = 0;
    for (uint32_t i = 0; i < n; i++) {
        lethe_str s = lethe_dict_at(m->bars, i);
        uint32_t size = (uint32_t)(s.n / sizeof *member), tries = TRIES;
        memcpy(member + at, s.at, s.n);
        if (size <= LONG && is_implied(m, member + at, size, 0, 0, &tries)) continue;
        at += size;
        start[++kept] = at;
    }
    net->n_bars = kept;
    net->start = start;
    net->member = member;
    return LETHE_OK;
}

/* --- all of it --- */

lethe_err lethe_cuts_net_finish(lethe_arena *a, lethe_cuts_net *net)
{
    uint64_t *all = lethe_new(a, uint64_t, (size_t)net->n + 1);
    uint64_t *on_start = lethe_new(a, uint64_t, (size_t)net->n + 2), n = net->start[net->n_bars];
    uint32_t *on = lethe_new(a, uint32_t, n + 1);
    if (!all || !on_start || !on) return LETHE_ENOMEM;
    for (uint32_t v = net->n; v-- > 0;) {
        all[v] += net->w[v];
        if (net->parent[v] != LETHE_NONE) all[net->parent[v]] += all[v];
    }
    for (uint64_t i = 0; i < n; i++)
        on_start[net->member[i] + 2]++;
    for (uint32_t v = 0; v < net->n; v++)
        on_start[v + 2] += on_start[v + 1];
    for (uint32_t b = 0; b < net->n_bars; b++)
        LETHE_CUTS_EACH_MEMBER(net, b, i) on[on_start[net->member[i] + 1]++] = b;
    net->all = all;
    net->on_start = on_start;
    net->on = on;
    return LETHE_OK;
}

static lethe_err build_net(net_builder *m, lethe_cuts_instance *out)
{
    const lethe_threats *ts = m->p->threats;
    uint32_t n = m->p->t->n, ignored;
    uint64_t longest = 0;
    for (size_t i = 0; i < ts->n; i++)
        longest = LETHE_MAX(longest, ts->start[i + 1] - ts->start[i]);
    m->inner = lethe_new(m->a, uint32_t, n);
    m->parent = lethe_new(m->a, uint32_t, n);
    m->end = lethe_new(m->a, uint32_t, n);
    m->w = lethe_new(m->a, uint64_t, n);
    m->locked = lethe_new(m->a, uint8_t, n);
    m->bar = lethe_new(m->a, uint32_t, longest + 1);
    if (!m->inner || !m->parent || !m->end || !m->w || !m->locked || !m->bar) return LETHE_ENOMEM;
    assert(m->p->live[0]);
    number_nodes(m);
    *out = (lethe_cuts_instance){.inner = m->inner, .base = weigh_nodes(m)};
    out->infeasible = ts->empty || !lock_nodes(m);
    if (out->infeasible) return LETHE_OK;
    out->net = (lethe_cuts_net){
        .n = m->n, .parent = m->parent, .end = m->end, .w = m->w, .locked = m->locked};
    for (size_t i = 0; i < ts->n; i++) { // bars of which no node is locked, each once
        bool counts = bar_of(m, i);
        for (uint32_t k = 0; counts && k < m->n_bar; k++)
            counts = !m->locked[m->bar[k]];
        lethe_str key = {(const char *)m->bar, m->n_bar * sizeof *m->bar};
        if (counts) LETHE_TRY(lethe_dict_add(m->bars, key, &ignored));
    }
    LETHE_TRY(list_bars(m, &out->net));
    return lethe_cuts_net_finish(m->a, &out->net);
}

lethe_err lethe_cuts_instance_new(lethe_arena *a, const lethe_cuts_problem *p,
                                  lethe_cuts_instance *out)
{
    net_builder m = {.a = a, .p = p, .bars = lethe_dict_new()};
    lethe_err e = m.bars ? build_net(&m, out) : LETHE_ENOMEM;
    lethe_dict_free(m.bars);
    return e;
}
