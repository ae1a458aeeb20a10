/* pipeline.c - read, run the steps, check persons, publish, check the written bytes, let it appear.
 * DESIGN: "One pipeline" and "What must always hold". */
#include "release/release.h"
#include "check/check.h"
#include "check/persons.h"
#include "core/mem.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_REASONS = 32 };

/* Rows that a step left out, by reason.  Each worker has its own. */
typedef struct drops {
    const char *reason[MAX_REASONS];
    uint64_t rows[MAX_REASONS];
    size_t n;
    uint64_t other; /* past MAX_REASONS */
    char pad[64];
} drops;

typedef struct pipeline {
    lethe_ctx *ctx;
    const lethe_job *job;
    lethe_json_doc *doc;
    bool to_stdout;
    lethe_folder *folder;
    lethe_sink *map;
    bool map_is_out; /* it has appeared, and must go again if the release does not come */
    char *spill_dir; /* the context's own, while spill files go beside the target */
    lethe_secret *random, *key;
    lethe_publisher *publisher;
    lethe_log *store; /* where a step that is not the last puts its rows */
    drops *drops;
    lethe_persons **persons; /* one for each claim, NULL where it counts none */
    size_t n_persons;
    lethe_json *claims, *metrics, *caveats, *verdict, *steps;
    lethe_counts counts;
    uint64_t invalid_utf8;
} pipeline;

/* --- what steps give back --- */

static lethe_err emit_published(lethe_result *out, unsigned w, const lethe_row *row)
{
    pipeline *p = out->pipeline;
    for (size_t i = 0; i < p->n_persons; i++)
        if (p->persons[i]) LETHE_TRY(lethe_persons_put(p->persons[i], w, row->query, row->owner));
    return lethe_publisher_row(p->publisher, w, row);
}

static lethe_err emit_stored(lethe_result *out, unsigned w, const lethe_row *row)
{
    pipeline *p = out->pipeline;
    return lethe_log_append(p->store, w, row);
}

static void drop_rows(lethe_result *out, unsigned w, const char *reason, uint64_t n_rows)
{
    pipeline *p = out->pipeline;
    drops *mine = &p->drops[w];
    for (size_t i = 0; i < mine->n; i++)
        if (mine->reason[i] == reason) {
            mine->rows[i] += n_rows;
            return;
        }
    if (mine->n == MAX_REASONS) {
        mine->other += n_rows;
        return;
    }
    mine->reason[mine->n] = reason;
    mine->rows[mine->n++] = n_rows;
}

static uint64_t dropped_rows(const pipeline *p)
{
    uint64_t n = 0;
    for (unsigned w = 0; w < lethe_ctx_threads(p->ctx); w++) {
        n += p->drops[w].other;
        for (size_t i = 0; i < p->drops[w].n; i++)
            n += p->drops[w].rows[i];
    }
    return n;
}

/* --- before reading --- */

static lethe_err job_check(lethe_ctx *ctx, const lethe_job *job)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    unsigned shape = LETHE_SHAPE_LOG;
    if (job->n_steps == 0 || job->n_inputs == 0 || !job->out) return lethe_fail(d, LETHE_EUSAGE, "nothing to do");
    for (size_t i = 0; i < job->n_steps; i++) {
        const lethe_method *m = job->steps[i].method;
        if (!(m->in & shape)) return lethe_fail(d, LETHE_EUSAGE, "%s cannot work on what the step before it gives", m->name);
        if (m->validate) LETHE_TRY(m->validate(&job->steps[i].values, d));
        shape = m->out;
    }
    return LETHE_OK;
}

/* Where the last name of path[0..n-1] begins. */
static size_t name_start(const char *path, size_t n)
{
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n;
}

