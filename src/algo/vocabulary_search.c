#include "algo/vocabulary_search.h"
#include <stdlib.h>

enum {
    BATCH_FIRST = 8, /* pairs evaluated before bounds are looked at again, doubling */
    BATCH = 256,     /* up to this */
    CHUNK = 16,      /* pairs of a batch that a worker takes at a time */
    ALONE = 1 << 14, /* pairs of terms below which a batch is not worth waking others */
};

/* --- what is searched --- */

/* Equal vocabularies. */
struct class
{
    uint64_t at;    /* its terms, ascending; with `ordered` as they came */
    uint32_t size;  /* how many */
    uint32_t first; /* its candidates: member[first] .. member[end - 1], ascending */
    uint32_t end;
    uint32_t seen; /* the query that it was last taken up for */
};

/* Classes of one size that have a term. */
struct segment {
    uint64_t start;
    uint32_t size, n;
};

/* Candidates in some order, of which some are gone: next[i] is i, or one after it. */
struct line {
    uint32_t *next;
    uint32_t *jump; /* the first after i that is another person's; NULL: no persons */
};

struct found {
    uint32_t class, candidate;
    lethe_price price;
    bool within;
};

struct lethe_seek {
    lethe_ctx *ctx;
    lethe_match_work *work;
    lethe_balls *balls;
    size_t n;
    const uint32_t *person;
    lethe_omega omega;
    bool ordered; /* greedy matching: the order of terms matters, and classes are equal in it */

    uint32_t *by_size; /* candidates by size, then number */
    uint32_t *rank;    /* where in that order a candidate is, */
    uint32_t *place;   /* and where in `member` */
    uint32_t *class_of;
    uint32_t *member;                 /* candidates by class */
    struct line sized, alike, listed; /* of by_size; of member; of all by number */

    struct class *class;
    uint32_t n_classes;
    uint32_t *term;  /* of classes, end to end */
    uint32_t *table; /* classes by hash: open addressing; LETHE_NONE: free */
    uint64_t mask;

    uint64_t *first_segment; /* of each slot, and one more */
    struct segment *segment;
    uint32_t *posting; /* classes, ascending in a segment */
    uint64_t *reach;   /* of each slot: postings in its ball, and 1; 0: not known yet */
    uint32_t *sizes;   /* distinct, ascending */
    uint32_t n_sizes;

    /* the query at hand */
    uint32_t number;
    const lethe_nearest_of *q;
    uint32_t *sorted, *list; /* its terms, ascending; by how many are relevant */
    size_t room;
    struct found batch[BATCH];
    size_t n_batch, cap_batch;
    struct found best; /* class LETHE_NONE: only its bound holds */
    lethe_price bound; /* as the batch began */
    uint64_t pairs;
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_large_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_terms(uint32_t *term, size_t n)
{
    if (n > 32) {
        qsort(term, n, sizeof *term, by_number);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        uint32_t x = term[i];
        size_t k = i;
        for (; k > 0 && term[k - 1] > x; k--)
            term[k] = term[k - 1];
        term[k] = x;
    }
}

/* --- lines of candidates --- */

static uint32_t present_from(struct line *l, uint32_t i)
{
    while (l->next[i] != i) {
        l->next[i] = l->next[l->next[i]];
        i = l->next[i];
    }
    return i;
}

/* The first from i on, before `end`, that is there and whose person the query has not met; `end`:
 * none. `who` gives the candidate at a place of the line; NULL: itself. */
static uint32_t first_allowed(const lethe_seek *s, struct line *l, const uint32_t *who, uint32_t i,
                              uint32_t end)
{
    const lethe_nearest_of *q = s->q;
    for (i = present_from(l, i); i < end; i = present_from(l, l->jump[i])) {
        uint32_t c = who ? who[i] : i;
        if (!q->met || q->met[s->person[c]] != q->now) return i;
    }
    return end;
}

static bool line_new(const lethe_seek *s, struct line *l, const uint32_t *who)
{
    uint32_t n = (uint32_t)s->n;
    l->next = lethe_alloc((size_t)n + 1, sizeof *l->next);
    if (!l->next) return false;
    for (uint32_t i = 0; i <= n; i++)
        l->next[i] = i;
    if (!s->person) return true;
    l->jump = lethe_alloc((size_t)n + 1, sizeof *l->jump);
    if (!l->jump) return false;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t p = s->person[who ? who[i] : i];
        bool same = i + 1 < n && s->person[who ? who[i + 1] : i + 1] == p;
        l->jump[i] = same ? l->jump[i + 1] : i + 1;
    }
    return true;
}

