/* SPDX-License-Identifier: Apache-2.0 */
/* set_search.c - an index from items to sets, and the search for sets that show all present items
 * and are not refuted by the absent ones. */
#include "attack/set_search.h"
#include <stdlib.h>

static uint64_t copies(const lethe_set_index *s, size_t set)
{
    return s->first ? s->first[set + 1] - s->first[set] : 1;
}

static uint64_t list_size(const lethe_set_index *s, uint32_t item)
{
    return s->ends[item] - s->begins[item];
}

/* --- building --- */

lethe_err lethe_set_index_build(lethe_set_index *s, lethe_arena *a)
{
    if (s->n >= UINT32_MAX) return LETHE_ENOMEM;
    /* Which sets have each item; copies in a set count once. */
    uint64_t all = s->start[s->n], at = 0;
    s->begins = lethe_new(a, uint64_t, (size_t)s->items.n + 1);
    s->ends = lethe_new(a, uint64_t, (size_t)s->items.n + 1);
    s->sets = lethe_new(a, uint32_t, (size_t)all + 1);
    if (!s->begins || !s->ends || !s->sets) return LETHE_ENOMEM;
    for (uint64_t i = 0; i < all; i++)
        s->ends[s->item[i]]++;
    for (uint32_t i = 0; i < s->items.n; i++) {
        s->begins[i] = at;
        at += s->ends[i];
        s->ends[i] = s->begins[i];
    }
    for (size_t set = 0; set < s->n; set++)
        for (uint64_t i = s->start[set]; i < s->start[set + 1]; i++) {
            uint64_t *end = &s->ends[s->item[i]];
            if (list_size(s, s->item[i]) > 0 && s->sets[*end - 1] == set) continue;
            s->sets[(*end)++] = (uint32_t)set;
        }
    /* Which items each node is a member of. */
    const lethe_published_items *items = &s->items;
    uint32_t n = items->tree->n;
    s->may_be = lethe_new(a, uint64_t, (size_t)n + 2);
    s->may_be_item = lethe_new(a, uint32_t, (size_t)items->first[items->n] + 1);
    if (!s->may_be || !s->may_be_item) return LETHE_ENOMEM;
    // counted two further on: while lists are filled in, each begins one further on
    for (uint64_t k = 0; k < items->first[items->n]; k++)
        s->may_be[items->node[k] + 2]++;
    for (uint32_t v = 1; v < n; v++)
        s->may_be[v + 1] += s->may_be[v];
    for (uint32_t i = 0; i < items->n; i++)
        for (uint64_t k = items->first[i]; k < items->first[i + 1]; k++)
            s->may_be_item[s->may_be[items->node[k] + 1]++] = i;
    s->with = lethe_new(a, uint64_t, (size_t)s->n_marks + 1);
    if (!s->with) return LETHE_ENOMEM;
    s->n_records = s->first ? s->first[s->n] : s->n;
    for (size_t set = 0; s->n_marks > 0 && set < s->n; set++)
        for (uint64_t i = s->mark_start[set]; i < s->mark_start[set + 1]; i++)
            s->with[s->mark[i]] += copies(s, set);
    return LETHE_OK;
}

