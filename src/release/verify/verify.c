/* verify.c - does a release keep its promise?  The same code looks at a release before it is let
 * out and at one that came from anywhere. */
#include "release/release.h"
#include "check/check.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "io/syserr.h"
#include "model/published/published_records.h"
#include "model/published/published_table.h"
#include "model/published/published_tree.h"
#include "model/table/theta.h"
#include "release/page/report.h"
#include "release/make/bind.h"
#include "release/make/table_options.h"
#include "text/normalize.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void lethe_report_close(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json *report)
{
    lethe_json *seconds = lethe_json_object(doc);
    lethe_ctx_phase(ctx, NULL, 0); // what is printed from here on needs the place of the bar
    for (size_t i = 0, n = lethe_ctx_phase_count(ctx); i < n; i++) {
        const char *name;
        double s;
        lethe_ctx_phase_at(ctx, i, &name, &s);
        lethe_json_set(doc, seconds, name, lethe_json_new_real(doc, s));
    }
    lethe_json_set(doc, report, "seconds", seconds);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    lethe_set_count(doc, report, "peak_bytes", (uint64_t)usage.ru_maxrss * 1024);
}

/* --- the claims --- */

static lethe_json *reason(lethe_json_doc *doc, const char *text)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_text(doc, why, "reason", text);
    return why;
}

/* A check that cannot decide is a check that failed; only what would stop any work is passed on. */
static lethe_err claim_check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                             bool *holds, lethe_json **why)
{
    const lethe_notion *notion =
        lethe_notion_find(lethe_json_text(lethe_json_get(claim, "notion")));
    *holds = false;
    *why = NULL;
    if (!notion || !(notion->shapes & p->shape)) {
        *why = reason(doc, notion ? "the notion does not fit the data" : "the notion is not known");
        return LETHE_OK;
    }
    bool yes = false;
    lethe_err e = notion->check(p, claim, doc, &yes, why);
    if (e == LETHE_ECANCEL || e == LETHE_ENOMEM) return e;
    if (e != LETHE_OK)
        *why = reason(doc, e == LETHE_EINPUT ? "the published data or the claim is malformed"
                                             : "the check did not finish");
    *holds = e == LETHE_OK && yes;
    return LETHE_OK;
}

lethe_err lethe_claims_check(lethe_published *p, const lethe_json *claims,
                             const char *const *results, lethe_json_doc *doc, lethe_json **verdict)
{
    lethe_json *checks = lethe_json_array(doc), *all = lethe_json_object(doc);
    bool every = lethe_json_count(claims) > 0; // a release without a promise is no release
    p->claims = claims;
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        bool holds;
        lethe_json *why, *check = lethe_json_copy(doc, claim);
        if (results) p->results = results[i];
        LETHE_TRY(claim_check(p, claim, doc, &holds, &why));
        lethe_json_set(doc, check, "holds", lethe_json_new_bool(doc, holds));
        if (!holds && why) lethe_json_set(doc, check, "counterexample", why);
        lethe_json_push(doc, checks, check);
        every = every && holds;
    }
    lethe_json_set(doc, all, "holds", lethe_json_new_bool(doc, every));
    lethe_json_set(doc, all, "checks", checks);
    if (lethe_json_failed(doc)) return lethe_no_memory(p->ctx);
    *verdict = all;
    return every ? LETHE_OK : LETHE_ANSWER_NO;
}

/* --- the files and the manifest --- */

static lethe_err refuse(lethe_diag *d, lethe_json_doc *doc, lethe_json **why, const char *text)
{
    *why = reason(doc, text);
    return lethe_fail(d, LETHE_ANSWER_NO, "%s", text);
}

/* What is not in the manifest was never checked, and would be handed out with the rest. */
static lethe_err strangers_check(lethe_published *p, lethe_json_doc *doc, lethe_json **why)
{
    char name[NAME_MAX + 1], shown[200];
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    LETHE_TRY(lethe_manifest_stranger(d, p->dirfd, p->manifest, name));
    if (!name[0]) return LETHE_OK;
    *why = reason(doc, "the folder holds a file that the manifest does not name");
    lethe_set_text(doc, *why, "file", name);
    lethe_show(shown, sizeof shown, lethe_str_of(name));
    return lethe_fail(d, LETHE_ANSWER_NO, "the folder holds '%s', which the manifest does not name",
                      shown);
}

