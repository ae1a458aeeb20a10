/* SPDX-License-Identifier: Apache-2.0 */
/* table_anneal.c - a random walk over cuts.  A step touches one subtree, so only the groups of the
 * tuples below it are priced again; a step that is not taken changes nothing. */
#include "method/table/table_anneal.h"
#include "core/clock.h"
#include "method/table/tuples_internal.h"
#include <math.h>

/* Values of the cut among which one is drawn; named by `first` of their quasi-identifier plus their
 * node. */
typedef struct pick {
    uint32_t *at;
    uint32_t *place; /* by name: where it stands in `at`, plus one; 0: it does not */
    size_t n;
} pick;

/* A step: below node `top` of a quasi-identifier the cut becomes its children, or itself. */
typedef struct step {
    size_t qi;
    uint32_t top;
    bool down;
    const uint32_t *tuple; /* those below `top` */
    size_t n;
    uint32_t n_groups; /* that they become: fold.key has which */
    uint64_t cost;     /* of these groups, and of those they were */
    uint64_t old_cost;
    size_t bad, old_bad; /* groups that are not valid */
    size_t n_old;
} step;

typedef struct walk {
    lethe_ctx *ctx;
    const lethe_tuples *t;
    const uint64_t *const *weight;
    const lethe_table_limits *limits;
    const lethe_anneal_schedule *schedule;
    lethe_rng *random;
    lethe_arena *tmp;
    lethe_tuples_fold fold;
    lethe_group_maker maker;

    uint32_t **by_leaf; /* by quasi-identifier: tuples in the order of their leaves */
    uint32_t **from;    /* and by node: where those of its subtree begin */
    uint32_t **above;   /* and by node: that of the cut, or LETHE_NONE where it is above the cut */
    uint32_t *first;    /* by quasi-identifier */
    pick inner, lower;  /* values of the cut that have children; that have a parent */

    uint32_t *group_of; /* by tuple */
    uint64_t *cost;     /* by group */
    uint8_t *bad;
    uint32_t *spare; /* group numbers that are not in use */
    size_t n_spare;
    uint64_t total;
    size_t n_bad;

    uint32_t *start, *member; /* of a step: its tuples by their new group */
    uint64_t *new_cost;
    uint8_t *new_bad;
    uint32_t *new_node; /* the value that it has where the step is */
    uint32_t *old;      /* the groups that go */
    uint8_t *seen;      /* by group */

    uint32_t **best; /* as `above`, of the best cut */
    uint64_t best_cost, base, examined, to_best;
    bool met, at_best; /* is anything valid met; does the walk stand on the best? */
    double began;      /* lethe_clock_s() */
} walk;

/* --- making it --- */

static lethe_err make_walk(walk *w, const lethe_group_demand *d)
{
    size_t n = w->t->n, n_qi = w->t->n_qi, names = 0;
    w->by_leaf = lethe_new(w->tmp, uint32_t *, n_qi);
    w->from = lethe_new(w->tmp, uint32_t *, n_qi);
    w->above = lethe_new(w->tmp, uint32_t *, n_qi);
    w->best = lethe_new(w->tmp, uint32_t *, n_qi);
    w->first = lethe_new(w->tmp, uint32_t, n_qi + 1);
    if (!w->by_leaf || !w->from || !w->above || !w->best || !w->first) return LETHE_ENOMEM;
    for (size_t q = 0; q < n_qi; q++) {
        const lethe_tree *tree = w->t->tree[q];
        const uint32_t *leaf = w->t->leaf[q];
        uint32_t *at = w->from[q] = lethe_new(w->tmp, uint32_t, (size_t)tree->n + 2);
        uint32_t *tuple = w->by_leaf[q] = lethe_new(w->tmp, uint32_t, n);
        w->above[q] = lethe_new(w->tmp, uint32_t, tree->n);
        w->best[q] = lethe_new(w->tmp, uint32_t, tree->n);
        if (!at || !tuple || !w->above[q] || !w->best[q]) return LETHE_ENOMEM;
        for (size_t i = 0; i < n; i++)
            at[leaf[i] + 2]++;
        for (uint32_t v = 0; v < tree->n; v++)
            at[v + 2] += at[v + 1];
        for (size_t i = 0; i < n; i++)
            tuple[at[leaf[i] + 1]++] = (uint32_t)i;
        w->first[q] = (uint32_t)names;
        names += tree->n;
        if (names > UINT32_MAX) return LETHE_ENOMEM;
    }
    w->first[n_qi] = (uint32_t)names;
    w->inner = (pick){lethe_new(w->tmp, uint32_t, names), lethe_new(w->tmp, uint32_t, names), 0};
    w->lower = (pick){lethe_new(w->tmp, uint32_t, names), lethe_new(w->tmp, uint32_t, names), 0};
    w->group_of = lethe_new(w->tmp, uint32_t, n);
    w->cost = lethe_new(w->tmp, uint64_t, n);
    w->bad = lethe_new(w->tmp, uint8_t, n);
    w->spare = lethe_new(w->tmp, uint32_t, n);
    w->start = lethe_new(w->tmp, uint32_t, n + 2);
    w->member = lethe_new(w->tmp, uint32_t, n);
    w->new_cost = lethe_new(w->tmp, uint64_t, n);
    w->new_bad = lethe_new(w->tmp, uint8_t, n);
    w->new_node = lethe_new(w->tmp, uint32_t, n);
    w->old = lethe_new(w->tmp, uint32_t, n);
    w->seen = lethe_new(w->tmp, uint8_t, n);
    if (!w->inner.at || !w->inner.place || !w->lower.at || !w->lower.place || !w->group_of ||
        !w->cost || !w->bad || !w->spare || !w->start || !w->member || !w->new_cost ||
        !w->new_bad || !w->new_node || !w->old || !w->seen)
        return LETHE_ENOMEM;
    for (size_t g = n; g-- > 1;) // all tuples are in group 0
        w->spare[w->n_spare++] = (uint32_t)g;
    LETHE_TRY(lethe_tuples_fold_room(w->tmp, n, &w->fold));
    return lethe_group_maker_new(w->tmp, w->t, d, &w->maker);
}

