/* SPDX-License-Identifier: Apache-2.0 */
/* An adversary who knows items: candidates before and after, on releases small enough to count. */
/* suite: threads */
#include "published_harness.h"
#include "attack/attack.h"
#include <stdlib.h>

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

static char *run(const against *a, unsigned threads, heard *h, lethe_err *e)
{
    return against_text(a, lethe_adversary_background.run, lethe_adversary_background.options,
                        threads, h, e);
}

/* All figures but `meaning`, which comes last. */
static void figures_are(const against *a, const char *want)
{
    heard h;
    lethe_err e;
    char *text = run(a, 1, &h, &e);
    if (e != LETHE_OK) fail_msg("%s", h.text);
    char *meaning = strstr(text, ",\"meaning\":\"chance of choosing");
    assert_non_null(meaning);
    *meaning = '\0';
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

#define WAY(name, median, under_k, success)                                                        \
    ",\"" name "\":{\"median\":" median ",\"under_k\":" under_k ",\"success\":" success "}"
#define SEEN(name, median, under_k, success, among)                                                \
    ",\"" name "\":{\"median\":" median ",\"under_k\":" under_k ",\"success\":" success            \
    ",\"among\":" among "}"
#define THIRD "0.3333333333333333"
#define THIRDS "0.6666666666666666"

/* Everybody is alone before; after, each of two groups of two is told by its dairy or meat. */
static void groups_hide_their_members(void **state)
{
    (void)state;
    against a = {.tree = food,
                 .original = "apple milk\norange butter\nbeef grape\nchicken banana\n",
                 .published = "dairy fruit\ndairy fruit\nfruit meat\nfruit meat\n",
                 .map = "1\t1\n2\t2\n3\t3\n4\t4\n",
                 .known = "2"};
    figures_are(
        &a, "{\"success\":0.5,\"before\":1.0,\"baseline\":0.25,\"persons\":4,\"known\":2,\"k\":2,"
            "\"confirmed\":true" WAY("candidates_before", "1.0", "1.0", "1.0")
                SEEN("candidates_after", "2.0", "0.0", "0.5", "1.0")
                    SEEN("likeliest", "2.0", "0.0", "0.5", "1.0")
                        SEEN("by_size", "2.0", "0.0", "0.5", "1.0"));
    // the claim says what k is, and without a map nothing is confirmed
    a.map = NULL;
    a.manifest = "{\"claims\":[{\"notion\":\"record-k-anonymity\",\"k\":3}]}";
    figures_are(
        &a, "{\"success\":0.5,\"before\":1.0,\"baseline\":0.25,\"persons\":4,\"known\":2,\"k\":3,"
            "\"confirmed\":false" WAY("candidates_before", "1.0", "1.0", "1.0")
                WAY("candidates_after", "2.0", "1.0", "0.5") WAY("likeliest", "2.0", "1.0", "0.5")
                    WAY("by_size", "2.0", "1.0", "0.5"));
}

/* <milk> is likeliest under milk, then dairy, then food; any of these could be it. */
static void the_more_special_item_is_likelier(void **state)
{
    (void)state;
    // milk: dairy, food and milk are compatible (1 of 3), and milk is likeliest, which it is;
    // butter: dairy and food are (1 of 2), dairy is likeliest, which it is; beef: food, both ways
    figures_are(&(against){.tree = food,
                           .original = "milk\nbutter\nbeef\n",
                           .published = "dairy\nfood\nmilk\n",
                           .map = "1\t3\n2\t1\n3\t2\n"},
                "{\"success\":1.0,\"before\":1.0,\"baseline\":" THIRD
                ",\"persons\":3,\"known\":3,\"k\":2,"
                "\"confirmed\":true" WAY("candidates_before", "1.0", "1.0", "1.0")
                    SEEN("candidates_after", "2.0", THIRD, "0.611111111111111", "1.0")
                        SEEN("likeliest", "1.0", "1.0", "1.0", "1.0")
                            SEEN("by_size", "1.0", "1.0", "1.0", "1.0"));
}

/* A record that shows more of what is known than the person's own misleads. */
static void he_can_be_misled(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "milk apple\nmilk apple\nmilk apple\n",
                           .published = "apple\napple milk\nmilk\n",
                           .map = "1\t1\n2\t2\n3\t3\n"},
                "{\"success\":" THIRD ",\"before\":" THIRD ",\"baseline\":" THIRD
                ",\"persons\":3,\"known\":3,\"k\":2,\"confirmed\":true" WAY("candidates_before",
                                                                            "3.0", "0.0", THIRD)
                    SEEN("candidates_after", "1.0", "1.0", THIRD, THIRD)
                        SEEN("likeliest", "1.0", "1.0", THIRD, THIRD)
                            SEEN("by_size", "1.0", "1.0", THIRD, THIRD));
}

