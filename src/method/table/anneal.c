/* anneal.c - a cut of a table's hierarchies by simulated annealing, as J. Liu, thesis, 2010,
 * section 3.6.2 compares with it.  The schedule is ours: algo/table_anneal.h. */
#include "method/table/table_anneal.h"
#include "method/table/generalize.h"

static const lethe_option options[] = {
    LETHE_TABLE_OPTIONS,
    LETHE_DEMAND_OPTIONS,
    LETHE_SUPPRESS_OPTION,
    LETHE_SEARCH_OPTIONS,
    {.name = "steps",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "20000",
     .min = 1,
     .max = 9e15,
     .help = "how many changes are tried"},
    {.name = "t0",
     .type = LETHE_OPT_REAL,
     .arg = "X",
     .fallback = "0.01",
     .min = 1e-12,
     .max = 1e6,
     .help = "the first temperature, as a share of what the most general cut costs"},
    {.name = "cooling",
     .type = LETHE_OPT_REAL,
     .arg = "X",
     .fallback = "0.0001",
     .min = 1e-12,
     .max = 1,
     .help = "the last temperature, as a share of the first"},
    {0},
};

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
        "As *lethe-lplus*(1), but the cut is found by chance: from the most general one on, a "
        "value "
        "that is drawn is specialized, or generalized with its siblings; what costs less is taken, "
        "and what costs more with a probability that falls with the temperature. The temperature "
        "falls geometrically from *--t0* to *--cooling* times that in *--steps* steps. The best "
        "cut "
        "met is published. It is here to be compared with; the drawing also keeps others from "
        "reasoning that nothing better was possible.",
    .paper = "J. Liu, PhD thesis, 2010, section 3.6.2, which leaves the schedule open",
    .in = LETHE_SHAPE_TABLE,
    .out = LETHE_SHAPE_TABLE,
    .options = options,
    .validate = lethe_generalize_validate,
    .knowledge = "hierarchies",
    .figures = lethe_generalize_figures,
    .notion = "l-plus-diversity",
    .claims = lethe_generalize_claims,
    .sweep = "theta",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1, [LETHE_GOAL_COUNTS] = 1},
    .keeps = "one row a person, with general values in place of the quasi-identifiers'",
    .caveats = lethe_generalize_caveats,
    .warns = lethe_generalize_warns,
    .example = "lethe anneal patients.csv --qi age,sex,zip --sa disease --ranges age=5,10,20,40 "
               "--theta 1/3 -o release/",
    .run = run,
};
