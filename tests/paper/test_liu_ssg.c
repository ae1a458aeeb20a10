/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", thesis, 2010: Examples 5.3 and
 * 5.6 to 5.11, Figures 5.5 and 5.6, pages 127 to 142; and the vectors ssg-15 to ssg-20 made from
 * them: groups, hyper-terms, centres and bLM. */
#include "ssg_harness.h"
#include "golden.h"

enum { N = 5 };
static const char *const names[N] = {"t1", "t2", "t3", "t4", "t5"};

static c_records read_records(const lethe_json *v, const lethe_tree *t)
{
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < N; i++) {
        char path[64];
        uint32_t item[S_TERMS];
        snprintf(path, sizeof path, "input.vocabularies.%s", names[i]);
        const lethe_json *bag = golden_array(v, path);
        size_t n = lethe_json_count(bag);
        assert_true(n <= S_TERMS);
        for (size_t k = 0; k < n; k++)
            item[k] = golden_node(v, t, lethe_json_text(lethe_json_at(bag, k)));
        c_add(&c, i, item, n);
    }
    return c;
}

static s_setting setting_of(const lethe_json *v)
{
    const lethe_json *omega = golden_get(v, "parameters.omega");
    s_setting how = {.k = (uint64_t)golden_int(v, "parameters.k"),
                     .epsilon = (uint32_t)golden_int(v, "parameters.eps"),
                     .each = true,
                     .min_owners = 1,
                     .refine = "0"};
    how.omega.kind = LETHE_ASSIGN_OMEGA_NONE;
    if (lethe_json_kind(omega) != LETHE_JSON_NULL)
        how.omega = (lethe_assign_omega){LETHE_ASSIGN_OMEGA_IS,
                                         (uint64_t)golden_int(v, "parameters.omega")};
    return how;
}

static uint32_t number_of(lethe_str name)
{
    for (uint32_t i = 0; i < N; i++)
        if (lethe_str_eq(name, lethe_str_of(names[i]))) return i;
    fail_msg("no vocabulary of that name");
    return 0;
}

/* The members of a hyper-term, with copies, ascending. */
static void expect_bag(const lethe_json *v, const lethe_tree *t, const lethe_hyper *h, uint32_t i,
                       const lethe_json *want)
{
    uint32_t got[N], list[N], n = 0, size = (uint32_t)lethe_json_count(want);
    for (uint32_t k = h->start[i]; k < h->start[i + 1]; k++)
        for (uint32_t copy = 0; copy < h->voter[k].count; copy++)
            got[n++] = h->voter[k].term;
    assert_int_equal(n, size);
    for (uint32_t k = 0; k < size; k++)
        list[k] = golden_node(v, t, lethe_json_text(lethe_json_at(want, k)));
    assert_int_equal(h->voter[h->start[i]].term, list[0]); // the first to come
    qsort(got, n, sizeof *got, c_cmp);
    qsort(list, n, sizeof *list, c_cmp);
    assert_memory_equal(got, list, n * sizeof *got);
}

static void expect_groups(const lethe_json *v, const lethe_tree *t, const lethe_ssg_groups *got)
{
    const lethe_json *clusters = golden_array(v, "expected.clusters");
    const lethe_json *hyper = golden_array(v, "expected.hyper");
    assert_int_equal(got->n, lethe_json_count(clusters));
    for (uint32_t g = 0; g < got->n; g++) {
        const lethe_json *members = lethe_json_at(clusters, g), *bags = lethe_json_at(hyper, g);
        assert_int_equal(got->first[g + 1] - got->first[g], lethe_json_count(members));
        for (size_t i = 0; i < lethe_json_count(members); i++)
            assert_int_equal(got->group[number_of(lethe_json_text(lethe_json_at(members, i)))], g);
        assert_int_equal(got->hyper[g].n, lethe_json_count(bags));
        for (uint32_t i = 0; i < got->hyper[g].n; i++)
            expect_bag(v, t, &got->hyper[g], i, lethe_json_at(bags, i));
    }
}

static void expect_published(const lethe_json *v, const lethe_tree *t, const c_run *h)
{
    const lethe_json *centres = golden_array(v, "expected.centres");
    for (size_t i = 0; i < N; i++) {
        const lethe_json *centre = lethe_json_at(centres, h->group[i]);
        uint32_t want[S_TERMS], n = (uint32_t)lethe_json_count(centre);
        for (uint32_t k = 0; k < n; k++)
            want[k] = golden_node(v, t, lethe_json_text(lethe_json_at(centre, k)));
        qsort(want, n, sizeof *want, c_cmp);
        assert_int_equal(h->bag[i].n, n);
        assert_memory_equal(h->bag[i].item, want, n * sizeof *want);
    }
}

