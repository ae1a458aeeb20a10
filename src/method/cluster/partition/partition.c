/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c - groups of k persons found from the top of the taxonomy down, each published as the
 * nodes that all its records have items below.
 * He & Naughton, "Anonymization of Set-Valued Data via Top-Down, Local Generalization", VLDB 2009,
 * in the form that Milani Fard & Wang 2010 compare with (sections I.A and V); with --bag: LG(bag)
 * of Liu's thesis, 2010, section 5.5.1.  The partitioning itself is topdown.h's. */
#include "method/method.h"
#include "algo/generalized.h"
#include "method/cluster/clump/holders.h"
#include "method/cluster/partition/topdown.h"
#include "core/mem.h"
#include "io/json/json.h"

/* What is published for a part, and its loss.  Sums are over all members. */
struct group {
    const lethe_topdown_part *part;
    uint64_t *copies;    /* of each node */
    uint64_t n_copies;   /* in all */
    uint64_t items;      /* as they were */
    uint64_t represents; /* sum over published items of the values that one may stand for, those
                            that members have below it, less one (bLM: thesis, section 5.5.1.2) */
    uint64_t heights;    /* levels from each item up to the node above it */
    double far;          /* the same as shares of those to the root, of as many items as there are
                            copies, and 1 for every other (distance_loss of ssg) */
};

/* A worker's own: for each item, the last group that has it, counted from 1; for each node of the
 * group at hand, how many distinct items are below it. */
struct worker {
    uint32_t *seen;
    uint64_t *distinct;
    size_t cap;
};

struct partition {
    lethe_run *run;
    const lethe_data *in;
    lethe_result *out;
    uint64_t k;
    bool bag;
    bool by_record;            /* k counts records */
    lethe_induced_tree *items; /* the records, sorted */
    lethe_topdown_parts parts;
    struct group *groups; /* one a part */
    unsigned n_workers;
    struct worker *workers;
    size_t first_empty; /* the first record without items */
    bool keep_empty;    /* enough persons have such records */
    uint32_t *node;     /* for publishing */
    uint32_t *holders;  /* of each item */
    uint64_t n_rare;    /* groups that publish a rare item */
    size_t cap_nodes;
};

static lethe_err with_message(const struct partition *h, lethe_err err)
{
    return err == LETHE_ENOMEM ? lethe_no_memory(h->run->ctx) : err;
}

/* --- persons --- */

/* A record without items has nothing in common with others: it is published empty where enough
 * persons have one, and left out otherwise. */
static lethe_err check_persons(struct partition *h)
{
    const lethe_records *r = h->in->records;
    lethe_diag *d = lethe_ctx_diag(h->run->ctx);
    unsigned long long k = h->k;
    uint64_t persons[2] = {0}; /* with a record that has items, and with one that has none */
    size_t n_empty = 0;
    uint8_t *seen = lethe_alloc_zero(h->by_record ? r->n : r->n_owners, 1);
    if (!seen) return lethe_no_memory(d);
    for (size_t i = 0; i < r->n; i++) {
        unsigned empty = lethe_record_size(r, i) == 0;
        uint8_t *mark = &seen[h->by_record ? i : r->owner[i]];
        persons[empty] += !(*mark >> empty & 1);
        *mark |= (uint8_t)(1u << empty);
    }
    lethe_free(seen);
    if (persons[0] < h->k)
        return lethe_fail(d, LETHE_ANSWER_NO, "only %llu %s an item, and k is %llu",
                          (unsigned long long)persons[0],
                          h->by_record ? "records have" : "persons have a record with", k);
    h->first_empty = r->n;
    h->keep_empty = persons[1] >= h->k;
    for (size_t i = r->n; i-- > 0;) {
        if (lethe_record_size(r, i) > 0) continue;
        h->first_empty = i;
        n_empty++;
    }
    if (n_empty > 0 && !h->keep_empty)
        lethe_warn(d, "records without items are left out (%zu): fewer than %llu %s have one",
                   n_empty, k, h->by_record ? "records" : "persons");
    return LETHE_OK;
}

/* --- what is published of a part --- */

/* One record of a part: its items are below the part's nodes, all of them, side by side. */
static void add_member(const struct partition *h, struct group *g, struct worker *w, uint32_t mark,
                       uint32_t record)
{
    const lethe_induced_tree *p = h->items;
    const uint32_t *level = h->in->tree->level, *item = p->item + p->start[record];
    uint64_t n = p->start[record + 1] - p->start[record];
    g->items += n;
    for (size_t i = 0; i < g->part->n_nodes; i++) {
        uint32_t v = g->part->node[i];
        uint64_t below = lethe_gallop(item, n, p->end[v]);
        assert(below > 0 && item[0] >= v); // what is published is true of every member
        if (below < g->copies[i]) g->copies[i] = below;
        for (uint64_t j = 0; j < below; j++) {
            g->heights += level[p->node[item[j]]] - level[p->node[v]];
            w->distinct[i] += w->seen[item[j]] != mark;
            w->seen[item[j]] = mark;
        }
        item += below;
        n -= below;
    }
    assert(n == 0);
}

