/* SPDX-License-Identifier: Apache-2.0 */
/* What an item of data.txt stands for: a node, a bag of nodes, or nothing. */
#include "published_harness.h"
#include "model/published/published_items.h"
#include <stdlib.h>

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\ngrape\tfruit\norange\tfruit\n"
                           "meat\tfood\nbeef\tmeat\nchicken\tmeat\n"
                           "dairy\tfood\nbutter\tdairy\nmilk\tdairy\n";

static lethe_tree *tree_of(const char *text)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(text), LETHE_NAMES_RAW, &t), LETHE_OK);
    lethe_ctx_free(ctx);
    return t;
}

/* The names of its nodes, parted by spaces; empty: it has none. */
static const char *read_as(const lethe_tree *t, lethe_str item)
{
    static char text[256];
    lethe_arena *a = lethe_arena_new();
    lethe_u32s nodes = {0};
    size_t at = 0;
    uint32_t before = 7;
    assert_int_equal(lethe_u32s_append(a, &nodes, &before, 1), LETHE_OK);
    assert_int_equal(lethe_item_read(t, item, a, &nodes), LETHE_OK);
    assert_true(nodes.n >= 1 && nodes.at[0] == 7); // what was there stays
    text[0] = '\0';
    for (size_t i = 1; i < nodes.n; i++) {
        lethe_str name = lethe_tree_name(t, nodes.at[i]);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", i > 1 ? " " : "", (int)name.n,
                               name.at);
    }
    lethe_arena_free(a);
    return text;
}

static void items_are_nodes_or_bags(void **state)
{
    (void)state;
    static const struct {
        const char *item, *want;
    } cases[] = {
        {"milk", "milk"},
        {"food", "food"},
        {"apple|milk", "apple milk"},
        {"apple|beef|butter|chicken|milk", "apple beef butter chicken milk"},
        {"beef|dairy", "beef dairy"},
        {"apple|fruit", "apple fruit"}, // says no more than fruit; but it can be read
        {"wine", ""},
        {"", ""},
        {"|", ""},
        {"||", ""},
        {"milk|apple", ""},      // out of order
        {"apple|apple", ""},     // twice
        {"apple|milk|milk", ""}, // twice, at the end
        {"beef|apple|milk", ""}, // out of order, at the start
        {"apple|wine", ""},      // unknown
        {"ale|apple", ""},       // unknown, first
        {"apple|beer|milk", ""}, // unknown, between
        {"milk|", ""},
        {"|milk", ""},
        {"apple||milk", ""},
        {"apple|milk|", ""},
        {"|apple|milk", ""},
        {"apple |milk", ""},
        {"Apple|milk", ""},
        {"milk milk", ""},
    };
    lethe_tree *t = tree_of(food);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        const char *got = read_as(t, lethe_str_of(cases[i].item));
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("'%s' is '%s', not '%s'", cases[i].item, got, cases[i].want);
    }
    assert_string_equal(read_as(t, (lethe_str){"apple|milk\0", 11}), "");
    assert_string_equal(read_as(t, (lethe_str){"apple\0|milk", 11}), "");
    assert_string_equal(read_as(t, (lethe_str){NULL, 0}), "");
    lethe_tree_free(t);
}

