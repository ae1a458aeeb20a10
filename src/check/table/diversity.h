/* SPDX-License-Identifier: Apache-2.0 */
/* diversity.h - is a group of rows diverse enough?  Entropy l-diversity and recursive
 * (c,l)-diversity, decided from how many rows have each sensitive value.  A. Machanavajjhala et
 * al., "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006, Definitions 3.1 and 3.2.
 *
 * Both decide exactly, also at the bound: a group of l values with the same number of rows each has
 * the entropy log l, whatever floating point makes of it. */
#ifndef LETHE_CHECK_TABLE_DIVERSITY_H
#define LETHE_CHECK_TABLE_DIVERSITY_H
#include "model/table/theta.h"

/* Counts are above 0, at least one, and add up to less than 2^32; they are sorted here, the largest
 * first. */

/* *is: is the entropy of the counts at least log l, for an l of num > 0?  LETHE_ENOMEM, not
 * reported. */
LETHE_MUST_CHECK lethe_err lethe_is_entropy_diverse(uint64_t *count, size_t n, lethe_theta l,
                                                    bool *is);
/* e to the power of the entropy: how many values in equal shares would have it, to six
 * decimals.  For messages. */
double lethe_entropy_values(const uint64_t *count, size_t n);

/* Is the largest count less than c times the sum of the l-th largest and all after it, for an l of
 * 1 or more?  Of fewer than l counts it is not. */
bool lethe_is_recursive_diverse(uint64_t *count, size_t n, lethe_theta c, uint64_t l);

#endif
