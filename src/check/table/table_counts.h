/* SPDX-License-Identifier: Apache-2.0 */
/* table_counts.h - the common part of the notions that look at how often each sensitive value
 * occurs in a group. */
#ifndef LETHE_CHECK_TABLE_TABLE_COUNTS_H
#define LETHE_CHECK_TABLE_TABLE_COUNTS_H
#include "check/table/table_groups.h"

/* A counterexample where a sensitive value is starred, of the first one: it is a value, but nobody
 * can tell which.  NULL: none is. */
lethe_json *lethe_starred_fault(const lethe_groups *g, lethe_json_doc *doc);

/* So many rows of a group have the sensitive value of that number. */
typedef struct lethe_value_count {
    uint32_t value;
    uint64_t rows;
} lethe_value_count;

/* Judges one group.  Sets *broken; `count` may be changed.  Reports LETHE_ENOMEM. */
typedef lethe_err (*lethe_counts_fn)(void *arg, lethe_value_count *count, size_t n, bool *broken);
/* Calls `judge` for the groups, but not for one that stands behind a broken one in the file. *first
 * is the first row of the first broken group, with its counts in *count (room for all values, of
 * which the first *n are used); LETHE_NONE: none is broken.  LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_groups_judge(lethe_ctx *ctx, const lethe_groups *g,
                                              lethe_counts_fn judge, void *arg, uint32_t *first,
                                              lethe_value_count *count, size_t *n);

#endif
