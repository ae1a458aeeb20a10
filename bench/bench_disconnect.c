/* SPDX-License-Identifier: Apache-2.0 */
/* bench_disconnect.c - How long does it take to disconnect a click graph, against reading the log
 * it comes from, and does memory stay linear in the clicks?
 *
 *   BENCH_DISCONNECT_QUERIES=5000000 bench_disconnect
 *
 * 200000 distinct queries by default, twice as many clicks.  A tenth of the clicks go to ten hubs
 * (at 5,000,000 queries: 100,000 queries on each), the others to half as many URLs as there are
 * queries, the r-th of which is clicked in proportion to 1 / (r + 10).  In two shapes:
 *   random   any query clicks any URL, so that few queries have the same URLs: harder than a log;
 *   log      as in AOL's log half the queries have one URL, and two on average; of a query's
 * further clicks three in four are on eight URLs of the first one's subject. One thread, processor
 * time. One JSON line each: literal  2,000 queries of the same kind against the algorithm as it is
 * printed, with explicit edges and all queries sorted again at each step; the same removals; graph
 * the log's click graph from its clicks; yardstick: reading the log; edges    counting pairs of
 * queries that are joined; yardstick: reading the log; degree, frequency, distinct disconnecting by
 * degree, by degree over a skewed weight, over weights that all differ; yardstick: reading the log.
 * With an eighth of the log: the power of the clicks that time grows with, and memory a click
 * (besides the graph) at both. The log goes to a file of $TMPDIR that is removed at once. */
