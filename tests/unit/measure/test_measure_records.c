/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of records: sizes, and by a map truth and loss. */
/* suite: threads */
#include "published_harness.h"
#include "measure/measure.h"
#include <stdlib.h>

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

static void figures_are(const against *a, const char *want)
{
    heard h;
    lethe_err e;
    char *text =
        against_text(a, lethe_measure_records.run, lethe_measure_records.options, 1, &h, &e);
    if (e != LETHE_OK) fail_msg("%s", h.text);
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

#define SIZES_3                                                                                    \
    "\"records\":{\"original\":3,\"published\":3,\"share\":1.0},"                                  \
    "\"items\":{\"original\":6,\"published\":5,\"share\":0.8333333333333334},"                     \
    "\"distinct_items\":{\"original\":4,\"published\":3,\"share\":0.75},"                          \
    "\"distinct_records\":2,\"density\":0.25"

static void sizes_need_no_map(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "apple milk\nbeef apple\norange milk\n",
                           .published = "dairy fruit\ndairy fruit\nfood\n"},
                "{" SIZES_3 "}");
    // items that the taxonomy lacks, and records lost, are counted all the same
    figures_are(&(against){.tree = food, .original = "apple\nbeef\n", .published = "\n"},
                "{\"records\":{\"original\":2,\"published\":1,\"share\":0.5},"
                "\"items\":{\"original\":2,\"published\":0,\"share\":0.0},"
                "\"distinct_items\":{\"original\":2,\"published\":0,\"share\":0.0},"
                "\"distinct_records\":1,\"density\":0.125}");
}

static void a_map_lets_loss_be_computed(void **state)
{
    (void)state;
    // <food> for <beef, apple>: 1 + 1; <dairy, fruit> twice: 2 (1/7 + 3/7)
    figures_are(&(against){.tree = food,
                           .original = "apple milk\nbeef apple\norange milk\n",
                           .published = "dairy fruit\ndairy fruit\nfood\n",
                           .map = "1\t2\n2\t3\n3\t1\n"},
                "{" SIZES_3 ",\"truthful\":true,\"untruthful_records\":0,"
                "\"ggd\":3.142857142857143,\"avg_length\":1.6666666666666667,\"avg_level\":1.8,"
                "\"items_suppressed\":1}");
}

static void what_was_suppressed_is_not_charged(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food,
                   .original = "x\tapple milk\ny\tbeef\nx\tmilk\n",
                   .published = "dairy\ndairy\n",
                   .map = "x\t1\ny\t\nx\t2\n"},
        "{\"records\":{\"original\":3,\"published\":2,\"share\":0.6666666666666666},"
        "\"items\":{\"original\":4,\"published\":2,\"share\":0.5},"
        "\"distinct_items\":{\"original\":3,\"published\":1,\"share\":0.3333333333333333},"
        "\"distinct_records\":1,\"density\":0.16666666666666666,"
        "\"truthful\":true,\"untruthful_records\":0,"
        "\"ggd\":1.2857142857142858,\"avg_length\":1.0,\"avg_level\":2.0,\"items_suppressed\":1}");
}

/* A bag is as ambiguous as there are leaves below its members, and as high as what is above them.
 * <apple|milk> twice, for <milk> and <apple beef>: LM 1/7 each, level 1; beef is suppressed.
 * <beef|fruit chicken>, for <grape chicken>: LM 4/7 and 0, levels 1 and 3. */
static void bags_lose_what_they_leave_open(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "milk\napple beef\ngrape chicken\n",
                           .published = "apple|milk\napple|milk\nbeef|fruit chicken\n",
                           .map = "1\t1\n2\t2\n3\t3\n"},
                "{\"records\":{\"original\":3,\"published\":3,\"share\":1.0},"
                "\"items\":{\"original\":5,\"published\":4,\"share\":0.8},"
                "\"distinct_items\":{\"original\":5,\"published\":3,\"share\":0.6},"
                "\"distinct_records\":2,\"density\":0.20833333333333334,"
                "\"truthful\":true,\"untruthful_records\":0,"
                "\"ggd\":1.8571428571428572,\"avg_length\":1.3333333333333333,\"avg_level\":1.5,"
                "\"items_suppressed\":1}");
    // what is below another member adds nothing: fruit alone, 3/7, level 2
    figures_are(&(against){.tree = food,
                           .original = "milk\napple\n",
                           .published = "apple|fruit\nmilk\n",
                           .map = "1\t2\n2\t1\n"},
                "{\"records\":{\"original\":2,\"published\":2,\"share\":1.0},"
                "\"items\":{\"original\":2,\"published\":2,\"share\":1.0},"
                "\"distinct_items\":{\"original\":2,\"published\":2,\"share\":1.0},"
                "\"distinct_records\":2,\"density\":0.125,"
                "\"truthful\":true,\"untruthful_records\":0,"
                "\"ggd\":0.42857142857142855,\"avg_length\":1.0,\"avg_level\":2.5,"
                "\"items_suppressed\":0}");
}

