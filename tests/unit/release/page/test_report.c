/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: what the page says, and that nothing in what it is given can make it say more. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "release/page/report.h"
#include "release_harness.h"
#include "well_formed.h"

static ground g;
static lethe_ctx *ctx;
static char *page; /* the last one written */
static size_t n_plots;

static int begin(void **state)
{
    (void)state;
    g_begin(&g);
    ctx = g_ctx(&g, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    g_end(&g);
    free(page);
    page = NULL;
    return 0;
}

static int times(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* What is true of every page. */
static void page_check(void)
{
    char told[64];
    assert_string_equal(well_formed(page), "");
    assert_non_null(strstr(page, "<html lang=\"en\">"));
    assert_non_null(strstr(page, "content=\"default-src &#39;none&#39;; style-src "
                                 "&#39;unsafe-inline&#39;;"));
    assert_int_equal(times(page, "<h1"), 1);
    assert_int_equal(times(page, "<script"), 0);
    assert_int_equal(times(page, "http://www.w3.org/2000/svg"), (int)n_plots);
    assert_int_equal(times(page, "://"), (int)n_plots); // nothing is loaded from anywhere
    int narrow = times(page, "class=\"narrow\"");       // drawn twice
    assert_int_equal(times(page, "<figure"), (int)n_plots - narrow);
    assert_int_equal(times(page, "<figcaption"), (int)n_plots - narrow);
    assert_int_equal(times(page, "role=\"img\""), (int)n_plots);
    snprintf(told, sizeof told, "data-plots=\"%zu\"", n_plots);
    assert_non_null(strstr(page, told));
    // every link leads to something on the page
    for (const char *at = page; (at = strstr(at, "href=\"#")); at++) {
        char id[64];
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
        if (!strstr(page, id)) fail_msg("no %s", id);
    }
}

static lethe_err page_of(const lethe_report_input *in)
{
    lethe_buf b = {0};
    lethe_err e = lethe_report_write(ctx, in, &b, &n_plots);
    if (e == LETHE_OK) {
        free(page);
        page = malloc(b.n + 1);
        assert_non_null(page);
        memcpy(page, b.at, b.n);
        page[b.n] = '\0';
        assert_int_equal(strlen(page), b.n);
        page_check();
    } else {
        assert_int_equal(b.n, 0);
    }
    lethe_buf_free(&b);
    return e;
}

static const char *page_from(const char *manifest, const char *study)
{
    lethe_json_doc *docs[2] = {NULL, NULL};
    lethe_json *m = NULL, *s = NULL;
    if (manifest)
        assert_int_equal(lethe_json_parse(NULL, "manifest", lethe_str_of(manifest), &docs[0], &m),
                         LETHE_OK);
    if (study)
        assert_int_equal(lethe_json_parse(NULL, "study", lethe_str_of(study), &docs[1], &s),
                         LETHE_OK);
    lethe_report_input in = {.manifest = m, .study = s, .shape = LETHE_SHAPE_LOG, .dirfd = -1};
    assert_int_equal(page_of(&in), LETHE_OK);
    lethe_json_doc_free(docs[0]);
    lethe_json_doc_free(docs[1]);
    return page;
}

static const char *page_of_claim(const char *claim)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"claims\": [%s], \"verdict\": {\"holds\": true}}", claim);
    return page_from(text, NULL);
}

#define SAYS(words)                                                                                \
    do {                                                                                           \
        if (!strstr(page, words)) fail_msg("the page does not say: %s", words);                    \
    } while (0)

/* --- promises --- */

