/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - shows which methods fit an input, with the command for each. */
#include "cli.h"
#include <string.h>

const lethe_option suggest_options[] = {
    {.name = "goal",
     .type = LETHE_OPT_CHOICE,
     .arg = "patterns|sessions|clicks|counts",
     .help = "purpose of the release: find what occurs together, follow sessions, learn which "
             "results are clicked, or count [default: one line for each]"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "taxonomy for generalizing items; required for records"},
    {.name = "qi",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "treat the input as a table; these columns are quasi-identifiers"},
    {.name = "sa",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "for tables: sensitive columns"},
    {.name = "class",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN",
     .help = "for tables: the class column, published unchanged"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .help = "for tables: folder with a hierarchy per quasi-identifier"},
    {.name = "ranges",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN=5,10,...",
     .help = "for tables: widths of ranges for a numeric column [default: suggested]"},
    {.name = "missing",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|drop",
     .help = "for tables: keep or drop rows with a missing value"},
    {0},
};

const lethe_figure suggest_figures[] = {
    {"shape", "kind of input: log, records or table", .better = 0},
    {"persons", "number of users, of persons with records, or of rows of a table", .better = 0},
    {"queries, distinct_queries, clicks", "of a log", .better = 0},
    {"records, items, distinct_items", "of records", .better = 0},
    {"rows, top_share", "of a table; top_share is the share of its most common sensitive value",
     .better = 0},
    {"no_hierarchy", "of a table: a column of many values that has no hierarchy", .better = 0},
    {"goals",
     "for each goal: its name and meaning, what the input lacks for it, the methods that fit (best "
     "first, with reasons and command), and the others with the reason why they do not",
     .better = 0},
    {0},
};

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

static int width(lethe_str s) { return (int)s.n; }

/* "40 users, 293 queries, 92 texts, 256 clicks" */
static void print_facts(const lethe_json *m)
{
    static const struct {
        const char *name, *word;
    } parts[] = {
        {"queries", "queries"}, {"distinct_queries", "texts"},
        {"clicks", "clicks"},   {"records", "records"},
        {"items", "items"},     {"distinct_items", "of them distinct"},
    };
    char x[32];
    lethe_str shape = lethe_json_text(member(m, "shape"));
    bool is_log = shape.n == 3, is_table = shape.n == 5;
    printf("%.*s of %s %s", width(shape), shape.at, grouped(x, count(m, "persons")),
           is_log     ? "users"
           : is_table ? "rows"
                      : "persons");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (member(m, parts[i].name))
            printf(", %s %s", grouped(x, count(m, parts[i].name)), parts[i].word);
    putchar('\n');
}

static void print_part(const char *label, lethe_str text)
{
    char first[32];
    snprintf(first, sizeof first, "   %-9s ", label);
    if (text.n) print_folded(stdout, text, first, "             ");
}

static void print_fit(size_t number, const lethe_json *fit)
{
    lethe_str method = lethe_json_text(member(fit, "method")),
              summary = lethe_json_text(member(fit, "summary")),
              notion = lethe_json_text(member(fit, "notion")),
              line = lethe_json_text(member(fit, "command"));
    const lethe_json *reasons = member(fit, "reasons");
    char text[1024];
    printf("\n%zu. %.*s: %.*s\n", number, width(method), method.at, width(summary), summary.at);
    print_part("keeps", lethe_json_text(member(fit, "keeps")));
    lethe_str promise = lethe_json_text(member(fit, "promise"));
    int n = snprintf(text, sizeof text, "%.*s: %.*s", width(notion), notion.at, width(promise),
                     promise.at);
    print_part("promises",
               (lethe_str){text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1});
    for (size_t i = 0; i < lethe_json_count(reasons); i++)
        print_part(i ? "" : "because", lethe_json_text(lethe_json_at(reasons, i)));
    print_part("caveat", lethe_json_text(member(fit, "caveat")));
    fputs("\n   ", stdout);
    print_safe(stdout, line, SIZE_MAX);
    putchar('\n');
}

static void print_goal(const lethe_json *goal)
{
    const lethe_json *fits = member(goal, "fits"), *others = member(goal, "others");
    lethe_str name = lethe_json_text(member(goal, "goal")),
              meaning = lethe_json_text(member(goal, "meaning")),
              lacks = lethe_json_text(member(goal, "lacks"));
    printf("goal: %.*s (to %.*s)\n", width(name), name.at, width(meaning), meaning.at);
    for (size_t i = 0; i < lethe_json_count(fits); i++)
        print_fit(i + 1, lethe_json_at(fits, i));
    if (lacks.n) {
        fputs("\nNothing fits: ", stdout);
        print_safe(stdout, lacks, SIZE_MAX);
        putchar('\n');
        return;
    }
    if (lethe_json_count(others)) puts("\nMethods that do not fit");
    for (size_t i = 0; i < lethe_json_count(others); i++) {
        char first[32];
        lethe_str method = lethe_json_text(member(lethe_json_at(others, i), "method"));
        snprintf(first, sizeof first, "   %-10.*s ", width(method), method.at);
        print_folded(stdout, lethe_json_text(member(lethe_json_at(others, i), "why")), first,
                     "              ");
    }
}

/* The best method for a goal, in one line. */
static void print_line(const lethe_json *goal)
{
    const lethe_json *best = lethe_json_at(member(goal, "fits"), 0);
    lethe_str name = lethe_json_text(member(goal, "goal")),
              method = lethe_json_text(member(best, "method")),
              line = lethe_json_text(member(best, "command")),
              lacks = lethe_json_text(member(goal, "lacks"));
    printf("  %-9.*s ", width(name), name.at);
    if (best) {
        printf("%-11.*s ", width(method), method.at);
        print_safe(stdout, line, SIZE_MAX);
        putchar('\n');
    } else
        printf("nothing fits%s%.*s\n", lacks.n ? ": " : "", width(lacks), lacks.n ? lacks.at : "");
}

static void print_page(const lethe_json *metrics, bool one)
{
    const lethe_json *goals = member(metrics, "goals");
    lethe_str bare = lethe_json_text(member(metrics, "no_hierarchy"));
    char shown[SAFE_BYTES];
    if (!lethe_json_count(goals)) return; // the input could not be counted
    print_facts(metrics);
    if (one) {
        print_goal(lethe_json_at(goals, 0));
        return;
    }
    printf("  %-9s %-11s %s\n", "goal", "method", "command");
    for (size_t i = 0; i < lethe_json_count(goals); i++)
        print_line(lethe_json_at(goals, i));
    if (bare.n)
        printf("'%s' has no hierarchy, so that its values are kept or starred: 'lethe hierarchy' "
               "writes one, for --hierarchies.\n",
               safe(shown, bare));
    puts("Use --goal GOAL to see all methods that fit, with reasons, and why the others do not.");
}

lethe_err run_suggest(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    const lethe_value *goal = lethe_value_of(v, "goal");
    lethe_suggest_options s = {.inputs = a->operands,
                               .n_inputs = a->n_operands,
                               .has_goal = goal->given,
                               .goal = (lethe_goal)goal->count,
                               .values = v};
    lethe_json *report = NULL;
    lethe_err e = reading_of(a, &s.reading);
    if (e != LETHE_OK) return e;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    e = lethe_suggest(a->ctx, &s, doc, &report);
    if (e == LETHE_OK || e == LETHE_ANSWER_NO) {
        if (wants_json(a)) {
            lethe_err printed = print_json(report);
            if (e == LETHE_OK) e = printed;
        } else {
            print_page(lethe_json_get(report, "metrics"), goal->given);
        }
    }
    lethe_json_doc_free(doc);
    return e;
}
