/* SPDX-License-Identifier: Apache-2.0 */
/* tuples.c - equal rows made one; the number of a tree's cuts, and the weights of its nodes. */
#include "method/table/tuples_internal.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* --- equal rows --- */

/* What is compared, the last first: a stable sort by each in turn gives the order of all. */
typedef struct column {
    const uint32_t *code; /* by row; NULL: all alike */
    uint32_t n_codes;
} column;

/* Rows of the table come first, then those of the population. */
typedef struct row_sorter {
    const lethe_table *t;
    const lethe_population *beside; /* NULL: none */
    size_t n;                       /* rows of both */
    lethe_tuples *out;
    lethe_arena *tmp;
    uint32_t *row; /* in the order of what was compared so far */
    uint32_t *spare;
    column *by;
    size_t n_by;
} row_sorter;

static lethe_err sort_by(row_sorter *m, const column *c)
{
    size_t n = m->n;
    size_t *at = lethe_alloc_zero((size_t)c->n_codes + 1, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        at[c->code[i] + 1]++;
    for (uint32_t v = 0; v < c->n_codes; v++)
        at[v + 1] += at[v];
    for (size_t i = 0; i < n; i++)
        m->spare[at[c->code[m->row[i]]]++] = m->row[i];
    lethe_free(at);
    uint32_t *swap = m->row;
    m->row = m->spare;
    m->spare = swap;
    return LETHE_OK;
}

static bool rows_equal(const row_sorter *m, uint32_t r, uint32_t s)
{
    for (size_t k = 0; k < m->n_by; k++)
        if (m->by[k].code && m->by[k].code[r] != m->by[k].code[s]) return false;
    return true;
}

typedef struct named {
    lethe_str name;
    uint32_t number;
} named;

static int by_name(const void *a, const void *b)
{
    return lethe_str_cmp(((const named *)a)->name, ((const named *)b)->name);
}

/* The classes by row, renumbered in the order of their names. */
static lethe_err class_codes(row_sorter *m, const lethe_column *class, column *out)
{
    uint32_t n = lethe_dict_count(class->values);
    named *all = lethe_new(m->tmp, named, n);
    uint32_t *rank = lethe_new(m->tmp, uint32_t, n), *code = lethe_new(m->tmp, uint32_t, m->n);
    if (!all || !rank || !code) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < n; c++)
        all[c] = (named){lethe_dict_at(class->values, c), c};
    if (n > 0) qsort(all, n, sizeof *all, by_name);
    for (uint32_t c = 0; c < n; c++)
        rank[all[c].number] = c;
    for (size_t i = 0; i < m->t->n; i++)
        code[i] = rank[class->code[i]];
    *out = (column){code, n};
    return LETHE_OK;
}

/* The codes of the table, and behind them those of the population, `other`; NULL: 0. */
static lethe_err both_codes(row_sorter *m, const uint32_t *code, const uint32_t *other,
                            uint32_t n_codes, column *out)
{
    *out = (column){code, n_codes};
    if (!m->beside) return LETHE_OK;
    uint32_t *both = lethe_new(m->tmp, uint32_t, m->n);
    if (!both) return LETHE_ENOMEM;
    memcpy(both, code, m->t->n * sizeof *both);
    if (other && m->beside->n > 0) memcpy(both + m->t->n, other, m->beside->n * sizeof *both);
    *out = (column){both, n_codes};
    return LETHE_OK;
}

/* Combinations of sensitive values, numbered as they appear, and what each has in each column. */
static lethe_err combine(row_sorter *m, uint32_t **code, uint32_t *n_codes)
{
    const lethe_table *t = m->t;
    lethe_tuples_fold f;
    LETHE_TRY(lethe_tuples_fold_room(m->tmp, t->n, &f));
    lethe_tuples_fold_begin(&f, t->n);
    for (size_t k = 0; k < t->n_sa; k++) {
        uint32_t n = LETHE_MAX(lethe_dict_count(t->sa[k].values), 1);
        lethe_tuples_fold_column(&f, n);
        for (size_t i = 0; i < t->n; i++)
            f.key[i] = f.key[i] * n + t->sa[k].code[i];
    }
    uint32_t n = lethe_tuples_fold_number(&f);
    const uint32_t **part = lethe_new(m->out->arena, const uint32_t *, t->n_sa);
    uint32_t *of = lethe_new(m->tmp, uint32_t, t->n);
    if (!part || !of) return LETHE_ENOMEM;
    for (size_t i = 0; i < t->n; i++)
        of[i] = (uint32_t)f.key[i];
    for (size_t k = 0; k < t->n_sa; k++) {
        uint32_t *own = lethe_new(m->out->arena, uint32_t, n);
        if (!own) return LETHE_ENOMEM;
        for (size_t i = 0; i < t->n; i++)
            own[of[i]] = t->sa[k].code[i];
        part[k] = own;
    }
    m->out->part = part;
    *code = of;
    *n_codes = n;
    return LETHE_OK;
}

