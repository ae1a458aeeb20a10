/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - what a release says of itself: written last, read first. */
#include "model/records/records.h"
#include "release/release.h"
#include "check/check.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "io/json/option.h"
#include "io/read/parts.h"
#include "io/syserr.h"
#include "release/make/bind.h"
#include "release/publish/publish_ubi.h"
#include "release/shape_ops.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void lethe_report_quote(lethe_json_doc *doc, lethe_json *report, const lethe_json *manifest)
{
    static const char *const names[] = {"claims", "verdict", "caveats", "counts"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        lethe_json_set(doc, report, names[i],
                       lethe_json_copy(doc, lethe_json_get(manifest, names[i])));
}

lethe_json *lethe_counts_json(lethe_json_doc *doc, const lethe_counts *c)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_count(doc, o, "read", c->read);
    lethe_set_count(doc, o, "published", c->published);
    lethe_set_count(doc, o, "suppressed", c->suppressed);
    lethe_set_count(doc, o, "rejected", c->rejected);
    return o;
}

/* --- steps and what they promise --- */

void lethe_reading_json(lethe_json_doc *doc, lethe_json *o, const lethe_read_options *r)
{
    if (r->actions) lethe_set_text(doc, o, "actions", r->actions);
    if (r->columns && lethe_columns_of_records(r->columns))
        lethe_set_text(doc, o, LETHE_LINES, "items");
    if (!r->has_users_with) return;
    lethe_json *range = lethe_json_array(doc);
    lethe_json_push(doc, range, lethe_json_new_int(doc, (int64_t)r->users_with_min));
    if (r->users_with_max <= INT64_MAX)
        lethe_json_push(doc, range, lethe_json_new_int(doc, (int64_t)r->users_with_max));
    lethe_json_set(doc, o, "users-with", range);
}

static const char *const times[] = {
    [LETHE_TIMES_DAY] = "day",   [LETHE_TIMES_HOUR] = "hour", [LETHE_TIMES_EXACT] = "exact",
    [LETHE_TIMES_DROP] = "drop", [LETHE_TIMES_WEEK] = "week", [LETHE_TIMES_MONTH] = "month"};
static const char *const urls[] = {[LETHE_URLS_HOST] = "host",
                                   [LETHE_URLS_ID] = "id",
                                   [LETHE_URLS_KEEP] = "keep",
                                   [LETHE_URLS_DROP] = "drop"};

static void publishing_json(lethe_json_doc *doc, lethe_json *o, const lethe_publish_options *p)
{
    lethe_json_set(doc, o, "keep-users", lethe_json_new_bool(doc, p->keep_users));
    lethe_set_text(doc, o, "time", times[p->times]);
    lethe_set_text(doc, o, "urls", urls[p->urls]);
    if (p->object_ids) lethe_set_text(doc, o, LETHE_OBJECTS, "id");
    if (p->keep.n == 0) return;
    lethe_json *names = lethe_json_array(doc);
    for (size_t i = 0; i < p->keep.n; i++)
        lethe_json_push(doc, names, lethe_json_new_text(doc, p->keep.at[i]));
    lethe_json_set(doc, o, LETHE_KEEP, names);
    lethe_set_count(doc, o, LETHE_KEEP_MIN_OPTION, p->keep_min);
}

/* The kept columns among the parameters of the last step; false: not as lethe writes them. */
static bool keep_read(const lethe_json *parameters, lethe_publish_options *out)
{
    const lethe_json *names = lethe_json_get(parameters, LETHE_KEEP),
                     *min = lethe_json_get(parameters, LETHE_KEEP_MIN_OPTION);
    size_t n = lethe_json_count(names);
    out->keep = (lethe_keep){.n = 0};
    out->keep_min = 0;
    // of a table, a text: an option of its methods
    if (!min && lethe_json_kind(names) != LETHE_JSON_ARRAY) return true;
    if (lethe_json_kind(names) != LETHE_JSON_ARRAY || n == 0 || n > LETHE_KEEP_MAX) return false;
    for (size_t i = 0; i < n; i++) {
        const lethe_json *name = lethe_json_at(names, i);
        if (lethe_json_kind(name) != LETHE_JSON_TEXT) return false;
        out->keep.at[out->keep.n++] = lethe_json_text(name);
    }
    out->keep_min = (uint64_t)lethe_json_int(min);
    return lethe_json_kind(min) == LETHE_JSON_INT && lethe_json_int(min) > 0 &&
           lethe_keep_check(NULL, &out->keep) == LETHE_OK;
}

/* The number of `text` among names[0..n-1]; n: not one of them. */
static size_t name_number(lethe_str text, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && !lethe_str_eq(text, lethe_str_of(names[i])))
        i++;
    return i;
}

