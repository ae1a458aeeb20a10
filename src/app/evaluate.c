/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c - a release beside its original: what it is still worth (measures), and what it still
 * gives away (adversaries). */
#include "app/evaluate.h"
#include "release/release.h"
#include "app/open/open_log.h"
#include "release/make/bind.h"
#include "release/make/table_options.h"
#include "release/make/input.h"
#include "algo/text/person_terms.h"
#include "core/mem.h"
#include "io/read/source.h"
#include "model/map.h"
#include <sys/stat.h>

/* A release and its original, both open. */
typedef struct pair {
    lethe_published published;
    lethe_comparison comparison;
    lethe_json_doc *manifest_doc;
    const lethe_evaluate_options *asked;
    const lethe_input *input; /* the original, read already; NULL: its files are to be read */
    lethe_input read;         /* it, where it could not be read twice */
    lethe_arena *arena;
    lethe_bound_records bound;           /* the original, where it is records */
    lethe_tree *with_marks;              /* of its sensitive items too; NULL: it has none */
    lethe_table *table;                  /* the original, where it is a table */
    char digest[LETHE_DIGEST_CHARS + 1]; /* of the manifest, where there is a map */
} pair;

/* The taxonomy: as the manifest names it, or the file that the user gives. */
static lethe_err taxonomy_settle(lethe_diag *d, const lethe_evaluate_options *a,
                                 const lethe_json *step, lethe_values *v)
{
    const lethe_json *named = lethe_json_get(lethe_json_get(step, "parameters"), "taxonomy");
    if (!lethe_value_find(v, "taxonomy")) return LETHE_OK; // nothing is generalized
    if (lethe_is_given(a->values, "taxonomy")) {
        for (size_t i = 0; i < v->n; i++)
            if (strcmp(v->table[i].name, "taxonomy") == 0)
                v->at[i] = *lethe_value_find(a->values, "taxonomy");
        return LETHE_OK;
    }
    if (named) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE,
                      "the release was made with its owner's taxonomy: use --taxonomy FILE");
}

/* Each measure reads the log's files again; input that can be read only once, as a pipe, is held
 * in memory. */
static lethe_err log_open(lethe_ctx *ctx, const lethe_evaluate_options *a, pair *p, lethe_log **log)
{
    bool regular = true;
    for (size_t i = 0; i < a->n_originals; i++)
        regular = regular && !lethe_source_is_once(lethe_ctx_diag(ctx), a->originals[i]);
    if (!p->input && regular)
        return lethe_log_files(ctx, a->originals, a->n_originals, &a->reading, log);
    if (!p->input) {
        LETHE_TRY(lethe_input_read(ctx, a->originals, a->n_originals, &a->reading, LETHE_SHAPE_LOG,
                                   NULL, &p->read));
        p->input = &p->read;
    }
    *log = p->input->log;
    return LETHE_OK;
}

/* The original as the step of the release took it.  Its list of sensitive items is its owner's, but
 * those that are published are listed. */
