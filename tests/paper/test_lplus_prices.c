/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, 2010, chapter 3: Examples 3.1, 3.3 to 3.5 and 3.7 on Table 3.1 (lplus-01 to lplus-05). */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/table/tuples.h"
#include "golden.h"
#include "least_removed.h"

enum { ROWS = 10, QI = 2, SA = 3 };
static const char *const SA_NAMES[] = {"Asthma", "Cancer", "Flu"};
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

/* A tree of `input.taxonomies`: each member an inner node with its children. */
static lethe_tree *tree_of(const lethe_json *v, size_t which)
{
    const lethe_json *nodes = lethe_json_at(golden_object(v, "input.taxonomies"), which);
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_builder_new(NULL, NULL, &b), LETHE_OK);
    for (size_t i = 0; i < lethe_json_count(nodes); i++)
        for (size_t k = 0; k < lethe_json_count(lethe_json_at(nodes, i)); k++)
            assert_int_equal(
                lethe_tree_edge(b, lethe_json_text(lethe_json_at(lethe_json_at(nodes, i), k)),
                                lethe_json_name(nodes, i), i + 1),
                LETHE_OK);
    assert_int_equal(lethe_tree_build(b, &t), LETHE_OK);
    return t;
}

/* Table 3.1, or those of its records that a vector names. */
typedef struct data {
    lethe_table t;
    lethe_qi qi[QI];
    lethe_column sa;
    uint32_t leaf[QI][ROWS], code[ROWS];
    int64_t id[ROWS];
    lethe_tuples *u;
} data;

static bool is_wanted(const lethe_json *wanted, int64_t id)
{
    bool found = !wanted;
    for (size_t i = 0; i < lethe_json_count(wanted); i++)
        found = found || lethe_json_int(lethe_json_at(wanted, i)) == id;
    return found;
}

static void data_open(const lethe_json *v, data *x)
{
    const lethe_json *records = golden_array(v, "input.records");
    const lethe_json *wanted = golden_find(v, "input.partition_records");
    uint32_t number;
    *x = (data){.sa = {.values = lethe_dict_new(), .code = x->code}};
    x->t = (lethe_table){.n_qi = QI, .qi = x->qi, .sa = &x->sa};
    for (uint32_t s = 0; s < SA; s++)
        assert_int_equal(lethe_dict_add(x->sa.values, lethe_str_of(SA_NAMES[s]), &number),
                         LETHE_OK);
    for (size_t a = 0; a < QI; a++)
        x->qi[a] = (lethe_qi){.tree = tree_of(v, a), .leaf = x->leaf[a]};
    assert_int_equal(lethe_json_count(records), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const lethe_json *r = lethe_json_at(records, i);
        int64_t id = lethe_json_int(lethe_json_at(r, 0));
        if (!is_wanted(wanted, id)) continue;
        for (size_t a = 0; a < QI; a++)
            x->leaf[a][x->t.n] =
                golden_node(v, x->qi[a].tree, lethe_json_text(lethe_json_at(r, a + 1)));
        x->code[x->t.n] = lethe_dict_find(x->sa.values, lethe_json_text(lethe_json_at(r, 3)));
        assert_true(x->code[x->t.n] < SA);
        x->id[x->t.n++] = id;
    }
    assert_int_equal(lethe_tuples_of(ctx, &x->t, false, &x->u), LETHE_OK);
}

static void data_close(data *x)
{
    lethe_tuples_free(x->u);
    for (size_t a = 0; a < QI; a++)
        lethe_tree_free(x->qi[a].tree);
    lethe_dict_free(x->sa.values);
}

static lethe_theta theta_of(const lethe_json *v, const char *path)
{
    fraction f = golden_fraction(v, path);
    return (lethe_theta){(uint64_t)f.num, (uint64_t)f.den};
}

static lethe_group_demand demand_of(const data *x, const lethe_theta *theta,
                                    lethe_group_suppress suppress)
{
    return (lethe_group_demand){.suppress = suppress,
                                .cost = LETHE_COST_LM,
                                .theta = theta,
                                .n_sa = SA,
                                .k = 1,
                                .distinct = 1,
                                .n_class = 1,
                                .rows = x->t.n,
                                .n_qi = QI,
                                .scale = 3};
}

/* --- Example 3.5 --- */

