/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - runs every method that applies and shows them side by side. */
#include "cli.h"
#include <malloc.h>
#include <string.h>

const lethe_option compare_options[] = {
    {.name = "methods",
     .type = LETHE_OPT_TEXT,
     .arg = "NAME,...",
     .help = "run only these methods [default: all that apply]"},
    {.name = "k",
     .letter = 'k',
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "values of k, for methods that have one; with --theta, each k with each theta "
             "[default: 2,5,10; for tables with --sa, those of --theta]"},
    {.name = "t",
     .letter = 't',
     .type = LETHE_OPT_TEXT,
     .arg = "N,...",
     .help = "values of t, for threshold and seal [default: those of -k]"},
    {.name = "theta",
     .type = LETHE_OPT_TEXT,
     .arg = "X,...",
     .help = "for tables: values of theta, the highest share of one sensitive value in a group "
             "[default: 1/2,1/5,1/10 if --sa is given and -k is not]"},
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "STUDY",
     .help =
         "folder for the releases and the report; resumes a study that was interrupted [default: "
         "nothing is kept]"},
    {.name = "gap",
     .type = LETHE_OPT_DURATION,
     .arg = "DURATION|all",
     .word = "all",
     .min = 0,
     .max = 9e15,
     .help = "for logs turned into records: a longer pause starts a new record of the user; for "
             "split: a new persona"},
    {.name = "clicked",
     .type = LETHE_OPT_FLAG,
     .help = "for logs turned into records: leave out queries without a click"},
    {.name = "distinct", .type = LETHE_OPT_FLAG, .help = "for records: keep one copy of each item"},
    {.name = "terms",
     .type = LETHE_OPT_CHOICE,
     .arg = "nouns|words",
     .help = "for logs turned into records: which words of queries become items"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|wordnet:present|FILE",
     .word = "wordnet|wordnet:present",
     .help = "for records: taxonomy for generalizing items"},
    {.name = "synonyms",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|merge",
     .help = "for records: 'merge' replaces each noun by the first word of its synset"},
    {.name = "persons",
     .type = LETHE_OPT_CHOICE,
     .arg = "person|record",
     .help = "for records: whether k counts persons or records"},
    {.name = "sensitive",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "for records: sensitive items, one per line (og, mog, mm)"},
    {.name = "directory",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|FILE",
     .word = "wordnet",
     .help = "for microagg: directory of the categories of texts"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "search results as query TAB url, in rank order (split, disconnect, and adversaries)"},
    {.name = "qi",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "treat the input as a table; these columns are quasi-identifiers"},
    {.name = "sa",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "for tables: sensitive columns"},
    {.name = "class",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN",
     .help = "for tables: the class column, published unchanged"},
    {.name = "keep",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "for tables: further columns to publish unchanged"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .told = true,
     .help = "for tables: folder with COLUMN.csv or COLUMN.tsv per quasi-identifier"},
    {.name = "ranges",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN=5,10,...",
     .help = "for tables: widths of ranges for a numeric column"},
    {.name = "missing",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|drop",
     .help = "for tables: keep or drop rows with a missing value"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the input (adversary identity)"},
    {.name = "known",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .min = 1,
     .max = 1000,
     .help = "number of facts that adversaries know about a person [default: 3]"},
    {.name = "external",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for tables: the adversary's own table of persons (linking) [default: the original]"},
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1000000,
     .help = "number of most frequent patterns to compare [default: 1000]"},
    {0},
};

const lethe_figure compare_figures[] = {
    {"rows",
     "an object for each method and setting: method, parameters, label, name (of its files), "
     "notion, holds, nothing (if it promises nothing), utility, recall, success, baseline, "
     "attacks, measures, published, suppressed, seconds, peak_bytes, error, status",
     .better = 0},
    {"varied", "the options that were varied, with their values and the methods", .better = 0},
    {"utility_meaning", "meaning of utility", .better = 0},
    {"success_meaning", "meaning of success and baseline", .better = 0},
    {"input", "name of the first input file", .better = 0},
    {0},
};

/* --- the table --- */

typedef struct columns {
    int label, notion;
} columns;

static int length(const lethe_json *row, const char *name)
{
    return (int)lethe_json_text(lethe_json_get(row, name)).n;
}

static columns columns_of(const lethe_json *rows)
{
    columns c = {6, 6};
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        if (length(row, "label") > c.label) c.label = length(row, "label");
        if (length(row, "notion") > c.notion) c.notion = length(row, "notion");
    }
    return c;
}

static void print_share(const lethe_json *row, const char *name)
{
    const lethe_json *v = lethe_json_get(row, name);
    lethe_json_type kind = lethe_json_kind(v);
    if (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL)
        printf("  %8s", "-");
    else
        printf("  %6.1f %%", 100 * lethe_json_real(v));
}

/* Without a release there is no promise. */
static const char *holds_word(const lethe_json *row)
{
    if (lethe_json_kind(lethe_json_get(row, "error")) == LETHE_JSON_TEXT) return "-";
    if (lethe_json_get(row, "nothing")) return "yes*"; // the note below the table says why
    return lethe_json_bool(lethe_json_get(row, "holds")) ? "yes" : "no";
}

