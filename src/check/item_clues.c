/* SPDX-License-Identifier: Apache-2.0 */
/* item_clues.c - makes the list of clues: columns (items that some sets have, but not all), "one of
 * these siblings", and absent items. */
#include "check/bounds.h"
#include "check/item_search_internal.h"
#include <stdlib.h>

/* Support counts records, and so weights. */
struct clue_builder {
    lethe_item_clues *c;
    const lethe_item_sets *s;
    const lethe_item_question *q;
    uint64_t *support; /* by item */
};

/* --- columns --- */

struct ordered {
    uint64_t first; /* support, or leaves */
    uint32_t level, item;
};

static int in_order(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->level != y->level) return x->level > y->level ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static struct ordered ordered_of(const lethe_item_sets *s, uint64_t first, uint32_t item)
{
    return (struct ordered){first, s->tree ? s->tree->level[item] : 0, item};
}

/* The child that the same sets have, or v itself. */
static uint32_t child_alike(const struct clue_builder *m, uint32_t v)
{
    const lethe_tree *t = m->s->tree;
    for (uint32_t c = t ? v + 1 : 0; t && c < t->end[v]; c = t->end[c])
        if (m->support[c] == m->support[v]) return c;
    return v;
}

static bool some_have(const struct clue_builder *m, uint32_t v)
{
    return m->support[v] > 0 && m->support[v] < m->s->n_records;
}

static lethe_err columns_order(struct clue_builder *m)
{
    lethe_item_clues *c = m->c;
    uint32_t n = 0, n_items = m->s->n_items;
    struct ordered *order = lethe_new(c->arena, struct ordered, (size_t)n_items + 1);
    uint32_t *item = lethe_new(c->arena, uint32_t, (size_t)n_items + 1);
    uint32_t *column_of = lethe_new(c->arena, uint32_t, (size_t)n_items + 1);
    if (!order || !item || !column_of) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < n_items; v++)
        if (some_have(m, v) && child_alike(m, v) == v)
            order[n++] = ordered_of(m->s, m->support[v], v);
    qsort(order, n, sizeof *order, in_order);
    for (uint32_t i = 0; i < n; i++) {
        item[i] = order[i].item;
        column_of[item[i]] = i;
    }
    for (uint32_t v = n_items; v-- > 0;) { // children before parents
        uint32_t child = child_alike(m, v);
        if (!some_have(m, v)) column_of[v] = LETHE_NONE;
        if (some_have(m, v) && child != v) column_of[v] = column_of[child];
    }
    c->n_columns = n;
    c->item = item;
    c->column_of = column_of;
    return LETHE_OK;
}

/* Sets by their columns, and columns by their sets.  Of the items with one column, its own alone
 * counts, for a set that has another has that too. */
static lethe_err columns_fill(struct clue_builder *m)
{
    const lethe_item_sets *s = m->s;
    lethe_item_clues *c = m->c;
    uint64_t all = s->start[s->n], used = 0;
    uint64_t *start = lethe_new(c->arena, uint64_t, (size_t)s->n + 1);
    uint32_t *column = lethe_new(c->arena, uint32_t, all + 1);
    uint64_t *holders = lethe_new(c->arena, uint64_t, (size_t)c->n_columns + 2);
    uint32_t *holder = lethe_new(c->arena, uint32_t, all + 1);
    if (!start || !column || !holders || !holder) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++) {
        start[i] = used;
        for (uint64_t at = s->start[i]; at < s->start[i + 1]; at++) {
            uint32_t k = c->column_of[s->item[at]];
            if (k == LETHE_NONE || c->item[k] != s->item[at]) continue;
            column[used++] = k;
            holders[k + 2]++;
        }
    }
    start[s->n] = used;
    for (uint32_t k = 0; k < c->n_columns; k++)
        holders[k + 2] += holders[k + 1];
    for (uint32_t i = 0; i < s->n; i++)
        for (uint64_t at = start[i]; at < start[i + 1]; at++)
            holder[holders[column[at] + 1]++] = i;
    /* The other way round, so that columns ascend in each set.  start[i + 1] is where the next of
     * set i goes, and so in the end where it ends. */
    memmove(start + 1, start, s->n * sizeof *start);
    for (uint32_t k = 0; k < c->n_columns; k++)
        for (uint64_t at = holders[k]; at < holders[k + 1]; at++)
            column[start[holder[at] + 1]++] = k;
    c->start = start;
    c->column = column;
    c->holders = holders;
    c->holder = holder;
    return LETHE_OK;
}

