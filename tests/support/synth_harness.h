/* SPDX-License-Identifier: Apache-2.0 */
/* synth_harness.h - a synthetic log in memory, taken apart without the library's own reader, and
 * its figures counted by definition. */
#ifndef LETHE_TESTS_SYNTH_HARNESS_H
#define LETHE_TESTS_SYNTH_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "app/synth/synth.h"
#include "core/dict.h"
#include "core/mem.h"
#include "text/words.h"

/* One query: lines of one user with the same text and time. */
typedef struct squery {
    uint32_t user, text;
    lethe_str when;
    uint32_t n_lines, n_clicks;
} squery;

typedef struct slog {
    char *bytes, *truth;
    size_t n_bytes, n_truth;
    lethe_synth_counts counts;
    lethe_dict *users, *texts;
    squery *at;
    size_t n, n_lines;
} slog;

static inline char *s_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) abort();
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *bytes = malloc((size_t)size + 1);
    if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size) abort();
    bytes[size] = '\0';
    fclose(f);
    *n = (size_t)size;
    return bytes;
}

/* Which generator. */
static unsigned s_version = 2;

/* Writes log and truth to two new files of this folder. */
static inline lethe_err s_write(lethe_ctx *ctx, const lethe_wordnet *wn, uint64_t seed,
                                uint64_t users, double queries, const char *log, const char *truth,
                                lethe_synth_counts *counts)
{
    lethe_secret *random = NULL;
    lethe_sink *a = NULL, *b = NULL;
    lethe_err e = lethe_secret_from_seed(seed, &random);
    if (e == LETHE_OK) e = lethe_sink_open(NULL, log, LETHE_SINK_REPLACE, 0600, &a);
    if (e == LETHE_OK && truth) e = lethe_sink_open(NULL, truth, LETHE_SINK_REPLACE, 0600, &b);
    lethe_synth how = {
        .version = s_version, .n_users = users, .queries_per_user = queries, .random = random};
    lethe_synth_sinks to = {.log = a, .truth = b};
    if (e == LETHE_OK) e = lethe_synth_write(ctx, wn, &how, &to, counts);
    if (e == LETHE_OK) {
        e = lethe_sink_commit(a);
        a = NULL;
        if (e == LETHE_OK && b) {
            e = lethe_sink_commit(b);
            b = NULL;
        }
    }
    lethe_sink_abort(a);
    lethe_sink_abort(b);
    lethe_secret_free(random);
    return e;
}

/* The next of the bytes before `end`, up to `stop`, which is skipped. */
static inline lethe_str s_until(const char **at, const char *end, char stop)
{
    const char *from = *at, *hit = memchr(from, stop, (size_t)(end - from));
    if (!hit) abort();
    *at = hit + 1;
    return (lethe_str){from, (size_t)(hit - from)};
}

static inline void s_parse(slog *s)
{
    const char *at = s->bytes, *end = s->bytes + s->n_bytes;
    lethe_str header = s_until(&at, end, '\n'), last_when = {0};
    if (!lethe_str_eq(header, LETHE_LIT("AnonID\tQuery\tQueryTime\tItemRank\tClickURL"))) abort();
    s->users = lethe_dict_new();
    s->texts = lethe_dict_new();
    size_t cap = 0;
    while (at < end) {
        uint32_t user, text;
        if (lethe_dict_add(s->users, s_until(&at, end, '\t'), &user) != LETHE_OK ||
            lethe_dict_add(s->texts, s_until(&at, end, '\t'), &text) != LETHE_OK)
            abort();
        lethe_str when = s_until(&at, end, '\t'), rank = s_until(&at, end, '\t'),
                  url = s_until(&at, end, '\n');
        if ((rank.n == 0) != (url.n == 0)) abort();
        squery *q = s->n ? &s->at[s->n - 1] : NULL;
        if (!q || q->user != user || q->text != text || !lethe_str_eq(when, last_when)) {
            if (s->n == cap && !(s->at = realloc(s->at, (cap = 2 * cap + 1024) * sizeof *s->at)))
                abort();
            q = &s->at[s->n++];
            *q = (squery){.user = user, .text = text, .when = when};
        }
        last_when = when;
        q->n_lines++;
        q->n_clicks += url.n > 0;
        s->n_lines++;
    }
}

