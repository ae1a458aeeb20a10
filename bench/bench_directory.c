/* SPDX-License-Identifier: Apache-2.0 */
/* bench_directory.c - How fast is a directory read from its file, and how fast is a term found?
 *
 *   bench_directory [MEGABYTES]        (50)
 *
 * Makes a file of that size, of lines term TAB path, with words as common and as rare as those of a
 * language, in $TMPDIR; one JSON line each, the fastest of three:
 *   read    the file to a directory, against a bare pass over its bytes;
 *   find    a term's five best categories, against finding it in a dictionary. */
#include "core/dict.h"
#include "core/mem.h"
#include "model/knowledge/directory.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, N_WORDS = 400000, N_ASKED = 1000000 };

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
    fprintf(stderr, "bench_directory: %s failed\n", what);
    exit(4);
}

static void say(void *none, const lethe_message *m)
{
    (void)none;
    if (m->severity == LETHE_ERROR) fprintf(stderr, "bench_directory: %s\n", m->text);
}

static long long peak(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (long long)use.ru_maxrss * 1024;
}

static void print(const char *what, cost ours, cost yardstick, const char *name, double mb,
                  double per_s)
{
    printf("{\"bench\":\"directory\",\"what\":\"%s\",\"yardstick\":\"%s\",\"ratio\":%.3f,"
           "\"ms\":%.1f,\"cpu_ms\":%.1f,\"yardstick_ms\":%.1f,\"mb\":%.1f,\"per_s\":%.1f,"
           "\"peak_bytes\":%lld}\n",
           what, name, yardstick.cpu_s / ours.cpu_s, ours.wall_s * 1e3, ours.cpu_s * 1e3,
           yardstick.wall_s * 1e3, mb, per_s, peak());
    fflush(stdout);
}

/* --- the file --- */

static uint64_t state = 1;

static double unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* The word of a rank; ranks by Zipf's law, near enough. */
static void put_word(FILE *out, uint32_t rank)
{
    static const char *const parts[] = {"ba", "co", "di", "fe", "gu", "ha", "jo", "ki",
                                        "lu", "me", "no", "pi", "ra", "se", "tu", "vo"};
    do {
        fputs(parts[rank % 16], out);
        rank /= 16;
    } while (rank > 0);
}

static uint32_t random_rank(void) { return (uint32_t)pow(N_WORDS, unit()) - 1; }

static void make_file(const char *path, long long n_bytes)
{
    FILE *out = fopen(path, "w");
    need(out != NULL, "making the file");
    for (unsigned number = 1; ftell(out) < n_bytes; number++) {
        put_word(out, random_rank());
        fprintf(out, "\tBranch_%u/Section_%u/Part_%u/Topic_%u\n", number % 16, number % 240,
                number % 3600, number % 120000);
    }
    need(fclose(out) == 0, "making the file");
}

/* --- the yardstick --- */

static char chunk[1 << 17];

static void pass_bytes(const char *path)
{
    int fd = open(path, O_RDONLY);
    need(fd >= 0, path);
    while (read(fd, chunk, sizeof chunk) > 0)
        ;
    close(fd);
}

/* --- measuring --- */

static void bench_read(lethe_ctx *ctx, const char *path, double mb)
{
    cost ours = most, yardstick = most;
    for (int i = 0; i < RUNS; i++) {
        lethe_directory *dir = NULL;
        cost start = now();
        pass_bytes(path);
        keep_least(&yardstick, start);
        start = now();
        need(lethe_directory_read(ctx, path, &dir) == LETHE_OK, "reading");
        keep_least(&ours, start);
        lethe_directory_free(dir);
    }
    print("read", ours, yardstick, "a bare pass over the bytes", mb, mb / ours.wall_s);
}

static lethe_str word_of(uint32_t rank, char out[64])
{
    FILE *f = fmemopen(out, 64, "w");
    need(f != NULL, "memory");
    put_word(f, rank);
    fclose(f);
    return lethe_str_of(out);
}

static void bench_find(lethe_ctx *ctx, const char *path)
{
    static char text[N_WORDS][24];
    cost ours = most, yardstick = most;
    lethe_directory *dir = NULL;
    lethe_dict *words = lethe_dict_new();
    uint64_t found[2] = {0};
    uint32_t out[5], id;
    need(words != NULL && lethe_directory_read(ctx, path, &dir) == LETHE_OK, "reading");
    for (uint32_t i = 0; i < N_WORDS; i++) {
        char word[64];
        lethe_str s = word_of(i, word);
        memcpy(text[i], s.at, LETHE_MIN(s.n + 1, sizeof text[i]));
        need(lethe_dict_add(words, s, &id) == LETHE_OK, "dictionary");
    }
    for (int run = 0; run < RUNS; run++) {
        state = 5;
        cost start = now();
        for (int i = 0; i < N_ASKED; i++)
            found[0] += lethe_directory_find(dir, lethe_str_of(text[random_rank()]), 5, out) > 0;
        keep_least(&ours, start);
        state = 5;
        start = now();
        for (int i = 0; i < N_ASKED; i++)
            found[1] += lethe_dict_find(words, lethe_str_of(text[random_rank()])) != LETHE_NONE;
        keep_least(&yardstick, start);
    }
    need(found[0] > 0 && found[1] >= found[0], "finding");
    print("find", ours, yardstick, "find in a dictionary", 0, N_ASKED / ours.wall_s);
    lethe_dict_free(words);
    lethe_directory_free(dir);
}

int main(int argc, char **argv)
{
    double mb = argc > 1 ? atof(argv[1]) : 50;
    const char *tmp = getenv("TMPDIR");
    char path[4096];
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.on_message = say};
    need(mb > 0, "reading the size");
    snprintf(path, sizeof path, "%s/lethe-bench-XXXXXX", tmp ? tmp : "/tmp");
    int fd = mkstemp(path);
    need(fd >= 0, "making the file");
    close(fd);
    make_file(path, (long long)(mb * 1e6));
    need(lethe_ctx_new(&settings, &ctx) == LETHE_OK, "context");
    bench_read(ctx, path, mb);
    bench_find(ctx, path);
    lethe_ctx_free(ctx);
    unlink(path);
    return 0;
}