bool lethe_manifest_publishing(const lethe_json *manifest, lethe_publish_options *out)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    size_t n = lethe_json_count(steps);
    if (n == 0) return false;
    const lethe_json *o = lethe_json_get(lethe_json_at(steps, n - 1), "parameters");
    const lethe_json *keep_users = lethe_json_get(o, "keep-users");
    size_t time =
        name_number(lethe_json_text(lethe_json_get(o, "time")), times, LETHE_COUNT(times));
    size_t url = name_number(lethe_json_text(lethe_json_get(o, "urls")), urls, LETHE_COUNT(urls));
    if (lethe_json_kind(keep_users) != LETHE_JSON_BOOL || time == LETHE_COUNT(times) ||
        url == LETHE_COUNT(urls))
        return false;
    const lethe_json *objects = lethe_json_get(o, LETHE_OBJECTS);
    if (objects &&
        (url != LETHE_URLS_HOST || !lethe_str_eq(lethe_json_text(objects), LETHE_LIT("id"))))
        return false;
    out->object_ids = objects != NULL;
    if (!keep_read(o, out)) return false;
    const lethe_json *files = lethe_json_get(manifest, "files");
    out->as_ubi = false;
    for (size_t i = 0; i < lethe_json_count(files); i++)
        out->as_ubi |=
            lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name")),
                         LETHE_LIT(LETHE_UBI_NAME));
    out->keep_users = lethe_json_bool(keep_users);
    out->times = (lethe_times)time;
    out->urls = (lethe_urls)url;
    return true;
}

bool lethe_manifest_coarsens(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1),
                     *o = lethe_json_get(last, "parameters");
    return lethe_json_get(o, "keep-users") || lethe_json_get(o, "time") ||
           lethe_json_get(o, "urls");
}

/* Of records, what says something of logs alone is left out: so a manifest shows what was read. */
static lethe_json *values_json(lethe_json_doc *doc, const lethe_values *v, bool of_records)
{
    lethe_json *all = lethe_values_json(doc, v), *some = lethe_json_object(doc);
    if (!of_records) return all;
    for (size_t i = 0; i < v->n; i++) {
        const char *name = v->table[i].name;
        const lethe_json *value = lethe_json_get(all, name);
        if (value && !lethe_is_log_option(name))
            lethe_json_set(doc, some, name, lethe_json_copy(doc, value));
    }
    return some;
}

bool lethe_manifest_samples(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    const lethe_method *m = lethe_step_method(lethe_json_at(steps, lethe_json_count(steps) - 1));
    return m && m->samples;
}

bool lethe_manifest_of_records(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    const lethe_json *first = lethe_json_at(steps, 0);
    const lethe_method *m = lethe_step_method(first);
    return lethe_json_count(steps) == 1 && m && m->in & LETHE_SHAPE_RECORDS &&
           !lethe_json_get(lethe_json_get(first, "parameters"), "gap");
}

bool lethe_step_is_claimed(const lethe_step *step, const lethe_step *last)
{
    const lethe_notion *notion = lethe_notion_find(lethe_str_of(step->method->notion));
    lethe_shape shape = lethe_step_shape(last);
    // what a method gives it can promise, though the notion of its row may be of another shape
    if (step->method == last->method && lethe_step_shape(step) == shape) return true;
    return notion && notion->shapes & shape;
}

static void unclaimed_set(lethe_json_doc *doc, lethe_json *step, const lethe_step *last)
{
    char text[160];
    snprintf(text, sizeof text,
             "applied before %s; its promise cannot be seen in %s and is not claimed",
             last->method->name, lethe_shape_noun(lethe_step_shape(last)));
    lethe_set_text(doc, step, LETHE_UNCLAIMED, text);
}

void lethe_report_unclaimed(lethe_json_doc *doc, lethe_json *report, const lethe_json *steps)
{
    lethe_json *all = lethe_json_array(doc);
    for (size_t i = 0; i < lethe_json_count(steps); i++) {
        const lethe_json *step = lethe_json_at(steps, i);
        lethe_str why = lethe_json_text(lethe_json_get(step, LETHE_UNCLAIMED)),
                  name = lethe_json_text(lethe_json_get(step, "command"));
        char text[200];
        int n = snprintf(text, sizeof text, "%.*s: %.*s", (int)name.n, name.at, (int)why.n, why.at);
        if (why.n > 0 && n > 0)
            lethe_json_push(doc, all, lethe_json_new_text(doc, lethe_str_of(text)));
    }
    if (lethe_json_count(all) > 0) lethe_json_set(doc, report, LETHE_UNCLAIMED, all);
}

