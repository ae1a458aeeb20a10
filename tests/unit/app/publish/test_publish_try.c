/* SPDX-License-Identifier: Apache-2.0 */
/* What decides among candidates: which are worth publishing, and which of them comes first. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "app/publish/publish.h"

static const lethe_publish_request plain, anyway = {.anyway = true};

static lethe_publication publication(const lethe_publish_request *q, bool sampled)
{
    return (lethe_publication){.asked = q, .bound = 0.09, .least = 0.02, .sampled = sampled};
}

static lethe_attempt attempt(double kept, double risk)
{
    return (lethe_attempt){.kept = kept, .risk = risk, .made = true};
}

static void bounds_belong_to_what_is_fit(void **state)
{
    static const struct {
        double kept, risk;
        lethe_fitness whole, sampled;
    } cases[] = {
        {0.5, 0, LETHE_FIT, LETHE_FIT},
        {0.5, 0.09, LETHE_FIT, LETHE_FIT},
        {0.5, 0.0901, LETHE_FIT_RISKY, LETHE_FIT}, // the whole has more people to hide among
        {0.5, 0.18, LETHE_FIT_RISKY, LETHE_FIT},
        {0.5, 0.1801, LETHE_FIT_RISKY, LETHE_FIT_RISKY},
        {0.02, 0.01, LETHE_FIT, LETHE_FIT},
        {0.0199, 0.01, LETHE_FIT_LITTLE, LETHE_FIT_LITTLE},
        {0, 0.5, LETHE_FIT_RISKY, LETHE_FIT_RISKY}, // the risk is what counts first
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_publication whole = publication(&plain, false), sampled = publication(&plain, true);
        lethe_attempt a = attempt(cases[i].kept, cases[i].risk);
        assert_int_equal(lethe_attempt_fitness(&whole, &a), cases[i].whole);
        assert_int_equal(lethe_attempt_fitness(&sampled, &a), cases[i].sampled);
    }
}

static void what_was_not_made_is_not_fit(void **state)
{
    lethe_publication p = publication(&anyway, false);
    lethe_attempt none = {.kept = 1}, late = {.late = true}, little = attempt(0, 0.01);
    (void)state;
    assert_int_equal(lethe_attempt_fitness(&p, &none), LETHE_FIT_NOTHING);
    assert_int_equal(lethe_attempt_fitness(&p, &late), LETHE_FIT_LATE);
    assert_int_equal(lethe_attempt_fitness(&p, &little), LETHE_FIT); // --anyway
    p = publication(&plain, false);
    assert_int_equal(lethe_attempt_fitness(&p, &little), LETHE_FIT_LITTLE);
}

/* Fit ones first; of these what keeps most, then what gives away least, then as in the table. */
static void the_best_comes_first(void **state)
{
    static const struct {
        double kept, risk;
        size_t place;
    } cases[] = {
        {0.9, 0.2, 4},  {0.3, 0.05, 1}, {0.3, 0.05, 2}, {0.01, 0, 6},
        {0.6, 0.09, 0}, {0.3, 0.06, 3}, {0.9, 0.3, 5},
    };
    enum { N = sizeof cases / sizeof *cases };
    lethe_publication p = publication(&plain, false);
    lethe_planned_run runs[N];
    lethe_attempt at[N];
    (void)state;
    for (size_t turn = 0; turn < N; turn++) { // from any order
        for (size_t i = 0; i < N; i++) {
            size_t k = (i + turn) % N;
            at[i] = attempt(cases[k].kept, cases[k].risk);
            at[i].run = &runs[k];
        }
        lethe_attempts_sort(&p, at, N);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(cases[at[i].run - runs].place, i);
    }
}

/* --- what an input lacks --- */

static void goals_need_what_they_are_about(void **state)
{
    static const struct {
        lethe_shape shape;
        bool clicks, times;
        bool lacks[LETHE_N_GOALS]; /* patterns, sessions, clicks, counts */
    } cases[] = {
        {LETHE_SHAPE_LOG, true, true, {false, false, false, false}},
        {LETHE_SHAPE_LOG, false, true, {false, false, true, false}},
        {LETHE_SHAPE_LOG, true, false, {false, true, false, false}},
        {LETHE_SHAPE_RECORDS, false, false, {false, false, true, false}},
        {LETHE_SHAPE_TABLE, false, false, {false, true, true, false}},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_publication p = publication(&plain, false);
        p.shape = cases[i].shape;
        p.facts.has_clicks = cases[i].clicks;
        p.facts.has_times = cases[i].times;
        for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
            assert_int_equal(lethe_goal_lacks(&p, g) != NULL, cases[i].lacks[g]);
    }
}

