/* SPDX-License-Identifier: Apache-2.0 */
/* Lowest common ancestors after Schieber & Vishkin, "On Finding Lowest Common Ancestors:
 * Simplification and Parallelization", SIAM J. Comput. 17(6), 1988.
 *
 * Write [v + 1, end[v]] for the subtree of v, counting from 1.  The *label* of v is the number in
 * that interval with the most zeros at its end: it is unique, and follows from v and end[v], so it
 * is not stored.  Nodes of one label form a path downwards, and the label of an ancestor is an
 * ancestor of the label in the complete binary tree whose inorder numbers are 1, 2, 3, ...  (height
 * of a label there: its zeros at the end.)
 *   path[v]   bit h: a node from the root to v has a label of height h.
 *   heads[l]  the uppermost node with label l. */
#include "model/tree/tree_build.h"

enum { N_ROWS = 8 };

/* --- labels --- */

static unsigned high_bit(uint32_t x) { return 31u - (unsigned)__builtin_clz(x); }
static unsigned low_bit(uint32_t x) { return (unsigned)__builtin_ctz(x); }

/* The highest bit in which v and end[v] differ is set in end[v]: what is below it can be zero. */
static uint32_t label_of(const uint32_t *end, uint32_t v)
{
    return end[v] & (UINT32_MAX << high_bit(v ^ end[v]));
}

/* The label of height h that is `label` itself or above it. */
static uint32_t label_above(uint32_t label, unsigned h)
{
    return (label | UINT32_C(1) << h) & (UINT32_MAX << h);
}

/* The lowest node from v upwards, v included, whose label has height h; there is one. */
static uint32_t climb(const lethe_tree *t, uint32_t v, uint32_t label, unsigned h)
{
    if (low_bit(label) == h) return v;
    unsigned below = high_bit(t->path[v] & ((UINT32_C(1) << h) - 1));
    return t->parent[t->heads[label_above(label, below)]];
}

uint32_t lethe_tree_lca(const lethe_tree *t, uint32_t u, uint32_t v)
{
    assert(u < t->n && v < t->n);
    if (lethe_tree_covers(t, u, v)) return u;
    if (lethe_tree_covers(t, v, u)) return v;
    uint32_t lu = label_of(t->end, u), lv = label_of(t->end, v);
    // Neither is above the other, so they are on different paths: lu and lv differ.  What is above
    // both is no lower than where these part; bits below a node's own height path[] never has.
    unsigned h = low_bit(t->path[u] & t->path[v] & (UINT32_MAX << high_bit(lu ^ lv)));
    uint32_t x = climb(t, u, lu, h), y = climb(t, v, lv, h);
    return LETHE_MIN(x, y); // both on one path downwards: the upper has the lower number
}

uint32_t lethe_tree_distance(const lethe_tree *t, uint32_t u, uint32_t v)
{
    const uint32_t *level = t->level;
    uint32_t top = level[lethe_tree_lca(t, u, v)];
    return (level[u] - top) + (level[v] - top);
}

/* --- names --- */

lethe_str lethe_tree_name(const lethe_tree *t, uint32_t v)
{
    assert(v < t->n);
    return lethe_dict_at(t->names, t->name[v]);
}

uint32_t lethe_tree_find(const lethe_tree *t, lethe_str name)
{
    uint32_t id = lethe_dict_find(t->names, name);
    return id == LETHE_NONE ? LETHE_NONE : t->node[id];
}

/* --- arrays --- */

lethe_tree *lethe_tree_new(uint32_t n, lethe_tree_rows *rows)
{
    size_t stride = (size_t)n + 1;
    lethe_tree *t = lethe_alloc(1, sizeof *t);
    uint32_t *at = t ? lethe_alloc(stride, N_ROWS * sizeof *at) : NULL;
    if (!at) {
        lethe_free(t);
        return NULL;
    }
    uint32_t **const each[N_ROWS] = {&rows->parent, &rows->end,   &rows->leaves, &rows->level,
                                     &rows->path,   &rows->heads, &rows->name,   &rows->node};
    for (size_t i = 0; i < N_ROWS; i++)
        *each[i] = at + i * stride;
    rows->pairs = rows->leaves; // and `level`, which follows
    *t = (lethe_tree){.n = n,
                      .parent = rows->parent,
                      .end = rows->end,
                      .leaves = rows->leaves,
                      .level = rows->level,
                      .path = rows->path,
                      .heads = rows->heads,
                      .name = rows->name,
                      .node = rows->node};
    return t;
}