/* The folder that holds `path`: resolved as far as it exists, the rest as it is written; malloc'd. */
static char *parent_of(const char *path)
{
    char copy[PATH_MAX], *joined;
    size_t n = name_start(path, strlen(path));
    if (n >= sizeof copy) return NULL;
    for (size_t end = n;; end = name_start(path, end)) {
        memcpy(copy, path, end);
        copy[end] = '\0';
        char *real = realpath(end ? copy : ".", NULL);
        if (real && end == n) return real;
        if (real) {
            bool made = asprintf(&joined, "%s/%.*s", strcmp(real, "/") ? real : "", (int)(n - end), path + end) >= 0;
            free(real);
            return made ? joined : NULL;
        }
        if (end == 0) return NULL;
    }
}

static const char *last_name(const char *path, char out[NAME_MAX + 1])
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    size_t n = LETHE_MIN(end - start, (size_t)NAME_MAX);
    memcpy(out, path + start, n);
    out[n] = '\0';
    return out;
}

/* A map inside the release would publish the way back. */
static lethe_err map_place_check(lethe_diag *d, const char *map, const char *out)
{
    char name[NAME_MAX + 1], map_name[NAME_MAX + 1], target[2 * PATH_MAX];
    char *map_dir = parent_of(map), *out_dir = parent_of(out);
    lethe_err e = LETHE_OK;
    if (map_dir && out_dir) {
        int n = snprintf(target, sizeof target, "%s/%s", strcmp(out_dir, "/") ? out_dir : "", last_name(out, name));
        bool inside = n > 0 && strncmp(map_dir, target, (size_t)n) == 0 && (map_dir[n] == '/' || map_dir[n] == '\0');
        bool same = strcmp(map_dir, out_dir) == 0 && strcmp(last_name(map, map_name), name) == 0;
        if (inside || same) e = lethe_fail(d, LETHE_EUSAGE, "the map '%s' must not be in the release folder", map);
    }
    free(map_dir);
    free(out_dir);
    return e;
}

static lethe_err targets_begin(pipeline *p)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_publishing *how = &p->job->publishing;
    if (!p->to_stdout) {
        if (how->map) LETHE_TRY(map_place_check(d, how->map, p->job->out));
        LETHE_TRY(lethe_folder_begin(d, p->job->out, how->force, lethe_manifest_may_replace, &p->folder));
        const char *dir = lethe_ctx_spill_dir(p->ctx);
        p->spill_dir = lethe_alloc(strlen(dir) + 1, 1);
        if (!p->spill_dir) return lethe_no_memory(d);
        strcpy(p->spill_dir, dir);
        LETHE_TRY(lethe_ctx_set_spill_dir(p->ctx, lethe_folder_temp(p->folder)));
    }
    if (!how->map) return LETHE_OK;
    return lethe_sink_open(d, how->map, how->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW, 0600, &p->map);
}

static lethe_err secrets_begin(pipeline *p)
{
    const lethe_publishing *how = &p->job->publishing;
    LETHE_TRY(how->has_seed ? lethe_secret_from_seed(how->seed, &p->random) : lethe_secret_random(&p->random));
    if (!how->key_file) return lethe_secret_derive(p->random, "key", &p->key);
    uint8_t key[32];
    LETHE_TRY(lethe_key_read(lethe_ctx_diag(p->ctx), how->key_file, key));
    lethe_err e = lethe_secret_from_bytes(key, &p->key);
    explicit_bzero(key, sizeof key);
    return e;
}

/* Persons are checked apart only where a step gives rows other users: else the published users are
 * the persons, and the bytes show them. */
static lethe_err persons_begin(pipeline *p, uint64_t cap_bytes)
{
    bool renames = false;
    for (size_t i = 0; i < p->job->n_steps; i++)
        renames = renames || p->job->steps[i].method->renames;
    size_t n = lethe_json_count(p->claims);
    if (!renames || n == 0) return LETHE_OK;
    p->persons = lethe_alloc(n, sizeof *p->persons);
    if (!p->persons) return lethe_no_memory(lethe_ctx_diag(p->ctx));
    memset(p->persons, 0, n * sizeof *p->persons);
    p->n_persons = n;
    for (size_t i = 0; i < n; i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(p->claims, i), "notion"));
        const lethe_notion *notion = lethe_notion_find(name);
        if (notion && notion->persons) LETHE_TRY(lethe_persons_new(p->ctx, cap_bytes / n, &p->persons[i]));
    }
    return LETHE_OK;
}

