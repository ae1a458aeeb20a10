/* SPDX-License-Identifier: Apache-2.0 */
/* table_beside_place.c - values of the original find their place below published ones by names
 * alone: ranges of values, and columns whose hierarchy is not at hand. */
#include "model/table/table_beside_internal.h"

/* --- ranges of values --- */

static lethe_err span_fault(lethe_diag *d, const lethe_qi *qi)
{
    return lethe_fail_at(d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                         "column '%.*s': a value is not a range of the original's values",
                         (int)qi->name.n, qi->name.at);
}

/* The place of the first leaf whose number is not below x, or (`after`) is above it. */
static uint32_t place_find(const lethe_number *at, uint32_t n, lethe_number x, bool after)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = lethe_number_cmp(at[mid], x);
        if (order < 0 || (after && order == 0))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* "34-37" and "34": a minus may come first of either end. */
static bool ends_parse(lethe_str s, lethe_number *low, lethe_number *high)
{
    size_t dash = s.n > 0;
    while (dash < s.n && s.at[dash] != '-')
        dash++;
    if (!lethe_number_parse((lethe_str){s.at, dash}, low)) return false;
    *high = *low;
    return dash == s.n || lethe_number_parse((lethe_str){s.at + dash + 1, s.n - dash - 1}, high);
}

lethe_err lethe_beside_spans(lethe_diag *d, lethe_arena *a, const lethe_qi *qi,
                             const lethe_published_hierarchy *h, lethe_beside_qi *to)
{
    const lethe_tree *t = qi->tree;
    uint32_t n = lethe_dict_count(to->column->values), n_leaves = 0;
    lethe_number *at = lethe_new(a, lethe_number, (size_t)t->n + 1);
    uint32_t *place = lethe_new(a, uint32_t, (size_t)t->n + 1),
             *low = lethe_new(a, uint32_t, (size_t)n + 1),
             *high = lethe_new(a, uint32_t, (size_t)n + 1);
    double *lm = lethe_new(a, double, (size_t)n + 1);
    if (!at || !place || !low || !high || !lm) return lethe_no_memory(d);
    // leaves rise with their numbers
    for (uint32_t v = 0; v < t->n; v++) {
        place[v] = LETHE_NONE;
        if (!lethe_tree_is_leaf(t, v)) continue;
        if (!lethe_number_parse(lethe_tree_name(t, v), &at[n_leaves])) return span_fault(d, qi);
        place[v] = n_leaves++;
    }
    // by another table's range the widths would mean something else
    if (!lethe_str_eq(lethe_dict_at(h->names, 0), lethe_tree_name(t, 0))) return span_fault(d, qi);
    double width = lethe_number_minus(at[n_leaves - 1], at[0]);
    for (uint32_t i = 0; i < n; i++) {
        lethe_str name = lethe_dict_at(to->column->values, i);
        lethe_number least, most;
        if (lethe_dict_find(h->names, name) == LETHE_NONE || !ends_parse(name, &least, &most))
            return span_fault(d, qi);
        low[i] = place_find(at, n_leaves, least, false);
        high[i] = place_find(at, n_leaves, most, true);
        if (low[i] >= high[i] || lethe_number_cmp(at[low[i]], least) != 0 ||
            lethe_number_cmp(at[high[i] - 1], most) != 0)
            return span_fault(d, qi); // its ends are numbers that occur
        if (width > 0) lm[i] = lethe_number_minus(most, least) / width;
    }
    to->kind = LETHE_BESIDE_SPANS;
    to->lm = lm;
    to->place = place;
    to->low = low;
    to->high = high;
    to->n_places = n_leaves;
    to->doubtful = LETHE_NONE;
    return LETHE_OK;
}

/* --- columns whose hierarchy is not at hand --- */

static bool is_above(const lethe_published_hierarchy *h, uint32_t above, uint32_t node)
{
    while (node != LETHE_NONE && node != above)
        node = h->parent[node];
    return node == above;
}

/* Is the listed node a leaf for certain?  One with a single leaf may be an inner node above it; but
 * if a value of the original has its name, an inner node would have got one more leaf for that. */
static bool is_leaf(const lethe_published_hierarchy *h, uint32_t u, const lethe_tree *t)
{
    uint32_t v = lethe_tree_find(t, lethe_dict_at(h->names, u));
    return h->leaves[u] == 1 && v != LETHE_NONE && lethe_tree_is_leaf(t, v);
}