lethe_err lethe_set_scratch_init(lethe_set_scratch *v, size_t n_sets, size_t n_nodes,
                                 size_t n_marks)
{
    v->stamp = lethe_alloc_zero(n_sets + 1, sizeof *v->stamp);
    v->below = lethe_alloc_zero(n_nodes + 1, sizeof *v->below);
    v->with = lethe_alloc_zero(n_marks + 1, sizeof *v->with);
    return v->stamp && v->below && v->with ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_set_scratch_free(lethe_set_scratch *v)
{
    lethe_free(v->stamp);
    lethe_free(v->below);
    lethe_free(v->with);
    lethe_buf_free(&v->found);
    lethe_buf_free(&v->clauses);
    *v = (lethe_set_scratch){0};
}

/* --- what is not there --- */

static uint32_t *found(const lethe_set_scratch *v) { return (uint32_t *)(void *)v->found.at; }
static size_t n_found(const lethe_set_scratch *v) { return v->found.n / sizeof(uint32_t); }

/* Counts the absent leaves below each node, or takes that back. */
static void below_count(const lethe_set_index *s, const lethe_known_items *k, lethe_set_scratch *v,
                        bool add)
{
    for (size_t i = 0; i < k->n_absent; i++)
        for (uint32_t u = k->absent[i]; u != LETHE_NONE; u = s->items.tree->parent[u])
            v->below[u] = add ? v->below[u] + 1 : 0;
}

/* Stamps the sets that have the item, if it can be nothing but what is not there. */
static lethe_err item_refute(const lethe_set_index *s, lethe_set_scratch *v, uint32_t item)
{
    const lethe_published_items *p = &s->items;
    for (uint64_t k = p->first[item]; k < p->first[item + 1]; k++)
        if (v->below[p->node[k]] < p->tree->leaves[p->node[k]]) return LETHE_OK;
    LETHE_TRY(lethe_buf_reserve(&v->found, (size_t)list_size(s, item) * sizeof(uint32_t)));
    for (uint64_t at = s->begins[item]; at < s->ends[item]; at++) {
        uint32_t set = s->sets[at];
        if (v->stamp[set] == v->refuted) continue;
        v->stamp[set] = v->refuted;
        found(v)[n_found(v)] = set;
        v->found.n += sizeof set;
    }
    return LETHE_OK;
}

/* Stamps all sets that are refuted; they are `found` then.  A node all of whose leaves are absent
 * is come to once, by way of its first child, of which the same is true. */
static lethe_err refute(const lethe_set_index *s, const lethe_known_items *k, lethe_set_scratch *v)
{
    const lethe_tree *t = s->items.tree;
    lethe_err e = LETHE_OK;
    v->found.n = 0;
    v->refuted = ++v->now;
    below_count(s, k, v, true);
    for (size_t i = 0; e == LETHE_OK && i < k->n_absent; i++) {
        uint32_t u = k->absent[i];
        while (e == LETHE_OK && u != LETHE_NONE && v->below[u] == t->leaves[u]) {
            for (uint64_t j = s->may_be[u]; e == LETHE_OK && j < s->may_be[u + 1]; j++)
                if (s->items.node[s->items.first[s->may_be_item[j]]] == u) // its first member
                    e = item_refute(s, v, s->may_be_item[j]);
            bool is_first = t->parent[u] != LETHE_NONE && lethe_tree_first(t, t->parent[u]) == u;
            u = is_first ? t->parent[u] : LETHE_NONE;
        }
    }
    below_count(s, k, v, false);
    return e;
}

/* --- what is there --- */

/* An item that is there, and how many sets show it; one that does so twice counts twice. */
struct clause {
    uint64_t size;
    uint32_t node;
};

static int rarest_first(const void *a, const void *b)
{
    const struct clause *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The sets that have the stamp `from` and show `node` get the next one, and are `found`.  With
 * `begin` all that are not refuted have it.  There is room. */
static void sift_lists(const lethe_set_index *s, lethe_set_scratch *v, uint32_t node, bool begin)
{
    uint32_t from = v->now++, *to = found(v), *stamp = v->stamp;
    size_t n = 0;
    for (uint32_t u = node; u != LETHE_NONE; u = s->items.tree->parent[u])
        for (uint64_t i = s->may_be[u]; i < s->may_be[u + 1]; i++) {
            uint32_t item = s->may_be_item[i];
            for (uint64_t at = s->begins[item]; at < s->ends[item]; at++) {
                uint32_t set = s->sets[at];
                // all stamps of this search are at or past `refuted`
                if (begin ? stamp[set] >= v->refuted : stamp[set] != from) continue;
                stamp[set] = v->now;
                to[n++] = set;
            }
        }
    v->found.n = n * sizeof *to;
}

/* The same, by looking at the sets that are left. */
static void sift_sets(const lethe_set_index *s, lethe_set_scratch *v, uint32_t node)
{
    const lethe_published_items *p = &s->items;
    uint32_t *to = found(v);
    size_t n = 0, all = n_found(v);
    v->now++;
    for (size_t i = 0; i < all; i++) {
        bool shows = false;
        for (uint64_t j = s->start[to[i]]; !shows && j < s->start[to[i] + 1]; j++)
            for (uint64_t k = p->first[s->item[j]]; !shows && k < p->first[s->item[j] + 1]; k++)
                shows = lethe_tree_covers(p->tree, p->node[k], node);
        if (!shows) continue;
        v->stamp[to[i]] = v->now;
        to[n++] = to[i];
    }
    v->found.n = n * sizeof *to;
}

/* --- the whole --- */

static bool is_known(const lethe_set_index *s, const lethe_known_items *k, uint32_t mark)
{
    for (size_t i = k->n_present; i-- > 0 && k->present[i] >= s->first_mark;)
        if (k->present[i] == s->first_mark + mark) return true;
    return false;
}

/* Counts the sets that were found; `take` them from all there are. */
static void count(const lethe_set_index *s, const lethe_known_items *k, lethe_set_scratch *v,
                  bool take, lethe_set_matches *out)
{
    uint64_t records = 0;
    for (uint32_t m = 0; m < s->n_marks; m++)
        v->with[m] = 0;
    for (size_t i = 0; i < n_found(v); i++) {
        uint32_t set = found(v)[i];
        uint64_t n = copies(s, set);
        records += n;
        for (uint64_t j = s->n_marks ? s->mark_start[set] : 0;
             s->n_marks && j < s->mark_start[set + 1]; j++)
            v->with[s->mark[j]] += n;
    }
    *out = (lethe_set_matches){take ? s->n_records - records : records, 0};
    for (uint32_t m = 0; m < s->n_marks; m++) {
        uint64_t with = take ? s->with[m] - v->with[m] : v->with[m];
        if (with > out->with && !is_known(s, k, m)) out->with = with;
    }
}

lethe_err lethe_set_search(const lethe_set_index *s, const lethe_known_items *k,
                           lethe_set_scratch *v, lethe_set_matches *out)
{
    assert(v->now < UINT32_MAX - 1 - k->n_present); // a stamp for each item that is there
    LETHE_TRY(refute(s, k, v));
    v->clauses.n = 0;
    for (size_t i = 0; i < k->n_present; i++) {
        struct clause c = {0, k->present[i]};
        for (uint32_t u = c.node; u != LETHE_NONE; u = s->items.tree->parent[u])
            for (uint64_t j = s->may_be[u]; j < s->may_be[u + 1]; j++)
                c.size += list_size(s, s->may_be_item[j]);
        if (c.size > 0) LETHE_TRY(lethe_buf_put(&v->clauses, &c, sizeof c));
    }
    size_t n = v->clauses.n / sizeof(struct clause);
    if (n > 1) qsort(v->clauses.at, n, sizeof(struct clause), rarest_first);
    v->all = v->clauses.n == 0;
    if (!v->all) {
        const struct clause *c = (const struct clause *)(const void *)v->clauses.at;
        // items are looked at one by one, and lie where they lie: twice as dear as a list
        uint64_t size = 2 * (s->start[s->n] / LETHE_MAX(s->n, 1) + 1);
        v->found.n = 0;
        LETHE_TRY(
            lethe_buf_reserve(&v->found, (size_t)LETHE_MIN(c[0].size, s->n) * sizeof(uint32_t)));
        sift_lists(s, v, c[0].node, true);
        for (size_t i = 1; i < n; i++) {
            if (n_found(v) < c[i].size / size)
                sift_sets(s, v, c[i].node);
            else
                sift_lists(s, v, c[i].node, false);
        }
        v->last = v->now;
    }
    count(s, k, v, v->all, out);
    return LETHE_OK;
}
