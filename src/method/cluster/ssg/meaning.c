/* SPDX-License-Identifier: Apache-2.0 */
/* meaning.c - terms, the tree metric, and how distances and neighbourhoods are asked for. */
#include "method/cluster/ssg/meaning_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- terms --- */

lethe_str lethe_meaning_dict_name(const void *dict, uint32_t term)
{
    return lethe_dict_at(dict, term);
}

/* A leaf `=NAME` right after NAME was grown for NAME itself; any other one has its own name. */
lethe_str lethe_meaning_tree_name(const void *tree, uint32_t term)
{
    const lethe_tree *t = tree;
    lethe_str name = lethe_tree_name(t, term);
    if (name.at[0] != '=' || term == 0 || t->parent[term] != term - 1) return name;
    lethe_str above = lethe_tree_name(t, t->parent[term]), rest = name;
    while (rest.n > above.n && rest.at[0] == '=')
        rest = (lethe_str){rest.at + 1, rest.n - 1};
    return lethe_str_eq(rest, above) ? above : name;
}

uint32_t lethe_meaning_at(const lethe_meaning *m, uint32_t term)
{
    size_t from = 0, to = m->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (m->term[mid] < term)
            from = mid + 1;
        else
            to = mid;
    }
    return from < m->n && m->term[from] == term ? (uint32_t)from : LETHE_NONE;
}

