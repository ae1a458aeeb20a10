/* SPDX-License-Identifier: Apache-2.0 */
/* open_log.h - what a sealed release gives away, as a log, for measures and adversaries. */
#ifndef LETHE_APP_OPEN_OPEN_LOG_H
#define LETHE_APP_OPEN_OPEN_LOG_H
#include "model/log/log.h"

/* The rows of a release's data.tsv, a sealed log, that `open` would open, without their clicks;
 * there may be none.  *n_users: users of all rows, closed ones too.  Reports damage as warnings;
 * LETHE_EINPUT: it is not a published sealed log. */
LETHE_MUST_CHECK lethe_err lethe_sealed_opened(lethe_ctx *ctx, int dirfd, lethe_log **out,
                                               uint64_t *n_users);

#endif
