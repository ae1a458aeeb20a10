/* SPDX-License-Identifier: Apache-2.0 */
/* The external sort: making it, putting records into chunks by worker and part, spilling full
 * chunks, and handing out the parts.  sorter_internal.h has the plan. */
#include "io/sort/sorter_internal.h"
#include "io/write/sink.h"
#include <stdlib.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    CAP_MIN = 1 << 20,
    CHUNK_FIRST = 4 << 10, /* chunks of a part grow from here: a small sorter stays small */
    CHUNK_MAX = 64 << 10,
    PARTS_MAX = 256,
    SAMPLE_MAX = 1 << 20,
};

/* --- making and freeing --- */

static bool putters_new(lethe_sorter *s)
{
    unsigned n = s->n_threads + 1;
    s->putters = lethe_alloc_zero(n, sizeof *s->putters);
    if (!s->putters) return false;
    for (unsigned w = 0; w < n; w++) {
        lethe_putter *p = &s->putters[w];
        p->w = w;
        p->longest = LETHE_REC_LONG - 1;
        p->keeps = w == s->n_threads;
        p->cursors = lethe_alloc_zero(s->n_parts_max, sizeof *p->cursors);
        p->slots = lethe_alloc_zero(s->n_parts_max, sizeof *p->slots);
        if (!p->cursors || !p->slots) return false;
    }
    return true;
}

lethe_err lethe_sorter_new(lethe_ctx *ctx, lethe_order order, uint64_t cap_bytes,
                           lethe_sorter **out)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0)
        return lethe_fail(ctx, LETHE_EIO, "cannot get random numbers from the system");
    lethe_sorter *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return lethe_no_memory(ctx);
    s->ctx = ctx;
    s->order = order;
    s->seed = seed;
    s->n_threads = lethe_ctx_threads(ctx);
    s->n_files = LETHE_MIN(s->n_threads, (unsigned)LETHE_SPILL_FILES);
    // Chunks being filled may take a quarter of the budget. Many parts make it likely that each
    // fits when it is sorted, large chunks make writing cheap: they give way in turn.
    uint64_t cap = LETHE_MAX(cap_bytes, (uint64_t)CAP_MIN);
    static const struct {
        size_t parts, chunk;
    } ways[] = {{256, 64 << 10}, {256, 32 << 10}, {256, 16 << 10}, {128, 16 << 10},
                {64, 16 << 10},  {64, 8 << 10},   {64, 4 << 10},   {32, 4 << 10},
                {16, 4 << 10},   {16, 2 << 10},   {8, 2 << 10},    {4, 1 << 10}};
    size_t way = 0;
    while (way + 1 < LETHE_COUNT(ways) &&
           s->n_threads * ways[way].parts * ways[way].chunk > cap / 4)
        way++;
    s->n_parts_max = ways[way].parts;
    s->chunk_bytes = ways[way].chunk;
    s->shift = 64 - (unsigned)__builtin_ctzll(ways[way].parts);
    uint64_t open = (uint64_t)s->n_threads * s->n_parts_max * s->chunk_bytes;
    uint64_t storage = cap / 10 * 6;
    s->full_cap = storage > open ? storage - open : 0;
    s->part_cap = cap / 10 * 4 / s->n_threads;
    s->sample_cap = LETHE_MIN(cap / 8, (uint64_t)SAMPLE_MAX);
    pthread_mutex_init(&s->sample_lock, NULL);
    for (unsigned i = 0; i < LETHE_SPILL_FILES; i++) {
        s->files[i].fd = -1;
        pthread_mutex_init(&s->files[i].lock, NULL);
    }
    if (!putters_new(s)) {
        lethe_sorter_free(s);
        return lethe_no_memory(ctx);
    }
    *out = s;
    return LETHE_OK;
}

void lethe_sorter_free(lethe_sorter *s)
{
    if (!s) return;
    for (unsigned w = 0; s->putters && w <= s->n_threads; w++) {
        lethe_putter *p = &s->putters[w];
        for (size_t i = 0; p->slots && i < s->n_parts_max; i++) {
            lethe_free(p->slots[i].open);
            for (lethe_chunk *c = p->slots[i].full, *next; c; c = next) {
                next = c->next;
                lethe_free(c);
            }
        }
        lethe_free_all(p->slots, p->cursors);
    }
    lethe_free(s->putters);
    for (unsigned i = 0; i < LETHE_SPILL_FILES; i++) {
        if (s->files[i].fd >= 0) close(s->files[i].fd);
        pthread_mutex_destroy(&s->files[i].lock);
    }
    pthread_mutex_destroy(&s->sample_lock);
    lethe_router_free(&s->router);
    lethe_free(s);
}

