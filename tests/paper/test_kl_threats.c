/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, 2010, chapter 4: supports of Examples 4.4 to 4.12, threats and valid cuts of
 * Table 4.1 under Figure 4.1, the locked items of Example 4.13, and the two gaps of the definition:
 * the vectors of kl.json but for costs. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "threats_harness.h"

enum { VECTORS = 24, SUPPORTS = 11, LISTS = 8 };

static lethe_ctx *context(void)
{
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 2}, &ctx), LETHE_OK);
    return ctx;
}

static uint32_t mask_of(const lethe_json *v, const lethe_tree *t, const lethe_json *names)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < lethe_json_count(names); i++)
        mask |= 1u << golden_node(v, t, lethe_json_text(lethe_json_at(names, i)));
    return mask;
}

/* The transactions of a vector; sensitive items are numbered as they come. */
static h_case read_case(const lethe_json *v, lethe_dict *marks)
{
    h_case c = {.t = golden_tree(v)};
    const lethe_json *all = golden_object(v, "input.transactions");
    c.n = lethe_json_count(all);
    assert_true(c.n <= H_SETS && c.t->n <= H_NODES);
    for (size_t i = 0; i < c.n; i++) {
        const lethe_json *one = lethe_json_at(all, i), *with = golden_array(one, "sensitive");
        c.items[i] = mask_of(v, c.t, golden_array(one, "items"));
        for (size_t k = 0; k < lethe_json_count(with); k++) {
            uint32_t id = 0;
            assert_int_equal(lethe_dict_add(marks, lethe_json_text(lethe_json_at(with, k)), &id),
                             LETHE_OK);
            assert_true(id < H_MARKS);
            c.marks[i] |= 1u << id;
        }
    }
    if (golden_find(v, "parameters.k"))
        c.kl = (lethe_kl){(uint64_t)golden_int(v, "parameters.k"),
                          (double)golden_int(v, "parameters.l"),
                          (uint32_t)golden_int(v, "parameters.m"),
                          (uint64_t)golden_int(v, "parameters.n"),
                          false,
                          0};
    return c;
}

static lethe_threats find(const h_case *c, unsigned without)
{
    h_records h;
    lethe_threats found;
    lethe_ctx *ctx = context();
    h_records_make(c, &h);
    assert_int_equal(lethe_threats_find(ctx, &h.r, c->t, &c->kl, without, &found), LETHE_OK);
    h_records_free(&h);
    lethe_ctx_free(ctx);
    return found;
}

/* --- supports --- */

/* The items of an itemset, and the power that it takes. */
static void read_itemset(const lethe_json *v, const lethe_tree *t, uint32_t *plus, uint32_t *minus,
                         lethe_kl *power)
{
    const lethe_json *set = golden_array(v, "input.itemset");
    for (size_t i = 0; i < lethe_json_count(set); i++) {
        lethe_str name = lethe_json_text(lethe_json_at(set, i));
        uint32_t node = golden_node(v, t, (lethe_str){name.at, name.n - 1});
        bool absent = name.at[name.n - 1] == '-';
        *(absent ? minus : plus) |= 1u << node;
        power->m += !absent;
        power->n += absent ? t->leaves[node] : 0;
    }
}

/* With k just over its support an itemset is a threat, so that a threat of the list is a
 * generalization of it; k at its support it is none, by the harness at least. */
static void expect_support(const lethe_json *v)
{
    lethe_dict *marks = lethe_dict_new();
    h_case c = read_case(v, marks);
    uint32_t plus = 0, minus = 0, up[H_SETS], clause[H_NODES], n = 0;
    read_itemset(v, c.t, &plus, &minus, &c.kl);
    for (size_t i = 0; i < c.n; i++)
        up[i] = h_up(c.t, c.items[i]);
    for (uint32_t x = 0; x < c.t->n; x++)
        if (plus >> x & 1) clause[n++] = 1u << x;
    c.kl.l = 1;
    c.kl.k = (uint64_t)golden_int(v, "expected.sup");
    assert_false(h_threat(&c, up, clause, n, minus));
    c.kl.k++;
    assert_true(h_threat(&c, up, clause, n, minus));
    lethe_threats found = find(&c, LETHE_PRUNE_LOCKED);
    bool covered = found.empty;
    for (size_t i = 0; i < found.n; i++)
        covered = covered || (h_mask(&found, i) & ~h_up(c.t, plus | minus)) == 0;
    if (!covered) fail_msg("%.*s: no threat covers it", GOLDEN_ID(v));
    lethe_threats_free(&found);
    lethe_tree_free(c.t);
    lethe_dict_free(marks);
}

