/* SPDX-License-Identifier: Apache-2.0 */
/* Small tables, drawn by a seed: their tuples, all their cuts, weights and prices against rows
 * counted one by one.  And that time and memory go with the rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "seeds.h"
#include "tuples_harness.h"

#define SEEDS seeds(1500)

static lethe_ctx *ctx;

static int begin(void **state)
{
    (void)state;
    return lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) != LETHE_OK;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

static lethe_tuples *tuples_of(const lethe_table *t, bool classes)
{
    lethe_tuples *out = NULL;
    if (lethe_tuples_of(ctx, t, classes, &out) != LETHE_OK) fail_msg("no tuples");
    return out;
}

/* --- tuples --- */

static int order_of(const lethe_tuples *u, size_t i, size_t k)
{
    for (size_t a = 0; a < u->n_qi; a++)
        if (u->leaf[a][i] != u->leaf[a][k]) return u->leaf[a][i] < u->leaf[a][k] ? -1 : 1;
    if (u->sa[i] != u->sa[k]) return u->sa[i] < u->sa[k] ? -1 : 1;
    if (u->class[i] != u->class[k]) return u->class[i] < u->class[k] ? -1 : 1;
    return 0;
}

static void tuples_are_the_distinct_rows_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed;
        uint32_t count[TH_ROWS] = {0};
        th_table h;
        th_draw(&s, &h);
        bool classes = o_below(&s, 2);
        lethe_tuples *u = tuples_of(&h.t, classes);
        assert_int_equal(u->rows, h.t.n);
        assert_int_equal(u->n_qi, h.t.n_qi);
        assert_int_equal(u->n_sa, h.t.sa ? lethe_dict_count(h.sa.values) : 1);
        assert_int_equal(u->n_class, classes && h.t.class ? lethe_dict_count(h.class.values) : 1);
        for (size_t i = 0; i + 1 < u->n; i++)
            assert_int_equal(order_of(u, i, i + 1), -1);
        for (size_t i = 0; i < h.t.n; i++) {
            uint32_t k = u->of_row[i];
            assert_true(k < u->n);
            count[k]++;
            for (size_t a = 0; a < h.t.n_qi; a++)
                assert_int_equal(u->leaf[a][k], h.leaf[a][i]);
            assert_int_equal(u->sa[k], h.t.sa ? h.sa_code[i] : 0);
            assert_int_equal(u->class[k], classes ? th_class(&h, i) : 0);
        }
        for (size_t k = 0; k < u->n; k++)
            assert_true(count[k] > 0 && u->count[k] == count[k]);
        for (size_t a = 0; a < h.t.n_qi; a++)
            assert_ptr_equal(u->tree[a], h.qi[a].tree);
        lethe_tuples_free(u);
        th_free(&h);
    }
    lethe_tuples_free(NULL);
}

/* --- cuts --- */

typedef struct visiting {
    const th_table *h;
    const lethe_tuples *u;
    const uint64_t *const *weight;
    uint64_t seed;
    size_t n, valid, suppressed;
    th_cut before;
} visiting;

static lethe_err check_group(void *arg, const uint32_t *tuple, size_t n,
                             const lethe_group_counts *g, const lethe_group_price *p,
                             const uint32_t *cut)
{
    visiting *v = arg;
    uint64_t rows = 0, gone = 0;
    for (size_t i = 0; i < n; i++) {
        rows += v->u->count[tuple[i]];
        if (i > 0) assert_true(tuple[i - 1] < tuple[i]);
    }
    assert_int_equal(rows, g->n);
    for (uint32_t i = 0; i < g->n_values; i++) {
        uint64_t with = 0;
        for (size_t k = 0; k < n; k++)
            with += v->u->sa[tuple[k]] == g->value[i] ? v->u->count[tuple[k]] : 0;
        assert_int_equal(with, g->with[i]);
        if (i > 0) assert_true(g->value[i - 1] < g->value[i]);
        gone += cut[i];
    }
    if (p->valid) assert_int_equal(gone, p->deleted + p->starred);
    v->n++;
    return LETHE_OK;
}

