/* SPDX-License-Identifier: Apache-2.0 */
/* refine.c - rounds of moves, swaps, splits and dissolutions, each exactly as good as it was
 * priced. */
#include "method/cluster/refine/refine.h"
#include "method/cluster/refine/refine_groups.h"
#include "core/dict.h"
#include "core/sort.h"
#include <stdlib.h>

enum { BLOCK = 8 }; /* groups that a worker takes at once */

struct group {
    lethe_refine_members m;
    uint64_t cost;
    uint64_t changed; /* the round in which it last did; 0: at the start */
    uint64_t named;   /* the last attempt to dissolve a group that would send a record here */
};

/* A record's best change, and where it would best go if its group were dissolved. */
struct wish {
    int64_t gain;      /* change of the total cost: negative, or 0 if there is no wish */
    uint32_t to, with; /* a group, and the member to swap with; LETHE_NONE: a move */
    int64_t join;
    uint32_t join_to; /* LETHE_NONE: nowhere */
};

/* Room for a group's members and one more. */
struct scratch {
    uint32_t *member;
    size_t room;
};

struct refine {
    lethe_ctx *ctx;
    const lethe_refine_model *model;
    const lethe_refine_grouping *g;
    struct group *at;
    uint32_t n, room;             /* groups, the empty ones too */
    uint32_t *of;                 /* the group of each record */
    uint8_t *alone;               /* no other record of its group is of its person */
    struct wish *wish;            /* of each record */
    lethe_refine_candidate *kept; /* of each record LETHE_REFINE_NEAR; NULL: the model has none */
    uint8_t *n_kept;
    uint32_t *changed; /* groups that changed in the last round */
    size_t n_changed, room_changed;
    uint32_t no_empty; /* groups below this number are not empty or changed in this round */
    uint64_t round, attempt;
    struct scratch *scratch; /* one per worker */
    unsigned n_workers;
    lethe_refine_result done;
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

static lethe_err put_in(struct refine *x, uint32_t to, uint32_t r)
{
    x->of[r] = to;
    return lethe_refine_members_put(&x->at[to].m, r);
}

/* --- the price of a change, by the model or by costs of whole groups --- */

static lethe_err price_change(struct refine *x, unsigned w, uint32_t group, uint32_t out,
                              uint32_t in, int64_t *delta)
{
    struct scratch *s = &x->scratch[w];
    const lethe_refine_members *m = &x->at[group].m;
    void *p = s->member;
    uint64_t cost;
    lethe_err e = reserve(&p, &s->room, (size_t)m->n + 1, sizeof *s->member);
    s->member = p;
    if (e != LETHE_OK) return e;
    size_t n = 0;
    bool placed = in == LETHE_NONE;
    for (uint32_t i = 0; i < m->n; i++) {
        if (!placed && m->record[i] > in) {
            s->member[n++] = in;
            placed = true;
        }
        if (m->record[i] != out) s->member[n++] = m->record[i];
    }
    if (!placed) s->member[n++] = in;
    LETHE_TRY(x->model->cost(x->model->arg, w, s->member, n, &cost));
    *delta = (int64_t)cost - (int64_t)x->at[group].cost;
    return LETHE_OK;
}

static lethe_err swap(struct refine *x, unsigned w, uint32_t a, uint32_t b, int64_t bound,
                      int64_t *out)
{
    if (x->model->swap) return x->model->swap(x->model->arg, w, a, b, bound, out);
    int64_t at_a, at_b;
    LETHE_TRY(price_change(x, w, x->of[a], a, b, &at_a));
    LETHE_TRY(price_change(x, w, x->of[b], b, a, &at_b));
    *out = at_a + at_b;
    return LETHE_OK;
}

/* --- which changes are allowed --- */

/* Are `left` persons at least k, or all that the group has if it has fewer? */
static bool is_enough(const struct refine *x, const lethe_refine_members *m, uint32_t left)
{
    return left >= LETHE_MIN(x->g->k, (uint64_t)m->n_persons);
}

static bool may_swap(const struct refine *x, uint32_t a, uint32_t b)
{
    const uint32_t *owner = x->g->owner;
    if (!owner || owner[a] == owner[b]) return true;
    const lethe_refine_members *of_a = &x->at[x->of[a]].m, *of_b = &x->at[x->of[b]].m;
    return is_enough(x, of_b,
                     of_b->n_persons - x->alone[b] + !lethe_refine_members_have(of_b, owner[a])) &&
           is_enough(x, of_a,
                     of_a->n_persons - x->alone[a] + !lethe_refine_members_have(of_a, owner[b]));
}

/* --- the wish of a record --- */

static void wish_for(struct wish *h, int64_t gain, uint32_t to, uint32_t with)
{
    if (gain >= 0 || gain > h->gain) return;
    // of equal gains the lowest group and member, so that the order of candidates does not matter
    if (gain == h->gain && (to > h->to || (to == h->to && with >= h->with))) return;
    h->gain = gain;
    h->to = to;
    h->with = with;
}

static lethe_err examine_swaps(struct refine *x, unsigned w, uint32_t r, uint32_t to,
                               struct wish *h)
{
    const lethe_refine_members *m = &x->at[to].m;
    uint32_t n = LETHE_MIN(m->n, (uint32_t)LETHE_REFINE_SWAPS), from = n < m->n ? r % m->n : 0;
    const lethe_refine_model *model = x->model;
    if (model->swap_any && !model->swap_any(model->arg, r, to, LETHE_MIN(h->gain + 1, 0)))
        return LETHE_OK;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = m->record[((uint64_t)from + i) % m->n];
        // equal gains are told apart, but nothing is wished for that gains nothing
        int64_t gain, bound = LETHE_MIN(h->gain + 1, 0);
        LETHE_TRY(swap(x, w, r, b, bound, &gain));
        // few swaps gain, and few are forbidden
        if (gain < bound && may_swap(x, r, b)) wish_for(h, gain, to, b);
    }
    return LETHE_OK;
}

