/* SPDX-License-Identifier: Apache-2.0 */
/* bench_refine.c - How much less is distorted after refinement, and by other groups to begin with,
 * and how many times does it cost what Clump with r = 10 costs?
 *
 *   bench_refine [-ROUNDS] K LOG [COLUMNS]        one record a user: its nouns, each once; WordNet
 *   bench_refine [-ROUNDS] K --records FILE TREE  records as they are; a file of child TAB parent
 *   bench_refine                                  k = 5, 20 rounds, a synthetic log of 5,000 users
 *
 * Yardstick: lethe_clump_run with r = 10, by the total cost, as the paper has it, on the same
 * records. Starts: that; r = all; both by the increase; and lethe_refine_start with some windows.
 * Each is refined in ROUNDS rounds (1000: until nothing changes).  Seconds are processor time; one
 * thread. One JSON line each. */
#include "method/cluster/clump/clumps.h"
#include "algo/text/log_records.h"
#include "method/cluster/refine/refine_ggd.h"
#include "method/cluster/refine/refine_start.h"
#include "release/commands.h"
#include "lexicon/taxonomy.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_refine: %s failed\n", step);
    exit(4);
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct input {
    lethe_ctx *ctx;
    lethe_records *records;
    lethe_tree *tree;
    lethe_arena *arena;
    lethe_ancestors *vector;
    uint32_t *order; /* by size, falling */
    double items;
    uint64_t k, rounds;
} input;

static void read_log(input *in, const char *path, const char *columns)
{
    lethe_wordnet *wn = NULL;
    lethe_log *log = NULL;
    lethe_records *r = NULL;
    lethe_log_records_result counts;
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL, .columns = columns};
    need(lethe_wordnet_open(in->ctx, NULL, &wn) == LETHE_OK, "opening WordNet");
    need(lethe_log_files(in->ctx, &path, 1, &reading, &log) == LETHE_OK, "log");
    lethe_log_records_options how = {.gap_s = LETHE_GAP_ALL, .distinct = true, .nouns = wn};
    need(lethe_log_to_records(in->ctx, log, &how, &counts, &r) == LETHE_OK, "making records");
    need(lethe_taxonomy_bind(in->ctx, "wordnet", wn, false, LETHE_NAMES_TERMS, false, r,
                             &in->records, &in->tree) == LETHE_OK,
         "taxonomy");
    lethe_log_free(log);
    lethe_wordnet_free(wn);
}

static void read_records(input *in, const char *path, const char *tree)
{
    lethe_records *r = NULL;
    need(lethe_records_read(in->ctx, &path, 1, &(lethe_read_options){.strict = false}, &r) ==
             LETHE_OK,
         "records");
    need(lethe_taxonomy_bind(in->ctx, tree, NULL, false, LETHE_NAMES_ITEMS, false, r, &in->records,
                             &in->tree) == LETHE_OK,
         "taxonomy");
}

/* A stable sort by counting down the sizes. */
static void put_in_order(input *in)
{
    const lethe_records *r = in->records;
    uint64_t longest = 0;
    size_t n = 0;
    in->order = lethe_alloc(r->n, sizeof *in->order);
    need(in->order != NULL, "memory");
    for (size_t i = 0; i < r->n; i++)
        longest = LETHE_MAX(longest, lethe_record_size(r, i));
    for (uint64_t size = longest + 1; size-- > 0;)
        for (uint32_t i = 0; i < r->n; i++)
            if (lethe_record_size(r, i) == size) in->order[n++] = i;
    in->items = (double)r->start[r->n];
}

typedef struct start {
    const char *name;
    uint64_t r; /* of Clump; or, */
    bool increase;
    uint64_t window; /* if over 0, of the nearest */
} start;

static double begin_groups(const input *in, const start *s, lethe_refine_grouping *g)
{
    double t = cpu();
    if (s->window > 0) {
        need(lethe_refine_start(in->ctx, in->tree, in->vector, s->window, g) == LETHE_OK, s->name);
        return cpu() - t;
    }
    lethe_arena *a = lethe_arena_new();
    lethe_clump_groups c;
    lethe_clump_options how = {.t = in->tree,
                               .records = in->records,
                               .vector = in->vector,
                               .order = in->order,
                               .k = in->k,
                               .r = s->r,
                               .increase = s->increase};
    need(a && lethe_clump_run(in->ctx, &how, a, &c) == LETHE_OK, s->name);
    t = cpu() - t;
    g->n_groups = c.n;
    memcpy(g->group, c.group, g->n * sizeof *g->group);
    lethe_arena_free(a);
    return t;
}

typedef struct yardstick {
    double ggd, seconds;
} yardstick;

