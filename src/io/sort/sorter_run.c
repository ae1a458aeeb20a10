/* SPDX-License-Identifier: Apache-2.0 */
/* sorter_run.c - sorted runs in a spill file: written, merged, and read as a sequence. */
#include "io/sort/sorter_internal.h"
#include "io/write/sink.h"

enum {
    READ_MIN = 16 << 10, /* a run's buffer in a merge */
    READ_MAX = 1 << 20,
    FAN_MAX = 512,
};

lethe_err lethe_area_fit(lethe_ctx *ctx, lethe_area *a, size_t bytes)
{
    if (a->bytes >= bytes) return LETHE_OK;
    lethe_free(a->at);
    *a = (lethe_area){lethe_alloc(bytes, 1), bytes};
    if (a->at) return LETHE_OK;
    a->bytes = 0;
    return lethe_no_memory(ctx);
}

/* --- writing --- */

typedef struct writer {
    lethe_ctx *ctx;
    int fd;
    uint64_t offset; /* in the file, of buf[0] */
    uint8_t *buf;
    size_t n, cap;
} writer;

static lethe_err writer_flush(writer *o)
{
    if (lethe_ctx_cancelled(o->ctx)) return LETHE_ECANCEL;
    LETHE_TRY(
        lethe_pwrite_all(lethe_ctx_diag(o->ctx), o->fd, o->buf, o->n, o->offset, LETHE_SPILL_NAME));
    o->offset += o->n;
    o->n = 0;
    return LETHE_OK;
}

/* `n` bytes: a record as it is stored. */
static lethe_err writer_put(writer *o, const uint8_t *rec, size_t n)
{
    if (o->cap - o->n < n) LETHE_TRY(writer_flush(o));
    if (o->cap < n) {
        LETHE_TRY(
            lethe_pwrite_all(lethe_ctx_diag(o->ctx), o->fd, rec, n, o->offset, LETHE_SPILL_NAME));
        o->offset += n;
        return LETHE_OK;
    }
    memcpy(o->buf + o->n, rec, n);
    o->n += n;
    return LETHE_OK;
}

/* Begins a run of `bytes`. */
static lethe_err writer_open(writer *o, lethe_sorter *s, unsigned w, uint64_t bytes,
                             lethe_sorted_run *run)
{
    LETHE_TRY(lethe_sorter_reserve(s, w, bytes, &o->fd, &o->offset));
    *run = (lethe_sorted_run){o->fd, o->offset, bytes};
    return LETHE_OK;
}

lethe_err lethe_run_write(lethe_sorter *s, unsigned w, const lethe_entry *e, size_t n,
                          uint64_t bytes, uint8_t *buf, size_t n_buf, lethe_sorted_run *out)
{
    writer o = {.ctx = s->ctx, .cap = n_buf};
    o.buf = buf;
    lethe_sorted_run run;
    LETHE_TRY(writer_open(&o, s, w, bytes, &run));
    for (size_t i = 0; i < n; i++) {
        if (i + 8 < n) __builtin_prefetch(e[i + 8].rec);
        size_t n_bytes;
        const uint8_t *at = lethe_rec_get(e[i].rec, &n_bytes);
        LETHE_TRY(writer_put(&o, e[i].rec, (size_t)(at - e[i].rec) + n_bytes));
    }
    LETHE_TRY(writer_flush(&o));
    assert(o.offset == run.offset + bytes);
    *out = run;
    return LETHE_OK;
}

/* --- reading, for a merge --- */

typedef struct reader {
    lethe_sorted_run left; /* what is not in the buffer yet */
    uint8_t *buf;
    size_t at, n, cap; /* buf[at..n) is still to come; the record itself not counted */
    uint64_t key;
    const uint8_t *rec, *bytes;
    size_t n_bytes;
    bool done;
} reader;

/* Is the next record wholly in p[0..n)?  If so *size is what it takes. */
static bool is_whole(const uint8_t *p, size_t n, size_t *size)
{
    if (n == 0 || (*p == LETHE_REC_LONG && n < LETHE_REC_HEAD_MAX)) return false;
    size_t n_bytes;
    const uint8_t *bytes = lethe_rec_get(p, &n_bytes);
    *size = (size_t)(bytes - p) + n_bytes;
    return *size <= n;
}

