/* SPDX-License-Identifier: Apache-2.0 */
/* verify_shapes.c - what the files and the data of a log, a sealed log, records, a table and counts
 * must be for their manifest to be true. */
#include "release/verify/verify_internal.h"
#include "check/check.h"
#include "core/mem.h"
#include "model/published/published_counts.h"
#include "model/published/published_records.h"
#include "model/published/published_table.h"
#include "model/published/published_tree.h"
#include "model/table/theta.h"
#include "release/make/bind.h"
#include "release/make/table_options.h"
#include "release/page/report.h"
#include "release/publish/publish_log.h"
#include "release/publish/publish_ubi.h"
#include <stdio.h>

static const char other_rows[] = "the data does not have as many rows as the manifest says";
static const char malformed[] = "the published data is malformed";
static const char no_log[] = "the manifest says how a log is published, but the data is not a log";
static const char no_table[] = "the manifest's steps do not produce a table";

/* Are all files that the manifest names files of the shape, parts of its data, or the page? */
static bool only_own_files(const lethe_verification *v)
{
    size_t own = lethe_manifest_data_parts(v->p->manifest);
    own += lethe_verify_file(v, LETHE_REPORT_NAME) != NULL;
    for (const lethe_release_file *f = v->ops->files; f->name; f++)
        own += lethe_verify_file(v, f->name) != NULL;
    return own == lethe_json_count(v->files);
}

/* --- a log, open or sealed --- */

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

/* Its own check looks at every row of a sealed log.  For that, and for promises about published
 * URLs, p->form stays. */
lethe_err lethe_verify_sealed(lethe_verification *v)
{
    lethe_publish_options how = {0};
    if (!only_own_files(v))
        return lethe_verify_refuse(v,
                                   "the manifest names files that a published log does not have");
    if (!lethe_manifest_publishing(v->p->manifest, &how))
        return lethe_verify_refuse(v, "the manifest does not say how its log is published");
    if (lethe_manifest_samples(v->p->manifest)) {
        // whatever the manifest says: rows that were drawn have users and queries alone
        how.times = LETHE_TIMES_DROP;
        how.urls = LETHE_URLS_DROP;
    }
    v->form = lethe_form_of(&how);
    v->keep = how.keep;
    v->form.keep = v->keep.n > 0 ? &v->keep : NULL;
    v->p->form = &v->form;
    return LETHE_OK;
}

lethe_err lethe_verify_log(lethe_verification *v)
{
    uint64_t rows;
    LETHE_TRY(lethe_verify_sealed(v));
    lethe_err e = rows_count(v->p, &rows);
    if (e == LETHE_EINPUT)
        return lethe_verify_refuse(
            v, "the published data is malformed, or finer than the manifest says");
    LETHE_TRY(e);
    bool same = rows == v->published;
    if (lethe_manifest_samples(v->p->manifest)) {
        // drawn rows are a figure; `published` counts lines of the input, and some stand behind
        // them
        const lethe_json *out =
            lethe_json_get(lethe_json_get(v->p->manifest, "metrics"), "rows_out");
        same = lethe_json_kind(out) == LETHE_JSON_INT && lethe_json_int(out) == (int64_t)rows &&
               v->published > 0;
    }
    if (!same) return lethe_verify_refuse(v, other_rows);
    if (lethe_verify_file(v, LETHE_UBI_NAME))
        LETHE_TRY(lethe_ubi_compare(v->p->ctx, v->p->dirfd, &same));
    return same ? LETHE_OK
                : lethe_verify_refuse(v, LETHE_UBI_NAME " does not hold the rows of data.tsv");
}

/* Are times missing that the manifest does not know of?  Where they were left out on purpose, every
 * row lacks one and nothing need be said. */
lethe_err lethe_verify_log_figures(lethe_verification *v)
{
    const lethe_json *counted = lethe_json_get(v->p->figures, "rows_without_time"),
                     *metrics = lethe_json_get(v->p->manifest, "metrics"),
                     *said = lethe_json_get(metrics, "rows_without_time");
    if (!counted) return LETHE_OK; // nothing is promised of times
    bool same = said ? lethe_json_kind(said) == LETHE_JSON_INT &&
                           lethe_json_int(said) == lethe_json_int(counted)
                     : lethe_json_int(counted) == 0 || v->form.times == LETHE_TIME_DROP;
    return same ? LETHE_OK
                : lethe_verify_refuse(
                      v, "the data does not have as many rows without a time as the manifest says");
}

/* Has the check of a sealed log counted what the manifest says?  Its figures also hold "holds",
 * which no manifest has. */