/* May a node that is listed be the leaf `=NAME` below the inner node NAME, which stands for the
 * value of that name? */
static bool has_own_leaf(const lethe_published_hierarchy *h, uint32_t inner)
{
    lethe_str name = lethe_dict_at(h->names, inner);
    for (uint32_t u = inner + 1; u < h->n; u++) {
        lethe_str own = lethe_dict_at(h->names, u);
        if (h->parent[u] == inner && h->leaves[u] == 1 && own.n > name.n && own.at[0] == '=' &&
            memcmp(own.at + (own.n - name.n), name.at, name.n) == 0)
            return true;
    }
    return false;
}

static void leaf_place(const lethe_tree *t, uint32_t leaf, lethe_beside_qi *to)
{
    const lethe_published_hierarchy *h = to->listed;
    uint32_t u = lethe_dict_find(h->names, lethe_tree_name(t, leaf));
    if (u != LETHE_NONE) { // it is that node, or a leaf right below it
        to->known[leaf] = u;
        to->doubt[leaf] = h->leaves[u] > 1 && has_own_leaf(h, u);
        return;
    }
    to->known[leaf] = 0;
    to->doubt[leaf] = to->open[0];
}

/* By leaf, the lowest published value at or above what is known; by value, the next above. */
static lethe_err chains_make(lethe_arena *a, const lethe_tree *t, lethe_beside_qi *to)
{
    const lethe_published_hierarchy *h = to->listed;
    uint32_t n = lethe_dict_count(to->column->values);
    uint32_t *nearest = lethe_new(a, uint32_t, (size_t)h->n + 1),
             *lowest = lethe_new(a, uint32_t, (size_t)t->n + 1),
             *next = lethe_new(a, uint32_t, (size_t)n + 1);
    if (!nearest || !lowest || !next) return LETHE_ENOMEM;
    for (uint32_t u = 0; u < h->n; u++)
        nearest[u] = LETHE_NONE;
    for (uint32_t i = 0; i < n; i++)
        nearest[to->at[i]] = i;
    for (uint32_t i = 0; i < n; i++)
        next[i] = LETHE_NONE;
    for (uint32_t u = 1; u < h->n; u++) { // a parent stands before its children
        uint32_t above = nearest[h->parent[u]];
        if (nearest[u] == LETHE_NONE)
            nearest[u] = above;
        else
            next[nearest[u]] = above;
    }
    to->n_doubts = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        bool leaf = lethe_tree_is_leaf(t, v);
        lowest[v] = leaf ? nearest[to->known[v]] : LETHE_NONE;
        to->n_doubts += leaf && to->doubt[v];
    }
    to->lowest = lowest;
    to->next = next;
    return LETHE_OK;
}

/* Which leaf of a row is in doubt, and how many such rows might be below each published value. */
static lethe_err doubts_settle(lethe_arena *a, const lethe_qi *qi, size_t n_rows,
                               lethe_beside_qi *to)
{
    const lethe_published_hierarchy *h = to->listed;
    uint32_t n = lethe_dict_count(to->column->values);
    uint64_t *rows = lethe_new(a, uint64_t, (size_t)h->n + 1); // in doubt, known to be below
    uint64_t *perhaps = lethe_new(a, uint64_t, (size_t)n + 1);
    if (!rows || !perhaps) return LETHE_ENOMEM;
    to->doubtful = LETHE_NONE;
    for (size_t i = 0; to->n_doubts && i < n_rows; i++) {
        if (!to->doubt[qi->leaf[i]]) continue;
        to->doubtful = qi->leaf[i];
        rows[to->known[qi->leaf[i]]]++;
    }
    for (uint32_t u = 1; u < h->n; u++)
        rows[u] += rows[h->parent[u]];
    for (uint32_t i = 0; i < n; i++)
        if (to->at[i] != 0 && !to->closed[i]) perhaps[i] = rows[h->parent[to->at[i]]];
    to->perhaps = perhaps;
    return LETHE_OK;
}

