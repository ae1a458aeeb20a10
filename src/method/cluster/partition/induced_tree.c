/* SPDX-License-Identifier: Apache-2.0 */
/* induced_tree.c - marks the nodes at or above an item, and numbers them and the items anew. */
#include "method/cluster/partition/induced_tree.h"
#include "core/mem.h"

enum { CHUNK = 1024 }; /* records per piece of work */

/* Which nodes of the tree are present, as bits, and how many are before each word of them. */
typedef struct marks {
    uint64_t *bit;
    uint32_t *before;
    size_t n_words;
} marks;

static bool mark(marks *m, uint32_t v)
{
    uint64_t bit = UINT64_C(1) << (v % 64);
    if (m->bit[v / 64] & bit) return false;
    m->bit[v / 64] |= bit;
    return true;
}

/* How many present nodes are before v; v may be the tree's n. */
static uint32_t rank_of(const marks *m, uint32_t v)
{
    uint64_t below = m->bit[v / 64] & ((UINT64_C(1) << (v % 64)) - 1);
    return m->before[v / 64] + (uint32_t)__builtin_popcountll(below);
}

struct build {
    const lethe_tree *t;
    const lethe_records *r;
    marks *m;
    uint32_t *item;
};

static lethe_err number_items(void *arg, size_t chunk, unsigned w)
{
    const struct build *b = arg;
    const lethe_records *r = b->r;
    size_t from = chunk * CHUNK, to = LETHE_MIN(from + CHUNK, r->n);
    (void)w;
    for (size_t i = from; i < to; i++) {
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
            b->item[k] = rank_of(b->m, r->item[k]);
        lethe_sort_u32(b->item + r->start[i], (size_t)lethe_record_size(r, i));
    }
    return LETHE_OK;
}

static lethe_err build(lethe_ctx *ctx, struct build *b, lethe_induced_tree *p)
{
    const lethe_records *r = b->r;
    const lethe_tree *t = b->t;
    marks *m = b->m;
    uint32_t n = 0;
    mark(m, 0);
    for (uint64_t i = 0; i < r->start[r->n]; i++)
        for (uint32_t v = r->item[i]; mark(m, v);)
            v = t->parent[v];
    for (size_t w = 0; w < m->n_words; w++) {
        m->before[w] = n;
        n += (uint32_t)__builtin_popcountll(m->bit[w]);
    }
    uint32_t *node = lethe_alloc(n, sizeof *node), *end = lethe_alloc(n, sizeof *end),
             *lm = lethe_alloc(n, sizeof *lm), *child = lethe_alloc(n, sizeof *child),
             *child_at = lethe_alloc_zero((size_t)n + 1, sizeof *child_at);
    p->item = b->item = lethe_alloc(r->start[r->n], sizeof *b->item);
    p->n = n;
    p->node = node;
    p->end = end;
    p->lm = lm;
    p->child = child;
    p->child_at = child_at;
    p->start = r->start;
    if (!node || !end || !lm || !child_at || !child || !b->item) return LETHE_ENOMEM;
    for (size_t w = 0, i = 0; w < m->n_words; w++) {
        for (uint64_t bits = m->bit[w]; bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            node[i] = v;
            lm[i] = lethe_tree_lm(t, v);
            end[i++] = rank_of(m, t->end[v]);
        }
    }
    // preorder puts children after their parent, ascending: first how many there are, then which
    for (uint32_t v = 1; v < n; v++)
        child_at[rank_of(m, t->parent[node[v]])]++;
    for (uint32_t v = 0, sum = 0; v <= n; v++) {
        uint32_t own = child_at[v];
        p->most_children = LETHE_MAX(p->most_children, own);
        child_at[v] = sum;
        sum += own;
    }
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t c = v + 1, k = child_at[v]; c < end[v]; c = end[c])
            child[k++] = c;
    return lethe_pool_for(ctx, (r->n + CHUNK - 1) / CHUNK, number_items, b);
}

lethe_err lethe_induced_tree_new(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *r,
                                 lethe_induced_tree **out)
{
    marks m = {.n_words = (size_t)t->n / 64 + 1};
    struct build b = {.t = t, .r = r, .m = &m};
    lethe_induced_tree *p = lethe_alloc_zero(1, sizeof *p);
    lethe_err err = LETHE_ENOMEM;
    m.bit = lethe_alloc_zero(m.n_words, sizeof *m.bit);
    m.before = lethe_alloc(m.n_words, sizeof *m.before);
    if (p && m.bit && m.before) err = build(ctx, &b, p);
    lethe_free(m.bit);
    lethe_free(m.before);
    if (err == LETHE_OK)
        *out = p;
    else
        lethe_induced_tree_free(p);
    return err;
}

void lethe_induced_tree_free(lethe_induced_tree *p)
{
    if (!p) return;
    const void *const all[] = {p->node, p->end, p->lm, p->child_at, p->child, p->item, p};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free((void *)all[i]);
}
