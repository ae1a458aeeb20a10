/* SPDX-License-Identifier: Apache-2.0 */
/* partition_literal.h - He & Naughton's partition as it is told, and no faster: every item of a
 * part is expanded to see what it gains, at every step; ancestors are found by climbing, groups by
 * comparing. */
#ifndef LETHE_TESTS_PARTITION_LITERAL_H
#define LETHE_TESTS_PARTITION_LITERAL_H
#include "model/records/records.h"
#include <stdlib.h>
#include <string.h>

typedef struct literal {
    const lethe_tree *t;
    const lethe_records *r;
    uint64_t k;
    bool by_record, mass, bag;
    /* The answer, by record: its group, numbered by first records (LETHE_NONE: not published), and
     * what is published, ascending. */
    uint32_t *group, **node;
    size_t *n_nodes;
    uint32_t n_groups;
} literal;

typedef struct lit_list { /* numbers */
    uint32_t *at;
    size_t n;
} lit_list;

static inline void lit_add(lit_list *l, uint32_t x)
{
    l->at = realloc(l->at, (l->n + 1) * sizeof *l->at);
    if (!l->at) abort();
    l->at[l->n++] = x;
}

static inline bool lit_has(const lit_list *l, uint32_t x)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->at[i] == x) return true;
    }
    return false;
}

static inline void lit_remove(lit_list *l, uint32_t x)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->at[i] != x) l->at[n++] = l->at[i];
    }
    l->n = n;
}

static inline lit_list lit_copy(const lit_list *l)
{
    lit_list c = {0};
    for (size_t i = 0; i < l->n; i++)
        lit_add(&c, l->at[i]);
    return c;
}

static inline int lit_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline void lit_sort(lit_list *l)
{
    if (l->n > 1) qsort(l->at, l->n, sizeof *l->at, lit_order);
}

/* The child of v that is at or above x; LETHE_NONE: x is not below v. */
static inline uint32_t lit_child(const lethe_tree *t, uint32_t v, uint32_t x)
{
    while (x != LETHE_NONE && t->parent[x] != v)
        x = t->parent[x];
    return x;
}

static inline bool lit_below(const lethe_tree *t, uint32_t v, uint32_t x)
{
    while (x != LETHE_NONE && x != v)
        x = t->parent[x];
    return x == v;
}

static inline uint64_t lit_covered(const literal *l, uint32_t record, uint32_t v)
{
    uint64_t n = 0;
    for (uint64_t i = l->r->start[record]; i < l->r->start[record + 1]; i++)
        n += lit_below(l->t, v, l->r->item[i]);
    return n;
}

static inline uint64_t lit_persons(const literal *l, const lit_list *records)
{
    uint64_t n = 0;
    if (l->by_record) return records->n;
    for (size_t i = 0; i < records->n; i++) {
        size_t j = 0;
        while (l->r->owner[records->at[j]] != l->r->owner[records->at[i]])
            j++;
        n += j == i;
    }
    return n;
}

/* The sum over the record's items below v of LM(v) - LM(child above the item). */
static inline uint64_t lit_gain(const literal *l, uint32_t record, uint32_t v)
{
    uint64_t gain = 0;
    for (uint64_t i = l->r->start[record]; i < l->r->start[record + 1]; i++) {
        uint32_t c = lit_child(l->t, v, l->r->item[i]);
        if (c != LETHE_NONE) gain += l->t->leaves[v] - l->t->leaves[c];
    }
    return gain;
}

static inline uint64_t lit_gain_all(const literal *l, const lit_list *records, uint32_t v)
{
    uint64_t gain = 0;
    for (size_t i = 0; i < records->n; i++)
        gain += lit_gain(l, records->at[i], v);
    return gain;
}

static inline lit_list lit_children(const literal *l, uint32_t record, uint32_t v)
{
    lit_list c = {0};
    for (uint64_t i = l->r->start[record]; i < l->r->start[record + 1]; i++) {
        uint32_t x = lit_child(l->t, v, l->r->item[i]);
        if (x != LETHE_NONE && !lit_has(&c, x)) lit_add(&c, x);
    }
    lit_sort(&c);
    return c;
}

