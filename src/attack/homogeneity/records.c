/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - what the records that can be a person's have in common.
 *
 * Where records are published in groups of equal ones (record-k-anonymity), and a map tells whose
 * they are, the candidates are the group of one of the person's records; else all published records
 * that fit M items of the person (attack/set_search.h).
 *
 * He names an item that he does not know.  Of an item that the release shows as it is, his chance
 * is the share of the candidates that show it; of a general term it is divided by the leaves below,
 * one of which he names.  He takes what has the greatest chance.  What stands at or above an item
 * that he knows tells him nothing.  Where no item is left, he names the commonest of the release,
 * by the same count.
 *
 * Persons cost what their candidates show; memory: 4 bytes for each item of a set, before and
 * after, and for each thread 12 bytes for each set and node, and 20 for each item. */
#include "attack/homogeneity/homogeneity_internal.h"
#include "attack/sample.h"
#include "attack/set_search.h"
#include "model/records/record_map.h"
#include <stdlib.h>

enum { SAMPLE = 1000 };
#define SEED UINT64_C(20060301)

enum { BEFORE, AFTER, TIMES };

/* The original or the release. */
struct view {
    lethe_set_index index;
    uint64_t *total;  /* by item: records that have it */
    uint32_t *leaves; /* by item: those it may be; 0: it is unknown */
    uint32_t *order;  /* items, the likeliest first */
    uint32_t n_order;
};

struct worker {
    lethe_set_scratch scratch;
    uint64_t *count;   /* by item: candidates that show it; 0 between */
    uint32_t *touched; /* items of which that is not 0 */
    size_t n_touched;
    uint32_t *stamp; /* by node: 1 + the person who has it */
    lethe_buf own;   /* uint32_t each: the different items of the person at hand */
    uint64_t *seen;  /* by item: the last set that has it, by the number of sets looked at */
    uint64_t n_seen;
};

struct group_search {
    lethe_comparison *c;
    lethe_arena *arena;
    const lethe_records *original;
    const lethe_tree *tree;
    lethe_published_records *published;
    uint64_t *line;
    bool by_items;
    struct view view[TIMES];
    lethe_person_sample sample;
    unsigned n_workers;
    struct worker *workers;
    uint64_t *below; /* by node, n + 1: how often the nodes before it are in the original */
    lethe_learned *learned[TIMES]; /* by person */
    double *blind;
};

/* --- both sides --- */

/* Is an item that x of the records show likelier than another?  0: as likely. */
static int chance_cmp(uint64_t x, uint32_t x_leaves, uint64_t y, uint32_t y_leaves)
{
    double a = (double)x * y_leaves, b = (double)y * x_leaves; // exact below 2^53
    return (a > b) - (a < b);
}

static int likeliest_first(const void *a, const void *b, void *arg)
{
    const struct view *v = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = chance_cmp(v->total[y], v->leaves[y], v->total[x], v->leaves[x]);
    return order ? order : (x > y) - (x < y);
}

static uint64_t copies(const lethe_set_index *s, size_t set)
{
    return s->first ? s->first[set + 1] - s->first[set] : 1;
}

static lethe_err view_fill(struct group_search *a, int time)
{
    struct view *v = &a->view[time];
    const lethe_set_index *s = &v->index;
    uint32_t n = s->items.n;
    v->leaves = lethe_new(a->arena, uint32_t, (size_t)n + 1);
    v->total = lethe_new(a->arena, uint64_t, (size_t)n + 1);
    v->order = lethe_new(a->arena, uint32_t, (size_t)n + 1);
    uint64_t *seen = lethe_new(a->arena, uint64_t, (size_t)n + 1); // 1 + the last set that has it
    if (!v->leaves || !v->total || !v->order || !seen) return LETHE_ENOMEM;
    for (size_t set = 0; set < s->n; set++)
        for (uint64_t i = s->start[set]; i < s->start[set + 1]; i++) {
            if (seen[s->item[i]] == set + 1) continue;
            seen[s->item[i]] = set + 1;
            v->total[s->item[i]] += copies(s, set);
        }
    for (uint32_t i = 0; i < n; i++) {
        v->leaves[i] = lethe_item_leaves(&s->items, i);
        if (v->leaves[i] > 0 && v->total[i] > 0) v->order[v->n_order++] = i;
    }
    qsort_r(v->order, v->n_order, sizeof *v->order, likeliest_first, v);
    return LETHE_OK;
}

