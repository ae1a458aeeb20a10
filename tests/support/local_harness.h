/* SPDX-License-Identifier: Apache-2.0 */
/* local_harness.h - tables for local recoding, drawn by a seed; what a group publishes and costs,
 * and whether it is valid, straight from the definitions; and the best groups of few rows. */
#ifndef LETHE_TESTS_LOCAL_HARNESS_H
#define LETHE_TESTS_LOCAL_HARNESS_H
#include "method/table/local/local_groups.h"
#include "log_oracle.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LH_QI = 4, LH_SA = 4, LH_BEST = 9 };

typedef struct lh_table {
    lethe_table t;
    lethe_qi qi[LH_QI];
    lethe_column sa;
    lethe_tuples *u;
    lethe_local_column column[LH_QI];
    uint64_t *own[2 * LH_QI]; /* weights and places, to be freed */
    size_t n_own;
    lethe_theta theta[LH_SA];
    lethe_group_demand group;
    lethe_local_demand d;
} lh_table;

/* --- drawing --- */

static inline lethe_tree *lh_tree(uint64_t *seed, uint32_t n, bool flat)
{
    uint32_t *parent = malloc(n * sizeof *parent);
    lethe_str *name = malloc(n * sizeof *name);
    char *text = malloc((size_t)n * 8);
    lethe_tree *out = NULL;
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = v == 0 ? LETHE_NONE : flat ? 0 : (uint32_t)o_below(seed, v);
        snprintf(text + 8 * (size_t)v, 8, "%u", (unsigned)v);
        name[v] = lethe_str_of(text + 8 * (size_t)v);
    }
    if (lethe_tree_from(NULL, n, parent, name, &out) != LETHE_OK) fail_msg("no tree");
    free(parent);
    free(name);
    free(text);
    return out;
}

static inline uint32_t lh_leaf(uint64_t *seed, const lethe_tree *t)
{
    uint32_t v;
    do
        v = (uint32_t)o_below(seed, t->n);
    while (!lethe_tree_is_leaf(t, v));
    return v;
}

/* `ranges`: some columns are published as ranges of values. */
static inline void lh_draw(lethe_ctx *ctx, uint64_t seed, size_t rows, size_t n_qi, uint32_t nodes,
                           bool ranges, lh_table *h)
{
    uint64_t s = seed;
    *h = (lh_table){.t = {.n = rows, .n_qi = n_qi, .qi = h->qi, .sa = &h->sa}};
    for (size_t q = 0; q < n_qi; q++) {
        bool range = ranges && o_below(&s, 2) == 0;
        lethe_tree *t = lh_tree(&s, 2 + (uint32_t)o_below(&s, nodes), range);
        uint32_t *leaf = malloc(rows * sizeof *leaf);
        for (size_t i = 0; i < rows; i++)
            leaf[i] = lh_leaf(&s, t);
        h->qi[q] = (lethe_qi){.name = lethe_str_of("q"), .tree = t, .leaf = leaf};
        h->column[q].tree = t;
        if (!range) continue;
        uint64_t *at = h->own[h->n_own++] = calloc(t->n, sizeof *at);
        for (uint32_t v = 1; v < t->n; v++)
            at[v] = at[v - 1] + o_below(&s, 4);
        h->column[q].at = at;
    }
    uint32_t *code = malloc(rows * sizeof *code), number;
    h->sa.values = lethe_dict_new();
    for (uint32_t v = 0; v < LH_SA; v++) {
        char name[2] = {(char)('a' + v), 0};
        if (!h->sa.values || lethe_dict_add(h->sa.values, lethe_str_of(name), &number) != LETHE_OK)
            fail_msg("no values");
    }
    for (size_t i = 0; i < rows; i++)
        code[i] = (uint32_t)o_below(&s, LH_SA);
    h->sa.code = code;
    if (lethe_tuples_of(ctx, &h->t, false, &h->u) != LETHE_OK) fail_msg("no tuples");
    for (size_t q = 0; q < n_qi; q++) {
        if (h->column[q].at) {
            h->d.deletion_price += h->column[q].at[h->column[q].tree->n - 1];
            continue;
        }
        const lethe_tree *t = h->column[q].tree;
        uint64_t times = 1 + o_below(&s, 3), *weight = h->own[h->n_own++] = calloc(t->n, 8);
        for (uint32_t v = 0; v < t->n; v++)
            weight[v] = times * lethe_tree_lm(t, v);
        h->column[q].weight = weight;
        h->d.deletion_price += weight[0];
    }
    h->group = (lethe_group_demand){.k = 1,
                                    .distinct = 1,
                                    .n_sa = LH_SA,
                                    .n_class = 1,
                                    .rows = rows,
                                    .n_qi = (uint32_t)n_qi,
                                    .scale = 1};
    h->d.group = &h->group;
    h->d.rows_only = true;
}

