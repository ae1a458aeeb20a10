/* SPDX-License-Identifier: Apache-2.0 */
/* table_internal.h - the parts of the table that its own files share: roles, numbers, trees. */
#ifndef LETHE_MODEL_TABLE_TABLE_INTERNAL_H
#define LETHE_MODEL_TABLE_TABLE_INTERNAL_H
#include "model/table/numbers.h"
#include "model/table/table.h"

/* --- roles: table.c --- */

typedef struct lethe_role_names {
    lethe_str *qi, *sa, *keep;
    size_t n_qi, n_sa, n_keep;
    lethe_str class; /* at = NULL: none */
} lethe_role_names;
/* The names of all roles, in `a`.  Fails, and says so, where lethe_roles_check does. */
LETHE_MUST_CHECK lethe_err lethe_roles_parse(lethe_diag *d, lethe_arena *a, const lethe_roles *r,
                                             lethe_role_names *out);

/* --- numbers and their intervals: table_ranges.c --- */

#define LETHE_DOMAIN_MAX UINT64_C(1000000) /* whole numbers that are leaves */

/* Is that number in the domain, if there is one? */
bool lethe_ranges_cover(const lethe_ranges *r, lethe_number x);
/* The hierarchy for a column with these values, numbers that are covered, or LETHE_MISSING, which
 * is left aside (ranges of values: there is none).  Reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ranges_tree(lethe_diag *d, const lethe_ranges *r,
                                             const lethe_dict *values, lethe_tree **out);

/* By node of a tree of values (lethe_ranges.values): lethe_qi.position, in `a`; NULL: no memory. */
const double *lethe_ranges_positions(lethe_arena *a, const lethe_tree *t);

/* --- values become leaves: table_trees.c --- */

/* The tree of a quasi-identifier that has these values, and for each of them its leaf.  At most one
 * of `hierarchy` and `ranges` is looked at, in that order; `hierarchy` has all values but perhaps
 * LETHE_MISSING.  `leaf` has room for all values.  Reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_table_tree(lethe_diag *d, const lethe_tree *hierarchy,
                                            const lethe_ranges *ranges, const lethe_dict *values,
                                            lethe_tree **tree, uint32_t *leaf);

#endif
