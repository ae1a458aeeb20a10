/* SPDX-License-Identifier: Apache-2.0 */
/* candidate_pool.c - the users that are left, by mass, and the sketches that bound what two of them
 * have in common. */
#include "method/microagg/group_search_internal.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* --- bounds by sketches --- */

enum { COARSE = LETHE_MICROAGG_COARSE, FINE = LETHE_MICROAGG_FINE, TILE = LETHE_MICROAGG_TILE };

/* A slot's bytes are TILE apart. */
static uint8_t *coarse_of(const lethe_microagg_pool *c, uint32_t slot)
{
    return c->coarse + (size_t)(slot / TILE) * TILE * COARSE + slot % TILE;
}

/* The bins come in order of what most users lack of them: so it is soon seen that a user has too
 * little in common with all of a tile. */
void lethe_microagg_pool_probe(const lethe_microagg_pool *c, uint32_t slot,
                               lethe_microagg_probe *out)
{
    enum { KEYS = 64, RUN = 16 };
    const float mass = (float)(c->mass[slot] >> c->shift);
    uint8_t units[COARSE], key[COARSE];
    uint32_t start[KEYS + 1] = {0}, sum = 0, left = 0;
    for (uint32_t b = 0; b < COARSE; b++)
        units[b] = coarse_of(c, slot)[(size_t)b * TILE];
    for (uint32_t b = 0; b < COARSE; b++) {
        float lack = 4 * ((float)units[b] - c->share[b] * mass);
        key[b] = (uint8_t)(KEYS - 1 - (uint32_t)(lack < 0 ? 0 : lack > KEYS - 1 ? KEYS - 1 : lack));
        start[key[b] + 1] += units[b] > 0;
        left += units[b];
    }
    for (uint32_t i = 0; i < KEYS; i++)
        start[i + 1] += start[i];
    out->n = start[KEYS];
    out->n_runs = 0;
    out->surplus = c->coarse_surplus[slot];
    for (uint32_t b = 0; b < COARSE; b++) {
        if (units[b] == 0) continue;
        uint32_t i = start[key[b]]++;
        out->row[i] = (uint16_t)(b * TILE);
        out->units[i] = units[b] * UINT32_C(0x01010101);
    }
    for (uint32_t i = 0, first = 0; i < out->n; i++) {
        sum += (uint8_t)out->units[i];
        left -= (uint8_t)out->units[i];
        if (i + 1 < out->n && i + 1 - first < RUN && sum + (uint8_t)out->units[i + 1] <= UINT8_MAX)
            continue;
        out->after[out->n_runs] = left;
        out->end[out->n_runs++] = (uint16_t)(i + 1);
        first = i + 1;
        sum = 0;
    }
}

bool lethe_microagg_pool_coarse(const lethe_microagg_pool *c, const lethe_microagg_probe *x,
                                uint32_t tile, uint16_t least, uint16_t *units)
{
    const uint8_t *at = c->coarse + (size_t)tile * TILE * COARSE;
    return lethe_microagg_tile_common(c->simd, x, at, least, units);
}

uint64_t lethe_microagg_pool_bound(const lethe_microagg_pool *c, const lethe_microagg_probe *x,
                                   uint32_t slot, uint16_t units)
{
    return ((uint64_t)units << c->shift) + LETHE_MIN(x->surplus, c->coarse_surplus[slot]);
}

uint64_t lethe_microagg_pool_units(const lethe_microagg_pool *c, uint64_t surplus, uint64_t value)
{
    uint64_t rest = value - LETHE_MIN(value, surplus);
    return (rest >> c->shift) + ((rest & ((UINT64_C(1) << c->shift) - 1)) != 0);
}

uint64_t lethe_microagg_pool_fine(const lethe_microagg_pool *c, const uint8_t *row,
                                  uint64_t surplus, uint32_t slot)
{
    uint64_t sum = lethe_microagg_fine_common(c->simd, row, c->fine + (size_t)slot * FINE);
    return (sum << c->shift) + LETHE_MIN(surplus, c->fine_surplus[slot]);
}

