/* SPDX-License-Identifier: Apache-2.0 */
/* How much faster is the search for the first similar text than comparing with every earlier one?
 *
 *   bench_split LOG [TEXTS]
 *
 * The first TEXTS (20000) distinct query texts of the log are taken for one user's, the heaviest
 * there is, with the URLs clicked for them as results.  CPU time of the search for a quarter, a
 * half and all of them, and of the quadratic scan (Adar, section 6) for all; both must give the
 * same answers.  Then the same of texts that are hard to tell apart: telephone numbers, and texts
 * of sixty words of the log.  One JSON line. */
#include "method/log/similar.h"
#include "model/log/log.h"
#include "text/distance.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST_RESULTS = 8 };

struct texts {
    lethe_dict *dict;
    size_t want;
    uint64_t (*results)[MOST_RESULTS];
    size_t *n_results;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct texts *t = arg;
    uint32_t id = lethe_dict_find(t->dict, row->query);
    (void)w;
    if (id == LETHE_NONE && lethe_dict_count(t->dict) == t->want) return LETHE_OK;
    LETHE_TRY(lethe_dict_add(t->dict, row->query, &id));
    if (row->url.n > 0 && t->n_results[id] < MOST_RESULTS)
        t->results[id][t->n_results[id]++] = XXH3_64bits(row->url.at, row->url.n);
    return LETHE_OK;
}

static double search(const struct texts *t, size_t n, uint32_t *first)
{
    double start = now();
    lethe_similar *s = lethe_similar_new(0.2, 0.5);
    if (!s) exit(4);
    for (size_t i = 0; i < n; i++) {
        uint32_t index;
        if (lethe_similar_add(s, lethe_dict_at(t->dict, (uint32_t)i), t->results[i],
                              t->n_results[i], &index, &first[i]) != LETHE_OK)
            exit(4);
    }
    lethe_similar_free(s);
    return now() - start;
}

static bool share_result(const struct texts *t, size_t i, size_t j)
{
    for (size_t a = 0; a < t->n_results[i]; a++)
        for (size_t b = 0; b < t->n_results[j]; b++)
            if (t->results[i][a] == t->results[j][b]) return true;
    return false;
}

static bool are_similar(const struct texts *t, size_t i, size_t j, lethe_distance_scratch *tmp)
{
    lethe_str a = lethe_dict_at(t->dict, (uint32_t)i), b = lethe_dict_at(t->dict, (uint32_t)j);
    uint32_t common, all;
    bool near;
    if (share_result(t, i, j)) return true;
    if (lethe_edit_within(a, b, 0.2, tmp, &near) != LETHE_OK) exit(4);
    if (near) return true;
    if (lethe_jaccard(a, b, tmp, &common, &all) != LETHE_OK) exit(4);
    return all > 0 && 2 * common >= all;
}

static double scan(const struct texts *t, size_t n, uint32_t *first)
{
    double start = now();
    lethe_distance_scratch tmp = {0};
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < i && !are_similar(t, i, j, &tmp))
            j++;
        first[i] = j < i ? (uint32_t)j : LETHE_NONE;
    }
    lethe_distance_scratch_free(&tmp);
    return now() - start;
}

/* What is given back to lethe_dict_free, and to free. */
static bool texts_new(struct texts *t, size_t n)
{
    *t = (struct texts){.dict = lethe_dict_new(), .want = n};
    t->results = calloc(n, sizeof *t->results);
    t->n_results = calloc(n, sizeof *t->n_results);
    return t->dict && t->results && t->n_results;
}

static void texts_free(struct texts *t)
{
    lethe_dict_free(t->dict);
    free(t->results);
    free(t->n_results);
}

/* Numbers that differ, and texts of many words of the log's. */
static void fill_numbers(struct texts *t)
{
    char text[32];
    for (uint64_t i = 0, x = 1; i < t->want; i++) {
        uint32_t id;
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        unsigned long long n = x >> 30;
        int len = snprintf(text, sizeof text, "%03llu-%03llu-%04llu", n % 1000, n / 1000 % 1000,
                           n / 1000000 % 10000);
        if (lethe_dict_add(t->dict, (lethe_str){text, (size_t)len}, &id) != LETHE_OK) exit(4);
    }
}

