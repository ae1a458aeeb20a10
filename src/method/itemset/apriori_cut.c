/* SPDX-License-Identifier: Apache-2.0 */
/* apriori_cut.c - AA: counts combinations by lists of their occurrences, depth first, and
 * generalizes rare ones as it meets them. */
#include "method/itemset/apriori_cut.h"
#include "method/itemset/threats/threats_sets.h"
#include "core/mem.h"

/* A set, and the index of its first item behind one that was met. */
typedef struct place {
    uint32_t set, next;
} place;

/* What a combination of so many items can be extended by. */
typedef struct level {
    place *place;
    uint32_t *child; /* items, ascending */
    uint64_t *at;    /* where the places of each begin, and one more */
    uint64_t n, cap_places;
    uint32_t *kept; /* sets that have the first nodes of a trial */
} level;

struct apriori_search {
    lethe_ctx *ctx;
    const lethe_tree *t;
    const lethe_cuts_costs *costs;
    uint64_t k;
    uint8_t *in_cut, *gone; /* by node: is it in the cut, is it below the cut? */
    uint64_t *below;        /* by node at or above the cut: cost of the cut there */
    uint64_t fixed;
    /* The round: */
    lethe_arena *arena;
    threats_rows rows; /* distinct sets of nodes of the cut, as the round begins */
    threats_base base; /* items: nodes at or above these; the sets with them */
    uint64_t *first;   /* base.n + 1: item j is in the sets */
    uint32_t *set;     /* set[first[j]] .., ascending */
    uint32_t size;     /* of the combinations */
    uint32_t *chosen;  /* the current one: items, ascending */
    level *level;      /* `size` of them, by how many items are chosen */
    uint64_t *sum;     /* by item: 0 in between */
    uint64_t *bit;     /* by item: was it met? */
    /* The search for a generalization: */
    uint32_t *trial, n_trial, *best, n_best;
    uint64_t best_cost;
};

static uint32_t row_size(const threats_rows *r, uint32_t i)
{
    return (uint32_t)(r->start[i + 1] - r->start[i]);
}

/* --- the cut --- */

static uint64_t increase(const struct apriori_search *w, uint32_t item)
{
    uint32_t v = w->base.node[item];
    return w->costs->cost[v] - w->below[v];
}

static bool is_gone(const struct apriori_search *w, uint32_t item)
{
    return w->gone[w->base.node[item]];
}

static bool any_gone(const struct apriori_search *w, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || is_gone(w, w->chosen[i]);
    return any;
}

/* --- the cheapest generalization of a combination --- */

