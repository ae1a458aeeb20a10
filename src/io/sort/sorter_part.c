/* SPDX-License-Identifier: Apache-2.0 */
/* sorter_part.c - one part: gathered from memory and disk, sorted, handed out, freed.
 *
 * What fits a worker's share is sorted at once.  Else as much as fits is sorted and written as a
 * run, again and again, and the runs are merged into one. */
#include "io/sort/sorter_internal.h"
#include "io/write/sink.h"

enum { ENTRY_COST = 2 * sizeof(lethe_entry), WRITE_MIN = 4 << 10, WRITE_MAX = 256 << 10 };

/* Where the next chunk of a part comes from. */
typedef struct feed {
    lethe_sorter *s;
    size_t part;
    unsigned w; /* whose chunks are being taken */
} feed;

/* The slot that has the next chunk; NULL at the end. */
static lethe_slot *feed_slot(feed *f)
{
    for (; f->w <= f->s->n_threads; f->w++) {
        lethe_slot *slot = &f->s->putters[f->w].slots[f->part];
        if (slot->full || slot->disk.bytes > 0) return slot;
    }
    return NULL;
}

/* As much of a part as is sorted at once. */
typedef struct batch {
    lethe_area *area;
    lethe_chunk *taken; /* that were in memory */
    size_t loaded;      /* bytes of the area with chunks from disk */
    size_t n;           /* records */
    uint64_t bytes;     /* of the records as stored */
    lethe_entry *entries;
} batch;

static void batch_free(batch *b)
{
    while (b->taken) {
        lethe_chunk *next = b->taken->next;
        lethe_free(b->taken);
        b->taken = next;
    }
    *b = (batch){.area = b->area};
}

/* Takes chunks while they fit in the area, one at least if there is any. */
static lethe_err batch_fill(batch *b, feed *f)
{
    lethe_slot *slot;
    while ((slot = feed_slot(f)) != NULL) {
        size_t loaded = b->loaded, n = b->n;
        if (slot->full) {
            n += slot->full->records;
        } else {
            loaded += lethe_round8(slot->disk.bytes);
            n += slot->disk.records;
        }
        // the chunks from disk stand before the entries
        size_t need = loaded + LETHE_REC_SLACK + 8 + n * ENTRY_COST;
        if (need > b->area->bytes) {
            if (b->n > 0) return LETHE_OK;
            LETHE_TRY(lethe_area_fit(f->s->ctx, b->area, need)); // one chunk is more than a share
        }
        if (slot->full) {
            lethe_chunk *c = slot->full;
            slot->full = c->next;
            c->next = b->taken;
            b->taken = c;
            b->n += c->records;
            b->bytes += c->used - sizeof *c;
        } else {
            // Also tells the slot which extent was spilled before this one.
            lethe_extent x = slot->disk;
            lethe_chunk *c = (lethe_chunk *)(void *)(b->area->at + b->loaded);
            const lethe_spill_file *file = &f->s->files[f->w % f->s->n_files];
            LETHE_TRY(lethe_pread_all(lethe_ctx_diag(f->s->ctx), file->fd, c, x.bytes, x.offset,
                                      LETHE_SPILL_NAME));
            assert(c->used == x.bytes && c->records == x.records);
            slot->disk = c->before;
            b->loaded += lethe_round8(x.bytes);
            b->n += x.records;
            b->bytes += x.bytes - sizeof *c;
        }
    }
    return LETHE_OK;
}

static void batch_sort(batch *b, const lethe_sorter *s)
{
    size_t from = lethe_round8(b->loaded + LETHE_REC_SLACK);
    b->entries = (lethe_entry *)(void *)(b->area->at + from);
    lethe_entry *e = b->entries;
    for (lethe_chunk *c = b->taken; c; c = c->next)
        e += lethe_sorter_entries(s, lethe_chunk_data(c), c->used - sizeof *c, e);
    for (size_t at = 0; at < b->loaded;) {
        lethe_chunk *c = (lethe_chunk *)(void *)(b->area->at + at);
        at += lethe_round8(c->used);
        e += lethe_sorter_entries(s, lethe_chunk_data(c), c->used - sizeof *c, e);
    }
    assert((size_t)(e - b->entries) == b->n);
    lethe_entries_sort(b->entries, b->n, e, s->order);
}

