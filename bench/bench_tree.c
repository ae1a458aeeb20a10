/* SPDX-License-Identifier: Apache-2.0 */
/* bench_tree.c - How fast are taxonomies built, read and asked, against the plain way?
 *
 *   bench_tree [NODES]
 *
 * A tree of 200000 nodes by default, as deep as WordNet's nouns, under shuffled numbers.  One JSON
 * line each, processor time, the fastest of seven:
 *   lca    random pairs of leaves, against climbing from both until they meet;
 *   from   the tree from numbers, against adding the same names to a dictionary alone;
 *   read   the same as lines of child and parent, against adding both names of each line. */
#include "core/dict.h"
#include "model/tree/tree.h"
#include "core/parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { RUNS = 7, PAIRS = 1 << 20, NAME = 24, LEVELS = 18 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_tree: %s failed\n", what);
    exit(4);
}

static uint64_t mix(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* --- the data --- */

typedef struct data {
    uint32_t n;
    uint32_t *parent;
    char (*text)[NAME];
    lethe_str *name;
    lethe_buf lines;
} data;

/* A third of the nodes are inner; each node stands below one of those, rather below one that came
 * recently, no deeper than WordNet goes. */
static void make_parents(data *d, const uint32_t *number, uint64_t *seed)
{
    uint32_t *level = calloc(d->n, sizeof *level);
    need(level != NULL, "memory");
    d->parent[number[0]] = LETHE_NONE;
    for (uint32_t i = 1; i < d->n; i++) {
        uint32_t inner = LETHE_MIN(i, d->n / 3 + 1), p;
        do
            p = inner - 1 - (uint32_t)(mix(seed) % (mix(seed) % 4 ? inner / 2 + 1 : inner));
        while (level[p] + 1 > LEVELS);
        level[i] = level[p] + 1;
        d->parent[number[i]] = number[p];
    }
    free(level);
}

static void make_lines(data *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->parent[i] == LETHE_NONE) continue;
        need(lethe_buf_str(&d->lines, d->name[i]) == LETHE_OK &&
                 lethe_buf_put(&d->lines, "\t", 1) == LETHE_OK &&
                 lethe_buf_str(&d->lines, d->name[d->parent[i]]) == LETHE_OK &&
                 lethe_buf_put(&d->lines, "\n", 1) == LETHE_OK,
             "memory");
    }
}

static data make(uint32_t n)
{
    data d = {.n = n,
              .parent = malloc(n * sizeof *d.parent),
              .text = malloc(n * sizeof *d.text),
              .name = malloc(n * sizeof *d.name)};
    uint32_t *number = malloc(n * sizeof *number);
    uint64_t seed = 1;
    need(d.parent && d.text && d.name && number, "memory");
    for (uint32_t i = 0; i < n; i++) {
        number[i] = i;
        int len = snprintf(d.text[i], NAME, "%llx.n.%u",
                           (unsigned long long)(mix(&seed) >> (20 + mix(&seed) % 30)), i);
        d.name[i] = (lethe_str){d.text[i], (size_t)len};
    }
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(mix(&seed) % i), x = number[j];
        number[j] = number[i - 1];
        number[i - 1] = x;
    }
    make_parents(&d, number, &seed);
    make_lines(&d);
    free(number);
    return d;
}

static void drop(data *d)
{
    free(d->parent);
    free(d->text);
    free(d->name);
    lethe_buf_free(&d->lines);
}

/* --- what is measured --- */

static uint32_t climb(const lethe_tree *t, uint32_t u, uint32_t v)
{
    while (u != v) {
        if (t->level[u] >= t->level[v])
            u = t->parent[u];
        else
            v = t->parent[v];
    }
    return u;
}

typedef uint32_t (*lca_fn)(const lethe_tree *, uint32_t, uint32_t);

static double time_pairs(const lethe_tree *t, lca_fn lca, const uint32_t *pair, uint64_t *sum)
{
    double start = now_s();
    for (size_t i = 0; i < PAIRS; i++)
        *sum += lca(t, pair[2 * i], pair[2 * i + 1]);
    return now_s() - start;
}

