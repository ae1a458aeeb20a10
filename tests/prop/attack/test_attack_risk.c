/* SPDX-License-Identifier: Apache-2.0 */
/* The upper bound of a success against sums of binomial probabilities, and what follows from it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "attack/risk.h"
#include "core/rng.h"
#include "seeds.h"
#include <math.h>

/* P(X <= x) of a binomial X, term by term. */
static double at_most(unsigned x, unsigned n, double p)
{
    double sum = 0;
    for (unsigned i = 0; i <= x; i++) {
        double choose = 1;
        for (unsigned k = 0; k < i; k++)
            choose = choose * (n - k) / (k + 1);
        sum += choose * pow(p, i) * pow(1 - p, n - i);
    }
    return sum;
}

static void bound_is_exact(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 60; n += 1 + n / 7)
        for (unsigned x = 0; x < n; x++) {
            double upper = lethe_success_upper((double)x / n, n);
            assert_true(upper > (double)x / n && upper <= 1);
            assert_true(fabs(at_most(x, n, upper) - 0.05) < 1e-9);
        }
}

/* The rule of three, sharpened: no success in n trials. */
static void no_success(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 10000000; n = n * 3 + 1)
        assert_true(fabs(lethe_success_upper(0, n) / -expm1(log(0.05) / (double)n) - 1) < 1e-6);
}

static void edges(void **state)
{
    (void)state;
    assert_true(lethe_success_upper(0, 0) >= 1);
    assert_true(lethe_success_upper(1, 100) >= 1);
    assert_true(lethe_success_upper(NAN, 100) >= 1);
    assert_true(lethe_success_upper(-0.5, 100) < 0.03);
    // what R prints for qbeta(.95, 91, 910)
    assert_true(fabs(lethe_success_upper(0.09, 1000) - 0.1063) < 1e-4);
}

/* More success and fewer trials never lower it; it stays above the success. */
static void bound_is_monotone(void **state)
{
    (void)state;
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_seed(7, &s), LETHE_OK);
    lethe_rng rng = lethe_rng_stream(s, "risk", 0);
    lethe_secret_free(s);
    for (size_t i = 0; i < seeds(2000); i++) {
        uint64_t n = 1 + lethe_rng_below(&rng, 100000);
        double p = (double)lethe_rng_below(&rng, 1001) / 1001, more = p + (1 - p) / 3;
        double u = lethe_success_upper(p, n);
        assert_true(u > p && u <= 1);
        assert_true(lethe_success_upper(more, n) >= u);
        assert_true(lethe_success_upper(p, n + 1 + n / 2) <= u + 1e-12);
    }
}

static const lethe_adversary *named(const char *name)
{
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++)
        if (strcmp((*a)->name, name) == 0) return *a;
    return NULL;
}

/* The risk that these figures give, or -1: nothing was tried. */
static double risk_of(const char *name, const char *figures, lethe_risk *r)
{
    lethe_diag *d = lethe_diag_new(NULL, NULL);
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    assert_int_equal(lethe_json_parse(d, "figures", lethe_str_of(figures), &doc, &v), LETHE_OK);
    bool tried = lethe_risk_of(named(name), v, r);
    lethe_json_doc_free(doc);
    lethe_diag_free(d);
    return tried ? r->risk : -1;
}

