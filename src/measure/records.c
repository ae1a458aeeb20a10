/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - how much of the records is left in their release and, where a map tells which record
 * became which, whether it is the truth and what it cost.
 *
 * Truth is Definition 1 of Milani Fard & Wang 2010: each published item stands for an item of
 * the record at or below it, no two for the same one.  By Hall's theorem, since subtrees are nested
 * or apart, that is so if and only if at every node there are no more published items at or below
 * it than items of the record.  A bag stands for an item at or below any of its members; subtrees
 * that are joined so may overlap in part, and it takes a matching to tell.
 *
 * A sensitive item stands for itself; nothing of the taxonomy is above it.  It has neither loss nor
 * level, unless it is left out.
 *
 * LM of a bag is that of a node with as many leaves as there are at or below its members; its level
 * is that of the lowest node above all of them. */
#include "measure/measure.h"
#include "algo/generalized.h"
#include "algo/match/spans.h"
#include "io/json/json.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include "model/published/published_tree.h"
#include "model/records/record_map.h"
#include "core/sort.h"
#include <stdlib.h>

struct record_comparison {
    lethe_comparison *c;
    const lethe_records *original;
    const lethe_tree *tree;
    const lethe_tree *taxonomy; /* of what is not sensitive */
    uint32_t n_above;           /* nodes of `tree` above it: 0, or 1 where items are sensitive */
    lethe_published_records *published;
    lethe_arena *arena;
    lethe_published_items items;
    uint32_t *node;    /* by published item: it, or what a bag is below; LETHE_NONE: unknown */
    uint64_t *line;    /* by record: the line it became */
    uint32_t *whole;   /* room for a record's items */
    uint32_t *part;    /* and for those published */
    lethe_spans spans; /* what each of these may stand for */
    lethe_generalized sums;
    uint64_t untruthful;
    lethe_json *untruth; /* the first record that is not the truth */
};

/* --- truth --- */

static size_t at_or_below(const lethe_tree *t, const uint32_t *at, size_t n, uint32_t v)
{
    return lethe_gallop(at, n, t->end[v]) - lethe_gallop(at, n, v);
}

/* The published item at which there are more than the record has; LETHE_NONE: nowhere.  It is
 * enough to look at published items: a node that is none has the sums of those below it. */
static uint32_t excess(const lethe_tree *t, const uint32_t *whole, size_t n, const uint32_t *part,
                       size_t n_part)
{
    for (size_t i = 0; i < n_part; i++) {
        bool again = i > 0 && part[i] == part[i - 1];
        if (!again && at_or_below(t, part, n_part, part[i]) > at_or_below(t, whole, n, part[i]))
            return part[i];
    }
    return LETHE_NONE;
}

/* Members of the bags of a published record, nodes that are items among them; 0: it has no bag. */
static uint64_t members_of(const struct record_comparison *m, size_t record)
{
    const lethe_published_records *p = m->published;
    uint64_t sum = 0;
    bool has_bag = false;
    for (uint64_t i = p->start[record]; i < p->start[record + 1]; i++) {
        uint64_t n = lethe_item_size(&m->items, p->item[i]);
        has_bag |= n > 1;
        sum += n;
    }
    return has_bag ? sum : 0;
}

