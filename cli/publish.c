/* SPDX-License-Identifier: Apache-2.0 */
/* publish.c - tries what could be published, publishes the best of it, and says why. */
#include "candidates.h"
#include <math.h>

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

static bool is_number(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_INT || lethe_json_kind(v) == LETHE_JSON_REAL;
}

/* --- the answer --- */

/* What an adversary does, for somebody who has not read about it. */
static const char *in_words(lethe_str adversary, bool finds)
{
    static const struct {
        const char *name, *words;
    } all[] = {
        {"identity", "planted people, by a number, a name or rare habits"},
        {"known-terms", "by a few words that are known of a person"},
        {"linkage", "by joining parts of one person's history"},
        {"background", "by a few items that are known of a person"},
        {"presence-absence", "by items a person has, and has not"},
        {"linking", "by a person's row in another table"},
        {"homogeneity", "what all of a person's group have in common"},
        {"marking", "by having a person issue chosen queries"},
        {"frequency", "what an identifier stands for, by its frequency"},
        {"competitor", "which website a click went to"},
        {"replay", "the page behind a published host"},
    };
    if (!finds && adversary.n == 7 && memcmp(adversary.at, "linking", 7) == 0)
        return "a sensitive value, by the row in another table";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (adversary.n == strlen(all[i].name) &&
            memcmp(adversary.at, all[i].name, adversary.n) == 0)
            return all[i].words;
    return "";
}

static void print_cell(const lethe_json *v)
{
    if (is_number(v))
        printf("  %6.1f %%", 100 * lethe_json_real(v));
    else
        printf("  %8s", "-");
}

/* Adversaries that count, or those that do not. */
static void print_risks(const lethe_json *risks, bool counted, const char *title)
{
    bool any = false;
    for (size_t i = 0; i < lethe_json_count(risks); i++) {
        const lethe_json *r = lethe_json_at(risks, i);
        lethe_str name = lethe_json_text(member(r, "adversary"));
        if (lethe_json_bool(member(r, "counts")) != counted) continue;
        if (!any) printf("\n%-52s    before     after   at most\n", title);
        any = true;
        printf("  %-50s", in_words(name, counted));
        print_cell(member(r, "before"));
        print_cell(member(r, "success"));
        print_cell(member(r, "upper"));
        putchar('\n');
    }
}

static void print_not_tried(const lethe_json *list)
{
    size_t n = lethe_json_count(list);
    if (n == 0) return;
    fputs("  not tried: ", stdout);
    for (size_t i = 0; i < n; i++) {
        lethe_str name = lethe_json_text(member(lethe_json_at(list, i), "adversary")),
                  needs = lethe_json_text(member(lethe_json_at(list, i), "needs"));
        printf("%s%.*s (needs --%.*s)", i ? ", " : "", (int)name.n, name.at, (int)needs.n,
               needs.at);
    }
    putchar('\n');
}

static void print_kept(const lethe_json *kept)
{
    fputs("\nWhat is left of the original\n ", stdout);
    for (size_t i = 0; i < lethe_json_count(kept); i++) {
        lethe_str name = lethe_json_name(kept, i);
        fputs(i ? "   " : " ", stdout);
        for (size_t k = 0; k < name.n; k++)
            putchar(name.at[k] == '_' ? ' ' : name.at[k]);
        printf(" %.1f %%", 100 * lethe_json_real(lethe_json_at(kept, i)));
    }
    putchar('\n');
}

/* Tabs become gaps; empty columns at the end are left out. */
static void print_examples(const lethe_json *lines)
{
    enum { LINE = 100 };
    char text[2 * LINE];
    puts("\nSome of its rows");
    for (size_t i = 0; i < lethe_json_count(lines); i++) {
        lethe_str line = lethe_json_text(lethe_json_at(lines, i));
        size_t n = 0;
        while (line.n > 0 && line.at[line.n - 1] == '\t')
            line.n--;
        for (size_t k = 0; k < line.n && n + 2 < sizeof text; k++) {
            text[n++] = line.at[k] == '\t' ? ' ' : line.at[k];
            if (line.at[k] == '\t') text[n++] = ' ';
        }
        fputs("  ", stdout);
        print_safe(stdout, (lethe_str){text, n}, LINE);
        puts(line.n == 0 ? "(empty)" : "");
    }
}

static size_t count_below(const lethe_json *rows, double bound)
{
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        n += lethe_json_kind(member(row, "error")) != LETHE_JSON_TEXT &&
             figure(row, "exposure") <= bound;
    }
    return n;
}

