/* SPDX-License-Identifier: Apache-2.0 */
/* local.c - local recoding of a table: each group of rows is generalized by itself, so that equal
 * values may be published differently.  After J. Xu, W. Wang, J. Pei, X. Wang, B. Shi and A. Fu,
 * "Utility-Based Anonymization Using Local Recoding", KDD 2006, whose loss (NCP) is minimized; how
 * groups are formed is our own (local/local_groups.h).
 *
 * Groups overlap: a published value may be above another one, so that the values of a person may
 * fit several groups.  The rows that fit a person are a union of groups, and each promise that is
 * kept by every group is kept by a union of them (check/table/table_groups.h). */
#include "method/table/generalize.h"
#include "method/table/local/local_groups.h"
#include "io/json/json.h"

__extension__ typedef unsigned __int128 wide;

/* clang-format off */
/* Tuples (tuples.h), and for each thread the space in which groups are divided (local/). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    const lethe_table *t = in ? in->table : NULL;
    uint64_t values = 0;
    (void)v;
    for (size_t i = 0; t && i < t->n_qi; i++)
        values += t->qi[i].tree->leaves[0];
    return lethe_generalize_need(in, s, 32 + 200 * (uint64_t)s->threads) +
           lethe_local_sets_bytes(values, s->n, s->threads);
}

static const lethe_option options[] = {
    LETHE_TABLE_OPTIONS,
    LETHE_DEMAND_OPTIONS,
    LETHE_POPULATION_OPTIONS,
    {.name = "weights", .type = LETHE_OPT_TEXT, .arg = "COLUMN=W,...",
     .help = "how much the loss in a column counts, from 0.001 to 1000; other columns count 1"},
    {.name = "suppress", .type = LETHE_OPT_TEXT, .arg = "SHARE", .fallback = "0",
     .help = "largest share of the rows that may be deleted where that loses less, such as 0.01 "
             "or 1/100"},
    {0},
};

static const lethe_figure figures[] = {
    {"cost", "loss that was minimized: the sum of LM by cell, times --weights; 1 for each cell of a "
     "deleted row", -1, .kind = LETHE_FIGURE_NUMBER, .label = "loss that was minimized",
     .unit = "cells, weighted", .detail = true},
    {"loss", "mean loss of a cell (NCP), a deleted row counting 1, whatever the weights", -1,
     .kind = LETHE_FIGURE_SHARE, .label = "loss of a cell", .unit = "% on average"},
    {"rows_deleted", "rows deleted by --suppress", .better = -1},
    {"groups", "groups of published rows that look alike", 1, .source = LETHE_FIGURE_RELEASE,
     .label = "groups of rows that look alike"},
    {"smallest_group", "rows of the smallest group", 0, .source = LETHE_FIGURE_RELEASE,
     .label = "smallest group", .unit = "rows"},
    {"mean_group", "rows of a group on average", -1, .source = LETHE_FIGURE_RELEASE,
     .kind = LETHE_FIGURE_NUMBER, .label = "average group", .unit = "rows"},
    {0},
};
/* clang-format on */

static const char *const caveats[] = {
    "Each row counts as one person: a person with several rows is not protected.",
    "Groups overlap: what is known of a person may fit several groups. Each of them keeps the "
    "promise, and so do all of them together; but how many rows have a published value does not "
    "tell how many persons the value fits.",
    "To which group a row went depends on all other rows: anyone who knows the method, and much of "
    "the table, may rule out some of the rows that fit a person (minimality).",
    "Releases of the same or of overlapping data are not protected together.",
    NULL,
};

/* --- options --- */

static const char *text_of(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_find(v, name);
    return value ? value->text : NULL;
}

/* The largest share of rows that may be deleted; false: the text is no share. */
static bool share_of(const lethe_values *v, lethe_theta *out)
{
    const char *text = text_of(v, "suppress");
    return lethe_theta_parse(lethe_str_of(text ? text : "0"), out);
}

