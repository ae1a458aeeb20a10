/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the frame of a page, and the tables, figures and values that all its parts use. */
#include "release/page/report.h"
#include "release/page/report_page.h"
#include "release/shape_ops.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* --- memory of the page --- */

static const char *kept(lethe_page *p, const char *text)
{
    if (!text && p->h.err == LETHE_OK) p->h.err = LETHE_ENOMEM;
    return text ? text : "";
}

bool lethe_page_is_number(const lethe_json *v)
{
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL;
}

double lethe_page_member(const lethe_json *object, const char *name)
{
    const lethe_json *v = lethe_json_get(object, name);
    return lethe_page_is_number(v) ? lethe_json_real(v) : NAN;
}

const char *lethe_page_copy(lethe_page *p, lethe_str s)
{
    return kept(p, lethe_arena_dup(p->arena, s));
}

const char *lethe_page_format(lethe_page *p, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = n >= 0 ? lethe_new(p->arena, char, (size_t)n + 1) : NULL;
    if (text) vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    return kept(p, text);
}

/* --- words --- */

const char *lethe_page_sentence(lethe_page *p, const char *text)
{
    size_t n = strlen(text);
    char first = n && text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    bool ended = n && strchr(".?!", text[n - 1]);
    return n ? lethe_page_format(p, "%c%s%s", first, text + 1, ended ? "" : ".") : "";
}

void lethe_page_paragraph(lethe_page *p, const char *text)
{
    lethe_html_leaf(&p->h, "p", NULL, text);
}

void lethe_page_say(lethe_page *p, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    lethe_page_paragraph(p, text);
}

void lethe_page_section(lethe_page *p, const char *id, const char *heading)
{
    lethe_html_begin(&p->h, "section");
    lethe_html_attr_format(&p->h, "aria-labelledby", "%s", id);
    lethe_html_begin(&p->h, "h2");
    lethe_html_attr(&p->h, "id", id);
    lethe_html_words(&p->h, heading);
    lethe_html_end(&p->h);
}

const char *lethe_page_value(lethe_page *p, const lethe_json *v)
{
    enum { ARRAY_SHOWN = 12 };
    char shown[40];
    const char *all = "";
    size_t n = lethe_json_count(v);
    switch (lethe_json_kind(v)) {
    case LETHE_JSON_NULL:
        return "none";
    case LETHE_JSON_BOOL:
        return lethe_json_bool(v) ? "yes" : "no";
    case LETHE_JSON_INT:
    case LETHE_JSON_REAL:
        return lethe_page_format(p, "%s",
                                 lethe_number_show(shown, lethe_json_real(v), LETHE_UNIT_COUNT));
    case LETHE_JSON_TEXT:
        return lethe_page_copy(p, lethe_json_text(v));
    case LETHE_JSON_ARRAY:
        if (n > ARRAY_SHOWN)
            return lethe_page_format(p, "%zu values, from %s to %s", n,
                                     lethe_page_value(p, lethe_json_at(v, 0)),
                                     lethe_page_value(p, lethe_json_at(v, n - 1)));
        for (size_t i = 0; i < n; i++)
            all = lethe_page_format(p, "%s%s%s", all, i ? ", " : "",
                                    lethe_page_value(p, lethe_json_at(v, i)));
        return all;
    case LETHE_JSON_OBJECT:
        return lethe_page_parameters(p, v, NULL);
    }
    return "";
}

const char *lethe_page_parameters(lethe_page *p, const lethe_json *object, const char *but)
{
    const char *all = "";
    for (size_t i = 0; i < lethe_json_count(object); i++) {
        const char *name = lethe_page_copy(p, lethe_json_name(object, i));
        if ((but && strcmp(name, but) == 0) || strcmp(name, "holds") == 0 ||
            strcmp(name, "counterexample") == 0 || strcmp(name, "nothing") == 0)
            continue;
        all = lethe_page_format(p, "%s%s%s = %s", all, all[0] ? "; " : "", name,
                                lethe_page_value(p, lethe_json_at(object, i)));
    }
    return all;
}

/* --- tables --- */

