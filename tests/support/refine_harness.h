/* SPDX-License-Identifier: Apache-2.0 */
/* refine_harness.h - small records over small trees, in groups; what groups cost, by definition. */
#ifndef LETHE_TESTS_REFINE_HARNESS_H
#define LETHE_TESTS_REFINE_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "method/cluster/refine/refine_ggd.h"
#include "method/cluster/refine/refine_start.h"

enum { F_NODES = 24, F_RECORDS = 64, F_ITEMS = 8 };

static inline uint64_t f_next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}
static inline uint32_t f_below(uint64_t *s, uint64_t n) { return (uint32_t)(f_next(s) % n); }

typedef struct f_case {
    lethe_ctx *ctx;
    lethe_tree *t;
    lethe_arena *arena;
    uint32_t item[F_RECORDS][F_ITEMS], n_items[F_RECORDS];
    uint32_t owner[F_RECORDS], group[F_RECORDS];
    lethe_ancestors vector[F_RECORDS];
    lethe_refine_grouping g;
} f_case;

static inline lethe_ctx *f_ctx(unsigned threads)
{
    lethe_settings set = {.n_threads = threads};
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    return ctx;
}

static inline lethe_tree *f_tree(const uint32_t *parent, uint32_t n)
{
    lethe_str names[F_NODES];
    char text[F_NODES][16];
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "n%u", i);
        names[i] = lethe_str_of(text[i]);
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, names, &t), LETHE_OK);
    return t;
}

static inline lethe_tree *f_random_tree(uint64_t *s)
{
    uint32_t parent[F_NODES] = {LETHE_NONE}, n = 2 + f_below(s, F_NODES - 1);
    bool broad = f_below(s, 2);
    for (uint32_t i = 1; i < n; i++)
        parent[i] = broad ? f_below(s, LETHE_MIN(i, 5)) : f_below(s, i);
    return f_tree(parent, n);
}

/* Bags of leaves, from a few topics so that some are near; ctx and k are the caller's. */
static inline void f_random_records(f_case *c, uint64_t *s, size_t n)
{
    uint32_t leaf[F_NODES], n_leaves = 0;
    for (uint32_t v = 0; v < c->t->n; v++)
        if (lethe_tree_is_leaf(c->t, v)) leaf[n_leaves++] = v;
    c->g.n = n;
    c->g.group = c->group;
    for (size_t r = 0; r < n; r++) {
        uint32_t topic = f_below(s, n_leaves), wide = 1 + f_below(s, n_leaves);
        c->n_items[r] = f_below(s, F_ITEMS);
        for (uint32_t i = 0; i < c->n_items[r]; i++)
            c->item[r][i] = leaf[(topic + f_below(s, wide)) % n_leaves];
        assert_int_equal(
            lethe_ancestors_of(c->t, c->item[r], c->n_items[r], c->arena, &c->vector[r]), LETHE_OK);
    }
}

/* --- the oracle --- */

/* How many items of record r are at or below v, by climbing. */
static inline uint32_t f_count(const f_case *c, uint32_t r, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_items[r]; i++)
        for (uint32_t u = c->item[r][i]; u != LETHE_NONE; u = c->t->parent[u])
            n += u == v;
    return n;
}

/* GGD by its definition: each record is published as the least common generalization, at LM for
 * each item of it, and 1 for each item beyond as many. */
static inline uint64_t f_cost(const f_case *c, const uint32_t *member, size_t n)
{
    uint32_t least[F_NODES], copies[F_NODES];
    uint64_t published = 0, lm = 0, cost = 0;
    for (uint32_t v = 0; v < c->t->n; v++) {
        least[v] = UINT32_MAX;
        for (size_t i = 0; i < n; i++)
            least[v] = LETHE_MIN(least[v], f_count(c, member[i], v));
        copies[v] = least[v];
    }
    for (uint32_t v = 1; v < c->t->n; v++)
        copies[c->t->parent[v]] -= least[v];
    for (uint32_t v = 0; v < c->t->n; v++) {
        published += copies[v];
        lm += (uint64_t)copies[v] * lethe_tree_lm(c->t, v);
    }
    for (size_t i = 0; i < n; i++)
        cost += lm + (c->n_items[member[i]] - published) * lethe_tree_scale(c->t);
    return cost;
}

static inline size_t f_members(const f_case *c, const uint32_t *group, uint32_t g, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t r = 0; r < c->g.n; r++)
        if (group[r] == g) out[n++] = r;
    return n;
}

static inline size_t f_persons(const f_case *c, const uint32_t *group, uint32_t g)
{
    size_t n = 0;
    for (uint32_t r = 0; r < c->g.n; r++) {
        bool first = group[r] == g;
        for (uint32_t q = 0; c->g.owner && q < r; q++)
            first &= group[q] != g || c->g.owner[q] != c->g.owner[r];
        n += first;
    }
    return n;
}

static inline uint64_t f_group_cost(const f_case *c, const uint32_t *group, uint32_t g)
{
    uint32_t member[F_RECORDS];
    size_t n = f_members(c, group, g, member);
    return n > 0 ? f_cost(c, member, n) : 0;
}

static inline uint64_t f_total(const f_case *c, const uint32_t *group, uint32_t n_groups)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < n_groups; g++)
        sum += f_group_cost(c, group, g);
    return sum;
}

static inline bool f_is_good(const f_case *c, const uint32_t *group, uint32_t n_groups)
{
    for (size_t r = 0; r < c->g.n; r++)
        if (group[r] >= n_groups) return false;
    for (uint32_t g = 0; g < n_groups; g++)
        if (f_persons(c, group, g) < c->g.k) return false;
    return true;
}

/* A grouping with k persons in each group: groups of k persons as they come, the rest to any.
 * False: too few persons. */
static inline bool f_random_groups(f_case *c, uint64_t *s)
{
    uint32_t order[F_RECORDS], n = (uint32_t)c->g.n, group = 0;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = f_below(s, i), x = order[j];
        order[j] = order[i - 1];
        order[i - 1] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
        c->group[order[i]] = group;
        if (f_below(s, 4) == 0) continue; // some are larger
        for (uint32_t j = i + 1; j < n; j++)
            c->group[order[j]] = LETHE_NONE;
        group += f_persons(c, c->group, group) >= c->g.k;
    }
    for (uint32_t i = 0; i < n; i++)
        if (group > 0 && c->group[i] == group && f_persons(c, c->group, group) < c->g.k)
            c->group[i] = LETHE_NONE;
    uint32_t full = group;
    if (f_persons(c, c->group, group) >= c->g.k) full++;
    for (uint32_t i = 0; i < n; i++)
        if (c->group[i] >= full) c->group[i] = full > 0 ? f_below(s, full) : 0;
    c->g.n_groups = full;
    return full > 0;
}

static inline void f_free(f_case *c)
{
    lethe_tree_free(c->t);
    lethe_arena_free(c->arena);
}

#endif
