/* SPDX-License-Identifier: Apache-2.0 */
/* table_view.c - a published table column by column, and by the sizes of its groups: what was lost,
 * how many rows have each value before and after, and how likely a row is to be found.
 *
 * Loss is NCP: the mean over all cells of the original's quasi-identifiers of how general the
 * published value is, from 0 to 1; a row that was deleted counts 1 in each.
 *
 * Risk is that of a prosecutor, who knows that a person is in the table, and looks for the row: one
 * divided by the rows that look alike.  Its mean is the share of rows that a marketer would find,
 * who tries it on all.  After, a person who fits several groups has more candidates than this
 * counts: it is an upper bound.
 *
 * Counts of a published value: rows of the original at or below it; published rows with it or with
 * one below it; and published rows with a value above it, which may belong there too. */
#include "measure/measure.h"
#include "core/sort.h"
#include "io/json/json.h"
#include "model/records/record_map.h"
#include "model/table/table_beside.h"
#include <math.h>
#include <stdlib.h>

enum {
    VALUES_SHOWN = 100, /* of a column; those with most rows */
    SPAN_BINS = 10,
    DOUBTS = 10 /* a count is left out where more than this part of all rows is in doubt */
};

struct measurement {
    lethe_comparison *c;
    lethe_table_beside *b;
    lethe_arena *arena;
    double *loss; /* by quasi-identifier */
};

/* --- loss --- */

static lethe_err loss_count(struct measurement *m)
{
    const lethe_table_beside *b = m->b;
    m->loss = lethe_new(m->arena, double, b->original->n_qi);
    if (!m->loss) return lethe_no_memory(m->c->ctx);
    for (size_t a = 0; a < b->original->n_qi; a++) {
        const lethe_published_column *column = b->qi[a].column;
        uint32_t n = lethe_dict_count(column->values);
        uint64_t *often = lethe_new(m->arena, uint64_t, (size_t)n + 1);
        if (!often) return lethe_no_memory(m->c->ctx);
        for (size_t i = 0; i < b->published->n; i++)
            often[column->code[i]]++;
        double sum = (double)b->n_deleted; // sums of equal terms are multiplied: less is rounded
        for (uint32_t v = 0; v < n; v++)
            sum += (double)often[v] * b->qi[a].lm[v];
        m->loss[a] = sum / (double)b->original->n;
    }
    return LETHE_OK;
}

/* --- counts by value --- */

struct value_row {
    lethe_str value;
    uint64_t original, original_perhaps, published, perhaps;
    bool is_known; /* `original` is, but for few rows */
};

static int by_rows(const void *a, const void *b)
{
    const struct value_row *x = a, *y = b;
    uint64_t n = LETHE_MAX(x->original, x->published), k = LETHE_MAX(y->original, y->published);
    if (n != k) return n > k ? -1 : 1;
    return lethe_str_cmp(x->value, y->value);
}

static void values_put(lethe_json_doc *doc, lethe_json *out, const struct value_row *row, size_t n)
{
    lethe_json *list = lethe_json_array(doc);
    for (size_t i = 0; i < n && i < VALUES_SHOWN; i++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "value", lethe_json_new_text(doc, row[i].value));
        if (row[i].is_known) lethe_set_count(doc, o, "original", row[i].original);
        if (row[i].is_known && row[i].original_perhaps)
            lethe_set_count(doc, o, "original_perhaps", row[i].original_perhaps);
        lethe_set_count(doc, o, "published", row[i].published);
        if (row[i].perhaps) lethe_set_count(doc, o, "perhaps", row[i].perhaps);
        lethe_json_push(doc, list, o);
    }
    lethe_json_set(doc, out, "values", list);
    if (n > VALUES_SHOWN) lethe_set_count(doc, out, "values_left_out", n - VALUES_SHOWN);
}

static void values_set(lethe_json_doc *doc, lethe_json *out, struct value_row *row, size_t n)
{
    if (n > 0) qsort(row, n, sizeof *row, by_rows);
    values_put(doc, out, row, n);
}

/* Published values that stand in a hierarchy. */
static void tree_count(const lethe_table *t, size_t a, const lethe_beside_qi *qi,
                       const uint64_t *often, struct value_row *row, uint32_t n)
{
    for (size_t i = 0; i < t->n; i++)
        for (uint32_t v = qi->lowest[t->qi[a].leaf[i]]; v != LETHE_NONE; v = qi->next[v])
            row[v].original++;
    for (uint32_t v = 0; v < n; v++) {
        row[v].published += often[v];
        for (uint32_t u = qi->next[v]; u != LETHE_NONE; u = qi->next[u]) {
            row[u].published += often[v];
            row[v].perhaps += often[u];
        }
    }
}

