/* SPDX-License-Identifier: Apache-2.0 */
/* singling.c - how many rows one, two or three columns single out.
 *
 * Rows that are equal in all columns at hand are never unique and are counted once, as a tuple that
 * is common.  For each pair of columns the tuples are brought into its groups; those that are alone
 * there are unique in every triple too and drop out.  Each third column then takes one pass over
 * the rest: a value that a group has not had yet is unique until it comes again. */
#include "measure/table_profile.h"

/* Codes by tuple are looked up in any order: in half the bytes, where they fit, more of them are in
 * the cache. */
typedef struct tuple_column {
    const uint16_t *narrow; /* NULL: they are in `wide` */
    const uint32_t *wide;
    uint32_t n_values;
} tuple_column;

static inline uint32_t code_at(const tuple_column *c, uint32_t tuple)
{
    return c->narrow ? c->narrow[tuple] : c->wide[tuple];
}

/* A value in the group at hand. */
struct met {
    uint32_t group; /* that had it last: `epoch` */
    bool is_unique;
};

struct singling_worker {
    uint32_t *tuple, *other; /* an order of tuples, and room for the next */
    uint32_t *end;           /* of each group that is looked at */
    bool *is_common;         /* as the order has them */
    uint32_t *start;
    struct met *met;
    uint32_t epoch;
    size_t n, n_groups; /* tuples in groups of two or more, and these groups */
    uint64_t alone;     /* unique rows that dropped out */
    lethe_combination top[LETHE_TOP_COMBINATIONS];
    size_t n_top;
};

typedef struct singling_search {
    lethe_ctx *ctx;
    size_t n_tuples, n_columns;
    tuple_column *column;
    bool *is_common; /* by tuple */
    uint32_t most_values;
    uint64_t *pair; /* as in lethe_singling */
    struct singling_worker *worker;
    unsigned n_workers;
    size_t *first, *second; /* by number of a pair: its columns */
} singling_search;

/* --- the best --- */

/* Does `a` come before `b`?  A total order, so that the best do not depend on threads. */
static bool comes_before(const lethe_combination *a, const lethe_combination *b)
{
    if (a->unique != b->unique) return a->unique > b->unique;
    if (a->n != b->n) return a->n < b->n;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->column[i] != b->column[i]) return a->column[i] < b->column[i];
    return false;
}

static void top_add(lethe_combination *top, size_t *n, const lethe_combination *c)
{
    size_t at = *n;
    if (c->unique == 0) return;
    while (at > 0 && comes_before(c, &top[at - 1]))
        at--;
    if (at == LETHE_TOP_COMBINATIONS) return;
    if (*n < LETHE_TOP_COMBINATIONS) ++*n;
    memmove(&top[at + 1], &top[at], (*n - 1 - at) * sizeof *top);
    top[at] = *c;
}

/* --- groups of one or two columns --- */

/* Orders tuples by the column, those with the same value as they stood. */
static void tuples_sort(struct singling_worker *k, const tuple_column *c, size_t n)
{
    memset(k->start, 0, ((size_t)c->n_values + 1) * sizeof *k->start);
    for (size_t i = 0; i < n; i++)
        k->start[code_at(c, k->tuple[i]) + 1]++;
    for (uint32_t v = 0; v < c->n_values; v++)
        k->start[v + 1] += k->start[v];
    for (size_t i = 0; i < n; i++)
        k->other[k->start[code_at(c, k->tuple[i])]++] = k->tuple[i];
    uint32_t *sorted = k->other;
    k->other = k->tuple;
    k->tuple = sorted;
}

/* The groups of columns `a` and `b` (which may be the same): those of two tuples and more stay. */
static void groups_make(const singling_search *s, struct singling_worker *k, size_t a, size_t b)
{
    const tuple_column *in_a = &s->column[a], *in_b = &s->column[b];
    size_t n = s->n_tuples;
    for (uint32_t i = 0; i < n; i++)
        k->tuple[i] = i;
    if (a != b) tuples_sort(k, &s->column[b], n);
    tuples_sort(k, &s->column[a], n);
    k->n = k->n_groups = 0;
    k->alone = 0;
    for (size_t from = 0, end; from < n; from = end) {
        uint32_t x = code_at(in_a, k->tuple[from]), y = code_at(in_b, k->tuple[from]);
        for (end = from + 1;
             end < n && code_at(in_a, k->tuple[end]) == x && code_at(in_b, k->tuple[end]) == y;)
            end++;
        if (end - from == 1) {
            k->alone += !s->is_common[k->tuple[from]];
            continue;
        }
        for (size_t i = from; i < end; i++) {
            k->is_common[k->n] = s->is_common[k->tuple[i]];
            k->tuple[k->n++] = k->tuple[i];
        }
        k->end[k->n_groups++] = (uint32_t)k->n;
    }
}

