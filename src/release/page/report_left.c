/* SPDX-License-Identifier: Apache-2.0 */
/* report_left.c - what is left: beside the original, how many of its queries, clicks and terms;
 * else what became of the lines.  Published is what is in the file: a record without items is not.
 */
#include "measure/kept.h"
#include "release/page/report_page.h"
#include <math.h>

/* --- beside the original --- */

/* What people count first, in this order; `of`: a figure that is a share already. */
static const struct {
    const char *name, *label, *meaning;
} kinds[] = {
    {"rows", "rows", "lines of the log"},
    {"users", "users", "published users of all users"},
    {"queries", "queries", "queries, several clicks of one counted once"},
    {"clicks", "clicks", "rows with a clicked result"},
    {"records", "records", "records with at least one item"},
    {"items", "items", "items of records, general ones too"},
    {"terms", "terms", "terms of all queries, general or replaced ones too"},
    {"terms_kept", "terms as typed", "terms that are published exactly as the person typed them"},
};

/* The counts of a kind; a figure that is a share alone has a count of 1 before. */
static bool left_of(const lethe_page *p, const lethe_json *metrics, size_t kind, double *before,
                    double *after)
{
    const lethe_json *v = lethe_json_get(metrics, kinds[kind].name);
    if (lethe_page_is_number(v)) {
        *before = 1;
        *after = lethe_json_real(v);
        return true;
    }
    *before = lethe_page_member(v, "original");
    *after = lethe_page_member(v, "published");
    if (strcmp(kinds[kind].name, "records") == 0) *after -= (double)p->survival.empty;
    return *before > 0 && *after >= 0;
}

static void shares_plot(lethe_page *p, const lethe_json *metrics)
{
    static const char *const columns[] = {"Of the", "#Original", "#Published",
                                          "#Share", "Meaning",   NULL};
    lethe_bar bars[LETHE_COUNT(kinds)];
    double before, after;
    size_t n = 0;
    for (size_t i = 0; i < LETHE_COUNT(kinds); i++)
        if (left_of(p, metrics, i, &before, &after))
            bars[n++] = (lethe_bar){.label = kinds[i].label, .value = after / before};
    if (n == 0) return;
    const char *desc = "The share of the original that is in the published file.";
    lethe_plot plot = lethe_page_figure(p, "What is left of the original", desc);
    lethe_svg_bars(&p->h, &plot, bars, n, LETHE_UNIT_SHARE);
    lethe_page_caption(p, desc);
    lethe_page_table(p, "The original and the release", columns);
    for (size_t i = 0; i < LETHE_COUNT(kinds); i++) {
        if (!left_of(p, metrics, i, &before, &after)) continue;
        bool counted = !lethe_page_is_number(lethe_json_get(metrics, kinds[i].name));
        lethe_page_row(p, kinds[i].label);
        lethe_page_number(p, counted ? before : NAN, LETHE_UNIT_COUNT);
        lethe_page_number(p, counted ? after : NAN, LETHE_UNIT_COUNT);
        lethe_page_number(p, after / before, LETHE_UNIT_SHARE);
        lethe_page_cell(p, kinds[i].meaning);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* --- by the manifest --- */

static void kept_plot(lethe_page *p, const lethe_json *kept)
{
    static const char *const columns[] = {"Of the", "#Share", NULL};
    lethe_bar bars[LETHE_KEPT_MAX];
    size_t n = 0;
    for (const lethe_kept *k = lethe_kept_table(); k->name; k++)
        if (lethe_json_get(kept, k->name) && !k->is_error)
            bars[n++] = (lethe_bar){.label = k->label,
                                    .value = lethe_json_real(lethe_json_get(kept, k->name))};
    const char *desc = "The share of the original that is left, as its publisher measured it.";
    lethe_plot plot = lethe_page_figure(p, "What is left of the original", desc);
    lethe_svg_bars(&p->h, &plot, bars, n, LETHE_UNIT_SHARE);
    lethe_page_caption(p, desc);
    lethe_page_table(p, "What is left of the original", columns);
    for (const lethe_kept *k = lethe_kept_table(); k->name; k++) {
        if (!lethe_json_get(kept, k->name)) continue;
        lethe_page_row(p, k->label);
        lethe_page_number(p, lethe_json_real(lethe_json_get(kept, k->name)), LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

static void counts_plot(lethe_page *p, const lethe_json *counts)
{
    static const char *const names[] = {"read", "published", "suppressed", "rejected"};
    static const char *const meanings[] = {
        "lines of the input", "lines that are part of the release",
        "lines left out to keep the promise, or without a query", "lines that could not be parsed"};
    static const char *const columns[] = {"Lines", "#Number", "#Share", "Meaning", NULL};
    lethe_bar bars[LETHE_COUNT(names)];
    char shown[40], of[40], part[40];
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        bars[i] = (lethe_bar){.label = names[i],
                              .value = lethe_json_real(lethe_json_get(counts, names[i])),
                              .series = i == 1   ? 0
                                        : i == 0 ? 2
                                                 : 1};
    double read = bars[0].value;
    const char *desc = lethe_page_format(
        p, "Of %s lines that were read, %s are published: %s.",
        lethe_number_show(of, read, LETHE_UNIT_COUNT),
        lethe_number_show(shown, bars[1].value, LETHE_UNIT_COUNT),
        lethe_number_show(part, read > 0 ? bars[1].value / read : 0, LETHE_UNIT_SHARE));
    lethe_plot plot = lethe_page_figure(p, "Lines read, by what became of them", desc);
    lethe_svg_bars(&p->h, &plot, bars, LETHE_COUNT(bars), LETHE_UNIT_COUNT);
    lethe_page_caption(p, lethe_page_format(p, "%s Each line is counted once.", desc));
    double rows = (double)p->survival.rows[0];
    if (p->in->shape == LETHE_SHAPE_LOG && p->in->dirfd >= 0 && rows > bars[1].value)
        lethe_page_paragraph(p,
                             lethe_page_format(p,
                                               "The file has %s rows: a line can stand in the "
                                               "lists of several users.",
                                               lethe_number_show(shown, rows, LETHE_UNIT_COUNT)));
    lethe_page_table(p, "Lines by what became of them", columns);
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        lethe_page_row(p, names[i]);
        lethe_page_number(p, bars[i].value, LETHE_UNIT_COUNT);
        lethe_page_number(p, read > 0 ? bars[i].value / read : NAN, LETHE_UNIT_SHARE);
        lethe_page_cell(p, meanings[i]);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

void lethe_page_left(lethe_page *p)
{
    const lethe_json *counts = lethe_json_get(p->in->manifest, "counts");
    lethe_page_section(p, "left", "What is left");
    const lethe_json *kept = lethe_json_get(p->in->manifest, "kept");
    if (p->in->measure && p->in->shape != LETHE_SHAPE_TABLE)
        shares_plot(p, lethe_json_get(p->in->measure, "metrics"));
    else if (kept)
        kept_plot(p, kept);
    if (lethe_json_kind(counts) == LETHE_JSON_OBJECT)
        counts_plot(p, counts);
    else
        lethe_page_paragraph(p, "The release does not say.");
    if (p->survival.empty > 0) {
        char a[40], b[40];
        lethe_page_say(p,
                       "%s of %s records are empty: nothing of them is published, although their "
                       "lines count as published above.",
                       lethe_number_show(a, (double)p->survival.empty, LETHE_UNIT_COUNT),
                       lethe_number_show(b, (double)p->survival.rows[0], LETHE_UNIT_COUNT));
    }
    lethe_html_end(&p->h);
}
