/* SPDX-License-Identifier: Apache-2.0 */
/* bench_clump.c - How much faster is Clump than the algorithm as it is told, does its cost grow
 * with the records alone, and what does trying all groups cost?
 *
 *   bench_clump [USERS [QUERIES]]
 *
 * A synthetic log of USERS (53058) users with QUERIES (20) queries on average becomes one record a
 * user, distinct nouns over WordNet's whole tree; k = 5.  One JSON line each:
 *   literal   CPU time on the first 1,000 records, r = 10, against Algorithm 1 with arrays over the
 *             whole taxonomy for every record and candidate; both must make the same groups;
 *   linear    CPU time for an eighth, a quarter, a half and all of the records, r = 10, and how
 *             much more a record costs among all than among an eighth; memory of the counts;
 *   all       -r all against r = 10 on a quarter and on all of the records, with the share of open
 *             groups that were looked at.
 * The log goes to a file of $TMPDIR that is removed at once. */
#include "method/cluster/clump/clumps.h"
#include "algo/text/log_records.h"
#include "app/synth/synth.h"
#include "core/mem.h"
#include "lexicon/taxonomy.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 1000, K = 5, R = 10, SIZES = 4 };

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_clump: %s failed\n", step);
    exit(4);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- data --- */

static lethe_log *make_log(lethe_ctx *ctx, const lethe_wordnet *wn, uint64_t users, double queries,
                           const char *path)
{
    lethe_secret *random = NULL;
    lethe_sink *sink = NULL;
    lethe_log *log = NULL;
    lethe_synth_counts made;
    need(lethe_secret_from_seed(1, &random) == LETHE_OK, "seed");
    need(lethe_sink_open(NULL, path, LETHE_SINK_NEW, 0600, &sink) == LETHE_OK, "log");
    lethe_synth how = {
        .version = 1, .n_users = users, .queries_per_user = queries, .random = random};
    need(lethe_synth_write(ctx, wn, &how, &(lethe_synth_sinks){.log = sink}, &made) == LETHE_OK,
         "synthetic log");
    need(lethe_sink_commit(sink) == LETHE_OK, "log");
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    need(lethe_log_files(ctx, &path, 1, &reading, &log) == LETHE_OK, "reading");
    lethe_secret_free(random);
    return log;
}

