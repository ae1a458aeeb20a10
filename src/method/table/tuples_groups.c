/* SPDX-License-Identifier: Apache-2.0 */
/* tuples_groups.c - the groups of a cut, and their costs. */
#include "method/table/tuples_internal.h"
#include "core/sort.h"

/* --- numbers for what is equal --- */

static size_t slots_for(size_t n)
{
    size_t slots = 16;
    while (slots < 2 * n)
        slots *= 2;
    return slots;
}

lethe_err lethe_tuples_fold_room(lethe_arena *a, size_t room, lethe_tuples_fold *f)
{
    *f = (lethe_tuples_fold){.room = room,
                             .key = lethe_new(a, uint64_t, room),
                             .seen = lethe_new(a, uint64_t, room),
                             .slots = lethe_new(a, uint32_t, slots_for(room))};
    return f->key && f->seen && f->slots ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_tuples_fold_begin(lethe_tuples_fold *f, size_t n)
{
    assert(n <= f->room);
    f->n = n;
    f->range = 1;
    if (n > 0) memset(f->key, 0, n * sizeof *f->key);
}

void lethe_tuples_fold_column(lethe_tuples_fold *f, uint32_t n_codes)
{
    if (f->range > UINT64_MAX / n_codes)
        lethe_tuples_fold_number(f); // then it is below 2^32, and fits
    f->range *= n_codes;
}

static uint64_t mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Few keys: they are their own slots. */
static uint32_t number_directly(lethe_tuples_fold *f)
{
    uint32_t n = 0;
    memset(f->slots, 0, (size_t)f->range * sizeof *f->slots);
    for (size_t i = 0; i < f->n; i++) {
        uint32_t *slot = &f->slots[f->key[i]];
        if (*slot == 0) *slot = ++n;
        f->key[i] = *slot - 1;
    }
    return n;
}

uint32_t lethe_tuples_fold_number(lethe_tuples_fold *f)
{
    uint32_t n = 0;
    size_t slots = slots_for(f->n), mask = slots - 1;
    if (f->range <= slots) {
        n = number_directly(f);
    } else {
        memset(f->slots, 0, slots * sizeof *f->slots);
        for (size_t i = 0; i < f->n; i++) {
            size_t k = mix64(f->key[i]) & mask;
            while (f->slots[k] != 0 && f->seen[f->slots[k] - 1] != f->key[i])
                k = (k + 1) & mask;
            if (f->slots[k] == 0) {
                f->seen[n] = f->key[i];
                f->slots[k] = ++n;
            }
            f->key[i] = f->slots[k] - 1;
        }
    }
    f->range = LETHE_MAX(n, 1);
    return n;
}

/* --- one group --- */

lethe_err lethe_group_maker_new(lethe_arena *a, const lethe_tuples *t, const lethe_group_demand *d,
                                lethe_group_maker *m)
{
    size_t most = LETHE_MIN((size_t)t->n_sa, LETHE_MAX(t->n, 1));
    *m = (lethe_group_maker){.t = t,
                             .d = d,
                             .place = lethe_new(a, uint32_t, t->n_sa),
                             .value = lethe_new(a, uint32_t, most),
                             .with = lethe_new(a, uint32_t, most),
                             .cut = lethe_new(a, uint32_t, most),
                             .room = lethe_new(a, uint32_t, lethe_group_room(d))};
    return m->place && m->value && m->with && m->cut && m->room ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_group_maker_free(lethe_group_maker *m) { lethe_free(m->of_class); }

/* The values that the tuples have, ascending, and where each stands. */
static uint32_t list_values(lethe_group_maker *m, const uint32_t *tuple, size_t n)
{
    uint32_t n_values = 0;
    bool ascending = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t s = m->t->sa[tuple[i]];
        if (m->place[s] != 0 || m->t->count[tuple[i]] == 0) continue;
        ascending = ascending && (n_values == 0 || m->value[n_values - 1] < s);
        m->value[n_values] = s;
        m->place[s] = ++n_values;
    }
    if (ascending) return n_values;
    lethe_sort_u32(m->value, n_values);
    for (uint32_t i = 0; i < n_values; i++)
        m->place[m->value[i]] = i + 1;
    return n_values;
}

static lethe_err count_classes(lethe_group_maker *m, const uint32_t *tuple, size_t n,
                               uint32_t n_values)
{
    const lethe_tuples *t = m->t;
    size_t n_class = m->d->n_class, need;
    if (__builtin_mul_overflow((size_t)n_values, n_class, &need)) return LETHE_ENOMEM;
    if (need > m->class_room) {
        uint32_t *more = lethe_realloc(m->of_class, need, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        m->of_class = more;
        m->class_room = need;
    }
    if (need > 0) memset(m->of_class, 0, need * sizeof *m->of_class);
    for (size_t i = 0; i < n; i++) {
        if (t->count[tuple[i]] == 0) continue;
        size_t row = m->place[t->sa[tuple[i]]] - 1;
        m->of_class[row * n_class + t->class[tuple[i]]] += t->count[tuple[i]];
    }
    return LETHE_OK;
}

lethe_err lethe_group_make(lethe_group_maker *m, const uint32_t *tuple, size_t n, uint64_t general,
                           lethe_group_price *out)
{
    const lethe_tuples *t = m->t;
    lethe_err e = LETHE_OK;
    uint32_t n_values = list_values(m, tuple, n);
    uint64_t rows = 0, population = 0;
    if (n_values > 0) memset(m->with, 0, n_values * sizeof *m->with);
    for (size_t i = 0; i < n; i++) {
        if (t->population) population += t->population[tuple[i]];
        if (t->count[tuple[i]] == 0) continue;
        m->with[m->place[t->sa[tuple[i]]] - 1] += t->count[tuple[i]];
        rows += t->count[tuple[i]];
    }
    if (m->d->cost == LETHE_COST_CM) e = count_classes(m, tuple, n, n_values);
    for (uint32_t i = 0; i < n_values; i++)
        m->place[m->value[i]] = 0;
    m->group = (lethe_group_counts){.n = rows,
                                    .n_values = n_values,
                                    .value = m->value,
                                    .with = m->with,
                                    .of_class = m->of_class,
                                    .general = general,
                                    .population = population,
                                    .room = m->room};
    if (e == LETHE_OK) *out = lethe_group_price_of(m->d, &m->group, m->cut);
    return e;
}

/* --- all groups of a cut --- */

typedef struct cut_groups {
    const lethe_tuples *t;
    const lethe_table_cut *cut;
    lethe_arena *tmp;
    lethe_tuples_fold fold;
    uint32_t **of_node; /* by quasi-identifier and node below the cut: which of the cut's it is */
    uint32_t n;         /* groups */
    uint32_t *start;    /* by group: its tuples in `tuple`; n + 1 */
    uint32_t *tuple;
} cut_groups;

static lethe_err find_groups(cut_groups *g)
{
    const lethe_tuples *t = g->t;
    g->of_node = lethe_new(g->tmp, uint32_t *, t->n_qi);
    if (!g->of_node) return LETHE_ENOMEM;
    LETHE_TRY(lethe_tuples_fold_room(g->tmp, t->n, &g->fold));
    lethe_tuples_fold_begin(&g->fold, t->n);
    for (size_t a = 0; a < t->n_qi; a++) {
        const lethe_tree *tree = t->tree[a];
        const uint32_t *node = g->cut->node + g->cut->start[a];
        uint32_t n = (uint32_t)(g->cut->start[a + 1] - g->cut->start[a]);
        uint32_t *of = g->of_node[a] = lethe_new(g->tmp, uint32_t, tree->n);
        if (!of) return LETHE_ENOMEM;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t v = node[k]; v < tree->end[node[k]]; v++)
                of[v] = k;
        if (n == 1) continue;
        lethe_tuples_fold_column(&g->fold, n);
        for (size_t i = 0; i < t->n; i++)
            g->fold.key[i] = g->fold.key[i] * n + of[t->leaf[a][i]];
    }
    g->n = lethe_tuples_fold_number(&g->fold);
    // tuples by group, and within one in their own order
    uint32_t *at = g->start = lethe_new(g->tmp, uint32_t, (size_t)g->n + 2);
    g->tuple = lethe_new(g->tmp, uint32_t, t->n);
    if (!at || !g->tuple) return LETHE_ENOMEM;
    for (size_t i = 0; i < t->n; i++)
        at[g->fold.key[i] + 2]++;
    for (uint32_t k = 0; k < g->n; k++)
        at[k + 2] += at[k + 1];
    for (size_t i = 0; i < t->n; i++)
        g->tuple[at[g->fold.key[i] + 1]++] = (uint32_t)i;
    return LETHE_OK;
}

static lethe_err visit_groups(lethe_ctx *ctx, cut_groups *g, lethe_group_maker *m,
                              const uint64_t *const *weight, lethe_group_fn take, void *arg)
{
    for (uint32_t k = 0; k < g->n; k++) {
        const uint32_t *tuple = g->tuple + g->start[k];
        size_t n = g->start[k + 1] - g->start[k];
        lethe_group_price p = {0};
        if (k % 4096 == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        uint64_t general = 0; // LM of a row
        for (size_t a = 0; weight && a < g->t->n_qi; a++) {
            uint32_t at = g->of_node[a][g->t->leaf[a][tuple[0]]];
            general += weight[a][g->cut->node[g->cut->start[a] + at]];
        }
        lethe_err e = lethe_group_make(m, tuple, n, general, &p);
        if (e != LETHE_OK) return lethe_no_memory(ctx);
        LETHE_TRY(take(arg, tuple, n, &m->group, &p, m->cut));
    }
    return LETHE_OK;
}

lethe_err lethe_table_cut_groups(lethe_ctx *ctx, const lethe_tuples *t, const lethe_group_demand *d,
                                 const uint64_t *const *weight, const lethe_table_cut *cut,
                                 lethe_group_fn take, void *arg)
{
    cut_groups g = {.t = t, .cut = cut, .tmp = lethe_arena_new()};
    lethe_group_maker m = {0};
    lethe_err e = g.tmp ? find_groups(&g) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = lethe_group_maker_new(g.tmp, t, d, &m);
    if (e == LETHE_ENOMEM) lethe_no_memory(ctx);
    if (e == LETHE_OK) e = visit_groups(ctx, &g, &m, weight, take, arg);
    lethe_group_maker_free(&m);
    lethe_arena_free(g.tmp);
    return e;
}

static lethe_err add_group(void *arg, const uint32_t *tuple, size_t n,
                           const lethe_group_counts *group, const lethe_group_price *p,
                           const uint32_t *cut)
{
    lethe_table_cut_price *sum = arg;
    (void)tuple, (void)n, (void)cut;
    sum->valid = sum->valid && p->valid;
    sum->cost += p->cost;
    sum->deleted += p->deleted;
    sum->starred += p->starred;
    sum->groups += group->n > 0;
    return LETHE_OK;
}

lethe_err lethe_table_cut_evaluate(lethe_ctx *ctx, const lethe_tuples *t,
                                   const lethe_group_demand *d, const uint64_t *const *weight,
                                   const lethe_table_cut *cut, lethe_table_cut_price *out)
{
    lethe_table_cut_price sum = {.valid = true};
    LETHE_TRY(lethe_table_cut_groups(ctx, t, d, weight, cut, add_group, &sum));
    if (!sum.valid) sum = (lethe_table_cut_price){.groups = sum.groups};
    *out = sum;
    return LETHE_OK;
}
