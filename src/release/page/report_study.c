/* SPDX-License-Identifier: Apache-2.0 */
/* report_study.c - several releases of the same data side by side: privacy against utility, one
 * point per method and setting. */
#include "release/page/report_page.h"
#include <math.h>

typedef struct entry {
    const char *method, *setting, *label, *notion, *error, *nothing;
    const char *parameters; /* every option, if `setting` names only those that were varied */
    bool decided, holds;
    double utility, success, baseline, seconds, bytes;
    bool best; /* of those that keep a promise, none has more utility and less success */
    unsigned series;
} entry;

static const char *text_of(lethe_page *p, const lethe_json *object, const char *name)
{
    const lethe_json *v = lethe_json_get(object, name);
    return lethe_json_kind(v) == LETHE_JSON_NULL ? "" : lethe_page_value(p, v);
}

/* "k=5 m=2" */
static const char *brief_parameters(lethe_page *p, const lethe_json *v)
{
    const char *all = "";
    if (lethe_json_kind(v) != LETHE_JSON_OBJECT)
        return lethe_json_kind(v) == LETHE_JSON_NULL ? "" : lethe_page_value(p, v);
    for (size_t i = 0; i < lethe_json_count(v); i++)
        all = lethe_page_format(p, "%s%s%s=%s", all, i ? " " : "",
                                lethe_page_copy(p, lethe_json_name(v, i)),
                                lethe_page_value(p, lethe_json_at(v, i)));
    return all;
}

static entry entry_of(lethe_page *p, const lethe_json *row)
{
    const lethe_json *holds = lethe_json_get(row, "holds");
    entry e = {.method = text_of(p, row, "method"),
               .setting = brief_parameters(p, lethe_json_get(row, "parameters")),
               .parameters = "",
               .notion = text_of(p, row, "notion"),
               .error = text_of(p, row, "error"),
               .nothing = text_of(p, row, "nothing"),
               // of what gave no release nothing is promised
               .decided = lethe_json_kind(holds) == LETHE_JSON_BOOL &&
                          lethe_json_kind(lethe_json_get(row, "error")) != LETHE_JSON_TEXT,
               .holds = lethe_json_bool(holds),
               .utility = lethe_page_member(row, "utility"),
               .success = lethe_page_member(row, "success"),
               .baseline = lethe_page_member(row, "baseline"),
               .seconds = lethe_page_member(row, "seconds"),
               .bytes = lethe_page_member(row, "peak_bytes")};
    size_t n = strlen(e.method);
    e.label = text_of(p, row, "label");
    if (strncmp(e.label, e.method, n) == 0 && (e.label[n] == ' ' || e.label[n] == '\0')) {
        e.parameters = e.setting;
        e.setting = e.label[n] ? e.label + n + 1 : "";
    } else {
        e.label = lethe_page_format(p, "%s%s%s", e.method, e.setting[0] ? " " : "", e.setting);
    }
    return e;
}

static bool is_point(const entry *e) { return !isnan(e->utility) && !isnan(e->success); }

static const char *best_words(lethe_page *p, const entry *at, size_t n)
{
    const char *all = "";
    for (size_t i = 0; i < n; i++)
        if (at[i].best) all = lethe_page_format(p, "%s%s%s", all, all[0] ? "; " : "", at[i].label);
    return all;
}

