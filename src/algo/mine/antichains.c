/* SPDX-License-Identifier: Apache-2.0 */
/* antichains.c - sets of nodes, none above another, counted by intersecting what holds them. */
#include "algo/mine/antichains.h"
#include "core/sort.h"
#include "core/mem.h"
#include <stdatomic.h>

/* What holds a pattern: rows, each a transaction or one of its copies.  As bits where that is
 * smaller than a list of numbers. */
typedef struct rows {
    uint32_t n;
    bool listed;
    uint64_t *bit;
    uint32_t *list;
} rows;

/* One set of transactions. */
typedef struct side {
    const lethe_transactions *t;
    uint32_t n_rows;
    size_t words;
    uint32_t *count; /* by node */
    rows *of;        /* by node, of the frequent ones */
} side;

/* Of the pattern down to here; its rows among the original's are kept while it is frequent there.
 */
typedef struct level {
    rows published, original;
    uint32_t *node; /* by which it can grow, ascending; and the supports that this gives */
    uint32_t *in_published, *in_original;
    uint32_t n;
} level;

struct worker {
    lethe_arena *arena;
    level *at; /* by number of nodes - 1 */
    size_t n_levels, cap_levels;
    lethe_antichains sums;
};

struct antichain_counter {
    lethe_ctx *ctx;
    const lethe_antichains_asked *asked;
    lethe_arena *arena;
    uint32_t least;
    side published, original;
    uint32_t *node; /* frequent in what was published, ascending */
    uint32_t n_nodes;
    struct worker *worker;
    unsigned n_workers;
    atomic_ullong found;
};

/* --- rows of nodes --- */

static uint32_t weight_of(const lethe_transactions *t, size_t i)
{
    return t->weight ? t->weight[i] : 1;
}

static bool listed(uint32_t n, const side *s) { return n < s->n_rows / 32; }

/* Every node that a transaction has, itself or below: counted, or its rows filled in. */
static void nodes_walk(const lethe_tree *tree, side *s, uint64_t *stamp, bool fill)
{
    const lethe_transactions *t = s->t;
    uint32_t row = 0;
    memset(stamp, 0, tree->n * sizeof *stamp);
    for (size_t i = 0; i < t->n; i++) {
        uint32_t weight = weight_of(t, i);
        for (uint64_t k = t->start[i]; k < t->start[i + 1]; k++) {
            uint32_t v = t->item[k] < tree->n ? t->item[k] : LETHE_NONE;
            for (; v != LETHE_NONE && stamp[v] != i + 1; v = tree->parent[v]) {
                stamp[v] = i + 1;
                rows *r = &s->of[v];
                if (!fill) s->count[v] += weight;
                for (uint32_t at = row; fill && (r->bit || r->list) && at < row + weight; at++) {
                    if (r->listed)
                        r->list[r->n] = at;
                    else
                        r->bit[at / 64] |= (uint64_t)1 << (at % 64);
                    r->n++;
                }
            }
        }
        row += weight;
    }
}

static lethe_err side_count(struct antichain_counter *c, side *s, uint64_t *stamp)
{
    uint64_t total = 0;
    for (size_t i = 0; i < s->t->n; i++) {
        total += weight_of(s->t, i);
        if (total >= LETHE_NONE) return LETHE_EUSAGE;
    }
    s->n_rows = (uint32_t)total;
    s->words = (s->n_rows + (size_t)63) / 64;
    s->count = lethe_new(c->arena, uint32_t, c->asked->tree->n);
    s->of = lethe_new(c->arena, rows, c->asked->tree->n);
    if (!s->count || !s->of) return LETHE_ENOMEM;
    nodes_walk(c->asked->tree, s, stamp, false);
    return LETHE_OK;
}

static lethe_err side_fill(struct antichain_counter *c, side *s, uint64_t *stamp)
{
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        uint32_t v = c->node[i];
        rows *r = &s->of[v];
        if (s->count[v] < c->least) continue;
        r->listed = listed(s->count[v], s);
        if (r->listed)
            r->list = lethe_new(c->arena, uint32_t, s->count[v]);
        else
            r->bit = lethe_new(c->arena, uint64_t, s->words);
        if (!r->list && !r->bit) return LETHE_ENOMEM;
    }
    nodes_walk(c->asked->tree, s, stamp, true);
    return LETHE_OK;
}

/* --- intersections --- */

static bool holds(const rows *r, uint32_t row) { return r->bit[row / 64] >> (row % 64) & 1; }

/* Rows of both, counted, and put into `out` where there is one.  Where they are fewer than `least`
 * it may end early, at less than that. */
static uint32_t lists_meet(const rows *a, const rows *b, uint32_t least, uint32_t *out)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < a->n && at < b->n && n + (a->n - i) >= least; i++) {
        at += (uint32_t)lethe_gallop(b->list + at, b->n - at, a->list[i]);
        if (at == b->n || b->list[at] != a->list[i]) continue;
        if (out) out[n] = a->list[i];
        n++;
    }
    return n;
}

