/* SPDX-License-Identifier: Apache-2.0 */
/* row_groups.c - rows with equal values of some columns, and what their groups tell.
 *
 * Groups are refined column by column: rows are brought together by their group so far (a counting
 * sort), and each value that a group has not had yet begins a new one.  No hashing of tuples, so
 * the cost is linear whatever the values are. */
#include "measure/table_profile.h"
#include "model/table/table.h"
#include <math.h>

/* --- refining --- */

/* Groups by number, of `n` rows. */
typedef struct refinement {
    size_t n;
    uint32_t *group; /* by row */
    uint32_t n_groups;
    /* scratch */
    uint32_t *row, *start;
    size_t start_cap;
} refinement;

static void refinement_free(refinement *r) { lethe_free_all(r->group, r->row, r->start); }

static bool refinement_begin(refinement *r, size_t n)
{
    *r = (refinement){.n = n, .n_groups = n > 0};
    r->group = lethe_alloc_zero(n, sizeof *r->group);
    r->row = lethe_alloc(n, sizeof *r->row);
    return r->group && r->row;
}

/* Rows in the order of their groups; in each as they stood.  start[g] is where group g ends. */
static bool rows_gather(refinement *r)
{
    size_t need = (size_t)r->n_groups + 1;
    if (need > r->start_cap) {
        lethe_free(r->start);
        r->start_cap = 0;
        r->start = lethe_alloc(need + need / 2, sizeof *r->start);
        if (!r->start) return false;
        r->start_cap = need + need / 2;
    }
    memset(r->start, 0, need * sizeof *r->start);
    for (size_t i = 0; i < r->n; i++)
        r->start[r->group[i] + 1]++;
    for (uint32_t g = 0; g < r->n_groups; g++)
        r->start[g + 1] += r->start[g];
    for (size_t i = 0; i < r->n; i++)
        r->row[r->start[r->group[i]]++] = (uint32_t)i;
    return true;
}

/* Parts the groups by the column's values, which are below n_values. */
static bool refine(refinement *r, const uint32_t *code, uint32_t n_values)
{
    struct seen {
        uint32_t in, group;
    } *seen = lethe_alloc(n_values, sizeof *seen);
    if (!seen || !rows_gather(r)) {
        lethe_free(seen);
        return false;
    }
    memset(seen, 0xff, n_values * sizeof *seen);
    uint32_t n_groups = 0;
    size_t at = 0;
    for (uint32_t g = 0; g < r->n_groups; g++)
        for (; at < r->start[g]; at++) {
            uint32_t row = r->row[at];
            struct seen *s = &seen[code[row]];
            if (s->in != g) *s = (struct seen){g, n_groups++};
            r->group[row] = s->group;
        }
    r->n_groups = n_groups;
    lethe_free(seen);
    return true;
}

/* --- groups of rows --- */

/* Numbers the groups by their first rows. */
static bool groups_number(refinement *r)
{
    uint32_t *number = lethe_alloc(r->n_groups, sizeof *number), n = 0;
    if (!number) return false;
    memset(number, 0xff, r->n_groups * sizeof *number);
    for (size_t i = 0; i < r->n; i++) {
        uint32_t *to = &number[r->group[i]];
        if (*to == LETHE_NONE) *to = n++;
        r->group[i] = *to;
    }
    lethe_free(number);
    return true;
}

/* Where each group begins, after rows_gather has moved each beginning to its end. */
static uint32_t *starts_of(const refinement *r)
{
    uint32_t *start = lethe_alloc((size_t)r->n_groups + 1, sizeof *start);
    if (!start) return NULL;
    start[0] = 0;
    if (r->n_groups > 0) memcpy(start + 1, r->start, r->n_groups * sizeof *start);
    return start;
}