uint64_t lethe_microagg_pool_taken(const lethe_microagg_pool *c, uint32_t tile, uint32_t from,
                                   uint32_t end)
{
    uint64_t bits = c->taken[tile];
    uint32_t start = tile * TILE;
    if (from > start) bits &= from - start < TILE ? UINT64_MAX << (from - start) : 0;
    if (end < start + TILE) bits &= end > start ? ~(UINT64_MAX << (end - start)) : 0;
    return bits;
}

/* --- bins of categories --- */

typedef struct weighed {
    uint64_t weight;
    uint32_t number;
} weighed;

/* The heaviest first, ties by number. */
static int by_weight(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

typedef struct sketcher {
    lethe_microagg_pool *c;
    uint16_t *coarse, *fine; /* the bin of each category */
    uint8_t *shift;          /* of each slot: of the unit in which its coarse bins fit */
} sketcher;

/* The heaviest categories get a quarter of the bins, one each; all others share the rest, in order
 * of their numbers and about as heavy as each other.  Categories with near numbers are of one kind
 * (a directory numbers them so), and users have them together: where one of two users has more of
 * both, their sums have no more in common than they have. */
static void deal_bins(const weighed *order, uint32_t n, const uint64_t *weight, uint32_t n_all,
                      uint32_t bins, uint16_t *bin)
{
    uint32_t own = LETHE_MIN(n, bins / 4), shared = bins - own;
    uint64_t rest = 0, sum = 0;
    memset(bin, 0xff, n_all * sizeof *bin);
    for (uint32_t i = 0; i < own; i++)
        bin[order[i].number] = (uint16_t)i;
    for (uint32_t i = own; i < n; i++)
        rest += order[i].weight;
    for (uint32_t i = 0; i < n_all; i++) {
        if (bin[i] != UINT16_MAX || weight[i] == 0) continue;
        assert(rest > 0); // its own weight is part of it
        bin[i] = (uint16_t)(own + (uint32_t)((wide)sum * shared / rest));
        sum += weight[i];
    }
}

static void set_shares(sketcher *d, const uint64_t *weight)
{
    double all = 0;
    memset(d->c->share, 0, COARSE * sizeof *d->c->share);
    for (uint32_t i = 0; i < d->c->of->n_categories; i++)
        all += (double)weight[i];
    for (uint32_t i = 0; i < d->c->of->n_categories; i++)
        if (weight[i] > 0) d->c->share[d->coarse[i]] += (float)((double)weight[i] / all);
}

static lethe_err assign_bins(sketcher *d)
{
    const lethe_microagg_interests *of = d->c->of;
    weighed *order = lethe_alloc(of->n_categories, sizeof *order);
    uint64_t *weight = lethe_alloc_zero(of->n_categories, sizeof *weight);
    d->coarse = lethe_alloc(of->n_categories, sizeof *d->coarse);
    d->fine = lethe_alloc(of->n_categories, sizeof *d->fine);
    bool ok = order && weight && d->coarse && d->fine;
    if (ok) {
        uint32_t n = 0;
        for (uint64_t i = 0; i < of->start[of->n]; i++)
            weight[of->category[i]] += of->count[i];
        for (uint32_t i = 0; i < of->n_categories; i++)
            if (weight[i] > 0) order[n++] = (weighed){weight[i], i};
        if (n > 1) qsort(order, n, sizeof *order, by_weight);
        deal_bins(order, n, weight, of->n_categories, COARSE, d->coarse);
        set_shares(d, weight);
        deal_bins(order, n, weight, of->n_categories, FINE, d->fine);
    }
    lethe_free(order);
    lethe_free(weight);
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

static void fill_bins(const lethe_microagg_interests *of, uint32_t u, const uint16_t *bin,
                      uint32_t n, uint64_t *sum)
{
    memset(sum, 0, n * sizeof *sum);
    for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
        sum[bin[of->category[i]]] += of->count[i];
}

/* --- sketches --- */

enum { USERS = 4 * TILE }; /* per piece of work: whole tiles */

static lethe_err find_shifts(void *arg, size_t piece, unsigned w)
{
    sketcher *d = arg;
    uint64_t sum[COARSE];
    uint32_t end = (uint32_t)LETHE_MIN((uint64_t)d->c->n, (uint64_t)(piece + 1) * USERS);
    (void)w;
    for (uint32_t s = (uint32_t)piece * USERS; s < end; s++) {
        uint64_t most = 0;
        fill_bins(d->c->of, d->c->user[s], d->coarse, COARSE, sum);
        for (uint32_t b = 0; b < COARSE; b++)
            most = LETHE_MAX(most, sum[b]);
        while (most > (UINT64_C(255) << d->shift[s]))
            d->shift[s]++;
    }
    return LETHE_OK;
}

/* In units of 1 << shift, rounded up.  Returns the surplus. */
static uint64_t pack_bins(const uint64_t *sum, uint32_t n, unsigned shift, uint8_t *to)
{
    const uint64_t most = UINT64_C(255) << shift, up = (UINT64_C(1) << shift) - 1;
    uint64_t over = 0;
    for (uint32_t b = 0; b < n; b++) {
        uint64_t within = LETHE_MIN(sum[b], most);
        over += sum[b] - within;
        to[b] = (uint8_t)((within + up) >> shift);
    }
    return over;
}

static lethe_err sketch_users(void *arg, size_t piece, unsigned w)
{
    sketcher *d = arg;
    lethe_microagg_pool *c = d->c;
    uint64_t sum[FINE];
    uint8_t row[COARSE];
    uint32_t end = (uint32_t)LETHE_MIN((uint64_t)c->n, (uint64_t)(piece + 1) * USERS);
    (void)w;
    for (uint32_t s = (uint32_t)piece * USERS; s < end; s++) {
        fill_bins(c->of, c->user[s], d->coarse, COARSE, sum);
        c->coarse_surplus[s] = pack_bins(sum, COARSE, c->shift, row);
        for (uint32_t b = 0; b < COARSE; b++)
            coarse_of(c, s)[(size_t)b * TILE] = row[b];
        fill_bins(c->of, c->user[s], d->fine, FINE, sum);
        c->fine_surplus[s] = pack_bins(sum, FINE, c->shift, c->fine + (size_t)s * FINE);
    }
    return LETHE_OK;
}

static lethe_err make_sketches(lethe_ctx *ctx, lethe_microagg_pool *c)
{
    sketcher d = {.c = c};
    size_t pieces = ((size_t)c->n + USERS - 1) / USERS;
    lethe_err e = assign_bins(&d);
    d.shift = lethe_alloc_zero(c->n, sizeof *d.shift);
    if (e == LETHE_OK && !d.shift) e = LETHE_ENOMEM;
    if (e == LETHE_OK) e = lethe_pool_for(ctx, pieces, find_shifts, &d);
    if (e == LETHE_OK) {
        // the smallest unit in which at most an eighth of the users have a surplus
        uint32_t with[64] = {0}, over = c->n;
        for (uint32_t s = 0; s < c->n; s++)
            with[d.shift[s]]++;
        while (c->shift < 63 && (over -= with[c->shift]) > c->n / 8)
            c->shift++;
        e = lethe_pool_for(ctx, pieces, sketch_users, &d);
    }
    lethe_free(d.coarse);
    lethe_free(d.fine);
    lethe_free(d.shift);
    return e;
}

/* --- the pool --- */

static void set_least(lethe_microagg_pool *c, uint32_t from, uint32_t end)
{
    uint32_t least = end < c->n ? c->least[end] : LETHE_NONE;
    for (uint32_t s = end; s-- > from;) {
        least = LETHE_MIN(least, c->user[s]);
        c->least[s] = least;
    }
}

/* What is kept of the tiles that hold slots from .. end - 1. */
static void set_tiles(lethe_microagg_pool *c, uint32_t from, uint32_t end)
{
    for (uint32_t tile = from / TILE; tile * TILE < end; tile++) {
        c->taken[tile] = c->most_surplus[tile] = c->most_rest[tile] = 0;
        for (uint32_t s = tile * TILE; s < c->n && s < (tile + 1) * TILE; s++) {
            if (c->user[s] == LETHE_NONE) continue;
            c->taken[tile] |= UINT64_C(1) << s % TILE;
            c->most_surplus[tile] = LETHE_MAX(c->most_surplus[tile], c->coarse_surplus[s]);
            c->most_rest[tile] = LETHE_MAX(c->most_rest[tile], c->rest[s]);
        }
    }
}

static lethe_err sort_by_mass(lethe_microagg_pool *c)
{
    const lethe_microagg_interests *of = c->of;
    weighed *order = lethe_alloc(c->n, sizeof *order);
    if (!order) return LETHE_ENOMEM;
    for (uint32_t u = 0; u < c->n; u++) {
        order[u] = (weighed){0, u};
        for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
            order[u].weight += of->count[i];
    }
    if (c->n > 1) qsort(order, c->n, sizeof *order, by_weight);
    for (uint32_t s = 0; s < c->n; s++) {
        c->user[s] = order[s].number;
        c->slot[order[s].number] = s;
        c->mass[s] = c->most[s] = c->rest[s] = order[s].weight;
    }
    lethe_free(order);
    set_least(c, 0, c->n);
    return LETHE_OK;
}

lethe_err lethe_microagg_pool_new(lethe_ctx *ctx, const lethe_microagg_interests *of,
                                  lethe_microagg_pool *out)
{
    lethe_microagg_pool c = {.of = of,
                             .n = of->n,
                             .n_left = of->n,
                             .least_open = of->n,
                             .simd = lethe_microagg_simd_best()};
    size_t n = c.n, tiles = (n + TILE - 1) / TILE;
    c.user = lethe_alloc(n, sizeof *c.user);
    c.slot = lethe_alloc(n, sizeof *c.slot);
    c.least = lethe_alloc(n, sizeof *c.least);
    c.mass = lethe_alloc(n, sizeof *c.mass);
    c.open = lethe_alloc_zero(n / 64 + 1, sizeof *c.open);
    c.most = lethe_alloc(n, sizeof *c.most);
    c.rest = lethe_alloc(n, sizeof *c.rest);
    c.coarse_surplus = lethe_alloc(n, sizeof *c.coarse_surplus);
    c.fine_surplus = lethe_alloc(n, sizeof *c.fine_surplus);
    c.coarse = lethe_alloc_zero(tiles, (size_t)TILE * COARSE);
    c.fine = lethe_alloc(n, FINE);
    c.taken = lethe_alloc(tiles, sizeof *c.taken);
    c.most_surplus = lethe_alloc(tiles, sizeof *c.most_surplus);
    c.share = lethe_alloc(COARSE, sizeof *c.share);
    c.most_rest = lethe_alloc(tiles, sizeof *c.most_rest);
    bool ok = c.user && c.open && c.slot && c.least && c.mass && c.most && c.coarse_surplus &&
              c.fine_surplus && c.coarse && c.fine && c.taken && c.most_surplus && c.rest &&
              c.share && c.most_rest;
    lethe_err e = ok ? sort_by_mass(&c) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = make_sketches(ctx, &c);
    if (e == LETHE_OK) set_tiles(&c, 0, c.n);
    if (e == LETHE_OK)
        *out = c;
    else
        lethe_microagg_pool_free(&c);
    return e;
}

void lethe_microagg_pool_free(lethe_microagg_pool *c)
{
    void *const all[] = {c->user,           c->slot,   c->least,       c->mass,
                         c->open,           c->most,   c->rest,        c->taken,
                         c->coarse_surplus, c->coarse, c->fine,        c->most_surplus,
                         c->most_rest,      c->share,  c->fine_surplus};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *c = (lethe_microagg_pool){0};
}

void lethe_microagg_pool_remove(lethe_microagg_pool *c, uint32_t user)
{
    assert(c->slot[user] != LETHE_NONE);
    if (c->slot[user] < c->n_counted) c->n_gone++;
    c->taken[c->slot[user] / TILE] &= ~(UINT64_C(1) << c->slot[user] % TILE);
    c->user[c->slot[user]] = LETHE_NONE;
    c->slot[user] = LETHE_NONE;
    c->open[user / 64] &= ~(UINT64_C(1) << user % 64);
    c->n_left--;
    while (c->least_left < c->of->n && c->slot[c->least_left] == LETHE_NONE)
        c->least_left++;
}

void lethe_microagg_pool_set_rest(lethe_microagg_pool *c, uint32_t slot, uint64_t rest)
{
    uint32_t tile = slot / TILE;
    uint64_t most = 0;
    c->rest[slot] = rest;
    for (uint64_t bits = c->taken[tile]; bits != 0; bits &= bits - 1)
        most = LETHE_MAX(most, c->rest[tile * TILE + (uint32_t)__builtin_ctzll(bits)]);
    c->most_rest[tile] = most;
}

void lethe_microagg_pool_open(lethe_microagg_pool *c)
{
    uint32_t user = c->user[c->n_open++];
    if (user == LETHE_NONE) return;
    c->open[user / 64] |= UINT64_C(1) << user % 64;
    c->least_open = LETHE_MIN(c->least_open, user);
}

uint32_t lethe_microagg_pool_least_open(lethe_microagg_pool *c)
{
    for (uint32_t i = c->least_open / 64; i <= c->of->n / 64; i++) {
        if (c->open[i] == 0) continue;
        c->least_open = i * 64 + (uint32_t)__builtin_ctzll(c->open[i]);
        return c->least_open;
    }
    c->least_open = c->of->n;
    return LETHE_NONE;
}

static void move(lethe_microagg_pool *c, uint32_t from, uint32_t to)
{
    c->user[to] = c->user[from];
    c->slot[c->user[to]] = to;
    c->mass[to] = c->mass[from];
    c->most[to] = c->most[from];
    c->rest[to] = c->rest[from];
    c->coarse_surplus[to] = c->coarse_surplus[from];
    c->fine_surplus[to] = c->fine_surplus[from];
    memcpy(c->fine + (size_t)to * FINE, c->fine + (size_t)from * FINE, FINE);
}

/* Moves the coarse sketches of slots from[0] < from[1] < ..., which are no later, to those before
 * `end`: bin by bin, tile by tile, since a slot's bytes are far from each other. */
static void move_coarse(lethe_microagg_pool *c, const uint32_t *from, uint32_t n, uint32_t end)
{
    while (n > 0) {
        uint32_t some = LETHE_MIN(n, (end - 1) % TILE + 1);
        n -= some;
        end -= some;
        uint8_t *to = coarse_of(c, end);
        const uint8_t *of[TILE];
        for (uint32_t i = 0; i < some; i++)
            of[i] = coarse_of(c, from[n + i]);
        for (size_t b = 0; b < (size_t)COARSE * TILE; b += TILE)
            for (uint32_t i = some; i-- > 0;)
                to[b + i] = of[i][b];
    }
}

lethe_err lethe_microagg_pool_compact(lethe_microagg_pool *c)
{
    enum { FEW = 32, SHARE = 8 };
    uint32_t to = c->n_open, n = 0;
    for (; c->n_counted < c->n_open; c->n_counted++)
        c->n_gone += c->user[c->n_counted] == LETHE_NONE;
    if (c->n_gone < FEW + (c->n_open - c->first) / SHARE) return LETHE_OK;
    uint32_t *from = lethe_alloc(c->n_open - c->first, sizeof *from);
    if (!from) return LETHE_ENOMEM;
    for (uint32_t s = c->first; s < c->n_open; s++)
        if (c->user[s] != LETHE_NONE) from[n++] = s;
    assert(n + c->n_gone == c->n_open - c->first);
    for (uint32_t i = n; i-- > 0;)
        if (from[i] != --to) move(c, from[i], to);
    move_coarse(c, from, n, c->n_open);
    for (uint32_t s = c->first; s < to; s++)
        c->user[s] = LETHE_NONE;
    set_tiles(c, c->first, c->n_open);
    lethe_free(from);
    c->first = to;
    c->n_gone = 0;
    set_least(c, to, c->n_open);
    return LETHE_OK;
}
