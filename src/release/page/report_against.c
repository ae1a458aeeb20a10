/* SPDX-License-Identifier: Apache-2.0 */
/* report_against.c - a release beside its original: what is left of it, and what an adversary can
 * still do.  Only shares and counts are shown, never what they were counted from. */
#include "release/page/report_page.h"
#include <math.h>

static bool is_number(const lethe_json *v)
{
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL;
}

static double number(const lethe_json *object, const char *name)
{
    const lethe_json *v = lethe_json_get(object, name);
    return is_number(v) ? lethe_json_real(v) : NAN;
}

/* --- measures --- */

static const lethe_figure *measured(lethe_shape shape, const char *name)
{
    for (const lethe_measure *const *m = lethe_measures(); *m; m++) {
        if (!((*m)->shapes & shape)) continue;
        for (const lethe_figure *f = (*m)->figures; f && f->name; f++)
            if (strcmp(f->name, name) == 0) return f;
    }
    return NULL;
}

/* Original, published, and their share. */
static bool is_compared(const lethe_json *v)
{
    return is_number(lethe_json_get(v, "original")) && is_number(lethe_json_get(v, "published"));
}

static void shares_show(lethe_page *p, const lethe_json *metrics)
{
    static const char *const columns[] = {"Of the", "#Original", "#Published",
                                          "#Share", "Meaning",   NULL};
    lethe_page_table(p, "The original and the release", columns);
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        if (!is_compared(v)) continue;
        const char *name = lethe_page_copy(p, lethe_json_name(metrics, i));
        const lethe_figure *f = measured(p->in->shape, name);
        lethe_page_row(p, name);
        lethe_page_number(p, number(v, "original"), LETHE_UNIT_COUNT);
        lethe_page_number(p, number(v, "published"), LETHE_UNIT_COUNT);
        lethe_page_number(p, number(v, "share"), LETHE_UNIT_SHARE);
        lethe_page_cell(p, f ? f->meaning : "");
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
}

/* Figures of the measures that are single numbers, or yes and no. */
static void singles_show(lethe_page *p, const lethe_json *metrics)
{
    static const char *const columns[] = {"Figure", "#Value", "Meaning", NULL};
    bool any = false;
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        const char *name = lethe_page_copy(p, lethe_json_name(metrics, i));
        const lethe_figure *f = measured(p->in->shape, name);
        if (!f || !(is_number(v) || lethe_json_kind(v) == LETHE_JSON_BOOL)) continue;
        if (!any) lethe_page_table(p, "Further figures", columns);
        any = true;
        lethe_page_row(p, name);
        lethe_html_leaf(&p->h, "td", "n", lethe_page_value(p, v));
        lethe_page_cell(p, f->meaning);
        lethe_page_row_end(p);
    }
    if (any) lethe_page_table_end(p);
}

void lethe_page_measures(lethe_page *p)
{
    const lethe_json *metrics = lethe_json_get(p->in->measure, "metrics");
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(metrics); i++)
        n += is_compared(lethe_json_at(metrics, i));
    lethe_page_section(p, "measures", "Compared with the original");
    lethe_page_paragraph(p, "How useful the release still is, compared with the data it was made "
                            "from.");
    if (n > 0) shares_show(p, metrics);
    if (p->in->shape == LETHE_SHAPE_TABLE) lethe_page_table_measures(p, metrics);
    singles_show(p, metrics);
    lethe_html_end(&p->h);
}

/* --- adversaries --- */

