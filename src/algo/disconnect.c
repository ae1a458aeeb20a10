/* Components are solved by themselves (disconnect_part.c) and their removals merged: what is next
 * in one does not depend on the others. */
#include "algo/disconnect_internal.h"
#include "core/mem.h"

enum {
    HUB = 512, /* classes that make a URL a hub */
    BATCH = 64 /* components that are one piece of work */
};

typedef struct working {
    lethe_ctx *ctx;
    disconnecting *d;
} working;

static lethe_err solve(void *arg, size_t i, unsigned w)
{
    const working *on = arg;
    size_t end = LETHE_MIN((i + 1) * BATCH, on->d->n_parts);
    (void)w;
    for (size_t part = i * BATCH; part < end; part++)
        LETHE_TRY(lethe_disconnect_part(on->ctx, on->d, (uint32_t)part));
    return LETHE_OK;
}

/* --- merging --- */

/* The next removal of each component that has one, as a heap. */
typedef struct next_of {
    score key;
    uint32_t part, done;
} next_of;

static void look_up(const disconnecting *d, next_of *it)
{
    uint64_t i = d->part_start[it->part] + it->done;
    uint32_t q = d->removed[i];
    it->key = (score){d->weight ? d->weight[q] : 1, d->degree[i], q};
}

static void sink(next_of *heap, uint32_t n, uint32_t i)
{
    next_of it = heap[i];
    for (uint64_t k; (k = 2 * (uint64_t)i + 1) < n; i = (uint32_t)k) {
        if (k + 1 < n && score_above(heap[k + 1].key, heap[k].key)) k++;
        if (!score_above(heap[k].key, it.key)) break;
        heap[i] = heap[k];
    }
    heap[i] = it;
}

static void start_merging(const disconnecting *d, next_of *heap)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < d->n_parts; p++) {
        if (d->n_removed[p] == 0) continue;
        heap[n] = (next_of){.part = p};
        look_up(d, &heap[n++]);
    }
    for (uint32_t i = n / 2; i-- > 0;)
        sink(heap, n, i);
}

/* Step 7, at every step.  Where density is low enough at once, nothing goes. */
static void merge(const disconnecting *d, double density, next_of *heap, uint32_t n,
                  lethe_disconnected *to)
{
    uint64_t left = to->edges[0];
    uint32_t done = 0;
    while (lethe_click_density(left, d->graph->n - done) > density) {
        next_of *top = &heap[0];
        left -= top->key.degree;
        to->removed[done++] = top->key.query;
        to->edges[done] = left;
        if (++top->done < d->n_removed[top->part])
            look_up(d, top);
        else
            heap[0] = heap[--n];
        sink(heap, n, 0);
    }
    to->n_removed = done;
}

/* Gives back what early stopping left over; that may fail, and does no harm then. */
static void shrink(lethe_disconnected *to)
{
    void *p = lethe_realloc(to->removed, LETHE_MAX(to->n_removed, 1), sizeof *to->removed);
    if (p) to->removed = p;
    p = lethe_realloc(to->edges, (size_t)to->n_removed + 1, sizeof *to->edges);
    if (p) to->edges = p;
}

static lethe_err put_together(const disconnecting *d, double density, lethe_disconnected *out)
{
    uint64_t edges = 0, removed = 0;
    uint32_t n = 0;
    for (uint32_t p = 0; p < d->n_parts; p++) {
        edges += d->edges[p];
        removed += d->n_removed[p];
        n += d->n_removed[p] > 0;
    }
    lethe_disconnected to = {.removed = lethe_alloc(removed, sizeof *to.removed),
                             .edges = lethe_alloc(removed + 1, sizeof *to.edges)};
    next_of *heap = lethe_alloc(n, sizeof *heap);
    bool ok = to.removed && to.edges && heap;
    if (ok) {
        to.edges[0] = edges;
        start_merging(d, heap);
        merge(d, density, heap, n, &to);
        shrink(&to);
        *out = to;
    } else {
        lethe_disconnected_free(&to);
    }
    lethe_free(heap);
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

/* --- all --- */

lethe_err lethe_disconnect(lethe_ctx *ctx, const lethe_disconnecting *how, lethe_disconnected *out)
{
    disconnecting d = {.graph = how->graph, .weight = how->weight};
    working on = {ctx, &d};
    assert(how->density >= 0);
    lethe_err e = lethe_disconnect_lay_out(&d, how->hub ? how->hub : HUB);
    if (e == LETHE_OK) e = lethe_pool_for(ctx, ((size_t)d.n_parts + BATCH - 1) / BATCH, solve, &on);
    if (e == LETHE_OK) e = put_together(&d, how->density, out);
    lethe_disconnect_clear(&d);
    return e == LETHE_ENOMEM ? lethe_no_memory(lethe_ctx_diag(ctx)) : e;
}

void lethe_disconnected_free(lethe_disconnected *d)
{
    lethe_free(d->removed);
    lethe_free(d->edges);
    *d = (lethe_disconnected){0};
}
