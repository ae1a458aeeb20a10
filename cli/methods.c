/* SPDX-License-Identifier: Apache-2.0 */
/* methods.c - lists methods, notions, measures and adversaries. */
#include "cli.h"

/* An indented name, and beside it a sentence, folded. */
static void print_row(int indent, lethe_str name, lethe_str sentence)
{
    enum { COLUMN = 22 };
    char first[64], rest[COLUMN + 1];
    snprintf(first, sizeof first, "%*s%-*.*s ", indent, "", COLUMN - 1 - indent, (int)name.n,
             name.at);
    snprintf(rest, sizeof rest, "%*s", COLUMN, "");
    print_folded(stdout, sentence, first, rest);
}

static lethe_str text_of(const lethe_json *v, const char *name)
{
    return lethe_json_text(lethe_json_get(v, name));
}

/* A row for each element of an array: its name, and what `what` says of it. */
static void print_rows(int indent, const lethe_json *array, const char *what)
{
    for (size_t i = 0; i < lethe_json_count(array); i++) {
        const lethe_json *v = lethe_json_at(array, i);
        print_row(indent, text_of(v, "name"), text_of(v, what));
    }
}

/* The names of a method's figures of one source, in a row; nothing if there are none. */
static void print_sources(const lethe_json *figures, const char *source, const char *label)
{
    char names[400] = "";
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(figures) && n < sizeof names; i++) {
        const lethe_json *f = lethe_json_at(figures, i);
        lethe_str name = text_of(f, "name"), from = text_of(f, "source");
        if (from.n != strlen(source) || memcmp(from.at, source, from.n) != 0) continue;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.*s", n > 0 ? ", " : "", (int)name.n,
                              name.at);
    }
    if (n > 0) print_row(4, str_of(label), str_of(names));
}

static void print_method(const lethe_json *m)
{
    const lethe_json *figures = lethe_json_get(m, "figures"),
                     *caveats = lethe_json_get(m, "caveats");
    print_row(2, text_of(m, "name"), text_of(m, "summary"));
    print_row(4, str_of("from"), text_of(m, "paper"));
    print_row(4, str_of("promises"), text_of(m, "notion"));
    print_rows(4, figures, "meaning");
    print_sources(figures, "release", "verify computes");
    print_sources(figures, "run", "not in manifest");
    puts("    does not protect against");
    for (size_t i = 0; i < lethe_json_count(caveats); i++)
        print_folded(stdout, lethe_json_text(lethe_json_at(caveats, i)), "      - ", "        ");
}

static void print_adversaries(const lethe_json *all)
{
    static const struct {
        const char *name, *words;
    } threats[] = {{"singling-out", "singling out: what belongs to a certain person"},
                   {"linking", "linking: what belongs to the same person"},
                   {"inference", "inference: what else is true of a person"}};
    for (size_t t = 0; t < sizeof threats / sizeof *threats; t++) {
        printf("\nAdversaries for %s\n", threats[t].words);
        for (size_t i = 0; i < lethe_json_count(all); i++) {
            const lethe_json *v = lethe_json_at(all, i);
            lethe_str threat = text_of(v, "threat");
            if (threat.n == strlen(threats[t].name) &&
                memcmp(threat.at, threats[t].name, threat.n) == 0)
                print_row(2, text_of(v, "name"), text_of(v, "summary"));
        }
    }
}

static void print_tables(const lethe_json *report)
{
    const lethe_json *methods = lethe_json_get(report, "methods"),
                     *measures = lethe_json_get(report, "measures");
    puts("Methods ('lethe METHOD --help' lists the options)");
    for (size_t i = 0; i < lethe_json_count(methods); i++)
        print_method(lethe_json_at(methods, i));
    puts("\nPrivacy notions: a release keeps the promise if");
    print_rows(2, lethe_json_get(report, "notions"), "holds");
    puts("\nMeasures");
    for (size_t i = 0; i < lethe_json_count(measures); i++) {
        const lethe_json *m = lethe_json_at(measures, i);
        print_row(2, text_of(m, "name"), text_of(m, "summary"));
        print_rows(4, lethe_json_get(m, "figures"), "meaning");
    }
    print_adversaries(lethe_json_get(report, "adversaries"));
}

lethe_err run_methods(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    if (report) print_tables(report);
    lethe_json_doc_free(doc);
    return e;
}