/* --- one of several siblings --- */

/* Where as many sets satisfy each of several items as k asks for, or none, so do they one of them:
 * a set of clues with "one of these" hides persons if it does with each alone.  So it is sensitive
 * items that it may tell, and nothing else. */
static bool joined_matter(const struct clue_builder *m)
{
    return m->q->kl.strict && m->s->tree && m->c->tells && m->q->kl.m > 0;
}

/* All children of v that are listed; those that no set has would add nothing. */
static uint32_t children_of(const lethe_tree *t, uint32_t v, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c])
        out[n++] = c;
    return n;
}

/* One of all the children is their parent; one of several, of which one is in all sets, is in all
 * sets. */
static uint64_t joined_count(uint64_t n)
{
    uint64_t pairs = n > 2 ? n * (n - 1) / 2 : 0;
    return pairs + (n > 3 ? pairs * (n - 2) / 3 : 0);
}

static lethe_err joined_put(lethe_ctx *ctx, const struct clue_builder *m, const uint32_t *child,
                            uint32_t n, lethe_clue *to, uint32_t *put)
{
    const uint32_t *column_of = m->c->column_of;
    for (int three = 0; three < 2; three++) {
        if (n <= 2u + (unsigned)three) break;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++) {
                if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
                for (uint32_t k = three ? j + 1 : n; k < (three ? n : n + 1); k++) {
                    uint32_t last = three ? child[k] : child[j];
                    bool some = column_of[child[i]] != LETHE_NONE &&
                                column_of[child[j]] != LETHE_NONE && column_of[last] != LETHE_NONE;
                    if (some)
                        to[(*put)++] =
                            (lethe_clue){.item = {child[i], child[j], three ? last : LETHE_NONE}};
                }
            }
    }
    return LETHE_OK;
}

static lethe_err joined_make(lethe_ctx *ctx, struct clue_builder *m)
{
    const lethe_tree *t = m->s->tree;
    if (!joined_matter(m)) return LETHE_OK;
    uint32_t *child = lethe_new(m->c->arena, uint32_t, t->n);
    uint64_t most = 0;
    if (!child) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < t->n && most < UINT64_MAX / 2; v++)
        most += joined_count(children_of(t, v, child));
    if (most > UINT32_MAX / 2 || most * sizeof(lethe_clue) > lethe_ctx_memory(ctx) / 2)
        return lethe_ctx_over_memory(ctx);
    lethe_clue *joined = lethe_new(m->c->arena, lethe_clue, most + 1);
    if (!joined) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < t->n; v++) {
        uint32_t n = children_of(t, v, child);
        LETHE_TRY(joined_put(ctx, m, child, n, joined, &m->c->n_joined));
    }
    m->c->joined = joined;
    return LETHE_OK;
}

/* --- what is absent --- */

static lethe_err absent_make(struct clue_builder *m)
{
    lethe_item_clues *c = m->c;
    const lethe_item_sets *s = m->s;
    uint32_t n = 0;
    uint32_t *absent = lethe_new(c->arena, uint32_t, (size_t)c->n_columns + 1);
    struct ordered *order = lethe_new(c->arena, struct ordered, (size_t)c->n_columns + 1);
    if (!absent || !order) return LETHE_ENOMEM;
    for (uint32_t k = 0; s->leaves && k < c->n_columns; k++)
        if (lethe_is_within_power(&m->q->kl, 0, s->leaves[c->item[k]]))
            order[n++] = ordered_of(s, s->leaves[c->item[k]], c->item[k]);
    qsort(order, n, sizeof *order, in_order);
    for (uint32_t i = 0; i < n; i++)
        absent[i] = c->column_of[order[i].item];
    c->absent = absent;
    c->n_absent = n;
    return LETHE_OK;
}

