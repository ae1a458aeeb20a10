/* The heuristic of section 7.4.1, with a heap of groups whose keys are brought up to date when they
 * come up.  Scores only fall, so that an old key is never too low. */
#include "algo/disconnect_internal.h"
#include "core/mem.h"

enum {
    HUB = 64,    /* classes that make a URL a hub */
    BATCH = 1024 /* classes that are one piece of work */
};

/* --- the beginning --- */

typedef struct counting {
    disconnecting *d;
    uint64_t *sum; /* of the degrees, each batch's */
} counting;

/* Degrees of some groups' classes. */
static lethe_err count_some(void *arg, size_t i, unsigned w)
{
    const counting *on = arg;
    disconnecting *d = on->d;
    uint32_t end = (uint32_t)LETHE_MIN((i + 1) * BATCH, d->n_groups);
    for (uint32_t group = (uint32_t)i * BATCH; group < end; group++) {
        if (d->group_start[group] == d->group_start[group + 1]) continue;
        uint32_t united = lethe_united(d, group);
        for (uint32_t k = d->group_start[group]; k < d->group_start[group + 1]; k++) {
            uint32_t c = d->leaf[k];
            d->at[c].key_rest = lethe_rest(d, c, &d->met[w]);
            on->sum[i] += (uint64_t)d->seen[c].live * (united + d->at[c].key_rest - 1);
        }
    }
    return LETHE_OK;
}

static lethe_err begin(lethe_ctx *ctx, disconnecting *d, uint32_t hub, uint64_t *edges)
{
    d->n_workers = lethe_ctx_threads(ctx);
    LETHE_TRY(lethe_disconnect_lay_out(d, hub));
    LETHE_TRY(lethe_united_new(d));
    size_t n = ((size_t)d->n_groups + BATCH - 1) / BATCH;
    counting on = {d, lethe_alloc_zero(n, sizeof *on.sum)};
    lethe_err e = on.sum ? lethe_pool_for(ctx, n, count_some, &on) : LETHE_ENOMEM;
    uint64_t sum = 0;
    for (size_t i = 0; i < n && e == LETHE_OK; i++)
        sum += on.sum[i];
    lethe_free(on.sum);
    *edges = sum / 2;
    return e;
}

/* --- the heap --- */

static void sink(ranked_group *heap, uint32_t n, uint32_t i)
{
    ranked_group it = heap[i];
    for (uint64_t k; (k = 2 * (uint64_t)i + 1) < n; i = (uint32_t)k) {
        if (k + 1 < n && score_above(heap[k + 1].key, heap[k].key)) k++;
        if (!score_above(heap[k].key, it.key)) break;
        heap[i] = heap[k];
    }
    heap[i] = it;
}

/* The group's best as its rest is known.  False: nothing of the group is joined, now or later. */
static bool rank(disconnecting *d, ranked_group *g)
{
    uint32_t united = lethe_united(d, g->group);
    const class_state *c = &d->at[lethe_group_best(d, g->group, united)];
    if (c->query == NONE) return false;
    g->key = (score){c->weight, united + c->key_rest - 1, c->query};
    return g->key.degree > 0;
}

/* Whether the rest was exact of what the group's key tells of; it is now. */
static bool check_rest(disconnecting *d, const ranked_group *g)
{
    uint32_t c = d->graph->class_of[g->key.query], rest = lethe_rest(d, c, d->met);
    if (rest == d->at[c].key_rest) return true;
    uint32_t united = g->key.degree + 1 - d->at[c].key_rest;
    d->at[c].key_rest = rest;
    lethe_group_update(d, c, united);
    return false;
}

static lethe_err fill_heap(disconnecting *d, uint32_t *n)
{
    d->node = lethe_alloc(d->graph->n_classes, sizeof *d->node);
    d->heap = lethe_alloc(d->n_groups, sizeof *d->heap);
    if (!d->node || !d->heap) return LETHE_ENOMEM;
    *n = 0;
    for (uint32_t group = 0; group < d->n_groups; group++) {
        if (d->group_start[group] == d->group_start[group + 1]) continue;
        lethe_group_build(d, group, lethe_united(d, group));
        d->heap[*n].group = group;
        *n += rank(d, &d->heap[*n]);
    }
    for (uint32_t i = *n / 2; i-- > 0;)
        sink(d->heap, *n, i);
    return LETHE_OK;
}

