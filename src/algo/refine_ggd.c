#include "algo/refine_ggd.h"
#include "core/dict.h"
#include <stdlib.h>

/* Groups looked at for a record: of near mass, and with rare nodes of its; a node is rare if no
 * more groups than that have it. */
enum { OF_NEAR_MASS = 192, OF_RARE_NODES = 192, RARE = 64 };

/* Without one member, a group's M has `more` of the node in place of `less`. */
struct difference {
    uint32_t node, less, more;
};

struct group {
    lethe_above *m; /* M, ascending */
    uint32_t n_m;
    struct difference *d; /* those of member i: d[d_at[i]] .. d[d_at[i + 1] - 1] */
    uint32_t *d_at;
    size_t room_m, room_d, room_at;
    uint32_t n; /* members */
    uint64_t mass, items;
    uint64_t turn; /* when it changed */
};

/* The groups that were near a record when it last asked. */
struct known {
    uint32_t group[LETHE_REFINE_NEAR];
    uint32_t n;
};

/* A node while a group's members are gone through. */
struct cell {
    uint32_t stamp;
    uint32_t n;           /* members that have it */
    uint32_t least, next; /* the two least counts, equal ones apart */
    uint32_t who;         /* the member with the least */
    uint32_t mixed;       /* numbers of all that have it, by exclusive or: shows who has it not */
};

/* Counts by node.  A node whose stamp is another's has count 0. */
struct counts {
    struct {
        uint32_t stamp, count;
    } * at;
    uint32_t stamp;
    uint32_t of; /* the record it is about; LETHE_NONE: none */
};

struct worker {
    struct cell *cell;
    uint32_t cell_stamp;
    uint32_t *touched; /* nodes */
    size_t room_touched;
    struct counts own;     /* of the record asked about */
    struct counts without; /* of its group's M without it */
    uint32_t met;          /* the group that `own`'s record was last compared with */
    uint64_t overlap;      /* with that group's M */
    uint32_t *seen;        /* groups, by stamp */
    size_t room_seen;
    uint32_t seen_stamp;
    lethe_least least;
};

/* Groups to be found. */
struct index {
    uint32_t *by_mass; /* ascending, then by number */
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
    uint64_t fewest;     /* members of a group */
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

/* --- counts --- */

static void counts_clear(struct counts *c, uint32_t of, size_t n_nodes)
{
    c->of = of;
    if (++c->stamp != 0) return;
    memset(c->at, 0, n_nodes * sizeof *c->at);
    c->stamp = 1;
}

static void counts_put(struct counts *c, uint32_t node, uint32_t count)
{
    c->at[node].stamp = c->stamp;
    c->at[node].count = count;
}

static uint32_t count_of(const struct counts *c, uint32_t node)
{
    return c->at[node].stamp == c->stamp ? c->at[node].count : 0;
}

static uint64_t overlap_with(const struct model *x, const struct counts *c, const lethe_above *at,
                             size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)LETHE_MIN(at[i].count, count_of(c, at[i].node)) *
               lethe_weight(x->t, at[i].node);
    return sum;
}

static void load_own(const struct model *x, struct worker *w, uint32_t r)
{
    if (w->own.of == r) return;
    counts_clear(&w->own, r, x->t->n);
    w->met = LETHE_NONE;
    for (size_t i = 0; i < x->vector[r].n; i++)
        counts_put(&w->own, x->vector[r].at[i].node, x->vector[r].at[i].count);
}

static void load_without(const struct model *x, struct worker *w, uint32_t r)
{
    if (w->without.of == r) return;
    const struct group *g = &x->at[x->of[r]];
    uint32_t i = x->place[r];
    counts_clear(&w->without, r, x->t->n);
    for (size_t j = 0; j < g->n_m; j++)
        counts_put(&w->without, g->m[j].node, g->m[j].count);
    for (uint32_t j = g->d_at[i]; j < g->d_at[i + 1]; j++)
        counts_put(&w->without, g->d[j].node, g->d[j].more);
}