static lethe_err digests_check(lethe_published *p, lethe_json_doc *doc, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    struct stat st;
    const lethe_json *files = lethe_json_get(p->manifest, "files");
    for (size_t i = 0; i < lethe_json_count(files); i++) {
        const lethe_json *file = lethe_json_at(files, i);
        lethe_str name = lethe_json_text(lethe_json_get(file, "name"));
        char copy[32], hex[65]; // the manifest was read: its names are our own, and short
        memcpy(copy, name.at, name.n);
        copy[name.n] = '\0';
        uint64_t size = 0;
        bool is_file =
            fstatat(p->dirfd, copy, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
        if (is_file) LETHE_TRY(lethe_file_digest(p->ctx, p->dirfd, copy, hex, &size));
        bool same =
            is_file && (int64_t)size == lethe_json_int(lethe_json_get(file, "bytes")) &&
            lethe_str_eq(lethe_str_of(hex), lethe_json_text(lethe_json_get(file, "blake2b")));
        if (same) continue;
        *why = reason(doc, is_file ? "a file is not the one that the manifest describes"
                                   : "a file that the manifest names is not there, or is no file");
        lethe_set_text(doc, *why, "file", copy);
        return lethe_fail(d, LETHE_ANSWER_NO, "'%s' is not the file that the manifest describes",
                          copy);
    }
    return LETHE_OK;
}

static lethe_err json_same(lethe_diag *d, const lethe_json *a, const lethe_json *b, bool *same)
{
    size_t n, m;
    char *x = lethe_json_write(a, 0, &n), *y = lethe_json_write(b, 0, &m);
    bool written = x && y;
    *same = written && n == m && memcmp(x, y, n) == 0;
    lethe_json_text_free(x);
    lethe_json_text_free(y);
    return written ? LETHE_OK : lethe_no_memory(d);
}

static lethe_err count_row(void *arg, unsigned w, const lethe_row *row)
{
    (void)arg, (void)w, (void)row;
    return LETHE_OK;
}

/* Rows of the data file, as lines that parse and are as coarse as is said. */
static lethe_err rows_count(lethe_published *p, uint64_t *rows)
{
    lethe_log *log;
    LETHE_TRY(lethe_log_published(p->ctx, p->dirfd, lethe_data_name(p->shape), &log));
    lethe_log_expect(log, p->form);
    lethe_err e = lethe_log_walk(p->ctx, log, &(lethe_row_visitor){.row = count_row});
    *rows = lethe_log_counts(log)->rows;
    lethe_log_free(log);
    return e;
}

/* Four whole numbers that add up. */
static bool counts_read(const lethe_json *counts, lethe_counts *out)
{
    uint64_t *const to[] = {&out->read, &out->published, &out->suppressed, &out->rejected};
    static const char *const names[] = {"read", "published", "suppressed", "rejected"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        const lethe_json *v = lethe_json_get(counts, names[i]);
        if (lethe_json_kind(v) != LETHE_JSON_INT || lethe_json_int(v) < 0) return false;
        *to[i] = (uint64_t)lethe_json_int(v);
    }
    // by subtraction: the numbers are anybody's, and a sum may wrap around
    return lethe_json_count(counts) == LETHE_COUNT(names) && out->published <= out->read &&
           out->suppressed <= out->read - out->published &&
           out->rejected == out->read - out->published - out->suppressed;
}

/* Does the manifest agree with itself, with its steps and with the data? */
static lethe_err manifest_check(lethe_published *p, lethe_json_doc *doc, uint64_t *published,
                                lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *m = p->manifest;
    lethe_counts counts;
    lethe_json *promised;
    lethe_err e = lethe_manifest_claims(d, m, doc, &promised);
    if (e == LETHE_EINPUT)
        return refuse(d, doc, why, "the manifest's steps are not steps of lethe");
    LETHE_TRY(e);
    bool same;
    LETHE_TRY(json_same(d, promised, lethe_json_get(m, "claims"), &same));
    if (!same) return refuse(d, doc, why, "the manifest's claims are not what its steps promise");
    if (!lethe_json_bool(lethe_json_get(lethe_json_get(m, "verdict"), "holds")))
        return refuse(d, doc, why, "the manifest's own verdict is not that the promise holds");
    bool warns;
    LETHE_TRY(lethe_manifest_warns(d, m, doc, &warns));
    if (!warns)
        return refuse(d, doc, why, "the manifest keeps quiet about what its steps do not protect");
    if (!counts_read(lethe_json_get(m, "counts"), &counts))
        return refuse(d, doc, why, "the manifest's counts do not add up");
    *published = counts.published;
    return LETHE_OK;
}

static const char other_rows[] = "the manifest counts other rows than the data holds";

/* Of rows that were drawn the manifest has a figure; `published` counts lines of what was read, and
 * there is no row without one behind it. */
static bool drawn_as_said(const lethe_published *p, uint64_t rows, uint64_t published)
{
    const lethe_json *out = lethe_json_get(lethe_json_get(p->manifest, "metrics"), "rows_out");
    return lethe_json_kind(out) == LETHE_JSON_INT && lethe_json_int(out) == (int64_t)rows &&
           published > 0;
}

static bool names_file(const lethe_json *files, const char *name)
{
    for (size_t i = 0; i < lethe_json_count(files); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name")),
                         lethe_str_of(name)))
            return true;
    return false;
}

