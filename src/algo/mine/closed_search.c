/* SPDX-License-Identifier: Apache-2.0 */
/* closed_search.c - closed sets from closed sets: prefix-preserving closure extension.
 *
 * Uno et al. 2004.  A closed set P that came by rank c (its core) is extended by each rank e > c
 * not in P: Q is the closure of P and e, and Q is taken if it has no rank before e that P lacks. So
 * each closed set but the closure of nothing has one parent, and is met once.  Where the ranks
 * after e are in the transactions of Q is found for all of them in one pass over those (occurrence
 * deliver). Ranks are extended by from the last to the first: a set then writes only to buckets of
 * ranks that its parent is done with, and one bucket a rank, as large as the rank is frequent, will
 * do for the whole way down. */
#include "algo/mine/closed_internal.h"
#include "core/sort.h"

enum { TIDY = 1 << 14, LOOKS = 1 << 10 };

/* An open set: what it added to the one before it, and where its candidates begin. */
struct closed_frame {
    size_t waiting;
    uint64_t serial;
    uint32_t core, n_before;
};

static lethe_err numbers_reserve(closed_numbers *v, size_t more)
{
    if (v->cap - v->n >= more) return LETHE_OK;
    size_t cap = v->n + more + v->n / 2 + 64;
    uint32_t *at = lethe_realloc(v->at, cap, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    v->at = at;
    v->cap = cap;
    return LETHE_OK;
}

lethe_err lethe_closed_miner(const closed_base *b, closed_bar *bar, uint32_t longest,
                             closed_miner *m)
{
    size_t n = (size_t)b->n_ranks + 1;
    *m = (closed_miner){.base = b, .bar = bar, .longest = longest, .tidy_at = TIDY};
    m->bucket = lethe_alloc(b->start[b->n] + 1, sizeof *m->bucket);
    m->beside = lethe_alloc_zero(n, sizeof *m->beside);
    m->met = lethe_alloc(n, sizeof *m->met);
    m->cell = lethe_alloc_zero(n, sizeof *m->cell);
    m->refusal = lethe_alloc(n, sizeof *m->refusal);
    m->in = lethe_alloc_zero(n, sizeof *m->in);
    m->set = lethe_alloc(n, sizeof *m->set);
    if (!m->bucket || !m->beside || !m->met || !m->cell || !m->refusal || !m->in || !m->set)
        return LETHE_ENOMEM;
    for (uint32_t r = 0; r < b->n_ranks; r++)
        m->refusal[r] = (closed_refusal){.by = LETHE_NONE};
    // the closure of nothing: what is in all transactions
    for (uint32_t r = b->n_ranks; r-- > 0 && b->support[r] == b->total;) {
        m->set[m->n_set++] = r;
        m->in[r] = true;
    }
    return LETHE_OK;
}

void lethe_closed_miner_free(closed_miner *m)
{
    lethe_free(m->bucket);
    lethe_free(m->rows.place);
    lethe_free(m->rows.start);
    lethe_free(m->rows.weight);
    lethe_free(m->rows.rank);
    lethe_free(m->rows.before);
    lethe_free(m->beside);
    lethe_free(m->met);
    lethe_free(m->cell);
    lethe_free(m->refusal);
    lethe_free(m->in);
    lethe_free(m->set);
    lethe_free(m->waiting.at);
    lethe_free(m->frame);
    lethe_free(m->store.at);
    *m = (closed_miner){0};
}

/* --- what is found --- */

static lethe_err set_found(closed_miner *m, uint32_t support)
{
    size_t size = 2 + (size_t)m->n_set;
    if (m->store.n + size > m->tidy_at) { // sets that are no longer frequent enough leave
        uint32_t least = closed_least(m->bar), *at = m->store.at;
        size_t kept = 0, n;
        for (size_t i = 0; i < m->store.n; i += n) {
            n = 2 + (size_t)at[i + 1];
            if (at[i] < least) continue;
            memmove(at + kept, at + i, n * sizeof *at);
            kept += n;
        }
        m->store.n = kept;
        m->tidy_at = LETHE_MAX(2 * kept, TIDY);
    }
    LETHE_TRY(numbers_reserve(&m->store, size));
    m->store.at[m->store.n] = support;
    m->store.at[m->store.n + 1] = m->n_set;
    memcpy(m->store.at + m->store.n + 2, m->set, m->n_set * sizeof *m->set);
    m->store.n += size;
    lethe_closed_found(m->bar, support);
    return LETHE_OK;
}

static bool too_long(const closed_miner *m) { return m->longest > 0 && m->n_set > m->longest; }

lethe_err lethe_closed_root(closed_miner *m)
{
    if (m->n_set == 0 || too_long(m)) return LETHE_OK;
    return set_found(m, m->base->total);
}

/* --- the transactions of one rank --- */

static lethe_err rows_reserve(closed_rows *w, size_t n, size_t items)
{
    if (n > w->cap) {
        closed_place *place = lethe_realloc(w->place, n, sizeof *place);
        if (place) w->place = place;
        uint64_t *start = lethe_realloc(w->start, n + 1, sizeof *start);
        if (start) w->start = start;
        uint32_t *weight = lethe_realloc(w->weight, n, sizeof *weight);
        if (weight) w->weight = weight;
        if (!place || !start || !weight) return LETHE_ENOMEM;
        w->cap = n;
    }
    if (items > w->cap_items) {
        uint32_t *rank = lethe_realloc(w->rank, items, sizeof *rank);
        if (rank) w->rank = rank;
        closed_bits *before = lethe_realloc(w->before, items, sizeof *before);
        if (before) w->before = before;
        if (!rank || !before) return LETHE_ENOMEM;
        w->cap_items = items;
    }
    return LETHE_OK;
}

/* m->beside of all ranks that are in a transaction with `rank`; *items is how many there are in
 * these.  Returns how many of m->met there are. */
static uint32_t beside_count(closed_miner *m, uint32_t rank, size_t *items)
{
    const closed_base *b = m->base;
    uint32_t n_met = 0;
    *items = 0;
    for (uint64_t i = b->first[rank]; i < b->first[rank + 1]; i++) {
        uint32_t t = b->place[i].transaction;
        for (uint64_t k = b->start[t]; k < b->start[t + 1]; k++) {
            uint32_t r = b->rank[k];
            if (m->beside[r] == 0) m->met[n_met++] = r;
            m->beside[r] += b->weight[t];
        }
        *items += (size_t)(b->start[t + 1] - b->start[t]);
    }
    return n_met;
}

/* m->rows of a rank that has `least` or more.  That is not asked for here: the bar may have risen
 * above the rank itself since. */
static lethe_err rows_make(closed_miner *m, uint32_t rank, uint32_t least)
{
    const closed_base *b = m->base;
    closed_rows *w = &m->rows;
    size_t items, used = 0;
    uint32_t n_met = beside_count(m, rank, &items);
    lethe_err e = rows_reserve(w, (size_t)(b->first[rank + 1] - b->first[rank]), items);
    w->n = 0;
    for (uint64_t i = b->first[rank]; e == LETHE_OK && i < b->first[rank + 1]; i++) {
        uint32_t t = b->place[i].transaction;
        closed_bits bits = {{0, 0}};
        w->start[w->n] = used;
        for (uint64_t k = b->start[t]; k < b->start[t + 1]; k++) {
            uint32_t r = b->rank[k];
            if (m->in[r] || m->beside[r] < least) continue;
            if (r == rank)
                w->place[w->n] = (closed_place){w->n, (uint32_t)(used - w->start[w->n]) + 1};
            w->before[used] = bits;
            w->rank[used++] = r;
            bits = closed_bits_or(bits, closed_bits_of(r));
        }
        w->weight[w->n++] = b->weight[t];
        w->start[w->n] = used;
    }
    while (n_met > 0)
        m->beside[m->met[--n_met]] = 0;
    return e;
}

/* --- extension --- */

/* Is the rank among these, ascending?  Every step is taken either way: which, nobody can foretell.
 */
static bool holds(const uint32_t *ranks, uint32_t n, uint32_t rank)
{
    if (n == 0) return false;
    while (n > 1) {
        uint32_t half = n / 2;
        ranks += ranks[half - 1] < rank ? half : 0;
        n -= half;
    }
    return *ranks == rank;
}

/* Places, of one rank, in transactions. */
typedef struct occurrences {
    const uint32_t *rank;
    const uint64_t *start;
    const closed_place *place;
    uint32_t n;
    closed_bits common; /* of what comes before in all of them */
} occurrences;

/* Is the rank in all the transactions before the places? */
static bool is_before_all(const occurrences *o, uint32_t rank)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (!holds(o->rank + o->start[o->place[i].transaction], o->place[i].after - 1, rank))
            return false;
    return true;
}

