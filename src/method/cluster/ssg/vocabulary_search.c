/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary_search.c - the scan for one query: by sizes and rings, excluding classes by their
 * least cost, and the matching of what is left (vocabulary_search.h). */
#include "method/cluster/ssg/vocabulary_internal.h"
#include <stdlib.h>

enum {
    CHUNK = 16,      /* pairs of a batch that a worker takes at a time */
    ALONE = 1 << 14, /* pairs of terms below which a batch is not worth waking others */
    MARK_COST = 6,   /* marks that cost as much as comparing two terms */
    LOOK = 4,        /* what a look at a class costs, in looks at its terms */
    FEW = 16,        /* terms at one distance whose classes are counted, not estimated */
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

/* The weight of a pair of a term of the query and any other; UINT64_MAX: it is not relevant. */
static uint64_t weight_of(const lethe_ssg_search *s, unsigned w, uint32_t i_query, uint32_t term)
{
    lethe_hyper_work *work = &s->work[w];
    uint64_t weight = 0;
    if (s->q->hyper)
        return lethe_hyper_distance(s->q->hyper, work, i_query, term, &weight) ? weight
                                                                               : UINT64_MAX;
    uint32_t d = lethe_hyper_term_distance(work, s->q->term[i_query], term);
    return d == LETHE_NONE ? UINT64_MAX : d;
}

/* By marks, which tell the relevant pairs.  Where only terms are marked that are no farther than
 * what wins, any other pair would lose whether it is matched or not. */
static lethe_err evaluate_marked(lethe_ssg_search *s, struct lethe_ssg_found *f, unsigned w)
{
    const struct lethe_ssg_class *c = &s->class[f->class];
    const lethe_ssg_query *q = s->q;
    const struct lethe_ssg_mark *mark[LETHE_SSG_MARKED];
    bool turned = q->is_record;
    uint32_t n = (uint32_t)q->n, n_outer = turned ? c->size : n, n_inner = turned ? n : c->size;
    size_t n_pairs = 0;
    for (uint32_t k = 0; k < c->size; k++)
        mark[k] = &s->mark[s->slot[c->at + k]];
    for (uint32_t a = 0; a < n_outer; a++)
        for (uint32_t b = 0; b < n_inner; b++) {
            uint32_t i = turned ? b : a, k = turned ? a : b;
            const struct lethe_ssg_mark *m = mark[k];
            if (m->number != s->number || !(m->terms >> i & 1)) continue;
            uint64_t weight = m->row != LETHE_NONE ? s->row[(size_t)m->row * n + i]
                                                   : weight_of(s, w, i, s->term[c->at + k]);
            if (weight == UINT64_MAX) continue; // relevant to one member of a group only
            LETHE_TRY(lethe_hyper_pair_put(&s->work[w], n_pairs++, a, b, weight));
        }
    return lethe_hyper_pairs_price(&s->work[w], n_outer, n_inner, n_pairs, s->bound, &f->price,
                                   &f->within);
}

static lethe_err evaluate(lethe_ssg_search *s, struct lethe_ssg_found *f, unsigned w)
{
    const struct lethe_ssg_class *c = &s->class[f->class];
    const lethe_ssg_query *q = s->q;
    lethe_hyper_work *work = &s->work[w];
    const uint32_t *term = s->term + c->at;
    size_t n_pairs = 0;
    if (s->marked && q->n <= LETHE_SSG_MARKED && c->size <= LETHE_SSG_MARKED)
        return evaluate_marked(s, f, w);
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
        struct lethe_ssg_deferred *later = lethe_realloc(s->later, room, sizeof *later);
        if (!later) return LETHE_ENOMEM;
        s->later = later;
        s->room_later = room;
    }
    size_t *last = &s->deferred[f.price.unmatched]; // no more than the best leaves unmatched
    s->later[s->n_later] = (struct lethe_ssg_deferred){f, *last};
    *last = s->n_later++;
    return LETHE_OK;
}

/* --- considering --- */

/* Considers a class that could win. */
static lethe_err consider_least(lethe_ssg_search *s, uint32_t class, lethe_assign_cost least)
{
    struct lethe_ssg_class *c = &s->class[class];
    uint32_t place = c->end;
    if (lethe_assign_cost_cmp(least, s->best.price) <= 0)
        place = first_allowed(s, &s->alike, s->member, c->first, c->end);
    struct lethe_ssg_found f = {class, place < c->end ? s->member[place] : LETHE_NONE, least, false,
                                false};
    if (place == c->end || found_cmp(&f, &s->best) > 0) {
        if (s->marked) s->seen[class] = s->number;
        return LETHE_OK;
    }
    s->seen[class] = s->number;
    if (!s->marked) f.price = s->floor;
    return f.price.unmatched > s->level ? put_later(s, f) : put_batch(s, f);
}

