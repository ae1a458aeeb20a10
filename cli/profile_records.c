/* SPDX-License-Identifier: Apache-2.0 */
/* profile_records.c - shows what records (baskets) contain. */
#include "cli.h"

static void print_lengths(const lethe_json *m, const char *name, const char *label)
{
    const lethe_json *s = lethe_json_get(m, name);
    char x[32], y[32];
    printf("  %-24s %14.1f on average, median %.1f, %s to %s\n", label, figure(s, "mean"),
           figure(s, "median"), grouped(x, count(s, "min")), grouped(y, count(s, "max")));
}

static void print_sizes(const lethe_json *m)
{
    static const struct {
        const char *name, *label;
    } lines[] = {
        {"records", "baskets"},
        {"persons", "persons"},
        {"items", "items"},
        {"distinct_items", "distinct items"},
        {"empty", "empty baskets"},
        {"rejected", "lines rejected"},
        {"invalid_utf8", "lines with bad UTF-8"},
    };
    char x[32];
    puts("\nContents");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (i < 4 || count(m, lines[i].name) > 0)
            printf("  %-24s %14s\n", lines[i].label, grouped(x, count(m, lines[i].name)));
    print_lengths(m, "items_per_record", "items per basket");
    if (count(m, "records") != count(m, "persons"))
        print_lengths(m, "items_per_person", "distinct per person");
    if (!lethe_json_bool(lethe_json_get(m, "persons_named")))
        puts("  no persons are named: each basket is taken for one person");
}

/* One person of many is not nobody. */
static void print_share(const char *label, double share)
{
    printf("  %-52s ", label);
    if (share > 0 && share < 0.0005)
        puts(" <0.1 %");
    else
        printf("%5.1f %%\n", 100 * share);
}

/* Whether shares are exact. */
static void print_sample(const lethe_json *m)
{
    char x[32], y[32];
    int64_t others = count(m, "singled_others"), tried = count(m, "singled_tried"),
            undecided = count(m, "singled_undecided");
    if (tried < others)
        printf(
            "  estimated for two and three items: of %s persons whom no single item identifies,\n"
            "  %s were drawn at random\n",
            grouped(x, others), grouped(y, tried));
    if (undecided > 0)
        printf("  two and three items: at least; of %s persons it would take too long to tell\n",
               grouped(x, undecided));
}

static void print_risk(const lethe_json *m)
{
    static const char *const labels[] = {"persons with an item that nobody else has",
                                         "with up to two items that only they have together",
                                         "with up to three items that only they have together"};
    const lethe_json *singled = lethe_json_get(m, "singled_out");
    puts("\nHow identifying they are");
    for (size_t i = 0; i < lethe_json_count(singled) && i < 3; i++)
        print_share(labels[i], figure(lethe_json_at(singled, i), "share"));
    print_share("items that only one person has", figure(m, "once_share"));
    print_sample(m);
}

static void print_survival(const lethe_json *m, bool explain)
{
    const lethe_json *survival = lethe_json_get(m, "survival");
    char x[32];
    printf("\nWhat is left if an item needs t persons\n  %6s %14s  %8s  %8s\n", "t", "distinct",
           "items", "baskets");
    for (size_t i = 0; i < lethe_json_count(survival); i++) {
        const lethe_json *s = lethe_json_at(survival, i);
        int64_t t = count(s, "t");
        if (!explain && (t == 1 || (t > 2 && count(s, "items") == 0))) continue;
        printf("  %6lld %14s  ", (long long)t, grouped(x, count(s, "items")));
        print_percent(stdout, figure(s, "occurrences"));
        fputs("   ", stdout);
        print_percent(stdout, figure(s, "records"));
        print_bar(figure(s, "occurrences"));
        putchar('\n');
    }
}

void print_records_profile(const lethe_json *m, const char *input, bool explain)
{
    print_safe(stdout, str_of(input), SAFE_MAX);
    puts(lethe_json_bool(lethe_json_get(m, "detected"))
             ? ": baskets (not a log: most lines have no columns)"
             : ": baskets");
    print_sizes(m);
    print_risk(m);
    print_survival(m, explain);
    if (!explain) {
        puts("\n--explain adds histograms");
        return;
    }
    print_histogram(m, "items_by_persons", "Items by number of persons");
    print_histogram(m, "persons_by_items", "Persons by number of distinct items");
}
