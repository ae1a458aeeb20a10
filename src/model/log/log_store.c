/* SPDX-License-Identifier: Apache-2.0 */
/* The rows between two steps.  Each worker fills a chunk of its own, so that appending takes no
 * lock; a full chunk stays in memory while the store's share lasts and goes to an unlinked file
 * after. */
#include "model/log/log_internal.h"
#include "io/write/sink.h"
#include <pthread.h>
#include <unistd.h>

#define CHUNK_LEAST ((size_t)64 << 10)
#define CHUNK_MOST ((size_t)1 << 20)

/* Rows as BY_USER records, each after its length in 4 bytes. */
typedef struct chunk {
    uint8_t *at; /* NULL: in the file */
    size_t n;
    uint64_t offset;
} chunk;

typedef struct part {
    lethe_buf open;   /* the chunk being filled */
    lethe_buf packed; /* one row */
    lethe_buf read;   /* a chunk from the file */
    uint64_t rows, bytes;
    uint8_t apart[64]; /* so that no two workers count in one cache line */
} part;

struct lethe_store {
    lethe_ctx *ctx;
    uint64_t cap_bytes;
    size_t chunk_bytes;
    pthread_mutex_t lock; /* of all that follows up to the parts */
    chunk *chunks;
    size_t n_chunks, cap_chunks;
    uint64_t held; /* bytes of chunks in memory */
    uint64_t spilled;
    int fd; /* -1: no file yet */
    part *parts;
    unsigned n_parts;
};

lethe_err lethe_store_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_store **out)
{
    unsigned n = lethe_ctx_threads(ctx);
    lethe_store *s = lethe_alloc(1, sizeof *s);
    part *parts = lethe_alloc_zero(n, sizeof *parts);
    if (!s || !parts) {
        lethe_free_all(s, parts);
        return lethe_no_memory(ctx);
    }
    uint64_t share = cap_bytes / 4 / n;
    *s = (lethe_store){.ctx = ctx, .cap_bytes = cap_bytes, .fd = -1, .parts = parts, .n_parts = n};
    s->chunk_bytes = (size_t)LETHE_MIN(LETHE_MAX(share, CHUNK_LEAST), CHUNK_MOST);
    pthread_mutex_init(&s->lock, NULL); // cannot fail with default attributes
    *out = s;
    return LETHE_OK;
}

void lethe_store_free(lethe_store *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_chunks; i++)
        lethe_free(s->chunks[i].at);
    for (unsigned w = 0; w < s->n_parts; w++) {
        lethe_buf_free(&s->parts[w].open);
        lethe_buf_free(&s->parts[w].packed);
        lethe_buf_free(&s->parts[w].read);
    }
    if (s->fd >= 0) close(s->fd);
    pthread_mutex_destroy(&s->lock);
    lethe_free_all(s->chunks, s->parts, s);
}

/* --- filling --- */

/* Decides where a full chunk of n bytes goes, and makes room for its entry.  Called with the lock
 * held.  *fd = -1: it stays in memory. */
static lethe_err place_chunk(lethe_store *s, size_t n, int *fd, uint64_t *offset)
{
    lethe_diag *d = lethe_ctx_diag(s->ctx);
    if (s->n_chunks == s->cap_chunks) {
        size_t cap = s->cap_chunks + s->cap_chunks / 4 + 16;
        chunk *more = lethe_realloc(s->chunks, cap, sizeof *more);
        if (!more) return lethe_no_memory(d);
        s->chunks = more;
        s->cap_chunks = cap;
    }
    *fd = -1;
    if (s->held + n <= s->cap_bytes) {
        s->held += n;
        return LETHE_OK;
    }
    if (s->fd < 0) LETHE_TRY(lethe_spill_open(d, lethe_ctx_spill_dir(s->ctx), &s->fd));
    *fd = s->fd;
    *offset = s->spilled;
    s->spilled += n;
    return LETHE_OK;
}

