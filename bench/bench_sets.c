/* SPDX-License-Identifier: Apache-2.0 */
/* bench_sets.c - How much faster than AA is OG, at equal k and m?
 *
 *   bench_sets
 *
 * BMS-WebView-1 (in the folder LETHE_DATA) under random taxonomies with five children a node, three
 * of them; where it is not there, sets that are drawn.  Then BMS-WebView-2 under its own taxonomy
 * (`tree` 0), where that is there.  Processor time on one thread, the fastest of three runs (of
 * WebView-2: of one): `og_s` is the best cut, by threats as they are needed; `mog_s` its rounds;
 * `aa_s` the yardstick (`ratio`), which finds its combinations by lists of occurrences, as phase 1
 * does; `all_s` one search for all threats, then one for the cut, as in the thesis (`all_ratio`).
 * `tree_s` is what it takes to put the combinations that AA has to count, round by round, into a
 * count tree, as its paper has it, without looking at any of them (`tree_ratio`); for m up to 3.
 * Losses are NCP.  One JSON line each. */
#include "method/itemset/apriori_cut.h"
#include "method/itemset/best_cuts.h"
#include "method/itemset/cuts/cut_sets.h"
#include "core/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, FANOUT = 5, TREES = 3, MOST_COUNTED = 3 };

#define OWN_TREE "BMS-WebView-2_tree.tsv.zst"

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_sets: %s failed\n", step);
    exit(4);
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

/* --- the sets --- */

typedef struct bench {
    lethe_ctx *ctx;
    lethe_tree *t;
    lethe_records *sets; /* bound */
} bench;

/* 60,000 sets of two or three items of 500, some far more frequent than others. */
static lethe_records *drawn_sets(void)
{
    uint64_t seed = 1;
    char name[16];
    lethe_records *out = NULL;
    lethe_records_builder *b = lethe_records_builder_new();
    need(b != NULL, "memory");
    for (uint64_t i = 0; i < 60000; i++) {
        need(lethe_records_begin(b, NULL, i) == LETHE_OK, "memory");
        for (uint32_t n = 1 + draw(&seed, 4); n > 0; n--) {
            uint32_t item = draw(&seed, 1 + draw(&seed, 1 + draw(&seed, 500)));
            lethe_str s = {name, (size_t)snprintf(name, sizeof name, "%u", item)};
            need(lethe_records_item(b, s) == LETHE_OK, "memory");
        }
    }
    need(lethe_records_build(b, &out) == LETHE_OK, "memory");
    lethe_records_builder_free(b);
    return out;
}

/* A file of LETHE_DATA; NULL where it is not there. */
static const char *data_file(const char *name)
{
    static char text[4096];
    const char *dir = getenv("LETHE_DATA");
    if (dir) snprintf(text, sizeof text, "%s/%s", dir, name);
    return dir && access(text, R_OK) == 0 ? text : NULL;
}

static lethe_records *read_sets(lethe_ctx *ctx, const char *name)
{
    const char *path = data_file(name);
    lethe_records *out = NULL;
    if (!path) return drawn_sets();
    need(lethe_records_read(ctx, &path, 1, &(lethe_read_options){.strict = false}, &out) ==
             LETHE_OK,
         "reading");
    return out;
}

/* Items in random order, five below a node, and these five below another, up to one root. */
static void make_tree(bench *b, const lethe_dict *items, uint64_t seed)
{
    uint32_t n = lethe_dict_count(items), all = n;
    for (uint32_t w = n; w > 1; all += w)
        w = (w + FANOUT - 1) / FANOUT;
    uint32_t *parent = calloc(all, sizeof *parent), *order = calloc(all, sizeof *order);
    lethe_str *names = calloc(all, sizeof *names);
    char(*text)[16] = calloc(all, sizeof *text);
    need(parent && order && names && text, "memory");
    for (uint32_t i = 0; i < all; i++) {
        order[i] = i;
        names[i] = i < n ? lethe_dict_at(items, i)
                         : (lethe_str){text[i], (size_t)snprintf(text[i], 16, "n%u", i)};
    }
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = draw(&seed, i), swap = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swap;
    }
    for (uint32_t at = 0, w = n; w > 1; at += w, w = (w + FANOUT - 1) / FANOUT)
        for (uint32_t i = 0; i < w; i++)
            parent[order[at + i]] = at + w + i / FANOUT;
    parent[all - 1] = LETHE_NONE;
    need(lethe_tree_from(NULL, all, parent, names, &b->t) == LETHE_OK, "the taxonomy");
    free(parent);
    free(order);
    free(names);
    free(text);
}