/* Which of a member's items below a node its copies stand for is open: each is as likely. */
static void add_distances(const struct partition *h, struct group *g, uint32_t record)
{
    const lethe_induced_tree *p = h->items;
    const uint32_t *level = h->in->tree->level;
    for (size_t i = 0; i < g->part->n_nodes; i++) {
        uint64_t n = 0;
        uint32_t v = g->part->node[i], top = level[p->node[v]];
        const uint32_t *item = lethe_induced_tree_below(p, record, v, &n);
        double up = 0; // the root alone has no level, and is no further from itself
        for (uint64_t j = 0; j < n; j++)
            up += (double)(level[p->node[item[j]]] - top) / LETHE_MAX(level[p->node[item[j]]], 1);
        g->far += up * (double)g->copies[i] / (double)n + (double)(n - g->copies[i]);
    }
}

/* LG(bag): as many copies of a node as the member with the fewest items below it has. */
static lethe_err make_group(void *arg, size_t i, unsigned w)
{
    const struct partition *h = arg;
    struct group *g = &h->groups[i];
    struct worker *own = &h->workers[w];
    const lethe_topdown_part *part = g->part = &h->parts.at[i];
    g->copies = lethe_alloc(part->n_nodes, sizeof *g->copies);
    if (!g->copies) return LETHE_ENOMEM;
    if (part->n_nodes > own->cap) {
        uint64_t *larger = lethe_realloc(own->distinct, part->n_nodes, sizeof *larger);
        if (!larger) return LETHE_ENOMEM;
        own->distinct = larger;
        own->cap = part->n_nodes;
    }
    memset(own->distinct, 0, part->n_nodes * sizeof *own->distinct);
    for (size_t k = 0; k < part->n_nodes; k++)
        g->copies[k] = h->bag ? UINT64_MAX : 1;
    for (size_t m = 0; m < part->n_members; m++)
        add_member(h, g, own, (uint32_t)i + 1, part->member[m]);
    for (size_t m = 0; m < part->n_members; m++)
        add_distances(h, g, part->member[m]);
    for (size_t k = 0; k < part->n_nodes; k++) {
        g->n_copies += g->copies[k];
        g->represents += part->n_members * g->copies[k] * (own->distinct[k] - 1);
    }
    return LETHE_OK;
}

/* --- publishing --- */

static lethe_err publish_group(struct partition *h, const struct group *g, uint32_t number,
                               lethe_generalized *sums)
{
    const lethe_tree *t = h->in->tree;
    size_t n = 0;
    if (g->n_copies > h->cap_nodes) {
        uint32_t *node = lethe_realloc(h->node, g->n_copies, sizeof *node);
        if (!node) return lethe_no_memory(h->run->ctx);
        h->node = node;
        h->cap_nodes = g->n_copies;
    }
    for (size_t i = 0; i < g->part->n_nodes; i++)
        for (uint64_t k = 0; k < g->copies[i]; k++)
            h->node[n++] = h->items->node[g->part->node[i]];
    h->n_rare += lethe_clump_holders_rare(h->holders, t, 2 * h->k, h->node, n);
    for (size_t m = 0; m < g->part->n_members; m++) {
        uint32_t from = g->part->member[m];
        lethe_generalized_add(sums, t, lethe_record_size(h->in->records, from), h->node, n);
        LETHE_TRY(h->out->record(h->out, from, number, h->node, n));
    }
    return LETHE_OK;
}

/* Groups are numbered in the order of their first records, which does not depend on threads. */
static lethe_err publish(struct partition *h, lethe_generalized *sums)
{
    static const uint32_t none[1];
    const lethe_records *r = h->in->records;
    uint32_t number = 0;
    bool empty = h->keep_empty;
    for (size_t i = 0; i <= h->parts.n; i++) {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        if (empty && (i == h->parts.n || h->first_empty < h->parts.at[i].member[0])) {
            for (size_t k = h->first_empty; k < r->n; k++) {
                if (lethe_record_size(r, k) > 0) continue;
                lethe_generalized_add(sums, h->in->tree, 0, none, 0);
                LETHE_TRY(h->out->record(h->out, k, number, none, 0));
            }
            number++;
            empty = false;
        }
        if (i < h->parts.n) LETHE_TRY(publish_group(h, &h->groups[i], number++, sums));
    }
    return LETHE_OK;
}

