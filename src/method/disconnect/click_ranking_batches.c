/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking_batches.c - puts the components of the graph into batches.  Components share no
 * URL, so no hub, no set of hubs and no group, and their removals do not depend on each other.  A
 * component of much work is a batch by itself; small ones are combined. */
#include "method/disconnect/click_ranking_internal.h"
#include "core/mem.h"

/* A group, with the figures of the component whose first group it is. */
typedef struct part {
    uint32_t above;   /* another group of the component; itself: it is the first */
    uint32_t queries; /* of the component */
    uint64_t work;    /* queries, and URLs of classes */
    uint32_t batch;
} part;

static uint32_t first_of(part *p, uint32_t group)
{
    while (p[group].above != group)
        group = p[group].above = p[p[group].above].above;
    return group;
}

/* Joins the groups that share a URL. */
static void join_groups(const lethe_ranking *d, part *p)
{
    const lethe_click_graph *g = d->graph;
    for (uint32_t group = 0; group < d->n_groups; group++)
        p[group].above = group;
    for (uint32_t u = 0; u < g->n_urls; u++) {
        uint32_t first = LETHE_NONE;
        for (uint64_t i = g->class_start[u]; i < g->class_start[u + 1]; i++) {
            uint32_t other = first_of(p, d->seen[g->class_of_url[i]].group);
            if (first == LETHE_NONE || other < first) {
                if (first != LETHE_NONE) p[first].above = other;
                first = other;
            } else {
                p[other].above = first;
            }
        }
    }
}

/* Fills the heap with groups, batch by batch. */
static lethe_err fill_batches(lethe_ranking *d, part *p)
{
    d->batch = lethe_alloc_zero(d->n_batches, sizeof *d->batch);
    d->heap = lethe_alloc(d->n_groups, sizeof *d->heap);
    if (!d->batch || !d->heap) return LETHE_ENOMEM;
    for (uint32_t group = 0; group < d->n_groups; group++) {
        if (d->group_start[group] == d->group_start[group + 1]) continue;
        lethe_ranking_batch *b = &d->batch[p[first_of(p, group)].batch];
        b->n_groups++;
        b->n_queries += p[group].queries;
    }
    uint32_t heap = 0, out = 0;
    for (lethe_ranking_batch *b = d->batch; b < d->batch + d->n_batches; b++) {
        b->heap = heap;
        b->out = out;
        heap += b->n_groups;
        out += b->n_queries;
        b->n_groups = 0;
    }
    for (uint32_t group = 0; group < d->n_groups; group++) {
        if (d->group_start[group] == d->group_start[group + 1]) continue;
        lethe_ranking_batch *b = &d->batch[p[first_of(p, group)].batch];
        d->heap[b->heap + b->n_groups++].of = group;
    }
    return LETHE_OK;
}

lethe_err lethe_ranking_batches(lethe_ranking *d, uint32_t size)
{
    const lethe_click_graph *g = d->graph;
    uint64_t sum = 0;
    part *p = lethe_alloc_zero(d->n_groups, sizeof *p);
    if (!p) return LETHE_ENOMEM;
    join_groups(d, p);
    for (uint32_t group = 0; group < d->n_groups; group++) {
        part *to = &p[first_of(p, group)];
        for (uint32_t i = d->group_start[group]; i < d->group_start[group + 1]; i++) {
            uint32_t c = d->leaf[i];
            to->queries += d->seen[c].live;
            to->work += d->seen[c].live + g->url_start[c + 1] - g->url_start[c];
        }
    }
    // batches of much work come first, or threads would wait for the last of them
    for (uint32_t group = 0; group < d->n_groups; group++)
        if (p[group].work >= size) p[group].batch = d->n_batches++;
    for (uint32_t group = 0; group < d->n_groups; group++) {
        if (p[group].work == 0 || p[group].work >= size) continue;
        if (sum == 0) d->n_batches++;
        p[group].batch = d->n_batches - 1;
        sum += p[group].work;
        if (sum >= size) sum = 0;
    }
    lethe_err e = fill_batches(d, p);
    lethe_free(p);
    return e;
}