/* The original is a release that shows every item as it is. */
static lethe_err original_show(struct group_search *a)
{
    const lethe_records *o = a->original;
    uint32_t n = a->tree->n, *node = lethe_new(a->arena, uint32_t, (size_t)n + 1);
    uint64_t *first = lethe_new(a->arena, uint64_t, (size_t)n + 1);
    if (!node || !first) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < n; v++) {
        node[v] = v;
        first[v + 1] = (uint64_t)v + 1;
    }
    a->view[BEFORE].index = (lethe_set_index){
        .n = o->n, .start = o->start, .item = o->item, .items = {a->tree, n, first, node}};
    LETHE_TRY(lethe_set_index_build(&a->view[BEFORE].index, a->arena));
    LETHE_TRY(view_fill(a, BEFORE));
    a->below = lethe_new(a->arena, uint64_t, (size_t)n + 1);
    if (!a->below) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < n; v++)
        a->below[v + 1] = a->below[v] + a->view[BEFORE].total[v];
    return LETHE_OK;
}

static lethe_err published_show(struct group_search *a)
{
    const lethe_published_records *p = a->published;
    lethe_set_index *s = &a->view[AFTER].index;
    *s = (lethe_set_index){.n = p->n, .first = p->first, .start = p->start, .item = p->item};
    LETHE_TRY(lethe_published_items_read(a->tree, p->items, a->arena, &s->items));
    LETHE_TRY(lethe_set_index_build(s, a->arena));
    return view_fill(a, AFTER);
}

/* --- one person --- */

/* The person at hand: who they are, and what the adversary knows. */
struct person {
    uint32_t stamp;
    const uint32_t *known;
    size_t n_known;
};

/* Does the item tell nothing new?  It may be one that he knows. */
static bool is_known(const struct view *v, const struct person *p, uint32_t item)
{
    const lethe_published_items *i = &v->index.items;
    for (uint64_t k = i->first[item]; p->n_known > 0 && k < i->first[item + 1]; k++)
        for (size_t j = 0; j < p->n_known; j++)
            if (lethe_tree_covers(i->tree, i->node[k], p->known[j])) return true;
    return false;
}

/* Items that are named, all as likely: how many are the person's, and how many persons have them.
 */
struct naming {
    double right, prior;
    size_t n;
};

/* How many items of the person at hand the item may be. */
static uint64_t theirs_below(const struct view *v, const struct worker *w, uint32_t item)
{
    const lethe_published_items *items = &v->index.items;
    const uint32_t *own = (const uint32_t *)(const void *)w->own.at;
    uint64_t n = 0;
    for (uint64_t k = items->first[item]; k < items->first[item + 1]; k++)
        for (size_t i = 0; i < w->own.n / sizeof *own; i++)
            n += lethe_tree_covers(items->tree, items->node[k], own[i]);
    return n;
}

static void naming_add(const struct group_search *a, const struct worker *w, int time,
                       uint32_t item, struct naming *to)
{
    const struct view *v = &a->view[time];
    const lethe_published_items *items = &v->index.items;
    uint64_t all = 0;
    for (uint64_t k = items->first[item]; k < items->first[item + 1]; k++)
        all += a->below[a->tree->end[items->node[k]]] - a->below[items->node[k]];
    to->right += (double)theirs_below(v, w, item) / v->leaves[item];
    to->prior += (double)all / v->leaves[item] / (double)a->original->n;
    to->n++;
}

