/* SPDX-License-Identifier: Apache-2.0 */
/* hyper.c - relevant pairs of terms, their matching, and the votes of hyper-terms (hyper.h). */
#include "method/cluster/ssg/hyper.h"
#include "core/sort.h"
#include <stdlib.h>

enum {
    KEPT_BITS = 14,
    MANY = 1 << 20, /* pairs of terms, relevant or not, from which neighbourhoods are used */
    WIDE = 16       /* terms from which the distances to all of them are computed at once */
};

/* A distance in the cache. */
struct lethe_hyper_cached {
    uint32_t x, y, distance;
};

lethe_err lethe_hyper_work_begin(lethe_hyper_work *w, const lethe_hyper_matcher *how)
{
    *w = (lethe_hyper_work){.how = how};
    LETHE_TRY(lethe_meaning_asker_new(how->meaning, &w->asker));
    w->quick = lethe_meaning_quick_of(how->meaning);
    w->assigner = lethe_assigner_new();
    w->kept = lethe_alloc_zero((size_t)1 << KEPT_BITS, sizeof *w->kept); // no entry is of x and x
    return w->assigner && w->kept ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_hyper_work_end(lethe_hyper_work *w)
{
    lethe_meaning_asker_free(w->asker);
    lethe_assigner_free(w->assigner);
    lethe_free(w->kept);
    lethe_free(w->pair);
    lethe_free(w->to);
    lethe_free(w->sorted);
    lethe_free(w->place);
    lethe_free(w->distance);
    lethe_free(w->sum);
    lethe_meaning_fan_free(&w->fan);
    *w = (lethe_hyper_work){0};
}

/* Groups are priced with one record after another in place of a member, so the same pairs recur. */
uint32_t lethe_hyper_term_distance(lethe_hyper_work *w, uint32_t x, uint32_t y)
{
    if (x == y) return 0;
    const lethe_meaning_place *place = w->quick.place;
    if (place) return lethe_meaning_quick_distance(&w->quick, &place[x], &place[y]);
    uint32_t lo = LETHE_MIN(x, y), hi = LETHE_MAX(x, y);
    uint64_t hash = ((uint64_t)lo << 32 | hi) * UINT64_C(0x9E3779B97F4A7C15);
    struct lethe_hyper_cached *kept = &w->kept[hash >> (64 - KEPT_BITS)];
    if (kept->x != lo || kept->y != hi)
        *kept = (struct lethe_hyper_cached){lo, hi, lethe_meaning_distance(w->asker, lo, hi)};
    return kept->distance;
}

lethe_err lethe_hyper_pair_put(lethe_hyper_work *w, size_t n, uint32_t l, uint32_t r,
                               uint64_t weight)
{
    if (n == w->room_pairs) {
        size_t room = n + n / 2 + 64;
        if (n >= LETHE_HYPER_PAIRS_MAX) return LETHE_EINPUT;
        lethe_assign_pair *pair = lethe_realloc(w->pair, room, sizeof *pair);
        if (!pair) return LETHE_ENOMEM;
        w->pair = pair;
        w->room_pairs = room;
    }
    w->pair[n] = (lethe_assign_pair){l, r, weight};
    return LETHE_OK;
}

static lethe_err room_to(lethe_hyper_work *w, size_t n)
{
    if (n <= w->room_to) return LETHE_OK;
    uint32_t *to = lethe_realloc(w->to, n, sizeof *to);
    if (!to) return LETHE_ENOMEM;
    w->to = to;
    w->room_to = n;
    return LETHE_OK;
}

/* LETHE_EUSAGE of the assigner means that sums could overflow. */
static lethe_err too_large(lethe_err err) { return err == LETHE_EUSAGE ? LETHE_EINPUT : err; }

/* --- relevant pairs --- */

/* The left side: terms, or hyper-terms. */
struct left {
    const uint32_t *term;
    const lethe_hyper *hyper; /* NULL: terms */
    size_t n;
};

static lethe_err put_if_relevant(const struct left *left, lethe_hyper_work *w, uint32_t l,
                                 uint32_t r, uint32_t term, size_t *n)
{
    uint64_t d = 0;
    if (left->hyper) {
        if (!lethe_hyper_distance(left->hyper, w, l, term, &d)) return LETHE_OK;
    } else {
        d = lethe_hyper_term_distance(w, left->term[l], term);
        if (d == LETHE_NONE) return LETHE_OK;
    }
    return lethe_hyper_pair_put(w, (*n)++, l, r, d);
}

static lethe_err room_places(lethe_hyper_work *w, size_t n)
{
    if (n <= w->room_sorted) return LETHE_OK;
    uint64_t *sorted = lethe_realloc(w->sorted, n, sizeof *sorted);
    if (sorted) w->sorted = sorted;
    uint32_t *place = lethe_realloc(w->place, n, sizeof *place);
    if (place) w->place = place;
    uint32_t *distance = lethe_realloc(w->distance, n, sizeof *distance);
    if (distance) w->distance = distance;
    uint64_t *sum = lethe_realloc(w->sum, n, sizeof *sum);
    if (sum) w->sum = sum;
    if (!sorted || !place || !distance || !sum) return LETHE_ENOMEM;
    w->room_sorted = n;
    return LETHE_OK;
}

static void sort_right(lethe_hyper_work *w, const uint32_t *right, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->sorted[i] = (uint64_t)right[i] << 32 | i;
    qsort(w->sorted, n, sizeof *w->sorted, lethe_u64_cmp);
}

/* Puts the places on the right of terms near `term` into w->place, ascending; returns how many. */
static size_t places_near(lethe_hyper_work *w, uint32_t term, size_t n_right)
{
    size_t n_around = 0, n = 0;
    const lethe_meaning_neighbour *around = lethe_meaning_neighbourhood(w->asker, term, &n_around);
    for (size_t i = 0; i < n_around; i++) {
        size_t lo = 0, hi = n_right;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (w->sorted[mid] >> 32 < around[i].term)
                lo = mid + 1;
            else
                hi = mid;
        }
        for (; lo < n_right && w->sorted[lo] >> 32 == around[i].term; lo++)
            w->place[n++] = (uint32_t)w->sorted[lo];
    }
    if (n > 1) qsort(w->place, n, sizeof *w->place, lethe_u32_cmp);
    return n;
}

