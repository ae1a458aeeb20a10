/* SPDX-License-Identifier: Apache-2.0 */
/* refine_ggd.c - the model of GGD for refine.h: M of each group, its differences without one
 * member, bounds of overlaps, and the groups near a record. */
#include "method/cluster/refine/refine_ggd.h"
#include "method/cluster/refine/mass_sketch.h"
#include "core/dict.h"
#include <stdlib.h>

/* Groups examined for a record: those of similar mass, and those that share its rare nodes; a node
 * is rare if at most RARE groups have it. */
enum { OF_NEAR_MASS = 192, OF_RARE_NODES = 192, RARE = 64 };
enum { FEW = 24 }; /* a group whose M has so few counts is compared as quickly as its sketch */

struct group {
    lethe_ancestors_entry *m; /* M, ascending */
    uint32_t n_m;
    /* Without member i, M has more[j] in place of less[j], which may be 0, for j from d_at[i] to
     * d_at[i + 1] - 1. */
    lethe_ancestors_entry *more, *less;
    uint32_t *d_at;
    size_t room_m, room_more, room_less, room_at;
    uint32_t n; /* members */
    uint64_t mass, items;
    uint64_t turn;            /* when it changed */
    lethe_mass_sketch sketch; /* of M */
};

/* The groups near a record at its last search, and the loss if it joined them. */
struct known {
    int64_t cost[LETHE_REFINE_NEAR];
    uint32_t group[LETHE_REFINE_NEAR];
    uint32_t n;
};

/* A node, while the members of a group are counted. */
struct cell {
    uint32_t stamp;
    uint32_t n;           /* members that have it */
    uint32_t least, next; /* the two least counts, equal ones apart */
    uint32_t who;         /* the member with the least */
    uint32_t mixed;       /* exclusive or of the numbers of all that have it: shows who lacks it */
};

struct worker {
    struct cell *cell;
    uint32_t cell_stamp;
    uint32_t *touched; /* nodes */
    size_t room_touched;
    lethe_ancestors_dense *own;     /* the counts of the record asked about: */
    uint32_t own_of;                /* that one; LETHE_NONE: none */
    uint32_t met;                   /* the group that it was last compared with, */
    uint64_t overlap;               /* and its overlap with that one's M */
    lethe_ancestors_dense *without; /* of a record's group the M without it; */
    uint32_t without_of;            /* whose; LETHE_NONE: nobody's */
    lethe_mass_sketch without_sketch;
    lethe_ancestors_entry *counts; /* what is laid out there */
    size_t room_counts;
    uint32_t *seen; /* groups, by stamp */
    size_t room_seen;
    uint32_t seen_stamp;
    lethe_ancestors_min least;
};

struct heavy {
    uint64_t mass;
    uint32_t group;
};

/* An index of groups. */
struct index {
    struct heavy *by_mass; /* ascending, then by number */
    size_t n, room;
    uint32_t *start; /* for each node and one more: groups whose M has it */
    uint32_t *group;
    size_t room_group;
};

struct model {
    const lethe_tree *t;
    const lethe_ancestors *vector;
    struct group *at;
    size_t room;  /* groups */
    uint32_t *of; /* the group of each record, and its place there */
    uint32_t *place;
    uint64_t *mass;      /* of each record; */
    uint64_t *without;   /* and of its group's M without it; UINT64_MAX: it is alone there */
    struct known *known; /* of each record */
    lethe_mass_sketcher *parts;
    lethe_mass_sketch *sketch; /* of each record */
    uint64_t fewest;           /* members of a group */
    uint64_t turn;
    struct index all, changed;
    struct worker *worker;
    unsigned n_workers;
};

static lethe_err reserve(void *pp, size_t *room, size_t need, size_t size)
{
    void *p;
    if (need <= *room) return LETHE_OK;
    memcpy(&p, pp, sizeof p);
    p = lethe_realloc(p, need + need / 4, size);
    if (!p) return LETHE_ENOMEM;
    memcpy(pp, &p, sizeof p);
    *room = need + need / 4;
    return LETHE_OK;
}

