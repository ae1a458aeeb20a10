/* SPDX-License-Identifier: Apache-2.0 */
/* report_table.c - a published table beside its original: what each column lost, how large groups
 * are, how likely a row is to be found, and how many rows have each value. */
#include "release/page/report_page.h"
#include <math.h>

enum {
    VALUES_LISTED = 5, /* of a column */
    NAME_MAX_CHARS = 30
};

static const char *shown(lethe_page *p, double x, lethe_unit unit)
{
    char text[40];
    return lethe_page_format(p, "%s", isfinite(x) ? lethe_number_show(text, x, unit) : "\u2013");
}

static const char *share_of(lethe_page *p, const lethe_json *object, const char *name)
{
    return shown(p, lethe_page_member(object, name), LETHE_UNIT_SHARE);
}

static const char *count_of(lethe_page *p, const lethe_json *object, const char *name)
{
    return shown(p, lethe_page_member(object, name), LETHE_UNIT_COUNT);
}

/* A name that fits into a plot. */
static const char *short_name(lethe_page *p, lethe_str s)
{
    size_t n = 0, chars = 0;
    while (n < s.n && chars < NAME_MAX_CHARS) {
        n++;
        while (n < s.n && ((unsigned char)s.at[n] & 0xC0) == 0x80)
            n++;
        chars++;
    }
    const char *text = lethe_page_copy(p, (lethe_str){s.at, n});
    return n < s.n ? lethe_page_format(p, "%s\u2026", text) : text;
}

static lethe_bar *bars_new(lethe_page *p, size_t n)
{
    lethe_bar *bars = lethe_new(p->arena, lethe_bar, n + 1);
    if (!bars) p->h.err = LETHE_ENOMEM;
    return bars;
}

/* --- the answer in a few numbers --- */

static void fact(lethe_page *p, const char *value, const char *text)
{
    lethe_html_begin(&p->h, "li");
    lethe_html_leaf(&p->h, "strong", NULL, value);
    lethe_html_leaf(&p->h, "span", NULL, text);
    lethe_html_end(&p->h);
}

static void rows_fact(lethe_page *p, double published, double all)
{
    fact(p, shown(p, published, LETHE_UNIT_COUNT),
         lethe_page_format(p, "of %s rows are published", shown(p, all, LETHE_UNIT_COUNT)));
}

void lethe_page_table_promised(lethe_page *p)
{
    const lethe_json *claims = lethe_json_get(p->in->manifest, "claims"),
                     *counts = lethe_json_get(p->in->manifest, "counts"),
                     *metrics = lethe_json_get(p->in->manifest, "metrics");
    double published = lethe_page_member(counts, "published"),
           read = lethe_page_member(counts, "read"), k = NAN;
    const lethe_json *diverse = NULL, *limited = NULL; // the first claim of each
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        lethe_str notion = lethe_json_text(lethe_json_get(claim, "notion"));
        if (lethe_str_eq(notion, LETHE_LIT("k-anonymity"))) k = lethe_page_member(claim, "k");
        if (lethe_str_eq(notion, LETHE_LIT("distinct-l")) && !diverse) diverse = claim;
        if (lethe_str_eq(notion, LETHE_LIT("l-plus-diversity")) && !limited) limited = claim;
    }
    lethe_html_begin(&p->h, "ul");
    lethe_html_attr(&p->h, "class", "facts");
    if (lethe_json_get(metrics, "loss"))
        fact(p, share_of(p, metrics, "loss"), "of the detail in the quasi-identifiers is lost");
    rows_fact(p, published, read);
    if (k >= 1) {
        fact(p, lethe_page_format(p, "%s rows", shown(p, k, LETHE_UNIT_COUNT)),
             "at least look alike");
        fact(p, shown(p, 1 / k, LETHE_UNIT_SHARE),
             "is the highest chance to find the row of a person who has one row");
    }
    if (limited && lethe_json_get(limited, "theta"))
        fact(p, lethe_page_value(p, lethe_json_get(limited, "theta")),
             lethe_page_format(p, "of a group at most share a value of %s",
                               lethe_page_value(p, lethe_json_get(limited, "sa"))));
    if (diverse)
        fact(p, lethe_page_format(p, "%s values", count_of(p, diverse, "l")),
             lethe_page_format(p, "of %s at least are in every group",
                               lethe_page_value(p, lethe_json_get(diverse, "sa"))));
    lethe_html_end(&p->h);
}