#include "method/disconnect/click_ranking.h"
#include "core/mem.h"
#include "model/log/log.h"
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 2000, HUBS = 10, LESS = 8, SUBJECT = 8 };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_disconnect: %s failed\n", step);
    exit(4);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double unit(uint64_t *state)
{
    return (double)(mix(*state += 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

/* --- data --- */

typedef struct clicks {
    uint32_t n_queries, n_urls;
    lethe_click *at;
    size_t n, cap;
    uint64_t *skewed, *distinct; /* weights */
} clicks;

static uint32_t draw_url(uint64_t *rng, uint32_t n_tail)
{
    if (unit(rng) < 0.1) return (uint32_t)(unit(rng) * HUBS);
    double r = 10 * pow((n_tail + 10.0) / 10, unit(rng)) - 10;
    return HUBS + LETHE_MIN((uint32_t)r, n_tail - 1);
}

/* Of a query that has clicked `first`: three in four are of its subject. */
static uint32_t draw_related(uint64_t *rng, uint32_t first, uint32_t n_tail)
{
    if (unit(rng) < 0.25) return draw_url(rng, n_tail);
    uint32_t u = first - first % SUBJECT + (uint32_t)(unit(rng) * SUBJECT);
    return LETHE_MIN(u, HUBS + n_tail - 1);
}

typedef enum shape { RANDOM, LOG } shape;

/* RANDOM: each query once, the other clicks of any.  LOG: after each click a coin says whether the
 * query has another. */
static void draw_clicks(clicks *c, shape like, uint64_t *rng)
{
    uint32_t n_tail = c->n_urls - HUBS, q = 0, first = 0;
    for (; like == RANDOM && c->n < c->cap; c->n++) {
        q = c->n < c->n_queries ? (uint32_t)c->n : (uint32_t)(unit(rng) * c->n_queries);
        c->at[c->n] = (lethe_click){q, draw_url(rng, n_tail)};
    }
    for (; like == LOG && q < c->n_queries; q++) {
        first = draw_url(rng, n_tail);
        c->at[c->n++] = (lethe_click){q, first};
        for (; c->n + c->n_queries < c->cap + q && unit(rng) < 0.5; c->n++)
            c->at[c->n] = (lethe_click){q, draw_related(rng, first, n_tail)};
    }
}

static clicks make_clicks(uint32_t n_queries, shape like)
{
    clicks c = {.n_queries = n_queries, .n_urls = HUBS + n_queries / 2 + 1};
    uint64_t rng = 1;
    c.cap = 2 * (size_t)n_queries;
    c.at = malloc(c.cap * sizeof *c.at);
    c.skewed = malloc(n_queries * sizeof *c.skewed);
    c.distinct = malloc(n_queries * sizeof *c.distinct);
    need(c.at && c.skewed && c.distinct, "memory");
    for (uint32_t q = 0; q < n_queries; q++) {
        c.skewed[q] = (uint64_t)LETHE_MIN(1 / (1 - unit(&rng)), 1e6);
        c.distinct[q] = mix(q + 1) | 1;
    }
    draw_clicks(&c, like, &rng);
    return c;
}

static void free_clicks(clicks *c)
{
    free(c->at);
    free(c->skewed);
    free(c->distinct);
}

static lethe_err see_row(void *arg, unsigned w, const lethe_row *row)
{
    (void)w;
    *(uint64_t *)arg += row->url.n > 0;
    return LETHE_OK;
}

static double read_log(lethe_ctx *ctx, const clicks *c)
{
    char path[512];
    const char *tmp = getenv("TMPDIR"), *name = path;
    uint64_t seen = 0;
    lethe_log *log = NULL;
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_row_visitor visitor = {.row = see_row, .arg = &seen};
    snprintf(path, sizeof path, "%s/bench_disconnect.%ld", tmp ? tmp : "/tmp", (long)getpid());
    FILE *f = fopen(path, "w");
    need(f != NULL, "log");
    for (size_t i = 0; i < c->n; i++)
        fprintf(f, "%zu\tquery of words %u\t2006-03-01 07:%02zu:00\t%zu\thttp://www.site-%u.com\n",
                i % 65537, c->at[i].query, i % 60, 1 + i % 10, c->at[i].url);
    bool written = fclose(f) == 0;
    double start = cpu_s();
    lethe_err e = lethe_log_files(ctx, &name, 1, &reading, &log);
    if (e == LETHE_OK) e = lethe_log_walk(ctx, log, &visitor);
    double took = cpu_s() - start;
    unlink(path);
    need(written && e == LETHE_OK && seen == c->n, "reading the log");
    lethe_log_free(log);
    return took;
}

static lethe_click_graph *make_graph(const clicks *c)
{
    lethe_click_graph *g = NULL;
    need(lethe_click_graph_new(c->at, c->n, c->n_queries, c->n_urls, &g) == LETHE_OK, "graph");
    return g;
}

/* --- the algorithm as it is printed --- */

typedef struct literal {
    bool *edge;
    uint32_t *order, *degree, n, all;
    const uint64_t *weight;
} literal;

static int by_score(const void *a, const void *b, void *arg)
{
    const literal *l = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t p = l->degree[x] * l->weight[y], q = l->degree[y] * l->weight[x];
    return p != q ? (p > q ? -1 : 1) : (x > y) - (x < y);
}

static void join(literal *l, const clicks *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < i; k++) {
            uint32_t a = c->at[i].query, b = c->at[k].query;
            if (c->at[i].url != c->at[k].url || a == b || l->edge[(size_t)a * l->all + b]) continue;
            l->edge[(size_t)a * l->all + b] = l->edge[(size_t)b * l->all + a] = true;
            l->degree[a]++;
            l->degree[b]++;
        }
    }
}

/* `removed`: how many went. */
static uint32_t *run_literal(const clicks *c, uint32_t *n_removed)
{
    uint32_t n = c->n_queries, *removed = malloc(n * sizeof *removed);
    literal l = {calloc((size_t)n * n, 1),
                 malloc(n * sizeof(uint32_t)),
                 calloc(n, sizeof(uint32_t)),
                 n,
                 n,
                 c->skewed};
    need(removed && l.edge && l.order && l.degree, "memory");
    for (uint32_t q = 0; q < n; q++)
        l.order[q] = q;
    join(&l, c);
    for (*n_removed = 0;; ++*n_removed) {
        qsort_r(l.order, l.n, sizeof *l.order, by_score, &l);
        uint32_t q = l.order[0];
        if (l.degree[q] == 0) break;
        removed[*n_removed] = q;
        for (uint32_t i = 0; i < l.n; i++)
            l.degree[l.order[i]] -= l.edge[(size_t)q * n + l.order[i]];
        memmove(l.order, l.order + 1, --l.n * sizeof *l.order);
    }
    free(l.edge);
    free(l.order);
    free(l.degree);
    return removed;
}

static void against_literal(lethe_ctx *ctx)
{
    clicks c = make_clicks(FEW, RANDOM);
    uint32_t n = 0;
    double start = cpu_s(), fast = 1e30;
    uint32_t *removed = run_literal(&c, &n);
    double literal_s = cpu_s() - start;
    for (int i = 0; i < 5; i++) {
        lethe_click_ranking got;
        start = cpu_s();
        lethe_click_graph *g = make_graph(&c);
        lethe_click_ranking_options how = {.graph = g, .weight = c.skewed};
        need(lethe_click_rank(ctx, &how, &got) == LETHE_OK, "disconnecting");
        fast = LETHE_MIN(fast, cpu_s() - start);
        need(got.n_removed == n && memcmp(got.removed, removed, n * sizeof *removed) == 0,
             "comparing the removals");
        lethe_click_ranking_free(&got);
        lethe_click_graph_free(g);
    }
    printf("{\"bench\":\"disconnect\",\"what\":\"literal\",\"yardstick\":\"the algorithm as it is "
           "printed\",\"queries\":%u,\"removed\":%u,\"ratio\":%.1f,\"cpu_s\":%.5f,"
           "\"yardstick_cpu_s\":%.4f}\n",
           c.n_queries, n, literal_s / fast, fast, literal_s);
    free(removed);
    free_clicks(&c);
}

/* --- time and memory --- */

static uint64_t status_bytes(const char *field)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    need(f != NULL, "status");
    while (fgets(line, sizeof line, f))
        if (strncmp(line, field, strlen(field)) == 0)
            kib = strtoull(line + strlen(field), NULL, 10);
    fclose(f);
    return kib * 1024;
}

