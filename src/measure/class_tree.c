/* SPDX-License-Identifier: Apache-2.0 */
/* class_tree.c - nodes lie in one array, a parent before its children; the rows of a node are a
 * range of one array, which its children part among them.  So nothing recurs, however deep. */
#include "measure/class_tree.h"
#include "core/sort.h"
#include <math.h>

enum { LEAST_ROWS = 2, MOST_LEAST_ROWS = 25 };
#define Z_SQUARED 0.45493642311957275 /* of the normal distribution, at a confidence of 0.25 */
#define CONFIDENCE 0.25
/* C4.5's: a gain that rounding can make, and how much better a subtree has to be than a leaf. */
#define TINY 1e-9
#define PRUNE_SLACK 0.1

typedef struct node {
    uint32_t feature; /* LETHE_NONE: a leaf */
    bool threshold;   /* values up to at[first_value] go to the first child, others to the second */
    uint32_t n_children;
    size_t first_child; /* nodes */
    size_t first_value; /* in `values`: of a child each, ascending */
    uint32_t class;     /* the commonest */
    uint32_t from, n;   /* rows */
    uint32_t errors;    /* rows of other classes */
} node;

struct lethe_class_tree {
    lethe_buf nodes;  /* node each */
    lethe_buf values; /* uint32_t each */
    size_t n_leaves;
};

static node *node_at(const lethe_class_tree *t, size_t i)
{
    return &((node *)(void *)t->nodes.at)[i];
}
static size_t n_nodes(const lethe_class_tree *t) { return t->nodes.n / sizeof(node); }

void lethe_class_tree_free(lethe_class_tree *t)
{
    if (!t) return;
    lethe_buf_free(&t->nodes);
    lethe_buf_free(&t->values);
    lethe_free(t);
}

/* --- one node: how its rows could be split --- */

typedef struct tree_builder {
    const lethe_class_rows *e;
    lethe_class_tree *t;
    uint32_t *row, *room; /* rows of all nodes, and as many */
    uint32_t *counts;     /* by value and class, of the feature looked at; zero between */
    uint32_t *total;      /* by value, likewise */
    uint32_t *touched;    /* values that the node's rows have, ascending */
    size_t *start;        /* by value: where its rows go */
    uint32_t *below;      /* by class */
} tree_builder;

typedef struct split {
    uint32_t feature;
    bool ok, threshold;
    uint32_t at; /* the threshold */
    double gain, ratio;
} split;

static double x_log_x(double x) { return x > 0 ? x * log2(x) : 0; }

/* The values of a feature that the node's rows have, ascending, and how many of each class. */
static size_t feature_count(tree_builder *g, const lethe_feature *f, const node *v)
{
    uint32_t n_classes = g->e->n_classes;
    size_t n = 0;
    for (size_t i = v->from; i < (size_t)v->from + v->n; i++) {
        uint32_t value = f->value[g->row[i]];
        if (g->total[value]++ == 0) g->touched[n++] = value;
        g->counts[(size_t)value * n_classes + g->e->class[g->row[i]]]++;
    }
    lethe_sort_u32(g->touched, n);
    return n;
}

static void feature_forget(tree_builder *g, size_t n)
{
    uint32_t n_classes = g->e->n_classes;
    for (size_t i = 0; i < n; i++) {
        memset(&g->counts[(size_t)g->touched[i] * n_classes], 0, n_classes * sizeof *g->counts);
        g->total[g->touched[i]] = 0;
    }
}

/* A branch for each value.  `whole` is the node's sum of x log x over classes, so that gain is
 * (n log n - whole - sum (n_i log n_i - sum_i)) / n. */
