/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_harness.h - small tables made by hand, and what a cut of one costs by the
 * definitions: row by row, nothing taken from algo/group_price. */
#ifndef LETHE_TESTS_TABLE_SEARCH_HARNESS_H
#define LETHE_TESTS_TABLE_SEARCH_HARNESS_H
#include "method/table/search/table_search.h"
#include "core/mem.h"
#include <stdio.h>
#include <stdlib.h>

enum { H_QI = 4, H_NODES = 64, H_ROWS = 64, H_SA = 8, H_CLASS = 4 };

typedef struct h_world {
    lethe_table table;
    lethe_qi qi[H_QI];
    lethe_column sa, class;
    uint32_t leaf[H_QI][H_ROWS], sa_of[H_ROWS], class_of[H_ROWS];
    uint32_t n_sa, n_class; /* n_sa 0: no such column */
    lethe_theta theta[H_SA];
    lethe_group_demand d;
    lethe_deletion_weight gone; /* 0: a deleted row costs two */
    uint64_t rows_each[H_SA];   /* 0: none has a price of its own; else all: in rows */
    uint64_t price[H_SA];
    lethe_tuples *t;
    const uint64_t **weight;
    lethe_arena *arena;
} h_world;

/* --- making --- */

static inline lethe_tree *h_tree(uint32_t n, const uint32_t *parent)
{
    char text[H_NODES][16];
    lethe_str name[H_NODES];
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "v%u", (unsigned)i);
        name[i] = lethe_str_of(text[i]);
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &t), LETHE_OK);
    return t;
}

/* A dictionary of n names in the order of their numbers. */
static inline lethe_dict *h_names(uint32_t n)
{
    lethe_dict *d = lethe_dict_new();
    assert_non_null(d);
    for (uint32_t i = 0; i < n; i++) {
        char text[16];
        uint32_t number;
        snprintf(text, sizeof text, "%02u", (unsigned)i);
        assert_int_equal(lethe_dict_add(d, lethe_str_of(text), &number), LETHE_OK);
        assert_int_equal(number, i);
    }
    return d;
}

/* Trees, rows and numbers are in; makes of them what the search takes. */
static inline void h_close(lethe_ctx *ctx, h_world *w, lethe_group_suppress suppress,
                           lethe_group_cost cost)
{
    uint64_t scale = 0;
    w->table.qi = w->qi;
    for (size_t q = 0; q < w->table.n_qi; q++)
        w->qi[q].leaf = w->leaf[q];
    w->sa = (lethe_column){.values = h_names(w->n_sa), .code = w->sa_of};
    w->class = (lethe_column){.values = h_names(w->n_class), .code = w->class_of};
    w->table.sa = w->n_sa ? &w->sa : NULL;
    w->table.class = w->n_class ? &w->class : NULL;
    w->arena = lethe_arena_new();
    assert_non_null(w->arena);
    assert_int_equal(lethe_tuples_of(ctx, &w->table, cost == LETHE_COST_CM, &w->t), LETHE_OK);
    if (w->gone.den > 0) {
        assert_int_equal(
            lethe_tuples_weights_with(w->t, w->arena, w->gone, &w->weight, &scale, &w->d.deletion),
            LETHE_OK);
        assert_int_equal(scale % w->gone.den, 0);
    } else {
        assert_int_equal(lethe_tuples_weights(w->t, w->arena, &w->weight, &scale), LETHE_OK);
    }
    w->d.suppress = suppress;
    w->d.cost = cost;
    w->d.theta = w->n_sa ? w->theta : NULL;
    w->d.n_sa = w->n_sa;
    w->d.n_class = LETHE_MAX(w->n_class, 1);
    w->d.rows = w->table.n;
    w->d.n_qi = (uint32_t)w->table.n_qi;
    w->d.scale = scale;
    for (uint32_t s = 0; s < H_SA; s++)
        w->price[s] = w->rows_each[s] * w->d.n_qi * scale;
    if (w->rows_each[0]) w->d.price = w->price;
    if (w->d.k == 0) w->d.k = 1;
    if (w->d.distinct == 0) w->d.distinct = 1;
}

static inline void h_free(h_world *w)
{
    lethe_tuples_free(w->t);
    lethe_arena_free(w->arena);
    for (size_t q = 0; q < w->table.n_qi; q++)
        lethe_tree_free(w->qi[q].tree);
    lethe_dict_free(w->sa.values);
    lethe_dict_free(w->class.values);
}

static inline lethe_err h_search(lethe_ctx *ctx, h_world *w, const lethe_table_limits *limits,
                                 lethe_table_found *out)
{
    return lethe_table_search(ctx, w->t, &w->d, (const uint64_t *const *)w->weight, limits,
                              w->arena, out);
}

/* --- cuts, by their values' marks --- */

/* in[q][v]: is v in the cut? */
typedef struct h_cut {
    uint8_t in[H_QI][H_NODES];
    bool valid;
    uint64_t cost;
} h_cut;

