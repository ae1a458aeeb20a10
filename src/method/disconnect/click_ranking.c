/* The heuristic of section 7.4.1, with a heap of groups whose keys are brought up to date when they
 * come up.  Scores only fall, so that an old key is never too low; and so that removals of batches
 * (disconnect_parts.c), each run by itself, need only be merged. */
#include "method/disconnect/click_ranking_internal.h"
#include "core/mem.h"

enum {
    HUB = 64,       /* classes that make a URL a hub */
    COUNTED = 1024, /* groups whose degrees are counted as one piece of work */
    BATCH = 1 << 13 /* queries and URLs of classes that are disconnected as one */
};

/* --- the beginning --- */

typedef struct counting {
    lethe_ranking *d;
    uint64_t *sum; /* of the degrees, each piece's */
} counting;

/* Degrees of some groups' classes. */
static lethe_err count_some(void *arg, size_t i, unsigned w)
{
    const counting *on = arg;
    lethe_ranking *d = on->d;
    uint32_t end = (uint32_t)LETHE_MIN((i + 1) * COUNTED, d->n_groups);
    for (uint32_t group = (uint32_t)i * COUNTED; group < end; group++) {
        if (d->group_start[group] == d->group_start[group + 1]) continue;
        uint32_t hub_degree = lethe_ranking_hub_degree(d, group);
        for (uint32_t k = d->group_start[group]; k < d->group_start[group + 1]; k++) {
            uint32_t c = d->leaf[k];
            d->at[c].other_bound = lethe_ranking_other_degree(d, c, &d->met[w]);
            on->sum[i] += (uint64_t)d->seen[c].live * (hub_degree + d->at[c].other_bound - 1);
        }
    }
    return LETHE_OK;
}

static lethe_err begin(lethe_ctx *ctx, lethe_ranking *d, uint32_t hub, uint64_t *edges)
{
    d->n_workers = lethe_ctx_threads(ctx);
    LETHE_TRY(lethe_ranking_init(d, hub));
    LETHE_TRY(lethe_ranking_hubs_init(d));
    size_t n = ((size_t)d->n_groups + COUNTED - 1) / COUNTED;
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

static void sink(lethe_ranking_group *heap, uint32_t n, uint32_t i)
{
    lethe_ranking_group it = heap[i];
    for (uint64_t k; (k = 2 * (uint64_t)i + 1) < n; i = (uint32_t)k) {
        if (k + 1 < n && lethe_ranking_above(heap[k + 1].key, heap[k].key)) k++;
        if (!lethe_ranking_above(heap[k].key, it.key)) break;
        heap[i] = heap[k];
    }
    heap[i] = it;
}

/* The group's best as its other_degree is known.  False: nothing of the group is joined, now or
 * later. */
static bool rank(lethe_ranking *d, lethe_ranking_group *g)
{
    uint32_t hub_degree = lethe_ranking_hub_degree(d, g->group);
    const lethe_ranking_class *c = &d->at[lethe_ranking_tree_best(d, g->group, hub_degree)];
    if (c->query == LETHE_NONE) return false;
    g->key = (lethe_ranking_score){c->weight, hub_degree + c->other_bound - 1, c->query};
    return g->key.degree > 0;
}

/* Whether the other_degree was exact of what the group's key tells of; it is now. */
static bool check_rest(lethe_ranking *d, const lethe_ranking_group *g, lethe_ranking_stamps *met)
{
    uint32_t c = d->graph->class_of[g->key.query],
             other_degree = lethe_ranking_other_degree(d, c, met);
    if (other_degree == d->at[c].other_bound) return true;
    uint32_t hub_degree = g->key.degree + 1 - d->at[c].other_bound;
    d->at[c].other_bound = other_degree;
    lethe_ranking_tree_update(d, c, hub_degree);
    return false;
}

/* A batch on its way. */
typedef struct running {
    lethe_ranking *d;
    lethe_ranking_group *heap;
    uint32_t n; /* of the heap */
    lethe_ranking_stamps *met;
    uint64_t left; /* edges */
} running;

static void fill_heap(running *r, const lethe_ranking_batch *b)
{
    lethe_ranking *d = r->d;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->n_groups; i++) {
        uint32_t group = r->heap[i].group, hub_degree = lethe_ranking_hub_degree(d, group);
        for (uint32_t k = d->group_start[group]; k < d->group_start[group + 1]; k++)
            sum += (uint64_t)d->seen[d->leaf[k]].live *
                   (hub_degree + d->at[d->leaf[k]].other_bound - 1);
        lethe_ranking_tree_build(d, group, hub_degree);
        r->heap[r->n].group = group;
        r->n += rank(d, &r->heap[r->n]);
    }
    for (uint32_t i = r->n / 2; i-- > 0;)
        sink(r->heap, r->n, i);
    r->left = sum / 2;
}

