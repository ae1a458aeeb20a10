/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_walk.c - through the cut enumeration tree (section 3.2), with a stack of our own:
 * hierarchies may be deep. */
#include "method/table/search/table_search_internal.h"

enum {
    POLL_STEPS = 4096,
    POLL_WORK = 1 << 20 /* cells */
};

lethe_err lethe_table_walk_new(lethe_arena *a, lethe_table_parts *s, lethe_table_best *b,
                               lethe_table_share *share, lethe_table_walk *out)
{
    size_t n = (size_t)s->c->n_inner + 1; // no value is specialized or locked twice on a path
    const lethe_group_demand *d = s->c->d;
    *out = (lethe_table_walk){.s = s, .b = b, .share = share};
    out->looks = d->suppress == LETHE_SUPPRESS_NONE || d->cost == LETHE_COST_CM;
    out->frame = lethe_new(a, lethe_table_frame, n);
    out->locks = lethe_new(a, lethe_table_part_step, n);
    out->task.rank = lethe_new(a, uint32_t, n);
    out->give.rank = lethe_new(a, uint32_t, n);
    return out->frame && out->locks && out->task.rank && out->give.rank ? LETHE_OK : LETHE_ENOMEM;
}

/* --- steps --- */

static lethe_err push(lethe_table_walk *w, uint32_t value)
{
    lethe_table_frame *f = &w->frame[w->depth + 1];
    f->n_locks = w->n_locks;
    f->given = false;
    LETHE_TRY(lethe_table_parts_specialize(w->s, value, &f->step));
    w->depth++;
    return LETHE_OK;
}

/* LETHE_ANSWER_NO: a limit is met. */
static lethe_err push_examined(lethe_table_walk *w, uint32_t value)
{
    if (lethe_table_best_enough(w->b)) return LETHE_ANSWER_NO;
    if (++w->steps >= POLL_STEPS || w->s->work - w->polled >= POLL_WORK) {
        lethe_ctx_advance(w->b->ctx, w->steps);
        w->steps = 0;
        w->polled = w->s->work;
        LETHE_TRY(lethe_table_best_poll(w->b));
    }
    LETHE_TRY(push(w, value));
    return lethe_table_best_offer(w->b, w->s);
}

static lethe_err lock(lethe_table_walk *w, uint32_t value)
{
    LETHE_TRY(lethe_table_parts_lock(w->s, value, &w->locks[w->n_locks]));
    w->n_locks++;
    return LETHE_OK;
}

static void unlock_to(lethe_table_walk *w, size_t n)
{
    while (w->n_locks > n)
        lethe_table_parts_unlock(w->s, &w->locks[--w->n_locks]);
}

/* The value that was specialized. */
static uint32_t pop(lethe_table_walk *w, bool open)
{
    lethe_table_frame *f = &w->frame[w->depth--];
    unlock_to(w, f->n_locks);
    lethe_table_parts_merge(w->s, &f->step, open);
    return f->step.value;
}

/* To the cut at which a task begins, from the roots. */
static lethe_err go_to(lethe_table_walk *w, const lethe_table_task *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        for (uint32_t r; (r = lethe_table_parts_open(w->s, 0)) < t->rank[i];)
            LETHE_TRY(lock(w, w->s->c->ranked[r]));
        LETHE_TRY(push(w, w->s->c->ranked[t->rank[i]]));
    }
    if (t->done == LETHE_NONE) return LETHE_OK;
    for (uint32_t r; (r = lethe_table_parts_open(w->s, 0)) <= t->done;)
        LETHE_TRY(lock(w, w->s->c->ranked[r]));
    return LETHE_OK;
}

static void go_home(lethe_table_walk *w)
{
    while (w->depth > 0)
        pop(w, true);
    unlock_to(w, 0);
    w->frame[0].given = false;
}

/* --- walks --- */

/* A walk through what is below the cut of frame `top`. */
typedef struct range {
    uint32_t top;
    double slack;
    uint64_t end; /* of cuts examined; UINT64_MAX: none */
} range;

