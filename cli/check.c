/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - whether a table that lethe did not make keeps a promise, and what it reaches. */
#include "cli.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

static bool is(const lethe_json *v, const char *text)
{
    lethe_str s = lethe_json_text(v);
    return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

/* --- counterexamples in words --- */

static void print_value(const lethe_json *v)
{
    char x[32];
    if (lethe_json_kind(v) == LETHE_JSON_TEXT)
        print_safe(stdout, lethe_json_text(v), 60);
    else if (lethe_json_kind(v) == LETHE_JSON_REAL)
        printf("%.4g", lethe_json_real(v));
    else
        fputs(grouped(x, lethe_json_int(v)), stdout);
}

/* "age 34, sex f": what the rows of the group have in common. */
static void print_group(const lethe_json *group)
{
    for (size_t i = 0; i < lethe_json_count(group); i++) {
        if (i > 0) fputs(", ", stdout);
        print_safe(stdout, lethe_json_name(group, i), 40);
        putchar(' ');
        print_value(lethe_json_at(group, i));
    }
}

/* Reasons that go on as a sentence about the group. */
static const char too_few_rows[] = "the group has too few rows",
                  too_few_values[] = "the group shows too few sensitive values",
                  too_frequent[] = "the value is too frequent in its group";

static bool is_worded(const lethe_json *reason)
{
    return is(reason, too_few_rows) || is(reason, too_few_values) || is(reason, too_frequent);
}

static const char *rows_word(int64_t n) { return n == 1 ? "row" : "rows"; }

/* What is wrong with the group, as far as the reasons are known; others are told as they are. */
static void print_why(const lethe_json *why)
{
    char x[32], y[32];
    const lethe_json *reason = member(why, "reason");
    int64_t rows = count(why, "rows");
    if (is(reason, too_few_rows)) {
        int64_t equal = count(why, "equal");
        printf("has %s %s, and %s are needed", grouped(x, equal), rows_word(equal),
               grouped(y, count(why, "needed")));
    } else if (is(reason, too_few_values)) {
        int64_t different = count(why, "different");
        printf("shows %s different sensitive value%s in %s %s, ", grouped(x, different),
               different == 1 ? "" : "s", grouped(y, rows), rows_word(rows));
        printf("and %s are needed", grouped(x, count(why, "needed")));
    } else if (is(reason, too_frequent)) {
        fputs("has the value '", stdout);
        print_value(member(why, "value"));
        printf("' in %s of %s %s: %.1f %%, and ", grouped(x, count(why, "with")),
               grouped(y, count(why, "of")), rows_word(count(why, "of")),
               100 * figure(why, "with") / figure(why, "of"));
        fputs("theta = ", stdout);
        print_value(member(why, "theta"));
        fputs(" is allowed", stdout);
    } else {
        const char *between = " (";
        print_safe(stdout, lethe_json_text(reason), 200);
        for (size_t i = 0; i < lethe_json_count(why); i++) {
            const lethe_json *v = lethe_json_at(why, i);
            if (v == reason || v == member(why, "line") || v == member(why, "group")) continue;
            fputs(between, stdout);
            print_safe(stdout, lethe_json_name(why, i), 40);
            putchar(' ');
            print_value(v);
            between = ", ";
        }
        if (between[0] == ',') putchar(')');
    }
}

static void print_counterexample(const lethe_json *why)
{
    const lethe_json *group = member(why, "group");
    fputs("    ", stdout);
    if (group) {
        printf("line %lld: the group ", (long long)count(why, "line"));
        print_group(group);
        fputs(is_worded(member(why, "reason")) ? " " : ": ", stdout);
    }
    print_why(why);
    putchar('\n');
}

/* --- the answers --- */

/* Four decimals that the table keeps too: not a nearer number that it does not. */
static double rounded_up(double x) { return ceil(x * 1e4 - 1e-6) / 1e4 + 0.0; } // 0 for -0
static double rounded_down(double x) { return floor(x * 1e4 + 1e-6) / 1e4; }

/* The parameter that the table would keep. */
static void print_reached(const lethe_json *check)
{
    const lethe_json *reached = member(check, "reached"), *notion = member(check, "notion");
    char x[32];
    if (!reached) return;
    fputs("    the table reaches ", stdout);
    int64_t below = count(check, "rows_below");
    if (is(notion, "k-anonymity")) {
        printf("k = %s", grouped(x, lethe_json_int(reached)));
        if (below > 0)
            printf("; %s %s in groups that are too small", grouped(x, below),
                   below == 1 ? "row is" : "rows are");
        putchar('\n');
    } else if (is(notion, "distinct-l"))
        printf("l = %s\n", grouped(x, lethe_json_int(reached)));
    else if (is(notion, "entropy-l"))
        printf("l = %.10g\n", rounded_down(lethe_json_real(reached)));
    else
        printf("%s = %.10g\n", is(notion, "t-closeness") ? "t" : "theta",
               rounded_up(lethe_json_real(reached)));
}

static void print_check(const lethe_json *check)
{
    bool holds = lethe_json_bool(member(check, "holds"));
    lethe_str notion = lethe_json_text(member(check, "notion")), nothing = claim_nothing(check);
    static const char *const shown[] = {"k", "theta", "l", "c", "t", "distance"};
    printf("%.*s", (int)notion.n, notion.at);
    const char *between = " ";
    if (member(check, "sa")) {
        fputs(" of ", stdout);
        print_value(member(check, "sa"));
        between = ", ";
    }
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (member(check, shown[i])) {
            printf("%s%s = ", between, shown[i]);
            print_value(member(check, shown[i]));
            between = ", ";
        }
    puts(member(check, "decided") ? ": NOT DECIDED" : holds ? ": holds" : ": DOES NOT HOLD");
    if (!holds && member(check, "counterexample"))
        print_counterexample(member(check, "counterexample"));
    print_reached(check);
    if (nothing.n > 0) printf("    but it %.*s\n", (int)nothing.n, nothing.at);
}

/* "  --theta 1/3          what it means": an option that the table keeps. */
LETHE_PRINTF(2, 3) static void print_option(const char *meaning, const char *fmt, ...)
{
    char option[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(option, sizeof option, fmt, args);
    va_end(args);
    printf("  %-22s %s\n", option, meaning);
}

static void print_offer_of(const lethe_json *s)
{
    fputs("of ", stdout);
    print_value(member(s, "column"));
    putchar('\n');
    if (member(s, "theta")) {
        print_option("different values in every group", "--distinct-l %lld",
                     (long long)count(s, "distinct_l"));
        print_option("largest share of a value in a group", "--theta %lld/%lld",
                     (long long)count(s, "theta_rows"), (long long)count(s, "theta_of"));
    }
    if (member(s, "entropy_l") && lethe_notion_known("entropy-l"))
        print_option("exp of the least entropy of a group", "--entropy-l %.10g",
                     rounded_down(figure(s, "entropy_l")));
    if (member(s, "t") && lethe_notion_known("t-closeness"))
        print_option("largest distance of a group from the table", "--t-closeness %.10g",
                     rounded_up(figure(s, "t")));
}

/* Without a requirement: what could be required. */
static void print_offer(const lethe_json *m, const char *input)
{
    char x[32], y[32];
    const lethe_json *list = member(m, "sensitive");
    puts("No requirement was given. The table reaches");
    print_option("rows in every group", "-k %lld", (long long)count(m, "smallest_k"));
    printf("  %-22s %s of %s rows\n", "unique rows", grouped(x, count(m, "unique_rows")),
           grouped(y, count(m, "rows")));
    for (size_t i = 0; i < lethe_json_count(list); i++)
        print_offer_of(lethe_json_at(list, i));
    if (lethe_json_count(list) == 0)
        puts("Name sensitive columns with --sa to see what groups tell of them.");
    puts("\nTo decide a requirement, such as (lethe check --help lists them all)");
    print_command("check", input, member(m, "qi"), NULL, " -k 5");
    print_command("check", input, member(m, "qi"), list,
                  lethe_json_count(list) ? " --theta 1/3 --distinct-l 3"
                                         : " --sa COLUMN --theta 1/3 --distinct-l 3");
}

#define NOTE                                                                                       \
    "each row is taken for one person, and values as they stand: '*', '30-39' and '34' are three " \
    "values, and their rows are separate groups even where they overlap."

static void print_verdict(const lethe_json *report, const char *input)
{
    const lethe_json *m = member(report, "metrics"),
                     *checks = member(member(report, "verdict"), "checks");
    char x[32], y[32];
    print_safe(stdout, str_of(input), SAFE_MAX);
    printf(": %s %s in %s group%s with equal ", grouped(x, count(m, "rows")),
           rows_word(count(m, "rows")), grouped(y, count(m, "groups")),
           count(m, "groups") == 1 ? "" : "s");
    print_names(member(m, "qi"), ", ");
    putchar('\n');
    if (count(m, "invalid_utf8") > 0)
        printf("%s rows have bytes that are not UTF-8: they are compared as they are\n",
               grouped(x, count(m, "invalid_utf8")));
    if (!checks) {
        print_offer(m, input);
        return;
    }
    for (size_t i = 0; i < lethe_json_count(checks); i++)
        print_check(lethe_json_at(checks, i));
    print_folded(stdout,
                 str_of(lethe_json_count(member(m, "sensitive")) > 0 ? NOTE
                            " '*' in a sensitive column is a value that is not told."
                                                                     : NOTE),
                 "note: ", "      ");
    bool holds = lethe_json_bool(member(m, "holds"));
    print_safe(stdout, str_of(input), SAFE_MAX);
    puts(holds ? ": keeps what was required" : ": does not keep what was required");
    if (holds) return;
    puts("methods that make a table keep it:");
    print_command("suggest", input, member(m, "qi"), member(m, "sensitive"), "");
}

lethe_err run_check(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    if (report) print_verdict(report, a->operands[0]);
    lethe_json_doc_free(doc);
    return e;
}
