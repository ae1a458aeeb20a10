/* SPDX-License-Identifier: Apache-2.0 */
/* click_order.c - puts the identifiers of a query in the order of its results. */
#include "attack/click_order.h"
#include <stdlib.h>

static lethe_click_guess *ids_of(const lethe_click_order *o)
{
    return (lethe_click_guess *)(void *)o->ids.at;
}
static size_t n_ids(const lethe_click_order *o) { return o->ids.n / sizeof(lethe_click_guess); }

lethe_str lethe_click_guess_id(const lethe_click_order *o, const lethe_click_guess *g)
{
    return (lethe_str){(const char *)o->bytes.at + g->at, g->n_bytes};
}

void lethe_click_order_begin(lethe_click_order *o) { o->bytes.n = o->ids.n = o->pages.n = 0; }

lethe_err lethe_click_order_add(lethe_click_order *o, lethe_str id, uint64_t clicks)
{
    lethe_click_guess *last = n_ids(o) ? ids_of(o) + n_ids(o) - 1 : NULL;
    if (last && lethe_str_eq(lethe_click_guess_id(o, last), id)) {
        last->clicks += clicks;
        return LETHE_OK;
    }
    lethe_click_guess g = {o->bytes.n, id.n, clicks, LETHE_NONE};
    LETHE_TRY(lethe_buf_str(&o->bytes, id));
    return lethe_buf_put(&o->ids, &g, sizeof g);
}

static int by_clicks(const void *a, const void *b, void *order)
{
    const lethe_click_guess *x = a, *y = b;
    if (x->clicks != y->clicks) return x->clicks > y->clicks ? -1 : 1;
    return lethe_str_cmp(lethe_click_guess_id(order, x), lethe_click_guess_id(order, y));
}

static bool has(const lethe_buf *pages, uint32_t page)
{
    const uint32_t *at = (const uint32_t *)(const void *)pages->at;
    for (size_t i = 0; i < pages->n / sizeof *at; i++)
        if (at[i] == page) return true;
    return false;
}

lethe_err lethe_click_order_guess(lethe_click_order *o, const lethe_answers *a,
                                  const uint32_t *urls, size_t n_urls,
                                  const lethe_click_guess **out, size_t *n)
{
    lethe_click_guess *g = ids_of(o);
    *n = n_ids(o);
    *out = g;
    if (*n > 1) qsort_r(g, *n, sizeof *g, by_clicks, o);
    // a page that is listed twice is one
    size_t guessed = 0;
    for (size_t i = 0; i < n_urls && guessed < *n; i++) {
        uint32_t page = a->page_of[urls[i]];
        if (has(&o->pages, page)) continue;
        LETHE_TRY(lethe_buf_put(&o->pages, &page, sizeof page));
        g[guessed++].page = page;
    }
    return LETHE_OK;
}

void lethe_click_order_free(lethe_click_order *o)
{
    lethe_buf_free(&o->bytes);
    lethe_buf_free(&o->ids);
    lethe_buf_free(&o->pages);
}

void lethe_page_votes_begin(lethe_page_votes *v)
{
    *v = (lethe_page_votes){.best = LETHE_NONE, .page = LETHE_NONE};
}

void lethe_page_votes_add(lethe_page_votes *v, uint32_t page, uint64_t clicks)
{
    if (page != v->page) v->clicks = 0;
    v->page = page;
    v->clicks += clicks;
    if (v->clicks <= v->most) return;
    v->best = page;
    v->most = v->clicks;
}
