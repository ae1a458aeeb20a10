/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates: every row of the table is a chain that the program runs, and its command line says
 * the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "app/candidates/candidates.h"

static const lethe_letters letters = {.k = "7", .t = "9", .theta = "1/2"};

static void every_row_is_a_chain_that_runs(void **state)
{
    ground g = {0};
    lethe_diag *d = lethe_diag_new(g_hear, &g);
    lethe_arena *a = lethe_arena_new();
    lethe_plan plans[LETHE_SHAPE_TABLE + 1] = {{0}};
    (void)state;
    for (const lethe_candidate *c = lethe_candidates(); c->steps; c++) {
        lethe_planned_run run;
        lethe_step chain[LETHE_CANDIDATE_STEPS];
        assert_int_equal(lethe_candidate_run(d, a, c, letters, &run), LETHE_OK);
        // a table needs its columns, which the user names
        lethe_option qi[] = {
            {.name = "qi", .type = LETHE_OPT_TEXT}, {.name = "sa", .type = LETHE_OPT_TEXT}, {0}};
        lethe_value at[2];
        lethe_values given;
        lethe_values_init(&given, qi, at);
        assert_int_equal(lethe_values_set(&given, 0, "age", d), LETHE_OK);
        assert_int_equal(lethe_values_set(&given, 1, "illness", d), LETHE_OK);
        assert_int_equal(lethe_run_steps(d, a, &run, &given, chain), LETHE_OK);
        if (lethe_chain_check(d, chain, run.n_steps) != LETHE_OK)
            fail_msg("%s: %s", c->steps, g.said);
        assert_ptr_equal(run.method, chain[run.n_steps - 1].method);
        assert_true(run.method->in & c->shape || run.n_steps > 1);
        // asserts that names differ in the plan of a shape
        lethe_plan *plan = &plans[c->shape];
        assert_int_equal(lethe_plan_add(d, a, plan, run), LETHE_OK);
    }
    assert_true(plans[LETHE_SHAPE_LOG].n > 12);
    lethe_arena_free(a);
    lethe_diag_free(d);
}

/* A purpose for which nothing is tried would be refused whatever the input. */
static void every_goal_has_candidates(void **state)
{
    (void)state;
    for (unsigned goal = 0; goal < LETHE_N_GOALS; goal++) {
        bool any = false;
        for (const lethe_candidate *c = lethe_candidates(); c->steps; c++)
            any = any || (c->shape == LETHE_SHAPE_LOG && c->goals >> goal & 1);
        assert_true(any);
    }
}

/* The row of the table whose label, with its letters, begins so. */
static const lethe_candidate *row_of(const char *label)
{
    for (const lethe_candidate *c = lethe_candidates(); c->steps; c++)
        if (strcmp(c->label, label) == 0) return c;
    fail_msg("no row '%s'", label);
    return NULL;
}

static void letters_are_replaced(void **state)
{
    lethe_arena *a = lethe_arena_new();
    lethe_planned_run run;
    (void)state;
    assert_int_equal(lethe_candidate_run(NULL, a, row_of("split t=T 1h"), letters, &run), LETHE_OK);
    assert_string_equal(run.label, "split t=9 1h");
    assert_int_equal(run.n_steps, 3);
    assert_string_equal(run.step[1].setting[0].option, "t");
    assert_string_equal(run.step[1].setting[0].value, "9");
    assert_string_equal(run.step[2].setting[0].value, "gap");
    assert_int_equal(run.n_varied, 1);
    assert_true(lethe_candidate_has(row_of("clump k=K 1h"), 'K'));
    assert_false(lethe_candidate_has(row_of("clump k=K 1h"), 'T'));
    // without a theta its setting is left out
    assert_int_equal(
        lethe_candidate_run(NULL, a, row_of("lplus k=K theta=F"), (lethe_letters){.k = "5"}, &run),
        LETHE_OK);
    assert_int_equal(run.step[0].n_settings, 1);
    lethe_arena_free(a);
}

static void commands_are_quoted(void **state)
{
    lethe_arena *a = lethe_arena_new();
    lethe_planned_run run;
    lethe_step chain[LETHE_CANDIDATE_STEPS];
    const char *inputs[] = {"-dashed", "it's.tsv"};
    lethe_read_options reading = {.format = LETHE_FORMAT_CSV,
                                  .columns = "user=1,query=2",
                                  .time_format = "%d.%m.%y",
                                  .encoding = "latin1"};
    (void)state;
    assert_int_equal(lethe_candidate_run(NULL, a, row_of("threshold t=T"), letters, &run),
                     LETHE_OK);
    assert_int_equal(lethe_run_steps(NULL, a, &run, NULL, chain), LETHE_OK);
    assert_string_equal(lethe_run_command(a, chain, run.n_steps, inputs, 2, &reading, "my release"),
                        "lethe scrub ./-dashed 'it'\\''s.tsv' --from csv --columns user=1,query=2 "
                        "--time-format %d.%m.%y --encoding latin1 "
                        "--then threshold -t 9 -o 'my release'");
    lethe_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_a_chain_that_runs),
        cmocka_unit_test(every_goal_has_candidates),
        cmocka_unit_test(letters_are_replaced),
        cmocka_unit_test(commands_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