/* The first of list[i] .. list[n - 1], ascending, that is x or more. */
static uint64_t gallop(const uint32_t *list, uint64_t i, uint64_t n, uint32_t x)
{
    uint64_t step = 1;
    while (i + step < n && list[i + step] < x)
        step *= 2;
    uint64_t low = i + step / 2, high = LETHE_MIN(i + step, n); // list[low] < x, or low is i
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        if (list[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Of n sets those that have the item; how many persons' they are. */
static uint64_t intersect_sets(const struct apriori_search *w, const uint32_t *set, uint64_t n,
                               uint32_t item, uint32_t *out, uint64_t *n_out)
{
    const uint32_t *with = w->set + w->first[item];
    uint64_t n_with = w->first[item + 1] - w->first[item], sum = 0, i = 0, k = 0;
    *n_out = 0;
    while (i < n && k < n_with) {
        if (set[i] < with[k]) {
            i = gallop(set, i, n, with[k]);
        } else if (with[k] < set[i]) {
            k = gallop(with, k, n_with, set[i]);
        } else {
            sum += w->base.sets.weight[set[i]];
            out[(*n_out)++] = set[i];
            i++, k++;
        }
    }
    return sum;
}

static void trial_keep(struct apriori_search *w, uint64_t cost)
{
    uint32_t i = 0;
    while (i < w->n_trial && i < w->n_best && w->trial[i] == w->best[i])
        i++;
    // of two that differ none begins the other, for both are above the same items
    bool first = i < w->n_trial && i < w->n_best && w->trial[i] < w->best[i];
    if (cost > w->best_cost || (cost == w->best_cost && !first)) return;
    memcpy(w->best, w->trial, w->n_trial * sizeof *w->trial);
    w->n_best = w->n_trial;
    w->best_cost = cost;
}

/* Items from chosen[q] on are still to be generalized; n sets have what was tried for those before.
 * A node is tried for the first item that none is above yet, and one that is above an item before
 * it is none: so every generalization is come to once, and its nodes ascend. */
static void try_generalizations(struct apriori_search *w, uint32_t q, uint64_t cost,
                                const uint32_t *set, uint64_t n)
{
    const threats_base *b = &w->base;
    while (q < w->size && w->n_trial > 0 &&
           threats_covers(b, w->trial[w->n_trial - 1], w->chosen[q]))
        q++;
    if (q == w->size) {
        trial_keep(w, cost);
        return;
    }
    for (uint32_t j = w->chosen[q]; j != LETHE_NONE; j = b->up[j]) {
        uint64_t more = cost, n_kept;
        if (j != w->chosen[q]) more += increase(w, j); // an item stays; what is above costs no less
        if (more > w->best_cost || (q > 0 && threats_covers(b, j, w->chosen[q - 1]))) return;
        uint32_t *kept = w->level[w->n_trial].kept;
        const uint32_t *all = w->set + w->first[j]; // of the first node: its own sets
        uint64_t n_all = w->first[j + 1] - w->first[j];
        uint64_t sum = w->n_trial > 0 ? intersect_sets(w, set, n, j, kept, &n_kept)
                                      : intersect_sets(w, all, n_all, j, kept, &n_kept);
        if (sum < w->k) continue; // and with more nodes, too
        w->trial[w->n_trial++] = j;
        try_generalizations(w, q + 1, more, kept, n_kept);
        w->n_trial--;
    }
}

/* The combination is in too few sets.  The root is in enough, so that there is a generalization. */
static void generalize_chosen(struct apriori_search *w)
{
    w->best_cost = UINT64_MAX;
    w->n_best = w->n_trial = 0;
    try_generalizations(w, 0, 0, NULL, 0);
    assert(w->n_best > 0);
    for (uint32_t i = 0, q = 0; i < w->n_best; i++) {
        while (q < w->size && w->chosen[q] < w->best[i])
            q++;
        if (q < w->size && w->chosen[q] == w->best[i]) continue;
        // it goes into the cut, in the place of everything below it
        const lethe_tree *t = w->t;
        uint64_t more = increase(w, w->best[i]);
        uint32_t v = w->base.node[w->best[i]];
        for (uint32_t u = v; u != LETHE_NONE; u = t->parent[u])
            w->below[u] += more;
        for (uint32_t u = v + 1; u < t->end[v]; u++) {
            w->gone[u] = 1;
            w->in_cut[u] = 0;
        }
        w->in_cut[v] = 1;
    }
    w->fixed++;
}

/* --- combinations --- */

/* Items that were met, from `from` on, ascending; they are no longer met. */
static uint64_t take_met(struct apriori_search *w, uint32_t from, uint32_t *out)
{
    uint64_t n = 0;
    for (size_t i = from / 64; i < ((size_t)w->base.n + 63) / 64; i++) {
        for (; w->bit[i] != 0; w->bit[i] &= w->bit[i] - 1)
            out[n++] = (uint32_t)(64 * i + (size_t)__builtin_ctzll(w->bit[i]));
    }
    return n;
}

/* Combinations of `chosen` and one more item, of the full size: the rare ones are generalized. */
static void examine_last(struct apriori_search *w, uint32_t from, const place *at, uint64_t n)
{
    const threats_rows *r = &w->base.sets;
    level *l = &w->level[w->size - 1];
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *item = r->item + r->start[at[i].set];
        uint32_t end = row_size(r, at[i].set), weight = r->weight[at[i].set];
        for (uint32_t k = at[i].next; k < end; k++) {
            w->sum[item[k]] += weight;
            w->bit[item[k] / 64] |= (uint64_t)1 << item[k] % 64;
        }
    }
    l->n = take_met(w, from, l->child);
    for (uint64_t i = 0; i < l->n; i++) {
        uint32_t j = l->child[i];
        bool rare = w->sum[j] < w->k;
        w->sum[j] = 0;
        if (!rare || is_gone(w, j) || any_gone(w, w->size - 1)) continue;
        w->chosen[w->size - 1] = j;
        generalize_chosen(w);
    }
}

/* What the first d items can be extended by, with places. */
static lethe_err list_extensions(struct apriori_search *w, uint32_t d, uint32_t from,
                                 const place *at, uint64_t n)
{
    const threats_rows *r = &w->base.sets;
    level *l = &w->level[d];
    uint64_t all = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *item = r->item + r->start[at[i].set];
        uint32_t end = row_size(r, at[i].set);
        for (uint32_t k = at[i].next; k < end; k++) {
            w->sum[item[k]]++;
            w->bit[item[k] / 64] |= (uint64_t)1 << item[k] % 64;
        }
        all += end - at[i].next;
    }
    if (all > l->cap_places) {
        place *more = lethe_realloc(l->place, all + all / 4, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        l->place = more;
        l->cap_places = all + all / 4;
    }
    l->n = take_met(w, from, l->child);
    all = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        l->at[i] = all;
        all += w->sum[l->child[i]];
        w->sum[l->child[i]] = l->at[i]; // where the next goes
    }
    l->at[l->n] = all;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *item = r->item + r->start[at[i].set];
        uint32_t end = row_size(r, at[i].set);
        for (uint32_t k = at[i].next; k < end; k++)
            l->place[w->sum[item[k]]++] = (place){at[i].set, k + 1};
    }
    for (uint64_t i = 0; i < l->n; i++)
        w->sum[l->child[i]] = 0;
    return LETHE_OK;
}

