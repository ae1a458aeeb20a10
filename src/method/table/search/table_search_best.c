/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_best.c - the cheapest cuts met so far, and the limits of the search. */
#include "method/table/search/table_search_internal.h"
#include "core/clock.h"

lethe_err lethe_table_best_begin(lethe_table_best *b, lethe_ctx *ctx, const lethe_table_cells *c,
                                 const lethe_table_limits *limits)
{
    *b = (lethe_table_best){
        .ctx = ctx, .c = c, .limits = limits, .begin = lethe_clock_s(), .least = UINT64_MAX};
    b->bar = UINT64_MAX;
    if (limits->seconds > 0) b->deadline = b->begin + limits->seconds;
    return pthread_mutex_init(&b->lock, NULL) == 0 ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_table_best_end(lethe_table_best *b)
{
    for (size_t i = 0; i < b->n; i++)
        lethe_free(b->split[i]);
    lethe_free(b->split);
    lethe_free(b->cost);
    pthread_mutex_destroy(&b->lock);
}

lethe_err lethe_table_best_poll(lethe_table_best *b)
{
    if (lethe_ctx_cancelled(b->ctx)) return LETHE_ECANCEL;
    if (b->deadline > 0 && lethe_clock_s() >= b->deadline) b->met = true;
    return b->met || b->stop ? LETHE_ANSWER_NO : LETHE_OK;
}

bool lethe_table_best_enough(lethe_table_best *b)
{
    if (b->limits->cuts == 0 || b->examined < b->limits->cuts) return false;
    b->met = true;
    return true;
}

/* As lethe_table_cut_compare: where they part, one stays at a value that the other specializes, and
 * that number is less than any below it. */
static int compare(const lethe_table_cells *c, const uint8_t *x, const uint8_t *y)
{
    for (size_t q = 0; q < c->n_qi; q++) {
        const lethe_tree *t = c->t->tree[q];
        uint32_t base = c->base[q];
        for (uint32_t v = 0; v < t->n; v = x[base + v] ? v + 1 : t->end[v])
            if (x[base + v] != y[base + v]) return x[base + v] ? 1 : -1;
    }
    return 0;
}

/* --- pruning --- */

bool lethe_table_best_excludes(lethe_table_best *b, const lethe_table_parts *s, double slack)
{
    uint64_t bound = s->sum.bound, bar = b->bar;
    if (s->sum.n_lost > 0 || bound > bar) return true;
    if (slack > 0 && bar != UINT64_MAX && (1 + slack) * (double)bound >= (double)bar) return true;
    if (bound == bar && bar != UINT64_MAX) {
        // In the subtree the cut at hand comes first in order, so if it is no use none is.
        pthread_mutex_lock(&b->lock);
        const uint8_t *last = b->split[b->n - 1];
        bool over = bound > b->cost[b->n - 1] || compare(b->c, s->split, last) >= 0;
        pthread_mutex_unlock(&b->lock);
        if (over) return true;
    }
    double alpha = b->limits->alpha;
    if (alpha <= 0 || bar == UINT64_MAX || (1 + alpha) * (double)bound < (double)bar) return false;
    b->least = LETHE_MIN(b->least, bound); // with alpha there is but one thread
    return true;
}

/* --- keeping --- */

static lethe_err insert_cut(lethe_table_best *b, uint64_t cost, const uint8_t *split,
                            uint64_t examined)
{
    size_t at = b->n, top = b->limits->top;
    for (; at > 0 && b->cost[at - 1] >= cost; at--) {
        int c = b->cost[at - 1] > cost ? 1 : compare(b->c, b->split[at - 1], split);
        if (c == 0) return LETHE_OK; // met before
        if (c < 0) break;
    }
    if (at == top) return LETHE_OK;
    bool better = at == 0 && (b->n == 0 || cost < b->cost[0]);
    if (b->n < top) {
        if (b->n == b->cap) {
            size_t cap = LETHE_MIN(2 * b->cap + 1, top);
            uint64_t *costs = lethe_realloc(b->cost, cap, sizeof *costs);
            if (costs) b->cost = costs;
            uint8_t **splits = lethe_realloc(b->split, cap, sizeof *splits);
            if (splits) b->split = splits;
            if (!costs || !splits) return LETHE_ENOMEM;
            b->cap = cap;
        }
        b->split[b->n] = lethe_alloc(b->c->n_values, 1);
        if (!b->split[b->n]) return LETHE_ENOMEM;
        b->n++;
    }
    uint8_t *last = b->split[b->n - 1];
    memmove(b->split + at + 1, b->split + at, (b->n - 1 - at) * sizeof *b->split);
    memmove(b->cost + at + 1, b->cost + at, (b->n - 1 - at) * sizeof *b->cost);
    memcpy(last, split, b->c->n_values);
    b->split[at] = last;
    b->cost[at] = cost;
    if (at == 0) b->to_best = examined;
    if (b->n == top) b->bar = b->cost[top - 1];
    if (better && b->limits->on_better)
        b->limits->on_better(b->limits->user, lethe_clock_s() - b->begin, examined, cost);
    return LETHE_OK;
}

lethe_err lethe_table_best_offer(lethe_table_best *b, const lethe_table_parts *s)
{
    uint64_t examined = ++b->examined, cost = s->sum.cost;
    if (s->sum.n_invalid > 0 || cost > b->bar) return LETHE_OK;
    pthread_mutex_lock(&b->lock);
    lethe_err e = insert_cut(b, cost, s->split, examined);
    pthread_mutex_unlock(&b->lock);
    return e;
}

/* --- giving --- */

lethe_err lethe_table_best_give(const lethe_table_best *b, lethe_arena *a, lethe_table_found *out)
{
    const lethe_table_cells *c = b->c;
    lethe_table_found f = {.n = b->n, .examined = b->examined, .to_best = b->to_best};
    f.optimal = !b->met && b->least >= b->bar;
    f.cut = lethe_new(a, lethe_table_cut, b->n);
    f.cost = lethe_new(a, uint64_t, b->n);
    uint32_t *node = lethe_new(a, uint32_t, c->n_values); // of one cut
    if (!f.cut || !f.cost || !node) return LETHE_ENOMEM;
    for (size_t i = 0; i < b->n; i++) {
        const uint8_t *split = b->split[i];
        size_t n = 0;
        lethe_table_cut *cut = &f.cut[i];
        cut->start = lethe_new(a, size_t, c->n_qi + 1);
        if (!cut->start) return LETHE_ENOMEM;
        for (size_t q = 0; q < c->n_qi; q++) {
            const lethe_tree *t = c->t->tree[q];
            for (uint32_t v = 0; v < t->n; v = split[c->base[q] + v] ? v + 1 : t->end[v])
                if (!split[c->base[q] + v]) node[n++] = v;
            cut->start[q + 1] = n;
        }
        cut->node = lethe_new(a, uint32_t, n);
        if (!cut->node) return LETHE_ENOMEM;
        memcpy(cut->node, node, n * sizeof *node);
        f.cost[i] = b->cost[i];
    }
    *out = f;
    return LETHE_OK;
}