static lethe_err set_figures(const struct partition *h, const lethe_generalized *sums)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    uint64_t represents = 0, heights = 0, scale = lethe_tree_scale(h->in->tree);
    double far = 0;
    for (size_t i = 0; i < h->parts.n; i++) {
        far += h->groups[i].far;
        represents += h->groups[i].represents;
        heights += h->groups[i].heights;
    }
    double lost = (double)(sums->items - sums->published);
    if (scale > 0) lost += (double)represents / (double)scale;
    lethe_generalized_set(sums, h->in->tree, doc, m);
    uint64_t clusters = h->parts.n + h->keep_empty;
    lethe_set_count(doc, m, "clusters", clusters);
    lethe_set_real(doc, m, "density", lethe_records_density(h->in->records, h->in->tree));
    lethe_set_real(doc, m, "shared_rare", (double)h->n_rare / (double)clusters);
    lethe_set_real(doc, m, "blm", lost / (double)sums->items);
    lethe_set_real(doc, m, "distance_loss", far / (double)sums->items);
    lethe_set_real(doc, m, "gheight", (double)heights / (double)sums->items);
    return lethe_json_failed(doc) ? lethe_no_memory(h->run->ctx) : LETHE_OK;
}

/* --- the method --- */

static lethe_err make_parts(struct partition *h)
{
    const lethe_records *r = h->in->records;
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "sorting", 0);
    LETHE_TRY(with_message(h, lethe_induced_tree_new(ctx, h->in->tree, r, &h->items)));
    lethe_ctx_phase(ctx, "dividing", r->n);
    lethe_topdown_options how = {
        .records = h->items,
        .n = r->n,
        .owner = h->by_record ? NULL : r->owner,
        .n_owners = h->by_record ? (uint32_t)r->n : r->n_owners,
        .k = h->k,
        .by_mass = lethe_count_of(h->run->values, "pick") == 1,
    };
    LETHE_TRY(with_message(h, lethe_topdown_run(ctx, &how, &h->parts)));
    h->groups = lethe_alloc_zero(h->parts.n, sizeof *h->groups);
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->groups || !h->workers) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w].seen = lethe_alloc_zero(h->items->n, sizeof *h->workers[w].seen);
        if (!h->workers[w].seen) return lethe_no_memory(ctx);
    }
    lethe_ctx_phase(ctx, "groups", 0);
    return with_message(h, lethe_pool_for(ctx, h->parts.n, make_group, h));
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    struct partition h = {
        .run = run,
        .in = in,
        .out = out,
        .k = (uint64_t)lethe_count_of(run->values, "k"),
        .bag = lethe_count_of(run->values, "bag") == 1,
        .by_record = lethe_count_of(run->values, "persons") == 1,
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_generalized sums = {0};
    lethe_err err = check_persons(&h);
    if (err == LETHE_OK)
        err = lethe_generalized_fits(lethe_ctx_diag(run->ctx), in->records, in->tree);
    if (err == LETHE_OK) err = make_parts(&h);
    if (err == LETHE_OK)
        err = with_message(
            &h, lethe_clump_holders_count(in->records, in->tree, h.by_record, &h.holders));
    if (err == LETHE_OK) err = publish(&h, &sums);
    if (err == LETHE_OK) err = set_figures(&h, &sums);
    for (size_t i = 0; h.groups && i < h.parts.n; i++)
        lethe_free(h.groups[i].copies);
    for (unsigned w = 0; h.workers && w < h.n_workers; w++) {
        lethe_free(h.workers[w].seen);
        lethe_free(h.workers[w].distinct);
    }
    lethe_free(h.groups);
    lethe_free(h.workers);
    lethe_free(h.node);
    lethe_free(h.holders);
    lethe_topdown_parts_free(&h.parts);
    lethe_induced_tree_free(h.items);
    return err;
}

/* --- memory --- */

/* Items sorted and the nodes of parts, and while records are divided about 64 bytes for each, and 8
 * more for each thread (induced_tree.h, topdown.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v, (void)in;
    return 8 * s->parts + (64 + 8 * (uint64_t)s->threads) * s->n;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    LETHE_RECORD_OPTIONS,
    LETHE_K_OPTION,
    {.name = "bag",
     .type = LETHE_OPT_FLAG,
     .help = "publish as many copies of a generalized item as every record of the group has items "
             "below it, instead of one"},
    {.name = "pick",
     .type = LETHE_OPT_CHOICE,
     .arg = "gain|mass",
     .fallback = "gain",
     .help = "which item is expanded next: the one whose expansion gains the most information, or "
             "the one with the greatest loss before it is expanded"},
    {.name = NULL},
};

/* shared_rare needs the persons of an item in all of the input. */
static const lethe_joint joint[] = {{"ggd", LETHE_JOINT_SUM},
                                    {"clusters", LETHE_JOINT_SUM},
                                    {"avg_length", LETHE_JOINT_PER_RECORD},
                                    {"avg_level", LETHE_JOINT_PER_ITEM},
                                    {"items_suppressed", LETHE_JOINT_SUM},
                                    {"density", LETHE_JOINT_PER_RECORD},
                                    {"blm", LETHE_JOINT_PER_INPUT_ITEM},
                                    {"distance_loss", LETHE_JOINT_PER_INPUT_ITEM},
                                    {"gheight", LETHE_JOINT_PER_INPUT_ITEM},
                                    {0}};

