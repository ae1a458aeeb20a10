/* SPDX-License-Identifier: Apache-2.0 */
/* bench_closed.c - What does a pattern cost, of the n most frequent closed ones?
 *
 *   bench_closed LOG
 *
 * n = 1000, 2000 and 5000, on BMS-WebView-1 (in the folder LETHE_DATA; left out where it is
 * not there) and on the records of the log (words, a gap of one hour), on one thread.  Two
 * yardsticks: ours, told the support that it would have found out (`known_ratio`: that over what
 * top-n costs), and Eclat with lists of transactions, told so too, which gives all frequent sets,
 * not only closed ones, and does not look whether they are (`ratio`).  Each runs in a process of
 * its own; processor time without reading, the least of three (Eclat: of one).  `peak_bytes` is
 * what mining adds to what holds the records.  Then BMS-WebView-2 at support 5 beside Eclat of
 * Borgelt's PyFIM, closed sets too, where LETHE_PYFIM is a Python that has it: `ratio` is its time
 * without reading, the sets as Python's objects, over ours, and `count_ratio` with counting alone.
 * One JSON line each. */
#include "algo/mine/closed.h"
#include "algo/text/log_records.h"
#include "core/mem.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, HOUR = 3600 };
enum task { TOP, KNOWN, ECLAT };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_closed: %s failed\n", step);
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

typedef struct figures { /* what the child tells its parent */
    double seconds;
    uint64_t patterns, least, longest, items, peak_bytes;
    uint64_t records, all_items, distinct_items;
} figures;

/* --- Eclat --- */

typedef struct list {
    uint32_t *at, n;
} list;

static uint64_t eclat(const list *l, uint32_t n, uint32_t least)
{
    uint64_t found = n;
    list *next = malloc((n + 1) * sizeof *next);
    need(next != NULL, "memory");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_next = 0;
        for (uint32_t j = i + 1; j < n; j++) {
            list m = {malloc((l[i].n + 1) * sizeof *m.at), 0};
            need(m.at != NULL, "memory");
            for (uint32_t a = 0, b = 0; a < l[i].n && b < l[j].n;) {
                uint32_t x = l[i].at[a], y = l[j].at[b];
                if (x == y) m.at[m.n++] = x;
                a += x <= y;
                b += y <= x;
            }
            if (m.n >= least)
                next[n_next++] = m;
            else
                free(m.at);
        }
        if (n_next > 0) found += eclat(next, n_next, least);
        while (n_next > 0)
            free(next[--n_next].at);
    }
    free(next);
    return found;
}

static int rarest_first(const void *a, const void *b)
{
    const list *x = a, *y = b;
    return (x->n > y->n) - (x->n < y->n);
}

/* How many frequent sets there are. */
static uint64_t eclat_all(const lethe_transactions *t, uint32_t least)
{
    list *l = calloc(t->n_items + 1, sizeof *l);
    uint64_t *first = calloc(t->n_items + 2, sizeof *first);
    uint32_t *all = malloc((t->start[t->n] + 1) * sizeof *all), kept = 0;
    need(l && first && all, "memory");
    for (uint64_t k = 0; k < t->start[t->n]; k++)
        first[t->item[k] + 1]++;
    for (uint32_t x = 0; x < t->n_items; x++)
        first[x + 1] += first[x];
    for (size_t i = 0; i < t->n; i++)
        for (uint64_t k = t->start[i]; k < t->start[i + 1]; k++) {
            list *x = &l[t->item[k]];
            x->at = all + first[t->item[k]];
            if (x->n == 0 || x->at[x->n - 1] != i) x->at[x->n++] = (uint32_t)i;
        }
    for (uint32_t x = 0; x < t->n_items; x++)
        if (l[x].n >= least) l[kept++] = l[x];
    qsort(l, kept, sizeof *l, rarest_first);
    uint64_t found = eclat(l, kept, least);
    free(l);
    free(first);
    free(all);
    return found;
}

/* --- a run --- */