static lethe_err weights_check(const lethe_values *v, lethe_diag *d)
{
    uint32_t weight[LETHE_QI_MAX];
    lethe_str *qi = NULL;
    size_t n = 0;
    if (!text_of(v, "weights")) return LETHE_OK;
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(d);
    // what is wrong with --qi, the check of the roles says
    lethe_err e = lethe_names_parse(NULL, a, text_of(v, "qi"), &qi, &n);
    if (e == LETHE_OK && n <= LETHE_QI_MAX)
        e = lethe_weights_parse(d, text_of(v, "weights"), qi, n, weight);
    else if (e == LETHE_EUSAGE)
        e = LETHE_OK;
    lethe_arena_free(a);
    return e;
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    lethe_theta share;
    LETHE_TRY(lethe_generalize_validate(v, d));
    if (!share_of(v, &share) || share.num == share.den)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--suppress: '%s' is not a share from 0 to below 1, such as 0.01 or "
                          "1/100",
                          text_of(v, "suppress"));
    if (share.num > 0 && text_of(v, "t-closeness"))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--t-closeness needs --suppress 0: deleted rows change the distribution "
                          "that groups are compared with");
    return weights_check(v, d);
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *all)
{
    lethe_json *plain = lethe_json_array(doc);
    lethe_generalize_claims(v, doc, plain);
    for (size_t i = 0; i < lethe_json_count(plain); i++) {
        lethe_json *claim = lethe_json_copy(doc, lethe_json_at(plain, i));
        lethe_set_text(doc, claim, "groups", "overlap");
        lethe_json_push(doc, all, claim);
    }
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    lethe_theta share = {0, 1};
    size_t n = lethe_generalize_warns(v, out);
    if (lethe_ranges_have_values(text_of(v, "ranges")))
        out[n++] = "The ends of ranges are values that occur: in each group someone has the least "
                   "number, and someone the greatest. The range of all values shows those of the "
                   "whole table, and taxonomy.tsv how many different ones of the table are in a "
                   "range, deleted rows included: where these are few, a range says more than its "
                   "width.";
    if (share_of(v, &share) && share.num > 0)
        out[n++] = "Rows that would have cost most may be deleted, up to the share of --suppress: "
                   "unusual persons are missing then, and anyone who knows how many rows there "
                   "were sees that some are.";
    if (share.num > 0 && text_of(v, "theta-by-frequency")) out[n++] = THRESHOLDS_TELL;
    return n;
}

/* --- what is asked, and prices --- */

/* Is nothing claimed but a number of rows?  Asked of the claims, so that no requirement can be
 * forgotten here. */
static lethe_err asks_rows_only(lethe_generalize_run *g, bool *out)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *all = doc ? lethe_json_array(doc) : NULL;
    if (all) lethe_generalize_claims(g->run->values, doc, all);
    bool failed = !doc || lethe_json_failed(doc);
    *out = true;
    for (size_t i = 0; i < lethe_json_count(all); i++)
        *out =
            *out && lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(all, i), "notion")),
                                 LETHE_LIT("k-anonymity"));
    lethe_json_doc_free(doc);
    return failed ? lethe_no_memory(g->run->ctx) : LETHE_OK;
}

/* A run of the method. */
typedef struct recoding {
    lethe_generalize_run *g;
    uint32_t weight[LETHE_QI_MAX]; /* by column, in thousandths */
    lethe_local_demand demand;
    lethe_local_column *column;
    lethe_local_groups groups;
    double cost, loss; /* of what is published: weighted, and not */
} recoding;

/* All costs stay below this, so that sums and signed numbers hold them. */
#define COST_MAX (UINT64_C(1) << 62)

/* The greatest number of which all weights are multiples. */
static uint32_t weights_unit(const recoding *r)
{
    uint32_t unit = 0;
    for (size_t a = 0; a < r->g->table->n_qi; a++)
        for (uint32_t rest = r->weight[a], next; rest != 0; rest = next) { // Euclid
            next = unit % rest;
            unit = rest;
        }
    assert(unit > 0); // there is a column, and its weight is not 0
    return unit;
}

/* What a column of weight `unit` costs at its root: as for cuts, where this is exact and not too
 * large, else as large as sums over all rows allow. */
static uint64_t choose_scale(const recoding *r, uint32_t unit)
{
    const lethe_table *t = r->g->table;
    uint64_t sum = 0, ten = 1;
    bool spans = false;
    for (size_t a = 0; a < t->n_qi; a++) {
        sum += r->weight[a] / unit;
        spans = spans || t->qi[a].position;
    }
    uint64_t most = COST_MAX / LETHE_MAX(t->n, 1) / (2 * LETHE_MAX(sum, 1));
    if (!spans && r->g->demand.scale <= most) return r->g->demand.scale;
    while (ten <= most / 10)
        ten *= 10;
    return ten;
}

