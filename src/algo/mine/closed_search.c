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

enum { TIDY = 1 << 14, LOOKS = 1 << 10, SOME = 32 };

/* An open set: what it added to the one before it, and where its candidates begin. */
struct closed_frame {
    size_t waiting;
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
    m->n_places = lethe_alloc_zero(n, sizeof *m->n_places);
    m->sum = lethe_alloc_zero(n, sizeof *m->sum);
    m->in = lethe_alloc_zero(n, sizeof *m->in);
    m->set = lethe_alloc(n, sizeof *m->set);
    if (!m->bucket || !m->n_places || !m->sum || !m->in || !m->set) return LETHE_ENOMEM;
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
    lethe_free(m->n_places);
    lethe_free(m->sum);
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

/* --- extension --- */

/* Of some ranks, ascending, those that are in all the places' transactions before them. */
static uint32_t strike_out(const closed_base *b, const closed_place *place, uint32_t n,
                           uint32_t *some, uint32_t n_some)
{
    for (uint32_t i = 0; i < n && n_some > 0; i++) {
        const uint32_t *ranks = b->rank + b->start[place[i].transaction];
        uint32_t n_before = place[i].after - 1, at = 0, kept = 0;
        for (uint32_t k = 0; k < n_some; k++) {
            at += (uint32_t)lethe_gallop(ranks + at, n_before - at, some[k]);
            if (at == n_before) break;
            if (ranks[at] == some[k]) some[kept++] = some[k];
        }
        n_some = kept;
    }
    return n_some;
}

/* Do all the places, of one rank, have a rank before it that the set lacks?  It would be in the
 * transaction with the fewest before it.  Those are tried a few at a time, the most frequent first:
 * where there is one it is found soon, where not, a few transactions mostly strike out all. */
static bool has_earlier(const closed_miner *m, const closed_place *place, uint32_t n)
{
    const closed_base *b = m->base;
    uint32_t best = 0, some[SOME];
    for (uint32_t i = 1; i < n; i++)
        if (place[i].after < place[best].after) best = i;
    const uint32_t *ranks = b->rank + b->start[place[best].transaction];
    uint32_t left = place[best].after - 1;
    while (left > 0) {
        uint32_t n_some = 0;
        for (; left > 0 && n_some < SOME; left--)
            if (!m->in[ranks[left - 1]]) some[SOME - ++n_some] = ranks[left - 1];
        if (strike_out(b, place, n, some + SOME - n_some, n_some) > 0) return true;
    }
    return false;
}

static void candidate_drop(closed_miner *m, uint32_t rank)
{
    m->n_places[rank] = 0;
    m->sum[rank] = 0;
}

/* Occurrence deliver: buckets and supports of all ranks after that of the places; those met wait.
 */
static void deliver(closed_miner *m, const closed_place *place, uint32_t n)
{
    const closed_base *b = m->base;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = place[i].transaction, weight = b->weight[t];
        const uint32_t *ranks = b->rank + b->start[t];
        uint32_t size = (uint32_t)(b->start[t + 1] - b->start[t]);
        for (uint32_t k = place[i].after; k < size; k++) {
            uint32_t r = ranks[k];
            if (m->n_places[r] == 0) m->waiting.at[m->waiting.n++] = r;
            m->bucket[b->first[r] + m->n_places[r]++] = (closed_place){t, k + 1};
            m->sum[r] += weight;
        }
    }
}

/* The set extended by `rank`, which is at these places, becomes the open one, if it is to be taken:
 * else nothing changes. */
static lethe_err set_open(closed_miner *m, uint32_t rank, const closed_place *place, uint32_t n,
                          uint32_t support)
{
    if (has_earlier(m, place, n)) return LETHE_OK;
    if (m->n_frames == m->cap_frames) {
        size_t cap = 2 * m->cap_frames + 16;
        closed_frame *frame = lethe_realloc(m->frame, cap, sizeof *frame);
        if (!frame) return LETHE_ENOMEM;
        m->frame = frame;
        m->cap_frames = cap;
    }
    LETHE_TRY(numbers_reserve(&m->waiting, m->base->n_ranks - rank));
    size_t from = m->waiting.n;
    m->frame[m->n_frames++] = (closed_frame){.waiting = from, .core = rank, .n_before = m->n_set};
    m->set[m->n_set++] = rank;
    m->in[rank] = true;
    deliver(m, place, n);
    /* Of those met from `from` on: what all hold joins the set, what is too rare goes, the others
     * wait, the last rank at the end. */
    uint32_t least = closed_least(m->bar);
    size_t kept = from;
    for (size_t i = from; i < m->waiting.n; i++) {
        uint32_t r = m->waiting.at[i];
        if (!m->in[r] && m->sum[r] < support && m->sum[r] >= least) {
            m->waiting.at[kept++] = r;
            continue;
        }
        if (!m->in[r] && m->sum[r] == support) {
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

lethe_err lethe_closed_from(lethe_ctx *ctx, closed_miner *m, uint32_t rank)
{
    const closed_base *b = m->base;
    uint64_t first = b->first[rank];
    if (m->in[rank] || too_long(m) || b->support[rank] < closed_least(m->bar)) return LETHE_OK;
    LETHE_TRY(set_open(m, rank, b->place + first, (uint32_t)(b->first[rank + 1] - first),
                       b->support[rank]));
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
            if (m->sum[r] >= closed_least(m->bar))
                LETHE_TRY(set_open(m, r, m->bucket + b->first[r], m->n_places[r], m->sum[r]));
            if (m->n_frames == n_frames) candidate_drop(m, r);
        }
        if (looks % LOOKS == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
    }
    return LETHE_OK;
}