/* Excludes or defers a class whose least cost is known by cells; false: neither can be done. */
static bool is_settled(lethe_ssg_search *s, uint32_t class, lethe_assign_cost least, lethe_err *err)
{
    bool excluded = lethe_assign_cost_cmp(least, s->best.price) > 0;
    if (!excluded && least.unmatched <= s->level) return false;
    s->seen[class] = s->number;
    if (!excluded)
        *err = put_later(s, (struct lethe_ssg_found){class, LETHE_NONE, least, false, true});
    return true;
}

/* Considers a class of which the cells beside its posting say nothing. */
static lethe_err consider_marked(lethe_ssg_search *s, uint32_t class)
{
    const struct lethe_ssg_class *c = &s->class[class];
    lethe_err err = LETHE_OK;
    if (is_settled(s, class, lethe_ssg_least_by_fine(s, c), &err)) return err;
    if (is_settled(s, class, lethe_ssg_least_by_rows(s, c), &err)) return err;
    return consider_least(s, class, lethe_ssg_least_by_marks(s, c));
}

/* Considers a class of that size and those cells, if none of its candidates is evaluated yet and it
 * could win; `least` is its least cost if the pair by which it was found is matched.  If another
 * pair is, the class is found by that one, too; so `least` may exclude it this time, but only
 * marks, cells, or the least cost of this level, may exclude it for good. */
static lethe_err consider(lethe_ssg_search *s, uint32_t class, uint64_t cells, uint32_t size,
                          lethe_assign_cost least)
{
    lethe_err err = LETHE_OK;
    if (s->seen[class] == s->number) return LETHE_OK;
    if (!s->complete && s->dear > 0 && (s->lazy ? s->tried : s->spent * MARK_COST) >= s->dear)
        LETHE_TRY(lethe_ssg_mark_query(s));
    if (!s->marked) return consider_least(s, class, least);
    if (is_settled(s, class, lethe_ssg_least_by_cells(s, cells, size), &err)) return err;
    return consider_marked(s, class);
}

/* The classes that were deferred to this level. */
static lethe_err consider_deferred(lethe_ssg_search *s)
{
    for (size_t i = s->deferred[s->level]; i != SIZE_MAX; i = s->later[i].next) {
        struct lethe_ssg_found f = s->later[i].found;
        if (f.rough && lethe_assign_cost_cmp(f.price, s->best.price) <= 0)
            LETHE_TRY(consider_marked(s, f.class));
        else if (!f.rough && found_cmp(&f, &s->best) <= 0)
            LETHE_TRY(put_batch(s, f));
    }
    return LETHE_OK;
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
    s->best = (struct lethe_ssg_found){class, s->member[place], {0, 0}, true, false};
    return true;
}

/* The segment of a slot's classes of one size; NULL: it has none. */
static struct lethe_ssg_segment *segment_of(lethe_ssg_search *s, uint32_t slot, uint32_t size)
{
    if (s->by_slot[size]) {
        uint32_t i = s->by_slot[size][slot];
        return i == LETHE_NONE ? NULL : &s->segment[i];
    }
    uint64_t lo = s->first_segment[slot], end = s->first_segment[slot + 1], hi = end;
    assert(lo == hi || s->segment);
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (s->segment[mid].size < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && s->segment[lo].size == size ? &s->segment[lo] : NULL;
}

/* Considers the classes of a segment.  Those with no candidate left are dropped. */
static lethe_err scan_segment(lethe_ssg_search *s, struct lethe_ssg_segment *g,
                              lethe_assign_cost least)
{
    uint32_t *at = s->posting + g->start, kept = 0, size = s->sizes[g->size];
    uint64_t *cells = s->posted + g->start;
    lethe_err err = LETHE_OK;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t class = at[i];
        if (s->seen[class] == LETHE_SSG_GONE) continue;
        at[kept] = class;
        cells[kept++] = cells[i];
        if (err == LETHE_OK) err = consider(s, class, cells[i], size, least);
    }
    g->n = kept;
    return err;
}

/* Considers all classes of a size, likewise. */
static lethe_err scan_classes(lethe_ssg_search *s, uint32_t i_size)
{
    uint32_t *at = s->of_size + s->first_of_size[i_size], kept = 0;
    lethe_err err = LETHE_OK;
    for (uint32_t i = 0; i < s->n_of_size[i_size]; i++) {
        uint32_t class = at[i];
        if (s->seen[class] == LETHE_SSG_GONE) continue;
        at[kept++] = class;
        if (err == LETHE_OK)
            err = consider(s, class, s->class[class].cells, s->sizes[i_size], s->floor);
    }
    s->n_of_size[i_size] = kept;
    return err;
}

/* --- rings: the terms near a term of the query, by distance --- */

