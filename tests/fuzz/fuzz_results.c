/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of results: what is taken for one has the form of one, and survives being
 * written and read again. */
#include "core/mem.h"
#include "model/knowledge/results.h"
#include "text/normalize.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static void look_at(const lethe_results *r)
{
    lethe_buf buf = {0};
    uint32_t n_urls = lethe_results_urls(r);
    uint32_t *seen = calloc(n_urls + 1, sizeof *seen);
    MUST(seen && n_urls > 0 && lethe_results_queries(r) > 0);
    for (uint32_t q = 0; q < lethe_results_queries(r); q++) {
        lethe_str query = lethe_results_query(r, q), normal;
        size_t n, m;
        bool invalid;
        const uint32_t *urls = lethe_results_at(r, q, &n);
        MUST(n > 0 && lethe_results_of(r, query, &m) == urls && m == n);
        MUST(lethe_normalize(query, &buf, &normal, &invalid) == LETHE_OK && !invalid);
        MUST(normal.n > 0 && lethe_str_eq(normal, query));
        for (size_t i = 0; i < n; i++) {
            MUST(urls[i] < n_urls && seen[urls[i]] != q + 1); /* none twice */
            seen[urls[i]] = q + 1;
        }
    }
    for (uint32_t u = 0; u < n_urls; u++) {
        lethe_str url = lethe_results_url(r, u);
        MUST(seen[u] > 0 && url.n > 0 && lethe_utf8_valid(url));
        MUST(!memchr(url.at, '\t', url.n) && !memchr(url.at, 0, url.n));
        MUST(lethe_results_find_url(r, url) == u);
    }
    free(seen);
    lethe_buf_free(&buf);
}

static void put(lethe_buf *b, lethe_str s) { MUST(lethe_buf_str(b, s) == LETHE_OK); }

static void write_and_read_again(const lethe_results *r)
{
    lethe_buf b = {0};
    lethe_results *s = NULL;
    size_t n, m;
    for (uint32_t q = 0; q < lethe_results_queries(r); q++) {
        const uint32_t *urls = lethe_results_at(r, q, &n);
        for (size_t i = 0; i < n; i++) {
            put(&b, lethe_results_query(r, q));
            put(&b, LETHE_LIT("\t"));
            put(&b, lethe_results_url(r, urls[i]));
            put(&b, LETHE_LIT("\n"));
        }
    }
    MUST(lethe_results_memory(ctx, (lethe_str){(const char *)b.at, b.n}, &s) == LETHE_OK);
    MUST(lethe_results_queries(s) == lethe_results_queries(r));
    MUST(lethe_results_urls(s) == lethe_results_urls(r));
    for (uint32_t q = 0; q < lethe_results_queries(r); q++) {
        const uint32_t *x = lethe_results_at(r, q, &n);
        const uint32_t *y = lethe_results_of(s, lethe_results_query(r, q), &m);
        MUST(n == m);
        for (size_t i = 0; i < n; i++)
            MUST(lethe_str_eq(lethe_results_url(r, x[i]), lethe_results_url(s, y[i])));
    }
    lethe_results_free(s);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_results *r = NULL;
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_err e = lethe_results_memory(ctx, (lethe_str){n ? (const char *)data : "", n}, &r);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (r != NULL));
    if (!r) return 0;
    look_at(r);
    write_and_read_again(r);
    lethe_results_free(r);
    return 0;
}
