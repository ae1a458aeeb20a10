/* SPDX-License-Identifier: Apache-2.0 */
/* tree_oracle.h - what a tree must be, recomputed from parent[] alone.
 *
 * tree_fault() climbs and counts for every node and every pair: small trees only.  For large ones
 * tree_fault_large() looks at each node once, and at pairs that it is given.  Both say what is
 * wrong, or NULL; they stand apart from cmocka, so that fuzz targets can use them. */
#ifndef TREE_ORACLE_H
#define TREE_ORACLE_H
#include "model/tree/tree.h"

static inline bool tree_is_above(const lethe_tree *t, uint32_t a, uint32_t v)
{
    while (v != a && v != LETHE_NONE)
        v = t->parent[v];
    return v == a;
}

static inline uint32_t tree_climbs(const lethe_tree *t, uint32_t v)
{
    uint32_t n = 0;
    for (; t->parent[v] != LETHE_NONE; v = t->parent[v])
        n++;
    return n;
}

/* The first node from u upwards that is above v too. */
static inline uint32_t tree_slow_lca(const lethe_tree *t, uint32_t u, uint32_t v)
{
    while (!tree_is_above(t, u, v))
        u = t->parent[u];
    return u;
}

/* Preorder: every node stands below the one before it or below one of that one's ancestors. */
static inline const char *tree_order_fault(const lethe_tree *t)
{
    if (t->n == 0 || t->parent[0] != LETHE_NONE) return "node 0 is not the root";
    for (uint32_t v = 1; v < t->n; v++) {
        if (t->parent[v] >= v) return "a parent does not come before its child";
        uint32_t w = v - 1;
        while (w != t->parent[v] && w != LETHE_NONE)
            w = t->parent[w];
        if (w == LETHE_NONE) return "the numbers are not in preorder";
    }
    return NULL;
}

static inline const char *tree_names_fault(const lethe_tree *t)
{
    if (lethe_dict_count(t->names) != t->n) return "not as many names as nodes";
    for (uint32_t v = 0; v < t->n; v++) {
        if (t->node[t->name[v]] != v) return "name and node do not agree";
        if (lethe_tree_name(t, v).n == 0) return "an empty name";
        if (lethe_tree_find(t, lethe_tree_name(t, v)) != v) return "a name finds another node";
    }
    return NULL;
}

/* Subtree, leaves and level of v by looking at all nodes. */
static inline const char *tree_node_fault(const lethe_tree *t, uint32_t v)
{
    uint32_t n = 0, leaves = 0, children = 0, seen = 0;
    for (uint32_t w = 0; w < t->n; w++) {
        if (tree_is_above(t, v, w) != lethe_tree_covers(t, v, w)) return "covers is wrong";
        if (t->parent[w] == v) children++;
        if (!tree_is_above(t, v, w)) continue;
        bool leaf = true;
        for (uint32_t x = w + 1; x < t->n && leaf; x++)
            leaf = t->parent[x] != w;
        n++;
        leaves += leaf;
    }
    if (t->end[v] != v + n) return "end is wrong";
    if (t->leaves[v] != leaves || lethe_tree_lm(t, v) != leaves - 1) return "leaves are wrong";
    if (t->level[v] != tree_climbs(t, v)) return "level is wrong";
    if (lethe_tree_is_leaf(t, v) != (children == 0)) return "is_leaf is wrong";
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c], seen++)
        if (t->parent[c] != v) return "what is visited is not a child";
    return seen == children ? NULL : "not all children are visited";
}

static inline const char *tree_pair_fault(const lethe_tree *t, uint32_t u, uint32_t v)
{
    uint32_t w = tree_slow_lca(t, u, v);
    if (lethe_tree_lca(t, u, v) != w) return "lca is wrong";
    uint32_t d = tree_climbs(t, u) + tree_climbs(t, v) - 2 * tree_climbs(t, w);
    return lethe_tree_distance(t, u, v) == d ? NULL : "distance is wrong";
}

static inline const char *tree_fault(const lethe_tree *t)
{
    uint32_t height = 0;
    const char *fault = tree_order_fault(t);
    if (!fault) fault = tree_names_fault(t);
    for (uint32_t v = 0; v < t->n && !fault; v++) {
        fault = tree_node_fault(t, v);
        for (uint32_t u = 0; u < t->n && !fault; u++)
            fault = tree_pair_fault(t, u, v);
        height = LETHE_MAX(height, t->level[v]);
    }
    if (!fault && height != t->height) fault = "height is wrong";
    if (!fault && lethe_tree_scale(t) != t->leaves[0] - 1) fault = "scale is wrong";
    return fault;
}

/* Each node against its parent, and against the node before it; and lca of n pairs, by climbing
 * with the levels that were just checked. */
static inline const char *tree_fault_large(const lethe_tree *t, const uint32_t (*pairs)[2],
                                           size_t n)
{
    uint32_t height = 0;
    uint64_t ends = 0, leaves = 0;
    const char *fault = tree_order_fault(t);
    if (!fault) fault = tree_names_fault(t);
    if (fault) return fault;
    if (t->level[0] != 0 || t->end[0] != t->n) return "the root is wrong";
    for (uint32_t v = 1; v < t->n; v++) {
        if (t->level[v] != t->level[t->parent[v]] + 1) return "level is wrong";
        height = LETHE_MAX(height, t->level[v]);
    }
    for (uint32_t v = 0; v < t->n; v++) {
        bool leaf = v + 1 == t->n || t->parent[v + 1] != v; // preorder: a first child comes next
        if (leaf != lethe_tree_is_leaf(t, v)) return "is_leaf is wrong";
        leaves += leaf;
        uint32_t sum = leaf, c = v + 1;
        for (; c < t->end[v]; c = t->end[c]) {
            if (t->parent[c] != v) return "what is visited is not a child";
            sum += t->leaves[c];
            ends++;
        }
        if (c != t->end[v] || sum != t->leaves[v]) return "end or leaves are wrong";
    }
    if (ends != t->n - 1) return "not all children are visited";
    if (leaves != t->leaves[0] || height != t->height) return "leaves or height are wrong";
    for (size_t i = 0; i < n; i++) {
        uint32_t u = pairs[i][0], v = pairs[i][1];
        while (u != v) {
            if (t->level[u] >= t->level[v])
                u = t->parent[u];
            else
                v = t->parent[v];
        }
        if (lethe_tree_lca(t, pairs[i][0], pairs[i][1]) != u) return "lca is wrong";
    }
    return NULL;
}

#endif
