/* SPDX-License-Identifier: Apache-2.0 */
/* join.c - one release of several that were made alike from parts of one input.
 *
 * Another way to finished data than lethe_release_make(): each part is verified, compared with the
 * first one and read, and from then on the pipeline writes, checks and publishes as ever.  What is
 * promised of each part must hold of all together: `joins` of a notion. */
#include "release/make/join_internal.h"
#include "release/make/pipeline.h"
#include "core/dict.h"
#include "io/syserr.h"
#include "release/page/report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct joining {
    lethe_pipeline p;
    lethe_release_job job; /* as the first part's manifest describes it */
    lethe_shape_ops ops;   /* its shape's, with files of our own */
    const lethe_join_options *how;
    lethe_arena *arena;
    lethe_json_doc *first_doc;
    const lethe_json *first; /* manifest of the first part */
    lethe_joined_figures *figures;
    lethe_dict *seen; /* folders and data files, so that none is taken twice */
} joining;

/* --- a part is one of the release --- */

static lethe_err part_verify(joining *j, const char *part)
{
    const lethe_verify_options how = {.time_limit_s = j->how->time_limit_s};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (!doc) return lethe_no_memory(j->p.ctx);
    lethe_err e = lethe_release_verify_as(j->p.ctx, part, &how, doc, &report);
    lethe_json_doc_free(doc);
    if (e != LETHE_ANSWER_NO) return e;
    return lethe_fail(j->p.ctx, LETHE_ANSWER_NO,
                      "'%s' does not keep its promise: nothing is joined (see lethe verify)", part);
}

/* The same folder, or a copy: its persons would count twice.  *key is unique to one of them. */
static lethe_err once_check(joining *j, const char *part, const char *key)
{
    uint32_t id, before = lethe_dict_count(j->seen);
    lethe_err e = lethe_dict_add(j->seen, lethe_str_of(key), &id);
    if (e == LETHE_ENOMEM) return lethe_no_memory(j->p.ctx);
    LETHE_TRY(e);
    if (id == before) return LETHE_OK;
    return lethe_fail(j->p.ctx, LETHE_EINPUT, "'%s' is given twice, or is a copy of another part",
                      part);
}

