/* SPDX-License-Identifier: Apache-2.0 */
/* publish_counts.h - items and their counts become lines of counts.tsv, the largest count first. */
#ifndef LETHE_RELEASE_PUBLISH_PUBLISH_COUNTS_H
#define LETHE_RELEASE_PUBLISH_PUBLISH_COUNTS_H
#include "check/recount.h"
#include "io/write/sink.h"

typedef struct lethe_counts_publisher lethe_counts_publisher;

/* `unit`: what the counts count, if they are exact and the rows behind them are given too;
 * LETHE_N_COUNTED: they are not.  `piped`: the lines go to standard output. */
LETHE_MUST_CHECK lethe_err lethe_counts_publisher_new(lethe_ctx *ctx, lethe_counted unit,
                                                      bool piped, uint64_t cap_bytes, void **out);
void lethe_counts_publisher_free(void *publisher); /* NULL is fine */

/* Each worker uses its own w. */
LETHE_MUST_CHECK lethe_err lethe_counts_publisher_item(lethe_counts_publisher *p, unsigned w,
                                                       lethe_str item, uint64_t count);
/* A row behind the item that its query is. */
LETHE_MUST_CHECK lethe_err lethe_counts_publisher_row(lethe_counts_publisher *p, unsigned w,
                                                      const lethe_row *row);
uint64_t lethe_counts_publisher_rows(const lethe_counts_publisher *p);
uint64_t lethe_counts_publisher_items(const lethe_counts_publisher *p);
/* Are exact counts those of the rows?  Once, after the last row. */
LETHE_MUST_CHECK lethe_err lethe_counts_publisher_check(lethe_counts_publisher *p, bool *same);
LETHE_MUST_CHECK lethe_err lethe_counts_publisher_data(void *publisher, lethe_sink *to);

#endif