static void fill_long(struct texts *t, const struct texts *from)
{
    lethe_buf b = {0};
    for (uint64_t i = 0, x = 1; i < t->want; i++) {
        uint32_t id;
        b.n = 0;
        while (b.n < 360) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            lethe_str s =
                lethe_dict_at(from->dict, (uint32_t)((x >> 33) % lethe_dict_count(from->dict)));
            if ((b.n && lethe_buf_put(&b, " ", 1) != LETHE_OK) || lethe_buf_str(&b, s) != LETHE_OK)
                exit(4);
        }
        if (lethe_dict_add(t->dict, (lethe_str){(const char *)b.at, b.n}, &id) != LETHE_OK) exit(4);
    }
    lethe_buf_free(&b);
}

/* How many times faster than all pairs; *same: with the same answers. */
static double ratio_of(struct texts *t, double *search_s, bool *same)
{
    size_t n = lethe_dict_count(t->dict);
    uint32_t *fast = calloc(n, sizeof *fast), *slow = calloc(n, sizeof *slow);
    if (!fast || !slow) exit(4);
    *search_s = search(t, n, fast);
    double all_pairs = scan(t, n, slow);
    *same = *same && memcmp(fast, slow, n * sizeof *fast) == 0;
    free(fast);
    free(slow);
    return all_pairs / *search_s;
}

static lethe_err read_texts(lethe_ctx *ctx, const char *path, struct texts *t)
{
    lethe_log *log;
    LETHE_TRY(lethe_log_files(ctx, &path, 1, &(lethe_read_options){0}, &log));
    lethe_err e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = t});
    lethe_log_free(log);
    return e;
}

int main(int argc, char **argv)
{
    enum { N_NUMBERS = 5000, N_LONG = 500 };
    struct texts t, numbers, long_texts;
    lethe_ctx *ctx;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: bench_split LOG [TEXTS]\n");
        return 2;
    }
    if (lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) != LETHE_OK) return 4;
    if (!texts_new(&t, argc == 3 ? (size_t)atol(argv[2]) : 20000)) return 4;
    if (!texts_new(&numbers, N_NUMBERS) || !texts_new(&long_texts, N_LONG)) return 4;
    if (read_texts(ctx, argv[1], &t) != LETHE_OK) return 3;
    size_t n = lethe_dict_count(t.dict), personas = 0;
    uint32_t *first = calloc(n + 1, sizeof *first);
    if (!first || n == 0) return 4;
    fill_numbers(&numbers);
    fill_long(&long_texts, &t);
    bool same = true;
    double quarter = search(&t, n / 4, first), half = search(&t, n / 2, first), all, s[2];
    double ratio = ratio_of(&t, &all, &same), number_ratio = ratio_of(&numbers, &s[0], &same);
    double long_ratio = ratio_of(&long_texts, &s[1], &same);
    (void)search(&t, n, first);
    for (size_t i = 0; i < n; i++)
        personas += first[i] == LETHE_NONE;
    printf("{\"scan_over_search\":%.1f,\"same\":%s,\"texts\":%zu,\"personas\":%zu,"
           "\"quarter_s\":%.4f,\"half_s\":%.4f,\"search_s\":%.4f,\"scan_s\":%.2f,"
           "\"numbers_ratio\":%.1f,\"numbers_s\":%.4f,\"long_ratio\":%.1f,\"long_s\":%.4f}\n",
           ratio, same ? "true" : "false", n, personas, quarter, half, all, ratio * all,
           number_ratio, s[0], long_ratio, s[1]);
    texts_free(&t);
    texts_free(&numbers);
    texts_free(&long_texts);
    free(first);
    lethe_ctx_free(ctx);
    return same ? 0 : 1;
}