static lethe_err reader_next(lethe_sorter *s, reader *r)
{
    size_t size;
    if (!is_whole(r->buf + r->at, r->n - r->at, &size)) {
        if (r->left.bytes == 0) {
            assert(r->at == r->n);
            r->done = true;
            return LETHE_OK;
        }
        if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        size_t tail = r->n - r->at;
        memmove(r->buf, r->buf + r->at, tail);
        size_t more = (size_t)LETHE_MIN(r->left.bytes, (uint64_t)(r->cap - tail));
        LETHE_TRY(lethe_pread_all(lethe_ctx_diag(s->ctx), r->left.fd, r->buf + tail, more,
                                  r->left.offset, LETHE_SPILL_NAME));
        r->left.offset += more;
        r->left.bytes -= more;
        r->at = 0;
        r->n = tail + more;
        bool whole = is_whole(r->buf, r->n, &size);
        assert(whole); // a buffer holds the longest record
        (void)whole;
    }
    r->rec = r->buf + r->at;
    r->bytes = lethe_rec_get(r->rec, &r->n_bytes);
    r->at += size;
    r->key = s->order == LETHE_ORDER_GROUP ? lethe_sorter_hash(s, r->bytes, r->n_bytes)
                                           : lethe_bytes_key(r->bytes, r->n_bytes, 0);
    return LETHE_OK;
}

/* --- merging --- */

/* A tree of losers (Knuth, TAOCP 3, 5.4.1): the winner of all stands at the top, and every inner
 * node holds who lost there, so that the next winner takes one comparison a level. */
typedef struct merge {
    lethe_sorter *s;
    reader *readers;
    size_t n;
    size_t *losers; /* [0] the winner, [1..n) the inner nodes; reader i hangs below (n + i) / 2 */
} merge;

/* Does reader a's record come before reader b's?  Those that are done come last. */
static bool wins(const merge *m, size_t a, size_t b)
{
    const reader *x = &m->readers[a], *y = &m->readers[b];
    if (x->done || y->done) return !x->done;
    if (x->key != y->key) return x->key < y->key;
    return lethe_str_cmp((lethe_str){(const char *)x->bytes, x->n_bytes},
                         (lethe_str){(const char *)y->bytes, y->n_bytes}) < 0;
}

static size_t play(merge *m, size_t node)
{
    if (node >= m->n) return node - m->n;
    size_t a = play(m, 2 * node), b = play(m, 2 * node + 1);
    bool first = wins(m, a, b);
    m->losers[node] = first ? b : a;
    return first ? a : b;
}

static void replay(merge *m, size_t i)
{
    for (size_t node = (m->n + i) / 2; node > 0; node /= 2) {
        if (wins(m, m->losers[node], i)) {
            size_t loser = i;
            i = m->losers[node];
            m->losers[node] = loser;
        }
    }
    m->losers[0] = i;
}

/* How a merge divides its memory. */
typedef struct plan {
    size_t fan; /* runs at once */
    size_t buf; /* bytes for each, and for the output */
} plan;

static lethe_err merge_some(merge *m, unsigned w, const plan *p, lethe_area *a,
                            const lethe_sorted_run *runs, size_t n, lethe_sorted_run *out)
{
    uint64_t bytes = 0;
    uint8_t *at = a->at;
    for (size_t i = 0; i < n; i++, at += p->buf + LETHE_REC_SLACK) {
        m->readers[i] = (reader){.left = runs[i], .buf = at, .cap = p->buf};
        bytes += runs[i].bytes;
    }
    m->n = n;
    writer o = {.ctx = m->s->ctx, .buf = at, .cap = p->buf};
    lethe_sorted_run run;
    LETHE_TRY(writer_open(&o, m->s, w, bytes, &run));
    for (size_t i = 0; i < m->n; i++)
        LETHE_TRY(reader_next(m->s, &m->readers[i]));
    m->losers[0] = play(m, 1);
    for (;;) {
        size_t i = m->losers[0];
        reader *r = &m->readers[i];
        if (r->done) break;
        LETHE_TRY(writer_put(&o, r->rec, (size_t)(r->bytes - r->rec) + r->n_bytes));
        LETHE_TRY(reader_next(m->s, r));
        replay(m, i);
    }
    LETHE_TRY(writer_flush(&o));
    assert(o.offset == run.offset + run.bytes);
    *out = run;
    return LETHE_OK;
}

/* The first merge takes just so many that all later ones are full. */
static lethe_err merge_all(merge *m, unsigned w, const plan *p, lethe_area *a,
                           lethe_sorted_run *runs, size_t n)
{
    for (size_t k = (n - 2) % (p->fan - 1) + 2; n > 1; k = p->fan) {
        lethe_sorted_run merged;
        LETHE_TRY(merge_some(m, w, p, a, runs, k, &merged));
        n -= k;
        memmove(runs, runs + k, n * sizeof *runs);
        runs[n++] = merged;
    }
    return LETHE_OK;
}

