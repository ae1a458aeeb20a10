/* SPDX-License-Identifier: Apache-2.0 */
/* assignment_ties.c - the tie rule for large components, on the potentials that the paths leave.
 *
 * Another cheapest placement differs along cycles: l takes a tight right term, whose owner takes
 * another one, and so on, until one takes what l had.  All free places together are one more node
 * on the path, the pool: a left term that takes a free right term, or no partner, comes to it, and
 * from it the path goes on to any left term that may leave its place free (it has none, or a right
 * term with v = 0).  So l may have a right term if there is a path from its owner, or from the
 * pool, to l, through no left term that has its final place.
 *
 * Paths are searched from the front and from behind at once, pair by pair, until the two searches
 * meet or one of them ends.  Most that meet do so soon, and where there is no path one side is
 * mostly small: so this costs far less than the worst case, a look at all pairs for each left term.
 */
#include "algo/match/assignment_internal.h"

typedef enum outcome { MORE, MET, DONE } outcome;

/* A queue, and how far the first of it has been examined. */
typedef struct side {
    uint32_t *queue;
    uint32_t head, tail;
    size_t pair;
    bool at_pool;
    uint32_t i_pool;
} side;

/* Terms of one side, in two parts; each knows its place. */
typedef struct lot {
    uint32_t *at;
    uint32_t n_free, n; /* those without a partner are first */
} lot;

typedef struct ties {
    lethe_assigner *a;
    lot nobody;             /* left terms after l with u = nil: may go to nobody */
    lot loose;              /* right terms with v = 0 that may still be had: may be free */
    uint32_t l, had;        /* the left term to be moved, and its right one */
    uint64_t front, behind; /* marks */
    side ahead, back;       /* queues of left terms; of right ones */
    uint32_t place, taker;  /* the pool from the front: who takes what of it */
    uint32_t releaser;      /* from behind: who leaves a place free */
    uint32_t meet;          /* a left term; LETHE_NONE: the pool */
} ties;

static bool is_tight(const lethe_assigner *a, uint32_t l, uint32_t r, uint64_t weight)
{
    return weight <= (uint64_t)a->nil &&
           (int64_t)weight == a->left[l].potential + a->right[r].potential;
}

static bool may_be_free(const lethe_assigner *a, uint32_t place)
{
    return place == LETHE_NONE || a->right[place].potential == 0;
}

/* --- lots --- */

static void put(ties *t, lot *s, uint32_t i, uint32_t x)
{
    s->at[i] = x;
    *(s == &t->loose ? &t->a->right[x].spot : &t->a->left[x].spot) = i;
}

static void swap(ties *t, lot *s, uint32_t x, uint32_t to)
{
    uint32_t from = s == &t->loose ? t->a->right[x].spot : t->a->left[x].spot, other = s->at[to];
    put(t, s, from, other);
    put(t, s, to, x);
}

static void lot_add(ties *t, lot *s, uint32_t x, bool is_free)
{
    put(t, s, s->n++, x);
    if (is_free) swap(t, s, x, s->n_free++);
}

static void lot_drop(ties *t, lot *s, uint32_t x, bool is_free)
{
    if (is_free) swap(t, s, x, --s->n_free);
    swap(t, s, x, --s->n);
}

/* x takes `place` from the pool: a right term, or no partner. */
static void come(ties *t, uint32_t x, uint32_t place)
{
    if (place != LETHE_NONE)
        swap(t, &t->loose, place, --t->loose.n_free);
    else
        swap(t, &t->nobody, x, t->nobody.n_free++);
}

/* x leaves its place free; l is in no lot. */
static void leave(ties *t, uint32_t x, uint32_t place)
{
    if (place != LETHE_NONE) {
        t->a->right[place].owner = LETHE_NONE;
        swap(t, &t->loose, place, t->loose.n_free++);
    } else if (x != t->l) {
        swap(t, &t->nobody, x, --t->nobody.n_free);
    }
}

/* --- from the front --- */

/* y must move: `via` takes its place, or it leaves it free. */
static outcome reach(ties *t, uint32_t y, uint32_t via, bool released)
{
    lethe_assign_left *x = &t->a->left[y];
    side *s = &t->ahead;
    if (x->seen == t->front) return MORE;
    x->seen = t->front;
    x->via = via;
    x->released = released;
    if (s->head == s->tail) s->pair = x->first;
    s->queue[s->tail++] = y;
    if (x->leads != t->behind) return MORE;
    t->meet = y;
    return MET;
}

static outcome reach_pool(ties *t, uint32_t place, uint32_t taker)
{
    if (t->ahead.at_pool) return MORE;
    t->ahead.at_pool = true;
    t->place = place;
    t->taker = taker;
    if (!t->back.at_pool) return MORE;
    t->meet = LETHE_NONE;
    return MET;
}

