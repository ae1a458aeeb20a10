/* SPDX-License-Identifier: Apache-2.0 */
/* click_count.c - counts the rows, URLs and sites of one query. */
#include "method/disconnect/click_count.h"
#include "algo/text/click_sites.h"
#include "text/normalize.h"

void lethe_click_count_begin(lethe_click_count *c)
{
    lethe_hash_numbers_clear(&c->urls);
    lethe_hash_numbers_clear(&c->sites);
    c->url_clicks.n = c->site_clicks.n = 0;
    c->rows = c->volume = c->clicks = c->origin = c->top = 0;
    c->named = false;
}

void lethe_click_count_free(lethe_click_count *c)
{
    lethe_hash_numbers_free(&c->urls);
    lethe_hash_numbers_free(&c->sites);
    lethe_buf_free(&c->url_clicks);
    lethe_buf_free(&c->site_clicks);
    lethe_buf_free(&c->host);
    lethe_buf_free(&c->dotted);
    lethe_buf_free(&c->domain);
}

/* The site's number; for a new site, also finds out whether the query names it. */
static lethe_err site_number(lethe_click_count *c, const lethe_row *row, uint32_t *number)
{
    lethe_str site;
    bool has_host, names = false;
    uint32_t before = c->sites.n;
    LETHE_TRY(lethe_site_of_url(row->url, &c->host, &site, &has_host));
    LETHE_TRY(lethe_hash_numbers_add(&c->sites, lethe_hash_of(c->key, site), number));
    if (c->sites.n == before) return LETHE_OK;
    if (before == 0) LETHE_TRY(lethe_dotted(row->query, &c->dotted));
    if (has_host)
        LETHE_TRY(lethe_dotted_names((lethe_str){(const char *)c->dotted.at, c->dotted.n}, site,
                                     &c->domain, &names));
    c->named = c->named || names;
    return lethe_buf_put(&c->site_clicks, &(uint64_t){0}, sizeof(uint64_t));
}

lethe_err lethe_click_count_row(lethe_click_count *c, const lethe_row *row)
{
    lethe_str url;
    uint32_t number, n_urls = c->urls.n;
    /* Rows of one user with the same text and time are one query. */
    c->volume += c->rows == 0 || row->time != c->last.time ||
                 !lethe_str_eq(row->user, c->last.user) || !lethe_str_eq(row->owner, c->last.owner);
    c->origin = c->rows > 0 ? LETHE_MIN(c->origin, row->origin) : row->origin;
    c->rows++;
    c->last = *row;
    LETHE_TRY(lethe_click_shown(row->url, c->form, &c->host, &url));
    if (url.n == 0) return LETHE_OK; // nothing of it will be published
    c->clicks++;
    LETHE_TRY(lethe_hash_numbers_add(&c->urls, lethe_hash_of(c->key, url), &number));
    if (c->urls.n > n_urls)
        LETHE_TRY(lethe_buf_put(&c->url_clicks, &(uint64_t){0}, sizeof(uint64_t)));
    ++((uint64_t *)(void *)c->url_clicks.at)[number];
    LETHE_TRY(site_number(c, row, &number));
    uint64_t *clicks = (uint64_t *)(void *)c->site_clicks.at + number;
    ++*clicks;
    c->top = LETHE_MAX(c->top, *clicks);
    return LETHE_OK;
}

lethe_err lethe_click_count_site(lethe_click_count *c, lethe_str url)
{
    lethe_str site;
    bool has_host;
    uint32_t number;
    LETHE_TRY(lethe_site_of_url(url, &c->host, &site, &has_host));
    return lethe_hash_numbers_add(&c->sites, lethe_hash_of(c->key, site), &number);
}
