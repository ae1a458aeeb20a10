/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a release to nodes of its taxonomy: single nodes and bags of several. */
#include "model/published/published_items.h"
#include "core/sort.h"
#include <stdlib.h>

lethe_err lethe_item_read(const lethe_tree *t, lethe_str item, lethe_arena *a, lethe_u32s *to)
{
    uint32_t v = lethe_tree_find(t, item);
    if (v != LETHE_NONE) return lethe_u32s_append(a, to, &v, 1);
    if (item.n == 0 || !memchr(item.at, LETHE_BAG_JOINT, item.n)) return LETHE_OK;
    // No name of a node is empty, so an empty part is none.
    size_t began = to->n;
    lethe_str part, before = {NULL, 0};
    for (bool more = true; more; before = part) {
        const char *joint = item.n ? memchr(item.at, LETHE_BAG_JOINT, item.n) : NULL;
        part = (lethe_str){item.at, joint ? (size_t)(joint - item.at) : item.n};
        if (joint) item = (lethe_str){joint + 1, item.n - part.n - 1};
        more = joint != NULL;
        v = lethe_str_cmp(before, part) < 0 ? lethe_tree_find(t, part) : LETHE_NONE;
        lethe_err e = v == LETHE_NONE ? LETHE_OK : lethe_u32s_append(a, to, &v, 1);
        if (v != LETHE_NONE && e == LETHE_OK) continue;
        to->n = began;
        return e;
    }
    return LETHE_OK;
}

/* Sorts, and leaves out what is below another: in preorder that comes after it, and before all that
 * is not.  How many are left. */
static size_t reduce(const lethe_tree *t, uint32_t *node, size_t n)
{
    size_t kept = 0;
    if (n > 1) qsort(node, n, sizeof *node, lethe_u32_cmp);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || !lethe_tree_covers(t, node[kept - 1], node[i])) node[kept++] = node[i];
    return kept;
}

lethe_err lethe_published_items_read(const lethe_tree *t, const lethe_dict *items, lethe_arena *a,
                                     lethe_published_items *out)
{
    uint32_t n = lethe_dict_count(items);
    uint64_t *first = lethe_new(a, uint64_t, (size_t)n + 1);
    lethe_u32s node = {0};
    if (!first) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        size_t began = node.n;
        LETHE_TRY(lethe_item_read(t, lethe_dict_at(items, i), a, &node));
        if (node.n > began) node.n = began + reduce(t, node.at + began, node.n - began);
        first[i + 1] = node.n;
    }
    *out = (lethe_published_items){t, n, first, node.at};
    return LETHE_OK;
}

uint32_t lethe_item_above(const lethe_published_items *p, uint32_t i)
{
    if (lethe_item_size(p, i) == 0) return LETHE_NONE;
    // what is between the first and the last of nodes in preorder is below what both are below
    return lethe_tree_lca(p->tree, p->node[p->first[i]], p->node[p->first[i + 1] - 1]);
}

uint32_t lethe_item_leaves(const lethe_published_items *p, uint32_t i)
{
    uint32_t sum = 0; // they are leaves of one tree, and none counts twice
    for (uint64_t k = p->first[i]; k < p->first[i + 1]; k++)
        sum += p->tree->leaves[p->node[k]];
    return sum;
}
