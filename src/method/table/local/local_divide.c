/* SPDX-License-Identifier: Apache-2.0 */
/* local_divide.c - groups from the hierarchies downwards: a set of rows is divided by the children
 * of what it has in common in one column, the column after which least is lost; then each part in
 * the same way.  As LeFevre, DeWitt and Ramakrishnan's Mondrian (ICDE 2006), but with hierarchies;
 * children that are not valid by themselves are pooled. */
#include "method/table/local/local_internal.h"
#include <string.h>

/* A division of a set that is tried. */
typedef struct trial {
    uint32_t *part; /* by item of the set */
    size_t n_parts;
    int64_t cost;
} trial;

typedef struct divider {
    lethe_ctx *ctx;
    const local_space *s;
    local_judge *judge;
    local_item *item;
    trial best, next;
    uint32_t *state;      /* of the set */
    uint32_t *key;        /* by item of the set */
    uint32_t *part_of;    /* by key: its part plus 1, zero between trials */
    uint64_t *weigh;      /* by code of an axis, zero between trials */
    uint64_t *rows;       /* by part */
    uint32_t *part_state; /* [part * n_axes + axis] */
    uint32_t *renamed;    /* by part */
    size_t *place;        /* by part */
    local_item *spare;
    size_t *stack, n_stack; /* sets that may still be divided: begin and end */
    size_t *ends, n_ends;   /* of those that may not */
} divider;

static lethe_err make_divider(divider *d, lethe_arena *tmp, size_t n)
{
    size_t states = 1;
    for (size_t x = 0; x < d->s->n_axes; x++)
        states = LETHE_MAX(states, d->s->axis[x].n_states);
    d->best.part = lethe_new(tmp, uint32_t, n);
    d->next.part = lethe_new(tmp, uint32_t, n);
    d->rows = lethe_new(tmp, uint64_t, n);
    d->part_state = lethe_new(tmp, uint32_t, n * d->s->n_axes);
    d->part_of = lethe_new(tmp, uint32_t, states);
    d->weigh = lethe_new(tmp, uint64_t, states);
    d->renamed = lethe_new(tmp, uint32_t, n);
    d->key = lethe_new(tmp, uint32_t, n);
    d->state = lethe_new(tmp, uint32_t, d->s->n_axes);
    d->place = lethe_new(tmp, size_t, n + 1);
    d->spare = lethe_new(tmp, local_item, n);
    d->stack = lethe_new(tmp, size_t, 2 * n + 2);
    d->ends = lethe_new(tmp, size_t, n);
    return d->best.part && d->next.part && d->rows && d->part_state && d->part_of && d->weigh &&
                   d->renamed && d->key && d->state && d->place && d->spare && d->stack && d->ends
               ? LETHE_OK
               : LETHE_ENOMEM;
}

/* --- trying a column --- */

static uint32_t child_above(const lethe_tree *t, uint32_t top, uint32_t v)
{
    while (t->parent[v] != top)
        v = t->parent[v];
    return v;
}

/* The code up to which about half of the rows are: values of a range are divided there. */
static uint32_t median_code(divider *d, const local_item *item, size_t n, size_t axis)
{
    uint64_t rows = 0, sum = 0;
    uint32_t low = UINT32_MAX, high = 0, code, median = 0;
    for (size_t i = 0; i < n; i++) {
        code = lethe_local_code(d->s, item[i].kind, axis);
        d->weigh[code] += item[i].rows;
        rows += item[i].rows;
        low = LETHE_MIN(low, code);
        high = LETHE_MAX(high, code);
    }
    bool met = false;
    for (code = low; code <= high; code++) {
        if (!met && code < high && d->weigh[code] > 0) median = code;
        sum += d->weigh[code];
        met = met || 2 * sum >= rows;
        d->weigh[code] = 0;
    }
    return median;
}

/* What an item is divided by. */
static void set_keys(divider *d, const local_item *item, size_t n, size_t axis)
{
    const local_axis *x = &d->s->axis[axis];
    uint32_t median = x->kind == LOCAL_HIGH ? median_code(d, item, n, axis) : 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t code = lethe_local_code(d->s, item[i].kind, axis);
        d->key[i] = x->kind == LOCAL_HIGH ? code > median
                                          : child_above(x->tree, d->state[axis], x->state_of[code]);
    }
}

/* Parts by keys, in the order of their first item. */
static void part_by_keys(divider *d, const local_item *item, size_t n, trial *t)
{
    size_t axes = d->s->n_axes;
    t->n_parts = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *part = &d->part_of[d->key[i]];
        if (*part == 0) {
            *part = (uint32_t)++t->n_parts;
            d->rows[*part - 1] = 0;
            lethe_local_state_of(d->s, item[i].kind, d->part_state + (*part - 1) * axes);
        } else {
            lethe_local_join(d->s, item[i].kind, d->part_state + (*part - 1) * axes);
        }
        t->part[i] = *part - 1;
        d->rows[*part - 1] += item[i].rows;
    }
    for (size_t i = 0; i < n; i++)
        d->part_of[d->key[i]] = 0;
}

