/* SPDX-License-Identifier: Apache-2.0 */
/* bench_records.c - How fast does a log become records, against a walk that only reads it?
 *
 *   bench_records LOG
 *
 * Ours: lethe_log_to_records with a gap of half an hour, for all words and for nouns, on one thread
 * and on two.  Yardstick: lethe_log_walk of the same log with a visitor that counts the rows.  Each
 * runs in a process of its own, warm, so that peaks can be told apart; the one of three with the
 * least processor time counts.  A core's queries a second are queries over user time, that of
 * opening WordNet taken off.  One JSON line each; nouns only where WordNet is installed. */
#include "algo/text/log_records.h"
#include "core/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, HALF_AN_HOUR = 1800 };

enum task { WALK, WORDS, NOUNS };
static const char *const names[] = {"walk", "words", "nouns"};

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_records: %s failed\n", step);
    exit(4);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

typedef struct figures { /* what the child tells its parent */
    double wall_s, user_s, system_s;
    uint64_t peak_bytes;
    uint64_t rows, queries, records, items, distinct_items;
    bool skipped;
} figures;

typedef struct tally {
    uint64_t rows;
    char apart[64];
} tally;

static lethe_err count_row(void *arg, unsigned w, const lethe_row *row)
{
    (void)row;
    ((tally *)arg)[w].rows++;
    return LETHE_OK;
}

static void walk(lethe_ctx *ctx, lethe_log *log)
{
    tally tallies[2] = {0};
    lethe_row_visitor v = {.row = count_row, .arg = tallies};
    need(lethe_log_walk(ctx, log, &v) == LETHE_OK, "walk");
    need(tallies[0].rows + tallies[1].rows == lethe_log_counts(log)->rows, "counting the rows");
}

static void make_records(lethe_ctx *ctx, lethe_log *log, const lethe_wordnet *nouns, figures *out)
{
    lethe_log_records_options how = {.gap_s = HALF_AN_HOUR, .nouns = nouns};
    lethe_log_records_result counts;
    lethe_records *r = NULL;
    need(lethe_log_to_records(ctx, log, &how, &counts, &r) == LETHE_OK, "making records");
    out->queries = counts.queries;
    out->records = r->n;
    out->items = r->start[r->n];
    out->distinct_items = lethe_dict_count(r->items);
    lethe_records_free(r);
}

static void run(const char *path, enum task task, unsigned threads, figures *out)
{
    lethe_settings set = {.n_threads = threads, .spill_dir = getenv("TMPDIR")};
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_ctx *ctx = NULL;
    lethe_log *log = NULL;
    lethe_wordnet *wn = NULL;
    struct rusage before, after;
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    out->skipped = task == NOUNS && lethe_wordnet_open(ctx, NULL, &wn) != LETHE_OK;
    if (out->skipped) return;
    need(lethe_log_files(ctx, &path, 1, &reading, &log) == LETHE_OK, "log");
    getrusage(RUSAGE_SELF, &before);
    double start = now();
    if (task == WALK)
        walk(ctx, log);
    else
        make_records(ctx, log, wn, out);
    out->wall_s = now() - start;
    getrusage(RUSAGE_SELF, &after);
    out->user_s = seconds_of(after.ru_utime) - seconds_of(before.ru_utime);
    out->system_s = seconds_of(after.ru_stime) - seconds_of(before.ru_stime);
    out->peak_bytes = (uint64_t)after.ru_maxrss << 10;
    out->rows = lethe_log_counts(log)->rows;
    lethe_log_free(log);
    lethe_wordnet_free(wn);
    lethe_ctx_free(ctx);
}

static figures measure(const char *path, enum task task, unsigned threads)
{
    figures *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    figures best = {.user_s = 1e9};
    for (int i = 0; i < ROUNDS; i++) {
        *shared = (figures){0};
        pid_t pid = fork();
        need(pid >= 0, "fork");
        if (pid == 0) {
            run(path, task, threads, shared);
            _exit(0);
        }
        int status;
        need(waitpid(pid, &status, 0) == pid && status == 0, names[task]);
        if (shared->user_s < best.user_s) best = *shared;
    }
    munmap(shared, sizeof *shared);
    return best;
}

static void compare(const char *path, enum task task, unsigned threads)
{
    figures ours = measure(path, task, threads), yard = measure(path, WALK, threads);
    if (ours.skipped) {
        fprintf(stderr, "bench_records: no WordNet, nouns are skipped\n");
        return;
    }
    need(ours.rows == yard.rows, "counting the rows");
    printf(
        "{\"bench\":\"records\",\"terms\":\"%s\",\"threads\":%u,"
        "\"yardstick\":\"lethe_log_walk of the same log\",\"ratio\":%.3f,"
        "\"queries_per_core_s\":%.0f,\"rows_per_core_s\":%.0f,\"yardstick_rows_per_core_s\":%.0f,",
        names[task], threads, yard.user_s / ours.user_s, (double)ours.queries / ours.user_s,
        (double)ours.rows / ours.user_s, (double)yard.rows / yard.user_s);
    printf("\"seconds\":%.3f,\"user_seconds\":%.3f,\"system_seconds\":%.3f,"
           "\"yardstick_user_seconds\":%.3f,"
           "\"rows\":%llu,\"queries\":%llu,\"records\":%llu,\"items\":%llu,"
           "\"distinct_items\":%llu,\"peak_bytes\":%llu,\"yardstick_peak_bytes\":%llu}\n",
           ours.wall_s, ours.user_s, ours.system_s, yard.user_s, (unsigned long long)ours.rows,
           (unsigned long long)ours.queries, (unsigned long long)ours.records,
           (unsigned long long)ours.items, (unsigned long long)ours.distinct_items,
           (unsigned long long)ours.peak_bytes, (unsigned long long)yard.peak_bytes);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench_records LOG\n");
        return 2;
    }
    for (unsigned threads = 1; threads <= 2; threads++) {
        compare(argv[1], WORDS, threads);
        compare(argv[1], NOUNS, threads);
    }
    return 0;
}
