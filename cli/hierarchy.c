/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy.c - writes a hierarchy for a column of a table, to be edited. */
#include "cli.h"

const lethe_option hierarchy_options[] = {
    {.name = "kind",
     .type = LETHE_OPT_CHOICE,
     .arg = "numbers|dates|codes|groups|flat",
     .help = "what the values are [default: found from the values]"},
    {.name = "widths",
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "for numbers: widths of ranges, each a multiple of the one before [default: by the "
             "spread of the values]"},
    {.name = "prefixes",
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "for codes: lengths of prefixes, falling [default: all]"},
    {.name = "groups",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for categories: value TAB group per line, and further groups above, each after a "
             "tab"},
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .fallback = "-",
     .help = "file for the hierarchy, or - for standard output"},
    {0},
};

const lethe_figure hierarchy_figures[] = {
    {"column", "the column", .better = 0},
    {"kind", "numbers, dates, codes, groups or flat", .better = 0},
    {"made", "what was made, in words", .better = 0},
    {"values", "distinct values, missing ones aside", .better = 0},
    {"levels", "levels, including the values and the root", .better = 0},
    {0},
};

/* What to do if it is not what was meant. */
static const char *hint_of(lethe_str kind)
{
    if (kind.n == 4 && memcmp(kind.at, "flat", 4) == 0)
        return "to go on, list groups (value TAB group) and give them with --groups FILE, or put "
               "labels between the value and '*'";
    if (kind.n == 7 && memcmp(kind.at, "numbers", 7) == 0)
        return "--widths 5,10,20 gives other ranges; --kind codes if these are codes, such as ZIP "
               "codes";
    if (kind.n == 5 && memcmp(kind.at, "codes", 5) == 0)
        return "--prefixes 3,1 gives other lengths; --kind numbers if these are numbers";
    return NULL;
}

static void print_summary(const lethe_json *report, const lethe_hierarchy_options *h)
{
    const lethe_json *m = lethe_json_get(report, "metrics");
    lethe_str kind = lethe_json_text(lethe_json_get(m, "kind"));
    char n[32], name[SAFE_BYTES], made[SAFE_BYTES], path[SAFE_BYTES];
    bool asked = h->has_kind || h->widths || h->prefixes || h->groups;
    const char *hint = asked ? NULL : hint_of(kind);
    fprintf(stderr, "'%s' (%s distinct) taken as %s\n",
            safe(name, lethe_json_text(lethe_json_get(m, "column"))),
            grouped(n, count(m, "values")), safe(made, lethe_json_text(lethe_json_get(m, "made"))));
    if (hint) fprintf(stderr, "%s\n", hint);
    if (strcmp(h->out, "-") != 0) fprintf(stderr, "wrote '%s'\n", safe(path, str_of(h->out)));
}

lethe_err run_hierarchy(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    const lethe_value *kind = lethe_value_of(v, "kind");
    if (a->n_operands < 2)
        return misuse("hierarchy", "hierarchy needs a table and the name of a column");
    lethe_hierarchy_options h = {.inputs = a->operands,
                                 .n_inputs = a->n_operands - 1,
                                 .column = a->operands[a->n_operands - 1],
                                 .has_kind = kind->given,
                                 .kind = (lethe_hierarchy_kind)kind->count,
                                 .widths = lethe_value_of(v, "widths")->text,
                                 .prefixes = lethe_value_of(v, "prefixes")->text,
                                 .groups = lethe_value_of(v, "groups")->text,
                                 .out = lethe_value_of(v, "output")->text,
                                 .force = common(a, "force")->given,
                                 .on_report = wants_json(a) ? print_json_first : NULL};
    if (wants_json(a) && strcmp(h.out, "-") == 0)
        return misuse("hierarchy", "--json needs -o FILE: the hierarchy goes to standard output");
    lethe_err e = reading_of(a, &h.reading);
    if (e != LETHE_OK) return e;
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    e = lethe_hierarchy_write(a->ctx, &h, doc, &report);
    if (e == LETHE_OK && !wants_json(a) && !common(a, "quiet")->given) print_summary(report, &h);
    lethe_json_doc_free(doc);
    return e;
}
