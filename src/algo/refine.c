#include "algo/refine.h"
#include "core/dict.h"
#include <stdlib.h>

enum { BLOCK = 32 };     /* records that a worker takes at once */
enum { CUTS_MOST = 64 }; /* members of a group to be split up to which every cut is tried */

struct group {
    uint32_t *member; /* ascending */
    uint32_t n, room;
    uint32_t persons;
    uint64_t cost;
    uint64_t changed; /* the round in which it last did; 0: at the start */
};

/* A record's best change, and where it would best go if its group were dissolved. */
struct wish {
    int64_t gain;      /* of the total cost: below 0, or 0 and there is no wish */
    uint32_t to, with; /* a group, and the member to change places with; LETHE_NONE: a move */
    int64_t join;
    uint32_t join_to; /* LETHE_NONE: nowhere */
};

struct scratch {
    uint32_t *count;  /* of each person, how many records in `loaded` */
    uint32_t loaded;  /* a group; LETHE_NONE: none */
    uint32_t *member; /* room for a group's members and one more */
    size_t room;
};

struct refine {
    lethe_ctx *ctx;
    const lethe_refine_model *model;
    const lethe_grouping *g;
    struct group *at;
    uint32_t n, room;  /* groups, the empty ones too */
    uint32_t *of;      /* the group of each record */
    uint8_t *alone;    /* no other record of its group is of its person */
    struct wish *wish; /* of each record */
    uint32_t *order;   /* records, those of a group together */
    size_t n_order;
    uint32_t *changed; /* groups that changed in the last round */
    size_t n_changed, room_changed;
    uint32_t no_empty; /* groups below this number are not empty, or changed in this round */
    uint64_t round;
    struct scratch *scratch; /* one a worker */
    unsigned n_workers;
    lethe_refined done;
};

/* --- groups --- */

static lethe_err reserve(void **p, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return LETHE_OK;
    size_t more = LETHE_MAX(need, *room + *room / 2);
    void *q = lethe_realloc(*p, more, size);
    if (!q) return LETHE_ENOMEM;
    *p = q;
    *room = more;
    return LETHE_OK;
}

static lethe_err group_reserve(struct group *g, size_t need)
{
    size_t room = g->room;
    void *p = g->member;
    LETHE_TRY(reserve(&p, &room, need, sizeof *g->member));
    g->member = p;
    g->room = (uint32_t)room;
    return LETHE_OK;
}

