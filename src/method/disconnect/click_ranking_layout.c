/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking_layout.c - sets up the ranking: classes and URLs with their counts, hubs and sets
 * of hubs, and groups of classes. */
#include "method/disconnect/click_ranking_internal.h"
#include "core/mem.h"
#include <stdlib.h>

/* --- classes and URLs --- */

static int by_weight(const void *a, const void *b, void *arg)
{
    const uint64_t *weight = *(const uint64_t **)arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (weight[x] != weight[y]) return weight[x] < weight[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static lethe_err sort_members(lethe_ranking *d)
{
    const lethe_click_graph *g = d->graph;
    d->member = g->member;
    if (!d->weight) return LETHE_OK;
    d->sorted_member = lethe_alloc(g->n, sizeof *d->sorted_member);
    if (!d->sorted_member) return LETHE_ENOMEM;
    if (g->n > 0) memcpy(d->sorted_member, g->member, g->n * sizeof *g->member);
    for (uint32_t c = 0; c < g->n_classes; c++) {
        uint32_t *at = d->sorted_member + g->member_start[c];
        size_t n = g->member_start[c + 1] - g->member_start[c];
        if (n > 1) qsort_r(at, n, sizeof *at, by_weight, &d->weight);
    }
    d->member = d->sorted_member;
    return LETHE_OK;
}

static lethe_err init_counts(lethe_ranking *d)
{
    const lethe_click_graph *g = d->graph;
    uint64_t n = g->url_start[g->n_classes];
    d->at = lethe_alloc_zero(g->n_classes, sizeof *d->at);
    d->seen = lethe_alloc_zero(g->n_classes, sizeof *d->seen);
    d->first_live = lethe_alloc(g->n_classes, 1);
    d->url = lethe_alloc_zero(g->n_urls, sizeof *d->url);
    d->read = lethe_alloc_zero(n, sizeof *d->read);
    if (!d->at || !d->seen || !d->first_live || !d->url || !d->read) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < g->n_classes; c++) {
        lethe_ranking_class *s = &d->at[c];
        s->next = (uint32_t)g->member_start[c];
        s->query = d->member[s->next];
        s->weight = d->weight ? d->weight[s->query] : 1;
        assert(s->weight > 0 || g->url_start[c] == g->url_start[c + 1]);
        d->seen[c].live = (uint32_t)(g->member_start[c + 1] - g->member_start[c]);
        d->first_live[c] = (uint8_t)LETHE_MIN(d->seen[c].live, UINT8_MAX);
    }
    uint64_t clicks = 0;
    for (uint32_t u = 0; u < g->n_urls; u++) {
        for (uint64_t i = g->class_start[u]; i < g->class_start[u + 1]; i++)
            d->url[u].live += d->seen[g->class_of_url[i]].live;
        d->url[u].gone = clicks;
        clicks += d->url[u].live;
        d->url[u].hub = LETHE_NONE;
    }
    d->gone = lethe_alloc(clicks, sizeof *d->gone);
    return d->gone ? LETHE_OK : LETHE_ENOMEM;
}

/* --- hubs and their sets --- */

static int by_classes(const void *a, const void *b, void *arg)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const lethe_click_graph *g = *(const lethe_click_graph **)arg;
    uint64_t n = lethe_ranking_n_classes_of(g, x), m = lethe_ranking_n_classes_of(g, y);
    if (n != m) return n < m ? -1 : 1;
    return (x > y) - (x < y);
}

/* Lists the hubs of each set, or with click NULL counts them.  `n_of`: of each class, zeros. */
static uint64_t list_hubs(const lethe_ranking *d, uint8_t *n_of, lethe_click *click)
{
    const lethe_click_graph *g = d->graph;
    uint64_t n = 0;
    for (uint32_t h = d->n_hubs; h-- > 0;) { // those of most classes first
        for (uint64_t i = g->class_start[d->hub[h]]; i < g->class_start[d->hub[h] + 1]; i++) {
            uint32_t c = g->class_of_url[i];
            if (n_of[c] == LETHE_RANKING_HUBS_MAX) continue;
            n_of[c]++;
            if (click) click[n] = (lethe_click){c, h};
            n++;
        }
    }
    return n;
}

