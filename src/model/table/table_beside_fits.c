/* SPDX-License-Identifier: Apache-2.0 */
/* table_beside_fits.c - the groups that a person fits, where groups overlap.
 *
 * Groups stand in a trie, one level per column: a node is what the first columns of some groups
 * have in common.  A person goes down from the root, on each level to the children whose value is
 * at or above the person's: so only what exists is looked at, and never all groups.  Columns that
 * let fewest groups through come first; ranges, whose values are tried one by one, last. */
#include "model/table/table_beside_internal.h"
#include <stdlib.h>

typedef struct level {
    size_t column;
    uint32_t n;      /* nodes */
    uint32_t *value; /* by node: the published value of the column; ascending below one parent */
    uint32_t *first; /* by node, n + 1: its children on the next level */
    uint32_t *mark;  /* by published value: the person's turn at which it was marked */
    uint32_t turn;
    uint32_t leaf;   /* of the last person */
    uint32_t *found; /* nodes of this level that fit the last person; */
    size_t n_found, room;
    uint32_t *chain; /* the published values at or above the leaf */
    size_t n_chain;
} level;

struct lethe_beside_fits {
    const lethe_table_beside *b;
    lethe_arena *arena;
    level *at;      /* n_qi */
    size_t *order;  /* columns by level */
    uint32_t *last; /* by node of the last level: its group */
    size_t valid;   /* levels of which `found` is that of the last person */
    uint32_t *groups;
    size_t room;
};

void lethe_beside_fits_free(lethe_beside_fits *f)
{
    if (!f) return;
    for (size_t j = 0; f->at && j < f->b->original->n_qi; j++)
        lethe_free(f->at[j].found);
    lethe_free(f->groups);
    lethe_arena_free(f->arena);
}

const size_t *lethe_beside_fits_order(const lethe_beside_fits *f) { return f->order; }

/* --- the order of columns --- */

typedef struct weighed {
    size_t column;
    bool spans;
    double through; /* pairs of a row of the original and a group that the column lets through */
} weighed;

static int by_weight(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->spans != y->spans) return x->spans ? 1 : -1;
    if (x->through < y->through || x->through > y->through) return x->through < y->through ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* `code`: by group, the column's value. */
static lethe_err column_weigh(lethe_beside_fits *f, size_t a, const uint32_t *code, double *out)
{
    const lethe_beside_qi *qi = &f->b->qi[a];
    const lethe_qi *own = &f->b->original->qi[a];
    uint32_t n = lethe_dict_count(qi->column->values);
    uint64_t *groups = lethe_new(f->arena, uint64_t, (size_t)n + 1);
    uint64_t *rows = lethe_new(f->arena, uint64_t, (size_t)own->tree->n + 1);
    if (!groups || !rows) return LETHE_ENOMEM;
    *out = 0;
    if (qi->kind == LETHE_BESIDE_SPANS) return LETHE_OK;
    for (uint32_t g = 0; g < f->b->n_groups; g++)
        groups[code[g]]++;
    for (size_t i = 0; i < f->b->original->n; i++)
        rows[own->leaf[i]]++;
    for (uint32_t v = 0; v < own->tree->n; v++)
        for (uint32_t at = rows[v] ? qi->lowest[v] : LETHE_NONE; at != LETHE_NONE;
             at = qi->next[at])
            *out += (double)rows[v] * (double)groups[at];
    return LETHE_OK;
}

/* --- the trie --- */

typedef struct group_order {
    const uint32_t *const *code; /* by level, by group */
    size_t n;
} group_order;

static int by_codes(const void *a, const void *b, void *arg)
{
    const group_order *o = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    for (size_t j = 0; j < o->n; j++)
        if (o->code[j][x] != o->code[j][y]) return o->code[j][x] < o->code[j][y] ? -1 : 1;
    return 0;
}

static lethe_err levels_fill(lethe_beside_fits *f, const uint32_t *const *code)
{
    uint32_t n = f->b->n_groups;
    size_t n_qi = f->b->original->n_qi;
    uint32_t *order = f->last;
    for (uint32_t g = 0; g < n; g++)
        order[g] = g;
    group_order by = {code, n_qi};
    if (n > 0) qsort_r(order, n, sizeof *order, by_codes, &by);
    bool *begins = lethe_new(f->arena, bool, (size_t)n + 1); // a node of this level, at this group
    if (!begins) return LETHE_ENOMEM;
    for (size_t j = 0; j < n_qi; j++) {
        level *l = &f->at[j], *above = j ? l - 1 : NULL;
        uint32_t parent = 0;
        for (uint32_t i = 0; i < n; i++) {
            bool parent_begins = i == 0 || begins[i];
            begins[i] = parent_begins || code[j][order[i]] != code[j][order[i - 1]];
            if (above && parent_begins) above->first[parent++] = l->n;
            if (begins[i]) l->value[l->n++] = code[j][order[i]];
        }
        if (above) above->first[parent] = l->n;
    }
    return LETHE_OK;
}