static uint32_t first_term(const struct left *left, uint32_t l)
{
    const lethe_hyper *h = left->hyper;
    return h ? h->voter[h->start[l]].term : left->term[l];
}

/* By neighbourhoods: what is relevant to a hyper-term is to its first member.  Copies on the left
 * have the same. */
static lethe_err put_many(const struct left *left, lethe_hyper_work *w, const uint32_t *right,
                          size_t n_right, size_t *n)
{
    size_t n_places = 0;
    uint32_t last = LETHE_NONE;
    sort_right(w, right, n_right);
    for (uint32_t l = 0; l < left->n; l++) {
        uint32_t term = first_term(left, l);
        if (term != last) n_places = places_near(w, term, n_right);
        last = term;
        for (size_t i = 0; i < n_places; i++)
            LETHE_TRY(put_if_relevant(left, w, l, w->place[i], right[w->place[i]], n));
    }
    return LETHE_OK;
}

/* A sum of distances to which something out of reach was added. */
#define FAR (UINT64_C(1) << 62)

/* Adds `count` times the distances of one term to all on the right. */
static void add_distances(lethe_hyper_work *w, uint32_t term, uint32_t count)
{
    const uint32_t *distance = w->distance;
    uint64_t *sum = w->sum;
    lethe_meaning_fan_distances(w->how->meaning, &w->fan, term, w->distance);
    for (size_t r = 0, n = w->fan.n; r < n; r++)
        sum[r] |= distance[r] == LETHE_NONE ? FAR : 0;
    for (size_t r = 0, n = w->fan.n; r < n; r++)
        sum[r] += (uint64_t)distance[r] * count;
}

/* The sums of distances of a hyper-term, or of a term, to all on the right. */
static void put_sums(const struct left *left, lethe_hyper_work *w, uint32_t l)
{
    const lethe_hyper *h = left->hyper;
    memset(w->sum, 0, w->fan.n * sizeof *w->sum);
    if (!h) add_distances(w, left->term[l], 1);
    for (uint32_t k = h ? h->start[l] : 0; h && k < h->start[l + 1]; k++)
        add_distances(w, h->voter[k].term, h->voter[k].count);
}

static lethe_err put_wide(const struct left *left, lethe_hyper_work *w, const uint32_t *right,
                          size_t n_right, size_t *n)
{
    LETHE_TRY(lethe_meaning_fan_set(w->how->meaning, &w->fan, right, n_right));
    for (uint32_t l = 0; l < left->n; l++) {
        put_sums(left, w, l);
        for (uint32_t r = 0; r < n_right; r++)
            if (w->sum[r] < FAR) LETHE_TRY(lethe_hyper_pair_put(w, (*n)++, l, r, w->sum[r]));
    }
    return LETHE_OK;
}

