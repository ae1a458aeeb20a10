/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - how much of the original is left in a release. */
#include "against.h"

const lethe_option measure_options[] = {
    {.name = "original",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the input that the release was made from",
     .required = true},
    {.name = "map",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the map that was written with the release"},
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "for logs and records: compare the N most frequent closed patterns"},
    {.name = "support",
     .type = LETHE_OPT_REAL,
     .arg = "S",
     .min = 1e-6,
     .max = 1,
     .help =
         "for records: count generalized patterns that have at least this support, such as 0.01"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "taxonomy that the records were generalized with, if it was a file"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .help = "hierarchies that the table was generalized with, for the figures that need them"},
    {.name = "train-column",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN",
     .help = "for tables with --class: train a classifier on rows with 'train' in this column, and "
             "test it on the others"},
    {0},
};

/* Does the figure have a value for both, original and published? */
static bool is_compared(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_OBJECT && lethe_json_get(v, "original") &&
           lethe_json_get(v, "share");
}

static void print_figure(lethe_str name, const lethe_json *v)
{
    char x[32], y[32], shown[SAFE_BYTES]; // of a manifest, which may be anybody's
    printf("  %-18s %14s %14s  ", safe(shown, name), grouped(x, count(v, "original")),
           grouped(y, count(v, "published")));
    print_percent(stdout, figure(v, "share"));
    putchar('\n');
}

static void print_number(const char *name, double value)
{
    const char *unit = unit_of(str_of(name));
    printf("  %-18s ", name);
    print_real(stdout, *unit == '%' ? 12 : 14, value, unit);
    putchar('\n');
}

static void print_count(const char *name, int64_t value)
{
    const char *unit = unit_of(str_of(name));
    char x[32];
    printf("  %-18s %14s%s%s\n", name, grouped(x, value), *unit ? " " : "", unit);
}

/* What pattern mining still finds. */
static void print_patterns(const lethe_json *metrics)
{
    static const char *const names[] = {"recall", "sdist", "patterns", "pattern_error"};
    const lethe_json *closed = lethe_json_get(metrics, "closed_patterns");
    char x[32], y[32];
    if (!closed) return;
    printf("  %-18s %14s %14s\n", "closed_patterns", grouped(x, count(closed, "original")),
           grouped(y, count(closed, "published")));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const lethe_json *v = lethe_json_get(metrics, names[i]);
        if (lethe_json_kind(v) == LETHE_JSON_INT || lethe_json_kind(v) == LETHE_JSON_REAL)
            print_number(names[i], lethe_json_real(v));
    }
}

/* Figures that logs and records have in common. */
static void print_scale(const lethe_json *metrics)
{
    static const char *const names[] = {"terms_kept", "terms_general", "pattern_recall"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const lethe_json *v = lethe_json_get(metrics, names[i]);
        if (lethe_json_kind(v) == LETHE_JSON_REAL) print_number(names[i], lethe_json_real(v));
    }
}

/* How much of a log published counts cover. */
static void print_counts(const lethe_json *metrics)
{
    static const char *const names[] = {"texts_covered", "volume_covered", "count_error"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const lethe_json *v = lethe_json_get(metrics, names[i]);
        if (lethe_json_kind(v) == LETHE_JSON_REAL) print_number(names[i], lethe_json_real(v));
    }
    if (count(metrics, "items_unknown") > 0)
        print_count("items_unknown", count(metrics, "items_unknown"));
}

/* How likely a row is to be found, before and after. */
static void print_risk(const lethe_json *metrics)
{
    static const struct {
        const char *name, *text;
    } rows[] = {{"highest", "highest risk"},
                {"mean", "risk on average"},
                {"above_fifth", "risk above 20 %"},
                {"unique", "unique rows"}};
    const lethe_json *before = lethe_json_get(metrics, "risk_before"),
                     *after = lethe_json_get(metrics, "risk_after");
    if (!before || !after) return;
    printf("\n  %-18s %14s %14s\n", "finding a row", "original", "published");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("  %-18s %12.1f %% %12.1f %%\n", rows[i].text, 100 * figure(before, rows[i].name),
               100 * figure(after, rows[i].name));
}