/* Who is misled every time would do better to choose blindly, and can. */
static void no_worse_than_blind(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food,
                   .original = "milk\napple\n",
                   .published = "apple\nmilk\n",
                   .map = "1\t1\n2\t2\n"},
        "{\"success\":0.5,\"before\":1.0,\"baseline\":0.5,\"persons\":2,\"known\":3,\"k\":2,"
        "\"confirmed\":true" WAY("candidates_before", "1.0", "1.0", "1.0")
            SEEN("candidates_after", "1.0", "1.0", "0.0", "0.0")
                SEEN("likeliest", "1.0", "1.0", "0.0", "0.0")
                    SEEN("by_size", "1.0", "1.0", "0.0", "0.0"));
}

/* A long record holds much by chance: what it says of an item is less than what a short one says.
 * One that shows what everybody asks for says less than one that shows what is rare. */
static void long_records_and_frequent_items_say_less(void **state)
{
    (void)state;
    // f: food 10, fruit 5, meat 4, dairy 1.  beef: 1/2 (1/4 + 1/10) under <meat> is more than
    // 1/5 (1/4 + 1/10) under the long one, though both are compatible; by its size, the long one
    // cannot be x's
    figures_are(
        &(against){.tree = food,
                   .original = "x\tbeef\ny\tapple apple apple apple apple beef beef beef "
                               "milk\n",
                   .published = "fruit fruit fruit meat\nmeat\n",
                   .map = "x\t2\ny\t1\n",
                   .known = "1"},
        // y is known by an apple: compatible with his own alone, and likeliest there
        "{\"success\":1.0,\"before\":1.0,\"baseline\":0.5,\"persons\":2,\"known\":1,\"k\":2,"
        "\"confirmed\":true" WAY("candidates_before", "1.5", "0.5", "0.75")
            SEEN("candidates_after", "1.5", "0.5", "0.75", "1.0")
                SEEN("likeliest", "1.0", "1.0", "1.0", "1.0")
                    SEEN("by_size", "1.0", "1.0", "1.0", "1.0"));
}

/* Copies are told from single ones, before, and after as likelier. */
static void items_are_bags(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food,
                   .original = "milk milk\nmilk beef\n",
                   .published = "food milk\nmilk milk\n",
                   .map = "1\t2\n2\t1\n"},
        "{\"success\":1.0,\"before\":1.0,\"baseline\":0.5,\"persons\":2,\"known\":3,\"k\":2,"
        "\"confirmed\":true" WAY("candidates_before", "1.0", "1.0", "1.0")
            SEEN("candidates_after", "1.5", "0.5", "0.75", "1.0")
                SEEN("likeliest", "1.0", "1.0", "1.0", "1.0")
                    SEEN("by_size", "1.0", "1.0", "1.0", "1.0"));
}

