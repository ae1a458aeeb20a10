/* SPDX-License-Identifier: Apache-2.0 */
/* method.c - runs a method, or a chain of them, or joins what they have made, and shows the summary
 * of the release. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static bool is_join(const arguments *a) { return strcmp(a->stages[0].command.name, "join") == 0; }

/* What the last step produces; only records and logs are joined. */
static lethe_shape published_shape(const arguments *a, const lethe_json *report)
{
    const stage *last = &a->stages[a->n_stages - 1];
    if (is_join(a))
        return lethe_json_get(lethe_json_get(report, "metrics"), "records") ? LETHE_SHAPE_RECORDS
                                                                            : LETHE_SHAPE_LOG;
    return lethe_command_shape(&last->command, &last->values);
}

static lethe_err output_check(const arguments *a)
{
    const char *whose = a->stages[0].command.name, *out = output_of(a);
    if (!out && is_join(a)) return misuse(whose, "no output given: use -o FOLDER");
    if (!out)
        return misuse(
            whose, "no output given: use -o FOLDER, or -o - for the data alone on standard output");
    if (strcmp(out, "-") == 0 && wants_json(a))
        return misuse(whose, "--json and -o - cannot be combined: both write to standard output");
    return LETHE_OK;
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

enum { CAVEATS_SHOWN = 3, LABEL_WIDTH = 28 };

/* The figures of the i-th step: of the command line, or where parts were joined, of the report. */
static const lethe_figure *step_figures(const arguments *a, const lethe_json *steps, size_t i)
{
    char name[64];
    lethe_command c;
    if (!is_join(a)) return a->stages[i].command.figures;
    lethe_str text = lethe_json_text(lethe_json_get(lethe_json_at(steps, i), "command"));
    snprintf(name, sizeof name, "%.*s", (int)text.n, text.at);
    return command_find(name, &c) ? c.figures : NULL;
}

/* What a member of the report's `metrics` is: a figure of the last step that has it, or one that
 * all releases of the shape have. */
static const lethe_figure *figure_of(const arguments *a, const lethe_json *report, lethe_str name)
{
    const lethe_figure *f = NULL;
    const lethe_json *steps = lethe_json_get(report, "steps");
    for (size_t i = is_join(a) ? lethe_json_count(steps) : a->n_stages; i > 0 && !f; i--)
        f = lethe_figure_find(step_figures(a, steps, i - 1), name);
    return f ? f : lethe_figure_find(lethe_shape_figures(published_shape(a, report)), name);
}

static void print_figures(const arguments *a, const lethe_json *report)
{
    int width = LABEL_WIDTH;
    char label[LABEL_BYTES];
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    for (int pass = 0; pass < 2; pass++) // measure, then print
        for (size_t i = 0; i < lethe_json_count(metrics); i++) {
            const lethe_json *v = lethe_json_at(metrics, i);
            const lethe_figure *f = figure_of(a, report, lethe_json_name(metrics, i));
            if (!f || !figure_shown(f, v, wants_all(a))) continue;
            int n = (int)strlen(figure_label(f, label));
            if (n > width) width = n;
            if (pass == 1) print_figure(stderr, width, f, v);
            if (pass == 1 && wants_all(a)) print_figure_meaning(stderr, f);
        }
}

/* The most important caveats, or all. */
static void print_some_caveats(const arguments *a, const lethe_json *report)
{
    char out[SAFE_BYTES];
    size_t n = lethe_json_count(lethe_json_get(report, "caveats"));
    print_caveats(stderr, report, wants_all(a) ? SIZE_MAX : CAVEATS_SHOWN);
    if (n > CAVEATS_SHOWN && !wants_all(a))
        fprintf(stderr, "  %zu more: lethe verify --caveats %s\n", n - CAVEATS_SHOWN,
                safe(out, str_of(output_of(a))));
}

static void print_summary(const arguments *a, const lethe_json *report)
{
    char out[SAFE_BYTES], n[4][32];
    const lethe_json *counts = lethe_json_get(report, "counts"),
                     *metrics = lethe_json_get(report, "metrics"),
                     *checks = lethe_json_get(lethe_json_get(report, "verdict"), "checks"),
                     *unclaimed = lethe_json_get(report, "unclaimed");
    if (strcmp(output_of(a), "-") == 0) {
        fputs(
            "lethe: note: data only, nothing is checked or promised; use -o FOLDER for a release\n",
            stderr);
        return;
    }
    bool lines =
        lethe_json_get(metrics, "records") || published_shape(a, report) == LETHE_SHAPE_COUNTS;
    fprintf(stderr, "released in '%s'\n", safe(out, str_of(output_of(a))));
    fprintf(stderr, "  %s %s: %s published, %s suppressed, %s rejected\n",
            grouped(n[0], count(counts, "read")), lines ? "input lines" : "rows",
            grouped(n[1], count(counts, "published")), grouped(n[2], count(counts, "suppressed")),
            grouped(n[3], count(counts, "rejected")));
    print_figures(a, report);
    for (size_t i = 0; i < lethe_json_count(checks); i++)
        print_check(lethe_json_at(checks, i));
    for (size_t i = 0; i < lethe_json_count(unclaimed); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(unclaimed, i));
        fprintf(stderr, "  no promise %.*s\n", (int)text.n, text.at);
    }
    fputc('\n', stderr);
    print_some_caveats(a, report);
}

lethe_err run_method(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = output_check(a);
    if (e != LETHE_OK) return e;
    e = request(a, &doc, &report);
    bool to_stdout = strcmp(output_of(a), "-") == 0; // the note is then printed in spite of --quiet
    if (e == LETHE_OK && report && (to_stdout || !common(a, "quiet")->given))
        print_summary(a, report);
    lethe_json_doc_free(doc);
    return e;
}
