/* SPDX-License-Identifier: Apache-2.0 */
/* threats_lock.c - locked nodes, from the root down: for each node, a search among its children
 * alone, which ends with the first threat.  Nothing below a locked node is examined.
 *
 * With --strict, nodes above may also be known to be present while children are absent: this says
 * nothing that the children do not imply, and the threat still consists of children. */
#include "method/itemset/threats/threats_lock.h"

struct lock_state {
    lethe_ctx *ctx;
    const lethe_tree *t;
    const lethe_kl *kl;
    unsigned without;
    const threats_base *live; /* with its sets */
    uint64_t *first;          /* by item: its sets, and where it stands in each, are */
    threats_place *place;     /* place[first[j]] .. */
    uint64_t *sum;            /* by item: sets that have it, each as often as it is there */
    uint64_t *marks;          /* of all sets, by sensitive item */
    uint32_t *item;           /* those of one level, */
    uint8_t *is;              /* and whether each is locked */
    uint64_t *nodes;          /* of each */
};

/* --- the sets of one node's children --- */

/* Where the items of set i of node x begin that can have a number in the small base, and where they
 * end: those below x stand right after it.  Strict: any set, from its start. */
static uint32_t items_of_set(const struct lock_state *l, uint32_t x, uint64_t i, uint64_t *begin,
                             uint64_t *end)
{
    const threats_rows *all = &l->live->sets;
    threats_place p = {(uint32_t)i, 0};
    if (!l->kl->strict) p = l->place[l->first[x] + i];
    *begin = all->start[p.set] + p.n + !l->kl->strict;
    *end = LETHE_MIN(all->start[p.set + 1], *begin + l->live->end[x]);
    return p.set;
}

/* The rows of node x: the items of its sets that have a number in the small base. */
static lethe_err rows_of_node(const struct lock_state *l, lethe_arena *a, uint32_t x,
                              const uint32_t *number, threats_rows *r)
{
    const threats_rows *all = &l->live->sets;
    bool strict = l->kl->strict;
    uint64_t n = strict ? all->n : l->first[x + 1] - l->first[x], items = 0, marks = 0, k, end;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = items_of_set(l, x, i, &k, &end);
        items += end - k;
        marks += all->mark_start[s + 1] - all->mark_start[s];
    }
    *r = (threats_rows){.start = lethe_new(a, uint64_t, n + 2),
                        .item = lethe_new(a, uint32_t, items),
                        .weight = lethe_new(a, uint32_t, n + 1),
                        .mark_start = lethe_new(a, uint64_t, n + 2),
                        .mark = lethe_new(a, threats_count, marks + l->live->n_marks)};
    if (!r->start || !r->item || !r->weight || !r->mark_start || !r->mark) return LETHE_ENOMEM;
    items = marks = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = items_of_set(l, x, i, &k, &end);
        for (; k < end && all->item[k] < l->live->end[x]; k++)
            if (number[all->item[k]] != LETHE_NONE) r->item[items++] = number[all->item[k]];
        for (k = all->mark_start[s]; k < all->mark_start[s + 1]; k++)
            r->mark[marks++] = all->mark[k];
        r->weight[i] = all->weight[s];
        r->start[i + 1] = items;
        r->mark_start[i + 1] = marks;
    }
    r->n = (uint32_t)n;
    if (strict) return LETHE_OK;
    // the sets that lack node x are alike, for none has a child of it: one row
    uint64_t *with = lethe_new(a, uint64_t, (size_t)l->live->n_marks + 1);
    uint32_t others = l->live->total;
    if (!with) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < r->n; i++)
        others -= r->weight[i];
    for (k = 0; k < marks; k++)
        with[r->mark[k].mark] += r->mark[k].n;
    for (uint32_t s = 0; s < l->live->n_marks; s++)
        if (l->marks[s] > with[s])
            r->mark[marks++] = (threats_count){s, (uint32_t)(l->marks[s] - with[s])};
    r->weight[r->n] = others;
    r->start[r->n + 1] = items;
    r->n++;
    r->mark_start[r->n] = marks;
    return LETHE_OK;
}

/* The small base: children of x, and in strict x and all above it. */
static lethe_err base_of_children(const struct lock_state *l, lethe_arena *a, uint32_t x,
                                  threats_base *b)
{
    const threats_base *live = l->live;
    uint32_t *node = lethe_new(a, uint32_t, live->end[x]), n = 0;
    uint32_t *number = lethe_new(a, uint32_t, live->end[x]);
    threats_rows rows, merged;
    if (!node || !number) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < live->end[x]; j++) {
        bool wanted = live->up[j] == x || (l->kl->strict && threats_covers(live, j, x));
        number[j] = wanted ? n : LETHE_NONE;
        if (wanted) node[n++] = live->node[j];
    }
    LETHE_TRY(lethe_threats_items(a, l->t, node, n, b));
    b->n_marks = live->n_marks;
    LETHE_TRY(rows_of_node(l, a, x, number, &rows));
    LETHE_TRY(lethe_threats_merge(a, &rows, live->n_marks, &merged));
    return lethe_threats_expand(a, &merged, b);
}