static void check_cut(void *arg, const th_cut *cut)
{
    visiting *v = arg, groups = {.u = v->u};
    uint64_t n_groups;
    lethe_table_cut_price got;
    th_list list;
    th_to(v->h, cut, &list);
    th_price want = th_evaluate(v->h, cut, &n_groups);
    if (lethe_table_cut_evaluate(ctx, v->u, &v->h->d, v->weight, &list.cut, &got) != LETHE_OK)
        fail_msg("seed %" PRIu64 ": not evaluated", v->seed);
    if (got.valid != want.valid || got.cost != want.cost || got.deleted != want.deleted ||
        got.starred != want.starred || got.groups != n_groups)
        fail_msg("seed %" PRIu64 ": costs %" PRIu64 ", not %" PRIu64, v->seed, got.cost, want.cost);
    if (lethe_table_cut_groups(ctx, v->u, &v->h->d, v->weight, &list.cut, check_group, &groups) !=
        LETHE_OK)
        fail_msg("seed %" PRIu64 ": no groups", v->seed);
    assert_int_equal(groups.n, n_groups);
    v->n++;
    v->valid += want.valid;
    v->suppressed += want.deleted + want.starred > 0;
    th_list other;
    th_to(v->h, &v->before, &other);
    int c = lethe_table_cut_compare(&list.cut, &other.cut, v->h->t.n_qi);
    assert_int_equal(c, v->n == 1 ? 0 : th_before(cut, &v->before, v->h->t.n_qi) ? -1 : 1);
    assert_int_equal(lethe_table_cut_compare(&other.cut, &list.cut, v->h->t.n_qi), -c);
}

static void every_cut_costs_what_its_rows_do(void **state)
{
    size_t n = 0, valid = 0, suppressed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed;
        const uint64_t **weight = NULL;
        th_table h;
        th_draw(&s, &h);
        lethe_tuples *u = tuples_of(&h.t, true);
        assert_int_equal(lethe_tuples_weights(u, u->arena, &weight, &h.d.scale), LETHE_OK);
        visiting v = {.h = &h, .u = u, .weight = (const uint64_t *const *)weight, .seed = seed};
        for (size_t a = 0; a < h.t.n_qi; a++)
            v.before.of[a] = 1;
        th_all_cuts(&h, check_cut, &v);
        assert_true(lethe_tuples_cuts(u) == (double)v.n);
        n += v.n;
        valid += v.valid;
        suppressed += v.suppressed;
        lethe_tuples_free(u);
        th_free(&h);
    }
    assert_true(valid > n / 4 && valid < n && suppressed > n / 20);
}

static lethe_err stop_at_second(void *arg, const uint32_t *tuple, size_t n,
                                const lethe_group_counts *g, const lethe_group_price *p,
                                const uint32_t *cut)
{
    (void)tuple, (void)n, (void)g, (void)p, (void)cut;
    return ++*(int *)arg == 2 ? LETHE_ANSWER_NO : LETHE_OK;
}

static void a_walk_ends_where_it_is_told_to(void **state)
{
    uint64_t s = 3;
    int calls = 0;
    th_table h;
    (void)state;
    do {
        th_draw(&s, &h);
        if (h.qi[0].tree->leaves[0] > 2 && h.t.n > 9) break;
        th_free(&h);
    } while (true);
    lethe_tuples *u = tuples_of(&h.t, true);
    th_cut leaves = {{0}};
    th_list list;
    for (size_t a = 0; a < h.t.n_qi; a++)
        for (uint32_t v = 0; v < h.qi[a].tree->n; v++)
            if (lethe_tree_is_leaf(h.qi[a].tree, v)) leaves.of[a] |= 1u << v;
    th_to(&h, &leaves, &list);
    h.d.cost = LETHE_COST_DM;
    assert_int_equal(lethe_table_cut_groups(ctx, u, &h.d, NULL, &list.cut, stop_at_second, &calls),
                     LETHE_ANSWER_NO);
    assert_int_equal(calls, 2);
    lethe_tuples_free(u);
    th_free(&h);
}

/* --- weights --- */

static lethe_tree *star(uint32_t n_leaves, uint32_t chains)
{
    uint32_t n = 1 + n_leaves + chains, *parent = malloc(n * sizeof *parent);
    lethe_str *name = malloc(n * sizeof *name);
    char(*text)[12] = malloc(n * sizeof *text);
    lethe_tree *t = NULL;
    if (!parent || !name || !text) fail_msg("no memory");
    for (uint32_t i = 0; i < n; i++) { // node 1 .. chains: a chain; leaves below its ends by turns
        snprintf(text[i], sizeof text[i], "%u", i);
        name[i] = lethe_str_of(text[i]);
        parent[i] = i == 0 ? LETHE_NONE : i <= chains ? i - 1 : i % (chains + 1);
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &t), LETHE_OK);
    free(parent);
    free(name);
    free(text);
    return t;
}