static lethe_err original_bind(lethe_ctx *ctx, const lethe_evaluate_options *a, bool records,
                               const lethe_method *m, lethe_values *v, pair *p)
{
    const lethe_json *manifest = p->published.manifest, *steps = lethe_json_get(manifest, "steps"),
                     *n = lethe_json_get(lethe_json_get(manifest, "metrics"), "records");
    const lethe_row_map_of map = {
        .path = a->map, .digest = p->digest, .n_published = (uint64_t)lethe_json_int(n)};
    bool names_rows = a->map && lethe_names_rows(m, v, lethe_json_count(steps));
    lethe_dict *names = NULL;
    lethe_sensitive *marks = NULL;
    lethe_log **log = &p->comparison.log;
    LETHE_TRY(lethe_published_sensitive_read(ctx, p->published.dirfd, &names));
    lethe_err e = names ? lethe_sensitive_of(ctx, names, &marks) : LETHE_OK;
    if (e == LETHE_OK && records) {
        // a manifest has all parameters, defaults too, but binding asks which were given: for
        // records the taxonomy must be, and options of logs cannot be.
        for (size_t i = 0; i < v->n; i++)
            if (strcmp(v->table[i].name, "taxonomy") == 0)
                v->at[i].given = true;
            else if (lethe_is_log_option(v->table[i].name))
                v->at[i].given = false;
        lethe_records *raw = NULL;
        bool strict = a->reading.strict;
        lethe_ctx_phase(ctx, "reading", 0);
        e = p->input ? lethe_input_raw(ctx, p->input, &a->reading, &raw)
                     : lethe_records_read(ctx, a->originals, a->n_originals, &a->reading, &raw);
        // terms are taken before a taxonomy leaves any out
        if (e == LETHE_OK) e = lethe_terms_of_records(ctx, raw, &p->comparison.terms);
        if (e == LETHE_OK)
            e = lethe_bind_raw(ctx, raw, v, marks, strict, &p->bound);
        else
            lethe_records_free(raw);
    } else if (e == LETHE_OK) {
        e = log_open(ctx, a, p, log);
        if (e == LETHE_OK && names_rows)
            e = lethe_bind_log_by_map(ctx, *log, v, marks, a->reading.strict, &map, p->arena,
                                      &p->bound, &p->comparison.line, &p->comparison.again);
        else if (e == LETHE_OK)
            e = lethe_bind_log(ctx, *log, v, marks, a->reading.strict, &p->bound);
    }
    lethe_sensitive_free(marks);
    return e;
}

/* The original becomes records as the release's own step made them. */
static lethe_err records_open(lethe_ctx *ctx, const lethe_evaluate_options *a, pair *p)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    const lethe_json *steps = lethe_json_get(p->published.manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    lethe_step step;
    bool records;
    LETHE_TRY(lethe_step_read(d, p->arena, last, p->manifest_doc, &step));
    if (!(step.method->in & LETHE_SHAPE_RECORDS))
        return lethe_fail(d, LETHE_EINPUT, "the manifest's steps do not produce records");
    LETHE_TRY(taxonomy_settle(d, a, last, &step.values));
    lethe_read_options reading = a->reading;
    bool of_records = lethe_manifest_of_records(p->published.manifest);
    if (of_records && reading.format == LETHE_FORMAT_GUESS) reading.format = LETHE_FORMAT_RECORDS;
    if (p->input)
        records = p->input->shape == LETHE_SHAPE_RECORDS;
    else
        LETHE_TRY(lethe_inputs_are_records(ctx, a->originals, a->n_originals, &reading, &records));
    if (records != of_records)
        return lethe_fail(d, LETHE_EUSAGE, "the release was made from %s, but the original is %s",
                          of_records ? "records" : "a log", records ? "records" : "a log");
    LETHE_TRY(original_bind(ctx, a, records, step.method, &step.values, p));
    LETHE_TRY(lethe_bound_to_sets(ctx, step.method, &step.values, &p->bound));
    lethe_records *marked = p->bound.records;
    p->bound.records = NULL; // taken over
    LETHE_TRY(lethe_records_unmark(ctx, marked, p->bound.tree, &p->bound.records, &p->with_marks));
    p->comparison.original = (lethe_data){.shape = LETHE_SHAPE_RECORDS,
                                          .records = p->bound.records,
                                          .tree = p->with_marks ? p->with_marks : p->bound.tree};
    p->comparison.taxonomy = p->with_marks ? p->bound.tree : NULL;
    lethe_sizes sizes = lethe_records_sizes(p->bound.records, p->comparison.original.tree);
    return lethe_ctx_need(ctx, &sizes);
}

/* Without hierarchies another table is not noticed by its values, and it cannot be told which rows
 * were rejected for a value that the hierarchies lack: these would be taken for deleted ones. */
