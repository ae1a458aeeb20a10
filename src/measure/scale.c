/* SPDX-License-Identifier: Apache-2.0 */
/* scale.c - one scale for releases of different shapes: logs, sealed logs, records and counts
 * beside the original that they were made of.
 *
 * Both sides are taken for persons and their terms (algo/person_terms.h): a log's words, or the
 * items of a file of records, as they stood before any taxonomy.  Three figures:
 *
 *   terms_kept      of the original's occurrences of terms, how many are published as they are:
 *                   over all terms, the lesser of how often each is in the original and in the
 *                   release.  So what a method substitutes or draws counts up to what there was,
 *                   wherever it was.
 *   terms_general   the same, and of what is left, an occurrence that a generalized item of LM x
 *                   can stand for counts 1 - x.  Subtrees are nested, so that items take the
 *                   occurrences below them from the lowest node up, and no other way gives more.  A
 *                   bag counts at the lowest node above its members, with an LM of its own.
 *   pattern_recall  recall of the top-n closed patterns (Liu 2010, section 5.5.2), with one
 *                   record a person: of the original's persons; of published users, or published
 *                   records as they stand, or counted items, each as often as its count says.
 *
 * The commonest words of a log are *of*, *the* and *in*, and most of its patterns are made of them,
 * which says little of what is left.  So of a log the first and the last are also given without
 * function words (_content).
 *
 * Memory is linear in the terms of both sides. */
#include "measure/measure.h"
#include "algo/mine/pattern_recall.h"
#include "algo/text/person_terms.h"
#include "io/json/json.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include "text/function_words.h"
#include <stdlib.h>

enum { TIES = 20 }; /* times n: where ties make more patterns than that, they are left out */

struct measurement {
    lethe_comparison *c;
    lethe_arena *arena;
    const lethe_records *original;
    uint32_t n_items; /* its different terms, and behind them what only the release has */
    /* The release, as items: of users (or counted items), or of records. */
    lethe_records *users;
    lethe_published_records *records;
    lethe_published_items items; /* what its items are in the taxonomy */
    uint32_t *number;            /* of its items */
    bool *function;              /* by number: is it a function word? */
    lethe_transactions after;
    uint64_t *before_count, *after_count; /* occurrences, by item */
    uint64_t all, published, kept;        /* occurrences */
    uint64_t all_content, kept_content;   /* of them, without function words */
    double general;
    bool warned; /* that patterns are left out: of both recalls together, once */
};

/* --- the release --- */

/* For `n` published items. */
static lethe_err numbers_begin(struct measurement *m, uint32_t n)
{
    m->number = lethe_new(m->arena, uint32_t, (size_t)n + 1);
    m->function = lethe_new(m->arena, bool, (size_t)m->n_items + n + 1);
    if (!m->number || !m->function) return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < m->n_items; i++)
        m->function[i] = lethe_is_function_word(lethe_dict_at(m->original->items, i));
    return LETHE_OK;
}

/* The number of a published term: the original's, where that has it. */
static uint32_t number_of(struct measurement *m, lethe_str term)
{
    uint32_t number = lethe_dict_find(m->original->items, term);
    if (number != LETHE_NONE) return number;
    m->function[m->n_items] = lethe_is_function_word(term);
    return m->n_items++;
}

/* The original's term that a published item is; LETHE_NONE: it is generalized. */
static uint32_t leaf_of(const struct measurement *m, uint32_t item)
{
    const lethe_published_items *t = &m->items;
    if (lethe_item_size(t, item) != 1) return LETHE_NONE;
    uint32_t v = t->node[t->first[item]];
    return lethe_tree_is_leaf(t->tree, v) ? v : LETHE_NONE;
}

static lethe_err users_take(struct measurement *m)
{
    uint64_t n_users;
    uint32_t *weight = NULL;
    if (m->c->published->shape == LETHE_SHAPE_COUNTS)
        LETHE_TRY(lethe_terms_counted(m->c, m->arena, &m->users, &weight));
    else
        LETHE_TRY(lethe_terms_published(m->c, &m->users, &n_users));
    const lethe_records *r = m->users;
    uint32_t n = lethe_dict_count(r->items), *item;
    LETHE_TRY(numbers_begin(m, n));
    item = lethe_new(m->arena, uint32_t, r->start[r->n] + 1);
    if (!item) return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < n; i++)
        m->number[i] = number_of(m, lethe_dict_at(r->items, i));
    for (uint64_t k = 0; k < r->start[r->n]; k++)
        item[k] = m->number[r->item[k]];
    m->after = (lethe_transactions){.n = r->n, .start = r->start, .item = item, .weight = weight};
    return LETHE_OK;
}