static lethe_err column_price(recoding *r, size_t a, uint64_t root)
{
    const lethe_qi *qi = &r->g->table->qi[a];
    lethe_local_column *c = &r->column[a];
    uint64_t by = lethe_tree_scale(qi->tree);
    uint64_t *price = lethe_new(r->g->arena, uint64_t, qi->tree->n);
    if (!price) return lethe_no_memory(r->g->run->ctx);
    for (uint32_t v = 0; v < qi->tree->n; v++) {
        if (qi->position)
            price[v] = (uint64_t)(qi->position[v] * (double)root); // rises with the position
        else if (by > 0)
            price[v] = (uint64_t)((wide)root * lethe_tree_lm(qi->tree, v) / by);
    }
    c->tree = qi->tree;
    if (qi->position)
        c->at = price;
    else
        c->weight = price;
    r->demand.deletion_price += root;
    return LETHE_OK;
}

static bool same_leaves(const lethe_tuples *x, size_t i, const lethe_tuples *y, size_t k)
{
    for (size_t a = 0; a < x->n_qi; a++)
        if (x->leaf[a][i] != y->leaf[a][k]) return false;
    return true;
}

/* How many rows of the population fall under what the table publishes as one group: in each column
 * from one node to another, of whose numbers those below the common ancestor are a stretch. */
static uint64_t under_all(const recoding *r, const lethe_tuples *alone, const lethe_tuples *all)
{
    uint32_t low[LETHE_QI_MAX], high[LETHE_QI_MAX];
    size_t n_qi = alone->n_qi; // both have the columns of the table
    uint64_t rows = 0;
    for (size_t a = 0; a < n_qi; a++) {
        const lethe_tree *tree = alone->tree[a];
        low[a] = high[a] = alone->leaf[a][0];
        for (size_t i = 1; i < alone->n; i++) {
            low[a] = LETHE_MIN(low[a], alone->leaf[a][i]);
            high[a] = LETHE_MAX(high[a], alone->leaf[a][i]);
        }
        if (r->g->table->qi[a].position) continue; // a range of values
        while (!lethe_tree_covers(tree, low[a], high[a]))
            low[a] = tree->parent[low[a]];
        high[a] = tree->end[low[a]] - 1;
    }
    for (size_t k = 0; k < all->n; k++) {
        bool under = true;
        for (size_t a = 0; under && a < n_qi; a++)
            under = low[a] <= all->leaf[a][k] && all->leaf[a][k] <= high[a];
        if (under) rows += all->population[k];
    }
    return rows;
}

/* The columns of the demand know a combination of sensitive values by the tuples' numbers. */
static lethe_err columns_point(lethe_generalize_run *g, const lethe_tuples *to)
{
    uint32_t n = g->demand.n_columns;
    lethe_group_column *column = lethe_new(g->arena, lethe_group_column, n);
    if (!column) return lethe_no_memory(g->run->ctx);
    for (uint32_t i = 0; i < n; i++) {
        column[i] = g->demand.column[i];
        if (column[i].of) column[i].of = to->part[i];
    }
    g->demand.column = column;
    return LETHE_OK;
}

/* Tuples of the table alone, and for each how many rows of the population have its
 * quasi-identifiers.  Both lists stand in the order of leaves. */
static lethe_err population_part(recoding *r)
{
    lethe_generalize_run *g = r->g;
    lethe_tuples *alone = NULL;
    if (!g->tuples->population) return LETHE_OK;
    LETHE_TRY(lethe_tuples_of(g->run->ctx, g->table, false, &alone));
    const lethe_tuples *all = g->tuples;
    uint32_t *rows = lethe_new(g->arena, uint32_t, alone->n);
    for (size_t i = 0, at = 0; rows && i < alone->n; i++) {
        if (i > 0 && same_leaves(alone, i, alone, i - 1)) {
            rows[i] = rows[i - 1];
            continue;
        }
        while (!same_leaves(alone, i, all, at))
            at++;
        for (size_t k = at; k < all->n && same_leaves(alone, i, all, k); k++)
            rows[i] += all->population[k];
    }
    r->demand.population = rows;
    r->demand.population_all = under_all(r, alone, all);
    lethe_tuples_free(g->tuples);
    g->tuples = alone;
    return rows ? columns_point(g, alone) : lethe_no_memory(g->run->ctx);
}

