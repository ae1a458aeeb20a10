/* SPDX-License-Identifier: Apache-2.0 */
/* shared_urls.c - counts pairs of queries that share a URL: queries with the same URLs form a
 * class; the 64 URLs with the most classes are compared as bits, the others class by class. */
#include "check/shared_urls.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/sort/sorter.h"
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MARK_BYTES 16
#define MASK_URLS 64
#define FEW_PAIRS 1024 /* of masks: sooner looked at than divided */
#define BLOCK 256      /* classes that a worker takes at a time */

_Static_assert(MARK_BYTES == crypto_shorthash_siphashx24_BYTES, "a mark is a hash");

/* A URL of more than one class: these are member[start] and so on, ascending. */
struct url {
    uint64_t start;
    uint32_t n;
};

struct worker {
    lethe_buf set;       /* the marks of the query that is being told */
    lethe_buf group;     /* classes of a URL */
    uint64_t most_pairs; /* of queries that one URL has, as far as seen */
    uint64_t *seen;      /* a bit for each class */
    char apart[64];      /* workers do not share a cache line */
};

struct lethe_shared_urls {
    lethe_ctx *ctx;
    uint8_t key[crypto_shorthash_siphashx24_KEYBYTES];
    lethe_sorter *sets;   /* of each query: the marks of its URLs, end to end */
    lethe_sorter *clicks; /* of each class and URL: mark NUL class(4) */
    unsigned n_workers;
    struct worker *workers;

    _Atomic uint32_t n_classes;
    uint32_t *weight;     /* of each class: its queries */
    _Atomic uint64_t own; /* pairs inside classes */

    _Atomic uint64_t n_members;
    _Atomic uint64_t n_urls;
    uint64_t n_light; /* the first ones: in no mask */
    uint32_t *member;
    struct url *urls;

    uint64_t *mask;      /* of each class */
    uint64_t *url_start; /* of each class, into `url`; n_classes + 1 */
    uint32_t *url;       /* those that are in no mask, the one with most classes last */

    uint64_t limit;
    _Atomic uint64_t edges;
};

static uint64_t pairs(uint64_t n) { return n < 2 ? 0 : n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1); }

/* Is the answer known?  A limit that is met exactly is not passed: the next pair would pass it. */
static bool passes(const lethe_shared_urls *j, uint64_t edges) { return edges > j->limit; }

static bool is_passed(lethe_shared_urls *j)
{
    return passes(j, atomic_load_explicit(&j->edges, memory_order_relaxed));
}

/* --- queries --- */

lethe_err lethe_shared_urls_add(lethe_shared_urls *j, unsigned w, lethe_str url)
{
    uint8_t mark[MARK_BYTES];
    /* NUL ends a key of the sorter: a mark has none. */
    crypto_shorthash_siphashx24(mark, (const uint8_t *)url.at, url.n, j->key);
    for (size_t i = 0; i < MARK_BYTES; i++)
        if (mark[i] == 0) mark[i] = 1;
    return lethe_buf_put(&j->workers[w].set, mark, sizeof mark) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(j->ctx);
}

lethe_err lethe_shared_urls_end(lethe_shared_urls *j, unsigned w)
{
    lethe_buf *set = &j->workers[w].set;
    if (set->n == 0) return LETHE_OK;
    if (set->n >= INT32_MAX) return lethe_no_memory(j->ctx); /* no record is that long */
    lethe_err err = lethe_sorter_put(j->sets, w, set->at, set->n);
    set->n = 0;
    return err;
}

/* --- classes --- */

static lethe_err put_class(lethe_shared_urls *j, unsigned w, lethe_str set, uint32_t weight)
{
    uint8_t click[MARK_BYTES + 1 + 4];
    uint32_t c = atomic_fetch_add(&j->n_classes, 1);
    j->weight[c] = weight;
    atomic_fetch_add(&j->own, pairs(weight));
    click[MARK_BYTES] = 0;
    lethe_be32_put(click + MARK_BYTES + 1, c);
    for (size_t i = 0; i < set.n; i += MARK_BYTES) {
        memcpy(click, set.at + i, MARK_BYTES);
        LETHE_TRY(lethe_sorter_put(j->clicks, w, click, sizeof click));
    }
    return LETHE_OK;
}

