/* SPDX-License-Identifier: Apache-2.0 */
/* local_search.c - groups of a block of items are improved by simulated annealing at low
 * temperatures: a step draws an item and one that is near it, and moves the item to that one's
 * group or exchanges it with one of its items; now and then two groups are parted anew, a group is
 * dissolved or made, or several are built anew.  How many steps there are follows from the numbers
 * of items and rows; the numbers drawn are the same in every run. */
#include "method/table/local/local_search_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 24,           /* items that are known as near an item */
    NEAR_WINDOW = 8,     /* looked at on either side in each order */
    NEAR_ROUNDS = 4,     /* orders, times columns */
    REGION_GROUPS = 12,  /* built anew together, and two more at most */
    REGION_ITEMS = 4096, /* likewise */
    LARGE = 32,          /* items of groups that are large */
    LARGE_STEPS = 3,     /* per item, with an effort of two */
    SMALL_STEPS = 340,   /* per item, divided by the size of groups */
    STEPS_LEAST = 3000,
    COOLING = 64,    /* steps at the same temperature */
    WORK = 24 << 10, /* per item, with an effort of one */
    JUDGED = 1 << 17 /* items that may be judged, per item */
};

/* --- making it --- */

static lethe_err make_search(local_search *z, lethe_arena *tmp)
{
    size_t n = z->n, axes = z->axes;
    z->offset = lethe_new(tmp, uint32_t, n * axes);
    z->single = lethe_new(tmp, uint32_t, n * axes);
    z->rest = lethe_new(tmp, uint32_t, n * axes);
    z->rest_cost = lethe_new(tmp, int64_t, n);
    z->group_of = lethe_new(tmp, uint32_t, n);
    z->next = lethe_new(tmp, uint32_t, n);
    z->prev = lethe_new(tmp, uint32_t, n);
    z->group = lethe_new(tmp, local_group, n + 1);
    z->state = lethe_new(tmp, uint32_t, (n + 1) * axes);
    z->unused = lethe_new(tmp, uint32_t, n + 1);
    z->near = lethe_new(tmp, uint32_t, n * z->n_near);
    z->seen = lethe_new(tmp, uint32_t, n + 1);
    if (!z->offset || !z->single || !z->rest || !z->rest_cost || !z->group_of || !z->next ||
        !z->prev || !z->group || !z->state || !z->unused || !z->near || !z->seen)
        return LETHE_ENOMEM;
    z->moved = lethe_new(tmp, uint32_t, n);
    z->moved_from = lethe_new(tmp, uint32_t, n);
    z->ordered = lethe_new(tmp, local_ordered, n);
    z->kept = lethe_new(tmp, local_ordered, n);
    z->before = lethe_new(tmp, int64_t, n + 1);
    z->lean = lethe_new(tmp, uint32_t, n);
    z->who = lethe_new(tmp, uint32_t, n);
    z->part = lethe_new(tmp, uint32_t, n);
    z->region = lethe_new(tmp, uint32_t, n + 1);
    z->list = lethe_new(tmp, uint32_t, n);
    return z->moved && z->moved_from && z->ordered && z->kept && z->before && z->lean && z->who &&
                   z->part && z->region && z->list
               ? LETHE_OK
               : LETHE_ENOMEM;
}

typedef struct placed {
    local_item item;
    uint32_t group;
} placed;

static int by_kind(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->item.kind != y->item.kind) return x->item.kind < y->item.kind ? -1 : 1;
    if (x->item.rows != y->item.rows) return x->item.rows > y->item.rows ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Items in the order of their kinds, the largest of a kind first, in the groups of *p. */
static lethe_err fill_search(local_search *z, local_parts *p, lethe_arena *tmp)
{
    placed *all = lethe_new(tmp, placed, p->n_items);
    if (!all) return LETHE_ENOMEM;
    for (size_t g = 0; g < p->n; g++)
        for (size_t i = p->start[g]; i < p->start[g + 1]; i++)
            all[i - p->start[0]] = (placed){p->item[i - p->start[0]], (uint32_t)g};
    qsort(all, p->n_items, sizeof *all, by_kind);
    z->n_groups = p->n;
    for (size_t i = 0; i < p->n_items; i++) {
        p->item[i] = all[i].item;
        memcpy(z->offset + i * z->axes, z->s->offset + all[i].item.kind * z->axes,
               z->axes * sizeof *z->offset);
        lethe_local_state_of(z->s, all[i].item.kind, z->single + i * z->axes);
        lethe_local_link(z, (uint32_t)i, all[i].group);
    }
    for (size_t g = 0; g < p->n; g++)
        lethe_local_refresh(z, (uint32_t)g);
    return LETHE_OK;
}

