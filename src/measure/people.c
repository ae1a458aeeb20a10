/* SPDX-License-Identifier: Apache-2.0 */
/* people.c - per-user sums in a fixed hash table per worker; evicted users meet again in the
 * external sort. */
#include "measure/people.h"
#include "core/mem.h"
#include "io/sort/sorter.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Days are kept as bits, 64 to a block, blocks counted from the first day of year 1. */
#define FIRST_DAY (-719162)
#define LAST_DAY 2932896
#define NO_BLOCK 0 /* blocks are numbered from 1 */

#define LINE 64
#define USER_MAX 40
#define LEAST_SLOTS ((size_t)1 << 8)
#define MOST_SLOTS ((size_t)1 << 19)
#define N_COMING 16
#define COUNT_MOST (UINT32_MAX / 2)

/* What is known of one user and has not been sent on; one cache line.  No count is above
 * COUNT_MOST, so that two can be added. */
struct slot {
    uint64_t days; /* bit i: day i of the block */
    uint32_t rows, texts, clicks;
    uint16_t block;
    bool alone;
    uint8_t n_user; /* 0: free */
    char user[USER_MAX];
};
_Static_assert(sizeof(struct slot) == LINE, "one cache line");

/* A worker's table, direct-mapped: who comes to a taken slot pushes the other one out.  It is
 * larger than the processor's caches, so what is to be added waits a little, in `coming`, while its
 * slot is fetched; what comes for the same user next is added there. */
struct desk {
    void *memory; /* of the slots */
    struct slot *slots;
    size_t n_slots;  /* a power of two */
    size_t n_pushed; /* pushed out since the table last grew */
    struct slot coming[N_COMING];
    uint64_t hashes[N_COMING];
    size_t newest;
    lethe_buf record;
};

struct lethe_people {
    lethe_ctx *ctx;
    lethe_sorter *sorter;
    size_t most_slots; /* of one desk */
    unsigned n_desks;
    struct desk **desks;
};

static lethe_err slots_new(struct desk *d, size_t n)
{
    void *memory = lethe_alloc(n + 1, sizeof(struct slot));
    if (!memory) return LETHE_ENOMEM;
    d->memory = memory;
    size_t skip = -(uintptr_t)memory % LINE; /* to where a line begins */
    d->slots = (struct slot *)(void *)((char *)memory + skip);
    d->n_slots = n;
    d->n_pushed = 0;
    memset(d->slots, 0, n * sizeof(struct slot));
    return LETHE_OK;
}

static lethe_err desks_open(lethe_people *p, uint64_t cap_bytes)
{
    // a table grows beside its old self, so that three times its slots must fit
    p->most_slots = LEAST_SLOTS;
    while (p->most_slots < MOST_SLOTS &&
           3 * p->most_slots * sizeof(struct slot) <= cap_bytes / p->n_desks)
        p->most_slots *= 2;
    p->desks = lethe_alloc_zero(p->n_desks, sizeof *p->desks);
    if (!p->desks) return LETHE_ENOMEM;
    for (unsigned w = 0; w < p->n_desks; w++) {
        p->desks[w] = lethe_alloc_zero(1, sizeof **p->desks);
        if (!p->desks[w]) return LETHE_ENOMEM;
        LETHE_TRY(slots_new(p->desks[w], LEAST_SLOTS));
    }
    return LETHE_OK;
}

static void desks_close(lethe_people *p)
{
    for (unsigned w = 0; p->desks && w < p->n_desks; w++) {
        if (!p->desks[w]) continue;
        lethe_free(p->desks[w]->memory);
        lethe_buf_free(&p->desks[w]->record);
        lethe_free(p->desks[w]);
    }
    lethe_free(p->desks);
    p->desks = NULL;
}

lethe_err lethe_people_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_people **out)
{
    lethe_people *p = lethe_alloc(1, sizeof *p);
    if (!p) return lethe_no_memory(ctx);
    *p = (lethe_people){.ctx = ctx, .n_desks = lethe_ctx_threads(ctx)};
    lethe_err err = desks_open(p, cap_bytes / 3);
    if (err == LETHE_ENOMEM) err = lethe_no_memory(ctx);
    if (err == LETHE_OK) {
        err = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes - cap_bytes / 3, &p->sorter);
    }
    if (err != LETHE_OK) {
        lethe_people_free(p);
        return err;
    }
    *out = p;
    return LETHE_OK;
}

void lethe_people_free(lethe_people *p)
{
    if (!p) return;
    desks_close(p);
    lethe_sorter_free(p->sorter);
    lethe_free(p);
}

/* --- records: user NUL block(2) [day(1) | 64 days(8)] rows texts clicks alone --- */

