/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a release of data files that engines have written with the command `part`. */
#include "app/call/command.h"

static const lethe_option options[] = {
    {.name = "parts",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .required = true,
     .help = "folder with part-00000.tsv and so on, which are moved, and account.json"},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    if (!r->out) return lethe_fail(r->ctx, LETHE_EUSAGE, "no output given: a release is a folder");
    const lethe_release_job job = {.written = lethe_value_of(&r->values, "parts")->text,
                                   .reading = r->reading,
                                   .steps = r->steps,
                                   .n_steps = r->n_steps,
                                   .out = r->out,
                                   .publishing = r->publishing,
                                   .page = r->page,
                                   .title = r->title,
                                   .date = r->date,
                                   .on_report = lethe_request_report,
                                   .user = r};
    return lethe_release_make(r->ctx, &job, doc, report);
}

const lethe_runner lethe_command_assemble = {
    .command = {.name = "assemble",
                .group = "Make a release",
                .summary = "make a release of data files that were written in parts",
                .operands = "",
                .options = options,
                .takes = LETHE_TAKES_READING},
    .run = run,
    .chains = true};