/* The cuts of tree q as marks: lists of them, the root alone first. */
typedef struct h_marks {
    uint8_t in[H_NODES];
} h_marks;

static inline size_t h_tree_cuts(const lethe_tree *t, uint32_t v, h_marks *out, size_t cap)
{
    size_t n = 1;
    memset(out, 0, sizeof *out);
    out[0].in[v] = 1;
    if (t->end[v] == v + 1) return 1;
    h_marks *mix = calloc(cap, sizeof *mix), *part = calloc(cap, sizeof *part);
    size_t n_mix = 1;
    assert_true(mix && part);
    for (uint32_t c = v + 1; c < t->end[v]; c = t->end[c]) {
        size_t n_part = h_tree_cuts(t, c, part, cap), n_now = 0;
        h_marks *now = calloc(cap, sizeof *now);
        assert_non_null(now);
        for (size_t i = 0; i < n_mix; i++)
            for (size_t j = 0; j < n_part; j++) {
                assert_true(n_now < cap);
                for (uint32_t u = 0; u < t->n; u++)
                    now[n_now].in[u] = mix[i].in[u] | part[j].in[u];
                n_now++;
            }
        free(mix);
        mix = now;
        n_mix = n_now;
    }
    for (size_t i = 0; i < n_mix; i++) {
        assert_true(n < cap);
        out[n++] = mix[i];
    }
    free(mix);
    free(part);
    return n;
}

/* --- what a group costs --- */

typedef struct h_group {
    uint64_t n, with[H_SA], of[H_SA][H_CLASS];
    uint64_t weight; /* of a row */
} h_group;

static inline bool h_over(const h_world *w, uint32_t s, uint64_t with, uint64_t n)
{
    lethe_theta t = w->theta[s];
    return w->d.theta && with * t.den > t.num * n;
}

static inline uint64_t h_shown(const h_group *g)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < H_SA; s++)
        n += g->with[s] > 0;
    return n;
}

static inline bool h_few(const h_world *w, const h_group *g)
{
    return w->n_sa && h_shown(g) > 0 && h_shown(g) < w->d.distinct;
}

static inline bool h_any_over(const h_world *w, const h_group *g)
{
    for (uint32_t s = 0; s < w->n_sa; s++)
        if (h_over(w, s, g->with[s], g->n)) return true;
    return false;
}

/* `kept` rows of each value are left, `star` of them starred; what all of it costs. */
static inline uint64_t h_cost(const h_world *w, const h_group *g, const uint64_t *kept,
                              const uint64_t *star)
{
    uint64_t n = 0, most = 0, lost = 0;
    for (uint32_t s = 0; s < H_SA; s++)
        n += kept[s];
    for (uint32_t s = 0; s < H_SA && w->d.cost == LETHE_COST_LM; s++) {
        uint64_t num = w->gone.den ? w->gone.num : 2, den = w->gone.den ? w->gone.den : 1,
                 own = w->rows_each[s], row = w->d.n_qi * w->d.scale;
        lost += star[s] * (own ? own : 1) * row;
        lost += (g->with[s] - kept[s]) * (own ? own * row : num * row / den);
    }
    if (w->d.cost == LETHE_COST_LM) return n * g->weight + lost;
    if (w->d.cost == LETHE_COST_DM) return n * n + (g->n - n) * w->table.n;
    for (uint32_t c = 0; c < H_CLASS; c++) {
        uint64_t of = 0;
        for (uint32_t s = 0; s < H_SA; s++)
            of += LETHE_MIN(g->of[s][c], kept[s]);
        most = LETHE_MAX(most, of);
    }
    return g->n - most;
}

/* evenSA: every value is shown at most `most` times, and the greatest such number is taken with
 * which (most + stars / t) / rows, t the number of values that are shown so often, is at most
 * theta.  Where none is shown, any value of the table may be starred. */
static inline bool h_even(const h_world *w, const h_group *g, uint64_t *star)
{
    for (uint64_t most = g->n + 1; most-- > 0;) {
        h_group left = *g;
        uint64_t t = 0, starred = 0;
        for (uint32_t s = 0; s < H_SA; s++) {
            left.with[s] = LETHE_MIN(g->with[s], most);
            star[s] = g->with[s] - left.with[s];
            starred += star[s];
            t += s < w->n_sa && left.with[s] == most;
        }
        if (h_few(w, &left) || t == 0) continue;
        if ((t * most + starred) * w->theta[0].den <= t * w->theta[0].num * g->n) return true;
    }
    return false;
}

