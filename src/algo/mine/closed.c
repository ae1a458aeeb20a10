/* SPDX-License-Identifier: Apache-2.0 */
/* closed.c - the whole of the miner: what support is needed, workers, the result in order. */
#include "algo/mine/closed.h"
#include "algo/mine/closed_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- the support that is needed --- */

void lethe_closed_found(closed_bar *bar, uint32_t support)
{
    if (bar->n == UINT64_MAX && bar->most == UINT64_MAX) return; // it does not rise
    pthread_mutex_lock(&bar->lock);
    uint32_t least = closed_least(bar);
    if (support >= least) {
        bar->found[support]++;
        bar->n_found++;
        while (bar->n_found - bar->found[least] >= bar->n || bar->n_found > bar->most)
            bar->n_found -= bar->found[least++];
        atomic_store_explicit(&bar->least, least, memory_order_relaxed);
    }
    pthread_mutex_unlock(&bar->lock);
}

/* --- workers --- */

struct closed_search {
    lethe_ctx *ctx;
    const lethe_closed_asked *asked;
    uint32_t n_items;
    closed_base base;
    closed_bar bar;
    closed_miner *miner; /* one a worker */
    unsigned n_miners;
};

/* Frequent ranks first: what comes of them is frequent, and raises the bar. */
static lethe_err find_from(void *arg, size_t i, unsigned w)
{
    struct closed_search *f = arg;
    closed_miner *m = &f->miner[w];
    if (!m->base) LETHE_TRY(lethe_closed_miner(&f->base, &f->bar, f->asked->longest, m));
    if (i == 0) LETHE_TRY(lethe_closed_root(m));
    return i == f->base.n_ranks ? LETHE_OK
                                : lethe_closed_from(f->ctx, m, f->base.n_ranks - 1 - (uint32_t)i);
}

/* --- the result --- */

/* A set, with what mostly tells its place without a look at it. */
typedef struct found {
    uint64_t first,
        second; /* the order: support and size, then as many items as there is room for */
    uint32_t *item;
} found;

static uint32_t found_support(const found *x) { return UINT32_MAX - (uint32_t)(x->first >> 32); }
static uint32_t found_size(const found *x) { return (uint32_t)x->first; }

/* `second` has room for so many items, of so many bits each. */
typedef struct packing {
    uint32_t n;
    unsigned bits;
} packing;

static packing packing_of(uint32_t n_items)
{
    packing p = {.bits = 1};
    while (p.bits < 32 && n_items >> p.bits)
        p.bits++;
    p.n = 64 / p.bits;
    return p;
}

static found found_of(packing p, uint32_t support, uint32_t n, uint32_t *item)
{
    uint64_t second = 0;
    for (uint32_t k = 0; k < LETHE_MIN(p.n, n); k++)
        second = second << p.bits | item[k]; // sets of one size have as many
    return (found){(uint64_t)(UINT32_MAX - support) << 32 | n, second, item};
}

static int in_order(const void *a, const void *b)
{
    const found *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    for (uint32_t k = 0; k < found_size(x); k++)
        if (x->item[k] != y->item[k]) return x->item[k] < y->item[k] ? -1 : 1;
    return 0;
}

enum { DIGIT = 11, DIGITS = 3, KINDS = 1 << DIGIT }; /* of 32 bits */

/* Sorts by 32 bits of a key, stable, a digit at a time; those that all share take no time.  The
 * result is in *at; *room has as much room, and may become *at. */
static void sort_digits(found **at, found **room, size_t n, size_t key, unsigned shift)
{
    for (unsigned d = 0; d < DIGITS; d++) {
        size_t place[KINDS] = {0}, sum = 0, most = 0;
#define DIGIT_OF(x)                                                                                \
    ((uint32_t)((key ? (x).second : (x).first) >> shift) >> d * DIGIT & (uint32_t)(KINDS - 1))
        for (size_t i = 0; i < n; i++)
            place[DIGIT_OF((*at)[i])]++;
        for (size_t k = 0; k < KINDS; k++) {
            size_t count = place[k];
            most = LETHE_MAX(most, count);
            place[k] = sum;
            sum += count;
        }
        if (most == n) continue;
        for (size_t i = 0; i < n; i++)
            (*room)[place[DIGIT_OF((*at)[i])]++] = (*at)[i];
#undef DIGIT_OF
        found *swap = *at;
        *at = *room;
        *room = swap;
    }
}

/* In order; as above.  What is told by the first items is sorted by digits, the rest by comparing.
 */
static void sort_found(found **at, found **room, size_t n)
{
    for (size_t key = 2; key-- > 0;) {
        sort_digits(at, room, n, key, 0);
        sort_digits(at, room, n, key, 32);
    }
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1;
             end < n && (*at)[end].first == (*at)[i].first && (*at)[end].second == (*at)[i].second;)
            end++;
        if (end - i > 1) qsort(*at + i, end - i, sizeof **at, in_order);
    }
}

