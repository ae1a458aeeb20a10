/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - opens the queries of a sealed log that have enough shares. */
#include "cli.h"
#include <string.h>

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

lethe_err run_open(arguments *a)
{
    const char *out = lethe_value_of(&a->stages[0].values, "output")->text;
    lethe_json_doc *doc;
    lethe_json *report;
    if (!out) return misuse("open", "no output given: use -o FILE, or -o - for standard output");
    if (wants_json(a) && strcmp(out, "-") == 0)
        return misuse("open", "--json and -o - cannot be combined: both write to standard output");
    lethe_err e = request(a, &doc, &report);
    if (e == LETHE_OK && report && strcmp(out, "-") != 0 && !common(a, "quiet")->given)
        print_summary(out, report);
    lethe_json_doc_free(doc);
    return e;
}