/* The least weight of a pair of the query's term at this place and any that is no nearer than
 * `distance`.  Of a group: a term at distance x is at |x - d| at least from a member that is at
 * distance d, and the sum of these over all members is convex in x, least at their median.  And
 * each two members are no farther apart than the sum of their distances to the term, wherever that
 * is: over all pairs of n members, that is n - 1 times its weight. */
static uint64_t weight_from(const lethe_ssg_search *s, size_t place, uint32_t distance)
{
    const lethe_hyper *h = s->q->hyper;
    if (!h) return distance;
    uint64_t x = LETHE_MAX(distance, s->middle[place]), sum = 0, twice = 0, n = h->n_records;
    for (uint32_t k = h->start[s->at[place]]; k < h->start[s->at[place] + 1]; k++) {
        const lethe_hyper_voter *v = &h->voter[k];
        uint64_t d = s->spread[k];
        sum += (x > d ? x - d : d - x) * v->count;
        twice += v->sum * v->count;
    }
    return n > 1 ? LETHE_MAX(sum, (twice / 2 + n - 2) / (n - 1)) : sum;
}

/* Were all terms looked at? */
static bool is_exhausted(const struct lethe_ssg_walk *w, const struct lethe_ssg_ring *r)
{
    return w->whole && r->at == w->n;
}

/* The next ring at a place of the list, from `at` on: empty where the neighbourhood must be widened
 * first. */
static void next_ring(lethe_ssg_search *s, struct lethe_ssg_ring *ring, uint32_t place,
                      uint32_t size)
{
    struct lethe_ssg_walk *w = &s->walk[place];
    struct lethe_ssg_ring *r = &ring[place];
    for (r->end = r->at; r->end < w->n; r->end++)
        if (w->around[r->end].distance != w->around[r->at].distance) break;
    if (is_exhausted(w, r)) return;
    uint32_t slot = s->neighbours->slot[s->list[place]];
    uint32_t distance = w->around[LETHE_MIN(r->at, w->n - 1)].distance;
    for (size_t i = place; i < s->q->n && s->same[i] == place; i++)
        ring[i].weight = weight_from(s, i, distance);
    size_t n = r->end - r->at;
    uint64_t postings = 0;
    if (n > FEW) {
        double each = (double)s->reach[slot] / s->neighbours->n[slot];
        postings = (uint64_t)(each * (double)n * s->n_left_of_size[size] / s->n_classes);
    }
    for (size_t i = r->at; n <= FEW && i < r->end; i++) {
        const struct lethe_ssg_segment *g =
            segment_of(s, s->neighbours->slot[w->around[i].term], size);
        if (g) postings += g->n;
    }
    r->cost = n > 0 ? n + postings * (s->sizes[size] + LOOK)
                    : (uint64_t)LETHE_SSG_WIDEN * s->neighbours->n[slot];
}

/* The least weight of a class none of whose terms was looked at, with so many matched; UINT64_MAX:
 * there is no such class. */
static uint64_t least_unseen(lethe_ssg_search *s, const struct lethe_ssg_ring *ring,
                             uint64_t matched, bool found)
{
    size_t n_left = 0;
    for (size_t i = 0; i < s->q->n; i++) {
        uint32_t place = s->same[i];
        if (!is_exhausted(&s->walk[place], &ring[place])) s->least[n_left++] = ring[i].weight;
    }
    if (n_left < matched) return UINT64_MAX;
    return found ? lethe_ssg_sum_least(s->least, n_left, matched) : 0;
}

/* The place of the list to go on with: until something is found at this level, one of the first
 * that are enough together; then the one that costs the least. */
static uint32_t choose_place(const lethe_ssg_search *s, const struct lethe_ssg_ring *ring,
                             uint64_t matched, bool found)
{
    size_t end = found ? s->q->n : s->q->n - matched + 1;
    uint32_t best = LETHE_NONE;
    for (uint32_t i = 0; i < end; i++) {
        if (s->same[i] != i || is_exhausted(&s->walk[i], &ring[i])) continue;
        if (best == LETHE_NONE || ring[i].cost < ring[best].cost) best = i;
    }
    assert(best != LETHE_NONE);
    return best;
}

/* Considers the classes of one size that have a term of this ring. */
static lethe_err scan_ring(lethe_ssg_search *s, struct lethe_ssg_ring *ring, uint32_t place,
                           uint32_t size, uint64_t unmatched)
{
    struct lethe_ssg_ring *r = &ring[place];
    for (size_t i = r->at; i < r->end; i++) {
        const lethe_meaning_neighbour *x = &s->walk[place].around[i];
        struct lethe_ssg_segment *g = segment_of(s, s->neighbours->slot[x->term], size);
        lethe_assign_cost least = lethe_ssg_least_price(s, unmatched, x->distance);
        if (g && g->n > 0) LETHE_TRY(scan_segment(s, g, least));
    }
    if (r->at == r->end) LETHE_TRY(lethe_ssg_widen(s, place));
    r->at = r->end;
    next_ring(s, ring, place, size);
    return LETHE_OK;
}

