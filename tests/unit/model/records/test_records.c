/* SPDX-License-Identifier: Apache-2.0 */
/* Records made by hand, and bound to a taxonomy. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "records_text.h"

/* "id: a b|: c|id: a" into records: each from its own line, the id empty for none. */
static lethe_err make(const char *plan, lethe_records **out)
{
    lethe_records_builder *b = lethe_records_builder_new();
    lethe_err e = b ? LETHE_OK : LETHE_ENOMEM;
    uint64_t origin = 0;
    for (const char *p = plan; *p && e == LETHE_OK; origin++) {
        size_t n = strcspn(p, ":");
        lethe_str id = {p, n};
        e = lethe_records_begin(b, n ? &id : NULL, origin);
        p += n + 1;
        while (e == LETHE_OK && *p == ' ') {
            size_t k = strcspn(++p, " |");
            e = lethe_records_item(b, (lethe_str){p, k});
            p += k;
        }
        if (*p == '|') p++;
    }
    if (e == LETHE_OK) e = lethe_records_build(b, out);
    lethe_records_builder_free(b);
    return e;
}

static lethe_tree *tree_of(lethe_ctx *ctx, const char *edges)
{
    lethe_tree *t = NULL;
    lethe_err e = lethe_tree_memory(ctx, lethe_str_of(edges), LETHE_NAMES_ITEMS, &t);
    assert_int_equal(e, LETHE_OK);
    return t;
}

static void assert_text(const lethe_records *r, const lethe_tree *tree, const char *want)
{
    text t = {0};
    text_put(&t, "", 0);
    records_text(&t, r, tree);
    assert_string_equal(t.at, want);
    free(t.at);
}

/* --- the builder --- */

static void records_keep_their_order_and_copies(void **state)
{
    (void)state;
    lethe_records *r = NULL;
    assert_int_equal(make("ann: tea tea milk|: milk|bob:|ann: tea|: bread", &r), LETHE_OK);
    assert_text(r, NULL, "0 0=ann: tea tea milk\n1 1: milk\n2 2=bob:\n3 0=ann: tea\n4 3: bread\n");
    assert_null(records_fault(r));
    assert_int_equal(r->n, 5);
    assert_int_equal(r->n_owners, 4);
    assert_int_equal(lethe_record_size(r, 0), 3);
    assert_int_equal(lethe_record_size(r, 2), 0);
    assert_int_equal(r->counts.read + r->counts.rejected + r->counts.unknown, 0);
    lethe_records_free(r);
}

static void without_ids_there_are_no_names(void **state)
{
    (void)state;
    lethe_records *r = NULL;
    assert_int_equal(make(": a|: a", &r), LETHE_OK);
    assert_null(r->owners);
    assert_null(r->owner_name);
    assert_int_equal(r->n_owners, 2);
    assert_null(records_fault(r));
    lethe_records_free(r);
}

static void no_records_are_records_too(void **state)
{
    (void)state;
    lethe_records *r = NULL;
    assert_int_equal(make("", &r), LETHE_OK);
    assert_int_equal(r->n, 0);
    assert_null(records_fault(r));
    lethe_records_free(r);
    lethe_records_free(NULL);
    lethe_records_builder_free(NULL);
}

static void bytes_are_copied(void **state)
{
    (void)state;
    lethe_records_builder *b = lethe_records_builder_new();
    lethe_records *r = NULL;
    char id[] = "ann", item[] = "tea";
    assert_int_equal(lethe_records_begin(b, &(lethe_str){id, 3}, 7), LETHE_OK);
    assert_int_equal(lethe_records_item(b, (lethe_str){item, 3}), LETHE_OK);
    memset(id, 'x', 3);
    memset(item, 'x', 3);
    assert_int_equal(lethe_records_build(b, &r), LETHE_OK);
    lethe_records_builder_free(b);
    assert_text(r, NULL, "7 0=ann: tea\n");
    lethe_records_free(r);
}