/* Each bag for another item, in the one way there is. */
static void bags_are_true_where_they_can_be_matched(void **state)
{
    (void)state;
    static const struct {
        const char *original, *published;
    } cases[] = {
        {"milk beef apple\n", "apple|beef apple|milk milk\n"},
        {"milk beef apple\n", "apple|beef apple|beef|milk apple|milk\n"},
        {"apple apple milk\n", "apple|milk apple|milk apple|milk\n"},
        {"butter orange\n", "dairy|grape fruit|meat\n"},
        {"beef butter grape\n", "dairy|meat fruit|meat meat\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_err e;
        against a = {.tree = food,
                     .original = cases[i].original,
                     .published = cases[i].published,
                     .map = "1\t1\n"};
        char *text =
            against_text(&a, lethe_measure_records.run, lethe_measure_records.options, 1, &h, &e);
        assert_int_equal(e, LETHE_OK);
        if (!strstr(text, "\"truthful\":true,")) fail_msg("case %zu: %s", i, text);
        lethe_json_text_free(text);
    }
}

static void untruth_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *original, *published, *map, *want;
    } cases[] = {
        {"apple\n", "beef\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"item\":\"beef\","
         "\"reason\":\"more at or below the item than the record has\"}"},
        {"apple milk\n", "fruit fruit\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"item\":\"fruit\","
         "\"reason\":\"more at or below the item than the record has\"}"},
        {"milk\napple milk\n", "apple fruit\nmilk\n", "1\t2\n2\t1\n",
         "\"untruth\":{\"record\":2,\"line\":1,\"item\":\"fruit\","
         "\"reason\":\"more at or below the item than the record has\"}"},
        {"apple\n", "food food\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"item\":\"food\","
         "\"reason\":\"more at or below the item than the record has\"}"},
        {"apple\n\n", "apple\napple\n", "1\t1\n2\t2\n",
         "\"untruth\":{\"record\":2,\"line\":2,\"item\":\"apple\","
         "\"reason\":\"more at or below the item than the record has\"}"},
        {"apple\n", "wine\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"reason\":\"an item is not in the taxonomy\"}"},
        {"apple\n", "apple|wine\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"reason\":\"an item is not in the taxonomy\"}"},
        {"apple milk\n", "fruit milk|apple\n", "1\t1\n", // no bag, being out of order
         "\"untruth\":{\"record\":1,\"line\":1,\"reason\":\"an item is not in the taxonomy\"}"},
        {"apple\n", "beef|milk\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"item\":\"beef|milk\","
         "\"reason\":\"nothing of the record is left that the item could stand for\"}"},
        {"beef\n\n", "beef|milk\nbeef|milk\n", "1\t1\n2\t2\n",
         "\"untruth\":{\"record\":2,\"line\":2,\"item\":\"beef|milk\","
         "\"reason\":\"nothing of the record is left that the item could stand for\"}"},
        {"apple beef\n", "apple|beef apple|beef apple|beef\n", "1\t1\n",
         "\"untruth\":{\"record\":1,\"line\":1,\"item\":\"apple|beef\","
         "\"reason\":\"nothing of the record is left that the item could stand for\"}"},
        // at every node there are no more than the record has, but fruit and the bag need apple
        {"apple milk beef\n", "apple|grape fruit milk\n", "1\t1\n",
         "\"reason\":\"nothing of the record is left that the item could stand for\"}"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_err e;
        against a = {.tree = food,
                     .original = cases[i].original,
                     .published = cases[i].published,
                     .map = cases[i].map};
        char *text =
            against_text(&a, lethe_measure_records.run, lethe_measure_records.options, 1, &h, &e);
        assert_int_equal(e, LETHE_OK); // it is reported; nothing fails
        assert_non_null(strstr(text, "\"truthful\":false,\"untruthful_records\":1,"));
        if (!strstr(text, cases[i].want)) fail_msg("case %zu: %s", i, text);
        // and so that nobody takes the manifest's figures for true ones
        assert_non_null(strstr(text, "\"ggd\":null,\"avg_length\":null,\"avg_level\":null,"
                                     "\"items_suppressed\":null}"));
        lethe_json_text_free(text);
    }
}

