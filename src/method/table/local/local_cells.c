/* SPDX-License-Identifier: Apache-2.0 */
/* local_cells.c - groups as cells of the hierarchies: from an item, the values of one column after
 * the other are generalized until the cell is valid, and all free items in it become a group; the
 * cheapest cell first.
 *
 * Which items are below a node is a set of bits, so that a cell's items are the intersection of one
 * set per column. */
#include "method/table/local/local_search_internal.h"
#include <math.h>
#include <string.h>

/* A way up for each axis: the hierarchy, or of ranges a binary tree over the values.  The lowest
 * leaf of a range needs none, since the highest has it. */
typedef struct ladder {
    uint32_t n;
    uint32_t base; /* the node of a value is its state plus this */
    const uint32_t *parent;
    const int32_t *cost;
    uint32_t *slot;    /* by node: its set, plus 1; 0: none */
    uint32_t *touched; /* nodes that have a set */
    size_t n_touched;
} ladder;

typedef struct cell {
    int64_t cost;
    uint32_t seed;
} cell;

struct local_cells {
    local_search *z;
    size_t max_items, words; /* of the sets; `words` of the items at hand */
    size_t n_ladders;
    size_t *axis; /* by ladder */
    ladder *ladder;
    uint64_t *pool; /* sets one after the other */
    size_t n_slots, max_slots;
    uint64_t *unplaced;
    uint64_t **prefix, **suffix; /* by ladder: what all before it, all from it on, have in common */
    uint32_t *node;              /* by ladder: of the cell */
    double *price;               /* by ladder: what its losses count */
    cell *heap;
    size_t n_heap;
    const uint32_t *who; /* the items at hand, and the part of each; LETHE_NONE: none yet */
    uint32_t *part;
    size_t n, n_parts;
    uint32_t *state; /* [part * axes + axis] */
    uint64_t *rows;  /* by part */
    uint64_t granule;
};

/* --- making it --- */

static lethe_err range_ladder(const local_axis *x, lethe_arena *a, ladder *out)
{
    uint32_t base = 1;
    while (base < x->n_codes)
        base *= 2;
    uint32_t *parent = lethe_new(a, uint32_t, 2 * (size_t)base);
    int32_t *cost = lethe_new(a, int32_t, 2 * (size_t)base);
    uint32_t *first = lethe_new(a, uint32_t, 2 * (size_t)base);
    uint32_t *last = lethe_new(a, uint32_t, 2 * (size_t)base);
    if (!parent || !cost || !first || !last) return LETHE_ENOMEM;
    for (uint32_t v = 2 * base; v-- > 1;) {
        parent[v] = v > 1 ? v / 2 : LETHE_NONE;
        first[v] = v >= base ? LETHE_MIN(v - base, x->n_codes - 1) : first[2 * (size_t)v];
        last[v] = v >= base ? first[v] : last[2 * (size_t)v + 1];
        cost[v] = x->cost[last[v]] - x->cost[first[v]];
    }
    *out = (ladder){.n = 2 * base, .base = base, .parent = parent, .cost = cost};
    return LETHE_OK;
}

static lethe_err make_ladders(local_cells *c, lethe_arena *a)
{
    const local_search *z = c->z;
    c->axis = lethe_new(a, size_t, z->axes);
    c->ladder = lethe_new(a, ladder, z->axes);
    if (!c->axis || !c->ladder) return LETHE_ENOMEM;
    for (size_t x = 0; x < z->axes; x++) {
        const local_axis *axis = &z->s->axis[x];
        ladder *l = &c->ladder[c->n_ladders];
        if (axis->kind == LOCAL_LOW) continue;
        if (axis->kind == LOCAL_HIGH)
            LETHE_TRY(range_ladder(axis, a, l));
        else
            *l = (ladder){.n = axis->n_states, .parent = axis->tree->parent, .cost = axis->cost};
        l->slot = lethe_new(a, uint32_t, l->n);
        l->touched = lethe_new(a, uint32_t, l->n);
        if (!l->slot || !l->touched) return LETHE_ENOMEM;
        c->axis[c->n_ladders++] = x;
        uint64_t levels = axis->kind == LOCAL_NODE ? (uint64_t)axis->tree->height + 1 : 33;
        c->max_slots += (size_t)LETHE_MIN(l->n, levels * c->max_items);
    }
    return LETHE_OK;
}

