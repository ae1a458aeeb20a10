/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a threshold, and as a file of them: what is taken has the form of one, and survives
 * being written and read again. */
#include "core/mem.h"
#include "model/table/theta.h"
#include "text/normalize.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static uint64_t divisor(uint64_t a, uint64_t b) { return b ? divisor(b, a % b) : a; }

static void look_at(lethe_theta t, char text[LETHE_THETA_MAX])
{
    lethe_theta again;
    MUST(t.num <= t.den && t.den >= 1 && t.den <= LETHE_THETA_DEN && divisor(t.num, t.den) == 1);
    memset(text, 'x', LETHE_THETA_MAX);
    lethe_theta_print(t, text);
    MUST(memchr(text, '\0', LETHE_THETA_MAX));
    MUST(lethe_theta_parse(lethe_str_of(text), &again));
    MUST(again.num == t.num && again.den == t.den);
}

static void write_and_read_again(const lethe_thetas *t)
{
    lethe_buf b = {0};
    lethe_thetas again = {0};
    char text[LETHE_THETA_MAX];
    // after a byte order mark: the first value may begin with one too
    MUST(lethe_buf_str(&b, LETHE_LIT("\xEF\xBB\xBF")) == LETHE_OK);
    for (uint32_t i = 0; i < lethe_dict_count(t->names); i++) {
        lethe_str name = lethe_dict_at(t->names, i);
        MUST(name.n > 0 && lethe_utf8_valid(name) && !memchr(name.at, '\t', name.n));
        look_at(t->at[i], text);
        MUST(lethe_buf_str(&b, name) == LETHE_OK && lethe_buf_put(&b, "\t", 1) == LETHE_OK);
        MUST(lethe_buf_str(&b, lethe_str_of(text)) == LETHE_OK);
        MUST(lethe_buf_put(&b, "\n", 1) == LETHE_OK);
    }
    MUST(lethe_thetas_memory(ctx, (lethe_str){(const char *)b.at, b.n}, &again) == LETHE_OK);
    MUST(lethe_dict_count(again.names) == lethe_dict_count(t->names));
    for (uint32_t i = 0; i < lethe_dict_count(t->names); i++) {
        MUST(lethe_str_eq(lethe_dict_at(again.names, i), lethe_dict_at(t->names, i)));
        MUST(again.at[i].num == t->at[i].num && again.at[i].den == t->at[i].den);
    }
    lethe_thetas_free(&again);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str bytes = {n ? (const char *)data : "", n};
    lethe_thetas t = {0};
    lethe_theta one;
    char text[LETHE_THETA_MAX];
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    if (lethe_theta_parse(bytes, &one)) look_at(one, text);
    lethe_err e = lethe_thetas_memory(ctx, bytes, &t);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (t.names != NULL));
    if (!t.names) return 0;
    MUST(lethe_dict_count(t.names) > 0);
    write_and_read_again(&t);
    lethe_thetas_free(&t);
    return 0;
}
