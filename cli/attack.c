/* SPDX-License-Identifier: Apache-2.0 */
/* attack.c - what adversaries can still do with a release. */
#include "cli.h"

/* Success by kind of planted person. */
static void print_kinds(const lethe_json *kinds)
{
    for (size_t i = 0; i < lethe_json_count(kinds); i++) {
        const lethe_json *k = lethe_json_at(kinds, i);
        lethe_str name = lethe_json_name(kinds, i);
        if (count(k, "planted") == 0) continue;
        printf("    %-12.*s %6lld of %lld, before %lld\n", (int)name.n, name.at,
               (long long)count(k, "after"), (long long)count(k, "planted"),
               (long long)count(k, "before"));
    }
}

/* Linkage by the number of users that match. */
static void print_selectivity(const lethe_json *columns)
{
    static const struct {
        const char *name, *label;
    } rows[] = {
        {"all", "any number"}, {"le1000", "<= 1000"}, {"le100", "<= 100"}, {"le10", "<= 10"}};
    if (columns) puts("    of the 100 with the most similar words, by how many match (Adar):");
    for (size_t i = 0; columns && i < sizeof rows / sizeof *rows; i++) {
        const lethe_json *c = lethe_json_get(columns, rows[i].name);
        printf("    %-12s ", rows[i].label);
        print_percent(stdout, figure(c, "share"));
        printf(" of %lld\n", (long long)count(c, "sessions"));
    }
}

/* The number of candidate records, before and after. */
static void print_candidates(const lethe_json *v)
{
    static const struct {
        const char *name, *label;
    } rows[] = {{"candidates_before", "before"},
                {"candidates_after", "compatible"},
                {"likeliest", "likeliest"},
                {"by_size", "by size too"}};
    char persons[32];
    if (!lethe_json_get(v, "likeliest")) return;
    printf("    of %s persons, up to %lld items known of each:\n",
           grouped(persons, count(v, "persons")), (long long)count(v, "known"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lethe_json *c = lethe_json_get(v, rows[i].name);
        printf("    %-12s ", rows[i].label);
        print_percent(stdout, figure(c, "success"));
        printf("; candidates: median %.1f, fewer than %lld: ", figure(c, "median"),
               (long long)count(v, "k"));
        print_percent(stdout, figure(c, "under_k"));
        putchar('\n');
    }
}

/* The share of persons with few candidates, before and after. */
static void print_narrowed(const lethe_json *v)
{
    char persons[32];
    if (!lethe_json_get(v, "crowd")) return;
    printf("    of %s persons, up to %lld terms known of each:\n",
           grouped(persons, count(v, "persons")), (long long)count(v, "known"));
    for (int after = 0; after < 2; after++) {
        printf("    %-12s ", after ? "after" : "before");
        print_percent(stdout, figure(v, after ? "success" : "before"));
        printf("; narrowed to fewer than %lld: ", (long long)count(v, "crowd"));
        print_percent(stdout, figure(v, after ? "narrowed" : "narrowed_before"));
        putchar('\n');
    }
}

/* What each strategy of an adversary achieves, in the order of its table. */
static void print_strategies(const lethe_json *v)
{
    const lethe_json *all = lethe_json_get(v, "strategies");
    lethe_str best = lethe_json_text(lethe_json_get(v, "strategy"));
    if (!all || figure(v, "success") == 0) return;
    printf("    best strategy: %.*s;", (int)best.n, best.at);
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        lethe_str name = lethe_json_name(all, i);
        printf("%s %.*s %.1f %%", i ? "," : "", (int)name.n, name.at,
               100 * figure(lethe_json_at(all, i), "success"));
    }
    putchar('\n');
}

/* Candidates that match known present and absent items, and what they tell about sensitive items.
 */
static void print_presence(const lethe_json *v)
{
    static const struct {
        const char *name, *label;
    } rows[] = {{"candidates_before", "before"}, {"candidates_after", "after"}};
    char persons[32];
    if (!lethe_json_get(v, "absent")) return;
    printf("    of %s persons, up to %lld present and %lld absent items known of each",
           grouped(persons, count(v, "persons")), (long long)count(v, "known"),
           (long long)count(v, "absent"));
    if (lethe_json_get(v, "sensitive_known"))
        printf(", and %lld sensitive", (long long)count(v, "sensitive_known"));
    puts(":");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lethe_json *c = lethe_json_get(v, rows[i].name);
        printf("    %-12s ", rows[i].label);
        print_percent(stdout, figure(c, "success"));
        printf("; candidates: median %.1f, least %lld, fewer than %lld: ", figure(c, "median"),
               (long long)count(c, "min"), (long long)count(v, "k"));
        print_percent(stdout, figure(c, "under_k"));
        putchar('\n');
        if (!lethe_json_get(c, "confidence")) continue;
        printf("    %-12s ", "  sensitive");
        print_percent(stdout, figure(c, "confidence"));
        fputs("; at most ", stdout);
        print_percent(stdout, figure(c, "confidence_max"));
        if (lethe_json_get(v, "limit")) {
            printf(", over %.1f %%: ", 100 * figure(v, "limit"));
            print_percent(stdout, figure(c, "over_limit"));
        }
        putchar('\n');
    }
}

