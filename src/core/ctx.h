/* SPDX-License-Identifier: Apache-2.0 */
/* ctx.h - the context of a run as the library sees it: pool, budget, progress, cancellation. */
#ifndef LETHE_CORE_CTX_H
#define LETHE_CORE_CTX_H
#include "lethe/context.h"
#include "core/diag.h"
#include "core/pool.h"

lethe_diag *lethe_ctx_diag(lethe_ctx *ctx);
const lethe_settings *
lethe_ctx_settings(const lethe_ctx *ctx);    /* its texts are not valid any more */
void lethe_ctx_forget_error(lethe_ctx *ctx); /* of the call before: see lethe_ctx_error() */
lethe_pool *lethe_ctx_pool(lethe_ctx *ctx);
unsigned lethe_ctx_threads(const lethe_ctx *ctx);
uint64_t lethe_ctx_memory(const lethe_ctx *ctx);
bool lethe_ctx_memory_given(const lethe_ctx *ctx); /* else it is half of the machine's */
bool lethe_ctx_details(const lethe_ctx *ctx);      /* are they wanted?  See lethe_detail() */
/* Does the work at hand decide by English words (WordNet's)?  Set by who loads them. */
bool lethe_ctx_english(const lethe_ctx *ctx);
void lethe_ctx_set_english(lethe_ctx *ctx, bool english);
const char *lethe_ctx_spill_dir(const lethe_ctx *ctx);   /* never NULL */
const char *lethe_ctx_wordnet_dir(const lethe_ctx *ctx); /* NULL: none was set */
/* Later spill files go there; the string is copied. */
LETHE_MUST_CHECK lethe_err lethe_ctx_set_spill_dir(lethe_ctx *ctx, const char *dir);

/* Is the work to end, with LETHE_ECANCEL?  Cheap: a few relaxed loads, and with a time limit a look
 * at the clock. */
bool lethe_ctx_cancelled(const lethe_ctx *ctx);

/* Bounds of a check.  One that is met ends work as cancelling does, and is told apart from it here:
 * the answer is then "not decided". */
typedef enum lethe_bound { LETHE_BOUND_NONE, LETHE_BOUND_TIME, LETHE_BOUND_MEMORY } lethe_bound;
/* Forgets a bound that was met; lethe_ctx_cancelled() is true `seconds` from now on.  0: no limit.
 * Not while workers run. */
void lethe_ctx_limit_time(lethe_ctx *ctx, double seconds);
/* LETHE_ECANCEL: the work needs more than lethe_ctx_memory(), and all workers are to stop. */
void lethe_ctx_set_over_memory(lethe_ctx *ctx);
LETHE_MUST_CHECK static inline lethe_err lethe_ctx_over_memory(lethe_ctx *ctx)
{
    lethe_ctx_set_over_memory(ctx);
    return LETHE_ECANCEL;
}
/* The bound that ended work with LETHE_ECANCEL; NONE: none, it was cancelled. */
lethe_bound lethe_ctx_bound_met(const lethe_ctx *ctx);
/* In words, for a report: "not decided within the time limit of 10 s". */
enum { LETHE_BOUND_TEXT = 80 };
void lethe_ctx_bound_text(const lethe_ctx *ctx, char out[LETHE_BOUND_TEXT]);
/* Other work may begin, that may need less; the time limit stays. */
void lethe_ctx_forget_memory(lethe_ctx *ctx);

/* Where messages go, of a context or of a lethe_diag itself (NULL: nowhere). */
static inline lethe_diag *lethe_diag_itself(lethe_diag *d) { return d; }
#define LETHE_DIAG(x) _Generic((x), lethe_ctx * : lethe_ctx_diag, default : lethe_diag_itself)(x)
#ifndef __clang_analyzer__
#define lethe_fail(x, ...) (lethe_fail)(LETHE_DIAG(x), __VA_ARGS__)
#define lethe_fail_at(x, ...) (lethe_fail_at)(LETHE_DIAG(x), __VA_ARGS__)
#else /* which looks into one file, and must be told that both return the error they are given */
static inline lethe_err lethe_second(lethe_err reported, lethe_err e)
{
    (void)reported;
    return e;
}
#define lethe_fail(x, e, ...) lethe_second((lethe_fail)(LETHE_DIAG(x), e, __VA_ARGS__), e)
#define lethe_fail_at(x, e, ...) lethe_second((lethe_fail_at)(LETHE_DIAG(x), e, __VA_ARGS__), e)
#endif
#define lethe_warn(x, ...) (lethe_warn)(LETHE_DIAG(x), __VA_ARGS__)
#define lethe_note(x, ...) (lethe_note)(LETHE_DIAG(x), __VA_ARGS__)
/* What comes back is spelled out for analysers. */
static inline lethe_err lethe_no_memory_in(lethe_diag *d)
{
    (void)(lethe_no_memory)(d);
    return LETHE_ENOMEM;
}
#define lethe_no_memory(x) lethe_no_memory_in(LETHE_DIAG(x))

/* Begins a phase of `total` units (0: not known), and moves it on.  Cheap enough for every block.
 * A phase begun again continues where it stopped; NULL ends the last one.  The name is copied. */
void lethe_ctx_phase(lethe_ctx *ctx, const char *phase, uint64_t total);
void lethe_ctx_advance(lethe_ctx *ctx, uint64_t units);
/* Begins one part of a longer run: progress now shows `name` and how many parts of `total` are
 * done; phases are timed as before. NULL: ends it. Not while workers run. */
void lethe_ctx_part(lethe_ctx *ctx, const char *name, uint64_t done, uint64_t total);

/* Seconds of wall clock spent in each phase so far, for the report. */
size_t lethe_ctx_phase_count(const lethe_ctx *ctx);
void lethe_ctx_phase_at(const lethe_ctx *ctx, size_t i, const char **name, double *seconds);

#endif