/* Sequences, a shorter one before what it begins. */
static inline int lit_compare(const lit_list *a, const lit_list *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

typedef struct lit_group {
    lit_list children, records;
} lit_group;

typedef struct lit_expansion {
    lit_group *groups;
    size_t n;
    lit_list left;
} lit_expansion;

static inline void lit_drop(lit_expansion *x, size_t g)
{
    free(x->groups[g].children.at);
    free(x->groups[g].records.at);
    x->groups[g] = x->groups[--x->n];
}

static inline void lit_end(lit_expansion *x)
{
    while (x->n > 0)
        lit_drop(x, 0);
    free(x->groups);
    free(x->left.at);
    *x = (lit_expansion){0};
}

static inline void lit_put(lit_expansion *x, lit_list children, uint32_t record)
{
    size_t g = 0;
    while (g < x->n && lit_compare(&x->groups[g].children, &children) != 0)
        g++;
    if (g == x->n) {
        x->groups = realloc(x->groups, (x->n + 1) * sizeof *x->groups);
        if (!x->groups) abort();
        x->groups[x->n++] = (lit_group){.children = children};
    } else {
        free(children.at);
    }
    lit_add(&x->groups[g].records, record);
}

/* May the record leave its group for the leftover? */
static inline bool lit_may_go(const literal *l, const lit_group *g, const lit_list *left,
                              uint32_t record)
{
    if (l->by_record) return g->records.n > l->k;
    lit_list without = lit_copy(&g->records), with = lit_copy(left);
    lit_remove(&without, record);
    lit_add(&with, record);
    bool may = lit_persons(l, &without) >= l->k && lit_persons(l, &with) > lit_persons(l, left);
    free(without.at);
    free(with.at);
    return may;
}

/* Moves the record that loses the least; false: none may be moved. */
static inline bool lit_lend(const literal *l, lit_expansion *x, uint32_t v)
{
    uint32_t best = LETHE_NONE;
    uint64_t least = 0;
    size_t from = 0;
    for (size_t g = 0; g < x->n; g++) {
        for (size_t i = 0; i < x->groups[g].records.n; i++) {
            uint32_t record = x->groups[g].records.at[i];
            uint64_t gain = lit_gain(l, record, v);
            bool better = best == LETHE_NONE || gain < least || (gain == least && record < best);
            if (!better || !lit_may_go(l, &x->groups[g], &x->left, record)) continue;
            best = record;
            least = gain;
            from = g;
        }
    }
    if (best == LETHE_NONE) return false;
    lit_remove(&x->groups[from].records, best);
    lit_add(&x->left, best);
    return true;
}

static inline void lit_leave(lit_expansion *x, size_t g)
{
    for (size_t i = 0; i < x->groups[g].records.n; i++)
        lit_add(&x->left, x->groups[g].records.at[i]);
    lit_drop(x, g);
}

static inline void lit_fold(const literal *l, lit_expansion *x, uint32_t v)
{
    size_t best = 0;
    for (size_t g = 1; g < x->n; g++) {
        uint64_t a = lit_gain_all(l, &x->groups[g].records, v);
        uint64_t b = lit_gain_all(l, &x->groups[best].records, v);
        if (a < b || (a == b && lit_compare(&x->groups[g].children, &x->groups[best].children) < 0))
            best = g;
    }
    lit_leave(x, best);
}

/* What becomes of the members; no groups: v cannot be expanded. */
static inline lit_expansion lit_expand(const literal *l, const lit_list *members, uint32_t v)
{
    lit_expansion x = {0};
    for (size_t i = 0; i < members->n; i++)
        lit_put(&x, lit_children(l, members->at[i], v), members->at[i]);
    for (size_t g = x.n; g-- > 0;) {
        if (lit_persons(l, &x.groups[g].records) < l->k) lit_leave(&x, g);
    }
    while (x.n > 0 && x.left.n > 0 && lit_persons(l, &x.left) < l->k) {
        if (!lit_lend(l, &x, v)) lit_fold(l, &x, v);
    }
    return x;
}

static inline uint64_t lit_value(const literal *l, const lit_list *members, uint32_t v)
{
    uint64_t value = 0;
    if (l->mass) {
        for (size_t i = 0; i < members->n; i++)
            value += lit_covered(l, members->at[i], v);
        return value * (l->t->leaves[v] - 1);
    }
    lit_expansion x = lit_expand(l, members, v);
    for (size_t g = 0; g < x.n; g++)
        value += lit_gain_all(l, &x.groups[g].records, v);
    lit_end(&x);
    return value;
}

/* The node to expand; LETHE_NONE: none can be. */
static inline uint32_t lit_pick(const literal *l, const lit_list *nodes, const lit_list *members,
                                const lit_list *blocked)
{
    uint32_t best = LETHE_NONE;
    uint64_t most = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        uint32_t v = nodes->at[i];
        if (l->t->end[v] == v + 1 || lit_has(blocked, v)) continue;
        lit_expansion x = lit_expand(l, members, v);
        bool can = x.n > 0;
        lit_end(&x);
        if (!can) continue;
        uint64_t value = lit_value(l, members, v);
        if (best != LETHE_NONE && (value < most || (value == most && v > best))) continue;
        best = v;
        most = value;
    }
    return best;
}

