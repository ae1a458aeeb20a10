/* SPDX-License-Identifier: Apache-2.0 */
/* clump.c - groups of k persons with similar records, each published as what its group has in
 * common.  Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization",
 * SECRYPT 2010: Algorithm 1 (clumps.h) and the least common generalization (ancestors.h).  Beyond
 * the paper: groups gathered from the nearest records (refine_start.h) and refined while their
 * distortion falls (refine.h).  What the paper leaves open and where it is mistaken: docs/clump.md.
 */
#include "method/method.h"
#include "method/cluster/clump/clumps.h"
#include "algo/generalized.h"
#include "method/cluster/clump/holders.h"
#include "method/cluster/refine/refine_ggd.h"
#include "method/cluster/refine/refine_start.h"
#include "io/json/json.h"
#include "core/sort.h"
#include <stdlib.h>

enum order { ORDER_DESCENDING, ORDER_ASCENDING, ORDER_RANDOM }; /* as the choices of --order */
enum start { START_CLUMP, START_NEAREST };                      /* and of --start */

struct clump {
    lethe_run *run;
    lethe_result *out;
    const lethe_tree *t;
    const lethe_records *r;
    bool each; /* --persons record */
    uint64_t k;
    lethe_arena *arena;
    lethe_ancestors *vector;
    lethe_clump_groups clumps;
    uint32_t *first;   /* of each group, and one more: where its records begin in `member` */
    uint32_t *member;  /* records by group, ascending */
    uint32_t *holders; /* of each item */
    lethe_generalized sums;
    uint64_t n_rare; /* groups that publish a rare item */
};

/* --- the order of records --- */

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t x = *a;
    *a = *b;
    *b = x;
}

/* Algorithm 1, line 2: the longest first, those of one length in input order.  Section III, step 1:
 * ascending is "the exact reverse", with records of one length in reverse too. */
static lethe_err make_order(const struct clump *h, uint32_t **out)
{
    size_t n = h->r->n;
    int64_t how = lethe_count_of(h->run->values, "order");
    uint32_t *order = lethe_new(h->arena, uint32_t, n);
    uint64_t *key = lethe_alloc(n, sizeof *key);
    if (!order || !key) {
        lethe_free(key);
        return lethe_no_memory(h->run->ctx);
    }
    for (size_t i = 0; i < n; i++)
        key[i] = (UINT32_MAX - h->vector[i].size) << 32 | i;
    if (how != ORDER_RANDOM) qsort(key, n, sizeof *key, lethe_u64_cmp);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)key[i];
    lethe_free(key);
    for (size_t i = 0; how == ORDER_ASCENDING && i < n / 2; i++)
        swap(&order[i], &order[n - 1 - i]);
    if (how == ORDER_RANDOM) {
        lethe_rng rng = lethe_rng_stream(h->run->random, "clump-order", 0);
        for (size_t i = n; i > 1; i--)
            swap(&order[i - 1], &order[lethe_rng_below(&rng, i)]);
        lethe_rng_wipe(&rng);
    }
    *out = order;
    return LETHE_OK;
}

/* --- groups --- */

static bool is_given(const struct clump *h, const char *name)
{
    return lethe_value_of(h->run->values, name)->given;
}

/* Groups gathered from the nearest records lose far less (docs/clump.md); but --refine 0 gives the
 * paper's result, and anyone who sets one of its parameters means its algorithm. */
static bool begins_nearest(const struct clump *h)
{
    const lethe_value *start = lethe_value_of(h->run->values, "start");
    if (lethe_count_of(h->run->values, "as-published")) return false;
    if (start->present) return start->count == START_NEAREST;
    return lethe_count_of(h->run->values, "refine") > 0 && !is_given(h, "r") &&
           !is_given(h, "order") && !is_given(h, "score");
}

static lethe_refine_grouping grouping(const struct clump *h)
{
    return (lethe_refine_grouping){.n = h->r->n,
                                   .group = h->clumps.group,
                                   .n_groups = h->clumps.n,
                                   .owner = h->each ? NULL : h->r->owner,
                                   .n_owners = h->each ? 0 : h->r->n_owners,
                                   .k = h->k};
}

static lethe_err make_groups(struct clump *h)
{
    lethe_ctx *ctx = h->run->ctx;
    const lethe_values *v = h->run->values;
    const lethe_value *r = lethe_value_of(v, "r");
    uint32_t *order = NULL;
    if (begins_nearest(h)) {
        h->clumps.group = lethe_new(h->arena, uint32_t, h->r->n);
        if (!h->clumps.group) return lethe_no_memory(ctx);
        lethe_refine_grouping g = grouping(h);
        lethe_err e = lethe_refine_start(ctx, h->t, h->vector, LETHE_REFINE_START_WINDOW, &g);
        h->clumps.n = g.n_groups;
        return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
    }
    LETHE_TRY(make_order(h, &order));
    lethe_clump_options how = {
        .t = h->t,
        .records = h->r,
        .vector = h->vector,
        .order = order,
        .each = h->each,
        .k = h->k,
        .r = r->word ? UINT64_MAX : (uint64_t)r->count,
        .increase = lethe_count_of(v, "score") == 1,
        .buig = lethe_count_of(v, "as-published") != 0,
    };
    return lethe_clump_run(ctx, &how, h->arena, &h->clumps);
}

