/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a request: it becomes a job, or is refused with a message; nothing is run. */
#include "app/call/job.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);
    lethe_job *job = NULL;
    if (!ctx) {
        const lethe_settings s = {
            .size = sizeof s, .n_threads = 1, .style = LETHE_OPTIONS_KEYWORDS};
        MUST(lethe_ctx_new(&s, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    MUST(text);
    if (n > 0) memcpy(text, data, n);
    text[n] = '\0';
    lethe_err e = lethe_job_read(ctx, text, NULL, 0, NULL, 0, &job);
    MUST(e == LETHE_OK || e == LETHE_EUSAGE);
    MUST((e == LETHE_OK) == (job != NULL));
    MUST((e == LETHE_OK) == (lethe_ctx_error(ctx) == NULL));
    if (e == LETHE_EUSAGE) MUST(lethe_ctx_error(ctx)->text[0]);
    lethe_job_free(job);
    free(text);
    return 0;
}
