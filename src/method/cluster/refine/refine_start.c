/* SPDX-License-Identifier: Apache-2.0 */
/* refine_start.c - groups gathered one after the other from the nearest records (refine_start.h).
 */
#include "method/cluster/refine/refine_start.h"
#include "method/cluster/refine/mass_sketch.h"
#include "core/dict.h"
#include <stdlib.h>

enum {
    PASSED_MOST = 4096, /* runs of records passed over because the group has their person */
    AROUND = 128,       /* groups examined on either side, for a record that is left over */
    ADVANCE = 64,       /* groups, or members of one, between two checks for cancellation */
};

/* A record at its place in the order. */
struct keyed {
    uint64_t mass;
    const lethe_ancestors *v;
    uint64_t most;  /* its overlap with the M of the group `asked` - 1 is no more */
    uint32_t asked; /* 0: of none */
    uint32_t record;
    uint32_t next_own; /* the next place with a record of the same person */
};

struct start_group {
    lethe_ancestors_min m;
    uint64_t mass;  /* of m */
    uint64_t first; /* the mass of the record it began with */
    uint64_t size;  /* records */
};

/* A person, in a ring of all that have records left, in the order of their first. */
struct person {
    uint32_t left;  /* records; */
    uint32_t first; /* a place, none of its records left being before it; */
    uint32_t in;    /* and 1 + the last group it is in */
    uint32_t before, after;
};

struct start {
    lethe_ctx *ctx;
    const lethe_tree *t;
    const lethe_ancestors *vector;
    lethe_refine_grouping *g;
    uint64_t window;
    struct keyed *order;
    lethe_mass_sketcher *parts;
    lethe_mass_sketch *sketch; /* of each place */
    lethe_mass_sketch of_m;    /* and of the group being made */
    /* A ring of the places left; n is where it begins and ends.  From a place that is taken, `next`
     * still leads on to the first one left. */
    uint32_t *before, *next;
    uint32_t *past; /* of each place one after it: all that are left between are of its person */
    struct person *person;       /* one more: where the ring begins and ends */
    size_t n_persons, persons;   /* all, and those that have records left */
    lethe_ancestors_dense *laid; /* the M of the group being made */
    lethe_ancestors_min m;
    uint64_t mass; /* of m */
    struct start_group *made;
};

