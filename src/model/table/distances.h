/* SPDX-License-Identifier: Apache-2.0 */
/* distances.h - how far apart two sensitive values are, for t-closeness: --t-distance. */
#ifndef LETHE_MODEL_TABLE_DISTANCES_H
#define LETHE_MODEL_TABLE_DISTANCES_H
#include "model/table/table.h"

typedef enum lethe_value_distance {
    LETHE_DISTANCE_EQUAL,       /* any two alike */
    LETHE_DISTANCE_ORDERED,     /* by their places in the order of numbers */
    LETHE_DISTANCE_HIERARCHICAL /* by the height of what is above both */
} lethe_value_distance;

const char *lethe_distance_name(lethe_value_distance d);

/* "ordered": for all columns; "salary=ordered,disease=hierarchical": by column, others equal; a
 * name with a comma in it is quoted as in lethe_roles.  NULL: all equal.  (*out)[i] of sa[i], in
 * `a`. LETHE_EUSAGE, which names --t-distance: no such distance or column, or a column twice. */
LETHE_MUST_CHECK lethe_err lethe_distances_parse(lethe_diag *d, lethe_arena *a, const char *text,
                                                 const lethe_str *sa, size_t n,
                                                 lethe_value_distance **out);

/* Places of values in the order of numbers, from 0: "7" and "7.0" have one.  `place` has room for
 * all values.  *bad: a value that is no number; LETHE_NONE: all are.  LETHE_ENOMEM without a
 * message. */
LETHE_MUST_CHECK lethe_err lethe_values_order(lethe_arena *a, const lethe_dict *values,
                                              uint32_t *place, uint32_t *n_places, uint32_t *bad);

#endif
