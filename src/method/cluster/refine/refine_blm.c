/* SPDX-License-Identifier: Apache-2.0 */
/* refine_blm.c - the model of bLM for refine.h: the hyper vocabulary of each group with and without
 * each of its members, bounds of prices, and the groups near a record. */
#include "method/cluster/refine/refine_blm.h"
#include "core/sort.h"

enum {
    SHORT = 24, /* terms near each of its own by which candidates of a record are found */
    LOOKED = 8, /* most groups examined per term */
    TURN = 31,  /* by how much the window of the list of a term moves from round to round */
    LOOKS = 4,  /* a record looks for other candidates every so many rounds */
    LONG = 32,  /* one with so many terms, every round */
    STAY = 8,   /* and so many of those that it has stay */
    CROWD = 16, /* terms are crowded if more than one in so many is near another, on average */
    FIRST = 8,  /* first rounds, in which a swap must gain ... */
    FIRST_CROWDED = 4, /* as many among crowded terms */
    WORTH = 16,        /* ... at least this fraction of a term */
    PARTS = 64,        /* of the taxonomy: bits of a number */
    STORED = 32, /* most members of a group for which the hyper vocabulary without each of them is
                    stored; for larger groups it is computed when needed */
    GIVES = 256  /* most members of a group that a record may leave: pricing takes their square */
};

struct group {
    lethe_hyper hyper;
    uint32_t *member; /* in the order in which they joined */
    uint32_t n, room;
    uint64_t cost;
    uint64_t parts;   /* where the first members of its hyper-terms are: a bit for each part */
    uint64_t changed; /* the round in which it last did */
};

/* Lists of groups by the terms of their centres. */
struct lists {
    uint32_t *start; /* of each slot, and one more */
    uint32_t *group;
    size_t room;
};

struct worker {
    lethe_hyper_work match;
    lethe_hyper hyper;
    struct rest {
        lethe_hyper hyper;
        uint32_t record; /* the record whose group it is without it; LETHE_NONE: none */
    } rest[2];           /* for groups that are too large to store them */
    uint32_t *score;     /* of each group; 0 except during a search */
    uint32_t *found;
    struct asked {
        uint32_t record, group, matched;
    } asked;         /* the last result of matched_with */
    uint64_t n_near; /* pairs of terms near each other */
};

struct model {
    lethe_ctx *ctx;
    const lethe_ssg_options *how;
    const lethe_records *r;
    uint64_t scale;
    int64_t worth; /* the least gain of a swap */
    struct worker *worker;
    unsigned n_workers;
    struct group *group;
    uint32_t room;           /* most groups */
    uint32_t *of;            /* the group of each record */
    lethe_hyper *rest;       /* of each record: its group without it, if stored */
    uint64_t *without;       /* of each record: the cost of its group without it, */
    uint32_t *without_n;     /* and the number of its hyper-terms, */
    uint64_t *without_parts; /* and where they are */
    uint64_t *reach;         /* of each record: the parts in which terms near one of its own are */
    uint32_t part[PARTS];    /* the first term of each part: all have about as many items */
    uint32_t *term;          /* all terms, ascending; their places are slots */
    size_t n_terms;
    bool crowded;   /* a term has many others near it */
    uint32_t *slot; /* of each item of the records */
    uint32_t *near; /* of each slot: up to SHORT slots, the nearest first; LETHE_NONE ends them */
    struct lists all, changed;
    uint64_t round; /* of all: counted by model_ready */
};

static const uint32_t *terms_of(const struct model *x, uint32_t r)
{
    return x->r->item + x->r->start[r];
}
static uint32_t size_of(const struct model *x, uint32_t r)
{
    return (uint32_t)lethe_record_size(x->r, r);
}

/* --- parts of the taxonomy --- */

/* The part of a term: terms are numbered in preorder, so that what is near is near by number, too.
 */
static unsigned part_of(const struct model *x, uint32_t term)
{
    unsigned at = 0;
    for (unsigned step = PARTS / 2; step > 0; step /= 2)
        if (x->part[at + step] <= term) at += step;
    return at;
}

