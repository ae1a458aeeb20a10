/* SPDX-License-Identifier: Apache-2.0 */
/* What mining still finds in a release of records: recall, sDist, generalized patterns. */
#include "published_harness.h"
#include "measure/measure.h"
#include <stdlib.h>

extern const lethe_measure lethe_measure_patterns;

static const char goods[] = "Edibles\tGoods\nAlcohol\tEdibles\nWine\tAlcohol\nVino\tAlcohol\n"
                            "Milk\tEdibles\nRaw\tMilk\nHomo\tMilk\nClothing\tGoods\n"
                            "Outwear\tClothing\nJackets\tOutwear\nPants\tOutwear\n"
                            "Footwear\tClothing\nBoots\tFootwear\nShoes\tFootwear\n";

static const char *support; /* --support of the run, or NULL */

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_values *v = (lethe_values *)c->values;
    if (support) assert_int_equal(lethe_values_set(v, 1, support, NULL), LETHE_OK);
    return lethe_measure_patterns.run(c, doc, out);
}

static char *figures_of(const against *a, unsigned threads, heard *h)
{
    lethe_err e;
    char *text = against_text(a, run, lethe_measure_patterns.options, threads, h, &e);
    if (e != LETHE_OK) fail_msg("%s", h->text);
    return text;
}

static void figures_are(const against *a, const char *want)
{
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < 3; i++) {
        heard h;
        char *text = figures_of(a, threads[i], &h);
        if (h.n > 0) fail_msg("%s", h.text);
        assert_string_equal(text, want);
        lethe_json_text_free(text);
    }
}

static void nothing_lost_is_all_recalled(void **state)
{
    (void)state;
    support = NULL;
    figures_are(&(against){.tree = goods,
                           .original = "Wine Jackets\nWine\nBoots Wine\n",
                           .published = "Boots Wine\nJackets Wine\nWine\n"},
                "{\"closed_patterns\":{\"original\":3,\"published\":3,\"original_support\":1,"
                "\"published_support\":1},\"recall\":1.0,\"sdist\":0.0}");
}

/* Example 5.12 from records: top 1 of each. */
static void example_5_12_from_records(void **state)
{
    (void)state;
    support = NULL;
    figures_are(&(against){.tree = goods,
                           .original = "Wine Jackets\nWine Jackets\nPants\n",
                           .published = "Outwear Wine\nOutwear Wine\nPants\n",
                           .known = "1"},
                "{\"closed_patterns\":{\"original\":1,\"published\":1,\"original_support\":2,"
                "\"published_support\":2},\"recall\":0.5,\"sdist\":0.5}");
}

/* <Wine, Jackets> and <Milk>: of the two distances, 3 and 5, the less; nothing for what is left. */
static void unmatched_is_charged_nothing(void **state)
{
    (void)state;
    support = NULL;
    figures_are(&(against){.tree = goods, .original = "Wine Jackets\n", .published = "Milk\n"},
                "{\"closed_patterns\":{\"original\":1,\"published\":1,\"original_support\":1,"
                "\"published_support\":1},\"recall\":0.0,\"sdist\":1.5}");
    figures_are(&(against){.tree = goods, .original = "Raw\n", .published = "Jackets Wine\n"},
                "{\"closed_patterns\":{\"original\":1,\"published\":1,\"original_support\":1,"
                "\"published_support\":1},\"recall\":0.0,\"sdist\":4.0}");
    // Vino is the nearest of both, at 2 and 4, and cannot have both: 2 + 6 for Boots
    figures_are(&(against){.tree = goods, .original = "Wine Raw\n", .published = "Boots Vino\n"},
                "{\"closed_patterns\":{\"original\":1,\"published\":1,\"original_support\":1,"
                "\"published_support\":1},\"recall\":0.0,\"sdist\":4.0}");
}

static void the_n_th_brings_its_equals(void **state)
{
    (void)state;
    support = NULL;
    // Wine 3, Boots 2, Pants 2, Raw 1: of two, three
    figures_are(&(against){.tree = goods,
                           .original = "Wine\nWine\nWine\nBoots\nBoots\nPants\nPants\nRaw\n",
                           .published = "Boots\nBoots\nRaw\nRaw\nRaw\nWine\nWine\nWine\n",
                           .known = "2"},
                "{\"closed_patterns\":{\"original\":3,\"published\":2,\"original_support\":2,"
                "\"published_support\":3},\"recall\":0.3333333333333333,\"sdist\":4.0}");
}