static lethe_err pipeline_begin(pipeline *p)
{
    unsigned n = lethe_ctx_threads(p->ctx);
    p->drops = lethe_alloc(n, sizeof *p->drops);
    if (!p->drops) return lethe_no_memory(lethe_ctx_diag(p->ctx));
    memset(p->drops, 0, n * sizeof *p->drops);
    p->metrics = lethe_json_object(p->doc);
    p->caveats = lethe_json_array(p->doc);
    p->steps = lethe_steps_json(p->doc, p->job);
    p->claims = lethe_steps_claims(p->doc, p->job->steps, p->job->n_steps);
    LETHE_TRY(targets_begin(p));
    LETHE_TRY(secrets_begin(p));
    uint64_t memory = lethe_ctx_memory(p->ctx);
    LETHE_TRY(persons_begin(p, memory / 8));
    return lethe_publisher_new(p->ctx, &p->job->publishing, p->key, memory / 4, &p->publisher);
}

static void pipeline_end(pipeline *p)
{
    lethe_publisher_free(p->publisher);
    for (size_t i = 0; i < p->n_persons; i++)
        lethe_persons_free(p->persons[i]);
    lethe_free(p->persons);
    lethe_log_free(p->store);
    lethe_free(p->drops);
    lethe_secret_free(p->random);
    lethe_secret_free(p->key);
    lethe_sink_abort(p->map);
    lethe_folder_abort(p->folder);
    if (p->spill_dir && lethe_ctx_set_spill_dir(p->ctx, p->spill_dir) != LETHE_OK)
        lethe_warn(lethe_ctx_diag(p->ctx), "no memory left to go back to '%s' for temporary files", p->spill_dir);
    lethe_free(p->spill_dir);
}

/* --- the steps --- */

static lethe_err step_run(pipeline *p, size_t i, lethe_log *in)
{
    const lethe_step *step = &p->job->steps[i];
    bool last = i + 1 == p->job->n_steps;
    uint64_t memory = lethe_ctx_memory(p->ctx);
    lethe_run run = {.ctx = p->ctx,
                     .values = &step->values,
                     .random = p->random,
                     .key = p->key,
                     .times = (lethe_time_unit)p->job->publishing.times,
                     .memory_bytes = memory / 2};
    lethe_result out = {.pipeline = p,
                        .emit = last ? emit_published : emit_stored,
                        .drop = drop_rows,
                        .doc = p->doc,
                        .metrics = p->metrics,
                        .caveats = p->caveats};
    if (!last) LETHE_TRY(lethe_log_store(p->ctx, memory / 8, &p->store));
    return step->method->run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = in}, &out);
}

/* The log walks from step to step; what a step has read is let go. */
static lethe_err steps_run(pipeline *p)
{
    lethe_log *in;
    LETHE_TRY(lethe_log_files(p->ctx, p->job->inputs, p->job->n_inputs, &p->job->reading, &in));
    for (size_t i = 0; i < p->job->n_steps; i++) {
        lethe_err e = step_run(p, i, in);
        if (i == 0) {
            const lethe_read_counts *c = lethe_log_counts(in);
            p->counts.read = c->lines;
            p->counts.rejected = c->rejected;
            p->counts.suppressed = c->empty + c->filtered;
            p->invalid_utf8 = c->invalid_utf8;
        }
        lethe_log_free(in);
        LETHE_TRY(e);
        in = p->store;
        p->store = NULL;
    }
    lethe_log_free(in);
    p->counts.suppressed += dropped_rows(p);
    p->counts.published = lethe_publisher_rows(p->publisher);
    return LETHE_OK;
}

static lethe_err counts_check(pipeline *p)
{
    const lethe_counts *c = &p->counts;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (c->published == 0) return lethe_fail(d, LETHE_ENO, "nothing is left to publish");
    if (c->read == c->published + c->suppressed + c->rejected) return LETHE_OK;
    return lethe_fail(d, LETHE_ENO, "%llu lines were read but %llu are accounted for: nothing is published",
                      (unsigned long long)c->read, (unsigned long long)(c->published + c->suppressed + c->rejected));
}

