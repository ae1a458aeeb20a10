/* SPDX-License-Identifier: Apache-2.0 */
/* make_records.c - records are made: they are read, or made of a log behind its other steps, bound
 * to a taxonomy, and published by the names of their items. */
#include "release/make/pipeline.h"
#include "model/published/published_records.h"
#include "model/published/published_tree.h"
#include <stdio.h>

/* Persons are told apart by number; with `--persons record` each record is one. */
static lethe_err emit_record(lethe_result *out, size_t from, uint32_t group, const uint32_t *node,
                             size_t n)
{
    lethe_pipeline *p = out->pipeline;
    char key[16], owner[24];
    LETHE_TRY(lethe_record_publisher_put(p->publisher, from, group, node, n));
    uint64_t person = p->records_are_persons ? from : p->bound.records->owner[from];
    int n_key = snprintf(key, sizeof key, "%lu", (unsigned long)group);
    int n_owner = snprintf(owner, sizeof owner, "%llu", (unsigned long long)person);
    return lethe_pipeline_persons_put(p, 0, (lethe_str){key, (size_t)n_key},
                                      (lethe_str){owner, (size_t)n_owner});
}

static lethe_err emit_bag(lethe_result *out, const uint32_t *node, size_t n, uint32_t *item)
{
    lethe_pipeline *p = out->pipeline;
    return lethe_record_publisher_bag(p->publisher, node, n, item);
}

/* --- the steps --- */

static lethe_err log_bind(lethe_pipeline *p, size_t i, lethe_log *in)
{
    return lethe_bind_log(p->ctx, in, &p->job->steps[i].values, NULL, p->job->reading.strict,
                          &p->bound);
}

static lethe_err records_bind(lethe_pipeline *p)
{
    const lethe_release_job *job = p->job;
    const lethe_values *v = &job->steps[0].values;
    p->steps = lethe_steps_json(p->doc, job, true);
    if (p->input)
        LETHE_TRY(lethe_input_to_records(p->ctx, p->input, v, NULL, &job->reading, &p->bound));
    else
        LETHE_TRY(lethe_bind_files(p->ctx, job->inputs, job->n_inputs, v, NULL, &job->reading,
                                   &p->bound));
    const lethe_record_counts *c = &p->bound.records->counts;
    p->counts.read = c->read;
    p->counts.rejected = c->rejected;
    p->invalid_utf8 = c->invalid_utf8;
    return LETHE_OK;
}

/* What the publisher holds: a place for each record, and the items that are published, at most as
 * many as there are (lethe_record_publisher). */
static uint64_t publisher_need(const lethe_sizes *s)
{
    uint64_t taxonomy = s->expected ? UINT64_C(16) << 20 : 0; // read after the records; WordNet's
    return 28 * s->n + 5 * s->parts + taxonomy;
}

static lethe_err records_run(lethe_pipeline *p)
{
    bool records;
    lethe_step_need need = {.step = lethe_pipeline_last(p), .adds = publisher_need};
    (void)lethe_pipeline_begin_work(p, &need);
    LETHE_TRY(lethe_pipeline_reads_records(p, &records));
    LETHE_TRY(records ? records_bind(p) : lethe_log_steps_run(p, log_bind));
    if (p->bound.digest[0])
        lethe_steps_set_text(p->doc, p->steps, LETHE_TAXONOMY_DIGEST, p->bound.digest);
    const lethe_step *last = lethe_pipeline_last(p);
    lethe_run run = lethe_pipeline_run_of(p, p->job->n_steps - 1);
    lethe_result out = lethe_pipeline_result(p);
    out.record = emit_record;
    out.bag = emit_bag;
    LETHE_TRY(lethe_bound_to_sets(p->ctx, last->method, run.values, &p->bound));
    const lethe_data data = {
        .shape = LETHE_SHAPE_RECORDS, .records = p->bound.records, .tree = p->bound.tree};
    lethe_sizes sizes = lethe_records_sizes(data.records, data.tree);
    need.data = &data;
    LETHE_TRY(lethe_ctx_need(p->ctx, &sizes));
    p->records_are_persons = lethe_count_of(run.values, "persons") == 1;
    LETHE_TRY(lethe_record_publisher_new(p->ctx, data.records, data.tree, &p->publisher));
    if (lethe_names_rows(last->method, run.values, p->job->n_steps))
        lethe_record_publisher_name_rows(p->publisher);
    return last->method->run(&run, &data, &out);
}

/* --- operations of the shape --- */

