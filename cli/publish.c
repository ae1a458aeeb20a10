/* SPDX-License-Identifier: Apache-2.0 */
/* publish.c - tries what could be published, publishes the best of it, and says why. */
#include "cli.h"
#include <malloc.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

const lethe_option publish_options[] = {
    {.name = "goal",
     .type = LETHE_OPT_CHOICE,
     .arg = "patterns|sessions|clicks|counts",
     .fallback = "patterns",
     .help = "purpose of the release: find what occurs together, follow sessions, learn which "
             "results are clicked, or count"},
    {.name = "risk",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "9%",
     .unit = '%',
     .min = 0,
     .max = 100,
     .help = "highest acceptable risk: the upper 95 % confidence bound for the share of people "
             "who can be found, by the adversary that finds most"},
    {.name = "least",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "2%",
     .unit = '%',
     .min = 0,
     .max = 100,
     .help = "how much must be kept of what matters for the goal"},
    {.name = "anyway", .type = LETHE_OPT_FLAG, .help = "publish also what keeps less than --least"},
    {.name = "dry-run",
     .type = LETHE_OPT_FLAG,
     .help = "try, choose, make and attack the release, but write nothing"},
    {.name = "sample",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 2,
     .max = 1e12,
     .help = "for logs: try the candidates on N users first [default: 2000 if there are more than "
             "3000]"},
    {.name = "within",
     .type = LETHE_OPT_DURATION,
     .arg = "DURATION",
     .fallback = "4m",
     .min = 1,
     .max = 3.2e9,
     .help = "time for trying candidates; those that do not fit are left out"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .word = "wordnet|wordnet:present",
     .help = "for records: taxonomy for generalizing items"},
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
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .told = true,
     .help = "for tables: folder with a hierarchy per quasi-identifier"},
    {.name = "ranges",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN=5,10,...",
     .help = "for tables: widths of ranges for a numeric column [default: suggested]"},
    {.name = "missing",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|drop",
     .help = "for tables: keep or drop rows with a missing value"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the input (adversary identity)"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "search results as query TAB url, in rank order (adversaries)"},
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
    {0},
};

const lethe_option redo_options[] = {
    {.name = "risk",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "9%",
     .unit = '%',
     .min = 0,
     .max = 100,
     .help = "highest acceptable risk, as for lethe-publish(1)"},
    {.name = "dry-run",
     .type = LETHE_OPT_FLAG,
     .help = "make and attack the release, but write nothing"},
    {.name = "taxonomy",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .word = "wordnet|wordnet:present",
     .help = "the taxonomy, if the release was made with a file"},
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .told = true,
     .help = "for tables: the folder of hierarchies"},
    {.name = "sensitive",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "for records: the list of sensitive items"},
    {.name = "directory",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|FILE",
     .word = "wordnet",
     .help = "for microagg: the directory of categories, if it was a file"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "search results as query TAB url, in rank order (split, disconnect, adversaries)"},
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the input (adversary identity)"},
    {0},
};

const lethe_figure publish_figures[] = {
    {"goal, bound, least", "as asked for", .better = 0},
    {"shape, persons, rows", "of the input", .better = 0},
    {"sample_persons", "users of the sample that the candidates were tried on, if there was one",
     .better = 0},
    {"candidates",
     "an object for each candidate, the best first: as rows of lethe-compare(1), with "
     "kept_for_goal, kept, risk, risk_by and risks",
     .better = 0},
    {"chosen",
     "label, summary, command, kept_for_goal, kept (shares of queries, clicks, sessions, patterns, "
     "terms and detail that are left), risk, risk_by, risks (an object for each adversary: threat, "
     "counts, success, upper, risk, before, baseline, trials), not_tried, examples",
     .better = 0},
    {"runner_up", "label, command, kept_for_goal and risk of the next one", .better = 0},
    {"release, map", "where they are; the page is report.html in the release", .better = 0},
    {0},
};

static const lethe_json *member(const lethe_json *o, const char *name)
{
    return lethe_json_get(o, name);
}

static bool is_number(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_INT || lethe_json_kind(v) == LETHE_JSON_REAL;
}

/* --- while it tries --- */

