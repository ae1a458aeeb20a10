/* SPDX-License-Identifier: Apache-2.0 */
/* release_fakes.h - methods that no table holds: they lie, lose rows, rename users, fail, or are
 * stopped. */
#ifndef LETHE_TESTS_RELEASE_FAKES_H
#define LETHE_TESTS_RELEASE_FAKES_H
#include "release/release.h"
#include "release_harness.h"

static const lethe_option options[] = {
    {.name = "t",
     .letter = 't',
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1",
     .min = 1,
     .max = 1e6,
     .help = "what is claimed"},
    {.name = "at",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "-1",
     .help = "which row something happens to"},
    {0},
};

typedef struct faker {
    lethe_run *run;
    lethe_result *out;
    lethe_err (*row)(struct faker *f, unsigned w, const lethe_row *row);
    uint64_t at, seen;
} faker;

static void claim_threshold(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_json_set(doc, c, "notion", lethe_json_new_text(doc, LETHE_LIT("query-threshold")));
    lethe_json_set(doc, c, "t", lethe_json_new_int(doc, lethe_count_of(v, "t")));
    lethe_json_set(doc, c, "by", lethe_json_new_text(doc, LETHE_LIT("users")));
    lethe_json_push(doc, claims, c);
}

static void claim_nothing(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims)
{
    (void)v, (void)doc, (void)claims;
}

static void claim_nonsense(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims)
{
    lethe_json *c = lethe_json_object(doc);
    (void)v;
    lethe_json_set(doc, c, "notion", lethe_json_new_text(doc, LETHE_LIT("perfect-safety")));
    lethe_json_push(doc, claims, c);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    return ((faker *)arg)->row(arg, w, row);
}

static lethe_err fake(lethe_run *run, const lethe_data *in, lethe_result *out,
                      lethe_err (*row)(faker *, unsigned, const lethe_row *))
{
    faker f = {
        .run = run, .out = out, .row = row, .at = (uint64_t)lethe_count_of(run->values, "at")};
    return lethe_log_walk(run->ctx, in->log, &(lethe_row_visitor){.row = on_row, .arg = &f});
}

static lethe_err pass_row(faker *f, unsigned w, const lethe_row *row)
{
    return f->out->emit(f->out, w, row);
}
static lethe_err lose_row(faker *f, unsigned w, const lethe_row *row)
{
    return row->origin == f->at ? LETHE_OK : f->out->emit(f->out, w, row);
}
static lethe_err double_row(faker *f, unsigned w, const lethe_row *row)
{
    LETHE_TRY(f->out->emit(f->out, w, row));
    return row->origin == f->at ? f->out->emit(f->out, w, row) : LETHE_OK;
}
static lethe_err drop_row(faker *f, unsigned w, const lethe_row *row)
{
    if (row->origin != f->at) return f->out->emit(f->out, w, row);
    f->out->drop(f->out, w, "the one to drop", 1);
    return LETHE_OK;
}
static lethe_err drop_all(faker *f, unsigned w, const lethe_row *row)
{
    (void)row;
    f->out->drop(f->out, w, "all", 1);
    return LETHE_OK;
}
static lethe_err fail_row(faker *f, unsigned w, const lethe_row *row)
{
    return row->origin == f->at ? LETHE_EIO : f->out->emit(f->out, w, row);
}
static lethe_err cancel_row(faker *f, unsigned w, const lethe_row *row)
{
    if (row->origin == f->at) lethe_ctx_cancel(f->run->ctx);
    return f->out->emit(f->out, w, row);
}
/* Somebody else makes what should be the target, while we are at work. */
static const char *appearing;
static lethe_err appear_row(faker *f, unsigned w, const lethe_row *row)
{
    if (row->origin == f->at && mkdir(appearing, 0700) != 0) return LETHE_EIO;
    return f->out->emit(f->out, w, row);
}
/* A new persona for each row: the bytes show many users where there is one person. */
static lethe_err rename_row(faker *f, unsigned w, const lethe_row *row)
{
    char name[64];
    lethe_row renamed = *row;
    int n = snprintf(name, sizeof name, "p%llu", (unsigned long long)row->origin);
    renamed.user = (lethe_str){name, (size_t)n};
    return f->out->emit(f->out, w, &renamed);
}
/* A tab inside a query would shift the columns of the published file. */
static lethe_err spoil_row(faker *f, unsigned w, const lethe_row *row)
{
    lethe_row spoilt = *row;
    spoilt.query = LETHE_LIT("two\tcolumns");
    return f->out->emit(f->out, w, &spoilt);
}

/* Draws: what it publishes are other rows than it was given, twice as many as stand behind them;
 * the first `at` are left out. */
static lethe_err sample_row(faker *f, unsigned w, const lethe_row *row)
{
    if (row->origin < f->at) {
        f->out->drop(f->out, w, "not drawn", 1);
        return LETHE_OK;
    }
    f->out->keep(f->out, w, 1);
    LETHE_TRY(f->out->emit(f->out, w, row));
    return f->out->emit(f->out, w, row);
}
/* Publishes all, and forgets to say what became of row `at`. */
static lethe_err forget_row(faker *f, unsigned w, const lethe_row *row)
{
    if (row->origin != f->at) f->out->keep(f->out, w, 1);
    return f->out->emit(f->out, w, row);
}
/* Says of row `at` that it was kept, and dropped too. */
static lethe_err recount_row(faker *f, unsigned w, const lethe_row *row)
{
    if (row->origin == f->at) f->out->drop(f->out, w, "not drawn", 1);
    f->out->keep(f->out, w, 1);
    return f->out->emit(f->out, w, row);
}
/* Says that all was kept, and publishes nothing. */
static lethe_err pretend_row(faker *f, unsigned w, const lethe_row *row)
{
    (void)row;
    f->out->keep(f->out, w, 1);
    return LETHE_OK;
}