/* --- the cut --- */

static void pick_add(pick *p, uint32_t name)
{
    p->at[p->n++] = name;
    p->place[name] = (uint32_t)p->n;
}

static void pick_drop(pick *p, uint32_t name)
{
    uint32_t place = p->place[name];
    if (place == 0) return;
    uint32_t last = p->at[p->n - 1];
    p->at[place - 1] = last;
    p->place[last] = place;
    p->place[name] = 0;
    p->n--;
}

static void enter_cut(walk *w, size_t q, uint32_t v)
{
    const lethe_tree *t = w->t->tree[q];
    if (!lethe_tree_is_leaf(t, v)) pick_add(&w->inner, w->first[q] + v);
    if (v != 0) pick_add(&w->lower, w->first[q] + v);
    for (uint32_t u = v; u < t->end[v]; u++)
        w->above[q][u] = v;
}

static void leave_cut(walk *w, size_t q, uint32_t v)
{
    pick_drop(&w->inner, w->first[q] + v);
    pick_drop(&w->lower, w->first[q] + v);
}

/* --- a step --- */

/* false: there is nothing to choose. */
static bool draw_step(walk *w, step *s)
{
    if (w->inner.n + w->lower.n == 0) return false;
    bool down = lethe_rng_below(w->random, 2) == 0;
    *s = (step){.down = w->lower.n == 0 || (down && w->inner.n > 0)};
    const pick *p = s->down ? &w->inner : &w->lower;
    uint32_t name = p->at[lethe_rng_below(w->random, p->n)];
    while (name >= w->first[s->qi + 1])
        s->qi++;
    s->top = name - w->first[s->qi];
    const lethe_tree *t = w->t->tree[s->qi];
    if (!s->down) s->top = t->parent[s->top];
    s->tuple = w->by_leaf[s->qi] + w->from[s->qi][s->top];
    s->n = w->from[s->qi][t->end[s->top]] - w->from[s->qi][s->top];
    return true;
}

/* From one child to the next, up to the one above `leaf`: tuples stand in the order of leaves. */
static uint32_t child_above(const lethe_tree *t, uint32_t child, uint32_t leaf)
{
    while (leaf >= t->end[child])
        child = t->end[child];
    return child;
}

/* Which tuples come together: downwards those of one group and child, upwards those that agree in
 * all other quasi-identifiers. */
static void fold_step(walk *w, step *s)
{
    lethe_tuples_fold *f = &w->fold;
    lethe_tuples_fold_begin(f, s->n);
    if (s->down) {
        f->range = w->t->n;
        for (size_t i = 0; i < s->n; i++)
            f->key[i] = w->group_of[s->tuple[i]];
        const lethe_tree *t = w->t->tree[s->qi];
        uint32_t child = lethe_tree_first(t, s->top);
        lethe_tuples_fold_column(f, t->n);
        for (size_t i = 0; i < s->n; i++) {
            child = child_above(t, child, w->t->leaf[s->qi][s->tuple[i]]);
            f->key[i] = f->key[i] * t->n + child;
        }
    }
    for (size_t q = 0; q < w->t->n_qi && !s->down; q++) {
        uint32_t n = w->t->tree[q]->n;
        if (q == s->qi || n == 1) continue;
        lethe_tuples_fold_column(f, n);
        for (size_t i = 0; i < s->n; i++)
            f->key[i] = f->key[i] * n + w->above[q][w->t->leaf[q][s->tuple[i]]];
    }
    s->n_groups = lethe_tuples_fold_number(f);
}