/* WebView-1 and a random taxonomy; 0: WebView-2 and its own. */
static bench begin(uint64_t seed)
{
    bench b = {0};
    lethe_records *bound = NULL;
    lethe_tree *grown = NULL;
    need(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &b.ctx) == LETHE_OK, "context");
    lethe_records *in = read_sets(b.ctx, seed ? "BMS-WebView-1.dat.zst" : "BMS-WebView-2.dat.zst");
    if (seed)
        make_tree(&b, in->items, seed);
    else
        need(lethe_tree_read(b.ctx, data_file(OWN_TREE), LETHE_NAMES_ITEMS, &b.t) == LETHE_OK,
             "the taxonomy");
    need(lethe_records_bind(b.ctx, in, b.t, true, &bound, &grown) == LETHE_OK, "binding");
    need(lethe_records_sets(b.ctx, bound, false, &b.sets) == LETHE_OK, "sets");
    return b;
}

static void end(bench *b)
{
    lethe_records_free(b->sets);
    lethe_tree_free(b->t);
    lethe_ctx_free(b->ctx);
}

/* --- og, mog, aa --- */

typedef struct outcome {
    double seconds, ncp;
} outcome;

/* The best cut, by one search for all threats. */
static void find_by_all(bench *b, const lethe_records *sets, const lethe_kl *kl,
                        lethe_cuts_problem p, lethe_cuts *out)
{
    lethe_threats threats;
    need(lethe_threats_find(b->ctx, sets, b->t, kl, 0, &threats) == LETHE_OK, "phase 1");
    p.threats = &threats;
    need(lethe_cuts_find(b->ctx, &p, out) == LETHE_OK, "phase 2");
    lethe_threats_free(&threats);
}

/* A round of og: the best cut of those at or above this one. */
static uint64_t og_round(bench *b, const lethe_cuts_costs *costs, const lethe_kl *kl,
                         uint32_t valid_m, bool all, uint32_t *cut, size_t *n_cut, lethe_arena *a)
{
    lethe_records sets;
    lethe_best_cuts best = {0};
    lethe_cuts *cuts = &best.cuts;
    uint8_t *live = lethe_new(a, uint8_t, b->t->n);
    need(live != NULL, "memory");
    need(lethe_cuts_apply(b->sets, b->t, cut, *n_cut, a, &sets) == LETHE_OK, "a cut");
    for (size_t i = 0; i < *n_cut; i++)
        for (uint32_t v = cut[i]; v != LETHE_NONE && !live[v]; v = b->t->parent[v])
            live[v] = 1;
    lethe_cuts_problem p = {.t = b->t, .live = live, .cost = costs->cost, .top = 1};
    if (all)
        find_by_all(b, &sets, kl, p, cuts);
    else
        need(lethe_best_cuts_find(b->ctx, &sets, kl, valid_m, &p, LETHE_CUTS_ON_THE_WAY, &best) ==
                 LETHE_OK,
             "a search");
    need(cuts->n > 0, "finding a cut");
    uint64_t cost = cuts->cut[0].cost;
    memcpy(cut, cuts->cut[0].node, cuts->cut[0].n * sizeof *cut);
    *n_cut = cuts->cut[0].n;
    lethe_cuts_free(cuts);
    return cost;
}

enum { OG, MOG, ALL };