static void line_free(struct line *l)
{
    lethe_free(l->next);
    lethe_free(l->jump);
}

uint32_t lethe_seek_first(lethe_seek *s)
{
    uint32_t c = present_from(&s->listed, 0);
    return c < s->n ? c : LETHE_NONE;
}

void lethe_seek_remove(lethe_seek *s, uint32_t c)
{
    s->sized.next[s->rank[c]] = s->rank[c] + 1;
    s->alike.next[s->place[c]] = s->place[c] + 1;
    s->listed.next[c] = c + 1;
}

/* --- building --- */

static uint64_t hash_terms(const uint32_t *term, size_t n)
{
    uint64_t x = n;
    for (size_t i = 0; i < n; i++) {
        x = (x ^ term[i]) * UINT64_C(0x9E3779B97F4A7C15);
        x ^= x >> 29;
    }
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

/* Where the class of these terms is in the table, or would be. */
static uint64_t class_at(const lethe_seek *s, const uint32_t *term, size_t n)
{
    uint64_t i = hash_terms(term, n) & s->mask;
    for (; s->table[i] != LETHE_NONE; i = (i + 1) & s->mask) {
        const struct class *c = &s->class[s->table[i]];
        if (c->size == n && (n == 0 || memcmp(s->term + c->at, term, n * sizeof *term) == 0)) break;
    }
    return i;
}

static lethe_err order_by_size(lethe_seek *s, const lethe_candidates *c)
{
    uint64_t *key = lethe_alloc(s->n, sizeof *key);
    if (!key) return LETHE_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        key[i] = (uint64_t)c->size[i] << 32 | i;
    if (s->n > 0) qsort(key, s->n, sizeof *key, by_large_number);
    for (uint32_t i = 0; i < s->n; i++) {
        s->by_size[i] = (uint32_t)key[i];
        s->rank[s->by_size[i]] = i;
    }
    lethe_free(key);
    return LETHE_OK;
}

/* Classes are numbered by size, as candidates come by size. */
static void make_classes(lethe_seek *s, const lethe_candidates *c)
{
    uint64_t end = 0;
    for (uint64_t i = 0; i <= s->mask; i++)
        s->table[i] = LETHE_NONE;
    for (size_t k = 0; k < s->n; k++) {
        uint32_t i = s->by_size[k], size = c->size[i];
        if (size > 0) memcpy(s->term + end, c->term[i], size * sizeof *s->term);
        if (!s->ordered) sort_terms(s->term + end, size);
        uint64_t at = class_at(s, s->term + end, size);
        if (s->table[at] == LETHE_NONE) {
            if (s->n_sizes == 0 || s->sizes[s->n_sizes - 1] != size) s->sizes[s->n_sizes++] = size;
            s->class[s->n_classes] = (struct class){.at = end, .size = size};
            s->table[at] = s->n_classes++;
            end += size;
        }
        s->class_of[i] = s->table[at];
        s->class[s->class_of[i]].end++;
    }
}

static void list_members(lethe_seek *s)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->n_classes; i++) {
        uint32_t n = s->class[i].end;
        s->class[i].first = s->class[i].end = at;
        at += n;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t place = s->class[s->class_of[i]].end++;
        s->member[place] = i;
        s->place[i] = place;
    }
}

