/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_bound.c - a lower bound on what the remaining threats cost.
 *
 * Let each remaining bar b have y(b) >= 0, which loads each of its open nodes.  If for every open
 * node v the loads in its subtree are no more than `rest` (the cost of staying at v), then every
 * cut costs at least the sum of y beyond what is paid: the highest nodes that stay cost at least
 * their loads, and each bar has a node at or below one of them.  (It is the dual of the linear
 * program.) What is not loaded is the slack of the node: a cut in which it is the highest node that
 * stays costs that much more.
 *
 * Of nodes that exclude each other pairwise at most one can be split: loads l(1) .. l(r) on such a
 * clique count as their sum less the greatest, where bars of two alone would give half of it.
 * Cliques come first, in descending order of cost; then the bars, with the room that is left. */
#include "method/itemset/cuts/cuts_internal.h"
#include <stdlib.h>

enum { CLIQUES = 2048 }; /* nodes at most, for which it is noted which exclude each other */

/* --- which nodes exclude each other --- */

typedef struct ranked {
    uint64_t all;
    uint32_t node;
} ranked;

static int by_all(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->all != y->all) return x->all > y->all ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool is_pair(const lethe_cuts_net *net, uint32_t b)
{
    return net->start[b + 1] - net->start[b] == 2;
}

/* Nodes at or below one of a bar of two.  rank_of[v]: its number + 1, or 0. */
static lethe_err rank_nodes(lethe_cuts_bound *k, lethe_arena *a, uint32_t *rank_of)
{
    const lethe_cuts_net *net = k->net;
    ranked *all = lethe_new(a, ranked, (size_t)net->n + 1);
    uint32_t *rank = lethe_new(a, uint32_t, (size_t)net->n + 1);
    if (!all || !rank) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < net->n; v++) {
        bool in = net->parent[v] != LETHE_NONE && rank_of[net->parent[v]];
        for (uint64_t i = net->on_start[v]; !in && i < net->on_start[v + 1]; i++)
            in = is_pair(net, net->on[i]);
        rank_of[v] = in;
        if (in) all[k->n_rank++] = (ranked){net->all[v], v};
    }
    if (k->n_rank > 0) qsort(all, k->n_rank, sizeof *all, by_all);
    for (uint32_t i = 0; i < k->n_rank; i++) {
        rank[i] = all[i].node;
        rank_of[rank[i]] = i + 1;
    }
    k->rank = rank;
    return LETHE_OK;
}

/* Marks that the nodes of a bar of two, and those below them, exclude each other. */
static void exclude(lethe_cuts_bound *k, const uint32_t *rank_of, uint32_t x, uint32_t y)
{
    for (uint32_t u = x; u < k->net->end[x]; u++)
        for (uint32_t v = y; v < k->net->end[y]; v++) {
            uint32_t i = rank_of[u] - 1, j = rank_of[v] - 1;
            k->excludes[i * k->words + j / 64] |= (uint64_t)1 << (j & 63);
            k->excludes[j * k->words + i / 64] |= (uint64_t)1 << (i & 63);
        }
}

lethe_err lethe_cuts_bound_new(lethe_arena *a, const lethe_cuts_net *net, lethe_cuts_bound *out)
{
    lethe_cuts_bound k = {.net = net};
    uint32_t *rank_of = lethe_new(a, uint32_t, (size_t)net->n + 1);
    k.slack = lethe_new(a, uint64_t, (size_t)net->n + 1);
    if (!rank_of || !k.slack) return LETHE_ENOMEM;
    LETHE_TRY(rank_nodes(&k, a, rank_of));
    if (k.n_rank > CLIQUES) k.n_rank = 0;
    k.words = (k.n_rank + 63) / 64;
    k.excludes = lethe_new(a, uint64_t, k.n_rank * k.words + 1);
    k.left = lethe_new(a, uint64_t, k.words + 1);
    k.clique = lethe_new(a, uint32_t, (size_t)k.n_rank + 1);
    k.room = lethe_new(a, uint64_t, (size_t)k.n_rank + 1);
    if (!k.excludes || !k.left || !k.clique || !k.room) return LETHE_ENOMEM;
    for (uint32_t b = 0; k.n_rank > 0 && b < net->n_bars; b++)
        if (is_pair(net, b))
            exclude(&k, rank_of, net->member[net->start[b]], net->member[net->start[b] + 1]);
    *out = k;
    return LETHE_OK;
}

/* --- loads --- */

