/* SPDX-License-Identifier: Apache-2.0 */
/* partial_group.c - the members of the group that is being built, and the candidate that joins
 * next: the one with the highest sum over all members, most of them excluded by bounds. */
#include "method/microagg/group_search_internal.h"
#include <stdlib.h>

enum { TILE = LETHE_MICROAGG_TILE, FINE = LETHE_MICROAGG_FINE };
enum { SUM_END = LETHE_MICROAGG_SUM_END };

lethe_err lethe_microagg_partial_new(lethe_microagg_pool *pool, uint32_t k,
                                     lethe_microagg_partial *out)
{
    const lethe_microagg_interests *of = pool->of;
    lethe_microagg_partial t = {.pool = pool, .k = k, .row = {.user = LETHE_NONE}};
    size_t tiles = ((size_t)of->n + TILE - 1) / TILE;
    t.member = lethe_alloc(k, sizeof *t.member);
    t.probe = lethe_alloc(k, sizeof *t.probe);
    t.fine = lethe_alloc(k, FINE);
    t.sum = lethe_alloc(tiles, TILE * sizeof *t.sum);
    t.counted = lethe_alloc(tiles, sizeof *t.counted);
    t.surplus = lethe_alloc(tiles, sizeof *t.surplus);
    t.known = lethe_alloc(of->n, sizeof *t.known);
    t.maybe = lethe_alloc(of->n, sizeof *t.maybe);
    t.near = lethe_alloc(of->n, sizeof *t.near);
    t.asked = lethe_alloc(of->n, sizeof *t.asked);
    t.named = lethe_alloc(of->n, sizeof *t.named);
    t.row.count = lethe_alloc_zero(of->n_categories, sizeof *t.row.count);
    *out = t;
    if (!t.member || !t.probe || !t.fine || !t.sum || !t.counted || !t.surplus || !t.known ||
        !t.maybe || !t.near || !t.named || !t.asked || !t.row.count) {
        lethe_microagg_partial_free(out);
        return LETHE_ENOMEM;
    }
    memset(t.asked, 0xff, of->n * sizeof *t.asked);
    memset(t.named, 0xff, of->n * sizeof *t.named);
    return LETHE_OK;
}

void lethe_microagg_partial_free(lethe_microagg_partial *t)
{
    void *const all[] = {t->member, t->probe, t->fine,  t->sum,   t->counted, t->surplus,
                         t->near,   t->named, t->known, t->maybe, t->asked,   t->row.count};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *t = (lethe_microagg_partial){0};
}

void lethe_microagg_partial_begin(lethe_microagg_partial *t, uint32_t group, uint64_t most)
{
    t->group = group;
    t->most = most;
    t->n = t->n_known = t->n_near = 0;
    memset(t->counted, 0, ((size_t)t->pool->n + TILE - 1) / TILE * sizeof *t->counted);
}

void lethe_microagg_partial_join(lethe_microagg_partial *t, uint32_t user)
{
    lethe_microagg_pool *c = t->pool;
    uint32_t slot = c->slot[user], i = t->n;
    lethe_microagg_pool_probe(c, slot, &t->probe[t->n]);
    memcpy(t->fine + (size_t)t->n * FINE, c->fine + (size_t)slot * FINE, FINE);
    for (; i > 0 && t->member[i - 1].slot > slot; i--)
        t->member[i] = t->member[i - 1];
    t->member[i] = (lethe_microagg_member){
        user, slot, c->most[slot], c->rest[slot], c->fine_surplus[slot], t->n};
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

void lethe_microagg_partial_near(lethe_microagg_partial *t, uint32_t user)
{
    if (t->pool->slot[user] == LETHE_NONE || t->named[user] == t->group) return;
    t->named[user] = t->group;
    t->near[t->n_near++] = user;
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

/* Adds what the slots of a tile have in common with the members that are not counted yet. */
static void count_members(lethe_microagg_partial *t, uint32_t tile)
{
    lethe_microagg_pool *c = t->pool;
    uint32_t *sum = t->sum + (size_t)tile * TILE;
    uint64_t cap = lethe_microagg_pool_units(c, 0, t->most);
    if (t->counted[tile] == 0) {
        memset(sum, 0, TILE * sizeof *sum);
        t->surplus[tile] = 0;
    }
    for (; t->counted[tile] < t->n; t->counted[tile]++) {
        const lethe_microagg_probe *x = &t->probe[t->counted[tile]];
        uint16_t units[TILE];
        lethe_microagg_pool_coarse(c, x, tile, 0, units);
        lethe_microagg_tile_add(c->simd, units, (uint16_t)LETHE_MIN(cap, UINT16_MAX), sum);
        t->surplus[tile] += LETHE_MIN(x->surplus, c->most_surplus[tile]);
        t->bounded += TILE;
    }
}

/* Tightens the bound of the user of a slot, by the fine sketches; false if it ranks after the best.
 * A member and x have at most the `most` of the one that is later in the pool in common. */
static bool may_be_next(const lethe_microagg_partial *t, uint32_t slot,
                        const lethe_microagg_candidate *best, lethe_microagg_candidate *x)
{
    const lethe_microagg_pool *c = t->pool;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->n; i++)
        sum += slot < t->member[i].slot ? t->member[i].most : c->most[slot];
    x->sum = LETHE_MIN(x->sum, sum);
    if (!known_before(x, best)) return false;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_microagg_member *m = &t->member[i];
        uint64_t most = slot < m->slot ? m->most : c->most[slot];
        uint64_t fine =
            lethe_microagg_pool_fine(c, t->fine + (size_t)m->number * FINE, m->fine_surplus, slot);
        sum -= most - LETHE_MIN(most, fine);
        if (sum < best->sum) return false;
    }
    x->sum = LETHE_MIN(x->sum, sum);
    return known_before(x, best);
}

