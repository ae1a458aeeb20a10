/* SPDX-License-Identifier: Apache-2.0 */
/* publish_table.c - rows of a table become lines of CSV, sorted by their bytes. */
#include "release/publish/publish_table.h"
#include "core/mem.h"
#include "io/read/fields.h"
#include "model/records/record_map.h"
#include "model/table/numbers.h"
#include "release/publish/lines.h"
#include <stdio.h>
#include <stdlib.h>

enum { WRITE_BYTES = 1 << 16 };

typedef struct published {
    uint64_t start; /* its line in `text`, LF aside */
    uint32_t n;
    uint32_t from; /* row of the input */
} published;

/* The ranges of values of a quasi-identifier: range i is node tree->n + i. */
typedef struct ranges {
    lethe_dict *names;
    lethe_u32s low, high; /* leaves */
} ranges;

struct lethe_table_publisher {
    lethe_ctx *ctx;
    const lethe_table *t;
    lethe_arena *arena;
    published *at;
    size_t n;
    uint8_t *given;  /* by row */
    uint8_t **shown; /* by quasi-identifier and node: is the value published? */
    ranges *range;   /* by quasi-identifier */
    uint8_t *told;   /* by sensitive value: is it published? */
    lethe_theta *theta;
    lethe_buf text; /* lines, one after the other */
};

void lethe_table_publisher_free(void *publisher)
{
    lethe_table_publisher *p = publisher;
    if (!p) return;
    for (size_t i = 0; i < p->t->n_qi; i++)
        lethe_dict_free(p->range[i].names);
    lethe_buf_free(&p->text);
    lethe_arena_free(p->arena);
}

lethe_err lethe_table_publisher_new(lethe_ctx *ctx, const lethe_table *t, void **out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_table_publisher *p = a ? lethe_new(a, lethe_table_publisher, 1) : NULL;
    if (p) {
        *p = (lethe_table_publisher){.ctx = ctx, .t = t, .arena = a};
        p->at = lethe_new(a, published, t->n);
        p->given = lethe_new(a, uint8_t, t->n);
        p->shown = lethe_new(a, uint8_t *, t->n_qi);
        p->range = lethe_new(a, ranges, t->n_qi);
        p->told = lethe_new(a, uint8_t, t->sa ? lethe_dict_count(t->sa->values) + 1 : 1);
    }
    bool made = p && p->at && p->given && p->shown && p->range && p->told;
    for (size_t i = 0; made && i < t->n_qi; i++)
        made = (p->shown[i] = lethe_new(a, uint8_t, t->qi[i].tree->n)) != NULL;
    if (!made) {
        lethe_arena_free(a);
        return lethe_no_memory(ctx);
    }
    *out = p;
    return LETHE_OK;
}

/* --- taking rows --- */

/* A column that is no quasi-identifier. */
static const lethe_column *other_column(const lethe_table *t, uint32_t column)
{
    size_t class = t->n_qi + t->n_sa;
    return column < class    ? &t->sa[column - t->n_qi]
           : column == class ? t->class
                             : &t->keep[column - class - 1];
}

lethe_err lethe_table_publisher_range(lethe_table_publisher *p, size_t qi, uint32_t low,
                                      uint32_t high, uint32_t *node)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_table *t = p->t;
    bool good = qi < t->n_qi && t->qi[qi].position && low <= high && high < t->qi[qi].tree->n &&
                lethe_tree_is_leaf(t->qi[qi].tree, low) && lethe_tree_is_leaf(t->qi[qi].tree, high);
    if (!good) return lethe_fail(d, LETHE_EINTERNAL, LETHE_FAULT "a published range is no range");
    const lethe_tree *tree = t->qi[qi].tree;
    ranges *r = &p->range[qi];
    char text[LETHE_SPAN_TEXT];
    lethe_span s = {{0}, {0}};
    uint32_t id;
    if (low == high || high - low + 2 == tree->n) { // a number, or all of them
        *node = low == high ? low : 0;
        return LETHE_OK;
    }
    if (!lethe_number_parse(lethe_tree_name(tree, low), &s.low) ||
        !lethe_number_parse(lethe_tree_name(tree, high), &s.high))
        return lethe_fail(d, LETHE_EINTERNAL, LETHE_FAULT "the end of a range is no number");
    if (!r->names) r->names = lethe_dict_new();
    if (!r->names ||
        lethe_dict_add(r->names, (lethe_str){text, lethe_span_print(s, text)}, &id) != LETHE_OK)
        return lethe_no_memory(d);
    if (id == r->low.n && (lethe_u32s_append(p->arena, &r->low, &low, 1) != LETHE_OK ||
                           lethe_u32s_append(p->arena, &r->high, &high, 1) != LETHE_OK))
        return lethe_no_memory(d);
    *node = tree->n + id;
    return LETHE_OK;
}

