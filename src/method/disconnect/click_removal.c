#include "method/disconnect/click_removal.h"
#include "method/disconnect/click_ranking.h"
#include "method/disconnect/independent/independent.h"
#include "core/mem.h"

typedef struct removing {
    lethe_ctx *ctx;
    const lethe_click_removal_options *how;
    lethe_click_removal *to;
    uint32_t n; /* of the graph: queries with a URL, then those without */
    lethe_click_graph *graph;
} removing;

/* Says what others leave unsaid. */
static lethe_err said(const removing *r, lethe_err e)
{
    return e == LETHE_ENOMEM ? lethe_no_memory(r->ctx) : e;
}

/* --- the graph --- */

/* The queries that are not gone, as they are numbered in the graph. */
static lethe_err list_queries(removing *r)
{
    lethe_click_gather *g = r->how->gather;
    lethe_hash_numbers *texts = &r->to->texts;
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    for (uint32_t i = 0; i < lethe_click_gather_queries(g); i++) {
        const lethe_click_query *q = lethe_click_gather_query(g, i);
        uint32_t number, want = texts->n;
        if (q->gone) continue;
        LETHE_TRY(said(r, lethe_hash_numbers_add(texts, q->text, &number)));
        if (number != want)
            return lethe_fail(d, LETHE_EINPUT, "two queries cannot be told apart by their hashes");
    }
    if (r->how->n_plain >= UINT32_MAX - texts->n)
        return lethe_fail(d, LETHE_EINPUT, "more than %lu distinct queries",
                          (unsigned long)UINT32_MAX - 1);
    r->n = (uint32_t)r->how->n_plain + texts->n;
    return LETHE_OK;
}

static lethe_err count_edges(removing *r, const lethe_click *click, size_t n)
{
    lethe_click_gather *g = r->how->gather;
    lethe_click_graph *all;
    LETHE_TRY(said(r, lethe_click_graph_new(click, n, lethe_click_gather_queries(g),
                                            lethe_click_gather_urls(g), &all)));
    lethe_err e = lethe_click_edges(r->ctx, all, &r->to->edges_before);
    lethe_click_graph_free(all);
    return e;
}

/* Clicks of queries that are gone go, and the numbers of the others close up. */
static size_t close_up(const removing *r, lethe_click *click, size_t n)
{
    size_t left = 0;
    uint32_t last = LETHE_NONE, number = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t q = click[i].query;
        if (lethe_click_gather_query(r->how->gather, q)->gone) continue;
        if (last != LETHE_NONE && q != last) number++;
        last = q;
        click[left++] = (lethe_click){number, click[i].url};
    }
    return left;
}

/* *counted: the edges that there were, for some queries are gone; else they are those of the graph.
 */
static lethe_err make_graph(removing *r, bool *counted)
{
    size_t n;
    lethe_click_gather *g = r->how->gather;
    LETHE_TRY(said(r, lethe_click_gather_number(r->ctx, g)));
    LETHE_TRY(list_queries(r));
    lethe_click *click = lethe_click_gather_clicks(g, &n);
    *counted = r->to->texts.n < lethe_click_gather_queries(g);
    if (*counted) LETHE_TRY(count_edges(r, click, n));
    n = close_up(r, click, n);
    lethe_err e = lethe_click_graph_new(click, n, r->n, lethe_click_gather_urls(g), &r->graph);
    lethe_click_gather_drop_clicks(g);
    return said(r, e);
}

/* What each query counts; 0 where it has no URL. */
static lethe_err make_weights(const removing *r, lethe_click_value by, uint64_t **out)
{
    lethe_click_gather *g = r->how->gather;
    uint64_t *weight = lethe_alloc_zero(r->n, sizeof *weight);
    uint32_t n = 0;
    if (!weight) return said(r, LETHE_ENOMEM);
    for (uint32_t i = 0; i < lethe_click_gather_queries(g); i++) {
        const lethe_click_query *q = lethe_click_gather_query(g, i);
        if (q->gone) continue;
        weight[n++] = by == LETHE_CLICK_VALUE_ONE         ? 1
                      : by == LETHE_CLICK_VALUE_FREQUENCY ? q->frequency
                      : by == LETHE_CLICK_VALUE_CLICKS    ? q->clicks
                                                          : q->weight;
    }
    *out = weight;
    return LETHE_OK;
}

/* --- rankings --- */

