/* SPDX-License-Identifier: Apache-2.0 */
/* external.h - the adversary's own table of persons, with the quasi-identifiers by which they can
 * be found in a release. */
#ifndef LETHE_ATTACK_EXTERNAL_H
#define LETHE_ATTACK_EXTERNAL_H
#include "core/ctx.h"
#include "model/table/table.h"

typedef struct lethe_external {
    size_t n;                    /* persons */
    const uint32_t *const *leaf; /* by quasi-identifier and person: a leaf of its tree; LETHE_NONE:
                                    the hierarchy lacks the value */
} lethe_external;

/* Reads a CSV file with a header that has the quasi-identifiers of `t`, and any other columns; a
 * row per person.  The delimiter is guessed from the header; quotes, spaces, missing values,
 * compression as in any table (model/table.h); blank lines are skipped.  In `a`.  LETHE_EINPUT,
 * with file, line and column (the field's number): a column that is not there or is there twice,
 * another number of fields than the header's, faulty quotes, a NUL, a row over LETHE_LINE_MAX, no
 * row at all. */
LETHE_MUST_CHECK lethe_err lethe_external_read(lethe_ctx *ctx, const char *path,
                                               const lethe_table *t, lethe_arena *a,
                                               lethe_external *out);

#endif
