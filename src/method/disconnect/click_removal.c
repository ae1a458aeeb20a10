/* SPDX-License-Identifier: Apache-2.0 */
/* click_removal.c - builds the click graph of the gathered queries and removes queries from it, by
 * a ranking or as the complement of a heaviest independent set. */
#include "method/disconnect/click_removal.h"
#include "method/disconnect/click_ranking.h"
#include "method/disconnect/independent/independent.h"
#include "core/mem.h"

typedef struct removal_run {
    lethe_ctx *ctx;
    const lethe_click_removal_options *how;
    lethe_click_removal *to;
    uint32_t n; /* of the graph: queries with a URL, then those without */
    lethe_click_graph *graph;
} removal_run;

/* Reports a lack of memory that the callee did not report. */
static lethe_err report(const removal_run *r, lethe_err e)
{
    return e == LETHE_ENOMEM ? lethe_no_memory(r->ctx) : e;
}

/* --- the graph --- */

/* Sets *counted if edges_before was counted here, because some queries are gone; otherwise it is
 * the number of edges of the graph. */
static lethe_err make_graph(removal_run *r, bool *counted)
{
    lethe_click_gather *g = r->how->gather;
    LETHE_TRY(report(r, lethe_click_gather_number(r->ctx, g)));
    // the queries that are not gone are numbered as in the graph
    lethe_hash_numbers *texts = &r->to->texts;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t number, want = texts->n;
        if (g->at[i].query->gone) continue;
        LETHE_TRY(report(r, lethe_hash_numbers_add(texts, g->at[i].query->text, &number)));
        if (number != want)
            return lethe_fail(r->ctx, LETHE_EINPUT, "two queries have the same hash");
    }
    if (r->how->n_plain >= UINT32_MAX - texts->n)
        return lethe_fail(r->ctx, LETHE_EINPUT, "more than %lu distinct queries",
                          (unsigned long)UINT32_MAX - 1);
    r->n = (uint32_t)r->how->n_plain + texts->n;
    lethe_click *click = g->click;
    size_t n = g->n_clicks, left = 0;
    *counted = texts->n < g->n;
    if (*counted) {
        lethe_click_graph *all;
        LETHE_TRY(report(r, lethe_click_graph_new(click, n, g->n, g->n_urls, &all)));
        lethe_err e = lethe_click_edges(r->ctx, all, &r->to->edges_before);
        lethe_click_graph_free(all);
        LETHE_TRY(e);
    }
    // drop the clicks of queries that are gone, and close the gaps in the numbers of the others
    uint32_t last = LETHE_NONE, n_before = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t q = click[i].query;
        if (g->at[q].query->gone) continue;
        if (last != LETHE_NONE && q != last) n_before++;
        last = q;
        click[left++] = (lethe_click){n_before, click[i].url};
    }
    lethe_err e = lethe_click_graph_new(click, left, r->n, g->n_urls, &r->graph);
    lethe_free(g->click);
    g->click = NULL;
    return report(r, e);
}

