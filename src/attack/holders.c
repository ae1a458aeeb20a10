/* SPDX-License-Identifier: Apache-2.0 */
/* holders.c - see the header. */
#include "attack/holders.h"
#include <math.h>
#include <stdlib.h>

const char *const lethe_holders_strategies[LETHE_HOLDERS_STRATEGIES] = {"most", "idf", "bayes",
                                                                        "near"};

/* --- who holds what --- */

static size_t keys_at(const lethe_holder_sets *s, const uint32_t *item, const uint32_t **key)
{
    if (s->items) {
        *key = s->items->node + s->items->first[*item];
        return (size_t)lethe_item_size(s->items, *item);
    }
    *key = s->key ? &s->key[*item] : item;
    return **key != LETHE_NONE;
}

static uint32_t key_of(const lethe_holders *x, uint32_t term)
{
    return x->key_of ? x->key_of[term] : term;
}

static uint32_t above(const lethe_holders *x, uint32_t key)
{
    return x->tree ? x->tree->parent[key] : LETHE_NONE;
}

static uint64_t lines_of(const lethe_holders *x, uint32_t h)
{
    return x->first ? x->first[h + 1] - x->first[h] : 1;
}

/* The keys that are asked for, and all above them; with a reach all, which may be near to some. */
static bool *keys_wanted(const lethe_holders *x, const lethe_u32s *wanted, lethe_arena *a)
{
    bool *is = lethe_new(a, bool, (size_t)x->n_keys + 1);
    if (is && x->reach > 0) memset(is, true, x->n_keys);
    for (size_t i = 0; is && i < wanted->n; i++)
        for (uint32_t v = key_of(x, wanted->at[i]); v != LETHE_NONE && !is[v]; v = above(x, v))
            is[v] = true;
    return is;
}

/* Room for each wanted key's list: as many as there are times that it stands in a set. */
static lethe_err lists_open(lethe_holders *x, const lethe_holder_sets *s, const bool *wanted,
                            lethe_arena *a)
{
    uint64_t all = 0;
    const uint32_t *key;
    for (uint64_t i = 0; i < s->start[x->n]; i++)
        for (size_t n = keys_at(s, &s->item[i], &key); n > 0; n--, key++)
            x->end[*key] += wanted[*key];
    for (uint32_t k = 0; k < x->n_keys; k++) {
        x->start[k] = all;
        all += x->end[k];
        x->end[k] = x->start[k];
    }
    x->n_entries = all;
    x->holder = lethe_new(a, uint32_t, (size_t)all + 1);
    return x->holder ? LETHE_OK : LETHE_ENOMEM;
}

/* Who has each wanted key, and how many have it or something below it.  `stamp`: by key, the last
 * holder that was counted there, from 1. */
static void lists_fill(lethe_holders *x, const lethe_holder_sets *s, const bool *wanted,
                       uint32_t *stamp)
{
    const uint32_t *key;
    for (uint32_t h = 0; h < x->n; h++)
        for (uint64_t i = s->start[h]; i < s->start[h + 1]; i++)
            for (size_t n = keys_at(s, &s->item[i], &key); n > 0; n--, key++) {
                if (wanted[*key] && (x->end[*key] == x->start[*key] ||
                                     x->holder[x->end[*key] - 1] != h)) // each holder once
                    x->holder[x->end[*key]++] = h;
                for (uint32_t v = *key; v != LETHE_NONE && stamp[v] != h + 1; v = above(x, v)) {
                    stamp[v] = h + 1;
                    x->below[v] += lines_of(x, h);
                }
            }
}

/* How many different items each holder has; what the original lacks counts too. */
static void sizes_count(lethe_holders *x, const lethe_holder_sets *s, uint32_t *stamp)
{
    for (uint32_t h = 0; h < x->n; h++)
        for (uint64_t i = s->start[h]; i < s->start[h + 1]; i++) {
            x->size[h] += stamp[s->item[i]] != h + 1;
            stamp[s->item[i]] = h + 1;
        }
}

/* Which nodes a walk from a term to what is near it has to visit. */
static lethe_err shown_number(lethe_holders *x, lethe_arena *a)
{
    x->shown = lethe_new(a, uint32_t, (size_t)x->n_keys + 1);
    x->n_shown_before = lethe_new(a, uint32_t, (size_t)x->n_keys + 1);
    if (!x->shown || !x->n_shown_before) return LETHE_ENOMEM;
    uint32_t n = 0;
    for (uint32_t v = 0; v < x->n_keys; v++) {
        x->n_shown_before[v] = n;
        if (x->below[v] > 0) x->shown[n++] = v;
    }
    x->n_shown_before[x->n_keys] = n;
    return LETHE_OK;
}

