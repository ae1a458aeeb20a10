/* SPDX-License-Identifier: Apache-2.0 */
/* asked.h - what the options of LETHE_DEMAND_OPTIONS ask of groups beyond k, and the demand that is
 * made of it for a table. */
#ifndef LETHE_METHOD_TABLE_ASKED_H
#define LETHE_METHOD_TABLE_ASKED_H
#include "method/table/tuples.h"
#include "method/method.h"

typedef struct lethe_asked {
    lethe_str *sa; /* sensitive columns */
    size_t n_sa;
    bool has_theta; /* one for all values, or for each its own */
    uint32_t distinct;
    lethe_theta entropy; /* den 0: not asked for */
    lethe_theta c;
    uint32_t l; /* 0: not asked for */
    bool has_t;
    lethe_theta t;
    lethe_value_distance *distance; /* by sensitive column */
    uint64_t k_map;                 /* 0: not asked for */
} lethe_asked;

/* LETHE_EUSAGE with what is wrong in one of the options, or between them.  In `a`. */
LETHE_MUST_CHECK lethe_err lethe_asked_read(lethe_diag *d, lethe_arena *a, const lethe_values *v,
                                            lethe_asked *out);
/* Is anything asked of sensitive values?  The name of the first option that does; NULL: nothing. */
const char *lethe_asked_sensitive(const lethe_asked *k);
/* Is more asked than theta and distinct of one column? */
bool lethe_asked_columns(const lethe_asked *k);

/* The columns of the demand, and what else is set in it: where there are several columns, theta and
 * distinct are asked of each.  LETHE_EINPUT: a value is no number, or an inner node of its
 * hierarchy. */
LETHE_MUST_CHECK lethe_err lethe_asked_demand(lethe_ctx *ctx, lethe_arena *a, const lethe_asked *k,
                                              const lethe_table *t, const lethe_tuples *u,
                                              lethe_theta theta, lethe_group_demand *out);

/* The population of --population, as leaves of the table's trees; rows with a value that a
 * hierarchy lacks are left out, and a warning says how many.  In `a`. */
LETHE_MUST_CHECK lethe_err lethe_asked_population(lethe_ctx *ctx, lethe_arena *a, const char *path,
                                                  const char *qi, const lethe_table *t,
                                                  lethe_population *out);

#endif
