/* SPDX-License-Identifier: Apache-2.0 */
/* report_release.c - a release by its manifest: what was done, what is promised, whether it holds,
 * what it does not protect against, what was published. */
#include "release/page/report_page.h"
#include <math.h>

/* --- what was done --- */

/* How a log is published stands among the parameters of its last step, how it was read among those
 * of the first; neither is an option of the method. */
static const struct {
    const char *name, *value, *text;
} pipeline_words[] = {
    {"keep-users", "no", "users are published under keyed pseudonyms"},
    {"keep-users", "yes", "users are published under their own names"},
    {"time", "day", "times are reduced to the day"},
    {"time", "hour", "times are reduced to the hour"},
    {"time", "week", "times are reduced to the week, named by its Monday"},
    {"time", "month", "times are reduced to the month"},
    {"time", "exact", "times are published to the second"},
    {"time", "drop", "times are left out"},
    {"urls", "host", "only the host of a clicked address is published"},
    {"objects", "id", "clicked objects that are no addresses are replaced by keyed identifiers"},
    {"urls", "id", "clicked addresses are replaced by keyed identifiers"},
    {"urls", "keep", "clicked addresses are published in full"},
    {"urls", "drop", "clicked addresses are left out"},
    {"actions", NULL, "only events with these actions count as clicks"},
    {LETHE_LINES, "items", "each line of the input was an item of a record"},
    {"users-with", NULL, "only users with this many clicked queries were used (minimum, maximum)"},
};