/* Ties are ties also where sums are rounded: 1/3 and 1/3 against 1/2 and 1/6 beside it. */
static void what_is_equally_likely_is_equal(void **state)
{
    (void)state;
    // f(a3) = 3, f(b2) = 2, f(c6) = 6: x below a3 and a3, or below b2 and c6
    static const char tree[] = "c6\tr\na3\tc6\nb2\ta3\nx\tb2\ny\tb2\nz\ta3\nu\tc6\nv\tr\n";
    figures_are(
        &(against){.tree = tree,
                   .original = "p\tx\nq\ty z u u u v\n",
                   .published = "a3 a3\nb2 c6\n",
                   .map = "p\t1\nq\t2\n",
                   .known = "1"},
        // p has both to choose from; q, known by u, which is below c6 alone, his own
        "{\"success\":0.75,\"before\":1.0,\"baseline\":0.5,\"persons\":2,\"known\":1,\"k\":2,"
        "\"confirmed\":true" WAY("candidates_before", "1.0", "1.0", "1.0")
            SEEN("candidates_after", "1.5", "0.5", "0.75", "1.0")
                SEEN("likeliest", "1.5", "0.5", "0.75", "1.0")
                    SEEN("by_size", "1.5", "0.5", "0.75", "1.0"));
}

/* A person with several records is found by any of them; one who was suppressed is not found. */
static void persons_have_records(void **state)
{
    (void)state;
    against a = {.tree = food,
                 .original = "ann\tmilk\nbob\tmilk\nann\tmilk\ncid\tbeef\ndan\t\n",
                 .published = "\ndairy\ndairy\ndairy\n",
                 .map = "ann\t2\nbob\t3\nann\t4\ncid\t\ndan\t1\n"};
    // ann 2 of 3, bob 1 of 3; cid is nobody: all 4 are as compatible, and the empty one is
    // likeliest, since it says nothing against him, and all that his size allows; dan has nothing
    // to be known by
    figures_are(&a, "{\"success\":" THIRD ",\"before\":" THIRDS
                    ",\"baseline\":0.25,\"persons\":3,\"known\":3,\"k\":2,\"confirmed\":true" WAY(
                        "candidates_before", "3.0", THIRD, THIRDS)
                        SEEN("candidates_after", "3.0", "0.0", THIRD, THIRDS)
                            SEEN("likeliest", "3.0", THIRD, THIRD, THIRDS)
                                SEEN("by_size", "3.0", THIRD, THIRD, THIRDS));
    // without a map ann may have both hers among the 3, and cid may be there
    a.map = NULL;
    figures_are(&a, "{\"success\":" THIRDS ",\"before\":" THIRDS ",\"baseline\":" THIRD
                    ",\"persons\":3,\"known\":3,\"k\":2,\"confirmed\":false" WAY(
                        "candidates_before", "3.0", THIRD, THIRDS)
                        WAY("candidates_after", "3.0", "0.0", "0.4166666666666667")
                            WAY("likeliest", "3.0", THIRD, THIRDS)
                                WAY("by_size", "3.0", THIRD, THIRDS));
}

static void nobody_is_nobody(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food, .original = "\n\n", .published = "\n\n"},
        "{\"success\":0.0,\"before\":0.0,\"baseline\":0.0,\"persons\":0,\"known\":3,\"k\":2,"
        "\"confirmed\":false" WAY("candidates_before", "0.0", "0.0", "0.0")
            WAY("candidates_after", "0.0", "0.0", "0.0") WAY("likeliest", "0.0", "0.0", "0.0")
                WAY("by_size", "0.0", "0.0", "0.0"));
}

/* Who is known by milk fits <apple|milk> and <beef|milk>, both as likely (f is 2 of either); who is
 * known by beef, <beef|milk> alone. */
static void a_bag_fits_what_is_below_any_member(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food,
                   .original = "milk\nmilk\napple\nbeef\n",
                   .published = "apple|milk\napple|milk\nbeef|milk\nbeef|milk\n",
                   .map = "1\t1\n2\t3\n3\t2\n4\t4\n"},
        // milk: 1 of 4, both; apple and beef: 1 of 2
        "{\"success\":0.375,\"before\":0.75,\"baseline\":0.25,\"persons\":4,\"known\":3,\"k\":2,"
        "\"confirmed\":true" WAY("candidates_before", "1.5", "0.5", "0.75")
            SEEN("candidates_after", "3.0", "0.0", "0.375", "1.0")
                SEEN("likeliest", "3.0", "0.0", "0.375", "1.0")
                    SEEN("by_size", "3.0", "0.0", "0.375", "1.0"));
}