static const lethe_figure figures[] = {
    {"ggd", "loss of information: the LM of each published item, and 1 for each suppressed item",
     -1, .kind = LETHE_FIGURE_NUMBER, .label = "generalization loss",
     .unit = "summed over items, each 0 to 1"},
    {"clusters", "groups of equal published records", .better = 1,
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
    {"blm",
     "mean loss per item: for a published one the other values that it may stand for in its group, "
     "as a share of the taxonomy's leaves, and 1 for a suppressed one",
     -1, .kind = LETHE_FIGURE_SHARE, .label = "loss within groups", .unit = "per item, 0 to 1"},
    {"distance_loss",
     "mean loss per item by distance: levels from an item up to what is published for it, as a "
     "share of those to the root, and 1 for a suppressed one",
     -1, .kind = LETHE_FIGURE_SHARE, .label = "loss by distance", .unit = "per item, 0 to 1",
     .detail = true},
    {"gheight", "mean number of levels from an item up to what it is generalized to", -1,
     .kind = LETHE_FIGURE_NUMBER, .label = "levels an item was generalized", .unit = "on average",
     .detail = true},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Everything that is published for a group is true of all its records: anyone who knows that a "
    "person is in a group knows that the person's record has these items.",
    "Releases of the same or of overlapping data are not protected together: their difference may "
    "show what neither shows alone.",
    "A generalized item shows that the records of its group differ below it, or that too few of "
    "them have the same item.",
    "A leftover group consists of records that could not be divided further; the group it was left "
    "over from may show what its records do not have in common.",
    "Records of one person may be in several groups: anyone who knows several of them may be able "
    "to link them.",
    "This is not differential privacy: what is published depends on every record.",
    NULL,
};

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = lethe_record_warns(v, out);
    if (lethe_count_of(v, "bag"))
        out[n++] = "--bag: the number of copies shows the smallest number of such items that a "
                   "record of the group has.";
    return n;
}

const lethe_method lethe_method_partition = {
    .name = "partition",
    .summary = "divide records into groups of k persons, from the top of the taxonomy down",
    .description =
        "Begins with one group of all records, in which every item is generalized to the root "
        "of the taxonomy, and expands one item of a group at a time into its children: records "
        "with items below the same children become a group of their own. Groups of fewer than k "
        "persons are merged into a leftover, which keeps the item as it was and may expand "
        "others. A leftover of too few persons takes records from larger groups, those that "
        "lose the least first, or a whole group. When nothing can be expanded any more, every "
        "record is published as the items of its group.\n"
        "\n"
        "Every published item is an item of the record or an ancestor of one, and different "
        "published items stand for different items. A set is published, as in the paper; with "
        "--bag (LG(bag) of Liu's thesis) an item is published as many times as every record of "
        "the group has items below it.\n"
        "\n"
        "A group holds records of at least k persons. A record is lent to a leftover only if "
        "its group keeps k persons without it and the leftover does not have its person yet. A "
        "person with several records may be in several groups. Records without items are "
        "published as empty lines if at least k persons have one, and are left out otherwise.\n"
        "\n"
        "With --pick gain the item is expanded whose expansion gains the most: the sum, over "
        "the items that end up in new groups, of the LM they have less the LM they get (LM: the "
        "share of the taxonomy's leaves that are below). With --pick mass it is the item with "
        "the greatest LM times items below it. Ties go to the first in the taxonomy. Nothing is "
        "random.",
    .paper =
        "Y. He and J. F. Naughton, \"Anonymization of Set-Valued Data via Top-Down, Local "
        "Generalization\", VLDB 2009; A. Milani Fard and K. Wang, \"An Effective Clustering "
        "Approach to Web Query Log Anonymization\", SECRYPT 2010, section I.A; with --bag: "
        "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, Simon "
        "Fraser University, 2010, section 5.5.1",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .knowledge = "taxonomy",
    .figures = figures,
    .joint = joint,
    .notion = "record-k-anonymity",
    .claims = lethe_record_claims,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1},
    .keeps = "what the people of a group have in common, as general as its least similar record "
             "requires",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe partition log.tsv.gz -k 5 -o release/",
    .run = run,
    .need = need,
};