static outcome take(ties *t, uint32_t x, uint32_t r)
{
    uint32_t owner = t->a->right[r].owner;
    if (owner == LETHE_NONE) return reach_pool(t, r, x);
    return owner < t->l ? MORE : reach(t, owner, x, false);
}

static outcome step_ahead(ties *t)
{
    side *s = &t->ahead;
    uint32_t y = s->queue[s->head];
    const lethe_assign_left *x = &t->a->left[y];
    if (s->pair < x[1].first) {
        const lethe_assign_pair *p = &t->a->pairs->at[s->pair++];
        if (p->right == x->to || !is_tight(t->a, y, p->right, p->weight)) return MORE;
        return take(t, y, p->right);
    }
    if (++s->head < s->tail) s->pair = t->a->left[s->queue[s->head]].first;
    return x->potential == t->a->nil && x->to != LETHE_NONE ? reach_pool(t, LETHE_NONE, y) : MORE;
}

/* --- from behind --- */

static void await_place(ties *t, uint32_t r)
{
    side *s = &t->back;
    if (s->head == s->tail) s->pair = t->a->turned->left[r].first;
    s->queue[s->tail++] = r;
}

static outcome lead_pool(ties *t, uint32_t releaser)
{
    if (t->back.at_pool) return MORE;
    t->back.at_pool = true;
    t->releaser = releaser;
    if (!t->ahead.at_pool) return MORE;
    t->meet = LETHE_NONE;
    return MET;
}

/* Once x takes `next`, there is a path to l. */
static outcome lead(ties *t, uint32_t x, uint32_t next)
{
    lethe_assign_left *left = &t->a->left[x];
    if (x <= t->l || left->leads == t->behind) return MORE;
    left->leads = t->behind;
    left->next = next;
    if (left->seen == t->front) {
        t->meet = x;
        return MET;
    }
    if (left->to != LETHE_NONE) await_place(t, left->to);
    return may_be_free(t->a, left->to) ? lead_pool(t, x) : MORE;
}

static outcome step_back(ties *t)
{
    side *s = &t->back;
    const lethe_assigner *turned = t->a->turned;
    uint32_t r = s->queue[s->head];
    if (s->pair < turned->left[(size_t)r + 1].first) {
        const lethe_assign_pair *p = &turned->pairs->at[s->pair++];
        if (t->a->left[p->right].to == r || !is_tight(t->a, p->right, r, p->weight)) return MORE;
        return lead(t, p->right, r);
    }
    if (++s->head < s->tail) s->pair = turned->left[s->queue[s->head]].first;
    return MORE;
}

/* --- the pool --- */

/* From the front: left terms that may leave a place free. */
static outcome pool_ahead(ties *t)
{
    uint32_t i = t->ahead.i_pool++, n = t->nobody.n_free;
    if (i < n) return reach(t, t->nobody.at[i], LETHE_NONE, true);
    i = i - n + t->loose.n_free;
    if (i >= t->loose.n) return DONE;
    return reach(t, t->a->right[t->loose.at[i]].owner, LETHE_NONE, true);
}

/* From behind: left terms that may come to the pool. */
static outcome pool_back(ties *t)
{
    uint32_t i = t->back.i_pool++, n = t->nobody.n - t->nobody.n_free;
    if (i < n) return lead(t, t->nobody.at[t->nobody.n_free + i], LETHE_NONE);
    if (i - n >= t->loose.n_free) return DONE;
    await_place(t, t->loose.at[i - n]);
    return MORE;
}

static outcome step(ties *t, bool ahead)
{
    const side *s = ahead ? &t->ahead : &t->back;
    if (s->head < s->tail) return ahead ? step_ahead(t) : step_back(t);
    if (!s->at_pool) return DONE;
    return ahead ? pool_ahead(t) : pool_back(t);
}

/* --- one left term --- */

/* Can l take r?  Marks stay for the next attempt: a dead end stays one. */
static bool can_take(ties *t, uint32_t r)
{
    outcome o = take(t, t->l, r);
    for (bool ahead = true; o == MORE; ahead = !ahead)
        o = step(t, ahead);
    return o == MET;
}

/* From the meeting point to l: each takes what the search noted. */
static void move_behind(ties *t)
{
    uint32_t x = t->meet;
    if (x == LETHE_NONE) {
        x = t->releaser;
        leave(t, x, t->a->left[x].to);
    }
    while (x != t->l) {
        uint32_t next = t->a->left[x].next, owner = LETHE_NONE;
        if (next != LETHE_NONE) {
            owner = t->a->right[next].owner;
            t->a->right[next].owner = x;
        }
        t->a->left[x].to = next;
        if (owner == LETHE_NONE) {
            come(t, x, next);
            owner = t->releaser;
            leave(t, owner, t->a->left[owner].to);
        }
        x = owner;
    }
}

