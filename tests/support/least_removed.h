/* SPDX-License-Identifier: Apache-2.0 */
/* least_removed.h - Lemma 3.3 of the thesis: at least so many occurrences of sensitive values go,
 * whichever way a group is split; applied once, or to its least fixpoint. */
#ifndef LETHE_TESTS_LEAST_REMOVED_H
#define LETHE_TESTS_LEAST_REMOVED_H
#include "method/table/group_price.h"

enum { LEAST_VALUES = 1024 };

static inline uint64_t least_removed(const lethe_group_demand *d, const lethe_group_counts *g,
                                     bool iterated)
{
    static uint32_t cut[LEAST_VALUES];
    lethe_group_demand other = *d;
    other.cost = LETHE_COST_LM;
    other.k = other.distinct = 1;
    other.k_map = other.n_columns = 0;
    other.suppress = iterated ? LETHE_SUPPRESS_VIO_REC : LETHE_SUPPRESS_VIO_SA;
    if (iterated) return lethe_group_price_of(&other, g, cut).deleted;
    return lethe_group_least_starred(&other, g, cut);
}

#endif
