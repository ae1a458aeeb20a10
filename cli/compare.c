/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - runs the chains that apply, or methods, and shows them side by side. */
#include "candidates.h"
#include <string.h>

/* --- the table --- */

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

static bool was_made(const lethe_json *row)
{
    return lethe_json_kind(member(row, "error")) != LETHE_JSON_TEXT;
}

static bool is_safe(const lethe_json *row, double bound)
{
    return was_made(row) && lethe_json_bool(member(row, "holds")) && !member(row, "nothing") &&
           figure(row, "exposure") <= bound;
}

/* What is shown of each row: what is kept, and the risk before, as it was found, and at most. */
typedef struct column {
    const char *title, *of, *name; /* of: an object of the row; NULL: the row */
} column;
static const column of_table[] = {{"detail", "kept", "detail"}},
                    of_sets[] = {{"patterns", "kept_for", "patterns"},
                                 {"sessions", "kept_for", "sessions"},
                                 {"counts", "kept_for", "counts"}},
                    of_log[] = {{"patterns", "kept_for", "patterns"},
                                {"sessions", "kept_for", "sessions"},
                                {"clicks", "kept_for", "clicks"},
                                {"counts", "kept_for", "counts"}},
                    of_risk[] = {{"before", NULL, "exposure_before"},
                                 {"after", NULL, "exposure_found"},
                                 {"at most", NULL, "exposure"}};

static size_t columns_of(const lethe_json *metrics, const column **out)
{
    lethe_str shape = lethe_json_text(member(metrics, "shape"));
    bool table = shape.n == strlen("table"), log = shape.n == strlen("log");
    *out = table ? of_table : log ? of_log : of_sets;
    return table ? sizeof of_table / sizeof *of_table
           : log ? sizeof of_log / sizeof *of_log
                 : sizeof of_sets / sizeof *of_sets;
}

static void print_cells(const lethe_json *row, const column *at, size_t n)
{
    enum { CELL = 8 }; /* so that a log's seven columns fit 80 */
    for (size_t i = 0; i < n; i++) {
        const lethe_json *v = member(at[i].of ? member(row, at[i].of) : row, at[i].name);
        lethe_json_type kind = lethe_json_kind(v);
        if (!row)
            printf(" %*.*s", CELL - 1, CELL - 1, at[i].title); // "pattern"
        else if (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL)
            printf("%*s", CELL, "-");
        else
            printf("%*.1f %%", CELL - 2, 100 * lethe_json_real(v));
    }
}

/* `row` NULL: the header. */
static void print_row(const lethe_json *row, const lethe_json *metrics, int width)
{
    enum { RISKS = sizeof of_risk / sizeof *of_risk };
    const column *kept;
    size_t n = columns_of(metrics, &kept);
    char x[SAFE_BYTES];
    printf("%-*s", width, row ? safe(x, lethe_json_text(member(row, "label"))) : "run");
    print_cells(row, kept, n);
    print_cells(row, of_risk, RISKS);
    bool risky = row && figure(row, "exposure") > figure(metrics, "bound"),
         empty = row && member(row, "nothing"); // the note below the table says why
    printf("%s%s%s\n", risky || empty ? " " : "", risky ? "!" : "", empty ? "*" : "");
}

/* As many as fit a screen; returns how many are left. */
static size_t print_rows(const lethe_json *metrics, bool all)
{
    enum { MOST = 16 };
    const lethe_json *rows = member(metrics, "rows");
    size_t n_made = 0, shown = 0;
    int width = 3;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        int own = (int)lethe_json_text(member(row, "label")).n;
        n_made += was_made(row);
        if (own > width) width = own;
    }
    if (n_made > 0) print_row(NULL, metrics, width);
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        if (!was_made(row) || (!all && n_made > MOST + 1 && shown == MOST)) continue;
        print_row(row, metrics, width);
        shown++;
    }
    return n_made - shown;
}