/* The place of the first member that is not below r. */
static uint32_t place_of(const struct group *g, uint32_t r)
{
    uint32_t lo = 0, hi = g->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (g->member[mid] < r)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void take_out(struct group *g, uint32_t r)
{
    uint32_t i = place_of(g, r);
    assert(i < g->n && g->member[i] == r);
    memmove(g->member + i, g->member + i + 1, (g->n - i - 1) * sizeof *g->member);
    g->n--;
}

static lethe_err put_in(struct refine *x, uint32_t to, uint32_t r)
{
    struct group *g = &x->at[to];
    LETHE_TRY(group_reserve(g, (size_t)g->n + 1));
    uint32_t i = place_of(g, r);
    memmove(g->member + i + 1, g->member + i, (g->n - i) * sizeof *g->member);
    g->member[i] = r;
    g->n++;
    x->of[r] = to;
    return LETHE_OK;
}

static uint32_t owner_of(const struct refine *x, uint32_t r)
{
    return x->g->owner ? x->g->owner[r] : r;
}

static void unload(struct refine *x, struct scratch *s)
{
    if (s->loaded == LETHE_NONE) return;
    const struct group *g = &x->at[s->loaded];
    for (uint32_t i = 0; i < g->n; i++)
        s->count[owner_of(x, g->member[i])] = 0;
    s->loaded = LETHE_NONE;
}

/* The persons of a group, counted.  Groups do not change while one is loaded. */
static void load(struct refine *x, struct scratch *s, uint32_t group)
{
    if (!x->g->owner || s->loaded == group) return;
    unload(x, s);
    const struct group *g = &x->at[group];
    for (uint32_t i = 0; i < g->n; i++)
        s->count[owner_of(x, g->member[i])]++;
    s->loaded = group;
}

static uint32_t persons_among(struct refine *x, struct scratch *s, const uint32_t *member, size_t n)
{
    if (!x->g->owner) return (uint32_t)n;
    unload(x, s);
    uint32_t persons = 0;
    for (size_t i = 0; i < n; i++)
        persons += s->count[owner_of(x, member[i])]++ == 0;
    for (size_t i = 0; i < n; i++)
        s->count[owner_of(x, member[i])] = 0;
    return persons;
}

/* --- what a change costs, by the model or by costs of whole groups --- */

static lethe_err cost_changed(struct refine *x, unsigned w, uint32_t group, uint32_t out,
                              uint32_t in, int64_t *delta)
{
    struct scratch *s = &x->scratch[w];
    const struct group *g = &x->at[group];
    void *p = s->member;
    uint64_t cost;
    lethe_err e = reserve(&p, &s->room, (size_t)g->n + 1, sizeof *s->member);
    s->member = p;
    if (e != LETHE_OK) return e;
    size_t n = 0;
    bool placed = in == LETHE_NONE;
    for (uint32_t i = 0; i < g->n; i++) {
        if (!placed && g->member[i] > in) {
            s->member[n++] = in;
            placed = true;
        }
        if (g->member[i] != out) s->member[n++] = g->member[i];
    }
    if (!placed) s->member[n++] = in;
    LETHE_TRY(x->model->cost(x->model->arg, w, s->member, n, &cost));
    *delta = (int64_t)cost - (int64_t)g->cost;
    return LETHE_OK;
}

static lethe_err join(struct refine *x, unsigned w, uint32_t r, uint32_t g, int64_t *out)
{
    if (x->model->join) return x->model->join(x->model->arg, w, r, g, out);
    return cost_changed(x, w, g, LETHE_NONE, r, out);
}

static lethe_err leave(struct refine *x, unsigned w, uint32_t r, int64_t *out)
{
    if (x->model->leave) return x->model->leave(x->model->arg, w, r, out);
    return cost_changed(x, w, x->of[r], r, LETHE_NONE, out);
}

static lethe_err swap(struct refine *x, unsigned w, uint32_t a, uint32_t b, int64_t bound,
                      int64_t *out)
{
    if (x->model->swap) return x->model->swap(x->model->arg, w, a, b, bound, out);
    int64_t at_a, at_b;
    LETHE_TRY(cost_changed(x, w, x->of[a], a, b, &at_a));
    LETHE_TRY(cost_changed(x, w, x->of[b], b, a, &at_b));
    *out = at_a + at_b;
    return LETHE_OK;
}

/* --- who may go --- */

/* Would the group keep k persons, or all it has where those are fewer, with `left` of them? */
static bool enough(const struct refine *x, const struct group *g, uint32_t left)
{
    return left >= LETHE_MIN(x->g->k, (uint64_t)g->persons);
}

static bool may_leave(const struct refine *x, uint32_t r)
{
    const struct group *g = &x->at[x->of[r]];
    return g->n > 1 && enough(x, g, g->persons - x->alone[r]);
}

/* `in_to`: how many records of a's person the group of b has.  a's own group is loaded. */
static bool may_swap(const struct refine *x, const struct scratch *s, uint32_t a, uint32_t b,
                     uint32_t in_to)
{
    if (!x->g->owner) return true;
    uint32_t pa = owner_of(x, a), pb = owner_of(x, b);
    if (pa == pb) return true;
    const struct group *ga = &x->at[x->of[a]], *gb = &x->at[x->of[b]];
    return enough(x, ga, ga->persons - x->alone[a] + (s->count[pb] == 0)) &&
           enough(x, gb, gb->persons - x->alone[b] + (in_to == 0));
}

/* --- a record's wish --- */

static void wish_for(struct wish *h, int64_t gain, uint32_t to, uint32_t with)
{
    if (gain >= 0 || gain > h->gain) return;
    // of equal gains the lowest group and member, so that the order of candidates does not matter
    if (gain == h->gain && (to > h->to || (to == h->to && with >= h->with))) return;
    h->gain = gain;
    h->to = to;
    h->with = with;
}

static lethe_err look_at_swaps(struct refine *x, unsigned w, uint32_t r, uint32_t to,
                               struct wish *h)
{
    const struct group *g = &x->at[to];
    uint32_t in_to = 0, n = LETHE_MIN(g->n, (uint32_t)LETHE_REFINE_SWAPS);
    uint32_t from = n < g->n ? r % g->n : 0;
    if (x->g->owner)
        for (uint32_t i = 0; i < g->n; i++)
            in_to += owner_of(x, g->member[i]) == owner_of(x, r);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = g->member[((uint64_t)from + i) % g->n];
        int64_t gain;
        if (!may_swap(x, &x->scratch[w], r, b, in_to)) continue;
        // equal gains are told apart, but nothing is wished for that gains nothing
        LETHE_TRY(swap(x, w, r, b, LETHE_MIN(h->gain + 1, 0), &gain));
        wish_for(h, gain, to, b);
    }
    return LETHE_OK;
}

