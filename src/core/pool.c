/* SPDX-License-Identifier: Apache-2.0 */
/* A thread pool that runs one loop at a time.  Workers take items in rising order; of several
 * failures the lowest item's is returned. */
#include "core/ctx.h"
#include "core/mem.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* One loop at a time.  All but the atomics is read and written under the pool's lock. */
typedef struct loop {
    lethe_ctx *ctx;
    lethe_work_fn fn;
    void *arg;
    size_t n;
    _Atomic size_t next;   /* the first item nobody has taken */
    _Atomic size_t failed; /* the lowest item that failed; SIZE_MAX: none */
    lethe_err err;         /* its error */
} loop;

typedef struct worker {
    lethe_pool *pool;
    pthread_t thread;
    unsigned w;
} worker;

struct lethe_pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a loop was opened, or the end has come */
    pthread_cond_t idle; /* the last worker has left the loop */
    loop *open;          /* what workers may join; NULL: nothing */
    uint64_t n_loops;    /* so that nobody joins a loop twice */
    unsigned n_inside;   /* workers in a loop, the caller not counted */
    bool busy, quit;
    unsigned n_threads; /* the caller's counted */
    worker workers[];   /* n_threads - 1 */
};

/* Items are taken in rising order: when i is taken, all below it have been taken too, and whoever
 * took one runs it unless a lower one has failed.  So the lowest failure is found for certain. */
static void loop_run(lethe_pool *p, loop *l, unsigned w)
{
    while (!lethe_ctx_cancelled(l->ctx)) {
        size_t i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
        if (i >= l->n || i > atomic_load_explicit(&l->failed, memory_order_relaxed)) return;
        lethe_err e = l->fn(l->arg, i, w);
        if (e == LETHE_OK) continue;
        pthread_mutex_lock(&p->lock);
        if (i < atomic_load_explicit(&l->failed, memory_order_relaxed)) {
            atomic_store_explicit(&l->failed, i, memory_order_relaxed);
            l->err = e;
        }
        pthread_mutex_unlock(&p->lock);
        return; // all that is left lies above i
    }
}

static void *worker_main(void *arg)
{
    worker *me = arg;
    lethe_pool *p = me->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->quit && (!p->open || p->n_loops == seen))
            pthread_cond_wait(&p->work, &p->lock);
        if (p->quit) break;
        seen = p->n_loops;
        loop *l = p->open;
        p->n_inside++;
        pthread_mutex_unlock(&p->lock);
        loop_run(p, l, me->w);
        pthread_mutex_lock(&p->lock);
        if (--p->n_inside == 0) pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

lethe_err lethe_pool_new(unsigned n_threads, lethe_pool **out)
{
    assert(n_threads > 0);
    lethe_pool *p = lethe_alloc_zero(1, sizeof *p + (n_threads - 1) * sizeof(worker));
    if (!p) return LETHE_ENOMEM;
    p->n_threads = 1;
    // glibc's cannot fail with default attributes
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    sigset_t old;
    // Signals from outside are for the program's own threads; those that a fault of ours raises
    // must stay open, or the system would end the process without a word.
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < LETHE_COUNT(faults); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (p->n_threads < n_threads) {
        worker *me = &p->workers[p->n_threads - 1];
        *me = (worker){.pool = p, .w = p->n_threads};
        if (pthread_create(&me->thread, NULL, worker_main, me) != 0) break;
        p->n_threads++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    *out = p;
    return LETHE_OK;
}

void lethe_pool_free(lethe_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i + 1 < p->n_threads; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    lethe_free(p);
}

unsigned lethe_pool_threads(const lethe_pool *p) { return p->n_threads; }

lethe_err lethe_pool_for(lethe_ctx *ctx, size_t n, lethe_work_fn fn, void *arg)
{
    lethe_pool *p = lethe_ctx_pool(ctx);
    loop l = {.ctx = ctx, .fn = fn, .arg = arg, .n = n, .err = LETHE_OK};
    atomic_init(&l.next, 0);
    atomic_init(&l.failed, SIZE_MAX);
    pthread_mutex_lock(&p->lock);
    assert(!p->busy); // a loop inside a loop, or two callers at once
    p->busy = true;
    if (l.n > 1 && p->n_threads > 1) {
        p->open = &l;
        p->n_loops++;
        pthread_cond_broadcast(&p->work);
    }
    pthread_mutex_unlock(&p->lock);
    loop_run(p, &l, 0);
    // A worker that has not woken up by now finds nothing to join.
    pthread_mutex_lock(&p->lock);
    p->open = NULL;
    while (p->n_inside > 0)
        pthread_cond_wait(&p->idle, &p->lock);
    p->busy = false;
    pthread_mutex_unlock(&p->lock);
    return lethe_ctx_cancelled(ctx) ? LETHE_ECANCEL : l.err;
}