enum { BLOCK_MAX = 32768 };
/* Numbers of nodes times items that sets may take: 64 MiB. */
#define SETS_MAX (UINT64_C(1) << 29)

size_t lethe_local_cells_max(const local_space *s)
{
    uint64_t states = 1;
    for (size_t x = 0; x < s->n_axes; x++)
        states += s->axis[x].kind == LOCAL_NODE ? s->axis[x].n_states : 2 * s->axis[x].n_states;
    return (size_t)LETHE_MAX(SETS_MAX / states, 64);
}

size_t lethe_local_block_max(const local_space *s)
{
    return LETHE_MIN(lethe_local_cells_max(s), BLOCK_MAX);
}

uint64_t lethe_local_sets_bytes(uint64_t n_values, uint64_t n_rows, unsigned n_threads)
{
    uint64_t states = 2 * LETHE_MIN(n_values, SETS_MAX) + 1, blocks = n_rows / BLOCK_MAX + 1;
    uint64_t bits = LETHE_MIN(states * LETHE_MIN(n_rows, BLOCK_MAX), SETS_MAX);
    return LETHE_MIN(blocks, n_threads) * bits / 8;
}

lethe_err lethe_local_cells_make(local_search *z, size_t max_items, lethe_arena *a,
                                 local_cells **out)
{
    local_cells *c = lethe_new(a, local_cells, 1);
    if (!c) return LETHE_ENOMEM;
    c->z = z;
    c->granule = z->granule;
    c->max_items = LETHE_MAX(max_items, 1);
    LETHE_TRY(make_ladders(c, a));
    size_t words = (c->max_items + 63) / 64, n = c->n_ladders;
    c->pool = lethe_new(a, uint64_t, words * c->max_slots);
    c->unplaced = lethe_new(a, uint64_t, words);
    c->prefix = lethe_new(a, uint64_t *, n + 1);
    c->suffix = lethe_new(a, uint64_t *, n + 1);
    c->node = lethe_new(a, uint32_t, n);
    c->price = lethe_new(a, double, n);
    c->heap = lethe_new(a, cell, c->max_items);
    c->state = lethe_new(a, uint32_t, c->max_items * z->axes);
    c->rows = lethe_new(a, uint64_t, c->max_items);
    if (!c->pool || !c->unplaced || !c->prefix || !c->suffix || !c->node || !c->price || !c->heap ||
        !c->state || !c->rows)
        return LETHE_ENOMEM;
    for (size_t x = 0; x <= n; x++) {
        c->prefix[x] = x == 0 ? c->unplaced : lethe_new(a, uint64_t, words);
        c->suffix[x] = lethe_new(a, uint64_t, words);
        if (!c->prefix[x] || !c->suffix[x]) return LETHE_ENOMEM;
    }
    *out = c;
    return LETHE_OK;
}

/* --- sets --- */

static bool has_bit(const uint64_t *bits, size_t i) { return bits[i / 64] >> i % 64 & 1; }
static void set_bit(uint64_t *bits, size_t i) { bits[i / 64] |= UINT64_C(1) << i % 64; }
static void clear_bit(uint64_t *bits, size_t i) { bits[i / 64] &= ~(UINT64_C(1) << i % 64); }

static uint64_t *below(const local_cells *c, size_t x, uint32_t v)
{
    return c->pool + (size_t)(c->ladder[x].slot[v] - 1) * c->words;
}

static uint32_t leaf_of(const local_cells *c, size_t x, uint32_t item)
{
    return c->z->single[(size_t)item * c->z->axes + c->axis[x]] + c->ladder[x].base;
}

