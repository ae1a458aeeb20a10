/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be asked for, as JSON: bindings make their functions from it. */
#include "app/call/command.h"
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
    if (o->required) lethe_json_set(doc, v, "required", lethe_json_new_bool(doc, true));
    set(doc, v, "arg", o->type == LETHE_OPT_FLAG ? NULL : o->arg);
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

typedef struct list {
    lethe_json_doc *doc;
    lethe_json *array;
} list;

static void caveat_push(void *user, const char *caveat)
{
    const list *l = user;
    lethe_json_push(l->doc, l->array, text(l->doc, caveat));
}

/* Names of the options that commands share and this one takes. */
static lethe_json *common_of(lethe_json_doc *doc, const lethe_command *c)
{
    lethe_json *shared = lethe_json_array(doc);
    for (const lethe_option *o = lethe_common_options(); o->name; o++)
        if (lethe_common_applies(o, c)) lethe_json_push(doc, shared, text(doc, o->name));
    return shared;
}

static lethe_json *method_json(lethe_json_doc *doc, const lethe_method *m)
{
    lethe_json *v = lethe_json_object(doc), *texts = lethe_json_array(doc);
    lethe_command c = {.size = sizeof c};
    set(doc, v, "name", m->name);
    set(doc, v, "summary", m->summary);
    set(doc, v, "description", m->description);
    set(doc, v, "paper", m->paper);
    lethe_json_set(doc, v, "in", shapes_json(doc, m->in));
    lethe_json_set(doc, v, "out", shapes_json(doc, m->out));
    set(doc, v, "knowledge", m->knowledge);
    set(doc, v, "notion", m->notion);
    set(doc, v, "sweep", m->sweep);
    lethe_caveats_each(m->name, caveat_push, &(list){doc, texts});
    if (lethe_command_find(m->name, &c)) lethe_json_set(doc, v, "common", common_of(doc, &c));
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

static lethe_json *command_json(lethe_json_doc *doc, const lethe_command *c)
{
    lethe_json *v = lethe_json_object(doc);
    set(doc, v, "name", c->name);
    set(doc, v, "summary", c->summary);
    set(doc, v, "operands", c->operands);
    set(doc, v, "description", c->description);
    lethe_json_set(doc, v, "common", common_of(doc, c));
    set_options(doc, v, c->options);
    set_figures(doc, v, c->figures, false);
    return v;
}

/* Commands, without methods, which have a list of their own. */
static lethe_json *commands_json(lethe_json_doc *doc)
{
    lethe_json *array = lethe_json_array(doc);
    lethe_command c = {.size = sizeof c};
    lethe_json_push(doc, array, command_json(doc, &lethe_command_release.command));
    for (size_t i = 0; lethe_command_at(i, &c) && !c.paper; i++)
        lethe_json_push(doc, array, command_json(doc, &c));
    return array;
}

/* `read`: those that say how the input is read; `publish`: the others. */
static lethe_json *common_json(lethe_json_doc *doc, bool reading)
{
    const lethe_command reads = {.takes = LETHE_TAKES_READING}, none = {0};
    lethe_json *array = lethe_json_array(doc);
    for (const lethe_option *o = lethe_common_options(); o->name; o++)
        if ((lethe_common_applies(o, &reads) && !lethe_common_applies(o, &none)) == reading &&
            strcmp(o->name, "output") != 0)
            lethe_json_push(doc, array, option_json(doc, o));
    return array;
}

lethe_json *lethe_tables_json(lethe_json_doc *doc)
{
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
    lethe_json_set(doc, r, "commands", commands_json(doc));
    lethe_json_set(doc, r, "read", common_json(doc, true));
    lethe_json_set(doc, r, "publish", common_json(doc, false));
    return r;
}
