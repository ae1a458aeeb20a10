/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a run: its thread pool, memory budget, phases with their times, progress and
 * cancellation. */
#include "core/ctx.h"
#include "core/machine.h"
#include "core/mem.h"
#include "core/message.h"
#include "core/need.h"
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    MAX_PHASES = 64,
    MAX_NAME = 48,
    MAX_PART = 96,
    MAX_THREADS = 1024,
    REPORT_EVERY_NS = 200000000,
};
static const uint64_t least_memory = UINT64_C(16) << 20;

typedef struct phase {
    char name[MAX_NAME];
    int64_t spent_ns;
} phase;

/* Phases are few and named by the program: a fixed table, so that beginning one cannot fail. */
typedef struct phases {
    pthread_mutex_t lock;
    phase at[MAX_PHASES];
    size_t n;
    size_t current; /* n or more: none */
    int64_t since_ns;
    uint64_t total;
    char part[MAX_PART]; /* of a longer work; empty: there is none */
    uint64_t parts_done, parts_total;
} phases;

struct lethe_ctx {
    lethe_diag *diag;
    lethe_pool *pool;
    uint64_t memory;
    bool memory_given, details;
    lethe_work work;
    atomic_bool english;            /* see lethe_ctx_english() */
    atomic_bool refused;            /* was the work at hand found too large? */
    _Atomic uint64_t greatest_need; /* that it had so far */
    char *spill_dir, *wordnet_dir;
    lethe_settings settings; /* as far as it knows them; its strings are not ours */
    lethe_kept_message *last_error;
    lethe_progress_fn on_progress;
    void *user;
    atomic_bool cancelled;
    atomic_bool over_memory;
    _Atomic int64_t deadline_ns; /* 0: none */
    double limit_s;              /* that it was set with */
    phases *phases;              /* apart, so that reading from a const context may lock them */
    _Atomic uint64_t done;
    _Atomic int64_t report_at_ns;
    atomic_flag reporting;
};

/* --- the clock --- */

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- making and freeing --- */

static phases *phases_new(void)
{
    phases *p = lethe_alloc_zero(1, sizeof *p);
    if (!p) return NULL;
    p->current = MAX_PHASES;
    if (pthread_mutex_init(&p->lock, NULL) == 0) return p;
    lethe_free(p);
    return NULL;
}

/* All messages of the context come by here, even those that were held back for a while. */
static void message_pass(void *arg, const lethe_message *m)
{
    char text[LETHE_MESSAGE_BYTES], option[LETHE_OPTION_BYTES];
    lethe_ctx *ctx = arg;
    lethe_message shown = *m;
    lethe_diag_inputs inputs = lethe_diag_inputs_of(ctx->diag);
    if (inputs.at) inputs.place(inputs.at, &shown);
    lethe_message_options(m->text, ctx->settings.style, text, option);
    shown.text = text;
    shown.option = option[0] ? option : NULL;
    if (m->severity == LETHE_ERROR) lethe_message_keep(ctx->last_error, &shown);
    if (ctx->settings.on_message) ctx->settings.on_message(ctx->user, &shown);
}

static lethe_err path_set(char **path, const char *to)
{
    size_t n = strlen(to) + 1;
    char *copy = lethe_alloc(n, 1);
    if (!copy) return LETHE_ENOMEM;
    memcpy(copy, to, n);
    lethe_free(*path);
    *path = copy;
    return LETHE_OK;
}

lethe_err lethe_ctx_set_spill_dir(lethe_ctx *ctx, const char *dir)
{
    return path_set(&ctx->spill_dir, dir);
}