static void there_are_25_cuts(void **state)
{
    golden g = golden_open("lplus");
    const lethe_json *v = golden_vector(&g, "lplus-01");
    lethe_tree *edu = tree_of(v, 0), *country = tree_of(v, 1);
    const lethe_tree *tree[] = {edu, country};
    (void)state;
    assert_true(lethe_tuples_tree_cuts(edu) == (double)golden_int(v, "expected.Education"));
    assert_true(lethe_tuples_tree_cuts(country) == (double)golden_int(v, "expected.Country"));
    assert_true(lethe_tuples_cuts(&(lethe_tuples){.n_qi = QI, .tree = tree}) ==
                (double)golden_int(v, "expected.total"));
    lethe_tree_free(edu);
    lethe_tree_free(country);
    golden_close(&g);
}

/* --- Examples 3.3 and 3.4 --- */

typedef struct walk {
    const lethe_json *v;
    const data *x;
    const lethe_table_cut *cut;
    const char *scheme;
    size_t n;
} walk;

/* The node of the cut above a tuple's leaf. */
static lethe_str name_of(const walk *w, size_t a, uint32_t tuple)
{
    const lethe_tree *t = w->x->qi[a].tree;
    for (size_t k = w->cut->start[a]; k < w->cut->start[a + 1]; k++)
        if (lethe_tree_covers(t, w->cut->node[k], w->x->u->leaf[a][tuple]))
            return lethe_tree_name(t, w->cut->node[k]);
    fail_msg("no node");
    return (lethe_str){0};
}

/* Are the records of the group those of the list, as far as `of` says? */
static void expect_records(const walk *w, const lethe_json *list, const uint32_t *tuple, size_t n,
                           const bool of[SA])
{
    size_t met = 0;
    for (size_t i = 0; i < w->x->t.n; i++) {
        bool in_group = false;
        for (size_t k = 0; k < n; k++)
            in_group = in_group || w->x->u->of_row[i] == tuple[k];
        if (!in_group || !of[w->x->code[i]]) continue;
        met++;
        assert_true(is_wanted(list, w->x->id[i]));
    }
    assert_int_equal(met, lethe_json_count(list));
}

static lethe_err expect_group(void *arg, const uint32_t *tuple, size_t n,
                              const lethe_group_counts *g, const lethe_group_price *p,
                              const uint32_t *cut)
{
    walk *w = arg;
    bool all[SA] = {true, true, true}, starred[SA] = {false};
    char name[128];
    lethe_str a = name_of(w, 0, tuple[0]), b = name_of(w, 1, tuple[0]);
    snprintf(name, sizeof name, "%.*s|%.*s", (int)a.n, a.at, (int)b.n, b.at);
    const lethe_json *group = lethe_json_get(golden_object(w->v, "expected"), name);
    const lethe_json *scheme = lethe_json_get(group, w->scheme);
    if (!scheme) fail_msg("%s is no group", name);
    assert_true(p->valid);
    expect_records(w, lethe_json_get(group, "records"), tuple, n, all);
    for (uint32_t i = 0; i < g->n_values; i++)
        starred[g->value[i]] = p->starred > 0 && cut[i] > 0;
    expect_records(w, lethe_json_get(scheme, "sa_suppressed"), tuple, n, starred);
    assert_int_equal(p->deleted, lethe_json_int(lethe_json_get(scheme, "records_deleted_count")));
    w->n++;
    return LETHE_OK;
}

/* As the names stand: of the first taxonomy, then of the second. */
static lethe_table_cut cut_of(const lethe_json *v, const data *x, uint32_t *node, size_t *start)
{
    const lethe_json *names = golden_array(v, "input.cut");
    size_t n = 0;
    for (size_t a = 0; a < QI; a++) {
        start[a] = n;
        for (size_t i = 0; i < lethe_json_count(names); i++) {
            uint32_t u = lethe_tree_find(x->qi[a].tree, lethe_json_text(lethe_json_at(names, i)));
            if (u != LETHE_NONE) node[n++] = u;
        }
        qsort(node + start[a], n - start[a], sizeof *node, golden_cmp_u32);
    }
    start[QI] = n;
    return (lethe_table_cut){node, start};
}