/* What is out of reach of the first member is not asked for. */
static lethe_err put_relevant(const struct left *left, lethe_hyper_work *w, const uint32_t *right,
                              size_t n_right, size_t *n)
{
    *n = 0;
    LETHE_TRY(room_places(w, n_right));
    if (n_right > 0 && left->n > MANY / n_right) return put_many(left, w, right, n_right, n);
    if (w->quick.place && n_right >= WIDE) return put_wide(left, w, right, n_right, n);
    for (uint32_t l = 0; l < left->n; l++) {
        lethe_meaning_reach near = lethe_meaning_quick_reach(&w->quick, first_term(left, l));
        uint32_t *place = w->place;
        size_t n_places = 0;
        for (uint32_t r = 0; r < n_right; r++) { // without a branch
            place[n_places] = r;
            n_places += right[r] - near.from < near.n;
        }
        for (size_t i = 0; i < n_places; i++)
            LETHE_TRY(put_if_relevant(left, w, l, place[i], right[place[i]], n));
    }
    return LETHE_OK;
}

lethe_err lethe_hyper_bag_price(lethe_hyper_work *w, const uint32_t *left, size_t n_left,
                                const uint32_t *right, size_t n_right, lethe_assign_cost bound,
                                lethe_assign_cost *out, bool *within)
{
    size_t n = 0;
    struct left terms = {.term = left, .n = n_left};
    LETHE_TRY(put_relevant(&terms, w, right, n_right, &n));
    return lethe_hyper_pairs_price(w, n_left, n_right, n, bound, out, within);
}

lethe_err lethe_hyper_put(const lethe_hyper *h, lethe_hyper_work *w, const uint32_t *term, size_t n,
                          size_t *n_pairs)
{
    struct left terms = {.hyper = h, .n = h->n};
    return put_relevant(&terms, w, term, n, n_pairs);
}

lethe_err lethe_hyper_pairs_price(lethe_hyper_work *w, size_t n_left, size_t n_right, size_t n,
                                  lethe_assign_cost bound, lethe_assign_cost *out, bool *within)
{
    lethe_assign_matching m;
    lethe_assign_pairs p = {(uint32_t)n_left, (uint32_t)n_right, n, w->pair};
    if (!w->how->greedy)
        return too_large(lethe_assign_price(w->assigner, &p, w->how->omega, bound, out, within));
    LETHE_TRY(room_to(w, n_left));
    LETHE_TRY(too_large(lethe_assign_greedy(w->assigner, &p, w->to, &m)));
    lethe_assign_cost price = lethe_assign_cost_of(w->how->omega, p.n_left, p.n_right, m);
    *within = lethe_assign_cost_cmp(price, bound) <= 0;
    if (*within) *out = price;
    return LETHE_OK;
}

/* --- hyper-terms --- */

void lethe_hyper_free(lethe_hyper *h)
{
    lethe_free(h->start);
    lethe_free(h->voter);
    *h = (lethe_hyper){0};
}

void lethe_hyper_clear(lethe_hyper *h)
{
    h->n_records = 0;
    h->n = 0;
    h->items = 0;
}

static lethe_err reserve(lethe_hyper *h, size_t n, size_t n_voters)
{
    if (n + 1 > h->room) {
        uint32_t *start = lethe_realloc(h->start, n + 1, sizeof *start);
        if (!start) return LETHE_ENOMEM;
        h->start = start;
        h->room = n + 1;
    }
    if (n_voters > h->room_voters) {
        lethe_hyper_voter *voter = lethe_realloc(h->voter, n_voters, sizeof *voter);
        if (!voter) return LETHE_ENOMEM;
        h->voter = voter;
        h->room_voters = n_voters;
    }
    return LETHE_OK;
}

bool lethe_hyper_distance(const lethe_hyper *h, lethe_hyper_work *w, uint32_t i, uint32_t term,
                          uint64_t *out)
{
    uint64_t sum = 0;
    for (uint32_t k = h->start[i]; k < h->start[i + 1]; k++) {
        uint32_t d = lethe_hyper_term_distance(w, term, h->voter[k].term);
        if (d == LETHE_NONE) return false;
        sum += (uint64_t)d * h->voter[k].count;
    }
    *out = sum;
    return true;
}

lethe_err lethe_hyper_copy(lethe_hyper *to, const lethe_hyper *from)
{
    size_t n_voters = from->n ? from->start[from->n] : 0;
    LETHE_TRY(reserve(to, from->n, n_voters));
    to->n_records = from->n_records;
    to->n = from->n;
    to->items = from->items;
    to->start[0] = 0;
    if (from->n == 0) return LETHE_OK;
    memcpy(to->start, from->start, (from->n + (size_t)1) * sizeof *to->start);
    memcpy(to->voter, from->voter, n_voters * sizeof *to->voter);
    return LETHE_OK;
}