static lethe_err records_take(struct measurement *m)
{
    LETHE_TRY(lethe_published_records_read(m->c->ctx, m->c->published->dirfd, &m->records));
    const lethe_published_records *p = m->records;
    uint32_t n = lethe_dict_count(p->items), *item, *weight;
    LETHE_TRY(numbers_begin(m, n));
    item = lethe_new(m->arena, uint32_t, p->start[p->n] + 1);
    weight = lethe_new(m->arena, uint32_t, p->n + 1);
    if (!item || !weight ||
        lethe_published_items_read(m->c->original.tree, p->items, m->arena, &m->items) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaf = leaf_of(m, i);
        if (leaf != LETHE_NONE)
            m->number[i] = number_of(m, lethe_leaf_term(m->items.tree, leaf));
        else if (lethe_item_size(&m->items, i) > 0)
            m->number[i] = m->n_items++;
        else // an earlier step may have made what the taxonomy does not know: it stands for itself
            m->number[i] = number_of(m, lethe_dict_at(p->items, i));
    }
    for (uint64_t k = 0; k < p->start[p->n]; k++)
        item[k] = m->number[p->item[k]];
    for (size_t i = 0; i < p->n; i++)
        weight[i] = (uint32_t)LETHE_MIN(p->first[i + 1] - p->first[i], UINT32_MAX);
    m->after = (lethe_transactions){.n = p->n, .start = p->start, .item = item, .weight = weight};
    return LETHE_OK;
}

/* --- generalized ones --- */

/* A published item that is generalized: where it stands, and how many leaves it may be. */
struct general_item {
    uint32_t node, leaves;
    uint64_t n;
};

/* From the last node to the first, so that what is below comes before; at one node, what may be
 * less before what may be more. */
static int from_below(const void *a, const void *b)
{
    const struct general_item *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? 1 : -1;
    return (x->leaves > y->leaves) - (x->leaves < y->leaves);
}

/* What the generalized items at each node stand for, from below.  `left`: occurrences of the
 * original at each leaf, as its step took them, less those that the release shows there. */
static lethe_err general_sum(struct measurement *m)
{
    const lethe_tree *t = m->items.tree, *taxonomy = m->c->taxonomy ? m->c->taxonomy : t;
    const lethe_records *o = m->c->original.records;
    size_t n = 0, at = 0;
    struct general_item *s = lethe_new(m->arena, struct general_item, (size_t)m->items.n + 1);
    uint64_t *left = lethe_new(m->arena, uint64_t, t->n);
    double scale = (double)lethe_tree_scale(taxonomy), sum = 0;
    if (!s || !left) return lethe_no_memory(m->c->ctx);
    for (uint64_t k = 0; k < o->start[o->n]; k++)
        left[o->item[k]]++;
    for (uint32_t i = 0; i < m->items.n; i++) {
        uint32_t leaf = leaf_of(m, i);
        uint64_t shown = m->after_count[m->number[i]];
        if (leaf != LETHE_NONE)
            left[leaf] -= LETHE_MIN(left[leaf], shown);
        else if (lethe_item_size(&m->items, i) > 0)
            s[n++] = (struct general_item){lethe_item_above(&m->items, i),
                                           lethe_item_leaves(&m->items, i), shown};
    }
    if (n > 1) qsort(s, n, sizeof *s, from_below);
    for (uint32_t v = t->n; v-- > 0;) { // children come after their parent
        for (; at < n && s[at].node == v; at++) {
            uint64_t taken = LETHE_MIN(s[at].n, left[v]);
            double lm = scale > 0 ? LETHE_MIN(((double)s[at].leaves - 1) / scale, 1) : 0;
            sum += (double)taken * (1 - lm);
            left[v] -= taken;
        }
        if (v > 0) left[t->parent[v]] += left[v];
    }
    m->general = LETHE_MIN((double)m->kept + sum, (double)m->all);
    return LETHE_OK;
}

/* --- terms as they are --- */

static lethe_err terms_count(struct measurement *m)
{
    const lethe_records *o = m->original;
    const lethe_transactions *t = &m->after;
    m->before_count = lethe_new(m->arena, uint64_t, (size_t)m->n_items + 1);
    m->after_count = lethe_new(m->arena, uint64_t, (size_t)m->n_items + 1);
    if (!m->before_count || !m->after_count) return lethe_no_memory(m->c->ctx);
    for (uint64_t k = 0; k < o->start[o->n]; k++)
        m->before_count[o->item[k]]++;
    for (size_t i = 0; i < t->n; i++)
        for (uint64_t k = t->start[i]; k < t->start[i + 1]; k++)
            m->after_count[t->item[k]] += t->weight ? t->weight[i] : 1;
    m->all = o->start[o->n];
    for (uint32_t x = 0; x < m->n_items; x++) {
        uint64_t both = LETHE_MIN(m->before_count[x], m->after_count[x]);
        m->published += m->after_count[x];
        m->kept += both;
        if (m->function[x]) continue;
        m->all_content += m->before_count[x];
        m->kept_content += both;
    }
    return LETHE_OK;
}

/* Items of a file of records are no words. */
static bool has_words(const struct measurement *m) { return m->c->original.log || m->c->log; }