static size_t varint_put(uint8_t *to, uint32_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        to[n++] = (uint8_t)(v | 0x80);
    to[n++] = (uint8_t)v;
    return n;
}

static const uint8_t *varint_get(const uint8_t *from, uint32_t *v)
{
    *v = 0;
    for (unsigned shift = 0;; shift += 7) {
        *v |= (uint32_t)(*from & 0x7f) << shift;
        if (!(*from++ & 0x80)) return from;
    }
}

/* The block stands first, so that a user's days of one block meet. */
static size_t sums_put(uint8_t *to, const struct slot *s)
{
    uint8_t *at = to;
    *at++ = (uint8_t)(s->block >> 8);
    *at++ = (uint8_t)s->block;
    if (s->block != NO_BLOCK) {
        if ((s->days & (s->days - 1)) == 0) {
            *at++ = (uint8_t)__builtin_ctzll(s->days);
        } else {
            *at++ = 64;
            lethe_be64_put(at, s->days);
            at += 8;
        }
    }
    at += varint_put(at, s->rows);
    at += varint_put(at, s->texts);
    at += varint_put(at, s->clicks);
    *at++ = s->alone;
    return (size_t)(at - to);
}

static void sums_get(const uint8_t *at, struct slot *s)
{
    s->block = (uint16_t)(at[0] << 8 | at[1]);
    at += 2;
    s->days = 0;
    if (s->block != NO_BLOCK) {
        uint8_t day = *at++;
        s->days = day < 64 ? (uint64_t)1 << day : lethe_be64_get(at);
        at += day < 64 ? 0 : 8;
    }
    at = varint_get(at, &s->rows);
    at = varint_get(at, &s->texts);
    at = varint_get(at, &s->clicks);
    s->alone = *at != 0;
}

/* --- adding --- */

static lethe_err send(lethe_people *p, unsigned w, lethe_str user, const struct slot *s)
{
    lethe_buf *b = &p->desks[w]->record;
    uint8_t sums[32];
    size_t n = sums_put(sums, s);
    b->n = 0;
    if (lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, sums, n) != LETHE_OK)
        return lethe_no_memory(p->ctx);
    return lethe_sorter_put(p->sorter, w, b->at, b->n);
}

/* Sends on what the slot holds; the user stays, with nothing to its name. */
static lethe_err slot_send(lethe_people *p, unsigned w, struct slot *s)
{
    if (s->n_user > 0) LETHE_TRY(send(p, w, (lethe_str){s->user, s->n_user}, s));
    s->days = s->rows = s->texts = s->clicks = 0;
    s->block = NO_BLOCK;
    s->alone = false;
    return LETHE_OK;
}

static inline bool slot_is(const struct slot *s, lethe_str user)
{
    return s->n_user == user.n && memcmp(s->user, user.at, user.n) == 0;
}

/* Adds what `more` says of the same user.  A slot holds days of one block only, and no count that
 * might overflow with the next one. */
static inline lethe_err slot_add(lethe_people *p, unsigned w, struct slot *s,
                                 const struct slot *more)
{
    if (more->block != NO_BLOCK) {
        if (s->block != NO_BLOCK && s->block != more->block) LETHE_TRY(slot_send(p, w, s));
        s->block = more->block;
        s->days |= more->days;
    }
    s->rows += more->rows;
    s->texts += more->texts;
    s->clicks += more->clicks;
    s->alone |= more->alone;
    bool large = (s->rows | s->texts | s->clicks) > COUNT_MOST;
    return large ? slot_send(p, w, s) : LETHE_OK;
}

/* Twice the slots.  Two users that had one each cannot meet in one now. */
static lethe_err desk_grow(lethe_people *p, struct desk *d)
{
    void *old_memory = d->memory;
    const struct slot *old = d->slots;
    size_t n = d->n_slots;
    if (slots_new(d, 2 * n) != LETHE_OK) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < n; i++) {
        const struct slot *s = &old[i];
        if (s->n_user > 0) d->slots[XXH3_64bits(s->user, s->n_user) & (d->n_slots - 1)] = *s;
    }
    lethe_free(old_memory);
    return LETHE_OK;
}

/* Puts the i-th of those that are coming where it belongs; whoever was there is sent on. */
static lethe_err arrive(lethe_people *p, unsigned w, size_t i)
{
    struct desk *d = p->desks[w];
    const struct slot *e = &d->coming[i];
    struct slot *s = &d->slots[d->hashes[i] & (d->n_slots - 1)];
    if (slot_is(s, (lethe_str){e->user, e->n_user})) return slot_add(p, w, s, e);
    if (s->n_user > 0) {
        if (++d->n_pushed > d->n_slots && d->n_slots < p->most_slots) {
            LETHE_TRY(desk_grow(p, d));
            s = &d->slots[d->hashes[i] & (d->n_slots - 1)];
        }
        LETHE_TRY(slot_send(p, w, s));
    }
    *s = *e;
    return LETHE_OK;
}