static lethe_err persons_check(pipeline *p)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    for (size_t i = 0; i < p->n_persons; i++) {
        if (!p->persons[i]) continue;
        const lethe_json *claim = lethe_json_at(p->claims, i);
        lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
        bool holds = false;
        lethe_json *why = NULL;
        LETHE_TRY(lethe_persons_check(p->persons[i], lethe_notion_find(name), claim, p->doc, &holds, &why));
        if (!holds)
            return lethe_fail(d, LETHE_ENO, "%.*s: a published query has %lld persons, not %lld", (int)name.n, name.at,
                              (long long)lethe_json_int(lethe_json_get(why, "persons")),
                              (long long)lethe_json_int(lethe_json_get(why, "needed")));
    }
    return LETHE_OK;
}

/* --- caveats, manifest, letting out --- */

static void caveat(pipeline *p, const char *text)
{
    for (size_t i = 0; i < lethe_json_count(p->caveats); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(p->caveats, i)), lethe_str_of(text))) return;
    lethe_json_push(p->doc, p->caveats, lethe_json_new_text(p->doc, lethe_str_of(text)));
}

static void caveats_collect(pipeline *p)
{
    const lethe_publishing *how = &p->job->publishing;
    for (size_t i = 0; i < p->job->n_steps; i++)
        for (const char *const *c = p->job->steps[i].method->caveats; c && *c; c++)
            caveat(p, *c);
    if (how->keep_users) caveat(p, "Users are published under the names they have in the log.");
    if (how->times == LETHE_TIMES_EXACT) caveat(p, "Times are published to the second: who saw a query being typed finds its user.");
    if (how->urls == LETHE_URLS_KEEP) caveat(p, "Clicked URLs are published whole; paths and query strings can name a person.");
    if (how->urls == LETHE_URLS_ID)
        caveat(p, "Clicked URLs are keyed identifiers, but who replays the queries can often tell which URL is meant.");
    if (how->has_seed) caveat(p, "Made with a seed: who guesses it can undo pseudonyms and choices.");
    if (how->key_file) caveat(p, "Pseudonyms are keyed by a file: releases made with the same key can be joined.");
}

static lethe_json *manifest_make(pipeline *p, lethe_json *files)
{
    lethe_json *m = lethe_json_object(p->doc);
    lethe_set_text(p->doc, m, "lethe", lethe_version());
    lethe_json_set(p->doc, m, "steps", p->steps);
    lethe_json_set(p->doc, m, "claims", p->claims);
    lethe_json_set(p->doc, m, "files", files);
    lethe_json_set(p->doc, m, "counts", lethe_counts_json(p->doc, &p->counts));
    lethe_json_set(p->doc, m, "metrics", p->metrics);
    lethe_json_set(p->doc, m, "verdict", p->verdict);
    lethe_json_set(p->doc, m, "caveats", p->caveats);
    return m;
}

/* Says which claim the written bytes break; without the query itself, which is raw data. */
static void broken_say(pipeline *p)
{
    const lethe_json *checks = lethe_json_get(p->verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i);
        if (lethe_json_bool(lethe_json_get(check, "holds"))) continue;
        lethe_str notion = lethe_json_text(lethe_json_get(check, "notion"));
        (void)lethe_fail(lethe_ctx_diag(p->ctx), LETHE_ENO, "the written data does not keep the promise %.*s: nothing is published",
                         (int)notion.n, notion.at);
    }
}