static uint32_t list_in_bits(const rows *a, const rows *b, uint32_t least, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n && n + (a->n - i) >= least; i++) {
        if (!holds(b, a->list[i])) continue;
        if (out) out[n] = a->list[i];
        n++;
    }
    return n;
}

static uint32_t lists_out(const rows *a, const rows *b, uint32_t least, uint32_t *out)
{
    if (!a->listed) return list_in_bits(b, a, least, out);
    if (!b->listed) return list_in_bits(a, b, least, out);
    return a->n <= b->n ? lists_meet(a, b, least, out) : lists_meet(b, a, least, out);
}

/* How many bits both have.  Counted in the bytes of a word, which hold what 31 words can have, by
 * shifts and sums alone: the compiler makes that wide where the machine is, and needs no
 * instruction that some machines lack. */
static uint32_t bits_meet(const uint64_t *a, const uint64_t *b, size_t words)
{
    const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333, m4 = 0x0f0f0f0f0f0f0f0f,
                   m8 = 0x00ff00ff00ff00ff;
    uint32_t n = 0;
    for (size_t i = 0; i < words;) {
        uint64_t bytes = 0;
        for (size_t end = LETHE_MIN(words, i + 31); i < end; i++) {
            uint64_t x = a[i] & b[i];
            x -= x >> 1 & m1;
            x = (x & m2) + (x >> 2 & m2);
            bytes += (x + (x >> 4)) & m4;
        }
        n += (uint32_t)(((bytes & m8) + (bytes >> 8 & m8)) * 0x0001000100010001 >> 48);
    }
    return n;
}

static uint32_t meet_count(const rows *a, const rows *b, size_t words, uint32_t least)
{
    return a->listed || b->listed ? lists_out(a, b, least, NULL) : bits_meet(a->bit, b->bit, words);
}

/* `out` has room for as many bits as there are rows, and n, which is known, is what it gets. */
static void meet(const rows *a, const rows *b, const side *s, uint32_t n, rows *out)
{
    out->n = n;
    out->listed = listed(n, s);
    if (a->listed || b->listed) { // few enough for a list, always
        lists_out(a, b, n, out->list);
        out->listed = true;
    } else if (!out->listed) {
        for (size_t i = 0; i < s->words; i++)
            out->bit[i] = a->bit[i] & b->bit[i];
    } else {
        uint32_t k = 0;
        for (size_t i = 0; i < s->words; i++)
            for (uint64_t w = a->bit[i] & b->bit[i]; w; w &= w - 1)
                out->list[k++] = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(w);
    }
}

/* --- patterns --- */

static bool too_many(struct antichain_counter *c)
{
    return atomic_load_explicit(&c->found, memory_order_relaxed) > c->asked->most;
}

static void pattern_count(struct antichain_counter *c, struct worker *w, uint32_t published,
                          uint32_t original)
{
    w->sums.published++;
    atomic_fetch_add_explicit(&c->found, 1, memory_order_relaxed);
    if (original < c->least) return;
    w->sums.both++;
    w->sums.support += original;
    w->sums.difference += published > original ? published - original : original - published;
}

static lethe_err level_new(struct antichain_counter *c, struct worker *w, size_t i)
{
    if (i < w->n_levels) return LETHE_OK;
    if (w->n_levels == w->cap_levels) {
        size_t cap = 2 * w->cap_levels + 8;
        level *at = lethe_arena_grow(w->arena, w->at, w->cap_levels * sizeof *at, cap * sizeof *at);
        if (!at) return LETHE_ENOMEM;
        w->at = at;
        w->cap_levels = cap;
    }
    level *l = &w->at[i];
    l->published.bit = lethe_new(w->arena, uint64_t, c->published.words + 1);
    l->original.bit = lethe_new(w->arena, uint64_t, c->original.words + 1);
    l->node = lethe_new(w->arena, uint32_t, 3 * (size_t)c->n_nodes);
    if (!l->published.bit || !l->original.bit || !l->node) return LETHE_ENOMEM;
    l->in_published = l->node + c->n_nodes;
    l->in_original = l->in_published + c->n_nodes;
    l->published.list = (uint32_t *)l->published.bit; // one or the other
    l->original.list = (uint32_t *)l->original.bit;
    w->n_levels = i + 1;
    return LETHE_OK;
}

/* The nodes, of those given, by which the pattern of level i can grow; each is a pattern. */
static void level_count(struct antichain_counter *c, struct worker *w, size_t i,
                        const uint32_t *node, uint32_t n)
{
    level *l = &w->at[i];
    l->n = 0;
    for (uint32_t k = 0; k < n && !too_many(c); k++) {
        uint32_t v = node[k], original = 0;
        uint32_t published =
            meet_count(&l->published, &c->published.of[v], c->published.words, c->least);
        if (published < c->least) continue;
        if (l->original.n >= c->least && c->original.count[v] >= c->least)
            original = meet_count(&l->original, &c->original.of[v], c->original.words, c->least);
        pattern_count(c, w, published, original);
        l->node[l->n] = v;
        l->in_published[l->n] = published;
        l->in_original[l->n++] = original;
    }
}