/* The best of a move to `to`, where leaving costs `left` (INT64_MAX: not allowed), and of swaps
 * with its members. */
static lethe_err examine_group(struct refine *x, unsigned w, uint32_t r, uint32_t to, int64_t left,
                               struct wish *h)
{
    int64_t joined;
    LETHE_TRY(x->model->join ? x->model->join(x->model->arg, w, r, to, &joined)
                             : price_change(x, w, to, LETHE_NONE, r, &joined));
    if (h->join_to == LETHE_NONE || joined < h->join || (joined == h->join && to < h->join_to)) {
        h->join = joined;
        h->join_to = to;
    }
    if (left != INT64_MAX) wish_for(h, joined + left, to, LETHE_NONE);
    return examine_swaps(x, w, r, to, h);
}

static bool is_new(const struct refine *x, uint32_t g) { return x->at[g].changed + 1 >= x->round; }

/* What leaving its group costs; INT64_MAX: the record may not. */
static lethe_err examine_leaving(struct refine *x, unsigned w, uint32_t r, int64_t *left)
{
    const lethe_refine_members *m = &x->at[x->of[r]].m;
    *left = INT64_MAX;
    if (m->n == 1 || !is_enough(x, m, m->n_persons - x->alone[r])) return LETHE_OK;
    return x->model->leave ? x->model->leave(x->model->arg, w, r, left)
                           : price_change(x, w, x->of[r], r, LETHE_NONE, left);
}

/* The cheapest of the candidates of a record to join, as far as it is known; ties to the lowest
 * group. */
static lethe_refine_candidate *cheapest(const struct refine *x, uint32_t r)
{
    lethe_refine_candidate *at = x->kept + (size_t)r * LETHE_REFINE_NEAR, *best = at;
    for (lethe_refine_candidate *c = at + 1; c < at + x->n_kept[r]; c++)
        if (c->join < best->join || (c->join == best->join && c->group < best->group)) best = c;
    return best;
}

/* The cheapest join, where it costs less than `limit`: the candidate with the least bound is priced
 * until the least of all is a price.  NULL: none costs less. */
static lethe_err find_join(const struct refine *x, unsigned w, uint32_t r, int64_t limit,
                           const lethe_refine_candidate **out)
{
    *out = NULL;
    while (x->n_kept[r] > 0) {
        lethe_refine_candidate *best = cheapest(x, r);
        int64_t bound = best->join;
        if (bound >= limit) break;
        *out = best;
        if (best->exact) break;
        *out = NULL;
        LETHE_TRY(x->model->join(x->model->arg, w, r, best->group, &best->join));
        assert(best->join >= bound);
        best->exact = true;
    }
    return LETHE_OK;
}

/* Where the records of a group would best go if it were dissolved; LETHE_NONE for one of them if
 * that does not gain.  A group is given up as soon as prices and bounds together reach its cost. */