lethe_err lethe_row_groups_make(lethe_ctx *ctx, const lethe_published_table *t,
                                const uint32_t *column, size_t n_columns, lethe_row_groups *out)
{
    refinement r;
    bool ok = refinement_begin(&r, t->n), cancelled = false;
    for (size_t i = 0; ok && !cancelled && i < n_columns; i++) {
        const lethe_published_column *c = &t->column[column[i]];
        cancelled = lethe_ctx_cancelled(ctx);
        if (!cancelled) ok = refine(&r, c->code, lethe_dict_count(c->values));
        lethe_ctx_advance(ctx, 1);
    }
    ok = ok && !cancelled && groups_number(&r) && rows_gather(&r);
    uint32_t *start = ok ? starts_of(&r) : NULL;
    if (start) {
        *out = (lethe_row_groups){.n = r.n_groups, .start = start, .row = r.row};
        r.row = NULL;
    }
    refinement_free(&r);
    if (cancelled) return LETHE_ECANCEL;
    return start ? LETHE_OK : lethe_no_memory(ctx);
}

void lethe_row_groups_free(lethe_row_groups *g) { lethe_free_all(g->start, g->row); }

/* Groups of one row. */
static bool groups_alone(const refinement *r, uint64_t *out)
{
    uint32_t *size = lethe_alloc_zero(r->n_groups, sizeof *size);
    if (!size) return false;
    for (size_t i = 0; i < r->n; i++)
        size[r->group[i]]++;
    *out = 0;
    for (uint32_t g = 0; g < r->n_groups; g++)
        *out += size[g] == 1;
    lethe_free(size);
    return true;
}

lethe_err lethe_unique_rows_count(lethe_ctx *ctx, const lethe_published_table *t,
                                  const uint32_t *column, size_t n_columns, uint64_t *unique)
{
    refinement r;
    bool ok = refinement_begin(&r, t->n), cancelled = false;
    for (size_t i = 0; ok && !cancelled && i < n_columns; i++) {
        const lethe_published_column *c = &t->column[column[i]];
        cancelled = lethe_ctx_cancelled(ctx);
        ok = refine(&r, c->code, lethe_dict_count(c->values)) && groups_alone(&r, &unique[i]);
    }
    refinement_free(&r);
    if (cancelled) return LETHE_ECANCEL;
    return ok ? LETHE_OK : lethe_no_memory(ctx);
}

void lethe_group_sizes_count(const lethe_row_groups *g, lethe_group_sizes *out)
{
    *out = (lethe_group_sizes){.groups = g->n, .smallest = g->n > 0 ? UINT64_MAX : 0};
    for (size_t i = 0; i < g->n; i++) {
        uint64_t size = g->start[i + 1] - g->start[i];
        size_t bucket = lethe_bucket_of(size);
        out->rows += size;
        out->smallest = LETHE_MIN(out->smallest, size);
        out->largest = LETHE_MAX(out->largest, size);
        out->unique += size == 1;
        if (size < LETHE_RISK_SIZE) out->at_risk += size;
        out->groups_by_size[bucket]++;
        out->rows_by_size[bucket] += size;
    }
}

/* --- against a population --- */

/* By number of a value in the population: its number in the table, or LETHE_NONE. */
static uint32_t *values_match(const lethe_dict *table, const lethe_dict *population)
{
    uint32_t n = lethe_dict_count(population), *match = lethe_alloc(n, sizeof *match);
    for (uint32_t v = 0; match && v < n; v++)
        match[v] = lethe_dict_find(table, lethe_dict_at(population, v));
    return match;
}

/* The table's rows, and behind them those of the population; a value that the table lacks gets the
 * number behind all others, whose groups hold no row of the table. */
static bool population_refine(refinement *r, const lethe_published_column *mine, size_t n,
                              const lethe_published_column *theirs, uint32_t *code)
{
    uint32_t n_values = lethe_dict_count(mine->values),
             *match = values_match(mine->values, theirs->values);
    if (!match) return false;
    memcpy(code, mine->code, n * sizeof *code);
    for (size_t i = n; i < r->n; i++)
        code[i] = LETHE_MIN(match[theirs->code[i - n]], n_values);
    lethe_free(match);
    return refine(r, code, n_values + 1);
}

