/* A tree over the classes of a group: of each two the one that ranks higher, and down to which
 * `united` it does.  By (united + rest - 1) / weight two classes change places at most once as
 * `united` falls: the tree is looked at again only below the point where one of its pairs does (a
 * kinetic tournament: J. Basch, L. Guibas, J. Hershberger, "Data Structures for Mobile Data",
 * 1999).  Rests fall too, and the tree is told when a class comes out best: what it knows is never
 * too low, so nothing that ranks higher is missed. */
#include "method/disconnect/click_ranking_internal.h"

/* A group's part of the arrays. */
typedef struct tree {
    class_state *at;
    const uint32_t *leaf;
    tree_node *node;
    uint32_t n, united;
} tree;

static tree tree_of(disconnecting *d, uint32_t group, uint32_t united)
{
    uint32_t start = d->group_start[group];
    return (tree){d->at, d->leaf + start, d->node + start, d->group_start[group + 1] - start,
                  united};
}

/* Nodes n to 2 n - 1 are leaves. */
static uint32_t best_of(const tree *t, uint64_t i)
{
    return i < t->n ? t->node[i].best : t->leaf[i - t->n];
}

static uint32_t from_of(const tree *t, uint64_t i) { return i < t->n ? t->node[i].from : 0; }

static score score_of(const class_state *c, uint32_t united)
{
    return (score){c->weight, united + c->key_rest - 1, c->query};
}

static bool above(const tree *t, const class_state *a, const class_state *b)
{
    if (a->query == NONE || b->query == NONE) return a->query != NONE;
    return score_above(score_of(a, t->united), score_of(b, t->united));
}

/* The least `united` for which `a`, now above `b`, still is.  The heavier falls more slowly. */
static uint32_t above_from(const class_state *a, const class_state *b)
{
    if (b->query == NONE || a->weight >= b->weight) return 0;
    // above: united * gain > bound, or = with the query that was seen first
    u128 gain = b->weight - a->weight;
    i128 bound = ((i128)b->key_rest - 1) * a->weight - ((i128)a->key_rest - 1) * b->weight;
    if (bound < 0) return 0;
    u128 n = (u128)bound;
    return (uint32_t)(a->query < b->query ? (n + gain - 1) / gain : n / gain + 1);
}

static void choose(tree *t, uint32_t i)
{
    uint64_t l = 2 * (uint64_t)i, r = l + 1;
    uint32_t a = best_of(t, l), b = best_of(t, r);
    bool left = above(t, &t->at[a], &t->at[b]);
    uint32_t best = left ? a : b, from = above_from(&t->at[best], &t->at[left ? b : a]);
    from = LETHE_MAX(from, from_of(t, l));
    t->node[i] = (tree_node){best, LETHE_MAX(from, from_of(t, r))};
}

static void refresh(tree *t, uint64_t i)
{
    if (t->united >= from_of(t, i)) return;
    refresh(t, 2 * i);
    refresh(t, 2 * i + 1);
    choose(t, (uint32_t)i);
}

void lethe_group_build(disconnecting *d, uint32_t group, uint32_t united)
{
    tree t = tree_of(d, group, united);
    for (uint32_t i = t.n - 1; i >= 1; i--)
        choose(&t, i);
}

void lethe_group_update(disconnecting *d, uint32_t c, uint32_t united)
{
    tree t = tree_of(d, d->seen[c].group, united);
    for (uint64_t i = ((uint64_t)t.n + d->at[c].leaf) / 2; i >= 1; i /= 2)
        choose(&t, (uint32_t)i);
}

uint32_t lethe_group_best(disconnecting *d, uint32_t group, uint32_t united)
{
    tree t = tree_of(d, group, united);
    refresh(&t, 1);
    return best_of(&t, 1);
}
