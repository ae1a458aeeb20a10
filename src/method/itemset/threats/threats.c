/* SPDX-License-Identifier: Apache-2.0 */
/* threats.c - the search for threats as a whole: the empty set, locked nodes, then the enumeration
 * tree on what is left, by rounds and waves, and the list of the most general threats.
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * section 4.3.
 *
 * Where we depart: locked nodes are found first, from the root down, by the itemsets of one node's
 * children alone.  So all of them are known before the search, which begins on a smaller tree with
 * fewer distinct sets, and no threat is stored only to be dropped later.
 *
 * With Pruning I the search goes by rounds, one per size, and in a round by waves, one per level of
 * the item that an itemset begins with.  What generalizes an itemset is smaller, or begins with an
 * item above: it is known when the itemset's wave comes, and the itemsets of one wave do not affect
 * each other.  So they run in parallel, and prune as they would one after the other. */
#include "method/itemset/threats/threats.h"
#include "method/itemset/threats/threats_internal.h"
#include "method/itemset/threats/threats_lock.h"
#include "method/itemset/threats/threats_single.h"
#include <stdlib.h>

struct search_state {
    lethe_ctx *ctx;
    const lethe_records *sets;
    const lethe_tree *t;
    lethe_kl kl;
    unsigned without;
    lethe_arena *arena;
    threats_rows rows; /* distinct sets, items numbered as in `live` */
    threats_base live; /* all live nodes; its sets are made only where nothing is locked first */
    threats_base base; /* what is searched */
    threats_store store;
    threats_numbers all; /* threats: size, items of `base` ascending */
    threats_walk *walk;  /* one per worker */
    unsigned n_walks;
    uint32_t from, to;
    uint64_t *first; /* base.n + 1: item j is at place[first[j]] .. */
    threats_place *place;
    uint32_t *sum;   /* by item: its sets */
    uint32_t *start; /* items that are entered, by level */
    uint32_t n_start;
    size_t begin;           /* of the wave */
    threats_numbers *found; /* by item of the wave */
    uint64_t told_bytes;    /* that threats took when it was last asked whether there is room */
    bool refused;           /* there is not, which has been said */
    lethe_threats *out;
};

/* --- the sets --- */

/* The live nodes: those at or above an item, and the root.  Then the records as rows: items by
 * their numbers in `live`, sensitive items where they matter. */
static lethe_err collect_rows(struct search_state *f, lethe_arena *tmp)
{
    const lethe_tree *t = f->t;
    const lethe_records *r = f->sets;
    uint32_t n = (uint32_t)r->n, n_nodes = 0;
    bool marks = r->marks && f->kl.l > 1;
    uint64_t n_marks = marks ? r->mark_start[n] : 0;
    uint32_t *node = lethe_new(tmp, uint32_t, t->n), *number = lethe_new(tmp, uint32_t, t->n);
    uint8_t *live = lethe_new(tmp, uint8_t, t->n);
    threats_rows rows = {.n = n,
                         .start = lethe_new(tmp, uint64_t, (size_t)n + 1),
                         .item = lethe_new(tmp, uint32_t, r->start[n]),
                         .weight = lethe_new(tmp, uint32_t, n),
                         .mark_start = lethe_new(tmp, uint64_t, (size_t)n + 1),
                         .mark = lethe_new(tmp, threats_count, n_marks)};
    if (!node || !live || !number || !rows.start || !rows.item || !rows.weight ||
        !rows.mark_start || !rows.mark)
        return LETHE_ENOMEM;
    live[0] = 1;
    for (uint64_t i = 0; i < r->start[n]; i++)
        for (uint32_t v = r->item[i]; !live[v]; v = t->parent[v])
            live[v] = 1;
    for (uint32_t v = 0; v < t->n; v++)
        if (live[v]) {
            number[v] = n_nodes;
            node[n_nodes++] = v;
        }
    LETHE_TRY(lethe_threats_items(f->arena, t, node, n_nodes, &f->live));
    for (uint64_t i = 0; i < r->start[n]; i++)
        rows.item[i] = number[r->item[i]];
    memcpy(rows.start, r->start, ((size_t)n + 1) * sizeof *rows.start);
    for (uint32_t i = 0; i < n; i++)
        rows.weight[i] = 1;
    for (uint32_t i = 0; marks && i <= n; i++)
        rows.mark_start[i] = r->mark_start[i];
    for (uint64_t i = 0; i < n_marks; i++)
        rows.mark[i] = (threats_count){r->mark[i], 1};
    f->live.n_marks = marks ? lethe_dict_count(r->marks) : 0;
    return lethe_threats_merge(f->arena, &rows, f->live.n_marks, &f->rows);
}

