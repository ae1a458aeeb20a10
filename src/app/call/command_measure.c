/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how much of the original is left in a release. */
#include "app/call/command.h"
#include "app/call/release_options.h"

static const lethe_option options[] = {
    {.name = "original",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the input that the release was made from",
     .required = true},
    MAP_OPTION,
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "for logs and records: compare the N most frequent closed patterns"},
    {.name = "support",
     .type = LETHE_OPT_REAL,
     .arg = "S",
     .min = 1e-6,
     .max = 1,
     .help =
         "for records: count generalized patterns that have at least this support, such as 0.01"},
    TAXONOMY_OPTION,
    HIERARCHIES_OPTION(", for the figures that need them"),
    {.name = "train-column",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN",
     .help = "for tables with --class: train a classifier on rows with 'train' in this column, and "
             "test it on the others"},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    lethe_evaluate_options against = lethe_request_against(r);
    return lethe_release_measure(r->ctx, &against, doc, report);
}

const lethe_runner lethe_command_measure = {
    .command = {.name = "measure",
                .group = "Check a release",
                .summary = "measure how useful a release still is",
                .operands = "RELEASE",
                .options = options,
                .takes = LETHE_TAKES_READING | LETHE_TAKES_EXPLAIN,
                .description =
                    "Compares a release with the original it was made from and shows how much is "
                    "left: the figures of the manifest, and those of the measures that *lethe "
                    "methods* lists. The release is verified first; if it does not keep its "
                    "promise, nothing is measured and the exit status is 1.\n\n"
                    "Tables need no *--hierarchies*: what only they could tell is left out, and "
                    "the report says so (_left_out_).",
                .example = "lethe measure release/ --original log.tsv.gz"},
    .run = run};
