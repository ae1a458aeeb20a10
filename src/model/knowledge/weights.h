/* SPDX-License-Identifier: Apache-2.0 */
/* weights.h - how much each query counts: the file that --weights names.
 *
 * A text file: `query TAB weight` a line, in any order.  Queries are normalised as those of a log
 * are (text/normalize.h).  A weight is a decimal number above 0 and at most 1e9, with at most six
 * digits after the point: it is kept as whole millionths.  All of it is held in memory. */
#ifndef LETHE_MODEL_KNOWLEDGE_WEIGHTS_H
#define LETHE_MODEL_KNOWLEDGE_WEIGHTS_H
#include "core/ctx.h"
#include "core/dict.h"

#define LETHE_WEIGHT_UNIT UINT64_C(1000000) /* of a weight of 1 */
#define LETHE_WEIGHT_MAX (UINT64_C(1000000000) * LETHE_WEIGHT_UNIT)

typedef struct lethe_query_weights lethe_query_weights;

/* `path` as lethe_source_open() takes it.  Strict: a line without a tab, with a second one, with an
 * empty query, a NUL, CR or invalid UTF-8 in it, with a weight that is none, or with a query that
 * has another weight already, is LETHE_EINPUT with file, line, column (the field, from 1; 0: the
 * whole line) and cause; so is a file without a line.  Lines may end in CRLF, and the last one
 * without. */
LETHE_MUST_CHECK lethe_err lethe_query_weights_read(lethe_ctx *ctx, const char *path,
                                                    lethe_query_weights **out);
/* From memory, for tests and fuzzing. */
LETHE_MUST_CHECK lethe_err lethe_query_weights_memory(lethe_ctx *ctx, lethe_str bytes,
                                                      lethe_query_weights **out);
void lethe_query_weights_free(lethe_query_weights *w); /* NULL is fine */

/* Of a normalised query, in millionths; 0: it has none.  Safe from several threads. */
uint64_t lethe_query_weights_of(const lethe_query_weights *w, lethe_str query);

/* By number, 0, 1, 2, ... in the order first seen in the file. */
uint32_t lethe_query_weights_count(const lethe_query_weights *w);
lethe_str lethe_query_weights_query(const lethe_query_weights *w, uint32_t i);
uint64_t lethe_query_weights_at(const lethe_query_weights *w, uint32_t i);

#endif
