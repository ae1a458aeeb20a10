/* SPDX-License-Identifier: Apache-2.0 */
#include "check/text_clicks.h"
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "io/sort/sorter.h"

struct worker {
    lethe_buf record, user;
    uint64_t *urls; /* LETHE_TEXT_CLICKS_MAX + 1 */
    char apart[64]; /* no two workers write in one cache line */
};

struct lethe_text_clicks {
    lethe_ctx *ctx;
    lethe_sorter *sorter; /* text NUL user NUL time(8) url */
    struct worker *workers;
    unsigned n_workers;
    lethe_clicked_fn fn; /* while texts are handed out */
    void *arg;
};

lethe_err lethe_text_clicks_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_text_clicks **out)
{
    lethe_text_clicks *c = *out = lethe_alloc_zero(1, sizeof *c);
    if (!c) return lethe_no_memory(ctx);
    c->ctx = ctx;
    c->n_workers = lethe_ctx_threads(ctx);
    c->workers = lethe_alloc_zero(c->n_workers, sizeof *c->workers);
    if (!c->workers) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < c->n_workers; w++) {
        c->workers[w].urls = lethe_alloc_zero(LETHE_TEXT_CLICKS_MAX + 1, sizeof(uint64_t));
        if (!c->workers[w].urls) return lethe_no_memory(ctx);
    }
    return lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes, &c->sorter);
}

void lethe_text_clicks_free(lethe_text_clicks *c)
{
    if (!c) return;
    for (unsigned w = 0; c->workers && w < c->n_workers; w++) {
        lethe_buf_free(&c->workers[w].record);
        lethe_buf_free(&c->workers[w].user);
        lethe_free(c->workers[w].urls);
    }
    lethe_free(c->workers);
    lethe_sorter_free(c->sorter);
    lethe_free(c);
}

lethe_err lethe_text_clicks_add(lethe_text_clicks *c, unsigned w, const lethe_row *row)
{
    lethe_buf *b = &c->workers[w].record;
    uint8_t time[8];
    lethe_be64_put(time, (uint64_t)row->time ^ UINT64_C(1) << 63);
    b->n = 0;
    if (lethe_buf_str(b, row->query) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, row->user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, time, sizeof time) != LETHE_OK || lethe_buf_str(b, row->url) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->sorter, w, b->at, b->n);
}

/* The bytes up to the next NUL, which is taken off too. */
static lethe_str take_field(lethe_str *rest)
{
    size_t n = (size_t)((const char *)memchr(rest->at, 0, rest->n) - rest->at);
    lethe_str field = {rest->at, n};
    *rest = (lethe_str){rest->at + n + 1, rest->n - n - 1};
    return field;
}

static lethe_str fields_of(lethe_str record, lethe_clicked_text *t)
{
    t->text = take_field(&record);
    t->user = take_field(&record);
    t->time = (int64_t)(lethe_be64_get((const uint8_t *)record.at) ^ UINT64_C(1) << 63);
    return (lethe_str){record.at + 8, record.n - 8};
}

/* Into the ascending urls[0 .. n), unless it is there; the number that there are then. */
static size_t add_url(uint64_t *urls, size_t n, uint64_t url)
{
    size_t at = 0;
    for (size_t end = n; at < end;) {
        size_t middle = at + (end - at) / 2;
        if (urls[middle] < url)
            at = middle + 1;
        else
            end = middle;
    }
    if (n > LETHE_TEXT_CLICKS_MAX || (at < n && urls[at] == url)) return n;
    memmove(urls + at + 1, urls + at, (n - at) * sizeof *urls);
    urls[at] = url;
    return n + 1;
}

/* Reads the rows of a text, of which the first was returned last; *n of them. */
static size_t gather(struct worker *k, lethe_sorted *it, lethe_str record, uint64_t *n)
{
    lethe_clicked_text row, next;
    size_t n_urls = 0;
    bool more = true;
    lethe_str url = fields_of(record, &row);
    for (*n = 0; more; ++*n) {
        if (url.n > 0) n_urls = add_url(k->urls, n_urls, XXH3_64bits(url.at, url.n));
        more = lethe_sorted_next(it, &record);
        if (!more) continue;
        url = fields_of(record, &next);
        more = lethe_str_eq(next.text, row.text);
        row = next;
    }
    return n_urls;
}

/* Hands out the first of each user's rows. */
static lethe_err hand_out(const lethe_text_clicks *c, unsigned w, lethe_sorted *it, uint64_t n,
                          size_t n_urls)
{
    struct worker *k = &c->workers[w];
    lethe_str record;
    for (uint64_t i = 0; i < n && lethe_sorted_next(it, &record); i++) {
        lethe_clicked_text t = {.urls = k->urls, .n_urls = n_urls};
        fields_of(record, &t);
        if (i > 0 && lethe_str_eq(t.user, (lethe_str){(const char *)k->user.at, k->user.n}))
            continue;
        k->user.n = 0;
        if (lethe_buf_str(&k->user, t.user) != LETHE_OK) return lethe_no_memory(c->ctx);
        LETHE_TRY(c->fn(c->arg, w, &t));
    }
    return lethe_sorted_err(it);
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    const lethe_text_clicks *c = arg;
    lethe_str record;
    (void)i;
    while (lethe_sorted_next(it, &record)) {
        uint64_t n;
        lethe_sorted_mark(it);
        size_t n_urls = gather(&c->workers[w], it, record, &n);
        LETHE_TRY(lethe_sorted_err(it));
        LETHE_TRY(lethe_sorted_rewind(it));
        LETHE_TRY(hand_out(c, w, it, n, n_urls));
    }
    return lethe_sorted_err(it);
}

lethe_err lethe_text_clicks_each(lethe_text_clicks *c, lethe_clicked_fn fn, void *arg)
{
    c->fn = fn;
    c->arg = arg;
    return lethe_sorter_each(c->sorter, part, c);
}