/* A rank that all the places, of one rank, have before it and the set lacks; LETHE_NONE: there is
 * none.  It would be in the transaction with the fewest before it, and its bits would be common to
 * all.  Those are tried, the most frequent first: where there is one it is found soon, where not,
 * the bits leave few, and a few transactions mostly tell. */
static uint32_t earlier_of(const closed_miner *m, const occurrences *o)
{
    const closed_place *best = o->place;
    for (uint32_t i = 1; i < o->n; i++)
        if (o->place[i].after < best->after) best = &o->place[i];
    const uint32_t *ranks = o->rank + o->start[best->transaction];
    for (uint32_t left = best->after - 1; left > 0; left--) {
        uint32_t r = ranks[left - 1];
        if (closed_bits_hold(o->common, r) && !m->in[r] && is_before_all(o, r)) return r;
    }
    return LETHE_NONE;
}

static uint64_t serial_of(const closed_miner *m, uint32_t n_frames)
{
    return n_frames > 0 ? m->frame[n_frames - 1].serial : 0;
}

/* Was the open set, or one that it comes of, refused the rank by one that it still lacks? */
static bool was_refused(const closed_miner *m, uint32_t rank)
{
    closed_refusal r = m->refusal[rank];
    return r.by != LETHE_NONE && !m->in[r.by] && r.n_frames <= m->n_frames &&
           serial_of(m, r.n_frames) == r.serial;
}

