/* SPDX-License-Identifier: Apache-2.0 */
/* cut_sets.c - what a cut of the taxonomy costs, and what it makes of sets. */
#include "method/itemset/cuts/cut_sets.h"
#include "core/mem.h"

lethe_err lethe_cuts_costs_find(const lethe_records *sets, const lethe_tree *t, lethe_arena *a,
                                lethe_cuts_costs *out)
{
    *out = (lethe_cuts_costs){.live = lethe_new(a, uint8_t, t->n),
                              .cost = lethe_new(a, uint64_t, t->n),
                              .items = sets->start[sets->n]};
    if (!out->live || !out->cost) return LETHE_ENOMEM;
    out->live[0] = 1;
    for (uint64_t i = 0; i < out->items; i++) {
        out->live[sets->item[i]] = 1;
        out->cost[sets->item[i]]++;
    }
    for (uint32_t v = t->n - 1; v > 0; v--) { // children stand behind their parents
        out->live[t->parent[v]] |= out->live[v];
        out->cost[t->parent[v]] += out->cost[v];
    }
    for (uint32_t v = 0; v < t->n; v++)
        out->cost[v] *= lethe_tree_lm(t, v);
    return LETHE_OK;
}

uint64_t lethe_cuts_cost(const lethe_cuts_costs *c, const uint32_t *node, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += c->cost[node[i]];
    return sum;
}

double lethe_cuts_ncp(const lethe_cuts_costs *c, const lethe_tree *t, uint64_t cost)
{
    double most = (double)c->items * (double)lethe_tree_scale(t);
    return most > 0 ? (double)cost / most : 0;
}

lethe_err lethe_cuts_apply(const lethe_records *sets, const lethe_tree *t, const uint32_t *node,
                           size_t n, lethe_arena *a, lethe_records *out)
{
    uint64_t *start = lethe_new(a, uint64_t, sets->n + 1), kept = 0;
    uint32_t *item = lethe_new(a, uint32_t, sets->start[sets->n]);
    uint32_t *place = lethe_new(a, uint32_t, t->n); // by node: that of the cut at or above it
    if (!start || !item || !place) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < t->n; v++)
        place[v] = LETHE_NONE;
    for (size_t i = 0; i < n; i++)
        for (uint32_t v = node[i]; v < t->end[node[i]]; v++)
            place[v] = node[i];
    for (size_t i = 0; i < sets->n; i++) {
        start[i] = kept;
        // items ascend, and so do the nodes above them, for none of these is above another
        for (uint64_t j = sets->start[i]; j < sets->start[i + 1]; j++) {
            uint32_t to = place[sets->item[j]];
            if (to != LETHE_NONE && (kept == start[i] || item[kept - 1] != to)) item[kept++] = to;
        }
    }
    start[sets->n] = kept;
    *out = *sets;
    out->start = start;
    out->item = item;
    return LETHE_OK;
}
