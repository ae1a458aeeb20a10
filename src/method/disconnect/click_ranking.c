/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking.c - the heuristic of Poblete and others, with a heap of groups whose keys are
 * updated when they come up.  Scores only fall, so an old key is never too low; and the removals of
 * batches (click_ranking_batches.c), each run independently, only have to be merged. */
#include "method/disconnect/click_ranking_internal.h"
#include "core/mem.h"

enum {
    HUB = 1024,     /* classes that make a URL a hub */
    COUNTED = 1024, /* classes whose other degrees are counted as one piece of work */
    BATCH = 1 << 13 /* queries and URLs of classes that are disconnected as one */
};

/* --- degrees --- */

static lethe_err count_others(void *arg, size_t i, unsigned w)
{
    lethe_ranking *d = arg;
    uint32_t end = (uint32_t)LETHE_MIN((i + 1) * COUNTED, d->graph->n_classes);
    for (uint32_t c = (uint32_t)i * COUNTED; c < end; c++)
        d->seen[c].other = lethe_ranking_count_others(d, c, d->bits[w]);
    return LETHE_OK;
}

static uint64_t sum_degrees(lethe_ranking *d)
{
    uint64_t sum = 0;
    for (uint32_t group = 0; group < d->n_groups; group++) {
        if (d->group_start[group] == d->group_start[group + 1]) continue;
        uint32_t hub_degree = lethe_ranking_hub_degree(d, group);
        for (uint32_t k = d->group_start[group]; k < d->group_start[group + 1]; k++) {
            uint32_t c = d->leaf[k];
            d->at[c].other_bound = d->seen[c].other;
            sum += (uint64_t)d->seen[c].live * (hub_degree + d->at[c].other_bound - 1);
        }
    }
    return sum;
}

static lethe_err count_edges(lethe_ctx *ctx, lethe_ranking *d, uint32_t hub, uint64_t *edges)
{
    d->n_workers = lethe_ctx_threads(ctx);
    LETHE_TRY(lethe_ranking_init(d, hub));
    LETHE_TRY(lethe_ranking_hubs_init(d));
    size_t n = ((size_t)d->graph->n_classes + COUNTED - 1) / COUNTED;
    LETHE_TRY(lethe_pool_for(ctx, n, count_others, d));
    *edges = sum_degrees(d) / 2;
    return LETHE_OK;
}

/* --- the heap of groups --- */

static void sift(lethe_ranking_entry *heap, uint32_t n, uint32_t i)
{
    lethe_ranking_entry it = heap[i];
    for (uint64_t k; (k = 2 * (uint64_t)i + 1) < n; i = (uint32_t)k) {
        if (k + 1 < n && lethe_ranking_above(heap[k + 1].key, heap[k].key)) k++;
        if (!lethe_ranking_above(heap[k].key, it.key)) break;
        heap[i] = heap[k];
    }
    heap[i] = it;
}

/* Sets the key to the group's best, as far as the other degrees are known.  False: no query of the
 * group has a neighbour, now or later. */
static bool update_key(lethe_ranking *d, lethe_ranking_entry *g)
{
    uint32_t hub_degree = lethe_ranking_hub_degree(d, g->of);
    const lethe_ranking_class *c = &d->at[lethe_ranking_tree_best(d, g->of, hub_degree)];
    if (c->query == LETHE_NONE) return false;
    g->key = (lethe_ranking_score){c->weight, hub_degree + c->other_bound - 1, c->query};
    return g->key.degree > 0;
}

/* Makes the other degree of the class in the group's key exact; false if it was not. */
static bool is_exact(lethe_ranking *d, const lethe_ranking_batch *b, const lethe_ranking_entry *g,
                     uint64_t *bits)
{
    uint32_t c = d->graph->class_of[g->key.query], old = d->at[c].other_bound;
    d->at[c].other_bound = lethe_ranking_other_degree(d, b, c, bits);
    if (d->at[c].other_bound == old) return true;
    lethe_ranking_tree_update(d, c, g->key.degree + 1 - old);
    return false;
}

