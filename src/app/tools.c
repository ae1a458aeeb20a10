/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c - what is not a release: a log's profile, a new key. */
#include "release/release.h"
#include "core/mem.h"
#include "measure/measure.h"
#include <sodium.h>

lethe_err lethe_profile_log(lethe_ctx *ctx, const char *const *inputs, size_t n,
                            const lethe_read_options *reading, lethe_json_doc *doc,
                            lethe_json **report)
{
    lethe_log *log;
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *parameters = lethe_json_object(doc);
    lethe_reading_json(doc, parameters, reading);
    lethe_set_text(doc, r, "command", "profile");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, r, "metrics", metrics);
    *report = r;
    LETHE_TRY(lethe_log_files(ctx, inputs, n, reading, &log));
    lethe_err e = lethe_profile_measure(ctx, log, doc, metrics);
    const lethe_read_counts *c = lethe_log_counts(log);
    if (e == LETHE_OK && c->filtered > 0 && c->filtered == c->rows)
        e = lethe_fail(ctx, LETHE_ANSWER_NO,
                       "no user has that many clicked queries: nothing is left to profile");
    lethe_counts counts = {
        .read = c->lines, .suppressed = c->empty + c->filtered, .rejected = c->rejected};
    lethe_json_set(doc, r, "counts", lethe_counts_json(doc, &counts));
    lethe_log_free(log);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}

lethe_err lethe_key_new(lethe_ctx *ctx, const char *path, bool force)
{
    lethe_sink *sink = NULL;
    uint8_t key[32];
    LETHE_TRY(lethe_random_get(lethe_ctx_diag(ctx), key, sizeof key));
    lethe_err e = lethe_sink_open(lethe_ctx_diag(ctx), path,
                                  force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW, 0600, &sink);
    if (e == LETHE_OK) e = lethe_sink_write(sink, key, sizeof key);
    sodium_memzero(key, sizeof key);
    if (e == LETHE_OK) return lethe_sink_commit(sink);
    lethe_sink_abort(sink);
    return e;
}
