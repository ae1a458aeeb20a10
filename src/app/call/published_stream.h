/* SPDX-License-Identifier: Apache-2.0 */
/* published_stream.h - the data of a release as an Arrow stream. */
#ifndef LETHE_APP_CALL_PUBLISHED_STREAM_H
#define LETHE_APP_CALL_PUBLISHED_STREAM_H
#include "core/ctx.h"
#include "lethe/arrow.h"

/* Makes *out a stream over the data file of the release in `folder`, a row for each line, in its
 * order.  Its columns:
 *
 * - of a log: AnonID, Query, QueryTime, ItemRank, ClickURL and what is kept besides; all text but
 *   ItemRank, which is int64; null where anything behind the query is empty
 * - of a sealed log: those of its file, all text
 * - of a table: those of its header, all text
 * - of records: `items`, lists of text
 * - of counts: `item`, text, and `count`, int64
 *
 * A batch has at most 65,536 rows, and about 64 MiB.  The file is open from now on, so that the
 * folder may be removed; the stream needs neither `ctx` nor anything else afterwards, and frees all
 * in its `release`.  A line that is not as releases have it ends the stream with EINVAL, a read
 * that fails with EIO or what the system says, and get_last_error() says why.  LETHE_EIO: there is
 * no data file, or it cannot be read; LETHE_EINPUT: it has no header; *out is untouched then. */
LETHE_MUST_CHECK lethe_err lethe_published_stream(lethe_ctx *ctx, const char *folder,
                                                  struct ArrowArrayStream *out);

#endif