static uint32_t bin_of(const lethe_qi *qi, uint32_t leaf)
{
    double x = qi->position[leaf] * SPAN_BINS;
    return x < SPAN_BINS ? (uint32_t)x : SPAN_BINS - 1;
}

/* Ranges of values differ from group to group: their numbers are counted in parts of the whole
 * range, all of one width.  Published ranges lie in a part, or in several. */
static lethe_err spans_set(const struct measurement *m, size_t a, lethe_json_doc *doc,
                           lethe_json *out)
{
    const lethe_table *t = m->b->original;
    const lethe_qi *own = &t->qi[a];
    const lethe_beside_qi *qi = &m->b->qi[a];
    struct value_row row[SPAN_BINS] = {0};
    lethe_str low[SPAN_BINS] = {{0}}, high[SPAN_BINS] = {{0}};
    uint32_t *bin = lethe_new(m->arena, uint32_t, (size_t)qi->n_places + 1), n = 0;
    bool is_used[SPAN_BINS] = {false};
    if (!bin) return lethe_no_memory(m->c->ctx);
    for (uint32_t v = 0; v < own->tree->n; v++) { // leaves rise
        if (!lethe_tree_is_leaf(own->tree, v)) continue;
        uint32_t k = bin[qi->place[v]] = bin_of(own, v);
        if (!is_used[k]) low[k] = lethe_tree_name(own->tree, v);
        high[k] = lethe_tree_name(own->tree, v);
        is_used[k] = true;
    }
    for (size_t i = 0; i < t->n; i++)
        row[bin[qi->place[own->leaf[i]]]].original++;
    for (size_t i = 0; i < m->b->published->n; i++) {
        uint32_t v = qi->column->code[i], from = bin[qi->low[v]], to = bin[qi->high[v] - 1];
        row[from].published += from == to;
        for (uint32_t k = from; from != to && k <= to; k++)
            row[k].perhaps++;
    }
    for (uint32_t k = 0; k < SPAN_BINS; k++) {
        if (!is_used[k]) continue;
        bool one = lethe_str_eq(low[k], high[k]);
        char *name = lethe_arena_printf(m->arena, "%.*s%s%.*s", (int)low[k].n, low[k].at,
                                        one ? "" : "-", one ? 0 : (int)high[k].n, high[k].at);
        if (!name) return lethe_no_memory(m->c->ctx);
        row[n] = row[k];
        row[n].is_known = true;
        row[n++].value = lethe_str_of(name);
    }
    values_put(doc, out, row, n);
    return LETHE_OK;
}

static lethe_err quasi_set(const struct measurement *m, size_t a, lethe_json_doc *doc,
                           lethe_json *o, bool *is_known)
{
    const lethe_table_beside *b = m->b;
    const lethe_beside_qi *qi = &b->qi[a];
    const lethe_published_column *column = qi->column;
    uint32_t n = lethe_dict_count(column->values), unknown = 0;
    if (qi->kind == LETHE_BESIDE_SPANS) return spans_set(m, a, doc, o);
    uint64_t *often = lethe_new(m->arena, uint64_t, (size_t)n + 1);
    struct value_row *row = lethe_new(m->arena, struct value_row, (size_t)n + 1);
    if (!often || !row) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < b->published->n; i++)
        often[column->code[i]]++;
    for (uint32_t v = 0; v < n; v++) {
        row[v].value = lethe_dict_at(column->values, v);
        row[v].original_perhaps = lethe_beside_perhaps(qi, v);
        row[v].is_known = row[v].original_perhaps <= b->original->n / DOUBTS;
        unknown += !row[v].is_known;
    }
    tree_count(b->original, a, qi, often, row, n);
    for (uint32_t v = 0; v < n; v++)
        if (!row[v].is_known) row[v].original = 0;
    *is_known = unknown == 0;
    values_set(doc, o, row, n);
    return LETHE_OK;
}

/* A column that is published as it is. */
static lethe_err plain_set(const struct measurement *m, const lethe_column *original,
                           const lethe_published_column *published, const char *role,
                           lethe_json_doc *doc, lethe_json *list)
{
    uint32_t n = lethe_dict_count(original->values), more = lethe_dict_count(published->values);
    uint32_t *number = lethe_dict_translate(m->arena, original->values, published->values);
    struct value_row *row = lethe_new(m->arena, struct value_row, (size_t)n + more + 1);
    if (!number || !row) return lethe_no_memory(m->c->ctx);
    for (uint32_t v = 0; v < n; v++)
        row[v].value = lethe_dict_at(original->values, v);
    for (uint32_t v = 0; v < more; v++)
        if (number[v] == LETHE_NONE) {
            number[v] = n;
            row[n++].value = lethe_dict_at(published->values, v);
        }
    for (uint32_t v = 0; v < n; v++)
        row[v].is_known = true;
    for (size_t i = 0; i < m->b->original->n; i++)
        row[original->code[i]].original++;
    for (size_t i = 0; i < m->b->published->n; i++)
        row[number[published->code[i]]].published++;
    lethe_json *o = lethe_json_object(doc);
    lethe_json_set(doc, o, "column", lethe_json_new_text(doc, original->name));
    lethe_set_text(doc, o, "role", role);
    values_set(doc, o, row, n);
    lethe_json_push(doc, list, o);
    return LETHE_OK;
}

