/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a hierarchy for a column of a table. */
#include "app/call/command.h"

static const lethe_option options[] = {
    {.name = "kind",
     .type = LETHE_OPT_CHOICE,
     .arg = "numbers|dates|codes|groups|flat",
     .help = "what the values are [default: found from the values]"},
    {.name = "widths",
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "for numbers: widths of ranges, each a multiple of the one before [default: by the "
             "spread of the values]"},
    {.name = "prefixes",
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "for codes: lengths of prefixes, falling [default: all]"},
    {.name = "groups",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for categories: value TAB group per line, and further groups above, each after a "
             "tab"},
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .fallback = "-",
     .help = "file for the hierarchy, or - for standard output"},
    {0},
};

static const lethe_figure figures[] = {
    {"column", "the column", .better = 0},
    {"kind", "numbers, dates, codes, groups or flat", .better = 0},
    {"made", "what was made, in words", .better = 0},
    {"values", "distinct values, missing ones aside", .better = 0},
    {"levels", "levels, including the values and the root", .better = 0},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    const lethe_value *kind = lethe_value_of(v, "kind");
    if (!r->column)
        return lethe_fail(r->ctx, LETHE_EUSAGE, "hierarchy needs a table and the name of a column");
    lethe_hierarchy_options h = {.inputs = r->inputs,
                                 .n_inputs = r->n_inputs,
                                 .reading = r->reading,
                                 .column = r->column,
                                 .has_kind = kind->given,
                                 .kind = (lethe_hierarchy_kind)kind->count,
                                 .widths = lethe_value_of(v, "widths")->text,
                                 .prefixes = lethe_value_of(v, "prefixes")->text,
                                 .groups = lethe_value_of(v, "groups")->text,
                                 .out = lethe_value_of(v, "output")->text,
                                 .force = r->publishing.force,
                                 .on_report = lethe_request_report,
                                 .user = r};
    return lethe_hierarchy_write(r->ctx, &h, doc, report);
}

const lethe_runner lethe_command_hierarchy = {
    .command =
        {.name = "hierarchy",
         .group = "Look at the input",
         .summary = "write a hierarchy for a column of a table, to edit",
         .operands = "TABLE... COLUMN",
         .options = options,
         .takes = LETHE_TAKES_READING | LETHE_TAKES_FORCE,
         .description =
             "Reads a column of a table and writes a hierarchy for its values: for "
             "*--hierarchies*, "
             "after you have edited it, or for ARX. Each row is a value and what it is generalized "
             "to, "
             "step by step, up to the root, separated by semicolons; see *lethe-table*(5). All "
             "rows "
             "have the same length. Standard error says what the column was taken for.\n\n"
             "Numbers get ranges, each width a multiple of the one before: '20-24', or '[0.5,1)' "
             "if "
             "there are decimals. Dates ('2006-03-04', '4.3.2006', and '3/4/2006' if the values "
             "show "
             "which part is the day; perhaps with a time) get months, years and decades. Codes of "
             "one "
             "length, such as ZIP codes, get prefixes, filled with stars. Numbers of one length "
             "are "
             "taken for codes if one begins with a zero or the name of the column says so. Other "
             "values are categories: with *--groups* they are placed in the groups of a list, and "
             "values that it lacks are named and stand directly below the root; without it, all "
             "do.\n\n"
             "Every value of the column is in the hierarchy, and a missing value is a leaf of its "
             "own. "
             "The file contains the values that are present: do not publish it. A release shows "
             "only "
             "the parts that it uses.",
         .figures = figures,
         .example = "lethe hierarchy patients.csv age --widths 5,10,20 -o trees/age.csv"},
    .run = run};