/* --- overlaps --- */

static void forget_loaded(struct worker *w) { w->own_of = w->met = w->without_of = LETHE_NONE; }

/* Of r with the M of a group. */
static uint64_t overlap_of(const struct model *x, struct worker *w, uint32_t r, uint32_t group)
{
    const struct group *g = &x->at[group];
    if (w->own_of == r && w->met == group) return w->overlap;
    if (w->own_of != r) lethe_ancestors_dense_set(w->own, &x->vector[r]);
    w->own_of = r;
    w->met = group;
    w->overlap = lethe_ancestors_dense_overlap(w->own, &(lethe_ancestors){g->m, g->n_m, 0});
    return w->overlap;
}

/* Of r with the M of b's group without b, which has others. */
static uint64_t overlap_without(const struct model *x, struct worker *w, uint32_t r, uint32_t b)
{
    const struct group *g = &x->at[x->of[b]];
    uint32_t from = g->d_at[x->place[b]], n = g->d_at[x->place[b] + 1] - from;
    uint64_t sum = overlap_of(x, w, r, x->of[b]);
    if (n == 0) return sum; // there may be no differences at all
    sum += lethe_ancestors_dense_overlap(w->own, &(lethe_ancestors){g->more + from, n, 0});
    return sum - lethe_ancestors_dense_overlap(w->own, &(lethe_ancestors){g->less + from, n, 0});
}

/* Differences at nodes that all members have are in the order of M; the others are appended. */
static lethe_err load_without(const struct model *x, struct worker *w, uint32_t r)
{
    const struct group *g = &x->at[x->of[r]];
    uint32_t from = g->d_at[x->place[r]], to = g->d_at[x->place[r] + 1];
    size_t n = g->n_m, i = 0;
    if (w->without_of == r) return LETHE_OK;
    w->without_of = LETHE_NONE;
    lethe_ancestors_dense_set(w->without, NULL); // while its entries still exist
    LETHE_TRY(reserve(&w->counts, &w->room_counts, n + (to - from), sizeof *w->counts));
    if (n > 0) memcpy(w->counts, g->m, n * sizeof *w->counts);
    for (uint32_t j = from; j < to; j++) {
        if (g->less[j].count == 0) {
            w->counts[n++] = g->more[j];
            continue;
        }
        while (w->counts[i].node != g->more[j].node)
            i++;
        w->counts[i] = g->more[j];
    }
    lethe_ancestors_dense_set(w->without, &(lethe_ancestors){w->counts, n, 0});
    lethe_mass_sketch_of(x->parts, w->counts, n, &w->without_sketch);
    w->without_of = r;
    return LETHE_OK;
}

/* --- the price of a change: the sum of all |t| in GGD never changes --- */

static lethe_err model_cost(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out)
{
    struct model *x = arg;
    lethe_ancestors_min *m = &x->worker[w].least;
    uint64_t items = 0;
    LETHE_TRY(lethe_ancestors_min_set(m, &x->vector[member[0]]));
    for (size_t i = 0; i < n; i++) {
        if (i > 0) lethe_ancestors_min_meet(m, &x->vector[member[i]]);
        items += x->vector[member[i]].size;
    }
    lethe_ancestors view = lethe_ancestors_min_view(m);
    *out = lethe_ancestors_ggd(x->t, items, n, lethe_ancestors_mass(x->t, &view));
    return LETHE_OK;
}

static lethe_err model_join(void *arg, unsigned w, uint32_t r, uint32_t group, int64_t *out)
{
    struct model *x = arg;
    const struct group *g = &x->at[group];
    uint64_t overlap = overlap_of(x, &x->worker[w], r, group);
    uint64_t gone = x->vector[r].size * lethe_tree_scale(x->t) + g->n * g->mass;
    *out = (int64_t)gone - (int64_t)((g->n + (uint64_t)1) * overlap);
    return LETHE_OK;
}

static lethe_err model_leave(void *arg, unsigned w, uint32_t r, int64_t *out)
{
    struct model *x = arg;
    const struct group *g = &x->at[x->of[r]];
    (void)w;
    uint64_t back = x->vector[r].size * lethe_tree_scale(x->t) + (g->n - 1) * x->without[r];
    *out = (int64_t)(g->n * g->mass) - (int64_t)back;
    return LETHE_OK;
}

