/* SPDX-License-Identifier: Apache-2.0 */
/* anneal.c - a cut of a table's hierarchies by simulated annealing, which J. Liu, "Enhancing
 * Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010, section 3.6.2,
 * compares with.  The schedule is ours: table_anneal.h. */
#include "method/table/table_anneal.h"
#include "method/table/generalize.h"

/* clang-format off */
/* Tuples (tuples.h), and their groups for each thread. */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v;
    return lethe_generalize_need(in, s, 36 + 8 * (uint64_t)s->threads);
}

static const lethe_option options[] = {
    LETHE_TABLE_OPTIONS,
    LETHE_DEMAND_OPTIONS,
    LETHE_POPULATION_OPTIONS,
    LETHE_COST_OPTION,
    LETHE_SUPPRESS_OPTION,
    LETHE_DELETION_OPTION,
    LETHE_PRICES_OPTION,
    LETHE_PRECAUTION_OPTION,
    LETHE_SEARCH_OPTIONS,
    {.name = "steps", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "20000",
     .min = 1, .max = 9e15,
     .help = "number of changes to try"},
    {.name = "t0", .type = LETHE_OPT_REAL, .arg = "X", .fallback = "0.01", .min = 1e-12, .max = 1e6,
     .help = "first temperature, as a share of the cost of the most general cut"},
    {.name = "cooling", .type = LETHE_OPT_REAL, .arg = "X", .fallback = "0.0001",
     .min = 1e-12, .max = 1,
     .help = "last temperature, as a share of the first"},
    {0},
};
/* clang-format on */

static lethe_err search_and_publish(lethe_generalize_run *g)
{
    const lethe_values *v = g->run->values;
    lethe_table_found found = {0};
    const lethe_anneal_schedule schedule = {.steps = (uint64_t)lethe_count_of(v, "steps"),
                                            .t0 = lethe_value_of(v, "t0")->real,
                                            .cooling = lethe_value_of(v, "cooling")->real};
    lethe_rng rng = lethe_rng_stream(g->run->random, "anneal", 0);
    lethe_err e =
        lethe_table_anneal(g->run->ctx, g->tuples, &g->demand, (const uint64_t *const *)g->weight,
                           &schedule, &rng, &g->limits, g->arena, &found);
    lethe_rng_wipe(&rng);
    return e == LETHE_OK ? lethe_generalize_publish(g, &found, lethe_tuples_cuts(g->tuples)) : e;
}

static lethe_err run(lethe_run *r, const lethe_data *in, lethe_result *out)
{
    return lethe_generalize_table(r, in, out, search_and_publish);
}

const lethe_method lethe_method_anneal = {
    .name = "anneal",
    .summary = "generalize a table by simulated annealing: good cuts, never proven best",
    .description =
        "Like *lethe-lplus*(1), but the cut is found at random: starting from the most general "
        "cut, each step specializes a random value, or generalizes it with its siblings. A "
        "change that costs less is kept, and one that costs more with a probability that falls "
        "with the temperature. The temperature falls geometrically from *--t0* to *--cooling* "
        "times that in *--steps* steps. The best cut met is published. It is meant for "
        "comparison; the randomness also keeps others from concluding that nothing better was "
        "possible.",
    .paper =
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University 2010, section 3.6.2, which leaves the schedule open",
    .in = LETHE_SHAPE_TABLE,
    .out = LETHE_SHAPE_TABLE,
    .options = options,
    .validate = lethe_cut_validate,
    .knowledge = "hierarchies",
    .figures = lethe_generalize_figures,
    .notion = "l-plus-diversity",
    .claims = lethe_generalize_claims,
    .sweep = "theta",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1, [LETHE_GOAL_COUNTS] = 1},
    .keeps = "one row per person, with general values in place of the quasi-identifiers'",
    .caveats = lethe_generalize_caveats,
    .found = lethe_generalize_found,
    .warns = lethe_generalize_warns,
    .example = "lethe anneal patients.csv --qi age,sex,zip --sa disease --ranges age=5,10,20,40 "
               "--theta 1/3 -o release/",
    .run = run,
    .need = need,
};
