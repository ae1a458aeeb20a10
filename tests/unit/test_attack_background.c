/* An adversary who knows items: candidates before and after, on releases small enough to count. */
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
    char *meaning = strstr(text, ",\"meaning\":\"chance to choose");
    assert_non_null(meaning);
    *meaning = '\0';
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

/* Everybody is alone before; after, each of two groups of two is told by its dairy or meat. */
static void groups_hide_their_members(void **state)
{
    (void)state;
    against a = {.tree = food,
                 .original = "apple milk\norange butter\nbeef grape\nchicken banana\n",
                 .published = "dairy fruit\ndairy fruit\nfruit meat\nfruit meat\n",
                 .map = "1\t1\n2\t2\n3\t3\n4\t4\n",
                 .known = "2"};
    figures_are(&a,
                "{\"success\":0.5,\"baseline\":1.0,\"persons\":4,\"known\":2,\"k\":2,"
                "\"confirmed\":true,\"before\":{\"median\":1.0,\"under_k\":1.0,\"success\":1.0},"
                "\"after\":{\"median\":2.0,\"under_k\":0.0,\"success\":0.5,\"among\":1.0}");
    // the claim says what k is, and without a map nothing is confirmed
    a.map = NULL;
    a.manifest = "{\"claims\":[{\"notion\":\"record-k-anonymity\",\"k\":3}]}";
    figures_are(&a,
                "{\"success\":0.5,\"baseline\":1.0,\"persons\":4,\"known\":2,\"k\":3,"
                "\"confirmed\":false,\"before\":{\"median\":1.0,\"under_k\":1.0,\"success\":1.0},"
                "\"after\":{\"median\":2.0,\"under_k\":1.0,\"success\":0.5}");
}

/* <milk> is explained by milk, not by dairy or food; what explains nothing leaves everybody. */
static void the_more_special_item_explains_more(void **state)
{
    (void)state;
    // p1 knows milk: line 3 (milk), his own, not line 1 or 2; p2 knows butter: line 1 (dairy),
    // his own; p3 knows beef: no line says anything of it, so any of 3, his own among them
    figures_are(
        &(against){.tree = food,
                   .original = "milk\nbutter\nbeef\n",
                   .published = "dairy\nfood\nmilk\n",
                   .map = "1\t3\n2\t1\n3\t2\n"},
        "{\"success\":0.7777777777777777,\"baseline\":1.0,\"persons\":3,\"known\":3,\"k\":2,"
        "\"confirmed\":true,\"before\":{\"median\":1.0,\"under_k\":1.0,\"success\":1.0},"
        "\"after\":{\"median\":1.0,\"under_k\":0.6666666666666666,"
        "\"success\":0.7777777777777777,\"among\":1.0}");
}

/* A record that shows more of what is known than the person's own misleads. */
static void he_can_be_misled(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "milk apple\nmilk apple\nmilk apple\n",
                           .published = "apple\napple milk\nmilk\n",
                           .map = "1\t1\n2\t2\n3\t3\n"},
                "{\"success\":0.3333333333333333,\"baseline\":0.3333333333333333,\"persons\":3,"
                "\"known\":3,\"k\":2,\"confirmed\":true,"
                "\"before\":{\"median\":3.0,\"under_k\":0.0,\"success\":0.3333333333333333},"
                "\"after\":{\"median\":1.0,\"under_k\":1.0,\"success\":0.3333333333333333,"
                "\"among\":0.3333333333333333}");
}

/* An item explains one known item only; copies are told from single ones. */
static void items_are_bags(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "milk milk\nmilk\n",
                           .published = "milk\nmilk milk\n",
                           .map = "1\t2\n2\t1\n"},
                "{\"success\":0.75,\"baseline\":0.75,\"persons\":2,\"known\":3,\"k\":2,"
                "\"confirmed\":true,"
                "\"before\":{\"median\":1.5,\"under_k\":0.5,\"success\":0.75},"
                "\"after\":{\"median\":1.5,\"under_k\":0.5,\"success\":0.75,\"among\":1.0}");
}