static lethe_err find_sets(lethe_ranking *d, uint32_t hub)
{
    const lethe_click_graph *g = d->graph;
    uint32_t n_classes = g->n_classes;
    uint8_t *n_of = lethe_alloc_zero(n_classes, sizeof *n_of);
    d->hub = lethe_alloc(d->graph->n_urls, sizeof *d->hub);
    lethe_err e = LETHE_ENOMEM;
    if (d->hub && n_of) {
        for (uint32_t u = 0; u < g->n_urls; u++)
            if (lethe_ranking_n_classes_of(g, u) >= hub) d->hub[d->n_hubs++] = u;
        if (d->n_hubs > 0) qsort_r(d->hub, d->n_hubs, sizeof *d->hub, by_classes, &g);
        for (uint32_t h = 0; h < d->n_hubs; h++)
            d->url[d->hub[h]].hub = h;
        uint64_t n = list_hubs(d, n_of, NULL);
        lethe_click *click = lethe_alloc(n, sizeof *click);
        memset(n_of, 0, n_classes);
        if (click) {
            list_hubs(d, n_of, click);
            e = lethe_click_graph_new(click, n, n_classes, d->n_hubs, &d->sets);
        }
        lethe_free(click);
    }
    lethe_free(n_of);
    return e;
}

/* --- groups --- */

/* `of`: the group of each URL that is no hub, + 1; zeros. */
static void number_groups(lethe_ranking *d, uint32_t *of)
{
    const lethe_click_graph *g = d->graph;
    d->n_groups = lethe_ranking_n_sets(d);
    for (uint32_t c = 0; c < g->n_classes; c++) {
        uint32_t set = d->sets->class_of[c];
        d->seen[c].group = LETHE_NONE;
        if (g->url_start[c] == g->url_start[c + 1]) continue;
        d->seen[c].group = set;
        if (d->sets->url_start[set] < d->sets->url_start[set + 1]) continue;
        uint32_t best = g->url[g->url_start[c]]; // the URL that most queries have
        for (uint64_t i = g->url_start[c] + 1; i < g->url_start[c + 1]; i++)
            if (d->url[g->url[i]].live > d->url[best].live) best = g->url[i];
        if (of[best] == 0) of[best] = ++d->n_groups;
        d->seen[c].group = of[best] - 1;
    }
}

static lethe_err find_groups(lethe_ranking *d)
{
    uint32_t n = d->graph->n_classes, n_sets = lethe_ranking_n_sets(d);
    uint32_t *of = lethe_alloc_zero(d->graph->n_urls, sizeof *of);
    if (!of) return LETHE_ENOMEM;
    number_groups(d, of);
    d->group_url = lethe_alloc(d->n_groups - n_sets, sizeof *d->group_url);
    for (uint32_t u = 0; u < d->graph->n_urls && d->group_url; u++)
        if (of[u] > 0) d->group_url[of[u] - 1 - n_sets] = u;
    lethe_free(of);
    uint32_t *start = d->group_start = lethe_alloc_zero((size_t)d->n_groups + 1, sizeof *start);
    d->leaf = lethe_alloc(n, sizeof *d->leaf);
    if (!d->group_url || !start || !d->leaf) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < n; c++)
        if (d->seen[c].group != LETHE_NONE) start[d->seen[c].group + 1]++;
    for (uint32_t g = 0; g < d->n_groups; g++)
        start[g + 1] += start[g];
    for (uint32_t c = 0; c < n; c++)
        if (d->seen[c].group != LETHE_NONE) d->leaf[start[d->seen[c].group]++] = c;
    memmove(start + 1, start, d->n_groups * sizeof *start);
    start[0] = 0;
    for (uint32_t g = 0; g < d->n_groups; g++)
        for (uint32_t i = start[g]; i < start[g + 1]; i++)
            d->at[d->leaf[i]].leaf = i - start[g];
    return LETHE_OK;
}

/* --- all --- */

lethe_err lethe_ranking_init(lethe_ranking *d, uint32_t hub)
{
    LETHE_TRY(sort_members(d));
    LETHE_TRY(init_counts(d));
    LETHE_TRY(find_sets(d, hub));
    LETHE_TRY(find_groups(d));
    d->bits = lethe_alloc_zero(d->n_workers, sizeof *d->bits);
    for (unsigned w = 0; d->bits && w < d->n_workers; w++) {
        d->bits[w] = lethe_alloc_zero((size_t)d->graph->n / 64 + 1, sizeof *d->bits[w]);
        if (!d->bits[w]) return LETHE_ENOMEM;
    }
    return d->bits ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_ranking_clear(lethe_ranking *d)
{
    for (unsigned w = 0; d->bits && w < d->n_workers; w++)
        lethe_free(d->bits[w]);
    lethe_click_graph_free(d->sets);
    void *const all[] = {d->seen,       d->at,        d->url,           d->first_live,
                         d->gone,       d->read,      d->sorted_member, d->hub,
                         d->set_live,   d->together,  d->hub_met,       d->together_start,
                         d->term_start, d->term,      d->leaf,          d->node,
                         d->heap,       d->group_url, d->group_start,   d->bits};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}
