/* SPDX-License-Identifier: Apache-2.0 */
/* method.c - runs a method, or a chain of them, and shows the summary of the release. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* What the last step produces. */
static unsigned published_shape(const arguments *a)
{
    return lethe_method_shape(a->stages[a->n_stages - 1].command.method,
                              &a->stages[a->n_stages - 1].values);
}

/* A given option that says how to publish a log, although the last step does not produce a log that
 * it applies to; NULL: there is none. */
static const lethe_option *misplaced_option(const arguments *a)
{
    command last = a->stages[a->n_stages - 1].command;
    if (!(published_shape(a) & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED)))
        last.takes &= ~(unsigned)(TAKES_USERS | TAKES_COARSENING);
    for (size_t i = 0; common_options[i].name; i++)
        if (a->common.at[i].given && !common_applies(&common_options[i], &last))
            return &common_options[i];
    return NULL;
}

/* How clicked URLs are published without --urls. */
static lethe_urls urls_default(const arguments *a)
{
    bool ids = false;
    for (size_t i = 0; i < a->n_stages; i++)
        ids = ids || a->stages[i].command.method->ids;
    return ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
}

static lethe_err job_of(const arguments *a, lethe_job *job)
{
    const lethe_value *out = common(a, "output"), *times = common(a, "time"),
                      *urls = common(a, "urls"), *seed = common(a, "seed");
    // in the order of the options' choices
    static const lethe_times cuts[] = {LETHE_TIMES_EXACT, LETHE_TIMES_HOUR, LETHE_TIMES_DAY,
                                       LETHE_TIMES_DROP};
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_ID,
                                       LETHE_URLS_DROP};
    const char *whose = a->stages[0].command.name;
    if (!out->given)
        return misuse(
            whose, "no output given: use -o FOLDER, or -o - for the data alone on standard output");
    const lethe_option *misplaced = misplaced_option(a);
    if (misplaced)
        return misuse(whose, "--%s does not apply: %s does not publish rows of a log",
                      misplaced->name, a->stages[a->n_stages - 1].command.name);
    bool to_stdout = strcmp(out->text, "-") == 0;
    if (to_stdout && wants_json(a))
        return misuse(whose, "--json and -o - cannot be combined: both write to standard output");
    if (to_stdout && common(a, "report")->given)
        return misuse(whose, "--report needs -o FOLDER: -o - does not make a release");
    job->page = common(a, "report")->given;
    job->inputs = a->operands;
    job->n_inputs = a->n_operands;
    job->out = out->text;
    job->publishing = (lethe_publish_options){
        .keep_users = common(a, "keep-users")->given,
        .times = times->given ? cuts[times->count] : LETHE_TIMES_DAY,
        .urls = urls->given ? kinds[urls->count] : urls_default(a),
        .has_seed = seed->given,
        .seed = (uint64_t)seed->count,
        .key_file = common(a, "key-file")->text,
        .map = common(a, "map")->text,
        .force = common(a, "force")->given,
    };
    return reading_of(a, &job->reading);
}

static void print_check(const lethe_json *check)
{
    lethe_str notion = lethe_json_text(lethe_json_get(check, "notion")),
              nothing = claim_nothing(check);
    char *with = claim_parameters(check);
    fprintf(stderr, "  promise    %.*s (%s) ", (int)notion.n, notion.at, with ? with : "");
    if (nothing.n > 0)
        fprintf(stderr, "%.*s\n", (int)nothing.n, nothing.at);
    else
        fprintf(stderr, "holds%s, checked on the written bytes\n",
                lethe_json_get(check, "undecided") ? " as far as can be seen" : "");
    free(with);
}

enum {
    SHOWN_MAX = 10,    /* elements of an array; --json has the rest */
    CAVEATS_SHOWN = 3, /* `lethe verify --caveats` has the rest */
};

static void print_word(lethe_str word)
{
    fputc(' ', stderr);
    print_safe(stderr, word, 40);
}

/* A figure with one value per level, or names; "-" where a level has no value. */
static void print_array(const lethe_json *v, const char *unit)
{
    char x[32];
    size_t n = lethe_json_count(v);
    bool share = strcmp(unit, "%") == 0;
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        const lethe_json *at = lethe_json_at(v, i);
        if (lethe_json_kind(at) == LETHE_JSON_INT)
            fprintf(stderr, " %s", grouped(x, lethe_json_int(at)));
        else if (lethe_json_kind(at) == LETHE_JSON_REAL && share)
            fprintf(stderr, " %.1f", 100 * lethe_json_real(at));
        else if (lethe_json_kind(at) == LETHE_JSON_REAL)
            fprintf(stderr, " %.4f", lethe_json_real(at));
        else if (lethe_json_kind(at) == LETHE_JSON_TEXT)
            print_word(lethe_json_text(at));
        else
            fputs(" -", stderr);
    }
    if (n > SHOWN_MAX) fprintf(stderr, " ... (%s)", grouped(x, (int64_t)n));
    if (n == 0) fputs(" none", stderr);
    if (n > 0 && share) fputs(" %", stderr);
}