/* --- what is tried --- */

/* `compare` may name a row for a goal: then it is tried for that, in the order of the table. */
static void every_row_for_a_goal_is_tried(void **state)
{
    static const char *const five[] = {"5"};
    const unsigned shapes[] = {LETHE_SHAPE_LOG, LETHE_SHAPE_RECORDS};
    lethe_arena *arena = lethe_arena_new();
    (void)state;
    for (size_t s = 0; s < LETHE_COUNT(shapes); s++)
        for (lethe_goal g = 0; g < LETHE_N_GOALS; g++) {
            lethe_publication p = publication(&plain, false);
            lethe_plan tried, shown;
            p.shape = shapes[s];
            p.goals = 1U << g;
            p.facts.has_clicks = p.facts.has_times = true;
            p.facts.taxonomy = "wordnet";
            const lethe_candidate_choice all = {.shape = p.shape,
                                                .facts = &p.facts,
                                                .any_goal = true,
                                                .k = {five, 1},
                                                .t = {five, 1}};
            assert_int_equal(lethe_publish_plan(NULL, arena, &p, &tried), LETHE_OK);
            assert_int_equal(lethe_candidates_plan(NULL, arena, &all, &shown), LETHE_OK);
            size_t at = 0;
            for (size_t i = 0; i < shown.n && !lethe_goal_lacks(&p, g); i++) {
                if (!(shown.at[i].goals & 1U << g)) continue;
                while (at < tried.n && strcmp(tried.at[at].label, shown.at[i].label) != 0)
                    at++;
                if (at == tried.n) fail_msg("%s is not tried", shown.at[i].label);
            }
        }
    lethe_arena_free(arena);
}

/* --- why nothing is published --- */

/* What is said of attempts for counts, of which `n_late` were not tried. */
static const char *refused(lethe_attempt *at, size_t n, size_t n_late)
{
    static char said[1000];
    ground g;
    g_begin(&g);
    lethe_ctx *ctx = g_ctx(&g, 1);
    lethe_planned_run run = {.goals = 1U << LETHE_GOAL_COUNTS};
    const lethe_publish_request q = {.goal = LETHE_GOAL_COUNTS};
    lethe_publication p = publication(&q, false);
    p.ctx = ctx;
    p.shape = LETHE_SHAPE_RECORDS;
    p.goals = 1U << LETHE_GOAL_COUNTS;
    p.attempts = at;
    p.plan.n = n;
    p.n_late = n_late;
    for (size_t i = 0; i < n; i++)
        at[i].run = &run;
    assert_int_equal(lethe_publication_refuse(&p), LETHE_ANSWER_NO);
    snprintf(said, sizeof said, "%s", g.said);
    lethe_ctx_free(ctx);
    g_end(&g);
    return said;
}

static void the_reason_is_the_true_one(void **state)
{
    lethe_attempt risky = attempt(0.5, 0.1), riskier = attempt(0.5, 0.2), little = attempt(0, 0.01),
                  none = {.kept = 0}, late = {.late = true};
    (void)state;
    const char *said = refused((lethe_attempt[]){riskier, none, risky}, 3, 0);
    assert_non_null(strstr(said, "no candidate for counts has a risk of 9.0 % or less; the least "
                                 "was 10.0 %"));
    assert_null(strstr(said, "not tried"));
    said = refused((lethe_attempt[]){risky, little}, 2, 0);
    assert_non_null(strstr(said, "at most 0.0 % would be kept, less than 2.0 %"));
    said = refused((lethe_attempt[]){none, none}, 2, 0);
    assert_non_null(strstr(said, "no candidate for counts gives a release"));
    // what was not tried is not said to be impossible
    said = refused((lethe_attempt[]){risky, late, late}, 3, 2);
    assert_non_null(strstr(said, "the least was 10.0 %; 2 not tried for lack of time"));
    said = refused((lethe_attempt[]){late}, 1, 1);
    assert_non_null(strstr(said, "gives a release; 1 not tried for lack of time"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_belong_to_what_is_fit),
        cmocka_unit_test(what_was_not_made_is_not_fit),
        cmocka_unit_test(the_best_comes_first),
        cmocka_unit_test(goals_need_what_they_are_about),
        cmocka_unit_test(every_row_for_a_goal_is_tried),
        cmocka_unit_test(the_reason_is_the_true_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
