/* SPDX-License-Identifier: Apache-2.0 */
/* One scale for logs, sealed logs and records: shares that can be counted by hand. */
/* suite: threads */
#include "scale_harness.h"

#define T "\t2006-03-01 10:00:00\n"
#define D "\t2006-03-01\n"

static void figures_are(const sc_case *c, const char *want)
{
    for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        heard h;
        lethe_err e;
        char *text =
            sc_text(c, lethe_measure_scale.run, lethe_measure_scale.options, threads, &h, &e);
        if (e != LETHE_OK) fail_msg("%s", h.text);
        assert_string_equal(text, want);
        assert_int_equal(h.n, 0);
        lethe_json_text_free(text);
    }
}

#define TERMS(original, published, share, kept)                                                    \
    "{\"terms\":{\"original\":" original ",\"published\":" published ",\"share\":" share           \
    "},\"terms_kept\":" kept
/* Of records. */
#define FIGURES(original, published, share, kept, general, recall)                                 \
    TERMS(original, published, share, kept)                                                        \
    ",\"terms_general\":" general ",\"pattern_recall\":" recall "}"
/* Of a log: with the figures of words with content. */
#define OF_LOG_TOO(original, published, share, kept, kept_content, general, recall,                \
                   recall_content)                                                                 \
    TERMS(original, published, share, kept)                                                        \
    ",\"terms_kept_content\":" kept_content ",\"terms_general\":" general                          \
    ",\"pattern_recall\":" recall ",\"pattern_recall_content\":" recall_content "}"
/* All words have content, and a log is not generalized. */
#define OF_LOG(original, published, share, kept, recall)                                           \
    OF_LOG_TOO(original, published, share, kept, kept, kept, recall, recall)

static void words_of_a_log_are_counted_by_query(void **state)
{
    (void)state;
    // a query with two clicks is one; the same an hour later another
    sc_case c = {.log = "ann\tred car" T "ann\tred car" T "ann\tred car\t2006-03-01 11:00:00\n"
                        "bob\tcar" T,
                 .published = "x\tred car\t2006-03-01 10:00:00\n"
                              "x\tred car\t2006-03-01 11:00:00\ny\tcar\t2006-03-01 10:00:00\n"};
    figures_are(&c, OF_LOG("5", "5", "1.0", "1.0", "1.0"));
    // cut to the day, the two are one, and nothing tells otherwise
    c.published = "x\tred car" D "x\tred car" D "y\tcar" D;
    figures_are(&c, OF_LOG("5", "3", "0.6", "0.6", "1.0"));
    // of three patterns' worth, car in two and {car, red} in one: 1 + 1 of 3 items
    c.published = "x\tcar" D "y\tcar" D;
    figures_are(&c, OF_LOG("5", "2", "0.4", "0.4", "0.6666666666666666"));
}

static void function_words_are_kept_by_almost_anything(void **state)
{
    (void)state;
    // of {the} (2), {car, the} and {bus, the}, the alone; without it nothing
    sc_case c = {.log = "ann\tthe car" T "bob\tthe bus" T, .published = "x\tthe" D "y\tthe" D};
    figures_are(&c, OF_LOG_TOO("4", "2", "0.5", "0.5", "0.0", "0.5", "0.6", "0.0"));
}

static void what_is_drawn_counts_up_to_what_there_was(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\tred" T "bob\tcar" T,
                 .published = "x\tred\t\ny\tred\t\nz\tred blue\t\n"};
    figures_are(&c, OF_LOG("2", "4", "2.0", "0.5", "0.5"));
}

static void masks_hashes_and_labels_are_no_terms(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\tphone 5551234 [phone]" T "bob\t#0123456789abcdef0123456789abcdef" T,
                 .published = "x\tphone [phone]" D "y\t#0123456789abcdef0123456789abcdef" D};
    // without a claim that speaks of hashes, that is a word like any other
    figures_are(&c,
                OF_LOG("3", "2", "0.6666666666666666", "0.6666666666666666", "0.6666666666666666"));
    c.manifest = "{\"claims\":[{\"notion\":\"query-threshold\",\"t\":2,\"rare\":\"hash\"}]}";
    figures_are(&c,
                OF_LOG("3", "1", "0.3333333333333333", "0.3333333333333333", "0.3333333333333333"));
    c.manifest = "{\"steps\":[{\"command\":\"microagg\",\"parameters\":{\"synthetic\":true}}]}";
    figures_are(&c, OF_LOG("3", "0", "0.0", "0.0", "0.0"));
    c.manifest = "{\"steps\":[{\"command\":\"microagg\",\"parameters\":{\"synthetic\":false}}]}";
    figures_are(&c,
                OF_LOG("3", "2", "0.6666666666666666", "0.6666666666666666", "0.6666666666666666"));
}