static void attacks_plot(lethe_page *p, const lethe_json *metrics, size_t n)
{
    static const char *const columns[] = {"Adversary", "#Against the release",
                                          "#Against the original", "#Baseline", NULL};
    lethe_bar *bars = lethe_new(p->arena, lethe_bar, 2 * n);
    char a[40], b[40];
    const char *desc = "";
    if (!bars) {
        p->h.err = LETHE_ENOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        const char *name = lethe_page_copy(p, lethe_json_name(metrics, i));
        bars[2 * i] = (lethe_bar){
            .group = name, .label = "baseline", .value = number(v, "baseline"), .series = 1};
        bars[2 * i + 1] = (lethe_bar){.label = "release", .value = number(v, "success")};
        desc = lethe_page_format(p, "%s%s%s: %s, and the baseline %s", desc, i ? "; " : "", name,
                                 lethe_number_show(a, bars[2 * i + 1].value, LETHE_UNIT_SHARE),
                                 lethe_number_show(b, bars[2 * i].value, LETHE_UNIT_SHARE));
    }
    lethe_plot plot = lethe_page_figure(p, "Success of each adversary, and its baseline", desc);
    lethe_svg_bars(&p->h, &plot, bars, 2 * n, LETHE_UNIT_SHARE);
    lethe_page_caption(p, "How often each adversary succeeds against the release, and the "
                          "baseline: the success of a random choice. Success means something "
                          "different for each adversary; see below.");
    lethe_page_table(p, "Adversaries", columns);
    for (size_t i = 0; i < n; i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        lethe_page_row(p, lethe_page_copy(p, lethe_json_name(metrics, i)));
        lethe_page_number(p, number(v, "success"), LETHE_UNIT_SHARE);
        lethe_page_number(p, number(v, "before"), LETHE_UNIT_SHARE);
        lethe_page_number(p, number(v, "baseline"), LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* Where groups overlap, and where there are several sensitive columns. */
static void table_adversary_show(lethe_page *p, const lethe_json *v)
{
    static const char *const columns[] = {"Sensitive column", "#Against the release",
                                          "#Against the original", "#Baseline", NULL};
    const lethe_json *narrowed = lethe_json_get(v, "counted"),
                     *sensitive = lethe_json_get(v, "sensitive");
    char a[40], b[40], c[40];
    if (lethe_json_get(v, "groups_mean"))
        lethe_page_say(
            p, "Groups overlap: a person fits %s of them on average, and %s fit several.",
            lethe_number_show(a, round(100 * number(v, "groups_mean")) / 100, LETHE_UNIT_COUNT),
            lethe_number_show(b, number(v, "fit_several"), LETHE_UNIT_SHARE));
    if (narrowed)
        lethe_page_say(p,
                       "Someone who knows everybody can count who must be in which group, and then "
                       "succeeds with %s: this rules out groups for %s of the persons.",
                       lethe_number_show(b, number(narrowed, "success"), LETHE_UNIT_SHARE),
                       lethe_number_show(c, number(narrowed, "persons"), LETHE_UNIT_SHARE));
    if (lethe_json_get(v, "revealed"))
        lethe_page_say(p, "Always guessing the commonest sensitive value succeeds with %s.",
                       lethe_number_show(a, number(v, "commonest"), LETHE_UNIT_SHARE));
    if (lethe_json_count(sensitive) == 0) return;
    lethe_page_table(p, "Success by sensitive column", columns);
    for (size_t i = 0; i < lethe_json_count(sensitive); i++) {
        const lethe_json *s = lethe_json_at(sensitive, i);
        lethe_page_row(p, NULL);
        lethe_page_raw(p, "td", lethe_json_text(lethe_json_get(s, "column")), 60);
        lethe_page_number(p, number(s, "success"), LETHE_UNIT_SHARE);
        lethe_page_number(p, number(s, "before"), LETHE_UNIT_SHARE);
        lethe_page_number(p, number(s, "baseline"), LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
}

static void adversary_show(lethe_page *p, const char *name, const lethe_json *v)
{
    const lethe_json *meaning = lethe_json_get(v, "meaning"), *note = lethe_json_get(v, "note");
    char a[40], b[40];
    lethe_html_leaf(&p->h, "h3", NULL, name);
    for (const lethe_adversary *const *at = lethe_adversaries(); *at; at++)
        if (strcmp((*at)->name, name) == 0)
            lethe_html_leaf(&p->h, "p", NULL, lethe_page_sentence(p, (*at)->summary));
    const char *before =
        lethe_json_get(v, "before")
            ? lethe_page_format(p, " Against the original: %s.",
                                lethe_number_show(a, number(v, "before"), LETHE_UNIT_SHARE))
            : "";
    lethe_page_say(p, "Success: %s.%s Baseline: %s.",
                   lethe_number_show(a, number(v, "success"), LETHE_UNIT_SHARE), before,
                   lethe_number_show(b, number(v, "baseline"), LETHE_UNIT_SHARE));
    if (p->in->shape == LETHE_SHAPE_TABLE) table_adversary_show(p, v);
    if (meaning)
        lethe_html_leaf(&p->h, "p", "formal",
                        lethe_page_format(p, "Success: %s.", lethe_page_value(p, meaning)));
    if (note) lethe_html_leaf(&p->h, "p", "formal", lethe_page_value(p, note));
}

void lethe_page_attacks(lethe_page *p)
{
    const lethe_json *metrics = lethe_json_get(p->in->attack, "metrics");
    size_t n = lethe_json_count(metrics);
    lethe_page_section(p, "attacks", "Adversaries");
    if (p->in->attack_lacks) {
        lethe_page_say(p, "This was not tried. %s", lethe_page_sentence(p, p->in->attack_lacks));
    } else if (n == 0) {
        lethe_page_paragraph(p, "No adversary of this program applies to this kind of release. "
                                "That does not mean that there is none.");
    } else {
        attacks_plot(p, metrics, n);
        for (size_t i = 0; i < n; i++)
            adversary_show(p, lethe_page_copy(p, lethe_json_name(metrics, i)),
                           lethe_json_at(metrics, i));
    }
    lethe_html_end(&p->h);
}

void lethe_page_risks(lethe_page *p)
{
    static const char *const columns[] = {"Adversary", "Kind",      "#Against the release",
                                          "#At most",  "#Original", "#Baseline",
                                          "#Tries",    "Meaning",   NULL};
    const lethe_json *told = lethe_json_get(p->in->manifest, "risk");
    lethe_page_section(p, "attacks", "Adversaries");
    lethe_page_paragraph(p,
                         "What adversaries found, according to the publisher: nobody can check "
                         "it without the original. \u201cAt most\u201d is the upper bound of the "
                         "success, with 95 % confidence.");
    lethe_page_table(p, "Adversaries", columns);
    for (size_t i = 0; i < lethe_json_count(told); i++) {
        lethe_risk r;
        if (!lethe_risk_told(lethe_json_at(told, i), &r)) continue;
        lethe_page_row(p, r.adversary->name);
        lethe_page_cell(p, lethe_threat_name(r.threat));
        const double shares[] = {r.success, r.upper, r.before, r.baseline};
        for (size_t k = 0; k < LETHE_COUNT(shares); k++)
            lethe_page_number(p, r.trials ? shares[k] : NAN, LETHE_UNIT_SHARE);
        lethe_page_number(p, (double)r.trials, LETHE_UNIT_COUNT);
        lethe_page_cell(p, lethe_page_sentence(p, r.adversary->summary));
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_html_end(&p->h);
}