/* Unique rows if the column is added to those of the groups. */
static uint64_t column_pass(const singling_search *s, struct singling_worker *k, size_t column)
{
    const tuple_column *c = &s->column[column];
    uint64_t unique = k->alone;
    size_t i = 0;
    if (k->n_groups >= UINT32_MAX - k->epoch) { // numbers of groups come again
        memset(k->met, 0, s->most_values * sizeof *k->met);
        k->epoch = 0;
    }
    for (size_t g = 0; g < k->n_groups; g++) {
        uint32_t epoch = ++k->epoch;
        for (; i < k->end[g]; i++) {
            struct met *m = &k->met[code_at(c, k->tuple[i])];
            if (m->group != epoch) {
                *m = (struct met){epoch, !k->is_common[i]};
                unique += m->is_unique;
            } else if (m->is_unique) {
                m->is_unique = false;
                unique--;
            }
        }
    }
    return unique;
}

/* --- all combinations --- */

static lethe_err pairs_work(void *arg, size_t a, unsigned w)
{
    singling_search *s = arg;
    struct singling_worker *k = &s->worker[w];
    size_t n = s->n_columns;
    groups_make(s, k, a, a);
    s->pair[a * n + a] = k->alone;
    for (size_t b = a + 1; b < n; b++)
        s->pair[a * n + b] = s->pair[b * n + a] = column_pass(s, k, b);
    lethe_ctx_advance(s->ctx, n - a);
    return LETHE_OK;
}

static lethe_err triples_work(void *arg, size_t item, unsigned w)
{
    singling_search *s = arg;
    struct singling_worker *k = &s->worker[w];
    size_t n = s->n_columns, a = s->first[item], b = s->second[item];
    groups_make(s, k, a, b);
    for (size_t c = b + 1; c < n; c++) {
        uint64_t unique = column_pass(s, k, c), part = s->pair[a * n + b];
        part = LETHE_MAX(part, s->pair[a * n + c]);
        part = LETHE_MAX(part, s->pair[b * n + c]);
        if (unique == part) continue; // two of them do as well
        lethe_combination found = {3, {(uint32_t)a, (uint32_t)b, (uint32_t)c}, unique};
        top_add(k->top, &k->n_top, &found);
    }
    lethe_ctx_advance(s->ctx, n - b);
    return LETHE_OK;
}

static void small_add(const singling_search *s, lethe_combination *top, size_t *n_top)
{
    size_t n = s->n_columns;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a; b < n; b++) {
            uint64_t unique = s->pair[a * n + b];
            lethe_combination found = {a == b ? 1 : 2, {(uint32_t)a, (uint32_t)b, 0}, unique};
            if (a == b) found.column[1] = 0;
            if (a != b && (unique == s->pair[a * n + a] || unique == s->pair[b * n + b])) continue;
            top_add(top, n_top, &found);
        }
}

static lethe_err pairs_list(singling_search *s, lethe_arena *a, size_t *n_pairs)
{
    size_t n = s->n_columns, at = 0;
    size_t room = n * (n - (n > 0)) / 2;
    s->first = lethe_new(a, size_t, room);
    s->second = lethe_new(a, size_t, room);
    if (!s->first || !s->second) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j + 1 < n; j++) {
            s->first[at] = i;
            s->second[at++] = j;
        }
    *n_pairs = at;
    return LETHE_OK;
}

/* --- which columns, and their tuples --- */

static uint64_t combinations_of(uint64_t n)
{
    return n + n * (n - (n > 0)) / 2 + (n > 2 ? n * (n - 1) / 2 * (n - 2) / 3 : 0);
}

/* The columns that alone separate rows best, in the order of the header. */
static lethe_err columns_choose(lethe_arena *a, const lethe_column_profile *profile,
                                const uint32_t *column, size_t n, size_t most, uint32_t **out)
{
    uint32_t *chosen = lethe_new(a, uint32_t, n);
    bool *is_taken = lethe_new(a, bool, n);
    size_t n_chosen = 0;
    if (!chosen || !is_taken) return LETHE_ENOMEM;
    for (size_t i = 0; i < most; i++) {
        size_t best = n;
        for (size_t k = 0; k < n; k++)
            if (!is_taken[k] &&
                (best == n || profile[column[k]].separation > profile[column[best]].separation))
                best = k;
        is_taken[best] = true;
    }
    for (size_t k = 0; k < n; k++)
        if (is_taken[k]) chosen[n_chosen++] = column[k];
    *out = chosen;
    return LETHE_OK;
}

/* How many columns can be combined with no more work; at least two. */
static size_t columns_within(uint64_t work, size_t n_tuples, size_t n)
{
    enum { WIDEST = 1000 }; // beyond, pairs alone take more memory than they are worth
    size_t most = LETHE_MIN(n, (size_t)WIDEST);
    while (most > 2 && combinations_of(most) > work / LETHE_MAX(n_tuples, 1))
        most--;
    return most;
}

static lethe_err codes_take(lethe_arena *a, const lethe_published_column *from,
                            const lethe_row_groups *g, tuple_column *to)
{
    *to = (tuple_column){.n_values = lethe_dict_count(from->values)};
    if (to->n_values <= UINT16_MAX + 1) {
        uint16_t *narrow = lethe_new(a, uint16_t, g->n);
        for (size_t i = 0; narrow && i < g->n; i++)
            narrow[i] = (uint16_t)from->code[g->row[g->start[i]]];
        to->narrow = narrow;
        return narrow ? LETHE_OK : LETHE_ENOMEM;
    }
    uint32_t *wide = lethe_new(a, uint32_t, g->n);
    for (size_t i = 0; wide && i < g->n; i++)
        wide[i] = from->code[g->row[g->start[i]]];
    to->wide = wide;
    return wide ? LETHE_OK : LETHE_ENOMEM;
}