static lethe_err part_of_sets(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    lethe_shared_urls *j = arg;
    lethe_str set, before;
    (void)i;
    for (bool more = lethe_sorted_next(it, &set); more;) {
        uint32_t weight = 0;
        do {
            weight++;
            before = set;
            more = lethe_sorted_next(it, &set);
        } while (more && lethe_str_eq(set, before));
        LETHE_TRY(lethe_sorted_err(it)); /* half a class must not pass for a whole one */
        LETHE_TRY(put_class(j, w, before, weight));
    }
    return lethe_sorted_err(it);
}

/* --- URLs --- */

/* A URL of one class joins nothing that is not counted there. */
static void put_url(lethe_shared_urls *j, struct worker *me)
{
    const uint32_t *group = (const uint32_t *)(const void *)me->group.at;
    uint64_t n = me->group.n / sizeof *group, queries = 0;
    if (n < 2) return;
    for (uint64_t i = 0; i < n; i++)
        queries += j->weight[group[i]];
    me->most_pairs = LETHE_MAX(me->most_pairs, pairs(queries));
    uint64_t start = atomic_fetch_add(&j->n_members, n);
    memcpy(j->member + start, group, me->group.n);
    j->urls[atomic_fetch_add(&j->n_urls, 1)] = (struct url){.start = start, .n = (uint32_t)n};
}

static lethe_err part_of_clicks(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    lethe_shared_urls *j = arg;
    struct worker *me = &j->workers[w];
    lethe_str click, before;
    (void)i;
    for (bool more = lethe_sorted_next(it, &click); more;) {
        me->group.n = 0;
        do {
            uint32_t c = lethe_be32_get((const uint8_t *)click.at + MARK_BYTES + 1);
            if (lethe_buf_put(&me->group, &c, sizeof c) != LETHE_OK) return lethe_no_memory(j->ctx);
            before = click;
            more = lethe_sorted_next(it, &click);
        } while (more && memcmp(click.at, before.at, MARK_BYTES) == 0);
        LETHE_TRY(lethe_sorted_err(it));
        put_url(j, me);
    }
    return lethe_sorted_err(it);
}

static lethe_err find_urls(lethe_shared_urls *j)
{
    uint64_t n = lethe_sorter_count(j->clicks);
    j->member = lethe_alloc(n, sizeof *j->member);
    j->urls = lethe_alloc(n / 2, sizeof *j->urls); /* each has two clicks or more */
    if (!j->member || !j->urls) return lethe_no_memory(j->ctx);
    return lethe_sorter_each(j->clicks, part_of_clicks, j);
}

/* --- URLs of many classes, as bits --- */

static int by_classes(const void *a, const void *b)
{
    uint32_t x = ((const struct url *)a)->n, y = ((const struct url *)b)->n;
    return (x > y) - (x < y);
}

/* A mask and the queries that have it; then, in order of masks, the queries of those before. */
struct masked {
    uint64_t mask, queries;
};

/* Counting pairs of queries whose masks meet.  Masks are distinct and ascending. */
struct mask_pairs {
    lethe_shared_urls *j;
    const struct masked *at; /* with one more at the end, for the sum of all */
    uint64_t sum, steps;
    bool stopped;
};

/* Masks from..to-1; they agree in all bits but those that are still to be looked at. */
struct span {
    size_t from, to;
};

static uint64_t queries_of(const struct mask_pairs *m, struct span s)
{
    return m->at[s.to].queries - m->at[s.from].queries;
}

static uint64_t last_of(const struct mask_pairs *m, struct span s) { return m->at[s.to - 1].mask; }