static void each_promise_has_words_with_its_numbers(void **state)
{
    static const struct {
        const char *claim, *words;
    } cases[] = {
        {"{\"notion\": \"scrubbed\", \"kinds\": [\"ssn\", \"card\", \"email\"]}",
         "US social security numbers, payment card numbers and e-mail addresses."},
        {"{\"notion\": \"query-threshold\", \"t\": 7, \"by\": \"users\"}",
         "has at least 7 different users. "},
        {"{\"notion\": \"query-threshold\", \"t\": 7, \"by\": \"queries\"}",
         "one person who asks the same thing 7 times is enough"},
        {"{\"notion\": \"query-threshold\", \"t\": 7, \"by\": \"rows\"}", "in at least 7 rows"},
        {"{\"notion\": \"query-threshold\", \"t\": 7, \"by\": \"users\", \"rare\": \"hash\"}",
         "a code (# and 32 digits)"},
        {"{\"notion\": \"sealed\", \"t\": 3, \"n\": 10, \"scheme\": \"shamir\", \"clicks\": false}",
         "one of 10 possible shares of its key, and 3 different shares open it"},
        {"{\"notion\": \"sealed\", \"t\": 3, \"n\": 10, \"clicks\": true}", "are not locked."},
        {"{\"notion\": \"personas\", \"by\": \"day\"}", "no persona spans 24 hours or more"},
        {"{\"notion\": \"personas\", \"by\": \"gap\", \"gap\": 5400}",
         "no persona has a pause longer than 90 minutes"},
        {"{\"notion\": \"personas\", \"by\": \"gap\", \"gap\": 3600}", "longer than 1 hour."},
        {"{\"notion\": \"personas\", \"by\": \"interest\"}", "resembles an earlier one"},
        {"{\"notion\": \"personas\", \"by\": \"query\"}", "No two queries share a name."},
        {"{\"notion\": \"user-k-anonymity\", \"k\": 5}",
         "exactly the same rows as at least 4 others"},
        {"{\"notion\": \"disconnected\", \"density\": 0.0}",
         "No two published queries share a clicked address."},
        {"{\"notion\": \"disconnected\", \"density\": 0.025, \"k\": 9, \"K\": 4}",
         "at most 2.5 % share a clicked address"},
        {"{\"notion\": \"disconnected\", \"density\": 0.0, \"k\": 9, \"K\": 4}",
         "at least 9 of them."},
        {"{\"notion\": \"record-k-anonymity\", \"k\": 5}",
         "Each such group belongs to at least 5 different persons."},
        {"{\"notion\": \"record-k-anonymity\", \"k\": 5, \"persons\": \"record\"}",
         "Records were counted, not persons"},
        {"{\"notion\": \"kl-privacy\", \"k\": 4, \"m\": 3, \"n\": 0, \"l\": 1.0}",
         "knows up to 3 things that a person&#39;s record holds. They find no record that fits, or "
         "at least 4: a chance of 1 in 4"},
        {"{\"notion\": \"kl-privacy\", \"k\": 4, \"m\": 3, \"n\": 2, \"l\": 4.0}",
         "at most 25 % hold any one of the items"},
        {"{\"notion\": \"coherence\", \"h\": 0.4, \"k\": 6, \"p\": 2}",
         "And of the sets that hold them, at most 40 % hold"},
        {"{\"notion\": \"l-plus-diversity\", \"theta\": 0.25}",
         "make up more than 25 % of the rows"},
        {"{\"notion\": \"l-plus-diversity\", \"theta\": \"1/3\"}",
         "make up more than 1/3 of the rows"},
        {"{\"notion\": \"l-plus-diversity\", \"theta\": \"listed\"}",
         "the share that was set for this value"},
        {"{\"notion\": \"k-anonymity\", \"k\": 3}", "agrees with at least 2 others"},
        {"{\"notion\": \"distinct-l\", \"l\": 3}", "at least 3 different sensitive values"},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        page_of_claim(cases[i].claim);
        SAYS(cases[i].words);
        assert_null(strchr(strstr(page, "id=\"promise\""), '{')); // nothing was left unfilled
        assert_null(strstr(page, "no explanation of this promise"));
    }
}

/* Every notion that a checker exists for has words. */
static void no_notion_is_without_words(void **state)
{
    (void)state;
    for (const lethe_notion *const *n = lethe_notions(); *n; n++) {
        char claim[512];
        snprintf(
            claim, sizeof claim,
            "{\"notion\": \"%s\", \"kinds\": [\"ssn\"], \"t\": 3, \"n\": 4, \"k\": 5, \"l\": 2, "
            "\"m\": 1, \"p\": 1, \"c\": \"3\", \"h\": 0.5, \"theta\": 0.5, \"density\": 0, \"by\": "
            "\"users\"}",
            (*n)->name);
        page_of_claim(claim);
        if (strstr(page, "no explanation of this promise")) fail_msg("no words for %s", (*n)->name);
    }
}