static void copies_count_once(void **state)
{
    (void)state;
    support = "1";
    figures_are(&(against){.tree = goods,
                           .original = "Wine Wine\nWine\n",
                           .published = "Wine\nWine Wine Wine\n"},
                "{\"closed_patterns\":{\"original\":1,\"published\":1,\"original_support\":2,"
                "\"published_support\":2},\"recall\":1.0,\"sdist\":0.0,"
                "\"patterns\":4,\"pattern_error\":0.0}");
}

/* In the original Goods 4, Edibles 3, Alcohol 3, Wine 2, Vino 1, Clothing 2, Outwear 2, Jackets 2,
 * with Clothing and below: Edibles 1, Alcohol 1, Wine 1.  Published Goods 4, Edibles 3, Alcohol 3,
 * Clothing 2, Outwear 2, both together 1.  At 2 of 4 records: 5 patterns, all in the original.
 * Closed ones: <Wine>, <Jackets>, <Vino> and both first, each at 1 from <Alcohol> or <Outwear>. */
static void generalized_patterns_are_counted(void **state)
{
    (void)state;
    support = "0.5";
    figures_are(&(against){.tree = goods,
                           .original = "Wine\nWine Jackets\nVino\nJackets\n",
                           .published = "Alcohol\nAlcohol\nAlcohol Outwear\nOutwear\n"},
                "{\"closed_patterns\":{\"original\":4,\"published\":3,\"original_support\":1,"
                "\"published_support\":1},\"recall\":0.0,\"sdist\":0.8,"
                "\"patterns\":5,\"pattern_error\":0.0}");
    // one record less is in it: Goods 3 of 4, Edibles and Alcohol 2 of 3; at 0.3, as at 2
    support = "0.3";
    figures_are(&(against){.tree = goods,
                           .original = "Wine\nWine Jackets\nVino\nJackets\n",
                           .published = "Alcohol\nAlcohol Outwear\nOutwear\n"},
                "{\"closed_patterns\":{\"original\":4,\"published\":3,\"original_support\":1,"
                "\"published_support\":1},\"recall\":0.0,\"sdist\":0.8,"
                "\"patterns\":5,\"pattern_error\":0.21428571428571427}");
}

/* 0.07 times 100 is a bit more than 7 in doubles: 7 of 100 are that share all the same. */
static void a_share_of_records_is_exact(void **state)
{
    (void)state;
    static char original[1024], published[1024];
    for (int i = 0; i < 100; i++) {
        strcat(original, i < 7 ? "Wine\n" : "Boots\n");
        strcat(published, i < 93 ? "Boots\n" : "Wine\n");
    }
    support = "0.07"; // Goods, Edibles, Alcohol, Wine; Clothing, Footwear, Boots
    for (int i = 0; i < 2; i++) {
        heard h;
        char *text = figures_of(
            &(against){.tree = goods, .original = original, .published = published}, 1, &h);
        assert_non_null(strstr(text, i ? "\"patterns\":4," : "\"patterns\":7,"));
        lethe_json_text_free(text);
        support = "0.0701"; // 8: without those above Wine, but for Goods
    }
}

static void nothing_over_nothing_is_null(void **state)
{
    (void)state;
    support = "1";
    figures_are(&(against){.tree = goods, .original = "\n\n", .published = "\n\n"},
                "{\"closed_patterns\":{\"original\":0,\"published\":0,\"original_support\":1,"
                "\"published_support\":1},\"recall\":null,\"sdist\":null,"
                "\"patterns\":0,\"pattern_error\":null}");
    figures_are(&(against){.tree = goods, .original = "Wine\n", .published = "\n"},
                "{\"closed_patterns\":{\"original\":1,\"published\":0,\"original_support\":1,"
                "\"published_support\":1},\"recall\":0.0,\"sdist\":null,"
                "\"patterns\":0,\"pattern_error\":null}");
}