/* All combinations that begin with the d chosen items.  As soon as one of these is below the cut,
 * the rest does not matter.  The items of a set go on behind everything below the one chosen. */
static lethe_err examine_below(struct apriori_search *w, uint32_t d, const place *at, uint64_t n)
{
    const threats_rows *r = &w->base.sets;
    level *l = &w->level[d];
    uint32_t from = d > 0 ? w->base.end[w->chosen[d - 1]] : 0;
    if (d + 1 == w->size) {
        examine_last(w, from, at, n);
        return LETHE_OK;
    }
    LETHE_TRY(list_extensions(w, d, from, at, n));
    for (uint64_t i = 0; i < l->n && !any_gone(w, d); i++) {
        uint32_t j = l->child[i], end = w->base.end[j];
        place *with = l->place + l->at[i];
        uint64_t n_with = l->at[i + 1] - l->at[i];
        if (is_gone(w, j)) continue;
        if (d <= 1 && lethe_ctx_cancelled(w->ctx)) return LETHE_ECANCEL;
        for (uint64_t k = 0; k < n_with; k++) {
            const uint32_t *item = r->item + r->start[with[k].set];
            uint32_t size = row_size(r, with[k].set);
            while (with[k].next < size && item[with[k].next] < end)
                with[k].next++;
        }
        w->chosen[d] = j;
        LETHE_TRY(examine_below(w, d + 1, with, n_with));
    }
    return LETHE_OK;
}

/* --- a round --- */

/* Replaces every node at or below the cut by that of the cut.  Items ascend, and so do these. */
static lethe_err generalize_rows(const struct apriori_search *w, lethe_arena *tmp, lethe_arena *a,
                                 threats_rows *rows)
{
    threats_rows up = *rows;
    uint64_t kept = 0;
    uint32_t *to = lethe_new(tmp, uint32_t, w->t->n);
    up.start = lethe_new(tmp, uint64_t, (size_t)rows->n + 1);
    up.item = lethe_new(tmp, uint32_t, rows->start[rows->n]);
    if (!to || !up.start || !up.item) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < w->t->n; v++) // parents come first
        to[v] = w->gone[v] ? to[w->t->parent[v]] : v;
    for (uint32_t i = 0; i < rows->n; i++) {
        up.start[i] = kept;
        for (uint64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            uint32_t v = to[rows->item[k]];
            if (kept == up.start[i] || up.item[kept - 1] != v) up.item[kept++] = v;
        }
    }
    up.start[rows->n] = kept;
    return lethe_threats_merge(a, &up, 0, rows);
}

/* Items are the nodes at or above the cut; with the sets that have each of them. */
static lethe_err build_index(struct apriori_search *w, lethe_arena *tmp)
{
    threats_rows rows = w->rows;
    uint32_t n = 0, *node = lethe_new(tmp, uint32_t, w->t->n),
             *number = lethe_new(tmp, uint32_t, w->t->n);
    rows.item = lethe_new(tmp, uint32_t, rows.start[rows.n]);
    if (!node || !number || !rows.item) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < w->t->n; v++)
        if (w->costs->live[v] && !w->gone[v]) {
            number[v] = n;
            node[n++] = v;
        }
    for (uint64_t i = 0; i < rows.start[rows.n]; i++)
        rows.item[i] = number[w->rows.item[i]];
    LETHE_TRY(lethe_threats_items(w->arena, w->t, node, n, &w->base));
    LETHE_TRY(lethe_threats_expand(w->arena, &rows, &w->base));
    const threats_rows *r = &w->base.sets;
    w->first = lethe_new(w->arena, uint64_t, (size_t)n + 2);
    w->set = lethe_new(w->arena, uint32_t, r->start[r->n]);
    if (!w->first || !w->set) return LETHE_ENOMEM;
    uint64_t *at = w->first + 1; // one ahead, so that they end up where the lists begin
    for (uint64_t i = 0; i < r->start[r->n]; i++)
        at[r->item[i] + 1]++;
    for (uint32_t j = 0; j < n; j++)
        at[j + 1] += at[j];
    for (uint32_t i = 0; i < r->n; i++)
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
            w->set[at[r->item[k]]++] = i;
    return LETHE_OK;
}