/* The least position up to `to` from which all terms before `to` are at least `term`. */
static size_t gallop_back(const lethe_meaning *m, size_t to, uint32_t term)
{
    size_t step = 1, from = to;
    while (from > 0 && m->term[from - 1] >= term) {
        to = from - 1;
        from = to > step ? to - step : 0;
        step *= 2;
    }
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (m->term[mid] < term)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* --- the tree metric --- */

/* Positions from .. to - 1 of level at most `deepest`; one of level 0 would be at distance `base`
 * (which can be negative). */
typedef struct range {
    size_t from, to;
    uint64_t deepest;
    int64_t base;
    bool back; /* the last first */
} range;

/* Those below node i of the levels, which covers positions at .. at + width - 1.  Recursion is as
 * deep as the logarithm of the number of terms. */
static void gather(lethe_meaning_asker *a, const range *r, size_t i, size_t at, size_t width)
{
    const lethe_meaning *m = a->m;
    if (at >= r->to || at + width <= r->from || m->level[i] > r->deepest) return;
    if (width == 1) {
        if (at >= m->n) return;
        uint32_t d = (uint32_t)(r->base + (int64_t)m->level[i]);
        a->gathered[r->back ? --a->before : a->n_gathered++] =
            (lethe_meaning_neighbour){d, m->term[at]};
        return;
    }
    gather(a, r, 2 * i + r->back, at + (r->back ? width / 2 : 0), width / 2);
    gather(a, r, 2 * i + !r->back, at + (r->back ? 0 : width / 2), width / 2);
}

static void count_distances(lethe_meaning_asker *a, size_t from, size_t to, uint32_t *most)
{
    for (size_t i = from; i < to; i++) {
        for (uint32_t d = a->gathered[i].distance; *most < d;)
            a->count[++*most + 1] = 0;
        a->count[a->gathered[i].distance + 1]++;
    }
}

static void put_distances(lethe_meaning_asker *a, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        a->around[a->count[a->gathered[i].distance]++] = a->gathered[i];
}

/* Counting sort by distance of the terms gathered before the term and after it, each ascending. */
static void sort_gathered(lethe_meaning_asker *a)
{
    size_t n = a->m->n;
    uint32_t most = 0;
    a->count[0] = a->count[1] = 0;
    count_distances(a, a->before, n, &most);
    count_distances(a, 0, a->n_gathered, &most);
    for (uint32_t d = 0; d < most; d++)
        a->count[d + 1] += a->count[d];
    put_distances(a, a->before, n);
    put_distances(a, 0, a->n_gathered);
    a->n_around = n - a->before + a->n_gathered;
}

/* From ancestor to ancestor, up to epsilon; each has new terms before and after. */
static void tree_neighbourhood(lethe_meaning_asker *a, uint32_t at)
{
    const lethe_meaning *m = a->m;
    const lethe_tree *t = m->tree;
    size_t from = at, to = at;
    uint32_t up = 0;
    a->n_gathered = 0;
    a->before = m->n;
    for (uint32_t v = m->term[at]; v != LETHE_NONE && up <= m->epsilon; v = t->parent[v], up++) {
        size_t left = gallop_back(m, from, v),
               right = to + lethe_gallop(m->term + to, m->n - to, t->end[v]);
        uint64_t deepest = (uint64_t)t->level[v] + (m->epsilon - up);
        int64_t base = (int64_t)up - (int64_t)t->level[v];
        if (left < from) gather(a, &(range){left, from, deepest, base, true}, 1, 0, m->n_level);
        if (to < right) gather(a, &(range){to, right, deepest, base, false}, 1, 0, m->n_level);
        from = left;
        to = right;
    }
    sort_gathered(a);
}

/* No two terms are farther apart than this. */
static size_t tree_farthest(const lethe_meaning *m)
{
    uint32_t deepest = 0;
    for (size_t i = 0; i < m->n; i++)
        deepest = LETHE_MAX(deepest, m->tree->level[m->term[i]]);
    return LETHE_MIN(2 * (size_t)deepest, (size_t)m->epsilon);
}

/* --- the object --- */

void lethe_meaning_free(lethe_meaning *m)
{
    if (!m) return;
    lethe_free(m->term);
    lethe_free(m->level);
    lethe_free(m->place);
    lethe_free(m->shared);
    lethe_meaning_graph_free(&m->graph);
    lethe_free(m);
}

bool lethe_meaning_is_quick(const lethe_meaning *m) { return m->place != NULL; }
lethe_meaning_quick lethe_meaning_quick_of(const lethe_meaning *m)
{
    return (lethe_meaning_quick){m->place, m->shared, m->n, m->epsilon};
}
uint32_t lethe_meaning_unit(const lethe_meaning *m) { return m->unit; }
uint32_t lethe_meaning_epsilon(const lethe_meaning *m) { return m->epsilon; }
size_t lethe_meaning_unknown(const lethe_meaning *m) { return m->unknown; }

lethe_meaning *lethe_meaning_begin(const lethe_meaning_terms *terms, uint32_t unit,
                                   uint32_t epsilon)
{
    lethe_meaning *m = lethe_alloc_zero(1, sizeof *m);
    if (!m) return NULL;
    m->unit = unit;
    m->epsilon = LETHE_MIN(epsilon, LETHE_NONE - 1);
    m->n = terms->n;
    m->term = lethe_alloc(terms->n, sizeof *m->term);
    if (!m->term) {
        lethe_meaning_free(m);
        return NULL;
    }
    for (size_t i = 0; i < terms->n; i++) {
        assert(i == 0 || terms->at[i - 1] < terms->at[i]);
        m->term[i] = terms->at[i];
    }
    return m;
}

lethe_err lethe_meaning_tree(lethe_ctx *ctx, const lethe_tree *t, const lethe_meaning_terms *terms,
                             uint32_t epsilon, lethe_meaning **out)
{
    lethe_meaning *m = lethe_meaning_begin(terms, 1, epsilon);
    if (!m) return lethe_no_memory(ctx);
    assert(m->n == 0 || m->term[m->n - 1] < t->n);
    m->tree = t;
    size_t n = 1;
    while (n < m->n)
        n *= 2;
    m->n_level = n;
    m->level = lethe_alloc(2 * n, sizeof *m->level);
    if (!m->level || !lethe_meaning_table_new(m)) {
        lethe_meaning_free(m);
        return lethe_no_memory(ctx);
    }
    for (size_t i = 0; i < n;
         i++) // leaves without a term are deeper than any; level[1] is the root
        m->level[n + i] = i < m->n ? t->level[m->term[i]] : UINT32_MAX;
    for (size_t i = n; i-- > 1;)
        m->level[i] = LETHE_MIN(m->level[2 * i], m->level[2 * i + 1]);
    lethe_meaning_reach_find(m);
    *out = m;
    return LETHE_OK;
}

/* --- asking --- */

lethe_err lethe_meaning_asker_new(const lethe_meaning *m, lethe_meaning_asker **out)
{
    lethe_meaning_asker *a = lethe_alloc_zero(1, sizeof *a);
    if (!a) return LETHE_ENOMEM;
    a->m = m;
    a->around = lethe_alloc(m->n, sizeof *a->around);
    lethe_err e = a->around ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK && m->tree) {
        a->gathered = lethe_alloc(m->n, sizeof *a->gathered);
        a->count = lethe_alloc(tree_farthest(m) + 2, sizeof *a->count);
        if (!a->gathered || !a->count) e = LETHE_ENOMEM;
    }
    if (e == LETHE_OK && !m->tree) {
        a->kept = lethe_alloc_zero(LETHE_MEANING_CACHED, sizeof *a->kept);
        if (!a->kept) e = LETHE_ENOMEM;
        if (e == LETHE_OK) e = lethe_meaning_search_new(&m->graph, &a->side[0]);
        if (e == LETHE_OK) e = lethe_meaning_search_new(&m->graph, &a->side[1]);
    }
    if (e == LETHE_OK)
        *out = a;
    else
        lethe_meaning_asker_free(a);
    return e;
}