#define RUN(name)                                                                                  \
    static lethe_err run_##name(lethe_run *run, const lethe_data *in, lethe_result *out)           \
    {                                                                                              \
        return fake(run, in, out, name##_row);                                                     \
    }
RUN(pass)
RUN(lose)
RUN(double)
RUN(drop)
RUN(fail)
RUN(cancel)
RUN(rename)
RUN(spoil)
RUN(appear)
RUN(sample)
RUN(forget)
RUN(recount)
RUN(pretend)
static lethe_err run_drop_all(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    return fake(run, in, out, drop_all);
}

#define METHOD(what, run_fn, claims_fn, ...)                                                       \
    static const lethe_method what = {.name = #what,                                               \
                                      .in = LETHE_SHAPE_LOG,                                       \
                                      .out = LETHE_SHAPE_LOG,                                      \
                                      .options = options,                                          \
                                      .notion = "query-threshold",                                 \
                                      .claims = claims_fn,                                         \
                                      .run = run_fn,                                               \
                                      __VA_ARGS__}
/* Passes all, and adds a caveat on the way. */
static lethe_err run_warn(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    lethe_json_push(out->doc, out->caveats,
                    lethe_json_new_text(out->doc, LETHE_LIT("Found on the way.")));
    return fake(run, in, out, pass_row);
}

static const char *const one_caveat[] = {"This method is a test.", NULL};
METHOD(passer, run_pass, claim_threshold, .caveats = one_caveat);
static const char *const one_found[] = {"Found on the way.", NULL};
METHOD(warner, run_warn, claim_threshold, .caveats = NULL, .found = one_found);
METHOD(surprise, run_warn, claim_threshold, .caveats = one_found);
METHOD(loser, run_lose, claim_threshold, .caveats = NULL);
METHOD(doubler, run_double, claim_threshold, .caveats = NULL);
METHOD(dropper, run_drop, claim_threshold, .caveats = NULL);
METHOD(nothing_left, run_drop_all, claim_threshold, .caveats = NULL);
METHOD(failer, run_fail, claim_threshold, .caveats = NULL);
METHOD(canceller, run_cancel, claim_threshold, .caveats = NULL);
METHOD(spoiler, run_spoil, claim_threshold, .caveats = NULL);
METHOD(apparition, run_appear, claim_threshold, .caveats = NULL);
METHOD(silent, run_pass, claim_nothing, .caveats = NULL);
METHOD(boaster, run_pass, claim_nonsense, .caveats = NULL);
METHOD(renamer, run_rename, claim_threshold, .renames = true, .caveats = NULL);
METHOD(secret_renamer, run_rename, claim_nothing, .renames = true, .caveats = NULL);
METHOD(sampler, run_sample, claim_threshold, .samples = true, .caveats = NULL);
METHOD(forgetter, run_forget, claim_threshold, .samples = true, .caveats = NULL);
METHOD(recounter, run_recount, claim_threshold, .samples = true, .caveats = NULL);
METHOD(pretender, run_pretend, claim_threshold, .samples = true, .caveats = NULL);
static const lethe_method records_only = {.name = "records_only",
                                          .in = LETHE_SHAPE_RECORDS,
                                          .out = LETHE_SHAPE_RECORDS,
                                          .options = options,
                                          .claims = claim_threshold,
                                          .run = run_pass};

static lethe_err refuse_all(const lethe_values *v, lethe_diag *d)
{
    (void)v;
    return lethe_fail(d, LETHE_EUSAGE, "these options do not go together");
}
METHOD(validated, run_pass, claim_threshold, .caveats = NULL, .validate = refuse_all);

/* Row by row: users get an `x` in front, the row `at` is dropped, and one in state tells who was
 * freed. */
typedef struct rows_state {
    uint64_t at;
    char (*names)[80]; /* one a worker */
} rows_state;
static int rows_alive; /* begun and not yet freed */

static lethe_err rows_begin(lethe_run *run, void **state)
{
    rows_state *s = calloc(1, sizeof *s);
    s->at = (uint64_t)lethe_count_of(run->values, "at");
    s->names = calloc(lethe_ctx_threads(run->ctx), sizeof *s->names);
    rows_alive++;
    *state = s;
    return LETHE_OK;
}
static lethe_err rows_row(void *state, unsigned w, lethe_row *row, const char **dropped)
{
    rows_state *s = state;
    if (row->origin == s->at) *dropped = "the one to drop";
    int n = snprintf(s->names[w], sizeof s->names[w], "x%.*s", (int)row->user.n, row->user.at);
    row->user = (lethe_str){s->names[w], (size_t)n};
    return LETHE_OK;
}
static lethe_err rows_end(void *state, lethe_result *out)
{
    (void)state;
    lethe_json_set(out->doc, out->metrics, "ended", lethe_json_new_bool(out->doc, true));
    return LETHE_OK;
}
static void rows_free(void *state)
{
    free(((rows_state *)state)->names);
    free(state);
    rows_alive--;
}
static const lethe_row_method by_row = {rows_begin, rows_row, rows_end, rows_free};
METHOD(rower, NULL, claim_threshold, .renames = true, .rows = &by_row);

#endif
