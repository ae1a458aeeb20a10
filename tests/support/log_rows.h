/* SPDX-License-Identifier: Apache-2.0 */
/* log_rows.h - reads a log and writes down all that came of it as text: rows, counts, messages. */
#ifndef LETHE_TESTS_LOG_ROWS_H
#define LETHE_TESTS_LOG_ROWS_H
#include "model/log/log.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Text that grows.  Not by lethe_alloc, which tests make fail. */
typedef struct text {
    char *at;
    size_t n, cap;
} text;

static inline void text_put(text *t, const char *p, size_t n)
{
    if (t->n + n + 1 > t->cap) {
        t->cap = (t->n + n + 1) * 2;
        t->at = realloc(t->at, t->cap);
        if (!t->at) abort();
    }
    if (n) memcpy(t->at + t->n, p, n);
    t->n += n;
    t->at[t->n] = '\0';
}

__attribute__((format(printf, 2, 3))) static inline void text_add(text *t, const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line) abort();
    text_put(t, line, (size_t)n);
}

typedef struct seen_row {
    uint64_t origin;
    char *text;
} seen_row;

/* What came of a walk. */
typedef struct outcome {
    lethe_err err;
    lethe_read_counts counts;
    text rows;     /* origin|user|query|time|rank|url (of an object =id), by origin */
    text messages; /* severity file:line:column text [content] */
    uint64_t n_blocks, max_block;
    seen_row *seen;
    size_t n_seen, cap_seen;
    bool in_order; /* the rows came by rising origin */
    bool show_content;
    bool fail_in_row; /* the visitor fails at the row with this origin */
    uint64_t fail_at;
    pthread_mutex_t lock;
} outcome;

static inline void outcome_message(void *arg, const lethe_message *m)
{
    outcome *o = arg;
    text_add(&o->messages, "%c ", "EWND"[m->severity]);
    if (m->file)
        text_add(&o->messages, "%s:%llu:%u ", m->file, (unsigned long long)m->line, m->column);
    const char *said = strcmp(m->text, lethe_time_forms) == 0 ? "(forms of times)" : m->text;
    text_put(&o->messages, said, strlen(said));
    if (o->show_content && m->content.n > 0) {
        text_put(&o->messages, " [", 2);
        text_put(&o->messages, m->content.at, m->content.n);
        text_put(&o->messages, "]", 1);
    }
    text_put(&o->messages, "\n", 1);
}

static inline void row_text(text *t, const lethe_row *r)
{
    char time[20];
    size_t n = lethe_time_format(r->time, LETHE_TIME_EXACT, time);
    text_put(t, r->user.at, r->user.n);
    if (!lethe_str_eq(r->user, r->owner)) {
        text_put(t, "<", 1);
        text_put(t, r->owner.at, r->owner.n);
    }
    text_put(t, "|", 1);
    text_put(t, r->query.at, r->query.n);
    text_put(t, "|", 1);
    text_put(t, time, n);
    if (r->rank == LETHE_NO_RANK)
        text_put(t, "||", 2);
    else
        text_add(t, "|%u|", r->rank);
    if (lethe_is_object(r->url)) text_put(t, "=", 1);
    lethe_str url = lethe_is_object(r->url) ? lethe_object_id(r->url) : r->url;
    text_put(t, url.at, url.n);
    if (r->kept.n > 0) text_put(t, "|", 1);
    for (size_t i = 0; i < r->kept.n; i++)
        text_put(t, r->kept.at[i] == '\t' ? "|" : &r->kept.at[i], 1);
}

static inline lethe_err outcome_row(void *arg, unsigned w, const lethe_row *row)
{
    outcome *o = arg;
    text t = {0};
    (void)w;
    if (o->fail_in_row && row->origin == o->fail_at) return LETHE_ANSWER_NO;
    row_text(&t, row);
    pthread_mutex_lock(&o->lock);
    if (o->n_seen == o->cap_seen) {
        o->cap_seen = o->cap_seen * 2 + 64;
        o->seen = realloc(o->seen, o->cap_seen * sizeof *o->seen);
        if (!o->seen) abort();
    }
    o->seen[o->n_seen++] = (seen_row){row->origin, t.at};
    pthread_mutex_unlock(&o->lock);
    return LETHE_OK;
}

static inline lethe_err outcome_block(void *arg, unsigned w, uint64_t block)
{
    outcome *o = arg;
    (void)w;
    pthread_mutex_lock(&o->lock);
    o->n_blocks++;
    o->max_block = LETHE_MAX(o->max_block, block);
    pthread_mutex_unlock(&o->lock);
    return LETHE_OK;
}

static inline int seen_by_origin(const void *a, const void *b)
{
    const seen_row *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return strcmp(x->text, y->text);
}

static inline void outcome_begin(outcome *o)
{
    *o = (outcome){0};
    pthread_mutex_init(&o->lock, NULL);
    text_put(&o->rows, "", 0);
    text_put(&o->messages, "", 0);
}

/* Walks, and turns the rows into text. */
static inline void outcome_walk(outcome *o, lethe_ctx *ctx, lethe_log *log)
{
    o->err = lethe_log_walk(ctx, log, &(lethe_row_visitor){outcome_row, outcome_block, o});
    o->counts = *lethe_log_counts(log);
    o->in_order = true;
    for (size_t i = 1; i < o->n_seen; i++)
        o->in_order &= o->seen[i - 1].origin < o->seen[i].origin;
    if (o->n_seen > 0) qsort(o->seen, o->n_seen, sizeof *o->seen, seen_by_origin);
    for (size_t i = 0; i < o->n_seen; i++) {
        text_add(&o->rows, "%llu|", (unsigned long long)o->seen[i].origin);
        text_put(&o->rows, o->seen[i].text, strlen(o->seen[i].text));
        text_put(&o->rows, "\n", 1);
    }
}

static inline void outcome_end(outcome *o)
{
    for (size_t i = 0; i < o->n_seen; i++)
        free(o->seen[i].text);
    free(o->seen);
    free(o->rows.at);
    free(o->messages.at);
    pthread_mutex_destroy(&o->lock);
}

static inline lethe_ctx *outcome_ctx(outcome *o, unsigned threads, uint64_t memory)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {
        .n_threads = threads, .memory_bytes = memory, .on_message = outcome_message, .user = o};
    return lethe_ctx_new(&s, &ctx) == LETHE_OK ? ctx : NULL;
}

/* All of it for bytes in memory. */
static inline void outcome_of(outcome *o, lethe_str bytes, const lethe_read_options *reading,
                              unsigned threads)
{
    lethe_ctx *ctx = outcome_ctx(o, threads, (uint64_t)1 << 20); // small, so blocks are too
    lethe_log *log = NULL;
    if (!ctx) {
        o->err = LETHE_ENOMEM;
        return;
    }
    o->err = lethe_log_memory(ctx, bytes, reading, &log);
    if (o->err == LETHE_OK) outcome_walk(o, ctx, log);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
}

#endif