/* Ranks become items, in their place, and sets a list; *items is raised by how many they are. */
static size_t list(struct closed_search *f, uint32_t least, found *out, uint64_t *items)
{
    size_t n = 0;
    packing p = packing_of(f->n_items);
    for (unsigned w = 0; w < f->n_miners; w++) {
        const closed_numbers *s = &f->miner[w].store;
        for (size_t i = 0; i < s->n; i += 2 + (size_t)s->at[i + 1]) {
            uint32_t size = s->at[i + 1], *item = s->at + i + 2;
            if (s->at[i] < least) continue;
            *items += size;
            if (out) {
                for (uint32_t k = 0; k < size; k++)
                    item[k] = f->base.item[item[k]];
                lethe_sort_u32(item, size);
                out[n] = found_of(p, s->at[i], size, item);
            }
            n++;
        }
    }
    return n;
}

static lethe_err result_fill(struct closed_search *f, lethe_itemsets *s, lethe_arena *a)
{
    uint32_t least = closed_least(&f->bar);
    uint64_t items = 0, again = 0;
    size_t n = list(f, least, NULL, &items);
    found *all = lethe_alloc(n ? n : 1, sizeof *all), *room = lethe_alloc(n ? n : 1, sizeof *room);
    uint64_t *support = lethe_new(a, uint64_t, n + 1), *start = lethe_new(a, uint64_t, n + 1);
    uint32_t *item = lethe_new(a, uint32_t, items + 1);
    if (!all || !room || !support || !start || !item) {
        lethe_free(all);
        lethe_free(room);
        return LETHE_ENOMEM;
    }
    list(f, least, all, &again);
    sort_found(&all, &room, n);
    lethe_free(room);
    for (size_t i = 0; i < n; i++) {
        support[i] = found_support(&all[i]);
        start[i + 1] = start[i] + found_size(&all[i]);
        memcpy(item + start[i], all[i].item, found_size(&all[i]) * sizeof *item);
    }
    lethe_free(all);
    *s = (lethe_itemsets){.n = n,
                          .support = support,
                          .start = start,
                          .item = item,
                          .least = least,
                          .tied_out = n < f->bar.n && least > LETHE_MAX(f->asked->support, 1),
                          .arena = a};
    return LETHE_OK;
}

static lethe_err find(struct closed_search *f, lethe_arena *a, const lethe_transactions *t,
                      lethe_itemsets **out)
{
    LETHE_TRY(lethe_closed_base(a, t, f->asked, &f->base));
    atomic_init(&f->bar.least, f->base.least);
    f->n_miners = lethe_pool_threads(lethe_ctx_pool(f->ctx));
    f->miner = lethe_alloc_zero(f->n_miners, sizeof *f->miner);
    f->bar.found = lethe_alloc_zero((size_t)f->base.total + 2, sizeof *f->bar.found);
    if (!f->miner || !f->bar.found) return LETHE_ENOMEM;
    LETHE_TRY(lethe_pool_for(f->ctx, (size_t)f->base.n_ranks + 1, find_from, f));
    lethe_arena *result = lethe_arena_new();
    lethe_itemsets *s = result ? lethe_new(result, lethe_itemsets, 1) : NULL;
    lethe_err e = s ? result_fill(f, s, result) : LETHE_ENOMEM;
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_arena_free(result);
    return e;
}

lethe_err lethe_closed_find(lethe_ctx *ctx, const lethe_transactions *t,
                            const lethe_closed_asked *asked, lethe_itemsets **out)
{
    struct closed_search f = {.ctx = ctx,
                              .asked = asked,
                              .n_items = t->n_items,
                              .bar = {.n = asked->n ? asked->n : UINT64_MAX,
                                      .most = asked->most ? asked->most : UINT64_MAX}};
    lethe_arena *a = lethe_arena_new();
    if (!a || pthread_mutex_init(&f.bar.lock, NULL) != 0) {
        lethe_arena_free(a);
        return lethe_no_memory(ctx);
    }
    lethe_err e = find(&f, a, t, out);
    for (unsigned w = 0; f.miner && w < f.n_miners; w++)
        lethe_closed_miner_free(&f.miner[w]);
    lethe_free(f.miner);
    lethe_free(f.bar.found);
    pthread_mutex_destroy(&f.bar.lock);
    lethe_arena_free(a);
    if (e == LETHE_EUSAGE)
        return lethe_fail(ctx, e, "too many transactions: the limit is 4294967294");
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

void lethe_itemsets_free(lethe_itemsets *s)
{
    if (s) lethe_arena_free(s->arena);
}

lethe_err lethe_itemsets_index(const lethe_itemsets *s, size_t n_items, lethe_arena *a,
                               uint64_t **first, uint32_t **holding)
{
    uint64_t *begin = lethe_new(a, uint64_t, n_items + 2);
    uint32_t *sets = lethe_new(a, uint32_t, s->start[s->n] + 1);
    if (!begin || !sets) return LETHE_ENOMEM;
    // counted two further on, so that after filling, each is where it begins
    for (uint64_t k = 0; k < s->start[s->n]; k++)
        begin[s->item[k] + 2]++;
    for (size_t v = 0; v <= n_items; v++)
        begin[v + 1] += begin[v];
    for (size_t i = 0; i < s->n; i++)
        for (uint64_t k = s->start[i]; k < s->start[i + 1]; k++)
            sets[begin[s->item[k] + 1]++] = (uint32_t)i;
    *first = begin;
    *holding = sets;
    return LETHE_OK;
}
