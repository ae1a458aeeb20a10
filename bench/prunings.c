/* SPDX-License-Identifier: Apache-2.0 */
/* prunings.c - How much work does each technique of the searches behind og and lplus save?
 *
 *   prunings og RECORDS TAXONOMY K M SECONDS [TECHNIQUE ...]
 *   prunings lplus TABLE HIERARCHIES QI,... SA SCHEME COST THETA SECONDS [TECHNIQUE ...]
 *
 * Runs one search without the techniques named, for SECONDS at most (0: no limit), and prints one
 * JSON line with the figures of the method.  The result is the same with any techniques; only the
 * work changes.  tools/kl-tables and tools/lplus-tables make their tables of techniques with it.
 *
 * og: global local generic locked (Prunings I to IV of phase 1), cost order bound reduce (Methods I
 * to IV of phase 2), ours (the search of this program; without it, or without any of the four, it
 * is the thesis' search that runs).  lplus: order update (sections 3.4.1 and 3.4.2).  J. Liu,
 * "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010. */
#include "../tests/support/cuts_plain.h"
#include "lexicon/hierarchies.h"
#include "method/itemset/cuts/cut_sets.h"
#include "method/table/search/table_search.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "prunings: %s failed\n", what);
    exit(4);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The bits of the techniques named. */
static unsigned bits_of(char **name, int n, const char *const *all, unsigned n_all)
{
    unsigned bits = 0;
    for (int i = 0; i < n; i++) {
        unsigned k = 0;
        while (k < n_all && strcmp(name[i], all[k]) != 0)
            k++;
        need(k < n_all, name[i]);
        bits |= 1u << k;
    }
    return bits;
}

static uint32_t place_of(const char *name, const char *const *all, uint32_t n)
{
    uint32_t k = 0;
    while (k < n && strcmp(name, all[k]) != 0)
        k++;
    need(k < n, name);
    return k;
}

static void run_og(lethe_ctx *ctx, int argc, char **argv)
{
    static const char *const techniques[] = {"global", "local", "generic", "locked", "cost",
                                             "order",  "bound", "reduce",  "ours"};
    unsigned without = bits_of(argv + 7, argc - 7, techniques, LETHE_COUNT(techniques));
    const char *file = argv[2];
    lethe_kl kl = {.k = strtoul(argv[4], NULL, 10), .l = 1, .m = (uint32_t)atoi(argv[5])};
    lethe_records *read = NULL, *bound = NULL, *sets = NULL;
    lethe_tree *t = NULL, *grown = NULL;
    lethe_cuts_costs costs;
    lethe_threats threats = {0};
    lethe_cuts cuts = {0};
    lethe_arena *a = lethe_arena_new();
    need(lethe_records_read(ctx, &file, 1, &(lethe_read_options){.strict = true}, &read) ==
             LETHE_OK,
         "reading the records");
    need(lethe_tree_read(ctx, argv[3], LETHE_NAMES_ITEMS, &t) == LETHE_OK, "reading the taxonomy");
    need(lethe_records_bind(ctx, read, t, true, &bound, &grown) == LETHE_OK, "binding");
    if (grown) {
        lethe_tree_free(t);
        t = grown;
    }
    need(lethe_records_sets(ctx, bound, false, &sets) == LETHE_OK, "sets");
    need(a && lethe_cuts_costs_find(sets, t, a, &costs) == LETHE_OK, "costs");
    double began = now_s();
    need(lethe_threats_find(ctx, sets, t, &kl, without & 15, &threats) == LETHE_OK, "threats");
    double between = now_s();
    lethe_cuts_problem p = {.t = t,
                            .live = costs.live,
                            .cost = costs.cost,
                            .threats = &threats,
                            .top = 1,
                            .seconds = atof(argv[6])};
    need(plain_find(ctx, &p, without >> 4, &cuts) == LETHE_OK && cuts.n == 1, "finding a cut");
    printf("{\"threats\":%" PRIu64 ",\"nodes\":%" PRIu64 ",\"cuts\":%" PRIu64
           ",\"optimal\":%s,\"ncp\":%.17g,\"phase1_s\":%.6f,\"phase2_s\":%.6f}\n",
           threats.stored, threats.nodes, cuts.examined, cuts.optimal ? "true" : "false",
           lethe_cuts_ncp(&costs, t, cuts.cut[0].cost), between - began, now_s() - between);
    lethe_cuts_free(&cuts);
    lethe_threats_free(&threats);
    lethe_records_free(sets);
    lethe_tree_free(t);
    lethe_arena_free(a);
}

