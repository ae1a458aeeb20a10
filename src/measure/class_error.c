/* SPDX-License-Identifier: Apache-2.0 */
/* class_error.c - what a published table still teaches: a decision tree learns classes from
 * quasi-identifiers of some rows and is tried on the others.  Liu 2010, figure 3.4(d).
 *
 * A column that was kept says which rows are to learn from (`train`), or a map tells it of rows
 * whose column was not published.  A deleted row neither teaches nor tries. */
#include "measure/measure.h"
#include "io/json/json.h"
#include "measure/class_tree.h"
#include "model/records/record_map.h"
#include "model/table/table_beside.h"
#include <math.h>
#include <stdlib.h>

struct measurement {
    lethe_comparison *c;
    const lethe_table *original;
    const lethe_column *parts; /* which rows teach */
    lethe_table_beside *b;
    lethe_arena *arena;
};

/* --- numbers --- */

static int by_name(const void *a, const void *b, void *arg)
{
    const lethe_dict *names = arg;
    return lethe_str_cmp(lethe_dict_at(names, *(const uint32_t *)a),
                         lethe_dict_at(names, *(const uint32_t *)b));
}

/* Classes are numbered in the order of bytes: what is learned must not hang on which row came
 * first. */
static lethe_err classes_take(const struct measurement *m, lethe_dict *names, const uint32_t *code,
                              lethe_class_rows *to)
{
    uint32_t n = lethe_dict_count(names), *order = lethe_new(m->arena, uint32_t, (size_t)n + 1),
             *place = lethe_new(m->arena, uint32_t, (size_t)n + 1),
             *class = lethe_new(m->arena, uint32_t, to->n + 1);
    if (!order || !place || !class) return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, by_name, names);
    for (uint32_t i = 0; i < n; i++)
        place[order[i]] = i;
    for (size_t i = 0; i < to->n; i++)
        class[i] = place[code[i]];
    to->class = class;
    to->n_classes = LETHE_MAX(n, 1);
    return LETHE_OK;
}

/* A feature of nodes: `node` by code (NULL: codes are nodes).  The number of a node is its place
 * among those in use; of ordered ones the middle of its leaves among all, since a threshold lies
 * midway.  Those of a cut are told apart by it. */
static lethe_err feature_take(const struct measurement *m, const lethe_qi *qi, const uint32_t *node,
                              const uint32_t *code, size_t n, lethe_feature *to)
{
    const lethe_tree *t = qi->tree;
    bool *used = lethe_new(m->arena, bool, t->n);
    uint32_t *number = lethe_new(m->arena, uint32_t, t->n), leaves = 0, n_used = 0,
             *value = lethe_new(m->arena, uint32_t, n + 1);
    if (!used || !number || !value) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < n; i++)
        used[node ? node[code[i]] : code[i]] = true;
    for (uint32_t v = 0; v < t->n; v++) {
        number[v] = qi->ordered ? leaves + (t->leaves[v] - 1) / 2 : n_used;
        n_used += used[v];
        leaves += lethe_tree_is_leaf(t, v);
    }
    for (size_t i = 0; i < n; i++)
        value[i] = number[node ? node[code[i]] : code[i]];
    *to = (lethe_feature){
        .value = value, .n_values = qi->ordered ? leaves : n_used, .ordered = qi->ordered};
    return LETHE_OK;
}

/* The same of a published column whose values are no nodes of the original's tree: each its own,
 * and ranges of values by their middle. */
static lethe_err values_take(const struct measurement *m, const lethe_beside_qi *qi, size_t n,
                             lethe_feature *to)
{
    const uint32_t *code = qi->column->code;
    bool spans = qi->kind == LETHE_BESIDE_SPANS;
    uint32_t *value = lethe_new(m->arena, uint32_t, n + 1);
    if (!value) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < n; i++)
        value[i] =
            spans ? qi->low[code[i]] + (qi->high[code[i]] - qi->low[code[i]] - 1) / 2 : code[i];
    *to = (lethe_feature){.value = value,
                          .n_values = spans ? qi->n_places : lethe_dict_count(qi->column->values),
                          .ordered = spans};
    return LETHE_OK;
}