static lethe_records *records_of(lethe_ctx *ctx, const char *path, bool log)
{
    lethe_records *r = NULL;
    if (!log) {
        need(lethe_records_read(ctx, &path, 1, &(lethe_read_options){.strict = false}, &r) ==
                 LETHE_OK,
             "records");
        return r;
    }
    lethe_log *l = NULL;
    lethe_log_records_result counts;
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log_records_options how = {.gap_s = HOUR};
    need(lethe_log_files(ctx, &path, 1, &reading, &l) == LETHE_OK, "log");
    need(lethe_log_to_records(ctx, l, &how, &counts, &r) == LETHE_OK, "making records");
    lethe_log_free(l);
    return r;
}

static void run(const char *path, bool log, enum task task, uint64_t n, uint64_t least,
                figures *out)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = 1, .spill_dir = getenv("TMPDIR")};
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    lethe_records *r = records_of(ctx, path, log);
    lethe_transactions t = lethe_transactions_of(r, lethe_dict_count(r->items));
    lethe_closed_asked asked = {.n = task == TOP ? n : 0, .support = task == TOP ? 0 : least};
    uint64_t before = peak_begin();
    double start = cpu();
    if (task == ECLAT) {
        out->patterns = eclat_all(&t, (uint32_t)least);
        out->seconds = cpu() - start;
        return;
    }
    lethe_itemsets *s = NULL;
    need(lethe_closed_find(ctx, &t, &asked, &s) == LETHE_OK, "mining");
    out->seconds = cpu() - start;
    out->peak_bytes = status_of("VmHWM") - before;
    out->patterns = s->n;
    out->least = s->least;
    out->items = s->start[s->n];
    for (size_t i = 0; i < s->n; i++)
        out->longest = LETHE_MAX(out->longest, s->start[i + 1] - s->start[i]);
    out->records = r->n;
    out->all_items = r->start[r->n];
    out->distinct_items = t.n_items;
}

static figures measure(const char *path, bool log, enum task task, uint64_t n, uint64_t least)
{
    figures *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    figures best = {.seconds = 1e9};
    for (int i = 0; i < (task == ECLAT ? 1 : ROUNDS); i++) {
        *shared = (figures){0};
        pid_t pid = fork();
        need(pid >= 0, "fork");
        if (pid == 0) {
            run(path, log, task, n, least, shared);
            _exit(0);
        }
        int status;
        need(waitpid(pid, &status, 0) == pid && status == 0, "a run");
        if (shared->seconds < best.seconds) best = *shared;
    }
    munmap(shared, sizeof *shared);
    return best;
}

static void compare(const char *what, const char *path, bool log, uint64_t n)
{
    figures top = measure(path, log, TOP, n, 0), known = measure(path, log, KNOWN, n, top.least),
            yard = measure(path, log, ECLAT, n, top.least);
    need(known.patterns == top.patterns && yard.patterns >= top.patterns, "agreement");
    printf("{\"bench\":\"closed\",\"what\":\"%s\",\"n\":%llu,\"yardstick\":\"Eclat, told the "
           "support: all frequent sets\",\"ratio\":%.3f,\"known_ratio\":%.3f,"
           "\"us_per_pattern\":%.3f,\"yardstick_us_per_set\":%.3f,",
           what, (unsigned long long)n, yard.seconds / top.seconds, known.seconds / top.seconds,
           1e6 * top.seconds / (double)top.patterns, 1e6 * yard.seconds / (double)yard.patterns);
    printf("\"seconds\":%.4f,\"known_seconds\":%.4f,\"yardstick_seconds\":%.4f,\"patterns\":%llu,"
           "\"yardstick_sets\":%llu,\"least\":%llu,\"longest\":%llu,\"mean_size\":%.3f,",
           top.seconds, known.seconds, yard.seconds, (unsigned long long)top.patterns,
           (unsigned long long)yard.patterns, (unsigned long long)top.least,
           (unsigned long long)top.longest, (double)top.items / (double)top.patterns);
    printf("\"records\":%llu,\"items\":%llu,\"distinct_items\":%llu,\"peak_bytes\":%llu}\n",
           (unsigned long long)top.records, (unsigned long long)top.all_items,
           (unsigned long long)top.distinct_items, (unsigned long long)top.peak_bytes);
    fflush(stdout);
}

