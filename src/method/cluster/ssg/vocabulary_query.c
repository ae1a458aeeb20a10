/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_query.c - a query, before anything is searched for it: its terms by how much is near
 * them, and what is known of these. */
#include "method/cluster/ssg/vocabulary_internal.h"
#include "core/sort.h"
#include <stdlib.h>

static lethe_err begin_walk(lethe_ssg_search *s, uint32_t place)
{
    struct lethe_ssg_walk *w = &s->walk[place];
    uint32_t slot = s->neighbours->slot[s->list[place]];
    w->around = s->neighbours->around[slot];
    w->n = s->neighbours->n_kept[slot];
    w->whole = w->n == s->neighbours->n[slot];
    return w->around ? LETHE_OK : lethe_ssg_widen(s, place);
}

/* Of a group: the distances of the members of each hyper-term to the one that the query has, and
 * the weighted median of these. */
static lethe_err measure_spread(lethe_ssg_search *s)
{
    const lethe_hyper *h = s->q->hyper;
    if (!h || h->n == 0) return LETHE_OK;
    if (h->start[h->n] > s->room_spread) {
        size_t room = 2 * (size_t)h->start[h->n];
        lethe_free(s->spread);
        lethe_free(s->spread_sorted);
        s->room_spread = 0;
        s->spread = lethe_alloc(room, sizeof *s->spread);
        s->spread_sorted = lethe_alloc(room, sizeof *s->spread_sorted);
        if (!s->spread || !s->spread_sorted) return LETHE_ENOMEM;
        s->room_spread = room;
    }
    for (size_t place = 0; place < s->q->n; place++) {
        uint32_t i = s->at[place], first = h->start[i], n = h->start[i + 1] - first;
        uint64_t below = 0, *sorted = s->spread_sorted;
        for (uint32_t k = 0; k < n; k++) {
            const lethe_hyper_voter *v = &h->voter[first + k];
            s->spread[first + k] = lethe_hyper_term_distance(&s->work[0], v->term, s->list[place]);
            sorted[k] = (uint64_t)s->spread[first + k] << 32 | v->count;
        }
        if (n > 1) qsort(sorted, n, sizeof *sorted, lethe_u64_cmp);
        for (uint32_t k = 0; k < n && 2 * below < h->n_records; k++) {
            s->middle[place] = (uint32_t)(sorted[k] >> 32);
            below += (uint32_t)sorted[k];
        }
    }
    return LETHE_OK;
}

static uint64_t reach_of(lethe_ssg_search *s, uint32_t term)
{
    uint64_t *reach = &s->reach[s->neighbours->slot[term]];
    if (*reach > 0) return *reach;
    size_t n = 0;
    const lethe_meaning_neighbour *around = lethe_ssg_neighbourhoods_of(s->neighbours, term, &n);
    uint64_t sum = 1, *row = NULL;
    if (s->room_near > 0) row = lethe_alloc_zero(s->n_words, sizeof *row); // NULL is only slower
    if (row) s->room_near--;
    s->near[s->neighbours->slot[term]] = row;
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = s->neighbours->slot[around[i].term];
        sum += s->n_postings[slot];
        if (row) row[slot / 64] |= UINT64_C(1) << slot % 64;
        s->cells_near[s->neighbours->slot[term]] |= lethe_ssg_cell(s, slot);
        lethe_ssg_put_fine(s, s->fine_near + (size_t)s->neighbours->slot[term] * LETHE_SSG_FINE,
                           slot);
    }
    return *reach = sum;
}

/* Terms by the number of classes to examine for them.  This order is for speed only. */
static lethe_err order_lists(lethe_ssg_search *s)
{
    size_t n = s->q->n, n_distinct = 0;
    struct {
        uint64_t reach;
        uint32_t first, copies;
    } *key = lethe_alloc(n, sizeof *key), x;
    if (!key) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) // each term with its place in the query
        s->least[i] = (uint64_t)s->q->term[i] << 32 | i;
    if (n > 1) qsort(s->least, n, sizeof *s->least, lethe_u64_cmp);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && s->sorted[i] == s->sorted[i - 1]) {
            key[n_distinct - 1].copies++;
            continue;
        }
        uint32_t term = (uint32_t)(s->least[i] >> 32);
        key[n_distinct].reach = reach_of(s, term);
        uint32_t slot = s->neighbours->slot[term], all = s->neighbours->n[slot];
        s->dear += s->neighbours->n_kept[slot] == all ? all : (uint64_t)LETHE_SSG_WIDEN * all;
        key[n_distinct].first = i;
        key[n_distinct++].copies = 1;
    }
    if (n_distinct <= 64) {
        for (size_t i = 1; i < n_distinct; i++) {
            size_t k = i;
            for (x = key[i]; k > 0 && key[k - 1].reach > x.reach; k--)
                key[k] = key[k - 1];
            key[k] = x;
        }
    } else {
        qsort(key, n_distinct, sizeof *key, lethe_u64_cmp); // reach is its first member
    }
    for (uint32_t i = 0, k = 0; i < n_distinct; i++)
        for (uint32_t copy = 0, first = k; copy < key[i].copies; copy++, k++) {
            s->list[k] = (uint32_t)(s->least[key[i].first + copy] >> 32);
            s->at[k] = (uint32_t)s->least[key[i].first + copy];
            s->same[k] = first;
            size_t slot = s->neighbours->slot[s->list[k]];
            s->cells[k] = s->cells_near[slot];
            s->row_at[k] = s->near[slot];
            memcpy(s->fine + (size_t)k * LETHE_SSG_FINE, s->fine_near + slot * LETHE_SSG_FINE,
                   LETHE_SSG_FINE * sizeof *s->fine);
        }
    lethe_free(key);
    return LETHE_OK;
}