static void supports_are_those_of_the_examples(void **state)
{
    (void)state;
    size_t n = 0;
    golden g = golden_open("kl");
    assert_int_equal(g.n, VECTORS);
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        if (!golden_find(v, "input.itemset")) continue;
        expect_support(v);
        n++;
    }
    assert_int_equal(n, SUPPORTS);
    golden_close(&g);
}

/* --- threats and cuts --- */

static bool has_set(const lethe_threats *f, uint32_t mask)
{
    bool has = false;
    for (size_t i = 0; i < f->n; i++)
        has = has || h_mask(f, i) == mask;
    return has;
}

static void expect_cuts(const lethe_json *v, const h_case *c, const lethe_threats *f,
                        const char *path)
{
    static h_oracle want;
    const lethe_json *cuts = golden_array(v, path);
    want = (h_oracle){.live = 1};
    for (size_t i = 0; i < c->n; i++)
        want.live |= h_up(c->t, c->items[i]);
    want.n_cuts = 0;
    /* In the order in which the harness meets all cuts. */
    static h_oracle all;
    all = (h_oracle){.live = want.live};
    h_cuts(c, &all, 0, 0);
    for (size_t i = 0; i < all.n_cuts; i++)
        for (size_t k = 0; k < lethe_json_count(cuts); k++)
            if (mask_of(v, c->t, lethe_json_at(cuts, k)) == all.cut[i])
                want.cut[want.n_cuts++] = all.cut[i];
    assert_int_equal(want.n_cuts, lethe_json_count(cuts));
    if (!h_same_cuts(c, &want, f)) fail_msg("%.*s: cuts differ", GOLDEN_ID(v));
}

static void expect_list(const lethe_json *v)
{
    lethe_dict *marks = lethe_dict_new();
    h_case c = read_case(v, marks);
    const lethe_json *want = golden_array(v, "expected.most_general_undecorated_threats");
    for (unsigned without = 0; without < 16; without++) {
        lethe_threats found = find(&c, without);
        const lethe_json *empty = golden_get(v, "expected.empty_itemset_is_threat");
        assert_int_equal(found.empty, lethe_json_bool(empty));
        if (!found.empty && without & LETHE_PRUNE_LOCKED) {
            assert_int_equal(found.n, lethe_json_count(want));
            for (size_t i = 0; i < found.n; i++)
                if (!has_set(&found, mask_of(v, c.t, lethe_json_at(want, i))))
                    fail_msg("%.*s: threat %zu is missing", GOLDEN_ID(v), i);
        }
        expect_cuts(v, &c, &found, "expected.valid_cuts");
        lethe_threats_free(&found);
    }
    lethe_tree_free(c.t);
    lethe_dict_free(marks);
}

static void threats_and_cuts_of_the_table(void **state)
{
    (void)state;
    size_t n = 0;
    golden g = golden_open("kl");
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        if (!golden_find(v, "expected.most_general_undecorated_threats")) continue;
        expect_list(v);
        n++;
    }
    assert_int_equal(n, LISTS);
    golden_close(&g);
}

static void nutrient_and_footwear_are_locked(void **state)
{
    (void)state;
    golden g = golden_open("kl");
    const lethe_json *v = golden_vector(&g, "kl-21");
    lethe_dict *marks = lethe_dict_new();
    h_case c = read_case(v, marks);
    lethe_threats found = find(&c, 0);
    uint32_t locked = mask_of(v, c.t, golden_array(v, "expected.locked_include")), up;
    for (uint32_t x = 0; x < c.t->n; x++)
        assert_int_equal(found.locked[x], locked >> x & 1); // these and no others
    up = h_up(c.t, mask_of(v, c.t, golden_array(v, "expected.initial_cut")));
    for (size_t i = 0; i < found.n; i++)
        assert_true((h_mask(&found, i) & ~up) != 0); // the initial cut is valid
    lethe_threats_free(&found);
    c.kl.n = 1; // the note: {Jacket-} has support 1
    found = find(&c, 0);
    assert_int_equal(found.locked[lethe_tree_find(c.t, LETHE_LIT("Outwear"))], 1);
    lethe_threats_free(&found);
    lethe_tree_free(c.t);
    lethe_dict_free(marks);
    golden_close(&g);
}