/* Calls are made twice: first to count, then to fill. */
static void walk_postings(lethe_seek *s, uint64_t *count, bool fill)
{
    for (uint32_t i = 0; i < s->n_classes; i++) {
        const struct class *c = &s->class[i];
        for (uint32_t k = 0; k < c->size; k++) {
            uint32_t term = s->term[c->at + k];
            if (k > 0 && term == s->term[c->at + k - 1]) continue;
            uint64_t *at = &count[s->balls->slot[term]];
            if (fill) s->posting[*at] = i;
            (*at)++;
        }
    }
}

static lethe_err make_segments(lethe_seek *s, const uint64_t *end)
{
    uint64_t n = 0;
    for (int fill = 0; fill < 2; fill++) {
        n = 0;
        for (uint32_t slot = 0; slot < s->balls->n_slots; slot++) {
            if (fill) s->first_segment[slot] = n;
            uint64_t i = slot ? end[slot - 1] : 0;
            for (uint32_t last = LETHE_NONE; i < end[slot]; i++) {
                uint32_t size = s->class[s->posting[i]].size;
                if (size != last) {
                    if (fill) s->segment[n] = (struct segment){.start = i, .size = size};
                    n++;
                }
                if (fill) s->segment[n - 1].n++;
                last = size;
            }
        }
        if (fill) break;
        s->segment = lethe_alloc(n, sizeof *s->segment);
        if (!s->segment) return LETHE_ENOMEM;
    }
    s->first_segment[s->balls->n_slots] = n;
    return LETHE_OK;
}

