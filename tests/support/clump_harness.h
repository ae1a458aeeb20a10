/* SPDX-License-Identifier: Apache-2.0 */
/* clump_harness.h - small records over a small tree, made by hand or at random; the method clump
 * run by itself; and what it should do, the slow way: arrays over the whole taxonomy, every
 * candidate's generalization made and priced by its definition. */
#ifndef LETHE_TESTS_CLUMP_HARNESS_H
#define LETHE_TESTS_CLUMP_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "method/cluster/clump/buig.h"
#include "core/ctx.h"
#include "io/json/json.h"
#include "method/method.h"

extern const lethe_method lethe_method_clump;

/* --- chance --- */

static inline uint64_t c_next(uint64_t *s)
{
    uint64_t x = (*s += UINT64_C(0x9E3779B97F4A7C15));
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}
static inline uint32_t c_below(uint64_t *s, uint64_t n) { return (uint32_t)(c_next(s) % n); }

/* --- trees and records --- */

/* A tree from parents: parent[0] is LETHE_NONE, parent[i] < i.  Names are numbers; nodes are
 * numbered anew, in preorder. */
static inline lethe_tree *c_tree(const uint32_t *parent, uint32_t n)
{
    lethe_str *names = malloc(n * sizeof *names);
    char(*texts)[16] = malloc(n * sizeof *texts);
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(texts[i], sizeof texts[i], "n%u", i);
        names[i] = lethe_str_of(texts[i]);
    }
    if (lethe_tree_from(NULL, n, parent, names, &t) != LETHE_OK) abort();
    free(names);
    free(texts);
    return t;
}

/* Shapes differ: broad, deep, chains, one node. */
static inline lethe_tree *c_random_tree(uint64_t *s, uint32_t most)
{
    uint32_t n = 1 + c_below(s, most), deep = c_below(s, 3), *parent = malloc(n * sizeof *parent);
    parent[0] = LETHE_NONE;
    for (uint32_t i = 1; i < n; i++)
        parent[i] = deep == 0   ? c_below(s, i)
                    : deep == 1 ? i - 1 - c_below(s, i < 4 ? i : 4)
                                : c_below(s, i < 6 ? i : 6);
    lethe_tree *t = c_tree(parent, n);
    free(parent);
    return t;
}

typedef struct c_records {
    lethe_records r;
    uint64_t *start;
    uint32_t *item, *owner;
    size_t room, room_items;
} c_records;

static inline void c_begin(c_records *c) { *c = (c_records){.start = calloc(1, 8)}; }

/* One more record; owners must be numbered in order of appearance. */
static inline void c_add(c_records *c, uint32_t owner, const uint32_t *item, size_t n)
{
    size_t i = c->r.n++, at = c->start[i];
    if (c->r.n >= c->room) {
        c->room = 2 * c->r.n;
        c->start = realloc(c->start, (c->room + 1) * sizeof *c->start);
        c->owner = realloc(c->owner, c->room * sizeof *c->owner);
    }
    if (at + n >= c->room_items) {
        c->room_items = 2 * (at + n) + 1;
        c->item = realloc(c->item, c->room_items * sizeof *c->item);
    }
    if (n > 0) memcpy(c->item + at, item, n * sizeof *item);
    c->start[i + 1] = at + n;
    c->owner[i] = owner;
    if (owner >= c->r.n_owners) c->r.n_owners = owner + 1;
    c->r.start = c->start;
    c->r.item = c->item;
    c->r.owner = c->owner;
}

static inline void c_free(c_records *c)
{
    free(c->start);
    free(c->item);
    free(c->owner);
}

static inline uint32_t c_random_leaf(const lethe_tree *t, uint64_t *s)
{
    uint32_t v = c_below(s, t->n);
    while (!lethe_tree_is_leaf(t, v))
        v = c_below(s, t->n);
    return v;
}

/* `persons` 0: each record is a person. */
static inline void c_random_records(c_records *c, const lethe_tree *t, uint64_t *s, size_t n,
                                    uint32_t longest, uint32_t persons)
{
    uint32_t item[64], seen = 0, pool = 1 + c_below(s, 8), few[8];
    c_begin(c);
    for (uint32_t i = 0; i < pool; i++)
        few[i] = c_random_leaf(t, s);
    bool alike = c_below(s, 3) == 0; /* many ties */
    for (size_t i = 0; i < n; i++) {
        uint32_t size = c_below(s, longest + 1), who = persons ? c_below(s, persons) : 0;
        if (persons && c_below(s, 3) == 0) who = 0; /* one of them has many */
        for (uint32_t k = 0; k < size; k++)
            item[k] = alike ? few[c_below(s, pool)] : c_random_leaf(t, s);
        if (!persons || who >= seen) who = seen;
        seen += who == seen;
        c_add(c, who, item, size);
    }
}

