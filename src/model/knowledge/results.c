/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of --results: query TAB url, in rank order. */
#include "model/knowledge/results.h"
#include "io/read/lines.h"
#include "model/knowledge/lists.h"
#include "text/normalize.h"

struct lethe_results {
    lethe_dict *queries, *urls;
    lethe_keyed_lists lists;  /* of each query, its URLs by number, in rank order */
    lethe_keyed_lists ranked; /* the same with repeated ones; not made where none is */
};

struct reader {
    lethe_lines lines;
    lethe_results *results;
    lethe_buf pairs; /* of lethe_keyed, in the file's order */
    lethe_buf normal;
};

static lethe_err lines_read(struct reader *r)
{
    lethe_str line;
    while (lethe_lines_next(&r->lines, &line)) {
        const char *tab = line.n ? memchr(line.at, '\t', line.n) : NULL;
        lethe_keyed p;
        if (!tab) return lethe_lines_fault(&r->lines, 0, "no tab: expected a query and a url");
        size_t n = (size_t)(tab - line.at);
        lethe_str field = {line.at, n}, normal;
        bool invalid;
        LETHE_TRY(lethe_normalize(field, &r->normal, &normal, &invalid));
        if (invalid) return lethe_lines_fault(&r->lines, 1, "invalid UTF-8 in the query");
        if (normal.n == 0) return lethe_lines_fault(&r->lines, 1, "no query");
        if (memchr(field.at, 0, field.n) || memchr(field.at, '\r', field.n))
            return lethe_lines_fault(&r->lines, 1, "a NUL or CR in the query"); // as no log has it
        LETHE_TRY(lethe_dict_add(r->results->queries, normal, &p.key));
        field = (lethe_str){tab + 1, line.n - n - 1};
        if (field.n == 0) return lethe_lines_fault(&r->lines, 2, "no url");
        for (size_t i = 0; i < field.n; i++) {
            unsigned char c = (unsigned char)field.at[i];
            if (c == '\t') return lethe_lines_fault(&r->lines, 3, "more than a query and a url");
            if (c < ' ' || c == 0x7F)
                return lethe_lines_fault(&r->lines, 2, "a control character in the url");
        }
        if (!lethe_utf8_valid(field))
            return lethe_lines_fault(&r->lines, 2, "invalid UTF-8 in the url");
        LETHE_TRY(lethe_dict_add(r->results->urls, field, &p.value));
        LETHE_TRY(lethe_buf_put(&r->pairs, &p, sizeof p));
    }
    LETHE_TRY(lethe_lines_err(&r->lines));
    if (r->pairs.n > 0) return LETHE_OK;
    return lethe_fail_at(r->lines.diag, LETHE_EINPUT, r->lines.name, 1, 0,
                         "empty: no results in it");
}

static lethe_err lists_make(struct reader *r)
{
    lethe_results *to = r->results;
    const lethe_keyed *pairs = (const lethe_keyed *)(const void *)r->pairs.at;
    size_t n = r->pairs.n / sizeof *pairs;
    uint32_t n_queries = lethe_dict_count(to->queries);
    LETHE_TRY(lethe_keyed_lists_make(pairs, n, n_queries, lethe_dict_count(to->urls), &to->lists));
    if (to->lists.start[n_queries] == n) return LETHE_OK; // none comes twice
    return lethe_keyed_lists_group(pairs, n, n_queries, &to->ranked);
}

/* Closes the lines; `opened`: how opening them ended. */
static lethe_err results_make(lethe_ctx *ctx, struct reader *r, lethe_err opened,
                              lethe_results **out)
{
    if (opened != LETHE_OK) {
        lethe_lines_close(&r->lines);
        return opened;
    }
    lethe_err e = LETHE_ENOMEM;
    r->results = lethe_alloc_zero(1, sizeof *r->results);
    if (r->results) {
        r->results->queries = lethe_dict_new();
        r->results->urls = lethe_dict_new();
        if (r->results->queries && r->results->urls) e = lines_read(r);
    }
    if (e == LETHE_OK) e = lists_make(r);
    lethe_buf_free(&r->pairs);
    lethe_buf_free(&r->normal);
    lethe_lines_close(&r->lines);
    if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    if (e == LETHE_OK)
        *out = r->results;
    else
        lethe_results_free(r->results);
    return e;
}

lethe_err lethe_results_read(lethe_ctx *ctx, const char *path, lethe_results **out)
{
    struct reader r = {0};
    return results_make(ctx, &r, lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_results_memory(lethe_ctx *ctx, lethe_str bytes, lethe_results **out)
{
    struct reader r = {0};
    return results_make(ctx, &r, lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes), out);
}

void lethe_results_free(lethe_results *r)
{
    if (!r) return;
    lethe_dict_free(r->queries);
    lethe_dict_free(r->urls);
    lethe_keyed_lists_free(&r->lists);
    lethe_keyed_lists_free(&r->ranked);
    lethe_free(r);
}

uint32_t lethe_results_queries(const lethe_results *r) { return lethe_dict_count(r->queries); }
uint32_t lethe_results_urls(const lethe_results *r) { return lethe_dict_count(r->urls); }

lethe_str lethe_results_query(const lethe_results *r, uint32_t query)
{
    return lethe_dict_at(r->queries, query);
}

lethe_str lethe_results_url(const lethe_results *r, uint32_t url)
{
    return lethe_dict_at(r->urls, url);
}

uint32_t lethe_results_find_url(const lethe_results *r, lethe_str url)
{
    return lethe_dict_find(r->urls, url);
}

const uint32_t *lethe_results_at(const lethe_results *r, uint32_t query, size_t *n)
{
    *n = r->lists.start[query + 1] - r->lists.start[query];
    return r->lists.value + r->lists.start[query];
}

const uint32_t *lethe_results_of(const lethe_results *r, lethe_str query, size_t *n)
{
    uint32_t q = lethe_dict_find(r->queries, query);
    *n = 0;
    return q == LETHE_NONE ? r->lists.value : lethe_results_at(r, q, n);
}

const uint32_t *lethe_results_ranked(const lethe_results *r, lethe_str query, size_t *n)
{
    uint32_t q = lethe_dict_find(r->queries, query);
    if (q == LETHE_NONE || !r->ranked.start) return lethe_results_of(r, query, n);
    *n = r->ranked.start[q + 1] - r->ranked.start[q];
    return r->ranked.value + r->ranked.start[q];
}
