/* SPDX-License-Identifier: Apache-2.0 */
/* bench_local.c - How long does local recoding take, and how much does it lose?
 *
 *   bench_local [K [TABLE.csv FOLDER QI,QI,... [SA DISTINCT [DELETED [THREADS]]]]]
 *
 * FOLDER has a hierarchy COLUMN.csv for each quasi-identifier.  Without a table, one is drawn.
 * `loss` is the mean NCP of all cells.  Yardstick: sorting the rows by all columns, which any
 * grouping of equal rows needs; seconds are processor time.  One JSON line. */
#include "method/table/local/local_groups.h"
#include "core/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { DRAWN_ROWS = 20000, DRAWN_QI = 6 };

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_local: %s failed\n", what);
    exit(4);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    need(p != NULL, "memory");
    return p;
}

static uint64_t mix(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* --- tables --- */

static lethe_table *read_table(lethe_ctx *ctx, const char *path, const char *folder, const char *qi,
                               const char *sa)
{
    lethe_arena *a = lethe_arena_new();
    lethe_str *names;
    size_t n;
    need(a && lethe_names_parse(NULL, a, qi, &names, &n) == LETHE_OK, "names");
    const lethe_tree **tree = room(n, sizeof *tree);
    for (size_t q = 0; q < n; q++) {
        char file[4096];
        lethe_tree *t = NULL;
        snprintf(file, sizeof file, "%s/%.*s.csv", folder, (int)names[q].n, names[q].at);
        need(lethe_tree_read(ctx, file, LETHE_NAMES_RAW, &t) == LETHE_OK, file);
        tree[q] = t;
    }
    lethe_table *out = NULL;
    lethe_table_read_options how = {.roles = {.qi = qi, .sa = sa}, .hierarchy = tree};
    need(lethe_table_read(ctx, &path, 1, &how, &out) == LETHE_OK, "reading");
    return out; // it lives to the end of the program, and so does all else
}

/* `fanout` children at each of `levels`. */
static lethe_tree *even_tree(uint32_t fanout, uint32_t levels)
{
    uint32_t n = 1, begin = 0, end = 1;
    for (uint32_t l = 0, width = 1; l < levels; l++)
        n += width *= fanout;
    uint32_t *parent = room(n, sizeof *parent);
    lethe_str *name = room(n, sizeof *name);
    parent[0] = LETHE_NONE;
    for (uint32_t l = 0; l < levels; l++) {
        uint32_t next = end;
        for (uint32_t v = begin; v < end; v++)
            for (uint32_t c = 0; c < fanout; c++)
                parent[next++] = v;
        begin = end;
        end = next;
    }
    for (uint32_t v = 0; v < n; v++) {
        char *text = room(16, 1);
        snprintf(text, 16, "n%u", (unsigned)v);
        name[v] = lethe_str_of(text);
    }
    lethe_tree *out = NULL;
    need(lethe_tree_from(NULL, n, parent, name, &out) == LETHE_OK, "tree");
    return out;
}

static lethe_table *draw_table(void)
{
    lethe_table *out = room(1, sizeof *out);
    uint64_t seed = 1;
    out->n = DRAWN_ROWS;
    out->n_qi = DRAWN_QI;
    out->qi = room(DRAWN_QI, sizeof *out->qi);
    for (size_t q = 0; q < DRAWN_QI; q++) {
        lethe_tree *t = even_tree(2 + (uint32_t)q % 3, 2 + (uint32_t)q % 4);
        uint32_t *leaf = room(out->n, sizeof *leaf);
        for (size_t i = 0; i < out->n; i++) {
            uint32_t v;
            do
                v = (uint32_t)(mix(&seed) % t->n * (mix(&seed) % t->n) / t->n);
            while (!lethe_tree_is_leaf(t, v));
            leaf[i] = v;
        }
        out->qi[q] = (lethe_qi){.name = lethe_str_of("drawn"), .tree = t, .leaf = leaf};
    }
    return out;
}

/* --- yardstick --- */

static const lethe_table *sorted;

static int by_leaves(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    for (size_t q = 0; q < sorted->n_qi; q++) {
        uint32_t u = sorted->qi[q].leaf[x], v = sorted->qi[q].leaf[y];
        if (u != v) return u < v ? -1 : 1;
    }
    return (x > y) - (x < y);
}

static double sort_rows(const lethe_table *t)
{
    uint32_t *row = room(t->n, sizeof *row);
    for (size_t i = 0; i < t->n; i++)
        row[i] = (uint32_t)i;
    sorted = t;
    double begin = cpu_s();
    qsort(row, t->n, sizeof *row, by_leaves);
    double s = cpu_s() - begin;
    free(row);
    return s;
}

/* --- measuring --- */

static void measure(lethe_ctx *ctx, const lethe_table *t, uint64_t k, uint64_t distinct,
                    uint64_t deleted)
{
    lethe_tuples *tuples = NULL;
    lethe_arena *a = lethe_arena_new();
    const uint64_t **weight;
    lethe_group_demand group = {.k = k,
                                .distinct = (uint32_t)distinct,
                                .n_sa = t->sa ? lethe_dict_count(t->sa->values) : 0,
                                .n_class = 1,
                                .n_qi = (uint32_t)t->n_qi,
                                .rows = t->n};
    double begin = cpu_s();
    need(a && lethe_tuples_of(ctx, t, false, &tuples) == LETHE_OK, "tuples");
    need(lethe_tuples_weights(tuples, a, &weight, &group.scale) == LETHE_OK, "weights");
    lethe_local_column *column = lethe_new(a, lethe_local_column, t->n_qi);
    lethe_local_demand d = {.group = &group,
                            .rows_only = distinct <= 1,
                            .max_deleted = deleted,
                            .deletion_price = group.scale * t->n_qi};
    lethe_local_groups got = {0};
    need(column != NULL, "memory");
    for (size_t q = 0; q < t->n_qi; q++)
        column[q] = (lethe_local_column){.tree = t->qi[q].tree, .weight = weight[q]};
    need(lethe_local_group(ctx, tuples, column, &d, a, &got) == LETHE_OK, "grouping");
    double s = cpu_s() - begin, plain = sort_rows(t);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"bench\":\"local\",\"rows\":%zu,\"tuples\":%zu,\"k\":%" PRIu64
           ",\"distinct\":%" PRIu64 ",\"threads\":%u,\"groups\":%zu,\"deleted\":%" PRIu64
           ",\"loss\":%.6f,\"s\":%.3f,\"sort_s\":%.3f,\"ratio\":%.1f,\"peak_mb\":%ld}\n",
           t->n, tuples->n, k, distinct, lethe_ctx_threads(ctx), got.n, got.deleted_rows,
           (double)got.loss / (double)group.scale / (double)t->n_qi / (double)t->n, s, plain,
           s / plain, use.ru_maxrss / 1024);
    lethe_arena_free(a);
    lethe_tuples_free(tuples);
}

static uint64_t number(int argc, char **argv, int i, uint64_t otherwise)
{
    return argc > i ? strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    lethe_settings set = {.n_threads = (unsigned)number(argc, argv, 8, 1)};
    lethe_ctx *ctx = NULL;
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    const char *sa = argc > 5 && strcmp(argv[5], "-") != 0 ? argv[5] : NULL;
    lethe_table *t = argc > 4 ? read_table(ctx, argv[2], argv[3], argv[4], sa) : draw_table();
    measure(ctx, t, number(argc, argv, 1, 5), number(argc, argv, 6, 1), number(argc, argv, 7, 0));
    lethe_ctx_free(ctx);
    return 0;
}