static void weights_are_whole_and_rise_to_the_root(void **state)
{
    (void)state;
    static const uint32_t LEAVES[] = {7, 11, 13, 29, 1000003, 999983, 65521};
    static const uint64_t EXACT[] = {1, 6, 30, 60, 420}; // of 6, 10, 12, 28
    const lethe_tree *tree[LETHE_COUNT(LEAVES)];
    for (size_t a = 0; a < LETHE_COUNT(LEAVES); a++)
        tree[a] = star(LEAVES[a], (uint32_t)(a % 3));
    for (size_t n_qi = 1; n_qi <= LETHE_COUNT(LEAVES); n_qi++) {
        uint64_t scale = 0, rows = UINT64_C(1) << 32;
        const uint64_t **weight = NULL;
        lethe_arena *arena = lethe_arena_new();
        lethe_tuples u = {.n_qi = n_qi, .tree = tree, .rows = n_qi < 5 ? 10 : rows};
        assert_int_equal(lethe_tuples_weights(&u, arena, &weight, &scale), LETHE_OK);
        if (n_qi < LETHE_COUNT(EXACT)) assert_int_equal(scale, EXACT[n_qi]);
        assert_true(scale <= (UINT64_C(1) << 62) / u.rows / (2 * n_qi));
        for (size_t a = 0; a < n_qi; a++) {
            assert_int_equal(weight[a][0], scale);
            for (uint32_t v = 1; v < tree[a]->n; v++) {
                double exact = lethe_tree_lm(tree[a], v) / (double)lethe_tree_scale(tree[a]);
                assert_true(weight[a][v] <= weight[a][tree[a]->parent[v]]);
                assert_true(fabs((double)weight[a][v] - exact * (double)scale) <= 1);
                if (lethe_tree_is_leaf(tree[a], v)) assert_int_equal(weight[a][v], 0);
            }
        }
        lethe_arena_free(arena);
    }
    for (size_t a = 0; a < LETHE_COUNT(LEAVES); a++)
        lethe_tree_free((lethe_tree *)(uintptr_t)tree[a]);
}

/* What a deleted row costs is a whole number, exactly so many rows at the roots, and a table of
 * them is not too dear; whatever is given. */
static void deletions_weigh_what_is_asked(void **state)
{
    static const double NONE[] = {0, 0.999, -1, 100.001, 1.0005, 1.23456, NAN, INFINITY, 1e300};
    static const uint32_t LEAVES[] = {7, 11, 1009, 2003, 4001};
    const lethe_tree *tree[LETHE_COUNT(LEAVES)];
    lethe_deletion_weight w;
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(NONE); i++)
        assert_false(lethe_deletion_weight_of(NONE[i], &w));
    for (size_t a = 0; a < LETHE_COUNT(LEAVES); a++)
        tree[a] = star(LEAVES[a], (uint32_t)(a % 3));
    for (uint64_t parts = 1000; parts <= 100000; parts += parts < 3000 ? 1 : 997) {
        size_t n_qi = 1 + parts % LETHE_COUNT(LEAVES);
        char text[32];
        const uint64_t **weight = NULL;
        uint64_t scale = 0, deletion = 0;
        lethe_arena *arena = lethe_arena_new();
        lethe_tuples u = {.n_qi = n_qi, .tree = tree, .rows = parts % 2 ? 10 : UINT64_C(1) << 32};
        snprintf(text, sizeof text, "%u.%03u", (unsigned)(parts / 1000), (unsigned)(parts % 1000));
        assert_true(lethe_deletion_weight_of(strtod(text, NULL), &w));
        assert_int_equal(w.num * 1000, parts * w.den);
        assert_int_equal(lethe_tuples_weights_with(&u, arena, w, &weight, &scale, &deletion),
                         LETHE_OK);
        assert_int_equal(deletion * 1000, parts * scale * n_qi);
        assert_true(deletion <= (UINT64_C(1) << 62) / u.rows);
        for (size_t a = 0; a < n_qi; a++)
            assert_int_equal(weight[a][0], scale);
        lethe_arena_free(arena);
    }
    for (size_t a = 0; a < LETHE_COUNT(LEAVES); a++)
        lethe_tree_free((lethe_tree *)(uintptr_t)tree[a]);
}

static void one_leaf_weighs_nothing(void **state)
{
    uint64_t scale = 0;
    const uint64_t **weight = NULL;
    lethe_tree *t = star(0, 3);
    const lethe_tree *tree[] = {t};
    lethe_arena *arena = lethe_arena_new();
    (void)state;
    lethe_tuples u = {.n_qi = 1, .tree = tree, .rows = 5};
    assert_int_equal(lethe_tuples_weights(&u, arena, &weight, &scale), LETHE_OK);
    assert_int_equal(scale, 1);
    for (uint32_t v = 0; v < t->n; v++)
        assert_int_equal(weight[0][v], 0);
    lethe_arena_free(arena);
    lethe_tree_free(t);
}