/* The worth of each query; 0 if it has no URL. */
static lethe_err make_weights(const removal_run *r, lethe_click_value by, uint64_t **out)
{
    lethe_click_gather *g = r->how->gather;
    uint64_t *weight = lethe_alloc_zero(r->n, sizeof *weight);
    uint32_t n = 0;
    if (!weight) return report(r, LETHE_ENOMEM);
    for (uint32_t i = 0; i < g->n; i++) {
        const lethe_click_query *q = g->at[i].query;
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

static lethe_err rank_by(const removal_run *r, lethe_click_value by, double density,
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

static void mark_kept(const removal_run *r, const lethe_click_ranking *d, uint8_t *kept)
{
    memset(kept, 1, r->n);
    for (uint32_t i = 0; i < d->n_removed; i++)
        kept[d->removed[i]] = 0;
}

static lethe_err rank_queries(removal_run *r, uint64_t *edges)
{
    lethe_click_ranking d;
    lethe_click_removal *to = r->to;
    LETHE_TRY(rank_by(r, r->how->by, r->how->density, &d));
    mark_kept(r, &d, to->kept);
    *edges = d.edges[0];
    to->edges_after = d.edges[d.n_removed];
    uint32_t steps = LETHE_MIN(d.n_removed, (uint32_t)LETHE_CLICK_PATH_MAX - 1);
    for (uint32_t i = 0; i <= steps; i++) {
        uint32_t at = steps ? (uint32_t)((uint64_t)i * d.n_removed / steps) : 0;
        to->path[to->n_path++] = lethe_click_density(d.edges[at], r->n - at);
    }
    lethe_click_ranking_free(&d);
    return LETHE_OK;
}

/* --- the best set --- */

/* Are the rankings run as starts?  They take time for each pair of classes on a URL, the rest takes
 * it for each click: only if there are few pairs, as in any log of a few thousand queries. */
static bool has_few_pairs(const lethe_click_graph *g)
{
    enum { PAIRS = 1 << 20 };
    uint64_t sum = 0;
    for (uint32_t u = 0; u < g->n_urls && sum < PAIRS; u++) {
        uint64_t n = g->class_start[u + 1] - g->class_start[u];
        sum += n * n;
    }
    return sum < PAIRS;
}

/* What the three rankings keep. */
static lethe_err find_starts(const removal_run *r, uint8_t *start[], size_t n)
{
    static const lethe_click_value by[] = {LETHE_CLICK_VALUE_ONE, LETHE_CLICK_VALUE_FREQUENCY,
                                           LETHE_CLICK_VALUE_CLICKS};
    for (size_t i = 0; i < n; i++) {
        lethe_click_ranking d;
        start[i] = lethe_alloc(r->n, 1);
        if (!start[i]) return report(r, LETHE_ENOMEM);
        LETHE_TRY(rank_by(r, by[i], 0, &d));
        mark_kept(r, &d, start[i]);
        lethe_click_ranking_free(&d);
    }
    return LETHE_OK;
}

/* Starts from what the three rankings keep, if these are cheap: then the best is never worse than
 * any of them. */
static lethe_err find_best(removal_run *r)
{
    uint8_t *start[3] = {NULL};
    size_t n = has_few_pairs(r->graph) ? LETHE_COUNT(start) : 0;
    uint64_t *weight = NULL;
    lethe_independent best = {0};
    lethe_err e = make_weights(r, r->how->by, &weight);
    if (e == LETHE_OK) e = find_starts(r, start, n);
    if (e == LETHE_OK)
        e = report(r, lethe_independent_find(r->ctx, r->graph, weight,
                                             (const uint8_t *const *)start, n, &best));
    if (e == LETHE_OK) memcpy(r->to->kept, best.kept, r->n);
    lethe_independent_free(&best);
    for (size_t i = 0; i < LETHE_COUNT(start); i++)
        lethe_free(start[i]);
    lethe_free(weight);
    return e;
}

/* --- the whole removal --- */

static lethe_err remove_queries(removal_run *r)
{
    bool counted = false;
    uint64_t edges = 0;
    LETHE_TRY(make_graph(r, &counted));
    r->to->kept = lethe_alloc(r->n, 1);
    if (!r->to->kept) return report(r, LETHE_ENOMEM);
    LETHE_TRY(r->how->best ? find_best(r) : rank_queries(r, &edges));
    if (counted) return LETHE_OK;
    if (r->how->best) return lethe_click_edges(r->ctx, r->graph, &r->to->edges_before);
    r->to->edges_before = edges;
    return LETHE_OK;
}

lethe_err lethe_click_remove(lethe_ctx *ctx, const lethe_click_removal_options *how,
                             lethe_click_removal *out)
{
    lethe_click_removal to = {0};
    removal_run r = {.ctx = ctx, .how = how, .to = &to};
    assert(!how->best || how->density == 0);
    lethe_err e = remove_queries(&r);
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
