/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the HTML page about a release. */
#include "cli.h"
#include <string.h>

const lethe_option report_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .fallback = "report.html",
     .help = "file for the page, outside the release, or - for standard output"},
    {.name = "original",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the input that the release was made from, to show measures and attacks too"},
    {.name = "title",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT",
     .help = "name of the data set, as the heading of the page"},
    {.name = "date",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT",
     .help = "date to show on the page, which has none otherwise"},
    {.name = "max-risk",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "0.09",
     .min = 0.0001,
     .max = 1,
     .help = "risk up to which the page calls it low: the upper 95 % confidence bound of an "
             "adversary's success"},
    {.name = "examples",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "10",
     .min = 0,
     .max = 100,
     .help = "number of published rows to show as examples"},
    {.name = "map",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the map that was written with the release"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the original (adversary identity)"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, in rank order (to verify, and for the adversaries "
             "competitor and replay)"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "taxonomy that the records were generalized with, if it was a file"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .help = "hierarchies that the table was generalized with, for the figures that need them"},
    {.name = "train-column",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN",
     .help = "for tables with --class: train a classifier on rows with 'train' in this column, and "
             "test it on the others"},
    {.name = "external",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for tables: persons whom the adversary looks for (see lethe attack)"},
    {.name = "known",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .fallback = "3",
     .min = 1,
     .max = 1000,
     .help = "number of facts an adversary knows about a person (see lethe attack)"},
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "for logs and records: compare the N most frequent closed patterns"},
    TIME_LIMIT_OPTION,
    {0},
};

const lethe_figure report_figures[] = {
    {"plots", "number of plots on the page", .better = 0},
    {"bytes", "size of the page in bytes", .better = 0},
    {0},
};

/* Some options make sense only with --original. */
static lethe_err original_check(const lethe_values *v)
{
    static const char *const with[] = {"map",   "truth",    "hierarchies", "train-column",
                                       "known", "patterns", "external"};
    if (lethe_value_of(v, "original")->given) return LETHE_OK;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (lethe_value_of(v, with[i])->given)
            return misuse("report", "--%s needs --original", with[i]);
    return LETHE_OK;
}

static void print_summary(const char *out, const lethe_json *report)
{
    const lethe_json *m = lethe_json_get(report, "metrics");
    char bytes[32];
    char path[SAFE_BYTES];
    fprintf(stderr, "wrote '%s': %lld plot%s, %s bytes\n", safe(path, str_of(out)),
            (long long)count(m, "plots"), count(m, "plots") == 1 ? "" : "s",
            grouped(bytes, count(m, "bytes")));
}

lethe_err run_report(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    const lethe_value *original = lethe_value_of(v, "original");
    lethe_report_options r = {.against = {.folder = a->operands[0],
                                          .originals = &original->text,
                                          .n_originals = original->given,
                                          .map = lethe_value_of(v, "map")->text,
                                          .values = v,
                                          .has_seed = common(a, "seed")->given,
                                          .seed = (uint64_t)common(a, "seed")->count},
                              .results = lethe_value_of(v, "results")->text,
                              .n_examples = (size_t)lethe_count_of(v, "examples"),
                              .title = lethe_value_of(v, "title")->text,
                              .date = lethe_value_of(v, "date")->text,
                              .bound = lethe_value_of(v, "max-risk")->real,
                              .out = lethe_value_of(v, "output")->text,
                              .force = common(a, "force")->given,
                              .on_report = wants_json(a) ? print_json_first : NULL};
    bool to_stdout = strcmp(r.out, "-") == 0;
    if (to_stdout && wants_json(a))
        return misuse("report",
                      "--json and -o - cannot be combined: both write to standard output");
    lethe_err e = original_check(v);
    if (e == LETHE_OK) e = reading_of(a, &r.against.reading);
    if (e != LETHE_OK) return e;
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    e = lethe_report_make(a->ctx, &r, doc, &report);
    if (e == LETHE_OK && !to_stdout && !wants_json(a) && !common(a, "quiet")->given)
        print_summary(r.out, report);
    lethe_json_doc_free(doc);
    return e;
}
