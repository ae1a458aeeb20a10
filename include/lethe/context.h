/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - threads, memory limit, progress, cancellation and messages for the calls of call.h.
 */
#ifndef LETHE_CONTEXT_H
#define LETHE_CONTEXT_H
#include "lethe/base.h"
LETHE_API_BEGIN

/* Pass one to every call of call.h.  A context may be used for several calls, one after another. */
typedef struct lethe_ctx lethe_ctx;

/* Reports progress.  `total` is 0 if it is not known; `phase` is NULL when the work is over. Called
 * from any worker thread, at most a few times per second; calls do not overlap. */
typedef void (*lethe_progress_fn)(void *ctx, const char *phase, uint64_t done, uint64_t total);

/* Zero in a field means its default. */
typedef struct lethe_settings {
    size_t size; /* sizeof(lethe_settings) as the caller knows it; 0: that of the first version, up
                    to `on_report` */
    unsigned n_threads;    /* 0: all cores */
    uint64_t memory_bytes; /* 0: half of the machine's */
    const char *spill_dir; /* for data that exceeds the memory limit; NULL: $TMPDIR, or /tmp */
    /* The folder with WordNet's index.noun, data.noun and noun.exc; NULL: $WNSEARCHDIR, or where
       Debian's wordnet-base puts them. */
    const char *wordnet_dir;
    lethe_message_fn on_message;   /* may be NULL */
    lethe_progress_fn on_progress; /* may be NULL */
    void *user;                    /* passed to both */
    bool details;                  /* messages of severity LETHE_DETAIL are wanted, too */
    lethe_option_style style;      /* of options in messages */
    /* Called by lethe_call() on the caller's thread; all may be NULL.  `on_row`: a row of the
     * report of `publish`, `suggest` or `compare`, as JSON, as soon as it is known; the i-th of n.
     * `on_report`: the report, just before what it is about appears; what it returns other than
     * LETHE_OK ends the call, and nothing appears. */
    void (*on_row)(void *user, const char *row, size_t i, size_t n);
    lethe_err (*on_report)(void *user, const char *report);
} lethe_settings;

/* LETHE_ENOMEM, or LETHE_EIO if the system provides no threads or random numbers.
 * `settings` may be freed afterwards. */
LETHE_MUST_CHECK lethe_err lethe_ctx_new(const lethe_settings *settings, lethe_ctx **out);
void lethe_ctx_free(lethe_ctx *ctx); /* NULL is allowed */

/* The last error that was reported in the last call; NULL: none.  Lives until the next call. */
const lethe_message *lethe_ctx_error(const lethe_ctx *ctx);

/* Makes the call that runs under `ctx` end with LETHE_ECANCEL soon.  May be called from a signal
 * handler or another thread. */
void lethe_ctx_cancel(lethe_ctx *ctx);

LETHE_API_END
#endif
