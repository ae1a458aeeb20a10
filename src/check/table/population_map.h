/* SPDX-License-Identifier: Apache-2.0 */
/* population_map.h - which rows of a population fall under the published values of a group.
 *
 * A published value covers a value of the population that is equal to it, or if
 * - it is `*`, the root: any value,
 * - the hierarchy at hand has it: the value is at or below it, or is missing and it is the root,
 * - it is a range of numbers (`30-39`, `-5--1`, `[20,25)`), or a number in a column whose hierarchy
 *   has a range: the value is a number in it.
 *
 * Nothing else is counted, so what cannot be placed makes groups smaller and never larger. */
#ifndef LETHE_CHECK_TABLE_POPULATION_MAP_H
#define LETHE_CHECK_TABLE_POPULATION_MAP_H
#include "check/table/table_groups.h"
#include "model/table/population.h"

typedef struct lethe_map_group {
    uint32_t first; /* row of the published table */
    uint64_t rows;  /* of the population, as far as they were counted: at least `enough`, or all */
    bool resolved;  /* all that fall under its values could be found: none is a generalized value
                       that is neither a range nor in a hierarchy */
} lethe_map_group;

/* Counts for each group of `g` the rows of the population under its values, up to `enough`; columns
 * of the population are those of `g`, in their order.  `h`: taxonomy.tsv; NULL: there is
 * none, and values stand for themselves.  In `a`.  LETHE_ECANCEL;
 * reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_population_count(
    lethe_ctx *ctx, lethe_arena *a, const lethe_groups *g, const lethe_published_hierarchies *h,
    const lethe_population_table *population, uint64_t enough, lethe_map_group **out, size_t *n);

#endif