static void print_row(const lethe_json *row, columns c)
{
    static const char *const shares[] = {"utility", "recall", "success", "baseline"};
    lethe_str label = lethe_json_text(lethe_json_get(row, "label")),
              notion = lethe_json_text(lethe_json_get(row, "notion"));
    char x[SAFE_BYTES], y[SAFE_BYTES];
    printf("  %-*s  %-*s  %-5s", c.label, safe(x, label), c.notion, safe(y, notion),
           holds_word(row));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        print_share(row, shares[i]);
    printf("  %8.1f  %6lld M\n", figure(row, "seconds"),
           (long long)(count(row, "peak_bytes") >> 20));
}

/* What is wrong with single rows: no release, or one that promises nothing. */
static void print_notes(const lethe_json *rows)
{
    bool any = false;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        lethe_str label = lethe_json_text(lethe_json_get(row, "label")),
                  error = lethe_json_text(lethe_json_get(row, "error")),
                  nothing = claim_nothing(row);
        if (error.n == 0 && nothing.n == 0) continue;
        if (!any) putchar('\n');
        any = true;
        fputs(error.n == 0 ? "  * " : "  ", stdout);
        print_safe(stdout, label, SAFE_MAX);
        fputs(error.n == 0 ? " " : ": ", stdout);
        print_safe(stdout, error.n == 0 ? nothing : error, 1000);
        putchar('\n');
    }
}

static void print_meaning(const char *name, const lethe_json *metrics, const char *member)
{
    lethe_str text = lethe_json_text(lethe_json_get(metrics, member));
    char first[32];
    if (text.n == 0) return;
    snprintf(first, sizeof first, "  %s: ", name);
    print_folded(stdout, text, first, "    ");
}

static void show(const lethe_json *report, const char *out)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics"),
                     *rows = lethe_json_get(metrics, "rows");
    columns c = columns_of(rows);
    printf("  %-*s  %-*s  %-5s  %8s  %8s  %8s  %8s  %8s  %8s\n", c.label, "method", c.notion,
           "notion", "holds", "utility", "recall", "success", "baseline", "seconds", "memory");
    for (size_t i = 0; i < lethe_json_count(rows); i++)
        print_row(lethe_json_at(rows, i), c);
    print_notes(rows);
    putchar('\n');
    print_meaning("varied", metrics, "varied");
    print_meaning("utility", metrics, "utility_meaning");
    for (size_t i = 0; i < lethe_json_count(rows); i++)
        if (lethe_json_get(lethe_json_at(rows, i), "recall")) {
            puts("  recall: how much of the most frequent closed patterns of the original is found "
                 "again");
            break;
        }
    print_meaning("success", metrics, "success_meaning");
    char x[SAFE_BYTES];
    if (out)
        printf("  wrote the study to '%s': report.html, study.csv, releases/\n",
               safe(x, str_of(out)));
}

/* --- the command --- */

static lethe_err options_of(const arguments *a, lethe_compare_options *c)
{
    const lethe_values *v = &a->stages[0].values;
    const lethe_value *times = common(a, "time"), *urls = common(a, "urls"),
                      *seed = common(a, "seed");
    // in the order of the options' choices
    static const lethe_times cuts[] = {LETHE_TIMES_EXACT, LETHE_TIMES_HOUR, LETHE_TIMES_DAY,
                                       LETHE_TIMES_DROP};
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_ID,
                                       LETHE_URLS_DROP};
    *c = (lethe_compare_options){
        .inputs = a->operands,
        .n_inputs = a->n_operands,
        .methods = lethe_value_of(v, "methods")->text,
        .k = lethe_value_of(v, "k")->text,
        .t = lethe_value_of(v, "t")->text,
        .theta = lethe_value_of(v, "theta")->text,
        .values = v,
        .publishing = {.keep_users = common(a, "keep-users")->given,
                       .times = times->given ? cuts[times->count] : LETHE_TIMES_DAY,
                       .urls = urls->given ? kinds[urls->count] : LETHE_URLS_HOST,
                       .has_seed = seed->given,
                       .seed = (uint64_t)seed->count,
                       .force = common(a, "force")->given},
        .has_urls = urls->given,
        .out = lethe_value_of(v, "output")->text,
    };
    return reading_of(a, &c->reading);
}

lethe_err run_compare(const arguments *a)
{
    lethe_compare_options c;
    lethe_err e = options_of(a, &c);
    if (e != LETHE_OK) return e;
    core_dumps_forbid(true); // each run's greatest memory is measured by /proc/self/clear_refs
    // Large blocks go back to the system as soon as a run frees them. By default glibc would start
    // to take them from the heap, which then gets fragmented from run to run.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    e = lethe_compare_make(a->ctx, &c, doc, &report);
    if (report && (e == LETHE_OK || e == LETHE_ANSWER_NO)) {
        if (!wants_json(a))
            show(report, c.out);
        else if (print_json(report) == LETHE_ENOMEM && e == LETHE_OK)
            e = LETHE_ENOMEM; // output that was lost is found, and said, by main()
    }
    lethe_json_doc_free(doc);
    return e;
}