/* A bag is mined as what is above its members: Vino|Wine as Alcohol, Jackets|Pants as Outwear. */
static void bags_are_what_is_above_them(void **state)
{
    (void)state;
    support = "0.5";
    static const char want[] =
        "{\"closed_patterns\":{\"original\":4,\"published\":3,\"original_support\":1,"
        "\"published_support\":1},\"recall\":0.0,\"sdist\":0.8,"
        "\"patterns\":5,\"pattern_error\":0.0}";
    figures_are(&(against){.tree = goods,
                           .original = "Wine\nWine Jackets\nVino\nJackets\n",
                           .published = "Alcohol\nAlcohol\nAlcohol Outwear\nOutwear\n"},
                want);
    figures_are(
        &(against){.tree = goods,
                   .original = "Wine\nWine Jackets\nVino\nJackets\n",
                   .published = "Alcohol\nJackets|Pants\nJackets|Pants Vino|Wine\nVino|Wine\n"},
        want);
    heard h;
    char *text = figures_of(
        &(against){.tree = goods, .original = "Wine\n", .published = "Wine|Vino\n"}, 1, &h);
    assert_string_equal(h.text, // out of order: it is nothing
                        "1 published items are not in the taxonomy: their patterns are left out "
                        "of sdist");
    lethe_json_text_free(text);
}

static void strange_items_have_no_distance(void **state)
{
    (void)state;
    heard h;
    support = NULL;
    char *text = figures_of(&(against){.tree = goods,
                                       .original = "Wine\nWine\n",
                                       .published = "Beer Wine\nBeer Wine\n"},
                            1, &h);
    assert_string_equal(h.text,
                        "1 published items are not in the taxonomy: their patterns are left out "
                        "of sdist");
    assert_string_equal(text, "{\"closed_patterns\":{\"original\":1,\"published\":1,"
                              "\"original_support\":2,\"published_support\":2},"
                              "\"recall\":1.0,\"sdist\":null}");
    lethe_json_text_free(text);
}

enum { LONG = 1001 }; /* items: one more than are matched */

/* "i1000 i1001 ..." */
static void long_record(char *out, size_t cap, char first)
{
    size_t n = 0;
    for (int i = 0; i < LONG; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%c%d", i ? " " : "", first, 1000 + i);
    snprintf(out + n, cap - n, "\n");
}

/* What is too long to be matched is left out, and said; but not where a pattern is in another,
 * which is no distance however long they are. */
static void long_patterns_are_matched_or_said(void **state)
{
    (void)state;
    static char tree[2 * LONG * 16], i[LONG * 8], j[LONG * 8], both[LONG * 8 + 8];
    size_t n = 0;
    for (int k = 0; k < 2 * LONG; k++)
        n += (size_t)snprintf(tree + n, sizeof tree - n, "%c%d\troot\n", k < LONG ? 'i' : 'j',
                              1000 + k % LONG);
    long_record(i, sizeof i, 'i');
    long_record(j, sizeof j, 'j');
    snprintf(both, sizeof both, "i1000\n%s", j);
    const struct {
        const char *original, *published, *recall, *sdist;
        bool said;
    } cases[] = {
        {i, i, "1.0", "0.0", false},
        {i, j, "0.0", "null", true},
        {"i1000\n", i, "1.0", "0.0", false},
        {"i1000\n", j, "0.0", "null", true},
        {"i1000\n", both, "1.0", "0.0", false},
        {"i1001\n", both, "0.0", "2.0", true},
        {i, "i1000\n", "0.000999000999000999", "0.0", false},
        {i, "j1000\n", "0.0", "null", true},
    };
    support = NULL;
    for (size_t c = 0; c < LETHE_COUNT(cases); c++) {
        char want[128];
        heard h;
        against a = {.tree = tree, .original = cases[c].original, .published = cases[c].published};
        char *text = figures_of(&a, 1 + (unsigned)c % 2, &h);
        snprintf(want, sizeof want, "\"recall\":%s,\"sdist\":%s}", cases[c].recall, cases[c].sdist);
        if (!strstr(text, want)) fail_msg("case %zu: %s", c, text);
        assert_int_equal(h.n, cases[c].said);
        if (h.n > 0)
            assert_string_equal(h.text, "1 patterns of more than 1000 items are left out of sdist");
        lethe_json_text_free(text);
    }
}

/* Of 30 records that nobody shares, top 1 would be 30 patterns: more than 20 times 1. */
static void too_many_ties_are_left_out_and_said(void **state)
{
    (void)state;
    static char tree[4096], records[512];
    heard h;
    size_t n = 0, m = 0;
    for (int i = 10; i < 40; i++) {
        n += (size_t)snprintf(tree + n, sizeof tree - n, "i%d\troot\n", i);
        m += (size_t)snprintf(records + m, sizeof records - m, "i%d\n", i);
    }
    support = NULL;
    char *text = figures_of(
        &(against){.tree = tree, .original = records, .published = records, .known = "1"}, 1, &h);
    assert_int_equal(h.n, 1);
    assert_string_equal(h.text,
                        "patterns of support 1 are left out: with them there are more than 20");
    assert_string_equal(text, "{\"closed_patterns\":{\"original\":0,\"published\":0,"
                              "\"original_support\":2,\"published_support\":2},"
                              "\"recall\":null,\"sdist\":null}");
    lethe_json_text_free(text);
}

/* All sets of 21 items that are side by side: 2^21 - 1. */
static void too_many_generalized_patterns_are_said(void **state)
{
    (void)state;
    static char tree[1024], record[256];
    size_t n = 0, m = 0;
    for (int i = 10; i < 31; i++) {
        n += (size_t)snprintf(tree + n, sizeof tree - n, "i%d\troot\n", i);
        m += (size_t)snprintf(record + m, sizeof record - m, "%si%d", i > 10 ? " " : "", i);
    }
    snprintf(record + m, sizeof record - m, "\n");
    support = "1";
    for (unsigned threads = 1; threads <= 2; threads++) {
        heard h;
        char *text = figures_of(&(against){.tree = tree, .original = record, .published = record},
                                threads, &h);
        assert_string_equal(h.text,
                            "more than 1000000 generalized patterns: give a greater --support");
        assert_non_null(strstr(text, "\"patterns\":null,\"pattern_error\":null}"));
        lethe_json_text_free(text);
    }
}

static void options_have_ranges(void **state)
{
    (void)state;
    lethe_value at[2];
    lethe_values v;
    lethe_values_init(&v, lethe_measure_patterns.options, at);
    assert_int_equal(lethe_count_of(&v, "patterns"), 1000);
    assert_false(lethe_value_of(&v, "support")->present);
    static const char *const bad[][2] = {{"0", "0"}, {"-1", "-0.1"}, {"x", "1.1"}, {"", ""}};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        assert_int_equal(lethe_values_set(&v, 0, bad[i][0], NULL), LETHE_EUSAGE);
        assert_int_equal(lethe_values_set(&v, 1, bad[i][1], NULL), LETHE_EUSAGE);
    }
}