static lethe_err demand_make(recoding *r)
{
    lethe_generalize_run *g = r->g;
    const lethe_values *v = g->run->values;
    lethe_theta share = {0, 1};
    lethe_str name[LETHE_QI_MAX];
    for (size_t a = 0; a < g->table->n_qi; a++)
        name[a] = g->table->qi[a].name;
    LETHE_TRY(lethe_weights_parse(lethe_ctx_diag(g->run->ctx), text_of(v, "weights"), name,
                                  g->table->n_qi, r->weight));
    if (!share_of(v, &share)) share.num = 0; // was checked
    r->demand.group = &g->demand;
    r->demand.max_deleted = (uint64_t)((wide)g->table->n * share.num / share.den);
    LETHE_TRY(asks_rows_only(g, &r->demand.rows_only));
    LETHE_TRY(population_part(r));
    r->column = lethe_new(g->arena, lethe_local_column, g->table->n_qi);
    if (!r->column) return lethe_no_memory(g->run->ctx);
    uint32_t unit = weights_unit(r);
    uint64_t scale = choose_scale(r, unit);
    for (size_t a = 0; a < g->table->n_qi; a++)
        LETHE_TRY(column_price(r, a, scale * (r->weight[a] / unit)));
    return LETHE_OK;
}

/* --- publishing --- */

/* One past the last tuple that rows may be exchanged with: those of tuple i alone, or where
 * sensitive values are not looked at, all with its quasi-identifiers. */
static size_t exchange_end(const recoding *r, size_t i)
{
    const lethe_tuples *t = r->g->tuples;
    size_t end = i + 1;
    for (bool same = r->demand.rows_only; same && end < t->n; end += same)
        for (size_t a = 0; same && a < t->n_qi; a++)
            same = t->leaf[a][end] == t->leaf[a][i];
    return end;
}

/* Rows that are equal in all that groups are formed by may go to several groups, or be deleted.
 * Which of them is drawn.  In the order of the table, what is published of a row besides would tell
 * where it stood; and where sensitive values are not looked at, in the order of these, each group
 * would get as few different ones as possible. */
static void rows_shuffle(recoding *r, const uint32_t *first, uint32_t *row)
{
    lethe_rng rng = lethe_rng_stream(r->g->run->random, "members", 0);
    for (size_t i = 0, end; i < r->g->tuples->n; i = end) {
        end = exchange_end(r, i);
        for (uint32_t n = first[end] - first[i]; n > 1; n--) {
            uint32_t *last = &row[first[i] + n - 1],
                     *other = &row[first[i] + lethe_rng_below(&rng, n)], was = *last;
            *last = *other;
            *other = was;
        }
    }
    lethe_rng_wipe(&rng);
}

/* The published nodes of a group, and what they cost each of its rows. */
static lethe_err group_nodes(recoding *r, size_t group, uint32_t *node, double *cost, double *loss)
{
    const lethe_table *t = r->g->table;
    lethe_result *out = r->g->out;
    *cost = *loss = 0;
    for (size_t a = 0; a < t->n_qi; a++) {
        const lethe_qi *qi = &t->qi[a];
        uint32_t low = r->groups.low[group * t->n_qi + a],
                 high = r->groups.high[group * t->n_qi + a];
        double lm = 0;
        node[a] = low;
        if (qi->position) {
            LETHE_TRY(out->range(out, a, low, high, &node[a]));
            lm = qi->position[high] - qi->position[low];
        } else if (lethe_tree_scale(qi->tree) > 0) {
            lm = (double)lethe_tree_lm(qi->tree, low) / (double)lethe_tree_scale(qi->tree);
        }
        *loss += lm;
        *cost += lm * r->weight[a] / 1000;
    }
    return LETHE_OK;
}