lethe_err lethe_verify_sealed_figures(lethe_verification *v)
{
    const lethe_json *figures = v->p->figures, *said = lethe_json_get(v->p->manifest, "metrics");
    bool same = lethe_json_int(lethe_json_get(figures, "rows")) == (int64_t)v->published;
    for (size_t i = 0; i < lethe_json_count(figures) && same; i++) {
        lethe_str name = lethe_json_name(figures, i);
        if (lethe_str_eq(name, LETHE_LIT("holds"))) continue;
        char copy[64];
        snprintf(copy, sizeof copy, "%.*s", (int)name.n, name.at);
        const lethe_json *other = lethe_json_get(said, copy);
        same = other != NULL;
        if (other)
            LETHE_TRY(lethe_json_same(lethe_ctx_diag(v->p->ctx), lethe_json_at(figures, i), other,
                                      &same));
    }
    return same ? LETHE_OK : lethe_verify_refuse(v, other_rows);
}

/* --- records --- */

/* Does the step generalize items?  An unknown or missing one is taken to. */
static bool generalizes_items(const lethe_json *step)
{
    const lethe_method *m = lethe_step_method(step);
    if (!m) return true;
    for (const lethe_option *o = m->options; o->name; o++)
        if (strcmp(o->name, "taxonomy") == 0) return true;
    return false;
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

static lethe_err sensitive_check(lethe_verification *v)
{
    lethe_published *p = v->p;
    lethe_dict *names = NULL;
    bool fits = true;
    lethe_err e = lethe_published_sensitive_read(p->ctx, p->dirfd, &names);
    uint64_t n = e == LETHE_OK && names ? lethe_dict_count(names) : 0;
    bool listed = e == LETHE_OK && names,
         warns = lethe_json_has_text(lethe_json_get(p->manifest, "caveats"),
                                     lethe_run_caveats[LETHE_CAVEAT_NOTHING_SENSITIVE]);
    if (listed) lethe_set_count(v->doc, p->figures, "sensitive_items", n);
    if (e == LETHE_OK && names) {
        bool *seen = lethe_alloc_zero(lethe_dict_count(names), sizeof *seen);
        e = seen ? sensitive_compare(p, names, seen, &fits) : lethe_no_memory(p->ctx);
        lethe_free(seen);
    }
    lethe_dict_free(names);
    if (e == LETHE_EINPUT) return lethe_verify_refuse(v, malformed);
    LETHE_TRY(e);
    if (warns != (listed && n == 0))
        return lethe_verify_refuse(
            v, "the manifest's caveat that no published item is sensitive does not match the data");
    return fits ? LETHE_OK
                : lethe_verify_refuse(
                      v, "a sensitive item is in no published record, or in the taxonomy");
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

/* Is each published record one line of what was read?  A set is a person's lines, a record of a log
 * has many, too, and so has one whose lines are items. */
static lethe_err is_line_each(lethe_verification *v, bool *each)
{
    lethe_diag *d = lethe_ctx_diag(v->p->ctx);
    lethe_step read;
    *each = lethe_manifest_of_records(v->p->manifest);
    *each = *each && !lethe_json_get(
                         lethe_json_get(lethe_json_at(lethe_json_get(v->p->manifest, "steps"), 0),
                                        "parameters"),
                         LETHE_LINES);
    if (!*each) return LETHE_OK;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? lethe_step_read(d, a, v->last_step, v->doc, &read) : lethe_no_memory(d);
    if (e == LETHE_OK) *each = !lethe_merges_persons(read.method, &read.values);
    lethe_arena_free(a);
    return e;
}

/* `published` counts lines of the input: a record is one of them, or where several make one, at
 * least as many stand behind it. */
lethe_err lethe_verify_records(lethe_verification *v)
{
    const lethe_json *said = lethe_json_get(lethe_json_get(v->p->manifest, "metrics"), "records"),
                     *parameters = lethe_json_get(v->last_step, "parameters");
    bool generalizes = generalizes_items(v->last_step), each = false,
         taxonomy = lethe_verify_file(v, LETHE_TAXONOMY_NAME),
         sensitive = lethe_verify_file(v, LETHE_SENSITIVE_NAME);
    uint64_t n;
    if (!only_own_files(v) || (taxonomy && !generalizes) ||
        (sensitive && !lethe_json_get(parameters, "sensitive")))
        return lethe_verify_refuse(v,
                                   "the manifest names files that published records do not have");
    // without the list its items would be checked as if they were public
    if (!sensitive && lethe_json_get(parameters, "sensitive"))
        return lethe_verify_refuse(
            v, "the manifest's step has a list of sensitive items, but " LETHE_SENSITIVE_NAME
               " is missing");
    if (generalizes && !taxonomy)
        return lethe_verify_refuse(v, "the manifest names no taxonomy of the published items");
    if (lethe_manifest_coarsens(v->p->manifest)) return lethe_verify_refuse(v, no_log);
    lethe_err e = records_count(v->p, &n);
    if (e == LETHE_EINPUT) return lethe_verify_refuse(v, malformed);
    LETHE_TRY(e);
    LETHE_TRY(sensitive_check(v));
    if (taxonomy) LETHE_TRY(lethe_verify_taxonomy(v));
    LETHE_TRY(is_line_each(v, &each));
    bool same = lethe_json_kind(said) == LETHE_JSON_INT && lethe_json_int(said) == (int64_t)n;
    bool fits = each ? n == v->published : n <= v->published;
    return same && fits ? LETHE_OK : lethe_verify_refuse(v, other_rows);
}

/* --- a table --- */

static bool has_column(const lethe_published_table *t, lethe_str name)
{
    return lethe_published_column_find(t, name) != LETHE_NONE;
}

/* Are the values of a column that is published unchanged as a reader of tables takes them?  It
 * drops spaces at the ends of a field, and nothing is `?`: "flu " would be one more value of "flu".
 */
static bool is_as_read(const lethe_published_table *t, lethe_str name)
{
    uint32_t at = lethe_published_column_find(t, name);
    const lethe_dict *values = at == LETHE_NONE ? NULL : t->column[at].values;
    for (uint32_t i = 0; values && i < lethe_dict_count(values); i++) {
        lethe_str value = lethe_dict_at(values, i);
        if (value.n == 0 || lethe_str_trim(value).n != value.n) return false;
    }
    return true;
}

/* Are the columns those of the roles, and no other (*same)?  Values: *as_read. */
static lethe_err table_columns_check(const lethe_published_table *t, lethe_diag *d, lethe_arena *a,
                                     const lethe_step *step, bool *same, bool *as_read)
{
    static const char *const several[] = {"qi", "sa", "keep"};
    const char *class = lethe_value_of(&step->values, "class")->text;
    size_t all = class ? 1 : 0;
    *same = !class || has_column(t, lethe_str_of(class));
    *as_read = !class || is_as_read(t, lethe_str_of(class));
    for (size_t i = 0; i < LETHE_COUNT(several); i++) {
        lethe_str *name;
        size_t n;
        const char *text = lethe_value_of(&step->values, several[i])->text;
        LETHE_TRY(lethe_names_parse(d, a, text, &name, &n));
        for (size_t j = 0; j < n; j++) {
            *same = *same && has_column(t, name[j]);
            *as_read = *as_read && (i == 0 || is_as_read(t, name[j])); // qi: taxonomy.tsv tells
        }
        all += n;
    }
    *same = *same && all == t->n_columns;
    return LETHE_OK;
}

/* Does a claim refer to theta.tsv? */
static bool lists_thetas(const lethe_json *claims)
{
    bool lists = false;
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        lists = lists ||
                lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(claims, i), "theta")),
                             LETHE_LIT("listed"));
    return lists;
}