static uint64_t file_bytes(const lethe_json *files, const char *name)
{
    for (size_t i = 0; i < lethe_json_count(files); i++) {
        const lethe_json *file = lethe_json_at(files, i);
        if (lethe_str_eq(lethe_json_text(lethe_json_get(file, "name")), lethe_str_of(name)))
            return (uint64_t)lethe_json_int(lethe_json_get(file, "bytes"));
    }
    return 0;
}

/* Is a log, open or sealed, published as the manifest says?  Of the sealed one its own check looks
 * at every row.  For that, and for promises about URLs as they are published, `form` stays. */
static lethe_err log_check(lethe_published *p, uint64_t published, lethe_log_form *form,
                           lethe_json_doc *doc, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    uint64_t rows;
    lethe_publish_options how = {0};
    const lethe_json *files = lethe_json_get(p->manifest, "files");
    if (lethe_json_count(files) != (size_t)1 + names_file(files, LETHE_REPORT_NAME))
        return refuse(d, doc, why, "the manifest names files that a published log does not have");
    if (!lethe_manifest_publishing(p->manifest, &how))
        return refuse(d, doc, why, "the manifest does not say how its log is published");
    bool samples = lethe_manifest_samples(p->manifest);
    if (samples) { // whatever the manifest says: rows that were drawn are users and queries alone
        how.times = LETHE_TIMES_DROP;
        how.urls = LETHE_URLS_DROP;
    }
    *form = lethe_form_of(&how);
    p->form = form;
    if (p->shape == LETHE_SHAPE_SEALED) return LETHE_OK;
    lethe_err e = rows_count(p, &rows);
    if (e == LETHE_EINPUT)
        return refuse(d, doc, why,
                      "the published data is malformed, or finer than the manifest says");
    LETHE_TRY(e);
    bool same = samples ? drawn_as_said(p, rows, published) : rows == published;
    return same ? LETHE_OK : refuse(d, doc, why, other_rows);
}

/* Does the step generalize items?  One that is not known, or not there, is taken to. */
static bool generalizes_items(const lethe_json *step)
{
    const lethe_method *m = lethe_step_method(step);
    if (!m) return true;
    for (const lethe_option *o = m->options; o->name; o++)
        if (strcmp(o->name, "taxonomy") == 0) return true;
    return false;
}

/* The files that records are published in: of items that are generalized the taxonomy, and of
 * sensitive ones, where the step was given a list, which they are. */
