/* SPDX-License-Identifier: Apache-2.0 */
/* report_study.c - several releases of the same data side by side: risk against usefulness, one
 * point per method and setting; the best for each purpose; and all of them. */
#include "release/page/report_page.h"
#include <math.h>

typedef struct entry {
    const lethe_json *row;
    const lethe_method *method; /* NULL: unknown to this version */
    const char *label, *name, *notion, *error, *nothing;
    const char *parameters; /* every option: "k=5 m=2" */
    bool decided, holds;
    const lethe_json *kept_for; /* what is kept, by goal; NULL: not said */
    double utility, seconds, bytes;
    double risk[LETHE_N_THREATS], worst; /* NAN: not known */
    bool bounded;                        /* `risk` is an upper confidence bound */
    bool best; /* of those that keep a promise, none has more utility and less risk */
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

/* "ssg k=5 1h": what was varied, and sessions. */
static const char *short_label(lethe_page *p, const lethe_json *row, const char *parameters)
{
    const char *method = text_of(p, row, "method"), *label = text_of(p, row, "label");
    lethe_str gap = lethe_json_text(lethe_json_get(lethe_json_get(row, "parameters"), "gap"));
    if (!label[0])
        return lethe_page_format(p, "%s%s%s", method, parameters[0] ? " " : "", parameters);
    // the label of a chain says all of it
    if (lethe_json_get(row, "steps") || gap.n == 0 || gap.n > 8 ||
        lethe_str_eq(gap, LETHE_LIT("all")) || strstr(label, "gap="))
        return label;
    return lethe_page_format(p, "%s %.*s", label, (int)gap.n, gap.at);
}

/* --- risks --- */

/* Where the row has no bounds, what the adversaries found. */
static void risks_found(entry *e)
{
    const lethe_json *attacks = lethe_json_get(e->row, "attacks");
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        const lethe_json *found = lethe_json_get(attacks, (*a)->name);
        double success = lethe_page_member(found, "success"),
               guess = lethe_page_member(found, "baseline");
        if (isnan(success)) continue;
        if ((*a)->threat == LETHE_THREAT_INFERENCE && guess < 1)
            success = fmax((success - guess) / (1 - guess), 0);
        double *risk = &e->risk[(*a)->threat];
        *risk = isnan(*risk) ? success : fmax(*risk, success);
    }
    if (isnan(e->risk[LETHE_THREAT_SINGLING_OUT]))
        e->risk[LETHE_THREAT_SINGLING_OUT] = lethe_page_member(e->row, "success");
}

static void risks_read(entry *e)
{
    const lethe_json *risk = lethe_json_get(e->row, "risk");
    e->worst = NAN;
    e->bounded = risk != NULL;
    for (lethe_threat t = 0; t < LETHE_N_THREATS; t++)
        e->risk[t] = lethe_page_member(risk, lethe_threat_name(t));
    if (!risk) risks_found(e);
    for (int t = 0; t < LETHE_N_THREATS; t++)
        if (!isnan(e->risk[t]))
            e->worst = isnan(e->worst) ? e->risk[t] : fmax(e->worst, e->risk[t]);
    // a study says itself what counts: that a person is found
    if (e->kept_for) e->worst = fmax(lethe_page_member(e->row, "exposure"), 0);
}

/* --- entries --- */

static entry entry_of(lethe_page *p, const lethe_json *row)
{
    const lethe_json *holds = lethe_json_get(row, "holds");
    entry e = {.row = row,
               .method = lethe_method_find(text_of(p, row, "method")),
               .parameters = brief_parameters(p, lethe_json_get(row, "parameters")),
               .name = text_of(p, row, "name"),
               .notion = text_of(p, row, "notion"),
               .error = text_of(p, row, "error"),
               .nothing = text_of(p, row, "nothing"),
               // of what gave no release nothing is promised
               .decided = lethe_json_kind(holds) == LETHE_JSON_BOOL &&
                          lethe_json_kind(lethe_json_get(row, "error")) != LETHE_JSON_TEXT,
               .holds = lethe_json_bool(holds),
               .kept_for = lethe_json_get(row, "kept_for"),
               .utility = lethe_page_member(row, "utility"),
               .seconds = lethe_page_member(row, "seconds"),
               .bytes = lethe_page_member(row, "peak_bytes")};
    e.label = short_label(p, row, e.parameters);
    risks_read(&e);
    return e;
}

static bool is_point(const entry *e) { return !isnan(e->utility) && !isnan(e->worst); }

/* What promises nothing has nothing to keep. */
static bool keeps(const entry *e) { return e->holds && !e->nothing[0]; }