static lethe_err original_check(lethe_diag *d, const pair *p)
{
    const lethe_json *counts = lethe_json_get(p->published.manifest, "counts");
    int64_t rejected = lethe_json_int(lethe_json_get(counts, "rejected")),
            now = (int64_t)p->table->counts.rejected;
    int64_t read = lethe_json_int(lethe_json_get(counts, "read")),
            rows = (int64_t)p->table->counts.read;
    if (read != rows) // hierarchies would tell another table by its values
        return lethe_fail(d, LETHE_EINPUT,
                          "the release was made from %lld rows, but the original has %lld",
                          (long long)read, (long long)rows);
    if (now >= rejected) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE,
                      "%lld row%s of the original %s rejected for values that the hierarchies "
                      "lack, and without these it cannot be told which: use --hierarchies DIR",
                      (long long)(rejected - now), rejected - now == 1 ? "" : "s",
                      rejected - now == 1 ? "was" : "were");
}

/* The original as the release's step took it. */
static lethe_err table_open(lethe_ctx *ctx, const lethe_evaluate_options *a, pair *p)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    const lethe_json *steps = lethe_json_get(p->published.manifest, "steps");
    lethe_step step;
    LETHE_TRY(lethe_step_read(d, p->arena, lethe_json_at(steps, 0), p->manifest_doc, &step));
    if (!(step.method->in & LETHE_SHAPE_TABLE))
        return lethe_fail(d, LETHE_EINPUT, "the manifest's steps do not produce a table");
    LETHE_TRY(lethe_table_options_check(d, &step.values));
    // hierarchies are the owner's: without them the release shows where most values stand
    bool lacking = false;
    for (size_t i = 0; i < step.values.n; i++) {
        if (strcmp(step.values.table[i].name, "hierarchies") != 0) continue;
        lacking = step.values.at[i].given && !lethe_is_given(a->values, "hierarchies");
        if (lethe_is_given(a->values, "hierarchies"))
            step.values.at[i] = *lethe_value_find(a->values, "hierarchies");
        else
            step.values.at[i] = (lethe_value){0};
    }
    LETHE_TRY(lethe_table_from_files(ctx, a->originals, a->n_originals, &a->reading, &step.values,
                                     &p->table));
    p->table->lacks_hierarchies = lacking;
    if (lacking) LETHE_TRY(original_check(d, p));
    p->comparison.original = (lethe_data){.shape = LETHE_SHAPE_TABLE, .table = p->table};
    lethe_sizes sizes = lethe_table_sizes(p->table);
    return lethe_ctx_need(ctx, &sizes);
}

/* Is it the map of this very release?  After a run was killed, another one may stand beside it.
 * What can be read only once, such as a pipe, is checked by whoever reads it. */
static lethe_err map_check(lethe_ctx *ctx, const char *map, pair *p)
{
    struct stat st;
    lethe_lines l;
    lethe_str line;
    uint64_t bytes;
    LETHE_TRY(lethe_file_digest(ctx, p->published.dirfd, LETHE_MANIFEST, p->digest, &bytes));
    p->comparison.map_digest = p->digest;
    if (strcmp(map, "-") == 0 || stat(map, &st) != 0 || !S_ISREG(st.st_mode)) return LETHE_OK;
    lethe_err e = lethe_lines_open(&l, lethe_ctx_diag(ctx), map);
    if (e == LETHE_OK) {
        (void)lethe_map_next(&l, p->digest, &line);
        e = lethe_lines_err(&l);
    }
    lethe_lines_close(&l);
    char *left = e == LETHE_EINPUT ? lethe_map_left(map, p->digest) : NULL;
    if (left)
        lethe_note(ctx, "'%s', which a run that was killed has left, is the map of this release",
                   left);
    lethe_free(left);
    return e;
}