/* Where masks with that bit begin. */
static size_t split_at(const struct mask_pairs *m, struct span s, uint64_t bit)
{
    size_t lo = s.from, hi = s.to;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (m->at[middle].mask & bit)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

static uint64_t highest_bit(uint64_t x) { return UINT64_C(1) << (63 - __builtin_clzll(x)); }

static bool goes_on(struct mask_pairs *m)
{
    if (++m->steps % 4096 == 0 && (lethe_ctx_cancelled(m->j->ctx) || passes(m->j, m->sum)))
        m->stopped = true;
    return !m->stopped;
}

static void meet_one_by_one(struct mask_pairs *m, struct span a, struct span b)
{
    for (size_t x = a.from; x < a.to; x++) {
        uint64_t mine = m->at[x + 1].queries - m->at[x].queries, others = 0;
        for (size_t y = b.from; y < b.to; y++)
            if (m->at[x].mask & m->at[y].mask) others += m->at[y + 1].queries - m->at[y].queries;
        m->sum += mine * others;
    }
}

/* Pairs of one of `a` and one of `b` that have one of the bits `low` in common; they have no other.
 * By the highest bit that any of them has: with it, `a` and `b` meet; all else is asked further. */
static void meet(struct mask_pairs *m, struct span a, struct span b, uint64_t low)
{
    while (a.from < a.to && b.from < b.to && goes_on(m)) {
        uint64_t x = last_of(m, a) & low, y = last_of(m, b) & low;
        if (x == 0 || y == 0) return;
        if ((a.to - a.from) * (b.to - b.from) <= FEW_PAIRS) {
            meet_one_by_one(m, a, b);
            return;
        }
        uint64_t bit = highest_bit(x | y);
        struct span a1 = {split_at(m, a, bit), a.to}, b1 = {split_at(m, b, bit), b.to};
        m->sum += queries_of(m, a1) * queries_of(m, b1);
        low = bit - 1;
        a.to = a1.from;
        b.to = b1.from;
        meet(m, a1, b, low);
        meet(m, a, b1, low);
    }
}

static int by_mask(const void *a, const void *b)
{
    uint64_t x = ((const struct masked *)a)->mask, y = ((const struct masked *)b)->mask;
    return (x > y) - (x < y);
}

/* Sorted, equal masks made one, and the sums; returns how many masks there are. */
static size_t add_up(struct masked *at, size_t n)
{
    size_t k = 0;
    uint64_t sum = 0;
    qsort(at, n, sizeof *at, by_mask);
    for (size_t i = 0; i < n; i++) {
        if (k > 0 && at[k - 1].mask == at[i].mask)
            at[k - 1].queries += at[i].queries;
        else
            at[k++] = at[i];
    }
    for (size_t i = 0; i < k; i++) {
        uint64_t queries = at[i].queries;
        at[i].queries = sum;
        sum += queries;
    }
    at[k] = (struct masked){0, sum};
    return k;
}

/* Pairs that have a URL of the masks in common, and those inside of classes without any. */
static lethe_err count_masks(lethe_shared_urls *j)
{
    size_t n = 0;
    uint64_t own = 0;
    struct masked *at = lethe_alloc((size_t)j->n_classes + 1, sizeof *at);
    if (!at) return lethe_no_memory(j->ctx);
    for (uint32_t c = 0, all = j->n_classes; c < all; c++) {
        if (j->mask[c] == 0)
            own += pairs(j->weight[c]);
        else
            at[n++] = (struct masked){j->mask[c], j->weight[c]};
    }
    struct mask_pairs m = {.j = j, .at = at, .sum = own};
    /* Pairs of queries of `s` that have a bit in common. */
    struct span s = {0, add_up(at, n)};
    while (s.from < s.to && last_of(&m, s) != 0 && goes_on(&m)) {
        uint64_t bit = highest_bit(last_of(&m, s));
        struct span with = {split_at(&m, s, bit), s.to};
        m.sum += pairs(queries_of(&m, with));
        s.to = with.from;
        meet(&m, with, s, bit - 1);
    }
    lethe_free(at);
    j->edges = m.sum;
    return lethe_ctx_cancelled(j->ctx) ? LETHE_ECANCEL : LETHE_OK;
}

/* --- the other URLs --- */

/* Of each class; with `url` NULL they are counted, at [class + 1], else written, url_start moving
 * on. */
static void walk_urls(lethe_shared_urls *j)
{
    for (uint32_t u = 0; u < j->n_light; u++) {
        const uint32_t *c = j->member + j->urls[u].start, *end = c + j->urls[u].n;
        for (; c < end; c++) {
            if (j->url)
                j->url[j->url_start[*c]++] = u;
            else
                j->url_start[*c + 1]++;
        }
    }
}

/* The first of the URL's classes after `c`. */
static const uint32_t *after(const lethe_shared_urls *j, const struct url *u, uint32_t c)
{
    const uint32_t *at = j->member + u->start;
    size_t lo = 0, hi = u->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (at[middle] <= c)
            lo = middle + 1;
        else
            hi = middle;
    }
    return at + lo;
}

