/* SPDX-License-Identifier: Apache-2.0 */
/* bench_independent.c - What is a heaviest independent set worth, and what does it cost?
 *
 *   bench_independent [QUERIES [CLICKS [THREADS]]]
 *
 * Synthetic click graphs, one JSON line each.  "log": one click in ten is on one of 20 hubs (at
 * 5,000,000 queries and twice as many clicks some 50,000 queries each), three by a power law over
 * all URLs, the others on pages that few queries have; half of the queries have one click, and how
 * often a query was asked is a power law.  "even": the same, each query of weight 1.  "hard": every
 * query has as many clicks, on pages that are all alike, and weights are of 100 to 139: reductions
 * do little, local search nearly all.
 *
 * Figures: kept weight as a share of all; against taking queries by weight as long as they fit, and
 * by weight over clashes (the ranking of degree over frequency without its updates); processor time
 * of building the graph and of finding the set, without and with those two as starts. */
#include "method/disconnect/independent/independent.h"
#include "core/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_independent: %s failed\n", what);
    exit(4);
}

static uint64_t mix(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double unit(uint64_t *state) { return (double)(mix(state) >> 11) * 0x1p-53; }

/* --- the log --- */

enum { HUBS = 20 };

enum { LOG, EVEN, HARD, KINDS };
static const char *const kind_name[] = {"log", "even", "hard"};

typedef struct workload {
    int kind;
    uint32_t n, n_urls;
    size_t n_clicks;
    lethe_click *click;
    uint64_t *weight;
} workload;

/* Two in three: a page of the query's own neighbourhood, which few others click. */
static uint32_t url_drawn(uint64_t *seed, const workload *l, uint32_t q)
{
    double x = unit(seed);
    if (l->kind == HARD) return (uint32_t)(mix(seed) % l->n_urls);
    if (x < 0.1) return (uint32_t)(mix(seed) % HUBS);
    if (x < 0.4) { // density 1/u: as many clicks on 1..10 as on 10..100
        double span = (double)l->n_urls, u = 1;
        for (double y = unit(seed) * 20; y > 0 && u < span; y -= 1)
            u *= 2;
        return (uint32_t)(mix(seed) % (uint64_t)LETHE_MIN(u, span));
    }
    uint64_t near = q / 2 + mix(seed) % 8;
    return HUBS + (uint32_t)((near * 2654435761u) % (l->n_urls - HUBS));
}

static uint64_t weight_drawn(uint64_t *seed, int kind)
{
    if (kind == EVEN) return 1;
    if (kind == HARD) return 100 + mix(seed) % 40;
    double w = 1 / (unit(seed) + 1e-6);
    return 1 + (uint64_t)w;
}

static workload make(int kind, uint32_t n, size_t n_clicks)
{
    uint64_t seed = 1;
    workload l = {kind,
                  n,
                  n / 2 + HUBS + 1,
                  n_clicks,
                  malloc(n_clicks * sizeof *l.click),
                  malloc(n * sizeof *l.weight)};
    need(l.click && l.weight, "memory");
    for (uint32_t q = 0; q < n; q++)
        l.weight[q] = weight_drawn(&seed, kind);
    for (size_t i = 0; i < n_clicks; i++) {
        uint32_t q = (uint32_t)(i < n || kind == HARD ? i % n : mix(&seed) % (n / 2));
        l.click[i] = (lethe_click){q, url_drawn(&seed, &l, q)};
    }
    return l;
}

/* --- yardsticks --- */

typedef struct offer {
    double value;
    uint32_t query;
} offer;

static int by_value(const void *a, const void *b)
{
    const offer *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return (x->query > y->query) - (x->query < y->query);
}

static double clashes(const lethe_click_graph *g, uint32_t q)
{
    uint32_t c = g->class_of[q];
    double sum = 1e-9 + (double)(g->member_start[c + 1] - g->member_start[c] - 1);
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
        sum += (double)(g->class_start[g->url[i] + 1] - g->class_start[g->url[i]] - 1);
    return sum;
}

static uint64_t greedy(const lethe_click_graph *g, const uint64_t *weight, bool over,
                       uint8_t **kept)
{
    offer *all = malloc(g->n * sizeof *all);
    uint8_t *taken = calloc(g->n_urls, 1);
    uint64_t sum = 0;
    *kept = calloc(g->n, 1);
    need(all && taken && *kept, "memory");
    for (uint32_t q = 0; q < g->n; q++)
        all[q] = (offer){(double)weight[q] / (over ? clashes(g, q) : 1), q};
    qsort(all, g->n, sizeof *all, by_value);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t q = all[i].query, c = g->class_of[q];
        bool fits = true;
        for (uint64_t k = g->url_start[c]; k < g->url_start[c + 1]; k++)
            fits = fits && !taken[g->url[k]];
        if (!fits) continue;
        (*kept)[q] = 1;
        sum += weight[q];
        for (uint64_t k = g->url_start[c]; k < g->url_start[c + 1]; k++)
            taken[g->url[k]] = 1;
    }
    free(all);
    free(taken);
    return sum;
}

