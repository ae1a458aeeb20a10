/* table_anneal.h - cuts of a table by simulated annealing.  Seed 002, section 3.6.2, which gives
 * neither start, moves nor schedule: they are ours. */
#ifndef LETHE_ALGO_TABLE_ANNEAL_H
#define LETHE_ALGO_TABLE_ANNEAL_H
#include "algo/table_search.h"
#include "core/rng.h"

typedef struct lethe_anneal_schedule {
    uint64_t steps;
    double t0;      /* the first temperature, as a share of the start's cost */
    double cooling; /* the temperature of the last step, as a share of the first: between them it
                       falls geometrically */
} lethe_anneal_schedule;

/* Starts from the roots, and at each step specializes a random value of the cut or generalizes a
 * random one to its parent (with all of that parent's subtree); takes what is cheaper, and what is
 * dearer by delta with probability exp(-delta / temperature); never what is not valid.  The best
 * cut met is the answer, never proven.  Decided by `random` alone: one thread, no time in it but
 * for limits->seconds. */
LETHE_MUST_CHECK lethe_err lethe_table_anneal(lethe_ctx *ctx, const lethe_tuples *t,
                                              const lethe_demand *d, const uint64_t *const *weight,
                                              const lethe_anneal_schedule *schedule,
                                              lethe_rng *random, const lethe_table_limits *limits,
                                              lethe_arena *a, lethe_table_found *out);

#endif
