/* SPDX-License-Identifier: Apache-2.0 */
/* full_domain_counts.c - frequency sets: scanned from the tuples, or rolled up from those one level
 * lower. */
#include "method/table/full_domain_internal.h"

/* --- levels --- */

lethe_err lethe_full_domain_levels(lethe_arena *a, const lethe_tree *t, size_t qi,
                                   full_domain_levels *out)
{
    uint32_t n = t->height + 1, *height = lethe_new(a, uint32_t, t->n);
    *out = (full_domain_levels){.qi = qi,
                                .n = n,
                                .n_nodes = lethe_new(a, uint32_t, n),
                                .node = lethe_new(a, uint32_t *, n),
                                .of_node = lethe_new(a, uint32_t *, n),
                                .up = lethe_new(a, uint32_t *, n)};
    if (!height || !out->n_nodes || !out->node || !out->of_node || !out->up) return LETHE_ENOMEM;
    for (uint32_t v = t->n; v-- > 1;) // edges of the longest way down
        height[t->parent[v]] = LETHE_MAX(height[t->parent[v]], height[v] + 1);
    for (uint32_t h = 0; h < n; h++) {
        uint32_t *of = out->of_node[h] = lethe_new(a, uint32_t, t->n);
        uint32_t *node = out->node[h] = lethe_new(a, uint32_t, t->leaves[0]), n_nodes = 0;
        if (!of || !node) return LETHE_ENOMEM;
        for (uint32_t v = 0; v < t->n;) {
            if (height[v] > h) { // above the cut
                v++;
                continue;
            }
            for (uint32_t u = v; u < t->end[v]; u++)
                of[u] = n_nodes;
            node[n_nodes++] = v;
            v = t->end[v];
        }
        out->n_nodes[h] = n_nodes;
    }
    for (uint32_t h = 0; h + 1 < n; h++) {
        uint32_t *up = out->up[h] = lethe_new(a, uint32_t, out->n_nodes[h]);
        if (!up) return LETHE_ENOMEM;
        for (uint32_t k = 0; k < out->n_nodes[h]; k++)
            up[k] = out->of_node[h + 1][out->node[h][k]];
    }
    return LETHE_OK;
}

/* --- counting --- */

/* What judging the columns of a group takes. */
static lethe_err column_room(lethe_arena *a, const lethe_tuples *t, const lethe_group_demand *d,
                             full_domain_room *r)
{
    r->start = lethe_new(a, uint32_t, t->n + 2);
    r->entry = lethe_new(a, uint32_t, t->n);
    r->value = lethe_new(a, uint32_t, t->n_sa);
    r->with = lethe_new(a, uint32_t, t->n_sa);
    r->cut = lethe_new(a, uint32_t, t->n_sa);
    r->price_room = lethe_new(a, uint32_t, lethe_group_room(d));
    return r->start && r->entry && r->value && r->with && r->cut && r->price_room ? LETHE_OK
                                                                                  : LETHE_ENOMEM;
}

lethe_err lethe_full_domain_room(const lethe_tuples *t, const lethe_group_demand *d,
                                 full_domain_room *r)
{
    lethe_arena *a = lethe_arena_new();
    *r = (full_domain_room){.arena = a};
    if (!a) return LETHE_ENOMEM;
    LETHE_TRY(lethe_tuples_fold_room(a, t->n, &r->fold));
    r->size = lethe_new(a, uint64_t, t->n);
    r->n_values = lethe_new(a, uint32_t, t->n);
    r->group = lethe_new(a, uint32_t, t->n);
    r->count = lethe_new(a, uint32_t, t->n);
    r->source = lethe_new(a, uint32_t, t->n);
    if (t->population) {
        r->population = lethe_new(a, uint64_t, t->n);
        r->of_population = lethe_new(a, uint32_t, t->n);
        if (!r->population || !r->of_population) return LETHE_ENOMEM;
    }
    if (d->n_columns > 0) LETHE_TRY(column_room(a, t, d, r));
    return r->size && r->n_values && r->group && r->count && r->source ? LETHE_OK : LETHE_ENOMEM;
}

/* Folds one column in: code[i], or map[code[i]]. */
static void add_column(lethe_tuples_fold *f, uint32_t n_codes, const uint32_t *code,
                       const uint32_t *map)
{
    if (n_codes == 1) return;
    lethe_tuples_fold_column(f, n_codes);
    for (size_t i = 0; i < f->n; i++)
        f->key[i] = f->key[i] * n_codes + (map ? map[code[i]] : code[i]);
}

/* The keys are those of groups: numbers them, parts them by sensitive value, and counts. */
static void gather(full_domain_room *r, uint32_t n_sa, const uint32_t *sa, const uint32_t *count,
                   const uint32_t *population)
{
    lethe_tuples_fold *f = &r->fold;
    r->n_groups = lethe_tuples_fold_number(f);
    for (size_t i = 0; i < f->n; i++)
        r->source[i] = (uint32_t)f->key[i]; // the group, until entries are numbered
    for (uint32_t g = 0; g < r->n_groups; g++) {
        r->size[g] = 0;
        r->n_values[g] = 0;
        if (population) r->population[g] = 0;
    }
    add_column(f, n_sa, sa, NULL);
    lethe_tuples_fold_number(f);
    r->n = 0;
    for (size_t i = 0; i < f->n; i++) {
        uint32_t e = (uint32_t)f->key[i], g = r->source[i];
        if (e == r->n) { // the first of its kind: numbers rise by one, and never past i
            r->group[e] = g;
            r->count[e] = 0;
            if (population) r->of_population[e] = 0;
            r->source[e] = (uint32_t)i;
            r->n++;
        }
        r->n_values[g] += r->count[e] == 0 && count[i] > 0;
        if (population) {
            r->of_population[e] += population[i];
            r->population[g] += population[i];
        }
        r->count[e] += count[i];
        r->size[g] += count[i];
    }
}

