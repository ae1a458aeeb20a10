/* SPDX-License-Identifier: Apache-2.0 */
/* sorter_internal.h - what the sorter's files share; nobody else includes it.
 *
 *   sorter.c        putting: hash or route, append to a chunk, keep it or spill it
 *   sorter_route.c  BYTES: the sample, the splitters, which part a record belongs to
 *   sorter_part.c   one part: gather, sort, hand out; runs and a merge where it does not fit
 *   sorter_run.c    sorted runs in a file: writing, reading, merging, streaming
 *   sort_entries.c  the sort in memory
 *
 * A record is stored as its length (one byte below 255; else 255 and four bytes) and its bytes.
 * All that holds records has LETHE_REC_SLACK readable bytes behind them, so that eight bytes can be
 * loaded at once anywhere in a record. */
#ifndef LETHE_IO_SORT_SORTER_INTERNAL_H
#define LETHE_IO_SORT_SORTER_INTERNAL_H
#include "io/sort/sorter.h"
#include "core/mem.h"
#include <pthread.h>
#include <stdatomic.h>

/* --- records --- */

enum { LETHE_REC_LONG = 255, LETHE_REC_HEAD_MAX = 5, LETHE_REC_SLACK = 8 };

static inline size_t lethe_rec_size(size_t n) { return n + (n < LETHE_REC_LONG ? 1 : 5); }

static inline uint8_t *lethe_rec_head_put(uint8_t *p, size_t n)
{
    if (n < LETHE_REC_LONG) {
        *p = (uint8_t)n;
        return p + 1;
    }
    uint32_t v = (uint32_t)n;
    *p = LETHE_REC_LONG;
    memcpy(p + 1, &v, sizeof v);
    return p + LETHE_REC_HEAD_MAX;
}

static inline uint8_t *lethe_rec_put(uint8_t *p, const void *record, size_t n)
{
    p = lethe_rec_head_put(p, n);
    if (n > 0) memcpy(p, record, n);
    return p + n;
}

/* The bytes of the stored record at `p`, and how many. */
static inline const uint8_t *lethe_rec_get(const uint8_t *p, size_t *n)
{
    if (*p < LETHE_REC_LONG) {
        *n = *p;
        return p + 1;
    }
    uint32_t v;
    memcpy(&v, p + 1, sizeof v);
    *n = v;
    return p + LETHE_REC_HEAD_MAX;
}

/* --- sorting in memory --- */

/* A stored record and a number that decides its place where it differs from another's. */
typedef struct lethe_entry {
    uint64_t key;
    const uint8_t *rec;
} lethe_entry;

/* Seven bytes of a record from `depth` on, zero padded, and below them how many bytes there are, 8
 * standing for more than seven.  So zero bytes and the end of a record differ, and where two such
 * keys are equal and end in less than 8, the records are equal. */
enum { LETHE_KEY_BYTES = 7, LETHE_KEY_OPEN = 8 };

static inline uint64_t lethe_bytes_key(const uint8_t *bytes, size_t n, size_t depth)
{
    uint64_t v = lethe_be64_get(bytes + depth);
    size_t left = n - depth;
    if (left > LETHE_KEY_BYTES) return (v & ~(uint64_t)0xff) | LETHE_KEY_OPEN;
    if (left == 0) return 0;
    return (v & (~(uint64_t)0 << (64 - 8 * left))) | left;
}

/* Sorts by bytes (BYTES; keys are set here), or by the keys given (GROUP: the hashes) and then by
 * bytes; either way keys are overwritten.  `tmp` has room for n too.  O(n log n + all bytes that
 * must be looked at), whatever the records; recursion no deeper than log2 n. */
void lethe_entries_sort(lethe_entry *e, size_t n, lethe_entry *tmp, lethe_order order);

/* --- chunks --- */

/* A piece of a spill file: a chunk as it stood in memory.  `bytes` is 0: none. */
typedef struct lethe_extent {
    uint64_t offset;
    uint32_t bytes, records;
} lethe_extent;

/* Records end to end.  A spilled chunk names the one spilled before it, so that however much lies
 * on disk, memory holds one extent for each worker and part. */
typedef struct lethe_chunk {
    struct lethe_chunk *next;
    lethe_extent before;
    uint32_t used; /* bytes, this header counted */
    uint32_t records;
    size_t room; /* bytes allocated, without the slack */
} lethe_chunk;

/* Chunks are loaded to where their headers are aligned. */
static inline size_t lethe_round8(size_t n) { return (n + 7) & ~(size_t)7; }

static inline uint8_t *lethe_chunk_data(lethe_chunk *c) { return (uint8_t *)(c + 1); }

/* Where a worker's next record of a part goes: all that most puts touch. */
typedef struct lethe_cursor {
    uint8_t *at, *end;
    uint64_t records, bytes; /* put so far; not reset when the part is read */
} lethe_cursor;

/* What a worker has put into a part. */
typedef struct lethe_slot {
    lethe_chunk *open;       /* being filled */
    lethe_chunk *full;       /* in memory */
    lethe_extent disk;       /* the last one spilled */
    uint64_t disk_bytes;     /* of all spilled, each rounded up */
    uint64_t records_before; /* of the cursor, when `open` was opened */
} lethe_slot;

typedef struct lethe_putter {
    lethe_cursor *cursors; /* one per part */
    lethe_slot *slots;
    size_t longest; /* of its records, 254 at least */
    unsigned w;
    bool keeps;     /* never spills: the sample */
    char apart[64]; /* workers do not share a cache line */
} lethe_putter;