/* Only k; or distinct values, or shares, as well. */
static inline void lh_demand(uint64_t *seed, lh_table *h)
{
    uint64_t what = o_below(seed, 4);
    h->group.k = 1 + o_below(seed, 4);
    h->d.rows_only = what < 2;
    if (what == 2) h->group.distinct = 2 + (uint32_t)o_below(seed, 2);
    if (what < 3) return;
    uint64_t den = 1 + o_below(seed, 4);
    for (uint32_t v = 0; v < LH_SA; v++)
        h->theta[v] = (lethe_theta){LETHE_MIN(1 + o_below(seed, 2), den), den};
    h->group.theta = h->theta;
}

static inline void lh_free(lh_table *h)
{
    lethe_tuples_free(h->u);
    for (size_t q = 0; q < h->t.n_qi; q++) {
        lethe_tree_free(h->qi[q].tree);
        free((void *)(uintptr_t)h->qi[q].leaf);
    }
    while (h->n_own > 0)
        free(h->own[--h->n_own]);
    lethe_dict_free(h->sa.values);
    free((void *)(uintptr_t)h->sa.code);
}

/* --- groups by definition --- */

/* rows[i]: of so many rows of tuple i; what the group publishes in column q. */
static inline void lh_published(const lh_table *h, const uint32_t *rows, size_t q, uint32_t *low,
                                uint32_t *high)
{
    const lethe_tree *t = h->column[q].tree;
    uint32_t top = LETHE_NONE;
    *low = UINT32_MAX;
    *high = 0;
    for (size_t i = 0; i < h->u->n; i++) {
        if (rows[i] == 0) continue;
        uint32_t leaf = h->u->leaf[q][i];
        *low = LETHE_MIN(*low, leaf);
        *high = LETHE_MAX(*high, leaf);
        if (top == LETHE_NONE) top = leaf;
        while (leaf < top || leaf >= t->end[top])
            top = t->parent[top];
    }
    if (!h->column[q].at) *low = *high = top;
}

static inline uint64_t lh_loss(const lh_table *h, const uint32_t *rows)
{
    uint64_t n = 0, sum = 0;
    uint32_t low, high;
    for (size_t i = 0; i < h->u->n; i++)
        n += rows[i];
    for (size_t q = 0; n > 0 && q < h->u->n_qi; q++) {
        lh_published(h, rows, q, &low, &high);
        sum += h->column[q].at ? h->column[q].at[high] - h->column[q].at[low]
                               : h->column[q].weight[low];
    }
    return n * sum;
}

static inline bool lh_valid(const lh_table *h, const uint32_t *rows)
{
    uint64_t n = 0, with[LH_SA] = {0}, distinct = 0;
    for (size_t i = 0; i < h->u->n; i++) {
        n += rows[i];
        with[h->u->sa[i]] += rows[i];
    }
    if (n == 0 || n < h->group.k) return false;
    if (h->d.rows_only) return true;
    for (uint32_t v = 0; v < LH_SA; v++) {
        distinct += with[v] > 0;
        if (h->group.theta && with[v] * h->theta[v].den > h->theta[v].num * n) return false;
    }
    return distinct >= h->group.distinct;
}

/* The least loss of all ways to group the rows, and to delete as many as may be; UINT64_MAX: there
 * is none.  At most LH_BEST rows. */