static void many_records_fit(void **state)
{
    (void)state;
    enum { N = 50000 };
    lethe_records_builder *b = lethe_records_builder_new();
    lethe_records *r = NULL;
    char name[32];
    for (int i = 0; i < N; i++) {
        lethe_str id = {name, (size_t)sprintf(name, "%d", i % 777)};
        assert_int_equal(lethe_records_begin(b, i % 3 ? &id : NULL, (uint64_t)i * 2), LETHE_OK);
        for (int k = 0; k < i % 5; k++) {
            lethe_str item = {name, (size_t)sprintf(name, "i%d", (i * 7 + k) % 4321)};
            assert_int_equal(lethe_records_item(b, item), LETHE_OK);
        }
    }
    assert_int_equal(lethe_records_build(b, &r), LETHE_OK);
    lethe_records_builder_free(b);
    assert_null(records_fault(r));
    assert_int_equal(r->n, N);
    assert_int_equal(r->start[N], N / 5 * 10);
    for (int i = 0; i < N; i++) {
        assert_int_equal(r->origin[i], (uint64_t)i * 2);
        for (int k = 0; k < i % 5; k++) {
            sprintf(name, "i%d", (i * 7 + k) % 4321);
            uint32_t item = r->item[r->start[i] + (uint64_t)k];
            assert_true(lethe_str_eq(lethe_dict_at(r->items, item), lethe_str_of(name)));
        }
    }
    lethe_records_free(r);
}

/* --- binding --- */

static const char goods[] = "edibles\tgoods\nclothing\tgoods\nwine\tedibles\nmilk\tedibles\n"
                            "raw_milk\tmilk\nhomo_milk\tmilk\nboots\tclothing\n";

typedef struct bound {
    const char *plan, *want, *messages;
    uint64_t unknown;
    size_t n_grown; /* nodes of the tree that is grown; 0: none is */
} bound;