/* Queries of later classes that have one of these URLs in common with `c`, and none of the masks'.
 * Each class counts once: what was seen is noted, and the notes then wiped. */
static uint64_t count_later(const lethe_shared_urls *j, uint64_t *seen, uint32_t c)
{
    uint64_t from = j->url_start[c], to = j->url_start[c + 1], sum = 0, mask = j->mask[c];
    for (uint64_t i = from; i < to; i++) {
        const struct url *u = &j->urls[j->url[i]];
        const uint32_t *end = j->member + u->start + u->n;
        bool first = i == from, last = i + 1 == to; /* nothing was seen; nothing will be asked */
        for (const uint32_t *d = after(j, u, c); d < end; d++) {
            uint64_t bit = UINT64_C(1) << *d % 64, *word = &seen[*d / 64];
            bool counts = (first || !(*word & bit)) && !(j->mask[*d] & mask);
            if (!last) *word |= bit;
            sum += counts ? j->weight[*d] : 0;
        }
    }
    for (uint64_t i = from; i + 1 < to; i++) {
        const struct url *u = &j->urls[j->url[i]];
        const uint32_t *end = j->member + u->start + u->n;
        for (const uint32_t *d = after(j, u, c); d < end; d++)
            seen[*d / 64] = 0;
    }
    return sum;
}

static lethe_err count_block(void *arg, size_t block, unsigned w)
{
    lethe_shared_urls *j = arg;
    struct worker *me = &j->workers[w];
    uint32_t n = j->n_classes, from = (uint32_t)(block * BLOCK);
    uint32_t to = n - from < BLOCK ? n : from + BLOCK;
    if (!me->seen) me->seen = lethe_alloc_zero((size_t)n / 64 + 1, sizeof *me->seen);
    if (!me->seen) return lethe_no_memory(j->ctx);
    for (uint32_t c = from; c < to && !is_passed(j); c++) {
        if (j->url_start[c] == j->url_start[c + 1]) continue;
        if (lethe_ctx_cancelled(j->ctx)) return LETHE_ECANCEL;
        atomic_fetch_add(&j->edges, j->weight[c] * count_later(j, me->seen, c));
    }
    lethe_ctx_advance(j->ctx, to - from);
    return LETHE_OK;
}

/* --- all --- */