static void measure(const input *in, const start *s, yardstick *yard)
{
    const lethe_records *r = in->records;
    double scale = lethe_tree_scale(in->tree);
    lethe_refine_grouping g = {.n = r->n, .owner = r->owner, .n_owners = r->n_owners, .k = in->k};
    lethe_refine_result done;
    g.group = lethe_alloc(r->n, sizeof *g.group);
    need(g.group != NULL, "memory");
    double started_s = begin_groups(in, s, &g), t = cpu();
    need(lethe_refine_ggd(in->ctx, in->tree, in->vector, in->rounds, &g, &done) == LETHE_OK,
         "refining");
    t = cpu() - t;
    double before = (double)done.cost_before / scale, after = (double)done.cost_after / scale;
    if (yard->ggd == 0) *yard = (yardstick){before, started_s};
    printf("{\"bench\":\"refine\",\"start\":\"%s\",\"k\":%llu,\"records\":%zu,"
           "\"yardstick\":\"lethe_clump_run, r = 10\",\"start_ggd\":%.1f,\"start_per_item\":%.4f,"
           "\"start_seconds\":%.3f,\"start_ratio\":%.3f,\"start_times\":%.2f,",
           s->name, (unsigned long long)in->k, r->n, before, before / in->items, started_s,
           before / yard->ggd, started_s / yard->seconds);
    printf("\"ggd\":%.1f,\"per_item\":%.4f,\"ratio\":%.3f,\"seconds\":%.3f,\"times\":%.2f,"
           "\"rounds\":%llu,\"moves\":%llu,\"swaps\":%llu,\"splits\":%llu,\"dissolved\":%llu,"
           "\"groups\":%u,\"settled\":%s}\n",
           after, after / in->items, after / yard->ggd, t, t / yard->seconds,
           (unsigned long long)done.rounds, (unsigned long long)done.moves,
           (unsigned long long)done.swaps, (unsigned long long)done.splits,
           (unsigned long long)done.dissolved, g.n_groups, done.settled ? "true" : "false");
    fflush(stdout);
    lethe_free(g.group);
}

static const start starts[] = {
    {"clump, r = 10", 10, false, 0},          {"clump, r = all", UINT64_MAX, false, 0},
    {"clump, r = 10, increase", 10, true, 0}, {"clump, r = all, increase", UINT64_MAX, true, 0},
    {"nearest of 100", 0, false, 100},        {"nearest of 200", 0, false, 200},
    {"nearest of 1000", 0, false, 1000},      {"nearest of 2000", 0, false, 2000},
    {"nearest of 4000", 0, false, 4000},      {"nearest of all", 0, false, UINT64_MAX}};

/* A log that is gone again once it is read. */
static void make_log(input *in)
{
    char path[] = "/tmp/bench-refine-XXXXXX";
    int fd = mkstemp(path);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    lethe_synth_options s = {.version = 1,
                             .users = 5000,
                             .queries_per_user = 60,
                             .has_seed = true,
                             .seed = 1,
                             .out = path,
                             .force = true};
    need(fd >= 0 && doc && lethe_synth_log(in->ctx, &s, doc, &report) == LETHE_OK, "synthetic log");
    close(fd);
    lethe_json_doc_free(doc);
    read_log(in, path, NULL);
    unlink(path);
}

int main(int argc, char **argv)
{
    lethe_settings set = {.n_threads = 1};
    input in = {.rounds = 1000};
    bool own = argc == 1;
    if (argc > 1 && argv[1][0] == '-') {
        in.rounds = strtoull(argv[1] + 1, NULL, 10);
        argv++;
        argc--;
    }
    in.k = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
    if (own) in.rounds = 20;
    if ((!own && argc < 3) || argc > 5 || in.k == 0) {
        fprintf(
            stderr,
            "usage: bench_refine [-ROUNDS] K LOG [COLUMNS] | [-ROUNDS] K --records FILE TREE\n");
        return 2;
    }
    need(lethe_ctx_new(&set, &in.ctx) == LETHE_OK, "context");
    if (own)
        make_log(&in);
    else if (argc == 5)
        read_records(&in, argv[3], argv[4]);
    else
        read_log(&in, argv[2], argc == 4 ? argv[3] : NULL);
    in.arena = lethe_arena_new();
    need(in.arena &&
             lethe_ancestors_all(in.ctx, in.tree, in.records, in.arena, &in.vector) == LETHE_OK,
         "counting");
    put_in_order(&in);
    yardstick yard = {0};
    for (size_t i = 0; i < LETHE_COUNT(starts); i++)
        measure(&in, &starts[i], &yard);
    lethe_free(in.order);
    lethe_records_free(in.records);
    lethe_tree_free(in.tree);
    lethe_arena_free(in.arena);
    lethe_ctx_free(in.ctx);
    return 0;
}
