/* SPDX-License-Identifier: Apache-2.0 */
/* local_near.c - which items are near an item: of those that stand around it when all are sorted by
 * the columns in several orders, the ones that would lose least in a group with it.  Items that
 * differ in one or two columns stand together where these columns come last; all pairs are never
 * looked at. */
#include "method/table/local/local_search_internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct finder {
    local_search *z;
    uint32_t *order; /* distinct items, sorted */
    uint32_t *spare;
    size_t n;
    int64_t *cost;    /* [distinct * n_near]: of pairs with what is near, ascending */
    uint32_t *near;   /* likewise: numbers of distinct items */
    uint32_t *filled; /* by distinct item */
    uint32_t *first;  /* by distinct item, n + 1: its items */
    uint32_t *count;
} finder;

static void sort_by_axis(finder *f, size_t x)
{
    local_search *z = f->z;
    uint32_t states = z->s->axis[x].n_states;
    memset(f->count, 0, ((size_t)states + 1) * sizeof *f->count);
    for (size_t i = 0; i < f->n; i++)
        f->count[z->single[(size_t)f->first[i] * z->axes + x] + 1]++;
    for (uint32_t v = 0; v < states; v++)
        f->count[v + 1] += f->count[v];
    for (size_t i = 0; i < f->n; i++) {
        uint32_t d = f->order[i];
        f->spare[f->count[z->single[(size_t)f->first[d] * z->axes + x]]++] = d;
    }
    uint32_t *swap = f->order;
    f->order = f->spare;
    f->spare = swap;
}

/* Keeps `other` among the nearest of `d`. */
static void keep(finder *f, uint32_t d, uint32_t other, int64_t cost)
{
    size_t n = f->z->n_near, filled = f->filled[d], at;
    int64_t *c = f->cost + d * n;
    uint32_t *near = f->near + d * n;
    if (filled == n && c[n - 1] <= cost) return;
    for (at = filled; at > 0 && c[at - 1] >= cost; at--)
        if (near[at - 1] == other) return;
    if (filled < n) filled = ++f->filled[d];
    memmove(c + at + 1, c + at, (filled - at - 1) * sizeof *c);
    memmove(near + at + 1, near + at, (filled - at - 1) * sizeof *near);
    c[at] = cost;
    near[at] = other;
}

static void look_around(finder *f, size_t window)
{
    local_search *z = f->z;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = i + 1; k < f->n && k <= i + window; k++) {
            uint32_t d = f->order[i], e = f->order[k];
            int64_t cost = local_cost_with(z->s, z->offset + (size_t)f->first[d] * z->axes,
                                           z->single + (size_t)f->first[e] * z->axes);
            keep(f, d, e, cost);
            keep(f, e, d, cost);
        }
}

/* A column last in turn, before it another: the others in an order that is drawn. */
static void look_in_order(finder *f, size_t round, size_t window)
{
    size_t axis[2 * LETHE_QI_MAX], n = f->z->axes;
    for (size_t x = 0; x < n; x++)
        axis[x] = x;
    for (size_t x = n; x > 1; x--) {
        size_t y = local_random_below(f->z, (uint32_t)x), swap = axis[x - 1];
        axis[x - 1] = axis[y];
        axis[y] = swap;
    }
    for (size_t x = 0; x < n; x++) // the one whose turn it is goes first: the last that counts
        if (axis[x] == round % n) {
            axis[x] = axis[0];
            axis[0] = round % n;
        }
    for (size_t x = 0; x < n; x++)
        sort_by_axis(f, axis[x]);
    look_around(f, window);
}

static lethe_err make_finder(finder *f, lethe_arena *tmp)
{
    local_search *z = f->z;
    size_t states = 1;
    for (size_t x = 0; x < z->axes; x++)
        states = LETHE_MAX(states, z->s->axis[x].n_states);
    f->first = lethe_new(tmp, uint32_t, z->n + 1);
    f->count = lethe_new(tmp, uint32_t, states + 1);
    if (!f->first || !f->count) return LETHE_ENOMEM;
    for (size_t i = 0; i < z->n; i++)
        if (i == 0 || z->item[i].kind != z->item[i - 1].kind) f->first[f->n++] = (uint32_t)i;
    f->first[f->n] = (uint32_t)z->n;
    f->order = lethe_new(tmp, uint32_t, f->n);
    f->spare = lethe_new(tmp, uint32_t, f->n);
    f->filled = lethe_new(tmp, uint32_t, f->n);
    f->cost = lethe_new(tmp, int64_t, f->n * z->n_near);
    f->near = lethe_new(tmp, uint32_t, f->n * z->n_near);
    if (!f->order || !f->spare || !f->filled || !f->cost || !f->near) return LETHE_ENOMEM;
    for (size_t i = 0; i < f->n; i++)
        f->order[i] = (uint32_t)i;
    return LETHE_OK;
}

/* The items of near kinds, one of each in turn. */
static void name_items(finder *f)
{
    local_search *z = f->z;
    for (uint32_t d = 0; d < f->n; d++)
        for (uint32_t i = f->first[d]; i < f->first[d + 1]; i++) {
            uint32_t *near = z->near + (size_t)i * z->n_near;
            size_t k = 0;
            if (f->first[d + 1] - f->first[d] > 1) // one of its own kind, the lump if there is one
                near[k++] = i > f->first[d] ? f->first[d] : i + 1;
            for (size_t m = 0; k < z->n_near; k++, m++) {
                near[k] = LETHE_NONE;
                if (m >= f->filled[d]) continue;
                uint32_t e = f->near[d * z->n_near + m], of = f->first[e + 1] - f->first[e];
                near[k] = f->first[e] + (i - f->first[d]) % of;
            }
        }
}

lethe_err lethe_local_near(local_search *z, size_t rounds, size_t window, lethe_arena *tmp)
{
    finder f = {.z = z};
    LETHE_TRY(make_finder(&f, tmp));
    for (size_t r = 0; r < rounds; r++) {
        if (lethe_ctx_cancelled(z->ctx)) return LETHE_ECANCEL;
        look_in_order(&f, r, window);
    }
    name_items(&f);
    return LETHE_OK;
}
