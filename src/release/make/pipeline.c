/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - a release from beginning to end: run the steps, check persons, publish, check the
 * written bytes, let everything appear at once.  docs/ARCHITECTURE.md, "The pipeline". */
#include "release/make/pipeline.h"
#include "check/check.h"
#include "attack/risk.h"
#include "measure/kept.h"
#include "io/syserr.h"
#include "release/page/report.h"
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

/* --- after the steps --- */

static lethe_err counts_check(lethe_pipeline *p)
{
    const lethe_counts *c = &p->counts;
    uint64_t accounted = c->published + c->suppressed + c->rejected;
    if (c->published == 0) return lethe_fail(p->ctx, LETHE_ANSWER_NO, "nothing is left to publish");
    if (!p->job->written) LETHE_TRY(p->ops->check(p));
    if (c->read == accounted) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_EINTERNAL,
                      LETHE_FAULT "%llu lines were read but %llu are accounted for",
                      (unsigned long long)c->read, (unsigned long long)accounted);
}

static lethe_err persons_check(lethe_pipeline *p)
{
    for (size_t i = 0; i < p->n_persons; i++) {
        if (!p->persons[i]) continue;
        const lethe_json *claim = lethe_json_at(p->claims, i);
        lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
        bool holds = false;
        lethe_json *why = NULL;
        LETHE_TRY(lethe_persons_check(p->persons[i], lethe_notion_find(name), claim, p->doc, &holds,
                                      &why));
        if (!holds)
            return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                              "%.*s: a published %s has %lld persons, not %lld", (int)name.n,
                              name.at,
                              p->persons[i] == p->value_persons ? "value" : p->ops->person_of,
                              (long long)lethe_json_int(lethe_json_get(why, "persons")),
                              (long long)lethe_json_int(lethe_json_get(why, "needed")));
    }
    return LETHE_OK;
}

/* --- caveats and manifest --- */

/* Each is said once. */
static void caveat_put(lethe_pipeline *p, lethe_str text)
{
    for (size_t i = 0; i < lethe_json_count(p->caveats); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(p->caveats, i)), text)) return;
    lethe_json_push(p->doc, p->caveats, lethe_json_new_text(p->doc, text));
}

static void caveats_add(lethe_pipeline *p, const char *const *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        caveat_put(p, lethe_str_of(text[i]));
}

static void caveat_add(lethe_pipeline *p, const char *text) { caveats_add(p, &text, 1); }

/* The caveats of a step's method; NULL: none, also where the step claims nothing. */
static const char *const *caveats_of(const lethe_pipeline *p, size_t i)
{
    const lethe_step *step = &p->job->steps[i];
    return lethe_step_is_claimed(step, lethe_pipeline_last(p)) ? step->method->caveats : NULL;
}

/* The terminal shows the first three: claims that promise nothing (nothing_tell), what follows from
 * how this release was published, the main caveat of each method, then those of its options, then
 * the rest. */