static void run_lplus(lethe_ctx *ctx, int argc, char **argv)
{
    static const char *const techniques[] = {"order", "update"},
                             *const costs[] = {"LM", "DM", "CM"},
                             *const schemes[] = {"none", "vioSA", "allSA", "vioRec", "allRec"};
    unsigned without = bits_of(argv + 10, argc - 10, techniques, LETHE_COUNT(techniques));
    const char *file = argv[2];
    lethe_str *qi = NULL;
    size_t n_qi = 0;
    lethe_hierarchies h = {0};
    lethe_table *table = NULL;
    lethe_tuples *tuples = NULL;
    lethe_table_found found = {0};
    const uint64_t **weight = NULL;
    lethe_theta share;
    lethe_arena *a = lethe_arena_new();
    need(a && lethe_names_parse(NULL, a, argv[4], &qi, &n_qi) == LETHE_OK, "a list of columns");
    need(lethe_hierarchies_read(ctx, argv[3], qi, n_qi, &h) == LETHE_OK, "reading hierarchies");
    lethe_table_read_options how = {.roles = {.qi = argv[4], .sa = argv[5]},
                                    .hierarchy = (const lethe_tree *const *)h.at};
    need(lethe_table_read(ctx, &file, 1, &how, &table) == LETHE_OK, "reading the table");
    need(lethe_theta_parse(lethe_str_of(argv[8]), &share), "theta");
    uint32_t n_sa = lethe_dict_count(table->sa->values);
    lethe_theta *theta = lethe_new(a, lethe_theta, n_sa);
    need(theta && lethe_tuples_of(ctx, table, false, &tuples) == LETHE_OK, "tuples");
    for (uint32_t i = 0; i < n_sa; i++)
        theta[i] = share;
    lethe_group_demand d = {.suppress = (lethe_group_suppress)place_of(argv[6], schemes, 5),
                            .cost = (lethe_group_cost)place_of(argv[7], costs, 2),
                            .theta = theta,
                            .n_sa = n_sa,
                            .k = 1,
                            .distinct = 1,
                            .n_class = 1,
                            .rows = table->n,
                            .n_qi = (uint32_t)n_qi};
    need(lethe_tuples_weights(tuples, a, &weight, &d.scale) == LETHE_OK, "weights");
    lethe_table_limits limits = {.top = 1,
                                 .seconds = atof(argv[9]),
                                 .without_order = without & 1,
                                 .without_update = without & 2};
    need(lethe_table_search(ctx, tuples, &d, (const uint64_t *const *)weight, &limits, a, &found) ==
             LETHE_OK,
         "the search");
    need(found.n == 1, "finding a cut");
    printf("{\"cost\":%.17g,\"optimal\":%s,\"cuts_total\":%.17g,\"cuts_examined\":%" PRIu64
           ",\"cuts_to_best\":%" PRIu64 "}\n",
           (double)found.cost[0] / (d.cost == LETHE_COST_LM ? (double)LETHE_MAX(d.scale, 1) : 1),
           found.optimal ? "true" : "false", lethe_tuples_cuts(tuples), found.examined,
           found.to_best);
    lethe_tuples_free(tuples);
    lethe_table_free(table);
    lethe_hierarchies_free(&h);
    lethe_arena_free(a);
}

int main(int argc, char **argv)
{
    bool og = argc >= 7 && strcmp(argv[1], "og") == 0;
    lethe_settings set = {.n_threads = og ? 0 : 1}; // as the tools run the methods
    lethe_ctx *ctx = NULL;
    need(lethe_ctx_new(&set, &ctx) == LETHE_OK, "context");
    if (og)
        run_og(ctx, argc, argv);
    else if (argc >= 10 && strcmp(argv[1], "lplus") == 0)
        run_lplus(ctx, argc, argv);
    else
        need(false, "the command line: see the head of bench/prunings.c; that");
    lethe_ctx_free(ctx);
    return 0;
}