static void fill_sets(local_cells *c)
{
    c->n_slots = 0;
    for (size_t x = 0; x < c->n_ladders; x++) {
        ladder *l = &c->ladder[x];
        while (l->n_touched > 0)
            l->slot[l->touched[--l->n_touched]] = 0;
    }
    for (size_t x = 0; x < c->n_ladders; x++) {
        ladder *l = &c->ladder[x];
        for (size_t i = 0; i < c->n; i++)
            for (uint32_t v = leaf_of(c, x, c->who[i]); v != LETHE_NONE; v = l->parent[v]) {
                if (l->slot[v] == 0) {
                    l->slot[v] = (uint32_t)++c->n_slots;
                    l->touched[l->n_touched++] = v;
                    memset(below(c, x, v), 0, c->words * sizeof(uint64_t));
                }
                set_bit(below(c, x, v), i);
            }
    }
}

static void intersect(uint64_t *restrict out, const uint64_t *restrict a,
                      const uint64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] & b[i];
}

/* After the node of an axis has changed. */
static void intersect_from(local_cells *c, size_t x)
{
    for (size_t y = x; y < c->n_ladders; y++)
        intersect(c->prefix[y + 1], c->prefix[y], below(c, y, c->node[y]), c->words);
    for (size_t y = x + 1; y-- > 0;)
        intersect(c->suffix[y], c->suffix[y + 1], below(c, y, c->node[y]), c->words);
}

/* Items of the cell if a column had another node. */
static uint64_t items_with(const local_cells *c, size_t x, uint32_t v)
{
    const uint64_t *p = c->prefix[x], *s = c->suffix[x + 1], *b = below(c, x, v);
    uint64_t n = 0;
    c->z->work += c->words;
    for (size_t i = 0; i < c->words; i++)
        n += (uint64_t)__builtin_popcountll(p[i] & s[i] & b[i]);
    return n;
}

/* Would it be valid? */
static bool valid_with(local_cells *c, size_t x, uint32_t v)
{
    local_search *z = c->z;
    uint64_t n = items_with(c, x, v);
    if (z->judge->rows_only && c->granule == 1) return n >= z->k;
    if (z->judge->rows_only && n * c->granule < z->k) return false;
    const uint64_t *p = c->prefix[x], *s = c->suffix[x + 1], *b = below(c, x, v);
    for (size_t w = 0; w < c->words; w++)
        for (uint64_t bits = p[w] & s[w] & b[w]; bits != 0; bits &= bits - 1) {
            size_t i = w * 64 + (size_t)__builtin_ctzll(bits);
            lethe_local_judge_add(z->judge, z->item[c->who[i]]);
        }
    return lethe_local_judge_valid(z->judge);
}

/* --- a cell --- */

/* Generalizes the column by which most items are gained for what it costs; false: all are at their
 * roots. */
static bool widen(local_cells *c, uint64_t *items)
{
    uint64_t enough = c->z->judge->rows_only ? (c->z->k + c->granule - 1) / c->granule : UINT64_MAX;
    uint64_t reached = 0;
    double best = -1;
    size_t at = 0;
    for (size_t x = 0; x < c->n_ladders; x++) {
        const ladder *l = &c->ladder[x];
        uint32_t up = l->parent[c->node[x]];
        if (up == LETHE_NONE) continue;
        uint64_t n = items_with(c, x, up);
        double paid = ((double)l->cost[up] - (double)l->cost[c->node[x]] + 1) * c->price[x];
        // a column that brings nothing now is still better than none
        double gain = log2((double)LETHE_MIN(n, enough) / (double)*items) + 1e-3;
        if (gain / paid > best) {
            best = gain / paid;
            at = x;
            reached = n;
        }
    }
    if (best < 0) return false;
    c->node[at] = c->ladder[at].parent[c->node[at]];
    *items = reached;
    intersect_from(c, at);
    return true;
}

