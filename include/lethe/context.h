/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - threads, memory limit, progress, cancellation and messages for the calls of job.h. */
#ifndef LETHE_CONTEXT_H
#define LETHE_CONTEXT_H
#include "lethe/base.h"
LETHE_API_BEGIN

/* Pass one to every call of job.h.  A context may be used for several calls, one after another. */
typedef struct lethe_ctx lethe_ctx;

/* Reports progress.  `total` is 0 if it is not known; `phase` is NULL when the work is over. Called
 * from any worker thread, at most a few times per second; calls do not overlap. */
typedef void (*lethe_progress_fn)(void *ctx, const char *phase, uint64_t done, uint64_t total);

/* Zero in a field means its default. */
typedef struct lethe_settings {
    unsigned n_threads;    /* 0: all cores */
    uint64_t memory_bytes; /* 0: half of the machine's */
    const char *spill_dir; /* for data that exceeds the memory limit; NULL: $TMPDIR, or /tmp */
    lethe_message_fn on_message;   /* may be NULL */
    lethe_progress_fn on_progress; /* may be NULL */
    void *user;                    /* passed to both */
    bool details;                  /* messages of severity LETHE_DETAIL are wanted, too */
} lethe_settings;

/* LETHE_ENOMEM, or LETHE_EIO if the system provides no threads or random numbers.
 * `settings` may be freed afterwards. */
LETHE_MUST_CHECK lethe_err lethe_ctx_new(const lethe_settings *settings, lethe_ctx **out);
void lethe_ctx_free(lethe_ctx *ctx); /* NULL is allowed */

/* Makes the call that runs under `ctx` end with LETHE_ECANCEL soon.  May be called from a signal
 * handler or another thread. */
void lethe_ctx_cancel(lethe_ctx *ctx);

LETHE_API_END
#endif