void lethe_full_domain_scan(full_domain_room *r, const lethe_tuples *t, const full_domain_point *p)
{
    lethe_tuples_fold_begin(&r->fold, t->n);
    for (size_t j = 0; j < p->n; j++) {
        const full_domain_levels *l = p->ladder[j];
        add_column(&r->fold, l->n_nodes[p->level[j]], t->leaf[l->qi], l->of_node[p->level[j]]);
    }
    gather(r, t->n_sa, t->sa, t->count, t->population);
}

void lethe_full_domain_roll_up(full_domain_room *r, const full_domain_counts *from,
                               const lethe_tuples *t, const full_domain_point *p, size_t which)
{
    lethe_tuples_fold_begin(&r->fold, from->n);
    for (size_t j = 0; j < p->n; j++) {
        const full_domain_levels *l = p->ladder[j];
        add_column(&r->fold, l->n_nodes[p->level[j]], from->value + j * from->n,
                   j == which ? l->up[p->level[j] - 1] : NULL);
    }
    gather(r, t->n_sa, from->sa, from->count, t->population ? from->population : NULL);
}

/* Entries by group. */
static void sort_entries(full_domain_room *r)
{
    memset(r->start, 0, ((size_t)r->n_groups + 2) * sizeof *r->start);
    for (size_t e = 0; e < r->n; e++)
        r->start[r->group[e] + 2]++;
    for (uint32_t g = 0; g < r->n_groups; g++)
        r->start[g + 2] += r->start[g + 1];
    for (size_t e = 0; e < r->n; e++)
        r->entry[r->start[r->group[e] + 1]++] = (uint32_t)e;
}

/* Do all groups keep what is asked of their columns?  The rest of the demand is known to be kept.
 */
static bool columns_valid(full_domain_room *r, const uint32_t *sa, const lethe_group_demand *d)
{
    lethe_group_demand asked = {.n_sa = d->n_sa,
                                .k = 1,
                                .distinct = 1,
                                .n_class = 1,
                                .rows = d->rows,
                                .column = d->column,
                                .n_columns = d->n_columns};
    sort_entries(r);
    for (uint32_t g = 0; g < r->n_groups; g++) {
        lethe_group_counts group = {
            .n = r->size[g], .value = r->value, .with = r->with, .room = r->price_room};
        for (uint32_t i = r->start[g]; i < r->start[g + 1]; i++) {
            uint32_t e = r->entry[i];
            if (r->count[e] == 0) continue;
            r->value[group.n_values] = sa[r->source[e]];
            r->with[group.n_values++] = r->count[e];
        }
        if (!lethe_group_price_of(&asked, &group, r->cut).valid) return false;
    }
    return true;
}

bool lethe_full_domain_valid(full_domain_room *r, const lethe_tuples *t,
                             const lethe_group_demand *d, const full_domain_counts *from)
{
    const uint32_t *sa = from ? from->sa : t->sa;
    for (uint32_t g = 0; g < r->n_groups; g++) {
        if (r->size[g] == 0) continue; // of the population alone
        if (r->size[g] < d->k || (d->n_sa > 0 && r->n_values[g] < d->distinct)) return false;
        if (t->population && r->population[g] < d->k_map) return false;
    }
    for (size_t e = 0; d->theta && d->n_sa > 0 && e < r->n; e++)
        if (lethe_theta_violated(d->theta[sa[r->source[e]]], r->count[e], r->size[r->group[e]]))
            return false;
    return d->n_columns == 0 || columns_valid(r, sa, d);
}

full_domain_counts *lethe_full_domain_keep(const full_domain_room *r, const lethe_tuples *t,
                                           const full_domain_point *p,
                                           const full_domain_counts *from, size_t which)
{
    size_t columns = p->n + 2 + (t->population ? 1 : 0);
    size_t bytes = sizeof(full_domain_counts) + r->n * columns * sizeof(uint32_t);
    full_domain_counts *c = lethe_alloc(bytes, 1);
    if (!c) return NULL;
    *c = (full_domain_counts){.n = r->n, .sa = (uint32_t *)(void *)(c + 1), .bytes = bytes};
    c->count = c->sa + r->n;
    c->value = c->count + r->n;
    if (t->population) {
        c->population = c->value + p->n * r->n;
        memcpy(c->population, r->of_population, r->n * sizeof *c->population);
    }
    for (size_t e = 0; e < r->n; e++) {
        c->sa[e] = (from ? from->sa : t->sa)[r->source[e]];
        c->count[e] = r->count[e];
    }
    for (size_t j = 0; j < p->n; j++) {
        const full_domain_levels *l = p->ladder[j];
        uint32_t *value = c->value + j * r->n;
        const uint32_t *code = from ? from->value + j * from->n : t->leaf[l->qi];
        const uint32_t *map = !from        ? l->of_node[p->level[j]]
                              : j == which ? l->up[p->level[j] - 1]
                                           : NULL;
        for (size_t e = 0; e < r->n; e++)
            value[e] = map ? map[code[r->source[e]]] : code[r->source[e]];
    }
    return c;
}
