/* context.h - what a long piece of work needs besides its data: threads, memory, a way to say how
 * far it is, a way to be stopped, a place for messages. */
#ifndef LETHE_CONTEXT_H
#define LETHE_CONTEXT_H
#include "lethe/base.h"
LETHE_API_BEGIN

typedef struct lethe_ctx lethe_ctx;

/* How far a phase is.  `total` is 0 where it is not known; `phase` is NULL when the work is over.
 * Called from any worker, at most a few times a second, never twice at once. */
typedef void (*lethe_progress_fn)(void *ctx, const char *phase, uint64_t done, uint64_t total);

typedef struct lethe_settings {
    unsigned n_threads;    /* 0: all cores */
    uint64_t memory_bytes; /* 0: half the machine's */
    const char *spill_dir; /* for files that hold what memory cannot; NULL: $TMPDIR, or /tmp */
    lethe_message_fn on_message; /* may be NULL */
    lethe_progress_fn on_progress;
    void *user; /* handed to both */
} lethe_settings;

LETHE_MUST_CHECK lethe_err lethe_ctx_new(const lethe_settings *settings, lethe_ctx **out);
void lethe_ctx_free(lethe_ctx *ctx);

/* Asks all work under `ctx` to end with LETHE_ECANCEL.  Safe in a signal handler. */
void lethe_ctx_cancel(lethe_ctx *ctx);

LETHE_API_END
#endif
