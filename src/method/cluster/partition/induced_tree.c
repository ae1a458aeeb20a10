#include "method/cluster/partition/induced_tree.h"
#include "core/mem.h"

enum { CHUNK = 1024 }; /* records a piece of work */

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

static void mark_all(marks *m, const lethe_tree *t, const lethe_records *r)
{
    uint32_t n = 0;
    mark(m, 0);
    for (uint64_t i = 0; i < r->start[r->n]; i++) {
        for (uint32_t v = r->item[i]; mark(m, v);)
            v = t->parent[v];
    }
    for (size_t w = 0; w < m->n_words; w++) {
        m->before[w] = n;
        n += (uint32_t)__builtin_popcountll(m->bit[w]);
    }
}

typedef struct building {
    const lethe_tree *t;
    const lethe_records *r;
    const marks *m;
    uint32_t *node, *end, *lm, *child_at, *child, *item;
} building;

static void number_nodes(const building *b)
{
    uint32_t n = 0;
    for (size_t w = 0; w < b->m->n_words; w++) {
        for (uint64_t bits = b->m->bit[w]; bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            b->node[n] = v;
            b->lm[n] = lethe_tree_lm(b->t, v);
            b->end[n++] = rank_of(b->m, b->t->end[v]);
        }
    }
}

/* Preorder puts children behind their parent in ascending order: first how many, then where. */
static uint32_t list_children(const building *b, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t v = 1; v < n; v++)
        b->child_at[rank_of(b->m, b->t->parent[b->node[v]])]++;
    for (uint32_t v = 0, sum = 0; v <= n; v++) {
        uint32_t own = b->child_at[v];
        most = LETHE_MAX(most, own);
        b->child_at[v] = sum;
        sum += own;
    }
    for (uint32_t v = 0; v < n; v++) {
        uint32_t k = b->child_at[v];
        for (uint32_t c = v + 1; c < b->end[v]; c = b->end[c])
            b->child[k++] = c;
    }
    return most;
}

static lethe_err number_items(void *arg, size_t chunk, unsigned w)
{
    const building *b = arg;
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

static lethe_err build(lethe_ctx *ctx, building *b, lethe_induced_tree *p)
{
    const lethe_records *r = b->r;
    size_t last = b->m->n_words - 1;
    p->n = b->m->before[last] + (uint32_t)__builtin_popcountll(b->m->bit[last]);
    p->node = b->node = lethe_alloc(p->n, sizeof *b->node);
    p->end = b->end = lethe_alloc(p->n, sizeof *b->end);
    p->lm = b->lm = lethe_alloc(p->n, sizeof *b->lm);
    p->child_at = b->child_at = lethe_alloc_zero((size_t)p->n + 1, sizeof *b->child_at);
    p->child = b->child = lethe_alloc(p->n, sizeof *b->child);
    p->item = b->item = lethe_alloc(r->start[r->n], sizeof *b->item);
    p->start = r->start;
    if (!b->node || !b->end || !b->lm || !b->child_at || !b->child || !b->item) return LETHE_ENOMEM;
    number_nodes(b);
    p->most_children = list_children(b, p->n);
    return lethe_pool_for(ctx, (r->n + CHUNK - 1) / CHUNK, number_items, b);
}

lethe_err lethe_induced_tree_new(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *r,
                                 lethe_induced_tree **out)
{
    marks m = {.n_words = (size_t)t->n / 64 + 1};
    building b = {.t = t, .r = r, .m = &m};
    lethe_induced_tree *p = lethe_alloc_zero(1, sizeof *p);
    lethe_err err = LETHE_ENOMEM;
    m.bit = lethe_alloc_zero(m.n_words, sizeof *m.bit);
    m.before = lethe_alloc(m.n_words, sizeof *m.before);
    if (p && m.bit && m.before) {
        mark_all(&m, t, r);
        err = build(ctx, &b, p);
    }
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
    lethe_free((void *)p->node);
    lethe_free((void *)p->end);
    lethe_free((void *)p->lm);
    lethe_free((void *)p->child_at);
    lethe_free((void *)p->child);
    lethe_free((void *)p->item);
    lethe_free(p);
}
