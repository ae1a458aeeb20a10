/* SPDX-License-Identifier: Apache-2.0 */
/* bench_group_search.c - How much faster are groups of users with common interests found than by a
 * matrix of all pairs, and how do time, pairs and memory grow with the users?
 *
 *   bench_group_search [USERS]
 *
 * A synthetic log of USERS (200000) users with 55 queries on average; the words of each query,
 * counted in the first five categories of WordNet's directory and those above them, levels 1 to 5.
 * k = 5, one thread, processor time.  One JSON line each:
 *   dense   the first 1,000 users against Algorithms 2 to 4 as the paper has them: rows of counts
 *           over all categories present, all pairs, the matrix searched whole for each group; and
 *           against the same with the matrix made from lists of counts.  All make the same groups;
 *   growth  the first 1,000, 10,000, 50,000 and all users: seconds, pairs whose common sum was
 * worked out (and how often one was bounded), the peak of memory besides the input, and the power
 *           of the users that time grows with.
 * The log goes to a file of $TMPDIR that is removed at once. */
#include "method/microagg/group_search.h"
#include "app/synth/synth.h"
#include "core/mem.h"
#include "lexicon/wordnet/wordnet.h"
#include "model/log/log.h"
#include "text/words.h"
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 1000, SOME = 10000, MANY = 50000, K = 5, QUERIES = 55, CATEGORIES = 5, LEVELS = 5 };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_group_search: %s failed\n", step);
    exit(4);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* --- data --- */

static lethe_log *make_log(lethe_ctx *ctx, const lethe_wordnet *wn, uint64_t users,
                           const char *path)
{
    lethe_secret *random = NULL;
    lethe_sink *sink = NULL;
    lethe_log *log = NULL;
    lethe_synth_counts made;
    need(lethe_secret_from_seed(1, &random) == LETHE_OK, "seed");
    need(lethe_sink_open(NULL, path, LETHE_SINK_NEW, 0600, &sink) == LETHE_OK, "log");
    lethe_synth how = {
        .version = 1, .n_users = users, .queries_per_user = QUERIES, .random = random};
    need(lethe_synth_write(ctx, wn, &how, &(lethe_synth_sinks){.log = sink}, &made) == LETHE_OK,
         "synthetic log");
    need(lethe_sink_commit(sink) == LETHE_OK, "log");
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    need(lethe_log_files(ctx, &path, 1, &reading, &log) == LETHE_OK, "reading");
    lethe_secret_free(random);
    return log;
}

/* Users as they come in, one after the other, the log being grouped by them. */
typedef struct making {
    const lethe_directory *dir;
    lethe_buf user, query; /* of the last row */
    int64_t time;
    uint32_t *counts, *seen, n_seen; /* of the user at hand: by category; which */
    lethe_buf start, category, count;
    uint32_t n;
} making;

static void put(lethe_buf *b, const void *p, size_t n)
{
    need(lethe_buf_put(b, p, n) == LETHE_OK, "memory");
}

static void end_user(making *m)
{
    uint64_t start = m->category.n / sizeof(uint32_t);
    qsort(m->seen, m->n_seen, sizeof *m->seen, by_number);
    for (uint32_t i = 0; i < m->n_seen; i++) {
        put(&m->category, &m->seen[i], sizeof m->seen[i]);
        put(&m->count, &m->counts[m->seen[i]], sizeof *m->counts);
        m->counts[m->seen[i]] = 0;
    }
    put(&m->start, &start, sizeof start);
    m->n_seen = 0;
    m->n++;
}

static void classify(making *m, lethe_str word)
{
    uint32_t found[CATEGORIES];
    size_t n = lethe_directory_find(m->dir, word, CATEGORIES, found);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t c = found[i]; c != LETHE_NONE; c = lethe_directory_parent(m->dir, c)) {
            if (lethe_directory_level(m->dir, c) > LEVELS) continue;
            if (m->counts[c]++ == 0) m->seen[m->n_seen++] = c;
        }
    }
}

static bool is(const lethe_buf *b, lethe_str s)
{
    return lethe_str_eq((lethe_str){(const char *)b->at, b->n}, s);
}