static int64_t total(const local_search *z)
{
    int64_t sum = 0;
    for (size_t g = 0; g < z->n_groups; g++)
        sum += local_group_cost(&z->group[g]);
    return sum;
}

/* All items grouped as cells, if that is better than what there is. */
static lethe_err start_by_cells(local_search *z, lethe_arena *tmp)
{
    local_cells *c;
    size_t parts;
    LETHE_TRY(lethe_local_cells_make(z, z->n, tmp, &c));
    for (uint32_t i = 0; i < z->n; i++)
        z->who[i] = i;
    int64_t cost = lethe_local_cells_solve(c, z->who, z->n, 0, z->part, &parts);
    if (lethe_ctx_cancelled(z->ctx)) return LETHE_ECANCEL;
    if (cost >= total(z)) return LETHE_OK;
    for (uint32_t i = 0; i < z->n; i++)
        lethe_local_put(z, i, LETHE_NONE);
    for (uint32_t i = 0; i < z->n; i++)
        lethe_local_put(z, i, z->part[i]);
    z->n_groups = LETHE_MAX(parts, z->n_groups);
    for (uint32_t g = 0; g < z->n_groups; g++) {
        lethe_local_refresh(z, g);
        if (z->group[g].n == 0) z->unused[z->n_unused++] = g;
    }
    return LETHE_OK;
}

/* --- steps --- */

typedef struct rates { /* of so many steps, one is another change */
    uint32_t part, dissolve, make, rebuild, narrow;
} rates;

static void change(local_search *z, const rates *r, uint32_t i, uint32_t h, int64_t bound)
{
    uint32_t g = z->group_of[i];
    if (local_random_below(z, r->part) == 0) // g and h may be one, which is then divided
        lethe_local_part(z, g, h, bound);
    else if (g == h)
        return;
    else if (local_random_below(z, r->dissolve) == 0)
        lethe_local_dissolve(z, g, bound);
    else if (local_random_below(z, r->make) == 0)
        lethe_local_make(z, i, bound);
    else if (local_random_below(z, r->narrow) == 0)
        lethe_local_narrow(z, i, local_random_below(z, (uint32_t)z->axes), bound);
    else if (local_random_below(z, r->rebuild) == 0)
        lethe_local_rebuild(z, i, 2 + local_random_below(z, REGION_GROUPS), bound);
    else
        lethe_local_exchange(z, i, h, bound);
}

/* A group near the item; or, where rows may be deleted, now and then these. */
static uint32_t draw_group(local_search *z, uint32_t i)
{
    if (z->bin != LETHE_NONE && local_random_below(z, 16) == 0) return z->bin;
    uint32_t j = z->near[(size_t)i * z->n_near + local_random_below(z, (uint32_t)z->n_near)];
    return j == LETHE_NONE ? LETHE_NONE : z->group_of[j];
}

/* The temperature falls geometrically from t0 to t1, by the steps that are done or by the work,
 * whichever is further on. */
static lethe_err anneal(local_search *z, uint64_t steps, const rates *r, double t0, double t1)
{
    uint64_t n_falls = steps / COOLING + 1, falls = 0, work_per_fall = z->budget / n_falls + 1;
    double t = t0, fall = pow(t1 / t0, 1 / (double)n_falls);
    for (uint64_t n = 0; n < steps && !local_is_spent(z); n++) {
        uint64_t due = LETHE_MAX(n / COOLING + 1, z->work / work_per_fall);
        if (falls < due && lethe_ctx_cancelled(z->ctx)) return LETHE_ECANCEL;
        for (; falls < due; falls++)
            t *= fall;
        uint32_t i = local_random_below(z, (uint32_t)z->n), h = draw_group(z, i);
        if (h == LETHE_NONE) continue;
        double u = ((double)(local_random(z) >> 11) + 1) * 0x1p-53;
        change(z, r, i, h, (int64_t)(-log(u) * t));
    }
    return LETHE_OK;
}