/* Half a sentence would mislead: without its numbers none is said. */
static void a_claim_that_lacks_its_numbers_is_not_dressed_up(void **state)
{
    (void)state;
    page_of_claim("{\"notion\": \"user-k-anonymity\"}");
    SAYS("no explanation of this promise");
    page_of_claim("{\"notion\": \"user-k-anonymity\", \"k\": \"<b>5</b>\"}");
    SAYS("no explanation of this promise");
    SAYS("k = &lt;b&gt;5&lt;/b&gt;");
    page_of_claim("{\"notion\": \"of another version\", \"q\": [1, 2]}");
    SAYS("no explanation of this promise");
    SAYS("q = 1, 2");
}

/* --- verdict, caveats, figures --- */

static void a_broken_promise_is_said_first(void **state)
{
    (void)state;
    page_from("{\"verdict\": {\"holds\": false, \"checks\": [{\"notion\": \"scrubbed\", \"kinds\": "
              "[\"ssn\"], \"holds\": false, \"counterexample\": {\"query\": \"<i>\\u202e\"}}]}}",
              NULL);
    SAYS("It does not keep its promise.");
    SAYS("It must not be handed out.");
    SAYS("query = &lt;i&gt;\uFFFD");
    assert_null(strstr(page, "It keeps its promise"));
    // no verdict is no promise kept
    page_from("{}", NULL);
    SAYS("It does not keep its promise.");
    SAYS("Nothing is promised.");
}

static void caveats_and_figures_are_shown(void **state)
{
    (void)state;
    page_from(
        "{\"lethe\": \"9.9\", \"steps\": [{\"command\": \"threshold\", \"parameters\": {\"t\": 5, "
        "\"time\": \"day\", \"urls\": \"host\", \"keep-users\": false}}], \"caveats\": [\"Beware "
        "<of> this.\"], \"metrics\": {\"rows_kept\": 1234567, \"strange\": {\"a\": 1, \"b\": "
        "0.5}, \"list\": [1,2,3,4,5,6,7,8,9,10,11,12,13]}, \"counts\": {\"read\": 10, "
        "\"published\": 4, \"suppressed\": 6, \"rejected\": 0}, \"files\": [{\"name\": "
        "\"data.tsv\", \"bytes\": 42, \"blake2b\": \"abc\"}, {\"name\": \"report.html\", "
        "\"bytes\": 1, \"blake2b\": \"def\"}]}",
        NULL);
    SAYS("Beware &lt;of&gt; this.");
    SAYS("1,234,567");
    SAYS("rows published with their text"); // the meaning, from the method's table
    SAYS("more is better");
    SAYS("strange: b");
    SAYS("13 values, from 1 to 13");
    SAYS("Of 10 lines that were read, 4 are published: 40 %.");
    SAYS("times are reduced to the day");
    SAYS("users are published under keyed pseudonyms");
    SAYS("The release was made by lethe 9.9.");
    SAYS("data.tsv");
    assert_null(strstr(page, "report.html")); // its own digest it can not know
    assert_int_equal(n_plots, 1);
}

/* --- beside the original --- */

static void measures_and_adversaries_are_laid_beside(void **state)
{
    lethe_json_doc *doc;
    lethe_json *all;
    static const char text[] =
        "{\"manifest\": {\"verdict\": {\"holds\": true}}, \"measure\": {\"metrics\": {\"rows\": "
        "{\"original\": 200, \"published\": 50, \"share\": 0.25}, \"untruth\": {\"line\": 5, "
        "\"raw\": "
        "\"secret text\"}}}, \"attack\": {\"metrics\": {\"identity\": {\"success\": 0.125, "
        "\"baseline\": 1.0, \"meaning\": \"share of <them>\", \"raw\": \"secret text\"}}}}";
    (void)state;
    assert_int_equal(lethe_json_parse(NULL, "all", LETHE_LIT(text), &doc, &all), LETHE_OK);
    lethe_report_input in = {.manifest = lethe_json_get(all, "manifest"),
                             .shape = LETHE_SHAPE_LOG,
                             .dirfd = -1,
                             .measure = lethe_json_get(all, "measure"),
                             .attack = lethe_json_get(all, "attack")};
    assert_int_equal(page_of(&in), LETHE_OK);
    SAYS("25 %");
    SAYS("12.5 %");
    SAYS("share of &lt;them&gt;");
    SAYS("made with the original data");
    assert_null(strstr(page, "secret text")); // only shares and counts are shown
    assert_int_equal(n_plots, 2);
    in.measure = in.attack = NULL;
    assert_int_equal(page_of(&in), LETHE_OK);
    assert_null(strstr(page, "made with the original data"));
    lethe_json_doc_free(doc);
}