/* Does the published node, or range of values, stand for the leaf? */
static bool generalizes(const lethe_table_publisher *p, size_t qi, uint32_t node, uint32_t leaf)
{
    const lethe_tree *t = p->t->qi[qi].tree;
    const ranges *r = &p->range[qi];
    if (node < t->n) return lethe_tree_covers(t, node, leaf);
    return node - t->n < r->low.n && r->low.at[node - t->n] <= leaf &&
           leaf <= r->high.at[node - t->n];
}

static lethe_str node_name(const lethe_table_publisher *p, size_t qi, uint32_t node)
{
    const lethe_tree *t = p->t->qi[qi].tree;
    return node < t->n ? lethe_tree_name(t, node) : lethe_dict_at(p->range[qi].names, node - t->n);
}

lethe_err lethe_table_publisher_put(lethe_table_publisher *p, size_t from, const uint32_t *node,
                                    bool starred)
{
    const lethe_table *t = p->t;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (from >= t->n || p->given[from])
        return lethe_fail(d, LETHE_EINTERNAL,
                          LETHE_FAULT "a row is published twice, or does not exist");
    for (size_t a = 0; a < t->n_qi; a++)
        if (!generalizes(p, a, node[a], t->qi[a].leaf[from]))
            return lethe_fail(d, LETHE_EINTERNAL,
                              LETHE_FAULT "a published value does not generalize the row's own");
    if (starred && !t->sa)
        return lethe_fail(d, LETHE_EINTERNAL,
                          LETHE_FAULT "a value is starred, and there is no sensitive column");
    size_t start = p->text.n;
    for (size_t i = 0; i < t->n_order; i++) {
        uint32_t column = t->order[i];
        const lethe_column *c = column < t->n_qi ? NULL : other_column(t, column);
        lethe_str field = !c                      ? node_name(p, column, node[column])
                          : c == t->sa && starred ? LETHE_LIT(LETHE_STARRED)
                                                  : lethe_dict_at(c->values, c->code[from]);
        lethe_err e = i > 0 ? lethe_buf_put(&p->text, ",", 1) : LETHE_OK;
        if (e == LETHE_OK)
            e = t->n_order == 1 && field.n == 0
                    ? lethe_buf_put(&p->text, "\"\"", 2) // an empty line is no row
                    : lethe_csv_put(&p->text, field, ',');
        if (e != LETHE_OK) return lethe_no_memory(d);
    }
    if (p->text.n - start > UINT32_MAX) return lethe_no_memory(d);
    for (size_t a = 0; a < t->n_qi; a++)
        if (node[a] < t->qi[a].tree->n) p->shown[a][node[a]] = 1; // a range is made to be shown
    if (t->sa && !starred) p->told[t->sa->code[from]] = 1;
    p->given[from] = 1;
    p->at[p->n++] = (published){start, (uint32_t)(p->text.n - start), (uint32_t)from};
    return LETHE_OK;
}

lethe_err lethe_table_publisher_thetas(lethe_table_publisher *p, const lethe_theta *theta)
{
    size_t n = p->t->sa ? lethe_dict_count(p->t->sa->values) : 0;
    p->theta = lethe_new(p->arena, lethe_theta, n);
    if (!p->theta) return lethe_no_memory(p->ctx);
    memcpy(p->theta, theta, n * sizeof *theta);
    return LETHE_OK;
}