static void check_bound(const bound *c)
{
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_tree *t = tree_of(ctx, goods), *grown = NULL;
    lethe_records *r = NULL;
    o.show_content = true;
    assert_int_equal(make(c->plan, &r), LETHE_OK);
    r->counts.read = r->n;
    assert_int_equal(lethe_records_bind(ctx, r, t, false, &r, &grown), LETHE_OK);
    assert_int_equal(grown ? grown->n : 0, c->n_grown);
    assert_text(r, grown ? grown : t, c->want);
    assert_string_equal(o.messages.at, c->messages);
    assert_null(r->items);
    assert_null(records_fault(r));
    assert_int_equal(r->counts.unknown, c->unknown);
    assert_int_equal(r->counts.read, r->n);
    for (uint64_t k = 0; k < r->start[r->n]; k++)
        assert_true(lethe_tree_is_leaf(grown ? grown : t, r->item[k]));
    lethe_records_free(r);
    lethe_tree_free(grown);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void items_become_leaves(void **state)
{
    (void)state;
    static const bound table[] = {
        {"ann: wine wine boots|: raw_milk|ann:",
         "0 0=ann: wine wine boots\n1 1: raw_milk\n2 0=ann:\n", "", 0, 0},
        /* the tree lacks some: dropped, wherever they stand, and copies too */
        {": tea wine|: tea|: boots sugar wine tea", "0 0: wine\n1 1:\n2 2: boots wine\n",
         "W item 1 of record 1 is not in the taxonomy [tea]\n"
         "W item 2 of record 3 is not in the taxonomy [sugar]\n"
         "W dropped 4 occurrences of 2 items that the taxonomy lacks\n",
         4, 0},
        {": a b b c d e", "0 0:\n",
         "W item 1 of record 1 is not in the taxonomy [a]\n"
         "W item 2 of record 1 is not in the taxonomy [b]\n"
         "W item 4 of record 1 is not in the taxonomy [c]\n"
         "W dropped 6 occurrences of 5 items that the taxonomy lacks\n",
         6, 0},
        {": x", "0 0:\n",
         "W item 1 of record 1 is not in the taxonomy [x]\n"
         "W dropped 1 occurrence of 1 item that the taxonomy lacks\n",
         1, 0},
        /* inner nodes, the root among them, get leaves of their own */
        {": milk goods wine|: milk homo_milk boots clothing",
         "0 0: =milk =goods wine\n1 1: =milk homo_milk boots =clothing\n", "", 0, 11},
        {": edibles tea edibles", "0 0: =edibles =edibles\n",
         "W item 2 of record 1 is not in the taxonomy [tea]\n"
         "W dropped 1 occurrence of 1 item that the taxonomy lacks\n",
         1, 9},
        {"", "", "", 0, 0},
        {":", "0 0:\n", "", 0, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++)
        check_bound(&table[i]);
}

static void a_leaf_of_its_own_stands_below_its_node(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_tree *t = tree_of(ctx, goods), *grown = NULL;
    lethe_records *r = NULL;
    assert_int_equal(make(": milk edibles raw_milk", &r), LETHE_OK);
    assert_int_equal(lethe_records_bind(ctx, r, t, true, &r, &grown), LETHE_OK);
    assert_non_null(grown);
    uint32_t milk = lethe_tree_find(grown, LETHE_LIT("milk"));
    uint32_t edibles = lethe_tree_find(grown, LETHE_LIT("edibles"));
    assert_int_equal(grown->parent[r->item[0]], milk);
    assert_int_equal(grown->parent[r->item[1]], edibles);
    assert_int_equal(grown->parent[r->item[2]], milk);
    assert_int_equal(grown->leaves[milk], 3);
    lethe_records_free(r);
    lethe_tree_free(grown);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void strict_refuses_what_the_taxonomy_lacks(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_tree *t = tree_of(ctx, goods), *grown = NULL;
    lethe_records *r = NULL, *out = NULL;
    o.show_content = true;
    assert_int_equal(make(": wine|: goods tea sugar", &r), LETHE_OK);
    assert_int_equal(lethe_records_bind(ctx, r, t, true, &out, &grown), LETHE_EINPUT);
    assert_null(out);
    assert_null(grown);
    assert_string_equal(o.messages.at, "E item 2 of record 2 is not in the taxonomy [tea]\n");
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void a_tree_of_one_node_has_a_leaf(void **state)
{
    (void)state;
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL, *grown = NULL;
    lethe_records *r = NULL;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_tree_builder_new(NULL, NULL, &b), LETHE_OK);
    assert_int_equal(lethe_tree_node(b, LETHE_LIT("all"), 1), LETHE_OK);
    assert_int_equal(lethe_tree_build(b, &t), LETHE_OK);
    assert_int_equal(make(": all all", &r), LETHE_OK);
    assert_int_equal(lethe_records_bind(ctx, r, t, true, &r, &grown), LETHE_OK);
    assert_null(grown);
    assert_text(r, t, "0 0: all all\n");
    lethe_records_free(r);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

/* --- no memory --- */

static void lack_of_memory_is_clean(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_tree *t = tree_of(ctx, goods);
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        lethe_records *r = NULL;
        lethe_tree *grown = NULL;
        lethe_alloc_fail_at(n);
        lethe_err e = make("ann: milk wine|: tea goods|bob: boots", &r);
        if (e == LETHE_OK) e = lethe_records_bind(ctx, r, t, false, &r, &grown);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done && e != LETHE_ENOMEM) fail_msg("allocation %llu: %d", (unsigned long long)n, e);
        assert_true(!done || n > 8);
        if (!done) continue;
        assert_text(r, grown, "0 0=ann: =milk wine\n1 1: =goods\n2 2=bob: boots\n");
        lethe_records_free(r);
        lethe_tree_free(grown);
    }
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_keep_their_order_and_copies),
        cmocka_unit_test(without_ids_there_are_no_names),
        cmocka_unit_test(no_records_are_records_too),
        cmocka_unit_test(bytes_are_copied),
        cmocka_unit_test(many_records_fit),
        cmocka_unit_test(items_become_leaves),
        cmocka_unit_test(a_leaf_of_its_own_stands_below_its_node),
        cmocka_unit_test(strict_refuses_what_the_taxonomy_lacks),
        cmocka_unit_test(a_tree_of_one_node_has_a_leaf),
        cmocka_unit_test(lack_of_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
