/* SPDX-License-Identifier: Apache-2.0 */
/* generalize_publish.c - chooses one of the cuts that were found, and publishes the rows by it. */
#include "method/table/generalize.h"
#include "io/json/json.h"
#include <math.h>

/* --- precaution --- */

enum { PRECAUTIONS_MAX = 16 };

static bool is_drawn(lethe_rng *rng, double p)
{
    return (double)lethe_rng_below(rng, 1u << 30) < p * (double)(1u << 30);
}

/* Section 3.7.1.2: each value of the cut is generalized to its parent with probability p, and with
 * it all of that parent's subtree. */
static void generalize_some(lethe_generalize_run *g, const lethe_table_cut *in, double p,
                            unsigned turn, lethe_table_cut *out)
{
    lethe_rng rng = lethe_rng_stream(g->run->random, "precaution", turn);
    size_t n = 0;
    for (size_t a = 0; a < g->table->n_qi; a++) {
        const lethe_tree *t = g->table->qi[a].tree;
        out->start[a] = n;
        for (size_t i = in->start[a]; i < in->start[a + 1]; i++) {
            uint32_t v = in->node[i];
            if (v > 0 && is_drawn(&rng, p)) v = t->parent[v];
            if (n > out->start[a] && lethe_tree_covers(t, out->node[n - 1], v)) continue;
            while (n > out->start[a] && lethe_tree_covers(t, v, out->node[n - 1]))
                n--; // those of its subtree that stand before it
            out->node[n++] = v;
        }
    }
    out->start[g->table->n_qi] = n;
    lethe_rng_wipe(&rng);
}

/* A random one of the cuts found.  Where rows may be deleted, a cut may delete all of them, and
 * others not: it is drawn only if all do. */
static lethe_err draw_cut(lethe_generalize_run *g, const lethe_table_found *found, size_t *which)
{
    if (found->n <= 1) return LETHE_OK;
    lethe_rng rng = lethe_rng_stream(g->run->random, "top-h", 0);
    size_t n_left = found->n, at = (size_t)lethe_rng_below(&rng, n_left);
    size_t *left = lethe_new(g->arena, size_t, n_left);
    lethe_err e = left ? LETHE_OK : lethe_no_memory(g->run->ctx);
    for (size_t i = 0; left && i < n_left; i++)
        left[i] = i;
    while (e == LETHE_OK) {
        lethe_table_cut_price price = {0};
        *which = left[at];
        e = lethe_table_cut_evaluate(g->run->ctx, g->tuples, &g->demand,
                                     (const uint64_t *const *)g->weight, &found->cut[*which],
                                     &price);
        if (e != LETHE_OK || price.deleted < g->table->n) break;
        left[at] = left[--n_left];
        if (n_left == 0) break;
        at = (size_t)lethe_rng_below(&rng, n_left);
    }
    lethe_rng_wipe(&rng);
    return e;
}

/* A random one of the cuts found, after precaution.  A more general cut may break the promise where
 * the cut itself keeps it: suppression starts anew in its groups, so that vioSA may star all but
 * too few values, and allRec may delete every row.  Then the draw is repeated with half the
 * probability; in the end the cut stays as it is. */
static lethe_err choose_cut(lethe_generalize_run *g, const lethe_table_found *found,
                            lethe_table_cut *cut)
{
    lethe_json_doc *doc = g->out->doc;
    double p = lethe_value_of(g->run->values, "precaution")->real;
    size_t which = 0, n_qi = g->table->n_qi;
    LETHE_TRY(draw_cut(g, found, &which));
    const lethe_table_cut *best = &found->cut[which];
    cut->node = lethe_new(g->arena, uint32_t, best->start[n_qi]);
    cut->start = lethe_new(g->arena, size_t, n_qi + 1);
    if (!cut->node || !cut->start) return lethe_no_memory(g->run->ctx);
    for (unsigned turn = 0;; turn++) {
        if (turn > 0) p /= 2;
        if (turn == PRECAUTIONS_MAX) p = 0;
        generalize_some(g, best, p, turn, cut);
        if (turn == 1)
            lethe_json_push(doc, g->out->caveats,
                            lethe_json_new_text(doc, LETHE_LIT(FEWER_RAISED)));
        if (p <= 0) return LETHE_OK;
        lethe_table_cut_price price = {0};
        LETHE_TRY(lethe_table_cut_evaluate(g->run->ctx, g->tuples, &g->demand,
                                           (const uint64_t *const *)g->weight, cut, &price));
        if (price.valid && price.deleted < g->table->n) return LETHE_OK;
    }
}