/* Places of leaves among the numbers of the original. */
static lethe_err places_take(const struct measurement *m, const lethe_beside_qi *qi,
                             const uint32_t *leaf, size_t n, lethe_feature *to)
{
    uint32_t *value = lethe_new(m->arena, uint32_t, n + 1);
    if (!value) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < n; i++)
        value[i] = qi->place[leaf[i]];
    *to = (lethe_feature){.value = value, .n_values = qi->n_places, .ordered = true};
    return LETHE_OK;
}

/* --- which rows teach --- */

static bool is_train(lethe_str s)
{
    static const char word[] = "train";
    if (s.n != sizeof word - 1) return false;
    for (size_t i = 0; i < s.n; i++)
        if ((s.at[i] | 0x20) != word[i]) return false;
    return true;
}

/* By row: does it? */
static lethe_err teachers_take(const struct measurement *m, lethe_dict *names, const uint32_t *code,
                               size_t n, bool **out)
{
    uint32_t n_names = lethe_dict_count(names);
    bool *of_name = lethe_new(m->arena, bool, (size_t)n_names + 1);
    bool *of_row = lethe_new(m->arena, bool, n + 1);
    if (!of_name || !of_row) return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < n_names; i++)
        of_name[i] = is_train(lethe_dict_at(names, i));
    for (size_t i = 0; i < n; i++)
        of_row[i] = of_name[code[i]];
    *out = of_row;
    return LETHE_OK;
}

/* --- learning --- */

struct trial {
    size_t n_learned, n_tried; /* rows */
    double error, baseline;    /* shares of the rows tried */
};

static lethe_err trial_make(const struct measurement *m, bool published, const bool *teaches,
                            struct trial *l)
{
    const lethe_table *t = m->original;
    *l = (struct trial){.error = NAN, .baseline = NAN};
    lethe_feature *feature = lethe_new(m->arena, lethe_feature, t->n_qi);
    if (!feature) return lethe_no_memory(m->c->ctx);
    lethe_class_rows r = {
        .n = published ? m->b->published->n : t->n, .n_features = t->n_qi, .feature = feature};
    for (size_t a = 0; a < t->n_qi; a++) {
        const lethe_beside_qi *qi = &m->b->qi[a];
        const uint32_t *node = published ? qi->node : NULL;
        const uint32_t *code = published ? qi->column->code : t->qi[a].leaf;
        if (published && !node)
            LETHE_TRY(values_take(m, qi, r.n, &feature[a]));
        else if (qi->kind == LETHE_BESIDE_SPANS)
            LETHE_TRY(places_take(m, qi, code, r.n, &feature[a]));
        else
            LETHE_TRY(feature_take(m, &t->qi[a], node, code, r.n, &feature[a]));
    }
    LETHE_TRY(published ? classes_take(m, m->b->class->values, m->b->class->code, &r)
                        : classes_take(m, t->class->values, t->class->code, &r));
    uint32_t *row = lethe_new(m->arena, uint32_t, r.n + 1);
    if (!row) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < r.n; i++)
        if (teaches[i]) row[l->n_learned++] = (uint32_t)i;
    for (size_t i = 0; i < r.n; i++)
        if (!teaches[i]) row[l->n_learned + l->n_tried++] = (uint32_t)i;
    if (l->n_learned == 0 || l->n_tried == 0) return LETHE_OK;
    lethe_class_tree *tree = NULL;
    uint32_t commonest = 0; // class of the rows to learn from; of equals the smallest number
    uint64_t wrong = 0, others = 0, *often = lethe_new(m->arena, uint64_t, r.n_classes);
    if (!often) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < l->n_learned; i++)
        often[r.class[row[i]]]++;
    for (uint32_t c = 1; c < r.n_classes; c++)
        if (often[c] > often[commonest]) commonest = c;
    LETHE_TRY(lethe_class_tree_grow(m->c->ctx, &r, row, l->n_learned, &tree));
    for (size_t i = l->n_learned; i < r.n; i++) {
        wrong += lethe_class_tree_of(tree, &r, row[i]) != r.class[row[i]];
        others += commonest != r.class[row[i]];
    }
    lethe_class_tree_free(tree);
    l->error = (double)wrong / (double)l->n_tried;
    l->baseline = (double)others / (double)l->n_tried;
    return LETHE_OK;
}

/* --- the whole --- */

/* The column that parts the rows.  What the release's step did not use of the original is not
 * there. */