/* Of r with the M of a group. */
static uint64_t overlap_of(const struct model *x, struct worker *w, uint32_t r, uint32_t group)
{
    load_own(x, w, r);
    if (w->met != group) {
        w->overlap = overlap_with(x, &w->own, x->at[group].m, x->at[group].n_m);
        w->met = group;
    }
    return w->overlap;
}

/* Of r with the M of b's group without b. */
static uint64_t overlap_without(const struct model *x, struct worker *w, uint32_t r, uint32_t b)
{
    const struct group *g = &x->at[x->of[b]];
    if (g->n == 1) return x->mass[r];
    uint64_t sum = overlap_of(x, w, r, x->of[b]);
    for (uint32_t i = g->d_at[x->place[b]]; i < g->d_at[x->place[b] + 1]; i++) {
        const struct difference *d = &g->d[i];
        uint32_t own = count_of(&w->own, d->node);
        if (own > d->less)
            sum += (uint64_t)(LETHE_MIN(own, d->more) - d->less) * lethe_weight(x->t, d->node);
    }
    return sum;
}

/* --- what a change costs: of GGD, the sum of all |t| never changes --- */

static lethe_err model_cost(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out)
{
    struct model *x = arg;
    lethe_least *m = &x->worker[w].least;
    uint64_t items = 0;
    LETHE_TRY(lethe_least_set(m, &x->vector[member[0]]));
    for (size_t i = 0; i < n; i++) {
        if (i > 0) lethe_least_meet(m, &x->vector[member[i]]);
        items += x->vector[member[i]].size;
    }
    lethe_ancestors view = lethe_least_view(m);
    *out = lethe_ggd(x->t, items, n, lethe_mass(x->t, &view));
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

/* What a group of n gains whose M's mass becomes `mass`. */
static int64_t gain_of(const struct group *g, uint64_t mass)
{
    return (int64_t)g->n * ((int64_t)mass - (int64_t)g->mass);
}

/* Bounds first: an overlap is at most the mass of either side. */
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
    at_b = gain_of(gb, overlap_without(x, w, a, b));
    *out = -(at_a + at_b);
    if (*out >= bound || ga->n == 1) return LETHE_OK;
    load_without(x, w, a);
    at_a = gain_of(ga, overlap_with(x, &w->without, x->vector[b].at, x->vector[b].n));
    *out = -(at_a + at_b);
    return LETHE_OK;
}

/* --- a group that changed --- */

/* One more member's counts.  A node that neither of the first two has is lacked by two, and counts
 * neither in M nor in a difference. */
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

/* Whose difference the node is: UINT32_MAX for nobody's. */
static uint32_t whose(const struct cell *c, uint32_t n, uint32_t all_mixed)
{
    if (n == 1) return UINT32_MAX;
    if (c->n == n) return c->next > c->least ? c->who : UINT32_MAX;
    return c->n == n - 1 ? all_mixed ^ c->mixed : UINT32_MAX;
}

static struct difference difference_at(const struct cell *c, uint32_t node, uint32_t n)
{
    if (c->n == n) return (struct difference){node, c->least, c->next};
    return (struct difference){node, 0, c->least};
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
            g->m[g->n_m++] = (lethe_above){v, c->least};
            g->mass += (uint64_t)c->least * lethe_weight(x->t, v);
        }
        if ((i = whose(c, g->n, mixed)) != UINT32_MAX) g->d_at[i + 2]++;
    }
}

/* d_at is two places ahead, so that after filling it begins where it should. */
static void fill_differences(struct group *g, const struct worker *w, size_t n_touched,
                             uint32_t mixed)
{
    for (uint32_t i = 1; i <= g->n; i++)
        g->d_at[i + 1] += g->d_at[i];
    for (size_t j = 0; j < n_touched; j++) {
        uint32_t v = w->touched[j], i = whose(&w->cell[v], g->n, mixed);
        if (i != UINT32_MAX) g->d[g->d_at[i + 1]++] = difference_at(&w->cell[v], v, g->n);
    }
}