/* Does a claim refer to sensitive.tsv? */
static bool measures_by_trees(const lethe_json *claims)
{
    bool measures = false;
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        measures =
            measures ||
            lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(claims, i), "distance")),
                         LETHE_LIT("hierarchical"));
    return measures;
}

/* Thresholds by frequency.  How often a value stood in the original nobody can see here, but it was
 * in the rows that are published, or in some that are not, and so was any other value. */
struct by_frequency {
    lethe_theta base;
    uint64_t rows, values, hidden; /* published ones; hidden: rows that are not, and stars */
};

/* The base times how much more frequent than the average a value can be; never under the base. */
static bool could_be_theta(const struct by_frequency *f, lethe_theta theta, uint64_t with)
{
    // both at most 1e36
    lethe_theta_product share = (lethe_theta_product)theta.num * f->base.den,
                        base = (lethe_theta_product)f->base.num * theta.den;
    double most = (double)base * (double)(with + f->hidden) * (double)(f->values + f->hidden) /
                  (double)f->rows;
    return share == base || (share > base && (double)share <= most * (1 + 1e-9));
}

static lethe_err thetas_compare(lethe_verification *v, const lethe_published_column *sa,
                                struct by_frequency *f, bool *fits)
{
    lethe_thetas t = {0};
    uint32_t n = lethe_dict_count(sa->values);
    uint32_t star = lethe_dict_find(sa->values, LETHE_LIT(LETHE_STARRED));
    *fits = true;
    if (n == (star != LETHE_NONE)) return LETHE_OK; // every value is starred
    uint64_t *with = lethe_alloc_zero(n, sizeof *with);
    if (!with) return lethe_no_memory(v->p->ctx);
    for (size_t i = 0; i < f->rows; i++)
        with[sa->code[i]]++;
    f->values = n - (star != LETHE_NONE);
    if (star != LETHE_NONE) f->hidden += with[star];
    lethe_err e = lethe_thetas_published(v->p->ctx, v->p->dirfd, &t);
    for (uint32_t i = 0; e == LETHE_OK && i < n; i++) {
        uint32_t at = lethe_dict_find(t.names, lethe_dict_at(sa->values, i));
        if (i != star && at != LETHE_NONE) // that none is missing, the claim's check has to see
            *fits = *fits && could_be_theta(f, t.at[at], with[i]);
    }
    lethe_free(with);
    lethe_thetas_free(&t);
    return e == LETHE_EINPUT ? LETHE_OK : e; // the same
}