static void bench_lca(const data *d)
{
    lethe_tree *t = NULL;
    uint32_t *pair = malloc(2 * PAIRS * sizeof *pair);
    need(pair && lethe_tree_from(NULL, d->n, d->parent, d->name, &t) == LETHE_OK, "a tree");
    uint64_t seed = 2, ours = 0, theirs = 0;
    for (size_t i = 0; i < 2 * PAIRS; i++)
        do
            pair[i] = (uint32_t)(mix(&seed) % t->n);
        while (!lethe_tree_is_leaf(t, pair[i]));
    double best = 1e30, best_climb = 1e30;
    for (int i = 0; i < RUNS; i++) {
        double took = time_pairs(t, lethe_tree_lca, pair, &ours);
        double climbed = time_pairs(t, climb, pair, &theirs);
        best = LETHE_MIN(best, took);
        best_climb = LETHE_MIN(best_climb, climbed);
    }
    need(ours == theirs, "agreement");
    printf("{\"what\":\"lca\",\"yardstick\":\"climbing\",\"ratio\":%.3f,\"ns\":%.2f,"
           "\"yardstick_ns\":%.2f,\"nodes\":%u,\"height\":%u}\n",
           best_climb / best, 1e9 * best / PAIRS, 1e9 * best_climb / PAIRS, t->n, t->height);
    lethe_tree_free(t);
    free(pair);
}

static double time_dict(const data *d, bool parents)
{
    double start = now_s();
    uint32_t id;
    lethe_dict *dict = lethe_dict_new();
    need(dict != NULL, "a dictionary");
    for (uint32_t i = 0; i < d->n; i++) {
        need(lethe_dict_add(dict, d->name[i], &id) == LETHE_OK, "a dictionary");
        if (parents && d->parent[i] != LETHE_NONE)
            need(lethe_dict_add(dict, d->name[d->parent[i]], &id) == LETHE_OK, "a dictionary");
    }
    double took = now_s() - start;
    lethe_dict_free(dict);
    return took;
}

static double time_from(const data *d)
{
    lethe_tree *t = NULL;
    double start = now_s();
    need(lethe_tree_from(NULL, d->n, d->parent, d->name, &t) == LETHE_OK, "a tree");
    double took = now_s() - start;
    lethe_tree_free(t);
    return took;
}

static double time_read(lethe_ctx *ctx, const data *d)
{
    lethe_tree *t = NULL;
    double start = now_s();
    lethe_str bytes = {(char *)d->lines.at, d->lines.n};
    need(lethe_tree_memory(ctx, bytes, LETHE_NAMES_RAW, &t) == LETHE_OK, "reading");
    double took = now_s() - start;
    lethe_tree_free(t);
    return took;
}

static void bench_build(lethe_ctx *ctx, const data *d, bool read)
{
    double best = 1e30, best_dict = 1e30;
    for (int i = 0; i < RUNS; i++) {
        double took = read ? time_read(ctx, d) : time_from(d), names = time_dict(d, read);
        best = LETHE_MIN(best, took);
        best_dict = LETHE_MIN(best_dict, names);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"what\":\"%s\",\"yardstick\":\"names into a dictionary\",\"ratio\":%.3f,\"ms\":%.2f,"
           "\"yardstick_ms\":%.2f,\"nodes\":%u,\"peak_bytes\":%lld}\n",
           read ? "read" : "from", best_dict / best, 1e3 * best, 1e3 * best_dict, d->n,
           (long long)use.ru_maxrss * 1024);
}

int main(int argc, char **argv)
{
    uint64_t n = 200000;
    if (argc > 2 || (argc == 2 && !lethe_parse_u64(lethe_str_of(argv[1]), &n)) || n < 3 ||
        n > 100000000) {
        fprintf(stderr, "usage: bench_tree [NODES]\n");
        return 2;
    }
    lethe_ctx *ctx = NULL;
    need(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK, "a context");
    data d = make((uint32_t)n);
    bench_lca(&d);
    bench_build(ctx, &d, false);
    bench_build(ctx, &d, true);
    drop(&d);
    lethe_ctx_free(ctx);
    return 0;
}