/* Ties are ties also where bits are cut off: 36 leaves, 6 and 6 against 4 and 9. */
static void what_is_equally_likely_is_equal(void **state)
{
    (void)state;
    char *tree = NULL;
    size_t n;
    FILE *f = open_memstream(&tree, &n);
    // the number in a name is that of its leaves; q4 and u6 are above x0, t6 and w9 above y0
    fputs("q4\tu6\n", f);
    for (int i = 0; i < 4; i++)
        fprintf(f, "x%d\tq4\n", i);
    fputs("m1\tu6\nm2\tu6\n", f);
    fputs("t6\tw9\n", f);
    for (int i = 0; i < 6; i++)
        fprintf(f, "y%d\tt6\n", i);
    fputs("n1\tw9\nn2\tw9\nn3\tw9\nu6\tr\nw9\tr\n", f);
    for (int i = 0; i < 21; i++)
        fprintf(f, "z%d\tr\n", i);
    fclose(f);
    figures_are(&(against){.tree = tree,
                           .original = "x0 y0\nx0 y0\n",
                           .published = "q4 w9\nt6 u6\n",
                           .map = "1\t1\n2\t2\n"},
                "{\"success\":0.5,\"baseline\":0.5,\"persons\":2,\"known\":3,\"k\":2,"
                "\"confirmed\":true,"
                "\"before\":{\"median\":2.0,\"under_k\":0.0,\"success\":0.5},"
                "\"after\":{\"median\":2.0,\"under_k\":0.0,\"success\":0.5,\"among\":1.0}");
    free(tree);
}

/* A person with several records is found by any of them; one who was suppressed is not found. */
static void persons_have_records(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food,
                           .original = "ann\tmilk\nbob\tmilk\nann\tmilk\ncid\tbeef\ndan\t\n",
                           .published = "\ndairy\ndairy\ndairy\n",
                           .map = "ann\t2\nbob\t3\nann\t4\ncid\t\ndan\t1\n"},
                // ann 2 of 3, bob 1 of 3, cid none of 4; dan has nothing to be known by
                "{\"success\":0.3333333333333333,\"baseline\":0.6666666666666666,\"persons\":3,"
                "\"known\":3,\"k\":2,\"confirmed\":true,"
                "\"before\":{\"median\":3.0,\"under_k\":0.3333333333333333,"
                "\"success\":0.6666666666666666},"
                "\"after\":{\"median\":3.0,\"under_k\":0.0,\"success\":0.3333333333333333,"
                "\"among\":0.6666666666666666}");
}

static void nobody_is_nobody(void **state)
{
    (void)state;
    figures_are(&(against){.tree = food, .original = "\n\n", .published = "\n\n"},
                "{\"success\":0.0,\"baseline\":0.0,\"persons\":0,\"known\":3,\"k\":2,"
                "\"confirmed\":false,\"before\":{\"median\":0.0,\"under_k\":0.0,\"success\":0.0},"
                "\"after\":{\"median\":0.0,\"under_k\":0.0,\"success\":0.0}");
}

/* An item that the taxonomy lacks explains nothing. */
static void strange_items_explain_nothing(void **state)
{
    (void)state;
    figures_are(
        &(against){.tree = food, .original = "milk\nmilk\n", .published = "milk|wine\nmilk|wine\n"},
        "{\"success\":0.5,\"baseline\":0.5,\"persons\":2,\"known\":3,\"k\":2,"
        "\"confirmed\":false,\"before\":{\"median\":2.0,\"under_k\":0.0,\"success\":0.5},"
        "\"after\":{\"median\":2.0,\"under_k\":0.0,\"success\":0.5}");
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
    double baseline = strtod(strstr(first, "\"baseline\":") + 11, NULL);
    assert_true(baseline == success); // the same sample, and here the same candidates
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
    against a = {.published = "dairy fruit\ndairy fruit\nfood\n",
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
        cmocka_unit_test(the_more_special_item_explains_more),
        cmocka_unit_test(he_can_be_misled),
        cmocka_unit_test(items_are_bags),
        cmocka_unit_test(what_is_equally_likely_is_equal),
        cmocka_unit_test(persons_have_records),
        cmocka_unit_test(nobody_is_nobody),
        cmocka_unit_test(strange_items_explain_nothing),
        cmocka_unit_test(a_sample_is_drawn_and_is_fair),
        cmocka_unit_test(bad_files_are_bad_input),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