static int compare_keyed(const void *p, const void *q)
{
    const struct keyed *a = p, *b = q;
    if (a->mass != b->mass) return a->mass > b->mass ? -1 : 1;
    size_t n = LETHE_MIN(a->v->n, b->v->n);
    for (size_t i = 0; i < n; i++) {
        lethe_ancestors_entry x = a->v->at[i], y = b->v->at[i];
        if (x.node != y.node) return x.node < y.node ? -1 : 1;
        if (x.count != y.count) return x.count > y.count ? -1 : 1;
    }
    if (a->v->n != b->v->n) return a->v->n > b->v->n ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

static struct person *owner_of(const struct start *s, uint32_t r)
{
    return &s->person[s->g->owner ? s->g->owner[r] : r];
}

static void load_m(struct start *s)
{
    lethe_ancestors m = lethe_ancestors_min_view(&s->m);
    lethe_ancestors_dense_set(s->laid, &m);
    lethe_mass_sketch_of(s->parts, m.at, m.n, &s->of_m);
    s->mass = lethe_ancestors_mass(s->t, &m);
}

/* Puts the record at a place into a group. */
static void take(struct start *s, uint32_t place, uint32_t group)
{
    uint32_t r = s->order[place].record;
    struct person *p = owner_of(s, r);
    s->next[s->before[place]] = s->next[place];
    s->before[s->next[place]] = s->before[place];
    s->g->group[r] = group;
    p->in = group + 1;
    if (--p->left > 0) return;
    s->person[p->before].after = p->after;
    s->person[p->after].before = p->before;
    s->persons--;
}

/* --- passing over a person's records --- */

/* The first place left from `at` on; paths are compressed. */
static uint32_t first_left(const struct start *s, uint32_t at)
{
    uint32_t end = (uint32_t)s->g->n, to = at;
    while (to != end && s->g->group[s->order[to].record] != LETHE_NONE)
        to = s->next[to];
    while (at != to) {
        uint32_t next = s->next[at];
        s->next[at] = to;
        at = next;
    }
    return to;
}

/* The first place left after `at` with another person's record; paths are compressed, so that a
 * person who owns most records costs little. */
static uint32_t pass_over(const struct start *s, uint32_t at)
{
    const struct person *p = owner_of(s, s->order[at].record);
    uint32_t end = (uint32_t)s->g->n, to = at;
    do
        to = first_left(s, s->past[to]);
    while (to != end && owner_of(s, s->order[to].record) == p);
    while (at != to) {
        uint32_t next = first_left(s, s->past[at]);
        s->past[at] = to;
        at = next;
    }
    return to;
}

/* The first record of the first person, in order of first records, that is not in the group. */
static uint32_t first_of_others(const struct start *s, uint32_t group)
{
    struct person *p = &s->person[s->person[s->n_persons].after];
    while (p->in == group + 1)
        p = &s->person[p->after];
    while (s->g->group[s->order[p->first].record] != LETHE_NONE)
        p->first = s->order[p->first].next_own;
    return p->first;
}

/* --- the nearest --- */

/* The best so far; ties go to the first in order. */
struct best {
    uint64_t cost;
    uint32_t place;  /* n: none */
    uint32_t second; /* what was the best before */
};

static bool is_better(const struct best *b, uint64_t cost, uint32_t place)
{
    return cost < b->cost || (cost == b->cost && place < b->place);
}

/* The growth of GGD if a record with that overlap with M joins, except for its items. */
static uint64_t cost_of(const struct start *s, const struct keyed *k, uint64_t size, uint64_t both)
{
    return (k->mass - both) + size * (s->mass - both);
}

/* M only shrinks, so an overlap computed or bounded once for this group bounds all later ones: most
 * records are bounded once, and few are counted. */
static void examine(const struct start *s, uint32_t group, uint64_t size, uint32_t place,
                    struct best *best)
{
    struct keyed *k = &s->order[place];
    if (k->asked != group + 1) {
        k->asked = group + 1;
        k->most = lethe_mass_sketch_overlap_bound(s->parts, &s->sketch[place], &s->of_m);
    }
    k->most = LETHE_MIN(k->most, LETHE_MIN(k->mass, s->mass));
    if (!is_better(best, cost_of(s, k, size, k->most), place)) return;
    k->most = lethe_ancestors_dense_overlap(s->laid, k->v);
    uint64_t cost = cost_of(s, k, size, k->most);
    if (!is_better(best, cost, place)) return;
    *best = (struct best){cost, place, best->place};
}

/* The place of the record that raises GGD least; there is one of another person.  `hint`: a place
 * of the window that may be good, or n. */
static uint32_t nearest(const struct start *s, uint32_t group, uint64_t size, uint32_t *hint)
{
    uint32_t end = (uint32_t)s->g->n;
    uint64_t looked_at = 0, passed = 0;
    struct best best = {UINT64_MAX, end, end};
    if (*hint != end && owner_of(s, s->order[*hint].record)->in != group + 1)
        examine(s, group, size, *hint, &best);
    for (uint32_t at = s->next[end]; at != end && looked_at < s->window;) {
        const struct keyed *k = &s->order[at];
        // what is left is lighter still, and comes later
        if (!is_better(&best, k->mass < s->mass ? size * (s->mass - k->mass) : 0, at)) break;
        if (owner_of(s, k->record)->in == group + 1) {
            if (++passed > PASSED_MOST) break;
            at = pass_over(s, at);
            continue;
        }
        looked_at++;
        if (at != *hint) examine(s, group, size, at, &best);
        at = s->next[at];
    }
    *hint = best.second;
    return best.place != end ? best.place : first_of_others(s, group);
}

static lethe_err make_group(struct start *s, uint32_t group)
{
    uint32_t end = (uint32_t)s->g->n, place = s->next[end], hint = end;
    struct start_group *made = &s->made[group];
    made->first = s->order[place].mass;
    lethe_ancestors_dense_set(s->laid, NULL); // what is laid out changes
    LETHE_TRY(lethe_ancestors_min_set(&s->m, s->order[place].v));
    take(s, place, group);
    load_m(s);
    for (made->size = 1; made->size < s->g->k; made->size++) {
        if (made->size % ADVANCE == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        place = nearest(s, group, made->size, &hint);
        lethe_ancestors_dense_set(s->laid, NULL);
        lethe_ancestors_min_meet(&s->m, s->order[place].v);
        take(s, place, group);
        load_m(s);
    }
    made->mass = s->mass;
    lethe_ancestors m = lethe_ancestors_min_view(&s->m);
    return lethe_ancestors_min_set(&made->m, &m);
}

/* --- what is left --- */

/* The left-over record at a place joins the best group, among those that began with similar mass.
 */
static void join_nearest(struct start *s, uint32_t place)
{
    const struct keyed *k = &s->order[place];
    uint32_t lo = 0, hi = s->g->n_groups, best_group = 0;
    while (lo < hi) { // the first group whose first record is no heavier
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->made[mid].first > k->mass)
            lo = mid + 1;
        else
            hi = mid;
    }
    hi = LETHE_MIN(s->g->n_groups, lo + AROUND);
    lo = lo > AROUND ? lo - AROUND : 0;
    uint64_t best = UINT64_MAX;
    lethe_ancestors_dense_set(s->laid, k->v);
    for (uint32_t g = lo; g < hi; g++) {
        const struct start_group *to = &s->made[g];
        uint64_t both = LETHE_MIN(k->mass, to->mass); // at most
        if ((k->mass - both) + to->size * (to->mass - both) >= best) continue;
        lethe_ancestors m = lethe_ancestors_min_view(&to->m);
        both = lethe_ancestors_dense_overlap(s->laid, &m);
        uint64_t cost = (k->mass - both) + to->size * (to->mass - both);
        if (cost < best) {
            best = cost;
            best_group = g;
        }
    }
    struct start_group *to = &s->made[best_group];
    lethe_ancestors_min_meet(&to->m, k->v);
    lethe_ancestors m = lethe_ancestors_min_view(&to->m);
    to->mass = lethe_ancestors_mass(s->t, &m);
    to->size++;
    take(s, place, best_group);
}

static lethe_err make_groups(struct start *s)
{
    uint32_t end = (uint32_t)s->g->n;
    s->g->n_groups = 0;
    while (s->persons >= s->g->k) {
        if (s->g->n_groups % ADVANCE == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(make_group(s, s->g->n_groups));
        s->g->n_groups++;
        lethe_ctx_advance(s->ctx, s->g->k);
    }
    lethe_ancestors_dense_set(s->laid, NULL);
    if (s->g->n_groups == 0) { // too few persons
        memset(s->g->group, 0, s->g->n * sizeof *s->g->group);
        s->g->n_groups = s->g->n > 0;
        return LETHE_OK;
    }
    for (uint64_t i = 1; s->next[end] != end; i++) {
        if (i % ADVANCE == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        join_nearest(s, s->next[end]);
        lethe_ctx_advance(s->ctx, 1);
    }
    return LETHE_OK;
}

/* --- begin and end --- */

static lethe_err sketch_place(void *arg, size_t i, unsigned w)
{
    struct start *s = arg;
    (void)w;
    lethe_mass_sketch_of(s->parts, s->order[i].v->at, s->order[i].v->n, &s->sketch[i]);
    return LETHE_OK;
}

static lethe_err begin(struct start *s)
{
    uint32_t n = (uint32_t)s->g->n;
    s->n_persons = s->g->owner ? s->g->n_owners : n;
    s->order = lethe_alloc(n, sizeof *s->order);
    s->sketch = lethe_alloc(n, sizeof *s->sketch);
    s->before = lethe_alloc((size_t)n + 1, sizeof *s->before);
    s->next = lethe_alloc((size_t)n + 1, sizeof *s->next);
    s->past = lethe_alloc(n, sizeof *s->past);
    s->person = lethe_alloc_zero(s->n_persons + 1, sizeof *s->person);
    s->laid = lethe_ancestors_dense_new(s->t);
    s->made = lethe_alloc_zero(n / s->g->k, sizeof *s->made);
    if (!s->order || !s->sketch || !s->before || !s->next || !s->past || !s->person || !s->laid ||
        !s->made)
        return LETHE_ENOMEM;
    LETHE_TRY(lethe_mass_sketcher_new(s->t, s->vector, n, &s->parts));
    for (uint32_t r = 0; r < n; r++) {
        s->order[r] = (struct keyed){
            .mass = lethe_ancestors_mass(s->t, &s->vector[r]), .v = &s->vector[r], .record = r};
        s->g->group[r] = LETHE_NONE;
    }
    if (n > 1) qsort(s->order, n, sizeof *s->order, compare_keyed);
    for (uint32_t i = 0; i <= n; i++) {
        s->next[i] = i < n ? i + 1 : 0;
        s->before[i] = i > 0 ? i - 1 : n;
        if (i < n) s->past[i] = i + 1;
    }
    /* Persons enter the ring in the order of their first records; the places of a person's records
     * are chained, from the last place to the first. */
    struct person *ring = &s->person[s->n_persons];
    ring->before = ring->after = (uint32_t)s->n_persons;
    for (uint32_t i = n; i-- > 0;) {
        struct person *p = owner_of(s, s->order[i].record);
        s->order[i].next_own = p->first; // of the last record: of no use
        p->first = i;
        p->left++;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct person *p = owner_of(s, s->order[i].record);
        if (p->first != i) continue;
        p->before = ring->before;
        p->after = (uint32_t)s->n_persons;
        ring->before = s->person[p->before].after = (uint32_t)(p - s->person);
        s->persons++;
    }
    return lethe_pool_for(s->ctx, n, sketch_place, s);
}

static void end(struct start *s)
{
    for (size_t i = 0; s->made && i < s->g->n / s->g->k; i++)
        lethe_ancestors_min_free(&s->made[i].m);
    void *const all[] = {s->order, s->sketch, s->before, s->next, s->past, s->person, s->made};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    lethe_ancestors_dense_free(s->laid);
    lethe_mass_sketcher_free(s->parts);
    lethe_ancestors_min_free(&s->m);
}

lethe_err lethe_refine_start(lethe_ctx *ctx, const lethe_tree *t, const lethe_ancestors *vector,
                             uint64_t window, lethe_refine_grouping *g)
{
    assert(g->n < LETHE_NONE && g->k > 0 && window > 0);
    struct start s = {.ctx = ctx, .t = t, .vector = vector, .g = g, .window = window};
    lethe_ctx_phase(ctx, "clusters", g->n);
    lethe_err e = begin(&s);
    if (e == LETHE_OK) e = make_groups(&s);
    end(&s);
    return e;
}