static void print_choice(const lethe_json *m)
{
    if (!lethe_json_count(member(m, "candidates"))) { // of `redo`
        const lethe_json *one = member(m, "chosen");
        char shown[SAFE_BYTES];
        printf("%s: %s\n", member(m, "release") ? "Published" : "Made",
               safe(shown, lethe_json_text(member(one, "label"))));
        if (member(one, "risk_by"))
            printf("  Risk: at most %.1f %%.\n", 100 * figure(one, "risk"));
        else
            puts("  No users are published, so that nobody can be looked for in it.");
        return;
    }
    const lethe_json *c = member(m, "chosen"), *rows = member(m, "candidates");
    lethe_str goal = lethe_json_text(member(m, "goal")),
              label = lethe_json_text(member(c, "label")),
              summary = lethe_json_text(member(c, "summary"));
    char x[SAFE_BYTES], text[512];
    double bound = figure(m, "bound"), chance = figure(c, "chance");
    printf("%s: %.*s\n", member(m, "release") ? "Published" : "Publish this", (int)label.n,
           safe(x, label));
    print_folded(stdout, summary, "  ", "  ");
    char risk[64] = "No users are published, so that nobody can be looked for in it.";
    if (member(c, "risk_by"))
        snprintf(risk, sizeof risk, "Risk: at most %.1f %%.", 100 * figure(c, "risk"));
    int n =
        snprintf(text, sizeof text,
                 "Of %zu candidates, %zu have a risk of %.3g %% or less; of these it keeps most "
                 "for %.*s (%.1f %%). %s",
                 lethe_json_count(rows), count_below(rows, bound), 100 * bound, (int)goal.n,
                 goal.at, 100 * figure(c, "kept_for_goal"), risk);
    print_folded(stdout, (lethe_str){text, (size_t)n}, "  ", "  ");
    const lethe_json *refused = member(m, "refused");
    for (size_t i = 0; i < lethe_json_count(refused); i++) {
        const lethe_json *o = lethe_json_at(refused, i);
        printf("  Not %s (%.1f %%): made and attacked again, its risk was %.1f %%.\n",
               safe(x, lethe_json_text(member(o, "label"))), 100 * figure(o, "kept_for_goal"),
               100 * figure(o, "risk"));
    }
    if (member(c, "chance") && chance > bound)
        printf("  Chance alone finds %.1f %%: the input has few people.\n", 100 * chance);
}

/* What would have been published, had there been time: `o` may be NULL. */
static void print_slower(const lethe_json *o)
{
    char x[SAFE_BYTES];
    if (!o) return;
    double minutes = ceil(figure(o, "seconds") / 60);
    printf("slower     %s: keeps %.1f %%, risk %.1f %%; takes about %.0f min: --within %.0fm\n",
           safe(x, lethe_json_text(member(o, "label"))), 100 * figure(o, "kept_for_goal"),
           100 * figure(o, "risk"), minutes, 3 * minutes);
}

static void print_answer(const lethe_json *m)
{
    const lethe_json *c = member(m, "chosen"), *second = member(m, "runner_up");
    char x[SAFE_BYTES], persons[32], rows[32];
    printf("%s people, %s rows", grouped(persons, count(m, "persons")),
           grouped(rows, count(m, "rows")));
    if (member(m, "sample_persons"))
        printf("; candidates were tried on %s people", grouped(rows, count(m, "sample_persons")));
    puts("");
    if (!c && (lethe_json_count(member(m, "candidates")) || member(m, "instead"))) print_instead(m);
    if (!c) return;
    print_choice(m);
    print_risks(member(c, "risks"), true, "Who can be found");
    print_risks(member(c, "risks"), false, "What else can be learned (does not count)");
    print_not_tried(member(c, "not_tried"));
    print_kept(member(c, "kept"));
    print_examples(member(c, "examples"));
    putchar('\n');
    if (second)
        printf("runner-up  %s: keeps %.1f %%, risk %.1f %%%s\n",
               safe(x, lethe_json_text(member(second, "label"))),
               100 * figure(second, "kept_for_goal"), 100 * figure(second, "risk"),
               member(m, "sample_persons") ? " (of the sample)" : "");
    print_slower(member(m, "slower"));
    fputs("command    ", stdout);
    print_safe(stdout, lethe_json_text(member(c, "command")), SIZE_MAX);
    putchar('\n');
    if (!member(m, "release")) return;
    printf("release    %s\n", safe(x, lethe_json_text(member(m, "release"))));
    printf("page       %s/report.html\n", safe(x, lethe_json_text(member(m, "release"))));
    if (!member(m, "map")) return;
    printf("map        %s (the way back to the people: keep it secret, or delete it)\n",
           safe(x, lethe_json_text(member(m, "map"))));
}

/* --- the command, and `redo` --- */

lethe_err run_publish(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    const char *whose = a->stages[0].command.name;
    if (!output_of(a) && !lethe_value_of(&a->stages[0].values, "dry-run")->given)
        return misuse(whose, "no output given: use -o FOLDER, or --dry-run to write nothing");
    if (strcmp(whose, "redo") == 0 && a->n_operands < 2)
        return misuse(whose, "a release and an input are needed");
    lethe_err e = request_many(a, &doc, &report);
    if (report) print_answer(lethe_json_get(report, "metrics"));
    lethe_json_doc_free(doc);
    return e;
}