/* Item i is locked if a threat is found in b. */
static lethe_err search_children(const struct lock_state *l, const threats_base *b, size_t i)
{
    threats_walk w = {0};
    lethe_err e = lethe_threats_walk_new(&w, l->ctx, b, l->kl, l->without);
    w.one = true;
    w.from = 1;
    w.to = LETHE_MIN(l->kl->m, b->n) + (l->kl->n > 0);
    if (e == LETHE_OK && w.to > 0) e = lethe_threats_walk_all(&w);
    l->is[i] = w.stored > 0;
    l->nodes[i] += w.nodes;
    lethe_threats_walk_free(&w);
    return e;
}

/* Where nothing but presence counts, children are looked at one by one before they are together,
 * and a rare one ends the search: there it needs no sets, and neither does it where one item is all
 * that is known.  true: that is so, and item i is judged. */
static bool judge_single(const struct lock_state *l, size_t i)
{
    const threats_base *b = l->live;
    uint32_t x = l->item[i];
    l->is[i] = 0;
    l->nodes[i] = 0;
    if (l->kl->strict || l->kl->m == 0 || l->kl->n > 0 || b->n_marks > 0) return false;
    for (uint32_t c = x + 1; c < b->end[x] && !l->is[i]; c = b->end[c]) {
        l->nodes[i]++;
        l->is[i] = lethe_kl_names(l->kl, l->sum[c]);
    }
    if (l->is[i] || l->kl->m == 1) return true;
    l->nodes[i] = 0;
    return false;
}

/* Clauses are many, and most nodes are locked without them: by a rare child, for example. */
static lethe_err judge_item(void *arg, size_t i, unsigned w)
{
    const struct lock_state *l = arg;
    threats_base b = {0};
    (void)w;
    if (judge_single(l, i)) return LETHE_OK;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? base_of_children(l, a, l->item[i], &b) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = search_children(l, &b, i);
    if (e == LETHE_OK && !l->is[i] && l->kl->strict && l->kl->l > 1) {
        e = lethe_threats_clauses(l->ctx, a, &b);
        if (e == LETHE_OK && b.parts) e = search_children(l, &b, i);
    }
    lethe_arena_free(a);
    return e;
}

/* --- all of them --- */

/* The sets of each item that has others below, and how many sets have each. */
static lethe_err index_sets(struct lock_state *l, lethe_arena *a)
{
    const threats_base *b = l->live;
    const threats_rows *s = &b->sets;
    l->first = lethe_new(a, uint64_t, (size_t)b->n + 2);
    l->marks = lethe_new(a, uint64_t, (size_t)b->n_marks + 1);
    l->sum = lethe_new(a, uint64_t, b->n);
    if (!l->first || !l->marks || !l->sum) return LETHE_ENOMEM;
    for (uint64_t k = 0; k < s->mark_start[s->n]; k++)
        l->marks[s->mark[k].mark] += s->mark[k].n;
    for (uint64_t i = 0; i < s->start[s->n]; i++)
        l->first[s->item[i] + 2] += !b->lowest[s->item[i]];
    for (uint32_t j = 0; j < b->n; j++)
        l->first[j + 2] += l->first[j + 1];
    l->place = lethe_new(a, threats_place, l->first[b->n + 1]);
    if (!l->place) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            uint32_t j = s->item[k];
            l->sum[j] += s->weight[i];
            if (!b->lowest[j])
                l->place[l->first[j + 1]++] = (threats_place){i, (uint32_t)(k - s->start[i])};
        }
    return LETHE_OK;
}

/* Level by level: items that have others below and are below none that is locked. */
static lethe_err lock_all(struct lock_state *l, lethe_arena *a, uint8_t *locked, uint64_t *nodes)
{
    const threats_base *b = l->live;
    uint8_t *out = lethe_new(a, uint8_t, b->n); // below a locked one, or it
    uint32_t n = 1;
    l->item = lethe_new(a, uint32_t, b->n);
    l->is = lethe_new(a, uint8_t, b->n);
    l->nodes = lethe_new(a, uint64_t, b->n);
    if (!out || !l->item || !l->is || !l->nodes) return LETHE_ENOMEM;
    for (uint32_t level = 0; n > 0; level++) {
        n = 0;
        for (uint32_t j = 0; j < b->n; j++) {
            if (b->level[j] != level) continue;
            out[j] = j > 0 && out[b->up[j]];
            if (!out[j] && !b->lowest[j]) l->item[n++] = j;
        }
        LETHE_TRY(lethe_pool_for(l->ctx, n, judge_item, l));
        for (uint32_t i = 0; i < n; i++) {
            *nodes += l->nodes[i];
            out[l->item[i]] = locked[b->node[l->item[i]]] = l->is[i];
        }
    }
    return LETHE_OK;
}

lethe_err lethe_threats_lock(lethe_ctx *ctx, const lethe_tree *t, const threats_base *live,
                             const threats_rows *rows, const lethe_kl *kl, unsigned without,
                             uint8_t *locked, uint64_t *nodes)
{
    lethe_arena *a = lethe_arena_new();
    threats_base b = *live;
    struct lock_state l = {.ctx = ctx, .t = t, .kl = kl, .without = without, .live = &b};
    lethe_err e = a ? lethe_threats_expand(a, rows, &b) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = index_sets(&l, a);
    if (e == LETHE_OK) e = lock_all(&l, a, locked, nodes);
    lethe_arena_free(a);
    return e;
}
