/* SPDX-License-Identifier: Apache-2.0 */
/* table_anneal.h - cuts of a table by simulated annealing.  J. Liu, 2010, section 3.6.2, gives
 * neither start, moves nor schedule: they are ours. */
#ifndef LETHE_METHOD_TABLE_TABLE_ANNEAL_H
#define LETHE_METHOD_TABLE_TABLE_ANNEAL_H
#include "method/table/search/table_search.h"
#include "core/rng.h"

typedef struct lethe_anneal_schedule {
    uint64_t steps;
    double t0;      /* the first temperature, as a share of the start's cost */
    double cooling; /* the temperature of the last step, as a share of the first: between them it
                       falls geometrically */
} lethe_anneal_schedule;

/* Starts from the roots, and at each step specializes a random value of the cut or generalizes a
 * random one to its parent (with all of that parent's subtree), either as likely where both can be;
 * takes what is no dearer, and what is dearer by delta with probability exp(-delta / temperature);
 * never what is not valid, except that as long as nothing valid was met (the roots may not be, with
 * vioSA and `distinct`) every step is taken, and the first valid cut stands for the start.  The
 * best cut met, of equals the first, is the answer, never proven; out->n is 0 where none was met.
 * Decided by `random` alone: one thread, no time in it but for limits->seconds.  `examined` counts
 * the start and the steps; limits->cuts ends it there, what came before being the same.
 *
 * A step costs in time what is below the value: tuples, times quasi-identifiers. */
LETHE_MUST_CHECK lethe_err lethe_table_anneal(lethe_ctx *ctx, const lethe_tuples *t,
                                              const lethe_group_demand *d,
                                              const uint64_t *const *weight,
                                              const lethe_anneal_schedule *schedule,
                                              lethe_rng *random, const lethe_table_limits *limits,
                                              lethe_arena *a, lethe_table_found *out);

#endif
