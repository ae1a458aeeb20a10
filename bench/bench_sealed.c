/* SPDX-License-Identifier: Apache-2.0 */
/* How fast are queries sealed, and sealed logs opened?
 *
 *   bench_sealed LOG
 *
 * Sealing: the log's rows from memory, in one thread, each with t = 3 of n = 10 shares.  Yardstick:
 * the bare cryptographic operations of a row, as the format asks for them: five keyed BLAKE2b (key,
 * index, two coefficients, QueryID) and one ChaCha20-Poly1305, over texts of the same lengths.
 *
 * Opening: the sealed log as a file, into a file.  Yardstick: `sort` of the same file, in the C
 * locale, with as many threads and the same memory.
 *
 * In processor time, the fastest of three; one JSON object a line. */
#include "algo/seal/boxes.h"
#include "io/read/fields.h"
#include "release/commands.h"
#include "text/normalize.h"
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, LOG_BYTES = 32 << 20, MAX_ROWS = 400000, MAX_FIELDS = 8, MEMORY = 256 << 20 };

typedef struct row {
    lethe_str user, query;
} row;

static row *rows;
static size_t n_rows;
static lethe_arena *arena;
static const lethe_sealed_form form = {.t = 3, .n = 10};

static void must(bool is, const char *what)
{
    if (is) return;
    fprintf(stderr, "bench_sealed: %s\n", what);
    exit(1);
}