static void of_a_sealed_log_what_opens(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\tred car" T "bob\tcar" T "cid\tbus" T,
                 .published = "x\tcar\t2006-03-01\ny\tcar\t2006-03-01\n",
                 .n_sealed = 3};
    figures_are(&c, OF_LOG("4", "2", "0.5", "0.5", "0.5"));
}

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

static void generalized_items_count_by_what_is_left(void **state)
{
    (void)state;
    // LM: fruit 3/7, dairy 1/7, food 1
    sc_case c = {.records = "apple milk\norange milk\n",
                 .tree = food,
                 .published = "fruit milk\nfruit milk\n"};
    figures_are(&c, FIGURES("4", "4", "1.0", "0.5", "0.7857142857142857", "0.6"));
    c.published = "food milk\nfood milk\n";
    figures_are(&c, FIGURES("4", "4", "1.0", "0.5", "0.5", "0.6"));
    c.published = "dairy fruit\ndairy fruit\n";
    figures_are(&c, FIGURES("4", "4", "1.0", "0.0", "0.7142857142857143", "0.0"));
    // nothing is left that a third fruit, or a second dairy, could stand for
    c.published = "dairy fruit fruit fruit\nmilk milk\n";
    figures_are(&c, FIGURES("4", "6", "1.5", "0.5", "0.7857142857142857", "0.6"));
    // what is below takes first: meat is nobody's, apple is apple's, the fruit orange's
    c.published = "apple fruit\nfruit meat\n";
    figures_are(&c, FIGURES("4", "4", "1.0", "0.25", "0.39285714285714285", "0.2"));
}

static void bags_count_by_their_leaves(void **state)
{
    (void)state;
    // a bag of two of eight leaves has an LM of 1/7; one may be the fruit, one the dairy below food
    sc_case c = {.records = "apple milk\norange beef\n",
                 .tree = food,
                 .published = "apple|orange beef|butter\napple|orange milk\n"};
    figures_are(&c, FIGURES("4", "4", "1.0", "0.25", "0.8928571428571429", "0.25"));
}

static void an_item_that_is_an_inner_node_has_a_leaf(void **state)
{
    (void)state;
    sc_case c = {
        .records = "fruit milk\napple\n", .tree = food, .published = "=fruit milk\napple\n"};
    figures_are(&c, FIGURES("3", "3", "1.0", "1.0", "1.0", "1.0"));
    // the node of that name is generalized: of nine leaves now, five are below it
    c.published = "fruit\nfruit milk\n";
    figures_are(&c, FIGURES("3", "3", "1.0", "0.3333333333333333", "0.6666666666666666",
                            "0.3333333333333333"));
}

