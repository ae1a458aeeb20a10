/* SPDX-License-Identifier: Apache-2.0 */
/* publish_ubi.h - a published log as documents of User Behavior Insights, made of data.tsv alone:
 * so it tells nothing more, and whoever has both can make it again and compare. */
#ifndef LETHE_RELEASE_PUBLISH_PUBLISH_UBI_H
#define LETHE_RELEASE_PUBLISH_PUBLISH_UBI_H
#include "core/ctx.h"
#include "io/write/sink.h"

#define LETHE_UBI_NAME "ubi.ndjson"

/* Writes the documents of data.tsv in folder `dirfd`, as a bulk file: for each row in its order a
 * query, whose id is the number of the row, and if something was clicked an event. */
LETHE_MUST_CHECK lethe_err lethe_ubi_write(lethe_ctx *ctx, int dirfd, lethe_sink *to);
/* Is that what ubi.ndjson in `dirfd` holds, byte for byte? */
LETHE_MUST_CHECK lethe_err lethe_ubi_compare(lethe_ctx *ctx, int dirfd, bool *same);

#endif
