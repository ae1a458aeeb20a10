/* SPDX-License-Identifier: Apache-2.0 */
/* kept_values.h - which values of kept columns (--keep) enough persons have.
 *
 * Which rows are published is known only when the last step is through, so that rows wait, in
 * memory and then on disk, until all values are counted.  A value counts with the owners of its
 * rows: the persons of the input, whatever names a step gave them. */
#ifndef LETHE_RELEASE_PUBLISH_KEPT_VALUES_H
#define LETHE_RELEASE_PUBLISH_KEPT_VALUES_H
#include "core/ctx.h"
#include "model/log/log.h"

typedef struct lethe_kept_values lethe_kept_values;

/* For `n` columns, a value of which is published if it has `min` persons.  Values that have are
 * held in memory, all others are not. */
LETHE_MUST_CHECK lethe_err lethe_kept_values_new(lethe_ctx *ctx, size_t n, uint64_t min,
                                                 uint64_t cap_bytes, lethe_kept_values **out);
void lethe_kept_values_free(lethe_kept_values *k); /* NULL is fine */

/* A row that will be published, on worker w; copied. */
LETHE_MUST_CHECK lethe_err lethe_kept_values_put(lethe_kept_values *k, unsigned w,
                                                 const lethe_row *row);
/* Once, when all rows are in: hands each to `fn`, in any order, without the values that fewer
 * persons have.  LETHE_ENOMEM: too many different values have enough. */
typedef lethe_err (*lethe_kept_row_fn)(void *arg, unsigned w, const lethe_row *row);
LETHE_MUST_CHECK lethe_err lethe_kept_values_each(lethe_kept_values *k, lethe_kept_row_fn fn,
                                                  void *arg);

typedef struct lethe_kept_counts {
    uint64_t values, dropped;  /* different values, of each column: published, and left out */
    uint64_t rows;             /* without a value that was left out */
    bool lost[LETHE_KEEP_MAX]; /* by column: rows had values, and none is published */
} lethe_kept_counts;
/* After lethe_kept_values_each(). */
lethe_kept_counts lethe_kept_values_counts(const lethe_kept_values *k);

#endif
