#include "method/microagg/companions_internal.h"
#include <stdlib.h>

lethe_err lethe_team_new(lethe_crowd *crowd, uint32_t k, lethe_team *out)
{
    const lethe_interests_of *of = crowd->of;
    lethe_team t = {.crowd = crowd, .k = k, .row = {.user = LETHE_NONE}};
    t.member = lethe_alloc(k, sizeof *t.member);
    t.coarse = lethe_alloc(k, LETHE_COARSE);
    t.fine = lethe_alloc(k, LETHE_FINE);
    t.known = lethe_alloc(of->n, sizeof *t.known);
    t.maybe = lethe_alloc(of->n, sizeof *t.maybe);
    t.asked = lethe_alloc(of->n, sizeof *t.asked);
    t.row.count = lethe_alloc_zero(of->n_categories, sizeof *t.row.count);
    *out = t;
    if (!t.member || !t.coarse || !t.fine || !t.known || !t.maybe || !t.asked || !t.row.count) {
        lethe_team_free(out);
        return LETHE_ENOMEM;
    }
    memset(t.asked, 0xff, of->n * sizeof *t.asked);
    return LETHE_OK;
}

void lethe_team_free(lethe_team *t)
{
    lethe_free(t->member);
    lethe_free(t->coarse);
    lethe_free(t->fine);
    lethe_free(t->known);
    lethe_free(t->maybe);
    lethe_free(t->asked);
    lethe_free(t->row.count);
    *t = (lethe_team){0};
}

void lethe_team_begin(lethe_team *t, uint32_t group)
{
    t->group = group;
    t->n = t->n_known = 0;
}

static void raise_known(lethe_team *t, uint32_t member)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_known; i++) {
        lethe_known x = t->known[i];
        if (t->crowd->slot[x.user] == LETHE_NONE) continue;
        x.sum += lethe_row_common(t->crowd->of, &t->row, member, x.user);
        t->known[n++] = x;
        t->pairs++;
    }
    t->n_known = n;
}

void lethe_team_join(lethe_team *t, uint32_t user)
{
    lethe_crowd *c = t->crowd;
    uint32_t slot = c->slot[user], i = t->n;
    lethe_outline x = lethe_crowd_outline(c, slot);
    x.coarse = memcpy(t->coarse + (size_t)t->n * LETHE_COARSE, x.coarse, LETHE_COARSE);
    x.fine = memcpy(t->fine + (size_t)t->n * LETHE_FINE, x.fine, LETHE_FINE);
    for (; i > 0 && t->member[i - 1].slot > slot; i--)
        t->member[i] = t->member[i - 1];
    t->member[i] = (lethe_member){user, slot, c->most[slot], x};
    t->n++;
    lethe_crowd_remove(c, user);
    raise_known(t, user);
}

void lethe_team_try(lethe_team *t, uint32_t user)
{
    lethe_known x = {0, user};
    if (t->crowd->slot[user] == LETHE_NONE || t->asked[user] == t->group) return;
    t->asked[user] = t->group;
    for (uint32_t i = 0; i < t->n; i++)
        x.sum += lethe_row_common(t->crowd->of, &t->row, user, t->member[i].user);
    t->pairs += t->n;
    t->known[t->n_known++] = x;
}

static bool known_before(const lethe_known *a, const lethe_known *b)
{
    return a->sum != b->sum ? a->sum > b->sum : a->user < b->user;
}

static void try_and_compare(lethe_team *t, uint32_t user, lethe_known *best)
{
    lethe_team_try(t, user);
    const lethe_known *x = &t->known[t->n_known - 1];
    if (known_before(x, best)) *best = *x;
}

static int by_bound(const void *a, const void *b)
{
    const lethe_known *x = a, *y = b;
    return known_before(y, x) - known_before(x, y);
}

/* What x has in common with the members is at most `bound`, to which the one at i adds `most`.  By
 * its outline too: */
static uint64_t tighten(uint64_t bound, uint64_t most, uint64_t outline)
{
    return outline < most ? bound - (most - outline) : bound;
}

/* Tightens the bound member by member until it is known that x comes after the best, then false. Of
 * a member and x the one that comes later in the crowd has at most its `most` in common with the
 * other. */
static bool may_be_next(lethe_team *t, uint32_t slot, const lethe_known *best, lethe_known *x)
{
    const lethe_crowd *c = t->crowd;
    uint64_t own = c->most[slot], coarse;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_member *m = &t->member[i];
        lethe_crowd_coarse(c, &m->outline, slot, 1, &coarse);
        t->bounded++;
        x->sum = tighten(x->sum, slot < m->slot ? m->most : own, coarse);
        if (!known_before(x, best)) return false;
    }
    x->sum = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_member *m = &t->member[i];
        uint64_t fine = lethe_crowd_fine(c, &m->outline, slot);
        x->sum += LETHE_MIN(slot < m->slot ? m->most : own, fine);
    }
    return known_before(x, best);
}

/* Slots from .. end - 1, between two members: `before` members come before them, and those after
 * them have at most `after` in common with anybody who comes before.  Who promises more than any
 * so far is tried at once: the better the best, the fewer need a closer look. */
static void scan(lethe_team *t, uint32_t from, uint32_t end, uint64_t before, uint64_t after,
                 lethe_known *best)
{
    const lethe_crowd *c = t->crowd;
    for (uint32_t s = from; s < end; s++) {
        lethe_known x = {after + before * c->most[s], c->user[s]};
        if (x.sum <= best->sum) {
            // Past n_open nobody was looked at, and `most` is the mass, which never rises.
            bool is_last = x.sum < best->sum || c->least[s] > best->user;
            if (s >= c->n_open && after == 0 && is_last) return;
            if (x.sum < best->sum) continue;
        }
        if (!known_before(&x, best) || x.user == LETHE_NONE) continue;
        if (!may_be_next(t, s, best, &x) || t->asked[x.user] == t->group) continue;
        if (x.sum > t->promised) {
            t->promised = x.sum;
            try_and_compare(t, x.user, best);
        } else {
            t->maybe[t->n_maybe++] = x;
        }
    }
}

static void scan_all(lethe_team *t, lethe_known *best)
{
    uint32_t from = t->crowd->first;
    uint64_t after = 0;
    t->n_maybe = 0;
    t->promised = 0;
    for (uint32_t i = 0; i < t->n; i++)
        after += t->member[i].most;
    for (uint32_t i = 0; i < t->n; i++) {
        scan(t, from, t->member[i].slot, i, after, best);
        from = t->member[i].slot + 1;
        after -= t->member[i].most;
    }
    scan(t, from, t->crowd->n, t->n, 0, best);
}

uint32_t lethe_team_next(lethe_team *t)
{
    lethe_known best = {0, t->crowd->least_left}; // nobody has less than nothing
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_known; i++)
        if (known_before(&t->known[i], &best)) best = t->known[i];
    scan_all(t, &best);
    for (uint32_t i = 0; i < t->n_maybe; i++)
        if (known_before(&t->maybe[i], &best)) t->maybe[n++] = t->maybe[i];
    if (n > 1) qsort(t->maybe, n, sizeof *t->maybe, by_bound);
    for (uint32_t i = 0; i < n && known_before(&t->maybe[i], &best); i++)
        try_and_compare(t, t->maybe[i].user, &best);
    return best.user;
}
