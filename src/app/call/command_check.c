/* SPDX-License-Identifier: Apache-2.0 */
/* Decides privacy notions on a table that lethe did not make. */
#include "app/call/command.h"

static const lethe_option options[] = {
    {.name = "qi",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .required = true,
     .help = "the quasi-identifiers: rows with equal values of them are a group"},
    {.name = "sa", .type = LETHE_OPT_TEXT, .arg = "COLUMN,...", .help = "sensitive columns"},
    {.name = "k",
     .letter = 'k',
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 9e15,
     .help = "every group has at least N rows (k-anonymity)"},
    {.name = "theta",
     .type = LETHE_OPT_TEXT,
     .arg = "SHARE",
     .help =
         "no sensitive value has a larger share of a group, such as 0.25 or 1/3 (l+-diversity)"},
    {.name = "distinct-l",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 9e15,
     .help = "every group has at least N different sensitive values"},
    {.name = "entropy-l",
     .type = LETHE_OPT_TEXT,
     .arg = "L",
     .help = "entropy l-diversity: the entropy of the sensitive values of every group is at least "
             "log L"},
    {.name = "recursive",
     .type = LETHE_OPT_TEXT,
     .arg = "C,L",
     .help = "recursive (c,l)-diversity: in every group the most frequent sensitive value has less "
             "than C times the rows of the L-th most frequent and all rarer ones"},
    {.name = "t-closeness",
     .type = LETHE_OPT_TEXT,
     .arg = "T",
     .help = "the sensitive values of every group are distributed as in the whole table, up to a "
             "distance of T"},
    {.name = "k-map",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 9e15,
     .help = "every group stands for at least N rows of --population (k-map)"},
    {.name = "population",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "table of all people that the rows may be about, for --k-map"},
    {.name = "t-distance",
     .type = LETHE_OPT_TEXT,
     .arg = "equal|ordered|COLUMN=ordered,...",
     .help = "distance of --t-closeness: between any two values the same, or by the order of "
             "numbers [default: equal]"},
    {0},
};

static const lethe_figure figures[] = {
    {"holds", "whether the table keeps all that was required; absent without a requirement",
     .better = 1},
    {"decided", "false if a limit of memory was met before the answer", .better = 0},
    {"counterexample", "if it does not: the first row that breaks it", .better = 0},
    {"nothing", "number of requirements that hold of any table", .better = -1},
    {"rows, invalid_utf8", "rows; of these, with bytes that are not UTF-8", .better = 0},
    {"qi", "the quasi-identifiers", .better = 0},
    {"groups, mean_group, largest_group",
     "groups of rows with equal quasi-identifiers, and their sizes", .better = 0},
    {"smallest_k", "rows of the smallest group", .better = 1},
    {"unique_rows, unique_share", "rows that are alone in their group", .better = -1},
    {"histograms", "rows and groups by size of the group", .better = 0},
    {"sensitive", "for each sensitive column, of its worst group: as in lethe profile",
     .better = 0},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    if (r->n_inputs != 1) return lethe_fail(r->ctx, LETHE_EUSAGE, "check takes one table");
    lethe_check_options how = {.input = r->inputs[0],
                               .reading = r->reading,
                               .qi = lethe_value_of(&r->values, "qi")->text,
                               .sa = lethe_value_of(&r->values, "sa")->text,
                               .values = &r->values};
    return lethe_table_check(r->ctx, &how, doc, report);
}

const lethe_runner lethe_command_check = {
    .command =
        {.name = "check",
         .group = "Check a release",
         .summary = "decide privacy notions on any table, such as k-anonymity",
         .operands = "TABLE",
         .options = options,
         .takes = LETHE_TAKES_READING,
         .description =
             "Reads a table that lethe need not have made (CSV with a header, any separator) and "
             "decides each requirement with the code that checks releases. Each row is taken for "
             "one "
             "person. A *group* is all rows with "
             "equal values of *--qi*. If a requirement does not hold, the first row of the file "
             "that "
             "breaks it is shown with its line and group, and the exit status is 1; what the table "
             "reaches is shown in any case. Without a requirement the output is what the table "
             "reaches. A requirement about sensitive values is decided for each column of "
             "*--sa*.\n\n"
             "Values are taken as they stand, without spaces at their ends; an empty field and a "
             "question mark are "
             "the same missing value, and a value like any other. A file has no hierarchies, so "
             "30-39 "
             "is not known to include 34, and an asterisk not to include anything: rows with "
             "overlapping "
             "values are separate groups, each of which must keep the promise by itself. In a "
             "sensitive "
             "column, an asterisk is a value that is not told: it counts among the rows of its "
             "group, "
             "but is "
             "neither different from others nor too frequent.\n\n"
             "Every row must be readable: if one is not (other fields than the header, an open "
             "quote), "
             "nothing is decided, and the exit status is 3. For a release made by lethe use *lethe "
             "verify*, which knows its hierarchies.",
         .figures = figures,
         .example = "lethe check patients.csv --qi zip,sex --sa disease -k 5 --theta 1/2"},
    .run = run};