static void caveats_collect(lethe_pipeline *p)
{
    const lethe_publish_options *how = &p->job->publishing;
    const char *texts[LETHE_MAX_CAVEATS], *warnings[LETHE_WARNS_MAX];
    lethe_chain chain = {.last = lethe_pipeline_last(p),
                         .times = lethe_claims_need_times(p->claims)};
    for (size_t i = 0; i < p->job->n_steps; i++) {
        chain.renames = chain.renames || p->job->steps[i].method->renames;
        chain.ids = chain.ids || p->job->steps[i].method->ids;
    }
    if (how->has_seed) caveat_add(p, lethe_run_caveats[LETHE_CAVEAT_SEED]);
    if (p->trial) caveat_add(p, lethe_run_caveats[p->trial->caveat]);
    caveats_add(p, texts, p->ops->caveats(&chain, how, texts));
    for (size_t i = 0; i < p->job->n_steps; i++)
        if (caveats_of(p, i)) caveat_add(p, caveats_of(p, i)[0]);
    for (size_t i = 0; i < p->job->n_steps; i++) {
        const lethe_step *step = &p->job->steps[i];
        if (step->method->warns && lethe_step_is_claimed(step, chain.last))
            caveats_add(p, warnings, step->method->warns(&step->values, warnings));
    }
    for (size_t i = 0; i < p->job->n_steps; i++)
        for (const char *const *c = caveats_of(p, i); c && *c; c++)
            caveat_add(p, *c);
    if (p->bound.has_own_leaves) caveat_add(p, lethe_run_caveats[LETHE_CAVEAT_OWN_LEAVES]);
    if (how->key_file && p->ops->shows_users)
        caveat_add(p, lethe_run_caveats[LETHE_CAVEAT_KEY_FILE]);
    if (p->ops->nothing_sensitive && p->publisher && p->ops->nothing_sensitive(p))
        caveat_add(p, lethe_run_caveats[LETHE_CAVEAT_NOTHING_SENSITIVE]);
}

bool lethe_steps_find_caveat(const lethe_step *steps, size_t n, lethe_str text)
{
    for (size_t i = 0; i < n; i++)
        for (const char *const *c = steps[i].method->found; c && *c; c++)
            if (lethe_str_eq(text, lethe_str_of(*c))) return true;
    return false;
}

/* Caveats that steps have added while they ran: `verify` knows a caveat by the methods' tables, and
 * would refuse any other. */
static lethe_err caveats_check(lethe_pipeline *p)
{
    for (size_t i = 0; i < lethe_json_count(p->caveats); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(p->caveats, i));
        if (!lethe_steps_find_caveat(p->job->steps, p->job->n_steps, text))
            return lethe_fail(p->ctx, LETHE_EINTERNAL,
                              LETHE_FAULT "a step added a caveat that it does not declare");
    }
    return LETHE_OK;
}

static lethe_json *manifest_make(lethe_pipeline *p, lethe_json *files)
{
    lethe_json *m = lethe_json_object(p->doc);
    lethe_set_text(p->doc, m, "lethe", lethe_version());
    lethe_json_set(p->doc, m, "steps", p->steps);
    lethe_json_set(p->doc, m, "claims", p->claims);
    lethe_json_set(p->doc, m, "files", files);
    lethe_json_set(p->doc, m, "counts", lethe_counts_json(p->doc, &p->counts));
    lethe_json_set(p->doc, m, "metrics", lethe_figures_published(p->doc, p->steps, p->metrics));
    lethe_json_set(p->doc, m, "verdict", p->verdict);
    lethe_json_set(p->doc, m, "caveats", p->caveats);
    if (p->n_parts > 0) lethe_set_count(p->doc, m, LETHE_PARTS, p->n_parts);
    if (p->job->title) lethe_set_text(p->doc, m, "title", p->job->title);
    if (p->job->date) lethe_set_text(p->doc, m, "date", p->job->date);
    lethe_json *risk = lethe_risks_as_json(p->doc, p->found.risk ? p->found.risk : p->job->risk);
    if (lethe_json_count(risk) > 0) lethe_json_set(p->doc, m, "risk", risk);
    if (lethe_kept_told(p->found.kept, lethe_manifest_shape(m)))
        lethe_json_set(p->doc, m, "kept", lethe_json_copy(p->doc, p->found.kept));
    return m;
}

/* --- the written bytes --- */

/* Digests are made beside the checks: both only read, and a digest keeps one core busy. */
typedef struct digest_job {
    lethe_ctx *ctx;
    int dirfd;
    lethe_file_entry *files;
    size_t n;
    lethe_err err;
} digest_job;

static void *digest_files(void *arg)
{
    digest_job *g = arg;
    for (size_t i = 0; i < g->n && g->err == LETHE_OK; i++)
        g->err = lethe_file_digest(g->ctx, g->dirfd, g->files[i].name, g->files[i].digest,
                                   &g->files[i].bytes);
    return NULL;
}