/* --- a part that does not fit --- */

typedef struct runs {
    lethe_sorted_run *at;
    size_t n, cap;
} runs;

/* Writes the batch at hand and all that follow as runs. */
static lethe_err write_runs(batch *b, feed *f, unsigned w, uint8_t *buf, size_t n_buf, runs *r)
{
    while (b->n > 0) {
        if (lethe_ctx_cancelled(f->s->ctx)) return LETHE_ECANCEL;
        if (r->n == r->cap) {
            size_t cap = r->cap + r->cap / 2 + 16;
            lethe_sorted_run *at = lethe_realloc(r->at, cap, sizeof *at);
            if (!at) return lethe_no_memory(f->s->ctx);
            r->at = at;
            r->cap = cap;
        }
        batch_sort(b, f->s);
        LETHE_TRY(lethe_run_write(f->s, w, b->entries, b->n, b->bytes, buf, n_buf, &r->at[r->n]));
        r->n++;
        batch_free(b);
        LETHE_TRY(batch_fill(b, f));
    }
    return LETHE_OK;
}

static lethe_err sort_outside(batch *b, feed *f, unsigned w, lethe_sorted *it)
{
    lethe_sorter *s = f->s;
    runs r = {0};
    size_t n_buf =
        (size_t)LETHE_MIN(LETHE_MAX(s->part_cap / 16, (uint64_t)WRITE_MIN), (uint64_t)WRITE_MAX);
    uint8_t *buf = lethe_alloc(n_buf, 1);
    if (!buf) return lethe_no_memory(s->ctx);
    lethe_err e = write_runs(b, f, w, buf, n_buf, &r);
    lethe_free(buf);
    size_t longest = 0;
    for (unsigned i = 0; i <= s->n_threads; i++)
        longest = LETHE_MAX(longest, s->putters[i].longest);
    if (e == LETHE_OK) e = lethe_runs_merge(s, w, b->area, s->part_cap, longest, r.at, r.n);
    if (e == LETHE_OK) e = lethe_sorted_of_run(it, s->ctx, b->area, s->part_cap, longest, &r.at[0]);
    lethe_free(r.at);
    return e;
}

/* --- a part --- */

lethe_err lethe_sorter_part(lethe_sorter *s, size_t part, unsigned w, lethe_area *a,
                            lethe_part_fn fn, void *arg)
{
    batch b = {.area = a};
    feed f = {.s = s, .part = part};
    lethe_sorted it = {0};
    // What the area must have if all of the part is to be sorted at once.
    uint64_t records = 0, loaded = LETHE_REC_SLACK + 8;
    for (unsigned i = 0; i <= s->n_threads; i++) {
        records += s->putters[i].cursors[part].records;
        loaded += s->putters[i].slots[part].disk_bytes;
    }
    uint64_t need = loaded + records * ENTRY_COST;
    LETHE_TRY(lethe_area_fit(s->ctx, a, (size_t)LETHE_MIN(need, s->part_cap)));
    lethe_err e = batch_fill(&b, &f);
    if (e == LETHE_OK && !feed_slot(&f)) {
        batch_sort(&b, s);
        lethe_sorted_of_entries(&it, s->ctx, b.entries, b.n);
    } else if (e == LETHE_OK) {
        e = sort_outside(&b, &f, w, &it);
    }
    if (e == LETHE_OK) e = fn(arg, part, w, &it);
    if (e == LETHE_OK) e = lethe_sorted_err(&it); // even if fn did not ask
    batch_free(&b);
    return e;
}