/* --- the answer --- */

/* The page of a log that keeps its promise, with the figures of an attack (NULL: none). */
static void answer_from(const char *manifest, const char *attack)
{
    lethe_json_doc *docs[2] = {NULL, NULL};
    lethe_json *m = NULL, *a = NULL;
    assert_int_equal(lethe_json_parse(NULL, "m", lethe_str_of(manifest), &docs[0], &m), LETHE_OK);
    if (attack)
        assert_int_equal(lethe_json_parse(NULL, "a", lethe_str_of(attack), &docs[1], &a), LETHE_OK);
    lethe_report_input in = {.manifest = m, .shape = LETHE_SHAPE_LOG, .dirfd = -1, .attack = a};
    assert_int_equal(page_of(&in), LETHE_OK);
    lethe_json_doc_free(docs[0]);
    lethe_json_doc_free(docs[1]);
}

static void green_is_for_what_is_known_to_be_low(void **state)
{
    static const char kept[] = "{\"verdict\": {\"holds\": true}}",
                      found[] = "\"known-terms\": {\"success\": 0.01, \"before\": 0.9, "
                                "\"baseline\": 0.001, \"persons\": 1000}",
                      none[] = "\"linkage\": {\"success\": 0, \"linkable\": 0}",
                      linked[] = "\"linkage\": {\"success\": 0.12, \"linkable\": 9000}",
                      told[] = "\"linkage\": {\"success\": 0, \"linkable\": 0}, "
                               "\"homogeneity\": {\"success\": 0.6, \"baseline\": 0.02, "
                               "\"persons\": 1000}",
                      hinted[] = "\"linkage\": {\"success\": 0, \"linkable\": 0}, "
                                 "\"homogeneity\": {\"success\": 0.12, \"baseline\": 0.02, "
                                 "\"persons\": 1000}",
                      marked[] = "\"marking\": {\"success\": 0.3, \"persons\": 50}",
                      few[] = "\"known-terms\": {\"success\": 0, \"persons\": 20}";
    static const struct {
        const char *manifest, *figures[2], *looks, *says;
    } cases[] = {
        {kept, {NULL, NULL}, "answer warn", "What an adversary still finds was not tried."},
        {kept, {NULL, NULL}, "answer warn", "lethe report RELEASE --original FILE"},
        {kept, {found, NULL}, "answer warn", "as far as it was tried, which is not all"},
        {kept, {found, none}, "answer good", "and the risk is low."},
        {kept, {found, none}, "answer good", "No person has two published users"},
        {kept,
         {found, none},
         "answer good",
         "in 1 % of cases, 1 in 100 (in the original: 90 %; "
         "by chance: 0.1 %)."},
        {kept, {found, linked}, "answer warn", "but a risk is not low"},
        {kept, {found, told}, "answer bad", "hardly anybody can be found in it, but much can be"},
        {kept, {found, hinted}, "answer warn", "in it, but something can be inferred"},
        {kept, {marked, told}, "answer bad", "but an adversary still succeeds often"},
        {kept, {marked, none}, "answer bad", "but an adversary still succeeds often"},
        {kept, {none, NULL}, "answer warn", "What an adversary still finds was not tried."},
        {kept, {few, none}, "answer warn", "With 95 % confidence at most 13.9 %."},
        {"{\"verdict\": {\"holds\": false}}",
         {found, none},
         "answer bad",
         "must not be handed out"},
        {"{\"verdict\": {\"holds\": true, \"checks\": [{\"notion\": \"x\", \"nothing\": \"x "
         "promises "
         "nothing: y.\"}]}}",
         {found, none},
         "answer bad",
         "It promises nothing."},
        {"{\"verdict\": {\"holds\": true}, \"metrics\": {\"undecided\": 3}}",
         {found, none},
         "answer warn",
         "as far as can be seen"},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char text[600];
        const char *const *f = cases[i].figures;
        snprintf(text, sizeof text, "{\"metrics\": {%s%s%s}}", f[0] ? f[0] : "", f[1] ? ", " : "",
                 f[1] ? f[1] : "");
        answer_from(cases[i].manifest, f[0] ? text : NULL);
        SAYS(cases[i].looks);
        SAYS(cases[i].says);
        assert_int_equal(times(page, "class=\"answer "), 1);
    }
}

