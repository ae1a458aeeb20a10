/* pattern_recall.c - finds the patterns of one list in another, by an index from each item to the
 * patterns that have it. */
#include "algo/mine/pattern_recall.h"
#include "core/mem.h"

struct searcher {      /* a worker's own */
    uint32_t *overlap; /* by pattern of the second; 0 between */
    uint32_t *met;     /* those with any */
};

struct recalling {
    lethe_arena *arena;
    const lethe_itemsets *before, *after;
    uint64_t *first;   /* by item: where the patterns of the second that hold it begin in */
    uint32_t *holding; /* this */
    uint32_t *best;    /* by pattern of the first */
    struct searcher *searchers;
};

static lethe_err pattern_search(void *arg, size_t i, unsigned w)
{
    struct recalling *r = arg;
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

static lethe_err search(lethe_ctx *ctx, struct recalling *r, uint32_t n_items)
{
    unsigned n = lethe_ctx_threads(ctx);
    const lethe_itemsets *f = r->after;
    r->first = lethe_new(r->arena, uint64_t, (size_t)n_items + 2);
    r->holding = lethe_new(r->arena, uint32_t, f->start[f->n] + 1);
    if (!r->first || !r->holding) return LETHE_ENOMEM;
    // counted two further on, so that after filling, each is where it begins
    for (uint64_t k = 0; k < f->start[f->n]; k++)
        r->first[f->item[k] + 2]++;
    for (size_t v = 0; v <= n_items; v++)
        r->first[v + 1] += r->first[v];
    for (size_t i = 0; i < f->n; i++)
        for (uint64_t k = f->start[i]; k < f->start[i + 1]; k++)
            r->holding[r->first[f->item[k] + 1]++] = (uint32_t)i;
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

static void sums_take(const struct recalling *r, lethe_pattern_recall *out)
{
    *out = (lethe_pattern_recall){.items = r->before->start[r->before->n],
                                  .n_before = r->before->n,
                                  .n_after = r->after->n,
                                  .least_before = r->before->least,
                                  .least_after = r->after->least,
                                  .tied_out = r->before->tied_out || r->after->tied_out};
    for (size_t i = 0; i < r->before->n; i++)
        out->shared += r->best[i];
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
        struct recalling r = {.arena = lethe_arena_new(), .before = a, .after = b};
        e = r.arena ? search(ctx, &r, LETHE_MAX(before->n_items, after->n_items)) : LETHE_ENOMEM;
        if (e == LETHE_OK) sums_take(&r, out);
        if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
        lethe_arena_free(r.arena);
    }
    lethe_itemsets_free(a);
    lethe_itemsets_free(b);
    return e;
}
