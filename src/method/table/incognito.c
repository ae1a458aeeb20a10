/* SPDX-License-Identifier: Apache-2.0 */
/* incognito.c - full-domain generalization of a table: each quasi-identifier at one level of its
 * hierarchy.  K. LeFevre, D. DeWitt and R. Ramakrishnan, "Incognito: Efficient Full-Domain
 * K-Anonymity", SIGMOD 2005; the l-diverse variant of J. Liu, "Enhancing Utility in Privacy
 * Preserving Data Publishing", Simon Fraser University, 2010, section 3.6.1. */
#include "method/table/full_domain.h"
#include "method/table/generalize.h"

/* Tuples (tuples.h), and their groups in each subset of columns. */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v;
    return lethe_generalize_need(in, s, 36);
}

static const lethe_option options[] = {
    LETHE_TABLE_OPTIONS, LETHE_DEMAND_OPTIONS, LETHE_POPULATION_OPTIONS,
    LETHE_COST_OPTION,   LETHE_SEARCH_OPTIONS, {0},
};

static lethe_err search_and_publish(lethe_generalize_run *g)
{
    lethe_table_found found = {0};
    LETHE_TRY(lethe_full_domain(g->run->ctx, g->tuples, &g->demand,
                                (const uint64_t *const *)g->weight, &g->limits, g->arena, &found));
    return lethe_generalize_publish(g, &found, lethe_full_domain_cuts(g->tuples));
}

static lethe_err run(lethe_run *r, const lethe_data *in, lethe_result *out)
{
    return lethe_generalize_table(r, in, out, search_and_publish);
}

const lethe_method lethe_method_incognito = {
    .name = "incognito",
    .summary = "generalize each column of a table to one level of its hierarchy",
    .description =
        "Like *lethe-lplus*(1), but all values of a quasi-identifier are generalized to the same "
        "level of its hierarchy, and nothing is suppressed. The method finds all vectors of levels "
        "that keep the promise, breadth-first over subsets of the quasi-identifiers, and publishes "
        "the one that costs least. It is meant for comparison: *lplus* never costs more.",
    .paper = "K. LeFevre, D. DeWitt and R. Ramakrishnan, \"Incognito: Efficient Full-Domain "
             "K-Anonymity\", SIGMOD 2005; l-diverse as in J. Liu, PhD thesis, Simon Fraser "
             "University 2010, section 3.6.1",
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
    .keeps = "one row per person, each quasi-identifier at one level of its hierarchy",
    .caveats = lethe_generalize_caveats,
    .found = lethe_generalize_found,
    .warns = lethe_generalize_warns,
    .example = "lethe incognito patients.csv --qi age,sex,zip --sa disease --ranges age=5,10,20,40 "
               "--theta 1/2 -o release/",
    .run = run,
    .need = need,
};