/* Lines with the same query and time are one query with several clicks. */
static lethe_err see_row(void *arg, unsigned w, const lethe_row *row)
{
    making *m = arg;
    lethe_words words = lethe_words_of(row->query);
    lethe_word word;
    (void)w;
    bool same_user = is(&m->user, row->user);
    if (same_user && m->time == row->time && is(&m->query, row->query)) return LETHE_OK;
    if (!same_user && m->user.n > 0) end_user(m);
    m->user.n = m->query.n = 0;
    put(&m->user, row->user.at, row->user.n);
    put(&m->query, row->query.at, row->query.n);
    m->time = row->time;
    while (lethe_words_next(&words, &word))
        classify(m, word.text);
    return LETHE_OK;
}

static lethe_microagg_interests make_interests(lethe_ctx *ctx, uint64_t users)
{
    char path[512];
    const char *tmp = getenv("TMPDIR");
    lethe_wordnet *wn = NULL;
    lethe_directory *dir = NULL;
    snprintf(path, sizeof path, "%s/bench_group_search.%ld", tmp ? tmp : "/tmp", (long)getpid());
    need(lethe_wordnet_open(ctx, NULL, &wn) == LETHE_OK, "WordNet");
    need(lethe_wordnet_directory(wn, &dir) == LETHE_OK, "directory");
    uint32_t n_categories = lethe_directory_categories(dir);
    making m = {.dir = dir};
    m.counts = calloc(n_categories, sizeof *m.counts);
    m.seen = calloc(n_categories, sizeof *m.seen);
    need(m.counts && m.seen, "memory");
    lethe_log *log = make_log(ctx, wn, users, path);
    lethe_row_visitor visitor = {.row = see_row, .arg = &m};
    lethe_err err = lethe_log_walk(ctx, log, &visitor);
    unlink(path);
    need(err == LETHE_OK, "walk");
    end_user(&m);
    uint64_t end = m.category.n / sizeof(uint32_t);
    put(&m.start, &end, sizeof end);
    lethe_log_free(log);
    lethe_directory_free(dir);
    lethe_wordnet_free(wn);
    lethe_buf_free(&m.user);
    lethe_buf_free(&m.query);
    free(m.counts);
    free(m.seen);
    return (lethe_microagg_interests){m.n, n_categories, (const uint64_t *)(const void *)m.start.at,
                                      (const uint32_t *)(const void *)m.category.at,
                                      (const uint32_t *)(const void *)m.count.at};
}

static lethe_microagg_interests first_of(const lethe_microagg_interests *all, uint32_t n)
{
    lethe_microagg_interests of = *all;
    of.n = LETHE_MIN(n, all->n);
    return of;
}

/* --- the paper's --- */

/* Categories present get numbers of their own; returns how many. */
static uint32_t number_categories(const lethe_microagg_interests *of, uint32_t *number)
{
    uint32_t n = 0;
    memset(number, 0xff, of->n_categories * sizeof *number);
    for (uint64_t i = 0; i < of->start[of->n]; i++)
        if (number[of->category[i]] == UINT32_MAX) number[of->category[i]] = n++;
    return n;
}

static uint32_t common_rows(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t c = 0; c < n; c++)
        sum += a[c] < b[c] ? a[c] : b[c];
    return sum;
}

/* Algorithm 2. */
static void matrix_of_rows(const lethe_microagg_interests *of, uint32_t *m)
{
    uint32_t *number = malloc(of->n_categories * sizeof *number);
    need(number != NULL, "memory");
    uint32_t n = number_categories(of, number);
    uint32_t *rows = calloc((size_t)of->n * n, sizeof *rows);
    need(rows != NULL, "memory");
    for (uint32_t u = 0; u < of->n; u++)
        for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
            rows[(size_t)u * n + number[of->category[i]]] = of->count[i];
    for (uint32_t u = 0; u < of->n; u++)
        for (uint32_t v = u + 1; v < of->n; v++)
            m[(size_t)u * of->n + v] = m[(size_t)v * of->n + u] =
                common_rows(rows + (size_t)u * n, rows + (size_t)v * n, n);
    free(rows);
    free(number);
}

