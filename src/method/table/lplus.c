/* SPDX-License-Identifier: Apache-2.0 */
/* lplus.c - l+-diversity by the cheapest cut of the quasi-identifiers' hierarchies: l+-Optimize.
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * chapter 3. */
#include "method/table/generalize.h"

/* clang-format off */
/* Tuples, and for each thread the cells of the cut at hand (tuples.h, search/table_search.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v;
    return lethe_generalize_need(in, s, 32 + 64 * (uint64_t)s->threads);
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
    {.name = "alpha", .type = LETHE_OPT_REAL, .arg = "X", .fallback = "0", .min = 0, .max = 1e3,
     .help = "accept a cut that costs at most 1 + X times the least cost"},
    {.name = "top-h", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "1", .min = 1, .max = 1000,
     .help = "publish by a random one of the N best cuts, so that nobody can draw conclusions from "
             "the cut being the best"},
    {0},
};
/* clang-format on */

static lethe_err search_and_publish(lethe_generalize_run *g)
{
    lethe_table_found found = {0};
    LETHE_TRY(lethe_table_search(g->run->ctx, g->tuples, &g->demand,
                                 (const uint64_t *const *)g->weight, &g->limits, g->arena, &found));
    return lethe_generalize_publish(g, &found, lethe_tuples_cuts(g->tuples));
}

static lethe_err run(lethe_run *r, const lethe_data *in, lethe_result *out)
{
    return lethe_generalize_table(r, in, out, search_and_publish);
}

const lethe_method lethe_method_lplus = {
    .name = "lplus",
    .summary =
        "generalize a table as little as possible, so that no sensitive value is too common in "
        "any group",
    .description =
        "Takes a table with one row per person, and replaces values of the quasi-identifiers by "
        "more general ones of their hierarchies until no sensitive value has more than its share "
        "among the rows that look alike (l+-diversity). One cut through each hierarchy "
        "determines what is published in place of each value, everywhere in the table. The "
        "method finds the cut that costs least of all, and proves that it does, by branch and "
        "bound.\n"
        "\n"
        "Where a few rows violate the requirement, generalizing all others for them would cost "
        "more than starring their sensitive value or deleting them: *--suppress* chooses the "
        "scheme, and its price is part of the cost. Which of several equal rows are deleted is "
        "random.\n"
        "\n"
        "*-k* and *--distinct-l* require that many rows or different sensitive values per group, "
        "alone or together with thresholds. With *-k* alone the result is the cheapest "
        "k-anonymous table. *--entropy-l*, *--recursive*, *--t-closeness* and *--k-map* require "
        "more; all that is asked of sensitive values is asked of each column of *--sa*. With "
        "*--t-closeness*, and with *--theta* for several columns, the default scheme of "
        "*--suppress* is not defined: use *none*, or for the latter *allRec*.",
    .paper =
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University 2010, chapter 3",
    .in = LETHE_SHAPE_TABLE,
    .out = LETHE_SHAPE_TABLE,
    .options = options,
    .validate = lethe_cut_validate,
    .knowledge = "hierarchies",
    .figures = lethe_generalize_figures,
    .notion = "l-plus-diversity",
    .claims = lethe_generalize_claims,
    .sweep = "theta",
    .good_for = {[LETHE_GOAL_PATTERNS] = 3, [LETHE_GOAL_COUNTS] = 3},
    .keeps = "one row per person, with general values in place of the quasi-identifiers'",
    .caveats = lethe_generalize_caveats,
    .found = lethe_generalize_found,
    .warns = lethe_generalize_warns,
    .example = "lethe lplus patients.csv --qi age,sex,zip --sa disease --ranges age=5,10,20,40 "
               "--theta 1/3 -o release/",
    .run = run,
    .need = need,
};
