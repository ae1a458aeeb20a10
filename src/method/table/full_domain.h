/* SPDX-License-Identifier: Apache-2.0 */
/* full_domain.h - Incognito: each quasi-identifier at one level of its hierarchy, breadth-first
 * over subsets of the quasi-identifiers, with roll-up and subset pruning.  K. LeFevre, D. DeWitt
 * and R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005; as J. Liu,
 * 2010, section 3.6.1 compares with it. */
#ifndef LETHE_METHOD_TABLE_FULL_DOMAIN_H
#define LETHE_METHOD_TABLE_FULL_DOMAIN_H
#include "method/table/search/table_search.h"

/* The cheapest valid cut of full-domain generalization; the demand must be without suppression.
 * Level h of a leaf is its ancestor h edges up where all leaves are equally deep; in any tree it is
 * the highest node at or above it from which no leaf is more than h edges down, so that a level is
 * always a cut.  Validity and all three costs are monotone, so the cheapest of all valid level
 * vectors is among the minimal ones or, for equal costs, above these; of equals it is the one whose
 * cut compares least.  The same for any number of threads.
 *
 * out->n is 0 where not even the roots are valid, else 1.  `examined` counts level vectors, of
 * subsets too, whose groups were counted.  Of the limits `seconds` and `cuts` are kept, and
 * on_better is called; a search that they end gives the best so far, at least the roots.
 * LETHE_ENOMEM also where there are over 2^28 level vectors of subsets in all: this method is
 * exponential in the number of quasi-identifiers. */
LETHE_MUST_CHECK lethe_err lethe_full_domain(lethe_ctx *ctx, const lethe_tuples *t,
                                             const lethe_group_demand *d,
                                             const uint64_t *const *weight,
                                             const lethe_table_limits *limits, lethe_arena *a,
                                             lethe_table_found *out);
double lethe_full_domain_cuts(const lethe_tuples *t); /* level vectors */

#endif
