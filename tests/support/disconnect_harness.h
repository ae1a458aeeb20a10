/* SPDX-License-Identifier: Apache-2.0 */
/* disconnect_harness.h - releases made with disconnect, and what is in them. */
#ifndef LETHE_TESTS_DISCONNECT_HARNESS_H
#define LETHE_TESTS_DISCONNECT_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "core/mem.h"
#include "method/method.h"

typedef struct how {
    unsigned threads;      /* 0: 2 */
    uint64_t memory_bytes; /* 0: 64 MiB */
    lethe_urls urls;
    bool coarse; /* users are pseudonyms, times days */
    bool seeded; /* or anything would differ between two runs */
} how;

typedef struct made {
    lethe_err err;
    lethe_json_doc *doc;
    lethe_json *report;
    char *data; /* of the release, without its header; NULL: there is none */
    char *whole;
} made;

/* The log is that of the ground. */
static inline made d_make(ground *g, const steps *s, how h)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = h.threads ? h.threads : 2,
                          .memory_bytes = h.memory_bytes ? h.memory_bytes : 64 << 20,
                          .spill_dir = g->dir,
                          .on_message = g_hear,
                          .user = g};
    made m = {.doc = lethe_json_doc_new()};
    const char *inputs[] = {g->log};
    lethe_release_job job = g_job(g, s, inputs);
    job.publishing.urls = h.urls;
    job.publishing.keep_users = !h.coarse;
    job.publishing.times = h.coarse ? LETHE_TIMES_DAY : LETHE_TIMES_EXACT;
    job.publishing.has_seed = h.seeded;
    g->said[0] = '\0';
    if (!m.doc || lethe_ctx_new(&set, &ctx) != LETHE_OK) abort();
    m.err = lethe_release_make(ctx, &job, m.doc, &m.report);
    lethe_ctx_free(ctx);
    m.whole = g_data(g);
    m.data = m.whole ? strchr(m.whole, '\n') + 1 : NULL;
    return m;
}

/* The paper publishes all clicks, and a single one is well targeted.  Options that follow count. */
#define D_PAPER "min-urls=none targeted-clicks=1 "

/* One step as in the paper, its options as s_add() takes them. */
static inline made d_one(ground *g, const char *options, how h)
{
    steps s = {0};
    char text[512];
    snprintf(text, sizeof text, D_PAPER "%s", options);
    s_add(&s, &lethe_method_disconnect, text);
    return d_make(g, &s, h);
}

/* The release goes too, so that another can be made. */
static inline void d_gone(ground *g, made *m)
{
    free(m->whole);
    lethe_json_doc_free(m->doc);
    g_remove(g->out);
}

static inline const lethe_json *d_figure(const made *m, const char *name)
{
    return lethe_json_get(lethe_json_get(m->report, "metrics"), name);
}

static inline int64_t d_removed(const made *m, const char *what, const char *reason)
{
    const lethe_json *v = lethe_json_get(d_figure(m, what), reason);
    return lethe_json_kind(v) == LETHE_JSON_INT ? lethe_json_int(v) : -1;
}

static inline void d_expect_json(const lethe_json *v, const char *want)
{
    char *text = lethe_json_write(v, 0, NULL);
    assert_string_equal(text, want);
    lethe_json_text_free(text);
}

#endif