static void fill_members(struct model *x, uint32_t number, const uint32_t *member)
{
    const struct group *g = &x->at[number];
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t r = member[i];
        uint64_t mass = g->mass;
        for (uint32_t j = g->d_at[i]; j < g->d_at[i + 1]; j++)
            mass += (uint64_t)(g->d[j].more - g->d[j].less) * lethe_weight(x->t, g->d[j].node);
        x->of[r] = number;
        x->place[r] = i;
        x->without[r] = g->n == 1 ? UINT64_MAX : mass;
    }
}

static lethe_err recount(struct model *x, struct worker *w, uint32_t number, const uint32_t *member)
{
    struct group *g = &x->at[number];
    size_t most = x->vector[member[0]].n + (g->n > 1 ? x->vector[member[1]].n : 0), n_touched = 0;
    uint32_t mixed = 0;
    LETHE_TRY(reserve(&w->touched, &w->room_touched, most, sizeof *w->touched));
    LETHE_TRY(reserve(&g->d_at, &g->room_at, g->n + (size_t)2, sizeof *g->d_at));
    LETHE_TRY(reserve(&g->m, &g->room_m, x->vector[member[0]].n, sizeof *g->m));
    if (++w->cell_stamp == 0) {
        memset(w->cell, 0, x->t->n * sizeof *w->cell);
        w->cell_stamp = 1;
    }
    g->items = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        count_member(w, i, &x->vector[member[i]], &n_touched);
        g->items += x->vector[member[i]].size;
        mixed ^= i;
    }
    fill_m(x, g, w, n_touched, mixed);
    size_t n_d = 0;
    for (uint32_t i = 0; i < g->n; i++)
        n_d += g->d_at[i + 2];
    LETHE_TRY(reserve(&g->d, &g->room_d, n_d, sizeof *g->d));
    fill_differences(g, w, n_touched, mixed);
    return LETHE_OK;
}

static lethe_err model_change(void *arg, unsigned w, uint32_t group, const uint32_t *member,
                              size_t n, uint64_t *out)
{
    struct model *x = arg;
    struct group *g = &x->at[group];
    assert(group < x->room);
    x->worker[w].own.of = x->worker[w].without.of = LETHE_NONE; // what was loaded is past
    g->n = (uint32_t)n;
    *out = 0;
    if (n == 0) return LETHE_OK;
    LETHE_TRY(recount(x, &x->worker[w], group, member));
    fill_members(x, group, member);
    *out = lethe_ggd(x->t, g->items, n, g->mass);
    return LETHE_OK;
}

/* --- which groups are near --- */

struct heavy {
    uint64_t mass;
    uint32_t group;
};

