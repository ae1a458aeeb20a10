/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - shows what a log, or a table, contains. */
#include "cli.h"

const lethe_option profile_options[] = {
    {.name = "qi",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "of a table: the quasi-identifiers [default: proposed]"},
    {.name = "sa",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "of a table: sensitive columns"},
    {.name = "population",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "of a table: a table of all people that its rows may be about, for the journalist's "
             "risk"},
    {0},
};

const lethe_figure profile_figures[] = {
    {"rows", "lines that hold a query", .better = 0},
    {"rejected", "lines that could not be parsed", .better = 0},
    {"empty", "lines without a query", .better = 0},
    {"invalid_utf8", "lines with bytes that are not UTF-8", .better = 0},
    {"users", "distinct users", .better = 0},
    {"queries", "queries; lines of one user with the same text and time are one query",
     .better = 0},
    {"distinct_queries", "distinct query texts", .better = 0},
    {"once_share", "share of the texts that were issued once", .better = -1},
    {"le3_share", "share of the texts that were issued at most three times", .better = -1},
    {"unique_user_share", "share of the users who have a text that nobody else issued",
     .better = -1},
    {"left_t2, left_t3, left_t5", "share of the queries whose text has at least 2, 3, 5 users",
     .better = 1},
    {"left_q2, left_q4", "share of the queries whose text has at least 2, 4 queries", .better = 1},
    {"terms_per_query", "mean number of terms per query, separated by spaces", .better = 0},
    {"noun_share",
     "share of the words that are nouns in WordNet, including plurals; function words (in, a) are "
     "no nouns, punctuation separates words, and masks are not words",
     .better = 0},
    {"pii", "for each kind of personal data: number of queries in which a detector finds it",
     .better = -1},
    {"pii_examples", "the form of such findings, with letters and digits masked", .better = 0},
    {"clicks", "lines with a URL", .better = 0},
    {"urls", "distinct URLs", .better = 0},
    {"per_user",
     "mean, median, min and max over users of rows, distinct_queries, distinct_clicks "
     "and days",
     .better = 0},
    {"survival",
     "for several t: number of texts that have at least t users, and their share "
     "of the queries and of the rows",
     .better = 1},
    {"histograms",
     "texts by users and by queries, users by distinct queries and by distinct "
     "clicks: from, to and count",
     .better = 0},
    {"shape",
     "\"table\" if the input is a table; the figures below are those of tables, which also "
     "have rows, rejected and invalid_utf8",
     .better = 0},
    {"detected", "of a table: no option said that it is one", .better = 0},
    {"columns",
     "of a table, for each column: name, type (number, date, code, category, free text, "
     "identifier), distinct values, missing values, unique_share (rows whose value no other row "
     "has), commonest value and its commonest_share (not of identifiers and free text)",
     .better = 0},
    {"qi, qi_proposed", "of a table: the quasi-identifiers, and whether they are a proposal",
     .better = 0},
    {"proposal",
     "of a table without --qi: for each proposed column the share of rows that it singles out "
     "alone, with its best partner (pair), and together with all columns before it",
     .better = 0},
    {"identifiers, free_texts, constants, not_proposed",
     "of a table: columns that are not proposed, by reason", .better = 0},
    {"groups, mean_group, largest_group",
     "of a table: groups of rows with equal quasi-identifiers, and their sizes", .better = 0},
    {"smallest_k", "of a table: rows of the smallest group; the table is k-anonymous with this k",
     .better = 1},
    {"unique_rows, unique_share", "of a table: rows that are alone in their group", .better = -1},
    {"sensitive",
     "of a table, for each column of --sa, of its worst group: distinct_l (different values), "
     "entropy_l (exp of the entropy), theta (largest share of one value; theta_rows of theta_of "
     "rows) and t (distance from the whole table, equal distance)",
     .better = 0},
    {"risk",
     "of a table: highest, mean and above_20 (share of the rows with a risk over 20 %) of the "
     "prosecutor, with --population also of the journalist (with population_rows, and "
     "groups_lacking: groups that have fewer rows in the population), and the marketer's risk",
     .better = -1},
    {"combinations, combinations_tried, combinations_all",
     "of a table: up to ten combinations of at most three columns that single out most rows; how "
     "many were tried, and how many there are",
     .better = 0},
    {0},
};

enum { BAR = 36 };

static void print_bar(double share)
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

/* "e-mail    12   xxx@xxx.xxx  xxxx@xx.xx": never a finding itself. */
static void print_pii(const lethe_json *m)
{
    const lethe_json *pii = lethe_json_get(m, "pii");
    char x[32];
    puts(
        "\nQueries that contain personal data, detected by its form; names by how common they are");
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

static void print_survival(const lethe_json *m)
{
    const lethe_json *survival = lethe_json_get(m, "survival");
    char x[32];
    printf("\nWhat is left if a text needs t users\n  %6s %14s  %8s  %8s\n", "t", "texts",
           "queries", "rows");
    for (size_t i = 0; i < lethe_json_count(survival); i++) {
        const lethe_json *s = lethe_json_at(survival, i);
        printf("  %6lld %14s  ", (long long)count(s, "t"), grouped(x, count(s, "texts")));
        print_percent(stdout, figure(s, "queries"));
        fputs("   ", stdout);
        print_percent(stdout, figure(s, "rows"));
        print_bar(figure(s, "queries"));
        putchar('\n');
    }
}

static void print_page(const lethe_json *m)
{
    print_sizes(m);
    print_risk(m);
    print_pii(m);
    print_survival(m);
    print_histogram(m, "texts_by_users", "Texts by number of users");
    print_histogram(m, "texts_by_queries", "Texts by number of queries");
    print_histogram(m, "users_by_queries", "Users by number of distinct queries");
    print_histogram(m, "users_by_clicks", "Users by number of distinct clicks");
    print_per_user(m);
}

lethe_err run_profile(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    lethe_profile_options how = {.inputs = a->operands,
                                 .n_inputs = a->n_operands,
                                 .qi = lethe_value_of(v, "qi")->text,
                                 .sa = lethe_value_of(v, "sa")->text,
                                 .population = lethe_value_of(v, "population")->text};
    lethe_json *report = NULL;
    lethe_err e = reading_of(a, &how.reading);
    if (e != LETHE_OK) return e;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    e = lethe_profile_input(a->ctx, &how, doc, &report);
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    if (e == LETHE_OK) {
        if (wants_json(a))
            e = print_json(report);
        else if (lethe_json_get(metrics, "shape"))
            print_table_profile(metrics, a->operands[0]);
        else
            print_page(metrics);
    }
    lethe_json_doc_free(doc);
    return e;
}