static lethe_err records_files_check(lethe_published *p, const lethe_json *step,
                                     lethe_json_doc *doc, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *files = lethe_json_get(p->manifest, "files");
    bool taxonomy = names_file(files, LETHE_TAXONOMY_NAME),
         sensitive = names_file(files, LETHE_SENSITIVE_NAME), generalizes = generalizes_items(step),
         listed = lethe_json_get(lethe_json_get(step, "parameters"), "sensitive") != NULL;
    if (!names_file(files, LETHE_RECORDS_NAME) || (taxonomy && !generalizes) ||
        (sensitive && !listed) ||
        lethe_json_count(files) !=
            (size_t)1 + taxonomy + sensitive + names_file(files, LETHE_REPORT_NAME))
        return refuse(d, doc, why, "the manifest names files that published records do not have");
    if (generalizes && !taxonomy)
        return refuse(d, doc, why, "the manifest names no taxonomy of the published items");
    return LETHE_OK;
}

/* Does every item of sensitive.txt stand in a record, and none in taxonomy.tsv? */
static lethe_err sensitive_compare(lethe_published *p, const lethe_dict *names, bool *seen,
                                   bool *fits)
{
    lethe_record_lines lines;
    lethe_published_tree *t = NULL;
    lethe_str record, item;
    lethe_err e = lethe_record_lines_open(&lines, p->ctx, p->dirfd);
    while (e == LETHE_OK && lethe_record_lines_next(&lines, &record))
        while (lethe_record_item(&record, &item)) {
            uint32_t id = lethe_dict_find(names, item);
            if (id != LETHE_NONE) seen[id] = true;
        }
    if (e == LETHE_OK) e = lethe_record_lines_err(&lines);
    lethe_record_lines_close(&lines);
    if (e == LETHE_OK) e = lethe_published_tree_read(p->ctx, p->dirfd, &t);
    *fits = e == LETHE_OK;
    for (uint32_t i = 0; i < lethe_dict_count(names) && *fits; i++)
        *fits = seen[i] && (!t || lethe_tree_find(t->tree, lethe_dict_at(names, i)) == LETHE_NONE);
    lethe_published_tree_free(t);
    return e;
}

static lethe_err sensitive_check(lethe_published *p, lethe_json_doc *doc, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    lethe_dict *names = NULL;
    bool fits = true;
    lethe_err e = lethe_published_sensitive_read(p->ctx, p->dirfd, &names);
    if (e == LETHE_OK && names) {
        bool *seen = lethe_alloc_zero(lethe_dict_count(names), sizeof *seen);
        e = seen ? sensitive_compare(p, names, seen, &fits) : lethe_no_memory(d);
        lethe_free(seen);
    }
    lethe_dict_free(names);
    if (e == LETHE_EINPUT) return refuse(d, doc, why, "the published data is malformed");
    LETHE_TRY(e);
    return fits ? LETHE_OK
                : refuse(d, doc, why,
                         "a sensitive item is in no published record, or in the taxonomy");
}

static lethe_err records_count(lethe_published *p, uint64_t *n)
{
    lethe_record_lines lines;
    lethe_str record;
    lethe_err e = lethe_record_lines_open(&lines, p->ctx, p->dirfd);
    for (*n = 0; e == LETHE_OK && lethe_record_lines_next(&lines, &record);)
        ++*n;
    if (e == LETHE_OK) e = lethe_record_lines_err(&lines);
    lethe_record_lines_close(&lines);
    return e;
}

/* Is each published record one line of what was read?  A set is a person's lines, and a record of a
 * log has many, too. */
static lethe_err is_line_each(lethe_published *p, const lethe_json *step, lethe_json_doc *doc,
                              bool *each)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    lethe_step read;
    *each = lethe_manifest_of_records(p->manifest);
    if (!*each) return LETHE_OK;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? lethe_step_read(d, a, step, doc, &read) : lethe_no_memory(d);
    if (e == LETHE_OK) *each = !lethe_merges_persons(read.method, &read.values);
    lethe_arena_free(a);
    return e;
}

