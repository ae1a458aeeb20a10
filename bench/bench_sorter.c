/* SPDX-License-Identifier: Apache-2.0 */
/* bench_sorter.c - How fast does a group-by of N records go, against sort(1)?
 *
 *   bench_sorter [RECORDS [CAP_BYTES [group|bytes]]]
 *
 * 5000000 records by default; without a cap in memory and with one of an eighth of the data, one
 * JSON line each.
 *
 * Lines `query TAB user TAB time TAB url` of some 60 bytes, queries as skewed as people's, stand in
 * a file.  Ours: read it on two threads, put every line (the first tab made NUL), walk all groups.
 * Yardstick: `LC_ALL=C sort --parallel=2` of the same file with the same memory.  Each runs in a
 * process of its own, warm, so that peaks can be told apart; the faster of three counts. */
#include "core/ctx.h"
#include "core/mem.h"
#include "io/write/sink.h"
#include "io/sort/sorter.h"
#include "core/parse.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, BLOCK = 1 << 20, LINE_MAX_BYTES = 256, ROUNDS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_sorter: %s failed\n", what);
    exit(4);
}

/* --- the input --- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double unit(uint64_t *state) { return (double)(mix(++*state) >> 11) * 0x1p-53; }

/* Words of a query: the same number gives the same words. */
static size_t write_query(char *to, uint64_t id)
{
    static const char *const syllables[] = {"ba", "co", "di", "fu", "ga", "lo", "mi", "ne",
                                            "po", "ra", "so", "te", "ul", "va", "wi", "yo"};
    size_t n = 0;
    unsigned n_words = 1 + (unsigned)(mix(id) % 4);
    for (unsigned i = 0; i < n_words; i++) {
        uint64_t word = mix(id * 8 + i);
        if (i > 0) to[n++] = ' ';
        for (unsigned k = 0; k < 2 + word % 3; k++, n += 2)
            memcpy(to + n, syllables[(word >> (8 + 4 * k)) & 15], 2);
    }
    return n;
}

static uint64_t write_lines(int fd, uint64_t n_records)
{
    char *buf = malloc(BLOCK + LINE_MAX_BYTES);
    need(buf != NULL, "memory");
    uint64_t state = 1, total = 0;
    size_t n = 0;
    for (uint64_t i = 0; i < n_records; i++) {
        double u = unit(&state);
        uint64_t id = (uint64_t)(u * u * u * u * (double)n_records); // few are asked often
        n += write_query(buf + n, id);
        unsigned user = (unsigned)(mix(i / 40) % 10000000u), second = (unsigned)(i % 60u);
        n += (size_t)sprintf(buf + n, "\t%u\t2006-03-%02u %02u:%02u:%02u\twww.site%u.com\n", user,
                             (unsigned)(i % 28) + 1, (unsigned)(mix(i) % 24),
                             (unsigned)(mix(i) / 32 % 60), second, (unsigned)(mix(id) % 100000u));
        if (n < BLOCK && i + 1 < n_records) continue;
        need(write(fd, buf, n) == (ssize_t)n, "writing the input");
        total += n;
        n = 0;
    }
    free(buf);
    return total;
}

/* --- ours --- */

typedef struct job {
    lethe_ctx *ctx;
    lethe_sorter *sorter;
    int fd;
    uint64_t size;
    char *bufs[THREADS];
    struct tally {
        uint64_t records, bytes, groups;
        char apart[64];
    } tallies[THREADS];
} job;

typedef struct figures { /* what the child tells its parent */
    double put_s, each_s;
    uint64_t records, groups, spilled;
} figures;

/* The lines that begin in block i. */
static lethe_err put_block(void *arg, size_t i, unsigned w)
{
    job *j = arg;
    uint64_t from = (uint64_t)i * BLOCK, lead = i > 0;
    size_t n = (size_t)LETHE_MIN(j->size - from + lead, (uint64_t)BLOCK + LINE_MAX_BYTES + lead);
    char *p = j->bufs[w], *end = p + n, *stop = p + lead + BLOCK;
    LETHE_TRY(lethe_pread_all(NULL, j->fd, p, n, from - lead, "input"));
    if (lead) p = (char *)memchr(p, '\n', n) + 1;
    while (p < end && p < stop) {
        char *eol = memchr(p, '\n', (size_t)(end - p));
        char *tab = memchr(p, '\t', (size_t)(eol - p));
        *tab = 0;
        LETHE_TRY(lethe_sorter_put(j->sorter, w, p, (size_t)(eol - p)));
        p = eol + 1;
    }
    return LETHE_OK;
}

static lethe_err walk_groups(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part;
    struct tally *t = &((job *)arg)->tallies[w];
    lethe_str r, before = {NULL, 0};
    size_t n_key = 0;
    while (lethe_sorted_next(it, &r)) {
        bool same = before.at && r.n > n_key && memcmp(r.at, before.at, n_key + 1) == 0;
        if (!same) {
            n_key = strlen(r.at);
            t->groups++;
        }
        t->records++;
        t->bytes += r.n;
        before = r;
    }
    return lethe_sorted_err(it);
}

