/* SPDX-License-Identifier: Apache-2.0 */
/* local_exchange.c - an item moves to another group, or takes the place of one of its items.  What
 * its group is without it is known, so a price is one load per column and side. */
#include "method/table/local/local_search_internal.h"

/* --- validity --- */

/* Is the group valid without item `out` and with `in`?  LETHE_NONE: no such item.  Numbers of rows
 * are not looked at where only they count: the callers do. */
static bool valid_after(local_search *z, uint32_t g, uint32_t out, uint32_t in)
{
    const local_group *x = &z->group[g];
    if (z->judge->rows_only || g == z->bin) return true;
    uint32_t i = x->head;
    for (uint32_t c = 0; c < x->n; c++, i = z->next[i])
        if (i != out) lethe_local_judge_add(z->judge, z->item[i]);
    if (in != LETHE_NONE) lethe_local_judge_add(z->judge, z->item[in]);
    return lethe_local_judge_valid(z->judge);
}

bool lethe_local_group_valid(local_search *z, uint32_t g)
{
    if (g == z->bin) return z->group[g].rows <= z->max_deleted;
    if (z->group[g].n == 0) return true;
    return z->group[g].rows >= z->k && valid_after(z, g, LETHE_NONE, LETHE_NONE);
}

/* --- prices --- */

static int64_t cost_with(const local_search *z, uint32_t i, const uint32_t *state)
{
    return local_cost_with(z->s, z->offset + (size_t)i * z->axes, state);
}

/* What both groups cost when item i has moved; INT64_MAX: it may not. */
static int64_t price_of_move(local_search *z, uint32_t i, uint32_t h)
{
    uint32_t g = z->group_of[i];
    const local_group *from = &z->group[g], *to = &z->group[h];
    uint64_t r = z->item[i].rows;
    if (g != z->bin && from->rows < z->k + r) return INT64_MAX;
    if (h == z->bin && to->rows + r > z->max_deleted) return INT64_MAX;
    int64_t joined = h == z->bin ? to->cost : cost_with(z, i, z->state + (size_t)h * z->axes);
    return (int64_t)(from->rows - r) * z->rest_cost[i] + (int64_t)(to->rows + r) * joined;
}

/* The item of group h with which an exchange costs least, less than *limit, which becomes what both
 * groups then cost; LETHE_NONE: none. */
static uint32_t best_partner(local_search *z, uint32_t i, uint32_t h, int64_t *limit)
{
    uint32_t g = z->group_of[i], best = LETHE_NONE;
    const local_group *G = &z->group[g], *H = &z->group[h];
    uint64_t r = z->item[i].rows;
    const uint32_t *rest_i = z->rest + (size_t)i * z->axes;
    int64_t rest_cost_i = z->rest_cost[i];
    if (G->n == 1 || H->n == 1 || g == z->bin || h == z->bin) return LETHE_NONE;
    uint32_t j = H->head;
    z->work += H->n;
    for (uint32_t c = 0; c < H->n; c++, j = z->next[j]) {
        uint64_t rj = z->item[j].rows, new_g = G->rows - r + rj, new_h = H->rows - rj + r;
        if (new_g < z->k || new_h < z->k) continue;
        int64_t least = (int64_t)new_g * rest_cost_i; // it cannot cost less than without j
        if (least + (int64_t)new_h * z->rest_cost[j] >= *limit) continue;
        int64_t cost = (int64_t)new_h * cost_with(z, i, z->rest + (size_t)j * z->axes);
        if (cost + least >= *limit) continue;
        cost += (int64_t)new_g * cost_with(z, j, rest_i);
        if (cost >= *limit || !valid_after(z, g, i, j) || !valid_after(z, h, j, i)) continue;
        *limit = cost;
        best = j;
    }
    return best;
}

bool lethe_local_exchange(local_search *z, uint32_t i, uint32_t h, int64_t bound)
{
    uint32_t g = z->group_of[i];
    int64_t limit = local_group_cost(&z->group[g]) + local_group_cost(&z->group[h]) + bound;
    int64_t moved = price_of_move(z, i, h);
    bool move =
        moved < limit && valid_after(z, h, LETHE_NONE, i) && valid_after(z, g, i, LETHE_NONE);
    if (move) limit = moved;
    uint32_t partner = best_partner(z, i, h, &limit);
    if (!move && partner == LETHE_NONE) return false;
    lethe_local_put(z, i, h);
    if (partner != LETHE_NONE) lethe_local_put(z, partner, g);
    lethe_local_refresh(z, g);
    lethe_local_refresh(z, h);
    return true;
}
