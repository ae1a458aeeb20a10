/* SPDX-License-Identifier: Apache-2.0 */
/* local_rebuild.c - a group and the groups near it are taken apart, and their items grouped anew as
 * cells; kept if that costs less. */
#include "method/table/local/local_search_internal.h"

enum { NOISE = 200 }; /* hundredths by which columns count more, at most */

static void add_region(local_search *z, uint32_t g, size_t *n)
{
    if (z->seen[g] == z->n_seen || z->group[g].n == 0 || g == z->bin) return;
    z->seen[g] = z->n_seen;
    z->region[(*n)++] = g;
}

/* Groups of items near those of the region, the region growing. */
static size_t region_by_items(local_search *z, uint32_t seed, size_t most)
{
    size_t n = 0;
    z->n_seen++;
    add_region(z, z->group_of[seed], &n);
    for (size_t done = 0; done < n && n < most; done++) {
        uint32_t i = z->group[z->region[done]].head;
        for (uint32_t c = 0; c < z->group[z->region[done]].n && n < most; c++, i = z->next[i]) {
            uint32_t j =
                z->near[(size_t)i * z->n_near + local_random_below(z, (uint32_t)z->n_near)];
            if (j != LETHE_NONE) add_region(z, z->group_of[j], &n);
        }
    }
    return n;
}

/* The groups in which the item would cost least. */
static size_t region_by_groups(local_search *z, uint32_t seed, size_t most)
{
    size_t n = 0;
    z->n_seen++;
    add_region(z, z->group_of[seed], &n);
    for (uint32_t g = 0; g < z->n_groups; g++) {
        if (z->group[g].n == 0 || z->seen[g] == z->n_seen || g == z->bin) continue;
        int64_t cost = local_cost_with(z->s, z->offset + (size_t)seed * z->axes,
                                       z->state + (size_t)g * z->axes);
        if (n == most && z->before[n - 1] <= cost) continue;
        size_t at = n < most ? n++ : n - 1;
        for (; at > 1 && z->before[at - 1] > cost; at--) {
            z->before[at] = z->before[at - 1];
            z->region[at] = z->region[at - 1];
        }
        z->before[at] = cost;
        z->region[at] = g;
    }
    return n;
}

/* The items of the region's groups, of as many as there is room for, and what they cost. */
static size_t gather_region(local_search *z, size_t *n_region, int64_t *cost)
{
    size_t n = 0;
    *cost = 0;
    for (size_t r = 0; r < *n_region; r++) {
        const local_group *g = &z->group[z->region[r]];
        if (n + g->n > z->most_who) {
            *n_region = r;
            break;
        }
        uint32_t i = g->head;
        for (uint32_t c = 0; c < g->n; c++, i = z->next[i])
            z->who[n++] = i;
        *cost += local_group_cost(g);
    }
    return n;
}

/* The region's groups become those of z->part. */
static void replace_groups(local_search *z, size_t n, size_t n_region, size_t parts)
{
    for (size_t i = 0; i < n; i++)
        lethe_local_put(z, z->who[i], LETHE_NONE);
    for (size_t p = parts; p < n_region; p++)
        z->unused[z->n_unused++] = z->region[p];
    for (size_t p = n_region; p < parts; p++)
        z->region[p] = lethe_local_unused(z);
    for (size_t i = 0; i < n; i++)
        lethe_local_put(z, z->who[i], z->region[z->part[i]]);
    for (size_t p = 0; p < LETHE_MAX(parts, n_region); p++)
        lethe_local_refresh(z, z->region[p]);
}

bool lethe_local_rebuild(local_search *z, uint32_t seed, size_t n_groups, int64_t bound)
{
    size_t n, parts, n_region;
    int64_t now;
    if (z->group_of[seed] == z->bin) return false;
    n_region = local_random_below(z, 2) ? region_by_items(z, seed, n_groups)
                                        : region_by_groups(z, seed, n_groups);
    n = gather_region(z, &n_region, &now);
    if (n_region < 2) return false;
    int64_t cost = lethe_local_cells_solve(z->cells, z->who, n, NOISE, z->part, &parts);
    if (cost == INT64_MAX || cost >= now + bound) return false;
    replace_groups(z, n, n_region, parts);
    return true;
}