/* Section 3.1.3.  false: not valid. */
static inline bool h_price(const h_world *w, const h_group *g, uint64_t *cost)
{
    h_group left = *g;
    uint64_t star[H_SA] = {0};
    bool bad = h_any_over(w, g) || h_few(w, g) || g->n < w->d.k;
    switch (w->d.suppress) {
    case LETHE_SUPPRESS_NONE:
        if (bad) return false;
        break;
    case LETHE_SUPPRESS_VIO_SA:
        for (uint32_t s = 0; s < w->n_sa; s++)
            if (h_over(w, s, g->with[s], g->n)) {
                star[s] = g->with[s];
                left.with[s] = 0;
            }
        if (g->n < w->d.k || h_few(w, &left)) return false;
        break;
    case LETHE_SUPPRESS_ALL_SA:
        if (g->n < w->d.k) return false;
        for (uint32_t s = 0; s < H_SA && bad; s++)
            star[s] = g->with[s];
        break;
    case LETHE_SUPPRESS_VIO_REC:
        // A violated value has a row too many, whatever else goes: one by one.
        for (bool again = true; again;) {
            again = false;
            for (uint32_t s = 0; s < w->n_sa; s++)
                while (left.with[s] > 0 && h_over(w, s, left.with[s], left.n)) {
                    left.with[s]--;
                    left.n--;
                    again = true;
                }
        }
        if (left.n < w->d.k || h_few(w, &left)) memset(left.with, 0, sizeof left.with);
        break;
    case LETHE_SUPPRESS_ALL_REC:
        if (bad) memset(left.with, 0, sizeof left.with);
        break;
    case LETHE_SUPPRESS_EVEN_SA:
        if (g->n < w->d.k || !h_even(w, g, star)) return false;
        break;
    }
    *cost += h_cost(w, g, w->d.suppress == LETHE_SUPPRESS_VIO_SA ? g->with : left.with, star);
    return true;
}

static inline uint32_t h_value(const h_world *w, const h_cut *c, size_t q, size_t row)
{
    uint32_t v = w->leaf[q][row];
    while (!c->in[q][v])
        v = w->qi[q].tree->parent[v];
    return v;
}

static inline bool h_together(const h_world *w, const h_cut *c, size_t i, size_t j)
{
    for (size_t q = 0; q < w->table.n_qi; q++)
        if (h_value(w, c, q, i) != h_value(w, c, q, j)) return false;
    return true;
}

static inline void h_evaluate(const h_world *w, h_cut *c)
{
    bool done[H_ROWS] = {false};
    c->valid = true;
    c->cost = 0;
    for (size_t i = 0; i < w->table.n; i++) {
        h_group g = {0};
        if (done[i]) continue;
        for (size_t j = i; j < w->table.n; j++) {
            if (!h_together(w, c, i, j)) continue;
            done[j] = true;
            g.n++;
            g.with[w->n_sa ? w->sa_of[j] : 0]++;
            g.of[w->n_sa ? w->sa_of[j] : 0][w->n_class ? w->class_of[j] : 0]++;
        }
        for (size_t q = 0; q < w->table.n_qi; q++)
            g.weight += w->weight[q][h_value(w, c, q, i)];
        c->valid = h_price(w, &g, &c->cost) && c->valid;
    }
}

/* --- order --- */

/* Nodes of the cuts of each tree as lists, in lexicographic order: where marks first differ, the
 * cut that has the lesser node comes first. */
static inline int h_compare(const h_cut *x, const h_cut *y)
{
    for (size_t q = 0; q < H_QI; q++)
        for (uint32_t v = 0; v < H_NODES; v++)
            if (x->in[q][v] != y->in[q][v]) return x->in[q][v] ? -1 : 1;
    return 0;
}

static inline int h_by_cost(const void *a, const void *b)
{
    const h_cut *x = a, *y = b;
    if (x->valid != y->valid) return x->valid ? -1 : 1;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return h_compare(x, y);
}

/* All cuts, the cheapest first, what is not valid last. */
static inline h_cut *h_all_cuts(const h_world *w, size_t cap, size_t *n)
{
    h_cut *all = calloc(1, sizeof *all);
    size_t n_all = 1;
    assert_non_null(all);
    for (size_t q = 0; q < w->table.n_qi; q++) {
        h_marks *m = calloc(cap, sizeof *m);
        assert_non_null(m);
        size_t n_m = h_tree_cuts(w->qi[q].tree, 0, m, cap);
        h_cut *more = calloc(n_all * n_m, sizeof *more);
        assert_non_null(more);
        for (size_t i = 0; i < n_all * n_m; i++) {
            more[i] = all[i / n_m];
            memcpy(more[i].in[q], m[i % n_m].in, sizeof m->in);
        }
        free(m);
        free(all);
        all = more;
        n_all *= n_m;
    }
    for (size_t i = 0; i < n_all; i++)
        h_evaluate(w, &all[i]);
    qsort(all, n_all, sizeof *all, h_by_cost);
    *n = n_all;
    return all;
}

static inline h_cut h_marks_of(const h_world *w, const lethe_table_cut *cut)
{
    h_cut c = {0};
    for (size_t q = 0; q < w->table.n_qi; q++)
        for (size_t i = cut->start[q]; i < cut->start[q + 1]; i++)
            c.in[q][cut->node[i]] = 1;
    return c;
}

#endif