static void naming_end(const struct naming *n, int name, lethe_learned *to)
{
    if (n->n == 0) return;
    to->right[name] = n->right / (double)n->n;
    to->prior[name] = n->prior / (double)n->n;
}

/* The likeliest item of the whole release that he does not know; its place in the order. */
static size_t blind_first(const struct view *v, const struct person *p)
{
    size_t i = 0;
    while (i < v->n_order && is_known(v, p, v->order[i]))
        i++;
    return i;
}

static void blind_guess(const struct group_search *a, const struct worker *w, int time,
                        const struct person *p, lethe_learned *to)
{
    const struct view *v = &a->view[time];
    struct naming named = {0};
    size_t first = blind_first(v, p);
    for (size_t i = first; i < v->n_order; i++) {
        uint32_t x = v->order[i], y = v->order[first];
        if (chance_cmp(v->total[x], v->leaves[x], v->total[y], v->leaves[y]) != 0) break;
        if (!is_known(v, p, x)) naming_add(a, w, time, x, &named);
    }
    for (int name = 0; name < LETHE_NAMES; name++)
        naming_end(&named, name, to);
}

/* Is it likelier than `item`, which so many of the candidates show? */
static bool blind_is_better(const struct view *v, const struct person *p, uint32_t item,
                            uint64_t shown, uint64_t records)
{
    size_t first = blind_first(v, p);
    if (first == v->n_order) return false;
    uint32_t blind = v->order[first];
    // exact below 2^53
    return (double)shown * (double)v->index.n_records * v->leaves[blind] <
           (double)v->total[blind] * (double)records * v->leaves[item];
}

static void sets_count(const struct view *v, struct worker *w, const uint32_t *set, size_t n)
{
    const lethe_set_index *s = &v->index;
    for (size_t i = 0; i < n; i++) {
        w->n_seen++;
        for (uint64_t k = s->start[set[i]]; k < s->start[set[i] + 1]; k++) {
            uint32_t item = s->item[k];
            if (v->leaves[item] == 0 || w->seen[item] == w->n_seen) continue;
            w->seen[item] = w->n_seen;
            if (w->count[item] == 0) w->touched[w->n_touched++] = item;
            w->count[item] += copies(s, set[i]);
        }
    }
}

static int chance_of(const struct view *v, const struct worker *w, uint32_t x, uint32_t y)
{
    return chance_cmp(w->count[x], v->leaves[x], w->count[y], v->leaves[y]);
}

/* What the sets, `records` records in all, have in common. */
static lethe_learned learn(const struct group_search *a, struct worker *w, int time,
                           const struct person *p, const uint32_t *set, size_t n, uint64_t records)
{
    const struct view *v = &a->view[time];
    lethe_learned out = {0};
    uint64_t commonest = 0, rarest = UINT64_MAX;
    uint32_t best = LETHE_NONE; // the likeliest item, or one of them
    sets_count(v, w, set, n);
    size_t kept = 0;
    for (size_t i = 0; i < w->n_touched; i++) {
        uint32_t item = w->touched[i];
        if (is_known(v, p, item)) {
            w->count[item] = 0;
            continue;
        }
        w->touched[kept++] = item;
        if (best == LETHE_NONE || chance_of(v, w, item, best) > 0) best = item;
        if (w->count[item] < records || v->leaves[item] > 1) continue;
        bool theirs = theirs_below(v, w, item) > 0;
        out.certain = theirs ? 1 : out.certain;
        out.wrong = theirs ? out.wrong : 1;
    }
    for (size_t i = 0; i < kept; i++) {
        if (chance_of(v, w, w->touched[i], best) != 0) continue;
        commonest = LETHE_MAX(commonest, v->total[w->touched[i]]);
        rarest = LETHE_MIN(rarest, v->total[w->touched[i]]);
    }
    for (int name = 0; name < LETHE_NAMES; name++) {
        struct naming named = {0};
        uint64_t wanted = name == LETHE_NAMES_COMMON ? commonest : rarest;
        for (size_t i = 0; i < kept; i++)
            if (v->total[w->touched[i]] == wanted && chance_of(v, w, w->touched[i], best) == 0)
                naming_add(a, w, time, w->touched[i], &named);
        naming_end(&named, name, &out);
    }
    if (best == LETHE_NONE || blind_is_better(v, p, best, w->count[best], records))
        blind_guess(a, w, time, p, &out);
    for (size_t i = 0; i < kept; i++)
        w->count[w->touched[i]] = 0;
    w->n_touched = 0;
    return out;
}

