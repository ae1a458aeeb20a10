/* SPDX-License-Identifier: Apache-2.0 */
/* An adversary who knows what is there and what is not: candidates and sensitive items before and
 * after, on releases small enough to count. */
/* suite: threads */
#include "presence_harness.h"

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

/* All figures but `meaning`, which comes last. */
static void figures_are(const pa_case *c, const char *want)
{
    heard h;
    lethe_err e;
    char *text = pa_text(c, 1, &h, &e);
    if (e != LETHE_OK) fail_msg("%s", h.text);
    char *meaning = strstr(text, ",\"meaning\":\"chance of choosing");
    assert_non_null(meaning);
    *meaning = '\0';
    // a random choice is left to the property test
    char *baseline = strstr(text, ",\"baseline\":"), *persons = strstr(text, ",\"persons\":");
    assert_true(baseline && persons && baseline < persons);
    memmove(baseline, persons, strlen(persons) + 1);
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

#define HEAD(success, before, persons, known, absent, k)                                           \
    "{\"success\":" success ",\"before\":" before ",\"persons\":" persons ",\"known\":" known      \
    ",\"absent\":" absent ",\"k\":" k
#define FITS(success, median, mean, min, under_k, none)                                            \
    "\"success\":" success ",\"median\":" median ",\"mean\":" mean ",\"min\":" min                 \
    ",\"under_k\":" under_k ",\"none\":" none
#define SEEN(success, among, median, mean, min, under_k, none)                                     \
    "\"success\":" success ",\"among\":" among ",\"median\":" median ",\"mean\":" mean             \
    ",\"min\":" min ",\"under_k\":" under_k ",\"none\":" none
#define TELLS(mean, max, over)                                                                     \
    ",\"confidence\":" mean ",\"confidence_max\":" max ",\"over_limit\":" over
#define BOTH(confirmed, before, after)                                                             \
    ",\"confirmed\":" confirmed ",\"candidates_before\":{" before "},\"candidates_after\":{" after \
    "}"
#define AT_MOST                                                                                    \
    ",\"note\":\"success is an upper bound: without --map, nobody knows whose record is which\""
#define MORE ",\"note\":\"the adversary knows more than the claim allows for\""
#define MORE_AT_MOST                                                                               \
    ",\"note\":\"upper bound without --map; the adversary knows more than the claim allows for\""

/* Everybody is alone before; after, there are two of each kind. */
static void groups_hide_their_members(void **state)
{
    (void)state;
    pa_case c = {.tree = food,
                 .original = "apple milk\norange butter\nbeef grape\nchicken banana\n",
                 .published = "dairy fruit\ndairy fruit\nfruit meat\nfruit meat\n",
                 .map = "1\t1\n2\t2\n3\t3\n4\t4\n",
                 .known = "2",
                 .absent = "0"};
    figures_are(&c, HEAD("0.5", "1.0", "4", "2", "0", "2")
                        BOTH("true", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                             SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
    // the claim says what k is, and without a map nothing is confirmed
    c.map = NULL;
    c.manifest = "{\"claims\":[{\"notion\":\"record-k-anonymity\",\"k\":3}]}";
    figures_are(&c, HEAD("0.5", "1.0", "4", "2", "0", "3")
                        BOTH("false", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                             FITS("0.5", "2.0", "2.0", "2", "1.0", "0.0")) AT_MOST);
}

/* All have milk, one beef and one chicken: who lacks both is not behind the meat, and who lacks one
 * of them may be. */
static void a_node_all_of_whose_leaves_are_absent_excludes(void **state)
{
    (void)state;
    pa_case c = {.tree = food,
                 .original = "ann\tmilk beef\nbob\tmilk chicken\ncid\tmilk\ndan\tmilk\n",
                 .published = "meat milk\nmeat milk\nmilk\nmilk\n",
                 .map = "ann\t1\nbob\t2\ncid\t3\ndan\t4\n",
                 .known = "2",
                 .absent = "2"};
    // ann, who has beef and milk and no chicken: herself before, both who have meat after
    figures_are(&c, HEAD("0.5", "0.75", "4", "2", "2", "2")
                        BOTH("true", FITS("0.75", "1.5", "1.5", "1", "0.5", "0.0"),
                             SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
    // knowing of nothing that is not there, cid and dan are any of the four
    c.absent = "0";
    figures_are(&c, HEAD("0.375", "0.625", "4", "2", "0", "2")
                        BOTH("true", FITS("0.625", "2.5", "2.5", "1", "0.5", "0.0"),
                             SEEN("0.375", "1.0", "3.0", "3.0", "2", "0.0", "0.0")));
    // knowing of one, the three who do not have it; but after, whoever has meat may have the other
    c.absent = "1";
    figures_are(&c, HEAD("0.375", "0.6666666666666666", "4", "2", "1", "2")
                        BOTH("true", FITS("0.6666666666666666", "2.0", "2.0", "1", "0.5", "0.0"),
                             SEEN("0.375", "1.0", "3.0", "3.0", "2", "0.0", "0.0")));
}

/* What the taxonomy has and nobody bought may be behind a node all the same. */
static void a_leaf_that_nobody_has_may_be_there(void **state)
{
    (void)state;
    // fruit may be an apple, a banana or an orange, which nobody has: never excluded
    figures_are(&(pa_case){.tree = food,
                           .original = "ann\tmilk grape\nbob\tmilk\ncid\tmilk\n",
                           .published = "fruit milk\nmilk\nmilk\n",
                           .map = "ann\t1\nbob\t2\ncid\t3\n",
                           .known = "9",
                           .absent = "9"},
                HEAD("0.5555555555555555", "0.6666666666666666", "3", "9", "9", "2")
                    BOTH("true",
                         FITS("0.6666666666666666", "2.0", "1.6666666666666667", "1",
                              "0.3333333333333333", "0.0"),
                         SEEN("0.5555555555555555", "1.0", "3.0", "2.3333333333333335", "1",
                              "0.3333333333333333", "0.0")));
}

/* A bag shows what is below any member, and is excluded where no member can be. */
static void bags_show_any_member(void **state)
{
    (void)state;
    figures_are(&(pa_case){.tree = food,
                           .original = "ann\tmilk\nbob\tbeef\ncid\tapple\ndan\tapple\n",
                           .published = "apple\napple\nbeef|milk\nbeef|milk\n",
                           .map = "ann\t3\nbob\t4\ncid\t1\ndan\t2\n",
                           .known = "1",
                           .absent = "3"},
                // ann lacks beef, but beef|milk may be milk; cid lacks both, and has an apple
                HEAD("0.5", "0.75", "4", "1", "3", "2")
                    BOTH("true", FITS("0.75", "1.5", "1.5", "1", "0.5", "0.0"),
                         SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
    // known by milk alone are all; who lacks beef and apple is not in <apple|beef milk>
    figures_are(&(pa_case){.tree = food,
                           .original = "ann\tmilk beef\nbob\tmilk apple\ncid\tmilk\n",
                           .published = "apple|beef milk\napple|beef milk\nmilk\n",
                           .map = "ann\t1\nbob\t2\ncid\t3\n",
                           .known = "2",
                           .absent = "2"},
                HEAD("0.6666666666666666", "1.0", "3", "2", "2", "2")
                    BOTH("true", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                         SEEN("0.6666666666666666", "1.0", "2.0", "1.6666666666666667", "1",
                              "0.3333333333333333", "0.0")));
}

/* Items that are published nowhere say nothing; one that is left out here and there misleads. */
static void what_is_suppressed_is_no_clue(void **state)
{
    (void)state;
    pa_case c = {.tree = food,
                 .original = "ann\tmilk beef\nbob\tmilk apple\n",
                 .published = "milk\nmilk\n",
                 .map = "ann\t1\nbob\t2\n",
                 .known = "2",
                 .absent = "0"};
    figures_are(&c, HEAD("0.5", "1.0", "2", "2", "0", "2")
                        BOTH("true", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                             SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
    // nothing at all is left of them: any line will do
    c.published = "\n\n";
    figures_are(&c, HEAD("0.5", "1.0", "2", "2", "0", "2")
                        BOTH("true", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                             SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
    // ann's milk is left out and bob's is not: she is taken for nobody, for none has milk and meat
    c.published = "apple milk\nbeef\n";
    c.map = "ann\t2\nbob\t1\n";
    figures_are(&c, HEAD("0.5", "1.0", "2", "2", "0", "2")
                        BOTH("true", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                             SEEN("0.5", "0.5", "0.5", "0.5", "0", "0.5", "0.5")));
    // without a map nobody can tell that no more than one is found
    c.map = NULL;
    figures_are(&c, HEAD("0.5", "1.0", "2", "2", "0", "2")
                        BOTH("false", FITS("1.0", "1.0", "1.0", "1", "1.0", "0.0"),
                             FITS("0.5", "0.5", "0.5", "0", "0.5", "0.5")) AT_MOST);
    // nothing is there that is known, and beef is known not to be: all but the beef
    c = (pa_case){.tree = food,
                  .original = "ann\tmilk\nbob\tbeef\ncid\tbeef\n",
                  .published = "\nbeef\nbeef\n",
                  .map = "ann\t1\nbob\t2\ncid\t3\n",
                  .known = "1",
                  .absent = "1"};
    figures_are(&c, HEAD("0.6666666666666666", "0.6666666666666666", "3", "1", "1", "2")
                        BOTH("true",
                             FITS("0.6666666666666666", "2.0", "1.6666666666666667", "1",
                                  "0.3333333333333333", "0.0"),
                             SEEN("0.6666666666666666", "1.0", "2.0", "1.6666666666666667", "1",
                                  "0.3333333333333333", "0.0")));
}

/* A person's records are one set, unless the release takes each for itself. */
static void persons_are_merged_as_the_release_did(void **state)
{
    (void)state;
    pa_case c = {.tree = food,
                 .original = "ann\tmilk\nbob\tmilk beef\nann\tbeef\n",
                 .published = "beef milk\nbeef milk\n",
                 .map = "ann\t1\nbob\t2\n",
                 .known = "2",
                 .absent = "0"};
    figures_are(&c, HEAD("0.5", "0.5", "2", "2", "0", "2")
                        BOTH("true", FITS("0.5", "2.0", "2.0", "2", "0.0", "0.0"),
                             SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
    // ann is known by milk or by beef: two records have it, of which one is hers
    c.by_record = true;
    c.published = "beef\nbeef milk\nmilk\n";
    c.map = "ann\t3\nbob\t2\nann\t1\n";
    figures_are(&c, HEAD("0.75", "0.75", "2", "2", "0", "2")
                        BOTH("true", FITS("0.75", "1.5", "1.5", "1", "0.5", "0.0"),
                             SEEN("0.75", "1.0", "1.5", "1.5", "1", "0.5", "0.0")));
    // what is in one of her records is not absent: all that nobody else has is hers
    c.absent = "5";
    figures_are(&c, HEAD("0.75", "0.75", "2", "2", "5", "2")
                        BOTH("true", FITS("0.75", "1.5", "1.5", "1", "0.5", "0.0"),
                             SEEN("0.75", "1.0", "1.5", "1.5", "1", "0.5", "0.0")));
    // copies count once
    c = (pa_case){.tree = food,
                  .original = "milk milk\nmilk\n",
                  .published = "milk\nmilk milk\n",
                  .map = "1\t2\n2\t1\n",
                  .bags = true,
                  .known = "2",
                  .absent = "0"};
    figures_are(&c, HEAD("0.5", "0.5", "2", "2", "0", "2")
                        BOTH("true", FITS("0.5", "2.0", "2.0", "2", "0.0", "0.0"),
                             SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
}

#define CLAIM(k, l, m, n)                                                                          \
    "{\"claims\":[{\"notion\":\"kl-privacy\",\"k\":" k ",\"l\":" l ",\"m\":" m ",\"n\":" n "}]}"

/* Beef goes with flu, chicken with nothing; meat is one or the other. */
static void sensitive_items_are_told(void **state)
{
    (void)state;
    pa_case c = {.tree = food,
                 .original = "beef flu\nbeef flu\nchicken\nchicken cold\nflu\n",
                 .sensitive = "cold\nflu\ngout\n",
                 .published = "cold meat\nflu\nflu meat\nflu meat\nmeat\n",
                 .map = "1\t3\n2\t4\n3\t5\n4\t1\n5\t2\n",
                 .manifest = CLAIM("2", "2", "1", "0"),
                 .known = "1",
                 .absent = "0"};
    // who has flu alone is not looked for, and is nobody's candidate but of who knows nothing
    figures_are(
        &c, HEAD("0.25", "0.5", "4", "1", "0", "2") ",\"limit\":0.5" BOTH(
                "true", FITS("0.5", "2.0", "2.0", "2", "0.0", "0.0") TELLS("0.75", "1.0", "0.5"),
                SEEN("0.25", "1.0", "4.0", "4.0", "4", "0.0", "0.0") TELLS("0.5", "0.5", "0.0")));
    // 1/l is a bound; a share of h is one too, and more is known than p
    c.manifest = "{\"claims\":[{\"notion\":\"coherence\",\"h\":0.4,\"k\":5,\"p\":1}]}";
    c.absent = NULL;
    c.map = NULL;
    figures_are(&c, HEAD("0.25", "0.5", "4", "1", "1", "5") ",\"limit\":0.4" BOTH(
                        "false",
                        FITS("0.5", "2.0", "2.0", "2", "1.0", "0.0") TELLS("0.75", "1.0", "1.0"),
                        FITS("0.25", "4.0", "4.0", "4", "1.0", "0.0") TELLS("0.5", "0.5", "1.0"))
                        MORE_AT_MOST);
    // two of two are more than a half, one of two is not
    c.manifest = CLAIM("3", "1.99", "3", "0");
    c.map = "1\t3\n2\t4\n3\t5\n4\t1\n5\t2\n";
    heard h;
    lethe_err e;
    char *text = pa_text(&c, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    assert_non_null(strstr(text, TELLS("0.75", "1.0", "0.5")));
    assert_non_null(strstr(text, TELLS("0.5", "0.5", "0.0")));
    assert_non_null(strstr(text, MORE));
    lethe_json_text_free(text);
    // nothing is claimed of sensitive items: shares alone
    c.manifest = NULL;
    text = pa_text(&c, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    assert_non_null(strstr(text, ",\"confidence\":0.5,\"confidence_max\":0.5}"));
    assert_null(strstr(text, "limit"));
    lethe_json_text_free(text);
}

#define HALF "0.49999999999999994" // a quarter of 1 and three times a third

/* All are candidates of whom nothing is known that is published: the refuted are taken from them,
 * with their sensitive items. */
static void sensitive_items_of_all_but_a_few(void **state)
{
    (void)state;
    figures_are(&(pa_case){.tree = food,
                           .original = "milk flu\nbeef flu\nbeef cold\nbeef\n",
                           .sensitive = "cold\nflu\n",
                           .published = "beef\nbeef cold\nbeef flu\nflu\n",
                           .map = "1\t4\n2\t3\n3\t2\n4\t1\n",
                           .manifest = CLAIM("2", "3", "1", "1"),
                           .known = "1",
                           .absent = "1"},
                // milk: nobody shows it, and beef is not there: the last line, which has the flu;
                // beef: the first three lines, of which one has the flu and one a cold
                HEAD(HALF, HALF, "4", "1", "1", "2") ",\"limit\":0.3333333333333333" BOTH(
                    "true", FITS(HALF, "3.0", "2.5", "1", "0.25", "0.0") TELLS(HALF, "1.0", "0.25"),
                    SEEN(HALF, "1.0", "3.0", "2.5", "1", "0.25", "0.0")
                        TELLS(HALF, "1.0", "0.25")));
}

/* Without --absent as many are known not to be there. */
static void as_many_are_absent(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    pa_case c = {.tree = food, .original = "milk\nbeef\n", .published = "beef\nmilk\n"};
    char *text = pa_text(&c, 1, &h, &e);
    assert_non_null(strstr(text, "\"known\":3,\"absent\":3,"));
    lethe_json_text_free(text);
    c.known = "7";
    text = pa_text(&c, 1, &h, &e);
    assert_non_null(strstr(text, "\"known\":7,\"absent\":7,"));
    lethe_json_text_free(text);
}

static void nobody_is_nobody(void **state)
{
    (void)state;
    figures_are(&(pa_case){.tree = food, .original = "\n\n", .published = "\n\n"},
                HEAD("0.0", "0.0", "0", "3", "3", "2")
                    BOTH("false", FITS("0.0", "0.0", "0.0", "0", "0.0", "0.0"),
                         FITS("0.0", "0.0", "0.0", "0", "0.0", "0.0")) AT_MOST);
    // nor is who has sensitive items alone, or was left out of the release
    figures_are(&(pa_case){.tree = food,
                           .original = "flu\nmilk\nmilk\n",
                           .sensitive = "flu\n",
                           .published = "flu\nmilk\n",
                           .map = "1\t1\n2\t2\n3\t\n",
                           .known = "1",
                           .absent = "0"},
                HEAD("0.5", "0.5", "2", "1", "0", "2")
                    BOTH("true",
                         FITS("0.5", "2.0", "2.0", "2", "0.0", "0.0") ",\"confidence\":0.0,"
                                                                      "\"confidence_max\":0.0",
                         SEEN("0.5", "0.5", "1.0", "1.0", "1", "1.0",
                              "0.0") ",\"confidence\":0.0,\"confidence_max\":0.0"));
}

/* An item that is neither a node nor a bag of nodes shows nothing and excludes nothing. */
static void strange_items_say_nothing(void **state)
{
    (void)state;
    figures_are(&(pa_case){.tree = food,
                           .original = "milk\nmilk\n",
                           .published = "milk\nmilk milk|milk water\n",
                           .map = "1\t1\n2\t2\n",
                           .known = "1"},
                HEAD("0.5", "0.5", "2", "1", "1", "2")
                    BOTH("true", FITS("0.5", "2.0", "2.0", "2", "0.0", "0.0"),
                         SEEN("0.5", "1.0", "2.0", "2.0", "2", "0.0", "0.0")));
}

static void another_taxonomy_is_refused(void **state)
{
    (void)state;
    heard h;
    lethe_err e;
    pa_case c = {.tree = food,
                 .original = "milk\n",
                 .published = "dairy\n",
                 .taxonomy = "food\t\t8\ndairy\tfood\t2\n",
                 .manifest = "{\"steps\":[{}]}"};
    char *text = pa_text(&c, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    lethe_json_text_free(text);
    c.taxonomy = "food\t\t8\ndairy\tfood\t3\n";
    assert_null(pa_text(&c, 1, &h, &e));
    assert_int_equal(e, LETHE_EINPUT);
    assert_int_equal(h.n, 1);
    // sensitive items are no part of it
    c.taxonomy = "food\t\t8\ndairy\tfood\t2\n";
    c.original = "flu milk\n";
    c.sensitive = "flu\n";
    c.published = "dairy flu\n";
    text = pa_text(&c, 1, &h, &e);
    assert_int_equal(e, LETHE_OK);
    lethe_json_text_free(text);
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
        pa_case c = {
            .tree = food, .original = "apple\n", .published = bad[i].published, .map = bad[i].map};
        assert_null(pa_text(&c, 1, &h, &e));
        assert_int_equal(e, bad[i].err);
        assert_int_equal(h.n, 1);
    }
}

/* 2500 persons have a and one of 25 others, so that many are alike: a thousand are drawn, the same
 * whatever the threads, and others by another seed. */
static void a_sample_is_drawn_whatever_the_threads(void **state)
{
    (void)state;
    char *tree = NULL, *original = NULL, *first = NULL;
    size_t n;
    FILE *f = open_memstream(&tree, &n);
    for (int i = 0; i < 26; i++)
        fprintf(f, "%c\troot\n", 'a' + i);
    fclose(f);
    f = open_memstream(&original, &n);
    for (int i = 0; i < 2500; i++)
        fprintf(f, "a %c%s\n", 'b' + i % 25, i % 3 ? "" : " flu");
    fclose(f);
    pa_case c = {.tree = tree,
                 .original = original,
                 .published = "a root\na root\n",
                 .sensitive = "flu\n",
                 .known = "1",
                 .absent = "4"};
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        heard h;
        lethe_err e;
        char *text = pa_text(&c, threads[i], &h, &e);
        if (e != LETHE_OK) fail_msg("%s", h.text);
        if (first) assert_string_equal(text, first);
        if (!first) first = strdup(text);
        lethe_json_text_free(text);
    }
    assert_non_null(strstr(first, "\"persons\":1000,\"known\":1,\"absent\":4,"));
    // half know a, and of 24 others four that are not there (21 of 25 are left), half the other
    // item
    double mean = strtod(strstr(first, "\"mean\":") + 7, NULL);
    assert_true(mean > 1020 && mean < 1180); // (2100 + 100) / 2
    c.has_seed = true;
    c.seed = 2;
    heard h;
    lethe_err e;
    char *other = pa_text(&c, 1, &h, &e);
    assert_string_not_equal(other, first);
    lethe_json_text_free(other);
    free(first);
    free(tree);
    free(original);
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    pa_case c = {.tree = food, .original = "milk\nbeef\n", .published = "beef\nmilk\n"};
    pa_original o = pa_read(ctx, &c);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_ctx_cancel(ctx);
    assert_int_equal(pa_run(ctx, &c, &o, doc, lethe_json_object(doc)), LETHE_ECANCEL);
    lethe_json_doc_free(doc);
    pa_free(&o);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    pa_case c = {.tree = food,
                 .original = "ann\tapple milk flu\nbob\tbeef apple\nann\torange cold\n",
                 .sensitive = "cold\nflu\n",
                 .published = "apple|beef fruit\ncold dairy flu fruit\n",
                 .map = "ann\t2\nbob\t1\n",
                 .known = "2",
                 .absent = "2"};
    pa_original o = pa_read(ctx, &c);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        h.n = 0;
        lethe_alloc_fail_at(++n);
        e = pa_run(ctx, &c, &o, doc, out);
        lethe_alloc_fail_at(0);
        assert_int_equal(h.n, e == LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 20);
    pa_free(&o);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_hide_their_members),
        cmocka_unit_test(a_node_all_of_whose_leaves_are_absent_excludes),
        cmocka_unit_test(a_leaf_that_nobody_has_may_be_there),
        cmocka_unit_test(bags_show_any_member),
        cmocka_unit_test(what_is_suppressed_is_no_clue),
        cmocka_unit_test(persons_are_merged_as_the_release_did),
        cmocka_unit_test(sensitive_items_are_told),
        cmocka_unit_test(sensitive_items_of_all_but_a_few),
        cmocka_unit_test(as_many_are_absent),
        cmocka_unit_test(nobody_is_nobody),
        cmocka_unit_test(strange_items_say_nothing),
        cmocka_unit_test(another_taxonomy_is_refused),
        cmocka_unit_test(bad_files_are_bad_input),
        cmocka_unit_test(a_sample_is_drawn_whatever_the_threads),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