static lethe_records *make_records(lethe_ctx *ctx, uint64_t users, double queries,
                                   lethe_tree **tree)
{
    char path[512];
    const char *tmp = getenv("TMPDIR");
    lethe_wordnet *wn = NULL;
    lethe_records *r = NULL, *bound = NULL;
    lethe_log_records_result counts;
    snprintf(path, sizeof path, "%s/bench_clump.%ld", tmp ? tmp : "/tmp", (long)getpid());
    need(lethe_wordnet_open(ctx, NULL, &wn) == LETHE_OK, "WordNet");
    lethe_log *log = make_log(ctx, wn, users, queries, path);
    lethe_log_records_options nouns = {.gap_s = LETHE_GAP_ALL, .distinct = true, .nouns = wn};
    lethe_err err = lethe_log_to_records(ctx, log, &nouns, &counts, &r);
    unlink(path);
    need(err == LETHE_OK, "records");
    err = lethe_taxonomy_bind(ctx, "wordnet", wn, false, LETHE_NAMES_TERMS, false, r, &bound, tree);
    need(err == LETHE_OK, "taxonomy");
    lethe_log_free(log);
    lethe_wordnet_free(wn);
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

static uint32_t *by_length(const lethe_records *r)
{
    size_t longest = 0, n = 0;
    uint32_t *order = malloc((r->n + 1) * sizeof *order);
    for (size_t i = 0; i < r->n; i++)
        longest = LETHE_MAX(longest, lethe_record_size(r, i));
    size_t *at = calloc(longest + 2, sizeof *at);
    need(order && at, "memory");
    for (size_t i = 0; i < r->n; i++)
        at[longest - lethe_record_size(r, i) + 1]++;
    for (; n <= longest; n++)
        at[n + 1] += at[n];
    for (size_t i = 0; i < r->n; i++)
        order[at[longest - lethe_record_size(r, i)]++] = (uint32_t)i;
    free(at);
    return order;
}

/* --- ours --- */

typedef struct made {
    double cpu_s, counting_s;
    uint64_t bytes; /* of the counts */
    lethe_clump_groups clumps;
    lethe_arena *arena;
} made;

static made run(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *r, uint64_t tried)
{
    made m = {.arena = lethe_arena_new()};
    lethe_ancestors *vector = NULL;
    uint32_t *order = by_length(r);
    need(m.arena != NULL, "memory");
    double start = cpu_s();
    need(lethe_ancestors_all(ctx, t, r, m.arena, &vector) == LETHE_OK, "counting");
    m.counting_s = cpu_s() - start;
    m.bytes = lethe_arena_bytes(m.arena);
    lethe_clump_options how = {
        .t = t, .records = r, .vector = vector, .order = order, .k = K, .r = tried};
    need(lethe_clump_run(ctx, &how, m.arena, &m.clumps) == LETHE_OK, "clumping");
    m.cpu_s = cpu_s() - start;
    free(order);
    return m;
}

/* --- Algorithm 1 as it is told --- */

struct literal {
    const lethe_tree *t;
    const lethe_records *r;
    uint32_t **least; /* of each group, over the whole taxonomy: counts of its LCG */
    uint64_t *items, *n;
    uint32_t *cnt; /* of the record at hand, likewise */
    uint32_t *group;
};

static void count(const struct literal *h, size_t record, uint32_t *cnt)
{
    memset(cnt, 0, h->t->n * sizeof *cnt);
    for (uint64_t i = h->r->start[record]; i < h->r->start[record + 1]; i++)
        cnt[h->r->item[i]]++;
    for (uint32_t v = h->t->n; v-- > 1;) // bottom-up
        cnt[h->t->parent[v]] += cnt[v];
}

/* GGD of the group with the record at hand: of each node, what is in common below it less what its
 * children have in common. */
static uint64_t score(const struct literal *h, size_t g, size_t record)
{
    const uint32_t *least = h->least[g], scale = lethe_tree_scale(h->t);
    uint64_t size = lethe_record_size(h->r, record), lm = 0;
    uint64_t common = LETHE_MIN(least[0], h->cnt[0]);
    for (uint32_t v = 1; v < h->t->n; v++) {
        uint64_t m = LETHE_MIN(least[v], h->cnt[v]);
        lm += m * lethe_tree_lm(h->t, v);
        lm -= m * lethe_tree_lm(h->t, h->t->parent[v]); // modulo 2^64, as the parent's came before
    }
    lm += common * scale;
    return (h->n[g] + 1) * lm + (h->items[g] + size - (h->n[g] + 1) * common) * scale;
}

static void join(struct literal *h, size_t g, size_t record)
{
    for (uint32_t v = 0; v < h->t->n; v++)
        h->least[g][v] = LETHE_MIN(h->least[g][v], h->cnt[v]);
    h->items[g] += lethe_record_size(h->r, record);
    h->n[g]++;
    h->group[record] = (uint32_t)g;
}

static size_t best_of(const struct literal *h, size_t n, size_t record, uint64_t full, size_t tried)
{
    size_t best = SIZE_MAX, seen = 0;
    uint64_t least = 0;
    for (size_t g = 0; g < n && seen < tried; g++) {
        if (h->n[g] >= full) continue;
        uint64_t s = score(h, g, record);
        if (seen++ == 0 || s < least) best = g, least = s;
    }
    return best;
}

static double literal(const lethe_tree *t, const lethe_records *r, uint32_t *group)
{
    size_t n = r->n / K;
    struct literal h = {.t = t, .r = r, .group = group};
    uint32_t *order = by_length(r);
    h.least = malloc(n * sizeof *h.least);
    h.items = calloc(n, sizeof *h.items);
    h.n = calloc(n, sizeof *h.n);
    h.cnt = malloc(t->n * sizeof *h.cnt);
    need(h.least && h.items && h.n && h.cnt, "memory");
    double start = cpu_s();
    memset(group, 0xff, r->n * sizeof *group);
    for (size_t g = 0; g < n; g++) {
        h.least[g] = malloc(t->n * sizeof **h.least);
        need(h.least[g] != NULL, "memory");
        memset(h.least[g], 0xff, t->n * sizeof **h.least);
        count(&h, order[g * K], h.cnt);
        join(&h, g, order[g * K]);
    }
    for (size_t i = 0; i < r->n; i++) {
        if (group[order[i]] != LETHE_NONE) continue;
        count(&h, order[i], h.cnt);
        size_t g = best_of(&h, n, order[i], K, R);
        join(&h, g != SIZE_MAX ? g : best_of(&h, n, order[i], UINT64_MAX, SIZE_MAX), order[i]);
    }
    double spent = cpu_s() - start;
    for (size_t g = 0; g < n; g++)
        free(h.least[g]);
    free(h.least);
    free(h.items);
    free(h.n);
    free(h.cnt);
    free(order);
    return spent;
}

/* --- questions --- */

static void against_literal(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *all)
{
    lethe_records r = first_of(all, LETHE_MIN(FEW, all->n));
    uint32_t *group = malloc((r.n + 1) * sizeof *group);
    need(group != NULL, "memory");
    double slow = literal(t, &r, group), fast = 1e30;
    for (int i = 0; i < 3; i++) {
        made m = run(ctx, t, &r, R);
        need(memcmp(group, m.clumps.group, r.n * sizeof *group) == 0, "comparing the groups");
        fast = LETHE_MIN(fast, m.cpu_s);
        lethe_arena_free(m.arena);
    }
    printf("{\"bench\":\"clump\",\"what\":\"literal\",\"yardstick\":\"Algorithm 1 over the whole "
           "taxonomy\",\"records\":%zu,\"nodes\":%u,\"height\":%u,\"ratio\":%.1f,\"cpu_s\":%.4f,"
           "\"yardstick_cpu_s\":%.3f}\n",
           r.n, t->n, t->height, slow / fast, fast, slow);
    free(group);
}

static void linear(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *all)
{
    double cpu[SIZES], counting = 0;
    uint64_t bytes = 0, items = all->start[all->n];
    for (int i = 0; i < SIZES; i++) {
        lethe_records r = first_of(all, all->n >> (SIZES - 1 - i));
        made m = run(ctx, t, &r, R);
        cpu[i] = m.cpu_s;
        counting = m.counting_s;
        bytes = m.bytes;
        lethe_arena_free(m.arena);
    }
    printf(
        "{\"bench\":\"clump\",\"what\":\"linear\",\"yardstick\":\"an eighth of the "
        "records\",\"records\":%zu,\"items\":%llu,\"ratio\":%.3f,\"cpu_s\":[%.3f,%.3f,%.3f,%.3f],"
        "\"counting_cpu_s\":%.3f,\"records_per_core_s\":%.0f,\"bytes_per_item\":%.1f}\n",
        all->n, (unsigned long long)items, cpu[SIZES - 1] / cpu[0] / (1 << (SIZES - 1)), cpu[0],
        cpu[1], cpu[2], cpu[3], counting, (double)all->n / cpu[SIZES - 1],
        (double)bytes / (double)items);
}

static void all_groups(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *all, size_t n)
{
    lethe_records r = first_of(all, n);
    made few = run(ctx, t, &r, R), every = run(ctx, t, &r, UINT64_MAX);
    printf("{\"bench\":\"clump\",\"what\":\"all\",\"yardstick\":\"r = 10\",\"records\":%zu,"
           "\"ratio\":%.2f,\"cpu_s\":%.3f,\"yardstick_cpu_s\":%.3f,\"scored_share\":%.5f}\n",
           n, every.cpu_s / few.cpu_s, every.cpu_s, few.cpu_s,
           (double)every.clumps.scored / (double)every.clumps.open);
    lethe_arena_free(few.arena);
    lethe_arena_free(every.arena);
}

int main(int argc, char **argv)
{
    uint64_t users = argc > 1 ? strtoull(argv[1], NULL, 10) : 53058;
    double queries = argc > 2 ? strtod(argv[2], NULL) : 20;
    lethe_settings set = {.n_threads = 1, .spill_dir = getenv("TMPDIR")};
    lethe_ctx *ctx = NULL;
    lethe_tree *tree = NULL;
    need(users >= FEW, "reading USERS (1000 at least)");
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    lethe_records *r = make_records(ctx, users, queries, &tree);
    against_literal(ctx, tree, r);
    linear(ctx, tree, r);
    all_groups(ctx, tree, r, r->n / 4);
    all_groups(ctx, tree, r, r->n);
    lethe_records_free(r);
    lethe_tree_free(tree);
    lethe_ctx_free(ctx);
    return 0;
}
