/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary who made people issue queries, on a log that can be looked through. */
/* suite: threads */
#include "log_attack_harness.h"

/* ann issued a text that nobody else has, and one that bob has too; cat is only common. */
static const char original[] = "ann\txyzzy plugh\t2006-03-01 10:00:00\t\t\n"
                               "ann\tblue shoes\t2006-03-01 10:00:00\t\t\n"
                               "ann\tweather\t2006-03-01 10:00:00\t\t\n"
                               "ann\tweather\t2006-03-02 10:00:00\t\t\n"
                               "bob\tblue shoes\t2006-03-01 10:00:00\t\t\n"
                               "bob\tweather\t2006-03-01 10:00:00\t\t\n"
                               "cat\tweather\t2006-03-01 10:00:00\t\t\n"
                               "cat\tweather\t2006-03-02 10:00:00\t\t\n";
static const char map[] = "ann\tu1\nbob\tu2\ncat\tu3\n";

/* A threshold of two users: the mark of nonsense is gone. */
static const la_case threshold = {.adversary = &lethe_adversary_marking,
                                  .original = original,
                                  .published = "u1\tblue shoes\t\t\t\nu1\tweather\t\t\t\n"
                                               "u1\tweather\t\t\t\nu2\tblue shoes\t\t\t\n"
                                               "u2\tweather\t\t\t\nu3\tweather\t\t\t\n"
                                               "u3\tweather\t\t\t\n",
                                  .map = map,
                                  .options = {"marks=1", "accounts=1"}};

static void text_is(const la_case *c, const char *want)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        char *text = la_text(c, threads);
        char *end = strstr(text, ",\"meaning\"");
        assert_non_null(end);
        *end = '\0';
        assert_string_equal(text, want);
        lethe_json_text_free(text);
    }
}

/* unique: ann's nonsense is gone, bob has half a chance, cat a third.  shared: ann and bob are one
 * of two.  accounts: of ann and bob the other is ruled out, and too many share cat's. */
static void a_threshold_takes_accounts(void **state)
{
    (void)state;
    text_is(&threshold,
            "{\"success\":0.6666666666666666,\"before\":0.6666666666666666,"
            "\"baseline\":0.3333333333333333,\"disclosed\":0.5833333333333334,\"persons\":3,"
            "\"marks\":1,\"accounts\":1,\"confirmed\":true,\"strategy\":\"accounts\","
            "\"strategy_before\":\"accounts\",\"strategies\":{"
            "\"unique\":{\"success\":0.27777777777777773,\"before\":0.611111111111111,"
            "\"disclosed\":0.27777777777777773},"
            "\"shared\":{\"success\":0.4444444444444444,\"before\":0.611111111111111,"
            "\"disclosed\":0.40277777777777773},"
            "\"accounts\":{\"success\":0.6666666666666666,\"before\":0.6666666666666666,"
            "\"disclosed\":0.5833333333333334}}");
}

/* Whoever is not known is taken to be among those who fit. */
static void without_a_map_it_is_a_bound(void **state)
{
    (void)state;
    la_case c = threshold;
    c.map = NULL;
    char *text = la_text(&c, 1);
    assert_non_null(strstr(text, "\"confirmed\":false"));
    assert_non_null(strstr(text, "upper bound"));
    assert_null(strstr(text, "disclosed"));
    lethe_json_text_free(text);
}

static void no_memory(void **state)
{
    (void)state;
    la_out_of_memory(&threshold);
}

static void a_foreign_map_is_refused(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_json_doc *doc = lethe_json_doc_new();
    la_case c = threshold;
    c.map = "ann\tu1\nbob\tu2\n";
    assert_int_equal(la_run(ctx, &c, doc, lethe_json_object(doc)), LETHE_EINPUT);
    assert_non_null(strstr(h.text, "the map does not match this release"));
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_takes_accounts),
        cmocka_unit_test(without_a_map_it_is_a_bound),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(a_foreign_map_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