static void run_ours(int fd, uint64_t size, uint64_t cap, lethe_order order, figures *out)
{
    static job j;
    lethe_settings set = {.n_threads = THREADS, .spill_dir = getenv("TMPDIR")};
    j.fd = fd;
    j.size = size;
    double start = now();
    need(lethe_ctx_new(&set, &j.ctx) == LETHE_OK, "context");
    need(lethe_sorter_new(j.ctx, order, cap, &j.sorter) == LETHE_OK, "sorter");
    for (unsigned w = 0; w < THREADS; w++)
        need((j.bufs[w] = malloc(BLOCK + LINE_MAX_BYTES + 1)) != NULL, "memory");
    need(lethe_pool_for(j.ctx, (size + BLOCK - 1) / BLOCK, put_block, &j) == LETHE_OK, "put");
    double middle = now();
    need(lethe_sorter_each(j.sorter, walk_groups, &j) == LETHE_OK, "each");
    out->put_s = middle - start;
    out->each_s = now() - middle;
    uint64_t bytes = 0;
    for (unsigned w = 0; w < THREADS; w++) {
        out->records += j.tallies[w].records;
        out->groups += j.tallies[w].groups;
        bytes += j.tallies[w].bytes;
    }
    need(bytes == size - out->records, "counting the bytes"); // all but the line ends
    out->spilled = lethe_sorter_spilled(j.sorter);
    lethe_sorter_free(j.sorter);
    lethe_ctx_free(j.ctx);
}

static void run_sort(int fd, uint64_t cap)
{
    char path[64], mem[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    snprintf(mem, sizeof mem, "%lluK", (unsigned long long)(cap >> 10));
    setenv("LC_ALL", "C", 1);
    need(freopen("/dev/null", "w", stdout) != NULL, "/dev/null");
    execlp("sort", "sort", "-S", mem, "--parallel=2", path, (char *)NULL);
    need(false, "sort");
}

/* --- both --- */

typedef struct result {
    double seconds, cpu_s;
    uint64_t peak_bytes;
    figures f;
} result;

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static result measure(int fd, uint64_t size, uint64_t cap, lethe_order order, bool ours)
{
    figures *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    result best = {.seconds = 1e9};
    for (int i = 0; i < ROUNDS; i++) {
        *shared = (figures){0};
        double start = now();
        pid_t pid = fork();
        need(pid >= 0, "fork");
        if (pid == 0) {
            if (!ours) run_sort(fd, cap);
            run_ours(fd, size, cap, order, shared);
            _exit(0);
        }
        int status;
        struct rusage use;
        need(wait4(pid, &status, 0, &use) == pid && status == 0, ours ? "our run" : "sort");
        double seconds = now() - start;
        if (seconds < best.seconds)
            best = (result){seconds, seconds_of(use.ru_utime) + seconds_of(use.ru_stime),
                            (uint64_t)use.ru_maxrss << 10, *shared};
    }
    munmap(shared, sizeof *shared);
    return best;
}

static void compare(int fd, uint64_t size, uint64_t cap, lethe_order order, uint64_t n_records)
{
    result ours = measure(fd, size, cap, order, true);
    result sort = measure(fd, size, cap, order, false);
    need(ours.f.records == n_records, "counting the records");
    printf(
        "{\"bench\":\"sorter\",\"order\":\"%s\",\"yardstick\":\"LC_ALL=C sort -S%lluM --parallel=2 "
        "of the same lines\",\"ratio\":%.2f,\"seconds\":%.3f,\"put_seconds\":%.3f,"
        "\"each_seconds\":%.3f,\"cpu_seconds\":%.3f,\"yardstick_seconds\":%.3f,",
        order == LETHE_ORDER_BYTES ? "bytes" : "group", (unsigned long long)(cap >> 20),
        sort.seconds / ours.seconds, ours.seconds, ours.f.put_s, ours.f.each_s, ours.cpu_s,
        sort.seconds);
    printf("\"records\":%llu,\"groups\":%llu,\"bytes\":%llu,\"cap_bytes\":%llu,"
           "\"spilled_bytes\":%llu,\"peak_bytes\":%llu,\"yardstick_peak_bytes\":%llu,"
           "\"threads\":%d}\n",
           (unsigned long long)ours.f.records, (unsigned long long)ours.f.groups,
           (unsigned long long)size, (unsigned long long)cap, (unsigned long long)ours.f.spilled,
           (unsigned long long)ours.peak_bytes, (unsigned long long)sort.peak_bytes, THREADS);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t n_records = 5000000, cap = 0;
    // bench/run hands every benchmark its log; this one makes its own lines.
    if (argc > 1 && !lethe_parse_size(lethe_str_of(argv[1]), &n_records)) argc = 1;
    if (argc > 2) need(lethe_parse_size(lethe_str_of(argv[2]), &cap), "reading CAP_BYTES");
    bool bytes = argc > 3 && strcmp(argv[3], "bytes") == 0;
    const char *dir = getenv("TMPDIR");
    int fd = -1;
    need(lethe_spill_open(NULL, dir ? dir : "/tmp", &fd) == LETHE_OK, "making the input");
    need(fcntl(fd, F_SETFD, 0) == 0, "making the input"); // sort(1) opens it by its number
    uint64_t size = write_lines(fd, n_records);
    if (argc > 2) {
        compare(fd, size, cap, bytes ? LETHE_ORDER_BYTES : LETHE_ORDER_GROUP, n_records);
    } else {
        compare(fd, size, 4 * size, LETHE_ORDER_GROUP, n_records);
        compare(fd, size, size / 8, LETHE_ORDER_GROUP, n_records);
        compare(fd, size, 4 * size, LETHE_ORDER_BYTES, n_records);
    }
    close(fd);
    return 0;
}
