/* SPDX-License-Identifier: Apache-2.0 */
/* topdown.c - parts of records, expanded node by node until nothing can be expanded (topdown.h):
 * the heap of nodes of each part, and the parts that workers take in turns. */
#include "method/cluster/partition/topdown_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* A part of more records is expanded once, and its parts are handed to all workers; a smaller part
 * is finished by one worker. */
enum { LARGE = 512 };

typedef enum state {
    OPEN,   /* in the heap; `value` is an upper bound */
    EXACT,  /* in the heap; `value` is exact */
    CLOSED, /* a leaf, or impossible to expand here and in any part below */
} state;

/* A node of a part. */
typedef struct general {
    uint64_t value;   /* the node with the greatest is chosen */
    uint64_t bound;   /* of `value` in any part of fewer records */
    uint64_t covered; /* items below it; 0: not counted yet */
    uint32_t node;
    state state;
} general;

/* An unfinished part.  at[0 .. n_open - 1] is a heap, the node to be chosen first on top; closed
 * nodes follow it. */
typedef struct task {
    struct task *next;
    uint32_t *member;
    uint32_t n_members;
    uint32_t n_at, n_open, cap;
    general *at;
} task;

typedef struct tasks { /* a stack */
    task *first;
    size_t n;
} tasks;

typedef struct worker {
    lethe_topdown_expander e;
    tasks next;  /* for all workers */
    tasks ended; /* parts in which nothing can be expanded */
} worker;

typedef struct topdown {
    lethe_ctx *ctx;
    const lethe_topdown_options *how;
    unsigned n_workers;
    worker **workers; /* apart, so that they share no cache line */
    task **turn;      /* the parts of this turn */
} topdown;

static void push(tasks *s, task *t)
{
    t->next = s->first;
    s->first = t;
    s->n++;
}

static task *pop(tasks *s)
{
    task *t = s->first;
    if (!t) return NULL;
    s->first = t->next;
    s->n--;
    return t;
}

static void task_free(task *t)
{
    if (!t) return;
    lethe_free(t->member);
    lethe_free(t->at);
    lethe_free(t);
}

static void tasks_free(tasks *s)
{
    for (task *t; (t = pop(s));)
        task_free(t);
}

/* With room for the members, which are not set. */
static task *task_new(uint32_t n_members, uint32_t n_nodes)
{
    task *t = lethe_alloc_zero(1, sizeof *t);
    if (!t) return NULL;
    t->member = lethe_alloc(n_members, sizeof *t->member);
    t->at = lethe_alloc(n_nodes, sizeof *t->at);
    t->cap = n_nodes;
    if (t->member && t->at) return t;
    task_free(t);
    return NULL;
}

/* --- the nodes of a part --- */

static bool is_chosen_before(const general *a, const general *b)
{
    return a->value != b->value ? a->value > b->value : a->node < b->node;
}

static void swap(general *a, general *b)
{
    general x = *a;
    *a = *b;
    *b = x;
}