static void bad_files_are_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *published;
        lethe_err err;
    } bad[] = {{NULL, LETHE_EIO}, {"", LETHE_EINPUT}, {"b\na\n", LETHE_EINPUT}};
    support = NULL;
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        heard h;
        lethe_err e;
        against a = {.tree = goods, .original = "Wine\n", .published = bad[i].published};
        assert_null(against_text(&a, run, lethe_measure_patterns.options, 1, &h, &e));
        assert_int_equal(e, bad[i].err);
        assert_int_equal(h.n, 1);
    }
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    bound b = bind_text(ctx, goods, "Wine Raw Shoes\nWine Jackets\nVino Raw\n");
    against a = {.published = "Alcohol Outwear\nAlcohol Raw\nBoots Vino\nRaw|Wine\n"};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    support = "0.3";
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        h.n = 0;
        lethe_alloc_fail_at(++n);
        e = against_bound(ctx, &a, &b, run, lethe_measure_patterns.options, doc, out);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || h.n == 1);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 50);
    bound_free(&b);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_lost_is_all_recalled),
        cmocka_unit_test(example_5_12_from_records),
        cmocka_unit_test(unmatched_is_charged_nothing),
        cmocka_unit_test(the_n_th_brings_its_equals),
        cmocka_unit_test(copies_count_once),
        cmocka_unit_test(generalized_patterns_are_counted),
        cmocka_unit_test(a_share_of_records_is_exact),
        cmocka_unit_test(nothing_over_nothing_is_null),
        cmocka_unit_test(bags_are_what_is_above_them),
        cmocka_unit_test(strange_items_have_no_distance),
        cmocka_unit_test(long_patterns_are_matched_or_said),
        cmocka_unit_test(too_many_ties_are_left_out_and_said),
        cmocka_unit_test(too_many_generalized_patterns_are_said),
        cmocka_unit_test(options_have_ranges),
        cmocka_unit_test(bad_files_are_bad_input),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
