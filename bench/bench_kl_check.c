/* SPDX-License-Identifier: Apache-2.0 */
/* bench_kl_check.c - What does it cost to check a release for kl-privacy?
 *
 *   bench_kl_check [THREADS]
 *
 * BMS-WebView-1 (in the folder LETHE_DATA; nothing is measured where it is not there) under a
 * random taxonomy with five children a node.  Items of counterexamples are generalized to the node
 * above them until there is none: then all that is within the power has to be looked at.  "five" is
 * each record five times, nothing generalized: the most that k = 5 may leave to look at.  Seconds
 * are processor time of one check, reading included, `wall_s` are not; the yardstick is reading
 * alone, a check with m = 1 (`ratio`).  `sets` is how many different records there are.  One JSON
 * line each. */
#include "check/check.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "model/published/published_records.h"
#include "model/published/published_tree.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { FAN_OUT = 5, NAME = 16, K = 5 };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_kl_check: %s failed\n", step);
    exit(4);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t mix(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

typedef struct bench {
    lethe_ctx *ctx;
    char path[64];
    int dirfd;
    lethe_records *records; /* bound */
    lethe_tree *tree;
    uint32_t *cut; /* by node: what it is published as */
} bench;

/* --- the taxonomy --- */

/* Leaves in a random order, five below a node, level by level up to the root. */
static lethe_tree *tree_draw(const lethe_dict *items)
{
    uint32_t n = lethe_dict_count(items), level = 0;
    uint64_t seed = 1;
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL;
    char(*name)[NAME] = malloc(n * sizeof *name), parent[NAME];
    need(name && lethe_tree_builder_new(NULL, NULL, &b) == LETHE_OK, "the taxonomy");
    for (uint32_t i = 0; i < n; i++) {
        lethe_str s = lethe_dict_at(items, i);
        uint32_t k = (uint32_t)(mix(&seed) % (i + 1));
        memcpy(name[i], name[k], NAME);
        snprintf(name[k], NAME, "%.*s", (int)s.n, s.at);
    }
    for (; n > 1; n = (n + FAN_OUT - 1) / FAN_OUT, level++)
        for (uint32_t i = 0; i < n; i++) {
            snprintf(parent, NAME, "n%" PRIu32 "_%" PRIu32, level, i / FAN_OUT);
            need(lethe_tree_edge(b, lethe_str_of(name[i]), lethe_str_of(parent), 1) == LETHE_OK,
                 "the taxonomy");
            memcpy(name[i / FAN_OUT], parent, NAME);
        }
    need(lethe_tree_build(b, &t) == LETHE_OK, "the taxonomy");
    free(name);
    return t;
}

/* --- the release --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A record as a line: names in order, each once. */
static char *line_of(const bench *b, size_t i)
{
    const lethe_records *r = b->records;
    size_t n = (size_t)lethe_record_size(r, i);
    char(*name)[NAME] = malloc((n + 1) * sizeof *name), **sorted = malloc((n + 1) * sizeof *sorted);
    char *line = malloc((n + 1) * NAME), *to = line;
    need(name && sorted && line, "memory");
    for (size_t k = 0; k < n; k++) {
        lethe_str s = lethe_tree_name(b->tree, b->cut[r->item[r->start[i] + k]]);
        snprintf(name[k], NAME, "%.*s", (int)s.n, s.at);
        sorted[k] = name[k];
    }
    qsort(sorted, n, sizeof *sorted, by_text);
    *to = '\0';
    for (size_t k = 0; k < n; k++)
        if (k == 0 || strcmp(sorted[k - 1], sorted[k]) != 0)
            to += sprintf(to, "%s%s", k ? " " : "", sorted[k]);
    free(name);
    free(sorted);
    return line;
}

static void file_write(const bench *b, const char *name, const void *bytes, size_t n)
{
    int fd = openat(b->dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    need(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "writing");
}

static void publish(const bench *b, unsigned copies)
{
    size_t n = b->records->n;
    char **lines = malloc(n * sizeof *lines);
    lethe_buf data = {0}, taxonomy = {0};
    lethe_arena *a = lethe_arena_new();
    lethe_u32s nodes = {0};
    need(lines && a, "memory");
    for (size_t i = 0; i < n; i++)
        lines[i] = line_of(b, i);
    qsort(lines, n, sizeof *lines, by_text);
    for (size_t i = 0; i < n * copies; i++) {
        need(lethe_buf_str(&data, lethe_str_of(lines[i / copies])) == LETHE_OK &&
                 lethe_buf_str(&data, LETHE_LIT("\n")) == LETHE_OK,
             "memory");
    }
    for (uint64_t at = 0; at < b->records->start[n]; at++)
        need(lethe_u32s_append(a, &nodes, &b->cut[b->records->item[at]], 1) == LETHE_OK, "memory");
    need(lethe_taxonomy_write(NULL, b->tree, nodes.at, nodes.n, &taxonomy) == LETHE_OK, "writing");
    file_write(b, LETHE_RECORDS_NAME, data.at, data.n);
    file_write(b, LETHE_TAXONOMY_NAME, taxonomy.at, taxonomy.n);
    for (size_t i = 0; i < n; i++)
        free(lines[i]);
    free(lines);
    lethe_buf_free(&data);
    lethe_buf_free(&taxonomy);
    lethe_arena_free(a);
}

/* --- checking --- */

typedef struct cost {
    double cpu_s, wall_s;
} cost;

/* NULL: it holds; else the document of *why is to be freed. */
static lethe_json_doc *check(const bench *b, unsigned m, lethe_json **why, cost *c)
{
    char text[128];
    bool holds = false;
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL;
    snprintf(text, sizeof text, "{\"notion\":\"kl-privacy\",\"k\":%d,\"l\":1,\"m\":%u,\"n\":0}", K,
             m);
    need(lethe_json_parse(NULL, "claim", lethe_str_of(text), &claim_doc, &claim) == LETHE_OK,
         "the claim");
    lethe_published p = {.ctx = b->ctx, .dirfd = b->dirfd, .shape = LETHE_SHAPE_RECORDS};
    c->cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    c->wall_s = seconds(CLOCK_MONOTONIC);
    need(lethe_notion_kl_privacy.check(&p, claim, doc, &holds, why) == LETHE_OK, "the check");
    c->cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - c->cpu_s;
    c->wall_s = seconds(CLOCK_MONOTONIC) - c->wall_s;
    lethe_json_doc_free(claim_doc);
    if (!holds) return doc;
    lethe_json_doc_free(doc);
    return NULL;
}

/* All that is published as something below `to` is published as that. */
static void raise(const bench *b, uint32_t to)
{
    for (uint32_t v = to; v < b->tree->end[to]; v++)
        b->cut[v] = to;
}

static unsigned generalize(const bench *b, unsigned m)
{
    unsigned rounds = 0;
    for (;; rounds++) {
        lethe_json *why = NULL;
        cost c;
        publish(b, 1);
        lethe_json_doc *doc = check(b, m, &why, &c);
        if (!doc) return rounds;
        const lethe_json *items = lethe_json_get(why, "items");
        for (size_t i = 0; i < lethe_json_count(items); i++) {
            lethe_str s = lethe_json_text(lethe_json_at(items, i));
            uint32_t v = lethe_tree_find(b->tree, (lethe_str){s.at, s.n - 1}); // without its sign
            need(v != LETHE_NONE && v != 0, "the counterexample");
            raise(b, b->tree->parent[v]);
        }
        lethe_json_doc_free(doc);
    }
}

static void report(const bench *b, const char *name, unsigned m, unsigned rounds)
{
    lethe_json *why = NULL;
    lethe_published_records *r = NULL;
    lethe_published_tree *t = NULL;
    struct rusage usage;
    cost c, least;
    need(check(b, 1, &why, &least) == NULL && check(b, m, &why, &c) == NULL, "the promise");
    need(lethe_published_records_read(b->ctx, b->dirfd, &r) == LETHE_OK &&
             lethe_published_tree_read(b->ctx, b->dirfd, &t) == LETHE_OK,
         "reading back");
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"bench\":\"kl_check\",\"data\":\"%s\",\"k\":%d,\"m\":%u,\"records\":%" PRIu64
           ",\"sets\":%zu,\"items\":%" PRIu32 ",\"nodes\":%" PRIu32
           ",\"rounds\":%u,\"cpu_s\":%.3f,\"wall_s\":%.3f,\"ratio\":%.1f,\"peak_bytes\":%ld}\n",
           name, K, m, r->n_records, r->n, lethe_dict_count(r->items), t->tree->n, rounds, c.cpu_s,
           c.wall_s, c.cpu_s / least.cpu_s, usage.ru_maxrss * 1024);
    fflush(stdout);
    lethe_published_records_free(r);
    lethe_published_tree_free(t);
}

/* --- all of it --- */

static bool begin(bench *b, unsigned threads)
{
    const char *folder = getenv("LETHE_DATA");
    char path[4096];
    const char *paths[] = {path};
    lethe_records *read = NULL;
    lethe_tree *grown = NULL;
    lethe_settings s = {.n_threads = threads};
    snprintf(path, sizeof path, "%s/BMS-WebView-1.dat.zst", folder ? folder : ".");
    if (access(path, R_OK) != 0) return false;
    need(lethe_ctx_new(&s, &b->ctx) == LETHE_OK, "the context");
    need(lethe_records_read(b->ctx, paths, 1, &(lethe_read_options){.strict = true}, &read) ==
             LETHE_OK,
         "reading");
    b->tree = tree_draw(read->items);
    need(lethe_records_bind(b->ctx, read, b->tree, true, &b->records, &grown) == LETHE_OK && !grown,
         "binding");
    b->cut = malloc(b->tree->n * sizeof *b->cut);
    snprintf(b->path, sizeof b->path, "/tmp/bench_kl_check.XXXXXX");
    need(b->cut && mkdtemp(b->path), "a folder");
    b->dirfd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    need(b->dirfd >= 0, "a folder");
    return true;
}

static void end(bench *b)
{
    unlinkat(b->dirfd, LETHE_RECORDS_NAME, 0);
    unlinkat(b->dirfd, LETHE_TAXONOMY_NAME, 0);
    close(b->dirfd);
    rmdir(b->path);
    free(b->cut);
    lethe_records_free(b->records);
    lethe_tree_free(b->tree);
    lethe_ctx_free(b->ctx);
}

int main(int argc, char **argv)
{
    static const unsigned powers[] = {2, 3, 4, 6};
    bench b = {.dirfd = -1};
    if (!begin(&b, argc > 1 ? (unsigned)atoi(argv[1]) : 1)) {
        printf("{\"bench\":\"kl_check\",\"skipped\":\"no BMS-WebView-1\"}\n");
        return 0;
    }
    for (uint32_t v = 0; v < b.tree->n; v++)
        b.cut[v] = v;
    for (size_t i = 0; i < LETHE_COUNT(powers); i++) {
        unsigned rounds = generalize(&b, powers[i]);
        report(&b, "generalized", powers[i], rounds);
    }
    for (uint32_t v = 0; v < b.tree->n; v++)
        b.cut[v] = v;
    publish(&b, K);
    report(&b, "five", 2, 0);
    report(&b, "five", 3, 0);
    end(&b);
    return 0;
}
