/* SPDX-License-Identifier: Apache-2.0 */
/* partial_group.c - the members of the group that is being built, and the candidate that joins
 * next: the one with the highest sum over all members, most of them excluded by bounds. */
#include "method/microagg/group_search_internal.h"
#include <stdlib.h>

lethe_err lethe_microagg_partial_new(lethe_microagg_pool *pool, uint32_t k,
                                     lethe_microagg_partial *out)
{
    const lethe_microagg_interests *of = pool->of;
    lethe_microagg_partial t = {.pool = pool, .k = k, .row = {.user = LETHE_NONE}};
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
    void *const all[] = {t->member, t->coarse, t->fine, t->known, t->maybe, t->asked, t->row.count};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *t = (lethe_microagg_partial){0};
}

void lethe_microagg_partial_begin(lethe_microagg_partial *t, uint32_t group)
{
    t->group = group;
    t->n = t->n_known = 0;
}

void lethe_microagg_partial_join(lethe_microagg_partial *t, uint32_t user)
{
    lethe_microagg_pool *c = t->pool;
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
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->n_known; k++) { // the sums now include the new member
        lethe_microagg_candidate known = t->known[k];
        if (c->slot[known.user] == LETHE_NONE) continue;
        known.sum += lethe_microagg_row_common(c->of, &t->row, user, known.user);
        t->known[n++] = known;
        t->pairs++;
    }
    t->n_known = n;
}

void lethe_microagg_partial_try(lethe_microagg_partial *t, uint32_t user)
{
    lethe_microagg_candidate x = {0, user};
    if (t->pool->slot[user] == LETHE_NONE || t->asked[user] == t->group) return;
    t->asked[user] = t->group;
    for (uint32_t i = 0; i < t->n; i++)
        x.sum += lethe_microagg_row_common(t->pool->of, &t->row, user, t->member[i].user);
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

/* Tightens the bound member by member; false as soon as x is known to rank after the best.  A
 * member and x have at most the `most` of the one that is later in the pool in common. */
static bool may_be_next(lethe_microagg_partial *t, uint32_t slot,
                        const lethe_microagg_candidate *best, lethe_microagg_candidate *x)
{
    const lethe_microagg_pool *c = t->pool;
    uint64_t own = c->most[slot], coarse;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_microagg_member *m = &t->member[i];
        lethe_microagg_pool_coarse(c, &m->sketch, slot, 1, &coarse);
        t->bounded++;
        uint64_t most = slot < m->slot ? m->most : own;
        if (coarse < most) x->sum -= most - coarse;
        if (!known_before(x, best)) return false;
    }
    x->sum = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_microagg_member *m = &t->member[i];
        uint64_t fine = lethe_microagg_pool_fine(c, &m->sketch, slot);
        x->sum += LETHE_MIN(slot < m->slot ? m->most : own, fine);
    }
    return known_before(x, best);
}

/* Searches slots from .. end - 1, between two members: `before` members come before them, and those
 * after have at most `after` in common with anybody before them.  A candidate with a higher bound
 * than all so far is tried at once: the better the best, the fewer others need a closer look. */
static void scan(lethe_microagg_partial *t, uint32_t from, uint32_t end, uint64_t before,
                 uint64_t after, lethe_microagg_candidate *best)
{
    const lethe_microagg_pool *c = t->pool;
    for (uint32_t s = from; s < end; s++) {
        lethe_microagg_candidate x = {after + before * c->most[s], c->user[s]};
        if (x.sum <= best->sum) {
            // From n_open on, `most` is the mass, which never rises.
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

uint32_t lethe_microagg_partial_next(lethe_microagg_partial *t)
{
    lethe_microagg_candidate best = {0, t->pool->least_left}; // no sum is below 0
    uint32_t n = 0, from = t->pool->first;
    uint64_t after = 0;
    for (uint32_t i = 0; i < t->n_known; i++)
        if (known_before(&t->known[i], &best)) best = t->known[i];
    t->n_maybe = 0;
    t->promised = 0;
    for (uint32_t i = 0; i < t->n; i++)
        after += t->member[i].most;
    for (uint32_t i = 0; i < t->n; i++) {
        scan(t, from, t->member[i].slot, i, after, &best);
        from = t->member[i].slot + 1;
        after -= t->member[i].most;
    }
    scan(t, from, t->pool->n, t->n, 0, &best);
    for (uint32_t i = 0; i < t->n_maybe; i++)
        if (known_before(&t->maybe[i], &best)) t->maybe[n++] = t->maybe[i];
    if (n > 1) qsort(t->maybe, n, sizeof *t->maybe, by_bound);
    for (uint32_t i = 0; i < n && known_before(&t->maybe[i], &best); i++)
        try_and_compare(t, t->maybe[i].user, &best);
    return best.user;
}