/* All patterns that begin with that of level i, whose last node is v; `node` are those by which
 * those before it could grow and that come after v.  Deep only where it is wide as well, so that
 * the limit on patterns holds the recursion: at depth d there are more than d^2 / 2. */
static lethe_err pattern_grow(struct antichain_counter *c, struct worker *w, size_t i, uint32_t v,
                              const uint32_t *node, uint32_t n)
{
    const lethe_tree *t = c->asked->tree;
    uint32_t skip = (uint32_t)lethe_gallop(node, n, t->end[v]); // nothing below v
    level_count(c, w, i, node + skip, n - skip);
    if (lethe_ctx_cancelled(c->ctx)) return LETHE_ECANCEL;
    if (w->at[i].n < 2) return LETHE_OK;
    LETHE_TRY(level_new(c, w, i + 1));
    for (uint32_t k = 0; k + 1 < w->at[i].n && !too_many(c); k++) {
        const level *l = &w->at[i]; // levels may have moved
        uint32_t u = l->node[k];
        if (l->node[l->n - 1] < t->end[u]) continue;
        level *next = &w->at[i + 1];
        meet(&l->published, &c->published.of[u], &c->published, l->in_published[k],
             &next->published);
        next->original.n = 0;
        if (l->in_original[k] >= c->least)
            meet(&l->original, &c->original.of[u], &c->original, l->in_original[k],
                 &next->original);
        LETHE_TRY(pattern_grow(c, w, i + 1, u, l->node + k + 1, l->n - k - 1));
    }
    return LETHE_OK;
}

static void rows_copy(const rows *r, const side *s, rows *out)
{
    out->n = r->n;
    out->listed = r->listed;
    if (r->listed)
        memcpy(out->list, r->list, r->n * sizeof *r->list);
    else if (r->bit)
        memcpy(out->bit, r->bit, s->words * sizeof *r->bit);
}

/* The patterns whose first node is the i-th. */
static lethe_err count_from(void *arg, size_t i, unsigned wi)
{
    struct antichain_counter *c = arg;
    struct worker *w = &c->worker[wi];
    uint32_t v = c->node[i];
    if (too_many(c)) return LETHE_OK;
    if (!w->arena && !(w->arena = lethe_arena_new())) return LETHE_ENOMEM;
    LETHE_TRY(level_new(c, w, 0));
    pattern_count(c, w, c->published.count[v], c->original.count[v]);
    rows_copy(&c->published.of[v], &c->published, &w->at[0].published);
    rows_copy(&c->original.of[v], &c->original, &w->at[0].original);
    return pattern_grow(c, w, 0, v, c->node + i + 1, c->n_nodes - (uint32_t)i - 1);
}

/* --- the whole --- */

static lethe_err count(struct antichain_counter *c, lethe_antichains *out)
{
    const lethe_tree *t = c->asked->tree;
    uint64_t *stamp = lethe_new(c->arena, uint64_t, t->n);
    c->node = lethe_new(c->arena, uint32_t, t->n);
    c->n_workers = lethe_pool_threads(lethe_ctx_pool(c->ctx));
    c->worker = lethe_new(c->arena, struct worker, c->n_workers);
    if (!stamp || !c->node || !c->worker) return LETHE_ENOMEM;
    LETHE_TRY(side_count(c, &c->published, stamp));
    LETHE_TRY(side_count(c, &c->original, stamp));
    for (uint32_t v = 0; v < t->n; v++)
        if (c->published.count[v] >= c->least) c->node[c->n_nodes++] = v;
    LETHE_TRY(side_fill(c, &c->published, stamp));
    LETHE_TRY(side_fill(c, &c->original, stamp));
    LETHE_TRY(lethe_pool_for(c->ctx, c->n_nodes, count_from, c));
    lethe_antichains sums = {.all = !too_many(c)};
    for (unsigned w = 0; sums.all && w < c->n_workers; w++) {
        sums.published += c->worker[w].sums.published;
        sums.both += c->worker[w].sums.both;
        sums.support += c->worker[w].sums.support;
        sums.difference += c->worker[w].sums.difference;
    }
    *out = sums;
    return LETHE_OK;
}

lethe_err lethe_antichains_count(lethe_ctx *ctx, const lethe_antichains_asked *asked,
                                 lethe_antichains *out)
{
    assert(asked->most <= LETHE_ANTICHAINS_MOST);
    struct antichain_counter c = {.ctx = ctx,
                                  .asked = asked,
                                  .arena = lethe_arena_new(),
                                  .least =
                                      (uint32_t)LETHE_MIN(LETHE_MAX(asked->support, 1), UINT32_MAX),
                                  .published = {.t = asked->published},
                                  .original = {.t = asked->original}};
    atomic_init(&c.found, 0);
    lethe_err e = c.arena ? count(&c, out) : LETHE_ENOMEM;
    for (unsigned w = 0; c.worker && w < c.n_workers; w++)
        lethe_arena_free(c.worker[w].arena);
    lethe_arena_free(c.arena);
    if (e == LETHE_EUSAGE)
        return lethe_fail(ctx, e, "too many transactions: the limit is 4294967294");
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
