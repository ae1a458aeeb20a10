#include "algo/refine_start.h"
#include "core/dict.h"
#include <stdlib.h>

enum { AROUND = 128 }; /* groups looked at on either side, for a record that is left over */
enum { ADVANCE = 64 }; /* groups between two looks at the clock */

struct keyed {
    uint64_t mass;
    const lethe_ancestors *v;
    uint32_t record;
};

struct start {
    lethe_ctx *ctx;
    const lethe_tree *t;
    const lethe_ancestors *vector;
    lethe_grouping *g;
    uint64_t window;
    lethe_arena *arena;
    struct keyed *order;
    uint32_t *next;          /* place n is the end; the list of those left begins at next[n] */
    uint32_t *left_of;       /* of each person: records left; */
    uint32_t *in;            /* and 1 + the last group it is in */
    size_t persons;          /* that have records left */
    uint32_t *stamp, *count; /* of each node: the M of the group being made */
    uint32_t now;
    lethe_least m;
    uint64_t mass;          /* of m */
    lethe_above **made;     /* of each group made: its M, */
    size_t *n_made;         /* how many counts, */
    uint64_t *first, *size; /* the mass of the record it began with, and its records */
};

static int compare_keyed(const void *p, const void *q)
{
    const struct keyed *a = p, *b = q;
    if (a->mass != b->mass) return a->mass > b->mass ? -1 : 1;
    size_t n = LETHE_MIN(a->v->n, b->v->n);
    for (size_t i = 0; i < n; i++) {
        lethe_above x = a->v->at[i], y = b->v->at[i];
        if (x.node != y.node) return x.node < y.node ? -1 : 1;
        if (x.count != y.count) return x.count > y.count ? -1 : 1;
    }
    if (a->v->n != b->v->n) return a->v->n > b->v->n ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

static uint32_t owner_of(const struct start *s, uint32_t r)
{
    return s->g->owner ? s->g->owner[r] : r;
}

static void load(struct start *s)
{
    if (++s->now == 0) {
        memset(s->stamp, 0, s->t->n * sizeof *s->stamp);
        s->now = 1;
    }
    s->mass = 0;
    for (size_t i = 0; i < s->m.n; i++) {
        s->stamp[s->m.at[i].node] = s->now;
        s->count[s->m.at[i].node] = s->m.at[i].count;
        s->mass += (uint64_t)s->m.at[i].count * lethe_weight(s->t, s->m.at[i].node);
    }
}

static uint64_t overlap(const struct start *s, const lethe_above *at, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (s->stamp[at[i].node] == s->now)
            sum += (uint64_t)LETHE_MIN(at[i].count, s->count[at[i].node]) *
                   lethe_weight(s->t, at[i].node);
    return sum;
}

/* Takes the one after place `before` off the list. */
static uint32_t take(struct start *s, uint32_t before, uint32_t group)
{
    uint32_t place = s->next[before], r = s->order[place].record, p = owner_of(s, r);
    s->next[before] = s->next[place];
    s->g->group[r] = group;
    s->in[p] = group + 1;
    s->persons -= --s->left_of[p] == 0;
    return r;
}

/* The place before the one that raises GGD least; there is one of another person. */
static uint32_t nearest(const struct start *s, uint32_t group, uint64_t size)
{
    uint32_t end = (uint32_t)s->g->n, best_before = end;
    uint64_t best = UINT64_MAX, looked_at = 0, passed = 0;
    for (uint32_t before = end, at; (at = s->next[before]) != end; before = at) {
        const struct keyed *k = &s->order[at];
        // what is left is lighter still; or too many of persons that are there already
        if (k->mass < s->mass && size * (s->mass - k->mass) >= best) break;
        if (looked_at > 0 && ++passed > 64 * s->window) break;
        if (s->in[owner_of(s, k->record)] == group + 1) continue;
        uint64_t both = overlap(s, k->v->at, k->v->n);
        uint64_t cost = (k->mass - both) + size * (s->mass - both);
        if (cost < best) {
            best = cost;
            best_before = before;
        }
        if (++looked_at == s->window) break;
    }
    return best_before;
}

static lethe_err make_group(struct start *s, uint32_t group)
{
    uint32_t end = (uint32_t)s->g->n;
    s->first[group] = s->order[s->next[end]].mass;
    LETHE_TRY(lethe_least_set(&s->m, &s->vector[take(s, end, group)]));
    for (uint64_t size = 1; size < s->g->k; size++) {
        load(s);
        lethe_least_meet(&s->m, &s->vector[take(s, nearest(s, group, size), group)]);
    }
    s->size[group] = s->g->k;
    s->n_made[group] = s->m.n;
    s->made[group] = lethe_new(s->arena, lethe_above, s->m.n);
    if (!s->made[group]) return LETHE_ENOMEM;
    if (s->m.n > 0) memcpy(s->made[group], s->m.at, s->m.n * sizeof *s->m.at);
    return LETHE_OK;
}

/* --- what is left --- */

static uint64_t mass_of(const struct start *s, uint32_t group)
{
    lethe_ancestors v = {s->made[group], s->n_made[group], 0};
    return lethe_mass(s->t, &v);
}

static lethe_err join_nearest(struct start *s, uint32_t before)
{
    const struct keyed *k = &s->order[s->next[before]];
    uint32_t lo = 0, hi = s->g->n_groups, best_group = 0;
    uint64_t best = UINT64_MAX;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->first[mid] > k->mass)
            lo = mid + 1;
        else
            hi = mid;
    }
    hi = LETHE_MIN(s->g->n_groups, lo + AROUND);
    lo = lo > AROUND ? lo - AROUND : 0;
    LETHE_TRY(lethe_least_set(&s->m, k->v));
    load(s);
    for (uint32_t g = lo; g < hi; g++) {
        uint64_t both = overlap(s, s->made[g], s->n_made[g]);
        uint64_t cost = (k->mass - both) + s->size[g] * (mass_of(s, g) - both);
        if (cost < best) {
            best = cost;
            best_group = g;
        }
    }
    lethe_least m = {s->made[best_group], s->n_made[best_group], s->n_made[best_group], 0};
    lethe_least_meet(&m, k->v);
    s->n_made[best_group] = m.n;
    s->size[best_group]++;
    (void)take(s, before, best_group);
    return LETHE_OK;
}