static lethe_err examine_dissolving(struct refine *x, unsigned w, uint32_t g)
{
    const lethe_refine_members *m = &x->at[g].m;
    int64_t sum = -(int64_t)x->at[g].cost;
    for (uint32_t i = 0; i < m->n; i++) {
        x->wish[m->record[i]].join_to = LETHE_NONE;
        if (x->n_kept[m->record[i]] == 0) return LETHE_OK;
        sum += cheapest(x, m->record[i])->join;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        const lethe_refine_candidate *c;
        uint32_t r = m->record[i];
        sum -= cheapest(x, r)->join;
        LETHE_TRY(find_join(x, w, r, -sum, &c));
        if (!c) return LETHE_OK;
        sum += c->join;
        x->wish[r].join = c->join;
        x->wish[r].join_to = c->group;
    }
    return LETHE_OK;
}

/* Candidates are kept, and what joining them costs: if the record's own group has not changed, nor
 * the one of its wish, only fresh candidates are compared with it. */
static lethe_err examine_kept(struct refine *x, unsigned w, uint32_t r)
{
    const lethe_refine_model *model = x->model;
    struct wish *h = &x->wish[r];
    lethe_refine_candidate *at = x->kept + (size_t)r * LETHE_REFINE_NEAR;
    size_t n = x->n_kept[r];
    int64_t left = INT64_MAX;
    bool anew = x->round == 1 || is_new(x, x->of[r]) || (h->gain < 0 && is_new(x, h->to));
    if (anew) *h = (struct wish){.to = LETHE_NONE, .with = LETHE_NONE};
    LETHE_TRY(model->renew(model->arg, w, r, x->round > 1, at, &n));
    x->n_kept[r] = (uint8_t)n;
    for (size_t i = 0; i < n; i++) {
        if (!at[i].fresh) continue;
        at[i].exact = false;
        at[i].join = model->join_least(model->arg, w, r, at[i].group);
    }
    LETHE_TRY(examine_leaving(x, w, r, &left));
    if (left != INT64_MAX) {
        const lethe_refine_candidate *to;
        LETHE_TRY(find_join(x, w, r, LETHE_MIN(h->gain + 1, 0) - left, &to));
        if (to) wish_for(h, to->join + left, to->group, LETHE_NONE);
    }
    for (size_t i = 0; i < n; i++)
        if (anew || at[i].fresh) LETHE_TRY(examine_swaps(x, w, r, at[i].group, h));
    return LETHE_OK;
}

/* The wish of a record still holds if the groups in it have not changed: then the record is
 * compared with the changed groups only. */
static lethe_err examine_record(struct refine *x, unsigned w, uint32_t r)
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
    LETHE_TRY(examine_leaving(x, w, r, &left));
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(examine_group(x, w, r, near[i], left, h));
    return LETHE_OK;
}

static lethe_err examine_block(void *arg, size_t block, unsigned w)
{
    struct refine *x = arg;
    uint32_t end = (uint32_t)LETHE_MIN(x->n, (block + 1) * BLOCK);
    for (uint32_t g = (uint32_t)(block * BLOCK); g < end; g++) {
        const lethe_refine_members *m = &x->at[g].m;
        for (uint32_t i = 0; i < m->n; i++) {
            if (lethe_ctx_cancelled(x->ctx)) return LETHE_ECANCEL;
            LETHE_TRY(x->kept ? examine_kept(x, w, m->record[i])
                              : examine_record(x, w, m->record[i]));
        }
        if (x->kept) LETHE_TRY(examine_dissolving(x, w, g));
    }
    return LETHE_OK;
}

/* --- making changes --- */

static bool touched(const struct refine *x, uint32_t g) { return x->at[g].changed == x->round; }

static void touch(struct refine *x, uint32_t g)
{
    x->at[g].changed = x->round;
    x->changed[x->n_changed++] = g; // there is room for all
}