static int by_bytes(const void *a, const void *b, void *arg)
{
    const published *x = a, *y = b;
    const uint8_t *text = ((const lethe_table_publisher *)arg)->text.at;
    uint32_t n = LETHE_MIN(x->n, y->n);
    int c = memcmp(text + x->start, text + y->start, n);
    if (c == 0) c = (x->n > y->n) - (x->n < y->n);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

lethe_err lethe_table_publisher_finish(void *publisher)
{
    lethe_table_publisher *p = publisher;
    qsort_r(p->at, p->n, sizeof *p->at, by_bytes, p);
    return LETHE_OK;
}

size_t lethe_table_publisher_count(const lethe_table_publisher *p) { return p->n; }
bool lethe_table_publisher_has_thetas(const lethe_table_publisher *p) { return p->theta != NULL; }

/* --- writing --- */

lethe_err lethe_table_publisher_data(void *publisher, lethe_sink *to)
{
    lethe_table_publisher *p = publisher;
    lethe_buf buf = {0};
    const lethe_table *t = p->t;
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < t->n_order && e == LETHE_OK; i++) {
        uint32_t column = t->order[i];
        if (i > 0) e = lethe_buf_put(&buf, ",", 1);
        if (e == LETHE_OK)
            e = lethe_csv_put(
                &buf, column < t->n_qi ? t->qi[column].name : other_column(t, column)->name, ',');
    }
    if (e == LETHE_OK) e = lethe_buf_put(&buf, "\n", 1);
    for (size_t i = 0; i < p->n && e == LETHE_OK; i++) {
        e = lethe_buf_put(&buf, p->text.at + p->at[i].start, p->at[i].n);
        if (e == LETHE_OK) e = lethe_buf_put(&buf, "\n", 1);
        if (e == LETHE_OK) e = lethe_lines_flush(to, &buf, WRITE_BYTES);
        if (e == LETHE_OK && i % WRITE_BYTES == 0 && lethe_ctx_cancelled(p->ctx)) e = LETHE_ECANCEL;
    }
    return lethe_lines_end(p->ctx, e, to, &buf);
}

static lethe_err put_node(lethe_str column, const lethe_tree *t, uint32_t v, lethe_buf *to)
{
    LETHE_TRY(lethe_buf_str(to, column));
    LETHE_TRY(lethe_buf_put(to, "=", 1));
    return lethe_buf_str(to, lethe_tree_name(t, v));
}

/* The nodes that are published, and all above them, each behind its parent. */
static lethe_err put_hierarchy(lethe_str column, const lethe_tree *t, uint8_t *shown, lethe_buf *to)
{
    char leaves[32];
    for (uint32_t v = t->n; v-- > 1;)
        if (shown[v]) shown[t->parent[v]] = 1;
    for (uint32_t v = 0; v < t->n; v++) {
        if (!shown[v]) continue;
        LETHE_TRY(put_node(column, t, v, to));
        LETHE_TRY(lethe_buf_put(to, "\t", 1));
        if (v > 0) LETHE_TRY(put_node(column, t, t->parent[v], to));
        int n = snprintf(leaves, sizeof leaves, "\t%lu\n", (unsigned long)t->leaves[v]);
        LETHE_TRY(lethe_buf_put(to, leaves, (size_t)n));
    }
    return LETHE_OK;
}

static lethe_err put_name(const lethe_qi *qi, lethe_str name, lethe_buf *to)
{
    LETHE_TRY(lethe_buf_str(to, qi->name));
    LETHE_TRY(lethe_buf_put(to, "=", 1));
    return lethe_buf_str(to, name);
}

typedef struct range_line {
    uint32_t low, high, node;
} range_line;

