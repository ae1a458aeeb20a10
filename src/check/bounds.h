/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.h - the comparisons that decide a promise: is a share larger than is allowed, is knowledge
 * within a power, does it name somebody?  Written from the definitions, in whole numbers; methods
 * have functions of their own, and tests/prop/check/test_bounds.c compares the two.
 *
 * A bound that was read as a double stands for every decimal that is read as it: 3 of 10 are no
 * more than 0.3, although the double is a little less.  So a share is larger than the bound if it
 * is larger than all of these. */
#ifndef LETHE_CHECK_BOUNDS_H
#define LETHE_CHECK_BOUNDS_H
#include "model/knowledge/knowledge.h"

/* Is with/of > num/den?  `of` and `den` are above 0. */
bool lethe_is_over_fraction(uint64_t with, uint64_t of, uint64_t num, uint64_t den);
/* Is with/of > share, which is in [0, 1]?  `of` is above 0. */
bool lethe_is_over_share(uint64_t with, uint64_t of, double share);
/* Is with/of > 1/l, for an l of 1 or more?  `of` is above 0. */
bool lethe_is_over_part(uint64_t with, uint64_t of, double l);

/* Knowledge of `positive` items that are there and `leaves` below items that are not: does somebody
 * with the power (m,n) have it?  (Liu 2010, section 4.6.1) */
bool lethe_is_within_power(const lethe_kl *kl, uint64_t positive, uint64_t leaves);
/* It is true of `sets` sets: does it name a person, being true of some, but of fewer than k? */
bool lethe_is_naming(const lethe_kl *kl, uint64_t sets);

#endif
