/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a quasi-identifier become leaves of its hierarchy.  In turn: the hierarchy as it is
 * given or made, a leaf for the missing value, leaves for values that name an inner node. */
#include "model/table/table_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* All values below one root, whose name one of them may have: that one is an inner node, then. */
static lethe_err flat_tree(lethe_diag *d, const lethe_dict *values, lethe_tree **out)
{
    uint32_t n = lethe_dict_count(values), used = 1;
    lethe_str *name = lethe_alloc((size_t)n + 1, sizeof *name);
    uint32_t *parent = lethe_alloc_zero((size_t)n + 1, sizeof *parent);
    lethe_err e = name && parent ? LETHE_OK : lethe_no_memory(d);
    if (e == LETHE_OK) {
        name[0] = LETHE_LIT("*");
        parent[0] = LETHE_NONE;
        for (uint32_t i = 0; i < n; i++) {
            lethe_str value = lethe_dict_at(values, i);
            bool aside =
                lethe_str_eq(value, name[0]) || lethe_str_eq(value, LETHE_LIT(LETHE_MISSING));
            if (!aside) name[used++] = value;
        }
        qsort(name + 1, used - 1, sizeof *name, lethe_strs_cmp);
        e = lethe_tree_from(d, used, parent, name, out);
    }
    lethe_free_all(name, parent);
    return e;
}

/* The same tree with one leaf more, below the root and behind all others. */
static lethe_err with_missing(lethe_diag *d, const lethe_tree *t, lethe_tree **out)
{
    size_t n = (size_t)t->n + 1;
    lethe_str *name = lethe_alloc(n, sizeof *name);
    uint32_t *parent = lethe_alloc(n, sizeof *parent);
    lethe_err e = name && parent ? LETHE_OK : lethe_no_memory(d);
    if (e == LETHE_OK) {
        memcpy(parent, t->parent, t->n * sizeof *parent);
        parent[t->n] = 0;
        for (uint32_t v = 0; v < t->n; v++)
            name[v] = lethe_tree_name(t, v);
        name[t->n] = LETHE_LIT(LETHE_MISSING);
        e = lethe_tree_from(d, t->n + 1, parent, name, out);
    }
    lethe_free_all(name, parent);
    return e;
}

/* One number has one leaf, however it is written. */
static uint32_t node_of(const lethe_tree *t, const lethe_ranges *ranges, lethe_str value)
{
    lethe_number x;
    char text[LETHE_NUMBER_TEXT];
    if (!ranges || !lethe_number_parse(value, &x)) return lethe_tree_find(t, value);
    return lethe_tree_find(t, (lethe_str){text, lethe_number_print(x, text)});
}

/* Leaves for the values of `t`; *grown: the tree to go on with, NULL where `t` is (and is not
 * `borrowed`). */
static lethe_err bind(lethe_diag *d, const lethe_tree *t, bool borrowed, const lethe_ranges *ranges,
                      const lethe_dict *values, lethe_tree **grown, uint32_t *leaf)
{
    uint32_t n = lethe_dict_count(values), *inner = lethe_alloc(n, sizeof *inner);
    if (!inner) return lethe_no_memory(d);
    // Finds the values, and writes down which inner nodes are among them; how many of these.
    size_t n_inner = 0;
    for (uint32_t i = 0; i < n; i++) {
        leaf[i] = node_of(t, ranges, lethe_dict_at(values, i));
        assert(leaf[i] != LETHE_NONE); // what the hierarchy lacks was rejected
        if (!lethe_tree_is_leaf(t, leaf[i])) inner[n_inner++] = leaf[i];
    }
    if (n_inner > 0) qsort(inner, n_inner, sizeof *inner, lethe_u32_cmp);
    lethe_err e = LETHE_OK;
    if (borrowed || n_inner > 0) e = lethe_tree_grow(d, t, inner, n_inner, grown);
    for (uint32_t i = 0; e == LETHE_OK && i < n; i++)
        leaf[i] +=
            (uint32_t)lethe_gallop(inner, n_inner, leaf[i]) + !lethe_tree_is_leaf(t, leaf[i]);
    lethe_free(inner);
    return e;
}

lethe_err lethe_table_tree(lethe_diag *d, const lethe_tree *hierarchy, const lethe_ranges *ranges,
                           const lethe_dict *values, lethe_tree **tree, uint32_t *leaf)
{
    lethe_tree *made = NULL, *more = NULL, *grown = NULL;
    lethe_err e = LETHE_OK;
    if (hierarchy) ranges = NULL;
    if (!hierarchy)
        e = ranges ? lethe_ranges_tree(d, ranges, values, &made) : flat_tree(d, values, &made);
    const lethe_tree *t = made ? made : hierarchy;
    lethe_str missing = LETHE_LIT(LETHE_MISSING);
    if (e == LETHE_OK && lethe_dict_find(values, missing) != LETHE_NONE &&
        lethe_tree_find(t, missing) == LETHE_NONE) {
        e = with_missing(d, t, &more);
        if (e == LETHE_OK) {
            lethe_tree_free(made);
            t = made = more;
        }
    }
    if (e == LETHE_OK) e = bind(d, t, !made, ranges, values, &grown, leaf);
    if (e == LETHE_OK) *tree = grown ? grown : made;
    if (e != LETHE_OK || grown) lethe_tree_free(made);
    return e;
}
