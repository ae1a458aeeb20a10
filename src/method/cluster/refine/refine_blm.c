/* SPDX-License-Identifier: Apache-2.0 */
/* refine_blm.c - the model of bLM for refine.h: the hyper vocabulary of each group with and without
 * each of its members, and bounds of prices. */
#include "method/cluster/refine/refine_blm_internal.h"
#include "core/sort.h"

enum {
    CROWD = 16, /* terms are crowded if more than one in so many is near another, on average */
    FIRST = 8,  /* first rounds, in which a swap must gain ... */
    FIRST_CROWDED = 4, /* as many among crowded terms */
    WORTH = 16,        /* ... at least this fraction of a term */
    STORED = 32, /* most members of a group for which the hyper vocabulary without each of them is
                    stored; for larger groups it is computed when needed */
    GIVES = 256  /* most members of a group that a record may leave: pricing takes their square */
};

/* --- parts of the taxonomy --- */

/* The part of a term: terms are numbered in preorder, so that what is near is near by number, too.
 */
static unsigned part_of(const struct lethe_blm *x, uint32_t term)
{
    unsigned at = 0;
    for (unsigned step = LETHE_BLM_PARTS / 2; step > 0; step /= 2)
        if (x->part[at + step] <= term) at += step;
    return at;
}

static uint64_t parts_of(const struct lethe_blm *x, const lethe_hyper *h)
{
    uint64_t parts = 0;
    for (uint32_t i = 0; i < h->n; i++)
        parts |= UINT64_C(1) << part_of(x, h->voter[h->start[i]].term);
    return parts;
}

static uint64_t reach_of(const struct lethe_blm *x, uint32_t r)
{
    uint64_t parts = 0;
    for (uint32_t i = 0, n = lethe_blm_size_of(x, r); i < n; i++) {
        lethe_meaning_reach near =
            lethe_meaning_reach_of(x->how->matcher.meaning, lethe_blm_terms_of(x, r)[i]);
        unsigned from = part_of(x, near.from), to = part_of(x, near.from + (near.n - 1));
        parts |= UINT64_MAX << from & UINT64_MAX >> (LETHE_BLM_PARTS - 1 - to);
    }
    return parts;
}

/* A bound of how many of n hyper-terms a record leaves: it has a term near the first member of
 * each, and of those in every part that it does not reach one is lost, at least. */
static uint32_t most_left(const struct lethe_blm *x, uint32_t n, uint64_t parts, uint32_t r)
{
    uint32_t lost = (uint32_t)__builtin_popcountll(parts & ~x->record[r].reach);
    return LETHE_MIN(n - lost, lethe_blm_size_of(x, r));
}

/* --- the cost of a group --- */