/* Nobody writes into the answer but by figures. */
static void title_and_date_are_text(void **state)
{
    lethe_json_doc *doc;
    lethe_json *m;
    (void)state;
    assert_int_equal(lethe_json_parse(NULL, "m", LETHE_LIT("{}"), &doc, &m), LETHE_OK);
    lethe_report_input in = {.manifest = m,
                             .shape = LETHE_SHAPE_LOG,
                             .dirfd = -1,
                             .title = "<b>Log</b>",
                             .date = "1 & 2",
                             .bound = 0.2};
    assert_int_equal(page_of(&in), LETHE_OK);
    SAYS("<h1>&lt;b&gt;Log&lt;/b&gt;</h1>");
    SAYS("A published search log.");
    SAYS("1 &amp; 2.");
    SAYS("Low risk: at most 20 %, 1 in 5. Raised: at most 40 %.");
    lethe_json_doc_free(doc);
}

/* --- a study --- */

static void a_study_shows_every_run(void **state)
{
    (void)state;
    page_from(
        NULL,
        "{\"rows\": [{\"method\": \"ssg\", \"parameters\": {\"k\": 5}, \"notion\": "
        "\"record-k-anonymity\", \"holds\": true, \"utility\": 0.5, \"success\": 0.1, "
        "\"baseline\": 0.9, \"seconds\": 1.25, \"peak_bytes\": 1048576}, {\"method\": \"og\", "
        "\"parameters\": \"k=5 m=2\", \"holds\": true, \"utility\": 0.4, \"success\": 0.2}, "
        "{\"method\": \"<x>\", \"holds\": false, \"utility\": 0.9, \"success\": 0.05}, "
        "{\"method\": \"mm\", \"error\": \"nothing is left\", \"holds\": null, \"utility\": "
        "null}], \"utility_meaning\": \"share of terms\"}");
    SAYS("4 runs: 2 keep their promise, 0 of them with a risk of at most 9 %. 1 made no release.");
    SAYS("ssg k=5");
    SAYS("og k=5 m=2");
    SAYS("&lt;x&gt;");
    SAYS("mm: nothing is left");
    SAYS("Useful: share of terms.");
    // a promise that does not hold outdoes nobody, and one that does is not outdone by it
    SAYS("no other run beats in both: ssg k=5.");
    assert_int_equal(n_plots, 2);
    page_from(
        NULL,
        "{\"rows\": [{\"method\": \"ssg\", \"label\": \"ssg k=7\", \"parameters\": {\"gap\": "
        "\"1h\", "
        "\"k\": 7, \"refine\": 20}, \"holds\": true, \"utility\": 0.5, \"success\": 0.5, \"risk\": "
        "{\"singling-out\": 0.05, \"inference\": 0.0875}}]}");
    SAYS("no other run beats in both: ssg k=7 1h.");
    SAYS(">ssg k=7 1h</th>");
    SAYS("gap=1h k=7 refine=20");
    SAYS("50 % of the terms kept; risk at most 8.8 %.");
    SAYS("lethe ssg INPUT --gap 1h -k 7 -o RELEASE");
    SAYS("as upper 95 % confidence bounds");
    assert_null(strstr(page, "href=\"releases/"));

    page_from(NULL, "{\"rows\": []}");
    SAYS("0 runs");
    assert_int_equal(n_plots, 0);
    page_from(NULL, "{\"rows\": [{}, 5, null]}");
    SAYS("3 runs: 0 keep their promise");
}

/* What is above the bound is on no card; the most useful come first. */
static void cards_hold_what_is_low(void **state)
{
    char rows[4000];
    size_t n = (size_t)snprintf(rows, sizeof rows, "{\"rows\": [");
    (void)state;
    for (int i = 0; i < 6; i++)
        n += (size_t)snprintf(rows + n, sizeof rows - n,
                              "%s{\"method\": \"ssg\", \"label\": \"ssg k=%d\", \"holds\": %s, "
                              "\"utility\": 0.%d, \"risk\": {\"singling-out\": %s}}",
                              i ? ", " : "", i, i == 4 ? "false" : "true", i + 1,
                              i == 5 ? "0.0901" : "0.09");
    snprintf(rows + n, sizeof rows - n, "]}");
    page_from(NULL, rows);
    const char *first = strstr(page, "<h4>ssg k=3</h4>"),
               *second = strstr(page, "<h4>ssg k=2</h4>"),
               *third = strstr(page, "<h4>ssg k=1</h4>");
    assert_true(first && second && third && first < second && second < third);
    for (int i = 0; i < 6; i++) {
        char card[40];
        snprintf(card, sizeof card, "<h4>ssg k=%d</h4>", i);
        assert_true((strstr(page, card) != NULL) == (i >= 1 && i <= 3));
    }
    // the table has all of them, the most useful first
    const char *table = strstr(page, "id=\"runs\"");
    assert_true(strstr(table, "ssg k=5") < strstr(table, "ssg k=4"));
    assert_true(strstr(table, "ssg k=4") < strstr(table, "ssg k=0"));
}

