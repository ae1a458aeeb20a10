/* SPDX-License-Identifier: Apache-2.0 */
/* What generalizing cost, on the taxonomy of the paper's Figure 1 and on trees of one node. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/generalized.h"
#include "io/json/json.h"

static lethe_ctx *context(void)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 1};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

static lethe_tree *tree_of(lethe_ctx *ctx, const char *edges)
{
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(edges), LETHE_NAMES_RAW, &t), LETHE_OK);
    return t;
}

/* Eight leaves, so LM is in sevenths: fruit 3/7, meat 1/7, dairy 1/7, food 1. */
static const char food[] = "fruit\tfood\norange\tfruit\nbanana\tfruit\ngrape\tfruit\napple\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nmilk\tdairy\nbutter\tdairy\n";

static uint32_t node(const lethe_tree *t, const char *name)
{
    uint32_t v = lethe_tree_find(t, lethe_str_of(name));
    assert_int_not_equal(v, LETHE_NONE);
    return v;
}

static double figure(const lethe_json *o, const char *name)
{
    assert_non_null(lethe_json_get(o, name));
    return lethe_json_real(lethe_json_get(o, name));
}

static void sums_follow_the_definition(void **state)
{
    (void)state;
    lethe_ctx *ctx = context();
    lethe_tree *t = tree_of(ctx, food);
    lethe_generalized g = {0};
    uint32_t fruits[] = {node(t, "fruit"), node(t, "fruit"), node(t, "beef")};
    uint32_t root[] = {node(t, "food")};
    lethe_generalized_add(&g, t, 5, fruits, 3); // two suppressed: 3/7 + 3/7 + 0 + 2
    lethe_generalized_add(&g, t, 1, root, 1);   // 1
    lethe_generalized_add(&g, t, 4, NULL, 0);   // 4
    lethe_generalized_add(&g, t, 0, NULL, 0);   // a record with no item costs nothing
    assert_int_equal(g.records, 4);
    assert_int_equal(g.items, 10);
    assert_int_equal(g.published, 4);
    assert_int_equal(g.levels, 1 + 1 + 2 + 0);
    assert_int_equal(g.ggd, 6 + 14 + 7 + 28);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(doc);
    lethe_generalized_set(&g, t, doc, o);
    assert_false(lethe_json_failed(doc));
    assert_true(figure(o, "ggd") == 55.0 / 7);
    assert_true(figure(o, "avg_length") == 1);
    assert_true(figure(o, "avg_level") == 2); // the root's level is 1 here
    assert_int_equal(lethe_json_kind(lethe_json_get(o, "items_suppressed")), LETHE_JSON_INT);
    assert_int_equal(lethe_json_int(lethe_json_get(o, "items_suppressed")), 6);
    assert_int_equal(lethe_json_count(o), 4);
    lethe_json_doc_free(doc);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

static void averages_of_nothing_are_zero(void **state)
{
    (void)state;
    lethe_ctx *ctx = context();
    lethe_tree *t = tree_of(ctx, food);
    lethe_generalized g = {0};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(doc);
    lethe_generalized_set(&g, t, doc, o);
    assert_true(figure(o, "ggd") == 0 && figure(o, "avg_length") == 0);
    assert_true(figure(o, "avg_level") == 0 && figure(o, "items_suppressed") == 0);
    lethe_generalized_add(&g, t, 3, NULL, 0); // a record, but no item
    lethe_generalized_set(&g, t, doc, o);
    assert_true(figure(o, "ggd") == 3 && figure(o, "avg_length") == 0);
    assert_true(figure(o, "avg_level") == 0 && figure(o, "items_suppressed") == 3);
    lethe_json_doc_free(doc);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

static void in_a_tree_of_one_leaf_only_suppressing_costs(void **state)
{
    (void)state;
    lethe_ctx *ctx = context();
    lethe_tree *t = tree_of(ctx, "leaf\troot\n");
    lethe_generalized g = {0};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *o = lethe_json_object(doc);
    lethe_generalized_add(&g, t, 3, (uint32_t[]){0}, 1);
    lethe_generalized_set(&g, t, doc, o);
    assert_true(figure(o, "ggd") == 2);
    lethe_json_doc_free(doc);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

static void density_is_of_the_input(void **state)
{
    (void)state;
    lethe_ctx *ctx = context();
    lethe_tree *t = tree_of(ctx, food);
    lethe_records *r = NULL;
    lethe_str lines = LETHE_LIT("orange milk milk\n\nbeef apple\n");
    assert_int_equal(lethe_records_memory(ctx, lines, true, &r), LETHE_OK);
    assert_true(lethe_records_density(r, t) == 5.0 / 3 / 8);
    lethe_records_free(r);
    lethe_records_builder *b = lethe_records_builder_new();
    assert_int_equal(lethe_records_build(b, &r), LETHE_OK);
    assert_true(lethe_records_density(r, t) == 0);
    lethe_records_builder_free(b);
    lethe_records_free(r);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

/* Sums are of items times nodes, in 63 bits; records and their items are numbered in 32. */
static void what_sums_cannot_hold_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t start[3];
        size_t n;
        uint32_t nodes;
        bool fits;
    } cases[] = {
        {{0, 0, 0}, 2, 1, true},
        {{0, 5, 7}, 2, UINT32_MAX, true},
        {{0, UINT32_MAX - 1, UINT32_MAX}, 2, UINT32_MAX >> 1, true},
        {{0, UINT32_MAX, UINT32_MAX}, 2, 9, false},
        {{0, 1, UINT32_MAX - 1}, 2, UINT32_MAX, false},
        {{0, 1, UINT64_MAX / 2}, 2, UINT32_MAX, false}, // what overflows 64 bits, too
        {{0}, LETHE_NONE, 9, false},                    // their starts are not looked at
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_records r = {.n = cases[i].n, .start = cases[i].start};
        lethe_tree t = {.n = cases[i].nodes};
        lethe_err err = lethe_generalized_fits(NULL, &r, &t);
        if (err != (cases[i].fits ? LETHE_OK : LETHE_EINPUT)) fail_msg("case %zu: %d", i, err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_follow_the_definition),
        cmocka_unit_test(averages_of_nothing_are_zero),
        cmocka_unit_test(in_a_tree_of_one_leaf_only_suppressing_costs),
        cmocka_unit_test(density_is_of_the_input),
        cmocka_unit_test(what_sums_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