/* A published item for which the record, in m->whole, has nothing left; LETHE_NONE: none is. */
static lethe_err unmatched(struct record_comparison *m, size_t record, size_t n, uint32_t *item)
{
    const lethe_published_records *p = m->published;
    const uint32_t *published = p->item + p->start[record];
    const lethe_published_items *t = &m->items;
    uint32_t n_part = (uint32_t)(p->start[record + 1] - p->start[record]), found;
    uint64_t n_matched = 0;
    double bits;
    lethe_err e = LETHE_OK;
    lethe_spans_begin(&m->spans);
    for (uint32_t i = 0; i < n_part; i++) {
        for (uint64_t k = t->first[published[i]]; k < t->first[published[i] + 1]; k++) {
            size_t from = lethe_gallop(m->whole, n, t->node[k]);
            size_t end = lethe_gallop(m->whole, n, m->tree->end[t->node[k]]);
            lethe_item_span span = {i, 1, (uint32_t)from, (uint32_t)end, 0};
            if (from < end && e == LETHE_OK) e = lethe_spans_put(&m->spans, &span);
        }
    }
    if (e == LETHE_OK) e = lethe_spans_match(&m->spans, (uint32_t)n, &n_matched, &bits);
    if (e != LETHE_OK) return lethe_no_memory(m->c->ctx);
    found = n_matched < n_part ? lethe_spans_unmatched(&m->spans, n_part) : LETHE_NONE;
    *item = found == LETHE_NONE ? LETHE_NONE : published[found];
    return LETHE_OK;
}

/* Is a published record the truth, and what does it lose? */
static lethe_err record_compare(struct record_comparison *m, size_t i, lethe_json_doc *doc)
{
    const lethe_records *o = m->original;
    const lethe_published_records *p = m->published;
    size_t n = (size_t)lethe_record_size(o, i), n_part = 0;
    size_t record = lethe_published_record_of(p, m->line[i]);
    bool has_bag = members_of(m, record) > 0;
    const char *fault = NULL;
    lethe_str name = {NULL, 0};
    uint32_t found = LETHE_NONE;
    for (uint64_t k = p->start[record]; k < p->start[record + 1]; k++)
        m->part[n_part++] = m->node[p->item[k]]; // those that the tree lacks come last
    if (n_part > 0) qsort(m->part, n_part, sizeof *m->part, lethe_u32_cmp);
    if (n > 0) memcpy(m->whole, o->item + o->start[i], n * sizeof *m->whole);
    if (n > 1) qsort(m->whole, n, sizeof *m->whole, lethe_u32_cmp);
    if (n_part > 0 && m->part[n_part - 1] == LETHE_NONE) {
        fault = "an item is not in the taxonomy";
    } else if (has_bag) {
        LETHE_TRY(unmatched(m, record, n, &found));
        if (found != LETHE_NONE) name = lethe_dict_at(p->items, found);
        if (found != LETHE_NONE)
            fault = "nothing of the record is left that the item could stand for";
    } else {
        found = excess(m->tree, m->whole, n, m->part, n_part);
        if (found != LETHE_NONE) name = lethe_tree_name(m->tree, found);
        if (found != LETHE_NONE) fault = "more at or below the item than the record has";
    }
    if (fault) {
        if (m->untruthful++ > 0) return LETHE_OK;
        m->untruth = lethe_json_object(doc);
        lethe_set_count(doc, m->untruth, "record", i + 1);
        lethe_set_count(doc, m->untruth, "line", m->line[i] + 1);
        if (name.n > 0) lethe_json_set(doc, m->untruth, "item", lethe_json_new_text(doc, name));
        lethe_set_text(doc, m->untruth, "reason", fault);
        return LETHE_OK;
    }
    size_t n_nodes = lethe_gallop(m->part, n_part, m->n_above + m->taxonomy->n);
    for (size_t k = 0; k < n_nodes; k++)
        m->part[k] -= m->n_above;
    lethe_generalized_add(&m->sums, m->taxonomy, n - (n_part - n_nodes), m->part, n_nodes);
    m->sums.exact += n_part - n_nodes;
    // a bag was counted as what is above it, which has more leaves
    for (uint64_t k = p->start[record]; has_bag && k < p->start[record + 1]; k++)
        m->sums.ggd -=
            m->tree->leaves[m->node[p->item[k]]] - lethe_item_leaves(&m->items, p->item[k]);
    return LETHE_OK;
}