void lethe_meaning_asker_free(lethe_meaning_asker *a)
{
    if (!a) return;
    lethe_free(a->around);
    lethe_free(a->gathered);
    lethe_free(a->count);
    lethe_free(a->kept);
    lethe_meaning_search_free(&a->side[0]);
    lethe_meaning_search_free(&a->side[1]);
    lethe_free(a);
}

/* Searches are expensive, and the same few pairs recur. */
static uint32_t graph_distance(lethe_meaning_asker *a, uint32_t x, uint32_t y)
{
    if (x > y) return graph_distance(a, y, x);
    uint64_t hash = ((uint64_t)x << 32 | y) * UINT64_C(0x9e3779b97f4a7c15);
    struct lethe_meaning_cached *kept = &a->kept[hash >> 50];
    if (kept->x != x || kept->y != y) {
        *kept = (struct lethe_meaning_cached){x, y, lethe_meaning_graph_distance(a, x, y)};
    }
    return kept->distance;
}

uint32_t lethe_meaning_distance(lethe_meaning_asker *a, uint32_t x, uint32_t y)
{
    const lethe_meaning *m = a->m;
    if (m->tree) {
        uint32_t d = lethe_meaning_tree_distance(m, x, y);
        return d <= m->epsilon ? d : LETHE_NONE;
    }
    uint32_t from = lethe_meaning_at(m, x), to = lethe_meaning_at(m, y);
    assert(from != LETHE_NONE && to != LETHE_NONE);
    return from == to ? 0 : graph_distance(a, from, to);
}

static int by_term(const void *x, const void *y)
{
    const lethe_meaning_neighbour *a = x, *b = y;
    return (a->term > b->term) - (a->term < b->term);
}

const lethe_meaning_neighbour *lethe_meaning_neighbourhood(lethe_meaning_asker *a, uint32_t term,
                                                           size_t *n)
{
    uint32_t at = lethe_meaning_at(a->m, term);
    assert(at != LETHE_NONE);
    a->n_around = 0;
    if (a->m->tree) {
        tree_neighbourhood(a, at);
    } else {
        lethe_meaning_graph_neighbourhood(a, at); // by distance: those of one distance go by term
        for (size_t i = 0, end; i < a->n_around; i = end) {
            for (end = i + 1;
                 end < a->n_around && a->around[end].distance == a->around[i].distance;)
                end++;
            if (end - i > 1) qsort(a->around + i, end - i, sizeof *a->around, by_term);
        }
    }
    *n = a->n_around;
    return a->around;
}