/* --- publishing --- */

/* LCG of the group by the closed form: its M, and the bag that has these counts. */
static lethe_err generalize(struct clump *h, uint32_t group, lethe_ancestors_min *m, lethe_arena *a,
                            lethe_clump_bag *out)
{
    const uint32_t *member = h->member + h->first[group];
    size_t n = h->first[group + 1] - h->first[group];
    uint32_t *item = NULL;
    if (lethe_ancestors_min_set(m, &h->vector[member[0]]) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    for (size_t i = 1; i < n; i++)
        lethe_ancestors_min_meet(m, &h->vector[member[i]]);
    lethe_ancestors counts = lethe_ancestors_min_view(m);
    if (lethe_ancestors_items(h->t, &counts, a, &item, &out->n) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    out->item = item;
    return LETHE_OK;
}

static lethe_err publish_group(struct clump *h, uint32_t group, lethe_ancestors_min *m,
                               lethe_arena *a)
{
    lethe_clump_bag bag = {0};
    if (h->clumps.result)
        bag = h->clumps.result[group];
    else
        LETHE_TRY(generalize(h, group, m, a, &bag));
    if (lethe_count_of(h->run->values, "unique")) { // Clump2 (section V); nodes are ascending
        uint32_t *item = lethe_new(a, uint32_t, bag.n);
        size_t n = 0;
        if (!item) return lethe_no_memory(h->run->ctx);
        for (size_t i = 0; i < bag.n; i++)
            if (i == 0 || bag.item[i] != bag.item[i - 1]) item[n++] = bag.item[i];
        bag = (lethe_clump_bag){item, n};
    }
    h->n_rare += lethe_clump_holders_rare(h->holders, h->t, 2 * h->k, bag.item, bag.n);
    for (uint32_t i = h->first[group]; i < h->first[group + 1]; i++) {
        uint32_t from = h->member[i];
        lethe_generalized_add(&h->sums, h->t, lethe_record_size(h->r, from), bag.item, bag.n);
        LETHE_TRY(h->out->record(h->out, from, group, bag.item, bag.n));
    }
    return LETHE_OK;
}

static lethe_err publish(struct clump *h)
{
    lethe_ancestors_min m = {0};
    lethe_arena *a = lethe_arena_new();
    lethe_err err = a ? LETHE_OK : lethe_no_memory(h->run->ctx);
    lethe_ctx_phase(h->run->ctx, "generalizing", h->clumps.n);
    for (uint32_t g = 0; g < h->clumps.n && err == LETHE_OK; g++) {
        lethe_arena_reset(a);
        err = publish_group(h, g, &m, a);
        lethe_ctx_advance(h->run->ctx, 1);
        if (err == LETHE_OK && lethe_ctx_cancelled(h->run->ctx)) err = LETHE_ECANCEL;
    }
    lethe_ancestors_min_free(&m);
    lethe_arena_free(a);
    return err;
}

/* --- the method --- */

static double share(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static lethe_err run_phases(struct clump *h)
{
    lethe_ctx *ctx = h->run->ctx;
    uint64_t n = h->each ? h->r->n : h->r->n_owners;
    if (n < h->k)
        return lethe_fail(ctx, LETHE_ANSWER_NO, "fewer than k %s: there are %llu, and k is %llu",
                          h->each ? "records" : "persons", (unsigned long long)n,
                          (unsigned long long)h->k);
    LETHE_TRY(lethe_generalized_fits(lethe_ctx_diag(ctx), h->r, h->t));
    h->arena = lethe_arena_new();
    if (!h->arena) return lethe_no_memory(ctx);
    lethe_ctx_phase(ctx, "counting", 0);
    LETHE_TRY(lethe_ancestors_all(ctx, h->t, h->r, h->arena, &h->vector));
    LETHE_TRY(make_groups(h));
    const lethe_value *rounds = lethe_value_of(h->run->values, "refine");
    if (rounds->count > 0 && !h->clumps.result) {
        lethe_refine_grouping g = grouping(h);
        lethe_err e = lethe_refine_ggd(ctx, h->t, h->vector, (uint64_t)rounds->count, &g, NULL);
        if (e != LETHE_OK) return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
        h->clumps.n = g.n_groups;
    } else if (rounds->count > 0 && rounds->given) {
        // the result of BUIG depends on the order of a group's records
        lethe_note(ctx, "groups made with --as-published are not refined");
    }
    // records by group
    h->first = lethe_new(h->arena, uint32_t, (size_t)h->clumps.n + 2);
    h->member = lethe_new(h->arena, uint32_t, h->r->n);
    if (!h->first || !h->member) return lethe_no_memory(ctx);
    uint32_t *at = h->first + 1; // one ahead, so that they end up where the groups begin
    for (size_t i = 0; i < h->r->n; i++)
        at[h->clumps.group[i] + 1]++;
    for (uint32_t g = 0; g < h->clumps.n; g++)
        at[g + 1] += at[g];
    for (size_t i = 0; i < h->r->n; i++)
        h->member[at[h->clumps.group[i]]++] = (uint32_t)i;
    if (lethe_clump_holders_count(h->r, h->t, h->each, &h->holders) != LETHE_OK)
        return lethe_no_memory(ctx);
    LETHE_TRY(publish(h));
    lethe_json_doc *doc = h->out->doc;
    lethe_json *metrics = h->out->metrics;
    lethe_generalized_set(&h->sums, h->t, doc, metrics);
    lethe_set_count(doc, metrics, "clusters", h->clumps.n);
    lethe_set_real(doc, metrics, "density", lethe_records_density(h->r, h->t));
    lethe_set_real(doc, metrics, "shared_rare", share(h->n_rare, h->clumps.n));
    lethe_set_real(doc, metrics, "scored_share", share(h->clumps.scored, h->clumps.open));
    return lethe_json_failed(doc) ? lethe_no_memory(ctx) : LETHE_OK;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    struct clump h = {
        .run = run,
        .out = out,
        .t = in->tree,
        .r = in->records,
        .each = lethe_count_of(run->values, "persons") == 1,
        .k = (uint64_t)lethe_count_of(run->values, "k"),
    };
    lethe_err err = run_phases(&h);
    lethe_free(h.holders);
    lethe_arena_free(h.arena);
    return err;
}

/* --- memory --- */

/* Counts of ancestors take 8 bytes each and 24 per record, those of a group no more than a
 * member's; while they are made, items are sorted, 4 bytes each (ancestors.h, clumps.c).  Gathering
 * and refining 490 bytes per record and 400 per group, twice (refine_start.h, refine_ggd.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    uint64_t counts = lethe_need_path_nodes(in, s); // the root of each record is one too many
    uint64_t k = (uint64_t)lethe_count_of(v, "k"), per_group = 800 / k;
    bool refines = lethe_count_of(v, "refine") > 0 || lethe_count_of(v, "start") == START_NEAREST;
    return 8 * (counts + counts / k) + 4 * s->parts + 24 * s->n +
           (refines ? (490 + per_group) * s->n : 0);
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    LETHE_RECORD_OPTIONS,
    LETHE_K_OPTION,
    {.name = "r",
     .letter = 'r',
     .type = LETHE_OPT_COUNT,
     .arg = "N|all",
     .word = "all",
     .fallback = "10",
     .min = 1,
     .max = 1e9,
     .help = "number of open groups to try for each record"},
    {.name = "order",
     .type = LETHE_OPT_CHOICE,
     .arg = "descending|ascending|random",
     .fallback = "descending",
     .help = "the order in which records are placed: by length, or random"},
    {.name = "score",
     .type = LETHE_OPT_CHOICE,
     .arg = "total|delta",
     .fallback = "total",
     .help = "which group a record joins: the one with the least distortion, as in the paper, or "
             "with the least increase of distortion"},
    {.name = "unique",
     .type = LETHE_OPT_FLAG,
     .help = "publish each item of a record once (Clump2 of the paper)"},
    {.name = "as-published",
     .type = LETHE_OPT_FLAG,
     .help = "generalize by the paper's algorithm as printed, which sometimes loses more than "
             "necessary; implies no refinement"},
    {.name = "start",
     .type = LETHE_OPT_CHOICE,
     .arg = "clump|nearest",
     .help = "how groups begin: as in the paper, or each gathered from the nearest records "
             "[default: nearest; clump with --refine 0, -r, --order, --score or --as-published]"},
    {.name = "refine",
     .type = LETHE_OPT_COUNT,
     .arg = "ROUNDS",
     .fallback = "20",
     .min = 0,
     .max = 1e6,
     .help = "maximum rounds in which records change groups to lower the distortion; 0 gives the "
             "paper's result"},
    {0},
};

/* shared_rare needs the persons of an item in all of the input; scored_share counts open groups
 * that nobody names. */
static const lethe_joint joint[] = {{"ggd", LETHE_JOINT_SUM},
                                    {"clusters", LETHE_JOINT_SUM},
                                    {"avg_length", LETHE_JOINT_PER_RECORD},
                                    {"avg_level", LETHE_JOINT_PER_ITEM},
                                    {"items_suppressed", LETHE_JOINT_SUM},
                                    {"density", LETHE_JOINT_PER_RECORD},
                                    {0}};

static const lethe_figure figures[] = {
    {"ggd",
     "distortion: for each published item the share of the taxonomy's leaves below it (0 for a "
     "leaf, 1 for the root), and 1 for each suppressed item",
     -1, .kind = LETHE_FIGURE_NUMBER, .label = "least common generalization loss",
     .unit = "summed over items, each 0 to 1"},
    {"clusters", "groups of equal published records", .better = 0,
     .label = "groups of equal records"},
    {"avg_length", "mean number of items per published record", 1, .source = LETHE_FIGURE_RELEASE,
     .kind = LETHE_FIGURE_NUMBER, .label = "items per record", .unit = "on average"},
    {"avg_level", "mean level of published items; the root is at level 1", 1,
     .source = LETHE_FIGURE_RELEASE, .kind = LETHE_FIGURE_NUMBER, .label = "level of an item",
     .unit = "on average; the root is level 1"},
    {"items_suppressed", "items of the input that no published item stands for", .better = -1,
     .label = "items lost entirely"},
    {"density", "items of the input divided by records times leaves of the taxonomy", 0,
     .kind = LETHE_FIGURE_NUMBER, .label = "density of the input",
     .unit = "% of all items in every record", .detail = true},
    {"shared_rare",
     "share of groups that publish an ungeneralized item that fewer than 2 k persons have: anyone "
     "who has it is more likely than not in that group",
     -1, .kind = LETHE_FIGURE_SHARE, .label = "groups that disclose a rare item"},
    {"scored_share",
     "of the paper's algorithm: share of the open groups whose distortion was computed per record",
     0, .kind = LETHE_FIGURE_SHARE, .label = "open groups scored per record", .detail = true},
    {0},
};

static const char *const caveats[] = {
    "Everything that is published for a group is true of all its members. Anyone who knows that a "
    "person is in a group knows that the person has all of its items: groups need not be diverse "
    "(shared_rare tells how often a rare item is disclosed this way).",
    "Releases of the same or of overlapping data are not protected together: groups that differ "
    "can be intersected.",
    "A published record is at most as long as the shortest record of its group, so its length "
    "shows the least number of items that each member has.",
    NULL,
};

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = lethe_record_warns(v, out);
    out[n++] = lethe_count_of(v, "as-published")
                   ? "--as-published: a generalized item tells in most cases that not all members "
                     "share a more specific one."
                   : "A generalized item tells that not all members share a more specific one.";
    return n;
}

const lethe_method lethe_method_clump = {
    .name = "clump",
    .summary = "make records equal in groups of k persons by generalizing their items",
    .description =
        "Puts similar records into groups of at least k persons, and publishes for each record "
        "what its group has in common: the most specific bag of items such that each item "
        "stands for an item of its own, equal or more specific, in every record of the group. "
        "Items that nothing stands for are suppressed. The loss is the distortion (ggd): an "
        "item generalized to one with m of the taxonomy's M leaves below it loses (m - 1) / (M "
        "- 1), and a suppressed item loses 1.\n"
        "\n"
        "The paper's algorithm sorts records by length; every k-th record begins a group; each "
        "other record joins, in order, that of the first r groups with fewer than k persons "
        "whose distortion with it is least; once all groups have k persons, it joins the best "
        "of all groups. -r all tries every open group, which is slower. --refine 0 gives this "
        "result.\n"
        "\n"
        "Without one of these options, groups are made one after the other, each gathered from "
        "the records that lose least by it. Then, in rounds, records move between groups or "
        "change places while the total distortion falls and every group keeps its k persons. On "
        "the data of docs/clump.md the distortion is 40 to 70 % below that of the paper's "
        "algorithm.\n"
        "\n"
        "A person with several records (lines with one ID or, with --gap, the sessions of a "
        "user) counts once per group. A group that cannot be filled is dissolved, and its "
        "records join the nearest other groups. --persons record counts records, as the paper "
        "does.\n"
        "\n"
        "The algorithm that the paper prints for the common generalization (BUIG) does not "
        "always find the most specific one. --as-published uses it nevertheless.",
    .paper = "A. Milani Fard and K. Wang, \"An Effective Clustering Approach to Web Query Log "
             "Anonymization\", SECRYPT 2010, sections II to IV",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .knowledge = "taxonomy",
    .figures = figures,
    .joint = joint,
    .notion = "record-k-anonymity",
    .claims = lethe_record_claims,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 2},
    .keeps = "what the people of a group have in common, in general terms",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe clump log.tsv.gz -k 5 --distinct -o release/",
    .run = run,
    .need = need,
};