static lethe_err make_postings(lethe_seek *s)
{
    uint32_t n_slots = s->balls->n_slots;
    uint64_t sum = 0, *at = lethe_alloc_zero((size_t)n_slots + 1, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    walk_postings(s, at, false);
    for (uint32_t i = 0; i < n_slots; i++) {
        uint64_t n = at[i];
        at[i] = sum;
        sum += n;
    }
    lethe_err err = LETHE_ENOMEM;
    s->posting = lethe_alloc(sum, sizeof *s->posting);
    if (s->posting) {
        walk_postings(s, at, true); // at[] are where lists end now
        err = make_segments(s, at);
    }
    lethe_free(at);
    return err;
}

static lethe_err reserve(lethe_seek *s, const lethe_candidates *c)
{
    size_t n = s->n, n_terms = 0, room = 16;
    for (size_t i = 0; i < n; i++)
        n_terms += c->size[i];
    while (room < 2 * n)
        room *= 2;
    s->mask = room - 1;
    uint32_t **const arrays[] = {&s->by_size,  &s->rank,   &s->place,
                                 &s->class_of, &s->member, &s->sizes};
    for (size_t i = 0; i < LETHE_COUNT(arrays); i++) {
        *arrays[i] = lethe_alloc(n, sizeof **arrays[i]);
        if (!*arrays[i]) return LETHE_ENOMEM;
    }
    s->table = lethe_alloc(room, sizeof *s->table);
    s->class = lethe_alloc(n, sizeof *s->class);
    s->term = lethe_alloc(n_terms, sizeof *s->term);
    s->reach = lethe_alloc_zero(s->balls->n_slots, sizeof *s->reach);
    s->first_segment = lethe_alloc((size_t)s->balls->n_slots + 1, sizeof *s->first_segment);
    return s->table && s->class && s->term && s->reach && s->first_segment ? LETHE_OK
                                                                           : LETHE_ENOMEM;
}

static lethe_err build(lethe_seek *s, const lethe_candidates *c)
{
    LETHE_TRY(reserve(s, c));
    LETHE_TRY(order_by_size(s, c));
    make_classes(s, c);
    list_members(s);
    LETHE_TRY(make_postings(s));
    return line_new(s, &s->sized, s->by_size) && line_new(s, &s->alike, s->member) &&
                   line_new(s, &s->listed, NULL)
               ? LETHE_OK
               : LETHE_ENOMEM;
}

lethe_err lethe_seek_new(lethe_ctx *ctx, lethe_match_work *work, lethe_balls *balls,
                         const lethe_candidates *c, lethe_seek **out)
{
    lethe_seek *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return LETHE_ENOMEM;
    s->ctx = ctx;
    s->work = work;
    s->balls = balls;
    s->n = c->n;
    s->person = c->person;
    s->omega = work->how->omega;
    s->ordered = work->how->greedy;
    lethe_err err = build(s, c);
    if (err == LETHE_OK)
        *out = s;
    else
        lethe_seek_free(s);
    return err;
}

void lethe_seek_free(lethe_seek *s)
{
    if (!s) return;
    void *const all[] = {s->by_size, s->rank,    s->place,  s->class_of,      s->member,
                         s->sizes,   s->table,   s->class,  s->term,          s->reach,
                         s->posting, s->segment, s->sorted, s->first_segment, s->list};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    line_free(&s->sized);
    line_free(&s->alike);
    line_free(&s->listed);
    lethe_free(s);
}

/* --- evaluating --- */

static int found_cmp(const struct found *a, const struct found *b)
{
    int c = lethe_price_cmp(a->price, b->price);
    return c ? c : (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

static lethe_err evaluate(lethe_seek *s, struct found *f, unsigned w)
{
    const struct class *c = &s->class[f->class];
    const lethe_nearest_of *q = s->q;
    if (q->is_record)
        return lethe_match_price(&s->work[w], s->term + c->at, c->size, q->term, q->n, s->bound,
                                 &f->price, &f->within);
    return lethe_match_price(&s->work[w], q->term, q->n, s->term + c->at, c->size, s->bound,
                             &f->price, &f->within);
}

static lethe_err evaluate_chunk(void *arg, size_t i, unsigned w)
{
    lethe_seek *s = arg;
    for (size_t k = i * CHUNK; k < LETHE_MIN((i + 1) * CHUNK, s->n_batch); k++)
        LETHE_TRY(evaluate(s, &s->batch[k], w));
    return LETHE_OK;
}

static lethe_err flush(lethe_seek *s)
{
    uint64_t cost = 0;
    s->bound = s->best.price;
    for (size_t i = 0; i < s->n_batch; i++)
        cost += s->q->n * s->class[s->batch[i].class].size;
    if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
    if (cost < ALONE || lethe_ctx_threads(s->ctx) == 1) {
        for (size_t i = 0; i < s->n_batch; i++)
            LETHE_TRY(evaluate(s, &s->batch[i], 0));
    } else {
        LETHE_TRY(lethe_pool_for(s->ctx, (s->n_batch + CHUNK - 1) / CHUNK, evaluate_chunk, s));
    }
    for (size_t i = 0; i < s->n_batch; i++)
        if (s->batch[i].within && found_cmp(&s->batch[i], &s->best) < 0) s->best = s->batch[i];
    s->pairs += s->n_batch;
    s->n_batch = 0;
    s->cap_batch = LETHE_MIN(2 * s->cap_batch, BATCH);
    return LETHE_OK;
}

/* Takes a class up, if none of its candidates is evaluated yet and it could win by `least`. */
static lethe_err take_up(lethe_seek *s, uint32_t class, lethe_price least)
{
    struct class *c = &s->class[class];
    if (c->seen == s->number) return LETHE_OK;
    uint32_t place = first_allowed(s, &s->alike, s->member, c->first, c->end);
    struct found f = {class, place < c->end ? s->member[place] : LETHE_NONE, least, false};
    if (place >= c->end || found_cmp(&f, &s->best) > 0) return LETHE_OK;
    c->seen = s->number;
    s->batch[s->n_batch++] = f;
    return s->n_batch == s->cap_batch ? flush(s) : LETHE_OK;
}

/* --- bounds --- */

/* No price is below this with so many unmatched and a pair that far apart. */
static lethe_price least_price(const lethe_seek *s, uint64_t unmatched, uint64_t distance)
{
    if (s->omega.kind == LETHE_OMEGA_OVER) return (lethe_price){unmatched, distance};
    uint64_t each = s->omega.kind == LETHE_OMEGA_IS ? s->omega.value : 0;
    return (lethe_price){0, unmatched * each + distance};
}

/* Is every other vocabulary at a price over that of an equal one? */
static bool equal_is_nearest(lethe_seek *s)
{
    if (s->ordered) return false; // one in another order is as near
    for (size_t i = 0; i < s->q->n; i++) {
        size_t n = 0;
        const lethe_near *ball = lethe_balls_of(s->balls, s->sorted[i], &n);
        if (n > 1 && ball[1].distance == 0) return false;
    }
    return true;
}

/* Do bounds say nothing?  A greedy matching takes pairs that cost more than they save. */
static bool is_unbounded(const lethe_seek *s)
{
    if (s->omega.kind == LETHE_OMEGA_NONE) return true;
    if (s->omega.kind == LETHE_OMEGA_IS && s->omega.value == 0) return true;
    return s->ordered && s->omega.kind == LETHE_OMEGA_IS &&
           s->omega.value < lethe_meaning_epsilon(s->work->how->meaning);
}

static bool find_equal(lethe_seek *s)
{
    uint32_t class = s->table[class_at(s, s->sorted, s->q->n)];
    if (class == LETHE_NONE) return false;
    const struct class *c = &s->class[class];
    uint32_t place = first_allowed(s, &s->alike, s->member, c->first, c->end);
    if (place >= c->end || !equal_is_nearest(s)) return false;
    s->best = (struct found){class, s->member[place], {0, 0}, true};
    return true;
}

/* The segment of a slot's classes of one size; NULL: it has none. */
static struct segment *segment_of(lethe_seek *s, uint32_t slot, uint32_t size)
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
static lethe_err scan_segment(lethe_seek *s, struct segment *g, lethe_price least)
{
    uint32_t kept = 0;
    lethe_err err = LETHE_OK;
    uint32_t *at = s->posting + g->start;
    for (uint32_t i = 0; i < g->n; i++) {
        struct class *c = &s->class[at[i]];
        uint32_t class = at[i];
        if (present_from(&s->alike, c->first) >= c->end) continue;
        at[kept++] = class;
        if (err == LETHE_OK) err = take_up(s, class, least);
    }
    g->n = kept;
    return err;
}

/* All of one size that have a term relevant to `term`, and could win with so many unmatched. */
static lethe_err scan_list(lethe_seek *s, uint32_t term, uint32_t size, uint64_t unmatched)
{
    size_t n = 0;
    const lethe_near *ball = lethe_balls_of(s->balls, term, &n);
    for (size_t i = 0; i < n; i++) {
        lethe_price least = least_price(s, unmatched, ball[i].distance);
        if (lethe_price_cmp(least, s->best.price) > 0) break;
        struct segment *g = segment_of(s, s->balls->slot[ball[i].term], size);
        if (g && g->n > 0) LETHE_TRY(scan_segment(s, g, least));
    }
    return LETHE_OK;
}

/* Those of one size that leave so many unmatched, save what was looked at with fewer. */
static lethe_err scan_size(lethe_seek *s, uint32_t size, uint64_t unmatched)
{
    uint64_t n = s->q->n, gap = size > n ? size - n : n - size;
    uint64_t matched = (n + size - unmatched) / 2, last = n - matched;
    if (matched == 0) return LETHE_OK;
    for (uint64_t i = unmatched == gap ? 0 : last; i <= last; i++)
        if (i == 0 || s->list[i] != s->list[i - 1])
            LETHE_TRY(scan_list(s, s->list[i], size, unmatched));
    return LETHE_OK;
}

static lethe_err scan_levels(lethe_seek *s)
{
    uint64_t n = s->q->n, most = n + (s->n_sizes ? s->sizes[s->n_sizes - 1] : 0);
    uint32_t lo = 0, hi;
    while (lo < s->n_sizes && s->sizes[lo] < n)
        lo++;
    hi = lo; // sizes[lo .. hi - 1] are within `unmatched` of the query's
    for (uint64_t u = 0; u <= most; u++) {
        if (lethe_price_cmp(least_price(s, u, 0), s->best.price) > 0) break;
        while (lo > 0 && s->sizes[lo - 1] + u >= n)
            lo--;
        while (hi < s->n_sizes && s->sizes[hi] <= n + u)
            hi++;
        for (uint32_t i = lo; i < hi; i++)
            if ((s->sizes[i] + n + u) % 2 == 0 && s->sizes[i] + n >= u)
                LETHE_TRY(scan_size(s, s->sizes[i], u));
        if (s->n_batch > 0) LETHE_TRY(flush(s));
    }
    return LETHE_OK;
}

/* --- the query --- */

static uint64_t reach_of(lethe_seek *s, uint32_t term)
{
    uint64_t *reach = &s->reach[s->balls->slot[term]];
    if (*reach > 0) return *reach;
    size_t n = 0;
    const lethe_near *ball = lethe_balls_of(s->balls, term, &n);
    uint64_t sum = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = s->balls->slot[ball[i].term];
        for (uint64_t k = s->first_segment[slot]; k < s->first_segment[slot + 1]; k++)
            sum += s->segment[k].n;
    }
    return *reach = sum;
}

/* Terms by how many classes they would have us look at.  An order for speed alone: reach is of
 * when a term was first asked for. */
static lethe_err order_lists(lethe_seek *s)
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
        qsort(key, n_distinct, sizeof *key, by_large_number); // reach comes first in it
    }
    for (size_t i = 0, k = 0; i < n_distinct; i++)
        for (uint32_t copy = 0; copy < key[i].copies; copy++)
            s->list[k++] = key[i].term;
    lethe_free(key);
    return LETHE_OK;
}

