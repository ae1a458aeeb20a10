/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - how much of the original is left in a release. */
#include "cli.h"

static bool is_single(const lethe_json *v)
{
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL || kind == LETHE_JSON_BOOL;
}

/* Does the figure have a value for both, original and published? */
static bool is_compared(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_OBJECT && is_single(lethe_json_get(v, "original"));
}

static bool has_shape(unsigned shapes, lethe_str name)
{
    for (unsigned shape = 1; lethe_shape_name(shape); shape <<= 1)
        if ((shapes & shape) && strlen(lethe_shape_name(shape)) == name.n &&
            memcmp(lethe_shape_name(shape), name.at, name.n) == 0)
            return true;
    return false;
}

enum { LABEL_WIDTH = 34 };

static void print_compared(const lethe_figure *f, const lethe_json *v)
{
    char x[32], y[32], label[LABEL_BYTES];
    printf("  %-*s %12s %12s", LABEL_WIDTH, figure_label(f, label),
           grouped(x, count(v, "original")), grouped(y, count(v, "published")));
    if (lethe_json_get(v, "share")) printf("  %5.1f %%", 100 * figure(v, "share"));
    putchar('\n');
}

/* A report also has what the manifest says, where nothing was measured without a map. */
static bool is_measured(const lethe_figure *f, const lethe_json *metrics)
{
    return strncmp(f->meaning, "with --map", 10) != 0 || lethe_json_get(metrics, "truthful");
}

/* Of those that the release's shape has: those with a value for original and release both, or
 * single ones. */
static void print_figures(const lethe_json *report, bool compared, bool explain)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    lethe_str shape = lethe_json_text(lethe_json_get(report, "shape"));
    const lethe_figure *figures;
    unsigned shapes;
    for (size_t i = 0; (figures = lethe_measure_figures(i, &shapes)); i++) {
        if (!has_shape(shapes, shape)) continue;
        for (const lethe_figure *f = figures; f->name; f++) {
            const lethe_json *v = lethe_json_get(metrics, f->name);
            if (!(compared ? is_compared(v) : is_single(v)) || !is_measured(f, metrics) ||
                (f->detail && !explain))
                continue;
            if (compared)
                print_compared(f, v);
            else
                print_figure(stdout, LABEL_WIDTH, f, v);
            if (explain) print_figure_meaning(stdout, f);
        }
    }
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
    printf("\n  %-34s %12s %12s\n", "finding a row", "original", "published");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("  %-34s %10.1f %% %10.1f %%\n", rows[i].text, 100 * figure(before, rows[i].name),
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
        printf("  %-34s %10.1f %%\n", safe(shown, lethe_json_text(lethe_json_get(c, "column"))),
               100 * lethe_json_real(loss));
    }
}

/* What of a table is neither compared nor single. */
static void print_table(const lethe_json *metrics, bool explain)
{
    const lethe_json *size = lethe_json_get(metrics, "group_size"),
                     *left_out = lethe_json_get(metrics, "left_out");
    if (size)
        printf("  %-*s  %.1f rows on average, %lld to %lld\n", LABEL_WIDTH, "size of groups",
               figure(size, "mean"), (long long)count(size, "min"), (long long)count(size, "max"));
    print_risk(metrics);
    if (explain) print_columns(metrics);
    if (lethe_json_count(left_out) > 0) puts("\n  left out");
    for (size_t i = 0; i < lethe_json_count(left_out); i++)
        print_folded(stdout, lethe_json_text(lethe_json_at(left_out, i)), "  - ", "    ");
}

/* Records that are not what their originals were. */
static void print_untruth(const lethe_json *metrics)
{
    const lethe_json *truthful = lethe_json_get(metrics, "truthful"),
                     *first = lethe_json_get(metrics, "untruth");
    if (first)
        printf("  the first that is not true of its original is record %lld, line %lld\n",
               (long long)count(first, "record"), (long long)count(first, "line"));
    else if (lethe_json_kind(truthful) == LETHE_JSON_BOOL && !lethe_json_bool(truthful))
        puts("  records are published with substituted terms, as the method's caveats say");
}

static void show(const lethe_json *report, bool explain)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    if (!lethe_json_get(metrics, "group_size"))
        printf("  %-*s %12s %12s   share\n", LABEL_WIDTH, "", "original", "published");
    print_figures(report, true, explain);
    print_figures(report, false, explain);
    print_table(metrics, explain);
    print_untruth(metrics);
}

lethe_err run_measure(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    if (e == LETHE_OK && report) show(report, wants_all(a));
    lethe_json_doc_free(doc);
    return e;
}
