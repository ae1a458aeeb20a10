/* SPDX-License-Identifier: Apache-2.0 */
/* Who has an item, and whether what a group shares gives its members away. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/cluster/clump/holders.h"
#include "core/mem.h"

typedef struct world {
    lethe_ctx *ctx;
    lethe_tree *tree;
    lethe_records *records;
} world;

/* Ann has two records with tea, bob and cy one each; nobody has milk; bread is ann's alone. */
static int begin(void **state)
{
    static world w;
    static const char tree[] = "tea\tdrink\nmilk\tdrink\ndrink\tfood\nbread\tfood\n",
                      records[] = "ann\ttea tea\nbob\ttea\nann\ttea bread\ncy\ttea\n";
    lethe_records *read;
    lethe_tree *grown = NULL;
    lethe_settings s = {.n_threads = 1};
    assert_int_equal(lethe_ctx_new(&s, &w.ctx), LETHE_OK);
    assert_int_equal(lethe_tree_memory(w.ctx, LETHE_LIT(tree), LETHE_NAMES_ITEMS, &w.tree),
                     LETHE_OK);
    assert_int_equal(lethe_records_memory(w.ctx, LETHE_LIT(records), true, &read), LETHE_OK);
    assert_int_equal(lethe_records_bind(w.ctx, read, w.tree, true, &w.records, &grown), LETHE_OK);
    assert_null(grown);
    *state = &w;
    return 0;
}

static int end(void **state)
{
    world *w = *state;
    lethe_records_free(w->records);
    lethe_tree_free(w->tree);
    lethe_ctx_free(w->ctx);
    return 0;
}

static uint32_t node(const world *w, const char *name)
{
    return lethe_tree_find(w->tree, lethe_str_of(name));
}

static void persons_count_once(void **state)
{
    world *w = *state;
    uint32_t *holders;
    assert_int_equal(lethe_clump_holders_count(w->records, w->tree, false, &holders), LETHE_OK);
    assert_int_equal(holders[node(w, "tea")], 3);
    assert_int_equal(holders[node(w, "bread")], 1);
    assert_int_equal(holders[node(w, "milk")], 0);
    assert_int_equal(holders[node(w, "drink")], 0);
    lethe_free(holders);
}

static void records_count_each(void **state)
{
    world *w = *state;
    uint32_t *holders;
    assert_int_equal(lethe_clump_holders_count(w->records, w->tree, true, &holders), LETHE_OK);
    assert_int_equal(holders[node(w, "tea")], 4);
    assert_int_equal(holders[node(w, "bread")], 1);
    lethe_free(holders);
}

static void leaves_alone_are_rare(void **state)
{
    world *w = *state;
    uint32_t *holders, tea = node(w, "tea"), drink = node(w, "drink"), bread = node(w, "bread");
    assert_int_equal(lethe_clump_holders_count(w->records, w->tree, false, &holders), LETHE_OK);
    assert_false(lethe_clump_holders_rare(holders, w->tree, 3, &tea, 1));
    assert_true(lethe_clump_holders_rare(holders, w->tree, 4, &tea, 1));
    assert_false(lethe_clump_holders_rare(holders, w->tree, 4, &drink,
                                          1)); // generalized: no item of its own
    assert_true(lethe_clump_holders_rare(holders, w->tree, 3, (uint32_t[]){drink, tea, bread}, 3));
    assert_false(lethe_clump_holders_rare(holders, w->tree, 3, (uint32_t[]){drink, tea}, 2));
    assert_false(lethe_clump_holders_rare(holders, w->tree, 3, NULL, 0));
    lethe_free(holders);
}

static void lack_of_memory_leaves_nothing(void **state)
{
    world *w = *state;
    uint32_t *holders = NULL;
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e == LETHE_ENOMEM && n < 100; n++) {
        lethe_alloc_fail_at(n);
        e = lethe_clump_holders_count(w->records, w->tree, false, &holders);
        lethe_alloc_fail_at(0);
        if (e == LETHE_ENOMEM) assert_null(holders);
    }
    assert_int_equal(e, LETHE_OK);
    lethe_free(holders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(persons_count_once, begin, end),
        cmocka_unit_test_setup_teardown(records_count_each, begin, end),
        cmocka_unit_test_setup_teardown(leaves_alone_are_rare, begin, end),
        cmocka_unit_test_setup_teardown(lack_of_memory_leaves_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