/* --- the run --- */

/* Steps 3 to 5: the query and its edges go. */
static void take_out(lethe_ranking *d, const lethe_ranking_group *first)
{
    uint32_t c = d->graph->class_of[first->key.query];
    lethe_ranking_class *s = &d->at[c];
    lethe_ranking_remove_query(d, c);
    s->query = LETHE_NONE;
    if (d->seen[c].live > 0) {
        s->query = d->member[++s->next];
        s->weight = d->weight ? d->weight[s->query] : 1;
    }
    lethe_ranking_tree_update(d, c, lethe_ranking_hub_degree(d, first->group));
}

/* Step 2: the highest-ranked is in front of the heap once its key holds there, first as far as is
 * known, then exactly.  Groups of which nothing is joined leave the heap. */
static void bring_up(running *r)
{
    for (;;) {
        assert(r->n > 0); // else no edges are left
        lethe_ranking_score was = r->heap[0].key;
        if (!rank(r->d, &r->heap[0]))
            r->heap[0] = r->heap[--r->n];
        else if (lethe_ranking_score_eq(was, r->heap[0].key) &&
                 check_rest(r->d, &r->heap[0], r->met))
            return;
        sink(r->heap, r->n, 0);
    }
}

typedef struct working {
    lethe_ctx *ctx;
    lethe_ranking *d;
    double density;
    uint64_t edges; /* of all batches */
} working;

/* Is density low enough whatever has gone from the other batches?  Then no more of this one go: at
 * worst their edges are all left, and their queries are not.  Where this one has edges, it has two
 * queries at least. */
static bool may_end(const working *on, const lethe_ranking_batch *b, uint64_t edges)
{
    const lethe_ranking_batch *last = &on->d->batch[on->d->n_batches - 1];
    uint32_t others = last->out + last->n_queries - b->n_queries;
    uint32_t queries = on->d->graph->n - b->n_removed - others;
    return lethe_click_density(edges, queries) <= on->density;
}

static lethe_err run(void *arg, size_t i, unsigned w)
{
    const working *on = arg;
    lethe_ranking *d = on->d;
    lethe_ranking_batch *b = &d->batch[i];
    running r = {.d = d, .heap = d->heap + b->heap, .met = &d->met[w]};
    fill_heap(&r, b);
    uint64_t others = on->edges - r.left;
    while (r.left > 0 && !may_end(on, b, others + r.left)) {
        if (b->n_removed % 256 == 0 && lethe_ctx_cancelled(on->ctx)) return LETHE_ECANCEL;
        bring_up(&r);
        lethe_ranking_score gone = r.heap[0].key;
        r.left -= gone.degree;
        d->removed[b->out + b->n_removed] = gone.query;
        d->degree[b->out + b->n_removed++] = gone.degree;
        take_out(d, &r.heap[0]);
    }
    return LETHE_OK;
}

static lethe_err run_all(const working *on, uint32_t size)
{
    lethe_ranking *d = on->d;
    LETHE_TRY(lethe_ranking_batches(d, size));
    d->node = lethe_alloc(d->graph->n_classes, sizeof *d->node);
    d->removed = lethe_alloc(d->graph->n, sizeof *d->removed);
    d->degree = lethe_alloc(d->graph->n, sizeof *d->degree);
    if (!d->node || !d->removed || !d->degree) return LETHE_ENOMEM;
    // where density is low enough at once, nothing goes
    bool any = lethe_click_density(on->edges, d->graph->n) > on->density;
    return lethe_pool_for(on->ctx, any ? d->n_batches : 0, run, (void *)(uintptr_t)on);
}