lethe_json *lethe_steps_json(lethe_json_doc *doc, const lethe_release_job *job, bool of_records)
{
    const lethe_step *last = &job->steps[job->n_steps - 1];
    lethe_json *steps = lethe_json_array(doc);
    for (size_t i = 0; i < job->n_steps; i++) {
        lethe_json *step = lethe_json_object(doc);
        lethe_json *parameters = values_json(doc, &job->steps[i].values, of_records);
        if (i == 0) lethe_reading_json(doc, parameters, &job->reading);
        if (i + 1 == job->n_steps &&
            lethe_shape_ops_of(lethe_step_shape(&job->steps[i]))->shows_users)
            publishing_json(doc, parameters, &job->publishing);
        lethe_set_text(doc, step, "command", job->steps[i].method->name);
        lethe_json_set(doc, step, "parameters", parameters);
        if (!lethe_step_is_claimed(&job->steps[i], last)) unclaimed_set(doc, step, last);
        lethe_json_push(doc, steps, step);
    }
    return steps;
}

void lethe_steps_set_text(lethe_json_doc *doc, lethe_json *steps, const char *name,
                          const char *text)
{
    const lethe_json *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    lethe_json *parameters = (lethe_json *)lethe_json_get(last, "parameters"); // made above
    lethe_set_text(doc, parameters, name, text);
}

lethe_json *lethe_steps_claims(lethe_json_doc *doc, const lethe_step *steps, size_t n)
{
    lethe_json *claims = lethe_json_array(doc);
    for (size_t i = 0; i < n; i++)
        steps[i].method->claims(&steps[i].values, doc, claims);
    return claims;
}

/* Every value of a kept column has as many persons. */
static lethe_json *keep_claim(lethe_json_doc *doc, const lethe_publish_options *how)
{
    char buf[LETHE_KEEP_NAME_MAX];
    lethe_json *claim = lethe_json_object(doc), *columns = lethe_json_array(doc);
    for (size_t i = 0; i < how->keep.n; i++)
        lethe_json_push(doc, columns,
                        lethe_json_new_text(doc, lethe_keep_name(&how->keep, i, buf)));
    lethe_set_text(doc, claim, "notion", lethe_notion_value_threshold.name);
    lethe_json_set(doc, claim, "columns", columns);
    lethe_set_count(doc, claim, "t", how->keep_min);
    return claim;
}

lethe_json *lethe_job_claims(lethe_json_doc *doc, const lethe_release_job *job)
{
    const lethe_step *steps = job->steps, *last = &steps[job->n_steps - 1];
    lethe_json *claims = lethe_json_array(doc);
    for (size_t i = 0; i < job->n_steps; i++)
        if (lethe_step_is_claimed(&steps[i], last))
            steps[i].method->claims(&steps[i].values, doc, claims);
    if (job->publishing.keep.n > 0) lethe_json_push(doc, claims, keep_claim(doc, &job->publishing));
    return claims;
}

void lethe_keep_settle(lethe_json_doc *doc, const lethe_step *steps, size_t n,
                       lethe_publish_options *how)
{
    if (how->keep.n == 0 || how->keep_min > 0) return;
    const lethe_json *claims = lethe_steps_claims(doc, steps, n);
    how->keep_min = LETHE_KEEP_MIN;
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        lethe_str notion = lethe_json_text(lethe_json_get(claim, "notion")),
                  by = lethe_json_text(lethe_json_get(claim, "by"));
        uint64_t t = (uint64_t)lethe_json_int(lethe_json_get(claim, "t"));
        if (lethe_str_eq(notion, lethe_str_of(lethe_notion_query_threshold.name)) &&
            lethe_str_eq(by, LETHE_LIT("users")))
            how->keep_min = LETHE_MAX(how->keep_min, t);
    }
}

lethe_err lethe_keep_applies(lethe_diag *d, const lethe_release_job *job)
{
    const lethe_step *last = &job->steps[job->n_steps - 1];
    if (job->publishing.keep.n == 0) return LETHE_OK;
    for (size_t i = 0; i < job->n_steps; i++)
        if (!job->steps[i].method->carries)
            return lethe_fail(d, LETHE_EUSAGE,
                              "--keep does not apply: %s does not publish further columns of a log",
                              job->steps[i].method->name);
    if (lethe_step_shape(last) == LETHE_SHAPE_LOG) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE, "--keep does not apply: %s does not publish rows of a log",
                      last->method->name);
}