/* Leaves that are not there would hide loss. */
static void another_taxonomy_is_refused(void **state)
{
    (void)state;
    static const char one[] = "{\"steps\":[{}]}", two[] = "{\"steps\":[{},{}]}";
    static const struct {
        const char *taxonomy, *manifest;
        lethe_err err;
    } cases[] = {
        {"food\t\t8\ndairy\tfood\t2\nmilk\tdairy\t1\n", one, LETHE_OK},
        {"food\t\t9\ndairy\tfood\t2\nmilk\tdairy\t1\n", one, LETHE_EINPUT},
        {"food\t\t9\ndairy\tfood\t2\nmilk\tdairy\t1\n", two, LETHE_OK},
        {"food\t\t8\nmilk\tfood\t1\n", one, LETHE_EINPUT},
        {"food\t\t8\nmilk\tfood\t1\n", two, LETHE_OK},
        {"dairy\t\t2\nmilk\tdairy\t1\n", one, LETHE_EINPUT},
        {"food\t\t8\nmeat\tfood\t2\nmilk\tmeat\t1\n", two, LETHE_EINPUT},
        {"food\t\t8\nwine\tfood\t2\n", two, LETHE_EINPUT},
        {"food\t\t8", two, LETHE_EINPUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_err e;
        against a = {.tree = food,
                     .original = "milk\nmilk\n",
                     .published = "milk\nmilk\n",
                     .map = "1\t1\n2\t2\n",
                     .taxonomy = cases[i].taxonomy,
                     .manifest = cases[i].manifest};
        lethe_json_text_free(
            against_text(&a, lethe_measure_records.run, lethe_measure_records.options, 1, &h, &e));
        if (e != cases[i].err) fail_msg("case %zu: %d, %s", i, e, h.text);
        assert_int_equal(h.n, e == LETHE_OK ? 0 : 1);
    }
}

static void bad_files_are_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *published, *map;
        lethe_err err;
    } bad[] = {
        {NULL, NULL, LETHE_EIO},
        {"", NULL, LETHE_EINPUT},
        {"b\na\n", NULL, LETHE_EINPUT},
        {"apple\n", "", LETHE_EINPUT},
        {"apple\n", "7\t1\n", LETHE_EINPUT},
        {"apple\n", "1\t2\n", LETHE_EINPUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        heard h;
        lethe_err e;
        against a = {
            .tree = food, .original = "apple\n", .published = bad[i].published, .map = bad[i].map};
        assert_null(
            against_text(&a, lethe_measure_records.run, lethe_measure_records.options, 1, &h, &e));
        assert_int_equal(e, bad[i].err);
        assert_int_equal(h.n, 1);
    }
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    bound b = bind_text(ctx, food, "apple milk\nbeef apple\norange milk\n");
    against a = {.published = "apple|dairy fruit\ndairy fruit\nfood\n",
                 .map = "1\t2\n2\t3\n3\t1\n"};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(++n);
        e = against_bound(ctx, &a, &b, lethe_measure_records.run, lethe_measure_records.options,
                          doc, out);
        lethe_alloc_fail_at(0);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 10);
    bound_free(&b);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_need_no_map),
        cmocka_unit_test(a_map_lets_loss_be_computed),
        cmocka_unit_test(what_was_suppressed_is_not_charged),
        cmocka_unit_test(bags_lose_what_they_leave_open),
        cmocka_unit_test(bags_are_true_where_they_can_be_matched),
        cmocka_unit_test(untruth_is_named),
        cmocka_unit_test(another_taxonomy_is_refused),
        cmocka_unit_test(bad_files_are_bad_input),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
