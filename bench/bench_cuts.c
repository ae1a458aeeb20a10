/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuts.c - How many cuts does the search for the cheapest look at, and how long does it take?
 *
 *   bench_cuts SETS [K [M [THREADS]]]     threats of a file of sets, by phase 1 (n = 0, l = 1)
 *   bench_cuts LEAVES THREATS [THREADS]   drawn ones
 *
 * SETS: records (BMS-WebView-1.dat.zst); three random taxonomies of fan-out 5 over their items, as
 * in section 4.5.  Drawn: such a taxonomy, occurrences by a power law, threats of two or three
 * items: of rare ones mostly, a tenth of them generalized.  "crowded": as many as asked for, of any
 * items.  "sparse": a hundredth of them.  "near": of items that stand near each other.
 *
 * One JSON line each: cuts examined and processor time of our search, of the thesis' own with all
 * its methods (Table 4.5, line 6), with those of lines 5, 4, 3, 2, and pruned by validity alone
 * (line 1: the yardstick).  What is not optimal was stopped at LIMIT cuts. */
#include "../tests/support/cuts_plain.h"
#include "core/mem.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { FAN = 5, LIMIT = 200000, TAXONOMIES = 3 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_cuts: %s failed\n", what);
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

/* --- the taxonomy --- */

typedef struct world {
    lethe_tree *t;
    uint32_t *leaf; /* in order of their occurrences, the most frequent first */
    uint32_t n_leaves;
    uint64_t *cost;
    uint8_t *live;
    lethe_threats threats;
} world;

/* Levels of FAN nodes below each, from the leaves up; the leaves are numbered last.  They are
 * called as `items` has it in the order of `place`, or by numbers. */
static lethe_tree *tree_of(uint32_t n_leaves, const lethe_dict *items, const uint32_t *place)
{
    uint32_t size[32], first[32], levels = 0, n = 0;
    for (uint32_t k = n_leaves; levels == 0 || size[levels - 1] > 1; k = (k + FAN - 1) / FAN)
        size[levels++] = k;
    for (uint32_t l = levels; l-- > 0; n += size[l])
        first[l] = n;
    uint32_t *parent = malloc(n * sizeof *parent);
    lethe_str *name = malloc(n * sizeof *name);
    char *text = malloc(16 * (size_t)n);
    lethe_tree *t = NULL;
    need(parent && name && text, "memory");
    for (uint32_t l = 0; l < levels; l++)
        for (uint32_t i = 0; i < size[l]; i++) {
            uint32_t v = first[l] + i;
            parent[v] = l + 1 < levels ? first[l + 1] + i / FAN : LETHE_NONE;
            name[v] = (lethe_str){text + 16 * (size_t)v,
                                  (size_t)snprintf(text + 16 * (size_t)v, 16, "<%" PRIu32, v)};
            if (l == 0 && items) name[v] = lethe_dict_at(items, place[i]);
        }
    need(lethe_tree_from(NULL, n, parent, name, &t) == LETHE_OK, "tree");
    free(parent);
    free(name);
    free(text);
    return t;
}

static void make_costs(world *w, uint64_t *seed)
{
    const lethe_tree *t = w->t;
    uint64_t *times = calloc(t->n, sizeof *times);
    w->leaf = malloc(t->n * sizeof *w->leaf);
    w->cost = malloc(t->n * sizeof *w->cost);
    w->live = malloc(t->n);
    need(times && w->leaf && w->cost && w->live, "memory");
    for (uint32_t v = 0; v < t->n; v++)
        if (lethe_tree_is_leaf(t, v)) w->leaf[w->n_leaves++] = v;
    for (uint32_t i = w->n_leaves; i > 1; i--) {
        uint32_t j = (uint32_t)(mix(seed) % i), v = w->leaf[i - 1];
        w->leaf[i - 1] = w->leaf[j];
        w->leaf[j] = v;
    }
    for (uint32_t i = 0; i < w->n_leaves; i++)
        times[w->leaf[i]] = 1 + (uint64_t)(20000 / pow(i + 2, 0.9));
    for (uint32_t v = t->n; v-- > 0;) {
        w->live[v] = 1;
        w->cost[v] = lethe_tree_lm(t, v) * times[v];
        if (v > 0) times[t->parent[v]] += times[v];
    }
    free(times);
}

