/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_search.c - one query: bounds from sizes, lists and marks, and the matching of what
 * passes them (vocabulary_search.h). */
#include "method/cluster/ssg/vocabulary_internal.h"
#include "core/sort.h"
#include <stdlib.h>

enum {
    BATCH_FIRST =
        8,      /* pairs evaluated between two looks at bounds; doubles up to LETHE_SSG_BATCH */
    CHUNK = 16, /* pairs of a batch that a worker takes at a time */
    ALONE = 1 << 14, /* pairs of terms below which a batch is not worth waking others */
    MARKED = 64,     /* terms of a query that a mark tells apart; likewise of a class */
    MARK_COST = 6,   /* marks that cost as much as comparing two terms */
    WALKS = 2,       /* walks through a neighbourhood until its segments are sorted by size */
};

/* The first from i on, before `end`, that is left and whose person the query has not met; `end`:
 * none.  `who`: the candidate at each place of the line; NULL: the place itself. */
static uint32_t first_allowed(const lethe_ssg_search *s, struct lethe_ssg_line *l,
                              const uint32_t *who, uint32_t i, uint32_t end)
{
    const lethe_ssg_query *q = s->q;
    for (i = lethe_ssg_line_from(l, i); i < end; i = lethe_ssg_line_from(l, l->jump[i])) {
        uint32_t c = who ? who[i] : i;
        if (!q->met || q->met[s->person[c]] != q->now) return i;
    }
    return end;
}

/* --- evaluating --- */