static void risks(void **state)
{
    (void)state;
    lethe_risk r;
    // singling out: the bound itself
    double risk = risk_of(
        "known-terms", "{\"success\":0.02,\"before\":0.5,\"baseline\":0.01,\"persons\":500}", &r);
    assert_int_equal(r.threat, LETHE_THREAT_SINGLING_OUT);
    assert_true(fabs(risk - lethe_success_upper(0.02, 500)) < 1e-12);
    assert_true(fabs(r.before - 0.5) < 1e-12);
    assert_int_equal(lethe_risk_judge(risk, LETHE_RISK_BOUND), LETHE_RISK_LOW);
    // few persons say little
    risk = risk_of("known-terms", "{\"success\":0,\"baseline\":0.01,\"persons\":20}", &r);
    assert_true(isnan(r.before));
    assert_int_equal(lethe_risk_judge(risk, LETHE_RISK_BOUND), LETHE_RISK_RAISED);
    // what was not tried has no risk, and is not low either
    assert_true(risk_of("linkage", "{\"success\":0,\"linkable\":0,\"persons\":20}", &r) < 0);
    assert_true(risk_of("linkage", "{}", &r) < 0);
    // the commonest value is guessed without a release; a rare one is not
    risk = risk_of("homogeneity", "{\"success\":0.6,\"baseline\":0.6,\"persons\":1000000}", &r);
    assert_true(risk < 0.01 && r.threat == LETHE_THREAT_INFERENCE);
    risk = risk_of("homogeneity",
                   "{\"success\":0.6,\"baseline\":0.6,\"persons\":1000000,"
                   "\"strategies\":{\"rarest\":{\"success\":0.5,\"prior\":0.01}}}",
                   &r);
    assert_true(risk > 0.49);
    risk = risk_of("homogeneity",
                   "{\"success\":0.6,\"baseline\":0.1,\"prior\":0.7,\"persons\":1000000}", &r);
    assert_true(risk > 0.55); // the lower guess counts
    risk = risk_of("homogeneity",
                   "{\"success\":0.3,\"baseline\":0.2,\"persons\":1000000,"
                   "\"columns\":[{\"column\":\"a\",\"success\":0.98,\"baseline\":0.9}]}",
                   &r);
    assert_true(risk > 0.79);
    // of a table, a guess at a value is inference, one at the row is singling out
    risk = risk_of("linking",
                   "{\"success\":0.6,\"baseline\":0.4,\"commonest\":0.6,\"revealed\":0,"
                   "\"persons\":1000000}",
                   &r);
    assert_true(r.threat == LETHE_THREAT_INFERENCE && risk < 0.01);
    risk =
        risk_of("linking",
                "{\"success\":0.2,\"baseline\":0.01,\"commonest\":0.01,\"persons\":1000000}", &r);
    assert_true(r.threat == LETHE_THREAT_SINGLING_OUT && risk > 0.2);
}

static void levels(void **state)
{
    (void)state;
    assert_int_equal(lethe_risk_judge(0.09, 0.09), LETHE_RISK_LOW);
    assert_int_equal(lethe_risk_judge(0.0901, 0.09), LETHE_RISK_RAISED);
    assert_int_equal(lethe_risk_judge(0.18, 0.09), LETHE_RISK_RAISED);
    assert_int_equal(lethe_risk_judge(0.1801, 0.09), LETHE_RISK_HIGH);
    assert_int_equal(lethe_risk_judge(NAN, 0.09), LETHE_RISK_HIGH);
}

static void worst_of_each_kind(void **state)
{
    (void)state;
    static const char metrics[] = "{\"known-terms\":{\"success\":0.1,\"persons\":100},"
                                  "\"marking\":{\"success\":0.3,\"persons\":100},"
                                  "\"linkage\":{\"success\":0,\"linkable\":0}}";
    lethe_diag *d = lethe_diag_new(NULL, NULL);
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    bool seen[LETHE_N_THREATS];
    lethe_risk worst[LETHE_N_THREATS];
    assert_int_equal(lethe_json_parse(d, "metrics", LETHE_LIT(metrics), &doc, &v), LETHE_OK);
    lethe_risk_worst(v, seen, worst);
    assert_true(seen[LETHE_THREAT_SINGLING_OUT]);
    assert_false(seen[LETHE_THREAT_LINKING] || seen[LETHE_THREAT_INFERENCE]);
    assert_string_equal(worst[LETHE_THREAT_SINGLING_OUT].adversary->name, "marking");
    lethe_json_doc_free(doc);
    lethe_diag_free(d);
}

/* Every adversary says what it is after and how often it tried. */
static void rows_are_complete(void **state)
{
    (void)state;
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++)
        assert_true((*a)->threat < LETHE_N_THREATS && (*a)->trials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_is_exact),
        cmocka_unit_test(no_success),
        cmocka_unit_test(edges),
        cmocka_unit_test(bound_is_monotone),
        cmocka_unit_test(risks),
        cmocka_unit_test(levels),
        cmocka_unit_test(worst_of_each_kind),
        cmocka_unit_test(rows_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