/* A candidate with a higher bound than all so far is tried at once: the better the best, the fewer
 * others need a closer look. */
static void consider(lethe_microagg_partial *t, uint32_t slot, uint64_t bound,
                     lethe_microagg_candidate *best)
{
    lethe_microagg_candidate x = {bound, t->pool->user[slot]};
    if (t->asked[x.user] == t->group || !known_before(&x, best)) return;
    if (!may_be_next(t, slot, best, &x)) return;
    if (x.sum > t->promised) {
        t->promised = x.sum;
        try_and_compare(t, x.user, best);
    } else {
        t->maybe[t->n_maybe++] = x;
    }
}

static void search_near(lethe_microagg_partial *t, lethe_microagg_candidate *best)
{
    for (uint32_t i = 0; i < t->n_near; i++) {
        uint32_t slot = t->pool->slot[t->near[i]];
        if (slot != LETHE_NONE) consider(t, slot, UINT64_MAX, best);
    }
}

/* Might a user of the tile that is not near any member rank before the best?  It and a member have
 * at most the rest of the later one in common. */
static bool tile_may_win(const lethe_microagg_partial *t, uint32_t tile,
                         const lethe_microagg_candidate *best)
{
    const lethe_microagg_pool *c = t->pool;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const lethe_microagg_member *m = &t->member[i];
        uint64_t rest = m->slot < tile * TILE ? 0 : m->rest;
        if (m->slot / TILE <= tile) rest = LETHE_MAX(rest, c->most_rest[tile]);
        sum += rest;
    }
    return sum >= best->sum;
}

static void search_tile(lethe_microagg_partial *t, uint32_t tile, lethe_microagg_candidate *best)
{
    const lethe_microagg_pool *c = t->pool;
    const uint32_t *sum = t->sum + (size_t)tile * TILE;
    count_members(t, tile);
    uint64_t least = lethe_microagg_pool_units(c, t->surplus[tile], best->sum);
    uint64_t slots = c->taken[tile] & lethe_microagg_tile_sums_at_least(
                                          c->simd, sum, (uint32_t)LETHE_MIN(least, SUM_END));
    for (; slots != 0; slots &= slots - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(slots);
        uint64_t bound = UINT64_MAX;
        if (t->named[c->user[tile * TILE + i]] == t->group) continue;
        if (sum[i] < SUM_END) bound = ((uint64_t)sum[i] << c->shift) + t->surplus[tile];
        consider(t, tile * TILE + i, bound, best);
    }
}

uint32_t lethe_microagg_partial_next(lethe_microagg_partial *t)
{
    const lethe_microagg_pool *c = t->pool;
    lethe_microagg_candidate best = {0, c->least_left}; // no sum is below 0
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_known; i++)
        if (known_before(&t->known[i], &best)) best = t->known[i];
    t->n_maybe = 0;
    t->promised = 0;
    search_near(t, &best);
    for (uint32_t tile = c->first / TILE; tile * TILE < c->n; tile++) {
        // no user from the tile on has more than its mass in common with a member
        uint32_t s = LETHE_MAX(tile * TILE, c->first);
        uint64_t most = t->n * c->mass[s];
        if (most < best.sum || (most == best.sum && c->least[s] > best.user)) break;
        if (c->taken[tile] != 0 && tile_may_win(t, tile, &best)) search_tile(t, tile, &best);
    }
    for (uint32_t i = 0; i < t->n_maybe; i++)
        if (known_before(&t->maybe[i], &best)) t->maybe[n++] = t->maybe[i];
    if (n > 1) qsort(t->maybe, n, sizeof *t->maybe, by_bound);
    for (uint32_t i = 0; i < n && known_before(&t->maybe[i], &best); i++)
        try_and_compare(t, t->maybe[i].user, &best);
    return best.user;
}
