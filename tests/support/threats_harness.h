/* SPDX-License-Identifier: Apache-2.0 */
/* threats_harness.h - small sets over small taxonomies, by hand or drawn by a seed; and threats by
 * the definitions alone: all decorated itemsets, all cuts. */
#ifndef LETHE_TESTS_THREATS_HARNESS_H
#define LETHE_TESTS_THREATS_HARNESS_H
#include "method/itemset/threats/threats.h"
#include "core/mem.h"
#include <stdio.h>
#include <stdlib.h>

enum { H_NODES = 16, H_SETS = 16, H_MARKS = 3, H_THREATS = 1 << 14, H_CUTS = 4096 };

/* Nodes and items are bits of a mask. */
typedef struct h_case {
    lethe_tree *t;
    size_t n;
    uint32_t items[H_SETS]; /* masks of nodes, none above another in all of them together */
    uint32_t marks[H_SETS];
    lethe_kl kl;
} h_case;

/* --- the same as records --- */

typedef struct h_records {
    lethe_records r;
    uint64_t start[H_SETS + 1], mark_start[H_SETS + 1];
    uint32_t item[H_SETS * H_NODES], mark[H_SETS * H_MARKS];
} h_records;

static inline void h_records_make(const h_case *c, h_records *h)
{
    *h = (h_records){0};
    lethe_dict *marks = lethe_dict_new();
    for (uint32_t s = 0, id; s < H_MARKS; s++)
        assert_int_equal(lethe_dict_add(marks, (lethe_str){&"abc"[s], 1}, &id), LETHE_OK);
    for (size_t i = 0; i < c->n; i++) {
        h->start[i + 1] = h->start[i];
        h->mark_start[i + 1] = h->mark_start[i];
        for (uint32_t v = 0; v < c->t->n; v++)
            if (c->items[i] >> v & 1) h->item[h->start[i + 1]++] = v;
        for (uint32_t s = 0; s < H_MARKS; s++)
            if (c->marks[i] >> s & 1) h->mark[h->mark_start[i + 1]++] = s;
    }
    h->r = (lethe_records){.n = c->n,
                           .start = h->start,
                           .item = h->item,
                           .marks = marks,
                           .mark_start = h->mark_start,
                           .mark = h->mark};
}

static inline void h_records_free(h_records *h) { lethe_dict_free(h->r.marks); }

/* --- by definition --- */

typedef struct h_oracle {
    uint32_t live;            /* nodes */
    bool empty;               /* is the empty set a threat? */
    uint32_t most[H_THREATS]; /* most general undecorated threats, lowest items */
    size_t n;
    uint32_t cut[H_CUTS]; /* valid ones */
    size_t n_cuts;
    uint8_t *seen; /* by mask */
} h_oracle;

static inline uint32_t h_up(const lethe_tree *t, uint32_t mask) /* with all above */
{
    uint32_t up = 0;
    for (uint32_t v = 0; v < t->n; v++)
        if (mask >> v & 1)
            for (uint32_t a = v; a != LETHE_NONE; a = t->parent[a])
                up |= 1u << a;
    return up;
}

/* Without what is above another of them. */
static inline uint32_t h_lowest(const lethe_tree *t, uint32_t mask)
{
    for (uint32_t v = 0; v < t->n; v++)
        if (mask >> v & 1 && t->parent[v] != LETHE_NONE) mask &= ~h_up(t, 1u << t->parent[v]);
    return mask;
}

/* For someone who knows these sensitive items, too. */
static inline bool h_threat_knowing(const h_case *c, const uint32_t *up, const uint32_t *clause,
                                    size_t n, uint32_t absent, uint32_t known)
{
    uint64_t sup = 0, with[H_MARKS] = {0};
    for (size_t i = 0; i < c->n; i++) {
        bool satisfied = (up[i] & absent) == 0 && (known & ~c->marks[i]) == 0;
        for (size_t k = 0; k < n; k++)
            satisfied = satisfied && (up[i] & clause[k]) != 0;
        if (!satisfied) continue;
        sup++;
        for (uint32_t s = 0; s < H_MARKS; s++)
            with[s] += (c->marks[i] & ~known) >> s & 1;
    }
    bool told = false;
    for (uint32_t s = 0; s < H_MARKS; s++)
        told = told || (double)with[s] * c->kl.l > (double)sup;
    return (sup > 0 && sup < c->kl.k) || told;
}

static inline bool h_threat(const h_case *c, const uint32_t *up, const uint32_t *clause, size_t n,
                            uint32_t absent)
{
    bool threat = false;
    for (uint32_t known = 0; known < 1u << H_MARKS; known++)
        if ((uint32_t)__builtin_popcount(known) <= c->kl.sensitive_known)
            threat = threat || h_threat_knowing(c, up, clause, n, absent, known);
    return threat;
}

