#include "algo/disconnect_internal.h"
#include "core/mem.h"
#include <stdlib.h>

/* --- levels --- */

static uint64_t clicks_that_go_up(const level *l)
{
    uint64_t n = 0;
    for (uint32_t u = 0; u < l->graph->n_urls; u++)
        if (goes_up(l, u)) n += l->graph->class_start[u + 1] - l->graph->class_start[u];
    return n;
}

/* The next level from this one: its sets' URLs that go up. */
static lethe_err build_next(level *l, uint64_t n_clicks)
{
    const lethe_click_graph *g = l->graph;
    lethe_click *click = lethe_alloc(n_clicks, sizeof *click);
    uint64_t n = 0;
    uint32_t n_urls = 0;
    if (!click) return LETHE_ENOMEM;
    for (uint32_t u = 0; u < g->n_urls; u++) {
        if (!goes_up(l, u)) continue;
        for (uint64_t i = g->class_start[u]; i < g->class_start[u + 1]; i++)
            click[n++] = (lethe_click){g->class_of_url[i], n_urls};
        n_urls++;
    }
    lethe_err e = lethe_click_graph_new(click, n_clicks, g->n_classes, n_urls, &l[1].made);
    lethe_free(click);
    l[1].graph = l[1].made;
    return e;
}

/* Limits rise, or a level might be the same as the one below. */
static lethe_err build_levels(disconnecting *d, uint32_t hub)
{
    d->level[0].graph = d->graph;
    for (uint64_t limit = hub;; limit *= 2) {
        level *l = &d->level[d->top];
        l->limit = limit;
        uint64_t n_clicks = clicks_that_go_up(l);
        if (n_clicks > 0 && d->top + 1 < MOST_LEVELS) {
            LETHE_TRY(build_next(l, n_clicks));
            d->top++;
            continue;
        }
        l->limit = UINT64_MAX;
        return LETHE_OK;
    }
}

/* Sets without URLs are of many components, and nobody's: no set leads up to one. */
static lethe_err start_level(const level *below, level *l)
{
    uint32_t n = l->graph->n_classes;
    l->at = lethe_alloc_zero(n, sizeof *l->at);
    if (below) l->met = lethe_alloc_zero(n, sizeof *l->met);
    l->near = lethe_alloc(l->graph->url_start[n], sizeof *l->near);
    l->n_near = lethe_alloc(l->graph->n_urls, sizeof *l->n_near);
    if (!l->at || (below && !l->met) || !l->near || !l->n_near) return LETHE_ENOMEM;
    if (l->graph->url_start[n] > 0)
        memcpy(l->near, l->graph->class_of_url, l->graph->url_start[n] * sizeof *l->near);
    for (uint32_t u = 0; u < l->graph->n_urls; u++)
        l->n_near[u] = (uint32_t)(l->graph->class_start[u + 1] - l->graph->class_start[u]);
    for (uint32_t s = 0; s < n; s++) {
        l->at[s].up = NO_SET;
        l->at[s].rest = has_urls(l, s) ? NOT_COUNTED : 0;
    }
    for (uint32_t s = 0; below && s < l->graph->n; s++) {
        uint32_t up = l->graph->class_of[s];
        if (!has_urls(l, up)) continue;
        below->at[s].up = up;
        l->at[up].live += below->at[s].live;
    }
    return LETHE_OK;
}

static lethe_err start_sets(disconnecting *d)
{
    LETHE_TRY(start_level(NULL, &d->level[0]));
    for (uint32_t c = 0; c < d->graph->n_classes; c++)
        d->level[0].at[c].live = d->at[c].live;
    for (unsigned i = 1; i <= d->top; i++)
        LETHE_TRY(start_level(&d->level[i - 1], &d->level[i]));
    return LETHE_OK;
}

/* --- classes --- */

static int by_weight(const void *a, const void *b, void *arg)
{
    const uint64_t *weight = ((const disconnecting *)arg)->weight;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (weight[x] != weight[y]) return weight[x] < weight[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static lethe_err sort_members(disconnecting *d)
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
        if (n > 1) qsort_r(at, n, sizeof *at, by_weight, d);
    }
    d->member = d->sorted_member;
    return LETHE_OK;
}

static lethe_err start_classes(disconnecting *d)
{
    const lethe_click_graph *g = d->graph;
    d->at = lethe_alloc_zero(g->n_classes, sizeof *d->at);
    if (!d->at) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < g->n_classes; c++) {
        class_state *s = &d->at[c];
        s->next = (uint32_t)g->member_start[c];
        s->live = (uint32_t)(g->member_start[c + 1] - g->member_start[c]);
        s->query = d->member[s->next];
        s->weight = d->weight ? d->weight[s->query] : 1;
        assert(s->weight > 0 || g->url_start[c] == g->url_start[c + 1]);
    }
    return LETHE_OK;
}

/* --- components --- */

static uint32_t root_of(uint32_t *above, uint32_t c)
{
    while (above[c] != c)
        c = above[c] = above[above[c]];
    return c;
}

/* Classes of a URL belong together.  The first class of a component is its root, so that in the end
 * numbers can replace roots from the front. */
static uint32_t *find_parts(disconnecting *d)
{
    const lethe_click_graph *g = d->graph;
    uint32_t *of = lethe_alloc(g->n_classes, sizeof *of);
    if (!of) return NULL;
    for (uint32_t c = 0; c < g->n_classes; c++)
        of[c] = c;
    for (uint32_t u = 0; u < g->n_urls; u++) {
        for (uint64_t i = g->class_start[u] + 1; i < g->class_start[u + 1]; i++) {
            uint32_t a = root_of(of, g->class_of_url[i - 1]), b = root_of(of, g->class_of_url[i]);
            of[LETHE_MAX(a, b)] = LETHE_MIN(a, b);
        }
    }
    for (uint32_t c = 0; c < g->n_classes; c++)
        of[c] = root_of(of, c);
    for (uint32_t c = 0; c < g->n_classes; c++)
        of[c] = of[c] == c ? d->n_parts++ : of[of[c]];
    return of;
}

