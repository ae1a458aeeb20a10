/* SPDX-License-Identifier: Apache-2.0 */
/* How fast are fields split, against counting lines?
 *
 * Reads FILE through source, blocks and the TSV walker on one thread, and runs `wc -l FILE`, in
 * turns, five times each; the fastest of each counts.  The first run of wc warms the page cache. */
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, BLOCK_BYTES = 1 << 20, MAX_FIELDS = 16 };
extern char **environ;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(void *none, const lethe_message *m)
{
    (void)none;
    fprintf(stderr, "bench_fields: %s\n", m->text);
}

typedef struct sums {
    uint64_t lines, fields, bytes; /* bytes: of the fields */
} sums;

static lethe_err split_blocks(lethe_blocks *blocks, sums *out)
{
    lethe_block block = {0};
    bool more;
    lethe_err e;
    while ((e = lethe_blocks_next(blocks, &block, &more)) == LETHE_OK && more) {
        lethe_tsv t = lethe_tsv_begin(block.text, '\t');
        lethe_str f[MAX_FIELDS], line;
        uint32_t n;
        while (lethe_tsv_next(&t, f, MAX_FIELDS, &n, &line)) {
            out->lines++;
            out->fields += n;
            for (uint32_t i = 0; i < n && i < MAX_FIELDS; i++)
                out->bytes += f[i].n; // every field is looked at
        }
    }
    lethe_block_free(&block);
    return e;
}

static lethe_err split_file(lethe_diag *d, const char *path, sums *out)
{
    lethe_source *source;
    lethe_blocks *blocks;
    LETHE_TRY(lethe_source_open(d, path, &source));
    LETHE_TRY(lethe_blocks_new(d, source, LETHE_CUT_LINES, '\t', BLOCK_BYTES, &blocks));
    lethe_err e = split_blocks(blocks, out);
    lethe_blocks_free(blocks);
    return e;
}

/* Seconds that wc takes, its start among them; below 0 if it fails. */
static double run_wc(const char *path)
{
    char *const argv[] = {"wc", "-l", "--", (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = 1;
    if (posix_spawn_file_actions_init(&quiet) != 0) return -1;
    int e = posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double start = now_s();
    if (e == 0) e = posix_spawnp(&child, "wc", &quiet, NULL, argv, environ);
    if (e == 0 && waitpid(child, &status, 0) != child) status = 1;
    double took = now_s() - start;
    posix_spawn_file_actions_destroy(&quiet);
    return e == 0 && status == 0 ? took : -1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench_fields FILE\n");
        return 2;
    }
    lethe_diag *d = lethe_diag_new(say, NULL);
    if (!d) return 4;
    double best = 1e30, best_wc = 1e30;
    sums total = {0};
    for (int i = 0; i < RUNS; i++) {
        double wc = run_wc(argv[1]);
        if (wc < 0) {
            fprintf(stderr, "bench_fields: cannot run wc\n");
            return 4;
        }
        total = (sums){0};
        double start = now_s();
        lethe_err e = split_file(d, argv[1], &total);
        double took = now_s() - start;
        if (e != LETHE_OK) return lethe_exit_status(e);
        best_wc = LETHE_MIN(best_wc, wc);
        best = LETHE_MIN(best, took);
    }
    lethe_diag_free(d);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    double gb = 1e-9 * (double)(total.bytes + total.fields); // a field and what ends it
    printf("{\"bench\":\"fields\",\"yardstick\":\"wc -l\",\"ratio\":%.3f,\"gb_per_s\":%.3f,"
           "\"yardstick_gb_per_s\":%.3f,\"lines\":%llu,\"fields\":%llu,\"peak_bytes\":%lld}\n",
           best_wc / best, gb / best, gb / best_wc, (unsigned long long)total.lines,
           (unsigned long long)total.fields, (long long)use.ru_maxrss * 1024);
    return 0;
}