/* --- from the published bytes --- */

static void data_write(const char *name, const char *text)
{
    char path[600];
    mkdir(g.out, 0700);
    snprintf(path, sizeof path, "%s/%s", g.out, name);
    g_write(path, text);
}

static lethe_err page_of_data(lethe_shape shape, size_t n_examples)
{
    lethe_json_doc *doc;
    lethe_json *m;
    assert_int_equal(
        lethe_json_parse(NULL, "m", LETHE_LIT("{\"verdict\": {\"holds\": true}}"), &doc, &m),
        LETHE_OK);
    lethe_report_input in = {.manifest = m,
                             .shape = shape,
                             .n_examples = n_examples,
                             .dirfd = open(g.out, O_RDONLY | O_DIRECTORY)};
    lethe_err e = page_of(&in);
    close(in.dirfd);
    lethe_json_doc_free(doc);
    return e;
}

#define LOG_HEAD "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static void hostile_rows_are_text(void **state)
{
    (void)state;
    data_write("data.tsv", LOG_HEAD "a\t\"><img src=x onerror=alert(1)>\t2006-03-01\t\t\n"
                                    "b\t</td></table><script>alert(1)</script>\t2006-03-01\t\t\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 8), LETHE_OK);
    SAYS("<td><bdi>&quot;&gt;&lt;img src=x onerror=alert(1)&gt;</bdi></td>");
    SAYS("<bdi>&lt;/td&gt;&lt;/table&gt;&lt;script&gt;");
    assert_int_equal(n_plots, 1);
}

static void examples_are_distinct_few_and_cut(void **state)
{
    char text[2000];
    (void)state;
    int n = snprintf(text, sizeof text,
                     LOG_HEAD "a\tsame\t\t\t\na\tsame\t\t\t\nb\tother\t\t\t\nc\tthird"
                              "\t\t\t\nd\t");
    memset(text + n, 'x', 300);
    snprintf(text + n + 300, 20, "\t\t\t\n");
    data_write("data.tsv", text);
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 2), LETHE_OK);
    assert_int_equal(times(page, "<bdi>same</bdi>"), 1);
    assert_int_equal(times(page, "<bdi>other</bdi>"), 1);
    assert_null(strstr(page, "third"));
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 10), LETHE_OK);
    SAYS("xxx\u2026</bdi>");
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 0), LETHE_OK);
    assert_null(strstr(page, "<bdi>"));
    assert_null(strstr(page, "#examples"));
}