/* From the meeting point, whose place was `place`, back to l. */
static void move_front(ties *t, uint32_t place)
{
    uint32_t y = t->meet, taker;
    do {
        if (y != LETHE_NONE && !t->a->left[y].released) {
            taker = t->a->left[y].via;
        } else {
            if (y != LETHE_NONE) leave(t, y, place);
            place = t->place;
            taker = t->taker;
            come(t, taker, place);
        }
        uint32_t before = t->a->left[taker].to;
        t->a->left[taker].to = place;
        if (place != LETHE_NONE) t->a->right[place].owner = taker;
        place = before;
        y = taker;
    } while (y != t->l);
}

static void apply(ties *t)
{
    uint32_t place = t->meet == LETHE_NONE ? LETHE_NONE : t->a->left[t->meet].to;
    move_behind(t);
    move_front(t, place);
}

static void begin_left(ties *t, uint32_t l, uint64_t front)
{
    t->l = l;
    t->had = t->a->left[l].to;
    t->front = front;
    t->behind = ++t->a->round;
    t->ahead = (side){.queue = t->ahead.queue};
    t->back = (side){.queue = t->back.queue};
    if (t->a->left[l].potential == t->a->nil) lot_drop(t, &t->nobody, l, t->had == LETHE_NONE);
    t->a->left[l].leads = t->behind;
    if (t->had != LETHE_NONE) await_place(t, t->had);
    t->back.at_pool = may_be_free(t->a, t->had);
    t->releaser = l;
}

/* The earliest right term before the one that l has; false: it has the earliest.  *from: where the
 * marks of the search that found it begin in the queue. */
static bool improve(ties *t, uint32_t *from)
{
    const lethe_assign_left *x = &t->a->left[t->l];
    for (size_t k = x->first; k < x[1].first; k++) {
        const lethe_assign_pair *p = &t->a->pairs->at[k];
        if (p->right == t->had) return false;
        if (!is_tight(t->a, t->l, p->right, p->weight)) continue;
        *from = t->ahead.head = t->ahead.tail;
        if (can_take(t, p->right)) return true;
    }
    return false;
}

/* --- all of them --- */

static ties begin(lethe_assigner *a, const lethe_assign_component *c)
{
    ties t = {.a = a};
    t.ahead.queue = a->order + a->pairs->n_left;
    t.nobody.at = t.ahead.queue + a->pairs->n_left;
    t.back.queue = a->heap;
    t.loose.at = a->heap + a->pairs->n_right;
    a->round++;
    for (uint32_t i = 0; i < c->n_left; i++) {
        const lethe_assign_left *x = &a->left[c->left[i]];
        if (x->potential == a->nil) lot_add(&t, &t.nobody, c->left[i], x->to == LETHE_NONE);
        for (size_t k = x->first; k < x[1].first; k++) {
            const lethe_assign_pair *p = &a->pairs->at[k];
            lethe_assign_right *r = &a->right[p->right];
            if (p->weight > (uint64_t)a->nil || r->seen == a->round) continue;
            r->seen = a->round;
            if (r->potential == 0) lot_add(&t, &t.loose, p->right, r->owner == LETHE_NONE);
        }
    }
    return t;
}

/* l has its final place. */
static void end_left(ties *t)
{
    uint32_t place = t->a->left[t->l].to;
    if (place != LETHE_NONE && may_be_free(t->a, place)) lot_drop(t, &t->loose, place, false);
}

/* From the dead ends of left terms without partner there is no path to the pool for later ones
 * either: fewer and fewer terms can move, and an exchange either passes the pool, and so no dead
 * end, or stays among dead ends, or apart from them.  So these marks stay (`dead`), and one more
 * such term mostly costs a look at its pairs. */
void lethe_assign_settle(lethe_assigner *a, const lethe_assign_component *c)
{
    ties t = begin(a, c);
    uint64_t dead = ++a->round;
    for (uint32_t i = 0; i < c->n_left; i++) {
        uint32_t l = c->left[i], from = 0;
        bool to_nobody = a->left[l].to == LETHE_NONE;
        begin_left(&t, l, to_nobody ? dead : ++a->round);
        if (improve(&t, &from)) {
            for (; to_nobody && from < t.ahead.tail; from++)
                a->left[t.ahead.queue[from]].seen = 0;
            apply(&t);
        }
        end_left(&t);
    }
}
