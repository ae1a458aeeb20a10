/* SPDX-License-Identifier: Apache-2.0 */
/* synth.c - generates a synthetic log. */
#include "cli.h"
#include <string.h>

static void print_summary(const char *out, const lethe_json *report)
{
    const lethe_json *m = lethe_json_get(report, "metrics"),
                     *planted = lethe_json_get(m, "planted");
    char rows[32], queries[32], users[32];
    char path[SAFE_BYTES];
    fprintf(stderr, "wrote '%s': %s rows, %s queries of %s %s\n", safe(path, str_of(out)),
            grouped(rows, count(m, "rows")), grouped(queries, count(m, "queries")),
            grouped(users, count(m, "users")), count(m, "users") == 1 ? "user" : "users");
    fprintf(stderr, "planted:");
    for (size_t i = 0; i < lethe_json_count(planted); i++) {
        lethe_str name = lethe_json_name(planted, i);
        fprintf(stderr, "%s %s by a %.*s", i ? "," : "",
                grouped(rows, lethe_json_int(lethe_json_at(planted, i))), (int)name.n, name.at);
    }
    fputc('\n', stderr);
}

lethe_err run_synth(arguments *a)
{
    const char *out = lethe_value_of(&a->stages[0].values, "output")->text;
    lethe_json_doc *doc;
    lethe_json *report;
    if (wants_json(a) && strcmp(out, "-") == 0)
        return misuse("synth", "--json needs -o FILE: the log goes to standard output");
    lethe_err e = request(a, &doc, &report);
    if (e == LETHE_OK && report && strcmp(out, "-") != 0 && !common(a, "quiet")->given)
        print_summary(out, report);
    lethe_json_doc_free(doc);
    return e;
}