void lethe_page_table_facts(lethe_page *p)
{
    const lethe_json *m = lethe_json_get(p->in->measure, "metrics"),
                     *size = lethe_json_get(m, "group_size"),
                     *before = lethe_json_get(m, "risk_before"),
                     *after = lethe_json_get(m, "risk_after"),
                     *guess = lethe_json_get(lethe_json_get(p->in->attack, "metrics"), "linking");
    double published = lethe_page_member(m, "rows_published"),
           deleted = lethe_page_member(m, "rows_deleted");
    if (!before || !after || !size) return;
    lethe_html_begin(&p->h, "ul");
    lethe_html_attr(&p->h, "class", "facts");
    fact(p, share_of(p, m, "loss"), "of the detail in the quasi-identifiers is lost");
    rows_fact(p, published, published + deleted);
    fact(p, lethe_page_format(p, "%s rows", count_of(p, size, "min")),
         lethe_page_format(
             p, "at least look alike; %s on average",
             shown(p, round(10 * lethe_page_member(size, "mean")) / 10, LETHE_UNIT_COUNT)));
    fact(p, share_of(p, after, "highest"),
         lethe_page_format(p, "is the highest chance to find a person's row (%s in the original)",
                           share_of(p, before, "highest")));
    if (lethe_json_get(guess, "revealed")) // there is a sensitive column
        fact(p, share_of(p, guess, "success"),
             lethe_page_format(p,
                               "of the sensitive values are guessed right (%s from the original, "
                               "%s by always guessing the commonest)",
                               share_of(p, guess, "before"), share_of(p, guess, "commonest")));
    lethe_html_end(&p->h);
}

/* --- loss --- */

