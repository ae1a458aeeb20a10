/* pipeline.c - run the steps, check persons, publish, check the written bytes, let it appear.
 * DESIGN: "One pipeline" and "What must always hold". */
#include "release/make/pipeline.h"
#include "check/check.h"
#include "model/published/published_tree.h"
#include "release/page/report.h"
#include <pthread.h>

enum { FILES_MAX = 4 };

/* --- after the steps --- */

static lethe_err counts_check(lethe_pipeline *p)
{
    const lethe_counts *c = &p->counts;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (c->published == 0 || (p->publisher && lethe_publisher_rows(p->publisher) == 0))
        return lethe_fail(d, LETHE_ANSWER_NO, "nothing is left to publish");
    if (p->record_publisher && lethe_record_publisher_items(p->record_publisher) == 0)
        return lethe_fail(d, LETHE_ANSWER_NO,
                          "nothing is left to publish: no record has an item left");
    if (c->read == c->published + c->suppressed + c->rejected) return LETHE_OK;
    return lethe_fail(d, LETHE_ANSWER_NO,
                      "%llu lines were read but %llu are accounted for: nothing is published",
                      (unsigned long long)c->read,
                      (unsigned long long)(c->published + c->suppressed + c->rejected));
}

static lethe_err persons_check(lethe_pipeline *p)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    for (size_t i = 0; i < p->n_persons; i++) {
        if (!p->persons[i]) continue;
        const lethe_json *claim = lethe_json_at(p->claims, i);
        lethe_str name = lethe_json_text(lethe_json_get(claim, "notion"));
        bool holds = false;
        lethe_json *why = NULL;
        LETHE_TRY(lethe_persons_check(p->persons[i], lethe_notion_find(name), claim, p->doc, &holds,
                                      &why));
        if (!holds)
            return lethe_fail(d, LETHE_ANSWER_NO, "%.*s: a published %s has %lld persons, not %lld",
                              (int)name.n, name.at,
                              p->shape == LETHE_SHAPE_RECORDS ? "group" : "query",
                              (long long)lethe_json_int(lethe_json_get(why, "persons")),
                              (long long)lethe_json_int(lethe_json_get(why, "needed")));
    }
    return LETHE_OK;
}

/* A set is a whole person's: were there two of one, who counts sets would not count persons. */
static lethe_err sets_check(const lethe_pipeline *p)
{
    const lethe_step *last = &p->job->steps[p->job->n_steps - 1];
    bool apart = true;
    if (!p->record_publisher || !lethe_merges_persons(last->method, &last->values)) return LETHE_OK;
    LETHE_TRY(lethe_persons_apart(p->ctx, p->shaped.records,
                                  lethe_record_publisher_given(p->record_publisher), &apart));
    return apart ? LETHE_OK
                 : lethe_fail(p->ctx, LETHE_ANSWER_NO,
                              "two published records are of one person: nothing is published");
}

/* --- caveats, manifest, letting out --- */

static void caveat(lethe_pipeline *p, const char *text)
{
    for (size_t i = 0; i < lethe_json_count(p->caveats); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(p->caveats, i)), lethe_str_of(text))) return;
    lethe_json_push(p->doc, p->caveats, lethe_json_new_text(p->doc, lethe_str_of(text)));
}

static void step_caveats(lethe_pipeline *p, const lethe_step *step)
{
    const char *texts[LETHE_WARNS_MAX];
    for (const char *const *c = step->method->caveats; c && *c; c++)
        caveat(p, *c);
    size_t n = step->method->warns ? step->method->warns(&step->values, texts) : 0;
    for (size_t i = 0; i < n; i++)
        caveat(p, texts[i]);
}