static void matrix_of_lists(const lethe_microagg_interests *of, uint32_t *m)
{
    uint32_t *row = calloc(of->n_categories, sizeof *row);
    need(row != NULL, "memory");
    for (uint32_t u = 0; u < of->n; u++) {
        for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
            row[of->category[i]] = of->count[i];
        for (uint32_t v = u + 1; v < of->n; v++) {
            uint32_t sum = 0;
            for (uint64_t i = of->start[v]; i < of->start[v + 1]; i++)
                sum += LETHE_MIN(row[of->category[i]], of->count[i]);
            m[(size_t)u * of->n + v] = m[(size_t)v * of->n + u] = sum;
        }
        for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
            row[of->category[i]] = 0;
    }
    free(row);
}

typedef struct dense {
    uint32_t n, left;
    uint32_t *m, *group, *alive; /* alive: those who are left, in order */
    uint64_t *sum;               /* of each user, with the members */
} dense;

static void join(dense *h, uint32_t user, uint32_t group)
{
    uint32_t n = 0;
    h->group[user] = group;
    for (uint32_t i = 0; i < h->left; i++)
        if (h->alive[i] != user) h->alive[n++] = h->alive[i];
    h->left = n;
    for (uint32_t i = 0; i < n; i++)
        h->sum[h->alive[i]] += h->m[(size_t)user * h->n + h->alive[i]];
}

/* Algorithms 3 and 4. */
static void dense_group(dense *h, uint32_t group)
{
    uint32_t a = h->alive[0], b = h->alive[1];
    for (uint32_t i = 0; i < h->left; i++) {
        const uint32_t *row = h->m + (size_t)h->alive[i] * h->n;
        for (uint32_t j = i + 1; j < h->left; j++) {
            if (row[h->alive[j]] <= h->m[(size_t)a * h->n + b]) continue;
            a = h->alive[i];
            b = h->alive[j];
        }
    }
    memset(h->sum, 0, h->n * sizeof *h->sum);
    join(h, a, group);
    join(h, b, group);
    for (uint32_t k = 2; k < K; k++) {
        uint32_t best = h->alive[0];
        for (uint32_t i = 1; i < h->left; i++)
            if (h->sum[h->alive[i]] > h->sum[best]) best = h->alive[i];
        join(h, best, group);
    }
}

/* FEW is a multiple of K: nobody is left. */
static double run_dense(const lethe_microagg_interests *of,
                        void (*matrix)(const lethe_microagg_interests *, uint32_t *),
                        uint32_t *group)
{
    dense h = {.n = of->n, .left = of->n, .group = group};
    double start = cpu_s();
    h.m = calloc((size_t)of->n * of->n, sizeof *h.m);
    h.alive = malloc(of->n * sizeof *h.alive);
    h.sum = malloc(of->n * sizeof *h.sum);
    need(h.m && h.alive && h.sum, "memory");
    for (uint32_t u = 0; u < of->n; u++)
        h.alive[u] = u;
    matrix(of, h.m);
    for (uint32_t g = 0; h.left >= K; g++)
        dense_group(&h, g);
    free(h.m);
    free(h.alive);
    free(h.sum);
    return cpu_s() - start;
}

static void against_dense(lethe_ctx *ctx, const lethe_microagg_interests *all)
{
    lethe_microagg_interests of = first_of(all, FEW);
    uint32_t *rows = calloc(of.n, sizeof *rows), *lists = calloc(of.n, sizeof *lists);
    double fast = 1e30;
    uint64_t pairs = 0;
    need(rows && lists, "memory");
    double rows_s = run_dense(&of, matrix_of_rows, rows);
    double lists_s = run_dense(&of, matrix_of_lists, lists);
    for (int i = 0; i < 5; i++) {
        lethe_microagg_groups got;
        double start = cpu_s();
        need(lethe_microagg_groups_find(ctx, &of, K, &got) == LETHE_OK, "groups");
        fast = LETHE_MIN(fast, cpu_s() - start);
        pairs = got.pairs;
        need(memcmp(got.group, rows, of.n * sizeof *rows) == 0 &&
                 memcmp(got.group, lists, of.n * sizeof *lists) == 0,
             "comparing the groups");
        lethe_microagg_groups_free(&got);
    }
    printf(
        "{\"bench\":\"group_search\",\"what\":\"dense\",\"yardstick\":\"Algorithms 2 to 4 on dense "
        "rows\",\"users\":%u,\"k\":%d,\"ratio\":%.1f,\"lists_ratio\":%.1f,\"cpu_s\":%.4f,"
        "\"yardstick_cpu_s\":%.3f,\"lists_cpu_s\":%.3f,\"pairs\":%" PRIu64 "}\n",
        of.n, K, rows_s / fast, lists_s / fast, fast, rows_s, lists_s, pairs);
    free(rows);
    free(lists);
}

