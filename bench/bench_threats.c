/* SPDX-License-Identifier: Apache-2.0 */
/* bench_threats.c - What does it cost to know which sets of items a cut must not show?
 *
 *   bench_threats [WHAT]
 *
 * On BMS-WebView-1 and Groceries (in the folder LETHE_DATA; left out where they are not there),
 * under random taxonomies of fan-out 5, on one thread: (m,n,k,l) = (3,0,5,1) by each set of
 * prunings of Table 4.4 (J. Liu, 2010), the yardstick being the literal search with none of
 * them (`ratio`: its time over ours); then by all prunings m = 6, (3,3,5,1), and (3,3,5,5) with 60
 * sensitive items, without and with `strict`; and samples of 100,000 to 1,000,000 sets.  Each runs
 * in a process of its own; processor time without reading, the least of three (those that take
 * longer than ten seconds: of one).  `peak_bytes` is what the search adds to what holds the sets.
 * One JSON line each; WHAT: those alone whose name begins so. */
#include "method/itemset/threats/threats.h"
#include "core/mem.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, FANOUT = 5, SENSITIVE = 60, NONE = 15 };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_threats: %s failed\n", step);
    exit(4);
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A line of /proc/self/status, in bytes; 0 where there is none. */
static uint64_t status_of(const char *name)
{
    char line[256];
    uint64_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kb = strtoull(line + strlen(name) + 1, NULL, 10); // after the colon
    if (f) fclose(f);
    return kb << 10;
}

/* Forgets the peak so far, and gives what is held now. */
static uint64_t peak_begin(void)
{
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return status_of("VmRSS");
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

/* --- the sets --- */

/* Leaves in random order, five below a node, and these five below another, up to one root. */
static lethe_tree *random_tree(uint32_t n_leaves, uint64_t *seed)
{
    uint32_t n = n_leaves, width = n_leaves;
    for (; width > 1; n += width)
        width = (width + FANOUT - 1) / FANOUT;
    uint32_t *parent = calloc(n, sizeof *parent), *order = calloc(n, sizeof *order);
    lethe_str *names = calloc(n, sizeof *names);
    char(*text)[16] = calloc(n, sizeof *text);
    lethe_tree *t = NULL;
    need(parent && order && names && text, "memory");
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        names[i] = (lethe_str){text[i], (size_t)snprintf(text[i], sizeof *text, "%u", i)};
    }
    for (uint32_t i = n_leaves; i > 1; i--) {
        uint32_t k = draw(seed, i), swap = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swap;
    }
    for (uint32_t begin = 0, w = n_leaves; w > 1; begin += w, w = (w + FANOUT - 1) / FANOUT)
        for (uint32_t i = 0; i < w; i++)
            parent[order[begin + i]] = begin + w + i / FANOUT;
    parent[n - 1] = LETHE_NONE;
    need(lethe_tree_from(NULL, n, parent, names, &t) == LETHE_OK, "taxonomy");
    free(parent);
    free(order);
    free(names);
    free(text);
    return t;
}

typedef struct data {
    lethe_records r;
    lethe_tree *t;
} data;

/* The first `n_marks` of the items in random order are sensitive; `n` sets are drawn with
 * repetition, or all are taken (0). */
