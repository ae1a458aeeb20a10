/* method.c - every method runs through here: its options come from the library's table. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* An option that tells how to publish a log, where the last step gives none, or rows of its own;
 * NULL: there is none. */
static const lethe_option *coarsening_of_none(const arguments *a)
{
    const command *last = &a->stages[a->n_stages - 1].command;
    for (size_t i = 0; common_options[i].name; i++)
        if (a->common.at[i].given && !common_applies(&common_options[i], last))
            return &common_options[i];
    return NULL;
}

/* What becomes of clicked URLs where --urls says nothing. */
static lethe_urls urls_of(const arguments *a, bool to_stdout)
{
    bool ids = false;
    for (size_t i = 0; i < a->n_stages; i++)
        ids = ids || a->stages[i].command.method->ids;
    return to_stdout ? LETHE_URLS_KEEP : ids ? LETHE_URLS_ID : LETHE_URLS_HOST;
}

static lethe_err job_of(const arguments *a, lethe_job *job)
{
    const lethe_value *out = common(a, "output"), *times = common(a, "time"),
                      *urls = common(a, "urls"), *seed = common(a, "seed");
    // in the order of the options' choices
    static const lethe_times cuts[] = {LETHE_TIMES_EXACT, LETHE_TIMES_HOUR, LETHE_TIMES_DAY,
                                       LETHE_TIMES_DROP};
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_ID,
                                       LETHE_URLS_DROP};
    const char *whose = a->stages[0].command.name;
    if (!out->given)
        return misuse(whose, "a method needs -o: a folder to make, or - for standard output");
    const lethe_option *coarse = coarsening_of_none(a);
    if (coarse)
        return misuse(whose, "--%s is for a log published as it was read, and %s gives none",
                      coarse->name, a->stages[a->n_stages - 1].command.name);
    bool to_stdout = strcmp(out->text, "-") == 0;
    if (to_stdout && wants_json(a))
        return misuse(whose, "--json and -o - both want standard output");
    if (to_stdout && common(a, "report")->given)
        return misuse(whose, "--report goes into a release, and -o - makes none");
    job->page = common(a, "report")->given;
    job->inputs = a->operands;
    job->n_inputs = a->n_operands;
    job->out = out->text;
    job->publishing = (lethe_publish_options){
        .keep_users = common(a, "keep-users")->given || to_stdout,
        .times = times->given ? cuts[times->count]
                 : to_stdout  ? LETHE_TIMES_EXACT
                              : LETHE_TIMES_DAY,
        .urls = urls->given ? kinds[urls->count] : urls_of(a, to_stdout),
        .has_seed = seed->given,
        .seed = (uint64_t)seed->count,
        .key_file = common(a, "key-file")->text,
        .map = common(a, "map")->text,
        .force = common(a, "force")->given,
    };
    return reading_of(a, &job->reading);
}

static void print_claim(const lethe_json *claim)
{
    lethe_str notion = lethe_json_text(lethe_json_get(claim, "notion"));
    fprintf(stderr, "  promise    %.*s", (int)notion.n, notion.at);
    for (size_t i = 0; i < lethe_json_count(claim); i++) {
        lethe_str name = lethe_json_name(claim, i);
        size_t n;
        char *text = lethe_json_write(lethe_json_at(claim, i), 0, &n);
        if (text && !(name.n == 6 && memcmp(name.at, "notion", 6) == 0))
            fprintf(stderr, " %.*s=%s", (int)name.n, name.at, text);
        lethe_json_text_free(text);
    }
    fputs(": holds, checked on the written bytes\n", stderr);
}

enum {
    SHOWN_MAX = 10,    /* elements of an array; --json has the rest */
    CAVEATS_SHOWN = 3, /* `lethe verify --caveats` has the rest */
};

static void print_word(lethe_str word)
{
    fputc(' ', stderr);
    print_safe(stderr, word, 40);
}

/* A figure by level, say, or names; "-" where there is none. */
static void print_array(lethe_str name, const lethe_json *v)
{
    char x[32];
    size_t n = lethe_json_count(v);
    fprintf(stderr, "  %-16.*s", (int)name.n, name.at);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        const lethe_json *at = lethe_json_at(v, i);
        if (lethe_json_kind(at) == LETHE_JSON_INT)
            fprintf(stderr, " %s", grouped(x, lethe_json_int(at)));
        else if (lethe_json_kind(at) == LETHE_JSON_REAL)
            fprintf(stderr, " %.4f", lethe_json_real(at));
        else if (lethe_json_kind(at) == LETHE_JSON_TEXT)
            print_word(lethe_json_text(at));
        else
            fputs(" -", stderr);
    }
    if (n > SHOWN_MAX) fprintf(stderr, " ... (%s)", grouped(x, (int64_t)n));
    fputs(n > 0 ? "\n" : " none\n", stderr);
}