/* Can theta.tsv come from the share that the step names?  That it does is the publisher's word. */
static lethe_err by_frequency_check(lethe_verification *v, const lethe_published_table *t,
                                    lethe_arena *a, const lethe_step *step)
{
    const lethe_value *share = lethe_value_find(&step->values, "theta-by-frequency");
    const char *text = share ? share->text : NULL;
    lethe_str *name = NULL;
    size_t n_sa = 0;
    LETHE_TRY(lethe_names_parse(lethe_ctx_diag(v->p->ctx), a,
                                lethe_value_of(&step->values, "sa")->text, &name, &n_sa));
    uint32_t sa = n_sa == 1 ? lethe_published_column_find(t, name[0]) : LETHE_NONE;
    struct by_frequency f = {.rows = t->n, .hidden = v->suppressed};
    bool fits;
    if (!text || sa == LETHE_NONE || !lethe_theta_parse(lethe_str_of(text), &f.base))
        return LETHE_OK;
    LETHE_TRY(thetas_compare(v, &t->column[sa], &f, &fits));
    if (!fits)
        return lethe_verify_refuse(
            v, "theta.tsv has a threshold that cannot come from theta-by-frequency");
    if (f.hidden > 0)
        lethe_verify_unchecked(v, "that theta.tsv comes from theta-by-frequency: how frequent "
                                  "values were in the original (the publisher's word)");
    return LETHE_OK;
}

static bool groups_overlap(const lethe_json *claims)
{
    bool overlap = false;
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        overlap = overlap || lethe_json_get(lethe_json_at(claims, i), "groups");
    return overlap;
}

/* What the step publishes as ranges of values is such in taxonomy.tsv, and nothing else has ranges
 * that overlap.  (Where groups do not overlap the claims' checks see that no range does.) */
static lethe_err ranges_check(lethe_verification *v, lethe_arena *a, const lethe_step *step)
{
    lethe_diag *d = lethe_ctx_diag(v->p->ctx);
    const char *text = lethe_value_of(&step->values, "ranges")->text;
    lethe_published_hierarchies *h = NULL;
    lethe_ranges *ranges = NULL;
    lethe_str *qi;
    size_t n_qi, n = 0;
    bool good = true;
    if (!groups_overlap(lethe_json_get(v->p->manifest, "claims"))) return LETHE_OK;
    LETHE_TRY(lethe_table_qi(d, a, &step->values, &qi, &n_qi));
    LETHE_TRY(lethe_ranges_parse(d, a, text, &ranges, &n));
    lethe_err e = lethe_published_hierarchies_read(v->p->ctx, v->p->dirfd, qi, n_qi, &h);
    if (e == LETHE_EINPUT) return lethe_verify_refuse(v, malformed);
    LETHE_TRY(e);
    for (size_t i = 0; i < n_qi; i++) {
        bool values = false;
        for (size_t k = 0; k < n; k++)
            values = values || (ranges[k].values && lethe_str_eq(ranges[k].column, qi[i]));
        good = good && (values ? h->at[i].spans : !h->at[i].crossing);
    }
    lethe_published_hierarchies_free(h);
    return good
               ? LETHE_OK
               : lethe_verify_refuse(v, "the published ranges of a column are not ranges of values "
                                        "as the manifest's step makes them");
}

