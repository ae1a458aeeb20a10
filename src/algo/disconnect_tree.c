/* A tree over the classes of a group: of each two the one that ranks higher, and down to which rest
 * of the top (here `united`) it does.  By (united + lower rest - 1) / weight two classes change
 * places at most once as `united` falls: the tree is looked at again only below the point where one
 * of its pairs does (a kinetic tournament: J. Basch, L. Guibas, J. Hershberger, "Data Structures
 * for Mobile Data", 1999).  Lower rests fall too, and the tree is told when a class comes out best:
 * what it knows is never too low, so nothing that ranks higher is missed. */
#include "algo/disconnect_internal.h"

/* A group's part of the arrays. */
typedef struct tree {
    class_state *at;
    const uint32_t *leaf;
    tree_node *node;
    uint32_t n, united;
} tree;

static tree tree_of(disconnecting *d, uint32_t group)
{
    uint32_t start = d->group_start[group];
    return (tree){d->at, d->leaf + start, d->node + start, d->group_start[group + 1] - start,
                  top_rest(d, group)};
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
    if (a->live == 0 || b->live == 0) return a->live > 0;
    return score_above(score_of(a, t->united), score_of(b, t->united));
}

/* The least `united` for which `a`, now above `b`, still is.  The heavier falls more slowly. */
static uint32_t above_from(const class_state *a, const class_state *b)
{
    if (b->live == 0 || a->weight >= b->weight) return 0;
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

static void update(tree *t, uint32_t leaf)
{
    for (uint64_t i = ((uint64_t)t->n + leaf) / 2; i >= 1; i /= 2)
        choose(t, (uint32_t)i);
}

void lethe_group_build(disconnecting *d, uint32_t group)
{
    tree t = tree_of(d, group);
    for (uint32_t i = t.n - 1; i >= 1; i--)
        choose(&t, i);
}

void lethe_group_update(disconnecting *d, uint32_t c)
{
    tree t = tree_of(d, d->at[c].group);
    update(&t, d->at[c].leaf);
}

uint32_t lethe_group_best(disconnecting *d, uint32_t group)
{
    tree t = tree_of(d, group);
    for (;;) {
        refresh(&t, 1);
        uint32_t c = best_of(&t, 1);
        uint32_t rest = lower_rest(d, c);
        if (d->at[c].live == 0 || d->at[c].key_rest == rest) return c;
        d->at[c].key_rest = rest;
        update(&t, d->at[c].leaf);
    }
}