void lethe_page_table(lethe_page *p, const char *caption, const char *const *columns)
{
    lethe_html *h = &p->h;
    // what has the class is reached by Tab and scrolled by the arrows: a telephone is narrow.
    lethe_html_begin(&p->h, "div");
    lethe_html_attr(&p->h, "class", "scroll");
    lethe_html_attr(&p->h, "tabindex", "0");
    lethe_html_attr(&p->h, "role", "region");
    lethe_html_attr_format(&p->h, "aria-label", "%s (table %zu)", caption, ++p->n_boxes);
    lethe_html_begin(h, "table");
    lethe_html_leaf(h, "caption", NULL, caption);
    lethe_html_begin(h, "thead");
    lethe_html_begin(h, "tr");
    for (; *columns; columns++) {
        bool number = **columns == '#';
        lethe_html_begin(h, "th");
        lethe_html_attr(h, "scope", "col");
        if (number) lethe_html_attr(h, "class", "n");
        lethe_html_words(h, *columns + number);
        lethe_html_end(h);
    }
    lethe_html_end(h);
    lethe_html_end(h);
    lethe_html_begin(h, "tbody");
}

void lethe_page_table_end(lethe_page *p)
{
    for (int i = 0; i < 3; i++)
        lethe_html_end(&p->h);
}

void lethe_page_row(lethe_page *p, const char *head)
{
    lethe_html_begin(&p->h, "tr");
    if (!head) return;
    lethe_html_begin(&p->h, "th");
    lethe_html_attr(&p->h, "scope", "row");
    lethe_html_words(&p->h, head);
    lethe_html_end(&p->h);
}

void lethe_page_row_end(lethe_page *p) { lethe_html_end(&p->h); }

/* What reads as a sentence needs room to be read in, on a telephone too. */
void lethe_page_cell(lethe_page *p, const char *text)
{
    enum { SENTENCE = 32 };
    lethe_html_leaf(&p->h, "td", strlen(text) > SENTENCE ? "wide" : NULL, text);
}

void lethe_page_code(lethe_page *p, const char *text)
{
    lethe_html_begin(&p->h, "td");
    lethe_html_leaf(&p->h, "code", NULL, text);
    lethe_html_end(&p->h);
}

void lethe_page_number(lethe_page *p, double x, lethe_unit unit)
{
    char shown[40];
    lethe_html_leaf(&p->h, "td", "n one",
                    isfinite(x) ? lethe_number_show(shown, x, unit) : "\u2013");
}

void lethe_page_raw(lethe_page *p, const char *element, lethe_str text, size_t max)
{
    lethe_html_begin(&p->h, element);
    lethe_html_begin(&p->h, "bdi");
    lethe_html_cut(&p->h, text, max);
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
}

void lethe_page_verdict(lethe_page *p, bool holds)
{
    lethe_html_leaf(&p->h, "span", holds ? "yes" : "no",
                    holds ? "\u2713 holds" : "\u2717 does not hold");
}

/* --- figures --- */

static lethe_plot figure_begin(lethe_page *p, const char *class_name, const char *title,
                               const char *desc)
{
    lethe_html_begin(&p->h, "figure");
    if (class_name) lethe_html_attr(&p->h, "class", class_name);
    lethe_html_begin(&p->h, "div");
    lethe_html_attr(&p->h, "class", "plot");
    return (lethe_plot){
        .id = lethe_page_format(p, "plot%zu", ++p->n_plots), .title = title, .desc = desc};
}

lethe_plot lethe_page_figure(lethe_page *p, const char *title, const char *desc)
{
    return figure_begin(p, NULL, title, desc);
}

lethe_plot lethe_page_wide_figure(lethe_page *p, const char *title, const char *desc)
{
    return figure_begin(p, "wide", title, desc);
}

void lethe_page_caption(lethe_page *p, const char *text)
{
    lethe_html_end(&p->h);
    lethe_html_begin(&p->h, "figcaption");
    lethe_html_leaf(&p->h, "p", NULL, text);
    lethe_html_begin(&p->h, "details");
    lethe_html_leaf(&p->h, "summary", NULL, "The numbers of this plot");
}

