/* How much faster is the search for the first similar text than comparing with every earlier one?
 *
 *   bench_split LOG [TEXTS]
 *
 * The first TEXTS (20000) distinct query texts of the log are taken for one user's, the heaviest
 * there is, with the URLs clicked for them as results.  CPU time of the search for a quarter, a
 * half and all of them, and of the quadratic scan (Adar, section 6) for all; both must give the
 * same answers.  One JSON line. */
#include "algo/similar.h"
#include "model/log.h"
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

static lethe_err read_texts(lethe_ctx *ctx, const char *path, struct texts *t)
{
    lethe_log *log;
    LETHE_TRY(lethe_log_files(ctx, &path, 1, &(lethe_reading){0}, &log));
    lethe_err e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = t});
    lethe_log_free(log);
    return e;
}

int main(int argc, char **argv)
{
    struct texts t = {.dict = lethe_dict_new(), .want = 20000};
    lethe_ctx *ctx;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: bench_split LOG [TEXTS]\n");
        return 2;
    }
    if (argc == 3) t.want = (size_t)atol(argv[2]);
    if (lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) != LETHE_OK) return 4;
    t.results = calloc(t.want, sizeof *t.results);
    t.n_results = calloc(t.want, sizeof *t.n_results);
    uint32_t *fast = calloc(t.want, sizeof *fast), *slow = calloc(t.want, sizeof *slow);
    if (!t.dict || !t.results || !t.n_results || !fast || !slow) return 4;
    if (read_texts(ctx, argv[1], &t) != LETHE_OK) return 3;
    size_t n = lethe_dict_count(t.dict), personas = 0;
    double quarter = search(&t, n / 4, fast), half = search(&t, n / 2, fast);
    double all = search(&t, n, fast), quadratic = scan(&t, n, slow);
    bool same = memcmp(fast, slow, n * sizeof *fast) == 0;
    for (size_t i = 0; i < n; i++)
        personas += fast[i] == LETHE_NONE;
    printf("{\"scan_over_search\":%.1f,\"same\":%s,\"texts\":%zu,\"personas\":%zu,"
           "\"quarter_s\":%.4f,\"half_s\":%.4f,\"search_s\":%.4f,\"scan_s\":%.2f}\n",
           quadratic / all, same ? "true" : "false", n, personas, quarter, half, all, quadratic);
    lethe_dict_free(t.dict);
    free(t.results);
    free(t.n_results);
    free(fast);
    free(slow);
    lethe_ctx_free(ctx);
    return same ? 0 : 1;
}