/* `next`: by tuple, the first of its rows that has no group yet. */
static lethe_err groups_publish(recoding *r, uint32_t *next, const uint32_t *row)
{
    const lethe_local_groups *all = &r->groups;
    lethe_result *out = r->g->out;
    uint32_t node[LETHE_QI_MAX];
    for (size_t i = 0; i < all->n; i++) {
        double cost, loss;
        if (i % 1024 == 0 && lethe_ctx_cancelled(r->g->run->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(group_nodes(r, i, node, &cost, &loss));
        for (size_t m = all->start[i]; m < all->start[i + 1]; m++) {
            for (uint32_t n = 0; n < all->member[m].rows; n++)
                LETHE_TRY(out->cells(out, row[next[all->member[m].tuple]++], node, false));
            r->cost += cost * all->member[m].rows;
            r->loss += loss * all->member[m].rows;
        }
    }
    return LETHE_OK;
}

static void set_figures(recoding *r)
{
    const lethe_table *t = r->g->table;
    lethe_json_doc *doc = r->g->out->doc;
    lethe_json *m = r->g->out->metrics;
    const lethe_local_groups *all = &r->groups;
    uint64_t least = UINT64_MAX, deleted = all->deleted_rows, published = t->n - deleted,
             weights = 0;
    for (size_t i = 0; i < all->n; i++) {
        uint64_t rows = 0;
        for (size_t k = all->start[i]; k < all->start[i + 1]; k++)
            rows += all->member[k].rows;
        least = LETHE_MIN(least, rows);
    }
    for (size_t a = 0; a < t->n_qi; a++)
        weights += r->weight[a];
    lethe_set_real(doc, m, "cost", r->cost + (double)deleted * (double)weights / 1000);
    lethe_set_real(doc, m, "loss",
                   (r->loss + (double)deleted * (double)t->n_qi) /
                       ((double)t->n * (double)t->n_qi));
    lethe_set_count(doc, m, "rows_deleted", deleted);
    lethe_set_count(doc, m, "groups", all->n);
    lethe_set_count(doc, m, "smallest_group", least);
    lethe_set_real(doc, m, "mean_group", (double)published / (double)all->n);
}

static lethe_err group_and_publish(lethe_generalize_run *g)
{
    recoding r = {.g = g};
    uint32_t *first, *row;
    LETHE_TRY(demand_make(&r));
    lethe_ctx_phase(g->run->ctx, "groups", 0);
    lethe_err e =
        lethe_local_group(g->run->ctx, g->tuples, r.column, &r.demand, g->arena, &r.groups);
    if (e == LETHE_ANSWER_NO) return lethe_generalize_infeasible(g, "no groups keep the promise");
    LETHE_TRY(e);
    if (r.groups.n == 0)
        return lethe_generalize_infeasible(g, "nothing is left to publish (every row was deleted)");
    if (g->listed) LETHE_TRY(g->out->thetas(g->out, g->demand.theta));
    LETHE_TRY(lethe_generalize_rows(g, &first, &row));
    rows_shuffle(&r, first, row);
    LETHE_TRY(groups_publish(&r, first, row));
    set_figures(&r);
    return LETHE_OK;
}

static lethe_err run(lethe_run *r, const lethe_data *in, lethe_result *out)
{
    return lethe_generalize_table(r, in, out, group_and_publish);
}

const lethe_method lethe_method_local = {
    .name = "local",
    .summary = "generalize a table group by group: k rows look alike, and little is lost",
    .description =
        "Takes a table with one row per person, and puts the rows into groups that keep the "
        "promise: at least *-k* rows each, and where asked a limited share of each sensitive value "
        "(*--theta*) or enough different ones (*--distinct-l*). A group is published with the "
        "lowest common ancestor of its values in each column's hierarchy. So a value may be "
        "published as it is in one group and generalized in another (local recoding), where "
        "*lethe-lplus*(1) uses one cut for the whole table: much less is lost, and counts by value "
        "are harder to read.\n"
        "\n"
        "Groups are formed of similar rows and improved by exchanging rows as long as the loss "
        "falls. The best groups cannot be found in reasonable time (the problem is NP-hard): these "
        "are good ones. The loss of a cell is the share of a column's values that its published "
        "value stands for (NCP), times the weight of the column (*--weights*).\n"
        "\n"
        "Every row is published unless *--suppress* allows that some are deleted. With *--ranges "
        "COLUMN=values* a column of numbers needs no hierarchy: each group publishes the range "
        "of its numbers, such as 34-37, whose loss is its width.",
    .paper = "J. Xu, W. Wang, J. Pei, X. Wang, B. Shi and A. Fu, "
             "\"Utility-Based Anonymization Using Local Recoding\", KDD 2006 (the idea and the "
             "loss; groups are formed in lethe's own way)",
    .in = LETHE_SHAPE_TABLE,
    .out = LETHE_SHAPE_TABLE,
    .options = options,
    .validate = validate,
    .knowledge = "hierarchies",
    .figures = figures,
    .notion = "k-anonymity",
    .claims = claims,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 3, [LETHE_GOAL_COUNTS] = 2},
    .keeps = "one row per person, with values as general as its own group needs",
    .caveats = caveats,
    .warns = warns,
    .example =
        "lethe local patients.csv --qi age,sex,zip --sa disease --ranges age=5,10,20,40 -k 5 "
        "-o release/",
    .run = run,
    .need = need,
};