typedef struct lethe_spill_file {
    pthread_mutex_t lock; /* for opening */
    int fd;               /* -1: not needed yet */
    _Atomic uint64_t end;
} lethe_spill_file;

/* --- splitters --- */

/* Strings s_1 < s_2 < ... that share their first n_common bytes; a record's part is the number of
 * those not above it. */
typedef struct lethe_router {
    size_t n;
    size_t n_common;
    uint8_t *common;
    uint64_t *keys;  /* the first eight bytes after the common ones, zero padded */
    lethe_str *rest; /* all that was kept of them */
    uint8_t *bytes;
} lethe_router;

size_t lethe_router_find(const lethe_router *r, const uint8_t *record, size_t n);
void lethe_router_free(lethe_router *r);

/* --- the sorter --- */

enum { LETHE_SPILL_FILES = 8 };

struct lethe_sorter {
    lethe_ctx *ctx;
    lethe_order order;
    unsigned n_threads;
    size_t n_parts_max;
    unsigned shift; /* GROUP: hash >> shift is the part */
    uint64_t seed;  /* of the hash */
    size_t chunk_bytes;
    uint64_t full_cap;     /* bytes of full chunks that may stay in memory */
    uint64_t part_cap;     /* bytes that a worker may use to sort a part */
    lethe_putter *putters; /* one per worker; [n_threads] holds the sample */
    _Atomic uint64_t full_bytes;
    lethe_spill_file
        files[LETHE_SPILL_FILES]; /* several: writers of one file wait for each other */
    unsigned n_files;
    _Atomic int failed; /* the first failure of a put: what is in the sorter is not all */
    bool read;          /* lethe_sorter_each was called */
    /* BYTES */
    pthread_mutex_t sample_lock;
    uint64_t sample_cap, sample_cost;
    _Atomic bool routed; /* the router stands */
    lethe_router router;
};

/* Copies a record into a part, without asking whether it belongs there. */
LETHE_MUST_CHECK lethe_err lethe_sorter_append(lethe_sorter *s, lethe_putter *p, size_t part,
                                               const void *record, size_t n);
/* Detaches the open chunk, its header filled in; NULL: there is none. */
lethe_chunk *lethe_putter_close(lethe_putter *p, size_t part);
void lethe_slot_keep(lethe_slot *slot, lethe_chunk *c);
/* BYTES, while no router stands: into the sample, or, once that is full, makes the router. */
LETHE_MUST_CHECK lethe_err lethe_sorter_sample(lethe_sorter *s, unsigned w, const void *record,
                                               size_t n);
/* The hash of a record's key. */
uint64_t lethe_sorter_hash(const lethe_sorter *s, const void *record, size_t n);
/* Fills in keys (GROUP) and places of the records in p[0..n); returns how many. */
size_t lethe_sorter_entries(const lethe_sorter *s, const uint8_t *p, size_t n, lethe_entry *out);

/* Takes `n` bytes of worker w's spill file, opening it first if need be. */
LETHE_MUST_CHECK lethe_err lethe_sorter_reserve(lethe_sorter *s, unsigned w, uint64_t n, int *fd,
                                                uint64_t *offset);
#define LETHE_SPILL_NAME "temporary file"

/* --- sorted runs --- */

typedef struct lethe_sorted_run {
    int fd;
    uint64_t offset, bytes;
} lethe_sorted_run;

/* Memory that a worker uses for part after part. */
typedef struct lethe_area {
    uint8_t *at;
    size_t bytes;
} lethe_area;
/* At least `bytes`, contents lost. */
LETHE_MUST_CHECK lethe_err lethe_area_fit(lethe_ctx *ctx, lethe_area *a, size_t bytes);

/* Writes the entries in order; they take `bytes` in all.  `buf` is scratch. */
LETHE_MUST_CHECK lethe_err lethe_run_write(lethe_sorter *s, unsigned w, const lethe_entry *e,
                                           size_t n, uint64_t bytes, uint8_t *buf, size_t n_buf,
                                           lethe_sorted_run *out);
/* Merges runs[0..n) until one is left, runs[0], within `cap` bytes of `a` (more where single
 * records ask for it). */
LETHE_MUST_CHECK lethe_err lethe_runs_merge(lethe_sorter *s, unsigned w, lethe_area *a,
                                            uint64_t cap, size_t longest, lethe_sorted_run *runs,
                                            size_t n);

/* --- a sequence --- */

/* In memory `at` walks over entries; a run is read through two buffers in turn, so that the record
 * before the last stays where it is. */
struct lethe_sorted {
    const lethe_entry *at, *end, *last, *marked;
    bool on_disk;
    lethe_err err;
    lethe_ctx *ctx;
    lethe_sorted_run run;
    uint64_t pos, pos_last, pos_marked; /* from the run's start */
    uint64_t lo, hi;                    /* what buf[turn] holds */
    uint8_t *buf[2];
    size_t n_buf;
    unsigned turn;
};

void lethe_sorted_of_entries(lethe_sorted *it, lethe_ctx *ctx, const lethe_entry *e, size_t n);
LETHE_MUST_CHECK lethe_err lethe_sorted_of_run(lethe_sorted *it, lethe_ctx *ctx, lethe_area *a,
                                               uint64_t cap, size_t longest,
                                               const lethe_sorted_run *run);

/* Sorts a part and hands it to fn. */
LETHE_MUST_CHECK lethe_err lethe_sorter_part(lethe_sorter *s, size_t part, unsigned w,
                                             lethe_area *a, lethe_part_fn fn, void *arg);

#endif
