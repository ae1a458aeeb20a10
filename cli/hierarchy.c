/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy.c - writes a hierarchy for a column of a table, to be edited. */
#include "cli.h"

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

static void print_summary(const lethe_json *report, const lethe_values *v, const char *out)
{
    const lethe_json *m = lethe_json_get(report, "metrics");
    lethe_str kind = lethe_json_text(lethe_json_get(m, "kind"));
    char n[32], name[SAFE_BYTES], made[SAFE_BYTES], path[SAFE_BYTES];
    bool asked = lethe_value_of(v, "kind")->given || lethe_value_of(v, "widths")->given ||
                 lethe_value_of(v, "prefixes")->given || lethe_value_of(v, "groups")->given;
    const char *hint = asked ? NULL : hint_of(kind);
    fprintf(stderr, "'%s' (%s distinct) taken as %s\n",
            safe(name, lethe_json_text(lethe_json_get(m, "column"))),
            grouped(n, count(m, "values")), safe(made, lethe_json_text(lethe_json_get(m, "made"))));
    if (hint) fprintf(stderr, "%s\n", hint);
    if (strcmp(out, "-") != 0) fprintf(stderr, "wrote '%s'\n", safe(path, str_of(out)));
}

lethe_err run_hierarchy(arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    const char *out = lethe_value_of(v, "output")->text;
    lethe_json_doc *doc;
    lethe_json *report;
    if (a->n_operands < 2)
        return misuse("hierarchy", "hierarchy needs a table and the name of a column");
    if (wants_json(a) && strcmp(out, "-") == 0)
        return misuse("hierarchy", "--json needs -o FILE: the hierarchy goes to standard output");
    lethe_err e = request(a, &doc, &report);
    if (e == LETHE_OK && report && !common(a, "quiet")->given) print_summary(report, v, out);
    lethe_json_doc_free(doc);
    return e;
}
