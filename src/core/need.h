/* SPDX-License-Identifier: Apache-2.0 */
/* need.h - how much memory work needs, said before it begins.
 *
 * What goes through the external sort stays within lethe_ctx_memory() by itself.  What must hold
 * all of its data at once cannot: so it says what it is (lethe_ctx_begin_work), and whoever reads
 * for it says how much there is (lethe_ctx_need), while it reads and once all is read.  Work that
 * does not fit ends there, with the size that would, and is not killed by the system hours later.
 *
 * A need is an estimate of the greatest memory of the process, made from numbers alone: it depends
 * neither on the limit nor on the machine.  Its formula stands beside the structures that it
 * counts. */
#ifndef LETHE_CORE_NEED_H
#define LETHE_CORE_NEED_H
#include "core/ctx.h"

/* How much there is of what work holds; what does not apply is 0. */
typedef struct lethe_sizes {
    const char *things, *parts_are; /* what the first two count: "records", "items" */
    uint64_t n;                     /* records, rows of a table, users, queries */
    uint64_t parts;                 /* items of all records, cells, clicks */
    uint64_t distinct;              /* names of items, values of a table */
    uint64_t persons;
    uint64_t text;    /* bytes of a table's rows, as they are written */
    uint64_t held;    /* bytes in which all this is held now */
    unsigned threads; /* set by the functions below, as is the next */
    bool expected;    /* not what is there, but what is expected when all is read */
} lethe_sizes;

typedef struct lethe_work lethe_work;
/* What it needs at most, in bytes, with all that is held; it grows with each of the sizes. */
typedef uint64_t (*lethe_need_fn)(const lethe_work *w, const lethe_sizes *s);
struct lethe_work {
    const char *name;   /* "ssg"; a static text */
    lethe_need_fn need; /* NULL: what is held */
    const void *arg;    /* for `need` */
};

/* What all work needs besides its data: the program, its buffers and threads.  Part of each need.
 */
static const uint64_t lethe_need_program = UINT64_C(12) << 20;
/* Work that needs no more than this is never refused: it is about what WordNet and the program take
 * by themselves. */
static const uint64_t lethe_need_free = UINT64_C(64) << 20;
/* A need from here on is told to everybody. */
static const uint64_t lethe_need_large = UINT64_C(256) << 20;

/* Work at hand; its name is NULL where there is none. */
lethe_work *lethe_ctx_work(lethe_ctx *ctx);
/* True once for each work: of several workers that find it too large, one says so. */
bool lethe_ctx_refuses_first(lethe_ctx *ctx);
/* The greatest need of the work so far, `bytes` included: what was asked for while its data was
 * read is part of what it needs, so that a limit of what is stated is enough from the beginning. */
uint64_t lethe_ctx_greatest_need(lethe_ctx *ctx, uint64_t bytes);
void lethe_ctx_needs_none(lethe_ctx *ctx); /* begins anew */
/* Begins work; it is copied.  Returns what was at hand before, to go on with: work may be part of
 * other work, as a run of `compare` is.  Not while workers run. */
lethe_work lethe_ctx_begin_work(lethe_ctx *ctx, const lethe_work *w);

/* How much there is, once all is read and before the work begins.  LETHE_ENOMEM, reported with the
 * size that would do: it needs more than the limit.  Otherwise it is told what it needs: everybody
 * if that is large, else those who ask for details.  Without work at hand nothing is asked. */
LETHE_MUST_CHECK lethe_err lethe_ctx_need(lethe_ctx *ctx, const lethe_sizes *s);
/* How much there is so far, while it is read: `done` of `total` bytes, rows, whatever; 0: not
 * known. LETHE_ENOMEM, reported with the size that is to be expected: what is there already needs
 * more than the limit.  From any thread. */
LETHE_MUST_CHECK lethe_err lethe_ctx_grows(lethe_ctx *ctx, const lethe_sizes *s, uint64_t done,
                                           uint64_t total);

/* A size in words, "3.1 GiB", and as --memory takes it, "3200M": at least `bytes`. */
enum { LETHE_SIZE_TEXT = 32 };
void lethe_size_text(char out[LETHE_SIZE_TEXT], uint64_t bytes);
void lethe_size_option(char out[LETHE_SIZE_TEXT], uint64_t bytes);

#endif
