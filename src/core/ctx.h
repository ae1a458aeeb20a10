/* ctx.h - the context of a run as the library sees it: pool, budget, progress, cancellation. */
#ifndef LETHE_CORE_CTX_H
#define LETHE_CORE_CTX_H
#include "lethe/context.h"
#include "core/base.h"

typedef struct lethe_pool lethe_pool;

lethe_diag *lethe_ctx_diag(lethe_ctx *ctx);
lethe_pool *lethe_ctx_pool(lethe_ctx *ctx);
unsigned lethe_ctx_threads(const lethe_ctx *ctx);
uint64_t lethe_ctx_memory(const lethe_ctx *ctx);
const char *lethe_ctx_spill_dir(const lethe_ctx *ctx); /* never NULL */
/* Later spill files go there; the string is copied. */
LETHE_MUST_CHECK lethe_err lethe_ctx_set_spill_dir(lethe_ctx *ctx, const char *dir);

bool lethe_ctx_cancelled(const lethe_ctx *ctx); /* cheap: one relaxed load */

/* Begins a phase of `total` units (0: not known), and moves it on.  Cheap enough for every block.
 * A phase begun anew goes on where it stopped; NULL ends the last one.  The name is copied. */
void lethe_ctx_phase(lethe_ctx *ctx, const char *phase, uint64_t total);
void lethe_ctx_advance(lethe_ctx *ctx, uint64_t units);
/* What follows is one part of a longer work: from now on progress shows `name` and how many parts
 * of `total` are done, while its phases are timed as ever.  NULL: no longer.  Not while workers
 * run. */
void lethe_ctx_part(lethe_ctx *ctx, const char *name, uint64_t done, uint64_t total);

/* Seconds of wall clock spent in each phase so far, for the report. */
size_t lethe_ctx_phase_count(const lethe_ctx *ctx);
void lethe_ctx_phase_at(const lethe_ctx *ctx, size_t i, const char **name, double *seconds);

/* --- messages --- */

/* Says what failed and hands `e` back: `return lethe_fail(d, LETHE_EIO, "cannot open '%s': %s",
 * ..)`. `d` may be NULL.  Text: lower case, fault first, no full stop. */
LETHE_PRINTF(3, 4) lethe_err lethe_fail(lethe_diag *d, lethe_err e, const char *fmt, ...);
LETHE_PRINTF(6, 7)
lethe_err lethe_fail_at(lethe_diag *d, lethe_err e, const char *file, uint64_t line,
                        uint32_t column, const char *fmt, ...);
LETHE_PRINTF(2, 3) void lethe_warn(lethe_diag *d, const char *fmt, ...);
LETHE_PRINTF(2, 3) void lethe_note(lethe_diag *d, const char *fmt, ...);
void lethe_say(lethe_diag *d, const lethe_message *m);
/* Messages go to `to` from now on; what they went to before comes back, to be put in place again.
 * Not while workers run. */
typedef struct lethe_listener {
    lethe_message_fn fn; /* may be NULL */
    void *ctx;
} lethe_listener;
lethe_listener lethe_diag_divert(lethe_diag *d, lethe_listener to);
/* `s` as a terminal may show it: control characters and what is not UTF-8 become \n, \t, \x1b;
 * NUL-ended, at most cap - 1 bytes (cap >= 4), "..." where it was cut.  Returns the length. */
size_t lethe_show(char *out, size_t cap, lethe_str s);
/* LETHE_ENOMEM, with a message. */
lethe_err lethe_no_memory(lethe_diag *d);

/* --- the pool --- */

/* A pool of `n_threads` workers, the caller's thread among them; of fewer where the system gives no
 * more.  One context, one pool: lethe_ctx_new makes it. */
LETHE_MUST_CHECK lethe_err lethe_pool_new(unsigned n_threads, lethe_pool **out);
void lethe_pool_free(lethe_pool *p);
unsigned lethe_pool_threads(const lethe_pool *p);

/* Work item i on worker w, 0 <= w < threads.  Any return but LETHE_OK stops the loop soon. */
typedef lethe_err (*lethe_work_fn)(void *arg, size_t i, unsigned w);

/* Calls fn for every i in 0..n-1, items taken in rising order, on all workers, the caller's thread
 * among them; returns when all are done.  Of several failures the one with the lowest i is
 * returned, so that the answer does not depend on threads: when item i fails, items below i still
 * run.  LETHE_ECANCEL if the context was cancelled.  Not to be called from inside fn. */
LETHE_MUST_CHECK lethe_err lethe_pool_for(lethe_ctx *ctx, size_t n, lethe_work_fn fn, void *arg);

#endif