/* Sets and sensitive items of those rows that have the root, or of all. */
static void count_rows(const threats_rows *r, bool rooted, uint64_t *sum, uint64_t *marks)
{
    for (uint32_t i = 0; i < r->n; i++) {
        if (rooted && r->start[i + 1] == r->start[i]) continue;
        *sum += r->weight[i];
        for (uint64_t k = r->mark_start[i]; k < r->mark_start[i + 1]; k++)
            marks[r->mark[k].mark] += r->mark[k].n;
    }
}

/* Are these too few, or too many of them with one sensitive item?  *common is the most frequent of
 * those that are too frequent. */
static bool is_threat(const lethe_kl *kl, uint64_t sum, const uint64_t *marks, uint32_t n_marks,
                      uint32_t *common)
{
    *common = LETHE_NONE;
    for (uint32_t s = 0; s < n_marks; s++)
        if (lethe_kl_tells(kl, marks[s], sum) &&
            (*common == LETHE_NONE || marks[s] > marks[*common]))
            *common = s;
    return *common != LETHE_NONE || lethe_kl_names(kl, sum);
}

/* The empty set, and the root alone, present or absent: as threats these leave no cut. */
static lethe_err judge_root(struct search_state *f, bool *rooted)
{
    uint32_t n_marks = f->live.n_marks, which;
    uint64_t *all = lethe_new(f->arena, uint64_t, (size_t)n_marks + 1), n_all = 0;
    uint64_t *with = lethe_new(f->arena, uint64_t, (size_t)n_marks + 1), n_with = 0;
    if (!all || !with) return LETHE_ENOMEM;
    count_rows(&f->rows, false, &n_all, all);
    count_rows(&f->rows, true, &n_with, with);
    f->out->empty = is_threat(&f->kl, n_all, all, n_marks, &f->out->common);
    if (f->out->empty) {
        f->out->common_n = f->out->common == LETHE_NONE ? 0 : all[f->out->common];
        return LETHE_OK;
    }
    *rooted = lethe_kl_within(&f->kl, 1, 0) && is_threat(&f->kl, n_with, with, n_marks, &which);
    for (uint32_t s = 0; s < n_marks; s++)
        all[s] -= with[s];
    *rooted = *rooted || (lethe_kl_within(&f->kl, 0, f->live.leaves[0]) &&
                          is_threat(&f->kl, n_all - n_with, all, n_marks, &which));
    return LETHE_OK;
}

/* --- what is left above locked nodes --- */

/* base: items of `live` that are not below a locked one, and the sets with these. */
static lethe_err make_base(struct search_state *f, lethe_arena *tmp, const uint8_t *locked)
{
    const threats_base *live = &f->live;
    uint32_t *node = lethe_new(tmp, uint32_t, live->n), *to = lethe_new(tmp, uint32_t, live->n);
    uint32_t n = 0, skip = 0;
    uint64_t at = 0;
    threats_rows rows = f->rows, merged;
    rows.start = lethe_new(tmp, uint64_t, (size_t)rows.n + 1);
    rows.item = lethe_new(tmp, uint32_t, f->rows.start[rows.n]);
    if (!node || !to || !rows.start || !rows.item) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < live->n; j++) {
        if (j >= skip) {
            node[n++] = live->node[j];
            if (locked[live->node[j]]) skip = live->end[j];
        }
        to[j] = n - 1;
    }
    for (uint32_t i = 0; i < rows.n; i++) {
        for (uint64_t k = f->rows.start[i]; k < f->rows.start[i + 1]; k++) {
            uint32_t j = to[f->rows.item[k]];
            if (at == rows.start[i] || rows.item[at - 1] != j) rows.item[at++] = j;
        }
        rows.start[i + 1] = at;
    }
    LETHE_TRY(lethe_threats_items(f->arena, f->t, node, n, &f->base));
    f->base.n_marks = live->n_marks;
    LETHE_TRY(lethe_threats_merge(f->arena, &rows, live->n_marks, &merged));
    LETHE_TRY(lethe_threats_expand(f->arena, &merged, &f->base));
    if (f->kl.strict && f->kl.l > 1) LETHE_TRY(lethe_threats_clauses(f->ctx, f->arena, &f->base));
    return LETHE_OK;
}

/* --- rounds and waves --- */