static void groups_and_centres_are_those_of_the_thesis(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    for (int id = 15; id <= 19; id++) {
        char name[16];
        snprintf(name, sizeof name, "ssg-%d", id);
        const lethe_json *v = golden_vector(&g, name);
        lethe_tree *t = golden_tree(v);
        c_records c = read_records(v, t);
        s_setting how = setting_of(v);
        lethe_ssg_groups got = {0};
        uint64_t lost = 0, scale = lethe_tree_scale(t);
        assert_int_equal(s_fast(t, &c, &how, &got), LETHE_OK);
        expect_groups(v, t, &got);
        for (uint32_t i = 0; i < got.n; i++)
            lost += lethe_hyper_loss(&got.hyper[i], scale);
        fraction want = golden_fraction(v, "expected.bLM");
        golden_expect(v, "bLM", want, fraction_of((int64_t)lost, (int64_t)(22 * scale)));
        lethe_ssg_groups_free(&got);
        c_run h;
        assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
        expect_published(v, t, &h);
        double blm = (double)want.num / (double)want.den;
        assert_true(c_real(&h, "blm") > blm - 1e-9 && c_real(&h, "blm") < blm + 1e-9);
        c_run_end(&h);
        if (id == 15) { // omega over any epsilon, the default, says the same as 100
            how.omega.kind = LETHE_ASSIGN_OMEGA_OVER;
            how.min_owners = 2; // and every term of Figure 5.6 was used by two of its group
            assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
            expect_published(v, t, &h);
            assert_true(c_real(&h, "blm") * 100 > 25.32 && c_real(&h, "blm") * 100 < 25.33);
            c_run_end(&h);
        }
        c_free(&c);
        lethe_tree_free(t);
    }
    golden_close(&g);
}

/* Section 5.4.2, the third method, on Example 5.9's hyper vocabulary. */
static void the_third_method_publishes_ancestors(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-15");
    lethe_tree *t = golden_tree(v);
    c_records c = read_records(v, t);
    s_setting how = setting_of(v);
    how.centre = "ancestor";
    c_run h;
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    static const char *const want[] = {"Alcohol", "Alcohol", "Footwear", "Jackets"};
    for (size_t i = 0; i < 4; i++) {
        uint32_t node = golden_node(v, t, lethe_str_of(want[i]));
        bool has = false;
        for (size_t k = 0; k < h.bag[0].n; k++)
            has = has || h.bag[0].item[k] == node;
        assert_true(has && h.bag[0].n == 4);
    }
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
    golden_close(&g);
}

/* Example 5.11: LG(bag)'s groups cost 54.5 %, by the definition that SSG's are priced by: a node's
 * copies stand for all values of the group below it. */
static void lg_bag_loses_more_than_half(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-20"), *groups = golden_array(v, "input.groups");
    lethe_tree *t = golden_tree(v);
    c_records c = read_records(v, t);
    int64_t scale = lethe_tree_scale(t), lost = 0, items = 0;
    for (size_t i = 0; i < lethe_json_count(groups); i++) {
        const lethe_json *members = lethe_json_get(lethe_json_at(groups, i), "members");
        const lethe_json *nodes = lethe_json_get(lethe_json_at(groups, i), "generalized");
        int64_t n = (int64_t)lethe_json_count(members), kept = 0;
        for (size_t k = 0; k < lethe_json_count(nodes); k++) {
            uint32_t node = golden_node(v, t, lethe_json_name(nodes, k));
            int64_t copies = lethe_json_int(lethe_json_at(nodes, k)), distinct = 0;
            bool seen[64] = {false};
            for (size_t m = 0; m < (size_t)n; m++) {
                c_bag bag = c_record(&c, number_of(lethe_json_text(lethe_json_at(members, m))));
                for (size_t j = 0; j < bag.n; j++) {
                    if (!lethe_tree_covers(t, node, bag.item[j])) continue;
                    distinct += !seen[bag.item[j]];
                    seen[bag.item[j]] = true;
                }
            }
            lost += n * copies * (distinct - 1);
            kept += n * copies;
        }
        int64_t all = 0;
        for (size_t m = 0; m < (size_t)n; m++)
            all += (int64_t)c_record(&c, number_of(lethe_json_text(lethe_json_at(members, m)))).n;
        items += all;
        lost += (all - kept) * scale;
    }
    assert_int_equal(items, 22);
    golden_expect(v, "bLM", golden_fraction(v, "expected.bLM"), fraction_of(lost, items * scale));
    c_free(&c);
    lethe_tree_free(t);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_centres_are_those_of_the_thesis),
        cmocka_unit_test(the_third_method_publishes_ancestors),
        cmocka_unit_test(lg_bag_loses_more_than_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