/* --- threats --- */

enum { CROWDED, SPARSE, NEAR, KINDS };
static const char *const kind_name[] = {"crowded", "sparse", "near"};

/* A leaf, rare ones more often; near `by` if that is one. */
static uint32_t item_drawn(const world *w, uint64_t *seed, int kind, uint32_t by)
{
    double x = unit(seed);
    uint32_t v = w->leaf[(uint32_t)(sqrt(x) * w->n_leaves)];
    if (kind == NEAR && by != LETHE_NONE) {
        uint32_t up = by;
        for (int i = 0; i < 3 && up != 0; i++)
            up = w->t->parent[up];
        do
            v = up + (uint32_t)(mix(seed) % (w->t->end[up] - up));
        while (!lethe_tree_is_leaf(w->t, v));
    }
    while (unit(seed) < 0.1 && w->t->parent[v] != 0)
        v = w->t->parent[v];
    return v;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void make_threats(world *w, uint64_t *seed, int kind, size_t n)
{
    lethe_threats *ts = &w->threats;
    ts->start = malloc((n + 1) * sizeof *ts->start);
    ts->item = malloc(3 * n * sizeof *ts->item);
    need(ts->start && ts->item, "memory");
    ts->start[0] = 0;
    for (size_t at = 0; ts->n < n;) {
        uint32_t *x = ts->item + at, size = 2 + (mix(seed) % 3 > 0);
        bool apart = true;
        for (uint32_t k = 0; k < size; k++)
            x[k] = item_drawn(w, seed, kind, k > 0 ? x[0] : LETHE_NONE);
        qsort(x, size, sizeof *x, by_number);
        for (uint32_t k = 1; k < size; k++) // parents must differ, or the parent is locked
            apart = apart && x[k] >= w->t->end[w->t->parent[x[k - 1]]];
        if (!apart) continue;
        at += size;
        ts->start[++ts->n] = at;
    }
}

/* --- measuring --- */

static const struct {
    const char *name;
    unsigned without;
} way[] = {
    {"ours", 0},
    {"all_methods", PLAIN_OURS},
    {"reduce_alone", PLAIN_COST | PLAIN_ORDER | PLAIN_BOUND},
    {"cost_order_bound", PLAIN_REDUCE},
    {"cost_order", PLAIN_REDUCE | PLAIN_BOUND},
    {"cost", PLAIN_REDUCE | PLAIN_BOUND | PLAIN_ORDER},
    {"validity", PLAIN_REDUCE | PLAIN_BOUND | PLAIN_ORDER | PLAIN_COST},
};

static void measure(lethe_ctx *ctx, const world *w, const char *name)
{
    printf("{\"bench\":\"cuts\",\"threats\":\"%s\",\"nodes\":%" PRIu32
           ",\"n_threats\":%zu,\"threads\":%u",
           name, w->t->n, w->threats.n, lethe_ctx_threads(ctx));
    for (size_t i = 0; i < LETHE_COUNT(way); i++) {
        lethe_cuts_problem p = {.t = w->t,
                                .live = w->live,
                                .cost = w->cost,
                                .threats = &w->threats,
                                .top = 1,
                                .max_cuts = LIMIT};
        lethe_cuts got;
        double begin = now_s();
        need(plain_find(ctx, &p, way[i].without, &got) == LETHE_OK && got.n == 1, "find");
        printf(",\"%s\":{\"examined\":%" PRIu64 ",\"optimal\":%s,\"loss\":%.5f,\"s\":%.4f}",
               way[i].name, got.examined, got.optimal ? "true" : "false",
               (double)got.cut[0].cost / (double)w->cost[0], now_s() - begin);
        lethe_cuts_free(&got);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf(",\"peak_mb\":%ld}\n", use.ru_maxrss / 1024);
}

static void end(world *w)
{
    lethe_tree_free(w->t);
    free(w->leaf);
    free(w->cost);
    free(w->live);
}

static void run_drawn(lethe_ctx *ctx, int kind, uint32_t n_leaves, size_t n_threats)
{
    uint64_t seed = 1;
    world w = {.t = tree_of(n_leaves, NULL, NULL)};
    make_costs(&w, &seed);
    make_threats(&w, &seed, kind, kind == SPARSE ? n_threats / 100 : n_threats);
    measure(ctx, &w, kind_name[kind]);
    free(w.threats.start);
    free(w.threats.item);
    end(&w);
}

static lethe_tree *tree_over(const lethe_dict *items, uint64_t *seed)
{
    uint32_t n = lethe_dict_count(items), *place = malloc(n * sizeof *place);
    need(place != NULL, "memory");
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(mix(seed) % i), x = place[i - 1];
        place[i - 1] = place[j];
        place[j] = x;
    }
    lethe_tree *t = tree_of(n, items, place);
    free(place);
    return t;
}

static void count_costs(world *w, const lethe_records *sets)
{
    const lethe_tree *t = w->t;
    uint64_t *times = calloc(t->n, sizeof *times);
    w->cost = malloc(t->n * sizeof *w->cost);
    w->live = malloc(t->n);
    need(times && w->cost && w->live, "memory");
    for (uint64_t i = 0; i < sets->start[sets->n]; i++)
        times[sets->item[i]]++;
    for (uint32_t v = t->n; v-- > 0;) {
        w->live[v] = 1;
        w->cost[v] = lethe_tree_lm(t, v) * times[v];
        if (v > 0) times[t->parent[v]] += times[v];
    }
    free(times);
}

static void run_sets(lethe_ctx *ctx, const char *file, const lethe_kl *kl, uint64_t seed)
{
    world w = {0};
    lethe_records *r = NULL, *sets = NULL;
    lethe_tree *grown = NULL;
    need(lethe_records_read(ctx, &file, 1, &(lethe_read_options){.strict = true}, &r) == LETHE_OK,
         "reading");
    w.t = tree_over(r->items, &seed);
    need(lethe_records_bind(ctx, r, w.t, true, &sets, &grown) == LETHE_OK && !grown, "binding");
    need(lethe_records_sets(ctx, sets, false, &r) == LETHE_OK, "sets");
    count_costs(&w, r);
    double begin = now_s();
    need(lethe_threats_find(ctx, r, w.t, kl, 0, &w.threats) == LETHE_OK, "threats");
    fprintf(stderr, "threats: %.3f s\n", now_s() - begin);
    measure(ctx, &w, "sets");
    lethe_threats_free(&w.threats);
    lethe_records_free(r);
    end(&w);
}

static unsigned long number(int argc, char **argv, int i, unsigned long otherwise)
{
    return argc > i ? strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    bool drawn = argc < 2 || strtoul(argv[1], NULL, 10) > 0;
    lethe_settings set = {.n_threads = (unsigned)number(argc, argv, drawn ? 3 : 4, 1)};
    lethe_ctx *ctx = NULL;
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    if (drawn) {
        uint32_t n = (uint32_t)number(argc, argv, 1, 500);
        size_t n_threats = number(argc, argv, 2, 40000);
        need(n > FAN * FAN && n_threats >= 100, "more than 25 leaves and 100 threats: that");
        for (int kind = 0; kind < KINDS; kind++)
            run_drawn(ctx, kind, n, n_threats);
    } else {
        lethe_kl kl = {
            .k = number(argc, argv, 2, 5), .l = 1, .m = (uint32_t)number(argc, argv, 3, 3)};
        for (uint64_t seed = 1; seed <= TAXONOMIES; seed++)
            run_sets(ctx, argv[1], &kl, seed);
    }
    lethe_ctx_free(ctx);
    return 0;
}
