/* SPDX-License-Identifier: Apache-2.0 */
/* local_reshape.c - changes of several items at once: a group is dissolved into near ones, and a
 * group is made of what near ones can spare.  Items are moved one after the other; if all together
 * cost too much, they are moved back. */
#include "method/table/local/local_search_internal.h"
#include <string.h>

/* --- changes that may be taken back --- */

static int64_t move_item(local_search *z, uint32_t i, uint32_t to)
{
    uint32_t from = z->group_of[i];
    local_group *g = &z->group[from], *h = &z->group[to];
    int64_t before = local_group_cost(g) + local_group_cost(h);
    z->moved[z->n_moved] = i;
    z->moved_from[z->n_moved++] = from;
    lethe_local_put(z, i, to);
    lethe_local_refresh(z, from);
    lethe_local_refresh(z, to);
    return local_group_cost(g) + local_group_cost(h) - before;
}

static bool moves_valid(local_search *z)
{
    for (size_t m = 0; m < z->n_moved; m++)
        if (!lethe_local_group_valid(z, z->moved_from[m]) ||
            !lethe_local_group_valid(z, z->group_of[z->moved[m]]))
            return false;
    return true;
}

static void take_back(local_search *z)
{
    for (size_t m = z->n_moved; m-- > 0;) {
        uint32_t to = z->group_of[z->moved[m]];
        lethe_local_put(z, z->moved[m], z->moved_from[m]);
        lethe_local_refresh(z, to);
        lethe_local_refresh(z, z->moved_from[m]);
    }
}

/* --- dissolving --- */

/* Is group h better for item i than what was met so far? */
static void consider(const local_search *z, uint32_t i, uint32_t h, uint32_t *best, int64_t *cost)
{
    const local_group *H = &z->group[h];
    int64_t r = z->item[i].rows, rows = (int64_t)H->rows + r;
    if (h == z->group_of[i] || h == z->bin || H->n == 0) return;
    if (r * H->cost >= *cost) return; // the item itself costs that much there
    int64_t added = rows * local_cost_with(z->s, z->offset + (size_t)i * z->axes,
                                           z->state + (size_t)h * z->axes) -
                    local_group_cost(H);
    if (added >= *cost) return;
    *cost = added;
    *best = h;
}

/* The near group in which the item costs least, or where there are few, the best of all; or the
 * item may be deleted.  LETHE_NONE: there is none but its own. */
static uint32_t best_group(local_search *z, uint32_t i, int64_t *cost)
{
    uint32_t best = LETHE_NONE;
    uint64_t r = z->item[i].rows;
    z->work += z->few_groups ? z->n_groups : z->n_near;
    *cost = INT64_MAX;
    if (z->bin != LETHE_NONE && z->group[z->bin].rows + r <= z->max_deleted) {
        *cost = (int64_t)r * z->s->deletion_cost;
        best = z->bin;
    }
    for (uint32_t h = 0; z->few_groups && h < z->n_groups; h++)
        consider(z, i, h, &best, cost);
    for (size_t k = 0; !z->few_groups && k < z->n_near; k++) {
        uint32_t j = z->near[(size_t)i * z->n_near + k];
        if (j == LETHE_NONE) break;
        consider(z, i, z->group_of[j], &best, cost);
    }
    return best;
}

bool lethe_local_dissolve(local_search *z, uint32_t g, int64_t bound)
{
    local_group *G = &z->group[g];
    int64_t limit = local_group_cost(G) + bound, added, sum = 0;
    if (g == z->bin) return false;
    z->n_moved = 0;
    uint32_t i = G->head;
    for (uint32_t c = 0; c < G->n; c++, i = z->next[i]) { // at first as if each went alone
        if (best_group(z, i, &added) == LETHE_NONE) return false;
        sum += added;
        if (sum >= limit) return false;
    }
    sum = -local_group_cost(G);
    while (G->n > 0) {
        uint32_t item = G->head, to = best_group(z, item, &added);
        if (to == LETHE_NONE) break;
        local_group *H = &z->group[to];
        int64_t before = local_group_cost(H);
        z->moved[z->n_moved] = item;
        z->moved_from[z->n_moved++] = g;
        lethe_local_put(z, item, to);
        lethe_local_refresh(z, to);
        sum += local_group_cost(H) - before;
        if (sum >= bound || local_is_spent(z)) break;
    }
    if (G->n == 0) G->cost = 0;
    if (G->n > 0 || sum >= bound || !moves_valid(z)) {
        take_back(z);
        return false;
    }
    z->unused[z->n_unused++] = g;
    return true;
}

/* --- making --- */

static bool can_spare(const local_search *z, uint32_t j, uint32_t made)
{
    const local_group *h = &z->group[z->group_of[j]];
    return z->group_of[j] != made && z->group_of[j] != z->bin && h->rows >= z->k + z->item[j].rows;
}