static lethe_err by_items(const struct group_search *a, struct worker *w, int time,
                          const struct person *p, lethe_learned *out)
{
    const lethe_known_items k = {.present = p->known, .n_present = p->n_known};
    lethe_set_scratch *v = &w->scratch;
    lethe_set_matches fit;
    if (lethe_set_search(&a->view[time].index, &k, v, &fit) != LETHE_OK)
        return lethe_no_memory(a->c->ctx);
    if (v->all) // none of what is known is shown anywhere
        blind_guess(a, w, time, p, out);
    else
        *out = learn(a, w, time, p, (const uint32_t *)(const void *)v->found.at,
                     v->found.n / sizeof(uint32_t), fit.records);
    return LETHE_OK;
}

/* Of the person's records that were published, each as likely. */
static void by_group(const struct group_search *a, struct worker *w, int time,
                     const struct person *p, const size_t *record, size_t n, lethe_learned *out)
{
    uint64_t published = 0;
    for (size_t i = 0; i < n; i++) {
        if (a->line[record[i]] == LETHE_NOT_PUBLISHED && time == AFTER) continue;
        uint32_t set = (uint32_t)(time == BEFORE ? record[i]
                                                 : lethe_published_record_of(a->published,
                                                                             a->line[record[i]]));
        lethe_learned one = learn(a, w, time, p, &set, 1, copies(&a->view[time].index, set));
        lethe_learned_add(out, &one, 1);
        published++;
    }
    if (published == 0) {
        blind_guess(a, w, time, p, out);
        return;
    }
    lethe_learned sum = *out;
    *out = (lethe_learned){0};
    lethe_learned_add(out, &sum, 1 / (double)published);
}

static lethe_err search_one(void *arg, size_t i, unsigned number)
{
    struct group_search *a = arg;
    struct worker *w = &a->workers[number];
    const lethe_sampled_person *s = &a->sample.person[i];
    const size_t *record = a->sample.record + s->first;
    struct person p = {(uint32_t)i + 1, s->present, a->by_items ? s->n_present : 0};
    w->own.n = 0;
    for (size_t r = 0; r < s->n; r++)
        for (uint64_t k = a->original->start[record[r]]; k < a->original->start[record[r] + 1];
             k++) {
            uint32_t node = a->original->item[k];
            if (w->stamp[node] == p.stamp) continue;
            w->stamp[node] = p.stamp;
            if (lethe_buf_put(&w->own, &node, sizeof node) != LETHE_OK)
                return lethe_no_memory(a->c->ctx);
        }
    for (int time = 0; time < TIMES; time++) {
        if (a->by_items)
            LETHE_TRY(by_items(a, w, time, &p, &a->learned[time][i]));
        else
            by_group(a, w, time, &p, record, s->n, &a->learned[time][i]);
    }
    lethe_learned blind = {0};
    blind_guess(a, w, AFTER, &p, &blind);
    a->blind[i] = blind.right[LETHE_NAMES_COMMON];
    lethe_ctx_advance(a->c->ctx, 1);
    return LETHE_OK;
}

/* --- the whole --- */

/* Are records published in groups of equal ones? */
static bool in_groups(const lethe_json *manifest)
{
    const lethe_json *claims = lethe_json_get(manifest, "claims");
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        if (lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(claims, i), "notion")),
                         LETHE_LIT("record-k-anonymity")))
            return true;
    return false;
}

