/* SPDX-License-Identifier: Apache-2.0 */
/* erola_literal.h - interests as tables, and the groups of Algorithms 3 and 4 of Erola and others
 * as printed, with their misprints corrected (docs/microagg.md): a matrix of all pairs, searched
 * completely each time. */
#ifndef LETHE_TESTS_EROLA_LITERAL_H
#define LETHE_TESTS_EROLA_LITERAL_H
#include "method/microagg/group_search.h"
#include <stdbool.h>
#include <stdlib.h>

/* users x categories, 0: none. */
typedef struct c_table {
    uint32_t n, n_categories;
    uint32_t *count;
} c_table;

static inline c_table c_table_new(uint32_t n, uint32_t n_categories)
{
    c_table t = {n, n_categories, calloc((size_t)n * n_categories + 1, sizeof *t.count)};
    if (!t.count) abort();
    return t;
}

static inline uint32_t *c_at(const c_table *t, uint32_t user, uint32_t category)
{
    return &t->count[(size_t)user * t->n_categories + category];
}

static inline lethe_microagg_interests c_interests(const c_table *t)
{
    size_t n = 0, all = (size_t)t->n * t->n_categories;
    for (size_t i = 0; i < all; i++)
        n += t->count[i] > 0;
    uint64_t *start = calloc(t->n + 1, sizeof *start);
    uint32_t *category = calloc(n + 1, sizeof *category), *count = calloc(n + 1, sizeof *count);
    if (!start || !category || !count) abort();
    n = 0;
    for (uint32_t u = 0; u < t->n; u++) {
        for (uint32_t c = 0; c < t->n_categories; c++) {
            if (*c_at(t, u, c) == 0) continue;
            category[n] = c;
            count[n++] = *c_at(t, u, c);
        }
        start[u + 1] = n;
    }
    return (lethe_microagg_interests){t->n, t->n_categories, start, category, count};
}

static inline void c_interests_free(lethe_microagg_interests *of)
{
    free((void *)(uintptr_t)of->start);
    free((void *)(uintptr_t)of->category);
    free((void *)(uintptr_t)of->count);
}

static inline uint64_t *c_matrix(const c_table *t)
{
    uint64_t *m = calloc((size_t)t->n * t->n + 1, sizeof *m);
    if (!m) abort();
    for (uint32_t u = 0; u < t->n; u++)
        for (uint32_t v = 0; v < t->n; v++)
            for (uint32_t c = 0; c < t->n_categories; c++) {
                uint32_t a = *c_at(t, u, c), b = *c_at(t, v, c);
                m[(size_t)u * t->n + v] += a < b ? a : b;
            }
    return m;
}

typedef struct c_literal {
    uint32_t n, k;
    const uint64_t *m;
    uint32_t *group; /* UINT32_MAX: of none yet */
} c_literal;

static inline uint64_t c_sum(const c_literal *h, uint32_t user, uint32_t group, uint64_t *size)
{
    uint64_t sum = 0;
    *size = 0;
    for (uint32_t v = 0; v < h->n; v++) {
        if (h->group[v] != group) continue;
        sum += h->m[(size_t)user * h->n + v];
        ++*size;
    }
    return sum;
}

static inline void c_first_two(c_literal *h, uint32_t group)
{
    uint32_t a = UINT32_MAX, b = 0;
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = i + 1; j < h->n; j++) {
            if (h->group[i] != UINT32_MAX || h->group[j] != UINT32_MAX) continue;
            if (a != UINT32_MAX && h->m[(size_t)i * h->n + j] <= h->m[(size_t)a * h->n + b])
                continue;
            a = i;
            b = j;
        }
    h->group[a] = h->group[b] = group;
}

static inline void c_one_more(c_literal *h, uint32_t group)
{
    uint32_t best = UINT32_MAX;
    uint64_t most = 0, size;
    for (uint32_t u = 0; u < h->n; u++) {
        if (h->group[u] != UINT32_MAX) continue;
        uint64_t sum = c_sum(h, u, group, &size);
        if (best != UINT32_MAX && sum <= most) continue;
        best = u;
        most = sum;
    }
    h->group[best] = group;
}

/* n / k groups; `group` has room for n. */
static inline void c_groups(uint32_t n, const uint64_t *matrix, uint32_t k, uint32_t *group)
{
    c_literal h = {n, k, matrix, group};
    for (uint32_t u = 0; u < n; u++)
        group[u] = UINT32_MAX;
    for (uint32_t g = 0; g < n / k; g++) {
        c_first_two(&h, g);
        for (uint32_t i = 2; i < k; i++)
            c_one_more(&h, g);
    }
    for (uint32_t u = 0; u < n; u++) {
        if (group[u] != UINT32_MAX) continue;
        uint32_t best = 0;
        uint64_t most = 0, most_size = 1;
        for (uint32_t g = 0; g < n / k; g++) {
            uint64_t size, sum = c_sum(&h, u, g, &size);
            if (sum > UINT64_MAX / n) abort(); // the products below are exact
            if (sum * most_size <= most * size) continue;
            most = sum;
            most_size = size;
            best = g;
        }
        group[u] = best;
    }
}

#endif
