/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_cells.c - a table as the search sees it: cells with packed leaves, ordered values.
 */
#include "method/table/search/table_search_internal.h"
#include <stdlib.h>

/* --- cells --- */

static lethe_err find_cells(lethe_arena *a, lethe_table_cells *c)
{
    const lethe_tuples *t = c->t;
    lethe_table_tally *tally = lethe_new(a, lethe_table_tally, t->n);
    if (!tally) return LETHE_ENOMEM;
    for (size_t i = 0; i < t->n; i++)
        tally[i] = (lethe_table_tally){t->sa[i], t->count[i]};
    c->n = t->n;
    c->tally = tally;
    c->class = c->d->cost == LETHE_COST_CM ? t->class : NULL;
    return LETHE_OK;
}

/* The leaves of a cell as bits of a few words, so that cells are compared in any choice of
 * quasi-identifiers by masks. */
static lethe_err pack_keys(lethe_arena *a, lethe_table_cells *c)
{
    uint32_t *word = lethe_new(a, uint32_t, c->n_qi), *shift = lethe_new(a, uint32_t, c->n_qi);
    uint64_t *mask = lethe_new(a, uint64_t, c->n_qi);
    uint32_t used = 0;
    if (!word || !shift || !mask) return LETHE_ENOMEM;
    for (size_t q = 0; q < c->n_qi; q++) {
        uint32_t last = c->t->tree[q]->n - 1, bits = last ? 32 - (uint32_t)__builtin_clz(last) : 0;
        if (used + bits > 64) {
            c->words++;
            used = 0;
        }
        word[q] = (uint32_t)c->words;
        shift[q] = used % 64; // where there are no bits left, there is none to shift either
        mask[q] = ((UINT64_C(1) << bits) - 1) << shift[q];
        used += bits;
    }
    c->words++;
    uint64_t *key = lethe_new(a, uint64_t, c->n * c->words);
    if (!key) return LETHE_ENOMEM;
    for (size_t q = 0; q < c->n_qi; q++)
        for (size_t i = 0; i < c->n; i++)
            key[i * c->words + word[q]] |= (uint64_t)c->t->leaf[q][i] << shift[q];
    c->word = word;
    c->shift = shift;
    c->mask = mask;
    c->key = key;
    return LETHE_OK;
}

/* --- values --- */

static lethe_err list_values(lethe_arena *a, lethe_table_cells *c, const uint64_t *const *weights)
{
    uint32_t *base = lethe_new(a, uint32_t, c->n_qi + 1);
    if (!base) return LETHE_ENOMEM;
    for (size_t q = 0; q < c->n_qi; q++) {
        if (c->t->tree[q]->n > UINT32_MAX / 2 - base[q]) return LETHE_ENOMEM;
        base[q + 1] = base[q] + c->t->tree[q]->n;
    }
    c->base = base;
    c->n_values = base[c->n_qi];
    uint32_t *qi = lethe_new(a, uint32_t, c->n_values);
    uint64_t *weight = lethe_new(a, uint64_t, c->n_values);
    uint64_t *occurs = lethe_new(a, uint64_t, c->n_values);
    if (!qi || !weight || !occurs) return LETHE_ENOMEM;
    for (size_t q = 0; q < c->n_qi; q++) {
        const lethe_tree *t = c->t->tree[q];
        for (uint32_t v = 0; v < t->n; v++) {
            qi[base[q] + v] = (uint32_t)q;
            if (c->d->cost == LETHE_COST_LM) weight[base[q] + v] = weights[q][v];
        }
        for (size_t i = 0; i < c->n; i++)
            occurs[base[q] + c->t->leaf[q][i]] += c->tally[i].count;
        for (uint32_t v = t->n; v-- > 1;)
            occurs[base[q] + t->parent[v]] += occurs[base[q] + v];
    }
    c->qi = qi;
    c->weight = weight;
    c->occurs = occurs;
    return LETHE_OK;
}

typedef struct by_occurs {
    uint64_t occurs;
    uint32_t value;
} by_occurs;

/* Section 3.4.1: descending occurrences, ties in preorder.  So children come behind parents. */
static int in_order(const void *a, const void *b)
{
    const by_occurs *x = a, *y = b;
    if (x->occurs != y->occurs) return x->occurs > y->occurs ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static lethe_err rank_values(lethe_arena *a, lethe_table_cells *c, bool reverse)
{
    uint32_t *rank = lethe_new(a, uint32_t, c->n_values);
    by_occurs *sorted = lethe_alloc(c->n_values, sizeof *sorted);
    uint32_t *ranked = lethe_new(a, uint32_t, c->n_values);
    if (!rank || !sorted || !ranked) {
        lethe_free(sorted);
        return LETHE_ENOMEM;
    }
    for (uint32_t v = 0; v < c->n_values; v++) {
        uint32_t q = c->qi[v];
        rank[v] = LETHE_NONE;
        if (!lethe_tree_is_leaf(c->t->tree[q], v - c->base[q]))
            sorted[c->n_inner++] = (by_occurs){c->occurs[v], v};
    }
    qsort(sorted, c->n_inner, sizeof *sorted, in_order);
    for (uint32_t i = 0; i < c->n_inner; i++) {
        uint32_t r = reverse ? c->n_inner - 1 - i : i;
        ranked[r] = sorted[i].value;
        rank[sorted[i].value] = r;
    }
    lethe_free(sorted);
    c->rank = rank;
    c->ranked = ranked;
    return LETHE_OK;
}

lethe_err lethe_table_cells_of(lethe_arena *a, const lethe_tuples *t, const lethe_group_demand *d,
                               const uint64_t *const *weight, bool reverse, lethe_table_cells *out)
{
    bool stars = lethe_suppress_stars(d->suppress);
    *out = (lethe_table_cells){.t = t, .d = d, .n_qi = t->n_qi, .n_sa = t->n_sa};
    // section 3.5: what one suppressed value or row costs
    out->unit = d->cost == LETHE_COST_DM ? d->rows : 1;
    if (d->cost == LETHE_COST_LM)
        out->unit = stars ? (uint64_t)d->n_qi * d->scale : lethe_group_deletion(d);
    out->n_class = d->cost == LETHE_COST_CM ? d->n_class : 1;
    LETHE_TRY(find_cells(a, out));
    LETHE_TRY(pack_keys(a, out));
    LETHE_TRY(list_values(a, out, weight));
    return rank_values(a, out, reverse);
}
