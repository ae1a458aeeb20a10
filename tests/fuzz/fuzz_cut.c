/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a cut: what is taken for one is written as the same bytes, and each of its lines
 * finds what it publishes. */
#include "io/read/lines.h"
#include "model/cut/cut.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

/* A line of the file, where it is not one of those that stand for more than a value. */
static void line_look(const lethe_cut *cut, lethe_str line, size_t *column)
{
    lethe_str f[4], found;
    MUST(lethe_tabs_split(line, f, 4) == 4);
    while (!lethe_str_eq(lethe_cut_column(cut, *column), f[0]))
        MUST(++*column < lethe_cut_columns(cut));
    bool is_value = lethe_str_eq(f[1], LETHE_LIT("value"));
    lethe_number x;
    if (!is_value && !lethe_number_parse(f[2], &x)) return;
    found = lethe_cut_find(cut, *column, f[2]);
    MUST(found.at);
    // a number may also be a value by itself, which comes first
    if (is_value) MUST(lethe_str_eq(found, f[3]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str bytes = {n ? (const char *)data : "", n}, line;
    lethe_cut *cut = NULL;
    lethe_buf again = {0};
    size_t column = 0;
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_err e = lethe_cut_memory(ctx, bytes, &cut);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (cut != NULL));
    if (!cut) return 0;
    MUST(lethe_cut_columns(cut) > 0);
    MUST(lethe_cut_print(cut, &again) == LETHE_OK);
    MUST(lethe_str_eq((lethe_str){(const char *)again.at, again.n}, bytes));
    for (size_t at = 0; at < n; at += line.n + 1) {
        const char *lf = memchr(bytes.at + at, '\n', n - at);
        MUST(lf);
        line = (lethe_str){bytes.at + at, (size_t)(lf - bytes.at) - at};
        if (at > 0) line_look(cut, line, &column);
    }
    for (size_t i = 0; i < lethe_cut_columns(cut); i++)
        (void)lethe_cut_find(cut, i, bytes);
    lethe_buf_free(&again);
    lethe_cut_free(cut);
    return 0;
}