static lethe_err table_compare(lethe_verification *v, lethe_arena *a)
{
    lethe_published *p = v->p;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    lethe_published_table *t;
    lethe_step step;
    bool same = false, as_read = false;
    if (lethe_json_count(lethe_json_get(p->manifest, "steps")) != 1)
        return lethe_verify_refuse(v, no_table);
    LETHE_TRY(lethe_step_read(d, a, v->last_step, v->doc, &step));
    if (!(step.method->in & LETHE_SHAPE_TABLE) ||
        lethe_table_options_check(NULL, &step.values) != LETHE_OK)
        return lethe_verify_refuse(v, no_table);
    const lethe_json *claims = lethe_json_get(p->manifest, "claims");
    bool thetas = lethe_verify_file(v, LETHE_THETA_NAME),
         trees = lethe_verify_file(v, LETHE_SENSITIVE_TREES_NAME);
    if (!only_own_files(v) || !lethe_verify_file(v, LETHE_TAXONOMY_NAME) ||
        thetas != lists_thetas(claims) || trees != measures_by_trees(claims))
        return lethe_verify_refuse(v, "the manifest does not name the files of a published table");
    if (lethe_manifest_coarsens(p->manifest)) return lethe_verify_refuse(v, no_log);
    LETHE_TRY(ranges_check(v, a, &step));
    lethe_err e = lethe_published_table_read(p->ctx, p->dirfd, &t);
    if (e == LETHE_EINPUT) return lethe_verify_refuse(v, malformed);
    LETHE_TRY(e);
    e = table_columns_check(t, d, a, &step, &same, &as_read);
    bool fits = t->n == v->published;
    if (e == LETHE_OK && !same)
        e = lethe_verify_refuse(
            v, "the data does not have the columns that the manifest's step names");
    if (e == LETHE_OK && !as_read)
        e = lethe_verify_refuse(v, "a value of the data is empty or has a space at an end");
    if (e == LETHE_OK && !fits) e = lethe_verify_refuse(v, other_rows);
    if (e == LETHE_OK) e = by_frequency_check(v, t, a, &step);
    if (e == LETHE_OK && trees)
        lethe_verify_unchecked(v, "that sensitive.tsv has the hierarchy by which sensitive values "
                                  "are close to each other (the publisher's word)");
    lethe_published_table_free(t);
    return e;
}

lethe_err lethe_verify_table(lethe_verification *v)
{
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? table_compare(v, a) : lethe_no_memory(v->p->ctx);
    lethe_arena_free(a);
    return e;
}

/* --- counts --- */

struct counts_sum {
    uint64_t items, sum;
};

static lethe_err count_add(void *arg, lethe_str item, uint64_t count)
{
    struct counts_sum *s = arg;
    (void)item;
    s->items++;
    s->sum = count > UINT64_MAX - s->sum ? UINT64_MAX : s->sum + count;
    return LETHE_OK;
}

/* `published` counts lines of the input: each counts for one item, so that exact counts come to no
 * more, and counts of rows to as many. */
lethe_err lethe_verify_counts(lethe_verification *v)
{
    struct counts_sum s = {0};
    if (!only_own_files(v))
        return lethe_verify_refuse(v, "the manifest names files that published counts do not have");
    if (lethe_manifest_coarsens(v->p->manifest)) return lethe_verify_refuse(v, no_log);
    lethe_err e = lethe_counts_published(v->p->ctx, v->p->dirfd, count_add, &s);
    if (e == LETHE_EINPUT) return lethe_verify_refuse(v, malformed);
    LETHE_TRY(e);
    v->n_items = s.items;
    lethe_counted unit = lethe_claims_counted(lethe_json_get(v->p->manifest, "claims"));
    bool fits = unit == LETHE_COUNTED_ROWS ? s.sum == v->published
                                           : unit == LETHE_N_COUNTED || s.sum <= v->published;
    return fits ? LETHE_OK
                : lethe_verify_refuse(v,
                                      "the counts do not come to the rows that the manifest says");
}

void lethe_verify_counts_say(lethe_verification *v)
{
    lethe_json *checks = (lethe_json *)lethe_json_get(v->verdict, "checks"); // ours: made here
    for (size_t i = 0; v->p->shape == LETHE_SHAPE_COUNTS && i < lethe_json_count(checks); i++) {
        lethe_json *check = (lethe_json *)lethe_json_at(checks, i);
        const lethe_notion *notion =
            lethe_notion_find(lethe_json_text(lethe_json_get(check, "notion")));
        if (!notion || !notion->counted) continue;
        lethe_verify_unchecked(v, "that each count is that of the input: the files do not show who "
                                  "is counted (the publisher's word)");
        lethe_set_text(v->doc, check, "if", "the counts are true");
    }
}