/* The gain of a group if the mass of its M becomes `mass`. */
static int64_t gain_of(const struct group *g, uint64_t mass)
{
    return (int64_t)g->n * ((int64_t)mass - (int64_t)g->mass);
}

/* A bound of the gain of b's group if a replaces b: the overlap of a with M without b exceeds that
 * with M by at most the difference of the masses. */
static int64_t most_for_other(const struct model *x, struct worker *w, uint32_t a, uint32_t b)
{
    const struct group *g = &x->at[x->of[b]];
    if (g->n == 1) return gain_of(g, x->mass[a]);
    uint64_t most = overlap_of(x, w, a, x->of[b]) + (x->without[b] - g->mass);
    return gain_of(g, LETHE_MIN(most, x->mass[a]));
}

/* Bounds come first, cheap ones before expensive ones. */
static lethe_err model_swap(void *arg, unsigned worker, uint32_t a, uint32_t b, int64_t bound,
                            int64_t *out)
{
    struct model *x = arg;
    struct worker *w = &x->worker[worker];
    const struct group *ga = &x->at[x->of[a]], *gb = &x->at[x->of[b]];
    int64_t at_a = gain_of(ga, LETHE_MIN(x->without[a], x->mass[b]));
    int64_t at_b = gain_of(gb, LETHE_MIN(x->without[b], x->mass[a]));
    *out = -(at_a + at_b);
    if (*out >= bound) return LETHE_OK;
    at_b = most_for_other(x, w, a, b);
    *out = -(at_a + at_b);
    if (*out >= bound) return LETHE_OK;
    if (ga->n > 1) {
        LETHE_TRY(load_without(x, w, a));
        uint64_t most =
            lethe_mass_sketch_overlap_bound(x->parts, &w->without_sketch, &x->sketch[b]);
        at_a = gain_of(ga, LETHE_MIN(most, LETHE_MIN(x->without[a], x->mass[b])));
        *out = -(at_a + at_b);
        if (*out >= bound) return LETHE_OK;
    }
    if (gb->n > 1) at_b = gain_of(gb, overlap_without(x, w, a, b));
    *out = -(at_a + at_b);
    if (*out >= bound || ga->n == 1) return LETHE_OK;
    at_a = gain_of(ga, lethe_ancestors_dense_overlap(w->without, &x->vector[b]));
    *out = -(at_a + at_b);
    return LETHE_OK;
}

/* --- a group that changed --- */

/* Adds the counts of one member.  A node that both of the first two lack is neither in M nor in a
 * difference. */
static void count_member(struct worker *w, uint32_t i, const lethe_ancestors *v, size_t *n_touched)
{
    for (size_t j = 0; j < v->n; j++) {
        struct cell *c = &w->cell[v->at[j].node];
        uint32_t count = v->at[j].count;
        if (c->stamp != w->cell_stamp) {
            if (i > 1) continue;
            *c = (struct cell){w->cell_stamp, 0, UINT32_MAX, UINT32_MAX, 0, 0};
            w->touched[(*n_touched)++] = v->at[j].node;
        }
        c->n++;
        c->mixed ^= i;
        if (count < c->least) {
            c->next = c->least;
            c->least = count;
            c->who = i;
        } else if (count < c->next) {
            c->next = count;
        }
    }
}

/* The member whose difference the node is; UINT32_MAX: none. */
static uint32_t whose(const struct cell *c, uint32_t n, uint32_t all_mixed)
{
    if (n == 1) return UINT32_MAX;
    if (c->n == n) return c->next > c->least ? c->who : UINT32_MAX;
    return c->n == n - 1 ? all_mixed ^ c->mixed : UINT32_MAX;
}

