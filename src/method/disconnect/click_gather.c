/* SPDX-License-Identifier: Apache-2.0 */
/* click_gather.c - queries and URLs by worker, and their numbers. */
#include "method/disconnect/click_gather.h"
#include "core/mem.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { CHECK_EVERY = 4096 }; /* queries between two checks for cancellation */

typedef struct lethe_click_gather_part {
    lethe_buf queries; /* lethe_click_query */
    lethe_buf urls;    /* lethe_hash, query by query */
    uint8_t apart[64]; /* no two workers write in one cache line */
} part;
typedef struct lethe_click_gather_place place;

lethe_click_gather *lethe_click_gather_new(unsigned n_workers)
{
    lethe_click_gather *g = lethe_alloc_zero(1, sizeof *g);
    if (!g) return NULL;
    g->n_parts = n_workers;
    g->parts = lethe_alloc_zero(n_workers, sizeof *g->parts);
    if (g->parts) return g;
    lethe_free(g);
    return NULL;
}

void lethe_click_gather_free(lethe_click_gather *g)
{
    if (!g) return;
    for (unsigned w = 0; w < g->n_parts; w++) {
        lethe_buf_free(&g->parts[w].queries);
        lethe_buf_free(&g->parts[w].urls);
    }
    lethe_free(g->parts);
    lethe_free(g->at);
    lethe_free(g->click);
    lethe_free(g);
}

lethe_err lethe_click_gather_put(lethe_click_gather *g, unsigned w, const lethe_click_query *q,
                                 const lethe_hash *url)
{
    part *p = &g->parts[w];
    lethe_click_query own = *q;
    assert(w < g->n_parts && w <= UINT16_MAX && q->n_urls > 0);
    own.worker = (uint16_t)w;
    own.url_start = p->urls.n / sizeof *url;
    LETHE_TRY(lethe_buf_put(&p->urls, url, q->n_urls * sizeof *url));
    atomic_fetch_add_explicit(&g->put, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&g->put_urls, q->n_urls, memory_order_relaxed);
    return lethe_buf_put(&p->queries, &own, sizeof own);
}

/* Buffers grow by a quarter. */
lethe_sizes lethe_click_gather_sizes(const lethe_click_gather *g)
{
    uint64_t n = atomic_load_explicit(&g->put, memory_order_relaxed),
             urls = atomic_load_explicit(&g->put_urls, memory_order_relaxed);
    return (lethe_sizes){.things = "queries",
                         .parts_are = "clicked URLs",
                         .n = n,
                         .parts = urls,
                         .held =
                             (n * sizeof(lethe_click_query) + urls * sizeof(lethe_hash)) * 9 / 8};
}

/* --- numbering --- */

static const lethe_click_query *queries_of(const part *p, size_t *n)
{
    *n = p->queries.n / sizeof(lethe_click_query);
    return (const lethe_click_query *)(const void *)p->queries.at;
}

static int by_origin(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const lethe_hash *s = &x->query->text, *t = &y->query->text;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return (s->low > t->low) - (s->low < t->low);
}

static lethe_err number_queries(lethe_click_gather *g)
{
    size_t all = 0, clicks = 0, n;
    for (unsigned w = 0; w < g->n_parts; w++) {
        (void)queries_of(&g->parts[w], &n);
        all += n;
        clicks += g->parts[w].urls.n / sizeof(lethe_hash);
    }
    if (all > UINT32_MAX - 1) return LETHE_ENOMEM;
    g->at = lethe_alloc(all, sizeof *g->at);
    g->click = lethe_alloc(clicks, sizeof *g->click);
    if (!g->at || !g->click) return LETHE_ENOMEM;
    for (unsigned w = 0; w < g->n_parts; w++) {
        const lethe_click_query *q = queries_of(&g->parts[w], &n);
        for (size_t i = 0; i < n; i++)
            g->at[g->n++] = (place){q[i].origin, &q[i]};
    }
    if (g->n > 1) qsort(g->at, g->n, sizeof *g->at, by_origin);
    return LETHE_OK;
}

static lethe_err number_urls(lethe_ctx *ctx, lethe_click_gather *g, lethe_hash_numbers *urls)
{
    for (uint32_t i = 0; i < g->n; i++) {
        const lethe_click_query *q = g->at[i].query;
        const lethe_hash *url =
            (const lethe_hash *)(const void *)g->parts[q->worker].urls.at + q->url_start;
        if (i % CHECK_EVERY == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        for (uint32_t k = 0; k < q->n_urls; k++) {
            lethe_click *c = &g->click[g->n_clicks++];
            c->query = i;
            LETHE_TRY(lethe_hash_numbers_add(urls, url[k], &c->url));
        }
    }
    g->n_urls = urls->n;
    return LETHE_OK;
}

lethe_err lethe_click_gather_number(lethe_ctx *ctx, lethe_click_gather *g)
{
    lethe_hash_numbers urls = {0};
    LETHE_TRY(number_queries(g));
    lethe_err e = number_urls(ctx, g, &urls);
    lethe_hash_numbers_free(&urls);
    for (unsigned w = 0; w < g->n_parts; w++)
        lethe_buf_free(&g->parts[w].urls);
    return e;
}
