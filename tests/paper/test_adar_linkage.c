/* SPDX-License-Identifier: Apache-2.0 */
/* Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6.1: selectivity and reconstruction.
 */
/* suite: threads */
#include "linkage_harness.h"
#include "golden.h"
#include <math.h>

/* A session's results are put before it by one word that all of them share.  So each of the query's
 * user's sessions sees as many of its own as the example says, and the others, alone, see none. */
static void same_user_share_of_a_result_list(void **state)
{
    (void)state;
    golden g = golden_open("adar");
    const lethe_json *v = golden_vector(&g, "adar-13"), *results = golden_array(v, "input.results");
    int64_t user = golden_int(v, "input.query_user");
    fraction want = golden_fraction(v, "expected.selectivity");
    char published[256], map[256];
    size_t n = lethe_json_count(results), own = 1;
    snprintf(published, sizeof published, "query\tword\n");
    snprintf(map, sizeof map, "%lld\tquery\n", (long long)user);
    for (size_t i = 0; i < n; i++) {
        const lethe_json *pair = lethe_json_at(results, i);
        long long of = lethe_json_int(lethe_json_at(pair, 0));
        long long session = lethe_json_int(lethe_json_at(pair, 1));
        own += of == user;
        sprintf(published + strlen(published), "%lld-%lld\tword\n", of, session);
        sprintf(map + strlen(map), "%lld\t%lld-%lld\n", of, of, session);
    }
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    linkage a = {.published = published, .map = map};
    assert_int_equal(l_run(ctx, &a, doc, out), LETHE_OK);
    assert_int_equal(l_count(out, "selectivity.all.sessions"), n + 1);
    double each = l_real(out, "share100") * (double)(n + 1) / (double)own;
    assert_true(fabs(each - (double)want.num / (double)want.den) < 1e-12);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    golden_close(&g);
}

/* Sessions share a word where the example has an edge, and none else. */
static void reconstruction_ratio(void **state)
{
    (void)state;
    golden g = golden_open("adar");
    const lethe_json *v = golden_vector(&g, "adar-14"), *edges = golden_array(v, "input.edges"),
                     *sessions = golden_array(v, "input.sessions");
    char published[512] = "", map[256] = "";
    for (size_t s = 0; s < lethe_json_count(sessions); s++) {
        lethe_str name = lethe_json_text(lethe_json_at(sessions, s));
        sprintf(published + strlen(published), "%.*s\talone%zu", (int)name.n, name.at, s);
        sprintf(map + strlen(map), "1\t%.*s\n", (int)name.n, name.at);
        for (size_t e = 0; e < lethe_json_count(edges); e++)
            for (size_t end = 0; end < 2; end++)
                if (lethe_str_eq(lethe_json_text(lethe_json_at(lethe_json_at(edges, e), end)),
                                 name))
                    sprintf(published + strlen(published), " edge%zu", e);
        strcat(published, "\n");
    }
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    linkage a = {.published = published, .map = map};
    assert_int_equal(l_run(ctx, &a, doc, out), LETHE_OK);
    double m = l_real(out, "components.mean"), k = l_real(out, "components.sessions");
    assert_true(m == (double)golden_int(v, "expected.components_m"));
    assert_true(k == (double)golden_int(v, "expected.k"));
    fraction recovery = golden_fraction(v, "expected.recovery_ratio"),
             optimal = golden_fraction(v, "expected.optimal_ratio"), reported = fraction_of(0, 1);
    lethe_str text = lethe_json_text(
        lethe_json_get(golden_object(v, "expected"), "reported_quantity_recovery/optimal"));
    assert_true(fraction_parse(text, &reported));
    double got = l_real(out, "components.recovery_ratio"),
           best = l_real(out, "components.optimal_ratio");
    assert_true(fabs(got - (double)recovery.num / (double)recovery.den) < 1e-12);
    assert_true(fabs(best - (double)optimal.num / (double)optimal.den) < 1e-12);
    assert_true(fabs(got / best - (double)reported.num / (double)reported.den) < 1e-12);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_user_share_of_a_result_list),
        cmocka_unit_test(reconstruction_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
