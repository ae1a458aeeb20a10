/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - whether a release keeps its promise. */
#include "cli.h"
#include <stdlib.h>

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
    {.name = "population",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "population table that the release was made with, to check a k-map claim"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .help = "with --population: folder of hierarchies that the release was made with"},
    TIME_LIMIT_OPTION,
    {.name = "caveats",
     .type = LETHE_OPT_FLAG,
     .help = "also list everything the release does not protect against"},
    {0},
};

const lethe_figure verify_figures[] = {
    {"holds", "whether the release keeps its promise", .better = 1},
    {"decided", "false if a limit of time or memory was met before the answer, or a file is needed",
     .better = 0},
    {"needs", "true if nothing is wrong, but a claim cannot be decided without a file",
     .better = 0},
    {"counterexample", "if it does not: the first row, record or file that breaks it", .better = 0},
    {"sensitive_items", "of a release with a list of sensitive items: those that are published",
     .better = 0},
    {"nothing", "number of claims that hold of any data, and so promise nothing or next to nothing",
     .better = -1},
    {"rows", "of a sealed release: number of rows", .better = 0},
    {"queries", "of a sealed release: number of distinct QueryIDs", .better = 0},
    {"openable", "of a sealed release: QueryIDs that anyone can open", .better = 0},
    {"recoverable", "of a sealed release: share of the rows whose QueryID can be opened",
     .better = 0},
    {"undecided",
     "of a split or disconnected release: texts that only --results can decide, or rows that no "
     "published time decides",
     .better = 0},
    {"rows_without_time", "of a release split by day, gap or query: rows without a time",
     .better = 0},
    {"unchecked", "statements of the manifest that could not be checked", .better = -1},
    {0},
};

double time_limit_of(const lethe_values *v)
{
    const lethe_value *limit = lethe_value_of(v, "time-limit");
    return limit->word ? -1 : (double)limit->count;
}

/* Texts of the report, a line each. */
static void print_lines(const char *before, const lethe_json *texts)
{
    for (size_t i = 0; i < lethe_json_count(texts); i++) {
        fputs(before, stdout);
        print_safe(stdout, lethe_json_text(lethe_json_at(texts, i)), 2000);
        fputc('\n', stdout);
    }
}

static void print_unchecked(const lethe_json *report)
{
    const lethe_json *note = lethe_json_get(report, "note");
    if (note) {
        print_safe(stdout, lethe_json_text(note), 200);
        fputc('\n', stdout);
    }
    print_lines("not checked: ", lethe_json_get(report, "unchecked"));
}

/* Columns that a text takes on a terminal: its characters, each of one column. */
static int columns_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static const char *answer_of(const lethe_json *check)
{
    if (lethe_json_get(check, "decided")) return "NOT DECIDED";
    return lethe_json_bool(lethe_json_get(check, "holds")) ? "holds" : "DOES NOT HOLD";
}

/* What cannot be decided is not a promise that was seen to hold. */
static void print_answer(const lethe_json *check)
{
    char n[32];
    const lethe_json *undecided = lethe_json_get(check, "undecided");
    lethe_str nothing = claim_nothing(check),
              condition = lethe_json_text(lethe_json_get(check, "if")),
              because = lethe_json_text(lethe_json_get(check, "because"));
    fputs(answer_of(check), stdout);
    if (condition.n > 0) printf(" if %.*s", (int)condition.n, condition.at);
    if (undecided)
        printf(" as far as can be seen; %s undecided%s%.*s", grouped(n, lethe_json_int(undecided)),
               because.n > 0 ? ": " : "", (int)because.n, because.at);
    printf("%s%.*s\n", nothing.n > 0 ? ", but " : "", (int)nothing.n, nothing.at);
}