/* The items by parts: where each part begins, in d->place, and the items in d->spare. */
static void sort_by_parts(divider *d, const local_item *item, size_t n, const trial *t)
{
    for (size_t p = 0; p <= t->n_parts; p++)
        d->place[p] = 0;
    for (size_t i = 0; i < n; i++)
        d->place[t->part[i]]++;
    for (size_t p = 0, sum = 0; p <= t->n_parts; p++) {
        size_t here = d->place[p];
        d->place[p] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        d->spare[d->place[t->part[i]]++] = item[i];
    for (size_t p = t->n_parts; p > 0; p--)
        d->place[p] = d->place[p - 1];
    d->place[0] = 0;
}

static bool part_valid(divider *d, size_t p)
{
    if (d->judge->rows_only) return d->rows[p] >= d->judge->k;
    for (size_t i = d->place[p]; i < d->place[p + 1]; i++)
        lethe_local_judge_add(d->judge, d->spare[i]);
    return lethe_local_judge_valid(d->judge);
}

static bool pool_valid(divider *d, const trial *t, uint64_t rows)
{
    if (d->judge->rows_only) return rows >= d->judge->k;
    for (size_t p = 0; p < t->n_parts; p++)
        for (size_t i = d->place[p]; d->renamed[p] == 0 && i < d->place[p + 1]; i++)
            lethe_local_judge_add(d->judge, d->spare[i]);
    return lethe_local_judge_valid(d->judge);
}

/* Parts that are not valid become one, part 0, which takes the smallest of the others as long as it
 * is not valid either. */
static uint64_t choose_pool(divider *d, const local_item *item, size_t n, const trial *t)
{
    size_t left = 0;
    uint64_t pooled = 0;
    if (!d->judge->rows_only) sort_by_parts(d, item, n, t);
    for (size_t p = 0; p < t->n_parts; p++) {
        d->renamed[p] = part_valid(d, p);
        if (!d->renamed[p]) pooled += d->rows[p];
        left += d->renamed[p];
    }
    while (pooled > 0 && left > 0 && !pool_valid(d, t, pooled)) {
        size_t least = SIZE_MAX;
        for (size_t p = 0; p < t->n_parts; p++)
            if (d->renamed[p] && (least == SIZE_MAX || d->rows[p] < d->rows[least])) least = p;
        d->renamed[least] = 0;
        pooled += d->rows[least];
        left--;
    }
    return pooled;
}

/* Numbers the parts anew, the pool first, and sums what they cost. */
static void pool_parts(divider *d, const local_item *item, size_t n, trial *t)
{
    size_t axes = d->s->n_axes, n_parts, first = SIZE_MAX;
    uint64_t pooled = choose_pool(d, item, n, t);
    n_parts = pooled > 0;
    t->cost = 0;
    for (size_t p = 0; p < t->n_parts; p++) {
        uint32_t *state = d->part_state + p * axes;
        if (d->renamed[p]) {
            d->renamed[p] = (uint32_t)n_parts++;
            t->cost += (int64_t)d->rows[p] * lethe_local_cost(d->s, state);
        } else if (first == SIZE_MAX) {
            first = p;
        } else {
            lethe_local_join_states(d->s, state, d->part_state + first * axes);
        }
    }
    if (pooled > 0)
        t->cost += (int64_t)pooled * lethe_local_cost(d->s, d->part_state + first * axes);
    for (size_t i = 0; i < n; i++)
        t->part[i] = d->renamed[t->part[i]];
    t->n_parts = n_parts;
}

/* --- dividing --- */

static bool can_divide(const divider *d, size_t axis)
{
    const local_axis *x = &d->s->axis[axis];
    if (x->kind == LOCAL_NODE) return !lethe_tree_is_leaf(x->tree, d->state[axis]);
    // the lowest leaf of a range stands right after the highest
    return x->kind == LOCAL_HIGH && d->state[axis] != d->state[axis + 1];
}

/* The best division of a set into several parts that costs less than the set; false: none does. */
static bool find_division(divider *d, const local_item *item, size_t n)
{
    uint64_t rows = 0;
    lethe_local_state_of(d->s, item[0].kind, d->state);
    for (size_t i = 0; i < n; i++) {
        rows += item[i].rows;
        lethe_local_join(d->s, item[i].kind, d->state);
    }
    d->best.n_parts = 1;
    d->best.cost = (int64_t)rows * lethe_local_cost(d->s, d->state);
    if (d->judge->rows_only && rows < 2 * d->judge->k) return false;
    for (size_t x = 0; x < d->s->n_axes; x++) {
        if (!can_divide(d, x)) continue;
        set_keys(d, item, n, x);
        part_by_keys(d, item, n, &d->next);
        pool_parts(d, item, n, &d->next);
        if (d->next.n_parts > 1 && d->next.cost < d->best.cost) {
            trial swap = d->best;
            d->best = d->next;
            d->next = swap;
        }
    }
    return d->best.n_parts > 1;
}

/* Divides the set at the top of the stack, or takes it off. */
static void divide_next(divider *d)
{
    size_t end = d->stack[--d->n_stack], begin = d->stack[--d->n_stack];
    local_item *item = d->item + begin;
    if (!find_division(d, item, end - begin)) {
        d->ends[d->n_ends++] = end;
        lethe_ctx_advance(d->ctx, end - begin);
        return;
    }
    sort_by_parts(d, item, end - begin, &d->best);
    memcpy(item, d->spare, (end - begin) * sizeof *item);
    for (size_t p = d->best.n_parts; p-- > 0;) { // so that the first is next
        d->stack[d->n_stack++] = begin + d->place[p];
        d->stack[d->n_stack++] = begin + d->place[p + 1];
    }
}

lethe_err lethe_local_divide(lethe_ctx *ctx, const local_space *s, local_judge *j, lethe_arena *tmp,
                             local_parts *p)
{
    divider d = {.ctx = ctx, .s = s, .judge = j, .item = p->item};
    LETHE_TRY(make_divider(&d, tmp, p->n_items));
    for (size_t g = p->n; g-- > 0;) {
        d.stack[d.n_stack++] = p->start[g];
        d.stack[d.n_stack++] = p->start[g + 1];
    }
    while (d.n_stack > 0) {
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        divide_next(&d);
    }
    p->n = d.n_ends;
    p->start[0] = 0;
    memcpy(p->start + 1, d.ends, d.n_ends * sizeof *d.ends);
    return LETHE_OK;
}