/* Threats of one walk go to all; with Pruning I, those that are not known. */
static lethe_err keep_threats(struct search_state *f, const threats_numbers *found,
                              threats_numbers *tmp)
{
    for (size_t i = 0; i < found->n; i += 1 + (size_t)found->at[i]) {
        const uint32_t *set = found->at + i;
        bool known = false;
        if ((f->without & LETHE_PRUNE_GLOBAL) == 0) {
            LETHE_TRY(
                lethe_threats_store_covers(&f->store, &f->base, set + 1, set[0], tmp, &known));
            if (known) continue;
            LETHE_TRY(lethe_threats_store_insert(&f->store, set + 1, set[0]));
        }
        LETHE_TRY(lethe_threats_numbers_reserve(&f->all, 1 + (size_t)set[0]));
        memcpy(f->all.at + f->all.n, set, (1 + (size_t)set[0]) * sizeof *set);
        f->all.n += 1 + (size_t)set[0];
    }
    return LETHE_OK;
}

/* Nobody knows before how many threats there are: so whether there is room for them is asked each
 * time they take half as much again.  In the end they are listed, which takes them twice. */
static lethe_err threats_fit(struct search_state *f)
{
    enum { LITTLE = 8 << 20 };
    const threats_store *s = &f->store;
    uint64_t slots = s->slot ? UINT64_C(1) << s->bits : 0,
             bytes =
                 slots * sizeof *s->slot + s->cap * sizeof *s->at + f->all.cap * sizeof *f->all.at;
    if (bytes < LITTLE || bytes < f->told_bytes + f->told_bytes / 2) return LETHE_OK;
    f->told_bytes = bytes;
    lethe_sizes sizes = lethe_records_sizes(f->sets, f->t);
    sizes.held += 2 * bytes;
    lethe_err e = lethe_ctx_grows(f->ctx, &sizes, 0, 0);
    f->refused = e != LETHE_OK;
    return e;
}

static lethe_err prepare_walk(struct search_state *f, unsigned w)
{
    threats_walk *walk = &f->walk[w];
    if (!walk->base) LETHE_TRY(lethe_threats_walk_new(walk, f->ctx, &f->base, &f->kl, f->without));
    walk->store = f->without & LETHE_PRUNE_GLOBAL ? NULL : &f->store;
    walk->single = f->sum;
    walk->from = f->from;
    walk->to = f->to;
    return LETHE_OK;
}

static lethe_err walk_item(void *arg, size_t i, unsigned w)
{
    struct search_state *f = arg;
    threats_walk *walk = &f->walk[w];
    uint32_t j = f->start[f->begin + i];
    LETHE_TRY(prepare_walk(f, w));
    LETHE_TRY(lethe_threats_walk_from(walk, j, f->sum[j], f->place + f->first[j],
                                      (uint32_t)(f->first[j + 1] - f->first[j])));
    f->found[i] = walk->found; // the wave's, until all are done
    walk->found = (threats_numbers){0};
    lethe_ctx_advance(f->ctx, 1);
    return LETHE_OK;
}

static lethe_err run_wave(struct search_state *f, size_t begin, size_t n)
{
    threats_numbers tmp = {0};
    f->begin = begin;
    f->found = lethe_alloc_zero(n, sizeof *f->found);
    if (!f->found) return LETHE_ENOMEM;
    lethe_err e = lethe_pool_for(f->ctx, n, walk_item, f);
    for (size_t i = 0; i < n; i++) {
        if (e == LETHE_OK) e = keep_threats(f, &f->found[i], &tmp);
        if (e == LETHE_OK) e = threats_fit(f);
        lethe_free(f->found[i].at);
    }
    lethe_free(tmp.at);
    lethe_free(f->found);
    f->found = NULL;
    return e;
}

/* All items that are entered: in waves by level, or all at once where nobody asks what is known. */
static lethe_err run_round(struct search_state *f, uint32_t from, uint32_t to)
{
    const uint32_t *level = f->base.level;
    size_t end;
    f->from = from;
    f->to = to;
    for (size_t i = 0; i < f->n_start; i = end) {
        for (end = i + 1; end < f->n_start; end++)
            if ((f->without & LETHE_PRUNE_GLOBAL) == 0 &&
                level[f->start[end]] != level[f->start[i]])
                break;
        LETHE_TRY(run_wave(f, i, end - i));
    }
    return LETHE_OK;
}

/* Itemsets of one item, and of none present; f->start are the items that larger ones begin with,
 * by level. */