static int by_ends(const void *a, const void *b)
{
    const range_line *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

/* The range of all values, and below it those that are published, rising; a range of one value is
 * that value.  They may overlap. */
static lethe_err put_ranges(const lethe_table_publisher *p, size_t a, range_line *line,
                            lethe_buf *to)
{
    const lethe_qi *qi = &p->t->qi[a];
    const ranges *r = &p->range[a];
    lethe_str root = lethe_tree_name(qi->tree, 0);
    char leaves[32];
    size_t n = 0;
    line[n++] = (range_line){0, qi->tree->n - 1, 0};
    for (uint32_t v = 1; v < qi->tree->n; v++)
        if (p->shown[a][v]) line[n++] = (range_line){v, v, v};
    for (uint32_t i = 0; i < r->low.n; i++)
        line[n++] = (range_line){r->low.at[i], r->high.at[i], qi->tree->n + i};
    qsort(line + 1, n - 1, sizeof *line, by_ends);
    for (size_t i = 0; i < n; i++) {
        uint32_t below = i == 0 ? qi->tree->leaves[0] : line[i].high - line[i].low + 1;
        int len = snprintf(leaves, sizeof leaves, "\t%lu\n", (unsigned long)below);
        LETHE_TRY(put_name(qi, node_name(p, a, line[i].node), to));
        LETHE_TRY(lethe_buf_put(to, "\t", 1));
        if (i > 0) LETHE_TRY(put_name(qi, root, to));
        LETHE_TRY(lethe_buf_put(to, leaves, (size_t)len));
    }
    return LETHE_OK;
}

static lethe_err put_column(const lethe_table_publisher *p, size_t a, lethe_buf *to)
{
    const lethe_qi *qi = &p->t->qi[a];
    if (!qi->position) return put_hierarchy(qi->name, qi->tree, p->shown[a], to);
    range_line *line = lethe_alloc(qi->tree->n + p->range[a].low.n, sizeof *line);
    lethe_err e = line ? put_ranges(p, a, line, to) : LETHE_ENOMEM;
    lethe_free(line);
    return e;
}

lethe_err lethe_table_publisher_tree(void *publisher, lethe_sink *to)
{
    lethe_table_publisher *p = publisher;
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    for (size_t a = 0; a < p->t->n_qi && e == LETHE_OK; a++)
        e = put_column(p, a, &buf);
    return lethe_lines_end(p->ctx, e, to, &buf);
}

bool lethe_table_publisher_has_sensitive(const lethe_table_publisher *p)
{
    bool has = false;
    for (size_t k = 0; k < p->t->n_sa; k++)
        has = has || p->t->sa[k].tree;
    return has;
}

static lethe_err put_sensitive(const lethe_table_publisher *p, const lethe_column *c, lethe_buf *to)
{
    uint8_t *shown = lethe_alloc_zero(c->tree->n, 1);
    lethe_err e = shown ? LETHE_OK : LETHE_ENOMEM;
    for (size_t i = 0; e == LETHE_OK && i < p->n; i++)
        shown[c->leaf[c->code[p->at[i].from]]] = 1;
    if (e == LETHE_OK) e = put_hierarchy(c->name, c->tree, shown, to);
    lethe_free(shown);
    return e;
}

lethe_err lethe_table_publisher_sensitive(void *publisher, lethe_sink *to)
{
    lethe_table_publisher *p = publisher;
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    for (size_t k = 0; k < p->t->n_sa && e == LETHE_OK; k++)
        if (p->t->sa[k].tree) e = put_sensitive(p, &p->t->sa[k], &buf);
    return lethe_lines_end(p->ctx, e, to, &buf);
}

/* As the lines of two values compare: the shorter one goes on with a tab. */
static int by_line(const void *a, const void *b, void *arg)
{
    lethe_str x = lethe_dict_at(arg, *(const uint32_t *)a),
              y = lethe_dict_at(arg, *(const uint32_t *)b);
    size_t n = LETHE_MIN(x.n, y.n);
    int c = memcmp(x.at, y.at, n);
    if (c != 0 || x.n == y.n) return c;
    bool x_ends = x.n < y.n;
    bool tab_first = '\t' < (uint8_t)(x_ends ? y.at[n] : x.at[n]);
    return tab_first == x_ends ? -1 : 1;
}

static lethe_err put_thetas(const lethe_table_publisher *p, uint32_t *value, lethe_buf *to)
{
    lethe_dict *names = p->t->sa->values;
    char text[LETHE_THETA_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < lethe_dict_count(names); i++)
        if (p->told[i]) value[n++] = i;
    qsort_r(value, n, sizeof *value, by_line, names);
    for (uint32_t i = 0; i < n; i++) {
        lethe_theta_print(p->theta[value[i]], text);
        LETHE_TRY(lethe_buf_str(to, lethe_dict_at(names, value[i])));
        LETHE_TRY(lethe_buf_put(to, "\t", 1));
        LETHE_TRY(lethe_buf_str(to, lethe_str_of(text)));
        LETHE_TRY(lethe_buf_put(to, "\n", 1));
    }
    return LETHE_OK;
}

lethe_err lethe_table_publisher_theta(void *publisher, lethe_sink *to)
{
    lethe_table_publisher *p = publisher;
    lethe_buf buf = {0};
    uint32_t *value = lethe_alloc(lethe_dict_count(p->t->sa->values) + 1, sizeof *value);
    if (!value) return lethe_no_memory(p->ctx);
    lethe_err e = put_thetas(p, value, &buf);
    lethe_free(value);
    return lethe_lines_end(p->ctx, e, to, &buf);
}

lethe_err lethe_table_publisher_map(void *publisher, lethe_sink *to)
{
    lethe_table_publisher *p = publisher;
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    uint64_t *row = lethe_alloc(p->t->n + 1, sizeof *row);
    if (!row) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < p->t->n; i++)
        row[i] = LETHE_NOT_PUBLISHED;
    for (size_t i = 0; i < p->n; i++)
        row[p->at[i].from] = i;
    for (size_t i = 0; i < p->t->n && e == LETHE_OK; i++) {
        e = lethe_table_map_put(p->t, i, row[i], &buf);
        if (e == LETHE_OK) e = lethe_lines_flush(to, &buf, WRITE_BYTES);
    }
    lethe_free(row);
    return lethe_lines_end(p->ctx, e, to, &buf);
}