/* Joins the members one after the other, except `out` (LETHE_NONE: all). */
static lethe_err join_all(const struct lethe_blm *x, struct lethe_blm_worker *w, lethe_hyper *h,
                          const uint32_t *member, size_t n, uint32_t out)
{
    for (size_t i = 0; i < n; i++) {
        if (member[i] == out) continue;
        if (lethe_ctx_cancelled(x->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_hyper_join(h, &w->match, lethe_blm_terms_of(x, member[i]),
                                   lethe_blm_size_of(x, member[i])));
    }
    return LETHE_OK;
}

static lethe_err build(const struct lethe_blm *x, struct lethe_blm_worker *w, lethe_hyper *h,
                       const uint32_t *member, size_t n, uint32_t out)
{
    lethe_hyper_clear(h);
    return join_all(x, w, h, member, n, out);
}

/* Called for groups that do not exist yet: the parts of one that may be split. */
static lethe_err model_cost(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out)
{
    const struct lethe_blm *x = arg;
    struct lethe_blm_worker *k = &x->worker[w];
    LETHE_TRY(build(x, k, &k->hyper, member, n, LETHE_NONE));
    *out = lethe_hyper_loss(&k->hyper, x->scale);
    return LETHE_OK;
}

/* Puts the members of a group in the order in which they joined: a new one is the last, as it was
 * when that was priced.  The members of a part of a split group are ascending, as they were when it
 * was priced.  *more: the one new member; LETHE_NONE: none.  *same: nothing else changed. */
static lethe_err order_members(struct lethe_blm_group *group, const uint32_t *member, size_t n,
                               uint32_t *more, bool *same)
{
    size_t kept = 0, n_old = group->n;
    uint64_t sum = 0;
    if (n > group->room) {
        uint32_t *m = lethe_realloc(group->member, n, sizeof *m);
        if (!m) return LETHE_ENOMEM;
        group->member = m;
        group->room = (uint32_t)n;
    }
    for (size_t i = 0; i < n; i++)
        sum += member[i];
    for (size_t i = 0; i < n_old; i++) {
        uint32_t r = group->member[i];
        size_t at = lethe_gallop(member, n, r);
        if (at == n || member[at] != r) continue;
        sum -= r;
        group->member[kept++] = r;
    }
    group->n = (uint32_t)n;
    *same = kept == n_old && n_old > 0 && n <= kept + 1;
    *more = n == kept + 1 ? (uint32_t)sum : LETHE_NONE;
    if (n_old > 0 && kept + 1 >= n_old && n <= kept + 1) {
        if (n > kept) group->member[kept] = *more;
    } else if (n > 0) {
        memcpy(group->member, member, n * sizeof *member);
    }
    return LETHE_OK;
}

/* The group without each of its members: those before it are joined once for all. */
static lethe_err find_rests(struct lethe_blm *x, struct lethe_blm_worker *k,
                            struct lethe_blm_group *group)
{
    lethe_hyper *before = &k->before;
    lethe_hyper_clear(before);
    group->most = 0;
    for (size_t i = 0; group->n > 1 && group->n <= GIVES && i < group->n; i++) {
        uint32_t r = group->member[i];
        lethe_hyper *rest = group->n <= STORED ? &x->rest[r] : &k->hyper;
        LETHE_TRY(lethe_hyper_copy(rest, before));
        LETHE_TRY(join_all(x, k, rest, group->member + i + 1, group->n - i - 1, LETHE_NONE));
        LETHE_TRY(join_all(x, k, before, &r, i + 1 < group->n, LETHE_NONE));
        x->record[r].without = lethe_hyper_loss(rest, x->scale);
        x->record[r].rest_n = rest->n;
        x->record[r].rest_parts = parts_of(x, rest);
        group->most = LETHE_MAX(group->most, rest->n);
    }
    return LETHE_OK;
}

static lethe_err model_change(void *arg, unsigned w, uint32_t g, const uint32_t *member, size_t n,
                              uint64_t *out)
{
    struct lethe_blm *x = arg;
    assert(g < x->room);
    struct lethe_blm_group *group = &x->group[g];
    struct lethe_blm_worker *k = &x->worker[w];
    uint32_t more = LETHE_NONE;
    group->changed = x->round;
    bool same = false, built = group->hyper.n_records == group->n && group->n > 0;
    LETHE_TRY(order_members(group, member, n, &more, &same));
    for (size_t i = 0; i < n; i++)
        x->record[member[i]].of = g;
    if (!built || !same)
        LETHE_TRY(build(x, k, &group->hyper, group->member, n, LETHE_NONE));
    else if (more != LETHE_NONE)
        LETHE_TRY(lethe_hyper_join(&group->hyper, &k->match, lethe_blm_terms_of(x, more),
                                   lethe_blm_size_of(x, more)));
    if (!built || !same || more != LETHE_NONE) {
        group->cost = n > 0 ? lethe_hyper_loss(&group->hyper, x->scale) : 0;
        group->parts = n > 0 ? parts_of(x, &group->hyper) : 0;
        LETHE_TRY(find_rests(x, k, group));
    }
    *out = group->cost;
    return LETHE_OK;
}

/* The group of r without it. */
static lethe_err rest_of(const struct lethe_blm *x, struct lethe_blm_worker *w, unsigned who,
                         uint32_t r, const lethe_hyper **out)
{
    const struct lethe_blm_group *g = &x->group[x->record[r].of];
    assert(w);
    struct lethe_blm_rest *f = &w->rest[who];
    *out = &x->rest[r];
    if (g->n <= STORED) return LETHE_OK;
    *out = &f->hyper;
    if (f->record == r) return LETHE_OK;
    f->record = LETHE_NONE;
    LETHE_TRY(build(x, w, &f->hyper, g->member, g->n, r));
    f->record = r;
    return LETHE_OK;
}

/* A bound of the hyper-terms of a group that would be left with one more record: a term of a
 * hyper-term is relevant to all its members, and so to the first. */
static uint32_t common_with(const struct lethe_blm *x, struct lethe_blm_worker *w, uint32_t r,
                            uint32_t group)
{
    const lethe_hyper *h = &x->group[group].hyper;
    const uint32_t *term = lethe_blm_terms_of(x, r);
    uint32_t common = 0;
    for (uint32_t i = 0, n = lethe_blm_size_of(x, r); i < n; i++) {
        lethe_meaning_reach near = lethe_meaning_quick_reach(&w->match.quick, term[i]);
        for (uint32_t k = 0; k < h->n; k++) {
            uint32_t other = h->voter[h->start[k]].term;
            if (other - near.from >= near.n) continue;
            if (lethe_hyper_term_distance(&w->match, term[i], other) == LETHE_NONE) continue;
            common++;
            break;
        }
    }
    return common;
}

/* The number of them; among crowded terms the bound, because those without one of the members may
 * then be matched quite differently.  A record is compared with all members of a group in turn, so
 * the last result is kept. */
static lethe_err matched_with(const struct lethe_blm *x, struct lethe_blm_worker *w, uint32_t r,
                              uint32_t group, uint32_t *out)
{
    struct lethe_blm_asked *kept = &w->asked;
    if (kept->record != r || kept->group != group) {
        kept->record = LETHE_NONE;
        if (x->crowded)
            kept->matched = common_with(x, w, r, group);
        else
            LETHE_TRY(lethe_hyper_matched(&x->group[group].hyper, &w->match,
                                          lethe_blm_terms_of(x, r), lethe_blm_size_of(x, r),
                                          &kept->matched));
        kept->record = r;
        kept->group = group;
    }
    *out = kept->matched;
    return LETHE_OK;
}

/* The least cost of so many items in a group of n with so many hyper-terms. */
static int64_t least_cost(const struct lethe_blm *x, uint64_t items, uint64_t n, uint64_t n_hyper)
{
    return (int64_t)((items - LETHE_MIN(n * n_hyper, items)) * x->scale);
}

static int64_t model_join_least(void *arg, unsigned w, uint32_t r, uint32_t g)
{
    const struct lethe_blm *x = arg;
    const struct lethe_blm_group *group = &x->group[g];
    uint64_t items = group->hyper.items + lethe_blm_size_of(x, r), n = (uint64_t)group->n + 1;
    (void)w;
    uint32_t most = most_left(x, group->hyper.n, group->parts, r);
    return least_cost(x, items, n, most) - (int64_t)group->cost;
}

static lethe_err model_join(void *arg, unsigned w, uint32_t r, uint32_t g, int64_t *out)
{
    const struct lethe_blm *x = arg;
    const struct lethe_blm_group *group = &x->group[g];
    uint64_t cost = 0;
    LETHE_TRY(lethe_hyper_loss_with(&group->hyper, &x->worker[w].match, lethe_blm_terms_of(x, r),
                                    lethe_blm_size_of(x, r), x->scale, &cost));
    *out = (int64_t)cost - (int64_t)group->cost;
    return LETHE_OK;
}

static lethe_err model_leave(void *arg, unsigned w, uint32_t r, int64_t *out)
{
    const struct lethe_blm *x = arg;
    const struct lethe_blm_group *g = &x->group[x->record[r].of];
    (void)w;
    *out = g->n > GIVES ? INT64_MAX / 2 : (int64_t)x->record[r].without - (int64_t)g->cost;
    return LETHE_OK;
}

/* A bound from below of the cost of the group of `out` with `in` in its place: it has no more
 * hyper-terms than `in` leaves of those without `out`. */
static int64_t least_with(const struct lethe_blm *x, uint32_t out, uint32_t in)
{
    const struct lethe_blm_group *g = &x->group[x->record[out].of];
    uint32_t n = lethe_blm_size_of(x, in);
    if (g->n == 1) return 0;
    return least_cost(x, g->hyper.items - lethe_blm_size_of(x, out) + n, g->n,
                      most_left(x, x->record[out].rest_n, x->record[out].rest_parts, in));
}

/* The same if `common` of the hyper-terms of the group would be left with `in` as one more: of
 * those that only `out` lacks, all may be left. */
static int64_t likely_with(const struct lethe_blm *x, uint32_t out, uint32_t in, uint32_t common)
{
    const struct lethe_blm_group *g = &x->group[x->record[out].of];
    uint32_t n = lethe_blm_size_of(x, in);
    uint32_t most = most_left(x, x->record[out].rest_n, x->record[out].rest_parts, in);
    if (g->n == 1) return 0;
    if (g->hyper.n < x->record[out].rest_n) common += x->record[out].rest_n - g->hyper.n;
    return least_cost(x, g->hyper.items - lethe_blm_size_of(x, out) + n, g->n,
                      LETHE_MIN(most, common));
}

/* The cost of the group of `out` with `in` in its place. */
static lethe_err cost_in_place(const struct lethe_blm *x, struct lethe_blm_worker *w, unsigned who,
                               uint32_t out, uint32_t in, uint64_t *cost)
{
    const lethe_hyper *rest = NULL;
    *cost = 0;
    if (x->group[x->record[out].of].n == 1) return LETHE_OK;
    LETHE_TRY(rest_of(x, w, who, out, &rest));
    return lethe_hyper_loss_with(rest, &w->match, lethe_blm_terms_of(x, in),
                                 lethe_blm_size_of(x, in), x->scale, cost);
}

/* What two groups must cost together for a swap of `a` from one to the other to be wanted: below
 * this. */
static int64_t swap_end(const struct lethe_blm *x, uint32_t a, const struct lethe_blm_group *ga,
                        const struct lethe_blm_group *gb, int64_t bound)
{
    bool any = x->round > x->first && (x->crowded || lethe_blm_is_turn(x, a));
    int64_t worth = any ? 1 : LETHE_MAX((int64_t)(x->scale / WORTH), 1);
    return (int64_t)ga->cost + (int64_t)gb->cost + LETHE_MIN(bound, 1 - worth);
}

/* The two groups keep their items, and have no more hyper-terms than without their members. */
static bool model_swap_any(void *arg, uint32_t r, uint32_t g, int64_t bound)
{
    const struct lethe_blm *x = arg;
    const struct lethe_blm_record *a = &x->record[r];
    const struct lethe_blm_group *ga = &x->group[a->of], *gb = &x->group[g];
    if (ga->n > GIVES || gb->n > GIVES) return false;
    if (ga->n == 1 || gb->n == 1) return true;
    uint64_t items = ga->hyper.items + gb->hyper.items;
    uint64_t published =
        (uint64_t)ga->n * a->rest_n + (uint64_t)gb->n * LETHE_MIN(gb->most, a->size);
    return least_cost(x, items, 1, published) < swap_end(x, r, ga, gb, bound);
}

/* Raises the bounds of the costs of two groups after a swap, `least_a` being strict, until they
 * reach `end`.  A rest that is not stored is only built for the price itself. */
static lethe_err bound_swap(const struct lethe_blm *x, struct lethe_blm_worker *w, uint32_t a,
                            uint32_t b, int64_t end, int64_t *least_a, int64_t *least_b)
{
    const struct lethe_blm_group *ga = &x->group[x->record[a].of], *gb = &x->group[x->record[b].of];
    const lethe_hyper *rest = NULL;
    if (gb->n > 1 && gb->n <= STORED)
        *least_b = LETHE_MAX(*least_b, lethe_blm_least_joined(x, w, &x->rest[b], a));
    if (*least_a + *least_b >= end || ga->n == 1) return LETHE_OK;
    LETHE_TRY(rest_of(x, w, 0, a, &rest));
    *least_a = LETHE_MAX(*least_a, lethe_blm_least_in_rest(x, w, rest, a, b));
    return LETHE_OK;
}

/* The two groups together keep their items, so a swap hardly ever gains where neither group has
 * more hyper-terms without its member: most swaps are discarded at once.  `a` is compared with the
 * members of b's group in turn, so its common terms with that group come first. */
static lethe_err model_swap(void *arg, unsigned w, uint32_t a, uint32_t b, int64_t bound,
                            int64_t *out)
{
    const struct lethe_blm *x = arg;
    struct lethe_blm_worker *k = &x->worker[w];
    const struct lethe_blm_group *ga = &x->group[x->record[a].of], *gb = &x->group[x->record[b].of];
    int64_t now = (int64_t)ga->cost + (int64_t)gb->cost;
    int64_t end = swap_end(x, a, ga, gb, bound);
    int64_t least_a = least_with(x, a, b), least_b = least_with(x, b, a);
    uint32_t common = 0;
    uint64_t cost_a = 0, cost_b = 0;
    *out = bound;
    if (ga->n > GIVES || gb->n > GIVES || least_a + least_b >= end) return LETHE_OK;
    LETHE_TRY(matched_with(x, k, a, x->record[b].of, &common));
    least_b = likely_with(x, b, a, common);
    if (least_a + least_b >= end) return LETHE_OK;
    if (likely_with(x, a, b, common_with(x, k, b, x->record[a].of)) + least_b >= end)
        return LETHE_OK;
    LETHE_TRY(bound_swap(x, k, a, b, end, &least_a, &least_b));
    if (least_a + least_b >= end) return LETHE_OK;
    LETHE_TRY(cost_in_place(x, k, 0, a, b, &cost_a));
    if ((int64_t)cost_a + least_b >= end) return LETHE_OK;
    LETHE_TRY(cost_in_place(x, k, 1, b, a, &cost_b));
    if ((int64_t)(cost_a + cost_b) < end) *out = (int64_t)(cost_a + cost_b) - now;
    return LETHE_OK;
}

/* --- begin and end --- */

/* Begins a new part after so many items. */
static lethe_err make_parts(struct lethe_blm *x)
{
    uint64_t items = x->r->n ? x->r->start[x->r->n] : 0, before = 0;
    uint32_t *uses = lethe_alloc_zero(x->n_terms, sizeof *uses);
    if (!uses) return LETHE_ENOMEM;
    for (uint64_t i = 0; i < items; i++)
        uses[x->slot[i]] += uses[x->slot[i]] < UINT32_MAX;
    x->part[0] = 0;
    for (unsigned at = 1; at < LETHE_BLM_PARTS; at++)
        x->part[at] = LETHE_NONE;
    for (size_t t = 0, at = 0; t < x->n_terms; t++) {
        size_t in = (size_t)(before * LETHE_BLM_PARTS / items);
        while (at < in)
            x->part[++at] = x->term[t];
        before += uses[t];
    }
    lethe_free(uses);
    return LETHE_OK;
}

static lethe_err find_reach(void *arg, size_t r, unsigned w)
{
    struct lethe_blm *x = arg;
    (void)w;
    x->record[r].reach = reach_of(x, (uint32_t)r);
    return LETHE_OK;
}

static lethe_err begin(struct lethe_blm *x, lethe_ctx *ctx, const lethe_ssg_groups *g)
{
    size_t n = x->r->n;
    x->n_workers = lethe_ctx_threads(ctx);
    x->room = g->n + (uint32_t)(n / x->how->k) + 1;
    LETHE_TRY(lethe_ssg_terms(x->r, &x->term, &x->n_terms));
    x->worker = lethe_alloc_zero(x->n_workers, sizeof *x->worker);
    x->group = lethe_alloc_zero(x->room, sizeof *x->group);
    x->record = lethe_alloc_zero(n, sizeof *x->record);
    x->rest = lethe_alloc_zero(n, sizeof *x->rest);
    x->slot = lethe_alloc(n ? x->r->start[n] : 0, sizeof *x->slot);
    x->slot_at =
        lethe_alloc(x->n_terms ? x->term[x->n_terms - 1] + (size_t)1 : 0, sizeof *x->slot_at);
    x->near = lethe_alloc(x->n_terms, LETHE_BLM_SHORT * sizeof *x->near);
    x->lists.start = lethe_alloc(x->n_terms + 2, sizeof *x->lists.start);
    if (!x->worker || !x->group || !x->record || !x->rest || !x->slot || !x->slot_at || !x->near ||
        !x->lists.start)
        return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        x->record[i].size = (uint32_t)lethe_record_size(x->r, i);
    for (uint32_t i = 0; i < x->n_terms; i++)
        x->slot_at[x->term[i]] = i;
    for (uint64_t i = 0; i < (n ? x->r->start[n] : 0); i++)
        x->slot[i] = x->slot_at[x->r->item[i]];
    LETHE_TRY(make_parts(x));
    LETHE_TRY(lethe_pool_for(ctx, n, find_reach, x));
    for (unsigned w = 0; w < x->n_workers; w++) {
        struct lethe_blm_worker *k = &x->worker[w];
        LETHE_TRY(lethe_hyper_work_begin(&k->match, &x->how->matcher));
        k->score = lethe_alloc_zero(x->room, sizeof *k->score);
        k->found = lethe_alloc(x->room, sizeof *k->found);
        if (!k->score || !k->found) return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < g->n; i++) { // members in the order in which they joined
        struct lethe_blm_group *group = &x->group[i];
        group->n = g->first[i + 1] - g->first[i];
        group->room = group->n + 1;
        group->member = lethe_alloc(group->room, sizeof *group->member);
        if (!group->member) return LETHE_ENOMEM;
        memcpy(group->member, g->member + g->first[i], group->n * sizeof *group->member);
    }
    LETHE_TRY(lethe_blm_most_begin(x));
    LETHE_TRY(lethe_pool_for(ctx, x->n_terms, lethe_blm_near_terms, x));
    uint64_t n_near = 0;
    for (unsigned w = 0; w < x->n_workers; w++)
        n_near += x->worker[w].n_near;
    x->crowded = n_near / LETHE_MAX(x->n_terms, 1) > x->n_terms / CROWD;
    return LETHE_OK;
}

static void end(struct lethe_blm *x)
{
    lethe_blm_most_end(x);
    for (unsigned w = 0; x->worker && w < x->n_workers; w++) {
        lethe_hyper_work_end(&x->worker[w].match);
        lethe_hyper_free(&x->worker[w].hyper);
        lethe_hyper_free(&x->worker[w].before);
        for (int i = 0; i < 2; i++)
            lethe_hyper_free(&x->worker[w].rest[i].hyper);
        lethe_free(x->worker[w].score);
        lethe_free(x->worker[w].found);
    }
    for (uint32_t g = 0; x->group && g < x->room; g++) {
        lethe_hyper_free(&x->group[g].hyper);
        lethe_free(x->group[g].member);
    }
    for (size_t i = 0; x->rest && i < x->r->n; i++)
        lethe_hyper_free(&x->rest[i]);
    void *const all[] = {x->worker, x->group,   x->record, x->rest,        x->slot,
                         x->term,   x->slot_at, x->near,   x->lists.start, x->lists.group};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}

/* Puts groups in the order of the new numbers that refining gave them. */
static lethe_err renumber(struct lethe_blm *x, const lethe_refine_grouping *new)
{
    struct lethe_blm_group *group = lethe_alloc_zero(x->room, sizeof *group);
    if (!group) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < x->room; i++) {
        struct lethe_blm_group *old = &x->group[i];
        if (old->n > 0) {
            group[new->group[old->member[0]]] = *old;
            continue;
        }
        lethe_hyper_free(&old->hyper);
        lethe_free(old->member);
    }
    lethe_free(x->group);
    x->group = group;
    return LETHE_OK;
}