static uint32_t child_to(const ladder *l, uint32_t top, uint32_t leaf)
{
    while (l->parent[leaf] != top)
        leaf = l->parent[leaf];
    return leaf;
}

/* Takes back what was generalized without need, what costs most first. */
static void narrow(local_cells *c, uint32_t seed)
{
    for (;;) {
        int64_t best = 0;
        size_t at = 0;
        uint32_t to = 0;
        for (size_t x = 0; x < c->n_ladders; x++) {
            const ladder *l = &c->ladder[x];
            uint32_t leaf = leaf_of(c, x, c->who[seed]);
            if (c->node[x] == leaf) continue;
            uint32_t down = child_to(l, c->node[x], leaf);
            int64_t saved = (int64_t)l->cost[c->node[x]] - l->cost[down];
            if (saved > best && valid_with(c, x, down)) {
                best = saved;
                at = x;
                to = down;
            }
        }
        if (best == 0) return;
        c->node[at] = to;
        intersect_from(c, at);
    }
}

/* The cell of an item: what a row in it costs; -1: not even all that are free are valid. */
static int64_t find_cell(local_cells *c, uint32_t seed)
{
    int64_t cost = 0;
    for (size_t x = 0; x < c->n_ladders; x++)
        c->node[x] = leaf_of(c, x, c->who[seed]);
    for (size_t y = 0; y < c->n_ladders; y++)
        intersect(c->prefix[y + 1], c->prefix[y], below(c, y, c->node[y]), c->words);
    memset(c->suffix[c->n_ladders], 0xff, c->words * sizeof **c->suffix);
    intersect_from(c, c->n_ladders - 1);
    uint64_t items = items_with(c, 0, c->node[0]);
    while (!valid_with(c, 0, c->node[0]))
        if (!widen(c, &items)) return -1;
    narrow(c, seed);
    for (size_t x = 0; x < c->n_ladders; x++)
        cost += c->ladder[x].cost[c->node[x]];
    return cost;
}

/* --- the cheapest cell first --- */

static bool comes_before(cell a, cell b)
{
    return a.cost != b.cost ? a.cost < b.cost : a.seed < b.seed;
}

static void push(local_cells *c, cell v)
{
    size_t i = c->n_heap++;
    for (; i > 0 && comes_before(v, c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = v;
}

static cell pop(local_cells *c)
{
    cell top = c->heap[0], last = c->heap[--c->n_heap];
    size_t i = 0, k;
    while ((k = 2 * i + 1) < c->n_heap) {
        if (k + 1 < c->n_heap && comes_before(c->heap[k + 1], c->heap[k])) k++;
        if (!comes_before(c->heap[k], last)) break;
        c->heap[i] = c->heap[k];
        i = k;
    }
    c->heap[i] = last;
    return top;
}

static void put_in_part(local_cells *c, size_t i, uint32_t p)
{
    local_search *z = c->z;
    uint32_t *state = c->state + (size_t)p * z->axes, item = c->who[i];
    if (c->rows[p] == 0)
        memcpy(state, z->single + (size_t)item * z->axes, z->axes * sizeof *state);
    else
        for (size_t x = 0; x < z->axes; x++)
            state[x] = local_join(z->s, x, z->offset[(size_t)item * z->axes + x], state[x]);
    c->rows[p] += z->item[item].rows;
    c->part[i] = p;
    clear_bit(c->unplaced, i);
}

static uint32_t new_part(local_cells *c)
{
    c->rows[c->n_parts] = 0;
    return (uint32_t)c->n_parts++;
}

static void take_cell(local_cells *c)
{
    uint32_t p = new_part(c);
    const uint64_t *all = c->prefix[c->n_ladders];
    for (size_t w = 0; w < c->words; w++)
        for (uint64_t bits = all[w]; bits != 0; bits &= bits - 1)
            put_in_part(c, w * 64 + (size_t)__builtin_ctzll(bits), p);
}

/* Cells of some of the free items; those whose cell has grown dearer wait for their turn. */
static bool take_cells(local_cells *c, size_t n_seeds)
{
    size_t n_free = 0, seen = 0, taken = 0;
    for (size_t w = 0; w < c->words; w++)
        n_free += (size_t)__builtin_popcountll(c->unplaced[w]);
    if (n_free == 0) return false;
    size_t every = LETHE_MAX(n_free / n_seeds, 1);
    c->n_heap = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!has_bit(c->unplaced, i) || seen++ % every != 0) continue;
        if (lethe_ctx_cancelled(c->z->ctx)) return false;
        int64_t cost = find_cell(c, i);
        if (cost < 0) return taken > 0;
        push(c, (cell){cost, i});
    }
    while (c->n_heap > 0 && !lethe_ctx_cancelled(c->z->ctx)) {
        cell top = pop(c);
        if (!has_bit(c->unplaced, top.seed)) continue;
        int64_t cost = find_cell(c, top.seed);
        if (cost < 0) continue;
        if (c->n_heap > 0 && cost > c->heap[0].cost) {
            push(c, (cell){cost, top.seed});
            continue;
        }
        take_cell(c);
        taken++;
    }
    return taken > 0;
}