/* Places of 0 to n - 1 in order of `key`, below n_keys; start[k]: of the first with key k. */
static void sort_by_key(const uint32_t *key, uint32_t n, uint32_t *start, uint32_t n_keys,
                        uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++)
        start[key[i] + 1]++;
    for (uint32_t k = 0; k < n_keys; k++)
        start[k + 1] += start[k];
    for (uint32_t i = 0; i < n; i++)
        order[start[key[i]]++] = i;
    memmove(start + 1, start, n_keys * sizeof *start);
    start[0] = 0;
}

/* --- groups --- */

static uint32_t top_set(const disconnecting *d, uint32_t c)
{
    for (unsigned i = 0; i < d->top && c != NO_SET; i++)
        c = d->level[i].at[c].up;
    return c;
}

/* By component, and in each by the set at the top.  `order`: the classes of part p from
 * part_group[p] on, which becomes the part's first group. */
static lethe_err number_groups(disconnecting *d, const uint32_t *order)
{
    uint32_t n_sets = d->level[d->top].graph->n_classes;
    uint32_t *group = lethe_alloc_zero((size_t)n_sets + 1, sizeof *group); // of each set, + 1
    if (!group) return LETHE_ENOMEM;
    for (uint32_t p = 0; p < d->n_parts; p++) {
        uint32_t first = d->n_groups;
        d->part_start[p + 1] = d->part_start[p];
        for (uint32_t i = d->part_group[p]; i < d->part_group[p + 1]; i++) {
            uint32_t set = LETHE_MIN(top_set(d, order[i]), n_sets); // the last: none
            if (group[set] <= first) group[set] = ++d->n_groups;    // "none" is in many parts
            d->at[order[i]].group = group[set] - 1;
            d->part_start[p + 1] += d->at[order[i]].live;
        }
        d->part_group[p] = first;
    }
    d->part_group[d->n_parts] = d->n_groups;
    lethe_free(group);
    return LETHE_OK;
}

static lethe_err list_leaves(disconnecting *d, uint32_t *key)
{
    uint32_t n = d->graph->n_classes;
    d->group_start = lethe_alloc_zero((size_t)d->n_groups + 1, sizeof *d->group_start);
    d->leaf = lethe_alloc(n, sizeof *d->leaf);
    d->group_set = lethe_alloc(d->n_groups, sizeof *d->group_set);
    if (!d->group_start || !d->leaf || !d->group_set) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < n; c++)
        key[c] = d->at[c].group;
    sort_by_key(key, n, d->group_start, d->n_groups, d->leaf);
    for (uint32_t i = 0; i < n; i++) {
        class_state *s = &d->at[d->leaf[i]];
        s->leaf = i - d->group_start[s->group];
        if (s->leaf == 0) d->group_set[s->group] = top_set(d, d->leaf[i]);
    }
    return LETHE_OK;
}

static lethe_err find_groups(disconnecting *d)
{
    uint32_t n = d->graph->n_classes, *part_of = find_parts(d);
    uint32_t *order = lethe_alloc(n, sizeof *order);
    lethe_err e = LETHE_ENOMEM;
    d->part_group = lethe_alloc_zero((size_t)d->n_parts + 1, sizeof *d->part_group);
    d->part_start = lethe_alloc_zero((size_t)d->n_parts + 1, sizeof *d->part_start);
    if (part_of && order && d->part_group && d->part_start) {
        sort_by_key(part_of, n, d->part_group, d->n_parts, order);
        e = number_groups(d, order);
    }
    lethe_free(order);
    if (e == LETHE_OK) e = list_leaves(d, part_of);
    lethe_free(part_of);
    return e;
}

/* --- all --- */

lethe_err lethe_disconnect_lay_out(disconnecting *d, uint32_t hub)
{
    LETHE_TRY(build_levels(d, hub));
    LETHE_TRY(sort_members(d));
    LETHE_TRY(start_classes(d));
    LETHE_TRY(start_sets(d));
    LETHE_TRY(find_groups(d));
    d->node = lethe_alloc(d->graph->n_classes, sizeof *d->node);
    d->heap = lethe_alloc(d->n_groups, sizeof *d->heap);
    d->n_removed = lethe_alloc_zero(d->n_parts, sizeof *d->n_removed);
    d->edges = lethe_alloc_zero(d->n_parts, sizeof *d->edges);
    d->removed = lethe_alloc(d->graph->n, sizeof *d->removed);
    d->degree = lethe_alloc(d->graph->n, sizeof *d->degree);
    bool ok = d->node && d->heap && d->n_removed && d->edges && d->removed && d->degree;
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_disconnect_clear(disconnecting *d)
{
    for (unsigned i = 0; i < MOST_LEVELS; i++) {
        lethe_click_graph_free(d->level[i].made);
        lethe_free(d->level[i].at);
        lethe_free(d->level[i].met);
        lethe_free(d->level[i].near);
        lethe_free(d->level[i].n_near);
    }
    void *const all[] = {d->at,          d->sorted_member, d->part_group, d->part_start,
                         d->group_start, d->group_set,     d->leaf,       d->node,
                         d->heap,        d->n_removed,     d->edges,      d->removed,
                         d->degree};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}