static split split_by_values(const tree_builder *g, const node *v, size_t n_touched, double whole)
{
    split s = {0};
    double n = v->n, gain = x_log_x(n) - whole, info = x_log_x(n);
    unsigned large = 0;
    for (size_t i = 0; i < n_touched; i++) {
        uint32_t rows = g->total[g->touched[i]];
        const uint32_t *of = &g->counts[(size_t)g->touched[i] * g->e->n_classes];
        double sum = 0;
        for (uint32_t c = 0; c < g->e->n_classes; c++)
            sum += x_log_x(of[c]);
        gain -= x_log_x(rows) - sum;
        info -= x_log_x(rows);
        large += rows >= LEAST_ROWS;
    }
    s.ok = large >= 2 && gain > TINY * n && info > TINY * n;
    s.gain = gain / n;
    s.ratio = s.ok ? gain / info : 0;
    return s;
}

/* The threshold of the greatest gain, of equals the least; midway between two values that there
 * are. */
static split split_by_threshold(tree_builder *g, const node *v, size_t n_touched, double whole)
{
    uint32_t n_classes = g->e->n_classes;
    double n = v->n, best = -1, info = 0;
    double least = LETHE_MIN(LETHE_MAX(0.1 * n / n_classes, LEAST_ROWS), MOST_LEAST_ROWS);
    const uint32_t *all = g->below + n_classes;
    uint64_t below = 0, tries = 0;
    split s = {.threshold = true};
    memset(g->below, 0, n_classes * sizeof *g->below);
    for (size_t i = 0; i + 1 < n_touched; i++) {
        const uint32_t *of = &g->counts[(size_t)g->touched[i] * n_classes];
        double sum = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            g->below[c] += of[c];
            below += of[c];
        }
        if ((double)below < least || n - (double)below < least) continue;
        for (uint32_t c = 0; c < n_classes; c++)
            sum += x_log_x(g->below[c]) + x_log_x((double)all[c] - g->below[c]);
        double parts = x_log_x((double)below) + x_log_x(n - (double)below);
        double gain = x_log_x(n) - whole - parts + sum;
        tries++;
        if (gain <= best + TINY) continue;
        best = gain;
        s.at = g->touched[i] + (g->touched[i + 1] - g->touched[i]) / 2;
        info = x_log_x(n) - parts;
    }
    if (tries == 0) return s;
    best -= log2((double)tries); // so many thresholds were there to choose from
    s.ok = best > TINY * n && info > TINY * n;
    s.gain = best / n;
    s.ratio = s.ok ? best / info : 0;
    return s;
}

/* Of the features whose gain is at least average, the one with the greatest ratio; of equals the
 * first.  A ratio alone would favour splits that part hardly anything. */
static split split_choose(tree_builder *g, const node *v, split *tried)
{
    double sum = 0;
    size_t n = 0;
    split best = {0};
    const uint32_t *all = g->below + g->e->n_classes;
    double whole = 0;
    for (uint32_t c = 0; c < g->e->n_classes; c++)
        whole += x_log_x(all[c]);
    for (uint32_t i = 0; i < g->e->n_features; i++) {
        const lethe_feature *f = &g->e->feature[i];
        size_t n_values = feature_count(g, f, v);
        tried[i] = f->ordered ? split_by_threshold(g, v, n_values, whole)
                              : split_by_values(g, v, n_values, whole);
        tried[i].feature = i;
        feature_forget(g, n_values);
        if (!tried[i].ok) continue;
        sum += tried[i].gain;
        n++;
    }
    for (uint32_t i = 0; i < g->e->n_features; i++)
        if (tried[i].ok && tried[i].gain >= sum / (double)n - TINY &&
            (!best.ok || tried[i].ratio > best.ratio + TINY))
            best = tried[i];
    return best;
}

/* --- the tree --- */

/* A node over these rows: its class and errors.  Classes are counted behind `below`. */
static lethe_err node_add(tree_builder *g, uint32_t from, uint32_t n, uint32_t above)
{
    uint32_t *all = g->below + g->e->n_classes;
    node v = {.feature = LETHE_NONE, .class = above, .from = from, .n = n};
    memset(all, 0, g->e->n_classes * sizeof *all);
    for (size_t i = from; i < (size_t)from + n; i++)
        all[g->e->class[g->row[i]]]++;
    if (n > 0) v.class = 0;
    for (uint32_t c = 1; c < g->e->n_classes && n > 0; c++)
        if (all[c] > all[v.class]) v.class = c;
    v.errors = n - all[v.class];
    return lethe_buf_put(&g->t->nodes, &v, sizeof v);
}

