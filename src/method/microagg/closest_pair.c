/* SPDX-License-Identifier: Apache-2.0 */
/* closest_pair.c - the two users of the pool that have most in common: a queue of bounds, of which
 * only those on top are made exact. */
#include "method/microagg/group_search_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- heaps --- */

static bool partner_before(const lethe_microagg_partner *a, const lethe_microagg_partner *b)
{
    return a->value != b->value ? a->value > b->value : a->user < b->user;
}

/* `least`: the last is on top, not the first. */
static void partner_down(lethe_microagg_partner *at, uint32_t n, uint32_t i, bool least)
{
    lethe_microagg_partner x = at[i];
    for (uint32_t c; (c = 2 * i + 1) < n; i = c) {
        if (c + 1 < n && partner_before(&at[c + 1], &at[c]) != least) c++;
        if (partner_before(&at[c], &x) == least) break;
        at[i] = at[c];
    }
    at[i] = x;
}

static void partners_heapify(lethe_microagg_partner *at, uint32_t n, bool least)
{
    for (uint32_t i = n / 2; i-- > 0;)
        partner_down(at, n, i, least);
}

static void partners_pop(lethe_microagg_partners *m)
{
    m->at[0] = m->at[--m->n];
    if (m->n > 0) partner_down(m->at, m->n, 0, false);
}

/* By value, then by pair; bounds (j LETHE_NONE) by user. */
static bool offer_before(const lethe_microagg_offer *a, const lethe_microagg_offer *b)
{
    if (a->value != b->value) return a->value > b->value;
    if (a->i != b->i) return a->i < b->i;
    return a->j < b->j;
}