/* `published` counts lines of what was read: a record is one of them or, where several can be one,
 * as many at least. */
static lethe_err records_check(lethe_published *p, uint64_t published, lethe_json_doc *doc,
                               lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *said = lethe_json_get(lethe_json_get(p->manifest, "metrics"), "records");
    const lethe_json *steps = lethe_json_get(p->manifest, "steps"),
                     *step = lethe_json_at(steps, lethe_json_count(steps) - 1);
    uint64_t n;
    bool each = false;
    LETHE_TRY(records_files_check(p, step, doc, why));
    if (lethe_manifest_coarsens(p->manifest))
        return refuse(d, doc, why, "the manifest says how a log is published, and has none");
    lethe_err e = records_count(p, &n);
    if (e == LETHE_EINPUT) return refuse(d, doc, why, "the published data is malformed");
    LETHE_TRY(e);
    LETHE_TRY(sensitive_check(p, doc, why));
    LETHE_TRY(is_line_each(p, step, doc, &each));
    bool same = lethe_json_kind(said) == LETHE_JSON_INT && lethe_json_int(said) == (int64_t)n;
    bool fits = each ? n == published : n <= published;
    return same && fits ? LETHE_OK : refuse(d, doc, why, other_rows);
}

/* Roles of the one step of a table, and the files that it is published in. */
static lethe_err table_files_check(lethe_published *p, const lethe_step *step, lethe_json_doc *doc,
                                   lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *files = lethe_json_get(p->manifest, "files");
    bool theta = names_file(files, LETHE_THETA_NAME);
    if (!(step->method->in & LETHE_SHAPE_TABLE) ||
        lethe_table_options_check(NULL, &step->values) != LETHE_OK)
        return refuse(d, doc, why, "the manifest's steps do not give a table");
    if (!names_file(files, LETHE_TABLE_NAME) || !names_file(files, LETHE_TAXONOMY_NAME) ||
        lethe_json_count(files) != (size_t)2 + theta + names_file(files, LETHE_REPORT_NAME))
        return refuse(d, doc, why, "the manifest names other files than a published table has");
    return LETHE_OK;
}

static bool has_column(const lethe_published_table *t, lethe_str name)
{
    return lethe_published_column_find(t, name) != LETHE_NONE;
}

/* Are the columns those of the roles, and no other? */
static lethe_err table_columns_check(const lethe_published_table *t, lethe_diag *d, lethe_arena *a,
                                     const lethe_step *step, bool *same)
{
    static const char *const one[] = {"sa", "class"}, *const several[] = {"qi", "keep"};
    size_t all = 0;
    *same = true;
    for (size_t i = 0; i < LETHE_COUNT(one); i++) {
        const char *text = lethe_value_of(&step->values, one[i])->text;
        if (!text) continue;
        *same = *same && has_column(t, lethe_str_of(text));
        all++;
    }
    for (size_t i = 0; i < LETHE_COUNT(several); i++) {
        lethe_str *name;
        size_t n;
        const char *text = lethe_value_of(&step->values, several[i])->text;
        LETHE_TRY(lethe_names_parse(d, a, text, &name, &n));
        for (size_t j = 0; j < n; j++)
            *same = *same && has_column(t, name[j]);
        all += n;
    }
    *same = *same && all == t->n_columns;
    return LETHE_OK;
}

static lethe_err table_compare(lethe_published *p, lethe_arena *a, uint64_t published,
                               lethe_json_doc *doc, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *steps = lethe_json_get(p->manifest, "steps");
    lethe_published_table *t;
    lethe_step step;
    bool same = false;
    if (lethe_json_count(steps) != 1)
        return refuse(d, doc, why, "the manifest's steps do not give a table");
    LETHE_TRY(lethe_step_read(d, a, lethe_json_at(steps, 0), doc, &step));
    LETHE_TRY(table_files_check(p, &step, doc, why));
    if (lethe_manifest_coarsens(p->manifest))
        return refuse(d, doc, why, "the manifest says how a log is published, and has none");
    lethe_err e = lethe_published_table_read(p->ctx, p->dirfd, &t);
    if (e == LETHE_EINPUT) return refuse(d, doc, why, "the published data is malformed");
    LETHE_TRY(e);
    e = table_columns_check(t, d, a, &step, &same);
    bool fits = t->n == published;
    lethe_published_table_free(t);
    LETHE_TRY(e);
    if (!same) return refuse(d, doc, why, "the data has other columns than the manifest's step");
    return fits ? LETHE_OK : refuse(d, doc, why, other_rows);
}