static size_t branch_of(const split *s, uint32_t value) { return s->threshold && value > s->at; }

/* `size` has room for a number a value. */
static lethe_err node_split(tree_builder *g, size_t number, const split *s, uint32_t *size)
{
    lethe_class_tree *t = g->t;
    node v = *node_at(t, number);
    const lethe_feature *f = &g->e->feature[s->feature];
    // how many rows each branch gets, in `size`; a branch per value, or two
    size_t n_values = feature_count(g, f, &v), n = s->threshold ? 2 : n_values;
    uint32_t from = v.from;
    if (s->threshold) size[0] = size[1] = 0;
    for (size_t i = 0; i < n_values; i++) {
        uint32_t rows = g->total[g->touched[i]];
        if (s->threshold)
            size[branch_of(s, g->touched[i])] += rows;
        else
            size[i] = rows;
    }
    feature_forget(g, n_values);
    v.feature = s->feature;
    v.threshold = s->threshold;
    v.n_children = (uint32_t)n;
    v.first_child = n_nodes(t);
    v.first_value = t->values.n / sizeof(uint32_t);
    LETHE_TRY(s->threshold ? lethe_buf_put(&t->values, &s->at, sizeof s->at)
                           : lethe_buf_put(&t->values, g->touched, n * sizeof *g->touched));
    // parts the node's rows among its branches
    size_t at = v.from, end = (size_t)v.from + v.n;
    for (size_t i = 0; i < n; i++) {
        g->start[s->threshold ? i : g->touched[i]] = at;
        at += size[i];
    }
    for (size_t i = v.from; i < end; i++) {
        uint32_t value = f->value[g->row[i]];
        g->room[g->start[s->threshold ? branch_of(s, value) : value]++] = g->row[i];
    }
    memcpy(g->row + v.from, g->room + v.from, v.n * sizeof *g->row);
    *node_at(t, number) = v;
    for (size_t i = 0; i < n; i++) {
        LETHE_TRY(node_add(g, from, size[i], v.class));
        from += size[i];
    }
    return LETHE_OK;
}

/* --- pruning --- */

/* C4.5's bound (chapter 4.2): exact where nothing is wrong, else the normal approximation of the
 * binomial distribution with a correction for continuity; between none and one, in between. */
double lethe_class_tree_errors(double n, double e)
{
    if (n <= 0) return 0;
    double none = n * (1 - pow(CONFIDENCE, 1 / n));
    if (e <= 0) return none;
    if (e < 1) return none + e * (lethe_class_tree_errors(n, 1) - none);
    if (e + 0.5 >= n) return e + 0.67 * (n - e);
    double x = e + 0.5;
    double rate =
        (x + Z_SQUARED / 2 + sqrt(Z_SQUARED * (x * (1 - x / n) + Z_SQUARED / 4))) / (n + Z_SQUARED);
    return n * rate;
}