/* Parameters of reading and publishing stand among a step's own, but are not the method's. */
static const struct {
    const char *name;
    lethe_json_type kind;
} pipeline_parameters[] = {
    {"actions", LETHE_JSON_TEXT},     {LETHE_LINES, LETHE_JSON_TEXT},
    {"users-with", LETHE_JSON_ARRAY}, {"keep-users", LETHE_JSON_BOOL},
    {"time", LETHE_JSON_TEXT},        {"urls", LETHE_JSON_TEXT},
    {LETHE_OBJECTS, LETHE_JSON_TEXT}, {LETHE_TAXONOMY_DIGEST, LETHE_JSON_TEXT},
    {LETHE_KEEP, LETHE_JSON_ARRAY},   {LETHE_KEEP_MIN_OPTION, LETHE_JSON_INT},
};

static bool is_pipeline_parameter(lethe_str name, const lethe_json *value)
{
    for (size_t i = 0; i < LETHE_COUNT(pipeline_parameters); i++)
        if (lethe_str_eq(name, lethe_str_of(pipeline_parameters[i].name)))
            return lethe_json_kind(value) == pipeline_parameters[i].kind;
    return false;
}

static lethe_json *method_parameters(lethe_json_doc *doc, const lethe_json *parameters,
                                     lethe_arena *a)
{
    lethe_json *own = lethe_json_object(doc);
    for (size_t i = 0, n = lethe_json_count(parameters); i < n; i++) {
        lethe_str name = lethe_json_name(parameters, i);
        const lethe_json *value = lethe_json_at(parameters, i);
        char *copy = lethe_arena_dup(a, name);
        if (!copy) return NULL;
        if (!is_pipeline_parameter(name, value))
            lethe_json_set(doc, own, copy, lethe_json_copy(doc, value));
    }
    return own;
}

const lethe_method *lethe_step_method(const lethe_json *step)
{
    lethe_str command = lethe_json_text(lethe_json_get(step, "command"));
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        if (lethe_str_eq(command, lethe_str_of((*m)->name))) return *m;
    return NULL;
}

lethe_shape lethe_step_shape_said(const lethe_json *step)
{
    const lethe_method *m = lethe_step_method(step);
    const lethe_json *as = lethe_json_get(lethe_json_get(step, "parameters"), "as");
    return m ? lethe_method_shape_as(m, lethe_json_text(as)) : LETHE_SHAPE_NONE;
}

/* A manifest has all parameters, but options are checked by which were given: those that are not as
 * by default must have been. */
static void defaults_ungive(lethe_values *v)
{
    lethe_value fallback;
    for (size_t i = 0; i < v->n; i++) {
        const lethe_option row[] = {v->table[i], {0}};
        lethe_value *value = &v->at[i];
        lethe_values one;
        lethe_values_init(&one, row, &fallback);
        if (!fallback.present || !value->text) continue;
        bool same = value->word == fallback.word && value->count == fallback.count &&
                    value->real == fallback.real;
        if (row[0].type == LETHE_OPT_TEXT) same = strcmp(value->text, fallback.text) == 0;
        if (same) value->given = false;
    }
}

/* What the program would refuse to run, a manifest cannot hold. */
static lethe_err input_not_usage(lethe_err e) { return e == LETHE_EUSAGE ? LETHE_EINPUT : e; }

lethe_err lethe_step_read(lethe_diag *d, lethe_arena *a, const lethe_json *step,
                          lethe_json_doc *doc, lethe_step *out)
{
    const lethe_json *parameters = lethe_json_get(step, "parameters");
    size_t members = 2 + (lethe_json_get(step, LETHE_UNCLAIMED) != NULL);
    if (lethe_json_count(step) != members || lethe_json_kind(parameters) != LETHE_JSON_OBJECT)
        return lethe_fail(d, LETHE_EINPUT,
                          "a step of the manifest is not a command with parameters");
    const lethe_method *method = lethe_step_method(step);
    if (!method) {
        char name[64];
        lethe_show(name, sizeof name, lethe_json_text(lethe_json_get(step, "command")));
        return lethe_fail(d, LETHE_EINPUT, "the manifest names an unknown step '%s'", name);
    }
    size_t n = lethe_option_count(method->options);
    lethe_value *at = lethe_new(a, lethe_value, n ? n : 1);
    if (!at) return lethe_no_memory(d);
    out->method = method;
    lethe_values_init(&out->values, method->options, at);
    lethe_json *own = method_parameters(doc, parameters, a);
    if (!own || lethe_json_failed(doc)) return lethe_no_memory(d); // a member may be missing
    LETHE_TRY(lethe_values_read(a, &out->values, own, d));
    defaults_ungive(&out->values);
    return input_not_usage(lethe_step_check(d, out));
}

/* --- all steps of a manifest --- */