/* Order is that of bytes, not of letters or signs. */
static void members_are_in_the_order_of_bytes(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("Z\tr\na\tr\nab\tr\n\xc3\xa9\tr\na_\tr\n");
    static const struct {
        const char *item, *want;
    } cases[] = {
        {"Z|a", "Z a"},         {"a|Z", ""},
        {"a|ab", "a ab"},       {"ab|a", ""},
        {"a|a_|ab", "a a_ ab"}, {"a|\xc3\xa9", "a \xc3\xa9"},
        {"\xc3\xa9|a", ""},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        assert_string_equal(read_as(t, lethe_str_of(cases[i].item)), cases[i].want);
    lethe_tree_free(t);
}

/* Names that hold the joint themselves: a node's own name comes first, and no part may hold it. */
static void a_node_of_that_name_comes_first(void **state)
{
    (void)state;
    lethe_tree *t = tree_of("a\tr\nb\tr\na|b\tr\nc\tr\n|\tr\n");
    assert_string_equal(read_as(t, LETHE_LIT("a|b")), "a|b");
    assert_string_equal(read_as(t, LETHE_LIT("a|c")), "a c");
    assert_string_equal(read_as(t, LETHE_LIT("a|b|c")), "a b c"); // not a|b and c
    assert_string_equal(read_as(t, LETHE_LIT("|")), "|");
    assert_string_equal(read_as(t, LETHE_LIT("|||a")), "");
    lethe_tree_free(t);
}

/* --- all of them --- */

static void what_is_below_another_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *item, *nodes, *above;
        uint32_t leaves;
    } cases[] = {
        {"milk", "milk", "milk", 1},
        {"fruit", "fruit", "fruit", 4},
        {"butter|milk", "butter milk", "dairy", 2},
        {"apple|banana", "apple banana", "fruit", 2},
        {"apple|milk", "apple milk", "food", 2},
        {"beef|fruit", "fruit beef", "food", 5},
        {"apple|fruit", "fruit", "fruit", 4},
        {"apple|banana|fruit|milk", "fruit milk", "food", 5},
        {"apple|food|milk", "food", "food", 8},
        {"milk|apple", "", NULL, 0},
        {"wine", "", NULL, 0},
    };
    lethe_tree *t = tree_of(food);
    lethe_arena *a = lethe_arena_new();
    lethe_dict *d = lethe_dict_new();
    lethe_published_items p;
    for (uint32_t i = 0, id; i < LETHE_COUNT(cases); i++)
        assert_int_equal(lethe_dict_add(d, lethe_str_of(cases[i].item), &id), LETHE_OK);
    assert_int_equal(lethe_published_items_read(t, d, a, &p), LETHE_OK);
    assert_int_equal(p.n, LETHE_COUNT(cases));
    for (uint32_t i = 0; i < p.n; i++) {
        char text[128] = "";
        for (uint64_t k = p.first[i]; k < p.first[i + 1]; k++) {
            lethe_str name = lethe_tree_name(t, p.node[k]);
            if (k > p.first[i]) strcat(text, " ");
            strncat(text, name.at, name.n);
        }
        assert_string_equal(text, cases[i].nodes);
        uint32_t above = lethe_item_above(&p, i);
        if (cases[i].above)
            assert_int_equal(above, lethe_tree_find(t, lethe_str_of(cases[i].above)));
        else
            assert_int_equal(above, LETHE_NONE);
        assert_int_equal(lethe_item_leaves(&p, i), cases[i].leaves);
    }
    lethe_dict_free(d);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

static void no_items_are_none(void **state)
{
    (void)state;
    lethe_tree *t = tree_of(food);
    lethe_arena *a = lethe_arena_new();
    lethe_dict *d = lethe_dict_new();
    lethe_published_items p;
    assert_int_equal(lethe_published_items_read(t, d, a, &p), LETHE_OK);
    assert_int_equal(p.n, 0);
    lethe_dict_free(d);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

/* A bag of a hundred thousand is read as fast as it is long. */
static void a_large_bag(void **state)
{
    (void)state;
    enum { N = 100000 };
    char *tree = malloc(N * 12), *item = malloc(N * 8), *p = tree, *q = item;
    for (unsigned i = 0; i < N; i++) {
        p += sprintf(p, "n%06u\tr\n", i);
        q += sprintf(q, "%sn%06u", i ? "|" : "", i);
    }
    lethe_tree *t = tree_of(tree);
    lethe_arena *a = lethe_arena_new();
    lethe_u32s nodes = {0};
    assert_int_equal(lethe_item_read(t, lethe_str_of(item), a, &nodes), LETHE_OK);
    assert_int_equal(nodes.n, N);
    item[strlen(item) - 1] ^= 1; // the last but one, again
    nodes.n = 0;
    assert_int_equal(lethe_item_read(t, lethe_str_of(item), a, &nodes), LETHE_OK);
    assert_int_equal(nodes.n, 0);
    lethe_arena_free(a);
    lethe_tree_free(t);
    free(tree);
    free(item);
}

static void lack_of_memory_appends_nothing(void **state)
{
    (void)state;
    lethe_tree *t = tree_of(food);
    lethe_dict *d = lethe_dict_new();
    uint32_t id, n_failed = 0;
    assert_int_equal(lethe_dict_add(d, LETHE_LIT("apple|banana|milk"), &id), LETHE_OK);
    assert_int_equal(lethe_dict_add(d, LETHE_LIT("beef"), &id), LETHE_OK);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_arena *a = lethe_arena_new();
        lethe_published_items p;
        (void)!lethe_new(a, char, 4096); // so that the next thing needs a block
        lethe_alloc_fail_at(n);
        e = lethe_published_items_read(t, d, a, &p);
        lethe_alloc_fail_at(0);
        n_failed += e == LETHE_ENOMEM;
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        lethe_arena_free(a);
    }
    assert_true(n_failed > 0);
    lethe_arena *a = lethe_arena_new();
    lethe_u32s nodes = {0};
    (void)!lethe_new(a, char, 1 << 20);
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_item_read(t, LETHE_LIT("apple|milk"), a, &nodes), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_int_equal(nodes.n, 0);
    lethe_arena_free(a);
    lethe_dict_free(d);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_nodes_or_bags),
        cmocka_unit_test(members_are_in_the_order_of_bytes),
        cmocka_unit_test(a_node_of_that_name_comes_first),
        cmocka_unit_test(what_is_below_another_is_left_out),
        cmocka_unit_test(no_items_are_none),
        cmocka_unit_test(a_large_bag),
        cmocka_unit_test(lack_of_memory_appends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
