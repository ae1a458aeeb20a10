/* SPDX-License-Identifier: Apache-2.0 */
/* synth.c - generates a synthetic log. */
#include "cli.h"
#include <string.h>

const lethe_option synth_options[] = {
    {.name = "users",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1e9,
     .help = "number of users"},
    {.name = "queries-per-user",
     .type = LETHE_OPT_REAL,
     .arg = "MEAN",
     .fallback = "60",
     .min = 1,
     .max = LETHE_QUERIES_MAX,
     .help = "mean number of queries per user (below 10 the result is higher, because every user "
             "also has two common texts)"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "write the planted persons, and what identifies them, to FILE"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help =
         "write what the search engine answers to each text, one query and URL per line, to FILE"},
    {.name = "version",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "2",
     .min = 1,
     .max = 2,
     .help = "version of the generator; 1 is the log of earlier releases, byte for byte"},
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .fallback = "-",
     .help = "file for the log, or - for standard output"},
    {0},
};

const lethe_figure synth_figures[] = {
    {"rows", "lines of the log", .better = 0},
    {"queries", "queries; lines of one user with the same text and time are one query",
     .better = 0},
    {"users", "users", .better = 0},
    {"planted", "planted persons by kind: number, name and pattern", .better = 0},
    {0},
};

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

lethe_err run_synth(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    const lethe_value *seed = common(a, "seed");
    lethe_synth_options s = {.users = (uint64_t)lethe_count_of(v, "users"),
                             .queries_per_user = lethe_value_of(v, "queries-per-user")->real,
                             .has_seed = seed->given,
                             .seed = (uint64_t)seed->count,
                             .out = lethe_value_of(v, "output")->text,
                             .truth = lethe_value_of(v, "truth")->text,
                             .version = (unsigned)lethe_count_of(v, "version"),
                             .results = lethe_value_of(v, "results")->text,
                             .force = common(a, "force")->given,
                             .on_report = wants_json(a) ? print_json_first : NULL};
    bool to_stdout = strcmp(s.out, "-") == 0;
    if (to_stdout && wants_json(a))
        return misuse("synth", "--json needs -o FILE: the log goes to standard output");
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    lethe_err e = lethe_synth_log(a->ctx, &s, doc, &report);
    if (e == LETHE_OK && !to_stdout && !wants_json(a) && !common(a, "quiet")->given)
        print_summary(s.out, report);
    lethe_json_doc_free(doc);
    return e;
}