/* All that may be said to be present: an item; in strict, one of two or three children. */
static inline size_t h_clauses(const h_case *c, uint32_t live, uint32_t *clause)
{
    size_t n = 0;
    for (uint32_t v = 0; v < c->t->n; v++)
        if (live >> v & 1) clause[n++] = 1u << v;
    for (uint32_t v = 0; c->kl.strict && v < c->t->n; v++) {
        uint32_t kid[H_NODES], k = 0;
        for (uint32_t j = 0; j < c->t->n; j++)
            if (live >> j & 1 && c->t->parent[j] == v) kid[k++] = j;
        for (uint32_t x = 0; x < k; x++)
            for (uint32_t y = x + 1; y < k; y++) {
                clause[n++] = 1u << kid[x] | 1u << kid[y];
                for (uint32_t z = y + 1; z < k; z++)
                    clause[n++] = 1u << kid[x] | 1u << kid[y] | 1u << kid[z];
            }
    }
    return n;
}

typedef struct h_search {
    const h_case *c;
    h_oracle *o;
    uint32_t up[H_SETS], clause[1024], chosen[H_NODES];
    size_t n_clauses, n_chosen;
} h_search;

static inline bool h_antichain(const lethe_tree *t, uint32_t mask)
{
    return h_lowest(t, mask) == mask;
}

/* All sets of absent items beside the clauses that were chosen. */
static inline void h_absent(h_search *s, uint32_t from, uint32_t absent, uint64_t leaves)
{
    const lethe_tree *t = s->c->t;
    uint32_t present = 0;
    bool one_item = true;
    for (size_t i = 0; i < s->n_chosen; i++) {
        one_item = one_item && (present & s->chosen[i]) == 0;
        present |= s->chosen[i];
    }
    bool legal = s->c->kl.strict ||
                 (one_item && (present & absent) == 0 && h_antichain(t, present | absent));
    if (legal && h_threat(s->c, s->up, s->chosen, s->n_chosen, absent)) {
        if ((present | absent) == 0) s->o->empty = true;
        s->o->seen[h_lowest(t, present | absent)] = 1;
    }
    for (uint32_t v = from; v < t->n; v++)
        if (s->o->live >> v & 1 && leaves + t->leaves[v] <= s->c->kl.n)
            h_absent(s, v + 1, absent | 1u << v, leaves + t->leaves[v]);
}

static inline void h_present(h_search *s, size_t from)
{
    h_absent(s, 0, 0, 0);
    if (s->n_chosen == s->c->kl.m) return;
    for (size_t i = from; i < s->n_clauses; i++) {
        s->chosen[s->n_chosen++] = s->clause[i];
        h_present(s, i + 1);
        s->n_chosen--;
    }
}

/* All cuts of the live tree: nodes v .. are still to be decided. */
static inline void h_cuts(const h_case *c, h_oracle *o, uint32_t v, uint32_t cut)
{
    const lethe_tree *t = c->t;
    if (v >= t->n) {
        bool valid = !o->empty;
        uint32_t up = h_up(t, cut);
        for (size_t i = 0; i < o->n; i++)
            valid = valid && (o->most[i] & ~up) != 0;
        assert_true(o->n_cuts < H_CUTS);
        if (valid) o->cut[o->n_cuts++] = cut;
        return;
    }
    if (!(o->live >> v & 1)) {
        h_cuts(c, o, v + 1, cut);
        return;
    }
    h_cuts(c, o, t->end[v], cut | 1u << v); // v itself, or what is below it
    bool below = false;
    for (uint32_t j = v + 1; j < t->end[v]; j++)
        below = below || (o->live >> j & 1);
    if (below) h_cuts(c, o, v + 1, cut);
}

static inline void h_oracle_make(const h_case *c, h_oracle *o)
{
    static h_search s;
    size_t all = (size_t)1 << c->t->n;
    s = (h_search){.c = c, .o = o};
    *o = (h_oracle){.live = 1, .seen = calloc(all, 1)};
    assert_non_null(o->seen);
    for (size_t i = 0; i < c->n; i++)
        o->live |= s.up[i] = h_up(c->t, c->items[i]);
    s.n_clauses = h_clauses(c, o->live, s.clause);
    h_present(&s, 0);
    for (size_t x = 0; x < all; x++) {
        if (!o->seen[x] || x == 0) continue;
        bool most = !o->empty;
        for (size_t y = 1; y < all && most; y++)
            most = !(o->seen[y] && y != x && (y & ~(size_t)h_up(c->t, (uint32_t)x)) == 0);
        if (most) o->most[o->n++] = (uint32_t)x;
    }
    h_cuts(c, o, 0, 0);
    free(o->seen);
}

/* --- what was found --- */

static inline uint32_t h_mask(const lethe_threats *f, size_t i)
{
    uint32_t mask = 0;
    for (uint64_t k = f->start[i]; k < f->start[i + 1]; k++) {
        assert_true(k == f->start[i] || f->item[k] > f->item[k - 1]);
        mask |= 1u << f->item[k];
    }
    return mask;
}

/* Threats come in order of their items. */
static inline void h_expect_order(const lethe_threats *f)
{
    for (size_t i = 1; i < f->n; i++) {
        uint64_t a = f->start[i - 1], b = f->start[i];
        while (a < f->start[i] && b < f->start[i + 1] && f->item[a] == f->item[b])
            a++, b++;
        assert_true(b < f->start[i + 1] && (a == f->start[i] || f->item[a] < f->item[b]));
    }
}

