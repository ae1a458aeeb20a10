/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers and how often they occur, on a log that can be looked through. */
/* suite: threads */
#include "log_attack_harness.h"

#define A "#00000000000000000000000000000003"
#define B "#00000000000000000000000000000002"
#define C "#00000000000000000000000000000001"

/* One text is shown; of the hidden, one occurs three times, and two once, on different days. */
static const la_case hashes = {
    .adversary = &lethe_adversary_frequency,
    .original = "p1\tshown\t2006-03-01 10:00:00\t\t\np2\tshown\t2006-03-01 10:00:00\t\t\n"
                "p1\tthrice\t2006-03-01 10:00:00\t\t\np2\tthrice\t2006-03-02 10:00:00\t\t\n"
                "p1\tthrice\t2006-03-02 10:00:00\t\t\np1\tfirst\t2006-03-01 10:00:00\t\t\n"
                "p1\tsecond\t2006-03-02 10:00:00\t\t\n",
    .published = "u1\tshown\t2006-03-01\t\t\nu2\tshown\t2006-03-01\t\t\n"
                 "u1\t" A "\t2006-03-01\t\t\nu2\t" A "\t2006-03-02\t\t\nu1\t" A "\t2006-03-02\t\t\n"
                 "u1\t" B "\t2006-03-01\t\t\nu1\t" C "\t2006-03-02\t\t\n",
    .manifest = "{\"claims\":[{\"rare\":\"hash\"}],\"steps\":[{\"parameters\":{\"time\":\"day\","
                "\"urls\":\"host\"}}]}",
    .options = {NULL}};

static void figure_is(const la_case *c, const char *want)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        char *text = la_text(c, threads);
        if (!strstr(text, want)) fail_msg("%s\nlacks %s", text, want);
        lethe_json_text_free(text);
    }
}

/* By frequency alone the two are one of two each: 3 + 1/2 + 1/2 of five rows; the days tell. */
static void days_tell_what_counts_do_not(void **state)
{
    (void)state;
    figure_is(&hashes, "\"strategy\":\"pairs\",\"strategies\":{"
                       "\"rank\":{\"success\":0.8,\"ids_right\":0.6666666666666666},"
                       "\"nearest\":{\"success\":0.8,\"ids_right\":0.6666666666666666},"
                       "\"pairs\":{\"success\":1.0,\"ids_right\":1.0}}");
    figure_is(&hashes, "\"baseline\":0.3333333333333333");
}

/* A list that has the rare ones the other way about misleads; a text that is shown is taken off it,
 * and one that nobody issued is a candidate. */
static void a_list_may_mislead(void **state)
{
    (void)state;
    la_case c = hashes;
    c.file = "shown\t100\nthrice\t1\nfirst\t9\nstranger\t5\n";
    c.options[0] = "frequencies=@";
    figure_is(&c, "\"success\":0.0,\"baseline\":0.3333333333333333");
    c.file = "shown\t100\nthrice\t9\nfirst\t3\nSecond\t2.5\n";
    figure_is(&c, "\"rank\":{\"success\":0.8,");
}

static void identifiers_that_fit_nothing_are_said(void **state)
{
    (void)state;
    la_case c = hashes;
    c.published = "u1\t" A "\t2006-03-07\t\t\n";
    figure_is(&c, "nothing can be confirmed");
    c.published = "u1\tshown\t2006-03-01\t\t\n";
    figure_is(&c, "no text or URL is hidden behind an identifier");
}

/* Three clicks on one URL and one on another, of which one each is published: either identifier may
 * be either URL, although only one was clicked once.  Of the text without an identifier nothing is
 * known: its URL is as good as if it were not published. */
static void hidden_counts_tell_nothing(void **state)
{
    (void)state;
    const la_case c = {
        .adversary = &lethe_adversary_frequency,
        .original = "p1\tcat\t2006-03-01 10:00:00\t\thttp://a.com/\n"
                    "p2\tcat\t2006-03-01 10:00:00\t\thttp://a.com/\n"
                    "p3\tcat\t2006-03-01 10:00:00\t\thttp://a.com/\n"
                    "p1\tcat\t2006-03-01 10:00:00\t\thttp://b.com/\n"
                    "p1\tdog\t2006-03-01 10:00:00\t\thttp://b.com/\n",
        .published = "u1\tcat\t2006-03-01\t\tabcdefghijklmn22\nu1\tcat\t2006-03-01\t\t\n"
                     "u2\tcat\t2006-03-01\t\t\nu3\tcat\t2006-03-01\t\tabcdefghijklmn23\n"
                     "u1\tdog\t2006-03-01\t\t\n",
        .manifest =
            "{\"claims\":[{\"notion\":\"disconnected\",\"density\":0.0,\"m\":2}],\"steps\":[{"
            "\"parameters\":{\"time\":\"day\",\"urls\":\"id\"}}]}",
        .options = {NULL}};
    figure_is(&c, "\"pairs\":{\"success\":0.5,\"ids_right\":0.5}");
    figure_is(&c, "\"unconfirmed\":0");
}

/* Where scrub has cut URLs, pages of a host are one value: two rows of one, and one of another. */
static void hosts_are_values_where_urls_were_cut(void **state)
{
    (void)state;
    const la_case c = {
        .adversary = &lethe_adversary_frequency,
        .original = "p1\tcat\t2006-03-01 10:00:00\t\thttp://a.com/1\n"
                    "p2\tcat\t2006-03-01 10:00:00\t\thttps://A.com/2\n"
                    "p1\tcat\t2006-03-01 10:00:00\t\thttp://b.com/\n",
        .published = "u1\tcat\t2006-03-01\t\tabcdefghijklmn22\n"
                     "u2\tcat\t2006-03-01\t\tabcdefghijklmn22\n"
                     "u1\tcat\t2006-03-01\t\tabcdefghijklmn23\n",
        .manifest =
            "{\"claims\":[{\"notion\":\"scrubbed\",\"kinds\":[\"ssn\",\"url\"]}],\"steps\":[{"
            "\"parameters\":{\"time\":\"day\",\"urls\":\"id\"}}]}",
        .options = {NULL}};
    figure_is(&c, "\"pairs\":{\"success\":1.0,\"ids_right\":1.0}");
    figure_is(&c, "\"candidates\":2,\"unconfirmed\":0");
    la_out_of_memory(&c);
}

static void no_memory(void **state)
{
    (void)state;
    la_out_of_memory(&hashes);
}

static void a_bad_list_is_refused(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_json_doc *doc = lethe_json_doc_new();
    la_case c = hashes;
    c.file = "shown\t1\nthrice\n";
    c.options[0] = "frequencies=@";
    assert_int_equal(la_run(ctx, &c, doc, lethe_json_object(doc)), LETHE_EINPUT);
    assert_int_equal(h.line, 2);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_tell_what_counts_do_not),
        cmocka_unit_test(a_list_may_mislead),
        cmocka_unit_test(identifiers_that_fit_nothing_are_said),
        cmocka_unit_test(hidden_counts_tell_nothing),
        cmocka_unit_test(hosts_are_values_where_urls_were_cut),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(a_bad_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
