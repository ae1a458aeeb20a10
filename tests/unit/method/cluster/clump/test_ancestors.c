/* SPDX-License-Identifier: Apache-2.0 */
/* ancestors.h and buig.h, edge by edge. */
/* suite: threads */
#include "clump_harness.h"
#include "method/cluster/clump/ancestors.h"

/*         0
 *      1     6
 *    2   5  7 8
 *   3 4           */
static lethe_tree *small_tree(void)
{
    uint32_t parent[] = {LETHE_NONE, 0, 0, 1, 1, 2, 2, 3, 3};
    lethe_tree *t = c_tree(parent, 9);
    static const uint32_t level[] = {0, 1, 2, 3, 3, 2, 1, 2, 2};
    for (uint32_t v = 0; v < 9; v++)
        assert_int_equal(t->level[v], level[v]);
    return t;
}

static void expect(const lethe_ancestors *a, uint64_t size, const lethe_ancestors_entry *want,
                   size_t n)
{
    assert_int_equal(a->size, size);
    assert_int_equal(a->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a->at[i].node, want[i].node);
        assert_int_equal(a->at[i].count, want[i].count);
    }
}

static void counts_are_in_preorder_without_the_root(void **state)
{
    (void)state;
    lethe_tree *t = small_tree();
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors v;
    uint32_t item[] = {8, 4, 3, 4, 0, 1};
    assert_int_equal(lethe_ancestors_of(t, item, 6, a, &v), LETHE_OK);
    expect(&v, 6, (lethe_ancestors_entry[]){{1, 4}, {2, 3}, {3, 1}, {4, 2}, {6, 1}, {8, 1}}, 6);
    assert_int_equal(item[0], 8); // the bag itself is as it was
    assert_int_equal(lethe_ancestors_of(t, NULL, 0, a, &v), LETHE_OK);
    expect(&v, 0, NULL, 0);
    assert_int_equal(lethe_ancestors_of(t, (uint32_t[]){0, 0}, 2, a, &v), LETHE_OK);
    expect(&v, 2, NULL, 0);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

static void a_tree_of_one_node_has_no_counts(void **state)
{
    (void)state;
    uint32_t parent = LETHE_NONE, *item;
    size_t n;
    lethe_tree *t = c_tree(&parent, 1);
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors v;
    lethe_ancestors_dense *l = lethe_ancestors_dense_new(t);
    c_bag bags[] = {{(uint32_t[]){0, 0, 0}, 3}, {(uint32_t[]){0, 0}, 2}}, out;
    assert_int_equal(lethe_ancestors_of(t, bags[0].item, 3, a, &v), LETHE_OK);
    expect(&v, 3, NULL, 0);
    assert_int_equal(lethe_ancestors_mass(t, &v), 0);
    lethe_ancestors_dense_set(l, &v);
    assert_int_equal(lethe_ancestors_dense_overlap(l, &v), 0);
    assert_int_equal(lethe_ancestors_ggd(t, 3, 1, 0), 0);
    assert_int_equal(lethe_ancestors_items(t, &v, a, &item, &n), LETHE_OK);
    assert_int_equal(n, 3);
    assert_int_equal(c_fast_buig(t, bags, 2, a, &out), LETHE_OK);
    assert_int_equal(out.n, 2);
    assert_int_equal(out.item[0] + out.item[1], 0);
    lethe_ancestors_dense_free(l);
    lethe_ancestors_dense_free(NULL);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

static void least_counts_shrink_and_give_the_lcg(void **state)
{
    (void)state;
    lethe_tree *t = small_tree();
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors x, y, none;
    lethe_ancestors_min m = {0};
    uint32_t *item;
    size_t n;
    assert_int_equal(lethe_ancestors_of(t, (uint32_t[]){3, 4, 7}, 3, a, &x), LETHE_OK);
    assert_int_equal(lethe_ancestors_of(t, (uint32_t[]){4, 5, 8, 8}, 4, a, &y), LETHE_OK);
    assert_int_equal(lethe_ancestors_of(t, NULL, 0, a, &none), LETHE_OK);
    assert_int_equal(lethe_ancestors_min_set(&m, &x), LETHE_OK);
    lethe_ancestors_min_meet(&m, &y);
    lethe_ancestors v = lethe_ancestors_min_view(&m);
    expect(&v, 3, (lethe_ancestors_entry[]){{1, 2}, {2, 1}, {4, 1}, {6, 1}}, 4);
    assert_int_equal(lethe_ancestors_items(t, &v, a, &item, &n), LETHE_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(item, ((uint32_t[]){1, 4, 6}), sizeof(uint32_t[3]));
    // 5 leaves, scale 4: LM(1) = 2/4, LM(6) = 1/4; 2 records of 7 items, 1 suppressed
    assert_int_equal(lethe_ancestors_ggd(t, 7, 2, lethe_ancestors_mass(t, &v)),
                     2 * (2 + 0 + 1) + 4);
    lethe_ancestors_min_meet(&m, &none);
    v = lethe_ancestors_min_view(&m);
    expect(&v, 0, NULL, 0);
    assert_int_equal(lethe_ancestors_items(t, &v, a, &item, &n), LETHE_OK);
    assert_int_equal(n, 0);
    assert_int_equal(lethe_ancestors_min_set(&m, &y), LETHE_OK); // and it can be used again
    v = lethe_ancestors_min_view(&m);
    expect(&v, 4, (lethe_ancestors_entry[]){{1, 2}, {2, 1}, {4, 1}, {5, 1}, {6, 2}, {8, 2}}, 6);
    lethe_ancestors_min_free(&m);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

static void what_is_laid_out_is_taken_away_again(void **state)
{
    (void)state;
    lethe_tree *t = small_tree();
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors_dense *l = lethe_ancestors_dense_new(t);
    lethe_ancestors x, y;
    assert_int_equal(lethe_ancestors_of(t, (uint32_t[]){3, 7}, 2, a, &x), LETHE_OK);
    assert_int_equal(lethe_ancestors_of(t, (uint32_t[]){4}, 1, a, &y), LETHE_OK);
    lethe_ancestors_dense_set(l, &x);
    assert_int_equal(lethe_ancestors_dense_overlap(l, &x), 8); // two leaves: all of the scale each
    lethe_ancestors_dense_set(l, &y);
    assert_int_equal(lethe_ancestors_dense_overlap(l, &x), 3); // 1 and 2 in common: w is 2 and 1
    lethe_ancestors_dense_set(l, NULL);
    assert_int_equal(lethe_ancestors_dense_overlap(l, &x), 0);
    lethe_ancestors_dense_free(l);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

/* docs/clump.md, "Where we depart": Algorithm 2 drops what is left over at milk. */
static void buig_drops_what_is_left_over(void **state)
{
    (void)state;
    lethe_tree *t = small_tree();
    lethe_arena *a = lethe_arena_new();
    c_bag bags[] = {{(uint32_t[]){3, 3}, 2}, {(uint32_t[]){4, 3}, 2}}, out;
    assert_int_equal(c_fast_buig(t, bags, 2, a, &out), LETHE_OK);
    assert_int_equal(out.n, 2);
    assert_memory_equal(out.item, ((uint32_t[]){0, 3}), sizeof(uint32_t[2]));
    bags[1].n = 0;
    assert_int_equal(c_fast_buig(t, bags, 2, a, &out), LETHE_OK);
    assert_int_equal(out.n, 0);
    assert_int_equal(c_fast_buig(t, bags, 1, a, &out), LETHE_OK); // of one bag: itself
    assert_memory_equal(out.item, ((uint32_t[]){3, 3}), sizeof(uint32_t[2]));
    lethe_arena_free(a);
    lethe_tree_free(t);
}

static void a_million_items_and_a_deep_tree(void **state)
{
    (void)state;
    enum { DEEP = 50000, MANY = 1000000 };
    uint32_t *parent = malloc(DEEP * sizeof *parent), *item = malloc(MANY * sizeof *item), *back;
    size_t n;
    for (uint32_t i = 0; i < DEEP; i++)
        parent[i] = i == 0 ? LETHE_NONE : i - 1;
    lethe_tree *t = c_tree(parent, DEEP);
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors v;
    for (uint32_t i = 0; i < MANY; i++)
        item[i] = (uint32_t)((uint64_t)i * 2654435761u % DEEP);
    assert_int_equal(lethe_ancestors_of(t, item, MANY, a, &v), LETHE_OK);
    assert_int_equal(v.n, DEEP - 1);
    assert_int_equal(v.size, MANY);
    for (uint32_t i = 1; i + 1 < v.n; i++)
        assert_true(v.at[i].count <= v.at[i - 1].count);
    assert_int_equal(lethe_ancestors_items(t, &v, a, &back, &n), LETHE_OK);
    assert_int_equal(n, MANY);
    qsort(item, MANY, sizeof *item, c_cmp);
    assert_memory_equal(back, item, MANY * sizeof *item);
    free(item);
    free(parent);
    lethe_arena_free(a);
    lethe_tree_free(t);
}

static void groups_are_as_many_as_persons_allow(void **state)
{
    (void)state;
    static const struct {
        uint64_t of[4];
        size_t n;
        uint64_t k, want;
    } cases[] = {
        {{0}, 0, 2, 0},          {{5}, 1, 2, 0},          {{5, 1}, 2, 2, 1},
        {{5, 5}, 2, 2, 5},       {{9, 1, 1, 1}, 4, 2, 3}, {{1, 1, 1, 1}, 4, 2, 2},
        {{1, 1, 1, 1}, 4, 5, 0}, {{1, 1, 1, 1}, 4, 1, 4}, {{UINT32_MAX, 1, 1, 1}, 4, 2, 3},
        {{2, 2, 1, 1}, 4, 3, 2},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        assert_int_equal(lethe_clump_most_groups(cases[i].of, cases[i].n, cases[i].k),
                         cases[i].want);
}

/* --- no memory --- */

static lethe_err use_everything(lethe_ctx *ctx, const lethe_tree *t, const c_records *c)
{
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors *all = NULL, one;
    lethe_ancestors_min m = {0};
    lethe_ancestors_dense *l = lethe_ancestors_dense_new(t);
    uint32_t *item;
    size_t n;
    c_bag bags[] = {{c->item, 3}, {c->item + 3, 2}}, out;
    lethe_err err = a && l ? lethe_ancestors_all(ctx, t, &c->r, a, &all) : LETHE_ENOMEM;
    if (err == LETHE_OK) err = lethe_ancestors_of(t, c->item, 3, a, &one);
    if (err == LETHE_OK) err = lethe_ancestors_min_set(&m, &all[0]);
    if (err == LETHE_OK) err = lethe_ancestors_items(t, &one, a, &item, &n);
    if (err == LETHE_OK) err = c_fast_buig(t, bags, 2, a, &out);
    lethe_ancestors_min_free(&m);
    lethe_ancestors_dense_free(l);
    if (a) lethe_arena_free(a);
    return err;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lethe_tree *t = small_tree();
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){3, 4, 8}, 3);
    c_add(&c, 1, (uint32_t[]){5, 8}, 2);
    lethe_ctx *ctx = c_ctx(NULL, 2);
    lethe_err err = LETHE_ENOMEM;
    uint64_t n = 1;
    for (; err != LETHE_OK && n < 100; n++) {
        lethe_alloc_fail_at(n);
        err = use_everything(ctx, t, &c);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
    }
    assert_int_equal(err, LETHE_OK);
    assert_true(n > 6);
    lethe_ctx_free(ctx);
    c_free(&c);
    lethe_tree_free(t);
}

static void a_cancelled_run_counts_nothing(void **state)
{
    (void)state;
    lethe_tree *t = small_tree();
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){3, 4, 8}, 3);
    lethe_ctx *ctx = c_ctx(NULL, 1);
    lethe_arena *a = lethe_arena_new();
    lethe_ancestors *all = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_ancestors_all(ctx, t, &c.r, a, &all), LETHE_ECANCEL);
    assert_null(all);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
    c_free(&c);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_in_preorder_without_the_root),
        cmocka_unit_test(a_tree_of_one_node_has_no_counts),
        cmocka_unit_test(least_counts_shrink_and_give_the_lcg),
        cmocka_unit_test(what_is_laid_out_is_taken_away_again),
        cmocka_unit_test(buig_drops_what_is_left_over),
        cmocka_unit_test(a_million_items_and_a_deep_tree),
        cmocka_unit_test(groups_are_as_many_as_persons_allow),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_cancelled_run_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