/* One or two whole numbers, in order. */
static bool range_read(const lethe_json *range, lethe_read_options *out)
{
    size_t n = lethe_json_count(range);
    uint64_t number[2] = {0, UINT64_MAX};
    for (size_t i = 0; i < n && i < 2; i++) {
        const lethe_json *v = lethe_json_at(range, i);
        if (lethe_json_kind(v) != LETHE_JSON_INT || lethe_json_int(v) < 0) return false;
        number[i] = (uint64_t)lethe_json_int(v);
    }
    out->has_users_with = true;
    out->users_with_min = number[0];
    out->users_with_max = number[1];
    return lethe_json_kind(range) == LETHE_JSON_ARRAY && (n == 1 || n == 2) &&
           number[0] <= number[1];
}

/* How a log was read, by the parameters of the first step. */
static lethe_err reading_read(lethe_diag *d, lethe_arena *a, const lethe_json *parameters,
                              bool of_log, lethe_read_options *out)
{
    const lethe_json *range = lethe_json_get(parameters, "users-with"),
                     *actions = lethe_json_get(parameters, "actions"),
                     *lines = lethe_json_get(parameters, LETHE_LINES);
    if (lines && !of_log) out->columns = "person=1,item=2"; // which columns, nobody needs to know
    if (range && (!of_log || !range_read(range, out)))
        return lethe_fail(d, LETHE_EINPUT,
                          "'users-with' of the manifest is not a range of whole numbers, or what "
                          "was read is not a log");
    if (!actions) return LETHE_OK;
    out->actions = lethe_arena_dup(a, lethe_json_text(actions));
    if (!out->actions) return lethe_no_memory(d);
    if (of_log && lethe_log_actions_fit(out->actions)) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT,
                      "'actions' of the manifest is not a list of names, or what was read is not a "
                      "log");
}

/* Is a file that the step was given hidden from the manifest?  It was, where the default is a word
 * and the parameter is missing. */
static bool is_hidden_file(const lethe_option *o, const lethe_json *parameters)
{
    return o->type == LETHE_OPT_PATH && !o->told && !lethe_json_get(parameters, o->name);
}

lethe_err lethe_step_unhide(lethe_diag *d, lethe_arena *a, const lethe_json *parameters,
                            const lethe_step *step, lethe_step *out)
{
    size_t n = step->values.n;
    lethe_value *at = lethe_new(a, lethe_value, n ? n : 1);
    if (!at) return lethe_no_memory(d);
    *out = *step;
    out->values.at = at;
    for (size_t i = 0; i < n; i++)
        at[i] = is_hidden_file(&step->values.table[i], parameters)
                    ? (lethe_value){.given = true, .present = true}
                    : step->values.at[i];
    return LETHE_OK;
}

/* Names the first parameter in which the steps differ from those that the program writes. */
static lethe_err steps_differ(lethe_diag *d, const lethe_json *wanted, const lethe_json *said)
{
    for (size_t i = 0; i < lethe_json_count(wanted); i++) {
        const lethe_json *w = lethe_json_get(lethe_json_at(wanted, i), "parameters"),
                         *s = lethe_json_get(lethe_json_at(said, i), "parameters");
        size_t n = LETHE_MAX(lethe_json_count(w), lethe_json_count(s));
        for (size_t j = 0; j < n; j++) {
            bool named = j < lethe_json_count(w) && j < lethe_json_count(s) &&
                         lethe_str_eq(lethe_json_name(w, j), lethe_json_name(s, j)),
                 same = false;
            if (named)
                LETHE_TRY(lethe_json_same(d, lethe_json_at(w, j), lethe_json_at(s, j), &same));
            if (same) continue;
            char name[64];
            lethe_show(name, sizeof name, lethe_json_name(j < lethe_json_count(w) ? w : s, j));
            return lethe_fail(d, LETHE_EINPUT,
                              "step %zu of the manifest: parameter '%s' is missing, out of place, "
                              "or not written as lethe writes it",
                              i + 1, name);
        }
    }
    return lethe_fail(d, LETHE_EINPUT, "the manifest's steps are not written as lethe writes them");
}

/* The digest of the taxonomy is no option: it is taken as it is, and lethe_verify_taxonomy()
 * compares it. */
static lethe_err digest_copy(lethe_diag *d, lethe_arena *a, const lethe_json *said,
                             lethe_json_doc *doc, lethe_json *wanted)
{
    const lethe_json *last = lethe_json_at(said, lethe_json_count(said) - 1),
                     *digest =
                         lethe_json_get(lethe_json_get(last, "parameters"), LETHE_TAXONOMY_DIGEST);
    if (!digest) return LETHE_OK;
    const char *text = lethe_arena_dup(a, lethe_json_text(digest));
    if (!text) return lethe_no_memory(d);
    lethe_steps_set_text(doc, wanted, LETHE_TAXONOMY_DIGEST, text);
    return LETHE_OK;
}

