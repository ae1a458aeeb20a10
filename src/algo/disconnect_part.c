/* One component: the heuristic of section 7.4.1, with a heap of groups whose keys are brought up to
 * date when they come up.  Scores only fall, so that an old key is never too low. */
#include "algo/disconnect_internal.h"

enum { AHEAD = 12 }; /* sets fetched before they are needed: they lie all over memory */

/* --- neighbours --- */

/* Have two sets of a level a URL in common? */
static bool meet(const lethe_click_graph *g, uint32_t a, uint32_t b)
{
    uint64_t i = g->url_start[a], k = g->url_start[b];
    while (i < g->url_start[a + 1] && k < g->url_start[b + 1]) {
        if (g->url[i] == g->url[k]) return true;
        if (g->url[i] < g->url[k])
            i++;
        else
            k++;
    }
    return false;
}

/* One set on the walk, `a` being where it leads up to, and those that it comes across. */
typedef struct walking {
    level *l;
    uint32_t a, stamp, less;
    bool again; /* may one be come across again? */
} walking;

/* Sets that lead up to sets with a URL in common share that URL. */
static bool shares_above(const walking *w, uint32_t b)
{
    if (w->a == NO_SET || b == NO_SET) return false;
    meeting *m = &w->l[1].met[b];
    if (m->stamp != w->stamp) *m = (meeting){w->stamp, meet(w->l[1].graph, w->a, b)};
    return m->yes;
}

/* Sets of which nothing is left leave the list on the way. */
static uint32_t walk_url(const walking *w, uint32_t u)
{
    uint32_t *near = w->l->near + w->l->graph->class_start[u], n = w->l->n_near[u], kept = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        set_state *s = &w->l->at[near[i]];
        if (i + AHEAD < n) __builtin_prefetch(&w->l->at[near[i + AHEAD]], 1);
        if (s->live == 0) continue;
        near[kept++] = near[i];
        if (w->again) {
            if (s->stamp == w->stamp) continue;
            s->stamp = w->stamp;
        }
        bool counts = !shares_above(w, s->up);
        s->rest -= counts ? w->less : 0;
        sum += counts ? s->live : 0;
    }
    w->l->n_near[u] = kept;
    return sum;
}

/* Every set that shares a URL with this one that goes no further up, and none that does, once
 * (itself where none does); `less` is taken from its rest.  Returns their live queries. */
static uint32_t walk(level *l, uint32_t set, uint32_t stamp, uint32_t less)
{
    const lethe_click_graph *g = l->graph;
    walking w = {l, l->at[set].up, stamp, less, false};
    uint32_t sum = 0, n = 0;
    for (uint64_t i = g->url_start[set]; i < g->url_start[set + 1]; i++)
        n += !goes_up(l, g->url[i]);
    w.again = n > 1;
    for (uint64_t i = g->url_start[set]; i < g->url_start[set + 1] && n > 0; i++)
        if (!goes_up(l, g->url[i])) sum += walk_url(&w, g->url[i]);
    return sum;
}

/* --- the beginning --- */

/* Of the class's sets on all levels: each set is counted with its first class. */
static void count_rests(disconnecting *d, uint32_t c, uint32_t stamp)
{
    for (level *l = d->level; c != NO_SET; c = l++->at[c].up) {
        if (l->at[c].rest != NOT_COUNTED) return; // and those above are
        l->at[c].rest = walk(l, c, stamp, 0);
    }
}

static void clear_stamps(disconnecting *d, uint32_t c)
{
    for (level *l = d->level; c != NO_SET; c = l++->at[c].up) {
        l->at[c].stamp = 0;
        if (l->met) l->met[c].stamp = 0;
    }
}

/* Degrees, trees; returns the edges. */
static uint64_t begin(disconnecting *d, uint32_t first, uint32_t end)
{
    uint64_t sum = 0;
    for (uint32_t i = d->group_start[first]; i < d->group_start[end]; i++)
        count_rests(d, d->leaf[i], i + 1);
    for (uint32_t group = first; group < end; group++) {
        for (uint32_t i = d->group_start[group]; i < d->group_start[group + 1]; i++) {
            class_state *c = &d->at[d->leaf[i]];
            clear_stamps(d, d->leaf[i]);
            c->key_rest = lower_rest(d, d->leaf[i]);
            sum += (uint64_t)c->live * (top_rest(d, group) + c->key_rest - 1);
        }
        lethe_group_build(d, group);
    }
    return sum / 2;
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

/* False: nothing of it is joined, now or later. */
static bool rank(disconnecting *d, ranked_group *g)
{
    const class_state *c = &d->at[lethe_group_best(d, g->group)];
    if (c->live == 0) return false;
    g->key = (score){c->weight, top_rest(d, g->group) + c->key_rest - 1, c->query};
    return g->key.degree > 0;
}

static uint32_t fill_heap(disconnecting *d, uint32_t first, uint32_t end)
{
    ranked_group *heap = d->heap + first;
    uint32_t n = 0;
    for (uint32_t group = first; group < end; group++) {
        heap[n].group = group;
        n += rank(d, &heap[n]);
    }
    for (uint32_t i = n / 2; i-- > 0;)
        sink(heap, n, i);
    return n;
}

/* --- the run --- */

/* Steps 3 to 5: the query and its edges go; what is joined with it loses one. */
static void take_out(disconnecting *d, uint32_t c, uint32_t stamp)
{
    class_state *s = &d->at[c];
    uint32_t set = c;
    for (level *l = d->level; set != NO_SET; set = l++->at[set].up) {
        walk(l, set, stamp, 1);
        l->at[set].live--;
    }
    s->key_rest = lower_rest(d, c);
    s->next++;
    if (--s->live > 0) {
        s->query = d->member[s->next];
        s->weight = d->weight ? d->weight[s->query] : 1;
    }
    lethe_group_update(d, c);
}

/* Step 2: the highest-ranked is in front of the heap once its key holds there.  Groups of which
 * nothing is joined leave the heap. */
static void bring_up(disconnecting *d, ranked_group *heap, uint32_t *n)
{
    for (;;) {
        assert(*n > 0); // else no edges are left
        score was = heap[0].key;
        if (!rank(d, &heap[0]))
            heap[0] = heap[--*n];
        else if (score_eq(was, heap[0].key))
            return;
        sink(heap, *n, 0);
    }
}

lethe_err lethe_disconnect_part(lethe_ctx *ctx, disconnecting *d, uint32_t part)
{
    uint32_t first = d->part_group[part], end = d->part_group[part + 1], done = 0;
    uint64_t out = d->part_start[part], left;
    ranked_group *heap = d->heap + first;
    // queries without URLs are a part too, joined with none, each other included
    if (!has_urls(d->level, d->leaf[d->group_start[first]])) return LETHE_OK;
    d->edges[part] = begin(d, first, end);
    uint32_t n = fill_heap(d, first, end);
    for (left = d->edges[part]; left > 0; left -= heap[0].key.degree) {
        if (done % 256 == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        bring_up(d, heap, &n);
        d->removed[out + done] = heap[0].key.query;
        d->degree[out + done] = heap[0].key.degree;
        take_out(d, d->graph->class_of[heap[0].key.query], ++done);
    }
    d->n_removed[part] = done;
    return LETHE_OK;
}
