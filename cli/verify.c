/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - whether a release keeps its promise. */
#include "cli.h"

const lethe_option verify_options[] = {
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, if a step was made with --results"},
    {.name = "caveats",
     .type = LETHE_OPT_FLAG,
     .help = "also list everything the release does not protect against"},
    {0},
};

const lethe_figure verify_figures[] = {
    {"holds", "whether the release keeps its promise", 1},
    {"counterexample", "if it does not: the first row, record or file that breaks it", 0},
    {"rows", "of a sealed release: number of rows", 0},
    {"queries", "of a sealed release: number of distinct QueryIDs", 0},
    {"openable", "of a sealed release: QueryIDs that anyone can open", 0},
    {"recoverable", "of a sealed release: share of the rows whose QueryID can be opened", 0},
    {"undecided",
     "of a release split by interest or disconnected: texts that only --results can decide", 0},
    {0},
};

static void print_verdict(const arguments *a, const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics"),
                     *checks = lethe_json_get(lethe_json_get(report, "verdict"), "checks");
    char x[32], y[32], shown[SAFE_BYTES];
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i);
        lethe_str notion = lethe_json_text(lethe_json_get(check, "notion"));
        printf("%-20s %s\n", safe(shown, notion),
               lethe_json_bool(lethe_json_get(check, "holds")) ? "holds" : "DOES NOT HOLD");
    }
    const lethe_json *openable = lethe_json_get(metrics, "openable");
    if (openable && lethe_json_bool(lethe_json_get(metrics, "holds")))
        printf("%s of %s queries can be opened by anyone, which covers %.1f %% of the rows\n",
               grouped(x, lethe_json_int(openable)), grouped(y, count(metrics, "queries")),
               100 * lethe_json_real(lethe_json_get(metrics, "recoverable")));
    const lethe_json *why = lethe_json_get(metrics, "counterexample");
    if (why) {
        size_t n;
        char *text = lethe_json_write(why, 0, &n);
        fputs("because: ", stdout);
        if (text) print_safe(stdout, (lethe_str){text, n}, 2000);
        fputc('\n', stdout);
        lethe_json_text_free(text);
    }
    printf("%s: %s\n", safe(shown, str_of(a->operands[0])),
           lethe_json_bool(lethe_json_get(metrics, "holds")) ? "keeps its promise"
                                                             : "does not keep its promise");
}

lethe_err run_verify(const arguments *a)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (!doc) return LETHE_ENOMEM;
    const char *results = lethe_value_of(&a->stages[0].values, "results")->text;
    lethe_err e = lethe_release_verify(a->ctx, a->operands[0], results, doc, &report);
    if (e == LETHE_OK || e == LETHE_ANSWER_NO) {
        if (wants_json(a)) {
            lethe_err printed = print_json(report);
            if (e == LETHE_OK) e = printed;
        } else {
            print_verdict(a, report);
            if (lethe_value_of(&a->stages[0].values, "caveats")->given)
                print_caveats(stdout, report, SIZE_MAX);
        }
    }
    lethe_json_doc_free(doc);
    return e;
}