static lethe_err look_at_group(struct refine *x, unsigned w, uint32_t r, uint32_t to, int64_t left,
                               struct wish *h)
{
    int64_t joined;
    LETHE_TRY(join(x, w, r, to, &joined));
    if (h->join_to == LETHE_NONE || joined < h->join || (joined == h->join && to < h->join_to)) {
        h->join = joined;
        h->join_to = to;
    }
    if (left != INT64_MAX) wish_for(h, joined + left, to, LETHE_NONE);
    return look_at_swaps(x, w, r, to, h);
}

static bool is_new(const struct refine *x, uint32_t g) { return x->at[g].changed + 1 >= x->round; }

/* What a record wished for still holds where the groups it is about have not changed: it is then
 * compared with the changed ones only. */
static lethe_err look(struct refine *x, unsigned w, uint32_t r)
{
    struct wish *h = &x->wish[r];
    uint32_t near[LETHE_REFINE_NEAR];
    size_t n = 0;
    int64_t left = INT64_MAX;
    bool anew = x->round == 1 || is_new(x, x->of[r]) || (h->gain < 0 && is_new(x, h->to)) ||
                (h->join_to != LETHE_NONE && is_new(x, h->join_to));
    if (anew) *h = (struct wish){.to = LETHE_NONE, .with = LETHE_NONE, .join_to = LETHE_NONE};
    LETHE_TRY(x->model->near(x->model->arg, w, r, !anew, near, &n));
    if (n == 0) return LETHE_OK;
    load(x, &x->scratch[w], x->of[r]);
    if (may_leave(x, r)) LETHE_TRY(leave(x, w, r, &left));
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(look_at_group(x, w, r, near[i], left, h));
    return LETHE_OK;
}

static lethe_err look_block(void *arg, size_t block, unsigned w)
{
    struct refine *x = arg;
    size_t end = LETHE_MIN(x->n_order, (block + 1) * BLOCK);
    lethe_err e = LETHE_OK;
    for (size_t i = block * BLOCK; e == LETHE_OK && i < end; i++)
        e = lethe_ctx_cancelled(x->ctx) ? LETHE_ECANCEL : look(x, w, x->order[i]);
    unload(x, &x->scratch[w]);
    return e;
}

static void order_by_group(struct refine *x)
{
    x->n_order = 0;
    for (uint32_t g = 0; g < x->n; g++)
        for (uint32_t i = 0; i < x->at[g].n; i++)
            x->order[x->n_order++] = x->at[g].member[i];
}