/* An empty group: a dissolved one if there is one, so that there are never more than possible. */
static lethe_err group_new(struct refine *x, uint32_t *out)
{
    while (x->no_empty < x->n && (x->at[x->no_empty].m.n > 0 || touched(x, x->no_empty)))
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

/* Moves and swaps, the greatest gain first, each group changing at most once. */
static lethe_err grant_wishes(struct refine *x)
{
    lethe_err e = LETHE_OK;
    size_t n = 0;
    for (size_t r = 0; r < x->g->n; r++)
        n += x->wish[r].gain < 0;
    lethe_refine_ranked *all = lethe_alloc(n, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    n = 0;
    for (uint32_t r = 0; r < x->g->n; r++)
        if (x->wish[r].gain < 0) all[n++] = (lethe_refine_ranked){x->wish[r].gain, r};
    lethe_refine_rank(all, n);
    for (size_t i = 0; e == LETHE_OK && i < n; i++) {
        uint32_t r = all[i].record, from = x->of[r];
        struct wish h = x->wish[r];
        if (touched(x, from) || touched(x, h.to)) continue;
        touch(x, from);
        touch(x, h.to);
        lethe_refine_members_take(&x->at[from].m, r);
        e = put_in(x, h.to, r);
        x->done.moves += h.with == LETHE_NONE;
        x->done.swaps += h.with != LETHE_NONE;
        if (e != LETHE_OK || h.with == LETHE_NONE) continue;
        lethe_refine_members_take(&x->at[h.to].m, h.with);
        e = put_in(x, from, h.with);
    }
    lethe_free(all);
    return e;
}

/* Dissolves a group if its records cost less elsewhere than it costs.  Each goes where it would
 * best go; if these are different groups, the gain is exactly the sum. */
static lethe_err try_dissolving(struct refine *x, uint32_t g)
{
    lethe_refine_members *m = &x->at[g].m;
    int64_t gain = -(int64_t)x->at[g].cost;
    if (m->n == 0 || m->n >= x->n || touched(x, g)) return LETHE_OK;
    x->attempt++;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct wish *h = &x->wish[m->record[i]];
        if (h->join_to == LETHE_NONE || touched(x, h->join_to) ||
            x->at[h->join_to].named == x->attempt)
            return LETHE_OK;
        x->at[h->join_to].named = x->attempt;
        gain += h->join;
    }
    if (gain >= 0) return LETHE_OK;
    touch(x, g);
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t to = x->wish[m->record[i]].join_to;
        touch(x, to);
        LETHE_TRY(put_in(x, to, m->record[i]));
    }
    m->n = 0;
    x->done.dissolved++;
    return LETHE_OK;
}

/* --- splitting --- */

static lethe_err cut_group(struct refine *x, uint32_t g, const lethe_refine_cut *cut)
{
    uint32_t other, n = cut->n - cut->n_one;
    LETHE_TRY(group_new(x, &other));
    lethe_refine_members *one = &x->at[g].m, *two = &x->at[other].m;
    LETHE_TRY(lethe_refine_members_reserve(two, n));
    touch(x, g);
    touch(x, other);
    one->n = cut->n_one;
    two->n = n;
    memcpy(one->record, cut->record, cut->n_one * sizeof *one->record);
    memcpy(two->record, cut->record + cut->n_one, n * sizeof *two->record);
    for (uint32_t i = 0; i < n; i++)
        x->of[two->record[i]] = other;
    x->done.splits++;
    return LETHE_OK;
}

/* Groups of at least 2 k persons that changed in the last round (in the first round, all of them).
 */
static lethe_err split_large(struct refine *x)
{
    for (uint32_t g = 0, n = x->n; g < n; g++) {
        const lethe_refine_members *m = &x->at[g].m;
        lethe_refine_cut cut;
        if (m->n_persons / 2 < x->g->k || m->n < 2 || touched(x, g) || !is_new(x, g)) continue;
        LETHE_TRY(lethe_refine_cut_find(x->ctx, x->model, x->g, m, x->at[g].cost, &cut));
        lethe_err e = cut.n_one > 0 ? cut_group(x, g, &cut) : LETHE_OK;
        lethe_free(cut.record);
        if (e != LETHE_OK) return e;
    }
    return LETHE_OK;
}

/* --- a round --- */

static lethe_err settle_group(void *arg, size_t i, unsigned w)
{
    struct refine *x = arg;
    const lethe_refine_model *model = x->model;
    uint32_t number = x->changed[i];
    struct group *g = &x->at[number];
    g->cost = 0;
    LETHE_TRY(lethe_refine_members_count(&g->m, x->g->owner, x->alone));
    if (model->change) return model->change(model->arg, w, number, g->m.record, g->m.n, &g->cost);
    return g->m.n > 0 ? model->cost(model->arg, w, g->m.record, g->m.n, &g->cost) : LETHE_OK;
}