static void print_columns(const lethe_json *metrics)
{
    char shown[SAFE_BYTES];
    const lethe_json *columns = lethe_json_get(metrics, "columns");
    if (lethe_json_count(columns) > 0) puts("\n  loss by column");
    for (size_t i = 0; i < lethe_json_count(columns); i++) {
        const lethe_json *c = lethe_json_at(columns, i), *loss = lethe_json_get(c, "loss");
        if (!loss) continue;
        printf("  %-18s %12.1f %%\n", safe(shown, lethe_json_text(lethe_json_get(c, "column"))),
               100 * lethe_json_real(loss));
    }
}

/* Figures of a table, which has no counterpart of each in the original. */
static void print_table(const lethe_json *metrics)
{
    static const char *const names[] = {"lm",
                                        "dm",
                                        "cm",
                                        "cost",
                                        "groups",
                                        "rows_published",
                                        "rows_deleted",
                                        "values_starred",
                                        "truthful",
                                        "class_error",
                                        "class_error_original",
                                        "class_baseline"};
    const lethe_json *loss = lethe_json_get(metrics, "loss"),
                     *size = lethe_json_get(metrics, "group_size"),
                     *left_out = lethe_json_get(metrics, "left_out");
    if (loss)
        printf("  %-18s %12.2f %% of what cells could lose (NCP; a deleted row loses all)\n",
               "loss", 100 * lethe_json_real(loss));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const lethe_json *v = lethe_json_get(metrics, names[i]);
        if (lethe_json_kind(v) == LETHE_JSON_INT)
            print_count(names[i], lethe_json_int(v));
        else if (lethe_json_kind(v) == LETHE_JSON_REAL)
            print_number(names[i], lethe_json_real(v));
    }
    if (size)
        printf("  %-18s %14.1f rows on average, %lld to %lld\n", "group_size", figure(size, "mean"),
               (long long)count(size, "min"), (long long)count(size, "max"));
    if (lethe_json_get(metrics, "group_size_over_k"))
        printf("  %-18s %14.2f times the k that is promised, on average\n", "",
               figure(metrics, "group_size_over_k"));
    print_risk(metrics);
    print_columns(metrics);
    if (lethe_json_count(left_out) > 0) puts("\n  left out");
    for (size_t i = 0; i < lethe_json_count(left_out); i++)
        print_folded(stdout, lethe_json_text(lethe_json_at(left_out, i)), "  - ", "    ");
}

/* With a map: whether what is published is true of the original. */
static void print_truth(const lethe_json *metrics)
{
    const lethe_json *truthful = lethe_json_get(metrics, "truthful"),
                     *first = lethe_json_get(metrics, "untruth");
    char n[32];
    if (!truthful) return;
    bool substituted = !lethe_json_bool(truthful) && !first;
    printf("  %-18s %14s\n", "truthful",
           substituted                 ? "in part"
           : lethe_json_bool(truthful) ? "yes"
                                       : "NO");
    if (substituted)
        printf("    %s records are published with substituted terms, as the method's caveats say\n",
               grouped(n, count(metrics, "untruthful_records")));
    if (!first) return;
    printf("    %s records do not match their originals; the first is record %lld, line %lld\n",
           grouped(n, count(metrics, "untruthful_records")), (long long)count(first, "record"),
           (long long)count(first, "line"));
}

static void show(const lethe_json *metrics)
{
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(metrics); i++)
        n += is_compared(lethe_json_at(metrics, i));
    if (n == 0) {
        print_table(metrics);
        return;
    }
    printf("  %-18s %14s %14s   share\n", "", "original", "published");
    for (size_t i = 0; i < lethe_json_count(metrics); i++)
        if (is_compared(lethe_json_at(metrics, i)))
            print_figure(lethe_json_name(metrics, i), lethe_json_at(metrics, i));
    print_counts(metrics);
    print_patterns(metrics);
    print_scale(metrics);
    print_truth(metrics);
}

lethe_err run_measure(const arguments *a)
{
    return run_against(a, NULL, lethe_release_measure, show);
}