static bool population_sum(const refinement *r, size_t n, lethe_population_risk *out)
{
    struct sizes {
        uint32_t mine, theirs;
    } *size = lethe_alloc_zero(r->n_groups, sizeof *size);
    if (!size) return false;
    for (size_t i = 0; i < r->n; i++)
        ++*(i < n ? &size[r->group[i]].mine : &size[r->group[i]].theirs);
    *out = (lethe_population_risk){.rows = r->n - n, .smallest = UINT64_MAX};
    for (uint32_t g = 0; g < r->n_groups; g++) {
        uint64_t mine = size[g].mine, theirs = LETHE_MAX(mine, size[g].theirs);
        if (mine == 0) continue;
        out->lacking += size[g].theirs < mine;
        out->smallest = LETHE_MIN(out->smallest, theirs);
        out->mean += (double)mine / (double)theirs;
        if (theirs < LETHE_RISK_SIZE) out->at_risk += mine;
    }
    out->mean /= (double)n;
    lethe_free(size);
    return true;
}

lethe_err lethe_population_risk_count(lethe_ctx *ctx, const lethe_published_table *t,
                                      const uint32_t *column,
                                      const lethe_published_table *population, const uint32_t *of,
                                      size_t n_columns, lethe_population_risk *out)
{
    refinement r = {0};
    size_t n = t->n + population->n;
    bool ok = n < LETHE_NONE, cancelled = false;
    uint32_t *code = ok ? lethe_alloc(n, sizeof *code) : NULL;
    ok = code && refinement_begin(&r, n);
    for (size_t i = 0; ok && !cancelled && i < n_columns; i++) {
        cancelled = lethe_ctx_cancelled(ctx);
        ok = population_refine(&r, &t->column[column[i]], t->n, &population->column[of[i]], code);
    }
    if (ok && !cancelled) ok = population_sum(&r, t->n, out);
    refinement_free(&r);
    lethe_free(code);
    if (cancelled) return LETHE_ECANCEL;
    return ok ? LETHE_OK : lethe_no_memory(ctx);
}

/* --- sensitive values --- */

/* How often each value is in the table and in the group at hand. */
typedef struct diversity {
    const lethe_published_column *sa;
    uint32_t starred;
    uint64_t rows;
    uint32_t *in_table, *in_group;
    uint32_t *met; /* the values of the group */
} diversity;

static void group_add(diversity *d, const uint32_t *row, uint32_t n, lethe_group_diversity *out)
{
    uint32_t n_met = 0;
    uint64_t different = 0;
    double entropy = 0, distance = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = d->sa->code[row[i]];
        if (d->in_group[v]++ == 0) d->met[n_met++] = v;
    }
    for (uint32_t i = 0; i < n_met; i++) {
        uint32_t v = d->met[i], with = d->in_group[v];
        double p = (double)with / n, q = (double)d->in_table[v] / (double)d->rows;
        d->in_group[v] = 0;
        entropy -= p * log(p);
        // half the sum of all differences is the sum of the positive ones
        if (p > q) distance += p - q;
        if (v == d->starred) continue;
        different++;
        if ((uint64_t)with * out->of > out->with * (uint64_t)n || out->of == 0) {
            out->with = with;
            out->of = n;
        }
    }
    if (different > 0) out->distinct_l = LETHE_MIN(out->distinct_l, different);
    out->entropy_l = fmin(out->entropy_l, exp(entropy));
    out->t = fmax(out->t, distance);
}

lethe_err lethe_diversity_count(lethe_ctx *ctx, const lethe_row_groups *g,
                                const lethe_published_column *sa, lethe_group_diversity *out)
{
    uint32_t n_values = lethe_dict_count(sa->values);
    diversity d = {.sa = sa,
                   .starred = lethe_dict_find(sa->values, LETHE_LIT(LETHE_STARRED)),
                   .rows = g->start[g->n],
                   .in_table = lethe_alloc_zero(n_values, sizeof *d.in_table),
                   .in_group = lethe_alloc_zero(n_values, sizeof *d.in_group),
                   .met = lethe_alloc(n_values, sizeof *d.met)};
    bool ok = d.in_table && d.in_group && d.met;
    *out = (lethe_group_diversity){
        .distinct_l = UINT64_MAX, .entropy_l = INFINITY, .starred = d.starred != LETHE_NONE};
    for (uint64_t i = 0; ok && i < d.rows; i++)
        d.in_table[sa->code[i]]++;
    for (size_t i = 0; ok && i < g->n; i++)
        group_add(&d, g->row + g->start[i], g->start[i + 1] - g->start[i], out);
    lethe_free_all(d.in_table, d.in_group, d.met);
    return ok ? LETHE_OK : lethe_no_memory(ctx);
}