/* Section 3.7.1.2 again: groups that are suppressed altogether, whatever their rows are like. Drawn
 * in the order of groups, so that the same draw can be made twice. */
struct drawn_groups {
    double p;
    unsigned turn;
    lethe_rng rng;
    uint64_t left; /* rows */
};

static lethe_rng drawn_begin(const lethe_generalize_run *g, unsigned turn)
{
    return lethe_rng_stream(g->run->random, "precaution-suppress", turn);
}

static lethe_err count_left(void *arg, const uint32_t *tuple, size_t n,
                            const lethe_group_counts *group, const lethe_group_price *price,
                            const uint32_t *cut)
{
    struct drawn_groups *d = arg;
    (void)tuple, (void)n, (void)cut;
    if (!is_drawn(&d->rng, d->p)) d->left += group->n - price->deleted;
    return LETHE_OK;
}

/* Where all rows would be deleted, it is drawn again with half the probability; in the end none is
 * suppressed besides. */
static lethe_err draw_groups(lethe_generalize_run *g, const lethe_table_cut *cut,
                             struct drawn_groups *d)
{
    lethe_json_doc *doc = g->out->doc;
    *d = (struct drawn_groups){.p = lethe_precaution_suppress(g->run->values)};
    bool may_end = lethe_suppress_stars(g->demand.suppress);
    while (d->p > 0 && !may_end) {
        d->rng = drawn_begin(g, d->turn);
        lethe_err e =
            lethe_table_cut_groups(g->run->ctx, g->tuples, &g->demand,
                                   (const uint64_t *const *)g->weight, cut, count_left, d);
        lethe_rng_wipe(&d->rng);
        LETHE_TRY(e);
        if (d->left > 0) break;
        if (d->turn == 0)
            lethe_json_push(doc, g->out->caveats,
                            lethe_json_new_text(doc, LETHE_LIT(FEWER_SUPPRESSED)));
        d->p = ++d->turn < PRECAUTIONS_MAX ? d->p / 2 : 0;
    }
    d->rng = drawn_begin(g, d->turn);
    return LETHE_OK;
}

/* --- publishing --- */

typedef struct publication {
    lethe_generalize_run *g;
    uint32_t *first, *row; /* the rows of tuple i are row[first[i]] .. row[first[i + 1] - 1] */
    uint32_t **up;         /* by quasi-identifier and leaf: its node in the cut */
    bool **shown;          /* by quasi-identifier and node: does a published row have it? */
    uint32_t *node;        /* of the group at hand */
    uint32_t *victim;      /* rows of one value that may be deleted */
    uint32_t *number;      /* by sensitive value: which of the group at hand's it is */
    uint32_t *tuple, *end; /* the group's tuples by value, and where each value's end */
    uint64_t groups, cost, deleted, starred;
    lethe_rng rng;
    struct drawn_groups drawn;
    uint32_t *whole; /* room for the numbers of a group that is suppressed altogether */
} publication;

/* Of the rows with one value `cut` are deleted, or starred: those that are not of the class that is
 * kept come first (that is what CM's price means), and which of them is drawn. */
static lethe_err publish_value(publication *p, const uint32_t *tuple, size_t n,
                               const lethe_group_price *price, uint32_t cut)
{
    const lethe_tuples *t = p->g->tuples;
    lethe_result *out = p->g->out;
    bool stars = lethe_suppress_stars(p->g->demand.suppress);
    size_t n_first = 0, n_all = 0;
    for (int kept = 0; kept < 2; kept++) {
        for (size_t i = 0; i < n; i++) {
            bool is_kept = p->g->demand.cost == LETHE_COST_CM && t->class[tuple[i]] == price->class;
            if (is_kept != (kept == 1)) continue;
            for (uint32_t r = p->first[tuple[i]]; r < p->first[tuple[i] + 1]; r++)
                p->victim[n_all++] = p->row[r];
        }
        if (kept == 0) n_first = n_all;
    }
    for (size_t i = 0; i < n_all; i++) {
        uint32_t row = p->victim[i];
        if (i < cut) { // draw the i-th to go
            size_t end = i < n_first ? n_first : n_all;
            size_t at = i + (size_t)lethe_rng_below(&p->rng, end - i);
            row = p->victim[at];
            p->victim[at] = p->victim[i];
        }
        if (stars || i >= cut) LETHE_TRY(out->cells(out, row, p->node, i < cut));
    }
    return LETHE_OK;
}

