#include "method/microagg/group_search_internal.h"
#include <stdlib.h>

lethe_err lethe_microagg_partial_new(lethe_microagg_pool *crowd, uint32_t k,
                                     lethe_microagg_partial *out)
{
    const lethe_microagg_interests *of = crowd->of;
    lethe_microagg_partial t = {.crowd = crowd, .k = k, .row = {.user = LETHE_NONE}};
    t.member = lethe_alloc(k, sizeof *t.member);
    t.coarse = lethe_alloc(k, LETHE_MICROAGG_COARSE);
    t.fine = lethe_alloc(k, LETHE_MICROAGG_FINE);
    t.known = lethe_alloc(of->n, sizeof *t.known);
    t.maybe = lethe_alloc(of->n, sizeof *t.maybe);
    t.asked = lethe_alloc(of->n, sizeof *t.asked);
    t.row.count = lethe_alloc_zero(of->n_categories, sizeof *t.row.count);
    *out = t;
    if (!t.member || !t.coarse || !t.fine || !t.known || !t.maybe || !t.asked || !t.row.count) {
        lethe_microagg_partial_free(out);
        return LETHE_ENOMEM;
    }
    memset(t.asked, 0xff, of->n * sizeof *t.asked);
    return LETHE_OK;
}

void lethe_microagg_partial_free(lethe_microagg_partial *t)
{
    lethe_free(t->member);
    lethe_free(t->coarse);
    lethe_free(t->fine);
    lethe_free(t->known);
    lethe_free(t->maybe);
    lethe_free(t->asked);
    lethe_free(t->row.count);
    *t = (lethe_microagg_partial){0};
}

void lethe_microagg_partial_begin(lethe_microagg_partial *t, uint32_t group)
{
    t->group = group;
    t->n = t->n_known = 0;
}

static void raise_known(lethe_microagg_partial *t, uint32_t member)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_known; i++) {
        lethe_microagg_candidate x = t->known[i];
        if (t->crowd->slot[x.user] == LETHE_NONE) continue;
        x.sum += lethe_microagg_row_common(t->crowd->of, &t->row, member, x.user);
        t->known[n++] = x;
        t->pairs++;
    }
    t->n_known = n;
}

void lethe_microagg_partial_join(lethe_microagg_partial *t, uint32_t user)
{
    lethe_microagg_pool *c = t->crowd;
    uint32_t slot = c->slot[user], i = t->n;
    lethe_microagg_sketch x = lethe_microagg_pool_sketch(c, slot);
    x.coarse =
        memcpy(t->coarse + (size_t)t->n * LETHE_MICROAGG_COARSE, x.coarse, LETHE_MICROAGG_COARSE);
    x.fine = memcpy(t->fine + (size_t)t->n * LETHE_MICROAGG_FINE, x.fine, LETHE_MICROAGG_FINE);
    for (; i > 0 && t->member[i - 1].slot > slot; i--)
        t->member[i] = t->member[i - 1];
    t->member[i] = (lethe_microagg_member){user, slot, c->most[slot], x};
    t->n++;
    lethe_microagg_pool_remove(c, user);
    raise_known(t, user);
}

void lethe_microagg_partial_try(lethe_microagg_partial *t, uint32_t user)
{
    lethe_microagg_candidate x = {0, user};
    if (t->crowd->slot[user] == LETHE_NONE || t->asked[user] == t->group) return;
    t->asked[user] = t->group;
    for (uint32_t i = 0; i < t->n; i++)
        x.sum += lethe_microagg_row_common(t->crowd->of, &t->row, user, t->member[i].user);
    t->pairs += t->n;
    t->known[t->n_known++] = x;
}

static bool known_before(const lethe_microagg_candidate *a, const lethe_microagg_candidate *b)
{
    return a->sum != b->sum ? a->sum > b->sum : a->user < b->user;
}

static void try_and_compare(lethe_microagg_partial *t, uint32_t user,
                            lethe_microagg_candidate *best)
{
    lethe_microagg_partial_try(t, user);
    const lethe_microagg_candidate *x = &t->known[t->n_known - 1];
    if (known_before(x, best)) *best = *x;
}

static int by_bound(const void *a, const void *b)
{
    const lethe_microagg_candidate *x = a, *y = b;
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
static bool may_be_next(lethe_microagg_partial *t, uint32_t slot,
                        const lethe_microagg_candidate *best, lethe_microagg_candidate *x)
{
    const lethe_microagg_pool *c = t->crowd;
    uint64_t own = c->most[slot], coarse;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_microagg_member *m = &t->member[i];
        lethe_microagg_pool_coarse(c, &m->outline, slot, 1, &coarse);
        t->bounded++;
        x->sum = tighten(x->sum, slot < m->slot ? m->most : own, coarse);
        if (!known_before(x, best)) return false;
    }
    x->sum = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_microagg_member *m = &t->member[i];
        uint64_t fine = lethe_microagg_pool_fine(c, &m->outline, slot);
        x->sum += LETHE_MIN(slot < m->slot ? m->most : own, fine);
    }
    return known_before(x, best);
}

/* Slots from .. end - 1, between two members: `before` members come before them, and those after
 * them have at most `after` in common with anybody who comes before.  Who promises more than any
 * so far is tried at once: the better the best, the fewer need a closer look. */
static void scan(lethe_microagg_partial *t, uint32_t from, uint32_t end, uint64_t before,
                 uint64_t after, lethe_microagg_candidate *best)
{
    const lethe_microagg_pool *c = t->crowd;
    for (uint32_t s = from; s < end; s++) {
        lethe_microagg_candidate x = {after + before * c->most[s], c->user[s]};
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

static void scan_all(lethe_microagg_partial *t, lethe_microagg_candidate *best)
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

uint32_t lethe_microagg_partial_next(lethe_microagg_partial *t)
{
    lethe_microagg_candidate best = {0, t->crowd->least_left}; // nobody has less than nothing
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
