/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - shows what is worth publishing of an input, with the command for each. */
#include "candidates.h"

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

/* A line of a raw command, which may be long. */
static void print_line(const char *indent, lethe_str text)
{
    fputs(indent, stdout);
    print_safe(stdout, text, SIZE_MAX);
    putchar('\n');
}

static void print_facts(const lethe_json *m)
{
    char x[SAFE_BYTES], persons[32], rows[32], sample[32];
    size_t n = lethe_json_count(member(m, "candidates")), n_late = 0;
    for (size_t i = 0; i < n; i++)
        n_late += lethe_json_bool(member(lethe_json_at(member(m, "candidates"), i), "left_out"));
    printf("%s of %s people, %s rows: ", safe(x, lethe_json_text(member(m, "shape"))),
           grouped(persons, count(m, "persons")), grouped(rows, count(m, "rows")));
    if (n_late > 0) printf("%zu of ", n - n_late);
    printf("%zu candidates tried", n);
    if (member(m, "sample_persons"))
        printf(" on %s of the people", grouped(sample, count(m, "sample_persons")));
    putchar('\n');
}

/* "  counts t=5              keeps  61.6 %, no user to find" */
static void print_candidate(const lethe_json *c, double bound)
{
    char x[SAFE_BYTES];
    const lethe_json *error = member(c, "error"), *risk = member(c, "risk");
    printf("  %-22s ", safe(x, lethe_json_text(member(c, "label"))));
    if (error) {
        printf("%s\n", safe(x, lethe_json_text(error)));
        return;
    }
    printf("keeps %5.1f %%, ", 100 * figure(c, "kept_for_goal"));
    print_risk(stdout, risk);
    fputs(risk && lethe_json_real(risk) > bound ? " *\n" : "\n", stdout);
}

/* Why a goal has nothing: what it lacks, or how near its candidates come. */
static void print_nothing(const lethe_json *goal, double bound)
{
    char x[SAFE_BYTES];
    const lethe_json *dropped = member(goal, "dropped"), *lacks = member(goal, "lacks");
    double risk = 2, kept = -1;
    size_t n_late = 0;
    for (size_t i = 0; i < lethe_json_count(dropped); i++) {
        const lethe_json *c = lethe_json_at(dropped, i);
        lethe_str why = lethe_json_text(member(c, "why"));
        n_late += why.n == strlen("not tried") && memcmp(why.at, "not tried", why.n) == 0;
        if (member(c, "error")) continue;
        if (figure(c, "risk") < risk) risk = figure(c, "risk");
        if (figure(c, "risk") <= bound && figure(c, "kept_for_goal") > kept)
            kept = figure(c, "kept_for_goal");
    }
    if (lacks)
        printf("nothing: %s\n", safe(x, lethe_json_text(lacks)));
    else if (kept >= 0)
        printf("nothing: at most %.1f %% is kept", 100 * kept);
    else if (risk <= 1)
        printf("nothing: the least risk is %.1f %%", 100 * risk);
    else
        fputs(n_late ? "nothing" : "nothing is left", stdout);
    if (n_late > 0) printf("; %zu not tried", n_late);
    if (!lacks) putchar('\n');
}

/* Returns how many of those that fit are not shown. */
static size_t print_goal(const lethe_json *goal, const lethe_json *m, size_t most, bool all)
{
    const lethe_json *fits = member(goal, "fits"), *dropped = member(goal, "dropped");
    char x[SAFE_BYTES], y[SAFE_BYTES];
    bool table = lethe_json_text(member(m, "shape")).n == strlen("table");
    size_t n = lethe_json_count(fits), shown = all || n < most ? n : most;
    if (table)
        fputs("kept is the detail of the columns", stdout);
    else
        printf("goal %s: %s", safe(x, lethe_json_text(member(goal, "goal"))),
               safe(y, lethe_json_text(member(goal, "meaning"))));
    fputs(n ? "\n" : "\n  ", stdout);
    if (n == 0) print_nothing(goal, figure(m, "bound"));
    for (size_t i = 0; i < shown; i++) {
        print_candidate(lethe_json_at(fits, i), figure(m, "bound"));
        print_line("    ", lethe_json_text(member(lethe_json_at(fits, i), "command")));
    }
    if (all && n > 0 && lethe_json_count(dropped)) puts("  not worth publishing:");
    for (size_t i = 0; all && i < lethe_json_count(dropped); i++)
        print_candidate(lethe_json_at(dropped, i), 1);
    return n - shown;
}

