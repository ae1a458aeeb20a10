/* SPDX-License-Identifier: Apache-2.0 */
/* table_beside_internal.h - how the values of a published column find their place among those of
 * the original. */
#ifndef LETHE_MODEL_TABLE_TABLE_BESIDE_INTERNAL_H
#define LETHE_MODEL_TABLE_TABLE_BESIDE_INTERNAL_H
#include "model/table/table_beside.h"
#include "model/table/table_internal.h"

/* Fill in `to`, of which `column` is set; `a` for memory.  LETHE_EINPUT: see
 * lethe_table_beside_open; they report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_beside_spans(lethe_diag *d, lethe_arena *a, const lethe_qi *qi,
                                              const lethe_published_hierarchy *h,
                                              lethe_beside_qi *to);
LETHE_MUST_CHECK lethe_err lethe_beside_place(lethe_diag *d, lethe_arena *a, const lethe_table *t,
                                              const lethe_qi *qi,
                                              const lethe_published_hierarchy *h,
                                              lethe_beside_qi *to);

#endif
