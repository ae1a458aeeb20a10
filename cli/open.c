/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - opens the queries of a sealed log that have enough shares. */
#include "cli.h"
#include <string.h>

const lethe_option open_options[] = {
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

const lethe_figure open_figures[] = {
    {"rows_opened", "rows whose query could be opened", .better = 0},
    {"queries_opened", "QueryIDs that could be opened with t shares", .better = 0},
    {"queries_closed", "QueryIDs that stay closed", .better = 0},
    {"rows_damaged", "lines that were left out, by cause", .better = -1},
    {0},
};

static void print_summary(const char *out, const lethe_json *report)
{
    const lethe_json *m = lethe_json_get(report, "metrics"),
                     *damaged = lethe_json_get(m, "rows_damaged");
    char rows[32], opened[32], closed[32];
    int64_t n = 0;
    char path[SAFE_BYTES];
    fprintf(stderr, "wrote '%s': %s rows of %s opened queries; %s queries stay closed\n",
            safe(path, str_of(out)), grouped(rows, count(m, "rows_opened")),
            grouped(opened, count(m, "queries_opened")),
            grouped(closed, count(m, "queries_closed")));
    for (size_t i = 0; i < lethe_json_count(damaged); i++)
        n += lethe_json_int(lethe_json_at(damaged, i));
    if (n > 0) fprintf(stderr, "damaged lines left out: %s\n", grouped(rows, n));
}

lethe_err run_open(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    lethe_open_options o = {.inputs = a->operands,
                            .n_inputs = a->n_operands,
                            .strict = lethe_value_of(v, "strict-input")->given,
                            .out = lethe_value_of(v, "output")->text,
                            .force = common(a, "force")->given,
                            .on_report = wants_json(a) ? print_json_first : NULL};
    if (!lethe_value_of(v, "output")->given)
        return misuse("open", "no output given: use -o FILE, or -o - for standard output");
    bool to_stdout = strcmp(o.out, "-") == 0;
    if (to_stdout && wants_json(a))
        return misuse("open", "--json and -o - cannot be combined: both write to standard output");
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    lethe_err e = lethe_open_sealed(a->ctx, &o, doc, &report);
    if (e == LETHE_OK && !to_stdout && !wants_json(a) && !common(a, "quiet")->given)
        print_summary(o.out, report);
    lethe_json_doc_free(doc);
    return e;
}