/* Replaces the groups; hyper vocabularies are those that the model priced. */
static lethe_err hand_over(const struct lethe_blm *x, const lethe_refine_grouping *new,
                           lethe_ssg_groups *g)
{
    lethe_ssg_groups out = {.n = new->n_groups, .pairs = g->pairs, .pairs_all = g->pairs_all};
    out.first = lethe_alloc((size_t)out.n + 1, sizeof *out.first);
    out.member = lethe_alloc(x->r->n, sizeof *out.member);
    out.hyper = lethe_alloc_zero(out.n, sizeof *out.hyper);
    if (!out.first || !out.member || !out.hyper) {
        lethe_ssg_groups_free(&out);
        return LETHE_ENOMEM;
    }
    out.group = new->group;
    out.first[0] = 0;
    for (uint32_t i = 0; i < out.n; i++) {
        struct lethe_blm_group *from = &x->group[i];
        memcpy(out.member + out.first[i], from->member, from->n * sizeof *out.member);
        out.first[i + 1] = out.first[i] + from->n;
        out.hyper[i] = from->hyper;
        from->hyper = (lethe_hyper){0};
    }
    lethe_ssg_groups_free(g);
    *g = out;
    return LETHE_OK;
}

/* In a large tree a swap that publishes nothing more gains next to nothing, and yet keeps two
 * groups from changing otherwise in that round, so such swaps come after the first rounds.  They
 * are worth examining: they lead to others that gain; a few are enough.  Once nothing changes, all
 * records look for candidates again, in other windows of the lists, and for all swaps. */
