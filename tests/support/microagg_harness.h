/* SPDX-License-Identifier: Apache-2.0 */
/* microagg_harness.h - the method microagg run by itself: its rows are collected, what it keeps and
 * drops is counted, and what it gives can be written as a release's data and checked. */
#ifndef LETHE_TESTS_MICROAGG_HARNESS_H
#define LETHE_TESTS_MICROAGG_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "log_oracle.h"
#include "small_wordnet.h"
#include "check/check.h"
#include "io/json/json.h"
#include "method/method.h"

enum { H_REASONS = 16 };

typedef struct harness {
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *metrics, *claims;
    pthread_mutex_t lock;
    olog rows; /* what was emitted */
    size_t cap;
    uint64_t kept, dropped;
    const char *reason[H_REASONS];
    uint64_t by_reason[H_REASONS];
} harness;

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
    size_t i = 0;
    if (w >= lethe_ctx_threads(h->ctx) || !*reason) abort();
    pthread_mutex_lock(&h->lock);
    while (h->reason[i] && strcmp(h->reason[i], reason) != 0)
        if (++i == H_REASONS) abort();
    h->reason[i] = reason;
    h->by_reason[i] += n;
    h->dropped += n;
    pthread_mutex_unlock(&h->lock);
}

static inline void h_keep(lethe_result *out, unsigned w, uint64_t n)
{
    harness *h = out->pipeline;
    if (w >= lethe_ctx_threads(h->ctx)) abort();
    pthread_mutex_lock(&h->lock);
    h->kept += n;
    pthread_mutex_unlock(&h->lock);
}

static inline uint64_t h_dropped(const harness *h, const char *part_of_reason)
{
    uint64_t n = 0;
    for (size_t i = 0; i < H_REASONS && h->reason[i]; i++)
        if (strstr(h->reason[i], part_of_reason)) n += h->by_reason[i];
    return n;
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

/* "k=2 levels=auto": as a command line would set them; a flag is set by 1. */
typedef struct h_options {
    lethe_value at[16];
    lethe_values values;
    char words[512];
} h_options;

static inline void h_set(h_options *o, const char *text)
{
    char *save = NULL;
    lethe_values *v = &o->values;
    lethe_values_init(v, lethe_method_microagg.options, o->at);
    if (strlen(text) >= sizeof o->words) abort();
    strcpy(o->words, text);
    for (char *word = strtok_r(o->words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(word, '=');
        size_t i = 0;
        if (!eq) abort();
        *eq = '\0';
        while (i < v->n && strcmp(v->table[i].name, word) != 0)
            i++;
        if (i == v->n || lethe_values_set(v, i, eq + 1, NULL) != LETHE_OK) abort();
    }
}

/* A file with these lines, for --directory; the caller removes it. */
static inline void h_directory(const char *lines, char path[64])
{
    strcpy(path, "/tmp/lethe-directory-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, lines, strlen(lines)) != (ssize_t)strlen(lines)) abort();
    close(fd);
}

typedef struct h_how {
    const char *options, *directory; /* `directory`: the file's path */
    uint64_t seed, memory_bytes;
    const lethe_json *claims; /* of the steps before */
} h_how;

static inline lethe_err h_run(harness *h, lethe_log *log, const h_how *how)
{
    lethe_secret *key = NULL;
    h_options o;
    char options[400];
    small_wordnet();
    snprintf(options, sizeof options, "%s directory=%s", how->options, how->directory);
    h_set(&o, options);
    if (lethe_secret_from_seed(how->seed, &key) != LETHE_OK) return LETHE_ENOMEM;
    lethe_run run = {.ctx = h->ctx,
                     .values = &o.values,
                     .random = key,
                     .key = key,
                     .claims = how->claims,
                     .memory_bytes = how->memory_bytes ? how->memory_bytes : (uint64_t)64 << 20};
    lethe_result out = {.pipeline = h,
                        .emit = h_emit,
                        .drop = h_drop,
                        .keep = h_keep,
                        .doc = h->doc,
                        .metrics = h->metrics};
    lethe_err err =
        lethe_method_microagg.run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = log}, &out);
    lethe_method_microagg.claims(&o.values, h->doc, h->claims);
    lethe_secret_free(key);
    return err;
}

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

static inline lethe_err h_run_rows(harness *h, const olog *log, const h_how *how)
{
    lethe_log *in = h_store(h->ctx, log);
    lethe_err err = h_run(h, in, how);
    lethe_log_free(in);
    return err;
}

static inline int64_t h_figure(const harness *h, const char *name)
{
    const lethe_json *v = lethe_json_get(h->metrics, name);
    return lethe_json_kind(v) == LETHE_JSON_INT ? lethe_json_int(v) : -1;
}

static inline int h_by_all(const void *a, const void *b)
{
    const orow *x = a, *y = b;
    int c = strcmp(x->user, y->user);
    if (!c) c = strcmp(x->query, y->query);
    if (!c) c = strcmp(x->owner, y->owner);
    if (!c) c = strcmp(x->url, y->url);
    if (!c) c = (x->time > y->time) - (x->time < y->time);
    return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}
static inline void h_sort(olog *rows)
{
    if (rows->n > 1) qsort(rows->at, rows->n, sizeof(orow), h_by_all);
}

/* Is the i-th claim kept by the rows, as published? */
static inline bool h_holds(const harness *h, size_t i)
{
    char path[64];
    size_t n;
    bool holds = false;
    lethe_json *why = NULL;
    const lethe_json *claim = lethe_json_at(h->claims, i);
    const lethe_notion *notion =
        lethe_notion_find(lethe_json_text(lethe_json_get(claim, "notion")));
    int dirfd = o_folder(path);
    char *text = o_tsv(&h->rows, "", &n);
    o_write_published(dirfd, text, n);
    lethe_published p = {.ctx = h->ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    lethe_err err = notion->check(&p, claim, h->doc, &holds, &why);
    free(text);
    o_folder_gone(dirfd, path);
    return err == LETHE_OK && holds;
}

#endif