static size_t records_caveats(const lethe_chain *c, const lethe_publish_options *how,
                              const char *out[LETHE_MAX_CAVEATS])
{
    const lethe_value *taxonomy = lethe_value_find(&c->last->values, "taxonomy");
    size_t n = 0;
    (void)how;
    if (taxonomy && taxonomy->word && taxonomy->count == 1)
        out[n++] =
            "The taxonomy was made from the words that are present: it shows which ones these are.";
    if (lethe_count_of(&c->last->values, "persons") == 1)
        out[n++] = "k counts records, not persons: where one person owns several records of a "
                   "group, fewer than k persons stand behind it.";
    return n;
}

static void records_count(lethe_pipeline *p)
{
    p->counts.suppressed += p->bound.rows_unused;
    if (p->publisher)
        lethe_record_publisher_lines(p->publisher, &p->counts.published, &p->counts.suppressed);
}

/* The persons who used each published term: the files show neither. */
static lethe_err terms_check(lethe_pipeline *p)
{
    for (size_t i = 0; i < lethe_json_count(p->claims); i++) {
        const lethe_json *needed = lethe_json_get(lethe_json_at(p->claims, i), "term-persons");
        bool holds = true;
        if (!needed) continue;
        LETHE_TRY(lethe_persons_of_terms(p->ctx, p->bound.records, p->bound.tree,
                                         lethe_record_publisher_shown(p->publisher),
                                         (uint64_t)lethe_json_int(needed), &holds));
        if (!holds)
            return lethe_fail(p->ctx, LETHE_EINTERNAL,
                              LETHE_FAULT "a published term was used by too few persons");
    }
    return LETHE_OK;
}

/* A set holds a whole person: if a person had two, counting sets would not count persons. */
static lethe_err records_check(lethe_pipeline *p)
{
    const lethe_step *last = lethe_pipeline_last(p);
    bool apart = true;
    if (lethe_record_publisher_items(p->publisher) == 0)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO,
                          "nothing is left to publish: no record has an item left");
    LETHE_TRY(terms_check(p));
    if (lethe_merges_persons(last->method, &last->values))
        LETHE_TRY(lethe_persons_apart(p->ctx, p->bound.records,
                                      lethe_record_publisher_given(p->publisher), &apart));
    return apart ? LETHE_OK
                 : lethe_fail(p->ctx, LETHE_EINTERNAL,
                              LETHE_FAULT "two published records belong to one person");
}

static const lethe_figure records_adds[] = {
    {"records", "published records", 0, .source = LETHE_FIGURE_RELEASE,
     .label = "records published"},
    {"unknown_items", "items that the taxonomy does not know, which are left out", .better = -1,
     .label = "items the taxonomy lacks", .unit = "left out"},
    {0},
};

static const lethe_joint records_joint[] = {
    {"records", LETHE_JOINT_SUM}, {"unknown_items", LETHE_JOINT_SUM}, {0}};

static void records_figures(lethe_pipeline *p)
{
    lethe_set_count(p->doc, p->metrics, "records", lethe_record_publisher_count(p->publisher));
    lethe_set_count(p->doc, p->metrics, "unknown_items", p->bound.records->counts.unknown);
}

static bool generalizes(const lethe_pipeline *p)
{
    return lethe_value_find(&lethe_pipeline_last(p)->values, "taxonomy");
}

/* Whatever of the list is published: a receiver must see that there was one, if only an empty file
 * of it. */
static bool has_list(const lethe_pipeline *p)
{
    return lethe_is_given(&lethe_pipeline_last(p)->values, "sensitive");
}

static bool nothing_sensitive(const lethe_pipeline *p)
{
    return has_list(p) && !lethe_record_publisher_has_marks(p->publisher);
}

static const lethe_release_file records_files[] = {
    {.name = LETHE_RECORDS_NAME, .write = lethe_record_publisher_data},
    {.name = LETHE_TAXONOMY_NAME, .write = lethe_record_publisher_tree, .applies = generalizes},
    {.name = LETHE_SENSITIVE_NAME, .write = lethe_record_publisher_sensitive, .applies = has_list},
    {0}};

const lethe_shape_ops lethe_records_ops = {.shape = LETHE_SHAPE_RECORDS,
                                           .noun = "records",
                                           .title = "Published records",
                                           .person_of = "group",
                                           .files = records_files,
                                           .adds = records_adds,
                                           .joint = records_joint,
                                           .caveats = records_caveats,
                                           .run = records_run,
                                           .finish = lethe_record_publisher_finish,
                                           .count = records_count,
                                           .check = records_check,
                                           .figures = records_figures,
                                           .nothing_sensitive = nothing_sensitive,
                                           .map = lethe_record_publisher_map,
                                           .free = lethe_record_publisher_free,
                                           .verify = lethe_verify_records};