static lethe_err pair_open(lethe_ctx *ctx, const lethe_evaluate_options *a,
                           const lethe_input *input, pair *p)
{
    lethe_publish_options how = {0};
    *p = (pair){.published = {.ctx = ctx, .dirfd = -1}, .asked = a, .input = input};
    if (a->n_originals == 0)
        return lethe_fail(ctx, LETHE_EUSAGE, "no original given: use --original FILE");
    LETHE_TRY(lethe_release_open(ctx, a->folder, &p->published, &p->manifest_doc));
    LETHE_TRY(lethe_readable(ctx, a->map));
    p->comparison = (lethe_comparison){.ctx = ctx,
                                       .published = &p->published,
                                       .map = a->map,
                                       .has_seed = a->has_seed,
                                       .seed = a->seed};
    if (a->map) LETHE_TRY(map_check(ctx, a->map, p));
    const lethe_json *steps = lethe_json_get(p->published.manifest, "steps");
    for (size_t i = 0; i < lethe_json_count(steps); i++) { // has one given rows other users?
        const lethe_method *m = lethe_step_method(lethe_json_at(steps, i));
        if (!m || m->renames) p->comparison.renamed = true;
    }
    // users have their own names only where they were kept and no step has given them others
    p->comparison.own_names = p->published.shape == LETHE_SHAPE_LOG &&
                              lethe_manifest_publishing(p->published.manifest, &how) &&
                              how.keep_users && !p->comparison.renamed;
    p->arena = lethe_arena_new();
    if (!p->arena) return lethe_no_memory(ctx);
    if (p->published.shape == LETHE_SHAPE_RECORDS) return records_open(ctx, a, p);
    if (p->published.shape != LETHE_SHAPE_TABLE) {
        lethe_comparison *c = &p->comparison;
        c->original.shape = LETHE_SHAPE_LOG;
        LETHE_TRY(log_open(ctx, a, p, &c->original.log));
        if (p->published.shape != LETHE_SHAPE_SEALED) return LETHE_OK;
        return lethe_sealed_opened(ctx, p->published.dirfd, &c->opened, &c->n_sealed);
    }
    if (!input) return table_open(ctx, a, p);
    // the release was made from this very table: no option has to be settled again
    p->comparison.original = (lethe_data){.shape = input->shape, .table = input->table};
    return LETHE_OK;
}

static void pair_close(pair *p)
{
    if (!p->input) {
        lethe_log_free(p->comparison.original.log);
        lethe_log_free(p->comparison.log);
    }
    lethe_input_free(&p->read);
    lethe_log_free(p->comparison.opened);
    lethe_records_free(p->comparison.terms);
    lethe_bound_records_free(&p->bound);
    lethe_tree_free(p->with_marks);
    lethe_table_free(p->table);
    lethe_arena_free(p->arena);
    lethe_release_close(&p->published, p->manifest_doc);
}

/* Runs a measure or adversary, with what the user gave for options of its table. */
static lethe_err row_run(pair *p, const lethe_option *options, lethe_compare_fn fn,
                         lethe_json_doc *doc, lethe_json *out)
{
    size_t n = lethe_option_count(options);
    lethe_value *at = lethe_alloc(n ? n : 1, sizeof *at);
    if (!at) return lethe_no_memory(p->comparison.ctx);
    lethe_values values;
    lethe_values_init(&values, options, at);
    for (size_t i = 0; i < values.n; i++)
        if (lethe_is_given(p->asked->values, options[i].name))
            at[i] = *lethe_value_find(p->asked->values, options[i].name);
    p->comparison.values = &values;
    lethe_err e = fn(&p->comparison, doc, out);
    lethe_free(at);
    return e;
}

static lethe_err measures_run(pair *p, lethe_json_doc *doc, lethe_json *metrics)
{
    for (const lethe_measure *const *m = lethe_measures(); *m; m++)
        if ((*m)->shapes & p->published.shape)
            LETHE_TRY(row_run(p, (*m)->options, (*m)->run, doc, metrics));
    return LETHE_OK;
}