static outcome run_og(bench *b, const lethe_cuts_costs *costs, uint64_t k, uint32_t m, int how)
{
    lethe_arena *a = lethe_arena_new();
    uint32_t *cut = lethe_new(a, uint32_t, b->t->n);
    size_t n = 0;
    uint64_t cost = 0;
    double start = cpu();
    for (uint32_t v = 0; v < b->t->n; v++)
        if (lethe_tree_is_leaf(b->t, v) && costs->live[v]) cut[n++] = v;
    for (uint32_t i = how == MOG ? 1 : m; i <= m; i++) {
        lethe_kl kl = {.k = k, .l = 1, .m = i};
        cost = og_round(b, costs, &kl, how == MOG ? i - 1 : 0, how == ALL, cut, &n, a);
    }
    outcome o = {cpu() - start, lethe_cuts_ncp(costs, b->t, cost)};
    lethe_arena_free(a);
    return o;
}

static outcome run_aa(bench *b, const lethe_cuts_costs *costs, uint64_t k, uint32_t m)
{
    lethe_arena *a = lethe_arena_new();
    lethe_apriori_cut cut;
    double start = cpu();
    need(lethe_apriori_cut_find(b->ctx, b->sets, b->t, costs, k, m, a, &cut) == LETHE_OK &&
             !cut.none,
         "aa");
    outcome o = {cpu() - start, lethe_cuts_ncp(costs, b->t, cut.cost)};
    lethe_arena_free(a);
    return o;
}

/* --- a count tree --- */

/* Nodes by parent and item; a node's number is its place in the order they were made. */
typedef struct count_tree {
    struct {
        uint64_t key;
        uint32_t node, count;
    } * slot;
    size_t mask;
    uint32_t n;
} count_tree;

static void tree_grow(count_tree *c)
{
    count_tree old = *c;
    c->mask = old.mask ? 2 * old.mask + 1 : 1023;
    c->slot = calloc(c->mask + 1, sizeof *c->slot);
    need(c->slot != NULL, "memory");
    for (size_t i = 0; old.slot && i <= old.mask; i++) {
        if (old.slot[i].node == 0) continue;
        size_t k = (size_t)(old.slot[i].key * 0x9e3779b97f4a7c15u >> 20) & c->mask;
        while (c->slot[k].node != 0)
            k = (k + 1) & c->mask;
        c->slot[k] = old.slot[i];
    }
    free(old.slot);
}

static uint32_t tree_step(count_tree *c, uint32_t node, uint32_t item)
{
    uint64_t key = (uint64_t)node << 32 | item;
    if (2 * (size_t)c->n >= c->mask) tree_grow(c);
    size_t k = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & c->mask;
    while (c->slot[k].node != 0 && c->slot[k].key != key)
        k = (k + 1) & c->mask;
    if (c->slot[k].node == 0) {
        c->slot[k].key = key;
        c->slot[k].node = ++c->n;
    }
    c->slot[k].count++;
    return c->slot[k].node;
}

/* Combinations of `left` more items, none above another. */
static void tree_add(count_tree *c, const lethe_tree *t, const uint32_t *item, size_t n,
                     uint32_t node, uint32_t left)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t next = tree_step(c, node, item[i]);
        size_t k = i + 1;
        while (k < n && item[k] < t->end[item[i]])
            k++;
        if (left > 1) tree_add(c, t, item + k, n - k, next, left - 1);
    }
}

/* A set and all above its items, ascending. */
static size_t extend(const lethe_tree *t, const uint32_t *item, uint64_t n, uint32_t *out)
{
    size_t all = 0;
    for (uint64_t i = 0; i < n; i++) {
        size_t first = all;
        for (uint32_t v = item[i]; v != LETHE_NONE; v = t->parent[v]) {
            if (i > 0 && lethe_tree_covers(t, v, item[i - 1])) break;
            for (size_t k = all++; k > first; k--)
                out[k] = out[k - 1];
            out[first] = v;
        }
    }
    return all;
}