/* The members of a figure that are not zero; of an array, its length. */
static void print_parts(const lethe_json *v, const char *unit)
{
    char x[32];
    const char *gap = " ";
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        lethe_str part = lethe_json_name(v, i);
        const lethe_json *at = lethe_json_at(v, i);
        int64_t n = lethe_json_kind(at) == LETHE_JSON_ARRAY ? (int64_t)lethe_json_count(at)
                                                            : lethe_json_int(at);
        if (n == 0) continue;
        fputs(gap, stderr);
        print_safe(stderr, part, SAFE_MAX);
        fprintf(stderr, " %s", grouped(x, n));
        gap = ", ";
    }
    if (*gap == ' ')
        fputs(" none", stderr);
    else if (*unit)
        fprintf(stderr, " (%s)", unit);
}

static void print_figure(lethe_str name, int width, const lethe_json *v)
{
    char x[32];
    const char *unit = unit_of(name);
    lethe_json_type kind = lethe_json_kind(v);
    if (kind == LETHE_JSON_NULL || kind == LETHE_JSON_TEXT) return;
    fprintf(stderr, "  %-*.*s", width, (int)name.n, name.at);
    if (kind == LETHE_JSON_ARRAY)
        print_array(v, unit);
    else if (kind == LETHE_JSON_OBJECT)
        print_parts(v, unit);
    else if (kind == LETHE_JSON_BOOL)
        fputs(lethe_json_bool(v) ? " yes" : " no", stderr);
    else if (kind == LETHE_JSON_INT && strcmp(unit, "%") != 0)
        fprintf(stderr, " %s%s%s", grouped(x, lethe_json_int(v)), *unit ? " " : "", unit);
    else {
        fputc(' ', stderr);
        print_real(stderr, 0, lethe_json_real(v), unit);
    }
    fputc('\n', stderr);
}

static void print_summary(const arguments *a, const lethe_json *report)
{
    char x[32], out[SAFE_BYTES];
    const lethe_json *counts = lethe_json_get(report, "counts"),
                     *metrics = lethe_json_get(report, "metrics");
    const lethe_json *checks = lethe_json_get(lethe_json_get(report, "verdict"), "checks");
    static const char *const names[] = {"read", "published", "suppressed", "rejected"};
    bool to_stdout = strcmp(common(a, "output")->text, "-") == 0;
    if (to_stdout) {
        fputs(
            "lethe: note: data only, nothing is checked or promised; use -o FOLDER for a release\n",
            stderr);
        return;
    }
    bool lines = lethe_json_get(metrics, "records") || published_shape(a) == LETHE_SHAPE_COUNTS;
    const char *what = lines ? "input lines" : "rows";
    fprintf(stderr, "released in '%s'\n", safe(out, str_of(common(a, "output")->text)));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(stderr, "  %-10s %12s %s\n", names[i], grouped(x, count(counts, names[i])), what);
    int width = 16;
    for (size_t i = 0; i < lethe_json_count(metrics); i++)
        if ((int)lethe_json_name(metrics, i).n > width) width = (int)lethe_json_name(metrics, i).n;
    for (size_t i = 0; i < lethe_json_count(metrics); i++)
        print_figure(lethe_json_name(metrics, i), width, lethe_json_at(metrics, i));
    for (size_t i = 0; i < lethe_json_count(checks); i++)
        print_check(lethe_json_at(checks, i));
    const lethe_json *unclaimed = lethe_json_get(report, "unclaimed");
    for (size_t i = 0; i < lethe_json_count(unclaimed); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(unclaimed, i));
        fprintf(stderr, "  no promise %.*s\n", (int)text.n, text.at);
    }
    size_t n_caveats = lethe_json_count(lethe_json_get(report, "caveats"));
    fputc('\n', stderr);
    print_caveats(stderr, report, CAVEATS_SHOWN);
    if (n_caveats > CAVEATS_SHOWN)
        fprintf(stderr, "  %zu more: lethe verify --caveats %s\n", n_caveats - CAVEATS_SHOWN, out);
}

lethe_err run_method(const arguments *a)
{
    lethe_job job = {.n_steps = a->n_stages, .on_report = wants_json(a) ? print_json_first : NULL};
    lethe_err e = job_of(a, &job);
    if (e != LETHE_OK) return e;
    lethe_step *steps = calloc(a->n_stages, sizeof *steps);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (steps && doc) {
        for (size_t i = 0; i < a->n_stages; i++)
            steps[i] =
                (lethe_step){.method = a->stages[i].command.method, .values = a->stages[i].values};
        job.steps = steps;
        e = lethe_release_make(a->ctx, &job, doc, &report);
        bool to_stdout =
            strcmp(job.out, "-") == 0; // with -o - the note is printed in spite of --quiet
        if (wants_json(a) && report && e == LETHE_ANSWER_NO) {
            if (print_json(report) != LETHE_OK)
                fputs("lethe: cannot write standard output\n", stderr);
        } else if (e == LETHE_OK && !wants_json(a) && (to_stdout || !common(a, "quiet")->given)) {
            print_summary(a, report);
        }
    } else {
        e = LETHE_ENOMEM;
    }
    lethe_json_doc_free(doc);
    free(steps);
    return e;
}