/* The value that is specialized next; LETHE_NONE: no other cut of the subtree is of use. */
static uint32_t next_value(lethe_table_walk *w, double slack)
{
    if (w->frame[w->depth].given || lethe_table_best_excludes(w->b, w->s, slack)) return LETHE_NONE;
    uint32_t rank = lethe_table_parts_open(w->s, 0);
    return rank == LETHE_NONE ? LETHE_NONE : w->s->c->ranked[rank];
}

/* Where bounds say little of values that are far down in the order (no suppression: a value that
 * cannot be specialized any more is found out late; CM: ties), all children are looked at before
 * any is gone into: those that are pruned at once are locked for all the others. */
static lethe_err look_ahead(lethe_table_walk *w, double slack)
{
    const lethe_table_parts *s = w->s;
    for (uint32_t r = lethe_table_parts_open(s, 0);
         r != LETHE_NONE && !lethe_table_best_excludes(w->b, s, slack);
         r = lethe_table_parts_open(s, r + 1)) {
        LETHE_TRY(push_examined(w, s->c->ranked[r]));
        bool over = lethe_table_best_excludes(w->b, s, slack);
        pop(w, !over);
        if (over) LETHE_TRY(lock(w, s->c->ranked[r]));
    }
    return LETHE_OK;
}

/* Offers the highest cut that is not finished: its subtree is the largest, and the way there the
 * shortest.  The cut's child that is at hand stays here; those before it are done. */
static void give_away(lethe_table_walk *w, uint32_t top)
{
    uint32_t n = top;
    while (n < w->depth && w->frame[n].given)
        n++;
    if (n == w->depth) return;
    for (uint32_t i = 0; i < n; i++)
        w->give.rank[i] = w->s->c->rank[w->frame[i + 1].step.value];
    w->give.n = n;
    w->give.done = w->s->c->rank[w->frame[n + 1].step.value];
    w->frame[n].given = lethe_table_share_offer(w->share, &w->give);
}

/* Algorithm 3.1.  A child that is pruned at once (line 4) is one whose loop ends at once. */
static lethe_err branch_and_bound(lethe_table_walk *w, range how)
{
    if (w->looks) LETHE_TRY(look_ahead(w, how.slack));
    for (;;) {
        if (w->share->n_waiting > 0) give_away(w, how.top);
        uint32_t value = next_value(w, how.slack);
        if (value != LETHE_NONE) {
            if (w->b->examined >= how.end) return LETHE_OK;
            LETHE_TRY(push_examined(w, value));
            if (w->looks) LETHE_TRY(look_ahead(w, how.slack));
        } else {
            if (w->depth == how.top) return LETHE_OK;
            LETHE_TRY(lock(w, pop(w, false)));
        }
    }
}

lethe_err lethe_table_walk_tasks(lethe_table_walk *w, double slack, uint64_t cuts)
{
    lethe_err e = LETHE_OK;
    range how = {.slack = slack, .end = cuts > 0 ? cuts : UINT64_MAX};
    while (e == LETHE_OK && lethe_table_share_take(w->share, &w->task)) {
        how.top = w->task.n;
        e = go_to(w, &w->task);
        if (e == LETHE_OK) e = branch_and_bound(w, how);
        if (e == LETHE_OK) go_home(w);
        lethe_table_share_finish(w->share, e != LETHE_OK || w->b->examined >= how.end);
    }
    return e;
}

lethe_err lethe_table_walk_down(lethe_table_walk *w)
{
    const lethe_table_parts *s = w->s;
    for (bool better = true; better;) {
        better = false;
        for (uint32_t r = lethe_table_parts_open(s, 0); r != LETHE_NONE;
             r = lethe_table_parts_open(s, r + 1)) {
            lethe_table_part_sum before = s->sum;
            LETHE_TRY(push_examined(w, s->c->ranked[r]));
            if (lethe_table_parts_valid(s) && (s->sum.cost < before.cost || before.n_invalid > 0))
                better = true;
            else
                pop(w, true);
        }
    }
    go_home(w);
    return LETHE_OK;
}
