/* SPDX-License-Identifier: Apache-2.0 */
/* meaning_table.c - levels of lowest common ancestors, in a table.
 *
 * Terms are sorted, and numbers of nodes are a preorder.  So the lowest common ancestor of terms i
 * < j is an ancestor of all terms between them, and that of some two neighbours: its level is the
 * least among those of the neighbours i and i + 1, ..., j - 1 and j.  Row p of the table holds the
 * least of each 2^p neighbours, and any range is the union of two such (M. A. Bender and M.
 * Farach-Colton, "The LCA Problem Revisited", LATIN 2000).  A distance reads four places near each
 * other; lethe_tree_lca reads about eleven of a tree that is many times larger than the terms. */
#include "method/cluster/ssg/meaning_internal.h"

/* Beyond so many entries (16 MB) the tree itself is asked. */
#define MOST ((size_t)8 << 20)

static unsigned high_bit(size_t x) { return 63u - (unsigned)__builtin_clzll(x); }

bool lethe_meaning_table_new(lethe_meaning *m)
{
    const lethe_tree *t = m->tree;
    size_t rows = m->n > 1 ? high_bit(m->n - 1) + 1 : 0;
    if (rows == 0 || t->height > UINT16_MAX || m->n > MOST / rows) return true;
    m->place = lethe_alloc(t->n, sizeof *m->place);
    m->shared = lethe_alloc(rows * m->n, sizeof *m->shared);
    if (!m->place || !m->shared) return false;
    for (uint32_t v = 0; v < t->n; v++)
        m->place[v] = (struct lethe_meaning_place){LETHE_NONE, 0};
    for (uint32_t i = 0; i < m->n; i++)
        m->place[m->term[i]] = (struct lethe_meaning_place){i, t->level[m->term[i]]};
    for (size_t i = 0; i + 1 < m->n; i++)
        m->shared[i] = (uint16_t)t->level[lethe_tree_lca(t, m->term[i], m->term[i + 1])];
    for (size_t p = 1; p < rows; p++) {
        const uint16_t *above = m->shared + (p - 1) * m->n;
        for (size_t i = 0; i + ((size_t)1 << p) < m->n; i++)
            m->shared[p * m->n + i] = LETHE_MIN(above[i], above[i + ((size_t)1 << (p - 1))]);
    }
    return true;
}

uint32_t lethe_meaning_tree_distance(const lethe_meaning *m, uint32_t x, uint32_t y)
{
    if (x == y) return 0;
    if (!m->place) return lethe_tree_distance(m->tree, x, y);
    struct lethe_meaning_place a = m->place[x], b = m->place[y];
    if (a.at == LETHE_NONE || b.at == LETHE_NONE) return lethe_tree_distance(m->tree, x, y);
    uint32_t from = LETHE_MIN(a.at, b.at), to = LETHE_MAX(a.at, b.at);
    unsigned p = high_bit(to - from);
    const uint16_t *row = m->shared + p * m->n;
    uint32_t top = LETHE_MIN(row[from], row[to - ((size_t)1 << p)]);
    return a.level - top + (b.level - top);
}