/* Names the claims that the written bytes break, and leaves the counterexamples out of the verdict:
 * they are raw data, and are not published. */
static void verdict_censor(lethe_pipeline *p)
{
    lethe_json *verdict = lethe_json_object(p->doc), *checks = lethe_json_array(p->doc);
    const lethe_json *found = lethe_json_get(p->verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(found); i++) {
        lethe_json *check = lethe_json_copy(p->doc, lethe_json_at(p->claims, i));
        bool holds = lethe_json_bool(lethe_json_get(lethe_json_at(found, i), "holds"));
        lethe_str notion = lethe_json_text(lethe_json_get(check, "notion"));
        bool decided = !lethe_json_get(lethe_json_at(found, i), "decided");
        if (!decided)
            (void)lethe_fail(p->ctx, LETHE_ANSWER_NO,
                             "the promise %.*s of the written data could not be decided within the "
                             "memory limit: nothing is published",
                             (int)notion.n, notion.at);
        else if (!holds)
            (void)lethe_fail(
                p->ctx, LETHE_ANSWER_NO,
                "the written data does not keep the promise %.*s: nothing is published",
                (int)notion.n, notion.at);
        lethe_json_set(p->doc, check, "holds", lethe_json_new_bool(p->doc, holds));
        lethe_json_push(p->doc, checks, check);
    }
    lethe_json_set(p->doc, verdict, "holds", lethe_json_new_bool(p->doc, false));
    lethe_json_set(p->doc, verdict, "checks", checks);
    p->verdict = verdict;
}

/* For each claim, the results that its step was given; NULL: none.  NULL: no memory. */
static const char **results_of(const lethe_pipeline *p)
{
    size_t n = 0, all = lethe_json_count(p->claims);
    const char **path = lethe_alloc_zero(all + 1, sizeof *path);
    for (size_t s = 0; path && s < p->job->n_steps; s++) {
        const lethe_step *step = &p->job->steps[s];
        const lethe_value *results = lethe_value_find(&step->values, "results");
        lethe_json *own = lethe_json_array(p->doc);
        if (!lethe_step_is_claimed(step, lethe_pipeline_last(p))) continue;
        step->method->claims(&step->values, p->doc, own);
        for (size_t i = 0; i < lethe_json_count(own) && n < all; i++)
            path[n++] = results ? results->text : NULL;
    }
    return path;
}

static const char *text_of(const lethe_step *step, const char *name)
{
    const lethe_value *v = lethe_value_find(&step->values, name);
    return v ? v->text : NULL;
}

/* The population that the step of a table was given, read again. */
static lethe_err population_reopen(const lethe_pipeline *p, lethe_population_given *to)
{
    const lethe_step *last = &p->job->steps[p->job->n_steps - 1];
    return lethe_population_open(p->ctx, p->claims, text_of(last, "population"),
                                 text_of(last, "hierarchies"), to);
}

/* Waits for both answers; of two failures the check's is returned. */
static lethe_err written_check(lethe_pipeline *p, lethe_file_entry *files, size_t n)
{
    lethe_log_form form = lethe_form_of(&p->job->publishing);
    lethe_published published = {.ctx = p->ctx,
                                 .dirfd = lethe_folder_fd(p->folder),
                                 .shape = p->ops->shape,
                                 .form = &form,
                                 .undecided = lethe_json_array(p->doc),
                                 .figures = p->metrics};
    digest_job g = {.ctx = p->ctx, .dirfd = published.dirfd, .files = files, .n = n};
    pthread_t thread;
    lethe_population_given population;
    LETHE_TRY(population_reopen(p, &population));
    if (population.given) published.population = &population.table;
    const char **results = results_of(p);
    if (!results) {
        lethe_population_close(&population);
        return lethe_no_memory(p->ctx);
    }
    bool apart =
        lethe_ctx_threads(p->ctx) > 1 && pthread_create(&thread, NULL, digest_files, &g) == 0;
    if (!apart) digest_files(&g);
    lethe_err e = lethe_claims_check(&published, p->claims, results, p->doc, &p->verdict);
    if (apart) pthread_join(thread, NULL);
    lethe_free(results);
    lethe_population_close(&population);
    if (e == LETHE_ANSWER_NO) verdict_censor(p);
    p->undecided = published.undecided;
    return e == LETHE_OK ? g.err : e;
}