/* Adds `more` (its user not filled in) for a user. */
static lethe_err add(lethe_people *p, unsigned w, lethe_str user, const struct slot *more)
{
    struct desk *d = p->desks[w];
    if (user.n == 0 || user.n > USER_MAX) return send(p, w, user, more);
    if (slot_is(&d->coming[d->newest], user)) return slot_add(p, w, &d->coming[d->newest], more);
    size_t i = d->newest = (d->newest + 1) % N_COMING;
    struct slot *e = &d->coming[i];
    if (e->n_user > 0) LETHE_TRY(arrive(p, w, i));
    *e = *more;
    e->n_user = (uint8_t)user.n;
    memcpy(e->user, user.at, user.n);
    d->hashes[i] = XXH3_64bits(user.at, user.n);
    __builtin_prefetch(&d->slots[d->hashes[i] & (d->n_slots - 1)], 1);
    return LETHE_OK;
}

lethe_err lethe_people_row(lethe_people *p, unsigned w, lethe_str user, int64_t day)
{
    struct slot one = {.rows = 1};
    if (day != LETHE_NO_DAY) {
        assert(day >= FIRST_DAY && day <= LAST_DAY);
        uint64_t since = (uint64_t)(day - FIRST_DAY);
        one.block = (uint16_t)(since / 64 + 1);
        one.days = (uint64_t)1 << since % 64;
    }
    return add(p, w, user, &one);
}

lethe_err lethe_people_text(lethe_people *p, unsigned w, lethe_str user, bool alone)
{
    return add(p, w, user, &(struct slot){.texts = 1, .alone = alone});
}

lethe_err lethe_people_click(lethe_people *p, unsigned w, lethe_str user)
{
    return add(p, w, user, &(struct slot){.clicks = 1});
}

/* --- the parts meet --- */

struct user_merge {
    lethe_people *people;
    lethe_user_sums_fn fn;
    void *arg;
};

/* One user, while its records come by. */
struct user_so_far {
    lethe_user_sums person;
    uint16_t block;
    uint64_t days; /* of `block` */
};

static lethe_err user_done(const struct user_merge *m, unsigned w, struct user_so_far *g)
{
    g->person.days += (uint64_t)__builtin_popcountll(g->days);
    lethe_err err = m->fn(m->arg, w, &g->person);
    *g = (struct user_so_far){0};
    return err;
}

static lethe_err meet_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct user_merge *m = arg;
    struct user_so_far g = {0};
    lethe_str record, before = {0};
    size_t n_key = 0; /* the user and its NUL */
    (void)part;
    for (; lethe_sorted_next(it, &record); before = record) {
        bool same = before.at && record.n > n_key && memcmp(record.at, before.at, n_key) == 0;
        if (!same) {
            if (before.at) LETHE_TRY(user_done(m, w, &g));
            n_key = (size_t)((const char *)memchr(record.at, 0, record.n) - record.at) + 1;
        }
        struct slot s;
        sums_get((const uint8_t *)record.at + n_key, &s);
        if (s.block != g.block) {
            g.person.days += (uint64_t)__builtin_popcountll(g.days);
            g.block = s.block;
            g.days = 0;
        }
        g.days |= s.days;
        g.person.rows += s.rows;
        g.person.texts += s.texts;
        g.person.clicks += s.clicks;
        g.person.alone |= s.alone;
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (before.at) LETHE_TRY(user_done(m, w, &g));
    return LETHE_OK;
}

/* Any worker clears any desk. */
static lethe_err desk_clear(void *arg, size_t i, unsigned w)
{
    lethe_people *p = arg;
    struct desk *d = p->desks[i];
    for (size_t k = 0; k < d->n_slots; k++)
        LETHE_TRY(slot_send(p, w, &d->slots[k]));
    return LETHE_OK;
}

lethe_err lethe_people_each(lethe_people *p, lethe_user_sums_fn fn, void *arg)
{
    lethe_ctx_phase(p->ctx, "users", 0);
    for (unsigned w = 0; w < p->n_desks; w++) {
        for (size_t i = 0; i < N_COMING; i++) {
            if (p->desks[w]->coming[i].n_user > 0) LETHE_TRY(arrive(p, w, i));
            p->desks[w]->coming[i].n_user = 0;
        }
    }
    LETHE_TRY(lethe_pool_for(p->ctx, p->n_desks, desk_clear, p));
    desks_close(p);
    lethe_ctx_phase(p->ctx, "users", lethe_sorter_count(p->sorter));
    return lethe_sorter_each(p->sorter, meet_part, &(struct user_merge){p, fn, arg});
}