static lethe_err run(struct start *s)
{
    uint32_t end = (uint32_t)s->g->n;
    s->g->n_groups = 0;
    while (s->persons >= s->g->k) {
        if (s->g->n_groups % ADVANCE == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(make_group(s, s->g->n_groups));
        s->g->n_groups++;
        lethe_ctx_advance(s->ctx, s->g->k);
    }
    if (s->g->n_groups == 0) { // too few persons
        memset(s->g->group, 0, s->g->n * sizeof *s->g->group);
        s->g->n_groups = s->g->n > 0;
        return LETHE_OK;
    }
    for (uint64_t i = 1; s->next[end] != end; i++) {
        if (i % ADVANCE == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(join_nearest(s, end));
        lethe_ctx_advance(s->ctx, 1);
    }
    return LETHE_OK;
}

/* --- begin and end --- */

static lethe_err begin(struct start *s)
{
    size_t n = s->g->n, n_owners = s->g->owner ? s->g->n_owners : n, most = n / s->g->k;
    s->arena = lethe_arena_new();
    s->order = lethe_alloc(n, sizeof *s->order);
    s->next = lethe_alloc(n + 1, sizeof *s->next);
    s->left_of = lethe_alloc_zero(n_owners, sizeof *s->left_of);
    s->in = lethe_alloc_zero(n_owners, sizeof *s->in);
    s->stamp = lethe_alloc_zero(s->t->n, sizeof *s->stamp);
    s->count = lethe_alloc(s->t->n, sizeof *s->count);
    s->made = lethe_alloc(most, sizeof *s->made);
    s->n_made = lethe_alloc(most, sizeof *s->n_made);
    s->first = lethe_alloc(most, sizeof *s->first);
    s->size = lethe_alloc(most, sizeof *s->size);
    if (!s->arena || !s->order || !s->next || !s->left_of || !s->in || !s->stamp || !s->count ||
        !s->made || !s->n_made || !s->first || !s->size)
        return LETHE_ENOMEM;
    for (uint32_t r = 0; r < n; r++) {
        s->order[r] = (struct keyed){lethe_mass(s->t, &s->vector[r]), &s->vector[r], r};
        s->persons += s->left_of[owner_of(s, r)]++ == 0;
    }
    if (n > 1) qsort(s->order, n, sizeof *s->order, compare_keyed);
    for (uint32_t i = 0; i <= n; i++)
        s->next[i] = i < n ? i + 1 : 0;
    return LETHE_OK;
}

static void end_of(struct start *s)
{
    lethe_arena_free(s->arena);
    lethe_free(s->order);
    lethe_free(s->next);
    lethe_free(s->left_of);
    lethe_free(s->in);
    lethe_free(s->stamp);
    lethe_free(s->count);
    lethe_free(s->made);
    lethe_free(s->n_made);
    lethe_free(s->first);
    lethe_free(s->size);
    lethe_least_free(&s->m);
}

lethe_err lethe_start_nearest(lethe_ctx *ctx, const lethe_tree *t, const lethe_ancestors *vector,
                              uint64_t window, lethe_grouping *g)
{
    assert(g->n < LETHE_NONE && g->k > 0 && window > 0);
    struct start s = {.ctx = ctx, .t = t, .vector = vector, .g = g, .window = window};
    lethe_ctx_phase(ctx, "clusters", g->n);
    lethe_err e = begin(&s);
    if (e == LETHE_OK) e = run(&s);
    end_of(&s);
    return e;
}