static inline void lit_publish(literal *l, lit_list *nodes, const lit_list *members)
{
    lit_sort(nodes);
    for (size_t m = 0; m < members->n; m++) {
        lit_list out = {0};
        for (size_t i = 0; i < nodes->n; i++) {
            uint64_t copies = 1;
            for (size_t o = 0; l->bag && o < members->n; o++) {
                uint64_t n = lit_covered(l, members->at[o], nodes->at[i]);
                if (o == 0 || n < copies) copies = n;
            }
            while (copies-- > 0)
                lit_add(&out, nodes->at[i]);
        }
        l->group[members->at[m]] = l->n_groups;
        l->node[members->at[m]] = out.at;
        l->n_nodes[members->at[m]] = out.n;
    }
    l->n_groups++;
}

/* Takes its lists over. */
static inline void lit_part(literal *l, lit_list nodes, lit_list members, lit_list blocked)
{
    uint32_t v = lit_pick(l, &nodes, &members, &blocked);
    if (v == LETHE_NONE) {
        lit_publish(l, &nodes, &members);
    } else {
        lit_expansion x = lit_expand(l, &members, v);
        for (size_t g = 0; g < x.n; g++) {
            lit_list below = lit_copy(&nodes);
            lit_remove(&below, v);
            for (size_t c = 0; c < x.groups[g].children.n; c++)
                lit_add(&below, x.groups[g].children.at[c]);
            lit_part(l, below, lit_copy(&x.groups[g].records), lit_copy(&blocked));
        }
        if (x.left.n > 0) {
            lit_list more = lit_copy(&blocked);
            lit_add(&more, v);
            lit_part(l, lit_copy(&nodes), lit_copy(&x.left), more);
        }
        lit_end(&x);
    }
    free(nodes.at);
    free(members.at);
    free(blocked.at);
}

/* false: fewer than k persons have items.  Records without items are a group of their own, or are
 * not published. */
static inline bool lit_run(literal *l)
{
    lit_list full = {0}, empty = {0}, root = {0}, none = {0};
    l->group = malloc((l->r->n + 1) * sizeof *l->group);
    l->node = calloc(l->r->n + 1, sizeof *l->node);
    l->n_nodes = calloc(l->r->n + 1, sizeof *l->n_nodes);
    if (!l->group || !l->node || !l->n_nodes) abort();
    for (uint32_t i = 0; i < l->r->n; i++) {
        l->group[i] = LETHE_NONE;
        lit_add(l->r->start[i] < l->r->start[i + 1] ? &full : &empty, i);
    }
    bool feasible = lit_persons(l, &full) >= l->k;
    if (feasible) {
        if (lit_persons(l, &empty) >= l->k) lit_publish(l, &none, &empty);
        lit_add(&root, 0);
        lit_part(l, root, full, none);
    } else {
        free(full.at);
    }
    free(empty.at);
    return feasible;
}

/* Groups numbered by their first records. */
static inline void lit_renumber(literal *l)
{
    uint32_t *to = malloc((l->n_groups + 1) * sizeof *to), n = 0;
    if (!to) abort();
    memset(to, 0xFF, (l->n_groups + 1) * sizeof *to);
    for (size_t i = 0; i < l->r->n; i++) {
        if (l->group[i] == LETHE_NONE) continue;
        uint32_t *number = &to[l->group[i]];
        if (*number == LETHE_NONE) *number = n++;
        l->group[i] = *number;
    }
    free(to);
}

static inline void lit_free(literal *l)
{
    for (size_t i = 0; i < l->r->n; i++)
        free(l->node[i]);
    free(l->node);
    free(l->group);
    free(l->n_nodes);
}

#endif