/* --- one batch --- */

struct ranking_run {
    lethe_ctx *ctx;
    lethe_ranking *d;
    double density;
    uint64_t edges; /* of all batches */
};

/* Fills the heap of the batch and counts its edges; returns the number of entries. */
static uint32_t fill_heap(lethe_ranking *d, const lethe_ranking_batch *b, uint64_t *edges)
{
    lethe_ranking_entry *heap = d->heap + b->heap;
    uint64_t sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_groups; i++) {
        uint32_t group = heap[i].of, hub_degree = lethe_ranking_hub_degree(d, group);
        for (uint32_t k = d->group_start[group]; k < d->group_start[group + 1]; k++)
            sum += (uint64_t)d->seen[d->leaf[k]].live *
                   (hub_degree + d->at[d->leaf[k]].other_bound - 1);
        lethe_ranking_tree_build(d, group, hub_degree);
        heap[n].of = group;
        n += update_key(d, &heap[n]);
    }
    for (uint32_t i = n / 2; i-- > 0;)
        sift(heap, n, i);
    *edges = sum / 2;
    return n;
}

/* Is the density low enough whatever has gone from the other batches?  Then no more queries of this
 * one go: at worst all edges of the others are left, and their queries are not.  If this one has
 * edges, it has at least two queries. */
static bool may_end(const struct ranking_run *on, const lethe_ranking_batch *b, uint64_t edges)
{
    const lethe_ranking_batch *last = &on->d->batch[on->d->n_batches - 1];
    uint32_t others = last->out + last->n_queries - b->n_queries;
    uint32_t queries = on->d->graph->n - b->n_removed - others;
    return lethe_click_density(edges, queries) <= on->density;
}

static lethe_err disconnect_batch(void *arg, size_t i, unsigned w)
{
    const struct ranking_run *on = *(const struct ranking_run **)arg;
    lethe_ranking *d = on->d;
    lethe_ranking_batch *b = &d->batch[i];
    lethe_ranking_entry *heap = d->heap + b->heap;
    uint64_t left;
    uint32_t n = fill_heap(d, b, &left);
    uint64_t others = on->edges - left;
    while (left > 0 && !may_end(on, b, others + left)) {
        if (b->n_removed % 256 == 0 && lethe_ctx_cancelled(on->ctx)) return LETHE_ECANCEL;
        /* Step 2: the highest-ranked query is on top of the heap once its key does not change
         * there, first as far as is known, then exactly.  Groups without neighbours leave. */
        for (;;) {
            assert(n > 0); // else no edges are left
            lethe_ranking_score was = heap[0].key;
            if (!update_key(d, &heap[0]))
                heap[0] = heap[--n];
            else if (was.degree == heap[0].key.degree && was.weight == heap[0].key.weight &&
                     was.query == heap[0].key.query && is_exact(d, b, &heap[0], d->bits[w]))
                break;
            sift(heap, n, 0);
        }
        /* Steps 3 to 5: the query and its edges go. */
        lethe_ranking_score gone = heap[0].key;
        uint32_t c = d->graph->class_of[gone.query];
        lethe_ranking_class *s = &d->at[c];
        left -= gone.degree;
        d->removed[b->out + b->n_removed] = gone.query;
        d->degree[b->out + b->n_removed] = gone.degree;
        lethe_ranking_remove_query(d, c, b->n_removed++);
        s->query = LETHE_NONE;
        if (d->seen[c].live > 0) {
            s->query = d->member[++s->next];
            s->weight = d->weight ? d->weight[s->query] : 1;
        }
        lethe_ranking_tree_update(d, c, lethe_ranking_hub_degree(d, heap[0].of));
    }
    return LETHE_OK;
}