static lethe_err reread_check(lethe_diag *d, const char *option, const char *path)
{
    struct stat st;
    bool once = path && (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)));
    if (!once) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE,
                      "--%s '%s' is read several times, and a pipe can be read once: use a file",
                      option, path);
}

/* More than one adversary of a log reads these files, each anew: the second would find a pipe
 * empty, and the map would seem to be another release's. */
static lethe_err files_check(const pair *p)
{
    lethe_diag *d = lethe_ctx_diag(p->comparison.ctx);
    const lethe_values *v = p->asked->values;
    if (p->published.shape != LETHE_SHAPE_LOG) return LETHE_OK;
    LETHE_TRY(reread_check(d, "map", p->asked->map));
    if (!lethe_is_given(v, "results")) return LETHE_OK;
    return reread_check(d, "results", lethe_value_find(v, "results")->text);
}

/* Does the adversary need the users of a log, and the release is counts without any? */
static bool is_for_users(const pair *p, const lethe_adversary *a)
{
    return p->published.shape == LETHE_SHAPE_COUNTS && !(a->shapes & LETHE_SHAPE_COUNTS) &&
           a->shapes & LETHE_SHAPE_LOG;
}

/* Which adversaries of logs have nothing to work with in counts: a figure that is not there must
 * not pass for a success of 0. */
static lethe_err not_applicable_say(const pair *p, lethe_json_doc *doc, lethe_json *report)
{
    lethe_json *names = lethe_json_array(doc);
    lethe_buf text = {0};
    lethe_err e = LETHE_OK;
    for (const lethe_adversary *const *a = lethe_adversaries(); *a && e == LETHE_OK; a++) {
        if (!is_for_users(p, *a)) continue;
        lethe_json_push(doc, names, lethe_json_new_text(doc, lethe_str_of((*a)->name)));
        if (text.n > 0) e = lethe_buf_str(&text, LETHE_LIT(", "));
        if (e == LETHE_OK) e = lethe_buf_str(&text, lethe_str_of((*a)->name));
    }
    if (lethe_json_count(names) > 0) {
        lethe_json_set(doc, report, "not_applicable", names);
        lethe_note(p->comparison.ctx, "counts have no users: %.*s do not apply", (int)text.n,
                   (const char *)text.at);
    }
    lethe_buf_free(&text);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(p->comparison.ctx);
}

/* LETHE_EUSAGE for a name that is not in the table, or lacks what it needs; LETHE_ANSWER_NO where
 * none applies, unless `may_lack`. */
static lethe_err adversaries_run(pair *p, const char *name, bool may_lack, lethe_json_doc *doc,
                                 lethe_json *metrics)
{
    lethe_diag *d = lethe_ctx_diag(p->comparison.ctx);
    const lethe_adversary *lacking = NULL; /* one that would apply */
    bool known = false, any = may_lack;
    if (!name) LETHE_TRY(files_check(p));
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        if (name && strcmp(name, (*a)->name) != 0) continue;
        known = true;
        if (name && is_for_users(p, *a))
            return lethe_fail(d, LETHE_ANSWER_NO,
                              "adversary '%s' does not apply to this release: "
                              "it needs users, and counts have none",
                              name);
        if (!((*a)->shapes & p->published.shape)) continue;
        if ((*a)->needs && !lethe_is_given(p->asked->values, (*a)->needs)) {
            if (name)
                return lethe_fail(d, LETHE_EUSAGE, "adversary '%s' needs --%s", name, (*a)->needs);
            if (!lacking) lacking = *a;
            continue;
        }
        const char *why = (*a)->lacks ? (*a)->lacks(&p->comparison) : NULL;
        if (why && name)
            return lethe_fail(d, LETHE_ANSWER_NO,
                              "adversary '%s' does not apply to this release: %s", name, why);
        if (why) continue;
        lethe_json *figures = lethe_json_object(doc);
        LETHE_TRY(row_run(p, (*a)->options, (*a)->run, doc, figures));
        lethe_json_set(doc, metrics, (*a)->name, figures);
        any = true;
    }
    if (name && !known) return lethe_fail(d, LETHE_EUSAGE, "unknown adversary '%s'", name);
    if (!any && lacking)
        return lethe_fail(d, LETHE_ANSWER_NO,
                          "no adversary applies to this release ('%s' needs --%s)", lacking->name,
                          lacking->needs);
    if (!any) return lethe_fail(d, LETHE_ANSWER_NO, "no adversary applies to this release");
    return LETHE_OK;
}