/* --- spilling --- */

lethe_err lethe_sorter_reserve(lethe_sorter *s, unsigned w, uint64_t n, int *fd, uint64_t *offset)
{
    lethe_spill_file *f = &s->files[w % s->n_files];
    lethe_err e = LETHE_OK;
    pthread_mutex_lock(&f->lock);
    if (f->fd < 0)
        e = lethe_spill_open(lethe_ctx_diag(s->ctx), lethe_ctx_spill_dir(s->ctx), &f->fd);
    *fd = f->fd;
    pthread_mutex_unlock(&f->lock);
    if (e == LETHE_OK) *offset = atomic_fetch_add(&f->end, n);
    return e;
}

/* Writes a chunk's header and `n` bytes from `data`, which need not follow it in memory. */
static lethe_err spill(lethe_sorter *s, lethe_putter *p, lethe_slot *slot, lethe_chunk *c,
                       const void *data, size_t n)
{
    int fd = -1;
    uint64_t offset = 0;
    lethe_diag *d = lethe_ctx_diag(s->ctx);
    c->before = slot->disk;
    LETHE_TRY(lethe_sorter_reserve(s, p->w, c->used, &fd, &offset));
    size_t head = c->used - n;
    LETHE_TRY(lethe_pwrite_all(d, fd, c, head, offset, LETHE_SPILL_NAME));
    if (n > 0) LETHE_TRY(lethe_pwrite_all(d, fd, data, n, offset + head, LETHE_SPILL_NAME));
    slot->disk = (lethe_extent){offset, c->used, c->records};
    slot->disk_bytes += lethe_round8(c->used);
    return LETHE_OK;
}

/* May `bytes` more of full chunks stay in memory? */
static bool may_keep(lethe_sorter *s, const lethe_putter *p, size_t bytes)
{
    if (p->keeps) return true;
    uint64_t sum = atomic_fetch_add_explicit(&s->full_bytes, bytes, memory_order_relaxed) + bytes;
    if (sum <= s->full_cap) return true;
    atomic_fetch_sub_explicit(&s->full_bytes, bytes, memory_order_relaxed);
    return false;
}

lethe_chunk *lethe_putter_close(lethe_putter *p, size_t part)
{
    lethe_cursor *cur = &p->cursors[part];
    lethe_slot *slot = &p->slots[part];
    lethe_chunk *c = slot->open;
    if (!c) return NULL;
    c->used = (uint32_t)(cur->at - (uint8_t *)c);
    c->records = (uint32_t)(cur->records - slot->records_before);
    slot->open = NULL;
    cur->at = cur->end = NULL;
    return c;
}

void lethe_slot_keep(lethe_slot *slot, lethe_chunk *c)
{
    c->next = slot->full;
    slot->full = c;
}

static lethe_chunk *chunk_new(size_t room)
{
    lethe_chunk *c = lethe_alloc(room + LETHE_REC_SLACK, 1);
    if (c) *c = (lethe_chunk){.room = room};
    return c;
}

/* Gives the part an open chunk with room for `need` bytes. */
static lethe_err open_next(lethe_sorter *s, lethe_putter *p, size_t part, size_t need)
{
    lethe_slot *slot = &p->slots[part];
    lethe_cursor *cur = &p->cursors[part];
    lethe_chunk *c = lethe_putter_close(p, part);
    size_t room = c ? 2 * c->room : CHUNK_FIRST;
    room = LETHE_MAX(LETHE_MIN(room, s->chunk_bytes), need + sizeof(lethe_chunk));
    if (c && may_keep(s, p, c->room)) {
        lethe_slot_keep(slot, c);
        c = NULL;
    } else if (c) {
        lethe_err e = spill(s, p, slot, c, NULL, 0);
        if (e != LETHE_OK || c->room < room) {
            lethe_free(c);
            c = NULL;
        }
        if (e != LETHE_OK) return e;
    }
    if (!c) c = chunk_new(room);
    if (!c) return lethe_no_memory(s->ctx);
    slot->open = c;
    slot->records_before = cur->records;
    cur->at = lethe_chunk_data(c);
    cur->end = (uint8_t *)c + c->room;
    return LETHE_OK;
}