/* The item that the group takes next: what its members are near to. */
static uint32_t best_spare(local_search *z, uint32_t made)
{
    const local_group *G = &z->group[made];
    z->work += G->n * z->n_near;
    int64_t best = INT64_MAX;
    uint32_t at = LETHE_NONE, i = G->head;
    for (uint32_t c = 0; c < G->n; c++, i = z->next[i])
        for (size_t k = 0; k < z->n_near; k++) {
            uint32_t j = z->near[(size_t)i * z->n_near + k];
            if (j == LETHE_NONE) break;
            if (!can_spare(z, j, made)) continue;
            const local_group *h = &z->group[z->group_of[j]];
            int64_t r = z->item[j].rows;
            int64_t cost =
                ((int64_t)G->rows + r) * local_cost_with(z->s, z->offset + (size_t)j * z->axes,
                                                         z->state + (size_t)made * z->axes) +
                ((int64_t)h->rows - r) * z->rest_cost[j] - local_group_cost(h);
            if (cost < best) {
                best = cost;
                at = j;
            }
        }
    return at;
}

bool lethe_local_make(local_search *z, uint32_t seed, int64_t bound)
{
    if (!can_spare(z, seed, LETHE_NONE)) return false;
    uint32_t made = lethe_local_unused(z);
    z->n_moved = 0;
    int64_t sum = move_item(z, seed, made);
    while (z->group[made].rows < z->k && !local_is_spent(z)) {
        uint32_t j = best_spare(z, made);
        if (j == LETHE_NONE) break;
        sum += move_item(z, j, made);
    }
    if (z->group[made].rows < z->k || sum >= bound || !moves_valid(z)) {
        take_back(z);
        z->unused[z->n_unused++] = made;
        return false;
    }
    return true;
}

/* --- narrowing --- */

/* The spare item near the group that may join it without a change of what the group publishes, and
 * whose own group is the better for it; LETHE_NONE: none. */
static uint32_t best_fitting(local_search *z, uint32_t g)
{
    const local_group *G = &z->group[g];
    z->work += G->n * z->n_near;
    const uint32_t *state = z->state + (size_t)g * z->axes;
    int64_t best = INT64_MAX;
    uint32_t at = LETHE_NONE, i = G->head;
    for (uint32_t c = 0; c < G->n; c++, i = z->next[i])
        for (size_t k = 0; k < z->n_near; k++) {
            uint32_t j = z->near[(size_t)i * z->n_near + k];
            if (j == LETHE_NONE) break;
            if (!can_spare(z, j, g)) continue;
            const local_group *h = &z->group[z->group_of[j]];
            int64_t r = z->item[j].rows;
            int64_t left = ((int64_t)h->rows - r) * z->rest_cost[j] - local_group_cost(h);
            if (left + r * G->cost >= best) continue; // it cannot cost less in the group
            int64_t cost = left +
                           ((int64_t)G->rows + r) *
                               local_cost_with(z->s, z->offset + (size_t)j * z->axes, state) -
                           local_group_cost(G);
            if (cost < best) {
                best = cost;
                at = j;
            }
        }
    return at;
}

/* The rows of the group of item `kept` that are below the same child of what it publishes; the
 * items that are not are put into z->who. */
static uint64_t rows_below(local_search *z, uint32_t kept, size_t axis, size_t *n_out)
{
    const local_group *G = &z->group[z->group_of[kept]];
    const local_axis *x = &z->s->axis[axis];
    uint32_t top = z->state[(size_t)z->group_of[kept] * z->axes + axis], i = G->head;
    uint32_t child = z->single[(size_t)kept * z->axes + axis];
    uint64_t rows = 0;
    while (x->tree->parent[child] != top)
        child = x->tree->parent[child];
    *n_out = 0;
    for (uint32_t c = 0; c < G->n; c++, i = z->next[i]) {
        if (lethe_tree_covers(x->tree, child, z->single[(size_t)i * z->axes + axis]))
            rows += z->item[i].rows;
        else
            z->who[(*n_out)++] = i;
    }
    return rows;
}

/* Items that are not below the same child as `kept`, less than half, leave the group for others,
 * and spare items take their place. */
bool lethe_local_narrow(local_search *z, uint32_t kept, size_t axis, int64_t bound)
{
    uint32_t g = z->group_of[kept];
    const local_group *G = &z->group[g];
    const local_axis *x = &z->s->axis[axis];
    size_t n_out;
    int64_t sum = 0, cost;
    bool fits = true;
    if (g == z->bin || x->kind != LOCAL_NODE) return false;
    if (lethe_tree_is_leaf(x->tree, z->state[(size_t)g * z->axes + axis])) return false;
    if (2 * rows_below(z, kept, axis, &n_out) < G->rows || n_out == 0) return false;
    z->n_moved = 0;
    for (size_t m = 0; fits && m < n_out; m++) {
        uint32_t to = best_group(z, z->who[m], &cost);
        fits = to != LETHE_NONE && !local_is_spent(z);
        if (fits) sum += move_item(z, z->who[m], to);
    }
    while (fits && G->rows < z->k && z->n_moved < z->n) {
        uint32_t j = best_fitting(z, g);
        fits = j != LETHE_NONE && !local_is_spent(z);
        if (fits) sum += move_item(z, j, g);
    }
    if (!fits || sum >= bound || !moves_valid(z)) {
        take_back(z);
        return false;
    }
    return true;
}
