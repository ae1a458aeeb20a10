/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c - numbers the pages and sites of a search engine's answers, and intersects the answers
 * to the queries of an identifier. */
#include "attack/answers.h"
#include "algo/text/click_sites.h"
#include "attack/pages.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- answers --- */

lethe_err lethe_answers_page(const lethe_answers *a, lethe_str url, lethe_buf *host,
                             lethe_buf *page, lethe_str *out)
{
    return a->hosts ? lethe_page_of_host(url, host, page, out)
                    : lethe_page_of(url, host, page, out);
}

static bool is_replayed(const lethe_answers *a, const uint32_t *urls, size_t n)
{
    for (size_t i = 0; i < n && !a->all; i++)
        if (a->owned[a->site_of[a->page_of[urls[i]]]]) return true;
    return a->all && n > 0;
}

/* Numbers pages and sites, and marks the owned ones. */
static lethe_err sites_number(lethe_ctx *ctx, lethe_answers *a, const char *owned, lethe_buf *host,
                              lethe_buf *buf)
{
    lethe_str page, site;
    uint32_t number;
    bool has_host;
    for (uint32_t u = 0; u < lethe_results_urls(a->results); u++) {
        uint32_t before = lethe_dict_count(a->pages);
        LETHE_TRY(lethe_answers_page(a, lethe_results_url(a->results, u), host, buf, &page));
        LETHE_TRY(lethe_dict_add(a->pages, page, &number));
        a->page_of[u] = number;
        if (number < before) continue;
        LETHE_TRY(lethe_site_of_url(page, host, &site, &has_host));
        LETHE_TRY(lethe_dict_add(a->sites, site, &a->site_of[number]));
    }
    for (const char *at = owned; at; at = *at ? at + 1 : NULL) { // those separated by commas
        lethe_str name = {at, strcspn(at, ",")};
        LETHE_TRY(lethe_site_of_url(name, host, &site, &has_host));
        if (!has_host || lethe_url_rest(name).n > 0) {
            char shown[80];
            lethe_show(shown, sizeof shown, name);
            return lethe_fail(ctx, LETHE_EUSAGE, "--owned: '%s' is not a host", shown);
        }
        LETHE_TRY(lethe_dict_add(a->sites, site, &number));
        at += name.n;
    }
    a->owned = lethe_alloc_zero((size_t)lethe_dict_count(a->sites) + 1, sizeof *a->owned);
    if (!a->owned) return LETHE_ENOMEM;
    for (const char *at = owned; at; at = *at ? at + 1 : NULL) {
        lethe_str name = {at, strcspn(at, ",")};
        LETHE_TRY(lethe_site_of_url(name, host, &site, &has_host));
        a->owned[lethe_dict_find(a->sites, site)] = true;
        at += name.n;
    }
    return LETHE_OK;
}

lethe_err lethe_answers_make(lethe_ctx *ctx, const lethe_results *results, const char *owned,
                             bool hosts, lethe_answers *out)
{
    size_t n_urls = lethe_results_urls(results), n;
    lethe_buf host = {0}, page = {0};
    *out = (lethe_answers){.results = results, .all = !owned, .hosts = hosts};
    out->pages = lethe_dict_new();
    out->sites = lethe_dict_new();
    out->page_of = lethe_alloc(n_urls, sizeof *out->page_of);
    out->site_of = lethe_alloc(n_urls, sizeof *out->site_of);
    if (!out->pages || !out->sites || !out->page_of || !out->site_of) return LETHE_ENOMEM;
    lethe_err err = sites_number(ctx, out, owned, &host, &page);
    lethe_buf_free(&host);
    lethe_buf_free(&page);
    for (uint32_t q = 0; err == LETHE_OK && q < lethe_results_queries(results); q++) {
        const uint32_t *urls = lethe_results_at(results, q, &n);
        out->replayed += is_replayed(out, urls, n);
    }
    return err;
}

void lethe_answers_free(lethe_answers *a)
{
    lethe_dict_free(a->pages);
    lethe_dict_free(a->sites);
    lethe_free(a->page_of);
    lethe_free(a->site_of);
    lethe_free(a->owned);
    *a = (lethe_answers){0};
}

const uint32_t *lethe_answers_of(const lethe_answers *a, lethe_str query, size_t *n)
{
    const uint32_t *urls = lethe_results_ranked(a->results, query, n);
    if (!is_replayed(a, urls, *n)) *n = 0;
    return urls;
}

/* --- candidates of an identifier --- */

static uint32_t *numbers(const lethe_buf *b) { return (uint32_t *)(void *)b->at; }
static size_t n_numbers(const lethe_buf *b) { return b->n / sizeof(uint32_t); }

static bool has(const lethe_buf *b, uint32_t page)
{
    size_t n = n_numbers(b);
    return n > 0 && bsearch(&page, b->at, n, sizeof page, lethe_u32_cmp);
}

void lethe_page_candidates_begin(lethe_page_candidates *g)
{
    g->pages.n = 0;
    g->any = g->torn = false;
    g->pick = LETHE_NONE;
}

lethe_err lethe_page_candidates_intersect(lethe_page_candidates *g, const lethe_answers *a,
                                          const uint32_t *urls, size_t n)
{
    if (n == 0 || (g->any && g->pages.n == 0)) return LETHE_OK;
    g->next.n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t page = a->page_of[urls[i]];
        if (g->any && !has(&g->pages, page)) continue;
        LETHE_TRY(lethe_buf_put(&g->next, &page, sizeof page));
    }
    lethe_buf pages = g->pages;
    g->pages = g->next;
    g->next = pages;
    g->any = true;
    // ascending, each once: two URLs of an answer may be one page
    uint32_t *at = numbers(&g->pages);
    size_t all = n_numbers(&g->pages), kept = 0;
    if (all < 2) return LETHE_OK;
    qsort(at, all, sizeof *at, lethe_u32_cmp);
    for (size_t i = 0; i < all; i++)
        if (kept == 0 || at[kept - 1] != at[i]) at[kept++] = at[i];
    g->pages.n = kept * sizeof *at;
    return LETHE_OK;
}

void lethe_page_candidates_rank(lethe_page_candidates *g, const lethe_answers *a,
                                const uint32_t *urls, size_t n, uint32_t rank)
{
    if (rank == 0 || rank > n) return;
    uint32_t page = a->page_of[urls[rank - 1]];
    g->torn = g->torn || (g->pick != LETHE_NONE && g->pick != page);
    g->pick = page;
}

size_t lethe_page_candidates_count(const lethe_page_candidates *g) { return n_numbers(&g->pages); }

bool lethe_page_candidates_has(const lethe_page_candidates *g, uint32_t page)
{
    return has(&g->pages, page);
}

void lethe_page_candidates_free(lethe_page_candidates *g)
{
    lethe_buf_free(&g->pages);
    lethe_buf_free(&g->next);
}

lethe_page_site lethe_page_candidates_named(const lethe_page_candidates *g, const lethe_answers *a,
                                            bool ranks)
{
    lethe_page_site none = {LETHE_NONE, LETHE_NONE};
    const uint32_t *pages = numbers(&g->pages);
    size_t n = n_numbers(&g->pages);
    if (n == 0) return none;
    if (ranks && !g->torn && g->pick != LETHE_NONE && has(&g->pages, g->pick))
        return (lethe_page_site){g->pick, a->site_of[g->pick]};
    for (size_t i = 1; i < n; i++)
        if (a->site_of[pages[i]] != a->site_of[pages[0]]) return none;
    return (lethe_page_site){n == 1 ? pages[0] : LETHE_NONE, a->site_of[pages[0]]};
}