static lethe_err examine_all(struct apriori_search *w)
{
    uint32_t n = w->base.n, n_sets = w->base.sets.n;
    place *all = lethe_new(w->arena, place, n_sets);
    w->sum = lethe_new(w->arena, uint64_t, n);
    w->bit = lethe_new(w->arena, uint64_t, (size_t)n / 64 + 1);
    w->chosen = lethe_new(w->arena, uint32_t, w->size);
    w->trial = lethe_new(w->arena, uint32_t, w->size);
    w->best = lethe_new(w->arena, uint32_t, w->size);
    w->level = lethe_new(w->arena, level, w->size);
    if (!all || !w->sum || !w->bit || !w->chosen || !w->trial || !w->best || !w->level)
        return LETHE_ENOMEM;
    for (uint32_t d = 0; d < w->size; d++) {
        level *l = &w->level[d];
        l->child = lethe_new(w->arena, uint32_t, n);
        l->at = lethe_new(w->arena, uint64_t, (size_t)n + 1);
        l->kept = lethe_new(w->arena, uint32_t, n_sets);
        if (!l->child || !l->at || !l->kept) return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < n_sets; i++)
        all[i].set = i;
    lethe_err e = examine_below(w, 0, all, n_sets);
    for (uint32_t d = 0; d < w->size; d++)
        lethe_free(w->level[d].place);
    return e;
}

/* The rows of the previous round become those of this one, and so does the arena. */
static lethe_err run_round(struct apriori_search *w, bool *more)
{
    lethe_arena *tmp = lethe_arena_new(), *next = lethe_arena_new(), *last = w->arena;
    uint32_t longest = 0;
    lethe_err e = tmp && next ? generalize_rows(w, tmp, next, &w->rows) : LETHE_ENOMEM;
    w->arena = next;
    for (uint32_t i = 0; e == LETHE_OK && i < w->rows.n; i++)
        longest = LETHE_MAX(longest, row_size(&w->rows, i));
    *more = e == LETHE_OK && w->size <= longest;
    if (*more) e = build_index(w, tmp);
    lethe_arena_free(tmp);
    lethe_arena_free(last);
    return e == LETHE_OK && *more ? examine_all(w) : e;
}

/* `tmp` and w->arena take what is temporary, `a` the result.  At first every item stands for
 * itself. */
static lethe_err find_cut(struct apriori_search *w, const lethe_records *sets, uint32_t m,
                          lethe_arena *tmp, lethe_arena *a, lethe_apriori_cut *out)
{
    uint32_t n = (uint32_t)sets->n;
    bool more = true;
    w->in_cut = lethe_new(tmp, uint8_t, w->t->n);
    w->gone = lethe_new(tmp, uint8_t, w->t->n);
    w->below = lethe_new(tmp, uint64_t, w->t->n); // leaves cost nothing
    w->arena = lethe_arena_new();
    out->node = lethe_new(a, uint32_t, w->t->n);
    if (!w->in_cut || !w->gone || !w->below || !w->arena || !out->node) return LETHE_ENOMEM;
    w->rows = (threats_rows){.n = n,
                             .start = (uint64_t *)sets->start, // only read
                             .item = (uint32_t *)sets->item,
                             .weight = lethe_new(w->arena, uint32_t, n),
                             .mark_start = lethe_new(w->arena, uint64_t, (size_t)n + 1)};
    if (!w->rows.weight || !w->rows.mark_start) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        w->rows.weight[i] = 1;
    for (uint64_t i = 0; i < sets->start[n]; i++)
        w->in_cut[sets->item[i]] = 1;
    for (w->size = 1; more && w->size <= m; w->size++)
        LETHE_TRY(run_round(w, &more));
    for (uint32_t v = 0; v < w->t->n; v++)
        if (w->in_cut[v]) out->node[out->n++] = v;
    out->cost = lethe_cuts_cost(w->costs, out->node, out->n);
    out->fixed = w->fixed;
    return LETHE_OK;
}

lethe_err lethe_apriori_cut_find(lethe_ctx *ctx, const lethe_records *sets, const lethe_tree *t,
                                 const lethe_cuts_costs *costs, uint64_t k, uint32_t m,
                                 lethe_arena *a, lethe_apriori_cut *out)
{
    struct apriori_search w = {.ctx = ctx, .t = t, .costs = costs, .k = k};
    uint64_t n = 0;
    if (sets->n >= UINT32_MAX)
        return lethe_fail(ctx, LETHE_EUSAGE, "too many sets: the limit is %u", UINT32_MAX - 1);
    for (size_t i = 0; i < sets->n; i++)
        n += lethe_record_size(sets, i) > 0;
    *out = (lethe_apriori_cut){.none = n > 0 && n < k};
    if (out->none) return LETHE_OK;
    lethe_arena *tmp = lethe_arena_new();
    lethe_err e = tmp ? find_cut(&w, sets, m, tmp, a, out) : LETHE_ENOMEM;
    lethe_arena_free(w.arena);
    lethe_arena_free(tmp);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