/* --- the slow way --- */

/* Items at or below every node. */
static inline uint32_t *c_counts(const lethe_tree *t, const uint32_t *item, size_t n)
{
    uint32_t *cnt = calloc(t->n, sizeof *cnt);
    for (size_t i = 0; i < n; i++)
        for (uint32_t v = item[i]; v != LETHE_NONE; v = t->parent[v])
            cnt[v]++;
    return cnt;
}

typedef struct c_bag {
    uint32_t *item;
    size_t n;
} c_bag;

/* The bag with these counts. */
static inline c_bag c_bag_of(const lethe_tree *t, const uint32_t *least)
{
    c_bag b = {malloc((least[0] + 1) * sizeof(uint32_t)), 0};
    for (uint32_t v = 0; v < t->n; v++) {
        uint32_t copies = least[v];
        for (uint32_t w = v + 1; w < t->n; w++)
            if (t->parent[w] == v) copies -= least[w];
        for (; copies > 0; copies--)
            b.item[b.n++] = v;
    }
    return b;
}

/* Algorithm 2, as printed but that copies count: R over the whole taxonomy. */
static inline void c_buig_node(const lethe_tree *t, uint32_t i, size_t m, uint32_t *r, c_bag *out)
{
    for (uint32_t c = i + 1; c < t->n; c++) {
        if (t->parent[c] != i) continue;
        c_buig_node(t, c, m, r, out);
        uint32_t least = UINT32_MAX;
        for (size_t j = 0; j < m; j++)
            least = r[c * m + j] < least ? r[c * m + j] : least;
        for (uint32_t k = 0; k < least; k++)
            out->item[out->n++] = c;
        for (size_t j = 0; j < m && least == 0; j++)
            r[i * m + j] += r[c * m + j];
    }
}

static inline int c_cmp(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline c_bag c_buig(const lethe_tree *t, const c_bag *bag, size_t m)
{
    uint32_t *r = calloc((size_t)t->n * m, sizeof *r);
    size_t shortest = SIZE_MAX;
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < bag[j].n; k++)
            r[bag[j].item[k] * m + j]++;
        shortest = bag[j].n < shortest ? bag[j].n : shortest;
    }
    c_bag out = {malloc((shortest + 1) * sizeof(uint32_t)), 0};
    c_buig_node(t, 0, m, r, &out);
    while (out.n < shortest)
        out.item[out.n++] = 0;
    qsort(out.item, out.n, sizeof *out.item, c_cmp);
    free(r);
    return out;
}

/* Definition 3: |S| times the LM of the items, and 1 for each item that is suppressed; scaled. */
/* The library's: by counts, in the arena. */
static inline lethe_err c_fast_buig(const lethe_tree *t, const c_bag *bag, size_t m, lethe_arena *a,
                                    c_bag *out)
{
    lethe_ancestors counts[16], result;
    assert_true(m <= LETHE_COUNT(counts));
    for (size_t j = 0; j < m; j++)
        LETHE_TRY(lethe_ancestors_of(t, bag[j].item, bag[j].n, a, &counts[j]));
    LETHE_TRY(lethe_clump_buig(t, counts, m, a, &result));
    return lethe_ancestors_items(t, &result, a, &out->item, &out->n);
}

static inline uint64_t c_ggd(const lethe_tree *t, const c_bag *to, uint64_t n_records,
                             uint64_t n_items)
{
    uint64_t sum = (n_items - n_records * to->n) * lethe_tree_scale(t);
    for (size_t i = 0; i < to->n; i++)
        sum += n_records * lethe_tree_lm(t, to->item[i]);
    return sum;
}

typedef struct c_setting {
    uint64_t k, r; /* r 0: all */
    const char *order;
    bool each, increase, buig, unique;
    const char *refine, *start;
    unsigned threads;
} c_setting;

typedef struct c_group {
    c_bag result;
    size_t *member, n;
    uint64_t items;
} c_group;