static lethe_err make(lethe_ctx *ctx, struct clue_builder *m)
{
    lethe_item_clues *c = m->c;
    c->arena = lethe_arena_new();
    if (!c->arena) return LETHE_ENOMEM;
    m->support = lethe_new(c->arena, uint64_t, (size_t)m->s->n_items + 1);
    if (!m->support) return LETHE_ENOMEM;
    const lethe_item_sets *s = m->s;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint64_t at = s->start[i]; at < s->start[i + 1]; at++)
            m->support[s->item[at]] += s->weight[i];
    c->tells = m->s->n_marks > 0 && (m->q->by_share ? m->q->h < 1 : m->q->kl.l > 1);
    LETHE_TRY(columns_order(m));
    LETHE_TRY(columns_fill(m));
    LETHE_TRY(joined_make(ctx, m));
    LETHE_TRY(absent_make(m));
    bool *beside = lethe_new(c->arena, bool, (size_t)c->n_columns + 1);
    if (!beside) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < c->n_absent; i++)
        beside[c->absent[i]] = true;
    for (uint32_t i = 0; i < c->n_joined; i++)
        for (unsigned k = 0; k < LETHE_CLUE_ITEMS; k++)
            if (c->joined[i].item[k] != LETHE_NONE)
                beside[c->column_of[c->joined[i].item[k]]] = true;
    c->beside = beside;
    if ((uint64_t)c->n_columns + c->n_joined + c->n_absent >= LETHE_NONE) return LETHE_ENOMEM;
    c->n = c->n_columns + c->n_joined + c->n_absent;
    return LETHE_OK;
}

lethe_err lethe_item_clues_make(lethe_ctx *ctx, const lethe_item_sets *s,
                                const lethe_item_question *q, lethe_item_clues *out)
{
    struct clue_builder m = {.c = out, .s = s, .q = q};
    *out = (lethe_item_clues){.sets = s};
    lethe_err e = make(ctx, &m);
    return e == LETHE_OK || e == LETHE_ECANCEL ? e : lethe_no_memory(ctx);
}

void lethe_item_clues_free(lethe_item_clues *c) { lethe_arena_free(c->arena); }

/* --- what a clue says --- */

uint32_t lethe_clue_columns(const lethe_item_clues *c, uint32_t clue, uint32_t *out)
{
    uint32_t n = 0;
    if (lethe_clue_is_joined(c, clue)) {
        const uint32_t *item = c->joined[clue - c->n_columns].item;
        for (; n < LETHE_CLUE_ITEMS && item[n] != LETHE_NONE; n++)
            out[n] = c->column_of[item[n]];
        return n;
    }
    out[0] = lethe_clue_is_absent(c, clue) ? c->absent[clue - c->n_columns - c->n_joined] : clue;
    return 1;
}

lethe_clue lethe_clue_named(const lethe_item_clues *c, uint32_t clue)
{
    uint32_t column[LETHE_CLUE_ITEMS];
    if (lethe_clue_is_joined(c, clue)) return c->joined[clue - c->n_columns];
    lethe_clue_columns(c, clue, column);
    return (lethe_clue){.item = {c->item[column[0]], LETHE_NONE, LETHE_NONE},
                        .negative = lethe_clue_is_absent(c, clue)};
}

uint64_t lethe_clue_leaves(const lethe_item_clues *c, uint32_t clue)
{
    if (!lethe_clue_is_absent(c, clue)) return 0;
    return c->sets->leaves[c->item[c->absent[clue - c->n_columns - c->n_joined]]];
}
