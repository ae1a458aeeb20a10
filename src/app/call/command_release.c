/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a release by one method or a chain of them. */
#include "app/call/command.h"
#include <string.h>

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    if (!r->out)
        return lethe_fail(r->ctx, LETHE_EUSAGE,
                          "no output given: a release is a folder, or a stream of rows");
    if (strcmp(r->out, "-") == 0 && (r->page || r->title || r->date))
        return lethe_fail(r->ctx, LETHE_EUSAGE,
                          "--%s needs -o FOLDER: -o - does not make a release",
                          r->page    ? "report"
                          : r->title ? "title"
                                     : "date");
    const lethe_release_job job = {.inputs = r->inputs,
                                   .n_inputs = r->n_inputs,
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

const lethe_runner lethe_command_release = {.command = {.name = "release",
                                                        .group = "Make a release",
                                                        .summary = "run methods on an input",
                                                        .operands = "LOG|RECORDS|TABLE...",
                                                        .takes = LETHE_TAKES_READING},
                                            .run = run,
                                            .chains = true};