/* --- a block --- */

static void write_back(const local_search *z, local_parts *p, local_item *spare)
{
    size_t n = 0, parts = 0, from = p->start[0];
    for (size_t g = 0; g < z->n_groups; g++) {
        uint32_t i = z->group[g].head;
        if (z->group[g].n == 0 || g == z->bin) continue;
        p->start[parts++] = from + n;
        for (uint32_t c = 0; c < z->group[g].n; c++, i = z->next[i])
            spare[n++] = z->item[i];
    }
    p->start[parts] = from + n;
    p->n = parts;
    p->n_kept = n;
    for (uint32_t i = 0; i < z->n; i++)
        if (z->group_of[i] == z->bin) spare[n++] = z->item[i];
    memcpy(p->item, spare, n * sizeof *spare);
}

/* Where sensitive values are looked at, a step may judge as many sets as the group of its item has
 * items, each as large as the group: the larger the groups, the fewer steps there can be. */
static uint64_t affordable(const local_search *z, uint64_t steps)
{
    double judged = 1; // items in a step, on average
    if (z->judge->rows_only) return steps;
    for (size_t g = 0; g < z->n_groups; g++)
        judged += pow((double)z->group[g].n, 3) / (double)z->n;
    return (uint64_t)LETHE_MIN((double)steps, (double)z->n * JUDGED / judged);
}

/* How the search goes on: in large groups single items matter less, and a step takes longer. */
static lethe_err search(local_search *z, uint32_t effort)
{
    const rates small = {.part = 16, .dissolve = 32, .make = 32, .narrow = 16, .rebuild = 100};
    const rates large = {.part = 4, .dissolve = 200, .make = 1000, .narrow = 3, .rebuild = 16};
    uint64_t size = z->n / LETHE_MAX(z->n_groups - z->n_unused, 1);
    double mean = (double)total(z) / (double)z->n; // of an item
    if (z->n < 2 || mean <= 0) return LETHE_OK;
    z->few_groups = size >= LARGE;
    z->work = 0;
    z->budget = (uint64_t)effort * WORK * z->n;
    if (z->few_groups) {
        uint64_t steps = (uint64_t)effort * LARGE_STEPS * z->n / 2;
        steps = affordable(z, LETHE_MAX(steps, STEPS_LEAST));
        return anneal(z, steps, &large, 3 * mean, 0.15 * mean);
    }
    uint64_t steps = effort * (SMALL_STEPS / (size + 4)) * (uint64_t)z->n / 2;
    steps = affordable(z, LETHE_MAX(steps, STEPS_LEAST));
    return anneal(z, steps, &small, mean, 0.05 * mean);
}

lethe_err lethe_local_improve(lethe_ctx *ctx, const local_space *s, local_judge *j,
                              const local_task *task, lethe_arena *tmp, local_parts *p)
{
    local_search z = {.ctx = ctx,
                      .s = s,
                      .judge = j,
                      .axes = s->n_axes,
                      .k = j->k,
                      .granule = task->granule,
                      .max_deleted = task->max_deleted,
                      .bin = LETHE_NONE,
                      .n = p->n_items,
                      .item = p->item,
                      .n_near = NEAR};
    local_item *spare = lethe_new(tmp, local_item, p->n_items);
    if (!spare) return LETHE_ENOMEM;
    LETHE_TRY(make_search(&z, tmp));
    LETHE_TRY(fill_search(&z, p, tmp));
    LETHE_TRY(lethe_local_near(&z, NEAR_ROUNDS * z.axes, NEAR_WINDOW, tmp));
    // one group may be larger than a block
    size_t most = lethe_local_cells_max(s);
    if (task->start && z.n <= most) LETHE_TRY(start_by_cells(&z, tmp));
    if (z.max_deleted > 0) {
        z.bin = lethe_local_unused(&z);
        z.group[z.bin] = (local_group){.cost = s->deletion_cost};
    }
    z.most_who = LETHE_MIN(LETHE_MIN(z.n, REGION_ITEMS), most);
    LETHE_TRY(lethe_local_cells_make(&z, z.most_who, tmp, &z.cells));
    LETHE_TRY(search(&z, task->effort));
    write_back(&z, p, spare);
    return LETHE_OK;
}
