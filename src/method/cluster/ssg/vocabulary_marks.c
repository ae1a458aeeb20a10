/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_marks.c - what a class costs at least: by cells, rows and marks of its terms
 * (vocabulary_search.h). */
#include "method/cluster/ssg/vocabulary_internal.h"

enum { FAN = 8 }; /* what the distances of a fan cost besides, in marks */

/* Most weights of marks that are kept (32 MB); others are computed again. */
#define ROWS ((size_t)4 << 20)

/* --- marks --- */

/* Beyond the nearest, which are in the cache. */
lethe_err lethe_ssg_widen(lethe_ssg_search *s, uint32_t place)
{
    struct lethe_ssg_walk *w = &s->walk[place];
    size_t n = 0;
    const lethe_meaning_neighbour *around =
        lethe_ssg_neighbourhoods_of(s->neighbours, s->list[place], &n);
    w->whole = true;
    w->n = n;
    w->around = around;
    if (s->neighbours->around[s->neighbours->slot[s->list[place]]] == around) return LETHE_OK;
    if (n > w->room) {
        lethe_meaning_neighbour *own = lethe_realloc(w->own, n, sizeof *own);
        if (!own) return LETHE_ENOMEM;
        w->own = own;
        w->room = n;
    }
    memcpy(w->own, around, n * sizeof *around); // a view until the next call
    w->around = w->own;
    return LETHE_OK;
}

static void mark_neighbourhood(lethe_ssg_search *s, const struct lethe_ssg_walk *w, uint64_t bits,
                               uint64_t radius)
{
    for (size_t i = 0; i < w->n && w->around[i].distance <= radius; i++) {
        struct lethe_ssg_mark *m = &s->mark[s->neighbours->slot[w->around[i].term]];
        if (m->number != s->number)
            *m = (struct lethe_ssg_mark){s->number, s->lazy ? LETHE_SSG_PENDING : LETHE_NONE,
                                         w->around[i].distance, 0};
        else if (s->lazy && m->row != LETHE_SSG_PENDING)
            continue; // was made on demand
        m->terms |= bits;
        m->distance = LETHE_MIN(m->distance, w->around[i].distance);
    }
}

/* Marks the terms relevant to the query.  If the best so far leaves as many terms unmatched as this
 * level, only those no farther than its weight: what is not evaluated yet leaves at least as many
 * (fewer have been examined), and must weigh no more to win. */
lethe_err lethe_ssg_mark_query(lethe_ssg_search *s)
{
    bool even = s->omega.kind == LETHE_ASSIGN_OMEGA_OVER && s->best.price.unmatched == s->level;
    uint64_t radius = even ? s->best.price.weight : UINT64_MAX;
    for (uint32_t i = 0, end; i < s->q->n; i = end) {
        struct lethe_ssg_walk *w = &s->walk[i];
        uint64_t bits = 0;
        for (end = i; end < s->q->n && s->list[end] == s->list[i]; end++)
            bits |= s->at[end] < LETHE_SSG_MARKED ? UINT64_C(1) << s->at[end] : 0;
        if (!w->whole && w->around[w->n - 1].distance <= radius) LETHE_TRY(lethe_ssg_widen(s, i));
        mark_neighbourhood(s, w, bits, radius);
    }
    s->marked = s->complete = true;
    return LETHE_OK;
}

/* Room for the weights of one more slot; LETHE_NONE: there is none, which is only slower. */
static uint32_t new_row(lethe_ssg_search *s)
{
    size_t n = s->q->n, end = (s->n_row + 1) * n;
    if (n > LETHE_SSG_MARKED || end > ROWS) return LETHE_NONE;
    if (end > s->room_row) {
        size_t room = LETHE_MIN(end + s->room_row + 1024, ROWS);
        uint64_t *row = lethe_realloc(s->row, room, sizeof *row);
        if (!row) return LETHE_NONE;
        s->row = row;
        s->room_row = room;
    }
    return (uint32_t)s->n_row++;
}

/* The fan of the query: its terms, of a group all members of its hyper-terms. */
lethe_err lethe_ssg_set_fan(lethe_ssg_search *s)
{
    const lethe_hyper *h = s->q->hyper;
    size_t n = !h ? s->q->n : h->n ? h->start[h->n] : 0;
    if (n > s->room_fan) {
        lethe_free(s->fan_term);
        lethe_free(s->fan_distance);
        s->room_fan = 0;
        s->fan_term = lethe_alloc(2 * n, sizeof *s->fan_term);
        s->fan_distance = lethe_alloc(2 * n, sizeof *s->fan_distance);
        if (!s->fan_term || !s->fan_distance) return LETHE_ENOMEM;
        s->room_fan = 2 * n;
    }
    for (size_t i = 0; i < n; i++)
        s->fan_term[i] = h ? h->voter[i].term : s->q->term[i];
    return lethe_meaning_fan_set(s->work->how->meaning, &s->fan, s->fan_term, n);
}

/* weight_of, from the distances of the fan. */
static uint64_t weight_in_fan(const lethe_ssg_search *s, uint32_t i_query)
{
    const lethe_hyper *h = s->q->hyper;
    const uint32_t *d = s->fan_distance;
    uint64_t sum = 0;
    if (!h) return d[i_query] == LETHE_NONE ? UINT64_MAX : d[i_query];
    for (uint32_t k = h->start[i_query]; k < h->start[i_query + 1]; k++) {
        if (d[k] == LETHE_NONE) return UINT64_MAX;
        sum += (uint64_t)d[k] * h->voter[k].count;
    }
    return sum;
}