/* Would the program have written these steps so?  A parameter that is missing, is written
 * otherwise or is at the wrong step would have been read as something else. */
static lethe_err steps_compare(lethe_diag *d, lethe_arena *a, const lethe_json *manifest,
                               lethe_json_doc *doc, const lethe_release_job *job)
{
    const lethe_json *said = lethe_json_get(manifest, "steps");
    lethe_step *steps = lethe_new(a, lethe_step, job->n_steps);
    bool same;
    if (!steps) return lethe_no_memory(d);
    for (size_t i = 0; i < job->n_steps; i++)
        LETHE_TRY(lethe_step_unhide(d, a, lethe_json_get(lethe_json_at(said, i), "parameters"),
                                    &job->steps[i], &steps[i]));
    lethe_release_job as_run = *job;
    as_run.steps = steps;
    lethe_json *wanted = lethe_steps_json(doc, &as_run, lethe_manifest_of_records(manifest));
    LETHE_TRY(digest_copy(d, a, said, doc, wanted));
    if (lethe_json_failed(doc)) return lethe_no_memory(d);
    LETHE_TRY(lethe_json_same(d, wanted, said, &same));
    return same ? LETHE_OK : steps_differ(d, wanted, said);
}

/* The names, which are views of a manifest that may go. */
static lethe_err keep_copy(lethe_diag *d, lethe_arena *a, lethe_keep *keep)
{
    for (size_t i = 0; i < keep->n; i++) {
        keep->at[i].at = lethe_arena_dup(a, keep->at[i]);
        if (!keep->at[i].at) return lethe_no_memory(d);
    }
    return LETHE_OK;
}

lethe_err lethe_manifest_job(lethe_diag *d, lethe_arena *a, const lethe_json *manifest,
                             lethe_json_doc *doc, lethe_release_job *out)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    size_t n = lethe_json_count(steps);
    if (n == 0) return lethe_fail(d, LETHE_EINPUT, "the manifest has no step");
    LETHE_TRY(input_not_usage(lethe_step_count_check(d, n)));
    lethe_step *at = lethe_new(a, lethe_step, n);
    if (!at) return lethe_no_memory(d);
    *out = (lethe_release_job){.steps = at, .n_steps = n};
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(lethe_step_read(d, a, lethe_json_at(steps, i), doc, &at[i]));
    LETHE_TRY(input_not_usage(lethe_chain_check(d, at, n)));
    bool of_log = !(at[0].method->in & LETHE_SHAPE_TABLE) && !lethe_manifest_of_records(manifest);
    LETHE_TRY(reading_read(d, a, lethe_json_get(lethe_json_at(steps, 0), "parameters"), of_log,
                           &out->reading));
    if (lethe_shape_ops_of(lethe_step_shape(&at[n - 1]))->shows_users) {
        if (!lethe_manifest_publishing(manifest, &out->publishing))
            return lethe_fail(d, LETHE_EINPUT,
                              "the manifest does not say how its log is published");
        lethe_publishing_settle(&at[n - 1], &out->publishing);
        LETHE_TRY(keep_copy(d, a, &out->publishing.keep));
        LETHE_TRY(input_not_usage(lethe_keep_applies(d, out)));
    }
    return steps_compare(d, a, manifest, doc, out);
}

lethe_err lethe_manifest_claims(lethe_diag *d, const lethe_json *manifest, lethe_json_doc *doc,
                                lethe_json **out)
{
    lethe_release_job job;
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(d);
    lethe_err e = lethe_manifest_job(d, a, manifest, doc, &job);
    lethe_json *claims = e == LETHE_OK ? lethe_job_claims(doc, &job) : NULL;
    lethe_arena_free(a);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(d);
    if (e == LETHE_OK) *out = claims;
    return e;
}

/* --- writing --- */

lethe_json *lethe_files_json(lethe_json_doc *doc, const lethe_file_entry *at, size_t n)
{
    lethe_json *files = lethe_json_array(doc);
    for (size_t i = 0; i < n; i++) {
        lethe_json *file = lethe_json_object(doc);
        lethe_set_text(doc, file, "name", at[i].name);
        lethe_set_count(doc, file, "bytes", at[i].bytes);
        lethe_set_text(doc, file, "blake2b", at[i].digest);
        lethe_json_push(doc, files, file);
    }
    return files;
}

lethe_err lethe_manifest_write(lethe_ctx *ctx, lethe_folder *folder, const lethe_json *manifest)
{
    size_t n;
    lethe_sink *sink;
    char *text = lethe_json_write(manifest, 2, &n);
    if (!text) return lethe_no_memory(ctx);
    lethe_err e = lethe_sink_in(lethe_ctx_diag(ctx), folder, LETHE_MANIFEST, &sink);
    if (e == LETHE_OK) {
        e = lethe_sink_write(sink, text, n);
        if (e == LETHE_OK) e = lethe_sink_write(sink, "\n", 1);
        if (e == LETHE_OK)
            e = lethe_sink_commit(sink);
        else
            lethe_sink_abort(sink);
    }
    lethe_json_text_free(text);
    return e;
}