static lethe_err sensitive_codes(row_sorter *m, column *out)
{
    const lethe_table *t = m->t;
    uint32_t *code = NULL, n_codes = 0;
    if (!t->sa) return LETHE_OK;
    if (t->n_sa <= 1) return both_codes(m, t->sa->code, NULL, lethe_dict_count(t->sa->values), out);
    LETHE_TRY(combine(m, &code, &n_codes));
    return both_codes(m, code, NULL, n_codes, out);
}

/* A column of the tuples; where the rows are all alike, zeros. */
static uint32_t *column_of(const row_sorter *m, const column *c, const uint32_t *of_row)
{
    uint32_t *out = lethe_new(m->out->arena, uint32_t, m->out->n);
    for (size_t i = 0; out && c->code && i < m->n; i++)
        out[of_row[i]] = c->code[i];
    return out;
}

static lethe_err fill_tuples(row_sorter *m)
{
    const lethe_table *t = m->t;
    lethe_tuples *u = m->out;
    uint32_t *of_row = lethe_new(u->arena, uint32_t, m->n);
    const uint32_t **leaf = lethe_new(u->arena, const uint32_t *, t->n_qi);
    const lethe_tree **tree = lethe_new(u->arena, const lethe_tree *, t->n_qi);
    if (!of_row || !leaf || !tree) return LETHE_ENOMEM;
    for (size_t i = 0; i < m->n; i++) {
        if (i == 0 || !rows_equal(m, m->row[i - 1], m->row[i])) u->n++;
        of_row[m->row[i]] = (uint32_t)(u->n - 1);
    }
    uint32_t *count = lethe_new(u->arena, uint32_t, u->n);
    uint32_t *population = m->beside ? lethe_new(u->arena, uint32_t, u->n) : NULL;
    if (!count || !population != !m->beside) return LETHE_ENOMEM;
    for (size_t i = 0; i < t->n; i++)
        count[of_row[i]]++;
    for (size_t i = t->n; i < m->n; i++)
        population[of_row[i]]++;
    for (size_t a = 0; a < t->n_qi; a++) {
        tree[a] = t->qi[a].tree;
        leaf[a] = column_of(m, &m->by[a], of_row);
        if (!leaf[a]) return LETHE_ENOMEM;
    }
    u->sa = column_of(m, &m->by[t->n_qi], of_row);
    u->class = column_of(m, &m->by[t->n_qi + 1], of_row);
    if (!u->sa || !u->class) return LETHE_ENOMEM;
    u->n_qi = t->n_qi;
    u->tree = tree;
    u->leaf = leaf;
    u->count = count;
    u->population = population;
    u->of_row = of_row;
    u->rows = t->n;
    u->n_sa = LETHE_MAX(m->by[t->n_qi].n_codes, 1);
    u->n_class = LETHE_MAX(m->by[t->n_qi + 1].n_codes, 1);
    return LETHE_OK;
}

static lethe_err make_tuples(lethe_ctx *ctx, row_sorter *m, bool classes)
{
    const lethe_table *t = m->t;
    m->n_by = t->n_qi + 2;
    m->by = lethe_new(m->tmp, column, m->n_by);
    m->n = t->n + (m->beside ? m->beside->n : 0);
    if (m->n > UINT32_MAX - 2) return LETHE_ENOMEM;
    m->row = lethe_new(m->tmp, uint32_t, m->n);
    m->spare = lethe_new(m->tmp, uint32_t, m->n);
    if (!m->by || !m->row || !m->spare) return LETHE_ENOMEM;
    for (size_t a = 0; a < t->n_qi; a++)
        LETHE_TRY(both_codes(m, t->qi[a].leaf, m->beside ? m->beside->leaf[a] : NULL,
                             t->qi[a].tree->n, &m->by[a]));
    LETHE_TRY(sensitive_codes(m, &m->by[t->n_qi]));
    if (classes && t->class) LETHE_TRY(class_codes(m, t->class, &m->by[t->n_qi + 1]));
    for (size_t i = 0; i < m->n; i++)
        m->row[i] = (uint32_t)i;
    for (size_t k = m->n_by; k-- > 0;) {
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (m->by[k].code) LETHE_TRY(sort_by(m, &m->by[k]));
    }
    return fill_tuples(m);
}

lethe_err lethe_tuples_of(lethe_ctx *ctx, const lethe_table *t, bool classes, lethe_tuples **out)
{
    return lethe_tuples_beside(ctx, t, NULL, classes, out);
}