static void points_plot(lethe_page *p, const entry *at, size_t n, size_t n_points)
{
    static const char *const columns[] = {"Method and setting", "#Utility", "#Adversary succeeds",
                                          NULL};
    lethe_point *points = lethe_new(p->arena, lethe_point, n_points);
    size_t m = 0;
    double most = 0;
    if (!points) {
        p->h.err = LETHE_ENOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_point(&at[i])) continue;
        points[m++] = (lethe_point){.x = at[i].utility,
                                    .y = at[i].success,
                                    .label = at[i].label,
                                    .brief = lethe_page_format(p, "%zu", i + 1),
                                    .series = at[i].series,
                                    .hollow = !at[i].holds};
        most = fmax(most, at[i].success);
    }
    // what differs little should not be drawn on top of each other
    double ticks[LETHE_TICKS_MAX], top = most > 0.5 ? 1 : fmax(most * 1.1, 0.01);
    size_t n_ticks = lethe_ticks_linear(0, top, 5, ticks);
    if (top < 1 && ticks[n_ticks - 1] < top) top = ticks[n_ticks - 1] + ticks[1];
    lethe_axis x = {.label = "utility", .min = 0, .max = 1, .unit = LETHE_UNIT_SHARE},
               y = {.label = "an adversary succeeds",
                    .min = 0,
                    .max = top,
                    .unit = LETHE_UNIT_SHARE};
    const char *
        best = best_words(p, at, n),
       *desc = lethe_page_format(
           p, "%zu runs. Points to the right are more useful, lower points are more private.%s%s%s",
           m, best[0] ? " No other run is better in both than: " : "", best, best[0] ? "." : "");
    lethe_plot plot = lethe_page_figure(p, "Privacy against utility", desc);
    lethe_svg_points(&p->h, &plot, &x, &y, points, m);
    lethe_page_caption(p,
                       lethe_page_format(p,
                                         "%s Each point is a method with a setting, shown by its "
                                         "name or its number in the table; runs with a hollow "
                                         "point do not keep their promise.",
                                         desc));
    lethe_page_table(p, "Utility and privacy", columns);
    for (size_t i = 0; i < n; i++) {
        if (!is_point(&at[i])) continue;
        lethe_page_row(p, at[i].label);
        lethe_page_number(p, at[i].utility, LETHE_UNIT_SHARE);
        lethe_page_number(p, at[i].success, LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* What promises nothing has nothing to keep. */
static bool keeps(const entry *e) { return e->holds && !e->nothing[0]; }

static void entry_row(lethe_page *p, const entry *e, size_t number_of)
{
    lethe_page_row(p, NULL);
    lethe_page_number(p, (double)number_of, LETHE_UNIT_COUNT);
    lethe_html_begin(&p->h, "th");
    lethe_html_attr(&p->h, "scope", "row");
    lethe_html_words(&p->h, e->method);
    lethe_html_end(&p->h);
    lethe_page_cell(p, e->setting);
    lethe_html_begin(&p->h, "td");
    if (e->decided)
        lethe_page_verdict(p, e->holds);
    else
        lethe_html_words(&p->h, "\u2013");
    lethe_html_end(&p->h);
    lethe_page_number(p, e->utility, LETHE_UNIT_SHARE);
    lethe_page_number(p, e->success, LETHE_UNIT_SHARE);
    lethe_page_number(p, e->baseline, LETHE_UNIT_SHARE);
    lethe_page_number(p, isnan(e->seconds) ? NAN : round(e->seconds * 100) / 100, LETHE_UNIT_COUNT);
    lethe_page_number(p, isnan(e->bytes) ? NAN : round(e->bytes / 1048576), LETHE_UNIT_COUNT);
    lethe_html_begin(&p->h, "td");
    lethe_html_leaf(&p->h, "code", NULL, e->notion);
    lethe_html_end(&p->h);
    lethe_page_cell(p, e->error[0]     ? e->error
                       : e->nothing[0] ? e->nothing
                       : e->best       ? "none is better in both"
                                       : "");
    lethe_page_row_end(p);
}

/* Every option of each run whose setting names only those that were varied. */
static void options_table(lethe_page *p, const entry *at, size_t n)
{
    static const char *const columns[] = {"Run", "All options", NULL};
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!at[i].parameters[0]) continue;
        if (!any) lethe_page_table(p, "Options of the runs", columns);
        any = true;
        lethe_page_row(p, at[i].label);
        lethe_page_cell(p, at[i].parameters);
        lethe_page_row_end(p);
    }
    if (any) lethe_page_table_end(p);
}

static void meanings(lethe_page *p, const lethe_json *study)
{
    const char *utility = text_of(p, study, "utility_meaning"),
               *success = text_of(p, study, "success_meaning"),
               *varied = text_of(p, study, "varied");
    if (varied[0])
        lethe_html_leaf(&p->h, "p", "formal", lethe_page_format(p, "Varied: %s.", varied));
    if (utility[0])
        lethe_html_leaf(&p->h, "p", "formal", lethe_page_format(p, "Utility: %s.", utility));
    if (success[0])
        lethe_html_leaf(&p->h, "p", "formal",
                        lethe_page_format(p, "An adversary succeeds: %s.", success));
}

lethe_err lethe_page_study(lethe_page *p)
{
    const lethe_json *rows = lethe_json_get(p->in->study, "rows");
    size_t n = lethe_json_count(rows), n_points = 0, n_hold = 0, n_errors = 0;
    entry *at = lethe_new(p->arena, entry, n + 1);
    if (!at) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        at[i] = entry_of(p, lethe_json_at(rows, i));
        n_points += is_point(&at[i]);
        n_hold += keeps(&at[i]);
        n_errors += at[i].error[0] != '\0';
    }
    for (size_t i = 0; i < n; i++) {
        at[i].best = is_point(&at[i]) && keeps(&at[i]);
        for (size_t j = 0; j < n && at[i].best; j++) {
            if (!is_point(&at[j]) || !keeps(&at[j])) continue;
            bool no_worse = at[j].utility >= at[i].utility && at[j].success <= at[i].success;
            bool better = at[j].utility > at[i].utility || at[j].success < at[i].success;
            at[i].best = !(no_worse && better);
        }
    }
    // a method is a series, numbered as they come.
    unsigned next = 0;
    for (size_t i = 0; i < n; i++) {
        at[i].series = next;
        for (size_t j = 0; j < i; j++)
            if (strcmp(at[i].method, at[j].method) == 0) at[i].series = at[j].series;
        next += at[i].series == next;
    }
    lethe_page_section(p, "study", "The methods compared");
    lethe_page_say(p, "%zu runs: %zu keep their promise, %zu made no release.", n, n_hold,
                   n_errors);
    if (n_points > 0) points_plot(p, at, n, n_points);
    meanings(p, p->in->study);
    if (n > 0) {
        static const char *const columns[] = {
            "#Number",   "Method",   "Setting", "Promise", "#Utility", "#Adversary succeeds",
            "#Baseline", "#Seconds", "#MiB",    "Notion",  "Remark",   NULL};
        lethe_page_table(p, "All runs", columns);
        for (size_t i = 0; i < n; i++)
            entry_row(p, &at[i], i + 1);
        lethe_page_table_end(p);
        options_table(p, at, n);
    }
    lethe_html_end(&p->h);
    return LETHE_OK;
}
