/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - shows what a log, baskets or a table contain. */
#include "cli.h"

enum { BAR = 36 };

void print_bar(double share)
{
    int n = (int)(share * BAR + 0.5);
    if (share > 0) fputs(n ? "  " : "  |", stdout); // a small share still shows
    for (int i = 0; i < n; i++)
        putchar('#');
}

/* One line per bucket: "3-5   1,234  5.6 %  ####". */
void print_histogram(const lethe_json *metrics, const char *name, const char *title)
{
    const lethe_json *buckets = lethe_json_get(lethe_json_get(metrics, "histograms"), name);
    int64_t total = 0;
    char x[32], range[64];
    for (size_t i = 0; i < lethe_json_count(buckets); i++)
        total += count(lethe_json_at(buckets, i), "count");
    if (total == 0) return;
    printf("\n%s\n", title);
    for (size_t i = 0; i < lethe_json_count(buckets); i++) {
        const lethe_json *b = lethe_json_at(buckets, i);
        int64_t from = count(b, "from"), to = count(b, "to"), n = count(b, "count");
        if (from == to)
            snprintf(range, sizeof range, "%lld", (long long)from);
        else
            snprintf(range, sizeof range, "%lld-%lld", (long long)from, (long long)to);
        double share = (double)n / (double)total;
        printf("  %-22s %14s  ", range, grouped(x, n));
        print_percent(stdout, share);
        print_bar(share);
        putchar('\n');
    }
}

static void print_sizes(const lethe_json *m)
{
    static const struct {
        const char *name, *label;
    } lines[] = {
        {"rows", "rows"},
        {"users", "users"},
        {"queries", "queries"},
        {"distinct_queries", "distinct texts"},
        {"clicks", "clicks"},
        {"urls", "distinct URLs"},
        {"empty", "rows without a query"},
        {"rejected", "lines rejected"},
        {"invalid_utf8", "lines with bad UTF-8"},
    };
    char x[32];
    puts("Contents");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const lethe_json *v = lethe_json_get(m, lines[i].name);
        if (v && (i < 6 || lethe_json_int(v)))
            printf("  %-24s %14s\n", lines[i].label, grouped(x, lethe_json_int(v)));
    }
    printf("  %-24s %14.2f\n", "terms per query", figure(m, "terms_per_query"));
    if (!lethe_json_get(m, "noun_share")) return;
    printf("  %-24s %12.1f %%\n", "share of nouns", 100 * figure(m, "noun_share"));
}

static void print_risk(const lethe_json *m)
{
    static const struct {
        const char *name, *label;
    } lines[] = {
        {"unique_user_share", "users with a query that nobody else issued"},
        {"once_share", "texts issued once"},
        {"le3_share", "texts issued at most three times"},
    };
    puts("\nHow identifying it is");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        printf("  %-42s ", lines[i].label);
        print_percent(stdout, figure(m, lines[i].name));
        putchar('\n');
    }
}

/* Kinds that were found, in a line: "ssn 7, email 12". */
static void print_kinds(const lethe_json *pii)
{
    char text[1000] = "none", x[32];
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(pii) && n < sizeof text; i++) {
        lethe_str name = lethe_json_name(pii, i);
        int64_t found = lethe_json_int(lethe_json_at(pii, i));
        if (found > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s %s", n > 0 ? ", " : "",
                                  (int)name.n, name.at, grouped(x, found));
    }
    print_folded(stdout, str_of(text), "  ", "  ");
}

/* "e-mail    12   xxx@xxx.xxx  xxxx@xx.xx": never a finding itself. */
static void print_pii(const lethe_json *m, bool explain)
{
    const lethe_json *pii = lethe_json_get(m, "pii");
    char x[32];
    puts(
        "\nQueries that contain personal data, detected by its form; names by how common they are");
    if (!explain) {
        print_kinds(pii);
        return;
    }
    for (size_t i = 0; i < lethe_json_count(pii); i++) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(pii, i).n,
                 lethe_json_name(pii, i).at);
        printf("  %-10s %12s", name, grouped(x, lethe_json_int(lethe_json_at(pii, i))));
        const lethe_json *shapes = lethe_json_get(lethe_json_get(m, "pii_examples"), name);
        for (size_t j = 0; j < lethe_json_count(shapes); j++) {
            fputs(j ? ",  " : "   such as  ", stdout);
            print_safe(stdout, lethe_json_text(lethe_json_at(shapes, j)), 40);
        }
        putchar('\n');
    }
}

static void print_per_user(const lethe_json *m)
{
    static const struct {
        const char *name, *label;
    } lines[] = {{"rows", "rows"},
                 {"distinct_queries", "distinct queries"},
                 {"distinct_clicks", "distinct clicks"},
                 {"days", "active days"}};
    const lethe_json *per_user = lethe_json_get(m, "per_user");
    printf("\nPer user\n  %-18s %12s %12s %10s %12s\n", "", "mean", "median", "min", "max");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const lethe_json *s = lethe_json_get(per_user, lines[i].name);
        char x[32], y[32];
        printf("  %-18s %12.1f %12.1f %10s %12s\n", lines[i].label, figure(s, "mean"),
               figure(s, "median"), grouped(x, count(s, "min")), grouped(y, count(s, "max")));
    }
}

static void print_survival(const lethe_json *m, bool explain)
{
    const lethe_json *survival = lethe_json_get(m, "survival");
    char x[32];
    printf("\nWhat is left if a text needs t users\n  %6s %14s  %8s  %8s\n", "t", "texts",
           "queries", "rows");
    for (size_t i = 0; i < lethe_json_count(survival); i++) {
        const lethe_json *s = lethe_json_at(survival, i);
        int64_t t = count(s, "t");
        if (!explain && (t == 1 || (t > 2 && count(s, "texts") == 0))) continue;
        printf("  %6lld %14s  ", (long long)t, grouped(x, count(s, "texts")));
        print_percent(stdout, figure(s, "queries"));
        fputs("   ", stdout);
        print_percent(stdout, figure(s, "rows"));
        print_bar(figure(s, "queries"));
        putchar('\n');
    }
}

static void print_page(const lethe_json *m, bool explain)
{
    print_sizes(m);
    print_risk(m);
    print_pii(m, explain);
    print_survival(m, explain);
    if (!explain) {
        puts("\n--explain adds examples of personal data, histograms, and figures per user");
        return;
    }
    print_histogram(m, "texts_by_users", "Texts by number of users");
    print_histogram(m, "texts_by_queries", "Texts by number of queries");
    print_histogram(m, "users_by_queries", "Users by number of distinct queries");
    print_histogram(m, "users_by_clicks", "Users by number of distinct clicks");
    print_per_user(m);
}

lethe_err run_profile(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    lethe_str shape = lethe_json_text(lethe_json_get(metrics, "shape"));
    if (!report || e != LETHE_OK) {
        lethe_json_doc_free(doc);
        return e;
    }
    if (shape.n > 0 && shape.at[0] == 'r')
        print_records_profile(metrics, a->operands[0], wants_all(a));
    else if (shape.n > 0)
        print_table_profile(metrics, a->operands[0], wants_all(a));
    else
        print_page(metrics, wants_all(a));
    lethe_json_doc_free(doc);
    return e;
}