static lethe_json *report_begin(const lethe_evaluate_options *a, bool attack, lethe_json_doc *doc)
{
    lethe_json *report = lethe_json_object(doc),
               *parameters = a->values ? lethe_values_json(doc, a->values) : lethe_json_object(doc);
    lethe_reading_json(doc, parameters, &a->reading);
    lethe_set_text(doc, report, "command", attack ? "attack" : "measure");
    lethe_json_set(doc, report, "parameters", parameters);
    return report;
}

/* Besides the original: the release read back, which is about as large, terms of both sides
 * (measure/scale.c, attack/known_terms.c), and for each record or row a few numbers. */
static uint64_t measure_need(const lethe_work *w, const lethe_sizes *s)
{
    bool is_table = s->text > 0; // which has no terms
    (void)w;
    return lethe_need_program + 2 * s->held + (is_table ? 6 : 10) * s->parts +
           (is_table ? 16 : 48) * s->n;
}

/* Adversaries of records also index who has which item (background.c, homogeneity/). */
static uint64_t attack_need(const lethe_work *w, const lethe_sizes *s)
{
    bool is_table = s->text > 0;
    return measure_need(w, s) + (is_table ? 0 : s->held + 10 * s->parts);
}

static lethe_work evaluation(const char *name)
{
    bool attack = strcmp(name, "attack") == 0;
    return (lethe_work){.name = name, .need = attack ? attack_need : measure_need};
}

static lethe_err verified_evaluate(lethe_ctx *ctx, const lethe_evaluate_options *a, bool attack,
                                   lethe_json_doc *doc, lethe_json **report)
{
    pair p;
    lethe_work work = evaluation(attack ? "attack" : "measure"),
               before = lethe_ctx_begin_work(ctx, &work);
    lethe_err e = pair_open(ctx, a, NULL, &p);
    if (e == LETHE_OK) {
        const lethe_json *manifest = p.published.manifest;
        lethe_json *metrics = attack ? lethe_json_object(doc)
                                     : lethe_json_copy(doc, lethe_json_get(manifest, "metrics"));
        *report = report_begin(a, attack, doc);
        lethe_set_text(doc, *report, "shape", lethe_shape_name(p.published.shape));
        lethe_report_quote(doc, *report, manifest);
        lethe_json_set(doc, *report, "metrics", metrics);
        e = attack && !a->adversary ? not_applicable_say(&p, doc, *report) : LETHE_OK;
        if (e == LETHE_OK)
            e = attack ? adversaries_run(&p, a->adversary, false, doc, metrics)
                       : measures_run(&p, doc, metrics);
        lethe_report_close(ctx, doc, *report);
    }
    pair_close(&p);
    lethe_ctx_begin_work(ctx, &before);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}

lethe_err lethe_verified_measure(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                 lethe_json_doc *doc, lethe_json **report)
{
    return verified_evaluate(ctx, a, false, doc, report);
}

lethe_err lethe_verified_attack(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                lethe_json_doc *doc, lethe_json **report)
{
    return verified_evaluate(ctx, a, true, doc, report);
}