/* --- merging --- */

/* The next removal of each batch that has one, as a heap. */
typedef struct next_of {
    lethe_ranking_score key;
    uint32_t batch, done;
} next_of;

static void look_up(const lethe_ranking *d, next_of *it)
{
    uint32_t i = d->batch[it->batch].out + it->done, q = d->removed[i];
    it->key = (lethe_ranking_score){d->weight ? d->weight[q] : 1, d->degree[i], q};
}

static void sink_next(next_of *heap, uint32_t n, uint32_t i)
{
    next_of it = heap[i];
    for (uint64_t k; (k = 2 * (uint64_t)i + 1) < n; i = (uint32_t)k) {
        if (k + 1 < n && lethe_ranking_above(heap[k + 1].key, heap[k].key)) k++;
        if (!lethe_ranking_above(heap[k].key, it.key)) break;
        heap[i] = heap[k];
    }
    heap[i] = it;
}

static uint32_t start_merging(const lethe_ranking *d, next_of *heap)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n_batches; i++) {
        if (d->batch[i].n_removed == 0) continue;
        heap[n] = (next_of){.batch = i};
        look_up(d, &heap[n++]);
    }
    for (uint32_t i = n / 2; i-- > 0;)
        sink_next(heap, n, i);
    return n;
}

/* Step 7, at every step. */
static void merge(const working *on, next_of *heap, lethe_click_ranking *to)
{
    const lethe_ranking *d = on->d;
    uint32_t n = start_merging(d, heap), done = 0;
    uint64_t left = to->edges[0] = on->edges;
    while (lethe_click_density(left, d->graph->n - done) > on->density) {
        assert(n > 0);
        left -= heap[0].key.degree;
        to->removed[done++] = heap[0].key.query;
        to->edges[done] = left;
        if (++heap[0].done < d->batch[heap[0].batch].n_removed)
            look_up(d, &heap[0]);
        else
            heap[0] = heap[--n];
        sink_next(heap, n, 0);
    }
    to->n_removed = done;
}

/* Gives back what is left over; that may fail, and does no harm then. */
static void shrink(lethe_click_ranking *to)
{
    void *p = lethe_realloc(to->removed, LETHE_MAX(to->n_removed, 1), sizeof *to->removed);
    if (p) to->removed = p;
    p = lethe_realloc(to->edges, (size_t)to->n_removed + 1, sizeof *to->edges);
    if (p) to->edges = p;
}

static lethe_err put_together(const working *on, lethe_click_ranking *out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < on->d->n_batches; i++)
        n += on->d->batch[i].n_removed;
    lethe_click_ranking to = {.removed = lethe_alloc(n, sizeof *to.removed),
                              .edges = lethe_alloc(n + 1, sizeof *to.edges)};
    next_of *heap = lethe_alloc(on->d->n_batches, sizeof *heap);
    bool ok = to.removed && to.edges && heap;
    if (ok) {
        merge(on, heap, &to);
        shrink(&to);
        *out = to;
    } else {
        lethe_click_ranking_free(&to);
    }
    lethe_free(heap);
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

/* --- all --- */

lethe_err lethe_click_rank(lethe_ctx *ctx, const lethe_click_ranking_options *how,
                           lethe_click_ranking *out)
{
    lethe_ranking d = {.graph = how->graph, .weight = how->weight};
    working on = {ctx, &d, how->density, 0};
    assert(how->density >= 0);
    lethe_err e = begin(ctx, &d, how->hub ? how->hub : HUB, &on.edges);
    if (e == LETHE_OK) e = run_all(&on, how->batch ? how->batch : BATCH);
    lethe_ranking_clear(&d); // before there is more
    if (e == LETHE_OK) e = put_together(&on, out);
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
    lethe_err e = begin(ctx, &d, HUB, &n);
    lethe_ranking_clear(&d);
    if (e == LETHE_OK) *edges = n;
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