static void check_cut(const char *id)
{
    static const char *const SCHEMES[] = {"NoSupp", "vioSA", "allSA", "vioRec", "allRec"};
    golden g = golden_open("lplus");
    const lethe_json *v = golden_vector(&g, id);
    uint32_t node[16];
    size_t start[QI + 1];
    data x;
    data_open(v, &x);
    lethe_theta t = theta_of(v, "parameters.theta"), theta[] = {t, t, t};
    lethe_table_cut cut = cut_of(v, &x, node, start);
    for (int s = LETHE_SUPPRESS_VIO_SA; s <= LETHE_SUPPRESS_ALL_REC; s++) {
        walk w = {.v = v, .x = &x, .cut = &cut, .scheme = SCHEMES[s]};
        lethe_group_demand d = demand_of(&x, theta, (lethe_group_suppress)s);
        assert_int_equal(lethe_table_cut_groups(ctx, x.u, &d, NULL, &cut, expect_group, &w),
                         LETHE_OK);
        assert_int_equal(w.n, lethe_json_count(golden_object(v, "expected")));
    }
    lethe_group_demand none = demand_of(&x, theta, LETHE_SUPPRESS_NONE);
    lethe_table_cut_price p;
    assert_int_equal(lethe_table_cut_evaluate(ctx, x.u, &none, NULL, &cut, &p), LETHE_OK);
    assert_false(p.valid);
    data_close(&x);
    golden_close(&g);
}

static void cut_a_has_4_groups(void **state)
{
    (void)state;
    check_cut("lplus-02");
}

static void cut_b_splits_one_of_them(void **state)
{
    (void)state;
    check_cut("lplus-03");
}

/* --- Examples 3.1 and 3.7: one group --- */

static lethe_group_counts whole(const data *x, uint32_t *value, uint32_t *with)
{
    lethe_group_counts g = {.n = x->t.n, .value = value, .with = with};
    for (uint32_t s = 0; s < SA; s++) {
        uint32_t n = 0;
        for (size_t i = 0; i < x->t.n; i++)
            n += x->code[i] == s;
        if (n == 0) continue;
        value[g.n_values] = s;
        with[g.n_values++] = n;
    }
    return g;
}

static void each_value_has_its_threshold(void **state)
{
    golden f = golden_open("lplus");
    const lethe_json *v = golden_vector(&f, "lplus-04");
    const lethe_json *gone = golden_array(v, "expected.sa_suppressed");
    uint32_t value[SA], with[SA], cut[SA];
    lethe_theta theta[SA];
    data x;
    (void)state;
    data_open(v, &x);
    for (size_t s = 0; s < SA; s++) {
        char path[64];
        snprintf(path, sizeof path, "parameters.theta.%s", SA_NAMES[s]);
        theta[s] = theta_of(v, path);
    }
    lethe_group_counts g = whole(&x, value, with);
    lethe_group_demand d = demand_of(&x, theta, LETHE_SUPPRESS_VIO_SA);
    lethe_group_price p = lethe_group_price_of(&d, &g, cut);
    assert_true(p.valid && p.deleted == 0);
    assert_int_equal(p.starred, lethe_json_count(gone));
    for (size_t i = 0; i < x.t.n; i++)
        for (uint32_t k = 0; k < g.n_values; k++)
            if (value[k] == x.code[i]) assert_int_equal(cut[k] > 0, is_wanted(gone, x.id[i]));
    golden_expect(v, "Asthma after", golden_fraction(v, "expected.conf_after.Asthma"),
                  fraction_of(with[0] - cut[0], (int64_t)g.n));
    data_close(&x);
    golden_close(&f);
}

static void the_lemma_is_iterated_for_records(void **state)
{
    golden f = golden_open("lplus");
    const lethe_json *v = golden_vector(&f, "lplus-05");
    uint32_t value[SA], with[SA], cut[SA];
    data x;
    (void)state;
    data_open(v, &x);
    lethe_theta t = theta_of(v, "parameters.theta"), theta[] = {t, t, t};
    lethe_group_counts g = whole(&x, value, with);
    lethe_group_demand d = demand_of(&x, theta, LETHE_SUPPRESS_VIO_REC);
    lethe_group_price p = lethe_group_price_of(&d, &g, cut);
    assert_int_equal(least_removed(&d, &g, false), golden_int(v, "expected.MinRm_Asthma"));
    assert_int_equal(p.deleted, golden_int(v, "expected.vioRec_total_deletions"));
    assert_int_equal(least_removed(&d, &g, true), p.deleted);
    assert_int_equal(cut[0], golden_int(v, "expected.MinRm_Asthma"));
    assert_int_equal(cut[1], golden_int(v, "expected.MinRm_Cancer_after_2_deletions"));
    with[0] -= cut[0]; // and once more, as the example goes
    g.n -= cut[0];
    assert_int_equal(least_removed(&d, &g, false),
                     golden_int(v, "expected.MinRm_Cancer_after_2_deletions"));
    data_close(&x);
    golden_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_25_cuts),
        cmocka_unit_test(cut_a_has_4_groups),
        cmocka_unit_test(cut_b_splits_one_of_them),
        cmocka_unit_test(each_value_has_its_threshold),
        cmocka_unit_test(the_lemma_is_iterated_for_records),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