static inline slog s_make(lethe_ctx *ctx, const lethe_wordnet *wn, uint64_t seed, uint64_t users,
                          double queries)
{
    slog s = {0};
    char log[] = "/tmp/lethe-synth-log-XXXXXX", truth[] = "/tmp/lethe-synth-truth-XXXXXX";
    int fds[] = {mkstemp(log), mkstemp(truth)};
    if (fds[0] < 0 || fds[1] < 0) abort();
    lethe_err e = s_write(ctx, wn, seed, users, queries, log, truth, &s.counts);
    if (e != LETHE_OK) abort();
    s.bytes = s_read(log, &s.n_bytes);
    s.truth = s_read(truth, &s.n_truth);
    for (int i = 0; i < 2; i++)
        close(fds[i]);
    unlink(log);
    unlink(truth);
    s_parse(&s);
    return s;
}

static inline void s_free(slog *s)
{
    free(s->bytes);
    free(s->truth);
    free(s->at);
    lethe_dict_free(s->users);
    lethe_dict_free(s->texts);
}

typedef struct sfigures {
    double once, le3, unique, nouns, t2, t3, t5, terms, rows, clicks, texts, queries, q2, q4;
} sfigures;

static inline int s_by_text_and_user(const void *a, const void *b)
{
    const squery *x = a, *y = b;
    if (x->text != y->text) return x->text < y->text ? -1 : 1;
    return (x->user > y->user) - (x->user < y->user);
}

/* Words and nouns of a text (words.h, wordnet.h). */
static inline void s_words(const lethe_wordnet *wn, lethe_str text, double *words, double *nouns)
{
    lethe_words w = lethe_words_of(text);
    lethe_word word;
    *words = *nouns = 0;
    while (lethe_words_next(&w, &word)) {
        if (word.mask) continue;
        *words += 1;
        *nouns += lethe_wordnet_reduce(wn, word.text) != LETHE_NONE;
    }
}

/* By the definitions of `lethe profile` (src/measure/profile.c). */
static inline sfigures s_figures(const slog *s, const lethe_wordnet *wn)
{
    sfigures f = {.rows = (double)s->n_lines, .queries = (double)s->n};
    squery *at = malloc((s->n + 1) * sizeof *at);
    bool *alone = calloc(lethe_dict_count(s->users) + 1, sizeof *alone);
    if (!at || !alone) abort();
    memcpy(at, s->at, s->n * sizeof *at);
    qsort(at, s->n, sizeof *at, s_by_text_and_user);
    double all_words = 0, all_nouns = 0;
    for (size_t i = 0, end; i < s->n; i = end) {
        size_t n_users = 1;
        for (end = i + 1; end < s->n && at[end].text == at[i].text; end++)
            n_users += at[end].user != at[end - 1].user;
        double n = (double)(end - i), words, nouns;
        lethe_str text = lethe_dict_at(s->texts, at[i].text);
        s_words(wn, text, &words, &nouns);
        all_words += words * n;
        all_nouns += nouns * n;
        double terms = 1;
        for (size_t k = 0; k < text.n; k++)
            terms += text.at[k] == ' ';
        f.terms += terms * n;
        f.texts++;
        f.once += n == 1;
        f.le3 += n <= 3;
        f.t2 += n_users >= 2 ? n : 0;
        f.t3 += n_users >= 3 ? n : 0;
        f.t5 += n_users >= 5 ? n : 0;
        if (n_users == 1) alone[at[i].user] = true;
    }
    for (size_t i = 0; i < s->n; i++)
        f.clicks += at[i].n_clicks;
    for (size_t u = 0; u < lethe_dict_count(s->users); u++)
        f.unique += alone[u];
    f.unique /= (double)lethe_dict_count(s->users);
    f.once /= f.texts;
    f.le3 /= f.texts;
    f.t2 /= f.queries;
    f.t3 /= f.queries;
    f.t5 /= f.queries;
    f.terms /= f.queries;
    f.nouns = all_nouns / all_words;
    free(at);
    free(alone);
    return f;
}

#endif