static inline uint64_t lh_best(const lh_table *h)
{
    size_t n = h->t.n, all = ((size_t)1 << n) - 1;
    static uint64_t cost[1 << LH_BEST], best[1 << LH_BEST];
    uint64_t least = UINT64_MAX;
    for (size_t set = 1; set <= all; set++) {
        uint32_t rows[LH_BEST] = {0};
        for (size_t i = 0; i < n; i++)
            rows[h->u->of_row[i]] += set >> i & 1;
        cost[set] = lh_valid(h, rows) ? lh_loss(h, rows) : UINT64_MAX;
    }
    best[0] = 0;
    for (size_t set = 1; set <= all; set++) {
        best[set] = UINT64_MAX;
        for (size_t part = set; part > 0; part = (part - 1) & set) {
            if ((part & (set & (~set + 1))) == 0 || cost[part] == UINT64_MAX) continue;
            if (best[set ^ part] == UINT64_MAX) continue;
            best[set] = LETHE_MIN(best[set], cost[part] + best[set ^ part]);
        }
    }
    for (size_t gone = 0; gone <= all; gone++) {
        uint64_t rows = (uint64_t)__builtin_popcountll(gone);
        if (rows > h->d.max_deleted || best[all ^ gone] == UINT64_MAX) continue;
        least = LETHE_MIN(least, best[all ^ gone] + rows * h->d.deletion_price);
    }
    return least;
}

/* --- checking --- */

static inline int lh_order(const lethe_local_groups *g, size_t n_qi, size_t a, size_t b)
{
    for (int high = 0; high < 2; high++)
        for (size_t q = 0; q < n_qi; q++) {
            const uint32_t *at = high ? g->high : g->low;
            uint32_t x = at[a * n_qi + q], y = at[b * n_qi + q];
            if (x != y) return x < y ? -1 : 1;
        }
    return 0;
}

/* Every row once; groups valid, published as they must be, in order; deletions within bounds; the
 * loss as computed anew. */
static inline void lh_check(const lh_table *h, uint64_t seed, const lethe_local_groups *g)
{
    size_t n = h->u->n, n_qi = h->u->n_qi;
    uint32_t *left = malloc(n * sizeof *left), *rows = malloc(n * sizeof *rows), low, high;
    uint64_t loss = 0, gone = 0;
    memcpy(left, h->u->count, n * sizeof *left);
    for (size_t k = 0; k < g->n; k++) {
        memset(rows, 0, n * sizeof *rows);
        for (size_t m = g->start[k]; m < g->start[k + 1]; m++) {
            lethe_local_member x = g->member[m];
            if (x.tuple >= n || x.rows == 0 || x.rows > left[x.tuple] || rows[x.tuple] > 0)
                fail_msg("seed %" PRIu64 ": a member of group %zu", seed, k);
            if (m > g->start[k] && x.tuple <= g->member[m - 1].tuple)
                fail_msg("seed %" PRIu64 ": members out of order", seed);
            rows[x.tuple] = x.rows;
            left[x.tuple] -= x.rows;
        }
        if (!lh_valid(h, rows)) fail_msg("seed %" PRIu64 ": group %zu is not valid", seed, k);
        for (size_t q = 0; q < n_qi; q++) {
            lh_published(h, rows, q, &low, &high);
            if (g->low[k * n_qi + q] != low || g->high[k * n_qi + q] != high)
                fail_msg("seed %" PRIu64 ": what group %zu publishes", seed, k);
        }
        if (k > 0 && lh_order(g, n_qi, k - 1, k) >= 0)
            fail_msg("seed %" PRIu64 ": groups out of order, or alike", seed);
        loss += lh_loss(h, rows);
    }
    for (size_t m = 0; m < g->n_deleted; m++) {
        lethe_local_member x = g->deleted[m];
        if (x.tuple >= n || x.rows == 0 || x.rows > left[x.tuple])
            fail_msg("seed %" PRIu64 ": a deleted row", seed);
        left[x.tuple] -= x.rows;
        gone += x.rows;
    }
    for (size_t i = 0; i < n; i++)
        if (left[i] != 0) fail_msg("seed %" PRIu64 ": a row is in no group", seed);
    if (gone != g->deleted_rows || gone > h->d.max_deleted)
        fail_msg("seed %" PRIu64 ": number of deleted rows", seed);
    if (g->loss != loss + gone * h->d.deletion_price) fail_msg("seed %" PRIu64 ": the loss", seed);
    free(left);
    free(rows);
}

#endif