/* Nodes below locked ones. */
static inline uint32_t h_below_locked(const h_case *c, const uint8_t *locked)
{
    uint32_t mask = 0;
    for (uint32_t v = 0; v < c->t->n; v++)
        for (uint32_t j = v + 1; locked[v] && j < c->t->end[v]; j++)
            mask |= 1u << j;
    return mask;
}

/* The topmost nodes among whose children are all items of a threat. */
static inline void h_locked(const h_case *c, const h_oracle *o, uint8_t *locked)
{
    memset(locked, 0, H_NODES);
    for (uint32_t v = 0; v < c->t->n; v++) {
        uint32_t kids = 0;
        for (uint32_t j = 0; j < c->t->n; j++)
            if (c->t->parent[j] == v) kids |= 1u << j;
        if (h_below_locked(c, locked) >> v & 1) continue;
        for (size_t i = 0; i < o->n; i++)
            if (o->most[i] != 0 && (o->most[i] & ~kids) == 0) locked[v] = 1;
    }
}

static inline bool h_same(const h_case *c, const h_oracle *o, const lethe_threats *f, bool locks)
{
    uint8_t locked[H_NODES] = {0};
    size_t n = 0;
    h_expect_order(f);
    if (f->empty != o->empty || (o->empty && f->n > 0)) return false;
    if (o->empty) return true;
    if (locks) h_locked(c, o, locked);
    if (memcmp(locked, f->locked, c->t->n) != 0) return false;
    uint32_t below = h_below_locked(c, locked);
    for (size_t i = 0; i < o->n; i++) {
        if (o->most[i] & below) continue;
        n++;
        bool there = false;
        for (size_t k = 0; k < f->n; k++)
            there = there || h_mask(f, k) == o->most[i];
        if (!there) return false;
    }
    return n == f->n;
}

/* Are the cuts that threats and locked nodes leave those that are valid by definition? */
static inline bool h_same_cuts(const h_case *c, const h_oracle *o, const lethe_threats *f)
{
    static h_oracle all;
    size_t n = 0;
    all = (h_oracle){.live = o->live};
    h_cuts(c, &all, 0, 0); // no threats: all cuts
    uint32_t below = h_below_locked(c, f->locked);
    for (size_t i = 0; i < all.n_cuts; i++) {
        uint32_t up = h_up(c->t, all.cut[i]);
        bool valid = !f->empty && (all.cut[i] & below) == 0;
        for (size_t k = 0; k < f->n; k++)
            valid = valid && (h_mask(f, k) & ~up) != 0;
        if (!valid) continue;
        if (n >= o->n_cuts || o->cut[n] != all.cut[i]) return false;
        n++;
    }
    return n == o->n_cuts;
}

/* --- by a seed --- */

static inline uint32_t h_draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

static inline lethe_tree *h_tree(uint64_t *seed, uint32_t nodes)
{
    static const char name[] = "abcdefghijklmnop";
    uint32_t n = 1 + h_draw(seed, nodes), parent[H_NODES] = {LETHE_NONE};
    uint32_t bias = 1 + h_draw(seed, 4); // deep, or flat
    lethe_str names[H_NODES];
    lethe_tree *t;
    for (uint32_t v = 1; v < n; v++)
        parent[v] = h_draw(seed, LETHE_MAX(v / bias, 1));
    for (uint32_t v = 0; v < n; v++)
        names[v] = (lethe_str){name + v, 1};
    assert_int_equal(lethe_tree_from(NULL, n, parent, names, &t), LETHE_OK);
    return t;
}

/* Items: leaves, or at times nodes of a cut. */
static inline void h_case_draw(uint64_t *seed, uint32_t nodes, h_case *c)
{
    static const double l[] = {1, 1, 1.5, 2, 2, 3, 10.0 / 3};
    *c = (h_case){.t = h_tree(seed, nodes), .n = h_draw(seed, H_SETS + 1)};
    uint32_t lowest = 0, cuts = h_draw(seed, 3) == 0, skip = 0;
    for (uint32_t v = 0; v < c->t->n; v++) {
        if (v < skip) continue;
        if (lethe_tree_is_leaf(c->t, v) || (cuts && v > 0 && h_draw(seed, 3) == 0)) {
            lowest |= 1u << v;
            skip = c->t->end[v];
        }
    }
    uint32_t dense = 1 + h_draw(seed, 4), marked = 1 + h_draw(seed, 5);
    for (size_t i = 0; i < c->n; i++) {
        for (uint32_t v = 0; v < c->t->n; v++)
            if (lowest >> v & 1 && h_draw(seed, dense + 1) == 0) c->items[i] |= 1u << v;
        for (uint32_t s = 0; s < H_MARKS; s++)
            if (h_draw(seed, marked + 1) == 0) c->marks[i] |= 1u << s;
    }
    c->kl = (lethe_kl){.k = 1 + h_draw(seed, 4),
                       .l = l[h_draw(seed, LETHE_COUNT(l))],
                       .m = h_draw(seed, 4),
                       .n = h_draw(seed, 4)};
}

#endif