/* Claims that hold of any data: whoever made the release should know before handing it out, and
 * whoever gets it reads that first. */
static void nothing_tell(lethe_pipeline *p)
{
    const lethe_json *checks = lethe_json_get(p->verdict, "checks"), *others = p->caveats;
    p->caveats = lethe_json_array(p->doc);
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *nothing = lethe_json_get(lethe_json_at(checks, i), "nothing");
        lethe_str text = lethe_json_text(nothing);
        if (!nothing) continue;
        caveat_put(p, text);
        lethe_warn(p->ctx, "%.*s", (int)text.n - 1, text.at); // without the full stop
    }
    for (size_t i = 0; i < lethe_json_count(others); i++)
        caveat_put(p, lethe_json_text(lethe_json_at(others, i)));
}

/* --- the folder --- */

/* Commits what was written, unless that failed. */
static lethe_err sink_end(lethe_sink *to, lethe_err e)
{
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

#ifndef LETHE_MINIMAL
/* The page shows everything that is in the manifest, except itself. */
static lethe_err page_add(lethe_pipeline *p, lethe_file_entry *files, size_t *n)
{
    lethe_sink *to;
    lethe_file_entry *page = &files[*n];
    const lethe_report_input in = {.manifest =
                                       manifest_make(p, lethe_files_json(p->doc, files, *n)),
                                   .shape = p->ops->shape,
                                   .dirfd = lethe_folder_fd(p->folder),
                                   .n_examples = LETHE_REPORT_EXAMPLES};
    if (lethe_json_failed(p->doc)) return lethe_no_memory(p->ctx);
    LETHE_TRY(lethe_sink_in(lethe_ctx_diag(p->ctx), p->folder, LETHE_REPORT_NAME, &to));
    LETHE_TRY(sink_end(to, lethe_report_html(p->ctx, &in, to)));
    page->name = LETHE_REPORT_NAME;
    ++*n;
    return lethe_file_digest(p->ctx, in.dirfd, page->name, page->digest, &page->bytes);
}
#endif

/* The map says which manifest it belongs to, as it is by now.  It is written once; for a manifest
 * that has changed since, its first line is, which has the same length. */
static lethe_err map_write(lethe_pipeline *p, lethe_sink *map)
{
    char head[LETHE_MAP_HEAD_BYTES], digest[LETHE_DIGEST_CHARS + 1];
    uint64_t bytes;
    if (p->folder)
        LETHE_TRY(
            lethe_file_digest(p->ctx, lethe_folder_fd(p->folder), LETHE_MANIFEST, digest, &bytes));
    size_t n = lethe_map_head(head, p->folder ? digest : NULL);
    if (p->map_written) return lethe_sink_write_at(map, 0, head, n);
    p->map_written = true;
    LETHE_TRY(lethe_sink_write(map, head, n));
    return p->ops->map(p->publisher, map);
}

/* The release is judged as its readers will have it, but for the page, which will tell of the
 * judgement. */
static lethe_err trial_run(lethe_pipeline *p, const lethe_file_entry *files, size_t n)
{
    char map_path[LETHE_SINK_PATH_BYTES] = "";
    lethe_sink *map = p->beside[LETHE_BESIDE_MAP];
    const char *folder = lethe_folder_temp(p->folder);
    lethe_json *manifest = manifest_make(p, lethe_files_json(p->doc, files, n));
    if (lethe_json_failed(p->doc)) return lethe_no_memory(p->ctx);
    LETHE_TRY(lethe_manifest_write(p->ctx, p->folder, manifest));
    if (map) LETHE_TRY(map_write(p, map));
    if (map) LETHE_TRY(lethe_sink_read_path(map, map_path));
    LETHE_TRY(p->trial->judge(p->trial->user, folder, map ? map_path : NULL, &p->found));
    if (unlinkat(lethe_folder_fd(p->folder), LETHE_MANIFEST, 0) == 0) return LETHE_OK;
    return lethe_fail_sys(lethe_ctx_diag(p->ctx), "replace", LETHE_MANIFEST, errno);
}

/* Of a release from rows, the methods know the figures.  Those of one that was put together were
 * computed from what its parts say, and these may have changed meanwhile: it is verified as its
 * readers will. */
static lethe_err whole_verify(lethe_pipeline *p)
{
    lethe_verify_options how = {.time_limit_s = -1};
    lethe_json *report;
    for (size_t i = 0; p->job->written && i < p->job->n_steps && !how.results; i++)
        how.results = text_of(&p->job->steps[i], "results");
    lethe_err e =
        lethe_release_verify_as(p->ctx, lethe_folder_temp(p->folder), &how, p->doc, &report);
    if (e != LETHE_ANSWER_NO) return e;
    return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                      "the release does not stand up to verification: nothing is published");
}

