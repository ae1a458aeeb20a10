/* SPDX-License-Identifier: Apache-2.0 */
/* local_part.c - the union of two near groups is parted anew: its items stand in the order of a
 * column, or by which of two distant items they are nearer to, and are cut where the two parts cost
 * least.  What all items before and behind each place have in common takes one pass each, so every
 * cut of an order is looked at. */
#include "method/table/local/local_search_internal.h"
#include <stdlib.h>
#include <string.h>

enum { SORTING = 16 }; /* what it costs to sort an item, in columns that are looked at */

static int by_key(const void *a, const void *b)
{
    const local_ordered *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static void sort_ordered(local_ordered *o, size_t n)
{
    if (n > 32) {
        qsort(o, n, sizeof *o, by_key);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        local_ordered v = o[i];
        size_t k = i;
        for (; k > 0 && by_key(&v, &o[k - 1]) < 0; k--)
            o[k] = o[k - 1];
        o[k] = v;
    }
}

static int64_t pair_cost(const local_search *z, uint32_t i, uint32_t k)
{
    return local_cost_with(z->s, z->offset + (size_t)i * z->axes, z->single + (size_t)k * z->axes);
}

static uint32_t farthest(const local_search *z, const local_ordered *o, size_t n, uint32_t from)
{
    uint32_t best = from;
    int64_t most = -1;
    for (size_t i = 0; i < n; i++) {
        int64_t cost = pair_cost(z, o[i].item, from);
        if (cost > most) {
            most = cost;
            best = o[i].item;
        }
    }
    return best;
}

static void append(const local_search *z, uint32_t *state, bool first, uint32_t i)
{
    if (first) {
        memcpy(state, z->single + (size_t)i * z->axes, z->axes * sizeof *state);
        return;
    }
    for (size_t x = 0; x < z->axes; x++)
        state[x] = local_join(z->s, x, z->offset[(size_t)i * z->axes + x], state[x]);
}

static bool parts_valid(local_search *z, const local_ordered *o, size_t n, size_t cut)
{
    if (z->judge->rows_only) return true;
    for (size_t i = 0; i < cut; i++)
        lethe_local_judge_add(z->judge, z->item[o[i].item]);
    if (!lethe_local_judge_valid(z->judge)) return false;
    for (size_t i = cut; i < n; i++)
        lethe_local_judge_add(z->judge, z->item[o[i].item]);
    return lethe_local_judge_valid(z->judge);
}

/* The cheapest cut of the order: how many items are before it; 0: none is valid or cheaper. */
static size_t best_cut(local_search *z, const local_ordered *o, size_t n, int64_t *limit)
{
    uint32_t state[2 * LETHE_QI_MAX];
    uint64_t rows = 0, all = 0;
    size_t best = 0;
    int64_t *before = z->before;
    for (size_t i = 0; i < n; i++) {
        append(z, state, i == 0, o[i].item);
        all += z->item[o[i].item].rows;
        before[i] = (int64_t)all * lethe_local_cost(z->s, state);
    }
    for (size_t i = n; i-- > 1;) {
        append(z, state, i == n - 1, o[i].item);
        rows += z->item[o[i].item].rows;
        if (all - rows < z->k) break;
        if (rows < z->k) continue;
        int64_t behind = (int64_t)rows * lethe_local_cost(z->s, state);
        if (behind >= *limit) break;
        if (before[i - 1] + behind < *limit && parts_valid(z, o, n, i)) {
            *limit = before[i - 1] + behind;
            best = i;
        }
    }
    return best;
}

/* Orders the items, tries the cuts, and keeps the best order in z->kept. */
static void try_order(local_search *z, local_ordered *o, size_t n, int64_t *limit, size_t *cut)
{
    sort_ordered(o, n);
    size_t c = best_cut(z, o, n, limit);
    if (c == 0) return;
    *cut = c;
    memcpy(z->kept, o, n * sizeof *o);
}

static size_t gather(const local_search *z, uint32_t g, local_ordered *o)
{
    uint32_t i = z->group[g].head, n = z->group[g].n;
    for (uint32_t c = 0; c < n; c++, i = z->next[i])
        o[c] = (local_ordered){0, i};
    return n;
}

/* By which of two items that are far from each other an item is nearer to. */
static void lean(local_search *z, local_ordered *o, size_t n)
{
    uint32_t any = o[local_random_below(z, (uint32_t)n)].item;
    uint32_t a = farthest(z, o, n, any), b = farthest(z, o, n, a);
    for (size_t i = 0; i < n; i++) {
        int64_t nearer = pair_cost(z, o[i].item, a) - pair_cost(z, o[i].item, b);
        o[i].key = z->lean[o[i].item] = (uint32_t)(nearer + INT32_MAX);
    }
}

/* By the values of a column, then as above; false: all have the same. */
static bool order_by_axis(const local_search *z, local_ordered *o, size_t n, size_t x)
{
    uint32_t first = z->single[(size_t)o[0].item * z->axes + x];
    bool differs = false;
    for (size_t i = 0; i < n; i++) {
        uint32_t v = z->single[(size_t)o[i].item * z->axes + x];
        o[i].key = (uint64_t)v << 32 | z->lean[o[i].item];
        differs = differs || v != first;
    }
    return differs;
}

bool lethe_local_part(local_search *z, uint32_t g, uint32_t h, int64_t bound)
{
    const local_group *G = &z->group[g], *H = &z->group[h];
    local_ordered *o = z->ordered;
    size_t cut = 0;
    int64_t limit = local_group_cost(G) + (g == h ? 0 : local_group_cost(H)) + bound;
    uint64_t rows = G->rows + (g == h ? 0 : H->rows);
    if (rows < 2 * z->k || g == z->bin || h == z->bin) return false;
    size_t n = gather(z, g, o);
    if (g != h) n += gather(z, h, o + n);
    if (n < 2) return false;
    z->work += n * (z->axes + 1) * (z->axes + SORTING); // an order of each column, and one more
    lean(z, o, n);
    try_order(z, o, n, &limit, &cut);
    for (size_t x = 0; x < z->axes; x++)
        if (order_by_axis(z, o, n, x)) try_order(z, o, n, &limit, &cut);
    if (cut == 0) return false;
    if (g == h) h = lethe_local_unused(z);
    for (size_t i = 0; i < n; i++)
        lethe_local_put(z, z->kept[i].item, i < cut ? g : h);
    lethe_local_refresh(z, g);
    lethe_local_refresh(z, h);
    return true;
}
