#include "measure/people.h"
#include "core/mem.h"
#include "io/sorter.h"
#include <xxhash.h>

/* Days are kept as bits, 64 to a block, blocks counted from the first day of year 1. */
#define FIRST_DAY (-719162)
#define LAST_DAY 2932896
#define NO_BLOCK 0 /* blocks are numbered from 1 */

#define USER_MAX 92
#define LEAST_SLOTS ((size_t)1 << 8)
#define MOST_SLOTS ((size_t)1 << 18)

/* What a worker knows of one user since the slot was taken.  128 bytes; for the usual short names
 * one cache line of them is touched. */
struct slot {
    uint64_t days; /* bit i: day i of the block */
    uint64_t rows, texts, clicks;
    uint16_t block;
    bool alone;
    uint8_t n_user; /* 0: free */
    char user[USER_MAX];
};
_Static_assert(sizeof(struct slot) == 128, "two cache lines");

/* A worker's table, direct-mapped: who comes to a taken slot pushes the other one out. */
struct desk {
    struct slot *slots;
    size_t n_slots;    /* a power of two */
    size_t n_pushed;   /* pushed out since the table last grew */
    struct slot *last; /* the one used last: logs often have a user's rows together */
    lethe_buf record;
};

struct lethe_people {
    lethe_ctx *ctx;
    lethe_sorter *sorter;
    size_t most_slots; /* of one desk */
    unsigned n_desks;
    struct desk *desks;
};

/* A table grows beside its old self, so that three times its slots must fit. */
static size_t slots_within(uint64_t cap_bytes)
{
    size_t n = LEAST_SLOTS;
    while (n < MOST_SLOTS && 3 * n * sizeof(struct slot) <= cap_bytes)
        n *= 2;
    return n;
}

static struct slot *slots_new(size_t n)
{
    struct slot *slots = lethe_alloc(n, sizeof *slots);
    if (slots) memset(slots, 0, n * sizeof *slots);
    return slots;
}

static lethe_err desks_open(lethe_people *p, uint64_t cap_bytes)
{
    p->most_slots = slots_within(cap_bytes / p->n_desks);
    p->desks = lethe_alloc(p->n_desks, sizeof *p->desks);
    if (!p->desks) return LETHE_ENOMEM;
    memset(p->desks, 0, p->n_desks * sizeof *p->desks);
    for (unsigned w = 0; w < p->n_desks; w++) {
        struct desk *d = &p->desks[w];
        d->slots = d->last = slots_new(LEAST_SLOTS);
        if (!d->slots) return LETHE_ENOMEM;
        d->n_slots = LEAST_SLOTS;
    }
    return LETHE_OK;
}

static void desks_close(lethe_people *p)
{
    if (!p->desks) return;
    for (unsigned w = 0; w < p->n_desks; w++) {
        lethe_free(p->desks[w].slots);
        lethe_buf_free(&p->desks[w].record);
    }
    lethe_free(p->desks);
    p->desks = NULL;
}