/* Tells the model of all groups that changed, and sums up costs. */
static lethe_err settle(struct refine *x, uint64_t *total)
{
    const lethe_refine_model *m = x->model;
    if (x->n_changed > 1) qsort(x->changed, x->n_changed, sizeof *x->changed, lethe_u32_cmp);
    LETHE_TRY(lethe_pool_for(x->ctx, x->n_changed, settle_group, x));
    *total = 0;
    for (uint32_t g = 0; g < x->n; g++)
        *total += x->at[g].cost;
    return m->ready ? m->ready(m->arg, x->n, x->changed, x->n_changed) : LETHE_OK;
}

static lethe_err run_round(struct refine *x)
{
    uint64_t total;
    x->round++;
    LETHE_TRY(lethe_pool_for(x->ctx, ((size_t)x->n + BLOCK - 1) / BLOCK, examine_block, x));
    x->n_changed = x->no_empty = 0;
    LETHE_TRY(split_large(x)); // first: splits only make room
    LETHE_TRY(grant_wishes(x));
    for (uint32_t g = 0; g < x->n; g++) // none of which has a wish that was granted
        LETHE_TRY(try_dissolving(x, g));
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

static lethe_err begin(struct refine *x)
{
    const lethe_refine_grouping *g = x->g;
    x->n_workers = lethe_ctx_threads(x->ctx);
    x->n = x->room = g->n_groups;
    x->room_changed = g->n_groups;
    x->at = lethe_alloc_zero(x->room, sizeof *x->at);
    x->of = lethe_alloc(g->n, sizeof *x->of);
    x->alone = lethe_alloc(g->n, sizeof *x->alone);
    x->wish = lethe_alloc_zero(g->n, sizeof *x->wish);
    x->changed = lethe_alloc(x->room_changed, sizeof *x->changed);
    x->scratch = lethe_alloc_zero(x->n_workers, sizeof *x->scratch);
    if (!x->at || !x->of || !x->alone || !x->wish || !x->changed || !x->scratch)
        return LETHE_ENOMEM;
    if (x->model->renew) {
        x->kept = lethe_alloc(g->n, LETHE_REFINE_NEAR * sizeof *x->kept);
        x->n_kept = lethe_alloc_zero(g->n, sizeof *x->n_kept);
        if (!x->kept || !x->n_kept) return LETHE_ENOMEM;
    }
    for (size_t r = 0; r < g->n; r++)
        x->at[g->group[r]].m.n++;
    for (uint32_t i = 0; i < g->n_groups; i++) {
        size_t n = x->at[i].m.n;
        x->at[i].m.n = 0;
        LETHE_TRY(lethe_refine_members_reserve(&x->at[i].m, n + 1)); // and one that joins
        x->changed[i] = i;
    }
    x->n_changed = g->n_groups;
    for (uint32_t r = 0; r < g->n; r++) {
        lethe_refine_members *to = &x->at[g->group[r]].m;
        to->record[to->n++] = r;
        x->of[r] = g->group[r];
    }
    return LETHE_OK;
}

static void end(struct refine *x)
{
    for (uint32_t i = 0; x->at && i < x->n; i++)
        lethe_refine_members_free(&x->at[i].m);
    for (unsigned w = 0; x->scratch && w < x->n_workers; w++)
        lethe_free(x->scratch[w].member);
    void *const all[] = {x->at,   x->of,     x->alone,   x->wish,
                         x->kept, x->n_kept, x->changed, x->scratch};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}

/* Numbers groups in the order of their lowest records. */
static void hand_over(struct refine *x, lethe_refine_grouping *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->n; i++)
        x->at[i].m.n_persons = LETHE_NONE; // no number yet
    for (size_t r = 0; r < g->n; r++) {
        lethe_refine_members *of = &x->at[x->of[r]].m;
        if (of->n_persons == LETHE_NONE) of->n_persons = n++;
        g->group[r] = of->n_persons;
    }
    g->n_groups = n;
}

lethe_err lethe_refine(lethe_ctx *ctx, const lethe_refine_model *model, uint64_t rounds,
                       lethe_refine_grouping *g, lethe_refine_result *out)
{
    assert(g->n < LETHE_NONE && g->k > 0);
    struct refine x = {.ctx = ctx, .model = model, .g = g};
    lethe_ctx_phase(ctx, "refine", rounds);
    lethe_err e = begin(&x);
    if (e == LETHE_OK) e = settle(&x, &x.done.cost_before);
    x.done.cost_after = x.done.cost_before;
    while (e == LETHE_OK && x.round < rounds && !x.done.settled)
        e = run_round(&x);
    if (e == LETHE_OK && x.done.rounds > 0) hand_over(&x, g);
    if (e == LETHE_OK && out) *out = x.done;
    end(&x);
    return e;
}
