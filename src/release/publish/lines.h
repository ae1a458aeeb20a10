/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - lines of a published file: those of a sorter, or from a buffer. */
#ifndef LETHE_RELEASE_PUBLISH_LINES_H
#define LETHE_RELEASE_PUBLISH_LINES_H
#include "core/mem.h"
#include "io/write/sink.h"
#include "io/sort/sorter.h"

/* `head` and then the records of `s` (LETHE_ORDER_BYTES), each with an LF behind it.  Parts are
 * sorted and written in parallel, so the sink is a file into which nothing was written yet.  It is
 * neither committed nor aborted.  LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_sorted_lines_write(lethe_ctx *ctx, lethe_sorter *s, lethe_str head,
                                                    lethe_sink *to);
/* Writes the line of a record, which is as long. */
typedef void (*lethe_line_fn)(lethe_str record, char *line);
/* The same where each record only stands for its line. */
LETHE_MUST_CHECK lethe_err lethe_formed_lines_write(lethe_ctx *ctx, lethe_sorter *s, lethe_str head,
                                                    lethe_line_fn form, lethe_sink *to);
/* The same onto any sink, behind what it has, by way of a nameless file: a pipe sees nothing of
 * what cannot be sorted. */
LETHE_MUST_CHECK lethe_err lethe_sorted_lines_print(lethe_ctx *ctx, lethe_sorter *s, lethe_str head,
                                                    lethe_sink *to);
LETHE_MUST_CHECK lethe_err lethe_formed_lines_print(lethe_ctx *ctx, lethe_sorter *s, lethe_str head,
                                                    lethe_line_fn form, lethe_sink *to);
/* Writes what `buf` holds, and empties it, once it has `least` bytes. */
LETHE_MUST_CHECK lethe_err lethe_lines_flush(lethe_sink *to, lethe_buf *buf, size_t least);
/* Writes the rest and frees `buf`, unless `put`, the result so far, is a failure; reports lack of
 * memory, which lethe_buf_put() does not. */
LETHE_MUST_CHECK lethe_err lethe_lines_end(lethe_ctx *ctx, lethe_err put, lethe_sink *to,
                                           lethe_buf *buf);

#endif