/* What is wrong with single rows: no release, or one that promises nothing. */
static void print_notes(const lethe_json *rows, bool all)
{
    enum { MOST = 8, WIDTH = 110 };
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        lethe_str why = was_made(row) ? claim_nothing(row) : lethe_json_text(member(row, "error"));
        char x[SAFE_BYTES];
        if (why.n == 0 || (n++ >= MOST && !all)) continue;
        printf("%s%s%s", was_made(row) ? "* " : "", safe(x, lethe_json_text(member(row, "label"))),
               was_made(row) ? " " : ": ");
        print_safe(stdout, why, all ? SAFE_MAX : WIDTH);
        putchar('\n');
    }
    if (n > MOST && !all) printf("and %zu more without a release or a promise (--all)\n", n - MOST);
}

/* Is it a candidate for the goal?  Of a table all goals need the same, its detail. */
static bool is_for(const lethe_json *row, const column *goal)
{
    const lethe_json *goals = member(row, "goals");
    bool any = strcmp(goal->of, "kept_for") != 0, found = false;
    for (size_t i = 0; i < lethe_json_count(goals); i++) {
        lethe_str name = lethe_json_text(lethe_json_at(goals, i));
        found = found || any ||
                (name.n == strlen(goal->name) && memcmp(name.at, goal->name, name.n) == 0);
    }
    return found;
}

/* "best for counts: counts t=5 keeps 61.6 %", and its command. */
static void print_best(const lethe_json *metrics, const column *goal)
{
    const lethe_json *rows = member(metrics, "rows"), *best = NULL;
    char x[SAFE_BYTES];
    double most = 0;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        double kept = figure(member(row, goal->of), goal->name);
        if (!is_for(row, goal) || !is_safe(row, figure(metrics, "bound")) || kept <= most) continue;
        most = kept;
        best = row;
    }
    if (!best) {
        printf("  %-9s none\n", goal->title);
        return;
    }
    printf("  %-9s %s keeps %.1f %%\n    ", goal->title,
           safe(x, lethe_json_text(member(best, "label"))), 100 * most);
    print_safe(stdout, lethe_json_text(member(best, "command")), SIZE_MAX);
    putchar('\n');
}

static void show(const lethe_json *report, const char *out, bool all)
{
    const lethe_json *metrics = member(report, "metrics"), *rows = member(metrics, "rows");
    const column *goals;
    size_t hidden = print_rows(metrics, all), n = columns_of(metrics, &goals);
    char x[SAFE_BYTES];
    if (hidden > 0) printf("and %zu less useful or less safe (--all shows them)\n", hidden);
    print_notes(rows, all);
    printf("goals: what is kept; before, after, at most: the risk that a person is found (! above "
           "%.3g %%)\n",
           100 * figure(metrics, "bound"));
    printf("Best with a risk of %.3g %% or less, each with its command\n",
           100 * figure(metrics, "bound"));
    for (size_t i = 0; i < n; i++)
        print_best(metrics, &goals[i]);
    if (out)
        printf("wrote the study to '%s': report.html, study.csv, releases/\n",
               safe(x, str_of(out)));
}

/* --- the command --- */

/* How a study that was stopped goes on. */
static void resume_tell(const arguments *a, const char *out)
{
    bool again = out; // what was in a pipe is gone
    for (size_t i = 0; i < a->n_operands; i++)
        again = again && strcmp(a->operands[i], "-") != 0;
    if (common(a, "quiet")->given) return;
    if (!again) {
        fputs("lethe: stopped; nothing is kept (with -o STUDY, finished runs are)\n", stderr);
        return;
    }
    fputs("lethe: stopped; finished runs are kept. To go on:\n  lethe", stderr);
    bool seed = false;
    for (char **word = a->words + 1; *word; word++) {
        fputc(' ', stderr);
        print_shell_word(stderr, str_of(seed ? "SEED" // it is a secret
                                        : strncmp(*word, "--seed=", 7) == 0 ? "--seed=SEED"
                                                                            : *word));
        seed = strcmp(*word, "--seed") == 0;
    }
    fputs(common(a, "seed")->given ? "\nwith the same SEED\n" : "\n", stderr);
}

lethe_err run_compare(arguments *a)
{
    const char *out = lethe_value_of(&a->stages[0].values, "output")->text;
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request_many(a, &doc, &report);
    if (report) show(report, out, lethe_value_of(&a->stages[0].values, "all")->given);
    if (e == LETHE_ECANCEL) resume_tell(a, out);
    lethe_json_doc_free(doc);
    return e;
}