static lethe_err ctx_fill(lethe_ctx *ctx, const lethe_settings *settings)
{
    unsigned n = settings->n_threads ? settings->n_threads : lethe_machine_threads();
    ctx->memory = settings->memory_bytes ? settings->memory_bytes
                                         : LETHE_MAX(lethe_machine_memory() / 2, least_memory);
    ctx->memory_given = settings->memory_bytes != 0;
    ctx->details = settings->details;
    ctx->on_progress = settings->on_progress;
    ctx->user = settings->user;
    ctx->settings = *settings;
    ctx->last_error = lethe_alloc_zero(1, sizeof *ctx->last_error);
    ctx->diag = lethe_diag_new(message_pass, ctx);
    ctx->phases = phases_new();
    if (!ctx->last_error || !ctx->diag || !ctx->phases) return LETHE_ENOMEM;
    const char *tmp = getenv("TMPDIR"), *dir = settings->spill_dir;
    LETHE_TRY(lethe_ctx_set_spill_dir(ctx, dir ? dir : tmp && *tmp ? tmp : "/tmp"));
    if (settings->wordnet_dir) LETHE_TRY(path_set(&ctx->wordnet_dir, settings->wordnet_dir));
    if (sodium_init() < 0)
        return lethe_fail(ctx->diag, LETHE_EIO, "cannot get random numbers from the system");
    return lethe_pool_new(LETHE_MIN(n, MAX_THREADS), &ctx->pool);
}

/* What a caller has who gives no size. */
#define LETHE_SETTINGS_FIRST (offsetof(lethe_settings, on_report) + sizeof(lethe_err(*)(void)))

lethe_err lethe_ctx_new(const lethe_settings *settings, lethe_ctx **out)
{
    lethe_settings known = {0};
    size_t size = settings && settings->size ? settings->size : LETHE_SETTINGS_FIRST;
    if (settings) memcpy(&known, settings, LETHE_MIN(size, sizeof known));
    lethe_ctx *ctx = lethe_alloc(1, sizeof *ctx);
    if (!ctx) return LETHE_ENOMEM;
    *ctx = (lethe_ctx){.reporting = ATOMIC_FLAG_INIT};
    atomic_init(&ctx->cancelled, false);
    atomic_init(&ctx->over_memory, false);
    atomic_init(&ctx->refused, false);
    atomic_init(&ctx->greatest_need, 0);
    atomic_init(&ctx->deadline_ns, 0);
    atomic_init(&ctx->done, 0);
    atomic_init(&ctx->report_at_ns, 0);
    lethe_err e = ctx_fill(ctx, &known);
    if (e == LETHE_OK)
        *out = ctx;
    else
        lethe_ctx_free(ctx);
    return e;
}

void lethe_ctx_free(lethe_ctx *ctx)
{
    if (!ctx) return;
    lethe_pool_free(ctx->pool);
    if (ctx->phases) pthread_mutex_destroy(&ctx->phases->lock);
    lethe_free_all(ctx->phases, ctx->spill_dir, ctx->wordnet_dir, ctx->last_error);
    lethe_diag_free(ctx->diag);
    lethe_free(ctx);
}

/* --- what it holds --- */

const lethe_settings *lethe_ctx_settings(const lethe_ctx *ctx) { return &ctx->settings; }

const lethe_message *lethe_ctx_error(const lethe_ctx *ctx)
{
    return ctx->last_error->message.size ? &ctx->last_error->message : NULL;
}

void lethe_ctx_forget_error(lethe_ctx *ctx) { ctx->last_error->message.size = 0; }

lethe_diag *lethe_ctx_diag(lethe_ctx *ctx) { return ctx->diag; }
lethe_pool *lethe_ctx_pool(lethe_ctx *ctx) { return ctx->pool; }
unsigned lethe_ctx_threads(const lethe_ctx *ctx) { return lethe_pool_threads(ctx->pool); }
uint64_t lethe_ctx_memory(const lethe_ctx *ctx) { return ctx->memory; }
bool lethe_ctx_memory_given(const lethe_ctx *ctx) { return ctx->memory_given; }
bool lethe_ctx_details(const lethe_ctx *ctx) { return ctx->details; }
bool lethe_ctx_english(const lethe_ctx *ctx) { return ctx->english; }
void lethe_ctx_set_english(lethe_ctx *ctx, bool english) { ctx->english = english; }
lethe_work *lethe_ctx_work(lethe_ctx *ctx) { return &ctx->work; }
bool lethe_ctx_refuses_first(lethe_ctx *ctx) { return !atomic_exchange(&ctx->refused, true); }
void lethe_ctx_needs_none(lethe_ctx *ctx)
{
    atomic_store(&ctx->refused, false);
    atomic_store(&ctx->greatest_need, 0);
}