/* The peak becomes what is in use now. */
static uint64_t begin_peak(void)
{
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    need(f && fputs("5", f) >= 0 && fclose(f) == 0, "resetting the peak");
    return status_bytes("VmRSS:");
}

typedef struct cost {
    double cpu_s;
    uint64_t bytes, edges;
    uint32_t removed, classes;
} cost;

typedef enum task { GRAPH, EDGES, DEGREE, FREQUENCY, DISTINCT } task;

static cost measure(const clicks *c, const lethe_click_graph *g, task what)
{
    lethe_settings set = {.n_threads = 1};
    lethe_ctx *ctx = NULL;
    cost to = {0};
    const char *hub = getenv("BENCH_DISCONNECT_HUB");
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    uint64_t before = begin_peak();
    double start = cpu_s();
    if (what == GRAPH) {
        lethe_click_graph *made = make_graph(c);
        to.classes = made->n_classes;
        lethe_click_graph_free(made);
    } else if (what == EDGES) {
        need(lethe_click_edges(ctx, g, &to.edges) == LETHE_OK, "counting edges");
        to.classes = g->n_classes;
    } else {
        lethe_click_ranking got;
        lethe_click_ranking_options how = {.graph = g,
                                           .hub = hub ? (uint32_t)strtoul(hub, NULL, 10) : 0,
                                           .weight = what == DEGREE      ? NULL
                                                     : what == FREQUENCY ? c->skewed
                                                                         : c->distinct};
        need(lethe_click_rank(ctx, &how, &got) == LETHE_OK, "disconnecting");
        to.removed = got.n_removed;
        to.edges = got.edges[0];
        to.classes = g->n_classes;
        lethe_click_ranking_free(&got);
    }
    to.cpu_s = cpu_s() - start;
    to.bytes = status_bytes("VmHWM:") - before;
    lethe_ctx_free(ctx);
    return to;
}

