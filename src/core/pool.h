/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - the thread pool of a context. */
#ifndef LETHE_CORE_POOL_H
#define LETHE_CORE_POOL_H
#include "lethe/context.h"
#include "core/base.h"

typedef struct lethe_pool lethe_pool;

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
