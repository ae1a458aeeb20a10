/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a readable page about a release or a study. */
#include "app/call/command.h"
#include "app/call/release_options.h"
#include "app/call/time_limit.h"

static const lethe_option options[] = {
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
    MAP_OPTION,
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the original (adversary identity)"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, in rank order (to verify, and for the adversaries "
             "competitor and replay)"},
    TAXONOMY_OPTION,
    HIERARCHIES_OPTION(", for the figures that need them"),
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

static const lethe_figure figures[] = {
    {"plots", "number of plots on the page", .better = 0},
    {"bytes", "size of the page in bytes", .better = 0},
    {0},
};

/* Some options make sense only with an original. */
static lethe_err original_check(const lethe_request *r)
{
    static const char *const with[] = {"map",   "truth",    "hierarchies", "train-column",
                                       "known", "patterns", "external"};
    if (r->n_inputs > 0) return LETHE_OK;
    for (size_t i = 0; i < LETHE_COUNT(with); i++)
        if (lethe_value_of(&r->values, with[i])->given)
            return lethe_fail(r->ctx, LETHE_EUSAGE, "--%s needs --original", with[i]);
    return LETHE_OK;
}

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    lethe_report_options how = {.against = lethe_request_against(r),
                                .results = lethe_value_of(v, "results")->text,
                                .n_examples = (size_t)lethe_count_of(v, "examples"),
                                .title = lethe_value_of(v, "title")->text,
                                .date = lethe_value_of(v, "date")->text,
                                .bound = lethe_value_of(v, "max-risk")->real,
                                .out = lethe_value_of(v, "output")->text,
                                .force = r->publishing.force,
                                .on_report = lethe_request_report,
                                .user = r};
    LETHE_TRY(original_check(r));
    return lethe_report_make(r->ctx, &how, doc, report);
}

const lethe_runner lethe_command_report = {
    .command =
        {.name = "report",
         .group = "Check a release",
         .summary = "write a readable page about a release or a study",
         .operands = "RELEASE|STUDY",
         .options = options,
         .takes = LETHE_TAKES_READING | LETHE_TAKES_FORCE,
         .description =
             "Verifies a release and writes a page about it, for the people who decide whether to "
             "publish it. It begins with the answer: whether the promise is kept, and what an "
             "adversary still finds, before and after. Then it shows what is left, a few rows, "
             "what "
             "the release does not protect against, what is promised (without mathematics), and "
             "the "
             "settings. With *--original* the page also shows what *lethe measure* and *lethe "
             "attack* "
             "find, with plots: of a table the loss by column, sizes of groups, values and risk "
             "before and after.\n\n"
             "The answer has a line for each kind of adversary (see *lethe*(1)), and shows the one "
             "with the highest risk. The risk is the upper 95 % confidence bound of its success "
             "(Clopper and Pearson); of inference, the part of what a guess without the release "
             "gets "
             "wrong that it tells at most (Giomi et al. 2023). It is low up to *--max-risk*, by "
             "default the 9 % (1 in 11) that the European Medicines Agency and Health Canada ask "
             "for "
             "when clinical data is published; raised up to twice that; else high. The answer is "
             "green only if the promise is kept and the risk of every kind that applies was tried "
             "and is low; amber if one is raised or was not tried; else red. *--map* is needed to "
             "try linking. Adversaries that need further files (*--results*, *--truth*) are run if "
             "these are given.\n\n"
             "The page is a single HTML file without scripts and without external resources. It "
             "suits "
             "print, dark mode and small screens, and describes every plot in text. Without "
             "*--original* it contains nothing that the release does not show, and may be handed "
             "out "
             "with it. With *--original* it is for the owner, and created with mode 0600; no row "
             "of "
             "the "
             "original is on it either. On paper it ends with lines to sign.\n\n"
             "Of a _STUDY_ that *lethe compare -o* made, it writes the page again: risk against "
             "usefulness in one plot, with what is above *--max-risk* in grey; the best runs for "
             "each "
             "purpose, with rows and commands; and all runs, the most useful first.\n\n"
             "The page must be written outside the release folder, which contains only what its "
             "manifest names. If the release does not keep its promise, nothing is written and the "
             "exit status is 1.",
         .figures = figures,
         .example = "lethe report release/ --original log.tsv.gz -o report.html"},
    .run = run};
