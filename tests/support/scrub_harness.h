/* SPDX-License-Identifier: Apache-2.0 */
/* scrub_harness.h - the method scrub a row at a time, as the pipeline would call it. */
#ifndef LETHE_TESTS_SCRUB_HARNESS_H
#define LETHE_TESTS_SCRUB_HARNESS_H
#include "core/mem.h"
#include "method/method.h"
#include "release_harness.h"
#include "text/pii/pii.h"

typedef struct scrubber {
    lethe_ctx *ctx;
    steps options;
    void *state; /* NULL: it did not begin */
    lethe_json_doc *doc;
    lethe_json *metrics, *caveats;
} scrubber;

/* `options` as "kinds=ssn,card action=drop". */
static inline lethe_err sc_begin(scrubber *s, ground *g, unsigned n_threads, const char *options)
{
    *s = (scrubber){.ctx = g_ctx(g, n_threads), .doc = lethe_json_doc_new()};
    s->metrics = lethe_json_object(s->doc);
    s->caveats = lethe_json_array(s->doc);
    s_add(&s->options, &lethe_method_scrub, options);
    lethe_run run = {.ctx = s->ctx, .values = &s->options.at[0].values};
    return lethe_method_scrub.rows->begin(&run, &s->state);
}

static inline lethe_err sc_end(scrubber *s)
{
    lethe_result out = {.doc = s->doc, .metrics = s->metrics, .caveats = s->caveats};
    return lethe_method_scrub.rows->end(s->state, &out);
}

static inline void sc_free(scrubber *s)
{
    if (s->state) lethe_method_scrub.rows->free(s->state);
    lethe_json_doc_free(s->doc);
    lethe_ctx_free(s->ctx);
}

/* What becomes of a row by worker 0; its strings live until the next call. */
typedef struct scrubbed_row {
    lethe_err err;
    lethe_row row;
    const char *dropped;
} scrubbed_row;

static inline scrubbed_row sc_row(scrubber *s, const char *query, const char *url)
{
    scrubbed_row r = {.row = {.owner = LETHE_LIT("1"),
                              .user = LETHE_LIT("1"),
                              .query = lethe_str_of(query),
                              .url = lethe_str_of(url),
                              .time = LETHE_NO_TIME,
                              .rank = *url ? 3 : LETHE_NO_RANK}};
    r.err = lethe_method_scrub.rows->row(s->state, 0, &r.row, &r.dropped);
    return r;
}

#endif