static lethe_err publish_group(void *arg, const uint32_t *tuple, size_t n,
                               const lethe_group_counts *group, const lethe_group_price *price,
                               const uint32_t *cut)
{
    publication *p = arg;
    const lethe_tuples *t = p->g->tuples;
    lethe_group_price other;
    if (!price->valid)
        return lethe_fail(p->g->run->ctx, LETHE_EINTERNAL,
                          LETHE_FAULT "a group of the chosen cut does not keep the promise");
    if (is_drawn(&p->drawn.rng, p->drawn.p)) {
        other = lethe_group_price_whole(&p->g->demand, group, p->whole);
        price = &other;
        cut = p->whole;
    }
    for (size_t a = 0; a < t->n_qi; a++) {
        p->node[a] = p->up[a][t->leaf[a][tuple[0]]];
        if (price->deleted < group->n) p->shown[a][p->node[a]] = true;
    }
    p->cost += price->cost;
    p->deleted += price->deleted;
    p->starred += price->starred;
    p->groups += price->deleted < group->n;
    // tuples by sensitive value, in their own order within one
    memset(p->end, 0, ((size_t)group->n_values + 1) * sizeof *p->end);
    for (uint32_t i = 0; i < group->n_values; i++)
        p->number[group->value[i]] = i;
    for (size_t i = 0; i < n; i++)
        if (t->count[tuple[i]] > 0) p->end[p->number[t->sa[tuple[i]]] + 1]++;
    for (uint32_t i = 0; i < group->n_values; i++)
        p->end[i + 1] += p->end[i];
    for (size_t i = 0; i < n; i++)
        if (t->count[tuple[i]] > 0) p->tuple[p->end[p->number[t->sa[tuple[i]]]]++] = tuple[i];
    for (uint32_t i = 0, from = 0; i < group->n_values; from = p->end[i++])
        LETHE_TRY(publish_value(p, p->tuple + from, p->end[i] - from, price, cut[i]));
    return LETHE_OK;
}

lethe_err lethe_generalize_rows(lethe_generalize_run *g, uint32_t **first, uint32_t **row)
{
    const lethe_tuples *t = g->tuples;
    size_t rows = g->table->n;
    *first = lethe_new(g->arena, uint32_t, t->n + 2);
    *row = lethe_new(g->arena, uint32_t, rows);
    if (!*first || !*row) return lethe_no_memory(g->run->ctx);
    for (size_t r = 0; r < rows; r++)
        (*first)[t->of_row[r] + 2]++;
    for (size_t i = 0; i < t->n; i++)
        (*first)[i + 2] += (*first)[i + 1];
    for (size_t r = 0; r < rows; r++)
        (*row)[(*first)[t->of_row[r] + 1]++] = (uint32_t)r;
    return LETHE_OK;
}

static lethe_err publication_begin(publication *p, const lethe_table_cut *cut)
{
    lethe_arena *a = p->g->arena;
    const lethe_tuples *t = p->g->tuples;
    size_t rows = p->g->table->n;
    p->victim = lethe_new(a, uint32_t, rows);
    p->number = lethe_new(a, uint32_t, t->n_sa);
    p->whole = lethe_new(a, uint32_t, t->n_sa);
    p->tuple = lethe_new(a, uint32_t, t->n);
    p->end = lethe_new(a, uint32_t, (size_t)t->n_sa + 1);
    p->node = lethe_new(a, uint32_t, t->n_qi);
    p->up = lethe_new(a, uint32_t *, t->n_qi);
    p->shown = lethe_new(a, bool *, t->n_qi);
    LETHE_TRY(lethe_generalize_rows(p->g, &p->first, &p->row));
    if (!p->victim || !p->number || !p->whole || !p->tuple || !p->end || !p->node || !p->up ||
        !p->shown)
        return lethe_no_memory(p->g->run->ctx);
    for (size_t q = 0; q < t->n_qi; q++) {
        p->up[q] = lethe_new(a, uint32_t, t->tree[q]->n);
        p->shown[q] = lethe_new(a, bool, t->tree[q]->n);
        if (!p->up[q] || !p->shown[q]) return lethe_no_memory(p->g->run->ctx);
        for (size_t i = cut->start[q]; i < cut->start[q + 1]; i++)
            for (uint32_t v = cut->node[i]; v < t->tree[q]->end[cut->node[i]]; v++)
                p->up[q][v] = cut->node[i];
    }
    return LETHE_OK;
}