static int compare_masses(const void *p, const void *q)
{
    const struct heavy *a = p, *b = q;
    if (a->mass != b->mass) return a->mass < b->mass ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

static lethe_err index_masses(const struct model *x, struct index *ix, const uint32_t *group,
                              size_t n)
{
    struct heavy *all = lethe_alloc(n, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    ix->n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t g = group ? group[i] : (uint32_t)i;
        if (x->at[g].n > 0) all[ix->n++] = (struct heavy){x->at[g].mass, g};
    }
    if (ix->n > 1) qsort(all, ix->n, sizeof *all, compare_masses);
    lethe_err e = reserve(&ix->by_mass, &ix->room, ix->n, sizeof *ix->by_mass);
    for (size_t i = 0; e == LETHE_OK && i < ix->n; i++)
        ix->by_mass[i] = all[i].group;
    lethe_free(all);
    return e;
}

/* Lists of groups by node, groups in the order of their masses. */
static lethe_err index_nodes(const struct model *x, struct index *ix)
{
    uint32_t n_nodes = x->t->n;
    size_t sum = 0;
    if (!ix->start) ix->start = lethe_alloc(n_nodes + (size_t)2, sizeof *ix->start);
    if (!ix->start) return LETHE_ENOMEM;
    memset(ix->start, 0, (n_nodes + (size_t)2) * sizeof *ix->start);
    for (size_t i = 0; i < ix->n; i++) {
        const struct group *g = &x->at[ix->by_mass[i]];
        for (uint32_t j = 0; j < g->n_m; j++)
            ix->start[g->m[j].node + 2]++;
        sum += g->n_m;
    }
    if (sum > UINT32_MAX) return LETHE_ENOMEM;
    LETHE_TRY(reserve(&ix->group, &ix->room_group, sum, sizeof *ix->group));
    for (uint32_t v = 0; v < n_nodes; v++)
        ix->start[v + 2] += ix->start[v + 1];
    for (size_t i = 0; i < ix->n; i++) {
        const struct group *g = &x->at[ix->by_mass[i]];
        for (uint32_t j = 0; j < g->n_m; j++)
            ix->group[ix->start[g->m[j].node + 1]++] = ix->by_mass[i];
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
        k->own.of = k->without.of = LETHE_NONE;
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

/* A record in search of groups: the best so far, by what they and the record lose if it joins. */
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

/* False where the group was looked at before. */
static bool look_at(struct search *s, uint32_t group)
{
    if (s->w->seen[group] == s->w->seen_stamp) return false;
    s->w->seen[group] = s->w->seen_stamp;
    const struct group *g = &s->x->at[group];
    uint64_t overlap = overlap_of(s->x, s->w, s->r, group);
    int64_t cost = (int64_t)(g->n * (g->mass - overlap)) - (int64_t)overlap;
    if (is_no_better(s, cost)) return true;
    size_t i = s->n < LETHE_REFINE_NEAR ? s->n++ : s->n - 1;
    for (; i > 0 && s->cost[i - 1] > cost; i--) {
        s->cost[i] = s->cost[i - 1];
        s->group[i] = s->group[i - 1];
    }
    s->cost[i] = cost;
    s->group[i] = group;
    return true;
}

/* From the record's own mass downwards and upwards, while a group might be better: the overlap is
 * at most the lesser mass. */
static void look_near_mass(struct search *s, const struct index *ix)
{
    const struct model *x = s->x;
    uint64_t own = x->mass[s->r];
    size_t lo = 0, hi = ix->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (x->at[ix->by_mass[mid]].mass < own)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (unsigned left = OF_NEAR_MASS; left > 0 && (lo > 0 || hi < ix->n);) {
        int64_t below = INT64_MAX, above = INT64_MAX;
        if (lo > 0) below = -(int64_t)x->at[ix->by_mass[lo - 1]].mass;
        if (hi < ix->n)
            above = (int64_t)(x->fewest * (x->at[ix->by_mass[hi]].mass - own)) - (int64_t)own;
        if (is_no_better(s, LETHE_MIN(below, above))) break;
        left -= look_at(s, ix->by_mass[below <= above ? --lo : hi++]);
    }
}

static void look_at_rare(struct search *s, const struct index *ix)
{
    const lethe_ancestors *v = &s->x->vector[s->r];
    unsigned left = OF_RARE_NODES;
    for (uint32_t from = 0, to = 4; to <= RARE; from = to, to *= 4)
        for (size_t i = v->n; i-- > 0;) {
            uint32_t node = v->at[i].node, n = ix->start[node + 1] - ix->start[node];
            if (n <= from || n > to) continue;
            for (uint32_t j = ix->start[node]; j < ix->start[node + 1]; j++) {
                if (left == 0) return;
                left -= look_at(s, ix->group[j]);
            }
        }
}

/* What was near and has not changed is near still; how many such groups there are. */
static unsigned look_at_known(struct search *s)
{
    const struct known *k = &s->x->known[s->r];
    unsigned n = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (s->x->at[k->group[i]].turn != s->x->turn) n += look_at(s, k->group[i]);
    return n;
}

/* So the changed ones are all there is to look at, unless too few are left. */
static void search_groups(struct search *s)
{
    struct model *x = s->x;
    struct worker *w = s->w;
    if (++w->seen_stamp == 0) {
        memset(w->seen, 0, w->room_seen * sizeof *w->seen);
        w->seen_stamp = 1;
    }
    w->seen[x->of[s->r]] = w->seen_stamp; // its own
    const struct index *ix = look_at_known(s) < LETHE_REFINE_NEAR / 2 ? &x->all : &x->changed;
    look_near_mass(s, ix);
    look_at_rare(s, ix);
    memcpy(x->known[s->r].group, s->group, sizeof s->group);
    x->known[s->r].n = (uint32_t)s->n;
}

static lethe_err model_near(void *arg, unsigned w, uint32_t r, bool changed, uint32_t *group,
                            size_t *n)
{
    struct model *x = arg;
    struct search s = {.x = x, .w = &x->worker[w], .r = r};
    *n = 0;
    search_groups(&s);
    for (size_t i = 0; i < s.n; i++)
        if (!changed || x->at[s.group[i]].turn == x->turn) group[(*n)++] = s.group[i];
    return LETHE_OK;
}

/* --- begin and end --- */

static lethe_err worker_begin(struct worker *w, uint32_t n_nodes)
{
    w->cell = lethe_alloc_zero(n_nodes, sizeof *w->cell);
    w->own.at = lethe_alloc_zero(n_nodes, sizeof *w->own.at);
    w->without.at = lethe_alloc_zero(n_nodes, sizeof *w->without.at);
    w->own.of = w->without.of = w->met = LETHE_NONE;
    return w->cell && w->own.at && w->without.at ? LETHE_OK : LETHE_ENOMEM;
}

static lethe_err model_begin(struct model *x, lethe_ctx *ctx, const lethe_grouping *g)
{
    x->n_workers = lethe_ctx_threads(ctx);
    x->of = lethe_alloc(g->n, sizeof *x->of);
    x->place = lethe_alloc(g->n, sizeof *x->place);
    x->mass = lethe_alloc(g->n, sizeof *x->mass);
    x->without = lethe_alloc(g->n, sizeof *x->without);
    x->known = lethe_alloc_zero(g->n, sizeof *x->known);
    x->worker = lethe_alloc_zero(x->n_workers, sizeof *x->worker);
    if (!x->of || !x->place || !x->mass || !x->without || !x->known || !x->worker)
        return LETHE_ENOMEM;
    for (size_t r = 0; r < g->n; r++)
        x->mass[r] = lethe_mass(x->t, &x->vector[r]);
    for (unsigned w = 0; w < x->n_workers; w++)
        LETHE_TRY(worker_begin(&x->worker[w], x->t->n));
    // a group that is new has k persons; so none need be added while others are being changed
    x->room = g->n_groups + g->n / g->k + 1;
    x->at = lethe_alloc_zero(x->room, sizeof *x->at);
    return x->at ? LETHE_OK : LETHE_ENOMEM;
}

static void index_end(struct index *ix)
{
    lethe_free(ix->by_mass);
    lethe_free(ix->start);
    lethe_free(ix->group);
}

static void model_end(struct model *x)
{
    for (unsigned w = 0; x->worker && w < x->n_workers; w++) {
        struct worker *k = &x->worker[w];
        lethe_free(k->cell);
        lethe_free(k->touched);
        lethe_free(k->own.at);
        lethe_free(k->without.at);
        lethe_free(k->seen);
        lethe_least_free(&k->least);
    }
    for (size_t i = 0; x->at && i < x->room; i++) {
        lethe_free(x->at[i].m);
        lethe_free(x->at[i].d);
        lethe_free(x->at[i].d_at);
    }
    index_end(&x->all);
    index_end(&x->changed);
    lethe_free(x->at);
    lethe_free(x->of);
    lethe_free(x->place);
    lethe_free(x->mass);
    lethe_free(x->without);
    lethe_free(x->known);
    lethe_free(x->worker);
}

lethe_err lethe_refine_ggd(lethe_ctx *ctx, const lethe_tree *t, const lethe_ancestors *vector,
                           uint64_t rounds, lethe_grouping *g, lethe_refined *out)
{
    struct model x = {.t = t, .vector = vector};
    lethe_refine_model m = {&x,          model_cost, model_near,  model_change,
                            model_ready, model_join, model_leave, model_swap};
    lethe_err e = model_begin(&x, ctx, g);
    if (e == LETHE_OK) e = lethe_refine(ctx, &m, rounds, g, out);
    model_end(&x);
    return e;
}