static uint64_t parts_of(const struct model *x, const lethe_hyper *h)
{
    uint64_t parts = 0;
    for (uint32_t i = 0; i < h->n; i++)
        parts |= UINT64_C(1) << part_of(x, h->voter[h->start[i]].term);
    return parts;
}

static uint64_t reach_of(const struct model *x, uint32_t r)
{
    uint64_t parts = 0;
    for (uint32_t i = 0, n = size_of(x, r); i < n; i++) {
        lethe_meaning_reach near =
            lethe_meaning_reach_of(x->how->matcher.meaning, terms_of(x, r)[i]);
        unsigned from = part_of(x, near.from), to = part_of(x, near.from + (near.n - 1));
        parts |= UINT64_MAX << from & UINT64_MAX >> (PARTS - 1 - to);
    }
    return parts;
}

/* A bound of how many of n hyper-terms a record leaves: it has a term near the first member of
 * each, and of those in every part that it does not reach one is lost, at least. */
static uint32_t most_left(const struct model *x, uint32_t n, uint64_t parts, uint32_t r)
{
    uint32_t lost = (uint32_t)__builtin_popcountll(parts & ~x->reach[r]);
    return LETHE_MIN(n - lost, size_of(x, r));
}

/* --- the cost of a group --- */

/* Joins the members one after the other, except `out` (LETHE_NONE: all). */
static lethe_err build(const struct model *x, struct worker *w, lethe_hyper *h,
                       const uint32_t *member, size_t n, uint32_t out)
{
    lethe_hyper_clear(h);
    for (size_t i = 0; i < n; i++) {
        if (member[i] == out) continue;
        if (lethe_ctx_cancelled(x->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_hyper_join(h, &w->match, terms_of(x, member[i]), size_of(x, member[i])));
    }
    return LETHE_OK;
}

/* Called for groups that do not exist yet: the parts of one that may be split. */
static lethe_err model_cost(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out)
{
    const struct model *x = arg;
    struct worker *k = &x->worker[w];
    LETHE_TRY(build(x, k, &k->hyper, member, n, LETHE_NONE));
    *out = lethe_hyper_loss(&k->hyper, x->scale);
    return LETHE_OK;
}

/* Puts the members of a group in the order in which they joined: a new one is the last, as it was
 * when that was priced.  The members of a part of a split group are ascending, as they were when it
 * was priced.  *more: the one new member; LETHE_NONE: none.  *same: nothing else changed. */
static lethe_err order_members(struct group *group, const uint32_t *member, size_t n,
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

/* The group without each of its members. */
static lethe_err find_rests(struct model *x, struct worker *k, const struct group *group)
{
    for (size_t i = 0; group->n > 1 && group->n <= GIVES && i < group->n; i++) {
        uint32_t r = group->member[i];
        lethe_hyper *rest = group->n <= STORED ? &x->rest[r] : &k->hyper;
        LETHE_TRY(build(x, k, rest, group->member, group->n, r));
        x->without[r] = lethe_hyper_loss(rest, x->scale);
        x->without_n[r] = rest->n;
        x->without_parts[r] = parts_of(x, rest);
    }
    return LETHE_OK;
}

static lethe_err model_change(void *arg, unsigned w, uint32_t g, const uint32_t *member, size_t n,
                              uint64_t *out)
{
    struct model *x = arg;
    assert(g < x->room);
    struct group *group = &x->group[g];
    struct worker *k = &x->worker[w];
    uint32_t more = LETHE_NONE;
    group->changed = x->round;
    bool same = false, built = group->hyper.n_records == group->n && group->n > 0;
    LETHE_TRY(order_members(group, member, n, &more, &same));
    for (size_t i = 0; i < n; i++)
        x->of[member[i]] = g;
    if (!built || !same)
        LETHE_TRY(build(x, k, &group->hyper, group->member, n, LETHE_NONE));
    else if (more != LETHE_NONE)
        LETHE_TRY(lethe_hyper_join(&group->hyper, &k->match, terms_of(x, more), size_of(x, more)));
    if (!built || !same || more != LETHE_NONE) {
        group->cost = n > 0 ? lethe_hyper_loss(&group->hyper, x->scale) : 0;
        group->parts = n > 0 ? parts_of(x, &group->hyper) : 0;
        LETHE_TRY(find_rests(x, k, group));
    }
    *out = group->cost;
    return LETHE_OK;
}

/* The group of r without it. */
static lethe_err rest_of(const struct model *x, struct worker *w, unsigned who, uint32_t r,
                         const lethe_hyper **out)
{
    const struct group *g = &x->group[x->of[r]];
    assert(w);
    struct rest *f = &w->rest[who];
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
static uint32_t common_with(const struct model *x, struct worker *w, uint32_t r, uint32_t group)
{
    const lethe_hyper *h = &x->group[group].hyper;
    const uint32_t *term = terms_of(x, r);
    uint32_t common = 0;
    for (uint32_t i = 0, n = size_of(x, r); i < n; i++) {
        lethe_meaning_reach near = lethe_meaning_reach_of(x->how->matcher.meaning, term[i]);
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
static lethe_err matched_with(const struct model *x, struct worker *w, uint32_t r, uint32_t group,
                              uint32_t *out)
{
    struct asked *kept = &w->asked;
    if (kept->record != r || kept->group != group) {
        kept->record = LETHE_NONE;
        if (x->crowded)
            kept->matched = common_with(x, w, r, group);
        else
            LETHE_TRY(lethe_hyper_matched(&x->group[group].hyper, &w->match, terms_of(x, r),
                                          size_of(x, r), &kept->matched));
        kept->record = r;
        kept->group = group;
    }
    *out = kept->matched;
    return LETHE_OK;
}

/* The least cost of so many items in a group of n with so many hyper-terms. */
static int64_t least_cost(const struct model *x, uint64_t items, uint64_t n, uint64_t n_hyper)
{
    return (int64_t)((items - LETHE_MIN(n * n_hyper, items)) * x->scale);
}

static int64_t model_join_least(void *arg, unsigned w, uint32_t r, uint32_t g)
{
    const struct model *x = arg;
    const struct group *group = &x->group[g];
    uint64_t items = group->hyper.items + size_of(x, r), n = (uint64_t)group->n + 1;
    (void)w;
    uint32_t most = most_left(x, group->hyper.n, group->parts, r);
    return least_cost(x, items, n, most) - (int64_t)group->cost;
}

static lethe_err model_join(void *arg, unsigned w, uint32_t r, uint32_t g, int64_t *out)
{
    const struct model *x = arg;
    const struct group *group = &x->group[g];
    uint64_t cost = 0;
    LETHE_TRY(lethe_hyper_loss_with(&group->hyper, &x->worker[w].match, terms_of(x, r),
                                    size_of(x, r), x->scale, &cost));
    *out = (int64_t)cost - (int64_t)group->cost;
    return LETHE_OK;
}

static lethe_err model_leave(void *arg, unsigned w, uint32_t r, int64_t *out)
{
    const struct model *x = arg;
    const struct group *g = &x->group[x->of[r]];
    (void)w;
    *out = g->n > GIVES ? INT64_MAX / 2 : (int64_t)x->without[r] - (int64_t)g->cost;
    return LETHE_OK;
}

/* A bound from below of the cost of the group of `out` with `in` in its place: it has no more
 * hyper-terms than `in` leaves of those without `out`. */
static int64_t least_with(const struct model *x, uint32_t out, uint32_t in)
{
    const struct group *g = &x->group[x->of[out]];
    uint32_t n = size_of(x, in);
    if (g->n == 1) return 0;
    return least_cost(x, g->hyper.items - size_of(x, out) + n, g->n,
                      most_left(x, x->without_n[out], x->without_parts[out], in));
}

/* The same if `common` of the hyper-terms of the group would be left with `in` as one more: of
 * those that only `out` lacks, all may be left. */
static int64_t likely_with(const struct model *x, uint32_t out, uint32_t in, uint32_t common)
{
    const struct group *g = &x->group[x->of[out]];
    uint32_t n = size_of(x, in);
    uint32_t most = most_left(x, x->without_n[out], x->without_parts[out], in);
    if (g->n == 1) return 0;
    if (g->hyper.n < x->without_n[out]) common += x->without_n[out] - g->hyper.n;
    return least_cost(x, g->hyper.items - size_of(x, out) + n, g->n, LETHE_MIN(most, common));
}

/* The cost of the group of `out` with `in` in its place. */
static lethe_err cost_in_place(const struct model *x, struct worker *w, unsigned who, uint32_t out,
                               uint32_t in, uint64_t *cost)
{
    const lethe_hyper *rest = NULL;
    *cost = 0;
    if (x->group[x->of[out]].n == 1) return LETHE_OK;
    LETHE_TRY(rest_of(x, w, who, out, &rest));
    return lethe_hyper_loss_with(rest, &w->match, terms_of(x, in), size_of(x, in), x->scale, cost);
}

/* The two groups together keep their items, so a swap hardly ever gains where neither group has
 * more hyper-terms without its member: most swaps are discarded at once.  `a` is compared with the
 * members of b's group in turn, so its common terms with that group come first. */
static lethe_err model_swap(void *arg, unsigned w, uint32_t a, uint32_t b, int64_t bound,
                            int64_t *out)
{
    const struct model *x = arg;
    struct worker *k = &x->worker[w];
    const struct group *ga = &x->group[x->of[a]], *gb = &x->group[x->of[b]];
    int64_t now = (int64_t)ga->cost + (int64_t)gb->cost;
    int64_t end = now + LETHE_MIN(bound, 1 - LETHE_MAX(x->worth, 1)); // both together: below this
    int64_t least_a = least_with(x, a, b), least_b = least_with(x, b, a);
    uint32_t common = 0;
    uint64_t cost_a = 0, cost_b = 0;
    *out = bound;
    if (ga->n > GIVES || gb->n > GIVES || least_a + least_b >= end) return LETHE_OK;
    LETHE_TRY(matched_with(x, k, a, x->of[b], &common));
    least_b = likely_with(x, b, a, common);
    if (least_a + least_b >= end) return LETHE_OK;
    least_a = likely_with(x, a, b, common_with(x, k, b, x->of[a]));
    if (least_a + least_b >= end) return LETHE_OK;
    LETHE_TRY(cost_in_place(x, k, 0, a, b, &cost_a));
    if ((int64_t)cost_a + least_b >= end) return LETHE_OK;
    LETHE_TRY(cost_in_place(x, k, 1, b, a, &cost_b));
    if ((int64_t)(cost_a + cost_b) < end) *out = (int64_t)(cost_a + cost_b) - now;
    return LETHE_OK;
}

/* --- the groups near a record --- */

static uint32_t slot_of(const struct model *x, uint32_t term)
{
    size_t lo = 0, hi = x->n_terms;
    while (lo + 1 < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (x->term[mid] <= term)
            lo = mid;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

/* The groups in[0..n-1], ascending (NULL: 0 .. n - 1), by the terms of their centres. */
static lethe_err make_lists(const struct model *x, struct lists *l, const uint32_t *in, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x->group[in ? in[i] : i].n ? x->group[in ? in[i] : i].hyper.n : 0;
    if (sum > l->room) {
        uint32_t *group = lethe_realloc(l->group, sum, sizeof *group);
        if (!group) return LETHE_ENOMEM;
        l->group = group;
        l->room = sum;
    }
    memset(l->start, 0, (x->n_terms + 2) * sizeof *l->start);
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < n; i++) {
            uint32_t g = in ? in[i] : (uint32_t)i;
            const lethe_hyper *h = &x->group[g].hyper;
            for (uint32_t k = 0; x->group[g].n > 0 && k < h->n; k++) {
                uint32_t slot = slot_of(x, lethe_hyper_elect(h, k));
                if (fill)
                    l->group[l->start[slot + 1]++] = g;
                else
                    l->start[slot + 2]++;
            }
        }
        for (size_t i = 0; !fill && i <= x->n_terms; i++)
            l->start[i + 1] += l->start[i]; // one ahead: they end up where lists begin
    }
    return LETHE_OK;
}

static lethe_err model_ready(void *arg, uint32_t n_groups, const uint32_t *changed,
                             size_t n_changed)
{
    struct model *x = arg;
    x->round++;
    LETHE_TRY(make_lists(x, &x->all, NULL, n_groups));
    return make_lists(x, &x->changed, changed, n_changed);
}

/* Is a candidate of a record of that size to be examined before another one? */
static bool is_nearer(const struct model *x, uint32_t size, const lethe_refine_candidate *a,
                      const lethe_refine_candidate *b)
{
    uint32_t na = x->group[a->group].hyper.n, nb = x->group[b->group].hyper.n;
    uint32_t ga = na > size ? na - size : size - na, gb = nb > size ? nb - size : size - nb;
    if (a->score != b->score) return a->score > b->score;
    return ga != gb ? ga < gb : a->group < b->group;
}

/* Windows of long lists begin elsewhere for each record, and in each round. */
static void score_groups(const struct model *x, const struct lists *l, struct worker *w,
                         uint32_t record, uint32_t slot, size_t *n_found)
{
    const uint32_t *near = x->near + (size_t)slot * SHORT;
    for (uint32_t i = 0; i < SHORT && near[i] != LETHE_NONE; i++) {
        uint32_t from = l->start[near[i]], n = l->start[near[i] + 1] - from;
        uint32_t at = n > LOOKED ? (uint32_t)((record + x->round * TURN) % n) : 0;
        for (uint32_t k = 0; k < LETHE_MIN(n, (uint32_t)LOOKED); k++) {
            uint32_t g = l->group[from + (at + k < n ? at + k : at + k - n)];
            if (g == x->of[record]) continue;
            if (w->score[g] == 0) w->found[(*n_found)++] = g;
            w->score[g] += i == 0 ? 3 : 2; // its own term counts for more
        }
    }
}

/* Puts a candidate among the n first of at most `room`, by nearness, if it is one of the nearest.
 */
static void place(const struct model *x, uint32_t size, lethe_refine_candidate c, size_t room,
                  lethe_refine_candidate *at, size_t *n)
{
    size_t to = *n;
    while (to > 0 && is_nearer(x, size, &c, &at[to - 1]))
        to--;
    if (to == room) return;
    if (*n < room) ++*n;
    memmove(at + to + 1, at + to, (*n - 1 - to) * sizeof *at);
    at[to] = c;
}

/* The cheapest candidates to join first, as far as that is known. */
static void sort_by_join(lethe_refine_candidate *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        lethe_refine_candidate c = at[i];
        size_t to = i;
        for (; to > 0; to--) {
            const lethe_refine_candidate *b = &at[to - 1];
            if (b->join < c.join || (b->join == c.join && b->group < c.group)) break;
            at[to] = *b;
        }
        at[to] = c;
    }
}

/* Of the candidates so far, those that cost least to join stay; the others give way to new ones. */
static void look_for_others(const struct model *x, struct worker *k, uint32_t record,
                            lethe_refine_candidate *at, size_t *n)
{
    uint32_t size = size_of(x, record);
    size_t n_found = 0, n_new = 0;
    sort_by_join(at, *n);
    *n = LETHE_MIN(*n, (size_t)STAY);
    for (uint32_t i = 0; i < size; i++)
        score_groups(x, &x->all, k, record, x->slot[x->r->start[record] + i], &n_found);
    for (size_t i = 0; i < *n; i++)
        k->score[at[i].group] = 0;
    for (size_t i = 0; i < n_found; i++) {
        uint32_t g = k->found[i], score = k->score[g];
        if (score == 0) continue; // it stays
        k->score[g] = 0;
        lethe_refine_candidate c = {
            .group = g, .score = (uint16_t)LETHE_MIN(score, UINT16_MAX), .fresh = true};
        place(x, size, c, LETHE_REFINE_NEAR - *n, at + *n, &n_new);
    }
    *n += n_new;
}

static lethe_err model_renew(void *arg, unsigned w, uint32_t record, bool changed,
                             lethe_refine_candidate *at, size_t *n)
{
    const struct model *x = arg;
    struct worker *k = &x->worker[w];
    size_t n_old = changed ? *n : 0;
    k->asked.record = LETHE_NONE; // groups may have changed
    k->rest[0].record = k->rest[1].record = LETHE_NONE;
    *n = 0;
    for (size_t i = 0; i < n_old; i++) {
        const struct group *g = &x->group[at[i].group];
        if (g->n == 0 || at[i].group == x->of[record]) continue;
        at[*n] = at[i];
        at[(*n)++].fresh = g->changed + 1 == x->round;
    }
    if (!changed || size_of(x, record) >= LONG || (record + x->round) % LOOKS == 0)
        look_for_others(x, k, record, at, n);
    return LETHE_OK;
}

/* --- begin and end --- */

static lethe_err near_terms(void *arg, size_t i, unsigned w)
{
    struct model *x = arg;
    size_t n = 0;
    uint32_t *near = x->near + i * SHORT;
    const lethe_meaning_neighbour *around =
        lethe_meaning_neighbourhood(x->worker[w].match.asker, x->term[i], &n);
    x->worker[w].n_near += n;
    near[0] = (uint32_t)i;
    for (size_t k = 0, at = 1; at < SHORT; k++) {
        if (k < n && around[k].term == x->term[i]) continue;
        near[at++] = k < n ? slot_of(x, around[k].term) : LETHE_NONE;
        if (k >= n) break;
    }
    return LETHE_OK;
}

/* Begins a new part after so many items. */
static lethe_err make_parts(struct model *x)
{
    uint64_t items = x->r->n ? x->r->start[x->r->n] : 0, before = 0;
    uint32_t *uses = lethe_alloc_zero(x->n_terms, sizeof *uses);
    if (!uses) return LETHE_ENOMEM;
    for (uint64_t i = 0; i < items; i++)
        uses[x->slot[i]] += uses[x->slot[i]] < UINT32_MAX;
    x->part[0] = 0;
    for (unsigned at = 1; at < PARTS; at++)
        x->part[at] = LETHE_NONE;
    for (size_t t = 0, at = 0; t < x->n_terms; t++) {
        size_t in = (size_t)(before * PARTS / items);
        while (at < in)
            x->part[++at] = x->term[t];
        before += uses[t];
    }
    lethe_free(uses);
    return LETHE_OK;
}

static lethe_err find_reach(void *arg, size_t r, unsigned w)
{
    struct model *x = arg;
    (void)w;
    x->reach[r] = reach_of(x, (uint32_t)r);
    return LETHE_OK;
}

static lethe_err begin(struct model *x, lethe_ctx *ctx, const lethe_ssg_groups *g)
{
    size_t n = x->r->n;
    x->n_workers = lethe_ctx_threads(ctx);
    x->room = g->n + (uint32_t)(n / x->how->k) + 1;
    LETHE_TRY(lethe_ssg_terms(x->r, &x->term, &x->n_terms));
    x->worker = lethe_alloc_zero(x->n_workers, sizeof *x->worker);
    x->group = lethe_alloc_zero(x->room, sizeof *x->group);
    x->of = lethe_alloc(n, sizeof *x->of);
    x->rest = lethe_alloc_zero(n, sizeof *x->rest);
    x->without = lethe_alloc_zero(n, sizeof *x->without);
    x->without_n = lethe_alloc_zero(n, sizeof *x->without_n);
    x->without_parts = lethe_alloc_zero(n, sizeof *x->without_parts);
    x->reach = lethe_alloc(n, sizeof *x->reach);
    x->slot = lethe_alloc(n ? x->r->start[n] : 0, sizeof *x->slot);
    x->near = lethe_alloc(x->n_terms, SHORT * sizeof *x->near);
    x->all.start = lethe_alloc(x->n_terms + 2, sizeof *x->all.start);
    x->changed.start = lethe_alloc(x->n_terms + 2, sizeof *x->changed.start);
    if (!x->worker || !x->group || !x->of || !x->rest || !x->without || !x->without_n ||
        !x->without_parts || !x->reach || !x->slot || !x->near || !x->all.start ||
        !x->changed.start)
        return LETHE_ENOMEM;
    for (uint64_t i = 0; i < (n ? x->r->start[n] : 0); i++)
        x->slot[i] = slot_of(x, x->r->item[i]);
    LETHE_TRY(make_parts(x));
    LETHE_TRY(lethe_pool_for(ctx, n, find_reach, x));
    for (unsigned w = 0; w < x->n_workers; w++) {
        struct worker *k = &x->worker[w];
        LETHE_TRY(lethe_hyper_work_begin(&k->match, &x->how->matcher));
        k->score = lethe_alloc_zero(x->room, sizeof *k->score);
        k->found = lethe_alloc(x->room, sizeof *k->found);
        if (!k->score || !k->found) return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < g->n; i++) { // members in the order in which they joined
        struct group *group = &x->group[i];
        group->n = g->first[i + 1] - g->first[i];
        group->room = group->n + 1;
        group->member = lethe_alloc(group->room, sizeof *group->member);
        if (!group->member) return LETHE_ENOMEM;
        memcpy(group->member, g->member + g->first[i], group->n * sizeof *group->member);
    }
    LETHE_TRY(lethe_pool_for(ctx, x->n_terms, near_terms, x));
    uint64_t n_near = 0;
    for (unsigned w = 0; w < x->n_workers; w++)
        n_near += x->worker[w].n_near;
    x->crowded = n_near / LETHE_MAX(x->n_terms, 1) > x->n_terms / CROWD;
    return LETHE_OK;
}

static void end(struct model *x)
{
    for (unsigned w = 0; x->worker && w < x->n_workers; w++) {
        lethe_hyper_work_end(&x->worker[w].match);
        lethe_hyper_free(&x->worker[w].hyper);
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
    void *const all[] = {
        x->worker,    x->group,         x->of,        x->rest,          x->without,
        x->without_n, x->without_parts, x->reach,     x->slot,          x->term,
        x->near,      x->all.start,     x->all.group, x->changed.start, x->changed.group};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}

/* Puts groups in the order of the new numbers that refining gave them. */
static lethe_err renumber(struct model *x, const lethe_refine_grouping *new)
{
    struct group *group = lethe_alloc_zero(x->room, sizeof *group);
    if (!group) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < x->room; i++) {
        struct group *old = &x->group[i];
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
static lethe_err hand_over(const struct model *x, const lethe_refine_grouping *new,
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
        struct group *from = &x->group[i];
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
 * are worth examining: they lead to others that gain.  Once nothing changes, records look for
 * candidates again, in other windows of the lists. */
static lethe_err refine_in_stages(struct model *x, const lethe_refine_model *m, uint64_t rounds,
                                  lethe_refine_grouping *new, lethe_refine_result *done)
{
    bool again;
    uint64_t now = LETHE_MIN(rounds / 2, x->crowded ? FIRST_CROWDED : FIRST);
    x->worth = (int64_t)(x->scale / WORTH);
    do {
        LETHE_TRY(lethe_refine(x->ctx, m, now, new, done));
        LETHE_TRY(renumber(x, new));
        again = done->rounds > 0 || x->worth > 0;
        x->worth = 0;
        now = rounds -= done->rounds;
    } while (again && rounds > 0);
    return LETHE_OK;
}

lethe_err lethe_refine_blm(lethe_ctx *ctx, const lethe_ssg_options *how, uint64_t scale,
                           uint64_t rounds, lethe_ssg_groups *g)
{
    struct model x = {.ctx = ctx, .how = how, .r = how->records, .scale = scale};
    lethe_refine_model m = {.arg = &x,
                            .cost = model_cost,
                            .change = model_change,
                            .ready = model_ready,
                            .join = model_join,
                            .leave = model_leave,
                            .swap = model_swap,
                            .renew = model_renew,
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