/* --- putting --- */

/* A record that no chunk holds gets one of its own, or goes to disk without a copy. */
static lethe_err append_large(lethe_sorter *s, lethe_putter *p, size_t part, const void *record,
                              size_t n)
{
    lethe_slot *slot = &p->slots[part];
    size_t room = sizeof(lethe_chunk) + lethe_rec_size(n);
    if (may_keep(s, p, room)) {
        lethe_chunk *c = chunk_new(room);
        if (!c) return lethe_no_memory(s->ctx);
        lethe_rec_put(lethe_chunk_data(c), record, n);
        c->used = (uint32_t)room;
        c->records = 1;
        lethe_slot_keep(slot, c);
        return LETHE_OK;
    }
    struct {
        lethe_chunk chunk;
        uint8_t head[LETHE_REC_HEAD_MAX];
    } own;
    memset(&own, 0, sizeof own); // goes to a file: no stray bytes of the stack
    own.chunk.used = (uint32_t)room;
    own.chunk.records = 1;
    lethe_rec_head_put(own.head, n);
    return spill(s, p, slot, &own.chunk, record, n);
}

/* The rare ways of a put: no room left, or a long record. */
static lethe_err append_slowly(lethe_sorter *s, lethe_putter *p, size_t part, const void *record,
                               size_t n)
{
    assert(n < (size_t)1 << 31);
    lethe_cursor *cur = &p->cursors[part];
    size_t size = lethe_rec_size(n);
    if (s->read)
        return lethe_fail(s->ctx, LETHE_EINTERNAL, LETHE_FAULT "the sorter was read already");
    if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
    p->longest = LETHE_MAX(p->longest, n);
    if (size + sizeof(lethe_chunk) > s->chunk_bytes) {
        LETHE_TRY(append_large(s, p, part, record, n));
    } else {
        if ((size_t)(cur->end - cur->at) < size) LETHE_TRY(open_next(s, p, part, size));
        cur->at = lethe_rec_put(cur->at, record, n);
    }
    cur->records++;
    cur->bytes += n;
    // An own chunk is not the open one: it must not count when that is closed.
    if (size + sizeof(lethe_chunk) > s->chunk_bytes) p->slots[part].records_before++;
    return LETHE_OK;
}

lethe_err lethe_sorter_append(lethe_sorter *s, lethe_putter *p, size_t part, const void *record,
                              size_t n)
{
    lethe_cursor *cur = &p->cursors[part];
    if (n >= LETHE_REC_LONG || (size_t)(cur->end - cur->at) < n + 1) {
        lethe_err e = append_slowly(s, p, part, record, n);
        if (e != LETHE_OK) atomic_store(&s->failed, (int)e);
        return e;
    }
    cur->at = lethe_rec_put(cur->at, record, n);
    cur->records++;
    cur->bytes += n;
    return LETHE_OK;
}

static inline uint64_t hash_key(const lethe_sorter *s, const void *record, size_t n)
{
    const char *nul = n > 0 ? memchr(record, 0, n) : NULL;
    return XXH3_64bits_withSeed(record, nul ? (size_t)(nul - (const char *)record) : n, s->seed);
}

uint64_t lethe_sorter_hash(const lethe_sorter *s, const void *record, size_t n)
{
    return hash_key(s, record, n);
}

lethe_err lethe_sorter_put(lethe_sorter *s, unsigned w, const void *record, size_t n)
{
    assert(w < s->n_threads);
    lethe_putter *p = &s->putters[w];
    if (s->order == LETHE_ORDER_GROUP)
        return lethe_sorter_append(s, p, hash_key(s, record, n) >> s->shift, record, n);
    if (!atomic_load_explicit(&s->routed, memory_order_acquire))
        return lethe_sorter_sample(s, w, record, n);
    return lethe_sorter_append(s, p, lethe_router_find(&s->router, record, n), record, n);
}

/* --- what was put --- */

size_t lethe_sorter_parts(const lethe_sorter *s)
{
    if (s->order == LETHE_ORDER_GROUP) return s->n_parts_max;
    return atomic_load(&s->routed) ? s->router.n + 1 : 1; // no more than the sample: one part
}