static lethe_err table_check(lethe_published *p, uint64_t published, lethe_json_doc *doc,
                             lethe_json **why)
{
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? table_compare(p, a, published, doc, why) : lethe_no_memory(p->ctx);
    lethe_arena_free(a);
    return e;
}

/* Is all that the check of a sealed log has counted as the manifest says?  `figures` also holds
 * "holds", which is nothing that a manifest counts. */
static lethe_err sealed_figures_check(lethe_published *p, uint64_t published, bool *same)
{
    const lethe_json *said = lethe_json_get(p->manifest, "metrics");
    *same = lethe_json_int(lethe_json_get(p->figures, "rows")) == (int64_t)published;
    for (size_t i = 0; i < lethe_json_count(p->figures) && *same; i++) {
        lethe_str name = lethe_json_name(p->figures, i);
        if (lethe_str_eq(name, LETHE_LIT("holds"))) continue;
        char copy[64];
        snprintf(copy, sizeof copy, "%.*s", (int)name.n, name.at);
        const lethe_json *other = lethe_json_get(said, copy);
        *same = other != NULL;
        if (other)
            LETHE_TRY(json_same(lethe_ctx_diag(p->ctx), lethe_json_at(p->figures, i), other, same));
    }
    return LETHE_OK;
}

static lethe_err claims_check(lethe_published *p, uint64_t published, lethe_json_doc *doc,
                              lethe_json **verdict, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    bool same = true;
    LETHE_TRY(lethe_claims_check(p, lethe_json_get(p->manifest, "claims"), NULL, doc, verdict));
    if (p->shape == LETHE_SHAPE_SEALED) LETHE_TRY(sealed_figures_check(p, published, &same));
    if (!same) {
        *verdict = NULL;
        return refuse(d, doc, why, other_rows);
    }
    LETHE_TRY(json_same(d, *verdict, lethe_json_get(p->manifest, "verdict"), &same));
    if (same) return LETHE_OK;
    *verdict = NULL;
    return refuse(d, doc, why, "the manifest's verdict is not the one that its claims get");
}

/* The bytes of a file of the folder, which is as long as the manifest says. */
static lethe_err page_read(lethe_published *p, uint64_t n, lethe_buf *out)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (lethe_buf_reserve(out, (size_t)n) != LETHE_OK) return lethe_no_memory(d);
    int fd = openat(p->dirfd, LETHE_REPORT_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return lethe_fail_sys(d, "open", LETHE_REPORT_NAME, errno);
    lethe_err e = lethe_pread_all(d, fd, out->at, (size_t)n, 0, LETHE_REPORT_NAME);
    close(fd);
    out->n = (size_t)n;
    return e;
}

/* Is the page beside the data the one that this release has?  Decided only of one of this very
 * version: another may have had other words. */
static lethe_err page_check(lethe_published *p, lethe_json_doc *doc, lethe_json **why)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *files = lethe_json_get(p->manifest, "files"),
                     *version = lethe_json_get(p->manifest, "lethe");
    lethe_buf page = {0}, wanted = {0};
    size_t plots;
    if (!names_file(files, LETHE_REPORT_NAME) ||
        !lethe_str_eq(lethe_json_text(version), lethe_str_of(lethe_version())))
        return LETHE_OK;
    const lethe_report_input in = {.manifest = p->manifest,
                                   .shape = p->shape,
                                   .dirfd = p->dirfd,
                                   .n_examples = LETHE_REPORT_EXAMPLES};
    lethe_err e = lethe_report_write(p->ctx, &in, &wanted, &plots);
    if (e == LETHE_OK) e = page_read(p, file_bytes(files, LETHE_REPORT_NAME), &page);
    bool same = e == LETHE_OK && page.n == wanted.n && memcmp(page.at, wanted.at, page.n) == 0;
    lethe_buf_free(&page);
    lethe_buf_free(&wanted);
    LETHE_TRY(e);
    return same ? LETHE_OK : refuse(d, doc, why, "report.html is not the page of this release");
}