static double bound_of(const lethe_page *p)
{
    return p->in->bound > 0 ? p->in->bound : LETHE_RISK_BOUND;
}

static void best_find(entry *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        at[i].best = is_point(&at[i]) && keeps(&at[i]);
        for (size_t j = 0; j < n && at[i].best; j++) {
            if (!is_point(&at[j]) || !keeps(&at[j])) continue;
            bool no_worse = at[j].utility >= at[i].utility && at[j].worst <= at[i].worst;
            bool better = at[j].utility > at[i].utility || at[j].worst < at[i].worst;
            at[i].best = !(no_worse && better);
        }
    }
}

/* A method is a series, numbered as they come; the one that is grey is left out. */
static void series_number(lethe_page *p, entry *at, size_t n)
{
    enum { GREY = 2 };
    unsigned next = 0;
    for (size_t i = 0; i < n; i++) {
        at[i].series = next;
        for (size_t j = 0; j < i; j++)
            if (strcmp(text_of(p, at[i].row, "method"), text_of(p, at[j].row, "method")) == 0)
                at[i].series = at[j].series;
        next += at[i].series == next;
        next += next % LETHE_PLOT_SERIES == GREY;
    }
}

/* The most useful first; what is not known last.  The order of the study among equals, and where it
 * says what is kept for each goal: that is the order of their use. */
static void entries_sort(entry *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i].kept_for) return;
    for (size_t i = 1; i < n; i++) {
        entry e = at[i];
        size_t k = i;
        for (; k > 0 &&
               (at[k - 1].utility < e.utility || (isnan(at[k - 1].utility) && !isnan(e.utility)));
             k--)
            at[k] = at[k - 1];
        at[k] = e;
    }
}

/* --- the plot --- */

static const char *best_words(lethe_page *p, const entry *at, size_t n)
{
    const char *all = "";
    for (size_t i = 0; i < n; i++)
        if (at[i].best) all = lethe_page_format(p, "%s%s%s", all, all[0] ? "; " : "", at[i].label);
    return all;
}

static void plot_draw(lethe_page *p, const lethe_plot *plot, const lethe_point *points, size_t n)
{
    enum { BROAD = 940, NARROW = 360 };
    const double least = 0.001;
    char shown[40];
    lethe_scatter s = {.x = {.label = "useful: terms or detail kept",
                             .min = 0,
                             .max = 1,
                             .unit = LETHE_UNIT_SHARE},
                       .y = {.label = "risk (logarithmic)",
                             .min = least,
                             .max = 1,
                             .unit = LETHE_UNIT_SHARE,
                             .log = true},
                       .width = BROAD,
                       .height = 500,
                       .bound = bound_of(p)};
    s.bound_label = lethe_page_format(p, "up to %s: low risk",
                                      lethe_number_show(shown, s.bound, LETHE_UNIT_SHARE));
    lethe_html_begin(&p->h, "div");
    lethe_html_attr(&p->h, "class", "broad");
    lethe_svg_points(&p->h, plot, &s, points, n);
    lethe_html_end(&p->h);
    // the same for a telephone, where there is room for the best alone
    lethe_plot narrow = *plot;
    narrow.id = lethe_page_format(p, "%s-narrow", plot->id);
    p->n_plots++;
    s.width = NARROW;
    s.height = 400;
    s.best_only = true;
    lethe_html_begin(&p->h, "div");
    lethe_html_attr(&p->h, "class", "narrow");
    lethe_svg_points(&p->h, &narrow, &s, points, n);
    lethe_html_end(&p->h);
}