/* --- reading --- */

lethe_err lethe_manifest_read(lethe_diag *d, int dirfd, lethe_json_doc **doc, lethe_json **out)
{
    lethe_json_doc *read = NULL;
    lethe_json *m = NULL;
    LETHE_TRY(lethe_json_read_at(d, dirfd, LETHE_MANIFEST, LETHE_MANIFEST_MAX, &read, &m));
    lethe_err e = lethe_manifest_form_check(d, m);
    if (e != LETHE_OK) {
        lethe_json_doc_free(read);
        return e;
    }
    *doc = read;
    *out = m;
    return LETHE_OK;
}

lethe_err lethe_release_open(lethe_ctx *ctx, const char *folder, lethe_published *p,
                             lethe_json_doc **doc)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    struct stat st;
    lethe_json *manifest;
    *p = (lethe_published){.ctx = ctx, .dirfd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    *doc = NULL;
    if (p->dirfd < 0) return lethe_fail_sys(d, "open folder", folder, errno);
    if (fstatat(p->dirfd, LETHE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return lethe_fail(d, LETHE_EIO, "'%s' is not a release: it holds no " LETHE_MANIFEST,
                          folder);
    LETHE_TRY(lethe_manifest_read(d, p->dirfd, doc, &manifest));
    p->manifest = manifest;
    p->shape = lethe_manifest_shape(manifest);
    return LETHE_OK;
}

void lethe_release_close(lethe_published *p, lethe_json_doc *doc)
{
    lethe_json_doc_free(doc);
    if (p->dirfd >= 0) close(p->dirfd);
}

bool lethe_is_given(const lethe_values *v, const char *name)
{
    const lethe_value *value = v ? lethe_value_find(v, name) : NULL;
    return value && value->given;
}

bool lethe_is_same_file(const struct stat *st, const char *path)
{
    struct stat other;
    if (!path) return false;
    int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &other) : stat(path, &other);
    return failed == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

lethe_err lethe_spill_begin(lethe_ctx *ctx, const char *dir, char **before)
{
    const char *old = lethe_ctx_spill_dir(ctx);
    size_t n = strlen(old) + 1;
    char *copy = lethe_alloc(n, 1);
    if (!copy) return lethe_no_memory(ctx);
    memcpy(copy, old, n);
    *before = copy;
    return lethe_ctx_set_spill_dir(ctx, dir) == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
}

void lethe_spill_end(lethe_ctx *ctx, char *before)
{
    if (before && lethe_ctx_set_spill_dir(ctx, before) != LETHE_OK)
        lethe_warn(ctx, "not enough memory to use '%s' for temporary files again", before);
    lethe_free(before);
}

lethe_err lethe_readable(lethe_ctx *ctx, const char *path)
{
    if (!path || access(path, R_OK) == 0) return LETHE_OK;
    return lethe_fail_sys(lethe_ctx_diag(ctx), "open", path, errno);
}

uint32_t lethe_manifest_data_parts(const lethe_json *manifest)
{
    const lethe_json *files = lethe_json_get(manifest, "files");
    uint32_t n = 0, i;
    lethe_str ext;
    while (lethe_part_parse(lethe_json_text(lethe_json_get(lethe_json_at(files, n), "name")), &i,
                            &ext))
        n++;
    return n;
}

/* Is it the data file of the shape, or a part of it? */
static bool is_data_of(const lethe_shape_ops *ops, lethe_str name)
{
    uint32_t i;
    return lethe_str_eq(name, lethe_str_of(ops->files[0].name)) ||
           lethe_part_of(name, ops->files[0].name, &i);
}

/* The last step tells a sealed log from a log: their files have the same names. */
lethe_shape lethe_manifest_shape(const lethe_json *manifest)
{
    const lethe_json *files = lethe_json_get(manifest, "files"),
                     *steps = lethe_json_get(manifest, "steps");
    const lethe_method *last = lethe_step_method(lethe_json_at(steps, lethe_json_count(steps) - 1));
    unsigned found = 0;
    for (size_t i = 0; i < lethe_json_count(files); i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name"));
        for (const lethe_shape_ops *const *ops = lethe_shapes(); *ops; ops++)
            if (is_data_of(*ops, name)) found |= (*ops)->shape;
    }
    if (found == (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED))
        return last && last->out == LETHE_SHAPE_SEALED ? LETHE_SHAPE_SEALED : LETHE_SHAPE_LOG;
    return found & (found - 1) ? LETHE_SHAPE_NONE : (lethe_shape)found;
}

/* --- replacing --- */

/* Parts stand at their number, and before all others: there may be many of them. */
static bool manifest_names(const lethe_json *manifest, const char *name)
{
    const lethe_json *files = lethe_json_get(manifest, "files");
    lethe_str wanted = lethe_str_of(name), ext;
    uint32_t number;
    if (strcmp(name, LETHE_MANIFEST) == 0) return true;
    if (lethe_part_parse(wanted, &number, &ext))
        return lethe_str_eq(wanted,
                            lethe_json_text(lethe_json_get(lethe_json_at(files, number), "name")));
    for (size_t i = lethe_json_count(files); i > 0; i--) {
        lethe_str named = lethe_json_text(lethe_json_get(lethe_json_at(files, i - 1), "name"));
        if (lethe_str_eq(wanted, named)) return true;
        if (lethe_part_parse(named, &number, &ext)) return false;
    }
    return false;
}

/* Is it one of the files that file managers leave behind?  A large one may be anything. */
static bool is_litter(int dirfd, const char *name)
{
    enum { LITTER_MOST = 1 << 20 };
    static const char *const names[] = {".DS_Store",   "Thumbs.db",  "ehthumbs.db", "desktop.ini",
                                        "Desktop.ini", ".directory", ".localized"};
    bool known = strncmp(name, "._", 2) == 0;
    struct stat st;
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        known |= strcmp(name, names[i]) == 0;
    return known && fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_size <= LITTER_MOST;
}

typedef enum entry_kind { ENTRY_ANY, ENTRY_LITTER, ENTRY_OTHER } entry_kind;

/* The least name of the kind after `after` that the manifest does not have. */
static lethe_err least_entry(lethe_diag *d, int dirfd, const lethe_json *manifest, entry_kind kind,
                             const char *after, char name[NAME_MAX + 1])
{
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    name[0] = '\0';
    if (!dir) {
        if (fd >= 0) close(fd);
        return lethe_fail_sys(d, "list folder", "release", errno);
    }
    errno = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *n = entry->d_name;
        if (strcmp(n, ".") == 0 || strcmp(n, "..") == 0 || strcmp(n, after) <= 0) continue;
        if (manifest_names(manifest, n) || (name[0] && strcmp(n, name) >= 0)) continue;
        bool fits = kind == ENTRY_ANY || is_litter(dirfd, n) == (kind == ENTRY_LITTER);
        if (fits) snprintf(name, NAME_MAX + 1, "%s", n);
        errno = 0; // what is_litter could not look at is not litter
    }
    lethe_err e = errno ? lethe_fail_sys(d, "list folder", "release", errno) : LETHE_OK;
    closedir(dir);
    return e;
}

lethe_err lethe_manifest_stranger(lethe_diag *d, int dirfd, const lethe_json *manifest,
                                  bool but_litter, char name[NAME_MAX + 1])
{
    return least_entry(d, dirfd, manifest, but_litter ? ENTRY_OTHER : ENTRY_ANY, "", name);
}

lethe_err lethe_manifest_litter(lethe_diag *d, int dirfd, const lethe_json *manifest,
                                char name[NAME_MAX + 1])
{
    char after[NAME_MAX + 1];
    memcpy(after, name, sizeof after);
    return least_entry(d, dirfd, manifest, ENTRY_LITTER, after, name);
}

lethe_err lethe_manifest_may_replace(lethe_diag *d, const char *path, int dirfd)
{
    lethe_json_doc *doc;
    lethe_json *manifest;
    struct stat st;
    lethe_err e = lethe_manifest_read(NULL, dirfd, &doc, &manifest);
    if (e == LETHE_ENOMEM) return lethe_no_memory(d);
    if (e == LETHE_EIO && fstatat(dirfd, LETHE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(st.st_mode))
        return lethe_fail(d, LETHE_EIO, "the manifest of '%s' cannot be read: it was not changed",
                          path);
    if (e != LETHE_OK)
        return lethe_fail(d, LETHE_EUSAGE,
                          "'%s' exists and is not a release of lethe: it was not changed", path);
    char stranger[NAME_MAX + 1], shown[200];
    e = lethe_manifest_stranger(d, dirfd, manifest, false, stranger);
    lethe_json_doc_free(doc);
    if (e != LETHE_OK || !stranger[0]) return e;
    lethe_show(shown, sizeof shown, lethe_str_of(stranger));
    return lethe_fail(d, LETHE_EUSAGE,
                      "'%s' holds '%s', which its manifest does not name: it was not changed", path,
                      shown);
}