static lethe_err verify_open(lethe_published *p, lethe_json_doc *doc, lethe_json *report)
{
    lethe_json *why = NULL, *verdict = NULL, *metrics = lethe_json_object(doc);
    lethe_log_form form;
    uint64_t published = 0;
    lethe_json_set(doc, metrics, "holds", lethe_json_new_bool(doc, false)); // until it is seen
    p->figures = metrics;
    lethe_ctx_phase(p->ctx, "digests", 0);
    lethe_err e = strangers_check(p, doc, &why);
    if (e == LETHE_OK) e = digests_check(p, doc, &why);
    lethe_ctx_phase(p->ctx, "checking", 0);
    if (e == LETHE_OK) e = manifest_check(p, doc, &published, &why);
    if (e == LETHE_OK && p->shape & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED))
        e = log_check(p, published, &form, doc, &why);
    if (e == LETHE_OK && p->shape == LETHE_SHAPE_RECORDS)
        e = records_check(p, published, doc, &why);
    if (e == LETHE_OK && p->shape == LETHE_SHAPE_TABLE) e = table_check(p, published, doc, &why);
    if (e == LETHE_OK) e = claims_check(p, published, doc, &verdict, &why);
    if (e == LETHE_OK) e = page_check(p, doc, &why);
    p->form = NULL;
    if (e != LETHE_OK && e != LETHE_ANSWER_NO) return e;
    if (!verdict) {
        verdict = lethe_json_object(doc);
        lethe_json_set(doc, verdict, "holds", lethe_json_new_bool(doc, false));
    }
    for (size_t i = 0;
         e == LETHE_ANSWER_NO && !why && i < lethe_json_count(lethe_json_get(verdict, "checks"));
         i++) {
        const lethe_json *first =
            lethe_json_get(lethe_json_at(lethe_json_get(verdict, "checks"), i), "counterexample");
        if (first) why = lethe_json_copy(doc, first);
    }
    if (e == LETHE_ANSWER_NO && !why) why = reason(doc, "nothing is promised");
    lethe_json_set(doc, metrics, "holds", lethe_json_new_bool(doc, e == LETHE_OK));
    if (why) lethe_json_set(doc, metrics, "counterexample", why);
    lethe_json_set(doc, report, "metrics", metrics);
    lethe_json_set(doc, report, "verdict", verdict);
    return e;
}

lethe_err lethe_release_verify(lethe_ctx *ctx, const char *folder, const char *results,
                               lethe_json_doc *doc, lethe_json **report)
{
    static const char *const from_manifest[] = {"claims", "caveats", "counts"};
    lethe_json_doc *manifest_doc;
    lethe_json *r = lethe_json_object(doc);
    lethe_published p;
    *report = r;
    lethe_set_text(doc, r, "command", "verify");
    lethe_json_set(doc, r, "parameters", lethe_json_object(doc));
    lethe_err e = lethe_release_open(ctx, folder, &p, &manifest_doc);
    bool from_stdin = results && strcmp(results, "-") == 0;
    if (e == LETHE_OK && !from_stdin) e = lethe_readable(ctx, results);
    if (e == LETHE_OK) {
        p.results = results;
        for (size_t i = 0; i < LETHE_COUNT(from_manifest); i++)
            lethe_json_set(doc, r, from_manifest[i],
                           lethe_json_copy(doc, lethe_json_get(p.manifest, from_manifest[i])));
        e = verify_open(&p, doc, r);
    }
    lethe_release_close(&p, manifest_doc);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
