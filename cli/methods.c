/* SPDX-License-Identifier: Apache-2.0 */
/* methods.c - lists methods, notions, measures and adversaries, as text or JSON. */
#include "cli.h"
#include <string.h>

static lethe_json *text(lethe_json_doc *doc, const char *s)
{
    return s ? lethe_json_new_text(doc, (lethe_str){s, strlen(s)}) : NULL;
}

static void set(lethe_json_doc *doc, lethe_json *o, const char *name, const char *s)
{
    if (s) lethe_json_set(doc, o, name, text(doc, s));
}

static lethe_json *shapes_json(lethe_json_doc *doc, unsigned shapes)
{
    lethe_json *array = lethe_json_array(doc);
    for (unsigned shape = 1; lethe_shape_name(shape); shape <<= 1)
        if (shapes & shape) lethe_json_push(doc, array, text(doc, lethe_shape_name(shape)));
    return array;
}

static lethe_json *option_json(lethe_json_doc *doc, const lethe_option *o)
{
    static const char *const types[] = {"flag", "count",    "real", "choice", "text",
                                        "path", "duration", "size", "set"};
    lethe_json *v = lethe_json_object(doc);
    set(doc, v, "name", o->name);
    set(doc, v, "type", types[o->type]);
    if (o->type == LETHE_OPT_CHOICE || o->type == LETHE_OPT_SET) set(doc, v, "choices", o->arg);
    if (o->word) set(doc, v, "words", o->word);
    set(doc, v, "default", o->fallback);
    if (o->min != 0 || o->max != 0) {
        lethe_json_set(doc, v, "min", lethe_json_new_real(doc, o->min));
        lethe_json_set(doc, v, "max", lethe_json_new_real(doc, o->max));
    }
    set(doc, v, "help", o->help);
    return v;
}

static const char *const sources[] = {[LETHE_FIGURE_ORIGINAL] = "original",
                                      [LETHE_FIGURE_RELEASE] = "release",
                                      [LETHE_FIGURE_RUN] = "run"};

/* `of_release`: a figure of a method, which says what it is computed from. */
static lethe_json *figure_json(lethe_json_doc *doc, const lethe_figure *f, bool of_release)
{
    lethe_json *v = lethe_json_object(doc);
    set(doc, v, "name", f->name);
    set(doc, v, "meaning", f->meaning);
    lethe_json_set(doc, v, "better", lethe_json_new_int(doc, f->better));
    if (of_release) set(doc, v, "source", sources[f->source]);
    return v;
}

static void set_options(lethe_json_doc *doc, lethe_json *to, const lethe_option *table)
{
    lethe_json *options = lethe_json_array(doc);
    for (const lethe_option *o = table; o && o->name; o++)
        lethe_json_push(doc, options, option_json(doc, o));
    lethe_json_set(doc, to, "options", options);
}

static void set_figures(lethe_json_doc *doc, lethe_json *to, const lethe_figure *table,
                        bool of_release)
{
    lethe_json *figures = lethe_json_array(doc);
    for (const lethe_figure *f = table; f && f->name; f++)
        lethe_json_push(doc, figures, figure_json(doc, f, of_release));
    lethe_json_set(doc, to, "figures", figures);
}

static lethe_json *method_json(lethe_json_doc *doc, const lethe_method *m)
{
    lethe_json *v = lethe_json_object(doc), *texts = lethe_json_array(doc);
    caveat_list all;
    char one[CAVEAT_CHARS];
    set(doc, v, "name", m->name);
    set(doc, v, "summary", m->summary);
    set(doc, v, "paper", m->paper);
    lethe_json_set(doc, v, "in", shapes_json(doc, m->in));
    lethe_json_set(doc, v, "out", shapes_json(doc, m->out));
    set(doc, v, "knowledge", m->knowledge);
    set(doc, v, "notion", m->notion);
    set(doc, v, "sweep", m->sweep);
    caveats_of(m, &all);
    for (size_t i = 0; i < all.n; i++)
        lethe_json_push(doc, texts, text(doc, caveat_text(&all.at[i], one)));
    set_options(doc, v, m->options);
    set_figures(doc, v, m->figures, true);
    lethe_json_set(doc, v, "caveats", texts);
    return v;
}

/* What notions, measures and adversaries have in common. */
static lethe_json *plain_json(lethe_json_doc *doc, const char *name, const char *what,
                              const char *sentence, unsigned shapes)
{
    lethe_json *v = lethe_json_object(doc);
    set(doc, v, "name", name);
    set(doc, v, what, sentence);
    lethe_json_set(doc, v, "shapes", shapes_json(doc, shapes));
    return v;
}

