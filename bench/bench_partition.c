/* SPDX-License-Identifier: Apache-2.0 */
/* bench_partition.c - How much faster is partition than the algorithm as it is told, and does its
 * cost grow with the records alone?
 *
 *   bench_partition [USERS]
 *
 * A synthetic log of USERS (53058) users becomes one record a user, distinct nouns over WordNet's
 * whole tree.  CPU time of the method on one thread, k = 5, for an eighth, a quarter, a half and
 * all of the records, and on all of them wall time with two threads; for both picks.  Yardstick:
 * the literal algorithm (tests/partition_literal.h: every item of a part expanded at every step,
 * ancestors found by climbing) on the first 20000 records; both must publish the same.  One JSON
 * line a pick.  The log goes to a file of $TMPDIR that is removed at once. */
#include "algo/text/log_records.h"
#include "app/synth/synth.h"
#include "core/mem.h"
#include "lexicon/taxonomy.h"
#include "method/method.h"
#include "../tests/support/partition_literal.h"
#include "core/parse.h"
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 20000, K = 5, SIZES = 4 };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_partition: %s failed\n", step);
    exit(4);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- data --- */

static lethe_records *make_records(lethe_ctx *ctx, uint64_t users, lethe_tree **tree)
{
    char path[512];
    const char *tmp = getenv("TMPDIR"), *file = path;
    lethe_secret *random = NULL;
    lethe_sink *sink = NULL;
    lethe_wordnet *wn = NULL;
    lethe_log *log = NULL;
    lethe_records *r = NULL, *bound = NULL;
    lethe_synth_counts made;
    lethe_log_records_result counts;
    snprintf(path, sizeof path, "%s/bench_partition.%ld", tmp ? tmp : "/tmp", (long)getpid());
    need(lethe_wordnet_open(ctx, NULL, &wn) == LETHE_OK, "WordNet");
    need(lethe_secret_from_seed(1, &random) == LETHE_OK, "seed");
    need(lethe_sink_open(NULL, path, LETHE_SINK_NEW, 0600, &sink) == LETHE_OK, "log");
    lethe_synth how = {.version = 1, .n_users = users, .queries_per_user = 17, .random = random};
    need(lethe_synth_write(ctx, wn, &how, &(lethe_synth_sinks){.log = sink}, &made) == LETHE_OK,
         "synthetic log");
    need(lethe_sink_commit(sink) == LETHE_OK, "log");
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    need(lethe_log_files(ctx, &file, 1, &reading, &log) == LETHE_OK, "reading");
    lethe_log_records_options nouns = {.gap_s = LETHE_GAP_ALL, .distinct = true, .nouns = wn};
    lethe_err err = lethe_log_to_records(ctx, log, &nouns, &counts, &r);
    unlink(path);
    need(err == LETHE_OK, "records");
    err = lethe_taxonomy_bind(ctx, "wordnet", wn, false, LETHE_NAMES_TERMS, false, r, &bound, tree);
    need(err == LETHE_OK, "taxonomy");
    lethe_log_free(log);
    lethe_wordnet_free(wn);
    lethe_secret_free(random);
    return bound;
}

/* The first n; every record is another user's. */
static lethe_records first_of(const lethe_records *all, size_t n)
{
    lethe_records r = *all;
    r.n = n;
    r.n_owners = (uint32_t)n;
    return r;
}

/* --- the method --- */

typedef struct published {
    const literal *want; /* NULL: nothing to compare with */
    uint64_t n_records, n_items;
    bool differs;
} published;

static lethe_err on_record(lethe_result *out, size_t from, uint32_t group, const uint32_t *node,
                           size_t n)
{
    published *p = out->pipeline;
    p->n_records++;
    p->n_items += n;
    if (p->want) {
        p->differs = p->differs || p->want->group[from] != group || p->want->n_nodes[from] != n ||
                     memcmp(p->want->node[from], node, n * sizeof *node) != 0;
    }
    return LETHE_OK;
}

static void set(lethe_values *v, const char *name, const char *text)
{
    for (size_t i = 0; i < v->n; i++) {
        if (strcmp(v->table[i].name, name) == 0)
            need(lethe_values_set(v, i, text, NULL) == LETHE_OK, name);
    }
}