uint64_t lethe_ctx_greatest_need(lethe_ctx *ctx, uint64_t bytes)
{
    uint64_t before = atomic_load(&ctx->greatest_need);
    while (before < bytes)
        if (atomic_compare_exchange_weak(&ctx->greatest_need, &before, bytes)) return bytes;
    return before;
}
const char *lethe_ctx_spill_dir(const lethe_ctx *ctx) { return ctx->spill_dir; }
const char *lethe_ctx_wordnet_dir(const lethe_ctx *ctx) { return ctx->wordnet_dir; }

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may only store lock-free");

void lethe_ctx_cancel(lethe_ctx *ctx)
{
    atomic_store_explicit(&ctx->cancelled, true, memory_order_relaxed);
}

static bool is_late(const lethe_ctx *ctx)
{
    int64_t deadline = atomic_load_explicit(&ctx->deadline_ns, memory_order_relaxed);
    return deadline && clock_ns(CLOCK_MONOTONIC_COARSE) >= deadline; // no system call
}

bool lethe_ctx_cancelled(const lethe_ctx *ctx)
{
    return atomic_load_explicit(&ctx->cancelled, memory_order_relaxed) ||
           atomic_load_explicit(&ctx->over_memory, memory_order_relaxed) || is_late(ctx);
}

/* --- bounds --- */

void lethe_ctx_limit_time(lethe_ctx *ctx, double seconds)
{
    int64_t deadline = 0;
    // a limit of centuries is none
    if (seconds > 0 && seconds < 4e9)
        deadline = clock_ns(CLOCK_MONOTONIC_COARSE) + (int64_t)(seconds * 1e9);
    atomic_store_explicit(&ctx->deadline_ns, deadline, memory_order_relaxed);
    ctx->limit_s = seconds;
    lethe_ctx_forget_memory(ctx);
}

void lethe_ctx_set_over_memory(lethe_ctx *ctx)
{
    atomic_store_explicit(&ctx->over_memory, true, memory_order_relaxed);
}

void lethe_ctx_forget_memory(lethe_ctx *ctx)
{
    atomic_store_explicit(&ctx->over_memory, false, memory_order_relaxed);
}

lethe_bound lethe_ctx_bound_met(const lethe_ctx *ctx)
{
    if (atomic_load_explicit(&ctx->cancelled, memory_order_relaxed)) return LETHE_BOUND_NONE;
    if (atomic_load_explicit(&ctx->over_memory, memory_order_relaxed)) return LETHE_BOUND_MEMORY;
    return is_late(ctx) ? LETHE_BOUND_TIME : LETHE_BOUND_NONE;
}

void lethe_ctx_bound_text(const lethe_ctx *ctx, char out[LETHE_BOUND_TEXT])
{
    if (lethe_ctx_bound_met(ctx) == LETHE_BOUND_MEMORY)
        snprintf(out, LETHE_BOUND_TEXT, "not decided within the memory limit of %llu MiB",
                 (unsigned long long)(ctx->memory >> 20));
    else
        snprintf(out, LETHE_BOUND_TEXT, "not decided within the time limit of %g s", ctx->limit_s);
}

/* --- phases and progress --- */