/* Must the open set not be extended by the rank, which is at these places? */
static bool is_refused(closed_miner *m, uint32_t rank, const occurrences *o)
{
    if (was_refused(m, rank)) return true;
    uint32_t by = earlier_of(m, o), n_frames = (uint32_t)m->n_frames;
    if (by == LETHE_NONE) return false;
    m->refusal[rank] = (closed_refusal){by, n_frames, serial_of(m, n_frames)};
    return true;
}

static void candidate_drop(closed_miner *m, uint32_t rank) { m->cell[rank] = (closed_cell){0}; }

/* Occurrence deliver: buckets and supports of all ranks after that of the places; those met wait.
 */
static void deliver(closed_miner *m, const closed_place *place, uint32_t n)
{
    const closed_rows *b = &m->rows;
    const uint64_t *first = m->base->first;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = place[i].transaction, weight = b->weight[t];
        const uint32_t *ranks = b->rank + b->start[t];
        uint32_t size = (uint32_t)(b->start[t + 1] - b->start[t]);
        if (place[i].after == size) continue;
        closed_bits bits = b->before[b->start[t] + place[i].after];
        for (uint32_t k = place[i].after; k < size; k++) {
            uint32_t r = ranks[k];
            closed_cell *c = &m->cell[r];
            if (c->n_places == 0) {
                m->waiting.at[m->waiting.n++] = r;
                c->common = bits;
            }
            m->bucket[first[r] + c->n_places++] = (closed_place){t, k + 1};
            c->common = closed_bits_and(c->common, bits);
            c->sum += weight;
            bits = closed_bits_or(bits, closed_bits_of(r));
        }
    }
}