static void table_4_2_is_not_private(void **state)
{
    (void)state;
    golden g = golden_open("kl");
    const lethe_json *v = golden_vector(&g, "kl-22");
    lethe_dict *marks = lethe_dict_new();
    h_case c = read_case(v, marks);
    lethe_threats found = find(&c, LETHE_PRUNE_LOCKED);
    uint32_t cut = h_up(c.t, mask_of(v, c.t, golden_array(v, "input.cut"))), broken = 0;
    for (size_t i = 0; i < found.n; i++)
        broken += (h_mask(&found, i) & ~cut) == 0;
    assert_true(broken >= 2); // {Liquor}, {Dairy, Pants}
    assert_true(has_set(&found, 1u << lethe_tree_find(c.t, LETHE_LIT("Liquor"))));
    assert_true(has_set(&found, 1u << lethe_tree_find(c.t, LETHE_LIT("Dairy")) |
                                    1u << lethe_tree_find(c.t, LETHE_LIT("Pants"))));
    lethe_threats_free(&found);
    lethe_tree_free(c.t);
    lethe_dict_free(marks);
    golden_close(&g);
}

/* --- gaps --- */

static void one_of_two_children_is_seen_by_strict(void **state)
{
    (void)state;
    golden g = golden_open("kl");
    const lethe_json *v = golden_vector(&g, "kl-23");
    lethe_dict *marks = lethe_dict_new();
    h_case c = read_case(v, marks);
    lethe_threats found = find(&c, LETHE_PRUNE_LOCKED);
    assert_int_equal(found.n,
                     lethe_json_count(golden_array(v, "expected.threats_by_definition_4_4")));
    lethe_threats_free(&found);
    c.kl.strict = true;
    found = find(&c, LETHE_PRUNE_LOCKED);
    assert_int_equal(found.n, 1);
    assert_int_equal(h_mask(&found, 0), 1u << lethe_tree_find(c.t, LETHE_LIT("a")) |
                                            1u << lethe_tree_find(c.t, LETHE_LIT("b")));
    lethe_threats_free(&found);
    found = find(&c, 0);
    assert_int_equal(found.n, 0);
    assert_int_equal(found.locked[lethe_tree_find(c.t, LETHE_LIT("P"))], 1);
    lethe_threats_free(&found);
    lethe_tree_free(c.t);
    lethe_dict_free(marks);
    golden_close(&g);
}

static void a_child_absent_below_what_is_present_is_seen_by_strict(void **state)
{
    (void)state;
    golden g = golden_open("kl");
    const lethe_json *v = golden_vector(&g, "kl-24");
    lethe_dict *marks = lethe_dict_new();
    h_case c = read_case(v, marks);
    for (unsigned without = 0; without < 16; without++) {
        c.kl.strict = false;
        lethe_threats found = find(&c, without);
        expect_cuts(v, &c, &found, "expected.valid_without_nested_itemsets");
        lethe_threats_free(&found);
        c.kl.strict = true;
        found = find(&c, without);
        expect_cuts(v, &c, &found, "expected.valid_with_nested_itemsets");
        if (without & LETHE_PRUNE_LOCKED)
            assert_true(has_set(&found, 1u << lethe_tree_find(c.t, LETHE_LIT("c"))));
        lethe_threats_free(&found);
    }
    lethe_tree_free(c.t);
    lethe_dict_free(marks);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_are_those_of_the_examples),
        cmocka_unit_test(threats_and_cuts_of_the_table),
        cmocka_unit_test(nutrient_and_footwear_are_locked),
        cmocka_unit_test(table_4_2_is_not_private),
        cmocka_unit_test(one_of_two_children_is_seen_by_strict),
        cmocka_unit_test(a_child_absent_below_what_is_present_is_seen_by_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