/* --- what is left over --- */

static bool part_takes(local_cells *c, uint32_t p, size_t item)
{
    local_search *z = c->z;
    if (z->judge->rows_only) return true;
    for (size_t i = 0; i < c->n; i++)
        if (c->part[i] == p || i == item) lethe_local_judge_add(z->judge, z->item[c->who[i]]);
    return lethe_local_judge_valid(z->judge);
}

/* Puts an item where least is lost. */
static bool place(local_cells *c, size_t i)
{
    local_search *z = c->z;
    int64_t best = INT64_MAX, r = z->item[c->who[i]].rows;
    uint32_t to = LETHE_NONE;
    for (uint32_t p = 0; p < c->n_parts; p++) {
        const uint32_t *state = c->state + (size_t)p * z->axes;
        int64_t cost = ((int64_t)c->rows[p] + r) *
                           local_cost_with(z->s, z->offset + (size_t)c->who[i] * z->axes, state) -
                       (int64_t)c->rows[p] * lethe_local_cost(z->s, state);
        if (cost < best && part_takes(c, p, i)) {
            best = cost;
            to = p;
        }
    }
    if (to == LETHE_NONE) return false;
    put_in_part(c, i, to);
    return true;
}

int64_t lethe_local_cells_solve(local_cells *c, const uint32_t *who, size_t n, uint32_t noise,
                                uint32_t *part, size_t *n_parts)
{
    local_search *z = c->z;
    assert(n <= c->max_items && z->k > 0);
    c->who = who;
    c->n = n;
    c->part = part;
    c->n_parts = 0;
    c->words = (n + 63) / 64;
    fill_sets(c);
    memset(c->unplaced, 0, c->words * sizeof *c->unplaced);
    uint64_t free_rows = 0;
    for (size_t i = 0; i < n; i++) {
        part[i] = LETHE_NONE;
        set_bit(c->unplaced, i);
        if (z->judge->rows_only && z->item[who[i]].rows >= z->k)
            put_in_part(c, i, new_part(c));
        else
            free_rows += z->item[who[i]].rows;
    }
    for (size_t x = 0; x < c->n_ladders; x++)
        c->price[x] = 1 + (noise ? (double)local_random_below(z, noise) / 100 : 0);
    if (free_rows >= z->k)
        while (take_cells(c, (size_t)(4 * free_rows / z->k) + 1))
            ;
    for (size_t i = 0; i < n; i++)
        if (part[i] == LETHE_NONE && (lethe_ctx_cancelled(z->ctx) || !place(c, i)))
            return INT64_MAX;
    int64_t sum = 0;
    for (size_t p = 0; p < c->n_parts; p++)
        sum += (int64_t)c->rows[p] * lethe_local_cost(z->s, c->state + p * z->axes);
    *n_parts = c->n_parts;
    return sum;
}
