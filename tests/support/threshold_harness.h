/* SPDX-License-Identifier: Apache-2.0 */
/* threshold_harness.h - the method threshold run by itself: its rows and counts are collected, its
 * drops counted, and what it gives can be written as a release's data and checked. */
#ifndef LETHE_TESTS_THRESHOLD_HARNESS_H
#define LETHE_TESTS_THRESHOLD_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "log_oracle.h"
#include "small_wordnet.h"
#include "check/check.h"
#include "method/method.h"

typedef struct harness {
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *metrics, *claims;
    pthread_mutex_t lock;
    olog rows; /* what was emitted */
    size_t cap;
    uint64_t dropped;
    struct {
        char item[64];
        uint64_t count;
    } counts[512]; /* what was counted */
    size_t n_counts;
} harness;

typedef struct setting {
    const char *t, *by, *rare, *same, *as, *clicks; /* NULL: the default */
    lethe_url_form urls;
    lethe_time_unit times;
    uint64_t memory_bytes;
} setting;

static inline void h_copy(char *to, size_t cap, lethe_str s)
{
    if (s.n >= cap) abort();
    if (s.n > 0) memcpy(to, s.at, s.n);
    to[s.n] = '\0';
}

static inline lethe_err h_emit(lethe_result *out, unsigned w, const lethe_row *row)
{
    harness *h = out->pipeline;
    if (w >= lethe_ctx_threads(h->ctx)) abort();
    pthread_mutex_lock(&h->lock);
    if (h->rows.n == h->cap) {
        h->cap = h->cap * 2 + 64;
        h->rows.at = realloc(h->rows.at, h->cap * sizeof(orow));
    }
    orow *r = &h->rows.at[h->rows.n++];
    h_copy(r->owner, sizeof r->owner, row->owner);
    h_copy(r->user, sizeof r->user, row->user);
    h_copy(r->query, sizeof r->query, row->query);
    h_copy(r->url, sizeof r->url, row->url);
    r->time = row->time;
    r->rank = row->rank;
    pthread_mutex_unlock(&h->lock);
    return LETHE_OK;
}

static inline void h_drop(lethe_result *out, unsigned w, const char *reason, uint64_t n)
{
    harness *h = out->pipeline;
    if (w >= lethe_ctx_threads(h->ctx) || !*reason) abort();
    pthread_mutex_lock(&h->lock);
    h->dropped += n;
    pthread_mutex_unlock(&h->lock);
}

static inline lethe_err h_count(lethe_result *out, unsigned w, lethe_str item, uint64_t count)
{
    harness *h = out->pipeline;
    if (w >= lethe_ctx_threads(h->ctx)) abort();
    pthread_mutex_lock(&h->lock);
    if (h->n_counts == LETHE_COUNT(h->counts)) abort();
    h_copy(h->counts[h->n_counts].item, sizeof h->counts[0].item, item);
    h->counts[h->n_counts++].count = count;
    pthread_mutex_unlock(&h->lock);
    return LETHE_OK;
}

static inline void h_begin(harness *h, lethe_ctx *ctx)
{
    *h = (harness){.ctx = ctx, .doc = lethe_json_doc_new()};
    pthread_mutex_init(&h->lock, NULL);
    h->metrics = lethe_json_object(h->doc);
    h->claims = lethe_json_array(h->doc);
}

static inline void h_end(harness *h)
{
    pthread_mutex_destroy(&h->lock);
    lethe_json_doc_free(h->doc);
    o_free(&h->rows);
}

static inline void h_values(lethe_values *v, lethe_value *at, const setting *s)
{
    const char *const names[] = {"t", "by", "rare", "same", "as", "clicks"};
    const char *const texts[] = {s->t, s->by, s->rare, s->same, s->as, s->clicks};
    const lethe_option *table = lethe_method_threshold.options;
    lethe_values_init(v, table, at);
    for (size_t k = 0; k < LETHE_COUNT(names); k++) {
        for (size_t i = 0; texts[k] && table[i].name; i++) {
            if (strcmp(table[i].name, names[k]) != 0) continue;
            if (lethe_values_set(v, i, texts[k], NULL) != LETHE_OK) abort();
        }
    }
}

