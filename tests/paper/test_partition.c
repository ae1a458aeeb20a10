/* SPDX-License-Identifier: Apache-2.0 */
/* The worked examples of the papers: Milani Fard and Wang 2010, Tables I and II; Liu 2010,
 * Examples 5.10, 5.11 and Figure 5.6; and small cases that were solved apart
 * (tests/data/golden/partition.json). */
/* suite: threads */
#include "partition_harness.h"
#include "golden.h"

static void load(const lethe_json *v, const lethe_tree *t, bags *b)
{
    const lethe_json *all = golden_object(v, "input.transactions");
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        const lethe_json *one = lethe_json_at(all, i);
        bags_begin(b, (uint32_t)i);
        for (size_t k = 0; k < lethe_json_count(one); k++)
            bags_item(b, golden_node(v, t, lethe_json_text(lethe_json_at(one, k))));
    }
}

static void expect(const lethe_json *v, const lethe_tree *t, const part_run *h, const char *path)
{
    const lethe_json *all = golden_object(v, "input.transactions"), *want = golden_object(v, path);
    assert_int_equal(lethe_json_count(want), h->r->n);
    for (size_t i = 0; i < h->r->n; i++) {
        char name[64];
        lethe_str id = lethe_json_name(all, i);
        snprintf(name, sizeof name, "%.*s", (int)id.n, id.at);
        size_t n;
        uint32_t *bag = golden_bag(v, t, lethe_json_get(want, name), &n);
        if (h->n_nodes[i] != n)
            fail_msg("%.*s: %s has %zu items", GOLDEN_ID(v), name, h->n_nodes[i]);
        qsort(h->node[i], n, sizeof **h->node, golden_cmp_u32);
        if (n > 0 && memcmp(bag, h->node[i], n * sizeof *bag) != 0)
            fail_msg("%.*s: %s has other items", GOLDEN_ID(v), name);
        free(bag);
    }
}

static void run_vector(const lethe_json *v, const char *pick, bool bag, const char *path)
{
    char k[24];
    lethe_tree *t = golden_tree(v);
    bags b = {0};
    part_run h = {0};
    load(v, t, &b);
    snprintf(k, sizeof k, "%lld", (long long)golden_int(v, "parameters.k"));
    const char *const persons[] = {"person", "record"}; // each record is a person's own
    for (size_t i = 0; i < LETHE_COUNT(persons); i++) {
        part_setting s = {.k = k, .pick = pick, .bag = bag, .persons = persons[i]};
        assert_int_equal(part_do(&h, t, &b.r, &s), LETHE_OK);
        expect(v, t, &h, path);
        if (!bag && golden_find(v, "expected.total_ggd")) {
            fraction want = golden_fraction(v, "expected.total_ggd");
            part_expect(&h, "ggd", (double)want.num / (double)want.den);
        }
        part_end(&h);
    }
    bags_free(&b);
    lethe_tree_free(t);
}

static void all_vectors_are_met(void **state)
{
    golden g = golden_open("partition");
    size_t n_bags = 0;
    (void)state;
    assert_int_equal(g.n, 12);
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i), *bag = golden_find(v, "parameters.bag");
        const char *const picks[] = {"gain", "mass"};
        for (size_t p = 0; p < LETHE_COUNT(picks); p++) {
            run_vector(v, picks[p], bag && lethe_json_bool(bag), "expected.generalized");
            if (!golden_find(v, "expected.bag")) continue;
            run_vector(v, picks[p], true, "expected.bag");
            n_bags++;
        }
    }
    assert_int_equal(n_bags, 2 * 8);
    golden_close(&g);
}

/* Example 5.11: [8 * 5/7 + 6 * 3/7 + 6 * 2/7 + 2] / 22 = 54.5 %. */
static void the_loss_of_example_5_11(void **state)
{
    golden g = golden_open("partition");
    const lethe_json *v = golden_vector(&g, "partition-03");
    lethe_tree *t = golden_tree(v);
    bags b = {0};
    part_run h = {0};
    (void)state;
    load(v, t, &b);
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){.bag = true}), LETHE_OK);
    part_expect(&h, "blm", 12.0 / 22);
    // all terms are leaves of level 3: 8 below Goods, 14 below Edibles and Clothing
    part_expect(&h, "gheight", (8 * 3 + 14 * 2) / 22.0);
    part_expect(&h, "items_suppressed", 2);
    part_expect(&h, "clusters", 2);
    part_expect(&h, "avg_length", 4);
    // 8 of level 1 and 12 of level 2
    part_expect(&h, "avg_level", (8 * 1 + 12 * 2) / 20.0);
    part_end(&h);
    bags_free(&b);
    lethe_tree_free(t);
    golden_close(&g);
}

/* Section IV.B, with the sum put right: 13/7 + 8.  Table III's density: 13 items, 5 records, 8
 * leaves. */
static void the_loss_of_the_motivating_example(void **state)
{
    golden g = golden_open("partition");
    const lethe_json *v = golden_vector(&g, "partition-01");
    lethe_tree *t = golden_tree(v);
    bags b = {0};
    part_run h = {0};
    (void)state;
    load(v, t, &b);
    assert_int_equal(part_do(&h, t, &b.r, &(part_setting){0}), LETHE_OK);
    part_expect(&h, "ggd", 69.0 / 7);
    part_expect(&h, "density", 13.0 / (5 * 8));
    part_expect(&h, "items_suppressed", 13 - 7);
    part_expect(&h, "avg_length", 7.0 / 5);
    part_expect(&h, "avg_level", (4 * 2 + 3 * 1) / 7.0);
    part_end(&h);
    bags_free(&b);
    lethe_tree_free(t);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_vectors_are_met),
        cmocka_unit_test(the_loss_of_example_5_11),
        cmocka_unit_test(the_loss_of_the_motivating_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