/* Without a terminal that shows progress: one line per candidate. */
static void candidate_line(void *user, const lethe_json *row, size_t i, size_t n)
{
    char x[SAFE_BYTES], y[SAFE_BYTES];
    const lethe_json *error = member(row, "error"), *risk = member(row, "exposure");
    (void)user;
    fprintf(stderr, "lethe: %2zu of %zu: %-24s ", i + 1, n,
            safe(x, lethe_json_text(member(row, "label"))));
    if (lethe_json_kind(error) == LETHE_JSON_TEXT)
        fprintf(stderr, "%s\n", safe(y, lethe_json_text(error)));
    else if (is_number(risk))
        fprintf(stderr, "keeps %5.1f %%, risk %5.1f %%\n", 100 * figure(row, "kept_for_goal"),
                100 * lethe_json_real(risk));
    else
        fprintf(stderr, "keeps %5.1f %%, no user to find\n", 100 * figure(row, "kept_for_goal"));
}

/* --- the answer --- */

/* What an adversary does, for somebody who has not read about it. */
static const char *in_words(lethe_str adversary, bool finds)
{
    static const struct {
        const char *name, *words;
    } all[] = {
        {"identity", "planted people, by a number, a name or rare habits"},
        {"known-terms", "by a few words that are known of a person"},
        {"linkage", "by joining parts of one person's history"},
        {"background", "by a few items that are known of a person"},
        {"presence-absence", "by items a person has, and has not"},
        {"linking", "by a person's row in another table"},
        {"homogeneity", "what all of a person's group have in common"},
        {"marking", "by having a person issue chosen queries"},
        {"frequency", "what an identifier stands for, by its frequency"},
        {"competitor", "which website a click went to"},
        {"replay", "the page behind a published host"},
    };
    if (!finds && adversary.n == 7 && memcmp(adversary.at, "linking", 7) == 0)
        return "a sensitive value, by the row in another table";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (adversary.n == strlen(all[i].name) &&
            memcmp(adversary.at, all[i].name, adversary.n) == 0)
            return all[i].words;
    return "";
}

static void print_cell(const lethe_json *v)
{
    if (is_number(v))
        printf("  %6.1f %%", 100 * lethe_json_real(v));
    else
        printf("  %8s", "-");
}

/* Adversaries that count, or those that do not. */
static void print_risks(const lethe_json *risks, bool counted, const char *title)
{
    bool any = false;
    for (size_t i = 0; i < lethe_json_count(risks); i++) {
        const lethe_json *r = lethe_json_at(risks, i);
        lethe_str name = lethe_json_text(member(r, "adversary"));
        if (lethe_json_bool(member(r, "counts")) != counted) continue;
        if (!any) printf("\n%-52s    before     after   at most\n", title);
        any = true;
        printf("  %-50s", in_words(name, counted));
        print_cell(member(r, "before"));
        print_cell(member(r, "success"));
        print_cell(member(r, "upper"));
        putchar('\n');
    }
}

static void print_not_tried(const lethe_json *list)
{
    size_t n = lethe_json_count(list);
    if (n == 0) return;
    fputs("  not tried: ", stdout);
    for (size_t i = 0; i < n; i++) {
        lethe_str name = lethe_json_text(member(lethe_json_at(list, i), "adversary")),
                  needs = lethe_json_text(member(lethe_json_at(list, i), "needs"));
        printf("%s%.*s (needs --%.*s)", i ? ", " : "", (int)name.n, name.at, (int)needs.n,
               needs.at);
    }
    putchar('\n');
}

static void print_kept(const lethe_json *kept)
{
    fputs("\nWhat is left of the original\n ", stdout);
    for (size_t i = 0; i < lethe_json_count(kept); i++) {
        lethe_str name = lethe_json_name(kept, i);
        printf(" %s%.*s %.1f %%", i ? "  " : "", (int)name.n, name.at,
               100 * lethe_json_real(lethe_json_at(kept, i)));
    }
    putchar('\n');
}