static lethe_err price_new(walk *w, step *s)
{
    uint32_t *at = w->start;
    const lethe_tree *t = w->t->tree[s->qi];
    uint32_t v = s->down ? lethe_tree_first(t, s->top) : s->top;
    for (size_t i = 0; i < s->n; i++) { // by new group: its value
        if (s->down) v = child_above(t, v, w->t->leaf[s->qi][s->tuple[i]]);
        w->new_node[w->fold.key[i]] = v;
    }
    memset(at, 0, ((size_t)s->n_groups + 2) * sizeof *at);
    for (size_t i = 0; i < s->n; i++)
        at[w->fold.key[i] + 2]++;
    for (uint32_t g = 0; g < s->n_groups; g++)
        at[g + 2] += at[g + 1];
    for (size_t i = 0; i < s->n; i++)
        w->member[at[w->fold.key[i] + 1]++] = s->tuple[i];
    for (uint32_t g = 0; g < s->n_groups; g++) {
        lethe_group_price p = {0};
        const uint32_t *member = w->member + at[g];
        uint64_t general = 0; // LM of a row
        for (size_t q = 0; w->weight && q < w->t->n_qi; q++)
            general +=
                w->weight[q][q == s->qi ? w->new_node[g] : w->above[q][w->t->leaf[q][member[0]]]];
        LETHE_TRY(lethe_group_make(&w->maker, member, at[g + 1] - at[g], general, &p));
        w->new_cost[g] = p.valid ? p.cost : 0;
        w->new_bad[g] = !p.valid;
        s->cost += w->new_cost[g];
        s->bad += w->new_bad[g];
    }
    return LETHE_OK;
}

static void list_old(walk *w, step *s)
{
    for (size_t i = 0; i < s->n; i++) {
        uint32_t g = w->group_of[s->tuple[i]];
        if (w->seen[g]) continue;
        w->seen[g] = 1;
        w->old[s->n_old++] = g;
        s->old_cost += w->cost[g];
        s->old_bad += w->bad[g];
    }
    for (size_t i = 0; i < s->n_old; i++)
        w->seen[w->old[i]] = 0;
}

static void take_step(walk *w, const step *s)
{
    for (size_t i = 0; i < s->n_old; i++)
        w->spare[w->n_spare++] = w->old[i];
    for (uint32_t g = 0; g < s->n_groups; g++) {
        uint32_t number = w->spare[--w->n_spare];
        w->cost[number] = w->new_cost[g];
        w->bad[number] = w->new_bad[g];
        for (uint32_t k = w->start[g]; k < w->start[g + 1]; k++)
            w->group_of[w->member[k]] = number;
    }
    w->total = w->total - s->old_cost + s->cost;
    w->n_bad = w->n_bad - s->old_bad + s->bad;
    // the values of the cut below `top` give way to its children, or to itself
    const lethe_tree *t = w->t->tree[s->qi];
    if (s->down) {
        leave_cut(w, s->qi, s->top);
        w->above[s->qi][s->top] = LETHE_NONE;
        for (uint32_t c = lethe_tree_first(t, s->top); c < t->end[s->top]; c = t->end[c])
            enter_cut(w, s->qi, c);
        return;
    }
    for (uint32_t u = s->top + 1; u < t->end[s->top];) {
        bool in_cut = w->above[s->qi][u] == u;
        if (in_cut) leave_cut(w, s->qi, u);
        u = in_cut ? t->end[u] : u + 1;
    }
    enter_cut(w, s->qi, s->top);
}

/* --- the walk --- */

/* As long as nothing valid was met, anything is a way to it. */
static bool is_taken(walk *w, const step *s, uint64_t i)
{
    if (w->n_bad > 0) return true;
    if (w->n_bad - s->old_bad + s->bad > 0) return false;
    if (s->cost <= s->old_cost) return true;
    uint64_t last = w->schedule->steps > 1 ? w->schedule->steps - 1 : 1;
    double heat =
        w->schedule->t0 * (double)w->base * pow(w->schedule->cooling, (double)i / (double)last);
    double chance = heat > 0 ? exp(-(double)(s->cost - s->old_cost) / heat) : 0;
    return lethe_rng_unit(w->random) < chance;
}

