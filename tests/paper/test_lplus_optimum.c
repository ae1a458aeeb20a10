/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, 2010, chapter 3: the cheapest cuts of Table 3.1 for every scheme with LM and DM (lplus-06
 * to lplus-21), and the table on which the published bound for DM with vioRec fails (lplus-22). */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "table_search_harness.h"

enum { CUTS = 32 };

/* --- a vector as a table --- */

static lethe_tree *tree_of(const lethe_json *nodes, lethe_str root)
{
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_builder_new(NULL, NULL, &b), LETHE_OK);
    assert_int_equal(lethe_tree_node(b, root, 0), LETHE_OK);
    for (size_t i = 0; i < lethe_json_count(nodes); i++) {
        const lethe_json *children = lethe_json_at(nodes, i);
        for (size_t k = 0; k < lethe_json_count(children); k++)
            assert_int_equal(lethe_tree_edge(b, lethe_json_text(lethe_json_at(children, k)),
                                             lethe_json_name(nodes, i), 1),
                             LETHE_OK);
    }
    assert_int_equal(lethe_tree_build(b, &t), LETHE_OK);
    assert_true(t->n <= H_NODES);
    return t;
}

/* Quasi-identifiers' values of a record begin at `first`; the sensitive one is the last. */
static void read_rows(const lethe_json *v, h_world *w, size_t first)
{
    const lethe_json *records = golden_array(v, "input.records");
    lethe_dict *names = lethe_dict_new();
    assert_non_null(names);
    w->table.n = lethe_json_count(records);
    assert_true(w->table.n <= H_ROWS);
    for (size_t i = 0; i < w->table.n; i++) {
        const lethe_json *row = lethe_json_at(records, i);
        for (size_t q = 0; q < w->table.n_qi; q++)
            w->leaf[q][i] =
                golden_node(v, w->qi[q].tree, lethe_json_text(lethe_json_at(row, first + q)));
        lethe_str sa = lethe_json_text(lethe_json_at(row, first + w->table.n_qi));
        assert_int_equal(lethe_dict_add(names, sa, &w->sa_of[i]), LETHE_OK);
    }
    w->n_sa = lethe_dict_count(names);
    lethe_dict_free(names);
}

static void set_theta(const lethe_json *v, h_world *w)
{
    lethe_theta theta;
    assert_true(lethe_theta_parse(golden_text(v, "parameters.theta"), &theta));
    for (uint32_t s = 0; s < H_SA; s++)
        w->theta[s] = theta;
}

static lethe_group_suppress scheme_of(const lethe_json *v)
{
    static const char *const name[] = {"NoSupp", "vioSA", "allSA", "vioRec", "allRec"};
    lethe_str want = golden_text(v, "parameters.scheme");
    for (int i = 0; i < 5; i++)
        if (lethe_str_eq(want, lethe_str_of(name[i]))) return (lethe_group_suppress)i;
    fail_msg("%.*s: no such scheme", GOLDEN_ID(v));
    return LETHE_SUPPRESS_NONE;
}

static lethe_group_cost cost_of(const lethe_json *v)
{
    bool lm = lethe_str_eq(golden_text(v, "parameters.metric"), lethe_str_of("LM"));
    return lm ? LETHE_COST_LM : LETHE_COST_DM;
}

/* --- the cuts that are expected --- */

/* A list of names, of all quasi-identifiers together, as marks. */
static h_cut cut_named(const lethe_json *v, const h_world *w, const lethe_json *names)
{
    h_cut c = {0};
    for (size_t i = 0; i < lethe_json_count(names); i++) {
        lethe_str name = lethe_json_text(lethe_json_at(names, i));
        bool found = false;
        for (size_t q = 0; q < w->table.n_qi; q++) {
            uint32_t node = lethe_tree_find(w->qi[q].tree, name);
            if (node == LETHE_NONE) continue;
            c.in[q][node] = 1;
            found = true;
        }
        if (!found) fail_msg("%.*s: no value '%.*s'", GOLDEN_ID(v), (int)name.n, name.at);
    }
    return c;
}

/* Exactly these, in order: the first is what is found, and with `top` all are. */
static void expect_cuts(const lethe_json *v, lethe_ctx *ctx, h_world *w, fraction cost)
{
    const lethe_json *list = golden_array(v, "expected.optimal_cuts");
    size_t n = lethe_json_count(list);
    h_cut want[CUTS];
    lethe_table_found got;
    assert_true(n > 0 && n <= CUTS);
    for (size_t i = 0; i < n; i++)
        want[i] = cut_named(v, w, lethe_json_at(list, i));
    qsort(want, n, sizeof *want, h_by_cost); // of equal cost
    for (size_t top = 1; top <= n + 1; top += n) {
        lethe_table_limits limits = {.top = top};
        assert_int_equal(h_search(ctx, w, &limits, &got), LETHE_OK);
        assert_true(got.optimal && got.n >= 1);
        for (size_t i = 0; i < got.n; i++) {
            fraction is = fraction_of((int64_t)got.cost[i],
                                      w->d.cost == LETHE_COST_LM ? (int64_t)w->d.scale : 1);
            h_cut c = h_marks_of(w, &got.cut[i]);
            if (i == n) {
                assert_false(fraction_eq(is, cost)); // one more would be dearer
                break;
            }
            golden_expect(v, "cost", cost, is);
            if (h_compare(&c, &want[i]) != 0) fail_msg("%.*s: cut %zu", GOLDEN_ID(v), i);
        }
    }
}

static void check_vector(const golden *g, lethe_ctx *ctx, const char *id)
{
    const lethe_json *v = golden_vector(g, id), *columns = golden_find(v, "input.columns");
    h_world w = {.table = {.n_qi = columns ? lethe_json_count(columns) - 2 : 1}, .n_class = 1};
    for (size_t q = 0; q < w.table.n_qi; q++) {
        char path[2][64];
        if (!columns) {
            w.qi[q].tree = golden_tree(v);
            continue;
        }
        lethe_str name = lethe_json_text(lethe_json_at(columns, 1 + q));
        snprintf(path[0], sizeof path[0], "input.taxonomies.%.*s", (int)name.n, name.at);
        snprintf(path[1], sizeof path[1], "input.roots.%.*s", (int)name.n, name.at);
        w.qi[q].tree = tree_of(golden_object(v, path[0]), golden_text(v, path[1]));
    }
    read_rows(v, &w, columns ? 1 : 0);
    set_theta(v, &w);
    h_close(ctx, &w, scheme_of(v), cost_of(v));
    const lethe_json *feasible = golden_find(v, "expected.feasible");
    if (feasible && !lethe_json_bool(feasible)) {
        lethe_table_limits limits = {.top = 1};
        lethe_table_found got;
        assert_int_equal(h_search(ctx, &w, &limits, &got), LETHE_OK);
        assert_true(got.n == 0 && got.optimal);
    } else {
        expect_cuts(v, ctx, &w,
                    golden_fraction(v, feasible ? "expected.cost" : "expected.optimal_cost"));
    }
    h_free(&w);
}

static void the_cheapest_cuts_are_those_of_all_25(void **state)
{
    (void)state;
    golden g = golden_open("lplus");
    for (unsigned threads = 1; threads <= 2; threads++) {
        lethe_settings set = {.n_threads = threads};
        lethe_ctx *ctx = NULL;
        assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
        for (int i = 6; i <= 22; i++) {
            char id[16];
            snprintf(id, sizeof id, "lplus-%02d", i);
            check_vector(&g, ctx, id);
        }
        lethe_ctx_free(ctx);
    }
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_cuts_are_those_of_all_25),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