static double cpu_s(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- rows in memory --- */

static void row_add(lethe_str user, lethe_str query, lethe_buf *buf)
{
    lethe_str normal;
    bool invalid;
    must(lethe_normalize(query, buf, &normal, &invalid) == LETHE_OK, "no memory");
    if (normal.n == 0 || user.n == 0) return;
    rows[n_rows].user = (lethe_str){lethe_arena_dup(arena, user), user.n};
    rows[n_rows].query = (lethe_str){lethe_arena_dup(arena, normal), normal.n};
    must(rows[n_rows].user.at && rows[n_rows].query.at, "no memory");
    n_rows++;
}

static void rows_read(const char *path)
{
    lethe_buf text = {0}, buf = {0};
    lethe_source *s = NULL;
    must(lethe_source_open(NULL, path, &s) == LETHE_OK, "cannot open the log");
    for (size_t n = 1; n > 0 && text.n < LOG_BYTES; text.n += n) {
        must(lethe_buf_reserve(&text, 1 << 16) == LETHE_OK, "no memory");
        must(lethe_source_read(s, text.at + text.n, 1 << 16, &n) == LETHE_OK, "cannot read it");
    }
    lethe_source_close(s);
    lethe_tsv tsv = lethe_tsv_begin((lethe_str){(const char *)text.at, text.n}, '\t');
    lethe_str f[MAX_FIELDS], line;
    uint32_t n;
    while (n_rows < MAX_ROWS && lethe_tsv_next(&tsv, f, MAX_FIELDS, &n, &line))
        if (n >= 3) row_add(f[0], f[1], &buf);
    lethe_buf_free(&text);
    lethe_buf_free(&buf);
    must(n_rows > 0, "no rows in the log");
}

/* --- sealing --- */

static double seal_all(const lethe_sealer *s, FILE *out)
{
    lethe_buf buf = {0};
    lethe_seal seal;
    double from = cpu_s(RUSAGE_SELF);
    for (size_t i = 0; i < n_rows; i++) {
        must(lethe_seal_query(s, rows[i].user, rows[i].query, 0, &buf, &seal) == LETHE_OK, "seal");
        if (out)
            fprintf(out, "%.*s\t%.*s\t%.*s\t%.*s\t2006-03-01\n", (int)rows[i].user.n,
                    rows[i].user.at, (int)seal.id.n, seal.id.at, (int)seal.share.n, seal.share.at,
                    (int)seal.box.n, seal.box.at);
    }
    double took = cpu_s(RUSAGE_SELF) - from;
    lethe_buf_free(&buf);
    return took;
}

static double bare_all(void)
{
    static uint8_t key[32], out[32], plain[LETHE_SEALED_PADDED_MOST + 16];
    static const uint8_t nonce[12];
    double from = cpu_s(RUSAGE_SELF);
    for (size_t i = 0; i < n_rows; i++) {
        size_t n = rows[i].query.n, lengths[] = {8 + n, 8 + rows[i].user.n + n, 12 + n, 12 + n, 2};
        size_t padded = lethe_sealed_padded(n);
        for (size_t k = 0; k < LETHE_COUNT(lengths); k++)
            crypto_generichash_blake2b(out, 32, plain, lengths[k], key, 32);
        crypto_aead_chacha20poly1305_ietf_encrypt(plain, NULL, plain, padded, NULL, 0, NULL, nonce,
                                                  out);
    }
    return cpu_s(RUSAGE_SELF) - from;
}

static void bench_seal(const lethe_sealer *s)
{
    double seal = 1e9, bare = 1e9;
    for (int r = 0; r < RUNS; r++) {
        double a = seal_all(s, NULL), b = bare_all();
        seal = LETHE_MIN(seal, a);
        bare = LETHE_MIN(bare, b);
    }
    printf("{\"what\": \"seal\", \"rows\": %zu, \"rows_per_s\": %.0f, \"bare_rows_per_s\": %.0f, "
           "\"ratio\": %.3f}\n",
           n_rows, (double)n_rows / seal, (double)n_rows / bare, seal / bare);
}

/* --- opening --- */

static double open_file(const char *path, const char *out, double *wall)
{
    const char *const inputs[] = {path};
    lethe_open_options o = {.inputs = inputs, .n_inputs = 1, .out = out, .force = true};
    lethe_ctx *ctx = NULL;
    lethe_json *report = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_settings settings = {.memory_bytes = MEMORY};
    must(doc && lethe_ctx_new(&settings, &ctx) == LETHE_OK, "no memory");
    double from = cpu_s(RUSAGE_SELF), began = wall_s();
    must(lethe_open_sealed(ctx, &o, doc, &report) == LETHE_OK, "cannot open the sealed log");
    double took = cpu_s(RUSAGE_SELF) - from;
    *wall = wall_s() - began;
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return took;
}

static double sort_file(const char *path, const char *out, double *wall)
{
    char command[1200];
    snprintf(command, sizeof command, "LC_ALL=C sort -S %dM -o '%s' '%s'", MEMORY >> 20, out, path);
    double from = cpu_s(RUSAGE_CHILDREN), began = wall_s();
    must(system(command) == 0, "sort failed");
    *wall = wall_s() - began;
    return cpu_s(RUSAGE_CHILDREN) - from;
}

static void bench_open(const lethe_sealer *s)
{
    const char *dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[512], out[512], head[LETHE_SEALED_HEAD_MAX];
    double opened = 1e9, sorted = 1e9, open_wall = 1e9, sort_wall = 1e9, wall;
    snprintf(path, sizeof path, "%s/bench-sealed-%d.tsv", dir, (int)getpid());
    snprintf(out, sizeof out, "%s/bench-sealed-%d.out", dir, (int)getpid());
    FILE *f = fopen(path, "w");
    must(f && fwrite(head, 1, lethe_sealed_head(&form, head), f) > 0, "cannot write");
    seal_all(s, f);
    must(fclose(f) == 0, "cannot write");
    for (int r = 0; r < RUNS; r++) {
        double a = open_file(path, out, &wall);
        opened = LETHE_MIN(opened, a);
        open_wall = LETHE_MIN(open_wall, wall);
        double b = sort_file(path, out, &wall);
        sorted = LETHE_MIN(sorted, b);
        sort_wall = LETHE_MIN(sort_wall, wall);
    }
    unlink(path);
    unlink(out);
    printf("{\"what\": \"open\", \"rows\": %zu, \"cpu_s\": %.3f, \"sort_cpu_s\": %.3f, \"wall_s\": "
           "%.3f, \"sort_wall_s\": %.3f, \"ratio\": %.3f}\n",
           n_rows, opened, sorted, open_wall, sort_wall, opened / sorted);
}

int main(int argc, char **argv)
{
    lethe_secret *key = NULL;
    lethe_sealer *s = NULL;
    must(argc == 2, "usage: bench_sealed LOG");
    arena = lethe_arena_new();
    rows = lethe_alloc(MAX_ROWS, sizeof *rows);
    must(arena && rows && lethe_secret_from_seed(1, &key) == LETHE_OK, "no memory");
    must(lethe_sealer_new(key, &form, 0, &s) == LETHE_OK, "no memory");
    rows_read(argv[1]);
    bench_seal(s);
    bench_open(s);
    lethe_sealer_free(s);
    lethe_secret_free(key);
    lethe_arena_free(arena);
    lethe_free(rows);
    return 0;
}