static lethe_json *measure_json(lethe_json_doc *doc, const lethe_measure *m)
{
    lethe_json *v = plain_json(doc, m->name, "summary", m->summary, m->shapes);
    set_options(doc, v, m->options);
    set_figures(doc, v, m->figures, false);
    return v;
}

static lethe_json *adversary_json(lethe_json_doc *doc, const lethe_adversary *a)
{
    lethe_json *v = plain_json(doc, a->name, "summary", a->summary, a->shapes);
    set_options(doc, v, a->options);
    set(doc, v, "threat", lethe_threat_name(a->threat));
    set(doc, v, "meaning", a->meaning);
    return v;
}

static lethe_err print_tables_json(void)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    lethe_json *r = lethe_json_object(doc), *methods = lethe_json_array(doc),
               *notions = lethe_json_array(doc), *measures = lethe_json_array(doc),
               *adversaries = lethe_json_array(doc);
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        lethe_json_push(doc, methods, method_json(doc, *m));
    for (const lethe_notion *const *n = lethe_notions(); *n; n++)
        lethe_json_push(doc, notions,
                        plain_json(doc, (*n)->name, "holds", (*n)->holds, (*n)->shapes));
    for (const lethe_measure *const *m = lethe_measures(); *m; m++)
        lethe_json_push(doc, measures, measure_json(doc, *m));
    for (const lethe_adversary *const *v = lethe_adversaries(); *v; v++)
        lethe_json_push(doc, adversaries, adversary_json(doc, *v));
    set(doc, r, "command", "methods");
    lethe_json_set(doc, r, "methods", methods);
    lethe_json_set(doc, r, "notions", notions);
    lethe_json_set(doc, r, "measures", measures);
    lethe_json_set(doc, r, "adversaries", adversaries);
    lethe_err e = lethe_json_failed(doc) ? LETHE_ENOMEM : print_json(r);
    lethe_json_doc_free(doc);
    return e;
}

/* --- as text --- */

/* An indented name, and beside it a sentence, folded. */
static void print_row(int indent, const char *name, const char *sentence)
{
    enum { COLUMN = 22 };
    char first[64], rest[COLUMN + 1];
    snprintf(first, sizeof first, "%*s%-*s ", indent, "", COLUMN - 1 - indent, name);
    snprintf(rest, sizeof rest, "%*s", COLUMN, "");
    print_folded(stdout, (lethe_str){sentence, strlen(sentence)}, first, rest);
}

static void print_figures(const lethe_figure *table)
{
    for (const lethe_figure *f = table; f && f->name; f++)
        print_row(4, f->name, f->meaning);
}

/* The names of a method's figures of one source, in a row; nothing if there are none. */
static void print_sources(const lethe_figure *table, unsigned source, const char *label)
{
    char names[400] = "";
    size_t n = 0;
    for (const lethe_figure *f = table; f && f->name; f++)
        if (f->source == source && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "", f->name);
    if (n > 0) print_row(4, label, names);
}

static void print_method(const lethe_method *m)
{
    print_row(2, m->name, m->summary);
    print_row(4, "from", m->paper);
    print_row(4, "promises", m->notion);
    print_figures(m->figures);
    print_sources(m->figures, LETHE_FIGURE_RELEASE, "verify computes");
    print_sources(m->figures, LETHE_FIGURE_RUN, "not in manifest");
    puts("    does not protect against");
    caveat_list all;
    char text[CAVEAT_CHARS];
    caveats_of(m, &all);
    for (size_t i = 0; i < all.n; i++)
        print_folded(stdout, str_of(caveat_text(&all.at[i], text)), "      - ", "        ");
}

lethe_err run_methods(const arguments *a)
{
    if (wants_json(a)) return print_tables_json();
    puts("Methods ('lethe METHOD --help' lists the options)");
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        print_method(*m);
    puts("\nPrivacy notions: a release keeps the promise if");
    for (const lethe_notion *const *n = lethe_notions(); *n; n++)
        print_row(2, (*n)->name, (*n)->holds);
    puts("\nMeasures");
    for (const lethe_measure *const *m = lethe_measures(); *m; m++) {
        print_row(2, (*m)->name, (*m)->summary);
        print_figures((*m)->figures);
    }
    static const char *const threats[LETHE_N_THREATS] = {
        [LETHE_THREAT_SINGLING_OUT] = "singling out: what belongs to a certain person",
        [LETHE_THREAT_LINKING] = "linking: what belongs to the same person",
        [LETHE_THREAT_INFERENCE] = "inference: what else is true of a person"};
    for (unsigned t = 0; t < LETHE_N_THREATS; t++) {
        printf("\nAdversaries for %s\n", threats[t]);
        for (const lethe_adversary *const *v = lethe_adversaries(); *v; v++)
            if ((*v)->threat == t) print_row(2, (*v)->name, (*v)->summary);
    }
    return LETHE_OK;
}
