/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", thesis, 2010: section 5.5.2
 * (page 143), Example 5.12, as vector ssg-21; and section 5.6.3 (page 150) on copies. */
#include "published_harness.h"
#include "golden.h"
#include "measure/measure.h"

extern const lethe_measure lethe_measure_patterns;

static int by_text(const void *a, const void *b)
{
    return lethe_str_cmp(*(const lethe_str *)a, *(const lethe_str *)b);
}

/* Patterns as records, each `times`, items in the order of their bytes; and a last one. */
static void as_records(const lethe_json *patterns, int times, const char *last, char *out,
                       size_t cap)
{
    size_t used = 0;
    for (size_t i = 0; i < lethe_json_count(patterns); i++)
        for (int c = 0; c < times; c++) {
            const lethe_json *p = lethe_json_at(patterns, i);
            lethe_str name[8];
            size_t n = lethe_json_count(p);
            assert_true(n > 0 && n <= LETHE_COUNT(name));
            for (size_t k = 0; k < n; k++)
                name[k] = lethe_json_text(lethe_json_at(p, k));
            qsort(name, n, sizeof *name, by_text);
            for (size_t k = 0; k < n; k++)
                used += (size_t)snprintf(out + used, cap - used, "%.*s%c", (int)name[k].n,
                                         name[k].at, k + 1 < n ? ' ' : '\n');
        }
    used += (size_t)snprintf(out + used, cap - used, "%s\n", last);
    assert_true(used < cap);
}

static bound bind_to(lethe_ctx *ctx, lethe_tree *tree, const char *original)
{
    bound b = {.tree = tree};
    lethe_records *r = NULL;
    assert_int_equal(lethe_records_memory(ctx, lethe_str_of(original), true, &r), LETHE_OK);
    assert_int_equal(lethe_records_bind(ctx, r, b.tree, true, &b.records, &b.grown), LETHE_OK);
    return b;
}

static void figures_are(const lethe_json *v, const char *original, const char *published,
                        fraction recall, fraction sdist)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    bound b = bind_to(ctx, golden_tree(v), original);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    against a = {.published = published, .known = "1"};
    assert_int_equal(against_bound(ctx, &a, &b, lethe_measure_patterns.run,
                                   lethe_measure_patterns.options, doc, out),
                     LETHE_OK);
    const lethe_json *r = lethe_json_get(out, "recall"), *s = lethe_json_get(out, "sdist");
    assert_int_equal(lethe_json_kind(r), LETHE_JSON_REAL);
    assert_int_equal(lethe_json_kind(s), LETHE_JSON_REAL);
    // of numbers this small, doubles hold the quotient that is nearest: the same
    assert_true(lethe_json_real(r) == (double)recall.num / (double)recall.den);
    assert_true(lethe_json_real(s) == (double)sdist.num / (double)sdist.den);
    lethe_json_doc_free(doc);
    bound_free(&b);
    lethe_ctx_free(ctx);
}

/* The most frequent pattern of each side, made so by two records that are it; a third is there to
 * be less frequent. */
static void example_5_12(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-21");
    char original[256], published[256];
    assert_int_equal(lethe_json_count(golden_array(v, "input.OFCPs")), 1);
    assert_int_equal(lethe_json_count(golden_array(v, "input.AFCPs")), 1);
    as_records(golden_array(v, "input.OFCPs"), 2, "Boots", original, sizeof original);
    as_records(golden_array(v, "input.AFCPs"), 2, "Zero", published,
               sizeof published); // no such goods
    figures_are(v, original, published, golden_fraction(v, "expected.Recall"),
                golden_fraction(v, "expected.sDist"));
    golden_close(&g);
}

/* "We ignored the duplicate occurrences of a query-term in each vocabulary." */
static void section_5_6_3_copies_are_ignored(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-21");
    figures_are(v, "Wine Wine Jackets\nJackets Wine\nWine Jackets Jackets\n",
                "Outwear Wine\nOutwear Wine Wine\n", golden_fraction(v, "expected.Recall"),
                golden_fraction(v, "expected.sDist"));
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_5_12),
        cmocka_unit_test(section_5_6_3_copies_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