/* Does the method say that it puts other terms in place of a record's own? */
static bool is_substituted(const struct record_comparison *m)
{
    const lethe_json *steps = lethe_json_get(m->c->published->manifest, "steps");
    const lethe_json *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    lethe_str name = lethe_json_text(lethe_json_get(last, "command"));
    for (const lethe_method *const *method = lethe_methods(); *method; method++)
        if (lethe_str_eq(name, lethe_str_of((*method)->name))) return (*method)->substitutes;
    return false;
}

/* What is not the truth has no loss: then these are null, whatever the manifest said of them. */
static const char *const of_truth[] = {"ggd", "avg_length", "avg_level", "items_suppressed"};
static const char *const of_methods[] = {"blm", "gheight"}; // where there are any

static lethe_err map_figures(struct record_comparison *m, lethe_json_doc *doc, lethe_json *out)
{
    if (m->c->line)
        m->line = m->c->line;
    else
        LETHE_TRY(lethe_record_map_read(m->c->ctx, m->c->map, m->c->map_digest, m->original,
                                        m->published->n_records, m->arena, &m->line));
    // steps before the last may have changed what the tree was bound to
    bool exact = lethe_json_count(lethe_json_get(m->c->published->manifest, "steps")) == 1;
    LETHE_TRY(lethe_published_tree_match(m->c->ctx, m->c->published->dirfd, m->taxonomy, exact));
    // room for the largest record, before and after
    uint64_t longest = 0, longest_part = 0, members = 0;
    for (size_t i = 0; i < m->original->n; i++)
        longest = LETHE_MAX(longest, lethe_record_size(m->original, i));
    for (size_t i = 0; i < m->published->n; i++) {
        longest_part = LETHE_MAX(longest_part, m->published->start[i + 1] - m->published->start[i]);
        members = LETHE_MAX(members, members_of(m, i));
    }
    if (members > 0 && LETHE_MAX(LETHE_MAX(longest, longest_part), members) >= LETHE_NONE)
        return lethe_fail(m->c->ctx, LETHE_EINPUT, "a record is too long");
    m->whole = lethe_new(m->arena, uint32_t, longest + 1);
    m->part = lethe_new(m->arena, uint32_t, longest_part + 1);
    if (!m->whole || !m->part) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < m->original->n; i++) {
        if (lethe_ctx_cancelled(m->c->ctx)) return LETHE_ECANCEL;
        if (m->line[i] != LETHE_NOT_PUBLISHED) LETHE_TRY(record_compare(m, i, doc));
    }
    lethe_json_set(doc, out, "truthful", lethe_json_new_bool(doc, m->untruthful == 0));
    lethe_set_count(doc, out, "untruthful_records", m->untruthful);
    if (m->untruthful == 0) {
        lethe_generalized_set(&m->sums, m->taxonomy, doc, out);
        return LETHE_OK;
    }
    bool substituted = is_substituted(m); // then that is no fault, and loss is what the method says
    if (!substituted) lethe_json_set(doc, out, "untruth", m->untruth);
    for (size_t i = 0; i < LETHE_COUNT(of_truth); i++)
        lethe_json_set(doc, out, of_truth[i], lethe_json_copy(doc, NULL));
    for (size_t i = 0; i < LETHE_COUNT(of_methods); i++)
        if (!substituted && lethe_json_get(out, of_methods[i]))
            lethe_json_set(doc, out, of_methods[i], lethe_json_copy(doc, NULL));
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err figures_set(struct record_comparison *m, lethe_json_doc *doc, lethe_json *out)
{
    m->arena = lethe_arena_new();
    if (!m->arena) return lethe_no_memory(m->c->ctx);
    LETHE_TRY(lethe_published_records_read(m->c->ctx, m->c->published->dirfd, &m->published));
    const lethe_published_records *p = m->published;
    const lethe_records *o = m->original;
    uint32_t n = lethe_dict_count(p->items);
    bool *seen = lethe_new(m->arena, bool, m->tree->n);
    m->node = lethe_new(m->arena, uint32_t, (size_t)n + 1);
    if (!seen || !m->node ||
        lethe_published_items_read(m->tree, p->items, m->arena, &m->items) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < n; i++) {
        m->node[i] = lethe_item_above(&m->items, i);
        if (m->node[i] < m->n_above) m->node[i] = LETHE_NONE; // a bag of what cannot be joined
    }
    uint64_t distinct = 0, items = 0,
             n_public = o->start[o->n] - (o->marks ? o->mark_start[o->n] : 0);
    for (size_t i = 0; i < p->n; i++)
        items += (p->start[i + 1] - p->start[i]) * (p->first[i + 1] - p->first[i]);
    for (uint64_t i = 0; i < o->start[o->n]; i++) { // items are nodes of the tree
        distinct += !seen[o->item[i]];
        seen[o->item[i]] = true;
    }
    uint64_t n_before = o->n, items_before = o->start[o->n]; // each counts once
    for (size_t i = 0; m->c->again && i < o->n; i++) {
        n_before -= m->c->again[i];
        items_before -= m->c->again[i] ? lethe_record_size(o, i) : 0;
    }
    lethe_measure_set_size(doc, out, "records", n_before, p->n_records);
    lethe_measure_set_size(doc, out, "items", items_before, items);
    lethe_measure_set_size(doc, out, "distinct_items", distinct, n);
    lethe_set_count(doc, out, "distinct_records", p->n);
    // as lethe_records_density() has it, of what is not sensitive
    lethe_set_real(doc, out, "density",
                   o->n ? (double)n_public / (double)o->n / m->taxonomy->leaves[0] : 0);
    return m->c->map ? map_figures(m, doc, out) : LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct record_comparison m = {.c = c,
                                  .original = c->original.records,
                                  .tree = c->original.tree,
                                  .taxonomy = c->taxonomy ? c->taxonomy : c->original.tree,
                                  .n_above = c->taxonomy != NULL};
    lethe_ctx_phase(c->ctx, "measuring", 0);
    lethe_err e = figures_set(&m, doc, out);
    lethe_spans_free(&m.spans);
    lethe_published_records_free(m.published);
    lethe_arena_free(m.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option no_options[] = {{.name = NULL}};

static const lethe_figure figures[] = {
    {"records", "records, as original, published and their share", .better = 1},
    {"items", "items of all records", .better = 1},
    {"distinct_items", "distinct items", .better = 1},
    {"distinct_records", "distinct published records", .better = 1},
    {"density", "of the original: items divided by records times leaves of the taxonomy",
     .better = 0, .label = "density of the original", .unit = "% of all items in every record",
     .detail = true},
    {"truthful", "with --map: does every published record generalize the one it stands for?",
     .better = 1, .label = "true of the original"},
    {"untruthful_records", "with --map: records for which that is not the case", .better = -1,
     .label = "records not true of the original"},
    {"untruth", "with --map: the first such record", .better = 0},
    {"ggd",
     "with --map: information lost: LM of each published item, and 1 for each item that "
     "is not published",
     .better = -1, .label = "generalization loss", .unit = "summed over items, each 0 to 1"},
    {"avg_length", "with --map: mean number of items per published record", .better = 1,
     .label = "items per record", .unit = "on average", .detail = true},
    {"avg_level", "with --map: mean level of published items; the root is at level 1", .better = 1,
     .label = "level of an item", .unit = "on average; the root is level 1", .detail = true},
    {"items_suppressed", "with --map: items of the input that no published item stands for",
     .better = -1, .label = "items lost entirely"},
    {.name = NULL},
};

const lethe_measure lethe_measure_records = {
    .name = "records",
    .summary = "records and items that are left; with --map, whether records are truthful and "
               "what was lost",
    .shapes = LETHE_SHAPE_RECORDS,
    .options = no_options,
    .figures = figures,
    .run = run,
};
