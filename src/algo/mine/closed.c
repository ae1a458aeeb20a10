/* SPDX-License-Identifier: Apache-2.0 */
/* closed.c - the whole of the miner: what support is needed, workers, the result in order. */
#include "algo/mine/closed.h"
#include "algo/mine/closed_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- the support that is needed --- */

void lethe_closed_found(closed_bar *bar, uint32_t support)
{
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

typedef struct found {
    uint32_t support, n;
    uint32_t *item;
} found;

static int in_order(const void *a, const void *b)
{
    const found *x = a, *y = b;
    if (x->support != y->support) return x->support > y->support ? -1 : 1;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    for (uint32_t k = 0; k < x->n; k++)
        if (x->item[k] != y->item[k]) return x->item[k] < y->item[k] ? -1 : 1;
    return 0;
}

/* Ranks become items, in their place, and sets a list; *items is raised by how many they are. */
static size_t list(struct closed_search *f, uint32_t least, found *out, uint64_t *items)
{
    size_t n = 0;
    for (unsigned w = 0; w < f->n_miners; w++) {
        const closed_numbers *s = &f->miner[w].store;
        for (size_t i = 0; i < s->n; i += 2 + (size_t)s->at[i + 1]) {
            found x = {s->at[i], s->at[i + 1], s->at + i + 2};
            if (x.support < least) continue;
            *items += x.n;
            if (out) {
                for (uint32_t k = 0; k < x.n; k++)
                    x.item[k] = f->base.item[x.item[k]];
                lethe_sort_u32(x.item, x.n);
                out[n] = x;
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
    found *all = lethe_alloc(n ? n : 1, sizeof *all);
    uint64_t *support = lethe_new(a, uint64_t, n + 1), *start = lethe_new(a, uint64_t, n + 1);
    uint32_t *item = lethe_new(a, uint32_t, items + 1);
    if (!all || !support || !start || !item) {
        lethe_free(all);
        return LETHE_ENOMEM;
    }
    list(f, least, all, &again);
    qsort(all, n, sizeof *all, in_order);
    for (size_t i = 0; i < n; i++) {
        support[i] = all[i].support;
        start[i + 1] = start[i] + all[i].n;
        memcpy(item + start[i], all[i].item, all[i].n * sizeof *item);
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