static lethe_err count_all(lethe_shared_urls *j)
{
    /* Those with most classes go last. */
    j->mask = lethe_alloc_zero(j->n_classes, sizeof *j->mask);
    if (!j->mask) return lethe_no_memory(j->ctx);
    qsort(j->urls, j->n_urls, sizeof *j->urls, by_classes);
    j->n_light = j->n_urls < MASK_URLS ? 0 : j->n_urls - MASK_URLS;
    for (uint64_t u = j->n_light; u < j->n_urls; u++) {
        const uint32_t *c = j->member + j->urls[u].start, *end = c + j->urls[u].n;
        for (; c < end; c++)
            j->mask[*c] |= UINT64_C(1) << (u - j->n_light);
    }
    LETHE_TRY(count_masks(j));
    if (is_passed(j) || j->n_light == 0) return LETHE_OK;
    size_t n = j->n_classes;
    if (j->n_light >= UINT32_MAX) return lethe_no_memory(j->ctx);
    j->url_start = lethe_alloc_zero(n + 1, sizeof *j->url_start);
    if (!j->url_start) return lethe_no_memory(j->ctx);
    walk_urls(j);
    for (size_t c = 0; c < n; c++)
        j->url_start[c + 1] += j->url_start[c];
    j->url = lethe_alloc(j->url_start[n], sizeof *j->url);
    if (!j->url) return lethe_no_memory(j->ctx);
    walk_urls(j);
    memmove(j->url_start + 1, j->url_start, n * sizeof *j->url_start);
    j->url_start[0] = 0;
    lethe_ctx_phase(j->ctx, "checking", j->n_classes);
    return lethe_pool_for(j->ctx, ((size_t)j->n_classes + BLOCK - 1) / BLOCK, count_block, j);
}

lethe_err lethe_shared_urls_count(lethe_shared_urls *j, uint64_t limit, uint64_t *edges)
{
    j->limit = limit;
    uint64_t n = lethe_sorter_count(j->sets);
    if (n >= UINT32_MAX) return lethe_no_memory(j->ctx); /* classes are numbered in 32 bits */
    j->weight = lethe_alloc(n, sizeof *j->weight);
    if (!j->weight) return lethe_no_memory(j->ctx);
    LETHE_TRY(lethe_sorter_each(j->sets, part_of_sets, j));
    LETHE_TRY(find_urls(j));
    uint64_t known = j->own; /* there are as many at least */
    for (unsigned w = 0; w < j->n_workers; w++)
        known = LETHE_MAX(known, j->workers[w].most_pairs);
    *edges = known;
    if (known > limit) return LETHE_OK;
    LETHE_TRY(count_all(j));
    /* where counting has stopped depends on threads, and on the key */
    *edges = is_passed(j) ? limit + 1 : j->edges;
    return LETHE_OK;
}

lethe_err lethe_shared_urls_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_shared_urls **out)
{
    lethe_shared_urls *j = lethe_alloc_zero(1, sizeof *j);
    if (!j) return lethe_no_memory(ctx);
    j->ctx = ctx;
    j->workers = lethe_alloc_zero(lethe_ctx_threads(ctx), sizeof *j->workers);
    if (j->workers) j->n_workers = lethe_ctx_threads(ctx);
    lethe_err err = j->workers ? lethe_random_get(lethe_ctx_diag(ctx), j->key, sizeof j->key)
                               : lethe_no_memory(j->ctx);
    if (err == LETHE_OK) err = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes / 2, &j->sets);
    if (err == LETHE_OK) err = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes / 2, &j->clicks);
    if (err == LETHE_OK)
        *out = j;
    else
        lethe_shared_urls_free(j);
    return err;
}

void lethe_shared_urls_free(lethe_shared_urls *j)
{
    if (!j) return;
    for (unsigned w = 0; j->workers && w < j->n_workers; w++) {
        lethe_buf_free(&j->workers[w].set);
        lethe_buf_free(&j->workers[w].group);
        lethe_free(j->workers[w].seen);
    }
    lethe_free(j->workers);
    lethe_sorter_free(j->sets);
    lethe_sorter_free(j->clicks);
    lethe_free(j->weight);
    lethe_free(j->member);
    lethe_free(j->urls);
    lethe_free(j->mask);
    lethe_free(j->url_start);
    lethe_free(j->url);
    lethe_free(j);
}