static void caveats_collect(lethe_pipeline *p)
{
    const lethe_publish_options *how = &p->job->publishing;
    for (size_t i = 0; i < p->job->n_steps; i++)
        step_caveats(p, &p->job->steps[i]);
    if (how->has_seed)
        caveat(p, "Made with a seed: who guesses it can undo pseudonyms and choices.");
    bool renamed = false, of_log = !(p->shape & (LETHE_SHAPE_RECORDS | LETHE_SHAPE_TABLE));
    const char *texts[LETHE_MAX_CAVEATS];
    for (size_t i = 0; i < p->job->n_steps; i++)
        renamed = renamed || p->job->steps[i].method->renames;
    const lethe_values *last = &p->job->steps[p->job->n_steps - 1].values;
    size_t n = of_log                          ? lethe_publishing_caveats(how, renamed, texts)
               : p->shape == LETHE_SHAPE_TABLE ? lethe_table_caveats(last, texts)
                                               : lethe_records_caveats(last, texts);
    for (size_t i = 0; i < n; i++)
        caveat(p, texts[i]);
    if (p->shaped.has_own_leaves)
        caveat(p, "Items that are no leaves of the taxonomy got leaves of their own: the numbers "
                  "of leaves in taxonomy.tsv tell how many there are, and above which nodes.");
    if (how->key_file && of_log)
        caveat(p, "Pseudonyms are keyed by a file: releases made with the same key can be joined.");
}

static lethe_json *manifest_make(lethe_pipeline *p, lethe_json *files)
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
static void broken_say(lethe_pipeline *p)
{
    const lethe_json *checks = lethe_json_get(p->verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i);
        if (lethe_json_bool(lethe_json_get(check, "holds"))) continue;
        lethe_str notion = lethe_json_text(lethe_json_get(check, "notion"));
        (void)lethe_fail(p->ctx, LETHE_ANSWER_NO,
                         "the written data does not keep the promise %.*s: nothing is published",
                         (int)notion.n, notion.at);
    }
}

/* Digests are made beside the checks: both only read, and a digest keeps one core busy. */
typedef struct digesting {
    lethe_ctx *ctx;
    int dirfd;
    lethe_file_entry *files;
    size_t n;
    lethe_err err;
    pthread_t thread;
    bool apart; /* on a thread of its own */
} digesting;

static void *digest_files(void *arg)
{
    digesting *g = arg;
    for (size_t i = 0; i < g->n && g->err == LETHE_OK; i++)
        g->err = lethe_file_digest(g->ctx, g->dirfd, g->files[i].name, g->files[i].digest,
                                   &g->files[i].bytes);
    return NULL;
}

static void digests_begin(digesting *g)
{
    g->apart =
        lethe_ctx_threads(g->ctx) > 1 && pthread_create(&g->thread, NULL, digest_files, g) == 0;
    if (!g->apart) digest_files(g);
}

static lethe_err digests_end(digesting *g)
{
    if (g->apart) pthread_join(g->thread, NULL);
    return g->err;
}

/* The verdict without its counterexamples: they are data that is not published. */
static lethe_json *verdict_broken(lethe_pipeline *p)
{
    lethe_json *verdict = lethe_json_object(p->doc), *checks = lethe_json_array(p->doc);
    const lethe_json *found = lethe_json_get(p->verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(found); i++) {
        lethe_json *check = lethe_json_copy(p->doc, lethe_json_at(p->claims, i));
        bool holds = lethe_json_bool(lethe_json_get(lethe_json_at(found, i), "holds"));
        lethe_json_set(p->doc, check, "holds", lethe_json_new_bool(p->doc, holds));
        lethe_json_push(p->doc, checks, check);
    }
    lethe_json_set(p->doc, verdict, "holds", lethe_json_new_bool(p->doc, false));
    lethe_json_set(p->doc, verdict, "checks", checks);
    return verdict;
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
        step->method->claims(&step->values, p->doc, own);
        for (size_t i = 0; i < lethe_json_count(own) && n < all; i++)
            path[n++] = results ? results->text : NULL;
    }
    return path;
}