static void records_and_tables_are_shown(void **state)
{
    (void)state;
    data_write("data.txt", "\n\n<b> a\u202E\n<b> a\u202E\n<b> a\u202E\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_RECORDS, 8), LETHE_OK);
    SAYS("2 of 5 records are empty: nothing of them is published");
    SAYS("3 records.");
    assert_int_equal(times(page, "<bdi>&lt;b&gt; a\uFFFD</bdi>"), 1);
    assert_int_equal(times(page, "<bdi></bdi>"), 0);
    SAYS("All have at least 2; 60 % have at least 3.");
    data_write("data.csv",
               "age,#sex,\"illness, \"\"main\"\"\"\n\"1,2\",<m>,\"\"\"flu\"\"\"\n3,f,cold\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_TABLE, 8), LETHE_OK);
    SAYS("illness, &quot;main&quot;</th>");
    SAYS("#sex</th>");
    SAYS("<bdi>1,2</bdi>");
    SAYS("<bdi>&lt;m&gt;</bdi>");
    SAYS("<bdi>&quot;flu&quot;</bdi>");
    assert_null(strstr(page, "#survival"));
}

static void survival_counts_users_not_rows(void **state)
{
    lethe_survival s;
    (void)state;
    // "one" has a user with three rows, "two" has two users, "three" three
    data_write("data.tsv", LOG_HEAD
               "a\tone\t\t\t\na\tone\t\t\t\na\tone\t\t\t\na\tthree\t\t\t\na\ttwo\t\t\t\nb\t"
               "three\t\t\t\nb\ttwo\t\t\t\nb\ttwo\t\t\t\nc\tthree\t\t\t\n");
    int fd = open(g.out, O_RDONLY | O_DIRECTORY);
    assert_int_equal(lethe_survival_published(ctx, fd, LETHE_SHAPE_LOG, &s), LETHE_OK);
    close(fd);
    assert_int_equal(s.rows[0], 9);
    assert_int_equal(s.rows[1], 6);
    assert_int_equal(s.rows[2], 3);
    assert_int_equal(s.rows[3], 0);
    assert_int_equal(s.texts[0], 3);
    assert_int_equal(s.texts[1], 2);
    assert_int_equal(s.texts[2], 1);
}

/* A text that is the beginning of another is another. */
static void survival_tells_prefixes_apart(void **state)
{
    lethe_survival s;
    (void)state;
    data_write("data.tsv", LOG_HEAD "a\tbee\t\t\t\nb\tbees\t\t\t\nbees\tbee\t\t\t\n");
    int fd = open(g.out, O_RDONLY | O_DIRECTORY);
    assert_int_equal(lethe_survival_published(ctx, fd, LETHE_SHAPE_LOG, &s), LETHE_OK);
    close(fd);
    assert_int_equal(s.texts[0], 2);
    assert_int_equal(s.rows[1], 2);
}

/* Thousands of random logs against counting by hand; the same for any number of threads. */
static void survival_is_that_of_counting(void **state)
{
    uint32_t seed = 11;
    (void)state;
    for (int round = 0; round < 200; round++) {
        bool has[12][12] = {{false}};
        uint64_t rows[12] = {0}, want_rows[LETHE_LEVELS] = {0}, want_texts[LETHE_LEVELS] = {0};
        char text[8000];
        size_t n = (size_t)snprintf(text, sizeof text, LOG_HEAD);
        for (int u = 0; u < 12; u++) // in order of bytes: user, then text
            for (int q = 0; q < 12; q++) {
                seed = seed * 1664525 + 1013904223;
                unsigned copies = (seed >> 28) % 4 ? 0 : 1 + (seed >> 24) % 3;
                has[q][u] = copies > 0;
                rows[q] += copies;
                while (copies--)
                    n += (size_t)snprintf(text + n, sizeof text - n, "u%c\tq%c\t\t\t\n", 'a' + u,
                                          'a' + q);
            }
        for (int q = 0; q < 12; q++) {
            uint64_t users = 0;
            for (int u = 0; u < 12; u++)
                users += has[q][u];
            for (size_t i = 0; i < LETHE_LEVELS; i++)
                if (users >= lethe_levels[i]) {
                    want_rows[i] += rows[q];
                    want_texts[i]++;
                }
        }
        uint64_t want_users = 0;
        for (int u = 0; u < 12; u++) {
            bool any = false;
            for (int q = 0; q < 12; q++)
                any = any || has[q][u];
            want_users += any;
        }
        if (want_rows[0] == 0) continue;
        data_write("data.tsv", text);
        for (unsigned threads = 1; threads <= 7; threads += 3) {
            lethe_ctx *own = g_ctx(&g, threads);
            lethe_survival s;
            int fd = open(g.out, O_RDONLY | O_DIRECTORY);
            assert_int_equal(lethe_survival_published(own, fd, LETHE_SHAPE_LOG, &s), LETHE_OK);
            close(fd);
            lethe_ctx_free(own);
            if (memcmp(s.rows, want_rows, sizeof want_rows) != 0 ||
                memcmp(s.texts, want_texts, sizeof want_texts) != 0 || s.users != want_users)
                fail_msg("round %d, %u threads", round, threads);
        }
    }
}

static void damaged_data_is_an_error(void **state)
{
    (void)state;
    mkdir(g.out, 0700);
    assert_int_equal(page_of_data(LETHE_SHAPE_RECORDS, 3), LETHE_EIO); // no such file
    data_write("data.tsv", LOG_HEAD "b\tlater\t\t\t\na\tearlier\t\t\t\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 3), LETHE_EINPUT);
    data_write("data.tsv", LOG_HEAD "a\t\xff\t\t\t\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 3), LETHE_EINPUT);
    data_write("data.tsv", "");
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 3), LETHE_EINPUT);
    data_write("data.txt", "b\na\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_RECORDS, 3), LETHE_EINPUT);
    data_write("data.csv", "a,b\n1,2"); // no line end
    assert_int_equal(page_of_data(LETHE_SHAPE_TABLE, 3), LETHE_EINPUT);
    assert_int_equal(page_of_data(LETHE_SHAPE_SEALED, 3), LETHE_EINPUT);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
    (void)state;
    data_write("data.tsv", LOG_HEAD "a\tmaps\t\t\t\nb\tmaps\t\t\t\nb\tnews\t\t\t\n");
    assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 8), LETHE_OK);
    char *first = strdup(page);
    for (unsigned threads = 1; threads <= 7; threads += 2) {
        lethe_ctx_free(ctx);
        ctx = g_ctx(&g, threads);
        assert_int_equal(page_of_data(LETHE_SHAPE_LOG, 8), LETHE_OK);
        assert_string_equal(page, first);
    }
    free(first);
}

static void lack_of_memory_leaves_nothing(void **state)
{
    lethe_json_doc *doc;
    lethe_json *all;
    static const char text[] =
        "{\"steps\": [{\"command\": \"threshold\", \"parameters\": {\"t\": 5}}], \"claims\": "
        "[{\"notion\": \"query-threshold\", \"t\": 5, \"by\": \"users\"}], \"verdict\": "
        "{\"holds\": "
        "true}, \"counts\": {\"read\": 3}, \"rows\": [{\"method\": \"a\", \"utility\": 1, "
        "\"success\": "
        "0}]}";
    (void)state;
    data_write("data.tsv", LOG_HEAD "a\tmaps\t\t\t\nb\tmaps\t\t\t\n");
    assert_int_equal(lethe_json_parse(NULL, "all", LETHE_LIT(text), &doc, &all), LETHE_OK);
    lethe_report_input in = {.manifest = all,
                             .study = all,
                             .shape = LETHE_SHAPE_LOG,
                             .n_examples = 3,
                             .dirfd = open(g.out, O_RDONLY | O_DIRECTORY)};
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n += n < 300 ? 1 : 7) {
        lethe_buf b = {0};
        lethe_alloc_fail_at(n);
        e = lethe_report_write(ctx, &in, &b, NULL);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(b.n, 0);
        assert_true(e == LETHE_ENOMEM || (e == LETHE_OK && n > 100));
        lethe_buf_free(&b);
    }
    close(in.dirfd);
    lethe_json_doc_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_promise_has_words_with_its_numbers, begin, end),
        cmocka_unit_test_setup_teardown(no_notion_is_without_words, begin, end),
        cmocka_unit_test_setup_teardown(a_claim_that_lacks_its_numbers_is_not_dressed_up, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_broken_promise_is_said_first, begin, end),
        cmocka_unit_test_setup_teardown(caveats_and_figures_are_shown, begin, end),
        cmocka_unit_test_setup_teardown(measures_and_adversaries_are_laid_beside, begin, end),
        cmocka_unit_test_setup_teardown(a_study_shows_every_run, begin, end),
        cmocka_unit_test_setup_teardown(hostile_rows_are_text, begin, end),
        cmocka_unit_test_setup_teardown(examples_are_distinct_few_and_cut, begin, end),
        cmocka_unit_test_setup_teardown(records_and_tables_are_shown, begin, end),
        cmocka_unit_test_setup_teardown(cards_hold_what_is_low, begin, end),
        cmocka_unit_test_setup_teardown(green_is_for_what_is_known_to_be_low, begin, end),
        cmocka_unit_test_setup_teardown(title_and_date_are_text, begin, end),
        cmocka_unit_test_setup_teardown(survival_counts_users_not_rows, begin, end),
        cmocka_unit_test_setup_teardown(survival_tells_prefixes_apart, begin, end),
        cmocka_unit_test_setup_teardown(survival_is_that_of_counting, begin, end),
        cmocka_unit_test_setup_teardown(damaged_data_is_an_error, begin, end),
        cmocka_unit_test_setup_teardown(the_same_input_gives_the_same_bytes, begin, end),
        cmocka_unit_test_setup_teardown(lack_of_memory_leaves_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
