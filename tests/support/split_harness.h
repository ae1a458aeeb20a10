/* SPDX-License-Identifier: Apache-2.0 */
/* split_harness.h - the method split run by itself, and what it should do, the slow way: every
 * query of a user compared with every earlier one.  Words, distances and results are done anew
 * here. */
#ifndef LETHE_TESTS_SPLIT_HARNESS_H
#define LETHE_TESTS_SPLIT_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <pthread.h>
#include "log_oracle.h"
#include "check/check.h"
#include "core/ctx.h"
#include "io/json/json.h"
#include "method/method.h"
#include "model/knowledge/results.h"

/* --- similarity by its definition, for texts of ASCII and whatever else as letters --- */

typedef struct sim {
    uint64_t edit, overlap; /* in millionths */
} sim;

static inline size_t s_symbols(const char *s, uint32_t *out)
{
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        if ((*p & 0xC0) == 0x80)
            out[n - 1] = out[n - 1] << 8 | *p;
        else
            out[n++] = *p;
    }
    return n;
}

static inline bool s_near(const char *a, const char *b, uint64_t edit)
{
    uint32_t x[256], y[256], row[257];
    size_t n = s_symbols(a, x), m = s_symbols(b, y);
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t best = diagonal + (x[i - 1] != y[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m] * UINT64_C(1000000) <= edit * (n > m ? n : m);
}

static inline bool s_part(const char *p) { return isalnum((unsigned char)*p) || (*p & 0x80); }

/* The i-th distinct word of s; its length, 0 where there is none. */
static inline size_t s_word(const char *s, size_t i, const char **at);

static inline bool s_has(const char *s, const char *before, const char *word, size_t n)
{
    for (const char *p = s; *p && p < before;) {
        size_t len = 0;
        while (s_part(p + len))
            len++;
        if (len == n && n > 0 && memcmp(p, word, n) == 0) return true;
        p += len ? len : 1;
    }
    return false;
}

static inline size_t s_word(const char *s, size_t i, const char **at)
{
    for (const char *p = s; *p;) {
        size_t len = 0;
        while (s_part(p + len))
            len++;
        if (len > 0 && !s_has(s, p, p, len) && i-- == 0) {
            *at = p;
            return len;
        }
        p += len ? len : 1;
    }
    return 0;
}

static inline bool s_overlap(const char *a, const char *b, uint64_t overlap)
{
    size_t n = 0, m = 0, common = 0, len;
    const char *w;
    for (; (len = s_word(a, n, &w)) > 0; n++)
        common += s_has(b, b + strlen(b), w, len);
    while (s_word(b, m, &w) > 0)
        m++;
    size_t all = n + m - common;
    return all > 0 && common * UINT64_C(1000000) >= overlap * all;
}

static inline bool s_similar(const char *a, const char *b, sim how)
{
    return strcmp(a, b) == 0 || s_near(a, b, how.edit) || s_overlap(a, b, how.overlap);
}

/* --- the method --- */

typedef struct split_setting {
    const char *by, *gap, *results, *top, *edit, *overlap; /* NULL: the default */
    uint64_t memory_bytes, seed;
    unsigned threads;
} split_setting;

typedef struct split_run {
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *metrics, *claims;
    pthread_mutex_t lock;
    const olog *in;
    char (*names)[17]; /* of each row's persona, by origin; empty: not emitted */
    size_t n_emitted;
    bool changed; /* a row came out with something but its user changed */
} split_run;

static inline bool s_is(lethe_str s, const char *t)
{
    return s.n == strlen(t) && (s.n == 0 || memcmp(s.at, t, s.n) == 0);
}

static inline lethe_err s_emit(lethe_result *out, unsigned w, const lethe_row *row)
{
    split_run *h = out->pipeline;
    if (w >= lethe_ctx_threads(h->ctx) || row->origin >= h->in->n) abort();
    const orow *r = &h->in->at[row->origin];
    pthread_mutex_lock(&h->lock);
    h->changed = h->changed || !s_is(row->owner, r->owner) || !s_is(row->query, r->query) ||
                 !s_is(row->url, r->url) || row->time != r->time || row->rank != r->rank ||
                 row->user.n != 16 || h->names[row->origin][0];
    if (row->user.n == 16) memcpy(h->names[row->origin], row->user.at, 16);
    h->n_emitted++;
    pthread_mutex_unlock(&h->lock);
    return LETHE_OK;
}

static inline void s_drop(lethe_result *out, unsigned w, const char *reason, uint64_t n)
{
    (void)out, (void)w, (void)reason, (void)n;
    abort(); /* no row is left out */
}

static inline void s_values(lethe_values *v, lethe_value *at, const split_setting *s)
{
    const char *const names[] = {"by", "gap", "results", "top", "edit", "overlap"};
    const char *const texts[] = {s->by, s->gap, s->results, s->top, s->edit, s->overlap};
    const lethe_option *table = lethe_method_split.options;
    lethe_values_init(v, table, at);
    for (size_t k = 0; k < LETHE_COUNT(names); k++)
        for (size_t i = 0; texts[k] && table[i].name; i++)
            if (strcmp(table[i].name, names[k]) == 0 &&
                lethe_values_set(v, i, texts[k], NULL) != LETHE_OK)
                abort();
}

static inline lethe_log *s_store(lethe_ctx *ctx, const olog *log)
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

static inline void s_begin(split_run *h, lethe_ctx *ctx, const olog *in)
{
    *h = (split_run){.ctx = ctx, .doc = lethe_json_doc_new(), .in = in};
    pthread_mutex_init(&h->lock, NULL);
    h->metrics = lethe_json_object(h->doc);
    h->claims = lethe_json_array(h->doc);
    h->names = calloc(in->n + 1, sizeof *h->names);
}

static inline void s_end(split_run *h)
{
    pthread_mutex_destroy(&h->lock);
    lethe_json_doc_free(h->doc);
    free(h->names);
}

/* Over a log that is already stored; `h` was begun. */
static inline lethe_err s_run_log(split_run *h, lethe_log *log, const split_setting *s)
{
    lethe_secret *key = NULL;
    lethe_value at[8];
    lethe_values values;
    s_values(&values, at, s);
    lethe_err err = lethe_secret_from_seed(s->seed ? s->seed : 1, &key);
    if (err != LETHE_OK) return err;
    lethe_run run = {.ctx = h->ctx,
                     .values = &values,
                     .random = key,
                     .key = key,
                     .memory_bytes = s->memory_bytes ? s->memory_bytes : (uint64_t)64 << 20};
    lethe_result out = {
        .pipeline = h, .emit = s_emit, .drop = s_drop, .doc = h->doc, .metrics = h->metrics};
    err = lethe_method_split.run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = log}, &out);
    lethe_method_split.claims(&values, h->doc, h->claims);
    lethe_secret_free(key);
    return err;
}