void lethe_page_figure_end(lethe_page *p)
{
    for (int i = 0; i < 3; i++)
        lethe_html_end(&p->h);
}

/* --- the frame --- */

static void meta(lethe_html *h, const char *name, const char *value)
{
    lethe_html_begin(h, "meta");
    lethe_html_attr(h, "name", name);
    lethe_html_attr(h, "content", value);
    lethe_html_end(h);
}

static void head(lethe_html *h, const char *title)
{
    lethe_html_begin(h, "head");
    lethe_html_begin(h, "meta");
    lethe_html_attr(h, "charset", "utf-8");
    lethe_html_end(h);
    // first of all that could load anything: nothing may
    lethe_html_begin(h, "meta");
    lethe_html_attr(h, "http-equiv", "Content-Security-Policy");
    lethe_html_attr(
        h, "content",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'");
    lethe_html_end(h);
    meta(h, "referrer", "no-referrer");
    meta(h, "viewport", "width=device-width, initial-scale=1");
    meta(h, "color-scheme", "light dark");
    meta(h, "generator", "lethe");
    lethe_html_begin(h, "title");
    lethe_html_format(h, "%s \u2013 lethe", title);
    lethe_html_end(h);
    lethe_html_style(h, lethe_page_style);
    lethe_html_end(h);
}

static void link_to(lethe_html *h, const char *class_name, const char *href, const char *text)
{
    lethe_html_begin(h, "a");
    if (class_name) lethe_html_attr(h, "class", class_name);
    lethe_html_attr(h, "href", href);
    lethe_html_words(h, text);
    lethe_html_end(h);
}

/* What the caller says, else the manifest; "" if neither does. */
static const char *text_of(lethe_page *p, const char *given, const char *name)
{
    return given ? given
                 : lethe_page_copy(p, lethe_json_text(lethe_json_get(p->in->manifest, name)));
}

const char *lethe_page_undecided(lethe_page *p)
{
    const lethe_json *n = lethe_json_get(lethe_json_get(p->in->manifest, "metrics"), "undecided");
    if (lethe_json_int(n) <= 0) return NULL;
    return lethe_page_format(p, "%s %s", lethe_page_value(p, n),
                             lethe_json_int(n) == 1 ? "text or row is undecided"
                                                    : "texts or rows are undecided");
}

static const char *count_words(lethe_page *p, double n, const char *one, const char *many)
{
    char shown[40];
    return lethe_page_format(p, "%s %s", lethe_number_show(shown, n, LETHE_UNIT_COUNT),
                             fabs(n - 1) < 0.5 ? one : many);
}

/* How much there is, of how many. */
static const char *size_words(lethe_page *p)
{
    const lethe_survival *s = &p->survival;
    double published = lethe_page_member(lethe_json_get(p->in->manifest, "counts"), "published");
    if (p->in->shape == LETHE_SHAPE_TABLE)
        return isfinite(published) ? count_words(p, published, "row", "rows") : "";
    if (p->in->dirfd < 0) return "";
    if (p->in->shape == LETHE_SHAPE_RECORDS)
        return count_words(p, (double)(s->rows[0] - s->empty), "record", "records");
    if (p->in->shape == LETHE_SHAPE_COUNTS)
        return count_words(p, (double)s->texts[0], "item with its count",
                           "items with their counts");
    return lethe_page_format(p, "%s of %s", count_words(p, (double)s->rows[0], "row", "rows"),
                             count_words(p, (double)s->users, "published user", "published users"));
}

/* "threshold", or "scrub, then threshold". */
static const char *chain_words(lethe_page *p)
{
    const lethe_json *steps = lethe_json_get(p->in->manifest, "steps");
    const char *chain = "";
    for (size_t i = 0; i < lethe_json_count(steps); i++)
        chain = lethe_page_format(
            p, "%s%s%s", chain, i ? ", then " : "",
            lethe_page_value(p, lethe_json_get(lethe_json_at(steps, i), "command")));
    return chain;
}

/* What it is, and the answer. */
static void banner(lethe_page *p, const char *title, const char *kind)
{
    lethe_html *h = &p->h;
    const char *date = text_of(p, p->in->date, "date");
    lethe_html_begin(h, "header");
    lethe_html_leaf(h, "p", "brand", "lethe");
    lethe_html_leaf(h, "h1", NULL, title);
    if (!p->in->manifest) {
        lethe_html_leaf(
            h, "p", "lead",
            "Many methods on the same data: what is left, and what an adversary still finds.");
        lethe_html_end(h);
        return;
    }
    const char *size = size_words(p), *chain = chain_words(p);
    lethe_html_begin(h, "p");
    lethe_html_attr(h, "class", "lead");
    if (strcmp(title, kind) != 0) lethe_html_format(h, "%s%s", kind, size[0] ? ": " : ". ");
    if (size[0]) lethe_html_format(h, "%s. ", size);
    if (chain[0]) lethe_html_format(h, "Made by %s.", chain);
    if (date[0]) lethe_html_format(h, " %s.", date);
    lethe_html_end(h);
    lethe_page_answer(p);
    const lethe_json *verdict = lethe_json_get(p->in->manifest, "verdict");
    if (p->in->shape == LETHE_SHAPE_TABLE && p->in->measure)
        lethe_page_table_facts(p);
    else if (p->in->shape == LETHE_SHAPE_TABLE &&
             lethe_json_bool(lethe_json_get(verdict, "holds")) &&
             !lethe_page_nothing_at_all(p, verdict))
        lethe_page_table_promised(p);
    lethe_html_end(h);
}

static void contents(lethe_page *p)
{
    static const struct {
        const char *href, *text;
        unsigned when; /* 1: of a release, 2: with data, 4: measured, 8: attacked, 16: a study,
                          32: with runs */
    } at[] = {{"#study", "The methods compared", 16},
              {"#goals", "The best for each purpose", 32},
              {"#runs", "All runs", 32},
              {"#left", "What is left", 1},
              {"#examples", "Sample rows", 2},
              {"#caveats", "What it does not protect against", 1},
              {"#promise", "What is promised", 1},
              {"#attacks", "Adversaries", 8},
              {"#measures", "Compared with the original", 4},
              {"#survival", "Size of groups", 2},
              {"#done", "Settings and method", 1},
              {"#verdict", "How it was checked", 1},
              {"#figures", "Figures", 1}};
    const lethe_report_input *in = p->in;
    bool data = in->manifest && in->dirfd >= 0, table = in->shape == LETHE_SHAPE_TABLE;
    unsigned has =
        (in->manifest ? 1u : 0u) | (data ? 2u : 0u) | (in->manifest && in->measure ? 4u : 0u) |
        (in->manifest && (in->attack || lethe_json_get(in->manifest, "risk")) ? 8u : 0u) |
        (in->study ? 16u : 0u) |
        (lethe_json_count(lethe_json_get(in->study, "rows")) > 0 ? 32u : 0u);
    lethe_html_begin(&p->h, "nav");
    lethe_html_attr(&p->h, "aria-label", "On this page");
    lethe_html_begin(&p->h, "ul");
    for (size_t i = 0; i < LETHE_COUNT(at); i++) {
        if (!(at[i].when & has)) continue;
        if (strcmp(at[i].href, "#survival") == 0 && table) continue;
        if (strcmp(at[i].href, "#examples") == 0 && in->n_examples == 0) continue;
        lethe_html_begin(&p->h, "li");
        link_to(&p->h, NULL, at[i].href, at[i].text);
        lethe_html_end(&p->h);
    }
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
}

/* To be signed on paper: a page that says who has decided. */
static void sign_off(lethe_html *h)
{
    static const char *const lines[] = {"Decision (publish / do not publish)", "Name", "Date",
                                        "Signature"};
    lethe_html_begin(h, "section");
    lethe_html_attr(h, "class", "sign");
    lethe_html_attr(h, "aria-label", "Sign-off");
    for (size_t i = 0; i < LETHE_COUNT(lines); i++)
        lethe_html_leaf(h, "p", NULL, lines[i]);
    lethe_html_end(h);
}

static lethe_err release_write(lethe_page *p)
{
    lethe_page_left(p);
    LETHE_TRY(lethe_page_examples(p));
    lethe_page_promised(p);
    if (p->in->attack)
        lethe_page_attacks(p);
    else if (lethe_json_get(p->in->manifest, "risk"))
        lethe_page_risks(p);
    if (p->in->measure) lethe_page_measures(p);
    lethe_page_survival(p);
    lethe_page_method(p);
    sign_off(&p->h);
    return LETHE_OK;
}

static lethe_err page_write(lethe_page *p)
{
    lethe_html *h = &p->h;
    const lethe_shape_ops *ops = p->in->manifest ? lethe_shape_ops_of(p->in->shape) : NULL;
    const char *kind = !p->in->manifest ? "A study of anonymization methods"
                       : ops            ? ops->title
                                        : "A release",
               *title = text_of(p, p->in->title, "title");
    if (!title[0]) title = kind;
    if (p->in->manifest && p->in->dirfd >= 0)
        LETHE_TRY(lethe_survival_published(p->ctx, p->in->dirfd, p->in->shape, &p->survival));
    lethe_html_doctype(h);
    lethe_html_begin(h, "html");
    lethe_html_attr(h, "lang", "en");
    head(h, title);
    lethe_html_begin(h, "body");
    link_to(h, "skip", "#main", "Skip to the content");
    banner(p, title, kind);
    contents(p);
    lethe_html_begin(h, "main");
    lethe_html_attr(h, "id", "main");
    if (p->in->study) LETHE_TRY(lethe_page_study(p));
    if (p->in->manifest) LETHE_TRY(release_write(p));
    lethe_html_end(h);
    const lethe_json *made = lethe_json_get(p->in->manifest, "lethe");
    bool original = p->in->measure || p->in->attack || p->in->original;
    lethe_html_begin(h, "footer");
    lethe_html_attr_format(h, "data-plots", "%zu", p->n_plots);
    if (original)
        lethe_html_leaf(h, "p", "note",
                        "This page was made with the original data: its comparison with the "
                        "original, and what it says about adversaries, is not part of the "
                        "release. It is meant for the owner of the data.");
    lethe_html_begin(h, "p");
    if (made) lethe_html_format(h, "The release was made by lethe %s. ", lethe_page_value(p, made));
    lethe_html_format(h,
                      "This page was written by lethe %s. It is one file, holds %zu plot%s, loads "
                      "nothing and runs nothing.",
                      lethe_version(), p->n_plots, p->n_plots == 1 ? "" : "s");
    lethe_html_end(h);
    lethe_html_end(h);
    lethe_html_end(h);
    lethe_html_end(h);
    return lethe_html_finish(h);
}

lethe_err lethe_report_write(lethe_ctx *ctx, const lethe_report_input *in, lethe_buf *out,
                             size_t *n_plots)
{
    lethe_page p = {.ctx = ctx, .diag = lethe_ctx_diag(ctx), .in = in, .arena = lethe_arena_new()};
    size_t before = out->n;
    if (!p.arena) return lethe_no_memory(p.diag);
    lethe_html_init(&p.h, out);
    lethe_err e = page_write(&p), html = p.h.err;
    if (e == LETHE_OK || e == LETHE_ENOMEM) e = html != LETHE_OK ? lethe_no_memory(p.diag) : e;
    if (e == LETHE_OK) e = lethe_buf_put(out, "\n", 1);
    if (e != LETHE_OK) out->n = before;
    if (e == LETHE_OK && n_plots) *n_plots = p.n_plots;
    lethe_arena_free(p.arena);
    return e;
}

lethe_err lethe_report_html(lethe_ctx *ctx, const lethe_report_input *in, lethe_sink *to)
{
    lethe_buf page = {0};
    lethe_err e = lethe_report_write(ctx, in, &page, NULL);
    if (e == LETHE_OK) e = lethe_sink_write(to, page.at, page.n);
    lethe_buf_free(&page);
    return e;
}