static lethe_err first_round(struct search_state *f, uint32_t last)
{
    threats_walk *w = &f->walk[0];
    uint32_t height = 0;
    f->from = 1;
    f->to = 1;
    LETHE_TRY(prepare_walk(f, 0));
    w->hold = true;
    LETHE_TRY(lethe_threats_walk_all(w));
    w->hold = false;
    LETHE_TRY(keep_threats(f, &w->found, &w->tmp));
    w->found.n = 0;
    f->start = lethe_new(f->arena, uint32_t, w->n_children);
    if (!f->start) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < f->base.n; j++)
        height = LETHE_MAX(height, f->base.level[j]);
    for (uint32_t level = 0; last > 1 && level <= height; level++)
        for (size_t i = 0; i < w->n_children; i++)
            if (w->child[i].enter && f->base.level[w->child[i].item] == level)
                f->start[f->n_start++] = w->child[i].item;
    return LETHE_OK;
}

static uint64_t nodes_examined(const struct search_state *f)
{
    uint64_t sum = 0;
    for (unsigned w = 0; w < f->n_walks; w++)
        sum += f->walk[w].nodes;
    return sum;
}

static lethe_err search_by_rounds(struct search_state *f)
{
    const threats_base *b = &f->base;
    const threats_rows *s = &b->sets;
    // no set has more items present than there are: then larger itemsets have no sets
    uint32_t last = LETHE_MIN(f->kl.m, b->n) + (f->kl.n > 0);
    f->n_walks = lethe_pool_threads(lethe_ctx_pool(f->ctx));
    f->walk = lethe_alloc_zero(f->n_walks, sizeof *f->walk);
    if (!f->walk) {
        f->n_walks = 0;
        return LETHE_ENOMEM;
    }
    f->first = lethe_new(f->arena, uint64_t, (size_t)b->n + 2);
    f->sum = lethe_new(f->arena, uint32_t, b->n);
    f->place = lethe_new(f->arena, threats_place, s->start[s->n]);
    if (!f->first || !f->sum || !f->place) return LETHE_ENOMEM;
    for (uint64_t i = 0; i < s->start[s->n]; i++)
        f->first[s->item[i] + 2]++;
    for (uint32_t j = 0; j < b->n; j++)
        f->first[j + 2] += f->first[j + 1];
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            f->sum[s->item[k]] += s->weight[i];
            f->place[f->first[s->item[k] + 1]++] = (threats_place){i, (uint32_t)(k - s->start[i])};
        }
    }
    LETHE_TRY(first_round(f, last));
    lethe_ctx_phase(f->ctx, "threats", (uint64_t)f->n_start * (last - 1));
    if (f->without & LETHE_PRUNE_GLOBAL) return last > 1 ? run_round(f, 2, last) : LETHE_OK;
    for (uint32_t size = 2; size <= last; size++) {
        uint64_t before = nodes_examined(f);
        LETHE_TRY(run_round(f, size, size));
        if (nodes_examined(f) == before && f->kl.n == 0) break; // nothing is that large
    }
    return LETHE_OK;
}

/* --- the result --- */