/* d_at[i + 1] = how many differences member i has; M itself. */
static void fill_m(const struct model *x, struct group *g, const struct worker *w, size_t n_touched,
                   uint32_t mixed)
{
    g->n_m = 0;
    g->mass = 0;
    memset(g->d_at, 0, (g->n + (size_t)2) * sizeof *g->d_at);
    for (size_t j = 0; j < n_touched; j++) {
        uint32_t v = w->touched[j], i;
        const struct cell *c = &w->cell[v];
        if (c->n == g->n) {
            g->m[g->n_m++] = (lethe_ancestors_entry){v, c->least};
            g->mass += (uint64_t)c->least * lethe_ancestors_weight(x->t, v);
        }
        if ((i = whose(c, g->n, mixed)) != UINT32_MAX) g->d_at[i + 2]++;
    }
}

/* d_at is two places ahead, so that it is right after filling. */
static void fill_differences(struct group *g, const struct worker *w, size_t n_touched,
                             uint32_t mixed)
{
    for (uint32_t i = 1; i <= g->n; i++)
        g->d_at[i + 1] += g->d_at[i];
    for (size_t j = 0; j < n_touched; j++) {
        uint32_t v = w->touched[j], i = whose(&w->cell[v], g->n, mixed);
        if (i == UINT32_MAX) continue;
        const struct cell *c = &w->cell[v];
        uint32_t at = g->d_at[i + 1]++;
        bool all = c->n == g->n;
        g->less[at] = (lethe_ancestors_entry){v, all ? c->least : 0};
        g->more[at] = (lethe_ancestors_entry){v, all ? c->next : c->least};
    }
}

static void fill_members(struct model *x, uint32_t number, const uint32_t *member)
{
    const struct group *g = &x->at[number];
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t r = member[i];
        uint64_t mass = g->mass;
        for (uint32_t j = g->d_at[i]; j < g->d_at[i + 1]; j++)
            mass += (uint64_t)(g->more[j].count - g->less[j].count) *
                    lethe_ancestors_weight(x->t, g->more[j].node);
        x->of[r] = number;
        x->place[r] = i;
        x->without[r] = g->n == 1 ? UINT64_MAX : mass;
    }
}

static lethe_err model_change(void *arg, unsigned worker, uint32_t group, const uint32_t *member,
                              size_t n, uint64_t *out)
{
    struct model *x = arg;
    struct worker *w = &x->worker[worker];
    struct group *g = &x->at[group];
    assert(group < x->room);
    g->n = (uint32_t)n;
    *out = 0;
    if (n == 0) return LETHE_OK;
    size_t most = x->vector[member[0]].n + (n > 1 ? x->vector[member[1]].n : 0), n_touched = 0;
    uint32_t mixed = 0;
    LETHE_TRY(reserve(&w->touched, &w->room_touched, most, sizeof *w->touched));
    LETHE_TRY(reserve(&g->d_at, &g->room_at, n + 2, sizeof *g->d_at));
    LETHE_TRY(reserve(&g->m, &g->room_m, x->vector[member[0]].n, sizeof *g->m));
    if (++w->cell_stamp == 0) {
        memset(w->cell, 0, x->t->n * sizeof *w->cell);
        w->cell_stamp = 1;
    }
    g->items = 0;
    for (uint32_t i = 0; i < n; i++) {
        count_member(w, i, &x->vector[member[i]], &n_touched);
        g->items += x->vector[member[i]].size;
        mixed ^= i;
    }
    fill_m(x, g, w, n_touched, mixed);
    size_t n_d = 0;
    for (uint32_t i = 0; i < n; i++)
        n_d += g->d_at[i + 2];
    LETHE_TRY(reserve(&g->more, &g->room_more, n_d, sizeof *g->more));
    LETHE_TRY(reserve(&g->less, &g->room_less, n_d, sizeof *g->less));
    fill_differences(g, w, n_touched, mixed);
    lethe_mass_sketch_of(x->parts, g->m, g->n_m, &g->sketch);
    fill_members(x, group, member);
    *out = lethe_ancestors_ggd(x->t, g->items, n, g->mass);
    return LETHE_OK;
}

/* --- the groups near a record --- */