static void sift_up(task *t, uint32_t at)
{
    for (; at > 0 && is_chosen_before(&t->at[at], &t->at[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&t->at[at], &t->at[(at - 1) / 2]);
}

static void sift_down(task *t, uint32_t at)
{
    for (uint32_t child; (child = 2 * at + 1) < t->n_open; at = child) {
        if (child + 1 < t->n_open && is_chosen_before(&t->at[child + 1], &t->at[child])) child++;
        if (!is_chosen_before(&t->at[child], &t->at[at])) return;
        swap(&t->at[child], &t->at[at]);
    }
}

/* Takes the first out of the heap; it then stands right behind it. */
static general *take_first(task *t)
{
    swap(&t->at[0], &t->at[--t->n_open]);
    sift_down(t, 0);
    return &t->at[t->n_open];
}

/* Puts the node right behind the heap back. */
static void put_back(task *t) { sift_up(t, t->n_open++); }

/* One more; the heap is in order before and after. */
static lethe_err add(task *t, general g)
{
    if (t->n_at == t->cap) {
        uint32_t cap = t->cap + t->cap / 2 + 4;
        general *at = lethe_realloc(t->at, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        t->at = at;
        t->cap = cap;
    }
    t->at[t->n_at++] = g;
    if (g.state == CLOSED) return LETHE_OK;
    swap(&t->at[t->n_open], &t->at[t->n_at - 1]);
    put_back(t);
    return LETHE_OK;
}

/* A child that replaces its parent: its value is unknown, so it is examined before anything else.
 */
static general fresh(const lethe_induced_tree *p, uint32_t node)
{
    bool leaf = lethe_induced_tree_children(p, node) == 0;
    return (general){.node = node, .value = UINT64_MAX, .state = leaf ? CLOSED : OPEN};
}

/* --- looking at a node --- */

static bool is_link(const topdown *d, uint32_t v)
{
    return lethe_induced_tree_children(d->how->records, v) == 1;
}

/* What is known without examining records: the loss of a node, or the gain where it has one child,
 * so that all records stay together. */
static void set_value(const topdown *d, general *g)
{
    const lethe_induced_tree *p = d->how->records;
    uint32_t lm = p->lm[g->node];
    if (!d->how->by_mass) lm -= p->lm[p->child[p->child_at[g->node]]];
    g->value = g->bound = lm * g->covered;
    g->state = EXACT;
}

/* The node right behind the heap, whose value is a bound, gets its exact value and goes back, or it
 * is closed and stays there.  *tried: the node whose expansion the expander holds. */
static lethe_err evaluate(const topdown *d, worker *w, task *t, uint32_t *tried)
{
    general *g = &t->at[t->n_open];
    bool can;
    if (d->how->by_mass || is_link(d, g->node)) {
        for (uint32_t i = 0, counted = g->covered > 0; i < t->n_members && !counted; i++) {
            uint64_t n;
            lethe_induced_tree_below(d->how->records, t->member[i], g->node, &n);
            g->covered += n;
        }
        set_value(d, g);
        put_back(t);
        return LETHE_OK;
    }
    *tried = LETHE_NONE;
    LETHE_TRY(lethe_topdown_expander_try(&w->e, t->member, t->n_members, g->node, &can));
    g->value = w->e.value;
    g->bound = w->e.bound;
    g->state = can ? EXACT : CLOSED;
    if (!can) return LETHE_OK;
    *tried = g->node;
    put_back(t);
    return LETHE_OK;
}

/* --- expanding it --- */

/* Drops the node right behind the heap. */
static void drop_node(task *t) { t->at[t->n_open] = t->at[--t->n_at]; }

/* All records touch the only child: it replaces v, and the items below it are counted already. */
static lethe_err replace_by_child(const topdown *d, task *t)
{
    const lethe_induced_tree *p = d->how->records;
    general old = t->at[t->n_open], new = fresh(p, p->child[p->child_at[old.node]]);
    new.covered = old.covered;
    if (new.state == OPEN && (d->how->by_mass || is_link(d, new.node))) set_value(d, &new);
    drop_node(t);
    return add(t, new);
}

/* The children that a member touches replace v. */
static lethe_err add_children(const topdown *d, const lethe_topdown_expander *e, task *t,
                              uint32_t v, uint32_t member)
{
    const lethe_induced_tree *p = d->how->records;
    const uint32_t *child = p->child + p->child_at[v];
    for (uint32_t k = e->first_touch[member]; k < e->first_touch[member + 1]; k++)
        LETHE_TRY(add(t, fresh(p, child[e->touch[k].child])));
    return LETHE_OK;
}

/* A part of `t` for n of its members, with the nodes of `t` except the one right behind the heap;
 * values become bounds. */
static task *subtask_new(const task *t, uint32_t n, uint32_t n_more)
{
    task *part = task_new(n, t->n_at + n_more);
    if (!part) return NULL;
    for (uint32_t i = 0; i < t->n_open; i++) {
        general g = t->at[i];
        if (g.state == EXACT) g.value = g.bound;
        g.state = OPEN;
        g.covered = 0;
        part->at[part->n_at++] = g;
    }
    part->n_open = part->n_at;
    for (uint32_t at = part->n_open / 2; at-- > 0;)
        sift_down(part, at);
    for (uint32_t i = t->n_open + 1; i < t->n_at; i++)
        part->at[part->n_at++] = t->at[i]; // closed
    return part;
}

/* Each kept class becomes a part, and so does the leftover, in which v is closed; `part` has room
 * for one task per class and one more.  On failure some are set already. */
static lethe_err split_part(const topdown *d, const lethe_topdown_expander *e, const task *t,
                            task **part)
{
    general v = t->at[t->n_open];
    for (uint32_t c = 0; c < e->n_classes; c++) {
        const lethe_topdown_class *class = &e->classes[c];
        if (!class->kept) continue;
        uint32_t n_children = e->first_touch[class->first + 1] - e->first_touch[class->first];
        if (!(part[c] = subtask_new(t, class->size, n_children))) return LETHE_ENOMEM;
        LETHE_TRY(add_children(d, e, part[c], v.node, class->first));
    }
    if (e->n_left > 0) {
        v.state = CLOSED;
        if (!(part[e->n_classes] = subtask_new(t, e->n_left, 1))) return LETHE_ENOMEM;
        LETHE_TRY(add(part[e->n_classes], v));
    }
    for (uint32_t i = 0; i < t->n_members; i++) {
        uint32_t c = lethe_topdown_expander_goes(e, i);
        task *to = part[c == LETHE_NONE ? e->n_classes : c];
        to->member[to->n_members++] = t->member[i];
    }
    return LETHE_OK;
}

/* Expands the node right behind the heap, or closes it.  *parts gets the parts that this one is
 * split into, if it is. */
static lethe_err expand_node(const topdown *d, worker *w, task *t, uint32_t tried, tasks *parts)
{
    general *g = &t->at[t->n_open];
    bool can = true;
    if (is_link(d, g->node)) return replace_by_child(d, t);
    if (g->node != tried)
        LETHE_TRY(lethe_topdown_expander_try(&w->e, t->member, t->n_members, g->node, &can));
    if (!can) {
        g->state = CLOSED;
        return LETHE_OK;
    }
    if (w->e.n_kept > 1 || w->e.n_left > 0) {
        task **part = lethe_alloc_zero((size_t)w->e.n_classes + 1, sizeof *part);
        lethe_err err = part ? split_part(d, &w->e, t, part) : LETHE_ENOMEM;
        for (uint32_t c = 0; part && c <= w->e.n_classes; c++)
            if (part[c]) push(parts, part[c]);
        lethe_free(part);
        return err;
    }
    uint32_t v = g->node;
    drop_node(t);
    return add_children(d, &w->e, t, v, 0);
}

/* Expands nodes of a part until it is split, or nothing can be expanded. */
static lethe_err expand_part(const topdown *d, worker *w, task *t, tasks *parts)
{
    uint32_t tried = LETHE_NONE;
    while (t->n_open > 0 && !parts->first) {
        if (lethe_ctx_cancelled(d->ctx)) return LETHE_ECANCEL;
        if (take_first(t)->state == OPEN) {
            LETHE_TRY(evaluate(d, w, t, &tried));
        } else {
            LETHE_TRY(expand_node(d, w, t, tried, parts));
            tried = LETHE_NONE;
        }
    }
    return LETHE_OK;
}

/* --- all parts --- */

/* One item of a turn: a large part until it is split, a small part with everything it becomes. */
static lethe_err run_item(void *arg, size_t i, unsigned number)
{
    topdown *d = arg;
    worker *w = d->workers[number];
    tasks stack = {0};
    lethe_err err = LETHE_OK;
    bool large = d->turn[i]->n_members > LARGE;
    push(&stack, d->turn[i]);
    d->turn[i] = NULL;
    while (stack.first && err == LETHE_OK) {
        task *t = pop(&stack);
        tasks parts = {0};
        err = expand_part(d, w, t, &parts);
        bool ended = err == LETHE_OK && !parts.first;
        for (task *part; (part = pop(&parts));)
            push(large ? &w->next : &stack, part);
        if (ended) {
            push(&w->ended, t);
            lethe_ctx_advance(d->ctx, t->n_members);
        } else {
            task_free(t);
        }
    }
    tasks_free(&stack);
    return err;
}

/* The parts that workers left for all, in any order: results do not depend on it. */
static lethe_err gather(topdown *d, size_t *n)
{
    *n = 0;
    for (unsigned w = 0; w < d->n_workers; w++)
        *n += d->workers[w]->next.n;
    task **all = lethe_realloc(d->turn, *n + 1, sizeof(task *));
    if (!all) return LETHE_ENOMEM;
    d->turn = all;
    *n = 0;
    for (unsigned w = 0; w < d->n_workers; w++) {
        for (task *t; (t = pop(&d->workers[w]->next));)
            d->turn[(*n)++] = t;
    }
    return LETHE_OK;
}

static lethe_err run_turns(topdown *d)
{
    const lethe_topdown_options *how = d->how;
    const uint64_t *start = how->records->start;
    uint32_t n_members = 0;
    size_t n = 0;
    for (size_t i = 0; i < how->n; i++)
        n_members += start[i + 1] > start[i];
    task *all = task_new(n_members, 1);
    if (!all) return LETHE_ENOMEM;
    for (size_t i = 0; i < how->n; i++)
        if (start[i + 1] > start[i]) all->member[all->n_members++] = (uint32_t)i;
    push(&d->workers[0]->next, all);
    lethe_err err = add(all, fresh(how->records, 0));
    if (err == LETHE_OK) err = gather(d, &n);
    while (err == LETHE_OK && n > 0) {
        err = lethe_pool_for(d->ctx, n, run_item, d);
        for (size_t i = 0; i < n; i++)
            task_free(d->turn[i]); // not begun, after a failure
        if (err == LETHE_OK) err = gather(d, &n);
    }
    return err;
}

/* --- the result --- */

static int by_first_member(const void *a, const void *b)
{
    return lethe_u32_cmp(((const lethe_topdown_part *)a)->member,
                         ((const lethe_topdown_part *)b)->member);
}

/* Members are taken over from the tasks. */
static lethe_err list_parts(topdown *d, lethe_topdown_parts *out)
{
    size_t n = 0;
    for (unsigned w = 0; w < d->n_workers; w++)
        n += d->workers[w]->ended.n;
    out->at = lethe_alloc(n, sizeof *out->at);
    if (!out->at) return LETHE_ENOMEM;
    for (unsigned w = 0; w < d->n_workers; w++) {
        for (const task *first; (first = d->workers[w]->ended.first);) {
            uint32_t *node = lethe_alloc(first->n_at, sizeof *node);
            if (!node) return LETHE_ENOMEM;
            task *t = pop(&d->workers[w]->ended);
            for (uint32_t i = 0; i < t->n_at; i++)
                node[i] = t->at[i].node;
            qsort(node, t->n_at, sizeof *node, lethe_u32_cmp);
            out->at[out->n++] = (lethe_topdown_part){t->member, t->n_members, node, t->n_at};
            t->member = NULL;
            task_free(t);
        }
    }
    qsort(out->at, out->n, sizeof *out->at, by_first_member);
    return LETHE_OK;
}

lethe_err lethe_topdown_run(lethe_ctx *ctx, const lethe_topdown_options *how,
                            lethe_topdown_parts *out)
{
    topdown d = {.ctx = ctx, .how = how, .n_workers = lethe_ctx_threads(ctx)};
    lethe_topdown_parts parts = {0};
    lethe_err err = LETHE_OK;
    d.workers = lethe_alloc_zero(d.n_workers, sizeof *d.workers);
    if (!d.workers) return LETHE_ENOMEM;
    for (unsigned w = 0; w < d.n_workers && err == LETHE_OK; w++) {
        d.workers[w] = lethe_alloc_zero(1, sizeof **d.workers);
        err = d.workers[w] ? lethe_topdown_expander_open(&d.workers[w]->e, how) : LETHE_ENOMEM;
    }
    if (err == LETHE_OK) err = run_turns(&d);
    if (err == LETHE_OK) err = list_parts(&d, &parts);
    for (unsigned w = 0; w < d.n_workers && d.workers[w]; w++) {
        lethe_topdown_expander_close(&d.workers[w]->e);
        tasks_free(&d.workers[w]->next);
        tasks_free(&d.workers[w]->ended);
        lethe_free(d.workers[w]);
    }
    lethe_free(d.workers);
    lethe_free(d.turn);
    if (err == LETHE_OK)
        *out = parts;
    else
        lethe_topdown_parts_free(&parts);
    return err;
}

void lethe_topdown_parts_free(lethe_topdown_parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        lethe_free(p->at[i].member);
        lethe_free(p->at[i].node);
    }
    lethe_free(p->at);
    *p = (lethe_topdown_parts){0};
}
