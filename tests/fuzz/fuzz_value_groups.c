/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a list of groups: what is taken is a forest, and survives being written and read
 * again. */
#include "core/mem.h"
#include "lexicon/value_groups.h"
#include "text/normalize.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

/* Groups above a name; fails if they never end. */
static uint32_t depth_of(const lethe_value_groups *g, uint32_t name)
{
    uint32_t n = lethe_dict_count(g->names), depth = 0;
    for (; g->parent[name] != LETHE_NONE; name = g->parent[name]) {
        MUST(g->parent[name] < n && g->parent[name] != name);
        MUST(++depth < n);
    }
    return depth;
}

static void look_at(const lethe_value_groups *g)
{
    uint32_t n = lethe_dict_count(g->names), depth = 0, n_values = 0;
    MUST(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        lethe_str name = lethe_dict_at(g->names, i);
        MUST(name.n > 0 && lethe_utf8_valid(name) && !memchr(name.at, '\t', name.n));
        MUST(!lethe_str_eq(name, LETHE_LIT("*")));
        MUST(lethe_str_trim(name).n == name.n);
        if (!g->is_value[i]) continue;
        n_values++;
        depth = LETHE_MAX(depth, depth_of(g, i));
    }
    MUST(n_values > 0 && depth == g->depth);
}

static void write_and_read_again(const lethe_value_groups *g)
{
    lethe_buf b = {0};
    lethe_value_groups again = {0};
    MUST(lethe_buf_str(&b, LETHE_LIT("\xEF\xBB\xBF")) == LETHE_OK); // a name may begin with one
    for (uint32_t i = 0; i < lethe_dict_count(g->names); i++) {
        if (!g->is_value[i]) continue;
        for (uint32_t at = i; at != LETHE_NONE; at = g->parent[at]) {
            MUST(lethe_buf_str(&b, lethe_dict_at(g->names, at)) == LETHE_OK);
            MUST(lethe_buf_put(&b, "\t", 1) == LETHE_OK);
        }
        MUST(lethe_buf_str(&b, LETHE_LIT("*\n")) == LETHE_OK);
    }
    MUST(lethe_value_groups_memory(ctx, (lethe_str){(const char *)b.at, b.n}, &again) == LETHE_OK);
    MUST(lethe_dict_count(again.names) == lethe_dict_count(g->names));
    MUST(again.depth == g->depth);
    for (uint32_t i = 0; i < lethe_dict_count(g->names); i++) {
        uint32_t at = lethe_dict_find(again.names, lethe_dict_at(g->names, i));
        MUST(at != LETHE_NONE && again.is_value[at] == g->is_value[i]);
        uint32_t above = again.parent[at], was = g->parent[i];
        MUST((above == LETHE_NONE) == (was == LETHE_NONE));
        if (was == LETHE_NONE) continue;
        MUST(lethe_str_eq(lethe_dict_at(again.names, above), lethe_dict_at(g->names, was)));
    }
    lethe_value_groups_free(&again);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_value_groups g = {0};
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_err e = lethe_value_groups_memory(ctx, (lethe_str){n ? (const char *)data : "", n}, &g);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (g.names != NULL));
    if (!g.names) return 0;
    look_at(&g);
    write_and_read_again(&g);
    lethe_value_groups_free(&g);
    return 0;
}