static lethe_err match(const lethe_hyper *h, lethe_hyper_work *w, const uint32_t *term, size_t n,
                       lethe_assign_matching *m)
{
    size_t n_pairs = 0;
    LETHE_TRY(lethe_hyper_put(h, w, term, n, &n_pairs));
    lethe_assign_pairs p = {h->n, (uint32_t)n, n_pairs, w->pair};
    LETHE_TRY(room_to(w, h->n));
    return too_large(w->how->greedy ? lethe_assign_greedy(w->assigner, &p, w->to, m)
                                    : lethe_assign(w->assigner, &p, w->how->omega, w->to, m));
}

/* Adds a member to the hyper-term voter[from..to-1], which is written to `at`, not after `from`;
 * returns its end there. */
static uint32_t vote(lethe_hyper *h, lethe_hyper_work *w, uint32_t from, uint32_t to, uint32_t at,
                     uint32_t term)
{
    lethe_hyper_voter mine = {term, 1, 0};
    bool is_new = true;
    for (uint32_t k = from; k < to; k++) {
        lethe_hyper_voter v = h->voter[k];
        uint32_t d = lethe_hyper_term_distance(w, v.term, term);
        mine.sum += (uint64_t)d * v.count;
        v.sum += d;
        if (v.term == term) {
            v.count++;
            is_new = false;
        }
        h->voter[at++] = v;
    }
    if (is_new) h->voter[at++] = mine;
    return at;
}

lethe_err lethe_hyper_join(lethe_hyper *h, lethe_hyper_work *w, const uint32_t *term, size_t n)
{
    lethe_assign_matching m;
    if (h->n_records == 0) {
        LETHE_TRY(reserve(h, n, n));
        for (uint32_t i = 0; i < n; i++) {
            h->start[i] = i;
            h->voter[i] = (lethe_hyper_voter){term[i], 1, 0};
        }
        h->start[n] = (uint32_t)n;
        h->n = (uint32_t)n;
    } else {
        LETHE_TRY(match(h, w, term, n, &m));
        LETHE_TRY(reserve(h, h->n, (size_t)h->start[h->n] + h->n));
        // voters move to the end first, so that writing never overtakes reading: each hyper-term
        // grows by at most one voter
        uint32_t n_old = h->start[h->n], shift = h->n, at = 0, n_matched = 0;
        if (n_old > 0) memmove(h->voter + shift, h->voter, n_old * sizeof *h->voter);
        for (uint32_t i = 0, from = 0, to; i < h->n; i++, from = to) {
            to = h->start[i + 1];
            if (w->to[i] == LETHE_NONE) continue;
            at = vote(h, w, from + shift, to + shift, at, term[w->to[i]]);
            h->start[++n_matched] = at;
        }
        h->n = n_matched;
    }
    h->n_records++;
    h->items += n;
    return LETHE_OK;
}

uint32_t lethe_hyper_elect(const lethe_hyper *h, uint32_t i)
{
    const lethe_hyper_voter *best = &h->voter[h->start[i]];
    for (const lethe_hyper_voter *v = best + 1; v < h->voter + h->start[i + 1]; v++)
        if (v->sum < best->sum) best = v;
    return best->term;
}

uint64_t lethe_hyper_loss(const lethe_hyper *h, uint64_t scale)
{
    uint64_t distinct = h->n ? h->start[h->n] : 0;
    return (distinct - h->n) * h->n_records + (h->items - (uint64_t)h->n * h->n_records) * scale;
}

/* Is the term among the members of hyper-term i? */
static bool has_term(const lethe_hyper *h, uint32_t i, uint32_t term)
{
    for (uint32_t k = h->start[i]; k < h->start[i + 1]; k++)
        if (h->voter[k].term == term) return true;
    return false;
}

lethe_err lethe_hyper_loss_with(const lethe_hyper *h, lethe_hyper_work *w, const uint32_t *term,
                                size_t n, uint64_t scale, uint64_t *out)
{
    lethe_assign_matching m;
    uint64_t others = 0, n_records = (uint64_t)h->n_records + 1;
    *out = 0;
    if (h->n_records == 0) return LETHE_OK;
    LETHE_TRY(match(h, w, term, n, &m));
    for (uint32_t i = 0; i < h->n; i++) {
        if (w->to[i] == LETHE_NONE) continue;
        others += h->start[i + 1] - h->start[i] - has_term(h, i, term[w->to[i]]);
    }
    *out = others * n_records + (h->items + n - m.matched * n_records) * scale;
    return LETHE_OK;
}

lethe_err lethe_hyper_matched(const lethe_hyper *h, lethe_hyper_work *w, const uint32_t *term,
                              size_t n, uint32_t *out)
{
    lethe_assign_matching m;
    LETHE_TRY(match(h, w, term, n, &m));
    *out = m.matched;
    return LETHE_OK;
}