static lethe_err workers_open(struct group_search *a)
{
    size_t n_sets = LETHE_MAX(a->view[BEFORE].index.n, a->view[AFTER].index.n),
           n_items = LETHE_MAX(a->view[BEFORE].index.items.n, a->view[AFTER].index.items.n);
    unsigned n = lethe_ctx_threads(a->c->ctx);
    a->workers = lethe_new(a->arena, struct worker, n);
    if (!a->workers) return LETHE_ENOMEM;
    a->n_workers = n;
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &a->workers[i];
        w->count = lethe_new(a->arena, uint64_t, n_items + 1);
        w->touched = lethe_new(a->arena, uint32_t, n_items + 1);
        w->stamp = lethe_new(a->arena, uint32_t, (size_t)a->tree->n + 1);
        w->seen = lethe_new(a->arena, uint64_t, n_items + 1);
        if (!w->count || !w->touched || !w->stamp || !w->seen) return LETHE_ENOMEM;
        LETHE_TRY(lethe_set_scratch_init(&w->scratch, n_sets, a->tree->n, 0));
    }
    return LETHE_OK;
}

static lethe_err search_open(struct group_search *a)
{
    lethe_comparison *c = a->c;
    lethe_person_sample_options by = {.seed = c->has_seed ? c->seed : SEED,
                                      .n_nodes = a->tree->n,
                                      .n_public = c->taxonomy ? c->taxonomy->n + 1 : a->tree->n,
                                      .persons = SAMPLE,
                                      .present = (uint64_t)lethe_count_of(c->values, "known")};
    LETHE_TRY(lethe_person_sample_draw(a->original, &by, a->arena, &a->sample));
    LETHE_TRY(original_show(a));
    LETHE_TRY(published_show(a));
    a->blind = lethe_new(a->arena, double, a->sample.n + 1);
    for (int time = 0; time < TIMES; time++)
        if (!(a->learned[time] = lethe_new(a->arena, lethe_learned, a->sample.n + 1)))
            return LETHE_ENOMEM;
    return a->blind ? workers_open(a) : LETHE_ENOMEM;
}

static lethe_err search(struct group_search *a, lethe_homogeneity *out)
{
    lethe_ctx *ctx = a->c->ctx;
    a->arena = lethe_arena_new();
    if (!a->arena) return lethe_no_memory(ctx);
    LETHE_TRY(lethe_attack_records(a->c, a->arena, &a->published, &a->line));
    if (LETHE_MAX(a->published->n, a->original->n) >= UINT32_MAX)
        return lethe_fail(ctx, LETHE_EINPUT, "too many records: the limit is 4294967294");
    a->by_items = !a->line || !in_groups(a->c->published->manifest);
    lethe_err e = search_open(a);
    if (e != LETHE_OK) return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
    lethe_ctx_phase(ctx, "looking at groups", a->sample.n);
    LETHE_TRY(lethe_pool_for(ctx, a->sample.n, search_one, a));
    *out = (lethe_homogeneity){.persons = a->sample.n, .by_items = a->by_items};
    for (size_t i = 0; i < a->sample.n; i++) {
        lethe_learned_add(&out->before, &a->learned[BEFORE][i], 1);
        lethe_learned_add(&out->after, &a->learned[AFTER][i], 1);
        out->blind += a->blind[i];
    }
    return LETHE_OK;
}

lethe_err lethe_homogeneity_records(lethe_comparison *c, lethe_homogeneity *out)
{
    struct group_search a = {.c = c, .original = c->original.records, .tree = c->original.tree};
    lethe_err e = search(&a, out);
    for (unsigned w = 0; w < a.n_workers; w++) {
        lethe_set_scratch_free(&a.workers[w].scratch);
        lethe_buf_free(&a.workers[w].own);
    }
    lethe_published_records_free(a.published);
    lethe_arena_free(a.arena);
    return e;
}