static lethe_err column_find(struct measurement *m, const char *name)
{
    lethe_diag *d = lethe_ctx_diag(m->c->ctx);
    if (!m->original->class)
        return lethe_fail(d, LETHE_EUSAGE, "--train-column: the release has no class (--class)");
    for (size_t i = 0; i < m->original->n_keep; i++)
        if (lethe_str_eq(m->original->keep[i].name, lethe_str_of(name)))
            m->parts = &m->original->keep[i];
    if (!m->parts)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--train-column: '%s' is not among the columns that the release kept "
                          "(--keep)",
                          name);
    return LETHE_OK;
}

static lethe_err figures_set(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    lethe_diag *d = lethe_ctx_diag(m->c->ctx);
    bool *of_original = NULL, *of_published = NULL;
    struct trial before = {0}, after = {0};
    m->arena = lethe_arena_new();
    if (!m->arena) return lethe_no_memory(m->c->ctx);
    assert(m->parts); // column_find found it
    LETHE_TRY(teachers_take(m, m->parts->values, m->parts->code, m->original->n, &of_original));
    LETHE_TRY(lethe_table_beside_open(m->c->published, m->original, &m->b));
    const lethe_published_column *parts = m->b->keep[m->parts - m->original->keep];
    size_t n_published = m->b->published->n;
    if (parts) {
        LETHE_TRY(teachers_take(m, parts->values, parts->code, n_published, &of_published));
    } else if (m->c->map) {
        uint64_t *row;
        of_published = lethe_new(m->arena, bool, n_published + 1);
        if (!of_published) return lethe_no_memory(m->c->ctx);
        LETHE_TRY(lethe_table_map_read(m->c->ctx, m->c->map, m->c->map_digest, m->original,
                                       n_published, m->arena, &row));
        for (size_t i = 0; i < m->original->n; i++)
            if (row[i] != LETHE_NOT_PUBLISHED) of_published[row[i]] = of_original[i];
    } else {
        return lethe_fail(d, LETHE_EUSAGE,
                          "--train-column: '%.*s' is not published (--keep), so --map is needed",
                          (int)m->parts->name.n, m->parts->name.at);
    }
    LETHE_TRY(trial_make(m, false, of_original, &before));
    if (before.n_learned == 0 || before.n_tried == 0)
        return lethe_fail(d, LETHE_EUSAGE, "--train-column: %s row of '%.*s' has the value 'train'",
                          before.n_learned == 0 ? "no" : "every", (int)m->parts->name.n,
                          m->parts->name.at);
    LETHE_TRY(trial_make(m, true, of_published, &after));
    lethe_set_real(doc, out, "class_error", after.error);
    lethe_set_real(doc, out, "class_error_original", before.error);
    lethe_set_real(doc, out, "class_baseline", after.baseline);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct measurement m = {.c = c, .original = c->original.table};
    const lethe_value *column = lethe_value_of(c->values, "train-column");
    if (!column->present) return LETHE_OK;
    lethe_ctx_phase(c->ctx, "learning classes", 0);
    lethe_err e = column_find(&m, column->text);
    if (e == LETHE_OK) e = figures_set(&m, doc, out);
    lethe_table_beside_free(m.b);
    lethe_arena_free(m.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(m.c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "train-column",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN",
     .help = "a kept column of a table: a decision tree is trained on the rows with the value "
             "`train` and tested on the others"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"class_error",
     "with --train-column: share of published rows whose class is wrong in a decision tree learned "
     "from the published training rows",
     .better = -1, .label = "class wrong, learned from the release", .kind = LETHE_FIGURE_SHARE},
    {"class_error_original", "with --train-column: the same on the original", .better = 0,
     .label = "class wrong, learned from the original", .kind = LETHE_FIGURE_SHARE},
    {"class_baseline",
     "with --train-column: the same for always choosing the most frequent class of the training "
     "rows",
     .better = 0, .label = "class wrong, always the commonest", .kind = LETHE_FIGURE_SHARE},
    {.name = NULL},
};

const lethe_measure lethe_measure_class = {
    .name = "class",
    .summary = "with --train-column, how well classes can be learned from the table",
    .shapes = LETHE_SHAPE_TABLE,
    .options = options,
    .figures = figures,
    .run = run,
};
