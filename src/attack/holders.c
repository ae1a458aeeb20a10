/* SPDX-License-Identifier: Apache-2.0 */
/* holders.c - see the header. */
#include "attack/holders.h"
#include <math.h>

const char *const lethe_holders_strategies[LETHE_HOLDERS_STRATEGIES] = {"most", "idf", "bayes"};

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

/* The keys that are asked for, and all above them. */
static bool *keys_wanted(const lethe_holders *x, const lethe_u32s *wanted, lethe_arena *a)
{
    bool *is = lethe_new(a, bool, (size_t)x->n_keys + 1);
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

lethe_err lethe_holders_make(lethe_holders *x, const lethe_holder_sets *s, const lethe_u32s *wanted,
                             lethe_arena *a)
{
    assert(x->n < LETHE_NONE);
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
    }
    lethe_free(stamp);
    return e;
}

/* --- one person --- */

struct score {
    double by[LETHE_HOLDERS_STRATEGIES];
};

/* A holder of the term at hand, and how likely it would show that term. */
struct shown {
    uint32_t holder;
    double chance;
};

struct lethe_holder_search {
    size_t n;
    struct score *score; /* by holder; `most` is 0 between persons */
    uint32_t *stamp;     /* by holder: the last term that it was met for */
    uint32_t *met;       /* holders with a score */
    struct shown *shown; /* of one term */
    uint32_t n_met, now;
};

lethe_holder_search *lethe_holder_search_new(lethe_arena *a, size_t n)
{
    lethe_holder_search *w = lethe_new(a, lethe_holder_search, 1);
    if (!w) return NULL;
    w->n = n;
    w->score = lethe_new(a, struct score, n + 1);
    w->stamp = lethe_new(a, uint32_t, n + 1);
    w->met = lethe_new(a, uint32_t, n + 1);
    w->shown = lethe_new(a, struct shown, n + 1);
    return w->score && w->stamp && w->met && w->shown ? w : NULL;
}

/* A holder's first term. */
static void holder_meet(const lethe_holders *x, lethe_holder_search *w, uint32_t h)
{
    w->met[w->n_met++] = h;
    w->score[h] = (struct score){0};
    w->score[h].by[LETHE_HOLDERS_IDF] = -log((double)x->size[h]) / 2;
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
            if (w->stamp[h] == w->now) continue;
            w->stamp[h] = w->now;
            if (w->score[h].by[LETHE_HOLDERS_MOST] == 0) holder_meet(x, w, h);
            w->score[h].by[LETHE_HOLDERS_MOST]++;
            w->score[h].by[LETHE_HOLDERS_IDF] += idf;
            struct shown s = {h, 1 / ((double)x->size[h] * leaves)};
            sum += (double)lines_of(x, h) * s.chance;
            w->shown[n_shown++] = s;
        }
    }
    double mean = sum / (double)x->total;
    for (size_t i = 0; i < n_shown; i++)
        w->score[w->shown[i].holder].by[LETHE_HOLDERS_BAYES] += log1p(w->shown[i].chance / mean);
}

static lethe_holders_found candidates_count(const lethe_holders *x, const lethe_holder_search *w,
                                            const uint32_t *own, size_t n_own, int strategy)
{
    lethe_holders_found f = {0, 0};
    double best = -INFINITY;
    for (uint32_t i = 0; i < w->n_met; i++)
        best = fmax(best, w->score[w->met[i]].by[strategy]);
    for (uint32_t i = 0; i < w->n_met; i++)
        if (w->score[w->met[i]].by[strategy] >= best - LETHE_HOLDERS_TIE)
            f.candidates += lines_of(x, w->met[i]);
    for (size_t i = 0; i < n_own; i++)
        f.own += w->score[own[i]].by[LETHE_HOLDERS_MOST] > 0 &&
                 w->score[own[i]].by[strategy] >= best - LETHE_HOLDERS_TIE;
    return f;
}

void lethe_holders_find(const lethe_holders *x, lethe_holder_search *w, const uint32_t *term,
                        size_t n, const uint32_t *own, size_t n_own,
                        lethe_holders_found out[LETHE_HOLDERS_STRATEGIES])
{
    assert(x->n <= w->n && n < UINT32_MAX);
    if (w->now > UINT32_MAX - n - 1) { // stamps must not come again
        memset(w->stamp, 0, w->n * sizeof *w->stamp);
        w->now = 0;
    }
    for (size_t k = 0; k < n; k++)
        term_add(x, w, term[k]);
    for (int s = 0; s < LETHE_HOLDERS_STRATEGIES; s++)
        out[s] = candidates_count(x, w, own, n_own, s);
    while (w->n_met > 0)
        w->score[w->met[--w->n_met]].by[LETHE_HOLDERS_MOST] = 0;
}
