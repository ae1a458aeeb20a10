/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a release keeps its promise. */
#include "app/call/command.h"
#include "app/call/time_limit.h"

static const lethe_option options[] = {
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, if a step was made with --results"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE|wordnet",
     .word = "wordnet",
     .help = "own copy of the taxonomy of the records, to check taxonomy.tsv against [default: the "
             "installed WordNet, if the release was made with it]"},
    {.name = "population",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "population table that the release was made with, to check a k-map claim"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .help = "with --population: folder of hierarchies that the release was made with"},
    TIME_LIMIT_OPTION,
    {.name = "caveats",
     .type = LETHE_OPT_FLAG,
     .help = "also list everything the release does not protect against"},
    {0},
};

static const lethe_figure figures[] = {
    {"holds", "whether the release keeps its promise", .better = 1},
    {"decided", "false if a limit of time or memory was met before the answer, or a file is needed",
     .better = 0},
    {"needs", "true if nothing is wrong, but a claim cannot be decided without a file",
     .better = 0},
    {"counterexample", "if it does not: the first row, record or file that breaks it", .better = 0},
    {"sensitive_items", "of a release with a list of sensitive items: those that are published",
     .better = 0},
    {"nothing", "number of claims that hold of any data, and so promise nothing or next to nothing",
     .better = -1},
    {"rows", "of a sealed release: number of rows", .better = 0},
    {"queries", "of a sealed release: number of distinct QueryIDs", .better = 0},
    {"openable", "of a sealed release: QueryIDs that anyone can open", .better = 0},
    {"recoverable", "of a sealed release: share of the rows whose QueryID can be opened",
     .better = 0},
    {"undecided",
     "of a split or disconnected release: texts that only --results can decide, or rows that no "
     "published time decides",
     .better = 0},
    {"rows_without_time", "of a release split by day, gap or query: rows without a time",
     .better = 0},
    {"unchecked", "statements of the manifest that could not be checked", .better = -1},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    const lethe_verify_options how = {.results = lethe_value_of(v, "results")->text,
                                      .taxonomy = lethe_value_of(v, "taxonomy")->text,
                                      .population = lethe_value_of(v, "population")->text,
                                      .hierarchies = lethe_value_of(v, "hierarchies")->text,
                                      .time_limit_s = lethe_time_limit_of(v)};
    return lethe_release_verify_as(r->ctx, r->release, &how, doc, report);
}

const lethe_runner lethe_command_verify = {
    .command =
        {.name = "verify",
         .group = "Check a release",
         .summary = "check that a release keeps its promise",
         .operands = "RELEASE",
         .options = options,
         .description =
             "Compares the digests of the files with those in the manifest, checks that the "
             "manifest "
             "claims everything that its steps promise, and then decides each claim again from the "
             "published bytes, with code of its own. If a claim does not "
             "hold, the first counterexample is shown and the exit status is 1. Where the "
             "published "
             "data does not show everything that was promised, the claim holds as far as can be "
             "seen, "
             "and what is undecided is counted. If a limit of time or memory is met before the "
             "answer, "
             "it is 'not decided', and the exit status is 1.\n\n"
             "_RELEASE_ is a folder, whose data may be in parts (see *lethe-release*(5)), or a tar "
             "archive of one (plain, or packed by gzip, zstd, xz "
             "or "
             "bzip2), which is unpacked into a private temporary folder; an archive with links, "
             "with "
             "files outside of one folder or with bytes behind its end is refused. A file that the "
             "manifest does not name breaks the promise, except small ones that file managers "
             "leave "
             "behind (_.DS\\_Store_, _Thumbs.db_, _desktop.ini_, _.\\_NAME_): a note names them as "
             "ignored.\n\n"
             "A manifest must be one that this version could have written for its steps, whatever "
             "version it names; see *lethe-manifest*(5). Statements that cannot be checked are "
             "shown "
             "as 'not checked' and counted.\n\n"
             "Each claim is shown with its parameters. With some parameters a claim holds of any "
             "data, "
             "or of nearly any: every query has at least t = 1 user. Such a claim is marked with "
             "what "
             "it lacks, and a release that makes no other _promises nothing_ (or next to nothing) "
             "instead of keeping its promise. The exit status is still 0: its claims do hold.\n\n"
             "*--results* is read before anything is judged; a fault in it is invalid input (exit "
             "status 3), not a fault of the release.\n\n"
             "The figures of the manifest are computed again as far as they follow from the "
             "published "
             "files. The others are the publisher's word: those that contradict the files are "
             "refused, "
             "and the rest is named (see *lethe-manifest*(5)).\n\n"
             "Numbers of leaves in the taxonomy of published records cannot be seen from the "
             "release. "
             "If a promise depends on them, they are compared with the installed WordNet or with "
             "*--taxonomy*; without a copy the answer is 'holds if taxonomy.tsv counts leaves "
             "truly'.\n\n"
             "*--caveats* also lists what the release does not protect against, as its manifest "
             "says.",
         .figures = figures,
         .example = "lethe verify release/"},
    .run = run};