/* Both answers are waited for; the check's comes first. */
static lethe_err written_check(lethe_pipeline *p, lethe_file_entry *files, size_t n)
{
    lethe_log_form form = lethe_form_of(&p->job->publishing);
    lethe_published published = {.ctx = p->ctx,
                                 .dirfd = lethe_folder_fd(p->folder),
                                 .shape = p->shape,
                                 .form = &form,
                                 .figures = p->metrics};
    digesting g = {.ctx = p->ctx, .dirfd = published.dirfd, .files = files, .n = n};
    const char **results = results_of(p);
    if (!results) return lethe_no_memory(p->ctx);
    digests_begin(&g);
    lethe_err e = lethe_claims_check(&published, p->claims, results, p->doc, &p->verdict);
    lethe_err digested = digests_end(&g);
    lethe_free(results);
    if (e == LETHE_ANSWER_NO) {
        broken_say(p);
        p->verdict = verdict_broken(p);
    }
    return e == LETHE_OK ? digested : e;
}

/* A file of the folder, by what fills it. */
static lethe_err table_file(lethe_pipeline *p, const char *name,
                            lethe_err (*fill)(lethe_table_publisher *, lethe_sink *))
{
    lethe_sink *to;
    LETHE_TRY(lethe_sink_in(lethe_ctx_diag(p->ctx), p->folder, name, &to));
    lethe_err e = fill(p->table_publisher, to);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

static lethe_err table_files_write(lethe_pipeline *p, lethe_file_entry files[FILES_MAX], size_t *n)
{
    LETHE_TRY(table_file(p, files[0].name, lethe_table_publisher_data));
    files[(*n)++].name = LETHE_TAXONOMY_NAME;
    LETHE_TRY(table_file(p, LETHE_TAXONOMY_NAME, lethe_table_publisher_tree));
    if (!lethe_table_publisher_has_thetas(p->table_publisher)) return LETHE_OK;
    files[(*n)++].name = LETHE_THETA_NAME;
    return table_file(p, LETHE_THETA_NAME, lethe_table_publisher_theta);
}

static lethe_err record_file(lethe_pipeline *p, const char *name,
                             lethe_err (*fill)(lethe_record_publisher *, lethe_sink *))
{
    lethe_sink *to;
    LETHE_TRY(lethe_sink_in(lethe_ctx_diag(p->ctx), p->folder, name, &to));
    lethe_err e = fill(p->record_publisher, to);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

static lethe_err files_write(lethe_pipeline *p, lethe_file_entry files[FILES_MAX], size_t *n)
{
    files[0].name = lethe_data_name(p->shape);
    *n = 1;
    if (p->publisher) return lethe_publisher_write(p->publisher, p->folder, files[0].name);
    if (p->table_publisher) return table_files_write(p, files, n);
    const lethe_values *v = &p->job->steps[p->job->n_steps - 1].values;
    LETHE_TRY(record_file(p, files[0].name, lethe_record_publisher_data));
    if (lethe_value_find(v, "taxonomy")) { // else nothing is generalized
        files[(*n)++].name = LETHE_TAXONOMY_NAME;
        LETHE_TRY(record_file(p, LETHE_TAXONOMY_NAME, lethe_record_publisher_tree));
    }
    if (!lethe_record_publisher_has_marks(p->record_publisher)) return LETHE_OK;
    files[(*n)++].name = LETHE_SENSITIVE_NAME;
    return record_file(p, LETHE_SENSITIVE_NAME, lethe_record_publisher_sensitive);
}

static lethe_err page_write(lethe_pipeline *p, const lethe_json *manifest)
{
    lethe_sink *to;
    const lethe_report_input in = {.manifest = manifest,
                                   .shape = p->shape,
                                   .dirfd = lethe_folder_fd(p->folder),
                                   .n_examples = LETHE_REPORT_EXAMPLES};
    LETHE_TRY(lethe_sink_in(lethe_ctx_diag(p->ctx), p->folder, LETHE_REPORT_NAME, &to));
    lethe_err e = lethe_report_html(p->ctx, &in, to);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

/* The page tells of all that is in the manifest, but for itself. */
static lethe_err page_add(lethe_pipeline *p, lethe_file_entry files[FILES_MAX], size_t *n)
{
    const lethe_json *manifest = manifest_make(p, lethe_files_json(p->doc, files, *n));
    lethe_file_entry *page = &files[*n];
    if (lethe_json_failed(p->doc)) return lethe_no_memory(p->ctx);
    LETHE_TRY(page_write(p, manifest));
    page->name = LETHE_REPORT_NAME;
    ++*n;
    return lethe_file_digest(p->ctx, lethe_folder_fd(p->folder), page->name, page->digest,
                             &page->bytes);
}

static lethe_err folder_finish(lethe_pipeline *p)
{
    lethe_file_entry files[FILES_MAX] = {0};
    size_t n;
    lethe_ctx_phase(p->ctx, "writing", 0);
    LETHE_TRY(files_write(p, files, &n));
    lethe_ctx_phase(p->ctx, "checking", 0);
    LETHE_TRY(written_check(p, files, n));
    if (p->job->page) LETHE_TRY(page_add(p, files, &n));
    lethe_json *manifest = manifest_make(p, lethe_files_json(p->doc, files, n));
    if (lethe_json_failed(p->doc)) return lethe_no_memory(p->ctx);
    return lethe_manifest_write(p->ctx, p->folder, manifest);
}

static lethe_err data_print(lethe_pipeline *p)
{
    lethe_sink *to;
    if (p->publisher) return lethe_publisher_print(p->publisher);
    LETHE_TRY(lethe_sink_stdout(lethe_ctx_diag(p->ctx), &to));
    lethe_err e = p->table_publisher ? lethe_table_publisher_data(p->table_publisher, to)
                                     : lethe_record_publisher_data(p->record_publisher, to);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

static lethe_err let_out_data(lethe_pipeline *p, bool streamed)
{
    lethe_folder *folder = p->folder;
    p->folder = NULL;
    if (folder) return lethe_folder_commit(folder);
    return streamed ? LETHE_OK : data_print(p);
}

static lethe_err map_write(lethe_pipeline *p, lethe_sink *map)
{
    if (p->publisher) return lethe_publisher_map(p->publisher, map);
    return p->table_publisher ? lethe_table_publisher_map(p->table_publisher, map)
                              : lethe_record_publisher_map(p->record_publisher, map);
}

/* `file` appears just before the data.  If that does not come it goes again, and one that it
 * replaced is back: an old map may be the only way back from a release that stays. */
static lethe_err let_out_after(lethe_pipeline *p, lethe_sink *file, bool streamed,
                               lethe_err (*then)(lethe_pipeline *, bool))
{
    if (!file) return then(p, streamed);
    LETHE_TRY(lethe_sink_place(file));
    lethe_err e = then(p, streamed);
    if (e == LETHE_OK)
        lethe_sink_keep(file);
    else
        lethe_sink_take_back(file);
    return e;
}

static lethe_err let_out_mapped(lethe_pipeline *p, bool streamed)
{
    lethe_sink *map = p->map;
    if (map) LETHE_TRY(map_write(p, map));
    p->map = NULL;
    return let_out_after(p, map, streamed, let_out_data);
}

static lethe_err let_out(lethe_pipeline *p, bool streamed)
{
    lethe_sink *trace = p->trace;
    if (lethe_ctx_cancelled(p->ctx)) return LETHE_ECANCEL;
    p->trace = NULL;
    return let_out_after(p, trace, streamed, let_out_mapped);
}

static lethe_json *report_make(lethe_pipeline *p)
{
    lethe_json *r = lethe_json_object(p->doc);
    const lethe_json *first = lethe_json_at(p->steps, 0);
    lethe_json_set(p->doc, r, "command", lethe_json_copy(p->doc, lethe_json_get(first, "command")));
    lethe_json_set(p->doc, r, "parameters",
                   lethe_json_copy(p->doc, lethe_json_get(first, "parameters")));
    if (p->job->n_steps > 1) lethe_json_set(p->doc, r, "steps", p->steps);
    lethe_json_set(p->doc, r, "metrics", p->metrics);
    lethe_json_set(p->doc, r, "claims", p->claims);
    if (!p->verdict) { // nothing was written that could have been checked
        p->verdict = lethe_json_object(p->doc);
        lethe_json_set(p->doc, p->verdict, "holds", lethe_json_new_bool(p->doc, false));
    }
    lethe_json_set(p->doc, r, "verdict", p->verdict);
    lethe_json_set(p->doc, r, "caveats", p->caveats);
    lethe_json *counts = lethe_counts_json(p->doc, &p->counts);
    lethe_set_count(p->doc, counts, "invalid_utf8", p->invalid_utf8);
    lethe_json_set(p->doc, r, "counts", counts);
    lethe_report_close(p->ctx, p->doc, r);
    return r;
}

/* How many records there are, and what became of items on the way. */
static void records_count(lethe_pipeline *p)
{
    lethe_set_count(p->doc, p->metrics, "records",
                    lethe_record_publisher_count(p->record_publisher));
    lethe_set_count(p->doc, p->metrics, "unknown_items", p->shaped.records->counts.unknown);
}

static lethe_err pipeline_run(lethe_pipeline *p)
{
    lethe_err e = lethe_pipeline_begin(p);
    bool streams = lethe_can_stream(p);
    if (e == LETHE_OK) e = streams ? lethe_stream_run(p) : lethe_steps_run(p);
    if (e == LETHE_OK) e = counts_check(p);
    if (e == LETHE_OK) e = persons_check(p);
    if (e == LETHE_OK) e = sets_check(p);
    if (e == LETHE_OK && p->publisher && lethe_publisher_uncut(p->publisher))
        lethe_set_count(p->doc, p->metrics, "urls_uncut", lethe_publisher_uncut(p->publisher));
    if (e == LETHE_OK && p->record_publisher) records_count(p);
    caveats_collect(p);
    if (e == LETHE_OK && p->folder) e = folder_finish(p);
    p->report = report_make(p); // while lack of memory for it can still hold the release back
    if (e == LETHE_OK && lethe_json_failed(p->doc)) e = lethe_no_memory(p->ctx);
    if (e == LETHE_OK && p->job->on_report) e = p->job->on_report(p->job->user, p->report);
    return e == LETHE_OK ? let_out(p, streams) : e;
}

lethe_err lethe_release_make(lethe_ctx *ctx, const lethe_job *job, lethe_json_doc *doc,
                             lethe_json **report)
{
    return lethe_release_make_from(ctx, job, NULL, doc, report);
}

lethe_err lethe_release_make_from(lethe_ctx *ctx, const lethe_job *job, const lethe_input *held,
                                  lethe_json_doc *doc, lethe_json **report)
{
    LETHE_TRY(lethe_job_check(ctx, job));
    const lethe_step *last = &job->steps[job->n_steps - 1];
    lethe_job own = *job;
    lethe_pipeline p = {.ctx = ctx,
                        .job = &own,
                        .held = held,
                        .doc = doc,
                        .to_stdout = strcmp(job->out, "-") == 0,
                        .shape = (lethe_shape)last->method->out,
                        .layout = lethe_line_layout_of(last)};
    if (!p.layout.clicks || last->method->samples) own.publishing.urls = LETHE_URLS_DROP;
    if (last->method->samples) own.publishing.times = LETHE_TIMES_DROP;
    lethe_err e = pipeline_run(&p);
    *report = p.report;
    lethe_pipeline_end(&p);
    return e;
}