static lethe_err rank_by(const removing *r, lethe_click_value by, double density,
                         lethe_click_ranking *out)
{
    uint64_t *weight = NULL; /* of one each: by degree */
    if (by != LETHE_CLICK_VALUE_ONE) LETHE_TRY(make_weights(r, by, &weight));
    lethe_err e = lethe_click_rank(
        r->ctx,
        &(lethe_click_ranking_options){.graph = r->graph, .weight = weight, .density = density},
        out);
    lethe_free(weight);
    return e;
}

static void mark_kept(const removing *r, const lethe_click_ranking *d, uint8_t *kept)
{
    memset(kept, 1, r->n);
    for (uint32_t i = 0; i < d->n_removed; i++)
        kept[d->removed[i]] = 0;
}

static void note_path(removing *r, const lethe_click_ranking *d)
{
    uint32_t steps = LETHE_MIN(d->n_removed, (uint32_t)LETHE_CLICK_PATH_MAX - 1);
    for (uint32_t i = 0; i <= steps; i++) {
        uint32_t at = steps ? (uint32_t)((uint64_t)i * d->n_removed / steps) : 0;
        r->to->path[r->to->n_path++] = lethe_click_density(d->edges[at], r->n - at);
    }
}

static lethe_err rank_queries(removing *r, uint64_t *edges)
{
    lethe_click_ranking d;
    LETHE_TRY(rank_by(r, r->how->by, r->how->density, &d));
    mark_kept(r, &d, r->to->kept);
    *edges = d.edges[0];
    r->to->edges_after = d.edges[d.n_removed];
    note_path(r, &d);
    lethe_click_ranking_free(&d);
    return LETHE_OK;
}

/* --- the best --- */

enum { STARTS = 3 };

/* What the three rankings keep, so that the best is never below any of them. */
static lethe_err make_starts(const removing *r, uint8_t *start[STARTS], uint64_t *edges)
{
    static const lethe_click_value by[STARTS] = {LETHE_CLICK_VALUE_ONE, LETHE_CLICK_VALUE_FREQUENCY,
                                                 LETHE_CLICK_VALUE_CLICKS};
    for (size_t i = 0; i < STARTS; i++) {
        lethe_click_ranking d;
        start[i] = lethe_alloc(r->n, 1);
        if (!start[i]) return said(r, LETHE_ENOMEM);
        LETHE_TRY(rank_by(r, by[i], 0, &d));
        mark_kept(r, &d, start[i]);
        *edges = d.edges[0];
        lethe_click_ranking_free(&d);
    }
    return LETHE_OK;
}

static lethe_err find_best(removing *r, uint64_t *edges)
{
    uint8_t *start[STARTS] = {NULL};
    uint64_t *weight = NULL;
    lethe_independent best = {0};
    lethe_err e = make_weights(r, r->how->by, &weight);
    if (e == LETHE_OK) e = make_starts(r, start, edges);
    if (e == LETHE_OK)
        e = said(r, lethe_independent_find(r->ctx, r->graph, weight, (const uint8_t *const *)start,
                                           STARTS, &best));
    if (e == LETHE_OK) memcpy(r->to->kept, best.kept, r->n);
    lethe_independent_free(&best);
    for (size_t i = 0; i < STARTS; i++)
        lethe_free(start[i]);
    lethe_free(weight);
    return e;
}

/* --- all --- */

static lethe_err remove_from(removing *r)
{
    bool counted;
    uint64_t edges = 0;
    LETHE_TRY(make_graph(r, &counted));
    r->to->kept = lethe_alloc(r->n, 1);
    if (!r->to->kept) return said(r, LETHE_ENOMEM);
    LETHE_TRY(r->how->best ? find_best(r, &edges) : rank_queries(r, &edges));
    if (!counted) r->to->edges_before = edges;
    return LETHE_OK;
}

lethe_err lethe_click_remove(lethe_ctx *ctx, const lethe_click_removal_options *how,
                             lethe_click_removal *out)
{
    lethe_click_removal to = {0};
    removing r = {.ctx = ctx, .how = how, .to = &to};
    assert(!how->best || how->density == 0);
    lethe_err e = remove_from(&r);
    lethe_click_graph_free(r.graph);
    if (e == LETHE_OK)
        *out = to;
    else
        lethe_click_removal_free(&to);
    return e;
}

void lethe_click_removal_free(lethe_click_removal *r)
{
    lethe_hash_numbers_free(&r->texts);
    lethe_free(r->kept);
    *r = (lethe_click_removal){0};
}
