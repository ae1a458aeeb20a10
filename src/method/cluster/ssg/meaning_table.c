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
#include <stdlib.h>

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
        m->place[v] = (lethe_meaning_place){LETHE_NONE, 0, LETHE_MEANING_REACH_ALL};
    for (uint32_t i = 0; i < m->n; i++)
        m->place[m->term[i]] =
            (lethe_meaning_place){i, t->level[m->term[i]], LETHE_MEANING_REACH_ALL};
    for (size_t i = 0; i + 1 < m->n; i++)
        m->shared[i] = (uint16_t)t->level[lethe_tree_lca(t, m->term[i], m->term[i + 1])];
    for (size_t p = 1; p < rows; p++) {
        const uint16_t *above = m->shared + (p - 1) * m->n;
        for (size_t i = 0; i + ((size_t)1 << p) < m->n; i++)
            m->shared[p * m->n + i] = LETHE_MIN(above[i], above[i + ((size_t)1 << (p - 1))]);
    }
    return true;
}

static uint32_t level_shared(const lethe_meaning *m, uint32_t from, uint32_t to)
{
    return lethe_meaning_level_shared(m->shared, m->n, from, to);
}

uint32_t lethe_meaning_tree_distance(const lethe_meaning *m, uint32_t x, uint32_t y)
{
    if (x == y) return 0;
    if (!m->place) return lethe_tree_distance(m->tree, x, y);
    lethe_meaning_place a = m->place[x], b = m->place[y];
    if (a.at == LETHE_NONE || b.at == LETHE_NONE) return lethe_tree_distance(m->tree, x, y);
    uint32_t top = level_shared(m, LETHE_MIN(a.at, b.at), LETHE_MAX(a.at, b.at));
    return a.level - top + (b.level - top);
}

/* --- fans --- */

static int by_position(const void *x, const void *y)
{
    const struct lethe_meaning_rib *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

lethe_err lethe_meaning_fan_set(const lethe_meaning *m, lethe_meaning_fan *f, const uint32_t *term,
                                size_t n)
{
    assert(m->place);
    if (n > f->room) {
        struct lethe_meaning_rib *rib = lethe_realloc(f->rib, 2 * n, sizeof *rib);
        if (!rib) return LETHE_ENOMEM;
        f->rib = rib;
        f->room = 2 * n;
    }
    f->n = n;
    for (uint32_t i = 0; i < n; i++) {
        lethe_meaning_place p = m->place[term[i]];
        assert(p.at != LETHE_NONE);
        f->rib[i] = (struct lethe_meaning_rib){p.at, p.level, 0, i};
    }
    if (n > 1) qsort(f->rib, n, sizeof *f->rib, by_position);
    for (size_t i = 0; i + 1 < n; i++) {
        struct lethe_meaning_rib *r = &f->rib[i];
        r->shared = r->at == r[1].at ? r->level : level_shared(m, r->at, r[1].at);
    }
    return LETHE_OK;
}

void lethe_meaning_fan_free(lethe_meaning_fan *f)
{
    lethe_free(f->rib);
    *f = (lethe_meaning_fan){0};
}

/* From the term outward, the level of the common ancestor is the least so far. */
void lethe_meaning_fan_distances(const lethe_meaning *m, const lethe_meaning_fan *f, uint32_t term,
                                 uint32_t *out)
{
    lethe_meaning_place x = m->place[term];
    const struct lethe_meaning_rib *rib = f->rib;
    size_t lo = 0, hi = f->n;
    assert(x.at != LETHE_NONE);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (rib[mid].at < x.at)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t top = lo < f->n && rib[lo].at > x.at ? level_shared(m, x.at, rib[lo].at) : x.level;
    for (size_t i = lo; i < f->n; i++) {
        uint32_t d = x.level - top + (rib[i].level - top);
        out[rib[i].place] = d <= m->epsilon ? d : LETHE_NONE;
        top = LETHE_MIN(top, rib[i].shared);
    }
    if (lo == 0) return;
    top = level_shared(m, rib[lo - 1].at, x.at);
    for (size_t i = lo; i-- > 0;) {
        uint32_t d = x.level - top + (rib[i].level - top);
        out[rib[i].place] = d <= m->epsilon ? d : LETHE_NONE;
        if (i > 0) top = LETHE_MIN(top, rib[i - 1].shared);
    }
}