/* How much more v can be loaded with. */
static uint64_t room_at(const lethe_cuts_bound *k, const lethe_cuts_state *s, uint32_t v)
{
    uint64_t least = UINT64_MAX;
    for (; v != LETHE_NONE && s->is[v] == LETHE_CUTS_OPEN; v = k->net->parent[v])
        least = LETHE_MIN(least, k->slack[v]);
    return least;
}

static void load(lethe_cuts_bound *k, const lethe_cuts_state *s, uint32_t v, uint64_t y)
{
    for (; v != LETHE_NONE && s->is[v] == LETHE_CUTS_OPEN; v = k->net->parent[v])
        k->slack[v] -= y;
}

/* A clique of open nodes with room, the seed (by rank) first, others in order of rank. */
static uint32_t clique_from(lethe_cuts_bound *k, const lethe_cuts_state *s, uint32_t seed)
{
    uint32_t n = 1;
    memcpy(k->left, k->excludes + seed * k->words, k->words * sizeof *k->left);
    k->clique[0] = k->rank[seed];
    k->room[0] = room_at(k, s, k->rank[seed]);
    for (size_t i = 0; i < k->words; i++) {
        while (k->left[i] != 0) {
            uint32_t j = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(k->left[i]);
            k->left[i] &= k->left[i] - 1;
            uint32_t v = k->rank[j];
            uint64_t room = s->is[v] == LETHE_CUTS_OPEN ? room_at(k, s, v) : 0;
            if (room == 0) continue;
            k->clique[n] = v;
            k->room[n++] = room;
            for (size_t w = i; w < k->words; w++)
                k->left[w] &= k->excludes[j * k->words + w];
        }
    }
    return n;
}

/* Loads a clique: each node with all its room, but the one with most with no more than the next. */
static uint64_t load_clique(lethe_cuts_bound *k, const lethe_cuts_state *s, uint32_t n)
{
    uint32_t most = 0;
    uint64_t next = 0, sum = 0, greatest = 0;
    for (uint32_t i = 1; i < n; i++)
        if (k->room[i] > k->room[most]) most = i;
    for (uint32_t i = 0; i < n; i++)
        if (i != most) next = LETHE_MAX(next, k->room[i]);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t room = room_at(k, s, k->clique[i]); // others may be below the same node
        uint64_t y = i == most ? LETHE_MIN(room, next) : room;
        load(k, s, k->clique[i], y);
        sum += y;
        greatest = LETHE_MAX(greatest, y);
    }
    return sum - greatest;
}

/* Loads the open nodes of a bar by y each; false, and nothing has changed, if there is no room:
 * several may be below one node. */
static bool load_members(lethe_cuts_bound *k, const lethe_cuts_state *s, uint32_t b, uint64_t y)
{
    const lethe_cuts_net *net = k->net;
    LETHE_CUTS_EACH_MEMBER(net, b, i)
    {
        uint32_t v = net->member[i];
        if (s->is[v] != LETHE_CUTS_OPEN) continue;
        if (room_at(k, s, v) >= y) {
            load(k, s, v, y);
            continue;
        }
        while (i-- > net->start[b])
            if (s->is[net->member[i]] == LETHE_CUTS_OPEN) load(k, s, net->member[i], -y);
        return false;
    }
    return true;
}

uint64_t lethe_cuts_bound_of(lethe_cuts_bound *k, const lethe_cuts_state *s)
{
    const lethe_cuts_net *net = k->net;
    uint64_t sum = s->paid;
    for (uint32_t v = 0; v < net->n;) {
        if (s->is[v] == LETHE_CUTS_STAYS) {
            v = net->end[v];
            continue;
        }
        k->slack[v] = s->rest[v];
        v++;
    }
    for (uint32_t i = 0; i < k->n_rank; i++) {
        uint32_t v = k->rank[i], n;
        while (s->is[v] == LETHE_CUTS_OPEN && s->n_left[v] > 0 && room_at(k, s, v) > 0 &&
               (n = clique_from(k, s, i)) >= 2)
            sum += load_clique(k, s, n);
    }
    for (uint32_t b = 0; b < net->n_bars; b++) {
        // each member as much as all have room for; its share of that, where that is too much
        uint64_t y = s->n_stay[b] == 0 ? UINT64_MAX : 0;
        for (uint64_t i = net->start[b]; y > 0 && i < net->start[b + 1]; i++)
            if (s->is[net->member[i]] == LETHE_CUTS_OPEN)
                y = LETHE_MIN(y, room_at(k, s, net->member[i]));
        if (y > 0 && !load_members(k, s, b, y)) {
            y /= s->n_free[b];
            if (y > 0 && !load_members(k, s, b, y)) y = 0;
        }
        sum += y;
    }
    return sum;
}