void lethe_sorter_part_size(const lethe_sorter *s, size_t part, uint64_t *records, uint64_t *bytes)
{
    *records = *bytes = 0;
    for (unsigned w = 0; w <= s->n_threads; w++) {
        *records += s->putters[w].cursors[part].records;
        *bytes += s->putters[w].cursors[part].bytes;
    }
}

static void total_size(const lethe_sorter *s, uint64_t *records, uint64_t *bytes)
{
    *records = *bytes = 0;
    for (size_t i = 0; i < s->n_parts_max; i++) {
        uint64_t r, b;
        lethe_sorter_part_size(s, i, &r, &b);
        *records += r;
        *bytes += b;
    }
}

uint64_t lethe_sorter_count(const lethe_sorter *s)
{
    uint64_t records, bytes;
    total_size(s, &records, &bytes);
    return records;
}

uint64_t lethe_sorter_bytes(const lethe_sorter *s)
{
    uint64_t records, bytes;
    total_size(s, &records, &bytes);
    return bytes;
}

uint64_t lethe_sorter_spilled(const lethe_sorter *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < s->n_files; i++)
        sum += atomic_load(&s->files[i].end);
    return sum;
}

/* --- reading --- */

size_t lethe_sorter_entries(const lethe_sorter *s, const uint8_t *p, size_t n, lethe_entry *out)
{
    const uint8_t *end = p + n;
    lethe_entry *e = out;
    for (; p < end; e++) {
        size_t n_bytes;
        const uint8_t *bytes = lethe_rec_get(p, &n_bytes);
        e->rec = p;
        e->key = s->order == LETHE_ORDER_GROUP ? hash_key(s, bytes, n_bytes) : 0;
        p = bytes + n_bytes;
    }
    return (size_t)(e - out);
}

typedef struct turn {
    size_t part;
    uint64_t records;
} turn;

typedef struct each_job {
    lethe_sorter *s;
    lethe_part_fn fn;
    void *arg;
    turn turns[PARTS_MAX];
    lethe_area areas[]; /* one per worker */
} each_job;

static lethe_err read_part(void *arg, size_t i, unsigned w)
{
    each_job *r = arg;
    if (lethe_ctx_cancelled(r->s->ctx)) return LETHE_ECANCEL;
    turn t = r->turns[i];
    LETHE_TRY(lethe_sorter_part(r->s, t.part, w, &r->areas[w], r->fn, r->arg));
    lethe_ctx_advance(r->s->ctx, t.records);
    return LETHE_OK;
}

static int by_records_falling(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->records != y->records) return x->records < y->records ? 1 : -1;
    return x->part < y->part ? -1 : 1;
}

lethe_err lethe_sorter_each(lethe_sorter *s, lethe_part_fn fn, void *arg)
{
    lethe_err failed = (lethe_err)atomic_load(&s->failed);
    if (failed != LETHE_OK) return failed;
    if (s->read)
        return lethe_fail(s->ctx, LETHE_EINTERNAL, LETHE_FAULT "the sorter was read already");
    each_job *r = lethe_alloc_zero(1, sizeof *r + s->n_threads * sizeof *r->areas);
    if (!r) return lethe_no_memory(s->ctx);
    s->read = true;
    // Open chunks are read where they are, full or not.
    for (unsigned w = 0; w <= s->n_threads; w++) {
        for (size_t i = 0; i < s->n_parts_max; i++) {
            lethe_chunk *c = lethe_putter_close(&s->putters[w], i);
            if (c) lethe_slot_keep(&s->putters[w].slots[i], c);
        }
    }
    r->s = s;
    r->fn = fn;
    r->arg = arg;
    size_t n = lethe_sorter_parts(s);
    // Groups come in any order, so the largest part is taken first: a late giant would leave all
    // other workers idle.
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes;
        r->turns[i].part = i;
        lethe_sorter_part_size(s, i, &r->turns[i].records, &bytes);
    }
    if (s->order == LETHE_ORDER_GROUP) qsort(r->turns, n, sizeof *r->turns, by_records_falling);
    lethe_err e = lethe_pool_for(s->ctx, n, read_part, r);
    for (unsigned w = 0; w < s->n_threads; w++)
        lethe_free(r->areas[w].at);
    lethe_free(r);
    return e;
}