/* In a process of its own, so that its peak of memory is its own. */
static cost measure_apart(const clicks *c, const lethe_click_graph *g, task what)
{
    int ends[2], status = 1;
    cost to = {0};
    need(pipe(ends) == 0, "pipe");
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        to = measure(c, g, what);
        _exit(write(ends[1], &to, sizeof to) == sizeof to ? 0 : 4);
    }
    close(ends[1]);
    need(read(ends[0], &to, sizeof to) == sizeof to, "measuring");
    close(ends[0]);
    need(waitpid(child, &status, 0) == child && status == 0, "measuring");
    return to;
}

static uint64_t largest_hub(const lethe_click_graph *g)
{
    uint64_t most = 0;
    for (uint32_t u = 0; u < g->n_urls; u++) {
        uint64_t n = 0;
        for (uint64_t i = g->class_start[u]; i < g->class_start[u + 1]; i++)
            n += g->member_start[g->class_of_url[i] + 1] - g->member_start[g->class_of_url[i]];
        most = LETHE_MAX(most, n);
    }
    return most;
}

static void against_reading(lethe_ctx *ctx, uint32_t n_queries, shape like)
{
    static const char *const names[] = {"graph", "edges", "degree", "frequency", "distinct"};
    clicks part = make_clicks(n_queries / LESS, like), all = make_clicks(n_queries, like);
    lethe_click_graph *part_graph = make_graph(&part), *graph = make_graph(&all);
    double read_s = read_log(ctx, &all);
    for (task what = GRAPH; what <= DISTINCT; what++) {
        cost less = measure_apart(&part, part_graph, what);
        cost full = measure_apart(&all, graph, what);
        printf("{\"bench\":\"disconnect\",\"what\":\"%s\",\"shape\":\"%s\","
               "\"yardstick\":\"reading the "
               "log\",\"queries\":%u,\"clicks\":%zu,\"largest_hub\":%" PRIu64 ",\"classes\":%u,"
               "\"edges\":%" PRIu64 ",\"removed\":%u,\"ratio\":%.3f,\"cpu_s\":%.3f,"
               "\"yardstick_cpu_s\":%.3f,\"time_power\":%.2f,\"peak_bytes\":%" PRIu64
               ",\"bytes_per_click\":%.1f,\"bytes_per_click_of_an_eighth\":%.1f}\n",
               names[what], like == LOG ? "log" : "random", all.n_queries, all.n,
               largest_hub(graph), full.classes, full.edges, full.removed, full.cpu_s / read_s,
               full.cpu_s, read_s, log(full.cpu_s / less.cpu_s) / log(LESS), full.bytes,
               (double)full.bytes / (double)all.n, (double)less.bytes / (double)part.n);
    }
    lethe_click_graph_free(part_graph);
    lethe_click_graph_free(graph);
    free_clicks(&part);
    free_clicks(&all);
}

int main(void)
{
    const char *text = getenv("BENCH_DISCONNECT_QUERIES");
    uint64_t n_queries = text ? strtoull(text, NULL, 10) : 200000;
    lethe_settings set = {.n_threads = 1, .spill_dir = getenv("TMPDIR")};
    lethe_ctx *ctx = NULL;
    need(n_queries >= FEW && n_queries <= UINT32_MAX / 2, "reading BENCH_DISCONNECT_QUERIES");
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    against_literal(ctx);
    against_reading(ctx, (uint32_t)n_queries, RANDOM);
    against_reading(ctx, (uint32_t)n_queries, LOG);
    lethe_ctx_free(ctx);
    return 0;
}
