/* Any bytes as a kept index: as they are, and with head and check sum put right, so that what
 * stands behind them is reached.  What is taken keeps the contract of a directory. */
#include "core/mem.h"
#include "lexicon/odp/odp_internal.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static void look_at(const lethe_directory *dir, const lethe_odp_head *block)
{
    lethe_odp_index x = lethe_odp_layout((lethe_odp_head *)(uintptr_t)block);
    uint32_t found[LETHE_ODP_BEST + 1], n = lethe_directory_categories(dir);
    MUST(n > 0 && n == block->n_categories);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t parent = lethe_directory_parent(dir, c);
        MUST(lethe_directory_name(dir, c).n > 0 && (parent == LETHE_NONE || parent < c));
    }
    for (uint32_t t = 0; t < block->n_terms; t++) {
        lethe_str term = {x.terms + x.term_at[t], x.term_at[t + 1] - x.term_at[t]};
        size_t n_found = lethe_directory_find(dir, term, LETHE_ODP_BEST + 1, found);
        MUST(n_found == x.entry_at[t + 1] - x.entry_at[t] && n_found > 0);
        for (size_t i = 0; i < n_found; i++)
            MUST(found[i] < n && found[i] == x.entry[x.entry_at[t] + i]);
    }
}

static void take(const lethe_odp_head *block, size_t n)
{
    lethe_directory *dir = NULL;
    lethe_err e = lethe_odp_cache_memory(ctx, (lethe_str){(const char *)block, n}, &dir);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (dir != NULL));
    if (dir) look_at(dir, block);
    lethe_directory_free(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_odp_head *block = malloc(n ? n : 1);
    MUST(block);
    memcpy(block, data, n);
    take(block, n);
    if (n >= sizeof *block) {
        lethe_odp_sources none = {{0}, {0}};
        lethe_odp_index x = {.head = block};
        block->n_bytes = n;
        lethe_odp_stamp(&x, &none);
        take(block, n);
    }
    free(block);
    return 0;
}
