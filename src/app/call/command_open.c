/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the queries of a sealed log that have enough shares. */
#include "app/call/command.h"

static const lethe_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "file for the log, or - for standard output"},
    {.name = "strict-input",
     .type = LETHE_OPT_FLAG,
     .help = "stop at the first line that cannot be parsed or is damaged"},
    {0},
};

static const lethe_figure figures[] = {
    {"rows_opened", "rows whose query could be opened", .better = 0},
    {"queries_opened", "QueryIDs that could be opened with t shares", .better = 0},
    {"queries_closed", "QueryIDs that stay closed", .better = 0},
    {"rows_damaged", "lines that were left out, by cause", .better = -1},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_value *out = lethe_value_of(&r->values, "output");
    if (!out->given)
        return lethe_fail(r->ctx, LETHE_EUSAGE,
                          "no output given: use -o FILE, or -o - for standard output");
    lethe_open_options o = {.inputs = r->inputs,
                            .n_inputs = r->n_inputs,
                            .strict = lethe_value_of(&r->values, "strict-input")->given,
                            .out = out->text,
                            .force = r->publishing.force,
                            .on_report = lethe_request_report,
                            .user = r};
    return lethe_open_sealed(r->ctx, &o, doc, report);
}

const lethe_runner lethe_command_open = {
    .command =
        {.name = "open",
         .group = "Other",
         .summary = "open the queries of a sealed log that enough users issued",
         .operands = "SEALED...",
         .options = options,
         .takes = LETHE_TAKES_FORCE,
         .description =
             "For the receiver of a log made by *lethe seal* (see *lethe-sealed*(5)). Collects the "
             "shares of each query; if there are t distinct ones, opens its box and writes its "
             "rows "
             "as a sorted log with a header. No key is needed: t shares are the key. Queries with "
             "fewer shares stay closed and are left out. SEALED is a file, plain or compressed, or "
             "a "
             "release folder, which is verified first and not opened if it does not keep its "
             "promise. "
             "Several are opened together if they have the same t, n and scheme. "
             "Shares made with different keys or in different epochs do not combine.\n\n"
             "A line with a damaged share or box is reported with its number and the cause, "
             "counted, "
             "and left out; a query is never guessed. If nothing can be opened, nothing is written "
             "and the exit status is 1.",
         .figures = figures,
         .example = "lethe seal log.tsv -t 3 -o sealed/ && lethe open sealed/ -o opened.tsv"},
    .run = run};
