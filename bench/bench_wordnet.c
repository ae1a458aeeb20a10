/* SPDX-License-Identifier: Apache-2.0 */
/* bench_wordnet.c - How soon is WordNet ready, and how fast are words reduced?
 *
 *   bench_wordnet [FOLDER]
 *
 * One JSON line each, the fastest of nine:
 *   open       the dictionary, on one thread and on all, against reading index.noun and data.noun
 *              and counting their lines; wall clock and processor time;
 *   tree       of all nouns, against adding its names to a dictionary;
 *   directory  of all nouns, against the same;
 *   reduce     every noun, its plural and a word that is none, against finding the same words in a
 *              dictionary of the nouns. */
#include "core/mem.h"
#include "lexicon/wordnet/wordnet.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 9 };

typedef struct cost {
    double wall_s, cpu_s;
} cost;

static double clock_s(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cost now(void)
{
    return (cost){clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_PROCESS_CPUTIME_ID)};
}

/* Keeps the least of what was spent since `start`. */
static void keep_least(cost *best, cost start)
{
    cost end = now();
    best->wall_s = LETHE_MIN(best->wall_s, end.wall_s - start.wall_s);
    best->cpu_s = LETHE_MIN(best->cpu_s, end.cpu_s - start.cpu_s);
}

static const cost most = {1e30, 1e30};

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_wordnet: %s failed\n", what);
    exit(4);
}

static void say(void *none, const lethe_message *m)
{
    (void)none;
    fprintf(stderr, "bench_wordnet: %s\n", m->text);
}

static void print(const char *what, cost ours, cost yardstick, const char *name, double per_s)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"bench\":\"wordnet\",\"what\":\"%s\",\"yardstick\":\"%s\",\"ratio\":%.3f,\"ms\":%.2f,"
           "\"cpu_ms\":%.2f,\"yardstick_ms\":%.2f,\"per_s\":%.0f,\"peak_bytes\":%lld}\n",
           what, name, yardstick.wall_s / ours.wall_s, ours.wall_s * 1e3, ours.cpu_s * 1e3,
           yardstick.wall_s * 1e3, per_s, (long long)use.ru_maxrss * 1024);
}

/* --- opening --- */

static size_t count_lines(const char *dir, const char *name)
{
    static char buf[1 << 20];
    char path[4096];
    size_t lines = 0;
    ssize_t n;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_RDONLY);
    need(fd >= 0, path);
    while ((n = read(fd, buf, sizeof buf)) > 0)
        for (char *p = buf; (p = memchr(p, '\n', (size_t)(buf + n - p))); p++)
            lines++;
    close(fd);
    return lines;
}

static void bench_open(const char *dir, unsigned n_threads, const char *what)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = n_threads, .on_message = say};
    cost ours = most, yardstick = most;
    need(lethe_ctx_new(&settings, &ctx) == LETHE_OK, "context");
    for (int i = 0; i < RUNS; i++) {
        cost start = now();
        need(count_lines(dir, "index.noun") + count_lines(dir, "data.noun") > 0, "reading");
        keep_least(&yardstick, start);
        lethe_wordnet *wn = NULL;
        start = now();
        need(lethe_wordnet_open(ctx, dir, &wn) == LETHE_OK, "opening");
        keep_least(&ours, start);
        lethe_wordnet_free(wn);
    }
    lethe_ctx_free(ctx);
    print(what, ours, yardstick, "read and count lines", 1 / ours.wall_s);
}

/* --- the tree and the directory --- */

static lethe_dict *dict_of(const lethe_tree *t)
{
    uint32_t id;
    lethe_dict *names = lethe_dict_new();
    need(names != NULL, "dictionary");
    for (uint32_t v = 0; v < t->n; v++)
        need(lethe_dict_add(names, lethe_tree_name(t, v), &id) == LETHE_OK, "dictionary");
    return names;
}

static void bench_built(const lethe_wordnet *wn)
{
    cost tree = most, directory = most, yardstick = most;
    for (int i = 0; i < RUNS; i++) {
        lethe_tree *t = NULL;
        lethe_directory *dir = NULL;
        cost start = now();
        need(lethe_wordnet_tree(NULL, wn, NULL, 0, false, &t) == LETHE_OK, "tree");
        keep_least(&tree, start);
        start = now();
        need(lethe_wordnet_directory(wn, &dir) == LETHE_OK, "directory");
        keep_least(&directory, start);
        start = now();
        lethe_dict *names = dict_of(t);
        keep_least(&yardstick, start);
        lethe_dict_free(names);
        lethe_tree_free(t);
        lethe_directory_free(dir);
    }
    print("tree", tree, yardstick, "names to a dictionary", 1 / tree.wall_s);
    print("directory", directory, yardstick, "names to a dictionary", 1 / directory.wall_s);
}

/* --- reducing --- */

typedef struct words {
    lethe_str *at;
    size_t n;
} words;

/* Each noun, its plural, and that with a letter that makes it none; in no order. */
static words make_words(const lethe_wordnet *wn)
{
    static const char *const ends[] = {"", "s", "sq"};
    uint32_t n = lethe_wordnet_nouns(wn);
    words w = {calloc(n, 3 * sizeof *w.at), 3 * (size_t)n};
    need(w.at != NULL, "memory");
    for (size_t i = 0; i < w.n; i++) {
        size_t j = i * 7919 % w.n; // a prime that does not divide it
        lethe_str noun = lethe_wordnet_noun(wn, (uint32_t)(j / 3));
        char *text = malloc(noun.n + 3);
        need(text != NULL, "memory");
        int len = snprintf(text, noun.n + 3, "%.*s%s", (int)noun.n, noun.at, ends[j % 3]);
        w.at[i] = (lethe_str){text, (size_t)len};
    }
    return w;
}

static void bench_reduce(const lethe_wordnet *wn)
{
    words w = make_words(wn);
    lethe_dict *nouns = lethe_dict_new();
    cost ours = most, yardstick = most;
    uint64_t found[2] = {0};
    uint32_t id;
    need(nouns != NULL, "dictionary");
    for (uint32_t i = 0; i < lethe_wordnet_nouns(wn); i++)
        need(lethe_dict_add(nouns, lethe_wordnet_noun(wn, i), &id) == LETHE_OK, "dictionary");
    for (int run = 0; run < RUNS; run++) {
        cost start = now();
        for (size_t i = 0; i < w.n; i++)
            found[0] += lethe_wordnet_reduce(wn, w.at[i]) != LETHE_NONE;
        keep_least(&ours, start);
        start = now();
        for (size_t i = 0; i < w.n; i++)
            found[1] += lethe_dict_find(nouns, w.at[i]) != LETHE_NONE;
        keep_least(&yardstick, start);
    }
    need(found[0] > found[1], "reducing");
    print("reduce", ours, yardstick, "find in a dictionary", (double)w.n / ours.wall_s);
    for (size_t i = 0; i < w.n; i++)
        free((char *)(uintptr_t)w.at[i].at);
    free(w.at);
    lethe_dict_free(nouns);
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : "/usr/share/wordnet";
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.on_message = say};
    lethe_wordnet *wn = NULL;
    bench_open(dir, 1, "open, one thread");
    bench_open(dir, 0, "open");
    need(lethe_ctx_new(&settings, &ctx) == LETHE_OK, "context");
    need(lethe_wordnet_open(ctx, dir, &wn) == LETHE_OK, "opening");
    bench_built(wn);
    bench_reduce(wn);
    lethe_wordnet_free(wn);
    lethe_ctx_free(ctx);
    return 0;
}