static lethe_err files_write(lethe_pipeline *p, lethe_file_entry **files, size_t *n)
{
    lethe_file_entry *at = *files = lethe_alloc_zero(LETHE_FILES_MAX, sizeof *at);
    if (!at) return lethe_no_memory(p->ctx);
    for (const lethe_release_file *file = p->ops->files; file->name; file++) {
        lethe_sink *to;
        if (file->applies && !file->applies(p)) continue;
        at[(*n)++].name = file->name;
        LETHE_TRY(lethe_sink_in(lethe_ctx_diag(p->ctx), p->folder, file->name, &to));
        LETHE_TRY(sink_end(to, file->write(p->publisher, to)));
    }
    return p->ops->written ? p->ops->written(p) : LETHE_OK;
}

/* Checks the files, and adds the page and the manifest. */
static lethe_err files_describe(lethe_pipeline *p, lethe_file_entry *files, size_t n)
{
    lethe_ctx_phase(p->ctx, "checking", 0);
    LETHE_TRY(written_check(p, files, n));
    nothing_tell(p);
    if (p->trial) LETHE_TRY(trial_run(p, files, n));
#ifndef LETHE_MINIMAL
    if (p->job->page) LETHE_TRY(page_add(p, files, &n));
#endif
    lethe_json *manifest = manifest_make(p, lethe_files_json(p->doc, files, n));
    if (lethe_json_failed(p->doc)) return lethe_no_memory(p->ctx);
    LETHE_TRY(lethe_manifest_write(p->ctx, p->folder, manifest));
    return p->job->written || p->n_parts > 0 ? whole_verify(p) : LETHE_OK;
}

static lethe_err folder_fill(lethe_pipeline *p)
{
    lethe_file_entry *files = NULL;
    size_t n = 0;
    lethe_ctx_phase(p->ctx, "writing", 0);
    lethe_err e = p->job->written ? lethe_written_move(p, &files, &n) : files_write(p, &files, &n);
    if (e == LETHE_OK) e = files_describe(p, files, n);
    lethe_free(files);
    return e;
}

/* --- everything appears --- */

