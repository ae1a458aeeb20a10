/* SPDX-License-Identifier: Apache-2.0 */
/* What the publisher says of adversaries: it is in the manifest and on the page, verify makes the
 * page again, names it as the publisher's word, and refuses what no adversary can have found. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/json/json.h"
#include "method/method.h"
#include "release_harness.h"
#include "measure/kept.h"
#include "release/release.h"

static ground g;

static int begin(void **state)
{
    (void)state;
    g_begin(&g);
    char text[8000];
    size_t n = 0;
    for (int user = 0; user < 40; user++)
        for (int q = 0; q < 4; q++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "u%d\ttext %d\t2006-03-0%d 10:00:00\t\t\n", user,
                                  (user * 3 + q) % 9, 1 + q);
    g_write(g.log, text);
    return 0;
}

static int end(void **state)
{
    (void)state;
    g_end(&g);
    return 0;
}

/* A release of the log with its page, and what the job adds to the manifest. */
static lethe_err release_make(const char *title, const char *date, const lethe_json *risk)
{
    const char *inputs[] = {g.log};
    steps s = {0};
    s_add(&s, &lethe_method_threshold, "t=3");
    lethe_release_job job = g_job(&g, &s, inputs);
    job.page = true;
    job.title = title;
    job.date = date;
    job.risk = risk;
    job.publishing.force = true;
    job.publishing.has_seed = true;
    lethe_ctx *ctx = g_ctx(&g, 2);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

/* What verify says, and what it could not check. */
static lethe_err verified(char *unchecked, size_t n)
{
    lethe_ctx *ctx = g_ctx(&g, 2);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    g.said[0] = '\0';
    lethe_err e = lethe_release_verify(ctx, g.out, NULL, doc, &report);
    char *text = lethe_json_write(lethe_json_get(report, "unchecked"), 0, NULL);
    snprintf(unchecked, n, "%s", text ? text : "");
    free(text);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static const char attack[] =
    "{\"known-terms\": {\"success\": 0.02, \"before\": 0.8, \"baseline\": 0.025, \"persons\": 400},"
    " \"linkage\": {\"success\": 0, \"baseline\": 0, \"linkable\": 0},"
    " \"marking\": {\"success\": 0.01, \"before\": 1.0, \"baseline\": 0.025, \"persons\": 400}}";

static void the_page_is_made_again(void **state)
{
    char unchecked[600], path[400];
    lethe_json_doc *doc;
    lethe_json *risk;
    (void)state;
    assert_int_equal(lethe_json_parse(NULL, "risk", LETHE_LIT(attack), &doc, &risk), LETHE_OK);
    assert_int_equal(release_make("Log of <2006>", "18 November", risk), LETHE_OK);
    assert_int_equal(verified(unchecked, sizeof unchecked), LETHE_OK);
    assert_non_null(strstr(unchecked, "risk: what adversaries found (the publisher's word)"));
    assert_non_null(strstr(unchecked, "title and date (the publisher's word)"));
    snprintf(path, sizeof path, "%s/report.html", g.out);
    char *page = g_read(path);
    assert_non_null(page);
    assert_non_null(strstr(page, "<h1>Log of &lt;2006&gt;</h1>"));
    assert_non_null(strstr(page, "18 November."));
    assert_non_null(strstr(page, "in 2 % of cases, 1 in 50 (in the original: 80 %;"));
    assert_non_null(strstr(page, "are the publisher&#39;s word."));
    assert_non_null(strstr(page, "No person has two published users"));
    assert_non_null(strstr(page, "class=\"answer good\""));
    free(page);
    lethe_json_doc_free(doc);
    // without, nothing is said
    assert_int_equal(release_make(NULL, NULL, NULL), LETHE_OK);
    assert_int_equal(verified(unchecked, sizeof unchecked), LETHE_OK);
    assert_null(strstr(unchecked, "risk"));
    assert_null(strstr(unchecked, "title"));
}

static void titles_that_are_no_line_are_refused(void **state)
{
    char longest[300];
    (void)state;
    memset(longest, 'x', sizeof longest);
    longest[201] = '\0';
    assert_int_equal(release_make(longest, NULL, NULL), LETHE_EUSAGE);
    longest[200] = '\0';
    assert_int_equal(release_make(longest, NULL, NULL), LETHE_OK);
    static const char *const wrong[] = {"", "a\nb", "\x1b[1m", "\xff", "a\xc3",
                                        // they turn the direction of what follows
                                        u8"a\u202Aa", u8"a\u202Ea", u8"\u2066a", u8"a\u2069",
                                        u8"a\u200E", u8"\u200Fa", u8"\u061Ca",
                                        // blank
                                        " ", "    ", u8"\u00A0", u8"\u3000 ", u8"\u200B\u2009"};
    for (size_t i = 0; i < LETHE_COUNT(wrong); i++) {
        assert_int_equal(release_make(wrong[i], NULL, NULL), LETHE_EUSAGE);
        assert_int_equal(release_make(NULL, wrong[i], NULL), LETHE_EUSAGE);
    }
    static const char *const right[] = {" a", u8"\u05E9\u05DC\u05D5\u05DD", u8"a\u202Fb",
                                        u8"\u2070"};
    for (size_t i = 0; i < LETHE_COUNT(right); i++)
        assert_true(lethe_manifest_text_fits(lethe_str_of(right[i])));
}

/* Puts a member behind the caveats of a manifest; the page is then not that of the release. */
static lethe_err forged(const char *member)
{
    char path[400], text[20000], unchecked[600];
    snprintf(path, sizeof path, "%s/manifest.json", g.out);
    char *manifest = g_read(path), *close = strrchr(manifest, '}');
    snprintf(text, sizeof text, "%.*s, %s}\n", (int)(close - manifest), manifest, member);
    g_write(path, text);
    lethe_err e = verified(unchecked, sizeof unchecked);
    g_write(path, manifest);
    free(manifest);
    return e;
}

/* Each share belongs to the shapes whose measures have it. */
static void shares_fit_the_shape(void **state)
{
    static const struct {
        const char *name;
        unsigned shapes;
    } cases[] = {
        {"queries", LETHE_SHAPE_LOG},
        {"clicks", LETHE_SHAPE_LOG},
        {"sessions", LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS},
        {"patterns", (unsigned)~LETHE_SHAPE_TABLE},
        {"terms", (unsigned)~LETHE_SHAPE_TABLE},
        {"detail", LETHE_SHAPE_TABLE},
        {"counts", LETHE_SHAPE_COUNTS},
        {"count_error", LETHE_SHAPE_COUNTS},
    };
    lethe_json_doc *doc = lethe_json_doc_new();
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_json *kept = lethe_json_object(doc);
        lethe_set_real(doc, kept, cases[i].name, 0.5);
        for (unsigned shape = LETHE_SHAPE_LOG; shape <= LETHE_SHAPE_COUNTS; shape *= 2)
            assert_int_equal(lethe_kept_told(kept, (lethe_shape)shape),
                             (cases[i].shapes & shape) != 0);
        assert_false(lethe_kept_told(kept, LETHE_SHAPE_NONE));
    }
    lethe_json_doc_free(doc);
}

#define RISK(members) "\"risk\": [{\"adversary\": \"known-terms\", " members "}]"
#define FITS                                                                                       \
    "\"threat\": \"singling-out\", \"trials\": 20, \"success\": 0, \"upper\": 0.1391083, "         \
    "\"risk\": "                                                                                   \
    "0.1391083"

static void what_nobody_found_is_refused(void **state)
{
    static const struct {
        const char *member, *why;
    } cases[] = {
        {"\"risk\": []", "'risk' is empty"},
        {"\"risk\": {}", "wrong type"},
        {"\"risk\": null", "wrong type"},
        {"\"risk\": [5]", "not what an adversary found"},
        {"\"risk\": [{}]", "not what an adversary found"},
        {RISK("\"threat\": \"singling-out\""), "not what an adversary found"},
        {RISK(FITS ", \"note\": \"safe\""), "not what an adversary found"},
        {RISK(FITS ", \"before\": 1.5"), "not what an adversary found"},
        {RISK(FITS ", \"before\": null"), "not what an adversary found"},
        {RISK(FITS "}, {\"adversary\": \"known-terms\", " FITS), "names an adversary twice"},
        {"\"risk\": [{\"adversary\": \"background\", " FITS "}]", "does not apply to its data"},
        {"\"risk\": [{\"adversary\": \"nobody\", " FITS "}]", "not what an adversary found"},
        // a bound that is too low, no trial, another kind, a risk below the bound
        {RISK("\"threat\": \"singling-out\", \"trials\": 20, \"success\": 0, \"upper\": 0.01, "
              "\"risk\": 0.01"),
         "not what an adversary found"},
        {RISK("\"threat\": \"singling-out\", \"trials\": 0, \"success\": 0, \"upper\": 1, "
              "\"risk\": 1"),
         "not what an adversary found"},
        {RISK("\"threat\": \"singling-out\", \"trials\": 0, \"note\": 1"),
         "not what an adversary found"},
        {RISK("\"threat\": \"singling-out\", \"trials\": -1"), "not what an adversary found"},
        {RISK("\"threat\": \"inference\", \"trials\": 20, \"success\": 0, \"upper\": 0.1391083, "
              "\"risk\": 0"),
         "not what an adversary found"},
        {RISK("\"threat\": \"singling-out\", \"trials\": 20, \"success\": 0, \"upper\": 0.1391083, "
              "\"risk\": 0.01"),
         "not what an adversary found"},
        {"\"kept\": []", "wrong type"},
        {"\"kept\": {}", "not what can be left"},
        {"\"kept\": {\"queries\": 1.01}", "not what can be left"},
        {"\"kept\": {\"queries\": -1}", "not what can be left"},
        {"\"kept\": {\"queries\": null}", "not what can be left"},
        {"\"kept\": {\"queries\": 0.5, \"hope\": 0.5}", "not what can be left"},
        {"\"kept\": {\"queries\": 0.5, \"detail\": 0.5}", "not what can be left"},
        {"\"kept\": {\"counts\": 0.5}", "not what can be left"},
        {"\"title\": 5", "wrong type"},
        {"\"title\": \"\"", "title or date"},
        {"\"date\": \"\\u001b\"", "title or date"},
        {"\"title\": \"a\\u202eb\"", "title or date"},
        {"\"date\": \" \"", "title or date"},
        {"\"comfort\": \"safe\"", "unknown members"},
    };
    (void)state;
    assert_int_equal(release_make(NULL, NULL, NULL), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_err e = forged(cases[i].member);
        if (e != LETHE_EINPUT || !strstr(g.said, cases[i].why))
            fail_msg("%s: %d %s", cases[i].member, (int)e, g.said);
    }
    // of the right form, but not on the page
    assert_int_equal(forged(RISK(FITS)), LETHE_ANSWER_NO);
    assert_int_equal(forged("\"kept\": {\"queries\": 0.5}"), LETHE_ANSWER_NO);
    assert_int_equal(forged("\"title\": \"Another\""), LETHE_ANSWER_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_page_is_made_again, begin, end),
        cmocka_unit_test_setup_teardown(titles_that_are_no_line_are_refused, begin, end),
        cmocka_unit_test(shares_fit_the_shape),
        cmocka_unit_test_setup_teardown(what_nobody_found_is_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