/* --- making changes --- */

static bool touched(const struct refine *x, uint32_t g) { return x->at[g].changed == x->round; }

static void touch(struct refine *x, uint32_t g)
{
    x->at[g].changed = x->round;
    x->changed[x->n_changed++] = g; // there is room for all
}

/* An empty group: one that was dissolved, so that there are never more than there can be. */
static lethe_err group_new(struct refine *x, uint32_t *out)
{
    while (x->no_empty < x->n && (x->at[x->no_empty].n > 0 || touched(x, x->no_empty)))
        x->no_empty++;
    *out = x->no_empty;
    if (x->no_empty < x->n) return LETHE_OK;
    size_t room = x->room;
    void *p = x->at;
    lethe_err e = reserve(&p, &room, (size_t)x->n + 1, sizeof *x->at);
    x->at = p;
    x->room = (uint32_t)room;
    if (e != LETHE_OK) return e;
    p = x->changed;
    e = reserve(&p, &x->room_changed, (size_t)x->n + 1, sizeof *x->changed);
    x->changed = p;
    if (e != LETHE_OK) return e;
    x->at[x->n++] = (struct group){0};
    return LETHE_OK;
}

static lethe_err make_wish(struct refine *x, uint32_t r)
{
    struct wish h = x->wish[r];
    uint32_t from = x->of[r];
    if (touched(x, from) || touched(x, h.to)) return LETHE_OK;
    touch(x, from);
    touch(x, h.to);
    take_out(&x->at[from], r);
    LETHE_TRY(put_in(x, h.to, r));
    if (h.with == LETHE_NONE) {
        x->done.moves++;
        return LETHE_OK;
    }
    take_out(&x->at[h.to], h.with);
    x->done.swaps++;
    return put_in(x, from, h.with);
}

struct by_gain {
    int64_t gain;
    uint32_t record;
};

