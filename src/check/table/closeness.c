/* SPDX-License-Identifier: Apache-2.0 */
/* closeness.c - the earth mover's distance of a group to its table, in time that grows with the
 * values of the group and not with those of the table. */
#include "check/table/closeness.h"
#include <stdlib.h>

typedef lethe_wide wide;

/* What is known of a node that is at or above a value of the group. */
struct lethe_node_share {
    bool touched;
    uint64_t rows;   /* of the group, at and below it */
    uint64_t shown;  /* of the table, below children that are touched */
    wide more, less; /* what these have too much of, or too little */
};

/* --- the table --- */

static lethe_err order_init(lethe_closeness *c, lethe_arena *a)
{
    c->up_to = lethe_new(a, uint64_t, c->n);
    c->sums = lethe_new(a, uint64_t, (size_t)c->n + 1);
    if (!c->up_to || !c->sums) return LETHE_ENOMEM;
    uint64_t up_to = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        c->up_to[i] = up_to += c->rows[i];
        c->sums[i + 1] = c->sums[i] + up_to; // n and up_to are below 2^32
    }
    return LETHE_OK;
}

static lethe_err tree_init(lethe_closeness *c, lethe_arena *a, const uint32_t *parent)
{
    c->parent = parent;
    c->height = lethe_new(a, uint32_t, c->n);
    c->share = lethe_new(a, struct lethe_node_share, c->n);
    c->touched = lethe_new(a, uint32_t, c->n);
    if (!c->height || !c->share || !c->touched) return LETHE_ENOMEM;
    for (uint32_t v = c->n; v-- > 1;) {
        c->rows[parent[v]] += c->rows[v];
        c->height[parent[v]] = LETHE_MAX(c->height[parent[v]], c->height[v] + 1);
    }
    return LETHE_OK;
}

lethe_err lethe_closeness_init(lethe_closeness *c, lethe_arena *a, lethe_ground ground, uint32_t n,
                               uint64_t *rows, const uint32_t *parent)
{
    *c = (lethe_closeness){.ground = ground, .n = n};
    c->rows = rows;
    for (uint32_t i = 0; i < n; i++)
        c->total += rows[i];
    assert(c->total <= UINT32_MAX);
    if (ground == LETHE_GROUND_ORDERED) return order_init(c, a);
    return ground == LETHE_GROUND_HIERARCHICAL ? tree_init(c, a, parent) : LETHE_OK;
}

/* --- distances --- */

/* Half the sum of all differences is the sum of those above 0; and only values of the group have
 * such. */
static wide equal_sum(const lethe_closeness *c, const lethe_rows_at *at, size_t n, uint64_t rows)
{
    wide sum = 0;
    for (size_t i = 0; i < n; i++) {
        wide mine = (wide)at[i].rows * c->total, all = (wide)c->rows[at[i].place] * rows;
        if (mine > all) sum += mine - all;
    }
    return sum;
}

/* The sum of |a N - n up_to[i]| for places from <= i < to, all behind `before` rows of the group.
 * The differences fall, so those above 0 come first. */
static wide stretch_sum(const lethe_closeness *c, uint32_t from, uint32_t to, uint64_t before,
                        uint64_t rows)
{
    uint32_t low = from, high = to;
    wide mine = (wide)before * c->total;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((wide)rows * c->up_to[middle] > mine)
            high = middle;
        else
            low = middle + 1;
    }
    wide first = mine * (low - from) - (wide)rows * (c->sums[low] - c->sums[from]);
    wide last = (wide)rows * (c->sums[to] - c->sums[low]) - mine * (to - low);
    return first + last;
}

static wide ordered_sum(const lethe_closeness *c, const lethe_rows_at *at, size_t n, uint64_t rows)
{
    wide sum = 0;
    uint32_t from = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        sum += stretch_sum(c, from, at[i].place, before, rows);
        from = at[i].place;
        before += at[i].rows;
    }
    return sum + stretch_sum(c, from, c->n - 1, before, rows);
}

/* Marks the places and all nodes above them; how many these are. */
static size_t nodes_touch(lethe_closeness *c, const lethe_rows_at *at, size_t n)
{
    size_t n_touched = 0;
    for (size_t i = 0; i < n; i++) {
        c->share[at[i].place].rows += at[i].rows;
        for (uint32_t v = at[i].place; !c->share[v].touched; v = c->parent[v]) {
            c->share[v].touched = true;
            c->touched[n_touched++] = v;
            if (v == 0) break;
        }
    }
    return n_touched;
}

static int later_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* What the children of a node have too much and too little of is moved between them as far as
 * possible; the rest goes further up.  A node that is not touched has too little in every child. */
static wide hierarchical_sum(lethe_closeness *c, const lethe_rows_at *at, size_t n, uint64_t rows)
{
    wide sum = 0;
    size_t n_touched = nodes_touch(c, at, n);
    qsort(c->touched, n_touched, sizeof *c->touched, later_first); // children before parents
    for (size_t i = 0; i < n_touched; i++) {
        uint32_t v = c->touched[i];
        struct lethe_node_share s = c->share[v];
        c->share[v] = (struct lethe_node_share){.touched = false};
        wide less = s.less + (wide)(c->rows[v] - s.shown) * rows;
        sum += LETHE_MIN(s.more, less) * c->height[v];
        if (v == 0) break; // it is the last one
        struct lethe_node_share *up = &c->share[c->parent[v]];
        wide mine = (wide)s.rows * c->total, all = (wide)c->rows[v] * rows;
        up->rows += s.rows;
        up->shown += c->rows[v];
        if (mine > all)
            up->more += mine - all;
        else
            up->less += all - mine;
    }
    return sum;
}

static int by_place(const void *a, const void *b)
{
    uint32_t x = ((const lethe_rows_at *)a)->place, y = ((const lethe_rows_at *)b)->place;
    return (x > y) - (x < y);
}

lethe_distance lethe_closeness_of(lethe_closeness *c, lethe_rows_at *at, size_t n)
{
    uint64_t rows = 0, scale = 1;
    wide sum = 0;
    qsort(at, n, sizeof *at, by_place);
    for (size_t i = 0; i < n; i++)
        rows += at[i].rows;
    assert(rows > 0 && rows <= c->total);
    switch (c->ground) {
    case LETHE_GROUND_EQUAL:
        sum = equal_sum(c, at, n, rows);
        break;
    case LETHE_GROUND_ORDERED:
        scale = c->n - 1;
        if (scale > 0) sum = ordered_sum(c, at, n, rows);
        break;
    case LETHE_GROUND_HIERARCHICAL:
        scale = c->height[0];
        if (scale > 0) sum = hierarchical_sum(c, at, n, rows);
        break;
    }
    if (scale == 0) return (lethe_distance){0, 1}; // there is but one value
    return (lethe_distance){sum, (wide)rows * c->total * scale};
}

/* --- comparison --- */

/* a * b in three words of 64 bits, the last first. */
static void times(wide a, uint64_t b, uint64_t out[3])
{
    wide low = (wide)(uint64_t)a * b, high = (a >> 64) * b + (low >> 64);
    out[0] = (uint64_t)low;
    out[1] = (uint64_t)high;
    out[2] = (uint64_t)(high >> 64);
}

bool lethe_is_further(lethe_distance d, lethe_theta t)
{
    uint64_t far[3], bound[3];
    times(d.num, t.den, far);
    times(d.den, t.num, bound);
    for (int i = 2; i >= 0; i--)
        if (far[i] != bound[i]) return far[i] > bound[i];
    return false;
}