static inline lethe_err s_run(split_run *h, const olog *in, const split_setting *s)
{
    s_begin(h, o_ctx(s->threads ? s->threads : 2, 0), in);
    lethe_log *log = s_store(h->ctx, in);
    lethe_err err = s_run_log(h, log, s);
    lethe_log_free(log);
    return err;
}

static inline void s_end_all(split_run *h)
{
    lethe_ctx_free(h->ctx);
    s_end(h);
}

static inline int64_t s_figure(const split_run *h, const char *name)
{
    const lethe_json *v = lethe_json_get(h->metrics, name);
    return lethe_json_kind(v) == LETHE_JSON_INT ? lethe_json_int(v) : -1;
}

/* Does the checker find that the rows, with their personas for users, keep the claim? */
static inline lethe_err s_check(lethe_ctx *ctx, const olog *in, char (*names)[17],
                                lethe_time_unit unit, const lethe_json *claim, const char *results,
                                bool *holds)
{
    static const char *const formats[] = {[LETHE_TIME_DAY] = "%Y-%m-%d",
                                          [LETHE_TIME_HOUR] = "%Y-%m-%d %H",
                                          [LETHE_TIME_EXACT] = "%Y-%m-%d %H:%M:%S",
                                          [LETHE_TIME_DROP] = ""};
    char path[64];
    size_t n;
    int dirfd = o_folder(path);
    olog out = {calloc(in->n + 1, sizeof(orow)), in->n};
    for (size_t i = 0; i < in->n; i++) {
        out.at[i] = in->at[i];
        snprintf(out.at[i].user, sizeof out.at[i].user, "%s", names[i]);
    }
    char *text = o_tsv(&out, formats[unit], &n);
    o_write_published(dirfd, text, n);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *why = NULL;
    lethe_log_form form = {.any_user = true, .times = unit, .urls = LETHE_URL_ANY};
    lethe_results *read = NULL;
    if (results && lethe_results_read(ctx, results, &read) != LETHE_OK) abort();
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG, .form = &form, .results = read};
    lethe_err err = lethe_notion_personas.check(&p, claim, doc, holds, &why);
    if (err == LETHE_OK && *holds != (why == NULL)) abort();
    lethe_results_free(read);
    lethe_json_doc_free(doc);
    free(text);
    o_free(&out);
    o_folder_gone(dirfd, path);
    return err;
}

#endif
