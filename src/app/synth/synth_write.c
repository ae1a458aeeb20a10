/* SPDX-License-Identifier: Apache-2.0 */
/* synth_write.c - an invented log, and who was planted in it, as files. */
#include "app/synth/synth.h"
#include "release/release.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is opened on the way. */
struct targets {
    lethe_synth_sinks to;
    lethe_secret *random;
    lethe_wordnet *wn;
};

/* The folder that a path lies in, without links; NULL: there is none, or no memory. */
static char *folder_of(const char *path)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0; // "/" stays "/"
    if (n >= sizeof parent) return NULL;
    memcpy(parent, path, n);
    memcpy(parent + n, ".", 2);
    return realpath(parent, NULL);
}

/* One file for two: with --force the second would silently replace the first. */
static bool same_target(const char *a, const char *b)
{
    if (!a || !b || strcmp(a, "-") == 0) return false;
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    if (strcmp(x ? x + 1 : a, y ? y + 1 : b) != 0) return false;
    char *in_a = folder_of(a), *in_b = folder_of(b);
    bool same = in_a && in_b && strcmp(in_a, in_b) == 0;
    free(in_a);
    free(in_b);
    return same;
}

static lethe_err options_check(lethe_diag *d, const lethe_synth_options *s)
{
    if (s->users == 0 || !(s->queries_per_user >= 1 && s->queries_per_user <= LETHE_QUERIES_MAX))
        return lethe_fail(d, LETHE_EUSAGE,
                          "a log needs at least one user, and at least one query per user");
    if (s->users > SIZE_MAX / 2)
        return lethe_fail(d, LETHE_EUSAGE, "too many users: the limit is %zu", SIZE_MAX / 2);
    if (s->version > 2)
        return lethe_fail(d, LETHE_EUSAGE, "there is no version %u of the generator", s->version);
    if (s->version == 1 && s->results)
        return lethe_fail(d, LETHE_EUSAGE, "version 1 of the generator has no results");
    if (s->truth && strcmp(s->truth, "-") == 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "the truth cannot be written to standard output: name a file");
    if (s->results && strcmp(s->results, "-") == 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "the results cannot be written to standard output: name a file");
    if (same_target(s->out, s->truth))
        return lethe_fail(d, LETHE_EUSAGE, "'%s' cannot hold both the log and the truth", s->out);
    if (same_target(s->out, s->results))
        return lethe_fail(d, LETHE_EUSAGE, "'%s' cannot hold both the log and the results", s->out);
    if (same_target(s->truth, s->results))
        return lethe_fail(d, LETHE_EUSAGE, "'%s' cannot hold both the truth and the results",
                          s->truth);
    return LETHE_OK;
}

static lethe_err targets_open(lethe_ctx *ctx, const lethe_synth_options *s, struct targets *t)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_sink_mode mode = s->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW;
    LETHE_TRY(options_check(d, s));
    if (s->truth) LETHE_TRY(lethe_sink_open(d, s->truth, mode, 0600, &t->to.truth));
    if (s->results) LETHE_TRY(lethe_sink_open(d, s->results, mode, 0666, &t->to.results));
    LETHE_TRY(strcmp(s->out, "-") == 0 ? lethe_sink_stdout(d, &t->to.log)
                                       : lethe_sink_open(d, s->out, mode, 0666, &t->to.log));
    lethe_err e =
        s->has_seed ? lethe_secret_from_seed(s->seed, &t->random) : lethe_secret_random(&t->random);
    if (e == LETHE_ENOMEM) return lethe_no_memory(d);
    if (e == LETHE_EIO) return lethe_fail(d, e, "cannot get random numbers from the system");
    return e == LETHE_OK ? lethe_wordnet_open(ctx, NULL, &t->wn) : e;
}

/* Truth and results appear just before their log, and go again if that does not come. */
static lethe_err targets_commit(lethe_ctx *ctx, struct targets *t)
{
    lethe_sink **beside[] = {&t->to.truth, &t->to.results}, *placed[LETHE_COUNT(beside)],
               *log = t->to.log;
    size_t n_placed = 0;
    lethe_err e = lethe_ctx_cancelled(ctx) ? LETHE_ECANCEL : LETHE_OK;
    for (size_t i = 0; i < LETHE_COUNT(beside) && e == LETHE_OK; i++) {
        lethe_sink *s = *beside[i];
        *beside[i] = NULL;
        if (s) e = lethe_sink_place(s);
        if (s && e == LETHE_OK) placed[n_placed++] = s;
    }
    if (e == LETHE_OK) {
        t->to.log = NULL;
        e = lethe_sink_commit(log);
    }
    while (n_placed > 0)
        (e == LETHE_OK ? lethe_sink_keep : lethe_sink_take_back)(placed[--n_placed]);
    return e;
}

lethe_err lethe_synth_log(lethe_ctx *ctx, const lethe_synth_options *s, lethe_json_doc *doc,
                          lethe_json **report)
{
    struct targets t = {0};
    lethe_synth_counts counts = {0};
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *parameters = lethe_json_object(doc);
    lethe_set_text(doc, r, "command", "synth");
    lethe_set_count(doc, parameters, "users", s->users);
    lethe_json_set(doc, parameters, "queries-per-user",
                   lethe_json_new_real(doc, s->queries_per_user));
    lethe_set_count(doc, parameters, "version", s->version ? s->version : 2);
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, r, "metrics", metrics);
    *report = r;
    lethe_err e = targets_open(ctx, s, &t);
    lethe_synth how = {.version = s->version ? s->version : 2,
                       .n_users = s->users,
                       .queries_per_user = s->queries_per_user,
                       .random = t.random};
    if (e == LETHE_OK) e = lethe_synth_write(ctx, t.wn, &how, &t.to, &counts);
    if (e == LETHE_OK) {
        lethe_json *planted = lethe_json_object(doc);
        lethe_set_count(doc, metrics, "rows", counts.rows);
        lethe_set_count(doc, metrics, "queries", counts.queries);
        lethe_set_count(doc, metrics, "users", s->users);
        for (size_t i = 0; i < LETHE_N_PLANTS; i++)
            lethe_set_count(doc, planted, lethe_plant_names[i], counts.planted[i]);
        lethe_json_set(doc, metrics, "planted", planted);
    }
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    if (e == LETHE_OK && s->on_report) e = s->on_report(s->user, r);
    if (e == LETHE_OK) e = targets_commit(ctx, &t);
    lethe_sink_abort(t.to.log);
    lethe_sink_abort(t.to.truth);
    lethe_sink_abort(t.to.results);
    lethe_secret_free(t.random);
    lethe_wordnet_free(t.wn);
    return e;
}