static int by_size(const void *a, const void *b)
{
    const uint32_t *x = *(const uint32_t *const *)a, *y = *(const uint32_t *const *)b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    for (uint32_t k = 1; k <= x[0]; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static int in_order(const void *a, const void *b)
{
    const uint32_t *x = *(const uint32_t *const *)a, *y = *(const uint32_t *const *)b;
    for (uint32_t k = 1; k <= x[0] && k <= y[0]; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Of *n threats the most general stay, in front.  One generalizes another only if it is smaller, or
 * of the same size with items before the other's. */
static lethe_err most_general(const threats_base *b, const uint32_t **set, size_t *n)
{
    threats_store store = {0};
    threats_numbers tmp = {0};
    lethe_err e = LETHE_OK;
    size_t kept = 0;
    qsort(set, *n, sizeof *set, by_size);
    for (size_t i = 0; i < *n && e == LETHE_OK; i++) {
        bool known = false;
        e = lethe_threats_store_covers(&store, b, set[i] + 1, set[i][0], &tmp, &known);
        if (e == LETHE_OK && !known) {
            e = lethe_threats_store_insert(&store, set[i] + 1, set[i][0]);
            set[kept++] = set[i];
        }
    }
    lethe_threats_store_free(&store);
    lethe_free(tmp.at);
    *n = kept;
    return e;
}

static lethe_err list_threats(struct search_state *f)
{
    lethe_threats *out = f->out;
    size_t n = 0, k = 0;
    uint64_t items = 0;
    for (size_t i = 0; i < f->all.n; i += 1 + (size_t)f->all.at[i])
        n++;
    const uint32_t **set = lethe_alloc(n + 1, sizeof *set);
    if (!set) return LETHE_ENOMEM;
    for (size_t i = 0; i < f->all.n; i += 1 + (size_t)f->all.at[i])
        set[k++] = f->all.at + i;
    lethe_err e = most_general(&f->base, set, &n);
    qsort(set, n, sizeof *set, in_order);
    for (size_t i = 0; i < n; i++)
        items += set[i][0];
    out->start = lethe_alloc_zero(n + 1, sizeof *out->start);
    out->item = lethe_alloc(items + 1, sizeof *out->item);
    if (!out->start || !out->item) e = LETHE_ENOMEM;
    for (size_t i = 0; e == LETHE_OK && i < n; i++) {
        for (k = 0; k < set[i][0]; k++)
            out->item[out->start[i] + k] = f->base.node[set[i][1 + k]];
        out->start[i + 1] = out->start[i] + set[i][0];
    }
    out->n = n;
    lethe_free(set);
    out->nodes += nodes_examined(f);
    for (unsigned w = 0; w < f->n_walks; w++)
        out->stored += f->walk[w].stored;
    return e;
}

/* --- the whole --- */

/* The root alone is the threat: it generalizes all. */
static lethe_err root_keep(struct search_state *f)
{
    LETHE_TRY(lethe_threats_items(f->arena, f->t, (uint32_t[]){0}, 1, &f->base));
    LETHE_TRY(lethe_threats_numbers_reserve(&f->all, 2));
    memcpy(f->all.at, (uint32_t[]){1, 0}, 2 * sizeof(uint32_t));
    f->all.n = 2;
    f->out->nodes = f->out->stored = 1;
    return LETHE_OK;
}

static lethe_err find_threats(struct search_state *f, lethe_arena *tmp)
{
    bool rooted = false;
    if (f->without == 0 && lethe_threats_is_single(f->sets, &f->kl)) {
        LETHE_TRY(lethe_threats_single(f->ctx, f->sets, f->t, &f->kl, f->out, &rooted));
        return rooted ? root_keep(f) : LETHE_OK;
    }
    LETHE_TRY(collect_rows(f, tmp));
    lethe_arena_reset(tmp);
    LETHE_TRY(judge_root(f, &rooted));
    if (f->out->empty) return LETHE_OK;
    if (rooted) return root_keep(f);
    bool none = f->sets->n == 0 || (f->kl.k <= 1 && f->live.n_marks == 0);
    if (!none && (f->without & LETHE_PRUNE_LOCKED) == 0)
        LETHE_TRY(lethe_threats_lock(f->ctx, f->t, &f->live, &f->rows, &f->kl, f->without,
                                     f->out->locked, &f->out->nodes));
    LETHE_TRY(make_base(f, tmp, f->out->locked));
    lethe_arena_reset(tmp);
    return none ? LETHE_OK : search_by_rounds(f);
}

lethe_err lethe_threats_find(lethe_ctx *ctx, const lethe_records *sets, const lethe_tree *t,
                             const lethe_kl *kl, unsigned without, lethe_threats *out)
{
    lethe_threats found = {.common = LETHE_NONE};
    struct search_state f = {
        .ctx = ctx, .sets = sets, .t = t, .kl = *kl, .without = without, .out = &found};
    if (sets->n >= UINT32_MAX)
        return lethe_fail(ctx, LETHE_EUSAGE, "too many sets: the limit is %u", UINT32_MAX - 1);
    lethe_ctx_phase(ctx, "threats", 0);
    lethe_arena *tmp = lethe_arena_new();
    f.arena = lethe_arena_new();
    found.locked = lethe_alloc_zero(t->n, sizeof *found.locked);
    lethe_err e = tmp && f.arena && found.locked ? find_threats(&f, tmp) : LETHE_ENOMEM;
    lethe_arena_free(tmp);
    if (e == LETHE_OK) e = list_threats(&f);
    for (unsigned w = 0; w < f.n_walks; w++)
        lethe_threats_walk_free(&f.walk[w]);
    lethe_free(f.walk);
    lethe_free(f.all.at);
    lethe_threats_store_free(&f.store);
    lethe_arena_free(f.arena);
    if (e == LETHE_OK)
        *out = found;
    else
        lethe_threats_free(&found);
    return e == LETHE_ENOMEM && !f.refused ? lethe_no_memory(ctx) : e;
}

void lethe_threats_free(lethe_threats *t)
{
    if (!t) return;
    lethe_free(t->start);
    lethe_free(t->item);
    lethe_free(t->locked);
    *t = (lethe_threats){0};
}