static lethe_err columns_set(const struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_table_beside *b = m->b;
    const lethe_table *t = b->original;
    lethe_json *list = lethe_json_array(doc);
    const char *unknown = ""; // columns with counts that are left out
    for (size_t a = 0; a < t->n_qi; a++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "column", lethe_json_new_text(doc, t->qi[a].name));
        lethe_set_text(doc, o, "role", "quasi-identifier");
        lethe_set_real(doc, o, "loss", m->loss[a]);
        bool is_known = true;
        LETHE_TRY(quasi_set(m, a, doc, o, &is_known));
        lethe_json_push(doc, list, o);
        if (is_known) continue;
        unknown = lethe_arena_printf(m->arena, "%s%s%.*s", unknown, *unknown ? ", " : "",
                                     (int)t->qi[a].name.n, t->qi[a].name.at);
        if (!unknown) return lethe_no_memory(m->c->ctx);
    }
    if (*unknown)
        lethe_measure_left_out(doc, out,
                               "counts in the original (%s): the release does not show what is "
                               "below some published values (--hierarchies DIR%s would)",
                               unknown, m->c->map ? "" : " or --map FILE");
    for (size_t k = 0; k < b->n_sa; k++)
        LETHE_TRY(plain_set(m, &t->sa[k], b->sa[k], "sensitive", doc, list));
    if (b->class) LETHE_TRY(plain_set(m, t->class, b->class, "class", doc, list));
    for (size_t i = 0; i < t->n_keep; i++)
        if (b->keep[i]) LETHE_TRY(plain_set(m, &t->keep[i], b->keep[i], "kept", doc, list));
    lethe_json_set(doc, out, "columns", list);
    return LETHE_OK;
}

/* --- sizes of groups, and risk --- */

static const uint32_t size_from[] = {1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000};
enum { SIZES = LETHE_COUNT(size_from), RISKY = 5 }; /* smaller groups: a risk above 20 % */

struct sizes {
    uint64_t groups[SIZES], rows[SIZES], n_groups, n_rows, least, risky;
};

static void size_add(struct sizes *s, uint32_t size)
{
    size_t i = SIZES - 1;
    while (size_from[i] > size)
        i--;
    s->groups[i]++;
    s->rows[i] += size;
    s->n_groups++;
    s->n_rows += size;
    s->least = s->least ? LETHE_MIN(s->least, size) : size;
    s->risky += size < RISKY ? size : 0;
}

static void risk_set(lethe_json_doc *doc, lethe_json *out, const char *name, const struct sizes *s)
{
    lethe_json *o = lethe_json_object(doc);
    double n = (double)s->n_rows;
    lethe_set_real(doc, o, "highest", n > 0 ? 1 / (double)s->least : NAN);
    lethe_set_real(doc, o, "mean", n > 0 ? (double)s->n_groups / n : NAN);
    lethe_set_real(doc, o, "above_fifth", n > 0 ? (double)s->risky / n : NAN);
    lethe_set_real(doc, o, "unique", n > 0 ? (double)s->rows[0] / n : NAN);
    lethe_json_set(doc, out, name, o);
}

/* Rows of the original that are equal in all quasi-identifiers. */
static lethe_err original_sizes(const struct measurement *m, struct sizes *s)
{
    const lethe_table *t = m->b->original;
    const uint32_t **column = lethe_new(m->arena, const uint32_t *, t->n_qi);
    uint32_t *of = NULL, n = 0;
    lethe_dict *keys = lethe_dict_new();
    for (size_t a = 0; column && a < t->n_qi; a++)
        column[a] = t->qi[a].leaf;
    lethe_err e = keys && column ? lethe_rows_group(m->arena, keys, t->n, column, t->n_qi, &of, &n)
                                 : LETHE_ENOMEM;
    lethe_dict_free(keys);
    uint32_t *size = e == LETHE_OK ? lethe_new(m->arena, uint32_t, (size_t)n + 1) : NULL;
    if (!size) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < t->n; i++)
        size[of[i]]++;
    for (uint32_t g = 0; g < n; g++)
        size_add(s, size[g]);
    return LETHE_OK;
}