/* *placed: the folder, once it is in place; what it replaced is still there. */
static lethe_err data_appear(lethe_pipeline *p, lethe_folder **placed)
{
    lethe_sink *to;
    lethe_folder *folder = p->folder;
    p->folder = NULL;
    if (folder) {
        LETHE_TRY(lethe_folder_place(folder));
        *placed = folder;
        return LETHE_OK;
    }
    if (p->streams) return LETHE_OK;
    LETHE_TRY(lethe_sink_stdout(lethe_ctx_diag(p->ctx), &to));
    return sink_end(to, p->ops->files[0].write(p->publisher, to));
}

/* Files beside the release appear just before the data, which cannot be taken back.  If one of them
 * or the data does not appear, those that did are taken back, and what they replaced is back: an
 * old map may be the only way back from a release that stays.
 *
 * The same is true of a process that is killed: until the folder is in place, the old map waits
 * under a temporary name, and the old folder goes after it.  So each map that is left belongs to a
 * release that can be found, in place or under a temporary name, by the digest in its first line.
 * Two runs with the same target do this one after the other. */
static lethe_err all_appear(lethe_pipeline *p)
{
    size_t n = 0; // placed so far
    lethe_sink *map = p->beside[LETHE_BESIDE_MAP];
    lethe_err e = lethe_ctx_cancelled(p->ctx) ? LETHE_ECANCEL : LETHE_OK;
    if (e == LETHE_OK && map) e = map_write(p, map);
    if (e == LETHE_OK && p->folder) e = lethe_folder_hold(p->folder);
    while (e == LETHE_OK && n < LETHE_N_BESIDE) {
        lethe_sink **file = &p->beside[n];
        e = *file ? lethe_sink_place(*file) : LETHE_OK;
        if (e == LETHE_OK)
            n++;
        else
            *file = NULL; // freed by the failure
    }
    lethe_folder *placed = NULL;
    if (e == LETHE_OK) e = data_appear(p, &placed);
    while (n-- > 0) {
        if (!p->beside[n]) continue;
        (e == LETHE_OK ? lethe_sink_keep : lethe_sink_take_back)(p->beside[n]);
        p->beside[n] = NULL;
    }
    if (placed) lethe_folder_keep(placed);
    return e;
}

static lethe_json *report_begin(lethe_pipeline *p)
{
    lethe_json *r = lethe_json_object(p->doc), *parameters = lethe_json_object(p->doc);
    const lethe_json *first = lethe_json_at(p->steps, 0);
    if (p->n_parts > 0) {
        lethe_set_text(p->doc, r, "command", "join");
        lethe_set_count(p->doc, parameters, LETHE_PARTS, p->n_parts);
        lethe_json_set(p->doc, r, "parameters", parameters);
        lethe_json_set(p->doc, r, "steps", p->steps);
        return r;
    }
    lethe_json_set(p->doc, r, "command", lethe_json_copy(p->doc, lethe_json_get(first, "command")));
    lethe_json_set(p->doc, r, "parameters",
                   lethe_json_copy(p->doc, lethe_json_get(first, "parameters")));
    if (p->job->n_steps > 1) lethe_json_set(p->doc, r, "steps", p->steps);
    return r;
}

static lethe_json *report_make(lethe_pipeline *p)
{
    lethe_json *r = report_begin(p);
    lethe_json_set(p->doc, r, "metrics", p->metrics);
    lethe_json_set(p->doc, r, "claims", p->claims);
    lethe_report_unclaimed(p->doc, r, p->steps);
    if (!p->verdict) { // nothing was written that could have been checked
        p->verdict = lethe_json_object(p->doc);
        lethe_json_set(p->doc, p->verdict, "holds", lethe_json_new_bool(p->doc, false));
    }
    lethe_json_set(p->doc, r, "verdict", lethe_verdict_told(p->doc, p->verdict, p->undecided));
    lethe_json_set(p->doc, r, "caveats", p->caveats);
    lethe_json *counts = lethe_counts_json(p->doc, &p->counts);
    lethe_set_count(p->doc, counts, "invalid_utf8", p->invalid_utf8);
    lethe_json_set(p->doc, r, "counts", counts);
    lethe_report_close(p->ctx, p->doc, r);
    return r;
}