static lethe_err begin_visit(lethe_ssg_search *s, struct lethe_ssg_visit *v, uint32_t size)
{
    size_t n = s->q->n;
    if (s->n_rings + n > s->room_rings) {
        size_t room = s->n_rings + n + s->room_rings;
        struct lethe_ssg_ring *ring = lethe_realloc(s->ring, room, sizeof *ring);
        if (!ring) return LETHE_ENOMEM;
        s->ring = ring;
        s->room_rings = room;
    }
    *v = (struct lethe_ssg_visit){.first = s->n_rings};
    s->n_rings += n;
    memset(s->ring + v->first, 0, n * sizeof *s->ring);
    for (uint32_t i = 0; i < n; i++)
        if (s->same[i] == i) next_ring(s, s->ring + v->first, i, size);
    return LETHE_OK;
}

/* Classes of one size that leave so many unmatched, without those examined with fewer.  Rings are
 * scanned until no other class can win; but once they have cost as much as all classes of the size
 * would, these are considered instead. */
static lethe_err scan_size(lethe_ssg_search *s, uint32_t i_size, uint64_t unmatched)
{
    struct lethe_ssg_visit *v = &s->visit[i_size];
    uint32_t size = s->sizes[i_size];
    uint64_t n = s->q->n, gap = size > n ? size - n : n - size;
    uint64_t matched = (n + size - unmatched) / 2;
    if (matched == 0 || s->n_left_of_size[i_size] == 0) return LETHE_OK;
    if (unmatched == gap) LETHE_TRY(begin_visit(s, v, i_size));
    struct lethe_ssg_ring *ring = s->ring + v->first;
    while (!v->done) {
        bool found =
            s->omega.kind != LETHE_ASSIGN_OMEGA_OVER || s->best.price.unmatched == unmatched;
        uint64_t weight = least_unseen(s, ring, matched, found);
        if (weight == UINT64_MAX ||
            lethe_assign_cost_cmp(lethe_ssg_least_price(s, unmatched, weight), s->best.price) > 0)
            break;
        uint32_t place = choose_place(s, ring, matched, found);
        uint64_t all = (uint64_t)s->n_left_of_size[i_size] * (size + LOOK);
        v->spent += ring[place].cost;
        v->done = s->lazy && v->spent > all;
        if (v->done)
            LETHE_TRY(scan_classes(s, i_size));
        else
            LETHE_TRY(scan_ring(s, ring, place, i_size, unmatched));
        if (!found && s->n_batch > 0) LETHE_TRY(flush(s));
    }
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
        if (lethe_assign_cost_cmp(lethe_ssg_least_price(s, u, 0), s->best.price) > 0) break;
        s->floor = lethe_ssg_least_price(s, u, 0);
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

/* All candidates in their order, until one costs nothing. */
static lethe_err scan_all(lethe_ssg_search *s)
{
    uint32_t n = (uint32_t)s->n;
    for (uint32_t i = first_allowed(s, &s->listed, NULL, 0, n);
         i < n && (s->best.price.weight > 0 || s->best.candidate == LETHE_NONE);
         i = first_allowed(s, &s->listed, NULL, i + 1, n))
        LETHE_TRY(consider(s, s->class_of[i], 0, 0, (lethe_assign_cost){0, 0}));
    return s->n_batch > 0 ? flush(s) : LETHE_OK;
}

lethe_err lethe_ssg_search_nearest(lethe_ssg_search *s, const lethe_ssg_query *q, uint32_t *out,
                                   lethe_assign_cost *price, uint64_t *pairs)
{
    LETHE_TRY(lethe_ssg_set_query(s, q));
    uint32_t first = first_allowed(s, &s->sized, s->by_size, 0, (uint32_t)s->n);
    *out = LETHE_NONE;
    if (first == s->n) return LETHE_OK;
    if (is_unbounded(s)) {
        LETHE_TRY(scan_all(s));
    } else if (!find_equal(s)) {
        // the smallest one is the nearest with nothing matched: any other must beat it
        uint32_t c = s->by_size[first], size = s->class[s->class_of[c]].size;
        s->best = (struct lethe_ssg_found){s->class_of[c], c,
                                           lethe_ssg_least_price(s, q->n + size, 0), true, false};
        LETHE_TRY(lethe_ssg_prepare(s));
        LETHE_TRY(scan_levels(s));
    }
    *out = s->best.candidate;
    *price = s->best.price;
    *pairs += s->pairs;
    return LETHE_OK;
}