static lethe_err fits_make(lethe_beside_fits *f)
{
    const lethe_table_beside *b = f->b;
    size_t n_qi = b->original->n_qi, n = (size_t)b->n_groups + 1;
    uint32_t **code = lethe_new(f->arena, uint32_t *, n_qi),
             **sorted = lethe_new(f->arena, uint32_t *, n_qi);
    weighed *w = lethe_new(f->arena, weighed, n_qi);
    f->at = lethe_new(f->arena, level, n_qi);
    f->order = lethe_new(f->arena, size_t, n_qi);
    f->last = lethe_new(f->arena, uint32_t, n);
    if (!code || !sorted || !w || !f->at || !f->order || !f->last) return LETHE_ENOMEM;
    for (size_t a = 0; a < n_qi; a++) {
        code[a] = lethe_new(f->arena, uint32_t, n);
        if (!code[a]) return LETHE_ENOMEM;
        for (size_t i = 0; i < b->published->n; i++)
            code[a][b->group[i]] = b->qi[a].column->code[i];
        w[a] = (weighed){.column = a, .spans = b->qi[a].kind == LETHE_BESIDE_SPANS};
        LETHE_TRY(column_weigh(f, a, code[a], &w[a].through));
    }
    qsort(w, n_qi, sizeof *w, by_weight);
    for (size_t j = 0; j < n_qi; j++) {
        size_t a = f->order[j] = w[j].column;
        uint32_t n_values = lethe_dict_count(b->qi[a].column->values);
        sorted[j] = code[a];
        f->at[j] = (level){.column = a,
                           .leaf = LETHE_NONE,
                           .value = lethe_new(f->arena, uint32_t, n),
                           .first = lethe_new(f->arena, uint32_t, n + 1),
                           .mark = lethe_new(f->arena, uint32_t, (size_t)n_values + 1),
                           .chain = lethe_new(f->arena, uint32_t, (size_t)n_values + 1)};
        const level *l = &f->at[j];
        if (!l->value || !l->first || !l->mark || !l->chain) return LETHE_ENOMEM;
    }
    return levels_fill(f, (const uint32_t *const *)sorted);
}

lethe_err lethe_beside_fits_new(const lethe_table_beside *b, lethe_beside_fits **out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_beside_fits *f = a ? lethe_new(a, lethe_beside_fits, 1) : NULL;
    if (!f) {
        lethe_arena_free(a);
        return LETHE_ENOMEM;
    }
    f->b = b;
    f->arena = a;
    lethe_err e = fits_make(f);
    if (e == LETHE_OK)
        *out = f;
    else
        lethe_beside_fits_free(f);
    return e;
}

/* --- a person --- */

static void chain_take(level *l, const lethe_beside_qi *qi, uint32_t leaf)
{
    l->n_chain = 0;
    if (qi->kind == LETHE_BESIDE_SPANS) return;
    if (++l->turn == 0) { // after 2^32 of them all marks are old
        memset(l->mark, 0, lethe_dict_count(qi->column->values) * sizeof *l->mark);
        l->turn = 1;
    }
    for (uint32_t at = qi->lowest[leaf]; at != LETHE_NONE; at = qi->next[at]) {
        l->chain[l->n_chain++] = at;
        l->mark[at] = l->turn;
    }
}

static lethe_err found_add(level *l, uint32_t node)
{
    if (l->n_found == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        uint32_t *more = lethe_realloc(l->found, room, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        l->found = more;
        l->room = room;
    }
    l->found[l->n_found++] = node;
    return LETHE_OK;
}

/* Of the nodes from .. end - 1, siblings, those that fit. */
static lethe_err children_try(level *l, const lethe_beside_qi *qi, uint32_t leaf, uint32_t from,
                              uint32_t end)
{
    bool spans = qi->kind == LETHE_BESIDE_SPANS;
    if (spans || end - from <= 4 * l->n_chain) {
        for (uint32_t u = from; u < end; u++)
            if (spans ? lethe_beside_covers(qi, l->value[u], leaf)
                      : l->mark[l->value[u]] == l->turn)
                LETHE_TRY(found_add(l, u));
        return LETHE_OK;
    }
    for (size_t i = 0; i < l->n_chain; i++) {
        uint32_t lo = from, hi = end;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (l->value[mid] < l->chain[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < end && l->value[lo] == l->chain[i]) LETHE_TRY(found_add(l, lo));
    }
    return LETHE_OK;
}

static lethe_err level_find(lethe_beside_fits *f, size_t j, uint32_t leaf)
{
    level *l = &f->at[j];
    const level *above = j ? l - 1 : NULL;
    const lethe_beside_qi *qi = &f->b->qi[l->column];
    l->leaf = leaf;
    l->n_found = 0;
    if (leaf == LETHE_NONE) return LETHE_OK;
    chain_take(l, qi, leaf);
    if (!above) return children_try(l, qi, leaf, 0, l->n);
    for (size_t i = 0; i < above->n_found; i++) {
        uint32_t u = above->found[i];
        LETHE_TRY(children_try(l, qi, leaf, above->first[u], above->first[u + 1]));
    }
    return LETHE_OK;
}

lethe_err lethe_beside_fit(lethe_beside_fits *f, const uint32_t *leaf, const uint32_t **group,
                           size_t *n)
{
    size_t n_qi = f->b->original->n_qi, j = 0;
    while (j < f->valid && f->at[j].leaf == leaf[f->order[j]])
        j++;
    for (f->valid = j; j < n_qi; f->valid = ++j)
        LETHE_TRY(level_find(f, j, leaf[f->order[j]]));
    level *l = &f->at[n_qi - 1];
    if (f->room < l->n_found) {
        uint32_t *more = lethe_realloc(f->groups, l->room, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        f->groups = more;
        f->room = l->room;
    }
    for (size_t i = 0; i < l->n_found; i++)
        f->groups[i] = f->last[l->found[i]];
    *group = f->groups;
    *n = l->n_found;
    return LETHE_OK;
}