lethe_err lethe_pipeline_publish(lethe_pipeline *p, lethe_err e)
{
    if (e == LETHE_OK && p->folder) e = folder_fill(p);
    if (e == LETHE_OK && !p->job->written && p->ops->tell) p->ops->tell(p);
    p->report = report_make(p); // while lack of memory for it can still hold the release back
    if (e == LETHE_OK && lethe_json_failed(p->doc)) e = lethe_no_memory(p->ctx);
    if (e == LETHE_OK && p->job->on_report) e = p->job->on_report(p->job->user, p->report);
    return e == LETHE_OK ? all_appear(p) : e;
}

static lethe_err pipeline_run(lethe_pipeline *p)
{
    lethe_ctx_set_english(p->ctx, false);
    const lethe_work none = {.name = NULL}, before = lethe_ctx_begin_work(p->ctx, &none);
    lethe_err e = lethe_pipeline_begin(p);
    bool runs = !p->job->written;
    if (e == LETHE_OK && !runs) e = lethe_written_account(p);
    if (e == LETHE_OK && runs) {
        e = p->ops->run(p);
        lethe_log_note_language(p->ctx, &p->read);
        lethe_ctx_begin_work(p->ctx, &none); // checkers have bounds of their own
        if (e == LETHE_OK && !p->streams) e = p->ops->finish(p->publisher);
        lethe_pipeline_count_out(p); // the report of a failure accounts for all lines, too
    }
    if (e == LETHE_OK) e = counts_check(p);
    if (e == LETHE_OK) e = persons_check(p);
    if (e == LETHE_OK && runs && p->ops->figures) p->ops->figures(p);
    if (e == LETHE_OK) e = caveats_check(p);
    caveats_collect(p);
    e = lethe_pipeline_publish(p, e);
    lethe_ctx_begin_work(p->ctx, &before);
    return e;
}

lethe_err lethe_release_make(lethe_ctx *ctx, const lethe_release_job *job, lethe_json_doc *doc,
                             lethe_json **report)
{
    return lethe_release_make_from(ctx, job, NULL, NULL, doc, report);
}

lethe_err lethe_release_make_from(lethe_ctx *ctx, const lethe_release_job *job,
                                  const lethe_input *input, const lethe_trial *trial,
                                  lethe_json_doc *doc, lethe_json **report)
{
    LETHE_TRY(lethe_job_check(ctx, job));
    const lethe_step *last = &job->steps[job->n_steps - 1];
    lethe_release_job own = *job;
    lethe_pipeline p = {.ctx = ctx,
                        .job = &own,
                        .publishing = &own.publishing,
                        .input = input,
                        .trial = trial,
                        .doc = doc,
                        .to_stdout = strcmp(job->out, "-") == 0,
                        .ops = lethe_shape_ops_of(lethe_step_shape(last)),
                        .layout = lethe_line_layout_of(last),
                        .end = job->n_steps};
    lethe_keep_settle(doc, job->steps, job->n_steps, &own.publishing);
    own.reading.keep = own.publishing.keep.n > 0 ? &own.publishing.keep : NULL;
    lethe_line_layout_keep(&p.layout, &own.publishing.keep);
    p.layout.piped = p.to_stdout;
    p.streams = p.to_stdout && own.publishing.keep.n == 0; // all rows are counted before the first
    for (size_t i = 0; i < job->n_steps; i++)
        p.streams = p.streams && job->steps[i].method->rows;
    lethe_publishing_settle(last, &own.publishing);
    own.publishing.object_ids = false; // that is seen when it is published
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? lethe_population_settle(ctx, a, &own) : lethe_no_memory(ctx);
    if (e == LETHE_OK) {
        e = pipeline_run(&p);
        *report = p.report;
        lethe_pipeline_end(&p);
    }
    lethe_arena_free(a);
    return e;
}
