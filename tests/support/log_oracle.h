/* SPDX-License-Identifier: Apache-2.0 */
/* log_oracle.h - random small logs, and what is true of them, counted the slow way: every pair of
 * rows is looked at.  Shares no code with the library. */
#ifndef LETHE_TESTS_LOG_ORACLE_H
#define LETHE_TESTS_LOG_ORACLE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
#include "lethe/context.h"
#include "model/data.h"

typedef struct orow {
    char owner[128], user[128], query[64], url[64];
    int64_t time; /* LETHE_NO_TIME: none */
    uint32_t rank;
} orow;

typedef struct olog {
    orow *at;
    size_t n;
} olog;

static inline uint64_t o_next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline size_t o_below(uint64_t *seed, size_t n) { return (size_t)(o_next(seed) % n); }

/* --- logs --- */

typedef struct oshape {
    size_t n_rows, n_users, n_texts, n_urls, n_days, n_seconds;
} oshape;

static inline oshape o_small_shape(uint64_t *seed)
{
    return (oshape){1 + o_below(seed, 40), 1 + o_below(seed, 8), 1 + o_below(seed, 12),
                    1 + o_below(seed, 5),  1 + o_below(seed, 4), 1 + o_below(seed, 3)};
}

static inline void o_text(char *out, size_t cap, size_t number)
{
    static const char *const odd[] = {"a",
                                      "ab",
                                      "a b",
                                      "jarrett arnold",
                                      "b a",
                                      "60 single men",
                                      "#0123456789abcdef0123456789abcdef",
                                      "\xc3\xa9t\xc3\xa9",
                                      "ab a",
                                      "zz"};
    size_t n = sizeof odd / sizeof *odd;
    if (number < n)
        snprintf(out, cap, "%s", odd[number]);
    else
        snprintf(out, cap, "text %zu of many", number);
}

/* Rows in no order but that some follow each other as clicks of one query do. */
static inline olog o_log(uint64_t *seed, oshape s)
{
    olog log = {calloc(s.n_rows, sizeof(orow)), s.n_rows};
    for (size_t i = 0; i < s.n_rows; i++) {
        orow *r = &log.at[i];
        if (i > 0 && o_below(seed, 4) == 0) {
            *r = log.at[i - 1];
        } else {
            size_t a = o_below(seed, s.n_texts), b = o_below(seed, s.n_texts);
            snprintf(r->user, sizeof r->user, "%zu", 100 + o_below(seed, s.n_users));
            snprintf(r->owner, sizeof r->owner, "%s", r->user);
            o_text(r->query, sizeof r->query, a < b ? a : b);
            r->time = 1141171200 + (int64_t)o_below(seed, s.n_days) * 86400 * 32 +
                      (int64_t)(o_below(seed, s.n_seconds) * 1800);
        }
        r->url[0] = '\0';
        r->rank = LETHE_NO_RANK;
        if (o_below(seed, 2)) {
            snprintf(r->url, sizeof r->url, "http://www.%zu.com", o_below(seed, s.n_urls));
            r->rank = 1 + (uint32_t)o_below(seed, 9);
        }
    }
    return log;
}

static inline void o_free(olog *log)
{
    free(log->at);
    log->at = NULL;
}

/* A line of a log file; `format` for strftime, "" for no time. */
static inline void o_line(FILE *f, const orow *r, const char *format)
{
    char when[32] = "", rank[16] = "";
    struct tm tm;
    time_t t = (time_t)r->time;
    if (r->time != LETHE_NO_TIME && *format) strftime(when, sizeof when, format, gmtime_r(&t, &tm));
    if (r->rank != LETHE_NO_RANK) snprintf(rank, sizeof rank, "%u", r->rank);
    fprintf(f, "%s\t%s\t%s\t%s\t%s\n", r->user, r->query, when, rank, r->url);
}

/* The whole file, malloc'd. */
static inline char *o_tsv(const olog *log, const char *format, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (size_t i = 0; i < log->n; i++)
        o_line(f, &log->at[i], format);
    fclose(f);
    return text;
}

/* --- counting the slow way --- */

typedef struct ocount {
    size_t rows, users, queries;
} ocount;

static inline bool o_same_query(const orow *a, const orow *b)
{
    return strcmp(a->query, b->query) == 0 && strcmp(a->user, b->user) == 0 && a->time == b->time;
}

/* Rows, users, queries of a text; `person` counts owners and not users. */
static inline ocount o_count(const olog *log, const char *query, bool person)
{
    ocount c = {0};
    for (size_t i = 0; i < log->n; i++) {
        const orow *r = &log->at[i];
        bool new_user = true, new_query = true;
        if (strcmp(r->query, query) != 0) continue;
        for (size_t j = 0; j < i; j++) {
            const orow *q = &log->at[j];
            if (strcmp(q->query, query) != 0) continue;
            bool same = person ? strcmp(q->owner, r->owner) == 0 : strcmp(q->user, r->user) == 0;
            if (same) new_user = false;
            if (o_same_query(q, r) && (!person || same)) new_query = false;
        }
        c.rows++;
        c.users += new_user;
        c.queries += new_query;
    }
    return c;
}

static inline bool o_first_text(const olog *log, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(log->at[j].query, log->at[i].query) == 0) return false;
    return true;
}

static inline bool o_first_user(const olog *log, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(log->at[j].user, log->at[i].user) == 0) return false;
    return true;
}

/* --- contexts and folders --- */

static inline lethe_ctx *o_ctx(unsigned n_threads, uint64_t memory_bytes)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.n_threads = n_threads, .memory_bytes = memory_bytes};
    if (lethe_ctx_new(&s, &ctx) != LETHE_OK) abort();
    return ctx;
}

/* A new folder; returns its descriptor. */
static inline int o_folder(char path[64])
{
    snprintf(path, 64, "/tmp/lethe-test-XXXXXX");
    if (!mkdtemp(path)) abort();
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) abort();
    return fd;
}

static inline void o_write(int dirfd, const char *name, const char *text, size_t n)
{
    int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, n) != (ssize_t)n) abort();
    close(fd);
}

static inline int o_by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Writes data.tsv with the lines below its first one sorted, as a release has them.  A last line
 * without LF stays where it is. */
static inline void o_write_published(int dirfd, const char *text, size_t n)
{
    char *copy = malloc(n + 1), *out = malloc(n + 1), **lines = malloc((n + 1) * sizeof *lines);
    if (!copy || !out || !lines) abort();
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *first = memchr(copy, '\n', n);
    size_t n_lines = 0, used = first ? (size_t)(first - copy) + 1 : n;
    memcpy(out, copy, used);
    char *at = copy + used;
    for (char *lf; (lf = strchr(at, '\n')); at = lf + 1) {
        *lf = '\0';
        lines[n_lines++] = at;
    }
    qsort(lines, n_lines, sizeof *lines, o_by_bytes);
    for (size_t i = 0; i < n_lines; i++)
        used += (size_t)sprintf(out + used, "%s\n", lines[i]);
    memcpy(out + used, at, (size_t)(copy + n - at));
    o_write(dirfd, "data.tsv", out, n);
    free(copy);
    free(out);
    free(lines);
}

static inline void o_folder_gone(int dirfd, const char *path)
{
    unlinkat(dirfd, "data.tsv", 0);
    close(dirfd);
    rmdir(path);
}

#endif