/* --- growth --- */

typedef struct cost {
    double cpu_s;
    uint64_t pairs, bounded, bytes;
} cost;

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
static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    need(f && fputs("5", f) >= 0 && fclose(f) == 0, "resetting the peak");
}

static cost measure(const lethe_microagg_interests *of)
{
    lethe_settings set = {.n_threads = 1};
    lethe_ctx *ctx = NULL;
    lethe_microagg_groups got;
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    malloc_trim(0);
    reset_peak();
    uint64_t before = status_bytes("VmRSS:");
    double start = cpu_s();
    need(lethe_microagg_groups_find(ctx, of, K, &got) == LETHE_OK, "groups");
    cost c = {.cpu_s = cpu_s() - start, .pairs = got.pairs, .bounded = got.bounded};
    c.bytes = status_bytes("VmHWM:") - before;
    lethe_microagg_groups_free(&got);
    lethe_ctx_free(ctx);
    return c;
}

/* In a process of its own, so that its peak of memory is its own. */
static cost measure_apart(const lethe_microagg_interests *of)
{
    int ends[2], status = 1;
    cost c = {0};
    need(pipe(ends) == 0, "pipe");
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        c = measure(of);
        _exit(write(ends[1], &c, sizeof c) == sizeof c ? 0 : 4);
    }
    close(ends[1]);
    need(read(ends[0], &c, sizeof c) == sizeof c, "measuring");
    close(ends[0]);
    need(waitpid(child, &status, 0) == child && status == 0, "measuring");
    return c;
}

static void growth(const lethe_microagg_interests *all)
{
    uint32_t users[] = {FEW, SOME, MANY, all->n};
    cost first = {0}, last = {0};
    uint32_t n_last = 0;
    for (size_t i = 0; i < LETHE_COUNT(users); i++) {
        lethe_microagg_interests of = first_of(all, users[i]);
        if (of.n <= n_last) continue;
        cost c = measure_apart(&of);
        double pairs = (double)of.n * (of.n - 1) / 2;
        if (i == 0) first = c;
        printf("{\"bench\":\"group_search\",\"what\":\"growth\",\"yardstick\":\"all pairs\","
               "\"users\":%u,\"k\":%d,\"entries\":%" PRIu64 ",\"cpu_s\":%.4f,\"pairs\":%" PRIu64
               ",\"pairs_per_user\":%.2f,\"bounded_per_user\":%.1f,\"ratio\":%.6f,\"peak_bytes\":"
               "%" PRIu64,
               of.n, K, of.start[of.n], c.cpu_s, c.pairs, (double)c.pairs / of.n,
               (double)c.bounded / of.n, (double)c.pairs / pairs, c.bytes);
        if (i > 0)
            printf(",\"time_power\":%.2f,\"time_power_from_first\":%.2f",
                   log(c.cpu_s / last.cpu_s) / log((double)of.n / n_last),
                   log(c.cpu_s / first.cpu_s) / log((double)of.n / users[0]));
        printf("}\n");
        last = c;
        n_last = of.n;
    }
}

int main(int argc, char **argv)
{
    uint64_t users = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000;
    lethe_settings set = {.n_threads = 1, .spill_dir = getenv("TMPDIR")};
    lethe_ctx *ctx = NULL;
    need(users > SOME && users <= UINT32_MAX, "reading USERS (over 10000)");
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    lethe_microagg_interests of = make_interests(ctx, users);
    against_dense(ctx, &of);
    growth(&of);
    lethe_free((void *)(uintptr_t)of.start);
    lethe_free((void *)(uintptr_t)of.category);
    lethe_free((void *)(uintptr_t)of.count);
    lethe_ctx_free(ctx);
    return 0;
}