static void points_plot(lethe_page *p, const entry *at, size_t n, size_t n_points)
{
    static const char *const columns[] = {"Method and setting", "#Useful", "#Risk", NULL};
    lethe_point *points = lethe_new(p->arena, lethe_point, n_points);
    size_t m = 0;
    if (!points) {
        p->h.err = LETHE_ENOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (is_point(&at[i]))
            points[m++] = (lethe_point){.x = at[i].utility,
                                        .y = at[i].worst,
                                        .label = at[i].label,
                                        .series = at[i].series,
                                        .hollow = !keeps(&at[i]),
                                        .best = at[i].best};
    const char *best = best_words(p, at, n),
               *desc = lethe_page_format(
                   p,
                   "%zu runs. Points to the right are more useful, lower points are less risky; "
                   "those above "
                   "the dashed line are grey, because their risk is not low.%s%s%s",
                   m, best[0] ? " The line joins those that no other run beats in both: " : "",
                   best, best[0] ? "." : "");
    lethe_plot plot = lethe_page_wide_figure(p, "Risk against usefulness", desc);
    plot_draw(p, &plot, points, m);
    lethe_page_caption(p,
                       lethe_page_format(p,
                                         "%s \u201c+3\u201d stands for three more runs at the same "
                                         "place. Runs with a hollow point do not keep their "
                                         "promise, or promise nothing.",
                                         desc));
    lethe_page_table(p, "Usefulness and risk", columns);
    for (size_t i = 0; i < n; i++) {
        if (!is_point(&at[i])) continue;
        lethe_page_row(p, at[i].label);
        lethe_page_number(p, at[i].utility, LETHE_UNIT_SHARE);
        lethe_page_number(p, at[i].worst, LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

/* --- cards --- */

static const struct {
    const char *name, *title, *what;
    const char *measure, *member; /* the figure that counts for it; NULL: usefulness */
} goals[LETHE_N_GOALS] = {
    [LETHE_GOAL_PATTERNS] = {"patterns", "To find what occurs together",
                             "of the frequent patterns kept", "pattern_recall", NULL},
    [LETHE_GOAL_SESSIONS] = {"sessions", "To follow what a person searches for in a session",
                             "of the terms kept", NULL, NULL},
    [LETHE_GOAL_CLICKS] = {"clicks", "To learn which results are clicked", "of the clicks kept",
                           "clicks", "share"},
    [LETHE_GOAL_COUNTS] = {"counts", "To count how often something occurs", "of the queries kept",
                           "queries", "share"},
};

/* How well a run serves a goal; *what: in words. */
static double goal_figure(const entry *e, lethe_goal goal, bool table, const char **what)
{
    *what = table ? "of the detail kept" : "of what matters for it kept";
    if (e->kept_for) return lethe_page_member(e->kept_for, goals[goal].name);
    const lethe_json *v = lethe_json_get(lethe_json_get(e->row, "measures"),
                                         goals[goal].measure ? goals[goal].measure : "");
    if (goals[goal].member) v = lethe_json_get(v, goals[goal].member);
    *what = goals[goal].what;
    if (lethe_page_is_number(v)) return lethe_json_real(v);
    *what = table ? "of the detail kept" : "of the terms kept";
    return e->utility;
}

static bool has_text(const lethe_json *list, const char *text)
{
    for (size_t i = 0; i < lethe_json_count(list); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_at(list, i)), lethe_str_of(text))) return true;
    return false;
}

/* May the run serve the goal?  A study says so itself, but for older ones. */
static bool suits(const entry *e, lethe_goal goal)
{
    const lethe_json *suited = lethe_json_get(e->row, "goals");
    if (e->kept_for && suited && !has_text(suited, goals[goal].name)) return false;
    if (e->kept_for) return lethe_page_is_number(lethe_json_get(e->kept_for, goals[goal].name));
    return e->method && e->method->good_for[goal] > 0 && is_point(e);
}

static bool is_safe(const lethe_page *p, const entry *e)
{
    return e->decided && keeps(e) && e->worst <= bound_of(p);
}

/* The command of the run, as far as its options differ from their defaults. */
static const char *command_of(lethe_page *p, const entry *e)
{
    const lethe_json *with = lethe_json_get(e->row, "parameters");
    const char *all = text_of(p, e->row, "command");
    if (all[0] || !e->method) return all;
    all = lethe_page_format(p, "lethe %s INPUT", e->method->name);
    for (const lethe_option *o = e->method->options; o && o->name; o++) {
        const lethe_json *v = lethe_json_get(with, o->name);
        const char *value = lethe_json_kind(v) == LETHE_JSON_NULL ? "" : lethe_page_value(p, v),
                   *dash = o->name[1] ? "--" : "-";
        bool flag = lethe_json_kind(v) == LETHE_JSON_BOOL;
        if (!v || (flag && !lethe_json_bool(v)) || (!flag && !value[0]) ||
            (o->fallback && strcmp(value, o->fallback) == 0))
            continue;
        if (flag && o->type != LETHE_OPT_FLAG) value = o->arg ? o->arg : "FILE"; // it was given
        bool quote = strcspn(value, " \t'\"\\$&;|<>()*?`") < strlen(value);
        all = flag && o->type == LETHE_OPT_FLAG
                  ? lethe_page_format(p, "%s %s%s", all, dash, o->name)
                  : lethe_page_format(p, "%s %s%s %s%s%s", all, dash, o->name, quote ? "'" : "",
                                      value, quote ? "'" : "");
    }
    return lethe_page_format(p, "%s -o RELEASE", all);
}

static lethe_err card_show(lethe_page *p, const entry *e, lethe_goal goal, bool table)
{
    enum { ROWS = 3 };
    const char *what;
    char a[40], b[40];
    double figure = goal_figure(e, goal, table, &what);
    lethe_html_begin(&p->h, "li");
    lethe_html_leaf(&p->h, "h4", NULL, e->label);
    lethe_html_leaf(&p->h, "p", NULL,
                    lethe_page_format(p, "%s %s; risk %s%s.",
                                      lethe_number_show(a, figure, LETHE_UNIT_SHARE), what,
                                      e->bounded ? "at most " : "",
                                      lethe_number_show(b, e->worst, LETHE_UNIT_SHARE)));
    LETHE_TRY(lethe_page_study_rows(p, e->name, ROWS));
    lethe_html_begin(&p->h, "pre");
    lethe_html_leaf(&p->h, "code", NULL, command_of(p, e));
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
    return LETHE_OK;
}

static lethe_err goal_show(lethe_page *p, const entry *at, size_t n, lethe_goal goal, bool table)
{
    enum { CARDS = 3 };
    const entry *best[CARDS] = {NULL};
    size_t m = 0, n_suit = 0;
    for (size_t i = 0; i < n; i++) {
        const char *what;
        if (!suits(&at[i], goal)) continue;
        n_suit++;
        double figure = goal_figure(&at[i], goal, table, &what);
        if (!is_safe(p, &at[i]) || !(figure > 0)) continue;
        size_t k = m < CARDS ? m++ : CARDS;
        for (; k > 0 && goal_figure(best[k - 1], goal, table, &what) < figure; k--)
            if (k < CARDS) best[k] = best[k - 1];
        if (k < CARDS) best[k] = &at[i];
    }
    if (n_suit == 0) return LETHE_OK;
    lethe_html_leaf(&p->h, "h3", NULL, goals[goal].title);
    if (m == 0) {
        lethe_page_paragraph(p, "No run that suits this keeps anything of it at a low risk.");
        return LETHE_OK;
    }
    lethe_html_begin(&p->h, "ul");
    lethe_html_attr(&p->h, "class", "cards");
    for (size_t i = 0; i < m; i++)
        LETHE_TRY(card_show(p, best[i], goal, table));
    lethe_html_end(&p->h);
    return LETHE_OK;
}

static lethe_err goals_show(lethe_page *p, const entry *at, size_t n)
{
    char shown[40];
    bool table = false;
    for (size_t i = 0; i < n; i++)
        table = table || (at[i].method && at[i].method->out & LETHE_SHAPE_TABLE);
    lethe_page_section(p, "goals", "The best for each purpose");
    lethe_page_say(p,
                   "Of the runs that keep their promise with a risk of at most %s, those that keep "
                   "most of what each purpose needs, with rows as they would be published.",
                   lethe_number_show(shown, bound_of(p), LETHE_UNIT_SHARE));
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
        LETHE_TRY(goal_show(p, at, n, g, table));
    lethe_html_end(&p->h);
    return LETHE_OK;
}

/* --- all runs --- */

static void entry_row(lethe_page *p, const entry *e)
{
    const char *page = lethe_page_study_link(p, e->name);
    lethe_html_begin(&p->h, "tr");
    lethe_html_begin(&p->h, "th");
    lethe_html_attr(&p->h, "scope", "row");
    if (page) {
        lethe_html_begin(&p->h, "a");
        lethe_html_attr(&p->h, "href", page);
    }
    lethe_html_words(&p->h, e->label);
    if (page) lethe_html_end(&p->h);
    lethe_html_end(&p->h);
    lethe_html_begin(&p->h, "td");
    if (e->decided && e->nothing[0])
        lethe_html_leaf(&p->h, "span", "no", "\u2717 nothing");
    else if (e->decided)
        lethe_html_leaf(&p->h, "span", e->holds ? "yes" : "no", e->holds ? "\u2713" : "\u2717");
    else
        lethe_html_words(&p->h, "\u2013");
    lethe_html_end(&p->h);
    lethe_page_number(p, e->utility, LETHE_UNIT_SHARE);
    for (int t = 0; t < LETHE_N_THREATS; t++) {
        char shown[40];
        bool known = isfinite(e->risk[t]), over = known && e->risk[t] > bound_of(p);
        lethe_html_leaf(&p->h, "td", over ? "n one no" : "n one",
                        known ? lethe_number_show(shown, e->risk[t], LETHE_UNIT_SHARE) : "\u2013");
    }
    lethe_page_number(p, isnan(e->seconds) ? NAN : round(e->seconds * 10) / 10, LETHE_UNIT_COUNT);
    lethe_page_number(p, isnan(e->bytes) ? NAN : round(e->bytes / 1048576), LETHE_UNIT_COUNT);
    lethe_page_row_end(p);
}

static void runs_table(lethe_page *p, const entry *at, size_t n)
{
    static const char *const columns[] = {"Run",      "Promise",  "#Useful", "#Found", "#Linked",
                                          "#Learned", "#Seconds", "#MiB",    NULL};
    char shown[40];
    bool bounded = true;
    for (size_t i = 0; i < n; i++)
        bounded = bounded && (at[i].bounded || !is_point(&at[i]));
    lethe_page_say(
        p,
        "The most useful first. Found, linked and learned are the risks of singling out, "
        "linking and inference%s; red: above %s.",
        bounded ? ", as upper 95 % confidence bounds"
                : ", as they were found, without confidence bounds",
        lethe_number_show(shown, bound_of(p), LETHE_UNIT_SHARE));
    lethe_page_table(p, "All runs", columns);
    for (size_t i = 0; i < n; i++)
        entry_row(p, &at[i]);
    lethe_page_table_end(p);
}

/* Why a run made no release, or what it is worth. */
static void remarks(lethe_page *p, const entry *at, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const char *why = at[i].error[0] ? at[i].error : at[i].nothing;
        if (!why[0]) continue;
        if (!any) {
            lethe_html_leaf(&p->h, "h3", NULL, "Remarks");
            lethe_html_begin(&p->h, "ul");
        }
        any = true;
        lethe_html_leaf(&p->h, "li", NULL, lethe_page_format(p, "%s: %s", at[i].label, why));
    }
    if (any) lethe_html_end(&p->h);
}

/* Every option of each run, and what it promises. */
static void options_table(lethe_page *p, const entry *at, size_t n)
{
    static const char *const columns[] = {"Run", "Promise", "All options", NULL};
    lethe_html_begin(&p->h, "details");
    lethe_html_leaf(&p->h, "summary", NULL, "All options of each run");
    lethe_page_table(p, "Options of the runs", columns);
    for (size_t i = 0; i < n; i++) {
        lethe_page_row(p, at[i].label);
        lethe_page_code(p, at[i].notion);
        lethe_page_cell(p, at[i].parameters);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_html_end(&p->h);
}

static void meanings(lethe_page *p, const lethe_json *study)
{
    const char *utility = text_of(p, study, "utility_meaning"),
               *varied = text_of(p, study, "varied");
    if (varied[0])
        lethe_html_leaf(&p->h, "p", "formal", lethe_page_format(p, "Varied: %s.", varied));
    if (utility[0])
        lethe_html_leaf(&p->h, "p", "formal", lethe_page_format(p, "Useful: %s.", utility));
    lethe_html_leaf(&p->h, "p", "formal",
                    lethe_json_get(study, "bound")
                        ? "Risk: that a person is found, by the adversary that finds most; what is "
                          "learned about a group does not count (lethe-publish(1))."
                        : "Risk: the greatest of singling out, linking and inference "
                          "(lethe-report(1)).");
}

lethe_err lethe_page_study(lethe_page *p)
{
    const lethe_json *rows = lethe_json_get(p->in->study, "rows");
    size_t n = lethe_json_count(rows), n_points = 0, n_hold = 0, n_errors = 0, n_safe = 0;
    char shown[40];
    entry *at = lethe_new(p->arena, entry, n + 1);
    if (!at) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        at[i] = entry_of(p, lethe_json_at(rows, i));
        n_points += is_point(&at[i]);
        n_hold += keeps(&at[i]);
        n_errors += at[i].error[0] != '\0';
        n_safe += is_point(&at[i]) && is_safe(p, &at[i]);
    }
    best_find(at, n);
    series_number(p, at, n);
    entries_sort(at, n);
    lethe_page_section(p, "study", "The methods compared");
    lethe_page_say(p, "%zu runs: %zu keep their promise, %zu of them with a risk of at most %s.%s",
                   n, n_hold, n_safe, lethe_number_show(shown, bound_of(p), LETHE_UNIT_SHARE),
                   n_errors ? lethe_page_format(p, " %zu made no release.", n_errors) : "");
    if (n_points > 0) points_plot(p, at, n, n_points);
    meanings(p, p->in->study);
    lethe_html_end(&p->h);
    if (n == 0) return LETHE_OK;
    LETHE_TRY(goals_show(p, at, n));
    lethe_page_section(p, "runs", "All runs");
    runs_table(p, at, n);
    remarks(p, at, n);
    options_table(p, at, n);
    lethe_html_end(&p->h);
    return LETHE_OK;
}