lethe_err lethe_holders_make(lethe_holders *x, const lethe_holder_sets *s, const lethe_u32s *wanted,
                             lethe_arena *a)
{
    assert(x->n < LETHE_NONE && (x->tree || x->reach == 0));
    size_t keys = (size_t)x->n_keys + 1, n_stamps = LETHE_MAX(keys, (size_t)s->n_items + 1);
    bool *is = keys_wanted(x, wanted, a);
    x->start = lethe_new(a, uint64_t, keys);
    x->end = lethe_new(a, uint64_t, keys);
    x->below = lethe_new(a, uint64_t, keys);
    x->size = lethe_new(a, uint32_t, x->n + 1);
    uint32_t *stamp = lethe_alloc_zero(n_stamps, sizeof *stamp);
    lethe_err e =
        is && x->start && x->end && x->below && x->size && stamp ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) e = lists_open(x, s, is, a);
    if (e == LETHE_OK) {
        lists_fill(x, s, is, stamp);
        memset(stamp, 0, n_stamps * sizeof *stamp);
        sizes_count(x, s, stamp);
        if (x->reach > 0) e = shown_number(x, a);
    }
    lethe_free(stamp);
    return e;
}

/* --- one person --- */

struct score {
    double by[LETHE_HOLDERS_STRATEGIES];
};

/* A holder of the term at hand, and how likely it would show that term; or the entry of a list. */
struct shown {
    uint32_t holder;
    union {
        double chance;
        uint64_t entry;
    };
};

/* A node near the term at hand, and how near. */
struct near_node {
    uint32_t edges, node;
};

struct lethe_holder_search {
    size_t n, n_keys;
    struct score *score; /* by holder; `most` and `near` are 0 between persons */
    uint32_t *stamp;     /* by holder: the last term that it was met for */
    uint32_t *met;       /* holders with a score */
    struct shown *shown; /* of one term */
    struct near_node *near;
    double *worth;    /* by entry of a list: the most that a term is worth which goes there, */
    uint32_t *person; /* and the person of whom it is known, from 1 */
    uint32_t n_met, now, now_person;
};

lethe_holder_search *lethe_holder_search_new(lethe_arena *a, const lethe_holders *x, size_t n)
{
    lethe_holder_search *w = lethe_new(a, lethe_holder_search, 1);
    uint64_t n_entries = 0;
    if (!w) return NULL;
    for (size_t i = 0; i < n; i++) {
        w->n = LETHE_MAX(w->n, x[i].n);
        w->n_keys = LETHE_MAX(w->n_keys, x[i].n_keys);
        n_entries = LETHE_MAX(n_entries, x[i].n_entries);
    }
    w->score = lethe_new(a, struct score, w->n + 1);
    w->stamp = lethe_new(a, uint32_t, w->n + 1);
    w->met = lethe_new(a, uint32_t, w->n + 1);
    w->shown = lethe_new(a, struct shown, w->n + 1);
    w->near = lethe_new(a, struct near_node, w->n_keys + 1);
    w->worth = lethe_new(a, double, (size_t)n_entries + 1);
    w->person = lethe_new(a, uint32_t, (size_t)n_entries + 1);
    bool all = w->score && w->stamp && w->met && w->shown && w->near && w->worth && w->person;
    return all ? w : NULL;
}

/* Is the holder one to choose by this strategy: does it hold, or is it near to, a known term? */
static bool is_scored(const lethe_holder_search *w, uint32_t h, int strategy)
{
    return w->score[h]
               .by[strategy == LETHE_HOLDERS_NEAR ? LETHE_HOLDERS_NEAR : LETHE_HOLDERS_MOST] > 0;
}

/* A holder's first term, if it is. */
static void holder_meet(const lethe_holders *x, lethe_holder_search *w, uint32_t h)
{
    if (is_scored(w, h, LETHE_HOLDERS_MOST) || is_scored(w, h, LETHE_HOLDERS_NEAR)) return;
    w->met[w->n_met++] = h;
    w->score[h] = (struct score){0};
    w->score[h].by[LETHE_HOLDERS_IDF] = -log((double)x->size[h]) / 2;
}

/* Is the holder met for the first time with the term at hand?  It will not be again. */
static bool is_first(lethe_holder_search *w, uint32_t h)
{
    bool is = w->stamp[h] != w->now;
    w->stamp[h] = w->now;
    return is;
}

/* Adds what one term gives each of its holders.  Nodes are visited from the leaf upwards: the first
 * that shows a holder is the lowest of it. */
static void term_add(const lethe_holders *x, lethe_holder_search *w, uint32_t term)
{
    size_t n_shown = 0;
    double sum = 0;
    w->now++;
    for (uint32_t v = key_of(x, term); v != LETHE_NONE; v = above(x, v)) {
        if (x->start[v] == x->end[v]) continue;
        double idf = log((double)x->total / (double)x->below[v]),
               leaves = x->tree ? (double)x->tree->leaves[v] : 1;
        for (uint64_t i = x->start[v]; i < x->end[v]; i++) {
            uint32_t h = x->holder[i];
            if (!is_first(w, h)) continue;
            holder_meet(x, w, h);
            w->score[h].by[LETHE_HOLDERS_MOST]++;
            w->score[h].by[LETHE_HOLDERS_IDF] += idf;
            struct shown s = {.holder = h, .chance = 1 / ((double)x->size[h] * leaves)};
            sum += (double)lines_of(x, h) * s.chance;
            w->shown[n_shown++] = s;
        }
    }
    double mean = sum / (double)x->total;
    for (size_t i = 0; i < n_shown; i++)
        w->score[w->shown[i].holder].by[LETHE_HOLDERS_BAYES] += log1p(w->shown[i].chance / mean);
}

