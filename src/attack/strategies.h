/* SPDX-License-Identifier: Apache-2.0 */
/* strategies.h - an adversary that has several ways to guess takes the one that succeeds most, and
 * names it. */
#ifndef LETHE_ATTACK_STRATEGIES_H
#define LETHE_ATTACK_STRATEGIES_H
#include <stddef.h>

/* The strategy with the greatest success; of equal ones, but for rounding, the first: the simplest
 * comes first. */
static inline size_t lethe_strategy_best(const double *success, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (success[i] > success[best] + 1e-12) best = i;
    return best;
}

#endif