/* The place of `name` in the table, a new one if need be; once full, the last takes all. */
static size_t phase_place(phases *p, const char *name)
{
    char cut[MAX_NAME] = {0};
    memcpy(cut, name, strnlen(name, MAX_NAME - 1));
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->at[i].name, cut) == 0) return i;
    if (p->n == MAX_PHASES) return MAX_PHASES - 1;
    memcpy(p->at[p->n].name, cut, sizeof cut);
    return p->n++;
}

/* Hands on how far things are, unless another worker is just doing so. */
static void report(lethe_ctx *ctx, int64_t now_ns)
{
    if (atomic_flag_test_and_set_explicit(&ctx->reporting, memory_order_acquire)) return;
    atomic_store_explicit(&ctx->report_at_ns, now_ns + REPORT_EVERY_NS, memory_order_relaxed);
    phases *p = ctx->phases;
    pthread_mutex_lock(&p->lock);
    bool in_part = p->part[0];
    const char *name = in_part ? p->part : p->current < p->n ? p->at[p->current].name : NULL;
    uint64_t total = in_part ? p->parts_total : p->total;
    uint64_t done =
        in_part ? p->parts_done : atomic_load_explicit(&ctx->done, memory_order_relaxed);
    pthread_mutex_unlock(&p->lock);
    if (name) ctx->on_progress(ctx->user, name, done, total);
    atomic_flag_clear_explicit(&ctx->reporting, memory_order_release);
}

static void report_if_due(lethe_ctx *ctx)
{
    if (!ctx->on_progress) return;
    int64_t now = clock_ns(CLOCK_MONOTONIC_COARSE); // a few nanoseconds, no system call
    if (now >= atomic_load_explicit(&ctx->report_at_ns, memory_order_relaxed)) report(ctx, now);
}

void lethe_ctx_phase(lethe_ctx *ctx, const char *name, uint64_t total)
{
    phases *p = ctx->phases;
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    pthread_mutex_lock(&p->lock);
    if (p->current < p->n) p->at[p->current].spent_ns += now - p->since_ns;
    p->current = name ? phase_place(p, name) : MAX_PHASES;
    p->since_ns = now;
    p->total = total;
    bool in_part = p->part[0];
    atomic_store_explicit(&ctx->done, 0, memory_order_relaxed);
    pthread_mutex_unlock(&p->lock);
    if (name || in_part)
        report_if_due(ctx);
    else if (ctx->on_progress &&
             !atomic_flag_test_and_set_explicit(&ctx->reporting, memory_order_acquire)) {
        ctx->on_progress(ctx->user, NULL, 0, 0);
        atomic_flag_clear_explicit(&ctx->reporting, memory_order_release);
    }
}

void lethe_ctx_part(lethe_ctx *ctx, const char *name, uint64_t done, uint64_t total)
{
    phases *p = ctx->phases;
    pthread_mutex_lock(&p->lock);
    memset(p->part, 0, sizeof p->part);
    if (name) memcpy(p->part, name, strnlen(name, MAX_PART - 1));
    p->parts_done = done;
    p->parts_total = total;
    pthread_mutex_unlock(&p->lock);
    if (name) report_if_due(ctx);
}

void lethe_ctx_advance(lethe_ctx *ctx, uint64_t units)
{
    atomic_fetch_add_explicit(&ctx->done, units, memory_order_relaxed);
    report_if_due(ctx);
}

size_t lethe_ctx_phase_count(const lethe_ctx *ctx)
{
    phases *p = ctx->phases;
    pthread_mutex_lock(&p->lock);
    size_t n = p->n;
    pthread_mutex_unlock(&p->lock);
    return n;
}

void lethe_ctx_phase_at(const lethe_ctx *ctx, size_t i, const char **name, double *seconds)
{
    phases *p = ctx->phases;
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    pthread_mutex_lock(&p->lock);
    assert(i < p->n);
    int64_t ns = p->at[i].spent_ns + (i == p->current ? now - p->since_ns : 0);
    pthread_mutex_unlock(&p->lock);
    *name = p->at[i].name; // written once, before its number was known to anybody
    *seconds = (double)ns / 1e9;
}