static int compare_gains(const void *p, const void *q)
{
    const struct by_gain *a = p, *b = q;
    if (a->gain != b->gain) return a->gain < b->gain ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

static lethe_err make_wishes(struct refine *x)
{
    size_t n = 0;
    for (size_t r = 0; r < x->g->n; r++)
        n += x->wish[r].gain < 0;
    struct by_gain *all = lethe_alloc(n, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    n = 0;
    for (uint32_t r = 0; r < x->g->n; r++)
        if (x->wish[r].gain < 0) all[n++] = (struct by_gain){x->wish[r].gain, r};
    if (n > 0) qsort(all, n, sizeof *all, compare_gains);
    lethe_err e = LETHE_OK;
    for (size_t i = 0; e == LETHE_OK && i < n; i++)
        e = make_wish(x, all[i].record);
    lethe_free(all);
    return e;
}

/* A group whose records cost less elsewhere than it costs: each where it would best go, if these
 * are different groups, for then the gain is exactly the sum. */
static bool dissolving_pays(const struct refine *x, uint32_t g)
{
    const struct group *at = &x->at[g];
    int64_t gain = -(int64_t)at->cost;
    if (at->n == 0 || touched(x, g)) return false;
    for (uint32_t i = 0; i < at->n; i++) {
        const struct wish *h = &x->wish[at->member[i]];
        if (h->join_to == LETHE_NONE || touched(x, h->join_to)) return false;
        gain += h->join;
    }
    if (gain >= 0) return false;
    for (uint32_t i = 0; i < at->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (x->wish[at->member[j]].join_to == x->wish[at->member[i]].join_to) return false;
    return true;
}

static lethe_err dissolve(struct refine *x, uint32_t g)
{
    touch(x, g);
    for (uint32_t i = 0; i < x->at[g].n; i++) {
        uint32_t r = x->at[g].member[i], to = x->wish[r].join_to;
        touch(x, to);
        LETHE_TRY(put_in(x, to, r));
    }
    x->at[g].n = 0;
    x->done.dissolved++;
    return LETHE_OK;
}

/* --- splitting --- */

/* A group about to be split: members in the order from one end of it to the other. */
struct parting {
    uint32_t *member; /* in that order */
    uint32_t *sorted; /* room for one part, ascending */
    struct by_gain *key;
    uint32_t n, cut;
    uint64_t cost; /* of the parts at the best cut; that of the whole: no cut is better */
};

static int compare_records(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

static lethe_err pair_cost(struct refine *x, uint32_t a, uint32_t b, int64_t *out)
{
    uint32_t pair[2] = {LETHE_MIN(a, b), LETHE_MAX(a, b)};
    uint64_t cost;
    LETHE_TRY(x->model->cost(x->model->arg, 0, pair, a == b ? 1 : 2, &cost));
    *out = (int64_t)cost;
    return LETHE_OK;
}

/* The member that costs most together with `a`. */
static lethe_err farthest(struct refine *x, const struct group *g, uint32_t a, uint32_t *out)
{
    int64_t most = -1, cost;
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->member[i] == a) continue;
        LETHE_TRY(pair_cost(x, a, g->member[i], &cost));
        if (cost > most) {
            most = cost;
            *out = g->member[i];
        }
    }
    return LETHE_OK;
}

static lethe_err line_up(struct refine *x, const struct group *g, struct parting *p)
{
    uint32_t a = g->member[0], b = a;
    int64_t to_a, to_b;
    LETHE_TRY(farthest(x, g, g->member[0], &a));
    LETHE_TRY(farthest(x, g, a, &b));
    for (uint32_t i = 0; i < g->n; i++) {
        LETHE_TRY(pair_cost(x, a, g->member[i], &to_a));
        LETHE_TRY(pair_cost(x, b, g->member[i], &to_b));
        p->key[i] = (struct by_gain){to_a - to_b, g->member[i]};
    }
    qsort(p->key, g->n, sizeof *p->key, compare_gains);
    for (uint32_t i = 0; i < g->n; i++)
        p->member[i] = p->key[i].record;
    return LETHE_OK;
}

static lethe_err part_cost(struct refine *x, struct parting *p, uint32_t from, uint32_t to,
                           uint64_t *out)
{
    memcpy(p->sorted, p->member + from, (to - from) * sizeof *p->sorted);
    qsort(p->sorted, to - from, sizeof *p->sorted, compare_records);
    return x->model->cost(x->model->arg, 0, p->sorted, to - from, out);
}

static lethe_err try_cut(struct refine *x, struct parting *p, uint32_t cut)
{
    struct scratch *s = &x->scratch[0];
    uint64_t one, other;
    if (persons_among(x, s, p->member, cut) < x->g->k ||
        persons_among(x, s, p->member + cut, p->n - cut) < x->g->k)
        return LETHE_OK;
    LETHE_TRY(part_cost(x, p, 0, cut, &one));
    LETHE_TRY(part_cost(x, p, cut, p->n, &other));
    if (one + other < p->cost) {
        p->cost = one + other;
        p->cut = cut;
    }
    return LETHE_OK;
}

static lethe_err find_cut(struct refine *x, const struct group *g, struct parting *p)
{
    p->n = g->n;
    p->cut = 0;
    p->cost = g->cost;
    LETHE_TRY(line_up(x, g, p));
    uint32_t step = 1 + (g->n - 1) / CUTS_MOST;
    for (uint32_t cut = step; cut < g->n; cut += step)
        LETHE_TRY(try_cut(x, p, cut));
    return LETHE_OK;
}

static lethe_err part(struct refine *x, uint32_t g, const struct parting *p)
{
    uint32_t other;
    LETHE_TRY(group_new(x, &other));
    touch(x, g);
    touch(x, other);
    for (uint32_t i = p->cut; i < p->n; i++) {
        take_out(&x->at[g], p->member[i]);
        LETHE_TRY(put_in(x, other, p->member[i]));
    }
    x->done.splits++;
    return LETHE_OK;
}

static lethe_err split(struct refine *x, uint32_t g)
{
    const struct group *at = &x->at[g];
    struct parting p = {.member = lethe_alloc(at->n, sizeof *p.member),
                        .sorted = lethe_alloc(at->n, sizeof *p.sorted),
                        .key = lethe_alloc(at->n, sizeof *p.key)};
    lethe_err e = p.member && p.sorted && p.key ? find_cut(x, at, &p) : LETHE_ENOMEM;
    if (e == LETHE_OK && p.cut > 0) e = part(x, g, &p);
    lethe_free(p.member);
    lethe_free(p.sorted);
    lethe_free(p.key);
    return e;
}

/* Groups of 2 k persons that changed in the round before (all of them, in the first). */
static lethe_err split_large(struct refine *x)
{
    for (uint32_t g = 0, n = x->n; g < n; g++) {
        const struct group *at = &x->at[g];
        if (at->persons / 2 < x->g->k || at->n < 2 || touched(x, g) || !is_new(x, g)) continue;
        LETHE_TRY(split(x, g));
    }
    return LETHE_OK;
}

/* --- a round --- */

static lethe_err settle_group(void *arg, size_t i, unsigned w)
{
    struct refine *x = arg;
    const lethe_refine_model *m = x->model;
    uint32_t number = x->changed[i];
    struct group *g = &x->at[number];
    struct scratch *s = &x->scratch[w];
    g->cost = g->persons = 0;
    if (x->g->owner) {
        load(x, s, number);
        for (uint32_t j = 0; j < g->n; j++)
            x->alone[g->member[j]] = s->count[owner_of(x, g->member[j])] == 1;
        unload(x, s);
    }
    g->persons = persons_among(x, s, g->member, g->n);
    if (m->change) return m->change(m->arg, w, number, g->member, g->n, &g->cost);
    return g->n > 0 ? m->cost(m->arg, w, g->member, g->n, &g->cost) : LETHE_OK;
}

/* The model is told of all that changed. */
static lethe_err settle(struct refine *x, uint64_t *total)
{
    const lethe_refine_model *m = x->model;
    if (x->n_changed > 1) qsort(x->changed, x->n_changed, sizeof *x->changed, compare_records);
    LETHE_TRY(lethe_pool_for(x->ctx, x->n_changed, settle_group, x));
    *total = 0;
    for (uint32_t g = 0; g < x->n; g++)
        *total += x->at[g].cost;
    return m->ready ? m->ready(m->arg, x->n, x->changed, x->n_changed) : LETHE_OK;
}

/* Splits first: they only gain room.  What is dissolved has no wish of its own that was made. */
static lethe_err make_changes(struct refine *x)
{
    x->n_changed = x->no_empty = 0;
    LETHE_TRY(split_large(x));
    LETHE_TRY(make_wishes(x));
    for (uint32_t g = 0; g < x->n; g++)
        if (dissolving_pays(x, g)) LETHE_TRY(dissolve(x, g));
    return LETHE_OK;
}

static lethe_err one_round(struct refine *x)
{
    uint64_t total;
    x->round++;
    order_by_group(x);
    LETHE_TRY(lethe_pool_for(x->ctx, (x->n_order + BLOCK - 1) / BLOCK, look_block, x));
    LETHE_TRY(make_changes(x));
    lethe_ctx_advance(x->ctx, 1);
    x->done.settled = x->n_changed == 0;
    if (x->done.settled) return LETHE_OK;
    LETHE_TRY(settle(x, &total));
    assert(total < x->done.cost_after);
    x->done.cost_after = total;
    x->done.rounds++;
    return LETHE_OK;
}

/* --- begin and end --- */

static lethe_err fill_groups(struct refine *x)
{
    const lethe_grouping *g = x->g;
    for (size_t r = 0; r < g->n; r++)
        x->at[g->group[r]].n++;
    for (uint32_t i = 0; i < g->n_groups; i++) {
        size_t n = x->at[i].n;
        x->at[i].n = 0;
        LETHE_TRY(group_reserve(&x->at[i], n + 1)); // and one that comes
        x->changed[i] = i;
    }
    x->n_changed = g->n_groups;
    for (uint32_t r = 0; r < g->n; r++) {
        struct group *to = &x->at[g->group[r]];
        to->member[to->n++] = r;
        x->of[r] = g->group[r];
    }
    return LETHE_OK;
}

static lethe_err begin(struct refine *x)
{
    const lethe_grouping *g = x->g;
    x->n_workers = lethe_ctx_threads(x->ctx);
    x->n = x->room = g->n_groups;
    x->room_changed = g->n_groups;
    x->at = lethe_alloc_zero(x->room, sizeof *x->at);
    x->of = lethe_alloc(g->n, sizeof *x->of);
    x->alone = lethe_alloc(g->n, sizeof *x->alone);
    x->wish = lethe_alloc_zero(g->n, sizeof *x->wish);
    x->order = lethe_alloc(g->n, sizeof *x->order);
    x->changed = lethe_alloc(x->room_changed, sizeof *x->changed);
    x->scratch = lethe_alloc_zero(x->n_workers, sizeof *x->scratch);
    if (!x->at || !x->of || !x->alone || !x->wish || !x->order || !x->changed || !x->scratch)
        return LETHE_ENOMEM;
    memset(x->alone, 1, g->n);
    for (unsigned w = 0; w < x->n_workers; w++) {
        x->scratch[w].loaded = LETHE_NONE;
        if (!g->owner) continue;
        x->scratch[w].count = lethe_alloc_zero(g->n_owners, sizeof *x->scratch[w].count);
        if (!x->scratch[w].count) return LETHE_ENOMEM;
    }
    return fill_groups(x);
}

static void end(struct refine *x)
{
    for (uint32_t i = 0; x->at && i < x->n; i++)
        lethe_free(x->at[i].member);
    for (unsigned w = 0; x->scratch && w < x->n_workers; w++) {
        lethe_free(x->scratch[w].count);
        lethe_free(x->scratch[w].member);
    }
    lethe_free(x->at);
    lethe_free(x->of);
    lethe_free(x->alone);
    lethe_free(x->wish);
    lethe_free(x->order);
    lethe_free(x->changed);
    lethe_free(x->scratch);
}

/* Groups numbered in the order of their lowest records.  order[] has served: a number for each. */
static void hand_over(struct refine *x, lethe_grouping *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->n; i++)
        x->at[i].persons = LETHE_NONE; // no number yet
    for (size_t r = 0; r < g->n; r++) {
        struct group *of = &x->at[x->of[r]];
        if (of->persons == LETHE_NONE) of->persons = n++;
        g->group[r] = of->persons;
    }
    g->n_groups = n;
}

static lethe_err run(struct refine *x, uint64_t rounds)
{
    LETHE_TRY(begin(x));
    LETHE_TRY(settle(x, &x->done.cost_before));
    x->done.cost_after = x->done.cost_before;
    while (x->round < rounds && !x->done.settled)
        LETHE_TRY(one_round(x));
    return LETHE_OK;
}

lethe_err lethe_refine(lethe_ctx *ctx, const lethe_refine_model *model, uint64_t rounds,
                       lethe_grouping *g, lethe_refined *out)
{
    assert(g->n < LETHE_NONE && g->k > 0);
    struct refine x = {.ctx = ctx, .model = model, .g = g};
    lethe_ctx_phase(ctx, "refine", rounds);
    lethe_err e = run(&x, rounds);
    if (e == LETHE_OK && x.done.rounds > 0) hand_over(&x, g);
    if (e == LETHE_OK && out) *out = x.done;
    end(&x);
    return e;
}