lethe_err lethe_release_must_hold(lethe_ctx *ctx, const char *folder,
                                  const lethe_verify_options *how, const char *consequence,
                                  lethe_json_doc *doc, lethe_json **verified)
{
    lethe_json *report = NULL;
    lethe_err e = lethe_release_verify_as(ctx, folder, how, doc, &report);
    if (verified) *verified = report;
    if (e != LETHE_ANSWER_NO) return e;
    /* What needs a file that only the publisher has is no reason against a release whose files are
     * what its manifest says. */
    if (lethe_json_get(lethe_json_get(report, "metrics"), "needs")) return LETHE_OK;
    if (lethe_json_get(lethe_json_get(report, "metrics"), "decided"))
        return lethe_fail(
            ctx, e,
            "whether '%s' keeps its promise was not decided within the limits of time "
            "and memory, and %s ('lethe verify' says more)",
            folder, consequence);
    return lethe_fail(ctx, e, "'%s' does not keep its promise, and %s ('lethe verify' says why)",
                      folder, consequence);
}

/* What can be missing is looked for before the release is verified, which may take long. */
static lethe_err inputs_check(lethe_ctx *ctx, const lethe_evaluate_options *a)
{
    for (size_t i = 0; i < a->n_originals; i++)
        if (lethe_source_is_path(lethe_ctx_diag(ctx), a->originals[i]))
            LETHE_TRY(lethe_readable(ctx, a->originals[i]));
    return lethe_readable(ctx, a->map);
}

/* Notes say what search results could decide, but those of an adversary need not be those of the
 * release: they are not used to verify it. */
static void without_notes(void *to, const lethe_message *m)
{
    const lethe_listener *listener = to;
    if (m->severity < LETHE_NOTE && listener->fn) listener->fn(listener->ctx, m);
}

static lethe_err evaluate(lethe_ctx *ctx, const lethe_evaluate_options *a, bool attack,
                          lethe_json_doc *doc, lethe_json **report)
{
    lethe_json *verified = NULL;
    lethe_diag *d = lethe_ctx_diag(ctx);
    LETHE_TRY(inputs_check(ctx, a));
    lethe_listener before;
    before = lethe_diag_divert(d, (lethe_listener){without_notes, &before});
    lethe_err e = lethe_release_must_hold(ctx, a->folder, &(lethe_verify_options){0},
                                          attack ? "it is not attacked" : "it is not measured", doc,
                                          &verified);
    (void)lethe_diag_divert(d, before);
    if (e == LETHE_OK) return verified_evaluate(ctx, a, attack, doc, report);
    if (e == LETHE_ANSWER_NO) { // the figures are those of verify: why it does not hold
        *report = report_begin(a, attack, doc);
        lethe_report_quote(doc, *report, verified);
        lethe_json_set(doc, *report, "metrics",
                       lethe_json_copy(doc, lethe_json_get(verified, "metrics")));
        lethe_report_close(ctx, doc, *report);
    }
    return e;
}

lethe_err lethe_release_measure(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                lethe_json_doc *doc, lethe_json **report)
{
    return evaluate(ctx, a, false, doc, report);
}

lethe_err lethe_release_attack(lethe_ctx *ctx, const lethe_evaluate_options *a, lethe_json_doc *doc,
                               lethe_json **report)
{
    return evaluate(ctx, a, true, doc, report);
}

lethe_err lethe_release_evaluate(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                 const lethe_input *input, lethe_json_doc *doc,
                                 lethe_json *measures, lethe_json *attacks)
{
    pair p;
    lethe_work work = evaluation("compare"), before = lethe_ctx_begin_work(ctx, &work);
    lethe_err e = pair_open(ctx, a, input, &p);
    if (e == LETHE_OK) e = measures_run(&p, doc, measures);
    if (e == LETHE_OK) e = adversaries_run(&p, NULL, true, doc, attacks);
    lethe_ctx_begin_work(ctx, &before);
    pair_close(&p);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