static lethe_err close_chunk(lethe_store *s, part *p)
{
    chunk c = {.n = p->open.n};
    int fd = -1;
    pthread_mutex_lock(&s->lock);
    lethe_err e = place_chunk(s, c.n, &fd, &c.offset);
    if (e == LETHE_OK && fd < 0) {
        c.at = p->open.at;
        p->open = (lethe_buf){0};
    }
    if (e == LETHE_OK) s->chunks[s->n_chunks++] = c;
    pthread_mutex_unlock(&s->lock);
    if (e != LETHE_OK || fd < 0) return e;
    e = lethe_pwrite_all(lethe_ctx_diag(s->ctx), fd, p->open.at, c.n, c.offset, "spill file");
    p->open.n = 0;
    return e;
}

lethe_err lethe_store_append(lethe_store *s, unsigned w, const lethe_row *row)
{
    assert(w < s->n_parts);
    part *p = &s->parts[w];
    if (lethe_row_pack(row, LETHE_BY_USER, &p->packed) != LETHE_OK) return lethe_no_memory(s->ctx);
    size_t n = p->packed.n + 4;
    if (p->open.n > 0 && p->open.n + n > s->chunk_bytes) LETHE_TRY(close_chunk(s, p));
    if (p->open.n + n > p->open.cap) {
        // in one step: a chunk that grows row by row would be copied over and over
        size_t room = LETHE_MAX(s->chunk_bytes, n) - p->open.n;
        if (lethe_buf_reserve(&p->open, room) != LETHE_OK) return lethe_no_memory(s->ctx);
    }
    assert(p->open.at);
    uint32_t length = (uint32_t)p->packed.n;
    memcpy(p->open.at + p->open.n, &length, 4);
    memcpy(p->open.at + p->open.n + 4, p->packed.at, p->packed.n);
    p->open.n += n;
    p->rows++;
    p->bytes += n;
    return LETHE_OK;
}

/* --- walking --- */

typedef struct walk {
    lethe_store *store;
    const lethe_row_visitor *visitor;
} walk;

/* Item i: a full chunk, or one still open. */
static lethe_err walk_chunk(void *arg, size_t i, unsigned w)
{
    const walk *k = arg;
    lethe_store *s = k->store;
    lethe_diag *d = lethe_ctx_diag(s->ctx);
    lethe_buf *read = &s->parts[w].read;
    chunk c;
    if (i < s->n_chunks) {
        c = s->chunks[i];
    } else {
        const lethe_buf *open = &s->parts[i - s->n_chunks].open;
        c = (chunk){.at = open->at, .n = open->n};
    }
    if (!c.at && c.n > 0) {
        read->n = 0;
        if (lethe_buf_reserve(read, c.n) != LETHE_OK) return lethe_no_memory(d);
        LETHE_TRY(lethe_pread_all(d, s->fd, read->at, c.n, c.offset, "spill file"));
        c.at = read->at;
    }
    for (size_t at = 0; at < c.n;) {
        uint32_t n;
        lethe_row row;
        memcpy(&n, c.at + at, 4);
        lethe_row_unpack((lethe_str){(const char *)c.at + at + 4, n}, LETHE_BY_USER, &row);
        LETHE_TRY(k->visitor->row(k->visitor->arg, w, &row));
        at += 4 + (size_t)n;
    }
    return k->visitor->end_of_block ? k->visitor->end_of_block(k->visitor->arg, w, i) : LETHE_OK;
}

lethe_err lethe_store_walk(lethe_store *s, const lethe_row_visitor *visitor)
{
    walk k = {s, visitor};
    return lethe_pool_for(s->ctx, s->n_chunks + s->n_parts, walk_chunk, &k);
}

uint64_t lethe_store_rows(const lethe_store *s)
{
    uint64_t n = 0;
    for (unsigned w = 0; w < s->n_parts; w++)
        n += s->parts[w].rows;
    return n;
}

uint64_t lethe_store_bytes(const lethe_store *s)
{
    uint64_t n = 0;
    for (unsigned w = 0; w < s->n_parts; w++)
        n += s->parts[w].bytes;
    return n;
}

uint64_t lethe_store_spilled(const lethe_store *s) { return s->spilled; }