static lethe_err set_query(lethe_seek *s, const lethe_nearest_of *q)
{
    if (q->n > s->room || !s->sorted) {
        uint32_t *sorted = lethe_realloc(s->sorted, q->n + 16, sizeof *sorted);
        if (sorted) s->sorted = sorted;
        uint32_t *list = sorted ? lethe_realloc(s->list, q->n + 16, sizeof *list) : NULL;
        if (!list) return LETHE_ENOMEM;
        s->list = list;
        s->room = q->n;
    }
    if (q->n > 0) memcpy(s->sorted, q->term, q->n * sizeof *s->sorted);
    sort_terms(s->sorted, q->n);
    s->q = q;
    s->cap_batch = BATCH_FIRST;
    s->n_batch = 0;
    s->pairs = 0;
    s->best = (struct found){.class = LETHE_NONE, .candidate = LETHE_NONE, LETHE_PRICE_ANY, false};
    if (++s->number == 0) { // all numbers were used
        for (uint32_t i = 0; i < s->n_classes; i++)
            s->class[i].seen = 0;
        s->number = 1;
    }
    return LETHE_OK;
}

/* In their order, until one costs nothing. */
static lethe_err scan_all(lethe_seek *s)
{
    uint32_t n = (uint32_t)s->n;
    for (uint32_t i = first_allowed(s, &s->listed, NULL, 0, n);
         i < n && (s->best.price.weight > 0 || s->best.candidate == LETHE_NONE);
         i = first_allowed(s, &s->listed, NULL, i + 1, n))
        LETHE_TRY(take_up(s, s->class_of[i], (lethe_price){0, 0}));
    return s->n_batch > 0 ? flush(s) : LETHE_OK;
}

lethe_err lethe_seek_nearest(lethe_seek *s, const lethe_nearest_of *q, uint32_t *out,
                             lethe_price *price, uint64_t *pairs)
{
    LETHE_TRY(set_query(s, q));
    uint32_t first = first_allowed(s, &s->sized, s->by_size, 0, (uint32_t)s->n);
    *out = LETHE_NONE;
    if (first == s->n) return LETHE_OK;
    if (is_unbounded(s)) {
        LETHE_TRY(scan_all(s));
    } else if (!find_equal(s)) {
        // nothing matched: of these the smallest is the nearest, and any other must beat it
        uint32_t c = s->by_size[first], size = s->class[s->class_of[c]].size;
        s->best = (struct found){s->class_of[c], c, least_price(s, q->n + size, 0), true};
        LETHE_TRY(order_lists(s));
        LETHE_TRY(scan_levels(s));
    }
    *out = s->best.candidate;
    *price = s->best.price;
    *pairs += s->pairs;
    return LETHE_OK;
}
