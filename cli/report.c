/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the HTML page about a release. */
#include "cli.h"
#include <string.h>

static void print_summary(const char *out, const lethe_json *report)
{
    const lethe_json *m = lethe_json_get(report, "metrics");
    char bytes[32];
    char path[SAFE_BYTES];
    fprintf(stderr, "wrote '%s': %lld plot%s, %s bytes\n", safe(path, str_of(out)),
            (long long)count(m, "plots"), count(m, "plots") == 1 ? "" : "s",
            grouped(bytes, count(m, "bytes")));
}

lethe_err run_report(arguments *a)
{
    const char *out = lethe_value_of(&a->stages[0].values, "output")->text;
    lethe_json_doc *doc;
    lethe_json *report;
    if (wants_json(a) && strcmp(out, "-") == 0)
        return misuse("report",
                      "--json and -o - cannot be combined: both write to standard output");
    lethe_err e = request(a, &doc, &report);
    if (e == LETHE_OK && report && strcmp(out, "-") != 0 && !common(a, "quiet")->given)
        print_summary(out, report);
    lethe_json_doc_free(doc);
    return e;
}