static inline c_bag c_record(const c_records *c, size_t i)
{
    return (c_bag){c->item + c->start[i], c->start[i + 1] - c->start[i]};
}

/* What the group would be generalized to with one more: a new bag. */
static inline c_bag c_with(const lethe_tree *t, const c_records *c, const c_group *g, size_t i,
                           const c_setting *how)
{
    c_bag record = c_record(c, i);
    if (g->n == 0 || how->buig) {
        c_bag two[] = {g->n == 0 ? record : g->result, record};
        if (g->n > 0) return c_buig(t, two, 2);
        c_bag copy = {malloc((record.n + 1) * sizeof(uint32_t)), record.n};
        if (record.n > 0) memcpy(copy.item, record.item, record.n * sizeof(uint32_t));
        qsort(copy.item, copy.n, sizeof *copy.item, c_cmp);
        return copy;
    }
    uint32_t *least = c_counts(t, record.item, record.n);
    for (size_t k = 0; k < g->n; k++) {
        c_bag other = c_record(c, g->member[k]);
        uint32_t *cnt = c_counts(t, other.item, other.n);
        for (uint32_t v = 0; v < t->n; v++)
            least[v] = cnt[v] < least[v] ? cnt[v] : least[v];
        free(cnt);
    }
    c_bag bag = c_bag_of(t, least);
    free(least);
    return bag;
}

static inline void c_join(const lethe_tree *t, const c_records *c, c_group *g, size_t i,
                          const c_setting *how)
{
    c_bag bag = c_with(t, c, g, i, how);
    free(g->result.item);
    g->result = bag;
    g->member[g->n++] = i;
    g->items += c_record(c, i).n;
}

static inline uint64_t c_score(const lethe_tree *t, const c_records *c, const c_group *g, size_t i,
                               const c_setting *how)
{
    c_bag bag = c_with(t, c, g, i, how);
    uint64_t ggd = c_ggd(t, &bag, g->n + 1, g->items + c_record(c, i).n);
    free(bag.item);
    return how->increase ? ggd - c_ggd(t, &g->result, g->n, g->items) : ggd;
}

static inline bool c_has(const c_records *c, const c_group *g, size_t i, const c_setting *how)
{
    for (size_t k = 0; k < g->n; k++)
        if (!how->each && c->owner[g->member[k]] == c->owner[i]) return true;
    return false;
}

static inline size_t c_persons(const c_records *c, const c_group *g, const c_setting *how)
{
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) {
        c_group before = {.member = g->member, .n = k};
        n += !c_has(c, &before, g->member[k], how);
    }
    return n;
}

/* The number of groups, from its definition. */
static inline size_t c_most_groups(const c_records *c, const c_setting *how)
{
    size_t most = 0;
    for (size_t n = 1; n <= c->r.n; n++) {
        size_t sum = 0;
        for (uint32_t p = 0; p < c->r.n_owners && !how->each; p++) {
            size_t of = 0;
            for (size_t i = 0; i < c->r.n; i++)
                of += c->owner[i] == p;
            sum += of < n ? of : n;
        }
        if (how->each) sum = c->r.n;
        if (sum >= n * how->k) most = n;
    }
    return most;
}

/* Algorithm 1 to the letter, with the resolutions and persons of docs/clump.md.  out[i]: the group
 * of record i, renumbered without gaps.  results (may be NULL): of each group.  Returns their
 * number. */