size_t lethe_tree_bytes(const lethe_tree *t)
{
    return (size_t)t->n * 9 * sizeof(uint32_t) + lethe_dict_bytes(t->names);
}

void lethe_tree_free(lethe_tree *t)
{
    if (!t) return;
    lethe_dict_free(t->names);
    lethe_free((void *)t->parent); // the first of the arrays, which are one block
    lethe_free(t);
}

void lethe_tree_finish(lethe_tree *t, const lethe_tree_rows *r)
{
    // Children have higher numbers, so from the last node on every subtree is complete when it is
    // added to its parent.
    for (uint32_t v = 0; v < t->n; v++)
        r->end[v] = v + 1, r->leaves[v] = 0;
    for (uint32_t v = t->n; v-- > 0;) {
        if (r->end[v] == v + 1) r->leaves[v] = 1;
        if (v == 0) break;
        uint32_t p = r->parent[v];
        r->leaves[p] += r->leaves[v];
        r->end[p] = LETHE_MAX(r->end[p], r->end[v]);
    }
    r->level[0] = t->height = 0;
    memset(r->heads, 0, ((size_t)t->n + 1) * sizeof *r->heads); // not all numbers are labels
    uint32_t label = label_of(r->end, 0);
    r->path[0] = UINT32_C(1) << low_bit(label);
    r->heads[label] = 0;
    for (uint32_t v = 1; v < t->n; v++) {
        uint32_t p = r->parent[v];
        r->level[v] = r->level[p] + 1;
        t->height = LETHE_MAX(t->height, r->level[v]);
        label = label_of(r->end, v);
        r->path[v] = r->path[p] | UINT32_C(1) << low_bit(label);
        if (label != label_of(r->end, p)) r->heads[label] = v;
    }
    for (uint32_t v = 0; v < t->n; v++)
        r->node[r->name[v]] = v;
}

/* --- growing --- */

/* Into `buf`: as many = as it takes, one at least, and `name`. */
static lethe_err name_leaf(lethe_dict *names, lethe_str name, lethe_buf *buf, uint32_t *out)
{
    uint32_t before = lethe_dict_count(names);
    buf->n = 0;
    LETHE_TRY(lethe_buf_put(buf, "=", 1));
    LETHE_TRY(lethe_buf_str(buf, name));
    for (;;) {
        LETHE_TRY(lethe_dict_add(names, (lethe_str){(char *)buf->at, buf->n}, out));
        if (*out == before) return LETHE_OK; // new
        LETHE_TRY(lethe_buf_reserve(buf, 1));
        memmove(buf->at + 1, buf->at, buf->n++);
    }
}

/* The old names under their old numbers, then the new ones. */
static lethe_err names_grown(const lethe_tree *t, const uint32_t *inner, size_t n,
                             lethe_dict *names, lethe_buf *buf)
{
    uint32_t id;
    for (uint32_t i = 0; i < t->n; i++)
        LETHE_TRY(lethe_dict_add(names, lethe_dict_at(t->names, i), &id));
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(name_leaf(names, lethe_tree_name(t, inner[i]), buf, &id));
    return LETHE_OK;
}

lethe_err lethe_tree_grow(lethe_diag *d, const lethe_tree *t, const uint32_t *inner, size_t n,
                          lethe_tree **out)
{
    lethe_tree_rows rows;
    lethe_buf buf = {0};
    if (n >= LETHE_NONE - t->n) return lethe_no_memory(d);
    uint32_t *moved = lethe_alloc(t->n, sizeof *moved);
    lethe_tree *g = moved ? lethe_tree_new(t->n + (uint32_t)n, &rows) : NULL;
    if (g) g->names = lethe_dict_new();
    lethe_err e = g && g->names ? names_grown(t, inner, n, g->names, &buf) : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        // Nodes in their order, each inner one followed by its leaf. `moved` takes their new
        // numbers.
        uint32_t next = 0;
        size_t i = 0;
        for (uint32_t v = 0; v < t->n; v++) {
            moved[v] = next;
            rows.parent[next] = v == 0 ? LETHE_NONE : moved[t->parent[v]];
            rows.name[next++] = t->name[v];
            if (i == n || inner[i] != v) continue;
            assert(!lethe_tree_is_leaf(t, v));
            rows.parent[next] = moved[v];
            rows.name[next++] = t->n + (uint32_t)i++;
        }
        assert(i == n); // inner nodes of this tree, ascending
        lethe_tree_finish(g, &rows);
        *out = g;
    }
    lethe_free(moved);
    lethe_buf_free(&buf);
    if (e == LETHE_OK) return LETHE_OK;
    lethe_tree_free(g);
    return lethe_no_memory(d);
}