static lethe_err refine_in_stages(struct lethe_blm *x, const lethe_refine_model *m, uint64_t rounds,
                                  lethe_refine_grouping *new, lethe_refine_result *done)
{
    bool again, later = false;
    uint64_t now = x->first = LETHE_MIN(rounds / 2, x->crowded ? FIRST_CROWDED : FIRST);
    do {
        LETHE_TRY(lethe_refine(x->ctx, m, now, new, done));
        LETHE_TRY(renumber(x, new));
        again = done->rounds > 0 || !later;
        later = true;
        x->first = 0;
        x->all = done->settled ? x->round + 1 : 0;
        now = rounds -= done->rounds;
    } while (again && rounds > 0);
    return LETHE_OK;
}

lethe_err lethe_refine_blm(lethe_ctx *ctx, const lethe_ssg_options *how, uint64_t scale,
                           uint64_t rounds, lethe_ssg_groups *g)
{
    struct lethe_blm x = {.ctx = ctx, .how = how, .r = how->records, .scale = scale};
    lethe_refine_model m = {.arg = &x,
                            .cost = model_cost,
                            .change = model_change,
                            .ready = lethe_blm_ready,
                            .join = model_join,
                            .leave = model_leave,
                            .swap = model_swap,
                            .swap_any = model_swap_any,
                            .renew = lethe_blm_renew,
                            .join_least = model_join_least};
    lethe_refine_result done = {0};
    lethe_refine_grouping new = {.n = x.r->n,
                                 .group = lethe_alloc(x.r->n, sizeof(uint32_t)),
                                 .n_groups = g->n,
                                 .owner = how->each ? NULL : x.r->owner,
                                 .n_owners = how->each ? 0 : x.r->n_owners,
                                 .k = how->k};
    uint64_t before = 0;
    for (uint32_t i = 0; i < g->n; i++)
        before += lethe_hyper_loss(&g->hyper[i], scale);
    if (before == 0) { // nothing is lost, as in groups of one
        lethe_free(new.group);
        return LETHE_OK;
    }
    lethe_err err = new.group ? begin(&x, ctx, g) : LETHE_ENOMEM;
    if (err == LETHE_OK) {
        memcpy(new.group, g->group, x.r->n * sizeof *new.group);
        err = refine_in_stages(&x, &m, rounds, &new, &done);
    }
    bool better = err == LETHE_OK && done.cost_after < before;
    if (better) err = hand_over(&x, &new, g);
    if (!better || err != LETHE_OK) lethe_free(new.group);
    end(&x);
    return err;
}