lethe_err lethe_beside_place(lethe_diag *d, lethe_arena *a, const lethe_table *table,
                             const lethe_qi *qi, const lethe_published_hierarchy *h,
                             lethe_beside_qi *to)
{
    const lethe_tree *t = qi->tree;
    uint32_t n = lethe_dict_count(to->column->values);
    uint32_t *at = lethe_new(a, uint32_t, (size_t)n + 1);
    double *lm = lethe_new(a, double, (size_t)n + 1);
    bool *closed = lethe_new(a, bool, (size_t)n + 1),
         *holds_more = lethe_new(a, bool, (size_t)h->n + 1);
    bool *open = lethe_new(a, bool, (size_t)h->n + 1);
    to->known = lethe_new(a, uint32_t, (size_t)t->n + 1);
    to->doubt = lethe_new(a, bool, (size_t)t->n + 1);
    if (!at || !lm || !closed || !holds_more || !open || !to->known || !to->doubt)
        return lethe_no_memory(d);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = lethe_dict_find(h->names, lethe_dict_at(to->column->values, i));
        if (at[i] == LETHE_NONE)
            return lethe_fail_at(d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                                 "column '%.*s': a value is not in taxonomy.tsv", (int)qi->name.n,
                                 qi->name.at);
        closed[i] = is_leaf(h, at[i], t);
        holds_more[at[i]] = !closed[i];
        if (h->leaves[0] > 1) lm[i] = (double)(h->leaves[at[i]] - 1) / (double)(h->leaves[0] - 1);
    }
    for (uint32_t u = h->n; u-- > 1;)
        if (open[u] || holds_more[u]) open[h->parent[u]] = true;
    to->kind = LETHE_BESIDE_PLACED;
    to->listed = h;
    to->at = at;
    to->closed = closed;
    to->open = open;
    to->lm = lm;
    for (uint32_t v = 0; v < t->n; v++)
        if (lethe_tree_is_leaf(t, v)) leaf_place(t, v, to);
    if (chains_make(a, t, to) != LETHE_OK) return lethe_no_memory(d);
    if (doubts_settle(a, qi, table->n, to) != LETHE_OK) return lethe_no_memory(d);
    return LETHE_OK;
}

/* --- what a map tells --- */

/* Which values of a column are settled: nothing published, of several leaves, is below what is
 * known. */
static lethe_err column_learn(lethe_table_beside *b, size_t a, const uint64_t *row)
{
    const lethe_qi *qi = &b->original->qi[a];
    lethe_beside_qi *to = &b->qi[a];
    const lethe_published_hierarchy *h = to->listed;
    uint32_t *found = lethe_new(b->arena, uint32_t, (size_t)qi->tree->n + 1);
    bool *torn = lethe_new(b->arena, bool, (size_t)qi->tree->n + 1);
    if (!found || !torn) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < qi->tree->n; v++)
        found[v] = LETHE_NONE;
    for (size_t i = 0; i < b->original->n; i++) {
        uint32_t leaf = qi->leaf[i];
        if (row[i] >= b->published->n || !to->doubt[leaf]) continue;
        uint32_t node = to->at[to->column->code[row[i]]];
        if (found[leaf] == LETHE_NONE || is_above(h, found[leaf], node))
            found[leaf] = node;
        else if (!is_above(h, node, found[leaf]))
            torn[leaf] = true; // the map is at odds with any hierarchy
    }
    for (uint32_t v = 0; v < qi->tree->n; v++) {
        if (found[v] == LETHE_NONE || torn[v] || !is_above(h, to->known[v], found[v])) continue;
        to->known[v] = found[v];
        // where published values stand apart there is no other
        to->doubt[v] = b->overlap && to->open[found[v]];
    }
    if (chains_make(b->arena, qi->tree, to) != LETHE_OK) return LETHE_ENOMEM;
    return doubts_settle(b->arena, qi, b->original->n, to);
}

lethe_err lethe_beside_learn(lethe_table_beside *b, const uint64_t *row)
{
    for (size_t a = 0; a < b->original->n_qi; a++)
        if (b->qi[a].kind == LETHE_BESIDE_PLACED && b->qi[a].n_doubts > 0)
            LETHE_TRY(column_learn(b, a, row));
    return LETHE_OK;
}

uint32_t lethe_beside_doubt(const lethe_table_beside *b)
{
    for (size_t a = 0; a < b->original->n_qi; a++)
        if (b->qi[a].kind == LETHE_BESIDE_PLACED && b->qi[a].doubtful != LETHE_NONE)
            return (uint32_t)a;
    return LETHE_NONE;
}

uint64_t lethe_beside_perhaps(const lethe_beside_qi *qi, uint32_t value)
{
    return qi->kind == LETHE_BESIDE_PLACED ? qi->perhaps[value] : 0;
}
