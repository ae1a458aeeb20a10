/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_best.c - the limits of a search for cuts, and the best cuts found so far. */
#include "method/itemset/cuts/cuts_internal.h"
#include "core/clock.h"

lethe_err lethe_cuts_examine(lethe_cuts_limits *l)
{
    if (lethe_ctx_cancelled(l->ctx)) return LETHE_ECANCEL;
    bool over = l->max_cuts > 0 && l->examined >= l->max_cuts;
    if (over || (l->deadline > 0 && lethe_clock_s() >= l->deadline)) l->met = true;
    if (l->met) return LETHE_ANSWER_NO;
    l->examined++;
    return LETHE_OK;
}

void lethe_cuts_best_begin(lethe_cuts_best *b, const lethe_cuts_net *net, uint32_t top,
                           double alpha)
{
    *b = (lethe_cuts_best){.net = net, .top = top, .alpha = alpha, .least = UINT64_MAX};
}

void lethe_cuts_best_free(lethe_cuts_best *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        lethe_free(b->split[i]);
    lethe_free(b->split);
    lethe_free(b->cost);
}

int lethe_cuts_cmp(const lethe_cuts_net *net, const uint8_t *x, const uint8_t *y)
{
    for (uint32_t v = 0; v < net->n; v = x[v] ? v + 1 : net->end[v])
        if (x[v] != y[v]) return x[v] ? 1 : -1;
    return 0;
}

bool lethe_cuts_best_excludes(lethe_cuts_best *b, uint64_t bound)
{
    if (!lethe_cuts_best_full(b)) return false;
    uint64_t last = b->cost[b->n - 1];
    if (bound > last) return true;
    if (b->alpha <= 0 || (1 + b->alpha) * (double)bound <= (double)last) return false;
    b->least = LETHE_MIN(b->least, bound);
    return true;
}

lethe_err lethe_cuts_best_offer(lethe_cuts_best *b, uint64_t cost, const uint8_t *split)
{
    uint32_t at = b->n;
    for (; at > 0 && b->cost[at - 1] >= cost; at--) {
        int c = b->cost[at - 1] > cost ? 1 : lethe_cuts_cmp(b->net, b->split[at - 1], split);
        if (c == 0) return LETHE_OK;
        if (c < 0) break;
    }
    if (at == b->top) return LETHE_OK;
    if (!lethe_cuts_best_full(b)) {
        if (b->n == b->cap) {
            size_t cap = LETHE_MIN(2 * b->cap + 1, (size_t)b->top);
            uint64_t *costs = lethe_realloc(b->cost, cap, sizeof *costs);
            if (costs) b->cost = costs;
            uint8_t **splits = lethe_realloc(b->split, cap, sizeof *splits);
            if (splits) b->split = splits;
            if (!costs || !splits) return LETHE_ENOMEM;
            b->cap = cap;
        }
        b->split[b->n] = lethe_alloc((size_t)b->net->n + 1, 1);
        if (!b->split[b->n]) return LETHE_ENOMEM;
        b->n++;
    }
    uint8_t *row = b->split[b->n - 1];
    for (uint32_t i = b->n - 1; i > at; i--) {
        b->cost[i] = b->cost[i - 1];
        b->split[i] = b->split[i - 1];
    }
    memcpy(row, split, b->net->n);
    b->cost[at] = cost;
    b->split[at] = row;
    return LETHE_OK;
}