static lethe_err offers_push(lethe_microagg_offers *h, lethe_microagg_offer x)
{
    if (h->n == h->cap) {
        size_t cap = LETHE_MAX(64, h->cap + h->cap / 2);
        lethe_microagg_offer *at = lethe_realloc(h->at, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        h->at = at;
        h->cap = cap;
    }
    size_t i = h->n++;
    for (; i > 0 && offer_before(&x, &h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
    return LETHE_OK;
}

static void offers_pop(lethe_microagg_offers *h)
{
    lethe_microagg_offer x = h->at[--h->n];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < h->n; i = c) {
        if (c + 1 < h->n && offer_before(&h->at[c + 1], &h->at[c])) c++;
        if (!offer_before(&h->at[c], &x)) break;
        h->at[i] = h->at[c];
    }
    if (h->n > 0) h->at[i] = x;
}

/* --- comparing a user with those before it --- */

/* Users that have little in common with a user are left out at first: less than this many 256ths of
 * its mass, later of the bound so far.  Most of them will have left by the time they matter. */
enum { FIRST_SHARE = 180, NEXT_SHARE = 218 };
enum { FIRST_ASKED = 8, TOGETHER = 16, AT_ONCE = 64 };

/* Drops the partners that have left, and makes room for `asked` more. */
static lethe_err make_room(const lethe_microagg_pool *c, lethe_microagg_partners *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (c->slot[m->at[i].user] != LETHE_NONE) m->at[n++] = m->at[i];
    m->n = n;
    m->asked = m->asked ? 2 * m->asked : FIRST_ASKED;
    if (m->asked > c->n_left) m->asked = c->n_left;
    if (n + m->asked <= m->cap) return LETHE_OK;
    lethe_microagg_partner *at = lethe_realloc(m->at, (size_t)n + m->asked, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    m->at = at;
    m->cap = n + m->asked;
    return LETHE_OK;
}

typedef struct comparison {
    lethe_microagg_partners *m;
    uint32_t n; /* found, from m->at + m->n on, the last on top */
    uint64_t mass;
    uint64_t base, floor; /* smaller values are left out: at the start, and now */
    bool more;            /* some were left out */
    const uint8_t *fine;
    uint64_t fine_surplus;
    lethe_microagg_probe probe;
} comparison;

static void consider(comparison *x, lethe_microagg_partner y)
{
    lethe_microagg_partner *at = x->m->at + x->m->n;
    if (x->m->last.value > 0 && !partner_before(&x->m->last, &y)) return; // found before
    if (x->n < x->m->asked) {
        at[x->n++] = y;
        if (x->n < x->m->asked) return;
        partners_heapify(at, x->n, true);
    } else {
        x->more = true;
        if (!partner_before(&y, &at[0])) return;
        at[0] = y;
        partner_down(at, x->n, 0, true);
    }
    x->floor = at[0].value;
}

/* Compares with the slots of a tile that are set in `slots`. */
static void compare_tile(const lethe_microagg_pool *c, comparison *x, uint32_t tile, uint64_t slots)
{
    uint16_t units[LETHE_MICROAGG_TILE];
    uint64_t extra = LETHE_MIN(x->probe.surplus, c->most_surplus[tile]);
    uint64_t least = lethe_microagg_pool_units(c, extra, x->floor);
    if (least > UINT16_MAX) least = UINT16_MAX; // nobody has so many
    if (!lethe_microagg_pool_coarse(c, &x->probe, tile, (uint16_t)least, units)) {
        // with a floor of 1 all have nothing in common; else some may, which the next one finds
        x->more |= x->floor > 1;
        return;
    }
    uint64_t near = slots & lethe_microagg_tile_at_least(c->simd, units, (uint16_t)least);
    if (!x->more && slots != near) {
        uint64_t any = extra > 0 ? UINT64_MAX : lethe_microagg_tile_at_least(c->simd, units, 1);
        x->more = (slots & ~near & any) != 0;
    }
    for (uint64_t bits = near; bits != 0; bits &= bits - 1)
        __builtin_prefetch(c->fine +
                           (size_t)(tile * LETHE_MICROAGG_TILE + (uint32_t)__builtin_ctzll(bits)) *
                               LETHE_MICROAGG_FINE);
    for (; near != 0; near &= near - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(near), slot = tile * LETHE_MICROAGG_TILE + i;
        uint64_t value = lethe_microagg_pool_bound(c, &x->probe, slot, units[i]);
        if (value >= x->floor) {
            uint64_t fine = lethe_microagg_pool_fine(c, x->fine, x->fine_surplus, slot);
            value = LETHE_MIN(value, fine);
            value = LETHE_MIN(value, x->mass);
        }
        if (value >= x->floor)
            consider(x, (lethe_microagg_partner){value, c->user[slot], 0});
        else
            x->more |= value > 0;
    }
}

/* At most the value, at least 1. */
static uint64_t share_of(uint64_t value, uint64_t share)
{
    return LETHE_MAX(value / 256 * share + value % 256 * share / 256, 1);
}

/* Users that are compared on all threads: as many for any number of threads. */
typedef struct batch {
    lethe_microagg_pairs *p;
    uint32_t slot[AT_ONCE], n; /* ascending */
} batch;

/* Compares up to TOGETHER users of the batch, each with all before it. */
static lethe_err compare_some(void *arg, size_t piece, unsigned w)
{
    const batch *b = arg;
    lethe_microagg_pool *c = b->p->pool;
    const uint32_t *slot = b->slot + piece * TOGETHER;
    uint32_t n = LETHE_MIN((uint32_t)TOGETHER, b->n - (uint32_t)piece * TOGETHER);
    comparison all[TOGETHER];
    (void)w;
    for (uint32_t i = 0; i < n; i++) {
        comparison *x = &all[i];
        uint32_t user = c->user[slot[i]];
        x->m = &b->p->partners[user];
        x->n = 0;
        x->mass = c->mass[slot[i]];
        x->more = false;
        uint64_t last = x->m->last.value;
        x->base = x->floor = last > 0 ? share_of(last, NEXT_SHARE) : share_of(x->mass, FIRST_SHARE);
        x->fine = c->fine + (size_t)slot[i] * LETHE_MICROAGG_FINE;
        x->fine_surplus = c->fine_surplus[slot[i]];
        lethe_microagg_pool_probe(c, slot[i], &x->probe);
        LETHE_TRY(make_room(c, x->m));
    }
    for (uint32_t tile = c->first / LETHE_MICROAGG_TILE; tile * LETHE_MICROAGG_TILE < slot[n - 1];
         tile++) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t slots = lethe_microagg_pool_taken(c, tile, c->first, slot[i]);
            if (slots != 0) compare_tile(c, &all[i], tile, slots);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        comparison *x = &all[i];
        lethe_microagg_partners *m = x->m;
        lethe_microagg_partner *at = m->at + m->n;
        m->last = (lethe_microagg_partner){0};
        if (x->more) // the last one found, on top; or all down to the base
            m->last = x->n == m->asked ? at[0] : (lethe_microagg_partner){x->base, LETHE_NONE, 0};
        m->found = x->n;
    }
    return LETHE_OK;
}

static lethe_err users_put(lethe_microagg_users *l, uint32_t user)
{
    if (l->n == l->cap) {
        uint32_t cap = LETHE_MAX(8, l->cap + l->cap / 2);
        uint32_t *at = lethe_realloc(l->at, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        l->at = at;
        l->cap = cap;
    }
    l->at[l->n++] = user;
    return LETHE_OK;
}

/* Adds the partners that were found to those of the user. */
static lethe_err keep_found(lethe_microagg_pairs *p, uint32_t slot)
{
    uint32_t user = p->pool->user[slot];
    lethe_microagg_partners *m = &p->partners[user];
    for (; m->found > 0; m->found--)
        LETHE_TRY(users_put(&p->of[m->at[m->n++].user], user));
    partners_heapify(m->at, m->n, false);
    p->pool->most[slot] = LETHE_MAX(m->n > 0 ? m->at[0].value : 0, m->last.value);
    lethe_microagg_pool_set_rest(p->pool, slot, m->last.value);
    return LETHE_OK;
}

/* --- the queue --- */

static lethe_err offer_best(lethe_microagg_pairs *p, uint32_t u)
{
    const lethe_microagg_partners *m = &p->partners[u];
    if (m->n == 0) return LETHE_OK;
    uint32_t v = m->at[0].user;
    lethe_microagg_offer x = {m->at[0].value, LETHE_MIN(u, v), LETHE_MAX(u, v), u, m->at[0].exact};
    return offers_push(&p->best, x);
}

/* The best valid offer: both users are there, and it has not changed.  NULL: none. */
static lethe_err best_offer(lethe_microagg_pairs *p, const lethe_microagg_offer **out)
{
    const lethe_microagg_pool *c = p->pool;
    *out = NULL;
    while (p->best.n > 0) {
        const lethe_microagg_offer *x = &p->best.at[0];
        lethe_microagg_partners *m = &p->partners[x->user];
        uint32_t u = x->user, v = x->i == u ? x->j : x->i;
        bool stands = c->slot[u] != LETHE_NONE && m->n > 0 && m->at[0].user == v &&
                      m->at[0].value == x->value && m->at[0].exact == x->exact;
        if (stands && c->slot[v] != LETHE_NONE) {
            *out = x;
            return LETHE_OK;
        }
        offers_pop(&p->best);
        if (!stands) continue;
        while (m->n > 0 && c->slot[m->at[0].user] == LETHE_NONE)
            partners_pop(m);
        LETHE_TRY(offer_best(p, u));
        p->pool->most[c->slot[u]] = LETHE_MAX(m->n > 0 ? m->at[0].value : 0, m->last.value);
    }
    return LETHE_OK;
}

static const lethe_microagg_offer *best_of_others(lethe_microagg_pairs *p)
{
    for (; p->others.n > 0; offers_pop(&p->others)) {
        const lethe_microagg_offer *x = &p->others.at[0];
        if (p->pool->slot[x->user] != LETHE_NONE && p->partners[x->user].last.value == x->value)
            return x;
    }
    return NULL;
}

/* Might user u, which has at most `value` in common with those before it, be in a pair that ranks
 * before the offer?  At best with the lowest user that has been compared. */
static bool may_win(const lethe_microagg_pairs *p, uint64_t value, uint32_t u,
                    const lethe_microagg_offer *than)
{
    if (value == 0) return false;
    if (!than || value != than->value) return !than || value > than->value;
    uint32_t least = lethe_microagg_pool_least_open(p->pool);
    lethe_microagg_offer x = {value, LETHE_MIN(u, least), LETHE_MAX(u, least + (u == least)), u, 0};
    return offer_before(&x, than);
}

static lethe_err make_exact(lethe_microagg_pairs *p, uint32_t u)
{
    lethe_microagg_partners *m = &p->partners[u];
    lethe_microagg_pool *c = p->pool;
    m->at[0].value = lethe_microagg_row_common(c->of, &p->row, u, m->at[0].user);
    m->at[0].exact = 1;
    p->pairs++;
    if (m->at[0].value == 0)
        partners_pop(m);
    else
        partner_down(m->at, m->n, 0, false);
    c->most[c->slot[u]] = LETHE_MAX(m->n > 0 ? m->at[0].value : 0, m->last.value);
    return offer_best(p, u);
}

/* The best bound: of the first user that has not been compared, or of missing partners. */
static lethe_microagg_offer best_bound(lethe_microagg_pairs *p)
{
    lethe_microagg_pool *c = p->pool;
    lethe_microagg_offer new = {.user = LETHE_NONE};
    const lethe_microagg_offer *other = best_of_others(p);
    while (c->n_open < c->n && c->user[c->n_open] == LETHE_NONE)
        lethe_microagg_pool_open(c);
    if (c->n_open < c->n) {
        uint32_t u = c->user[c->n_open];
        new = (lethe_microagg_offer){c->mass[c->n_open], u, LETHE_NONE, u, 0};
    }
    return other && offer_before(other, &new) ? *other : new;
}

/* Compares the next users that have not been compared; or the user whose missing partners have the
 * highest bound, and those with slightly lower bounds: nearly all of them would be next. */
static lethe_err compare_top(lethe_microagg_pairs *p, const lethe_microagg_offer *bound)
{
    lethe_microagg_pool *c = p->pool;
    batch b = {.p = p};
    if (c->slot[bound->user] >= c->n_open) {
        for (; b.n < AT_ONCE && c->n_open < c->n; lethe_microagg_pool_open(c))
            if (c->user[c->n_open] != LETHE_NONE) b.slot[b.n++] = c->n_open;
    } else {
        uint64_t enough = bound->value - bound->value / 16;
        for (const lethe_microagg_offer *x;
             b.n < AT_ONCE && (x = best_of_others(p)) && x->value >= enough; offers_pop(&p->others))
            b.slot[b.n++] = c->slot[x->user];
        qsort(b.slot, b.n, sizeof *b.slot, lethe_u32_cmp);
    }
    LETHE_TRY(lethe_pool_for(p->ctx, (b.n + TOGETHER - 1) / TOGETHER, compare_some, &b));
    for (uint32_t i = 0; i < b.n; i++) {
        uint32_t u = c->user[b.slot[i]];
        uint64_t others = p->partners[u].last.value;
        p->bounded += b.slot[i] - c->first;
        LETHE_TRY(keep_found(p, b.slot[i]));
        if (others > 0)
            LETHE_TRY(offers_push(&p->others, (lethe_microagg_offer){others, u, LETHE_NONE, u, 0}));
        LETHE_TRY(offer_best(p, u));
    }
    return LETHE_OK;
}

lethe_err lethe_microagg_pairs_next(lethe_microagg_pairs *p, uint32_t *i, uint32_t *j,
                                    uint64_t *value)
{
    for (;;) {
        const lethe_microagg_offer *best;
        lethe_microagg_offer bound = best_bound(p);
        LETHE_TRY(best_offer(p, &best));
        if (may_win(p, bound.value, bound.user, best)) {
            LETHE_TRY(compare_top(p, &bound));
        } else if (!best) {
            *value = 0;
            return LETHE_OK;
        } else if (best->exact) {
            *i = best->i;
            *j = best->j;
            *value = best->value;
            return LETHE_OK;
        } else {
            uint32_t u = best->user;
            offers_pop(&p->best);
            LETHE_TRY(make_exact(p, u));
        }
    }
}

lethe_err lethe_microagg_pairs_new(lethe_ctx *ctx, lethe_microagg_pool *pool,
                                   lethe_microagg_pairs *out)
{
    lethe_microagg_pairs p = {.ctx = ctx, .pool = pool, .row = {.user = LETHE_NONE}};
    p.partners = lethe_alloc_zero(pool->of->n, sizeof *p.partners);
    p.of = lethe_alloc_zero(pool->of->n, sizeof *p.of);
    p.row.count = lethe_alloc_zero(pool->of->n_categories, sizeof *p.row.count);
    if (!p.partners || !p.of || !p.row.count) {
        lethe_free(p.partners);
        lethe_free(p.of);
        lethe_free(p.row.count);
        return LETHE_ENOMEM;
    }
    *out = p;
    return LETHE_OK;
}

void lethe_microagg_pairs_forget(lethe_microagg_pairs *p, uint32_t user)
{
    lethe_free(p->partners[user].at);
    p->partners[user] = (lethe_microagg_partners){0};
    lethe_free(p->of[user].at);
    p->of[user] = (lethe_microagg_users){0};
}

void lethe_microagg_pairs_free(lethe_microagg_pairs *p)
{
    if (p->partners)
        for (uint32_t u = 0; u < p->pool->of->n; u++)
            lethe_microagg_pairs_forget(p, u);
    lethe_free(p->partners);
    lethe_free(p->of);
    lethe_free(p->row.count);
    lethe_free(p->best.at);
    lethe_free(p->others.at);
    *p = (lethe_microagg_pairs){0};
}