static void cuts_are_counted_up_to_infinity(void **state)
{
    (void)state;
    lethe_tree *deep = star(1, 50000), *flat = star(50000, 0), *wide = star(60000, 1200);
    assert_true(lethe_tuples_tree_cuts(deep) == 50001);
    assert_true(lethe_tuples_tree_cuts(flat) == 2);
    assert_true(lethe_tuples_tree_cuts(wide) == 1202);
    lethe_tree_free(deep);
    lethe_tree_free(flat);
    lethe_tree_free(wide);
    uint32_t n = 1 + 2 * 1100, parent[1 + 2 * 1100]; // 1100 chains of two: 2^1100 + 1 cuts
    lethe_str name[1 + 2 * 1100];
    char text[1 + 2 * 1100][8];
    lethe_tree *many = NULL;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "%u", i);
        name[i] = lethe_str_of(text[i]);
        parent[i] = i == 0 ? LETHE_NONE : i % 2 ? 0 : i - 1;
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &many), LETHE_OK);
    assert_true(isinf(lethe_tuples_tree_cuts(many)));
    lethe_tree_free(many);
}

/* --- size --- */

/* A table of so many rows and quasi-identifiers, each of `leaves` values. */
typedef struct large {
    lethe_table t;
    lethe_qi qi[LETHE_QI_MAX];
    lethe_column sa;
    uint32_t *code;
} large;

static void large_make(large *l, size_t rows, size_t n_qi, uint32_t leaves)
{
    uint64_t seed = 7;
    uint32_t number;
    *l = (large){.t = {.n = rows, .n_qi = n_qi}};
    l->t.qi = l->qi;
    for (size_t a = 0; a < n_qi; a++) {
        uint32_t *leaf = malloc(rows * sizeof *leaf);
        l->qi[a] = (lethe_qi){.tree = star(leaves, 0), .leaf = leaf};
        for (size_t i = 0; i < rows; i++)
            leaf[i] = 1 + (uint32_t)o_below(&seed, leaves);
    }
    l->sa = (lethe_column){.values = lethe_dict_new()};
    l->code = malloc(rows * sizeof *l->code);
    for (uint32_t s = 0; s < 14; s++)
        assert_int_equal(
            lethe_dict_add(l->sa.values, (lethe_str){(char[]){(char)('a' + s)}, 1}, &number),
            LETHE_OK);
    for (size_t i = 0; i < rows; i++)
        l->code[i] = (uint32_t)o_below(&seed, 14);
    l->sa.code = l->code;
    l->t.sa = &l->sa;
}

static void large_free(large *l)
{
    for (size_t a = 0; a < l->t.n_qi; a++) {
        free((void *)(uintptr_t)l->qi[a].leaf);
        lethe_tree_free(l->qi[a].tree);
    }
    lethe_dict_free(l->sa.values);
    free(l->code);
}

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void a_million_rows_take_little_time_and_memory(void **state)
{
    enum { ROWS = SANITIZED ? 100000 : 1000000 };
    large l;
    (void)state;
    large_make(&l, ROWS, 7, 9);
    double from = cpu_seconds();
    lethe_tuples *u = tuples_of(&l.t, false);
    double seconds = cpu_seconds() - from;
    print_message("%d rows, %zu tuples: %.2f s\n", ROWS, u->n, seconds);
    assert_true(lethe_arena_bytes(u->arena) < (uint64_t)ROWS * 60 + (8 << 20));
    if (!SANITIZED) assert_true(seconds < 5);
    uint32_t node[7 * 9];
    size_t start[8] = {0};
    for (size_t a = 0; a < 7; a++) {
        for (uint32_t v = 0; v < 9; v++)
            node[9 * a + v] = v + 1;
        start[a + 1] = 9 * (a + 1);
    }
    lethe_group_demand d = {.cost = LETHE_COST_DM,
                            .n_sa = 14,
                            .k = 1,
                            .distinct = 1,
                            .n_class = 1,
                            .rows = ROWS,
                            .n_qi = 7,
                            .scale = 1};
    lethe_table_cut_price p;
    from = cpu_seconds();
    assert_int_equal(
        lethe_table_cut_evaluate(ctx, u, &d, NULL, &(lethe_table_cut){node, start}, &p), LETHE_OK);
    print_message("its finest cut, %" PRIu64 " groups: %.2f s\n", p.groups, cpu_seconds() - from);
    assert_true(p.valid && p.groups <= u->n && p.cost >= ROWS);
    lethe_tuples_free(u);
    large_free(&l);
}

