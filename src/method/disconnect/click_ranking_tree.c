/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking_tree.c - a tree over the classes of a group: of each two, the one that ranks
 * higher, and the lowest hub degree for which it does.  By (hub degree + other degree - 1) /
 * weight, two classes change places at most once as the hub degree falls, so the tree is evaluated
 * again only below the point where one of its pairs does (a kinetic tournament: J. Basch, L. Guibas
 * and J. Hershberger, "Data Structures for Mobile Data", 1999).  Other degrees fall too, and the
 * tree is told when a class comes out best: what it knows is never too low, so nothing that ranks
 * higher is missed. */
#include "method/disconnect/click_ranking_internal.h"

__extension__ typedef __int128 i128;

/* The part of the arrays that belongs to a group. */
typedef struct tree {
    lethe_ranking_class *at;
    const uint32_t *leaf;
    lethe_ranking_node *node;
    uint32_t n, hub_degree;
} tree;

static tree tree_of(lethe_ranking *d, uint32_t group, uint32_t hub_degree)
{
    uint32_t start = d->group_start[group];
    return (tree){d->at, d->leaf + start, d->node + start, d->group_start[group + 1] - start,
                  hub_degree};
}

/* Nodes n to 2 n - 1 are leaves. */
static uint32_t best_of(const tree *t, uint64_t i)
{
    return i < t->n ? t->node[i].best : t->leaf[i - t->n];
}

static uint32_t from_of(const tree *t, uint64_t i) { return i < t->n ? t->node[i].from : 0; }

static lethe_ranking_score score_of(const lethe_ranking_class *c, uint32_t hub_degree)
{
    return (lethe_ranking_score){c->weight, hub_degree + c->other_bound - 1, c->query};
}

static bool above(const tree *t, const lethe_ranking_class *a, const lethe_ranking_class *b)
{
    if (a->query == LETHE_NONE || b->query == LETHE_NONE) return a->query != LETHE_NONE;
    return lethe_ranking_above(score_of(a, t->hub_degree), score_of(b, t->hub_degree));
}

/* The lowest hub degree at which `a`, now above `b`, still is.  The heavier falls more slowly. */
static uint32_t above_from(const lethe_ranking_class *a, const lethe_ranking_class *b)
{
    if (b->query == LETHE_NONE || a->weight >= b->weight) return 0;
    // above: hub degree * gain > bound, or equal with the query seen first
    lethe_ranking_u128 gain = b->weight - a->weight;
    i128 bound = ((i128)b->other_bound - 1) * a->weight - ((i128)a->other_bound - 1) * b->weight;
    if (bound < 0) return 0;
    lethe_ranking_u128 n = (lethe_ranking_u128)bound;
    return (uint32_t)(a->query < b->query ? (n + gain - 1) / gain : n / gain + 1);
}

static void choose(tree *t, uint32_t i)
{
    uint64_t l = 2 * (uint64_t)i, r = l + 1;
    uint32_t a = best_of(t, l), b = best_of(t, r);
    bool left = above(t, &t->at[a], &t->at[b]);
    uint32_t best = left ? a : b, from = above_from(&t->at[best], &t->at[left ? b : a]);
    from = LETHE_MAX(from, from_of(t, l));
    t->node[i] = (lethe_ranking_node){best, LETHE_MAX(from, from_of(t, r))};
}

static void refresh(tree *t, uint64_t i)
{
    if (t->hub_degree >= from_of(t, i)) return;
    refresh(t, 2 * i);
    refresh(t, 2 * i + 1);
    choose(t, (uint32_t)i);
}

void lethe_ranking_tree_build(lethe_ranking *d, uint32_t group, uint32_t hub_degree)
{
    tree t = tree_of(d, group, hub_degree);
    for (uint32_t i = t.n - 1; i >= 1; i--)
        choose(&t, i);
}

void lethe_ranking_tree_update(lethe_ranking *d, uint32_t c, uint32_t hub_degree)
{
    tree t = tree_of(d, d->seen[c].group, hub_degree);
    for (uint64_t i = ((uint64_t)t.n + d->at[c].leaf) / 2; i >= 1; i /= 2)
        choose(&t, (uint32_t)i);
}

uint32_t lethe_ranking_tree_best(lethe_ranking *d, uint32_t group, uint32_t hub_degree)
{
    tree t = tree_of(d, group, hub_degree);
    refresh(&t, 1);
    return best_of(&t, 1);
}
