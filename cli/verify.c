/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - whether a release keeps its promise. */
#include "cli.h"
#include <stdlib.h>

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

lethe_err run_verify(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    if (report) print_verdict(a, report);
    lethe_json_doc_free(doc);
    return e;
}