static lethe_independent measure(lethe_ctx *ctx, const lethe_click_graph *g, const uint64_t *weight,
                                 const uint8_t *const *start, size_t n_starts, double *seconds)
{
    lethe_independent s;
    double begin = now_s();
    need(lethe_independent_find(ctx, g, weight, start, n_starts, &s) == LETHE_OK, "find");
    *seconds = now_s() - begin;
    return s;
}

static void run(lethe_ctx *ctx, int kind, uint32_t n, size_t n_clicks)
{
    lethe_click_graph *g = NULL;
    uint8_t *start[2];
    double build, alone, started, begin;
    workload l = make(kind, n, n_clicks);
    begin = now_s();
    need(lethe_click_graph_new(l.click, n_clicks, n, l.n_urls, &g) == LETHE_OK, "graph");
    build = now_s() - begin;
    double sum = 0, by_weight = (double)greedy(g, l.weight, false, &start[0]),
           by_clashes = (double)greedy(g, l.weight, true, &start[1]);
    for (uint32_t q = 0; q < n; q++)
        sum += (double)l.weight[q];
    lethe_independent s = measure(ctx, g, l.weight, NULL, 0, &alone);
    lethe_independent t =
        measure(ctx, g, l.weight, (const uint8_t *const *)start, LETHE_COUNT(start), &started);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"bench\":\"independent\",\"graph\":\"%s\",\"queries\":%" PRIu32
           ",\"clicks\":%zu,\"classes\":%" PRIu32 ",\"threads\":%u,\"kept\":%.5f,"
           "\"kept_with_starts\":%.5f,\"over_greedy_by_weight\":%.5f,"
           "\"over_greedy_by_clashes\":%.5f,\"components\":%" PRIu64 ",\"exact\":%" PRIu64
           ",\"build_s\":%.3f,\"find_s\":%.3f,\"find_with_starts_s\":%.3f,"
           "\"over_build\":%.2f,\"peak_mb\":%ld}\n",
           kind_name[kind], n, n_clicks, g->n_classes, lethe_ctx_threads(ctx),
           (double)s.weight / sum, (double)t.weight / sum, (double)s.weight / by_weight,
           (double)s.weight / by_clashes, s.components, s.exact, build, alone, started,
           alone / build, use.ru_maxrss / 1024);
    lethe_independent_free(&s);
    lethe_independent_free(&t);
    lethe_click_graph_free(g);
    for (size_t i = 0; i < LETHE_COUNT(start); i++)
        free(start[i]);
    free(l.click);
    free(l.weight);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 500000;
    size_t n_clicks = argc > 2 ? strtoul(argv[2], NULL, 10) : 2 * (size_t)n;
    lethe_settings set = {.n_threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1};
    lethe_ctx *ctx = NULL;
    need(n >= 2 && n_clicks >= n, "at least 2 queries and a click for each: that");
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    for (int kind = 0; kind < KINDS; kind++)
        run(ctx, kind, n, n_clicks);
    lethe_ctx_free(ctx);
    return 0;
}