/* notion, parameters and verdict, in columns. */
static void print_checks(const lethe_json *checks)
{
    enum { WIDEST = 68 };
    int notion_width = 0, with_width = 0;
    for (int pass = 0; pass < 2; pass++) // measure, then print
        for (size_t i = 0; i < lethe_json_count(checks); i++) {
            const lethe_json *check = lethe_json_at(checks, i);
            lethe_str notion = lethe_json_text(lethe_json_get(check, "notion"));
            char *with = claim_parameters(check);
            int width = with ? columns_of(with) : 0;
            if (pass == 0) {
                if ((int)notion.n > notion_width) notion_width = (int)notion.n;
                if (width > with_width) with_width = width < WIDEST ? width : WIDEST;
            } else {
                printf("%-*.*s  %s%*s  ", notion_width, (int)notion.n, notion.at, with ? with : "",
                       width < with_width ? with_width - width : 0, "");
                print_answer(check);
            }
            free(with);
        }
}

/* Says how many there are, or lists them. */
static void print_caveats_or_hint(const arguments *a, const lethe_json *report)
{
    size_t n = lethe_json_count(lethe_json_get(report, "caveats"));
    if (lethe_value_of(&a->stages[0].values, "caveats")->given) {
        print_caveats(stdout, report, SIZE_MAX);
    } else if (n > 0 &&
               lethe_json_bool(lethe_json_get(lethe_json_get(report, "metrics"), "holds"))) {
        printf("%zu caveat%s: lethe verify --caveats ", n, n == 1 ? "" : "s");
        print_safe(stdout, str_of(a->operands[0]), SIZE_MAX);
        puts(n == 1 ? " shows it" : " lists them");
    }
}

/* A release whose claims all hold of any data does not keep a promise: it makes none. */
static const char *verdict_of(const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics"),
                     *checks = lethe_json_get(lethe_json_get(report, "verdict"), "checks");
    if (lethe_json_get(metrics, "decided")) return "not decided";
    if (!lethe_json_bool(lethe_json_get(metrics, "holds"))) return "does not keep its promise";
    bool nothing = true; // not even next to nothing
    bool conditional = false, undecided = false, all = true;
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i);
        lethe_str s = claim_nothing(check);
        static const char word[] = "promises nothing";
        undecided = undecided || lethe_json_get(check, "undecided");
        conditional = conditional || lethe_json_get(check, "if");
        all = all && s.n > 0;
        nothing = nothing && s.n >= sizeof word - 1 && memcmp(s.at, word, sizeof word - 1) == 0;
    }
    if (!all && conditional) return "keeps its promise if what was not checked is true";
    if (!all) return undecided ? "keeps its promise as far as can be seen" : "keeps its promise";
    return nothing ? "promises nothing" : "promises next to nothing";
}

static void print_verdict(const arguments *a, const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    char x[32], y[32];
    print_checks(lethe_json_get(lethe_json_get(report, "verdict"), "checks"));
    print_lines("no promise of ", lethe_json_get(report, "unclaimed"));
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
    print_caveats_or_hint(a, report);
    print_safe(stdout, str_of(a->operands[0]), SIZE_MAX);
    printf(": %s\n", verdict_of(report));
}

lethe_err run_verify(const arguments *a)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (!doc) return LETHE_ENOMEM;
    const lethe_values *v = &a->stages[0].values;
    const lethe_verify_options how = {.results = lethe_value_of(v, "results")->text,
                                      .taxonomy = lethe_value_of(v, "taxonomy")->text,
                                      .population = lethe_value_of(v, "population")->text,
                                      .hierarchies = lethe_value_of(v, "hierarchies")->text,
                                      .time_limit_s = time_limit_of(v)};
    lethe_err e = lethe_release_verify_as(a->ctx, a->operands[0], &how, doc, &report);
    if (e == LETHE_OK || e == LETHE_ANSWER_NO) {
        if (wants_json(a)) {
            lethe_err printed = print_json(report);
            if (e == LETHE_OK) e = printed;
        } else {
            print_verdict(a, report);
        }
    }
    lethe_json_doc_free(doc);
    return e;
}