/* Tabs become gaps; empty columns at the end are left out. */
static void print_examples(const lethe_json *lines)
{
    enum { LINE = 100 };
    char text[2 * LINE];
    puts("\nSome of its rows");
    for (size_t i = 0; i < lethe_json_count(lines); i++) {
        lethe_str line = lethe_json_text(lethe_json_at(lines, i));
        size_t n = 0;
        while (line.n > 0 && line.at[line.n - 1] == '\t')
            line.n--;
        for (size_t k = 0; k < line.n && n + 2 < sizeof text; k++) {
            text[n++] = line.at[k] == '\t' ? ' ' : line.at[k];
            if (line.at[k] == '\t') text[n++] = ' ';
        }
        fputs("  ", stdout);
        print_safe(stdout, (lethe_str){text, n}, LINE);
        puts(line.n == 0 ? "(empty)" : n > LINE ? "..." : "");
    }
}

static size_t count_below(const lethe_json *rows, double bound)
{
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *row = lethe_json_at(rows, i);
        n += lethe_json_kind(member(row, "error")) != LETHE_JSON_TEXT &&
             figure(row, "exposure") <= bound;
    }
    return n;
}

static void print_choice(const lethe_json *m)
{
    if (!lethe_json_count(member(m, "candidates"))) { // of `redo`
        const lethe_json *one = member(m, "chosen");
        char shown[SAFE_BYTES];
        printf("%s: %s\n  Risk: at most %.1f %%.\n", member(m, "release") ? "Published" : "Made",
               safe(shown, lethe_json_text(member(one, "label"))), 100 * figure(one, "risk"));
        return;
    }
    const lethe_json *c = member(m, "chosen"), *rows = member(m, "candidates");
    lethe_str goal = lethe_json_text(member(m, "goal")),
              label = lethe_json_text(member(c, "label")),
              summary = lethe_json_text(member(c, "summary"));
    char x[SAFE_BYTES], text[512];
    double bound = figure(m, "bound"), chance = figure(c, "chance");
    printf("%s: %.*s\n", member(m, "release") ? "Published" : "Publish this", (int)label.n,
           safe(x, label));
    print_folded(stdout, summary, "  ", "  ");
    char risk[64] = "No users are published, so that nobody can be looked for in it.";
    if (member(c, "risk_by"))
        snprintf(risk, sizeof risk, "Risk: at most %.1f %%.", 100 * figure(c, "risk"));
    int n =
        snprintf(text, sizeof text,
                 "Of %zu candidates, %zu have a risk of %.3g %% or less; of these it keeps most "
                 "for %.*s (%.1f %%). %s",
                 lethe_json_count(rows), count_below(rows, bound), 100 * bound, (int)goal.n,
                 goal.at, 100 * figure(c, "kept_for_goal"), risk);
    print_folded(stdout, (lethe_str){text, (size_t)n}, "  ", "  ");
    if (member(c, "chance") && chance > bound)
        printf("  Chance alone finds %.1f %%: the input has few people.\n", 100 * chance);
}

static void print_answer(const lethe_json *m)
{
    const lethe_json *c = member(m, "chosen"), *second = member(m, "runner_up");
    char x[SAFE_BYTES], persons[32], rows[32];
    printf("%s people, %s rows", grouped(persons, count(m, "persons")),
           grouped(rows, count(m, "rows")));
    if (member(m, "sample_persons"))
        printf("; candidates were tried on %s people", grouped(rows, count(m, "sample_persons")));
    puts("");
    if (!c) return;
    print_choice(m);
    print_risks(member(c, "risks"), true, "Who can be found");
    print_risks(member(c, "risks"), false, "What else can be learned (does not count)");
    print_not_tried(member(c, "not_tried"));
    print_kept(member(c, "kept"));
    print_examples(member(c, "examples"));
    putchar('\n');
    if (second)
        printf("runner-up  %s: keeps %.1f %%, risk %.1f %%\n",
               safe(x, lethe_json_text(member(second, "label"))),
               100 * figure(second, "kept_for_goal"), 100 * figure(second, "risk"));
    fputs("command    ", stdout);
    print_safe(stdout, lethe_json_text(member(c, "command")), SIZE_MAX);
    putchar('\n');
    if (!member(m, "release")) return;
    printf("release    %s\n", safe(x, lethe_json_text(member(m, "release"))));
    printf("page       %s/report.html\n", safe(x, lethe_json_text(member(m, "release"))));
    if (!member(m, "map")) return;
    printf("map        %s (the way back to the people: keep it secret, or delete it)\n",
           safe(x, lethe_json_text(member(m, "map"))));
}

