/* SPDX-License-Identifier: Apache-2.0 */
/* collector.h - rows that several workers put into columns, and then an Arrow stream of them. */
#ifndef LETHE_IO_ARROW_COLLECTOR_H
#define LETHE_IO_ARROW_COLLECTOR_H
#include "core/ctx.h"
#include "io/arrow/builder.h"

typedef struct lethe_collector lethe_collector;

typedef struct lethe_collected_column {
    const char *name; /* static */
    lethe_built_kind kind;
} lethe_collected_column;

/* For the workers of the context.  The columns must outlive the stream. */
LETHE_MUST_CHECK lethe_err lethe_collector_new(lethe_ctx *ctx,
                                               const lethe_collected_column *columns, size_t n,
                                               lethe_collector **out);
void lethe_collector_free(lethe_collector *c); /* NULL is fine */

/* The columns that worker w fills, one value in each; then the row is ended.  `bytes`: of its
 * texts. */
lethe_built_column *lethe_collector_columns(lethe_collector *c, unsigned w);
LETHE_MUST_CHECK lethe_err lethe_collector_end_row(lethe_collector *c, unsigned w, size_t bytes);

/* All rows, those of one worker in its order; the collector goes with the stream.  On failure the
 * collector is still the caller's. */
LETHE_MUST_CHECK lethe_err lethe_collector_stream(lethe_collector *c, struct ArrowArrayStream *out);

#endif