/* Shares of URLs and clicks that are revealed, after and before. */
static void print_disclosed(const lethe_json *v)
{
    static const struct {
        const char *before, *after, *label;
    } rows[] = {{"urls_named_before", "urls_named_after", "URLs"},
                {"urls_sited_before", "urls_sited_after", "site, URLs"},
                {"clicks_sited_before", "clicks_sited_after", "site, clicks"},
                {"before_without_rank", "success_without_rank", "without rank"}};
    char urls[32], clicks[32];
    if (!lethe_json_get(v, "urls_named_after")) return;
    printf("    of %s clicks on %s URLs, those whose URL or site is revealed (after, before):\n",
           grouped(clicks, count(v, "clicks")), grouped(urls, count(v, "urls")));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("    %-14s    ", rows[i].label);
        print_percent(stdout, figure(v, rows[i].after));
        fputs("    ", stdout);
        print_percent(stdout, figure(v, rows[i].before));
        putchar('\n');
    }
}

/* Who was marked, and what is learned of them. */
static void print_marking(const lethe_json *v)
{
    char persons[32];
    if (!lethe_json_get(v, "marks")) return;
    printf(
        "    of %s persons, up to %lld queries each; up to %lld accounts of the adversary's own\n",
        grouped(persons, count(v, "persons")), (long long)count(v, "marks"),
        (long long)count(v, "accounts"));
    if (!lethe_json_get(v, "disclosed")) return;
    fputs("    the user who is recognized has on average ", stdout);
    print_percent(stdout, figure(v, "disclosed"));
    puts(" of a person's rows");
}

/* Identifiers of texts and URLs, and how many were named. */
static void print_hidden(const lethe_json *v)
{
    const lethe_json *hidden = lethe_json_get(v, "hidden");
    char ids[32], rows[32], candidates[32];
    for (size_t i = 0; i < lethe_json_count(hidden); i++) {
        const lethe_json *k = lethe_json_at(hidden, i);
        lethe_str name = lethe_json_name(hidden, i);
        printf("    %-6.*s %s rows, %s identifiers, %s candidates; named: ", (int)name.n, name.at,
               grouped(rows, count(k, "rows")), grouped(ids, count(k, "ids")),
               grouped(candidates, count(k, "candidates")));
        print_percent(stdout, figure(k, "success"));
        fputs(" of the rows, ", stdout);
        print_percent(stdout, figure(k, "ids_right"));
        puts(" of the identifiers");
        if (count(k, "unconfirmed") > 0)
            printf("           %s identifiers fit nothing in the original\n",
                   grouped(ids, count(k, "unconfirmed")));
    }
}

/* What groups tell. */
static void print_homogeneity(const lethe_json *v)
{
    const lethe_json *columns = lethe_json_get(v, "columns");
    char persons[32], shown[SAFE_BYTES];
    if (!lethe_json_get(v, "knows")) return;
    printf("    of %s persons, something is known for certain of",
           grouped(persons, count(v, "persons")));
    print_percent(stdout, figure(v, "certain"));
    fputs(" (before:", stdout);
    print_percent(stdout, figure(v, "certain_before"));
    puts(")");
    if (lethe_json_get(v, "misled")) {
        fputs("    all candidates show something that is not the person's for", stdout);
        print_percent(stdout, figure(v, "misled"));
        putchar('\n');
    }
    if (lethe_json_get(v, "prior"))
        printf("    what is named is true of %.1f %% of all: %.1f times as many here\n",
               100 * figure(v, "prior"), figure(v, "lift"));
    for (size_t i = 0; i < lethe_json_count(columns); i++) {
        const lethe_json *c = lethe_json_at(columns, i);
        printf("    %-14s ", safe(shown, lethe_json_text(lethe_json_get(c, "column"))));
        print_percent(stdout, figure(c, "success"));
        fputs("; certain ", stdout);
        print_percent(stdout, figure(c, "certain"));
        printf("; lift %.2f\n", figure(c, "lift"));
    }
}

/* Figures that only some adversaries have. */
static void print_more(const lethe_json *v)
{
    const lethe_json *c = lethe_json_get(v, "components");
    if (c)
        printf("    %.1f personas per person, linked into %.1f groups\n", figure(c, "sessions"),
               figure(c, "mean"));
    if (lethe_json_get(v, "without_rank")) {
        fputs("    without rank ", stdout);
        print_percent(stdout, figure(v, "without_rank"));
        printf(" of %lld clicks\n", (long long)(count(v, "clicks") - count(v, "unconfirmed")));
        if (count(v, "unconfirmed") > 0)
            printf("    %lld more clicks that are not in the original\n",
                   (long long)count(v, "unconfirmed"));
        if (count(v, "in_full") > 0)
            printf("    %lld clicks with the full URL published\n", (long long)count(v, "in_full"));
    }
}