/* --- the command --- */

/* 9% and 0.09 are the same. */
static double share_of(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_of(v, name);
    return value->count == 1 ? value->real / 100 : value->real;
}

static void publishing_set(const arguments *a, lethe_publish_options *out)
{
    const lethe_value *times = common(a, "time"), *urls = common(a, "urls"),
                      *seed = common(a, "seed");
    // in the order of the options' choices
    static const lethe_times cuts[] = {LETHE_TIMES_EXACT, LETHE_TIMES_HOUR, LETHE_TIMES_DAY,
                                       LETHE_TIMES_DROP};
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_ID,
                                       LETHE_URLS_DROP};
    *out = (lethe_publish_options){
        .keep_users = common(a, "keep-users")->given,
        .times = times->given ? cuts[times->count] : LETHE_TIMES_DAY,
        .urls = urls->given ? kinds[urls->count] : LETHE_URLS_HOST,
        .has_seed = seed->given,
        .seed = (uint64_t)seed->count,
        .key_file = common(a, "key-file")->text,
        .map = common(a, "map")->text,
        .force = common(a, "force")->given,
    };
}

/* Runs it, and shows the answer. */
static lethe_err publish(const arguments *a, lethe_publish_request *q)
{
    const char *whose = a->stages[0].command.name;
    if (q->risk <= 0 || q->risk > 1 || q->least > 1)
        return misuse(whose, "--%s: a share of up to 100 %% is needed, such as 9%% or 0.09",
                      q->risk <= 0 || q->risk > 1 ? "risk" : "least");
    if (!q->out && !q->dry_run)
        return misuse(whose, "no output given: use -o FOLDER, or --dry-run to write nothing");
    if (!q->out) q->out = "release";
    bool lines = !common(a, "quiet")->given && !wants_json(a) &&
                 (common(a, "no-progress")->given || !isatty(STDERR_FILENO));
    if (lines) q->on_candidate = candidate_line;
    if (wants_json(a)) q->on_report = print_json_first;
    publishing_set(a, &q->publishing);
    lethe_err e = reading_of(a, &q->reading);
    if (e != LETHE_OK) return e;
    core_dumps_forbid(true); // as for compare
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    e = lethe_publish(a->ctx, q, doc, &report);
    bool told = report && (e == LETHE_OK || e == LETHE_ANSWER_NO);
    if (told && !wants_json(a))
        print_answer(lethe_json_get(report, "metrics"));
    else if (told && e == LETHE_ANSWER_NO && print_json(report) == LETHE_ENOMEM)
        e = LETHE_ENOMEM;
    lethe_json_doc_free(doc);
    return e;
}

lethe_err run_publish(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    lethe_publish_request q = {
        .inputs = a->operands,
        .n_inputs = a->n_operands,
        .goal = (lethe_goal)lethe_value_of(v, "goal")->count,
        .risk = share_of(v, "risk"),
        .least = share_of(v, "least"),
        .anyway = lethe_value_of(v, "anyway")->given,
        .dry_run = lethe_value_of(v, "dry-run")->given,
        .sample = (uint64_t)lethe_value_of(v, "sample")->count,
        .within_s = (double)lethe_value_of(v, "within")->count,
        .values = v,
        .out = common(a, "output")->text,
        .has_urls = common(a, "urls")->given,
    };
    return publish(a, &q);
}

lethe_err run_redo(const arguments *a)
{
    const lethe_values *v = &a->stages[0].values;
    if (a->n_operands < 2) return misuse("redo", "a release and an input are needed");
    lethe_publish_request q = {
        .like = a->operands[0],
        .inputs = a->operands + 1,
        .n_inputs = a->n_operands - 1,
        .risk = share_of(v, "risk"),
        .least = 0,
        .dry_run = lethe_value_of(v, "dry-run")->given,
        .values = v,
        .out = common(a, "output")->text,
    };
    return publish(a, &q);
}
