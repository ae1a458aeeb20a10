/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - whether a release keeps its promise. */
#include "cli.h"

const lethe_option verify_options[] = {
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, if a step was made with --results"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE|wordnet",
     .word = "wordnet",
     .help = "own copy of the taxonomy of the records, to check taxonomy.tsv against [default: the "
             "installed WordNet, if the release was made with it]"},
    TIME_LIMIT_OPTION,
    {.name = "caveats",
     .type = LETHE_OPT_FLAG,
     .help = "also list everything the release does not protect against"},
    {0},
};

const lethe_figure verify_figures[] = {
    {"holds", "whether the release keeps its promise", 1},
    {"decided", "false if a limit of time or memory was met before the answer", 0},
    {"counterexample", "if it does not: the first row, record or file that breaks it", 0},
    {"sensitive_items", "of a release with a list of sensitive items: those that are published", 0},
    {"rows", "of a sealed release: number of rows", 0},
    {"queries", "of a sealed release: number of distinct QueryIDs", 0},
    {"openable", "of a sealed release: QueryIDs that anyone can open", 0},
    {"recoverable", "of a sealed release: share of the rows whose QueryID can be opened", 0},
    {"undecided",
     "of a release split by interest or disconnected: texts that only --results can decide", 0},
    {"unchecked", "statements of the manifest that could not be checked", -1},
    {0},
};

double time_limit_of(const lethe_values *v)
{
    const lethe_value *limit = lethe_value_of(v, "time-limit");
    return limit->word ? -1 : (double)limit->count;
}

static void print_unchecked(const lethe_json *report)
{
    const lethe_json *note = lethe_json_get(report, "note");
    if (note) {
        print_safe(stdout, lethe_json_text(note), 200);
        fputc('\n', stdout);
    }
    const lethe_json *unchecked = lethe_json_get(report, "unchecked");
    for (size_t i = 0; i < lethe_json_count(unchecked); i++) {
        fputs("not checked: ", stdout);
        print_safe(stdout, lethe_json_text(lethe_json_at(unchecked, i)), 2000);
        fputc('\n', stdout);
    }
}

static const char *answer_of(const lethe_json *check)
{
    if (lethe_json_get(check, "decided")) return "NOT DECIDED";
    return lethe_json_bool(lethe_json_get(check, "holds")) ? "holds" : "DOES NOT HOLD";
}

static void print_verdict(const arguments *a, const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics"),
                     *checks = lethe_json_get(lethe_json_get(report, "verdict"), "checks");
    char x[32], y[32];
    bool conditional = false;
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i);
        lethe_str notion = lethe_json_text(lethe_json_get(check, "notion"));
        lethe_str condition = lethe_json_text(lethe_json_get(check, "if"));
        printf("%-20.*s %s%s%.*s\n", (int)notion.n, notion.at, answer_of(check),
               condition.n ? " if " : "", (int)condition.n, condition.n ? condition.at : "");
        conditional = conditional || condition.n > 0;
    }
    const lethe_json *openable = lethe_json_get(metrics, "openable");
    if (openable && lethe_json_bool(lethe_json_get(metrics, "holds")))
        printf("%s of %s queries can be opened by anyone, which covers %.1f %% of the rows\n",
               grouped(x, lethe_json_int(openable)), grouped(y, count(metrics, "queries")),
               100 * lethe_json_real(lethe_json_get(metrics, "recoverable")));
    const lethe_json *sensitive = lethe_json_get(metrics, "sensitive_items");
    if (sensitive)
        printf("%s %s listed as sensitive; all others count as public\n",
               grouped(x, lethe_json_int(sensitive)),
               lethe_json_int(sensitive) == 1 ? "published item is" : "published items are");
    print_unchecked(report);
    const lethe_json *why = lethe_json_get(metrics, "counterexample");
    if (why) {
        size_t n;
        char *text = lethe_json_write(why, 0, &n);
        fputs("because: ", stdout);
        if (text) print_safe(stdout, (lethe_str){text, n}, 2000);
        fputc('\n', stdout);
        lethe_json_text_free(text);
    }
    static const char *const keeps[] = {"keeps its promise",
                                        "keeps its promise if what was not checked is true"};
    printf("%s: %s\n", a->operands[0],
           lethe_json_bool(lethe_json_get(metrics, "holds")) ? keeps[conditional]
           : lethe_json_get(metrics, "decided")              ? "not decided"
                                                             : "does not keep its promise");
}

lethe_err run_verify(const arguments *a)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (!doc) return LETHE_ENOMEM;
    const lethe_values *v = &a->stages[0].values;
    const lethe_verify_options how = {.results = lethe_value_of(v, "results")->text,
                                      .taxonomy = lethe_value_of(v, "taxonomy")->text,
                                      .time_limit_s = time_limit_of(v)};
    lethe_err e = lethe_release_verify_as(a->ctx, a->operands[0], &how, doc, &report);
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