/* A tuple for each group of equal rows. */
static lethe_err tuples_take(singling_search *s, lethe_arena *a, const lethe_published_table *t,
                             const lethe_row_groups *g, const uint32_t *column)
{
    s->n_tuples = g->n;
    s->column = lethe_new(a, tuple_column, s->n_columns);
    s->is_common = lethe_new(a, bool, g->n);
    if (!s->column || !s->is_common) return LETHE_ENOMEM;
    for (size_t i = 0; i < g->n; i++)
        s->is_common[i] = g->start[i + 1] - g->start[i] > 1;
    for (size_t c = 0; c < s->n_columns; c++) {
        const lethe_published_column *from = &t->column[column[c]];
        LETHE_TRY(codes_take(a, from, g, &s->column[c]));
        s->most_values = LETHE_MAX(s->most_values, s->column[c].n_values);
    }
    return LETHE_OK;
}

static lethe_err workers_begin(singling_search *s, lethe_arena *a)
{
    s->n_workers = lethe_ctx_threads(s->ctx);
    s->worker = lethe_new(a, struct singling_worker, s->n_workers);
    if (!s->worker) return LETHE_ENOMEM;
    for (unsigned w = 0; w < s->n_workers; w++) {
        struct singling_worker *k = &s->worker[w];
        k->tuple = lethe_new(a, uint32_t, s->n_tuples);
        k->other = lethe_new(a, uint32_t, s->n_tuples);
        k->end = lethe_new(a, uint32_t, s->n_tuples);
        k->is_common = lethe_new(a, bool, s->n_tuples);
        k->start = lethe_new(a, uint32_t, (size_t)s->most_values + 1);
        k->met = lethe_new(a, struct met, s->most_values);
        if (!k->tuple || !k->other || !k->end || !k->is_common || !k->start || !k->met)
            return LETHE_ENOMEM;
    }
    return LETHE_OK;
}

static lethe_err search_run(singling_search *s, lethe_arena *a, lethe_singling *out)
{
    size_t n_pairs = 0;
    LETHE_TRY(workers_begin(s, a));
    LETHE_TRY(pairs_list(s, a, &n_pairs));
    lethe_ctx_phase(s->ctx, "combining", combinations_of(s->n_columns));
    LETHE_TRY(lethe_pool_for(s->ctx, s->n_columns, pairs_work, s));
    LETHE_TRY(lethe_pool_for(s->ctx, n_pairs, triples_work, s));
    small_add(s, out->top, &out->n_top);
    for (unsigned w = 0; w < s->n_workers; w++)
        for (size_t i = 0; i < s->worker[w].n_top; i++)
            top_add(out->top, &out->n_top, &s->worker[w].top[i]);
    for (size_t i = 0; i < out->n_top; i++)
        for (uint32_t k = 0; k < out->top[i].n; k++)
            out->top[i].column[k] = out->column[out->top[i].column[k]];
    return LETHE_OK;
}

static lethe_err singling_try(lethe_ctx *ctx, lethe_arena *a, lethe_arena *tmp,
                              const lethe_published_table *t, const lethe_column_profile *profile,
                              const uint32_t *column, size_t n_columns, uint64_t work,
                              lethe_singling *out)
{
    singling_search s = {.ctx = ctx};
    uint32_t *chosen;
    lethe_row_groups g;
    s.n_columns = columns_within(work, t->n, n_columns);
    if (columns_choose(a, profile, column, n_columns, s.n_columns, &chosen) != LETHE_OK)
        return lethe_no_memory(ctx);
    LETHE_TRY(lethe_row_groups_make(ctx, t, chosen, s.n_columns, &g));
    lethe_err e = tuples_take(&s, tmp, t, &g, chosen);
    lethe_row_groups_free(&g);
    s.pair = lethe_new(a, uint64_t, s.n_columns * s.n_columns);
    if (!s.pair) e = LETHE_ENOMEM;
    *out = (lethe_singling){.n = s.n_columns,
                            .column = chosen,
                            .pair = s.pair,
                            .tried = combinations_of(s.n_columns),
                            .all = combinations_of(n_columns)};
    if (e == LETHE_OK) e = search_run(&s, tmp, out);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

lethe_err lethe_singling_count(lethe_ctx *ctx, lethe_arena *a, const lethe_published_table *t,
                               const lethe_column_profile *profile, const uint32_t *column,
                               size_t n_columns, uint64_t work, lethe_singling *out)
{
    lethe_arena *tmp = lethe_arena_new();
    if (!tmp) return lethe_no_memory(ctx);
    lethe_err e = singling_try(ctx, a, tmp, t, profile, column, n_columns, work, out);
    lethe_arena_free(tmp);
    return e;
}