/* Runs it over `log`, with the small dictionary unless $WNSEARCHDIR was set since; emitted rows,
 * figures and claims are in `h` afterwards. */
static inline lethe_err h_run(harness *h, lethe_log *log, const setting *s)
{
    lethe_secret *key = NULL;
    lethe_value at[8];
    lethe_values values;
    small_wordnet();
    h_values(&values, at, s);
    lethe_err err = lethe_secret_from_seed(1, &key);
    if (err != LETHE_OK) return err;
    lethe_run run = {.ctx = h->ctx,
                     .values = &values,
                     .random = key,
                     .key = key,
                     .times = s->times,
                     .urls = s->urls,
                     .memory_bytes = s->memory_bytes ? s->memory_bytes : (uint64_t)64 << 20};
    lethe_result out = {.pipeline = h,
                        .emit = h_emit,
                        .drop = h_drop,
                        .count = h_count,
                        .doc = h->doc,
                        .metrics = h->metrics};
    err =
        lethe_method_threshold.run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = log}, &out);
    lethe_method_threshold.claims(&values, h->doc, h->claims);
    lethe_secret_free(key);
    return err;
}

/* A log whose rows have owners of their own, as an earlier step leaves it. */
static inline lethe_log *h_store(lethe_ctx *ctx, const olog *log)
{
    lethe_log *out = NULL;
    if (lethe_log_store(ctx, (uint64_t)16 << 20, &out) != LETHE_OK) abort();
    for (size_t i = 0; i < log->n; i++) {
        const orow *r = &log->at[i];
        lethe_row row = {.origin = i,
                         .owner = {r->owner, strlen(r->owner)},
                         .user = {r->user, strlen(r->user)},
                         .query = {r->query, strlen(r->query)},
                         .url = {r->url, strlen(r->url)},
                         .time = r->time,
                         .rank = r->rank};
        if (lethe_log_append(out, (unsigned)(i % lethe_ctx_threads(ctx)), &row) != LETHE_OK)
            abort();
    }
    return out;
}

static inline lethe_err h_run_rows(harness *h, const olog *log, const setting *s)
{
    lethe_log *in = h_store(h->ctx, log);
    lethe_err err = h_run(h, in, s);
    lethe_log_free(in);
    return err;
}

static inline const char *h_format(lethe_time_unit unit)
{
    static const char *const formats[] = {[LETHE_TIME_DAY] = "%Y-%m-%d",
                                          [LETHE_TIME_HOUR] = "%Y-%m-%d %H",
                                          [LETHE_TIME_EXACT] = "%Y-%m-%d %H:%M:%S",
                                          [LETHE_TIME_DROP] = ""};
    return formats[unit];
}

/* Is the claim kept by these rows, published with times of that unit?  *why goes to `doc`. */
static inline lethe_err h_check(lethe_ctx *ctx, const olog *rows, lethe_time_unit unit,
                                const lethe_json *claim, lethe_json_doc *doc, bool *holds,
                                lethe_json **why)
{
    char path[64];
    size_t n;
    int dirfd = o_folder(path);
    char *text = o_tsv(rows, h_format(unit), &n);
    o_write_published(dirfd, text, n);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    lethe_err err = lethe_notion_query_threshold.check(&p, claim, doc, holds, why);
    free(text);
    o_folder_gone(dirfd, path);
    return err;
}

static inline int64_t h_figure(const harness *h, const char *name)
{
    const lethe_json *v = lethe_json_get(h->metrics, name);
    return lethe_json_kind(v) == LETHE_JSON_INT ? lethe_json_int(v) : -1;
}

static inline bool h_is_hash(const char *s)
{
    return strlen(s) == 33 && s[0] == '#' && strspn(s + 1, "0123456789abcdef") == 32;
}

#endif