/* f of <apple|milk> is 3 and of <milk> 2: milk is likelier behind the latter, though both fit. */
static void a_bag_is_less_likely_than_a_member(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "milk\nmilk\napple\n",
                           .published = "apple|milk\nmilk\nmilk\n",
                           .map = "1\t2\n2\t3\n3\t1\n"},
                "{\"success\":" THIRDS ",\"before\":" THIRDS ",\"baseline\":" THIRD
                ",\"persons\":3,\"known\":3,\"k\":2,\"confirmed\":true" WAY("candidates_before",
                                                                            "2.0", THIRD, THIRDS)
                    SEEN("candidates_after", "3.0", THIRD, "0.5555555555555555", "1.0")
                        SEEN("likeliest", "2.0", THIRD, THIRDS, "1.0")
                            SEEN("by_size", "2.0", THIRD, THIRDS, "1.0"));
}

/* A bag stands for one item, whichever: <apple|milk> alone cannot be all of <apple milk>, and two
 * of them cannot both be <apple>. */
static void a_bag_stands_for_one_item(void **state)
{
    (void)state;
    // by size: p, who has apple and milk, fits both (f of the bag is that of the root: it explains
    // nothing); q has apple alone, and only the single bag can be his
    figures_are(
        &(against){.tree = food,
                   .original = "p\tapple milk\nq\tapple\n",
                   .published = "apple|milk\napple|milk apple|milk\n",
                   .map = "p\t2\nq\t1\n"},
        "{\"success\":0.75,\"before\":1.0,\"baseline\":0.5,\"persons\":2,\"known\":3,\"k\":2,"
        "\"confirmed\":true" WAY("candidates_before", "1.5", "0.5", "0.75")
            SEEN("candidates_after", "2.0", "0.0", "0.5", "1.0")
                SEEN("likeliest", "2.0", "0.0", "0.5", "1.0")
                    SEEN("by_size", "1.5", "0.5", "0.75", "1.0"));
}

/* An item that the taxonomy lacks says nothing. */
static void strange_items_say_nothing(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food, .original = "milk\nmilk\n", .published = "milk|wine\nmilk|wine\n"},
        "{\"success\":0.5,\"before\":0.5,\"baseline\":0.5,\"persons\":2,\"known\":3,\"k\":2,"
        "\"confirmed\":false" WAY("candidates_before", "2.0", "0.0", "0.5")
            WAY("candidates_after", "2.0", "0.0", "0.5") WAY("likeliest", "2.0", "0.0", "0.5")
                WAY("by_size", "2.0", "0.0", "0.5"));
}

/* By another taxonomy than its own a release would look safer than it is. */
static void another_taxonomy_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *taxonomy;
        lethe_err err;
    } cases[] = {
        {"food\t\t8\ndairy\tfood\t2\n", LETHE_OK},
        {"food\t\t8\nmilk\tfood\t1\n", LETHE_OK}, // dairy is between them
        {"food\t\t8\nwine\tfood\t2\n", LETHE_EINPUT},
        {"food\t\t8\nmeat\tfood\t2\nmilk\tmeat\t2\n", LETHE_EINPUT},
        {"thing\t\t8\nmilk\tthing\t2\n", LETHE_EINPUT},
        {"food\t\t8\nmilk\n", LETHE_EINPUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        heard h;
        lethe_err e;
        against a = {.tree = food,
                     .original = "milk\nmilk\n",
                     .published = "milk\nmilk\n",
                     .taxonomy = cases[i].taxonomy};
        lethe_json_text_free(run(&a, 1, &h, &e));
        assert_int_equal(e, cases[i].err);
        assert_int_equal(h.n, e == LETHE_OK ? 0 : 1);
    }
}

