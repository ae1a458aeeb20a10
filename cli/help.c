/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - help texts and manual pages, made from the tables. */
#include "cli.h"
#include <string.h>

const lethe_option help_options[] = {
    {.name = "list",
     .type = LETHE_OPT_FLAG,
     .help = "print only the names of the commands, one per line"},
    {.name = "man",
     .type = LETHE_OPT_FLAG,
     .help = "print the manual page of the command as scdoc source"},
    {.name = "completion",
     .type = LETHE_OPT_CHOICE,
     .arg = "bash|zsh|fish",
     .help = "print the completion script for a shell"},
    {0},
};

/* "-k, --output OUT" */
static int option_label(char *out, size_t cap, const lethe_option *o)
{
    char arg[100];
    snprintf(arg, sizeof arg, "%s", o->type == LETHE_OPT_FLAG ? "" : o->arg);
    for (char *p = arg; *p && o->type == LETHE_OPT_SET; p++)
        if (*p == '|') *p = ','; // several may be given, separated by commas
    const char *gap = *arg ? " " : "";
    if (o->letter && strlen(o->name) == 1)
        return snprintf(out, cap, "-%c%s%s", o->letter, gap, arg);
    if (o->letter) return snprintf(out, cap, "-%c, --%s%s%s", o->letter, o->name, gap, arg);
    return snprintf(out, cap, "--%s%s%s", o->name, gap, arg);
}

static void print_option(FILE *f, const lethe_option *o)
{
    static const char indent[] = "                                ";
    char label[120], first[160], text[600];
    int n = option_label(label, sizeof label, o);
    snprintf(first, sizeof first, n <= 28 ? "  %-28s  " : "  %s\n%s", label, indent);
    n = snprintf(text, sizeof text, o->fallback ? "%s [default: %s]" : "%s", o->help, o->fallback);
    print_folded(f, (lethe_str){text, (size_t)n}, first, indent);
}

/* A method can follow only if the result is a log whose rows are input lines. */
static bool may_be_chained(const lethe_command *c) { return c->chains; }

static void help_caveat(void *f, const char *text)
{
    print_folded(f, str_of(text), "  - ", "    ");
}

void print_help(FILE *f, const lethe_command *c)
{
    fprintf(f, "lethe %s - %s\n\nUsage: lethe %s [OPTIONS]%s%s%s%s\n", c->name, c->summary, c->name,
            *c->operands ? " " : "", c->operands,
            may_be_chained(c) ? " [--then COMMAND [OPTIONS]]..." : "",
            is_method(c) ? " -o OUT" : "");
    if (lethe_option_count(c->options)) fputs("\nOptions\n", f);
    for (const lethe_option *o = c->options; o && o->name; o++)
        print_option(f, o);
    fputs("\nCommon options\n", f);
    for (const lethe_option *o = common_options; o->name; o++)
        if (common_shown(o, c)) print_option(f, o);
    if (is_method(c)) {
        fprintf(f, "\nPromise: %s\nFrom: %s\n\nWhat it does not protect against\n", c->notion,
                c->paper);
        lethe_caveats_each(c->name, help_caveat, f);
    }
    fprintf(f, "\nExample: %s\n", c->example);
}

void print_overview(FILE *f)
{
    static const char *const groups[] = {"Look at the input", "Make a release", "Check a release",
                                         "Other"};
    fputs("lethe anonymizes search logs, records and tables, and checks what it publishes.\n\n"
          "Usage: lethe COMMAND [OPTIONS] INPUT... [--then COMMAND [OPTIONS]]... [-o OUT]\n",
          f);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        fprintf(f, "\n%s\n", groups[g]);
        lethe_command c;
        for (size_t i = 0; command_at(i, &c); i++) {
            if (strcmp(c.group, groups[g]) == 0) fprintf(f, "  %-12s %s\n", c.name, c.summary);
        }
    }
    fputs("\nStart with 'lethe profile INPUT' and 'lethe suggest INPUT'.\n"
          "'lethe COMMAND --help' lists the options of a command.\n\n"
          "Exit status: 0 success; 1 the answer is no (a promise does not hold, nothing can be "
          "published);\n2 usage error; 3 invalid input; 4 file or system error; 5 a fault of lethe "
          "itself, please report it.\n",
          f);
}

/* --- the manual, in scdoc --- */

/* scdoc takes _ * \ and a leading # or . for its own. */
static void print_scdoc(FILE *f, const char *text, bool literal)
{
    for (; *text; text++) {
        if (strchr(literal ? "_*\\#<>" : "_\\#<>", *text)) fputc('\\', f);
        fputc(*text, f);
    }
}

static void man_option(FILE *f, const lethe_option *o)
{
    char label[120];
    option_label(label, sizeof label, o);
    fputs("*", f);
    print_scdoc(f, label, true);
    fputs("*\n\t", f);
    char first = o->help[0];
    fputc(first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first, f);
    print_scdoc(f, o->help + 1, true);
    if (o->fallback) {
        fputs(" [default: ", f);
        print_scdoc(f, o->fallback, true);
        fputc(']', f);
    }
    fputs(".\n\n", f);
}