static void what_the_taxonomy_lacks_is_lost(void **state)
{
    (void)state;
    sc_case c = {.records = "apple stone\norange stone\n",
                 .tree = food,
                 .loose = true,
                 .published = "apple\norange\n"};
    heard h;
    lethe_err e;
    char *text = sc_text(&c, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    assert_string_equal(text, FIGURES("4", "2", "0.5", "0.5", "0.5", "0.4"));
    lethe_json_text_free(text);
}

static void a_persons_records_are_one_before(void **state)
{
    (void)state;
    // {apple, milk} of ann, {milk} of bob: patterns milk (2) and {apple, milk} (1), three items
    sc_case c = {.records = "ann\tapple\nann\tmilk milk\nbob\tmilk\n",
                 .tree = food,
                 .published = "apple\nmilk\nmilk milk\n"};
    figures_are(&c, FIGURES("4", "4", "1.0", "1.0", "1.0", "0.6666666666666666"));
    // sets have one copy
    c.sets = true;
    c.published = "apple milk\nmilk\n";
    figures_are(&c, FIGURES("4", "3", "0.75", "0.75", "0.75", "1.0"));
}

static void sensitive_items_are_as_they_are(void **state)
{
    (void)state;
    sc_case c = {.records = "apple aids\norange\n",
                 .tree = food,
                 .sets = true,
                 .sensitive = "aids\n",
                 .published = "aids fruit\nfruit\n"};
    figures_are(&c, FIGURES("3", "3", "1.0", "0.3333333333333333", "0.7142857142857143",
                            "0.3333333333333333"));
}

/* The words of queries before any taxonomy are what there was, for records too. */
static void records_of_a_log_are_beside_its_words(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\tthe apple" T "ann\tmilk" T "bob\tthe orange" T,
                 .tree = food,
                 .loose = true,
                 .published = "fruit\nfruit milk\n"};
    heard h;
    lethe_err e;
    char *text = sc_text(&c, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    // milk of five, and two that are 4/7; of {the}, {apple, milk, the} and {orange, the} milk;
    // without the: of three, and of {apple, milk} and {orange}
    assert_string_equal(text, OF_LOG_TOO("5", "3", "0.6", "0.2", "0.3333333333333333",
                                         "0.42857142857142855", "0.16666666666666666",
                                         "0.3333333333333333"));
    lethe_json_text_free(text);
}

static void of_nothing_there_is_no_share(void **state)
{
    (void)state;
    sc_case c = {.log = "ann\t???" T, .published = "x\t???" D};
    figures_are(&c, OF_LOG("0", "0", "0.0", "null", "null"));
    sc_case r = {.records = "\n\n", .tree = food, .published = "\n\n"};
    figures_are(&r, FIGURES("0", "0", "0.0", "null", "null", "null"));
    r = (sc_case){.records = "apple\n", .tree = food, .published = ""};
    heard h;
    lethe_err e;
    char *text = sc_text(&r, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e);
    if (e == LETHE_OK) assert_string_equal(text, FIGURES("1", "0", "0.0", "0.0", "0.0", "0.0"));
    lethe_json_text_free(text);
}

/* Where the shape is the same, so is the recall. */
static void recall_is_that_of_patterns(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    against a = {.tree = food,
                 .original = "apple milk\napple beef\norange milk\napple milk beef\n",
                 .published = "apple dairy\napple meat\nfruit milk\napple milk meat\n"};
    sc_case c = {.records = a.original,
                 .tree = a.tree,
                 .published = "apple dairy\napple meat\n"
                              "apple meat milk\nfruit milk\n"};
    a.published = c.published;
    char *theirs =
        against_text(&a, lethe_measure_patterns.run, lethe_measure_patterns.options, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    char *ours = sc_text(&c, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    double x = strtod(strstr(theirs, "\"recall\":") + 9, NULL),
           y = strtod(strstr(ours, "\"pattern_recall\":") + 17, NULL);
    assert_true(x > 0 && x < 1);
    assert_true(x == y);
    lethe_json_text_free(theirs);
    lethe_json_text_free(ours);
}

static void ties_over_the_limit_are_said(void **state)
{
    (void)state;
    char log[8192] = "", one[64];
    for (int i = 0; i < 30; i++) {
        snprintf(one, sizeof one, "u%02d\tw%02d" T, i, i);
        strcat(log, one);
    }
    sc_case c = {.log = log, .published = log, .patterns = "1"};
    heard h;
    lethe_err e;
    char *text = sc_text(&c, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    assert_int_equal(h.n, 1);
    assert_non_null(strstr(h.text, "pattern_recall: patterns of the last support are left out"));
    assert_non_null(strstr(text, "\"pattern_recall\":null"));
    lethe_json_text_free(text);
}

static void bad_files_are_bad_input(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    sc_case c = {.records = "apple\n", .tree = food, .published = "milk apple\n"};
    assert_null(sc_text(&c, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
    assert_int_equal(h.line, 1);
    sc_case l = {.log = "ann\tred" T, .published = "x\tred\tyesterday\n"};
    assert_null(sc_text(&l, lethe_measure_scale.run, lethe_measure_scale.options, 1, &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    sc_case l = {.log = "ann\tred car" T "bob\tcar" T,
                 .published = "x\tcar" D "y\t#0123456789abcdef0123456789abcdef" D,
                 .manifest = "{\"claims\":[{\"notion\":\"query-threshold\",\"rare\":\"hash\"}]}"};
    sc_fails_without_memory(&l, lethe_measure_scale.run, lethe_measure_scale.options);
    sc_case r = {.records = "apple milk\norange beef\n",
                 .tree = food,
                 .published = "apple|orange milk\nfruit meat\n"};
    sc_fails_without_memory(&r, lethe_measure_scale.run, lethe_measure_scale.options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_log_are_counted_by_query),
        cmocka_unit_test(function_words_are_kept_by_almost_anything),
        cmocka_unit_test(what_is_drawn_counts_up_to_what_there_was),
        cmocka_unit_test(masks_hashes_and_labels_are_no_terms),
        cmocka_unit_test(of_a_sealed_log_what_opens),
        cmocka_unit_test(generalized_items_count_by_what_is_left),
        cmocka_unit_test(bags_count_by_their_leaves),
        cmocka_unit_test(an_item_that_is_an_inner_node_has_a_leaf),
        cmocka_unit_test(what_the_taxonomy_lacks_is_lost),
        cmocka_unit_test(a_persons_records_are_one_before),
        cmocka_unit_test(sensitive_items_are_as_they_are),
        cmocka_unit_test(records_of_a_log_are_beside_its_words),
        cmocka_unit_test(of_nothing_there_is_no_share),
        cmocka_unit_test(recall_is_that_of_patterns),
        cmocka_unit_test(ties_over_the_limit_are_said),
        cmocka_unit_test(bad_files_are_bad_input),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