static lethe_err disconnect_batches(const struct ranking_run *on, uint32_t size)
{
    lethe_ranking *d = on->d;
    LETHE_TRY(lethe_ranking_batches(d, size));
    d->node = lethe_alloc(d->graph->n_classes, sizeof *d->node);
    d->removed = lethe_alloc(d->graph->n, sizeof *d->removed);
    d->degree = lethe_alloc(d->graph->n, sizeof *d->degree);
    if (!d->node || !d->removed || !d->degree) return LETHE_ENOMEM;
    // if the density is low enough already, nothing goes
    bool any = lethe_click_density(on->edges, d->graph->n) > on->density;
    return lethe_pool_for(on->ctx, any ? d->n_batches : 0, disconnect_batch, &on);
}

/* --- merging --- */

/* The batch's next removal; false: it has no more. */
static bool next_removal(const lethe_ranking *d, lethe_ranking_entry *it)
{
    uint32_t i = d->batch[it->of].out + it->done;
    if (it->done == d->batch[it->of].n_removed) return false;
    uint32_t q = d->removed[i];
    it->key = (lethe_ranking_score){d->weight ? d->weight[q] : 1, d->degree[i], q};
    return true;
}

static lethe_err merge_removals(const struct ranking_run *on, lethe_click_ranking *out)
{
    const lethe_ranking *d = on->d;
    size_t all = 0;
    for (uint32_t i = 0; i < d->n_batches; i++)
        all += d->batch[i].n_removed;
    lethe_click_ranking to = {.removed = lethe_alloc(all, sizeof *to.removed),
                              .edges = lethe_alloc(all + 1, sizeof *to.edges)};
    lethe_ranking_entry *heap = lethe_alloc_zero(d->n_batches, sizeof *heap);
    if (!to.removed || !to.edges || !heap) {
        lethe_click_ranking_free(&to);
        lethe_free(heap);
        return LETHE_ENOMEM;
    }
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < d->n_batches; i++) {
        heap[n] = (lethe_ranking_entry){.of = i};
        n += next_removal(d, &heap[n]);
    }
    for (uint32_t i = n / 2; i-- > 0;)
        sift(heap, n, i);
    uint64_t left = to.edges[0] = on->edges;
    while (lethe_click_density(left, d->graph->n - done) > on->density) { // step 7
        assert(n > 0);
        left -= heap[0].key.degree;
        to.removed[done++] = heap[0].key.query;
        to.edges[done] = left;
        heap[0].done++;
        if (!next_removal(d, &heap[0])) heap[0] = heap[--n];
        sift(heap, n, 0);
    }
    lethe_free(heap);
    to.n_removed = done;
    // give back what is left over; a failure does no harm
    void *p = lethe_realloc(to.removed, LETHE_MAX(done, 1), sizeof *to.removed);
    if (p) to.removed = p;
    p = lethe_realloc(to.edges, (size_t)done + 1, sizeof *to.edges);
    if (p) to.edges = p;
    *out = to;
    return LETHE_OK;
}

/* --- the whole ranking --- */

lethe_err lethe_click_rank(lethe_ctx *ctx, const lethe_click_ranking_options *how,
                           lethe_click_ranking *out)
{
    lethe_ranking d = {.graph = how->graph, .weight = how->weight};
    struct ranking_run on = {ctx, &d, how->density, 0};
    assert(how->density >= 0);
    lethe_err e = count_edges(ctx, &d, how->hub ? how->hub : HUB, &on.edges);
    if (e == LETHE_OK) e = disconnect_batches(&on, how->batch ? how->batch : BATCH);
    lethe_ranking_clear(&d); // before more is allocated
    if (e == LETHE_OK) e = merge_removals(&on, out);
    lethe_free(d.batch);
    lethe_free(d.removed);
    lethe_free(d.degree);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

void lethe_click_ranking_free(lethe_click_ranking *d)
{
    lethe_free(d->removed);
    lethe_free(d->edges);
    *d = (lethe_click_ranking){0};
}

lethe_err lethe_click_edges(lethe_ctx *ctx, const lethe_click_graph *g, uint64_t *edges)
{
    lethe_ranking d = {.graph = g};
    uint64_t n = 0;
    lethe_err e = count_edges(ctx, &d, HUB, &n);
    lethe_ranking_clear(&d);
    if (e == LETHE_OK) *edges = n;
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