static void man_figures(FILE *f, const lethe_figure *table)
{
    fputs("# FIGURES\n\nWith *--json*, the report's _metrics_ contain:\n\n", f);
    for (const lethe_figure *g = table; g && g->name; g++) {
        fputs("*", f);
        print_scdoc(f, g->name, true);
        fputs("*\n\t", f);
        print_scdoc(f, g->meaning, true);
        fputs(".\n\n", f);
    }
}

/* The names of the figures of one source, after `before`; nothing if there are none. */
static void man_figures_of(FILE *f, const lethe_figure *table, unsigned source, const char *before)
{
    size_t n = 0;
    for (const lethe_figure *g = table; g && g->name; g++) {
        if (g->source != source) continue;
        fputs(n++ == 0 ? before : ", ", f);
        fputs("_", f);
        print_scdoc(f, g->name, true);
        fputs("_", f);
    }
    if (n > 0) fputs(".\n", f);
}

/* Whom to believe. */
static void man_sources(FILE *f, const lethe_figure *table)
{
    man_figures_of(f, table, LETHE_FIGURE_RELEASE,
                   "If this is the last step, *lethe verify* computes from the published files: ");
    man_figures_of(f, table, LETHE_FIGURE_ORIGINAL,
                   "In the manifest of a release, these depend on the original, and are the "
                   "publisher's word: ");
    man_figures_of(f, table, LETHE_FIGURE_RUN, "Not in the manifest: ");
    fputs("\n", f);
}

static void man_caveat(void *f, const char *text)
{
    fputs("- ", f);
    print_scdoc(f, text, true);
    fputc('\n', f);
}

static void man_method(FILE *f, const lethe_command *m)
{
    man_sources(f, m->figures);
    fputs("# PROMISE\n\n", f);
    print_scdoc(f, m->notion, true);
    fputs("; see *lethe-release*(5).\n\n# CAVEATS\n\n", f);
    lethe_caveats_each(m->name, man_caveat, f);
    fputs("\n# PAPER\n\n", f);
    print_scdoc(f, m->paper, true);
    fputs("\n\n", f);
}

static void print_man(FILE *f, const lethe_command *c)
{
    fprintf(f, "lethe-%s(1)\n\n# NAME\n\nlethe-%s - ", c->name, c->name);
    print_scdoc(f, c->summary, true);
    fprintf(f, "\n\n# SYNOPSIS\n\n*lethe %s* [_OPTIONS_]", c->name);
    if (*c->operands) {
        fputc(' ', f);
        print_scdoc(f, c->operands, true);
    }
    if (may_be_chained(c)) fputs(" [*--then* _COMMAND_ [_OPTIONS_]]...", f);
    if (is_method(c)) fputs(" *-o* _OUT_", f);
    fputs("\n\n# DESCRIPTION\n\n", f);
    print_scdoc(f, c->description, false);
    fputs("\n\n# OPTIONS\n\n", f);
    for (const lethe_option *o = c->options; o && o->name; o++)
        man_option(f, o);
    for (const lethe_option *o = common_options; o->name; o++)
        if (common_shown(o, c)) man_option(f, o);
    if (c->figures) man_figures(f, c->figures);
    if (is_method(c)) man_method(f, c);
    fputs(
        "# EXIT STATUS\n\n0 success; 1 the answer is no (the promise does not hold or could not be "
        "checked to the end, the setting is infeasible, nothing is left to publish); 2 usage "
        "error; 3 invalid input, reported with file, line and cause; 4 file or system error; 5 a "
        "fault of lethe itself, please report it. No release or output file appears unless the "
        "status is 0.\n\n# EXAMPLE\n\n\t",
        f);
    print_scdoc(f, c->example, true);
    fprintf(f, "\n\n# SEE ALSO\n\n*lethe*(1), *lethe-%s*(5), *lethe-release*(5)\n",
            takes_tables_alone(c) ? "table" : "log");
}

lethe_err run_help(arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    lethe_command c;
    if (lethe_value_of(v, "list")->given) {
        for (size_t i = 0; command_at(i, &c); i++)
            puts(c.name);
        return LETHE_OK;
    }
    if (lethe_value_of(v, "completion")->given) {
        print_completion(stdout, lethe_value_of(v, "completion")->text);
        return LETHE_OK;
    }
    if (a->n_operands == 0) {
        print_overview(stdout);
        return LETHE_OK;
    }
    if (!command_find(a->operands[0], &c)) return misuse_command(a->operands[0]);
    if (lethe_value_of(v, "man")->given)
        print_man(stdout, &c);
    else
        print_help(stdout, &c);
    return LETHE_OK;
}
