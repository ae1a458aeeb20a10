/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what lethe can do: methods, notions, measures, adversaries and commands. */
#include "app/call/command.h"

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    (void)r;
    *report = lethe_tables_json(doc);
    return LETHE_OK;
}

const lethe_runner lethe_command_methods = {
    .command = {.name = "methods",
                .group = "Other",
                .summary = "list the methods, privacy notions, measures and adversaries",
                .operands = "",
                .description =
                    "Lists every method with its paper, figures and caveats, the privacy notions "
                    "that releases can claim, and the measures and adversaries. *--json* adds all "
                    "of their options.",
                .example = "lethe methods"},
    .run = run};