static inline size_t c_clump(const lethe_tree *t, const c_records *c, const c_setting *how,
                             const uint32_t *order, size_t *out, c_bag *results)
{
    size_t n = c_most_groups(c, how), n_records = c->r.n, n_out = 0;
    bool several = !how->each && c->r.n_owners < n_records;
    c_group *g = calloc(n + 1, sizeof *g);
    for (size_t j = 0; j < n; j++)
        g[j].member = calloc(n_records + 1, sizeof *g[j].member);
    for (size_t i = 0; i < n_records; i++)
        out[i] = SIZE_MAX;
    for (size_t j = 0; j < n; j++) {
        size_t i = order[several ? j * n_records / n : j * how->k];
        c_join(t, c, &g[j], i, how);
        out[i] = j;
    }
    for (int phase = 2; phase <= 3; phase++) {
        for (size_t at = 0; at < n_records; at++) {
            size_t i = order[at], best = SIZE_MAX, seen = 0;
            uint64_t least = 0;
            if (out[i] != SIZE_MAX) continue;
            for (size_t j = 0; j < n; j++) {
                if (g[j].n == 0) continue; /* dissolved */
                if (phase == 2 && (c_persons(c, &g[j], how) >= how->k || c_has(c, &g[j], i, how)))
                    continue;
                if (phase == 2 && how->r > 0 && seen++ == how->r) break;
                uint64_t score = c_score(t, c, &g[j], i, how);
                if (best == SIZE_MAX || score < least) best = j, least = score;
            }
            if (best == SIZE_MAX) continue;
            c_join(t, c, &g[best], i, how);
            out[i] = best;
        }
        for (size_t j = 0; j < n && phase == 2; j++) {
            if (c_persons(c, &g[j], how) >= how->k) continue;
            for (size_t k = 0; k < g[j].n; k++)
                out[g[j].member[k]] = SIZE_MAX;
            g[j].n = 0;
        }
    }
    for (size_t j = 0; j < n; j++) {
        if (g[j].n > 0) {
            for (size_t k = 0; k < g[j].n; k++)
                out[g[j].member[k]] = n_out;
            if (results) results[n_out] = g[j].result;
            n_out++;
        }
        if (g[j].n == 0 || !results) free(g[j].result.item);
        free(g[j].member);
    }
    free(g);
    return n_out;
}

/* Longest first, stable; ascending: the exact reverse. */
static inline void c_order(const c_records *c, bool ascending, uint32_t *order)
{
    size_t n = 0, longest = 0;
    for (size_t i = 0; i < c->r.n; i++)
        longest = c_record(c, i).n > longest ? c_record(c, i).n : longest;
    for (size_t size = longest + 1; size-- > 0;)
        for (size_t i = 0; i < c->r.n; i++)
            if (c_record(c, i).n == size) order[n++] = (uint32_t)i;
    for (size_t i = 0; ascending && i < n / 2; i++) {
        uint32_t x = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = x;
    }
}

/* --- the method --- */

typedef struct c_run {
    const c_records *in;
    lethe_json_doc *doc;
    lethe_json *metrics, *caveats, *claims;
    size_t *group; /* of each record; SIZE_MAX: not published */
    c_bag *bag;    /* what it is published as */
    c_bag *joined; /* items that are several nodes, ascending: C_JOINED and on */
    size_t n_joined;
    size_t n_groups;
    char message[256];
} c_run;

static inline lethe_err c_on_record(lethe_result *out, size_t from, uint32_t group,
                                    const uint32_t *node, size_t n)
{
    c_run *h = out->pipeline;
    assert(from < h->in->r.n && h->group[from] == SIZE_MAX);
    h->group[from] = group;
    if (group >= h->n_groups) h->n_groups = (size_t)group + 1;
    h->bag[from] = (c_bag){malloc((n + 1) * sizeof *node), n};
    if (n > 0) memcpy(h->bag[from].item, node, n * sizeof *node);
    qsort(h->bag[from].item, n, sizeof *node, c_cmp);
    return LETHE_OK;
}

#define C_JOINED UINT32_C(0x80000000)

/* The item that these ascending nodes are; LETHE_NONE: it is none. */
static inline uint32_t c_joined(const c_run *h, const uint32_t *node, size_t n)
{
    for (size_t i = 0; i < h->n_joined; i++)
        if (h->joined[i].n == n && memcmp(h->joined[i].item, node, n * sizeof *node) == 0)
            return C_JOINED + (uint32_t)i;
    return LETHE_NONE;
}

static inline lethe_err c_on_bag(lethe_result *out, const uint32_t *node, size_t n, uint32_t *item)
{
    c_run *h = out->pipeline;
    c_bag b = {malloc((n + 1) * sizeof *node), n};
    assert(n >= 2);
    memcpy(b.item, node, n * sizeof *node);
    qsort(b.item, n, sizeof *node, c_cmp);
    for (size_t i = 1; i < n; i++)
        assert(b.item[i] != b.item[i - 1] && b.item[i] < C_JOINED);
    *item = c_joined(h, b.item, n);
    if (*item != LETHE_NONE) {
        free(b.item);
        return LETHE_OK;
    }
    h->joined = realloc(h->joined, (h->n_joined + 1) * sizeof b);
    h->joined[h->n_joined] = b;
    *item = C_JOINED + (uint32_t)h->n_joined++;
    return LETHE_OK;
}

