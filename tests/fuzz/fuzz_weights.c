/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of weights: what is taken for one has the form of one, and survives being
 * written and read again. */
#include "core/mem.h"
#include "model/knowledge/weights.h"
#include "text/normalize.h"
#include "fuzz.h"
#include <stdio.h>

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static void look_at(const lethe_query_weights *w)
{
    lethe_buf buf = {0};
    MUST(lethe_query_weights_count(w) > 0);
    for (uint32_t i = 0; i < lethe_query_weights_count(w); i++) {
        lethe_str query = lethe_query_weights_query(w, i), normal;
        uint64_t weight = lethe_query_weights_at(w, i);
        bool invalid;
        MUST(weight > 0 && weight <= LETHE_WEIGHT_MAX);
        MUST(lethe_query_weights_of(w, query) == weight);
        MUST(lethe_normalize(query, &buf, &normal, &invalid) == LETHE_OK && !invalid);
        MUST(normal.n > 0 && lethe_str_eq(normal, query));
    }
    MUST(lethe_query_weights_of(w, (lethe_str){"", 0}) == 0);
    lethe_buf_free(&buf);
}

static void write_and_read_again(const lethe_query_weights *w)
{
    lethe_buf b = {0};
    lethe_query_weights *s = NULL;
    for (uint32_t i = 0; i < lethe_query_weights_count(w); i++) {
        uint64_t weight = lethe_query_weights_at(w, i);
        char number[32];
        int n = snprintf(number, sizeof number, "\t%llu.%06llu\n",
                         (unsigned long long)(weight / LETHE_WEIGHT_UNIT),
                         (unsigned long long)(weight % LETHE_WEIGHT_UNIT));
        MUST(lethe_buf_str(&b, lethe_query_weights_query(w, i)) == LETHE_OK);
        MUST(lethe_buf_put(&b, number, (size_t)n) == LETHE_OK);
    }
    MUST(lethe_query_weights_memory(ctx, (lethe_str){(const char *)b.at, b.n}, &s) == LETHE_OK);
    MUST(lethe_query_weights_count(s) == lethe_query_weights_count(w));
    for (uint32_t i = 0; i < lethe_query_weights_count(w); i++) {
        MUST(lethe_str_eq(lethe_query_weights_query(s, i), lethe_query_weights_query(w, i)));
        MUST(lethe_query_weights_at(s, i) == lethe_query_weights_at(w, i));
    }
    lethe_query_weights_free(s);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_query_weights *w = NULL;
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_err e = lethe_query_weights_memory(ctx, (lethe_str){n ? (const char *)data : "", n}, &w);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (w != NULL));
    if (!w) return 0;
    look_at(w);
    write_and_read_again(w);
    lethe_query_weights_free(w);
    return 0;
}