static lethe_err twice_check(joining *j, const char *part, const lethe_published *p)
{
    char key[LETHE_DIGEST_CHARS + 64];
    struct stat st, out;
    if (fstat(p->dirfd, &st) != 0)
        return lethe_fail_sys(lethe_ctx_diag(j->p.ctx), "look at", part, errno);
    if (stat(j->how->out, &out) == 0 && st.st_dev == out.st_dev && st.st_ino == out.st_ino)
        return lethe_fail(j->p.ctx, LETHE_EUSAGE, "the output '%s' is one of the parts",
                          j->how->out);
    snprintf(key, sizeof key, "folder %ju %ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    LETHE_TRY(once_check(j, part, key));
    const lethe_json *data = lethe_json_at(lethe_json_get(p->manifest, "files"), 0),
                     *read = lethe_json_get(lethe_json_get(p->manifest, "counts"), "read");
    lethe_str digest = lethe_json_text(lethe_json_get(data, "blake2b"));
    snprintf(key, sizeof key, "data %.*s %jd", (int)digest.n, digest.at,
             (intmax_t)lethe_json_int(read));
    return once_check(j, part, key);
}

/* Names the first parameter that two steps do not have alike. */
static lethe_err parameters_differ(joining *j, const char *part, const lethe_json *ours,
                                   const lethe_json *theirs, const char *method)
{
    size_t n = LETHE_MAX(lethe_json_count(ours), lethe_json_count(theirs));
    for (size_t i = 0; i < n; i++) {
        const lethe_json *from = i < lethe_json_count(ours) ? ours : theirs,
                         *a = lethe_json_at(ours, i), *b = lethe_json_at(theirs, i);
        lethe_str name = lethe_json_name(from, i);
        bool same = i < lethe_json_count(ours) && i < lethe_json_count(theirs) &&
                    lethe_str_eq(lethe_json_name(ours, i), lethe_json_name(theirs, i));
        if (same) LETHE_TRY(lethe_json_same(lethe_ctx_diag(j->p.ctx), a, b, &same));
        if (same) continue;
        char shown[64];
        lethe_show(shown, sizeof shown, name);
        return lethe_fail(j->p.ctx, LETHE_EINPUT,
                          "'%s' was not made as '%s' was: the option '%s' of %s differs", part,
                          j->how->parts[0], shown, method);
    }
    return lethe_fail(j->p.ctx, LETHE_EINPUT, "'%s' was not made as '%s' was: %s differs", part,
                      j->how->parts[0], method);
}

static lethe_err steps_differ(joining *j, const char *part, const lethe_json *ours,
                              const lethe_json *theirs)
{
    size_t n = LETHE_MIN(lethe_json_count(ours), lethe_json_count(theirs));
    for (size_t i = 0; i < n; i++) {
        const lethe_json *a = lethe_json_at(ours, i), *b = lethe_json_at(theirs, i);
        const lethe_method *m = lethe_step_method(a), *other = lethe_step_method(b);
        bool same = false;
        LETHE_TRY(lethe_json_same(lethe_ctx_diag(j->p.ctx), a, b, &same));
        if (same) continue;
        if (m != other) break;
        return parameters_differ(j, part, lethe_json_get(a, "parameters"),
                                 lethe_json_get(b, "parameters"), m->name);
    }
    return lethe_fail(j->p.ctx, LETHE_EINPUT, "'%s' was made by other methods than '%s'", part,
                      j->how->parts[0]);
}

static lethe_err part_compare(joining *j, const char *part, const lethe_json *manifest)
{
    lethe_diag *d = lethe_ctx_diag(j->p.ctx);
    const lethe_json *ours = lethe_json_get(j->first, "steps"),
                     *theirs = lethe_json_get(manifest, "steps");
    lethe_str version = lethe_json_text(lethe_json_get(manifest, "lethe"));
    char shown[64];
    bool same;
    lethe_show(shown, sizeof shown, version);
    if (!lethe_str_eq(version, lethe_str_of(lethe_version())))
        return lethe_fail(d, LETHE_EINPUT,
                          "'%s' was made by lethe %s: lethe %s joins releases of its own version",
                          part, shown, lethe_version());
    LETHE_TRY(lethe_json_same(d, ours, theirs, &same));
    if (!same) return steps_differ(j, part, ours, theirs);
    LETHE_TRY(lethe_json_same(d, lethe_json_get(j->first, "claims"),
                              lethe_json_get(manifest, "claims"), &same));
    if (!same)
        return lethe_fail(d, LETHE_EINPUT, "'%s' promises other things than '%s'", part,
                          j->how->parts[0]);
    return LETHE_OK;
}

/* --- the first part says what is made --- */

static const lethe_release_file records_files[] = {
    {.name = "data.txt", .write = lethe_joined_data_write},
    {.name = "taxonomy.tsv", .write = lethe_joined_taxonomy_write},
    {0}};
static const lethe_release_file log_files[] = {
    {.name = "data.tsv", .write = lethe_joined_data_write}, {0}};

static lethe_err may_join(joining *j, lethe_shape shape)
{
    lethe_diag *d = lethe_ctx_diag(j->p.ctx);
    const char *hinders = lethe_steps_hinder_joining(lethe_json_get(j->first, "steps"),
                                                     lethe_json_get(j->first, "claims"));
    if (hinders)
        return lethe_fail(d, LETHE_EUSAGE,
                          "releases of %s cannot be joined: what it promises of each part need not "
                          "hold of all together",
                          hinders);
    if (shape != LETHE_SHAPE_RECORDS && shape != LETHE_SHAPE_LOG)
        return lethe_fail(d, LETHE_EUSAGE, "only releases of records and logs can be joined");
    return LETHE_OK;
}

/* Files of ours take the place of the shape's. */
static void ops_set(joining *j, lethe_shape shape)
{
    j->ops = *lethe_shape_ops_of(shape);
    j->ops.files = shape == LETHE_SHAPE_RECORDS ? records_files : log_files;
    j->ops.free = lethe_joined_data_free;
    j->ops.written = NULL;
    j->ops.tell = NULL;
    j->p.ops = &j->ops;
}

static lethe_err first_take(joining *j, const lethe_published *part, lethe_json_doc *doc)
{
    lethe_pipeline *p = &j->p;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    j->first = part->manifest;
    j->first_doc = doc;
    LETHE_TRY(may_join(j, part->shape));
    LETHE_TRY(lethe_manifest_job(d, j->arena, j->first, p->doc, &j->job));
    j->job.out = j->how->out;
    j->job.publishing.force = j->how->force;
    j->job.page = j->how->page;
    j->job.title = j->how->title;
    j->job.date = j->how->date;
    j->job.on_report = j->how->on_report;
    j->job.user = j->how->user;
    ops_set(j, part->shape);
    p->steps = lethe_json_copy(p->doc, lethe_json_get(j->first, "steps"));
    p->claims = lethe_json_copy(p->doc, lethe_json_get(j->first, "claims"));
    LETHE_TRY(lethe_pipeline_targets_begin(p));
    LETHE_TRY(lethe_joined_figures_new(p->ctx, p->steps, lethe_json_get(j->first, "metrics"),
                                       &j->figures));
    lethe_joined_data *data;
    LETHE_TRY(lethe_joined_data_new(p->ctx, part->shape, j->how->parts, &data));
    p->publisher = data;
    return LETHE_OK;
}

/* --- each part --- */

static lethe_err files_check(const joining *j, const char *part, const lethe_json *manifest)
{
    const lethe_json *files = lethe_json_get(manifest, "files");
    for (size_t i = 0; i < lethe_json_count(files); i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name"));
        bool known = lethe_str_eq(name, LETHE_LIT(LETHE_REPORT_NAME));
        for (const lethe_release_file *f = j->ops.files; f->name; f++)
            known = known || lethe_str_eq(name, lethe_str_of(f->name));
        char shown[64];
        lethe_show(shown, sizeof shown, name);
        if (!known)
            return lethe_fail(j->p.ctx, LETHE_EUSAGE,
                              "'%s' holds '%s', which cannot be joined: make the parts without it",
                              part, shown);
    }
    return LETHE_OK;
}

static void caveats_take(lethe_pipeline *p, const lethe_json *manifest)
{
    const lethe_json *said = lethe_json_get(manifest, "caveats");
    for (size_t i = 0; i < lethe_json_count(said); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(said, i));
        bool known = false;
        for (size_t k = 0; k < lethe_json_count(p->caveats) && !known; k++)
            known = lethe_str_eq(text, lethe_json_text(lethe_json_at(p->caveats, k)));
        if (!known) lethe_json_push(p->doc, p->caveats, lethe_json_new_text(p->doc, text));
    }
}

