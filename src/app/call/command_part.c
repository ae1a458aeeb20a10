/* SPDX-License-Identifier: Apache-2.0 */
/* Runs some steps of a chain over a part of the rows, for engines that spread them over machines.
 */
#include "app/call/command.h"
#include "release/release.h"

static const lethe_option options[] = {
    {.name = "first",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "0",
     .max = LETHE_STEPS_MAX,
     .help = "steps of the chain that these rows have behind them"},
    {.name = "end",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .required = true,
     .max = LETHE_STEPS_MAX,
     .help = "steps that they have behind them then; as many as before: they are read alone"},
    {.name = "lines", .type = LETHE_OPT_FLAG, .help = "give the lines of data.tsv, not rows"},
    {.name = "whole",
     .type = LETHE_OPT_FLAG,
     .help = "the rows are all there are: what only all of them tell is asked, too"},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_publish_options *how = &r->publishing;
    if (!r->rows || r->out)
        return lethe_fail(r->ctx, LETHE_EUSAGE, "the rows of a part go to a stream alone");
    if (how->map || how->force || r->page || r->title || r->date)
        return lethe_fail(r->ctx, LETHE_EUSAGE,
                          "--map, --force, --report, --title and --date are of a release, which a "
                          "part is not");
    const lethe_part_job job = {.job = {.inputs = r->inputs,
                                        .n_inputs = r->n_inputs,
                                        .reading = r->reading,
                                        .steps = r->steps,
                                        .n_steps = r->n_steps,
                                        .publishing = r->publishing},
                                .first = (size_t)lethe_count_of(&r->values, "first"),
                                .end = (size_t)lethe_count_of(&r->values, "end"),
                                .lines = lethe_value_of(&r->values, "lines")->given,
                                .whole = lethe_value_of(&r->values, "whole")->given};
    lethe_err e = lethe_part_run(r->ctx, &job, doc, report, r->rows);
    if (e == LETHE_OK) e = lethe_request_report(r, *report);
    if (e != LETHE_OK && r->rows->release) r->rows->release(r->rows);
    return e;
}

const lethe_runner lethe_command_part = {.command = {.name = "part",
                                                     .group = "Make a release",
                                                     .summary = "run steps over a part of the rows",
                                                     .operands = "LOG...",
                                                     .options = options,
                                                     .takes = LETHE_TAKES_READING},
                                         .run = run,
                                         .chains = true,
                                         .own_rows = true};