/* A mark with its weights; `terms`: what can be relevant of the query's first 64 terms. */
static void make_mark(lethe_ssg_search *s, struct lethe_ssg_mark *m, uint32_t term, uint64_t terms)
{
    uint32_t n = (uint32_t)s->q->n;
    *m = (struct lethe_ssg_mark){s->number, new_row(s), UINT64_MAX, 0};
    lethe_meaning_fan_distances(s->work->how->meaning, &s->fan, term, s->fan_distance);
    s->tried += s->fan.n + FAN;
    for (uint32_t i = 0; i < n; i++) {
        if (i < LETHE_SSG_MARKED && !(terms >> i & 1)) continue; // no bit: its weight is not read
        uint64_t weight = weight_in_fan(s, i);
        if (m->row != LETHE_NONE) s->row[(size_t)m->row * n + i] = weight;
        if (weight == UINT64_MAX) continue;
        m->distance = LETHE_MIN(m->distance, weight);
        if (i < LETHE_SSG_MARKED) m->terms |= UINT64_C(1) << i;
    }
}

static bool has_bit(const uint64_t *row, uint32_t slot) { return row[slot / 64] >> slot % 64 & 1; }

uint64_t lethe_ssg_sum_least(uint64_t *at, size_t all, size_t n)
{
    uint64_t sum = 0;
    for (size_t left = all; left > n; left--) { // the greatest goes to the end
        size_t most = 0;
        for (size_t i = 1; i < left; i++)
            if (at[i] > at[most]) most = i;
        at[most] = at[left - 1];
    }
    for (size_t i = 0; i < n; i++)
        sum += at[i];
    return sum;
}

/* --- the least cost of a class --- */

/* By marks.  No more of its terms are matched than are relevant to a
 * term of the query, m of them, nor than terms of the query are relevant to one of its own; and
 * each matched term costs at least the distance to its nearest, so all together at least the sum of
 * the m least of these.  With a given omega a pair is only matched if it costs no more than leaving
 * both: then the m that save the most save no less than any matching does.  (With fewer pairs than
 * m, OVER leaves more unmatched, which costs more than any weight.) */
lethe_assign_cost lethe_ssg_least_by_marks(lethe_ssg_search *s, const struct lethe_ssg_class *c)
{
    uint64_t near[LETHE_SSG_MARKED], terms = 0;
    uint32_t n_near = 0, n = (uint32_t)s->q->n;
    uint64_t cap = s->omega.kind == LETHE_ASSIGN_OMEGA_IS ? 2 * s->omega.value : UINT64_MAX - 1;
    for (uint32_t k = 0; k < c->size; k++) {
        struct lethe_ssg_mark *m = &s->mark[s->slot[c->at + k]];
        bool known = m->number == s->number;
        if (!known && s->complete) continue;
        if (s->has_rows && !has_bit(s->relevant, s->slot[c->at + k])) continue;
        if (!known || m->row == LETHE_SSG_PENDING)
            make_mark(s, m, s->term[c->at + k], known ? m->terms : UINT64_MAX);
        if (m->distance > cap) continue;
        if (n_near < LETHE_SSG_MARKED) near[n_near] = m->distance;
        n_near++;
        terms |= m->terms;
    }
    uint32_t of_query = n <= LETHE_SSG_MARKED ? (uint32_t)__builtin_popcountll(terms) : n;
    uint32_t matched = LETHE_MIN(n_near, of_query);
    uint64_t weight = n_near <= LETHE_SSG_MARKED ? lethe_ssg_sum_least(near, n_near, matched) : 0;
    return lethe_ssg_least_price(s, (uint64_t)n + c->size - 2 * (uint64_t)matched, weight);
}

/* The least cost of a class of that size by cells: no more terms of the query are matched than have
 * a cell of its neighbourhood in common with the class. */
lethe_assign_cost lethe_ssg_least_by_cells(const lethe_ssg_search *s, uint64_t cells, uint32_t size)
{
    uint64_t n = s->q->n, matched = 0;
    for (size_t i = 0; i < n; i++)
        matched += (s->cells[i] & cells) != 0;
    return lethe_ssg_least_price(s, n + size - 2 * LETHE_MIN(matched, size), 0);
}

lethe_assign_cost lethe_ssg_least_by_fine(const lethe_ssg_search *s,
                                          const struct lethe_ssg_class *c)
{
    uint64_t n = s->q->n, matched = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t common = 0;
        for (size_t k = 0; k < LETHE_SSG_FINE; k++)
            common |= s->fine[i * LETHE_SSG_FINE + k] & c->fine[k];
        matched += common != 0;
    }
    return lethe_ssg_least_price(s, n + c->size - 2 * LETHE_MIN(matched, c->size), 0);
}

/* The least cost of a class by rows: no more of its terms are matched than are in the neighbourhood
 * of a term of the query, nor than terms of the query have one in theirs. */
lethe_assign_cost lethe_ssg_least_by_rows(const lethe_ssg_search *s,
                                          const struct lethe_ssg_class *c)
{
    uint32_t near[LETHE_SSG_MARKED] = {0}, n_near = 0, n = (uint32_t)s->q->n, of_query = 0;
    if (!s->has_rows || c->size > LETHE_SSG_MARKED) return (lethe_assign_cost){0, 0};
    for (uint32_t k = 0; k < c->size; k++) { // without a branch
        near[n_near] = s->slot[c->at + k];
        n_near += has_bit(s->relevant, near[n_near]);
    }
    for (uint32_t i = 0; i < n && of_query < n_near; i++) {
        uint32_t k = 0;
        while (k < n_near && !has_bit(s->row_at[i], near[k]))
            k++;
        of_query += k < n_near;
    }
    return lethe_ssg_least_price(s, (uint64_t)n + c->size - 2 * (uint64_t)of_query, 0);
}