/* From the last node to the first, so that children come before their parents. */
static lethe_err nodes_prune(lethe_class_tree *t, lethe_arena *a)
{
    size_t n = n_nodes(t);
    double *expected = lethe_new(a, double, n);
    if (!expected) return LETHE_ENOMEM;
    for (size_t i = n; i-- > 0;) {
        node *v = node_at(t, i);
        double leaf = lethe_class_tree_errors(v->n, v->errors), below = 0;
        expected[i] = leaf;
        if (v->feature == LETHE_NONE) continue;
        for (size_t k = 0; k < v->n_children; k++)
            below += expected[v->first_child + k];
        if (leaf <= below + PRUNE_SLACK)
            v->feature = LETHE_NONE;
        else
            expected[i] = below;
    }
    /* What a pruned node has below it stays in the array, and nobody comes there. */
    bool *reached = lethe_new(a, bool, n_nodes(t));
    if (!reached) return LETHE_ENOMEM;
    reached[0] = true;
    for (size_t i = 0; i < n_nodes(t); i++) {
        const node *v = node_at(t, i);
        t->n_leaves += reached[i] && v->feature == LETHE_NONE;
        for (size_t k = 0; reached[i] && v->feature != LETHE_NONE && k < v->n_children; k++)
            reached[v->first_child + k] = true;
    }
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err grow_with(lethe_ctx *ctx, tree_builder *g, lethe_arena *a, const uint32_t *row,
                           size_t n)
{
    const lethe_class_rows *e = g->e;
    size_t most = 2;
    for (size_t i = 0; i < e->n_features; i++)
        most = LETHE_MAX(most, e->feature[i].n_values);
    if (most > SIZE_MAX / e->n_classes) return LETHE_ENOMEM;
    g->row = lethe_new(a, uint32_t, n);
    g->room = lethe_new(a, uint32_t, n);
    g->counts = lethe_new(a, uint32_t, most * e->n_classes);
    g->total = lethe_new(a, uint32_t, most);
    g->touched = lethe_new(a, uint32_t, most);
    g->start = lethe_new(a, size_t, most);
    g->below = lethe_new(a, uint32_t, 2 * (size_t)e->n_classes);
    uint32_t *size = lethe_new(a, uint32_t, most);
    split *tried = lethe_new(a, split, e->n_features + 1);
    if (!g->row || !g->room || !g->counts || !g->total || !g->touched || !g->start || !g->below ||
        !size || !tried)
        return LETHE_ENOMEM;
    memcpy(g->row, row, n * sizeof *row);
    LETHE_TRY(node_add(g, 0, (uint32_t)n, 0));
    for (size_t i = 0; i < n_nodes(g->t); i++) {
        node v = *node_at(g->t, i);
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (v.errors == 0 || v.n < 2 * LEAST_ROWS) continue;
        uint32_t *all = g->below + g->e->n_classes;
        memset(all, 0, g->e->n_classes * sizeof *all);
        for (size_t k = v.from; k < (size_t)v.from + v.n; k++)
            all[g->e->class[g->row[k]]]++;
        split s = split_choose(g, &v, tried);
        if (s.ok) LETHE_TRY(node_split(g, i, &s, size));
    }
    return nodes_prune(g->t, a);
}

lethe_err lethe_class_tree_grow(lethe_ctx *ctx, const lethe_class_rows *e, const uint32_t *row,
                                size_t n, lethe_class_tree **out)
{
    assert(n > 0 && n < UINT32_MAX && e->n_classes > 0);
    lethe_arena *a = lethe_arena_new();
    tree_builder g = {.e = e, .t = lethe_alloc_zero(1, sizeof(lethe_class_tree))};
    lethe_err err = a && g.t ? grow_with(ctx, &g, a, row, n) : LETHE_ENOMEM;
    lethe_arena_free(a);
    if (err == LETHE_OK)
        *out = g.t;
    else
        lethe_class_tree_free(g.t);
    return err == LETHE_ENOMEM ? lethe_no_memory(ctx) : err;
}

uint32_t lethe_class_tree_of(const lethe_class_tree *t, const lethe_class_rows *e, size_t row)
{
    const node *v = node_at(t, 0);
    while (v->feature != LETHE_NONE) {
        uint32_t value = e->feature[v->feature].value[row];
        const uint32_t *at = (const uint32_t *)(const void *)t->values.at + v->first_value;
        size_t child = v->threshold ? value > at[0] : lethe_gallop(at, v->n_children, value);
        if (!v->threshold && (child == v->n_children || at[child] != value))
            break; // the tree has not seen the value here
        v = node_at(t, v->first_child + child);
    }
    return v->class;
}

size_t lethe_class_tree_leaves(const lethe_class_tree *t) { return t->n_leaves; }