/* The set extended by `rank`, which is at these places and not refused, becomes the open one. */
static lethe_err set_open(closed_miner *m, uint32_t rank, const closed_place *place, uint32_t n,
                          uint32_t support)
{
    if (m->n_frames == m->cap_frames) {
        size_t cap = 2 * m->cap_frames + 16;
        closed_frame *frame = lethe_realloc(m->frame, cap, sizeof *frame);
        if (!frame) return LETHE_ENOMEM;
        m->frame = frame;
        m->cap_frames = cap;
    }
    LETHE_TRY(numbers_reserve(&m->waiting, m->base->n_ranks - rank));
    size_t from = m->waiting.n;
    m->frame[m->n_frames++] =
        (closed_frame){.waiting = from, .serial = ++m->serial, .core = rank, .n_before = m->n_set};
    m->set[m->n_set++] = rank;
    m->in[rank] = true;
    deliver(m, place, n);
    /* Of those met from `from` on: what all hold joins the set, what is too rare goes, the others
     * wait, the last rank at the end. */
    uint32_t least = closed_least(m->bar);
    size_t kept = from;
    for (size_t i = from; i < m->waiting.n; i++) {
        uint32_t r = m->waiting.at[i];
        if (!m->in[r] && m->cell[r].sum < support && m->cell[r].sum >= least) {
            m->waiting.at[kept++] = r;
            continue;
        }
        if (!m->in[r] && m->cell[r].sum == support) {
            m->in[r] = true;
            m->set[m->n_set++] = r;
        }
        candidate_drop(m, r);
    }
    m->waiting.n = kept;
    lethe_sort_u32(m->waiting.at + from, kept - from);
    if (!too_long(m)) return set_found(m, support);
    while (m->waiting.n > from) // closures only grow
        candidate_drop(m, m->waiting.at[--m->waiting.n]);
    return LETHE_OK;
}

/* The same with what may be refused: else nothing changes. */
static lethe_err set_try(closed_miner *m, uint32_t rank)
{
    closed_cell c = m->cell[rank];
    const closed_place *place = m->bucket + m->base->first[rank];
    occurrences o = {m->rows.rank, m->rows.start, place, c.n_places, c.common};
    if (c.sum < closed_least(m->bar) || is_refused(m, rank, &o)) return LETHE_OK;
    return set_open(m, rank, place, c.n_places, c.sum);
}

lethe_err lethe_closed_from(lethe_ctx *ctx, closed_miner *m, uint32_t rank)
{
    const closed_base *b = m->base;
    occurrences o = {b->rank,
                     b->start,
                     b->place + b->first[rank],
                     (uint32_t)(b->first[rank + 1] - b->first[rank]),
                     {{UINT64_MAX, UINT64_MAX}}};
    uint32_t least = closed_least(m->bar);
    if (m->in[rank] || too_long(m) || b->support[rank] < least) return LETHE_OK;
    if (is_refused(m, rank, &o)) return LETHE_OK;
    LETHE_TRY(rows_make(m, rank, least));
    LETHE_TRY(set_open(m, rank, m->rows.place, m->rows.n, b->support[rank]));
    for (unsigned looks = 0; m->n_frames > 0; looks++) {
        // the last candidate of the open set is tried; where it has none, the set is closed
        size_t n_frames = m->n_frames;
        if (m->waiting.n == m->frame[n_frames - 1].waiting) {
            const closed_frame *f = &m->frame[--m->n_frames];
            while (m->n_set > f->n_before)
                m->in[m->set[--m->n_set]] = false;
            candidate_drop(m, f->core);
        } else {
            uint32_t r = m->waiting.at[--m->waiting.n];
            LETHE_TRY(set_try(m, r));
            if (m->n_frames == n_frames) candidate_drop(m, r);
        }
        if (looks % LOOKS == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
    }
    return LETHE_OK;
}