/* The k of the release's claim; 0: it has none. */
static int64_t claimed_k(const lethe_published *p)
{
    const lethe_json *claims = lethe_json_get(p->manifest, "claims");
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        if (lethe_str_eq(lethe_json_text(lethe_json_get(claim, "notion")),
                         LETHE_LIT("k-anonymity")))
            return lethe_json_int(lethe_json_get(claim, "k"));
    }
    return 0;
}

static lethe_err sizes_set(const struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_table_beside *b = m->b;
    struct sizes before = {0}, after = {0};
    LETHE_TRY(original_sizes(m, &before));
    for (uint32_t g = 0; g < b->n_groups; g++)
        size_add(&after, b->size[g]);
    int64_t k = claimed_k(m->c->published);
    if (k > 0 && b->n_groups > 0)
        lethe_set_real(doc, out, "group_size_over_k",
                       (double)after.n_rows / (double)after.n_groups / (double)k);
    lethe_json *list = lethe_json_array(doc);
    for (size_t i = 0; i < SIZES; i++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_set_count(doc, o, "from", size_from[i]);
        if (i + 1 < SIZES) lethe_set_count(doc, o, "to", size_from[i + 1] - 1);
        lethe_set_count(doc, o, "rows_before", before.rows[i]);
        lethe_set_count(doc, o, "groups", after.groups[i]);
        lethe_set_count(doc, o, "rows", after.rows[i]);
        lethe_json_push(doc, list, o);
    }
    lethe_json_set(doc, out, "group_sizes", list);
    risk_set(doc, out, "risk_before", &before);
    risk_set(doc, out, "risk_after", &after);
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err figures_set(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    m->arena = lethe_arena_new();
    if (!m->arena) return lethe_no_memory(m->c->ctx);
    LETHE_TRY(lethe_table_beside_open(m->c->published, m->c->original.table, &m->b));
    lethe_table_beside *b = m->b;
    if (m->c->map && lethe_beside_doubt(b) != LETHE_NONE) {
        uint64_t *row;
        LETHE_TRY(lethe_table_map_read(m->c->ctx, m->c->map, m->c->map_digest, b->original,
                                       b->published->n, m->arena, &row));
        if (lethe_beside_learn(b, row) != LETHE_OK) return lethe_no_memory(m->c->ctx);
    }
    LETHE_TRY(loss_count(m));
    double sum = 0;
    for (size_t a = 0; a < b->original->n_qi; a++)
        sum += m->loss[a];
    lethe_set_real(doc, out, "loss", sum / (double)b->original->n_qi);
    LETHE_TRY(sizes_set(m, doc, out));
    return columns_set(m, doc, out);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct measurement m = {.c = c};
    lethe_ctx_phase(c->ctx, "counting values", 0);
    lethe_err e = figures_set(&m, doc, out);
    lethe_table_beside_free(m.b);
    lethe_arena_free(m.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(m.c->ctx);
    return e;
}

static const lethe_option no_options[] = {{.name = NULL}};

static const lethe_figure figures[] = {
    {"loss",
     "NCP: how general the cells of quasi-identifiers are, from 0 to 1, averaged over all rows of "
     "the original; a deleted row counts 1",
     .better = -1, .label = "loss of a cell", .unit = "% on average", .kind = LETHE_FIGURE_SHARE},
    {"group_size_over_k", "the average size of a group divided by the k that is promised",
     .better = -1, .label = "average group", .unit = "times the k that is promised"},
    {"group_sizes", "rows by the size of their group (from, to): in the original, and published",
     .better = 0},
    {"risk_before",
     "how likely it is to find the row of a person whose quasi-identifiers are known, in the "
     "original: highest, mean (the share of rows that would be found if everybody was looked for), "
     "above_fifth (share of rows with more than 20 %), unique (share of rows with 100 %)",
     .better = 0},
    {"risk_after",
     "the same for published rows; where groups overlap a person may fit several, and to who does "
     "not know everybody else the risk is lower",
     .better = -1},
    {"columns",
     "for each column: its loss, and for each published value the rows of the original at or below "
     "it (original_perhaps: and so many more may be), the published rows with it or a value below "
     "it, and those with a value above it (perhaps)",
     .better = 0},
    {"left_out", "figures that could not be computed, and why", .better = 0},
    {.name = NULL},
};

const lethe_measure lethe_measure_columns = {
    .name = "columns",
    .summary = "loss and counts of each column of a table, sizes of groups, and risk",
    .shapes = LETHE_SHAPE_TABLE,
    .options = no_options,
    .figures = figures,
    .run = run,
};