/* "25 others: 19 with a risk above 9 %, 6 with nothing left to publish (--all shows them)" */
static void print_dropped(const lethe_json *m, size_t hidden, bool all)
{
    static const struct {
        const char *name, *words;
    } reasons[] = {{"risk", "with a risk above"},
                   {"little", "keeping less than"},
                   {"no_release", "with nothing left to publish"},
                   {"not_tried", "not tried for lack of time (--within) or memory"}};
    const lethe_json *dropped = member(m, "dropped");
    int64_t n = 0;
    const char *between = ": ";
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        n += count(dropped, reasons[i].name);
    if (n > 0) printf("%lld other%s", (long long)n, n == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        int64_t some = count(dropped, reasons[i].name);
        if (some == 0) continue;
        printf("%s%lld %s", between, (long long)some, reasons[i].words);
        if (i < 2) printf(" %.3g %%", 100 * figure(m, i == 0 ? "bound" : "least"));
        between = ", ";
    }
    if (hidden > 0) printf("%s%zu fit but keep less", n > 0 ? "; " : "", hidden);
    if (n > 0 || hidden > 0) puts(all ? "" : " (--all shows them)");
}

static bool any_above(const lethe_json *goals, double bound)
{
    for (size_t i = 0; i < lethe_json_count(goals); i++) {
        const lethe_json *fits = member(lethe_json_at(goals, i), "fits");
        for (size_t k = 0; k < lethe_json_count(fits); k++)
            if (figure(lethe_json_at(fits, k), "risk") > bound) return true;
    }
    return false;
}

/* What was found in the columns of a table. */
static void print_columns(const lethe_json *m)
{
    char x[SAFE_BYTES];
    lethe_str bare = lethe_json_text(member(m, "no_hierarchy"));
    if (member(m, "top_share"))
        printf("the most common sensitive value has %.1f %% of the rows\n",
               100 * figure(m, "top_share"));
    if (bare.n)
        printf("'%s' has no hierarchy: its values are kept or starred ('lethe hierarchy' writes "
               "one)\n",
               safe(x, bare));
}

static void print_page(const lethe_json *m, bool one, bool all)
{
    const lethe_json *goals = member(m, "goals");
    size_t most = one || lethe_json_count(goals) == 1 ? 7 : 2, hidden = 0;
    print_facts(m);
    print_columns(m);
    for (size_t i = 0; i < lethe_json_count(goals); i++)
        hidden += print_goal(lethe_json_at(goals, i), m, most, all);
    if (any_above(goals, figure(m, "bound")))
        printf("* above %.3g %% on the sample; there are more people to hide among in the whole\n",
               100 * figure(m, "bound"));
    print_dropped(m, one ? hidden : 0, all);
    if (!member(m, "next")) {
        if (lethe_json_count(member(m, "candidates")) || member(m, "instead")) print_instead(m);
        return;
    }
    printf("Next%s: make the best one of the whole input, attack it again, and publish it\n",
           lethe_json_count(goals) > 1 ? ", for your goal" : "");
    print_line("  ", lethe_json_text(member(m, "next")));
}

lethe_err run_suggest(arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request_many(a, &doc, &report);
    if (report)
        print_page(lethe_json_get(report, "metrics"), lethe_value_of(v, "goal")->given,
                   lethe_value_of(v, "all")->given);
    lethe_json_doc_free(doc);
    return e;
}
