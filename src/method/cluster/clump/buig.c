/* SPDX-License-Identifier: Apache-2.0 */
/* buig.c - bottom-up item generalization (buig.h), on a table of the nodes above an item of every
 * bag (the root apart), in preorder.  No others are ever in the result, for MinCount is 0 there;
 * with a node its parent is among them. */
#include "method/cluster/clump/buig.h"

struct table {
    const lethe_tree *t;
    const lethe_ancestors *bag;
    size_t m, n;
    uint32_t *node, *up; /* `up`: the place of its parent; LETHE_NONE: the root */
    uint32_t *copies;    /* in the result, at or below it */
    uint32_t *count;     /* of bag j at i * m + j: items at or below i */
    uint32_t *gone;      /* and those of them that i does not see, because of lines 6-7 */
};

/* Does every bag have the node?  Then its counts go to the next row.  at[j]: where to search from.
 */
static bool is_common(struct table *h, uint32_t node, size_t *at)
{
    uint32_t *count = h->count + h->n * h->m;
    for (size_t j = 0; j < h->m; j++) {
        const lethe_ancestors *b = &h->bag[j];
        at[j] += lethe_ancestors_seek(b->at + at[j], b->n - at[j], node);
        if (at[j] == b->n || b->at[at[j]].node != node) return false;
        count[j] = b->at[at[j]].count;
    }
    return true;
}

static lethe_err list_common(struct table *h, lethe_arena *a)
{
    const lethe_ancestors *few = h->bag; /* the bag with the fewest entries */
    for (size_t j = 1; j < h->m; j++)
        if (h->bag[j].n < few->n) few = &h->bag[j];
    h->node = lethe_new(a, uint32_t, few->n);
    h->up = lethe_new(a, uint32_t, few->n);
    h->copies = lethe_new(a, uint32_t, few->n);
    h->count = lethe_arena_get(a, few->n, h->m * sizeof *h->count);
    h->gone = lethe_arena_get(a, few->n, h->m * sizeof *h->gone);
    size_t *at = lethe_new(a, size_t, h->m);
    if (!h->node || !h->up || !h->copies || !h->count || !h->gone || !at) return LETHE_ENOMEM;
    uint32_t up = LETHE_NONE;
    for (size_t i = 0; i < few->n; i++) {
        uint32_t v = few->at[i].node;
        if (!is_common(h, v, at)) continue;
        while (up != LETHE_NONE && h->t->end[h->node[up]] <= v)
            up = h->up[up];
        h->node[h->n] = v;
        h->up[h->n] = up;
        up = (uint32_t)h->n++;
    }
    return LETHE_OK;
}

/* BUIG(i), lines 4-9, from the last node to the first, so that children come before parents.  R_i
 * is everything below i except what is below the nodes that were put into the result. */
static void generalize(struct table *h)
{
    for (size_t i = h->n; i-- > 0;) {
        const uint32_t *count = h->count + i * h->m, *gone = h->gone + i * h->m;
        uint32_t least = count[0] - gone[0], up = h->up[i];
        for (size_t j = 1; j < h->m; j++)
            least = LETHE_MIN(least, count[j] - gone[j]);
        h->copies[i] += least;
        if (up == LETHE_NONE) continue;
        h->copies[up] += h->copies[i];
        for (size_t j = 0; j < h->m; j++)
            h->gone[up * h->m + j] += least > 0 ? count[j] : gone[j];
    }
}

lethe_err lethe_clump_buig(const lethe_tree *t, const lethe_ancestors *bag, size_t m,
                           lethe_arena *a, lethe_ancestors *out)
{
    struct table h = {.t = t, .bag = bag, .m = m};
    assert(m > 0);
    LETHE_TRY(list_common(&h, a));
    generalize(&h);
    lethe_ancestors_entry *at = lethe_new(a, lethe_ancestors_entry, h.n);
    size_t n = 0;
    uint64_t shortest = bag[0].size;
    if (!at) return LETHE_ENOMEM;
    for (size_t i = 0; i < h.n; i++)
        if (h.copies[i] > 0) at[n++] = (lethe_ancestors_entry){h.node[i], h.copies[i]};
    for (size_t j = 1; j < m; j++)
        shortest = LETHE_MIN(shortest, bag[j].size);
    *out = (lethe_ancestors){at, n, shortest}; // lines 10-11: what is missing is the root's
    return LETHE_OK;
}