static int compare_masses(const void *p, const void *q)
{
    const struct heavy *a = p, *b = q;
    if (a->mass != b->mass) return a->mass < b->mass ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

/* Of these groups; NULL: of all n. */
static lethe_err index_masses(const struct model *x, struct index *ix, const uint32_t *group,
                              size_t n)
{
    LETHE_TRY(reserve(&ix->by_mass, &ix->room, n, sizeof *ix->by_mass));
    ix->n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t g = group ? group[i] : (uint32_t)i;
        if (x->at[g].n > 0) ix->by_mass[ix->n++] = (struct heavy){x->at[g].mass, g};
    }
    if (ix->n > 1) qsort(ix->by_mass, ix->n, sizeof *ix->by_mass, compare_masses);
    return LETHE_OK;
}

/* For each node a list of groups, in the order of their masses. */
static lethe_err index_nodes(const struct model *x, struct index *ix)
{
    uint32_t n_nodes = x->t->n;
    size_t sum = 0;
    if (!ix->start) ix->start = lethe_alloc(n_nodes + (size_t)2, sizeof *ix->start);
    if (!ix->start) return LETHE_ENOMEM;
    memset(ix->start, 0, (n_nodes + (size_t)2) * sizeof *ix->start);
    for (size_t i = 0; i < ix->n; i++) {
        const struct group *g = &x->at[ix->by_mass[i].group];
        for (uint32_t j = 0; j < g->n_m; j++)
            ix->start[g->m[j].node + 2]++;
        sum += g->n_m;
    }
    if (sum > UINT32_MAX) return LETHE_ENOMEM;
    LETHE_TRY(reserve(&ix->group, &ix->room_group, sum, sizeof *ix->group));
    for (uint32_t v = 0; v < n_nodes; v++)
        ix->start[v + 2] += ix->start[v + 1];
    for (size_t i = 0; i < ix->n; i++) {
        const struct group *g = &x->at[ix->by_mass[i].group];
        for (uint32_t j = 0; j < g->n_m; j++)
            ix->group[ix->start[g->m[j].node + 1]++] = ix->by_mass[i].group;
    }
    return LETHE_OK;
}

static lethe_err model_ready(void *arg, uint32_t n_groups, const uint32_t *changed,
                             size_t n_changed)
{
    struct model *x = arg;
    for (unsigned w = 0; w < x->n_workers; w++) {
        struct worker *k = &x->worker[w];
        size_t before = k->room_seen;
        forget_loaded(k); // it is out of date
        LETHE_TRY(reserve(&k->seen, &k->room_seen, n_groups, sizeof *k->seen));
        if (k->room_seen > before)
            memset(k->seen + before, 0, (k->room_seen - before) * sizeof *k->seen);
    }
    x->turn++;
    for (size_t i = 0; i < n_changed; i++)
        x->at[changed[i]].turn = x->turn;
    x->fewest = UINT64_MAX;
    for (uint32_t g = 0; g < n_groups; g++)
        if (x->at[g].n > 0) x->fewest = LETHE_MIN(x->fewest, (uint64_t)x->at[g].n);
    LETHE_TRY(index_masses(x, &x->all, NULL, n_groups));
    LETHE_TRY(index_nodes(x, &x->all));
    LETHE_TRY(index_masses(x, &x->changed, changed, n_changed));
    return index_nodes(x, &x->changed);
}

/* The search for groups near a record: the best so far, by the loss if it joins. */
struct search {
    struct model *x;
    struct worker *w;
    uint32_t r;
    int64_t cost[LETHE_REFINE_NEAR];
    uint32_t group[LETHE_REFINE_NEAR];
    size_t n;
};

static bool is_no_better(const struct search *s, int64_t cost)
{
    return s->n == LETHE_REFINE_NEAR && cost >= s->cost[s->n - 1];
}

static void keep(struct search *s, uint32_t group, int64_t cost)
{
    if (is_no_better(s, cost)) return;
    size_t i = s->n < LETHE_REFINE_NEAR ? s->n++ : s->n - 1;
    for (; i > 0 && s->cost[i - 1] > cost; i--) {
        s->cost[i] = s->cost[i - 1];
        s->group[i] = s->group[i - 1];
    }
    s->cost[i] = cost;
    s->group[i] = group;
}