lethe_err lethe_tuples_beside(lethe_ctx *ctx, const lethe_table *t, const lethe_population *beside,
                              bool classes, lethe_tuples **out)
{
    lethe_arena *a = lethe_arena_new();
    row_sorter m = {.t = t,
                    .beside = beside,
                    .out = a ? lethe_new(a, lethe_tuples, 1) : NULL,
                    .tmp = lethe_arena_new()};
    lethe_err e = LETHE_ENOMEM;
    if (m.out && m.tmp) {
        m.out->arena = a;
        e = make_tuples(ctx, &m, classes);
    }
    lethe_arena_free(m.tmp);
    if (e == LETHE_OK)
        *out = m.out;
    else
        lethe_arena_free(a);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

void lethe_tuples_free(lethe_tuples *t)
{
    if (t) lethe_arena_free(t->arena);
}

/* --- cuts --- */

int lethe_table_cut_compare(const lethe_table_cut *a, const lethe_table_cut *b, size_t n_qi)
{
    for (size_t q = 0; q < n_qi; q++) {
        size_t n = a->start[q + 1] - a->start[q], m = b->start[q + 1] - b->start[q];
        const uint32_t *x = a->node + a->start[q], *y = b->node + b->start[q];
        for (size_t i = 0; i < n && i < m; i++)
            if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
        if (n != m) return n < m ? -1 : 1;
    }
    return 0;
}

/* 1 + the product over the children, up the path of largest children: calls go into the
 * others alone, each at most half as large, so they are never deep. */
static double cuts_below(const lethe_tree *t, uint32_t v)
{
    double cuts = 1;
    uint32_t u = v;
    while (!lethe_tree_is_leaf(t, u)) {
        uint32_t largest = lethe_tree_first(t, u);
        for (uint32_t c = largest; c < t->end[u]; c = t->end[c])
            if (t->end[c] - c > t->end[largest] - largest) largest = c;
        u = largest;
    }
    while (u != v) {
        uint32_t p = t->parent[u];
        for (uint32_t c = lethe_tree_first(t, p); c < t->end[p]; c = t->end[c])
            if (c != u) cuts *= cuts_below(t, c);
        cuts += 1;
        u = p;
    }
    return cuts;
}

double lethe_tuples_tree_cuts(const lethe_tree *t) { return cuts_below(t, 0); }

double lethe_tuples_cuts(const lethe_tuples *t)
{
    double cuts = 1;
    for (size_t a = 0; a < t->n_qi; a++)
        cuts *= lethe_tuples_tree_cuts(t->tree[a]);
    return cuts;
}

/* --- weights --- */

/* All costs stay below this, so that sums and signed numbers hold them. */
#define COST_MAX (UINT64_C(1) << 62)

enum { DELETION_MAX = 100, DELETION_PARTS = 1000 };

bool lethe_deletion_weight_of(double rows, lethe_deletion_weight *out)
{
    if (!(rows >= 1 && rows <= DELETION_MAX)) return false;
    uint64_t parts = (uint64_t)(rows * DELETION_PARTS + 0.5), by = DELETION_PARTS;
    double off = rows * DELETION_PARTS - (double)parts;
    if (off > 1e-6 || off < -1e-6) return false; // more than a decimal number is off as a double
    for (uint64_t p = 2; p <= 5; p += 3)
        for (; parts % p == 0 && by % p == 0; by /= p)
            parts /= p;
    *out = (lethe_deletion_weight){parts, by};
    return true;
}

/* The least common multiple of what LM and the weight divide by; where it is too large, a power of
 * ten, which is no less than 1000. */
static uint64_t choose_scale(const lethe_tuples *t, lethe_deletion_weight w)
{
    // at most this: a table of deleted rows, or of starred ones, costs less than COST_MAX
    uint64_t by_row = LETHE_MAX(2, (w.num + w.den - 1) / w.den) * LETHE_MAX(t->n_qi, 1);
    uint64_t most = COST_MAX / LETHE_MAX(t->rows, 1) / by_row;
    uint64_t scale = w.den, ten = 1;
    for (size_t a = 0; a < t->n_qi; a++) {
        uint64_t by = lethe_tree_scale(t->tree[a]);
        if (by == 0) continue;
        uint64_t divisor = scale;
        for (uint64_t rest = by, next; rest != 0; rest = next) { // Euclid
            next = divisor % rest;
            divisor = rest;
        }
        by /= divisor;
        if (scale > most / by) {
            while (ten <= most / 10)
                ten *= 10;
            return ten;
        }
        scale *= by;
    }
    return scale;
}

lethe_err lethe_tuples_weights(const lethe_tuples *t, lethe_arena *a, const uint64_t ***weight,
                               uint64_t *scale)
{
    uint64_t deletion;
    return lethe_tuples_weights_with(t, a, (lethe_deletion_weight){2, 1}, weight, scale, &deletion);
}

lethe_err lethe_tuples_weights_with(const lethe_tuples *t, lethe_arena *a, lethe_deletion_weight w,
                                    const uint64_t ***weight, uint64_t *scale, uint64_t *deletion)
{
    const uint64_t **by_qi = lethe_new(a, const uint64_t *, t->n_qi);
    if (!by_qi) return LETHE_ENOMEM;
    uint64_t s = choose_scale(t, w);
    for (size_t q = 0; q < t->n_qi; q++) {
        const lethe_tree *tree = t->tree[q];
        uint64_t *of = lethe_new(a, uint64_t, tree->n), by = lethe_tree_scale(tree);
        if (!of) return LETHE_ENOMEM;
        for (uint32_t v = 0; v < tree->n && by > 0; v++)
            of[v] = (uint64_t)((wide)lethe_tree_lm(tree, v) * s / by);
        by_qi[q] = of;
    }
    *weight = by_qi;
    *scale = s;
    *deletion = s / w.den * w.num * t->n_qi;
    return LETHE_OK;
}