static void loss_show(lethe_page *p, const lethe_json *m)
{
    static const char *const table[] = {"Column", "#Loss", NULL};
    const lethe_json *columns = lethe_json_get(m, "columns");
    size_t n = 0;
    lethe_bar *bars = bars_new(p, lethe_json_count(columns));
    if (!bars) return;
    for (size_t i = 0; i < lethe_json_count(columns); i++) {
        const lethe_json *c = lethe_json_at(columns, i);
        if (!lethe_json_get(c, "loss")) continue;
        bars[n++] =
            (lethe_bar){.label = short_name(p, lethe_json_text(lethe_json_get(c, "column"))),
                        .value = lethe_page_member(c, "loss")};
    }
    if (n == 0) return;
    lethe_html_leaf(&p->h, "h3", NULL, "What was lost");
    const char *desc = lethe_page_format(
        p,
        "Altogether %s is lost: 0 %% would be the original, 100 %% nothing but stars. A cell "
        "that is published as it was loses nothing, one that may be anything loses all, and a "
        "deleted row loses all of its cells (NCP).",
        share_of(p, m, "loss"));
    lethe_plot plot = lethe_page_figure(p, "Loss by column", desc);
    lethe_svg_bars(&p->h, &plot, bars, n, LETHE_UNIT_SHARE);
    lethe_page_caption(p, desc);
    lethe_page_table(p, "Loss by column", table);
    for (size_t i = 0; i < n; i++) {
        lethe_page_row(p, bars[i].label);
        lethe_page_number(p, bars[i].value, LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* --- groups --- */

static const char *size_name(lethe_page *p, double from, double to)
{
    const char *low = shown(p, from, LETHE_UNIT_COUNT);
    if (isnan(to)) return lethe_page_format(p, "%s and more", low);
    return to > from ? lethe_page_format(p, "%s\u2013%s", low, shown(p, to, LETHE_UNIT_COUNT))
                     : low;
}

/* Bars of fewer sizes than the table has: these begin one. */
static bool begins_bar(double from)
{
    static const double begin[] = {1, 2, 5, 10, 20, 50, 100, 1000};
    for (size_t i = 0; i < LETHE_COUNT(begin); i++)
        if (fabs(from - begin[i]) < 0.5) return true;
    return false;
}

static size_t sizes_draw(lethe_page *p, const lethe_json *sizes, lethe_bar *bars)
{
    size_t count = lethe_json_count(sizes), n = 0, next;
    double before = 0, after = 0;
    for (size_t i = 0; i < count; i++) {
        before += lethe_page_member(lethe_json_at(sizes, i), "rows_before");
        after += lethe_page_member(lethe_json_at(sizes, i), "rows");
    }
    for (size_t i = 0; i < count; i = next) {
        double from = lethe_page_member(lethe_json_at(sizes, i), "from"), to = NAN, was = 0, is = 0;
        for (next = i; next < count; next++) {
            const lethe_json *s = lethe_json_at(sizes, next);
            if (next > i && begins_bar(lethe_page_member(s, "from"))) break;
            was += lethe_page_member(s, "rows_before");
            is += lethe_page_member(s, "rows");
            to = lethe_page_member(s, "to");
        }
        if (was <= 0 && is <= 0) continue;
        bars[n++] = (lethe_bar){.group = lethe_page_format(p, "%s %s", size_name(p, from, to),
                                                           i == 0 ? "row: unique" : "rows"),
                                .label = "original",
                                .value = before > 0 ? was / before : 0,
                                .series = 1};
        bars[n++] = (lethe_bar){.label = "release", .value = after > 0 ? is / after : 0};
    }
    return n;
}

static void sizes_show(lethe_page *p, const lethe_json *m)
{
    static const char *const table[] = {"Size of the group", "#Rows of the original",
                                        "#Published rows", "#Published groups", NULL};
    const lethe_json *sizes = lethe_json_get(m, "group_sizes"),
                     *spread = lethe_json_get(m, "group_size");
    size_t count = lethe_json_count(sizes);
    lethe_bar *bars = bars_new(p, 2 * count);
    if (!bars || count == 0) return;
    size_t n = sizes_draw(p, sizes, bars);
    lethe_html_leaf(&p->h, "h3", NULL, "How many rows look alike");
    double over = lethe_page_member(m, "group_size_over_k");
    const char *k = isfinite(over)
                        ? lethe_page_format(p, ", %s times the k that is promised",
                                            shown(p, round(100 * over) / 100, LETHE_UNIT_COUNT))
                        : "";
    const char *desc = lethe_page_format(
        p,
        "Rows with equal quasi-identifiers form a group. The release has %s, of %s to %s rows, %s "
        "on average%s. The plot shows the share of rows in groups of each size. DM, the sum of the "
        "sizes of all rows' groups, is %s.",
        lethe_page_member(m, "groups") == 1
            ? "one group"
            : lethe_page_format(p, "%s groups", count_of(p, m, "groups")),
        count_of(p, spread, "min"), count_of(p, spread, "max"),
        shown(p, round(10 * lethe_page_member(spread, "mean")) / 10, LETHE_UNIT_COUNT), k,
        count_of(p, m, "dm"));
    lethe_plot plot = lethe_page_figure(p, "Rows by the size of their group", desc);
    lethe_svg_bars(&p->h, &plot, bars, n, LETHE_UNIT_SHARE);
    lethe_page_caption(p, desc);
    lethe_page_table(p, "Rows by the size of their group", table);
    for (size_t i = 0; i < count; i++) {
        const lethe_json *s = lethe_json_at(sizes, i);
        lethe_page_row(p, size_name(p, lethe_page_member(s, "from"), lethe_page_member(s, "to")));
        lethe_page_number(p, lethe_page_member(s, "rows_before"), LETHE_UNIT_COUNT);
        lethe_page_number(p, lethe_page_member(s, "rows"), LETHE_UNIT_COUNT);
        lethe_page_number(p, lethe_page_member(s, "groups"), LETHE_UNIT_COUNT);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* --- risk --- */

static bool has_overlap(const lethe_page *p)
{
    const lethe_json *claims = lethe_json_get(p->in->manifest, "claims");
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        if (lethe_json_get(lethe_json_at(claims, i), "groups")) return true;
    return false;
}

static void risk_show(lethe_page *p, const lethe_json *m)
{
    static const struct {
        const char *name, *text, *meaning;
    } rows[] = {
        {"highest", "highest risk", "of the row that is found most easily"},
        {"mean", "risk on average",
         "also the share of rows that would be found if everybody was looked for (marketer)"},
        {"above_fifth", "rows with a risk above 20 %", "rows in groups of fewer than five"},
        {"unique", "unique rows", "rows with a risk of 100 %"}};
    static const char *const table[] = {"Risk", "#Original", "#Release", "Meaning", NULL};
    const lethe_json *before = lethe_json_get(m, "risk_before"),
                     *after = lethe_json_get(m, "risk_after");
    lethe_bar bars[2 * LETHE_COUNT(rows)];
    if (!before || !after) return;
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        bars[2 * i] = (lethe_bar){.group = rows[i].text,
                                  .label = "original",
                                  .value = lethe_page_member(before, rows[i].name),
                                  .series = 1};
        bars[2 * i + 1] =
            (lethe_bar){.label = "release", .value = lethe_page_member(after, rows[i].name)};
    }
    lethe_html_leaf(&p->h, "h3", NULL, "How likely a row is to be found");
    const char *desc = lethe_page_format(
        p,
        "Somebody knows all quasi-identifiers of a person, and that the person is in the data "
        "(prosecutor). One divided by the number of rows that fit is the chance to pick the right "
        "one: on average %s in the original, and %s in the release.%s",
        share_of(p, before, "mean"), share_of(p, after, "mean"),
        has_overlap(p)
            ? " Groups of this release overlap: a person may fit several, and to anyone who "
              "does not know everybody else the chance is lower than shown."
            : "");
    lethe_plot plot = lethe_page_figure(p, "Risk before and after", desc);
    lethe_svg_bars(&p->h, &plot, bars, LETHE_COUNT(bars), LETHE_UNIT_SHARE);
    lethe_page_caption(p, desc);
    lethe_page_table(p, "Risk before and after", table);
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        lethe_page_row(p, rows[i].text);
        lethe_page_number(p, bars[2 * i].value, LETHE_UNIT_SHARE);
        lethe_page_number(p, bars[2 * i + 1].value, LETHE_UNIT_SHARE);
        lethe_page_cell(p, rows[i].meaning);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* --- values --- */

static bool any_has(const lethe_json *values, const char *name)
{
    for (size_t i = 0; i < lethe_json_count(values); i++)
        if (lethe_json_get(lethe_json_at(values, i), name)) return true;
    return false;
}

/* Is it the value that all rows are under, which tells nothing? */
static bool is_all(const lethe_json *v, const lethe_json *values, double rows)
{
    return lethe_json_count(values) > 1 && lethe_page_member(v, "original") >= rows &&
           lethe_page_member(v, "published") >= rows;
}

/* A row of a heading alone, as wide as the table. */
static void heading_row(lethe_page *p, const char *name, bool perhaps)
{
    lethe_html_begin(&p->h, "tr");
    lethe_html_begin(&p->h, "th");
    lethe_html_attr(&p->h, "scope", "rowgroup");
    lethe_html_attr(&p->h, "colspan", perhaps ? "4" : "3");
    lethe_html_words(&p->h, name);
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
}

static void value_row(lethe_page *p, const lethe_json *v, bool perhaps)
{
    double more = lethe_page_member(v, "original_perhaps"),
           least = lethe_page_member(v, "original");
    lethe_page_row(p, NULL);
    lethe_html_begin(&p->h, "td");
    lethe_html_attr(&p->h, "class", "value");
    lethe_html_begin(&p->h, "bdi");
    lethe_html_cut(&p->h, lethe_json_text(lethe_json_get(v, "value")), NAME_MAX_CHARS);
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
    if (isfinite(more))
        lethe_html_leaf(&p->h, "td", "n",
                        lethe_page_format(p, "%s to %s", shown(p, least, LETHE_UNIT_COUNT),
                                          shown(p, least + more, LETHE_UNIT_COUNT)));
    else
        lethe_page_number(p, least, LETHE_UNIT_COUNT);
    lethe_page_number(p, lethe_page_member(v, "published"), LETHE_UNIT_COUNT);
    if (perhaps) lethe_page_number(p, fmax(lethe_page_member(v, "perhaps"), 0), LETHE_UNIT_COUNT);
    lethe_page_row_end(p);
}

/* The most frequent values of a column. */
static void column_show(lethe_page *p, const lethe_json *c, double rows, bool perhaps)
{
    const lethe_json *values = lethe_json_get(c, "values");
    size_t n = lethe_json_count(values), listed = 0, all = 0;
    double left = lethe_page_member(c, "values_left_out");
    const char *name = short_name(p, lethe_json_text(lethe_json_get(c, "column"))),
               *role = lethe_page_value(p, lethe_json_get(c, "role"));
    if (n > 0)
        heading_row(p,
                    strcmp(role, "quasi-identifier") == 0
                        ? name
                        : lethe_page_format(p, "%s (%s)", name, role),
                    perhaps);
    for (size_t i = 0; i < n && listed < VALUES_LISTED; i++) {
        const lethe_json *v = lethe_json_at(values, i);
        bool is_root = is_all(v, values, rows);
        all += is_root;
        if (is_root) continue;
        value_row(p, v, perhaps);
        listed++;
    }
    double hidden = (double)(n - listed - all) + (isfinite(left) ? left : 0);
    if (hidden < 1) return;
    lethe_page_row(p, NULL);
    lethe_html_leaf(&p->h, "td", "value none",
                    lethe_page_format(p, "%s more", shown(p, hidden, LETHE_UNIT_COUNT)));
    for (int i = 0; i < 2 + perhaps; i++)
        lethe_page_cell(p, "");
    lethe_page_row_end(p);
}

static void columns_show(lethe_page *p, const lethe_json *m)
{
    static const char *const plain[] = {"Value", "#Original", "#Release", NULL};
    static const char *const over[] = {"Value", "#Original", "#Release", "#Perhaps", NULL};
    const lethe_json *columns = lethe_json_get(m, "columns");
    double rows = lethe_page_member(m, "rows_published") + lethe_page_member(m, "rows_deleted");
    bool perhaps = false;
    if (lethe_json_count(columns) == 0) return;
    for (size_t i = 0; i < lethe_json_count(columns); i++)
        perhaps =
            perhaps || any_has(lethe_json_get(lethe_json_at(columns, i), "values"), "perhaps");
    lethe_html_leaf(&p->h, "h3", NULL, "Values before and after");
    lethe_page_say(p,
                   "For the most frequent published values: how many rows of the original fall "
                   "under them, and how many published rows have them or a more exact value.%s "
                   "(lethe measure --json lists more.)",
                   perhaps
                       ? " \u201cPerhaps\u201d are published rows with a more general value or a "
                         "wider range, which may belong there too."
                       : "");
    lethe_page_table(p, "Rows by value", perhaps ? over : plain);
    for (size_t i = 0; i < lethe_json_count(columns); i++)
        column_show(p, lethe_json_at(columns, i), rows, perhaps);
    lethe_page_table_end(p);
}

/* --- the rest --- */

static void classifier_show(lethe_page *p, const lethe_json *m)
{
    lethe_html_leaf(&p->h, "h3", NULL, "What a classifier still learns");
    if (!lethe_page_is_number(lethe_json_get(m, "class_error"))) {
        lethe_page_paragraph(p,
                             "Not measured: it needs a class (--class, when the release is made) "
                             "and a kept column that says which rows to learn from "
                             "(--train-column).");
        return;
    }
    lethe_page_say(p,
                   "A decision tree that learned from published rows is wrong about %s of the "
                   "others. One that learned from the original is wrong about %s, and always "
                   "guessing the most frequent class about %s.",
                   share_of(p, m, "class_error"), share_of(p, m, "class_error_original"),
                   share_of(p, m, "class_baseline"));
}

static void left_out_show(lethe_page *p, const lethe_json *m)
{
    const lethe_json *left_out = lethe_json_get(m, "left_out");
    if (lethe_json_count(left_out) == 0) return;
    lethe_html_leaf(&p->h, "h3", NULL, "What could not be computed");
    lethe_html_begin(&p->h, "ul");
    for (size_t i = 0; i < lethe_json_count(left_out); i++)
        lethe_html_leaf(&p->h, "li", NULL,
                        lethe_page_sentence(p, lethe_page_value(p, lethe_json_at(left_out, i))));
    lethe_html_end(&p->h);
}

void lethe_page_table_measures(lethe_page *p, const lethe_json *metrics)
{
    loss_show(p, metrics);
    sizes_show(p, metrics);
    risk_show(p, metrics);
    columns_show(p, metrics);
    classifier_show(p, metrics);
    left_out_show(p, metrics);
}