/* The loss of the group and the record with that overlap, except for the record's items. */
static int64_t loss(const struct group *g, uint64_t overlap)
{
    return (int64_t)(g->n * (g->mass - overlap)) - (int64_t)overlap;
}

/* false: the group was examined before. */
static bool examine(struct search *s, uint32_t group)
{
    const struct model *x = s->x;
    const struct group *g = &x->at[group];
    if (s->w->seen[group] == s->w->seen_stamp) return false;
    s->w->seen[group] = s->w->seen_stamp;
    if (s->n == LETHE_REFINE_NEAR) { // bounds first
        uint64_t most = LETHE_MIN(g->mass, x->mass[s->r]);
        if (is_no_better(s, loss(g, most))) return true;
        if (g->n_m > FEW)
            most = LETHE_MIN(
                most, lethe_mass_sketch_overlap_bound(x->parts, &x->sketch[s->r], &g->sketch));
        if (is_no_better(s, loss(g, most))) return true;
    }
    keep(s, group, loss(g, overlap_of(x, s->w, s->r, group)));
    return true;
}

/* From the record's own mass down and up, while a group might be better: the overlap is at most the
 * lesser mass. */
static void examine_by_mass(struct search *s, const struct index *ix)
{
    const struct model *x = s->x;
    uint64_t own = x->mass[s->r];
    size_t lo = 0, hi = ix->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ix->by_mass[mid].mass < own)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (unsigned left = OF_NEAR_MASS; left > 0 && (lo > 0 || hi < ix->n);) {
        int64_t below = INT64_MAX, above = INT64_MAX;
        if (lo > 0) below = -(int64_t)ix->by_mass[lo - 1].mass;
        if (hi < ix->n) above = (int64_t)(x->fewest * (ix->by_mass[hi].mass - own)) - (int64_t)own;
        if (is_no_better(s, LETHE_MIN(below, above))) break;
        left -= examine(s, ix->by_mass[below <= above ? --lo : hi++].group);
    }
}

/* The rarest nodes first, among equally rare ones the most specific. */
static void examine_by_rare_nodes(struct search *s, const struct index *ix)
{
    const lethe_ancestors *v = &s->x->vector[s->r];
    unsigned left = OF_RARE_NODES;
    bool more = true;
    for (uint32_t from = 0, to = 4; more && to <= RARE; from = to, to *= 4) {
        more = false;
        for (size_t i = v->n; i-- > 0;) {
            uint32_t node = v->at[i].node, n = ix->start[node + 1] - ix->start[node];
            more |= n > to && n <= RARE;
            if (n <= from || n > to) continue;
            for (uint32_t j = ix->start[node]; j < ix->start[node + 1]; j++) {
                if (left == 0) return;
                left -= examine(s, ix->group[j]);
            }
        }
    }
}

/* Groups that were near and have not changed are as near as before: then only changed groups need
 * to be examined, unless too few are left. */
static lethe_err model_near(void *arg, unsigned worker, uint32_t r, bool changed, uint32_t *group,
                            size_t *n)
{
    struct model *x = arg;
    struct worker *w = &x->worker[worker];
    struct search s = {.x = x, .w = w, .r = r};
    struct known *k = &x->known[r];
    unsigned n_known = 0;
    if (++w->seen_stamp == 0) {
        memset(w->seen, 0, w->room_seen * sizeof *w->seen);
        w->seen_stamp = 1;
    }
    w->seen[x->of[r]] = w->seen_stamp; // its own
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t g = k->group[i];
        if (x->at[g].turn == x->turn || g == x->of[r]) continue;
        w->seen[g] = w->seen_stamp;
        keep(&s, g, k->cost[i]);
        n_known++;
    }
    const struct index *ix = n_known < LETHE_REFINE_NEAR / 2 ? &x->all : &x->changed;
    examine_by_mass(&s, ix);
    examine_by_rare_nodes(&s, ix);
    memcpy(k->cost, s.cost, sizeof s.cost);
    memcpy(k->group, s.group, sizeof s.group);
    k->n = (uint32_t)s.n;
    *n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!changed || x->at[s.group[i]].turn == x->turn) group[(*n)++] = s.group[i];
    return LETHE_OK;
}