static inline void c_on_message(void *user, const lethe_message *m)
{
    c_run *h = user;
    if (h) snprintf(h->message, sizeof h->message, "%s", m->text);
}

static inline void c_set(lethe_values *v, const char *name, const char *text)
{
    for (size_t i = 0; text && i < v->n; i++)
        if (strcmp(v->table[i].name, name) == 0 && lethe_values_set(v, i, text, NULL) != LETHE_OK)
            abort();
}

static inline void c_run_begin(c_run *h, const c_records *in)
{
    *h = (c_run){.in = in, .doc = lethe_json_doc_new()};
    h->metrics = lethe_json_object(h->doc);
    h->caveats = lethe_json_array(h->doc);
    h->claims = lethe_json_array(h->doc);
    h->group = malloc((in->r.n + 1) * sizeof *h->group);
    h->bag = calloc(in->r.n + 1, sizeof *h->bag);
    for (size_t i = 0; i < in->r.n; i++)
        h->group[i] = SIZE_MAX;
}

static inline void c_run_end(c_run *h)
{
    for (size_t i = 0; i < h->in->r.n; i++)
        free(h->bag[i].item);
    for (size_t i = 0; i < h->n_joined; i++)
        free(h->joined[i].item);
    free(h->joined);
    free(h->bag);
    free(h->group);
    lethe_json_doc_free(h->doc);
}

/* `h` was begun. */
static inline lethe_err c_run_in(c_run *h, lethe_ctx *ctx, const lethe_tree *t,
                                 const c_setting *how)
{
    lethe_value at[32];
    lethe_values v;
    lethe_secret *key = NULL;
    char k[24], r[24];
    const lethe_method *m = &lethe_method_clump;
    assert(lethe_option_count(m->options) <= LETHE_COUNT(at));
    lethe_values_init(&v, m->options, at);
    snprintf(k, sizeof k, "%llu", (unsigned long long)how->k);
    snprintf(r, sizeof r, "%llu", (unsigned long long)how->r);
    c_set(&v, "k", k);
    c_set(&v, "r", how->r ? r : "all");
    c_set(&v, "order", how->order);
    c_set(&v, "score", how->increase ? "delta" : "total");
    c_set(&v, "persons", how->each ? "record" : "person");
    c_set(&v, "refine", how->refine);
    c_set(&v, "start", how->start);
    if (how->unique) c_set(&v, "unique", "");
    if (how->buig) c_set(&v, "as-published", "");
    lethe_err err = lethe_secret_from_seed(1, &key);
    if (err != LETHE_OK) return err;
    lethe_run run = {.ctx = ctx, .values = &v, .random = key, .key = key, .memory_bytes = 1 << 26};
    lethe_result out = {.pipeline = h,
                        .record = c_on_record,
                        .bag = c_on_bag,
                        .doc = h->doc,
                        .metrics = h->metrics,
                        .caveats = h->caveats};
    lethe_data data = {.shape = LETHE_SHAPE_RECORDS, .records = &h->in->r, .tree = t};
    err = m->run(&run, &data, &out);
    m->claims(&v, h->doc, h->claims);
    lethe_secret_free(key);
    return err;
}

static inline lethe_ctx *c_ctx(c_run *h, unsigned threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {
        .n_threads = threads ? threads : 1, .on_message = c_on_message, .user = h};
    if (lethe_ctx_new(&set, &ctx) != LETHE_OK) abort();
    return ctx;
}

static inline lethe_err c_run_method(c_run *h, const lethe_tree *t, const c_records *in,
                                     const c_setting *how)
{
    c_run_begin(h, in);
    lethe_ctx *ctx = c_ctx(h, how->threads);
    lethe_err err = c_run_in(h, ctx, t, how);
    lethe_ctx_free(ctx);
    return err;
}

static inline double c_real(const c_run *h, const char *name)
{
    const lethe_json *v = lethe_json_get(h->metrics, name);
    return v ? lethe_json_real(v) : -1;
}

static inline int64_t c_int(const c_run *h, const char *name)
{
    const lethe_json *v = lethe_json_get(h->metrics, name);
    return lethe_json_kind(v) == LETHE_JSON_INT ? lethe_json_int(v) : -1;
}

#endif