/* Another seed, another sample; the same seed, the same. */
static void the_seed_chooses_the_sample(void **state)
{
    (void)state;
    char *first = NULL;
    unsigned differ = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        against a = {.tree = food,
                     .original = "milk beef\nmilk apple\nmilk grape\nbeef grape\n",
                     .published = "dairy fruit\ndairy fruit\ndairy meat\nfruit meat\n",
                     .known = "1",
                     .has_seed = true,
                     .seed = seed / 2};
        heard h;
        lethe_err e;
        char *text = run(&a, 1, &h, &e);
        assert_int_equal(e, LETHE_OK);
        if (seed % 2)
            assert_string_equal(text, first);
        else
            differ += first && strcmp(text, first) != 0;
        free(first);
        first = strdup(text);
        lethe_json_text_free(text);
    }
    assert_true(differ > 0);
    free(first);
}

/* 2500 persons, each with one of 50 pairs of 10 items: a thousand are drawn, whatever the threads,
 * and each of two items is known as often as the other. */
static void a_sample_is_drawn_and_is_fair(void **state)
{
    (void)state;
    char *tree = NULL, *original = NULL, *published = NULL, *first = NULL;
    size_t n;
    FILE *f = open_memstream(&tree, &n);
    for (int i = 0; i < 26; i++)
        fprintf(f, "%c\troot\n", 'a' + i);
    fclose(f);
    f = open_memstream(&original, &n);
    for (int i = 0; i < 2500; i++) // a is everybody's, the other is one of 25
        fprintf(f, "a %c\n", 'b' + i % 25);
    fclose(f);
    f = open_memstream(&published, &n);
    for (int i = 0; i < 2500; i++)
        fprintf(f, "a %c\n", 'b' + i / 100);
    fclose(f);
    against a = {.tree = tree, .original = original, .published = published, .known = "1"};
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        heard h;
        lethe_err e;
        char *text = run(&a, threads[i], &h, &e);
        assert_int_equal(e, LETHE_OK);
        if (first) assert_string_equal(text, first);
        if (!first) first = strdup(text);
        lethe_json_text_free(text);
    }
    assert_non_null(strstr(first, "\"persons\":1000,\"known\":1,"));
    // half know a (1 of 2500), half the other item (1 of 100): 0.0052 on average
    double success = strtod(strstr(first, "\"success\":") + 10, NULL);
    assert_true(success > 0.0047 && success < 0.0057);
    double before = strtod(strstr(first, "\"before\":") + 9, NULL);
    assert_true(before == success); // the same sample, and here the same candidates
    free(first);
    free(tree);
    free(original);
    free(published);
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
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        heard h;
        lethe_err e;
        against a = {
            .tree = food, .original = "apple\n", .published = bad[i].published, .map = bad[i].map};
        assert_null(run(&a, 1, &h, &e));
        assert_int_equal(e, bad[i].err);
        assert_int_equal(h.n, 1);
    }
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    bound b = bind_text(ctx, food, "ann\tapple milk\nbob\tbeef apple\nann\torange milk\n");
    against a = {.published = "apple|beef dairy\ndairy fruit\nfood\n",
                 .map = "ann\t2\nbob\t3\nann\t1\n"};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(++n);
        e = against_bound(ctx, &a, &b, lethe_adversary_background.run,
                          lethe_adversary_background.options, doc, out);
        lethe_alloc_fail_at(0);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 20);
    bound_free(&b);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_hide_their_members),
        cmocka_unit_test(the_more_special_item_is_likelier),
        cmocka_unit_test(he_can_be_misled),
        cmocka_unit_test(no_worse_than_blind),
        cmocka_unit_test(long_records_and_frequent_items_say_less),
        cmocka_unit_test(items_are_bags),
        cmocka_unit_test(what_is_equally_likely_is_equal),
        cmocka_unit_test(persons_have_records),
        cmocka_unit_test(nobody_is_nobody),
        cmocka_unit_test(a_bag_fits_what_is_below_any_member),
        cmocka_unit_test(a_bag_is_less_likely_than_a_member),
        cmocka_unit_test(a_bag_stands_for_one_item),
        cmocka_unit_test(strange_items_say_nothing),
        cmocka_unit_test(another_taxonomy_is_refused),
        cmocka_unit_test(the_seed_chooses_the_sample),
        cmocka_unit_test(a_sample_is_drawn_and_is_fair),
        cmocka_unit_test(bad_files_are_bad_input),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