static lethe_err part_take(joining *j, size_t i, const lethe_published *part)
{
    const char *name = j->how->parts[i];
    const lethe_json *m = part->manifest;
    LETHE_TRY(part_compare(j, name, m));
    LETHE_TRY(files_check(j, name, m));
    LETHE_TRY(twice_check(j, name, part));
    LETHE_TRY(part_verify(j, name));
    LETHE_TRY(lethe_joined_figures_add(j->figures, lethe_json_get(m, "metrics"),
                                       lethe_json_get(m, "counts")));
    caveats_take(&j->p, m);
    uint64_t within = lethe_manifest_parts(m); // of one that was joined itself
    j->p.n_parts += within ? within : 1;
    return lethe_joined_data_add(j->p.publisher, i, part->dirfd);
}

static lethe_err parts_take(joining *j)
{
    for (size_t i = 0; i < j->how->n_parts; i++) {
        lethe_published part;
        lethe_json_doc *doc;
        lethe_err e = lethe_release_open(j->p.ctx, j->how->parts[i], &part, &doc);
        if (e == LETHE_OK && i == 0) e = first_take(j, &part, doc);
        if (e == LETHE_OK) e = part_take(j, i, &part);
        lethe_release_close(&part, j->first_doc == doc ? NULL : doc); // the first one's stays
        LETHE_TRY(e);
    }
    lethe_pipeline *p = &j->p;
    lethe_ctx_phase(p->ctx, "joining", 0);
    p->counts = lethe_joined_figures_counts(j->figures);
    p->metrics = lethe_joined_figures_metrics(j->figures, p->doc);
    return lethe_joined_data_finish(p->publisher);
}

/* --- all of it --- */

static lethe_err options_check(lethe_ctx *ctx, const lethe_join_options *how)
{
    const lethe_release_job texts = {.title = how->title, .date = how->date};
#ifdef LETHE_MINIMAL
    if (how->page)
        return lethe_fail(ctx, LETHE_EUSAGE, "--report: this build of lethe makes no pages");
#endif
    if (how->n_parts == 0) return lethe_fail(ctx, LETHE_EUSAGE, "no parts given");
    if (!how->out) return lethe_fail(ctx, LETHE_EUSAGE, "no output given: a release is a folder");
    if (strcmp(how->out, "-") == 0)
        return lethe_fail(ctx, LETHE_EUSAGE, "join needs -o FOLDER: -o - does not make a release");
    return lethe_job_texts_check(lethe_ctx_diag(ctx), &texts);
}

static lethe_err joining_run(joining *j)
{
    lethe_pipeline *p = &j->p;
    p->caveats = lethe_json_array(p->doc);
    const char *joined = lethe_run_caveats[LETHE_CAVEAT_JOINED];
    lethe_json_push(p->doc, p->caveats, lethe_json_new_text(p->doc, lethe_str_of(joined)));
    LETHE_TRY(parts_take(j));
    return lethe_pipeline_publish(p, LETHE_OK);
}

lethe_err lethe_release_join(lethe_ctx *ctx, const lethe_join_options *how, lethe_json_doc *doc,
                             lethe_json **report)
{
    LETHE_TRY(options_check(ctx, how));
    joining j = {.how = how, .arena = lethe_arena_new(), .seen = lethe_dict_new()};
    j.p = (lethe_pipeline){.ctx = ctx, .job = &j.job, .publishing = &j.job.publishing, .doc = doc};
    lethe_err e = j.arena && j.seen ? joining_run(&j) : lethe_no_memory(ctx);
    *report = j.p.report;
    if (j.p.ops) lethe_pipeline_end(&j.p);
    lethe_joined_figures_free(j.figures);
    lethe_json_doc_free(j.first_doc);
    lethe_dict_free(j.seen);
    lethe_arena_free(j.arena);
    return e;
}
