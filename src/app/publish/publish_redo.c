/* SPDX-License-Identifier: Apache-2.0 */
/* publish_redo.c - the same release of another input, such as next month's log. */
#include "app/publish/publish.h"
#include "release/make/table_options.h"
#include "release/shape_ops.h"

/* What was done, as its manifest says; in the arena. */
typedef struct recipe {
    lethe_release_job job;
    lethe_step *steps; /* of the job */
    bool of_records;
    bool of_list; /* scrub had one */
} recipe;

/* The folder of "DIR/manifest.json"; NULL: no memory. */
static const char *folder_of(lethe_arena *a, const char *path)
{
    static const char end[] = "/" LETHE_MANIFEST;
    size_t n = strlen(path), m = sizeof end - 1;
    if (strcmp(path, LETHE_MANIFEST) == 0) return ".";
    if (n > m && strcmp(path + n - m, end) == 0) n -= m;
    return lethe_arena_dup(a, (lethe_str){path, n});
}

static lethe_err recipe_read(lethe_publication *p, recipe *out)
{
    lethe_published release;
    lethe_json_doc *doc = NULL;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const char *folder = folder_of(p->arena, p->asked->like);
    if (!folder) return lethe_no_memory(p->ctx);
    LETHE_TRY(lethe_release_open(p->ctx, folder, &release, &doc));
    lethe_err e = lethe_manifest_job(d, p->arena, release.manifest, p->doc, &out->job);
    out->of_records = lethe_manifest_of_records(release.manifest);
    out->of_list = lethe_json_get(
        lethe_json_get(lethe_json_get(release.manifest, "metrics"), "found"), "list");
    lethe_release_close(&release, doc);
    LETHE_TRY(e);
    out->steps = lethe_new(p->arena, lethe_step, out->job.n_steps);
    if (!out->steps) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < out->job.n_steps; i++)
        out->steps[i] = out->job.steps[i];
    return LETHE_OK;
}

/* Files are not in a manifest: lists, hierarchies and taxonomies are given anew. */
static lethe_err files_settle(lethe_publication *p, const recipe *r, lethe_step *step)
{
    lethe_values *v = &step->values;
    for (size_t i = 0; i < v->n; i++) {
        const char *name = v->table[i].name;
        if (v->table[i].type != LETHE_OPT_PATH) continue;
        const lethe_value *given =
            p->asked->values ? lethe_value_find(p->asked->values, name) : NULL;
        bool hidden = v->at[i].given && !v->at[i].text && !v->at[i].word;
        if (given && given->given && lethe_step_takes(step, name))
            v->at[i] = *given;
        else if (hidden || (r->of_list && strcmp(name, "list") == 0))
            return lethe_fail(p->ctx, LETHE_EUSAGE,
                              "the release was made with a file of its owner's: use --%s FILE",
                              name);
    }
    return LETHE_OK;
}

/* "scrub, threshold" */
static const char *label_of(lethe_arena *a, const recipe *r)
{
    const char *label = r->steps[0].method->name;
    for (size_t i = 1; label && i < r->job.n_steps; i++)
        label = lethe_arena_printf(a, "%s, %s", label, r->steps[i].method->name);
    return label;
}

static lethe_err input_read(lethe_publication *p, const recipe *r)
{
    const lethe_publish_request *q = p->asked;
    lethe_read_options reading = q->reading;
    bool table = r->steps[0].method->in & LETHE_SHAPE_TABLE;
    lethe_shape shape = LETHE_SHAPE_TABLE;
    if (r->of_records && !reading.format) reading.format = LETHE_FORMAT_RECORDS;
    if (!table)
        LETHE_TRY(lethe_input_shape_of(p->ctx, q->inputs, q->n_inputs, &reading, false, &shape));
    if (!table && (shape == LETHE_SHAPE_RECORDS) != r->of_records)
        return lethe_fail(p->ctx, LETHE_EUSAGE, "the release was made from %s, but the input is %s",
                          r->of_records ? "records" : "a log", lethe_shape_noun(shape));
    if (table) LETHE_TRY(lethe_table_options_check(lethe_ctx_diag(p->ctx), &r->steps[0].values));
    p->shape = shape;
    LETHE_TRY(lethe_input_read(p->ctx, q->inputs, q->n_inputs, &reading, shape, &r->steps[0].values,
                               &p->input));
    if (shape == LETHE_SHAPE_LOG) return lethe_facts_of_log(p->ctx, p->input.log, &p->facts);
    if (shape == LETHE_SHAPE_RECORDS) {
        lethe_records *raw;
        LETHE_TRY(lethe_input_raw(p->ctx, &p->input, &reading, &raw));
        p->facts.persons = raw->n_owners;
        p->facts.rows = raw->n;
        lethe_records_free(raw);
    }
    if (table) p->facts.persons = p->facts.rows = p->input.table->n;
    return LETHE_OK;
}

lethe_err lethe_publication_redo(lethe_publication *p)
{
    recipe r = {0};
    lethe_planned_run run = {.n_steps = 0};
    lethe_attempt one = {.run = &run};
    LETHE_TRY(recipe_read(p, &r));
    for (size_t i = 0; i < r.job.n_steps; i++)
        LETHE_TRY(files_settle(p, &r, &r.steps[i]));
    run.method = r.steps[r.job.n_steps - 1].method;
    run.label = label_of(p->arena, &r);
    run.name = "redo";
    one.out = lethe_method_shape(run.method, &r.steps[r.job.n_steps - 1].values);
    if (!run.label) return lethe_no_memory(p->ctx);
    lethe_publish_request own = *p->asked; // with what the manifest says of reading
    if (r.job.reading.has_users_with && !own.reading.has_users_with) {
        own.reading.has_users_with = true;
        own.reading.users_with_min = r.job.reading.users_with_min;
        own.reading.users_with_max = r.job.reading.users_with_max;
    }
    if (!own.reading.actions) own.reading.actions = r.job.reading.actions;
    if (r.job.publishing.keep.n > 0) own.reading.keep = &r.job.publishing.keep;
    p->asked = &own;
    LETHE_TRY(lethe_publication_begin(p));
    LETHE_TRY(input_read(p, &r));
    lethe_publish_options how = p->asked->publishing;
    how.keep_users = r.job.publishing.keep_users;
    how.times = r.job.publishing.times;
    how.urls = r.job.publishing.urls;
    how.keep = r.job.publishing.keep;
    how.keep_min = r.job.publishing.keep_min;
    how.as_ubi = r.job.publishing.as_ubi;
    p->judged = &one;
    p->steps = r.steps;
    p->n_steps = r.job.n_steps;
    lethe_err e = lethe_publication_release(p, &how);
    if (e == LETHE_OK || e == LETHE_ECANCEL) return e;
    if (e == LETHE_ANSWER_NO) LETHE_TRY(lethe_publication_report(p, NULL));
    return lethe_fail(p->ctx, e, "nothing is published: %s", p->messages.error);
}