static data make(const lethe_records *in, uint64_t seed, uint32_t n_marks, size_t n)
{
    uint32_t n_items = lethe_dict_count(in->items), n_leaves = 0;
    uint32_t *leaf = calloc(n_items, sizeof *leaf), *mark = calloc(n_items, sizeof *mark);
    lethe_dict *marks = lethe_dict_new();
    size_t all = n ? n : in->n, items = 0;
    uint64_t *start = calloc(all + 1, sizeof *start), *mark_start = calloc(all + 1, sizeof *start);
    need(leaf && mark && marks && start && mark_start, "memory");
    for (uint32_t i = 0; i < n_items; i++)
        mark[i] = LETHE_NONE;
    while (lethe_dict_count(marks) < n_marks) {
        uint32_t i = draw(&seed, n_items);
        if (mark[i] == LETHE_NONE)
            need(lethe_dict_add(marks, lethe_dict_at(in->items, i), &mark[i]) == LETHE_OK, "marks");
    }
    for (uint32_t i = 0; i < n_items; i++)
        leaf[i] = mark[i] == LETHE_NONE ? n_leaves++ : LETHE_NONE;
    data d = {.t = random_tree(n_leaves, &seed)};
    uint64_t of_sample = seed;
    for (size_t i = 0; i < all; i++)
        items += lethe_record_size(in, n ? draw(&seed, (uint32_t)in->n) : i);
    uint32_t *item = calloc(items, sizeof *item), *marked = calloc(items, sizeof *marked);
    uint8_t *in_set = calloc(d.t->n, 1);
    need(item && marked && in_set, "memory");
    for (size_t i = 0; i < all; i++) {
        size_t r = n ? draw(&of_sample, (uint32_t)in->n) : i;
        uint64_t at = start[i], m = mark_start[i];
        for (uint64_t k = in->start[r]; k < in->start[r + 1]; k++) {
            uint32_t x = in->item[k], v = leaf[x] == LETHE_NONE ? 0 : d.t->node[leaf[x]];
            uint64_t to = at;
            if (mark[x] != LETHE_NONE) {
                marked[m++] = mark[x];
                continue;
            }
            if (in_set[v]++) continue;
            for (; to > start[i] && item[to - 1] > v; to--)
                item[to] = item[to - 1];
            item[to] = v;
            at++;
        }
        for (uint64_t k = start[i]; k < at; k++)
            in_set[item[k]] = 0;
        start[i + 1] = at;
        mark_start[i + 1] = m;
    }
    free(leaf);
    free(mark);
    free(in_set);
    d.r = (lethe_records){.n = all,
                          .start = start,
                          .item = item,
                          .marks = marks,
                          .mark_start = mark_start,
                          .mark = marked};
    return d;
}

/* --- runs --- */

typedef struct task {
    const char *what;
    const char *file;
    lethe_kl kl;
    unsigned without;
    size_t sample; /* 0: all sets */
} task;

typedef struct figures { /* what the child tells its parent */
    double seconds;
    uint64_t sets, nodes, stored, threats, locked, peak_bytes;
} figures;

static void run(const char *path, const task *k, figures *out)
{
    lethe_ctx *ctx = NULL;
    lethe_records *in = NULL;
    lethe_threats found;
    need(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK, "context");
    need(lethe_records_read(ctx, &path, 1, &(lethe_read_options){.strict = false}, &in) == LETHE_OK,
         "reading");
    data d = make(in, 1, k->kl.l > 1 ? SENSITIVE : 0, k->sample);
    lethe_records_free(in);
    uint64_t before = peak_begin();
    double start = cpu();
    need(lethe_threats_find(ctx, &d.r, d.t, &k->kl, k->without, &found) == LETHE_OK, "the search");
    out->seconds = cpu() - start;
    out->peak_bytes = status_of("VmHWM") - before;
    out->sets = d.r.n;
    out->nodes = found.nodes;
    out->stored = found.stored;
    out->threats = found.n;
    for (uint32_t v = 0; v < d.t->n; v++)
        out->locked += found.locked[v];
}

static figures measure(const char *path, const task *k)
{
    figures *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    figures best = {.seconds = 1e9};
    for (int i = 0; i < ROUNDS && (i == 0 || best.seconds < 10); i++) {
        *shared = (figures){0};
        pid_t pid = fork();
        need(pid >= 0, "fork");
        if (pid == 0) {
            run(path, k, shared);
            _exit(0);
        }
        int status;
        need(waitpid(pid, &status, 0) == pid && status == 0, "a run");
        if (shared->seconds < best.seconds) best = *shared;
    }
    munmap(shared, sizeof *shared);
    return best;
}