/* A figure that is a number or a yes or no, several of them in a row, or several by name: those
 * that are not nought. */
static void print_figure(lethe_str name, const lethe_json *v)
{
    char x[32];
    const char *gap = "";
    if (lethe_json_kind(v) == LETHE_JSON_ARRAY) print_array(name, v);
    if (lethe_json_kind(v) == LETHE_JSON_INT)
        fprintf(stderr, "  %-16.*s %s\n", (int)name.n, name.at, grouped(x, lethe_json_int(v)));
    if (lethe_json_kind(v) == LETHE_JSON_REAL)
        fprintf(stderr, "  %-16.*s %.4g\n", (int)name.n, name.at, lethe_json_real(v));
    if (lethe_json_kind(v) == LETHE_JSON_BOOL)
        fprintf(stderr, "  %-16.*s %s\n", (int)name.n, name.at, lethe_json_bool(v) ? "yes" : "no");
    if (lethe_json_kind(v) != LETHE_JSON_OBJECT) return;
    fprintf(stderr, "  %-16.*s ", (int)name.n, name.at);
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        lethe_str part = lethe_json_name(v, i);
        const lethe_json *at = lethe_json_at(v, i); // a list by column: how long it is
        int64_t n = lethe_json_kind(at) == LETHE_JSON_ARRAY ? (int64_t)lethe_json_count(at)
                                                            : lethe_json_int(at);
        if (n == 0) continue;
        fprintf(stderr, "%s%.*s %s", gap, (int)part.n, part.at, grouped(x, n));
        gap = ", ";
    }
    fputs(*gap ? "\n" : "none\n", stderr);
}

static void print_summary(const arguments *a, const lethe_json *report)
{
    char x[32];
    const lethe_json *counts = lethe_json_get(report, "counts"),
                     *metrics = lethe_json_get(report, "metrics");
    const lethe_json *claims = lethe_json_get(report, "claims");
    static const char *const names[] = {"read", "published", "suppressed", "rejected"};
    bool to_stdout = strcmp(common(a, "output")->text, "-") == 0;
    if (to_stdout) {
        fputs("lethe: note: data alone: nothing is checked or claimed for it; -o FOLDER makes a "
              "release\n",
              stderr);
        return;
    }
    const char *what = lethe_json_get(metrics, "records") ? "lines of the input" : "rows";
    fprintf(stderr, "released in '%s'\n", common(a, "output")->text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(stderr, "  %-10s %12s %s\n", names[i], grouped(x, count(counts, names[i])), what);
    for (size_t i = 0; i < lethe_json_count(metrics); i++)
        print_figure(lethe_json_name(metrics, i), lethe_json_at(metrics, i));
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        print_claim(lethe_json_at(claims, i));
    size_t n_caveats = lethe_json_count(lethe_json_get(report, "caveats"));
    fputc('\n', stderr);
    print_caveats(stderr, report, CAVEATS_SHOWN);
    if (n_caveats > CAVEATS_SHOWN)
        fprintf(stderr, "  %zu more: lethe verify --caveats %s\n", n_caveats - CAVEATS_SHOWN,
                common(a, "output")->text);
}

lethe_err run_method(const arguments *a)
{
    lethe_job job = {.n_steps = a->n_stages, .on_report = wants_json(a) ? print_json_first : NULL};
    lethe_err e = job_of(a, &job);
    if (e != LETHE_OK) return e;
    lethe_step *steps = calloc(a->n_stages, sizeof *steps);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (steps && doc) {
        for (size_t i = 0; i < a->n_stages; i++)
            steps[i] =
                (lethe_step){.method = a->stages[i].command.method, .values = a->stages[i].values};
        job.steps = steps;
        e = lethe_release_make(a->ctx, &job, doc, &report);
        bool to_stdout =
            strcmp(job.out, "-") == 0; // that nothing is claimed is said even to the quiet
        if (wants_json(a) && report && e == LETHE_ANSWER_NO) {
            if (print_json(report) != LETHE_OK)
                fputs("lethe: cannot write standard output\n", stderr);
        } else if (e == LETHE_OK && !wants_json(a) && (to_stdout || !common(a, "quiet")->given)) {
            print_summary(a, report);
        }
    } else {
        e = LETHE_ENOMEM;
    }
    lethe_json_doc_free(doc);
    free(steps);
    return e;
}