static const char *meaning_of(const lethe_method *m, const char *name, const char *value)
{
    for (const lethe_option *o = m ? m->options : NULL; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return o->help;
    for (size_t i = 0; i < LETHE_COUNT(pipeline_words); i++)
        if (strcmp(pipeline_words[i].name, name) == 0 &&
            (!pipeline_words[i].value || strcmp(pipeline_words[i].value, value) == 0))
            return pipeline_words[i].text;
    return "";
}

static void step_show(lethe_page *p, const lethe_json *step, size_t number)
{
    static const char *const columns[] = {"Setting", "Value", "Meaning", NULL};
    const lethe_method *m = lethe_step_method(step);
    const lethe_json *parameters = lethe_json_get(step, "parameters");
    const char *name = lethe_page_value(p, lethe_json_get(step, "command"));
    lethe_html_begin(&p->h, "h3");
    lethe_html_format(&p->h, "Step %zu: %s", number, name);
    lethe_html_end(&p->h);
    if (m) {
        lethe_page_paragraph(p, lethe_page_sentence(p, m->summary));
        if (m->paper) lethe_html_leaf(&p->h, "p", "formal", m->paper);
    }
    if (lethe_json_count(parameters) == 0) return;
    lethe_page_table(p, lethe_page_format(p, "Settings of step %zu, %s", number, name), columns);
    for (size_t i = 0; i < lethe_json_count(parameters); i++) {
        const char *option = lethe_page_copy(p, lethe_json_name(parameters, i)),
                   *value = lethe_page_value(p, lethe_json_at(parameters, i));
        lethe_page_row(p, option);
        lethe_page_cell(p, value);
        lethe_page_cell(p, meaning_of(m, option, value));
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
}

/* --- files --- */

/* Many parts of the data in one row. */
static void parts_show(lethe_page *p, const lethe_json *files, uint32_t n)
{
    double bytes = 0;
    for (uint32_t i = 0; i < n; i++)
        bytes += lethe_json_real(lethe_json_get(lethe_json_at(files, i), "bytes"));
    lethe_page_row(
        p, lethe_page_format(
               p, "%s to %s", lethe_page_value(p, lethe_json_get(lethe_json_at(files, 0), "name")),
               lethe_page_value(p, lethe_json_get(lethe_json_at(files, n - 1), "name"))));
    lethe_page_number(p, bytes, LETHE_UNIT_COUNT);
    lethe_page_cell(p, "of each in " LETHE_MANIFEST);
    lethe_page_row_end(p);
}

/* The page can not name its own digest. */
static void files_show(lethe_page *p, const lethe_json *files)
{
    enum { PARTS_NAMED = 10 };
    static const char *const columns[] = {"File", "#Bytes", "BLAKE2b-256", NULL};
    uint32_t n_parts = lethe_manifest_data_parts(p->in->manifest);
    bool together = n_parts > PARTS_NAMED;
    if (lethe_json_count(files) == 0) return;
    lethe_html_leaf(&p->h, "h3", NULL, "Files");
    lethe_page_table(p, "The published files", columns);
    if (together) parts_show(p, files, n_parts);
    for (size_t i = together ? n_parts : 0; i < lethe_json_count(files); i++) {
        const lethe_json *file = lethe_json_at(files, i);
        const char *name = lethe_page_value(p, lethe_json_get(file, "name"));
        if (strcmp(name, LETHE_REPORT_NAME) == 0) continue;
        lethe_page_row(p, name);
        lethe_page_number(p, lethe_json_real(lethe_json_get(file, "bytes")), LETHE_UNIT_COUNT);
        lethe_html_begin(&p->h, "td");
        lethe_html_leaf(&p->h, "code", NULL, lethe_page_value(p, lethe_json_get(file, "blake2b")));
        lethe_html_end(&p->h);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
}

static void done_show(lethe_page *p)
{
    const lethe_json *steps = lethe_json_get(p->in->manifest, "steps");
    lethe_page_section(p, "done", "Settings and method");
    lethe_page_paragraph(p, lethe_json_count(steps) > 1
                                ? "The data went through these steps, one after the other. Keys, "
                                  "seeds and file names are never recorded."
                                : "The data went through one step. Keys, seeds and file names "
                                  "are never recorded.");
    for (size_t i = 0; i < lethe_json_count(steps); i++)
        step_show(p, lethe_json_at(steps, i), i + 1);
    files_show(p, lethe_json_get(p->in->manifest, "files"));
    lethe_html_end(&p->h);
}

/* --- promise, verdict, caveats --- */

static void promise_show(lethe_page *p)
{
    const lethe_json *claims = lethe_json_get(p->in->manifest, "claims"),
                     *verdict = lethe_json_get(p->in->manifest, "verdict"),
                     *checks = lethe_json_get(verdict, "checks");
    lethe_page_section(p, "promise", "What is promised");
    if (lethe_json_count(claims) == 0) lethe_page_paragraph(p, "Nothing is promised.");
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        lethe_page_promise(p, lethe_json_at(claims, i), lethe_json_at(checks, i));
    const lethe_json *steps = lethe_json_get(p->in->manifest, "steps");
    for (size_t i = 0; i < lethe_json_count(steps); i++) {
        const lethe_json *step = lethe_json_at(steps, i),
                         *why = lethe_json_get(step, LETHE_UNCLAIMED);
        if (why)
            lethe_page_paragraph(
                p, lethe_page_format(p, "No promise of %s: %s.",
                                     lethe_page_value(p, lethe_json_get(step, "command")),
                                     lethe_page_value(p, why)));
    }
    lethe_html_end(&p->h);
}

static void check_show(lethe_page *p, const lethe_json *check)
{
    enum { COUNTEREXAMPLE = 300 };
    const lethe_json *why = lethe_json_get(check, "counterexample");
    lethe_page_row(p, lethe_page_notion(p, check));
    lethe_html_begin(&p->h, "td");
    lethe_html_leaf(&p->h, "code", NULL, lethe_page_value(p, lethe_json_get(check, "notion")));
    lethe_html_end(&p->h);
    lethe_page_cell(p, lethe_page_parameters(p, check, "notion"));
    lethe_html_begin(&p->h, "td");
    bool holds = lethe_json_bool(lethe_json_get(check, "holds"));
    lethe_page_verdict(p, holds);
    const char *nothing = lethe_page_nothing(p, check);
    if (holds && nothing) {
        lethe_html_words(&p->h, ", but ");
        lethe_html_leaf(&p->h, "span", "no", nothing);
    }
    if (why) {
        lethe_html_words(&p->h, ": ");
        lethe_html_begin(&p->h, "bdi");
        lethe_html_cut(&p->h, lethe_str_of(lethe_page_value(p, why)), COUNTEREXAMPLE);
        lethe_html_end(&p->h);
    }
    lethe_html_end(&p->h);
    lethe_page_row_end(p);
}

static void verdict_show(lethe_page *p)
{
    static const char *const columns[] = {"Promise", "Notion", "With", "Verdict", NULL};
    const lethe_json *verdict = lethe_json_get(p->in->manifest, "verdict"),
                     *checks = lethe_json_get(verdict, "checks");
    lethe_page_section(p, "verdict", "How it was checked");
    lethe_page_paragraph(p, "Each promise was checked on the published files, by code that "
                            "shares nothing with the code that made them. Anyone who has the "
                            "release can check it again with lethe verify.");
    if (lethe_json_count(checks) > 0) {
        lethe_page_table(p, "Promises and whether they hold", columns);
        for (size_t i = 0; i < lethe_json_count(checks); i++)
            check_show(p, lethe_json_at(checks, i));
        lethe_page_table_end(p);
    }
    const char *nothing = lethe_page_nothing_at_all(p, verdict),
               *undecided = nothing ? NULL : lethe_page_undecided(p);
    bool holds = lethe_json_bool(lethe_json_get(verdict, "holds"));
    lethe_html_begin(&p->h, "p");
    lethe_html_words(&p->h, "Altogether, the promise ");
    lethe_page_verdict(p, holds);
    if (holds && nothing) {
        lethe_html_words(&p->h, ", but the release ");
        lethe_html_leaf(&p->h, "span", "no", nothing);
    }
    if (holds && undecided) lethe_html_format(&p->h, " as far as can be seen: %s", undecided);
    lethe_html_words(&p->h, ".");
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
}

static void caveats_show(lethe_page *p)
{
    const lethe_json *caveats = lethe_json_get(p->in->manifest, "caveats");
    lethe_page_section(p, "caveats", "What it does not protect against");
    if (lethe_json_count(caveats) == 0) {
        lethe_page_paragraph(
            p, "The release lists no caveats. That does not mean that there are none.");
    } else {
        lethe_html_begin(&p->h, "ul");
        lethe_html_attr(&p->h, "class", "caveats");
        for (size_t i = 0; i < lethe_json_count(caveats); i++)
            lethe_html_leaf(&p->h, "li", NULL, lethe_page_value(p, lethe_json_at(caveats, i)));
        lethe_html_end(&p->h);
    }
    lethe_html_end(&p->h);
}

/* --- figures --- */

/* `word`: is it the publisher's? */
static void figure_row(lethe_page *p, const char *name, const lethe_json *v,
                       const lethe_figure *figure, bool word)
{
    static const char *const better[] = {"less is better", "", "more is better"};
    lethe_page_row(p, name);
    lethe_html_leaf(&p->h, "td", "n", lethe_page_value(p, v));
    lethe_page_cell(p, word ? "publisher" : "files");
    lethe_page_cell(p, figure ? figure->meaning : "");
    lethe_page_cell(p, figure ? better[1 + (figure->better > 0) - (figure->better < 0)] : "");
    lethe_page_row_end(p);
}

static void figures_show(lethe_page *p)
{
    static const char *const columns[] = {"Figure",  "#Value",    "According to",
                                          "Meaning", "Which way", NULL};
    const lethe_json *metrics = lethe_json_get(p->in->manifest, "metrics"),
                     *steps = lethe_json_get(p->in->manifest, "steps");
    lethe_page_section(p, "figures", "Figures");
    if (lethe_json_count(metrics) == 0) {
        lethe_page_paragraph(p, "The steps have no figures of their own.");
        lethe_html_end(&p->h);
        return;
    }
    lethe_page_paragraph(
        p, "What the steps counted. Figures according to the files follow from the published "
           "files, and lethe verify computes them again. For the others, which also depend on the "
           "original or belong to an earlier step, there is only the publisher's word.");
    lethe_page_table(p, "Figures of the steps", columns);
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        const char *name = lethe_page_copy(p, lethe_json_name(metrics, i));
        const lethe_figure *figure = lethe_steps_figure(steps, lethe_json_name(metrics, i), NULL);
        bool word = !lethe_steps_figure_is_checked(steps, lethe_json_name(metrics, i));
        if (lethe_json_kind(v) != LETHE_JSON_OBJECT) {
            figure_row(p, name, v, figure, word);
            continue;
        }
        for (size_t j = 0; j < lethe_json_count(v); j++)
            figure_row(
                p, lethe_page_format(p, "%s: %s", name, lethe_page_copy(p, lethe_json_name(v, j))),
                lethe_json_at(v, j), j == 0 ? figure : NULL, word);
    }
    lethe_page_table_end(p);
    lethe_html_end(&p->h);
}

void lethe_page_promised(lethe_page *p)
{
    caveats_show(p);
    promise_show(p);
}

void lethe_page_method(lethe_page *p)
{
    done_show(p);
    verdict_show(p);
    figures_show(p);
}
