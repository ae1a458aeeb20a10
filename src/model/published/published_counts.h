/* SPDX-License-Identifier: Apache-2.0 */
/* published_counts.h - the data file of counts (lethe-release(5)): items and how often each was
 * counted, most common first. */
#ifndef LETHE_MODEL_PUBLISHED_PUBLISHED_COUNTS_H
#define LETHE_MODEL_PUBLISHED_PUBLISHED_COUNTS_H
#include "core/ctx.h"

#define LETHE_COUNTS_NAME "counts.tsv"
#define LETHE_COUNTS_HEADER "Item\tCount\n"

/* Called for each line in the order of the file; the item is a view.  NULL: the file is only looked
 * at. */
typedef lethe_err (*lethe_count_fn)(void *arg, lethe_str item, uint64_t count);

/* Reads counts.tsv in folder `dirfd`, links not followed.  LETHE_EINPUT, with the line, unless it
 * is the header and then one or more lines `item TAB count`: items are texts in normal form, counts
 * whole numbers from 1 to 2^63 - 1 without leading zeros; the largest count is first, and items
 * with the same count stand in order of their bytes; no item stands twice (seen after the last
 * line). */
LETHE_MUST_CHECK lethe_err lethe_counts_published(lethe_ctx *ctx, int dirfd, lethe_count_fn fn,
                                                  void *arg);
/* From memory, for tests and fuzzing. */
LETHE_MUST_CHECK lethe_err lethe_counts_memory(lethe_ctx *ctx, lethe_str bytes, lethe_count_fn fn,
                                               void *arg);

#endif