static int found_cmp(const struct lethe_ssg_found *a, const struct lethe_ssg_found *b)
{
    int c = lethe_assign_cost_cmp(a->price, b->price);
    return c ? c : (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

static lethe_err put_marked(lethe_ssg_search *s, unsigned w, uint32_t i_query, uint32_t i_class,
                            uint32_t term, size_t *n)
{
    lethe_hyper_work *work = &s->work[w];
    uint32_t of_query = s->q->term[i_query];
    bool turned = s->q->is_record;
    uint64_t d = 0;
    if (!s->q->hyper)
        d = lethe_hyper_term_distance(work, of_query, term);
    else if (!lethe_hyper_distance(s->q->hyper, work, i_query, term, &d))
        return LETHE_OK;
    assert(d != LETHE_NONE || s->q->hyper);
    return lethe_hyper_pair_put(work, (*n)++, turned ? i_class : i_query,
                                turned ? i_query : i_class, d);
}

/* By marks, which tell the relevant pairs.  Where only terms are marked that are no farther than
 * what wins, any other pair would lose whether it is matched or not. */
static lethe_err evaluate_marked(lethe_ssg_search *s, struct lethe_ssg_found *f, unsigned w)
{
    const struct lethe_ssg_class *c = &s->class[f->class];
    const lethe_ssg_query *q = s->q;
    uint64_t terms[MARKED], bit[MARKED];
    uint32_t n = (uint32_t)q->n, n_outer = q->is_record ? c->size : n;
    size_t n_pairs = 0;
    for (uint32_t k = 0; k < c->size; k++) {
        const struct lethe_ssg_mark *m = &s->mark[s->slot[c->at + k]];
        terms[k] = m->number == s->number ? m->terms : 0;
    }
    for (uint32_t i = 0; i < n; i++)
        bit[s->at[i]] = UINT64_C(1) << i;
    for (uint32_t a = 0; a < n_outer; a++)
        for (uint32_t b = 0; b < (q->is_record ? n : c->size); b++) {
            uint32_t i = q->is_record ? b : a, k = q->is_record ? a : b;
            if (terms[k] & bit[i]) LETHE_TRY(put_marked(s, w, i, k, s->term[c->at + k], &n_pairs));
        }
    return lethe_hyper_pairs_price(&s->work[w], q->is_record ? c->size : n,
                                   q->is_record ? n : c->size, n_pairs, s->bound, &f->price,
                                   &f->within);
}

static lethe_err evaluate(lethe_ssg_search *s, struct lethe_ssg_found *f, unsigned w)
{
    const struct lethe_ssg_class *c = &s->class[f->class];
    const lethe_ssg_query *q = s->q;
    lethe_hyper_work *work = &s->work[w];
    const uint32_t *term = s->term + c->at;
    size_t n_pairs = 0;
    if (s->marked && q->n <= MARKED && c->size <= MARKED) return evaluate_marked(s, f, w);
    if (q->hyper) { // by all members of the group that is the query
        LETHE_TRY(lethe_hyper_put(q->hyper, work, term, c->size, &n_pairs));
        return lethe_hyper_pairs_price(work, q->n, c->size, n_pairs, s->bound, &f->price,
                                       &f->within);
    }
    if (q->is_record)
        return lethe_hyper_bag_price(work, term, c->size, q->term, q->n, s->bound, &f->price,
                                     &f->within);
    return lethe_hyper_bag_price(work, q->term, q->n, term, c->size, s->bound, &f->price,
                                 &f->within);
}

static lethe_err evaluate_chunk(void *arg, size_t i, unsigned w)
{
    lethe_ssg_search *s = arg;
    for (size_t k = i * CHUNK; k < LETHE_MIN((i + 1) * CHUNK, s->n_batch); k++)
        LETHE_TRY(evaluate(s, &s->batch[k], w));
    return LETHE_OK;
}

static int by_bound(const void *a, const void *b) { return found_cmp(a, b); }

/* A small batch is evaluated one by one, the most promising first, until nothing can win any more;
 * a large one in parallel.  Which way does not depend on the number of threads, so neither does
 * `pairs`. */
static lethe_err flush(lethe_ssg_search *s)
{
    uint64_t cost = 0;
    if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
    if (s->n_batch > 1) qsort(s->batch, s->n_batch, sizeof *s->batch, by_bound);
    while (s->n_batch > 0 && found_cmp(&s->batch[s->n_batch - 1], &s->best) > 0)
        s->n_batch--;
    for (size_t i = 0; i < s->n_batch; i++)
        cost += s->q->n * s->class[s->batch[i].class].size;
    bool in_turn = cost < ALONE;
    s->bound = s->best.price;
    if (!in_turn)
        LETHE_TRY(lethe_pool_for(s->ctx, (s->n_batch + CHUNK - 1) / CHUNK, evaluate_chunk, s));
    for (size_t i = 0; i < s->n_batch; i++) {
        struct lethe_ssg_found *f = &s->batch[i];
        if (in_turn) {
            if (found_cmp(f, &s->best) > 0) break;
            s->bound = s->best.price;
            LETHE_TRY(evaluate(s, f, 0));
        }
        s->pairs++;
        s->spent += s->q->n * s->class[f->class].size;
        if (f->within && found_cmp(f, &s->best) < 0) s->best = *f;
    }
    s->n_batch = 0;
    s->cap_batch = LETHE_MIN(2 * s->cap_batch, LETHE_SSG_BATCH);
    return LETHE_OK;
}

static lethe_err put_batch(lethe_ssg_search *s, struct lethe_ssg_found f)
{
    s->batch[s->n_batch++] = f;
    return s->n_batch == s->cap_batch ? flush(s) : LETHE_OK;
}

static lethe_err put_later(lethe_ssg_search *s, struct lethe_ssg_found f)
{
    if (s->n_later == s->room_later) {
        size_t room = s->room_later + s->room_later / 2 + 64;
        struct lethe_ssg_found *later = lethe_realloc(s->later, room, sizeof *later);
        if (!later) return LETHE_ENOMEM;
        s->later = later;
        s->room_later = room;
    }
    s->later[s->n_later++] = f;
    return LETHE_OK;
}

/* --- bounds --- */

/* The least price with so many unmatched terms and that sum of distances. */
static lethe_assign_cost least_price(const lethe_ssg_search *s, uint64_t unmatched,
                                     uint64_t distance)
{
    if (s->omega.kind == LETHE_ASSIGN_OMEGA_OVER) return (lethe_assign_cost){unmatched, distance};
    uint64_t each = s->omega.kind == LETHE_ASSIGN_OMEGA_IS ? s->omega.value : 0;
    return (lethe_assign_cost){0, unmatched * each + distance};
}

static void mark_neighbourhood(lethe_ssg_search *s, uint32_t term, uint64_t bits, uint64_t radius)
{
    size_t n = 0;
    bool whole = false;
    const lethe_meaning_neighbour *around =
        lethe_ssg_neighbourhoods_nearest(s->neighbours, term, &n, &whole);
    if (!whole && around[n - 1].distance <= radius)
        around = lethe_ssg_neighbourhoods_of(s->neighbours, term, &n);
    for (size_t i = 0; i < n && around[i].distance <= radius; i++) {
        struct lethe_ssg_mark *m = &s->mark[s->neighbours->slot[around[i].term]];
        if (m->number != s->number) *m = (struct lethe_ssg_mark){s->number, around[i].distance, 0};
        m->terms |= bits;
        m->distance = LETHE_MIN(m->distance, around[i].distance);
    }
}

/* Marks the terms relevant to the query.  If the best so far leaves as many terms unmatched as this
 * level, only those no farther than its weight: what is not evaluated yet leaves at least as many
 * (fewer have been examined), and must weigh no more to win. */
static void mark_query(lethe_ssg_search *s)
{
    bool even = s->omega.kind == LETHE_ASSIGN_OMEGA_OVER && s->best.price.unmatched == s->level;
    uint64_t radius = even ? s->best.price.weight : UINT64_MAX;
    for (size_t i = 0, end; i < s->q->n; i = end) {
        uint64_t bits = 0;
        for (end = i; end < s->q->n && s->list[end] == s->list[i]; end++)
            bits |= end < MARKED ? UINT64_C(1) << end : 0;
        mark_neighbourhood(s, s->list[i], bits, radius);
    }
    s->marked = true;
}

/* The sum of the n least of at[0 .. all - 1], which may be reordered. */
static uint64_t sum_least(uint32_t *at, uint32_t all, uint32_t n)
{
    uint64_t sum = 0;
    if (n < all) lethe_sort_u32(at, all);
    for (uint32_t i = 0; i < n; i++)
        sum += at[i];
    return sum;
}

/* The least cost of a class, by marks.  No more of its terms are matched than are relevant to a
 * term of the query, m of them, nor than terms of the query are relevant to one of its own; and
 * each matched term costs at least the distance to its nearest, so all together at least the sum of
 * the m least of these.  With a given omega a pair is only matched if it costs no more than leaving
 * both: then the m that save the most save no less than any matching does.  (With fewer pairs than
 * m, OVER leaves more unmatched, which costs more than any weight.) */
static lethe_assign_cost least_by_marks(const lethe_ssg_search *s, const struct lethe_ssg_class *c)
{
    uint32_t near[MARKED], n_near = 0, n = (uint32_t)s->q->n;
    uint64_t terms = 0,
             cap = s->omega.kind == LETHE_ASSIGN_OMEGA_IS ? 2 * s->omega.value : UINT64_MAX;
    for (uint32_t k = 0; k < c->size; k++) {
        const struct lethe_ssg_mark *m = &s->mark[s->slot[c->at + k]];
        if (m->number != s->number || m->distance > cap) continue;
        if (n_near < MARKED) near[n_near] = m->distance;
        n_near++;
        terms |= m->terms;
    }
    uint32_t of_query = n <= MARKED ? (uint32_t)__builtin_popcountll(terms) : n;
    uint32_t matched = LETHE_MIN(n_near, of_query);
    uint64_t weight = n_near <= MARKED ? sum_least(near, n_near, matched) : 0;
    return least_price(s, (uint64_t)n + c->size - 2 * (uint64_t)matched, weight);
}

/* Considers a class, if none of its candidates is evaluated yet and it could win; `least` is its
 * least cost if the pair by which it was found is matched.  If another pair is, the class is found
 * by that one, too; so `least` may exclude it this time, but only marks, or the least cost of this
 * level, may exclude it for good. */
static lethe_err consider(lethe_ssg_search *s, uint32_t class, lethe_assign_cost least)
{
    struct lethe_ssg_class *c = &s->class[class];
    if (c->seen == s->number) return LETHE_OK;
    if (!s->marked && s->dear > 0 && s->spent * MARK_COST >= s->dear) mark_query(s);
    if (s->marked) least = least_by_marks(s, c);
    uint32_t place = c->end;
    if (lethe_assign_cost_cmp(least, s->best.price) <= 0)
        place = first_allowed(s, &s->alike, s->member, c->first, c->end);
    struct lethe_ssg_found f = {class, place < c->end ? s->member[place] : LETHE_NONE, least,
                                false};
    if (place == c->end || found_cmp(&f, &s->best) > 0) {
        if (s->marked) c->seen = s->number;
        return LETHE_OK;
    }
    c->seen = s->number;
    if (!s->marked) f.price = s->floor;
    return f.price.unmatched > s->level ? put_later(s, f) : put_batch(s, f);
}

/* The classes that were deferred to this level. */
static lethe_err consider_deferred(lethe_ssg_search *s)
{
    size_t kept = 0;
    lethe_err err = LETHE_OK;
    for (size_t i = 0; i < s->n_later; i++) {
        struct lethe_ssg_found f = s->later[i];
        if (found_cmp(&f, &s->best) > 0) continue;
        if (f.price.unmatched > s->level)
            s->later[kept++] = f;
        else if (err == LETHE_OK)
            err = put_batch(s, f);
    }
    s->n_later = kept;
    return err;
}

/* Does every other vocabulary have a greater price than an equal one? */
static bool equal_is_nearest(lethe_ssg_search *s)
{
    const lethe_hyper *h = s->q->hyper;
    if (s->ordered) return false;                 // the same terms in another order are as near
    if (h && h->start[h->n] > h->n) return false; // members differ: nothing is at distance 0
    for (size_t i = 0; i < s->q->n; i++) {
        size_t n = 0;
        bool whole = false;
        const lethe_meaning_neighbour *around =
            lethe_ssg_neighbourhoods_nearest(s->neighbours, s->sorted[i], &n, &whole);
        if (n > 1 && around[1].distance == 0) return false;
    }
    return true;
}

/* Are bounds useless?  A greedy matching takes pairs that cost more than they save. */
static bool is_unbounded(const lethe_ssg_search *s)
{
    uint64_t members = s->q->hyper ? s->q->hyper->n_records : 1;
    if (s->omega.kind == LETHE_ASSIGN_OMEGA_NONE) return true;
    if (s->omega.kind == LETHE_ASSIGN_OMEGA_IS && s->omega.value == 0) return true;
    return s->ordered && s->omega.kind == LETHE_ASSIGN_OMEGA_IS &&
           s->omega.value < members * lethe_meaning_epsilon(s->work->how->meaning);
}

static bool find_equal(lethe_ssg_search *s)
{
    uint32_t class = s->table[lethe_ssg_class_slot(s, s->sorted, s->q->n)];
    if (class == LETHE_NONE) return false;
    const struct lethe_ssg_class *c = &s->class[class];
    uint32_t place = first_allowed(s, &s->alike, s->member, c->first, c->end);
    if (place >= c->end || !equal_is_nearest(s)) return false;
    s->best = (struct lethe_ssg_found){class, s->member[place], {0, 0}, true};
    return true;
}

/* The segment of a slot's classes of one size; NULL: it has none. */
static struct lethe_ssg_segment *segment_of(lethe_ssg_search *s, uint32_t slot, uint32_t size)
{
    uint64_t lo = s->first_segment[slot], end = s->first_segment[slot + 1], hi = end;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (s->segment[mid].size < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && s->segment[lo].size == size ? &s->segment[lo] : NULL;
}

/* Classes with no candidate left are dropped on the way. */
static lethe_err scan_segment(lethe_ssg_search *s, struct lethe_ssg_segment *g,
                              lethe_assign_cost least)
{
    uint32_t kept = 0;
    lethe_err err = LETHE_OK;
    uint32_t *at = s->posting + g->start;
    for (uint32_t i = 0; i < g->n; i++) {
        struct lethe_ssg_class *c = &s->class[at[i]];
        uint32_t class = at[i];
        if (c->seen != s->number && lethe_ssg_line_from(&s->alike, c->first) >= c->end) continue;
        at[kept++] = class;
        if (err == LETHE_OK) err = consider(s, class, least);
    }
    g->n = kept;
    return err;
}

/* One past the place of the greatest size that could still win. */
static uint32_t sizes_end(const lethe_ssg_search *s)
{
    uint64_t gap = s->best.price.unmatched;
    if (s->omega.kind == LETHE_ASSIGN_OMEGA_IS) gap = s->best.price.weight / s->omega.value;
    return gap >= UINT32_MAX ? s->n_sizes : lethe_ssg_size_at(s, s->q->n + gap + 1);
}

/* The segments of a neighbourhood, by distance, of the sizes from .. to - 1.  Empty ones are left
 * out. */
static lethe_err list_segments(lethe_ssg_search *s, uint32_t term, uint32_t from, uint32_t to,
                               size_t *n)
{
    size_t n_around = 0;
    const lethe_meaning_neighbour *around =
        lethe_ssg_neighbourhoods_of(s->neighbours, term, &n_around);
    *n = 0;
    memset(s->count, 0, s->n_sizes * sizeof *s->count);
    for (size_t i = 0; i < n_around; i++) {
        uint32_t slot = s->neighbours->slot[around[i].term];
        for (uint64_t k = s->first_segment[slot]; k < s->first_segment[slot + 1]; k++) {
            const struct lethe_ssg_segment *g = &s->segment[k];
            if (g->size >= to) break;
            if (g->size < from || g->n == 0) continue;
            if (*n == s->room_put) {
                size_t room = *n + *n / 2 + 256;
                struct lethe_ssg_near_segment *put = lethe_realloc(s->put, room, sizeof *put);
                if (!put) return LETHE_ENOMEM;
                s->put = put;
                s->room_put = room;
            }
            s->put[(*n)++] = (struct lethe_ssg_near_segment){k, g->size, around[i].distance};
            s->count[g->size]++;
        }
    }
    return LETHE_OK;
}

/* Sorts them by size. */
static lethe_err order_segments(lethe_ssg_search *s, uint32_t term, struct lethe_ssg_walk *w)
{
    uint32_t from = lethe_ssg_size_at(s, s->class[s->class_of[s->by_size[s->first]]].size),
             to = sizes_end(s);
    size_t n = 0;
    LETHE_TRY(list_segments(s, term, from, to, &n));
    if (s->n_near + n > s->room_near) {
        size_t room = s->n_near + n + s->room_near / 2;
        struct lethe_ssg_near_segment *near = lethe_realloc(s->near, room, sizeof *near);
        if (!near) return LETHE_ENOMEM;
        s->near = near;
        s->room_near = room;
    }
    for (uint32_t i = from, sum = 0; i < to; i++) {
        uint32_t of_size = s->count[i];
        s->count[i] = sum;
        sum += of_size;
    }
    for (size_t i = 0; i < n; i++)
        s->near[s->n_near + s->count[s->put[i].size]++] = s->put[i];
    w->first = s->n_near;
    w->end = s->n_near += n;
    return LETHE_OK;
}

static lethe_err scan_ordered(lethe_ssg_search *s, const struct lethe_ssg_walk *w, uint32_t size,
                              uint64_t unmatched)
{
    uint64_t lo = w->first, hi = w->end;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (s->near[mid].size < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < w->end && s->near[lo].size == size; lo++) {
        lethe_assign_cost least = least_price(s, unmatched, s->near[lo].distance);
        if (lethe_assign_cost_cmp(least, s->best.price) > 0) break;
        LETHE_TRY(scan_segment(s, &s->segment[s->near[lo].segment], least));
    }
    return LETHE_OK;
}

/* All classes of one size with a term relevant to that at a place of the list, which could win with
 * so many unmatched. */
static lethe_err scan_list(lethe_ssg_search *s, uint64_t place, uint32_t size, uint64_t unmatched)
{
    struct lethe_ssg_walk *w = &s->walk[place];
    uint32_t term = s->list[place];
    size_t n = 0;
    if (w->walks + 1 == WALKS) {
        LETHE_TRY(order_segments(s, term, w));
        w->walks = WALKS;
    }
    if (w->walks == WALKS) return scan_ordered(s, w, size, unmatched);
    bool whole = false, marked = s->marked;
    const lethe_meaning_neighbour *around =
        lethe_ssg_neighbourhoods_nearest(s->neighbours, term, &n, &whole);
    w->walks += whole; // the nearest may be enough, and the rest is expensive
    for (size_t i = 0; i < n || !whole; i++) {
        if (i == n || s->marked != marked) { // more is needed, or the view is out of date
            around = lethe_ssg_neighbourhoods_of(s->neighbours, term, &n);
            w->walks += !whole;
            whole = true;
            marked = s->marked;
        }
        lethe_assign_cost least = least_price(s, unmatched, around[i].distance);
        if (lethe_assign_cost_cmp(least, s->best.price) > 0) break;
        struct lethe_ssg_segment *g = segment_of(s, s->neighbours->slot[around[i].term], size);
        if (g && g->n > 0) LETHE_TRY(scan_segment(s, g, least));
    }
    return LETHE_OK;
}

/* Classes of one size that leave so many unmatched, without those examined with fewer. */
static lethe_err scan_size(lethe_ssg_search *s, uint32_t i_size, uint64_t unmatched)
{
    uint32_t size = s->sizes[i_size];
    uint64_t n = s->q->n, gap = size > n ? size - n : n - size;
    uint64_t matched = (n + size - unmatched) / 2, last = n - matched;
    if (matched == 0) return LETHE_OK;
    for (uint64_t i = unmatched == gap ? 0 : last; i <= last; i++)
        if (i == 0 || s->list[i] != s->list[i - 1]) LETHE_TRY(scan_list(s, i, i_size, unmatched));
    return LETHE_OK;
}

static lethe_err scan_levels(lethe_ssg_search *s)
{
    uint64_t n = s->q->n, most = n + (s->n_sizes ? s->sizes[s->n_sizes - 1] : 0);
    uint32_t lo = 0, hi;
    while (lo < s->n_sizes && s->sizes[lo] < n)
        lo++;
    hi = lo; // sizes[lo .. hi - 1] are within `unmatched` of the query's
    for (uint64_t u = 0; u <= most; u++) {
        if (lethe_assign_cost_cmp(least_price(s, u, 0), s->best.price) > 0) break;
        s->floor = least_price(s, u, 0);
        s->level = s->floor.unmatched;
        LETHE_TRY(consider_deferred(s));
        while (lo > 0 && s->sizes[lo - 1] + u >= n)
            lo--;
        while (hi < s->n_sizes && s->sizes[hi] <= n + u)
            hi++;
        for (uint32_t i = lo; i < hi; i++)
            if ((s->sizes[i] + n + u) % 2 == 0 && s->sizes[i] + n >= u)
                LETHE_TRY(scan_size(s, i, u));
        if (s->n_batch > 0) LETHE_TRY(flush(s));
    }
    return LETHE_OK;
}

/* --- the query --- */

static uint64_t reach_of(lethe_ssg_search *s, uint32_t term)
{
    uint64_t *reach = &s->reach[s->neighbours->slot[term]];
    if (*reach > 0) return *reach;
    size_t n = 0;
    const lethe_meaning_neighbour *around = lethe_ssg_neighbourhoods_of(s->neighbours, term, &n);
    uint64_t sum = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = s->neighbours->slot[around[i].term];
        for (uint64_t k = s->first_segment[slot]; k < s->first_segment[slot + 1]; k++)
            sum += s->segment[k].n;
    }
    return *reach = sum;
}

/* Terms by the number of classes to examine for them.  This order is for speed only: the number is
 * as of the first query with the term. */
static lethe_err order_lists(lethe_ssg_search *s)
{
    size_t n = s->q->n, n_distinct = 0;
    struct {
        uint64_t reach;
        uint32_t term, copies;
    } *key = lethe_alloc(n, sizeof *key), x;
    if (!key) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && s->sorted[i] == s->sorted[i - 1]) {
            key[n_distinct - 1].copies++;
            continue;
        }
        key[n_distinct].reach = reach_of(s, s->sorted[i]);
        s->dear += s->neighbours->n[s->neighbours->slot[s->sorted[i]]];
        key[n_distinct].term = s->sorted[i];
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
    for (size_t i = 0, k = 0; i < n_distinct; i++)
        for (uint32_t copy = 0; copy < key[i].copies; copy++)
            s->list[k++] = key[i].term;
    lethe_free(key);
    return LETHE_OK;
}

/* The places in the query of the terms of the list, copies in their order. */
static void place_list(lethe_ssg_search *s)
{
    for (size_t i = 0; i < s->q->n && s->q->n <= MARKED; i++) {
        bool same = i > 0 && s->list[i] == s->list[i - 1];
        uint32_t k = same ? s->at[i - 1] + 1 : 0;
        while (s->q->term[k] != s->list[i])
            k++;
        s->at[i] = k;
    }
    for (size_t i = 0; i < s->q->n; i++)
        s->walk[i].walks = 0;
}

static lethe_err set_query(lethe_ssg_search *s, const lethe_ssg_query *q)
{
    if (q->n > s->room || !s->sorted) {
        void *const old[] = {s->sorted, s->list, s->at, s->walk};
        for (size_t i = 0; i < LETHE_COUNT(old); i++)
            lethe_free(old[i]);
        s->room = 0;
        s->sorted = lethe_alloc(q->n + 16, sizeof *s->sorted);
        s->list = lethe_alloc(q->n + 16, sizeof *s->list);
        s->at = lethe_alloc(q->n + 16, sizeof *s->at);
        s->walk = lethe_alloc(q->n + 16, sizeof *s->walk);
        if (!s->sorted || !s->list || !s->at || !s->walk) return LETHE_ENOMEM;
        s->room = q->n + 16;
    }
    if (q->n > 0) memcpy(s->sorted, q->term, q->n * sizeof *s->sorted);
    lethe_sort_u32(s->sorted, q->n);
    s->q = q;
    s->cap_batch = BATCH_FIRST;
    s->n_batch = s->n_later = s->n_near = 0;
    s->level = s->spent = s->dear = s->pairs = 0;
    s->floor = (lethe_assign_cost){0, 0};
    s->marked = false;
    s->best = (struct lethe_ssg_found){
        .class = LETHE_NONE, .candidate = LETHE_NONE, LETHE_ASSIGN_COST_ANY, false};
    if (++s->number == 0) { // all numbers were used
        for (uint32_t i = 0; i < s->n_classes; i++)
            s->class[i].seen = 0;
        for (uint32_t i = 0; i < s->neighbours->n_slots; i++)
            s->mark[i].number = 0;
        s->number = 1;
    }
    return LETHE_OK;
}

/* All candidates in their order, until one costs nothing. */
static lethe_err scan_all(lethe_ssg_search *s)
{
    uint32_t n = (uint32_t)s->n;
    for (uint32_t i = first_allowed(s, &s->listed, NULL, 0, n);
         i < n && (s->best.price.weight > 0 || s->best.candidate == LETHE_NONE);
         i = first_allowed(s, &s->listed, NULL, i + 1, n))
        LETHE_TRY(consider(s, s->class_of[i], (lethe_assign_cost){0, 0}));
    return s->n_batch > 0 ? flush(s) : LETHE_OK;
}

lethe_err lethe_ssg_search_nearest(lethe_ssg_search *s, const lethe_ssg_query *q, uint32_t *out,
                                   lethe_assign_cost *price, uint64_t *pairs)
{
    LETHE_TRY(set_query(s, q));
    uint32_t first = first_allowed(s, &s->sized, s->by_size, 0, (uint32_t)s->n);
    *out = LETHE_NONE;
    if (first == s->n) return LETHE_OK;
    if (is_unbounded(s)) {
        LETHE_TRY(scan_all(s));
    } else if (!find_equal(s)) {
        // the smallest one is the nearest with nothing matched: any other must beat it
        uint32_t c = s->by_size[first], size = s->class[s->class_of[c]].size;
        s->best = (struct lethe_ssg_found){s->class_of[c], c, least_price(s, q->n + size, 0), true};
        s->first = lethe_ssg_line_from(&s->sized, 0);
        LETHE_TRY(order_lists(s));
        place_list(s);
        LETHE_TRY(scan_levels(s));
    }
    *out = s->best.candidate;
    *price = s->best.price;
    *pairs += s->pairs;
    return LETHE_OK;
}