static double run(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *r, const char *pick,
                  clockid_t clock, published *p)
{
    char k[16];
    lethe_value at[32];
    lethe_values v;
    lethe_json_doc *doc = lethe_json_doc_new();
    need(doc != NULL, "memory");
    need(lethe_option_count(lethe_method_partition.options) <= LETHE_COUNT(at), "options");
    lethe_values_init(&v, lethe_method_partition.options, at);
    snprintf(k, sizeof k, "%d", K);
    set(&v, "k", k);
    set(&v, "pick", pick);
    lethe_run how = {.ctx = ctx, .values = &v, .memory_bytes = (uint64_t)1 << 30};
    lethe_result out = {
        .pipeline = p, .record = on_record, .doc = doc, .metrics = lethe_json_object(doc)};
    lethe_data in = {.shape = LETHE_SHAPE_RECORDS, .records = r, .tree = t};
    double start = now(clock);
    need(lethe_method_partition.run(&how, &in, &out) == LETHE_OK, "partition");
    double seconds = now(clock) - start;
    lethe_json_doc_free(doc);
    return seconds;
}

/* --- the comparison --- */

static double run_literal(const lethe_tree *t, const lethe_records *r, bool mass, literal *l)
{
    *l = (literal){.t = t, .r = r, .k = K, .by_record = true, .mass = mass};
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    need(lit_run(l), "the literal algorithm");
    double seconds = now(CLOCK_PROCESS_CPUTIME_ID) - start;
    lit_renumber(l);
    return seconds;
}

static lethe_ctx *context(unsigned threads)
{
    lethe_settings set_up = {.n_threads = threads};
    lethe_ctx *ctx = NULL;
    need(lethe_ctx_new(&set_up, &ctx) == LETHE_OK, "context");
    return ctx;
}

static void compare(const lethe_tree *t, const lethe_records *all, bool mass)
{
    const char *pick = mass ? "mass" : "gain";
    lethe_ctx *one = context(1), *two = context(2);
    lethe_records few = first_of(all, LETHE_MIN(all->n, FEW));
    literal l;
    double cpu[SIZES], literal_s = run_literal(t, &few, mass, &l), few_s = 1e9;
    published p = {.want = &l};
    for (int i = 0; i < 5; i++) {
        double s = run(one, t, &few, pick, CLOCK_PROCESS_CPUTIME_ID, &p);
        few_s = LETHE_MIN(few_s, s);
    }
    need(!p.differs, "publishing the same");
    for (unsigned i = 0; i < SIZES; i++) {
        lethe_records r = first_of(all, all->n >> (SIZES - 1 - i));
        p = (published){0};
        cpu[i] = run(one, t, &r, pick, CLOCK_PROCESS_CPUTIME_ID, &p);
    }
    published q = {0};
    double wall_1 = run(one, t, all, pick, CLOCK_MONOTONIC, &q);
    double wall_2 = run(two, t, all, pick, CLOCK_MONOTONIC, &q);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"bench\":\"partition\",\"pick\":\"%s\",\"yardstick\":\"the literal algorithm, %zu "
           "records\",\"ratio\":%.0f,\"yardstick_cpu_seconds\":%.3f,\"few_cpu_seconds\":%.5f,",
           pick, few.n, literal_s / few_s, literal_s, few_s);
    printf("\"records\":%zu,\"items\":%llu,\"nodes\":%u,\"published_items\":%llu,"
           "\"cpu_seconds\":[%.3f,%.3f,%.3f,%.3f],\"growth_per_doubling\":%.2f,"
           "\"records_per_cpu_second\":%.0f,\"wall_seconds_1\":%.3f,\"wall_seconds_2\":%.3f,"
           "\"peak_bytes\":%llu}\n",
           all->n, (unsigned long long)all->start[all->n], t->n, (unsigned long long)p.n_items,
           cpu[0], cpu[1], cpu[2], cpu[3], cpu[3] / cpu[2], (double)all->n / cpu[3], wall_1, wall_2,
           (unsigned long long)use.ru_maxrss << 10);
    fflush(stdout);
    lit_free(&l);
    lethe_ctx_free(one);
    lethe_ctx_free(two);
}

int main(int argc, char **argv)
{
    uint64_t users = 53058;
    if (argc > 2 || (argc == 2 && !lethe_parse_u64(lethe_str_of(argv[1]), &users))) {
        fprintf(stderr, "usage: bench_partition [USERS]\n");
        return 2;
    }
    lethe_ctx *ctx = context(2);
    lethe_tree *t = NULL;
    lethe_records *r = make_records(ctx, users, &t);
    compare(t, r, false);
    compare(t, r, true);
    lethe_records_free(r);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    return 0;
}
