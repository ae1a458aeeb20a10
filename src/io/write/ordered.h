/* SPDX-License-Identifier: Apache-2.0 */
/* ordered.h - pieces of output that are finished in any order and written in theirs. */
#ifndef LETHE_IO_WRITE_ORDERED_H
#define LETHE_IO_WRITE_ORDERED_H
#include "core/mem.h"
#include "io/write/sink.h"

typedef struct lethe_ordered lethe_ordered;

/* Writes to `sink`, which is borrowed. */
LETHE_MUST_CHECK lethe_err lethe_ordered_new(lethe_ctx *ctx, lethe_sink *sink, lethe_ordered **out);
void lethe_ordered_free(lethe_ordered *o); /* NULL is fine */

/* The piece with number `index` (0, 1, 2, ..., each once) is done: its bytes are taken over and
 * `piece` is left empty.  The call that brings the piece due next writes all that waited for it.
 * Where many wait, the caller is delayed a little, so that a slow piece does not fill the memory;
 * never for long, so that a missing piece blocks nobody. */
LETHE_MUST_CHECK lethe_err lethe_ordered_put(lethe_ordered *o, uint64_t index, lethe_buf *piece);

/* Were all pieces put and written? A gap is our own bug: LETHE_EINTERNAL. */
LETHE_MUST_CHECK lethe_err lethe_ordered_finish(lethe_ordered *o);

#endif
