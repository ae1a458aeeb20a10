/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a release that was made earlier. */
#include "app/call/published_stream.h"
#include "lethe/call.h"

lethe_err lethe_release_rows(lethe_ctx *ctx, const char *folder, struct ArrowArrayStream *out)
{
    lethe_ctx_forget_error(ctx);
    return lethe_published_stream(ctx, folder, out);
}