static int by_edges(const void *a, const void *b)
{
    const struct near_node *x = a, *y = b;
    if (x->edges != y->edges) return x->edges < y->edges ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The nodes with holders at or above `key`, and within reach of it, the nearest first; how many.
 * From each node above, those below it that are not below the one before. */
static size_t near_find(const lethe_holders *x, struct near_node *to, uint32_t key)
{
    size_t n = 0;
    for (uint32_t v = key, from = LETHE_NONE, up = 0; v != LETHE_NONE; up++) {
        if (x->start[v] < x->end[v]) to[n++] = (struct near_node){up, v};
        uint32_t at = up < x->reach ? x->n_shown_before[v + 1] : 0,
                 end = up < x->reach ? x->n_shown_before[x->tree->end[v]] : 0;
        while (at < end) {
            uint32_t u = x->shown[at], edges = up + x->tree->level[u] - x->tree->level[v];
            if (u != from && x->start[u] < x->end[u]) to[n++] = (struct near_node){edges, u};
            bool go_down = u != from && edges < x->reach;
            at = go_down ? at + 1 : x->n_shown_before[x->tree->end[u]];
        }
        from = v;
        v = above(x, v);
    }
    if (n > 1) qsort(to, n, sizeof *to, by_edges);
    return n;
}

/* A term goes to a node of a holder, the entry of a list: adds what it is worth more than those
 * that went there before. */
static void near_put(const lethe_holders *x, lethe_holder_search *w, uint64_t entry, double rarity)
{
    uint32_t h = x->holder[entry];
    double worth = log1p(rarity / sqrt((double)x->size[h]));
    holder_meet(x, w, h);
    if (w->person[entry] != w->now_person) w->worth[entry] = 0;
    w->person[entry] = w->now_person;
    if (worth <= w->worth[entry]) return;
    w->score[h].by[LETHE_HOLDERS_NEAR] += worth - w->worth[entry];
    w->worth[entry] = worth;
}

/* Adds what one term gives those that are near to it. */
static void near_add(const lethe_holders *x, lethe_holder_search *w, uint32_t term)
{
    uint32_t key = key_of(x, term);
    size_t n = key == LETHE_NONE ? 0 : near_find(x, w->near, key), n_shown = 0;
    uint64_t as_near = 0;
    w->now++;
    for (size_t i = 0, next; i < n; i = next) {
        size_t first = n_shown;
        for (next = i; next < n && w->near[next].edges == w->near[i].edges; next++) {
            uint32_t v = w->near[next].node;
            for (uint64_t k = x->start[v]; k < x->end[v]; k++) {
                if (!is_first(w, x->holder[k])) continue;
                as_near += lines_of(x, x->holder[k]);
                w->shown[n_shown++].entry = k;
            }
        }
        double rarity = (double)x->total / (100 * (double)as_near);
        for (size_t k = first; k < n_shown; k++)
            near_put(x, w, w->shown[k].entry, rarity);
    }
}

static lethe_holders_found candidates_count(const lethe_holders *x, const lethe_holder_search *w,
                                            const uint32_t *own, size_t n_own, int strategy)
{
    lethe_holders_found f = {0, 0};
    double best = -INFINITY;
    for (uint32_t i = 0; i < w->n_met; i++)
        if (is_scored(w, w->met[i], strategy)) best = fmax(best, w->score[w->met[i]].by[strategy]);
    best -= LETHE_HOLDERS_TIE;
    for (uint32_t i = 0; i < w->n_met; i++)
        if (is_scored(w, w->met[i], strategy) && w->score[w->met[i]].by[strategy] >= best)
            f.candidates += lines_of(x, w->met[i]);
    for (size_t i = 0; i < n_own; i++)
        f.own += is_scored(w, own[i], strategy) && w->score[own[i]].by[strategy] >= best;
    return f;
}

void lethe_holders_find(const lethe_holders *x, lethe_holder_search *w, const uint32_t *term,
                        size_t n, const uint32_t *own, size_t n_own,
                        lethe_holders_found out[LETHE_HOLDERS_STRATEGIES])
{
    assert(x->n <= w->n && x->n_keys <= w->n_keys && n < UINT32_MAX / 2);
    assert(w->now_person < UINT32_MAX);
    if (w->now > UINT32_MAX - 2 * n - 1) { // stamps must not come again
        memset(w->stamp, 0, w->n * sizeof *w->stamp);
        w->now = 0;
    }
    w->now_person++;
    for (size_t k = 0; k < n; k++) {
        term_add(x, w, term[k]);
        near_add(x, w, term[k]);
    }
    for (int s = 0; s < LETHE_HOLDERS_STRATEGIES; s++)
        out[s] = candidates_count(x, w, own, n_own, s);
    while (w->n_met > 0)
        w->score[w->met[--w->n_met]] = (struct score){0};
}