/* --- begin and end --- */

static lethe_err measure_record(void *arg, size_t r, unsigned w)
{
    struct model *x = arg;
    (void)w;
    x->mass[r] = lethe_ancestors_mass(x->t, &x->vector[r]);
    lethe_mass_sketch_of(x->parts, x->vector[r].at, x->vector[r].n, &x->sketch[r]);
    return LETHE_OK;
}

static lethe_err model_begin(struct model *x, lethe_ctx *ctx, const lethe_refine_grouping *g)
{
    x->n_workers = lethe_ctx_threads(ctx);
    x->of = lethe_alloc(g->n, sizeof *x->of);
    x->place = lethe_alloc(g->n, sizeof *x->place);
    x->mass = lethe_alloc(g->n, sizeof *x->mass);
    x->without = lethe_alloc(g->n, sizeof *x->without);
    x->known = lethe_alloc_zero(g->n, sizeof *x->known);
    x->sketch = lethe_alloc(g->n, sizeof *x->sketch);
    x->worker = lethe_alloc_zero(x->n_workers, sizeof *x->worker);
    if (!x->of || !x->place || !x->mass || !x->without || !x->known || !x->sketch || !x->worker)
        return LETHE_ENOMEM;
    for (unsigned w = 0; w < x->n_workers; w++) {
        struct worker *k = &x->worker[w];
        k->cell = lethe_alloc_zero(x->t->n, sizeof *k->cell);
        k->own = lethe_ancestors_dense_new(x->t);
        k->without = lethe_ancestors_dense_new(x->t);
        if (!k->cell || !k->own || !k->without) return LETHE_ENOMEM;
        forget_loaded(k);
    }
    LETHE_TRY(lethe_mass_sketcher_new(x->t, x->vector, g->n, &x->parts));
    LETHE_TRY(lethe_pool_for(ctx, g->n, measure_record, x));
    // a new group has k persons, so this is enough, and none is added while others change
    x->room = g->n_groups + g->n / g->k + 1;
    x->at = lethe_alloc_zero(x->room, sizeof *x->at);
    return x->at ? LETHE_OK : LETHE_ENOMEM;
}

static void model_end(struct model *x)
{
    for (unsigned w = 0; x->worker && w < x->n_workers; w++) {
        struct worker *k = &x->worker[w];
        lethe_free(k->cell);
        lethe_free(k->touched);
        lethe_ancestors_dense_free(k->own);
        lethe_ancestors_dense_free(k->without);
        lethe_free(k->counts);
        lethe_free(k->seen);
        lethe_ancestors_min_free(&k->least);
    }
    for (size_t i = 0; x->at && i < x->room; i++) {
        lethe_free(x->at[i].m);
        lethe_free(x->at[i].more);
        lethe_free(x->at[i].less);
        lethe_free(x->at[i].d_at);
    }
    lethe_mass_sketcher_free(x->parts);
    void *const all[] = {x->all.by_mass,   x->all.start,     x->all.group, x->changed.by_mass,
                         x->changed.start, x->changed.group, x->at,        x->of,
                         x->place,         x->mass,          x->without,   x->known,
                         x->sketch,        x->worker};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}

lethe_err lethe_refine_ggd(lethe_ctx *ctx, const lethe_tree *t, const lethe_ancestors *vector,
                           uint64_t rounds, lethe_refine_grouping *g, lethe_refine_result *out)
{
    struct model x = {.t = t, .vector = vector};
    lethe_refine_model m = {.arg = &x,
                            .cost = model_cost,
                            .near = model_near,
                            .change = model_change,
                            .ready = model_ready,
                            .join = model_join,
                            .leave = model_leave,
                            .swap = model_swap};
    lethe_err e = model_begin(&x, ctx, g);
    if (e == LETHE_OK) e = lethe_refine(ctx, &m, rounds, g, out);
    model_end(&x);
    return e;
}