/* --- patterns --- */

/* The same transactions without function words. */
static lethe_err content_of(struct measurement *m, const lethe_transactions *t,
                            lethe_transactions *out)
{
    uint64_t *start = lethe_new(m->arena, uint64_t, t->n + 1), n = 0;
    uint32_t *item = lethe_new(m->arena, uint32_t, t->start[t->n] + 1);
    if (!start || !item) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < t->n; i++) {
        for (uint64_t k = t->start[i]; k < t->start[i + 1]; k++)
            if (!m->function[t->item[k]]) item[n++] = t->item[k];
        start[i + 1] = n;
    }
    *out = *t;
    out->start = start;
    out->item = item;
    return LETHE_OK;
}

static lethe_err recall_set(struct measurement *m, const lethe_transactions *before,
                            const lethe_transactions *after, const char *name, lethe_json_doc *doc,
                            lethe_json *out)
{
    uint64_t n = (uint64_t)lethe_count_of(m->c->values, "patterns");
    lethe_pattern_recall found;
    lethe_ctx_phase(m->c->ctx, "mining", 0);
    LETHE_TRY(lethe_pattern_recall_find(m->c->ctx, before, after, n, TIES * n, &found));
    if (found.tied_out && !m->warned)
        lethe_warn(m->c->ctx,
                   "%s: patterns of the last support are left out, with which there "
                   "would be more than %llu",
                   name, (unsigned long long)(TIES * n));
    m->warned = m->warned || found.tied_out;
    lethe_measure_set_ratio(doc, out, name, (double)found.shared, found.items);
    return LETHE_OK;
}

static lethe_err patterns_set(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    lethe_transactions before = lethe_transactions_of(m->original, m->n_items), after_content,
                       before_content;
    m->after.n_items = m->n_items;
    LETHE_TRY(recall_set(m, &before, &m->after, "pattern_recall", doc, out));
    if (!has_words(m)) return LETHE_OK;
    LETHE_TRY(content_of(m, &before, &before_content));
    LETHE_TRY(content_of(m, &m->after, &after_content));
    return recall_set(m, &before_content, &after_content, "pattern_recall_content", doc, out);
}

/* --- the whole --- */

static lethe_err figures_set(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    bool records = m->c->published->shape == LETHE_SHAPE_RECORDS;
    m->arena = lethe_arena_new();
    if (!m->arena) return lethe_no_memory(m->c->ctx);
    LETHE_TRY(lethe_terms_original(m->c, &m->original));
    m->n_items = lethe_dict_count(m->original->items);
    LETHE_TRY(records ? records_take(m) : users_take(m));
    LETHE_TRY(terms_count(m));
    m->general = (double)m->kept;
    if (records) LETHE_TRY(general_sum(m));
    lethe_measure_set_size(doc, out, "terms", m->all, m->published);
    lethe_measure_set_ratio(doc, out, "terms_kept", (double)m->kept, m->all);
    if (has_words(m))
        lethe_measure_set_ratio(doc, out, "terms_kept_content", (double)m->kept_content,
                                m->all_content);
    lethe_measure_set_ratio(doc, out, "terms_general", m->general, m->all);
    return patterns_set(m, doc, out);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct measurement m = {.c = c};
    lethe_ctx_phase(c->ctx, "terms", 0);
    lethe_err e = figures_set(&m, doc, out);
    lethe_records_free(m.users);
    lethe_published_records_free(m.records);
    lethe_arena_free(m.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(m.c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "patterns",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "compare the N most frequent closed patterns, with those as frequent as the last"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"terms", "occurrences of terms, as original, published and their share", .better = 0,
     .label = "words in all"},
    {"terms_kept", "share of the original's occurrences of terms that are published as they are",
     .better = 1, .label = "words published as they are", .kind = LETHE_FIGURE_SHARE},
    {"terms_kept_content", "of a log: the same without function words, such as of, the and how",
     .better = 1, .label = "words, without of, the, how", .kind = LETHE_FIGURE_SHARE},
    {"terms_general",
     "terms_kept, with a generalized term counted by the share of detail that is "
     "left of it",
     .better = 1, .label = "words, general ones in part", .kind = LETHE_FIGURE_SHARE},
    {"pattern_recall", "recall of the most frequent closed patterns, with one record per person",
     .better = 1, .label = "patterns of persons found again", .kind = LETHE_FIGURE_SHARE},
    {"pattern_recall_content", "of a log: the same without function words", .better = 1,
     .label = "patterns without such words", .kind = LETHE_FIGURE_SHARE},
    {.name = NULL},
};

const lethe_measure lethe_measure_scale = {
    .name = "scale",
    .summary = "what is left of terms and their patterns, comparable for logs, records and counts",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED | LETHE_SHAPE_RECORDS | LETHE_SHAPE_COUNTS,
    .options = options,
    .figures = figures,
    .run = run,
};
