/* SPDX-License-Identifier: Apache-2.0 */
/* local_space.c - a table as small numbers: axes with tables of joined states and their costs, and
 * the distinct rows by their offsets in these tables.  A cost is then one load per column. */
#include "method/table/local/local_internal.h"

__extension__ typedef unsigned __int128 wide;

enum {
    TABLE_MAX = 1 << 20, /* entries of an axis' table; larger trees are climbed instead */
    TABLES_MAX = 1 << 23 /* of all */
};
#define COST_MAX (UINT64_C(1) << 30) /* of a row with every column at its root */

typedef struct builder {
    const lethe_tuples *t;
    const lethe_local_column *column;
    lethe_arena *a;
    local_space *s;
    uint64_t from, to; /* a weight becomes a cost by to / from */
    uint32_t **code;   /* by column and node: number of a leaf that occurs, plus 1 */
    uint32_t **leaf;   /* by column and code */
    uint32_t *n_codes;
} builder;

static int32_t scaled(const builder *b, uint64_t weight)
{
    return (int32_t)((wide)weight * b->to / b->from);
}

/* --- codes --- */

static lethe_err number_leaves(builder *b, size_t q)
{
    const lethe_tree *tree = b->column[q].tree;
    uint32_t *code = b->code[q] = lethe_new(b->a, uint32_t, tree->n);
    if (!code) return LETHE_ENOMEM;
    for (size_t i = 0; i < b->t->n; i++)
        code[b->t->leaf[q][i]] = 1;
    uint32_t n = 0;
    for (uint32_t v = 0; v < tree->n; v++)
        if (code[v]) code[v] = ++n;
    b->n_codes[q] = n;
    uint32_t *leaf = b->leaf[q] = lethe_new(b->a, uint32_t, n);
    if (!leaf) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < tree->n; v++)
        if (code[v]) leaf[code[v] - 1] = v;
    return LETHE_OK;
}

/* What all columns at their most general cost. */
static uint64_t weight_of_all(const builder *b)
{
    uint64_t sum = 0;
    for (size_t q = 0; q < b->t->n_qi; q++) {
        const lethe_local_column *c = &b->column[q];
        uint32_t n = b->n_codes[q];
        sum += c->at ? c->at[b->leaf[q][n - 1]] - c->at[b->leaf[q][0]] : c->weight[0];
    }
    return sum;
}

/* --- axes --- */

static lethe_err make_axis(builder *b, size_t q, local_axis_kind kind, local_axis *x)
{
    const lethe_local_column *c = &b->column[q];
    uint32_t n_codes = b->n_codes[q], n_states = kind == LOCAL_NODE ? c->tree->n : n_codes;
    uint32_t *state_of = lethe_new(b->a, uint32_t, n_codes);
    int32_t *cost = lethe_new(b->a, int32_t, n_states);
    if (!state_of || !cost) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n_codes; i++) {
        state_of[i] = kind == LOCAL_NODE ? b->leaf[q][i] : i;
        if (kind == LOCAL_NODE) continue;
        int32_t place = scaled(b, c->at[b->leaf[q][i]] - c->at[b->leaf[q][0]]);
        cost[i] = kind == LOCAL_HIGH ? place : -place;
    }
    for (uint32_t v = 0; kind == LOCAL_NODE && v < n_states; v++)
        cost[v] = scaled(b, c->weight[v]);
    *x = (local_axis){kind, q, c->tree, n_codes, n_states, b->leaf[q], state_of, cost, 0};
    return LETHE_OK;
}

static uint64_t table_size(const local_axis *x) { return (uint64_t)x->n_codes * x->n_states; }

uint32_t lethe_local_join_far(const local_axis *x, uint32_t offset, uint32_t state)
{
    switch (x->kind) {
    case LOCAL_HIGH:
        return LETHE_MAX(offset, state);
    case LOCAL_LOW:
        return LETHE_MIN(offset, state);
    case LOCAL_NODE:
        break;
    }
    uint32_t leaf = x->state_of[offset];
    return lethe_tree_covers(x->tree, state, leaf) ? state : lethe_tree_lca(x->tree, state, leaf);
}

static lethe_err fill_tables(builder *b, size_t entries)
{
    local_space *s = b->s;
    s->joined = lethe_new(b->a, uint16_t, entries);
    s->joined_cost = lethe_new(b->a, int32_t, entries);
    if (!s->joined || !s->joined_cost) return LETHE_ENOMEM;
    for (size_t k = 0; k < s->n_tables; k++) {
        const local_axis *x = &s->axis[k];
        for (uint32_t i = 0; i < x->n_codes; i++)
            for (uint32_t v = 0; v < x->n_states; v++) {
                size_t at = x->base + (size_t)i * x->n_states + v;
                s->joined[at] = (uint16_t)lethe_local_join_far(x, i, v);
                s->joined_cost[at] = x->cost[s->joined[at]];
            }
    }
    return LETHE_OK;
}