static void set_figures(const publication *p, const lethe_table_found *found,
                        const lethe_table_cut *cut, double cuts_total)
{
    lethe_generalize_run *g = p->g;
    lethe_json_doc *doc = g->out->doc;
    lethe_json *m = g->out->metrics, *by_column = lethe_json_object(doc);
    for (size_t a = 0; a < g->table->n_qi; a++) {
        const lethe_qi *qi = &g->table->qi[a];
        lethe_json *values = lethe_json_array(doc);
        // a value that no published row has would tell that some row of the input had it
        for (size_t i = cut->start[a]; i < cut->start[a + 1]; i++)
            if (p->shown[a][cut->node[i]])
                lethe_json_push(doc, values,
                                lethe_json_new_text(doc, lethe_tree_name(qi->tree, cut->node[i])));
        char *name = lethe_arena_dup(g->arena, qi->name);
        if (name) lethe_json_set(doc, by_column, name, values);
    }
    lethe_json_set(doc, m, "cost", lethe_json_new_real(doc, (double)p->cost / g->unit));
    lethe_json_set(doc, m, "cut", by_column);
    // with --top-h or a precaution what is published is not the one that was proven best;
    // where it happens to be, to say so would undo what these are for
    bool best = g->limits.top <= 1 && lethe_value_of(g->run->values, "precaution")->real <= 0 &&
                lethe_precaution_suppress(g->run->values) <= 0;
    lethe_json_set(doc, m, "optimal", lethe_json_new_bool(doc, found->optimal && best));
    lethe_json_set(doc, m, "cuts_total",
                   cuts_total < 9e15      ? lethe_json_new_int(doc, (int64_t)cuts_total)
                   : isfinite(cuts_total) ? lethe_json_new_real(doc, cuts_total)
                                          : lethe_json_new_real(doc, 1.7976931348623157e308));
    lethe_set_count(doc, m, "cuts_examined", found->examined);
    lethe_set_count(doc, m, "cuts_to_best", found->to_best);
    lethe_set_count(doc, m, "rows_deleted", p->deleted);
    lethe_set_count(doc, m, "values_starred", p->starred);
    lethe_set_count(doc, m, "groups", p->groups);
}

lethe_err lethe_generalize_publish(lethe_generalize_run *g, const lethe_table_found *found,
                                   double cuts_total)
{
    lethe_table_cut cut;
    publication p = {.g = g};
    if (found->n == 0) return lethe_generalize_infeasible(g, "no cut keeps the promise");
    LETHE_TRY(g->trace_err);
    LETHE_TRY(choose_cut(g, found, &cut));
    LETHE_TRY(publication_begin(&p, &cut));
    if (g->listed) LETHE_TRY(g->out->thetas(g->out, g->demand.theta));
    LETHE_TRY(draw_groups(g, &cut, &p.drawn));
    p.rng = lethe_rng_stream(g->run->random, "victims", 0);
    lethe_err e =
        lethe_table_cut_groups(g->run->ctx, g->tuples, &g->demand,
                               (const uint64_t *const *)g->weight, &cut, publish_group, &p);
    lethe_rng_wipe(&p.rng);
    lethe_rng_wipe(&p.drawn.rng);
    LETHE_TRY(e);
    set_figures(&p, found, &cut, cuts_total);
    bool all = p.groups == 0; // the cheapest cut is one that deletes every row
    return all ? lethe_generalize_infeasible(g,
                                             "nothing is left to publish (every row was deleted)")
               : LETHE_OK;
}
