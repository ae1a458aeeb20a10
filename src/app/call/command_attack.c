/* SPDX-License-Identifier: Apache-2.0 */
/* Runs adversaries against a release. */
#include "app/call/command.h"
#include "app/call/release_options.h"

static const lethe_option options[] = {
    {.name = "original",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the input that the release was made from",
     .required = true},
    {.name = "adversary",
     .type = LETHE_OPT_TEXT,
     .arg = "NAME",
     .help = "run only this adversary [default: all that apply]"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the original, as lethe synth --truth wrote it (identity)"},
    {.name = "known",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .fallback = "3",
     .min = 1,
     .max = 1000,
     .help =
         "number of facts the adversary knows about a person: facts to find together (identity), "
         "or items (background, homogeneity, known-terms, presence-absence)"},
    {.name = "crowd",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "5",
     .min = 2,
     .max = 1000000,
     .help = "count persons for whom fewer than N candidates are left (known-terms)"},
    {.name = "absent",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 0,
     .max = 1000,
     .help = "number of items the adversary knows a person does not have (presence-absence) "
             "[default: as --known]"},
    {.name = "sensitive-known",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "number of sensitive items of a person the adversary knows, besides the others "
             "(presence-absence)"},
    {.name = "marks",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .fallback = "3",
     .min = 1,
     .max = 64,
     .help = "number of queries that a person was made to issue (marking)"},
    {.name = "accounts",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "9",
     .min = 0,
     .max = 1000000,
     .help = "number of the adversary's own accounts that issue such a query too (marking)"},
    {.name = "frequencies",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help =
         "how often texts occur, as query TAB number (frequency) [default: as in the original]"},
    {.name = "guess",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "for tables: columns whose values are guessed (homogeneity) [default: the sensitive "
             "ones, or else all that are no quasi-identifiers]"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, in rank order (competitor, replay)"},
    {.name = "owned",
     .type = LETHE_OPT_TEXT,
     .arg = "HOST,...",
     .help = "the adversary's own sites: only queries that return one of their pages are replayed "
             "(competitor)"},
    {.name = "count-self",
     .type = LETHE_OPT_FLAG,
     .help = "count a published user among its own results, as in Adar's Table 1 (linkage)"},
    MAP_OPTION,
    TAXONOMY_OPTION,
    HIERARCHIES_OPTION(""),
    {.name = "external",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the adversary's own table of persons with the quasi-identifiers (linking) [default: "
             "those "
             "of the original]"},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    lethe_evaluate_options against = lethe_request_against(r);
    against.adversary = lethe_value_of(&r->values, "adversary")->text;
    return lethe_release_attack(r->ctx, &against, doc, report);
}

const lethe_runner lethe_command_attack = {
    .command =
        {.name = "attack",
         .group = "Check a release",
         .summary = "measure what an adversary can still learn from a release",
         .operands = "RELEASE",
         .options = options,
         .takes = LETHE_TAKES_READING | LETHE_TAKES_EXPLAIN,
         .description =
             "Runs the adversaries that *lethe methods* lists against a release, and compares what "
             "they conclude with the original. _success_ is the share of the attempts that "
             "succeed, "
             "_baseline_ that of a random choice. Random samples are the same in each run; "
             "*--seed* "
             "selects another sample. The release is verified first; if it does not keep its "
             "promise, "
             "it is not attacked. The exit status is then 1, as it is if no adversary applies.",
         .example = "lethe attack release/ --original log.tsv.gz"},
    .run = run};