/* Axes with tables first, the smaller before the larger, so that all that fit have one. */
static lethe_err make_axes(builder *b)
{
    local_space *s = b->s;
    s->axis = lethe_new(b->a, local_axis, 2 * b->t->n_qi + 1);
    if (!s->axis) return LETHE_ENOMEM;
    for (size_t q = 0; q < b->t->n_qi; q++) {
        bool range = b->column[q].at != NULL;
        LETHE_TRY(make_axis(b, q, range ? LOCAL_HIGH : LOCAL_NODE, &s->axis[s->n_axes++]));
        if (range) LETHE_TRY(make_axis(b, q, LOCAL_LOW, &s->axis[s->n_axes++]));
    }
    for (size_t i = 1; i < s->n_axes; i++)
        for (size_t k = i; k > 0 && table_size(&s->axis[k]) < table_size(&s->axis[k - 1]); k--) {
            local_axis swap = s->axis[k];
            s->axis[k] = s->axis[k - 1];
            s->axis[k - 1] = swap;
        }
    size_t entries = 0;
    for (size_t k = 0; k < s->n_axes; k++) {
        uint64_t size = table_size(&s->axis[k]);
        if (size > TABLE_MAX || entries + size > TABLES_MAX || s->axis[k].n_states > UINT16_MAX)
            break;
        s->axis[k].base = (uint32_t)entries;
        entries += (size_t)size;
        s->n_tables++;
    }
    return fill_tables(b, entries);
}

/* --- kinds --- */

static bool same_leaves(const lethe_tuples *t, size_t i, size_t k)
{
    for (size_t q = 0; q < t->n_qi; q++)
        if (t->leaf[q][i] != t->leaf[q][k]) return false;
    return true;
}

static lethe_err make_kinds(builder *b, bool rows_only)
{
    local_space *s = b->s;
    const lethe_tuples *t = b->t;
    uint32_t profile = 0;
    s->first = lethe_new(b->a, uint32_t, t->n + 1);
    s->rows = lethe_new(b->a, uint32_t, t->n);
    s->profile = lethe_new(b->a, uint32_t, t->n);
    if (!rows_only) s->sa = lethe_new(b->a, uint32_t, t->n);
    if (!s->first || !s->rows || !s->profile || (!rows_only && !s->sa)) return LETHE_ENOMEM;
    for (size_t i = 0; i < t->n; i++) {
        bool same = i > 0 && same_leaves(t, i, i - 1);
        if (i > 0 && !same) profile++;
        if (!same || !rows_only) {
            s->first[s->n_kinds] = (uint32_t)i;
            s->profile[s->n_kinds] = profile;
            if (s->sa) s->sa[s->n_kinds] = t->sa[i];
            s->n_kinds++;
        }
        s->rows[s->n_kinds - 1] += t->count[i];
    }
    s->first[s->n_kinds] = (uint32_t)t->n;
    s->offset = lethe_new(b->a, uint32_t, s->n_kinds * s->n_axes);
    if (!s->offset) return LETHE_ENOMEM;
    for (size_t i = 0; i < s->n_kinds; i++)
        for (size_t k = 0; k < s->n_axes; k++) {
            const local_axis *x = &s->axis[k];
            uint32_t code = b->code[x->column][t->leaf[x->column][s->first[i]]] - 1;
            s->offset[i * s->n_axes + k] = k < s->n_tables ? x->base + code * x->n_states : code;
        }
    return LETHE_OK;
}

lethe_err lethe_local_space_make(const lethe_tuples *t, const lethe_local_column *column,
                                 const lethe_local_demand *d, lethe_arena *a, local_space *out)
{
    builder b = {.t = t, .column = column, .a = a, .s = out, .from = 1, .to = 1};
    *out = (local_space){0};
    b.code = lethe_new(a, uint32_t *, t->n_qi);
    b.leaf = lethe_new(a, uint32_t *, t->n_qi);
    b.n_codes = lethe_new(a, uint32_t, t->n_qi);
    if (!b.code || !b.leaf || !b.n_codes) return LETHE_ENOMEM;
    for (size_t q = 0; q < t->n_qi; q++)
        LETHE_TRY(number_leaves(&b, q));
    uint64_t all = weight_of_all(&b);
    if (all > COST_MAX) {
        b.from = all;
        b.to = COST_MAX;
    }
    wide deletion = (wide)d->deletion_price * b.to / b.from;
    out->deletion_cost = deletion > COST_MAX ? (int32_t)COST_MAX : (int32_t)deletion;
    LETHE_TRY(make_axes(&b));
    return make_kinds(&b, d->rows_only);
}

/* --- states --- */

uint32_t lethe_local_code(const local_space *s, uint32_t kind, size_t k)
{
    uint32_t offset = s->offset[kind * s->n_axes + k];
    const local_axis *x = &s->axis[k];
    return k < s->n_tables ? (offset - x->base) / x->n_states : offset;
}

void lethe_local_state_of(const local_space *s, uint32_t kind, uint32_t *state)
{
    for (size_t k = 0; k < s->n_axes; k++)
        state[k] = s->axis[k].state_of[lethe_local_code(s, kind, k)];
}

void lethe_local_join(const local_space *s, uint32_t kind, uint32_t *state)
{
    const uint32_t *offset = s->offset + kind * s->n_axes;
    for (size_t k = 0; k < s->n_axes; k++)
        state[k] = local_join(s, k, offset[k], state[k]);
}

void lethe_local_join_states(const local_space *s, const uint32_t *other, uint32_t *state)
{
    for (size_t k = 0; k < s->n_axes; k++) {
        const local_axis *x = &s->axis[k];
        if (x->kind == LOCAL_HIGH)
            state[k] = LETHE_MAX(state[k], other[k]);
        else if (x->kind == LOCAL_LOW)
            state[k] = LETHE_MIN(state[k], other[k]);
        else
            state[k] = lethe_tree_lca(x->tree, state[k], other[k]);
    }
}

int64_t lethe_local_cost(const local_space *s, const uint32_t *state)
{
    int64_t sum = 0;
    for (size_t k = 0; k < s->n_axes; k++)
        sum += s->axis[k].cost[state[k]];
    return sum;
}