static figures show(const char *path, const task *k, const figures *yard)
{
    figures f = measure(path, k);
    printf("{\"bench\":\"threats\",\"what\":\"%s\",\"m\":%u,\"n\":%llu,\"k\":%llu,\"l\":%g,"
           "\"strict\":%s,",
           k->what, k->kl.m, (unsigned long long)k->kl.n, (unsigned long long)k->kl.k, k->kl.l,
           k->kl.strict ? "true" : "false");
    if (yard)
        printf("\"yardstick\":\"no prunings\",\"ratio\":%.3f,\"nodes_share\":%.4f,"
               "\"stored_share\":%.4f,",
               yard->seconds / f.seconds, (double)f.nodes / (double)yard->nodes,
               (double)f.stored / (double)yard->stored);
    printf("\"seconds\":%.4f,\"nodes\":%llu,\"stored\":%llu,\"threats\":%llu,\"locked\":%llu,"
           "\"sets\":%llu,\"peak_bytes\":%llu}\n",
           f.seconds, (unsigned long long)f.nodes, (unsigned long long)f.stored,
           (unsigned long long)f.threats, (unsigned long long)f.locked, (unsigned long long)f.sets,
           (unsigned long long)f.peak_bytes);
    fflush(stdout);
    return f;
}

static const char WV1[] = "BMS-WebView-1.dat.zst", GROCERIES[] = "groceries.dat.zst";

int main(int argc, char **argv)
{
    enum { I = LETHE_PRUNE_GLOBAL, II = LETHE_PRUNE_LOCAL, III = LETHE_PRUNE_GENERIC };
    enum { IV = LETHE_PRUNE_LOCKED };
    const lethe_kl usual = {.k = 5, .l = 1, .m = 3}, large = {.k = 5, .l = 1, .m = 6};
    const lethe_kl absent = {.k = 5, .l = 1, .m = 3, .n = 3};
    const lethe_kl general = {.k = 5, .l = 5, .m = 3, .n = 3},
                   strict = {.k = 5, .l = 5, .m = 3, .n = 3, .strict = true};
    const task tasks[] = {
        {"WV1 none", WV1, usual, NONE, 0}, /* the yardstick of those that follow */
        {"WV1 I", WV1, usual, NONE - I, 0},
        {"WV1 II", WV1, usual, NONE - II, 0},
        {"WV1 III", WV1, usual, NONE - III, 0},
        {"WV1 I II III", WV1, usual, NONE - I - II - III, 0},
        {"WV1 IV", WV1, usual, NONE - IV, 0},
        {"WV1 all", WV1, usual, 0, 0},
        {"WV1 m=6", WV1, large, 0, 0},
        {"WV1 absent", WV1, absent, 0, 0},
        {"WV1 general", WV1, general, 0, 0},
        {"WV1 strict", WV1, strict, 0, 0},
        {"Groceries none", GROCERIES, usual, NONE, 0},
        {"Groceries all", GROCERIES, usual, 0, 0},
        {"Groceries m=6", GROCERIES, large, 0, 0},
        {"Groceries general", GROCERIES, general, 0, 0},
        {"Groceries strict", GROCERIES, strict, 0, 0},
        {"sample 100000", WV1, usual, 0, 100000},
        {"sample 200000", WV1, usual, 0, 200000},
        {"sample 500000", WV1, usual, 0, 500000},
        {"sample 1000000", WV1, usual, 0, 1000000},
    };
    const char *dir = getenv("LETHE_DATA"), *only = argc > 1 ? argv[1] : "";
    figures yard = {0};
    const char *yard_of = NULL;
    for (size_t i = 0; i < LETHE_COUNT(tasks); i++) {
        const task *k = &tasks[i];
        char path[4096] = "";
        if (strncmp(k->what, only, strlen(only)) != 0) continue;
        if (dir) snprintf(path, sizeof path, "%s/%s", dir, k->file);
        if (access(path, R_OK) != 0) {
            fprintf(stderr, "bench_threats: no %s, left out\n", k->file);
            continue;
        }
        bool against = yard_of == k->file && k->kl.m == 3 && k->kl.n == 0 && k->sample == 0;
        figures f = show(path, k, against ? &yard : NULL);
        if (k->without == NONE) {
            yard = f;
            yard_of = k->file;
        }
    }
    return 0;
}