static lethe_err folder_finish(pipeline *p)
{
    const char *names[] = {lethe_data_name(LETHE_SHAPE_LOG)};
    lethe_published published = {.ctx = p->ctx, .dirfd = lethe_folder_fd(p->folder), .shape = LETHE_SHAPE_LOG};
    lethe_json *files;
    lethe_ctx_phase(p->ctx, "writing", 0);
    LETHE_TRY(lethe_publisher_write(p->publisher, p->folder, names[0]));
    lethe_ctx_phase(p->ctx, "checking", 0);
    lethe_err e = lethe_claims_check(&published, p->claims, p->doc, &p->verdict);
    if (e == LETHE_ENO) broken_say(p);
    LETHE_TRY(e);
    lethe_ctx_phase(p->ctx, "digests", 0);
    LETHE_TRY(lethe_files_json(p->ctx, published.dirfd, names, LETHE_COUNT(names), p->doc, &files));
    lethe_json *manifest = manifest_make(p, files);
    if (lethe_json_failed(p->doc)) return lethe_no_memory(lethe_ctx_diag(p->ctx));
    return lethe_manifest_write(p->ctx, p->folder, manifest);
}

/* The map appears just before its release, and goes again if the release does not come. */
static lethe_err let_out(pipeline *p)
{
    if (lethe_ctx_cancelled(p->ctx)) return LETHE_ECANCEL; // an old map is still there now
    if (p->map) {
        lethe_sink *map = p->map;
        p->map = NULL;
        lethe_err e = lethe_publisher_map(p->publisher, map);
        if (e != LETHE_OK) {
            lethe_sink_abort(map);
            return e;
        }
        LETHE_TRY(lethe_sink_commit(map));
        p->map_is_out = true;
    }
    lethe_folder *folder = p->folder;
    p->folder = NULL;
    return folder ? lethe_folder_commit(folder) : lethe_publisher_print(p->publisher);
}

static lethe_err pipeline_run(pipeline *p)
{
    lethe_err e = pipeline_begin(p);
    if (e == LETHE_OK) e = steps_run(p);
    if (e == LETHE_OK) e = counts_check(p);
    if (e == LETHE_OK) e = persons_check(p);
    if (e == LETHE_OK && lethe_publisher_uncut(p->publisher))
        lethe_set_int(p->doc, p->metrics, "urls_uncut", lethe_publisher_uncut(p->publisher));
    caveats_collect(p);
    if (e == LETHE_OK && p->folder) e = folder_finish(p);
    if (e == LETHE_OK) {
        lethe_ctx_phase(p->ctx, "letting out", 0);
        e = let_out(p);
        if (e != LETHE_OK && p->map_is_out) unlink(p->job->publishing.map);
    }
    return e;
}

static lethe_json *report_make(pipeline *p)
{
    lethe_json *r = lethe_json_object(p->doc);
    const lethe_json *first = lethe_json_at(p->steps, 0);
    lethe_json_set(p->doc, r, "command", lethe_json_copy(p->doc, lethe_json_get(first, "command")));
    lethe_json_set(p->doc, r, "parameters", lethe_json_copy(p->doc, lethe_json_get(first, "parameters")));
    if (p->job->n_steps > 1) lethe_json_set(p->doc, r, "steps", p->steps);
    lethe_json_set(p->doc, r, "metrics", p->metrics);
    lethe_json_set(p->doc, r, "claims", p->claims);
    if (p->verdict) lethe_json_set(p->doc, r, "verdict", p->verdict);
    lethe_json_set(p->doc, r, "caveats", p->caveats);
    lethe_json *counts = lethe_counts_json(p->doc, &p->counts);
    lethe_set_int(p->doc, counts, "invalid_utf8", p->invalid_utf8);
    lethe_json_set(p->doc, r, "counts", counts);
    lethe_report_close(p->ctx, p->doc, r);
    return r;
}

lethe_err lethe_release_make(lethe_ctx *ctx, const lethe_job *job, lethe_json_doc *doc, lethe_json **report)
{
    LETHE_TRY(job_check(ctx, job));
    pipeline p = {.ctx = ctx, .job = job, .doc = doc, .to_stdout = strcmp(job->out, "-") == 0};
    lethe_err e = pipeline_run(&p);
    *report = report_make(&p);
    pipeline_end(&p);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(lethe_ctx_diag(ctx));
    return e;
}