/* Rows of a table whose sensitive values are starred or missing. */
static void print_suppressed(const lethe_json *v)
{
    const lethe_json *s = lethe_json_get(v, "suppressed"), *all = lethe_json_get(v, "strategies");
    char x[32], y[32];
    if (count(s, "rows") > 0) {
        printf("    values starred or missing: %s (groups: %s); the best guess is right for ",
               grouped(x, count(s, "rows")), grouped(y, count(s, "groups")));
        print_percent(stdout, figure(s, "named"));
        printf(" of them\n    groups whose original counts are known for certain: %s\n",
               grouped(x, count(s, "recovered")));
    }
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        const lethe_json *one = lethe_json_at(all, i);
        lethe_str name = lethe_json_name(all, i);
        if (!lethe_json_get(one, "above")) continue;
        printf("    a value is known with more confidence than theta allows (%.*s): ", (int)name.n,
               name.at);
        print_percent(stdout, figure(one, "above"));
        puts(" of the persons");
    }
}

/* Groups of a table that overlap, and several sensitive columns. */
static void print_linking(const lethe_json *v)
{
    const lethe_json *counted = lethe_json_get(v, "counted"),
                     *sensitive = lethe_json_get(v, "sensitive");
    char x[32], shown[SAFE_BYTES];
    if (lethe_json_get(v, "groups_mean")) {
        printf("    a person fits %.2f groups on average; several are fit by",
               figure(v, "groups_mean"));
        print_percent(stdout, figure(v, "fit_several"));
        puts(" of the persons");
    }
    if (counted) {
        fputs("    an adversary who also counts who can be in which group succeeds with ", stdout);
        print_percent(stdout, figure(counted, "success"));
        putchar('\n');
    }
    if (lethe_json_get(v, "revealed")) { // there is a sensitive column
        fputs("    always guessing the commonest sensitive value succeeds with ", stdout);
        print_percent(stdout, figure(v, "commonest"));
        putchar('\n');
    }
    for (size_t i = 0; i < lethe_json_count(sensitive); i++) {
        const lethe_json *s = lethe_json_at(sensitive, i);
        printf("    %-14s ", safe(shown, lethe_json_text(lethe_json_get(s, "column"))));
        print_percent(stdout, figure(s, "success"));
        fputs("    ", stdout);
        print_percent(stdout, figure(s, "before"));
        fputs("    ", stdout);
        print_percent(stdout, figure(s, "baseline"));
        putchar('\n');
    }
    if (lethe_json_get(v, "undecided"))
        printf("    persons undecided: %s\n", grouped(x, count(v, "undecided")));
}

/* Why the success may be another than it looks: never left out. */
static void print_limits(const lethe_json *v)
{
    static const char *const texts[] = {"note", "not_tried"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lethe_str text = lethe_json_text(lethe_json_get(v, texts[i]));
        if (text.n > 0) print_folded(stdout, text, "    ", "    ");
    }
    if (lethe_json_get(v, "likeliest") && !lethe_json_bool(lethe_json_get(v, "confirmed")))
        puts("    upper bound: without --map it is not known which record belongs to whom");
    if (!lethe_json_get(v, "success_at_most") || count(v, "unconfirmed") == 0) return;
    printf("    guesses that the original cannot confirm: %lld; success if all were right: ",
           (long long)count(v, "unconfirmed"));
    print_percent(stdout, figure(v, "success_at_most"));
    putchar('\n');
}

static void print_shares(lethe_str name, const lethe_json *v)
{
    printf("  %-16.*s    ", (int)name.n, name.at);
    print_percent(stdout, figure(v, "success"));
    fputs("    ", stdout);
    if (lethe_json_get(v, "before"))
        print_percent(stdout, figure(v, "before"));
    else
        printf("%7s", "-");
    fputs("    ", stdout);
    print_percent(stdout, figure(v, "baseline"));
    putchar('\n');
}

/* What the success means, and what it is made of. */
static void print_details(const lethe_json *v)
{
    print_folded(stdout, lethe_json_text(lethe_json_get(v, "meaning")), "    ", "    ");
    print_strategies(v);
    if (count(v, "linkable") > 0)
        printf("    of %lld published users that have another one to find\n",
               (long long)count(v, "linkable"));
    print_kinds(lethe_json_get(v, "kinds"));
    print_selectivity(lethe_json_get(v, "selectivity"));
    print_candidates(v);
    print_narrowed(v);
    print_presence(v);
    print_disclosed(v);
    print_marking(v);
    print_hidden(v);
    print_homogeneity(v);
    print_more(v);
    print_suppressed(v);
    print_linking(v);
}

static void show(const lethe_json *report, bool explain)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    printf("  %-16s %10s %10s %10s\n", "adversary", "success", "before", "baseline");
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        print_shares(lethe_json_name(metrics, i), v);
        if (explain) print_details(v);
        print_limits(v);
    }
    if (!explain)
        puts("success: how often the adversary is right; before: with the original; baseline: by "
             "chance\n--explain says what each adversary does");
}

lethe_err run_attack(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    if (e == LETHE_OK && report) show(report, wants_all(a));
    lethe_json_doc_free(doc);
    return e;
}
