/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the chains that apply, or methods, and measures and attacks each. */
#include "app/call/command.h"
#include "app/call/candidate_options.h"

static const lethe_option options[] = {
    {.name = "methods",
     .type = LETHE_OPT_TEXT,
     .arg = "NAME,...",
     .help = "run only these methods, each alone [default: the chains that publish and suggest "
             "try]"},
    {.name = "k",
     .letter = 'k',
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "values of k, for methods that have one; with --theta, each k with each theta "
             "[default: 5,10; of --methods, with --sa: those of --theta]"},
    {.name = "t",
     .letter = 't',
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "values of t, for threshold and seal [default: those of -k]"},
    {.name = "theta",
     .type = LETHE_OPT_TEXT,
     .arg = "X,...",
     .help = "for tables: values of theta, the highest share of one sensitive value in a group "
             "[default: what publish takes; of --methods, with --sa and without -k: "
             "1/2,1/5,1/10]"},
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "STUDY",
     .help =
         "folder for the releases and the report; resumes a study that was interrupted [default: "
         "nothing is kept]"},
    {.name = "within",
     .type = LETHE_OPT_DURATION,
     .arg = "DURATION",
     .min = 1,
     .max = 3.2e9,
     .help = "time for all runs; the slowest, which do not fit, are left out [default: no limit]"},
    {.name = "all", .type = LETHE_OPT_FLAG, .help = "show all runs, however many"},
    {.name = "gap",
     .type = LETHE_OPT_DURATION,
     .arg = "DURATION|all",
     .word = "all",
     .min = 0,
     .max = 9e15,
     .help = "for logs turned into records: a longer pause starts a new record of the user; for "
             "split: a new persona"},
    {.name = "clicked",
     .type = LETHE_OPT_FLAG,
     .help = "for logs turned into records: leave out queries without a click"},
    {.name = "distinct", .type = LETHE_OPT_FLAG, .help = "for records: keep one copy of each item"},
    {.name = "terms",
     .type = LETHE_OPT_CHOICE,
     .arg = "nouns|words",
     .help = "for logs turned into records: which words of queries become items"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|wordnet:present|FILE",
     .word = "wordnet|wordnet:present",
     .help = "for records: taxonomy for generalizing items"},
    {.name = "synonyms",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|merge",
     .help = "for records: 'merge' replaces each noun by the first word of its synset"},
    {.name = "persons",
     .type = LETHE_OPT_CHOICE,
     .arg = "person|record",
     .help = "for records: whether k counts persons or records"},
    {.name = "sensitive",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "for records: sensitive items, one per line (og, mog, mm)"},
    {.name = "directory",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|FILE",
     .word = "wordnet",
     .help = "for microagg: directory of the categories of texts"},
    RESULTS_OPTION("split, disconnect, and adversaries"),
    COLUMN_OPTIONS,
    {.name = "keep",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "for tables: further columns to publish unchanged"},
    GENERALIZING_OPTIONS(""),
    ADVERSARY_OPTIONS,
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1000000,
     .help = "number of most frequent patterns to compare [default: 1000]"},
    {0},
};

static const lethe_figure figures[] = {
    {"rows",
     "an object for each method and setting, the most useful first: method, parameters, label, "
     "name (of its files), notion, holds, nothing (if it promises nothing), command, goals (that "
     "it is tried for, and can be named best for), kept_for (what is kept, by goal), exposure (the "
     "risk that a person is found, as for "
     "lethe-publish(1)), exposure_found, exposure_before, exposure_by, kept, risks, utility, "
     "recall, success, baseline, attacks, measures, published, suppressed, seconds, peak_bytes, "
     "error, left_out (true: for lack of time or memory), status",
     .better = 0},
    {"shape, bound", "of the input; up to which a risk is acceptable", .better = 0},
    {"varied", "the options that were varied, with their values and the methods", .better = 0},
    {"utility_meaning", "meaning of utility", .better = 0},
    {"success_meaning", "meaning of success and baseline", .better = 0},
    {"input", "name of the first input file", .better = 0},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    lethe_compare_options c = {
        .inputs = r->inputs,
        .n_inputs = r->n_inputs,
        .reading = r->reading,
        .methods = lethe_value_of(v, "methods")->text,
        .k = lethe_value_of(v, "k")->text,
        .t = lethe_value_of(v, "t")->text,
        .theta = lethe_value_of(v, "theta")->text,
        .values = v,
        .publishing = r->publishing,
        .has_urls = r->has_urls,
        .out = lethe_value_of(v, "output")->text,
        .within_s = (double)lethe_value_of(v, "within")->count,
        .on_row = lethe_request_row,
        .user = r,
    };
    return lethe_compare_make(r->ctx, &c, doc, report);
}

const lethe_runner lethe_command_compare = {
    .command =
        {.name = "compare",
         .group = "Look at the input",
         .summary = "run chains of methods and compare utility, privacy and cost",
         .operands = "LOG|RECORDS|TABLE...",
         .options = options,
         .takes =
             LETHE_TAKES_READING | LETHE_TAKES_FORCE | LETHE_TAKES_COARSENING | LETHE_TAKES_USERS,
         .description =
             "Runs the chains of methods that *lethe publish* and *lethe suggest* try on a log, on "
             "records or on a table, with the taxonomy, ranges and theta that these take, and on a "
             "log "
             "a few more to compare with. With *--methods* it runs these methods, each alone. Each "
             "has "
             "several settings, in one process. Each run makes a release, which is "
             "checked, measured, and attacked by every adversary that applies. A setting that is "
             "infeasible or fails becomes a row with the reason, and the study goes on; the exit "
             "status is 1 if no setting gave a release. An option is passed to every method, "
             "measure "
             "and adversary that has an option of that name.\n\n"
             "The table begins with what is most useful: releases with a risk of 9 % or less that "
             "keep "
             "most over all goals, then those with a higher risk, marked by an exclamation mark. "
             "What "
             "is kept for a goal, and the risk, are explained in *lethe-publish*(1). Below it the "
             "best "
             "for each goal follows, with its command: a chain that *publish* and *suggest* try "
             "for "
             "that goal, too (or a method of *--methods*).\n\n"
             "With *-o* everything is kept in a folder: the releases, each with its map, "
             "_study.json_, _study.csv_ and _report.html_. The folder is for its owner only, "
             "because "
             "the maps reverse the pseudonyms. One of the releases below _releases_ can be handed "
             "out, but not several: together they tell more than each alone. If a study is "
             "interrupted, the same command resumes it, and with *--seed* the result is the same. "
             "A "
             "folder that belongs to other settings or to an input that has changed since is "
             "refused "
             "unless *--force* is given, which starts the study again. Without *-o* nothing is "
             "kept.\n\n"
             "With *--within* the runs of a log of 1,000 users and more are measured on a sample "
             "of "
             "200 first. The cheapest come first; those that would take longer than what is left "
             "are "
             "rows with that reason, and so are those that are stopped. The same command with more "
             "time makes them.",
         .figures = figures,
         .example = "lethe compare log.tsv.gz -k 5 -o study/"},
    .run = run};