static double run_tree(bench *b, const lethe_cuts_costs *costs, uint64_t k, uint32_t m)
{
    double seconds = 0;
    uint32_t *item = calloc(b->t->n, sizeof *item);
    need(item != NULL, "memory");
    for (uint32_t i = 1; i <= m; i++) {
        lethe_arena *a = lethe_arena_new();
        lethe_records sets;
        lethe_apriori_cut cut = {0};
        count_tree c = {0};
        need(lethe_apriori_cut_find(b->ctx, b->sets, b->t, costs, k, i - 1, a, &cut) == LETHE_OK,
             "aa");
        need(lethe_cuts_apply(b->sets, b->t, cut.node, cut.n, a, &sets) == LETHE_OK, "a cut");
        double start = cpu();
        for (size_t r = 0; r < sets.n; r++) {
            size_t n = extend(b->t, sets.item + sets.start[r], lethe_record_size(&sets, r), item);
            tree_add(&c, b->t, item, n, 0, i);
        }
        seconds += cpu() - start;
        free(c.slot);
        lethe_arena_free(a);
    }
    free(item);
    return seconds;
}

static void keep_faster(outcome *least, outcome o)
{
    if (o.seconds < least->seconds) *least = o;
}

static void run_task(uint64_t tree, uint64_t k, uint32_t m)
{
    bench b = begin(tree);
    lethe_arena *a = lethe_arena_new();
    lethe_cuts_costs costs;
    outcome og = {1e9, 0}, mog = og, aa = og, all = og;
    double counted = 1e9;
    need(lethe_cuts_costs_find(b.sets, b.t, a, &costs) == LETHE_OK, "costs");
    for (int r = 0; r < (tree ? ROUNDS : 1); r++) {
        keep_faster(&og, run_og(&b, &costs, k, m, OG));
        keep_faster(&mog, run_og(&b, &costs, k, m, MOG));
        keep_faster(&all, run_og(&b, &costs, k, m, ALL));
        keep_faster(&aa, run_aa(&b, &costs, k, m));
        if (m <= MOST_COUNTED && tree) counted = LETHE_MIN(counted, run_tree(&b, &costs, k, m));
    }
    need(og.ncp == all.ncp, "the same cost by all threats");
    printf("{\"bench\":\"sets\",\"k\":%llu,\"m\":%u,\"tree\":%llu,\"ratio\":%.2f,"
           "\"mog_ratio\":%.2f,\"all_ratio\":%.2f,",
           (unsigned long long)k, m, (unsigned long long)tree, aa.seconds / og.seconds,
           aa.seconds / mog.seconds, all.seconds / og.seconds);
    if (m <= MOST_COUNTED && tree)
        printf("\"tree_ratio\":%.2f,\"tree_s\":%.4f,", counted / og.seconds, counted);
    printf("\"og_s\":%.4f,\"mog_s\":%.4f,\"aa_s\":%.4f,\"all_s\":%.4f,\"og_ncp\":%.4f,"
           "\"mog_ncp\":%.4f,\"aa_ncp\":%.4f,\"sets\":%zu}\n",
           og.seconds, mog.seconds, aa.seconds, all.seconds, og.ncp, mog.ncp, aa.ncp, b.sets->n);
    fflush(stdout);
    lethe_arena_free(a);
    end(&b);
}

int main(void)
{
    static const struct {
        uint64_t k;
        uint32_t m;
    } tasks[] = {{5, 2}, {5, 3}, {20, 3}, {50, 3}, {5, 4}};
    for (size_t i = 0; i < LETHE_COUNT(tasks); i++)
        for (uint64_t tree = 1; tree <= TREES; tree++)
            run_task(tree, tasks[i].k, tasks[i].m);
    for (size_t i = 0; i < LETHE_COUNT(tasks) && data_file(OWN_TREE); i++)
        run_task(0, tasks[i].k, tasks[i].m);
    return 0;
}
