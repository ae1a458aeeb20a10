/* SPDX-License-Identifier: Apache-2.0 */
/* local_state.c - groups of items, kept so that joining and leaving are cheap to price.
 *
 * Leaves are numbered in preorder, so what a group has in common is the lowest common ancestor of
 * its least and its greatest leaf (and a range is just these two).  Without an item it is something
 * else only where that item alone is least or greatest: one pass over a group gives what it would
 * publish without any of its items. */
#include "method/table/local/local_search_internal.h"
#include <string.h>

static void unlink_item(local_search *z, uint32_t i)
{
    local_group *g = &z->group[z->group_of[i]];
    if (z->prev[i] != LETHE_NONE)
        z->next[z->prev[i]] = z->next[i];
    else
        g->head = z->next[i];
    if (z->next[i] != LETHE_NONE) z->prev[z->next[i]] = z->prev[i];
    g->n--;
    g->rows -= z->item[i].rows;
    z->group_of[i] = LETHE_NONE;
}

void lethe_local_link(local_search *z, uint32_t i, uint32_t group)
{
    local_group *g = &z->group[group];
    z->prev[i] = LETHE_NONE;
    z->next[i] = g->n > 0 ? g->head : LETHE_NONE;
    if (g->n > 0) z->prev[g->head] = i;
    g->head = i;
    g->n++;
    g->rows += z->item[i].rows;
    z->group_of[i] = group;
}

/* The least and the greatest of an axis, and the next ones: items. */
typedef struct extremes {
    uint32_t least, second_least, greatest, second_greatest;
} extremes;

static extremes find_extremes(const local_search *z, const uint32_t *member, size_t n, size_t x)
{
    const uint32_t *single = z->single + x;
    size_t axes = z->axes;
    extremes e = {member[0], LETHE_NONE, member[0], LETHE_NONE};
    uint32_t least = single[member[0] * axes], second_least = UINT32_MAX;
    uint32_t greatest = least, second_greatest = 0;
    for (size_t i = 1; i < n; i++) {
        uint32_t v = single[member[i] * axes];
        if (v < least) {
            second_least = least;
            e.second_least = e.least;
            least = v;
            e.least = member[i];
        } else if (v < second_least || e.second_least == LETHE_NONE) {
            second_least = v;
            e.second_least = member[i];
        }
        if (v > greatest) {
            second_greatest = greatest;
            e.second_greatest = e.greatest;
            greatest = v;
            e.greatest = member[i];
        } else if (v > second_greatest || e.second_greatest == LETHE_NONE) {
            second_greatest = v;
            e.second_greatest = member[i];
        }
    }
    return e;
}

/* What two items have in common. */
static uint32_t common(const local_search *z, size_t x, uint32_t i, uint32_t k)
{
    return local_join(z->s, x, z->offset[i * z->axes + x], z->single[k * z->axes + x]);
}

void lethe_local_refresh(local_search *z, uint32_t group)
{
    local_group *g = &z->group[group];
    uint32_t *state = z->state + (size_t)group * z->axes, *member = z->list;
    size_t n = 0;
    for (uint32_t i = g->head; n < g->n; i = z->next[i])
        member[n++] = i;
    z->work += n * z->axes;
    g->cost = group == z->bin ? z->s->deletion_cost : 0;
    for (size_t i = 0; group == z->bin && i < n; i++)
        z->rest_cost[member[i]] = g->cost;
    if (n == 0 || group == z->bin) return;
    for (size_t i = 0; i < n; i++)
        z->rest_cost[member[i]] = 0;
    for (size_t x = 0; x < z->axes; x++) {
        const local_axis *axis = &z->s->axis[x];
        extremes e = find_extremes(z, member, n, x);
        uint32_t all = common(z, x, e.least, e.greatest);
        state[x] = all;
        g->cost += axis->cost[all];
        for (size_t i = 0; i < n; i++)
            z->rest[member[i] * z->axes + x] = all;
        if (n < 2 || z->single[e.least * z->axes + x] == z->single[e.greatest * z->axes + x])
            continue;
        uint32_t *low = &z->rest[e.least * z->axes + x], *high = &z->rest[e.greatest * z->axes + x];
        if (z->single[e.second_least * z->axes + x] != z->single[e.least * z->axes + x])
            *low = common(z, x, e.second_least, e.greatest);
        if (z->single[e.second_greatest * z->axes + x] != z->single[e.greatest * z->axes + x])
            *high = common(z, x, e.least, e.second_greatest);
        z->rest_cost[e.least] += axis->cost[*low] - axis->cost[all];
        z->rest_cost[e.greatest] += axis->cost[*high] - axis->cost[all];
    }
    for (size_t i = 0; i < n; i++)
        z->rest_cost[member[i]] += g->cost;
}

void lethe_local_put(local_search *z, uint32_t i, uint32_t group)
{
    if (z->group_of[i] != LETHE_NONE) unlink_item(z, i);
    if (group != LETHE_NONE) lethe_local_link(z, i, group);
}

uint32_t lethe_local_unused(local_search *z)
{
    if (z->n_unused > 0) return z->unused[--z->n_unused];
    z->group[z->n_groups] = (local_group){0}; // there are more numbers than items
    return (uint32_t)z->n_groups++;
}
