/* SPDX-License-Identifier: Apache-2.0 */
/* Generates a synthetic log. */
#include "app/call/command.h"

static const lethe_option options[] = {
    {.name = "users",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1e9,
     .help = "number of users"},
    {.name = "queries-per-user",
     .type = LETHE_OPT_REAL,
     .arg = "MEAN",
     .fallback = "60",
     .min = 1,
     .max = LETHE_QUERIES_MAX,
     .help = "mean number of queries per user (below 10 the result is higher, because every user "
             "also has two common texts)"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "write the planted persons, and what identifies them, to FILE"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help =
         "write what the search engine answers to each text, one query and URL per line, to FILE"},
    {.name = "version",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "2",
     .min = 1,
     .max = 2,
     .help = "version of the generator; 1 is the log of earlier releases, byte for byte"},
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .fallback = "-",
     .help = "file for the log, or - for standard output"},
    {0},
};

static const lethe_figure figures[] = {
    {"rows", "lines of the log", .better = 0},
    {"queries", "queries; lines of one user with the same text and time are one query",
     .better = 0},
    {"users", "users", .better = 0},
    {"planted", "planted persons by kind: number, name and pattern", .better = 0},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    lethe_synth_options s = {.users = (uint64_t)lethe_count_of(v, "users"),
                             .queries_per_user = lethe_value_of(v, "queries-per-user")->real,
                             .has_seed = r->publishing.has_seed,
                             .seed = r->publishing.seed,
                             .out = lethe_value_of(v, "output")->text,
                             .truth = lethe_value_of(v, "truth")->text,
                             .version = (unsigned)lethe_count_of(v, "version"),
                             .results = lethe_value_of(v, "results")->text,
                             .force = r->publishing.force,
                             .on_report = lethe_request_report,
                             .user = r};
    return lethe_synth_log(r->ctx, &s, doc, report);
}

const lethe_runner lethe_command_synth = {
    .command =
        {.name = "synth",
         .group = "Other",
         .summary = "generate a synthetic log, with identifiable people planted in it",
         .operands = "",
         .options = options,
         .takes = LETHE_TAKES_FORCE,
         .description =
             "Writes a search log of people who do not exist, for trying out methods and attacks. "
             "Its "
             "users have a few interests (parts of WordNet), a town and a family, repeat "
             "themselves, "
             "ask again in other words, misspell, issue common queries, click on pages, and return "
             "in "
             "sessions from March to May 2006. The log is fitted to figures of real logs, above "
             "all of "
             "the one that AOL released in 2006, for a thousand users; nothing else of those logs "
             "was "
             "used.\n\n"
             "A search engine answers each text with the same pages, whoever asks. *--results* "
             "writes "
             "its answers, as *--results* of other commands reads them; this needs memory for "
             "every "
             "distinct text. *--version 1* writes the log of earlier releases, which is fitted to "
             "fewer figures: its URLs are hosts, and it has no results.\n\n"
             "Of every 64 users, one has a number planted (social security, card, phone, e-mail "
             "address), one a name and a town, and one a pattern: harmless queries, each issued by "
             "others too, that identify the user only together. *--truth* writes who they are and "
             "what identifies them; see *lethe-truth*(5). The numbers are well-formed but "
             "unassigned; "
             "names are common ones, put together by chance.\n\n"
             "With *--seed* the same options give the same bytes. Requires WordNet's dictionary "
             "files "
             "(Debian package _wordnet-base_).",
         .figures = figures,
         .example = "lethe synth --users 1000 --seed 1 --truth truth.tsv -o synthetic.tsv"},
    .run = run};