static void join_rows(lethe_ssg_search *s)
{
    s->has_rows = true;
    memset(s->relevant, 0, s->n_words * sizeof *s->relevant);
    for (size_t k = 0; k < s->q->n && s->has_rows; k++) {
        s->has_rows = s->row_at[k] != NULL;
        if (s->same[k] != k || !s->has_rows) continue;
        for (size_t i = 0; i < s->n_words; i++)
            s->relevant[i] |= s->row_at[k][i];
    }
}

/* What scanning needs to know about the query, once there is a first best. */
lethe_err lethe_ssg_prepare(lethe_ssg_search *s)
{
    size_t levels = s->best.price.unmatched + 1;
    LETHE_TRY(order_lists(s));
    join_rows(s);
    for (uint32_t i = 0; i < s->q->n; i++)
        if (s->same[i] == i) LETHE_TRY(begin_walk(s, i));
    LETHE_TRY(measure_spread(s));
    if (levels > s->room_deferred) {
        lethe_free(s->deferred);
        s->room_deferred = 0;
        s->deferred = lethe_alloc(2 * levels, sizeof *s->deferred);
        if (!s->deferred) return LETHE_ENOMEM;
        s->room_deferred = 2 * levels;
    }
    for (size_t i = 0; i < levels; i++)
        s->deferred[i] = SIZE_MAX;
    s->marked = s->lazy;
    return s->lazy ? lethe_ssg_set_fan(s) : LETHE_OK;
}

static lethe_err reserve_query(lethe_ssg_search *s, size_t n)
{
    for (size_t i = 0; s->walk && i < s->room; i++)
        lethe_free(s->walk[i].own);
    void *const old[] = {s->sorted, s->list,  s->at,   s->same, s->middle,
                         s->cells,  s->least, s->walk, s->fine};
    for (size_t i = 0; i < LETHE_COUNT(old); i++)
        lethe_free(old[i]);
    s->room = 0;
    s->sorted = lethe_alloc(n, sizeof *s->sorted);
    s->list = lethe_alloc(n, sizeof *s->list);
    s->at = lethe_alloc(n, sizeof *s->at);
    s->same = lethe_alloc(n, sizeof *s->same);
    s->middle = lethe_alloc(n, sizeof *s->middle);
    s->cells = lethe_alloc(n, sizeof *s->cells);
    s->least = lethe_alloc(n, sizeof *s->least);
    s->fine = lethe_alloc(n, LETHE_SSG_FINE * sizeof *s->fine);
    lethe_free(s->row_at);
    s->row_at = lethe_alloc(n, sizeof *s->row_at);
    s->walk = lethe_alloc_zero(n, sizeof *s->walk);
    bool ok = s->sorted && s->list && s->at && s->same && s->middle && s->cells && s->least &&
              s->walk && s->fine && s->row_at;
    if (ok) s->room = n;
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

lethe_err lethe_ssg_set_query(lethe_ssg_search *s, const lethe_ssg_query *q)
{
    if (q->n > s->room || !s->sorted) LETHE_TRY(reserve_query(s, q->n + 16));
    if (q->n > 0) memcpy(s->sorted, q->term, q->n * sizeof *s->sorted);
    lethe_sort_u32(s->sorted, q->n);
    s->q = q;
    s->cap_batch = LETHE_SSG_BATCH_FIRST;
    s->n_batch = s->n_later = s->n_rings = s->n_row = 0;
    s->level = s->spent = s->tried = s->dear = s->pairs = 0;
    s->floor = (lethe_assign_cost){0, 0};
    s->marked = s->complete = s->has_rows = false;
    s->lazy = q->n <= 4096 &&
              lethe_meaning_is_quick(s->work->how->meaning); // long ones by neighbourhoods
    s->best = (struct lethe_ssg_found){
        .class = LETHE_NONE, .candidate = LETHE_NONE, .price = LETHE_ASSIGN_COST_ANY};
    if (++s->number == LETHE_SSG_GONE) { // all numbers were used
        for (uint32_t i = 0; i < s->n_classes; i++)
            if (s->seen[i] != LETHE_SSG_GONE) s->seen[i] = 0;
        for (uint32_t i = 0; i < s->neighbours->n_slots; i++)
            s->mark[i].number = 0;
        s->number = 1;
    }
    return LETHE_OK;
}