static void keep_best(walk *w)
{
    for (size_t q = 0; q < w->t->n_qi; q++)
        memcpy(w->best[q], w->above[q], w->t->tree[q]->n * sizeof *w->best[q]);
    w->at_best = false;
}

/* The walk stands on a cut: is it the best so far?  It is copied when the walk leaves it. */
static void note_better(walk *w)
{
    if (w->n_bad > 0 || (w->met && w->total >= w->best_cost)) return;
    if (!w->met) w->base = w->total;
    w->met = w->at_best = true;
    w->best_cost = w->total;
    w->to_best = w->examined;
    if (w->limits->on_better)
        w->limits->on_better(w->limits->user, lethe_clock_s() - w->began, w->examined, w->total);
}

static lethe_err begin_at_roots(walk *w)
{
    step s = {.tuple = w->by_leaf[0], .n = w->t->n, .n_groups = 1};
    for (size_t q = 0; q < w->t->n_qi; q++)
        enter_cut(w, q, 0);
    lethe_tuples_fold_begin(&w->fold, s.n); // all together
    LETHE_TRY(price_new(w, &s));
    w->cost[0] = w->total = s.cost;
    w->bad[0] = s.bad > 0;
    w->n_bad = s.bad;
    w->examined = 1;
    note_better(w);
    return LETHE_OK;
}

static lethe_err anneal(walk *w)
{
    const lethe_table_limits *l = w->limits;
    for (uint64_t i = 0; i < w->schedule->steps; i++) {
        step s;
        if ((l->cuts > 0 && w->examined >= l->cuts) ||
            (l->seconds > 0 && lethe_clock_s() - w->began > l->seconds))
            break;
        if (lethe_ctx_cancelled(w->ctx)) return LETHE_ECANCEL;
        if (!draw_step(w, &s)) break;
        fold_step(w, &s);
        LETHE_TRY(price_new(w, &s));
        list_old(w, &s);
        w->examined++;
        if (!is_taken(w, &s, i)) continue;
        if (w->at_best && s.cost >= s.old_cost) keep_best(w);
        w->at_best = false;
        take_step(w, &s);
        note_better(w);
    }
    if (w->at_best) keep_best(w);
    return LETHE_OK;
}

static lethe_err export_best(const walk *w, lethe_arena *a, lethe_table_found *out)
{
    lethe_table_found found = {.n = 1, .examined = w->examined, .to_best = w->to_best};
    lethe_table_cut *cut = found.cut = lethe_new(a, lethe_table_cut, 1);
    size_t n = 0;
    found.cost = lethe_new(a, uint64_t, 1);
    if (!cut || !found.cost) return LETHE_ENOMEM;
    cut->start = lethe_new(a, size_t, w->t->n_qi + 1);
    cut->node = lethe_new(a, uint32_t, w->first[w->t->n_qi]);
    if (!cut->start || !cut->node) return LETHE_ENOMEM;
    for (size_t q = 0; q < w->t->n_qi; q++) {
        const lethe_tree *t = w->t->tree[q];
        for (uint32_t v = 0; v < t->n;) {
            bool in_cut = w->best[q][v] == v;
            if (in_cut) cut->node[n++] = v;
            v = in_cut ? t->end[v] : v + 1;
        }
        cut->start[q + 1] = n;
    }
    found.cost[0] = w->best_cost;
    *out = found;
    return LETHE_OK;
}

lethe_err lethe_table_anneal(lethe_ctx *ctx, const lethe_tuples *t, const lethe_group_demand *d,
                             const uint64_t *const *weight, const lethe_anneal_schedule *schedule,
                             lethe_rng *random, const lethe_table_limits *limits, lethe_arena *a,
                             lethe_table_found *out)
{
    assert(t->n > 0 && t->n_qi > 0);
    walk w = {.ctx = ctx,
              .t = t,
              .weight = weight,
              .limits = limits,
              .schedule = schedule,
              .random = random,
              .tmp = lethe_arena_new(),
              .began = lethe_clock_s()};
    lethe_err e = w.tmp ? make_walk(&w, d) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = begin_at_roots(&w);
    if (e == LETHE_OK) e = anneal(&w);
    if (e == LETHE_OK && w.met) e = export_best(&w, a, out);
    if (e == LETHE_OK && !w.met) *out = (lethe_table_found){.examined = w.examined};
    lethe_group_maker_free(&w.maker);
    lethe_arena_free(w.tmp);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