lethe_err lethe_people_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_people **out)
{
    lethe_people *p = lethe_alloc(1, sizeof *p);
    if (!p) return lethe_no_memory(lethe_ctx_diag(ctx));
    *p = (lethe_people){.ctx = ctx, .n_desks = lethe_ctx_threads(ctx)};
    lethe_err err = desks_open(p, cap_bytes / 3);
    if (err == LETHE_ENOMEM) err = lethe_no_memory(lethe_ctx_diag(ctx));
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

static size_t varint_put(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        to[n++] = (uint8_t)(v | 0x80);
    to[n++] = (uint8_t)v;
    return n;
}

static const uint8_t *varint_get(const uint8_t *from, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0;; shift += 7) {
        *v |= (uint64_t)(*from & 0x7f) << shift;
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
    uint64_t alone;
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
    varint_get(at, &alone);
    s->alone = alone != 0;
}

static lethe_err send(lethe_people *p, unsigned w, lethe_str user, const struct slot *s)
{
    lethe_buf *b = &p->desks[w].record;
    uint8_t sums[48];
    size_t n = sums_put(sums, s);
    b->n = 0;
    if (lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, sums, n) != LETHE_OK)
        return lethe_no_memory(lethe_ctx_diag(p->ctx));
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

static void slot_take(struct slot *s, lethe_str user)
{
    s->n_user = (uint8_t)user.n;
    memcpy(s->user, user.at, user.n);
}

static inline bool slot_is(const struct slot *s, lethe_str user)
{
    return s->n_user == user.n && memcmp(s->user, user.at, user.n) == 0;
}

static inline struct slot *slot_for(const struct desk *d, lethe_str user)
{
    return &d->slots[XXH3_64bits(user.at, user.n) & (d->n_slots - 1)];
}

/* Twice the slots.  Two users that had one each cannot meet in one now. */
static lethe_err desk_grow(lethe_people *p, struct desk *d)
{
    struct desk old = *d;
    struct slot *slots = slots_new(2 * old.n_slots);
    if (!slots) return lethe_no_memory(lethe_ctx_diag(p->ctx));
    d->slots = d->last = slots;
    d->n_slots = 2 * old.n_slots;
    d->n_pushed = 0;
    for (size_t i = 0; i < old.n_slots; i++) {
        const struct slot *s = &old.slots[i];
        if (s->n_user > 0) *slot_for(d, (lethe_str){s->user, s->n_user}) = *s;
    }
    lethe_free(old.slots);
    return LETHE_OK;
}

/* The slot of a user that has room in one (1 to USER_MAX bytes); whoever was there is sent on. */
static lethe_err slot_of(lethe_people *p, unsigned w, lethe_str user, struct slot **out)
{
    struct desk *d = &p->desks[w];
    if (!slot_is(d->last, user)) {
        struct slot *s = slot_for(d, user);
        if (!slot_is(s, user)) {
            if (s->n_user > 0 && ++d->n_pushed > d->n_slots && d->n_slots < p->most_slots) {
                LETHE_TRY(desk_grow(p, d));
                s = slot_for(d, user);
            }
            LETHE_TRY(slot_send(p, w, s));
            slot_take(s, user);
        }
        d->last = s;
    }
    *out = d->last;
    return LETHE_OK;
}

static bool fits(lethe_str user) { return user.n > 0 && user.n <= USER_MAX; }

/* A slot holds days of one block; the others' go ahead to the sorter. */
static lethe_err slot_day(lethe_people *p, unsigned w, struct slot *s, uint16_t block, uint64_t bit)
{
    if (s->block != NO_BLOCK && s->block != block) LETHE_TRY(slot_send(p, w, s));
    s->block = block;
    s->days |= bit;
    return LETHE_OK;
}

lethe_err lethe_people_row(lethe_people *p, unsigned w, lethe_str user, int64_t day)
{
    uint16_t block = NO_BLOCK;
    uint64_t bit = 0;
    if (day != LETHE_NO_DAY) {
        assert(day >= FIRST_DAY && day <= LAST_DAY);
        uint64_t since = (uint64_t)(day - FIRST_DAY);
        block = (uint16_t)(since / 64 + 1);
        bit = (uint64_t)1 << since % 64;
    }
    if (!fits(user)) return send(p, w, user, &(struct slot){.block = block, .days = bit, .rows = 1});
    struct slot *s;
    LETHE_TRY(slot_of(p, w, user, &s));
    if (block != NO_BLOCK) LETHE_TRY(slot_day(p, w, s, block, bit));
    s->rows++;
    return LETHE_OK;
}

lethe_err lethe_people_text(lethe_people *p, unsigned w, lethe_str user, bool alone)
{
    if (!fits(user)) return send(p, w, user, &(struct slot){.texts = 1, .alone = alone});
    struct slot *s;
    LETHE_TRY(slot_of(p, w, user, &s));
    s->texts++;
    s->alone |= alone;
    return LETHE_OK;
}

lethe_err lethe_people_click(lethe_people *p, unsigned w, lethe_str user)
{
    if (!fits(user)) return send(p, w, user, &(struct slot){.clicks = 1});
    struct slot *s;
    LETHE_TRY(slot_of(p, w, user, &s));
    s->clicks++;
    return LETHE_OK;
}

/* --- the parts meet --- */

struct meeting {
    lethe_people *people;
    lethe_person_fn fn;
    void *arg;
};

/* One user, while its records come by. */
struct gathering {
    lethe_person person;
    uint16_t block;
    uint64_t days; /* of `block` */
};

static void gather(struct gathering *g, const struct slot *s)
{
    if (s->block != g->block) {
        g->person.days += (uint64_t)__builtin_popcountll(g->days);
        g->block = s->block;
        g->days = 0;
    }
    g->days |= s->days;
    g->person.rows += s->rows;
    g->person.texts += s->texts;
    g->person.clicks += s->clicks;
    g->person.alone |= s->alone;
}

static lethe_err gathered(const struct meeting *m, unsigned w, struct gathering *g)
{
    g->person.days += (uint64_t)__builtin_popcountll(g->days);
    lethe_err err = m->fn(m->arg, w, &g->person);
    *g = (struct gathering){0};
    return err;
}

static lethe_err meet_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct meeting *m = arg;
    struct gathering g = {0};
    lethe_str record, before = {0};
    size_t n_key = 0; /* the user and its NUL */
    uint64_t n = 0;
    (void)part;
    for (; lethe_sorted_next(it, &record); before = record, n++) {
        bool same = before.at && record.n > n_key && memcmp(record.at, before.at, n_key) == 0;
        if (!same) {
            if (before.at) LETHE_TRY(gathered(m, w, &g));
            n_key = (size_t)((const char *)memchr(record.at, 0, record.n) - record.at) + 1;
        }
        struct slot s;
        sums_get((const uint8_t *)record.at + n_key, &s);
        gather(&g, &s);
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (before.at) LETHE_TRY(gathered(m, w, &g));
    lethe_ctx_advance(m->people->ctx, n);
    return LETHE_OK;
}

lethe_err lethe_people_each(lethe_people *p, lethe_person_fn fn, void *arg)
{
    for (unsigned w = 0; w < p->n_desks; w++) {
        for (size_t i = 0; i < p->desks[w].n_slots; i++)
            LETHE_TRY(slot_send(p, w, &p->desks[w].slots[i]));
    }
    desks_close(p);
    lethe_ctx_phase(p->ctx, "users", lethe_sorter_count(p->sorter));
    return lethe_sorter_each(p->sorter, meet_part, &(struct meeting){p, fn, arg});
}