/* Keys of 64 columns do not fit a number: groups are right all the same. */
static void many_quasi_identifiers_do_not_mix_groups(void **state)
{
    enum { ROWS = 500, QI = LETHE_QI_MAX, LEAVES = 40 };
    large l;
    uint64_t seed = 11, groups = 0;
    (void)state;
    large_make(&l, ROWS, QI, LEAVES);
    for (size_t i = 1; i < ROWS; i += 2) // every other row is the one before, but for one column
        for (size_t a = 0; a < QI; a++)
            ((uint32_t *)(uintptr_t)l.qi[a].leaf)[i] = l.qi[a].leaf[i - 1];
    for (size_t i = 1; i < ROWS; i += 2) {
        size_t a = o_below(&seed, QI);
        uint32_t *leaf = (uint32_t *)(uintptr_t)l.qi[a].leaf + i;
        if (o_below(&seed, 2)) *leaf = *leaf % LEAVES + 1;
        groups += *leaf != leaf[-1];
    }
    lethe_tuples *u = tuples_of(&l.t, false);
    static uint32_t node[QI * LEAVES];
    size_t start[QI + 1] = {0};
    for (size_t a = 0; a < QI; a++) {
        for (uint32_t v = 0; v < LEAVES; v++)
            node[LEAVES * a + v] = v + 1;
        start[a + 1] = LEAVES * (a + 1);
    }
    lethe_group_demand d = {.cost = LETHE_COST_DM,
                            .n_sa = 14,
                            .k = 1,
                            .distinct = 1,
                            .n_class = 1,
                            .rows = ROWS,
                            .n_qi = QI,
                            .scale = 1};
    lethe_table_cut_price p;
    assert_int_equal(
        lethe_table_cut_evaluate(ctx, u, &d, NULL, &(lethe_table_cut){node, start}, &p), LETHE_OK);
    assert_int_equal(p.groups, ROWS / 2 + groups);
    assert_true(groups > 50 && groups < 200);
    lethe_tuples_free(u);
    large_free(&l);
}

/* --- no memory --- */

static void out_of_memory_is_an_error_and_nothing_leaks(void **state)
{
    uint64_t s = 5;
    th_table h;
    th_list list;
    (void)state;
    do {
        th_draw(&s, &h);
        if (h.t.class && h.t.sa && h.d.cost == LETHE_COST_CM) break;
        th_free(&h);
    } while (true);
    const th_cut roots = {{1, 1, 1}};
    th_to(&h, &roots, &list);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e == LETHE_ENOMEM; n++) {
        lethe_tuples *u = NULL;
        const uint64_t **weight = NULL;
        lethe_table_cut_price p;
        lethe_alloc_fail_at(n);
        e = lethe_tuples_of(ctx, &h.t, true, &u);
        if (e == LETHE_OK) e = lethe_tuples_weights(u, u->arena, &weight, &h.d.scale);
        if (e == LETHE_OK)
            e = lethe_table_cut_evaluate(ctx, u, &h.d, (const uint64_t *const *)weight, &list.cut,
                                         &p);
        lethe_alloc_fail_at(0);
        lethe_tuples_free(u);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_true(n < 200 && (n > 3 || e == LETHE_ENOMEM));
    }
    th_free(&h);
}

static void a_cancelled_context_ends_it(void **state)
{
    uint64_t s = 5;
    th_table h;
    lethe_ctx *stopped = NULL;
    lethe_tuples *u = NULL;
    (void)state;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &stopped), LETHE_OK);
    lethe_ctx_cancel(stopped);
    th_draw(&s, &h);
    assert_int_equal(lethe_tuples_of(stopped, &h.t, true, &u), LETHE_ECANCEL);
    assert_null(u);
    th_free(&h);
    lethe_ctx_free(stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuples_are_the_distinct_rows_in_order),
        cmocka_unit_test(every_cut_costs_what_its_rows_do),
        cmocka_unit_test(a_walk_ends_where_it_is_told_to),
        cmocka_unit_test(weights_are_whole_and_rise_to_the_root),
        cmocka_unit_test(deletions_weigh_what_is_asked),
        cmocka_unit_test(one_leaf_weighs_nothing),
        cmocka_unit_test(cuts_are_counted_up_to_infinity),
        cmocka_unit_test(a_million_rows_take_little_time_and_memory),
        cmocka_unit_test(many_quasi_identifiers_do_not_mix_groups),
        cmocka_unit_test(out_of_memory_is_an_error_and_nothing_leaks),
        cmocka_unit_test(a_cancelled_context_ends_it),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
