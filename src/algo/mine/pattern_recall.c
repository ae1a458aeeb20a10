/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_recall.c - finds the patterns of one list in another, by an index from each item to the
 * patterns that have it. */
#include "algo/mine/pattern_recall.h"
#include "core/mem.h"

struct searcher {      /* a worker's own */
    uint32_t *overlap; /* by pattern of the second; 0 between */
    uint32_t *met;     /* those with any */
};

struct pattern_match {
    lethe_arena *arena;
    const lethe_itemsets *before, *after;
    uint64_t *first;   /* by item: where the patterns of the second that hold it begin in */
    uint32_t *holding; /* this */
    uint32_t *best;    /* by pattern of the first */
    struct searcher *searchers;
};

static lethe_err pattern_search(void *arg, size_t i, unsigned w)
{
    struct pattern_match *r = arg;
    struct searcher *s = &r->searchers[w];
    size_t n_met = 0;
    for (uint64_t k = r->before->start[i]; k < r->before->start[i + 1]; k++) {
        uint32_t x = r->before->item[k];
        for (uint64_t h = r->first[x]; h < r->first[x + 1]; h++) {
            uint32_t *overlap = &s->overlap[r->holding[h]];
            if (*overlap == 0) s->met[n_met++] = r->holding[h];
            ++*overlap;
            r->best[i] = LETHE_MAX(r->best[i], *overlap);
        }
    }
    while (n_met > 0)
        s->overlap[s->met[--n_met]] = 0;
    return LETHE_OK;
}

static lethe_err search(lethe_ctx *ctx, struct pattern_match *r, uint32_t n_items)
{
    unsigned n = lethe_ctx_threads(ctx);
    LETHE_TRY(lethe_itemsets_index(r->after, n_items, r->arena, &r->first, &r->holding));
    r->best = lethe_new(r->arena, uint32_t, r->before->n + 1);
    r->searchers = lethe_new(r->arena, struct searcher, n);
    if (!r->best || !r->searchers) return LETHE_ENOMEM;
    for (unsigned w = 0; w < n; w++) {
        struct searcher *s = &r->searchers[w];
        s->overlap = lethe_new(r->arena, uint32_t, r->after->n + 1);
        s->met = lethe_new(r->arena, uint32_t, r->after->n + 1);
        if (!s->overlap || !s->met) return LETHE_ENOMEM;
    }
    return lethe_pool_for(ctx, r->before->n, pattern_search, r);
}

lethe_err lethe_pattern_recall_find(lethe_ctx *ctx, const lethe_transactions *before,
                                    const lethe_transactions *after, uint64_t n, uint64_t most,
                                    lethe_pattern_recall *out)
{
    lethe_closed_asked asked = {.n = n, .most = most};
    lethe_itemsets *a = NULL, *b = NULL;
    lethe_err e = lethe_closed_find(ctx, before, &asked, &a);
    if (e == LETHE_OK) e = lethe_closed_find(ctx, after, &asked, &b);
    if (e == LETHE_OK) {
        struct pattern_match r = {.arena = lethe_arena_new(), .before = a, .after = b};
        e = r.arena ? search(ctx, &r, LETHE_MAX(before->n_items, after->n_items)) : LETHE_ENOMEM;
        if (e == LETHE_OK)
            *out = (lethe_pattern_recall){.items = a->start[a->n],
                                          .n_before = a->n,
                                          .n_after = b->n,
                                          .least_before = a->least,
                                          .least_after = b->least,
                                          .tied_out = a->tied_out || b->tied_out};
        for (size_t i = 0; e == LETHE_OK && i < a->n; i++)
            out->shared += r.best[i];
        if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
        lethe_arena_free(r.arena);
    }
    lethe_itemsets_free(a);
    lethe_itemsets_free(b);
    return e;
}