lethe_err lethe_runs_merge(lethe_sorter *s, unsigned w, lethe_area *a, uint64_t cap, size_t longest,
                           lethe_sorted_run *runs, size_t n)
{
    if (n < 2) return LETHE_OK;
    size_t need = longest + LETHE_REC_HEAD_MAX;
    size_t least = LETHE_MAX((size_t)READ_MIN, need);
    uint64_t fan = cap / (least + LETHE_REC_SLACK);
    fan = fan > 3 ? fan - 1 : 2;
    fan = LETHE_MIN(LETHE_MIN(fan, (uint64_t)FAN_MAX), (uint64_t)n);
    uint64_t buf = cap / (fan + 1);
    buf = LETHE_MIN(LETHE_MAX(buf, (uint64_t)least), (uint64_t)LETHE_MAX((size_t)READ_MAX, need));
    plan p = (plan){(size_t)fan, (size_t)buf};
    LETHE_TRY(lethe_area_fit(s->ctx, a, (p.fan + 1) * (p.buf + LETHE_REC_SLACK)));
    merge m = {.s = s};
    m.readers = lethe_alloc(p.fan, sizeof *m.readers);
    m.losers = lethe_alloc(p.fan, sizeof *m.losers);
    lethe_err e =
        m.readers && m.losers ? merge_all(&m, w, &p, a, runs, n) : lethe_no_memory(s->ctx);
    lethe_free_all(m.readers, m.losers);
    return e;
}

/* --- sequences --- */

void lethe_sorted_of_entries(lethe_sorted *it, lethe_ctx *ctx, const lethe_entry *e, size_t n)
{
    *it = (lethe_sorted){.ctx = ctx, .at = e, .end = e + n, .last = e, .marked = e};
}

lethe_err lethe_sorted_of_run(lethe_sorted *it, lethe_ctx *ctx, lethe_area *a, uint64_t cap,
                              size_t longest, const lethe_sorted_run *run)
{
    size_t need = longest + LETHE_REC_HEAD_MAX;
    size_t buf = (size_t)LETHE_MIN(cap / 2, (uint64_t)READ_MAX);
    buf = LETHE_MAX(buf, need);
    LETHE_TRY(lethe_area_fit(ctx, a, 2 * buf));
    *it = (lethe_sorted){.ctx = ctx, .on_disk = true, .run = *run, .n_buf = buf};
    it->buf[0] = a->at;
    it->buf[1] = a->at + buf;
    return LETHE_OK;
}

static lethe_err sorted_fill(lethe_sorted *it)
{
    if (lethe_ctx_cancelled(it->ctx)) return LETHE_ECANCEL;
    size_t n = (size_t)LETHE_MIN(it->run.bytes - it->pos, (uint64_t)it->n_buf);
    it->turn ^= 1;
    it->lo = it->hi = it->pos;
    LETHE_TRY(lethe_pread_all(lethe_ctx_diag(it->ctx), it->run.fd, it->buf[it->turn], n,
                              it->run.offset + it->pos, LETHE_SPILL_NAME));
    it->hi = it->pos + n;
    return LETHE_OK;
}

/* The bytes from `pos` on that are in memory. */
static size_t in_buffer(const lethe_sorted *it, const uint8_t **p)
{
    if (it->pos < it->lo || it->pos >= it->hi) return 0;
    *p = it->buf[it->turn] + (it->pos - it->lo);
    return (size_t)(it->hi - it->pos);
}

static bool next_on_disk(lethe_sorted *it, lethe_str *record)
{
    const uint8_t *p = NULL;
    size_t size;
    if (it->err != LETHE_OK || it->pos == it->run.bytes) return false;
    size_t n = in_buffer(it, &p);
    if (!is_whole(p, n, &size)) {
        it->err = sorted_fill(it);
        if (it->err != LETHE_OK) return false;
        n = in_buffer(it, &p);
        bool whole = is_whole(p, n, &size);
        assert(whole); // a buffer holds the longest record
        (void)whole;
    }
    record->at = (const char *)lethe_rec_get(p, &record->n);
    it->pos_last = it->pos;
    it->pos += size;
    return true;
}

bool lethe_sorted_next(lethe_sorted *it, lethe_str *record)
{
    const lethe_entry *e = it->at;
    if (e == it->end) return it->on_disk && next_on_disk(it, record);
    if (it->end - e > 8) {
        __builtin_prefetch(e[8].rec);
        __builtin_prefetch(e[8].rec + 64);
    }
    record->at = (const char *)lethe_rec_get(e->rec, &record->n);
    it->last = e;
    it->at = e + 1;
    return true;
}

lethe_err lethe_sorted_err(const lethe_sorted *it) { return it->err; }

void lethe_sorted_mark(lethe_sorted *it)
{
    it->marked = it->last;
    it->pos_marked = it->pos_last;
}

lethe_err lethe_sorted_rewind(lethe_sorted *it)
{
    it->at = it->last = it->marked;
    it->pos = it->pos_last = it->pos_marked;
    return it->err;
}