/* --- the run --- */

/* Steps 3 to 5: the query and its edges go. */
static void take_out(disconnecting *d, const ranked_group *first)
{
    uint32_t c = d->graph->class_of[first->key.query];
    class_state *s = &d->at[c];
    lethe_take_out(d, c);
    s->query = NONE;
    if (d->seen[c].live > 0) {
        s->query = d->member[++s->next];
        s->weight = d->weight ? d->weight[s->query] : 1;
    }
    lethe_group_update(d, c, lethe_united(d, first->group));
}

/* Step 2: the highest-ranked is in front of the heap once its key holds there, first as far as is
 * known, then exactly.  Groups of which nothing is joined leave the heap. */
static void bring_up(disconnecting *d, uint32_t *n)
{
    for (;;) {
        assert(*n > 0); // else no edges are left
        score was = d->heap[0].key;
        if (!rank(d, &d->heap[0]))
            d->heap[0] = d->heap[--*n];
        else if (score_eq(was, d->heap[0].key) && check_rest(d, &d->heap[0]))
            return;
        sink(d->heap, *n, 0);
    }
}

/* Step 7, at every step.  Where density is low enough at once, nothing goes. */
static lethe_err run(lethe_ctx *ctx, disconnecting *d, double density, lethe_disconnected *to)
{
    uint64_t left = to->edges[0];
    uint32_t done = 0, n;
    LETHE_TRY(fill_heap(d, &n));
    while (lethe_click_density(left, d->graph->n - done) > density) {
        if (done % 256 == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        bring_up(d, &n);
        left -= d->heap[0].key.degree;
        to->removed[done++] = d->heap[0].key.query;
        to->edges[done] = left;
        take_out(d, &d->heap[0]);
    }
    to->n_removed = done;
    return LETHE_OK;
}

/* Gives back what is left over; that may fail, and does no harm then. */
static void shrink(lethe_disconnected *to)
{
    void *p = lethe_realloc(to->removed, LETHE_MAX(to->n_removed, 1), sizeof *to->removed);
    if (p) to->removed = p;
    p = lethe_realloc(to->edges, (size_t)to->n_removed + 1, sizeof *to->edges);
    if (p) to->edges = p;
}

/* --- all --- */

lethe_err lethe_disconnect(lethe_ctx *ctx, const lethe_disconnecting *how, lethe_disconnected *out)
{
    size_t n = how->graph->n;
    disconnecting d = {.graph = how->graph, .weight = how->weight};
    lethe_disconnected to = {.removed = lethe_alloc(n, sizeof *to.removed),
                             .edges = lethe_alloc(n + 1, sizeof *to.edges)};
    assert(how->density >= 0);
    lethe_err e = to.removed && to.edges ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) e = begin(ctx, &d, how->hub ? how->hub : HUB, to.edges);
    if (e == LETHE_OK) e = run(ctx, &d, how->density, &to);
    lethe_disconnect_clear(&d);
    if (e == LETHE_OK) {
        shrink(&to);
        *out = to;
    } else {
        lethe_disconnected_free(&to);
    }
    return e == LETHE_ENOMEM ? lethe_no_memory(lethe_ctx_diag(ctx)) : e;
}

void lethe_disconnected_free(lethe_disconnected *d)
{
    lethe_free(d->removed);
    lethe_free(d->edges);
    *d = (lethe_disconnected){0};
}

lethe_err lethe_click_edges(lethe_ctx *ctx, const lethe_click_graph *g, uint64_t *edges)
{
    disconnecting d = {.graph = g};
    uint64_t n = 0;
    lethe_err e = begin(ctx, &d, HUB, &n);
    lethe_disconnect_clear(&d);
    if (e == LETHE_OK) *edges = n;
    return e == LETHE_ENOMEM ? lethe_no_memory(lethe_ctx_diag(ctx)) : e;
}