/* Seconds of PyFIM's Eclat, the least of three, told what to report; 0: it is not there. */
static double pyfim(const char *path, uint64_t least, char report, uint64_t *sets)
{
    static const char program[] =
        "import sys, time, fim, subprocess\n"
        "text = subprocess.run(['zstd', '-dcq', sys.argv[1]], capture_output=True).stdout\n"
        "rows = [tuple(map(int, line.split())) for line in text.decode().splitlines()]\n"
        "best = 1e9\n"
        "for _ in range(3):\n"
        "    start = time.process_time()\n"
        "    got = fim.eclat(rows, target='c', supp=-int(sys.argv[2]), zmin=1, "
        "report=sys.argv[3])\n"
        "    best = min(best, time.process_time() - start)\n"
        "print(best, len(got) if sys.argv[3] == 'a' else int(sum(got.values())))\n";
    const char *python = getenv("LETHE_PYFIM");
    char command[8192];
    double seconds = 0;
    unsigned long long n = 0;
    if (!python || strchr(python, '\'') || strchr(path, '\'')) return 0;
    setenv("LETHE_PYFIM_PROGRAM", program, 1);
    snprintf(command, sizeof command, "'%s' -c \"$LETHE_PYFIM_PROGRAM\" '%s' %llu '%c'", python,
             path, (unsigned long long)least, report);
    FILE *f = popen(command, "r");
    need(f != NULL, "PyFIM");
    need(fscanf(f, "%lf %llu", &seconds, &n) == 2, "PyFIM");
    need(pclose(f) == 0, "PyFIM");
    *sets = n;
    return seconds;
}

static void compare_at(const char *what, const char *path, uint64_t least)
{
    figures known = measure(path, false, KNOWN, 0, least);
    uint64_t listed = 0, counted = 0;
    double list_s = pyfim(path, least, 'a', &listed), count_s = pyfim(path, least, '#', &counted);
    printf("{\"bench\":\"closed\",\"what\":\"%s\",\"support\":%llu,", what,
           (unsigned long long)least);
    if (list_s > 0) {
        need(listed == known.patterns && counted == known.patterns, "agreement with PyFIM");
        printf("\"yardstick\":\"Eclat of PyFIM, closed sets\",\"ratio\":%.3f,"
               "\"count_ratio\":%.3f,\"yardstick_seconds\":%.4f,\"count_seconds\":%.4f,",
               list_s / known.seconds, count_s / known.seconds, list_s, count_s);
    } else {
        printf("\"yardstick\":\"none: LETHE_PYFIM is no Python with PyFIM\",");
    }
    printf("\"seconds\":%.4f,\"patterns\":%llu,\"records\":%llu,\"items\":%llu,"
           "\"peak_bytes\":%llu}\n",
           known.seconds, (unsigned long long)known.patterns, (unsigned long long)known.records,
           (unsigned long long)known.all_items, (unsigned long long)known.peak_bytes);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const uint64_t n[] = {1000, 2000, 5000};
    const char *data = getenv("LETHE_DATA");
    char bms[4096] = "", large[4096] = "";
    if (argc != 2) {
        fprintf(stderr, "usage: bench_closed LOG\n");
        return 2;
    }
    if (data) snprintf(bms, sizeof bms, "%s/BMS-WebView-1.dat.zst", data);
    if (data) snprintf(large, sizeof large, "%s/BMS-WebView-2.dat.zst", data);
    if (access(large, R_OK) == 0)
        compare_at("BMS-WebView-2", large, 5);
    else
        fprintf(stderr, "bench_closed: no BMS-WebView-2, left out\n");
    if (access(bms, R_OK) != 0) fprintf(stderr, "bench_closed: no BMS-WebView-1, left out\n");
    for (size_t i = 0; i < LETHE_COUNT(n); i++)
        if (access(bms, R_OK) == 0) compare("BMS-WebView-1", bms, false, n[i]);
    for (size_t i = 0; i < LETHE_COUNT(n); i++)
        compare("log", argv[1], true, n[i]);
    return 0;
}
