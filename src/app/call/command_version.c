/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the version of the library. */
#include "app/call/command.h"

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    (void)r;
    *report = lethe_json_object(doc);
    lethe_set_text(doc, *report, "command", "version");
    lethe_set_text(doc, *report, "version", lethe_version());
    return LETHE_OK;
}

const lethe_runner lethe_command_version = {
    .command = {.name = "version",
                .group = "Other",
                .summary = "show the version",
                .operands = "",
                .description = "Prints the version of the program and the library.",
                .example = "lethe version"},
    .run = run};
